//! Both corpora are read and printed back.

use super::*;

#[test]
#[expect(clippy::print_stderr, reason = "a skipped check must be seen")]
fn the_shared_corpus_is_read_and_printed_back() {
    match corpus("../../../shared/corpus/litmus-x86/tests") {
        Some(files) => {
            assert!(files.len() >= 819, "only {} tests", files.len());
            round_trips(&files);
        }
        None => eprintln!("SKIPPED: there is no ../shared/corpus/litmus-x86"),
    }
}

#[test]
fn our_own_tests_are_read_and_printed_back() {
    let files = corpus("../../corpus/litmus").expect("our own tests");
    assert!(files.len() >= 25, "only {} tests", files.len());
    round_trips(&files);
}
