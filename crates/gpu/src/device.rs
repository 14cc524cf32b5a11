//! What a search asks of a graphics card.

use std::fmt::{self, Debug};

/// Why a card did not do what it was asked, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed(pub String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One of the functions in `kernel.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Puts initial states into the set.
    Begin,
    /// Expands states.
    Expand,
    /// Picks the states that the client has to look at.
    Look,
    /// Puts the states of a level that are found by their tags into a queue.
    Collect,
    /// Finds a predecessor.
    Precede,
    /// Moves the states of a smaller set.
    Move,
}

impl Kernel {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Begin, Self::Expand, Self::Look, Self::Collect, Self::Precede, Self::Move];

    /// Its name in the text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Expand => "expand",
            Self::Look => "look",
            Self::Collect => "collect",
            Self::Precede => "precede",
            Self::Move => "move",
        }
    }
}

/// What a kernel is given: `struct Arguments` of `kernel.cu`. Pointers are addresses on the card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[expect(missing_docs, reason = "they are described in the other language")]
pub struct Arguments {
    pub operations: u64,
    pub begins: u64,
    pub marks: u64,
    pub entries: u64,
    pub complexes: u64,
    pub indices: u64,
    pub set: u64,
    pub slots: u64,
    pub bucket_bits: u64,
    pub source_bits: u64,
    pub first_bucket: u64,
    pub buckets: u64,
    pub source: u64,
    pub first: u64,
    pub count: u64,
    pub tag: u64,
    pub queue: u64,
    pub capacity: u64,
    pub new_tag: u64,
    pub most: u64,
    pub counters: u64,
    pub target: [u64; 2],
    pub word: u64,
    pub least: u64,
}

/// A graphics card, or what can be taken for one. Memory is in words of 64 bits.
pub trait Device: Debug + Send + Sync {
    /// Memory on it.
    type Buffer;
    /// A text that was compiled.
    type Compiled;

    /// Compiles a text that has these kernels.
    fn compile(&self, text: &str, kernels: &[Kernel]) -> Result<Self::Compiled, Failed>;

    /// Bytes of memory that are free.
    fn free_memory(&self) -> Result<usize, Failed>;

    /// Reserves so many words, whatever they hold.
    fn reserve(&self, words: usize) -> Result<Self::Buffer, Failed>;

    /// Makes all bits of a buffer one.
    fn fill(&self, buffer: &mut Self::Buffer) -> Result<(), Failed>;

    /// Writes words from the beginning of a buffer on.
    fn write(&self, buffer: &mut Self::Buffer, words: &[u64]) -> Result<(), Failed>;

    /// The first words of a buffer, after all that was launched.
    fn read(&self, buffer: &Self::Buffer, words: usize) -> Result<Vec<u64>, Failed>;

    /// Where a buffer is.
    fn address(&self, buffer: &Self::Buffer) -> u64;

    /// Runs a kernel that was compiled over so many things; it may still be running afterwards. The arguments must be
    /// addresses of buffers of this device that are still there, and large enough for what the kernel
    /// does with them.
    fn launch(
        &self,
        compiled: &Self::Compiled,
        kernel: Kernel,
        arguments: &Arguments,
    ) -> Result<(), Failed>;
}
