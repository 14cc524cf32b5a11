//! `fencewright confirm`.

use std::path::Path;
use std::time::Instant;

use analysis::{Limits, Options, available_memory};
use confirm::{How, generate, judge};
use frontend::Words;
use program::{Diagnostic, Diagnostics, Span};
use report::confirm::{Answer, Verdict};

use super::notes::{X86, notes};
use super::progress::Progress;
use crate::arguments::Format;
use crate::arguments::confirm::Confirm;
use crate::input::{self, Loaded};
use crate::misplaced;
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(options: &Confirm, output: &mut Output) -> Status {
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
    let test = generate(program).map_err(|problem| vec![problem])?;
    let how = How {
        runs: options.runs,
        time: options.timeout / 2,
        processors: options.processors.map(usize::from),
        seed: options.seed,
        compiler: options.cc.clone(),
        keep: options.keep.clone().map(|folder| (folder, stem(&loaded.file))),
    };
    let problem = |message: String| vec![Diagnostic::new(Span::NONE, message)];
    let seen =
        confirm::run(program, &test, &how).map_err(|failure| problem(failure.to_string()))?;
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

/// The name of the test that is kept.
fn stem(file: &str) -> String {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or("test");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_+".contains(c);
    stem.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}
