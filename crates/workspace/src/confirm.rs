//! Does the machine show it?

use std::path::PathBuf;
use std::time::Duration;

use analysis::{Limits, Options, available_memory};
use confirm::{Counted, How, Judgement, Seen, Test, generate, judge};
use program::{Diagnostic, Diagnostics, Span};
use web_time::Instant;

use crate::inputs::{Loaded, Refused};
use crate::misplaced;
use crate::notes::{Note, X86, notes};
use crate::store::{ProgramId, Subject, Workspace};

/// The question: many runs on this machine.
#[derive(Clone, Debug)]
pub struct Confirm {
    /// How many runs at most.
    pub runs: u64,
    /// How long at most: half of it to run the program, the rest to find out what is possible.
    pub time: Duration,
    /// On how many processors at most; by default on all that there are.
    pub processors: Option<usize>,
    /// Which random delays and choices.
    pub seed: u64,
    /// The C compiler; by default the first of `cc`, `gcc` and `clang` that there is.
    pub compiler: Option<PathBuf>,
}

impl Confirm {
    fn how(&self) -> How {
        How {
            runs: self.runs,
            time: self.time / 2,
            processors: self.processors,
            seed: self.seed,
            compiler: self.compiler.clone(),
        }
    }
}

/// The answer.
pub struct ConfirmAnswer {
    /// What was seen.
    pub seen: Seen,
    /// What is known about it.
    pub judgement: Judgement,
    /// What else a reader should know.
    pub notes: Vec<Note>,
}

impl Workspace<'_> {
    /// The test in C that runs a program on this machine.
    pub fn machine_test(&self, id: ProgramId) -> Result<Test, Refused> {
        let loaded = self.program(id);
        let made = |loaded: &Loaded| {
            misplaced::for_x86(loaded, "`confirm`")?;
            generate(&loaded.program)
        };
        made(loaded).map_err(|errors| loaded.refuse(errors))
    }

    /// Runs a test, and finds out whether what was seen is possible.
    pub fn confirm(
        &mut self,
        id: ProgramId,
        test: &Test,
        question: &Confirm,
    ) -> Result<ConfirmAnswer, Refused> {
        let mut subject = self.subject(id);
        let loaded = subject.loaded;
        answer(&mut subject, test, question).map_err(|errors| loaded.refuse(errors))
    }

    /// Runs a program in C as its compiler makes it, `main` and all, and counts how it ends.
    pub fn run_as_compiled(
        &self,
        files: &[PathBuf],
        flags: &[String],
        question: &Confirm,
    ) -> Result<Counted, String> {
        let is_c = |file: &PathBuf| file.extension().is_some_and(|end| end == "c");
        if !files.iter().all(is_c) {
            return Err("`--as-compiled` is for programs in C, files that end in .c".to_owned());
        }
        let counted = self.host().run_as_compiled(files, flags, &question.how());
        counted.map_err(|failure| failure.to_string())
    }
}

fn answer(
    subject: &mut Subject<'_, '_>,
    test: &Test,
    question: &Confirm,
) -> Result<ConfirmAnswer, Diagnostics> {
    let started = Instant::now();
    let program = &subject.loaded.program;
    let problem = |message: String| vec![Diagnostic::new(Span::NONE, message)];
    let seen = subject
        .host
        .run_test(program, test, &question.how())
        .map_err(|failure| problem(failure.to_string()))?;
    let deadline = Some(started + question.time);
    let limits = Limits { memory: available_memory(), deadline, ..Limits::default() };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let how = Options { limits, threads, ..Options::default() };
    let judgement = judge(program, &seen, &how, &mut *subject.watch)
        .map_err(|parameterised| problem(parameterised.to_string()))?;
    let limits = Limits { deadline: None, ..how.limits };
    let notes = notes(subject, X86, &Options { limits, ..how });
    Ok(ConfirmAnswer { seen, judgement, notes })
}
