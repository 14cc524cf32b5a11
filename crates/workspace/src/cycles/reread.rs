//! Changed texts of C and Rust, read again as a closed program.

use cycles::answer::Repair;
use frontend::edit::Change as TextChange;
use program::{Program, Sources};

use super::Cycles;
use super::refined::Reread;
use super::texts::{Edges, NewTexts, Texts};
use super::whole::NotTold;
use crate::host::Host;
use crate::inputs::Loaded;
use crate::source::Compilation;

/// What is assumed of a compiler where executions decide what is ordered.
pub(super) fn assumption() -> String {
    "executions decide what is ordered: this assumes that the compiler keeps a store after the loads that its value, \
     its address or its being made comes from"
        .to_owned()
}

/// The texts with the changes of a repair, and the closed program that they make.
pub(super) fn program(
    (repair, changes): (&Repair, &[TextChange]),
    (sources, compilation): (&Sources, &Compilation),
    (host, closed): (&dyn Host, &Loaded),
    question: &Cycles,
) -> Result<Option<Reread>, NotTold> {
    if changes.is_empty() {
        let (texts, added) = (Texts::new(), Edges::new());
        return Ok(Some(Reread { texts, program: closed.program.clone(), added }));
    }
    let new = NewTexts::of_sources((sources, compilation), changes, question.needs_text)?;
    let Some(new) = new else { return Ok(None) };
    let again = closed.again(host, &renamed(&new.texts, sources, closed));
    let (program, now) = again.map_err(|why| NotTold::of(why, Some(repair)))?;
    let added = new.edges(&closed.program, &program, &now);
    Ok(Some(Reread { texts: new.texts, program, added }))
}

/// The closed program with changes, if they can be written.
pub(super) fn changed(
    changes: &[TextChange],
    ((sources, compilation), (host, closed)): ((&Sources, &Compilation), (&dyn Host, &Loaded)),
) -> Result<Option<Program>, NotTold> {
    if changes.is_empty() {
        return Ok(Some(closed.program.clone()));
    }
    let new = NewTexts::of_sources((sources, compilation), changes, false)?;
    let Some(new) = new else { return Ok(None) };
    let again = closed.again(host, &renamed(&new.texts, sources, closed));
    let (program, _) = again.map_err(|why| NotTold::of(why, None))?;
    Ok(Some(program))
}

/// Texts by the numbers that they have where the closed program comes from.
pub(super) fn renamed(texts: &Texts, sources: &Sources, closed: &Loaded) -> Texts {
    let number = |source: &program::SourceId| {
        let name = sources.name(*source);
        let at = closed.sources.names().position(|other| other == name);
        at.map(program::index::Idx::new)
    };
    texts.iter().filter_map(|(source, text)| Some((number(source)?, text.clone()))).collect()
}
