//! Which locations an access may hit: where its address may come from.
//!
//! That is found from the registers that it is computed from, what was assigned to those, what memory holds
//! from the start or may come to hold. The order of instructions does not matter here. An address that
//! comes from no location is that of no object, and an error of the test.

use std::collections::BTreeSet;

use program::{
    Expr, IndexVec, Instruction, LocationId, Program, RegisterId, Template, Update, Value,
};

use super::machine::domain_bits;

/// The locations that a value may point into.
pub(super) type Bases = BTreeSet<LocationId>;

/// What everything in a program may point into.
pub(super) struct Pointers<'a> {
    program: &'a Program,
    /// What memory may point into.
    stored: Bases,
    /// What the registers of each template may point into.
    registers: Vec<IndexVec<RegisterId, Bases>>,
}

impl<'a> Pointers<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let mut pointers = Pointers { program, stored: Bases::new(), registers: Vec::new() };
        for location in program.memory().locations() {
            for index in 0..location.cells() {
                pointers.stored.extend(pointers.pointee(location.initial_value(index)));
            }
        }
        pointers.find();
        pointers
    }

    /// The locations that an address in a thread may be in.
    pub(super) fn hit(&self, template: usize, address: &Expr) -> Bases {
        self.of(&self.registers[template], address)
    }

    /// The location that a number is an address in.
    fn pointee(&self, value: Value) -> Option<LocationId> {
        let memory = self.program.memory();
        let is_in = |id: &LocationId| {
            let location = memory.location(*id);
            let bytes = Value::from(domain_bits(location.domain) / 8);
            (location.base..location.last_address() + bytes).contains(&value)
        };
        memory.locations().indices().find(is_in)
    }

    /// What an expression may point into.
    fn of(&self, registers: &IndexVec<RegisterId, Bases>, expr: &Expr) -> Bases {
        let mut bases = Bases::new();
        expr.visit(&mut |part| match part {
            Expr::Const(value) => bases.extend(self.pointee(*value)),
            Expr::Register(register) => bases.extend(&registers[*register]),
            Expr::Element(location, _) => bases.extend([*location]),
            Expr::Unary(..) | Expr::Cast(..) | Expr::Binary(..) | Expr::Select(_) => {}
        });
        bases
    }

    /// Finds what everything may point into.
    fn find(&mut self) {
        let starts = |template: &Template| {
            let values = template.initial_registers(0);
            values.iter().map(|value| self.pointee(*value).into_iter().collect()).collect()
        };
        self.registers = self.program.templates().iter().map(starts).collect();
        loop {
            let before = (self.stored.len(), self.size());
            for (number, template) in self.program.templates().iter().enumerate() {
                for edge in template.edges() {
                    self.flow(number, &edge.instruction);
                }
            }
            if (self.stored.len(), self.size()) == before {
                return;
            }
        }
    }

    fn size(&self) -> usize {
        self.registers.iter().flat_map(IndexVec::iter).map(Bases::len).sum()
    }

    /// What an instruction hands on.
    fn flow(&mut self, template: usize, instruction: &Instruction) {
        let of = |value: &Expr| self.of(&self.registers[template], value);
        let (received, stored) = match instruction {
            Instruction::Assign { value, .. } => (of(value), Bases::new()),
            Instruction::Load { .. } => (self.stored.clone(), Bases::new()),
            Instruction::Store { value, .. } | Instruction::StoreExclusive { value, .. } => {
                (Bases::new(), of(value))
            }
            Instruction::Update { update, .. } => {
                let stored = match update {
                    Update::Exchange(value) | Update::Fetch { operand: value, .. } => of(value),
                    Update::CompareAndSwap { new, .. } | Update::BlockingReadWrite { new, .. } => {
                        of(new)
                    }
                };
                (self.stored.clone(), stored)
            }
            Instruction::Skip
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => return,
        };
        self.stored.extend(stored);
        if let Some(register) = instruction.written_register() {
            self.registers[template][register].extend(received);
        }
    }
}
