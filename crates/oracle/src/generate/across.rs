//! Random programs that access the same bytes with different widths, and programs whose cells are divided.

use fastrand::Rng;
use program::{
    Access, AccessWidth, BinaryOp, Domain, Expr, FenceKind, FetchOp, Initial, Instruction, IntType,
    Location, LocationId, Order, Outside, Program, ProgramBuilder, RegisterId, Template,
    TemplateBuilder, Update, Value,
};

/// How many bytes each location has.
const BYTES: u8 = 4;

fn unsigned(bits: u8) -> IntType {
    IntType::new(bits, false).expect("a width of a C type")
}

/// Endlessly many programs without loops in which loads, stores, updates and exclusive accesses of one, two
/// and four bytes overlap.
pub fn random_programs_across(seed: u64) -> impl Iterator<Item = Program> {
    let mut rng = Rng::with_seed(seed);
    std::iter::repeat_with(move || random_program(&mut rng))
}

fn random_program(rng: &mut Rng) -> Program {
    let mut builder = ProgramBuilder::new("across", Outside::Fault);
    // Cells as narrow as the narrowest access, or narrower.
    let cell = [1, 1, 2][rng.usize(..3)];
    let locations: Vec<LocationId> = ["x", "y"][..=usize::from(rng.u32(..3) == 0)]
        .iter()
        .zip([16, 32])
        .map(|(name, base)| {
            builder.location(Location {
                length: Some(u64::from(BYTES / cell)),
                stride: u64::from(cell),
                domain: Domain::Wrapping(unsigned(cell * 8)),
                initial: Initial::Uniform([0, 0, 7][rng.usize(..3)]),
                parts: BYTES / cell,
                ..Location::scalar(*name, base)
            })
        })
        .collect();
    let threads = 2 + usize::from(rng.u32(..4) == 0);
    let mut accesses = 5;
    for number in 0..threads {
        // At least one is left for each of the others.
        let most: usize = accesses - (threads - number - 1);
        let taken = rng.usize(1..=most.min(3));
        accesses -= taken;
        let mut body = Body {
            rng: &mut *rng,
            builder: TemplateBuilder::new(format!("P{number}"), program::Span::NONE),
            locations: &locations,
            cell,
            steps: Vec::new(),
            registers: 0,
            last: None,
        };
        for _ in 0..taken {
            body.access();
        }
        let template = body.finish();
        builder.template(template);
    }
    builder.build().expect("these programs are valid")
}

struct Body<'r> {
    rng: &'r mut Rng,
    builder: TemplateBuilder,
    locations: &'r [LocationId],
    cell: u8,
    steps: Vec<Instruction>,
    registers: usize,
    /// What was read last.
    last: Option<RegisterId>,
}

impl Body<'_> {
    fn register(&mut self) -> RegisterId {
        self.registers += 1;
        self.builder.integer_register(format!("r{}", self.registers))
    }

    /// An address and how it is accessed.
    fn place(&mut self) -> (Expr, Access) {
        let location = self.locations[self.rng.usize(..self.locations.len())];
        let bytes = [1, 2, 2, 4][self.rng.usize(..4)].max(self.cell);
        let places = BYTES / bytes;
        let mut index = self.rng.u8(..places) * bytes / self.cell;
        if self.rng.u32(..60) == 0 {
            // Perhaps not aligned, or beyond the end.
            index = self.rng.u8(..BYTES / self.cell);
        }
        let index = Expr::Const(index.into());
        // What an address is computed from does not change it.
        let index = match self.last {
            Some(last) if self.rng.u32(..5) == 0 => {
                let nothing =
                    Expr::binary(BinaryOp::BitXor, Expr::Register(last), Expr::Register(last));
                Expr::binary(BinaryOp::Add, index, nothing)
            }
            Some(_) | None => index,
        };
        let int = IntType::new(bytes * 8, self.rng.bool()).expect("a width of a C type");
        let access = Access { width: AccessWidth::Across(int), ..Access::PLAIN };
        (Expr::Element(location, Box::new(index)), access)
    }

    fn value(&mut self) -> Expr {
        match self.last {
            Some(last) if self.rng.u32(..4) == 0 => Expr::Register(last),
            Some(_) | None => Expr::Const([0x0102_0304, 0x0101_0101, 5, -1][self.rng.usize(..4)]),
        }
    }

    fn access(&mut self) {
        let (address, access) = self.place();
        match self.rng.u32(..20) {
            0..=7 => {
                let register = self.register();
                self.steps.push(Instruction::Load { register, address, access });
                self.last = Some(register);
            }
            8..=14 => {
                let order = if self.rng.u32(..8) == 0 { Order::SeqCst } else { Order::Plain };
                let (value, access) = (self.value(), Access { order, ..access });
                self.steps.push(Instruction::Store { address, value, access });
            }
            15 => {
                let (to, status) = (self.register(), self.register());
                let access = Access { exclusive: true, ..access };
                let load = Instruction::Load { register: to, address: address.clone(), access };
                self.steps.push(load);
                // Sometimes somewhere else, or of another width.
                let (address, access) = if self.rng.u32(..4) == 0 {
                    let (address, access) = self.place();
                    (address, Access { exclusive: true, ..access })
                } else {
                    (address, access)
                };
                let value = self.value();
                self.steps.push(Instruction::StoreExclusive { status, address, value, access });
                self.last = Some(to);
            }
            choice => {
                let register = self.register();
                let update = match choice {
                    16 | 17 => Update::Exchange(self.value()),
                    18 => Update::Fetch { op: FetchOp::Add, operand: self.value() },
                    _ => Update::CompareAndSwap { expected: Expr::Const(0), new: self.value() },
                };
                let result = Some(register);
                self.steps.push(Instruction::Update { result, address, update, access });
                self.last = Some(register);
            }
        }
        if self.rng.u32(..8) == 0 {
            let kind = FenceKind::ALL[self.rng.usize(..FenceKind::ALL.len())];
            self.steps.push(Instruction::Fence(kind));
        }
    }

    fn finish(mut self) -> Template {
        let start = self.builder.named_label("start");
        let mut at = start;
        for (number, step) in self.steps.into_iter().enumerate() {
            let next = self.builder.named_label(format!("l{number}"));
            self.builder.bare_edge(at, next, step);
            at = next;
        }
        self.builder.build(start)
    }
}

/// The same program twice: with cells of two bytes, and with each of them divided into two that all accesses
/// cover together.
pub fn whole_and_divided(program: &Program) -> [Program; 2] {
    [false, true].map(|divides| {
        let mut builder = ProgramBuilder::new(program.name(), program.memory().outside());
        let (cell, parts) = if divides { (unsigned(8), 2) } else { (unsigned(16), 1) };
        let whole = unsigned(16);
        for location in program.memory().locations() {
            let values = (0..location.cells()).flat_map(|index| {
                let value = whole.wrap(location.initial_value(index));
                (0..parts).map(move |part| cell.wrap(value >> (8 * part)))
            });
            let cells = location.cells() * u64::from(parts);
            builder.location(Location {
                base: location.base * 16,
                length: Some(cells).filter(|cells| location.length.is_some() || *cells > 1),
                stride: u64::from(cell.bits() / 8),
                initial: Initial::Each(values.collect()),
                domain: Domain::Wrapping(cell),
                parts,
                ..location.clone()
            });
        }
        let moved = |_: LocationId, index: &Expr| {
            let moves = divides && *index != Expr::Const(0);
            let parts = Expr::Const(Value::from(parts));
            moves.then(|| Expr::binary(BinaryOp::Mul, index.clone(), parts))
        };
        let width = if divides { AccessWidth::Across(whole) } else { AccessWidth::Bytes(2) };
        for template in program.templates() {
            builder.template(template.with_instructions(|instruction| {
                let access = |_: &Expr, access: Access| Access { width, ..access };
                instruction.rewritten(&|expr| expr.with_indices(&moved), &access)
            }));
        }
        builder.build().expect("a valid program stays one")
    })
}
