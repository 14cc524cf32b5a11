//! What an instrumented program is to reach, and why there may be none.

use std::fmt;

use program::validate::Defect;
use program::{
    Access, Expr, Instruction, LocationId, Parameterised, Program, Span, Template, TemplateBuilder,
    Value,
};

/// The states to look for: those in which a memory cell holds [`Goal::VALUE`]. It starts with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The location of the cell, a scalar.
    pub location: LocationId,
    /// Its address.
    pub address: Value,
}

impl Goal {
    /// What the cell holds once the goal is reached.
    pub const VALUE: Value = 1;

    /// The store that reaches the goal.
    pub(crate) fn reach(self) -> Instruction {
        let (address, value) = (Expr::address(self.location), Expr::Const(Self::VALUE));
        Instruction::Store { address, value, access: Access::PLAIN }
    }
}

/// A program that reaches a goal under SC exactly if the answer to some question is yes.
#[derive(Clone, Debug)]
pub struct Instrumented {
    /// The program.
    pub program: Program,
    /// Its goal.
    pub goal: Goal,
}

impl Instrumented {
    /// The same program with an assertion that fails where the goal is reached, and no other.
    pub fn with_assertion(&self) -> Program {
        let reach = self.goal.reach();
        let templates = self.program.templates().iter();
        self.program.with_templates(templates.map(|template| asserting(template, &reach)).collect())
    }
}

/// The template with a failing assertion after each `reach`.
fn asserting(template: &Template, reach: &Instruction) -> Template {
    let mut builder = TemplateBuilder::new(template.name(), template.span());
    for register in template.registers() {
        builder.register(register.clone());
    }
    for label in template.labels() {
        builder.label(label.clone());
    }
    for edge in template.edges() {
        builder.edge(edge.clone());
        if edge.instruction == *reach {
            // All of them lead to one label that nothing else leads to and nothing leaves.
            let already = builder.edges().iter().any(|other| other.from == edge.to);
            if !already {
                let fails = Instruction::Assert(Expr::Const(0));
                builder.bare_edge(edge.to, edge.to, fails);
            }
        }
    }
    builder.build(template.initial())
}

/// Why there is no instrumented program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// The program stands for infinitely many.
    Parameterised(Parameterised),
    /// The attack is not one of the program: no such thread, or its edges are not a store that can
    /// be delayed and a load.
    NotAnAttack,
    /// Something is accessed across several cells, and here an access has one.
    AccessAcross {
        /// Where.
        at: Span,
    },
    /// The auxiliary cells or expressions do not fit into the program model.
    DoesNotFit(Vec<Defect>),
}

impl Impossible {
    /// Where it shows, if it shows at a place.
    pub fn span(&self) -> Span {
        match self {
            Self::DoesNotFit(defects) => defects.first().map_or(Span::NONE, |defect| defect.span),
            Self::AccessAcross { at } => *at,
            Self::Parameterised(_) | Self::NotAnAttack => Span::NONE,
        }
    }
}

impl From<Parameterised> for Impossible {
    fn from(parameterised: Parameterised) -> Self {
        Self::Parameterised(parameterised)
    }
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameterised(parameterised) => parameterised.fmt(f),
            Self::NotAnAttack => {
                f.write_str("an attack is a store that can be delayed and a load of one thread")
            }
            Self::AccessAcross { .. } => f.write_str(
                "the same bytes are accessed with different widths, which instrumentation cannot follow",
            ),
            Self::DoesNotFit(defects) => {
                f.write_str("there is no room for what instrumentation adds")?;
                defects.first().map_or(Ok(()), |defect| write!(f, ": {}", defect.message))
            }
        }
    }
}
