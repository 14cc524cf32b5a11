//! Programs that the oracle's generators do not make: many locked sections, exclusive pairs and
//! sequentially consistent stores; computed addresses in memory of either kind; registers and cells
//! that refuse values.

use fastrand::Rng;
use oracle::generate::straight::{Op, straight_line};
use program::{
    BinaryOp, Domain, Expr, IndexVec, Instruction, Location, LocationId, Outside, Program,
    ProgramBuilder, Register, Template, TemplateBuilder, Update, Value,
};

/// Endlessly many straight-line programs with sections and exclusive pairs.
pub(crate) fn locking_programs(seed: u64, most: usize) -> impl Iterator<Item = Program> {
    let mut rng = Rng::with_seed(seed);
    std::iter::repeat_with(move || {
        let threads = rng.usize(2..=3);
        let scalars = rng.usize(2..=3);
        let mut left = most;
        let bodies: Vec<Vec<Op>> = (0..threads)
            .map(|number| {
                let share = left / (threads - number);
                let body = locking_thread(&mut rng, scalars, share);
                left -= share;
                body
            })
            .collect();
        let bodies: Vec<&[Op]> = bodies.iter().map(Vec::as_slice).collect();
        straight_line("locking", &bodies)
    })
}

fn locking_thread(rng: &mut Rng, scalars: usize, accesses: usize) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut left = accesses;
    while left > 0 {
        match rng.u32(..6) {
            0 | 1 => {
                ops.push(Op::Lock);
                for _ in 0..rng.usize(1..=3).min(left) {
                    left -= 1;
                    ops.push(access(rng, scalars));
                }
                // Some sections are left with a fault, are entered twice or never left.
                if rng.u32(..12) > 0 {
                    ops.push(Op::Unlock);
                }
            }
            2 => {
                left = left.saturating_sub(2);
                let scalar = rng.usize(..scalars);
                ops.push(Op::LoadExclusive(scalar));
                if rng.u32(..3) == 0 {
                    ops.push(access(rng, scalars));
                    left = left.saturating_sub(1);
                }
                ops.push(Op::StoreExclusive(scalar, 2));
            }
            _ => {
                left -= 1;
                ops.push(access(rng, scalars));
            }
        }
        if rng.u32(..8) == 0 {
            ops.push(Op::AssertLast(0));
        }
    }
    ops
}

fn access(rng: &mut Rng, scalars: usize) -> Op {
    let scalar = rng.usize(..scalars);
    match rng.u32(..16) {
        0 => Op::CompareAndSwap(scalar, 0, 1),
        1 => Op::Exchange(scalar, 1),
        2 => Op::StoreSeqCst(scalar, 1),
        3 => Op::StoreLast(scalar),
        4 => Op::BlockingReadWrite(scalar, 0, 2),
        5..=9 => Op::Load(scalar),
        _ => Op::Store(scalar, 1),
    }
}

/// The same program with some addresses computed, some memory without declarations, and some
/// registers and cells of two values.
pub(crate) fn disguised(program: &Program, rng: &mut Rng) -> Program {
    let outside = if rng.bool() { Outside::Fault } else { Outside::ZeroCell };
    let computed = rng.bool();
    let refusing = rng.bool();
    let narrow = |domain: Domain, rng: &mut Rng| {
        if refusing && rng.u32(..3) == 0 { Domain::Range { low: 0, high: 1 } } else { domain }
    };
    let mut builder = ProgramBuilder::new(program.name(), outside);
    let locations: IndexVec<LocationId, Location> = program.memory().locations().clone();
    for location in &locations {
        let domain = narrow(location.domain, rng);
        builder.location(Location { domain, ..location.clone() });
    }
    for template in program.templates() {
        let identity = template.identity().map(|identity| identity.register);
        let mut copy = TemplateBuilder::new(template.name(), template.span());
        copy.count(template.count());
        for (id, register) in template.registers().enumerate() {
            let domain =
                if identity == Some(id) { register.domain } else { narrow(register.domain, rng) };
            copy.register(Register { domain, ..register.clone() });
        }
        if let Some(identity) = template.identity() {
            copy.identity(identity);
        }
        for label in template.labels() {
            copy.label(label.clone());
        }
        for edge in template.edges() {
            let mut edge = edge.clone();
            if computed && rng.bool() {
                compute(&mut edge.instruction, &locations, rng);
            }
            copy.edge(edge);
        }
        builder.template(Template::clone(&copy.build(template.initial())));
    }
    builder.build().expect("still a valid program")
}

fn compute(
    instruction: &mut Instruction,
    locations: &IndexVec<LocationId, Location>,
    rng: &mut Rng,
) {
    let (Instruction::Load { address, .. }
    | Instruction::Store { address, .. }
    | Instruction::StoreExclusive { address, .. }
    | Instruction::Update { address, .. }) = instruction
    else {
        return;
    };
    let Expr::Element(location, index) = address.clone() else { return };
    let base = Expr::Const(locations[location].base);
    *address = match rng.u32(..4) {
        0 => Expr::binary(BinaryOp::Add, Expr::address(location), *index),
        // Sometimes no cell's address.
        1 => Expr::binary(BinaryOp::Sub, base, *index),
        _ => Expr::binary(BinaryOp::Add, base, *index),
    };
    // An address may also be a value.
    if let Instruction::Store { value, .. }
    | Instruction::Update { update: Update::Exchange(value), .. } = instruction
        && rng.u32(..6) == 0
    {
        let elsewhere = Expr::Const(Value::from(rng.u8(..2)));
        *value = Expr::binary(BinaryOp::Sub, Expr::address(location), elsewhere);
    }
}
