//! Critical cycles in DOT: a column for each thread that a cycle visits, its accesses from top to bottom.
//! What the machine may reorder is red.

use program::Sources;
use workspace::CyclesAnswer;

use crate::cycles_picture::of_answer;
use crate::picture_dot;

/// A picture of the cycles of an answer: all if they were asked for, otherwise one for each delay shown.
pub fn render(file: &str, sources: &Sources, answer: &CyclesAnswer) -> String {
    picture_dot::graph(file, &of_answer(sources, answer))
}
