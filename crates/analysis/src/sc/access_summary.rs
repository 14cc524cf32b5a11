//! The cells that a thread may touch from a label on, before anything is executed.
//!
//! The control flow says which accesses can follow ([`Ahead`]). What one of them can hit is said by its
//! address: one cell if nothing is in it but the identity of the thread, which never changes, and
//! otherwise any cell of its array. Neither depends on what the thread has done, so addresses are
//! evaluated once for each thread and not in each local state.

use std::ops::Range;

use program::{
    Expr, IndexVec, LabelId, LocationId, Program, RegisterId, Template, TemplateId, Thread,
    ThreadId, Value,
};

use automata::Mode;

use super::Local;
use super::control_flow::Ahead;

/// A location with more cells than this is not listed cell by cell.
const MANY_CELLS: u64 = 1024;

/// Where on the list the addresses are that an access can have; nothing if they cannot be listed.
type Listed = Option<Range<usize>>;

/// What each thread can touch.
pub(super) struct AccessSummary<'p> {
    ahead: IndexVec<TemplateId, Ahead<'p>>,
    list: Vec<Value>,
    /// For each template and each of its copies, the addresses of all accesses.
    addresses: IndexVec<TemplateId, Vec<Vec<Listed>>>,
}

impl<'p> AccessSummary<'p> {
    pub(super) fn of(program: &'p Program, threads: &IndexVec<ThreadId, Thread>) -> Self {
        let none = program.templates().iter().map(|_| Vec::new()).collect();
        let ahead = program.templates().iter().map(Ahead::of).collect();
        let mut access_summary = Self { ahead, list: Vec::new(), addresses: none };
        // Each location is listed once, when somebody is met who can access any of its cells.
        let mut whole: IndexVec<LocationId, Option<Range<usize>>> =
            program.memory().locations().iter().map(|_| None).collect();
        for thread in threads {
            let template = program.template(thread.template);
            let registers = template.initial_registers(thread.copy);
            let identity = template.identity().map(|identity| identity.register);
            let addresses = access_summary.ahead[thread.template].addresses().map(|address| {
                if depends_on_nothing_but(identity, address) {
                    let address = address.evaluate(program.memory(), &registers).ok();
                    // What is no cell faults, and touches nothing.
                    let address = address.filter(|at| program.memory().cell(*at).is_ok());
                    return Some(listed(&mut access_summary.list, address));
                }
                let Expr::Element(id, _) = address else { return None };
                let location = program.memory().location(*id);
                if location.cells() > MANY_CELLS {
                    return None;
                }
                let all = (0..location.cells()).filter_map(|at| location.address(at.into()).ok());
                Some(
                    whole[*id].get_or_insert_with(|| listed(&mut access_summary.list, all)).clone(),
                )
            });
            let addresses = addresses.collect();
            access_summary.addresses[thread.template].push(addresses);
        }
        access_summary
    }

    /// The copy of its template that a thread is. Where its identity is none of theirs it is dead, and
    /// none of the accesses that follow depends on it.
    pub(super) fn copy(&self, id: TemplateId, template: &Template, local: &Local) -> usize {
        let number = template.identity().and_then(|identity| {
            usize::try_from(local.registers[identity.register] - identity.first).ok()
        });
        number.filter(|number| *number < self.addresses[id].len()).unwrap_or(0)
    }

    /// The memory cells that a copy of a template may touch from a label on, unless they cannot be
    /// listed.
    pub(super) fn from(
        &self,
        template: TemplateId,
        label: LabelId,
        copy: usize,
    ) -> Option<impl Iterator<Item = (Value, Mode)>> {
        let addresses = &self.addresses[template][copy];
        let ahead = &self.ahead[template];
        let cells = ahead.from(label).flat_map(move |(access, mode)| {
            let listed = addresses[access].clone().unwrap_or_default();
            self.list[listed].iter().map(move |address| (*address, mode))
        });
        ahead.from(label).all(|(access, _)| addresses[access].is_some()).then_some(cells)
    }
}

/// Whether no register is in an expression, but perhaps this one.
fn depends_on_nothing_but(register: Option<RegisterId>, expr: &Expr) -> bool {
    let mut is_so = true;
    expr.visit(&mut |part| {
        is_so &= !matches!(part, Expr::Register(other) if Some(*other) != register);
    });
    is_so
}

/// Puts addresses on the list; says where they are.
fn listed(list: &mut Vec<Value>, addresses: impl IntoIterator<Item = Value>) -> Range<usize> {
    let begin = list.len();
    list.extend(addresses);
    begin..list.len()
}
