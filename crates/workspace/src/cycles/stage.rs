//! What is being done while somebody waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Programs are compiled and read, and facts about them are found.
    Facts,
    /// Critical cycles are looked for.
    Cycles,
    /// Fences are chosen.
    Fences,
    /// The repaired program is read and analysed again.
    Again,
}

impl Stage {
    const ALL: [Self; 4] = [Self::Facts, Self::Cycles, Self::Fences, Self::Again];

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Facts => "reading, and finding shared memory",
            Self::Cycles => "looking for critical cycles",
            Self::Fences => "choosing fences",
            Self::Again => "checking the repaired program",
        }
    }
}

/// The stage that a question has come to; all copies are the same one.
#[derive(Clone, Debug, Default)]
pub struct Stages(Arc<AtomicU8>);

impl Stages {
    pub(super) fn enter(&self, stage: Stage) {
        self.0.store(stage as u8, Ordering::Relaxed);
    }

    /// The stage now.
    pub fn now(&self) -> Stage {
        let number = usize::from(self.0.load(Ordering::Relaxed));
        Stage::ALL.get(number).copied().unwrap_or(Stage::Facts)
    }
}
