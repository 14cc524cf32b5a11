//! Printing a program as a test of a load-store architecture.
//!
//! A printed test has the outcomes of the program under SC. Orders of accesses and fences become
//! what the usual mapping of the architecture makes of them, or something stronger where it has no
//! such fence; the printer of each architecture says what. What plain accesses may do is up to the
//! architecture.
//!
//! Every location that a thread names gets a register that the initial state points at it, as in
//! tests written by hand. Expressions are compiled operator by operator, so every register that an
//! expression mentions is read by the instructions it becomes.
//!
//! # Widths
//!
//! A program whose values fit into 32 bits is printed with instructions for words; any other with
//! instructions for doublewords, where every register holds the exact value of the program's
//! register ([`mode`]).

mod allocate;
pub(in crate::litmus) mod assembler;
mod bounds;
mod comparison;
mod flow;
mod fuse;
mod mode;
mod statement;
mod update;
mod value;

use program::{Diagnostics, Program};

use super::super::machine::{Arch, Machine};
use super::super::print::{Form, Listing, printed};
use super::{InstructionSet, LoadStore};
use assembler::Assembler;

/// How many bits instructions compute with: 32 or 64.
pub(in crate::litmus) type Bits = u8;

/// The program as a test of an architecture, or everything about it that cannot be expressed as
/// one. `assembler` makes the printer of instructions of a width.
pub(in crate::litmus) fn print<I: InstructionSet, A: Assembler>(
    program: &Program,
    isa: I,
    assembler: &dyn Fn(Bits) -> A,
) -> Result<String, Diagnostics> {
    let bits = mode::bits(program, assembler(32).compares_by_difference());
    let assembler = assembler(bits);
    let arch = assembler.arch();
    let form = Form {
        arch,
        undeclared_bits: bits,
        pointer_bits: 32,
        declares_registers: bits == 64 && arch == Arch::Ppc,
    };
    let machine = LoadStore(isa);
    printed(program, form, &machine, |_, errors| {
        threads(program, &machine, &assembler, form, errors)
    })
}

fn threads(
    program: &Program,
    machine: &impl Machine,
    assembler: &impl Assembler,
    form: Form,
    errors: &mut Diagnostics,
) -> Listing {
    let mut listing = Listing::default();
    for template in program.templates() {
        let allocation = allocate::registers(program, template, machine, assembler, errors);
        let names = assembler.registers();
        let name = |register: &assembler::Reg| names[register.0].clone();
        let registers = allocation.registers.iter().map(|it| it.as_ref().map(name)).collect();
        listing.registers.push(registers);
        let pointers = allocation.pointers.iter();
        listing.pointers.push(pointers.map(|(id, register)| (name(register), *id)).collect());
        listing.cells.push(flow::thread(program, template, assembler, form, &allocation, errors));
    }
    listing
}
