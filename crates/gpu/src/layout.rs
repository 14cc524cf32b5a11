//! What a slot of the set holds of a state.
//!
//! **Whole states**: a slot has as many words as a state, and above the state in its first word stands the level.
//!
//! **Quotients** (Cleary 1984; the set of `explore` does the same, `set/key.rs`): a state of two words takes a slot
//! of one. The wider word, with the other mixed into it, becomes a *place* by operations that can be undone; the
//! highest bits of the place are the number of the bucket in which the state belongs, its *home*, and need not be stored.
//! A slot holds the remaining bits of the place, the other word as it is, how many buckets behind its home the state
//! was put, and the level. Bucket and slot together determine the state, so nothing is lost, and the set holds twice as many
//! states. Two states are never confused: with the same bucket, bits, distance and other word they have the
//! same home and the same place.
//!
//! The number of buckets is then a power of two, at most 2ⁿ for places of more than n bits. All sets of a search have the
//! same layout, so it is that of the smallest; if a state does not fit into a slot there, the search begins with the
//! largest set. A state that would be further from its home than a slot can say finds the set full.

use explore::tables::Tables;

use crate::engine::Room;

/// Slots that are looked at together; `kernel.cu` says the same.
pub(crate) const BUCKET: usize = 4;
/// Of what is free, each queue takes one part of so many at most,
pub(crate) const QUEUE_SHARE: usize = 36;
/// and one part of so many is left to others when the set becomes as large as it can.
pub(crate) const SPARED: usize = 64;

/// Bits that tell levels apart: as many as most searches need, and the fewest that are worth it.
const LEVEL_BITS: u32 = 10;
const FEWEST_LEVEL_BITS: u32 = 8;
/// Bits of the distance from home: as many as a set needs that is nearly full, and the fewest that are worth it.
const DISTANCE_BITS: u32 = 12;
const FEWEST_DISTANCE_BITS: u32 = 6;

/// No word is shifted by so many bits in a kernel: of a constant shift of 64 bits by 31, NVIDIA's assembler (CUDA 13.0, for
/// compute capability 9.0) makes a multiplication by 2³¹ that takes the factor for −2³¹, if the word is the same for a
/// whole warp. Seen with the tags of levels, which are shifted here for that reason.
const MISTAKEN_SHIFT: u32 = 31;

/// What a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Words of a slot.
    pub(crate) words: usize,
    /// Bits of its first word below the level.
    pub(crate) below_level: u32,
    pub(crate) quotient: Option<Quotient>,
}

/// How a state of two words becomes a place and a word beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quotient {
    /// Which word becomes the place, its bits, and those of the other.
    pub(crate) placed: usize,
    pub(crate) place_bits: u32,
    pub(crate) beside_bits: u32,
    /// Bits of both in the smallest set.
    pub(crate) stored_bits: u32,
    pub(crate) distance_bits: u32,
    /// Bits of the number of a bucket, in the smallest set and in the largest.
    least: u32,
    most: u32,
}

impl Layout {
    /// The layout for tables on a card with so many bytes of free memory.
    pub(crate) fn new(tables: &Tables, room: Room, free: usize) -> Self {
        match Quotient::new(tables, room, free) {
            Some(quotient) => {
                let below_level = quotient.stored_bits + quotient.distance_bits;
                Self { words: 1, below_level, quotient: Some(quotient) }
            }
            None => Self { words: tables.words, below_level: tables.widths[0], quotient: None },
        }
    }

    /// Bytes of a slot.
    pub(crate) const fn bytes(&self) -> usize {
        self.words * size_of::<u64>()
    }

    /// So many slots at most that a set can have, but for a least number.
    pub(crate) fn slots(&self, most: usize) -> usize {
        match self.quotient {
            Some(Quotient { least, most: greatest, .. }) => {
                BUCKET << bucket_bits(most).clamp(least, greatest)
            }
            None => (most - most % BUCKET).max(BUCKET),
        }
    }

    /// Whether no set is larger than the first one.
    pub(crate) fn has_one_size(&self) -> bool {
        self.quotient.is_some_and(|quotient| quotient.least == quotient.most)
    }
}

impl Quotient {
    fn new(tables: &Tables, room: Room, free: usize) -> Option<Self> {
        let [first, second] = tables.widths[..] else { return None };
        let placed = usize::from(second > first);
        let (place_bits, beside_bits) = if placed == 1 { (second, first) } else { (first, second) };
        // A bit more than needed is always zero.
        let place_bits = place_bits + u32::from(u64::BITS - place_bits == MISTAKEN_SHIFT);
        let beside_bits = beside_bits + u32::from(beside_bits == MISTAKEN_SHIFT);
        let bytes = size_of::<u64>();
        let queues = free / QUEUE_SHARE * 2;
        let rest = free.saturating_sub(queues + room.first.saturating_mul(bytes));
        let most = bucket_bits(((rest - rest / SPARED) / bytes).min(room.most));
        if most >= place_bits {
            return None;
        }
        let stored = |buckets: u32| {
            let bits = place_bits - buckets + beside_bits;
            bits + u32::from(bits == MISTAKEN_SHIFT)
        };
        let free = |buckets: u32| u64::BITS.saturating_sub(stored(buckets));
        let small = bucket_bits(room.first).min(most);
        let least = if free(small) >= LEVEL_BITS + DISTANCE_BITS { small } else { most };
        let free = free(least);
        if free < FEWEST_LEVEL_BITS + FEWEST_DISTANCE_BITS {
            return None;
        }
        let distance_bits =
            free.saturating_sub(LEVEL_BITS).clamp(FEWEST_DISTANCE_BITS, DISTANCE_BITS);
        let stored_bits = stored(least);
        Some(Self { placed, place_bits, beside_bits, stored_bits, distance_bits, least, most })
    }
}

/// Bits of the number of a bucket of so many slots, at least one.
pub(crate) fn bucket_bits(slots: usize) -> u32 {
    (slots / BUCKET).max(2).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: usize = 1 << 30;

    fn layout(widths: &[u32], free: usize) -> Layout {
        let widths = widths.to_vec();
        Layout::new(
            &Tables { words: widths.len(), widths, ..Tables::default() },
            Room::default(),
            free,
        )
    }

    #[test]
    fn a_card_stores_quotients_of_what_fits() {
        // An H200.
        let free = 139 * GIB;
        let slots = |widths: &[u32]| {
            let layout = layout(widths, free);
            (layout.words, layout.has_one_size(), layout.slots(1 << 27), layout.slots(usize::MAX))
        };
        let largest = 1 << 34;
        // In the beginning 25 bits are in the number of the bucket, and 22 tell levels and distances.
        assert_eq!(slots(&[63, 4]), (1, false, 1 << 27, largest));
        assert_eq!(slots(&[63, 5]), (1, true, largest, largest));
        // In the largest set 32 bits are, and 14 tell levels and distances.
        assert_eq!(slots(&[20, 62]), (1, true, largest, largest));
        assert_eq!(slots(&[20, 63]).0, 2);
        // One word stays as it is.
        assert_eq!(slots(&[63]).0, 1);
        assert_eq!(layout(&[63], free).quotient, None);
        // A place has more bits than there are buckets.
        assert_eq!(layout(&[32, 20], free).quotient, None);
        assert_eq!(layout(&[32, 20], 14 * GIB).words, 1);
    }

    #[test]
    fn no_word_is_shifted_by_31() {
        for first in 15..=63 {
            for second in 1..=first {
                let Some(quotient) = layout(&[first, second], 139 * GIB).quotient else { continue };
                let Quotient { place_bits, beside_bits, stored_bits, .. } = quotient;
                assert!(![64 - place_bits, beside_bits, stored_bits].contains(&31), "{quotient:?}");
                assert!(place_bits >= first && beside_bits >= second, "{quotient:?}");
                assert!(stored_bits >= place_bits - quotient.least + beside_bits, "{quotient:?}");
            }
        }
    }
}
