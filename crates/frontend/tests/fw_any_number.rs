//! Templates with any number of copies in the `.fw` language: what they cannot say.

use frontend::{Language, Settings, load};
use program::Sources;

#[test]
fn copies_of_any_number_have_no_index() {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", "shared owner\nthread t[i in *] { owner = i }");
    let errors = load(&sources, source, Language::Fw, &Settings::default());
    let error = errors.expect_err("an index of any number").swap_remove(0);
    assert_eq!(sources.line_column(source, error.span.start), (2, 15));
    assert_eq!(error.message, "of any number of copies none has an index, and `i` means nothing");
}

#[test]
fn counts_are_given_before_questions_are_asked() {
    let text = "thread t[*] { local r } exists t[1].r == 0";
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text.replace("} exists", "}\nexists"));
    let settings = Settings { counts: vec![("t".to_owned(), 2)], ..Settings::default() };
    let program = load(&sources, source, Language::Fw, &settings).expect("a definite program");
    assert_eq!(program.threads().expect("two threads").len(), 2);
}
