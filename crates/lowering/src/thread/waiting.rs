//! Waiting: for a lock, for another thread, for a number of others.
//!
//! Where a thread waits has a label of its own, marked as waiting: a program in which nobody gets any
//! further while somebody is there has a deadlock. Not so when the process has ended, by `exit` or
//! because `main` has returned: whoever still waits then goes with it. So from every place of waiting a
//! second way leads to the end of the thread, open from then on, and who joins the thread learns nothing.
//! Loops of the program itself in which a thread spins without effect are marked too, and have no second way:
//! of them it is known by the word of the process that nobody waits any more.
//! Threads that do not wait are taken to go on: whatever they do could have been done before.

use std::collections::BTreeSet;

use super::{Cursor, Ending, Limit, Scratch, Spot, Walk, access, fresh};
use crate::object::ObjectKey;
use crate::value::{self, Val};
use crate::world::untyped_object;
use program::index::Idx;
use program::{
    Access, BinaryOp, Expr, Failure, FetchOp, Instruction, LabelId, Order, Update, Value,
};

/// What a word holds before and after somebody got what he waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    pub(crate) expected: Value,
    pub(crate) new: Value,
    /// How many bytes the word has.
    pub(crate) bytes: u8,
}

impl Awaited {
    fn step(self, address: Expr) -> Instruction {
        let (expected, new) = (Expr::Const(self.expected), Expr::Const(self.new));
        let update = Update::BlockingReadWrite { expected, new };
        let access = access(Order::SeqCst, self.bytes);
        Instruction::Update { result: None, address, update, access }
    }
}

/// A word that is 0 until something has happened to a thread or the process.
pub(crate) const HAPPENED: Awaited = Awaited { expected: 1, new: 1, bytes: 8 };

/// The same word of a thread that has panicked.
const PANICKED: Awaited = Awaited { expected: 2, new: 2, bytes: 8 };

/// The word of a thread that was dismissed because nobody had created it: it acknowledges that.
const DISMISSED: Awaited = Awaited { expected: 2, new: 4, bytes: 8 };

/// The word of a thread that was created, and had not begun when the process ended.
const CREATED_AND_DISMISSED: Awaited = Awaited { expected: 3, new: 3, bytes: 8 };

/// A change of a counter that only some of its values allow.
pub(crate) struct Change {
    /// Whether the value that was read allows it.
    pub(crate) is_allowed: Expr,
    /// What is written.
    pub(crate) new: Expr,
}

impl Walk<'_, '_, '_> {
    /// Waits until a word holds a value, and changes it.
    pub(crate) fn wait_for(&mut self, cursor: &mut Cursor, address: Expr, awaited: Awaited) {
        self.wait_for_unless(cursor, address, awaited, &[]);
    }

    /// The same, where other values are errors: they do not change.
    pub(crate) fn wait_for_unless(
        &mut self,
        cursor: &mut Cursor,
        address: Expr,
        awaited: Awaited,
        amiss: &[(Awaited, Failure)],
    ) {
        self.look_whether_alive(cursor, &address, awaited.bytes.into());
        let head = self.waiting_place(cursor);
        self.builder.labels_mut()[head].waiting = true;
        let spot = Spot::new(self.point(cursor), &address, awaited.bytes.into());
        if self.world.facts.unwritten.contains(&spot) {
            let mut beyond = cursor.clone();
            let unwritten = fresh(awaited.bytes.into());
            let found = Awaited { expected: unwritten, new: unwritten, ..awaited };
            self.emit(&mut beyond, found.step(address.clone()));
            self.give_up(&mut beyond, Limit::Unwritten);
        }
        for (found, failure) in amiss {
            let mut wrong = cursor.clone();
            self.emit(&mut wrong, found.step(address.clone()));
            self.fail_by(&mut wrong, *failure);
        }
        self.emit(cursor, awaited.step(address));
    }

    /// Waits until a thread has ended.
    pub(crate) fn join_thread(&mut self, cursor: &mut Cursor, number: Expr) {
        let address = self.thread_word(number, 1);
        self.wait_for(cursor, address, HAPPENED);
    }

    /// Before a thread is joined: gives up if it has panicked.
    pub(crate) fn finds_panicked(&mut self, cursor: &mut Cursor, address: Expr) {
        cursor.arrived_by = None;
        let mut caught = cursor.clone();
        self.emit(&mut caught, PANICKED.step(address));
        self.give_up(&mut caught, Limit::Caught);
    }

    /// The thread panics, and whoever joins it may go on.
    pub(crate) fn end_by_panic(&mut self, cursor: &mut Cursor) {
        if self.world.facts.learns_of_panics && self.spec.is_created {
            let mut after = self.branch(cursor, Expr::Const(1));
            let address = self.thread_word(Expr::Const(Value::from(self.spec.number)), 1);
            self.locked(&mut after, address, FetchOp::Or, PANICKED.new, PANICKED.bytes);
            self.emit(&mut after, Instruction::Assume(Expr::Const(0)));
        }
    }

    /// Waits until somebody creates the thread. That nobody does is no deadlock: if that can be, the thread
    /// is dismissed when the process ends.
    pub(super) fn wait_to_be_created(&mut self, cursor: &mut Cursor) {
        let address = self.thread_word(Expr::Const(Value::from(self.spec.number)), 0);
        let before = cursor.clone();
        self.emit(cursor, HAPPENED.step(address.clone()));
        if !self.world.facts.perhaps.contains(&self.spec.number) {
            return;
        }
        cursor.arrived_by = None;
        let mut late = before.clone();
        self.emit(&mut late, CREATED_AND_DISMISSED.step(address.clone()));
        self.lead(&late, cursor.at);
        let mut gone = before;
        self.emit(&mut gone, DISMISSED.step(address));
        self.ends.push((gone, Ending::WithTheProcess));
    }

    /// Dismisses all threads that nobody has created, one after another: so that there is one order only.
    pub(super) fn dismiss(&mut self, cursor: &mut Cursor) {
        let perhaps = self.world.facts.perhaps.iter().copied();
        let others: Vec<u32> = perhaps.filter(|number| *number != self.spec.number).collect();
        for number in others {
            let address = self.thread_word(Expr::Const(Value::from(number)), 0);
            let place = Val::Expr(address.clone());
            let dismiss = Expr::Const(DISMISSED.expected);
            let update = Update::Fetch { op: FetchOp::Or, operand: dismiss };
            let old =
                self.update(cursor, None, &place, 8, update, Access::with_order(Order::SeqCst));
            let is_new = Expr::binary(BinaryOp::Eq, old.unwrap_or(Expr::Const(0)), Expr::Const(0));
            let mut waits = self.branch(cursor, is_new.clone());
            let gone = Awaited { expected: DISMISSED.new, ..DISMISSED };
            self.emit(&mut waits, gone.step(address));
            self.emit(cursor, Instruction::Assume(is_new.negated()));
            cursor.arrived_by = None;
            self.lead(&waits, cursor.at);
        }
    }

    /// Waits at a place until what `look` reads satisfies the condition it gives.
    pub(crate) fn wait_until(
        &mut self,
        cursor: &mut Cursor,
        look: impl FnOnce(&mut Self, &mut Cursor) -> Expr,
    ) {
        let head = self.waiting_place(cursor);
        let condition = look(self, cursor);
        let back = self.branch(cursor, condition.clone().negated());
        self.lead(&back, head);
        self.emit(cursor, Instruction::Assume(condition));
        self.mark_as_waiting(head, cursor);
    }

    /// Waits until the four bytes of a counter allow a change, and makes it.
    pub(crate) fn wait_to_change(
        &mut self,
        cursor: &mut Cursor,
        counter: &Val,
        change: impl FnOnce(Expr) -> Change,
    ) {
        let head = self.waiting_place(cursor);
        let refused = self.try_to_change(cursor, head, counter, change);
        self.lead(&refused, head);
        self.mark_as_waiting(head, cursor);
    }

    /// Makes a change of the four bytes of a counter, or again from `head` on if others are faster; the
    /// way on if the counter does not allow it, which is found out by a mere load.
    pub(crate) fn try_to_change(
        &mut self,
        cursor: &mut Cursor,
        head: LabelId,
        counter: &Val,
        change: impl FnOnce(Expr) -> Change,
    ) -> Cursor {
        let seen = self.look_at(cursor, counter);
        let Change { is_allowed, new } = change(seen.clone());
        let refused = self.branch(cursor, is_allowed.clone().negated());
        self.emit(cursor, Instruction::Assume(is_allowed));
        let update = Update::CompareAndSwap { expected: seen.clone(), new };
        let old = self.update(cursor, None, counter, 4, update, Access::with_order(Order::SeqCst));
        let is_made = Expr::binary(BinaryOp::Eq, old.unwrap_or(Expr::Const(0)), seen);
        let again = self.branch(cursor, is_made.clone().negated());
        self.lead(&again, head);
        self.emit(cursor, Instruction::Assume(is_made));
        refused
    }

    /// What the four bytes of a counter hold.
    pub(crate) fn look_at(&mut self, cursor: &mut Cursor, counter: &Val) -> Expr {
        let domain = value::int(32).map_or(super::WORD, program::Domain::Wrapping);
        let register = self.scratch(cursor, Scratch::Seen, domain);
        let address = self.expr(cursor, counter.clone());
        self.look_whether_alive(cursor, &address, 4);
        let spot = Spot::new(self.point(cursor), &address, 4);
        let access = access(Order::Acquire, 4);
        self.emit(cursor, Instruction::Load { register, address, access });
        self.must_be_written(cursor, spot, (register, None), 4);
        Expr::Register(register)
    }

    /// A label of its own, where something is tried again and again.
    pub(crate) fn place_of_trying(&mut self, cursor: &mut Cursor) -> LabelId {
        let span = self.span(&cursor.known.frame);
        let head = self.label(span);
        self.lead(cursor, head);
        cursor.at = head;
        cursor.arrived_by = None;
        head
    }

    /// The same, where the thread stays when the process ends.
    fn waiting_place(&mut self, cursor: &mut Cursor) -> LabelId {
        let head = self.place_of_trying(cursor);
        self.world.facts.is_new |= self.world.facts.waiting.insert(self.spec.number);
        if self.has_another(&self.world.facts.ending) {
            let mut gone = cursor.clone();
            let address = self.process_word();
            self.emit(&mut gone, HAPPENED.step(address));
            self.ends.push((gone, Ending::WithTheProcess));
        }
        head
    }

    /// The thread waits at all new labels from `head` on, until it gets to where the cursor is.
    fn mark_as_waiting(&mut self, head: LabelId, cursor: &Cursor) {
        for label in (head.index()..cursor.at.index()).map(LabelId::new) {
            self.builder.labels_mut()[label].waiting = true;
        }
    }

    /// Says that the process has ended, if that is of interest to anybody.
    pub(crate) fn end_process(&mut self, cursor: &mut Cursor) {
        self.world.facts.is_new |= self.world.facts.ending.insert(self.spec.number);
        if self.has_another(&self.world.facts.waiting) {
            let address = self.process_word();
            self.locked(cursor, address, FetchOp::Or, 1, 8);
        }
    }

    /// Leaves out all runs in which a condition is false: it is as if the process had ended there, but
    /// not in a final state.
    pub(crate) fn leave_out_unless(&mut self, cursor: &mut Cursor, condition: Expr) {
        let mut out = self.branch(cursor, value::fold(condition.clone().negated()));
        self.end_process(&mut out);
        self.emit(&mut out, Instruction::Assume(Expr::Const(0)));
        self.emit(cursor, Instruction::Assume(condition));
    }

    /// Whether another thread than this one is among these.
    fn has_another(&self, threads: &BTreeSet<u32>) -> bool {
        let is_other = |number: &u32| *number != self.spec.number || self.spec.copies > 1;
        threads.iter().any(is_other)
    }

    fn process_word(&mut self) -> Expr {
        let new = || untyped_object("process.ended", 8);
        let object = self.world.objects.intern(ObjectKey::Process, new);
        Expr::Const(self.world.objects.get(object).base)
    }
}
