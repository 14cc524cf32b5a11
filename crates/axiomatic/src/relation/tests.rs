//! The relation library against its definitions, on examples and on all small relations.

use super::*;

fn relation(pairs: &[(usize, usize)]) -> Relation {
    Relation::from_pairs(4, pairs.iter().copied())
}

/// All relations between three events.
fn all_small() -> impl Iterator<Item = Relation> {
    (0..1_u32 << 9).map(|bits| {
        let pairs = (0..9).filter(move |bit| bits >> bit & 1 == 1).map(|bit| (bit / 3, bit % 3));
        Relation::from_pairs(3, pairs)
    })
}

#[test]
fn sets() {
    let set: EventSet = [1, 5, 127].into_iter().collect();
    assert_eq!(set.iter().collect::<Vec<_>>(), [1, 5, 127]);
    assert!(set.contains(127) && !set.contains(0));
    assert_eq!((set - EventSet::only(5)).iter().count(), 2);
    assert_eq!((set & EventSet::only(5)), EventSet::only(5));
    assert!(!(!set).contains(1));
    assert_eq!(EventSet::only(3).shifted(4), EventSet::only(7));
    let wide: EventSet = [3, 63, 64, 200].into_iter().collect();
    assert_eq!((wide.last_before(64), wide.first_after(64)), (Some(63), Some(200)));
    assert_eq!((wide.last_before(3), wide.first_after(200)), (None, None));
    assert_eq!((wide.last_before(201), wide.first_after(3)), (Some(200), Some(63)));
}

/// What relations do between few events they do between many, wherever these lie.
#[test]
fn relations_of_several_words() {
    let events = EventSet::MAX_EVENTS;
    let far = [2, 63, 130];
    let moved = |small: &Relation| {
        Relation::from_pairs(events, small.pairs().map(|(from, to)| (far[from], far[to])))
    };
    for (r, s) in all_small().zip(all_small().skip(100)) {
        let (wide, other) = (moved(&r), moved(&s));
        assert_eq!(wide.then(&other), moved(&r.then(&s)));
        assert_eq!(wide.transitive(), moved(&r.transitive()));
        assert_eq!(&wide - &other, moved(&(&r - &s)));
        assert_eq!(wide.inverse(), moved(&r.inverse()));
        assert_eq!(wide.is_acyclic(), r.is_acyclic());
        assert_eq!(wide.ending_in(EventSet::only(far[1])), moved(&r.ending_in(EventSet::only(1))));
    }
}

#[test]
fn a_relation_grows_and_stands_beside_another() {
    for before in [0, 1, 63, 64, 127, 128] {
        let last = before.max(1) - 1;
        let r = Relation::from_pairs(before, (before > 0).then_some((0, last)));
        let mut grown = r.clone();
        grown.grow();
        assert_eq!(grown.events(), before + 1);
        assert!(grown.pairs().eq(r.pairs()));
        let both = r.beside(&relation(&[(1, 2)]));
        let mut expected: Vec<_> = r.pairs().collect();
        expected.push((before + 1, before + 2));
        assert_eq!((both.events(), both.pairs().collect::<Vec<_>>()), (before + 4, expected));
    }
}

#[test]
fn composition_and_restriction() {
    let r = relation(&[(0, 1), (1, 2)]);
    assert_eq!(r.then(&r), relation(&[(0, 2)]));
    assert_eq!(r.starting_in(EventSet::only(1)), relation(&[(1, 2)]));
    assert_eq!(r.ending_in(EventSet::only(1)), relation(&[(0, 1)]));
    assert_eq!(r.inverse(), relation(&[(1, 0), (2, 1)]));
    let product = Relation::product(4, EventSet::only(3), [0, 1].into_iter().collect());
    assert_eq!(product, relation(&[(3, 0), (3, 1)]));
    assert_eq!(&r | &product, relation(&[(0, 1), (1, 2), (3, 0), (3, 1)]));
    assert!((&r & &product).is_empty());
    assert_eq!(&r - relation(&[(0, 1)]), relation(&[(1, 2)]));
}

#[test]
fn the_closure_is_the_least_transitive_relation_above() {
    for r in all_small() {
        let closure = r.transitive();
        assert!((&r - &closure).is_empty());
        assert!((closure.then(&closure) - &closure).is_empty());
        // Two compositions reach everything between three events.
        assert_eq!(closure, &r | r.then(&r) | r.then(&r).then(&r));
        assert_eq!(r.reflexive_transitive(), closure.or_same());
    }
}

#[test]
fn cycles() {
    assert!(relation(&[(0, 1), (1, 2), (0, 2), (3, 0)]).is_acyclic());
    assert!(!relation(&[(0, 1), (1, 2), (2, 0)]).is_acyclic());
    assert!(relation(&[(0, 1), (1, 0)]).is_irreflexive());
    assert!(!relation(&[(2, 2)]).is_irreflexive());
    for r in all_small() {
        // Acyclic exactly if some order of the three events contains it.
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let fits = |order: &[usize; 3]| r.pairs().all(|(from, to)| order[from] < order[to]);
        assert_eq!(r.is_acyclic(), orders.iter().any(fits));
    }
}
