//! What comes from outside of a program: answers, the option that states what it is, and what is said where
//! nothing can be decided.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Store buffering, of threads that are created under a condition.
fn store_buffering(declared: &str, condition: &str) -> String {
    format!(
        "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n{declared}\n\
         static int x, y, r, s;\n\
         static void *left(void *p) {{ __atomic_store_n(&x, 1, 0); r = __atomic_load_n(&y, 0); return 0; }}\n\
         static void *right(void *p) {{ __atomic_store_n(&y, 1, 0); s = __atomic_load_n(&x, 0); return 0; }}\n\
         int main(int argc, char **argv) {{\n\
         {condition}\n\
         pthread_t a, b; pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); return 0;\n}}\n"
    )
}

struct Case {
    declared: &'static str,
    condition: &'static str,
    arguments: &'static [&'static str],
    code: i32,
    says: &'static str,
}

const fn case(
    declared: &'static str,
    condition: &'static str,
    arguments: &'static [&'static str],
    code: i32,
    says: &'static str,
) -> Case {
    Case { declared, condition, arguments, code, says }
}

const CONFIGURED: &str = "int configured(void);";
const FILL: &str = "void fill(unsigned *);";
const FILLED: &str = "unsigned v = 0; fill(&v); if (v != 4294967295) return 0;";
const TAKE: &str = "void take(int n) { if (n == -1) __builtin_trap(); }";
const UNLESS: &str = "if (!configured()) return 0;";

const CASES: &[Case] = &[
    // Whatever is outside, there are runs in which the threads are created.
    case("", "if (argc < 3) { fprintf(stderr, \"%s?\", argv[0]); return 1; }", &[], 1, "violated"),
    case("", "if (argc < 3) return 1;", &["--args", "only"], 0, "holds"),
    case("", "if (argc < 3) return 1;", &["--args", "two 'of them'"], 1, "violated"),
    case("", "if (argv[1][3] != 'o') return 1;", &["--args", "two"], 0, "holds"),
    case("", "if (argv[1][2] != 'o' || argv[2]) return 1;", &["--args", "two"], 1, "violated"),
    case("", "while (getopt(argc, argv, \"v\") != -1) {}", &[], 1, "violated"),
    case("", "while (getchar() != EOF) {}", &[], 1, "violated"),
    case("", "if (!getenv(\"PARALLEL\")) return 0;", &[], 1, "violated"),
    case("", "if (rand() % 3 != 2) return 0;", &[], 1, "violated"),
    case("", "if (sysconf(84) < 2) return 0;", &[], 1, "violated"),
    case(CONFIGURED, UNLESS, &[], 1, "`configured` has no body here"),
    case(CONFIGURED, UNLESS, &["--assume", "configured returns 0"], 0, "assumed, as stated"),
    case(CONFIGURED, UNLESS, &["--assume", "configured returns 0..=1"], 1, "assumed, as stated"),
    // What is stated must be of use.
    case("", "", &["--assume", "nobody does nothing"], 2, "`nobody` is not called"),
    case("", "", &["--assume", "left does nothing"], 2, "`left` has a body"),
    case(CONFIGURED, UNLESS, &["--assume", "configured is 0"], 2, "`is 0` is not understood"),
    case(CONFIGURED, UNLESS, &["--assume", "@nowhere.txt"], 2, "nowhere.txt cannot be read"),
    case(
        CONFIGURED,
        UNLESS,
        &["--assume", "configured returns 0", "--assume", "configured returns 1"],
        2,
        "two assumptions are about `configured`",
    ),
    // What is given away.
    case(
        "void each(void *(*)(void *));",
        "each(left);",
        &[],
        2,
        "--assume 'each creates 1 with 2'",
    ),
    case("static int own; void fill(int *);", "fill(&own);", &[], 2, "--assume 'fill writes 1'"),
    case(
        "void *fork_off(void *(*)(void *), void *);",
        "fork_off(left, 0); fork_off(right, 0); return 0;",
        &["--assume", "fork_off creates 1 with 2"],
        1,
        "violated",
    ),
    // Numbers as variables hold them.
    case(FILL, FILLED, &["--assume", "fill writes 1 with 4294967295"], 1, "violated"),
    case(FILL, FILLED, &["--assume", "fill writes 1 with 4294967296"], 2, "it writes 32 bits"),
    case(FILL, FILLED, &["--assume", "fill writes 2"], 2, "`fill` is given 1 argument here"),
    case(TAKE, "", &["--thread", "take(4294967295)"], 1, "violated"),
    case(TAKE, "", &["--thread", "take(4294967296)"], 2, "`n` is given 4294967296"),
    // Options that nobody can mean.
    case("", "", &["--max-recursion", "4000000000"], 2, "0..=1000"),
    case("", "", &["--max-threads", "0"], 2, "1..=48"),
    case("", "", &["--thread", "left"], 2, "`left(*p)` takes 1 argument, but is given 0"),
    case("", "", &["--thread", "left(0, 1)"], 2, "`left(*p)` takes 1 argument, but is given 2"),
    case("", "", &["--thread", "lefd(0)"], 2, "did you mean `left`?"),
    case("", "", &["--thread", "producer(0)"], 2, "there are `left`, `main`, `right`"),
    case("", "", &["--thread", "left(&z)"], 2, "there is no variable `z`"),
];

fn check(folder: &Path, number: usize, case: &Case) -> Result<(), String> {
    let file = folder.join(format!("program{number}.c"));
    let text = store_buffering(case.declared, case.condition);
    std::fs::write(&file, &text).expect("a file that can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .arg("check")
        .arg(&file)
        .args(case.arguments)
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let shown = format!("{} {} {:?}: {said}", case.declared, case.condition, case.arguments);
    if output.status.code() != Some(case.code) {
        return Err(format!("{} and not {}: {shown}", output.status, case.code));
    }
    if said.contains(case.says) { Ok(()) } else { Err(format!("not `{}`: {shown}", case.says)) }
}

#[test]
fn what_comes_from_outside_may_be_anything_that_is_not_stated() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("outside");
    std::fs::create_dir_all(&folder).expect("a folder");
    let wrong: Vec<String> = CASES
        .iter()
        .enumerate()
        .filter_map(|(number, case)| check(&folder, number, case).err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn assumptions_are_read_from_files() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("assumptions");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("assumptions.txt");
    let say = |text: &str, code, says: &'static str| {
        std::fs::write(&file, text).expect("a file");
        let at = format!("@{}", file.display());
        let output = folder.join("program.c");
        std::fs::write(&output, store_buffering(CONFIGURED, UNLESS)).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .arg("check")
            .arg(output)
            .args(["--assume", &at])
            .output()
            .expect("fencewright can be started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(says), "{said}");
    };
    say("# of the other library\nconfigured returns 0 # never\n", 0, "configured returns 0");
    say("configured returns 0..=7\n", 1, "violated");
    say("\nconfigured returns 7..=0\n", 2, "assumptions.txt: line 2: the range `7..=0` is empty");
}

/// How many processors there are is any number of the stated ones, and never none.
#[test]
fn the_number_of_processors_can_be_stated() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("processors");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("processors.rs");
    let text = "use std::sync::atomic::{AtomicUsize, Ordering};\n\
                static SPINS: AtomicUsize = AtomicUsize::new(0);\n\
                fn main() {\n\
                    let processors = std::thread::available_parallelism().unwrap().get();\n\
                    SPINS.store(100 * processors, Ordering::Relaxed);\n\
                    let spins = SPINS.load(Ordering::Relaxed);\n\
                    assert!(spins == 100 || spins == 200);\n\
                }\n";
    std::fs::write(&file, text).expect("a file");
    let check = |assumed: &[&str], says: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .arg("reach")
            .arg(&file)
            .args(assumed.iter().flat_map(|one| ["--assume", one]))
            .output()
            .expect("fencewright can be started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(says), "{assumed:?}: {said}");
    };
    check(&[], "panic: `unwrap`");
    check(&["available_parallelism returns 1..=2"], "holds");
    check(&["available_parallelism returns 2..=3"], "violated");
    check(&["available_parallelism returns 0..=1"], "the number of processors is not 0");
}
