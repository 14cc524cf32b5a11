//! What an editor is told: findings and repairs of one document, by a workspace.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Position, Range, TextEdit, Uri,
};
use report::editor::{Place, Remark, Severity};
use workspace::fence::FenceVerdict;
use workspace::{
    Budget, Check, Conclusion, Fence, Inputs, Lifetimes, Options, ProgramId, Refused, System,
    Workspace,
};

use crate::uri::of_path;

/// How much may be spent on one answer.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    pub(crate) time: Duration,
    pub(crate) memory: Option<usize>,
}

/// What was found out about a document.
#[derive(Default)]
pub(crate) struct Findings {
    /// Diagnostics, each with the document that it belongs to.
    pub(crate) diagnostics: Vec<(Uri, Diagnostic)>,
    /// What is said about places in the document itself when somebody points there.
    pub(crate) hovers: Vec<(Range, String)>,
    pub(crate) is_repairable: bool,
}

/// A document to be looked at.
pub(crate) struct Subject<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) path: &'a Path,
    pub(crate) text: &'a str,
}

impl Subject<'_> {
    fn name(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Reads the programs: C and Rust as they are saved, everything else as it is in the editor.
    fn read(&self, workspace: &mut Workspace<'_>) -> Vec<Result<ProgramId, Refused>> {
        let (name, mut inputs) = (self.name(), Inputs::files([self.name()]));
        inputs.source.lifetimes = Lifetimes::Checked;
        if workspace.is_compiled(&name, &inputs) {
            let read = workspace.open(&inputs).into_iter();
            return read.map(|one| one.map_err(|(_, refused)| refused)).collect();
        }
        vec![workspace.text(&name, self.text)]
    }

    /// Where something is; what has no place is at the beginning of the document.
    fn location(&self, place: Option<&Place>) -> Location {
        let beginning = Location { uri: self.uri.clone(), range: Range::default() };
        let Some(place) = place else { return beginning };
        let range = range(place);
        if Path::new(&place.file) == self.path {
            return Location { uri: self.uri.clone(), range };
        }
        of_path(Path::new(&place.file)).map_or(beginning, |uri| Location { uri, range })
    }

    fn diagnostic(&self, remark: &Remark) -> (Uri, Diagnostic) {
        let Location { uri, range } = self.location(remark.at.as_ref());
        let related = remark.related.iter().map(|(place, said)| DiagnosticRelatedInformation {
            location: self.location(Some(place)),
            message: said.clone(),
        });
        let related: Vec<_> = related.collect();
        let diagnostic = Diagnostic {
            range,
            severity: Some(match remark.severity {
                Severity::Error => DiagnosticSeverity::ERROR,
                Severity::Warning => DiagnosticSeverity::WARNING,
                Severity::Information => DiagnosticSeverity::INFORMATION,
            }),
            code: Some(NumberOrString::String(remark.code.to_owned())),
            source: Some("fencewright".to_owned()),
            message: remark.message.clone(),
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        };
        (uri, diagnostic)
    }
}

fn range(place: &Place) -> Range {
    let position = |(line, character)| Position { line, character };
    Range { start: position(place.start), end: position(place.end) }
}

fn options(patience: Patience) -> Options {
    let budget = Budget { memory: patience.memory, time: Some(patience.time), states: None };
    Options { limits: budget.from_now(Instant::now()), ..Options::default() }
}

fn watched(is_current: &dyn Fn() -> bool) -> Workspace<'_> {
    let watch = |_: &workspace::Progress| {
        if is_current() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    Workspace::new(System).watched_by(watch)
}

/// Whether TSO differs from SC.
pub(crate) fn check(
    subject: &Subject<'_>,
    patience: Patience,
    is_current: &dyn Fn() -> bool,
) -> Findings {
    let mut workspace = watched(is_current);
    let mut found = Findings::default();
    for read in subject.read(&mut workspace) {
        let question = Check { options: options(patience), ..Check::default() };
        let answered = read.and_then(|id| Ok((id, workspace.check(id, &question)?)));
        match answered {
            Ok((id, answer)) => {
                let loaded = workspace.program(id);
                let (program, sources) = (&loaded.program, &loaded.sources);
                let text =
                    report::check_text::render(&loaded.file, program, sources, &answer, false);
                let text = report::terminal::text(&text, false);
                for remark in report::editor::check(program, sources, &answer) {
                    let (uri, diagnostic) = subject.diagnostic(&remark);
                    if &uri == subject.uri {
                        found
                            .hovers
                            .push((diagnostic.range, format!("```text\n{}\n```", text.trim_end())));
                    }
                    found.diagnostics.push((uri, diagnostic));
                }
                found.is_repairable |= answer.conclusion() == Conclusion::Violated;
            }
            Err(Refused { errors, sources }) => {
                let remarks = report::editor::errors(&errors, &sources);
                found.diagnostics.extend(remarks.iter().map(|remark| subject.diagnostic(remark)));
            }
        }
    }
    found
}

/// The edits of the cheapest repair, for each document; or why there are none.
pub(crate) fn repair(
    subject: &Subject<'_>,
    patience: Patience,
    is_current: &dyn Fn() -> bool,
) -> Result<Vec<(Uri, Vec<TextEdit>)>, String> {
    let mut workspace = watched(is_current);
    let mut all = Vec::new();
    for read in subject.read(&mut workspace) {
        let question = Fence { options: options(patience), ..Fence::default() };
        let answered = read.and_then(|id| Ok((id, workspace.fence(id, &question)?)));
        let (id, answer) = answered.map_err(|refused| {
            let first = refused.errors.first();
            first.map_or_else(String::new, |error| error.message.clone())
        })?;
        let sources = &workspace.program(id).sources;
        let texts = match (answer.verdict(), &answer.texts) {
            (FenceVerdict::Repaired, Some(texts)) => texts,
            // A text that was not checked again is none that anybody should have.
            (FenceVerdict::Repaired | FenceVerdict::Holds, None)
            | (FenceVerdict::Holds, Some(_))
            | (FenceVerdict::Unrepairable | FenceVerdict::Undecided, _) => {
                return Err(report::editor::no_repair(sources, &answer));
            }
        };
        for (file, edits) in report::editor::edits(sources, texts) {
            let is_this = Path::new(&file) == subject.path;
            let uri = if is_this { Some(subject.uri.clone()) } else { of_path(Path::new(&file)) };
            let Some(uri) = uri else { return Err(format!("{file} cannot be edited")) };
            let edits = edits
                .into_iter()
                .map(|(place, new_text)| TextEdit { range: range(&place), new_text });
            all.push((uri, edits.collect()));
        }
    }
    Ok(all)
}
