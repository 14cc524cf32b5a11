//! The mapping of orders on programs of the corpus: what machines show is what RC11 allows.

#[path = "shared/mapping.rs"]
mod mapping;

use std::path::Path;
use std::time::Duration;

use mapping::{Comparison, compared};
use workspace::{Inputs, Workspace};

/// Programs in C and Rust of which RC11 knows all executions within a second.
const PROGRAMS: [&str; 2] = ["c/peterson-seq-cst.c", "rust/store-buffering.rs"];

#[test]
fn machines_show_what_the_language_allows() {
    for file in PROGRAMS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file);
        let path = path.to_str().expect("a name").to_owned();
        let mut workspace = Workspace::default();
        let opened = workspace.open(&Inputs::files([path.as_str()]));
        let [Ok(id)] = opened.as_slice() else { panic!("{file}: {opened:?}") };
        let found = compared(&workspace.program(*id).program, Duration::from_mins(1));
        let (machines, states) = match found {
            Comparison::Within(machines, states) => (machines, states),
            Comparison::Nothing(why) => panic!("{file}: nothing to compare with: {why}"),
            Comparison::Beyond(machines) => panic!("{file}: {machines:?} show more"),
        };
        assert!(machines.len() == 7 && states > 0, "{file}: {machines:?}, {states} states");
    }
}
