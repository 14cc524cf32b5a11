//! What is measured, and the median of several measurements.

use std::time::Duration;

use program::Program;

/// What one exploration may cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// Processor time.
    pub(crate) time: Duration,
    pub(crate) memory: u64,
}

/// What one exploration cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    pub(crate) states: u64,
    pub(crate) cpu_seconds: f64,
    pub(crate) wall_seconds: f64,
    /// All memory for states.
    pub(crate) bytes: u64,
    /// Processor time before the exploration: translation and compilation.
    pub(crate) preparation_seconds: f64,
}

/// How an exploration ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// Everything was explored, and the property holds.
    Explored(Measured),
    OverTime,
    OverMemory,
    /// There is nothing to measure yet.
    NotThere,
}

impl Outcome {
    /// What was measured, if everything was explored.
    pub(crate) const fn explored(self) -> Option<Measured> {
        match self {
            Self::Explored(measured) => Some(measured),
            Self::OverTime | Self::OverMemory | Self::NotThere => None,
        }
    }
}

/// Something that explores programs.
pub(crate) trait Explorer {
    fn name(&self) -> &'static str;

    /// Explores all SC states and checks all assertions; with reductions, as few states as it can.
    fn run(&mut self, program: &Program, reductions: bool, budget: &Budget) -> Outcome;
}

/// The measurement with the median processor time, unless one of them did not come to an end.
pub(crate) fn median(outcomes: &[Outcome]) -> Outcome {
    let mut explored = Vec::new();
    for outcome in outcomes {
        match outcome {
            Outcome::Explored(measured) => explored.push(*measured),
            Outcome::OverTime | Outcome::OverMemory | Outcome::NotThere => return *outcome,
        }
    }
    explored.sort_by(|left, right| left.cpu_seconds.total_cmp(&right.cpu_seconds));
    explored.get(explored.len() / 2).map_or(Outcome::NotThere, |middle| Outcome::Explored(*middle))
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Measured {
        /// An exploration of one thread for which nothing had to be prepared.
        pub(crate) fn example(states: u64, cpu_seconds: f64, bytes_per_state: u64) -> Self {
            let (wall_seconds, preparation_seconds) = (cpu_seconds, 0.0);
            let bytes = bytes_per_state * states;
            Self { states, cpu_seconds, wall_seconds, bytes, preparation_seconds }
        }
    }

    fn taking(cpu_seconds: f64) -> Outcome {
        Outcome::Explored(Measured::example(1, cpu_seconds, 1))
    }

    #[test]
    fn the_median_is_in_the_middle_of_complete_runs_only() {
        let runs = [taking(3.0), taking(1.0), taking(2.0)];
        let Outcome::Explored(middle) = median(&runs) else { panic!("{:?}", median(&runs)) };
        assert!((middle.cpu_seconds - 2.0).abs() < f64::EPSILON);
        assert!(matches!(median(&[taking(1.0), Outcome::OverTime]), Outcome::OverTime));
        assert!(matches!(median(&[]), Outcome::NotThere));
    }
}
