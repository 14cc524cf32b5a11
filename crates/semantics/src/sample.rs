//! Small programs for tests, written tersely.
//!
//! Memory is flat (every address is a cell), each thread has four registers and runs its
//! instructions one after the other, so that edge `n` is instruction `n`.

use program::index::Idx;
use program::{
    Access, BinaryOp, Domain, EdgeId, Expr, Instruction, IntType, Location, Order, Outside,
    Program, ProgramBuilder, Register, RegisterId, Span, TemplateBuilder, ThreadId, Update, Value,
};

use crate::{
    Action, Choice, Computation, Machine, Model, Move, NotEnabled, Run, State, Step, replay,
};

pub(crate) const X: Value = 10;
pub(crate) const Y: Value = 20;
pub(crate) const Z: Value = 30;

/// A location that holds 0 to 3, at this address in every sample program.
pub(crate) const SMALL: Value = 40;
/// A location that holds an unsigned byte, at this address in every sample program.
pub(crate) const BYTE: Value = 50;
/// The register that holds 0 to 3; the others hold any integer.
pub(crate) const SMALL_REGISTER: usize = 3;

pub(crate) fn program(threads: Vec<Vec<Instruction>>) -> Program {
    let small = Domain::Range { low: 0, high: 3 };
    let mut builder = ProgramBuilder::new("sample", Outside::ZeroCell);
    builder.location(Location { domain: small, ..Location::scalar("small", SMALL) });
    let byte = Domain::Wrapping(IntType::new(8, false).expect("a type"));
    builder.location(Location { domain: byte, length: Some(1), ..Location::scalar("byte", BYTE) });
    for (number, instructions) in threads.into_iter().enumerate() {
        let mut template = TemplateBuilder::new(format!("t{number}"), Span::NONE);
        for register in 0..=SMALL_REGISTER {
            template.register(Register {
                name: format!("r{register}"),
                initial: 0,
                domain: if register == SMALL_REGISTER { small } else { Domain::Integer },
                generated: false,
            });
        }
        let start = template.named_label("l0");
        let mut from = start;
        for (number, instruction) in instructions.into_iter().enumerate() {
            let to = template.named_label(format!("l{}", number + 1));
            template.bare_edge(from, to, instruction);
            from = to;
        }
        builder.template(template.build(start));
    }
    builder.build().expect("a valid sample")
}

pub(crate) fn r(register: usize) -> RegisterId {
    RegisterId::new(register)
}

pub(crate) fn value_of(register: usize) -> Expr {
    Expr::register(r(register))
}

pub(crate) fn load(register: usize, address: Value) -> Instruction {
    Instruction::Load { register: r(register), address: address.constant(), access: Access::PLAIN }
}

pub(crate) fn load_exclusive(register: usize, address: Value) -> Instruction {
    let access = Access { exclusive: true, ..Access::PLAIN };
    Instruction::Load { register: r(register), address: address.constant(), access }
}

pub(crate) fn store(address: Value, value: Value) -> Instruction {
    Instruction::Store {
        address: address.constant(),
        value: value.constant(),
        access: Access::PLAIN,
    }
}

pub(crate) fn store_seq_cst(address: Value, value: Value) -> Instruction {
    let access = Access::with_order(Order::SeqCst);
    Instruction::Store { address: address.constant(), value: value.constant(), access }
}

pub(crate) fn store_exclusive(status: usize, address: Value, value: Value) -> Instruction {
    Instruction::StoreExclusive {
        status: r(status),
        address: address.constant(),
        value: value.constant(),
        access: Access { exclusive: true, ..Access::PLAIN },
    }
}

pub(crate) fn blocking_read_write(address: Value, expected: Value, new: Value) -> Instruction {
    Instruction::Update {
        result: None,
        address: address.constant(),
        update: Update::BlockingReadWrite { expected: expected.constant(), new: new.constant() },
        access: Access::PLAIN,
    }
}

pub(crate) fn update(register: usize, address: Value, update: Update) -> Instruction {
    Instruction::Update {
        result: Some(r(register)),
        address: address.constant(),
        update,
        access: Access::PLAIN,
    }
}

pub(crate) fn cas(register: usize, address: Value, expected: Value, new: Value) -> Instruction {
    let (expected, new) = (expected.constant(), new.constant());
    update(register, address, Update::CompareAndSwap { expected, new })
}

pub(crate) fn assign(register: usize, value: Expr) -> Instruction {
    Instruction::Assign { register: r(register), value }
}

pub(crate) fn binary(op: BinaryOp, left: Value, right: Value) -> Expr {
    Expr::binary(op, left.constant(), right.constant())
}

/// A value written as an expression.
pub(crate) trait Constant {
    fn constant(self) -> Expr;
}

impl Constant for Value {
    fn constant(self) -> Expr {
        Expr::Const(self)
    }
}

pub(crate) fn run(thread: usize, edge: usize) -> Move {
    choose(thread, edge, Choice::Determined)
}

pub(crate) fn choose(thread: usize, edge: usize, choice: Choice) -> Move {
    Move::Execute { thread: ThreadId::new(thread), edge: EdgeId::new(edge), choice }
}

pub(crate) fn commit(thread: usize) -> Move {
    Move::Commit { thread: ThreadId::new(thread) }
}

/// The computation that makes these moves, or the first that is not enabled and why.
pub(crate) fn computation(
    program: &Program,
    model: Model,
    moves: &[Move],
) -> Result<Computation, (usize, NotEnabled)> {
    let machine = Machine::new(program, model).expect("samples have a count");
    let mut state = machine.initial();
    let mut steps = Vec::new();
    for (number, taken) in moves.iter().enumerate() {
        let (next, actions) = machine.apply(&state, *taken).map_err(|why| (number, why))?;
        steps.push(Step { taken: *taken, actions });
        state = next;
    }
    Ok(Computation { model, steps })
}

/// The run that makes these moves.
pub(crate) fn performed<'p>(program: &'p Program, model: Model, moves: &[Move]) -> Run<'p> {
    let claimed = computation(program, model, moves).expect("all moves are enabled");
    replay(program, &claimed).expect("what was performed can be replayed")
}

/// The state after these moves, and the actions of the last.
pub(crate) fn after(program: &Program, model: Model, moves: &[Move]) -> (State, Vec<Action>) {
    let run = performed(program, model, moves);
    let last = run.steps().last().map(|step| step.actions.clone()).unwrap_or_default();
    (run.last().clone(), last)
}

/// Checks that the last of these moves, and none before it, is not enabled, and why.
pub(crate) fn check_blocked(program: &Program, model: Model, moves: &[Move], why: NotEnabled) {
    assert_eq!(computation(program, model, moves).err(), Some((moves.len() - 1, why)));
}

/// Store buffering, Fig. 2 of the ESOP'13 paper: each thread writes one variable and reads the
/// other.
pub(crate) fn dekker() -> Program {
    program(vec![vec![store(X, 1), load(1, Y)], vec![store(Y, 1), load(2, X)]])
}

/// The run of Fig. 3 of the ESOP'13 paper, in which the store of the first thread is delayed.
pub(crate) fn dekker_run() -> Vec<Move> {
    vec![run(0, 0), run(0, 1), run(1, 0), commit(1), run(1, 1), commit(0)]
}
