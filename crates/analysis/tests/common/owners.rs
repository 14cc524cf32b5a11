//! Random programs with any number of threads that have identities, as text.

use std::fmt::Write;

use fastrand::Rng;

/// Statements that use identities as names; `r` is what was loaded, `s` and `x` are data.
const STATEMENTS: [&str; 18] = [
    "owner = i",
    "owner = 0",
    "other = i",
    "other = -1",
    "r = owner",
    "r = other",
    "r = xchg(owner, i)",
    "cas(owner, 0, i)",
    "cas(owner, i, 0)",
    "cas(other, i, i)",
    "x = 1",
    "x = 0",
    "s = x",
    "fence",
    "xchg(x, 1)",
    "r = i",
    "x = owner == i",
    "xchg(other, 0)",
];

const CONDITIONS: [&str; 6] =
    ["owner == i", "r == i", "r != 0", "other != i", "x == 1", "owner == 0 || r == i"];

fn block(random: &mut Rng, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..random.u32(1..=3) {
        if depth > 0 && random.u32(0..3) == 0 {
            let condition = CONDITIONS[random.usize(..CONDITIONS.len())];
            let (then, otherwise) = (block(random, depth - 1), block(random, depth - 1));
            let _ = writeln!(text, "if {condition} {{\n{then}}} else {{\n{otherwise}}}");
        } else {
            text += STATEMENTS[random.usize(..STATEMENTS.len())];
            text.push('\n');
        }
    }
    text
}

/// A program with any number of threads `p` that have identities, and perhaps another thread or one without them.
pub(crate) fn random_owners(random: &mut Rng, asserts: bool) -> String {
    let mut body = block(random, 1);
    if asserts {
        let condition = CONDITIONS[random.usize(..CONDITIONS.len())];
        let _ = writeln!(body, "if x == 1 {{ assert {condition} }}");
    }
    if random.u32(0..4) == 0 {
        body = format!("loop {{\n{body}}}\n");
    }
    let beside = match random.u32(0..3) {
        0 => "thread q { local t\nowner = 0\nt = x\nif other == 0 { x = 1 }\n}\n",
        1 => "thread q[*] { local t\nt = owner\nif t != 0 { x = 1 }\n}\n",
        _ => "",
    };
    format!(
        "shared owner, other, x: 0..=1\nthread p[i in 1..*] {{ local r, s: 0..=1\n{body}}}\n{beside}"
    )
}
