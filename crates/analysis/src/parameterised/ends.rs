//! Final states and deadlocks of any number of threads.
//!
//! Both are about *all* threads: that each has ended, or cannot get any further. Coverability knows what is
//! there at least, and nothing about what is not, so neither is a question of it; exactly asked they would be
//! questions of reachability in nets, which is decidable in theory alone. What is done instead is sound:
//!
//! - *Dropping.* A marking is looked for that has what such a state has at least: the cells, all threads of
//!   definite number, for a deadlock one that waits. If it cannot be covered there is no such state.
//! - *Traps.* A set of places from which no transition takes a token without putting one into it keeps a
//!   token if it has one (Commoner; for parameterised systems Bozga, Esparza, Iosif and others). In such a
//!   state only some places hold tokens: those of threads that have ended or are stuck with what the cells hold.
//!   If there is a trap outside of these that has a token in every beginning, there is no such state. That
//!   is what knows that somebody is inside while a lock is held.
//! - *Who never ends.* In a final state there is no copy of a thread that never ends.
//!
//! What is left open by all of these is searched for in small instances, and otherwise not known.

use coverability::{Marking, Net, Place};
use explore::{Limit, Lookout};
use program::index::Idx;
use program::{Count, Program, TemplateId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::net::Threaded;
use super::running::Running;
use super::targets::TooMany;
use crate::sc::Cell;

/// More cases than this are not followed.
const MOST_CASES: usize = 1 << 14;

/// Whether some places hold a token in every marking that can be reached: the greatest trap among them has
/// one in every beginning.
pub(super) fn always_marked(net: &Net, mut among: Vec<bool>) -> bool {
    let is_in = |among: &[bool], place: Place| among[place as usize];
    loop {
        let mut is_trap = true;
        for transition in &net.transitions {
            let put = transition.put.tokens().iter();
            if put.clone().any(|(place, _)| is_in(&among, *place)) {
                continue;
            }
            for (place, _) in transition.take.tokens() {
                is_trap &= !is_in(&among, *place);
                among[*place as usize] = false;
            }
        }
        if is_trap {
            break;
        }
    }
    net.initial.iter().zip(&among).any(|(initial, is_in)| *is_in && initial.least > 0)
}

/// Of some markings those that may be all that there is, beside threads in places that are `allowed`.
pub(super) fn without_traps<T: Running>(
    threaded: &Threaded<'_, T>,
    markings: Vec<Marking>,
    allowed: impl Fn(&Marking) -> Vec<bool>,
) -> Vec<Marking> {
    let is_open = |marking: &Marking| {
        let others = allowed(marking).into_iter().map(|is_allowed| !is_allowed);
        !always_marked(&threaded.net, others.collect())
    };
    markings.into_iter().filter(is_open).collect()
}

/// The places that can hold tokens in a final state in which cells hold what a marking says, as far as it does.
pub(super) fn allowed_in_the_end<T: Running>(
    threaded: &Threaded<'_, T>,
    program: &Program,
    marking: &Marking,
) -> Vec<bool> {
    let mut allowed = contents_beside(threaded, marking);
    for template in program.templates().indices() {
        for (_, mark, place) in threaded.locals(template.index()) {
            allowed[place as usize] = mark.ended;
        }
    }
    allowed
}

/// The contents that cells can have: of those with a token in a marking, that one.
fn contents_beside<T: Running>(threaded: &Threaded<'_, T>, marking: &Marking) -> Vec<bool> {
    let mut allowed = vec![false; threaded.net.places.len()];
    for cell in threaded.cells() {
        let contents = threaded.contents(cell);
        let is_chosen = contents.iter().any(|(_, place)| marking.at(*place) > 0);
        for (_, place) in contents {
            allowed[place as usize] = !is_chosen || marking.at(place) > 0;
        }
    }
    allowed
}

/// A step of a thread: from where to where, what cells must hold, and whether it changes that.
struct Step {
    from: Place,
    to: Place,
    held: Vec<Place>,
    changes: bool,
}

/// Looks for deadlocks.
pub(super) struct Deadlocks<'a, T: Running> {
    threaded: &'a Threaded<'a, T>,
    steps: Vec<Step>,
    /// For each place whether it is a local state,
    is_local: Vec<bool>,
    /// one of waiting,
    waits: Vec<bool>,
    /// one that no step leaves, for good: an end or a fault,
    is_over: Vec<bool>,
    /// or one beyond which nothing is known.
    is_noted: Vec<bool>,
    /// The local states of threads of definite number, once for each thread.
    definite: Vec<Vec<Place>>,
    /// The contents of each cell,
    cells: Vec<Vec<Place>>,
    /// and of each of these whose it is.
    cell_of: Vec<usize>,
    /// The cells in the order in which their contents are chosen.
    order: Vec<usize>,
    /// What the memory lock holds if somebody has it.
    locked: Vec<Place>,
}

impl<'a, T: Running> Deadlocks<'a, T> {
    pub(super) fn of(threaded: &'a Threaded<'a, T>, program: &Program) -> Self {
        let places = threaded.net.places.len();
        let mut this = Self {
            threaded,
            steps: Vec::new(),
            is_local: vec![false; places],
            waits: vec![false; places],
            is_over: vec![false; places],
            is_noted: vec![false; places],
            definite: Vec::new(),
            cells: Vec::new(),
            cell_of: vec![usize::MAX; places],
            order: Vec::new(),
            locked: Vec::new(),
        };
        for (id, template) in program.templates().enumerate() {
            let mut all = Vec::new();
            for (_, mark, place) in threaded.locals(id.index()) {
                let at = place as usize;
                this.is_local[at] = true;
                this.waits[at] = mark.waiting;
                this.is_over[at] = mark.ended || mark.goal;
                this.is_noted[at] = mark.noted;
                all.push(place);
            }
            match template.count() {
                Count::Exactly(count) => (0..count).for_each(|_| this.definite.push(all.clone())),
                Count::Any => {}
            }
        }
        for cell in threaded.cells() {
            let contents = threaded.contents(cell);
            if cell == Cell::Lock {
                let held = contents.iter().filter(|(content, _)| content.value == 1);
                this.locked = held.map(|(_, place)| *place).collect();
            }
            for (_, place) in &contents {
                this.cell_of[*place as usize] = this.cells.len();
            }
            this.cells.push(contents.iter().map(|(_, place)| *place).collect());
        }
        let transitions = threaded.net.transitions.iter().zip(threaded.moved());
        let transitions = transitions.map(|(one, moved)| this.step(&one.take, &one.put, *moved));
        let idle = threaded.idle().filter_map(|take| {
            let mut places = take.tokens().iter().map(|(place, _)| *place);
            let local = places.find(|place| this.is_local[*place as usize])?;
            Some(this.step(take, take, (local, local)))
        });
        let steps: Vec<Step> = transitions.chain(idle).collect();
        this.steps = steps;
        // What somebody waits for is chosen first.
        let is_waited_for = |cell: usize| {
            let mut waiting = this.steps.iter().filter(|step| this.waits[step.from as usize]);
            waiting.any(|step| step.held.iter().any(|place| this.cell_of[*place as usize] == cell))
        };
        let mut order: Vec<usize> = (0..this.cells.len()).collect();
        order.sort_by_key(|cell| (!is_waited_for(*cell), this.cells[*cell].len()));
        this.order = order;
        this
    }

    /// A step of one thread. If it has to tell another one, that is always there and can be told.
    fn step(&self, take: &Marking, put: &Marking, (from, to): (Place, Place)) -> Step {
        let of = |marking: &Marking, is_local: bool| -> Vec<Place> {
            let places = marking.tokens().iter().map(|(place, _)| *place);
            places.filter(|place| self.is_local[*place as usize] == is_local).collect()
        };
        let held = of(take, false);
        let tells = of(take, true).len() > 1;
        let changes = tells || held != of(put, false);
        Step { from, to, held, changes }
    }

    /// For each local state whether a thread there gets further by itself, whatever cells hold of which
    /// nothing is chosen.
    fn gets_further(&self, chosen: &Marking) -> Vec<bool> {
        let mut further = vec![false; self.is_local.len()];
        loop {
            let mut is_new = false;
            // Of one cell of which nothing is chosen, what it may hold for a step to be possible.
            let mut met: FxHashMap<(Place, usize), FxHashSet<Place>> = FxHashMap::default();
            for step in &self.steps {
                let (from, to) = (step.from as usize, step.to as usize);
                let leaves = !self.waits[from] || !self.waits[to] || step.changes || further[to];
                if !leaves || further[from] {
                    continue;
                }
                let mut lacking = step.held.iter().filter(|place| chosen.at(**place) == 0);
                let is_possible = match (lacking.next(), lacking.next()) {
                    (None, _) => true,
                    (Some(_), Some(_)) => false,
                    (Some(place), None) => {
                        let cell = self.cell_of[*place as usize];
                        let held = met.entry((step.from, cell)).or_default();
                        held.insert(*place);
                        let pairs = self.threaded.pairs();
                        let mut can_be = self.cells[cell].iter();
                        can_be.all(|one| held.contains(one) || !pairs.are_related(step.from, *one))
                            && self.cells[cell].iter().all(|one| chosen.at(*one) == 0)
                    }
                };
                if is_possible {
                    further[from] = true;
                    is_new = true;
                }
            }
            if !is_new {
                return further;
            }
        }
    }

    /// The least markings that a deadlock may have.
    pub(super) fn markings(
        &self,
        lookout: &mut Lookout,
    ) -> Result<Result<Vec<Marking>, TooMany>, Limit> {
        let mut found = Vec::new();
        // What is chosen, the one that waits first, and how many cells are.
        let mut open: Vec<(Vec<Place>, usize)> = Vec::new();
        for place in (0u32..).take(self.is_local.len()) {
            let at = place as usize;
            let may_wait = self.waits[at] || !self.locked.is_empty();
            if self.is_local[at] && may_wait && !self.is_over[at] && !self.is_noted[at] {
                open.push((vec![place], 0));
            }
        }
        let mut cases = 0;
        while let Some((tokens, next)) = open.pop() {
            lookout.step()?;
            cases += 1;
            if cases > MOST_CASES {
                return Ok(Err(TooMany));
            }
            let chosen = Marking::of(tokens.iter().map(|place| (*place, 1)));
            if !self.may_be(&tokens, &chosen) {
                continue;
            }
            let Some(cell) = self.order.get(next) else {
                let more = self.definite_beside(&tokens);
                found.extend(more.into_iter().filter(|marking| self.is_one(marking)));
                if found.len() > MOST_CASES {
                    return Ok(Err(TooMany));
                }
                continue;
            };
            for place in &self.cells[*cell] {
                if self.fits(&tokens, *place) {
                    open.push(([&tokens[..], &[*place]].concat(), next + 1));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Ok(found))
    }

    fn fits(&self, tokens: &[Place], place: Place) -> bool {
        let pairs = self.threaded.pairs();
        pairs.is_possible(place) && tokens.iter().all(|one| pairs.are_related(*one, place))
    }

    /// Whether there may be a deadlock with these tokens: none of their threads gets further, and all others may
    /// be where they do not either.
    fn may_be(&self, tokens: &[Place], chosen: &Marking) -> bool {
        let further = self.gets_further(chosen);
        if tokens.iter().any(|place| further[*place as usize]) {
            return false;
        }
        let mut allowed = contents_beside(self.threaded, chosen);
        for (place, is_allowed) in allowed.iter_mut().enumerate() {
            if self.is_local[place] {
                *is_allowed = self.is_over[place] || !further[place] && !self.is_noted[place];
            }
        }
        let others = allowed.into_iter().map(|is_allowed| !is_allowed);
        !always_marked(&self.threaded.net, others.collect())
    }

    /// Whether somebody waits in a marking: in a loop of waiting, or for the memory lock.
    fn is_one(&self, marking: &Marking) -> bool {
        let tokens = || marking.tokens().iter().map(|(place, _)| *place);
        tokens().any(|place| self.waits[place as usize])
            || tokens().any(|place| self.locked.contains(&place))
    }

    /// The markings with these tokens and one for each thread of definite number, which do not get further.
    fn definite_beside(&self, tokens: &[Place]) -> Vec<Marking> {
        let chosen = Marking::of(tokens.iter().map(|place| (*place, 1)));
        let further = self.gets_further(&chosen);
        let first = tokens[0];
        // The one that waits may be one of them.
        let mut is_among = self.definite.iter().position(|all| all.contains(&first));
        let mut partial: Vec<Vec<Place>> = vec![tokens.to_vec()];
        for (number, all) in self.definite.iter().enumerate() {
            if is_among == Some(number) {
                is_among = None;
                continue;
            }
            let rests = |place: &Place| {
                let at = *place as usize;
                self.is_over[at] || !further[at] && !self.is_noted[at]
            };
            let mut longer = Vec::new();
            for tokens in &partial {
                let fits = all.iter().filter(|place| rests(place) && self.fits(tokens, **place));
                longer.extend(fits.map(|place| [&tokens[..], &[*place]].concat()));
            }
            partial = longer;
            if partial.len() > MOST_CASES {
                break;
            }
        }
        let marking = |tokens: Vec<Place>| Marking::of(tokens.into_iter().map(|place| (place, 1)));
        partial.into_iter().map(marking).collect()
    }
}

/// The program in which no copy is left of threads of any number that never end: in a final state there is none.
pub(super) fn of_those_that_end(program: &Program) -> Program {
    let never_ends = |id: TemplateId| {
        let template = program.template(id);
        let can_end = crate::sc::labels_that_can_end(template);
        template.count() == Count::Any && !can_end[template.initial()]
    };
    let ids = program.templates().indices().filter(|id| never_ends(*id));
    ids.fold(program.clone(), |program, id| program.with_count(id, 0))
}
