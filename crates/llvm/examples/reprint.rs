//! Parses a file and prints it again, to be compared by other tools.

#![expect(clippy::print_stdout, reason = "this is what the example is for")]

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        print!("{}", llvm::print(&llvm::parse(&std::fs::read_to_string(file)?)?));
    }
    Ok(())
}
