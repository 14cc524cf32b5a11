//! Threads with store buffers whose calls and returns somebody observes ([`automata::Threads`]).
//!
//! All is as in [`crate::buffers`] but for the one step that leaves a boundary. For linearizability it touches
//! one more cell, whose content is what explains the history so far; the boundary is visible, so that
//! commits are not left for later there: whether a store reaches memory before its operation returns matters.
//! For sequential consistency it touches nothing, and the thread remembers the event.

use std::collections::BTreeSet;

use automata::{Effect, LocalStep, Mark, Mode, PerCell, Step, Threads, View};
use program::index::Idx;
use program::{Boundary, EdgeId, Parameterised, Program, ThreadId};
use semantics::{Control, Model};

use super::specification::{Explained, Logs, Specification};
use super::{Event, Histories, History};
use crate::buffers::{self, Act, Buffered, Goal};
use crate::sc::{self, LiveUntil, Look, StateView};
use crate::verdict::{Options, Reason};

/// A thread with its buffer, and what is known of the history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Local {
    pub(super) inner: buffers::Local,
    /// What it called and what came back, if that is remembered.
    log: Vec<Event>,
    pub(super) fate: Fate,
}

/// What is known of a history after an event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Fate {
    /// Nothing speaks against it.
    Open,
    /// Nothing explains it.
    Refuted,
    /// Whether something does is not known.
    Unknown,
}

/// A shared cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Cell {
    Inner(sc::Cell),
    /// What explains the history.
    History,
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Content {
    Inner(sc::Content),
    /// The number of a set of points.
    Points(usize),
}

/// A program whose histories are observed.
pub(super) struct Observed<'p> {
    inner: Buffered<'p>,
    asked: Histories,
    specification: Specification<'p>,
    /// The number of what explains that nothing has happened,
    beginning: usize,
    /// and what threads may have called and got back in the end.
    possible: BTreeSet<Logs>,
}

impl<'p> Observed<'p> {
    pub(super) fn new(
        program: &'p Program,
        (model, asked): (Model, Histories),
        specification: Specification<'p>,
        options: &Options,
        bound: usize,
    ) -> Result<Result<Self, Reason>, Parameterised> {
        let boundaries = || {
            let templates = program.templates().enumerate();
            templates.flat_map(|(id, template)| {
                template.boundaries().iter().map(move |(label, boundary)| (id, *label, boundary))
            })
        };
        let is_seen = asked == Histories::Linearizable;
        let look = Look {
            forget_dead_registers: options.reductions.dead_registers,
            tell_copies_apart: true,
            visible_labels: boundaries()
                .filter(|_| is_seen)
                .map(|(template, label, _)| (template, label))
                .collect(),
            registers: boundaries()
                .flat_map(|(template, _, boundary)| {
                    boundary
                        .registers()
                        .map(move |register| (template, register, LiveUntil::Always))
                })
                .collect(),
            ..Look::at_nothing()
        };
        let goal = Goal { is_of_ends: !is_seen, ..Goal::default() };
        let bounds = (options.reductions.local_steps, bound);
        let inner = Buffered::new(program, model, (look, goal), bounds)?;
        let (beginning, possible) = match asked {
            Histories::Linearizable => match specification.beginning() {
                Explained::By(set) => (set, BTreeSet::new()),
                Explained::ByNone => unreachable!("the initial state explains the empty history"),
                Explained::Unknown => {
                    return Ok(Err(specification.doubt().unwrap_or(Reason::NoMethod)));
                }
            },
            Histories::SequentiallyConsistent => match specification.all_logs() {
                Ok(possible) => (0, possible),
                Err(reason) => return Ok(Err(reason)),
            },
        };
        Ok(Ok(Self { inner, asked, specification, beginning, possible }))
    }

    pub(super) const fn inner(&self) -> &Buffered<'p> {
        &self.inner
    }

    pub(super) const fn asked(&self) -> Histories {
        self.asked
    }

    /// Why something is unknown, if anything is.
    pub(super) fn doubt(&self) -> Option<Reason> {
        self.specification.doubt()
    }

    /// Whether a history is explained by nothing: by its events alone.
    pub(super) fn refutes(&self, history: &History) -> bool {
        match self.asked {
            Histories::Linearizable => {
                let mut explained = Explained::By(self.beginning);
                for one in &history.occurrences {
                    if let Explained::By(set) = explained {
                        explained = self.specification.after(set, one.thread, &one.event);
                    }
                }
                explained == Explained::ByNone
            }
            Histories::SequentiallyConsistent => {
                let threads = self.inner.sc().threads().indices();
                let of = |thread: ThreadId| {
                    let all = history.occurrences.iter().filter(|one| one.thread == thread);
                    all.map(|one| one.event.clone()).collect()
                };
                !self.possible.contains(&threads.map(of).collect::<Logs>())
            }
        }
    }

    /// The boundary that an edge leaves, if it leaves one.
    fn boundary(&self, class: usize, edge: EdgeId) -> Option<&'p Boundary> {
        let template = self.inner.sc().program().template(self.inner.sc().template_of(class));
        template.boundaries().get(&template.edge(edge).from)
    }

    /// The call or return that an act is, if it is one.
    fn event(&self, class: usize, local: &Local, act: Act) -> Option<Event> {
        let Act::Execute((edge, _)) = act else { return None };
        let boundary = self.boundary(class, edge)?;
        let registers = &local.inner.thread.registers;
        Some(Event::at(boundary, self.inner.sc().program().memory(), registers))
    }

    /// A step without what is observed of it.
    fn unobserved(step: &Step<Cell, Act>) -> Step<sc::Cell, Act> {
        let Step { name, cells, may_block, closes_loop } = step;
        let inner = cells.iter().filter_map(|(cell, mode)| match cell {
            Cell::Inner(cell) => Some((*cell, *mode)),
            Cell::History => None,
        });
        Step {
            name: *name,
            cells: inner.collect(),
            may_block: *may_block,
            closes_loop: *closes_loop,
        }
    }

    fn unobserved_contents<'c>(contents: &[&'c Content]) -> Vec<&'c sc::Content> {
        let inner = contents.iter().filter_map(|content| match content {
            Content::Inner(content) => Some(content),
            Content::Points(_) => None,
        });
        inner.collect()
    }
}

impl Threads for Observed<'_> {
    type Local = Local;
    type Cell = Cell;
    type Content = Content;
    type Name = Act;

    fn classes(&self) -> Vec<usize> {
        self.inner.classes()
    }

    fn initial(&self, thread: usize) -> Local {
        Local { inner: self.inner.initial(thread), log: Vec::new(), fate: Fate::Open }
    }

    fn initial_content(&self, cell: Cell) -> Content {
        match cell {
            Cell::Inner(cell) => Content::Inner(self.inner.initial_content(cell)),
            Cell::History => Content::Points(self.beginning),
        }
    }

    fn steps(&self, class: usize, local: &Local) -> Vec<Step<Cell, Act>> {
        if local.fate != Fate::Open {
            return Vec::new();
        }
        let observed = |step: Step<sc::Cell, Act>| {
            let Step { name, cells, may_block, closes_loop } = step;
            let mut cells: PerCell<(Cell, Mode)> =
                cells.into_iter().map(|(cell, mode)| (Cell::Inner(cell), mode)).collect();
            if let Act::Execute((edge, _)) = name
                && self.asked == Histories::Linearizable
                && self.boundary(class, edge).is_some()
            {
                cells.push((Cell::History, Mode::Update));
            }
            Step { name, cells, may_block, closes_loop }
        };
        self.inner.steps(class, &local.inner).into_iter().map(observed).collect()
    }

    fn effect(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Act>,
        contents: &[&Content],
    ) -> Effect<Local, Content> {
        let (inner, held) = (Self::unobserved(step), Self::unobserved_contents(contents));
        let Effect::Done(next, after) = self.inner.effect(class, &local.inner, &inner, &held)
        else {
            return Effect::Blocked;
        };
        let mut next = Local { inner: next, log: local.log.clone(), fate: Fate::Open };
        let mut after: PerCell<Content> = after.into_iter().map(Content::Inner).collect();
        let Some(event) = self.event(class, local, step.name) else {
            return Effect::Done(next, after);
        };
        let points = contents.iter().find_map(|content| match content {
            Content::Inner(_) => None,
            Content::Points(points) => Some(*points),
        });
        match points {
            None => next.log.push(event),
            Some(points) => {
                let explained = self.specification.after(points, ThreadId::new(class), &event);
                let (points, fate) = match explained {
                    Explained::By(points) => (points, Fate::Open),
                    Explained::ByNone => (points, Fate::Refuted),
                    Explained::Unknown => (points, Fate::Unknown),
                };
                next.fate = fate;
                after.push(Content::Points(points));
            }
        }
        Effect::Done(next, after)
    }

    fn take_local_step(&self, class: usize, local: &mut Local) -> LocalStep<Act> {
        if local.fate != Fate::Open {
            return LocalStep::Rests;
        }
        if let Control::At(label) = local.inner.thread.control {
            let id = self.inner.sc().template_of(class);
            let template = self.inner.sc().program().template(id);
            if template.boundaries().contains_key(&label) {
                return LocalStep::Unsaid;
            }
        }
        self.inner.take_local_step(class, &mut local.inner)
    }

    fn is_kept_out(
        &self,
        class: usize,
        local: &Local,
        step: &Step<Cell, Act>,
        contents: &[&Content],
    ) -> bool {
        let (inner, held) = (Self::unobserved(step), Self::unobserved_contents(contents));
        self.inner.is_kept_out(class, &local.inner, &inner, &held)
    }

    fn is_over(&self, view: &View<'_, Self>) -> bool {
        self.inner.sc().has_ended(view)
    }

    fn mark(&self, class: usize, local: &Local) -> Mark {
        let of_inner = self.inner.mark(class, &local.inner);
        match local.fate {
            Fate::Open => of_inner,
            Fate::Refuted => Mark { goal: true, ..Mark::default() },
            Fate::Unknown => Mark { noted: true, ..Mark::default() },
        }
    }

    fn may_touch(&self, class: usize, local: &Local, touch: &mut dyn FnMut(Cell, Mode)) -> bool {
        let is_known = self.inner.may_touch(class, &local.inner, &mut |cell, mode| {
            touch(Cell::Inner(cell), mode);
        });
        if is_known && self.asked == Histories::Linearizable {
            touch(Cell::History, Mode::Update);
        }
        is_known
    }

    fn footprint_key(&self, class: usize, local: &Local) -> Option<usize> {
        self.inner.footprint_key(class, &local.inner)
    }

    fn has_condition(&self) -> bool {
        self.asked == Histories::SequentiallyConsistent
    }

    fn condition(&self, view: &View<'_, Self>) -> bool {
        let threads = self.inner.sc().threads();
        let ended = |thread: ThreadId| {
            let local = view.local(thread.index());
            self.inner.mark(thread.index(), &local.inner).ended
        };
        threads.indices().all(ended) && {
            let log = |thread: ThreadId| view.local(thread.index()).log.clone();
            !self.possible.contains(&threads.indices().map(log).collect::<Logs>())
        }
    }

    fn condition_is_of_ends(&self) -> bool {
        self.asked == Histories::SequentiallyConsistent
    }
}

impl StateView for View<'_, Observed<'_>> {
    fn local(&self, thread: ThreadId) -> &sc::Local {
        &Self::local(self, thread.index()).inner.thread
    }

    fn content(&self, cell: sc::Cell) -> Option<&sc::Content> {
        match Self::content(self, Cell::Inner(cell))? {
            Content::Inner(content) => Some(content),
            Content::Points(_) => None,
        }
    }
}
