//! What a verdict says.

use analysis::Verdict;

/// Whether it holds, if that is known.
pub(crate) fn decided<E>(verdict: &Verdict<E>) -> Option<bool> {
    match verdict {
        Verdict::Holds(_) => Some(true),
        Verdict::Violated(_) => Some(false),
        Verdict::Undecided(_) => None,
    }
}
