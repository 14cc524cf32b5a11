//! `fencewright confirm`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use frontend::Words;
use program::{Diagnostic, Sources, Span};
use report::confirm::{Answer, Verdict};
use workspace::{
    Confirm as Question, ConfirmAnswer, Limit, Limits, Loaded, Reason, Refused, Workspace,
};

use crate::arguments::Format;
use crate::arguments::confirm::Confirm;
use crate::files;
use crate::form::Form;
use crate::input;
use crate::output::{Output, Said};
use crate::status::Status;
use crate::supervision::Unanswered;

pub(crate) fn run(options: &Confirm, output: &mut Output) -> Status {
    let question = Question {
        runs: options.runs,
        time: options.timeout,
        processors: options.processors.map(usize::from),
        seed: options.seed,
        compiler: options.cc.clone(),
    };
    if options.as_compiled {
        return as_compiled(options, &question, output);
    }
    let (inputs, limits, format) = (&options.inputs, Limits::default(), options.format);
    let unanswered: Arc<Unanswered> = Arc::new(unanswered(format));
    input::for_each_within(inputs, &limits, format.into(), output, &unanswered, |given, output| {
        if !given.is_first && options.format == Format::Text {
            output.separate();
        }
        let id = given.id;
        let test = given.ask(|workspace| workspace.machine_test(id))?;
        if let Some(folder) = &options.keep {
            let loaded = given.loaded();
            keep(folder, loaded, &test.text).map_err(|problem| Refused {
                errors: vec![Diagnostic::new(Span::NONE, problem)],
                sources: loaded.sources.clone(),
            })?;
        }
        let answer = given.ask(|workspace| workspace.confirm(id, &test, &question))?;
        Ok(tell(options.format, given.loaded(), &answer, output))
    })
}

/// What is said of a program whose test was interrupted.
fn unanswered(format: Format) -> impl Fn(&str, Limit) -> Said + Send + Sync + use<> {
    move |file, limit| {
        let reason = Reason::Limit(limit);
        let text = report::reason_text::render(file, &reason);
        let schema = "fencewright.confirm/1";
        let json = || report::json::undecided(file, schema, &reason.to_string());
        Form::from(format).undecided(file, text, json)
    }
}

fn tell(format: Format, loaded: &Loaded, found: &ConfirmAnswer, output: &mut Output) -> Status {
    let Loaded { file, program, sources, premises, .. } = loaded;
    let words = Words::new(program, loaded.language());
    let answer = Answer::new(program, &found.seen, &found.judgement, words);
    match format {
        Format::Text => {
            let text = report::confirm_text::render(file, sources, &answer);
            output.text(&(text + &report::notes::render(&found.notes, sources)));
        }
        Format::Json => {
            let about = (premises, found.notes.as_slice());
            output.data(&report::json::confirm(file, sources, &answer, about));
        }
    }
    match answer.verdict() {
        // Nothing else comes to be of a program that is not bad; it must not be overlooked.
        Verdict::Impossible => Status::BadInput,
        Verdict::Seen(_) => Status::Violated,
        Verdict::NotSeen | Verdict::Nothing => Status::Fine,
        Verdict::Undecided => Status::Undecided,
    }
}

/// Runs a program in C as it is.
fn as_compiled(options: &Confirm, question: &Question, output: &mut Output) -> Status {
    let files: Vec<PathBuf> = options.inputs.files.iter().map(PathBuf::from).collect();
    let name = options.inputs.files.join(" ");
    let flags = &options.inputs.source.flags;
    match Workspace::default().run_as_compiled(&files, flags, question) {
        Ok(counted) => {
            match options.format {
                Format::Text => output.text(&report::confirm_text::as_compiled(&name, &counted)),
                Format::Json => output.data(&report::json::confirm_as_compiled(&name, &counted)),
            }
            if counted.failed() > 0 { Status::Violated } else { Status::Fine }
        }
        Err(_) if output.desk().is_interrupted() => {
            output.say(unanswered(options.format)(&name, Limit::Cancelled));
            Status::Undecided
        }
        Err(message) => {
            let errors = [Diagnostic::new(Span::NONE, message)];
            let named = (name.as_str(), options.inputs.files.as_slice());
            Form::from(options.format).errors(named, &errors, &Sources::new(), output);
            Status::BadInput
        }
    }
}

/// Keeps a test in a folder.
fn keep(folder: &Path, loaded: &Loaded, text: &str) -> Result<(), String> {
    let name = Path::new(&loaded.file).file_stem().unwrap_or_default();
    let file = folder.join(name).with_added_extension("confirm.c");
    if loaded.sources.names().any(|name| files::is_same(Path::new(name), &file)) {
        return Err(format!(
            "`--keep` would overwrite {}, which is part of the program: name another folder",
            file.display()
        ));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("cannot use the folder {}: {error}", folder.display()))?;
    files::write(&file, text)
}
