//! How a thread begins and ends, and how calls in it return.

use std::collections::BTreeSet;

use super::{Cursor, Ending, Flow, Frame, OnReturn, Scratch, Slot, WORD, Walk, access};
use crate::value::{self, Val};
use llvm::Operation;
use program::index::Idx;
use program::{BinaryOp, Expr, FetchOp, Instruction, Order, Update, Value};

/// Whether nobody ever makes a step: what leads to it is an error, or the end of what is known.
fn is_impossible(step: &Instruction) -> bool {
    match step {
        Instruction::Assume(condition) | Instruction::Assert(condition) => {
            let is_nothing =
                matches!(condition, Expr::Binary(BinaryOp::Sub, left, right) if left == right);
            is_nothing || *condition == Expr::Const(0)
        }
        Instruction::Assign { value, .. } => *value == super::emit::no_integer(),
        Instruction::Skip
        | Instruction::Choose { .. }
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    }
}

impl Walk<'_, '_, '_> {
    /// The address of one of the words of a thread with this number.
    pub(crate) fn thread_word(&mut self, number: Expr, word: u64) -> Expr {
        let object = self.world.threads_object();
        let base = self.world.objects.get(object).base + Value::from(word * 8);
        let stride = self.world.objects.get(object).stride;
        value::sum(value::times(number, Value::from(stride)), Expr::Const(base))
    }

    pub(super) fn passed_argument(
        &mut self,
        cursor: &mut Cursor,
        position: usize,
        address: Value,
    ) -> Val {
        let address = Expr::Const(address);
        let position = u32::try_from(position).unwrap_or(0);
        let register = self.scratch(cursor, Scratch::Passed(position), WORD);
        let access = access(Order::Plain, 8);
        self.emit(cursor, Instruction::Load { register, address, access });
        Val::register(register)
    }

    /// After the thread that runs first, those begin that a user asked for.
    pub(super) fn let_others_begin(&mut self, cursor: &mut Cursor) {
        let roots = self.world.roots.iter().filter(|root| root.is_created);
        let waiting: Vec<u32> = roots.map(|root| root.number).collect();
        for number in waiting {
            let address = self.thread_word(Expr::Const(Value::from(number)), 0);
            self.locked(cursor, address, FetchOp::Or, 1, 8);
        }
    }

    /// Notes which threads this one does not create in every run: its end can be come to without.
    pub(super) fn learn_what_is_created(&mut self) {
        let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); self.builder.labels().len()];
        for (number, edge) in self.edges.iter().enumerate() {
            outgoing[edge.from.index()].push(number);
        }
        let numbers: BTreeSet<u32> = self.started.iter().map(|(number, _)| *number).collect();
        for number in numbers {
            let mut seen = vec![false; outgoing.len()];
            let mut waiting = vec![0];
            let mut is_sure = !self.world.facts.perhaps.contains(&self.spec.number);
            while let Some(label) = waiting.pop() {
                if std::mem::replace(&mut seen[label], true) {
                    continue;
                }
                is_sure &= !outgoing[label].is_empty();
                let others = outgoing[label].iter().filter(|edge| {
                    !self.started.contains(&(number, **edge))
                        && !is_impossible(&self.edges[**edge].instruction)
                });
                waiting.extend(others.map(|edge| self.edges[*edge].to.index()));
            }
            if !is_sure {
                self.world.facts.is_new |= self.world.facts.perhaps.insert(number);
            }
        }
    }

    pub(super) fn say_ended(&mut self, cursor: &mut Cursor) {
        let address = self.thread_word(Expr::Const(Value::from(self.spec.number)), 1);
        self.locked(cursor, address, FetchOp::Or, 1, 8);
    }

    /// A locked access of the library: nobody can make it weaker.
    pub(crate) fn locked(
        &mut self,
        cursor: &mut Cursor,
        address: Expr,
        op: FetchOp,
        operand: Value,
        bytes: u8,
    ) {
        let update = Update::Fetch { op, operand: Expr::Const(operand) };
        let access = access(Order::SeqCst, bytes);
        self.emit(cursor, Instruction::Update { result: None, address, update, access });
    }

    /// Ends the thread here; what it returns is put down for who joins it.
    pub(crate) fn end(&mut self, mut cursor: Cursor, result: Option<Expr>) {
        self.leave_result(&mut cursor, result);
        self.ends.push((cursor, Ending::ByItself));
    }

    /// Puts down what the thread returns.
    fn leave_result(&mut self, cursor: &mut Cursor, result: Option<Expr>) {
        if let (Some(value), true) = (result, self.spec.is_created)
            && value != Expr::Const(0)
        {
            let address = self.thread_word(Expr::Const(Value::from(self.spec.number)), 3);
            let access = access(Order::Plain, 8);
            self.emit(cursor, Instruction::Store { address, value, access });
        }
    }

    /// Ends the thread, and the process with it.
    pub(crate) fn exit(&mut self, cursor: Cursor) -> Flow {
        self.ends.push((cursor, Ending::OfTheProcess));
        Flow::Over
    }

    /// The last steps of a thread.
    pub(super) fn end_as(&mut self, cursor: &mut Cursor, ending: Ending) {
        // Whoever ends inside of a statement never leaves it.
        cursor.known.frame.place = None;
        match ending {
            Ending::ByItself if self.spec.is_created || self.world.runs_main => {
                self.say_ended(cursor);
            }
            Ending::ByItself => self.let_others_begin(cursor),
            Ending::OfTheProcess => {
                self.dismiss(cursor);
                self.end_process(cursor);
            }
            Ending::WithTheProcess => {}
        }
    }

    /// Returns from a call, or ends the thread.
    pub(crate) fn return_from(&mut self, cursor: &mut Cursor, value: Option<Val>) -> Flow {
        self.enter_place(cursor, None);
        self.operation_returns(cursor, value.as_ref());
        let is_outermost = cursor.known.frame.caller.is_none();
        let ends_the_process = is_outermost
            && self.world.runs_main
            && !self.spec.is_created
            && self.is_last_stage(cursor.known.stage);
        if !ends_the_process {
            let call = cursor.known.frame.path;
            self.end_variables(cursor, &[call]);
        }
        if is_outermost && let Some(flow) = self.begin_stage(cursor, cursor.known.stage + 1) {
            return flow;
        }
        let Some(caller) = cursor.known.frame.caller.clone() else {
            if let Some(value) = &value
                && (!self.spec.is_created || !self.world.runs_main)
            {
                self.shows(cursor, 0, value);
            }
            let frame = &cursor.known.frame;
            // What `main` returns nobody in the program reads any more.
            if self.world.runs_main && !self.spec.is_created {
                if let Some(flow) = self.begin_destructor(cursor) {
                    return flow;
                }
                return self.exit(cursor.clone());
            }
            if let (Some(result), Some(value)) = (self.spec.result, value.clone()) {
                let (module, ty) = (frame.function.module, self.function(frame.function).result);
                let place = Val::constant(result);
                self.store_value(cursor, module, ty, value, &place, Order::Plain);
                if let Some(flow) = self.begin_destructor(cursor) {
                    return flow;
                }
                self.end(cursor.clone(), None);
                return Flow::Over;
            }
            let value = value.map(|value| match value {
                Val::Expr(expr) => expr,
                Val::Private(..) | Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {
                    Expr::Const(0)
                }
            });
            self.leave_result(cursor, value);
            if let Some(flow) = self.begin_destructor(cursor) {
                return flow;
            }
            self.end(cursor.clone(), None);
            return Flow::Over;
        };
        let mut value = value;
        match cursor.known.frame.finally.clone() {
            Some(OnReturn::Step(step)) => self.emit(cursor, step),
            Some(OnReturn::JoinScope(scope)) => self.join_scope(cursor, scope),
            Some(OnReturn::Forget) => value = None,
            None => {}
        }
        // The variables of the call are gone.
        let path = cursor.known.frame.path;
        let world = &*self.world;
        cursor.known.slots.retain(|slot, _| match slot {
            Slot::Part(private, _) => world.owner(*private) != path,
            Slot::Counter(_)
            | Slot::Created(_)
            | Slot::Scope(_)
            | Slot::Joined(_)
            | Slot::Errno
            | Slot::Destructors => true,
        });
        let function = self.function(caller.function);
        let call = &function.blocks[caller.block.index()].instructions[caller.index as usize];
        cursor.known.frame = Frame::clone(&caller);
        if let (Some(result), Some(value)) = (call.result, value) {
            self.define(cursor, Some(result), value);
        }
        if let Operation::Invoke { normal, .. } = &call.operation {
            let info = self.world.info(caller.function);
            self.settle_all(cursor, &info);
            self.jump(cursor, &info, *normal);
        } else {
            cursor.known.frame.index += 1;
        }
        Flow::Moved
    }
}
