//! Lowering a syntax tree of either paper into the program model.
//!
//! # Addresses in the syntax of ESOP'13
//!
//! Every value is the address of a zero-initialised cell there, and nothing declares a variable. A
//! name that is no register of its thread and stands inside `mem[…]` is a *symbolic address*, as
//! `x` and `y` are in Figure 2 of the paper. All symbolic addresses, sorted by name, become
//! neighbouring scalar locations from 1 000 000 upwards; should a literal of the program lie among
//! them, from ten times that, and so on. So no address that the text mentions is two things at
//! once. A *computed* address can still reach a symbolic one, as the paper's semantics has it.
//! Outside `mem[…]` a symbolic address is a value like any other; there a name must also occur
//! inside some `mem[…]`, so that a misspelt register does not go unnoticed.
//!
//! # Places for fences
//!
//! A fence in these syntaxes is an instruction with a label of its own. The place *after* an edge
//! is the end of its whole instruction, behind the last semicolon; the place *before* a label is
//! the start of its first instruction. Whoever inserts a fence there has to write a new label and
//! redirect the `goto`, respectively rename the label.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    Diagnostic, Diagnostics, Domain, Edge, Initial, InsertionPoint, Label, LabelId, Location,
    LocationId, NoInsertion, Outside, Program, ProgramBuilder, Register, RegisterId, Span,
    Template, TemplateBuilder, Value,
};

use super::ast::{self, ExprKind, Name};
use super::lower_stmt::Scope;
use super::words::Syntax;

/// The least symbolic address, unless a literal is in the way.
const FIRST_SYMBOLIC_ADDRESS: Value = 1_000_000;

/// The program of a parsed text, or all that is wrong with it.
pub(super) fn program(
    syntax: Syntax,
    file: ast::File,
    default_name: &str,
) -> Result<Program, Diagnostics> {
    let mut errors = file.errors;
    let name = file.name.as_ref().map_or(default_name, |name| &name.text);
    let (outside, locations) = match syntax {
        Syntax::Esop13 => (Outside::ZeroCell, symbolic_addresses(&file.threads, &mut errors)),
        Syntax::Esop15 => (Outside::Fault, variables(&file.variables, &mut errors)),
    };
    let mut builder = ProgramBuilder::new(name, outside);
    let mut names = BTreeMap::new();
    for location in locations {
        names.insert(location.name.clone(), builder.location(location));
    }
    for thread in &file.threads {
        builder.template(template(syntax, thread, &names, &mut errors));
    }
    let defects = match builder.build() {
        Ok(program) if errors.is_empty() => return Ok(program),
        Ok(_) => Vec::new(),
        Err(defects) => defects,
    };
    let reported: BTreeSet<Span> = errors.iter().map(|error| error.span).collect();
    let new = defects.into_iter().filter(|defect| !reported.contains(&defect.span));
    errors.extend(new.map(Diagnostic::from));
    errors.sort_by_key(|error| error.span);
    Err(errors)
}

fn variables(declared: &[(Name, Value)], errors: &mut Diagnostics) -> Vec<Location> {
    let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
    let mut locations = Vec::new();
    for ((name, initial), base) in declared.iter().zip(1..) {
        if let Some(first) = spans.insert(&name.text, name.span) {
            let message = format!("`{}` is declared twice", name.text);
            errors.push(Diagnostic::new(name.span, message).related(first, "first declared here"));
            continue;
        }
        let scalar = Location::scalar(&name.text, base);
        locations.push(Location { initial: Initial::Uniform(*initial), span: name.span, ..scalar });
    }
    locations
}

fn symbolic_addresses(threads: &[ast::Thread], errors: &mut Diagnostics) -> Vec<Location> {
    let mut spans: BTreeMap<&str, Span> = BTreeMap::new();
    let mut literals = BTreeSet::new();
    for thread in threads {
        let registers: BTreeSet<&str> =
            thread.registers.iter().map(|(name, _)| name.text.as_str()).collect();
        literals.extend(thread.registers.iter().map(|(_, initial)| *initial));
        for instruction in &thread.instructions {
            if let Some(address) = instruction.statement.address() {
                address.visit(&mut |part| {
                    if let ExprKind::Name(name) = &part.kind
                        && !registers.contains(name.as_str())
                    {
                        spans.entry(name).or_insert(part.span);
                    }
                });
            }
            for expr in instruction.statement.expressions() {
                expr.visit(&mut |part| {
                    if let ExprKind::Number(value) = part.kind {
                        literals.insert(value);
                    }
                });
            }
        }
    }
    let Some(base) = symbolic_base(spans.len(), &literals) else {
        let message = "this program's numbers leave no room for symbolic addresses";
        errors.extend(spans.values().next().map(|span| Diagnostic::new(*span, message)));
        return Vec::new();
    };
    let location = |((name, span), base)| Location { span, ..Location::scalar(name, base) };
    spans.into_iter().zip(base..).map(location).collect()
}

/// Where the symbolic addresses of a program with these literals begin.
pub(super) fn symbolic_base(count: usize, literals: &BTreeSet<Value>) -> Option<Value> {
    let count = Value::try_from(count).ok()?;
    std::iter::successors(Some(FIRST_SYMBOLIC_ADDRESS), |base| base.checked_mul(10))
        .take_while(|base| Domain::Integer.contains(base + count))
        .find(|base| literals.range(*base..base + count).next().is_none())
}

fn template(
    syntax: Syntax,
    thread: &ast::Thread,
    locations: &BTreeMap<String, LocationId>,
    errors: &mut Diagnostics,
) -> Template {
    let mut template = TemplateBuilder::new(&thread.name.text, thread.name.span);
    let mut registers: BTreeMap<&str, (RegisterId, Span)> = BTreeMap::new();
    for (name, initial) in &thread.registers {
        if let Some((_, first)) = registers.get(name.text.as_str()) {
            let message = format!("register `{}` is declared twice", name.text);
            errors.push(Diagnostic::new(name.span, message).related(*first, "first declared here"));
            continue;
        }
        let id = template.register(Register {
            name: name.text.clone(),
            initial: *initial,
            domain: Domain::Integer,
            generated: false,
        });
        registers.insert(&name.text, (id, name.span));
    }
    let registers = registers.into_iter().map(|(name, (id, _))| (name, id)).collect();
    let mut scope = Scope { syntax, registers, locations, errors };
    let labels = labels(thread, &mut template);
    for instruction in &thread.instructions {
        let Some(lowered) = scope.statement(&instruction.statement) else { continue };
        template.edge(Edge {
            from: labels[instruction.label.text.as_str()],
            to: labels[instruction.target.text.as_str()],
            instruction: lowered,
            span: instruction.span,
            after: insertion(instruction.span, instruction.span.end),
        });
    }
    template.build(labels[thread.initial.text.as_str()])
}

/// All labels: those of instructions in their order, then those that are only mentioned, where the
/// thread ends.
fn labels<'a>(
    thread: &'a ast::Thread,
    template: &mut TemplateBuilder,
) -> BTreeMap<&'a str, LabelId> {
    let mut labels = BTreeMap::new();
    let defined = thread.instructions.iter().map(|instruction| {
        let span = instruction.span;
        (&instruction.label, insertion(span, span.start))
    });
    let mentioned = std::iter::once(&thread.initial)
        .chain(thread.instructions.iter().map(|instruction| &instruction.target))
        .map(|name| (name, Err(NoInsertion::NoTextOfItsOwn)));
    for (name, before) in defined.chain(mentioned) {
        labels.entry(name.text.as_str()).or_insert_with(|| {
            template.label(Label {
                name: name.text.clone(),
                generated: false,
                waiting: false,
                span: name.span,
                before,
            })
        });
    }
    labels
}

fn insertion(span: Span, offset: u32) -> program::Insertion {
    span.source.map(|source| InsertionPoint { source, offset }).ok_or(NoInsertion::NoSource)
}
