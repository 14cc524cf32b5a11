//! `fencewright confirm`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use analysis::{Limits, Options, available_memory};
use confirm::{How, generate, judge, run_as_compiled};
use frontend::Words;
use program::{Diagnostic, Diagnostics, Sources, Span};
use report::confirm::{Answer, Verdict};

use super::notes::{X86, notes};
use super::progress::Progress;
use crate::arguments::Format;
use crate::arguments::confirm::Confirm;
use crate::files;
use crate::input::{self, Loaded};
use crate::misplaced;
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(options: &Confirm, output: &mut Output) -> Status {
    if options.as_compiled {
        return as_compiled(options, output);
    }
    let mut first = true;
    input::for_each(&options.inputs, options.format, output, |loaded, output| {
        if !std::mem::take(&mut first) && options.format == Format::Text {
            output.separate();
        }
        one(options, loaded, output).unwrap_or_else(|errors| {
            input::report(&loaded.file, &errors, &loaded.sources, options.format, output);
            Status::BadInput
        })
    })
}

fn one(options: &Confirm, loaded: &Loaded, output: &mut Output) -> Result<Status, Diagnostics> {
    let started = Instant::now();
    misplaced::for_x86(loaded, "`confirm`")?;
    let program = &loaded.program;
    let test = generate(program)?;
    if let Some(folder) = &options.keep {
        keep(folder, loaded, &test.text)
            .map_err(|problem| vec![Diagnostic::new(Span::NONE, problem)])?;
    }
    let problem = |message: String| vec![Diagnostic::new(Span::NONE, message)];
    let seen = confirm::run(program, &test, &how(options))
        .map_err(|failure| problem(failure.to_string()))?;
    let deadline = Some(started + options.timeout);
    let limits = Limits { memory: available_memory(), deadline, ..Limits::default() };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let how = Options { limits, threads, ..Options::default() };
    let mut progress = Progress::new(output);
    let judgement = judge(program, &seen, &how, |now| progress.show(now));
    progress.clear();
    let judgement = judgement.map_err(|parameterised| problem(parameterised.to_string()))?;
    let answer = Answer::new(program, &seen, &judgement, Words::new(program, loaded.language()));
    let limits = Limits { deadline: None, ..how.limits };
    let notes = notes(loaded, X86, &Options { limits, ..how }, output);
    let (file, sources) = (&loaded.file, &loaded.sources);
    match options.format {
        Format::Text => {
            let text = report::confirm_text::render(file, sources, &answer);
            output.text(&(text + &report::notes::render(&notes, sources)));
        }
        Format::Json => output.data(&report::json::confirm(file, sources, &answer, &notes)),
    }
    Ok(match answer.verdict() {
        // Nothing else comes to be of a program that is not bad; it must not be overlooked.
        Verdict::Impossible => Status::BadInput,
        Verdict::Seen(_) => Status::Violated,
        Verdict::NotSeen | Verdict::Nothing => Status::Fine,
        Verdict::Undecided => Status::Undecided,
    })
}

/// Runs a program in C as it is.
fn as_compiled(options: &Confirm, output: &mut Output) -> Status {
    let files: Vec<PathBuf> = options.inputs.files.iter().map(PathBuf::from).collect();
    let name = options.inputs.files.join(" ");
    let is_c = |file: &PathBuf| file.extension().is_some_and(|end| end == "c");
    let counted = if files.iter().all(is_c) {
        run_as_compiled(&files, &options.inputs.source.flags, &how(options))
            .map_err(|failure| failure.to_string())
    } else {
        Err("`--as-compiled` is for programs in C, files that end in .c".to_owned())
    };
    match counted {
        Ok(counted) => {
            match options.format {
                Format::Text => output.text(&report::confirm_text::as_compiled(&name, &counted)),
                Format::Json => output.data(&report::json::confirm_as_compiled(&name, &counted)),
            }
            if counted.failed() > 0 { Status::Violated } else { Status::Fine }
        }
        Err(message) => {
            let errors = [Diagnostic::new(Span::NONE, message)];
            input::report(&name, &errors, &Sources::new(), options.format, output);
            Status::BadInput
        }
    }
}

/// How a program is run.
fn how(options: &Confirm) -> How {
    How {
        runs: options.runs,
        time: options.timeout / 2,
        processors: options.processors.map(usize::from),
        seed: options.seed,
        compiler: options.cc.clone(),
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
