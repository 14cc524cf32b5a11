//! Threads and cells put together.

use std::collections::{BTreeMap, HashMap, HashSet};

use program::{
    Diagnostic, Diagnostics, Domain, Initial, Location, Observable, Outside, Program,
    ProgramBuilder, Question, Span, Value,
};

use crate::life::word_name;
use crate::object::{Naming, Object, ObjectId, ObjectKey};
use crate::thread::{Walked, fresh};
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
    let names = object_names(world);
    for (id, object) in world.objects.iter() {
        let Some(cells) = cells.get(&id) else { continue };
        let (first, elements) = match world.objects.key(id) {
            // As many as there are threads.
            ObjectKey::Threads | ObjectKey::Tokens => {
                let numbers = world.threads.iter().map(|thread| u64::from(thread.number));
                (u64::from(FIRST_THREAD), numbers.max().map_or(0, |last| last + 1))
            }
            ObjectKey::Sleepers => (0, world.facts.sleeps_on_futexes.count().unwrap_or(0).into()),
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
                let at_first = |at: u64| {
                    if object.is_unwritten {
                        return fresh(*width);
                    }
                    int.wrap(object.initial.get(at, u64::from(*width)))
                };
                let initial = at_first(*at);
                let initials =
                    (0..u64::from(parts)).map(|part| at_first(at + part * u64::from(*width)));
                let wanted = location_name(world, (id, &names[&id]), element, (*at, whole));
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
                    generated: is_bookkeeping(world.objects.key(id)),
                    span: object.span,
                });
                // What a program leaves behind in its global variables is its result, unless it tells more.
                if matches!(world.objects.key(id), ObjectKey::Global(_)) && !world.shows_locals {
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

/// Whether the program itself computes nothing that is held in an object.
const fn is_bookkeeping(key: &ObjectKey) -> bool {
    match key {
        ObjectKey::Global(_)
        | ObjectKey::ThreadLocal(..)
        | ObjectKey::Local(..)
        | ObjectKey::Allocated(..)
        | ObjectKey::Errno(_)
        | ObjectKey::Environment(_)
        | ObjectKey::Support(_)
        | ObjectKey::Argument(_) => false,
        ObjectKey::Function(_)
        | ObjectKey::Threads
        | ObjectKey::Process
        | ObjectKey::Tokens
        | ObjectKey::Result(_)
        | ObjectKey::Life(_)
        | ObjectKey::Sleepers
        | ObjectKey::Immortal => true,
    }
}

/// What a cell of an element of an object is called.
fn location_name(
    world: &World<'_, '_>,
    (id, name): (ObjectId, &str),
    element: u64,
    (at, bytes): (u64, u32),
) -> String {
    match world.objects.key(id) {
        ObjectKey::Threads => word_name(&thread_name(world, element), at),
        ObjectKey::Tokens => format!("token of {}", thread_name(world, element)),
        ObjectKey::Global(_)
        | ObjectKey::ThreadLocal(..)
        | ObjectKey::Function(_)
        | ObjectKey::Local(..)
        | ObjectKey::Allocated(..)
        | ObjectKey::Process
        | ObjectKey::Sleepers
        | ObjectKey::Errno(_)
        | ObjectKey::Environment(_)
        | ObjectKey::Argument(_)
        | ObjectKey::Result(_)
        | ObjectKey::Support(_)
        | ObjectKey::Life(_)
        | ObjectKey::Immortal => {
            cell_name(world, (world.objects.get(id), name), element, at, bytes)
        }
    }
}

/// What a thread is called.
fn thread_name(world: &World<'_, '_>, number: u64) -> String {
    let spec = world.threads.iter().find(|spec| u64::from(spec.number) == number);
    spec.map_or_else(|| format!("thread {number}"), |spec| spec.name.clone())
}

/// What an object is called: what is allocated by its variable alone, unless another is called so.
fn object_names(world: &World<'_, '_>) -> BTreeMap<ObjectId, String> {
    let own = |object: &Object| match object.naming {
        Naming::Pointee { .. } => object.name.split_once('.').map(|(_, own)| own.to_owned()),
        Naming::Unknown | Naming::Global(_) | Naming::Local { .. } => None,
    };
    let mut used: HashMap<String, u32> = HashMap::new();
    for (_, object) in world.objects.iter() {
        *used.entry(own(object).unwrap_or_else(|| object.name.clone())).or_default() += 1;
    }
    let name = |(id, object): (ObjectId, &Object)| {
        let name = match world.objects.key(id) {
            ObjectKey::Result(thread) => {
                format!("result of {}", thread_name(world, (*thread).into()))
            }
            ObjectKey::Environment(thread) => {
                format!("closure of {}", thread_name(world, (*thread).into()))
            }
            ObjectKey::Global(_)
            | ObjectKey::ThreadLocal(..)
            | ObjectKey::Function(_)
            | ObjectKey::Local(..)
            | ObjectKey::Allocated(..)
            | ObjectKey::Threads
            | ObjectKey::Process
            | ObjectKey::Tokens
            | ObjectKey::Sleepers
            | ObjectKey::Errno(_)
            | ObjectKey::Argument(_)
            | ObjectKey::Support(_)
            | ObjectKey::Life(_)
            | ObjectKey::Immortal => {
                let short = own(object).filter(|own| used.get(own) == Some(&1));
                short.unwrap_or_else(|| object.name.clone())
            }
        };
        (id, name)
    };
    world.objects.iter().map(name).collect()
}

fn cell_name(
    world: &World<'_, '_>,
    (object, name): (&Object, &str),
    element: u64,
    at: u64,
    width: u32,
) -> String {
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
    // The elements of an object are those of all copies of its thread, and of each as many as it may allocate.
    let per_copy = match object.naming {
        Naming::Pointee { .. } | Naming::Unknown => {
            u64::from(world.environment.bounds.allocations).min(object.elements).max(1)
        }
        Naming::Global(_) | Naming::Local { .. } => 1,
    };
    let (copy, number) = (element / per_copy, element % per_copy);
    let mut name = name.to_owned();
    if object.elements > per_copy {
        name = match name.split_once('.') {
            Some((thread, own)) => format!("{thread}[{copy}].{own}"),
            None => format!("{name}[{copy}]"),
        };
    }
    if number > 0 {
        name = format!("{name}#{}", number + 1);
    }
    let described = module.zip(variable).and_then(|(module, variable)| {
        let metadata = &module.metadata;
        let ty = metadata.type_of(variable)?;
        if !matches!(object.naming, Naming::Pointee { .. }) {
            return metadata.describe_offset(ty, at, u64::from(width));
        }
        // A pointer may lead to one of them or to many.
        let ty = metadata.owned(ty)?;
        match metadata.type_size(ty).filter(|size| (1..object.size).contains(size)) {
            Some(size) if object.size.is_multiple_of(size) => {
                let part = metadata.describe_offset(ty, at % size, u64::from(width))?;
                Some(format!("[{}]{part}", at / size))
            }
            Some(_) | None => metadata.describe_offset(ty, at, u64::from(width)),
        }
    });
    match described {
        Some(part) => format!("{name}{part}"),
        None if at == 0 => name,
        None => format!("{name}+{at}"),
    }
}
