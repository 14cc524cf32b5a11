//! What matters to the author of a source program, of LLVM IR, which needs no compiler.

use workspace::{
    Check, Conclusion, Criterion, Inputs, Matter, Options, SourceOptions, Verdict, Weight,
    Workspace,
};

/// A program with two threads, `left` and `right`.
fn text(left: &str, right: &str) -> String {
    format!(
        "target triple = \"x86_64-pc-linux-gnu\"\n\
         @x = global i32 0, align 4\n@y = global i32 0, align 4\n\
         @a = global i32 0, align 4\n@b = global i32 0, align 4\n\
         declare void @abort()\ndeclare i32 @putchar(i32)\n\
         define void @left() {{\n{left}  ret void\n}}\n\
         define void @right() {{\n{right}  ret void\n}}\n"
    )
}

/// A store to one variable, then a load of another, and what is done with what was read.
fn store_then_load(store: &str, load: &str, then: &str) -> String {
    format!(
        "  store atomic i32 1, ptr @{store} release, align 4\n  \
         %r = load atomic i32, ptr @{load} acquire, align 4\n{then}"
    )
}

struct Case {
    name: &'static str,
    left: String,
    right: String,
    /// The matters, the worst first, with how much each matters.
    expected: [(Matter, Weight); 4],
    conclusion: Conclusion,
}

fn cases() -> Vec<Case> {
    use Matter::{Errors, Races, Results, Visibility};
    use Weight::{Fine, Harm, Harmless};
    let both = |then: fn(&str) -> String| {
        (store_then_load("x", "y", &then("a")), store_then_load("y", "x", &then("b")))
    };
    let nothing = both(|_| String::new());
    let kept = both(|global| format!("  store atomic i32 %r, ptr @{global} release, align 4\n"));
    let printed = both(|_| "  %p = call i32 @putchar(i32 %r)\n".to_owned());
    let fails = "  %f = load atomic i32, ptr @a acquire, align 4\n  %s = add i32 %f, %r\n  \
                 %no = icmp eq i32 %s, 0\n  br i1 %no, label %bad, label %good\n\
                 bad:\n  call void @abort()\n  unreachable\ngood:\n";
    let once = "  store atomic i32 %r, ptr @a seq_cst, align 4\n";
    vec![
        Case {
            name: "apart",
            left: "  store atomic i32 1, ptr @x release, align 4\n".to_owned(),
            right: "  store atomic i32 1, ptr @y release, align 4\n".to_owned(),
            expected: [(Races, Fine), (Errors, Fine), (Results, Fine), (Visibility, Fine)],
            conclusion: Conclusion::Fine,
        },
        Case {
            name: "nobody looks",
            left: nothing.0,
            right: nothing.1,
            expected: [(Visibility, Harmless), (Races, Fine), (Errors, Fine), (Results, Fine)],
            conclusion: Conclusion::Fine,
        },
        Case {
            name: "left behind",
            left: kept.0,
            right: kept.1,
            expected: [(Results, Harm), (Visibility, Harm), (Races, Fine), (Errors, Fine)],
            conclusion: Conclusion::Violated,
        },
        Case {
            name: "plain",
            left: "  store i32 1, ptr @x, align 4\n".to_owned(),
            right: "  %r = load i32, ptr @x, align 4\n".to_owned(),
            expected: [(Races, Harm), (Errors, Fine), (Results, Fine), (Visibility, Fine)],
            conclusion: Conclusion::Violated,
        },
        Case {
            name: "fails already under SC",
            left: format!("{}{fails}", store_then_load("x", "y", "")),
            right: store_then_load("y", "x", once),
            expected: [(Errors, Harm), (Results, Fine), (Visibility, Fine), (Races, Fine)],
            conclusion: Conclusion::Violated,
        },
        Case {
            name: "printed",
            left: printed.0,
            right: printed.1,
            expected: [(Results, Harm), (Visibility, Harm), (Races, Fine), (Errors, Fine)],
            conclusion: Conclusion::Violated,
        },
    ]
}

fn opened(workspace: &mut Workspace<'_>, name: &str, text: &str) -> workspace::ProgramId {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("threads.ll");
    std::fs::write(&file, text).expect("a file");
    let entry = |function: &str| lowering::Entry {
        function: function.to_owned(),
        arguments: Vec::new(),
        copies: 1,
        is_first: false,
    };
    let entries = vec![entry("left"), entry("right")];
    let source = SourceOptions { entries, ..SourceOptions::default() };
    let inputs = Inputs { source, ..Inputs::files([file.to_str().expect("a name")]) };
    match workspace.open(&inputs).pop() {
        Some(Ok(id)) => id,
        Some(Err((_, refused))) => panic!("{name}: {:?}", refused.errors),
        None => panic!("{name}: nothing was read"),
    }
}

#[test]
fn the_worst_comes_first_and_what_no_result_shows_is_harmless() {
    for case in cases() {
        let Case { name, left, right, expected, conclusion } = case;
        let mut workspace = Workspace::default();
        let id = opened(&mut workspace, name, &text(&left, &right));
        let answer = workspace.check(id, &Check::default()).expect("it can be asked");
        let triage = answer.triage.as_ref().unwrap_or_else(|| panic!("{name}: no triage"));
        let found: Vec<(Matter, Weight)> =
            triage.concerns.iter().map(|concern| (concern.matter, concern.weight)).collect();
        if name == "fails already under SC" {
            assert_eq!(found[0], expected[0], "{name}");
            assert!(triage.concerns[0].is_under_sc(), "{name}");
        } else {
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(answer.conclusion(), conclusion, "{name}");
        assert_eq!(answer.results.len(), 1, "{name}");
        assert_eq!(answer.results[0].criterion, Criterion::Robustness, "{name}");
        // Whoever asks for a criterion gets it alone.
        let one = Check { criteria: vec![Criterion::Robustness], ..Check::default() };
        let one = workspace.check(id, &one).expect("it can be asked");
        assert!(one.triage.is_none(), "{name}");
        let robust = |verdict: &Verdict<_>| matches!(verdict, Verdict::Holds(_));
        assert_eq!(robust(&one.results[0].verdict), robust(&answer.results[0].verdict), "{name}");
    }
}

#[test]
fn limits_leave_questions_open_and_not_all_of_them() {
    let left = store_then_load("x", "y", "  store atomic i32 %r, ptr @a release, align 4\n");
    let right = store_then_load("y", "x", "  store atomic i32 %r, ptr @b release, align 4\n");
    let mut workspace = Workspace::default();
    let id = opened(&mut workspace, "limits", &text(&left, &right));
    let mut options = Options::default();
    options.limits.states = Some(2);
    let question = Check { options, ..Check::default() };
    let answer = workspace.check(id, &question).expect("it can be asked");
    assert_eq!(answer.conclusion(), Conclusion::Undecided);
    let triage = answer.triage.expect("a program in LLVM IR");
    assert_eq!(triage.concerns[0].weight, Weight::Unknown);
    // More room, and everything is known.
    let answer = workspace.check(id, &Check::default()).expect("it can be asked");
    assert_eq!(answer.conclusion(), Conclusion::Violated);
}

#[test]
fn a_model_is_asked_about_robustness() {
    let mut workspace = Workspace::default();
    let text =
        "shared x, y\nthread p { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n";
    let id = workspace.text("sb.fw", text).expect("a program");
    let answer = workspace.check(id, &Check::default()).expect("it can be asked");
    assert!(answer.triage.is_none());
    assert_eq!(answer.results[0].criterion, Criterion::Robustness);
    assert_eq!(answer.conclusion(), Conclusion::Violated);
}
