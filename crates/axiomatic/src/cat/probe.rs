//! Whether a model has the axioms that every candidate satisfies already.
//!
//! Only coherent and atomic executions are ever proposed ([`Execution::is_coherent`],
//! [`Execution::is_atomic`]). A model that allows others would be given too few executions, and
//! states would be missing from its answers without a word. So each model is asked, when it is read,
//! about the smallest executions that are not coherent (Herding cats, Fig. 6: coWW, coRW1, coRW2,
//! coWR, coRR) or not atomic. One that allows one of the first four is refused, and one that allows the last
//! answers only for programs without atomic updates. One that allows coRR is given such executions, too, and
//! one that lets writes pass accesses whose addresses are not known yet those in which they do. It is asked about
//! one execution that is coherent and atomic, too, so that nothing in it stays unevaluated.

use program::{Order, ThreadId, index::Idx};

use crate::event::{Effect, Event, Origin};
use crate::execution::{Dependencies, Execution};
use crate::relation::{EventSet, Relation};

/// What an execution violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Violated {
    Coherence,
    /// That a thread's reads of one address see its writes in their order.
    CoherenceOfReads,
    Atomicity,
    /// That writes wait for the addresses of the accesses before them.
    Addresses,
    Nothing,
}

/// An execution that a model is asked about.
pub(super) struct Probe {
    pub(super) violates: Violated,
    pub(super) name: &'static str,
    /// What happens in it.
    pub(super) told: &'static str,
    pub(super) execution: Execution,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Read,
    Write,
}

/// One address, whose initial write is event 0; the accesses of the threads; who reads from whom;
/// the order of the writes.
struct Shape {
    name: &'static str,
    told: &'static str,
    threads: &'static [&'static [Does]],
    rf: &'static [(usize, usize)],
    co: &'static [usize],
    rmw: Option<(usize, usize)>,
}

use Does::{Read, Write};

const SHAPES: [Shape; 8] = [
    Shape {
        name: "coWW",
        told: "a thread writes twice, and the first write comes last",
        threads: &[&[Write, Write]],
        rf: &[],
        co: &[0, 2, 1],
        rmw: None,
    },
    Shape {
        name: "coRW1",
        told: "a thread reads what it writes only later",
        threads: &[&[Read, Write]],
        rf: &[(2, 1)],
        co: &[0, 2],
        rmw: None,
    },
    Shape {
        name: "coRW2",
        told: "a thread reads a write that comes after its own later one",
        threads: &[&[Read, Write], &[Write]],
        rf: &[(3, 1)],
        co: &[0, 2, 3],
        rmw: None,
    },
    Shape {
        name: "coWR",
        told: "a thread reads what it has overwritten",
        threads: &[&[Write, Read], &[Write]],
        rf: &[(3, 2)],
        co: &[0, 3, 1],
        rmw: None,
    },
    Shape {
        name: "coWR",
        told: "a thread reads the initial value after its own write",
        threads: &[&[Write, Read]],
        rf: &[(0, 2)],
        co: &[0, 1],
        rmw: None,
    },
    Shape {
        name: "coRR",
        told: "a thread reads a write, and then an older one",
        threads: &[&[Read, Read], &[Write]],
        rf: &[(3, 1), (0, 2)],
        co: &[0, 3],
        rmw: None,
    },
    Shape {
        name: "atomicity",
        told: "another thread writes between the read and the write of an atomic update",
        threads: &[&[Read, Write], &[Write]],
        rf: &[(0, 1)],
        co: &[0, 3, 2],
        rmw: Some((1, 2)),
    },
    Shape {
        name: "one after the other",
        told: "a thread updates, and another writes afterwards",
        threads: &[&[Read, Write], &[Write]],
        rf: &[(0, 1)],
        co: &[0, 2, 3],
        rmw: Some((1, 2)),
    },
];

/// All of them, with the weakest orders.
pub(super) fn probes() -> impl Iterator<Item = Probe> {
    let addresses = [Order::Plain, Order::Relaxed].into_iter().map(|order| Probe {
        violates: Violated::Addresses,
        name: "LB+addrs",
        told: "writes of two threads pass accesses whose addresses come from each other",
        execution: load_buffering(order),
    });
    of_one_address().chain(addresses)
}

/// Those about one address.
fn of_one_address() -> impl Iterator<Item = Probe> {
    SHAPES.iter().flat_map(|shape| {
        [Order::Plain, Order::Relaxed].into_iter().flat_map(move |order| {
            let origins: &[Origin] = if shape.rmw.is_some() {
                &[Origin::Update { keeps_result: true }, Origin::Exclusive]
            } else {
                &[Origin::Ordinary]
            };
            origins.iter().map(move |origin| {
                let execution = execution(shape, order, *origin);
                let violates = if !execution.is_coherent_but_for_reads() {
                    Violated::Coherence
                } else if !execution.is_coherent() {
                    Violated::CoherenceOfReads
                } else if !execution.is_atomic() {
                    Violated::Atomicity
                } else {
                    Violated::Nothing
                };
                Probe { violates, name: shape.name, told: shape.told, execution }
            })
        })
    })
}

/// Each of two threads reads, reads something else at an address that depends on the former, and writes what the
/// other read first.
fn load_buffering(order: Order) -> Execution {
    let event = |thread: usize, effect: Effect| {
        let (thread, origin) = (Some(ThreadId::new(thread)), Origin::Ordinary);
        Event { thread, edge: None, effect, order, origin }
    };
    let read = |address| Effect::Read { address, value: 0 };
    let write = |address| Effect::Write { address, value: 0 };
    let mut events: Vec<Event> = (0..3).map(|address| Event::initial(address, 0)).collect();
    for (thread, own, other) in [(0, 0, 1), (1, 1, 0)] {
        events.extend([read(own), read(2), write(other)].map(|effect| event(thread, effect)));
    }
    let number = events.len();
    let (first, second) = ([3, 4, 5], [6, 7, 8]);
    let all =
        |events: [usize; 3]| events.into_iter().flat_map(move |from| events.map(|to| (from, to)));
    let same_thread = Relation::from_pairs(number, all(first).chain(all(second)));
    let same_address = (0..number).flat_map(|from| (0..number).map(move |to| (from, to)));
    let same_address =
        same_address.filter(|(from, to)| events[*from].address() == events[*to].address());
    let relation = |pairs: &[(usize, usize)]| Relation::from_pairs(number, pairs.iter().copied());
    let none = || Dependencies::none(number);
    let addr = || Dependencies { addr: relation(&[(3, 4), (6, 7)]), ..none() };
    let with = |property: fn(&Event) -> bool| -> EventSet {
        (0..number).filter(|event| property(&events[*event])).collect()
    };
    Execution {
        po: Relation::from_pairs(number, same_thread.pairs().filter(|(from, to)| from < to)),
        computed: addr(),
        syntactic: addr(),
        success: none(),
        rmw: relation(&[]),
        fetch: relation(&[]),
        rf: relation(&[(8, 3), (5, 6), (2, 4), (2, 7)]),
        co: relation(&[(0, 8), (1, 5)]),
        fr: relation(&[]),
        open: EventSet::EMPTY,
        reads: with(|event| event.read().is_some()),
        writes: with(|event| event.written().is_some()),
        same_address: Relation::from_pairs(number, same_address),
        same_thread,
        same_access: relation(&[]),
        events,
    }
}

fn execution(shape: &Shape, order: Order, first: Origin) -> Execution {
    let mut events = vec![Event::initial(0, 0)];
    for (thread, accesses) in shape.threads.iter().enumerate() {
        for does in *accesses {
            let effect = match does {
                Read => Effect::Read { address: 0, value: 0 },
                Write => Effect::Write { address: 0, value: 0 },
            };
            let origin = if thread == 0 { first } else { Origin::Ordinary };
            let thread = Some(ThreadId::new(thread));
            events.push(Event { thread, edge: None, effect, order, origin });
        }
    }
    let number = events.len();
    let all = || (0..number).flat_map(|from| (0..number).map(move |to| (from, to)));
    let same_thread = |(from, to): &(usize, usize)| {
        events[*from].thread.is_some() && events[*from].thread == events[*to].thread
    };
    let same_thread = Relation::from_pairs(number, all().filter(same_thread));
    let po = Relation::from_pairs(number, same_thread.pairs().filter(|(from, to)| from < to));
    let rf = Relation::from_pairs(number, shape.rf.iter().copied());
    let later = shape
        .co
        .iter()
        .enumerate()
        .flat_map(|(at, first)| shape.co[at + 1..].iter().map(move |second| (*first, *second)));
    let co = Relation::from_pairs(number, later);
    let with = |property: fn(&Event) -> bool| -> EventSet {
        (0..number).filter(|event| property(&events[*event])).collect()
    };
    Execution {
        po,
        computed: Dependencies::none(number),
        syntactic: Dependencies::none(number),
        success: Dependencies::none(number),
        rmw: Relation::from_pairs(number, shape.rmw),
        fetch: Relation::empty(number),
        fr: rf.inverse().then(&co),
        rf,
        co,
        open: EventSet::EMPTY,
        reads: with(|event| event.read().is_some()),
        writes: with(|event| event.written().is_some()),
        same_thread,
        same_address: Relation::from_pairs(number, all()),
        same_access: Relation::empty(number),
        events,
    }
}

#[cfg(test)]
mod tests {
    use super::{Violated, probes};

    #[test]
    fn probes_violate_what_they_are_there_for() {
        for probe in probes() {
            let expected = match probe.name {
                "atomicity" => Violated::Atomicity,
                "one after the other" => Violated::Nothing,
                "coRR" => Violated::CoherenceOfReads,
                "LB+addrs" => Violated::Addresses,
                _ => Violated::Coherence,
            };
            assert_eq!(probe.violates, expected, "{}", probe.name);
        }
    }
}
