//! What each instruction does when nothing is in its way: rules 1, 2, 3, 6 and 7 of Table 1 of the
//! ESOP'13 paper, and the locked instructions. Waiting for the buffer and for the memory lock is
//! over when this code is reached ([`crate::step`]).
//!
//! An instruction finds the cell it accesses, evaluates its operands, reads memory, and puts the
//! results where they belong; the domain of the register or cell that is to hold a value may wrap
//! it or refuse it. The first fault on this way counts. Nothing is written unless all goes well.

use program::{
    Access, Expr, Fault, Footprint, Instruction, Order, RegisterId, Template, ThreadId, Update,
    Value,
};

use crate::action::{Action, Choice, Model, NotEnabled};
use crate::machine::Machine;
use crate::state::{State, ThreadState};

/// What an instruction does: it completes, or it faults after these actions (a read).
pub(crate) enum Outcome {
    Done { actions: Vec<Action>, register: Option<(RegisterId, Value)>, reservation: Vec<Value> },
    Fault { after: Vec<Action>, fault: Fault },
}

/// Why an instruction does not complete before it has done anything.
pub(crate) enum Stuck {
    Blocked(NotEnabled),
    Fault(Fault),
}

impl From<NotEnabled> for Stuck {
    fn from(why: NotEnabled) -> Self {
        Self::Blocked(why)
    }
}

impl From<Fault> for Stuck {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The execution of an instruction by `thread`, whose state is `local`.
#[derive(Clone, Copy)]
pub(crate) struct Executor<'a> {
    pub(crate) machine: &'a Machine<'a>,
    pub(crate) state: &'a State,
    pub(crate) thread: ThreadId,
    pub(crate) local: &'a ThreadState,
    pub(crate) choice: Choice,
}

impl Executor<'_> {
    pub(crate) fn instruction(self, instruction: &Instruction) -> Result<Outcome, Stuck> {
        match instruction {
            Instruction::Skip => Ok(self.done(Action::Local, None)),
            // Rule 6.
            Instruction::Assign { register, value } => {
                let written = self.receive(*register, self.evaluate(value)?)?;
                Ok(self.done(Action::Local, Some(written)))
            }
            Instruction::Choose { register, .. } => {
                let Choice::Value(value) = self.choice else {
                    return Err(NotEnabled::ChoiceDoesNotFit.into());
                };
                let written = self.receive(*register, value)?;
                Ok(self.done(Action::Local, Some(written)))
            }
            // Rule 7.
            Instruction::Assume(condition) => match self.evaluate(condition)? {
                0 => Err(NotEnabled::AssumptionFalse.into()),
                _ => Ok(self.done(Action::Local, None)),
            },
            Instruction::Assert(condition) => match self.evaluate(condition)? {
                0 => Err(Fault::AssertionFailed.into()),
                _ => Ok(self.done(Action::Local, None)),
            },
            Instruction::Load { register, address, access } => {
                self.load(*register, address, *access)
            }
            Instruction::Store { address, value, access } => self.store(address, value, *access),
            Instruction::StoreExclusive { status, address, value, access } => {
                self.store_exclusive(*status, address, value, *access)
            }
            Instruction::Update { result, address, update, access } => {
                self.update(*result, address, update, *access)
            }
            // Rule 5: the wait is over.
            Instruction::Fence(kind) => Ok(self.done(Action::Fence(*kind), None)),
            Instruction::Lock if self.holds_lock() => Err(Fault::LockHeld.into()),
            Instruction::Lock => Ok(self.done(Action::Lock, None)),
            Instruction::Unlock if self.holds_lock() => Ok(self.done(Action::Unlock, None)),
            Instruction::Unlock => Err(Fault::LockNotHeld.into()),
        }
    }

    fn load(self, register: RegisterId, address: &Expr, access: Access) -> Result<Outcome, Stuck> {
        let cells = self.access(address, access)?;
        let seen = |address| {
            let newest = self.local.buffer.iter().rev().find(|write| write.address == address);
            match newest {
                // Rule 1: the thread sees its own newest store early.
                Some(write) => write.value,
                // Rule 2.
                None => self.in_memory(address),
            }
        };
        let load = |address| Action::Load { address, value: seen(address) };
        let actions: Vec<Action> = cells.addresses().map(load).collect();
        Ok(match self.receive(register, cells.read(seen)) {
            Ok(written) => Outcome::Done {
                actions,
                register: Some(written),
                reservation: if access.exclusive {
                    cells.addresses().collect()
                } else {
                    self.local.reservation.clone()
                },
            },
            Err(fault) => Outcome::Fault { after: actions, fault },
        })
    }

    fn store(self, address: &Expr, value: &Expr, access: Access) -> Result<Outcome, Stuck> {
        let cells = self.access(address, access)?;
        let value = cells.admit(self.evaluate(value)?)?;
        if access.order == Order::SeqCst {
            return Ok(self.all_done(locked(cells, None, Some(value)), None));
        }
        let issue = |(address, value)| Action::Issue { address, value };
        let store = |(address, value)| Action::Store { address, value };
        // Rule 3, and under SC rule 4 right after it.
        let actions = match self.machine.model() {
            Model::Tso => cells.parts(value).map(issue).collect(),
            Model::Sc => {
                cells.parts(value).map(issue).chain(cells.parts(value).map(store)).collect()
            }
        };
        Ok(self.all_done(actions, None))
    }

    fn store_exclusive(
        self,
        status: RegisterId,
        address: &Expr,
        value: &Expr,
        access: Access,
    ) -> Result<Outcome, Stuck> {
        let cells = self.access(address, access)?;
        let value = cells.admit(self.evaluate(value)?)?;
        let succeeds = self.choice == Choice::Succeed;
        let is_reserved = cells.addresses().eq(self.local.reservation.iter().copied());
        if succeeds && !is_reserved {
            return Err(NotEnabled::NoReservation.into());
        }
        let written = self.receive(status, Value::from(!succeeds))?;
        Ok(Outcome::Done {
            actions: locked(cells, None, succeeds.then_some(value)),
            register: Some(written),
            reservation: Vec::new(),
        })
    }

    fn update(
        self,
        result: Option<RegisterId>,
        address: &Expr,
        update: &Update,
        access: Access,
    ) -> Result<Outcome, Stuck> {
        let cells = self.access(address, access)?;
        let old = cells.read(|address| self.in_memory(address));
        // A fault in an operand (`?`) comes before the access; one in the operation itself comes
        // after memory was read.
        let new: Result<Option<Value>, Fault> = match update {
            Update::Exchange(new) => Ok(Some(self.evaluate(new)?)),
            Update::Fetch { op, operand } => op.apply(old, self.evaluate(operand)?).map(Some),
            Update::CompareAndSwap { expected, new } => {
                let (expected, new) = (self.evaluate(expected)?, self.evaluate(new)?);
                Ok((old == expected).then_some(new))
            }
            Update::BlockingReadWrite { expected, new } => {
                let (expected, new) = (self.evaluate(expected)?, self.evaluate(new)?);
                if old != expected {
                    return Err(NotEnabled::OtherValue { read: old, expected }.into());
                }
                Ok(Some(new))
            }
        };
        let locked = |written| locked(cells, Some(old), written);
        let outcome = new.and_then(|new| {
            let written = new.map(|value| cells.admit(value)).transpose()?;
            let received = result.map(|register| self.receive(register, old)).transpose()?;
            Ok((written, received))
        });
        Ok(match outcome {
            Ok((written, received)) => self.all_done(locked(written), received),
            Err(fault) => Outcome::Fault { after: locked(None), fault },
        })
    }

    /// One action, perhaps a register written, and the reservation kept.
    fn done(self, action: Action, register: Option<(RegisterId, Value)>) -> Outcome {
        self.all_done(vec![action], register)
    }

    /// The same with several actions.
    fn all_done(self, actions: Vec<Action>, register: Option<(RegisterId, Value)>) -> Outcome {
        Outcome::Done { actions, register, reservation: self.local.reservation.clone() }
    }

    fn template(&self) -> &Template {
        self.machine.template(self.thread)
    }

    fn evaluate(self, expr: &Expr) -> Result<Value, Fault> {
        expr.evaluate(self.machine.program().memory(), &self.local.registers)
    }

    /// The cells of an access.
    fn access(self, address: &Expr, access: Access) -> Result<Footprint, Fault> {
        let address = self.evaluate(address)?;
        self.machine.program().memory().footprint(address, access.width)
    }

    fn in_memory(self, address: Value) -> Value {
        self.machine.in_memory(self.state, address).expect("only cells are accessed")
    }

    /// What `register` holds after it has received `value`.
    fn receive(self, register: RegisterId, value: Value) -> Result<(RegisterId, Value), Fault> {
        Ok((register, self.template().registers()[register].domain.admit(value)?))
    }

    fn holds_lock(self) -> bool {
        self.state.lock == Some(self.thread)
    }
}

/// The locked access of all cells.
fn locked(cells: Footprint, read: Option<Value>, written: Option<Value>) -> Vec<Action> {
    let part = |value: Option<Value>, at: usize| {
        value.and_then(|value| cells.parts(value).nth(at)).map(|(_, part)| part)
    };
    let action = |(at, address)| Action::Locked {
        address,
        read: part(read, at),
        written: part(written, at),
    };
    cells.addresses().enumerate().map(action).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::*;
    use program::index::Idx;
    use program::{AccessWidth, BinaryOp, FetchOp};

    /// Runs `instruction` after `before` and checks its actions.
    fn check(before: &[Instruction], instruction: Instruction, expected: &[Action]) -> State {
        let last = before.len();
        let program = program(vec![[before, &[instruction]].concat()]);
        let moves: Vec<_> = (0..=last).map(|edge| run(0, edge)).collect();
        let (state, actions) = after(&program, Model::Sc, &moves);
        assert_eq!(actions, expected);
        state
    }

    fn register(state: &State, thread: usize, register: usize) -> Value {
        state.thread(ThreadId::new(thread)).registers()[r(register)]
    }

    fn locked(address: Value, read: Option<Value>, written: Option<Value>) -> Action {
        Action::Locked { address, read, written }
    }

    #[test]
    fn updates_read_and_write_at_once() {
        let before = [store(X, 6)];
        let state = check(&before, cas(0, X, 6, 7), &[locked(X, Some(6), Some(7))]);
        assert_eq!(register(&state, 0, 0), 6);
        let fetch = Update::Fetch { op: FetchOp::Add, operand: 2.constant() };
        check(&before, update(0, X, fetch), &[locked(X, Some(6), Some(8))]);
        let exchange = Update::Exchange(2.constant());
        check(&before, update(0, X, exchange), &[locked(X, Some(6), Some(2))]);
        check(&before, store_seq_cst(X, 2), &[locked(X, None, Some(2))]);
    }

    #[test]
    fn a_failed_compare_and_swap_only_reads() {
        let state = check(&[store(X, 6)], cas(0, X, 5, 7), &[locked(X, Some(6), None)]);
        assert_eq!(state.changed_memory(), &[(X, 6)].into());
        assert_eq!(register(&state, 0, 0), 6);
    }

    #[test]
    fn a_blocking_update_waits_for_its_value() {
        let arw = blocking_read_write(X, 1, 2);
        let program = program(vec![vec![store(X, 1)], vec![arw]]);
        let other_value = NotEnabled::OtherValue { read: 0, expected: 1 };
        check_blocked(&program, Model::Tso, &[run(0, 0), run(1, 0)], other_value);
        let (_, actions) = after(&program, Model::Tso, &[run(0, 0), commit(0), run(1, 0)]);
        assert_eq!(actions, [locked(X, Some(1), Some(2))]);
    }

    #[test]
    fn an_exclusive_store_succeeds_while_its_reservation_stands() {
        let program = program(vec![
            vec![load_exclusive(0, X), store_exclusive(1, X, 5), store_exclusive(2, X, 6)],
            vec![store(X, 1), store(Y, 1)],
        ]);
        let succeed = |edge| choose(0, edge, Choice::Succeed);
        let fail = |edge| choose(0, edge, Choice::Fail);
        let (state, actions) = after(&program, Model::Tso, &[run(0, 0), succeed(1)]);
        assert_eq!(actions, [locked(X, None, Some(5))]);
        assert_eq!(register(&state, 0, 1), 0);
        // It is used up.
        let gone = NotEnabled::NoReservation;
        check_blocked(&program, Model::Tso, &[run(0, 0), succeed(1), succeed(2)], gone);
        check_blocked(&program, Model::Tso, &[run(0, 0), fail(1), succeed(2)], gone);
        // A buffered store of another thread does not end it; one that reaches memory does.
        after(&program, Model::Tso, &[run(0, 0), run(1, 0), succeed(1)]);
        check_blocked(&program, Model::Tso, &[run(0, 0), run(1, 0), commit(1), succeed(1)], gone);
        // It may fail for no reason at all.
        let (state, actions) = after(&program, Model::Tso, &[run(0, 0), fail(1)]);
        assert_eq!(actions, [locked(X, None, None)]);
        assert_eq!(register(&state, 0, 1), 1);
    }

    #[test]
    fn stores_elsewhere_and_own_stores_keep_a_reservation() {
        let program = program(vec![
            vec![load_exclusive(0, X), store(X, 2), store_exclusive(1, X, 5)],
            vec![store(Y, 1)],
        ]);
        let moves = [run(0, 0), run(0, 1), run(1, 0), choose(0, 2, Choice::Succeed)];
        after(&program, Model::Sc, &moves);
    }

    #[test]
    fn only_an_exclusive_load_reserves() {
        let program = program(vec![vec![load(0, X), store_exclusive(1, X, 5)]]);
        let moves = [run(0, 0), choose(0, 1, Choice::Succeed)];
        check_blocked(&program, Model::Sc, &moves, NotEnabled::NoReservation);
        // An ordinary load in between neither ends a reservation nor moves it.
        let pair = vec![load_exclusive(0, X), load(0, Y), store_exclusive(1, X, 5)];
        let program = crate::sample::program(vec![pair]);
        after(&program, Model::Sc, &[run(0, 0), run(0, 1), choose(0, 2, Choice::Succeed)]);
    }

    #[test]
    fn cells_wrap_and_have_a_width() {
        let written =
            |address, value| [Action::Issue { address, value }, Action::Store { address, value }];
        check(&[], store(BYTE, 257), &written(BYTE, 1));
        let access = Access { width: AccessWidth::Bytes(4), ..Access::PLAIN };
        let wide = Instruction::Load { register: r(0), address: BYTE.constant(), access };
        check(&[], wide, &[Action::Fault(Fault::MixedSize { address: BYTE })]);
    }

    #[test]
    fn a_choice_must_be_one_that_is_open() {
        let any = Instruction::Choose { register: r(0), low: 0, high: Value::from(u32::MAX) };
        let program = program(vec![vec![any, Instruction::Skip]]);
        let (state, _) = after(&program, Model::Tso, &[choose(0, 0, Choice::Value(77))]);
        assert_eq!(register(&state, 0, 0), 77);
        let wrong = NotEnabled::ChoiceDoesNotFit;
        for choice in [Choice::Value(-1), Choice::Determined, Choice::Succeed, Choice::Fail] {
            check_blocked(&program, Model::Tso, &[choose(0, 0, choice)], wrong);
        }
        let moves = [choose(0, 0, Choice::Value(1)), choose(0, 1, Choice::Value(1))];
        check_blocked(&program, Model::Tso, &moves, wrong);
    }

    #[test]
    fn faults_come_before_any_effect() {
        let fault = |fault| [Action::Fault(fault)];
        let by_zero = || binary(BinaryOp::Div, 1, 0);
        let out_of_range = |value| Fault::OutOfRange { value, low: 0, high: 3 };
        check(&[], assign(0, by_zero()), &fault(Fault::DivisionByZero));
        check(&[], Instruction::Assume(by_zero()), &fault(Fault::DivisionByZero));
        check(&[], Instruction::Assert(0.constant()), &fault(Fault::AssertionFailed));
        check(&[], assign(SMALL_REGISTER, 4.constant()), &fault(out_of_range(4)));
        check(&[], store(SMALL, 9), &fault(out_of_range(9)));
        check(&[], store(Value::from(u64::MAX), 1), &fault(Fault::Overflow));
        let element = Expr::Element(program::LocationId::new(1), Box::new(1.constant()));
        let outside =
            Instruction::Store { address: element, value: 1.constant(), access: Access::PLAIN };
        check(&[], outside, &fault(Fault::IndexOutOfBounds { index: 1, length: 1 }));
    }

    #[test]
    fn what_was_read_before_a_fault_is_seen() {
        let fault = Action::Fault(Fault::OutOfRange { value: 9, low: 0, high: 3 });
        let read = Action::Load { address: X, value: 9 };
        check(&[store(X, 9)], load(SMALL_REGISTER, X), &[read, fault]);
        let swap = cas(SMALL_REGISTER, X, 9, 1);
        let state = check(&[store(X, 9)], swap, &[locked(X, Some(9), None), fault]);
        assert_eq!(state.changed_memory(), &[(X, 9)].into(), "nothing was written");
    }

    #[test]
    fn a_false_assumption_blocks() {
        let program = program(vec![vec![Instruction::Assume(value_of(0))]]);
        check_blocked(&program, Model::Sc, &[run(0, 0)], NotEnabled::AssumptionFalse);
    }
}
