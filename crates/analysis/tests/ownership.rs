//! Memory that one thread owns until it publishes it: final states, errors and deadlocks of random programs with
//! objects, pointers and signals against the oracle and against a search without reductions.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use analysis::{Options, Outcome, Query, Reductions, Verdict, outcomes, reach_under};
use fastrand::Rng;
use oracle::{Configuration, MemoryModel, final_states, reachable_errors};
use program::{
    Access, BinaryOp, Domain, EdgeId, Expr, FenceKind, FetchOp, Instruction, IntType, LabelId,
    Location, Outside, Program, ProgramBuilder, Register, RegisterId, Span, Template,
    TemplateBuilder, ThreadId, Update, Value,
};
use semantics::Model;

/// What registers and cells hold.
const WORD: Domain = match IntType::new(64, true) {
    Some(int) => Domain::Wrapping(int),
    None => Domain::Integer,
};
/// Where pointers are published.
const PLACES: [Value; 2] = [0, 8];
/// A cell that is set and waited for.
const SIGNAL: Value = 16;

/// The address of the `number`th object of a thread; it has two cells, of which the second is 8 bytes on.
fn object(thread: usize, number: usize) -> Value {
    4096 + 128 * Value::try_from(2 * thread + number).unwrap()
}

/// A thread that grows step by step.
struct Thread<'r> {
    number: usize,
    rng: &'r mut Rng,
    template: TemplateBuilder,
    first: LabelId,
    last: LabelId,
    pointer: RegisterId,
    read: RegisterId,
}

impl<'r> Thread<'r> {
    fn new(number: usize, rng: &'r mut Rng) -> Self {
        let mut template = TemplateBuilder::new(format!("t{number}"), Span::NONE);
        let mut register = |name: &str| {
            template.register(Register {
                name: name.to_owned(),
                initial: 0,
                domain: WORD,
                generated: false,
            })
        };
        let (pointer, read) = (register("pointer"), register("read"));
        let first = template.named_label("first");
        Self { number, rng, template, first, last: first, pointer, read }
    }

    fn label(&mut self) -> LabelId {
        let name = format!("l{}", self.template.labels().len());
        self.template.named_label(name)
    }

    fn then(&mut self, instruction: Instruction) {
        let next = self.label();
        self.template.bare_edge(self.last, next, instruction);
        self.last = next;
    }

    fn own(&mut self) -> Value {
        object(self.number, self.rng.usize(..2))
    }

    fn place(&mut self) -> Expr {
        Expr::Const(PLACES[self.rng.usize(..2)])
    }

    fn value(&mut self) -> Expr {
        match self.rng.u8(..4) {
            0 => Expr::Register(self.read),
            1 => Expr::Register(self.pointer),
            _ => Expr::Const(Value::from(self.rng.u8(1..3))),
        }
    }

    /// A load or a store.
    fn access(&mut self, address: Expr) -> Instruction {
        let access = Access::PLAIN;
        if self.rng.bool() {
            Instruction::Load { register: self.read, address, access }
        } else {
            Instruction::Store { address, value: self.value(), access }
        }
    }

    fn update(&mut self, address: Expr, update: Update) {
        let access = Access::PLAIN;
        self.then(Instruction::Update { result: Some(self.read), address, update, access });
    }

    fn step(&mut self, guesses: bool) {
        let field = Expr::Const(if self.rng.bool() { 0 } else { 8 });
        let add = |left, right| Expr::binary(BinaryOp::Add, left, right);
        match self.rng.u8(..16) {
            0..=4 => {
                let address = self.own() + if self.rng.bool() { 0 } else { 8 };
                let instruction = self.access(Expr::Const(address));
                self.then(instruction);
            }
            5 | 6 => {
                let (address, value) = (self.place(), Expr::Const(self.own()));
                self.then(Instruction::Store { address, value, access: Access::PLAIN });
            }
            7 => {
                let (address, new) = (self.place(), Expr::Const(self.own()));
                self.update(address, Update::CompareAndSwap { expected: Expr::Const(0), new });
            }
            8 => {
                let (address, new) = (self.place(), Expr::Const(self.own()));
                self.update(address, Update::Exchange(new));
            }
            9..=11 => {
                // What a pointer points to, if there is one.
                let (register, address) = (self.pointer, self.place());
                self.then(Instruction::Load { register, address, access: Access::PLAIN });
                let (inside, next) = (self.label(), self.label());
                let pointer = Expr::Register(self.pointer);
                let is_null = Expr::binary(BinaryOp::Lt, pointer.clone(), Expr::Const(4096));
                let is_some = Expr::binary(BinaryOp::Ge, pointer.clone(), Expr::Const(4096));
                self.template.bare_edge(self.last, next, Instruction::Assume(is_null));
                self.template.bare_edge(self.last, inside, Instruction::Assume(is_some));
                let instruction = self.access(add(pointer, field));
                self.template.bare_edge(inside, next, instruction);
                self.last = next;
            }
            12 => self.then(Instruction::Fence(FenceKind::Full)),
            13 => {
                // One of several ways, all private.
                let (next, address) = (self.label(), Expr::Const(self.own()));
                for _ in 0..2 {
                    let instruction = self.access(address.clone());
                    self.template.bare_edge(self.last, next, instruction);
                }
                self.last = next;
            }
            14 if self.number == 0 => {
                let update = Update::Fetch { op: FetchOp::Or, operand: Expr::Const(1) };
                self.update(Expr::Const(SIGNAL), update);
            }
            14 => {
                let (expected, new) = (Expr::Const(1), Expr::Const(1));
                let update = Update::BlockingReadWrite { expected, new };
                let (result, address, access) = (None, Expr::Const(SIGNAL), Access::PLAIN);
                self.then(Instruction::Update { result, address, update, access });
            }
            // An address that nobody was given.
            _ if guesses => {
                let other = object(1 - self.number, self.rng.usize(..2));
                let guessed = if self.rng.u8(..4) == 0 { SIGNAL } else { other };
                let (register, half) = (self.pointer, Expr::Const(guessed / 2));
                self.then(Instruction::Assign { register, value: add(half.clone(), half) });
                let instruction = self.access(Expr::Register(self.pointer));
                self.then(instruction);
            }
            _ => {
                let (is_one, next) = (self.label(), self.label());
                let read = Expr::Register(self.read);
                let one = Expr::binary(BinaryOp::Eq, read.clone(), Expr::Const(1));
                let other = Expr::binary(BinaryOp::Ne, read, Expr::Const(1));
                self.template.bare_edge(self.last, next, Instruction::Assume(other));
                self.template.bare_edge(self.last, is_one, Instruction::Assume(one));
                let fails = Instruction::Assert(Expr::Const(Value::from(self.rng.u8(..4) > 0)));
                self.template.bare_edge(is_one, next, fails);
                self.last = next;
            }
        }
    }

    fn finish(self) -> Template {
        self.template.build(self.first)
    }
}

fn random_program(rng: &mut Rng) -> Program {
    let guesses = rng.u8(..4) == 0;
    let mut builder = ProgramBuilder::new("random", Outside::Fault);
    let cells = PLACES.into_iter().chain([SIGNAL]);
    let own = (0..4).flat_map(|at| [0, 8].map(|field| object(at / 2, at % 2) + field));
    for address in cells.chain(own) {
        builder.location(Location {
            domain: WORD,
            ..Location::scalar(format!("c{address}"), address)
        });
    }
    for number in 0..2 {
        let steps = rng.usize(2..6);
        let mut thread = Thread::new(number, rng);
        (0..steps).for_each(|_| thread.step(guesses));
        builder.template(thread.finish());
    }
    builder.build().expect("a valid program")
}

fn options(reductions: Reductions) -> Options {
    Options { reductions, ..Options::default() }
}

/// Compares with the oracle; whether it could.
fn check(program: &Program) -> bool {
    let nobody = |_: &_| ControlFlow::Continue(());
    let limits = oracle::Limits { max_states: 100_000, max_length: 60 };
    for (model, of_oracle) in [(Model::Sc, MemoryModel::Sc), (Model::Tso, MemoryModel::Tso)] {
        let Ok(expected) = final_states(program, of_oracle, &limits) else { return false };
        let Ok(errors) = reachable_errors(program, of_oracle, &limits) else { return false };
        let outcome = |state: Configuration| Outcome {
            registers: state.threads.iter().map(|thread| thread.registers.clone()).collect(),
            changed_memory: state.cells,
        };
        let expected: BTreeSet<Outcome> = expected.into_iter().map(outcome).collect();
        let found = outcomes(program, model, &Options::default(), nobody).unwrap();
        assert_eq!(found.complete.clone().err(), None, "{program:#?}");
        assert!(found.found.iter().eq(expected.iter()), "{model:?}: {program:#?}");
        let of_error = |error: &analysis::Error| (error.thread, error.edge);
        let found_errors: BTreeSet<(ThreadId, EdgeId)> =
            found.errors.iter().map(of_error).collect();
        assert_eq!(found_errors, errors, "{model:?}: {program:#?}");
        // They panic if the semantics does not accept a run.
        assert!(found.found.iter().all(|outcome| found.run(program, outcome).is_some()));
        assert!(found.errors.iter().all(|error| found.failing_run(program, *error).is_some()));
    }
    let query = Query { faults: true, deadlocks: true, ..Query::default() };
    let violated = |verdict: &Verdict<_>| matches!(verdict, Verdict::Violated(_));
    let [all, none] = [Reductions::ALL, Reductions::NONE].map(|reductions| {
        let options = options(reductions);
        [Model::Sc, Model::Tso].map(|model| {
            violated(&reach_under(program, &query, model, &options, nobody).unwrap().verdict)
        })
    });
    assert_eq!(all, none, "{program:#?}");
    true
}

#[test]
fn random_programs_with_objects_agree() {
    let mut rng = Rng::with_seed(22);
    let count = 1500;
    let decided = (0..count).filter(|_| check(&random_program(&mut rng))).count();
    assert!(decided * 100 >= count * 99, "only {decided} of {count} programs were decided");
}

/// A thread that stores something and then looks at its own memory forever: the store reaches memory all the same.
#[test]
fn stores_reach_memory_while_their_thread_is_busy_with_its_own() {
    let mut rng = Rng::with_seed(1);
    let mut builder = ProgramBuilder::new("busy", Outside::Fault);
    for address in [PLACES[0], object(0, 0)] {
        let location = Location::scalar(format!("c{address}"), address);
        builder.location(Location { domain: WORD, ..location });
    }
    let access = Access::PLAIN;
    let place = || Expr::Const(PLACES[0]);
    let mut busy = Thread::new(0, &mut rng);
    busy.then(Instruction::Store { address: place(), value: Expr::Const(1), access });
    let (first, register) = (busy.last, busy.read);
    let own = || Expr::Const(object(0, 0));
    busy.then(Instruction::Load { register, address: own(), access });
    let again = Instruction::Load { register, address: own(), access };
    busy.template.bare_edge(busy.last, first, again);
    builder.template(busy.finish());
    let mut other = Thread::new(1, &mut rng);
    let read = other.read;
    other.then(Instruction::Load { register: read, address: place(), access });
    let is_zero = Expr::binary(BinaryOp::Eq, Expr::Register(read), Expr::Const(0));
    other.then(Instruction::Assert(is_zero));
    builder.template(other.finish());
    let program = builder.build().expect("a valid program");
    let query = Query { faults: true, ..Query::default() };
    let nobody = |_: &_| ControlFlow::Continue(());
    for model in [Model::Sc, Model::Tso] {
        let found = reach_under(&program, &query, model, &options(Reductions::ALL), nobody);
        assert!(matches!(found.unwrap().verdict, Verdict::Violated(_)), "{model:?}");
        let found =
            analysis::reach_with_buffers(&program, &query, &options(Reductions::ALL), nobody);
        assert!(matches!(found.unwrap().verdict, Verdict::Violated(_)), "with buffers");
    }
}

/// Threads that fill an object of their own, and publish it or not.
fn filling(stores: usize, publish: bool) -> Program {
    let mut rng = Rng::with_seed(1);
    let mut builder = ProgramBuilder::new("filling", Outside::Fault);
    builder.location(Location::scalar("place", PLACES[0]));
    for thread in 0..2 {
        builder.location(Location::scalar(format!("object {thread}"), object(thread, 0)));
    }
    for number in 0..2 {
        let mut thread = Thread::new(number, &mut rng);
        for value in 1..=stores {
            let (address, value) = (object(number, 0), Value::try_from(value).unwrap());
            let (address, value) = (Expr::Const(address), Expr::Const(value));
            thread.then(Instruction::Store { address, value, access: Access::PLAIN });
        }
        if publish {
            let address = Expr::Const(PLACES[0]);
            thread.update(address.clone(), Update::Exchange(Expr::Const(object(number, 0))));
            let (register, access) = (thread.pointer, Access::PLAIN);
            thread.then(Instruction::Load { register, address, access });
            let address = Expr::Register(thread.pointer);
            thread.then(Instruction::Load { register: thread.read, address, access });
        }
        builder.template(thread.finish());
    }
    builder.build().expect("a valid program")
}

/// What only one thread can reach takes neither interleavings nor room in buffers: the number of states does not
/// grow with the number of stores.
#[test]
fn what_is_not_published_costs_nothing() {
    let nobody = |_: &_| ControlFlow::Continue(());
    for publish in [false, true] {
        let states = [4, 40].map(|stores| {
            let program = filling(stores, publish);
            [Model::Sc, Model::Tso].map(|model| {
                outcomes(&program, model, &Options::default(), nobody).unwrap().statistics.states
            })
        });
        assert!(states[0][0] <= 40 && states[0][1] <= 60, "{states:?}");
        assert!(states[1][0] <= states[0][0] + 4 && states[1][1] <= states[0][1] + 4, "{states:?}");
    }
}

/// A thread puts nodes of its own into a place, each for a while, and another one looks there. What a node holds afterwards,
/// nobody can read. If `reads`, the other thread waits for the end and looks into the first node nevertheless, by an address that it
/// computes.
fn retiring(nodes: usize, reads: bool) -> Program {
    let mut rng = Rng::with_seed(1);
    let mut builder = ProgramBuilder::new("retiring", Outside::Fault);
    let access = Access::PLAIN;
    let place = || Expr::Const(PLACES[0]);
    for address in PLACES.into_iter().chain((0..nodes).map(|node| object(0, node))) {
        let location = Location::scalar(format!("c{address}"), address);
        builder.location(Location { domain: WORD, ..location });
    }
    let mut owner = Thread::new(0, &mut rng);
    for node in 0..nodes {
        let (register, own) = (owner.read, Expr::Const(object(0, node)));
        owner.then(Instruction::Choose { register, low: 1, high: 2 });
        let value = Expr::Register(register);
        owner.then(Instruction::Store { address: own.clone(), value, access });
        owner.update(place(), Update::Exchange(own));
        owner.update(place(), Update::Exchange(Expr::Const(0)));
    }
    owner.update(Expr::Const(PLACES[1]), Update::Exchange(Expr::Const(1)));
    builder.template(owner.finish());
    let mut other = Thread::new(1, &mut rng);
    let (register, address) = (other.pointer, Expr::Const(PLACES[usize::from(reads)]));
    other.then(Instruction::Load { register, address, access });
    if reads {
        let is_over = Expr::binary(BinaryOp::Eq, Expr::Register(register), Expr::Const(1));
        other.then(Instruction::Assume(is_over));
        let half = || Expr::Const(object(0, 0) / 2);
        let value = Expr::binary(BinaryOp::Add, half(), half());
        other.then(Instruction::Assign { register, value });
    } else {
        let is_some = Expr::binary(BinaryOp::Ge, Expr::Register(register), Expr::Const(4096));
        other.then(Instruction::Assume(is_some));
    }
    let (register, address) = (other.read, Expr::Register(register));
    other.then(Instruction::Load { register, address, access });
    let is_small = |least| Expr::binary(BinaryOp::Lt, Expr::Register(register), Expr::Const(least));
    other.then(Instruction::Assert(is_small(if reads { 2 } else { 3 })));
    builder.template(other.finish());
    builder.build().expect("a valid program")
}

/// What nobody can get to any more is forgotten, and remembered if somebody gets there after all.
#[test]
fn what_nobody_can_reach_any_more_is_forgotten() {
    let query = Query { faults: true, deadlocks: true, ..Query::default() };
    let nobody = |_: &_| ControlFlow::Continue(());
    let asked = |nodes, reads| {
        let program = retiring(nodes, reads);
        reach_under(&program, &query, Model::Sc, &options(Reductions::ALL), nobody).unwrap()
    };
    let states = [4, 12].map(|nodes| {
        let report = asked(nodes, false);
        assert!(matches!(report.verdict, Verdict::Holds(_)));
        report.statistics.states
    });
    // Not twice as many for each node.
    assert!(states[1] < 6 * states[0], "{states:?}");
    assert!(matches!(asked(3, true).verdict, Verdict::Violated(_)));
}
