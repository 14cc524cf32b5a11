//! What is written to files and to terminals: files whole or not at all, nothing that a terminal would
//! obey, and data as it is.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FENCEWRIGHT: &str = env!("CARGO_BIN_EXE_fencewright");
const MODEL: &str = "shared x, y\n\
    thread p { local r; x = 1; r = y }\n\
    thread q { local r; y = 1; r = x }\n";

/// A folder of our own that is empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

fn fencewright(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(FENCEWRIGHT);
    command.current_dir(folder).args(arguments).output().expect("fencewright can be started")
}

fn put(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file can be written");
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a file can be read")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn no_link_leads_over_a_text_of_the_program_and_nothing_is_searched_before() {
    let folder = folder("files-links");
    put(&folder, "sb.fw", MODEL);
    std::fs::hard_link(folder.join("sb.fw"), folder.join("hard.fw")).expect("a hard link");
    std::os::unix::fs::symlink("sb.fw", folder.join("soft.fw")).expect("a symbolic link");
    for out in ["hard.fw", "soft.fw", "sb.fw", "./sb.fw", "."] {
        let output = fencewright(&folder, &["fence", "sb.fw", "--write", out]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{out}: {said}");
        assert!(said.contains("would overwrite"), "{out}: {said}");
        assert_eq!(output.stdout, b"", "{out}: nothing was searched");
        assert_eq!(read(&folder, "sb.fw"), MODEL, "{out}");
    }
}

/// A file size limit is a full disk that needs no privileges: the system kills who writes more, or, if
/// that signal is ignored, refuses.
#[test]
fn the_old_content_stays_if_the_new_one_cannot_be_written() {
    let folder = folder("files-full");
    put(&folder, "sb.fw", MODEL);
    for (way, code) in [("trap '' XFSZ; ", Some(2)), ("", None)] {
        for asked in ["fence sb.fw --write out.fw", "convert sb.fw --to trencher -o out.fw"] {
            put(&folder, "out.fw", "old");
            let script = format!("{way}ulimit -f 0; exec '{FENCEWRIGHT}' {asked} > /dev/null");
            let mut shell = Command::new("sh");
            let output =
                shell.current_dir(&folder).args(["-c", &script]).output().expect("a shell");
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), code, "{script}: {said}");
            assert_eq!(read(&folder, "out.fw"), "old", "{script}");
            if code.is_some() {
                assert!(said.contains("cannot write out.fw"), "{said}");
                assert_eq!(names(&folder), ["out.fw", "sb.fw"], "nothing is left behind");
            }
            for left in names(&folder).iter().filter(|name| name.starts_with(".fencewright-")) {
                std::fs::remove_file(folder.join(left)).expect("our own file");
            }
        }
    }
}

#[test]
fn files_are_written_and_keep_their_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("files-written");
    put(&folder, "sb.fw", MODEL);
    put(&folder, "out.fw", "old");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(folder.join("out.fw"), private).expect("permissions");
    let output = fencewright(&folder, &["fence", "sb.fw", "--write", "out.fw"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(read(&folder, "out.fw").contains("fence"));
    let mode = std::fs::metadata(folder.join("out.fw")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let written = fencewright(&folder, &["convert", "sb.fw", "--to", "trencher"]);
    let kept = fencewright(&folder, &["convert", "sb.fw", "--to", "trencher", "-o", "out.txt"]);
    assert_eq!((written.status.code(), kept.status.code()), (Some(0), Some(0)));
    assert_eq!(String::from_utf8_lossy(&written.stdout), read(&folder, "out.txt"));
}

/// A name with what a terminal would obey: a colour, the bell, a new title, text from right to left.
const EVIL: &str = "e\u{1b}[31mv\u{7}i\u{9b}1ml\u{1b}]0;t\u{7}\u{202e}";

/// What a terminal must not get from us, our own colours aside.
fn is_obeyed(text: &str) -> Option<String> {
    let mut rest = text.to_owned();
    for ours in ["0", "1", "91", "92", "94", "96", "33", "93", "36", "32", "31", "34"] {
        rest = rest.replace(&format!("\u{1b}[{ours}m"), "");
    }
    let bad = |c: char| (c.is_control() && !"\n\t".contains(c)) || "\u{202e}".contains(c);
    rest.lines().find(|line| line.contains(bad)).map(|line| line.escape_debug().to_string())
}

#[test]
fn nothing_from_elsewhere_controls_a_terminal() {
    let folder = folder("files-terminal");
    let model = format!("// {EVIL}\n{MODEL}");
    let name = format!("{EVIL}\nx: robustness holds.fw");
    put(&folder, &name, &model);
    put(&folder, "wrong.fw", &format!("shared x // {EVIL}\nthread p {{ x = {EVIL} }}\n"));
    let litmus = format!(
        "X86 {EVIL}\n\"{EVIL}\"\n{{ }}\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n \
         MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n"
    );
    put(&folder, "title.litmus", &litmus);
    let thread = |number: u8, mine: u8, other: u8| {
        format!(
            "thread {EVIL}{number}\ninitial {EVIL}a\ntransition {EVIL}a {EVIL}b write 1 {mine}\n\
             transition {EVIL}b {EVIL}c read {EVIL}r {other}\nend\n"
        )
    };
    put(&folder, "names.txt", &(thread(0, 1, 2) + &thread(1, 2, 1)));
    let inputs = [name.as_str(), "wrong.fw", "title.litmus", "names.txt"];
    let mut shown = 0;
    for command in ["check", "fence", "reach", "outcomes", "simulate", "show"] {
        for input in inputs {
            for colour in ["always", "never"] {
                let output = fencewright(&folder, &[command, input, "--color", colour]);
                for stream in [&output.stdout, &output.stderr] {
                    let text = String::from_utf8_lossy(stream);
                    assert_eq!(is_obeyed(&text), None, "{command} {input:?} {colour}");
                    let forged = text.lines().any(|line| line.starts_with("x: robustness holds"));
                    assert!(!forged, "{command}: {text}");
                    shown += usize::from(text.contains("␛[31mv␇i\\u{9b}1ml"));
                }
            }
        }
    }
    assert!(shown >= 24, "names are shown, in a visible form: {shown}");
}

/// What is wrong with arguments is told before anything else is known.
#[test]
fn wrong_arguments_control_no_terminal() {
    let folder = folder("files-arguments");
    let option = format!("--{EVIL}");
    let lines = format!("{EVIL}\nx: robustness holds");
    let wrong: [&[&str]; 6] = [
        &[EVIL],
        &[&option],
        &["check", "x.fw", &option],
        &["reach", "x.fw", "--timeout", EVIL],
        &["check", "x.fw", "--format", &lines],
        &["check", "x.fw", "--color", EVIL],
    ];
    for arguments in wrong {
        let output = fencewright(&folder, arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert_eq!(is_obeyed(&text), None, "{arguments:?}");
        assert!(text.contains("␛[31mv␇i\\u{9b}1ml"), "{text}");
        assert!(!text.lines().any(|line| line.starts_with("x: robustness holds")), "{text}");
    }
}

#[test]
fn data_passes_through_pipes_as_it_is() {
    let folder = folder("files-data");
    put(&folder, "sb.fw", &format!("// {EVIL}\r\n{MODEL}"));
    for colour in ["auto", "always", "never"] {
        let output = fencewright(&folder, &["fence", "sb.fw", "--diff", "--color", colour]);
        let diff = String::from_utf8_lossy(&output.stdout);
        assert!(diff.contains(&format!(" // {EVIL}\r\n")), "{colour}: {}", diff.escape_debug());
        assert_eq!(is_obeyed(&String::from_utf8_lossy(&output.stderr)), None, "{colour}");
    }
}

/// `script` of util-linux runs a command on a terminal of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_data_that_it_does_not_obey() {
    let folder = folder("files-tty");
    put(&folder, "sb.fw", &format!("// {EVIL}\n{MODEL}"));
    let command = format!("'{FENCEWRIGHT}' fence sb.fw --diff 2> /dev/null");
    let mut script = Command::new("script");
    let output = script
        .current_dir(&folder)
        .args(["-q", "-c", &command, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output()
        .expect("`script` can be started");
    let shown = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    assert!(shown.contains(" // e␛[31mv␇i\\u{9b}1ml␛]0;t␇\\u{202e}\n"), "{}", shown.escape_debug());
    assert_eq!(is_obeyed(&shown), None);
}
