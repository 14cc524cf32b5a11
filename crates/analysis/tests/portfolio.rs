//! The order in which methods are asked, what is not asked, and that no method contradicts the others.

use std::cell::RefCell;
use std::ops::ControlFlow;

use analysis::portfolio::{
    Abstraction, Attacks, Buffers, ControlFlowAlone, Method, Patterns, Portfolio, Reply, Said,
    Strength, Task,
};
use analysis::{
    Basis, Checked, Criterion, Depth, Options, Proof, Reason, Statistics, Verdict, Whole, check,
};
use oracle::generate::random::{Shape, random_programs};
use oracle::{Limits, has_data_race, holds};
use program::{Parameterised, Program};

fn load(text: &str) -> Program {
    let mut sources = program::Sources::new();
    let source = sources.add("test.fw", text);
    let settings = frontend::Settings::default();
    frontend::load(&sources, source, frontend::Language::Fw, &settings).expect("a program")
}

const SB: &str = "\
shared x, y
thread p { local r; x = 1; r = y }
thread q { local r; y = 1; r = x }
";

const MP: &str = "\
shared data, flag, own
thread p { local r; data = 1; flag = 1; r = own }
thread q { local f, d; f = flag; d = data }
";

fn ask(
    methods: Vec<Box<dyn Method<Parameterised> + '_>>,
    program: &Program,
    criteria: &[Criterion],
) -> Vec<Checked> {
    let options = &Options::default();
    let watch = &mut |_: &analysis::Progress| ControlFlow::Continue(());
    let mut task = Task { program, criteria, options, watch };
    Portfolio::new(methods).answer(&mut task).expect("definite threads")
}

/// A method that says what it is told to, and remembers what it was asked.
struct Told<'l> {
    name: &'static str,
    about: Criterion,
    strength: Strength,
    says: fn(&Program) -> Said,
    log: &'l RefCell<Vec<(&'static str, Criterion)>>,
}

impl Method<Parameterised> for Told<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn strength(&self, criterion: Criterion) -> Option<Strength> {
        (criterion == self.about).then_some(self.strength)
    }

    fn answer(
        &mut self,
        criterion: Criterion,
        task: &mut Task<'_, '_>,
    ) -> Result<Reply, Parameterised> {
        self.log.borrow_mut().push((self.name, criterion));
        let statistics = Statistics { states: 10, ..Statistics::default() };
        Ok(Reply { said: (self.says)(task.program), statistics, remark: None })
    }
}

fn shows(program: &Program) -> Said {
    let whole = Whole::by_control_flow(program).expect("no bounds");
    let basis = Basis::Abstraction { depth: Some(7) };
    Said::Settled(Verdict::Holds(Proof::new(basis, whole)))
}

fn open(_: &Program) -> Said {
    Said::Open(Some(Reason::OnlyUnderSc))
}

#[test]
fn the_next_method_is_asked_only_if_the_one_before_leaves_it_open() {
    let (program, log) = (load(MP), RefCell::new(Vec::new()));
    let told = |name, about, says| {
        let strength = Strength::ShowsHolds;
        Box::new(Told { name, about, strength, says, log: &log }) as Box<dyn Method<Parameterised>>
    };
    let methods = vec![
        told("first", Criterion::Robustness, open),
        told("other", Criterion::Drf, shows),
        told("second", Criterion::Robustness, shows),
        told("third", Criterion::Robustness, open),
    ];
    let answers = ask(methods, &program, &[Criterion::Robustness]);
    assert_eq!(
        *log.borrow(),
        [("first", Criterion::Robustness), ("second", Criterion::Robustness)]
    );
    assert!(matches!(&answers[0].verdict, Verdict::Holds(proof)
        if *proof.basis() == Basis::Abstraction { depth: Some(7) }));
    assert_eq!(answers[0].methods, ["first", "second"]);
    assert_eq!(answers[0].statistics.states, 20, "what both did counts");
}

#[test]
fn what_is_implied_is_asked_of_nobody() {
    let (program, log) = (load(MP), RefCell::new(Vec::new()));
    let strength = Strength::Decides;
    let about = Criterion::Trf;
    let trf: Box<dyn Method<Parameterised>> =
        Box::new(Told { name: "trf", about, strength, says: shows, log: &log });
    let answers = ask(vec![trf], &program, &Criterion::ALL);
    assert_eq!(*log.borrow(), [("trf", Criterion::Trf)]);
    let by: Vec<_> = answers.iter().map(|one| (one.criterion, one.implied_by())).collect();
    assert_eq!(
        by,
        [
            (Criterion::Drf, None),
            (Criterion::Trf, None),
            (Criterion::Robustness, Some(Criterion::Trf)),
            (Criterion::Persistence, Some(Criterion::Trf)),
            (Criterion::States, Some(Criterion::Trf)),
        ]
    );
    assert!(matches!(answers[0].verdict, Verdict::Undecided(Reason::NoMethod)));
}

#[test]
fn the_last_doubt_is_told_if_nobody_knows() {
    let (program, log) = (load(SB), RefCell::new(Vec::new()));
    let strength = Strength::ShowsHolds;
    let about = Criterion::Robustness;
    let says: fn(&Program) -> Said = |_| Said::Open(None);
    let methods: Vec<Box<dyn Method<Parameterised>>> = vec![
        Box::new(Told { name: "doubts", about, strength, says: open, log: &log }),
        Box::new(Told { name: "silent", about, strength, says, log: &log }),
    ];
    let answers = ask(methods, &program, &[about]);
    assert!(matches!(answers[0].verdict, Verdict::Undecided(Reason::OnlyUnderSc)));
}

#[test]
#[should_panic(expected = "can only show that robustness holds")]
fn a_method_that_shows_only_that_something_holds_cannot_refute_it() {
    let (program, log) = (load(SB), RefCell::new(Vec::new()));
    let says: fn(&Program) -> Said = |program| {
        let criteria = [Criterion::Robustness];
        let checked = check(program, &criteria, &Options::default(), |_| ControlFlow::Continue(()));
        let first = checked.expect("definite threads").into_iter().next();
        Said::Settled(first.expect("an answer").verdict)
    };
    let strength = Strength::ShowsHolds;
    let about = Criterion::Robustness;
    let refutes: Box<dyn Method<Parameterised>> =
        Box::new(Told { name: "refutes", about, strength, says, log: &log });
    ask(vec![refutes], &program, &[about]);
}

#[test]
fn answers_that_are_known_are_not_asked_again_but_doubts_are() {
    let program = load(MP);
    let log = RefCell::new(Vec::new());
    let (strength, about) = (Strength::Decides, Criterion::Robustness);
    let portfolio = || -> Portfolio<'_, Parameterised> {
        Portfolio::new(vec![Box::new(Told { name: "it", about, strength, says: open, log: &log })])
    };
    let options = &Options::default();
    let mut watch = |_: &analysis::Progress| ControlFlow::Continue(());
    let criteria = &[Criterion::Robustness];
    let mut answered = |portfolio: &mut Portfolio<'_, Parameterised>| {
        let mut task = Task { program: &program, criteria, options, watch: &mut watch };
        portfolio.answer(&mut task).expect("definite threads")
    };
    let doubts = answered(&mut portfolio());
    assert_eq!(log.borrow().len(), 1);
    let mut again = portfolio().knowing(doubts);
    answered(&mut again);
    assert_eq!(log.borrow().len(), 2, "a doubt is not known");
    let known = check(&program, criteria, options, |_| ControlFlow::Continue(()));
    let answers = answered(&mut portfolio().knowing(known.expect("definite threads")));
    assert_eq!(log.borrow().len(), 2, "what is known is");
    assert!(answers[0].verdict.holds());
}

const LIMITS: Limits = Limits { max_states: 30_000, max_length: 60 };

/// What the oracle says, from the definitions: of final states only what is implied.
fn truth(program: &Program, criterion: Criterion) -> Option<bool> {
    let oracle = |criterion| holds(program, criterion, &LIMITS).ok();
    match criterion {
        Criterion::Drf => has_data_race(program, &LIMITS).ok().map(|has| !has),
        Criterion::Trf => oracle(oracle::Criterion::TriangularRaceFree),
        Criterion::Robustness => oracle(oracle::Criterion::Robust),
        Criterion::Persistence => oracle(oracle::Criterion::Persistent),
        Criterion::States => {
            let is_implied =
                oracle(oracle::Criterion::Robust)? || oracle(oracle::Criterion::Persistent)?;
            is_implied.then_some(true)
        }
    }
}

/// Each method alone says nothing that the definitions contradict, and each says something.
#[test]
fn no_method_contradicts_the_definitions() {
    let mut compared = [0_u32; 5];
    for program in random_programs(20, Shape::default()).take(120) {
        for (number, count) in compared.iter_mut().enumerate() {
            let method: Box<dyn Method<Parameterised>> = match number {
                0 => Box::new(ControlFlowAlone::default()),
                1 => Box::new(Patterns::default()),
                2 => Box::new(Attacks),
                3 => Box::new(Buffers),
                _ => Box::new(Abstraction { depth: Depth::Fixed(1) }),
            };
            let can = |one: &Criterion| method.strength(*one).is_some();
            let criteria: Vec<Criterion> = Criterion::ALL.into_iter().filter(can).collect();
            for answer in ask(vec![method], &program, &criteria) {
                let said = match answer.verdict {
                    Verdict::Holds(_) => true,
                    Verdict::Violated(_) => false,
                    Verdict::Undecided(_) => continue,
                };
                if let Some(truth) = truth(&program, answer.criterion) {
                    let text = frontend::fw::print(&program);
                    assert_eq!(said, truth, "method {number}, {}, of\n{text}", answer.criterion);
                    *count += 1;
                }
            }
        }
    }
    let [control_flow, patterns, attacks, buffers, abstraction] = compared;
    assert!(control_flow >= 130 && patterns >= 360, "{compared:?}");
    assert!(attacks >= 120 && buffers >= 85 && abstraction >= 120, "{compared:?}");
}
