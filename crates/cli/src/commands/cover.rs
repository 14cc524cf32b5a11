//! `fencewright cover`.

use workspace::{Refused, Workspace};

use crate::arguments::Format;
use crate::arguments::cover::Cover;
use crate::form::Form;
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(options: &Cover, output: &mut Output) -> Status {
    let question = options.question();
    let mut workspace = Workspace::default();
    let mut worst = Status::Fine;
    for file in &options.files {
        let status = match workspace.cover(file, &question) {
            Ok(answer) => {
                match options.format {
                    Format::Text => output.text(&report::cover_text::render(file, &answer)),
                    Format::Json => output.data(&report::json::cover(file, &answer)),
                }
                answer.conclusion().into()
            }
            Err(Refused { errors, sources }) => {
                Form::from(options.format).errors((file, &[]), &errors, &sources, output);
                Status::BadInput
            }
        };
        worst = worst.max(status);
    }
    worst
}
