//! The automata: local states and contents by number, and what each step does.
//!
//! [`Automata::complete`] asks for everything beforehand: each local state with each combination
//! of contents that its cells can hold according to any thread. That is an upper bound of what can
//! happen (the threads are composed as if contents were independent of each other), and it need
//! not end: a counter of who is inside goes up and down without end if nobody knows that one goes
//! in and out in turns. Such a cell is *confined* to the contents that a first look at the states
//! has shown. What would write another stays unknown, as if it led to a local state of its own that
//! is marked: the reductions, which keep marked local states, do not hide it. So a search that
//! never meets it has explored all there is; one that does begins again, and knows more.
//!
//! If that does not help either, the automata grow as the search asks ([`Meaning::learn`]).

use std::cmp::Ordering;
use std::ops::Range;

use rustc_hash::{FxBuildHasher, FxHashMap};

use explore::{Limit, Lookout};

use crate::eager::{Patience, Rest, Rests, run_on, told};
use crate::numbers::{
    Beginnings, Cell, Entry, LIKELY, Meaning, Node, Numbered, Numbers, Transition, number_of,
};
use crate::outcomes::{Contents, Outcome, Outcomes};
use crate::run::Snapshot;
use crate::{Effect, Mode, PerCell, Reductions, Step, Threads, stuck};

type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;
pub(crate) type IndexSet<K> = indexmap::IndexSet<K, FxBuildHasher>;

/// What the numbers of a class mean.
struct Class<T: Threads> {
    locals: IndexSet<T::Local>,
    /// The steps of each local state.
    steps: Vec<Vec<Step<T::Cell, T::Name>>>,
}

/// All automata, and what their numbers mean.
pub(crate) struct Automata<'t, T: Threads> {
    threads: &'t T,
    pub(crate) numbers: Numbers,
    classes: Vec<Class<T>>,
    cells: IndexMap<T::Cell, IndexSet<T::Content>>,
    /// How many local steps are taken in one go.
    patience: Patience,
}

/// The contents that some cells are confined to.
type Confined<T> = FxHashMap<<T as Threads>::Cell, IndexSet<<T as Threads>::Content>>;

/// Cells that are confined, one after the other.
const MOST_CONFINED: usize = 8;

/// Why automata could not be completed.
enum TooMuch<Cell> {
    Entries,
    /// This cell got many more contents than a first look has shown.
    Contents(Cell),
    Limit(Limit),
}

impl<'t, T: Threads> Automata<'t, T> {
    /// The automata with everything in them that can happen, if that takes no more than `precompile_budget`
    /// entries, those of failed attempts included. Cells that get many more contents than a first
    /// look at the states has shown are confined to those.
    pub(crate) fn complete(
        threads: &'t T,
        reductions: Reductions,
        mut precompile_budget: usize,
        probed: &Self,
        lookout: &mut Lookout,
    ) -> Result<Option<Self>, Limit> {
        let mut confined = Confined::<T>::default();
        while confined.len() <= MOST_CONFINED {
            let mut automata = Self::initial(threads, reductions, lookout)?;
            match automata.ask_for_all(&mut precompile_budget, probed, &confined, lookout) {
                Ok(()) => {
                    automata.numbers.is_complete = true;
                    return Ok(Some(automata));
                }
                Err(TooMuch::Contents(cell)) => match probed.cells.get(&cell) {
                    Some(contents) => confined.insert(cell, contents.clone()),
                    None => return Ok(None),
                },
                Err(TooMuch::Entries) => return Ok(None),
                Err(TooMuch::Limit(limit)) => return Err(limit),
            };
        }
        Ok(None)
    }

    /// The automata with nothing in them but where the threads begin, which grow with the search.
    pub(crate) fn growing(
        threads: &'t T,
        reductions: Reductions,
        lookout: &mut Lookout,
    ) -> Result<Self, Limit> {
        let mut automata = Self::initial(threads, reductions, lookout)?;
        automata.foresee_cells();
        Ok(automata)
    }

    /// Gives numbers to the cells that can be foreseen, so that the layout has room for them.
    fn foresee_cells(&mut self) {
        let threads = self.threads;
        for (thread, class) in self.numbers.class_of.clone().into_iter().enumerate() {
            let mut touch = |cell, _| {
                self.cell_number(cell);
            };
            // What cannot be foreseen gets a number when it is met.
            let _ = threads.may_touch(class, &threads.initial(thread), &mut touch);
        }
    }

    fn initial(
        threads: &'t T,
        reductions: Reductions,
        lookout: &mut Lookout,
    ) -> Result<Self, Limit> {
        let class_of = threads.classes();
        let count = class_of.iter().max().map_or(0, |class| class + 1);
        let class = |_| Class {
            locals: IndexSet::with_capacity_and_hasher(LIKELY, FxBuildHasher),
            steps: Vec::with_capacity(LIKELY),
        };
        let numbers = Numbers {
            reductions,
            class_of,
            classes: (0..count).map(|_| Vec::with_capacity(LIKELY)).collect(),
            cells: Vec::new(),
            initial: Vec::new(),
            is_complete: false,
        };
        let mut automata = Self {
            threads,
            numbers,
            classes: (0..count).map(class).collect(),
            cells: IndexMap::default(),
            patience: Patience::new(),
        };
        for thread in 0..automata.numbers.class_of.len() {
            let class = automata.numbers.class_of[thread];
            let local = threads.initial(thread);
            let patience = automata.patience;
            let rests = automata.rests(class, Rest::at(local), lookout)?;
            let rests = rests.into_iter().map(|rest| {
                let number = automata.local(class, rest.local);
                (number, rest.names.fingerprint)
            });
            let rests = rests.collect();
            automata.numbers.initial.push(Beginnings { rests, patience });
        }
        Ok(automata)
    }

    fn rests(
        &mut self,
        class: usize,
        from: Rest<T>,
        lookout: &mut Lookout,
    ) -> Result<Rests<T>, Limit> {
        if !self.numbers.reductions.local {
            return Ok(Rests::only(from));
        }
        let Class { locals, steps } = &self.classes[class];
        let touches = |local: &T::Local| {
            let mut steps = locals.get_index_of(local).into_iter().flat_map(|at| &steps[at]);
            steps.any(|step| !step.cells.is_empty())
        };
        run_on(self.threads, class, from, touches, (&mut self.patience, lookout))
    }

    /// The number of a local state; its steps are known from then on.
    fn local(&mut self, class: usize, local: T::Local) -> u32 {
        let (number, is_new) = self.classes[class].locals.insert_full(local);
        if is_new {
            let local = &self.classes[class].locals[number];
            let mark = self.threads.mark(class, local);
            let steps = if mark.goal { Vec::new() } else { self.threads.steps(class, local) };
            let can_be_stuck = mark.waiting
                || steps.iter().all(|step| match step.cells.as_slice() {
                    [] => matches!(self.threads.effect(class, local, step, &[]), Effect::Blocked),
                    _ => step.may_block,
                });
            // A thread that is blocked moves only after another has changed one of its cells.
            let is_private = |step: &Step<T::Cell, T::Name>| {
                !step.may_block && self.threads.is_private(class, local, step)
            };
            let private: Vec<bool> = steps.iter().map(is_private).collect();
            let transitions = steps
                .iter()
                .zip(private)
                .map(|(step, is_private)| self.transition(step, is_private));
            let transitions = transitions.collect();
            self.classes[class].steps.push(steps);
            let knows = self.threads.knows(class, &self.classes[class].locals[number]);
            self.numbers.classes[class].push(Node { mark, can_be_stuck, knows, transitions });
        }
        number_of(number)
    }

    fn transition(&mut self, step: &Step<T::Cell, T::Name>, is_private: bool) -> Transition {
        let cells = step.cells.iter().map(|(cell, mode)| (self.cell_number(*cell), *mode));
        let cells = cells.collect();
        Transition { cells, is_private, outcomes: Outcomes::default() }
    }

    fn cell_number(&mut self, cell: T::Cell) -> u32 {
        let known = self.cells.entry(cell);
        let number = known.index();
        let contents = known.or_default();
        if number == self.numbers.cells.len() {
            let (object, forgotten) = self.threads.forgettable(cell).unzip();
            contents.insert(self.threads.initial_content(cell));
            contents.extend(forgotten);
            let leads_to = contents.iter().map(|content| self.threads.leads_to(content)).collect();
            let is_visible = self.threads.is_visible(cell);
            self.numbers.cells.push(Cell {
                contents: contents.len(),
                is_visible,
                object,
                leads_to,
            });
        }
        number_of(number)
    }

    /// The number of a content of a cell.
    fn content_number(&mut self, cell: u32, content: T::Content) -> u32 {
        let contents = &mut self.cells[cell as usize];
        let (number, is_new) = contents.insert_full(content);
        let known = &mut self.numbers.cells[cell as usize];
        if is_new {
            known.contents = contents.len();
            known.leads_to.push(self.threads.leads_to(&contents[number]));
        }
        number_of(number)
    }

    /// Asks what one step does with one combination of contents, unless that is known; what writes
    /// something else into a confined cell stays unknown.
    fn entry_within(
        &mut self,
        entry: &Entry,
        confined: &Confined<T>,
        lookout: &mut Lookout,
    ) -> Result<(), Limit> {
        lookout.step()?;
        let Entry { class, local, step, contents } = entry;
        let transition = self.numbers.transition(*class, *local, *step);
        if transition.outcomes.get(contents).is_some() {
            return Ok(());
        }
        let cells: PerCell<u32> = transition.cells.iter().map(|(cell, _)| *cell).collect();
        match self.effect((*class, *local, *step), contents) {
            Effect::Blocked => {}
            Effect::Done(next, after) => {
                let is_confined = |(cell, content): (&u32, &T::Content)| {
                    let (name, _) = self.cells.get_index(*cell as usize).expect("a cell");
                    confined.get(name).is_none_or(|contents| contents.contains(content))
                };
                if !cells.iter().zip(&after).all(is_confined) {
                    return Ok(());
                }
                let closes_loop = self.step(*class, (*local, *step)).closes_loop;
                let patience = self.patience;
                let from = Rest { closes_loop, ..Rest::at(next) };
                let rests = self.rests(*class, from, lookout)?;
                let after: Contents = cells
                    .iter()
                    .zip(after)
                    .map(|(cell, content)| self.content_number(*cell, content))
                    .collect();
                for Rest { local, names, closes_loop } in rests {
                    let local = self.local(*class, local);
                    let (contents, names) = (after.clone(), names.fingerprint);
                    let outcome = Outcome { local, contents, names, patience, closes_loop };
                    self.outcomes_mut(entry).add(outcome);
                }
            }
        }
        self.outcomes_mut(entry).put(contents.clone());
        Ok(())
    }

    /// The names of the steps of an outcome, that with this number.
    pub(crate) fn told(&self, entry: &Entry, number: usize) -> Vec<T::Name> {
        let Entry { class, local, step, contents } = entry;
        let transition = self.numbers.transition(*class, *local, *step);
        let outcomes = transition.outcomes.get(contents).expect("it was asked for");
        let mut names = vec![self.step(*class, (*local, *step)).name.clone()];
        if self.numbers.reductions.local
            && let Effect::Done(next, _) = self.effect((*class, *local, *step), contents)
        {
            let patience = outcomes[number].patience;
            names.extend(told(self.threads, *class, next, patience, number));
        }
        names
    }

    /// The names of the local steps with which a thread begins.
    pub(crate) fn told_of_beginning(&self, thread: usize, number: usize) -> Vec<T::Name> {
        if !self.numbers.reductions.local {
            return Vec::new();
        }
        let patience = self.numbers.initial[thread].patience;
        let from = self.threads.initial(thread);
        told(self.threads, self.numbers.class_of[thread], from, patience, number)
    }

    /// What one step does with one combination of contents, before the thread runs on.
    fn effect(
        &self,
        (class, local, step): (usize, u32, usize),
        contents: &Contents,
    ) -> Effect<T::Local, T::Content> {
        let transition = self.numbers.transition(class, local, step);
        let mut given = contents.iter();
        // What is overwritten does not matter: its first content stands for all.
        let held = transition.cells.iter().map(|(cell, mode)| {
            let content = if mode.reads() { *given.next().expect("one for each") } else { 0 };
            &self.cells[*cell as usize][content as usize]
        });
        let held: PerCell<&T::Content> = held.collect();
        let here = &self.classes[class].locals[local as usize];
        self.threads.effect(class, here, self.step(class, (local, step)), &held)
    }

    fn outcomes_mut(&mut self, entry: &Entry) -> &mut Outcomes {
        let node = &mut self.numbers.classes[entry.class][entry.local as usize];
        &mut node.transitions[entry.step].outcomes
    }

    fn step(&self, class: usize, (local, step): (u32, usize)) -> &Step<T::Cell, T::Name> {
        &self.classes[class].steps[local as usize][step]
    }

    /// Asks for everything that can happen, as long as that takes no more than `precompile_budget` entries, of
    /// which it leaves the rest.
    fn ask_for_all(
        &mut self,
        precompile_budget: &mut usize,
        probed: &Self,
        confined: &Confined<T>,
        lookout: &mut Lookout,
    ) -> Result<(), TooMuch<T::Cell>> {
        let mut work = Work::default();
        for class in 0..self.classes.len() {
            self.add_work(class, 0, &mut work);
        }
        while let Some((class, local, step)) = work.open.pop() {
            let missing = self.missing((class, local, step), &mut work);
            *precompile_budget =
                precompile_budget.checked_sub(missing.len()).ok_or(TooMuch::Entries)?;
            for contents in missing {
                let locals = self.numbers.classes[class].len();
                let transition = &self.numbers.classes[class][local].transitions[step];
                let cells: PerCell<usize> =
                    transition.cells.iter().map(|(cell, _)| *cell as usize).collect();
                let sizes: PerCell<usize> =
                    cells.iter().map(|cell| self.cells[*cell].len()).collect();
                let entry = Entry { class, local: number_of(local), step, contents };
                self.entry_within(&entry, confined, lookout).map_err(TooMuch::Limit)?;
                for (cell, size) in cells.into_iter().zip(sizes) {
                    if self.cells[cell].len() > size {
                        let (name, contents) = self.cells.get_index(cell).expect("a cell");
                        let seen = probed.cells.get(name).map_or(1, IndexSet::len);
                        if contents.len() > 4 * seen + 12 {
                            return Err(TooMuch::Contents(*name));
                        }
                        // Whoever reads the cell can meet something new.
                        work.open.extend(work.readers.get(cell).into_iter().flatten());
                    }
                }
                self.add_work(class, locals, &mut work);
            }
        }
        Ok(())
    }

    /// The steps of the local states of a class from this one on are still to be asked for.
    fn add_work(&self, class: usize, from: usize, work: &mut Work) {
        work.readers.resize(self.cells.len(), Vec::new());
        for (local, node) in self.numbers.classes[class].iter().enumerate().skip(from) {
            for (step, transition) in node.transitions.iter().enumerate() {
                work.open.push((class, local, step));
                for cell in transition.inputs() {
                    work.readers[cell as usize].push((class, local, step));
                }
            }
        }
    }

    /// The combinations of contents for which a step was not asked yet: those that have a content
    /// which was not there the last time.
    fn missing(&self, place: Place, work: &mut Work) -> Vec<Contents> {
        let (class, local, step) = place;
        let transition = &self.numbers.classes[class][local].transitions[step];
        let sizes: Vec<usize> =
            transition.inputs().map(|cell| self.cells[cell as usize].len()).collect();
        let Some(covered) = work.covered.insert(place, sizes.clone()) else {
            return combinations(&sizes.iter().map(|size| 0..*size).collect::<Vec<_>>());
        };
        let mut missing = Vec::new();
        for new in 0..sizes.len() {
            let ranges: Vec<Range<usize>> = (0..sizes.len())
                .map(|input| match input.cmp(&new) {
                    Ordering::Less => 0..covered[input],
                    Ordering::Equal => covered[input]..sizes[input],
                    Ordering::Greater => 0..sizes[input],
                })
                .collect();
            missing.extend(combinations(&ranges));
        }
        missing
    }

    /// The number of a cell, if any step touches it.
    fn cell(&self, cell: T::Cell) -> Option<u32> {
        self.cells.get_index_of(&cell).map(number_of)
    }

    /// A local state of a class.
    pub(crate) fn local_of(&self, class: usize, local: u32) -> &T::Local {
        &self.classes[class].locals[local as usize]
    }

    /// A state as its threads see it.
    pub(crate) const fn view<'a>(&'a self, state: &'a Numbered) -> View<'a, T> {
        View { automata: self, state }
    }
}

impl<T: Threads> Meaning for Automata<'_, T> {
    fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    fn learn(&mut self, entry: &Entry, lookout: &mut Lookout) -> Result<(), Limit> {
        self.entry_within(entry, &Confined::<T>::default(), lookout)
    }

    fn footprint_key(&self, class: usize, local: u32) -> Option<usize> {
        self.threads.footprint_key(class, self.local_of(class, local))
    }

    fn may_touch(
        &self,
        class: usize,
        local: u32,
        touch: &mut dyn FnMut(Option<u32>, Mode),
    ) -> bool {
        let mut touch = |cell, mode| touch(self.cell(cell), mode);
        self.threads.may_touch(class, self.local_of(class, local), &mut touch)
    }

    fn have_same_name(&self, class: usize, first: (u32, usize), second: (u32, usize)) -> bool {
        self.step(class, first).name == self.step(class, second).name
    }

    fn has_condition(&self) -> bool {
        self.threads.has_condition()
    }

    fn condition_is_symmetric(&self) -> bool {
        self.threads.condition_is_symmetric()
    }

    fn condition_is_of_ends(&self) -> bool {
        self.threads.condition_is_of_ends()
    }

    fn condition(&self, state: &Numbered) -> bool {
        self.threads.condition(&self.view(state))
    }

    fn is_stuck(&self, state: &Numbered) -> bool {
        stuck::is_stuck(&self.view(state))
    }
}

/// A class, a local state and a step.
type Place = (usize, usize, usize);

/// What is still to be asked for when the automata are completed.
#[derive(Default)]
struct Work {
    open: Vec<Place>,
    /// For each cell, who reads it.
    readers: Vec<Vec<Place>>,
    /// For each step, how many contents its cells had when it was asked for last.
    covered: FxHashMap<Place, Vec<usize>>,
}

fn combinations(ranges: &[Range<usize>]) -> Vec<Contents> {
    let mut all = vec![Contents::new()];
    for range in ranges {
        let longer = |part: &Contents| {
            let with = |content| part.iter().copied().chain([number_of(content)]).collect();
            range.clone().map(with).collect::<Vec<Contents>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// A state of the whole system, as its threads see it.
pub struct View<'a, T: Threads> {
    automata: &'a Automata<'a, T>,
    state: &'a Numbered,
}

impl<T: Threads> View<'_, T> {
    /// The state by itself.
    pub(crate) fn snapshot(&self) -> Snapshot<T> {
        Snapshot {
            locals: (0..self.threads()).map(|thread| self.local(thread).clone()).collect(),
            cells: self.cells().map(|(cell, content)| (cell, content.clone())).collect(),
        }
    }

    /// How many threads there are.
    pub(crate) fn threads(&self) -> usize {
        self.state.locals.len()
    }

    /// Who says what the threads do.
    pub(crate) const fn family(&self) -> &T {
        self.automata.threads
    }

    /// The class of a thread.
    pub(crate) fn class(&self, thread: usize) -> usize {
        self.automata.numbers.class_of[thread]
    }

    /// The local state of a thread.
    pub fn local(&self, thread: usize) -> &T::Local {
        self.automata.local_of(self.class(thread), self.state.locals[thread])
    }

    /// What a cell holds; nothing if no thread ever touches it, and then it holds what it held in
    /// the beginning.
    pub fn content(&self, cell: T::Cell) -> Option<&T::Content> {
        let cell = self.automata.cell(cell)? as usize;
        Some(&self.automata.cells[cell][self.state.contents[cell] as usize])
    }

    /// All cells that any thread touches, and what they hold.
    pub fn cells(&self) -> impl Iterator<Item = (T::Cell, &T::Content)> {
        let cells = self.automata.cells.iter().zip(&self.state.contents);
        cells.map(|((cell, contents), content)| (*cell, &contents[*content as usize]))
    }
}
