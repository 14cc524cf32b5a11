//! `cargo run --release --example any_number -- [FIRST] [PROGRAMS]` compares answers for any number of threads with
//! the exact search of instances, on random programs with loops and up to four copies of each thread, and on as many
//! in which copies have identities.

#![expect(clippy::print_stdout, reason = "a table for people")]

#[path = "../tests/common/families.rs"]
mod families;
#[path = "../tests/common/owners.rs"]
mod owners;

use std::time::Instant;

use families::{Tally, compare, random_families};
use frontend::{Language, Settings, load};
use oracle::generate::random::Shape;
use owners::random_owners;
use program::Sources;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse().ok());
    let first: u64 = arguments.next().flatten().unwrap_or(100);
    let programs = arguments.next().flatten().unwrap_or(200);
    let shape = Shape { max_threads: 2, max_accesses: 4, max_scalars: 2, ..Shape::LOOPING };
    let started = Instant::now();
    let mut tally = Tally::default();
    let count = usize::try_from(programs).unwrap_or(usize::MAX);
    random_families(first, shape).take(count).for_each(|program| compare(&program, 4, &mut tally));
    tell(&format!("{programs} programs with loops, seed {first}"), started, &tally);
    let started = Instant::now();
    let (mut tally, mut random) = (Tally::default(), fastrand::Rng::with_seed(first));
    for _ in 0..programs {
        let mut sources = Sources::new();
        let source = sources.add("program", random_owners(&mut random, false));
        let program = load(&sources, source, Language::Fw, &Settings::default());
        compare(&program.expect("a valid program"), 4, &mut tally);
    }
    tell(&format!("{programs} programs with identities, seed {first}"), started, &tally);
}

fn tell(what: &str, started: Instant, tally: &Tally) {
    println!("{what}, {:.1} s: no disagreement", started.elapsed().as_secs_f64());
    println!(
        "  holds for every number: {} (instances of 0 to 4 copies each: {:?})",
        tally.holds, tally.compared
    );
    println!(
        "  violated: {} (smallest instances of 0 to 4 copies: {:?})",
        tally.violated, tally.smallest
    );
    println!("  not known: {}", tally.unknown);
}
