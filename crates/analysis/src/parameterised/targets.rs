//! Conditions on states as targets of a net.
//!
//! A condition looks at some threads and at some cells. Each of these is a token that is in one place, whatever
//! else there is: *not to be* at a label is to be at another one, and *not to hold* a value is to hold another.
//! So every condition on finitely many threads and cells, with negations and all, is that one of finitely
//! many markings is covered, and a question of coverability, and exact. Copies of a thread of which there is any
//! number have no identities, so `p[0]` and `p[1]` are any two different ones.

use coverability::{Marking, Place};
use program::index::Idx;
use program::{
    Count, LabelId, Observable, Program, Proposition, Quantifier, Question, StateProposition,
    TemplateId, Value, Watched,
};
use semantics::Control;

use super::net::Threaded;
use super::running::Running;
use crate::sc::{Cell, Content, Local};

/// More choices than this are not tried.
const MOST_TRIED: usize = 1 << 18;

/// Too many states satisfy a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany;

/// A thread: its template and which copy.
pub(super) type Named = (TemplateId, u32);

/// Something of which a state has exactly one.
#[derive(Clone, Debug)]
pub(super) enum Slot<'n> {
    /// Where a thread is.
    Thread(Named, Vec<(Place, &'n Local)>),
    /// What a cell holds.
    Cell(Cell, Vec<(Place, &'n Content)>),
}

impl Slot<'_> {
    pub(super) fn places(&self) -> Vec<Place> {
        match self {
            Self::Thread(_, choices) => choices.iter().map(|(place, _)| *place).collect(),
            Self::Cell(_, choices) => choices.iter().map(|(place, _)| *place).collect(),
        }
    }
}

/// What is chosen of some slots so far, as the number of a choice of each.
struct Chosen<'a, T> {
    threads: &'a T,
    slots: &'a [Slot<'a>],
    choices: &'a [usize],
}

impl<T: Running> Chosen<'_, T> {
    fn local(&self, named: Named) -> Option<&Local> {
        self.slots.iter().zip(self.choices).find_map(|(slot, choice)| match slot {
            Slot::Thread(one, locals) if *one == named => Some(locals[*choice].1),
            Slot::Thread(..) | Slot::Cell(..) => None,
        })
    }

    fn held(&self, address: Value) -> Option<Value> {
        let block = self.threads.block(address);
        let cell = Cell::Memory(block.base);
        for (number, slot) in self.slots.iter().enumerate() {
            match slot {
                Slot::Cell(one, contents) if *one == cell => {
                    return Some(contents[*self.choices.get(number)?].1.held(block, address));
                }
                Slot::Cell(..) | Slot::Thread(..) => {}
            }
        }
        // Nobody touches it.
        Some(self.threads.memory().cell(address).map_or(0, |cell| cell.initial))
    }

    fn seen(&self, observable: Observable) -> Option<Value> {
        match observable {
            Observable::Register { template, copy, register } => {
                Some(self.local((template, copy))?.registers[register])
            }
            Observable::Cell(_) | Observable::Across(..) => {
                let memory = self.threads.memory();
                let cells = observable.cells(memory).into_iter();
                let held: Option<Vec<(Value, Value)>> =
                    cells.map(|address| Some((address, self.held(address)?))).collect();
                let held = held?;
                let at =
                    |address| held.iter().find(|(one, _)| *one == address).map_or(0, |it| it.1);
                observable.in_memory(memory, at)
            }
        }
    }

    fn at(&self, named: Named, label: LabelId) -> Option<bool> {
        self.local(named).map(|local| local.control == Control::At(label))
    }

    /// Whether a condition is true, if that is known by now.
    fn truth(&self, condition: &StateProposition) -> Option<bool> {
        match condition {
            StateProposition::At { template, copy, label } => self.at((*template, *copy), *label),
            StateProposition::Equals(seen, value) => Some(self.seen(*seen)? == *value),
            StateProposition::Less(seen, value) => Some(self.seen(*seen)? < *value),
            StateProposition::Not(inner) => Some(!self.truth(inner)?),
            StateProposition::All(parts) => self.joined(parts, false),
            StateProposition::Any(parts) => self.joined(parts, true),
        }
    }

    /// Whether one of the parts has this truth, and otherwise whether all have the other.
    fn joined(&self, parts: &[StateProposition], decisive: bool) -> Option<bool> {
        let mut all = Some(!decisive);
        for part in parts {
            match self.truth(part) {
                Some(truth) if truth == decisive => return Some(decisive),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    }
}

/// The threads and the cells that a condition looks at.
pub(super) fn looked_at(condition: &StateProposition) -> (Vec<Named>, Vec<Observable>) {
    let (mut threads, mut values) = (Vec::new(), Vec::new());
    condition.visit(&mut |watched| match watched {
        Watched::Label { template, copy, .. }
        | Watched::Value(Observable::Register { template, copy, .. }) => {
            threads.push((template, copy));
        }
        Watched::Value(seen @ (Observable::Cell(_) | Observable::Across(..))) => values.push(seen),
    });
    threads.sort_unstable();
    threads.dedup();
    (threads, values)
}

/// The local states that a thread can be in with an empty buffer; those with another identity are others'.
pub(super) fn thread_slot<'n, T: Running>(
    threaded: &'n Threaded<'_, T>,
    program: &Program,
    (template, copy): Named,
    is_it: impl Fn(&automata::Mark) -> bool,
) -> Slot<'n> {
    let of = program.template(template);
    // Of any number every copy has the first one's identity, as it sees itself.
    let identity = of.identity().filter(|_| of.count() != Count::Any);
    let is_own = |local: &Local| {
        identity.is_none_or(|identity| local.registers[identity.register] == identity.of(copy))
    };
    let locals = threaded.locals(template.index());
    let choices = locals.filter_map(|(local, mark, place)| {
        let thread = T::thread(local);
        (is_it(&mark) && T::is_plain(local) && is_own(thread)).then_some((place, thread))
    });
    Slot::Thread((template, copy), choices.collect())
}

/// What the cells can hold that some observables are made of.
pub(super) fn cell_slots<'n, T: Running>(
    threaded: &'n Threaded<'_, T>,
    threads: &T,
    observables: &[Observable],
) -> Vec<Slot<'n>> {
    let addresses = observables.iter().flat_map(|one| one.cells(threads.memory()));
    let mut cells: Vec<Cell> =
        addresses.map(|address| Cell::Memory(threads.block(address).base)).collect();
    cells.sort_unstable();
    cells.dedup();
    let slots = cells.into_iter().map(|cell| {
        let contents = threaded.contents(cell).into_iter();
        Slot::Cell(cell, contents.map(|(content, place)| (place, content)).collect())
    });
    slots.filter(|slot| !slot.places().is_empty()).collect()
}

/// The least markings of which a condition is true, with a token for each of the first `needed` slots. Those
/// that cannot be, as far as pairs of tokens tell, are left out.
pub(super) fn markings<T: Running>(
    threaded: &Threaded<'_, T>,
    threads: &T,
    slots: &[Slot<'_>],
    needed: usize,
    condition: &StateProposition,
) -> Result<Vec<Marking>, TooMany> {
    let places: Vec<Vec<Place>> = slots.iter().map(Slot::places).collect();
    let mut found = Vec::new();
    let mut tried = 0;
    // The choices so far, as in a depth-first search.
    let mut choices: Vec<usize> = Vec::new();
    let mut tokens: Vec<Place> = Vec::new();
    loop {
        tried += 1;
        if tried > MOST_TRIED {
            return Err(TooMany);
        }
        let truth = Chosen { threads, slots, choices: &choices }.truth(condition);
        let is_whole = choices.len() == slots.len();
        let goes_on = match truth {
            Some(false) => false,
            Some(true) if choices.len() >= needed => {
                found.push(Marking::of(tokens.iter().map(|place| (*place, 1))));
                false
            }
            Some(true) | None => !is_whole,
        };
        let mut next = if goes_on { Some(0) } else { None };
        loop {
            let Some(from) = next else {
                // Another choice for the last slot.
                let Some(last) = choices.pop() else {
                    found.sort_unstable();
                    found.dedup();
                    return Ok(found);
                };
                tokens.pop();
                next = Some(last + 1);
                continue;
            };
            let of_slot = &places[choices.len()];
            let fits = |place: &Place| {
                let pairs = threaded.pairs();
                pairs.is_possible(*place)
                    && tokens.iter().all(|other| pairs.are_related(*other, *place))
            };
            let Some(at) = (from..of_slot.len()).find(|at| fits(&of_slot[*at])) else {
                next = None;
                continue;
            };
            choices.push(at);
            tokens.push(of_slot[at]);
            break;
        }
    }
}

/// The final states that a program rules out, as a condition.
pub(super) fn ruled_out(question: &Question) -> StateProposition {
    let filter = question.filter.as_ref().map(condition);
    let ruled_out = match &question.condition {
        Some((Quantifier::Never, proposition)) => condition(proposition),
        Some((Quantifier::Always, proposition)) => {
            StateProposition::Not(Box::new(condition(proposition)))
        }
        Some((Quantifier::Exists, _)) | None => StateProposition::Any(Vec::new()),
    };
    StateProposition::All(filter.into_iter().chain([ruled_out]).collect())
}

fn condition(proposition: &Proposition) -> StateProposition {
    let not = |part: &Proposition| StateProposition::Not(Box::new(condition(part)));
    match proposition {
        Proposition::Constant(true) => StateProposition::All(Vec::new()),
        Proposition::Constant(false) => StateProposition::Any(Vec::new()),
        Proposition::Equals(seen, value) => StateProposition::Equals(*seen, *value),
        Proposition::Not(part) => not(part),
        Proposition::And(left, right) => {
            StateProposition::All(vec![condition(left), condition(right)])
        }
        Proposition::Or(left, right) => {
            StateProposition::Any(vec![condition(left), condition(right)])
        }
        Proposition::Implies(left, right) => {
            StateProposition::Any(vec![not(left), condition(right)])
        }
    }
}
