//! What every parser must survive.

use frontend::{Language, Settings, litmus, load, print};
use program::{Sources, canonical};

/// Any text either has errors, each inside the text, or is a program that prints to itself.
pub fn check(language: Language, data: &[u8]) {
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
                Err(_) if matches!(language, Language::Litmus | Language::Rmm | Language::Remmex) => {
                    return;
                }
                Err(errors) => panic!("a program of this language cannot be printed: {errors:#?}"),
            };
            let again = parse(&printed).expect("what is printed can be parsed");
            // Threads that only set up memory are printed as others are, which counts them.
            if language == Language::Rmm && text.contains('*') {
                return;
            }
            assert_eq!(canonical::difference(&program, &again), None, "{printed}");
        }
    }
}

/// Any text either is refused at a place inside it, or is a module that is printed so that it can be
/// read.
pub fn check_ir(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match llvm::parse(text) {
        Err(error) => {
            let line = text.split('\n').nth(error.line as usize - 1).expect("a line of the text");
            assert!(error.column as usize <= line.chars().count() + 1);
        }
        Ok(module) => {
            llvm::parse(&llvm::print(&module)).expect("what is printed can be parsed");
        }
    }
}
