//! The compiled form of a program has the states and transitions of the semantics, and no reduction
//! changes an answer: on random programs, against the oracle, which decides from definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Mutex;

use automata::{Answer, Effect, LocalStep, Options, Threads, View, search};
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::shrink::hold_for_all;
use oracle::{Census, Feature, plain_configurations};
use program::index::Idx;
use program::{
    IndexVec, LabelId, Observable, Program, Quantifier, RegisterId, StateProposition, TemplateId,
    ThreadId, Value,
};
use semantics::{Control, Machine, Model, State};

use super::{Cell, Content, Local, Look, Name, Sc, StateCondition};
use crate::reach::{Query, reach};
use crate::verdict::{Reductions, Verdict};

/// A state without anything that depends on how it is represented.
type Plain = (
    Vec<(Control, IndexVec<RegisterId, Value>, Option<Value>)>,
    BTreeMap<Value, Value>,
    Option<ThreadId>,
);

fn plain(state: &State) -> Plain {
    let threads = state.threads().iter();
    let threads = threads
        .map(|one| (one.control(), one.registers().clone(), one.reservation().first().copied()));
    (threads.collect(), state.changed_memory().clone(), state.lock_holder())
}

/// All states that the semantics reaches and the number of moves between them; nothing if there are
/// too many.
fn by_the_semantics(program: &Program, most: usize) -> Option<(BTreeSet<State>, u64)> {
    let machine = Machine::new(program, Model::Sc).expect("a definite program");
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut open = vec![machine.initial()];
    let mut moves = 0;
    while let Some(state) = open.pop() {
        for taken in machine.moves(&state) {
            moves += 1;
            let (next, _) = machine.apply(&state, taken).expect("an enabled move");
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if seen.len() > most {
            return None;
        }
    }
    Some((seen, moves))
}

fn decoded(program: &Program, threads: usize, view: &View<'_, Sc<'_>>) -> Plain {
    let locals: Vec<_> = (0..threads).map(|thread| view.local(thread)).collect();
    let reservation = |thread: usize, reserved: Option<super::Extent>| {
        let (address, _) = reserved?;
        let content = view.content(Cell::Memory(address))?;
        content.is_reserved_by(thread).then_some(address)
    };
    let numbered = locals.iter().enumerate();
    let states = numbered.map(|(thread, local)| {
        (local.control, local.registers.clone(), reservation(thread, local.reserved))
    });
    let initial = |address| program.memory().cell(address).expect("a cell").initial;
    let changed = view.cells().filter_map(|(cell, content)| match cell {
        Cell::Memory(address) if initial(address) != content.value => {
            Some((address, content.value))
        }
        Cell::Memory(_) | Cell::Lock | Cell::Published(_) => None,
    });
    let holder = locals.iter().position(|local| local.holds_lock);
    (states.collect(), changed.collect(), holder.map(ThreadId::new))
}

/// The states that the engine reaches without reductions, and the number of transitions.
fn by_the_engine(program: &Program, precompile_budget: usize) -> (BTreeSet<Plain>, u64) {
    let seen = Mutex::new(BTreeSet::new());
    let threads = program.threads().expect("a definite program").len();
    let look = Look {
        condition: Some(StateCondition {
            holds: Box::new(|_: &Sc<'_>, view: &View<'_, Sc<'_>>| {
                seen.lock().unwrap().insert(decoded(program, threads, view));
                false
            }),
            is_symmetric: false,
            is_of_ends: false,
        }),
        ..Look::at_nothing()
    };
    let sc = Sc::new(program, look).expect("a definite program");
    let reductions = automata::Reductions::NONE;
    let options = Options { reductions, precompile_budget, probe_states: 0, ..Options::default() };
    let (answer, did) = search(&sc, &options, |_| ControlFlow::Continue(()));
    assert!(matches!(answer, Answer::Exhausted(_)));
    drop(sc);
    (seen.into_inner().unwrap(), did.transitions)
}

fn has_exclusives(program: &Program) -> bool {
    let mut edges = program.templates().iter().flat_map(program::Template::edges);
    edges.any(|edge| edge.instruction.memory_access().is_some_and(|(_, how)| how.exclusive))
}

/// Whether states and transitions are the same, whether the automata are built before the search or
/// during it.
fn same_states(program: &Program) -> Option<bool> {
    let (states, moves) = by_the_semantics(program, 3000)?;
    let expected: BTreeSet<Plain> = states.iter().map(plain).collect();
    Some([0, 1 << 14].into_iter().all(|precompile_budget| {
        let (found, transitions) = by_the_engine(program, precompile_budget);
        // A reservation that is gone is remembered for a while, so a state can be there twice.
        found == expected && (transitions == moves || has_exclusives(program))
    }))
}

/// The programs that are compared: without loops, with loops that end, and with any.
const SHAPES: [Shape; 3] = [Shape::LOOP_FREE, Shape::COUNTED, Shape::LOOPING];

/// Checks a property of `count` programs of each shape, of which at least so many can be checked.
fn check(
    count: usize,
    at_least: usize,
    seed: u64,
    mut property: impl FnMut(&Program) -> Option<bool>,
) {
    for shape in SHAPES {
        let programs = random_programs(seed, shape).take(count);
        let checked = hold_for_all(programs, &mut property, frontend::fw::print);
        assert!(checked >= at_least, "only {checked} programs were checked: {shape:?}");
    }
}

#[test]
fn states_and_transitions_are_those_of_the_semantics() {
    check(200, 185, 11, same_states);
}

/// What [`Threads::take_local_step`] says and does, found out step by step.
fn passage(sc: &Sc<'_>, class: usize, local: &Local) -> (LocalStep<Name>, Local) {
    let mark = sc.mark(class, local);
    let steps = sc.steps(class, local);
    let touches = steps.iter().any(|step| !step.cells.is_empty());
    let mut possible = steps.iter().filter_map(|step| match step.cells.as_slice() {
        [] => match sc.effect(class, local, step, &[]) {
            Effect::Done(next, _) => Some((step, next)),
            Effect::Blocked => None,
        },
        _ => None,
    });
    match (possible.next(), possible.next()) {
        _ if mark.goal || mark.visible || touches => (LocalStep::Rests, local.clone()),
        (None, _) => (LocalStep::Rests, local.clone()),
        (Some((step, next)), None) => {
            (LocalStep::Passed { name: step.name, closes_loop: step.closes_loop }, next)
        }
        (Some(_), Some(_)) => (LocalStep::Unsaid, local.clone()),
    }
}

/// Whether each thread by itself passes through its local states as its steps say, whatever it reads
/// of a few values.
fn passes_as_steps_say(program: &Program) -> bool {
    let looks = [(true, true), (false, true), (true, false)].map(|(faults, forget)| Look {
        faults,
        forget_dead_registers: forget,
        visible_labels: if faults {
            Vec::new()
        } else {
            vec![(TemplateId::new(0), LabelId::new(1))]
        },
        ..Look::at_nothing()
    });
    looks.into_iter().all(|look| {
        let sc = Sc::new(program, look).expect("a definite program");
        let beginnings = sc.classes().into_iter().enumerate();
        let mut open: Vec<(usize, Local)> =
            beginnings.map(|(thread, class)| (class, sc.initial(thread))).collect();
        let mut seen: BTreeSet<(usize, Local)> = open.iter().cloned().collect();
        while let Some((class, local)) = open.pop() {
            let mut next = local.clone();
            let passed = sc.take_local_step(class, &mut next);
            if passed != LocalStep::Unsaid && (passed, next) != passage(&sc, class, &local) {
                return false;
            }
            for step in sc.steps(class, &local) {
                for value in 0..3 {
                    let content = Content::of(value);
                    let contents: Vec<&Content> = step.cells.iter().map(|_| &content).collect();
                    let effect = sc.effect(class, &local, &step, &contents);
                    let Effect::Done(next, _) = effect else { continue };
                    if seen.len() < 500 && seen.insert((class, next.clone())) {
                        open.push((class, next));
                    }
                }
            }
        }
        true
    })
}

#[test]
fn threads_pass_as_their_steps_say() {
    check(150, 150, 15, |program| Some(passes_as_steps_say(program)));
}

/// What a verdict says.
fn decided<E>(verdict: &Verdict<E>) -> Option<bool> {
    match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Undecided(_) => None,
    }
}

/// Whether faults, deadlocks and final states that the program rules out are reachable, as the oracle
/// says, unless there are more than `most` states or a value overflows.
fn reachable(program: &Program, most: usize) -> Option<[bool; 3]> {
    let limits = oracle::Limits { max_states: most, max_length: 200 };
    let sc = oracle::MemoryModel::Sc;
    let faults = !oracle::reachable_faults(program, sc, &limits).ok()?.is_empty();
    let deadlocks = oracle::has_deadlock(program, sc, &limits).ok()?;
    let answer = oracle::answer(program, sc, &limits).ok()?;
    // An `exists` rules nothing out.
    let rules_out = program.question().condition.as_ref().is_some_and(|(quantifier, _)| {
        *quantifier != Quantifier::Exists && answer.is_some_and(|answer| !answer.holds)
    });
    Some([faults, deadlocks, rules_out])
}

/// Counts what the answers about a program are.
fn count(census: &mut Census, program: &Program, most: usize) {
    let Some([faults, deadlocks, broken]) = reachable(program, most) else { return };
    census.count(program);
    census.note(Feature::OtherFault, faults);
    census.note(Feature::Deadlock, deadlocks);
    let claims = program.question().condition.as_ref();
    let claims = claims.is_some_and(|(quantifier, _)| *quantifier != Quantifier::Exists);
    census.note(Feature::ClaimBroken, broken);
    census.note(Feature::ClaimHolds, claims && !broken);
}

fn all_reductions() -> impl Iterator<Item = Reductions> {
    (0..32_u8).map(|bits| Reductions {
        dead_registers: bits & 1 != 0,
        local_steps: bits & 2 != 0,
        locked_sections: bits & 4 != 0,
        partial_order: bits & 8 != 0,
        symmetry: bits & 16 != 0,
    })
}

/// Ways to search: with each set of reductions, by automata that grow with the search and by such that
/// are built before it, without and with a first look.
fn all_ways() -> impl Iterator<Item = crate::Options> {
    all_reductions().flat_map(|reductions| {
        [(0, 0), (1 << 12, 0), (1 << 12, 1 << 12)].map(|(precompile_budget, probe_states)| {
            crate::Options {
                reductions,
                precompile_budget,
                probe_states,
                ..crate::Options::default()
            }
        })
    })
}

/// Whether a query is answered by whether what it looks for is reachable, in every way to search.
/// Nothing is undecided here: there are few states, and no value overflows.
fn is_answered(program: &Program, query: &Query, reachable: bool) -> bool {
    all_ways().all(|options| {
        let report = reach(program, query, &options, |_| ControlFlow::Continue(()));
        decided(&report.expect("a definite program").verdict) == Some(!reachable)
    })
}

/// Whether each query is answered right in each way.
fn same_verdicts(program: &Program, most: usize) -> Option<bool> {
    let queries = [
        Query { faults: true, ..Query::default() },
        Query { deadlocks: true, ..Query::default() },
        Query { question: true, ..Query::default() },
    ];
    let mut queries = queries.iter().zip(reachable(program, most)?);
    Some(queries.all(|(query, reachable)| is_answered(program, query, reachable)))
}

/// What the programs with loops must have, for their answers to say much.
const FLOORS: [(Feature, usize); 8] = [
    (Feature::Loop, 20),
    (Feature::RangedRegister, 40),
    (Feature::WrappingRegister, 40),
    (Feature::Await, 15),
    (Feature::ClaimHolds, 30),
    (Feature::ClaimBroken, 8),
    (Feature::OtherFault, 10),
    (Feature::Deadlock, 8),
];

#[test]
fn no_reduction_changes_an_answer() {
    let mut census = Census::default();
    check(45, 40, 12, |program| {
        count(&mut census, program, 3000);
        same_verdicts(program, 3000)
    });
    census.assert_at_least(120, &FLOORS);
}

/// Whether somebody waits may depend on what a cell holds: a blocking update that the memory lock keeps
/// out waits for the lock only if it waits for nothing else.
#[test]
fn no_reduction_changes_who_is_kept_out() {
    let mut census = Census::default();
    let programs = random_programs(16, Shape::KEPT_OUT).take(800);
    let property = |program: &Program| {
        count(&mut census, program, 3000);
        let [_, deadlocks, _] = reachable(program, 3000)?;
        Some(is_answered(program, &Query { deadlocks: true, ..Query::default() }, deadlocks))
    };
    let checked = hold_for_all(programs, property, frontend::fw::print);
    assert!(checked >= 790, "only {checked} programs were checked");
    census.assert_at_least(
        790,
        &[(Feature::Section, 400), (Feature::BlockingReadWrite, 330), (Feature::Deadlock, 95)],
    );
}

/// Conditions on states on the way: where two threads are, and what a cell and a register hold.
fn goals(program: &Program) -> Vec<StateProposition> {
    let at = |template: usize, number: usize| {
        let template = TemplateId::new(template);
        let labels = program.template(template).labels().len();
        let label = LabelId::new(number % labels);
        StateProposition::At { template, copy: 0, label }
    };
    let cells = program.memory().locations().iter().map(|location| location.base);
    let holds = |value| {
        let cell = |address| StateProposition::Equals(Observable::Cell(address), value);
        cells.clone().map(cell).collect::<Vec<_>>()
    };
    let register = Observable::Register {
        template: TemplateId::new(0),
        copy: 0,
        register: RegisterId::new(0),
    };
    let mut goals = vec![
        StateProposition::All(vec![at(0, 1), at(1, 2)]),
        StateProposition::All(vec![at(0, 2), at(1, 1)]),
        StateProposition::All(vec![at(0, 3), StateProposition::Not(Box::new(at(1, 3)))]),
        StateProposition::Any(holds(2)),
        StateProposition::All(vec![StateProposition::Equals(register, 1), at(1, 1)]),
    ];
    let two: Vec<StateProposition> = holds(1).into_iter().take(2).collect();
    goals.push(StateProposition::All(two));
    goals
}

/// Whether each goal is found in each way exactly if it can be reached.
fn same_goals(program: &Program) -> Option<bool> {
    let limits = oracle::Limits { max_states: 3000, max_length: 200 };
    let states = plain_configurations(program, oracle::MemoryModel::Sc, &limits).ok()?;
    let has_registers = |template: &program::Template| !template.registers().is_empty();
    if program.templates().len() < 2 || !program.templates().iter().all(has_registers) {
        return None;
    }
    let threads = program.threads().expect("a definite program");
    Some(goals(program).into_iter().all(|goal| {
        let reachable = states.iter().any(|state| {
            let seen = |observable| state.see(program, observable);
            let at = |template, copy, label| {
                threads.iter().zip(&state.threads).any(|(thread, one)| {
                    (thread.template, thread.copy) == (template, copy)
                        && one.fault.is_none()
                        && one.label == label
                })
            };
            goal.holds(&at, &seen)
        });
        is_answered(program, &Query { goal: Some(goal), ..Query::default() }, reachable)
    }))
}

#[test]
fn no_reduction_hides_a_goal_or_invents_one() {
    check(25, 13, 14, same_goals);
}

/// Texts whose answers need what is easily left out: that an edge closes a loop, that a copy may leave
/// a range, that a question looks at registers, and that a goal may say where a thread is not.
#[test]
fn what_is_easily_left_out_is_found() {
    let faults = || Query { faults: true, ..Query::default() };
    let question = || Query { question: true, ..Query::default() };
    let goal = |program: &Program| {
        let at = |template: usize, name: &str| {
            let template = TemplateId::new(template);
            let labels = program.template(template).labels();
            let label = labels.enumerate().find(|(_, label)| label.name == name);
            StateProposition::At { template, copy: 0, label: label.expect("a label").0 }
        };
        let goal = vec![at(0, "end"), StateProposition::Not(Box::new(at(1, "end")))];
        Query { goal: Some(StateProposition::All(goal)), ..Query::default() }
    };
    let check = |text: &str, query: &dyn Fn(&Program) -> Query| {
        let program = parse(text);
        let options = crate::Options::default();
        let is_found = |options: &crate::Options| {
            let report = reach(&program, &query(&program), options, |_| ControlFlow::Continue(()));
            decided(&report.expect("a definite program").verdict) == Some(false)
        };
        assert!(is_found(&options) && all_ways().all(|options| is_found(&options)), "{text}");
    };
    check(
        "shared x, y
         thread p { while true { x = 1; x = 0 } }
         thread q { y = 1; y = 2; assert false }",
        &|_| faults(),
    );
    check(
        "shared x
         thread p { local s, r: 0..=3; s = x; r = s }
         thread q { x = 9 }",
        &|_| faults(),
    );
    check("shared x\nthread p { x = 1 }\nthread q { x = 2 }\nalways x == 1", &|_| question());
    check(
        "shared x, y
         thread p { local r; r = x; y = 1 }
         thread q { x = 1 }
         never p.r == 1",
        &|_| question(),
    );
    check(
        "shared g
         thread p { local r; r = g; assume r == 1; end: stop }
         thread q { g = 1; skip; end: stop }",
        &goal,
    );
}

fn parse(text: &str) -> Program {
    let mut sources = program::Sources::new();
    let source = sources.add("text.fw", text);
    let settings = frontend::Settings::default();
    let program = frontend::load(&sources, source, frontend::Language::Fw, &settings);
    program.unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// The same program with two copies of its first thread, which are equal.
fn with_copies(program: &Program) -> Program {
    program.with_count(TemplateId::new(0), 2)
}

#[test]
fn no_reduction_changes_an_answer_about_copies() {
    let mut census = Census::default();
    check(30, 26, 13, |program| {
        let program = with_copies(program);
        count(&mut census, &program, 3000);
        same_verdicts(&program, 3000)
    });
    census.assert_at_least(
        80,
        &[
            (Feature::EqualCopies, 40),
            (Feature::CopiesWithIdentities, 6),
            (Feature::Loop, 15),
            (Feature::ClaimHolds, 20),
            (Feature::ClaimBroken, 4),
            (Feature::Deadlock, 4),
        ],
    );
}

/// Families whose copies know who they are, and index arrays by it or store it.
#[test]
fn symmetry_by_identities_changes_no_answer() {
    let texts = [
        // Equal but for who they are: a flag each, and the last one's identity in a cell.
        "shared flag[3], last, inside
         thread p[i in 0..3] {
           flag[i] = 1
           last = i
           if last == i { fetch_add(inside, 1); assert inside < 3; fetch_sub(inside, 1) }
           flag[i] = 0
         }",
        // Somebody looks at a certain one.
        "shared flag[3]
         thread p[i in 0..3] { flag[i] = 1; flag[i] = 0 }
         thread q { local a, b; a = flag[0]; b = flag[1]; assert a + b < 2 }",
        // One of them waits for his neighbour.
        "shared flag[3]
         thread p[i in 0..3] { flag[i] = 1; await flag[(i + 1) % 3] == 1 }",
        "shared lock, count: u2
         thread p[i in 0..3] {
           local r
           r = 1
           while r != 0 { r = cas(lock, 0, i + 1) }
           count = count + 1
           assert count == 1
           count = count - 1
           lock = 0
         }",
        // Several ways to begin are what is looked for.
        "shared a[2]
         thread p { local i; i = choose(0..=4); a[i] = 1 }",
    ];
    for text in texts {
        let program = parse(text);
        assert_eq!(same_verdicts(&program, 50_000), Some(true), "{text}");
        let states = |symmetry| {
            let reductions = Reductions { symmetry, ..Reductions::ALL };
            let options =
                crate::Options { reductions, probe_states: 0, ..crate::Options::default() };
            let query = Query { deadlocks: true, ..Query::default() };
            let report = reach(&program, &query, &options, |_| ControlFlow::Continue(()));
            report.expect("a definite program").statistics.states
        };
        if text.contains("lock = 0") {
            // All six orders of three threads are one, almost.
            assert!(states(true) * 4 < states(false), "{} {}", states(true), states(false));
        }
    }
}
