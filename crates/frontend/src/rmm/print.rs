//! Printing programs in this language, or saying what of them cannot be expressed.
//!
//! An assertion becomes a jump to a label that is forbidden. An array with one element for each thread, of which
//! every element is named as it is, becomes what processes declare; of all others each element is a location,
//! found by a pointer where its index is computed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use program::index::Idx;
use program::memory::Outside;
use program::{
    Count, Diagnostic, Diagnostics, Domain, Expr, IndexVec, LabelId, Location, LocationId, Program,
    Span, StateProposition, Template, Value,
};

use super::parse::RESERVED;
use super::print_stmt::Printer;

/// How many elements arrays may have in all.
const MOST_CELLS: u64 = 1 << 10;

/// The program in this language, or all of it that cannot be expressed.
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    let mut errors = Errors(Vec::new());
    let Ok(threads) = program.threads() else {
        errors.add(Span::NONE, "any number of threads");
        return Err(errors.0);
    };
    check(program, &mut errors);
    if !errors.0.is_empty() {
        return Err(errors.0);
    }
    let names = Names::new(program, threads.len());
    let mut processes = String::new();
    let mut fails = Vec::new();
    let mut number = 0;
    for template in program.templates() {
        let Count::Exactly(count) = template.count() else { continue };
        // Each process declares its own elements.
        let alike = template.identity().is_none() && names.owned.is_empty();
        let blocks = if alike { u32::from(count > 0) } else { count };
        for copy in 0..blocks {
            let printer = Printer::new(program, &names, template, (copy, number));
            let (text, failing) = printer.process(&mut errors);
            let copies = if alike { count } else { 1 };
            let many = if copies == 1 { String::new() } else { format!("({copies})") };
            let _ = write!(processes, "\nprocess{many}\n");
            for (location, element) in names.owned_by(program, number) {
                let _ = writeln!(processes, "data\n  {location} = {element}");
            }
            processes.push_str(&text);
            for _ in 0..copies {
                fails.push(failing.clone());
                number += 1;
            }
        }
    }
    let mut text = String::new();
    for line in unasked(program) {
        let _ = writeln!(text, "/* {line} */");
    }
    let forbidden = forbidden(program, &fails, &mut errors);
    if !forbidden.is_empty() {
        let _ = writeln!(text, "forbidden\n  {}\n", forbidden.join(" ;\n  "));
    }
    if !names.globals.is_empty() {
        text.push_str("data\n");
        for (_, name, declared) in &names.globals {
            let _ = writeln!(text, "  {name} = {declared}");
        }
    }
    text.push_str(&processes);
    errors.0.sort_by_key(|error| error.span);
    if errors.0.is_empty() { Ok(text) } else { Err(errors.0) }
}

/// What is asked and cannot be asked here.
fn unasked(program: &Program) -> Vec<String> {
    let mut question = program.question().clone();
    question.forbidden = None;
    crate::unasked_question(&program.with_question(question))
}

pub(super) struct Errors(pub(super) Diagnostics);

impl Errors {
    /// Adds what cannot be expressed, once.
    pub(super) fn add(&mut self, span: Span, what: &str) {
        let message = format!("{what} cannot be expressed in Memorax's language");
        let error = Diagnostic::new(span, message);
        if !self.0.contains(&error) {
            self.0.push(error);
        }
    }
}

fn check(program: &Program, errors: &mut Errors) {
    if let Some(span) = program.access_across() {
        errors.add(span, "an access across several cells");
    }
    let memory = program.memory();
    if memory.outside() != Outside::Fault {
        errors.add(Span::NONE, "memory without bounds");
    }
    let cells: u64 = memory.locations().iter().map(|it| it.length.unwrap_or(1)).sum();
    if cells > MOST_CELLS {
        errors.add(Span::NONE, &format!("memory of {cells} cells"));
    }
    for location in memory.locations() {
        if matches!(location.domain, Domain::Wrapping(_)) {
            errors.add(location.span, &format!("the wrapping values of `{}`", location.name));
        }
    }
    for template in program.templates() {
        for register in template.registers() {
            if matches!(register.domain, Domain::Wrapping(_)) {
                let what = format!("the wrapping values of `{}`", register.name);
                errors.add(template.span(), &what);
            }
        }
    }
}

/// What a location or a register is declared as.
pub(super) fn declared(initial: Value, domain: Domain) -> String {
    match domain {
        Domain::Range { low, high } => format!("{initial} : [{low}:{high}]"),
        Domain::Integer | Domain::Wrapping(_) => initial.to_string(),
    }
}

/// The names of memory.
pub(super) struct Names {
    /// Cells that all processes name alike, in order: where, the name, what it is declared as.
    globals: Vec<((LocationId, u64), String, String)>,
    /// Arrays of which each process declares its element.
    owned: BTreeMap<LocationId, String>,
}

impl Names {
    fn new(program: &Program, threads: usize) -> Self {
        let computed = computed(program);
        let mut taken: BTreeSet<String> = RESERVED.iter().map(|word| (*word).to_owned()).collect();
        taken.extend(["macro".to_owned(), "endmacro".to_owned(), "Z".to_owned()]);
        let mut names = Self { globals: Vec::new(), owned: BTreeMap::new() };
        let is_owned = |id: LocationId, location: &Location| {
            location.length == Some(threads as u64) && !computed.contains(&id)
        };
        for (id, location) in program.memory().locations().enumerate() {
            if is_owned(id, location) {
                names.owned.insert(id, legal(&location.name, &mut taken));
                continue;
            }
            for index in 0..location.length.unwrap_or(1) {
                let name = match location.length {
                    Some(_) => format!("{}_{index}", location.name),
                    None => location.name.clone(),
                };
                let name = legal(&name, &mut taken);
                let text = declared(location.initial_value(index), location.domain);
                names.globals.push(((id, index), name, text));
            }
        }
        names
    }

    /// What a process declares.
    fn owned_by(&self, program: &Program, number: usize) -> Vec<(&str, String)> {
        let owned = self.owned.iter().map(|(id, name)| {
            let location = program.memory().location(*id);
            let initial = location.initial_value(number as u64);
            (name.as_str(), declared(initial, location.domain))
        });
        owned.collect()
    }

    /// What a cell is called by the process with a number.
    pub(super) fn cell(&self, id: LocationId, index: u64, number: usize) -> Option<String> {
        if let Some(name) = self.owned.get(&id) {
            let number = number as u64;
            return Some(match index {
                _ if index == number => format!("{name}[my]"),
                _ if index < number => format!("{name}[{index}]"),
                _ => format!("{name}[{}]", index - 1),
            });
        }
        let found = self.globals.iter().find(|(cell, _, _)| *cell == (id, index));
        found.map(|(_, name, _)| name.clone())
    }

    /// The address of the first element of a location.
    pub(super) fn first(&self, id: LocationId) -> Option<usize> {
        self.globals.iter().position(|(cell, _, _)| *cell == (id, 0))
    }

    /// How many locations all processes name alike.
    pub(super) fn count(&self) -> usize {
        self.globals.len()
    }
}

/// The arrays of which an element is computed somewhere.
fn computed(program: &Program) -> BTreeSet<LocationId> {
    let mut computed = BTreeSet::new();
    for edge in program.templates().iter().flat_map(Template::edges) {
        for expr in edge.instruction.expressions() {
            expr.visit(&mut |part| {
                if let Expr::Element(id, index) = part
                    && !matches!(**index, Expr::Const(_) | Expr::Register(_))
                {
                    computed.insert(*id);
                }
            });
        }
    }
    // A register is known only if it tells copies apart.
    for template in program.templates() {
        let identity = template.identity().map(|identity| identity.register);
        for edge in template.edges() {
            for expr in edge.instruction.expressions() {
                expr.visit(&mut |part| {
                    if let Expr::Element(id, index) = part
                        && let Expr::Register(register) = **index
                        && Some(register) != identity
                    {
                        computed.insert(*id);
                    }
                });
            }
        }
    }
    computed
}

/// The forbidden tuples: those of the program, and failed assertions.
fn forbidden(program: &Program, fails: &[Option<String>], errors: &mut Errors) -> Vec<String> {
    let mut tuples = Vec::new();
    let any = || vec!["*".to_owned(); fails.len()];
    if let Some(forbidden) = &program.question().forbidden {
        for alternative in alternatives(forbidden) {
            let mut tuple = any();
            if fill(program, alternative, &mut tuple) {
                tuples.push(tuple.join(" "));
            } else {
                errors.add(Span::NONE, "a condition on other things than labels");
            }
        }
    }
    for (number, label) in fails.iter().enumerate() {
        if let Some(label) = label {
            let mut tuple = any();
            tuple[number].clone_from(label);
            tuples.push(tuple.join(" "));
        }
    }
    tuples
}

/// The alternatives of a condition.
fn alternatives(state: &StateProposition) -> Vec<&StateProposition> {
    if let StateProposition::Any(parts) = state {
        return parts.iter().flat_map(alternatives).collect();
    }
    vec![state]
}

/// Writes the labels of a conjunction into a tuple.
fn fill(program: &Program, state: &StateProposition, tuple: &mut [String]) -> bool {
    match state {
        StateProposition::All(parts) => parts.iter().all(|part| fill(program, part, tuple)),
        StateProposition::At { template, copy, label } => {
            let before = program.templates().iter().take(template.index());
            let before: u32 = before
                .map(|template| match template.count() {
                    Count::Exactly(count) => count,
                    Count::Any => 0,
                })
                .sum();
            let name = label_names(program.template(*template))[*label].clone();
            match tuple.get_mut((before + copy) as usize) {
                Some(slot) if slot == "*" || *slot == name => {
                    *slot = name;
                    true
                }
                Some(_) | None => false,
            }
        }
        StateProposition::Equals(..)
        | StateProposition::Less(..)
        | StateProposition::Not(_)
        | StateProposition::Any(_) => false,
    }
}

/// What labels are called.
pub(super) fn label_names(template: &Template) -> IndexVec<LabelId, String> {
    let mut taken: BTreeSet<String> = RESERVED.iter().map(|word| (*word).to_owned()).collect();
    template.labels().iter().map(|label| legal(&label.name, &mut taken)).collect()
}

/// A name of this language as like `name` as possible that nothing else has.
pub(super) fn legal(name: &str, taken: &mut BTreeSet<String>) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut base: String = name.chars().map(legal).collect();
    if base.is_empty() || base.starts_with(|c: char| c.is_ascii_digit()) {
        base.insert(0, '_');
    }
    let mut result = base.clone();
    let mut number = 1;
    while !taken.insert(result.clone()) {
        number += 1;
        result = format!("{base}_{number}");
    }
    result
}
