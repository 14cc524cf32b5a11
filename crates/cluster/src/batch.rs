//! States on their way: sorted, each once, and written as differences.
//!
//! Neighbours in a sorted batch differ in few low bits, so the difference of their first words is a
//! short number; as long as that is zero the next words are differences too. Numbers are written seven
//! bits at a time, the lowest first, with a mark on all bytes but the last.

/// The worker that owns a state.
pub fn owner(state: &[u64], workers: usize) -> usize {
    let scaled = u128::from(hash(state)) * workers as u128;
    usize::try_from(scaled >> 64).expect("less than the number of workers")
}

/// A hash whose high and low halves are both good; it decides where a state is, never whether it is
/// known.
pub(crate) fn hash(state: &[u64]) -> u64 {
    state.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, word| {
        let mixed = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        mixed ^ (mixed >> 29)
    })
}

/// Sorts states of so many words, keeps each once, and writes them.
pub fn encoded(words: usize, states: &mut Vec<u64>) -> Vec<u8> {
    sort(words, states);
    let mut bytes = Vec::with_capacity(states.len() * 2);
    let mut before: Option<&[u64]> = None;
    for state in states.chunks_exact(words) {
        if before == Some(state) {
            continue;
        }
        let mut differs = before.is_none();
        for (word, &value) in state.iter().enumerate() {
            let base = if differs { 0 } else { before.map_or(0, |before| before[word]) };
            write_number(&mut bytes, value - base);
            differs |= value != base;
        }
        before = Some(state);
    }
    bytes
}

/// Calls `visit` with each state that was written.
pub(crate) fn decode(words: usize, mut bytes: &[u8], mut visit: impl FnMut(&[u64])) {
    let mut state = vec![0; words];
    let mut is_first = true;
    while !bytes.is_empty() {
        let mut differs = is_first;
        for word in &mut state {
            let number = read_number(&mut bytes);
            let base = if differs { 0 } else { *word };
            *word = base + number;
            differs |= number != 0;
        }
        is_first = false;
        visit(&state);
    }
}

fn sort(words: usize, states: &mut Vec<u64>) {
    match words {
        1 => states.sort_unstable(),
        2 => states.as_chunks_mut::<2>().0.sort_unstable(),
        3 => states.as_chunks_mut::<3>().0.sort_unstable(),
        4 => states.as_chunks_mut::<4>().0.sort_unstable(),
        _ => {
            let mut sorted: Vec<&[u64]> = states.chunks_exact(words).collect();
            sorted.sort_unstable();
            *states = sorted.concat();
        }
    }
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).expect("seven bits") | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).expect("seven bits"));
}

fn read_number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut random = fastrand::Rng::with_seed(27);
        for words in 1..=6 {
            for bits in [1, 5, 20, 63] {
                let count = random.usize(0..200);
                let mut states: Vec<u64> =
                    (0..count * words).map(|_| random.u64(..) >> (64 - bits)).collect();
                let wanted: BTreeSet<Vec<u64>> =
                    states.chunks_exact(words).map(<[u64]>::to_vec).collect();
                let bytes = encoded(words, &mut states);
                let mut read = Vec::new();
                decode(words, &bytes, |state| read.push(state.to_vec()));
                assert_eq!(read, wanted.into_iter().collect::<Vec<_>>(), "{words} {bits}");
            }
        }
    }

    #[test]
    fn neighbours_are_short() {
        let mut states: Vec<u64> = (0..1000).map(|number| (1 << 40) + number).collect();
        assert_eq!(encoded(1, &mut states).len(), 999 + 6);
    }

    #[test]
    fn owners_have_about_as_many_states_each() {
        for workers in [1, 2, 3, 7, 64] {
            let mut owned = vec![0_u64; workers];
            for state in 0..64_000_u64 {
                owned[owner(&[state, state % 7], workers)] += 1;
            }
            let fair = 64_000 / workers as u64;
            assert!(owned.iter().all(|&count| count.abs_diff(fair) < fair / 6), "{owned:?}");
        }
    }
}
