//! Fences and orders against TSO or SC, judged by all executions: on random programs, and on litmus tests.
//!
//! `cargo run --release -p fencewright-cycles --example ported -- ARCH sc|tso fences|orders random SEED COUNT`
//! `cargo run --release -p fencewright-cycles --example ported -- ARCH sc|tso fences|orders FILE…`
//! `cargo run --release -p fencewright-cycles --example ported -- ARCH waiting SEED COUNT`: programs that wait in loops,
//! with either reference and either repair, judged by whole executions; `locks` in place of `waiting` for programs with
//! locks.
//!
//! It stops at the first program that the machine shows more of than it should.

#[path = "../tests/all/common.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod common;
#[path = "../tests/all/locked.rs"]
mod locked;
#[path = "../tests/all/ports.rs"]
mod ports;
#[path = "../tests/all/spinning.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod spinning;

use cycles::{Arch, Reference};
use frontend::{Language, Settings, load};
use ports::{Decided, Seen, check, check_random};
use program::Sources;

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arch = |name: &str| Arch::ALL.into_iter().find(|arch| arch.name() == name);
    let reference = |name: &str| Reference::ALL.into_iter().find(|it| it.name() == name);
    if let [machine, what, seed, count] = &arguments[..]
        && matches!(what.as_str(), "waiting" | "locks")
        && let (Some(arch), Ok(seed), Ok(count)) = (arch(machine), seed.parse(), count.parse())
    {
        let mut seen = spinning::Seen::default();
        let check = if what == "locks" { locked::check_random } else { spinning::check_random };
        check(seed, count, arch, &mut seen);
        println!("{} {what}: {count} programs, {seen:?}", arch.name());
        return;
    }
    let [machine, compared, what, rest @ ..] = &arguments[..] else {
        println!("a machine, a reference, fences or orders, and programs, please");
        return;
    };
    let (Some(arch), Some(reference)) = (arch(machine), reference(compared)) else {
        println!("no such machine or reference");
        return;
    };
    let decided = if what == "orders" { Decided::Orders } else { Decided::Fences };
    let mut seen = Seen::default();
    let mut programs = 0_u64;
    match rest {
        [random, seed, count] if random == "random" => {
            let (seed, count) = (seed.parse().unwrap_or(1), count.parse().unwrap_or(100));
            check_random(seed, count, arch, reference, decided, &mut seen);
            programs = u64::try_from(count).unwrap_or(u64::MAX);
        }
        files => {
            for file in files {
                let mut sources = Sources::new();
                let Ok(text) = std::fs::read_to_string(file) else { continue };
                let source = sources.add(file, text);
                let settings = Settings::default();
                let Ok(program) = load(&sources, source, Language::Litmus, &settings) else {
                    continue;
                };
                // Critical cycles are told nothing of accesses across cells.
                if program.access_across().is_some() {
                    continue;
                }
                programs += 1;
                check(&program, arch, reference, decided, &mut seen, &|| file.clone());
            }
        }
    }
    println!("{} {} {what}: {programs} programs, {seen:?}", arch.name(), reference.name());
}
