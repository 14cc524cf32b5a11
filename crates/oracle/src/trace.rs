//! Traces of computations, built action by action (ESOP'13 §3; in full in Appendix A of its
//! extended version).
//!
//! A trace has a node for every action, where a store and its issue are one node, and relations
//! between them: program order, store order and source. Here it is
//!
//! - per thread its **history**: the events in program order, with edges, addresses and values,
//!   each read with its source, that is the thread and number of the store it reads (none for the
//!   initial value);
//! - the **order** in which stores reached memory, by thread. Buffers are queues, so the k-th store
//!   of a thread that reaches memory is the k-th in its history.
//!
//! That is the finest trace anybody compares. The others forget something:
//!
//! | property                 | events                        | stores are ordered        |
//! |--------------------------|-------------------------------|---------------------------|
//! | triangular-race freedom  | all, reads with source        | all together              |
//! | trace robustness         | all, reads with source        | per address               |
//! | persistence              | reads and writes with values  | all together              |
//!
//! # Choices
//!
//! The paper labels a node with the action only; here the edge is part of it. No verdict changes: a
//! TSO computation with the coarse trace of an SC computation has no cycle in its happens-before
//! relation, so it can be sorted into an SC computation that takes the same edges.
//!
//! Program order of ESOP'15 §6 has reads, writes and atomic read-writes, as pairs of an instruction
//! and a value; local steps, fences, chosen values and faults are not in it. Adding them would
//! change no verdict either: two runs with equal traces read the same values at the same
//! instructions, so the local steps of one can be played in the other. A failed compare-and-swap is
//! a read that waits for the buffer; it is in program order and not in store order. A successful
//! exclusive store is in both, a failed one is a local step. A read whose value did not fit into
//! its register is a read.

use program::{EdgeId, Fault, ThreadId, Value, index::Idx};

use crate::interner::{Interner, Key};
use crate::state::{Action, Effect};

/// A trace: the number of each thread's history, then that of the order of stores.
pub(crate) type Trace = Key;

/// The store that a read reads: the thread and which of its stores, or nothing for the initial
/// value.
pub(crate) type Source = Option<(ThreadId, u32)>;

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    Internal { assigned: Option<Value> },
    Stop(Fault),
    Read { address: Value, value: Value, fault: Option<Fault>, source: Source },
    Write { address: Value, value: Value },
    ReadWrite { address: Value, read: Value, written: Value, source: Source },
}

/// An event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Event {
    pub(crate) edge: EdgeId,
    pub(crate) what: What,
}

/// A history and an event after it; nothing is the empty history.
type Longer<E> = Option<(u32, E)>;

/// A store that reached memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stored {
    thread: ThreadId,
    address: Value,
    value: Value,
}

/// What of a history is asked again and again.
#[derive(Clone, Debug)]
struct HistoryFacts {
    /// The addresses written, in program order.
    writes: Vec<Value>,
    /// The number of the sequence of reads and writes without sources.
    accesses: u32,
    length: usize,
}

/// What of an order of stores is asked again and again.
#[derive(Clone, Debug)]
struct OrderFacts {
    /// The last store to each address that was stored to.
    last: Vec<(Value, (ThreadId, u32))>,
    /// How many stores of each thread there are.
    counts: Vec<u32>,
    /// The number of the orders per address.
    per_address: u32,
    length: usize,
}

/// All histories and orders met.
#[derive(Debug)]
pub(crate) struct Traces {
    histories: Interner<Longer<Event>>,
    history_facts: Vec<HistoryFacts>,
    accesses: Interner<Longer<Event>>,
    orders: Interner<Longer<Stored>>,
    order_facts: Vec<OrderFacts>,
    per_address: Interner<Vec<(Value, Vec<ThreadId>)>>,
}

impl Traces {
    pub(crate) fn new(threads: usize) -> Self {
        let mut traces = Self {
            histories: Interner::new(),
            history_facts: Vec::new(),
            accesses: Interner::new(),
            orders: Interner::new(),
            order_facts: Vec::new(),
            per_address: Interner::new(),
        };
        traces.histories.number(None);
        let accesses = traces.accesses.number(None);
        traces.history_facts.push(HistoryFacts { writes: Vec::new(), accesses, length: 0 });
        traces.orders.number(None);
        let per_address = traces.per_address.number(Vec::new());
        let counts = vec![0; threads];
        traces.order_facts.push(OrderFacts { last: Vec::new(), counts, per_address, length: 0 });
        traces
    }

    /// The trace of the empty computation.
    pub(crate) fn empty(threads: usize) -> Trace {
        vec![0; threads + 1].into()
    }

    /// The trace after one more action.
    pub(crate) fn extend(&mut self, trace: &Trace, action: &Action) -> Trace {
        let mut next = trace.clone();
        let thread = action.thread.index();
        let order = trace.len() - 1;
        if let Some(edge) = action.edge
            && let Some(what) = self.event(trace, action)
        {
            next[thread] = self.longer_history(trace[thread], Event { edge, what });
        }
        match action.effect {
            Effect::Drain { address, value }
            | Effect::Write { address, value }
            | Effect::ReadWrite { address, written: value, .. } => {
                let stored = Stored { thread: action.thread, address, value };
                next[order] = self.longer_order(trace[order], stored);
            }
            Effect::Internal { .. }
            | Effect::Stop(_)
            | Effect::Read { .. }
            | Effect::Issue { .. } => {}
        }
        next
    }

    fn event(&self, trace: &Trace, action: &Action) -> Option<What> {
        match action.effect {
            Effect::Internal { assigned } => Some(What::Internal { assigned }),
            Effect::Stop(fault) => Some(What::Stop(fault)),
            Effect::Read { address, value, early, fault } => {
                let source = if early {
                    let writes = &self.history_facts[trace[action.thread.index()] as usize].writes;
                    let own = writes.iter().rposition(|written| *written == address);
                    let own = own.expect("an early read reads a store of its thread");
                    Some((action.thread, u32::try_from(own).expect("histories are short")))
                } else {
                    self.last_store(trace, address)
                };
                Some(What::Read { address, value, fault, source })
            }
            Effect::Issue { address, value } | Effect::Write { address, value } => {
                Some(What::Write { address, value })
            }
            Effect::ReadWrite { address, read, written } => {
                let source = self.last_store(trace, address);
                Some(What::ReadWrite { address, read, written, source })
            }
            Effect::Drain { .. } => None,
        }
    }

    /// The last store to `address` that reached memory.
    fn last_store(&self, trace: &Trace, address: Value) -> Source {
        let last = &self.order_facts[trace[trace.len() - 1] as usize].last;
        last.iter().find(|(stored, _)| *stored == address).map(|(_, store)| *store)
    }

    fn longer_history(&mut self, history: u32, event: Event) -> u32 {
        let number = self.histories.number(Some((history, event)));
        if self.history_facts.len() < self.histories.len() {
            let mut facts = self.history_facts[history as usize].clone();
            facts.length += 1;
            if let What::Write { address, .. } | What::ReadWrite { address, .. } = event.what {
                facts.writes.push(address);
            }
            if let Some(what) = without_source(event.what) {
                let access = Event { what, ..event };
                facts.accesses = self.accesses.number(Some((facts.accesses, access)));
            }
            self.history_facts.push(facts);
        }
        number
    }

    fn longer_order(&mut self, order: u32, stored: Stored) -> u32 {
        let number = self.orders.number(Some((order, stored)));
        if self.order_facts.len() < self.orders.len() {
            let Stored { thread, address, .. } = stored;
            let mut facts = self.order_facts[order as usize].clone();
            facts.length += 1;
            let store = (thread, facts.counts[thread.index()]);
            facts.counts[thread.index()] += 1;
            facts.last.retain(|(other, _)| *other != address);
            facts.last.push((address, store));
            let mut per_address = self.per_address.item(facts.per_address).clone();
            match per_address.binary_search_by_key(&address, |(other, _)| *other) {
                Ok(at) => per_address[at].1.push(thread),
                Err(at) => per_address.insert(at, (address, vec![thread])),
            }
            facts.per_address = self.per_address.number(per_address);
            self.order_facts.push(facts);
        }
        number
    }

    /// How many actions have this trace, counting a store and its issue as two.
    pub(crate) fn length(&self, trace: &Trace) -> usize {
        let (order, histories) = trace.split_last().expect("a trace has an order");
        let events = histories.iter().map(|history| self.history_facts[*history as usize].length);
        events.sum::<usize>() + self.order_facts[*order as usize].length
    }

    /// The trace with store orders per address only.
    pub(crate) fn for_robustness(&self, trace: &Trace) -> Key {
        let (order, histories) = trace.split_last().expect("a trace has an order");
        let per_address = self.order_facts[*order as usize].per_address;
        histories.iter().copied().chain([per_address]).collect()
    }

    /// The trace with reads and writes only, without sources.
    pub(crate) fn for_persistence(&self, trace: &Trace) -> Key {
        let (order, histories) = trace.split_last().expect("a trace has an order");
        let accesses =
            histories.iter().map(|history| self.history_facts[*history as usize].accesses);
        accesses.chain([*order]).collect()
    }

    /// The events of one history.
    pub(crate) fn events(&self, history: u32) -> Vec<Event> {
        let mut events: Vec<Event> =
            std::iter::successors(*self.histories.item(history), |(rest, _)| {
                *self.histories.item(*rest)
            })
            .map(|(_, event)| event)
            .collect();
        events.reverse();
        events
    }

    /// The stores of an order, each as its thread and address.
    pub(crate) fn stores(&self, order: u32) -> Vec<(ThreadId, Value)> {
        let mut stores: Vec<(ThreadId, Value)> =
            std::iter::successors(*self.orders.item(order), |(rest, _)| *self.orders.item(*rest))
                .map(|(_, stored)| (stored.thread, stored.address))
                .collect();
        stores.reverse();
        stores
    }
}

/// What persistence sees of an event: reads and writes, without sources.
fn without_source(what: What) -> Option<What> {
    match what {
        What::Internal { .. } | What::Stop(_) => None,
        What::Read { address, value, fault, source: _ } => {
            Some(What::Read { address, value, fault, source: None })
        }
        What::Write { .. } => Some(what),
        What::ReadWrite { address, read, written, source: _ } => {
            Some(What::ReadWrite { address, read, written, source: None })
        }
    }
}
