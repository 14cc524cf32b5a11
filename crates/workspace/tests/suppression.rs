//! What comments in the source accept changes no verdict, and what an answer comes to only if nothing else is violated.

use workspace::{
    Check, Conclusion, Criterion, Cycles, InMemory, NoteCode, Others, Reach, Rule, Verdict,
    Workspace,
};

/// Store buffering; what stands behind the stores and the loads of both threads.
fn buffering(behind: [&str; 4]) -> String {
    let [x, r, y, s] = behind;
    format!(
        "shared x, y\nthread p {{\n local r\n x = 1 {x}\n r = y {r}\n}}\n\
         thread q {{\n local s\n y = 1 {y}\n s = x {s}\n}}\n"
    )
}

const ALLOW: &str = "// fencewright: allow(not-robust): only a hint";

#[test]
fn a_violation_is_suppressed_if_every_attack_is() {
    let check = |behind: [&str; 4], expected: (Conclusion, Option<&[usize]>)| {
        let mut workspace = Workspace::new(InMemory::new());
        let text = buffering(behind);
        let id = workspace.text("sb.fw", &text).unwrap();
        let answer = workspace.check(id, &Check::default()).unwrap();
        assert!(matches!(answer.results[0].verdict, Verdict::Violated(_)), "{text}");
        let sources = &workspace.program(id).sources;
        let others = answer.accepted(Rule::Violated(Criterion::Robustness)).map(|it| &it.others);
        let lines = others.map(|others| match others {
            Others::None(_) => Vec::new(),
            Others::These(pairs) => {
                let line = |pair: &[program::Span; 2]| {
                    sources.line_column(pair[0].source.unwrap(), pair[0].start).0
                };
                pairs.iter().map(line).collect()
            }
            Others::NotLookedFor | Others::Unknown => panic!("{text}"),
        });
        assert_eq!((answer.conclusion(), lines.as_deref()), expected, "{text}");
    };
    check([ALLOW, "", ALLOW, ""], (Conclusion::Suppressed, Some(&[])));
    // The load of an attack is a place of it as well.
    check(["", ALLOW, ALLOW, ""], (Conclusion::Suppressed, Some(&[])));
    // Whichever attack is shown, the other one is not accepted.
    let one = |behind| {
        let mut workspace = Workspace::new(InMemory::new());
        let id = workspace.text("sb.fw", &buffering(behind)).unwrap();
        workspace.check(id, &Check::default()).unwrap().conclusion()
    };
    assert_eq!(one([ALLOW, "", "", ""]), Conclusion::Violated);
    assert_eq!(one(["", "", "", ALLOW]), Conclusion::Violated);
    check(["", "", "", ""], (Conclusion::Violated, None));
    let other = "// fencewright: allow(data-race)";
    check([other, other, other, other], (Conclusion::Violated, None));
}

#[test]
fn what_ends_a_search_leaves_the_rest_undecided() {
    let text =
        "shared x\nthread p { assert x == 0 // fencewright: allow(error)\n}\nthread q { x = 1 }\n";
    let mut workspace = Workspace::new(InMemory::new());
    let id = workspace.text("error.fw", text).unwrap();
    let answer = workspace.reach(id, &Reach::default()).unwrap();
    assert!(matches!(answer.verdict, Verdict::Violated(_)));
    assert_eq!(answer.accepted.as_ref().unwrap().others, Others::NotLookedFor);
    assert_eq!(answer.conclusion(), Conclusion::Undecided);
    // A goal is what was asked for.
    let goal = "shared x\nthread p { x = 1 // fencewright: allow(goal)\n}\n";
    let id = workspace.text("goal.fw", goal).unwrap();
    let question = Reach { goal: Some("x == 1".to_owned()), ..Reach::default() };
    let answer = workspace.reach(id, &question).unwrap();
    assert_eq!(answer.conclusion(), Conclusion::Violated);
    assert!(answer.notes.iter().any(|note| note.code == NoteCode::Suppression));
}

#[test]
fn pairs_on_critical_cycles_are_accepted_one_by_one() {
    let accept = "// fencewright: allow(critical-cycle)";
    let conclusion = |behind| {
        let mut workspace = Workspace::new(InMemory::new());
        let id = workspace.text("sb.fw", &buffering(behind)).unwrap();
        let answer = workspace.cycles(id, &Cycles::on(cycles::Arch::Power)).unwrap();
        assert_eq!(answer.verdict(), Conclusion::Undecided);
        answer.conclusion()
    };
    assert_eq!(conclusion([accept, "", accept, ""]), Conclusion::Suppressed);
    assert_eq!(conclusion([accept, "", "", ""]), Conclusion::Undecided);
    assert_eq!(conclusion(["", "", "", ""]), Conclusion::Undecided);
}
