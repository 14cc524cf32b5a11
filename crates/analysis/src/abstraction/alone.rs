//! A thread by itself: the coarsest abstraction, in which the others may give a cell any of its
//! values at any time.
//!
//! In every SC run a load of the thread p returns a value that somebody stored in the cell, or the
//! initial one ([`Flattening::can_hold`]). So the local states found here, where each access meets
//! each of these values, are all that p has in SC runs. From the pivot's store to its load memory
//! does not change but for that store (see [`crate::overtaking`]); a cell that is loaded again holds
//! what it held. If no load found like that is of a cell that another thread may write
//! ([`Flattening::others_may_write`]) and that can hold another value, p is no pivot. Locks are taken
//! whenever they are wanted, and exclusive stores succeed whenever they may, which allows more.
//!
//! This costs no more with more threads than the cells have more values.

use std::collections::{BTreeMap, BTreeSet};

use instrument::Flattening;
use program::{Edge, EdgeId, IndexVec, Instruction, LabelId, RegisterId, ThreadId, Value};
use semantics::Choice;

use crate::rules::{CellContext, Effect, Registers};
use crate::sc::Sc;

/// More local states are not looked at, neither in all nor on the walks from one store.
const MOST_LOCALS: usize = 1 << 14;

type Local = (LabelId, IndexVec<RegisterId, Value>);

/// What is known of memory on a walk.
type Overlay = BTreeMap<Value, Value>;

/// An access, if it is one: its address and what may be there.
type Accessed = Option<(Value, BTreeSet<Value>)>;

/// Too much is possible to say anything.
struct GaveUp;

struct AnyEnvironment<'a, 'p> {
    sc: &'a Sc<'p>,
    flattening: &'a Flattening<'p>,
    thread: ThreadId,
}

/// Whether the thread cannot be a pivot, whatever the others do with what they write.
pub(super) fn is_no_pivot<'p>(sc: &Sc<'p>, flattening: &Flattening<'p>, thread: ThreadId) -> bool {
    let alone = AnyEnvironment { sc, flattening, thread };
    let copy = &sc.threads()[thread];
    let template = sc.program().template(copy.template);
    let begin = (template.initial(), template.initial_registers(copy.copy));
    let mut seen = BTreeSet::from([begin.clone()]);
    let mut open = vec![begin];
    while let Some(local) = open.pop() {
        if seen.len() > MOST_LOCALS
            || sc.can_pivot(copy.template, local.0) && !alone.walks_are_harmless(&local)
        {
            return false;
        }
        for edge in template.outgoing(local.0).map(|edge| template.edge(edge)) {
            let Ok(next) = alone.next(&local, edge, &Overlay::new()) else { return false };
            open.extend(
                next.into_iter().map(|(local, _)| local).filter(|local| seen.insert(local.clone())),
            );
        }
    }
    true
}

impl AnyEnvironment<'_, '_> {
    fn edges(&self, label: LabelId) -> impl Iterator<Item = &Edge> {
        let template = self.sc.program().template(self.sc.threads()[self.thread].template);
        template.outgoing(label).map(|edge: EdgeId| template.edge(edge))
    }

    fn registers<'a>(&'a self, local: &'a Local) -> Registers<'a> {
        let program = self.sc.program();
        let template = program.template(self.sc.threads()[self.thread].template);
        Registers::of(program.memory(), template, &local.1)
    }

    /// The address of an access and what may be there.
    fn met(&self, local: &Local, edge: &Edge, overlay: &Overlay) -> Result<Accessed, GaveUp> {
        let Some((_, access)) = edge.instruction.memory_access() else { return Ok(None) };
        match self.registers(local).address(&edge.instruction) {
            Some(Ok(address)) => {
                let values = match overlay.get(&address) {
                    // It does not matter what was there.
                    _ if matches!(edge.instruction, Instruction::Store { .. }) => {
                        BTreeSet::from([0])
                    }
                    Some(value) => BTreeSet::from([*value]),
                    None => self.flattening.can_hold(address, *access).ok_or(GaveUp)?,
                };
                Ok(Some((address, values)))
            }
            Some(Err(fault)) if fault.is_limit() => Err(GaveUp),
            Some(Err(_)) | None => Ok(None),
        }
    }

    /// What the thread may come to by an edge, and what is known of memory then.
    fn next(
        &self,
        local: &Local,
        edge: &Edge,
        overlay: &Overlay,
    ) -> Result<Vec<(Local, Overlay)>, GaveUp> {
        let choices: Vec<Choice> = match edge.instruction {
            Instruction::Choose { low, high, .. } => {
                if high.abs_diff(low) > MOST_LOCALS as u128 {
                    return Err(GaveUp);
                }
                (low..=high).map(Choice::Value).collect()
            }
            Instruction::StoreExclusive { .. } => vec![Choice::Succeed, Choice::Fail],
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => vec![Choice::Determined],
        };
        let met = self.met(local, edge, overlay)?;
        let values = met.as_ref().map_or_else(|| BTreeSet::from([0]), |(_, values)| values.clone());
        let mut all = Vec::new();
        for held in values {
            for choice in &choices {
                let met_now = CellContext { held, is_reserved: true };
                let registers = self.registers(local);
                match registers.execute(&edge.instruction, *choice, met_now) {
                    Effect::Fault(fault) if fault.is_limit() => return Err(GaveUp),
                    Effect::Blocked | Effect::Fault(_) => {}
                    Effect::Done { register, written } => {
                        let mut next = (edge.to, local.1.clone());
                        if let Some((register, value)) = register {
                            next.1[register] = value;
                        }
                        let mut overlay = overlay.clone();
                        if let Some((address, _)) = met {
                            overlay.insert(address, written.unwrap_or(held));
                        }
                        all.push((next, overlay));
                    }
                }
            }
        }
        Ok(all)
    }

    /// Whether no load that follows a store from here clashes with a write of another thread.
    fn walks_are_harmless(&self, from: &Local) -> bool {
        self.edges(from.0)
            .filter(|edge| {
                matches!(edge.instruction, Instruction::Store { .. })
                    && !edge.instruction.drains_buffer()
            })
            .all(|store| self.is_harmless(from, store).unwrap_or(false))
    }

    fn is_harmless(&self, from: &Local, store: &Edge) -> Result<bool, GaveUp> {
        let mut open = self.next(from, store, &Overlay::new())?;
        let Some((stored, _)) = self.met(from, store, &Overlay::new())? else { return Ok(true) };
        let mut seen: BTreeSet<(Local, Overlay)> = open.iter().cloned().collect();
        while let Some((local, overlay)) = open.pop() {
            if seen.len() > MOST_LOCALS {
                return Err(GaveUp);
            }
            for edge in self.edges(local.0) {
                let is_load = matches!(edge.instruction, Instruction::Load { .. });
                let goes_on = is_load
                    || edge.instruction.memory_access().is_none()
                        && !edge.instruction.drains_buffer();
                if !goes_on {
                    continue;
                }
                if let Some((address, values)) = self.met(&local, edge, &overlay)?
                    && address != stored
                    && values.iter().any(|value| self.may_clash(edge, address, *value))
                {
                    return Ok(false);
                }
                let next = self.next(&local, edge, &overlay)?;
                open.extend(next.into_iter().filter(|next| seen.insert(next.clone())));
            }
        }
        Ok(true)
    }

    /// Whether another thread may write something else than what is loaded.
    fn may_clash(&self, load: &Edge, address: Value, loaded: Value) -> bool {
        let Some((_, access)) = load.instruction.memory_access() else { return false };
        self.flattening.others_may_write(self.thread, address)
            && self
                .flattening
                .can_hold(address, *access)
                .is_none_or(|values| values.iter().any(|value| *value != loaded))
    }
}
