//! Where threads pass with stores in their buffers.
//!
//! A run of the program is a run of the program with fences exactly if no thread passes a fence with a
//! non-empty buffer: otherwise a fence does nothing but be passed. So what a violating run passes like
//! that is all that a repair needs to know of it.

use std::collections::BTreeMap;

use program::{EdgeId, Program, TemplateId, ThreadId};
use semantics::{Action, Computation, Model, Move};

/// What one thread executes while its buffer is not empty: first the store that is waiting, last the
/// instruction after which nothing was executed before the buffer was empty again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BufferedSpan {
    /// The thread's template.
    pub template: TemplateId,
    /// The edges.
    pub edges: Vec<EdgeId>,
}

/// The buffered spans of a run with at least two instructions: a store that reaches memory before anything
/// else is executed is not delayed.
pub fn buffered_spans(program: &Program, computation: &Computation) -> Vec<BufferedSpan> {
    let threads = program.threads().expect("only definite programs run");
    let mut open: BTreeMap<ThreadId, (usize, Vec<EdgeId>)> = BTreeMap::new();
    let mut all = Vec::new();
    let mut close = |thread: ThreadId, edges: Vec<EdgeId>| {
        if edges.len() > 1 {
            all.push(BufferedSpan { template: threads[thread].template, edges });
        }
    };
    for step in &computation.steps {
        match step.taken {
            Move::Execute { thread, edge, .. } => {
                let is_issue = |action: &Action| matches!(action, Action::Issue { .. });
                let waits = computation.model == Model::Tso && step.actions.iter().any(is_issue);
                if waits || open.contains_key(&thread) {
                    let (waiting, edges) = open.entry(thread).or_default();
                    *waiting += usize::from(waits);
                    edges.push(edge);
                }
            }
            Move::Commit { thread } => {
                if let Some((waiting, _)) = open.get_mut(&thread) {
                    *waiting -= 1;
                    if *waiting == 0
                        && let Some((_, edges)) = open.remove(&thread)
                    {
                        close(thread, edges);
                    }
                }
            }
        }
    }
    for (thread, (_, edges)) in open {
        close(thread, edges);
    }
    all
}
