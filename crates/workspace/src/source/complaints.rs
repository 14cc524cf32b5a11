//! What compilers complain of as errors of ours: with the texts, so that they can be shown where they are.

use std::path::Path;

use compiler::{Complaint, Failure, complaints};
use program::index::Idx;
use program::{Diagnostic, Diagnostics, SourceId, Sources, Span};

use super::stdin::StandardInput;
use super::text::{decode, shown};
use crate::host::Host;

/// More are rarely read, and most of them follow from the first.
const MOST: usize = 20;

/// A failure to compile, each error where it is; in the compiler's own words, with its command, if that is not known of
/// all of them.
pub(super) fn of_failure(
    failure: &Failure,
    host: &dyn Host,
    sources: &mut Sources,
    stdin: &StandardInput,
) -> Diagnostics {
    let whole = || vec![Diagnostic::new(Span::NONE, stdin.renamed(&failure.to_string()))];
    let Failure::Compiler { folder, message, .. } = failure else { return whole() };
    let mut errors = Diagnostics::new();
    for complaint in complaints(message).into_iter().take(MOST) {
        let Some(error) = placed(&complaint, folder, host, sources, stdin) else {
            return whole();
        };
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
    if errors.is_empty() { whole() } else { errors }
}

fn placed(
    complaint: &Complaint,
    folder: &Path,
    host: &dyn Host,
    sources: &mut Sources,
    stdin: &StandardInput,
) -> Option<Diagnostic> {
    let Complaint { message, path, line, column, width, label, help } = complaint;
    let path = folder.join(path);
    let name = stdin.name(&path).unwrap_or_else(|| shown(host.current_folder().as_deref(), &path));
    let known = sources.names().position(|known| known == name);
    let source = match known {
        Some(at) => SourceId::new(at),
        None => sources.add(name, decode(host.read(&path).ok()?)?.text),
    };
    let is_rust = path.extension().is_some_and(|extension| extension == "rs");
    let span = span(sources, source, (*line, *column), *width, is_rust)?;
    let error = Diagnostic::new(span, message.as_str()).label(label.as_str());
    Some(match help {
        Some(help) => error.help(help.as_str()),
        None => error,
    })
}

/// The bytes that are meant; columns are characters in Rust, and bytes in C.
fn span(
    sources: &Sources,
    source: SourceId,
    (line, column): (usize, usize),
    width: usize,
    is_rust: bool,
) -> Option<Span> {
    let text = sources.text(source);
    let begins: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let rest = text.get(begins..)?;
    let rest = rest.split('\n').next().unwrap_or_default();
    let start = if is_rust {
        rest.char_indices().nth(column - 1).map_or(rest.len(), |(at, _)| at)
    } else {
        rest.floor_char_boundary(column - 1)
    };
    let length = rest[start..].char_indices().nth(width).map_or(rest.len() - start, |(at, _)| at);
    Some(Span::new(source, begins + start..begins + start + length))
}
