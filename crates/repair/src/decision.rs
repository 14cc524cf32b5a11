//! Decisions: what can be changed, as one thing with one cost.
//!
//! A fence can stand before a label (ESOP'13) or after an instruction (ESOP'15). A decision belongs to a
//! place in the text: copies of a template and whatever else a front end made of the same text are
//! changed together. Places inside expressions and in the heads of loops have no text and are not
//! offered. Where no text stands behind a program each label or instruction is a place of its own.

use std::collections::{BTreeMap, BTreeSet};

use analysis::dead_results;
use program::index::Idx;
use program::{
    Access, Count, Edge, FenceKind, Insertion, InsertionPoint, Instruction, Label, NoInsertion,
    Order, Program, Span, Template, TemplateId, Update,
};

use program::change::{Change, apply};

/// Where fences can stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// Before labels.
    Labels,
    /// After instructions.
    AfterInstructions,
}

/// What a decision puts in, or keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A fence before a label.
    FenceBefore,
    /// A fence after an instruction.
    FenceAfter,
    /// A fence that is there and orders less, which becomes a full one.
    StrongerFence,
    /// A store that becomes an exchange whose result is dropped.
    LockedStore,
    /// A fence that is there already.
    OldFence,
    /// A locked store that is there already.
    OldLockedStore,
    /// An exchange with an unused result that is there already.
    OldExchange,
}

/// Something that is done or not.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What.
    pub kind: Kind,
    /// The changes, for each template that has the text.
    pub changes: Vec<(TemplateId, Change)>,
    /// The template, or with copies apart the thread, that is changed first.
    pub thread: String,
    /// Where a statement is inserted, if it is and there is a text.
    pub point: Option<InsertionPoint>,
    /// The instruction that is changed, or that a fence stands at.
    pub span: Span,
    /// How many places in concrete threads it changes.
    pub instances: u32,
}

/// What identifies a decision: a place in the text, or a place of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Inserted(InsertionPoint, Kind, Option<TemplateId>),
    Changed(Span, Option<TemplateId>),
    Own(TemplateId, usize),
}

/// Collects decisions in the order of the text.
struct Collected {
    /// Whether templates with the same text are changed together.
    together: bool,
    decisions: BTreeMap<Key, Decision>,
}

impl Collected {
    fn add(
        &mut self,
        kind: Kind,
        key: Key,
        (id, template): (TemplateId, &Template),
        change: Change,
        span: Span,
    ) {
        let decision = self.decisions.entry(key).or_insert_with(|| Decision {
            kind,
            changes: Vec::new(),
            thread: template.name().to_owned(),
            point: match key {
                Key::Inserted(point, ..) => Some(point),
                Key::Changed(..) | Key::Own(..) => None,
            },
            span,
            instances: 0,
        });
        decision.changes.push((id, change));
        decision.instances += match template.count() {
            Count::Exactly(count) => count,
            Count::Any => 1,
        };
    }

    fn owner(&self, template: TemplateId) -> Option<TemplateId> {
        (!self.together).then_some(template)
    }

    fn insertion(
        &self,
        kind: Kind,
        insertion: Insertion,
        template: TemplateId,
        number: usize,
    ) -> Option<Key> {
        match insertion {
            Ok(point) => Some(Key::Inserted(point, kind, self.owner(template))),
            Err(NoInsertion::NoSource) => Some(Key::Own(template, number)),
            Err(
                NoInsertion::InsideExpression | NoInsertion::LoopHead | NoInsertion::NoTextOfItsOwn,
            ) => None,
        }
    }

    /// Fences before the labels of a template.
    fn labels(&mut self, id: TemplateId, template: &Template) {
        for (label, data) in template.labels().enumerate() {
            // Where nothing leaves, a fence orders nothing.
            let Some(first) = template.outgoing(label).next() else { continue };
            let key = self.insertion(Kind::FenceBefore, data.before, id, label.index());
            let Some(key) = key else { continue };
            let change = Change::FenceBefore(label, FenceKind::Full);
            let span = template.edge(first).span;
            self.add(Kind::FenceBefore, key, (id, template), change, span);
        }
    }

    fn changed(&self, span: Span, template: TemplateId, number: usize) -> Key {
        match span.source {
            Some(_) => Key::Changed(span, self.owner(template)),
            None => Key::Own(template, number),
        }
    }

    fn finish(self) -> Vec<Decision> {
        self.decisions.into_values().collect()
    }
}

/// All fences that can be put in. `together` says whether templates with the same text are changed
/// together.
///
/// A label that has no place of its own in the text, such as the head of a loop, is reached from places
/// that have one: they are offered instead, so that what enters a loop and what goes round are told
/// apart.
pub fn fences(program: &Program, positions: Positions, together: bool) -> Vec<Decision> {
    let mut all = Collected { together, decisions: BTreeMap::new() };
    for (id, template) in program.templates().enumerate() {
        let after: BTreeSet<Insertion> = match positions {
            Positions::AfterInstructions => {
                template.edges().iter().map(|edge| edge.after).collect()
            }
            Positions::Labels => {
                all.labels(id, template);
                let into = template.edges().iter();
                into.filter(|edge| has_no_place(&template.labels()[edge.to]))
                    .filter_map(|edge| edge.after.ok().map(Ok))
                    .collect()
            }
        };
        for (edge, data) in template.edges().enumerate() {
            if after.contains(&data.after)
                && let Some(key) = all.insertion(Kind::FenceAfter, data.after, id, edge.index())
            {
                let change = Change::FenceAfter(edge, FenceKind::Full);
                all.add(Kind::FenceAfter, key, (id, template), change, data.span);
            }
        }
    }
    all.finish()
}

/// Whether a label stands between statements but nothing can be inserted that all paths through it
/// pass and no others.
fn has_no_place(label: &Label) -> bool {
    match label.before {
        Err(NoInsertion::LoopHead | NoInsertion::NoTextOfItsOwn) => true,
        Ok(_) | Err(NoInsertion::InsideExpression | NoInsertion::NoSource) => false,
    }
}

/// All stores that can become exchanges.
pub fn locked_stores(program: &Program, together: bool) -> Vec<Decision> {
    let mut all = Collected { together, decisions: BTreeMap::new() };
    for (id, template) in program.templates().enumerate() {
        for (edge, data) in template.edges().enumerate() {
            if let Instruction::Store { address, value, access } = &data.instruction
                && access.order != Order::SeqCst
            {
                let access = Access { order: Order::SeqCst, ..*access };
                let (address, value) = (address.clone(), value.clone());
                let locked = Instruction::Store { address, value, access };
                let key = all.changed(data.span, id, edge.index());
                let change = Change::Become(edge, locked);
                all.add(Kind::LockedStore, key, (id, template), change, data.span);
            }
        }
    }
    all.finish()
}

/// All fences that do not wait for an empty buffer and can become such as do.
pub fn stronger_fences(program: &Program, together: bool) -> Vec<Decision> {
    let mut all = Collected { together, decisions: BTreeMap::new() };
    for (id, template) in program.templates().enumerate() {
        for (edge, data) in template.edges().enumerate() {
            let Instruction::Fence(kind) = data.instruction else { continue };
            let is_weaker = match kind {
                FenceKind::Lightweight | FenceKind::Acquire | FenceKind::Release => true,
                FenceKind::Full
                | FenceKind::StoreLoad
                | FenceKind::StoreStore
                | FenceKind::LoadLoad
                | FenceKind::LoadStore
                | FenceKind::Control => false,
            };
            if is_weaker {
                let key = all.changed(data.span, id, edge.index());
                let change = Change::Become(edge, Instruction::Fence(FenceKind::Full));
                all.add(Kind::StrongerFence, key, (id, template), change, data.span);
            }
        }
    }
    all.finish()
}

/// The program without its fences and with ordinary stores instead of locked ones and of exchanges
/// whose results are not used, and the decisions to keep them.
///
/// Fences that do not wait for an empty buffer are left alone: they do nothing under TSO, and are
/// there for other machines.
pub fn existing(program: &Program, together: bool) -> (Program, Vec<Decision>) {
    let mut all = Collected { together, decisions: BTreeMap::new() };
    let mut weaker = Vec::new();
    let dead = dead_results(program);
    for (id, template) in program.templates().enumerate() {
        for (edge, data) in template.edges().enumerate() {
            let Some((kind, without)) = weakened(data, dead.contains(&(id, edge))) else {
                continue;
            };
            weaker.push((id, Change::Become(edge, without)));
            let key = all.changed(data.span, id, edge.index());
            let keep = Change::Become(edge, data.instruction.clone());
            all.add(kind, key, (id, template), keep, data.span);
        }
    }
    (apply(program, &weaker).program, all.finish())
}

/// What is left of an instruction if it need not wait for an empty buffer, where that can be had.
fn weakened(edge: &Edge, has_dead_result: bool) -> Option<(Kind, Instruction)> {
    let plain = |access: &Access| Access {
        order: if access.order == Order::SeqCst { Order::Release } else { access.order },
        ..*access
    };
    match &edge.instruction {
        Instruction::Fence(FenceKind::Full | FenceKind::StoreLoad) => {
            Some((Kind::OldFence, Instruction::Skip))
        }
        Instruction::Store { address, value, access } if access.order == Order::SeqCst => {
            let (address, value, access) = (address.clone(), value.clone(), plain(access));
            Some((Kind::OldLockedStore, Instruction::Store { address, value, access }))
        }
        Instruction::Update { result, address, update: Update::Exchange(value), access }
            if result.is_none() || has_dead_result =>
        {
            let access = match access.order {
                Order::AcquireRelease | Order::SeqCst | Order::Acquire => {
                    Access { order: Order::Release, ..*access }
                }
                Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => *access,
            };
            let (address, value) = (address.clone(), value.clone());
            Some((Kind::OldExchange, Instruction::Store { address, value, access }))
        }
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => None,
    }
}
