//! Which places can hold tokens at the same time, as far as pairs of tokens tell.
//!
//! The least relation that contains the pairs of tokens of the initial markings and is closed under
//! transitions: if all pairs of what a transition takes are in it, then so are all pairs of what it
//! puts, and of what it puts with whatever is possible beside everything that it takes. It contains
//! every pair of tokens of every reachable marking, so a marking with another pair is unreachable.
//! A set of places that always holds exactly one token together (a *1-safe group*, for instance the
//! values of one variable) needs no search of its own: no two of its places are ever related. Mutual
//! exclusion by a lock comes out too.

/// A symmetric relation of places that grows. A place is related to itself if it can hold two tokens.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    rows: Vec<Vec<u64>>,
    /// The places that can hold a token at all.
    possible: Vec<u64>,
    /// The places of which something became known since somebody asked last.
    changed: Vec<bool>,
}

impl Pairs {
    /// Relates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes room for so many places.
    pub fn grow(&mut self, places: usize) {
        let words = places.div_ceil(64);
        if self.possible.len() < words {
            // Room for some more, so that places may come one by one.
            let words = words.max(2 * self.possible.len());
            self.possible.resize(words, 0);
            self.rows.iter_mut().for_each(|row| row.resize(words, 0));
        }
        let words = self.possible.len();
        while self.rows.len() < places {
            self.rows.push(vec![0; words]);
            self.changed.push(false);
        }
    }

    /// Whether a place can hold a token.
    pub fn is_possible(&self, place: u32) -> bool {
        has(&self.possible, place)
    }

    /// Whether two places can hold tokens at once; of a place and itself, whether it can hold two.
    pub fn are_related(&self, one: u32, other: u32) -> bool {
        has(&self.rows[one as usize], other)
    }

    /// A place can hold a token; says whether that is new.
    pub fn allow(&mut self, place: u32) -> bool {
        let is_new = !has(&self.possible, place);
        set(&mut self.possible, place);
        self.changed[place as usize] |= is_new;
        is_new
    }

    /// Two places can hold tokens at once; says whether that is new.
    pub fn relate(&mut self, one: u32, other: u32) -> bool {
        let is_new = !has(&self.rows[one as usize], other);
        self.changed[one as usize] |= is_new;
        self.changed[other as usize] |= is_new;
        set(&mut self.rows[one as usize], other);
        set(&mut self.rows[other as usize], one);
        is_new
    }

    /// For each place whether something became known of it since this was asked last. What a transition
    /// adds depends on the places alone that it takes from, if there are any.
    pub fn take_changed(&mut self) -> Vec<bool> {
        let nothing = vec![false; self.changed.len()];
        std::mem::replace(&mut self.changed, nothing)
    }

    /// Whether all pairs of some tokens are related, and each is possible.
    pub fn are_all(&self, tokens: &[(u32, u32)]) -> bool {
        tokens.iter().enumerate().all(|(at, (place, count))| {
            self.is_possible(*place)
                && (*count == 1 || self.are_related(*place, *place))
                && tokens[at + 1..].iter().all(|(other, _)| self.are_related(*place, *other))
        })
    }

    /// What a transition adds, of what it takes and puts; says whether anything is new.
    pub fn fire(&mut self, take: &[(u32, u32)], put: &[(u32, u32)]) -> bool {
        if !self.are_all(take) {
            return false;
        }
        let mut is_new = false;
        // What can be there beside everything that is taken. That may be more of the same, if three or
        // more are possible as far as pairs tell.
        let mut beside = self.possible.clone();
        for (place, _) in take {
            beside.iter_mut().zip(&self.rows[*place as usize]).for_each(|(all, row)| *all &= row);
        }
        for (at, (place, count)) in put.iter().enumerate() {
            is_new |= self.allow(*place);
            if *count > 1 {
                is_new |= self.relate(*place, *place);
            }
            for (other, _) in &put[at + 1..] {
                is_new |= self.relate(*place, *other);
            }
            for (word, beside) in beside.iter().enumerate() {
                let new = beside & !self.rows[*place as usize][word];
                if new != 0 {
                    is_new = true;
                    for bit in (0..64).filter(|bit| new >> bit & 1 != 0) {
                        let other = u32::try_from(64 * word + bit).expect("a place");
                        self.relate(*place, other);
                    }
                }
            }
        }
        is_new
    }
}

fn has(bits: &[u64], place: u32) -> bool {
    bits[place as usize / 64] >> (place % 64) & 1 != 0
}

fn set(bits: &mut [u64], place: u32) {
    bits[place as usize / 64] |= 1 << (place % 64);
}
