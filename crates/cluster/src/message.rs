//! What workers tell each other.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are copied in one go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visit;
        impl<'de> Visitor<'de> for Visit {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut bytes: A) -> Result<Bytes, A::Error> {
                let mut all = Vec::new();
                while let Some(byte) = bytes.next_element()? {
                    all.push(byte);
                }
                Ok(Bytes(all))
            }
        }
        deserializer.deserialize_byte_buf(Visit)
    }
}

/// What all workers are asked by the leader, one thing after the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Command {
    /// To search.
    Search {
        /// The tables ([`crate::shipping`]).
        tables: Vec<u64>,
        /// The limits of each process, with the time that is left, in microseconds.
        memory: Option<u64>,
        process: Option<u64>,
        microseconds: Option<u64>,
    },
    /// To end.
    End,
}

/// What the leader decides at the end of a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Decision {
    /// The states of the level are expanded.
    Expand,
    /// Predecessors of these states are looked for in a level.
    Trace { level: u64, targets: Vec<Vec<u64>> },
    /// Nothing more is done.
    Stop,
}

/// What goes around in the loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// States of the next level, for the worker who owns them.
    States { to: u64, states: Bytes },
    /// Something for the leader.
    Report(Report),
}

impl Message {
    pub(crate) fn to(&self) -> u64 {
        match self {
            Self::States { to, .. } => *to,
            Self::Report(_) => LEADER,
        }
    }
}

/// The worker that decides.
pub(crate) const LEADER: u64 = 0;

/// What a worker has done since it said so last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) from: u64,
    /// States that are new.
    pub(crate) added: u64,
    pub(crate) transitions: u64,
    /// States and bytes that were sent to others.
    pub(crate) sent_states: u64,
    pub(crate) sent_bytes: u64,
    /// Bytes reserved now.
    pub(crate) reserved: u64,
    /// New states that may be goals, as a batch.
    pub(crate) candidates: Bytes,
    /// A state whose successors are not all known, the least.
    pub(crate) unknown: Option<Vec<u64>>,
    /// A limit that was reached.
    pub(crate) reached: Option<Reached>,
    /// For some of the targets, by number, the least predecessor.
    pub(crate) found: Vec<(u64, Vec<u64>)>,
}

impl Report {
    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { from, reserved, .. } = *self;
        *self == Self { from, reserved, ..Self::default() }
    }
}

/// A limit that a worker knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reached {
    Memory,
    Time,
}
