//! Reachability under TSO with buffers of any length, exactly, for programs with finite data.
//!
//! # Load buffers instead of store buffers
//!
//! *Dual TSO* (Abdulla, Atig, Bouajjani, Ngo: "The benefits of duality in verifying concurrent programs under
//! TSO", CONCUR 2016; LMCS 14(1), 2018) turns store buffers round. A store writes memory at once; and
//! each thread has a *load buffer*, a queue through which messages flow from memory to the thread:
//!
//! - a store of `v` to `x` also appends the *own* message `(x, v)` to the thread's load buffer;
//! - at any moment the message `(x, v)` may be appended to a thread's load buffer if memory holds `v` at `x`;
//! - at any moment the oldest message may be deleted;
//! - a load of `x` finds what the newest own message of `x` says, if there is one, and otherwise
//!   the oldest message of all, which must be of `x`;
//! - what drains the store buffer needs an empty load buffer, and works on memory.
//!
//! # Why the two are the same
//!
//! What is asked of states with empty store buffers is asked here of configurations with empty load
//! buffers; [`crate::reach::known_under_tso`] says why that is enough for faults too. As load buffers
//! can always be emptied, their contents at the end do not matter.
//!
//! *From TSO to load buffers.* Let a store happen when TSO commits it, and everything else a thread
//! does when it has happened under TSO and all stores before it in the thread have. Where TSO loads from memory
//! let a message come, at that moment. Messages and own messages then come in an order in which the
//! thread finds them: what it loads from memory while own stores wait came before their own
//! messages, and what it loads from its own store buffer is the newest own message, as the newest own store is in
//! both. A drained instruction finds all stores committed and all messages used.
//!
//! *From load buffers to TSO* ([`run`]). Let each store be committed when it happens here. Let a load
//! of a message from memory happen when the message came; a drained access when it happens; a fence as soon as all
//! stores before it are committed; and all else, loads of own messages and issuing stores too, right after what
//! comes before it in its thread. Messages are used in the order in which they came, so a thread
//! keeps its order. Memory changes at the same moments in both, so loads find the same values. When a
//! message from memory is used, own messages of its cell were deleted, so they had come before it and those
//! stores are committed; when an own message is used, what was loaded before had come before it, so the store
//! still waits.
//!
//! *The memory lock* keeps other threads from stores and messages here, as it does from commits and loads under
//! TSO. In the second direction all moments are such at which the thread commits, receives a message, makes a
//! drained access, or begins: nobody else holds the lock then, so loads from the own buffer, which the lock
//! forbids too, are possible. That is why fences are made early.
//!
//! # Stranded stores
//!
//! A thread that never gives the memory lock back keeps stores of the others in their buffers forever. For
//! states with empty buffers and for faults that does not matter, but in a deadlock such stores may wait, and
//! what their thread loaded after it had issued them may be why it is where it is. So where deadlocks are
//! looked for, and a thread can be stuck with the lock ([`deadlocks`]), a thread may decide at any
//! store that this one never reaches memory: it is *stranded*. All later ones are stranded too, since buffers
//! are queues, and the thread never drains its buffer again. Nobody else sees a stranded store, so it changes
//! no memory and is no message; its thread finds it before all messages, since messages come from memory, and
//! own ones are deleted only when their stores have reached it. In both directions above a stranded store is
//! made right after what comes before it in its thread, like a load of an own message, and what comes after it
//! is made as before.
//!
//! # Claims
//!
//! An exclusive load reserves its cell from its moment under TSO on, and that is past when the load is made here: its
//! message came then, or its thread still had a store of its own in the store buffer. So a thread may *claim* a cell: a
//! letter enters its load buffer, and from then on no other thread writes the cell until an exclusive store of the thread
//! has succeeded. The thread uses the letter right before an exclusive load of the cell, as it uses messages. An exclusive
//! store succeeds only with a claim that was used before the last exclusive load; it always may fail.
//!
//! *From TSO to load buffers.* Claims are made only for exclusive loads whose stores succeed: right before the message
//! comes that such a load uses, or, if it loads from the store buffer, at its moment. Nobody else writes the
//! cell before the exclusive store has succeeded, or it would not succeed. So a cell has one claim at a time, since a
//! second one would be ended by the store of the first; and a thread has one, since its store buffer is empty in between.
//! What the thread uses before the load came before the claim, and what it uses later came after it. An own message that the
//! load finds is newer than the claim, since its store still waits at that moment.
//!
//! *From load buffers to TSO.* A load that finds its own message is made when the claim began, and one that uses a message from
//! memory is made later. So what it reserves is not written by others until the exclusive store succeeds.
//!
//! A claim is a letter also in the order below. A larger configuration with one claim more may give it up: its exclusive load
//! is made without. So a search backward is kept from writes only by claims that it asks for.
//!
//! # A well-structured system
//!
//! Own messages of a cell other than the newest are never used, so a store deletes the older one. The order
//! that matters: *c ≤ d* if both are equal but for load buffers, which have the same own messages, and
//! those of *c* are what is left of those of *d* when some messages from memory are deleted. It is a well-quasi-order
//! (Higman), since there are finitely many local states, contents of memory and sequences of own messages.
//! The system is *monotone*: what *c* can do *d* can do after it has deleted what is in front of the
//! oldest message that *c* uses, and what it lacks in between it never misses. So what is above something that
//! leads to a target does so too, and a search backward over minimal configurations ends with all of them
//! (Abdulla, Čerāns, Jonsson, Tsay, LICS 1996; Finkel, Schnoebelen, TCS 2001).
//!
//! Where we deviate: threads and their own messages are automata that are explored forward first
//! ([`automaton`]), so only what a thread can do by itself is followed backward; of threads and cells that have not
//! mattered yet nothing is said ([`configuration`]); own messages are deleted only right before a thread needs
//! what comes after them, which may be put off; a cell with one writer holds what that one wrote last
//! ([`invariant`]).
//!
//! *Data without end.* A value that somebody computes from what a cell may hold may be a new value of that cell, and so
//! on for ever, although no run gets there (a counter of threads that are inside, incremented and decremented).
//! Then cells are *confined* to the first few values that are met. A write of another one leads nowhere, and whether
//! a run comes to such a write is asked as well: if none does, no cell ever holds another value.
//!
//! Accesses across cells are not known here.

mod automaton;
mod configuration;
mod deadlocks;
mod invariant;
mod run;
mod search;
mod targets;

use std::ops::ControlFlow;

use explore::{Limit, Lookout, Progress};
use program::index::Idx;
use program::{Parameterised, Program, ThreadId};
use semantics::{Computation, Machine, Model, State};
use web_time::Instant;

use crate::execution::RunBuilder;
use crate::proof::{Basis, Proof};
use crate::sc::{Look, Sc};
use crate::verdict::{Options, Reason, Statistics, Verdict, Watch};
use crate::whole::Whole;
use automaton::{Automata, TooMuch};
pub(crate) use configuration::Configuration;
use search::{Backward, Found};
pub(crate) use targets::Looking;

/// How many values cells are confined to where data has no end, one after the other.
const CONFINED: [Option<usize>; 3] = [None, Some(4), Some(16)];
/// So many configurations are met before somebody else is asked,
const FIRST: usize = 1 << 13;
/// and so many between two looks at the clock.
const AT_ONCE: usize = 1 << 10;

/// What is looked for.
pub(crate) struct Targets<'t> {
    /// All configurations of it; nothing if these are too many.
    pub(crate) of: &'t dyn Fn(&Looking<'_, '_, '_>) -> Option<Vec<Configuration>>,
    /// Whether there are deadlocks among them, in which stores may be stranded.
    pub(crate) deadlocks: bool,
}

/// A run under TSO, and the state it leads to.
pub(crate) type Reached = (Computation, State);

/// Somebody who searches forward: what was found, if anything was.
pub(crate) type Forward<'f> =
    dyn FnMut(&mut Watch<'_>) -> Result<Option<Reached>, Parameterised> + 'f;

/// What a search came to, and what it did.
pub(crate) type Answered = (Option<Verdict<Reached>>, Statistics);

/// Whether one of the targets can be reached, whatever the length of buffers; nothing if the program is not one
/// of those that can be asked about. A search backward and one forward take turns.
pub(crate) fn any_length<'p>(
    program: &'p Program,
    look: Look<'p>,
    targets: &Targets<'_>,
    options: &Options,
    (watch, forward): (&mut Watch<'_>, &mut Forward<'_>),
) -> Result<Answered, Parameterised> {
    let started = Instant::now();
    let mut statistics = Statistics::default();
    let sc = Sc::new(program, look)?;
    if program.access_across().is_some() {
        return Ok((None, statistics));
    }
    let mut asked =
        Asked { options, lookout: Lookout::new(&options.limits), watch, started, met: 0 };
    let mut verdict = None;
    let mut is_forward_asked = false;
    for confined in CONFINED {
        let automata = match automata(program, &sc, confined, targets, &mut asked.lookout) {
            Ok(automata) => automata,
            Err(TooMuch::Data) => continue,
            Err(TooMuch::Limit(limit)) => {
                verdict = Some(Verdict::Undecided(Reason::Limit(limit)));
                break;
            }
        };
        let looking = Looking { program, sc: &sc, automata: &automata };
        let Some(wanted) = (targets.of)(&looking) else { break };
        let mut search = Backward::new(&automata, wanted);
        let mut found = asked.search(&mut search, FIRST);
        if found == Ok(Found::NotYet) {
            if !is_forward_asked && let Some(reached) = forward(&mut *asked.watch)? {
                verdict = Some(Verdict::Violated(reached));
                break;
            }
            is_forward_asked = true;
            found = asked.search(&mut search, usize::MAX);
        }
        let (decided, is_confinement) = asked.verdict(program, &looking, found)?;
        if is_confinement && confined.is_some() {
            // Some run writes another value.
            continue;
        }
        verdict = Some(decided);
        break;
    }
    statistics.states = u64::try_from(asked.met).unwrap_or(u64::MAX);
    statistics.elapsed = started.elapsed();
    Ok((verdict, statistics))
}

/// The automata of a program, with stranded stores if they matter.
fn automata<'s, 'p>(
    program: &'p Program,
    sc: &'s Sc<'p>,
    confined: Option<usize>,
    targets: &Targets<'_>,
    lookout: &mut Lookout,
) -> Result<Automata<'s, 'p>, TooMuch> {
    let plain = Automata::of(sc, confined, false, lookout)?;
    let strands = targets.deadlocks
        && sc.has_locks()
        && Looking { program, sc, automata: &plain }.may_keep_lock();
    if strands { Automata::of(sc, confined, true, lookout) } else { Ok(plain) }
}

/// How far a search may go, and who is told.
struct Asked<'a, 'w> {
    options: &'a Options,
    lookout: Lookout,
    watch: &'a mut Watch<'w>,
    started: Instant,
    /// How many configurations were met.
    met: usize,
}

impl Asked<'_, '_> {
    /// Searches until something is found, or so many configurations were met.
    fn search(&mut self, search: &mut Backward<'_, '_, '_>, most: usize) -> Result<Found, Limit> {
        let states = self
            .options
            .limits
            .states
            .map_or(usize::MAX, |states| usize::try_from(states).unwrap_or(usize::MAX));
        let most = most.min(states);
        let before = self.met.saturating_sub(search.len());
        loop {
            let next = most.min(search.len().saturating_add(AT_ONCE));
            let found = search.go_on(next, &mut self.lookout)?;
            self.met = before + search.len();
            if found != Found::NotYet || next == most {
                return Ok(found);
            }
            let progress = Progress {
                tracing: false,
                states: u64::try_from(self.met).unwrap_or(u64::MAX),
                depth: 0,
                frontier: 0,
                bytes: 0,
                elapsed: self.started.elapsed(),
            };
            if (self.watch)(&progress) == ControlFlow::Break(()) {
                return Err(Limit::Cancelled);
            }
        }
    }

    /// What a search came to says, and whether it is only that a thread gets to a limit.
    fn verdict(
        &mut self,
        program: &Program,
        looking: &Looking<'_, '_, '_>,
        found: Result<Found, Limit>,
    ) -> Result<(Verdict<Reached>, bool), Parameterised> {
        let verdict = match found {
            Ok(Found::Run(steps, last)) => {
                let machine = Machine::new(program, Model::Tso)?;
                let mut run = RunBuilder::new(&machine);
                for taken in run::under_tso(looking.automata, &steps, &last) {
                    run.make(taken);
                }
                Verdict::Violated(run.finish())
            }
            Ok(Found::Nothing) => match self.reaches_limit(looking) {
                Ok(Some(stopped)) => return Ok((Verdict::Undecided(stopped), true)),
                Ok(None) => {
                    let proof = |whole| Verdict::Holds(Proof::new(Basis::AnyLength, whole));
                    Whole::by_exploration(None).map_or_else(Verdict::Undecided, proof)
                }
                Err(limit) => Verdict::Undecided(Reason::Limit(limit)),
            },
            Ok(Found::NotYet) => Verdict::Undecided(Reason::Limit(Limit::States)),
            Err(limit) => Verdict::Undecided(Reason::Limit(limit)),
        };
        Ok((verdict, false))
    }

    /// The limit of what was written or can be computed that a thread gets to, if one does.
    fn reaches_limit(&mut self, looking: &Looking<'_, '_, '_>) -> Result<Option<Reason>, Limit> {
        let targets = looking.limits();
        if targets.is_empty() {
            return Ok(None);
        }
        let mut search = Backward::new(looking.automata, targets);
        match self.search(&mut search, usize::MAX)? {
            Found::Nothing => Ok(None),
            Found::NotYet => Err(Limit::States),
            Found::Run(_, last) => {
                let mut threads = last.at.iter().enumerate();
                let stopped = threads.find_map(|(thread, at)| {
                    let automaton = &looking.automata.threads[thread];
                    let node = automaton.nodes.get_index(*at as usize)?;
                    let class = looking.sc.class_of(ThreadId::new(thread));
                    node.1.mark.noted.then(|| looking.sc.stopped_by(class, &node.0.0))
                });
                Ok(stopped.or(Some(Reason::Limit(Limit::States))))
            }
        }
    }
}
