//! What the static method found, as findings: delays on critical cycles, the orders and fences against them, and
//! what of those that are there is more than needed.

use cycles::answer::{Repair, ShownAccess, ShownDelay};
use events::Side;
use program::{Sources, Span};
use workspace::cycles::{Audit, NoAudit};
use workspace::{CyclesAnswer, Rule, Suppression};

use crate::findings::{Finding, Fix, Level, accepted, undecided};
use crate::{audit_text, cycles_text};

/// Everything worth showing.
pub(crate) fn of_cycles(sources: &Sources, answer: &CyclesAnswer) -> Vec<Finding> {
    match (&answer.audit, &answer.repair) {
        (Some(audit), _) => of_audit(sources, answer, audit),
        (None, Some(Ok(repair))) => of_repair(sources, answer, repair),
        // Without fences that are known, what they would be against.
        (None, None) => of_delays(sources, answer, Level::Warning),
        (None, Some(Err(_))) => of_delays(sources, answer, Level::Error),
    }
}

fn of_delays(sources: &Sources, answer: &CyclesAnswer, level: Level) -> Vec<Finding> {
    let arch = answer.arch.name();
    let found = answer.found.shown.iter().map(|delay| Finding {
        rule: Rule::CriticalCycle,
        level,
        message: format!(
            "on {arch} these accesses may be reordered, and they lie on a critical cycle"
        ),
        at: delay.cycle.first().map_or(Span::NONE, |visit| visit.first.span),
        related: around(Some(delay)),
        flow: Vec::new(),
        fix: None,
        accepted_by: accepted_pair(sources, delay),
    });
    found.collect()
}

/// The comments that accept a pair at one of its accesses.
fn accepted_pair(sources: &Sources, delay: &ShownDelay) -> Vec<Suppression> {
    let at = |access: &ShownAccess| accepted(sources, Rule::CriticalCycle, access.span);
    let first = at(&delay.first);
    if first.is_empty() { at(&delay.second) } else { first }
}

/// Each order and each fence; the first has the changes of all, since they belong together.
fn of_repair(sources: &Sources, answer: &CyclesAnswer, repair: &Repair) -> Vec<Finding> {
    let arch = answer.arch.name();
    // Fences that leave something are no repair.
    let texts = answer.texts.as_deref().filter(|_| repair.is_whole()).unwrap_or_default();
    let mut fix = Fix::new(sources, texts, repair.is_optimal);
    let mut finding = |rule, message, at, delay: Option<&ShownDelay>| {
        let (related, fix) = (around(delay), fix.take());
        let (level, flow, accepted_by) = (Level::Error, Vec::new(), accepted(sources, rule, at));
        Finding { rule, level, message, at, related, flow, fix, accepted_by }
    };
    let mut found = Vec::new();
    for order in &repair.orders {
        let failing =
            order.failing.map_or_else(String::new, |order| format!(" (if it fails, {order})"));
        let (from, to) = (order.from, order.to);
        let message = format!("on {arch} this access must be {to}{failing}, not {from}");
        found.push(finding(Rule::WeakOrder, message, order.span, order.breaks.first()));
    }
    for fence in &repair.fences {
        let side = match fence.side {
            Side::Before => "before",
            Side::After => "after",
        };
        let fence_of_kind = cycles_text::a_fence(fence.kind);
        let message = format!("on {arch} {fence_of_kind} is missing {side} this");
        found.push(finding(Rule::MissingFence, message, fence.span, fence.breaks.first()));
    }
    for pair in repair.left.iter().flat_map(|left| &left.pairs) {
        let message =
            format!("on {arch} these accesses may be reordered, and no fence can order them");
        let related = at(&pair.second, String::new()).into_iter().collect();
        let rule = Rule::CriticalCycle;
        found.push(Finding { rule, related, ..undecided(message, pair.first.span) });
    }
    found
}

fn of_audit(
    sources: &Sources,
    answer: &CyclesAnswer,
    audit: &Result<Audit, NoAudit>,
) -> Vec<Finding> {
    let audit = match audit {
        Ok(audit) => audit,
        Err(why) => return vec![undecided(audit_text::reason(why), Span::NONE)],
    };
    let archs: Vec<&str> = audit.archs.iter().map(|arch| arch.name()).collect();
    let archs = archs.join(", ");
    let weaker = audit.orders.iter().filter(|order| order.is_weaker()).map(|order| {
        let (has, needs) = (order.change.from, order.change.order);
        (order.change.span, format!("on {archs} this access can be {needs} instead of {has}"))
    });
    let gone = audit.fences.iter().filter(|fence| !fence.is_needed).map(|fence| {
        let kind = cycles_text::kind(fence.kind);
        (fence.span, format!("on {archs} this {kind} fence is not needed"))
    });
    let mut fix = Fix::new(sources, answer.texts.as_deref().unwrap_or_default(), false);
    let found = weaker.chain(gone).map(|(span, message)| Finding {
        rule: Rule::MoreThanNeeded,
        level: Level::Note,
        fix: fix.take(),
        accepted_by: accepted(sources, Rule::MoreThanNeeded, span),
        ..undecided(message, span)
    });
    found.collect()
}

/// The accesses of a delay's cycle that stand in a text.
fn around(delay: Option<&ShownDelay>) -> Vec<(Span, String)> {
    let visits = delay.into_iter().flat_map(|delay| &delay.cycle);
    let accesses = visits.flat_map(|visit| {
        let thread = format!("{}: ", visit.thread);
        let first = at(&visit.first, thread.clone());
        first.into_iter().chain(visit.second.as_ref().and_then(|second| at(second, thread)))
    });
    accesses.collect()
}

fn at(access: &ShownAccess, lead: String) -> Option<(Span, String)> {
    access.span.source.is_some().then(|| (access.span, lead + &cycles_text::memory(access)))
}
