//! Parses the files given and prints sizes, counts and the processor time, an average of 20 rounds:
//! `cargo run --release -p fencewright-llvm --example parse -- a.ll b.ll`.

#![expect(clippy::print_stdout, reason = "this is what the example is for")]

use std::time::{Duration, Instant};

use llvm::{Module, Operation, SymbolKind};

const ROUNDS: u32 = 20;

#[derive(Default)]
struct Totals {
    bytes: usize,
    functions: usize,
    instructions: usize,
    other: usize,
    nodes: usize,
    errors: usize,
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

/// The processor time that it takes to read all texts once and to forget what was read. The clock is
/// coarse, so it is the average of several rounds over all of them, never the shortest of one.
fn average_time(texts: &[String]) -> Duration {
    let (start, start_on_processor) = (Instant::now(), time_on_processor());
    for _ in 0..ROUNDS {
        for text in texts {
            drop(std::hint::black_box(llvm::parse(text)));
        }
    }
    let time = match (start_on_processor, time_on_processor()) {
        (Some(start), Some(end)) => end.saturating_sub(start),
        _ => start.elapsed(),
    };
    time / ROUNDS
}

/// How long this thread has run, where the system tells; others that run do not count.
fn time_on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

fn main() -> std::io::Result<()> {
    let mut totals = Totals::default();
    let files: Vec<String> = std::env::args().skip(1).collect();
    let texts = files.iter().map(std::fs::read_to_string).collect::<Result<Vec<_>, _>>()?;
    for (file, text) in files.iter().zip(&texts) {
        totals.bytes += text.len();
        match llvm::parse(text) {
            Ok(module) => count(&mut totals, &module),
            Err(error) => {
                totals.errors += 1;
                println!("{file}: {error}");
            }
        }
    }
    println!(
        "{} files, {:.2} MB, {} functions, {} instructions, {} metadata nodes, {} not understood, {} errors, {:.3} s",
        files.len(),
        f64::from(u32::try_from(totals.bytes).unwrap_or(u32::MAX)) / 1e6,
        totals.functions,
        totals.instructions,
        totals.nodes,
        totals.other,
        totals.errors,
        average_time(&texts).as_secs_f64(),
    );
    Ok(())
}
