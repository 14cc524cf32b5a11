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

/// The block of calls that no instruction makes.
pub(crate) const NOWHERE: BlockId = BlockId(u32::MAX);

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
    steps: Vec<Step>,
}

impl Paths {
    fn intern(&mut self, step: Step) -> PathId {
        let next = PathId(u32::try_from(self.steps.len()).expect("fewer than 2^32 paths"));
        let steps = &mut self.steps;
        *self.ids.entry(step).or_insert_with(|| {
            steps.push(step);
            next
        })
    }

    fn step(&self, path: PathId) -> Step {
        self.steps[path.0 as usize]
    }

    /// The number of the thread that a call is made in.
    pub(crate) fn thread_of(&self, mut path: PathId) -> u32 {
        loop {
            match self.step(path) {
                Step::Thread(number) | Step::Stage(number, _) => return number,
                Step::Call(from, _) => path = from.path,
            }
        }
    }

    /// Whether a call is made at a point.
    pub(crate) fn is_made_at(&self, call: PathId, at: Point) -> bool {
        matches!(self.step(call), Step::Call(from, _) if from == at)
    }

    /// Whether a call is under way at a point, or is just being made there. What runs when a thread ends is called
    /// from nowhere.
    pub(crate) fn is_under_way(&self, call: PathId, at: Point) -> bool {
        if self.is_made_at(call, at) {
            return true;
        }
        let mut path = at.path;
        loop {
            if path == call {
                return true;
            }
            match self.step(path) {
                Step::Call(from, _) if from.block != NOWHERE => path = from.path,
                Step::Call(..) | Step::Thread(_) | Step::Stage(..) => return false,
            }
        }
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
