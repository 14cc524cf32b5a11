//! Straight-line programs over a few scalars, written as lists of operations: litmus tests.

use program::{
    Access, Expr, FenceKind, Instruction, Location, Order, Outside, Program, ProgramBuilder,
    RegisterId, Span, TemplateBuilder, Update, Value,
};

/// One operation of a straight-line thread. Scalars are numbered from 0; whatever reads puts the
/// value into a new register of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Reads a scalar.
    Load(usize),
    /// Writes a constant.
    Store(usize, Value),
    /// Writes a constant in a sequentially consistent store.
    StoreSeqCst(usize, Value),
    /// Writes the value read last by this thread (0 if there is none).
    StoreLast(usize),
    /// A fence.
    Fence(FenceKind),
    /// Writes the second value if the first is read.
    CompareAndSwap(usize, Value, Value),
    /// Writes the second value once the first is read; blocks until then.
    BlockingReadWrite(usize, Value, Value),
    /// Writes a value and reads the old one.
    Exchange(usize, Value),
    /// An exclusive load.
    LoadExclusive(usize),
    /// An exclusive store of a constant.
    StoreExclusive(usize, Value),
    /// Blocks unless this thread last read this value.
    AssumeLast(Value),
    /// A fault unless this thread last read this value.
    AssertLast(Value),
    /// Enters a locked section.
    Lock,
    /// Leaves a locked section.
    Unlock,
}

impl Op {
    /// A full fence.
    pub const FENCE: Self = Self::Fence(FenceKind::Full);

    /// The scalar that is accessed.
    pub const fn scalar(self) -> Option<usize> {
        match self {
            Self::Load(scalar)
            | Self::Store(scalar, _)
            | Self::StoreSeqCst(scalar, _)
            | Self::StoreLast(scalar)
            | Self::CompareAndSwap(scalar, ..)
            | Self::BlockingReadWrite(scalar, ..)
            | Self::Exchange(scalar, _)
            | Self::LoadExclusive(scalar)
            | Self::StoreExclusive(scalar, _) => Some(scalar),
            Self::Fence(_)
            | Self::AssumeLast(_)
            | Self::AssertLast(_)
            | Self::Lock
            | Self::Unlock => None,
        }
    }
}

/// The program whose threads perform these operations. Scalars are called `x`, `y`, `z`, `w` and
/// then `v4`, `v5`, …, and start with zero.
pub fn straight_line(name: &str, threads: &[&[Op]]) -> Program {
    let mut builder = ProgramBuilder::new(name, Outside::Fault);
    let scalars = threads.iter().flat_map(|ops| ops.iter()).filter_map(|op| op.scalar()).max();
    let locations: Vec<_> = (0..scalars.map_or(0, |greatest| greatest + 1))
        .map(|number| {
            let name = ["x", "y", "z", "w"]
                .get(number)
                .map_or_else(|| format!("v{number}"), |name| (*name).to_owned());
            let base = Value::try_from(number).expect("few scalars");
            builder.location(Location::scalar(name, base))
        })
        .collect();
    let address = |scalar: usize| Expr::address(locations[scalar]);
    for (number, ops) in threads.iter().enumerate() {
        let mut template = TemplateBuilder::new(format!("P{number}"), Span::NONE);
        let start = template.named_label("l0");
        let mut at = start;
        let mut last: Option<RegisterId> = None;
        for (step, op) in ops.iter().enumerate() {
            let mut register = || template.integer_register(format!("r{step}"));
            let last_read = last.map_or(Expr::Const(0), Expr::Register);
            let last_is =
                |value| Expr::binary(program::BinaryOp::Eq, last_read.clone(), Expr::Const(value));
            let instruction = match *op {
                Op::Load(scalar) | Op::LoadExclusive(scalar) => Instruction::Load {
                    register: *last.insert(register()),
                    address: address(scalar),
                    access: Access {
                        exclusive: matches!(op, Op::LoadExclusive(_)),
                        ..Access::PLAIN
                    },
                },
                Op::Store(scalar, value) => store(address(scalar), value, Order::Plain),
                Op::StoreSeqCst(scalar, value) => store(address(scalar), value, Order::SeqCst),
                Op::StoreLast(scalar) => Instruction::Store {
                    address: address(scalar),
                    value: last_read,
                    access: Access::PLAIN,
                },
                Op::StoreExclusive(scalar, value) => Instruction::StoreExclusive {
                    status: register(),
                    address: address(scalar),
                    value: Expr::Const(value),
                    access: Access { exclusive: true, ..Access::PLAIN },
                },
                Op::CompareAndSwap(scalar, expected, new) => {
                    let update = Update::CompareAndSwap {
                        expected: Expr::Const(expected),
                        new: Expr::Const(new),
                    };
                    updating(Some(*last.insert(register())), address(scalar), update)
                }
                Op::Exchange(scalar, value) => {
                    let update = Update::Exchange(Expr::Const(value));
                    updating(Some(*last.insert(register())), address(scalar), update)
                }
                Op::BlockingReadWrite(scalar, expected, new) => {
                    let update = Update::BlockingReadWrite {
                        expected: Expr::Const(expected),
                        new: Expr::Const(new),
                    };
                    updating(None, address(scalar), update)
                }
                Op::Fence(kind) => Instruction::Fence(kind),
                Op::AssumeLast(value) => Instruction::Assume(last_is(value)),
                Op::AssertLast(value) => Instruction::Assert(last_is(value)),
                Op::Lock => Instruction::Lock,
                Op::Unlock => Instruction::Unlock,
            };
            let to = template.named_label(format!("l{}", step + 1));
            template.bare_edge(at, to, instruction);
            at = to;
        }
        builder.template(template.build(start));
    }
    builder.build().expect("straight-line programs are valid")
}

fn store(address: Expr, value: Value, order: Order) -> Instruction {
    Instruction::Store { address, value: Expr::Const(value), access: Access::with_order(order) }
}

fn updating(result: Option<RegisterId>, address: Expr, update: Update) -> Instruction {
    Instruction::Update { result, address, update, access: Access::PLAIN }
}
