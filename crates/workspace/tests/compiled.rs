//! Programs in LLVM IR, which need no compiler: what answers about them rest on.

use workspace::{
    Assumption, Check, Conclusion, Criterion, Inputs, Reason, SourceOptions, Verdict, Workspace,
};

/// Two threads that write to each other, and a function without a body.
const SB: &str = r#"
target triple = "x86_64-pc-linux-gnu"
@x = global i32 0, align 4
@y = global i32 0, align 4
declare i32 @delay()
define void @left() {
  %d = call i32 @delay()
  store atomic i32 1, ptr @x release, align 4
  %r = load atomic i32, ptr @y acquire, align 4
  ret void
}
define void @right() {
  store atomic i32 1, ptr @y release, align 4
  %r = load atomic i32, ptr @x acquire, align 4
  ret void
}
"#;

fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("a file");
    let file = file.to_str().expect("a name").to_owned();
    (folder, file)
}

fn entry(function: &str) -> lowering::Entry {
    let function = function.to_owned();
    lowering::Entry { function, arguments: Vec::new(), copies: 1, is_first: false }
}

fn inputs(file: &str, assumptions: Vec<Assumption>) -> Inputs {
    let entries = vec![entry("left"), entry("right")];
    let source =
        SourceOptions { entries, assumptions, max_recursion: Some(2), ..SourceOptions::default() };
    Inputs { source, ..Inputs::files([file]) }
}

#[test]
fn premises_name_bounds_assumptions_and_what_is_unknown() {
    let (_folder, file) = file("sb.ll", SB);
    let does_nothing = lowering::Summary::parse("delay returns 0..=1").expect("a summary");
    let cases: [(Vec<Assumption>, usize, &[&str]); 2] =
        [(Vec::new(), 0, &["delay"]), (vec![Assumption::Stated(does_nothing)], 1, &[])];
    for (assumptions, assumed, unknown) in cases {
        let mut workspace = Workspace::default();
        let opened = workspace.open(&inputs(&file, assumptions));
        let id = match opened.as_slice() {
            [Ok(id)] => *id,
            other => panic!("{other:?}"),
        };
        let question = Check { criteria: vec![Criterion::Robustness], ..Check::default() };
        let answer = workspace.check(id, &question).expect("it can be asked");
        let premises = &answer.premises;
        assert_eq!(premises.bounds.map(|bounds| bounds.recursion), Some(2));
        assert_eq!(premises.assumed.len(), assumed, "{premises:?}");
        assert_eq!(premises.unknown, unknown);
        match &answer.results[0].verdict {
            Verdict::Violated(_) => assert_eq!(answer.conclusion(), Conclusion::Violated),
            // What a function may do of which nothing is known is beyond a bound.
            Verdict::Undecided(reason) => assert!(matches!(reason, Reason::Bound { .. })),
            Verdict::Holds(_) => panic!("store buffering is not robust"),
        }
        assert!(
            answer.notes.iter().any(|note| note.text.contains("every access as written, on x86"))
        );
    }
}

#[test]
fn whole_programs_are_compiled_without_a_translation() {
    let (_folder, file) = file("open.ll", SB);
    let workspace = Workspace::default();
    let compiled = workspace.compile(&[file], &Inputs::default());
    let compiled = compiled.unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(compiled.modules.len(), 1);
}

#[test]
fn a_model_takes_no_options_of_a_compiler() {
    let mut workspace = Workspace::default();
    let text = "shared x\nthread p { x = 1 }\n";
    let inputs = inputs("unused", Vec::new());
    let refused = workspace.text_as("p.fw", text, &inputs).expect_err("it has threads already");
    assert!(refused.errors[0].message.contains("`--thread` is for"), "{:?}", refused.errors);
}
