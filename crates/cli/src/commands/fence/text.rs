//! The repaired program as a text.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use frontend::edit::{Change, edit};
use program::{Count, Diagnostic, Diagnostics, FenceKind, Program, SourceId, Sources, Span};
use repair::{Decision, Kind};
use report::fence::{Answer, Outcome};

use crate::arguments::fence::{Fence, FenceText};
use crate::files;
use crate::input::{Loaded, Origin};
use crate::source::Compilation;

/// The text with the changes, if there is a repair and it can be written; an error if somebody wants it
/// and it cannot.
pub(super) fn edited(
    options: &Fence,
    loaded: &Loaded,
    answer: &Answer,
) -> Result<Option<Vec<(SourceId, String)>>, Diagnostics> {
    match &answer.outcome {
        Outcome::Repaired { .. } => {}
        Outcome::Unrepairable { .. } | Outcome::Undecided { .. } => return Ok(None),
    }
    let is_wanted = options.write.is_some() || options.diff;
    if options.per_instance && has_copies(&loaded.program) {
        let message = "copies of one thread share one text, but are decided about one by one";
        let refused = Diagnostic::new(Span::NONE, message).help("leave out `--per-instance`");
        return if is_wanted { Err(vec![refused]) } else { Ok(None) };
    }
    let changes: Vec<Change> = if answer.is_minimising {
        answer.not_made().iter().filter_map(|at| undo(&answer.decisions[*at])).collect()
    } else {
        answer.made().iter().filter_map(|at| change(&answer.decisions[*at])).collect()
    };
    let made = match &loaded.origin {
        Origin::Text(language) => {
            let source = source(answer);
            edit(&loaded.sources, source, *language, &changes).map(|text| vec![(source, text)])
        }
        Origin::Compiled(compilation) => {
            let fence = options.written_as.unwrap_or(FenceText::Standard);
            in_source(&loaded.sources, compilation, fence.into(), &changes, is_wanted)
        }
    };
    match made {
        Ok(texts) => Ok(Some(texts)),
        Err(errors) if is_wanted => Err(errors),
        Err(_) => Ok(None),
    }
}

/// Changes of texts in C and Rust, file by file.
fn in_source(
    sources: &Sources,
    compilation: &Compilation,
    fence: patch::FenceText,
    changes: &[Change],
    is_wanted: bool,
) -> Result<Vec<(SourceId, String)>, Diagnostics> {
    let mut files: BTreeMap<SourceId, Vec<patch::Change>> = BTreeMap::new();
    let mut errors = Vec::new();
    for change in changes {
        let (source, change) = match change {
            Change::FenceBefore(point, _) | Change::FenceAfter(point, _) => {
                (Some(point.source), patch::Change::FenceAfter(point.offset as usize, fence))
            }
            Change::LockStore(span) => (span.source, patch::Change::LockStore(span.start as usize)),
            Change::RemoveFence(span) => {
                (span.source, patch::Change::RemoveFence(span.start as usize))
            }
            Change::UnlockStore(span) => {
                (span.source, patch::Change::UnlockStore(span.start as usize))
            }
        };
        match source {
            Some(source) => files.entry(source).or_default().push(change),
            None => errors.push(Diagnostic::new(Span::NONE, "this stands in no text of yours")),
        }
    }
    let mut texts = Vec::new();
    for (source, changes) in files {
        let name = sources.name(source);
        if is_wanted && let Some(at) = compilation.not_utf8(name, sources.text(source)) {
            errors.push(
                Diagnostic::new(Span::new(source, at..at + 1), "this is not UTF-8 text")
                    .label("the first byte that is not; the changed text cannot be written")
                    .help("save the file as UTF-8, as by `iconv -f latin1 -t utf-8`"),
            );
        }
        let language = compilation.language(name);
        match patch::edit(sources.text(source), language, &changes) {
            Ok(text) => texts.push((source, text)),
            Err(refusals) => errors.extend(refusals.into_iter().map(|(offset, refusal)| {
                let span = Span::new(source, offset..offset);
                Diagnostic::new(span, "the change cannot be made here").label(refusal.to_string())
            })),
        }
    }
    if errors.is_empty() { Ok(texts) } else { Err(errors) }
}

/// Writes the changed texts, one to a file or any number into a folder, and says where to.
pub(super) fn write(
    loaded: &Loaded,
    path: &Path,
    texts: &[(SourceId, String)],
) -> Result<Vec<String>, String> {
    let into_folder = |(source, text)| {
        let name = Path::new(loaded.sources.name(source)).file_name().unwrap_or_default();
        (path.join(name), text)
    };
    let given = || texts.iter().map(|(source, text)| (*source, text.as_str()));
    let written: Vec<(PathBuf, &str)> = match texts {
        _ if path.is_dir() => given().map(into_folder).collect(),
        // Nothing had to be changed.
        [] => vec![(path.to_owned(), loaded.sources.text(program::index::Idx::new(0)))],
        [(_, text)] => vec![(path.to_owned(), text)],
        [_, _, ..] => {
            return Err(format!(
                "{} files are changed: give `--write` a folder, or use `--diff`",
                texts.len()
            ));
        }
    };
    let mut named = BTreeSet::new();
    for (file, _) in &written {
        may_be_overwritten(loaded, file)?;
        if !named.insert(file) {
            return Err(format!(
                "`--write` would write two files to {}: use `--diff | patch -p0`",
                file.display()
            ));
        }
    }
    for (file, text) in &written {
        files::write(file, text)?;
    }
    Ok(written.iter().map(|(file, _)| file.display().to_string()).collect())
}

/// An error, before anything is searched, if repaired texts at this path would replace those of the
/// program: the path is one of them, or a folder in which one of them has the name it would get there.
pub(super) fn may_be_written(loaded: &Loaded, path: &Path) -> Result<(), String> {
    if !path.is_dir() {
        return may_be_overwritten(loaded, path);
    }
    loaded.sources.names().try_for_each(|name| match Path::new(name).file_name() {
        Some(name) => may_be_overwritten(loaded, &path.join(name)),
        None => Ok(()),
    })
}

/// An error if a file is one that the program was read from, whatever it is called.
fn may_be_overwritten(loaded: &Loaded, file: &Path) -> Result<(), String> {
    let is_read = loaded.sources.names().any(|name| files::is_same(Path::new(name), file));
    if is_read {
        return Err(format!(
            "`--write` would overwrite {}, which is part of the program: name another place, or use \
             `--diff | patch -p0`",
            file.display()
        ));
    }
    Ok(())
}

fn has_copies(program: &Program) -> bool {
    program.templates().iter().any(|template| match template.count() {
        Count::Exactly(count) => count > 1,
        Count::Any => true,
    })
}

/// The text of the program: the first that was read.
fn source(answer: &Answer) -> SourceId {
    let sources = answer.decisions.iter().filter_map(|decision| decision.span.source);
    sources.min().unwrap_or_else(|| program::index::Idx::new(0))
}

fn change(decision: &Decision) -> Option<Change> {
    match decision.kind {
        Kind::FenceBefore => {
            decision.point.map(|point| Change::FenceBefore(point, FenceKind::Full))
        }
        Kind::FenceAfter => decision.point.map(|point| Change::FenceAfter(point, FenceKind::Full)),
        Kind::LockedStore => Some(Change::LockStore(decision.span)),
        Kind::OldFence | Kind::OldLockedStore | Kind::OldExchange => None,
    }
}

fn undo(decision: &Decision) -> Option<Change> {
    match decision.kind {
        Kind::OldFence => Some(Change::RemoveFence(decision.span)),
        Kind::OldLockedStore | Kind::OldExchange => Some(Change::UnlockStore(decision.span)),
        Kind::FenceBefore | Kind::FenceAfter | Kind::LockedStore => None,
    }
}

/// The program that the changed texts are.
pub(super) fn read_again(
    options: &Fence,
    loaded: &Loaded,
    texts: &[(SourceId, String)],
) -> Result<Program, Diagnostics> {
    loaded.again(&options.inputs, texts).map_err(|errors| {
        let first = errors.into_iter().next().map(|error| error.message).unwrap_or_default();
        let message = format!("the repaired program cannot be read: {first}");
        let help = "this is a bug in Fencewright, please report it with the program";
        vec![Diagnostic::new(Span::NONE, message).help(help)]
    })
}

/// What changed, for `patch`.
pub(super) fn difference(loaded: &Loaded, texts: &[(SourceId, String)]) -> String {
    let one = |(source, new): &(SourceId, String)| {
        let old = loaded.sources.text(*source);
        report::diff::unified_diff(loaded.sources.name(*source), old, new)
    };
    texts.iter().map(one).collect()
}
