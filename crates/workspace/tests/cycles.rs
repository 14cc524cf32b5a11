//! Critical cycles: what is refused, what cannot be repaired, and whole programs that are not closed.

use cycles::answer::Repair;
use cycles::{Arch, NoFence};
use program::FenceKind;
use workspace::{
    Check, Conclusion, Cycles, CyclesAnswer, Fence, InMemory, Inputs, SourceOptions, Verdict,
    Workspace,
};

const SB: &str = "\
shared x, y
thread p { local r; x = 1; r = y }
thread q { local r; y = 1; r = x }
";

/// Two functions of a library, in LLVM IR: store buffering for whoever calls them.
const LIBRARY: &str = r#"
target triple = "x86_64-pc-linux-gnu"
@x = global i32 0, align 4
@y = global i32 0, align 4
define i32 @left() {
  store atomic i32 1, ptr @x release, align 4
  %r = load atomic i32, ptr @y acquire, align 4
  ret i32 %r
}
define i32 @right() {
  store atomic i32 1, ptr @y release, align 4
  %r = load atomic i32, ptr @x acquire, align 4
  ret i32 %r
}
"#;

#[test]
fn a_kind_that_is_not_enough_is_told_from_a_place_that_is_missing() {
    let mut workspace = Workspace::new(InMemory::new());
    let id = workspace.text("sb.fw", SB).expect("a program");
    let kinds = Some(vec![FenceKind::Lightweight]);
    let question = Cycles { kinds, ..Cycles::repaired(Arch::Power) };
    let answer = workspace.cycles(id, &question).expect("it can be asked");
    let why = |answer: &CyclesAnswer| {
        let repair: &Repair = answer.repair.as_ref().expect("asked for").as_ref().expect("in time");
        repair.left.iter().map(|left| left.why).collect::<Vec<NoFence>>()
    };
    assert_eq!(why(&answer), [NoFence::NoKind, NoFence::NoKind]);
    assert_eq!(answer.conclusion(), Conclusion::Undecided);
    let one_expression = SB.replace("x = 1; r = y", "r = x + y");
    let other = one_expression.replace("y = 1; r = x", "y = 1; fence; x = 1");
    let id = workspace.text("mp.fw", &other).expect("a program");
    let answer = workspace.cycles(id, &Cycles::repaired(Arch::Power)).expect("it can be asked");
    assert_eq!(why(&answer), [NoFence::NoPlace]);
    assert_eq!(answer.conclusion(), Conclusion::Undecided);
}

#[test]
fn libraries_are_analysed_whole_and_translations_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("library.ll");
    std::fs::write(&file, LIBRARY).expect("a file");
    let files = vec![file.to_str().expect("a name").to_owned()];
    let inputs = Inputs::files(files.clone());
    let mut workspace = Workspace::default();
    let question = Cycles::on(Arch::X86);
    let answers = workspace.cycles_of("library", &files, &inputs, &question);
    let answers = answers.unwrap_or_else(|refused| panic!("{:?}", refused.errors));
    assert_eq!(answers[0].2.conclusion(), Conclusion::Undecided);
    // Both run against themselves too, in any number of threads.
    assert!(answers[0].2.found.delays >= 2);
    // What says how far to translate says nothing here.
    let source = SourceOptions { max_recursion: Some(2), ..SourceOptions::default() };
    let bounded = Inputs { source, ..inputs };
    let refused = workspace.cycles_of("library", &files, &bounded, &question);
    let message = refused.map(|_| ()).expect_err("it is refused").errors[0].message.clone();
    assert!(message.contains("--max-recursion"), "{message}");
    // A translation may end at a bound.
    let entry = |function: &str| lowering::Entry {
        function: function.to_owned(),
        arguments: Vec::new(),
        copies: 1,
        is_first: false,
    };
    let entries = vec![entry("left"), entry("right")];
    let source = SourceOptions { entries, ..SourceOptions::default() };
    let opened = workspace.open(&Inputs { source, ..Inputs::files(files) });
    let Some(Ok(id)) = opened.first() else { panic!("{opened:?}") };
    let refused = workspace.cycles(*id, &question).map(|_| ()).expect_err("it is refused");
    assert!(refused.errors[0].message.contains("translation"), "{:?}", refused.errors);
}

/// Whether the first of two conditions holds or not, control leaves both past the fence after them. Otherwise the
/// program with fences would need more: a way past the first condition alone would have a place only then.
#[test]
fn who_leaves_a_condition_early_passes_the_fence_after_it() {
    let text = "#include <pthread.h>
int x, y, z, b, c, d;
static void *first(void *p) { x = 1; return 0; }
static void *second(void *p) { z = 1; y = 1; return 0; }
static void *third(void *p) { if (x && y) return 0; b = z; return 0; }
static void *fourth(void *p) { c = z; d = x; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_create(&t, 0, third, 0);
    pthread_create(&t, 0, fourth, 0);
    return 0;
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("early.c");
    std::fs::write(&file, text).expect("a file");
    let files = vec![file.to_str().expect("a name").to_owned()];
    let mut workspace = Workspace::default();
    let question = Cycles::repaired(Arch::Power);
    let found = workspace.cycles_of("early", &files, &Inputs::files(files.clone()), &question);
    let found = found.unwrap_or_else(|refused| panic!("{:?}", refused.errors));
    let repair = found[0].2.repair.as_ref().expect("asked for").as_ref().expect("in time");
    let kinds: Vec<FenceKind> = repair.fences.iter().map(|fence| fence.kind).collect();
    // Independent reads of independent writes in the third and fourth thread, message passing in the second.
    assert_eq!(kinds, [FenceKind::Lightweight, FenceKind::Full, FenceKind::Full]);
    // In one condition no fence can come between the two.
    assert!(repair.left.iter().all(|left| left.why == NoFence::NoPlace));
}

/// Store buffering in which the first thread leaves the statement that stores in a way that a macro hides, and loads
/// elsewhere then: `DEFINITION` is how, `BODY` what it does.
const HIDDEN: &str = "#include <pthread.h>
DEFINITION
int x, y, stop, a, b, c;
static void body(void) { BODY }
static void *first(void *p) { body(); return 0; }
static void *second(void *p) { y = 1; __sync_synchronize(); c = x; return 0; }
static void *third(void *p) { stop = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_create(&t, 0, third, 0);
    return 0;
}
";

/// A way out of a statement that a macro hides does not pass the fence behind it. Both methods read the repaired
/// text again: a fence that is not where it is said to be would be an error.
#[test]
fn what_a_macro_leaves_by_a_hidden_jump_passes_no_fence() {
    // Each with the text before each fence.
    let all = [
        (
            "#define SET do { x = 1; if (stop) return; } while (0)",
            "SET; a = y; } static void *other(void *p) { body(); b = y; return 0;",
            vec!["SET;", "body();"],
        ),
        (
            "#define SET x = 1; if (stop) break",
            "for (int i = 0; i < 2; i++) { SET; a = y; } b = y;",
            vec!["SET;"],
        ),
        ("#define SET x = 1; if (stop) goto end", "SET; a = y; end: b = y;", vec!["SET;"]),
        // The last statement: control comes to the end of the function either way.
        (
            "#define SET do { x = 1; if (stop) return; } while (0)",
            "a = 0; SET; } static void *other(void *p) { body(); b = y; return 0;",
            vec!["body();"],
        ),
    ];
    for (definition, body, behind) in all {
        let text = HIDDEN.replace("DEFINITION", definition).replace("BODY", body);
        let text = if body.contains("other") { text.replace("0, first", "0, other") } else { text };
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("hidden.c");
        std::fs::write(&file, &text).expect("a file");
        let files = vec![file.to_str().expect("a name").to_owned()];
        let inputs = Inputs::files(files.clone());
        let mut workspace = Workspace::default();
        let question = Cycles::repaired(Arch::X86);
        let found = workspace.cycles_of("hidden", &files, &inputs, &question);
        let found = found.unwrap_or_else(|refused| panic!("{body}: {:?}", refused.errors));
        let repair = found[0].2.repair.as_ref().expect("asked for").as_ref().expect("in time");
        let stands = |fence: &cycles::answer::ShownFence| {
            &text[fence.span.start as usize..fence.span.end as usize]
        };
        let mut fences: Vec<&str> = repair.fences.iter().map(stands).collect();
        fences.sort_unstable();
        assert_eq!(fences, behind, "{body}");
        let opened = workspace.open(&inputs);
        let Some(Ok(id)) = opened.first() else { panic!("{body}: {opened:?}") };
        let answer = workspace.fence(*id, &Fence::default());
        answer.unwrap_or_else(|refused| panic!("{body}: {:?}", refused.errors));
    }
}

/// Static delays are confirmed with a run, or refuted.
#[test]
fn delays_are_judged_one_by_one() {
    // The second thread writes only after it has seen the first one's store.
    let guarded = SB.replace("y = 1; r = x", "r = x; if r == 1 { y = 1; r = x }");
    for (text, confirmed) in [(SB, 2), (guarded.as_str(), 0)] {
        let mut workspace = Workspace::new(InMemory::new());
        let id = workspace.text("sb.fw", text).expect("a program");
        let check = Check { delays: true, ..Check::default() };
        let answer = workspace.check(id, &check).expect("an answer");
        let delays = answer.delays.expect("it was asked");
        assert_eq!(delays.len(), 2, "{delays:?}");
        let runs = delays.iter().filter(|one| matches!(one.verdict, Verdict::Violated(_)));
        assert_eq!(runs.count(), confirmed);
    }
}
