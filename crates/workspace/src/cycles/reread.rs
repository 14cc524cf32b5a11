//! Changed texts of C and Rust, read again as a closed program.

use frontend::edit::Change as TextChange;
use program::{Diagnostics, Program, SourceId, Sources};

use super::Cycles;
use super::refined::Texts;
use crate::fence::text::in_source;
use crate::host::Host;
use crate::inputs::Loaded;
use crate::source::Compilation;

/// What is assumed of a compiler where executions decide what is ordered.
pub(super) fn assumption() -> String {
    "executions decide what is ordered: this assumes that the compiler keeps a store after the loads that its value, \
     its address or its being made comes from"
        .to_owned()
}

/// The texts with changes, and the closed program that they make.
pub(super) fn program(
    changes: &[TextChange],
    sources: &Sources,
    compilation: &Compilation,
    (host, closed): (&dyn Host, &Loaded),
    question: &Cycles,
) -> Result<Option<(Texts, Program)>, Diagnostics> {
    if changes.is_empty() {
        return Ok(Some((Vec::new(), closed.program.clone())));
    }
    let texts = match in_source(sources, compilation, None, (changes, &[]), question.needs_text) {
        Ok(texts) => texts,
        Err(errors) if question.needs_text => return Err(errors),
        Err(_) => return Ok(None),
    };
    let program = closed.again(host, &renamed(&texts, sources, closed))?;
    Ok(Some((texts, program)))
}

/// Texts by the numbers that they have where the closed program comes from.
pub(super) fn renamed(texts: &[(SourceId, String)], sources: &Sources, closed: &Loaded) -> Texts {
    let number = |source: &SourceId| {
        let name = sources.name(*source);
        let at = closed.sources.names().position(|other| other == name);
        at.map(program::index::Idx::new)
    };
    texts.iter().filter_map(|(source, text)| Some((number(source)?, text.clone()))).collect()
}
