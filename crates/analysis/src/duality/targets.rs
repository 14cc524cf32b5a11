//! What is looked for, as configurations.
//!
//! Goals and questions are made of parts that are each about one thread or one cell. So they are unions of
//! *regions*: for each thread some nodes, for each cell some values.

use std::collections::BTreeMap;

use program::index::Idx;
use program::{
    Observable, Program, Proposition, Quantifier, Question, StateProposition, ThreadId, Value,
};
use semantics::Control;

use super::automaton::Automata;
use super::configuration::Configuration;
use crate::outcomes::{Error, Outcome};
use crate::reach::{Query, thread};
use crate::sc::{Local, Sc};

/// More configurations than this are not looked for.
pub(super) const MOST: usize = 1 << 16;

/// Some nodes of some threads, and some values of some cells.
#[derive(Clone, Default)]
pub(super) struct Region {
    pub(super) nodes: BTreeMap<usize, Vec<u32>>,
    pub(super) values: BTreeMap<u16, Vec<u16>>,
}

impl Region {
    fn meet(&self, other: &Self) -> Self {
        let mut both = self.clone();
        for (thread, nodes) in &other.nodes {
            let known = both.nodes.entry(*thread).or_insert_with(|| nodes.clone());
            known.retain(|node| nodes.contains(node));
        }
        for (cell, values) in &other.values {
            let known = both.values.entry(*cell).or_insert_with(|| values.clone());
            known.retain(|value| values.contains(value));
        }
        both
    }

    fn is_empty(&self) -> bool {
        self.nodes.values().any(Vec::is_empty) || self.values.values().any(Vec::is_empty)
    }
}

/// A union of regions; nothing if there are too many.
pub(super) type Union = Option<Vec<Region>>;

pub(super) fn all(parts: impl Iterator<Item = Union>) -> Union {
    let mut met = vec![Region::default()];
    for part in parts {
        let part = part?;
        let pairs = met.iter().flat_map(|one| part.iter().map(|other| one.meet(other)));
        met = pairs.filter(|region| !region.is_empty()).take(MOST + 1).collect();
        if met.len() > MOST {
            return None;
        }
    }
    Some(met)
}

fn any(parts: impl Iterator<Item = Union>) -> Union {
    let parts: Option<Vec<Vec<Region>>> = parts.collect();
    parts.map(|parts| parts.concat()).filter(|regions| regions.len() <= MOST)
}

/// Who looks.
pub(crate) struct Looking<'a, 's, 'p> {
    pub(super) program: &'p Program,
    pub(super) sc: &'a Sc<'p>,
    pub(super) automata: &'a Automata<'s, 'p>,
}

impl Looking<'_, '_, '_> {
    /// What a query looks for; nothing if that is too much.
    pub(crate) fn of(&self, query: &Query) -> Option<Vec<Configuration>> {
        let mut targets = if query.faults { self.marked(|mark| mark.goal) } else { Vec::new() };
        if let Some(goal) = &query.goal {
            self.expand(&self.goal(goal, true)?, &mut targets)?;
        }
        if query.deadlocks {
            targets.extend(self.deadlocks()?);
        }
        if query.question {
            self.expand(&self.ruled_out(self.program.question())?, &mut targets)?;
        }
        Some(targets)
    }

    /// The final states and the errors that are wanted; nothing if that is too much.
    pub(crate) fn ends(
        &self,
        is_wanted: &dyn Fn(&Outcome) -> bool,
        is_error_wanted: &dyn Fn(Error) -> bool,
    ) -> Option<Vec<Configuration>> {
        let mut targets = self.marked(|mark| mark.goal);
        targets.retain(|target| {
            let mut threads = target.at.iter().zip(&self.automata.threads).enumerate();
            threads.any(|(thread, (at, automaton))| {
                let stopped = automaton.nodes.get_index(*at as usize);
                stopped.is_some_and(|((local, _), _)| match local.control {
                    Control::Stopped { edge, .. } => {
                        is_error_wanted(Error { thread: ThreadId::new(thread), edge })
                    }
                    Control::At(_) => false,
                })
            })
        });
        let cells = (0u16..).zip(self.automata.cells.values());
        let values =
            cells.map(|(cell, values)| (cell, (0u16..).take(values.len()).collect::<Vec<u16>>()));
        let everything = Region { nodes: BTreeMap::new(), values: values.collect() };
        let mut ends = Vec::new();
        let met: Vec<Region> = all(self.ended().chain([Some(vec![everything])]))?;
        self.expand(&met, &mut ends)?;
        ends.retain(|end| is_wanted(&self.outcome(end)));
        targets.extend(ends);
        Some(targets)
    }

    /// The final state that a configuration stands for in which everything is said.
    fn outcome(&self, end: &Configuration) -> Outcome {
        let threads = end.at.iter().zip(&self.automata.threads);
        let registers = threads.map(|(at, automaton)| automaton.local(*at).registers.clone());
        let memory = self.program.memory();
        let cells = self.automata.cells.iter().zip(&end.memory);
        let held = cells.filter_map(|((address, values), number)| {
            let (value, ()) = values.get_index(usize::from(*number))?;
            let initial = memory.cell(*address).map_or(0, |cell| cell.initial);
            (*value != initial).then_some((*address, *value))
        });
        Outcome { changed_memory: held.collect(), registers: registers.collect() }
    }

    /// For each thread the nodes where it has ended.
    fn ended(&self) -> impl Iterator<Item = Union> {
        let threads = self.automata.threads.iter().enumerate();
        threads.map(|(thread, automaton)| {
            let nodes = automaton.unclaiming().filter(|(_, _, node)| node.mark.ended);
            let nodes = BTreeMap::from([(thread, nodes.map(|(at, _, _)| at).collect())]);
            Some(vec![Region { nodes, values: BTreeMap::new() }])
        })
    }

    /// A thread where nothing is known of what it does next.
    pub(super) fn limits(&self) -> Vec<Configuration> {
        self.marked(|mark| mark.noted)
    }

    fn marked(&self, is_it: impl Fn(&automata::Mark) -> bool) -> Vec<Configuration> {
        let mut targets = Vec::new();
        for (thread, automaton) in self.automata.threads.iter().enumerate() {
            for (number, _, node) in automaton.unclaiming() {
                if is_it(&node.mark) {
                    let all = Configuration::all(self.automata);
                    targets.push(all.with(self.automata, thread, number));
                }
            }
        }
        targets
    }

    pub(super) fn expand(
        &self,
        regions: &[Region],
        targets: &mut Vec<Configuration>,
    ) -> Option<()> {
        for region in regions {
            let mut some = vec![Configuration::all(self.automata)];
            for (thread, nodes) in &region.nodes {
                let at = |one: &Configuration, node| one.clone().with(self.automata, *thread, node);
                let with = some.iter().flat_map(|one| nodes.iter().map(move |node| at(one, *node)));
                some = with.take(MOST + 1).collect();
            }
            for (cell, values) in &region.values {
                let holds = |one: &Configuration, value| {
                    let mut one = one.clone();
                    one.memory[usize::from(*cell)] = value;
                    one
                };
                let with = some.iter().flat_map(|one| values.iter().map(move |it| holds(one, *it)));
                some = with.take(MOST + 1).collect();
            }
            targets.extend(some.into_iter().filter(|one| self.has_one_holder(one)));
            if targets.len() > MOST {
                return None;
            }
        }
        Some(())
    }

    /// No two threads hold the memory lock.
    fn has_one_holder(&self, target: &Configuration) -> bool {
        let threads = target.at.iter().zip(&self.automata.threads);
        let holds = threads.filter(|(at, automaton)| {
            (**at as usize) < automaton.nodes.len() && automaton.holds_lock(**at)
        });
        holds.count() <= 1
    }

    fn goal(&self, goal: &StateProposition, truth: bool) -> Union {
        match goal {
            StateProposition::At { template, copy, label } => {
                let Some(thread) = thread(self.sc, *template, *copy) else {
                    return Some(if truth { Vec::new() } else { vec![Region::default()] });
                };
                let is_there = |local: &Local| local.control == Control::At(*label);
                Some(vec![self.nodes(thread.index(), |local| is_there(local) == truth)])
            }
            StateProposition::Equals(observable, value) => {
                self.seen(*observable, |seen| (seen == *value) == truth)
            }
            StateProposition::Less(observable, value) => {
                self.seen(*observable, |seen| (seen < *value) == truth)
            }
            StateProposition::Not(inner) => self.goal(inner, !truth),
            StateProposition::All(parts) if truth => {
                all(parts.iter().map(|part| self.goal(part, truth)))
            }
            StateProposition::Any(parts) if !truth => {
                all(parts.iter().map(|part| self.goal(part, truth)))
            }
            StateProposition::All(parts) | StateProposition::Any(parts) => {
                any(parts.iter().map(|part| self.goal(part, truth)))
            }
        }
    }

    fn proposition(&self, proposition: &Proposition, truth: bool) -> Union {
        let both = |left: Union, right: Union| {
            let parts = [left, right].into_iter();
            if truth { all(parts) } else { any(parts) }
        };
        let either = |left: Union, right: Union| {
            let parts = [left, right].into_iter();
            if truth { any(parts) } else { all(parts) }
        };
        match proposition {
            Proposition::Constant(constant) if *constant == truth => Some(vec![Region::default()]),
            Proposition::Constant(_) => Some(Vec::new()),
            Proposition::Equals(observable, value) => {
                self.seen(*observable, |seen| (seen == *value) == truth)
            }
            Proposition::Not(inner) => self.proposition(inner, !truth),
            Proposition::And(left, right) => {
                both(self.proposition(left, truth), self.proposition(right, truth))
            }
            Proposition::Or(left, right) => {
                either(self.proposition(left, truth), self.proposition(right, truth))
            }
            Proposition::Implies(left, right) => {
                either(self.proposition(left, !truth), self.proposition(right, truth))
            }
        }
    }

    /// The final states that a question rules out.
    fn ruled_out(&self, question: &Question) -> Union {
        let condition = match &question.condition {
            Some((Quantifier::Never, proposition)) => self.proposition(proposition, true),
            Some((Quantifier::Always, proposition)) => self.proposition(proposition, false),
            Some((Quantifier::Exists, _)) | None => Some(Vec::new()),
        };
        let filter = question.filter.as_ref().map(|filter| self.proposition(filter, true));
        all([condition].into_iter().chain(filter).chain(self.ended()))
    }

    /// The nodes of a thread with local states of a kind.
    fn nodes(&self, thread: usize, is_it: impl Fn(&Local) -> bool) -> Region {
        let nodes = self.automata.threads[thread].unclaiming();
        let nodes = nodes.filter(|(_, (local, _), _)| is_it(local)).map(|(at, _, _)| at);
        Region { nodes: BTreeMap::from([(thread, nodes.collect())]), values: BTreeMap::new() }
    }

    /// Where something that is looked at is as it should be.
    pub(super) fn seen(&self, observable: Observable, is_it: impl Fn(Value) -> bool) -> Union {
        match observable {
            Observable::Register { template, copy, register } => {
                let Some(thread) = thread(self.sc, template, copy) else {
                    return Some(if is_it(0) { vec![Region::default()] } else { Vec::new() });
                };
                let is_it = |local: &Local| is_it(local.registers[register]);
                Some(vec![self.nodes(thread.index(), is_it)])
            }
            Observable::Cell(_) | Observable::Across(..) => {
                let memory = self.program.memory();
                let address = observable.cells(memory).into_iter().next()?;
                let with = |value: Value| {
                    is_it(observable.in_memory(memory, |_| value).unwrap_or_default())
                };
                let Some((cell, _, values)) = self.automata.cells.get_full(&address) else {
                    // Nobody touches it.
                    let initial = memory.cell(address).map_or(0, |cell| cell.initial);
                    let is_so = with(initial);
                    return Some(if is_so { vec![Region::default()] } else { Vec::new() });
                };
                let values = (0u16..).zip(values.keys()).filter(|(_, value)| with(**value));
                let values = values.map(|(number, _)| number).collect();
                let cell = u16::try_from(cell).expect("few cells");
                let values = BTreeMap::from([(cell, values)]);
                Some(vec![Region { nodes: BTreeMap::new(), values }])
            }
        }
    }
}
