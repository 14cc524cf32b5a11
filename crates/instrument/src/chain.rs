//! Helpers: the chain of happens-before from the attacker's load to its store (ESOP'13, Fig. 7).
//!
//! After the attacker's load, helpers may only do what happens after it. By Lemma 3 of the paper it
//! is enough to know of each thread whether it has done something since that belongs to the chain
//! (then it runs in [`Copy::Chain`]), and of each cell how the chain has accessed it, which is its
//! mark: not at all, [`LOADED`] or [`STORED`]. A thread joins the chain with a load of a cell that
//! is marked as stored to, or a store to one that is marked at all. The goal is reached once the
//! chain has accessed the cell that the attacker's first delayed store is to.
//!
//! # Steps in between
//!
//! Access and mark are different steps, and so are the question whether the chain has begun and the
//! access that was allowed before. Happens-before does not change when actions are inserted into a
//! computation, so a goal is never reached wrongly: marks follow accesses and never say too much
//! (two threads that set the same mark may lose the greater one), and an action that is not in the
//! chain but takes place after the attacker's load is merely not needed. Nor is a goal missed, since
//! threads need not interrupt each other.
//!
//! # Locked instructions
//!
//! An update that writes is a load and a store in one node, so it joins where a store joins, and
//! marks the cell as stored to. One that only reads (a compare-and-swap that fails, an update that
//! stops its thread because a value does not fit) is a load (`update`). An exclusive store that
//! succeeds is a store, one that fails accesses nothing. Reservations add nothing to happens-before:
//! a store by another thread to the same cell that does not end a reservation reached memory
//! before the exclusive load or after the exclusive store, and source and store order say so too.
//!
//! # Locked sections
//!
//! The paper has none, and for them its Lemma 1 does not hold: SC keeps a section together, so a trace
//! is one of SC exactly if happens-before has no cycle *when each section is one node*. To the
//! chain, a section is one action with many accesses: it joins if any of its accesses would, and
//! then all of them belong to the chain, also the earlier ones. So a helper enters a section on the
//! assumption that it will join ([`Copy::Pending`]) and is not let out before it has. Until then its
//! own marks must not count as a reason to join, so they carry the thread's number and the mark that
//! was there before ([`Marks`]); nobody else sees them before the section has joined, as the memory
//! lock is held, and this thread never is in such a section again. Nothing reaches memory while a
//! section is open, the attacker's store neither; so an access to the attacked cell counts when the
//! section ends.
//!
//! # Deviations
//!
//! - Instead of asking at every label whether the attacked cell is marked, (13), each access of the chain
//!   compares addresses: fewer steps, and one is known to have been there.
//! - Only instructions that access memory ask whether the chain has begun, (7); local steps are
//!   independent of everything others do. The answer also decides whether to try to join, so nobody
//!   tries too early.

use program::{Access, BinaryOp, EdgeId, Expr, Instruction, LabelId, RegisterId, Value};

use crate::layout::Twin;
use crate::thread::{Copy, Shared, Writer, address_of};

/// The mark of a cell that the chain has loaded, but not stored to (lda of the paper).
pub(crate) const LOADED: Value = 1;
/// The mark of a cell that the chain has stored to (sta).
pub(crate) const STORED: Value = 2;

/// What a thread does with a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
}

impl Kind {
    /// The least mark with which such an access happens after the one that was marked.
    const fn joins_from(self) -> Value {
        match self {
            Self::Read => STORED,
            Self::Write => LOADED,
        }
    }
}

/// How a thread accesses memory: as the first thing it does in the chain, or in a copy of its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Joining,
    Pending,
    Chain,
    ChainSection,
}

/// An access of a thread in the chain.
pub(crate) struct Accessing<'e> {
    pub(crate) kind: Kind,
    /// As in the given program.
    pub(crate) address: &'e Expr,
    /// What is left to do when it is done, and where that leads.
    pub(crate) rest: Option<Instruction>,
    /// The given label, or nothing if the thread stops.
    pub(crate) to: Option<LabelId>,
}

/// The marks of pending sections. A mark is `4 * owner + level`: the level is that of the paper, the
/// owner zero, or for a section that was pending when it accessed the cell `1 + 2 * thread` if the
/// cell was not marked before and `2 + 2 * thread` if it was marked as loaded. (A cell marked as
/// stored to is a reason to join.)
struct Marks {
    thread: Value,
}

impl Marks {
    fn owned(&self, before: Value, level: Value) -> Value {
        4 * (1 + 2 * self.thread + before) + level
    }

    /// The level that others left.
    fn foreign(&self, shared: &Shared, mark: &Expr) -> Expr {
        let at_least = |least| Expr::binary(BinaryOp::Ge, mark.clone(), Expr::Const(least));
        let below = Expr::binary(BinaryOp::Lt, mark.clone(), Expr::Const(self.owned(2, 0)));
        let was_loaded = at_least(self.owned(1, 0));
        let own = crate::layout::both(at_least(self.owned(0, 0)), below);
        Expr::Select(Box::new([own, was_loaded, level(shared, mark)]))
    }

    /// The mark that a load leaves in a pending section that it does not let join.
    fn after_load(&self, shared: &Shared, mark: &Expr) -> Expr {
        let compare = |op, value| Expr::binary(op, mark.clone(), Expr::Const(value));
        let own = crate::layout::both(
            compare(BinaryOp::Ge, self.owned(0, 0)),
            compare(BinaryOp::Lt, self.owned(2, 0)),
        );
        let loaded = Expr::binary(BinaryOp::Ge, level(shared, mark), Expr::Const(LOADED));
        let constant = |before| Expr::Const(self.owned(before, LOADED));
        let new = Expr::Select(Box::new([loaded, constant(1), constant(0)]));
        Expr::Select(Box::new([own, mark.clone(), new]))
    }
}

/// The level of a mark. Without sections marks are levels; what is delayed is below all of them.
fn level(shared: &Shared, mark: &Expr) -> Expr {
    if !shared.sections {
        return mark.clone();
    }
    let plain = Expr::binary(BinaryOp::Le, mark.clone(), Expr::Const(STORED));
    let low = Expr::binary(BinaryOp::BitAnd, mark.clone(), Expr::Const(3));
    Expr::Select(Box::new([plain, mark.clone(), low]))
}

/// Writes an edge of the given code of a helper: (7) of Fig. 7, and what lets it join the chain, (8)
/// and (9).
pub(crate) fn help(writer: &mut Writer<'_>, edge: EdgeId, instruction: &Instruction) {
    let from = writer.at(writer.given.edge(edge).from, Copy::Given);
    let to = writer.given.edge(edge).to;
    let target_copy = match instruction {
        Instruction::Lock => Copy::GivenSection,
        Instruction::Unlock => return,
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_) => Copy::Given,
    };
    let given = writer.at(to, target_copy);
    let moved = writer.moved(instruction);
    if instruction.memory_access().is_none() && *instruction != Instruction::Lock {
        writer.edge(from, given, moved);
        return;
    }
    let scratch = writer.scratch();
    let asked = writer.load(from, scratch, address_of(writer.shared.chain_begun));
    let begun = |op| Expr::binary(op, Expr::Register(scratch), Expr::Const(0));
    let not_yet = writer.assume(asked, begun(BinaryOp::Eq));
    writer.edge(not_yet, given, moved);
    let joining = writer.assume(asked, begun(BinaryOp::Ne));
    if *instruction == Instruction::Lock {
        let pending = writer.at(to, Copy::Pending);
        writer.edge(joining, pending, Instruction::Lock);
    } else {
        link(writer, Link::Joining, joining, instruction, to);
    }
}

/// Writes an edge of the copy of the code in which a helper is in the chain, or in a section that may
/// join it: (10) to (12).
pub(crate) fn go_on(
    writer: &mut Writer<'_>,
    edge: EdgeId,
    instruction: &Instruction,
    (copy, as_link): (Copy, Link),
) {
    let from = writer.at(writer.given.edge(edge).from, copy);
    let to = writer.given.edge(edge).to;
    match instruction {
        Instruction::Lock => {
            let Some(locked) = copy.locked() else { return };
            let target = writer.at(to, locked);
            writer.edge(from, target, Instruction::Lock);
        }
        Instruction::Unlock => {
            let Some(unlocked) = copy.unlocked() else { return };
            let target = writer.at(to, unlocked);
            let touched = Expr::Register(writer.touched());
            let at = writer.step(from, Instruction::Unlock);
            let success = writer.assume(at, touched.clone());
            writer.reach_goal(success);
            writer.edge(at, target, Instruction::Assume(touched.negated()));
        }
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_) => {
            let target = writer.at(to, copy);
            writer.edge(from, target, writer.moved(instruction));
        }
        Instruction::Load { .. } | Instruction::Store { .. } | Instruction::Update { .. } => {
            link(writer, as_link, from, instruction, to);
        }
        Instruction::StoreExclusive { status, .. } => {
            link(writer, as_link, from, instruction, to);
            let failed = writer.step(from, writer.moved(instruction));
            let target = writer.at(to, copy);
            let failure = Expr::binary(BinaryOp::Ne, Expr::Register(*status), Expr::Const(0));
            writer.edge(failed, target, Instruction::Assume(failure));
        }
    }
}

/// Writes an access to memory.
fn link(
    writer: &mut Writer<'_>,
    link: Link,
    from: LabelId,
    instruction: &Instruction,
    to: LabelId,
) {
    match instruction {
        Instruction::Load { register, address, access } => {
            let value = writer.value();
            let rest = Some(receive(*register, value));
            let accessing = Accessing { kind: Kind::Read, address, rest, to: Some(to) };
            accessing.write(writer, link, from, |writer, at| {
                let address = writer.cell(Twin::Plain, address);
                writer.step(at, Instruction::Load { register: value, address, access: *access })
            });
        }
        Instruction::Store { address, .. } => {
            let accessing = Accessing { kind: Kind::Write, address, rest: None, to: Some(to) };
            accessing
                .write(writer, link, from, |writer, at| writer.step(at, writer.moved(instruction)));
        }
        Instruction::StoreExclusive { status, address, .. } => {
            // The status may overwrite what the address is computed from.
            let saved = address.registers().contains(status).then(|| writer.value());
            let from = match saved {
                None => from,
                Some(register) => {
                    let value = writer.shared.layout.value(address);
                    writer.step(from, Instruction::Assign { register, value })
                }
            };
            let kept = saved.map_or_else(|| address.clone(), Expr::Register);
            let accessing =
                Accessing { kind: Kind::Write, address: &kept, rest: None, to: Some(to) };
            accessing.write(writer, link, from, |writer, at| {
                let at = writer.step(at, writer.moved(instruction));
                let success = Expr::binary(BinaryOp::Eq, Expr::Register(*status), Expr::Const(0));
                writer.assume(at, success)
            });
        }
        Instruction::Update { result, address, update, access } => {
            crate::update::link(writer, link, from, (*result, address, update, *access), to);
        }
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => unreachable!("an access to memory"),
    }
}

/// Puts a value that was read where it belongs.
pub(crate) fn receive(register: RegisterId, value: RegisterId) -> Instruction {
    Instruction::Assign { register, value: Expr::Register(value) }
}

impl Accessing<'_> {
    /// Writes the access, which `perform` does, with the marks it needs and leaves.
    pub(crate) fn write(
        &self,
        writer: &mut Writer<'_>,
        link: Link,
        from: LabelId,
        perform: impl FnOnce(&mut Writer<'_>, LabelId) -> LabelId,
    ) {
        let scratch = writer.scratch();
        let mark = Expr::Register(scratch);
        let cell = writer.cell(Twin::Mark, self.address);
        match link {
            Link::Joining => {
                let at = writer.load(from, scratch, cell.clone());
                let joins = self.joins(level(writer.shared, &mark));
                let at = writer.assume(at, joins);
                let at = perform(writer, at);
                let at = match self.kind {
                    Kind::Read => at,
                    Kind::Write => writer.store(at, cell, Expr::Const(STORED)),
                };
                self.compare(writer, at, Copy::Chain);
            }
            Link::Chain | Link::ChainSection => {
                let at = perform(writer, from);
                let at = match self.kind {
                    Kind::Read => {
                        let at = writer.load(at, scratch, cell.clone());
                        let level = level(writer.shared, &mark);
                        let loaded = Expr::binary(BinaryOp::Max, level, Expr::Const(LOADED));
                        writer.store(at, cell, loaded)
                    }
                    Kind::Write => writer.store(at, cell, Expr::Const(STORED)),
                };
                let copy = if link == Link::Chain { Copy::Chain } else { Copy::ChainSection };
                self.compare(writer, at, copy);
            }
            Link::Pending => {
                let at = perform(writer, from);
                let at = writer.load(at, scratch, cell.clone());
                let marks = Marks { thread: writer.number };
                let joins = self.joins(marks.foreign(writer.shared, &mark));
                let does_not = joins.negated();
                let joined = writer.assume(at, joins);
                let joined = match self.kind {
                    Kind::Read => joined,
                    Kind::Write => writer.store(joined, cell.clone(), Expr::Const(STORED)),
                };
                self.compare(writer, joined, Copy::ChainSection);
                let pending = writer.assume(at, does_not);
                let left = match self.kind {
                    Kind::Read => marks.after_load(writer.shared, &mark),
                    Kind::Write => Expr::Const(marks.owned(0, STORED)),
                };
                let pending = writer.store(pending, cell, left);
                self.compare(writer, pending, Copy::Pending);
            }
        }
    }

    fn joins(&self, level: Expr) -> Expr {
        Expr::binary(BinaryOp::Ge, level, Expr::Const(self.kind.joins_from()))
    }

    /// Asks whether this is the attacked address. Inside a section the answer is kept.
    fn compare(&self, writer: &mut Writer<'_>, at: LabelId, copy: Copy) {
        let scratch = writer.scratch();
        let at = writer.load(at, scratch, address_of(writer.shared.attacked));
        let address = writer.shared.layout.number(self.address);
        let same = Expr::binary(BinaryOp::Eq, Expr::Register(scratch), address);
        let next = match copy {
            Copy::Chain | Copy::Given | Copy::Delaying => {
                let success = writer.assume(at, same.clone());
                writer.reach_goal(success);
                Instruction::Assume(same.negated())
            }
            Copy::Pending | Copy::ChainSection | Copy::GivenSection => {
                let register = writer.touched();
                let value = Expr::binary(BinaryOp::Or, Expr::Register(register), same);
                Instruction::Assign { register, value }
            }
        };
        let target = match self.to {
            Some(label) => writer.at(label, copy),
            None => writer.stopped(),
        };
        match &self.rest {
            None => writer.edge(at, target, next),
            Some(rest) => {
                let at = writer.step(at, next);
                writer.edge(at, target, rest.clone());
            }
        }
    }
}

/// How an access in a copy of the code is linked to the chain, if the copy has to do with it.
pub(crate) const fn link_of(copy: Copy) -> Option<Link> {
    match copy {
        Copy::Pending => Some(Link::Pending),
        Copy::Chain => Some(Link::Chain),
        Copy::ChainSection => Some(Link::ChainSection),
        Copy::Given | Copy::GivenSection | Copy::Delaying => None,
    }
}

/// An ordinary access of the same width.
pub(crate) const fn ordinary(access: Access) -> Access {
    Access { width: access.width, ..Access::PLAIN }
}
