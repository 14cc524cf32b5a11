//! What a command comes to, and the exit code that says so.

use std::process::ExitCode;

use report::shards::Counts;
use workspace::Conclusion;

/// What a command comes to for one input. Of several, the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Exit code 0: it holds, was repaired, or was done.
    Fine,
    /// Exit code 0: it is violated, and comments in the source accept every violation.
    Suppressed,
    /// Exit code 3: it could not be decided.
    Undecided,
    /// Exit code 1: it is violated.
    Violated,
    /// Exit code 2: bad input or usage, or the result could not be written.
    BadInput,
}

impl From<Conclusion> for Status {
    fn from(conclusion: Conclusion) -> Self {
        match conclusion {
            Conclusion::Fine => Self::Fine,
            Conclusion::Suppressed => Self::Suppressed,
            Conclusion::Undecided => Self::Undecided,
            Conclusion::Violated => Self::Violated,
        }
    }
}

impl Status {
    pub(crate) fn exit_code(self) -> ExitCode {
        ExitCode::from(self.code())
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fine | Self::Suppressed => 0,
            Self::Violated => 1,
            Self::BadInput => 2,
            Self::Undecided => 3,
        }
    }
}

/// How many programs came to what.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally(Counts);

impl From<Counts> for Tally {
    fn from(counts: Counts) -> Self {
        Self(counts)
    }
}

impl Tally {
    pub(crate) fn add(&mut self, status: Status) {
        let Self(counts) = self;
        match status {
            Status::Fine => counts.fine += 1,
            Status::Suppressed => counts.suppressed += 1,
            Status::Violated => counts.violated += 1,
            Status::Undecided => counts.undecided += 1,
            Status::BadInput => counts.refused += 1,
        }
    }

    pub(crate) const fn counts(self) -> Counts {
        self.0
    }

    /// What all of them come to together.
    pub(crate) fn status(self) -> Status {
        let Self(Counts { fine, suppressed, violated, undecided, refused }) = self;
        let all = [
            (fine, Status::Fine),
            (suppressed, Status::Suppressed),
            (violated, Status::Violated),
            (undecided, Status::Undecided),
            (refused, Status::BadInput),
        ];
        let some = all.into_iter().filter(|(count, _)| *count > 0).map(|(_, status)| status);
        some.max().unwrap_or(Status::Fine)
    }

    /// All of that in a line, if there were several.
    pub(crate) fn told(self) -> Option<String> {
        let Self(Counts { fine, suppressed, violated, undecided, refused }) = self;
        let parts = [
            (violated, "violated"),
            (undecided, "undecided"),
            (refused, "not read"),
            (suppressed, "violated and suppressed in the source"),
            (fine, "without a violation"),
        ];
        let said: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let all = fine + suppressed + violated + undecided + refused;
        (all > 1).then(|| format!("\n{all} programs: {}\n", said.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{self, BadInput, Fine, Undecided, Violated};
    use super::Tally;

    #[test]
    fn several_programs_are_counted_in_a_line() {
        let mut tally = Tally::default();
        assert_eq!(tally.told(), None);
        tally.add(Fine);
        assert_eq!(tally.told(), None);
        for status in [Violated, Fine, BadInput, Violated] {
            tally.add(status);
        }
        let told = "\n5 programs: 2 violated, 1 not read, 2 without a violation\n";
        assert_eq!(tally.told().as_deref(), Some(told));
    }

    #[test]
    fn bad_input_counts_most_then_violations_then_doubts() {
        let worst = |all: &[Status]| all.iter().copied().max();
        assert_eq!(worst(&[Violated, BadInput, Undecided]), Some(BadInput));
        assert_eq!(worst(&[Undecided, Violated, Fine]), Some(Violated));
        assert_eq!(worst(&[Fine, Undecided, Fine]), Some(Undecided));
    }
}
