//! States that differ by an exchange of equal threads.
//!
//! An *exchange* of two threads is an automorphism of the composed automata: it swaps the two
//! threads and maps local states to local states, cells to cells and contents to contents so that
//! beginnings go to beginnings, steps to steps with the same names, marks to marks. Whatever can be
//! reached from a state can then be reached from its image, exchanged, so of the two only one has
//! to be explored (Ip and Dill, "Better verification through symmetry", 1996). There the symmetry
//! is declared by a type and checked by its rules; here it is found and verified on the automata
//! themselves: beginning with the two initial local states, both automata are walked side by side,
//! and whatever one does the other must do with what it corresponds to. So it makes no difference
//! whether copies of a thread do not know who they are, or index arrays by who they are, or store
//! who they are somewhere; and loops over all identities are symmetric to the degree that they are.
//!
//! *Queries.* Marked local states and stuck states, which exchanges preserve. With a condition
//! that is not symmetric itself no exchange is made. While the automata still grow only threads that
//! are equal in every respect are exchanged, which needs no proof: they are of one class and begin
//! alike.
//!
//! Of the states that exchanges lead to, the least is looked for greedily, as long as a single
//! exchange leads to a lesser one. For copies that do not know who they are this sorts them, so
//! there is one representative; otherwise there may be several, which costs states but nothing else.

use explore::State;

use crate::layout::{Field, Layout};
use crate::numbers::{FORGOTTEN, Meaning, Numbers, Transition, number_of};
use crate::outcomes::Contents;

/// What an exchange does to one number: where it is taken, where it is put, and what it becomes if
/// it does not stay.
struct Moved {
    from: Field,
    to: Field,
    becomes: Option<Vec<u32>>,
}

struct Exchange<const W: usize> {
    threads: (usize, usize),
    keep: State<W>,
    moved: Vec<Moved>,
}

/// The exchanges of a system.
pub(crate) struct Symmetry<const W: usize> {
    exchanges: Vec<Exchange<W>>,
}

impl<const W: usize> Symmetry<W> {
    /// Finds all exchanges of two threads.
    pub(crate) fn of(meaning: &dyn Meaning, layout: &Layout) -> Self {
        let automata = meaning.numbers();
        let mut exchanges = Vec::new();
        if automata.reductions.symmetry
            && (!meaning.has_condition() || meaning.condition_is_symmetric())
        {
            let threads = automata.class_of.len();
            for first in 0..threads {
                for second in first + 1..threads {
                    if are_copies(automata, first, second) {
                        exchanges.push(Exchange::of_copies(layout, (first, second)));
                    } else if automata.is_complete {
                        exchanges.extend(
                            Automorphism::exchanging(meaning, first, second)
                                .map(|found| found.packed(automata, layout, (first, second))),
                        );
                    }
                }
            }
        }
        Self { exchanges }
    }

    /// Whether there are no exchanges.
    pub(crate) const fn is_none(&self) -> bool {
        self.exchanges.is_empty()
    }

    /// The two threads of an exchange.
    pub(crate) fn exchanged(&self, exchange: usize) -> (usize, usize) {
        self.exchanges[exchange].threads
    }

    /// The state that stands for this one; `note` is told of each exchange made.
    pub(crate) fn representative(
        &self,
        mut state: State<W>,
        mut note: impl FnMut(usize),
    ) -> State<W> {
        loop {
            let mut changed = false;
            for (number, exchange) in self.exchanges.iter().enumerate() {
                let other = exchange.apply(&state);
                if other < state {
                    state = other;
                    changed = true;
                    note(number);
                }
            }
            if !changed {
                return state;
            }
        }
    }
}

/// Whether two threads are equal in every respect.
fn are_copies(automata: &Numbers, first: usize, second: usize) -> bool {
    automata.class_of[first] == automata.class_of[second]
        && automata.initial[first].rests == automata.initial[second].rests
}

impl<const W: usize> Exchange<W> {
    /// The exchange of two threads that are equal in every respect.
    fn of_copies(layout: &Layout, threads: (usize, usize)) -> Self {
        let (first, second) = (layout.threads[threads.0], layout.threads[threads.1]);
        let moved = |from, to| Moved { from, to, becomes: None };
        Self::new(threads, vec![moved(first, second), moved(second, first)])
    }

    fn new(threads: (usize, usize), moved: Vec<Moved>) -> Self {
        let mut keep = [u64::MAX; W];
        for Moved { from, to, .. } in &moved {
            for field in [from, to] {
                keep[field.word::<W>()] &= !(field.mask() << field.shift);
            }
        }
        Self { threads, keep, moved }
    }

    fn apply(&self, state: &State<W>) -> State<W> {
        let mut result: State<W> = std::array::from_fn(|at| state[at] & self.keep[at]);
        for Moved { from, to, becomes } in &self.moved {
            let number = u32::try_from(from.get(state)).expect("a number");
            let number = becomes.as_ref().map_or(number, |becomes| becomes[number as usize]);
            to.put(&mut result, number);
        }
        result
    }
}

/// A map of numbers that is being found.
#[derive(Clone)]
struct Bijection {
    image: Vec<Option<u32>>,
    is_image: Vec<bool>,
}

/// There is no automorphism.
struct Contradiction;

impl Bijection {
    fn new(size: usize) -> Self {
        Self { image: vec![None; size], is_image: vec![false; size] }
    }

    /// Maps a number; says whether that is new.
    fn map(&mut self, from: u32, to: u32) -> Result<bool, Contradiction> {
        match self.image[from as usize] {
            Some(image) if image == to => Ok(false),
            None if self.is_image.get(to as usize) == Some(&false) => {
                self.image[from as usize] = Some(to);
                self.is_image[to as usize] = true;
                Ok(true)
            }
            Some(_) | None => Err(Contradiction),
        }
    }

    /// The images of all numbers, or nothing if each is its own.
    fn unless_identity(&self) -> Option<Vec<u32>> {
        let images: Vec<u32> = self.image.iter().map(|image| image.expect("complete")).collect();
        let moves = images.iter().enumerate().any(|(from, to)| number_of(from) != *to);
        moves.then_some(images)
    }

    fn is_total(&self) -> bool {
        self.image.iter().all(Option::is_some)
    }
}

struct Automorphism {
    /// For each class.
    locals: Vec<Bijection>,
    cells: Bijection,
    /// For each cell, to contents of the cell it is mapped to.
    contents: Vec<Bijection>,
}

impl Automorphism {
    fn exchanging(meaning: &dyn Meaning, first: usize, second: usize) -> Option<Self> {
        let automata = meaning.numbers();
        if automata.class_of[first] != automata.class_of[second] {
            return None;
        }
        let classes = automata.classes.iter();
        let cells = automata.cells.iter();
        let mut found = Self {
            locals: classes.map(|locals| Bijection::new(locals.len())).collect(),
            cells: Bijection::new(automata.cells.len()),
            contents: cells.map(|cell| Bijection::new(cell.contents)).collect(),
        };
        found.walk(meaning, first, second).ok()?;
        let is_total = found.locals.iter().all(Bijection::is_total)
            && found.cells.is_total()
            && found.contents.iter().all(Bijection::is_total);
        is_total.then_some(found)
    }

    fn walk(
        &mut self,
        meaning: &dyn Meaning,
        first: usize,
        second: usize,
    ) -> Result<(), Contradiction> {
        let automata = meaning.numbers();
        for (thread, begins) in automata.initial.iter().enumerate() {
            let other = match thread {
                _ if thread == first => second,
                _ if thread == second => first,
                _ => thread,
            };
            let others = &automata.initial[other];
            if begins.rests.len() != others.rests.len() {
                return Err(Contradiction);
            }
            for ((begin, names), (other, other_names)) in begins.rests.iter().zip(&others.rests) {
                if names != other_names {
                    return Err(Contradiction);
                }
                self.locals[automata.class_of[thread]].map(*begin, *other)?;
            }
        }
        // Until nothing is new, so that in the end all was looked at with the final maps.
        let mut changed = true;
        while changed {
            changed = false;
            for class in 0..automata.classes.len() {
                for local in 0..automata.classes[class].len() {
                    if let Some(image) = self.locals[class].image[local] {
                        changed |= self.nodes(meaning, class, (number_of(local), image))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn nodes(
        &mut self,
        meaning: &dyn Meaning,
        class: usize,
        (local, image): (u32, u32),
    ) -> Result<bool, Contradiction> {
        let nodes = &meaning.numbers().classes[class];
        let [node, other] = [local, image].map(|local| &nodes[local as usize]);
        if node.mark != other.mark || node.transitions.len() != other.transitions.len() {
            return Err(Contradiction);
        }
        let mut changed = false;
        for step in 0..node.transitions.len() {
            changed |= self.transitions(meaning, class, ((local, step), (image, step)))?;
        }
        Ok(changed)
    }

    fn transitions(
        &mut self,
        meaning: &dyn Meaning,
        class: usize,
        (step, other): ((u32, usize), (u32, usize)),
    ) -> Result<bool, Contradiction> {
        let automata = meaning.numbers();
        let [transition, image] =
            [step, other].map(|(local, step)| automata.transition(class, local, step));
        let modes = |transition: &Transition| {
            transition.cells.iter().map(|(_, mode)| *mode).collect::<Vec<_>>()
        };
        if modes(transition) != modes(image) {
            return Err(Contradiction);
        }
        let mut changed = false;
        for ((cell, _), (other, _)) in transition.cells.iter().zip(&image.cells) {
            if self.cells.map(*cell, *other)? {
                changed = true;
                let sizes = [*cell, *other].map(|cell| automata.cells[cell as usize].contents);
                if sizes[0] != sizes[1] {
                    return Err(Contradiction);
                }
                // Number 0 is what a cell holds in the beginning.
                self.contents[*cell as usize].map(0, 0)?;
                let objects = [*cell, *other].map(|cell| automata.cells[cell as usize].object);
                match objects {
                    [Some(_), Some(_)] => {
                        self.contents[*cell as usize].map(FORGOTTEN, FORGOTTEN)?;
                    }
                    [None, None] => {}
                    [Some(_), None] | [None, Some(_)] => return Err(Contradiction),
                }
            }
        }
        for (contents, outcomes) in transition.outcomes.iter() {
            let mapped = transition.inputs().zip(contents);
            let mapped: Option<Contents> = mapped
                .map(|(cell, content)| self.contents[cell as usize].image[*content as usize])
                .collect();
            // Contents that correspond to nothing yet will do so when somebody has written them.
            let Some(mapped) = mapped else { continue };
            let others = image.outcomes.get(&mapped).ok_or(Contradiction)?;
            if outcomes.len() != others.len() {
                return Err(Contradiction);
            }
            if !outcomes.is_empty() && !meaning.have_same_name(class, step, other) {
                return Err(Contradiction);
            }
            for (outcome, other) in outcomes.iter().zip(others) {
                if outcome.names != other.names {
                    return Err(Contradiction);
                }
                changed |= self.locals[class].map(outcome.local, other.local)?;
                let written =
                    transition.cells.iter().zip(outcome.contents.iter().zip(&other.contents));
                for ((cell, mode), (content, other)) in written {
                    if mode.writes() {
                        changed |= self.contents[*cell as usize].map(*content, *other)?;
                    }
                }
            }
        }
        Ok(changed)
    }

    fn packed<const W: usize>(
        &self,
        automata: &Numbers,
        layout: &Layout,
        threads: (usize, usize),
    ) -> Exchange<W> {
        let mut moved = Vec::new();
        for (thread, from) in layout.threads.iter().enumerate() {
            let to = match thread {
                _ if thread == threads.0 => threads.1,
                _ if thread == threads.1 => threads.0,
                _ => thread,
            };
            let becomes = self.locals[automata.class_of[thread]].unless_identity();
            moved.push(Moved { from: *from, to: layout.threads[to], becomes });
        }
        for (cell, from) in layout.cells.iter().enumerate() {
            let to = self.cells.image[cell].expect("complete") as usize;
            let becomes = self.contents[cell].unless_identity();
            moved.push(Moved { from: *from, to: layout.cells[to], becomes });
        }
        moved.retain(|moved| moved.from != moved.to || moved.becomes.is_some());
        Exchange::new(threads, moved)
    }
}
