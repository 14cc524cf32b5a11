//! Which machine registers the registers of a thread become.

use std::collections::{BTreeMap, BTreeSet};

use program::{Diagnostic, Diagnostics, Expr, IndexVec, LocationId, Program, RegisterId, Template};

use super::super::super::machine::Machine;
use super::assembler::{Assembler, Reg};
use super::fuse;

/// The machine registers of a thread.
pub(super) struct Allocation {
    /// The registers that need no machine register; see [`fuse`].
    pub(super) fused: BTreeSet<RegisterId>,
    pub(super) registers: IndexVec<RegisterId, Option<Reg>>,
    /// Those that hold the addresses of locations.
    pub(super) pointers: BTreeMap<LocationId, Reg>,
    /// Those that nothing else uses.
    pub(super) free: Vec<Reg>,
}

/// A machine register for each register of the program and for each location that the thread
/// names. A register that has the name of one keeps it.
pub(super) fn registers(
    program: &Program,
    template: &Template,
    machine: &impl Machine,
    assembler: &impl Assembler,
    errors: &mut Diagnostics,
) -> Allocation {
    let names = assembler.registers();
    let own = |name: &str| {
        let (whole, _) = machine.register(name)?;
        let exact = whole == name;
        names.iter().position(|it| *it == whole).filter(|_| exact).map(Reg)
    };
    let taken: BTreeSet<Reg> =
        template.registers().iter().filter_map(|register| own(&register.name)).collect();
    let mut free = (0..names.len()).map(Reg).filter(|register| !taken.contains(register));
    let mut registers = IndexVec::new();
    let mut enough = true;
    let fused = fuse::registers(template);
    for (id, data) in template.registers().enumerate() {
        if fused.contains(&id) {
            registers.push(None);
            continue;
        }
        let machine = own(&data.name).or_else(|| free.next());
        enough &= machine.is_some();
        registers.push(machine);
    }
    let mut pointers = BTreeMap::new();
    for location in named_locations(program, template) {
        match free.next() {
            Some(register) => {
                pointers.insert(location, register);
            }
            None => enough = false,
        }
    }
    if !enough {
        let message = format!("thread `{}` has more registers than the machine", template.name());
        errors.push(Diagnostic::new(template.span(), message));
    }
    Allocation { fused, registers, pointers, free: free.collect() }
}

fn named_locations(program: &Program, template: &Template) -> BTreeSet<LocationId> {
    let mut named = BTreeSet::new();
    for edge in template.edges() {
        for expr in edge.instruction.expressions() {
            expr.visit(&mut |part| {
                if let Expr::Element(location, _) = part {
                    named.insert(*location);
                }
            });
        }
    }
    named.retain(|location| program.memory().locations().get(*location).is_some());
    named
}
