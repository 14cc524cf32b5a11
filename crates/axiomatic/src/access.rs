//! The accesses to memory of a run: what `program::instruction` says, as reads and writes, with the fences
//! and orders that `program::mapping` compiles them to.

use std::ops::Range;

use program::mapping::{After, Compiled, CompiledUpdate, Updating};
use program::{Access, EdgeId, Expr, FenceKind, Footprint, Order, RegisterId, Update, Value};

use crate::event::{Effect, Origin};
use crate::flow::Flow;
use crate::readable::Seen;
use crate::relation::EventSet;
use crate::run::Partial;
use crate::step::{Stepper, Stop};
use crate::values::{Past, Whole, WriteSet};

/// Where an update takes place.
#[derive(Clone, Copy)]
struct Place {
    edge: EdgeId,
    cells: Footprint,
    address_flow: Flow,
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
    read: Range<usize>,
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
        let (cells, flow) = match self.access(next, address, access) {
            Ok(found) => found,
            Err(stop) => return vec![Err(stop)],
        };
        let (origin, compiled) = match (access.exclusive, self.target) {
            (true, None) => (Origin::Exclusive, Compiled::alone(access.order)),
            (true, Some(target)) => (Origin::Exclusive, target.load_exclusive(access.order)),
            (false, None) => (Origin::Ordinary, Compiled::alone(access.order)),
            (false, Some(target)) => (Origin::Ordinary, target.load(access.order)),
        };
        let place = Place { edge, cells, address_flow: flow };
        let with = |seen: Seen| {
            let mut next = next.clone();
            self.before(&mut next, edge, compiled.before)?;
            let read = self.read(&mut next, place, &seen, (compiled.order, origin))?;
            if access.exclusive {
                next.reservation = Some((read.start, cells));
            }
            let flow = Flow::read(read);
            if let Err(stop) = self.receive(&mut next, register, seen.value, flow) {
                return Err(stop.after(next));
            }
            self.after(&mut next, edge, compiled.after, flow)?;
            Ok(next)
        };
        self.readable(next, cells).into_iter().map(with).collect()
    }

    pub(crate) fn store(
        &self,
        mut next: Partial,
        edge: EdgeId,
        address: &Expr,
        value: &Expr,
        access: Access,
    ) -> Result<Partial, Stop> {
        let (cells, address_flow) = self.access(&next, address, access)?;
        let (value, data_flow) = self.evaluate(&next, value)?;
        let value = cells.admit(value)?;
        let compiled = match self.target {
            None => Compiled::alone(access.order),
            Some(target) => target.store(access.order),
        };
        self.before(&mut next, edge, compiled.before)?;
        let place = Place { edge, cells, address_flow };
        self.write(&mut next, place, (value, data_flow), (compiled.order, Origin::Ordinary))?;
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
        let (cells, address_flow) = self.access(&next, address, access)?;
        let (value, data_flow) = self.evaluate(&next, value)?;
        let value = cells.admit(value)?;
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
            Some((read, reserved)) if reserved.addresses().eq(cells.addresses()) => read,
            Some(_) | None => return Err(Stop::Blocked),
        };
        let place = Place { edge, cells, address_flow };
        let how = (compiled.order, Origin::Exclusive);
        let write = self.write(&mut next, place, (value, data_flow), how)?;
        next.pairs.extend((read..).zip(write.clone()));
        let success = Flow::success(write);
        self.receive(&mut next, status, 0, success)?;
        self.after(&mut next, edge, compiled.after, success)?;
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
        let (cells, address_flow) = match self.access(next, address, access) {
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
        let place = Place { edge, cells, address_flow };
        let with = |(read, handed): (&Seen, Handed)| {
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
                && let Err(stop) = self.receive(&mut next, register, read.value, updated.result)
            {
                // Then nothing is written.
                next.truncate(updated.read.end);
                return Err(stop.after(next));
            }
            let after = if updated.success { compiled.after } else { compiled.after_failure };
            self.after(&mut next, edge, after, Flow::read(updated.read.clone()))?;
            Ok(next)
        };
        let readable = self.readable(next, cells);
        let ways = readable.iter().flat_map(|read| {
            let handed = self.hands_on(next, update, result, compiled.updating, read.value);
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
        seen: &Seen,
        (Orders { order, failure }, origin): (Orders, Origin),
        handed: Handed,
    ) -> Result<Updated, Stop> {
        let old = seen.value;
        let read_order = if self.fails(next, update, old) { failure } else { order };
        let read = self.read(next, place, seen, (read_order, origin))?;
        let from_memory = Flow::read(read.clone());
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
            let new = place.cells.admit(new)?;
            if matches!(update, Update::Fetch { .. }) {
                let written = read.end..read.end + read.len();
                let all = written.flat_map(|write| read.clone().map(move |read| (read, write)));
                next.computed.extend(all);
            }
            let write = self.write(next, place, (new, data_flow), (order, origin))?;
            next.pairs.extend(read.clone().zip(write));
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
        seen: &Seen,
        (load, store): (Order, Order),
    ) -> Result<Updated, Stop> {
        let old = seen.value;
        let read = self.read(next, place, seen, (load, Origin::Exclusive))?;
        let from_memory = Flow::read(read.clone());
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
            let new = place.cells.admit(new)?;
            let write = self.write(next, place, (new, data_flow), (store, Origin::Exclusive))?;
            next.pairs.extend(read.clone().zip(write.clone()));
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

    /// Adds the reads of an access, one of each cell.
    fn read(
        &self,
        next: &mut Partial,
        Place { edge, cells, address_flow }: Place,
        seen: &Seen,
        (order, origin): (Order, Origin),
    ) -> Result<Range<usize>, Stop> {
        let first = next.events.len();
        for (address, (value, past)) in cells.addresses().zip(seen.parts()) {
            let event = self.event(edge, Effect::Read { address, value: *value }, order, origin);
            let read = next.push(event, address_flow, Flow::default(), *past)?;
            next.events[read].access = first;
        }
        Ok(first..next.events.len())
    }

    /// Adds the writes of an access, one of each cell. They come from what they depend on, and from
    /// themselves; not in a circle.
    fn write(
        &self,
        next: &mut Partial,
        Place { edge, cells, address_flow }: Place,
        (value, data): (Value, Flow),
        (order, origin): (Order, Origin),
    ) -> Result<Range<usize>, Stop> {
        let first = next.events.len();
        let times = next.times(edge);
        let itself = self.values.only(self.thread, edge, times);
        let whole = (cells.cells > 1).then(|| {
            let last = cells.addresses().last().unwrap_or(cells.address);
            Whole { edge, times, cells: (cells.address, last), value }
        });
        for (address, value) in cells.parts(value) {
            let number = next.events.len();
            let computed = next.computed.iter().filter(|(_, write)| *write == number);
            let computed: EventSet = computed.map(|(read, _)| *read).collect();
            let reads = computed | address_flow.picked | data.picked | next.control.picked;
            let sources = next.sources(reads);
            if !(sources & itself).is_empty() {
                next.circular.insert(number);
            }
            let before: WriteSet = next.before(address);
            let past = Past { sources: sources | itself, before: before | itself };
            let event = self.event(edge, Effect::Write { address, value }, order, origin);
            let write = next.push(event, address_flow, data, past)?;
            next.events[write].access = first;
        }
        next.wholes.extend(whole.map(|whole| (first, whole)));
        Ok(first..next.events.len())
    }
}
