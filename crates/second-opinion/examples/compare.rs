//! Compares both routes on the programs of many seeds: `compare FROM TO`. Prints every difference, as a small
//! program, and how often the routes agreed. `compare show SEED` prints a program. `compare rust FROM TO` does the
//! same with programs in Rust, whose second opinion is about the same in C, and `compare rust show SEED`.

#![expect(clippy::print_stdout, reason = "it is a program")]

#[path = "../tests/comparison/mod.rs"]
mod comparison;

use std::collections::BTreeMap;

use comparison::{Agreement, Comparison, compare, compare_rust, smallest};
use second_opinion::{generate, generate_pair};

fn main() {
    if let (Some("show"), Some(seed)) =
        (std::env::args().nth(1).as_deref(), std::env::args().nth(2))
    {
        println!("{}", generate(seed.parse().expect("a seed")).text());
        return;
    }
    let mut arguments = std::env::args().skip(1).peekable();
    let is_rust = arguments.next_if(|one| one == "rust").is_some();
    if is_rust && arguments.next_if(|one| one == "show").is_some() {
        let seed = arguments.next().expect("a seed").parse().expect("a seed");
        let (c, rust) = generate_pair(seed);
        println!("{}\n{rust}", c.text());
        return;
    }
    let mut numbers = arguments.map(|number| number.parse::<u64>().expect("a seed"));
    let (from, to) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(100));
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let (mut interesting, mut weaker, mut ends) = (0, 0, 0);
    let (mut failing, mut stuck, mut unknown) = (0, 0, 0);
    for seed in from..to {
        let (source, rust) =
            if is_rust { generate_pair(seed) } else { (generate(seed), String::new()) };
        let compared = if is_rust { compare_rust(&rust, &source) } else { compare(&source) };
        let what = match compared {
            Comparison::Agreed(Agreement { under_sc, under_tso, fails, deadlocks }) => {
                interesting += usize::from(under_tso > 1);
                weaker += usize::from(under_tso > under_sc);
                failing += usize::from(fails);
                stuck += usize::from(deadlocks == Some(true));
                unknown += usize::from(deadlocks.is_none());
                ends += under_tso;
                "agreed".to_owned()
            }
            Comparison::Differ(how) if is_rust => {
                println!("seed {seed} differs: {how}");
                "differ".to_owned()
            }
            Comparison::Differ(how) => {
                let (small, how_small) = smallest(&source);
                println!("seed {seed} differs: {how}\nsmaller: {how_small}\n{}", small.text());
                "differ".to_owned()
            }
            Comparison::Refused(reason) => {
                println!("seed {seed}: refused: {reason}");
                format!("refused: {}", without_names(&reason))
            }
            Comparison::Undecided(reason) => {
                println!("seed {seed}: undecided: {reason}");
                format!("undecided: {}", without_names(&reason))
            }
            Comparison::NoOpinion(reason) => {
                println!("seed {seed}: no second opinion: {reason}");
                format!("no second opinion: {}", without_names(&reason))
            }
        };
        *count.entry(what).or_default() += 1;
        if (seed + 1).is_multiple_of(500) {
            println!("… {} {count:?}", seed + 1);
        }
    }
    println!("programs {from} to {to}:");
    for (what, times) in &count {
        println!("  {times} {what}");
    }
    println!(
        "  of those that agreed {interesting} have more than one end, {weaker} more under TSO, {failing} can fail, {stuck} have a deadlock, of {unknown} that is not known under TSO; {ends} ends in all"
    );
}

/// A message without what stands in quotation marks, to count those of a kind.
fn without_names(message: &str) -> String {
    let first = message.lines().next().unwrap_or("");
    first.split('`').step_by(2).collect::<Vec<_>>().join("…")
}
