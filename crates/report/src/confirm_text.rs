//! What the machine showed, for people: how often what was looked for was seen, then all that was.

use std::fmt::Write;

use confirm::{Counted, Judged, Possible, ProcessEnd};
use program::Sources;

use crate::confirm::{Answer, Verdict};
use crate::search_text::counted;
use crate::table::align;
use crate::terminal::line;

/// An answer about one input.
pub fn render(file: &str, sources: &Sources, answer: &Answer<'_>) -> String {
    let file = line(file);
    let runs = counted(answer.seen.runs, "run");
    let mut text = match answer.verdict() {
        Verdict::Impossible => format!(
            "{file}: impossible, and yet seen in {runs} on this machine\n  this is a bug in \
             Fencewright or in the machine, please report it with the program\n"
        ),
        Verdict::Seen(often) => {
            let times = counted(often, "time");
            let what = answer.violation();
            format!("{file}: seen {times} in {runs} on this machine: {what}\n")
        }
        Verdict::NotSeen => format!(
            "{file}: not seen in {runs} on this machine, though TSO has it; that proves nothing\n"
        ),
        Verdict::Nothing => {
            format!("{file}: nothing to see, and nothing seen, in {runs} on this machine\n")
        }
        Verdict::Undecided => {
            format!("{file}: undecided: not all that TSO and SC have is known, after {runs}\n")
        }
    };
    text.push('\n');
    text.push_str(&align(&rows(sources, answer), 2));
    text.push('\n');
    text.push_str(&legend(answer));
    if let Some(possible) = answer.judgement.possible {
        let states = counted(u64::try_from(possible).unwrap_or(u64::MAX), "final state");
        let seen = answer.different();
        let weak = match answer.judgement.weak {
            Some(0) => ", all of them under SC too".to_owned(),
            Some(weak) => format!(", {weak} not under SC"),
            None => String::new(),
        };
        let _ = writeln!(text, "  TSO has {states}{weak}; {seen} seen");
    }
    let seconds = answer.seen.elapsed.as_secs_f64();
    let processors = answer.seen.processors;
    let _ = writeln!(text, "  the machine ran {runs} on {processors} processors in {seconds:.2} s");
    text
}

fn rows(sources: &Sources, answer: &Answer<'_>) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let counts = answer.states.iter().map(|(_, count, _)| *count);
    let counts = counts.chain(answer.faults.iter().map(|(.., count, _)| *count));
    let width = counts.max().unwrap_or(0).to_string().len();
    let often = |count: u64| format!("{count:>width$}");
    for (values, count, judged) in &answer.states {
        let state: Vec<String> = answer
            .shown
            .iter()
            .zip(values)
            .map(|(seen, value)| {
                format!("{}={};", answer.words.observable(*seen), answer.words.value(*seen, *value))
            })
            .collect();
        rows.push(vec![mark(*judged).to_owned(), often(*count), state.join(" ")]);
    }
    for (span, thread, count, judged) in &answer.faults {
        let at = Answer::line(sources, *span).map_or_else(String::new, |at| format!(", line {at}"));
        let what = format!("error in {thread}{at}");
        rows.push(vec![mark(*judged).to_owned(), often(*count), what]);
    }
    let others = [
        (answer.stuck, "a thread waits forever, or for too long"),
        (answer.limited, "a value or an address that the model has a limit for"),
        (answer.seen.uncounted, "yet other ways to end, too many to tell apart"),
    ];
    for (count, what) in others {
        if count > 0 {
            rows.push(vec![String::new(), often(count), format!("({what})")]);
        }
    }
    rows
}

const fn mark(judged: Judged) -> &'static str {
    match judged.possible {
        Possible::NotExplored | Possible::NotRobust => "!",
        Possible::Unknown => "?",
        Possible::Yes => match judged.under_sc {
            Some(false) => "*",
            Some(true) | None if judged.is_wrong => "✗",
            Some(true) => "",
            None => "?",
        },
    }
}

fn legend(answer: &Answer<'_>) -> String {
    let of_states = answer.states.iter().map(|(_, _, judged)| mark(*judged));
    let marks: Vec<&str> =
        of_states.chain(answer.faults.iter().map(|(.., judged)| mark(*judged))).collect();
    let all = [
        ("!", "! Fencewright says that this cannot be"),
        ("*", "* not under SC"),
        ("✗", "✗ wrong, under SC too"),
        ("?", "? whether TSO or SC has this is not known"),
    ];
    let told = all.iter().filter(|(mark, _)| marks.contains(mark));
    told.fold(String::new(), |text, (_, line)| text + "  " + line + "\n")
}

/// How runs of a compiled program ended.
pub fn as_compiled(file: &str, counted: &Counted) -> String {
    let (file, runs) = (line(file), self::counted(counted.runs, "run"));
    let mut text = match counted.failed() {
        0 => format!("{file}: did not fail in {runs} as compiled; that proves nothing\n\n"),
        failed => {
            let times = self::counted(failed, "time");
            format!("{file}: failed {times} in {runs} as compiled, on this machine\n\n")
        }
    };
    let width = counted.ends.values().max().unwrap_or(&0).to_string().len();
    let row = |(end, count): (&ProcessEnd, &u64)| {
        let how = match end {
            ProcessEnd::Exit(code) => format!("exit code {code}"),
            ProcessEnd::Signal(6) => "aborted, as a failed assertion does".to_owned(),
            ProcessEnd::Signal(number) => format!("ended by signal {number}"),
            ProcessEnd::Late => "still running after 2 s".to_owned(),
        };
        vec![format!("{count:>width$}"), how]
    };
    text.push_str(&align(&counted.ends.iter().map(row).collect::<Vec<_>>(), 2));
    let (processors, seconds) = (counted.processors, counted.elapsed.as_secs_f64());
    let _ =
        writeln!(text, "\n  the machine ran {runs} on {processors} processors in {seconds:.2} s");
    text
}
