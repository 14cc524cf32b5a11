//! The initial state: which locations there are, how wide they are, and what everything starts
//! with.
//!
//! A location without a declared type is as wide as the instructions that name it access it, or as
//! all accesses of the test are; otherwise one that holds an address is as wide as an address, and
//! any other is an `int`. One that is accessed with other widths than it has is divided in the end
//! ([`super::sizes`]).

use std::collections::BTreeMap;

use program::{Diagnostic, Diagnostics, Domain, Initial, IntType, Location, Span, Value};

use super::ast::{Constant, File, Init, InitialValue, Name, Place, Type};
use super::layout;
use super::machine::{Globals, Mention, RegisterUse, signed, unsigned};
use super::parse::MAX_ERRORS;
use crate::suggest::did_you_mean;

/// The greatest number of elements of an array.
const MAX_LENGTH: Value = 1 << 16;

/// A location before it is laid out.
struct Draft<'a> {
    name: Name,
    init: Option<&'a Init>,
    length: Option<u64>,
}

/// The memory of a test whose instructions have these mentions.
pub(super) fn globals(
    file: &File<'_>,
    mentions: &[Mention],
    pointer_bits: u8,
    errors: &mut Diagnostics,
) -> Globals {
    let drafts = drafts(file, mentions, errors);
    let mut by_name: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    for mention in mentions {
        if let Some(name) = &mention.name {
            by_name.entry(&name.text).or_default().push(mention);
        }
    }
    let mut all = mentions.iter().filter_map(|mention| mention.bits);
    let common = all.next().filter(|first| all.all(|bits| bits == *first));
    let widths: Vec<u8> = drafts
        .iter()
        .map(|draft| {
            let mine = by_name.get(draft.name.text.as_str()).map_or(&[][..], Vec::as_slice);
            width(draft, mine, common, pointer_bits)
        })
        .collect();
    let sizes = drafts
        .iter()
        .zip(&widths)
        .map(|(draft, bits)| Value::from(draft.length.unwrap_or(1)) * Value::from(bits / 8));
    let bases = layout::bases(sizes);
    let mut globals = Globals::default();
    for ((draft, bits), base) in drafts.iter().zip(&widths).zip(&bases) {
        let id = globals.locations.push(Location {
            name: draft.name.text.clone(),
            base: *base,
            length: draft.length,
            stride: if draft.length.is_some() { u64::from(bits / 8) } else { 1 },
            parts: 1,
            initial: Initial::Uniform(0),
            domain: Domain::Wrapping(signed(*bits)),
            generated: false,
            span: draft.name.span,
        });
        globals.names.insert(draft.name.text.clone(), id);
        let declared = draft.init.and_then(|init| init.declared);
        globals.declared.insert(id, integer(declared, pointer_bits).unwrap_or(signed(*bits)));
    }
    let mut all = widths.iter();
    globals.common_bits = all.next().copied().filter(|first| all.all(|bits| bits == first));
    let initials: Vec<Initial> = drafts
        .iter()
        .zip(&widths)
        .map(|(draft, bits)| initial(draft, signed(*bits), &globals, file.incomplete, errors))
        .collect();
    for (location, initial) in globals.locations.iter_mut().zip(initials) {
        location.initial = initial;
    }
    globals
}

/// The locations: first the declared ones, then those that instructions name, in their order.
fn drafts<'a>(
    file: &'a File<'_>,
    mentions: &[Mention],
    errors: &mut Diagnostics,
) -> Vec<Draft<'a>> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    for init in &file.init {
        let Place::Memory { name, .. } = &init.place else { continue };
        if let Some(first) = seen.get(&name.text) {
            let error = Diagnostic::new(name.span, format!("`{}` is declared twice", name.text));
            errors.push(error.related(*first, "first declared here"));
            continue;
        }
        seen.insert(name.text.clone(), name.span);
        let length = match &init.value {
            InitialValue::Elements { length: (length, span), .. } => {
                Some(array_length(*length, *span, errors))
            }
            InitialValue::Zero | InitialValue::One(_) => None,
        };
        drafts.push(Draft { name: name.clone(), init: Some(init), length });
    }
    let named = mentions.iter().filter_map(|mention| mention.name.as_ref());
    // An address in the initial state may be the only mention of a location.
    for name in named.chain(file.init.iter().flat_map(addresses)) {
        if !seen.contains_key(&name.text) {
            seen.insert(name.text.clone(), name.span);
            drafts.push(Draft { name: name.clone(), init: None, length: None });
        }
    }
    drafts
}

fn addresses(init: &Init) -> Vec<&Name> {
    let values = match &init.value {
        InitialValue::Zero => &[][..],
        InitialValue::One(value) => std::slice::from_ref(value),
        InitialValue::Elements { values, .. } => values.as_deref().unwrap_or_default(),
    };
    values
        .iter()
        .filter_map(|value| match value {
            Constant::Number(_) => None,
            Constant::Address { name, .. } => Some(name),
        })
        .collect()
}

fn array_length(length: Value, span: Span, errors: &mut Diagnostics) -> u64 {
    if !(1..=MAX_LENGTH).contains(&length) {
        errors.push(
            Diagnostic::new(span, format!("an array cannot have {length} elements"))
                .help(format!("1 to {MAX_LENGTH} are possible")),
        );
    }
    u64::try_from(length.clamp(1, MAX_LENGTH)).unwrap_or(1)
}

/// How wide an element of a location with these mentions is, in a test whose accesses have this width
/// in common.
fn width(draft: &Draft<'_>, mine: &[&Mention], common: Option<u8>, pointer_bits: u8) -> u8 {
    let declared = integer(draft.init.and_then(|init| init.declared), pointer_bits);
    let widest = mine.iter().filter_map(|mention| mention.bits).max();
    let holds_address = draft.init.is_some_and(|init| !addresses(init).is_empty());
    match (declared, widest) {
        (Some(int), _) => int.bits(),
        (None, Some(bits)) => bits,
        (None, None) if holds_address => common.unwrap_or(pointer_bits),
        (None, None) => common.unwrap_or(32),
    }
}

/// The integers of a declared type.
fn integer(declared: Option<Type>, pointer_bits: u8) -> Option<IntType> {
    declared.map(|declared| match declared {
        Type::Integer { bits, signed: true } => signed(bits),
        Type::Integer { bits, signed: false } => unsigned(bits),
        Type::Pointer => unsigned(pointer_bits),
    })
}

fn initial(
    draft: &Draft<'_>,
    held: IntType,
    globals: &Globals,
    incomplete: bool,
    errors: &mut Diagnostics,
) -> Initial {
    let mut value =
        |constant: &Constant| held.wrap(constant_value(constant, globals, incomplete, errors));
    match draft.init.map(|init| &init.value) {
        None | Some(InitialValue::Zero | InitialValue::Elements { values: None, .. }) => {
            Initial::Uniform(0)
        }
        Some(InitialValue::One(constant)) => Initial::Uniform(value(constant)),
        Some(InitialValue::Elements { values: Some(constants), length: (_, span) }) => {
            let mut values: Vec<Value> = constants.iter().map(&mut value).collect();
            let length = usize::try_from(draft.length.unwrap_or(1)).unwrap_or(1);
            if values.len() != length {
                let message = format!(
                    "`{}` has {length} elements but {} initial values",
                    draft.name.text,
                    values.len()
                );
                errors.push(Diagnostic::new(*span, message));
                values.resize(length, 0);
            }
            Initial::Each(values)
        }
    }
}

/// The value of a constant.
pub(super) fn constant_value(
    constant: &Constant,
    globals: &Globals,
    incomplete: bool,
    errors: &mut Diagnostics,
) -> Value {
    match constant {
        Constant::Number(value) => *value,
        Constant::Address { name, index } => {
            address(name, *index, globals, incomplete, errors).unwrap_or(0)
        }
    }
}

/// The address of a location or of an element of it.
pub(super) fn address(
    name: &Name,
    index: Option<(Value, Span)>,
    globals: &Globals,
    incomplete: bool,
    errors: &mut Diagnostics,
) -> Option<Value> {
    let Some(id) = globals.names.get(&name.text) else {
        // What could not be read may have declared it.
        if !incomplete {
            let shown = crate::token::shortened(&name.text);
            let mut error =
                Diagnostic::new(name.span, format!("the test has no location `{shown}`"));
            if errors.len() < MAX_ERRORS {
                error.help = did_you_mean(&shown, globals.names.keys().map(String::as_str))
                    .map(|like| format!("did you mean `{like}`?"));
            }
            errors.push(error);
        }
        return None;
    };
    let location = &globals.locations[*id];
    let Some((index, span)) = index else { return Some(location.base) };
    match location.address(index) {
        Ok(address) if location.length.is_some() => Some(address),
        Ok(_) | Err(_) => {
            let message = match location.length {
                Some(length) => format!("`{}` has {length} elements", name.text),
                None => format!("`{}` is not an array", name.text),
            };
            errors.push(Diagnostic::new(span, message));
            None
        }
    }
}

/// The registers that the initial state sets, by thread.
pub(super) fn registers(
    file: &File<'_>,
    globals: &Globals,
    pointer_bits: u8,
    errors: &mut Diagnostics,
) -> BTreeMap<u32, Vec<RegisterUse>> {
    let mut registers: BTreeMap<u32, Vec<RegisterUse>> = BTreeMap::new();
    for init in &file.init {
        let Place::Register { thread, thread_span, name } = &init.place else { continue };
        if !file.threads.iter().any(|column| column.number == *thread) && !file.incomplete {
            let error = Diagnostic::new(*thread_span, format!("there is no thread {thread}"));
            errors.push(error);
        }
        let initial = match &init.value {
            InitialValue::One(constant) => {
                constant_value(constant, globals, file.incomplete, errors)
            }
            InitialValue::Zero | InitialValue::Elements { .. } => 0,
        };
        registers.entry(*thread).or_default().push(RegisterUse {
            name: name.clone(),
            initial: Some(initial),
            declared: integer(init.declared, pointer_bits),
        });
    }
    registers
}
