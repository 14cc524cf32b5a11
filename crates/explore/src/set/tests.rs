//! The set against a simple one: no state is lost, added twice or confused with another.

use super::table::{Kind, Movable, Moved};
use super::*;
use crate::State;
use crate::WIDEST;
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
    fn grow_to(&mut self, words: usize, threads: usize, account: &Account) {
        let shape = Shape::with_words(self.keys, words).unwrap();
        let before = self.words.all().len();
        self.reserve(shape.words(), account).unwrap();
        let mut growth = self.begin_to_spread(shape, before);
        while self.next_part(&mut growth) {
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| self.move_part::<true>(&growth));
                }
            });
        }
        self.finish(growth, account).unwrap();
    }

    /// States in a word; none if a state takes several.
    fn lanes(&self) -> usize {
        match self.shape.kind {
            Kind::Plain => 0,
            Kind::Wide(_) => 1,
            Kind::Narrow(_) => 2,
        }
    }

    /// Grows by so many tenths.
    fn grow_by(&mut self, tenths: usize, threads: usize, account: &Account) {
        let words = self.shape.number * Shape::<W>::BUCKET;
        self.grow_to(words + words * tenths / 10, threads, account);
    }

    /// Has exactly these states, and finds them.
    fn check(&mut self, expected: &BTreeSet<State<W>>) {
        for state in expected {
            assert_eq!(self.table().insert(state, 0), Probe::Known);
        }
        let mut stored = Vec::new();
        let table = self.table();
        for bucket in 0..table.buckets() {
            let mut moved = Vec::new();
            table.take_out(bucket, |state| moved.push(state));
            // They go back into the same slots: those before are full, or they would not be here.
            assert!(moved.iter().all(|moved| table.put::<false>(*moved)));
            stored.extend(moved);
        }
        stored.sort_unstable();
        let moved = |state: &State<W>| match self.shape.kind {
            Kind::Plain => Moved::State(*state),
            Kind::Wide(_) | Kind::Narrow(_) => Moved::Key(self.keys.key(state)),
        };
        let mut expected: Vec<Moved<W>> = expected.iter().map(moved).collect();
        expected.sort_unstable();
        assert!(stored == expected);
    }
}

fn check<const W: usize>(
    widths: [u32; W],
    states: impl Iterator<Item = State<W>>,
    mapped_from: usize,
) -> usize {
    let account = unlimited();
    let mut set = Set::in_words(widths, Words::new(mapped_from));
    let mut expected = BTreeSet::new();
    for state in states {
        assert_eq!(add(&mut set, &state, &account), expected.insert(state), "{state:?}");
    }
    assert_eq!(set.len, expected.len());
    assert!(account.peak() >= set.words.bytes() && account.used() == set.words.bytes());
    set.check(&expected);
    set.lanes()
}

#[test]
fn no_state_is_lost_or_confused() {
    const TOP: u64 = (1 << WIDEST) - 1;
    for mapped_from in [0, 1 << 14, usize::MAX] {
        let mut random = fastrand::Rng::with_seed(1);
        // Few bits, so that many repeat; and the extremes, which an encoding might misuse.
        for (width, lanes) in [(19, 2), (41, 2), (63, 1)] {
            let top = (1 << width) - 1;
            let extremes = [[0], [top], [0], [top], [1 << (width - 1)]];
            let mut draw = || [random.u64(..300_000)];
            let states = (0..400_000).map(|_| draw()).chain(extremes);
            assert_eq!(check([width], states, mapped_from), lanes, "{width}");
            let mut draw = || [top - random.u64(..300_000)];
            check([width], (0..400_000).map(|_| draw()), mapped_from);
        }
        let mut draw = || [random.u64(..400), random.u64(..400) << 54];
        let lanes = check([WIDEST; 2], (0..50_000).map(|_| draw()), mapped_from);
        assert_eq!(lanes, 0);
        let mut draw = || [random.u64(..400) << 51, random.u64(..400)];
        let lanes = check([60, 9], (0..50_000).map(|_| draw()), mapped_from);
        assert_eq!(lanes, 1);
        let mut draw = || std::array::from_fn(|_| random.u64(..12));
        let extremes = [[0; 3], [TOP; 3], [0, 0, 1], [1, 0, 0], [0; 3]];
        check([WIDEST; 3], (0..50_000).map(|_| draw()).chain(extremes), mapped_from);
    }
}

/// As soon as a table has enough buckets it stores less of each state, in the memory it gets anyway.
#[test]
fn tables_become_narrow() {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(7);
    let mut set: Set<1> = Set::new([42]);
    let mut changes = Vec::new();
    let mut expected = BTreeSet::new();
    while set.len < 200_000 {
        let state = [random.u64(..1 << 42)];
        let (lanes, bytes, room) = (set.lanes(), set.bytes(), set.room());
        assert_eq!(add(&mut set, &state, &account), expected.insert(state));
        assert!(set.bytes() == bytes || room == 0, "{} states are no reason to grow", set.len);
        if set.lanes() != lanes {
            changes.push((lanes, set.lanes()));
            assert!(set.bytes() <= 4 * bytes);
            set.check(&expected);
        }
    }
    assert_eq!(changes, [(1, 2)]);
    set.check(&expected);
}

/// Growth moves every state up to where it is looked for, also where many crowd at the beginning, whose
/// places hardly change, or at the end, so that slots behind it fill.
#[test]
fn growth_keeps_crowds_together() {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(2);
    let crowds = [0..24, 1000..1024];
    for (width, crowd) in [30, 50, 63].repeat(4).into_iter().zip(crowds.iter().cycle()) {
        let mut set: Set<1> = Set::new([width]);
        let mut expected = BTreeSet::new();
        while expected.len() < 5000 {
            let state = [random.u64(..1 << width)];
            if crowd.contains(&(set.keys.place(&state) >> 54)) || random.u8(..50) == 0 {
                assert_eq!(add(&mut set, &state, &account), expected.insert(state));
            }
        }
        for tenths in [1, 3, 10] {
            set.grow_by(tenths, 1, &account);
            set.check(&expected);
        }
    }
}

/// States that would be displaced farther than a table can tell make it grow again.
#[test]
fn crowds_that_do_not_fit_make_more_buckets() {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(8);
    let mut set: Set<2> = Set::new([63, 8]);
    let mut expected = BTreeSet::new();
    while expected.len() < 300 {
        let state = [random.u64(..1 << 63), random.u64(..1 << 8)];
        if set.keys.place(&state) >> 50 == 77 {
            assert_eq!(add(&mut set, &state, &account), expected.insert(state));
        }
    }
    assert_eq!(set.lanes(), 0);
    let words = 1 << 16;
    set.grow_to(words, 1, &account);
    assert_eq!(set.lanes(), 1);
    assert!(set.words.all().len() > 2 * words);
    set.check(&expected);
}

/// All states of two narrow words have room.
#[test]
fn two_narrow_words_do_not_crowd() {
    for widths in [[9, 9], [4, 13]] {
        let account = Account::new(&Limits { memory: Some(32 << 20), ..Limits::default() });
        let mut set: Set<2> = Set::new(widths);
        let [first, second] = widths;
        for state in (0..1 << first).flat_map(|one| (0..1 << second).map(move |other| [one, other]))
        {
            assert!(add(&mut set, &state, &account));
        }
        assert_eq!(set.len, 1 << (first + second));
    }
}

/// Several threads move states to the same places as one, or as good ones.
fn grow_together<const W: usize>(widths: [u32; W], draw: impl Fn(&mut fastrand::Rng) -> State<W>) {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(5);
    for threads in [1, 2, 5] {
        let mut set: Set<W> = Set::new(widths);
        let mut expected = BTreeSet::new();
        set.grow_to(320_000 * W, 1, &account);
        while expected.len() < 250_000 {
            let state = draw(&mut random);
            assert_eq!(add(&mut set, &state, &account), expected.insert(state));
        }
        for tenths in [11, 3, 5, 30] {
            set.grow_by(tenths, threads, &account);
            set.check(&expected);
        }
    }
}

#[test]
fn threads_grow_a_set_together() {
    grow_together([WIDEST], |random| [random.u64(..1 << WIDEST)]);
    // These become narrow on the way.
    grow_together([47], |random| [random.u64(..1 << 47)]);
    grow_together([32], |random| [random.u64(..1 << 32)]);
    grow_together([63, 19], |random| [random.u64(..4), random.u64(..400_000)]);
    grow_together([WIDEST; 2], |random| [random.u64(..4), random.u64(..400_000)]);
    grow_together([WIDEST; 3], |random| [0, random.u64(..1000), random.u64(..1000)]);
}

#[test]
fn growth_can_be_refused() {
    for mapped_from in [1 << 14, usize::MAX] {
        let limit = 20 << 20;
        let account = Account::new(&Limits { memory: Some(limit), ..Limits::default() });
        let mut set: Set<1> = Set::in_words([40], Words::new(mapped_from));
        while set.grow(&account).is_ok() {}
        assert!(account.peak() <= limit && account.used() == set.words.bytes());
        assert!(set.words.bytes() > limit / 3);
    }
}

/// Many threads add the same states, in different orders; each is new to exactly one.
fn crowded<const W: usize>(widths: [u32; W], draw: impl Fn(&mut fastrand::Rng) -> State<W>) {
    let account = unlimited();
    let mut random = fastrand::Rng::with_seed(3);
    let mut states: Vec<State<W>> = (0..20_000).map(|_| draw(&mut random)).collect();
    for round in 0..20 {
        let mut set = Set::new(widths);
        set.grow_to(40_000 * W, 1, &account);
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
                        let mut sought = table.seek(&state);
                        loop {
                            match table.probe::<true>(&state, sought, 1) {
                                Probe::New => _ = new.fetch_add(1, Ordering::Relaxed),
                                Probe::Known => {}
                                Probe::NoRoom | Probe::NoSlot => panic!("there is room"),
                                Probe::Elsewhere(farther) => {
                                    sought = farther;
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
        set.check(&expected);
    }
}

#[test]
fn threads_agree_who_was_first() {
    crowded([WIDEST], |random| [random.u64(..15_000)]);
    crowded([14], |random| [random.u64(..15_000)]);
    crowded([40], |random| [random.u64(..15_000)]);
    crowded([WIDEST; 2], |random| [random.u64(..4), random.u64(..4000)]);
    crowded([60, 12], |random| [random.u64(..4), random.u64(..4000)]);
    crowded([WIDEST; 3], |random| [0, random.u64(..100), random.u64(..100)]);
}
