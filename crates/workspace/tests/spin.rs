//! Spin as an engine, played by somebody who says what a test wants: what its answers mean, and what is
//! not believed.

use std::path::Path;

use analysis::portfolio::Remark;
use program::Program;
use semantics::{Computation, Model};
use workspace::{
    Basis, Check, CheckMethod, Criterion, Engine, Host, InMemory, Limit, ProgramId, Reach, Reason,
    Verdict, Workspace,
};

type Says = fn(&Program) -> spin::Verdict;

/// No files, no compilers, and a Spin that always says the same.
struct Played(Says);

impl Host for Played {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        InMemory::new().read(path)
    }

    fn spin(
        &self,
        program: &Program,
        _: &spin::Query,
        _: &spin::Options,
    ) -> Result<spin::Answer, spin::Failure> {
        Ok(spin::Answer { verdict: (self.0)(program), statistics: spin::Statistics::default() })
    }
}

const SB: &str = "\
shared x, y
thread p { local r; x = 1; r = y }
thread q { local r; y = 1; r = x }
never p.r == 0 && q.r == 0
";

const FENCED: &str = "\
shared x, y
thread p { local r; x = 1; fence; r = y }
thread q { local r; y = 1; fence; r = x }
";

fn holds(_: &Program) -> spin::Verdict {
    spin::Verdict::Holds
}

/// A violation with an empty run, which shows nothing.
fn violated(_: &Program) -> spin::Verdict {
    let computation = Computation { model: Model::Sc, steps: Vec::new() };
    spin::Verdict::Violated(spin::Violation { what: spin::What::Goal, computation })
}

fn out_of_time(_: &Program) -> spin::Verdict {
    spin::Verdict::Undecided(spin::Reason::Time)
}

fn busy(_: &Program) -> spin::Verdict {
    spin::Verdict::Undecided(spin::Reason::BusyWaits)
}

fn asked(says: Says, text: &str) -> (Workspace<'static>, ProgramId) {
    let mut workspace = Workspace::new(Played(says));
    let id = workspace.text("test.fw", text).unwrap_or_else(|one| panic!("{:?}", one.errors));
    (workspace, id)
}

fn by_spin() -> Check {
    Check { method: CheckMethod::Spin, ..Check::default() }
}

#[test]
fn nothing_found_is_a_proof_by_spin() {
    let (mut workspace, id) = asked(holds, FENCED);
    let answer = workspace.check(id, &by_spin()).expect("it can be asked");
    assert_eq!(answer.engine, Engine::Spin);
    let one = &answer.results[0];
    assert_eq!(one.remark, Some(Remark::SpinFindsNone));
    assert!(matches!(&one.verdict, Verdict::Holds(proof)
        if *proof.basis() == Basis::Exhausted { engine: Engine::Spin }));
    // What Spin said is not what Fencewright found out: it is asked itself.
    let exact = workspace.check(id, &Check::default()).expect("it can be asked");
    assert!(matches!(&exact.results[0].verdict, Verdict::Holds(proof)
        if *proof.basis() == Basis::ControlFlow));
}

#[test]
fn a_violation_needs_a_run_of_the_program_itself() {
    let (mut workspace, id) = asked(violated, SB);
    let answer = workspace.check(id, &by_spin()).expect("it can be asked");
    let one = &answer.results[0];
    assert_eq!(one.remark, Some(Remark::SpinFindsOne));
    assert!(matches!(one.verdict, Verdict::Violated(_)));
    let (mut workspace, id) = asked(violated, FENCED);
    let refused = workspace.check(id, &by_spin()).expect_err("there is no such run");
    assert!(refused.errors[0].message.contains("Spin and the search for all attacks disagree"));
    let reach = Reach { engine: Engine::Spin, ..Reach::default() };
    assert!(workspace.reach(id, &reach).is_err(), "the run does not end in what is looked for");
}

#[test]
fn doubts_of_spin_are_reasons() {
    let what = spin::Reason::BusyWaits.to_string();
    let not_by_spin = Reason::NotByEngine { engine: Engine::Spin, what };
    let cases: [(Says, Reason); 2] =
        [(out_of_time, Reason::Limit(Limit::Time)), (busy, not_by_spin)];
    for (says, expected) in cases {
        let (mut workspace, id) = asked(says, SB);
        let answer = workspace.check(id, &by_spin()).expect("it can be asked");
        let Verdict::Undecided(reason) = &answer.results[0].verdict else { panic!("decided") };
        assert_eq!(*reason, expected);
        let reach = Reach { engine: Engine::Spin, ..Reach::default() };
        let answer = workspace.reach(id, &reach).expect("it can be asked");
        let Verdict::Undecided(reason) = &answer.verdict else { panic!("decided") };
        assert_eq!(*reason, expected);
    }
}

#[test]
fn spin_knows_sc_and_no_final_states() {
    let all = Reach { engine: Engine::Spin, ..Reach::default() };
    let some = Reach { final_states: false, ..all.clone() };
    let under_tso = Reach { model: Model::Tso, ..some.clone() };
    let (mut workspace, id) = asked(holds, SB);
    let mut verdict = |question: &Reach| {
        workspace.reach(id, question).expect("it can be asked").verdict.map(|_| ())
    };
    let engine = Engine::Spin;
    assert_eq!(verdict(&all), Verdict::Undecided(Reason::FinalStatesNotAsked { engine }));
    assert!(verdict(&some).holds());
    assert_eq!(verdict(&under_tso), Verdict::Undecided(Reason::OnlyUnderSc));
}

#[test]
fn other_criteria_are_none_of_spins_business() {
    let (mut workspace, id) = asked(holds, SB);
    let question = Check { criteria: vec![Criterion::Drf], ..by_spin() };
    let answer = workspace.check(id, &question).expect("it can be asked");
    assert!(matches!(answer.results[0].verdict, Verdict::Undecided(Reason::NoMethod)));
}
