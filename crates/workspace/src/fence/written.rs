//! What the texts of a program in C or Rust offer besides room for fences: orders that can be made stronger.
//! On x86 a sequentially consistent store costs what a fence does, and a fence of the language that is there
//! already costs nothing before it is one of the machine.

use std::collections::BTreeMap;

use patch::{PlaceKind, Refusal, Syntax};
use program::{InsertionPoint, SourceId, Span};
use repair::decision::{locked_stores, stronger_fences};
use repair::{Decision, Kind};

use super::{Algorithm, Fence};
use crate::inputs::{Loaded, Origin};

/// The texts of a program, parsed when they are first needed.
pub(super) struct Texts<'a> {
    loaded: &'a Loaded,
    parsed: BTreeMap<SourceId, Syntax>,
}

impl<'a> Texts<'a> {
    pub(super) const fn new(loaded: &'a Loaded) -> Self {
        Self { loaded, parsed: BTreeMap::new() }
    }

    fn syntax(&mut self, source: SourceId) -> Option<&Syntax> {
        let Origin::Compiled(compilation) = &self.loaded.origin else { return None };
        let sources = &self.loaded.sources;
        let language = || compilation.language(sources.name(source));
        let parsed = self.parsed.entry(source);
        Some(parsed.or_insert_with(|| Syntax::parse(sources.text(source), language())))
    }

    /// The orders that can be made stronger where they are written.
    pub(super) fn stronger_orders(&mut self, question: &Fence) -> Vec<Decision> {
        let program = &self.loaded.program;
        let mut all = stronger_fences(program, true);
        if !question.with_locked_stores {
            all.extend(locked_stores(program, true));
        }
        all.retain(|decision| self.can_be_made(decision));
        all
    }

    fn can_be_made(&mut self, decision: &Decision) -> bool {
        let offset = decision.span.start as usize;
        let change = match decision.kind {
            Kind::StrongerFence => patch::Change::StrengthenFence(offset),
            Kind::LockedStore => patch::Change::LockStore(offset),
            Kind::FenceBefore
            | Kind::FenceAfter
            | Kind::OldFence
            | Kind::OldLockedStore
            | Kind::OldExchange => return true,
        };
        let syntax = decision.span.source.and_then(|source| self.syntax(source));
        syntax.is_some_and(|syntax| patch::can_be_made(syntax, change).is_ok())
    }

    /// Whether a fence at a point becomes part of an expression, which people avoid.
    pub(super) fn is_in_expression(&mut self, point: InsertionPoint) -> bool {
        let kind = self
            .syntax(point.source)
            .and_then(|syntax| syntax.kind_of_place(point.offset as usize));
        !matches!(kind, Some(PlaceKind::Statement | PlaceKind::SoleBody) | None)
    }

    /// Why no fence can be put behind what stands somewhere, if none can.
    pub(super) fn refusal(&mut self, span: Span) -> Option<Refusal> {
        let syntax = self.syntax(span.source?)?;
        match syntax.place_at(span.start as usize) {
            Err(refusal) => Some(refusal),
            Ok(place) if !place.exits.is_empty() => Some(Refusal::NeverLeft),
            Ok(_) => None,
        }
    }
}

/// Whether orders are made stronger as well: not where somebody says how a fence is written or chosen, or
/// where copies are decided about one by one.
pub(super) fn offers_orders(loaded: &Loaded, question: &Fence) -> bool {
    loaded.is_compiled()
        && question.algorithm == Algorithm::Optimal
        && question.fence_text.is_none()
        && !question.per_instance
        && !question.minimise_existing
}
