//! Locks that are certainly held: by data flow, with a summary for each function. A lock counts if it is
//! certain which one it is: a variable that is there once. What may give a lock back takes it away.

use rustc_hash::FxHashMap;

use crate::access::Happening;
use crate::bits::Bits;
use crate::code::{Code, called};
use crate::locations::is_out;
use crate::object::{OUTSIDE, ObjectId, ObjectKind, Offset};
use crate::pointers::Pointers;
use crate::solver::Var;
use crate::threads::{Threads, single};

/// What a piece of code does to the locks that are held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effect {
    taken: Bits,
    given_back: Bits,
}

impl Effect {
    fn then(&mut self, next: &Self) {
        self.taken.remove(&next.given_back);
        self.taken.add(&next.taken);
        self.given_back.add(&next.given_back);
    }

    fn or(&mut self, other: &Self) {
        self.taken.retain(&other.taken);
        self.given_back.add(&other.given_back);
    }

    fn of(&self, held: &Bits) -> Bits {
        let mut after = held.clone();
        after.remove(&self.given_back);
        after.add(&self.taken);
        after
    }
}

/// The locks that are held everywhere.
#[derive(Debug)]
pub(crate) struct Locks {
    /// All locks that count.
    pub(crate) all: Vec<(ObjectId, Offset)>,
    numbers: FxHashMap<(ObjectId, Offset), u32>,
    effects: Vec<Effect>,
    matters: Vec<bool>,
    entry: Vec<Option<Bits>>,
}

impl Locks {
    pub(crate) fn new(pointers: &Pointers<'_, '_>, codes: &[Code], threads: &Threads) -> Self {
        let mut locks = Self {
            all: Vec::new(),
            numbers: FxHashMap::default(),
            effects: vec![Effect::default(); codes.len()],
            matters: vec![false; codes.len()],
            entry: vec![None; codes.len()],
        };
        for code in codes {
            for (_, happening) in code.all() {
                if let Happening::Locks(lock) = happening
                    && let Some(place) = single(pointers, *lock)
                    && matches!(pointers.solver.kind(place.0), ObjectKind::Global(_))
                    && !locks.numbers.contains_key(&place)
                {
                    let number = u32::try_from(locks.all.len()).unwrap_or(u32::MAX);
                    locks.numbers.insert(place, number);
                    locks.all.push(place);
                }
            }
        }
        if locks.all.is_empty() {
            return locks;
        }
        locks.summarise(pointers, codes);
        locks.enter(pointers, codes, threads);
        locks
    }

    fn summarise(&mut self, pointers: &Pointers<'_, '_>, codes: &[Code]) {
        let is_some_out = self.all.iter().any(|(object, _)| is_out(pointers, *object));
        let mut changed = true;
        while changed {
            changed = false;
            for (instance, code) in (0_u32..).zip(codes) {
                let at = instance as usize;
                let matters = code.all().any(|(_, happening)| match happening {
                    Happening::Locks(_) | Happening::Unlocks(_) => true,
                    Happening::CallsOutside if is_some_out => true,
                    Happening::Access(_)
                    | Happening::Fence(_)
                    | Happening::Calls(_)
                    | Happening::CallsOutside
                    | Happening::Creates(_)
                    | Happening::Joins(_)
                    | Happening::Stops => {
                        called(pointers, happening).iter().any(|one| self.matters[*one as usize])
                    }
                });
                if !matters {
                    continue;
                }
                let ends = self.block_effects(pointers, code);
                let mut whole: Option<Effect> = None;
                for block in &code.flow.order {
                    if !code.flow.successors[*block as usize].is_empty() {
                        continue;
                    }
                    if let Some((_, end)) = &ends[*block as usize] {
                        match &mut whole {
                            None => whole = Some(end.clone()),
                            Some(whole) => whole.or(end),
                        }
                    }
                }
                let mut whole = whole.unwrap_or_default();
                // What is given back only grows, and what is taken only shrinks, so this ends.
                whole.given_back.add(&self.effects[at].given_back.clone());
                if self.matters[at] {
                    whole.taken.retain(&self.effects[at].taken.clone());
                }
                if whole != self.effects[at] || !self.matters[at] {
                    self.effects[at] = whole;
                    self.matters[at] = true;
                    changed = true;
                }
            }
        }
    }

    fn may_be(&self, pointers: &Pointers<'_, '_>, lock: Var) -> Bits {
        let mut found = Bits::default();
        for (object, offset) in pointers.solver.set(lock) {
            for (number, (other, place)) in (0_u32..).zip(&self.all) {
                let is_it = *other == object && offset.overlaps(4, *place, 4);
                if is_it || (object == OUTSIDE && is_out(pointers, *other)) {
                    found.insert(number);
                }
            }
        }
        found
    }

    fn effect(&self, pointers: &Pointers<'_, '_>, happening: &Happening) -> Effect {
        let mut effect = Effect::default();
        match happening {
            Happening::Locks(lock) => {
                let place = single(pointers, *lock);
                if let Some(number) = place.and_then(|place| self.numbers.get(&place)) {
                    effect.taken.insert(*number);
                }
            }
            Happening::Unlocks(lock) => effect.given_back = self.may_be(pointers, *lock),
            Happening::Calls(_) | Happening::CallsOutside => {
                let mut callees = called(pointers, happening).into_iter();
                if let Some(first) = callees.next() {
                    effect = self.effects[first as usize].clone();
                    for callee in callees {
                        effect.or(&self.effects[callee as usize]);
                    }
                }
                if matches!(happening, Happening::CallsOutside) {
                    // External code need not call anything, and may give back what it knows of.
                    effect.or(&Effect::default());
                    for (number, (object, _)) in (0_u32..).zip(&self.all) {
                        if is_out(pointers, *object) {
                            effect.given_back.insert(number);
                        }
                    }
                }
            }
            Happening::Access(_)
            | Happening::Fence(_)
            | Happening::Creates(_)
            | Happening::Joins(_)
            | Happening::Stops => {}
        }
        effect
    }

    fn effect_of(&self, pointers: &Pointers<'_, '_>, alternatives: &[Vec<Happening>]) -> Effect {
        let mut whole: Option<Effect> = None;
        for sequence in alternatives {
            let mut effect = Effect::default();
            for happening in sequence {
                effect.then(&self.effect(pointers, happening));
            }
            match &mut whole {
                None => whole = Some(effect),
                Some(whole) => whole.or(&effect),
            }
        }
        whole.unwrap_or_default()
    }

    /// The effects from where an instance begins to where each block begins and ends.
    fn block_effects(
        &self,
        pointers: &Pointers<'_, '_>,
        code: &Code,
    ) -> Vec<Option<(Effect, Effect)>> {
        let mut found: Vec<Option<(Effect, Effect)>> = vec![None; code.blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for block in &code.flow.order {
                let at = *block as usize;
                let mut start = (code.flow.number[at] == 0).then(Effect::default);
                for before in &code.flow.predecessors[at] {
                    if let Some((_, end)) = &found[*before as usize] {
                        match &mut start {
                            None => start = Some(end.clone()),
                            Some(start) => start.or(end),
                        }
                    }
                }
                let Some(start) = start else { continue };
                let mut end = start.clone();
                for (_, alternatives) in &code.blocks[at] {
                    end.then(&self.effect_of(pointers, alternatives));
                }
                let new = Some((start, end));
                if found[at] != new {
                    found[at] = new;
                    changed = true;
                }
            }
        }
        found
    }

    /// What is held where each instance begins: what all its callers hold.
    fn enter(&mut self, pointers: &Pointers<'_, '_>, codes: &[Code], threads: &Threads) {
        let mut queue = Vec::new();
        for class in &threads.classes {
            self.entry[class.entry as usize] = Some(Bits::default());
            queue.push(class.entry);
        }
        while let Some(instance) = queue.pop() {
            let code = &codes[instance as usize];
            for (block, held) in self.held(pointers, instance, code) {
                let mut held = held;
                for (_, alternatives) in &code.blocks[block as usize] {
                    for sequence in alternatives {
                        let mut then = held.clone();
                        for happening in sequence {
                            for callee in called(pointers, happening) {
                                let is_new = match &mut self.entry[callee as usize] {
                                    Some(known) => {
                                        let before = known.len();
                                        known.retain(&then);
                                        known.len() < before
                                    }
                                    unknown @ None => {
                                        *unknown = Some(then.clone());
                                        true
                                    }
                                };
                                if is_new {
                                    queue.push(callee);
                                }
                            }
                            then = self.effect(pointers, happening).of(&then);
                        }
                    }
                    held = self.effect_of(pointers, alternatives).of(&held);
                }
            }
        }
    }

    /// What is held where each block of an instance begins.
    fn held(&self, pointers: &Pointers<'_, '_>, instance: u32, code: &Code) -> Vec<(u32, Bits)> {
        let at = instance as usize;
        let entry = self.entry[at].clone().unwrap_or_default();
        if !self.matters[at] {
            return code.flow.order.iter().map(|block| (*block, entry.clone())).collect();
        }
        let effects = self.block_effects(pointers, code);
        let of = |block: &u32| {
            let effect = effects[*block as usize].as_ref()?;
            Some((*block, effect.0.of(&entry)))
        };
        code.flow.order.iter().filter_map(of).collect()
    }

    /// What is held at the instructions of each block of an instance at which something happens.
    pub(crate) fn held_in_blocks(
        &self,
        pointers: &Pointers<'_, '_>,
        instance: u32,
        code: &Code,
    ) -> FxHashMap<u32, Vec<Bits>> {
        let mut found = FxHashMap::default();
        if self.all.is_empty() {
            return found;
        }
        for (block, mut held) in self.held(pointers, instance, code) {
            let mut states = Vec::new();
            for (_, alternatives) in &code.blocks[block as usize] {
                states.push(held.clone());
                held = self.effect_of(pointers, alternatives).of(&held);
            }
            found.insert(block, states);
        }
        found
    }
}
