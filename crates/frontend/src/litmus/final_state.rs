//! Talking about the final states of a test that exists already: conditions from outside it, what
//! is seen in a state in herd's words (`1:EAX=0`, `y=2`), and the test with another condition.

use program::{
    Count, Diagnostic, Diagnostics, Domain, Observable, Program, Proposition, SourceId, Sources,
    TemplateId, Value,
};

use super::ast::{Constant, Name, Place, Prop};
use super::lex::{Kind, Token};
use super::load_store::LoadStore;
use super::machine::{Arch, Machine, domain_bits};
use super::question::conjunction;
use super::{aarch64, arm, c, header, layout, parse, ppc, print, riscv, x86};
use crate::final_state::Told;
use crate::suggest::did_you_mean;
use crate::token;

/// The condition on the final states of a program that a text describes in the syntax of a test's
/// last line, or all that is wrong with it.
///
/// The program may have been written in any language: threads go by their numbers, and `&&`, `||`
/// and `!` are understood as well.
pub fn condition(
    sources: &Sources,
    source: SourceId,
    program: &Program,
) -> Result<Proposition, Diagnostics> {
    let (tokens, errors) = token::tokens(sources.text(source), 0, source);
    let prop = parse::condition(&in_herds_words(&tokens), errors)?;
    let mut lowering = Lowering { program, errors: Vec::new() };
    let lowered = lowering.prop(&prop);
    if lowering.errors.is_empty() { Ok(lowered) } else { Err(lowering.errors) }
}

/// The connectives of other languages as those of herd.
fn in_herds_words<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    let mut changed: Vec<Token<'t>> = Vec::new();
    for token in tokens {
        let last = changed.last_mut().filter(|last| last.span.end == token.span.start);
        match (last, token.kind) {
            (Some(last), Kind::Ampersand) if last.kind == Kind::Ampersand => last.kind = Kind::And,
            (Some(last), Kind::Pipe) if last.kind == Kind::Pipe => last.kind = Kind::Or,
            (_, Kind::Bang) => changed.push(Token { kind: Kind::Tilde, ..*token }),
            (_, _) => changed.push(*token),
        }
    }
    changed
}

struct Lowering<'a> {
    program: &'a Program,
    errors: Diagnostics,
}

impl Lowering<'_> {
    fn prop(&mut self, prop: &Prop) -> Proposition {
        let mut inner = |part: &Prop| Box::new(self.prop(part));
        match prop {
            Prop::Constant(truth) => Proposition::Constant(*truth),
            Prop::Not(part) => Proposition::Not(inner(part)),
            Prop::And(left, right) => Proposition::And(inner(left), inner(right)),
            Prop::Or(left, right) => Proposition::Or(inner(left), inner(right)),
            Prop::Implies(left, right) => Proposition::Implies(inner(left), inner(right)),
            Prop::Equals(place, constant) => {
                let (seen, value) = (self.place(place), self.constant(constant));
                match seen.zip(value) {
                    Some((seen, value)) => Proposition::Equals(seen, self.fitting(seen, value)),
                    None => Proposition::Constant(true),
                }
            }
            Prop::EqualsEach(name, constants, span) => {
                let Some(base) = self.location(name, None) else {
                    return Proposition::Constant(true);
                };
                let Some((id, _)) = self.program.memory().place(base) else {
                    return Proposition::Constant(true);
                };
                let location = self.program.memory().location(id);
                if u64::try_from(constants.len()) != Ok(location.cells()) {
                    let message = format!("`{}` has {} elements", name.text, location.cells());
                    self.errors.push(Diagnostic::new(*span, message));
                }
                let parts = (0..).zip(constants).map(|(index, constant): (Value, &Constant)| {
                    let seen = Observable::Cell(base + index * Value::from(location.stride));
                    let value = self.constant(constant).unwrap_or(0);
                    Proposition::Equals(seen, self.fitting(seen, value))
                });
                conjunction(&parts.collect::<Vec<_>>())
            }
        }
    }

    /// A constant as what is seen would hold it.
    fn fitting(&self, seen: Observable, value: Value) -> Value {
        let value = self.program.told_as(seen).map_or(value, |told| told.wrap(value));
        match domain(self.program, seen) {
            Some(Domain::Wrapping(int)) => int.wrap(value),
            Some(Domain::Integer | Domain::Range { .. }) | None => value,
        }
    }

    fn constant(&mut self, constant: &Constant) -> Option<Value> {
        match constant {
            Constant::Number(value) => Some(*value),
            Constant::Address { name, index } => self.location(name, index.map(|(index, _)| index)),
        }
    }

    /// The address of a location or of an element of it.
    fn location(&mut self, name: &Name, index: Option<Value>) -> Option<Value> {
        let mut locations = self.program.memory().locations().iter();
        let Some(location) = locations.find(|location| location.name == name.text) else {
            let names = self.program.memory().locations().iter().map(|it| it.name.as_str());
            let message = format!("the program has no location `{}`", token::shortened(&name.text));
            let mut error = Diagnostic::new(name.span, message);
            error.help =
                did_you_mean(&name.text, names).map(|like| format!("did you mean `{like}`?"));
            self.errors.push(error);
            return None;
        };
        let address = match (index, location.length) {
            (None, _) => return Some(location.base),
            (Some(index), Some(length)) => location
                .address(index)
                .map_err(|_| format!("`{}` has {length} elements", name.text)),
            (Some(_), None) => Err(format!("`{}` is not an array", name.text)),
        };
        address.map_err(|message| self.errors.push(Diagnostic::new(name.span, message))).ok()
    }

    fn place(&mut self, place: &Place) -> Option<Observable> {
        let (thread, thread_span, name) = match place {
            Place::Memory { name, index } => {
                let address = self.location(name, index.map(|(index, _)| index))?;
                return Some(Observable::Cell(address));
            }
            Place::Symbolic(name) => {
                let error = Diagnostic::new(name.span, "a register needs its thread here");
                self.errors.push(error.help(format!("write `0:{}`", name.text)));
                return None;
            }
            Place::Register { thread, thread_span, name } => (thread, thread_span, name),
        };
        let Some((template, copy)) = numbered(self.program, *thread) else {
            let error = Diagnostic::new(*thread_span, format!("there is no thread {thread}"));
            self.errors.push(error);
            return None;
        };
        let registers = self.program.template(template).registers();
        let called = |text: &str| registers.enumerate().find(|(_, data)| data.name == text);
        if let Some((register, _)) = called(&name.text) {
            return Some(Observable::Register { template, copy, register });
        }
        let part_of = |(whole, bits): (String, u8)| called(&whole).map(|found| (found, bits));
        if let Some(((register, data), bits)) =
            by_machines(&name.text).into_iter().find_map(part_of)
        {
            if domain_bits(data.domain) > bits {
                let message = format!("`{}` is only a part of `{}`", name.text, data.name);
                let error = Diagnostic::new(name.span, message);
                self.errors.push(error.help("the thread uses the whole register: name that"));
                return None;
            }
            return Some(Observable::Register { template, copy, register });
        }
        let message = format!("thread {thread} has no register `{}`", token::shortened(&name.text));
        let names = registers.iter().map(|data| data.name.as_str());
        let mut error = Diagnostic::new(name.span, message);
        error.help = did_you_mean(&name.text, names).map(|like| format!("did you mean `{like}`?"));
        self.errors.push(error);
        None
    }
}

/// The thread with this number: its template and which copy of it.
fn numbered(program: &Program, number: u32) -> Option<(TemplateId, u32)> {
    print::numbers(program).enumerate().find_map(|(id, first)| {
        let copy = number.checked_sub(*first)?;
        match program.template(id).count() {
            Count::Exactly(count) => (copy < count).then_some((id, copy)),
            Count::Any => None,
        }
    })
}

/// The registers that a name can mean on some machine, and how many of their bits.
fn by_machines(name: &str) -> Vec<(String, u8)> {
    let all = [
        x86::Dialect::Intel.register(name),
        x86::Dialect::Att.register(name),
        LoadStore(aarch64::AArch64).register(name),
        LoadStore(arm::Arm).register(name),
        LoadStore(ppc::Ppc).register(name),
        LoadStore(riscv::RiscV).register(name),
    ];
    all.into_iter().flatten().collect()
}

fn domain(program: &Program, seen: Observable) -> Option<Domain> {
    match seen {
        Observable::Cell(address) => program.memory().cell(address).ok().map(|cell| cell.domain),
        Observable::Across(_, int) => Some(Domain::Wrapping(int)),
        Observable::Register { template, register, .. } => {
            Some(program.template(template).registers()[register].domain)
        }
    }
}

/// What something seen in a final state is called: `1:EAX`, `y`, `a[2]`.
pub fn observable(program: &Program, seen: Observable) -> String {
    match seen {
        Observable::Cell(address) => program.memory().cell_name(address),
        Observable::Across(address, int) => program.memory().name_across(address, int),
        Observable::Register { template, copy, register } => {
            let number = print::numbers(program)[template].saturating_add(copy);
            format!("{number}:{}", program.template(template).registers()[register].name)
        }
    }
}

/// A value seen in a final state of a test, in the type that the test declares; an address is the
/// location.
pub fn told(program: &Program, seen: Observable, value: Value) -> Told {
    match program.memory().place(value) {
        Some((id, index)) if layout::is_address(value) => {
            let location = program.memory().location(id);
            let name = if index == 0 { location.name.clone() } else { location.cell_name(index) };
            Told::Location(name)
        }
        Some(_) | None => Told::Number(program.told_as(seen).map_or(value, |int| int.wrap(value))),
    }
}

/// The text of a test with `exists` and these values in place of what follows its table.
pub fn with_exists(
    sources: &Sources,
    source: SourceId,
    program: &Program,
    values: &[(Observable, Value)],
) -> Result<String, Diagnostics> {
    let text = sources.text(source);
    let header = header::read(text, source)?;
    let table = if header.arch == Arch::C {
        &text[..c::end_of_threads(&header, text, source)?]
    } else {
        let (tokens, errors) = token::tokens(&text[..header.end_of_test], header.end, source);
        let file = parse::file(&tokens, errors);
        let end = usize::try_from(file.end_of_table).unwrap_or(usize::MAX);
        let Some(table) = text.get(..end).filter(|_| file.errors.is_empty()) else {
            return Err(file.errors);
        };
        table
    };
    let equal = |(seen, shown): &(Observable, Value)| {
        let shown = match told(program, *seen, *shown) {
            Told::Number(value) => value.to_string(),
            Told::Location(name) => name,
        };
        format!("{}={shown}", observable(program, *seen))
    };
    let all: Vec<String> = values.iter().map(equal).collect();
    let all = if all.is_empty() { "true".to_owned() } else { all.join(" /\\ ") };
    Ok(format!("{}\nexists ({all})\n", table.trim_end()))
}

/// The question whether some final state has these values.
pub fn exists(values: &[(Observable, Value)]) -> program::Question {
    let parts: Vec<Proposition> =
        values.iter().map(|(seen, value)| Proposition::Equals(*seen, *value)).collect();
    let condition = Some((program::Quantifier::Exists, conjunction(&parts)));
    program::Question { condition, ..program::Question::default() }
}
