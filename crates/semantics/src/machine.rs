//! A program as a machine: states, the moves enabled in them, and what the moves do.

use program::{IndexVec, Instruction, Parameterised, Program, Template, Thread, ThreadId, Value};

use crate::action::{Action, Choice, Model, Move, NotEnabled, Offer};
use crate::state::{Control, State, ThreadState};
use crate::step::{effect, perform};

/// A program with its concrete threads, under a memory model.
#[derive(Clone, Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    threads: IndexVec<ThreadId, Thread>,
    model: Model,
}

impl<'p> Machine<'p> {
    /// The machine of a program whose templates all have a count.
    pub fn new(program: &'p Program, model: Model) -> Result<Self, Parameterised> {
        Ok(Self { program, threads: program.threads()?, model })
    }

    /// The program.
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// The memory model.
    pub const fn model(&self) -> Model {
        self.model
    }

    /// The concrete threads.
    pub const fn threads(&self) -> &IndexVec<ThreadId, Thread> {
        &self.threads
    }

    /// The template of a thread.
    pub fn template(&self, thread: ThreadId) -> &'p Template {
        self.program.template(self.threads[thread].template)
    }

    /// The state in which every computation starts.
    pub fn initial(&self) -> State {
        let start = |thread: &Thread| {
            let template = self.program.template(thread.template);
            ThreadState {
                control: Control::At(template.initial()),
                registers: template.initial_registers(thread.copy),
                buffer: [].into(),
                reservation: Vec::new(),
            }
        };
        State { threads: self.threads.iter().map(start).collect(), memory: [].into(), lock: None }
    }

    /// The value that memory holds at `address`, if there is a cell.
    pub fn in_memory(&self, state: &State, address: Value) -> Option<Value> {
        let cell = self.program.memory().cell(address).ok()?;
        Some(state.memory.get(&address).copied().unwrap_or(cell.initial))
    }

    /// Whether a thread is at a label that no edge leaves.
    pub fn has_ended(&self, state: &State, thread: ThreadId) -> bool {
        match state.threads[thread].control {
            Control::At(label) => self.template(thread).outgoing(label).len() == 0,
            Control::Stopped { .. } => false,
        }
    }

    /// Everything enabled in a state, thread by thread: first the commit, then the edges in source
    /// order.
    pub fn offers(&self, state: &State) -> Vec<Offer> {
        self.threads
            .indices()
            .flat_map(|thread| self.conceivable(state, thread))
            .filter(|offer| {
                // Whether an assignment of any value is enabled does not depend on the value.
                let first = offer.moves().next().expect("an offer is of at least one move");
                effect(self, state, first).is_ok()
            })
            .collect()
    }

    /// The moves enabled in a state, in the order of [`Machine::offers`]. There can be very many
    /// where a program chooses from a large range; they are made one by one.
    pub fn moves(&self, state: &State) -> impl Iterator<Item = Move> + use<> {
        self.offers(state).into_iter().flat_map(Offer::moves)
    }

    /// Makes a move.
    pub fn apply(&self, state: &State, taken: Move) -> Result<(State, Vec<Action>), NotEnabled> {
        let effect = effect(self, state, taken)?;
        Ok((perform(self, state, taken.thread(), &effect), effect.actions))
    }

    /// What keeps a thread from committing, if it has something to commit, and from executing each
    /// edge that leaves its label, except for those that it can execute.
    pub fn blocked(&self, state: &State, thread: ThreadId) -> Vec<(Move, NotEnabled)> {
        self.conceivable(state, thread)
            .into_iter()
            // One value stands for all: whether a move is enabled does not depend on it.
            .filter_map(|offer| offer.moves().next())
            .filter_map(|taken| Some((taken, effect(self, state, taken).err()?)))
            .filter(|(_, why)| *why != NotEnabled::BufferEmpty)
            .collect()
    }

    /// What a thread can do in a state if nothing is in its way.
    fn conceivable(&self, state: &State, thread: ThreadId) -> Vec<Offer> {
        let mut offers = vec![Offer::One(Move::Commit { thread })];
        let Control::At(label) = state.threads[thread].control else {
            return offers;
        };
        let template = self.template(thread);
        for edge in template.outgoing(label) {
            let with = |choice| Offer::One(Move::Execute { thread, edge, choice });
            match template.edge(edge).instruction {
                Instruction::Choose { low, high, .. } => {
                    offers.push(Offer::AnyValue { thread, edge, low, high });
                }
                Instruction::StoreExclusive { .. } => {
                    offers.extend([with(Choice::Succeed), with(Choice::Fail)]);
                }
                Instruction::Skip
                | Instruction::Assign { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_)
                | Instruction::Load { .. }
                | Instruction::Store { .. }
                | Instruction::Update { .. }
                | Instruction::Fence(_)
                | Instruction::Lock
                | Instruction::Unlock => offers.push(with(Choice::Determined)),
            }
        }
        offers
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sample::*;

    fn reachable(machine: &Machine<'_>) -> BTreeSet<State> {
        let mut seen = BTreeSet::from([machine.initial()]);
        let mut open = vec![machine.initial()];
        while let Some(state) = open.pop() {
            for taken in machine.moves(&state) {
                let (next, _) = machine.apply(&state, taken).expect("offered moves are enabled");
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        seen
    }

    fn check_final_states(program: &Program, model: Model, expected: usize) {
        let machine = Machine::new(program, model).unwrap();
        let ended = |state: &&State| machine.offers(state).is_empty();
        assert_eq!(reachable(&machine).iter().filter(ended).count(), expected, "{model:?}");
    }

    #[test]
    fn store_buffering_has_one_more_outcome_under_tso() {
        check_final_states(&dekker(), Model::Sc, 3);
        check_final_states(&dekker(), Model::Tso, 4);
        let fence = || Instruction::Fence(program::FenceKind::Full);
        let fenced = program(vec![
            vec![store(X, 1), fence(), load(1, Y)],
            vec![store(Y, 1), fence(), load(2, X)],
        ]);
        check_final_states(&fenced, Model::Tso, 3);
        let seq_cst = program(vec![
            vec![store_seq_cst(X, 1), load(1, Y)],
            vec![store_seq_cst(Y, 1), load(2, X)],
        ]);
        check_final_states(&seq_cst, Model::Tso, 3);
    }

    #[test]
    fn sc_states_have_empty_buffers() {
        let program = dekker();
        let machine = Machine::new(&program, Model::Sc).unwrap();
        assert!(reachable(&machine).iter().all(State::buffers_are_empty));
    }

    #[test]
    fn only_choices_that_an_instruction_leaves_open_are_made() {
        let chosen = Instruction::Choose { register: r(0), low: 1, high: 2 };
        let program =
            program(vec![vec![chosen], vec![store_exclusive(0, X, 1)], vec![store(X, 1)]]);
        let machine = Machine::new(&program, Model::Tso).unwrap();
        let all = [0, 1, 3].map(Choice::Value);
        let all = [&all[..], &[Choice::Determined, Choice::Succeed, Choice::Fail]].concat();
        let fits = |thread, choice| {
            let made = machine.apply(&machine.initial(), choose(thread, 0, choice));
            made.err() != Some(NotEnabled::ChoiceDoesNotFit)
        };
        let fitting = |thread| -> Vec<Choice> {
            all.iter().copied().filter(|choice| fits(thread, *choice)).collect()
        };
        assert_eq!(fitting(0), [Choice::Value(1)]);
        assert_eq!(fitting(1), [Choice::Succeed, Choice::Fail]);
        assert_eq!(fitting(2), [Choice::Determined]);
    }

    #[test]
    fn a_huge_choice_is_one_offer() {
        let (low, high) = (Value::from(i64::MIN), Value::from(i64::MAX));
        let any = Instruction::Choose { register: r(0), low, high };
        let program = program(vec![vec![any]]);
        let machine = Machine::new(&program, Model::Tso).unwrap();
        let offers = machine.offers(&machine.initial());
        assert_eq!(offers.len(), 1);
        let first = choose(0, 0, Choice::Value(low));
        assert_eq!(machine.moves(&machine.initial()).next(), Some(first));
    }
}
