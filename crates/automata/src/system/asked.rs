//! What the search has asked for and the automata do not know yet.
//!
//! Many states ask for the same, and mostly few things are asked for before the automata learn. So
//! they are only listed, and put in order, each once, when they are taken or the list gets long: in
//! what order threads have asked makes no difference then.

use crate::numbers::Entry;

/// Entries that are listed before repetitions are looked for.
const SHORT: usize = 1024;

#[derive(Default)]
pub(super) struct Asked {
    list: Vec<Entry>,
    /// The entries of the list that are in order.
    ordered: usize,
}

impl Asked {
    pub(super) fn add(&mut self, entry: Entry) {
        if self.list.len() >= SHORT.max(2 * self.ordered) {
            self.put_in_order();
        }
        self.list.push(entry);
    }

    fn put_in_order(&mut self) {
        self.list.sort_unstable();
        self.list.dedup();
        self.ordered = self.list.len();
    }

    /// All that was asked for, in order.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        self.put_in_order();
        self.ordered = 0;
        std::mem::take(&mut self.list)
    }

    /// Gives back the list, for what is asked for next.
    pub(super) fn reuse(&mut self, mut list: Vec<Entry>) {
        list.clear();
        self.list = list;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_taken_once_and_in_order() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut asked = Asked::default();
        for different in [1, 10, 3000] {
            let entry =
                |local| Entry { class: 0, local, step: 0, contents: [1].into_iter().collect() };
            (0..10_000).for_each(|number| {
                let local = if number < different { number } else { random.u32(..different) };
                asked.add(entry(local));
            });
            assert!(asked.list.len() <= 2 * SHORT.max(different as usize));
            let taken = asked.take();
            assert_eq!(taken, (0..different).map(entry).collect::<Vec<Entry>>());
            asked.reuse(taken);
        }
    }
}
