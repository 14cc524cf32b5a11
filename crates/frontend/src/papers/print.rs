//! Printing programs in either syntax, or saying what of them cannot be expressed.

use std::collections::BTreeSet;
use std::fmt::Write;

use program::{
    Count, Diagnostic, Diagnostics, Domain, Edge, Expr, IndexVec, Instruction, LabelId, Location,
    LocationId, Order, Program, RegisterId, Span, Template, Update, Value,
};

use super::print_addresses::{Addresses, addresses, mentioned};
use super::words::Syntax;
use crate::print_expr::{self, Leaves};

/// How many values a choice may have to be printed as alternatives.
pub(super) const MAX_ALTERNATIVES: Value = 64;

/// The program in one of the syntaxes, or all of it that cannot be expressed.
pub(crate) fn print(program: &Program, syntax: Syntax) -> Result<String, Diagnostics> {
    let mut errors = Errors(Vec::new());
    check_declarations(program, syntax, &mut errors);
    let addresses = addresses(program, syntax, &mut errors);
    let mut taken = BTreeSet::new();
    let locations: IndexVec<LocationId, String> = program
        .memory()
        .locations()
        .iter()
        .map(|location| legal(&location.name, syntax.reserved(), &mut taken))
        .collect();

    let mut text =
        format!("program {}", legal(program.name(), syntax.reserved(), &mut BTreeSet::new()));
    if syntax == Syntax::Esop15 {
        let variables =
            program.memory().locations().enumerate().map(|(id, location)| {
                with_initial(locations[id].clone(), location.initial_value(0))
            });
        let _ = write!(text, " vars {} procs", variables.collect::<Vec<_>>().join(", "));
    }
    text.push('\n');
    for line in crate::unasked_question(program) {
        let _ = writeln!(text, "// {line}");
    }
    let mut taken = BTreeSet::new();
    for template in program.templates() {
        let Count::Exactly(count) = template.count() else { continue };
        for copy in 0..count {
            let identity = template.identity();
            let name = match identity {
                Some(identity) => format!("{}_{}", template.name(), identity.of(copy)),
                None if count == 1 => template.name().to_owned(),
                None => format!("{}_{copy}", template.name()),
            };
            let name = legal(&name, syntax.reserved(), &mut taken);
            let identity = identity.map(|identity| (identity.register, identity.of(copy)));
            let printer = printer(program, syntax, template, identity, &locations, addresses);
            thread(&mut text, &name, &printer, &mut errors);
        }
    }
    errors.0.sort_by_key(|error| error.span);
    if errors.0.is_empty() { Ok(text) } else { Err(errors.0) }
}

pub(super) struct Errors(Diagnostics);

impl Errors {
    /// Adds what cannot be expressed, once: copies of a thread have the same text.
    pub(super) fn add(&mut self, span: Span, what: &str, help: Option<&str>) {
        let mut error = Diagnostic::new(span, format!("{what} cannot be expressed in this syntax"));
        error.help = help.map(str::to_owned);
        if !self.0.contains(&error) {
            self.0.push(error);
        }
    }
}

fn check_declarations(program: &Program, syntax: Syntax, errors: &mut Errors) {
    if let Some(span) = program.access_across() {
        errors.add(span, "an access across several cells", None);
    }
    for location in program.memory().locations() {
        check_location(location, syntax, errors);
    }
    for template in program.templates() {
        let name = template.name();
        if template.count() == Count::Any {
            let what = format!("any number of copies of `{name}`");
            errors.add(template.span(), &what, Some("give it a count"));
        }
        for register in template.registers() {
            if register.domain != Domain::Integer {
                let what = format!("the declared values of `{}` in `{name}`", register.name);
                errors.add(template.span(), &what, None);
            }
        }
    }
}

fn check_location(location: &Location, syntax: Syntax, errors: &mut Errors) {
    let name = &location.name;
    if location.length.is_some() {
        errors.add(location.span, &format!("array `{name}`"), None);
    }
    if location.domain != Domain::Integer {
        errors.add(location.span, &format!("the declared values of `{name}`"), None);
    }
    if syntax == Syntax::Esop13 && location.initial_value(0) != 0 {
        errors.add(location.span, &format!("the initial value of `{name}`"), None);
    }
}

/// The names of one thread.
struct Printer<'a> {
    program: &'a Program,
    syntax: Syntax,
    template: &'a Template,
    /// The identity register and what it holds.
    identity: Option<(RegisterId, Value)>,
    locations: &'a IndexVec<LocationId, String>,
    addresses: Addresses,
    registers: IndexVec<RegisterId, String>,
    labels: IndexVec<LabelId, String>,
}

impl Leaves for Printer<'_> {
    fn register(&self, register: RegisterId) -> String {
        format!("{}{}", self.syntax.sigil(), self.registers[register])
    }

    fn element(&self, location: LocationId, _index: &Expr) -> String {
        match self.addresses {
            Addresses::Symbolic => self.locations[location].clone(),
            Addresses::Numeric => self.program.memory().location(location).base.to_string(),
        }
    }
}

fn printer<'a>(
    program: &'a Program,
    syntax: Syntax,
    template: &'a Template,
    identity: Option<(RegisterId, Value)>,
    locations: &'a IndexVec<LocationId, String>,
    addresses: Addresses,
) -> Printer<'a> {
    // Where registers and addresses look alike, a register hides an address of the same name.
    let (reserved, mut taken) = match syntax {
        Syntax::Esop13 => {
            let instructions = template.edges().iter().map(|edge| &edge.instruction);
            let mentioned = instructions.flat_map(Instruction::expressions).flat_map(mentioned);
            (syntax.reserved(), mentioned.map(|id| locations[id].clone()).collect())
        }
        Syntax::Esop15 => (&[][..], BTreeSet::new()),
    };
    let registers = template
        .registers()
        .iter()
        .map(|register| legal(&register.name, reserved, &mut taken))
        .collect();
    let mut taken = BTreeSet::new();
    let labels = template
        .labels()
        .iter()
        .map(|label| legal(&label.name, syntax.reserved(), &mut taken))
        .collect();
    Printer { program, syntax, template, identity, locations, addresses, registers, labels }
}

fn thread(text: &mut String, name: &str, printer: &Printer<'_>, errors: &mut Errors) {
    let (template, syntax) = (printer.template, printer.syntax);
    let _ = write!(text, "\n{} {name} regs", syntax.thread());
    for (id, register) in template.registers().enumerate() {
        if printer.identity.is_none_or(|(identity, _)| identity != id) {
            let _ = write!(text, " {}", with_initial(printer.register(id), register.initial));
        }
    }
    let _ = writeln!(text, " init {} begin", printer.labels[template.initial()]);
    let last = match syntax {
        Syntax::Esop13 => ";",
        Syntax::Esop15 => "",
    };
    for edge in template.edges() {
        let (from, to) = (&printer.labels[edge.from], &printer.labels[edge.to]);
        for statement in printer.statements(edge, errors) {
            let _ = writeln!(text, "  {from}: {statement}; goto {to}{last}");
        }
    }
    text.push_str("end\n");
}

fn with_initial(name: String, initial: Value) -> String {
    if initial == 0 { name } else { format!("{name} = {initial}") }
}

impl Printer<'_> {
    /// An edge as one statement, or as several alternatives.
    fn statements(&self, edge: &Edge, errors: &mut Errors) -> Vec<String> {
        let mut inexpressible = |what: &str, help: Option<&str>| {
            errors.add(edge.span, what, help);
            Vec::new()
        };
        let atomic = "the papers leave other locked instructions out";
        match &edge.instruction {
            Instruction::Fence(kind) if kind.orders_store_before_load() => {
                vec![self.syntax.fence().to_owned()]
            }
            Instruction::Skip | Instruction::Fence(_) => vec![match self.syntax {
                Syntax::Esop13 => format!("{} 1", self.syntax.assume()),
                Syntax::Esop15 => "skip".to_owned(),
            }],
            Instruction::Assume(condition) => {
                vec![format!("{} {}", self.syntax.assume(), self.value(condition))]
            }
            Instruction::Assert(_) => inexpressible(
                "a checked assertion",
                Some("the papers' assertions block where they are false, as `assume` does"),
            ),
            Instruction::Assign { register, value } => {
                vec![self.assignment(&self.register(*register), &self.value(value))]
            }
            Instruction::Choose { low, high, .. } if high - low >= MAX_ALTERNATIVES => {
                inexpressible("a choice between so many values", None)
            }
            Instruction::Choose { register, low, high } => (*low..=*high)
                .map(|value| self.assignment(&self.register(*register), &value.to_string()))
                .collect(),
            Instruction::Load { access, .. } if access.exclusive => {
                inexpressible("an exclusive load", None)
            }
            Instruction::Load { register, address, .. } => {
                vec![self.assignment(&self.register(*register), &self.cell(address))]
            }
            Instruction::Store { access, .. } if access.order == Order::SeqCst => {
                inexpressible("a sequentially consistent store", Some(atomic))
            }
            Instruction::Store { address, value, .. } => {
                vec![self.assignment(&self.cell(address), &self.value(value))]
            }
            Instruction::StoreExclusive { .. } => inexpressible("an exclusive store", None),
            Instruction::Update { address, update, .. } => match (update, self.syntax) {
                (Update::BlockingReadWrite { expected, new }, Syntax::Esop15) => {
                    let (expected, new) = (self.value(expected), self.value(new));
                    vec![format!("arw({}, {expected}, {new})", self.cell(address))]
                }
                (
                    Update::BlockingReadWrite { .. }
                    | Update::Exchange(_)
                    | Update::Fetch { .. }
                    | Update::CompareAndSwap { .. },
                    Syntax::Esop13 | Syntax::Esop15,
                ) => inexpressible("an atomic update", Some(atomic)),
            },
            Instruction::Lock | Instruction::Unlock => {
                inexpressible("the memory lock", Some(atomic))
            }
        }
    }

    fn assignment(&self, to: &str, value: &str) -> String {
        match self.syntax {
            Syntax::Esop13 => format!("{to} <- {value}"),
            Syntax::Esop15 => format!("{to} = {value}"),
        }
    }

    fn cell(&self, address: &Expr) -> String {
        match self.syntax {
            Syntax::Esop13 => format!("mem[{}]", self.value(address)),
            Syntax::Esop15 => self.value(address),
        }
    }

    fn value(&self, expr: &Expr) -> String {
        let known = expr.substitute(&mut |register| match self.identity {
            Some((identity, value)) if identity == register => Expr::Const(value),
            Some(_) | None => Expr::Register(register),
        });
        print_expr::expr(&known, self, 0)
    }
}

/// A name of the syntax as like `name` as possible that nothing else has.
fn legal(name: &str, reserved: &[&str], taken: &mut BTreeSet<String>) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '′');
    let mut legal: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if !legal.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        legal.insert(0, '_');
    }
    if reserved.contains(&legal.as_str()) {
        legal.push('_');
    }
    let base = legal.clone();
    let mut number = 1;
    while !taken.insert(legal.clone()) {
        number += 1;
        legal = format!("{base}_{number}");
    }
    legal
}
