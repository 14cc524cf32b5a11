//! What every parser must survive.

mod texts;

/// Any text of a language either has errors, each inside the text, or is a program that prints to itself.
pub fn check(language: frontend::Language, data: &[u8]) {
    texts::check(language, data);
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
