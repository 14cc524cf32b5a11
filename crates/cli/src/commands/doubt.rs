//! Why an answer is not known, and what can be done about it: the same for every search.

use analysis::{Limit, Reason, Verdict};
use program::{Outside, Parameterised, Program, ProgramBuilder, Span};
use report::outcome::Outcome;

/// A program whose threads have to be counted first.
pub(super) fn uncounted<E>(parameterised: &Parameterised) -> Outcome<E> {
    Outcome::Undecided {
        reason: parameterised.to_string(),
        at: Span::NONE,
        advice: Some(format!("for example `--count {}=2`", parameterised.name)),
    }
}

/// A program in the place of one of which nothing is known, not even what it is.
pub(super) fn unread() -> Program {
    ProgramBuilder::new("", Outside::Fault).build().expect("nothing is wrong with nothing")
}

/// A doubt that no place in the program explains.
pub(super) fn plain<E>(reason: String, advice: &str) -> Outcome<E> {
    Outcome::Undecided { reason, at: Span::NONE, advice: Some(advice.to_owned()) }
}

/// A verdict, ready to be told.
pub(super) fn outcome<E>(verdict: Verdict<E>) -> Outcome<E> {
    match verdict {
        Verdict::Holds(whole) => Outcome::Holds(whole),
        Verdict::Violated(evidence) => Outcome::Violated(evidence),
        Verdict::Undecided(reason) => undecided(&reason),
    }
}

/// A reason with its place and with advice.
pub(super) fn undecided<E>(reason: &Reason) -> Outcome<E> {
    let (at, advice) = match reason {
        Reason::Limit(Limit::Memory) => (Span::NONE, Some("`--max-memory` raises it")),
        Reason::Limit(Limit::Time) => (Span::NONE, Some("`--timeout` raises it")),
        Reason::Limit(Limit::States) => (Span::NONE, Some("`--max-states` raises it")),
        Reason::Limit(Limit::Cancelled) | Reason::OnlyUnderSc => (Span::NONE, None),
        Reason::Overflow { at } => {
            (*at, Some("declare a range: `shared x: 0..=9`, or a type that wraps: `shared x: u8`"))
        }
        Reason::Bound { at, .. } => (
            *at,
            Some(
                "`--max-recursion`, `--max-allocations` and `--max-threads` raise bounds, `--assume` and \
                 `--args` say what is not known (docs/source.md)",
            ),
        ),
        Reason::OnlyAbstract { .. } => (
            Span::NONE,
            Some("a greater depth, `--abstract=K`, or the program itself, without `--abstract`"),
        ),
        Reason::NoFiniteRange(unknown) => {
            (unknown.at, Some("without `--abstract` the program itself is searched"))
        }
        Reason::TooManySets { .. } => {
            (Span::NONE, Some("`--algorithm optimal` does not try sets one by one"))
        }
        Reason::BufferGrows { .. } => {
            (Span::NONE, Some("a fence in the loop, or a bound on it, keeps the buffer short"))
        }
        Reason::AccessAcross { at } => (
            *at,
            Some("`outcomes`, `reach` and `check --criterion states` follow accesses by bytes"),
        ),
        Reason::TooManyChoices { at, .. } => (*at, Some("choose from a smaller range")),
        Reason::TooWide { .. } => {
            (Span::NONE, Some("fewer threads or smaller arrays make smaller states"))
        }
    };
    Outcome::Undecided { reason: reason.to_string(), at, advice: advice.map(str::to_owned) }
}
