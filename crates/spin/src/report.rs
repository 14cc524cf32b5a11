//! Reading what the verifier says.
//!
//! It ends with exit code 0 whether it finds an error, runs out of memory or is done, so its words
//! are all there is. A search is complete only if the report has no errors and none of the words
//! for a search that was cut short.

use crate::answer::{Statistics, What};

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Everything was searched and nothing found.
    Complete,
    /// Something was found.
    Found(What),
    /// A step had a result of more than 32 bits.
    Beyond32Bits,
    /// A path was longer than allowed.
    TooDeep,
    /// The memory limit was reached, or the system has no more.
    OutOfMemory,
    /// A state has more bytes than the verifier was compiled for.
    VectorTooSmall,
}

/// How the search ended; nothing if the report is not understood.
pub(crate) fn ending(said: &str) -> Option<Ending> {
    let has = |words: &str| said.contains(words);
    if has("VECTORSZ") {
        return Some(Ending::VectorTooSmall);
    }
    // The first error is the last one, too.
    let error = said.lines().find_map(|line| line.strip_prefix("pan:1: "));
    if let Some(error) = error {
        return if error.starts_with("assertion violated") {
            Some(if error.contains("beyond_32_bits") {
                Ending::Beyond32Bits
            } else if error.contains("goal_is_reached") {
                Ending::Found(What::Goal)
            } else {
                Ending::Found(What::Fault)
            })
        } else if error.starts_with("invalid end state") {
            Some(Ending::Found(What::Deadlock))
        } else if error.starts_with("depth limit reached") {
            Some(Ending::TooDeep)
        } else {
            None
        };
    }
    if has("MEMLIM bound") || has("out of memory") {
        return Some(Ending::OutOfMemory);
    }
    let complete = has("Full statespace search for:")
        && has(", errors: 0")
        && has("states, stored")
        && !has("Search not completed")
        && !has("max search depth too small")
        && !has("aborting")
        && !has("truncated");
    complete.then_some(Ending::Complete)
}

/// The numbers of a report.
pub(crate) fn statistics(said: &str) -> Option<Statistics> {
    let before = |words: &str| {
        let line = said.lines().find(|line| line.contains(words))?;
        line.split_whitespace().next()?.parse::<f64>().ok()
    };
    // The state before the threads are started is none of the program's, nor are what leads there
    // and the step of `init`: the verifier counts as a transition whatever leads to a state.
    let states = whole(before("states, stored")?)?.saturating_sub(1);
    let transitions = whole(before("transitions (= stored+matched)")?)?.saturating_sub(2);
    let megabytes =
        before("actual memory usage for states")? + before("memory used for hash table")?;
    let (_, depth) = said.split_once("depth reached ")?;
    let depth = depth.split(',').next()?.parse().ok()?;
    let bytes = whole(megabytes * 1024.0 * 1024.0)?;
    Some(Statistics { states, transitions, depth, bytes, ..Statistics::default() })
}

/// The verifier prints numbers with eight digits, the large ones with an exponent.
fn whole(number: f64) -> Option<u64> {
    format!("{number:.0}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETE: &str = "
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
	never claim         	- (none specified)
	assertion violations	+

State-vector 80 byte, depth reached 694, errors: 0
      651 states, stored
2.6277048e+08 states, matched
3.503663e+08 transitions (= stored+matched)
     2114 atomic steps

Stats on memory usage (in Megabytes):
    0.062	equivalent memory usage for states (stored*(State-vector + overhead))
    0.500	actual memory usage for states
  128.000	memory used for hash table (-w24)
";

    #[test]
    fn a_complete_search_is_told_from_all_others() {
        assert_eq!(ending(COMPLETE), Some(Ending::Complete));
        for cut in [
            "Warning: Search not completed\n",
            "error: max search depth too small\n",
            "pan: aborting\n",
        ] {
            assert_eq!(ending(&format!("{cut}{COMPLETE}")), None, "{cut}");
        }
        let bound = format!("pan: reached -DMEMLIM bound\nWarning: Search not completed{COMPLETE}");
        assert_eq!(ending(&bound), Some(Ending::OutOfMemory));
        assert_eq!(ending("pan: killed"), None);
    }

    #[test]
    fn errors_are_told_apart() {
        let cases = [
            ("assertion violated  (t==1) (at depth 3)", Some(Ending::Found(What::Fault))),
            (
                "assertion violated  !(goal_is_reached) (at depth 3)",
                Some(Ending::Found(What::Goal)),
            ),
            (
                "assertion violated  ((k<=1)||beyond_32_bits) (at depth 3)",
                Some(Ending::Beyond32Bits),
            ),
            ("invalid end state (at depth 3)", Some(Ending::Found(What::Deadlock))),
            ("depth limit reached (at depth 1000)", Some(Ending::TooDeep)),
            ("something new (at depth 1000)", None),
        ];
        for (line, expected) in cases {
            let report = format!("pan:1: {line}\n{}", COMPLETE.replace("errors: 0", "errors: 1"));
            assert_eq!(ending(&report), expected, "{line}");
        }
    }

    #[test]
    fn numbers_are_read_with_and_without_exponents() {
        let read = statistics(COMPLETE).expect("numbers");
        assert_eq!((read.states, read.transitions, read.depth), (650, 350_366_298, 694));
        assert_eq!(read.bytes, 128 * 1024 * 1024 + 512 * 1024);
        assert_eq!(statistics("pan: killed"), None);
    }
}
