//! Values from outside while a thread is translated, and what becomes of them in the end
//! ([`crate::outside`]).

use super::{Cursor, Limit, Origin, RegisterKey, Scratch, WORD, Walk};
use crate::library;
use crate::outside::{self, Fate, Kind, Source};
use crate::value::{self, Val};
use crate::world::FromOutside;
use linkage::Returned;
use llvm::{LocalId, Type, TypeId};
use program::{BinaryOp, Domain, Edge, Expr, Instruction, IntType, RegisterId, Span, Value};

/// The last address that somebody could think of.
const LAST_ADDRESS: Value = (1 << 47) - 1;

/// More arguments than these no system takes: they would not fit into the memory for them.
const MOST_ARGUMENTS: Value = 1 << 24;

/// Numbers without a sign are kept as if they had one.
fn with_a_sign(int: IntType, chosen: Val, highest: Value) -> Val {
    match chosen {
        Val::Expr(chosen) if highest > int.max() => {
            Val::Expr(value::fold(value::wrap(int, chosen)))
        }
        chosen @ (Val::Expr(_)
        | Val::Private(..)
        | Val::Aggregate(_)
        | Val::Undefined
        | Val::Inexpressible(_)) => chosen,
    }
}

impl Walk<'_, '_, '_> {
    /// A register that holds any number of a range, for who asks for one from a source.
    pub(crate) fn chosen(
        &mut self,
        cursor: &mut Cursor,
        register: RegisterId,
        source: Source,
        (low, high): (Value, Value),
    ) -> Val {
        if low == high {
            return Val::constant(low);
        }
        self.outside.push((self.edges.len(), source));
        self.emit(cursor, Instruction::Choose { register, low, high });
        Val::register(register)
    }

    /// A value of a type, as a summary of a function says, in the registers of a local.
    pub(crate) fn returned(
        &mut self,
        cursor: &mut Cursor,
        local: LocalId,
        component: u32,
        ty: TypeId,
        (returned, name): (Returned, &str),
    ) -> Val {
        let (module, frame) = (cursor.known.frame.function.module, &cursor.known.frame);
        let info = self.world.info(frame.function);
        if !info.is_needed_after(local, frame.block, frame.index as usize) {
            return Val::Undefined;
        }
        if let Some(elements) = self.world.elements(module, ty) {
            let parts = elements.into_iter().zip(0..).map(|((element, _), at)| {
                let component = component * 16 + at + 1;
                self.returned(cursor, local, component, element, (returned, name))
            });
            return Val::Aggregate(parts.collect());
        }
        let what = format!("what `{name}` returns");
        let Some(bits) = self.world.bits(module, ty).filter(|bits| *bits <= 64) else {
            return Val::Inexpressible(what.into());
        };
        let types = &self.world.linked.module(module).types;
        let is_pointer = matches!(types.resolved(ty), Type::Pointer { .. });
        let path = cursor.known.frame.path;
        let label = self.local_name(cursor, local);
        let key = RegisterKey::Local(path, local, component);
        let register = self.register(key, || label, WORD);
        let what = what.into();
        let Some(int) = value::int(bits) else { return Val::Inexpressible(what) };
        match returned {
            Returned::Text => {
                let source = Source { what, kind: Kind::Text };
                self.chosen(cursor, register, source, (0, LAST_ADDRESS))
            }
            Returned::Unclear if bits > 1 => {
                let source = Source { what, kind: Kind::Unclear };
                self.chosen(cursor, register, source, (int.min(), int.max()))
            }
            Returned::Anything if is_pointer => {
                let source = Source { what, kind: Kind::Address };
                self.chosen(cursor, register, source, (0, LAST_ADDRESS))
            }
            Returned::Anything | Returned::Unclear => {
                let source = Source { what, kind: Kind::Number };
                self.chosen(cursor, register, source, (int.min(), int.max()))
            }
            Returned::Between(low, high) => {
                if low < int.min() || high >= 1 << bits {
                    self.error(
                        cursor,
                        format!("`{name}` cannot return {low}..={high}: it returns {bits} bits"),
                        "give a smaller range",
                    );
                }
                let source = Source { what, kind: Kind::Number };
                let chosen = self.chosen(cursor, register, source, (low, high));
                with_a_sign(int, chosen, high)
            }
        }
    }

    /// Any number of so many bytes, for one purpose of an instruction.
    pub(crate) fn written(
        &mut self,
        cursor: &mut Cursor,
        number: &mut u32,
        bytes: u32,
        (kind, values): (Kind, Option<(Value, Value)>),
        name: &str,
    ) -> Val {
        *number += 1;
        let register = self.scratch(cursor, Scratch::Outside(*number), WORD);
        let Some(int) = value::int(bytes * 8) else { return Val::Undefined };
        let source = Source { what: format!("what `{name}` writes").into(), kind };
        let (low, high) = values.unwrap_or((int.min(), int.max()));
        if low < int.min() || high >= 1 << (bytes * 8) {
            self.error(
                cursor,
                format!("`{name}` cannot write {low}..={high}: it writes {} bits", bytes * 8),
                "give a smaller range",
            );
        }
        let chosen = self.chosen(cursor, register, source, (low, high));
        with_a_sign(int, chosen, high)
    }

    /// An argument of `main`.
    pub(super) fn given_from_outside(
        &mut self,
        cursor: &mut Cursor,
        position: usize,
        given: FromOutside,
    ) -> Val {
        let function = cursor.known.frame.function;
        if library::is_ignored(self.function(function), LocalId::new(position)) {
            return Val::Undefined;
        }
        let position = u32::try_from(position).unwrap_or(0);
        let register = self.scratch(cursor, Scratch::Passed(position), WORD);
        let what = "what the program is started with".into();
        let (kind, range) = match given {
            FromOutside::Count => (Kind::Number, (0, MOST_ARGUMENTS)),
            FromOutside::Texts => (Kind::Text, (1, LAST_ADDRESS)),
        };
        self.chosen(cursor, register, Source { what, kind }, range)
    }

    /// Replaces choices of values from outside by what stands for them.
    pub(super) fn settle_choices(&mut self) {
        if self.outside.is_empty() {
            return;
        }
        let registers = self.builder.registers().iter();
        let domains: Vec<Domain> = registers.map(|register| register.domain).collect();
        let labels = self.builder.labels().len();
        let settled = outside::settle(&self.edges, labels, &domains, &self.outside);
        for (edge, null) in settled.dropped {
            let Instruction::Load { address, .. } = &self.edges[edge].instruction else { continue };
            let Some((null, source)) = null else {
                self.edges[edge].instruction = Instruction::Skip;
                continue;
            };
            let is_there = Expr::binary(BinaryOp::Ne, address.clone(), Expr::Const(null));
            if source.kind == Kind::Text {
                self.edges[edge].instruction = Instruction::Assert(is_there);
                continue;
            }
            // Nobody knows whether it can be missing here.
            self.edges[edge].instruction = Instruction::Assume(is_there.clone());
            self.bound_where(edge, is_there.negated(), source);
        }
        for (edge, source) in settled.bounds {
            self.edges[edge].instruction = self.bound(Limit::Outside(source.what));
        }
        let sources = std::mem::take(&mut self.outside);
        for (edge, fate) in settled.choices {
            let Instruction::Choose { register, .. } = self.edges[edge].instruction else {
                continue;
            };
            match fate {
                Fate::Tried => {}
                Fate::Bound => {
                    let source = sources.iter().find(|(chosen, _)| *chosen == edge);
                    if let Some((_, source)) = source {
                        let limit = Limit::Outside(source.what.clone());
                        self.edges[edge].instruction = self.bound(limit);
                    }
                }
                Fate::Representatives(values) => self.one_of(edge, register, &values),
            }
        }
    }

    /// Beside an edge: where a condition is true, the answer is not known.
    fn bound_where(&mut self, edge: usize, condition: Expr, source: Source) {
        let (missing, gone) = (self.label(Span::NONE), self.label(Span::NONE));
        let bound = self.bound(Limit::Outside(source.what));
        let beside = Edge {
            to: missing,
            instruction: Instruction::Assume(condition),
            ..self.edges[edge].clone()
        };
        let beyond = Edge { from: missing, to: gone, instruction: bound, ..beside.clone() };
        let origin: Origin = self.origins[edge];
        self.edges.extend([beside, beyond]);
        self.origins.extend([origin, origin]);
    }

    /// One edge for each of some values in place of one.
    fn one_of(&mut self, edge: usize, register: RegisterId, values: &[Value]) {
        let assign = |value| Instruction::Assign { register, value: Expr::Const(value) };
        let Some((first, rest)) = values.split_first() else {
            self.edges[edge].instruction = Instruction::Skip;
            return;
        };
        self.edges[edge].instruction = assign(*first);
        let origin: Origin = self.origins[edge];
        for value in rest {
            let other = Edge { instruction: assign(*value), ..self.edges[edge].clone() };
            self.edges.push(other);
            self.origins.push(origin);
        }
    }
}
