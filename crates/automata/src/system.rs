//! The composition of the automata as a transition system for the search engine.

mod asked;
mod chosen;
mod exported;

use std::collections::BTreeSet;
use std::sync::Mutex;

use explore::{Lookout, Origin, State, System, Unknown, Unlearnt};

use crate::diamonds::Diamonds;
use crate::forgetting::Forgetting;
use crate::interference::{Interference, MOST_THREADS};
use crate::layout::Layout;
use crate::numbers::{Beginnings, Entry, LIKELY, Meaning, Numbered, number_of};
use crate::persistent::{self, FutureFootprints};
use crate::symmetry::Symmetry;
use crate::table::{Found, ThreadTable};
use crate::{Mark, Reductions};
use asked::Asked;
use chosen::Disturbances;

/// Steps with a single continuation that are taken without storing what lies between.
const LONGEST_RUN: usize = 64;

/// One thread's part in getting from one stored state to the next: the thread, its local state, the
/// number of its step and of the step's outcome.
pub(crate) type Taken = (usize, u32, usize, usize);

/// Who is told of the steps taken, each with the state before it; nobody during the search.
pub(crate) trait Trail<const W: usize> {
    fn take(&mut self, before: &State<W>, taken: Taken);
}

/// Nobody.
pub(crate) struct NoTrail;

impl<const W: usize> Trail<W> for NoTrail {
    fn take(&mut self, _: &State<W>, _: Taken) {}
}

impl<const W: usize> Trail<W> for Vec<(State<W>, Taken)> {
    fn take(&mut self, before: &State<W>, taken: Taken) {
        self.push((*before, taken));
    }
}

/// What is looked for beside marked local states and the condition.
#[derive(Clone, Copy)]
pub(crate) struct LooksFor {
    pub(crate) stuck: bool,
    pub(crate) ends: bool,
}

/// What a local state has to do with ends, as bits.
#[derive(Clone, Copy)]
struct Future(u8);

impl Future {
    const ENDED: u8 = 1;
    const MAY_END: u8 = 2;
    const MAY_REACH_GOAL: u8 = 4;

    fn of(mark: Mark) -> Self {
        let bit = |is_so: bool, bit: u8| if is_so { bit } else { 0 };
        Self(
            bit(mark.ended, Self::ENDED)
                | bit(mark.may_end, Self::MAY_END)
                | bit(mark.may_reach_goal, Self::MAY_REACH_GOAL),
        )
    }

    #[inline]
    const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// The automata packed into states of `W` words.
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct Packed<'m, const W: usize> {
    meaning: &'m mut dyn Meaning,
    reductions: Reductions,
    class_of: Vec<usize>,
    layout: Layout,
    tables: Vec<ThreadTable<W>>,
    diamonds: Diamonds<W>,
    interference: Interference,
    prospects: FutureFootprints,
    /// For each class, by local state: whether it is a goal, and whether it can be stuck.
    goals: Vec<Vec<bool>>,
    can_be_stuck: Vec<Vec<bool>>,
    has_goals: bool,
    has_condition: bool,
    /// For each class, by local state: whether it is to be noted.
    to_be_noted: Vec<Vec<bool>>,
    has_noted: bool,
    /// For each class, by local state: whether nothing that follows is explored.
    is_void: Vec<Vec<bool>>,
    has_void: bool,
    /// Whether any state can be looked for, or have something to be noted.
    looks_at_states: bool,
    noted: Mutex<BTreeSet<(usize, u32)>>,
    looks_for_stuck: bool,
    /// If ends are looked for, or the condition is of them: for each class, by local state, what it has
    /// to do with them.
    ends: Option<Vec<Vec<Future>>>,
    looks_for_ends: bool,
    symmetry: Symmetry<W>,
    forgetting: Forgetting<W>,
    asked: Mutex<Asked>,
}

impl<'m, const W: usize> Packed<'m, W> {
    /// Packs the automata; the layout must have `W` words at most.
    pub(crate) fn new(meaning: &'m mut dyn Meaning, layout: Layout, looks_for: LooksFor) -> Self {
        let automata = meaning.numbers();
        let (reductions, class_of) = (automata.reductions, automata.class_of.clone());
        let classes = automata.classes.len();
        let tables = layout.threads.iter().map(|field| ThreadTable::new(*field)).collect();
        let symmetry = Symmetry::of(meaning, &layout);
        let interference = Interference::new(&class_of, classes);
        let by_local = || (0..classes).map(|_| Vec::with_capacity(LIKELY)).collect();
        let by_local_prospects = || (0..classes).map(|_| Vec::with_capacity(LIKELY)).collect();
        let has_condition = meaning.has_condition();
        let asks_for_ends = looks_for.ends || meaning.condition_is_of_ends();
        let mut packed = Self {
            meaning,
            reductions,
            class_of,
            layout,
            tables,
            diamonds: Diamonds::unasked(),
            interference,
            prospects: FutureFootprints::default(),
            goals: by_local(),
            can_be_stuck: by_local(),
            has_goals: false,
            has_condition,
            to_be_noted: by_local(),
            has_noted: false,
            is_void: by_local(),
            has_void: false,
            looks_at_states: false,
            noted: Mutex::new(BTreeSet::new()),
            looks_for_stuck: looks_for.stuck,
            ends: asks_for_ends.then(by_local_prospects),
            looks_for_ends: looks_for.ends,
            symmetry,
            forgetting: Forgetting::default(),
            asked: Mutex::new(Asked::default()),
        };
        if packed.is_plain() {
            packed.diamonds = Diamonds::new();
        }
        packed.extend();
        let known: Vec<Entry> = packed.meaning.numbers().entries().collect();
        packed.fill(&known);
        packed
    }

    fn extend(&mut self) {
        let meaning = &*self.meaning;
        let automata = meaning.numbers();
        for (thread, table) in self.tables.iter_mut().enumerate() {
            table.extend(automata, &self.layout, thread, &mut self.diamonds);
        }
        for (class, nodes) in automata.classes.iter().enumerate() {
            let known = self.interference.known(class);
            for print in persistent::footprints(meaning, class, known, &mut self.prospects) {
                self.interference.add(class, &print);
            }
            let known = self.goals[class].len();
            for node in &nodes[known..] {
                self.goals[class].push(node.mark.goal);
                self.has_goals |= node.mark.goal;
                self.to_be_noted[class].push(node.mark.noted);
                self.has_noted |= node.mark.noted;
                self.is_void[class].push(node.mark.void);
                self.has_void |= node.mark.void;
                self.can_be_stuck[class].push(node.can_be_stuck);
                if let Some(ends) = &mut self.ends {
                    ends[class].push(Future::of(node.mark));
                }
            }
        }
        self.looks_at_states = self.has_goals
            || self.has_noted
            || self.looks_for_stuck
            || self.has_condition
            || self.looks_for_ends;
        self.forgetting.extend(automata, &self.layout);
        // What a thread may touch is not known to get less as long as the automata grow.
        let begins = automata.is_complete.then(|| {
            let begins = |begins: &Beginnings| {
                begins.rests.iter().map(|(local, _)| *local as usize).collect()
            };
            automata.initial.iter().map(begins).collect::<Vec<Vec<usize>>>()
        });
        self.interference.settle(begins.as_deref());
    }

    fn fill<'e>(&mut self, entries: impl IntoIterator<Item = &'e Entry>) {
        let automata = self.meaning.numbers();
        for entry in entries {
            for (thread, table) in self.tables.iter_mut().enumerate() {
                if automata.class_of[thread] == entry.class {
                    let place = (entry.local, entry.step);
                    table.fill(automata, &self.layout, thread, place, &entry.contents);
                }
            }
        }
    }

    /// How many threads there are.
    pub(crate) const fn threads(&self) -> usize {
        self.class_of.len()
    }

    /// The local states that were reached and are to be noted, with their classes.
    pub(crate) fn noted(&mut self) -> BTreeSet<(usize, u32)> {
        std::mem::take(self.noted.get_mut().expect("no thread fails"))
    }

    /// The numbers in a state.
    pub(crate) fn numbered(&self, state: &State<W>) -> Numbered {
        let number = |field: &crate::layout::Field| {
            u32::try_from(field.get(state)).expect("a number of a local state or a content")
        };
        Numbered {
            locals: self.layout.threads.iter().map(number).collect(),
            contents: self.layout.cells.iter().map(number).collect(),
        }
    }

    /// For each thread the number of its beginning in the initial state with this number: the last
    /// thread's change first.
    pub(crate) fn beginnings(&self, mut number: usize) -> Option<Vec<usize>> {
        let threads = self.meaning.numbers().initial.iter().rev();
        let mut chosen: Vec<usize> = threads
            .map(|Beginnings { rests, .. }| {
                let chosen = number % rests.len();
                number /= rests.len();
                chosen
            })
            .collect();
        chosen.reverse();
        (number == 0).then_some(chosen)
    }

    /// The initial state with this number, before threads are exchanged.
    pub(crate) fn beginning(&self, number: usize) -> Option<State<W>> {
        let chosen = self.beginnings(number)?;
        let mut state = [0; W];
        let threads = self.layout.threads.iter().zip(&self.meaning.numbers().initial);
        for ((field, begins), chosen) in threads.zip(chosen) {
            field.put(&mut state, begins.rests[chosen].0);
        }
        Some(state)
    }

    /// The state that stands for this one and all that are symmetric to it; the exchanges of
    /// threads that lead there are put into `exchanges`.
    pub(crate) fn representative(&self, state: State<W>, exchanges: &mut Vec<usize>) -> State<W> {
        let state = self.forgetting.without_what_is_dead(state);
        self.symmetry.representative(state, |exchange| exchanges.push(exchange))
    }

    /// The two threads of an exchange.
    pub(crate) fn exchanged(&self, exchange: usize) -> (usize, usize) {
        self.symmetry.exchanged(exchange)
    }

    /// What a thread did in a state, as an entry and the number of its outcome.
    pub(crate) fn entry(&self, before: &State<W>, taken: Taken) -> (Entry, usize) {
        let (thread, local, step, outcome) = taken;
        let table = &self.tables[thread];
        let operation = table.operations(local as usize).start + step;
        let contents = table.contents(operation, before);
        (Entry { class: self.class_of[thread], local, step, contents }, outcome)
    }

    /// Whether all successors are wanted as they are.
    #[inline]
    fn is_plain(&self) -> bool {
        let Reductions { exclusive, persistent, .. } = self.reductions;
        self.symmetry.is_none() && self.forgetting.is_none() && !(exclusive || persistent)
    }

    /// Calls `visit` with each successor, and with what [`crate::diamonds`] says of it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a search without reductions is little else")]
    fn plain_successors(
        &self,
        state: &State<W>,
        origin: Origin,
        mut visit: impl FnMut(State<W>, Origin, bool),
    ) -> Result<(), Unknown> {
        let left_out = self.diamonds.left_out(origin);
        for (thread, table) in self.tables.iter().enumerate() {
            if table.plain_successors(state, left_out, &mut visit) {
                for next in self.other_successors(state, thread)? {
                    visit(next, Origin::default(), true);
                }
            }
        }
        Ok(())
    }

    /// The successors by one thread that are not plain to see.
    #[cold]
    fn other_successors(&self, state: &State<W>, thread: usize) -> Result<Vec<State<W>>, Unknown> {
        let mut others = Vec::new();
        let which = |operation| !self.tables[thread].is_plain(operation, state);
        self.moves_by(state, thread, which, |_, next, _| others.push(next))?;
        Ok(others)
    }

    /// Calls `visit` with the successors that the reductions leave.
    #[inline(never)]
    fn reduced_successors(
        &self,
        state: &State<W>,
        mut visit: impl FnMut(State<W>),
    ) -> Result<(), Unknown> {
        let forgetting = &self.forgetting;
        if self.symmetry.is_none() {
            self.expand(state, || NoTrail, |next, _| visit(forgetting.without_what_is_dead(next)))
        } else {
            self.expand(
                state,
                || NoTrail,
                |next, _| {
                    let next = forgetting.without_what_is_dead(next);
                    visit(self.symmetry.representative(next, |_| ()));
                },
            )
        }
    }

    /// Calls `visit` with each successor by one thread, and the flags of the step.
    #[inline]
    fn moves_of(
        &self,
        state: &State<W>,
        thread: usize,
        visit: impl FnMut(u8, State<W>, Taken),
    ) -> Result<(), Unknown> {
        self.moves_by(state, thread, |_| true, visit)
    }

    /// The same, by some operations only.
    #[inline]
    fn moves_by(
        &self,
        state: &State<W>,
        thread: usize,
        which: impl Fn(usize) -> bool,
        mut visit: impl FnMut(u8, State<W>, Taken),
    ) -> Result<(), Unknown> {
        let table = &self.tables[thread];
        let local = table.local(state);
        let operations = table.operations(local);
        let first = operations.start;
        for operation in operations.filter(|operation| which(*operation)) {
            let keep = table.keep(operation);
            let apply = |put: &State<W>| std::array::from_fn(|at| state[at] & keep[at] | put[at]);
            let taken = |outcome| (thread, number_of(local), operation - first, outcome);
            match table.find(operation, state) {
                Found::Blocked => {}
                Found::One(flags, put) => visit(flags, apply(put), taken(0)),
                Found::Many(outcomes) => {
                    for (number, (flags, put)) in outcomes.iter().enumerate() {
                        visit(*flags, apply(put), taken(number));
                    }
                }
                Found::Unknown => {
                    let contents = table.contents(operation, state);
                    let class = self.class_of[thread];
                    let (local, step) = (number_of(local), operation - first);
                    let entry = Entry { class, local, step, contents };
                    self.asked.lock().expect("no thread fails").add(entry);
                    return Err(Unknown);
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with each successor that the reductions leave, before threads are exchanged,
    /// and with a trail of the steps that lead there.
    pub(crate) fn expand<L: Trail<W>>(
        &self,
        state: &State<W>,
        new_trail: impl Fn() -> L,
        mut visit: impl FnMut(State<W>, L),
    ) -> Result<(), Unknown> {
        let Reductions { exclusive, persistent, .. } = self.reductions;
        let threads = self.tables.len();
        if !(exclusive || persistent) || threads > MOST_THREADS {
            for thread in 0..threads {
                self.moves_of(state, thread, |_, next, taken| {
                    let mut trail = new_trail();
                    trail.take(state, taken);
                    visit(next, trail);
                })?;
            }
            return Ok(());
        }
        let disturbances = self.look_at(state);
        let set = self.chosen(state, &disturbances)?;
        let mut found = Ok(());
        for thread in (0..threads).filter(|thread| set >> thread & 1 == 1) {
            self.moves_of(state, thread, |_, next, taken| {
                let mut trail = new_trail();
                trail.take(state, taken);
                match self.run_on(next, thread, disturbances, &mut trail) {
                    Ok(next) => visit(next, trail),
                    Err(unknown) => found = Err(unknown),
                }
            })?;
        }
        found
    }

    /// Goes on as long as there is a persistent set that is found quickly and has a single step. A
    /// thread has just moved, and the others stand where they stood.
    fn run_on(
        &self,
        mut state: State<W>,
        mut moved: usize,
        mut disturbances: Disturbances,
        trail: &mut impl Trail<W>,
    ) -> Result<State<W>, Unknown> {
        for _ in 0..LONGEST_RUN {
            if self.is_goal(&state) || self.is_void(&state) {
                break;
            }
            self.moved(&state, moved, &mut disturbances);
            let Some((next, taken)) = self.only_step(&state, &disturbances)? else { break };
            trail.take(&state, taken);
            state = next;
            moved = taken.0;
        }
        Ok(state)
    }
}

impl<const W: usize> System<W> for Packed<'_, W> {
    fn initial(&self, number: usize) -> Option<State<W>> {
        let state = self.forgetting.without_what_is_dead(self.beginning(number)?);
        Some(self.symmetry.representative(state, |_| ()))
    }

    fn successors(&self, state: &State<W>, mut visit: impl FnMut(State<W>)) -> Result<(), Unknown> {
        if self.is_hopeless(state) {
            Ok(())
        } else if self.is_plain() {
            self.plain_successors(state, Origin::default(), |next, _, _| visit(next))
        } else {
            self.reduced_successors(state, visit)
        }
    }

    #[inline]
    fn successors_from(
        &self,
        state: &State<W>,
        origin: Origin,
        mut visit: impl FnMut(State<W>, Origin, bool),
    ) -> Result<(), Unknown> {
        if self.is_hopeless(state) {
            Ok(())
        } else if self.is_plain() {
            self.plain_successors(state, origin, visit)
        } else {
            self.reduced_successors(state, |next| visit(next, Origin::default(), true))
        }
    }

    fn widths(&self) -> [u32; W] {
        self.layout.widths()
    }

    #[inline]
    fn is_goal(&self, state: &State<W>) -> bool {
        self.looks_at_states && self.is_looked_for(state)
    }

    fn learn(&mut self, lookout: &mut Lookout) -> Result<(), Unlearnt> {
        let asked = self.asked.get_mut().expect("no thread fails").take();
        for entry in &asked {
            self.meaning.learn(entry, lookout).map_err(Unlearnt::Stopped)?;
        }
        // If they were complete, a confined cell got another content.
        let automata = self.meaning.numbers();
        if automata.is_complete || !self.layout.fits(automata) {
            return Err(Unlearnt::Outgrown);
        }
        self.extend();
        self.fill(&asked);
        self.asked.get_mut().expect("no thread fails").reuse(asked);
        Ok(())
    }
}

impl<const W: usize> Packed<'_, W> {
    /// Whether a state is looked for; and what is to be noted is.
    #[inline(never)]
    fn is_looked_for(&self, state: &State<W>) -> bool {
        let with_local = |what: &[Vec<bool>], thread: usize| {
            what[self.class_of[thread]][self.tables[thread].local(state)]
        };
        if self.has_noted {
            for thread in 0..self.tables.len() {
                if with_local(&self.to_be_noted, thread) {
                    let local = number_of(self.tables[thread].local(state));
                    let noted = (self.class_of[thread], local);
                    self.noted.lock().expect("no thread fails").insert(noted);
                }
            }
        }
        let mut threads = 0..self.tables.len();
        if self.has_goals && threads.any(|thread| with_local(&self.goals, thread)) {
            return true;
        }
        let mut threads = 0..self.tables.len();
        if self.looks_for_stuck
            && threads.all(|thread| with_local(&self.can_be_stuck, thread))
            && self.meaning.is_stuck(&self.numbered(state))
        {
            return true;
        }
        if !(self.has_condition || self.looks_for_ends) {
            return false;
        }
        if let Some(ends) = &self.ends
            && !self.futures_of(ends, state).all(|future| future.has(Future::ENDED))
        {
            return false;
        }
        !self.has_condition || self.meaning.condition(&self.numbered(state))
    }

    fn futures_of(&self, ends: &[Vec<Future>], state: &State<W>) -> impl Iterator<Item = Future> {
        (0..self.tables.len())
            .map(move |thread| ends[self.class_of[thread]][self.tables[thread].local(state)])
    }

    /// Whether nothing is explored from a state because of where a thread is.
    #[inline]
    fn is_void(&self, state: &State<W>) -> bool {
        self.has_void
            && (0..self.tables.len())
                .any(|thread| self.is_void[self.class_of[thread]][self.tables[thread].local(state)])
    }

    /// Whether nothing that is looked for can follow: a thread never ends, and none gets to a goal; or nothing that
    /// is of use.
    #[inline]
    fn is_hopeless(&self, state: &State<W>) -> bool {
        if self.is_void(state) {
            return true;
        }
        let Some(ends) = self.ends.as_ref().filter(|_| self.looks_for_ends) else { return false };
        !self.futures_of(ends, state).all(|future| future.has(Future::MAY_END))
            && !self.futures_of(ends, state).any(|one| one.has(Future::MAY_REACH_GOAL))
    }
}
