//! Questions to a workspace without files and processes: what each method says, and how it knows.

use std::ops::ControlFlow;

use analysis::parameterised::Unknown;
use analysis::portfolio::Remark;
use semantics::Model;
use workspace::fence::{FenceVerdict, NoRepair};
use workspace::simulate::Shows;
use workspace::{
    Algorithm, Basis, Check, CheckMethod, Conclusion, Cost, Criterion, Depth, Enforced, Engine,
    Fence, FenceOutcome, InMemory, Inputs, Limit, Limits, LookedFor, ModelChoice, Options,
    Outcomes, ProgramId, Reach, Reason, Simulate, Verdict, Workspace,
};

/// Store buffering: neither robust nor persistent, and a final state that only TSO has.
const SB: &str = "\
shared x, y
thread p { local r; x = 1; r = y }
thread q { local r; y = 1; r = x }
never p.r == 0 && q.r == 0
";

/// The same with fences: control flow shows that nothing is overtaken.
const FENCED: &str = "\
shared x, y
thread p { local r; x = 1; fence; r = y }
thread q { local r; y = 1; fence; r = x }
never p.r == 0 && q.r == 0
";

/// Message passing: a load follows a store in one thread, but nobody writes what it loads.
const MP: &str = "\
shared data, flag, own
thread p { local r; data = 1; flag = 1; r = own }
thread q { local f, d; f = flag; d = data; assert f == 0 || d == 1 }
";

/// Store buffering, but one thread begins when the other has ended: only values tell that it is robust.
const HANDOVER: &str = "\
shared x, y, flag
thread p { local r; x = 1; r = y; flag = 1 }
thread q { local r; await flag == 1; y = 1; r = x }
";

/// A buffer that can grow for ever, in a robust program.
const GROWS: &str = "\
shared x: u8, y
thread p { while true { x = x + 1 } }
thread q { y = 1 }
";

/// A thread of any number of copies.
const ANY: &str = "\
shared x
thread many[*] { x = 1 }
";

fn workspace() -> Workspace<'static> {
    Workspace::new(InMemory::new())
}

fn load(workspace: &mut Workspace<'_>, text: &str) -> ProgramId {
    workspace.text("test.fw", text).unwrap_or_else(|refused| panic!("{:?}", refused.errors))
}

fn check(text: &str, question: &Check) -> Vec<(Criterion, Verdict<()>)> {
    let mut workspace = workspace();
    let id = load(&mut workspace, text);
    let answer = workspace.check(id, question).expect("it can be asked");
    answer.results.into_iter().map(|one| (one.criterion, one.verdict.map(|_| ()))).collect()
}

/// How something is known that must hold.
fn basis<E>(verdict: &Verdict<E>) -> &Basis {
    match verdict {
        Verdict::Holds(proof) => proof.basis(),
        Verdict::Violated(_) => panic!("violated"),
        Verdict::Undecided(reason) => panic!("{reason}"),
    }
}

fn about(criteria: &[Criterion]) -> Check {
    Check { criteria: criteria.to_vec(), ..Check::default() }
}

fn implied(criterion: Criterion, basis: Basis) -> Basis {
    Basis::ImpliedBy { criterion, basis: Box::new(basis) }
}

#[test]
fn what_holds_says_how_it_is_known() {
    let cases: [(&str, &[Criterion], &[Basis]); 5] = [
        (FENCED, &[Criterion::Robustness], &[Basis::ControlFlow]),
        (MP, &[Criterion::Robustness], &[Basis::NoCriticalCycle]),
        (HANDOVER, &[Criterion::Robustness], &[Basis::EXPLORED]),
        (MP, &[Criterion::States], &[implied(Criterion::Persistence, Basis::EXPLORED)]),
        (
            FENCED,
            &[Criterion::Trf, Criterion::Robustness, Criterion::Persistence, Criterion::States],
            &[
                Basis::ControlFlow,
                implied(Criterion::Trf, Basis::ControlFlow),
                implied(Criterion::Trf, Basis::ControlFlow),
                implied(Criterion::Trf, Basis::ControlFlow),
            ],
        ),
    ];
    for (text, criteria, expected) in cases {
        let results = check(text, &about(criteria));
        let found: Vec<Basis> = results.iter().map(|(_, verdict)| basis(verdict).clone()).collect();
        assert_eq!(found, expected, "{text}{criteria:?}");
    }
}

#[test]
fn violations_come_with_runs_and_attacks() {
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    let question = Check { per_attack: true, ..about(&Criterion::ALL) };
    let answer = workspace.check(id, &question).expect("it can be asked");
    assert_eq!(answer.conclusion(), Conclusion::Violated);
    assert_eq!(answer.attacks.expect("they were asked for").feasible.len(), 2);
    for one in answer.results {
        let Verdict::Violated(evidence) = one.verdict else { panic!("{}", one.criterion) };
        assert!(evidence.execution().computation.model == one.criterion.model());
    }
}

#[test]
fn an_abstraction_shows_that_it_holds_and_decides_nothing_else() {
    let by = |criterion| Check {
        method: CheckMethod::Abstraction(Depth::Fixed(1)),
        ..about(&[criterion])
    };
    let found = check(MP, &by(Criterion::Persistence));
    assert!(matches!(basis(&found[0].1), Basis::Abstraction { .. }), "{found:?}");
    let found = check(SB, &by(Criterion::Robustness));
    assert_eq!(found[0].1, Verdict::Undecided(Reason::NoMethod));
    let mut workspace = workspace();
    let id = load(&mut workspace, MP);
    let answer = workspace.check(id, &by(Criterion::Persistence)).expect("it can be asked");
    assert!(matches!(answer.results[0].remark, Some(Remark::Abstraction { threads: 2, .. })));
}

#[test]
fn what_was_decided_is_kept_and_what_was_not_is_asked_again() {
    let mut workspace = workspace();
    let id = load(&mut workspace, HANDOVER);
    let limits = Limits { states: Some(1), ..Limits::default() };
    let bounded = Check { options: Options { limits, ..Options::default() }, ..Check::default() };
    let undecided = workspace.check(id, &bounded).expect("it can be asked");
    let reason = Reason::Limit(Limit::States);
    assert_eq!(undecided.results[0].verdict.clone().map(|_| ()), Verdict::Undecided(reason));
    let decided = workspace.check(id, &Check::default()).expect("it can be asked");
    assert_eq!(decided.conclusion(), Conclusion::Fine);
    // Now no state need be explored any more, nor for what it implies.
    let again = workspace.check(id, &bounded).expect("it can be asked");
    assert_eq!(again.conclusion(), Conclusion::Fine);
    let question = Check { criteria: vec![Criterion::States], ..bounded };
    let implied_by =
        workspace.check(id, &question).expect("it can be asked").results[0].implied_by();
    assert_eq!(implied_by, Some(Criterion::Robustness));
    // The same text is the same program; another one is not.
    assert_eq!(load(&mut workspace, HANDOVER), id);
    assert_ne!(load(&mut workspace, SB), id);
}

#[test]
fn reachability_under_tso_takes_the_cheapest_way() {
    let under_tso = Reach { model: Model::Tso, ..Reach::default() };
    let cases = [
        (FENCED, Ok(implied(Criterion::Persistence, Basis::ControlFlow))),
        (MP, Ok(implied(Criterion::Persistence, Basis::EXPLORED))),
        (GROWS, Ok(implied(Criterion::Persistence, Basis::EXPLORED))),
        (SB, Err(Model::Tso)),
    ];
    for (text, expected) in cases {
        let mut workspace = workspace();
        let id = load(&mut workspace, text);
        let answer = workspace.reach(id, &under_tso).expect("it can be asked");
        match (&answer.verdict, expected) {
            (Verdict::Holds(proof), Ok(expected)) => assert_eq!(*proof.basis(), expected, "{text}"),
            (Verdict::Violated(run), Err(model)) => assert!(run.computation.model == model),
            (verdict, expected) => panic!("{text}: {verdict:?}, {expected:?}"),
        }
    }
}

#[test]
fn buffers_are_explored_where_nothing_is_implied() {
    let text = SB.replace("never p.r == 0 && q.r == 0", "never p.r == 7");
    let mut workspace = workspace();
    let id = load(&mut workspace, &text);
    let under_tso = Reach { model: Model::Tso, deadlocks: false, ..Reach::default() };
    let answer = workspace.reach(id, &under_tso).expect("it can be asked");
    assert_eq!(*basis(&answer.verdict), Basis::EXPLORED);
    let never = program::Quantifier::Never;
    assert_eq!(answer.looked_for, [LookedFor::Fault, LookedFor::RuledOut(never)]);
}

#[test]
fn goals_are_read_in_the_words_of_the_program() {
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    let goal = |text: &str| Reach { goal: Some(text.to_owned()), ..Reach::default() };
    let answer = workspace.reach(id, &goal("x == 1 && y == 0")).expect("it can be asked");
    assert_eq!(answer.conclusion(), Conclusion::Violated);
    let refused = workspace.reach(id, &goal("z == 1")).expect_err("there is no z");
    assert!(refused.errors[0].message.contains('z'), "{:?}", refused.errors);
    assert!(refused.sources.names().any(|name| name == "--goal"));
}

#[test]
fn without_processes_spin_is_missing() {
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    let question = Check { method: CheckMethod::Spin, ..Check::default() };
    let refused = workspace.check(id, &question).expect_err("there is no Spin");
    assert!(refused.errors[0].message.contains("cannot run spin"), "{:?}", refused.errors);
    let reach = Reach { engine: Engine::Spin, ..Reach::default() };
    assert!(workspace.reach(id, &reach).is_err());
    let opened = workspace.open(&Inputs::files(["queue.c"]));
    let (name, refused) = opened[0].as_ref().expect_err("there is no compiler");
    assert_eq!(name, "queue.c");
    assert!(refused.errors[0].message.contains("no compiler"), "{:?}", refused.errors);
}

#[test]
fn a_repaired_text_is_read_and_checked_again() {
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    for enforced in [Enforced::Criterion(Criterion::Robustness), Enforced::Safety] {
        let answer = workspace.fence(id, &Fence { enforced, ..Fence::default() });
        let answer = answer.expect("it can be asked");
        assert_eq!(answer.verdict(), FenceVerdict::Repaired);
        assert_eq!(answer.made().len(), 2);
        let FenceOutcome::Repaired { proof, is_optimal: true, .. } = &answer.outcome else {
            panic!("{:?}", answer.outcome)
        };
        // What is said is about the text that was read again.
        let expected = match enforced {
            Enforced::Criterion(_) => Basis::ControlFlow,
            Enforced::Safety => implied(Criterion::Persistence, Basis::ControlFlow),
            Enforced::Histories(asked) => panic!("{asked:?} is not asked here"),
        };
        assert_eq!(*proof.basis(), expected);
        let texts = answer.texts.expect("it can be written");
        let repaired = workspace.text("repaired.fw", &texts[0].1).expect("a program");
        let again = workspace.check(repaired, &Check::default()).expect("it can be asked");
        assert_eq!(again.conclusion(), Conclusion::Fine);
    }
}

#[test]
fn a_limit_keeps_a_program_from_being_called_repaired() {
    let mut workspace = workspace();
    // Without the fence states have to be explored.
    let text = HANDOVER.replace("x = 1;", "x = 1; fence;");
    let id = load(&mut workspace, &text);
    let limits = Limits { states: Some(1), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let question = Fence { minimise_existing: true, options, ..Fence::default() };
    let answer = workspace.fence(id, &question).expect("it can be asked");
    let FenceOutcome::Undecided { reason, .. } = &answer.outcome else {
        panic!("{:?}", answer.outcome)
    };
    assert_eq!(*reason, Reason::Limit(Limit::States));
    let question = Fence { minimise_existing: true, ..Fence::default() };
    let answer = workspace.fence(id, &question).expect("it can be asked");
    assert_eq!((answer.verdict(), answer.not_made().len()), (FenceVerdict::Repaired, 1));
}

#[test]
fn why_nothing_repairs_a_program_is_data() {
    let cases = [
        (
            "shared x\nthread p { assert x == 1 }\nthread q { x = 2 }\n",
            Fence { enforced: Enforced::Safety, ..Fence::default() },
            NoRepair::UnderSc,
        ),
        (
            SB,
            Fence { minimise_existing: true, ..Fence::default() },
            NoRepair::WithAllThatAreThere(0),
        ),
    ];
    for (text, question, expected) in cases {
        let mut workspace = workspace();
        let id = load(&mut workspace, text);
        let answer = workspace.fence(id, &question).expect("it can be asked");
        let FenceOutcome::Unrepairable { why, .. } = answer.outcome else { panic!("{text}") };
        assert_eq!(why, expected, "{text}");
    }
}

#[test]
fn costs_come_from_a_file_of_the_host() {
    let host = InMemory::new().with("costs", "2 5\n");
    let mut workspace = Workspace::new(host);
    let id = load(&mut workspace, SB);
    let of = |path: &str| Fence { cost: Cost::File(path.into()), ..Fence::default() };
    let missing = workspace.fence(id, &of("none")).expect_err("there is no such file");
    assert!(missing.errors[0].message.contains("cannot read costs from none"));
    match workspace.places(id, &of("costs")) {
        Ok(Ok(places)) => assert!(places.costs.contains(&5), "{:?}", places.costs),
        Ok(Err(reason)) => panic!("{reason}"),
        Err(refused) => panic!("{:?}", refused.errors),
    }
}

#[test]
fn the_algorithms_of_the_papers_agree_on_the_number() {
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    for algorithm in [Algorithm::Optimal, Algorithm::Esop13, Algorithm::Esop15] {
        let answer = workspace.fence(id, &Fence { algorithm, ..Fence::default() });
        assert_eq!(answer.expect("it can be asked").made().len(), 2, "{algorithm:?}");
    }
}

#[test]
fn outcomes_say_what_only_a_model_has() {
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    let tso = workspace.outcomes(id, &Outcomes::default()).expect("it can be asked");
    assert_eq!(tso.conclusion(), Conclusion::Violated);
    let states = tso.states.expect("definite threads");
    assert_eq!(states.states.iter().filter(|state| state.only_weak == Some(true)).count(), 1);
    let model = workspace.model(&ModelChoice::BuiltIn(axiomatic::Model::Sc)).expect("built in");
    let show = Some("p.r == 0 && q.r == 0".to_owned());
    let question = Outcomes { model: Some(model), show, ..Outcomes::default() };
    let sc = workspace.outcomes(id, &question).expect("it can be asked");
    assert!(sc.shown.as_ref().is_some_and(|shown| shown.found.is_none()));
    assert_eq!(sc.conclusion(), Conclusion::Violated);
    let fenced = load(&mut workspace, FENCED);
    let same = workspace.outcomes(fenced, &Outcomes::default()).expect("it can be asked");
    assert_eq!(same.states.expect("definite threads").because, Some(Criterion::Persistence));
}

/// As many states as are wanted have an execution, those that the question is about before others; of a condition that is
/// never true, or always, it is said why.
#[test]
fn final_states_have_executions_or_reasons() {
    use axiomatic::Model::{Power, Sc, Tso};
    let asked = |text: &str, model: axiomatic::Model, executions: usize| {
        let mut workspace = workspace();
        let id = load(&mut workspace, text);
        let question = Outcomes { model: Some(model.into()), executions, ..Outcomes::default() };
        let answer = workspace.outcomes(id, &question).expect("it can be asked");
        let states = answer.states.expect("definite threads");
        let ends = answer.executions.iter().map(|(of, _)| states.states[*of].values.clone());
        (ends.collect::<Vec<_>>(), answer.why_not.map(|why| why.kinds.len()))
    };
    assert_eq!(asked(SB, Tso, 1), (vec![vec![0, 0]], None));
    assert_eq!(asked(SB, Tso, 9).0, [[0, 0], [0, 1], [1, 0], [1, 1]]);
    assert_eq!(asked(SB, Sc, 2), (vec![vec![0, 1], vec![1, 0]], Some(1)));
    assert_eq!(asked(SB, Sc, 0), (vec![], None), "nobody wants to know");
    assert_eq!(asked(SB, Power, 1), (vec![vec![0, 0]], None));
    let (ends, kinds) = asked(FENCED, Power, 9);
    assert!(ends.len() == 3 && kinds.is_some_and(|kinds| kinds > 0), "{ends:?} {kinds:?}");
    let always = SB.replace("never p.r == 0 && q.r == 0", "always p.r == 1 || q.r == 1");
    assert_eq!(asked(&always, Tso, 1), (vec![vec![0, 0]], None));
    assert_eq!(asked(&always, Sc, 9), (vec![vec![0, 1], vec![1, 0], vec![1, 1]], Some(1)));
}

#[test]
fn models_are_read_from_files_of_the_host() {
    let host = InMemory::new()
        .with("models/own.cat", "\"own\"\ninclude \"part.cat\"\nacyclic po | com\n")
        .with("models/part.cat", "let com = rf | co | fr\n");
    let workspace = Workspace::new(host);
    workspace
        .model(&ModelChoice::File("models/own.cat".into()))
        .unwrap_or_else(|refused| panic!("{:?}", refused.errors));
    assert!(workspace.model(&ModelChoice::File("other.cat".into())).is_err());
}

#[test]
fn the_most_telling_run_is_shown() {
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    let one = workspace.simulate(id, &Simulate { tries: 200, ..Simulate::default() });
    let one = one.expect("it can be asked").expect("definite threads");
    assert_eq!((one.shows, one.conclusion()), (Shows::SafetyViolation, Conclusion::Violated));
    let sc = Simulate { model: Model::Sc, tries: 50, ..Simulate::default() };
    let fine = workspace.simulate(id, &sc).expect("it can be asked").expect("definite threads");
    assert_eq!((fine.shows, fine.seed, fine.ended), (Shows::Nothing, 50, 50));
    // Whoever watches may end it.
    let mut watched = Workspace::new(InMemory::new()).watched_by(|_| ControlFlow::Break(()));
    let id = load(&mut watched, SB);
    let ended = watched.simulate(id, &sc).expect("it can be asked").expect_err("it is ended");
    assert!(matches!(ended, Reason::Limit(Limit::Cancelled)), "{ended}");
}

#[test]
fn threads_of_any_number_are_answered_or_a_reason() {
    let mut workspace = workspace();
    let id = load(&mut workspace, ANY);
    let is_it = |reason: &Reason| matches!(reason, Reason::Parameterised(_));
    let checked = workspace.check(id, &Check::default()).expect("it can be asked");
    assert_eq!(checked.conclusion(), Conclusion::Fine);
    let per_attack = Check { per_attack: true, ..Check::default() };
    let checked = workspace.check(id, &per_attack).expect("it can be asked");
    assert_eq!(checked.conclusion(), Conclusion::Fine);
    let table = checked.attacks.expect("a table");
    assert!(table.feasible.is_empty() && table.undecided == 0, "{table:?}");
    let is_about = |reason: &Reason, what: &Unknown| matches!(reason, Reason::AnyNumber(unknown) if unknown == what);
    let depth = Depth::Fixed(2);
    let by_abstraction = Check { method: CheckMethod::Abstraction(depth), ..Check::default() };
    let checked = workspace.check(id, &by_abstraction).expect("it can be asked");
    assert!(matches!(&checked.results[0].verdict,
        Verdict::Undecided(reason) if is_about(reason, &Unknown::Abstraction)));
    let apart = Fence { per_instance: true, ..Fence::default() };
    let fenced = workspace.fence(id, &apart).expect("it can be asked");
    assert!(matches!(&fenced.outcome,
        FenceOutcome::Undecided { reason, .. } if is_about(reason, &Unknown::CopiesApart)));
    let reached = workspace.reach(id, &Reach::default()).expect("it can be asked");
    assert_eq!(reached.conclusion(), Conclusion::Fine);
    let fenced = workspace.fence(id, &Fence::default()).expect("it can be asked");
    assert_eq!(fenced.conclusion(), Conclusion::Fine);
    let safety = Fence { enforced: Enforced::Safety, ..Fence::default() };
    let fenced = workspace.fence(id, &safety).expect("it can be asked");
    assert_eq!(fenced.conclusion(), Conclusion::Fine);
    let states = workspace.outcomes(id, &Outcomes::default()).expect("it can be asked").states;
    assert!(states.is_err_and(|reason| is_it(&reason)));
    let run = workspace.simulate(id, &Simulate::default()).expect("it can be asked");
    assert!(run.is_err_and(|reason| is_it(&reason)));
    let counted = Inputs { counts: vec![("many".to_owned(), 2)], ..Inputs::default() };
    let id = workspace.text_as("any.fw", ANY, &counted).unwrap_or_else(|_| panic!("a program"));
    let checked = workspace.check(id, &Check::default()).expect("it can be asked");
    assert_eq!(checked.conclusion(), Conclusion::Fine);
}

#[test]
fn tests_for_other_machines_are_refused_where_the_answer_is_about_tso() {
    let text = "PPC sb\n{ 0:r1=x; 0:r2=y; 1:r1=x; 1:r2=y; }\n P0 | P1 ;\n li r3,1 | li r3,1 ;\n \
                stw r3,0(r1) | stw r3,0(r2) ;\n lwz r4,0(r2) | lwz r4,0(r1) ;\nexists (0:r4=0 /\\ 1:r4=0)\n";
    let mut workspace = workspace();
    let id = workspace.text("sb.litmus", text).unwrap_or_else(|one| panic!("{:?}", one.errors));
    let refused = workspace.check(id, &Check::default()).expect_err("it is about Power");
    assert!(refused.errors[0].message.contains("`check` is about TSO"));
    assert!(workspace.fence(id, &Fence::default()).is_err());
    assert!(workspace.reach(id, &Reach { model: Model::Tso, ..Reach::default() }).is_err());
    assert!(workspace.reach(id, &Reach::default()).is_ok(), "SC is SC");
    assert_eq!(workspace.usual_model(id), axiomatic::Model::Power);
}

#[test]
fn notes_say_what_an_answer_is_about() {
    let mut workspace = workspace();
    let id = load(&mut workspace, "shared x\nthread p { assert x == 1 }\n");
    let answer = workspace.check(id, &Check::default()).expect("it can be asked");
    let texts: Vec<&str> = answer.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("one thread, `p`"), "{texts:?}");
    assert!(texts[1].contains("under SC already `p` can run into an error"), "{texts:?}");
    assert_eq!(answer.premises, workspace::Premises::default());
}

#[test]
fn without_processes_nothing_runs_on_the_machine() {
    let question = workspace::Confirm {
        runs: 1,
        time: std::time::Duration::from_secs(1),
        processors: None,
        seed: 1,
        compiler: None,
    };
    let mut workspace = workspace();
    let id = load(&mut workspace, SB);
    let test = workspace.machine_test(id).expect("a test can be made anywhere");
    assert!(test.text.contains("mov"), "{}", test.text);
    assert!(workspace.confirm(id, &test, &question).is_err());
    assert!(workspace.run_as_compiled(&["main.c".into()], &[], &question).is_err());
}
