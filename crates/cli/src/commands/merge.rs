//! `fencewright merge`: the answers of several commands as one.

use report::shards::{Merged, are_answers, line, merged};

use crate::arguments::Format;
use crate::arguments::batch::Merge;
use crate::commands::batch;
use crate::output::Output;
use crate::status::{Status, Tally};

pub(crate) fn run(options: &Merge, output: &mut Output) -> Status {
    match parts(options) {
        Ok(None) => batch::merge(options, output),
        Ok(Some(merged)) => tell(&merged, options.format, output),
        Err(problem) => output.refuse(&problem),
    }
}

/// The parts put together; nothing if they are results of `batch`.
fn parts(options: &Merge) -> Result<Option<Merged>, String> {
    let mut texts = Vec::new();
    for file in &options.files {
        let text = std::fs::read_to_string(file);
        texts.push(text.map_err(|error| format!("{}: {error}", file.display()))?);
    }
    if !are_answers(&texts)? {
        return Ok(None);
    }
    if options.list.is_some() {
        return Err(
            "`--list` is about packages of `batch`; other parts say which are missing".to_owned()
        );
    }
    let names = options.files.iter().map(|file| file.display().to_string());
    merged(&names.zip(texts).collect::<Vec<_>>()).map(Some)
}

fn tell(merged: &Merged, format: Format, output: &mut Output) -> Status {
    for document in &merged.documents {
        match format {
            Format::Text => output.text(&line(document)),
            Format::Json => output.documents(document),
        }
    }
    let tally = Tally::from(merged.counts);
    if format == Format::Text
        && let Some(told) = tally.told()
    {
        output.message(&told);
    }
    for missing in &merged.missing {
        output.message(&format!("note: {}\n", report::terminal::line(missing)));
    }
    let all = if merged.missing.is_empty() { Status::Fine } else { Status::Undecided };
    tally.status().max(all)
}
