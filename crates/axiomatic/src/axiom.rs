//! Axioms that can say why they are violated: a cycle, and by which relations it goes.

use std::collections::VecDeque;

use crate::relation::Relation;

/// A requirement that there are no cycles of some kind.
pub(crate) struct Axiom {
    /// What it is called.
    name: &'static str,
    forbids: Cycles,
}

/// Relations by the names of the literature.
type Named = (&'static str, Relation);

enum Cycles {
    /// Cycles of any of these.
    Of(Vec<Named>),
    /// Cycles of one step by the first and one by the second.
    OfTwo(Named, Named),
}

/// Why an execution is forbidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The axiom.
    pub axiom: String,
    /// A shortest cycle: from which event, by which relation, to which event.
    pub cycle: Vec<(usize, String, usize)>,
}

impl Violation {
    /// The relations around the cycle, from wherever they come first in the alphabet: what two violations
    /// of one kind have in common.
    pub fn kind(&self) -> (String, Vec<String>) {
        let names: Vec<String> = self.cycle.iter().map(|(_, name, _)| name.clone()).collect();
        let turned = (0..names.len()).map(|by| [&names[by..], &names[..by]].concat());
        (self.axiom.clone(), turned.min().unwrap_or_default())
    }
}

impl Axiom {
    /// The union of these relations has no cycle.
    pub(crate) const fn acyclic(name: &'static str, parts: Vec<Named>) -> Self {
        Self { name, forbids: Cycles::Of(parts) }
    }

    /// No event comes back to itself by the one and then the other.
    pub(crate) const fn irreflexive(name: &'static str, one: Named, other: Named) -> Self {
        Self { name, forbids: Cycles::OfTwo(one, other) }
    }

    /// Whether it holds.
    pub(crate) fn holds(&self) -> bool {
        match &self.forbids {
            Cycles::Of(parts) => union(parts).is_none_or(|all| all.is_acyclic()),
            Cycles::OfTwo((_, one), (_, other)) => one.then(other).is_irreflexive(),
        }
    }

    /// What it forbids cycles of, if it does that of a union.
    pub(crate) fn order(&self) -> Option<Relation> {
        match &self.forbids {
            Cycles::Of(parts) => union(parts),
            Cycles::OfTwo(..) => None,
        }
    }

    /// Why it does not hold, if it does not.
    pub(crate) fn violation(&self) -> Option<Violation> {
        let cycle = match &self.forbids {
            Cycles::Of(parts) => {
                let named = |(from, to): (usize, usize)| {
                    let part = parts.iter().find(|(_, part)| part.contains(from, to));
                    (from, part.map_or("", |(name, _)| name).to_owned(), to)
                };
                shortest_cycle(&union(parts)?)?.into_iter().map(named).collect()
            }
            Cycles::OfTwo((one_name, one), (other_name, other)) => {
                let (from, to) = one.pairs().find(|(from, to)| other.contains(*to, *from))?;
                vec![(from, (*one_name).to_owned(), to), (to, (*other_name).to_owned(), from)]
            }
        };
        Some(Violation { axiom: self.name.to_owned(), cycle })
    }
}

fn union(parts: &[Named]) -> Option<Relation> {
    let mut parts = parts.iter().map(|(_, part)| part);
    let first = parts.next()?.clone();
    Some(parts.fold(first, |all, part| all | part))
}

/// The steps of a shortest cycle, if there is one.
pub(crate) fn shortest_cycle(relation: &Relation) -> Option<Vec<(usize, usize)>> {
    let cycles = (0..relation.events()).filter_map(|event| cycle_through(relation, event));
    let events = cycles.min_by_key(Vec::len)?;
    let steps = events.iter().zip(events.iter().cycle().skip(1));
    Some(steps.map(|(from, to)| (*from, *to)).collect())
}

/// The events of a shortest cycle through one of them.
fn cycle_through(relation: &Relation, start: usize) -> Option<Vec<usize>> {
    let mut before = vec![None; relation.events()];
    let mut open = VecDeque::from([start]);
    while let Some(event) = open.pop_front() {
        for next in relation.successors(event).iter() {
            if next == start {
                let mut path = vec![event];
                while let Some(earlier) = before[path[path.len() - 1]] {
                    path.push(earlier);
                }
                path.reverse();
                return Some(path);
            }
            if before[next].is_none() {
                before[next] = Some(event);
                open.push_back(next);
            }
        }
    }
    None
}
