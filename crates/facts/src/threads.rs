//! Threads: which there can be, how many of each, and which may run beside which.
//!
//! A class of threads is the function that they begin with. What may be running is a set of classes, found
//! by data flow: to create a thread adds its class and those of all threads that it may create itself; to
//! wait for one takes its class away where that is certain, which it is if only one such thread can ever
//! be created and its handle lies in a variable that nothing else is stored in. Functions are summarised by
//! what they add and take away on every way through them; what may be running where a function begins is
//! the union over its callers. Two classes may run in parallel if one may be running where the other is
//! created, or where something is executed that creates it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::access::Happening;
use crate::bits::Bits;
use crate::code::{Code, called};
use crate::locations::is_out;
use crate::object::{OUTSIDE, ObjectId, ObjectKind, Offset};
use crate::pointers::Pointers;
use crate::solver::Var;
use crate::steps::components;
use llvm::{LocalId, Operation, Value};

/// A class of threads.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub(crate) name: String,
    /// The instance that they begin with.
    pub(crate) entry: u32,
    /// Whether there may be several.
    pub(crate) is_many: bool,
    /// Whether it is there from the beginning.
    pub(crate) is_root: bool,
}

/// What threads there are.
#[derive(Debug)]
pub(crate) struct Threads {
    pub(crate) classes: Vec<Class>,
    pub(crate) parallel: Vec<Vec<bool>>,
    /// For each instance, the classes whose threads may execute it.
    pub(crate) executed_by: Vec<Bits>,
    /// For each instance and block, what may be running where the block begins.
    running: Vec<Vec<Bits>>,
    effects: Vec<Effect>,
    created: BTreeMap<u32, Bits>,
    joined: FxHashMap<(u32, u32, u32), u32>,
    /// Whether nothing but what the program creates runs.
    is_closed: bool,
}

/// What a piece of code adds to what is running, and what it takes away of what was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effect {
    added: Bits,
    removed: Bits,
}

impl Effect {
    fn then(&mut self, next: &Self) {
        self.added.remove(&next.removed);
        self.added.add(&next.added);
        self.removed.add(&next.removed);
    }

    fn or(&mut self, other: &Self) {
        self.added.add(&other.added);
        self.removed.retain(&other.removed);
    }

    fn of(&self, state: &Bits) -> Bits {
        let mut after = state.clone();
        after.remove(&self.removed);
        after.add(&self.added);
        after
    }
}

impl Threads {
    /// The threads of a program: those of the roots, each with whether there may be several, and those
    /// that are created.
    pub(crate) fn new(
        pointers: &Pointers<'_, '_>,
        codes: &[Code],
        roots: Vec<Class>,
        is_closed: bool,
    ) -> Self {
        let mut classes = roots;
        let mut created: BTreeMap<u32, Bits> = BTreeMap::new();
        let mut by_entry: FxHashMap<u32, u32> = FxHashMap::default();
        for (number, class) in (0_u32..).zip(&classes) {
            by_entry.insert(class.entry, number);
        }
        let first_created = classes.len();
        for code in codes {
            for (_, happening) in code.all() {
                let Happening::Creates(site) = happening else { continue };
                let known = &pointers.sites[*site as usize];
                let mut entries = known.callees.clone();
                if known.is_outside {
                    entries.extend(&pointers.sites[pointers.outside as usize].callees);
                }
                for entry in entries {
                    let number = *by_entry.entry(entry).or_insert_with(|| {
                        let item = pointers.instances[entry as usize].item;
                        let name = linkage::names::shown(pointers.linked.name(item));
                        let (is_many, is_root) = (false, false);
                        classes.push(Class { name, entry, is_many, is_root });
                        u32::try_from(classes.len() - 1).unwrap_or(u32::MAX)
                    });
                    created.entry(*site).or_default().insert(number);
                }
            }
        }
        let callers = callers(pointers, codes);
        // A root runs from the beginning, beside who else calls it.
        let known = classes.iter().map(|class| {
            let is_called = !callers[class.entry as usize].is_empty();
            (class.entry, !class.is_many && !is_called)
        });
        let known = known.collect();
        let mut once = Once { pointers, codes, callers: &callers, known };
        for (number, class) in (0_u32..).zip(&mut classes).skip(first_created) {
            let sites: Vec<u32> = created
                .iter()
                .filter(|(_, all)| all.contains(number))
                .map(|(site, _)| *site)
                .collect();
            let is_once = matches!(sites[..], [site] if once.site(site));
            class.is_many |= !is_once;
        }
        for (number, class) in (0_u32..).zip(&mut classes).take(first_created) {
            // A root that is also created.
            class.is_many |= created.values().any(|all| all.contains(number));
        }
        let executed_by = executed_by(pointers, codes, &classes);
        let mut threads = Self {
            parallel: vec![vec![false; classes.len()]; classes.len()],
            classes,
            executed_by,
            running: Vec::new(),
            effects: Vec::new(),
            created,
            joined: FxHashMap::default(),
            is_closed,
        };
        threads.add_descendants(codes);
        threads.joined = threads.certain_joins(pointers, codes);
        threads.summarise(pointers, codes);
        threads.run(pointers, codes);
        threads
    }

    /// Who creates a thread may be said to create all that this one creates.
    fn add_descendants(&mut self, codes: &[Code]) {
        let mut of_class = vec![Bits::default(); self.classes.len()];
        for (instance, code) in codes.iter().enumerate() {
            for (_, happening) in code.all() {
                if let Happening::Creates(site) = happening
                    && let Some(created) = self.created.get(site)
                {
                    for class in self.executed_by[instance].iter() {
                        of_class[class as usize].add(created);
                    }
                }
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for class in 0..of_class.len() {
                for child in of_class[class].clone().iter() {
                    let more = of_class[child as usize].clone();
                    changed |= !of_class[class].add(&more).is_empty();
                }
            }
        }
        for created in self.created.values_mut() {
            for class in created.clone().iter() {
                created.add(&of_class[class as usize]);
            }
        }
    }

    /// The joins that certainly wait for the only thread of a class.
    fn certain_joins(
        &self,
        pointers: &Pointers<'_, '_>,
        codes: &[Code],
    ) -> FxHashMap<(u32, u32, u32), u32> {
        let mut handles: FxHashMap<(ObjectId, Offset), Vec<u32>> = FxHashMap::default();
        for site in self.created.keys() {
            let known = &pointers.sites[*site as usize];
            let at =
                pointers.instances[known.instance as usize].sites[&(known.block, known.index)][0];
            // Where the handle goes is the first argument of all functions that create threads so.
            let Some(first) = pointers.sites[at as usize].arguments.first() else { continue };
            if let Some(place) = first.first().and_then(|var| single(pointers, *var)) {
                handles.entry(place).or_default().push(*site);
            }
        }
        let mut found = FxHashMap::default();
        for (instance, code) in (0_u32..).zip(codes) {
            for ((block, index), happening) in code.all() {
                let Happening::Joins(argument) = happening else { continue };
                let Some(place) = handle_place(pointers, instance, block, index, *argument) else {
                    continue;
                };
                let [site] = handles.get(&place).map_or(&[][..], |all| &all[..]) else { continue };
                let writers = writers(pointers, codes, place);
                let mut classes = self.created[site].iter().filter(|class| {
                    let entry = self.classes[*class as usize].entry;
                    pointers.sites[*site as usize].callees.contains(&entry)
                });
                if let (Some(class), None, 1) = (classes.next(), classes.next(), writers)
                    && !self.classes[class as usize].is_many
                {
                    found.insert((instance, block, index), class);
                }
            }
        }
        found
    }

    fn effect(
        &self,
        pointers: &Pointers<'_, '_>,
        place: (u32, u32, u32),
        what: &Happening,
    ) -> Effect {
        let mut effect = Effect::default();
        match what {
            Happening::Creates(site) => {
                if let Some(created) = self.created.get(site) {
                    effect.added.add(created);
                }
            }
            Happening::Joins(_) => {
                if let Some(class) = self.joined.get(&place) {
                    effect.removed.insert(*class);
                }
            }
            Happening::Calls(_) | Happening::CallsOutside => {
                let mut callees = called(pointers, what).into_iter();
                if let Some(first) = callees.next() {
                    effect = self.effects[first as usize].clone();
                    for callee in callees {
                        effect.or(&self.effects[callee as usize]);
                    }
                }
            }
            Happening::Access(_)
            | Happening::Fence(_)
            | Happening::Locks(_)
            | Happening::Unlocks(_)
            | Happening::Stops => {}
        }
        effect
    }

    fn effect_of(
        &self,
        pointers: &Pointers<'_, '_>,
        place: (u32, u32, u32),
        alternatives: &[Vec<Happening>],
    ) -> Effect {
        let mut whole: Option<Effect> = None;
        for sequence in alternatives {
            let mut effect = Effect::default();
            for happening in sequence {
                effect.then(&self.effect(pointers, place, happening));
            }
            match &mut whole {
                None => whole = Some(effect),
                Some(whole) => whole.or(&effect),
            }
        }
        whole.unwrap_or_default()
    }

    fn matters(&self, pointers: &Pointers<'_, '_>, instance: u32, code: &Code) -> bool {
        code.all().any(|((block, index), happening)| match happening {
            Happening::Creates(_) => true,
            Happening::Joins(_) => self.joined.contains_key(&(instance, block, index)),
            Happening::Calls(_) | Happening::CallsOutside => called(pointers, happening)
                .iter()
                .any(|callee| self.effects[*callee as usize] != Effect::default()),
            Happening::Access(_)
            | Happening::Fence(_)
            | Happening::Locks(_)
            | Happening::Unlocks(_)
            | Happening::Stops => false,
        })
    }

    /// What each instance adds and takes away, until nothing changes.
    fn summarise(&mut self, pointers: &Pointers<'_, '_>, codes: &[Code]) {
        self.effects = vec![Effect::default(); codes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (instance, code) in (0_u32..).zip(codes) {
                if !self.matters(pointers, instance, code) {
                    continue;
                }
                let ends = self.block_effects(pointers, instance, code);
                let mut whole: Option<Effect> = None;
                for block in &code.flow.order {
                    // What does not return does not count, unless nothing does.
                    if !code.flow.successors[*block as usize].is_empty() {
                        continue;
                    }
                    if let Some(end) = &ends[*block as usize].1 {
                        match &mut whole {
                            None => whole = Some(end.clone()),
                            Some(whole) => whole.or(end),
                        }
                    }
                }
                let mut whole = whole.unwrap_or_default();
                // Once added, always added: so that this comes to an end.
                whole.added.add(&self.effects[instance as usize].added.clone());
                if whole != self.effects[instance as usize] {
                    self.effects[instance as usize] = whole;
                    changed = true;
                }
            }
        }
    }

    /// The effects from the beginning of an instance to the beginning and the end of each block.
    fn block_effects(
        &self,
        pointers: &Pointers<'_, '_>,
        instance: u32,
        code: &Code,
    ) -> Vec<(Option<Effect>, Option<Effect>)> {
        let mut found = vec![(None, None); code.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for block in &code.flow.order {
                let mut start = if code.flow.number[*block as usize] == 0 {
                    Some(Effect::default())
                } else {
                    None
                };
                for before in &code.flow.predecessors[*block as usize] {
                    let (_, end): &(Option<Effect>, Option<Effect>) = &found[*before as usize];
                    if let Some(end) = end {
                        match &mut start {
                            None => start = Some(end.clone()),
                            Some(start) => start.or(end),
                        }
                    }
                }
                let Some(start) = start else { continue };
                let mut end = start.clone();
                for (index, alternatives) in &code.blocks[*block as usize] {
                    end.then(&self.effect_of(pointers, (instance, *block, *index), alternatives));
                }
                let new = (Some(start), Some(end));
                if found[*block as usize] != new {
                    found[*block as usize] = new;
                    changed = true;
                }
            }
        }
        found
    }

    /// What may be running everywhere, and so who runs beside whom.
    #[expect(
        clippy::too_many_lines,
        reason = "one walk over all that happens, and what follows from it"
    )]
    fn run(&mut self, pointers: &Pointers<'_, '_>, codes: &[Code]) {
        let effects: Vec<_> = (0_u32..)
            .zip(codes)
            .map(|(instance, code)| {
                self.matters(pointers, instance, code)
                    .then(|| self.block_effects(pointers, instance, code))
            })
            .collect();
        let mut entry: Vec<Option<Bits>> = vec![None; codes.len()];
        let mut queue = Vec::new();
        for class in self.classes.iter().filter(|class| class.is_root) {
            entry[class.entry as usize] = Some(Bits::default());
            queue.push(class.entry);
        }
        let mut beside: Vec<Bits> = vec![Bits::default(); self.classes.len()];
        while let Some(instance) = queue.pop() {
            let Some(state) = entry[instance as usize].clone() else { continue };
            let code = &codes[instance as usize];
            for block in &code.flow.order {
                let start = match &effects[instance as usize] {
                    Some(effects) => match &effects[*block as usize].0 {
                        Some(effect) => effect.of(&state),
                        None => continue,
                    },
                    None => state.clone(),
                };
                let mut now = start;
                for (index, alternatives) in &code.blocks[*block as usize] {
                    let place = (instance, *block, *index);
                    for sequence in alternatives {
                        let mut then = now.clone();
                        for happening in sequence {
                            if let Happening::Creates(site) = happening
                                && let Some(created) = self.created.get(site)
                            {
                                for class in created.iter() {
                                    beside[class as usize].add(&then);
                                    // Threads that are created together, one from the other.
                                    beside[class as usize].add(created);
                                    beside[class as usize]
                                        .add(&self.executed_by[instance as usize]);
                                    let mut at_start = then.clone();
                                    at_start.add(&self.executed_by[instance as usize]);
                                    let start = self.classes[class as usize].entry;
                                    merge(&mut entry, &mut queue, start, &at_start);
                                }
                            }
                            for callee in called(pointers, happening) {
                                merge(&mut entry, &mut queue, callee, &then);
                            }
                            if effects[instance as usize].is_some() {
                                then = self.effect(pointers, place, happening).of(&then);
                            }
                        }
                    }
                    if effects[instance as usize].is_some() {
                        now = self.effect_of(pointers, place, alternatives).of(&now);
                    }
                }
            }
        }
        self.running = (0..codes.len())
            .map(|instance| {
                let state = entry[instance].clone().unwrap_or_default();
                let blocks = codes[instance].blocks.len();
                match &effects[instance] {
                    Some(effects) => effects
                        .iter()
                        .map(|(start, _)| {
                            start.as_ref().map_or_else(Bits::default, |one| one.of(&state))
                        })
                        .collect(),
                    None => vec![state; blocks],
                }
            })
            .collect();
        for (class, others) in beside.iter().enumerate() {
            for other in others.iter() {
                let other = other as usize;
                if other != class {
                    self.parallel[class][other] = true;
                    self.parallel[other][class] = true;
                }
            }
        }
        let roots: Vec<usize> =
            (0..self.classes.len()).filter(|at| self.classes[*at].is_root).collect();
        for class in 0..self.classes.len() {
            self.parallel[class][class] = self.classes[class].is_many;
            // Several roots run from the beginning to the end, beside all that any of them creates.
            if roots.len() > 1 || !self.is_closed {
                for root in &roots {
                    if *root != class {
                        self.parallel[class][*root] = true;
                        self.parallel[*root][class] = true;
                    }
                }
            }
        }
        if roots.len() > 1 || roots.iter().any(|root| self.classes[*root].is_many) {
            let created: Vec<usize> =
                (0..self.classes.len()).filter(|at| !self.classes[*at].is_root).collect();
            for left in &created {
                for right in &created {
                    self.parallel[*left][*right] |= left != right;
                }
            }
        }
    }

    /// Whether nothing runs beside what happens at an instruction, given what happens before it in its
    /// block: the states that this hands on, one for each instruction.
    pub(crate) fn alone_in_block(
        &self,
        pointers: &Pointers<'_, '_>,
        instance: u32,
        block: u32,
        code: &Code,
    ) -> Vec<bool> {
        let mut roots = self.classes.iter().filter(|class| class.is_root);
        let is_alone_possible = self.is_closed
            && matches!((roots.next(), roots.next()), (Some(root), None) if !root.is_many)
            && self.executed_by[instance as usize]
                .iter()
                .all(|class| self.classes[class as usize].is_root);
        let count = code.blocks[block as usize].len();
        if !is_alone_possible {
            return vec![false; count];
        }
        let mut now = self.running[instance as usize][block as usize].clone();
        let mut found = Vec::with_capacity(count);
        for (index, alternatives) in &code.blocks[block as usize] {
            found.push(now.is_empty());
            now = self.effect_of(pointers, (instance, block, *index), alternatives).of(&now);
        }
        found
    }
}

fn merge(entry: &mut [Option<Bits>], queue: &mut Vec<u32>, instance: u32, state: &Bits) {
    match &mut entry[instance as usize] {
        Some(known) => {
            if !known.add(state).is_empty() {
                queue.push(instance);
            }
        }
        unknown @ None => {
            *unknown = Some(state.clone());
            queue.push(instance);
        }
    }
}

/// The one address that a variable can be, if it is a variable of the program, there once, and exact.
pub(crate) fn single(pointers: &Pointers<'_, '_>, var: Var) -> Option<(ObjectId, Offset)> {
    if pointers.solver.set_size(var) != 1 {
        return None;
    }
    let (object, offset) = pointers.solver.set(var).next()?;
    let is_one = match pointers.solver.kind(object) {
        ObjectKind::Global(item) => {
            pointers.linked.global(item).is_some_and(|global| !global.thread_local)
        }
        ObjectKind::Stack(..) => true,
        ObjectKind::Outside
        | ObjectKind::Function(_)
        | ObjectKind::Heap(..)
        | ObjectKind::Unnamed(_)
        | ObjectKind::Kept
        | ObjectKind::Own
        | ObjectKind::Results
        | ObjectKind::Library
        | ObjectKind::Constants => false,
    };
    (is_one && offset.is_exact()).then_some((object, offset))
}

/// How many things that happen may write to a place.
fn writers(pointers: &Pointers<'_, '_>, codes: &[Code], place: (ObjectId, Offset)) -> usize {
    let mut count = 0;
    for code in codes {
        for (_, happening) in code.all() {
            if let Happening::Access(access) = happening
                && access.kind != events::AccessKind::Read
            {
                count +=
                    usize::from(pointers.solver.set(access.address).any(|(object, offset)| {
                        let bytes = access.bytes.unwrap_or(u32::MAX / 4);
                        (object == OUTSIDE && is_out(pointers, place.0))
                            || (object == place.0 && offset.overlaps(bytes, place.1, 8))
                    }));
            }
        }
    }
    count
}

/// Where the handle lies that a join is given.
fn handle_place(
    pointers: &Pointers<'_, '_>,
    instance: u32,
    block: u32,
    index: u32,
    argument: usize,
) -> Option<(ObjectId, Offset)> {
    let function = pointers.function(pointers.instances[instance as usize].item);
    let instructions = &function.blocks[block as usize].instructions;
    let (Operation::Call(call) | Operation::Invoke { call, .. }) =
        &instructions[index as usize].operation
    else {
        return None;
    };
    let Value::Local(handle) = call.arguments.get(argument)?.value else { return None };
    let load = instructions.iter().find(|one| one.result == Some(handle))?;
    let Operation::Load { address, .. } = &load.operation else { return None };
    match &address.value {
        Value::Local(local) => single(pointers, *pointers.local_parts(instance, *local).first()?),
        Value::Constant(llvm::Constant::Symbol(symbol)) => {
            let module = pointers.instances[instance as usize].item.module;
            let item = pointers.linked.resolve(module, *symbol);
            let object = pointers.solver.known_object(ObjectKind::Global(item))?;
            Some((object, Offset::ZERO))
        }
        Value::Constant(_)
        | Value::Block(_)
        | Value::Asm(_)
        | Value::Metadata(_)
        | Value::MetadataText(_) => None,
    }
}

/// The calls of each instance: who, and where.
fn callers(pointers: &Pointers<'_, '_>, codes: &[Code]) -> Vec<Vec<(u32, u32)>> {
    let mut found = vec![Vec::new(); codes.len()];
    for (instance, code) in (0_u32..).zip(codes) {
        for ((block, _), happening) in code.all() {
            for callee in called(pointers, happening) {
                found[callee as usize].push((instance, block));
            }
        }
    }
    found
}

fn executed_by(pointers: &Pointers<'_, '_>, codes: &[Code], classes: &[Class]) -> Vec<Bits> {
    let callees: Vec<Vec<u32>> = codes
        .iter()
        .map(|code| {
            let mut all: Vec<u32> =
                code.all().flat_map(|(_, happening)| called(pointers, happening)).collect();
            all.sort_unstable();
            all.dedup();
            all
        })
        .collect();
    // Components are numbered from callees to callers, so each is complete before it is handed down.
    let component = components(&callees);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); codes.len()];
    for (instance, one) in component.iter().enumerate() {
        members[*one as usize].push(instance);
    }
    let mut found = vec![Bits::default(); codes.len()];
    for (number, class) in (0_u32..).zip(classes) {
        found[component[class.entry as usize] as usize].insert(number);
    }
    for one in (0..found.len()).rev() {
        let set = found[one].clone();
        for callee in members[one].iter().flat_map(|member| &callees[*member]) {
            let below = component[*callee as usize] as usize;
            if below != one {
                found[below].add(&set);
            }
        }
    }
    component.iter().map(|one| found[*one as usize].clone()).collect()
}

/// What is executed at most once in a run of the program.
struct Once<'p, 'l, 'm> {
    pointers: &'p Pointers<'l, 'm>,
    codes: &'p [Code],
    callers: &'p [Vec<(u32, u32)>],
    known: FxHashMap<u32, bool>,
}

impl Once<'_, '_, '_> {
    fn site(&mut self, site: u32) -> bool {
        let known = &self.pointers.sites[site as usize];
        let (instance, block) = (known.instance, known.block);
        self.block(instance, block)
    }

    fn block(&mut self, instance: u32, block: u32) -> bool {
        !self.codes[instance as usize].flow.is_repeated[block as usize] && self.instance(instance)
    }

    fn instance(&mut self, instance: u32) -> bool {
        if let Some(known) = self.known.get(&instance) {
            return *known;
        }
        // Who is asked for again while it is being decided calls itself.
        self.known.insert(instance, false);
        let creators: Vec<u32> = (0_u32..)
            .zip(&self.pointers.sites)
            .filter(|(_, site)| {
                site.purpose == crate::pointers::Purpose::Thread && site.callees.contains(&instance)
            })
            .map(|(number, _)| number)
            .collect();
        let callers = self.callers[instance as usize].clone();
        let is_once = match (&callers[..], &creators[..]) {
            // Only roots are neither called nor created.
            ([], []) => true,
            ([(caller, block)], []) => self.block(*caller, *block),
            ([], [site]) => self.site(*site),
            _ => false,
        };
        self.known.insert(instance, is_once);
        is_once
    }
}

/// Names of local variables are for people.
pub(crate) fn variable_name(pointers: &Pointers<'_, '_>, instance: u32, local: LocalId) -> String {
    let item = pointers.instances[instance as usize].item;
    let function = pointers.function(item);
    let metadata = &pointers.linked.module(item.module).metadata;
    let name = metadata
        .local_variable(function, local)
        .and_then(|variable| metadata.name(variable))
        .unwrap_or(&function.locals[local.index()].name);
    format!("{}.{name}", linkage::names::shown(pointers.linked.name(item)))
}
