//! Pages in a real browser: opened, stepped through by mouse and keyboard, and read.

mod driver;

use std::path::{Path, PathBuf};
use std::process::Command;

use driver::Browser;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Keys of the `WebDriver` protocol.
const RIGHT: &str = "\u{e014}";
const LEFT: &str = "\u{e012}";
const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";

/// A program of comments that would like to be code, and of names that would like to be tags.
const HOSTILE: &str =
    "// </script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>
// <!-- ]]> &lt; \" ' ` ${1}
shared x, y
thread p { local r; x = 1; r = y }
thread q { local r; y = 1; r = x }
";

/// Writes what a command prints into a file.
fn page(name: &str, arguments: &[&str], code: i32) -> PathBuf {
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(arguments)
        .current_dir(ROOT)
        .env("FENCEWRIGHT_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser-cache"))
        .output()
        .expect("the command runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, &output.stdout).expect("writable");
    path
}

fn step(browser: &Browser) -> String {
    browser.text(".count")
}

#[test]
fn pages_are_stepped_through_and_read() {
    let browser = Browser::start();
    browser.resize(1200, 1400);
    runs_go_forward_and_back(&browser);
    programs_are_text(&browser);
    every_question_has_a_page(&browser);
    final_states_have_executions(&browser);
    reordered_accesses_are_marked(&browser);
    pictures_are_files(&browser);
    several_programs_are_one_page(&browser);
    screenshots(&browser);
}

fn several_programs_are_one_page(browser: &Browser) {
    let files = ["corpus/mutex/peterson.fw", "corpus/mutex/peterson-fenced.fw"];
    let path = page("several.html", &["check", files[0], files[1], "--format", "html"], 1);
    browser.open(&path);
    assert_eq!(browser.text("h1"), "2 programs");
    let listed = browser.text(".programs");
    assert_eq!(listed, format!("{} violated\n{} holds", files[0], files[1]));
    assert_eq!(browser.value("document.querySelectorAll('article').length"), 2);
    browser.click(".programs li:nth-child(2) a");
    assert_eq!(browser.value("location.hash"), "#program-1");
    assert!(browser.text("#program-1 .verdicts .holds").contains("robustness under TSO holds"));
    assert_eq!(browser.errors(), Vec::<String>::new());
}

/// A name, a command and its exit code, the element that is shown, and the size of the window.
type Picture<'a> = (&'a str, &'a [&'a str], i32, &'a str, (u32, u32));

/// Takes the pictures of pages that the documentation shows; `FENCEWRIGHT_SCREENSHOTS=1` writes them there.
fn screenshots(browser: &Browser) {
    let forbidden = "corpus/litmus-weak/aarch64/2+2w+dmbs.litmus";
    let table: [Picture<'_>; 4] = [
        (
            "page-run",
            &["check", "corpus/c/peterson.c", "--criterion", "robustness"],
            1,
            "header",
            (1000, 900),
        ),
        ("page-cycle", &["check", "corpus/mutex/peterson.fw"], 1, "h3:last-of-type", (1000, 640)),
        (
            "page-forbidden",
            &["outcomes", forbidden, "--show", "x=1 /\\ y=1"],
            1,
            "section",
            (1000, 620),
        ),
        ("page-narrow", &["check", "corpus/mutex/peterson.fw"], 1, "header", (420, 800)),
    ];
    for (name, arguments, code, selector, (width, height)) in table {
        let file = format!("{name}.html");
        browser.resize(width, height);
        browser.open(&page(&file, &[arguments, &["--format", "html"]].concat(), code));
        browser.scroll_to(selector);
        let png = browser.png();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000, "{name}: {}", png.len());
        if std::env::var_os("FENCEWRIGHT_SCREENSHOTS").is_some() {
            let pictures = Path::new(ROOT).join("docs/pictures");
            browser.keep(&pictures.join(format!("{name}.png")), &png);
        }
    }
    browser.resize(1200, 1400);
}

fn runs_go_forward_and_back(browser: &Browser) {
    let path = page("check.html", &["check", "corpus/mutex/peterson.fw", "--format", "html"], 1);
    browser.open(&path);
    assert!(browser.text(".verdicts .violated").contains("robustness under TSO violated"));
    // It begins at the store that is delayed.
    assert!(browser.text(".now").starts_with('①'), "{}", browser.text(".now"));
    assert_eq!(browser.text(".card.moves .buffer"), "turn = 1");
    let first = step(browser);
    browser.press(RIGHT);
    assert!(browser.text(".now").starts_with('②'), "{}", browser.text(".now"));
    browser.press(LEFT);
    assert_eq!(step(browser), first);
    browser.press(HOME);
    assert!(step(browser).starts_with("step 0 of "), "{}", step(browser));
    assert_eq!(browser.value("document.querySelector('[data-to=back]').disabled"), true);
    browser.press(END);
    assert!(browser.text(".now").starts_with('③'), "{}", browser.text(".now"));
    assert_eq!(browser.value("document.querySelector('[data-to=forward]').disabled"), true);
    browser.click("[data-to=first]");
    browser.click(".steps li:nth-child(2)");
    assert!(step(browser).starts_with("step 2 of "), "{}", step(browser));
    assert_eq!(browser.text(".steps li.current .number"), "2");
    // The lines where threads are, and what is drawn.
    assert_eq!(browser.value("document.querySelectorAll('.source .running').length"), 2);
    assert_eq!(browser.value("document.querySelectorAll('.fw-picture .arrow.on').length"), 4);
    let memory = browser.text(".card.memory");
    assert!(memory.contains("flag[0]\n1"), "{memory}");
    // Nothing but the source and the picture scrolls sideways, on a narrow screen too.
    browser.resize(420, 900);
    let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    assert_eq!(browser.value(fits), true);
    let narrow = browser.screenshot();
    browser.resize(1200, 1400);
    assert_ne!(narrow, browser.screenshot());
    assert_eq!(browser.errors(), Vec::<String>::new());
}

fn programs_are_text(browser: &Browser) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("<b>hostile&amp;");
    std::fs::create_dir_all(&folder).expect("writable");
    let file = folder.join("it's.fw");
    std::fs::write(&file, HOSTILE).expect("writable");
    let file = file.display().to_string();
    for (name, arguments, code) in [
        ("hostile-check.html", vec!["check", &file, "--criterion", "all"], 1),
        ("hostile-fence.html", vec!["fence", &file], 0),
    ] {
        let path = page(name, &[&arguments[..], &["--format", "html"]].concat(), code);
        browser.open(&path);
        assert_eq!(browser.value("window.hacked === undefined"), true);
        assert_eq!(browser.value("document.querySelectorAll('img, b:not(.legend b)').length"), 0);
        assert!(browser.text("h1").contains("<b>hostile&amp;/it's.fw"));
        let source = browser.text(".source");
        assert!(source.contains("</script><script>window.hacked = 1</script>"), "{source}");
        assert_eq!(browser.errors(), Vec::<String>::new());
    }
}

fn every_question_has_a_page(browser: &Browser) {
    let iriw = "corpus/litmus-weak/aarch64/2+2w.litmus";
    let forbidden = "corpus/litmus-weak/aarch64/2+2w+dmbs.litmus";
    let table: [(&str, &[&str], i32, &str, &str); 10] = [
        (
            "forbidden.html",
            &["outcomes", forbidden, "--show", "x=1 /\\ y=1"],
            1,
            ".forbidden li",
            "external visibility: c bob → e coe → f bob → h coe → c",
        ),
        (
            "forbidden-by-sc.html",
            &[
                "outcomes",
                "corpus/litmus/sb.litmus",
                "--model",
                "sc",
                "--show",
                "0:EAX=0 /\\ 1:EAX=0",
            ],
            1,
            ".forbidden li",
            "sequential consistency: c po → d fr → e po → f fr → c",
        ),
        (
            "cycle-source.html",
            &["check", "corpus/mutex/dekker.fw", "--method", "static", "--arch", "power"],
            3,
            ".source .marked .said",
            "cycle 1: W ",
        ),
        ("reach.html", &["reach", "corpus/c/peterson.c", "--model", "tso"], 1, ".now", "①"),
        (
            "simulate.html",
            &["simulate", "corpus/mutex/peterson.fw", "--max-steps", "40"],
            0,
            "h2",
            "seed",
        ),
        (
            "fence.html",
            &["fence", "corpus/c/peterson.c"],
            0,
            ".source .added",
            "memory_order_seq_cst",
        ),
        ("outcomes.html", &["outcomes", iriw], 0, "table.states", "not under SC"),
        ("holds.html", &["check", "corpus/mutex/dekker-fenced.fw"], 0, ".verdicts .holds", "holds"),
        (
            "cycles.html",
            &["check", "corpus/mutex/dekker.fw", "--method", "static", "--arch", "power"],
            3,
            ".fw-picture",
            "po",
        ),
        (
            "static-fence.html",
            &["fence", "corpus/mutex/dekker.fw", "--method", "static", "--arch", "aarch64"],
            0,
            ".verdicts .repaired",
            "robustness on aarch64",
        ),
    ];
    for (name, arguments, code, selector, said) in table {
        let path = page(name, &[arguments, &["--format", "html"]].concat(), code);
        browser.open(&path);
        let text = browser.value(&format!("document.querySelector('{selector}')?.textContent"));
        assert!(text.as_str().is_some_and(|text| text.contains(said)), "{name}: {text}");
        assert_eq!(browser.errors(), Vec::<String>::new(), "{name}");
    }
}

/// Each final state has an execution, folded but for the one that SC does not have; a link opens one.
fn final_states_have_executions(browser: &Browser) {
    let sb = "corpus/litmus/sb.litmus";
    browser.open(&page("outcomes-runs.html", &["outcomes", sb, "--format", "html"], 0));
    let count =
        |selector: &str| browser.value(&format!("document.querySelectorAll('{selector}').length"));
    assert_eq!((count("details.execution"), count("details[open]")), (4.into(), 1.into()));
    assert!(browser.text("details[open] summary").contains("0:EAX=0; 1:EAX=0; not under SC"));
    assert!(browser.text("details[open] .now").starts_with('①'));
    assert!(browser.text("details[open] .source .marked .said").contains("this store is delayed"));
    assert_eq!(count("details[open] .fw-picture .arrow.on"), 4);
    browser.click("table.states tr:nth-child(4) a");
    assert_eq!(count("details[open]"), 2);
    let third = "details.execution:nth-of-type(3)";
    assert!(browser.text(&format!("{third} summary")).contains("0:EAX=1; 1:EAX=0;"));
    // What SC has as well reorders nothing.
    assert_eq!(count(&format!("{third} .source .marked")), 0);
    assert!(browser.text(&format!("{third} .source")).contains("MOV [x],$1"));
    assert_eq!(browser.errors(), Vec::<String>::new());

    let forbidden = "corpus/litmus-weak/aarch64/2+2w+dmbs.litmus";
    browser.open(&page("outcomes-graphs.html", &["outcomes", forbidden, "--format", "html"], 0));
    assert_eq!(count("details.execution"), 3);
    assert_eq!(browser.text("details[open] .source .other"), "c: W x=1; f: W y=1");
    let why = browser.text("main > section:last-of-type");
    assert!(why.contains("Why the condition is never true"), "{why}");
    assert!(why.contains("external visibility: c bob → e coe → f bob → h coe → c"), "{why}");
    assert_eq!(count("main > section .source .marked"), 2);
    assert_eq!(count("main > section .fw-picture .arrow.on"), 4);
    let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    browser.resize(420, 900);
    assert_eq!(browser.value(fits), true);
    browser.resize(1200, 1400);
    assert_eq!(browser.errors(), Vec::<String>::new());

    // More states than are drawn.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("many-states.fw");
    let text = "shared x\nthread p { local r; r = choose(0..=11); x = r }\n";
    std::fs::write(&file, text).expect("writable");
    let file = file.display().to_string();
    browser.open(&page("outcomes-many.html", &["outcomes", &file, "--format", "html"], 0));
    assert_eq!(count("details.execution"), 8);
    let said = browser.text("main");
    assert!(said.contains("Of 12 final states 8 are shown with an execution"), "{said}");
    // An error is an end too.
    let asserted = "crates/cli/tests/cmd/sb-asserted.fw";
    browser.open(&page("outcomes-error.html", &["outcomes", asserted, "--format", "html"], 0));
    assert_eq!(count("details.execution"), 4);
    let open = browser.text("details[open] summary");
    assert_eq!(open, "error in line 4: judge: assertion failed not under SC");
    let said = browser.text("details[open] .source");
    assert!(said.contains("judge: assertion failed") && said.contains("① this store"), "{said}");
    let link = browser.value("document.querySelector('p a').hash");
    assert_eq!(link, "#error-0-of-crates-cli-tests-cmd-sb-asserted-fw");
    // Where no execution is known there is the source.
    let asked = ["outcomes", &file, "--format", "html", "--max-states", "1"];
    browser.open(&page("outcomes-undecided.html", &asked, 3));
    assert!(browser.text(".source").contains("r = choose(0..=11)"));
}

/// A run under TSO marks the store that waits and the load that overtakes it, whoever found the run; registers of C
/// have the names of its author.
fn reordered_accesses_are_marked(browser: &Browser) {
    let asked = ["reach", "corpus/c/peterson.c", "--model", "tso", "--format", "html"];
    browser.open(&page("reach-tso.html", &asked, 1));
    let said =
        "[...document.querySelectorAll('.source .said')].map(one => one.textContent).join('|')";
    let said = browser.value(said);
    let said = said.as_str().expect("a text");
    assert!(said.contains("① this store is delayed in the buffer of count["), "{said}");
    assert!(said.contains("② this load overtakes it in count["), "{said}");
    assert!(said.contains("main: assertion failed"), "{said}");
    browser.press(HOME);
    let machine = browser.text(".machine");
    assert!(machine.contains("has not started") && !machine.contains("next: arg"), "{machine}");
    assert!(!machine.contains("start of"), "{machine}");
    browser.press(END);
    let machine = browser.text(".machine");
    assert!(!machine.contains("atomic-temp") && !machine.contains('%'), "{machine}");
    browser.open(&page("ring.html", &["simulate", "corpus/c/spsc-ring.c", "--format", "html"], 0));
    browser.press(END);
    let machine = browser.text(".machine");
    assert!(machine.contains("taken") && !machine.contains('%'), "{machine}");
    // A run may end while stores wait.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("left.fw");
    std::fs::write(&file, "shared x\nthread p { x = 1 }\nthread q { x = 2 }\n").expect("writable");
    let file = file.display().to_string();
    let asked = ["simulate", &file, "--max-steps", "1", "--format", "html"];
    browser.open(&page("left.html", &asked, 0));
    let title = browser.value("document.querySelector('.fw-picture .title').textContent");
    assert_eq!(title, "what happens before what, if the store left in a buffer reaches memory now");
    assert_eq!(browser.errors(), Vec::<String>::new());
}

fn pictures_are_files(browser: &Browser) {
    for (name, arguments, code) in [
        ("check.svg", &["check", "corpus/mutex/peterson.fw"][..], 1),
        ("fence.svg", &["fence", "corpus/c/peterson.c"], 0),
        ("cycles.svg", &["check", "corpus/mutex/dekker.fw", "--arch", "power"], 3),
        ("reach.svg", &["reach", "corpus/c/peterson.c", "--model", "tso"], 1),
        ("control-flow.svg", &["show", "corpus/mutex/peterson.fw"], 0),
        ("control-flow-c.svg", &["show", "corpus/c/peterson.c"], 0),
        ("events.svg", &["show", "corpus/mutex/peterson.fw", "--events"], 0),
        (
            "forbidden.svg",
            &["outcomes", "corpus/litmus-weak/aarch64/2+2w+dmbs.litmus", "--show", "x=1 /\\ y=1"],
            1,
        ),
    ] {
        let path = page(name, &[arguments, &["--format", "svg"]].concat(), code);
        browser.open(&path);
        assert_eq!(browser.value("document.documentElement.tagName"), "svg", "{name}");
        let boxes = browser.value("document.querySelectorAll('rect.box').length");
        assert!(boxes.as_u64().is_some_and(|boxes| boxes >= 4), "{name}: {boxes}");
        assert_eq!(browser.errors(), Vec::<String>::new(), "{name}");
    }
}
