//! What a command comes to, and the exit code that says so.

use std::process::ExitCode;

use workspace::Conclusion;

/// What a command comes to for one input. Of several, the greatest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Exit code 0: it holds, was repaired, or was done.
    Fine,
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
            Self::Fine => 0,
            Self::Violated => 1,
            Self::BadInput => 2,
            Self::Undecided => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Status::{self, BadInput, Fine, Undecided, Violated};

    #[test]
    fn bad_input_counts_most_then_violations_then_doubts() {
        let worst = |all: &[Status]| all.iter().copied().max();
        assert_eq!(worst(&[Violated, BadInput, Undecided]), Some(BadInput));
        assert_eq!(worst(&[Undecided, Violated, Fine]), Some(Violated));
        assert_eq!(worst(&[Fine, Undecided, Fine]), Some(Undecided));
    }
}
