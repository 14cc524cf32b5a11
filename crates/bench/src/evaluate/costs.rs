//! What fences, locked stores and orders cost on this machine, and a file with them for `fence`.
//!
//! The program (`harness/costs.c`) measures a store and a load with each. Costs are how much longer a round takes than
//! with relaxed accesses and no fence, in units of a tenth of that round, and at least 0.

use std::fmt::Write;
use std::io::{Error, Result};
use std::path::Path;
use std::process::Command;

use crate::machine;
use crate::page::{Column, Section, Table};

/// Something that is measured.
struct Measured {
    /// The name that the program prints.
    name: &'static str,
    what: &'static str,
    /// The table and the key of its cost in the file.
    option: Option<Key>,
}

/// A table of the file, and what it prices.
type Key = (&'static str, &'static str);

const fn measured(name: &'static str, what: &'static str, option: Option<Key>) -> Measured {
    Measured { name, what, option }
}

const KINDS: &str = "fences";
const ORDERS: &str = "orders";
const MEASURED: [Measured; 12] = [
    measured("relaxed", "a relaxed store and a relaxed load", None),
    measured("acquire", "the load acquires", Some((ORDERS, "acquire"))),
    measured("release", "the store releases", Some((ORDERS, "release"))),
    measured("acq_rel", "both", Some((ORDERS, "acq_rel"))),
    measured("seq_cst", "both sequentially consistent", Some((ORDERS, "seq_cst"))),
    measured("locked-store", "the store is an exchange", None),
    measured("update", "the store is an addition", None),
    measured("full", "a sequentially consistent fence between them", Some((KINDS, "full"))),
    measured("mfence", "`mfence` between them", None),
    measured("lightweight", "an acquire-release fence", Some((KINDS, "lightweight"))),
    measured("fence-acquire", "an acquire fence", Some((KINDS, "acquire"))),
    measured("fence-release", "a release fence", Some((KINDS, "release"))),
];

/// Measures them, and writes the file.
pub(crate) fn section(output: &Path) -> Result<Section> {
    let times = measure()?;
    let time = |name: &str| times.iter().find(|(found, _)| found == name).map(|(_, time)| *time);
    let base = time("relaxed").ok_or_else(|| Error::other("nothing was measured"))?;
    let mut columns = vec![Column::name("a round with")];
    columns.extend(["times a relaxed round", "cost"].map(Column::measured));
    let mut table = Table { columns, rows: Vec::new() };
    for Measured { name, what, .. } in MEASURED {
        if let Some(time) = time(name) {
            let cells =
                [what.to_owned(), format!("{:.2}", time / base), cost(time, base).to_string()];
            table.rows.push(cells.to_vec());
        }
    }
    std::fs::write(output.join("costs.toml"), file(&times, base))?;
    let text = "A loop that stores to one cache line and loads from another, one thread, the shortest of 15 runs. The cost is how much longer a round takes, in tenths of \
        a round with relaxed accesses. [costs.toml](costs.toml) has them: \
        `fencewright fence --method static --costs docs/evaluation/costs.toml FILE` uses them. They are those of an idle cache; a fence that waits for a store \
        which misses the cache costs more.";
    Ok(Section::new("costs", "What a fence costs here", text).table(table))
}

/// Tenths of a relaxed round.
fn cost(time: f64, base: f64) -> u64 {
    let tenths = ((time - base) / base * 10.0).round();
    // Small, and not negative: counting up is exact.
    let mut cost = 0;
    let mut reached = 0.0;
    while reached + 0.5 < tenths {
        reached += 1.0;
        cost += 1;
    }
    cost
}

/// The costs as `fence --costs` reads them.
fn file(times: &[(String, f64)], base: f64) -> String {
    let mut text = format!(
        "# What fences and orders cost, measured on {} on {}: tenths of a round of a relaxed store and load.\n\
         # `fencewright fence --method static --costs costs.toml FILE` uses them.\n",
        machine::today(),
        machine::processor(),
    );
    for key in [KINDS, ORDERS] {
        let _ = write!(text, "\n[{key}]\n");
        for Measured { name, option, .. } in MEASURED {
            let priced = option.filter(|(table, _)| *table == key);
            let time = times.iter().find(|(found, _)| found == name);
            if let (Some((_, kind)), Some((_, time))) = (priced, time) {
                // A change of the text costs something even where the machine does it for nothing.
                let _ = writeln!(text, "{kind} = {}", cost(*time, base).max(1));
            }
        }
    }
    text
}

fn measure() -> Result<Vec<(String, f64)>> {
    let folder = tempfile::tempdir()?;
    let (source, program) = (folder.path().join("costs.c"), folder.path().join("costs"));
    std::fs::write(&source, include_str!("harness/costs.c"))?;
    let compiled = Command::new("cc")
        .args(["-O2", "-std=c11"])
        .arg(&source)
        .arg("-o")
        .arg(&program)
        .output()?;
    if !compiled.status.success() {
        return Err(Error::other(String::from_utf8_lossy(&compiled.stderr).into_owned()));
    }
    let output = Command::new(&program).output()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| {
        let (name, time) = line.split_once(' ')?;
        Some((name.to_owned(), time.parse().ok()?))
    };
    Ok(printed.lines().filter_map(line).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_tenths_of_a_relaxed_round() {
        for (time, expected) in [(1.0, 0), (0.9, 0), (1.04, 0), (1.5, 5), (4.0, 30)] {
            assert_eq!(cost(time, 1.0), expected, "{time}");
        }
        let times = [("relaxed", 1.0), ("full", 4.0), ("acquire", 1.0), ("lightweight", 1.0)];
        let times = times.map(|(name, time)| (name.to_owned(), time));
        let text = file(&times, 1.0);
        assert!(
            text.ends_with("[fences]\nfull = 30\nlightweight = 1\n\n[orders]\nacquire = 1\n"),
            "{text}"
        );
    }
}
