//! Two threads against one: the same exploration without reductions, of more than ten million
//! states, in turns; the best time of each counts, since whatever else the machine does only adds.

use std::io::Write;

use crate::by_fencewright::Fencewright;
use crate::families::Family;
use crate::measured::{Budget, Explorer, Outcome};

/// Three threads of this family have about fifteen million states.
pub(crate) const FAMILY: &str = "bakery";
const N: u32 = 3;

/// A paragraph with what was measured. A best time takes more runs than a median.
pub(crate) fn scaling(family: Family, repeats: u32, budget: &Budget) -> std::io::Result<String> {
    let program = family.program(N);
    let runs = 2 * repeats + 1;
    let mut best = [f64::INFINITY; 2];
    let mut states = [0; 2];
    for _ in 0..runs {
        for (at, threads) in [1, 2].into_iter().enumerate() {
            let outcome = Fencewright { threads }.run(&program, false, budget);
            writeln!(std::io::stderr(), "{FAMILY} {N}, {threads} thread(s): {outcome:?}")?;
            let Outcome::Explored(measured) = outcome else {
                return Ok(format!("Two threads against one: {FAMILY} {N} is over budget.\n"));
            };
            best[at] = best[at].min(measured.wall_seconds);
            states[at] = measured.states;
        }
    }
    assert_eq!(states[0], states[1], "the number of threads changes the number of states");
    Ok(format!(
        "Two threads against one: {FAMILY} {N} without reductions, {} states, best of {runs} \
         interleaved runs: {:.2} s against {:.2} s of wall time, {:.2}×.\n",
        states[0],
        best[1],
        best[0],
        best[0] / best[1]
    ))
}
