//! Happens-before cycles (ESOP'13 §3): the characterisation of trace robustness that analyses use.
//!
//! The union of program order, store order per address, source and conflict (from a load to the
//! stores that overwrite what it read) has a cycle in no trace of an SC computation, and a TSO
//! computation without a cycle has the trace of an SC computation. The oracle decides robustness
//! without this lemma; here it is to be checked. It does not hold as it stands for programs with
//! locked sections or exclusive accesses: these restrict SC computations in ways that the four
//! relations do not show.

use std::ops::ControlFlow;

use program::{Program, ThreadId, Value, index::Idx};

use crate::code::instantiate;
use crate::explore::{Longer, explore_traces};
use crate::limits::{Exceeded, Limits};
use crate::machine::Machine;
use crate::state::MemoryModel;
use crate::trace::{Trace, Traces, What};

/// Whether some computation has a happens-before cycle.
pub fn has_happens_before_cycle(
    program: &Program,
    model: MemoryModel,
    limits: &Limits,
) -> Result<bool, Exceeded> {
    let code = instantiate(program)?;
    let mut found = false;
    explore_traces(
        &mut Machine::new(&code, limits),
        &mut Traces::new(code.threads.len()),
        model,
        (limits, Longer::Exceeds),
        &mut |_, traces, _, trace| {
            found = is_cyclic(&happens_before(traces, trace));
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )?;
    Ok(found)
}

/// For each node its successors, transitive steps left out where a chain of others gives them.
fn happens_before(traces: &Traces, trace: &Trace) -> Vec<Vec<usize>> {
    let (order, histories) = trace.split_last().expect("a trace has an order");
    let mut successors: Vec<Vec<usize>> = Vec::new();
    // Per thread the nodes that write; per read its node, address and source.
    let mut writers: Vec<Vec<usize>> = Vec::new();
    let mut reads = Vec::new();
    for history in histories {
        let mut writes = Vec::new();
        for (position, event) in traces.events(*history).into_iter().enumerate() {
            let node = successors.len();
            successors.push(Vec::new());
            if position > 0 {
                successors[node - 1].push(node);
            }
            match event.what {
                What::Internal { .. } | What::Stop(_) => {}
                What::Read { address, source, .. } => reads.push((node, address, source)),
                What::Write { .. } => writes.push(node),
                What::ReadWrite { address, source, .. } => {
                    reads.push((node, address, source));
                    writes.push(node);
                }
            }
        }
        writers.push(writes);
    }
    let stores = stores_by_node(traces.stores(*order), &writers);
    for (at, (node, address)) in stores.iter().enumerate() {
        let next = stores[at + 1..].iter().find(|(_, other)| other == address);
        successors[*node].extend(next.map(|(node, _)| *node));
    }
    for (reader, address, source) in reads {
        let source = source.map(|(thread, number)| writers[thread.index()][number as usize]);
        if let Some(source) = source {
            successors[source].push(reader);
        }
        let of_address =
            || stores.iter().filter(|(_, other)| *other == address).map(|(node, _)| *node);
        let overwriting = match source {
            None => of_address().next(),
            Some(source) => of_address().skip_while(|node| *node != source).nth(1),
        };
        // A read-write overwrites what it reads itself, in one node.
        successors[reader].extend(overwriting.filter(|node| *node != reader));
    }
    successors
}

/// The stores in store order, each with its node and address.
fn stores_by_node(stores: Vec<(ThreadId, Value)>, writers: &[Vec<usize>]) -> Vec<(usize, Value)> {
    let mut counts = vec![0; writers.len()];
    stores
        .into_iter()
        .map(|(thread, address)| {
            let number = counts[thread.index()];
            counts[thread.index()] += 1;
            (writers[thread.index()][number], address)
        })
        .collect()
}

/// Whether some nodes remain when nodes without predecessors are removed again and again.
fn is_cyclic(successors: &[Vec<usize>]) -> bool {
    let mut predecessors = vec![0_usize; successors.len()];
    for node in successors.iter().flatten() {
        predecessors[*node] += 1;
    }
    let mut free: Vec<usize> =
        (0..successors.len()).filter(|node| predecessors[*node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = free.pop() {
        removed += 1;
        for next in &successors[node] {
            predecessors[*next] -= 1;
            if predecessors[*next] == 0 {
                free.push(*next);
            }
        }
    }
    removed < successors.len()
}
