//! Printing a program as an `X86` or `X86_64` litmus test, whichever is the simplest that is
//! right. A program that was read from a test is printed so that reading it again gives an equal
//! program; for other programs machine registers are chosen, and undeclared integers become `int`
//! or, where 32 bits could be too few, `int64_t`.
//! Orders of accesses that TSO gives anyway are dropped; a `seq_cst` store is an exchange.
//!
//! What cannot be expressed is an error that names the place: loops, assertions, waiting,
//! nondeterminism, locked sections, exclusive accesses, any number of threads, declared ranges that a
//! write could leave, and addresses that depend on how memory is laid out.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::{
    Count, Diagnostic, Diagnostics, Expr, IndexVec, Initial, Location, LocationId, Program,
    RegisterId, Span, TemplateId, Value,
};

use super::machine::Arch;
use super::{layout, ranges, x86};

/// The program as a litmus test, or everything about it that cannot be expressed as one.
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    let dialect = x86::dialect(program);
    let mut errors = Vec::new();
    let mut taken = BTreeSet::new();
    let locations: IndexVec<LocationId, String> = program
        .memory()
        .locations()
        .iter()
        .map(|location| legal_location(&location.name, dialect, &mut taken))
        .collect();
    ranges::check(program, &mut errors);
    check_layout(program, dialect, &mut errors);
    let listing = x86::threads(program, dialect, &locations, &mut errors);
    let printer = Printer { program, dialect, locations, listing, numbers: numbers(program) };
    let text = printer.test(&mut errors);
    if errors.is_empty() {
        return Ok(text);
    }
    errors.sort_by_key(|error| error.span);
    Err(errors)
}

/// A name of this format as like `name` as possible that nothing else has.
pub(super) fn legal(name: &str, prefix: &str, taken: &mut BTreeSet<String>) -> String {
    let mut legal: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)) {
        name.clone_into(&mut legal);
    }
    if legal.is_empty() || legal.starts_with(|c: char| c.is_ascii_digit()) {
        legal.insert_str(0, prefix);
    }
    let base = legal.clone();
    let mut number = 1;
    while !taken.insert(legal.clone()) {
        number += 1;
        legal = format!("{base}_{number}");
    }
    legal
}

fn legal_location(name: &str, dialect: x86::Dialect, taken: &mut BTreeSet<String>) -> String {
    if super::is_reserved(&dialect, name) {
        return legal(&format!("v_{name}"), "v", taken);
    }
    legal(name, "v", taken)
}

/// The number of the first copy of each template.
fn numbers(program: &Program) -> IndexVec<TemplateId, u32> {
    let own: Option<Vec<u32>> = program
        .templates()
        .iter()
        .map(|template| {
            let number = template.name().strip_prefix('P')?.parse::<u32>().ok()?;
            let canonical = format!("P{number}") == template.name();
            (canonical && template.count() == Count::Exactly(1)).then_some(number)
        })
        .collect();
    if let Some(own) = own {
        return own.into_iter().collect();
    }
    let mut next = 0;
    let mut numbers = IndexVec::new();
    for template in program.templates() {
        numbers.push(next);
        if let Count::Exactly(count) = template.count() {
            next = u32::saturating_add(next, count);
        }
    }
    numbers
}

/// In a program that is laid out otherwise than a test would be, no address may be computed.
fn check_layout(program: &Program, dialect: x86::Dialect, errors: &mut Diagnostics) {
    let locations = program.memory().locations();
    let bytes = |location: &Location| Value::from(x86::width(location.domain, dialect) / 8);
    for location in locations {
        let bits = x86::width(location.domain, dialect);
        if !matches!(bits, 8 | 16 | 32 | 64) {
            let message = format!("`{}` has {bits} bits, which no type has", location.name);
            errors.push(Diagnostic::new(location.span, message));
        }
    }
    let sizes = locations.iter().map(|location| Value::from(location.cells()) * bytes(location));
    let same = locations.iter().zip(layout::bases(sizes)).all(|(location, base)| {
        let stride = Value::from(location.stride);
        location.base == base && (location.length.is_none() || stride == bytes(location))
    });
    if same {
        return;
    }
    for edge in program.templates().iter().flat_map(program::Template::edges) {
        let direct = |expr: &Expr| matches!(expr, Expr::Element(_, index) if matches!(**index, Expr::Const(_)));
        let address = edge.instruction.memory_access().map(|(address, _)| address);
        let values = edge.instruction.expressions();
        let values = values.into_iter().filter(|value| Some(*value) != address);
        let mut takes_address = address.is_some_and(|address| !direct(address));
        for value in values {
            value.visit(&mut |part| takes_address |= matches!(part, Expr::Element(..)));
        }
        if takes_address {
            errors.push(Diagnostic::new(
                edge.span,
                "an address that depends on the layout of memory cannot be written as a litmus \
                 test",
            ));
        }
    }
}

pub(super) struct Printer<'a> {
    pub(super) program: &'a Program,
    pub(super) dialect: x86::Dialect,
    pub(super) locations: IndexVec<LocationId, String>,
    pub(super) listing: x86::Listing,
    /// The number of the first copy of each template.
    pub(super) numbers: IndexVec<TemplateId, u32>,
}

impl Printer<'_> {
    fn test(&self, errors: &mut Diagnostics) -> String {
        let arch = match self.dialect {
            x86::Dialect::Intel => Arch::X86,
            x86::Dialect::Att => Arch::X86_64,
        };
        let mut taken = BTreeSet::new();
        let name: String =
            self.program.name().chars().filter(|c| !c.is_whitespace() && *c != '(').collect();
        let name = if name.is_empty() { legal("test", "t", &mut taken) } else { name };
        let mut text = format!("{} {name}\n", arch.name());
        self.initial_state(&mut text);
        self.table(&mut text, errors);
        self.question(&mut text, errors);
        text
    }

    fn initial_state(&self, text: &mut String) {
        text.push_str("{\n");
        let locations = self.program.memory().locations();
        let plain = self.dialect == x86::Dialect::Intel
            && locations.iter().all(|location| {
                location.length.is_none() && x86::width(location.domain, self.dialect) == 32
            });
        for (id, location) in self.program.memory().locations().enumerate() {
            let bits = x86::width(location.domain, self.dialect);
            let name = &self.locations[id];
            let type_name = match bits {
                32 if plain => "",
                8 => "int8_t ",
                16 => "int16_t ",
                32 => "int ",
                _ => "int64_t ",
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
                    let Some(name) = self.listing.registers[id][register] else { continue };
                    let bits = x86::width(template.registers()[register].domain, self.dialect);
                    // A 64-bit register that no instruction uses as one is declared as one.
                    let declared = bits == 64 && !names_register(&self.listing.cells[id], name);
                    if *value != 0 || !used.contains(&register) || declared {
                        let type_name = if declared { "int64_t " } else { "" };
                        let (number, value) = (self.numbers[id] + copy, self.value(*value, bits));
                        let _ = writeln!(text, "  {type_name}{number}:{name}={value};");
                    }
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
        let pointer_bits = match self.dialect {
            x86::Dialect::Intel => 32,
            x86::Dialect::Att => 64,
        };
        let location = self
            .program
            .memory()
            .locations()
            .enumerate()
            .find(|(_, location)| location.base == value && layout::is_address(value));
        match location {
            Some((id, _)) if bits == pointer_bits => self.locations[id].clone(),
            Some(_) | None => value.to_string(),
        }
    }

    fn table(&self, text: &mut String, errors: &mut Diagnostics) {
        let mut columns: Vec<Vec<String>> = Vec::new();
        for (id, template) in self.program.templates().enumerate() {
            if template.count() == Count::Any {
                let message = format!("thread `{}` can have any number of copies", template.name());
                let error = Diagnostic::new(template.span(), message);
                errors.push(error.help("give a count before printing it as a litmus test"));
            }
            for copy in self.copies(id) {
                let mut column = vec![format!("P{}", self.numbers[id] + copy)];
                column.extend(self.listing.cells[id].iter().cloned());
                columns.push(column);
            }
        }
        if columns.is_empty() {
            errors.push(Diagnostic::new(Span::NONE, "a litmus test has at least one thread"));
        }
        let widths: Vec<usize> = columns
            .iter()
            .map(|column| column.iter().map(String::len).max().unwrap_or(0))
            .collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        for row in 0..rows {
            let cells: Vec<String> = columns
                .iter()
                .zip(&widths)
                .map(|(column, width)| {
                    let cell = column.get(row).map_or("", String::as_str);
                    format!(" {cell:<width$} ")
                })
                .collect();
            let _ = writeln!(text, "{};", cells.join("|"));
        }
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
