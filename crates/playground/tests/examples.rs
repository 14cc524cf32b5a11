//! The examples of the page are answered as they say.

use std::path::Path;
use std::time::Duration;

use playground::{Answer, Question, answer};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn ask(name: &str, text: &str, asked: [&str; 3]) -> Answer {
    let [command, choice, more] = asked;
    let question = Question::of(command, choice, more).expect("a question");
    answer(name, text, &question, Duration::from_mins(1))
}

#[test]
fn examples_are_answered_as_they_say() {
    let listed =
        std::fs::read_to_string(Path::new(HERE).join("page/examples.toml")).expect("readable");
    let listed: toml::Table = listed.parse().expect("TOML");
    let groups = listed["group"].as_array().expect("groups");
    let examples: Vec<_> =
        groups.iter().flat_map(|group| group["examples"].as_array().expect("examples")).collect();
    assert!(examples.len() > 15, "{}", examples.len());
    for example in examples {
        let word = |name: &str| example.get(name).and_then(toml::Value::as_str).unwrap_or_default();
        let file = word("file");
        let text = std::fs::read_to_string(Path::new(HERE).join("../../corpus").join(file));
        let name = file.rsplit('/').next().expect("a name");
        let asked = [word("command"), word("choice"), word("more")];
        let answered = ask(name, &text.expect("readable"), asked);
        assert_eq!(answered.word, word("answer"), "{file}: {}", answered.text);
        let page = answered.page.expect("a page");
        assert!(page.contains(name), "{file}");
        // What is repaired is repaired when it is asked about again.
        if let Some(repaired) = answered.repaired {
            let again = ask(name, &repaired, ["check", word("choice"), ""]);
            assert_eq!(again.word, "fine", "{file}: {}", again.text);
        }
    }
}

#[test]
fn what_is_no_question_is_refused_with_what_there_is() {
    for (asked, said) in [
        (
            ["ask", "", ""],
            "there is no question `ask`; there are check, fence, reach, outcomes, simulate",
        ),
        (
            ["check", "robust", ""],
            "there is no criterion `robust`; there are drf, trf, robustness,",
        ),
        (["fence", "drf", ""], "fences cannot repair data races"),
        (["reach", "power", ""], "there is no model `power`; there are sc and tso"),
        (["outcomes", "x86", ""], "there is no model `x86`; there are sc, tso,"),
        (["simulate", "", "often"], "a seed is a natural number, not `often`"),
    ] {
        let [command, choice, more] = asked;
        let problem = Question::of(command, choice, more).expect_err("no question");
        assert!(problem.starts_with(said), "{asked:?}: {problem}");
    }
}

#[test]
fn what_is_no_program_is_refused_with_its_position() {
    let answered = ask("program", "shared x\nthread p { x = }\n", ["check", "", ""]);
    assert_eq!(answered.word, "refused");
    let document: serde_json::Value = serde_json::from_str(&answered.json).expect("JSON");
    assert_eq!(document["errors"][0]["line"], 2, "{document}");
    assert!(answered.page.is_none() && answered.text.contains("-->"), "{}", answered.text);
    // C needs a compiler.
    let answered = ask("main.c", "int main(void) { return 0; }\n", ["check", "", ""]);
    assert_eq!(answered.word, "refused", "{}", answered.text);
}

#[test]
fn time_is_limited() {
    let path = Path::new(HERE).join("../../corpus/mutex/bakery.fw");
    let text = std::fs::read_to_string(path).expect("readable");
    let question = Question::of("check", "", "").expect("a question");
    let answered = answer("bakery.fw", &text, &question, Duration::ZERO);
    assert_eq!(answered.word, "undecided", "{}", answered.text);
    assert!(answered.text.contains("time limit"), "{}", answered.text);
}
