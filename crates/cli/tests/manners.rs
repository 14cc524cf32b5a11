//! How the command behaves around its answers: options in a file, folders, quiet output, repairs in place, known
//! findings, interrupts, a program run by hand, the manual, `cargo fencewright`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const PETERSON: &str = include_str!("../../../corpus/mutex/peterson.fw");
const SB: &str =
    "shared x, y\nthread p { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n";
const ONE: &str = "shared x\nthread p { x = 1 }\nthread q { x = 2 }\n";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

fn run_in(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fencewright can be started");
    let mut pipe = child.stdin.take().expect("its input");
    let _ = pipe.write_all(input.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("it ends")
}

/// The exit code, the results and the messages.
fn told(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn asked(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    told(&run_in(folder, arguments, ""))
}

#[test]
fn options_are_read_from_a_file_and_typed_ones_count_more() {
    let files = [
        ("fencewright.toml", "quiet = true\n[check]\ncriterion = [\"trf\"]\n"),
        ("inside/sb.fw", SB),
    ];
    let folder = folder(&files);
    let inside = folder.path().join("inside");
    let (code, results, _) = asked(&inside, &["check", "sb.fw"]);
    assert_eq!(code, Some(1));
    assert!(results.starts_with("sb.fw: trf violated"), "{results}");
    let (_, results, _) = asked(&inside, &["check", "sb.fw", "--criterion", "robustness"]);
    assert!(results.starts_with("sb.fw: robustness violated"), "{results}");
    let (_, results, _) = asked(&inside, &["check", "sb.fw", "--no-config"]);
    assert!(results.starts_with("sb.fw: robustness violated"), "{results}");
    std::fs::write(folder.path().join("fencewright.toml"), "timeout = \"soon\"\n").unwrap();
    let (code, results, messages) = asked(&inside, &["check", "sb.fw"]);
    assert_eq!((code, results.as_str()), (Some(2), ""));
    assert!(messages.contains("fencewright.toml"), "{messages}");
    assert!(messages.contains("expected a number of seconds"), "{messages}");
}

#[test]
fn a_folder_is_answered_in_a_line_each_and_a_summary() {
    let folder = folder(&[("all/a.fw", ONE), ("all/b/sb.fw", SB), ("all/c.c", "int main(void){}")]);
    let (code, results, messages) = asked(folder.path(), &["check", "--quiet", "all"]);
    assert_eq!(code, Some(1));
    let lines: Vec<&str> = results.lines().collect();
    assert_eq!(lines.len(), 2, "{results}");
    assert!(lines[0].starts_with("all/a.fw: robustness holds"), "{results}");
    assert!(lines[1].starts_with("all/b/sb.fw: robustness violated"), "{results}");
    assert!(messages.contains("1 C file was left out"), "{messages}");
    assert!(messages.contains("2 programs: 1 violated, 1 without a violation"), "{messages}");
}

#[test]
fn a_repair_goes_into_a_file_that_git_has() {
    let folder = folder(&[("sb.fw", SB)]);
    let read = || std::fs::read_to_string(folder.path().join("sb.fw")).unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let done =
            Command::new("git").current_dir(folder.path()).args(identity).args(arguments).output();
        assert!(done.expect("git").status.success(), "{arguments:?}");
    };
    let (code, _, messages) = asked(folder.path(), &["fence", "sb.fw", "--in-place"]);
    assert_eq!(code, Some(2));
    assert!(messages.contains("sb.fw is not under version control"), "{messages}");
    git(&["init", "-q"]);
    git(&["add", "sb.fw"]);
    let (code, _, messages) = asked(folder.path(), &["fence", "sb.fw", "--in-place"]);
    assert_eq!(code, Some(2));
    assert!(messages.contains("sb.fw has changes that are not committed"), "{messages}");
    assert_eq!(read(), SB);
    git(&["commit", "-qm", "sb"]);
    let (code, results, messages) = asked(folder.path(), &["fence", "sb.fw", "--in-place"]);
    assert_eq!(code, Some(0), "{messages}");
    assert!(results.contains("written to sb.fw"), "{results}");
    assert_eq!(asked(folder.path(), &["check", "sb.fw"]).0, Some(0), "{}", read());
    std::fs::write(folder.path().join("sb.fw"), SB).unwrap();
    assert_eq!(asked(folder.path(), &["fence", "sb.fw", "--in-place", "--force"]).0, Some(0));
    assert_ne!(read(), SB);
}

#[test]
fn a_diff_of_files_elsewhere_says_where_it_applies() {
    let folder = folder(&[("a b/sb.fw", SB), ("c/other.fw", SB)]);
    let absolute = folder.path().join("a b/sb.fw");
    let named = absolute.to_str().expect("UTF-8");
    for name in ["../a b/sb.fw", named, "../c/../a b/sb.fw"] {
        std::fs::write(&absolute, SB).unwrap();
        let inside = folder.path().join("c");
        let (_, diff, _) = asked(&inside, &["fence", name, "--diff"]);
        let (first, _) = diff.split_once('\n').expect("a line");
        let command = first.strip_prefix("Apply with: ").expect("how to apply it");
        let mut shell = Command::new("sh")
            .args(["-c", command])
            .current_dir(&inside)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("a shell");
        shell.stdin.take().expect("a pipe").write_all(diff.as_bytes()).unwrap();
        assert!(shell.wait().expect("it ends").success(), "{name}: {diff}");
        assert_eq!(asked(&inside, &["check", name]).0, Some(0), "{name}");
    }
    // Nothing is said about how to apply nothing.
    let (code, diff, _) = asked(folder.path(), &["fence", named, "--diff"]);
    assert_eq!((code, diff.as_str()), (Some(0), ""));
    let (_, diff, _) = asked(folder.path(), &["fence", "c/other.fw", "--diff"]);
    assert!(diff.starts_with("--- c/other.fw\n"), "{diff}");
}

#[test]
fn locales_without_utf8_get_ascii() {
    let folder = folder(&[("sb.fw", SB)]);
    let run = |locale: &str, format: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .current_dir(folder.path())
            .args(["check", "sb.fw", "--format", format])
            .env("LC_ALL", locale)
            .output();
        String::from_utf8(output.expect("it runs").stdout).expect("UTF-8")
    };
    let plain = run("C", "text");
    assert!(plain.is_ascii() && plain.contains("(1) the store"), "{plain}");
    for locale in ["C.UTF-8", "de_DE.utf8"] {
        let signs = run(locale, "text");
        assert!(signs.contains("① the store"), "{signs}");
    }
    let html = run("C", "html");
    assert!(html.contains('①'), "a page has an encoding of its own");
}

#[test]
fn known_findings_do_not_fail() {
    let folder = folder(&[("sb.fw", SB), ("one.fw", ONE)]);
    let sarif = |arguments: &[&str]| {
        let arguments = [&["check", "--format", "sarif"], arguments].concat();
        asked(folder.path(), &arguments)
    };
    let (code, known, _) = sarif(&["sb.fw", "one.fw"]);
    assert_eq!(code, Some(1));
    std::fs::write(folder.path().join("known.sarif"), &known).unwrap();
    // It has moved, and is the same.
    std::fs::write(folder.path().join("sb.fw"), format!("// moved\n\n{SB}")).unwrap();
    let (code, now, messages) = sarif(&["sb.fw", "one.fw", "--baseline", "known.sarif"]);
    assert_eq!((code, messages.as_str()), (Some(0), "0 new findings, 1 known\n"));
    assert!(now.contains(r#""baselineState":"unchanged""#), "{now}");
    std::fs::write(folder.path().join("peterson.fw"), PETERSON).unwrap();
    let (code, _, messages) = sarif(&["sb.fw", "peterson.fw", "--baseline", "known.sarif"]);
    assert_eq!((code, messages.as_str()), (Some(1), "1 new finding, 1 known\n"));
    assert_eq!(sarif(&["sb.fw", "--baseline", "none.sarif"]).0, Some(2));
}

#[test]
fn a_program_is_run_by_hand_and_a_run_is_loaded() {
    let folder = folder(&[("sb.fw", SB)]);
    let output = run_in(folder.path(), &["step", "sb.fw", "--witness"], "redo 99\nstate\n");
    let (code, results, messages) = told(&output);
    assert_eq!(code, Some(0), "{messages}");
    assert!(
        results.contains("a run of TSO whose reads and writes no run under SC has"),
        "{results}"
    );
    assert!(results.contains("every thread has ended"), "{results}");
    let (_, run, _) =
        asked(folder.path(), &["simulate", "sb.fw", "--seed", "3", "--format", "json"]);
    std::fs::write(folder.path().join("run.json"), run).unwrap();
    let output = run_in(folder.path(), &["step", "sb.fw", "--load", "run.json"], "redo 99\n");
    let (code, results, messages) = told(&output);
    assert_eq!(code, Some(0), "{messages}");
    assert!(results.contains("every thread has ended"), "{results}");
    // A run of another program is none of this one.
    std::fs::write(folder.path().join("one.fw"), ONE).unwrap();
    let (code, _, messages) = asked(folder.path(), &["step", "one.fw", "--load", "run.json"]);
    assert_eq!(code, Some(2));
    assert!(messages.contains("the program has no such run"), "{messages}");
    let (code, _, messages) = asked(folder.path(), &["step", "-"]);
    assert_eq!(code, Some(2));
    assert!(messages.contains("commands come from standard input"), "{messages}");
}

/// What an answer advises can be done.
#[test]
fn the_next_step_can_be_taken() {
    let sb = "X86 sb\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n \
              MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
    let folder = folder(&[("sb.fw", SB), ("sb.litmus", sb)]);
    let cases: [(&str, &[&str], &str); 4] = [
        ("sb.fw", &["outcomes"], "shows an execution that ends like this"),
        ("sb.litmus", &["outcomes"], "shows an execution that ends like this"),
        ("sb.litmus", &["outcomes", "--model", "power"], "shows an execution that ends like this"),
        ("sb.fw", &["check", "--method", "static"], "finds the cheapest fences against them"),
    ];
    for (file, asked_for, said) in cases {
        let (_, results, _) = asked(folder.path(), &[asked_for, &[file]].concat());
        let next = results.lines().find(|line| line.starts_with("  next: "));
        let next = next.unwrap_or_else(|| panic!("{file} {asked_for:?}: {results}"));
        assert!(next.contains(said), "{next}");
        // Each command or option that it quotes.
        for quoted in next.split('`').skip(1).step_by(2).filter(|quoted| *quoted != "--delays") {
            let words = shlex::split(quoted).expect("words");
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let command = match words.as_slice() {
                ["fencewright", rest @ ..] => rest.to_vec(),
                options => [asked_for, options].concat(),
            };
            let (code, results, messages) = asked(folder.path(), &[&command[..], &[file]].concat());
            assert_eq!(code, Some(0), "{quoted}: {results}{messages}");
        }
    }
    let never = sb.replace("1:EAX=0)", "1:EAX=7)");
    std::fs::write(folder.path().join("never.litmus"), never).unwrap();
    let (_, results, _) = asked(folder.path(), &["outcomes", "never.litmus", "--model", "sc"]);
    assert!(results.contains("`--format html` shows why the condition is never true"), "{results}");
}

/// Ctrl-C: the answer says so, the exit code is what shells expect, and nothing is left behind.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_search_and_is_told() {
    // More states than can be explored in a moment.
    let endless = "shared x, y\nthread p[i in 0..3] { local a; while 1 == 1 { a = a + 1; x = a; a = y + a } }\n";
    let folder = folder(&[("endless.fw", endless), ("sb.fw", SB)]);
    let child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .current_dir(folder.path())
        .args(["reach", "endless.fw", "sb.fw"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fencewright can be started");
    std::thread::sleep(std::time::Duration::from_millis(700));
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("kill").success());
    let (code, results, messages) = told(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(130), "{results}{messages}");
    assert!(results.contains("endless.fw: undecided"), "{results}{messages}");
    assert!(results.contains("sb.fw: undecided"), "what was not begun is told too: {results}");
    // Trying runs ends at once as well.
    let child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .current_dir(folder.path())
        .args(["simulate", "sb.fw", "--model", "sc", "--tries", "1000000000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("fencewright can be started");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(signal.expect("kill").success());
    let (code, results, messages) = told(&child.wait_with_output().expect("it ends"));
    assert_eq!(code, Some(130), "{results}{messages}");
    assert!(results.contains("sb.fw: undecided: the search was cancelled"), "{results}{messages}");
}

/// Ctrl-C while a compiler is at work, whatever it works for: it ends, and no file stays.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_while_compiling_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};
    let slow = "#!/bin/sh\ncase \"$*\" in\n*--version*) echo clang version 14.0.6 ;;\n*) sleep 300 ;;\nesac\n";
    let folder = folder(&[("empty.c", "int main(void) { return 0; }\n"), ("slow-clang", slow)]);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path().join("slow-clang"), executable).unwrap();
    let commands: [&[&str]; 6] = [
        &["check"],
        &["outcomes", "--format", "html"],
        &["port", "--to", "aarch64"],
        &["show"],
        &["simulate"],
        &["convert", "--to", "fw"],
    ];
    for (number, command) in commands.iter().enumerate() {
        let temporary = folder.path().join(number.to_string());
        std::fs::create_dir(&temporary).unwrap();
        let files = || std::fs::read_dir(&temporary).unwrap().count();
        let child = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .current_dir(folder.path())
            .env("TMPDIR", &temporary)
            .args(*command)
            .args(["empty.c", "--no-cache", "--clang", "./slow-clang"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("fencewright can be started");
        let begun = Instant::now();
        while files() == 0 {
            assert!(begun.elapsed() < Duration::from_secs(20), "{command:?} compiles nothing");
            std::thread::sleep(Duration::from_millis(5));
        }
        let signal = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(signal.expect("kill").success());
        let (code, results, messages) = told(&child.wait_with_output().expect("it ends"));
        assert_eq!(code, Some(130), "{command:?}: {results}{messages}");
        assert_eq!(files(), 0, "{command:?}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = folder(&[]);
    let (code, results, messages) = asked(folder.path(), &["man", "pages"]);
    assert_eq!(code, Some(0), "{messages}");
    let pages = std::fs::read_dir(folder.path().join("pages")).unwrap().count();
    assert_eq!(results, format!("{pages} pages written to pages\n"));
    let page = std::fs::read_to_string(folder.path().join("pages/fencewright-step.1")).unwrap();
    assert!(page.contains("Run a program by hand"), "{page}");
}

#[test]
fn terms_and_codes_are_explained() {
    let folder = folder(&[]);
    let (code, results, _) = asked(folder.path(), &["explain", "store", "buffer"]);
    assert_eq!(code, Some(0));
    assert!(results.contains("The queue in which a core's stores wait"), "{results}");
    let (code, results, _) = asked(folder.path(), &["explain", "docs/step.md"]);
    assert_eq!(code, Some(0));
    assert!(results.starts_with("# Running a program by hand"), "{results}");
    let (code, results, messages) = asked(folder.path(), &["explain", "triangular"]);
    assert_eq!((code, results.as_str()), (Some(2), ""));
    assert!(messages.contains("did you mean triangular race?"), "{messages}");
}

#[test]
fn cargo_runs_it_on_the_package() {
    let subcommand = |arguments: &[&str]| {
        let folder = folder(&[("sb.fw", SB)]);
        let done = Command::new(env!("CARGO_BIN_EXE_cargo-fencewright"))
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .expect("it can be started");
        told(&done)
    };
    let (code, results, _) = subcommand(&["fencewright", "check", "sb.fw", "--quiet"]);
    assert_eq!(code, Some(1));
    assert!(results.starts_with("sb.fw: robustness violated"), "{results}");
    // Without a command and without a file: check this folder.
    let (code, results, _) = subcommand(&["fencewright", "--quiet"]);
    assert_eq!(code, Some(1), "{results}");
    assert!(results.starts_with("./sb.fw: robustness violated"), "{results}");
    let (code, results, _) = subcommand(&["fencewright", "--version"]);
    assert_eq!(code, Some(0));
    assert!(results.starts_with("fencewright "), "{results}");
}

/// A terminal of 60 columns, by util-linux's `script`.
#[cfg(target_os = "linux")]
#[test]
fn lines_fit_the_terminal() {
    let folder = folder(&[("peterson.fw", PETERSON)]);
    let binary = env!("CARGO_BIN_EXE_fencewright");
    let shown = |columns: usize, arguments: &str| {
        let command = format!("stty cols {columns} rows 40; {binary} {arguments}");
        let output = Command::new("script")
            .current_dir(folder.path())
            .args(["-qec", &command, "/dev/null"])
            .stdin(Stdio::null())
            .output()
            .expect("script");
        String::from_utf8_lossy(&output.stdout).replace('\r', "")
    };
    let longest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    for arguments in ["check peterson.fw", "fence peterson.fw", "reach peterson.fw", "explain tso"]
    {
        let narrow = shown(60, &format!("--color never {arguments}"));
        assert!(!narrow.is_empty() && longest(&narrow) <= 60, "{arguments}:\n{narrow}");
    }
    // Each thread has a column of its own only where there is room for that.
    assert!(shown(60, "--color never check peterson.fw").contains("step  line  thread  does"));
    assert!(shown(130, "--color never check peterson.fw").contains("  p[1]    "));
    // In a pipe lines stay whole.
    let (_, whole, _) = asked(folder.path(), &["check", "peterson.fw"]);
    assert!(longest(&whole) > 60, "{whole}");
}
