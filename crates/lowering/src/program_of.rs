//! Threads and cells put together.

use std::collections::{BTreeMap, HashSet};

use program::{
    Diagnostic, Diagnostics, Domain, Initial, Location, Observable, Outside, Program,
    ProgramBuilder, Question, Span, Value,
};

use crate::object::{Naming, Object, ObjectId, ObjectKey};
use crate::thread::Walked;
use crate::value;
use crate::world::{FIRST_THREAD, World};

/// The program of these threads, whose objects have these cells.
pub(crate) fn assemble(
    name: &str,
    world: &World<'_, '_>,
    walked: Vec<Walked>,
    cells: &BTreeMap<ObjectId, BTreeMap<u64, u32>>,
) -> Result<Program, Diagnostics> {
    let mut builder = ProgramBuilder::new(name, Outside::Fault);
    let mut taken = HashSet::new();
    let mut observed = Vec::new();
    for (id, object) in world.objects.iter() {
        let Some(cells) = cells.get(&id) else { continue };
        let (first, elements) = match world.objects.key(id) {
            // As many as there are threads.
            ObjectKey::Threads => {
                let numbers = world.threads.iter().map(|thread| u64::from(thread.number));
                (u64::from(FIRST_THREAD), numbers.max().map_or(0, |last| last + 1))
            }
            ObjectKey::Global(_)
            | ObjectKey::ThreadLocal(..)
            | ObjectKey::Function(_)
            | ObjectKey::Local(..)
            | ObjectKey::Allocated(..)
            | ObjectKey::Process
            | ObjectKey::Errno(_)
            | ObjectKey::Environment(_)
            | ObjectKey::Argument(_)
            | ObjectKey::Result(_)
            | ObjectKey::Support(_)
            | ObjectKey::Life(_)
            | ObjectKey::Immortal => (0, object.elements),
        };
        for element in first..elements {
            for (at, width) in cells {
                // A region is one location, divided into cells.
                let region = world.facts.regions.get(&id).into_iter().flatten().find(|one| {
                    one.at <= *at && *at < one.at + u64::from(one.bytes) && one.part == *width
                });
                if region.is_some_and(|region| region.at != *at) {
                    continue;
                }
                let (Some(int), parts) =
                    (value::int(width * 8), region.map_or(1, |region| region.bytes / region.part))
                else {
                    continue;
                };
                let whole = parts * width;
                let offset = element * object.stride + at;
                let initial = int.wrap(object.initial.get(*at, u64::from(*width)));
                let initials = (0..u64::from(parts)).map(|part| {
                    let at = at + part * u64::from(*width);
                    int.wrap(object.initial.get(at, u64::from(*width)))
                });
                let wanted = location_name(world, id, element, (*at, whole));
                let mut name = wanted.clone();
                let mut number = 1;
                while !taken.insert(name.clone()) {
                    number += 1;
                    name = format!("{wanted}#{number}");
                }
                builder.location(Location {
                    name,
                    base: object.base + Value::from(offset),
                    length: region.map(|_| parts.into()),
                    stride: region.map_or(1, |_| u64::from(*width)),
                    initial: if region.is_some() {
                        Initial::Each(initials.collect())
                    } else {
                        Initial::Uniform(initial)
                    },
                    domain: Domain::Wrapping(int),
                    parts: u8::try_from(parts).unwrap_or(1),
                    span: object.span,
                });
                // What a program leaves behind in its global variables is its result.
                if matches!(world.objects.key(id), ObjectKey::Global(_)) {
                    let address = object.base + Value::from(offset);
                    observed.push(match value::int(whole * 8).filter(|_| parts > 1) {
                        Some(int) => Observable::Across(address, int),
                        None => Observable::Cell(address),
                    });
                }
            }
        }
    }
    for one in walked {
        builder.template(one.template);
    }
    let process = world.objects.find(&ObjectKey::Process).filter(|id| cells.contains_key(id));
    if let Some(process) = process {
        builder.end_of_process(world.objects.get(process).base);
    }
    builder.question(Question { observed, ..Question::default() });
    builder.build().map_err(|defects| {
        let defects: Vec<Diagnostic> = defects.into_iter().map(Diagnostic::from).collect();
        if defects.is_empty() {
            vec![Diagnostic::new(Span::NONE, "the program cannot be put together")]
        } else {
            defects
        }
    })
}

/// What a cell of an element of an object is called.
fn location_name(
    world: &World<'_, '_>,
    id: ObjectId,
    element: u64,
    (at, bytes): (u64, u32),
) -> String {
    match world.objects.key(id) {
        ObjectKey::Threads => word_name(element, at),
        ObjectKey::Global(_)
        | ObjectKey::ThreadLocal(..)
        | ObjectKey::Function(_)
        | ObjectKey::Local(..)
        | ObjectKey::Allocated(..)
        | ObjectKey::Process
        | ObjectKey::Errno(_)
        | ObjectKey::Environment(_)
        | ObjectKey::Argument(_)
        | ObjectKey::Result(_)
        | ObjectKey::Support(_)
        | ObjectKey::Life(_)
        | ObjectKey::Immortal => cell_name(world, world.objects.get(id), element, at, bytes),
    }
}

fn cell_name(world: &World<'_, '_>, object: &Object, element: u64, at: u64, width: u32) -> String {
    let linked = world.linked;
    let (variable, module) = match object.naming {
        Naming::Unknown => (None, None),
        Naming::Global(item) => {
            let module = linked.module(item.module);
            let variable =
                linked.global(item).and_then(|global| module.metadata.global_variable(global));
            (variable, Some(module))
        }
        Naming::Local { function, local } | Naming::Pointee { function, local } => {
            let module = linked.module(function.module);
            let variable = linked
                .function(function)
                .and_then(|function| module.metadata.local_variable(function, local));
            (variable, Some(module))
        }
    };
    let mut name = object.name.clone();
    if object.elements > 1 {
        name = format!("{name}[{element}]");
    }
    let described = module.zip(variable).and_then(|(module, variable)| {
        let mut ty = module.metadata.type_of(variable)?;
        if matches!(object.naming, Naming::Pointee { .. }) {
            ty = module.metadata.pointee(ty)?;
        }
        module.metadata.describe_offset(ty, at, u64::from(width))
    });
    match described {
        Some(part) => format!("{name}{part}"),
        None if at == 0 => name,
        None => format!("{name}+{at}"),
    }
}

/// What the words of a thread are called.
fn word_name(thread: u64, at: u64) -> String {
    let word = match at {
        0 => "created",
        8 => "ended",
        16 => "argument",
        _ => "result",
    };
    format!("thread[{thread}].{word}")
}
