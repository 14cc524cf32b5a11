//! Where a program begins: `main` with what it is started with, or the functions that a user names.

use std::collections::BTreeMap;

use llvm::Type;
use program::{Diagnostic, Diagnostics, Span, Value};

use crate::image::Image;
use crate::library::shown;
use crate::object::{Object, ObjectKey};
use crate::value;
use crate::world::{Argument, FIRST_THREAD, FromOutside, ThreadSpec, World, untyped_object};
use crate::{Entry, EntryArgument};
use linkage::named::is_meant;
use linkage::{Item, Linked, Summary};

/// The threads that nobody creates.
pub(crate) fn roots(
    world: &mut World<'_, '_>,
    entries: &[Entry],
) -> Result<Vec<ThreadSpec>, Diagnostics> {
    if entries.is_empty() {
        return main(world).map(|main| vec![main]);
    }
    if world.environment.arguments.is_some() {
        let message = "the program is given arguments, but its `main` does not run";
        return Err(problem(message, "give each thread its own: `--thread 'worker(&queue, 3)'`"));
    }
    let mut specs = Vec::new();
    let has_first = entries.iter().any(|entry| entry.is_first);
    for (entry, number) in entries.iter().zip(FIRST_THREAD..) {
        let item = world.linked.named_function(&entry.function)?;
        has_as_many_arguments(world, item, entry)?;
        let mut arguments = Vec::new();
        for (position, argument) in entry.arguments.iter().enumerate() {
            arguments.push(match argument {
                EntryArgument::Number(value) => {
                    Argument::Constant(number_for(world, item, position, *value)?)
                }
                EntryArgument::AddressOf(name) => Argument::Constant(address_of(world, name)?),
                EntryArgument::Identity => {
                    has_room(world, item, position)?;
                    Argument::Identity
                }
            });
        }
        // Of a whole path the crate goes without saying.
        let symbol = world.linked.name(item);
        let is_whole = llvm::demangled(symbol).as_ref() == Some(&entry.function);
        let called = if is_whole { shown(symbol) } else { entry.function.clone() };
        let is_taken = specs.iter().any(|spec: &ThreadSpec| spec.name == called);
        let name = if is_taken { format!("{called}#{number}") } else { called };
        specs.push(ThreadSpec {
            number,
            name,
            entry: item,
            arguments,
            copies: entry.copies,
            is_created: has_first && !entry.is_first,
            result: None,
        });
    }
    Ok(specs)
}

/// The functions that a user calls operations.
pub(crate) fn operations(
    linked: &Linked<'_>,
    names: &[String],
) -> Result<BTreeMap<Item, String>, Diagnostics> {
    names.iter().map(|name| Ok((linked.named_function(name)?, name.clone()))).collect()
}

fn problem(message: impl Into<String>, help: impl Into<String>) -> Diagnostics {
    vec![Diagnostic::new(Span::NONE, message.into()).help(help.into())]
}

fn main(world: &mut World<'_, '_>) -> Result<ThreadSpec, Diagnostics> {
    let Some(entry) = main_function(world.linked) else {
        return Err(problem(
            "there is no function `main`",
            "say which functions threads run: `--thread 'producer*2' --thread consumer`",
        ));
    };
    let mut arguments = vec![
        Argument::Outside(FromOutside::Count),
        Argument::Outside(FromOutside::Texts),
        Argument::Outside(FromOutside::Texts),
    ];
    if let Some(given) = &world.environment.arguments {
        let has_parameters =
            world.linked.function(entry).is_some_and(|main| !main.parameters.is_empty());
        if !has_parameters {
            return Err(problem(
                "the program is given arguments, but its `main` takes none",
                "leave `--args` out, or let `main` have the parameters `argc` and `argv`",
            ));
        }
        let count = Value::try_from(given.len()).unwrap_or(0);
        arguments[0] = Argument::Constant(count);
        arguments[1] = Argument::Constant(argument_list(world, given));
    }
    Ok(ThreadSpec {
        number: FIRST_THREAD,
        name: "main".to_owned(),
        entry,
        arguments,
        copies: 1,
        is_created: false,
        result: None,
    })
}

/// The address of a list of pointers to texts, with null at its end.
fn argument_list(world: &mut World<'_, '_>, given: &[String]) -> Value {
    let mut list = Image::default();
    for (text, at) in given.iter().zip(0..) {
        let mut image = Image::default();
        for (byte, place) in text.bytes().zip(0..) {
            image.put_byte(place, byte);
        }
        let name = format!("argument{at}");
        let size = text.len() as u64 + 1;
        let object = world.objects.intern(ObjectKey::Argument(Some(at)), || Object {
            initial: image,
            ..untyped_object(&name, size)
        });
        list.put_pointer(u64::from(at) * 8, world.objects.get(object).base);
    }
    let size = (given.len() as u64 + 1) * 8;
    let object = world.objects.intern(ObjectKey::Argument(None), || Object {
        initial: list,
        ..untyped_object("argv", size)
    });
    world.objects.get(object).base
}

/// The address of a global variable.
fn address_of(world: &mut World<'_, '_>, name: &str) -> Result<Value, Diagnostics> {
    let linked = world.linked;
    let item = linked.named_variable(name)?;
    let object = world.symbol_object(item);
    Ok(world.objects.get(object).base)
}

/// A function must be given as many arguments as it has parameters.
fn has_as_many_arguments(
    world: &mut World<'_, '_>,
    item: Item,
    entry: &Entry,
) -> Result<(), Diagnostics> {
    let linked = world.linked;
    let Some(function) = linked.function(item) else { return Ok(()) };
    let (wanted, given) = (function.parameters.len(), entry.arguments.len());
    let is_enough = if function.variadic { given >= wanted } else { given == wanted };
    if is_enough {
        return Ok(());
    }
    let names: Vec<String> = (0..wanted)
        .map(|at| {
            let named = &function.locals[at].name;
            let types = &linked.module(item.module).types;
            let is_pointer =
                matches!(types.resolved(function.parameters[at].ty), Type::Pointer { .. });
            if is_pointer { format!("*{named}") } else { named.clone() }
        })
        .collect();
    let plural = |count: usize| if count == 1 { "argument" } else { "arguments" };
    let name = &entry.function;
    let message = format!(
        "`{name}({})` takes {wanted} {}, but is given {given}",
        names.join(", "),
        plural(wanted),
    );
    let span = world.info(item).position(llvm::BlockId(0), 0).span;
    let example = if wanted == 0 {
        format!("write `{name}`")
    } else {
        let all = vec!["0"; wanted].join(", ");
        format!(
            "write for example `{name}({all})`: arguments are integers and addresses of variables, \
             `&queue`, and `self` for the identity of a copy"
        )
    };
    Err(vec![Diagnostic::new(span, message).help(example)])
}

/// A number as a parameter holds it: numbers without a sign are kept as if they had one.
fn number_for(
    world: &mut World<'_, '_>,
    item: Item,
    position: usize,
    value: Value,
) -> Result<Value, Diagnostics> {
    let linked = world.linked;
    let Some(function) = linked.function(item) else { return Ok(value) };
    let types = &linked.module(item.module).types;
    let Some(parameter) = function.parameters.get(position) else { return Ok(value) };
    let bits = match types.resolved(parameter.ty) {
        Type::Integer(bits) => *bits,
        Type::Pointer { .. } => 64,
        Type::Void
        | Type::Label
        | Type::Metadata
        | Type::Token
        | Type::Other(_)
        | Type::Float(_)
        | Type::Array { .. }
        | Type::Vector { .. }
        | Type::Struct { .. }
        | Type::Named(_)
        | Type::Function { .. } => return Ok(value),
    };
    let Some(int) = value::int(bits) else { return Ok(value) };
    if (int.min()..1 << bits).contains(&value) {
        return Ok(int.wrap(value));
    }
    let name = &function.locals[position].name;
    let message = format!("`{name}` is given {value}, and has {bits} bits");
    let span = world.info(item).position(llvm::BlockId(0), 0).span;
    Err(vec![Diagnostic::new(span, message).help("give a smaller number")])
}

/// A parameter that is given the identity of a copy must be able to hold it.
fn has_room(world: &mut World<'_, '_>, item: Item, position: usize) -> Result<(), Diagnostics> {
    let linked = world.linked;
    let Some(function) = linked.function(item) else { return Ok(()) };
    let types = &linked.module(item.module).types;
    let parameter = function.parameters.get(position);
    let has_room = parameter.is_none_or(|parameter| {
        matches!(types.resolved(parameter.ty), Type::Integer(bits) if (8..=64).contains(bits))
    });
    if has_room {
        return Ok(());
    }
    let name = &function.locals[position].name;
    let message =
        format!("`{name}` is given the identity of a copy, and is no integer of 8 to 64 bits");
    let span = world.info(item).position(llvm::BlockId(0), 0).span;
    Err(vec![Diagnostic::new(span, message).help("copies are 1, 2 and so on to their function")])
}

/// `main` of C, or what Rust's start-up code calls.
fn main_function(linked: &Linked<'_>) -> Option<Item> {
    let rust = linked.all_items().find(|item| {
        linked.has_body(*item)
            && llvm::demangled(linked.name(*item)).is_some_and(|name| {
                let mut parts = name.split("::");
                parts.clone().count() == 2 && parts.nth(1) == Some("main")
            })
    });
    rust.or_else(|| linked.defined_function("main"))
}

/// What a user says of a function must be about one without a body.
pub(crate) fn summaries_are_of_use(
    linked: &Linked<'_>,
    summaries: &[Summary],
) -> Result<(), Diagnostics> {
    let mut errors = Vec::new();
    for (summary, number) in summaries.iter().zip(1..) {
        let name = &summary.function;
        let is_meant = |item: &Item| is_meant(name, linked.name(*item));
        let has_body = linked.all_items().any(|item| linked.has_body(item) && is_meant(&item));
        if has_body {
            let message = format!("`{name}` has a body, so nothing is assumed of it");
            errors.extend(problem(message, format!("leave out `--assume '{}'`", summary.text)));
        }
        if summaries[number..].iter().any(|other| other.function == *name) {
            let message = format!("two assumptions are about `{name}`");
            errors.extend(problem(message, "put the clauses into one, with commas between them"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What a user says of a function must be needed.
pub(crate) fn summaries_were_used(world: &World<'_, '_>) -> Result<(), Diagnostics> {
    let summaries = world.environment.summaries.iter().enumerate();
    let unused = summaries.filter(|(place, _)| !world.summaries.used.contains(place));
    let errors: Diagnostics = unused
        .flat_map(|(_, summary)| {
            let message =
                format!("`{}` is not called, so nothing is assumed of it", summary.function);
            problem(message, format!("leave out `--assume '{}'`", summary.text))
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
