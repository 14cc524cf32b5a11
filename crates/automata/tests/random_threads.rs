//! Random families of threads: every way to search finds what a search that is too simple to be wrong
//! finds, and so do engines that get the automata as tables.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;

mod tabled;

use automata::{
    Answer, Effect, Mark, Mode, Options, PerCell, Reductions, Statistics, Step, Threads, View,
    search,
};

/// Threads whose steps and effects are drawn once.
struct Random {
    /// The class of each thread.
    classes: Vec<usize>,
    /// For each class and local state, its steps: cells with modes, and for each combination of
    /// contents what happens.
    steps: Vec<Vec<Vec<Drawn>>>,
    goal: (usize, u32),
    contents: u32,
    /// Whether the first cell is a counter: what is written to it is added instead.
    counts: bool,
}

struct Drawn {
    cells: Vec<(u32, Mode)>,
    /// By the contents of the cells that are read: nothing, or the next local state and contents.
    effects: Vec<Option<(u32, Vec<u32>)>>,
}

const LOCALS: u32 = 5;
const CELLS: u32 = 3;
/// Where a counter begins, and what it does not exceed.
const MIDDLE: u32 = 60;
const TOP: u32 = 120;

impl Random {
    fn new(seed: u64, counts: bool) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let classes = match rng.u8(..4) {
            0 => vec![0, 1],
            1 => vec![0, 0, 1],
            2 => vec![0, 0, 0],
            _ => vec![0, 1, 2],
        };
        let contents = rng.u32(2..4);
        // Some families loop, others always go on to a later local state.
        let loops = rng.bool();
        let mut draw_step = |local: u32| {
            let mut all: Vec<u32> = (0..CELLS).collect();
            rng.shuffle(&mut all);
            let touched = [0, 1, 1, 1, 2][rng.usize(..5)];
            let modes = [Mode::Read, Mode::Overwrite, Mode::Update];
            let cells: Vec<(u32, Mode)> =
                all[..touched].iter().map(|cell| (*cell, modes[rng.usize(..3)])).collect();
            let reads = cells.iter().filter(|(_, mode)| mode.reads()).count();
            let combinations = contents.pow(u32::try_from(reads).unwrap());
            let effects = (0..combinations).map(|_| {
                let next = if loops { rng.u32(..LOCALS) } else { rng.u32(local + 1..=LOCALS) };
                let written: Vec<u32> = cells.iter().map(|_| rng.u32(..contents)).collect();
                (rng.u8(..4) > 0).then_some((next.min(LOCALS - 1), written))
            });
            Drawn { effects: effects.collect(), cells }
        };
        let steps_of = [1, 1, 2, 2, 0];
        let mut number = 0;
        let mut draw_local = |local: u32| {
            number += 1;
            let steps = if local == LOCALS - 1 { 0 } else { steps_of[number % 5] };
            (0..steps).map(|_| draw_step(local)).collect::<Vec<_>>()
        };
        let steps = (0..3).map(|_| (0..LOCALS).map(&mut draw_local).collect()).collect();
        Self { classes, steps, goal: (0, LOCALS - 2), contents, counts }
    }

    fn drawn(&self, class: usize, local: u32) -> &[Drawn] {
        if (class, local) == self.goal { &[] } else { &self.steps[class][local as usize] }
    }
}

impl Threads for Random {
    type Local = u32;
    type Cell = u32;
    type Content = u32;
    type Name = usize;

    fn classes(&self) -> Vec<usize> {
        self.classes.clone()
    }

    fn initial(&self, _: usize) -> u32 {
        0
    }

    fn initial_content(&self, cell: u32) -> u32 {
        if self.counts && cell == 0 { MIDDLE } else { 0 }
    }

    fn steps(&self, class: usize, local: &u32) -> Vec<Step<u32, usize>> {
        let drawn = self.drawn(class, *local).iter().enumerate();
        drawn
            .map(|(name, drawn)| Step {
                name,
                cells: drawn.cells.iter().copied().collect(),
                may_block: true,
                // Every cycle comes back to a local state that is not later.
                closes_loop: drawn.effects.iter().flatten().any(|(next, _)| next <= local),
            })
            .collect()
    }

    fn effect(
        &self,
        class: usize,
        local: &u32,
        step: &Step<u32, usize>,
        contents: &[&u32],
    ) -> Effect<u32, u32> {
        let drawn = &self.drawn(class, *local)[step.name];
        let read = drawn.cells.iter().zip(contents).filter(|((_, mode), _)| mode.reads());
        let index =
            read.fold(0, |index, (_, content)| index * self.contents + **content % self.contents);
        let Some((next, written)) = &drawn.effects[index as usize] else { return Effect::Blocked };
        let after = drawn.cells.iter().zip(written.iter().zip(contents));
        let after = after.map(|((cell, mode), (new, old))| match mode {
            Mode::Read => Some(**old),
            Mode::Overwrite | Mode::Update if !self.counts || *cell > 0 => Some(*new),
            Mode::Overwrite => Some(MIDDLE + new),
            Mode::Update => (*old + new).checked_sub(1).filter(|sum| *sum <= TOP),
        });
        after
            .collect::<Option<PerCell<u32>>>()
            .map_or(Effect::Blocked, |after| Effect::Done(*next, after))
    }

    fn mark(&self, class: usize, local: &u32) -> Mark {
        Mark { goal: (class, *local) == self.goal, waiting: *local == 1, ..Mark::default() }
    }

    fn may_touch(&self, _: usize, _: &u32, touch: &mut dyn FnMut(u32, Mode)) -> bool {
        (0..CELLS).for_each(|cell| touch(cell, Mode::Update));
        true
    }
}

/// The local states and the contents.
type State = (Vec<u32>, Vec<u32>);

/// All reachable states with how far each is away, and the number of steps between them.
fn simply(threads: &Random) -> (BTreeMap<State, u64>, u64) {
    let contents = (0..CELLS).map(|cell| threads.initial_content(cell)).collect();
    let begin: State = (vec![0; threads.classes.len()], contents);
    let mut seen = BTreeMap::from([(begin.clone(), 0)]);
    let mut open = VecDeque::from([(begin, 0)]);
    let mut steps = 0;
    while let Some(((locals, contents), distance)) = open.pop_front() {
        for (thread, class) in threads.classes.iter().enumerate() {
            for step in threads.steps(*class, &locals[thread]) {
                let held: Vec<&u32> =
                    step.cells.iter().map(|(cell, _)| &contents[*cell as usize]).collect();
                let Effect::Done(next, after) =
                    threads.effect(*class, &locals[thread], &step, &held)
                else {
                    continue;
                };
                steps += 1;
                let (mut locals, mut contents) = (locals.clone(), contents.clone());
                locals[thread] = next;
                for ((cell, _), content) in step.cells.iter().zip(after) {
                    contents[*cell as usize] = content;
                }
                if let Entry::Vacant(new) = seen.entry((locals.clone(), contents.clone())) {
                    new.insert(distance + 1);
                    open.push_back(((locals, contents), distance + 1));
                }
            }
        }
    }
    (seen, steps)
}

fn run(threads: &Random, options: &Options) -> (Option<Vec<(usize, usize)>>, Statistics) {
    let (answer, statistics) = search(threads, options, |_| ControlFlow::Continue(()));
    match answer {
        Answer::Exhausted(_) => (None, statistics),
        Answer::Found(mut found) => (found.pop().map(|run| run.steps), statistics),
        Answer::Stopped(_) | Answer::TooWide { .. } | Answer::Unsuitable { .. } => {
            panic!("{answer:?}")
        }
    }
}

/// Whether a run found is one, and ends with a thread in the goal.
fn is_run(threads: &Random, steps: &[(usize, usize)]) -> bool {
    let mut locals = vec![0; threads.classes.len()];
    let mut contents: Vec<u32> = (0..CELLS).map(|cell| threads.initial_content(cell)).collect();
    for (thread, name) in steps {
        let class = threads.classes[*thread];
        let all = threads.steps(class, &locals[*thread]);
        let Some(step) = all.into_iter().find(|step| step.name == *name) else { return false };
        let held: Vec<&u32> =
            step.cells.iter().map(|(cell, _)| &contents[*cell as usize]).collect();
        let Effect::Done(next, after) = threads.effect(class, &locals[*thread], &step, &held)
        else {
            return false;
        };
        for ((cell, _), content) in step.cells.iter().zip(after) {
            contents[*cell as usize] = content;
        }
        locals[*thread] = next;
    }
    threads.classes.iter().zip(&locals).any(|(class, local)| (*class, *local) == threads.goal)
}

/// Searches in every way and compares with the simple search; what the searches did.
fn every_way(threads: &Random, seed: u64, first_looks: &[u64]) -> (bool, Vec<Statistics>) {
    let (states, steps) = simply(threads);
    let is_goal = |(locals, _): &State| {
        let mut locals = locals.iter().zip(&threads.classes);
        locals.any(|(local, class)| (*class, *local) == threads.goal)
    };
    let goals = states.iter().filter(|(state, _)| is_goal(state));
    let nearest = goals.map(|(_, distance)| *distance).min();
    let expected = nearest.is_some();
    // A goal ends the search with the level where it is.
    let depth = nearest.or(states.values().max().copied()).unwrap_or(0);
    let whole_levels = states.values().filter(|distance| **distance <= depth).count() as u64;
    let mut all = Vec::new();
    for bits in 0..8_u8 {
        let reductions = Reductions {
            local: bits & 1 != 0,
            exclusive: true,
            persistent: bits & 2 != 0,
            symmetry: bits & 4 != 0,
        };
        let reductions = if bits == 0 { Reductions::NONE } else { reductions };
        let grows = Options { reductions, precompile_budget: 0, ..Options::default() };
        let knows = |probe_states: &u64| Options {
            reductions,
            precompile_budget: 1 << 16,
            probe_states: *probe_states,
            ..Options::default()
        };
        for options in std::iter::once(grows).chain(first_looks.iter().map(knows)) {
            let at = format!("seed {seed}, {reductions:?}, {options:?}");
            let (found, did) = run(threads, &options);
            assert_eq!(found.is_some(), expected, "{at}");
            if let Some(steps) = &found {
                assert!(is_run(threads, steps), "{at}");
            } else if bits == 0 {
                assert_eq!(did.transitions, steps, "{at}");
            }
            if bits == 0 {
                assert_eq!((did.states, did.depth), (whole_levels, depth), "{at}");
            }
            // The same with more threads searching.
            let parallel = Options { threads: 3, ..options };
            let (again, did_again) = run(threads, &parallel);
            assert_eq!((again.is_some(), did_again.states), (expected, did.states), "{at}");
            all.push(did);
        }
    }
    (expected, all)
}

#[test]
fn every_way_to_search_finds_the_same() {
    let mut found_some = [0, 0];
    for seed in 0..1500 {
        let (found, _) = every_way(&Random::new(seed, false), seed, &[0]);
        found_some[usize::from(found)] += 1;
    }
    assert!(found_some.iter().all(|count| *count > 100), "{found_some:?}");
}

/// Counters have more contents in the automata than in the states: they are confined to those that a
/// short look has shown, which is sometimes enough and sometimes not.
#[test]
fn counters_that_are_confined_do_not_hide_anything() {
    let mut found_some = [0, 0];
    let (mut surprised, mut given_up, mut never_surprised) = (0, 0, 0);
    for seed in 0..300 {
        let (found, did) = every_way(&Random::new(seed, true), seed, &[0, 3, 30]);
        found_some[usize::from(found)] += 1;
        for did in did {
            surprised += u32::from(did.is_complete && did.restarts > 0);
            given_up += u32::from(!did.is_complete && did.restarts > 4);
            never_surprised += u32::from(did.is_complete && did.restarts == 0);
        }
    }
    assert!(found_some.iter().all(|count| *count > 20), "{found_some:?}");
    assert!(surprised > 50 && given_up > 20 && never_surprised > 50, "{surprised} {given_up}");
}

/// Random threads whose cells are forgotten by a guess at random.
struct Forgetful {
    threads: Random,
    /// For each class and local state, and for each content.
    knows: Vec<Vec<u64>>,
    leads_to: Vec<u64>,
}

/// What a cell holds that is forgotten, and where a thread is that has read it.
const LOST: u32 = 1000;

impl Forgetful {
    fn new(seed: u64) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let density = rng.u8(1..8);
        let mut guess =
            || (0..CELLS).fold(0, |all, cell| all | u64::from(rng.u8(..8) < density) << cell);
        let knows = (0..3).map(|_| (0..LOCALS).map(|_| guess()).collect()).collect();
        let leads_to = (0..4).map(|_| guess() & guess()).collect();
        Self { threads: Random::new(seed, false), knows, leads_to }
    }
}

impl Threads for Forgetful {
    type Local = u32;
    type Cell = u32;
    type Content = u32;
    type Name = usize;

    fn classes(&self) -> Vec<usize> {
        self.threads.classes()
    }

    fn initial(&self, thread: usize) -> u32 {
        self.threads.initial(thread)
    }

    fn initial_content(&self, cell: u32) -> u32 {
        self.threads.initial_content(cell)
    }

    fn steps(&self, class: usize, local: &u32) -> Vec<Step<u32, usize>> {
        if *local == LOST { Vec::new() } else { self.threads.steps(class, local) }
    }

    fn effect(
        &self,
        class: usize,
        local: &u32,
        step: &Step<u32, usize>,
        contents: &[&u32],
    ) -> Effect<u32, u32> {
        let mut met = step.cells.iter().zip(contents);
        if met.any(|((_, mode), content)| mode.reads() && **content == LOST) {
            return Effect::Done(LOST, contents.iter().map(|content| **content).collect());
        }
        self.threads.effect(class, local, step, contents)
    }

    fn forgettable(&self, cell: u32) -> Option<(u8, u32)> {
        // The last one belongs to no object.
        (cell + 1 < CELLS).then(|| (u8::try_from(cell).unwrap(), LOST))
    }

    fn knows(&self, class: usize, local: &u32) -> u64 {
        if *local == LOST { 0 } else { self.knows[class][*local as usize] }
    }

    fn leads_to(&self, content: &u32) -> u64 {
        if *content == LOST { 0 } else { self.leads_to[*content as usize] }
    }

    fn mark(&self, class: usize, local: &u32) -> Mark {
        match *local {
            LOST => Mark { noted: true, void: true, ..Mark::default() },
            _ => self.threads.mark(class, local),
        }
    }

    fn may_touch(&self, class: usize, local: &u32, touch: &mut dyn FnMut(u32, Mode)) -> bool {
        self.threads.may_touch(class, local, touch)
    }
}

/// Whatever is thought of who gets where: if nobody reads what was forgotten, the answer is right.
#[test]
fn what_is_forgotten_is_never_missed_unnoticed() {
    let (mut right, mut refuted, mut fewer) = ([0, 0], 0, 0);
    for seed in 0..3000 {
        let threads = Forgetful::new(seed);
        let (states, _) = simply(&threads.threads);
        let is_goal = |(locals, _): &State| {
            let mut locals = locals.iter().zip(&threads.threads.classes);
            locals.any(|(local, class)| (*class, *local) == threads.threads.goal)
        };
        let expected = states.keys().any(is_goal);
        for bits in 0..8_u8 {
            let [local, persistent, symmetry] = [1, 2, 4].map(|bit| bits & bit != 0);
            let reductions = Reductions { local, exclusive: true, persistent, symmetry };
            let reductions = if bits == 0 { Reductions::NONE } else { reductions };
            for precompile_budget in [0, 1 << 16] {
                let options = Options {
                    reductions,
                    precompile_budget,
                    probe_states: 0,
                    ..Options::default()
                };
                let (answer, did) = search(&threads, &options, |_| ControlFlow::Continue(()));
                match answer {
                    Answer::Found(found) => {
                        assert!(expected, "seed {seed}, {options:?}");
                        assert!(is_run(&threads.threads, &found[0].steps), "seed {seed}");
                        right[1] += 1;
                    }
                    Answer::Exhausted(noted) if noted.is_empty() => {
                        assert!(!expected, "seed {seed}, {options:?}");
                        right[0] += 1;
                        fewer += u32::from(bits == 0 && did.states < states.len() as u64);
                    }
                    Answer::Exhausted(_) => refuted += 1,
                    Answer::Stopped(_) | Answer::TooWide { .. } | Answer::Unsuitable { .. } => {
                        panic!("{answer:?}")
                    }
                }
            }
        }
    }
    assert!(right.iter().all(|count| *count > 1000), "{right:?}");
    assert!(refuted > 1000 && fewer > 20, "{refuted} {fewer}");
}

/// Two threads that do the same, each in local states of its own: who comes first takes a token and
/// goes on, and the other never does.
struct Token {
    goal: u32,
}

impl Threads for Token {
    type Local = u32;
    type Cell = u32;
    type Content = u32;
    type Name = ();

    fn classes(&self) -> Vec<usize> {
        vec![0, 0]
    }

    fn initial(&self, thread: usize) -> u32 {
        if thread == 0 { 0 } else { 10 }
    }

    fn initial_content(&self, _: u32) -> u32 {
        0
    }

    fn steps(&self, _: usize, local: &u32) -> Vec<Step<u32, ()>> {
        let cells = match local % 10 {
            0 => PerCell::from_iter([(0, Mode::Update)]),
            1 => PerCell::new(),
            _ => return Vec::new(),
        };
        vec![Step { name: (), cells, may_block: true, closes_loop: false }]
    }

    fn effect(
        &self,
        _: usize,
        local: &u32,
        step: &Step<u32, ()>,
        contents: &[&u32],
    ) -> Effect<u32, u32> {
        if contents.iter().any(|taken| **taken == 1) {
            return Effect::Blocked;
        }
        Effect::Done(local + 1, step.cells.iter().map(|_| 1).collect())
    }

    fn mark(&self, _: usize, local: &u32) -> Mark {
        Mark { goal: *local == self.goal, ..Mark::default() }
    }

    fn may_touch(&self, _: usize, _: &u32, touch: &mut dyn FnMut(u32, Mode)) -> bool {
        touch(0, Mode::Update);
        true
    }
}

/// Threads that are equal but for what is looked for are not exchanged: of two states of which one
/// leads to the goal, the other must not stand for it.
#[test]
fn threads_are_not_exchanged_if_one_of_them_is_looked_for() {
    for goal in [2, 12] {
        for precompile_budget in [0, 1 << 16] {
            let options = Options { precompile_budget, probe_states: 0, ..Options::default() };
            let (answer, _) = search(&Token { goal }, &options, |_| ControlFlow::Continue(()));
            assert!(matches!(answer, Answer::Found(_)), "{goal} {precompile_budget}: {answer:?}");
        }
    }
    // Nobody is looked for, so one of the two stands for both.
    let options = Options { precompile_budget: 1 << 16, probe_states: 0, ..Options::default() };
    let (answer, did) = search(&Token { goal: 99 }, &options, |_| ControlFlow::Continue(()));
    assert!(matches!(answer, Answer::Exhausted(_)) && did.states == 2, "{answer:?} {did:?}");
}

/// A counter without bound: explored as far as the limit allows, through several layouts.
#[test]
fn what_grows_without_bound_is_explored_up_to_a_limit() {
    struct Counter;
    impl Threads for Counter {
        type Local = u32;
        type Cell = u32;
        type Content = u64;
        type Name = ();
        fn classes(&self) -> Vec<usize> {
            vec![0, 0]
        }
        fn initial(&self, _: usize) -> u32 {
            0
        }
        fn initial_content(&self, _: u32) -> u64 {
            0
        }
        fn steps(&self, _: usize, _: &u32) -> Vec<Step<u32, ()>> {
            let cells = PerCell::from_iter([(0, Mode::Update)]);
            vec![Step { name: (), cells, may_block: false, closes_loop: true }]
        }
        fn effect(
            &self,
            _: usize,
            local: &u32,
            _: &Step<u32, ()>,
            contents: &[&u64],
        ) -> Effect<u32, u64> {
            Effect::Done(*local, PerCell::from_iter([contents[0] + 1]))
        }
        fn mark(&self, _: usize, _: &u32) -> Mark {
            Mark::default()
        }
        fn may_touch(&self, _: usize, _: &u32, _: &mut dyn FnMut(u32, Mode)) -> bool {
            false
        }
        fn has_condition(&self) -> bool {
            true
        }
        fn condition(&self, view: &View<'_, Self>) -> bool {
            view.content(0) == Some(&5000)
        }
    }
    let mut options = Options { reductions: Reductions::NONE, ..Options::default() };
    options.limits.states = Some(1000);
    let (answer, did) = search(&Counter, &options, |_| ControlFlow::Continue(()));
    assert!(matches!(answer, Answer::Stopped(explore::Limit::States)), "{answer:?}");
    assert_eq!(did.states, 1000);
    options.limits.states = Some(10_000);
    let (answer, did) = search(&Counter, &options, |_| ControlFlow::Continue(()));
    let Answer::Found(found) = answer else { panic!("{answer:?}") };
    assert_eq!(found[0].steps.len(), 5000);
    assert!(did.restarts > 2 && did.restarts < 20, "{did:?}");
}

/// An engine that gets the automata as tables finds the same as the simple search over the threads. With
/// counters it may meet what is not in the tables, and the automata then learn it or give up.
#[test]
fn automata_as_tables_are_the_same() {
    let (mut found_some, mut unsuitable) = ([0, 0], 0);
    for seed in 0..600 {
        for counts in [false, true] {
            let threads = Random::new(seed, counts);
            let options =
                Options { probe_states: 0, engine: Some(&tabled::Simple), ..Options::default() };
            let options = Options { reductions: Reductions::NONE, ..options };
            let (answer, did) = search(&threads, &options, |_| ControlFlow::Continue(()));
            let (states, steps) = simply(&threads);
            let is_goal = |(locals, _): &State| {
                let mut locals = locals.iter().zip(&threads.classes);
                locals.any(|(local, class)| (*class, *local) == threads.goal)
            };
            let goals = states.iter().filter(|(state, _)| is_goal(state));
            let nearest = goals.map(|(_, distance)| *distance).min();
            match answer {
                Answer::Found(found) => {
                    assert_eq!(nearest, Some(did.depth), "seed {seed}");
                    assert!(is_run(&threads, &found[0].steps), "seed {seed}");
                    found_some[1] += 1;
                }
                Answer::Exhausted(_) => {
                    assert_eq!(nearest, None, "seed {seed}");
                    let expected = (states.len() as u64, steps);
                    assert_eq!((did.states, did.transitions), expected, "seed {seed}");
                    found_some[0] += 1;
                }
                Answer::Unsuitable { .. } if counts => unsuitable += 1,
                Answer::Unsuitable { .. } | Answer::Stopped(_) | Answer::TooWide { .. } => {
                    panic!("seed {seed}: {answer:?}")
                }
            }
        }
    }
    assert!(found_some.iter().all(|count| *count > 200), "{found_some:?}");
    assert!((1..200).contains(&unsuitable), "{unsuitable}");
}

/// States in which all threads wait for ever are found by tables as they are by the search itself; the tables
/// say which states may be such, and nobody else is asked about the rest.
#[test]
fn stuck_states_are_found_in_tables() {
    let mut found_some = [0, 0];
    for seed in 0..2000 {
        let threads = Random::new(seed, false);
        let reductions = Reductions { local: seed % 2 == 0, ..Reductions::NONE };
        let here = Options { reductions, stuck: true, probe_states: 0, ..Options::default() };
        let there = Options { engine: Some(&tabled::Simple), ..here };
        let (found, did) = run(&threads, &here);
        let (found_there, did_there) = run(&threads, &there);
        assert_eq!(found_there.map(|run| run.len()), found.as_ref().map(Vec::len), "seed {seed}");
        let figures = |did: &Statistics| (did.states, did.transitions, did.depth);
        assert_eq!(figures(&did_there), figures(&did), "seed {seed}");
        assert!(did_there.is_elsewhere && !did.is_elsewhere, "seed {seed}");
        // Not a goal, so somebody waits there.
        let is_stuck = found.is_some_and(|steps| !is_run(&threads, &steps));
        found_some[usize::from(is_stuck)] += 1;
    }
    assert!(found_some.iter().all(|count| *count > 40), "{found_some:?}");
}
