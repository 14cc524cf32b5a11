//! Repairs of closed programs that order only what executions need.
//!
//! The static analysis knows no values, so it orders pairs that no execution reorders. Where all executions of the
//! closed program are known ([`super::confirmed`]), pairs that lie on no cycle of any of them need nothing: a stronger
//! order and a fence only take executions away, so a violation of the repaired program is one of the program, and all
//! pairs on its cycle are among those that were confirmed. So the cheapest orders and fences are looked for that order
//! the confirmed pairs alone.
//!
//! That is how a repair is found, and not why it is right: pairs are recognised by the texts they stand for, and chains
//! that need a full fence on Power (`cycles::stretch`) are left out at first. Right it is because all executions
//! of the repaired program, read again, are enumerated and compared with the reference. If one is left, chains are
//! fenced too, and in the end all static delays are ordered.

use std::ops::ControlFlow;
use std::time::Instant;

use axiomatic::{Does, Limits, Looking, Respected, reordered};
use cycles::answer::Repair;
use cycles::{Direction, Event, OutOfTime};
use program::{Diagnostics, Program, SourceId, Sources, Span};

use super::Cycles;
use super::confirmed::{Confirmed, Judgement, MOST_EXECUTIONS, compared, model};

/// What the enumerator says of a repaired program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// All its executions on the machine are ones of the reference.
    Enumerated {
        /// The candidate executions that were looked at.
        executions: u64,
        /// Whether only that says so: the static analysis would change more.
        is_needed: bool,
    },
    /// It does not know, for this reason.
    Open(String),
}

/// An execution is left that the reference does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weak;

/// Texts that change.
pub(super) type Texts = Vec<(SourceId, String)>;

/// A repair that the enumerator has proven.
pub(super) struct Refined {
    pub(super) repair: Repair,
    pub(super) texts: Texts,
    pub(super) proof: Proof,
}

/// Finds a repair for given pairs, and chains if they are asked for.
pub(super) type Repairing<'a> =
    dyn Fn(&dyn Fn(&Event, &Event) -> bool, bool) -> Result<Repair, OutOfTime> + 'a;

/// The texts of a repair and the closed program that they make, if they can be written.
pub(super) type Rereading<'a> =
    dyn Fn(&Repair) -> Result<Option<(Texts, Program)>, Diagnostics> + 'a;

/// A repair for the confirmed delays, if there is one that the enumerator proves.
pub(super) fn refined(
    confirmed: &Confirmed,
    (question, respected): (&Cycles, Respected),
    sources: &Sources,
    repairing: &Repairing<'_>,
    rereading: &Rereading<'_>,
) -> Result<Option<Refined>, Diagnostics> {
    if confirmed.doubt.is_some() {
        return Ok(None);
    }
    let needed = Needed::new(confirmed, sources);
    let chains: &[bool] =
        if question.arch.is_multi_copy_atomic() { &[false] } else { &[false, true] };
    for chains in chains {
        let is_needed = |first: &Event, second: &Event| needed.contains(first, second);
        let Ok(repair) = repairing(&is_needed, *chains) else { return Ok(None) };
        if !repair.is_whole() {
            return Ok(None);
        }
        let Some((texts, program)) = rereading(&repair)? else { return Ok(None) };
        match proven(&program, question, respected) {
            Ok(Proof::Enumerated { executions, .. }) => {
                let proof = Proof::Enumerated { executions, is_needed: true };
                return Ok(Some(Refined { repair, texts, proof }));
            }
            Ok(Proof::Open(_)) => return Ok(None),
            Err(Weak) => {}
        }
    }
    Ok(None)
}

/// Enumerates the executions of a repaired program.
pub(super) fn proven(
    program: &Program,
    question: &Cycles,
    respected: Respected,
) -> Result<Proof, Weak> {
    let limits = Limits { max_executions: MOST_EXECUTIONS, ..Limits::default() };
    let mut go_on = || match question.deadline {
        Some(deadline) if Instant::now() >= deadline => ControlFlow::Break(()),
        Some(_) | None => ControlFlow::Continue(()),
    };
    let (machine, compared) = (model(question.arch), compared(question.reference));
    let looking = Looking { machine, compared, respected };
    match reordered(program, looking, &[], &limits, &mut go_on) {
        Err(why) => Ok(Proof::Open(why.to_string())),
        Ok(found) if found.weak.is_some() => Err(Weak),
        Ok(found) => Ok(match found.bound {
            Some(bound) => Proof::Open(bound.to_string()),
            None => Proof::Enumerated { executions: found.candidates, is_needed: false },
        }),
    }
}

/// An access in a text: the name of the text, from where to where, and what it does.
type Access = (String, u32, u32, Does);

/// The confirmed pairs, by their texts.
struct Needed<'s> {
    pairs: Vec<(Access, Access)>,
    sources: &'s Sources,
}

impl<'s> Needed<'s> {
    fn new(confirmed: &Confirmed, sources: &'s Sources) -> Self {
        let mut pairs = Vec::new();
        for pair in &confirmed.pairs {
            let is_needed = match pair.judgement {
                Judgement::Confirmed(_) | Judgement::Undecided => true,
                Judgement::Refuted => false,
            };
            let access = |(edge, does)| {
                let span = confirmed.program.template(pair.template).edge(edge).span;
                in_text(&confirmed.sources, span, does)
            };
            if let (true, Some(first), Some(second)) =
                (is_needed, access(pair.first), access(pair.second))
                && !pairs.contains(&(first.clone(), second.clone()))
            {
                pairs.push((first, second));
            }
        }
        Self { pairs, sources }
    }

    /// Whether a pair of the graph stands where a confirmed one does. In libraries, whose texts nobody changes, none does.
    fn contains(&self, first: &Event, second: &Event) -> bool {
        let access = |event: &Event| {
            let does = match event.direction {
                Direction::Read => Does::Reads,
                Direction::Write => Does::Writes,
            };
            in_text(self.sources, event.span, does)
        };
        let (Some(first), Some(second)) = (access(first), access(second)) else { return false };
        self.pairs.iter().any(|(one, other)| is_there(one, &first) && is_there(other, &second))
    }
}

fn in_text(sources: &Sources, span: Span, does: Does) -> Option<Access> {
    Some((sources.name(span.source?).to_owned(), span.start, span.end, does))
}

/// Whether two accesses do the same in texts that overlap.
fn is_there(one: &Access, other: &Access) -> bool {
    (&one.0, one.3) == (&other.0, other.3) && one.1 < other.2.max(other.1 + 1) && other.1 < one.2.max(one.1 + 1)
}
