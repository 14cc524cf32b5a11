//! Helpers: the chain of happens-before from the attacker's load to its store (ESOP'13, Fig. 7).
//!
//! After the attacker's load, helpers may only do what happens after it. By Lemma 3 of the paper it
//! is enough to know of each thread whether it has done something since that belongs to the chain
//! (then it runs in [`Mode::Chain`]), and of each cell how the chain has accessed it, which is its
//! mark (`marks`): not at all, loaded or stored to. A thread joins the chain with a load of a cell
//! that is marked as stored to, or a store to one that is marked at all. The goal is reached once
//! the chain has accessed the cell that the attacker's first delayed store is to.
//!
//! # Steps in between
//!
//! Access and mark are different steps, and so are the question whether the chain has begun and the
//! access that was allowed before. Happens-before does not change when actions are inserted into a
//! computation, so a goal is never reached wrongly: marks follow accesses and never say too much
//! (two threads that set the same mark may lose the greater one), and an action that is not in the
//! chain but takes place after the attacker's load is merely not needed. Nor is a goal missed,
//! since threads need not interrupt each other.
//!
//! # Locked instructions
//!
//! An update that writes is a load and a store in one node, so it joins where a store joins, and
//! marks the cell as stored to. One that only reads (a compare-and-swap that fails, an update that
//! stops its thread because a value does not fit) is a load (`update`). An exclusive store that
//! succeeds is a store, one that fails accesses nothing. Reservations add nothing to
//! happens-before: a store by another thread to the same cell that does not end a reservation
//! reached memory before the exclusive load or after the exclusive store, and source and store
//! order say so too.
//!
//! # Locked sections
//!
//! The paper has none, and for them its Lemma 1 does not hold: SC keeps a section together, so a
//! trace is one of SC exactly if happens-before has no cycle *when each section is one node*. To
//! the chain, a section is one action with many accesses: it joins if any of its accesses would,
//! and then all of them belong to the chain, also the earlier ones. So a helper enters a section on
//! the assumption that it will join ([`Mode::Pending`]) and is not let out before it has. Until
//! then its own marks must not count as a reason to join, so they say whose they are. Nothing
//! reaches memory while a section is open, the attacker's store neither; so an access to the
//! attacked cell counts when the section ends, and a section that never ends leads nowhere.
//!
//! The proof of Theorem 1 takes a computation with the fewest delays and moves actions past others
//! that have nothing to do with them. Of an action it uses the thread and which cells are read and
//! written, so it holds for sections as actions. Inside a section no store needs to be delayed:
//! nobody could notice.
//!
//! # Deviations
//!
//! - Instead of asking at every label whether the attacked cell is marked, (13), each access of the
//!   chain compares addresses: fewer steps, and one is known to have been there.
//! - Only instructions that access memory ask whether the chain has begun, (7); local steps are
//!   independent of everything others do. The answer also decides whether to try to join, so nobody
//!   tries too early.

use program::{BinaryOp, EdgeId, Expr, Instruction};

use crate::access::{Link, link};
use crate::thread::{Mode, Writer, address_of};

/// Writes an edge of the given code of a helper: (7) of Fig. 7, and what lets it join the chain,
/// (8) and (9).
pub(crate) fn help(writer: &mut Writer<'_>, edge: EdgeId, instruction: &Instruction) {
    let from = writer.at(writer.given.edge(edge).from, Mode::Given);
    let to = writer.given.edge(edge).to;
    let target_copy = match instruction {
        Instruction::Lock => Mode::GivenSection,
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
        | Instruction::Fence(_) => Mode::Given,
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
        let pending = writer.at(to, Mode::Pending);
        writer.edge(joining, pending, Instruction::Lock);
    } else {
        link(writer, Link::Joining, joining, instruction, to);
    }
}

/// Writes an edge of the copy of the code in which a helper is in the chain, or in a section that
/// may join it: (10) to (12).
pub(crate) fn go_on(
    writer: &mut Writer<'_>,
    edge: EdgeId,
    instruction: &Instruction,
    (copy, as_link): (Mode, Link),
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

/// How an access in a copy of the code is linked to the chain, if the copy has to do with it.
pub(crate) const fn link_of(copy: Mode) -> Option<Link> {
    match copy {
        Mode::Pending => Some(Link::Pending),
        Mode::Chain => Some(Link::Chain),
        Mode::ChainSection => Some(Link::ChainSection),
        Mode::Given | Mode::GivenSection | Mode::Delaying => None,
    }
}
