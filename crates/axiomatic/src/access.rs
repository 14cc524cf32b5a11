//! The accesses to memory of a run: what `program::instruction` says, as reads and writes, with the fences
//! and orders that `program::mapping` compiles them to.

use std::collections::BTreeMap;

use program::mapping::{After, Compiled, CompiledUpdate, Updating};
use program::{Access, Cell, EdgeId, Expr, FenceKind, Order, RegisterId, Update, Value};

use crate::event::{Effect, Event, Origin};
use crate::flow::Flow;
use crate::relation::EventSet;
use crate::run::Partial;
use crate::step::{Stepper, Stop};
use crate::values::{Past, WriteSet};

/// Where an update takes place.
#[derive(Clone, Copy)]
struct Place {
    edge: EdgeId,
    address: Value,
    address_flow: Flow,
    cell: Cell,
}

/// What a comparison that succeeds hands on as its result. The two are equal, and the Arm architecture lets
/// an implementation do either: write what it read, or leave what was expected where it was (`CAS`: there is
/// no data dependency from memory to `Rs` that could be relied on).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handed {
    Read,
    Expected,
}

/// The orders of an update that is one instruction.
#[derive(Clone, Copy)]
struct Orders {
    order: Order,
    /// That of a comparison that fails.
    failure: Order,
}

/// What became of an update.
struct Updated {
    read: usize,
    /// Where its result comes from.
    result: Flow,
    /// Whether it wrote.
    success: bool,
}

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
        let (origin, compiled) = match (access.exclusive, self.target) {
            (true, None) => (Origin::Exclusive, Compiled::alone(access.order)),
            (true, Some(target)) => (Origin::Exclusive, target.load_exclusive(access.order)),
            (false, None) => (Origin::Ordinary, Compiled::alone(access.order)),
            (false, Some(target)) => (Origin::Ordinary, target.load(access.order)),
        };
        let with = |(value, past)| {
            let mut next = next.clone();
            self.before(&mut next, edge, compiled.before)?;
            let event = self.event(edge, Effect::Read { address, value }, compiled.order, origin);
            let read = next.push(event, flow, Flow::default(), past)?;
            if access.exclusive {
                next.reservation = Some((read, address));
            }
            if let Err(stop) = self.receive(&mut next, register, value, Flow::read(read)) {
                return Err(stop.after(next));
            }
            self.after(&mut next, edge, compiled.after, Flow::read(read))?;
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
        let compiled = match self.target {
            None => Compiled::alone(access.order),
            Some(target) => target.store(access.order),
        };
        self.before(&mut next, edge, compiled.before)?;
        let event = self.event(edge, effect, compiled.order, Origin::Ordinary);
        self.write(&mut next, event, address_flow, data_flow)?;
        self.after(&mut next, edge, compiled.after, Flow::default())?;
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
        let compiled = match self.target {
            None => Compiled::alone(access.order),
            Some(target) => target.store_exclusive(access.order),
        };
        self.before(&mut next, edge, compiled.before)?;
        if !succeeds {
            let effect = Effect::FailedExclusive;
            let event = self.event(edge, effect, compiled.order, Origin::Exclusive);
            next.push(event, address_flow, data_flow, Past::default())?;
            self.receive(&mut next, status, 1, Flow::default())?;
            return Ok(next);
        }
        let read = match reserved {
            Some((read, reserved)) if reserved == address => read,
            Some(_) | None => return Err(Stop::Blocked),
        };
        let effect = Effect::Write { address, value };
        let event = self.event(edge, effect, compiled.order, Origin::Exclusive);
        let write = self.write(&mut next, event, address_flow, data_flow)?;
        next.pairs.push((read, write));
        self.receive(&mut next, status, 0, Flow::success(write))?;
        self.after(&mut next, edge, compiled.after, Flow::success(write))?;
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
        let compiled = match self.target {
            None => CompiledUpdate {
                before: None,
                updating: Updating::Instruction(access.order),
                after: After::Nothing,
                after_failure: After::Nothing,
            },
            Some(target) => target.update(access, update),
        };
        let place = Place { edge, address, address_flow, cell };
        let with = |(read, handed): ((Value, Past), Handed)| {
            let mut next = next.clone();
            self.before(&mut next, edge, compiled.before)?;
            let updated = match compiled.updating {
                Updating::Instruction(order) => {
                    // An instruction of a machine has one order, and the language two.
                    let failure = match self.target {
                        None => access.failure.unwrap_or(order),
                        Some(_) => order,
                    };
                    let orders = Orders { order, failure };
                    // Compilers keep what an update reads in a register where that matters.
                    let keeps_result = result.is_some() || self.target.is_some();
                    let origin = Origin::Update { keeps_result };
                    self.one_instruction(&mut next, place, update, read, (orders, origin), handed)
                }
                Updating::Loop { load, store } => {
                    self.exclusives(&mut next, place, update, read, (load, store))
                }
            };
            let updated = match updated {
                Ok(updated) => updated,
                Err(stop) => return Err(stop.after(next)),
            };
            if let Some(register) = result
                && let Err(stop) = self.receive(&mut next, register, read.0, updated.result)
            {
                // Then nothing is written.
                next.truncate(updated.read + 1);
                return Err(stop.after(next));
            }
            let after = if updated.success { compiled.after } else { compiled.after_failure };
            self.after(&mut next, edge, after, Flow::read(updated.read))?;
            Ok(next)
        };
        let readable = self.readable(next, address, cell).into_iter();
        let ways = readable.flat_map(|read| {
            let handed = self.hands_on(next, update, result, compiled.updating, read.0);
            handed.iter().map(move |handed| (read, *handed))
        });
        ways.map(with).collect()
    }

    /// What the result of an update may depend on, in the cases that differ.
    fn hands_on(
        &self,
        next: &Partial,
        update: &Update,
        result: Option<RegisterId>,
        updating: Updating,
        old: Value,
    ) -> &'static [Handed] {
        let expected = match (update, updating) {
            (Update::CompareAndSwap { expected, .. }, Updating::Instruction(_)) => expected,
            (
                Update::CompareAndSwap { .. }
                | Update::Exchange(_)
                | Update::Fetch { .. }
                | Update::BlockingReadWrite { .. },
                _,
            ) => return &[Handed::Read],
        };
        match self.evaluate(next, expected) {
            Ok((value, flow)) if value == old && result.is_some() => {
                // Where the expected value depends on nothing, handing it on forbids less.
                let depends = !flow.picked.is_empty() || !flow.success.is_empty();
                if depends { &[Handed::Expected, Handed::Read] } else { &[Handed::Expected] }
            }
            Ok(_) | Err(_) => &[Handed::Read],
        }
    }

    /// Whether an update that reads a value is a comparison that fails.
    fn fails(&self, next: &Partial, update: &Update, old: Value) -> bool {
        match update {
            Update::CompareAndSwap { expected, .. } => {
                self.evaluate(next, expected).is_ok_and(|(expected, _)| expected != old)
            }
            Update::Exchange(_) | Update::Fetch { .. } | Update::BlockingReadWrite { .. } => false,
        }
    }

    /// An update that is one instruction. A comparison picks what is written.
    fn one_instruction(
        &self,
        next: &mut Partial,
        place: Place,
        update: &Update,
        (old, past): (Value, Past),
        (Orders { order, failure }, origin): (Orders, Origin),
        handed: Handed,
    ) -> Result<Updated, Stop> {
        let Place { edge, address, address_flow, cell } = place;
        let read_order = if self.fails(next, update, old) { failure } else { order };
        let event = self.event(edge, Effect::Read { address, value: old }, read_order, origin);
        let read = next.push(event, address_flow, Flow::default(), past)?;
        let from_memory = Flow::read(read);
        let (new, data_flow, result) = match update {
            Update::Exchange(new) => {
                let (new, flow) = self.evaluate(next, new)?;
                (Some(new), flow, from_memory)
            }
            Update::Fetch { op, operand } => {
                let (operand, flow) = self.evaluate(next, operand)?;
                (Some(op.apply(old, operand)?), flow, from_memory)
            }
            Update::CompareAndSwap { expected, new } => {
                let (expected, expected_flow) = self.evaluate(next, expected)?;
                let (new, flow) = self.evaluate(next, new)?;
                let picks = expected_flow.and(from_memory);
                let result = match handed {
                    Handed::Read => from_memory,
                    Handed::Expected => expected_flow.picked_by(picks),
                };
                ((old == expected).then_some(new), flow.picked_by(picks), result)
            }
            Update::BlockingReadWrite { expected, new } => {
                let (expected, expected_flow) = self.evaluate(next, expected)?;
                let (new, flow) = self.evaluate(next, new)?;
                if old != expected {
                    return Err(Stop::Blocked);
                }
                let picks = expected_flow.and(from_memory);
                next.control = next.control.and(picks);
                (Some(new), flow.picked_by(picks), from_memory)
            }
        };
        if let Some(new) = new {
            let effect = Effect::Write { address, value: cell.domain.admit(new)? };
            let event = self.event(edge, effect, order, origin);
            if matches!(update, Update::Fetch { .. }) {
                next.computed.push((read, read + 1));
            }
            let write = self.write(next, event, address_flow, data_flow)?;
            next.pairs.push((read, write));
        }
        Ok(Updated { read, result, success: new.is_some() })
    }

    /// The last round of an update that is a loop of an exclusive load and an exclusive store: its
    /// read, and what became of it. A comparison is a branch, and so is the test whether the store
    /// succeeded. The rounds before, in which it failed, write nothing and leave nothing behind but
    /// their reads of the same cell; leaving these out leaves out no final state.
    fn exclusives(
        &self,
        next: &mut Partial,
        place: Place,
        update: &Update,
        (old, past): (Value, Past),
        (load, store): (Order, Order),
    ) -> Result<Updated, Stop> {
        let Place { edge, address, address_flow, cell } = place;
        let effect = Effect::Read { address, value: old };
        let event = self.event(edge, effect, load, Origin::Exclusive);
        let read = next.push(event, address_flow, Flow::default(), past)?;
        let from_memory = Flow::read(read);
        let branch = |next: &mut Partial, expected: &Expr| -> Result<bool, Stop> {
            let (expected, flow) = self.evaluate(next, expected)?;
            next.control = next.control.and(flow).and(from_memory);
            Ok(old == expected)
        };
        let written = match update {
            Update::Exchange(new) => Some(self.evaluate(next, new)?),
            Update::Fetch { op, operand } => {
                let (operand, flow) = self.evaluate(next, operand)?;
                Some((op.apply(old, operand)?, flow.and(from_memory)))
            }
            Update::CompareAndSwap { expected, new } => {
                if branch(next, expected)? {
                    Some(self.evaluate(next, new)?)
                } else {
                    None
                }
            }
            Update::BlockingReadWrite { expected, new } => {
                if !branch(next, expected)? {
                    return Err(Stop::Blocked);
                }
                Some(self.evaluate(next, new)?)
            }
        };
        if let Some((new, data_flow)) = written {
            let effect = Effect::Write { address, value: cell.domain.admit(new)? };
            let event = self.event(edge, effect, store, Origin::Exclusive);
            let write = self.write(next, event, address_flow, data_flow)?;
            next.pairs.push((read, write));
            next.control = next.control.and(Flow::success(write));
        }
        Ok(Updated { read, result: from_memory, success: written.is_some() })
    }

    /// The fence that is compiled before an access.
    fn before(
        &self,
        next: &mut Partial,
        edge: EdgeId,
        fence: Option<FenceKind>,
    ) -> Result<(), Stop> {
        match fence {
            None => Ok(()),
            Some(kind) => self.fence(next, edge, kind),
        }
    }

    /// What is compiled after an access, which a branch depends on in this way.
    fn after(
        &self,
        next: &mut Partial,
        edge: EdgeId,
        after: After,
        tested: Flow,
    ) -> Result<(), Stop> {
        match after {
            After::Nothing => Ok(()),
            After::Fence(kind) => self.fence(next, edge, kind),
            After::Branch => {
                next.control = next.control.and(tested);
                self.fence(next, edge, FenceKind::Control)
            }
        }
    }

    /// Adds a fence.
    pub(crate) fn fence(
        &self,
        next: &mut Partial,
        edge: EdgeId,
        kind: FenceKind,
    ) -> Result<(), Stop> {
        let event = self.event(edge, Effect::Fence(kind), Order::Plain, Origin::Ordinary);
        next.push(event, Flow::default(), Flow::default(), Past::default()).map(|_| ())
    }

    /// Adds a write. It comes from what it depends on, and from itself; not in a circle.
    fn write(
        &self,
        next: &mut Partial,
        event: Event,
        address: Flow,
        data: Flow,
    ) -> Result<usize, Stop> {
        let number = next.events.len();
        let computed = next.computed.iter().filter(|(_, write)| *write == number);
        let computed: EventSet = computed.map(|(read, _)| *read).collect();
        let reads = computed | address.picked | data.picked | next.control.picked;
        let sources = next.sources(reads);
        let itself = match event.edge {
            None => WriteSet::EMPTY,
            Some(edge) => self.values.only(self.thread, edge, next.times(edge)),
        };
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
        let to_come = self.values.of(self.thread) - next.done;
        self.values.at(address, self.thread, alone, to_come)
    }
}
