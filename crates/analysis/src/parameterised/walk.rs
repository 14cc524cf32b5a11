//! Values without end, as far as a walk shows.
//!
//! What a net is made of is found by a fixpoint over pairs ([`super::net`]). A counter that goes on and on
//! makes one new content in each round, and each round is about everything that is there so far: the bound
//! on contents is reached after seconds, and nothing is known then. Somebody who just walks through the program
//! passes as many contents in as many rounds of the loop. What the walk meets the net would contain, so
//! nothing is given up here that would be proved there. Whoever meets little goes on with the fixpoint.

use automata::{Effect, Threads};
use explore::Lookout;
use rustc_hash::{FxHashMap, FxHashSet};

use super::net::{MOST_CONTENTS, MOST_LOCALS, NoNet};

/// The walk ends after so many steps,
const MOST_STEPS: u32 = 1 << 18;
/// or when so many have met nothing new.
const WITHOUT_NEWS: u32 = 1 << 11;

/// Walks through the states of some threads. An error if there are too many contents or local states for a
/// net, or a limit is reached.
pub(super) fn walk<T: Threads>(threads: &T, lookout: &mut Lookout) -> Result<(), NoNet<T::Cell>> {
    let mut walker = Walker::new(threads);
    let mut seen_contents: FxHashMap<T::Cell, FxHashSet<T::Content>> = FxHashMap::default();
    let mut seen_locals: FxHashMap<usize, FxHashSet<T::Local>> = FxHashMap::default();
    let mut last_news = 0;
    for step in 0..MOST_STEPS {
        if step - last_news > WITHOUT_NEWS {
            break;
        }
        lookout.step()?;
        let Some((thread, written)) = walker.step() else {
            walker.begin_again();
            continue;
        };
        let class = walker.classes[thread];
        let locals = seen_locals.entry(class).or_default();
        if locals.insert(walker.locals[thread].clone()) {
            last_news = step;
            if locals.len() > MOST_LOCALS {
                return Err(NoNet::Locals(class));
            }
        }
        for cell in written {
            let contents = seen_contents.entry(cell).or_default();
            if contents.insert(walker.contents[&cell].clone()) {
                last_news = step;
                if contents.len() > MOST_CONTENTS {
                    return Err(NoNet::Contents(cell));
                }
            }
        }
    }
    Ok(())
}

/// Somebody in a state.
struct Walker<'t, T: Threads> {
    threads: &'t T,
    classes: Vec<usize>,
    locals: Vec<T::Local>,
    contents: FxHashMap<T::Cell, T::Content>,
    random: u64,
}

impl<'t, T: Threads> Walker<'t, T> {
    fn new(threads: &'t T) -> Self {
        let classes = threads.classes();
        let contents = FxHashMap::default();
        let mut walker = Self { threads, classes, locals: Vec::new(), contents, random: 1 };
        walker.begin_again();
        walker
    }

    fn begin_again(&mut self) {
        self.locals = (0..self.classes.len()).map(|thread| self.threads.initial(thread)).collect();
        self.contents.clear();
    }

    /// A number below another one; always the same ones, one after the other (Knuth's generator).
    fn below(&mut self, most: usize) -> usize {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.random >> 33).unwrap_or(0) % most.max(1)
    }

    /// Some step of some thread: which thread, and the cells it has written; nothing if there is none.
    fn step(&mut self) -> Option<(usize, Vec<T::Cell>)> {
        let first = self.below(self.locals.len());
        let threads = (first..self.locals.len()).chain(0..first);
        threads.into_iter().find_map(|thread| Some((thread, self.step_of(thread)?)))
    }

    fn step_of(&mut self, thread: usize) -> Option<Vec<T::Cell>> {
        let (threads, class) = (self.threads, self.classes[thread]);
        let steps = threads.steps(class, &self.locals[thread]);
        let first = self.below(steps.len());
        for step in steps[first..].iter().chain(&steps[..first]) {
            for (cell, _) in &step.cells {
                self.contents.entry(*cell).or_insert_with(|| threads.initial_content(*cell));
            }
            let held: Vec<&T::Content> =
                step.cells.iter().map(|(cell, _)| &self.contents[cell]).collect();
            if let Effect::Done(next, after) =
                threads.effect(class, &self.locals[thread], step, &held)
            {
                self.locals[thread] = next;
                let mut written = Vec::new();
                for ((cell, mode), content) in step.cells.iter().zip(after) {
                    if mode.writes() {
                        self.contents.insert(*cell, content);
                        written.push(*cell);
                    }
                }
                return Some(written);
            }
        }
        None
    }
}
