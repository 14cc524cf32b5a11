//! Parses the files given, each five times, and prints sizes, counts and the shortest times:
//! `cargo run --release -p fencewright-llvm --example parse -- a.ll b.ll`.

#![expect(clippy::print_stdout, reason = "this is what the example is for")]

use std::time::{Duration, Instant};

use llvm::{Module, Operation, SymbolKind};

#[derive(Default)]
struct Totals {
    bytes: usize,
    functions: usize,
    instructions: usize,
    other: usize,
    nodes: usize,
    errors: usize,
    time: Duration,
}

fn count(totals: &mut Totals, module: &Module) {
    for symbol in &module.symbols {
        let SymbolKind::Function(function) = &symbol.kind else { continue };
        totals.functions += usize::from(!function.blocks.is_empty());
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            totals.instructions += 1;
            if let Operation::Other(text) = &instruction.operation {
                totals.other += 1;
                println!("  not understood in @{}: {text}", symbol.name);
            }
        }
    }
    totals.other += module.other.len();
    totals.nodes += module.metadata.nodes.len();
    for text in &module.other {
        println!("  not understood: {text}");
    }
}

fn timed(text: &str) -> (Result<Module, llvm::ParseError>, Duration) {
    let start = Instant::now();
    let module = llvm::parse(text);
    (module, start.elapsed())
}

fn main() -> std::io::Result<()> {
    let mut totals = Totals::default();
    let files: Vec<String> = std::env::args().skip(1).collect();
    for file in &files {
        let text = std::fs::read_to_string(file)?;
        let (mut module, mut shortest) = timed(&text);
        for _ in 1..5 {
            let (again, time) = timed(&text);
            module = again;
            shortest = shortest.min(time);
        }
        totals.time += shortest;
        totals.bytes += text.len();
        match module {
            Ok(module) => count(&mut totals, &module),
            Err(error) => {
                totals.errors += 1;
                println!("{file}: {error}");
            }
        }
    }
    println!(
        "{} files, {:.1} MB, {} functions, {} instructions, {} metadata nodes, {} not understood, {} errors, {:.3} s",
        files.len(),
        f64::from(u32::try_from(totals.bytes).unwrap_or(u32::MAX)) / 1e6,
        totals.functions,
        totals.instructions,
        totals.nodes,
        totals.other,
        totals.errors,
        totals.time.as_secs_f64(),
    );
    Ok(())
}
