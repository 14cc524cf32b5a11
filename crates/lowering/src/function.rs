//! What is known of a function before it is translated: which values are still needed where, which
//! variables are only other names of values, and to which statement of the source each instruction
//! belongs.

use std::collections::{BTreeMap, BTreeSet};

use llvm::{BlockId, Function, Instruction, LocalId, Operation, Value};
use program::Span;

use crate::library;
use crate::thread::may_be_read_unwritten;
use crate::uses::{for_each_incoming, for_each_use, phi_uses};
use linkage::leaving::At;
use linkage::{Item, Linked, Place, Position, Positions, left_unseen};

/// Whether a block ends with a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Jump {
    None,
    Always,
    Conditional,
}

/// Facts of one function.
#[derive(Debug)]
pub(crate) struct FunctionInfo {
    /// The locals that are needed when a block is entered.
    pub(crate) live_in: Vec<BTreeSet<LocalId>>,
    /// For each local, the last instruction of its own block that reads it, if no other block does.
    last_use: BTreeMap<LocalId, usize>,
    /// For each block, the last of its instructions that reads a local.
    last_read: BTreeMap<(BlockId, LocalId), usize>,
    live_out: Vec<BTreeSet<LocalId>>,
    /// Variables, and addresses in them, that are written and never read.
    pub(crate) unread: BTreeSet<LocalId>,
    /// Variables with one store, in the entry block, and loads: names of what is stored.
    pub(crate) names: BTreeSet<LocalId>,
    /// Variables that may be read before they are written, as far as one sees.
    pub(crate) may_be_read_unwritten: BTreeSet<LocalId>,
    /// Where each instruction of each block stands in the source.
    positions: Vec<Vec<Position>>,
    /// Whether any of them is in a text of the author.
    has_text: bool,
    /// Whether it is one of Rust's own libraries.
    is_of_language: bool,
    /// How each block ends.
    jumps: Vec<Jump>,
    /// The statements in which something happens that other threads may notice.
    noticed: BTreeSet<Place>,
    /// Where control comes out of statements and does not pass a fence behind them.
    unseen: BTreeSet<(Place, At)>,
    /// Source names of locals that stand for variables.
    pub(crate) variables: BTreeMap<LocalId, String>,
}

impl FunctionInfo {
    pub(crate) fn new(linked: &Linked<'_>, positions: &mut Positions<'_>, item: Item) -> Self {
        let function = linked.function(item).expect("a function is translated");
        let (live_in, live_out) = liveness(function);
        let positions = located(function, |instruction| {
            positions.of(linked.module(item.module), instruction.location)
        });
        let unread = unread(function);
        let mut info = Self {
            variables: variables(linked, item, function, &unread),
            unread,
            last_read: last_reads(function),
            live_in,
            live_out,
            last_use: last_uses(function),
            names: names(function),
            may_be_read_unwritten: may_be_read_unwritten(
                function,
                &linked.module(item.module).types,
            ),
            noticed: BTreeSet::new(),
            unseen: BTreeSet::new(),
            is_of_language: library::is_of_language(linked.name(item)),
            has_text: positions.iter().flatten().any(|one| one.span.source.is_some()),
            positions,
            jumps: (0..function.blocks.len()).map(|block| jump(function, block)).collect(),
        };
        for (block, number) in function.blocks.iter().zip(0..) {
            for (index, instruction) in block.instructions.iter().enumerate() {
                if let Some(place) = info.position(BlockId(number), index).place
                    && may_be_noticed(function, instruction)
                {
                    info.noticed.insert(place);
                }
            }
        }
        let position = |(block, index): At| Some(info.position(BlockId(block), index as usize));
        for (place, leaving) in left_unseen(function, position) {
            info.unseen.extend(leaving.otherwise.into_iter().map(|at| (place, at)));
        }
        info
    }

    /// Whether control, where it comes to an instruction, has left a statement past a fence behind it.
    pub(crate) fn is_passed(&self, left: Place, block: BlockId, index: u32) -> bool {
        !self.unseen.contains(&(left, (block.0, index)))
    }

    /// Whether any of its text is the author's.
    pub(crate) const fn has_text(&self) -> bool {
        self.has_text
    }

    /// Whether it is one of Rust's own libraries.
    pub(crate) const fn is_of_language(&self) -> bool {
        self.is_of_language
    }

    /// Where an instruction stands.
    pub(crate) fn position(&self, block: BlockId, index: usize) -> Position {
        self.positions[block.index()].get(index).copied().unwrap_or(Position::NOWHERE)
    }

    /// The statement that is under way at an instruction, if a fence after it could matter.
    ///
    /// A jump does nothing, and compilers locate it where it is convenient: at the end of a loop's body,
    /// at the body of a `do`. So it may leave a statement but enters none, and one that depends on a
    /// condition belongs to what computes the condition.
    pub(crate) fn place(
        &self,
        current: Option<Place>,
        block: BlockId,
        index: usize,
    ) -> Option<Place> {
        let own = self.position(block, index).place.filter(|place| self.noticed.contains(place));
        if index + 1 < self.positions[block.index()].len() {
            return own;
        }
        match self.jumps[block.index()] {
            Jump::None => own,
            Jump::Conditional if index > 0 => current,
            Jump::Conditional | Jump::Always => own.filter(|place| current == Some(*place)),
        }
    }

    /// Whether a local is read after an instruction of its block.
    pub(crate) fn is_needed_after(&self, local: LocalId, block: BlockId, index: usize) -> bool {
        self.live_out[block.index()].contains(&local)
            || self.last_use.get(&local).is_some_and(|last| *last > index)
    }

    /// Whether a local is read by an instruction of a block or after it.
    pub(crate) fn is_needed_from(&self, local: LocalId, block: BlockId, index: usize) -> bool {
        self.live_out[block.index()].contains(&local)
            || self.last_read.get(&(block, local)).is_some_and(|last| *last >= index)
    }
}

/// Whether other threads may notice an instruction.
fn may_be_noticed(function: &Function, instruction: &Instruction) -> bool {
    let is_variable = |value: &Value| match value {
        Value::Local(local) => is_alloca(function, *local),
        Value::Constant(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => false,
    };
    match &instruction.operation {
        Operation::Load { address, .. } | Operation::Store { address, .. } => {
            !is_variable(&address.value)
        }
        Operation::CompareExchange { .. }
        | Operation::AtomicRmw { .. }
        | Operation::Fence { .. }
        | Operation::Call(_)
        | Operation::Invoke { .. }
        | Operation::CallBranch { .. } => true,
        Operation::Alloca { .. }
        | Operation::GetElementPtr { .. }
        | Operation::Binary { .. }
        | Operation::FNeg(_)
        | Operation::Compare { .. }
        | Operation::FloatCompare { .. }
        | Operation::Cast { .. }
        | Operation::Select { .. }
        | Operation::Phi { .. }
        | Operation::Freeze(_)
        | Operation::ExtractValue { .. }
        | Operation::InsertValue { .. }
        | Operation::ExtractElement { .. }
        | Operation::InsertElement { .. }
        | Operation::ShuffleVector { .. }
        | Operation::VaArg { .. }
        | Operation::LandingPad { .. }
        | Operation::Branch(_)
        | Operation::ConditionalBranch { .. }
        | Operation::Switch { .. }
        | Operation::IndirectBranch { .. }
        | Operation::Return(_)
        | Operation::Resume(_)
        | Operation::Unreachable
        | Operation::Other(_) => false,
    }
}

pub(crate) fn terminator(function: &Function, block: usize) -> Option<&Operation> {
    function.blocks[block].instructions.last().map(|instruction| &instruction.operation)
}

fn jump(function: &Function, block: usize) -> Jump {
    match terminator(function, block) {
        Some(Operation::Branch(_)) => Jump::Always,
        Some(Operation::ConditionalBranch { .. } | Operation::Switch { .. }) => Jump::Conditional,
        _ => Jump::None,
    }
}

/// For each block, the locals needed at its entry and at its end.
fn liveness(function: &Function) -> (Vec<BTreeSet<LocalId>>, Vec<BTreeSet<LocalId>>) {
    let count = function.blocks.len();
    let mut live_in: Vec<BTreeSet<LocalId>> = vec![BTreeSet::new(); count];
    let mut live_out = live_in.clone();
    let mut changed = true;
    while changed {
        changed = false;
        for block in (0..count).rev() {
            let here = BlockId::new(block);
            let mut live: BTreeSet<LocalId> = BTreeSet::new();
            for next in terminator(function, block).map(Operation::successors).unwrap_or_default() {
                live.extend(live_in[next.index()].iter().copied());
                live.extend(phi_uses(function, next, here));
            }
            live_out[block].clone_from(&live);
            for instruction in function.blocks[block].instructions.iter().rev() {
                if let Some(result) = instruction.result {
                    live.remove(&result);
                }
                for_each_use(&instruction.operation, |local| {
                    live.insert(local);
                });
            }
            if live != live_in[block] {
                live_in[block] = live;
                changed = true;
            }
        }
    }
    (live_in, live_out)
}

fn last_uses(function: &Function) -> BTreeMap<LocalId, usize> {
    let mut last = BTreeMap::new();
    for block in &function.blocks {
        let mut own = BTreeSet::new();
        for (index, instruction) in block.instructions.iter().enumerate() {
            for_each_use(&instruction.operation, |local| {
                // What other blocks define was settled at their ends.
                if own.contains(&local) {
                    last.insert(local, index);
                }
            });
            own.extend(instruction.result);
        }
    }
    last
}

fn is_alloca(function: &Function, local: LocalId) -> bool {
    function.blocks.first().is_some_and(|entry| {
        entry.instructions.iter().any(|instruction| {
            instruction.result == Some(local)
                && matches!(instruction.operation, Operation::Alloca { .. })
        })
    })
}

/// Variables that only name what is stored in them once.
fn names(function: &Function) -> BTreeSet<LocalId> {
    let Some(entry) = function.blocks.first() else { return BTreeSet::new() };
    let mut candidates: BTreeMap<LocalId, (Option<llvm::TypeId>, u32)> = BTreeMap::new();
    for instruction in &entry.instructions {
        if let (Some(local), Operation::Alloca { count: None, .. }) =
            (instruction.result, &instruction.operation)
        {
            candidates.insert(local, (None, 0));
        }
    }
    for (number, block) in function.blocks.iter().enumerate() {
        for instruction in &block.instructions {
            let mut is_plain = None;
            if let Operation::Store { value, address, volatile: false, ordering: None, .. } =
                &instruction.operation
                && let Value::Local(local) = address.value
                && value.value != Value::Local(local)
                && let Some((ty, stores)) = candidates.get_mut(&local)
            {
                *stores += 1;
                let agrees = ty.is_none_or(|ty| ty == value.ty);
                *ty = Some(value.ty);
                if number == 0 && *stores == 1 && agrees {
                    is_plain = Some(local);
                }
            }
            if let Operation::Load { ty, address, volatile: false, ordering: None, .. } =
                &instruction.operation
                && let Value::Local(local) = address.value
                && let Some((known, _)) = candidates.get(&local)
                // A load in the text before the store is refused by the type being unknown.
                && known.is_some_and(|known| known == *ty)
            {
                is_plain = Some(local);
            }
            for_each_use(&instruction.operation, |local| {
                if is_plain != Some(local) {
                    candidates.remove(&local);
                }
            });
            for_each_incoming(&instruction.operation, |local| {
                candidates.remove(&local);
            });
            // A variable that is stored in itself or stored as a value is not a mere name.
            if let Operation::Store { value, .. } = &instruction.operation
                && let Value::Local(local) = value.value
            {
                candidates.remove(&local);
            }
        }
    }
    candidates.into_iter().filter(|(_, (_, stores))| *stores == 1).map(|(local, _)| local).collect()
}

/// Positions of all instructions; what has none belongs to what stands before it, or else after it.
fn located(
    function: &Function,
    mut of: impl FnMut(&Instruction) -> Option<Position>,
) -> Vec<Vec<Position>> {
    let mut all: Vec<Vec<Position>> = Vec::with_capacity(function.blocks.len());
    for block in &function.blocks {
        let known: Vec<Option<Position>> = block.instructions.iter().map(&mut of).collect();
        let first = known.iter().flatten().next().copied().unwrap_or(Position::NOWHERE);
        let mut last = first;
        all.push(
            known
                .into_iter()
                .map(|position| {
                    last = position.unwrap_or(last);
                    last
                })
                .collect(),
        );
    }
    // A block without any, such as the one jump of all computed ones, shows where it is come from.
    for from in 0..all.len() {
        let last = all[from].last().map_or(Span::NONE, |position| position.span);
        for next in terminator(function, from).map(Operation::successors).unwrap_or_default() {
            let positions = &mut all[next.index()];
            if last.source.is_some() && positions.iter().all(|one| *one == Position::NOWHERE) {
                positions.fill(Position { span: last, place: None });
            }
        }
    }
    all
}

fn variables(
    linked: &Linked<'_>,
    item: Item,
    function: &Function,
    unread: &BTreeSet<LocalId>,
) -> BTreeMap<LocalId, String> {
    let module = linked.module(item.module);
    let named = function.declared.iter().filter_map(|(local, variable)| {
        let name = module.metadata.name(*variable)?;
        Some((*local, name.to_owned()))
    });
    let mut names: BTreeMap<LocalId, String> = named.collect();
    // A variable that is only there for a debugger names what is stored in it.
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        if let Operation::Store { value, address, .. } = &instruction.operation
            && let (Value::Local(value), Value::Local(variable)) = (&value.value, &address.value)
            && unread.contains(variable)
            && let Some(name) = names.get(variable).cloned()
        {
            names.entry(*value).or_insert(name);
        }
    }
    names
}

/// Variables that are written and never read, with the addresses in them.
fn unread(function: &Function) -> BTreeSet<LocalId> {
    let mut roots: BTreeMap<LocalId, LocalId> = BTreeMap::new();
    let mut read: BTreeSet<LocalId> = BTreeSet::new();
    for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
        let mut written = None;
        match (&instruction.operation, instruction.result) {
            (Operation::Alloca { .. }, Some(local)) => {
                roots.insert(local, local);
            }
            (Operation::GetElementPtr { base, indices, .. }, Some(local)) => {
                let is_constant = |index: &llvm::Operand| !matches!(index.value, Value::Local(_));
                if let Value::Local(base) = base.value
                    && let Some(root) = roots.get(&base).copied()
                    && indices.iter().all(is_constant)
                {
                    roots.insert(local, root);
                    written = Some(base);
                }
            }
            (Operation::Store { value, address, volatile: false, ordering: None, .. }, _) => {
                if let Value::Local(address) = address.value
                    && value.value != Value::Local(address)
                {
                    written = Some(address);
                }
            }
            _ => {}
        }
        let mut uses = Vec::new();
        for_each_use(&instruction.operation, |local| uses.push(local));
        for_each_incoming(&instruction.operation, |local| uses.push(local));
        let read_here = uses.into_iter().filter(|local| written != Some(*local));
        read.extend(read_here.filter_map(|local| roots.get(&local)));
    }
    roots.into_iter().filter(|(_, root)| !read.contains(root)).map(|(local, _)| local).collect()
}

fn last_reads(function: &Function) -> BTreeMap<(BlockId, LocalId), usize> {
    let mut last = BTreeMap::new();
    for (block, number) in function.blocks.iter().zip(0..) {
        for (index, instruction) in block.instructions.iter().enumerate() {
            for_each_use(&instruction.operation, |local| {
                last.insert((BlockId(number), local), index);
            });
            // A `phi` has its value since the block was entered.
            if let (Operation::Phi { .. }, Some(result)) =
                (&instruction.operation, instruction.result)
            {
                last.entry((BlockId(number), result)).or_insert(index);
            }
        }
    }
    last
}
