//! Typed indices and the vector they index.
//!
//! A label of one thread can never be used as a register of another by mistake: each kind of
//! thing has an index type of its own, and an [`IndexVec`] accepts only that type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index: a `u32` that knows what it counts.
pub trait Idx: Copy + Eq + Ord + fmt::Debug {
    /// The index with this number.
    fn new(number: usize) -> Self;
    /// The number of this index.
    fn index(self) -> usize;
}

/// Defines index types: a name, and the letters that a number is printed after.
#[macro_export]
macro_rules! index_types {
    ($($(#[$doc:meta])* $name:ident $letter:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $crate::index::Idx for $name {
            #[inline]
            fn new(number: usize) -> Self {
                Self(u32::try_from(number).expect("more than 2^32 of one kind of thing"))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($letter, "{}"), self.0)
            }
        }
    )*};
}

index_types! {
    /// A declared location of shared memory.
    LocationId "loc";
    /// A thread template.
    TemplateId "tmpl";
    /// A concrete thread: one copy of one template.
    ThreadId "t";
    /// A register of one template.
    RegisterId "r";
    /// A label (control state) of one template.
    LabelId "q";
    /// An edge (labelled instruction) of one template.
    EdgeId "e";
    /// A source text.
    SourceId "src";
}

/// A vector indexed by `I` only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I) -> I>,
}

impl<I: Idx, T> IndexVec<I, T> {
    /// An empty vector.
    pub const fn new() -> Self {
        Self { items: Vec::new(), index: PhantomData }
    }

    /// Appends an item and returns its index.
    pub fn push(&mut self, item: T) -> I {
        let index = I::new(self.items.len());
        self.items.push(item);
        index
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item at `index`, if there is one.
    pub fn get(&self, index: I) -> Option<&T> {
        self.items.get(index.index())
    }

    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items in order, mutably.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All indices in order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items with their indices, in order.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(number, item)| (I::new(number), item))
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Idx, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Idx, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self { items: items.into_iter().collect(), index: PhantomData }
    }
}

impl<I: Idx, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I: Idx, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, I: Idx, T> IntoIterator for &'a mut IndexVec<I, T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;
    fn index(&self, index: I) -> &T {
        &self.items[index.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.items[index.index()]
    }
}

impl<I: Idx, T: fmt::Debug> fmt::Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.enumerate()).finish()
    }
}
