//! What `outcomes` has to say about one input.

use analysis::final_states::FailedRun;
use analysis::{Criterion, FinalStates};
use axiomatic::{Execution, Observation};
use cycles::Reference;
use frontend::{Language, Words};
use program::{Observable, Program, Span, Value};
use workspace::Shown;

use crate::undecided::{Explained, of_states};

/// Final states that are known, ready to be told.
pub(crate) struct Answer<'a> {
    /// The final states.
    pub(crate) states: &'a FinalStates,
    /// How they are told.
    pub(crate) words: Words<'a>,
    /// Why there may be more, if there may.
    pub(crate) doubt: Option<Explained>,
    /// What was asked for with `--show`.
    pub(crate) asked: Option<&'a Shown>,
    /// What they are compared with.
    pub(crate) reference: Reference,
}

impl<'a> Answer<'a> {
    /// Final states of a program whose people speak this language.
    pub(crate) fn new(
        states: &'a FinalStates,
        (asked, reference): (Option<&'a Shown>, Reference),
        (program, language): (&'a Program, Language),
    ) -> Self {
        let doubt = states.doubt.as_ref().map(of_states);
        Self { states, words: Words::new(program, language), doubt, asked, reference }
    }
}

impl Answer<'_> {
    /// A state on one line, as herd writes it.
    pub(crate) fn state(&self, values: impl Iterator<Item = (Observable, Value)>) -> String {
        let all: Vec<String> = values
            .map(|(seen, value)| {
                format!("{}={};", self.words.observable(seen), self.words.value(seen, value))
            })
            .collect();
        if all.is_empty() { "nothing is written".to_owned() } else { all.join(" ") }
    }

    /// Why the states of TSO are those of SC.
    pub(crate) const fn remark(&self) -> Option<&'static str> {
        match self.states.because {
            Some(Criterion::Drf) => Some("it has no data race, so TSO has the states of SC"),
            Some(Criterion::Trf) => Some("it has no triangular race, so TSO has the states of SC"),
            Some(Criterion::Robustness) => Some("it is robust, so TSO has the states of SC"),
            Some(Criterion::Persistence) => Some("it is persistent, so TSO has the states of SC"),
            Some(Criterion::States) => Some("TSO has the states of SC"),
            None => None,
        }
    }
}

/// Where an error is.
pub(crate) struct Place {
    /// The name of the thread.
    pub(crate) thread: String,
    /// The text of the instruction that fails.
    pub(crate) span: Span,
    /// What is wrong.
    pub(crate) why: String,
}

/// Where an error is.
pub(crate) fn place(program: &Program, error: &FailedRun) -> Place {
    let threads = program.threads().expect("a run of a program with a definite number of threads");
    let thread = &threads[error.thread];
    let template = program.template(thread.template);
    let why = template.why(error.edge, error.fault);
    Place { thread: thread.name.clone(), span: template.edge(error.edge).span, why }
}

/// The word of herd.
pub(crate) const fn word(observation: Observation) -> &'static str {
    match observation {
        Observation::Never => "Never",
        Observation::Sometimes => "Sometimes",
        Observation::Always => "Always",
    }
}

/// The relations of an execution that are worth telling, by the names of the literature, each pair
/// that others do not imply.
pub(crate) fn relations(execution: &Execution) -> Vec<(&'static str, Vec<(usize, usize)>)> {
    let immediate = |relation: &axiomatic::relation::Relation| {
        let between = relation.then(&execution.co);
        relation.pairs().filter(|(from, to)| !between.contains(*from, *to)).collect()
    };
    let accesses = execution.accesses();
    let to_accesses = |relation: &axiomatic::relation::Relation| -> Vec<(usize, usize)> {
        relation.ending_in(accesses).pairs().collect()
    };
    let all = [
        ("rf", execution.rf.pairs().collect()),
        ("co", immediate(&execution.co)),
        ("fr", immediate(&execution.fr)),
        ("addr", to_accesses(&execution.syntactic.addr)),
        ("data", to_accesses(&execution.syntactic.data)),
        ("ctrl", to_accesses(&execution.syntactic.ctrl)),
        ("rmw", execution.rmw.pairs().collect()),
    ];
    all.into_iter().filter(|(_, pairs): &(_, Vec<_>)| !pairs.is_empty()).collect()
}
