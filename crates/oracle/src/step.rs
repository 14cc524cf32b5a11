//! The transition relations of SC and TSO.

use program::{EdgeId, Fault, Footprint, Instruction, Order, RegisterId, ThreadId, Value};

use crate::intent::{Change, Intent};
use crate::limits::Exceeded;
use crate::machine::{Machine, State};
use crate::state::{Action, Effect, MemoryModel, ThreadState};

impl Machine<'_> {
    /// Calls `take` with every action that is possible in `state` and where it leads.
    pub(crate) fn successors(
        &mut self,
        model: MemoryModel,
        state: &State,
        take: &mut impl FnMut(Action, State),
    ) -> Result<(), Exceeded> {
        for thread in self.code.threads.indices() {
            self.steps_of(model, state, thread, take)?;
        }
        Ok(())
    }

    /// The same for the actions of one thread.
    pub(crate) fn steps_of(
        &mut self,
        model: MemoryModel,
        state: &State,
        thread: ThreadId,
        take: &mut impl FnMut(Action, State),
    ) -> Result<(), Exceeded> {
        let locked_out = self.is_locked_out(state, thread);
        for (edge, intent) in self.intents(state, thread).iter() {
            for (effect, next) in self.attempts(model, state, thread, *edge, *intent, locked_out)? {
                take(Action { thread, edge: Some(*edge), effect }, next);
            }
        }
        if !self.thread(state, thread).buffer.is_empty() && !locked_out {
            let mut drained = self.thread(state, thread).clone();
            let (cells, value) = drained.buffer.remove(0);
            let next = self.write(state, drained, (cells, value))?;
            let address = cells.address;
            take(Action { thread, edge: None, effect: Effect::Drain { address, value } }, next);
        }
        Ok(())
    }

    /// What comes of an intent: nothing where it has to wait, two things for an exclusive store.
    /// Memory is out of reach where the thread is `locked_out`.
    pub(crate) fn attempts(
        &mut self,
        model: MemoryModel,
        state: &State,
        thread: ThreadId,
        edge: EdgeId,
        intent: Intent,
        locked_out: bool,
    ) -> Result<Vec<(Effect, State)>, Exceeded> {
        let before = self.thread(state, thread);
        let drained = before.buffer.is_empty();
        let mut after = before.clone();
        after.label = self.code.threads[thread].edges[edge].to;
        let internal = Effect::Internal { assigned: None };
        Ok(match intent {
            Intent::Internal { assigned } => {
                if let Some((register, value)) = assigned {
                    after.registers[register] = value;
                }
                let effect = Effect::Internal { assigned: assigned.map(|(_, value)| value) };
                vec![(effect, self.replace(state, after)?)]
            }
            Intent::Stop(_) if self.waits_to_stop(model, thread, edge, (drained, locked_out)) => {
                Vec::new()
            }
            Intent::Stop(fault) => {
                let stopped = ThreadState { fault: Some(fault), ..before.clone() };
                vec![(Effect::Stop(fault), self.replace(state, stopped)?)]
            }
            Intent::Fence if drained => vec![(internal, self.replace(state, after)?)],
            Intent::Lock if drained && !locked_out => {
                after.in_section = true;
                vec![(internal, self.replace(state, after)?)]
            }
            Intent::Unlock if drained => {
                after.in_section = false;
                vec![(internal, self.replace(state, after)?)]
            }
            Intent::Load { register, cells, reserve } if !locked_out => {
                let own = |address| {
                    let newest = before.buffer.iter().rev().find(|(to, _)| to.covers(address));
                    newest.and_then(|(to, value)| to.parts(*value).find(|(to, _)| *to == address))
                };
                let early = cells.addresses().all(|address| own(address).is_some());
                let seen = |address| match own(address) {
                    Some((_, value)) => value,
                    None => self.read(state, address),
                };
                let value = cells.read(seen);
                if reserve {
                    after.reservation = Some(cells);
                }
                let (fault, after) = self.receive(before, after, Some(register), value);
                let effect = Effect::Read { address: cells.address, value, early, fault };
                vec![(effect, self.replace(state, after)?)]
            }
            Intent::Store { cells, value } if model == MemoryModel::Tso => {
                after.buffer.push((cells, value));
                let effect = Effect::Issue { address: cells.address, value };
                vec![(effect, self.replace(state, after)?)]
            }
            Intent::Store { cells, value } | Intent::LockedStore { cells, value }
                if drained && !locked_out =>
            {
                let next = self.write(state, after, (cells, value))?;
                vec![(Effect::Write { address: cells.address, value }, next)]
            }
            Intent::Update { result, cells, change } if drained && !locked_out => {
                let before = before.clone();
                self.update(state, &before, after, (result, cells, change))?
            }
            Intent::StoreExclusive { status, cells, value } if drained && !locked_out => {
                let before = before.clone();
                let is_reserved = before
                    .reservation
                    .is_some_and(|reserved| reserved.addresses().eq(cells.addresses()));
                let written = is_reserved.then_some((cells, value));
                self.store_exclusive(state, &before, after, (status, written))?
            }
            Intent::Fence
            | Intent::Lock
            | Intent::Unlock
            | Intent::Load { .. }
            | Intent::Store { .. }
            | Intent::LockedStore { .. }
            | Intent::Update { .. }
            | Intent::StoreExclusive { .. } => Vec::new(),
        })
    }

    /// Whether a thread has to wait before an instruction stops it: as before the access that it would be.
    fn waits_to_stop(
        &self,
        model: MemoryModel,
        thread: ThreadId,
        edge: EdgeId,
        (drained, locked_out): (bool, bool),
    ) -> bool {
        match &self.code.threads[thread].edges[edge].instruction {
            Instruction::Load { .. } => locked_out,
            Instruction::Store { access, .. } if access.order != Order::SeqCst => {
                model == MemoryModel::Sc && locked_out
            }
            Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Lock => locked_out || !drained,
            Instruction::Unlock | Instruction::Fence(_) => !drained,
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_) => false,
        }
    }

    /// An exclusive store fails, or writes what it is given to write.
    fn store_exclusive(
        &mut self,
        state: &State,
        before: &ThreadState,
        mut after: ThreadState,
        (status, written): (RegisterId, Option<(Footprint, Value)>),
    ) -> Result<Vec<(Effect, State)>, Exceeded> {
        after.reservation = None;
        let (refused, failure) = self.receive(before, after.clone(), Some(status), 1);
        let effect = refused.map_or(Effect::Internal { assigned: None }, Effect::Stop);
        let mut outcomes = vec![(effect, self.replace(state, failure)?)];
        if let Some((cells, value)) = written {
            let (refused, success) = self.receive(before, after, Some(status), 0);
            let outcome = if let Some(fault) = refused {
                (Effect::Stop(fault), self.replace(state, success)?)
            } else {
                let effect = Effect::Write { address: cells.address, value };
                (effect, self.write(state, success, (cells, value))?)
            };
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    fn update(
        &mut self,
        state: &State,
        before: &ThreadState,
        after: ThreadState,
        (result, cells, change): (Option<RegisterId>, Footprint, Change),
    ) -> Result<Vec<(Effect, State)>, Exceeded> {
        let address = cells.address;
        let read = cells.read(|address| self.read(state, address));
        let Some(written) = written(cells, read, change) else { return Ok(Vec::new()) };
        let (fault, after) = match written {
            Err(fault) => (Some(fault), ThreadState { fault: Some(fault), ..before.clone() }),
            Ok(_) => self.receive(before, after, result, read),
        };
        Ok(vec![match (fault, written) {
            (None, Ok(Some(written))) => (
                Effect::ReadWrite { address, read, written },
                self.write(state, after, (cells, written))?,
            ),
            (None | Some(_), _) => (
                Effect::Read { address, value: read, early: false, fault },
                self.replace(state, after)?,
            ),
        }])
    }

    /// `after` with a value put into a register, or `before` stopped by a fault.
    fn receive(
        &self,
        before: &ThreadState,
        mut after: ThreadState,
        register: Option<RegisterId>,
        value: Value,
    ) -> (Option<Fault>, ThreadState) {
        let Some(register) = register else { return (None, after) };
        match self.code.threads[before.thread].domains[register].admit(value) {
            Ok(value) => {
                after.registers[register] = value;
                (None, after)
            }
            Err(fault) => (Some(fault), ThreadState { fault: Some(fault), ..before.clone() }),
        }
    }
}

/// What a change writes where it reads `read`: nothing at all if it blocks, no value if it only reads.
fn written(cells: Footprint, read: Value, change: Change) -> Option<Result<Option<Value>, Fault>> {
    let written = match change {
        Change::Exchange(value) => Ok(value),
        Change::Fetch(op, operand) => op.apply(read, operand),
        Change::CompareAndSwap { expected, .. } if expected != read => return Some(Ok(None)),
        Change::BlockingReadWrite { expected, .. } if expected != read => return None,
        Change::CompareAndSwap { new, .. } | Change::BlockingReadWrite { new, .. } => Ok(new),
    };
    Some(written.and_then(|value| cells.admit(value)).map(Some))
}
