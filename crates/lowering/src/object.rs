//! Objects of flat memory: global variables, locals whose address gets about, allocated memory.
//!
//! Every object has a range of byte addresses of its own, with a gap behind it, so that a pointer past
//! its end belongs to nobody else. Which bytes of an object form a cell is found out later, from the
//! accesses ([`crate::cells`]).

use std::collections::HashMap;

use llvm::LocalId;
use program::{Span, Value};

use crate::image::Image;
use crate::path::{PathId, Point};
use linkage::Item;

/// An object of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

/// What makes an object the same when a program is translated again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ObjectKey {
    /// A global variable.
    Global(Item),
    /// A thread's own copy of a thread-local variable.
    ThreadLocal(Item, u32),
    /// A function: it has an address and no bytes.
    Function(Item),
    /// A local variable of one call.
    Local(PathId, LocalId),
    /// What one call of an allocator allocates, so many bytes at a time.
    Allocated(Point, u64),
    /// How far each thread has come: created, ended, what it returned.
    Threads,
    /// Whether the process has ended.
    Process,
    /// Which threads were told to go on that are parked, or will be.
    Tokens,
    /// On which futex each thread sleeps that relies on being woken.
    Sleepers,
    /// A thread's `errno`.
    Errno(u32),
    /// What a created thread finds when it begins.
    Environment(u32),
    /// An argument that the program is started with, or the list of them.
    Argument(Option<u32>),
    /// What a created thread leaves when it ends.
    Result(u32),
    /// What a library function hands on at one place.
    Support(Point),
    /// Whether each element of an allocated object has been given back.
    Life(ObjectId),
    /// The same for all that never is.
    Immortal,
}

/// What a byte offset of an object is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    /// Nobody knows.
    Unknown,
    /// As the debug information of a global variable's symbol says.
    Global(Item),
    /// As what a pointer variable of a function points to.
    Pointee {
        /// The function.
        function: Item,
        /// The pointer variable.
        local: LocalId,
    },
    /// As a local variable of a function's debug information.
    Local {
        /// The function.
        function: Item,
        /// The variable.
        local: LocalId,
    },
}

/// An object of memory.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) base: Value,
    /// The bytes of one element.
    pub(crate) size: u64,
    /// The distance between elements.
    pub(crate) stride: u64,
    /// How many elements: copies of a thread times allocations.
    pub(crate) elements: u64,
    pub(crate) initial: Image,
    /// Whether nobody has written it at first, so that it holds just anything.
    pub(crate) is_unwritten: bool,
    pub(crate) naming: Naming,
    pub(crate) span: Span,
}

impl Object {
    /// The bytes from the first element to the end of the last.
    pub(crate) const fn extent(&self) -> u64 {
        match self.elements {
            0 => 0,
            elements => (elements - 1).saturating_mul(self.stride).saturating_add(self.size),
        }
    }

    /// Whether there are bytes that nobody has written at first.
    pub(crate) fn may_be_unwritten(&self) -> bool {
        self.is_unwritten || self.initial.is_unwritten()
    }

    /// Whether there is no room for it.
    pub(crate) const fn is_too_large(&self) -> bool {
        self.extent() > LARGEST
    }
}

/// The most bytes of an object: more than there is memory, and little enough to calculate with.
const LARGEST: u64 = 1 << 40;

/// All objects, with addresses that stay the same when a program is translated again.
#[derive(Debug)]
pub(crate) struct Objects {
    all: Vec<Object>,
    keys: Vec<ObjectKey>,
    ids: HashMap<ObjectKey, ObjectId>,
    next: Value,
}

/// Small numbers and addresses should not look alike.
const FIRST_ADDRESS: Value = 0x10_0000;

impl Objects {
    pub(crate) fn new() -> Self {
        Self { all: Vec::new(), keys: Vec::new(), ids: HashMap::new(), next: FIRST_ADDRESS }
    }

    pub(crate) fn get(&self, id: ObjectId) -> &Object {
        &self.all[id.0 as usize]
    }

    pub(crate) fn key(&self, id: ObjectId) -> &ObjectKey {
        &self.keys[id.0 as usize]
    }

    pub(crate) fn find(&self, key: &ObjectKey) -> Option<ObjectId> {
        self.ids.get(key).copied()
    }

    /// The object with this key; a new one gets an address.
    pub(crate) fn intern(&mut self, key: ObjectKey, new: impl FnOnce() -> Object) -> ObjectId {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = ObjectId(u32::try_from(self.all.len()).expect("fewer than 2^32 objects"));
        let object = Object { base: self.next, ..new() };
        self.next += Value::from(stride_of(object.extent().min(LARGEST)));
        self.all.push(object);
        self.keys.push(key.clone());
        self.ids.insert(key, id);
        id
    }

    /// The object that an address points into, or just behind.
    pub(crate) fn at(&self, address: Value) -> Option<(ObjectId, i64)> {
        let after = self.all.partition_point(|object| object.base <= address);
        let id = ObjectId(u32::try_from(after.checked_sub(1)?).ok()?);
        let offset = address - self.get(id).base;
        let is_inside = offset <= Value::from(self.get(id).extent());
        is_inside.then(|| i64::try_from(offset).ok()).flatten().map(|offset| (id, offset))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        (0..).map(ObjectId).zip(&self.all)
    }
}

/// The bytes behind an object or an element that belong to nobody, at least: what is a few words out of
/// bounds is in no other.
const GAP: u64 = 64;

/// The distance between elements of this size, so that each is aligned like the first.
pub(crate) const fn stride_of(size: u64) -> u64 {
    match size.saturating_add(GAP).checked_next_multiple_of(GAP) {
        Some(stride) => stride,
        None => u64::MAX,
    }
}

impl Objects {
    /// Calls an object otherwise: the thread that it belongs to may be one of several by now.
    pub(crate) fn rename(&mut self, id: ObjectId, name: String) {
        self.all[id.0 as usize].name = name;
    }

    /// Says what an object holds at first.
    pub(crate) fn set_initial(&mut self, id: ObjectId, initial: Image) {
        self.all[id.0 as usize].initial = initial;
    }
}
