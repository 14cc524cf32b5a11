//! `fencewright fence`.

mod again;
mod asked;
mod text;

use program::{Diagnostic, Diagnostics, SourceId, Span};
use report::fence::{Answer, Outcome};

use super::notes::{X86, notes};
use super::progress::Progress;
use crate::arguments::Format;
use crate::arguments::fence::{Algorithm, Enforced, Fence};
use crate::input::{self, Loaded, Origin};
use crate::output::Output;
use crate::status::Status;
use again::check_again;
use asked::{Asked, Refused, unanswered};

pub(crate) fn run(options: &Fence, output: &mut Output) -> Status {
    if let Some(problem) = contradiction(options) {
        output.message(&format!("error: {problem}\n"));
        return Status::BadInput;
    }
    let mut first = true;
    input::for_each(&options.inputs, options.format, output, |loaded, output| {
        let is_text = options.format == Format::Text && !options.diff;
        if !std::mem::take(&mut first) && is_text {
            output.result("\n");
        }
        match repaired(options, loaded, output) {
            Ok(status) => status,
            Err(Refused { errors, sources }) => {
                let sources = sources.as_ref().unwrap_or(&loaded.sources);
                input::report(&loaded.file, &errors, sources, options.format, output);
                Status::BadInput
            }
        }
    })
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
fn misplaced(options: &Fence, loaded: &Loaded) -> Result<(), Diagnostics> {
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
    misplaced(options, loaded)?;
    let asked = match Asked::new(options, loaded) {
        Ok(asked) => asked?,
        Err(parameterised) => {
            return Ok(deliver(
                options,
                loaded,
                &unanswered(options, &parameterised),
                None,
                output,
            ));
        }
    };
    if options.list {
        let answer = asked.nothing_done(options);
        let (file, sources) = (&loaded.file, &loaded.sources);
        output.result(&match options.format {
            Format::Text => report::fence_text::list(file, sources, &answer),
            Format::Json => report::json::fence_list(file, sources, &answer),
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
    let notes = notes(loaded, X86, &options.search.options(), output);
    let notes_text = report::notes::render(&notes, sources);
    let mut written = Vec::new();
    if let (Some(path), Some(texts)) = (&options.write, texts) {
        match text::write(loaded, path, texts) {
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
            output.result(&text::difference(loaded, texts));
        }
        return status;
    }
    output.result(&match options.format {
        Format::Text => {
            let said = (!written.is_empty()).then(|| format!("written to {}", written.join(", ")));
            report::fence_text::render(file, sources, answer, said.as_deref(), true) + &notes_text
        }
        Format::Json => {
            let folder = options.write.as_ref().map(|path| path.display().to_string());
            let written = match written.as_slice() {
                [] => None,
                [file] => Some(file.as_str()),
                [_, ..] => folder.as_deref(),
            };
            report::json::fence(file, sources, answer, written, &notes)
        }
    });
    status
}
