//! What came out of a question about one input, whoever found it out.

use analysis::Whole;
use program::Span;

/// What came out.
pub enum Outcome<Evidence> {
    /// It holds, and the program is all of what was written.
    Holds(Whole),
    /// It does not, and this shows it.
    Violated(Evidence),
    /// That is not known.
    Undecided {
        /// Why.
        reason: String,
        /// What in the program is the reason, if something is.
        at: Span,
        /// What to do about it.
        advice: Option<String>,
    },
}
