//! The cone of influence of bounds: a program that gets to a bound wherever the given one does, without
//! most of what has nothing to do with that.
//!
//! *Relevant* are the registers that the conditions before bounds mention, whatever their values are
//! computed from, and the cells that they are loaded from. Instructions that neither write a relevant
//! register nor a relevant cell do nothing in the cone, and conditions that mention anything else are
//! left out, together with what would only make a thread wait or fail. Each step of the program is then
//! a step of the cone that leaves relevant registers and cells alike, so every bound that a thread of
//! the program gets to it gets to in the cone. (The converse does not hold: the cone may do more.)

use std::collections::BTreeSet;

use program::{
    Expr, IndexVec, Instruction, Memory, Program, RegisterId, Template, TemplateBuilder,
    TemplateId, Value,
};

/// What has to do with bounds.
struct Relevant<'p> {
    program: &'p Program,
    registers: IndexVec<TemplateId, BTreeSet<RegisterId>>,
    cells: Cells,
}

/// Some cells; all of them if an address is not known.
enum Cells {
    At(BTreeSet<Value>),
    All,
}

/// The cone of influence of a program's bounds.
pub(super) fn cone(program: &Program) -> Program {
    let mut relevant = Relevant {
        program,
        registers: program.templates().iter().map(conditions_before_bounds).collect(),
        cells: Cells::At(BTreeSet::new()),
    };
    while relevant.grow() {}
    let templates = program.templates().enumerate().map(|(id, template)| {
        let mut builder = TemplateBuilder::like(template);
        for (number, edge) in template.edges().enumerate() {
            let mut edge = edge.clone();
            if template.bound(number).is_none() && !relevant.keeps(id, &edge.instruction) {
                edge.instruction = Instruction::Skip;
            }
            builder.edge(edge);
        }
        builder.build(template.initial())
    });
    program.with_templates(templates.collect())
}

/// The registers that conditions right before bounds mention.
fn conditions_before_bounds(template: &Template) -> BTreeSet<RegisterId> {
    let bounds = template.edges().enumerate().filter(|(id, _)| template.bound(*id).is_some());
    let labels: BTreeSet<_> = bounds.map(|(_, edge)| edge.from).collect();
    let into = template.edges().iter().filter(|edge| labels.contains(&edge.to));
    let conditions = into.filter_map(|edge| match &edge.instruction {
        Instruction::Assume(condition) => Some(condition.registers()),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => None,
    });
    conditions.flatten().collect()
}

impl Relevant<'_> {
    /// Adds what the instructions that are kept depend on; whether there was anything to add.
    fn grow(&mut self) -> bool {
        let mut grows = false;
        for (id, template) in self.program.templates().enumerate() {
            for edge in template.edges() {
                let instruction = &edge.instruction;
                if matches!(instruction, Instruction::Assume(_)) || !self.keeps(id, instruction) {
                    continue;
                }
                for register in instruction.expressions().into_iter().flat_map(Expr::registers) {
                    grows |= self.registers[id].insert(register);
                }
                if let Some((address, _)) = instruction.memory_access() {
                    grows |= self.cells.include(self.program.memory(), address);
                }
            }
        }
        grows
    }

    /// Whether an instruction has to do with bounds.
    fn keeps(&self, id: TemplateId, instruction: &Instruction) -> bool {
        let registers = &self.registers[id];
        let receives = || instruction.written_register().is_some_and(|to| registers.contains(&to));
        let touches = || {
            let (address, _) = instruction.memory_access().expect("an access");
            self.cells.may_be(self.program.memory(), address)
        };
        match instruction {
            Instruction::Assign { .. } | Instruction::Choose { .. } => receives(),
            // An exclusive store needs the reservation.
            Instruction::Load { access, .. } => receives() || access.exclusive && touches(),
            Instruction::Assume(condition) => {
                condition.registers().iter().all(|register| registers.contains(register))
            }
            Instruction::Store { .. } => touches(),
            Instruction::StoreExclusive { .. } | Instruction::Update { .. } => {
                receives() || touches()
            }
            Instruction::Skip
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => false,
        }
    }
}

impl Cells {
    /// Adds the cells that an address may be of; whether there was anything to add.
    fn include(&mut self, memory: &Memory, address: &Expr) -> bool {
        match (&mut *self, known(memory, address)) {
            (Self::All, _) => false,
            (Self::At(cells), Some(address)) => cells.insert(address),
            (Self::At(_), None) => {
                *self = Self::All;
                true
            }
        }
    }

    fn may_be(&self, memory: &Memory, address: &Expr) -> bool {
        match (self, known(memory, address)) {
            (Self::All, _) => true,
            (Self::At(cells), Some(address)) => cells.contains(&address),
            // It may be any of them.
            (Self::At(cells), None) => !cells.is_empty(),
        }
    }
}

/// An address that does not depend on registers.
fn known(memory: &Memory, address: &Expr) -> Option<Value> {
    if !address.registers().is_empty() {
        return None;
    }
    address.evaluate(memory, &IndexVec::new()).ok()
}
