//! What control flow and addresses say about attacks before anything is searched.

use std::collections::BTreeSet;

use automata::{Mode, Threads};
use instrument::Attack;
use program::index::Idx;
use program::{EdgeId, IndexVec, Instruction, LabelId, Template, TemplateId, Value};

use crate::sc::{Cell, Sc, loads_ahead};

/// Some addresses; nothing if it can be any.
type Addresses = Option<BTreeSet<Value>>;

/// What is known before the search.
pub(crate) struct AttackFilter {
    /// For each template and label: whether a load can follow with nothing in between that empties
    /// the buffer.
    load_ahead: IndexVec<TemplateId, IndexVec<LabelId, bool>>,
    /// For each thread: what others can touch, and what they can write.
    by_others: Vec<(Addresses, Addresses)>,
    /// For each template, the numbers of its threads.
    copies: IndexVec<TemplateId, Vec<usize>>,
    only: Option<Attack>,
    can_attack: bool,
}

impl AttackFilter {
    pub(crate) fn of(sc: &Sc<'_>, only: Option<Attack>) -> Self {
        let program = sc.program();
        let load_ahead: IndexVec<TemplateId, _> =
            program.templates().iter().map(loads_ahead).collect();
        let touched: Vec<Option<Vec<(Value, bool)>>> = sc
            .classes()
            .into_iter()
            .enumerate()
            .map(|(thread, class)| {
                let mut memory = Vec::new();
                let mut touch = |cell, mode: Mode| match cell {
                    Cell::Memory(address) => memory.push((address, mode.writes())),
                    Cell::Lock | Cell::Published(_) => {}
                };
                sc.may_touch(class, &sc.initial(thread), &mut touch).then_some(memory)
            })
            .collect();
        let by_others = (0..touched.len()).map(|thread| {
            let others = touched.iter().enumerate().filter(|(other, _)| *other != thread);
            let all: Option<Vec<(Value, bool)>> = others
                .map(|(_, cells)| cells.as_deref())
                .collect::<Option<Vec<&[(Value, bool)]>>>()
                .map(|lists| lists.concat());
            let touched = |cells: &Vec<(Value, bool)>| cells.iter().map(|(a, _)| *a).collect();
            let written = |cells: &Vec<(Value, bool)>| {
                cells.iter().filter(|(_, writes)| *writes).map(|(a, _)| *a).collect()
            };
            (all.as_ref().map(touched), all.as_ref().map(written))
        });
        let by_others = by_others.collect();
        let copies = program.templates().indices().map(|template| {
            let threads = sc.threads().enumerate();
            let copies = threads.filter(|(_, thread)| thread.template == template);
            copies.map(|(id, _)| id.index()).collect()
        });
        let can_attack = program.templates().enumerate().any(|(id, template)| {
            template.edges().iter().any(|edge| {
                let instruction = &edge.instruction;
                matches!(instruction, Instruction::Store { .. })
                    && !instruction.drains_buffer()
                    && load_ahead[id][edge.to]
            })
        });
        Self { load_ahead, by_others, copies: copies.collect(), only, can_attack }
    }

    /// Whether there is a store that a load can overtake.
    pub(crate) const fn can_attack(&self) -> bool {
        self.can_attack
    }

    pub(crate) fn has_load_ahead(&self, template: TemplateId, label: LabelId) -> bool {
        self.load_ahead[template][label]
    }

    /// Whether an attack may begin with this store.
    pub(crate) fn may_begin(
        &self,
        thread: Option<usize>,
        template: &Template,
        (id, edge): (TemplateId, EdgeId),
        address: Value,
    ) -> bool {
        self.load_ahead[id][template.edge(edge).to]
            && self
                .only
                .is_none_or(|only| thread == Some(only.thread.index()) && edge == only.store)
            && self.others(thread, id).any(|(touched, _)| can_be(touched, address))
    }

    /// Whether an attack may end with this load.
    pub(crate) fn may_end(
        &self,
        thread: Option<usize>,
        (id, edge): (TemplateId, EdgeId),
        address: Value,
    ) -> bool {
        self.only.is_none_or(|only| thread == Some(only.thread.index()) && edge == only.load)
            && self.others(thread, id).any(|(_, written)| can_be(written, address))
    }

    /// What others do, for each copy that it may be about.
    fn others(
        &self,
        thread: Option<usize>,
        template: TemplateId,
    ) -> impl Iterator<Item = &(Addresses, Addresses)> {
        let copies = self.copies[template].iter();
        let meant = copies.filter(move |copy| thread.is_none_or(|thread| thread == **copy));
        meant.map(|copy| &self.by_others[*copy])
    }
}

fn can_be(addresses: &Addresses, address: Value) -> bool {
    addresses.as_ref().is_none_or(|addresses| addresses.contains(&address))
}
