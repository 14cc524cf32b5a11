//! A port from x86, in the words of somebody who ports: which accesses x86 was keeping in order, which pairs of
//! lines rely on it, and what to change.

use std::collections::BTreeSet;
use std::fmt::Write;

use axiomatic::Does;
use cycles::answer::{Repair, ShownDelay};
use cycles::{Direction, OutOfTime};
use program::{EdgeId, Sources, Span};
use workspace::CyclesAnswer;
use workspace::cycles::{Confirmed, Judgement, Proof};

use crate::confirmed_text;
use crate::cycles_text::{Teller, decided, number};
use crate::search_text::counted;
use crate::terminal;

/// How many pairs are told.
const MOST: usize = 30;

/// An answer about one input. `written` says where the ported program went.
pub fn render(
    file: &str,
    sources: &Sources,
    answer: &CyclesAnswer,
    written: Option<&str>,
) -> String {
    let teller = Teller { sources };
    let (file, arch) = (terminal::line(file), answer.arch.name());
    let mut text = format!("{file}: {}\n", headline(answer, arch));
    match &answer.confirmed {
        _ if answer.found.is_robust() => {}
        Some(confirmed) if confirmed.doubt.is_none() => shown(&mut text, confirmed, arch),
        Some(_) | None => relied_on(&mut text, &teller, answer, arch),
    }
    if let Some(confirmed) = &answer.confirmed {
        let _ = writeln!(text, "\n  {}", confirmed_text::counts(confirmed));
        if let Some(doubt) = &confirmed.doubt {
            let _ = writeln!(text, "  not all executions are known: {doubt}");
        }
    }
    if let Some(Ok(repair)) = &answer.repair {
        if !repair.orders.is_empty() || !repair.fences.is_empty() {
            let _ = writeln!(text, "\n  to keep that on {arch}:");
            changes(&mut text, &teller, repair);
        }
        teller.left(&mut text, repair);
    }
    match &answer.proof {
        Some(Proof::Enumerated { executions, .. }) => {
            let looked_at = counted(*executions, "candidate execution");
            let _ = writeln!(
                text,
                "\n  proven: every execution of the ported program on {arch} is one of x86 ({looked_at})"
            );
        }
        Some(Proof::Open(why)) => {
            let _ = writeln!(text, "\n  not all executions of the ported program are known: {why}");
        }
        None => {}
    }
    if let Some(written) = written {
        let _ = writeln!(text, "\n  {written}");
    }
    let found = &answer.found;
    let _ = writeln!(
        text,
        "\n  static: {} in {}",
        counted(number(found.events), "shared access").replace("accesss", "accesses"),
        counted(number(found.threads), "kind") + " of threads",
    );
    text
}

fn headline(answer: &CyclesAnswer, arch: &str) -> String {
    let method = match &answer.proof {
        Some(Proof::Enumerated { is_needed: true, .. }) => "enumerated",
        Some(Proof::Enumerated { is_needed: false, .. }) => "static, enumerated",
        Some(Proof::Open(_)) | None => "static",
    };
    let ported = |repair: &Repair| {
        let change = decided(repair);
        if repair.is_whole() {
            let word = terminal::verdict("repaired");
            format!("ported to {arch}, {word}: {change}, and it behaves as on x86 ({method})")
        } else {
            let word = terminal::verdict("undecided");
            let left = counted(number(repair.left.len()), "pair");
            format!(
                "ported to {arch}, {word}: {change}, and {left} of accesses that nothing orders"
            )
        }
    };
    match &answer.repair {
        _ if answer.found.is_robust() => {
            let word = terminal::verdict("holds");
            format!("ready for {arch}, {word}: nothing relies on the order that x86 keeps (static)")
        }
        Some(Ok(repair))
            if repair.orders.is_empty() && repair.fences.is_empty() && repair.is_whole() =>
        {
            let word = terminal::verdict("holds");
            format!(
                "ready for {arch}, {word}: no execution relies on the order that x86 keeps ({method})"
            )
        }
        Some(Ok(repair)) => ported(repair),
        Some(Err(OutOfTime)) | None => {
            format!("port to {arch} {}: time is up", terminal::verdict("undecided"))
        }
    }
}

/// What x86 was ordering, each pair of places once.
fn relied_on(text: &mut String, teller: &Teller<'_>, answer: &CyclesAnswer, arch: &str) {
    let pairs = counted(number(answer.found.delays), "pair");
    let _ = writeln!(text, "\n  x86 keeps {pairs} of accesses in order that {arch} may not:");
    let of = |delay: &ShownDelay| relation(delay.first.direction, delay.second.direction);
    let mut seen: BTreeSet<(Option<Span>, Option<Span>, &str)> = BTreeSet::new();
    let mut told = 0;
    for delay in &answer.found.shown {
        let key = (Some(delay.first.span), Some(delay.second.span), of(delay));
        if told < MOST && seen.insert(key) {
            told += 1;
            let (first, second) = (teller.access(&delay.first), teller.access(&delay.second));
            let _ = writeln!(text, "    {first} before {second} ({})", of(delay));
        }
    }
    let hidden = answer.found.delays.saturating_sub(answer.found.shown.len());
    if hidden > 0 {
        let _ = writeln!(text, "    and {}", counted(number(hidden), "more pair"));
    }
}

/// The pairs that some execution reorders, each pair of places once.
fn shown(text: &mut String, confirmed: &Confirmed, arch: &str) {
    let teller = Teller { sources: &confirmed.sources };
    let mut lines: Vec<String> = Vec::new();
    for pair in &confirmed.pairs {
        let template = confirmed.program.template(pair.template);
        let place = |(edge, _): (EdgeId, Does)| {
            teller.place(template.edge(edge).span, &terminal::line(template.name()))
        };
        let direction = |(_, does): (EdgeId, Does)| match does {
            Does::Reads => Direction::Read,
            Does::Writes => Direction::Write,
        };
        let (first, second) = (place(pair.first), place(pair.second));
        let relation = relation(direction(pair.first), direction(pair.second));
        let line = format!("    {first} before {second} ({relation})");
        match pair.judgement {
            Judgement::Confirmed(_) if !lines.contains(&line) => lines.push(line),
            Judgement::Confirmed(_) | Judgement::Refuted | Judgement::Undecided => {}
        }
    }
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n  x86 keeps these in order, and an execution on {arch} does not:");
    for line in lines.iter().take(MOST) {
        let _ = writeln!(text, "{line}");
    }
    if lines.len() > MOST {
        let _ = writeln!(text, "    and {}", counted(number(lines.len() - MOST), "more pair"));
    }
}

/// What kind of pair it is.
const fn relation(first: Direction, second: Direction) -> &'static str {
    match (first, second) {
        (Direction::Read, Direction::Read) => "load-load",
        (Direction::Read, Direction::Write) => "load-store",
        (Direction::Write, Direction::Write) => "store-store",
        // A locked instruction is a full barrier on x86.
        (Direction::Write, Direction::Read) => "store-load, by a locked instruction",
    }
}

fn changes(text: &mut String, teller: &Teller<'_>, repair: &Repair) {
    for order in &repair.orders {
        let place = teller.place(order.span, &order.function);
        let _ = writeln!(text, "    {place}: {} → {}", order.from, order.to);
    }
    for fence in &repair.fences {
        let side = match fence.side {
            events::Side::Before => "before",
            events::Side::After => "after",
        };
        let place = teller.place(fence.span, "a function");
        let kind = crate::cycles_text::a_fence(fence.kind);
        let _ = writeln!(text, "    {kind} {side} {place}");
    }
}
