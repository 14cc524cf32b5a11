//! The options of `fencewright convert` that instrument a program, and the names of attacks.
//!
//! An attack is written `THREAD:STORE:LOAD`: a thread as `show` and `simulate` name it, and for
//! each of the two instructions its line, or the label it leaves. Where that is not enough, `/2`
//! picks the second of those that the error message lists.

use std::fmt::Write;

use frontend::Language;
use frontend::fw::Notation;
use instrument::{Attack, Impossible, Instrumented};
use program::{Diagnostic, Diagnostics, EdgeId, Instruction, Program, Span, Template, Thread};

use crate::arguments::{Convert, Instrumentation, Target};
use crate::input::Loaded;
use crate::misplaced;

/// The program that is to be printed: the given one, or an instrumented one, with an assertion that
/// fails where the goal is reached if the language has assertions that fail.
pub(crate) fn instrumented(convert: &Convert, loaded: &Loaded) -> Result<Program, Diagnostics> {
    let program = &loaded.program;
    if convert.instrument.is_some() {
        misplaced::for_x86(loaded, "`--instrument`")?;
    }
    let result = match (convert.instrument, &convert.attack, convert.single) {
        (None, ..) => return Ok(program.clone()),
        (Some(Instrumentation::Robustness), Some(name), false) => {
            let attack = attack(name, loaded)?;
            instrument::robustness_attack(program, &attack)
        }
        (Some(Instrumentation::Robustness), None, true) => instrument::robustness_single(program),
        (Some(Instrumentation::Persistence), None, false) => instrument::persistence(program),
        (Some(Instrumentation::Robustness), None, false) => {
            return Err(usage(
                "which attack is the program to be instrumented for?",
                "name one with `--attack THREAD:STORE:LOAD`, or try all with `--single`",
            ));
        }
        (Some(_), Some(_), true) | (Some(Instrumentation::Persistence), ..) => {
            return Err(usage(
                "these options exclude each other",
                "`--instrument robustness` takes `--attack` or `--single`, \
                 `--instrument persistence` neither",
            ));
        }
    };
    let with_goal = |instrumented: Instrumented| {
        if can_fail(convert.to) { instrumented.with_assertion() } else { instrumented.program }
    };
    result.map(with_goal).map_err(|impossible| refused(&impossible))
}

/// Whether a language has assertions that fail.
const fn can_fail(target: Target) -> bool {
    match target {
        Target::Promela | Target::Dot | Target::Language(Language::Fw) => true,
        Target::Language(
            Language::Litmus | Language::Trencher | Language::Esop13 | Language::Esop15,
        ) => false,
    }
}

fn usage(message: &str, help: &str) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message).help(help)]
}

fn refused(impossible: &Impossible) -> Diagnostics {
    vec![Diagnostic::new(impossible.span(), impossible.to_string())]
}

/// The attack of this name.
fn attack(name: &str, loaded: &Loaded) -> Result<Attack, Diagnostics> {
    let mut parts = name.rsplitn(3, ':');
    let (Some(load), Some(store), Some(thread_name)) = (parts.next(), parts.next(), parts.next())
    else {
        let message = format!("`{name}` is not an attack");
        return Err(usage(&message, "write THREAD:STORE:LOAD, for example `p[0]:12:13`"));
    };
    let threads =
        loaded.program.threads().map_err(|parameterised| refused(&parameterised.into()))?;
    let Some((id, thread)) = threads.enumerate().find(|(_, thread)| thread.name == thread_name)
    else {
        let names: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
        let message = format!("there is no thread `{thread_name}`");
        return Err(usage(&message, &format!("the threads are {}", names.join(", "))));
    };
    let template = loaded.program.template(thread.template);
    let of_kind = |what: &str, is: fn(&Instruction) -> bool, part: &str| {
        let edges = template.edges().enumerate().filter(|(_, edge)| is(&edge.instruction));
        let candidates: Vec<EdgeId> = edges.map(|(id, _)| id).collect();
        Choice { what, loaded, thread, template, candidates }.find(part)
    };
    let is_store = |instruction: &Instruction| {
        matches!(instruction, Instruction::Store { .. }) && !instruction.drains_buffer()
    };
    let is_load = |instruction: &Instruction| matches!(instruction, Instruction::Load { .. });
    let store = of_kind("store that can be delayed", is_store, store)?;
    let load = of_kind("load", is_load, load)?;
    Ok(Attack { thread: id, store, load })
}

/// Instructions of a thread among which a person picks one.
struct Choice<'a> {
    what: &'a str,
    loaded: &'a Loaded,
    thread: &'a Thread,
    template: &'a Template,
    candidates: Vec<EdgeId>,
}

impl Choice<'_> {
    fn find(&self, name: &str) -> Result<EdgeId, Diagnostics> {
        let (place, number) = match name.rsplit_once('/') {
            Some((place, number)) => (place, number.parse::<usize>().ok()),
            None => (name, None),
        };
        let here: Vec<EdgeId> =
            self.candidates.iter().copied().filter(|edge| self.is_at(*edge, place)).collect();
        let picked = match (here.as_slice(), number) {
            ([only], None) => Some(*only),
            (several, Some(number)) => several.get(number.wrapping_sub(1)).copied(),
            (_, None) => None,
        };
        let thread = &self.thread.name;
        picked.ok_or_else(|| {
            let (message, listed) = match here.as_slice() {
                [] => (format!("`{thread}` has no {} at `{place}`", self.what), &self.candidates),
                [_] => (format!("there is only one {} at `{place}`", self.what), &here),
                _ => (format!("which {} at `{place}` is meant?", self.what), &here),
            };
            usage(&message, &self.list(listed))
        })
    }

    fn line(&self, edge: EdgeId) -> Option<String> {
        let span = self.template.edge(edge).span;
        let source = span.source?;
        Some(self.loaded.sources.line_column(source, span.start).0.to_string())
    }

    fn label(&self, edge: EdgeId) -> &str {
        &self.template.labels()[self.template.edge(edge).from].name
    }

    fn is_at(&self, edge: EdgeId, place: &str) -> bool {
        self.line(edge).as_deref() == Some(place) || self.label(edge) == place
    }

    /// The instructions with names that pick them.
    fn list(&self, edges: &[EdgeId]) -> String {
        if edges.is_empty() {
            return format!("`{}` has none at all", self.thread.name);
        }
        let notation = Notation::new(&self.loaded.program);
        let mut text = "possible are".to_owned();
        for edge in edges {
            let place = self.line(*edge).unwrap_or_else(|| self.label(*edge).to_owned());
            let same: Vec<EdgeId> =
                self.candidates.iter().copied().filter(|edge| self.is_at(*edge, &place)).collect();
            let number = same.iter().position(|other| other == edge).map_or(0, |at| at + 1);
            let name = if same.len() == 1 { place } else { format!("{place}/{number}") };
            let statement = notation.instruction(self.thread.template, self.template.edge(*edge));
            let _ = write!(text, "\n  {name}  {statement}");
        }
        text
    }
}
