//! Executions in DOT: a column for each thread, events from top to bottom, relations between them. What
//! closes a forbidden cycle is red.

use program::{Program, Sources};
use workspace::OutcomesAnswer;

use crate::execution_picture::of_shown;
use crate::picture_dot;

/// The execution that leads to the state asked for, or those that are forbidden. Nothing if there is no graph
/// to draw: what was explored has runs.
pub fn render(program: &Program, sources: &Sources, answer: &OutcomesAnswer) -> Option<String> {
    let pictures = of_shown(program, sources, answer.shown.as_ref()?);
    (!pictures.is_empty()).then(|| picture_dot::graph(program.name(), &pictures))
}
