//! Every command shown in the README, in the documentation and in `tests/cmd` does what is shown.

#[test]
fn commands_do_what_is_shown() {
    // Commands are shown as typed in the root of the project.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::env::set_current_dir(root).expect("the project has a root");
    let cases = trycmd::TestCases::new();
    cases.insert_var("[VERSION]", env!("CARGO_PKG_VERSION")).expect("a name in brackets");
    cases
        .case("README.md")
        .case("docs/*.md")
        .case("docs/guide/*.md")
        .case("docs/guide/course/*.md")
        .case("crates/cli/tests/cmd/*.md");
}
