//! Every `.fw` program in the documentation is one.

use frontend::{Language, Settings, load};
use program::Sources;

#[test]
fn programs_in_the_reference_are_programs() {
    let reference = include_str!("../../../docs/fw-language.md");
    let mut programs = 0;
    for block in reference.split("```fw\n").skip(1) {
        let (text, _) = block.split_once("```").expect("a closed block");
        let mut sources = Sources::new();
        let source = sources.add("fw-language.md", text);
        if let Err(errors) = load(&sources, source, Language::Fw, &Settings::default()) {
            panic!("{text}\n{errors:#?}");
        }
        programs += 1;
    }
    assert!(programs >= 3);
}
