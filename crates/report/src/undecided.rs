//! Why an answer is not known, and what can be done about it: the same for every question. A reason is data
//! ([`Reason`]); here it gets its place, its advice in the words of the command line, and its name in JSON.

use analysis::final_states::Doubt;
use analysis::parameterised::Unknown;
use analysis::{Engine, Limit, Reason};
use axiomatic::{Bound, NoAnswer};
use program::{Parameterised, Span};

/// A reason, ready to be told.
pub(crate) struct Explained {
    /// Why.
    pub(crate) reason: String,
    /// What in the program is the reason, if something is.
    pub(crate) at: Span,
    /// What to do about it.
    pub(crate) advice: Option<String>,
    /// Its name in JSON.
    pub(crate) cause: &'static str,
}

const RANGES: &str = "declare a range: `shared x: 0..=9`, or a type that wraps: `shared x: u8`";
const INSTANCE: &str = "`--count` asks about one instance; `--faults` and `--goal` alone are decided for any number of threads";
const EXPLORE: &str = "`--model tso` and `--model sc` explore states, and may get further";
const ENTRIES: &str = "`--thread` says which functions threads run, without `main`; `--model tso` and \
                       `--model sc` explore states, and may get further";

/// What in the program is a reason, if something is.
pub(crate) fn place(reason: &Reason) -> Span {
    match reason {
        Reason::Overflow { at }
        | Reason::Bound { at, .. }
        | Reason::AccessAcross { at }
        | Reason::AnyNumber(Unknown::Exclusives { at })
        | Reason::TooManyChoices { at, .. } => *at,
        Reason::NoFiniteRange(unknown) => unknown.at,
        Reason::NotCheckedAgain { why } => place(why),
        Reason::Limit(_)
        | Reason::TooWide { .. }
        | Reason::BufferGrows { .. }
        | Reason::OnlyUnderSc
        | Reason::OnlyAbstract { .. }
        | Reason::TooManySets { .. }
        | Reason::Parameterised(_)
        | Reason::AnyNumber(_)
        | Reason::NoMethod
        | Reason::NotByEngine { .. }
        | Reason::FinalStatesNotAsked { .. }
        | Reason::SequentialRuns { .. }
        | Reason::NoRunFound { .. } => Span::NONE,
    }
}

/// What to do about a reason.
pub(crate) fn advice(reason: &Reason) -> Option<String> {
    let advice = match reason {
        Reason::Limit(Limit::Memory) => "`--max-memory` raises it",
        Reason::Limit(Limit::Time) => "`--timeout` raises it",
        Reason::Limit(Limit::States) => "`--max-states` raises it",
        Reason::Limit(Limit::Cancelled) | Reason::OnlyUnderSc | Reason::NoMethod => return None,
        Reason::Overflow { .. } => RANGES,
        Reason::Bound { what, .. } => of_bound(what),
        Reason::OnlyAbstract { .. } => {
            "a greater depth, `--abstract=K`, or the program itself, without `--abstract`"
        }
        Reason::NoFiniteRange(_) => "without `--abstract` the program itself is searched",
        Reason::TooManySets { .. } => "`--algorithm optimal` does not try sets one by one",
        Reason::BufferGrows { .. } => {
            "a fence in the loop, or a bound on it, keeps the buffer short"
        }
        Reason::AccessAcross { .. } => {
            "`outcomes`, `reach` and `check --criterion states` follow accesses by bytes"
        }
        Reason::TooManyChoices { .. } => "choose from a smaller range",
        Reason::TooWide { .. } => "fewer threads or smaller arrays make smaller states",
        Reason::Parameterised(parameterised) => return Some(count(parameterised)),
        Reason::AnyNumber(unknown) => match unknown {
            Unknown::FinalStates
            | Unknown::Deadlocks
            | Unknown::TooManyStates
            | Unknown::States
            | Unknown::Who
            | Unknown::Exclusives { .. } => INSTANCE,
            Unknown::Abstraction => {
                "leave out `--abstract`, or give a number of copies with `--count`"
            }
            Unknown::CopiesApart => {
                "leave out `--per-instance`, or give a number of copies with `--count`"
            }
            Unknown::Values { .. } | Unknown::Locals { .. } => RANGES,
        },
        Reason::NotByEngine { engine: Engine::Cluster, .. } => {
            "without `--processes` or `--cluster`, this process searches by itself"
        }
        Reason::NotByEngine {
            engine: Engine::Fencewright | Engine::Spin | Engine::Cuda, ..
        } => "`--engine fencewright` can do that",
        Reason::FinalStatesNotAsked { .. } => {
            "`--faults --deadlocks` leaves them out; `--engine fencewright` answers"
        }
        Reason::NoRunFound { .. } => "give Fencewright more memory or time to find the run",
        Reason::SequentialRuns { .. } => {
            "fewer or shorter operations, or a simpler sequential program with `--sequential`"
        }
        Reason::NotCheckedAgain { why } => return self::advice(why),
    };
    Some(advice.to_owned())
}

/// What to do about a bound of the translation. It is told in words, since a program carries its bounds as its errors: the
/// translation's words lead to the option, and other words to all of them.
fn of_bound(what: &str) -> &'static str {
    const ADVICE: [(&str, &str); 7] = [
        ("recursion deeper", "`--max-recursion` raises the bound"),
        ("a place that allocates more", "`--max-allocations` raises the bound"),
        ("an amount of memory beyond", "`--max-amounts` raises the bound"),
        ("a place that creates more than", "`--max-threads` raises the bound"),
        (
            "whose body is not known",
            "give the file that defines it, or say what it does with `--assume` (`fencewright explain docs/source.md`)",
        ),
        (
            "which writes through a pointer that is not known",
            "give the file that defines it, or say what it does with `--assume` (`fencewright explain docs/source.md`)",
        ),
        (
            "a step that depends on",
            "`--assume` and `--args` say what is not known (`fencewright explain docs/source.md`)",
        ),
    ];
    let known = ADVICE.iter().find(|(words, _)| what.contains(words));
    known.map_or(
        "`--max-recursion`, `--max-allocations`, `--max-amounts` and `--max-threads` raise bounds, `--assume` and \
         `--args` say what is not known (`fencewright explain docs/source.md`)",
        |(_, advice)| advice,
    )
}

fn count(parameterised: &Parameterised) -> String {
    format!("for example `--count {}=2`", parameterised.name)
}

/// The name of a reason in JSON.
pub(crate) const fn cause(reason: &Reason) -> &'static str {
    match reason {
        Reason::Limit(Limit::Memory) => "memory",
        Reason::Limit(Limit::Time) => "time",
        Reason::Limit(Limit::States) => "states",
        Reason::Limit(Limit::Cancelled) => "cancelled",
        Reason::Overflow { .. } => "overflow",
        Reason::Bound { .. } => "bound",
        Reason::AccessAcross { .. } => "access_across",
        Reason::TooManyChoices { .. } => "too_many_choices",
        Reason::TooWide { .. } => "too_wide",
        Reason::BufferGrows { .. } => "buffer_grows",
        Reason::OnlyUnderSc => "only_under_sc",
        Reason::OnlyAbstract { .. } => "only_abstract",
        Reason::TooManySets { .. } => "too_many_sets",
        Reason::NoFiniteRange(_) => "no_finite_range",
        Reason::Parameterised(_) => "parameterised",
        Reason::AnyNumber(_) => "any_number",
        Reason::NoMethod => "no_method",
        Reason::NotByEngine { .. } => "not_by_engine",
        Reason::FinalStatesNotAsked { .. } => "final_states_not_asked",
        Reason::NoRunFound { .. } => "no_run_found",
        Reason::SequentialRuns { .. } => "sequential_runs",
        Reason::NotCheckedAgain { .. } => "not_checked_again",
    }
}

/// A reason, ready to be told.
pub(crate) fn explained(reason: &Reason) -> Explained {
    Explained {
        reason: reason.to_string(),
        at: place(reason),
        advice: advice(reason),
        cause: cause(reason),
    }
}

/// Why there may be more final states, ready to be told.
pub(crate) fn of_states(doubt: &Doubt) -> Explained {
    let (reason, at, advice, cause) = match doubt {
        Doubt::Search(reason) => return explained(reason),
        Doubt::Bound(bound) => {
            let (at, advice) = match bound {
                Bound::Rounds { span, .. } => (
                    *span,
                    "`--unroll` follows loops further; `--model tso` and `--model sc` explore all \
                     states of loops",
                ),
                Bound::Events => (Span::NONE, ENTRIES),
                Bound::FrontEnd { span, .. } => (*span, ENTRIES),
                Bound::Overflow { span } => (*span, RANGES),
            };
            (bound.to_string(), at, advice.to_owned(), "bound")
        }
        Doubt::Enumeration(reason) => {
            let (at, advice, cause) = match reason {
                NoAnswer::Parameterised(parameterised) => {
                    (Span::NONE, count(parameterised), "parameterised")
                }
                NoAnswer::LockedSection { span, .. } => {
                    let advice =
                        "`--model tso` and `--model sc` explore states, and take locked sections";
                    (*span, advice.to_owned(), "locked_section")
                }
                NoAnswer::AccessAcross { span, .. } => {
                    let advice = "`sc`, `tso` and `aarch64` know accesses by bytes";
                    (*span, advice.to_owned(), "access_across")
                }
                NoAnswer::TooManyRuns { .. } | NoAnswer::TooManyExecutions => {
                    (Span::NONE, EXPLORE.to_owned(), "too_many_executions")
                }
                NoAnswer::Stopped => (Span::NONE, EXPLORE.to_owned(), "cancelled"),
                NoAnswer::Model { .. } => (Span::NONE, "correct the model".to_owned(), "model"),
            };
            (reason.to_string(), at, advice, cause)
        }
    };
    Explained { reason, at, advice: Some(advice), cause }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENTED: &str = include_str!("../../../docs/json.md");

    fn reasons() -> Vec<Reason> {
        let (at, engine) = (Span::NONE, Engine::Spin);
        let limits = [Limit::Memory, Limit::Time, Limit::States, Limit::Cancelled];
        let others = [
            Reason::Overflow { at },
            Reason::Bound { at, what: "deeper recursion".to_owned() },
            Reason::AccessAcross { at },
            Reason::TooManyChoices { at, values: 1 << 20 },
            Reason::TooWide { bits: 5000 },
            Reason::BufferGrows { thread: "p".to_owned() },
            Reason::OnlyUnderSc,
            Reason::OnlyAbstract { thread: "p".to_owned(), depth: 2 },
            Reason::TooManySets { tried: 7 },
            Reason::NoMethod,
            Reason::SequentialRuns { states: 7 },
            Reason::NotByEngine { engine, what: "busy waits".to_owned() },
            Reason::FinalStatesNotAsked { engine },
            Reason::NoRunFound { engine, why: Box::new(Reason::Limit(Limit::Time)) },
            Reason::NotCheckedAgain { why: Box::new(Reason::Limit(Limit::Memory)) },
        ];
        limits.into_iter().map(Reason::Limit).chain(others).collect()
    }

    #[test]
    fn every_reason_has_a_name_of_its_own_that_is_documented() {
        let mut names: Vec<&str> = reasons().iter().map(cause).collect();
        for name in &names {
            assert!(DOCUMENTED.contains(&format!("`{name}`")), "{name} is not in docs/json.md");
            assert!(crate::explain::explain(name, 80).is_ok(), "{name} is not explained");
        }
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "two reasons have one name");
    }

    #[test]
    fn what_a_reason_stands_on_says_what_to_do() {
        let inner = Reason::Limit(Limit::Memory);
        let outer = Reason::NotCheckedAgain { why: Box::new(inner.clone()) };
        assert_eq!(advice(&outer), advice(&inner));
        let why = explained(&outer);
        assert_eq!(why.reason, format!("the repaired program was not checked to the end: {inner}"));
    }
}
