//! The accesses to memory of a run: what `program::instruction` says, as reads and writes.

use std::collections::BTreeMap;

use program::{Access, Cell, EdgeId, Expr, RegisterId, Update, Value};

use crate::event::{Effect, Event, Origin};
use crate::flow::Flow;
use crate::limits::NoAnswer;
use crate::relation::EventSet;
use crate::run::Partial;
use crate::step::{Stepper, Stop};
use crate::values::{Past, WriteSet};

impl Stepper<'_> {
    pub(crate) fn load(
        &self,
        next: &Partial,
        edge: EdgeId,
        register: RegisterId,
        address: &Expr,
        access: Access,
    ) -> Vec<Result<Partial, Stop>> {
        let (address, cell, flow) = match self.access(next, address, access) {
            Ok(found) => found,
            Err(stop) => return vec![Err(stop)],
        };
        let origin = if access.exclusive { Origin::Exclusive } else { Origin::Ordinary };
        let with = |(value, past)| {
            let mut next = next.clone();
            let event = self.event(edge, Effect::Read { address, value }, access.order, origin);
            let read = next.push(event, flow, Flow::default(), past)?;
            if access.exclusive {
                next.reservation = Some((read, address));
            }
            self.receive(&mut next, register, value, Flow::read(read))?;
            Ok(next)
        };
        self.readable(next, address, cell).into_iter().map(with).collect()
    }

    pub(crate) fn store(
        &self,
        mut next: Partial,
        edge: EdgeId,
        address: &Expr,
        value: &Expr,
        access: Access,
    ) -> Result<Partial, Stop> {
        let (address, cell, address_flow) = self.access(&next, address, access)?;
        let (value, data_flow) = self.evaluate(&next, value)?;
        let effect = Effect::Write { address, value: cell.domain.admit(value)? };
        let event = self.event(edge, effect, access.order, Origin::Ordinary);
        self.write(&mut next, event, address_flow, data_flow)?;
        Ok(next)
    }

    pub(crate) fn store_exclusive(
        &self,
        mut next: Partial,
        edge: EdgeId,
        status: RegisterId,
        (address, value, access): (&Expr, &Expr, Access),
        succeeds: bool,
    ) -> Result<Partial, Stop> {
        let (address, cell, address_flow) = self.access(&next, address, access)?;
        let (value, data_flow) = self.evaluate(&next, value)?;
        let value = cell.domain.admit(value)?;
        let reserved = next.reservation.take();
        if !succeeds {
            let event = self.event(edge, Effect::FailedExclusive, access.order, Origin::Exclusive);
            next.push(event, address_flow, data_flow, Past::default())?;
            self.receive(&mut next, status, 1, Flow::default())?;
            return Ok(next);
        }
        let read = match reserved {
            Some((read, reserved)) if reserved == address => read,
            Some(_) | None => return Err(Stop::Blocked),
        };
        let effect = Effect::Write { address, value };
        let event = self.event(edge, effect, access.order, Origin::Exclusive);
        let write = self.write(&mut next, event, address_flow, data_flow)?;
        next.pairs.push((read, write));
        self.receive(&mut next, status, 0, Flow::success(write))?;
        Ok(next)
    }

    pub(crate) fn update(
        &self,
        next: &Partial,
        edge: EdgeId,
        result: Option<RegisterId>,
        address: &Expr,
        update: &Update,
        access: Access,
    ) -> Vec<Result<Partial, Stop>> {
        let (address, cell, address_flow) = match self.access(next, address, access) {
            Ok(found) => found,
            Err(stop) => return vec![Err(stop)],
        };
        let origin = Origin::Update { keeps_result: result.is_some() };
        let with = |(old, past): (Value, Past)| {
            let mut next = next.clone();
            let effect = Effect::Read { address, value: old };
            let event = self.event(edge, effect, access.order, origin);
            let read = next.push(event, address_flow, Flow::default(), past)?;
            let (new, data_flow) = match update {
                Update::Exchange(new) => {
                    let (new, flow) = self.evaluate(&next, new)?;
                    (Some(new), flow)
                }
                Update::Fetch { op, operand } => {
                    let (operand, flow) = self.evaluate(&next, operand)?;
                    (Some(op.apply(old, operand)?), flow)
                }
                Update::CompareAndSwap { expected, new } => {
                    let (expected, picks) = self.evaluate(&next, expected)?;
                    let (new, flow) = self.evaluate(&next, new)?;
                    let picks = picks.and(Flow::read(read));
                    ((old == expected).then_some(new), flow.picked_by(picks))
                }
                Update::BlockingReadWrite { expected, new } => {
                    let (expected, waits_for) = self.evaluate(&next, expected)?;
                    let (new, flow) = self.evaluate(&next, new)?;
                    if old != expected {
                        return Err(Stop::Blocked);
                    }
                    let picks = waits_for.and(Flow::read(read));
                    next.control = next.control.and(picks);
                    (Some(new), flow.picked_by(picks))
                }
            };
            if let Some(new) = new {
                let effect = Effect::Write { address, value: cell.domain.admit(new)? };
                let event = self.event(edge, effect, access.order, origin);
                if matches!(update, Update::Fetch { .. }) {
                    next.computed.push((read, read + 1));
                }
                let write = self.write(&mut next, event, address_flow, data_flow)?;
                next.pairs.push((read, write));
            }
            if let Some(register) = result {
                self.receive(&mut next, register, old, Flow::read(read))?;
            }
            Ok(next)
        };
        self.readable(next, address, cell).into_iter().map(with).collect()
    }

    /// Adds a write. It comes from what it depends on, and from itself; not in a circle.
    fn write(
        &self,
        next: &mut Partial,
        event: Event,
        address: Flow,
        data: Flow,
    ) -> Result<usize, NoAnswer> {
        let number = next.events.len();
        let computed = next.computed.iter().filter(|(_, write)| *write == number);
        let computed: EventSet = computed.map(|(read, _)| *read).collect();
        let reads = computed | address.picked | data.picked | next.control.picked;
        let sources = next.sources(reads);
        let itself = event.edge.map_or(WriteSet::EMPTY, |edge| self.values.only(self.thread, edge));
        if !(sources & itself).is_empty() {
            next.circular.insert(number);
        }
        let before = event.written().map_or(WriteSet::EMPTY, |(cell, _)| next.before(cell));
        let past = Past { sources: sources | itself, before: before | itself };
        next.push(event, address, data, past)
    }

    /// The values that a read can return, each with what it necessarily has to do with.
    fn readable(&self, next: &Partial, address: Value, cell: Cell) -> BTreeMap<Value, Past> {
        let own = next.events.iter().rev().filter_map(|local| {
            let (to, value) = local.event.written()?;
            (to == address).then_some((value, local.past))
        });
        let alone = own.into_iter().next().unwrap_or((cell.initial, Past::default()));
        self.values.at(address, self.thread, alone, self.to_come(next))
    }
}
