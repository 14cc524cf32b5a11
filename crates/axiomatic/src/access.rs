//! The accesses to memory of a run: what `program::instruction` says, as reads and writes, with the fences
//! and orders that `program::mapping` compiles them to.

use std::ops::Range;

use program::mapping::{After, Compiled, CompiledUpdate, Updating};
use program::{
    Access, EdgeId, Expr, FenceKind, FetchOp, Footprint, Order, RegisterId, Update, Value,
};

use crate::event::{Effect, Origin};
use crate::flow::Flow;
use crate::log::Ask;
use crate::range::{AT_REST, Range as Bounds, is_at_rest, read_range};
use crate::run::Partial;
use crate::step::{Held, Stepper, Stop};

/// Where an update takes place.
#[derive(Clone, Copy)]
struct Place {
    edge: EdgeId,
    cells: Footprint,
    address_flow: Flow,
    /// Where what is read there lies.
    bounds: Bounds,
}

/// The orders of an update that is one instruction.
#[derive(Clone, Copy)]
struct Orders {
    order: Order,
    /// That of a comparison that fails.
    failure: Order,
}

/// What an update does.
struct Updated {
    read: Range<usize>,
    /// Its result, and where that comes from.
    result: (Held, Flow),
    /// What it writes, if it does, and where that comes from.
    written: Option<(Held, Flow)>,
    how: (Order, Origin),
}

impl Stepper<'_> {
    pub(crate) fn load(
        &self,
        next: &mut Partial,
        edge: EdgeId,
        register: RegisterId,
        address: &Expr,
        access: Access,
    ) -> Result<(), Stop> {
        let (cells, flow) = self.early_access(next, address, access)?;
        let (origin, compiled) = match (access.exclusive, self.target()) {
            (true, None) => (Origin::Exclusive, Compiled::alone(access.order)),
            (true, Some(target)) => (Origin::Exclusive, target.load_exclusive(access.order)),
            (false, None) => (Origin::Ordinary, Compiled::alone(access.order)),
            (false, Some(target)) => (Origin::Ordinary, target.load(access.order)),
        };
        let bounds = read_range(cells.cell.domain, access.width);
        let place = Place { edge, cells, address_flow: flow, bounds };
        self.before(next, edge, compiled.before)?;
        let (read, value) = self.read(next, &place, (compiled.order, origin))?;
        if access.exclusive {
            next.reservation = Some((read.start, cells));
        }
        let flow = Flow::read(read);
        self.receive(next, register, value, flow)?;
        self.after(next, edge, compiled.after, flow)
    }

    pub(crate) fn store(
        &self,
        next: &mut Partial,
        edge: EdgeId,
        address: &Expr,
        value: &Expr,
        access: Access,
    ) -> Result<(), Stop> {
        let (cells, address_flow) = self.early_access(next, address, access)?;
        let (value, data_flow) = self.evaluate(next, value, Ask::Evaluates(0))?;
        let value = self.admit(next, cells, value)?;
        let compiled = match self.target() {
            None => Compiled::alone(access.order),
            Some(target) => target.store(access.order),
        };
        self.before(next, edge, compiled.before)?;
        let bounds = read_range(cells.cell.domain, access.width);
        let place = Place { edge, cells, address_flow, bounds };
        self.write(next, &place, (value, data_flow), (compiled.order, Origin::Ordinary))?;
        self.after(next, edge, compiled.after, Flow::default())
    }

    pub(crate) fn store_exclusive(
        &self,
        next: &mut Partial,
        edge: EdgeId,
        status: RegisterId,
        (address, value, access): (&Expr, &Expr, Access),
    ) -> Result<(), Stop> {
        let (cells, address_flow) = self.access(next, address, access)?;
        let (value, data_flow) = self.evaluate(next, value, Ask::Evaluates(0))?;
        let value = self.admit(next, cells, value)?;
        let is_reserved =
            |(_, reserved): &(usize, Footprint)| reserved.addresses().eq(cells.addresses());
        let read = next.reservation.filter(is_reserved).map(|(read, _)| read);
        let succeeds = match read {
            Some(_) => self.choose(next, Ask::Succeeds, || vec![1, 0])? != 0,
            None => false,
        };
        next.reservation = None;
        let compiled = match self.target() {
            None => Compiled::alone(access.order),
            Some(target) => target.store_exclusive(access.order),
        };
        self.before(next, edge, compiled.before)?;
        let Some(read) = read.filter(|_| succeeds) else {
            let effect = Effect::FailedExclusive;
            let event = self.event(edge, effect, compiled.order, Origin::Exclusive);
            next.push(event, true, address_flow, data_flow)?;
            return self.receive(next, status, Held::known(1), Flow::default());
        };
        let bounds = read_range(cells.cell.domain, access.width);
        let place = Place { edge, cells, address_flow, bounds };
        let how = (compiled.order, Origin::Exclusive);
        let write = self.write(next, &place, (value, data_flow), how)?;
        next.pairs.extend((read..).zip(write.clone()));
        let success = Flow::success(write);
        self.receive(next, status, Held::known(0), success)?;
        self.after(next, edge, compiled.after, success)
    }

    pub(crate) fn update(
        &self,
        next: &mut Partial,
        edge: EdgeId,
        result: Option<RegisterId>,
        address: &Expr,
        update: &Update,
        access: Access,
    ) -> Result<(), Stop> {
        let (cells, address_flow) = self.access(next, address, access)?;
        let compiled = match self.target() {
            None => CompiledUpdate {
                before: None,
                updating: Updating::Instruction(access.order),
                after: After::Nothing,
                after_failure: After::Nothing,
            },
            Some(target) => target.update(access, update),
        };
        let bounds = read_range(cells.cell.domain, access.width);
        let place = Place { edge, cells, address_flow, bounds };
        self.before(next, edge, compiled.before)?;
        let updated = match compiled.updating {
            Updating::Instruction(order) => {
                // An instruction of a machine has one order, and the language two.
                let failure = match self.target() {
                    None => access.failure.unwrap_or(order),
                    Some(_) => order,
                };
                let orders = Orders { order, failure };
                // Compilers keep what an update reads in a register where that matters.
                let keeps_result = result.is_some() || self.target().is_some();
                let origin = Origin::Update { keeps_result };
                self.one_instruction(next, &place, update, (orders, origin), result.is_some())?
            }
            Updating::Loop { load, store } => {
                self.exclusives(next, &place, update, (load, store))?
            }
        };
        let Updated { read, result: (old, flow), written, how } = updated;
        let written = match written {
            None => None,
            Some((value, flow)) => Some((self.admit(next, cells, value)?, flow)),
        };
        // If that fails, nothing is written.
        if let Some(register) = result {
            self.receive(next, register, old, flow)?;
        }
        let after = if written.is_some() { compiled.after } else { compiled.after_failure };
        if let Some(data) = written {
            let write = self.write(next, &place, data, how)?;
            next.pairs.extend(read.clone().zip(write.clone()));
            match compiled.updating {
                Updating::Instruction(_) if matches!(update, Update::Fetch { .. }) => {
                    let all = write.flat_map(|write| read.clone().map(move |read| (read, write)));
                    next.computed.extend(all);
                }
                Updating::Instruction(_) => {}
                // The test whether the store succeeded is a branch.
                Updating::Loop { .. } => next.control = next.control.and(Flow::success(write)),
            }
        }
        self.after(next, edge, after, Flow::read(read))
    }

    /// An update that is one instruction. A comparison picks what is written.
    fn one_instruction(
        &self,
        next: &mut Partial,
        place: &Place,
        update: &Update,
        (Orders { order, failure }, origin): (Orders, Origin),
        keeps_result: bool,
    ) -> Result<Updated, Stop> {
        let compares = self.compares(next, update, self.held(next, place));
        let compares =
            compares.or_else(|| self.log.get(next.steps, Ask::Compares).map(|it| it != 0));
        let read_order = match compares {
            _ if order == failure || !matches!(update, Update::CompareAndSwap { .. }) => order,
            Some(true) => order,
            Some(false) => failure,
            // Which of the two it is will be seen; until then neither is relied on.
            None => {
                next.provisional = true;
                Order::Relaxed
            }
        };
        let (read, old) = self.read(next, place, (read_order, origin))?;
        let from_memory = Flow::read(read.clone());
        let how = (order, origin);
        let unconditional = |written: (Held, Flow)| Updated {
            read: read.clone(),
            result: (old, from_memory),
            written: Some(written),
            how,
        };
        match update {
            Update::Exchange(new) => {
                let new = self.evaluate(next, new, Ask::Evaluates(0))?;
                Ok(unconditional(new))
            }
            Update::Fetch { op, operand } => {
                let (operand, flow) = self.evaluate(next, operand, Ask::Evaluates(0))?;
                let new = self.fetched(next, *op, old, operand)?;
                Ok(unconditional((new, flow)))
            }
            Update::CompareAndSwap { expected, new } => {
                let (expected, expected_flow) = self.evaluate(next, expected, Ask::Evaluates(0))?;
                let (new, flow) = self.evaluate(next, new, Ask::Evaluates(1))?;
                let known = old.value.zip(expected.value).map(|(old, expected)| old == expected);
                let succeeds = self.promised(next, Ask::Compares, known)?;
                let picks = expected_flow.and(from_memory);
                if !succeeds {
                    let result = (old, from_memory);
                    return Ok(Updated { read, result, written: None, how });
                }
                // A comparison that succeeds may hand on either of two equal values, and the Arm
                // architecture lets an implementation do either: write what it read, or leave what was
                // expected where it was (`CAS`: there is no data dependency from memory to `Rs` that could
                // be relied on). Where what was expected depends on nothing, handing it on forbids less.
                let depends = !expected_flow.picked.is_empty() || !expected_flow.success.is_empty();
                let hands_on_expected = keeps_result
                    && (!depends || self.choose(next, Ask::HandsOnExpected, || vec![1, 0])? != 0);
                let result_flow =
                    if hands_on_expected { expected_flow.picked_by(picks) } else { from_memory };
                let result = if old.value.is_some() { old } else { expected };
                let written = Some((new, flow.picked_by(picks)));
                Ok(Updated { read, result: (result, result_flow), written, how })
            }
            Update::BlockingReadWrite { expected, new } => {
                let (_, expected_flow) = self.needed(next, expected)?;
                let (new, flow) = self.evaluate(next, new, Ask::Evaluates(1))?;
                self.waited_for(next, update, old, from_memory)?;
                let picks = expected_flow.and(from_memory);
                next.control = next.control.and(picks);
                Ok(unconditional((new, flow.picked_by(picks))))
            }
        }
    }

    /// The last round of an update that is a loop of an exclusive load and an exclusive store: its
    /// read, and what becomes of it. A comparison is a branch, and so is the test whether the store
    /// succeeded. The rounds before, in which it failed, write nothing and leave nothing behind but
    /// their reads of the same cell; leaving these out leaves out no final state.
    fn exclusives(
        &self,
        next: &mut Partial,
        place: &Place,
        update: &Update,
        (load, store): (Order, Order),
    ) -> Result<Updated, Stop> {
        let (read, old) = self.read(next, place, (load, Origin::Exclusive))?;
        let from_memory = Flow::read(read.clone());
        let branch = |next: &mut Partial, expected: &Expr| -> Result<bool, Stop> {
            let (expected, flow) = self.needed(next, expected)?;
            let old = old.value.ok_or(Stop::Blocked(from_memory.picked))?;
            next.control = next.control.and(flow).and(from_memory);
            Ok(old == expected)
        };
        let written = match update {
            Update::Exchange(new) => Some(self.evaluate(next, new, Ask::Evaluates(0))?),
            Update::Fetch { op, operand } => {
                let (operand, flow) = self.evaluate(next, operand, Ask::Evaluates(0))?;
                Some((self.fetched(next, *op, old, operand)?, flow.and(from_memory)))
            }
            Update::CompareAndSwap { expected, new } => {
                if branch(next, expected)? {
                    Some(self.evaluate(next, new, Ask::Evaluates(1))?)
                } else {
                    None
                }
            }
            Update::BlockingReadWrite { expected, new } => {
                let _ = branch(next, expected)?;
                self.waited_for(next, update, old, from_memory)?;
                Some(self.evaluate(next, new, Ask::Evaluates(1))?)
            }
        };
        let how = (store, Origin::Exclusive);
        Ok(Updated { read, result: (old, from_memory), written, how })
    }

    /// Whether an update that reads a value finds what it compares it with, as far as that is known.
    fn compares(&self, next: &Partial, update: &Update, old: Held) -> Option<bool> {
        let (Update::CompareAndSwap { expected, .. } | Update::BlockingReadWrite { expected, .. }) =
            update
        else {
            return Some(true);
        };
        match self.needed(next, expected) {
            Ok((expected, _)) => old.value.map(|old| old == expected),
            Err(Stop::Blocked(_)) => None,
            // Then it makes no difference.
            Err(_) => Some(true),
        }
    }

    /// An update that waits for a value, and does not wait any longer, has read it.
    fn waited_for(
        &self,
        next: &Partial,
        update: &Update,
        old: Held,
        from_memory: Flow,
    ) -> Result<(), Stop> {
        match self.compares(next, update, old) {
            Some(true) => Ok(()),
            Some(false) => Err(Stop::Impossible),
            None => Err(Stop::Blocked(from_memory.picked)),
        }
    }

    /// What a fetch-and-op writes.
    fn fetched(&self, at: &Partial, op: FetchOp, old: Held, operand: Held) -> Result<Held, Stop> {
        const COMPUTES: Ask = Ask::Evaluates(2);
        match (old.value, operand.value) {
            (Some(old), Some(operand)) => {
                let new = self.possible(at, COMPUTES, Some(op.apply(old, operand)))?;
                Ok(Held::known(new.unwrap_or_default()))
            }
            // Values at rest are far from the bounds of values.
            (_, _) if is_at_rest(operand.range) && is_at_rest(old.range) => {
                let _ = self.promised(at, COMPUTES, Some(true))?;
                let room = 2 * (AT_REST.1 + 1);
                Ok(Held { value: None, range: (-room, room) })
            }
            (_, _) => {
                let _: Option<()> = self.possible(at, COMPUTES, None)?;
                Ok(Held { value: None, range: (Value::MIN, Value::MAX) })
            }
        }
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
        next.push(event, true, Flow::default(), Flow::default()).map(|_| ())
    }

    /// What an access of these cells that comes next reads, as far as that is known.
    fn held(&self, next: &Partial, Place { cells, bounds, .. }: &Place) -> Held {
        let first = next.events.len();
        let parts: Option<Vec<Value>> = (first..first + usize::from(cells.cells))
            .map(|event| self.given.get(event).copied().flatten())
            .collect();
        parts.map_or(Held { value: None, range: *bounds }, |parts| Held::known(cells.joined(parts)))
    }

    /// Adds the reads of an access, one of each cell.
    fn read(
        &self,
        next: &mut Partial,
        place: &Place,
        (order, origin): (Order, Origin),
    ) -> Result<(Range<usize>, Held), Stop> {
        let held = self.held(next, place);
        let Place { edge, cells, address_flow, .. } = *place;
        let first = next.events.len();
        for address in cells.addresses() {
            let given = self.given.get(next.events.len()).copied().flatten();
            let effect = Effect::Read { address, value: given.unwrap_or_default() };
            let event = self.event(edge, effect, order, origin);
            let read = next.push(event, given.is_some(), address_flow, Flow::default())?;
            next.events[read].access = first;
        }
        Ok((first..next.events.len(), held))
    }

    /// Adds the writes of an access, one of each cell.
    fn write(
        &self,
        next: &mut Partial,
        Place { edge, cells, address_flow, .. }: &Place,
        (held, data): (Held, Flow),
        (order, origin): (Order, Origin),
    ) -> Result<Range<usize>, Stop> {
        let first = next.events.len();
        for (address, value) in cells.parts(held.value.unwrap_or_default()) {
            let event = self.event(*edge, Effect::Write { address, value }, order, origin);
            let write = next.push(event, held.value.is_some(), *address_flow, data)?;
            next.events[write].access = first;
        }
        Ok(first..next.events.len())
    }
}
