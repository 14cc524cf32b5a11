//! Programs that are translated up to a bound only.

use fastrand::Rng;
use program::{
    BinaryOp, Domain, Edge, EdgeId, Expr, Instruction, Program, Register, RegisterId, Template,
    TemplateBuilder, Value,
};

/// What bounds are called.
pub const BOUND: &str = "a bound";

/// The program without what lies behind some edges, each of which is a bound instead; some threads
/// are left as they are.
pub fn cut_off(program: &Program, rng: &mut Rng) -> Program {
    let cut = |template: &Template| {
        let mut builder = TemplateBuilder::like(template);
        let at = rng.usize(..2 * template.edges().len() + 2);
        let bound = bound(&mut builder);
        let end = builder.named_label("beyond");
        for (number, edge) in template.edges().iter().enumerate() {
            builder.edge(if number == at {
                Edge { to: end, instruction: bound.clone(), ..edge.clone() }
            } else {
                edge.clone()
            });
        }
        builder.build(template.initial())
    };
    program.with_templates(program.templates().iter().map(cut).collect())
}

/// The program with bounds that depend on what is read: after some loads and updates, those that get a
/// certain value come to one; some threads are left as they are.
pub fn cut_off_where_read(program: &Program, rng: &mut Rng) -> Program {
    let cut = |template: &Template| {
        let mut builder = TemplateBuilder::like(template);
        let bound = bound(&mut builder);
        let reads = template.edges().enumerate().filter_map(|(id, edge)| {
            let read = edge.instruction.memory_access().and(edge.instruction.written_register());
            read.map(|register| (id, register))
        });
        let reads: Vec<(EdgeId, RegisterId)> = reads.collect();
        let at = rng.usize(..=2 * reads.len());
        let value = Expr::Const(Value::from(rng.u8(..3)));
        for (id, edge) in template.edges().enumerate() {
            let mut edge = edge.clone();
            if let Some((_, register)) = reads.get(at).filter(|(read, _)| *read == id) {
                let (read, before) = (builder.named_label("read"), builder.named_label("before"));
                let end = builder.named_label("beyond");
                let is_it = Expr::binary(BinaryOp::Eq, Expr::Register(*register), value.clone());
                let goes_on = Instruction::Assume(is_it.clone().negated());
                builder.bare_edge(read, edge.to, goes_on);
                builder.bare_edge(read, before, Instruction::Assume(is_it));
                builder.bare_edge(before, end, bound.clone());
                edge.to = read;
            }
            builder.edge(edge);
        }
        builder.build(template.initial())
    };
    program.with_templates(program.templates().iter().map(cut).collect())
}

/// A bound: an assignment to a register of its own that never succeeds.
pub fn bound(builder: &mut TemplateBuilder) -> Instruction {
    let register = builder.register(Register {
        name: BOUND.to_owned(),
        initial: 0,
        domain: Domain::Integer,
        generated: true,
    });
    let greatest = Expr::Const(Value::from(i64::MAX));
    Instruction::Assign { register, value: Expr::binary(BinaryOp::Add, greatest, Expr::Const(1)) }
}
