//! Both routes from C to final states agree: on written programs, and on generated ones.
//!
//! `cargo run --release -p fencewright-second-opinion --example compare -- FROM TO` compares many more.

mod comparison;

use std::fs;
use std::path::Path;

use comparison::{Agreement, Comparison, compare, compare_rust, smallest};
use second_opinion::{Compiler, End, Model, Program, Source, generate, generate_pair};

/// The programs in `tests/programs`, with their names.
fn programs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let files = fs::read_dir(folder).expect("the folder is there");
    let read = |file: fs::DirEntry| {
        let name = file.file_name().to_string_lossy().into_owned();
        (name, fs::read_to_string(file.path()).expect("a text"))
    };
    files.map(|file| read(file.expect("a file"))).collect()
}

/// A line `// ends: 3 4` says how many ends a program has under SC and TSO.
#[test]
fn written_programs_end_alike() {
    for (name, text) in programs() {
        let said = text.lines().find_map(|line| line.strip_prefix("// ends: ")).expect("a number");
        match compare(&Source::written(&text)) {
            Comparison::Agreed(Agreement { under_sc, under_tso, .. }) => {
                assert_eq!(format!("{under_sc} {under_tso}"), said, "{name}");
            }
            Comparison::Differ(why)
            | Comparison::Refused(why)
            | Comparison::Undecided(why)
            | Comparison::NoOpinion(why) => panic!("{name}: {why}"),
        }
    }
}

/// How many programs must have several ends, more of them under TSO, fail, and have a deadlock.
struct Floors {
    several: usize,
    weaker: usize,
    failing: usize,
    stuck: usize,
}

/// Compares the programs of some seeds.
fn generated(
    seeds: impl Iterator<Item = u64>,
    compared: impl Fn(u64) -> (String, Comparison),
    floors: &Floors,
) {
    let (mut with_several, mut only_tso, mut undecided, mut all) = (0, 0, Vec::new(), 0);
    let (mut failing, mut stuck) = (0, 0);
    for seed in seeds {
        let (text, comparison) = compared(seed);
        all += 1;
        match comparison {
            Comparison::Agreed(Agreement { under_sc, under_tso, fails, deadlocks }) => {
                failing += usize::from(fails);
                stuck += usize::from(deadlocks == Some(true));
                with_several += usize::from(under_tso > 1);
                only_tso += usize::from(under_tso > under_sc);
            }
            Comparison::Undecided(reason) => undecided.push((seed, reason)),
            Comparison::Differ(how) => {
                panic!("seed {seed}: {how}\n{text}");
            }
            Comparison::Refused(why) | Comparison::NoOpinion(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(undecided.len() * 25 <= all, "{undecided:?}");
    assert!(with_several >= floors.several, "{with_several} have several ends");
    assert!(only_tso >= floors.weaker, "{only_tso} have more under TSO");
    assert!(failing >= floors.failing, "{failing} can fail");
    assert!(stuck >= floors.stuck, "{stuck} have a deadlock");
}

/// A program in C, the smallest that differs if one does.
fn in_c(seed: u64) -> (String, Comparison) {
    let source = generate(seed);
    match compare(&source) {
        Comparison::Differ(how) => {
            let (small, how_small) = smallest(&source);
            (format!("{how_small}\n{}", small.text()), Comparison::Differ(how))
        }
        other @ (Comparison::Agreed(_)
        | Comparison::Refused(_)
        | Comparison::Undecided(_)
        | Comparison::NoOpinion(_)) => (source.text(), other),
    }
}

/// The second opinion on a program in Rust is about the same in C.
#[test]
fn generated_programs_in_rust_end_as_in_c() {
    let in_rust = |seed| {
        let (source, rust) = generate_pair(seed);
        let comparison = compare_rust(&rust, &source);
        (rust, comparison)
    };
    let floors = Floors { several: 38, weaker: 2, failing: 8, stuck: 1 };
    generated(0..60, in_rust, &floors);
}

/// The second route is over gcc.
#[test]
fn generated_programs_end_alike_where_c_leaves_no_choice() {
    let floors = Floors { several: 40, weaker: 2, failing: 5, stuck: 1 };
    generated((0..200).step_by(2), in_c, &floors);
}

/// The second route is over clang.
#[test]
fn generated_programs_end_alike_where_the_compiler_chooses() {
    let floors = Floors { several: 40, weaker: 2, failing: 5, stuck: 1 };
    generated((1..200).step_by(2), in_c, &floors);
}

/// What the second route says by itself of a text, over both compilers.
fn runs(text: &str, model: Model) -> (Vec<End>, bool) {
    let observables = Source::written(text).observables();
    let [clang, gcc] = [Compiler::Clang, Compiler::Gcc].map(|compiler| {
        let program = Program::compile(text, compiler).expect("it compiles");
        program.runs(model, &observables, 10_000).expect("it is small")
    });
    assert_eq!(clang.ends, gcc.ends, "{text}");
    (clang.ends.into_iter().collect(), clang.deadlocks)
}

#[test]
fn runs_without_an_end_are_told_apart() {
    let text = |body: &str| {
        format!(
            "typedef long i64;\ni64 o0;\nvoid abort(void);\nint pthread_mutex_lock(int *);\nint m;\nint main(void) {{ {body} }}\n"
        )
    };
    for model in [Model::Sc, Model::Tso] {
        let stuck = text("o0 = 1; pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0;");
        assert_eq!(runs(&stuck, model), (Vec::new(), true));
        let failed = text("o0 = 1; abort(); return 0;");
        assert_eq!(runs(&failed, model), (vec![End::Failed], false));
        let ended = text("o0 = -3; return 0;");
        assert_eq!(runs(&ended, model), (vec![End::Seen(vec![-3])], false));
    }
}

#[test]
fn the_same_seed_gives_the_same_program() {
    assert_eq!(generate(7), generate(7));
    assert_ne!(generate(7).text(), generate(9).text());
}

#[test]
fn a_program_is_shrunk_to_what_matters() {
    let source = generate(12);
    let small = source.shrunk(|candidate| candidate.text().contains("int main"));
    assert!(small.text().lines().count() < source.text().lines().count() / 2, "{}", small.text());
    assert!(small.text().contains("int main"));
}
