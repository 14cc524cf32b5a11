//! Can a Petri net or a thread-transition system cover a target?

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use analysis::{Limits, Progress};
pub use coverability::Direction;
use coverability::{Answer, Net, ReadError, Statistics, cover, spec, tts};
use program::{Diagnostic, Diagnostics, SourceId, Sources, Span};
use web_time::Instant;

use crate::Conclusion;
use crate::inputs::{Refused, read_text};
use crate::store::Workspace;

/// The question.
#[derive(Clone, Debug)]
pub struct Cover {
    /// For a thread-transition system: what is to be covered, instead of what the file beside it says.
    pub target: Option<String>,
    /// Which searches are made.
    pub direction: Direction,
    /// How much may be spent on it.
    pub limits: Limits,
}

/// The answer.
#[derive(Debug)]
pub struct CoverAnswer {
    /// The net that was read.
    pub net: Net,
    /// What came out.
    pub answer: Answer,
    /// What the searches did.
    pub statistics: Statistics,
    /// How long they took.
    pub elapsed: Duration,
}

impl CoverAnswer {
    /// What it comes to.
    pub const fn conclusion(&self) -> Conclusion {
        match self.answer {
            Answer::NotCoverable => Conclusion::Fine,
            Answer::Coverable(_) => Conclusion::Violated,
            Answer::Stopped(_) => Conclusion::Undecided,
        }
    }
}

impl Workspace<'_> {
    /// Whether the net in a file can cover one of its targets.
    pub fn cover(&mut self, file: &str, question: &Cover) -> Result<CoverAnswer, Refused> {
        let mut sources = Sources::new();
        let net = self
            .net(file, question, &mut sources)
            .map_err(|errors| Refused { errors, sources: sources.clone() })?;
        let started = Instant::now();
        let watch = self.watch();
        let mut tell = |did: &Statistics| -> ControlFlow<()> {
            watch(&Progress {
                tracing: false,
                states: did.tested.max(did.markings),
                depth: did.instance,
                frontier: u64::try_from(did.minimal).unwrap_or(u64::MAX),
                bytes: 0,
                elapsed: started.elapsed(),
            })
        };
        let (answer, statistics) = cover(&net, question.direction, &question.limits, &mut tell);
        Ok(CoverAnswer { net, answer, statistics, elapsed: started.elapsed() })
    }

    /// Reads a net; its name says in which form.
    fn net(&self, file: &str, question: &Cover, sources: &mut Sources) -> Result<Net, Diagnostics> {
        let path = Path::new(file);
        let is = |extension: &str| path.extension().is_some_and(|one| one == extension);
        let (source, text) = self.text_of(path, sources)?;
        if is("tts") {
            let mut net = tts::read(&text).map_err(|error| wrong(source, &error))?;
            let (source, text) = match &question.target {
                Some(target) => (sources.add("--target", target.as_str()), target.clone()),
                None => self.text_of(&path.with_extension("prop"), sources).map_err(|errors| {
                    let help = "`--target 's|l,m'` says what is to be covered: a shared state, and the \
                                local states of some threads";
                    errors.into_iter().map(|error| error.help(help)).collect::<Diagnostics>()
                })?,
            };
            let target = tts::read_property(&text, &net).map_err(|error| wrong(source, &error))?;
            net.targets.push(target);
            return Ok(net);
        }
        if !is("spec") {
            let message = format!("{file} is neither a `.spec` nor a `.tts` file");
            let help =
                "Petri nets are read as mist writes them, thread-transition systems as BFC does";
            return Err(vec![Diagnostic::new(Span::NONE, message).help(help)]);
        }
        if question.target.is_some() {
            let message =
                "`--target` is for `.tts` files: a `.spec` file says itself what is to be covered";
            return Err(vec![Diagnostic::new(Span::NONE, message)]);
        }
        spec::read(&text).map_err(|error| wrong(source, &error))
    }

    fn text_of(
        &self,
        path: &Path,
        sources: &mut Sources,
    ) -> Result<(SourceId, String), Diagnostics> {
        let name = path.display().to_string();
        let text = read_text(self.host(), path).map_err(|error| {
            vec![Diagnostic::new(Span::NONE, format!("cannot read {name}: {error}"))]
        })?;
        Ok((sources.add(name, text.as_str()), text))
    }
}

fn wrong(source: SourceId, error: &ReadError) -> Diagnostics {
    vec![Diagnostic::new(Span::new(source, error.at.clone()), error.message.clone())]
}
