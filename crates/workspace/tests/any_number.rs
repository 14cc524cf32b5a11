//! The corpus of programs for any number of threads: what its manifest says, and small instances, by the
//! exact search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semantics::Model;
use workspace::{
    Check, Criterion, Enforced, Fence, FenceOutcome, InMemory, Inputs, Limits, Options, Reach,
    Verdict, Workspace,
};

/// The programs of the manifest, as tables.
fn programs() -> Vec<toml::Table> {
    let manifest: toml::Table =
        toml::from_str(&read(&corpus().join("suite.toml"))).expect("a manifest");
    let programs = manifest["program"].as_array().expect("programs");
    programs.iter().map(|one| one.as_table().expect("a program").clone()).collect()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/any")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn word<'a>(program: &'a toml::Table, key: &str) -> Option<&'a str> {
    program.get(key).map(|value| value.as_str().expect("a word"))
}

fn copies(program: &toml::Table, key: &str) -> Option<i64> {
    program.get("copies")?.get(key).map(|value| value.as_integer().expect("a number"))
}

/// What else there is in the folder.
const OTHERS: [&str; 2] = ["library", "suite.toml"];

const CRITERIA: [Criterion; 4] =
    [Criterion::Drf, Criterion::Trf, Criterion::Robustness, Criterion::Persistence];

#[test]
fn every_program_is_listed() {
    let listed = programs().into_iter().map(|one| word(&one, "file").expect("a file").to_owned());
    let mut listed: Vec<String> = listed.collect();
    listed.sort();
    let entries = std::fs::read_dir(corpus()).expect("the folder can be listed");
    let names =
        entries.map(|one| one.expect("an entry").file_name().into_string().expect("a name"));
    let mut present: Vec<String> = names.filter(|name| !OTHERS.contains(&name.as_str())).collect();
    present.sort();
    assert_eq!(listed, present);
    assert!(listed.len() >= 20);
}

#[test]
fn answers_are_those_of_the_manifest() {
    for entry in programs() {
        let file = word(&entry, "file").expect("a file");
        let text = read(&corpus().join(file));
        let mut workspace = Workspace::new(InMemory::new());
        let id = workspace.text(file, &text).unwrap_or_else(|_| panic!("{file} is a program"));
        let question = Check { criteria: CRITERIA.to_vec(), ..Check::default() };
        let answer = workspace.check(id, &question).expect("it can be asked");
        for checked in &answer.results {
            let expected = word(&entry, checked.criterion.name()).expect("it is said");
            let name = format!("{file}: {}", checked.criterion);
            match &checked.verdict {
                Verdict::Holds(_) => assert_eq!(expected, "yes", "{name}"),
                Verdict::Violated(_) => {
                    assert_eq!(expected, "no", "{name}");
                    let instance = checked.instance.as_ref().expect("there is one");
                    assert!(instance.is_smallest, "{name}");
                    let found: u32 = instance.counts.iter().map(|(_, count)| count).sum();
                    if checked.criterion == Criterion::Robustness {
                        assert_eq!(copies(&entry, "robustness"), Some(i64::from(found)), "{name}");
                    }
                }
                Verdict::Undecided(reason) => panic!("{name}: {reason}"),
            }
        }
        if let Some(expected) = word(&entry, "assertions") {
            let question = Reach { deadlocks: false, ..Reach::default() };
            let answer = workspace.reach(id, &question).expect("it can be asked");
            match &answer.verdict {
                Verdict::Holds(_) => assert_eq!(expected, "hold", "{file}"),
                Verdict::Violated(_) => {
                    assert_eq!(expected, "fail", "{file}");
                    let instance = answer.instance.as_ref().expect("there is one");
                    let found: u32 = instance.counts.iter().map(|(_, count)| count).sum();
                    assert_eq!(copies(&entry, "assertions"), Some(i64::from(found)), "{file}");
                }
                Verdict::Undecided(reason) => panic!("{file}: {reason}"),
            }
        }
    }
}

#[test]
fn goals_take_as_many_copies_as_the_manifest_says() {
    let mut asked = 0;
    for entry in programs() {
        let file = word(&entry, "file").expect("a file");
        for (key, model) in [("goals", Model::Sc), ("tso_goals", Model::Tso)] {
            let goals = entry.get(key).and_then(toml::Value::as_table);
            for (goal, expected) in goals.into_iter().flatten() {
                let found = copies_to(file, goal, model);
                assert_eq!(Some(found.as_str()), expected.as_str(), "{file}: {goal}, {model:?}");
                asked += 1;
            }
        }
    }
    assert!(asked >= 12);
}

/// How many copies it takes to reach a goal, or that it cannot be.
fn copies_to(file: &str, goal: &str, model: Model) -> String {
    let mut workspace = Workspace::new(InMemory::new());
    let text = read(&corpus().join(file));
    let id = workspace.text(file, &text).unwrap_or_else(|_| panic!("{file} is a program"));
    let (faults, deadlocks, final_states) = (false, false, false);
    let goal = Some(goal.to_owned());
    let question = Reach { goal, faults, deadlocks, final_states, model, ..Reach::default() };
    let answer = workspace.reach(id, &question).expect("it can be asked");
    match &answer.verdict {
        Verdict::Holds(_) => "never".to_owned(),
        Verdict::Violated(_) => {
            let instance = answer.instance.as_ref().expect("there is one");
            assert!(instance.is_smallest, "{file}: {question:?}");
            instance.counts.iter().map(|(_, count)| count).sum::<u32>().to_string()
        }
        Verdict::Undecided(reason) => panic!("{file}: {question:?}: {reason}"),
    }
}

#[test]
fn assertions_get_the_fewest_fences_for_all_numbers() {
    let mut asked = 0;
    for entry in programs() {
        let Some(fences) = entry.get("safety").map(|value| value.as_integer().expect("a number"))
        else {
            continue;
        };
        let file = word(&entry, "file").expect("a file");
        let mut workspace = Workspace::new(InMemory::new());
        let text = read(&corpus().join(file));
        let id = workspace.text(file, &text).unwrap_or_else(|_| panic!("{file} is a program"));
        let question = Fence { enforced: Enforced::Safety, ..Fence::default() };
        let answer = workspace.fence(id, &question).expect("it can be asked");
        assert!(
            matches!(answer.outcome, FenceOutcome::Repaired { is_optimal: true, .. }),
            "{file}: {:?}",
            answer.outcome
        );
        assert!(answer.is_for_any_number, "{file}");
        assert_eq!(i64::try_from(answer.made().len()), Ok(fences), "{file}");
        // A fence is one decision for all copies, and what is changed is the text.
        if fences > 0 {
            let texts = answer.texts.as_ref().expect("a changed text");
            let again = workspace.text(file, &texts[0].1);
            let again = again.unwrap_or_else(|_| panic!("{file}, fenced"));
            let question = Reach { deadlocks: false, model: Model::Tso, ..Reach::default() };
            let reached = workspace.reach(again, &question).expect("it can be asked");
            assert!(reached.verdict.holds(), "{file}: {:?}", reached.verdict);
        }
        asked += 1;
    }
    assert!(asked >= 4);
}

#[test]
fn what_fails_under_sc_no_fence_repairs() {
    let file = "ticket-check.fw";
    let mut workspace = Workspace::new(InMemory::new());
    let text = read(&corpus().join(file));
    let id = workspace.text(file, &text).unwrap_or_else(|_| panic!("{file} is a program"));
    let question = Fence { enforced: Enforced::Safety, ..Fence::default() };
    let answer = workspace.fence(id, &question).expect("it can be asked");
    let FenceOutcome::Unrepairable { shown_by: Some(shown), .. } = &answer.outcome else {
        panic!("{:?}", answer.outcome)
    };
    assert_eq!(shown.0.threads().expect("an instance").len(), 5);
}

#[test]
fn fences_are_as_many_as_the_manifest_says_and_proven_for_all_numbers() {
    for entry in programs() {
        let Some(fences) = entry.get("fences").map(|value| value.as_integer().expect("a number"))
        else {
            continue;
        };
        let file = word(&entry, "file").expect("a file");
        let mut workspace = Workspace::new(InMemory::new());
        let text = read(&corpus().join(file));
        let id = workspace.text(file, &text).unwrap_or_else(|_| panic!("{file} is a program"));
        let answer = workspace.fence(id, &Fence::default()).expect("it can be asked");
        assert_eq!(i64::try_from(answer.made().len()), Ok(fences), "{file}");
        // The changed text is a program of any number of threads that holds.
        let texts = answer.texts.as_ref().expect("a changed text");
        let again = workspace.text(file, &texts[0].1).unwrap_or_else(|_| panic!("{file}, fenced"));
        let checked = workspace.check(again, &Check::default()).expect("it can be asked");
        assert!(checked.results[0].verdict.holds(), "{file}");
        assert!(texts[0].1.contains("*]"), "{file}");
    }
}

#[test]
fn small_instances_agree() {
    let limits = Limits { states: Some(200_000), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let (mut decided, mut undecided) = (0, 0);
    for entry in programs() {
        let file = word(&entry, "file").expect("a file");
        let text = read(&corpus().join(file));
        let threads: Vec<&str> = text
            .lines()
            .filter_map(|line| {
                let (name, copies) = line.strip_prefix("thread ")?.split_once('[')?;
                copies.contains("*]").then_some(name)
            })
            .collect();
        for count in 0..=4 {
            let counts: BTreeMap<String, u32> =
                threads.iter().map(|name| ((*name).to_owned(), count)).collect();
            let inputs = Inputs { counts: counts.into_iter().collect(), ..Inputs::default() };
            let mut workspace = Workspace::new(InMemory::new());
            let id = workspace.text_as(file, &text, &inputs);
            let id = id.unwrap_or_else(|_| panic!("{file} is a program"));
            let question = Check { criteria: CRITERIA.to_vec(), options, ..Check::default() };
            for checked in workspace.check(id, &question).expect("it can be asked").results {
                let expected = word(&entry, checked.criterion.name()).expect("it is said");
                let name = format!("{file}, {count} copies: {}", checked.criterion);
                match &checked.verdict {
                    Verdict::Holds(_) => assert!(
                        expected == "yes" || count < 2,
                        "{name} holds, and there is a smaller instance"
                    ),
                    Verdict::Violated(_) => assert_eq!(expected, "no", "{name}"),
                    Verdict::Undecided(_) => undecided += 1,
                }
                decided += 1;
            }
        }
    }
    // Some instances have more states than are looked at here.
    assert!(undecided * 20 < decided, "{undecided} of {decided} undecided");
}
