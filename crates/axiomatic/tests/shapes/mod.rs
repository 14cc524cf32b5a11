//! Litmus tests written down directly: straight threads whose accesses may depend on what the
//! thread read last, and the one final state that is asked about.

pub(crate) mod families;
pub(crate) mod preserved;

use axiomatic::{Limits, Model, outcomes};
use program::{
    Access, BinaryOp, Expr, FenceKind, Instruction, Location, LocationId, Observable, Order,
    Outside, Program, ProgramBuilder, Proposition, Quantifier, Question, RegisterId, Span,
    TemplateBuilder, TemplateId, Value, index::Idx,
};

/// How an access depends on what its thread read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dep {
    No,
    Addr,
    Data,
}

/// One step of a thread. Locations are numbered; each read has a register of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    R(usize, Dep, Order),
    W(usize, Value, Dep, Order),
    Fence(FenceKind),
    /// A branch on what was read last, both of whose ways lead on.
    Branch,
}

/// A plain read.
pub(crate) const fn r(location: usize) -> Op {
    Op::R(location, Dep::No, Order::Plain)
}

/// A plain write.
pub(crate) const fn w(location: usize, value: Value) -> Op {
    Op::W(location, value, Dep::No, Order::Plain)
}

/// What stands between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    Po,
    Fence(FenceKind),
    Addr,
    Data,
    Ctrl,
    /// A branch and a control fence.
    CtrlFence,
    /// Nothing, but the accesses have these orders.
    Orders(Order, Order),
}

/// Two accesses with something between them.
pub(crate) fn pair(first: Op, between: Between, second: Op) -> Vec<Op> {
    match between {
        Between::Po => vec![first, second],
        Between::Fence(kind) => vec![first, Op::Fence(kind), second],
        Between::Addr => vec![first, depending(second, Dep::Addr)],
        Between::Data => vec![first, depending(second, Dep::Data)],
        Between::Ctrl => vec![first, Op::Branch, second],
        Between::CtrlFence => vec![first, Op::Branch, Op::Fence(FenceKind::Control), second],
        Between::Orders(one, other) => vec![ordered(first, one), ordered(second, other)],
    }
}

pub(crate) fn depending(op: Op, dep: Dep) -> Op {
    match op {
        Op::R(location, _, order) => Op::R(location, dep, order),
        Op::W(location, value, _, order) => Op::W(location, value, dep, order),
        Op::Fence(_) | Op::Branch => op,
    }
}

fn ordered(op: Op, order: Order) -> Op {
    match op {
        Op::R(location, dep, _) => Op::R(location, dep, order),
        Op::W(location, value, dep, _) => Op::W(location, value, dep, order),
        Op::Fence(_) | Op::Branch => op,
    }
}

/// A test: threads; the values that are read, in the order of threads and reads; the values in
/// memory in the end.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) threads: Vec<Vec<Op>>,
    pub(crate) read: Vec<Value>,
    pub(crate) memory: Vec<(usize, Value)>,
}

/// Where a location is.
fn base(location: usize) -> Value {
    Value::try_from(location).expect("few locations") * 8
}

impl Test {
    /// The program, which asks whether the state exists.
    pub(crate) fn program(&self) -> Program {
        let mut builder = ProgramBuilder::new("test", Outside::Fault);
        let locations: Vec<LocationId> = (0..4)
            .map(|number| builder.location(Location::scalar(format!("x{number}"), base(number))))
            .collect();
        let mut seen = Proposition::Constant(true);
        let mut values = self.read.iter();
        let and = |seen: &mut Proposition, observable, value| {
            let more = Proposition::Equals(observable, value);
            *seen = Proposition::And(Box::new(seen.clone()), Box::new(more));
        };
        for (number, ops) in self.threads.iter().enumerate() {
            let mut template = TemplateBuilder::new(format!("P{number}"), Span::NONE);
            let reads = add(&mut template, ops, &locations);
            let start = Idx::new(0);
            builder.template(template.build(start));
            for register in reads {
                let value = *values.next().expect("a value for each read");
                let template = TemplateId::new(number);
                and(&mut seen, Observable::Register { template, copy: 0, register }, value);
            }
        }
        for (location, value) in &self.memory {
            and(&mut seen, Observable::Cell(base(*location)), *value);
        }
        let condition = Some((Quantifier::Exists, seen));
        builder.question(Question { condition, ..Question::default() });
        builder.build().expect("tests are valid")
    }

    /// Whether a model allows the state.
    pub(crate) fn allowed(&self, model: Model) -> bool {
        let program = self.program();
        let outcomes = outcomes(&program, model, &Limits::default()).expect("tests are small");
        outcomes.answer(&program).expect("tests ask").holds
    }
}

/// Adds the steps of a thread and returns the registers of its reads.
fn add(template: &mut TemplateBuilder, ops: &[Op], locations: &[LocationId]) -> Vec<RegisterId> {
    let mut reads: Vec<RegisterId> = Vec::new();
    let mut at = template.named_label("l0");
    for (step, op) in ops.iter().enumerate() {
        let to = template.named_label(format!("l{}", step + 1));
        let last = reads.last().map_or(Expr::Const(0), |register| Expr::Register(*register));
        let zero = Expr::binary(BinaryOp::BitXor, last.clone(), last.clone());
        let address = |location: usize, dep: Dep| match dep {
            Dep::Addr => {
                Expr::binary(BinaryOp::Add, Expr::address(locations[location]), zero.clone())
            }
            Dep::No | Dep::Data => Expr::address(locations[location]),
        };
        match *op {
            Op::R(location, dep, order) => {
                let register = template.integer_register(format!("r{step}"));
                reads.push(register);
                let access = Access::with_order(order);
                let address = address(location, dep);
                template.bare_edge(at, to, Instruction::Load { register, address, access });
            }
            Op::W(location, value, dep, order) => {
                let constant = Expr::Const(value);
                let value = match dep {
                    Dep::Data => Expr::binary(BinaryOp::Add, constant, zero.clone()),
                    Dep::No | Dep::Addr => constant,
                };
                let access = Access::with_order(order);
                let address = address(location, dep);
                template.bare_edge(at, to, Instruction::Store { address, value, access });
            }
            Op::Fence(kind) => template.bare_edge(at, to, Instruction::Fence(kind)),
            Op::Branch => {
                let is = |op| Expr::binary(op, last.clone(), Expr::Const(0));
                template.bare_edge(at, to, Instruction::Assume(is(BinaryOp::Eq)));
                template.bare_edge(at, to, Instruction::Assume(is(BinaryOp::Ne)));
            }
        }
        at = to;
    }
    reads
}
