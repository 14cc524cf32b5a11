//! Static delays before the enumerator: which of them an execution shows.
//!
//! The delays of a closed program on a machine other than x86 are pairs of its instructions. All its executions on the
//! machine are built (`axiomatic::reordered`), loops followed up to a bound; a pair is confirmed by one that the reference
//! does not have, with the pair on a cycle, and refuted if there is none and no bound was met. On x86 the exact
//! method asks about each delay as an attack instead (`crate::delays`).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use axiomatic::{
    Compared, Does, Execution, Limits, Looking, Model, NOTHING_ADDED, Pair, Respected, reordered,
};
use cycles::{Analysis, Arch, Changed, Direction, EventId, Reference, Settings, Wanted};
use events::ClassId;
use program::{EdgeId, Program, Sources, TemplateId, ThreadId};
use web_time::Instant;

use super::{Cycles, graph, orders};

/// The candidate executions after which nothing more is looked for.
pub(super) const MOST_EXECUTIONS: u64 = 100_000;

/// What the enumerator says of static delays.
#[derive(Debug)]
pub struct Confirmed {
    /// The closed program.
    pub program: Program,
    /// Its texts.
    pub sources: Sources,
    /// The delays, each pair of instructions once.
    pub pairs: Vec<ConfirmedPair>,
    /// An execution that the machine has and the reference does not.
    pub weak: Option<Execution>,
    /// Why not everything is known, if it is not.
    pub doubt: Option<String>,
    /// The candidate executions that were looked at.
    pub executions: u64,
}

/// A static delay, and what the enumerator says of it.
#[derive(Debug)]
pub struct ConfirmedPair {
    /// The thread.
    pub thread: String,
    /// Its template.
    pub template: TemplateId,
    /// The instruction that comes first, and what it does.
    pub first: (EdgeId, Does),
    /// The one that may overtake it.
    pub second: (EdgeId, Does),
    /// What became of it.
    pub judgement: Judgement,
}

/// What became of a static delay.
#[derive(Debug)]
pub enum Judgement {
    /// This execution shows it.
    Confirmed(Box<Execution>),
    /// None does.
    Refuted,
    /// It is not known.
    Undecided,
}

impl Confirmed {
    /// How many delays are confirmed, how many refuted, and how many are open.
    pub fn counts(&self) -> (usize, usize, usize) {
        let mut counts = (0, 0, 0);
        for pair in &self.pairs {
            match pair.judgement {
                Judgement::Confirmed(_) => counts.0 += 1,
                Judgement::Refuted => counts.1 += 1,
                Judgement::Undecided => counts.2 += 1,
            }
        }
        counts
    }

    /// Whether every execution on the machine is one of the reference.
    pub const fn is_robust(&self) -> bool {
        self.weak.is_none() && self.doubt.is_none()
    }
}

/// Judges the static delays of a closed program.
pub(super) fn confirmed(
    program: &Program,
    sources: &Sources,
    question: &Cycles,
    respected: Respected,
) -> Confirmed {
    let found = delays(program, question, respected);
    let threads = |pair: &ConfirmedPair| -> Vec<ThreadId> {
        let all = program.threads().unwrap_or_default();
        let has_identity = program.template(pair.template).identity().is_some();
        let is_meant = |thread: &ThreadId| {
            let data = &all[*thread];
            data.template == pair.template && (!has_identity || data.name == pair.thread)
        };
        all.indices().filter(is_meant).collect()
    };
    let pair = |pair: &ConfirmedPair| Pair {
        threads: threads(pair),
        first: pair.first,
        second: pair.second,
    };
    let pairs: Vec<Pair> = found.iter().map(pair).collect();
    let mut answer = Confirmed {
        program: program.clone(),
        sources: sources.clone(),
        pairs: found,
        weak: None,
        doubt: None,
        executions: 0,
    };
    let (machine, compared) = (model(question.arch), compared(question.reference));
    let looking = Looking { machine, compared, respected, added: NOTHING_ADDED };
    let limits = Limits { max_executions: MOST_EXECUTIONS, ..Limits::default() };
    let mut go_on = || match question.deadline {
        Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(()),
        Some(_) | None => ControlFlow::Continue(()),
    };
    match reordered(program, looking, &pairs, &limits, &mut go_on) {
        Err(why) => answer.doubt = Some(why.to_string()),
        Ok(found) => {
            answer.executions = found.candidates;
            answer.weak = found.weak;
            answer.doubt = found.bound.map(|bound| bound.to_string());
            for (pair, shown) in answer.pairs.iter_mut().zip(found.pairs) {
                pair.judgement = match shown {
                    Some(execution) => Judgement::Confirmed(Box::new(execution)),
                    None if answer.doubt.is_none() => Judgement::Refuted,
                    None => Judgement::Undecided,
                };
            }
        }
    }
    answer
}

/// The static delays, and the pairs of chains without the full fence that they need, each once.
fn delays(program: &Program, question: &Cycles, respected: Respected) -> Vec<ConfirmedPair> {
    let graph = graph(program, question);
    let settings = Settings {
        arch: question.arch,
        orders: orders(program, question),
        reference: question.reference,
        dependencies: respected == Respected::All,
    };
    let analysis = Analysis::compiled(&graph.graph, settings, Changed::default());
    let put = analysis.nothing_put();
    let all = analysis.delays(&put, Wanted::All);
    let delays = all.iter().map(|delay| (delay.thread, delay.first, delay.second));
    let stretches = analysis.stretches(&put);
    let links = stretches.iter().flat_map(|stretch| &stretch.links);
    let links = links.map(|link| (link.thread, link.first, link.second));
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (class, first, second) in delays.chain(links) {
        let does = |event: EventId| of_event(&analysis, &graph.edges, class, event);
        let (Some(first), Some(second)) = (does(first), does(second)) else { continue };
        let thread = graph.graph.threads[class].name.clone();
        let template = graph.templates[class];
        if seen.insert((thread.clone(), template, first, second)) {
            let judgement = Judgement::Undecided;
            found.push(ConfirmedPair { thread, template, first, second, judgement });
        }
    }
    found
}

/// The instruction that an event belongs to, and what it does.
fn of_event(
    analysis: &Analysis<'_>,
    edges: &program::IndexVec<ClassId, program::IndexVec<events::NodeId, Option<EdgeId>>>,
    class: ClassId,
    event: EventId,
) -> Option<(EdgeId, Does)> {
    let data = &analysis.machine.events[event];
    let does = match data.direction {
        Direction::Read => Does::Reads,
        Direction::Write => Does::Writes,
    };
    Some((edges[class][data.node.1]?, does))
}

/// The model of a machine.
pub(super) const fn model(arch: Arch) -> Model {
    match arch {
        Arch::X86 => Model::Tso,
        Arch::Pso => Model::Pso,
        Arch::Rmo => Model::Rmo,
        Arch::Power => Model::Power,
        Arch::ArmV7 => Model::ArmV7,
        Arch::AArch64 => Model::AArch64,
        Arch::AArch64Lse => Model::AArch64Lse,
        Arch::RiscV => Model::RiscV,
    }
}

/// What the reference is for the enumerator.
pub(super) const fn compared(reference: Reference) -> Compared {
    match reference {
        Reference::Sc => Compared::WithSc,
        Reference::Tso => Compared::WithTso,
    }
}
