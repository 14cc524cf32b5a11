//! Printing the initial state of a test.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::{
    Count, Diagnostic, Diagnostics, Expr, Initial, IntType, Observable, RegisterId, TemplateId,
    Value,
};

use super::layout;
use super::machine::{Arch, signed};
use super::print::Printer;

/// The most elements of an array that are listed one by one.
const MOST_LISTED: u64 = 1 << 16;

impl Printer<'_> {
    /// Whether an array is too large for a text that lists its elements: each with its initial value, or
    /// each to be seen in the end.
    pub(super) fn lists_too_much(&self, errors: &mut Diagnostics) -> bool {
        let before = errors.len();
        for location in self.program.memory().locations() {
            let is_listed = location.initial != Initial::Uniform(0) || self.lists_everything();
            if is_listed && location.cells() > MOST_LISTED {
                let cells = location.cells();
                let message = format!(
                    "`{}` has {cells} elements, too many to list in a litmus test",
                    location.name
                );
                let help = "make it smaller, or ask about the elements that matter with `exists`";
                errors.push(Diagnostic::new(location.span, message).help(help));
            }
        }
        errors.len() > before
    }

    pub(super) fn initial_state(&self, text: &mut String) {
        text.push_str("{\n");
        let locations = self.program.memory().locations();
        let plain = self.form.arch != Arch::X86_64
            && locations.iter().all(|location| {
                location.length.is_none() && self.form.width(location.domain) == 32
            });
        for (id, location) in self.program.memory().locations().enumerate() {
            let bits = self.form.width(location.domain);
            let name = &self.locations[id];
            let told = self.program.told_as(Observable::Cell(location.base));
            let type_name = match told.unwrap_or(signed(bits)) {
                told if told == signed(32) && plain => "",
                told => c_type(told),
            };
            let values = |values: &[Value]| {
                let values: Vec<String> =
                    values.iter().map(|value| self.value(*value, bits)).collect();
                values.join(",")
            };
            let _ = match (&location.initial, location.length) {
                (Initial::Uniform(value), None) => {
                    writeln!(text, "  {type_name}{name}={};", self.value(*value, bits))
                }
                (Initial::Each(all), None) => {
                    writeln!(text, "  {type_name}{name}={};", values(all))
                }
                (Initial::Uniform(0), Some(length)) => {
                    writeln!(text, "  {type_name}{name}[{length}];")
                }
                (Initial::Uniform(value), Some(length)) => {
                    let all: Vec<Value> = (0..length).map(|_| *value).collect();
                    writeln!(text, "  {type_name}{name}[{length}]={{{}}};", values(&all))
                }
                (Initial::Each(all), Some(length)) => {
                    writeln!(text, "  {type_name}{name}[{length}]={{{}}};", values(all))
                }
            };
        }
        let asked: BTreeSet<Observable> =
            self.program.question().observables().into_iter().collect();
        for (id, template) in self.program.templates().enumerate() {
            let used: BTreeSet<RegisterId> = template
                .edges()
                .iter()
                .flat_map(|edge| {
                    let read = edge.instruction.expressions().into_iter();
                    let read = read.flat_map(Expr::registers);
                    read.chain(edge.instruction.written_register())
                })
                .collect();
            for copy in self.copies(id) {
                let values = template.initial_registers(copy);
                for (register, value) in values.enumerate() {
                    let Some(name) = &self.listing.registers[id][register] else { continue };
                    let bits = self.form.width(template.registers()[register].domain);
                    // A 64-bit register that no instruction uses as one is declared as one, and so
                    // is one that is asked about, which would be an `int` otherwise.
                    let unnamed = || !names_register(&self.listing.cells[id], name);
                    let seen = Observable::Register { template: id, copy, register };
                    let declared = match self.program.told_as(seen) {
                        Some(told) if told == signed(32) => None,
                        Some(told) => Some(told),
                        None => (bits == 64 && asked.contains(&seen)
                            || self.form.declares_registers
                            || self.form.arch == Arch::X86_64 && bits == 64 && unnamed())
                        .then_some(signed(64)),
                    };
                    if *value != 0 || !used.contains(&register) || declared.is_some() {
                        let type_name = declared.map_or("", c_type);
                        let (number, value) = (self.numbers[id] + copy, self.value(*value, bits));
                        let _ = writeln!(text, "  {type_name}{number}:{name}={value};");
                    }
                }
                for (name, location) in &self.listing.pointers[id] {
                    let number = self.numbers[id] + copy;
                    let _ = writeln!(text, "  {number}:{name}={};", self.locations[*location]);
                }
            }
        }
        text.push_str("}\n");
    }

    pub(super) fn copies(&self, template: TemplateId) -> std::ops::Range<u32> {
        match self.program.template(template).count() {
            Count::Exactly(count) => 0..count,
            Count::Any => 0..0,
        }
    }

    /// A value; an address is shown as the location.
    pub(super) fn value(&self, value: Value, bits: u8) -> String {
        let location = self
            .program
            .memory()
            .locations()
            .enumerate()
            .find(|(_, location)| location.base == value && layout::is_address(value));
        match location {
            Some((id, _)) if bits >= self.form.pointer_bits => self.locations[id].clone(),
            Some(_) | None => value.to_string(),
        }
    }
}

/// A type as it is written before a name.
const fn c_type(int: IntType) -> &'static str {
    match (int.bits(), int.signed()) {
        (0..=8, true) => "int8_t ",
        (9..=16, true) => "int16_t ",
        (17..=32, true) => "int ",
        (33.., true) => "int64_t ",
        (0..=8, false) => "uint8_t ",
        (9..=16, false) => "uint16_t ",
        (17..=32, false) => "uint32_t ",
        (33.., false) => "uint64_t ",
    }
}

/// Whether an instruction names the whole register.
fn names_register(cells: &[String], register: &str) -> bool {
    let name = format!("%{register}");
    cells.iter().any(|cell| {
        cell.match_indices(&name).any(|(at, _)| {
            !cell[at + name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
        })
    })
}
