//! Where a call stands: the calls that led to it. What belongs to one call of a function (its locals,
//! what it allocates) is identified by its path, however often a program is translated.

use std::collections::HashMap;

use llvm::BlockId;

/// A chain of calls from a thread's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PathId(u32);

impl PathId {
    pub(crate) const fn number(self) -> u32 {
        self.0
    }
}

/// An instruction of the function that a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Point {
    pub(crate) path: PathId,
    pub(crate) block: BlockId,
    pub(crate) index: u32,
}

/// What is reached from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Step {
    /// The entry of a thread.
    Thread(u32),
    /// What a thread runs before or after its entry.
    Stage(u32, usize),
    /// A call; with several possible callees, one of them.
    Call(Point, u32),
}

/// All paths.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    ids: HashMap<Step, PathId>,
}

impl Paths {
    fn intern(&mut self, step: Step) -> PathId {
        let next = PathId(u32::try_from(self.ids.len()).expect("fewer than 2^32 paths"));
        *self.ids.entry(step).or_insert(next)
    }

    pub(crate) fn thread(&mut self, number: u32) -> PathId {
        self.intern(Step::Thread(number))
    }

    pub(crate) fn stage(&mut self, thread: u32, stage: usize) -> PathId {
        self.intern(Step::Stage(thread, stage))
    }

    pub(crate) fn call(&mut self, from: Point, callee: u32) -> PathId {
        self.intern(Step::Call(from, callee))
    }
}
