//! A search as a timely dataflow: one loop, whose timestamps are levels.
//!
//! ```text
//!    ┌── States, Reports ── +1 ──────────────────────────────┐
//!    ↓                                                       │
//! receive ── Reports ──→ decide (leader) ── Decisions ──→ expand
//! ```
//!
//! The leader has a capability for the level that is being found; at that time nothing else can come
//! to it once all messages of the level have been received everywhere and all reports have come. Then
//! it decides, for all. A worker may be sent states of the next level before it hears of the
//! decision; these cannot be of the level that it is still to expand, which is complete.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use timely::dataflow::channels::pact::{Exchange, Pipeline};
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::vec::Broadcast;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::scheduling::Activator;
use timely::worker::Worker;

use crate::judge::Judge;
use crate::message::{Decision, LEADER, Message, Report};
use crate::work::Work;

/// States that are expanded before a worker looks at what it was sent.
const SLICE: usize = 1 << 12;

/// What a worker was told to do, and has not done.
struct Doing {
    capability: Capability<u64>,
    numbers: Range<usize>,
    /// Whose predecessors are looked for, if the states are not to be expanded.
    targets: Option<Vec<Vec<u64>>>,
}

impl Doing {
    /// Does some of it; says whether that was all.
    fn go_on(&mut self, work: &mut Work, mut send: impl FnMut(Message)) -> bool {
        let Self { numbers, targets, .. } = self;
        let slice = numbers.start..numbers.end.min(numbers.start + SLICE);
        numbers.start = slice.end;
        match targets {
            None => work.expand(slice, &mut send),
            Some(targets) => work.trace(slice, targets),
        }
        let is_done = numbers.start >= numbers.end || work.is_over();
        if is_done {
            work.ship_all(&mut send);
            work.report().map(Message::Report).into_iter().for_each(send);
        }
        is_done
    }
}

/// Builds the dataflow; what comes back wakes the leader's decision. The judge is the leader's alone.
pub(crate) fn build(worker: &mut Worker, work: Work, judge: Option<Judge>) -> Activator {
    let work = Rc::new(RefCell::new(work));
    worker.dataflow::<u64, _, _>(|scope| {
        let (handle, messages) = scope.feedback::<Vec<Message>>(1);

        let receiver = Rc::clone(&work);
        let pact = Exchange::new(Message::to);
        let reports = messages.unary(pact, "receive", move |capability, _| {
            let mut first = Some(capability);
            move |input, output| {
                let mut work = receiver.borrow_mut();
                if let Some(capability) = first.take() {
                    work.begin();
                    output.session(&capability).give_iterator(work.report().into_iter());
                }
                input.for_each(|time, messages: &mut Vec<Message>| {
                    let mut session = output.session(&time);
                    for message in messages.drain(..) {
                        match message {
                            Message::States { states, .. } => work.take(*time.time(), &states),
                            Message::Report(report) => session.give(report),
                        }
                    }
                    session.give_iterator(work.report().into_iter());
                });
            }
        });

        let mut wake = None;
        let pact = Exchange::new(|_: &Report| LEADER);
        let decisions = reports.unary_frontier(pact, "decide", |capability, info| {
            wake = Some(scope.activator_for(info.address));
            let mut leader = judge.map(|judge| (judge, Some(capability)));
            move |(input, frontier), output| {
                input.for_each(|_, reports: &mut Vec<Report>| {
                    for report in reports.drain(..) {
                        if let Some((judge, _)) = &mut leader {
                            judge.hear(report);
                        }
                    }
                });
                let Some((judge, held)) = &mut leader else { return };
                let Some(capability) = held else { return };
                let level = *capability.time();
                let decision = if judge.is_to_stop() {
                    judge.halted()
                } else if frontier.less_equal(&level) {
                    return;
                } else {
                    judge.level_done(level)
                };
                let is_last = decision == Decision::Stop;
                output.session(&*capability).give(decision);
                if is_last {
                    *held = None;
                } else {
                    capability.downgrade(&(level + 1));
                }
            }
        });

        let decisions = decisions.broadcast();
        let messages = decisions.unary(Pipeline, "expand", move |capability, info| {
            drop(capability);
            let again = scope.activator_for(info.address);
            let mut doing: VecDeque<Doing> = VecDeque::new();
            move |input, output| {
                let mut work = work.borrow_mut();
                input.for_each(|time, decisions: &mut Vec<Decision>| {
                    for decision in decisions.drain(..) {
                        let (level, targets) = match decision {
                            Decision::Expand => (*time.time(), None),
                            Decision::Trace { level, targets } => (level, Some(targets)),
                            Decision::Stop => {
                                work.stop();
                                continue;
                            }
                        };
                        let capability = time.retain(output.output_index());
                        doing.push_back(Doing { capability, numbers: work.level(level), targets });
                    }
                });
                let Some(now) = doing.front_mut() else { return };
                let capability = now.capability.clone();
                let mut session = output.session(&capability);
                let is_done = now.go_on(&mut work, |message| session.give(message));
                drop(session);
                if is_done {
                    doing.pop_front();
                }
                if !doing.is_empty() {
                    again.activate();
                }
            }
        });
        messages.connect_loop(handle);
        wake.expect("the operator was built")
    })
}
