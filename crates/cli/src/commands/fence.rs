//! `fencewright fence`.

mod again;
mod asked;
mod text;

use std::sync::Arc;

use analysis::{Limit, Reason};
use program::{Diagnostic, Diagnostics, SourceId, Sources, Span};
use report::fence::{Answer, Outcome};

use super::doubt::{uncounted, undecided};
use super::notes::{X86, error_note, notes};
use super::progress::Progress;
use crate::arguments::Format;
use crate::arguments::fence::{Algorithm, Enforced, Fence};
use crate::input::{self, Loaded, Origin};
use crate::misplaced;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::Unanswered;
use again::check_again;
use asked::{Asked, Refused, unanswered};

pub(crate) fn run(options: &Fence, output: &mut Output) -> Status {
    if let Some(problem) = contradiction(options) {
        output.message(&format!("error: {problem}\n"));
        return Status::BadInput;
    }
    let mut first = true;
    let (inputs, format) = (&options.inputs, options.format);
    let deadline = options.search.limits.deadline;
    let unanswered: Arc<Unanswered> = Arc::new(unanswered_within(options));
    input::for_each_within(inputs, deadline, format, output, &unanswered, |loaded, output| {
        let is_text = options.format == Format::Text && !options.diff;
        if !std::mem::take(&mut first) && is_text {
            output.separate();
        }
        repaired(options, loaded, output).map_err(|Refused { errors, sources }| {
            let sources = sources.unwrap_or_else(|| loaded.sources.clone());
            input::Refused { errors, sources }
        })
    })
}

/// What is said of a program that a limit keeps from being answered.
fn unanswered_within(options: &Fence) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    let (format, diff) = (options.format, options.diff);
    let answer = |limit| unanswered(options, undecided(&Reason::Limit(limit)));
    let of = [Limit::Time, Limit::Memory].map(answer);
    move |file, limit| {
        let [time, memory] = &of;
        let answer = match limit {
            Limit::Time | Limit::States | Limit::Cancelled => time,
            Limit::Memory => memory,
        };
        let sources = Sources::new();
        match format {
            Format::Text => {
                let text = report::fence_text::render(file, &sources, answer, None, true);
                if diff { Said::Message(text) } else { Said::Text(text) }
            }
            Format::Json => Said::Data(report::json::fence(file, &sources, answer, None, &[])),
        }
    }
}

/// Why these options do not go together.
fn contradiction(options: &Fence) -> Option<String> {
    let several = options.inputs.may_be_several();
    if options.criterion == Enforced::Drf {
        return Some(
            "fences cannot repair data races: two threads race under SC already, and a fence changes \
             nothing there\n  use locks or atomic accesses, or ask for `--criterion trf`"
                .to_owned(),
        );
    }
    if options.algorithm == Algorithm::Esop13 && options.criterion != Enforced::Robustness {
        return Some("the algorithm of ESOP'13 is about attacks, so about robustness".to_owned());
    }
    if options.abstraction.is_some() && options.criterion != Enforced::Persistence {
        return Some(
            "the abstraction is for persistence; use `--criterion persistence`".to_owned(),
        );
    }
    if options.all && options.algorithm != Algorithm::Optimal {
        return Some("only `--algorithm optimal` finds all sets".to_owned());
    }
    let prices_nothing = !options.with_locked_stores && !options.minimise_existing;
    if options.locked_store_cost.is_some() && prices_nothing {
        return Some("`--locked-store-cost` is for `--with-locked-stores`; add that".to_owned());
    }
    if options.write.is_some() && several {
        return Some("`--write` takes one program; repair them one by one".to_owned());
    }
    None
}

/// An option that would be ignored.
fn check_options(options: &Fence, loaded: &Loaded) -> Result<(), Diagnostics> {
    match &loaded.origin {
        Origin::Text(_) if options.written_as.is_some() => {
            let message = "`--fence-text` is for programs in C and Rust";
            let help = "leave it out: a model has a word of its own for a fence";
            Err(vec![Diagnostic::new(Span::NONE, message).help(help)])
        }
        Origin::Text(_) | Origin::Compiled(_) => Ok(()),
    }
}

fn repaired(options: &Fence, loaded: &Loaded, output: &mut Output) -> Result<Status, Refused> {
    misplaced::for_x86(loaded, "`fence`")?;
    check_options(options, loaded)?;
    if let Some(path) = &options.write {
        text::may_be_written(loaded, path)
            .map_err(|problem| vec![Diagnostic::new(Span::NONE, problem)])?;
    }
    let asked = match Asked::new(options, loaded) {
        Ok(asked) => asked?,
        Err(parameterised) => {
            return Ok(deliver(
                options,
                loaded,
                &unanswered(options, uncounted(&parameterised)),
                None,
                output,
            ));
        }
    };
    if options.list {
        let (decisions, costs) = asked.decidable();
        let (file, sources) = (&loaded.file, &loaded.sources);
        output.say(&match options.format {
            Format::Text => Said::Text(report::fence_text::list(file, sources, decisions, costs)),
            Format::Json => Said::Data(report::json::fence_list(file, sources, decisions, costs)),
        });
        return Ok(Status::Fine);
    }
    let mut progress = Progress::new(output);
    let mut answer = asked.answer(options, &mut |now| progress.show(now));
    progress.clear();
    let texts = text::edited(options, loaded, &answer)?;
    check_again(options, loaded, &asked, &mut answer, texts.as_deref(), output)?;
    Ok(deliver(options, loaded, &answer, texts.as_deref(), output))
}

fn deliver(
    options: &Fence,
    loaded: &Loaded,
    answer: &Answer,
    texts: Option<&[(SourceId, String)]>,
    output: &mut Output,
) -> Status {
    let Loaded { file, sources, .. } = loaded;
    let mut status = match &answer.outcome {
        Outcome::Repaired { .. } => Status::Fine,
        Outcome::Unrepairable { .. } => Status::Violated,
        Outcome::Undecided { .. } => Status::Undecided,
    };
    let how = options.search.options();
    let mut notes = notes(loaded, X86, &how, output);
    notes.extend(error_note(loaded, &how, output));
    let notes_text = report::notes::render(&notes, sources);
    let mut written = Vec::new();
    if let (Some(path), Some(texts)) = (&options.write, texts) {
        let desk = output.desk();
        let held = desk.hold();
        let files = text::write(loaded, path, texts);
        drop(held);
        match files {
            Ok(paths) => written = paths,
            Err(problem) => {
                output.message(&format!("error: {problem}\n"));
                status = Status::BadInput;
            }
        }
    }
    if options.diff {
        let report = report::fence_text::render(file, sources, answer, None, true);
        output.message(&(report + &notes_text));
        if let Some(texts) = texts {
            output.data(&text::difference(loaded, texts));
        }
        return status;
    }
    match options.format {
        Format::Text => {
            let said = (!written.is_empty()).then(|| format!("written to {}", written.join(", ")));
            let said = said.as_deref().map(report::terminal::line);
            let text = report::fence_text::render(file, sources, answer, said.as_deref(), true);
            output.text(&(text + &notes_text));
        }
        Format::Json => {
            let folder = options.write.as_ref().map(|path| path.display().to_string());
            let written = match written.as_slice() {
                [] => None,
                [file] => Some(file.as_str()),
                [_, ..] => folder.as_deref(),
            };
            output.data(&report::json::fence(file, sources, answer, written, &notes));
        }
    }
    status
}
