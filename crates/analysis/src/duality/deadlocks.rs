//! Deadlocks, as configurations.
//!
//! A deadlock is a state in which every thread that moves alone stays among waiting labels and changes nothing,
//! and somebody waits ([`mod@crate::reach`]). There are two kinds:
//!
//! - *Nobody holds the memory lock.* Then stores that wait can reach memory, so no store waits. What a thread can do
//!   alone depends on its local state and on the cells that it reads there.
//! - *Somebody holds it*, and never gives it back. No store of that thread waits, and for it the same is
//!   true. All others are kept from memory, and their stores in their buffers: what they can do alone depends on
//!   their local state and on whether a store is stranded ([`super`]); only whether they wait for the lock may
//!   depend on a cell, where a blocking update waits for a value.
//!
//! So deadlocks are a union of regions: for each thread a node, with values for these cells. Own messages do not
//! matter: they can be deleted, and then the thread finds what memory holds.

use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use automata::{Effect, Step, Threads};
use program::index::Idx;
use program::{Instruction, Observable, ThreadId, Update, Value};
use semantics::Model;

use super::configuration::Configuration;
use super::targets::{Looking, MOST, Region, Union, all};
use crate::buffers::is_buffered;
use crate::sc::{Cell, Content, Local, Name};

/// What some cells hold, by their numbers.
type Values = BTreeMap<u16, u16>;

/// Who holds the memory lock, as a thread sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Nobody,
    Itself,
    Another,
}

/// A thread in a local state, kept from some of its steps.
#[derive(Clone, Copy)]
struct Alone<'a> {
    class: usize,
    local: &'a Local,
    holder: Holder,
    /// Whether stranded stores fill its buffer.
    is_stranded: bool,
}

/// What becomes of a thread that moves alone.
enum Future {
    /// It never gets further.
    Stuck {
        /// Whether it waits.
        waits: bool,
    },
    /// It may get further.
    GetsFurther,
    /// That depends on this cell.
    Depends(u16),
}

/// Where a thread never gets further alone.
struct Stuck {
    region: Region,
    waits: bool,
}

impl Looking<'_, '_, '_> {
    /// The deadlocks; nothing if they are too many.
    pub(super) fn deadlocks(&self) -> Option<Vec<Configuration>> {
        let holders = self.sc.threads().indices().filter(|thread| self.can_hold_lock(*thread));
        let mut targets = Vec::new();
        for holder in std::iter::once(None).chain(holders.map(Some)) {
            self.deadlocks_with(holder, &mut targets)?;
        }
        Some(targets)
    }

    /// Whether a thread may be stuck with the memory lock, as far as the thread itself can tell.
    pub(super) fn may_keep_lock(&self) -> bool {
        let mut holders = self.sc.threads().indices().filter(|thread| self.can_hold_lock(*thread));
        holders
            .any(|thread| self.stuck(thread, Holder::Itself).is_none_or(|stuck| !stuck.is_empty()))
    }

    fn can_hold_lock(&self, thread: ThreadId) -> bool {
        self.automata.threads[thread.index()].can_hold_lock
    }

    /// The deadlocks in which this thread holds the memory lock.
    fn deadlocks_with(
        &self,
        holder: Option<ThreadId>,
        targets: &mut Vec<Configuration>,
    ) -> Option<()> {
        let threads = self.sc.threads().indices();
        let stuck = threads.map(|thread| {
            self.stuck(
                thread,
                match holder {
                    None => Holder::Nobody,
                    Some(holder) if holder == thread => Holder::Itself,
                    Some(_) => Holder::Another,
                },
            )
        });
        let stuck: Vec<Vec<Stuck>> = stuck.collect::<Option<_>>()?;
        for waiter in 0..stuck.len() {
            // The first one that waits, so that no deadlock is listed twice.
            let parts = stuck.iter().enumerate().map(|(thread, stuck)| -> Union {
                let fits = |one: &&Stuck| match thread.cmp(&waiter) {
                    Ordering::Less => !one.waits,
                    Ordering::Equal => one.waits,
                    Ordering::Greater => true,
                };
                Some(stuck.iter().filter(fits).map(|one| one.region.clone()).collect())
            });
            let goes_on = self.program.end_of_process().map(|end| {
                // Nobody waits once the process has ended.
                self.seen(Observable::Cell(end), |value| value == 0)
            });
            self.expand(&all(parts.chain(goes_on))?, targets)?;
        }
        Some(())
    }

    /// Where a thread never gets further alone, with the values of cells for which it does not.
    fn stuck(&self, thread: ThreadId, holder: Holder) -> Option<Vec<Stuck>> {
        let class = self.sc.class_of(thread);
        let mut found: Vec<Stuck> = Vec::new();
        let mut known: BTreeMap<(&Local, bool), Vec<(Values, bool)>> = BTreeMap::new();
        let nodes = self.automata.threads[thread.index()].unclaiming();
        for (number, (local, stored), node) in nodes {
            let is_stranded = stored.stranded.is_some();
            let is_there = local.holds_lock == (holder == Holder::Itself)
                && (!is_stranded || holder == Holder::Another);
            // What would be done beyond a limit is not known, so it may be what others wait for.
            if !is_there || node.mark.noted {
                continue;
            }
            let alone = Alone { class, local, holder, is_stranded };
            let stays = match known.entry((local, is_stranded)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(self.stays(alone)?),
            };
            found.extend(stays.iter().map(|(values, waits)| Stuck {
                region: Region {
                    nodes: BTreeMap::from([(thread.index(), vec![number])]),
                    values: values.iter().map(|(cell, value)| (*cell, vec![*value])).collect(),
                },
                waits: *waits,
            }));
            if found.len() > MOST {
                return None;
            }
        }
        Some(found)
    }

    /// All values of the cells that matter for which a thread never gets further alone, and whether it waits;
    /// nothing if these are too many.
    fn stays(&self, alone: Alone<'_>) -> Option<Vec<(Values, bool)>> {
        let (mut found, mut open) = (Vec::new(), vec![Values::new()]);
        while let Some(values) = open.pop() {
            match self.future(alone, &values)? {
                Future::GetsFurther => {}
                Future::Stuck { waits } => found.push((values, waits)),
                Future::Depends(cell) => {
                    let all = (0u16..).take(self.automata.cells[usize::from(cell)].len());
                    open.extend(all.map(|value| {
                        let mut values = values.clone();
                        values.insert(cell, value);
                        values
                    }));
                }
            }
            if found.len() + open.len() > MOST {
                return None;
            }
        }
        Some(found)
    }

    /// What becomes of a thread if cells hold these values; nothing if that takes too long to tell.
    fn future(&self, alone: Alone<'_>, values: &Values) -> Option<Future> {
        let Alone { class, local, .. } = alone;
        let waits_at = |local: &Local| self.sc.mark(class, local).waiting;
        let steps = self.sc.steps(class, local);
        let mut waits = waits_at(local) && !steps.is_empty();
        for step in &steps {
            match self.keeps_waiting(alone, step, values) {
                Ok(is_kept) => waits |= is_kept,
                Err(cell) => return Some(Future::Depends(cell)),
            }
        }
        let (mut seen, mut open) = (BTreeSet::from([local.clone()]), vec![local.clone()]);
        while let Some(here) = open.pop() {
            let alone = Alone { local: &here, ..alone };
            for step in self.sc.steps(class, &here) {
                if self.is_kept_from(alone, &step) {
                    continue;
                }
                // Its buffer is another one then.
                if is_buffered(Model::Tso, self.instruction(alone, &step)) {
                    return Some(Future::GetsFurther);
                }
                let instruction = self.instruction(alone, &step);
                if matches!(instruction, Instruction::StoreExclusive { .. }) && waits_at(&here) {
                    return None;
                }
                let contents = match self.contents(alone, &step, values) {
                    Ok(contents) => contents,
                    Err(cell) => return Some(Future::Depends(cell)),
                };
                let held: Vec<&Content> = contents.iter().collect();
                let Effect::Done(next, after) = self.sc.effect(class, &here, &step, &held) else {
                    continue;
                };
                let mut written = step.cells.iter().zip(&after).zip(&contents);
                if !waits_at(&here)
                    || !waits_at(&next)
                    || written.any(|(((_, mode), after), before)| {
                        mode.writes() && after.value != before.value
                    })
                {
                    return Some(Future::GetsFurther);
                }
                if seen.insert(next.clone()) {
                    if seen.len() > MOST {
                        return None;
                    }
                    open.push(next);
                }
            }
        }
        Some(Future::Stuck { waits })
    }

    fn instruction(&self, alone: Alone<'_>, step: &Step<Cell, Name>) -> &Instruction {
        let (edge, _) = step.name;
        &self.program.template(self.sc.template_of(alone.class)).edge(edge).instruction
    }

    /// Whether the lock of another thread, or a buffer that is never empty again, keeps a thread from a step.
    fn is_kept_from(&self, alone: Alone<'_>, step: &Step<Cell, Name>) -> bool {
        let instruction = self.instruction(alone, step);
        let needs_memory = step.cells.iter().any(|(cell, _)| *cell == Cell::Lock)
            && !is_buffered(Model::Tso, instruction);
        alone.is_stranded && instruction.drains_buffer()
            || alone.holder == Holder::Another && needs_memory
    }

    /// Whether a thread is kept from a step that it could make if the lock were given back; or the cell on which
    /// that depends.
    fn keeps_waiting(
        &self,
        alone: Alone<'_>,
        step: &Step<Cell, Name>,
        values: &Values,
    ) -> Result<bool, u16> {
        if !self.is_kept_from(alone, step) {
            return Ok(false);
        }
        let instruction = self.instruction(alone, step);
        // Nothing else waits for a value.
        let Instruction::Update { update: Update::BlockingReadWrite { .. }, .. } = instruction
        else {
            return Ok(true);
        };
        if alone.is_stranded {
            return Ok(true);
        }
        let contents = self.contents(alone, step, values)?;
        let contents: Vec<&Content> = contents.iter().collect();
        Ok(self.sc.is_kept_out(alone.class, alone.local, step, &contents))
    }

    /// What the cells of a step hold; or the first one that matters of which nothing is said.
    fn contents(
        &self,
        alone: Alone<'_>,
        step: &Step<Cell, Name>,
        values: &Values,
    ) -> Result<Vec<Content>, u16> {
        let waits = self.sc.mark(alone.class, alone.local).waiting;
        let content = |(cell, mode): &(Cell, automata::Mode)| {
            let address = match cell {
                Cell::Memory(address) => *address,
                Cell::Lock => return Ok(Content::of(Value::from(alone.holder != Holder::Nobody))),
                Cell::Published(_) => return Ok(self.sc.initial_content(*cell)),
            };
            let Some((number, _, all)) = self.automata.cells.get_full(&address) else {
                return Ok(self.sc.initial_content(*cell));
            };
            let number = u16::try_from(number).expect("few cells");
            match values.get(&number) {
                Some(value) => {
                    Ok(Content::of(*all.get_index(usize::from(*value)).expect("a value").0))
                }
                None if mode.reads() || mode.writes() && waits => Err(number),
                None => Ok(self.sc.initial_content(*cell)),
            }
        };
        step.cells.iter().map(content).collect()
    }
}
