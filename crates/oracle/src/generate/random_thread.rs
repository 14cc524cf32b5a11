//! One thread of a random program, written statement by statement.

use fastrand::Rng;
use program::{
    Access, BinaryOp, Expr, FenceKind, FetchOp, Instruction, LabelId, LocationId, Order, Register,
    RegisterId, Span, Template, TemplateBuilder, Update, Value,
};

use crate::generate::random::{Loops, Shape, random_domain};

/// A location and its number of cells.
pub(crate) type Object = (LocationId, Value);

/// A thread being written.
pub(crate) struct Body<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) shape: Shape,
    pub(crate) template: TemplateBuilder,
    shared: &'a [Object],
    own: Object,
    writable: Vec<RegisterId>,
    pub(crate) readable: Vec<RegisterId>,
    pub(crate) at: LabelId,
    pub(crate) simple: bool,
    /// How many more accesses there may be.
    pub(crate) budget: usize,
    in_section: bool,
    pub(crate) in_loop: bool,
    /// A label from which a jump will lead forwards.
    pub(crate) jumps_from: Option<LabelId>,
    /// The register that was loaded to last.
    pub(crate) read_last: Option<RegisterId>,
}

impl<'a> Body<'a> {
    pub(crate) fn new(
        rng: &'a mut Rng,
        shape: Shape,
        name: String,
        shared: &'a [Object],
        own: Object,
    ) -> Self {
        let mut template = TemplateBuilder::new(name, Span::NONE);
        let writable = ["a", "b"].map(|name| {
            if !shape.typed {
                return template.integer_register(name);
            }
            let domain = random_domain(rng, shape);
            let starts_with_one = domain.contains(1) && rng.u32(..8) == 0;
            let (name, initial) = (name.to_owned(), starts_with_one.into());
            template.register(Register { name, initial, domain, generated: false })
        });
        let writable = writable.to_vec();
        let at = template.named_label("l0");
        let readable = writable.clone();
        Self {
            rng,
            shape,
            template,
            shared,
            own,
            writable,
            readable,
            at,
            simple: true,
            budget: 0,
            in_section: false,
            in_loop: false,
            jumps_from: None,
            read_last: None,
        }
    }

    pub(crate) fn finish(mut self, start: LabelId) -> Template {
        self.arrive();
        if self.shape.loops == Loops::Free && self.one_in(6) {
            self.never_end();
        }
        self.template.build(start)
    }

    pub(crate) fn one_in(&mut self, many: u32) -> bool {
        self.rng.u32(..many) == 0
    }

    pub(crate) fn new_label(&mut self) -> LabelId {
        let name = format!("l{}", self.template.labels().len());
        self.template.named_label(name)
    }

    pub(crate) fn then(&mut self, instruction: Instruction) {
        let next = self.new_label();
        self.template.bare_edge(self.at, next, instruction);
        self.at = next;
    }

    /// Writes statements until the accesses, or `most` statements, are used up.
    pub(crate) fn statements(&mut self, most: usize) {
        for _ in 0..most {
            if self.budget == 0 {
                return;
            }
            self.statement();
        }
    }

    pub(crate) fn random_or_nothing(&mut self) {
        if self.budget > 2 && self.one_in(3) {
            self.statement();
        }
    }

    /// An access to the first cell of `object`, a store so many times out of five.
    pub(crate) fn step_of_circle(&mut self, (location, _): Object, stores: u32) {
        let address = Expr::address(location);
        if self.rng.u32(..5) < stores {
            let value = Expr::Const(Value::from(self.rng.u8(1..3)));
            self.store_to(address, value);
        } else {
            self.load_from(address);
        }
    }

    fn statement(&mut self) {
        if self.shape.blocking && self.rng.bool() {
            return self.may_block();
        }
        if self.shape.loops != Loops::None && self.one_in(4) {
            return self.control();
        }
        if self.shape.waiting && self.one_in(12) {
            return self.wait();
        }
        if self.shape.typed && !self.simple && self.one_in(3) {
            return self.unusual();
        }
        // Half of the threads hardly do anything but load and store.
        match self.rng.u32(..if self.simple { 30 } else { 40 }) {
            0..=10 => self.store(),
            24..=27 => self.update(),
            28 | 29 => self.fence(),
            30..=32 => {
                let condition = self.condition();
                self.then(Instruction::Assume(condition));
            }
            33 | 34 => self.branch(),
            35 => {
                let condition = self.condition();
                self.then(Instruction::Assert(condition));
            }
            36 => {
                let value = self.value();
                let register = self.target();
                self.then(Instruction::Assign { register, value });
            }
            37 => {
                let register = self.target();
                self.then(Instruction::Choose { register, low: 0, high: 1 });
            }
            38 if self.shape.sections => self.section(),
            39 if self.shape.exclusives => self.exclusive_pair(),
            _ => self.load(),
        }
    }

    /// What can keep a thread, or others, from going on.
    fn may_block(&mut self) {
        match self.rng.u32(..4) {
            0 => {
                let condition = self.condition();
                self.then(Instruction::Assume(condition));
            }
            1 => {
                self.budget = self.budget.saturating_sub(1);
                let (address, expected, new) = (self.address(), self.value(), self.value());
                let update = Update::BlockingReadWrite { expected, new };
                let access = Access::PLAIN;
                self.then(Instruction::Update { result: None, address, update, access });
            }
            _ => self.section(),
        }
    }

    /// What there is little of otherwise.
    fn unusual(&mut self) {
        match self.rng.u32(..6) {
            0 | 1 => self.fence(),
            2 if self.shape.sections => self.section(),
            3 if self.shape.exclusives => self.exclusive_pair(),
            _ => self.update(),
        }
    }

    pub(crate) fn target(&mut self) -> RegisterId {
        self.writable[self.rng.usize(..self.writable.len())]
    }

    fn register(&mut self) -> Expr {
        Expr::Register(self.readable[self.rng.usize(..self.readable.len())])
    }

    fn value(&mut self) -> Expr {
        match self.rng.u32(..8) {
            0 | 1 => self.register(),
            2 => Expr::binary(BinaryOp::Add, self.register(), Expr::Const(1)),
            3 => Expr::binary(BinaryOp::BitXor, self.register(), self.register()),
            4 => Expr::Const(0),
            _ => Expr::Const(1),
        }
    }

    pub(crate) fn condition(&mut self) -> Expr {
        let op = if self.rng.bool() { BinaryOp::Eq } else { BinaryOp::Ne };
        let constant = Value::from(self.rng.u8(..2));
        Expr::binary(op, self.register(), Expr::Const(constant))
    }

    pub(crate) fn address(&mut self) -> Expr {
        // No object is there.
        if self.shape.typed && self.one_in(60) {
            return Expr::Const(5);
        }
        let (location, cells) = if self.one_in(8) {
            self.own
        } else {
            self.shared[self.rng.usize(..self.shared.len())]
        };
        let index = match self.rng.u32(..3) {
            _ if cells == 1 => Expr::Const(0),
            0 => Expr::Const(0),
            1 => Expr::Const(1),
            _ => self.register(),
        };
        Expr::Element(location, Box::new(index))
    }

    pub(crate) fn load(&mut self) {
        let address = self.address();
        self.load_from(address);
    }

    fn load_from(&mut self, address: Expr) {
        self.budget = self.budget.saturating_sub(1);
        let register = self.target();
        let order = match self.rng.u32(..6) {
            0 => Order::SeqCst,
            1 if self.shape.typed => Order::Acquire,
            2 if self.shape.typed => Order::Relaxed,
            _ => Order::Plain,
        };
        self.read_last = Some(register);
        self.then(Instruction::Load { register, address, access: Access::with_order(order) });
    }

    fn store(&mut self) {
        let (address, value) = (self.address(), self.value());
        self.store_to(address, value);
    }

    fn store_to(&mut self, address: Expr, value: Expr) {
        self.budget = self.budget.saturating_sub(1);
        let order = match self.rng.u32(..12) {
            0 => Order::SeqCst,
            1 => Order::Release,
            _ => Order::Plain,
        };
        let access = Access::with_order(order);
        self.then(Instruction::Store { address: address.clone(), value, access });
        // A thread that reads what it has just written.
        if self.budget > 0 && self.one_in(5) {
            self.budget -= 1;
            let register = self.target();
            self.then(Instruction::Load { register, address, access: Access::PLAIN });
        }
    }

    fn update(&mut self) {
        self.budget = self.budget.saturating_sub(1);
        let mut result = Some(self.target()).filter(|_| !self.one_in(4));
        let (address, value) = (self.address(), self.value());
        let update = match self.rng.u32(..6) {
            0 => Update::Exchange(value),
            1 if self.shape.typed => {
                let op = FetchOp::ALL[self.rng.usize(..FetchOp::ALL.len())];
                Update::Fetch { op, operand: value }
            }
            1 => Update::Fetch { op: FetchOp::Add, operand: value },
            2 => {
                result = None;
                Update::BlockingReadWrite { expected: self.value(), new: value }
            }
            _ => Update::CompareAndSwap { expected: self.value(), new: value },
        };
        let order = match self.shape.typed.then(|| self.rng.u32(..4)) {
            Some(0) => Order::SeqCst,
            Some(1) => Order::AcquireRelease,
            Some(_) | None => Order::Plain,
        };
        let access = Access::with_order(order);
        self.then(Instruction::Update { result, address, update, access });
    }

    fn fence(&mut self) {
        let kind = if self.rng.bool() {
            FenceKind::Full
        } else {
            FenceKind::ALL[self.rng.usize(..FenceKind::ALL.len())]
        };
        self.then(Instruction::Fence(kind));
    }

    /// Two ways to one label, of which a condition or nothing decides.
    fn branch(&mut self) {
        let (from, join) = (self.at, self.new_label());
        let guards = if self.one_in(4) {
            [Instruction::Skip, Instruction::Skip]
        } else {
            let condition = self.condition();
            let negated = Expr::unary(program::UnaryOp::Not, condition.clone());
            [Instruction::Assume(condition), Instruction::Assume(negated)]
        };
        let budget = self.budget;
        for guard in guards {
            self.budget = budget;
            self.at = from;
            self.then(guard);
            let most = self.rng.usize(..2);
            self.statements(most);
            self.template.bare_edge(self.at, join, Instruction::Skip);
        }
        self.budget = budget.saturating_sub(1);
        self.at = join;
    }

    fn section(&mut self) {
        if self.in_section {
            return self.load();
        }
        self.in_section = true;
        self.then(Instruction::Lock);
        let most = self.rng.usize(1..3);
        self.statements(most);
        self.then(Instruction::Unlock);
        self.in_section = false;
    }

    fn exclusive_pair(&mut self) {
        self.budget = self.budget.saturating_sub(2);
        let (register, address) = (self.target(), self.address());
        let access = Access { exclusive: true, ..Access::PLAIN };
        self.then(Instruction::Load { register, address: address.clone(), access });
        if self.one_in(4) {
            self.statements(1);
        }
        let (status, value) = (self.target(), self.value());
        self.then(Instruction::StoreExclusive { status, address, value, access });
    }
}
