//! The set against a simple one: no state is lost, added twice or confused with another.

use super::*;
use crate::account::Account;
use crate::limits::Limits;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicUsize;

fn unlimited() -> Account {
    Account::new(&Limits::default())
}

fn add<const W: usize>(set: &mut Set<W>, state: &State<W>, account: &Account) -> bool {
    loop {
        match set.table().insert(state, set.room()) {
            Probe::New => {
                set.len += 1;
                return true;
            }
            Probe::Known => return false,
            Probe::NoRoom | Probe::NoSlot => set.grow(account).unwrap(),
            Probe::Elsewhere(_) => unreachable!("insertion goes there"),
        }
    }
}

impl<const W: usize> Set<W> {
    fn grow_to(&mut self, buckets: usize, threads: usize, account: &Account) {
        let old_slots = self.slots();
        self.reserve(Self::slots_for(buckets), account).unwrap();
        let mut growth = self.begin_to_spread(old_slots, buckets);
        while self.next_part(&mut growth) {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| self.move_part::<true>(&growth));
                }
            });
        }
        self.finish(growth, account).unwrap();
    }

    fn states(&self) -> Vec<State<W>> {
        let stored =
            |slot: &[AtomicU64; W]| slot.each_ref().map(|word| word.load(Ordering::Relaxed));
        let used = self.table().slots.iter().map(stored).filter(|words| words[0] != 0);
        let mut states: Vec<State<W>> =
            used.map(|words| words.map(|word| word & !WRITTEN)).collect();
        states.sort_unstable();
        states
    }
}

fn check<const W: usize>(states: impl Iterator<Item = State<W>>, mapped_from: usize) {
    let account = unlimited();
    let mut set = Set { words: Words::new(mapped_from), buckets: 0, len: 0, lost: false };
    let mut expected = BTreeSet::new();
    for state in states {
        assert_eq!(add(&mut set, &state, &account), expected.insert(state), "{state:?}");
    }
    assert_eq!(set.states(), expected.iter().copied().collect::<Vec<_>>());
    assert_eq!(set.len, expected.len());
    assert!(account.peak() >= set.words.bytes() && account.used() == set.words.bytes());
    for state in &expected {
        assert_eq!(set.table().insert(state, 0), Probe::Known);
    }
}

#[test]
fn no_state_is_lost_or_confused() {
    const TOP: u64 = WRITTEN - 1;
    for mapped_from in [0, 1 << 14, usize::MAX] {
        let mut random = fastrand::Rng::with_seed(1);
        // Few bits, so that many repeat; and the extremes, which an encoding might misuse.
        let extremes = [[0], [TOP], [0], [TOP], [1 << 62]];
        let mut draw = || [random.u64(..300_000)];
        check((0..400_000).map(|_| draw()).chain(extremes), mapped_from);
        let mut draw = || [random.u64(..400), random.u64(..400) << 54];
        check((0..50_000).map(|_| draw()), mapped_from);
        let mut draw = || std::array::from_fn(|_| random.u64(..12));
        let extremes = [[0; 3], [TOP; 3], [0, 0, 1], [1, 0, 0], [0; 3]];
        check((0..50_000).map(|_| draw()).chain(extremes), mapped_from);
    }
}

/// Growth moves every state up to where it is looked for, also where many crowd at the end.
#[test]
fn growth_keeps_crowds_together() {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..20 {
        // States chosen by their hashes: most belong to the last slots, so that those behind fill.
        let crowd = |state: &State<1>| hash(state) >> 54 >= 1000;
        let mut set: Set<1> = Set::new();
        let mut expected = BTreeSet::new();
        while expected.len() < 5000 {
            let state = [random.u64(..WRITTEN)];
            if crowd(&state) || random.u8(..50) == 0 {
                assert_eq!(add(&mut set, &state, &account), expected.insert(state));
            }
        }
        for factor in [11, 13, 20] {
            set.grow_to(set.buckets * factor / 10, 1, &account);
            assert_eq!(set.states(), expected.iter().copied().collect::<Vec<_>>());
            for state in &expected {
                let found = set.table().insert(state, 0);
                assert_eq!(found, Probe::Known);
            }
        }
    }
}

/// Several threads move states to the same places as one, or as good ones.
fn grow_together<const W: usize>(draw: impl Fn(&mut fastrand::Rng) -> State<W>) {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(5);
    for threads in [1, 2, 5] {
        let mut set: Set<W> = Set::new();
        let mut expected = BTreeSet::new();
        set.grow_to(320_000 / per_bucket::<W>(), 1, &account);
        while expected.len() < 250_000 {
            let state = draw(&mut random);
            assert_eq!(add(&mut set, &state, &account), expected.insert(state));
        }
        for factor in [21, 13, 15, 40] {
            set.grow_to(set.buckets * factor / 10, threads, &account);
            assert_eq!(set.states(), expected.iter().copied().collect::<Vec<_>>());
            for state in &expected {
                assert_eq!(set.table().insert(state, 0), Probe::Known);
            }
        }
    }
}

#[test]
fn threads_grow_a_set_together() {
    grow_together(|random| [random.u64(..WRITTEN)]);
    grow_together(|random| [random.u64(..4), random.u64(..400_000)]);
    grow_together(|random| [0, random.u64(..1000), random.u64(..1000)]);
}

#[test]
fn growth_can_be_refused() {
    for mapped_from in [1 << 14, usize::MAX] {
        let limit = 20 << 20;
        let account = Account::new(&Limits { memory: Some(limit), ..Limits::default() });
        let mut set: Set<1> =
            Set { words: Words::new(mapped_from), buckets: 0, len: 0, lost: false };
        while set.grow(&account).is_ok() {}
        assert!(account.peak() <= limit && account.used() == set.words.bytes());
        assert!(set.words.bytes() > limit / 3);
    }
}

/// Many threads add the same states, in different orders; each is new to exactly one.
fn crowded<const W: usize>(draw: impl Fn(&mut fastrand::Rng) -> State<W>) {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(3);
    let mut states: Vec<State<W>> = (0..20_000).map(|_| draw(&mut random)).collect();
    for round in 0..20 {
        let mut set = Set::new();
        set.grow_to(40_000 / per_bucket::<W>(), 1, &account);
        let table = set.table();
        let new = AtomicUsize::new(0);
        random.shuffle(&mut states);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let mut own = states.clone();
                let new = &new;
                scope.spawn(move || {
                    // Half of the threads race for the same slot at the same moment.
                    if thread % 2 == 0 {
                        fastrand::Rng::with_seed(thread).shuffle(&mut own);
                    }
                    for state in own {
                        let mut start = table.first_slot(hash(&state));
                        loop {
                            match table.probe::<true>(&state, start, 1) {
                                Probe::New => _ = new.fetch_add(1, Ordering::Relaxed),
                                Probe::Known => {}
                                Probe::NoRoom | Probe::NoSlot => panic!("there is room"),
                                Probe::Elsewhere(slot) => {
                                    start = slot;
                                    continue;
                                }
                            }
                            break;
                        }
                    }
                });
            }
        });
        let expected: BTreeSet<State<W>> = states.iter().copied().collect();
        assert_eq!(new.into_inner(), expected.len(), "round {round}");
        assert_eq!(set.states(), expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn threads_agree_who_was_first() {
    crowded(|random| [random.u64(..15_000)]);
    crowded(|random| [random.u64(..4), random.u64(..4000)]);
    crowded(|random| [0, random.u64(..100), random.u64(..100)]);
}
