//! What may be in memory, where addresses are not known.

use events::{Action, LocationSet, Positions, Rounds, of_program};
use program::{
    Access, Expr, Instruction, Outside, ProgramBuilder, RegisterId, Span, TemplateBuilder,
};

/// One thread stores 7 somewhere, the other follows what it finds at address 3.
#[test]
fn a_store_to_an_unknown_address_may_be_anywhere() {
    let mut builder = ProgramBuilder::new("anywhere", Outside::ZeroCell);
    let access = Access::PLAIN;
    let mut thread = |name: &str, steps: &dyn Fn([RegisterId; 2]) -> [Instruction; 2]| {
        let mut template = TemplateBuilder::new(name, Span::NONE);
        let registers = [template.integer_register("r"), template.integer_register("s")];
        let start = template.named_label("l0");
        let mut at = start;
        for (number, instruction) in steps(registers).into_iter().enumerate() {
            let to = template.named_label(format!("l{}", number + 1));
            template.bare_edge(at, to, instruction);
            at = to;
        }
        builder.template(template.build(start));
    };
    thread("p", &|[r, _]| {
        [
            Instruction::Choose { register: r, low: 0, high: 1000 },
            Instruction::Store { address: Expr::Register(r), value: Expr::Const(7), access },
        ]
    });
    thread("q", &|[r, s]| {
        [
            Instruction::Load { register: r, address: Expr::Const(3), access },
            Instruction::Load { register: s, address: Expr::Register(r), access },
        ]
    });
    let program = builder.build().expect("a program");
    let graph = of_program(&program, Positions::AfterInstructions, Rounds::All).graph;
    let mut accesses =
        graph.functions.iter().flat_map(|function| &function.nodes).filter_map(|node| match &node
            .action
        {
            Action::Access(access) => Some(&access.locations),
            Action::Skip | Action::Fence(_) | Action::Call(_) => None,
        });
    assert_eq!(accesses.next_back(), Some(&LocationSet::Any));
}
