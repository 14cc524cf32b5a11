//! `fencewright fence`.

mod again;
mod asked;
mod text;

use program::SourceId;
use report::fence::{Answer, Outcome};

use super::notes::notes;
use super::progress::Progress;
use crate::arguments::Format;
use crate::arguments::fence::{Algorithm, Enforced, Fence};
use crate::input::{self, Loaded};
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
    let several = options.inputs.files.len() > 1;
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
    if options.write.is_some() && several {
        return Some("`--write` takes one program; repair them one by one".to_owned());
    }
    None
}

fn repaired(options: &Fence, loaded: &Loaded, output: &mut Output) -> Result<Status, Refused> {
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
        output.result(&report::fence_text::list(&loaded.file, &loaded.sources, &answer));
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
    let notes = notes(loaded, &options.search.options(), output);
    let notes_text = report::notes::render(&notes, sources);
    let mut written = None;
    if let (Some(path), Some(texts)) = (&options.write, texts) {
        match text::write(loaded, path, texts) {
            Ok(()) => written = Some(path.display().to_string()),
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
            let said = written.as_ref().map(|path| format!("written to {path}"));
            report::fence_text::render(file, sources, answer, said.as_deref(), true) + &notes_text
        }
        Format::Json => report::json::fence(file, sources, answer, written.as_deref(), &notes),
    });
    status
}
