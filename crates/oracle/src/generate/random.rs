//! Random small programs, the same for the same seed.
//!
//! A program has a few threads, which share one to three scalars and sometimes an array; each
//! thread has a scalar that nobody else uses. Threads load, store, update, fence, compute, branch,
//! block on conditions and assert. There are no loops, so every program can be enumerated.
//!
//! Most programs made of random statements are harmless. So in every other program the threads also
//! go round in a circle, as in most litmus tests: each accesses a scalar and then the scalar that
//! the next thread accesses first, mostly storing and then loading, with random statements in
//! between.

use fastrand::Rng;
use program::{
    Access, BinaryOp, Count, Domain, Expr, FenceKind, FetchOp, Identity, Instruction, LabelId,
    Location, LocationId, Order, Outside, Program, ProgramBuilder, RegisterId, Span, Template,
    TemplateBuilder, Update, Value,
};

/// What random programs may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The greatest number of threads; at least two.
    pub max_threads: usize,
    /// The greatest number of instructions that access memory, in all threads together.
    pub max_accesses: usize,
    /// The greatest number of shared scalars, at least one.
    pub max_scalars: usize,
    /// Whether there may be locked sections.
    pub sections: bool,
    /// Whether there may be exclusive accesses.
    pub exclusives: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Self { max_threads: 4, max_accesses: 8, max_scalars: 3, sections: true, exclusives: true }
    }
}

/// Endlessly many random programs.
pub fn random_programs(seed: u64, shape: Shape) -> impl Iterator<Item = Program> {
    let mut rng = Rng::with_seed(seed);
    std::iter::repeat_with(move || random_program(&mut rng, shape))
}

/// A random program.
pub fn random_program(rng: &mut Rng, shape: Shape) -> Program {
    let mut builder = ProgramBuilder::new("random", Outside::Fault);
    let mut base = 0;
    let mut declare = |name: String, rng: &mut Rng| {
        let domain = match rng.u32(..50) {
            0 => Domain::Range { low: 0, high: 1 },
            1 => Domain::Wrapping(program::IntType::new(1, false).expect("one bit")),
            _ => Domain::Integer,
        };
        let length = (rng.u32(..15) == 0).then_some(2);
        base += 10;
        let location = Location { domain, length, ..Location::scalar(name, base) };
        let elements = if length.is_some() { 2 } else { 1 };
        (builder.location(location), elements)
    };
    // One scalar is less interesting.
    let scalars = rng.usize(1..=shape.max_scalars).max(rng.usize(1..=shape.max_scalars));
    let shared: Vec<Object> = ["x", "y", "z", "w"]
        .iter()
        .take(scalars)
        .map(|name| declare((*name).to_owned(), rng))
        .collect();
    // Fewer threads more often.
    let threads = 2 + rng.usize(..shape.max_threads - 1).min(rng.usize(..shape.max_threads - 1));
    let privates: Vec<Object> =
        (0..threads).map(|number| declare(format!("p{number}"), rng)).collect();
    let accesses = rng.usize(threads.min(shape.max_accesses)..=shape.max_accesses);
    let circle = 2 * threads <= shape.max_accesses && rng.bool();
    let accesses = if circle { accesses.max(2 * threads) } else { accesses };
    let mut written = 0;
    for (number, own) in privates.into_iter().enumerate() {
        // Two copies of one template count twice.
        let copies = if written + 1 < threads && rng.u32(..10) == 0 { 2 } else { 1 };
        if written >= threads {
            break;
        }
        written += copies;
        let mut body = Body::new(rng, shape, format!("P{number}"), &shared, own);
        body.simple = body.rng.bool();
        if copies == 2 {
            let register = body.template.integer_register("me");
            body.template.identity(Identity { register, first: 0 });
            body.template.count(Count::Exactly(2));
            body.readable.push(register);
        }
        let share = accesses / threads + usize::from(number < accesses % threads);
        body.budget = share;
        let start = body.at;
        if circle {
            body.random_or_nothing();
            body.step_of_circle(shared[number % scalars], 4);
            body.random_or_nothing();
            body.step_of_circle(shared[(number + 1) % threads % scalars], 1);
        }
        body.statements(8);
        let template = body.finish(start);
        builder.template(template);
    }
    builder.build().expect("random programs are valid")
}

/// A location and its number of cells.
type Object = (LocationId, Value);

/// A thread being written.
struct Body<'a> {
    rng: &'a mut Rng,
    shape: Shape,
    template: TemplateBuilder,
    shared: &'a [Object],
    own: Object,
    writable: Vec<RegisterId>,
    readable: Vec<RegisterId>,
    at: LabelId,
    simple: bool,
    /// How many more accesses there may be.
    budget: usize,
    in_section: bool,
}

impl<'a> Body<'a> {
    fn new(
        rng: &'a mut Rng,
        shape: Shape,
        name: String,
        shared: &'a [Object],
        own: Object,
    ) -> Self {
        let mut template = TemplateBuilder::new(name, Span::NONE);
        let writable = vec![template.integer_register("a"), template.integer_register("b")];
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
        }
    }

    fn finish(self, start: LabelId) -> Template {
        self.template.build(start)
    }

    fn one_in(&mut self, many: u32) -> bool {
        self.rng.u32(..many) == 0
    }

    fn new_label(&mut self) -> LabelId {
        let name = format!("l{}", self.template.labels().len());
        self.template.named_label(name)
    }

    fn then(&mut self, instruction: Instruction) {
        let next = self.new_label();
        self.template.bare_edge(self.at, next, instruction);
        self.at = next;
    }

    /// Writes statements until the accesses, or `most` statements, are used up.
    fn statements(&mut self, most: usize) {
        for _ in 0..most {
            if self.budget == 0 {
                return;
            }
            self.statement();
        }
    }

    fn random_or_nothing(&mut self) {
        if self.budget > 2 && self.one_in(3) {
            self.statement();
        }
    }

    /// An access to the first cell of `object`, a store so many times out of five.
    fn step_of_circle(&mut self, (location, _): Object, stores: u32) {
        let address = Expr::address(location);
        if self.rng.u32(..5) < stores {
            let value = Expr::Const(Value::from(self.rng.u8(1..3)));
            self.store_to(address, value);
        } else {
            self.load_from(address);
        }
    }

    fn statement(&mut self) {
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

    fn target(&mut self) -> RegisterId {
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

    fn condition(&mut self) -> Expr {
        let op = if self.rng.bool() { BinaryOp::Eq } else { BinaryOp::Ne };
        let constant = Value::from(self.rng.u8(..2));
        Expr::binary(op, self.register(), Expr::Const(constant))
    }

    fn address(&mut self) -> Expr {
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

    fn load(&mut self) {
        let address = self.address();
        self.load_from(address);
    }

    fn load_from(&mut self, address: Expr) {
        self.budget = self.budget.saturating_sub(1);
        let register = self.target();
        let order = if self.one_in(6) { Order::SeqCst } else { Order::Plain };
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
            1 => Update::Fetch { op: FetchOp::Add, operand: value },
            2 => {
                result = None;
                Update::BlockingReadWrite { expected: self.value(), new: value }
            }
            _ => Update::CompareAndSwap { expected: self.value(), new: value },
        };
        self.then(Instruction::Update { result, address, update, access: Access::PLAIN });
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
