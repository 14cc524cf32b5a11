//! The registers of a thread: which there are, how wide they are, and what they start with.
//!
//! A register has 64 bits if the thread uses that many of it, if it is declared so, or if its
//! initial value needs them; otherwise it has 32, so that its values show as herd's. Where the
//! names of registers do not tell, all registers of a thread have as many bits as the widest. What takes two
//! registers of 64 bits at once is generated and has 128.

use std::collections::BTreeMap;

use program::{Diagnostic, Domain, Register as ModelRegister, Span, Value};

use super::super::machine::{Context, signed, unsigned};
use super::cell::unknown_register;
use super::syntax::{Code, Flow, Line, Register, Term};
use super::thread::Lowering;
use super::{InstructionSet, find};

/// What is known about the registers of a thread.
#[derive(Default)]
struct Registers {
    initial: BTreeMap<String, (Value, Span)>,
    bits: BTreeMap<String, u8>,
    order: Vec<String>,
}

impl Registers {
    fn mention(&mut self, whole: &str, least: u8) {
        if !self.bits.contains_key(whole) {
            self.order.push(whole.to_owned());
        }
        let bits = self.bits.entry(whole.to_owned()).or_insert(32);
        *bits = least.max(*bits);
    }
}

impl Lowering<'_> {
    /// Declares the registers that the thread uses or the rest of the test mentions.
    pub(super) fn declare_registers(
        &mut self,
        isa: &impl InstructionSet,
        code: &Code,
        context: &Context<'_>,
    ) {
        let mut registers = Registers::default();
        self.mentioned(isa, context, &mut registers);
        for line in &code.lines {
            visit_registers(line, &mut |register| {
                if let Register::Named { whole, bits } = register {
                    registers.mention(whole, bits.unwrap_or(32));
                }
            });
        }
        let is_named = |whole: &str| find(isa, whole).is_some();
        let named = registers.bits.iter().filter(|(whole, _)| is_named(whole));
        let widest = named.map(|(_, bits)| *bits).max().unwrap_or(32);
        for whole in registers.order {
            let is_named = is_named(&whole);
            let alike = isa.registers_are_alike() && is_named;
            let bits = if alike { widest } else { registers.bits[&whole] };
            let value = registers.initial.get(&whole).map_or(0, |(value, _)| *value);
            let register = self.outline.template.register(ModelRegister {
                name: whole.clone(),
                initial: signed(bits).wrap(value),
                domain: Domain::Wrapping(signed(bits)),
                generated: !is_named,
            });
            self.registers.insert(whole, (register, bits));
        }
    }

    /// The registers that the initial state or the condition mentions.
    fn mentioned(
        &mut self,
        isa: &impl InstructionSet,
        context: &Context<'_>,
        registers: &mut Registers,
    ) {
        for used in context.registers {
            let (name, span) = (&used.name.text, used.name.span);
            let whole = match find(isa, name) {
                None => {
                    self.errors.push(unknown_register(isa, name, span));
                    continue;
                }
                Some(Register::Zero { .. }) => {
                    let error = Diagnostic::new(span, format!("`{name}` is always zero"));
                    self.errors.push(error.help("leave it out"));
                    continue;
                }
                Some(Register::Named { whole, .. }) => whole,
            };
            let Some(value) = used.initial else {
                registers.mention(&whole, 32);
                continue;
            };
            if let Some((_, first)) = registers.initial.insert(whole.clone(), (value, span)) {
                let error = Diagnostic::new(span, format!("`{whole}` is set twice"));
                self.errors.push(error.related(first, "first set here"));
            }
            let fits = (signed(32).min()..=unsigned(32).max()).contains(&value);
            let wide = !fits || used.declared.is_some_and(|int| int.bits() == 64);
            registers.mention(&whole, if wide && isa.pointer_bits() == 64 { 64 } else { 32 });
        }
    }
}

/// Calls `visit` on every register that an instruction names.
fn visit_registers<'a>(line: &'a Line, visit: &mut impl FnMut(&'a Register)) {
    let mut terms = Vec::new();
    for step in &line.steps {
        step.written().into_iter().for_each(&mut *visit);
        terms.extend(step.terms());
    }
    match &line.flow {
        Flow::Branch(condition, _) => terms.push(condition),
        Flow::Call { link, .. } => visit(link),
        Flow::Computed { address, link } => {
            terms.push(address);
            link.iter().for_each(&mut *visit);
        }
        Flow::Next | Flow::Jump(_) | Flow::Return => {}
    }
    for term in terms {
        term.visit(&mut |part| {
            if let Term::Register(register) = part {
                visit(register);
            }
        });
    }
}
