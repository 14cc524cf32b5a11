//! Instrumented programs, which answer a question about TSO under SC, and the names of attacks.
//!
//! An attack is written `THREAD:STORE:LOAD`: a thread as `show` and `simulate` name it, and for
//! each of the two instructions its line, or the label it leaves. Where that is not enough, `/2`
//! picks the second of those that the error message lists.

use std::fmt::Write;

use frontend::fw::Notation;
use instrument::{Attack, Impossible, Instrumented};
use program::{Diagnostic, Diagnostics, EdgeId, Instruction, Span, Template, Thread};

use crate::inputs::{Loaded, Refused};
use crate::misplaced;
use crate::store::{ProgramId, Workspace};

/// What an instrumented program is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instrumentation {
    /// Is this attack feasible, written `THREAD:STORE:LOAD`?
    Attack(String),
    /// Is any attack feasible?
    AllAttacks,
    /// Is the program persistent?
    Persistence,
}

impl Workspace<'_> {
    /// A program that reaches its goal under SC exactly if the answer to a question about TSO is yes.
    pub fn instrumented(
        &self,
        id: ProgramId,
        asked: &Instrumentation,
    ) -> Result<Instrumented, Refused> {
        let loaded = self.program(id);
        instrumented(loaded, asked).map_err(|errors| loaded.refuse(errors))
    }
}

fn instrumented(loaded: &Loaded, asked: &Instrumentation) -> Result<Instrumented, Diagnostics> {
    misplaced::for_x86(loaded, "`--instrument`")?;
    let program = &loaded.program;
    let result = match asked {
        Instrumentation::Attack(name) => {
            instrument::robustness_attack(program, &attack(name, loaded)?)
        }
        Instrumentation::AllAttacks => instrument::robustness_single(program),
        Instrumentation::Persistence => instrument::persistence(program),
    };
    result.map_err(|impossible| refused(&impossible))
}

fn usage(message: &str, help: &str) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message).help(help)]
}

pub(crate) fn refused(impossible: &Impossible) -> Diagnostics {
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
