//! Who called: a chain that may be long, and is compared and hashed at every place of a thread.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use super::Frame;

/// The call around another, with what it hashes to: the chain is walked once, and not at every place.
#[derive(Clone, Debug, Eq)]
pub(crate) struct Caller {
    frame: Rc<Frame>,
    digest: u64,
}

impl Caller {
    pub(crate) fn new(frame: Frame) -> Self {
        let mut hasher = DefaultHasher::new();
        frame.hash(&mut hasher);
        Self { frame: Rc::new(frame), digest: hasher.finish() }
    }
}

impl Deref for Caller {
    type Target = Frame;

    fn deref(&self) -> &Frame {
        &self.frame
    }
}

impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.frame, &other.frame)
            || self.digest == other.digest && self.frame == other.frame
    }
}

impl Hash for Caller {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}
