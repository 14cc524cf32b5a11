//! Programs as scripts give them, and how they are asked about.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use frontend::Language;
use program::{Diagnostic, Sources, Span, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use workspace::words::{entry, thread};
use workspace::{
    Cycles, CyclesAnswer, Inputs, Lifetimes, ProgramId, Progress, Refused, Relocking,
    SourceOptions, System, Workspace,
};

use crate::asked::{constant, named};

/// A text in memory.
#[derive(FromPyObject)]
pub(crate) struct Text {
    content: String,
    name: String,
    language: Option<String>,
    constants: BTreeMap<String, Value>,
    counts: BTreeMap<String, u32>,
}

/// Files that are one program.
#[derive(FromPyObject)]
pub(crate) struct Files {
    paths: Vec<String>,
    language: Option<String>,
    constants: BTreeMap<String, Value>,
    counts: BTreeMap<String, u32>,
    threads: Vec<String>,
    init: Option<String>,
    flags: Vec<String>,
}

/// A program.
#[derive(FromPyObject)]
pub(crate) enum Given {
    Text(Text),
    Files(Files),
}

impl Given {
    fn inputs(&self) -> PyResult<Inputs> {
        let (language, constants, counts) = match self {
            Self::Text(Text { language, constants, counts, .. })
            | Self::Files(Files { language, constants, counts, .. }) => {
                (language, constants, counts)
            }
        };
        let (files, source) = match self {
            Self::Text(_) => (Vec::new(), SourceOptions::default()),
            Self::Files(files) => (files.paths.clone(), files.source_options()?),
        };
        let languages = || Language::ALL.map(|one| (one.name(), one));
        let language = language.as_deref().map(|name| named("language", name, languages()));
        Ok(Inputs {
            files,
            language: language.transpose()?,
            constants: constants.iter().map(constant).collect::<PyResult<_>>()?,
            counts: counts.iter().map(|(name, count)| (name.clone(), *count)).collect(),
            source,
            standard_input: None,
        })
    }
}

impl Files {
    fn source_options(&self) -> PyResult<SourceOptions> {
        let wrong = |problem: String| PyValueError::new_err(problem);
        let asked = self.threads.iter().map(|text| thread(text));
        let asked = asked.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let is_any = asked.iter().enumerate().filter(|(_, one)| one.is_any);
        Ok(SourceOptions {
            any_number: is_any.map(|(number, _)| number).collect(),
            lifetimes: Lifetimes::Checked,
            entries: asked.iter().map(|one| one.entry.clone()).collect(),
            init: self.init.as_deref().map(entry).transpose().map_err(wrong)?,
            flags: self.flags.clone(),
            ..SourceOptions::default()
        })
    }
}

/// A program with how it is to be read.
pub(crate) struct Described<'a> {
    given: &'a Given,
    inputs: Inputs,
}

impl Described<'_> {
    /// The same for a question about deadlocks alone.
    pub(crate) fn about_deadlocks(&self) -> Self {
        let mut inputs = self.inputs.clone();
        inputs.source.relocking = Relocking::Hangs;
        Self { given: self.given, inputs }
    }

    pub(crate) fn read(&self, workspace: &mut Workspace<'_>) -> Result<ProgramId, Refused> {
        let text = match self.given {
            Given::Text(text) => text,
            Given::Files(_) => {
                let mut all = workspace.open(&self.inputs);
                return match (all.pop(), all.len()) {
                    (Some(only), 0) => only.map_err(|(_, refused)| refused),
                    (_, others) => Err(several(others + 1)),
                };
            }
        };
        workspace.text_as(&text.name, &text.content, &self.inputs)
    }

    /// What is known of critical cycles: of what compilers make, before it is made a closed program.
    pub(crate) fn cycles(
        &self,
        workspace: &mut Workspace<'_>,
        question: &Cycles,
    ) -> Result<(String, Sources, CyclesAnswer), Refused> {
        match self.given {
            Given::Text(_) => {
                let id = self.read(workspace)?;
                let answer = workspace.cycles(id, question)?;
                let loaded = workspace.program(id);
                Ok((loaded.file.clone(), loaded.sources.clone(), answer))
            }
            Given::Files(files) => {
                let programs = workspace.programs(&self.inputs);
                let [together] = programs.as_slice() else { return Err(several(programs.len())) };
                let name = files.paths.join(" ");
                let mut all = workspace.cycles_of(&name, together, &self.inputs, question)?;
                match (all.pop(), all.len()) {
                    (Some(only), 0) => Ok(only),
                    (_, others) => Err(several(others + 1)),
                }
            }
        }
    }
}

fn several(count: usize) -> Refused {
    let message = match count {
        0 => "no file is named".to_owned(),
        _ => format!("these files are {count} programs; ask about one at a time"),
    };
    Refused { errors: vec![Diagnostic::new(Span::NONE, message)], sources: Sources::new() }
}

/// The document of an answer about a program that was read, or of the errors.
pub(crate) fn ask(
    py: Python<'_>,
    given: &Given,
    question: impl FnOnce(&mut Workspace<'_>, ProgramId) -> Result<String, Refused> + Send,
) -> PyResult<String> {
    ask_whole(py, given, |workspace, described| {
        let id = described.read(workspace)?;
        question(workspace, id)
    })
}

/// The document of an answer about a program before it is read, or of the errors. Other threads of the interpreter
/// go on meanwhile, and an interrupt ends the search.
pub(crate) fn ask_whole(
    py: Python<'_>,
    given: &Given,
    question: impl FnOnce(&mut Workspace<'_>, &Described<'_>) -> Result<String, Refused> + Send,
) -> PyResult<String> {
    let described = Described { given, inputs: given.inputs()? };
    let mut raised = None;
    let answer = py.detach(|| {
        let watch = |_: &Progress| match signals() {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        };
        question(&mut Workspace::new(System).watched_by(watch), &described)
    });
    match raised {
        Some(error) => Err(error),
        None => Ok(answer.unwrap_or_else(|refused| refusal(given, &refused))),
    }
}

/// Lets the interpreter see to signals: an interrupt becomes an exception here.
fn signals() -> PyResult<()> {
    Python::attach(|py| -> PyResult<()> { py.check_signals() })
}

/// The document of the errors in a program.
fn refusal(given: &Given, refused: &Refused) -> String {
    let (file, files) = match given {
        Given::Text(text) => (text.name.clone(), [].as_slice()),
        Given::Files(files) => (files.paths.join(" "), files.paths.as_slice()),
    };
    report::json::errors(&file, files, &refused.errors, &refused.sources)
}
