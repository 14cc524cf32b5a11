//! Critical cycles for people: what may be reordered, the walk through the threads that makes it visible,
//! and the fences that prevent it.

use std::collections::BTreeMap;
use std::fmt::Write;

use cycles::answer::{Repair, ShownAccess, ShownDelay, ShownLeft, ShownVisit};
use cycles::{Communication, Direction, NoFence, OutOfTime, Policy, Reference, Strength};
use events::Side;
use program::{FenceKind, Sources, Span};
use workspace::CyclesAnswer;
use workspace::cycles::Confirmed;

use crate::audit_text;
use crate::confirmed_text;
use crate::fence::excerpt;
use crate::next_step;
use crate::search_text::counted;
use crate::suppressed;
use crate::table::align;
use crate::terminal;

/// An answer about one input. `written` says where the repaired program went.
pub fn render(
    file: &str,
    sources: &Sources,
    answer: &CyclesAnswer,
    written: Option<&str>,
) -> String {
    let teller = Teller { sources };
    let file = terminal::line(file);
    if let Some(audit) = &answer.audit {
        return audit_text::render(&file, &teller, answer, audit, written);
    }
    let mut text = format!("{file}: {}\n", headline(answer));
    match &answer.repair {
        Some(Ok(repair)) => {
            teller.fences(&mut text, repair);
            teller.left(&mut text, repair);
        }
        Some(Err(OutOfTime)) | None => teller.delays(&mut text, answer),
    }
    if let Some(confirmed) = &answer.confirmed {
        text.push_str(&confirmed_text::render(confirmed));
    }
    if let Some((cycles, is_complete)) = &answer.cycles {
        let more = if *is_complete { "" } else { ", and there are more" };
        let count = counted(number(cycles.len()), "critical cycle");
        let _ = writeln!(text, "\n  {count} with a delay{more}");
        for cycle in cycles {
            text.push('\n');
            teller.walk(&mut text, cycle);
        }
    }
    if !answer.policies.is_empty() {
        policies(&mut text, answer);
    }
    if let Some(written) = written {
        let _ = writeln!(text, "\n  {written}");
    }
    text.push('\n');
    text.push_str(&suppressed::lines(sources, answer.accepted.as_ref()));
    text.push_str(&next_step::after_delays(answer));
    text.push_str(&figures(answer));
    let found = &answer.found;
    if !found.is_exact {
        text.push_str(
            "  there are too many threads or addresses to follow each cycle: some delays may be on none\n",
        );
    }
    text
}

/// How large everything was, and how long it took if anybody had to wait.
fn figures(answer: &CyclesAnswer) -> String {
    let found = &answer.found;
    let mut text = format!(
        "  static: {}, {} in {}, {}",
        counted(number(answer.figures.lines), "line") + " of code",
        counted(number(found.events), "shared access").replace("accesss", "accesses"),
        counted(number(found.threads), "kind") + " of threads",
        counted(number(found.delays), "delay"),
    );
    if let Some(Ok(repair)) = &answer.repair
        && repair.rows > 0
    {
        let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
        for fence in &repair.fences {
            *kinds.entry(kind(fence.kind)).or_default() += 1;
        }
        let kinds: Vec<String> =
            kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let rows = counted(number(repair.rows), "row");
        let _ = write!(text, ", {rows} of constraints; fences: {}", kinds.join(", "));
    }
    let seconds = answer.figures.elapsed.as_secs_f64();
    if seconds >= 1.0 {
        let _ = write!(text, "; {seconds:.1} s");
    }
    text.push('\n');
    text
}

pub(crate) fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The verdict in a word.
pub(crate) fn word(answer: &CyclesAnswer) -> &'static str {
    match &answer.repair {
        _ if answer.found.is_robust() => "holds",
        None if answer.confirmed.as_ref().is_some_and(Confirmed::is_robust) => "holds",
        None if answer.confirmed.as_ref().is_some_and(|it| it.weak.is_some()) => "violated",
        Some(Ok(repair)) if repair.is_whole() => "repaired",
        None | Some(Ok(_) | Err(OutOfTime)) => "undecided",
    }
}

/// Why.
pub(crate) fn summary(answer: &CyclesAnswer) -> String {
    let found = &answer.found;
    if found.is_robust() {
        return "no critical cycle has a delay".to_owned();
    }
    let delays = if found.delays > 0 {
        counted(number(found.delays), "delay")
    } else {
        "a chain of accesses without a full fence".to_owned()
    };
    match &answer.repair {
        None => match &answer.confirmed {
            Some(confirmed) => {
                format!("{delays} on critical cycles; {}", confirmed_text::counts(confirmed))
            }
            None => format!("{delays} on critical cycles"),
        },
        Some(Ok(repair)) => {
            let fences = decided(repair);
            let sure = match (repair.is_optimal, repair.is_whole()) {
                (true, true) => "nothing cheaper stops all delays",
                (true, false) => "nothing cheaper stops the others",
                (false, _) => "perhaps not the cheapest",
            };
            let cost = format!("{fences}, cost {} ({sure})", repair.cost);
            match repair.left.len() {
                0 => cost,
                left => {
                    let left = counted(number(left), "pair");
                    format!("no fence can order {left} of accesses; {cost}")
                }
            }
        }
        Some(Err(OutOfTime)) => format!("time is up, {delays} to stop"),
    }
}

/// How much was decided.
pub(crate) fn decided(repair: &Repair) -> String {
    let fences = counted(number(repair.fences.len()), "fence");
    match (repair.fences.len(), repair.orders.len()) {
        (_, 0) => fences,
        (0, orders) => counted(number(orders), "order"),
        (_, orders) => format!("{} and {fences}", counted(number(orders), "order")),
    }
}

/// What it is that holds.
pub(crate) const fn what(reference: Reference) -> &'static str {
    match reference {
        Reference::Sc => "robustness",
        Reference::Tso => "what x86 guarantees",
    }
}

fn headline(answer: &CyclesAnswer) -> String {
    let what = what(answer.reference);
    let (word, arch, why) = (terminal::verdict(word(answer)), answer.arch.name(), summary(answer));
    if answer.found.is_robust() {
        return format!("{what} {word} on {arch}: {why} (static)");
    }
    let method = if answer.confirmed.is_some() { "static, enumerated" } else { "static" };
    format!("{what} {word} on {arch} ({method}): {why}")
}

/// A fence of a kind, with its article.
pub(crate) fn a_fence(of: FenceKind) -> String {
    let kind = kind(of);
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind} fence")
}

/// What a kind of fence is called.
pub(crate) const fn kind(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Full => "full",
        FenceKind::Lightweight => "lightweight",
        FenceKind::StoreStore => "store-store",
        FenceKind::LoadLoad => "load-load",
        FenceKind::LoadStore => "load-store",
        FenceKind::StoreLoad => "store-load",
        FenceKind::Acquire => "acquire",
        FenceKind::Release => "release",
        FenceKind::Control => "control",
    }
}

/// How a cycle goes on, in the field's words.
pub(crate) const fn communication(kind: Communication) -> &'static str {
    match kind {
        Communication::ReadFrom => "rf",
        Communication::Coherence => "co",
        Communication::FromRead => "fr",
    }
}

/// What an access may hit.
pub(crate) fn memory(access: &ShownAccess) -> String {
    const MOST: usize = 3;
    match &access.memory {
        None => "any shared memory".to_owned(),
        Some(names) if names.len() > MOST => {
            format!("{} … ({} places)", names[..MOST].join("|"), names.len())
        }
        Some(names) => names.join("|"),
    }
}

pub(crate) const fn letter(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "R",
        Direction::Write => "W",
    }
}

pub(crate) struct Teller<'a> {
    pub(crate) sources: &'a Sources,
}

impl Teller<'_> {
    /// Where something is, and its text.
    pub(crate) fn place(&self, span: Span, function: &str) -> String {
        let Some(source) = span.source else { return format!("in {function}") };
        let (line, _) = self.sources.line_column(source, span.start);
        let text = excerpt(self.sources, span);
        // Where there is one text, everybody knows which.
        if self.sources.names().nth(1).is_none() {
            return format!("`{text}` (line {line})");
        }
        let name = terminal::line(self.sources.name(source));
        format!("`{text}` ({name}:{line})")
    }

    pub(crate) fn access(&self, access: &ShownAccess) -> String {
        let place = self.place(access.span, &access.function);
        format!("{} {} {place}", letter(access.direction), memory(access))
    }

    fn delays(&self, text: &mut String, answer: &CyclesAnswer) {
        for delay in &answer.found.shown {
            text.push('\n');
            self.delay(text, delay);
        }
        let hidden = answer.found.delays.saturating_sub(answer.found.shown.len());
        if hidden > 0 {
            let _ = writeln!(text, "\n  and {}", counted(number(hidden), "more delay"));
        }
        for stretch in &answer.found.stretches {
            text.push_str("\n  a full fence is needed in one of these:\n");
            for link in stretch {
                let _ = writeln!(
                    text,
                    "    {}: {} before {}",
                    link.thread,
                    self.access(&link.first),
                    self.access(&link.second)
                );
            }
        }
    }

    fn delay(&self, text: &mut String, delay: &ShownDelay) {
        let _ = writeln!(text, "  {}: {}", delay.thread, self.access(&delay.first));
        let _ = writeln!(text, "    may be overtaken by {}", self.access(&delay.second));
        match delay.needs {
            Strength::Light => text.push_str("    a lightweight fence orders them\n"),
            Strength::Preserved => text.push_str("    a dependency or any fence orders them\n"),
            Strength::None | Strength::Full => {}
        }
        self.walk(text, &delay.cycle);
    }

    /// A cycle, thread by thread.
    fn walk(&self, text: &mut String, cycle: &[ShownVisit]) {
        for (number, visit) in cycle.iter().enumerate() {
            let lead = if number == 0 { "cycle:" } else { "" };
            let second = visit.second.as_ref().map(|access| format!(" → {}", self.access(access)));
            let _ = writeln!(
                text,
                "    {lead:6} {}: {}{}, {} →",
                visit.thread,
                self.access(&visit.first),
                second.unwrap_or_default(),
                communication(visit.then)
            );
        }
    }

    pub(crate) fn fences(&self, text: &mut String, repair: &Repair) {
        for order in &repair.orders {
            let place = self.place(order.span, &order.function);
            let failing = order
                .failing
                .map_or_else(String::new, |failing| format!(" (if it fails, {failing})"));
            let _ = writeln!(
                text,
                "\n  {place}: {} becomes {}{failing}, cost {}",
                order.from, order.to, order.cost
            );
            if let Some(delay) = order.breaks.first() {
                let _ = writeln!(text, "    without it, in {}:", delay.thread);
                self.walk(text, &delay.cycle);
            }
        }
        for fence in &repair.fences {
            let side = match fence.side {
                Side::Before => "before",
                Side::After => "after",
            };
            let place = self.place(fence.span, "a function");
            let _ = writeln!(
                text,
                "\n  {} fence {side} {place}, cost {}",
                kind(fence.kind),
                fence.cost
            );
            if let Some(delay) = fence.breaks.first() {
                let _ = writeln!(text, "    without it, in {}:", delay.thread);
                self.walk(text, &delay.cycle);
            }
        }
    }
}

/// How many pairs that no fence can order are told.
const MOST_LEFT: usize = 20;

impl Teller<'_> {
    /// What no fence can order, and what to do about it.
    pub(crate) fn left(&self, text: &mut String, repair: &Repair) {
        let advice = |why: NoFence| match why {
            NoFence::NoPlace => {
                "no fence fits between these accesses: write them as two statements, or as atomic \
                 accesses of a stronger order"
            }
            NoFence::NoKind => {
                "no kind of fence that is allowed orders these accesses: `--kinds` allows more"
            }
        };
        for why in [NoFence::NoPlace, NoFence::NoKind] {
            let left: Vec<&ShownLeft> = repair.left.iter().filter(|left| left.why == why).collect();
            if left.is_empty() {
                continue;
            }
            let _ = writeln!(text, "\n  {}", advice(why));
            for left in left.iter().take(MOST_LEFT) {
                if left.pairs.len() > 1 {
                    text.push_str("    in one of these:\n");
                }
                for pair in &left.pairs {
                    let (first, second) = (self.access(&pair.first), self.access(&pair.second));
                    let _ = writeln!(text, "    {}: {first} before {second}", pair.thread);
                    self.walk(text, &pair.cycle);
                }
            }
            let hidden = left.len().saturating_sub(MOST_LEFT);
            if hidden > 0 {
                let more = counted(number(hidden), "more pair");
                let _ = writeln!(text, "    and {more}; `--format json` lists all");
            }
        }
    }
}

/// What older policies put in.
fn policies(text: &mut String, answer: &CyclesAnswer) {
    let mut rows = vec![["policy", "fences", "cost", ""].map(str::to_owned).to_vec()];
    if let Some(Ok(repair)) = &answer.repair {
        let counts = (repair.fences.len().to_string(), repair.cost.to_string());
        rows.push(vec!["critical cycles".to_owned(), counts.0, counts.1, String::new()]);
    }
    for policy in &answer.policies {
        let mut remark = String::new();
        if policy.policy == Policy::VisualStudio {
            remark.push_str("does not make a program SC");
        }
        if policy.without_place > 0 {
            let _ = write!(remark, " ({} accesses have no place for theirs)", policy.without_place);
        }
        rows.push(vec![
            policy.policy.name().to_owned(),
            policy.fences.to_string(),
            policy.cost.to_string(),
            remark.trim().to_owned(),
        ]);
    }
    let _ = write!(text, "\n{}", align(&rows, 2));
}
