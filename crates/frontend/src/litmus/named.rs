//! Constant addresses as the variables that they are.
//!
//! Programs in C and Rust are translated to accesses by number. Where the number is the address of a cell, it is that cell,
//! wherever memory is laid out: so a program in which all addresses are constants is a litmus test.

use program::{Expr, Instruction, Memory, Program, Template, Value};

/// The program with every constant address of an access written as an element of its location.
pub(super) fn with_named_cells(program: &Program) -> Program {
    let named = |template: &Template| {
        template.with_instructions(|instruction| accessing_by_name(instruction, program.memory()))
    };
    program.with_templates(program.templates().iter().map(named).collect())
}

fn accessing_by_name(instruction: &Instruction, memory: &Memory) -> Instruction {
    let address = instruction.memory_access().map(|(address, _)| address);
    let named = |expr: &Expr| match expr {
        Expr::Const(at) if address.is_some_and(|address| std::ptr::eq(address, expr)) => {
            element(*at, memory).unwrap_or_else(|| expr.clone())
        }
        Expr::Const(_)
        | Expr::Register(_)
        | Expr::Element(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..) => expr.clone(),
    };
    instruction.rewritten(&named, &|_, access| access)
}

fn element(address: Value, memory: &Memory) -> Option<Expr> {
    let (location, index) = memory.place(address)?;
    let index = Value::from(index);
    let is_there = memory.location(location).address(index) == Ok(address);
    is_there.then(|| Expr::Element(location, Box::new(Expr::Const(index))))
}
