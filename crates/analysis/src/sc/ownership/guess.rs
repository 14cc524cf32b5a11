//! Which claims are worth checking: a guess from the text of a program.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    BinaryOp, Expr, FetchOp, IndexVec, Instruction, Outside, Program, Template, TemplateId, Thread,
    ThreadId, Update, Value,
};

use super::{APART, Claim, Object, Ownership, only_thread};

/// The most cells of a location that may be frozen.
const MOST_CELLS: u64 = 64;

/// The most objects of one owner.
const MOST: u32 = u32::BITS;

impl Ownership {
    /// Guesses who owns what. `seen` are cells that somebody looks at from outside, and these claims turned out to
    /// be wrong.
    pub(in crate::sc) fn of(
        program: &Program,
        threads: &IndexVec<ThreadId, Thread>,
        seen: &[Value],
        wrong: &BTreeSet<Claim>,
    ) -> Self {
        let mut ownership = Self::default();
        if program.memory().outside() != Outside::Fault {
            return ownership;
        }
        let mentioned = Mentioned::of(program);
        let mut claim = 0;
        let mut next_claim = || {
            claim += 1;
            claim - 1
        };
        for (address, signal) in &mentioned.signals {
            let cell = program.memory().cell(*address);
            let is_whole = |cell: &program::Cell| {
                let location = cell.place.map(|(id, _)| program.memory().location(id));
                cell.initial == 0 && location.is_some_and(|location| location.parts == 1)
            };
            let is_cell = cell.is_ok_and(|cell| is_whole(&cell));
            let is_seen = seen.contains(address) || program.end_of_process() == Some(*address);
            let has_one_writer =
                signal.set_by.is_none_or(|template| only_thread(threads, template).is_some());
            let claim = next_claim();
            if has_one_writer && is_cell && !is_seen && !wrong.contains(&claim) {
                ownership.signals.insert(*address, claim);
            }
        }
        let mut owned: BTreeMap<ThreadId, u32> = BTreeMap::new();
        let mut last_owner = None;
        for (first, last) in objects(program) {
            let claim = next_claim();
            let by = mentioned.between(first, last + APART / 2);
            // Elements of an array that are found by counting are not mentioned, but the first one is.
            let owner = match by.as_slice() {
                [] => last_owner,
                [template] => only_thread(threads, *template),
                [_, _, ..] => None,
            };
            last_owner = owner;
            let holds = |address: Value| (first..=last).contains(&address);
            let is_known_to_others = mentioned.initially.range(first..=last).next().is_some()
                || seen.iter().any(|address| holds(*address))
                || program.end_of_process().is_some_and(holds)
                || mentioned.signals.range(first..=last).next().is_some();
            let Some(owner) = owner.filter(|_| !is_known_to_others) else { continue };
            let bits = owned.entry(owner).or_default();
            if *bits < MOST && !wrong.contains(&claim) {
                ownership.objects.push(Object { first, last, owner, bit: 1 << *bits, claim });
                *bits += 1;
            }
        }
        let written = offsets_written(program, &ownership);
        for (offset, is_one_cell) in ownership.offsets(program) {
            let claim = next_claim();
            let may_freeze = written.as_ref().is_some_and(|written| !written.contains(&offset));
            if is_one_cell && may_freeze && !wrong.contains(&claim) {
                ownership.frozen.insert(offset, claim);
            }
        }
        ownership
    }

    /// The offsets of cells in objects, and whether they are accessed as a whole wherever they are.
    fn offsets(&self, program: &Program) -> BTreeMap<Value, bool> {
        let mut offsets = BTreeMap::new();
        for location in program.memory().locations() {
            let Some(object) = self.at(location.base) else { continue };
            for cell in 0..location.cells().min(MOST_CELLS) {
                let offset = location.base - object.first + Value::from(cell * location.stride);
                *offsets.entry(offset).or_insert(true) &= location.parts == 1;
            }
        }
        offsets
    }
}

/// The offsets in objects that are written through pointers, as far as the text tells; nothing if it does not.
fn offsets_written(program: &Program, ownership: &Ownership) -> Option<BTreeSet<Value>> {
    let mut written = BTreeSet::new();
    for edge in program.templates().iter().flat_map(Template::edges) {
        let Some((mut address, _)) = edge.instruction.memory_access() else { continue };
        if matches!(edge.instruction, Instruction::Load { .. }) {
            continue;
        }
        while let Expr::Cast(_, inner) = address {
            address = inner;
        }
        match address {
            Expr::Const(_) | Expr::Element(..) => {}
            Expr::Register(_) => {
                written.insert(0);
            }
            Expr::Binary(BinaryOp::Add, left, right) => match (&**left, &**right) {
                (Expr::Const(by), _) | (_, Expr::Const(by)) => {
                    written.insert(ownership.at(*by).map_or(*by, |object| by - object.first));
                }
                (_, _) => return None,
            },
            Expr::Binary(..) | Expr::Unary(..) | Expr::Select(_) | Expr::Cast(..) => return None,
        }
    }
    Some(written)
}

/// The first and the last address of groups of locations that lie close together.
pub(in crate::sc) fn objects(program: &Program) -> Vec<(Value, Value)> {
    let mut extents: Vec<(Value, Value)> = program
        .memory()
        .locations()
        .iter()
        .map(|location| (location.base, location.last_address()))
        .collect();
    extents.sort_unstable();
    let mut objects: Vec<(Value, Value)> = Vec::new();
    for (first, last) in extents {
        match objects.last_mut() {
            Some((_, end)) if first - *end < APART => *end = last.max(*end),
            Some(_) | None => objects.push((first, last)),
        }
    }
    objects
}

/// The numbers in a program's text that may be addresses.
struct Mentioned {
    /// By which templates.
    by: BTreeMap<Value, BTreeSet<TemplateId>>,
    /// Those that memory holds in the beginning.
    initially: BTreeSet<Value>,
    /// Addresses that instructions have as they stand, where all of these are those of a signal.
    signals: BTreeMap<Value, Signal>,
}

/// Who writes a signal.
#[derive(Clone, Copy)]
struct Signal {
    set_by: Option<TemplateId>,
}

impl Mentioned {
    fn of(program: &Program) -> Self {
        let mut by: BTreeMap<Value, BTreeSet<TemplateId>> = BTreeMap::new();
        let mut accessed: BTreeMap<Value, Vec<(TemplateId, Part)>> = BTreeMap::new();
        for (id, template) in program.templates().enumerate() {
            for edge in template.edges() {
                for operand in edge.instruction.operands() {
                    operand.visit(&mut |part| {
                        if let Expr::Const(value) = part {
                            by.entry(*value).or_default().insert(id);
                        }
                    });
                }
                if let Some((Expr::Const(address), _)) = edge.instruction.memory_access() {
                    let part = part_of_signal(&edge.instruction);
                    accessed.entry(*address).or_default().push((id, part));
                }
            }
        }
        let signal = |accesses: &[(TemplateId, Part)]| {
            let mut set_by = None;
            for (template, part) in accesses {
                match part {
                    Part::Waits => {}
                    // What one writer finds depends on whether another was there before.
                    Part::Sets if set_by.is_none_or(|other| other == *template) => {
                        set_by = Some(*template);
                    }
                    Part::Sets | Part::None => return None,
                }
            }
            Some(Signal { set_by })
        };
        let signals = accessed.iter().filter_map(|(at, all)| Some((*at, signal(all)?))).collect();
        let mut initially = BTreeSet::new();
        for location in program.memory().locations() {
            match &location.initial {
                program::Initial::Uniform(value) => {
                    initially.insert(*value);
                }
                program::Initial::Each(values) => initially.extend(values),
            }
        }
        Self { by, initially, signals }
    }

    /// The templates that mention an address between these.
    fn between(&self, first: Value, last: Value) -> Vec<TemplateId> {
        let all: BTreeSet<TemplateId> =
            self.by.range(first..=last).flat_map(|(_, templates)| templates).copied().collect();
        all.into_iter().collect()
    }
}

/// What an access does if its cell is a signal.
#[derive(Clone, Copy)]
enum Part {
    Sets,
    Waits,
    /// Something else.
    None,
}

fn part_of_signal(instruction: &Instruction) -> Part {
    const SET: &Expr = &Expr::Const(1);
    match instruction {
        Instruction::Update { update, .. } => match update {
            Update::Exchange(value) if value == SET => Part::Sets,
            Update::Fetch { op: FetchOp::Or, operand } if operand == SET => Part::Sets,
            Update::BlockingReadWrite { expected, new } if expected == SET && new == SET => {
                Part::Waits
            }
            Update::Exchange(_)
            | Update::Fetch { .. }
            | Update::BlockingReadWrite { .. }
            | Update::CompareAndSwap { .. } => Part::None,
        },
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => Part::None,
    }
}
