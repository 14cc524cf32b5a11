//! The attributes of functions.

use patch::{Edition, Language, Syntax};

const TEXT: &str = "\
#[derive(Debug)]
struct S;

/// A comment.
#[test]
// Another.
#[should_panic(
    expected = \"no\"
)]
pub fn panics() {}

mod inner {
    #[ignore = \"slow\"]
    #[test]
    fn ignored() { fn plain() {} }
    fn plain() {}
}
";

#[test]
fn of_the_function_on_a_line() {
    let syntax = Syntax::parse(TEXT, Language::Rust(Edition::UpTo2021));
    let should_panic = "#[should_panic(\n    expected = \"no\"\n)]";
    for (line, expected) in [
        (10, &[should_panic, "#[test]"][..]),
        (15, &["#[test]", "#[ignore = \"slow\"]"]),
        (16, &[]),
        (2, &[]),
        (0, &[]),
    ] {
        assert_eq!(syntax.attributes_at(line), expected, "line {line}");
    }
}
