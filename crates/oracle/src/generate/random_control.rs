//! Control flow of a random thread that is not just forwards: loops, jumps and waiting.
//!
//! What can be entered again is bounded by a counter of its own, unless loops are free. A counter is
//! never set back, so jumping into a loop from outside does no harm.

use program::{
    Access, BinaryOp, Domain, Expr, FetchOp, Instruction, LabelId, Register, RegisterId, UnaryOp,
    Update, Value, index::Idx,
};

use crate::generate::random::Loops;
use crate::generate::random_thread::{Body, Object};

fn not(condition: Expr) -> Expr {
    Expr::unary(UnaryOp::Not, condition)
}

impl Body<'_> {
    /// A loop, or a jump forwards or, if loops are free, back.
    pub(crate) fn control(&mut self) {
        self.arrive();
        match self.rng.u32(..4) {
            0 => self.jumps_from = Some(self.at),
            1 if self.shape.loops == Loops::Free => self.jump_back(),
            _ if self.in_loop => self.load_or_skip(),
            _ if self.shape.loops == Loops::Free && self.rng.bool() => self.while_loop(),
            _ => self.counted_loop(),
        }
    }

    fn load_or_skip(&mut self) {
        if self.rng.bool() {
            self.load();
        } else {
            self.then(Instruction::Skip);
        }
    }

    /// Ends a jump forwards, if one has begun: a condition decides, or nothing.
    pub(crate) fn arrive(&mut self) {
        if let Some(from) = self.jumps_from.take().filter(|from| *from != self.at) {
            let guard = if self.one_in(3) {
                Instruction::Skip
            } else {
                Instruction::Assume(self.condition())
            };
            self.template.bare_edge(from, self.at, guard);
        }
    }

    /// Goes back to some label under a condition.
    fn jump_back(&mut self) {
        let to = self.label_so_far();
        let condition = self.condition();
        self.template.bare_edge(self.at, to, Instruction::Assume(condition.clone()));
        let guard =
            if self.one_in(3) { Instruction::Skip } else { Instruction::Assume(not(condition)) };
        self.then(guard);
    }

    /// Goes back to some label, so that the end is no end.
    pub(crate) fn never_end(&mut self) {
        let to = self.label_so_far();
        self.template.bare_edge(self.at, to, Instruction::Skip);
    }

    fn label_so_far(&mut self) -> LabelId {
        let labels = self.template.labels().len();
        LabelId::new(self.rng.usize(..labels))
    }

    /// A register that counts up to `most`.
    fn counter(&mut self, most: Value) -> RegisterId {
        let name = format!("k{}", self.template.registers().len());
        let domain =
            if self.rng.bool() { Domain::Range { low: 0, high: most } } else { Domain::Integer };
        self.template.register(Register { name, initial: 0, domain, generated: false })
    }

    /// A loop of one or two rounds that can also be left in between.
    fn counted_loop(&mut self) {
        let rounds = self.rng.u8(1..=2);
        let counter = self.counter(rounds.into());
        let more = Expr::binary(BinaryOp::Lt, Expr::Register(counter), Expr::Const(rounds.into()));
        let (head, exit) = (self.at, self.new_label());
        self.then(Instruction::Assume(more.clone()));
        let before = self.budget;
        self.body();
        // Each round costs as much.
        let cost = before - self.budget.min(before);
        self.budget = before.saturating_sub(cost * usize::from(rounds));
        if self.one_in(3) {
            let leave = self.condition();
            self.template.bare_edge(self.at, exit, Instruction::Assume(leave));
        }
        let value = Expr::binary(BinaryOp::Add, Expr::Register(counter), Expr::Const(1));
        self.template.bare_edge(self.at, head, Instruction::Assign { register: counter, value });
        self.template.bare_edge(head, exit, Instruction::Assume(not(more)));
        self.at = exit;
    }

    /// A loop that goes on while a condition is true, or until it does not.
    fn while_loop(&mut self) {
        let (head, exit) = (self.at, self.new_label());
        let guards = if self.one_in(4) {
            [Instruction::Skip, Instruction::Skip]
        } else {
            let condition = self.condition();
            [condition.clone(), not(condition)].map(Instruction::Assume)
        };
        let [enter, leave] = guards;
        self.then(enter);
        self.body();
        self.template.bare_edge(self.at, head, Instruction::Skip);
        self.template.bare_edge(head, exit, leave);
        self.at = exit;
    }

    fn body(&mut self) {
        self.in_loop = true;
        let most = self.rng.usize(1..=2);
        self.statements(most);
        self.in_loop = false;
    }

    /// Waits until some cell holds something.
    pub(crate) fn wait(&mut self) {
        let address = self.address();
        let value = self.rng.u8(..2).into();
        self.wait_for(address, value);
    }

    /// Waits until the cell at an address holds a value: as often as it takes if loops are free, else
    /// for a while, after which the thread stays there.
    fn wait_for(&mut self, address: Expr, value: Value) {
        self.budget = self.budget.saturating_sub(1);
        let register = self.target();
        let head = self.at;
        let access = Access::PLAIN;
        self.then(Instruction::Load { register, address, access });
        let looked = self.at;
        let is_so = Expr::binary(BinaryOp::Eq, Expr::Register(register), Expr::Const(value));
        let mut waiting = vec![head, looked];
        match self.shape.loops {
            Loops::None => {}
            Loops::Counted => {
                let counter = self.counter(1);
                let again = Expr::binary(BinaryOp::Lt, Expr::Register(counter), Expr::Const(1));
                let again = Expr::binary(BinaryOp::And, again, not(is_so.clone()));
                self.then(Instruction::Assume(again));
                waiting.push(self.at);
                let count = Expr::Const(1);
                let count = Instruction::Assign { register: counter, value: count };
                self.template.bare_edge(self.at, head, count);
            }
            Loops::Free => {
                self.template.bare_edge(looked, head, Instruction::Assume(not(is_so.clone())));
            }
        }
        for label in waiting {
            self.template.labels_mut()[label].waiting = true;
        }
        self.at = looked;
        self.then(Instruction::Assume(is_so));
    }

    /// Opens a gate if something new was read, else waits until it is open.
    pub(crate) fn open_or_wait(&mut self, (location, _): Object) {
        let address = Expr::address(location);
        self.if_nothing_new_was_read(
            |body| match body.shape.loops {
                Loops::None | Loops::Counted => body.wait_once(address.clone()),
                Loops::Free => body.wait_for(address.clone(), 1),
            },
            |body| {
                let (address, value) = (address.clone(), Expr::Const(1));
                body.then(Instruction::Store { address, value, access: Access::PLAIN });
            },
        );
    }

    /// Counts those who read nothing new, and faults if these are all.
    pub(crate) fn count_up_to(&mut self, (location, _): Object, threads: usize) {
        let before = self.counter(2);
        self.if_nothing_new_was_read(
            |body| {
                let (op, operand) = (FetchOp::Add, Expr::Const(1));
                let update = Update::Fetch { op, operand };
                let address = Expr::address(location);
                let (result, access) = (Some(before), Access::PLAIN);
                body.then(Instruction::Update { result, address, update, access });
                let last = Expr::Const(Value::try_from(threads - 1).expect("few threads"));
                let is_last = Expr::binary(BinaryOp::Eq, Expr::Register(before), last);
                body.then(Instruction::Assert(not(is_last)));
            },
            |body| body.then(Instruction::Skip),
        );
    }

    fn if_nothing_new_was_read(
        &mut self,
        old: impl FnOnce(&mut Self),
        new: impl FnOnce(&mut Self),
    ) {
        let register = self.read_last.unwrap_or_else(|| self.target());
        let (from, join) = (self.at, self.new_label());
        let is_old = Expr::binary(BinaryOp::Eq, Expr::Register(register), Expr::Const(0));
        self.then(Instruction::Assume(is_old.clone()));
        old(self);
        self.template.bare_edge(self.at, join, Instruction::Skip);
        self.at = from;
        self.then(Instruction::Assume(not(is_old)));
        new(self);
        self.template.bare_edge(self.at, join, Instruction::Skip);
        self.at = join;
    }

    /// Waits until a cell holds 1, without looking twice.
    fn wait_once(&mut self, address: Expr) {
        self.template.labels_mut()[self.at].waiting = true;
        let update = Update::BlockingReadWrite { expected: Expr::Const(1), new: Expr::Const(1) };
        let access = Access::PLAIN;
        self.then(Instruction::Update { result: None, address, update, access });
    }
}
