//! Manifests are complete, and what they say does not contradict itself.

use std::path::PathBuf;

use crate::{Answer, entries, for_each_instance, load_with, suites};

#[test]
fn manifests_list_every_program_once_and_say_something_about_it() {
    for (folder, suite) in suites() {
        assert!(!suite.about.is_empty(), "{}", folder.display());
        let mut listed: Vec<PathBuf> =
            suite.program.iter().map(|entry| folder.join(&entry.file)).collect();
        listed.sort();
        let present: Vec<PathBuf> = entries(&folder)
            .into_iter()
            .filter(|path| path.file_name().is_some_and(|name| name != "suite.toml"))
            .collect();
        assert_eq!(listed, present);
        for entry in &suite.program {
            assert!(!entry.about.is_empty() && !entry.origin.is_empty(), "{}", entry.file);
            assert!(!entry.instance.is_empty(), "{}", entry.file);
        }
    }
}

#[test]
fn instances_load() {
    for_each_instance(|path, instance| {
        if let Err(errors) = load_with(path, &instance.set) {
            panic!("{} {:?}: {errors:#?}", path.display(), instance.set);
        }
    });
}

/// Data-race freedom implies triangular-race freedom, which implies robustness; robust and
/// persistent programs have the same reachable states as under SC.
#[test]
fn answers_are_consistent() {
    for_each_instance(|path, instance| {
        let name = format!("{} {:?}", path.display(), instance.set);
        assert!(!instance.known.is_empty(), "{name}");
        assert!(instance.drf != Answer::Yes || instance.trf == Answer::Yes, "{name}");
        assert!(instance.trf != Answer::Yes || instance.robustness == Answer::Yes, "{name}");
        let like_sc = [instance.robustness, instance.persistence].contains(&Answer::Yes);
        assert!(!like_sc || instance.assertions_sc == instance.assertions_tso, "{name}");
        if let Some(fences) = &instance.fences {
            let agree = |answer: Answer, fences: Option<u32>| match (answer, fences) {
                (_, None) => true,
                (Answer::Yes, Some(count)) => count == 0,
                (Answer::No, Some(count)) => count > 0,
                (Answer::Unknown, Some(_)) => false,
            };
            assert!(agree(instance.robustness, fences.robustness), "{name}");
            assert!(agree(instance.persistence, fences.persistence), "{name}");
            assert!(agree(instance.trf, fences.trf), "{name}");
        }
    });
}
