//! Lowering the syntax tree into the program model: declarations.
//!
//! Control flow becomes an automaton in the style of both papers: a condition is two edges that
//! block unless it is true, respectively false. A `goto` and the end of a block are no edges but
//! decide where the edge before them leads, so they cost no step.

mod control;
mod expr;
mod goal;
mod names;
mod question;
mod stmt;
mod thread;

use program::Footprint;
use program::memory::{Initial, Location, Outside};
use program::validate::{MAX_CELLS, MAX_STRIDE};
use program::{Diagnostic, Diagnostics, Domain, Program, ProgramBuilder, Span, Value};

use super::ast;
use crate::Settings;
pub(super) use goal::{condition, goal};
use names::{Globals, Meaning};
pub(crate) use thread::nested_blocks;

/// The longest array of which each element has an initial value of its own.
const MAX_LISTED: u64 = 1 << 20;

/// The program of a parsed file, or all that is wrong with it.
pub(crate) fn program(
    file: ast::File,
    default_name: &str,
    settings: &Settings,
) -> Result<Program, Diagnostics> {
    let outside = if file.unbounded_memory { Outside::ZeroCell } else { Outside::Fault };
    let name = file.name.as_ref().map_or(default_name, |name| &name.text);
    let mut builder = ProgramBuilder::new(name, outside);
    let mut globals = Globals::new(file.doubtful);
    let mut errors = file.errors;

    constants(&file.constants, settings, &mut globals, &mut errors);
    let mut next_address = 1;
    for shared in &file.shared {
        let location = location(shared, next_address, &globals, &mut errors);
        next_address = next_address.max(location.last_address() + 1);
        let (is_array, domain) = (location.length.is_some(), location.domain);
        let id = builder.location(location);
        globals.holds(id, domain);
        let meaning = if is_array { Meaning::Array(id) } else { Meaning::Scalar(id) };
        globals.declare(&shared.name, meaning, &mut errors);
    }
    check_counts(&file.threads, settings, &mut errors);
    for thread in &file.threads {
        let count = settings.counts.iter().rev().find(|(name, _)| *name == thread.name.text);
        let count = count.map(|(_, count)| *count);
        builder.template(thread::template(thread, count, &globals, &mut errors));
    }
    let scope = question::Scope {
        globals: &globals,
        memory: &builder.memory(),
        templates: builder.templates(),
        names_any: false,
    };
    let question = scope.question(&file.question, &mut errors);
    builder.question(question);
    let built = builder.build();
    let defects = match built {
        Ok(program) if errors.is_empty() => return Ok(program),
        Ok(_) => Vec::new(),
        Err(defects) => defects,
    };
    let reported: Vec<Span> = errors.iter().map(|error| error.span).collect();
    let new = defects.into_iter().filter(|defect| !reported.contains(&defect.span));
    errors.extend(new.map(Diagnostic::from));
    errors.sort_by_key(|error| error.span);
    Err(errors)
}

fn constants(
    constants: &[(ast::Name, ast::Expr)],
    settings: &Settings,
    globals: &mut Globals,
    errors: &mut Diagnostics,
) {
    for (name, value) in constants {
        let set = settings.constants.iter().rev().find(|(set, _)| *set == name.text);
        let value = match set {
            Some((_, value)) => Some(*value),
            None => globals.constant(value, errors),
        };
        globals.declare(name, Meaning::Constant(value.unwrap_or(0)), errors);
    }
    for (name, _) in &settings.constants {
        if constants.iter().any(|(declared, _)| declared.text == *name) {
            continue;
        }
        let like = crate::suggest::did_you_mean(
            name,
            constants.iter().map(|(declared, _)| declared.text.as_str()),
        );
        let help = match like {
            Some(like) => format!("did you mean `{like}`?"),
            None => format!("only what the program declares can be set: `const {name} = …`"),
        };
        errors.push(
            Diagnostic::new(Span::NONE, format!("the program has no constant `{name}` to set"))
                .help(help),
        );
    }
}

/// Only threads of any number can be given one.
fn check_counts(threads: &[ast::Thread], settings: &Settings, errors: &mut Diagnostics) {
    for (name, _) in &settings.counts {
        match threads.iter().find(|thread| thread.name.text == *name) {
            Some(ast::Thread {
                replication: ast::Replication::Any | ast::Replication::AnyIndex(..),
                ..
            }) => {}
            Some(thread) => {
                let message = format!("thread `{name}` has a definite number of copies already");
                errors.push(Diagnostic::new(thread.name.span, message));
            }
            None => {
                let names: Vec<String> =
                    threads.iter().map(|thread| format!("`{}`", thread.name.text)).collect();
                let message = format!("there is no thread `{name}` to count");
                let help = format!("the threads are {}", names.join(", "));
                errors.push(Diagnostic::new(Span::NONE, message).help(help));
            }
        }
    }
}

fn location(
    shared: &ast::Shared,
    next_address: Value,
    globals: &Globals,
    errors: &mut Diagnostics,
) -> Location {
    let mut constant = |expr: &ast::Expr| globals.constant(expr, errors).map(|v| (v, expr.span));
    let length = shared.length.as_ref().map(&mut constant);
    let base = shared.base.as_ref().and_then(&mut constant);
    let stride = shared.stride.as_ref().and_then(&mut constant);
    let parts = shared.parts.as_ref().and_then(&mut constant);
    let mut up_to = |max: u64, value: Option<(Value, Span)>, what: &str| match value {
        None => 1,
        Some((value, span)) => match u64::try_from(value) {
            Ok(value) if (1..=max).contains(&value) => value,
            _ => {
                let help = format!("1 to {max} are possible");
                let message = format!("the {what} of an array cannot be {value}");
                errors.push(Diagnostic::new(span, message).help(help));
                1
            }
        },
    };
    let length = length.map(|length| up_to(MAX_CELLS, length, "length"));
    let stride = up_to(MAX_STRIDE, stride, "stride");
    let parts = parts.map(|parts| up_to(Footprint::MAX_CELLS as u64, Some(parts), "parts"));
    let domain =
        shared.domain.as_ref().map_or(Domain::Integer, |domain| globals.domain(domain, errors));
    let mut initial_value =
        |expr: &ast::Expr| globals.constant_in(expr, domain, &shared.name.text, errors);
    let initial = match &shared.initial {
        None => Initial::Uniform(0),
        Some(ast::Initial::One(value)) => Initial::Uniform(initial_value(value)),
        Some(ast::Initial::Each(values) | ast::Initial::First(values)) => {
            let mut values: Vec<Value> = values.iter().map(initial_value).collect();
            if let Some(ast::Initial::First(_)) = shared.initial
                && let Some(length) = length
                && length <= MAX_LISTED
            {
                let rest = length.saturating_sub(values.len() as u64);
                values.extend((0..rest).map(|_| 0));
            }
            if u64::try_from(values.len()) == Ok(length.unwrap_or(1)) {
                Initial::Each(values)
            } else {
                let (name, given) = (&shared.name.text, values.len());
                let message = format!("`{name}` has {} elements, not {given}", length.unwrap_or(1));
                errors.push(Diagnostic::new(shared.name.span, message));
                Initial::Uniform(domain.bounds().0)
            }
        }
    };
    let base = match base {
        Some((base, span)) if !Domain::Integer.contains(base) => {
            errors.push(Diagnostic::new(span, "not an address"));
            next_address
        }
        Some((base, _)) => base,
        None => next_address,
    };
    Location {
        name: shared.name.text.clone(),
        base,
        length,
        stride,
        initial,
        domain,
        parts: parts.and_then(|parts| u8::try_from(parts).ok()).unwrap_or(1),
        generated: false,
        span: shared.name.span,
    }
}
