//! Fencewright's own engine. It has no SC semantics to explore yet; what is measured of it will be
//! measured here, and the table has its columns already.

use program::Program;

use crate::measured::{Budget, Explorer, Outcome};

/// Fencewright with so many threads.
pub(crate) struct Fencewright {
    pub(crate) threads: usize,
}

impl Explorer for Fencewright {
    fn name(&self) -> &'static str {
        "Fencewright"
    }

    fn run(&mut self, _program: &Program, _reductions: bool, _budget: &Budget) -> Outcome {
        debug_assert!(self.threads > 0);
        Outcome::NotThere
    }
}
