//! The playground in a real browser: the engine as WebAssembly, in the page that people open.
//!
//! `release/playground.sh` compiles the engine (nothing is done here if it says that there is no standard library
//! for WebAssembly, which `test.sh` reports); the page is made of it, opened as a file and used.

#[expect(dead_code, reason = "the command line's pages are tested by more of it")]
#[path = "../../cli/tests/browser/driver.rs"]
mod driver;

#[path = "../examples/page/bundle.rs"]
mod bundle;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use driver::{Browser, post};
use playground::{Question, answer};
use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const RIGHT: &str = "\u{e014}";
const CONTROL: &str = "\u{e009}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

/// Too much for any limit of a test.
const LONG: &str = "shared a: u16, b: u16, c: u16, d: u16\n\
    thread p { loop { a = a + 1; b = c } }\n\
    thread q { loop { b = b + 3; c = d } }\n\
    thread r { loop { c = c + 5; d = a } }\n\
    thread s { loop { d = d + 7; a = b } }\n";
const HOSTILE: &str = "// </script><script>parent.hacked = 1</script><img src=x onerror='parent.hacked = 1'>\n\
    shared x, y\nthread p { local r; x = 1; r = y }\nthread q { local r; y = 1; r = x }\n";

/// The page, if there is an engine for it.
fn page() -> Option<PathBuf> {
    let script = Path::new(ROOT).join("release/playground.sh");
    let made = Command::new("bash").arg(script).arg("--engine").output().expect("bash runs");
    if made.status.code() == Some(77) {
        return None;
    }
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let engine = String::from_utf8(made.stdout).expect("a path");
    let page = Path::new(env!("CARGO_TARGET_TMPDIR")).join("playground/index.html");
    bundle::bundle(&Path::new(ROOT).join(engine.trim()), &page).expect("a page");
    Some(page)
}

#[test]
fn the_playground_answers_in_a_browser() {
    let Some(page) = page() else { return };
    let browser = Browser::start();
    browser.resize(1400, 900);
    browser.open(&page);
    runs_by_keyboard(&browser);
    repairs(&browser);
    says_what_is_wrong(&browser);
    can_be_stopped_and_limited(&browser);
    programs_are_text(&browser);
    links_hold_program_and_question(&browser, &page);
    answers_are_those_of_the_command_line(&browser, &page);
    fits_and_is_beautiful(&browser, &page);
    assert_eq!(browser.errors(), Vec::<String>::new());
}

impl Browser {
    /// Whether something becomes true in time.
    fn wait_for(&self, expression: &str) {
        let begin = Instant::now();
        while self.value(expression) != true {
            assert!(
                begin.elapsed() < Duration::from_mins(2),
                "{expression}: {}",
                self.text("#banner")
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Into the answer's page, or out of it.
    fn enter_answer(&self, inside: bool) {
        let frame = if inside { self.element("#page") } else { Value::Null };
        post(&format!("{}/frame", self.session), &json!({ "id": frame }));
    }

    fn press_with_control(&self, key: &str) {
        let keys = [("keyDown", CONTROL), ("keyDown", key), ("keyUp", key), ("keyUp", CONTROL)];
        let keys = keys.map(|(kind, value)| json!({ "type": kind, "value": value }));
        let actions = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": keys }] });
        post(&format!("{}/actions", self.session), &actions);
    }

    fn colours(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let order =
            json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "features": features } });
        post(&format!("{}/goog/cdp/execute", self.session), &order);
    }

    /// Writes a program as a person would: the page is told of it.
    fn write(&self, text: &str) {
        let text = json!(text);
        self.value(&format!(
            "(() => {{ const field = document.getElementById('text'); field.value = {text}; \
             field.dispatchEvent(new Event('input')); }})()"
        ));
    }

    fn choose(&self, field: &str, value: &str) {
        let (field, value) = (json!(field), json!(value));
        self.value(&format!(
            "(() => {{ const field = document.getElementById({field}); field.value = {value}; \
             field.dispatchEvent(new Event('change')); }})()"
        ));
    }

    /// Asks, and waits for the answer in a word.
    fn run(&self) -> String {
        self.click("#run");
        self.answered()
    }

    fn answered(&self) -> String {
        self.wait_for("!document.querySelector('#banner.busy')");
        let class = self.value("document.getElementById('banner').className");
        class.as_str().expect("a class").trim_start_matches("banner ").to_owned()
    }
}

fn runs_by_keyboard(browser: &Browser) {
    browser.click("#text");
    browser.press_with_control(ENTER);
    assert_eq!(browser.answered(), "violated");
    assert!(
        browser.text("#banner").contains("peterson.fw: robustness violated under TSO"),
        "{}",
        browser.text("#banner")
    );
    // The stepper of the answer's page works in place.
    browser.enter_answer(true);
    assert!(browser.text(".verdicts .violated").contains("robustness under TSO violated"));
    assert!(browser.text(".now").starts_with('①'), "{}", browser.text(".now"));
    browser.click(".stepper");
    browser.press(RIGHT);
    assert!(browser.text(".now").starts_with('②'), "{}", browser.text(".now"));
    browser.enter_answer(false);
    browser.click("[data-view=words]");
    assert!(browser.text("#words").contains("back to the first"), "{}", browser.text("#words"));
    // Questions are chosen by arrows too.
    browser.value("document.querySelector('[data-command=check]').focus()");
    browser.press(RIGHT);
    assert_eq!(browser.value("document.activeElement.dataset.command"), "fence");
    assert!(browser.text("#hint").starts_with("Find the cheapest fences"));
}

fn repairs(browser: &Browser) {
    assert_eq!(browser.run(), "fine");
    browser.click("#take");
    let text = browser.value("document.getElementById('text').value");
    assert!(text.as_str().is_some_and(|text| text.contains("    fence\n")), "{text}");
    assert_eq!(browser.run(), "fine");
    assert!(browser.text("#banner").contains("holds"), "{}", browser.text("#banner"));
}

fn says_what_is_wrong(browser: &Browser) {
    browser.write("shared x\nthread p {\n  x = \n}\n");
    assert_eq!(browser.run(), "refused");
    assert_eq!(browser.text(".lines .wrong"), "4");
    assert!(browser.text("#words").contains("program:4:1"), "{}", browser.text("#words"));
    assert_eq!(browser.value("document.getElementById('page').hidden"), true);
    browser.click("[data-command=simulate]");
    browser.choose("more", "often");
    assert_eq!(browser.run(), "refused");
    assert!(browser.text("#banner").contains("a seed is a natural number"));
}

fn can_be_stopped_and_limited(browser: &Browser) {
    browser.write(LONG);
    browser.click("[data-command=reach]");
    browser.choose("more", "a == 65535 && b == 65535 && c == 65535 && d == 65535");
    browser.choose("seconds", "600");
    browser.click("#run");
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(browser.value("document.getElementById('run').disabled"), true);
    browser.press(ESCAPE);
    assert_eq!(browser.answered(), "undecided");
    assert!(browser.text("#banner").ends_with("Stopped."));
    browser.choose("seconds", "1");
    assert_eq!(browser.run(), "undecided");
    assert!(browser.text("#words").contains("time limit"), "{}", browser.text("#words"));
    browser.choose("seconds", "20");
}

fn programs_are_text(browser: &Browser) {
    browser.write(HOSTILE);
    browser.click("[data-command=check]");
    assert_eq!(browser.run(), "violated");
    assert_eq!(browser.value("window.hacked === undefined"), true);
    assert!(browser.text("#painted").contains("</script><script>parent.hacked = 1</script>"));
    browser.enter_answer(true);
    assert_eq!(browser.value("document.querySelectorAll('img').length"), 0);
    assert!(browser.text(".source").contains("</script><script>parent.hacked = 1</script>"));
    browser.enter_answer(false);
}

fn links_hold_program_and_question(browser: &Browser, page: &Path) {
    let own = "shared x\nthread p { x = 1 } // ümläute, 变量\nthread q { x = 2 }\n";
    browser.write(own);
    browser.click("[data-command=reach]");
    browser.choose("choice", "tso");
    browser.choose("more", "x == 2");
    browser.click("#share");
    browser.wait_for("document.getElementById('said').textContent.startsWith('The link is')");
    let link = browser.value("location.href");
    let link = link.as_str().expect("an address");
    browser.go_to("about:blank");
    browser.go_to(link);
    assert_eq!(browser.answered(), "violated");
    assert_eq!(browser.value("document.getElementById('text').value"), own);
    assert_eq!(browser.value("document.getElementById('more').value"), "x == 2");
    assert_eq!(browser.value("document.getElementById('choice').value"), "tso");
    // One that was cut off says so.
    browser.go_to("about:blank");
    browser.go_to(&format!("file://{}#{}", page.display(), "q1YqSS0uUbJSSkxOUbJSSkxOUbJSSk"));
    browser.wait_for("document.getElementById('banner').className === 'banner refused'");
    assert!(browser.text("#banner").contains("may have been cut off"));
}

/// What depends on the machine is left out of a document.
fn settled(document: &mut Value) {
    match document {
        Value::Object(members) => {
            members.retain(|name, _| name != "seconds" && name != "bytes");
            members.values_mut().for_each(settled);
        }
        Value::Array(items) => items.iter_mut().for_each(settled),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Every example, random runs apart, gets the same document from the engine in the browser and from the one of this machine.
fn answers_are_those_of_the_command_line(browser: &Browser, page: &Path) {
    browser.go_to("about:blank");
    browser.open(page);
    let examples = browser.value("examples.flatMap(({ examples }) => examples)");
    let places = browser.value(
        "[...document.querySelectorAll('#example optgroup option')].map((one) => one.value)",
    );
    let examples = examples.as_array().expect("examples");
    assert!(examples.len() > 15, "{}", examples.len());
    for (example, place) in examples.iter().zip(places.as_array().expect("places")) {
        let word = |name: &str| example[name].as_str().unwrap_or_default();
        browser.choose("example", place.as_str().expect("a place"));
        let class = browser.run();
        let question = Question::of(word("command"), word("choice"), word("more"));
        let question = question.expect("a question");
        let ours = answer(word("name"), word("text"), &question, Duration::from_mins(1));
        assert_eq!(class, ours.word, "{}: {}", word("title"), browser.text("#banner"));
        // A seed is another schedule where words have 32 bits.
        if word("command") == "simulate" {
            continue;
        }
        let theirs = browser.value("document.getElementById('json').textContent");
        let read = |text: &str| {
            let mut document: Value = serde_json::from_str(text).expect("JSON");
            settled(&mut document);
            document
        };
        let (ours, theirs) = (read(&ours.json), read(theirs.as_str().expect("JSON")));
        assert_eq!(ours, theirs, "{}", word("title"));
    }
}

/// Nothing sticks out on a narrow screen; `FENCEWRIGHT_SCREENSHOTS=1` writes the pictures of the documentation.
fn fits_and_is_beautiful(browser: &Browser, page: &Path) {
    for (name, scheme, (width, height)) in [
        ("playground", "light", (1400, 900)),
        ("playground-dark", "dark", (1400, 900)),
        ("playground-narrow", "light", (420, 1500)),
    ] {
        browser.resize(width, height);
        browser.colours(scheme);
        browser.go_to("about:blank");
        browser.open(page);
        browser.wait_for("document.getElementById('text').value !== ''");
        assert_eq!(browser.run(), "violated");
        let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
        assert_eq!(browser.value(fits), true, "{name}");
        let paper = browser.value("getComputedStyle(document.body).backgroundColor");
        let dark = "rgb(13, 17, 23)";
        assert_eq!(paper == dark, scheme == "dark", "{name}: {paper}");
        browser.enter_answer(true);
        browser.wait_for("document.querySelector('.now') !== null");
        assert_eq!(browser.value(fits), true, "{name}: the answer");
        browser.enter_answer(false);
        // What is different each time is no part of the pictures: how long it took, and a cursor that blinks.
        browser.value(
            "(document.getElementById('said').textContent = '0.05 s', document.activeElement.blur(), true)",
        );
        let png = browser.png();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 20_000, "{name}: {}", png.len());
        if std::env::var_os("FENCEWRIGHT_SCREENSHOTS").is_some() {
            let pictures = Path::new(ROOT).join("docs/pictures");
            browser.keep(&pictures.join(format!("{name}.png")), &png);
        }
    }
}
