//! Sets of small numbers: blocks of 64 in order. Numbers that are given out together are needed together,
//! so a block is seldom alone.

/// A set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    blocks: Vec<(u32, u64)>,
}

impl Bits {
    pub(crate) const fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.blocks.iter().map(|(_, block)| block.count_ones() as usize).sum()
    }

    /// The set of numbers that are in order, perhaps with repetitions.
    pub(crate) fn sorted(numbers: &[u32]) -> Self {
        let mut blocks: Vec<(u32, u64)> = Vec::new();
        for number in numbers {
            let (at, bit) = (number / 64, 1_u64 << (number % 64));
            match blocks.last_mut() {
                Some((last, block)) if *last == at => *block |= bit,
                Some(_) | None => blocks.push((at, bit)),
            }
        }
        Self { blocks }
    }

    /// Puts a number in; whether it was not there.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let (at, bit) = (number / 64, 1_u64 << (number % 64));
        // Numbers often come in order.
        match self.blocks.last_mut() {
            Some((last, block)) if *last == at => {
                let is_new = *block & bit == 0;
                *block |= bit;
                return is_new;
            }
            Some((last, _)) if *last > at => {}
            Some(_) | None => {
                self.blocks.push((at, bit));
                return true;
            }
        }
        match self.blocks.binary_search_by_key(&at, |(at, _)| *at) {
            Ok(found) => {
                let block = &mut self.blocks[found].1;
                let is_new = *block & bit == 0;
                *block |= bit;
                is_new
            }
            Err(place) => {
                self.blocks.insert(place, (at, bit));
                true
            }
        }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        let (at, bit) = (number / 64, 1_u64 << (number % 64));
        self.blocks
            .binary_search_by_key(&at, |(at, _)| *at)
            .is_ok_and(|found| self.blocks[found].1 & bit != 0)
    }

    /// Adds a set, and returns what of it was new.
    pub(crate) fn add(&mut self, other: &Self) -> Self {
        let mut new = Vec::new();
        let mut from = 0;
        let mut is_longer = false;
        for (at, block) in &other.blocks {
            while from < self.blocks.len() && self.blocks[from].0 < *at {
                from += 1;
            }
            match self.blocks.get_mut(from) {
                Some((known, mine)) if known == at => {
                    let added = block & !*mine;
                    if added != 0 {
                        *mine |= added;
                        new.push((*at, added));
                    }
                }
                Some(_) | None => {
                    new.push((*at, *block));
                    is_longer = true;
                }
            }
        }
        if is_longer {
            self.merge(&new);
        }
        Self { blocks: new }
    }

    fn merge(&mut self, other: &[(u32, u64)]) {
        let mut merged = Vec::with_capacity(self.blocks.len() + other.len());
        let (mut left, mut right) = (self.blocks.iter().peekable(), other.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some((a, one)), Some((b, two))) => match a.cmp(b) {
                    std::cmp::Ordering::Less => {
                        merged.push((*a, *one));
                        left.next();
                    }
                    std::cmp::Ordering::Greater => {
                        merged.push((*b, *two));
                        right.next();
                    }
                    std::cmp::Ordering::Equal => {
                        merged.push((*a, one | two));
                        left.next();
                        right.next();
                    }
                },
                (Some(_), None) => {
                    merged.extend(left);
                    break;
                }
                (None, _) => {
                    merged.extend(right);
                    break;
                }
            }
        }
        self.blocks = merged;
    }

    /// Keeps what another set has too.
    pub(crate) fn retain(&mut self, other: &Self) {
        self.blocks.retain_mut(|(at, block)| {
            match other.blocks.binary_search_by_key(at, |(at, _)| *at) {
                Ok(found) => *block &= other.blocks[found].1,
                Err(_) => *block = 0,
            }
            *block != 0
        });
    }

    /// Takes out what another set has.
    pub(crate) fn remove(&mut self, other: &Self) {
        self.blocks.retain_mut(|(at, block)| {
            if let Ok(found) = other.blocks.binary_search_by_key(at, |(at, _)| *at) {
                *block &= !other.blocks[found].1;
            }
            *block != 0
        });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|(at, block)| {
            let mut left = *block;
            std::iter::from_fn(move || {
                if left == 0 {
                    return None;
                }
                let bit = left.trailing_zeros();
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = Self::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Numbers that repeat and cluster, without a generator of chance.
    fn numbers(seed: u32) -> Vec<u32> {
        (0..200).map(|at| (at * seed * 7 + at * at) % (seed * 50 + 64)).collect()
    }

    #[test]
    fn sets_are_sets() {
        for (one, two) in [(1, 2), (3, 50), (9, 9), (40, 2)] {
            let (left, right) = (numbers(one), numbers(two));
            let a: BTreeSet<u32> = left.iter().copied().collect();
            let b: BTreeSet<u32> = right.iter().copied().collect();
            let mut set: Bits = left.iter().copied().collect();
            let other: Bits = right.iter().copied().collect();
            let new = set.add(&other);
            assert!(new.iter().eq(b.difference(&a).copied()));
            assert!(set.iter().eq(a.union(&b).copied()));
            assert_eq!(set.len(), a.union(&b).count());
            let mut common: Bits = left.iter().copied().collect();
            common.retain(&other);
            assert!(common.iter().eq(a.intersection(&b).copied()));
            let mut rest: Bits = left.into_iter().collect();
            rest.remove(&other);
            assert!(rest.iter().eq(a.difference(&b).copied()));
            assert!(rest.iter().all(|number| rest.contains(number) && !other.contains(number)));
        }
    }
}
