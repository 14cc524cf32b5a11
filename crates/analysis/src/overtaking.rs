//! Overtaking: the pattern of SC computations that betrays a triangular race, or a lack of
//! persistence.
//!
//! From a state reachable under SC a thread, the *pivot*, stores to `y` through its buffer, then only
//! loads and computes, and arrives at a load of `x ≠ y`; and another thread, the *fringe*, can write
//! `x` next, with a plain or an atomic write, or within a locked section that it enters next. That
//! is a triangular race (Owens, ECOOP'10). If what the fringe leaves in `x` is not what the pivot
//! loads, the program is *fragile* (ESOP'15, §7): the pivot's load, then the write to `x`, then the
//! store to `y` reaching memory is a TSO run, and no SC run has its program orders, with values, and
//! its one order of stores. (The paper lets only plain writes be the fringe's; atomic ones do as well.)
//!
//! After the pivot's store nothing interleaves. So the pattern is a walk of one thread from a state,
//! and a look at what the others can do next in that same state; the walk changes nothing but `y`.
//! All SC states are looked at, with no reduction but that local steps are taken eagerly and dead
//! registers forgotten. A store to a cell that nobody else touches counts: it has its place in the
//! order of stores.
//!
//! *Which instruction can play which part.* The pivot's store must wait in the buffer: a plain store,
//! not a sequentially consistent one, not inside a section (both ends of which empty the buffer, and
//! nobody else can write meanwhile). Between store and load nothing may empty the buffer: no fence,
//! no update, no exclusive store, no section. Loads are loads of any order; an exclusive one is one
//! too. The fringe's write reaches memory before the pivot's store does, so it may be any write:
//! plain, sequentially consistent, a compare-and-swap that succeeds, an exchange or fetch-and-op, a
//! blocking read-write that is not blocked, an exclusive store that succeeds, or a whole section,
//! of which counts what it leaves. A compare-and-swap that fails writes nothing and plays no part. A
//! section that is never left plays none either: the pivot's store could not reach memory any more.

use std::collections::{BTreeMap, BTreeSet};

use automata::{Effect, Step, Threads};
use program::{Instruction, ThreadId, Value};

use crate::rules::{self, CellContext};
use crate::sc::{Cell, Content, Local, Name, Sc, StateView};

/// What must be true of the load and the write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// They are of the same cell.
    SameCell,
    /// And the value changes.
    OtherValue,
}

/// The pattern, as steps from a state.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) pivot: ThreadId,
    /// The steps of the pivot: its store first, its load last.
    pub(crate) walk: Vec<Name>,
    pub(crate) fringe: ThreadId,
    /// The steps of the fringe: its write, or a section.
    pub(crate) write: Vec<Name>,
}

/// A step and what it leads to.
type Move = (Name, Local, BTreeMap<Cell, Content>);

/// A state in which one thread moves: what it has changed lies over what was there.
struct SoloWalk<'a, 'p, S> {
    sc: &'a Sc<'p>,
    state: &'a S,
    class: usize,
}

impl<S: StateView> SoloWalk<'_, '_, S> {
    fn content(&self, changed: &BTreeMap<Cell, Content>, cell: Cell) -> Content {
        changed.get(&cell).or_else(|| self.state.content(cell)).cloned().unwrap_or_else(|| {
            // Nobody has touched it.
            self.sc.initial_content(cell)
        })
    }

    /// What the thread can do next, one step at a time.
    fn moves(&self, local: &Local, changed: &BTreeMap<Cell, Content>) -> Vec<Move> {
        let steps = self.sc.steps(self.class, local);
        let one = |step: &Step<Cell, Name>| {
            let held: Vec<Content> =
                step.cells.iter().map(|(cell, _)| self.content(changed, *cell)).collect();
            let held: Vec<&Content> = held.iter().collect();
            match self.sc.effect(self.class, local, step, &held) {
                Effect::Blocked => None,
                Effect::Done(next, after) => {
                    let mut changed = changed.clone();
                    let written =
                        step.cells.iter().zip(after).filter(|((_, mode), _)| mode.writes());
                    changed.extend(written.map(|((cell, _), content)| (*cell, content)));
                    Some((step.name, next, changed))
                }
            }
        };
        steps.iter().filter_map(one).collect()
    }

    fn instruction(&self, name: Name) -> &Instruction {
        let template = self.sc.program().template(self.sc.template_of(self.class));
        &template.edge(name.0).instruction
    }

    fn address(&self, local: &Local, name: Name) -> Option<Value> {
        self.sc.registers(self.class, local).address(self.instruction(name))?.ok()
    }

    /// The loads that can follow a store, each with the walk there: the address, the value and the
    /// names from the store on. One walk for each address and value.
    fn loads_after_a_store(&self, from: &Local) -> BTreeMap<(Value, Value), Vec<Name>> {
        let mut loads = BTreeMap::new();
        for (store, next, changed) in self.moves(from, &BTreeMap::new()) {
            let instruction = self.instruction(store);
            let is_store = matches!(instruction, Instruction::Store { .. });
            if !is_store || instruction.drains_buffer() || !is_running(&next) {
                continue;
            }
            let Some(stored) = self.address(from, store) else { continue };
            let mut seen = BTreeSet::from([next.clone()]);
            let mut open = vec![(next, changed, vec![store])];
            while let Some((local, changed, names)) = open.pop() {
                for (name, next, after) in self.moves(&local, &changed) {
                    let instruction = self.instruction(name);
                    let is_load = matches!(instruction, Instruction::Load { .. });
                    let goes_on = is_load
                        || instruction.memory_access().is_none() && !instruction.drains_buffer();
                    if !goes_on {
                        continue;
                    }
                    let mut names = names.clone();
                    names.push(name);
                    if let Some(address) = self.address(&local, name).filter(|_| is_load)
                        && address != stored
                    {
                        let value = self.content(&changed, Cell::Memory(address)).value;
                        loads.entry((address, value)).or_insert_with(|| names.clone());
                    }
                    if is_running(&next) && seen.insert(next.clone()) {
                        open.push((next, after, names));
                    }
                }
            }
        }
        loads
    }

    /// What the thread can write next, or leave behind by a section that it enters next: the address,
    /// the value then, and the names.
    fn writes(&self, from: &Local) -> BTreeMap<(Value, Value), Vec<Name>> {
        let mut writes = BTreeMap::new();
        let mut seen: BTreeSet<(Local, BTreeMap<Cell, Content>, BTreeSet<Value>)> = BTreeSet::new();
        let mut open = vec![(from.clone(), BTreeMap::new(), BTreeSet::new(), Vec::new())];
        while let Some((local, changed, written, names)) = open.pop() {
            for (name, next, after) in self.moves(&local, &changed) {
                let mut written = written.clone();
                written.extend(self.written(&local, &changed, name));
                let names = [&names[..], &[name]].concat();
                if !next.holds_lock {
                    for address in written {
                        let value = self.content(&after, Cell::Memory(address)).value;
                        writes.entry((address, value)).or_insert_with(|| names.clone());
                    }
                } else if seen.insert((next.clone(), after.clone(), written.clone())) {
                    open.push((next, after, written, names));
                }
            }
        }
        writes
    }

    /// The address that a step writes, if it writes one.
    fn written(
        &self,
        local: &Local,
        changed: &BTreeMap<Cell, Content>,
        name: Name,
    ) -> Option<Value> {
        let address = self.address(local, name)?;
        let held = self.content(changed, Cell::Memory(address)).value;
        let met = CellContext { held, is_reserved: true };
        let registers = self.sc.registers(self.class, local);
        match registers.execute(self.instruction(name), name.1, met) {
            rules::Effect::Done { written: Some(_), .. } => Some(address),
            rules::Effect::Done { .. } | rules::Effect::Blocked | rules::Effect::Fault(_) => None,
        }
    }
}

fn is_running(local: &Local) -> bool {
    match local.control {
        semantics::Control::At(_) => true,
        semantics::Control::Stopped { .. } => false,
    }
}

/// The pattern in a state, if it is there. `can_pivot` says of a thread whether a store that a load
/// can overtake is next; what is not is not looked at.
pub(crate) fn pattern(
    sc: &Sc<'_>,
    state: &impl StateView,
    clash: Clash,
    can_pivot: impl Fn(ThreadId, &Local) -> bool,
) -> Option<Pattern> {
    let threads = || sc.threads().indices();
    let local = |thread: ThreadId| state.local(thread);
    if !threads().any(|thread| can_pivot(thread, local(thread)))
        || threads().any(|thread| local(thread).holds_lock)
    {
        return None;
    }
    for pivot in threads().filter(|thread| can_pivot(*thread, local(*thread))) {
        let alone = SoloWalk { sc, state, class: sc.class_of(pivot) };
        let loads = alone.loads_after_a_store(local(pivot));
        if loads.is_empty() {
            continue;
        }
        for fringe in threads().filter(|thread| *thread != pivot) {
            let alone = SoloWalk { sc, state, class: sc.class_of(fringe) };
            for ((written, after), write) in alone.writes(local(fringe)) {
                let mut loads = loads.iter();
                let clashes = loads.find(|((loaded, value), _)| {
                    *loaded == written && (clash == Clash::SameCell || *value != after)
                });
                if let Some((_, walk)) = clashes {
                    return Some(Pattern { pivot, walk: walk.clone(), fringe, write });
                }
            }
        }
    }
    None
}
