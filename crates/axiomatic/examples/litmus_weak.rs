//! Compares the models with the verdicts of herd on a directory of litmus tests.
//!
//! `litmus_weak verdicts.csv directory`: the table has the columns `name`, `arch`, `model`,
//! `quantifier`, `verdict` and `sc_verdict`; the test `name` of architecture `arch` is in the
//! file `directory/arch/name.litmus` (`arch` in lower case). Prints what differs and how much.

#![allow(clippy::print_stdout, reason = "a program to be run by hand")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use axiomatic::{Limits, Model, Observation, outcomes};
use frontend::{Language, Settings, load};
use program::{Program, Quantifier, Sources};

/// One line of the table.
struct Line<'a> {
    name: &'a str,
    architecture: &'a str,
    model: Model,
    verdict: &'a str,
    sc_verdict: Option<&'a str>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, directory] = arguments.as_slice() else {
        println!("usage: litmus_weak verdicts.csv directory");
        return;
    };
    let text = match std::fs::read_to_string(table) {
        Ok(text) => text,
        Err(error) => return println!("{table}: {error}"),
    };
    let start = Instant::now();
    let mut tally: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for line in text.lines().skip(1).filter_map(parse) {
        let begun = Instant::now();
        let result = judge(Path::new(directory), &line);
        let kind = match &result {
            Ok(()) => "agree",
            Err((kind, _)) => kind,
        };
        *tally.entry((line.architecture, kind)).or_default() += 1;
        if let Err((kind, why)) = result {
            println!("{:8} {:40} {kind}: {why}", line.architecture, line.name);
        }
        if begun.elapsed().as_millis() > 500 {
            println!("{:8} {:40} took {:?}", line.architecture, line.name, begun.elapsed());
        }
    }
    for ((architecture, kind), count) in tally {
        println!("{architecture:8} {kind:10} {count:4}");
    }
    println!("{:.1} s", start.elapsed().as_secs_f64());
}

fn parse(line: &str) -> Option<Line<'_>> {
    let cells: Vec<&str> = line.split(',').collect();
    let [name, architecture, model, quantifier, verdict, sc_verdict, ..] = cells[..] else {
        return None;
    };
    let model = match model {
        "ppc.cat" => Model::Power,
        "arm.cat" => Model::ArmV7,
        "aarch64.cat" => Model::AArch64,
        "riscv.cat" => Model::RiscV,
        _ => return None,
    };
    // Under `forall` the verdict under SC does not mean the same.
    let sc_verdict = (quantifier != "forall").then_some(sc_verdict);
    Some(Line { name, architecture, model, verdict, sc_verdict })
}

/// Whether our verdicts are those of the table; if not, what is wrong and how.
fn judge(directory: &Path, line: &Line<'_>) -> Result<(), (&'static str, String)> {
    let path =
        directory.join(line.architecture.to_lowercase()).join(format!("{}.litmus", line.name));
    let text = std::fs::read_to_string(&path).map_err(|error| ("unread", error.to_string()))?;
    let mut sources = Sources::new();
    let source = sources.add(path.display().to_string(), text);
    let program =
        load(&sources, source, Language::Litmus, &Settings::default()).map_err(|errors| {
            ("unparsed", errors.first().map_or(String::new(), |e| e.message.clone()))
        })?;
    let ours = verdict(&program, line.model)?;
    if ours != line.verdict {
        return Err(("DIFFERS", format!("{} here, {} there", ours, line.verdict)));
    }
    match line.sc_verdict {
        Some(there) if verdict(&program, Model::Sc)? != there => {
            Err(("DIFFERS", format!("SC: {} here, {there} there", verdict(&program, Model::Sc)?)))
        }
        Some(_) | None => Ok(()),
    }
}

/// What the table calls the verdict.
fn verdict(program: &Program, model: Model) -> Result<&'static str, (&'static str, String)> {
    let outcomes = outcomes(program, model, &Limits::default())
        .map_err(|why| ("undecided", why.to_string()))?;
    // A test without a condition asks whether there is any final state.
    let Some(answer) = outcomes.answer(program) else {
        return Ok(if outcomes.states.is_empty() { "Forbidden" } else { "Allowed" });
    };
    let quantifier = program.question().condition.as_ref().map(|(quantifier, _)| *quantifier);
    Ok(match (quantifier, answer.observation) {
        (Some(Quantifier::Always), Observation::Always) => "Required",
        (_, Observation::Never) => "Forbidden",
        (_, Observation::Sometimes | Observation::Always) => "Allowed",
    })
}
