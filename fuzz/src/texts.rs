//! What every parser of a language must survive. The tests of `frontend` use it, too.

use frontend::{Language, Settings, litmus, load, print};
use program::{Sources, canonical};

/// Any text either has errors, each inside the text, or is a program that prints to itself.
pub(crate) fn check(language: Language, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parse = |text: &str| {
        let mut sources = Sources::new();
        let source = sources.add("fuzz", text);
        load(&sources, source, language, &Settings::default())
    };
    match parse(text) {
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            for error in errors {
                assert!(error.span.end as usize <= text.len());
                assert!(text.is_char_boundary(error.span.start as usize));
            }
        }
        Ok(program) => {
            if language == Language::Litmus {
                for target in litmus::Target::ALL {
                    if let Ok(printed) = litmus::print_for(&program, target) {
                        parse(&printed).expect("what is printed can be parsed");
                    }
                }
                // A test for another machine prints as one for x86, which is another program.
                if !text.trim_start().starts_with("X86") {
                    return;
                }
            }
            let printed = match print(&program, language) {
                Ok(printed) => printed,
                // Tests with loops, locked sections and Remmex's programs are read but not printed.
                Err(_)
                    if matches!(language, Language::Litmus | Language::Rmm | Language::Remmex) =>
                {
                    return;
                }
                Err(errors) => panic!("a program of this language cannot be printed: {errors:#?}"),
            };
            let again = parse(&printed).expect("what is printed can be parsed");
            // Threads that only set up memory are printed as others are, which counts them.
            if language == Language::Rmm && text.contains('*') {
                return;
            }
            // So are names that begin with what marks the order of bytes.
            if language == Language::Trencher && text.contains('\u{feff}') {
                return;
            }
            assert_eq!(canonical::difference(&program, &again), None, "{printed}");
        }
    }
}
