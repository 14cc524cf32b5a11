//! Candidate executions: events, and the relations between them that the axioms speak of.
//!
//! The vocabulary is that of Alglave, Maranget and Tautschnig, "Herding cats" (TOPLAS 2014), §4:
//! program order `po`, reads-from `rf`, coherence `co`, from-reads `fr = rf⁻¹; co`; a suffix `i`
//! or `e` means pairs within one thread or between two. Initial writes belong to no thread.
//!
//! An event is about one cell. An access across cells has several, between which there is no program order,
//! as in the mixed-size versions of herd's models (`sm` there; Alglave, Deacon, Grisenthwaite, Hacquard
//! and Maranget, "Armed Cats", TOPLAS 2021).

use program::FenceKind;

use crate::event::{Effect, Event};
use crate::relation::{EventSet, Relation};

/// Address, data and control dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependencies {
    /// To the accesses whose address comes from the source.
    pub addr: Relation,
    /// To the writes whose value comes from the source.
    pub data: Relation,
    /// To everything after a branch whose condition comes from the source, fences included.
    pub ctrl: Relation,
}

/// A candidate execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// The events; their numbers are positions here.
    pub events: Vec<Event>,
    /// Program order, transitive, fences included.
    pub po: Relation,
    /// The dependencies on the reads that a value is computed from.
    pub computed: Dependencies,
    /// Those, and the dependencies on the reads that pick a value (see [`crate::flow`]).
    pub syntactic: Dependencies,
    /// The dependencies on exclusive writes whose success is looked at.
    pub success: Dependencies,
    /// From the read of an atomic update, or of a pair of exclusives that succeeds, to its write.
    pub rmw: Relation,
    /// From the read to the write of an update that computes what it writes from what it reads.
    pub fetch: Relation,
    /// From each write to those that read from it.
    pub rf: Relation,
    /// The order of the writes to each address, transitive, initial writes first.
    pub co: Relation,
    /// From each read to the writes that overwrite what it reads.
    pub fr: Relation,
    /// The reads whose source is not decided yet; none in an execution that is complete.
    pub(crate) open: EventSet,
    /// All reads.
    pub reads: EventSet,
    /// All writes.
    pub writes: EventSet,
    /// Pairs of events of one thread.
    pub(crate) same_thread: Relation,
    /// Pairs of accesses to one address.
    pub(crate) same_address: Relation,
    /// Pairs of different events that read, or that write, the cells of one access (herd's `sm`).
    pub(crate) same_access: Relation,
}

impl Execution {
    /// The relation without pairs; for relations that are then filled.
    pub(crate) fn nothing(&self) -> Relation {
        Relation::empty(self.events.len())
    }

    /// The same with its events in another order, in which each has this number.
    pub(crate) fn renumbered(&self, order: &[usize], numbers: &[usize]) -> Self {
        let set = |set: EventSet| set.iter().map(|event| numbers[event]).collect();
        let all = |relation: &Relation| relation.renumbered(numbers);
        let dependencies = |Dependencies { addr, data, ctrl }: &Dependencies| Dependencies {
            addr: all(addr),
            data: all(data),
            ctrl: all(ctrl),
        };
        Self {
            events: order.iter().map(|event| self.events[*event]).collect(),
            po: all(&self.po),
            computed: dependencies(&self.computed),
            syntactic: dependencies(&self.syntactic),
            success: dependencies(&self.success),
            rmw: all(&self.rmw),
            fetch: all(&self.fetch),
            rf: all(&self.rf),
            co: all(&self.co),
            fr: all(&self.fr),
            open: set(self.open),
            reads: set(self.reads),
            writes: set(self.writes),
            same_thread: all(&self.same_thread),
            same_address: all(&self.same_address),
            same_access: all(&self.same_access),
        }
    }

    /// All events with some property.
    pub fn events_with(&self, property: impl Fn(&Event) -> bool) -> EventSet {
        let found = self.events.iter().enumerate().filter(|(_, event)| property(event));
        found.map(|(number, _)| number).collect()
    }

    /// All fences of one kind.
    pub fn fences(&self, kind: FenceKind) -> EventSet {
        self.events_with(|event| event.effect == Effect::Fence(kind))
    }

    /// All accesses to memory.
    pub fn accesses(&self) -> EventSet {
        self.reads | self.writes
    }

    /// All pairs of an event in `from` and an event in `to`.
    pub(crate) fn product(&self, from: EventSet, to: EventSet) -> Relation {
        Relation::product(self.events.len(), from, to)
    }

    /// All writes to the address of an access.
    pub(crate) fn writes_to(&self, access: usize) -> EventSet {
        self.same_address.successors(access) & self.writes
    }

    /// The last access of its thread before it to the address of an access.
    pub(crate) fn own_before(&self, access: usize) -> Option<usize> {
        self.own(access).last_before(access)
    }

    /// The first access of its thread after it to the address of an access.
    pub(crate) fn own_after(&self, access: usize) -> Option<usize> {
        self.own(access).first_after(access)
    }

    fn own(&self, access: usize) -> EventSet {
        self.same_address.successors(access) & self.same_thread.successors(access)
    }

    /// The pairs within one thread.
    pub fn internal(&self, relation: &Relation) -> Relation {
        relation & &self.same_thread
    }

    /// The pairs between two threads, or between an initial write and a thread.
    pub fn external(&self, relation: &Relation) -> Relation {
        relation - &self.same_thread
    }

    /// The pairs, and those that lead to the other cells of the access that a pair leads to: what comes
    /// before a part of an access comes before all of it, since its cells are accessed at once.
    pub(crate) fn at_once(&self, relation: Relation) -> Relation {
        if self.same_access.is_empty() {
            return relation;
        }
        let others = relation.then(&self.same_access);
        relation | others
    }

    /// Reads from a write of the same thread.
    pub fn rfi(&self) -> Relation {
        self.internal(&self.rf)
    }

    /// Reads from a write of another thread.
    pub fn rfe(&self) -> Relation {
        self.external(&self.rf)
    }

    /// Overwritten by another thread.
    pub fn coe(&self) -> Relation {
        self.external(&self.co)
    }

    /// What a read reads is overwritten by another thread.
    pub fn fre(&self) -> Relation {
        self.external(&self.fr)
    }

    /// Communication: `rf ∪ co ∪ fr`.
    pub fn com(&self) -> Relation {
        &self.rf | &self.co | &self.fr
    }

    /// Program order between accesses to one address.
    pub fn po_loc(&self) -> Relation {
        &self.po & &self.same_address
    }

    /// Program order between accesses to memory.
    pub fn po_accesses(&self) -> Relation {
        self.po.starting_in(self.accesses()).ending_in(self.accesses())
    }

    /// Accesses with one of these events between them in program order.
    pub fn separated_by(&self, between: EventSet) -> Relation {
        self.po_accesses() & self.po.ending_in(between).then(&self.po.starting_in(between))
    }

    /// The axiom *sc per location*: `acyclic(po-loc ∪ com)` (Herding cats, Fig. 5). Every model
    /// here has it.
    pub fn is_coherent(&self) -> bool {
        (self.po_loc() | self.com()).is_acyclic()
    }

    /// Whether it is an execution of sequential consistency as far as it goes: `acyclic(po ∪ com)`.
    ///
    /// Every model here allows those. What a model forbids is a cycle, or a path from an event to itself, of relations
    /// that `(po ∪ com)⁺` contains: dependencies, fences and pairs of updates lie in `po`, and everything else is
    /// composed of these and `com`. Cells of one access are not ordered by `po`, though models relate them.
    pub(crate) fn is_sc(&self) -> bool {
        self.same_access.is_empty() && (&self.po | self.com()).is_acyclic()
    }

    /// The same without pairs of reads: `acyclic((po-loc \ R × R) ∪ com)`.
    pub fn is_coherent_but_for_reads(&self) -> bool {
        let reads = self.product(self.reads, self.reads);
        ((self.po_loc() - reads) | self.com()).is_acyclic()
    }

    /// The axiom *atomicity*: `rmw ∩ (fre; coe) = ∅`. Every model here has it.
    pub fn is_atomic(&self) -> bool {
        (&self.rmw & self.fre().then(&self.coe())).is_empty()
    }
}

impl Dependencies {
    /// No dependencies.
    pub(crate) fn none(events: usize) -> Self {
        let empty = Relation::empty(events);
        Self { addr: empty.clone(), data: empty.clone(), ctrl: empty }
    }
}
