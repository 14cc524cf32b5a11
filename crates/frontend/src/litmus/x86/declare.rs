//! The registers of a thread: which there are, how wide they are, and what they start with.

use std::collections::BTreeMap;

use program::{Diagnostic, Domain, Register, Span, Value};

use super::super::machine::{signed, unsigned};
use super::Dialect;
use super::register::{self, Part};
use super::syntax::{Code, Operation};
use super::thread::{Lowering, accumulator};
use crate::suggest::did_you_mean;
use crate::token::shortened;

impl Lowering<'_> {
    /// The registers that the thread uses or the rest of the test mentions.
    pub(super) fn declare_registers(&mut self, code: &Code) {
        let mut initial: BTreeMap<&'static str, (Value, Span)> = BTreeMap::new();
        let mut bits: BTreeMap<&'static str, u8> = BTreeMap::new();
        let mut order: Vec<&'static str> = Vec::new();
        let mut mention = |part: Part, wide: bool| {
            let bits = bits.entry(part.whole).or_insert_with(|| {
                order.push(part.whole);
                32
            });
            if wide {
                *bits = 64;
            }
        };
        for used in self.context.registers {
            let Some(part) = register::find(self.dialect, super::bare(&used.name.text)) else {
                self.errors.push(unknown_register(
                    self.dialect,
                    super::bare(&used.name.text),
                    used.name.span,
                ));
                continue;
            };
            let Some(value) = used.initial else {
                mention(part, false);
                continue;
            };
            if part.shift > 0 || part.bits < 32 {
                let message = format!("`{}` is only a part of a register", used.name.text);
                let help = format!("set `{}`", part.whole);
                self.errors.push(Diagnostic::new(used.name.span, message).help(help));
            }
            if let Some((_, first)) = initial.insert(part.whole, (value, used.name.span)) {
                let message = format!("`{}` is set twice", part.whole);
                let error = Diagnostic::new(used.name.span, message);
                self.errors.push(error.related(first, "first set here"));
            }
            let fits = (signed(32).min()..=unsigned(32).max()).contains(&value);
            let wide = !fits || used.declared.is_some_and(|int| int.bits() == 64);
            mention(part, wide && self.dialect == Dialect::Att);
        }
        for line in &code.lines {
            for (part, _) in line.registers() {
                mention(part, part.bits == 64);
            }
            for part in line.address_registers() {
                mention(part, part.bits == 64);
            }
            if line.operation == Operation::CompareExchange {
                mention(accumulator(self.dialect), line.bits == Some(64));
            }
        }
        for whole in order {
            let bits = bits[whole];
            let value = initial.get(whole).map_or(0, |(value, _)| *value);
            let register = self.outline.template.register(Register {
                name: whole.to_owned(),
                initial: signed(bits).wrap(value),
                domain: Domain::Wrapping(signed(bits)),
                generated: false,
            });
            self.registers.insert(whole, (register, bits));
        }
    }
}

fn unknown_register(dialect: Dialect, name: &str, span: Span) -> Diagnostic {
    let shown = shortened(name);
    let mut error = Diagnostic::new(span, format!("there is no register `{shown}`"));
    error.help = did_you_mean(&shown, register::names(dialect))
        .map(|like| format!("did you mean `{like}`?"));
    error
}
