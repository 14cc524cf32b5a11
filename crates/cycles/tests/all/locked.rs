//! Random programs with locks that order, judged as those that wait ([`crate::spinning`]).

use std::fmt::Write;

use axiomatic::Respected;
use cycles::{Arch, Reference};
use fastrand::Rng;

use crate::ports::Decided;
use crate::spinning::{Seen, check};

/// Two or three threads with accesses of all kinds in and beside sections of two locks, most of which order.
fn random_text(rng: &mut Rng) -> String {
    let mut text = "shared x, y, z, l, m\n".to_owned();
    let threads = rng.usize(2..4);
    for thread in 0..threads {
        let mut body = String::new();
        let mut registers = vec!["r0".to_owned()];
        let mut held: Option<&str> = None;
        for number in 0..rng.usize(2..6 - threads / 3) {
            let weak = |rng: &mut Rng| if rng.u8(..8) == 0 { "relaxed" } else { "" };
            if held.is_none() && rng.u8(..3) > 0 {
                let lock = if rng.u8(..4) == 0 { "m" } else { "l" };
                let order = if weak(rng).is_empty() { "acquire" } else { "relaxed" };
                let _ = writeln!(body, "  arw({lock}, 0, 1, {order})");
                held = Some(lock);
            }
            let variable = ["x", "y", "z"][rng.usize(..3)];
            let value = number + 1;
            let order = |rng: &mut Rng, strong: &'static str| {
                if rng.u8(..6) == 0 { strong } else { "relaxed" }
            };
            let register = format!("r{}", registers.len());
            let access = match rng.u8(..8) {
                0..=2 => format!("store({variable}, {value}, {})", order(rng, "release")),
                3..=5 => {
                    registers.push(register.clone());
                    format!("{register} = load({variable}, {})", order(rng, "acquire"))
                }
                6 => {
                    registers.push(register.clone());
                    format!("{register} = xchg({variable}, {value}, {})", order(rng, "acq_rel"))
                }
                _ => "fence(lightweight)".to_owned(),
            };
            let _ = writeln!(body, "  {access}");
            if rng.bool()
                && let Some(lock) = held.take()
            {
                let order = if weak(rng).is_empty() { "release" } else { "relaxed" };
                let _ = writeln!(body, "  store({lock}, 0, {order})");
            }
        }
        if let Some(lock) = held {
            let _ = writeln!(body, "  store({lock}, 0, release)");
        }
        let locals = registers.join(", ");
        let _ = writeln!(text, "thread t{thread} {{\n  local {locals}\n{body}}}");
    }
    text
}

/// With either reference: what is called robust has no execution that the reference does not have, and nothing is left
/// after a repair.
pub(crate) fn check_random(seed: u64, count: usize, arch: Arch, seen: &mut Seen) {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..count {
        let text = random_text(&mut rng);
        let reference = if rng.u8(..3) == 0 { Reference::Sc } else { Reference::Tso };
        let respected = if rng.bool() { Respected::All } else { Respected::IntoWrites };
        let decided = if rng.bool() { Decided::Orders } else { Decided::Fences };
        check(&text, (arch, reference), respected, decided, seen);
    }
}
