//! Lowering a whole test into the program model. Each thread becomes a template of one copy.

use program::{Diagnostic, Diagnostics, IndexVec, Outside, Program, ProgramBuilder, Span};

use super::ast::File;
use super::header::Header;
use super::load_store::LoadStore;
use super::machine::{Arch, Context, Machine};
use super::{aarch64, arm, ppc, question, riscv, sizes, state, told, x86};

/// The program of a parsed test, or all that is wrong with it.
pub(super) fn program(header: &Header, file: &File<'_>) -> Result<Program, Diagnostics> {
    match header.arch {
        Arch::X86 => lowered(&x86::Dialect::Intel, header, file),
        Arch::X86_64 => lowered(&x86::Dialect::Att, header, file),
        Arch::AArch64 => lowered(&LoadStore(aarch64::AArch64), header, file),
        Arch::Arm => lowered(&LoadStore(arm::Arm), header, file),
        Arch::Ppc => lowered(&LoadStore(ppc::Ppc), header, file),
        Arch::RiscV => lowered(&LoadStore(riscv::RiscV), header, file),
        // It has no table, and `super::c` reads it.
        Arch::C => Err(file.errors.clone()),
    }
}

/// The program of a parsed test of one machine.
pub(super) fn lowered<M: Machine>(
    machine: &M,
    header: &Header,
    file: &File<'_>,
) -> Result<Program, Diagnostics> {
    let mut errors = file.errors.clone();
    let codes: Vec<M::Code> =
        file.threads.iter().map(|column| machine.decode(column, &mut errors)).collect();
    let mentions: Vec<_> = codes.iter().flat_map(|code| machine.mentions(code)).collect();
    let globals = state::globals(file, &mentions, machine.pointer_bits(), &mut errors);
    for location in &globals.locations {
        if super::is_reserved(machine, &location.name) {
            let message = format!("`{}` cannot be the name of a location", location.name);
            let example = machine.example_register();
            let help =
                format!("a register in the initial state needs its thread, as in `0:{example}=1`");
            errors.push(Diagnostic::new(location.span, message).help(help));
        }
    }
    let mut set = state::registers(file, &globals, machine.pointer_bits(), &mut errors);
    let mut templates = IndexVec::new();
    let mut told_as = told::locations(&globals);
    for (column, code) in file.threads.iter().zip(&codes) {
        let mut registers = set.remove(&column.number).unwrap_or_default();
        registers.extend(question::mentioned_registers(file, column.number));
        let types = told::types(machine, &registers);
        let (name, registers) = (&column.name, registers.as_slice());
        let context = Context { name, globals: &globals, registers, told: &types };
        let id = templates.push(machine.thread(code, &context, &mut errors));
        told_as.extend(told::registers(id, &templates[id], &types));
    }
    let question = question::question(machine, file, &globals, &templates, told_as, &mut errors);

    let mut builder = ProgramBuilder::new(&header.name, Outside::Fault);
    for location in globals.locations {
        builder.location(location);
    }
    for template in templates {
        builder.template(template);
    }
    builder.question(question);
    if let Some(architecture) = header.arch.instruction_set() {
        builder.architecture(architecture);
    }
    let defects = match builder.build() {
        Ok(program) if errors.is_empty() => {
            if header.arch != Arch::Ppc {
                return sizes::divided(program);
            }
            let errors = sizes::check(&program);
            return if errors.is_empty() { Ok(program) } else { Err(errors) };
        }
        Ok(_) => Vec::new(),
        Err(defects) => defects,
    };
    let reported: Vec<Span> = errors.iter().map(|error| error.span).collect();
    let new = defects.into_iter().filter(|defect| !reported.contains(&defect.span));
    errors.extend(new.map(Diagnostic::from));
    errors.sort_by_key(|error| error.span);
    Err(errors)
}
