//! Threads that share cells as a net, with any number of threads of some classes (counter abstraction:
//! ESOP'13, Appendix D; German and Sistla, JACM'92).
//!
//! A place is a local state of a class, or a content of a cell. A transition is a step with given
//! contents: it moves one token from local state to local state, and one from content to content for
//! each cell. Each cell always has exactly one token, and how many tokens are in a local state is how
//! many threads are there.
//!
//! Local states and contents are found from the beginning on, as far as *pairs* of them can be there at
//! once ([`coverability::Pairs`]): a step is asked only for contents that, with its local state and with
//! each other, are possible as far as pairs tell. That is an upper bound, so nothing is left out; and what
//! two threads never do at once, as behind a lock, makes no places. Steps that touch no cell are taken at
//! once, as the reduction of `automata` does that has this name.
//!
//! Where copies have identities a local state also says which cells name the thread, and a step that makes a cell
//! name another one moves the token of the one that it named ([`super::named`]).

use std::hash::Hash;

use automata::{Effect, Mark, PerCell, Step, Threads};
use coverability::{Initial, Marking, Net, Pairs, Place, Transition};
use explore::{Limit, Lookout};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::named::{Holding, Naming, Whose};

type Numbered<Key, Value> = IndexMap<Key, Value, FxBuildHasher>;

/// More contents of one cell than this are not followed,
pub(super) const MOST_CONTENTS: usize = 1 << 9;
/// nor more local states of one class,
pub(super) const MOST_LOCALS: usize = 1 << 15;
/// nor more transitions of all.
const MOST_TRANSITIONS: usize = 1 << 21;

/// Why there is no net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoNet<Cell> {
    Limit(Limit),
    /// A cell can hold too many contents.
    Contents(Cell),
    /// A thread of this class can be in too many local states.
    Locals(usize),
}

impl<Cell> From<Limit> for NoNet<Cell> {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}

/// A local state of a class.
struct Node<T: Threads> {
    place: Place,
    mark: Mark,
    steps: Vec<Known<T>>,
}

/// A step, and for which contents it was asked.
struct Known<T: Threads> {
    step: Step<T::Cell, T::Name>,
    cells: PerCell<usize>,
    asked: FxHashSet<PerCell<u32>>,
}

/// The cells that name a thread, in their order.
type Owned = Vec<usize>;

/// A step that another thread has to be told of: the one that a cell names.
struct Meeting {
    /// The cell.
    names: usize,
    /// Whether it does not name it afterwards.
    is_lost: bool,
    /// The cells that do then.
    gained: Vec<usize>,
    take: Vec<Place>,
    put: Vec<(Place, u32)>,
    /// Where the thread is that takes the step, before and after.
    moved: (Place, Place),
    /// The classes and local states of owners that it was combined with.
    done: FxHashSet<(usize, usize)>,
}

/// Local states of a class, each with what the copy owns.
type Nodes<T> = Numbered<(<T as Threads>::Local, Owned), Node<T>>;

/// Threads as a net.
pub(super) struct Threaded<'t, T: Threads> {
    threads: &'t T,
    naming: Option<Naming<'t>>,
    pub(super) net: Net,
    pairs: Pairs,
    classes: Vec<Nodes<T>>,
    /// For each cell its contents, with their places.
    cells: Numbered<T::Cell, Numbered<T::Content, Place>>,
    is_known: FxHashSet<Transition>,
    /// For each transition where the thread is that takes the step, before and after.
    moved: Vec<(Place, Place)>,
    /// What steps need that change nothing.
    idle: FxHashSet<Marking>,
    meetings: Vec<Meeting>,
    /// For each cell the local states of those that it names.
    owners: FxHashMap<usize, Vec<(usize, usize)>>,
}

/// The beginning of the threads of a net.
pub(super) struct Beginning<'a> {
    /// For each thread the one whose beginning it shares: the first copy, if there is any number.
    pub(super) like: &'a [usize],
    /// For each class whether there is any number of its threads, and not just as many as there are.
    pub(super) any: &'a dyn Fn(usize) -> bool,
}

impl<'t, T: Holding> Threaded<'t, T>
where
    T::Content: Hash,
{
    /// The net of some threads.
    pub(super) fn of(
        threads: &'t T,
        naming: Option<Naming<'t>>,
        beginning: &Beginning<'_>,
        lookout: &mut Lookout,
    ) -> Result<Self, NoNet<T::Cell>> {
        let class_of = threads.classes();
        let classes = class_of.iter().max().map_or(0, |class| class + 1);
        let mut threaded = Self {
            threads,
            naming,
            net: Net::new(),
            pairs: Pairs::new(),
            classes: (0..classes).map(|_| IndexMap::default()).collect(),
            cells: IndexMap::default(),
            is_known: FxHashSet::default(),
            moved: Vec::new(),
            idle: FxHashSet::default(),
            meetings: Vec::new(),
            owners: FxHashMap::default(),
        };
        for (class, like) in class_of.into_iter().zip(beginning.like) {
            let place = threaded.local(class, (threads.initial(*like), Owned::new()))?;
            let initial = &mut threaded.net.initial[place as usize];
            if (beginning.any)(class) {
                initial.or_more = true;
            } else {
                initial.least += 1;
            }
        }
        threaded.relate_initial();
        while threaded.round(lookout)? {}
        let goal = |mark: &Mark| mark.goal;
        threaded.net.targets = threaded.places(goal).map(|(_, _, place)| one(place)).collect();
        Ok(threaded)
    }

    /// The local states with a mark: their class, themselves and their place.
    fn places(
        &self,
        is_it: impl Fn(&Mark) -> bool,
    ) -> impl Iterator<Item = (usize, &T::Local, Place)> {
        self.classes.iter().enumerate().flat_map(move |(class, locals)| {
            let marked: Vec<_> = locals.iter().filter(|(_, node)| is_it(&node.mark)).collect();
            marked.into_iter().map(move |((local, _), node)| (class, local, node.place))
        })
    }

    /// The local states of a class, with what is remarkable about them and their places.
    pub(super) fn locals(&self, class: usize) -> impl Iterator<Item = (&T::Local, Mark, Place)> {
        let locals = self.classes.get(class).into_iter().flatten();
        locals.map(|((local, _), node)| (local, node.mark, node.place))
    }

    /// The cells that threads touch.
    pub(super) fn cells(&self) -> impl Iterator<Item = T::Cell> {
        self.cells.keys().copied()
    }

    /// What a cell can hold, with the places; nothing if nobody touches it.
    pub(super) fn contents(&self, cell: T::Cell) -> Vec<(&T::Content, Place)> {
        let contents = self.cells.get(&cell).into_iter().flatten();
        contents.map(|(content, place)| (content, *place)).collect()
    }

    /// Which places can hold tokens at once.
    pub(super) const fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// For each transition where the thread is that takes the step, before and after.
    pub(super) fn moved(&self) -> &[(Place, Place)] {
        &self.moved
    }

    /// What steps need that change nothing; they are no transitions.
    pub(super) fn idle(&self) -> impl Iterator<Item = &Marking> {
        self.idle.iter()
    }

    /// The local states that are to be noted, and the same net that asks about them.
    pub(super) fn noted(&self) -> (Vec<(usize, T::Local)>, Net) {
        let noted: Vec<_> = self.places(|mark| mark.noted).collect();
        let targets = noted.iter().map(|(_, _, place)| one(*place)).collect();
        let noted = noted.into_iter().map(|(class, local, _)| (class, local.clone())).collect();
        (noted, Net { targets, ..self.net.clone() })
    }

    /// What is there in the beginning is there at once.
    fn relate_initial(&mut self) {
        let marked: Vec<Place> = (0u32..)
            .zip(&self.net.initial)
            .filter(|(_, initial)| initial.or_more || initial.least > 0)
            .map(|(place, _)| place)
            .collect();
        for (at, place) in marked.iter().enumerate() {
            self.pairs.allow(*place);
            let initial = self.net.initial[*place as usize];
            if initial.or_more || initial.least > 1 {
                self.pairs.relate(*place, *place);
            }
            for other in &marked[at + 1..] {
                self.pairs.relate(*place, *other);
            }
        }
    }

    fn place(&mut self, initial: Initial) -> Place {
        let place = self.net.add_place(String::new(), initial);
        self.pairs.grow(self.net.places.len());
        place
    }

    /// The place of a local state; its steps are known from then on.
    fn local(&mut self, class: usize, local: (T::Local, Owned)) -> Result<Place, NoNet<T::Cell>> {
        if let Some(node) = self.classes[class].get(&local) {
            return Ok(node.place);
        }
        if self.classes[class].len() >= MOST_LOCALS {
            return Err(NoNet::Locals(class));
        }
        let place = self.place(Initial::default());
        let mark = self.threads.mark(class, &local.0);
        let steps = if mark.goal { Vec::new() } else { self.threads.steps(class, &local.0) };
        let steps = steps.into_iter().map(|step| {
            let cells = step.cells.iter().map(|(cell, _)| self.cell(*cell)).collect();
            Known { step, cells, asked: FxHashSet::default() }
        });
        let steps = steps.collect();
        let number = self.classes[class].len();
        for cell in &local.1 {
            self.owners.entry(*cell).or_default().push((class, number));
        }
        self.classes[class].insert(local, Node { place, mark, steps });
        Ok(place)
    }

    /// The number of a cell. One that nobody has touched so far has been there all the time with what it
    /// holds in the beginning, beside whatever is possible.
    fn cell(&mut self, cell: T::Cell) -> usize {
        if let Some(number) = self.cells.get_index_of(&cell) {
            return number;
        }
        let content = self.threads.initial_content(cell);
        let place = self.place(Initial { least: 1, or_more: false });
        for other in 0..place {
            if self.pairs.is_possible(other) {
                self.pairs.relate(place, other);
            }
        }
        self.pairs.allow(place);
        let contents = [(content, place)].into_iter().collect();
        self.cells.insert_full(cell, contents).0
    }

    /// Asks for what was not asked, and lets all transitions add to the pairs; whether anything is new.
    fn round(&mut self, lookout: &mut Lookout) -> Result<bool, NoNet<T::Cell>> {
        let changed = self.pairs.take_changed();
        let is_changed = |place: Place| changed.get(place as usize).is_none_or(|changed| *changed);
        let mut is_new = changed.iter().any(|changed| *changed);
        for class in 0..self.classes.len() {
            let mut local = 0;
            while local < self.classes[class].len() {
                let place = self.classes[class][local].place;
                for step in 0..self.classes[class][local].steps.len() {
                    let cells = &self.classes[class][local].steps[step].cells;
                    let mut contents = cells.iter().flat_map(|cell| self.cells[*cell].values());
                    // Of one cell whatever it meets is related to the local state.
                    let meets = cells.len() > 1 && contents.any(|content| is_changed(*content));
                    if meets || is_changed(place) {
                        is_new |= self.ask((class, local, step), lookout)?;
                    }
                }
                local += 1;
            }
        }
        is_new |= self.meet(lookout)?;
        for transition in &self.net.transitions {
            lookout.step()?;
            let take = transition.take.tokens();
            if take.iter().any(|(place, _)| is_changed(*place)) {
                is_new |= self.pairs.fire(take, transition.put.tokens());
            }
        }
        Ok(is_new)
    }

    /// Asks what a step does with all contents that it can meet and was not asked for.
    fn ask(
        &mut self,
        (class, local, step): (usize, usize, usize),
        lookout: &mut Lookout,
    ) -> Result<bool, NoNet<T::Cell>> {
        lookout.step()?;
        let node = &self.classes[class][local];
        let known = &node.steps[step];
        if !self.pairs.is_possible(node.place) {
            return Ok(false);
        }
        // Contents one by one, each possible beside the local state and those before.
        let mut met: Vec<(PerCell<u32>, Vec<Place>)> = vec![(PerCell::new(), vec![node.place])];
        for cell in &known.cells {
            let mut longer = Vec::new();
            for (contents, places) in &met {
                for (number, place) in (0u32..).zip(self.cells[*cell].values()) {
                    if places.iter().all(|other| self.pairs.are_related(*other, *place)) {
                        let mut contents = contents.clone();
                        contents.push(number);
                        longer.push((contents, [&places[..], &[*place]].concat()));
                    }
                }
            }
            met = longer;
        }
        met.retain(|(contents, _)| !known.asked.contains(contents));
        let cells = known.cells.clone();
        let is_new = !met.is_empty();
        for (contents, places) in met {
            lookout.step()?;
            self.add((class, local, step), &cells, &contents, &places)?;
            self.classes[class][local].steps[step].asked.insert(contents);
        }
        Ok(is_new)
    }

    /// Adds the transitions of a step with given contents.
    fn add(
        &mut self,
        (class, local, step): (usize, usize, usize),
        cells: &PerCell<usize>,
        contents: &PerCell<u32>,
        places: &[Place],
    ) -> Result<(), NoNet<T::Cell>> {
        let ((here, owned), node) = self.classes[class].get_index(local).expect("a local state");
        let step = &node.steps[step].step;
        let held = cells.iter().zip(contents).map(|(cell, content)| {
            self.cells[*cell].get_index(*content as usize).expect("a content").0
        });
        let held: PerCell<&T::Content> = held.collect();
        let Some(naming) = self.naming else {
            let effect = self.threads.effect(class, here, step, &held);
            drop(held);
            let Effect::Done(next, after) = effect else { return Ok(()) };
            return self.join(class, (next, Owned::new()), cells, (after, places), None);
        };
        let names = |cell: usize| self.step_cell(cell);
        let seen: PerCell<T::Content> = cells
            .iter()
            .zip(&held)
            .map(|(cell, content)| match naming.whose(self.threads, names(*cell), content) {
                Whose::Nobodys => (*content).clone(),
                Whose::Own | Whose::Anothers => {
                    naming.seen(self.threads, names(*cell), content, owned.contains(cell))
                }
            })
            .collect();
        drop(held);
        let whose = |contents: &PerCell<T::Content>| -> PerCell<Whose> {
            let pairs = cells.iter().zip(contents);
            pairs.map(|(cell, one)| naming.whose(self.threads, names(*cell), one)).collect()
        };
        let references: PerCell<&T::Content> = seen.iter().collect();
        let effect = self.threads.effect(class, here, step, &references);
        drop(references);
        let Effect::Done(next, after) = effect else { return Ok(()) };
        let (before, then) = (whose(&seen), whose(&after));
        let mut owned = owned.clone();
        let (mut lost, mut gained, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, (before, then)) in cells.iter().zip(before.iter().zip(&then)) {
            owned.retain(|one| one != cell);
            if *then == Whose::Own {
                owned.push(*cell);
            }
            match (before, then) {
                (Whose::Anothers, Whose::Anothers) => sources.push(*cell),
                (Whose::Anothers, Whose::Own | Whose::Nobodys) => lost.push(*cell),
                (Whose::Own | Whose::Nobodys, Whose::Anothers) => gained.push(*cell),
                (Whose::Own | Whose::Nobodys, Whose::Own | Whose::Nobodys) => {}
            }
        }
        owned.sort_unstable();
        // What is kept names somebody, whoever sees it.
        let after: PerCell<T::Content> = cells
            .iter()
            .zip(after)
            .zip(then)
            .map(|((cell, content), whose)| match whose {
                Whose::Nobodys | Whose::Own => content,
                Whose::Anothers => naming.seen(self.threads, names(*cell), &content, true),
            })
            .collect();
        let told = match (&lost[..], &gained[..], &sources[..]) {
            ([], [], _) => None,
            ([names], [], _) => Some((*names, true, gained)),
            ([], [_, ..], [names]) | ([names], [_, ..], []) => {
                let is_lost = !lost.is_empty();
                Some((*names, is_lost, gained))
            }
            _ => unreachable!(
                "a step accesses one cell of memory, and stores no identity of another"
            ),
        };
        self.join(class, (next, owned), cells, (after, places), told.as_ref())
    }

    fn step_cell(&self, cell: usize) -> T::Cell {
        *self.cells.get_index(cell).expect("a cell").0
    }

    /// Adds the transitions to a local state with given contents, of which another thread may have to be told.
    fn join(
        &mut self,
        class: usize,
        (next, owned): (T::Local, Owned),
        cells: &PerCell<usize>,
        (after, places): (PerCell<T::Content>, &[Place]),
        told: Option<&(usize, bool, Vec<usize>)>,
    ) -> Result<(), NoNet<T::Cell>> {
        let mut put = Vec::with_capacity(cells.len());
        for (cell, content) in cells.iter().zip(after) {
            put.push((self.content(*cell, content)?, 1));
        }
        let take = Marking::of(places.iter().map(|place| (*place, 1)));
        for rest in rests(self.threads, class, next).ok_or(NoNet::Locals(class))? {
            let to = self.local(class, (rest, owned.clone()))?;
            let put = put.iter().copied().chain([(to, 1)]);
            let moved = (places[0], to);
            if let Some((names, is_lost, gained)) = told {
                self.meetings.push(Meeting {
                    names: *names,
                    is_lost: *is_lost,
                    gained: gained.clone(),
                    take: places.to_vec(),
                    put: put.collect(),
                    moved,
                    done: FxHashSet::default(),
                });
            } else {
                let put = Marking::of(put);
                self.transition(Transition { take: take.clone(), put }, moved)?;
            }
        }
        Ok(())
    }

    /// Lets steps that another thread has to be told of meet all those that it can be; whether anything is new.
    fn meet(&mut self, lookout: &mut Lookout) -> Result<bool, NoNet<T::Cell>> {
        let mut is_new = false;
        let mut number = 0;
        while number < self.meetings.len() {
            let mut next = 0;
            loop {
                lookout.step()?;
                let meeting = &mut self.meetings[number];
                let all = self.owners.get(&meeting.names).map_or(&[][..], Vec::as_slice);
                let Some(owner) = all.get(next).copied() else { break };
                next += 1;
                let ((local, owned), node) =
                    self.classes[owner.0].get_index(owner.1).expect("a local state");
                let place = node.place;
                let is_possible = self.pairs.is_possible(place)
                    && meeting.take.iter().all(|one| self.pairs.are_related(*one, place));
                if !is_possible || !meeting.done.insert(owner) {
                    continue;
                }
                let is_kept = |cell: &&usize| !meeting.is_lost || **cell != meeting.names;
                let mut owned: Owned = owned.iter().filter(is_kept).copied().collect();
                owned.extend(&meeting.gained);
                owned.sort_unstable();
                let take = meeting.take.iter().map(|place| (*place, 1)).chain([(place, 1)]);
                let (take, put) = (Marking::of(take), meeting.put.clone());
                let (moved, local) = (meeting.moved, local.clone());
                let told = self.local(owner.0, (local, owned))?;
                let put = Marking::of(put.into_iter().chain([(told, 1)]));
                self.transition(Transition { take, put }, moved)?;
                is_new = true;
            }
            number += 1;
        }
        Ok(is_new)
    }

    fn transition(
        &mut self,
        transition: Transition,
        moved: (Place, Place),
    ) -> Result<(), NoNet<T::Cell>> {
        if transition.take == transition.put {
            self.idle.insert(transition.take);
        } else if self.is_known.insert(transition.clone()) {
            if self.net.transitions.len() >= MOST_TRANSITIONS {
                return Err(NoNet::Limit(Limit::States));
            }
            self.pairs.fire(transition.take.tokens(), transition.put.tokens());
            self.net.transitions.push(transition);
            self.moved.push(moved);
        }
        Ok(())
    }

    fn content(&mut self, cell: usize, content: T::Content) -> Result<Place, NoNet<T::Cell>> {
        if let Some(place) = self.cells[cell].get(&content) {
            return Ok(*place);
        }
        if self.cells[cell].len() >= MOST_CONTENTS {
            let (name, _) = self.cells.get_index(cell).expect("a cell");
            return Err(NoNet::Contents(*name));
        }
        let place = self.place(Initial::default());
        self.cells[cell].insert(content, place);
        Ok(place)
    }
}

fn one(place: Place) -> Marking {
    Marking::of([(place, 1)])
}

/// Where a thread can be when it has taken all steps that touch no cell; nothing if there are too many
/// such places. One that goes round and round by itself rests where it began.
fn rests<T: Threads>(threads: &T, class: usize, from: T::Local) -> Option<Vec<T::Local>> {
    let mut known: IndexMap<T::Local, (), FxBuildHasher> = IndexMap::default();
    known.insert(from.clone(), ());
    let (mut rests, mut at) = (Vec::new(), 0);
    while let Some((local, ())) = known.get_index(at) {
        at += 1;
        let local = local.clone();
        let mark = threads.mark(class, &local);
        if mark.goal || mark.noted || mark.visible {
            rests.push(local);
            continue;
        }
        let steps = threads.steps(class, &local);
        let mut passed = false;
        if steps.iter().all(|step| step.cells.is_empty()) {
            for step in &steps {
                if let Effect::Done(next, _) = threads.effect(class, &local, step, &[]) {
                    known.insert(next, ());
                    passed = true;
                }
            }
        }
        if !passed {
            rests.push(local);
        }
        if known.len() > MOST_LOCALS {
            return None;
        }
    }
    if rests.is_empty() {
        rests.push(from);
    }
    Some(rests)
}
