//! Which orders and fences can be weaker, for people.

use std::fmt::Write;

use workspace::CyclesAnswer;
use workspace::cycles::{Audit, NoAudit};

use crate::cycles_text::{Teller, kind, number, what};
use crate::search_text::counted;
use crate::terminal;

/// Why nothing is known.
pub(crate) fn reason(why: &NoAudit) -> String {
    match why {
        NoAudit::Delays { arch, delays } => {
            let delays = counted(number(*delays), "delay");
            format!("as it is, the program has {delays} on {}; repair it first", arch.name())
        }
        NoAudit::Weak { arch } => {
            format!("as it is, an execution on {} is none of SC; repair it first", arch.name())
        }
        NoAudit::Open { arch, why } => format!("on {}: {why}", arch.name()),
        NoAudit::Unclear => "an order counts only together with several others".to_owned(),
        NoAudit::OutOfTime => "time is up".to_owned(),
    }
}

pub(crate) fn render(
    file: &str,
    teller: &Teller<'_>,
    answer: &CyclesAnswer,
    audit: &Result<Audit, NoAudit>,
    written: Option<&str>,
) -> String {
    let what = what(answer.reference);
    let audit = match audit {
        Ok(audit) => audit,
        Err(why) => {
            let (word, why) = (terminal::verdict("undecided"), reason(why));
            return format!("{file}: what is needed for {what}: {word}: {why}\n");
        }
    };
    let archs: Vec<&str> = audit.archs.iter().map(|arch| arch.name()).collect();
    let weaker = audit.orders.iter().filter(|order| order.is_weaker()).count();
    let gone = audit.fences.iter().filter(|fence| !fence.is_needed).count();
    let mut text = format!(
        "{file}: {what} {} on {} with {} of {} weaker and {} of {} gone ({})\n",
        terminal::verdict("holds"),
        archs.join(", "),
        weaker,
        counted(number(audit.orders.len()), "order"),
        gone,
        counted(number(audit.fences.len()), "fence"),
        if audit.executions.is_some() { "enumerated" } else { "static" },
    );
    if !audit.orders.is_empty() || !audit.fences.is_empty() {
        text.push('\n');
    }
    for order in &audit.orders {
        let place = teller.place(order.change.span, &order.function);
        let (has, needs) = (order.change.from, order.change.order);
        let _ = if order.is_weaker() {
            writeln!(text, "  {place}: {has}, {needs} is enough")
        } else {
            writeln!(text, "  {place}: {has} is needed")
        };
    }
    for fence in &audit.fences {
        let place = teller.place(fence.span, &fence.function);
        let verb = if fence.is_needed { "is needed" } else { "can go" };
        let _ = writeln!(text, "  {place}: the {} fence {verb}", kind(fence.kind));
    }
    if let Some(executions) = audit.executions {
        let executions = counted(executions, "candidate execution");
        let _ = writeln!(
            text,
            "\n  proven: with these changes every execution is one of SC ({executions}), and nothing more can be weaker or go"
        );
    }
    if let Some(written) = written {
        let _ = writeln!(text, "\n  {written}");
    }
    text
}
