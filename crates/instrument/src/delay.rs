//! A thread that delays stores (ESOP'13, Fig. 5; ESOP'15, Figs. 11 to 13).
//!
//! From its first delayed store on, the thread runs in [`Mode::Delaying`]. Its stores go to
//! `NAME.buffered`, which only it reads, so they stay invisible as in a buffer. Its loads read the
//! newest delayed value, or memory if there is none. What waits for an empty buffer is left out,
//! since the first delayed store has to wait for the last load; hence there are no locked sections
//! here, and the first delayed store is outside any: at the end of a section nothing is delayed,
//! and until then nobody else could notice. A reservation that an exclusive load makes is good for
//! nothing, as the exclusive store would wait.
//!
//! Nobody else accesses the auxiliary cells at this time, so it does not matter that an access is
//! several steps; the one step among them that accesses a plain cell is the access.
//!
//! It ends with a load that reads memory, past which all its stores are delayed: what the load
//! begins is told by [`End`].

use program::{
    Access, AccessWidth, BinaryOp, EdgeId, Expr, Instruction, LabelId, RegisterId, Update,
};

use crate::attack::{is_delayable, is_load};
use crate::layout::{DELAYED, Twin};
use crate::marks::LOADED;
use crate::thread::{Mode, Writer, address_of};

/// What is delayed, and what the last load begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Any number of stores; the load begins a chain of happens-before.
    Chain,
    /// One store; the value loaded has to change.
    Change,
}

/// Where a thread delays stores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delay {
    /// The first store delayed and the last load; nothing for any.
    pub(crate) only: Option<(EdgeId, EdgeId)>,
    pub(crate) end: End,
}

impl Delay {
    fn may_begin(self, edge: EdgeId, instruction: &Instruction) -> bool {
        is_delayable(instruction) && self.only.is_none_or(|(store, _)| store == edge)
    }

    fn may_end(self, edge: EdgeId, instruction: &Instruction) -> bool {
        is_load(instruction) && self.only.is_none_or(|(_, load)| load == edge)
    }

    /// Writes how a given edge may begin the delay: Fig. 5 (1). If any thread can be the one, the
    /// first to set a cell of ours is.
    pub(crate) fn begin(self, writer: &mut Writer<'_>, edge: EdgeId, instruction: &Instruction) {
        if !self.may_begin(edge, instruction) {
            return;
        }
        let (from, to) = (writer.given.edge(edge).from, writer.given.edge(edge).to);
        let mut at = writer.at(from, Mode::Given);
        if self.only.is_none() {
            let address = address_of(writer.shared.chosen);
            let update =
                Update::BlockingReadWrite { expected: Expr::Const(0), new: Expr::Const(1) };
            let access = Access::PLAIN;
            at = writer.step(at, Instruction::Update { result: None, address, update, access });
        }
        let target = writer.at(to, Mode::Delaying);
        match self.end {
            End::Chain => {
                let (address, _) = instruction.memory_access().expect("a store has an address");
                let attacked = writer.shared.layout.number(address);
                at = writer.store(at, address_of(writer.shared.attacked), attacked);
            }
            End::Change => {}
        }
        delayed_store(writer, at, instruction, target);
    }

    /// Writes an edge of the delaying copy: Fig. 5 (2) to (6).
    pub(crate) fn go_on(self, writer: &mut Writer<'_>, edge: EdgeId, instruction: &Instruction) {
        let (from, to) = (writer.given.edge(edge).from, writer.given.edge(edge).to);
        let at = writer.at(from, Mode::Delaying);
        match instruction {
            Instruction::Load { register, address, access } => {
                let target = writer.at(to, Mode::Delaying);
                let from_memory = load(writer, at, (*register, address, *access), target);
                if self.may_end(edge, instruction) {
                    self.end(writer, from_memory, address, *access);
                }
            }
            Instruction::Store { .. } if is_delayable(instruction) => match self.end {
                End::Chain => {
                    let target = writer.at(to, Mode::Delaying);
                    delayed_store(writer, at, instruction, target);
                }
                End::Change => {}
            },
            Instruction::Fence(_) if instruction.drains_buffer() => {}
            Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Lock
            | Instruction::Unlock => {}
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_) => {
                let target = writer.at(to, Mode::Delaying);
                writer.edge(at, target, writer.moved(instruction));
            }
        }
    }

    /// Writes the last load, which is known not to read early.
    fn end(self, writer: &mut Writer<'_>, at: LabelId, address: &Expr, access: Access) {
        match self.end {
            End::Chain => {
                // The value does not matter; but an access of a wrong width is none.
                let at = match access.width {
                    AccessWidth::Cell => at,
                    // An access across cells has been refused.
                    AccessWidth::Bytes(_) | AccessWidth::Across(_) => {
                        let register = writer.value();
                        let loaded = read_memory(writer, at, (register, address, access));
                        writer.step(loaded, Instruction::Assign { register, value: Expr::Const(0) })
                    }
                };
                let at = writer.store(at, address_of(writer.shared.chain_begun), Expr::Const(1));
                let mark = writer.cell(Twin::Mark, address);
                let stopped = writer.stopped();
                let (value, access) = (Expr::Const(LOADED), Access::PLAIN);
                writer.edge(at, stopped, Instruction::Store { address: mark, value, access });
            }
            End::Change => {
                let (read, now) = (writer.value(), writer.scratch());
                let at = read_memory(writer, at, (read, address, access));
                let at = read_memory(writer, at, (now, address, access));
                let changed = Expr::binary(BinaryOp::Ne, Expr::Register(now), Expr::Register(read));
                let at = writer.assume(at, changed);
                writer.reach_goal(at);
            }
        }
    }
}

/// A store to the auxiliary cell: Fig. 5 (3).
fn delayed_store(writer: &mut Writer<'_>, at: LabelId, instruction: &Instruction, target: LabelId) {
    let Instruction::Store { address, value, access } = instruction else {
        unreachable!("only stores are delayed")
    };
    let buffered = writer.cell(Twin::Buffered, address);
    let value = writer.shared.layout.value(value);
    let at = writer.step(at, Instruction::Store { address: buffered, value, access: *access });
    let (address, value) = (writer.cell(Twin::Mark, address), Expr::Const(DELAYED));
    writer.edge(at, target, Instruction::Store { address, value, access: Access::PLAIN });
}

/// A load of the newest delayed value, or else of memory: Fig. 5 (4). The result is the label where
/// memory is about to be read. The scratch register is zero before and after, so that what
/// was read does not tell states apart.
fn load(
    writer: &mut Writer<'_>,
    at: LabelId,
    (register, address, access): (RegisterId, &Expr, Access),
    target: LabelId,
) -> LabelId {
    let scratch = writer.scratch();
    let at = writer.load(at, scratch, writer.cell(Twin::Mark, address));
    let compared = |op| Expr::binary(op, Expr::Register(scratch), Expr::Const(DELAYED));
    let early = writer.assume(at, compared(BinaryOp::Eq));
    let access = Access { exclusive: false, ..access };
    let buffered = writer.cell(Twin::Buffered, address);
    let early = writer.step(early, Instruction::Load { register, address: buffered, access });
    let reset = Instruction::Assign { register: scratch, value: Expr::Const(0) };
    writer.edge(early, target, reset);
    let from_memory = writer.assume(at, compared(BinaryOp::Ne));
    let plain = writer.cell(Twin::Plain, address);
    writer.edge(from_memory, target, Instruction::Load { register, address: plain, access });
    from_memory
}

fn read_memory(
    writer: &mut Writer<'_>,
    at: LabelId,
    (register, address, access): (RegisterId, &Expr, Access),
) -> LabelId {
    let address = writer.cell(Twin::Plain, address);
    let access = Access { exclusive: false, ..access };
    writer.step(at, Instruction::Load { register, address, access })
}
