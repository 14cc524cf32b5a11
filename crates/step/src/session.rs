//! A run as it grows: the states it has passed, and what was undone and can be done again.

use std::collections::BTreeSet;

use fastrand::Rng;
use program::{Program, Sources, ThreadId, Value};
use report::view::View;
use semantics::{Choice, Machine, Model, Move, Offer, State, Step};

/// So many values of one choice are listed one by one.
const FEW_VALUES: Value = 8;

/// Memory with so many cells is shown whole.
const FEW_CELLS: u64 = 24;

/// After so many steps of a thread's own in a row somebody is asked again: it may never come to an end.
const LONGEST_SILENCE: usize = 10_000;

/// A run by hand.
pub struct Session<'a> {
    machine: &'a Machine<'a>,
    view: View<'a>,
    /// The first one, and the one after each step.
    states: Vec<State>,
    /// All steps: those that are made, and after them those that were undone.
    steps: Vec<Taken>,
    made: usize,
    random: Rng,
}

/// A step of the run.
struct Taken {
    step: Step,
    /// Whether nobody chose it: part of a statement, between accesses to memory.
    is_silent: bool,
}

/// Something that can be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Who does it.
    pub thread: ThreadId,
    /// What it is.
    pub offer: Offer,
    /// The line of the instruction; empty for a store that leaves its buffer.
    pub line: String,
    /// What happens, in the words of the program.
    pub what: String,
}

impl<'a> Session<'a> {
    /// A run that has not begun.
    pub fn new(
        program: &'a Program,
        sources: &'a Sources,
        machine: &'a Machine<'a>,
        seed: u64,
    ) -> Self {
        let view = View::new(program, sources, machine);
        let states = vec![machine.initial()];
        let random = Rng::with_seed(seed);
        let mut session = Self { machine, view, states, steps: Vec::new(), made: 0, random };
        session.begin();
        session
    }

    /// The machine that runs.
    pub const fn machine(&self) -> &'a Machine<'a> {
        self.machine
    }

    /// In whose words things are told.
    pub const fn view(&self) -> &View<'a> {
        &self.view
    }

    /// The state now.
    pub fn state(&self) -> &State {
        &self.states[self.made]
    }

    /// How many steps were chosen, and how many of them are made; the others were undone.
    pub fn position(&self) -> (usize, usize) {
        let chosen = |steps: &[Taken]| steps.iter().filter(|taken| !taken.is_silent).count();
        (chosen(&self.steps), chosen(&self.steps[..self.made]))
    }

    /// The steps that were chosen and made, told one by one, each with its thread and its line.
    pub fn told(&self) -> Vec<(ThreadId, String, String)> {
        let made = self.steps[..self.made].iter().enumerate();
        made.filter(|(_, taken)| !taken.is_silent)
            .map(|(number, taken)| self.tell(number, &taken.step))
            .collect()
    }

    /// The step that would be done again.
    pub fn ahead(&self) -> Option<(ThreadId, String, String)> {
        let next = self.steps[self.made..].iter().position(|taken| !taken.is_silent)?;
        let number = self.made + next;
        Some(self.tell(number, &self.steps[number].step))
    }

    fn tell(&self, number: usize, step: &Step) -> (ThreadId, String, String) {
        let what = self.view.tell(step, &self.states[number], &self.states[number + 1]);
        (step.taken.thread(), self.view.line(step), what)
    }

    /// The cells worth showing: all, or of many those that were used.
    pub fn cells(&self) -> BTreeSet<Value> {
        let memory = self.machine.program().memory();
        let locations = memory.locations().iter();
        if locations.clone().map(program::memory::Location::cells).sum::<u64>() <= FEW_CELLS {
            let all = locations.flat_map(|location| {
                (0..location.cells()).filter_map(|index| location.address(Value::from(index)).ok())
            });
            let all: BTreeSet<Value> = all.collect();
            if !all.is_empty() {
                return all;
            }
        }
        self.view.touched(self.steps[..self.made].iter().map(|taken| &taken.step))
    }

    /// What can be done next, thread by thread.
    pub fn menu(&self) -> Vec<Entry> {
        let state = self.state();
        let mut menu = Vec::new();
        for offer in self.machine.offers(state) {
            let thread = offer.thread();
            match offer {
                Offer::One(taken) => menu.push(self.entry(state, taken)),
                Offer::AnyValue { low, high, .. } if high - low < FEW_VALUES => {
                    menu.extend(offer.moves().map(|taken| self.entry(state, taken)));
                }
                Offer::AnyValue { edge, low, high, .. } => menu.push(Entry {
                    thread,
                    offer,
                    line: self.view.line_of(thread, edge),
                    what: format!(
                        "{}  any value from {low} to {high}",
                        self.view.instruction(thread, edge)
                    ),
                }),
            }
        }
        menu
    }

    fn entry(&self, state: &State, taken: Move) -> Entry {
        let (next, actions) =
            self.machine.apply(state, taken).expect("what is offered is possible");
        let step = Step { taken, actions };
        let mut what = self.view.tell(&step, state, &next);
        if let Move::Execute { choice, .. } = taken {
            match choice {
                Choice::Determined | Choice::Value(_) => {}
                Choice::Succeed => what.push_str("  (succeeds)"),
                Choice::Fail => what.push_str("  (fails)"),
            }
        }
        let (thread, line) = (taken.thread(), self.view.line(&step));
        Entry { thread, offer: Offer::One(taken), line, what }
    }

    /// Makes a step; what was undone before is forgotten.
    pub fn take(&mut self, taken: Move) -> Result<(), String> {
        let (next, actions) = self
            .machine
            .apply(self.state(), taken)
            .map_err(|why| format!("that is not possible now: {why}"))?;
        self.steps.truncate(self.made);
        self.states.truncate(self.made + 1);
        self.push(Step { taken, actions }, next, false);
        self.go_on(taken.thread());
        Ok(())
    }

    fn push(&mut self, step: Step, next: State, is_silent: bool) {
        self.steps.push(Taken { step, is_silent });
        self.states.push(next);
        self.made = self.steps.len();
    }

    /// Brings each thread to its first access to memory.
    fn begin(&mut self) {
        for thread in self.machine.threads().indices() {
            self.go_on(thread);
        }
    }

    /// Takes the steps of a thread that go without saying.
    fn go_on(&mut self, thread: ThreadId) {
        for _ in 0..LONGEST_SILENCE {
            let offers = self.machine.offers(self.state());
            let mut own = offers.into_iter().filter(|offer| {
                let is_commit = matches!(offer, Offer::One(Move::Commit { .. }));
                offer.thread() == thread && !is_commit
            });
            let (Some(Offer::One(taken)), None) = (own.next(), own.next()) else { return };
            let Ok((next, actions)) = self.machine.apply(self.state(), taken) else { return };
            let step = Step { taken, actions };
            if !self.view.goes_without_saying(&step) {
                return;
            }
            self.push(step, next, true);
        }
    }

    /// Takes back the last step that was chosen; whether there was one.
    pub fn undo(&mut self) -> bool {
        let last = self.steps[..self.made].iter().rposition(|taken| !taken.is_silent);
        self.made = last.unwrap_or(self.made);
        last.is_some()
    }

    /// Makes the step again that was undone last; whether there was one.
    pub fn redo(&mut self) -> bool {
        let ahead = self.steps[self.made..].iter();
        let Some(next) = ahead.clone().position(|taken| !taken.is_silent) else { return false };
        let silent = ahead.skip(next + 1).take_while(|taken| taken.is_silent).count();
        self.made += next + 1 + silent;
        true
    }

    /// Begins from the beginning; everything can be done again.
    pub fn reset(&mut self) {
        while self.undo() {}
    }

    /// Makes random steps, at most so many, until nothing more can be done; how many were made.
    pub fn random(&mut self, most: usize) -> usize {
        for number in 0..most {
            let offers = self.machine.offers(self.state());
            let Some(offer) = self.random.choice(offers) else { return number };
            let taken = match offer {
                Offer::One(taken) => taken,
                Offer::AnyValue { thread, edge, low, high } => {
                    let value = self.random.i128(low..=high);
                    Move::Execute { thread, edge, choice: Choice::Value(value) }
                }
            };
            self.take(taken).expect("what is offered is possible");
        }
        most
    }

    /// Makes random steps repeatable from here on.
    pub fn seed(&mut self, seed: u64) {
        self.random = Rng::with_seed(seed);
    }

    /// Puts a run in the place of this one, and goes to its beginning.
    pub fn load(&mut self, steps: &[Step]) -> Result<(), String> {
        let mut states = vec![self.machine.initial()];
        let mut loaded = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let state = states.last().expect("there is a first state");
            let (next, actions) = self
                .machine
                .apply(state, step.taken)
                .map_err(|why| format!("step {} of that run is not possible: {why}", number + 1))?;
            let step = Step { taken: step.taken, actions };
            let is_silent = self.view.goes_without_saying(&step);
            loaded.push(Taken { step, is_silent });
            states.push(next);
        }
        let silent = loaded.iter().take_while(|taken| taken.is_silent).count();
        (self.states, self.steps, self.made) = (states, loaded, silent);
        Ok(())
    }

    /// Why nothing can be done any more, if that is so.
    pub fn end(&self) -> Option<String> {
        if !self.machine.offers(self.state()).is_empty() {
            return None;
        }
        let state = self.state();
        let names = |which: &dyn Fn(ThreadId) -> bool| {
            let threads = self.machine.threads().enumerate();
            threads
                .filter(|(thread, _)| which(*thread))
                .map(|(_, thread)| thread.name.clone())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let is_stopped = |thread: ThreadId| {
            matches!(state.thread(thread).control(), semantics::Control::Stopped { .. })
        };
        let waits =
            |thread: ThreadId| !self.machine.has_ended(state, thread) && !is_stopped(thread);
        let (stopped, waiting) = (names(&is_stopped), names(&waits));
        Some(match (stopped.is_empty(), waiting.is_empty()) {
            (true, true) => "every thread has ended".to_owned(),
            (false, true) => format!("an error has stopped {stopped}; the others have ended"),
            (true, false) => format!("deadlock: {waiting} cannot continue"),
            (false, false) => format!("an error has stopped {stopped}; {waiting} cannot continue"),
        })
    }

    /// The name of a thread.
    pub fn name(&self, thread: ThreadId) -> &'a str {
        &self.machine.threads()[thread].name
    }

    /// The memory model in a word.
    pub const fn model(&self) -> &'static str {
        match self.machine.model() {
            Model::Sc => "SC",
            Model::Tso => "TSO",
        }
    }
}
