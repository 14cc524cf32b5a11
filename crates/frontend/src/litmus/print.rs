//! Printing a program as a litmus test.
//!
//! For x86 it is an `X86` or `X86_64` test, whichever is the simplest that is right. A program that
//! was read from an x86 test is printed so that reading it again gives an equal program; for other
//! programs machine registers are chosen, and undeclared integers become `int` or, where 32 bits
//! could be too few, `int64_t`. Orders of accesses that TSO gives anyway are dropped; a `seq_cst`
//! store is an exchange.
//!
//! For the other architectures ([`super::load_store::print()`]) a printed test has the outcomes of the
//! program under SC, with orders and fences in the usual mapping of the architecture.
//!
//! What cannot be expressed is an error that names the place: loops, assertions, waiting,
//! nondeterminism, locked sections, exclusive accesses, any number of threads, declared ranges that a
//! write could leave, and addresses that depend on how memory is laid out.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::{
    Count, Diagnostic, Diagnostics, Domain, Expr, IndexVec, Location, LocationId, Program,
    RegisterId, Span, TemplateId, Value,
};

use super::machine::{Arch, Machine};
use super::{
    aarch64, join, layout, load_store, named, ppc, print_labels, ranges, riscv, told, x86,
};

/// An architecture for which programs can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// `X86` or `X86_64`.
    X86,
    /// `AArch64`.
    AArch64,
    /// `PPC`.
    Ppc,
    /// `RISCV`.
    RiscV,
}

impl Target {
    /// All architectures.
    pub const ALL: [Self; 4] = [Self::X86, Self::AArch64, Self::Ppc, Self::RiscV];

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X86 => "x86",
            Self::AArch64 => "aarch64",
            Self::Ppc => "ppc",
            Self::RiscV => "riscv",
        }
    }
}

/// The threads of a printed test.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The cells of each template's column.
    pub(super) cells: IndexVec<TemplateId, Vec<String>>,
    /// The machine registers of each template.
    pub(super) registers: IndexVec<TemplateId, IndexVec<RegisterId, Option<String>>>,
    /// Machine registers that hold the addresses of locations.
    pub(super) pointers: IndexVec<TemplateId, Vec<(String, LocationId)>>,
}

/// What a test of an architecture looks like, instructions aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) arch: Arch,
    /// How wide an integer of undeclared range is.
    pub(super) undeclared_bits: u8,
    /// From how many bits on a value can be an address, and is shown as one.
    pub(super) pointer_bits: u8,
    /// Whether every register is declared as one of 64 bits, since no instruction might say so.
    pub(super) declares_registers: bool,
}

impl Form {
    /// How wide a cell or register is in a test.
    pub(super) const fn width(self, domain: Domain) -> u8 {
        match domain {
            Domain::Wrapping(int) => int.bits(),
            Domain::Integer | Domain::Range { .. } => self.undeclared_bits,
        }
    }
}

/// The program as an x86 litmus test, or everything about it that cannot be expressed as one.
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    let program = &join::joined(&named::with_named_cells(&told::without_cuts(program)))?;
    let dialect = x86::dialect(program);
    let (arch, bits) = match dialect {
        x86::Dialect::Intel => (Arch::X86, 32),
        x86::Dialect::Att => (Arch::X86_64, 64),
    };
    let form = Form { arch, undeclared_bits: bits, pointer_bits: bits, declares_registers: false };
    printed(program, form, &dialect, |locations, errors| {
        x86::threads(program, dialect, locations, errors)
    })
}

/// The program as a litmus test of an architecture, or everything about it that cannot be
/// expressed as one.
pub fn print_for(program: &Program, target: Target) -> Result<String, Diagnostics> {
    if let (Target::Ppc, Some(span)) = (target, program.access_across()) {
        let message = "an access across several cells cannot be written as a test for Power";
        let help = "Power can have either byte of a number first";
        return Err(vec![Diagnostic::new(span, message).help(help)]);
    }
    let program = &join::joined(&named::with_named_cells(&told::without_cuts(program)))?;
    match target {
        Target::X86 => print(program),
        Target::AArch64 => load_store::print(program, aarch64::AArch64, &aarch64::Printer::new),
        Target::Ppc => load_store::print(program, ppc::Ppc, &ppc::Printer::new),
        Target::RiscV => load_store::print(program, riscv::RiscV, &riscv::Printer::new),
    }
}

/// A test of this form whose threads `threads` prints, given the names of the locations.
pub(super) fn printed(
    program: &Program,
    form: Form,
    machine: &impl Machine,
    threads: impl FnOnce(&IndexVec<LocationId, String>, &mut Diagnostics) -> Listing,
) -> Result<String, Diagnostics> {
    let mut errors = Vec::new();
    let mut taken = BTreeSet::new();
    let locations: IndexVec<LocationId, String> = program
        .memory()
        .locations()
        .iter()
        .map(|location| legal_location(&location.name, machine, &mut taken))
        .collect();
    ranges::check(program, &mut errors);
    check_layout(program, form, &mut errors);
    let listing = threads(&locations, &mut errors);
    let printer = Printer { program, form, locations, listing, numbers: numbers(program) };
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

fn legal_location(name: &str, machine: &impl Machine, taken: &mut BTreeSet<String>) -> String {
    if super::is_reserved(machine, name) {
        return legal(&format!("v_{name}"), "v", taken);
    }
    legal(name, "v", taken)
}

/// The number of the first copy of each template.
pub(super) fn numbers(program: &Program) -> IndexVec<TemplateId, u32> {
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
fn check_layout(program: &Program, form: Form, errors: &mut Diagnostics) {
    let locations = program.memory().locations();
    let bytes = |location: &Location| Value::from(form.width(location.domain) / 8);
    for location in locations {
        let bits = form.width(location.domain);
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
    pub(super) form: Form,
    pub(super) locations: IndexVec<LocationId, String>,
    pub(super) listing: Listing,
    /// The number of the first copy of each template.
    pub(super) numbers: IndexVec<TemplateId, u32>,
}

impl Printer<'_> {
    fn test(&self, errors: &mut Diagnostics) -> String {
        let mut taken = BTreeSet::new();
        let name: String =
            self.program.name().chars().filter(|c| !c.is_whitespace() && *c != '(').collect();
        let name = if name.is_empty() { legal("test", "t", &mut taken) } else { name };
        let mut text = format!("{} {name}\n", self.form.arch.name());
        if self.lists_too_much(errors) {
            return text;
        }
        self.initial_state(&mut text);
        self.table(&mut text, errors);
        self.question(&mut text, errors);
        text
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
        print_labels::distinct(&mut columns, self.form.arch);
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
