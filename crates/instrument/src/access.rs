//! One access of a helper: what lets it join the chain of happens-before, and what it leaves.

use program::{Access, BinaryOp, Expr, Instruction, LabelId, RegisterId, Value};

use crate::layout::Twin;
use crate::marks::{LOADED, Marks, STORED, level};
use crate::thread::{Mode, Writer, address_of};

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

/// Writes an access to memory.
pub(crate) fn link(
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
                self.compare(writer, at, Mode::Chain);
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
                let copy = if link == Link::Chain { Mode::Chain } else { Mode::ChainSection };
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
                self.compare(writer, joined, Mode::ChainSection);
                let pending = writer.assume(at, does_not);
                let left = match self.kind {
                    Kind::Read => marks.after_load(writer.shared, &mark),
                    Kind::Write => Expr::Const(marks.owned(0, STORED)),
                };
                let pending = writer.store(pending, cell, left);
                self.compare(writer, pending, Mode::Pending);
            }
        }
    }

    fn joins(&self, level: Expr) -> Expr {
        Expr::binary(BinaryOp::Ge, level, Expr::Const(self.kind.joins_from()))
    }

    /// Asks whether this is the attacked address. Inside a section the answer is kept.
    fn compare(&self, writer: &mut Writer<'_>, at: LabelId, copy: Mode) {
        let scratch = writer.scratch();
        let at = writer.load(at, scratch, address_of(writer.shared.attacked));
        let address = writer.shared.layout.number(self.address);
        let same = Expr::binary(BinaryOp::Eq, Expr::Register(scratch), address);
        let next = match copy {
            Mode::Chain | Mode::Given | Mode::Delaying => {
                let success = writer.assume(at, same.clone());
                writer.reach_goal(success);
                Instruction::Assume(same.negated())
            }
            Mode::Pending | Mode::ChainSection | Mode::GivenSection => {
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

/// An ordinary access of the same width.
pub(crate) const fn ordinary(access: Access) -> Access {
    Access { width: access.width, ..Access::PLAIN }
}
