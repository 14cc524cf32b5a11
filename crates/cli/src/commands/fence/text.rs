//! The repaired program as a text.

use frontend::Settings;
use frontend::edit::{Change, edit};
use program::{Count, Diagnostic, Diagnostics, Program, SourceId, Sources, Span};
use repair::{Decision, Kind};
use report::fence::{Answer, Outcome};

use crate::arguments::fence::Fence;
use crate::input::Loaded;

/// The text with the changes, if there is a repair and it can be written; an error if somebody wants it
/// and it cannot.
pub(super) fn edited(
    options: &Fence,
    loaded: &Loaded,
    answer: &Answer,
) -> Result<Option<String>, Diagnostics> {
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
    match edit(&loaded.sources, source(answer), loaded.language, &changes) {
        Ok(text) => Ok(Some(text)),
        Err(errors) if is_wanted => Err(errors),
        Err(_) => Ok(None),
    }
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
        Kind::FenceBefore => decision.point.map(Change::FenceBefore),
        Kind::FenceAfter => decision.point.map(Change::FenceAfter),
        Kind::LockedStore => Some(Change::LockStore(decision.span)),
        Kind::OldFence | Kind::OldLockedStore => None,
    }
}

fn undo(decision: &Decision) -> Option<Change> {
    match decision.kind {
        Kind::OldFence => Some(Change::RemoveFence(decision.span)),
        Kind::OldLockedStore => Some(Change::UnlockStore(decision.span)),
        Kind::FenceBefore | Kind::FenceAfter | Kind::LockedStore => None,
    }
}

/// The program that the changed text is.
pub(super) fn read_again(
    options: &Fence,
    loaded: &Loaded,
    text: &str,
) -> Result<Program, Diagnostics> {
    let mut sources = Sources::new();
    let source = sources.add("the repaired program", text);
    let inputs = &options.inputs;
    let settings = Settings { constants: inputs.constants.clone(), counts: inputs.counts.clone() };
    frontend::load(&sources, source, loaded.language, &settings).map_err(|_| {
        let message = "the repaired program cannot be read";
        let help = "this is a bug in Fencewright, please report it with the program";
        vec![Diagnostic::new(Span::NONE, message).help(help)]
    })
}

/// What changed, for `patch`.
pub(super) fn difference(loaded: &Loaded, new: &str) -> String {
    let old = loaded.sources.text(program::index::Idx::new(0));
    report::diff::unified_diff(&loaded.file, old, new)
}
