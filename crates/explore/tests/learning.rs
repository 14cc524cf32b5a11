//! Systems that do not know all their successors from the beginning.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use explore::{Limits, Lookout, Outcome, Search, State, System, Unknown, Unlearnt, search};

/// All sets of `bits` bits. What may be put in must have been learned first, a bit at a time, and
/// only when somebody asked for it.
struct Curious {
    bits: u32,
    learned: u32,
    most: u32,
    asked: Mutex<BTreeSet<u32>>,
    lessons: u32,
    goal: Option<u64>,
}

impl Curious {
    fn new(bits: u32, most: u32, goal: Option<u64>) -> Self {
        Self { bits, learned: 2, most, asked: Mutex::new(BTreeSet::new()), lessons: 0, goal }
    }
}

impl System<2> for Curious {
    fn initial(&self, number: usize) -> Option<State<2>> {
        [[0, 0]].get(number).copied()
    }
    fn successors(
        &self,
        [zero, state]: &State<2>,
        mut visit: impl FnMut(State<2>),
    ) -> Result<(), Unknown> {
        // A bit may follow the one below it.
        for bit in 0..self.bits {
            if bit == 0 || state & (1 << (bit - 1)) != 0 {
                if bit >= self.learned {
                    self.asked.lock().unwrap().insert(bit);
                    return Err(Unknown);
                }
                visit([*zero, state ^ (1 << bit)]);
            }
        }
        Ok(())
    }
    fn is_goal(&self, [_, state]: &State<2>) -> bool {
        self.goal == Some(*state)
    }
    fn learn(&mut self, _: &mut Lookout) -> Result<(), Unlearnt> {
        self.lessons += 1;
        let asked = std::mem::take(self.asked.get_mut().unwrap());
        let last = *asked.last().expect("somebody asked");
        assert!(last >= self.learned);
        self.learned = last + 1;
        if self.learned > self.most { Err(Unlearnt::Outgrown) } else { Ok(()) }
    }
}

fn run(system: &mut Curious, threads: usize) -> Search<2> {
    search(system, threads, &Limits::default(), |_| ControlFlow::Continue(()))
}

#[test]
fn what_is_learned_in_between_is_as_if_it_had_been_known() {
    for goal in [None, Some(1 << 14), Some((1 << 15) - 1)] {
        let mut wise = Curious { learned: 15, ..Curious::new(15, 15, goal) };
        let expected = run(&mut wise, 1);
        assert_eq!(wise.lessons, 0);
        for threads in [1, 2, 3, 8] {
            let mut curious = Curious::new(15, 15, goal);
            let found = run(&mut curious, threads);
            assert!(curious.lessons > 5);
            assert_eq!(found.outcome, expected.outcome);
            assert_eq!(found.statistics.states, expected.statistics.states);
            assert_eq!(found.statistics.transitions, expected.statistics.transitions);
            assert_eq!(found.statistics.depth, expected.statistics.depth);
        }
    }
}

#[test]
fn a_system_can_outgrow_its_packing() {
    for threads in [1, 2] {
        assert_eq!(run(&mut Curious::new(15, 10, None), threads).outcome, Outcome::Outgrown);
        let goal = Some((1 << 9) - 1);
        let found = run(&mut Curious::new(15, 10, goal), threads).outcome;
        assert!(matches!(found, Outcome::Found(path) if path.len() == 10));
    }
}

/// Its successors are never known.
struct Mute;

impl System<1> for Mute {
    fn initial(&self, number: usize) -> Option<State<1>> {
        [[1], [2]].get(number).copied()
    }
    fn successors(&self, _: &State<1>, mut visit: impl FnMut(State<1>)) -> Result<(), Unknown> {
        visit([3]);
        Err(Unknown)
    }
    fn is_goal(&self, [state]: &State<1>) -> bool {
        *state == 3
    }
}

#[test]
fn what_an_unknown_state_visited_is_forgotten() {
    let found = search(&mut Mute, 1, &Limits::default(), |_| ControlFlow::Continue(()));
    assert_eq!(found.outcome, Outcome::Outgrown);
    assert_eq!((found.statistics.states, found.statistics.transitions), (2, 0));
}
