//! Random programs and random cycles on each architecture, judged by all executions: none without a delay has one
//! that is not SC, and none is left after placement. How many get fences without need is printed.
//!
//! `cargo run --release -p fencewright-cycles --example random_table -- [COUNT [SEED [ARCH…]]]`: so many programs on
//! each architecture, half of them cycles, all different for different architectures.

#[path = "../tests/all/common.rs"]
mod common;
#[path = "../tests/all/random.rs"]
mod random;

use std::time::Instant;

use cycles::Arch;
use fastrand::Rng;
use random::{Seen, check, random_cycle, random_threads};

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, usual: u64| {
        arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, seed) = (number(0, 1000), number(1, 1));
    let names = arguments.get(2..).unwrap_or_default();
    println!("| machine | programs | not SC | no delay | fenced without need | seconds |");
    println!("|---|---|---|---|---|---|");
    for (which, arch) in (0_u64..).zip(Arch::ALL) {
        let is_asked = names.is_empty() || names.iter().any(|name| name == arch.name());
        if !is_asked {
            continue;
        }
        let start = Instant::now();
        let mut rng = Rng::with_seed(seed * 100 + which);
        let mut seen = Seen::default();
        for at in 0..count {
            let threads =
                if at % 2 == 0 { random_threads(&mut rng) } else { random_cycle(&mut rng) };
            check(&random::program(&threads), arch, &mut seen, &|| format!("{threads:?}"));
        }
        println!(
            "| {} | {count} | {} | {} | {} | {:.1} |",
            arch.name(),
            seen.weak,
            seen.robust,
            seen.superfluous,
            start.elapsed().as_secs_f64()
        );
    }
}
