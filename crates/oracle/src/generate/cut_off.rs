//! Programs that are translated up to a bound only.

use fastrand::Rng;
use program::{
    BinaryOp, Domain, Edge, Expr, Instruction, Program, Register, Template, TemplateBuilder, Value,
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
