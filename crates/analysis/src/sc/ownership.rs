//! Memory that only one thread can reach, and cells that are only waited for.
//!
//! A node that was allocated and is not yet linked into anything, a closure, a buffer of one thread: others
//! can touch such memory only after its *owner* has *published* it, which is when the owner writes a pointer to
//! it somewhere else. Until then what the owner does there is independent of all that the others do, so that
//! the owner is a persistent set by itself ([`automata::Threads::is_private`]).
//!
//! # Claims are guessed, and checked by the search
//!
//! Which objects have which owner is guessed from the program's text ([`Ownership::of`]); nothing rests on it.
//! Each object has a cell of its own, [`Cell::Published`], that is 0 until the owner publishes it. The system that is searched
//! differs from the program in one thing: a thread that would touch an object of another one that is not published
//! *trespasses*: it stops in a local state that is noted, and neither reads nor writes the object. In that system a step
//! of the owner to an object that is not published is private: whoever else touches the object before the owner
//! moves reads `Published` as 0, since only the owner writes it, and trespasses whatever the object holds. So the reductions
//! are right for that system, and they keep the local states that can be reached. If nobody trespasses, it is the program, and the answer
//! is the program's. If somebody does, a claim was wrong, and the search begins again without it. A run that was found
//! before is one of the program.
//!
//! # What is not written any more
//!
//! Most fields of a node are written before it is published, and only read from then on: they are *frozen*. That a
//! field is frozen is a claim, too: who would write it in an object that is published trespasses, and so does who
//! would write it in an object of another thread. Then a read of a frozen field is private. With the object published it is
//! independent of every step of the others. Should the object not be published where a thread is about to read it, what the
//! reduced search does is no longer right, but it takes the thread's step, and finds that it trespasses.
//!
//! # Signals
//!
//! Whether a thread was created and whether it has ended is a cell that starts with 0, that some write 1 to, and
//! that others wait for with an update that is blocked until it is 1 and leaves it so. Before the writer
//! moves nobody gets past the cell, so writing it is private. Waiting for it is not: a thread that waits moves only
//! after the writer has, which therefore disturbs it. That no other access meets the cell is again a claim: whoever
//! would make one trespasses.
//!
//! # Store buffers
//!
//! A store to an object that is not published may reach memory at once, past the stores that wait: nobody
//! sees the difference before a pointer to the object reaches memory, which is after all earlier stores of the
//! owner. `Published` becomes 1 when that store reaches memory ([`crate::buffers`]).

mod guess;

pub(super) use guess::objects as extents;

use std::collections::{BTreeMap, BTreeSet};

use automata::{Mode, PerCell};
use program::index::Idx;
use program::{EdgeId, Expr, IndexVec, Instruction, TemplateId, Thread, ThreadId, Update, Value};

use super::forgetting::FORGETTING;
use super::{Cell, Local, Sc};

/// A claim by number.
pub(crate) type Claim = u32;

/// Locations that are at least so far apart belong to different objects.
const APART: Value = 64;

/// The addresses that programs have on x86; what is above these bits of a pointer is a tag.
pub(super) const ADDRESSES: Value = 1 << 47;

/// An object that one thread owns until it publishes it.
#[derive(Clone, Copy, Debug)]
struct Object {
    first: Value,
    last: Value,
    owner: ThreadId,
    /// Its bit among the objects of its owner.
    bit: u32,
    claim: Claim,
}

/// What is claimed of the memory of a program.
#[derive(Debug, Default)]
pub(crate) struct Ownership {
    /// Sorted by address.
    objects: Vec<Object>,
    signals: BTreeMap<Value, Claim>,
    /// By the offset in an object.
    frozen: BTreeMap<Value, Claim>,
}

/// What an access has to do with what is claimed.
pub(super) enum Meets {
    /// Nothing.
    Nothing,
    /// It is the owner's, before the object is published or of what is frozen since; or a signal.
    Private,
    /// It is right only if the object with this claim is published,
    IfPublished(Claim),
    /// and here it then reads what is frozen.
    FrozenIfPublished(Claim),
    /// It breaks a claim.
    Trespasses(Claim),
}

impl Ownership {
    /// Whether nothing is claimed.
    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.signals.is_empty()
    }

    /// The object that an address belongs to.
    fn at(&self, address: Value) -> Option<&Object> {
        let before = self.objects.partition_point(|object| object.first <= address);
        self.objects[..before].last().filter(|object| address <= object.last)
    }

    /// The object that a value may be a pointer to.
    fn pointed_to(&self, value: Value) -> Option<&Object> {
        if value < APART || self.objects.is_empty() {
            return None;
        }
        self.at(value.rem_euclid(ADDRESSES))
    }
}

/// What searches have shown of claims.
#[derive(Default)]
pub(crate) struct Refuted {
    wrong: BTreeSet<Claim>,
    times: u32,
}

impl Refuted {
    /// So often a search begins again without the claims that were wrong; then nothing is claimed any more.
    const MOST_TIMES: u32 = 2;

    /// What the next search looks at ([`super::Look::ownership`]).
    pub(crate) fn ownership(&self) -> Option<BTreeSet<Claim>> {
        (self.times <= Self::MOST_TIMES).then(|| self.wrong.clone())
    }

    /// Whether the next search forgets memory ([`super::Look::forgets`]).
    pub(crate) fn forgets(&self) -> bool {
        self.times <= Self::MOST_TIMES && !self.wrong.contains(&FORGETTING)
    }

    /// Learns from the local states that a search has noted; whether to search again.
    pub(crate) fn learn<'l>(&mut self, noted: impl Iterator<Item = &'l Local>) -> bool {
        let known = self.wrong.len();
        self.wrong.extend(noted.filter_map(|local| local.trespassed));
        self.times += 1;
        self.wrong.len() > known
    }
}

impl Sc<'_> {
    /// The thread of a class, if there is only one.
    fn only_of(&self, class: usize) -> Option<ThreadId> {
        match self.thread_of(class) {
            Some(thread) => Some(ThreadId::new(thread)),
            None => only_thread(&self.threads, TemplateId::new(class)),
        }
    }

    /// What an access at an address has to do with what is claimed.
    pub(super) fn meets(
        &self,
        class: usize,
        local: &Local,
        instruction: &Instruction,
        address: Value,
    ) -> Meets {
        let Some(ownership) = &self.ownership else { return Meets::Nothing };
        if let Some(claim) = ownership.signals.get(&address) {
            let is_as_claimed =
                instruction.memory_access().is_some_and(|(at, _)| matches!(at, Expr::Const(_)));
            return if is_as_claimed { Meets::Private } else { Meets::Trespasses(*claim) };
        }
        let Some(object) = ownership.at(address) else { return Meets::Nothing };
        let is_own = self.only_of(class) == Some(object.owner);
        if is_own && local.published & object.bit == 0 {
            return Meets::Private;
        }
        let frozen = ownership.frozen.get(&(address - object.first));
        match frozen {
            Some(_) if matches!(instruction, Instruction::Load { .. }) && is_own => Meets::Private,
            Some(_) if matches!(instruction, Instruction::Load { .. }) => {
                Meets::FrozenIfPublished(object.claim)
            }
            Some(claim) => Meets::Trespasses(*claim),
            None if is_own => Meets::Nothing,
            None => Meets::IfPublished(object.claim),
        }
    }

    /// The object that an instruction publishes if it writes, with its bit: it would write a pointer to it
    /// elsewhere.
    pub(crate) fn published_by(
        &self,
        class: usize,
        local: &Local,
        instruction: &Instruction,
    ) -> Option<(Claim, u32)> {
        let ownership = self.ownership.as_ref()?;
        let value = written(instruction)?;
        let registers = self.registers(class, local);
        let object = ownership.pointed_to(registers.value(value)?)?;
        let is_inside = || {
            let address = registers.address(instruction).and_then(Result::ok);
            address.is_some_and(|address| (object.first..=object.last).contains(&address))
        };
        let is_its_own = self.only_of(class) == Some(object.owner);
        (is_its_own && local.published & object.bit == 0 && !is_inside())
            .then_some((object.claim, object.bit))
    }

    /// Adds what a step has to do with what is published to the cells that it touches.
    pub(super) fn add_published(
        &self,
        class: usize,
        local: &Local,
        instruction: &Instruction,
        cells: &mut PerCell<(Cell, Mode)>,
    ) {
        let Some(Cell::Memory(_)) = cells.first().map(|(cell, _)| *cell) else { return };
        let registers = self.registers(class, local);
        let Some(Ok(address)) = registers.address(instruction) else { return };
        match self.meets(class, local, instruction, address) {
            Meets::Nothing | Meets::Private => {}
            Meets::IfPublished(claim) | Meets::FrozenIfPublished(claim) => {
                cells.push((Cell::Published(claim), Mode::Read));
            }
            Meets::Trespasses(_) => {
                cells.clear();
                return;
            }
        }
        if let Some((claim, _)) = self.published_by(class, local, instruction) {
            cells.push((Cell::Published(claim), Mode::Update));
        }
    }

    /// The claim that a step would break with these contents of its cells.
    pub(super) fn breaks(
        &self,
        class: usize,
        local: &Local,
        instruction: &Instruction,
        published: impl Fn(Claim) -> bool,
    ) -> Option<Claim> {
        self.ownership.as_ref()?;
        let Ok(address) = self.registers(class, local).address(instruction)? else { return None };
        match self.meets(class, local, instruction, address) {
            Meets::Nothing | Meets::Private => None,
            Meets::IfPublished(claim) | Meets::FrozenIfPublished(claim) => {
                (!published(claim)).then_some(claim)
            }
            Meets::Trespasses(claim) => Some(claim),
        }
    }

    /// Whether an edge is one that no other thread can notice before this one moves on. It is the only one of its
    /// label: a thread that can also do something else would miss that something became possible meanwhile.
    pub(crate) fn is_unnoticed(
        &self,
        class: usize,
        local: &Local,
        edge: EdgeId,
        cells: &[(Cell, Mode)],
    ) -> bool {
        match self.private_access(class, local, edge) {
            Some(Meets::Private) => matches!(cells, [(Cell::Memory(_), _)]),
            Some(Meets::FrozenIfPublished(claim)) => {
                matches!(cells, [(Cell::Memory(_), _), (Cell::Published(of), _)] if *of == claim)
            }
            Some(Meets::Nothing | Meets::IfPublished(_) | Meets::Trespasses(_)) | None => false,
        }
    }

    /// Whether an edge accesses what only its thread can reach, or a signal.
    pub(crate) fn is_private_access(&self, class: usize, local: &Local, edge: EdgeId) -> bool {
        matches!(self.private_access(class, local, edge), Some(Meets::Private))
    }

    /// Whether an edge breaks a claim as soon as it is taken.
    pub(crate) fn trespasses(
        &self,
        class: usize,
        local: &Local,
        instruction: &Instruction,
    ) -> Option<Claim> {
        self.breaks(class, local, instruction, |_| true)
    }

    /// What an edge that is the only one of its label has to do with what is claimed.
    fn private_access(&self, class: usize, local: &Local, edge: EdgeId) -> Option<Meets> {
        let template = self.program.template(self.template_of(class));
        let edge = template.edge(edge);
        if self.ownership.is_none() || template.outgoing(edge.from).len() != 1 {
            return None;
        }
        let instruction = &edge.instruction;
        let address = self.registers(class, local).address(instruction)?.ok()?;
        Some(self.meets(class, local, instruction, address))
    }

    /// Calls `touch` with the cells of what is published that a thread may touch, where it may touch this memory.
    pub(super) fn may_touch_published(
        &self,
        class: usize,
        local: &Local,
        accessed: impl Iterator<Item = Value>,
        touch: &mut dyn FnMut(Cell, Mode),
    ) {
        let Some(ownership) = &self.ownership else { return };
        let me = self.only_of(class);
        let of_others: BTreeSet<Claim> = accessed
            .filter_map(|address| ownership.at(address))
            .filter(|object| Some(object.owner) != me)
            .map(|object| object.claim)
            .collect();
        for claim in of_others {
            touch(Cell::Published(claim), Mode::Read);
        }
        for object in &ownership.objects {
            if Some(object.owner) == me && local.published & object.bit == 0 {
                touch(Cell::Published(object.claim), Mode::Update);
            }
        }
    }

    /// The object that must be published before a thread's store to an address reaches memory.
    pub(crate) fn needs_published(&self, class: usize, address: Value) -> Option<Claim> {
        let object = self.ownership.as_ref()?.at(address)?;
        (self.only_of(class) != Some(object.owner)).then_some(object.claim)
    }
}

/// What an instruction writes, as far as that does not depend on what it reads.
const fn written(instruction: &Instruction) -> Option<&Expr> {
    match instruction {
        Instruction::Store { value, .. }
        | Instruction::StoreExclusive { value, .. }
        | Instruction::Update {
            update:
                Update::Exchange(value)
                | Update::CompareAndSwap { new: value, .. }
                | Update::BlockingReadWrite { new: value, .. },
            ..
        } => Some(value),
        Instruction::Update { update: Update::Fetch { .. }, .. }
        | Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => None,
    }
}

/// The only thread of a template.
fn only_thread(threads: &IndexVec<ThreadId, Thread>, template: TemplateId) -> Option<ThreadId> {
    let mut copies = threads.enumerate().filter(|(_, thread)| thread.template == template);
    let (first, _) = copies.next()?;
    copies.next().is_none().then_some(first)
}
