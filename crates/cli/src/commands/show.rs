//! `fencewright show`.

use crate::arguments::{Format, Show};
use crate::input;
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(show: &Show, output: &mut Output) -> Status {
    let mut first = true;
    input::for_each(&show.inputs, show.format, output, |loaded, output| {
        let text = match show.format {
            Format::Text => report::program_text::render(&loaded.program, &loaded.sources),
            Format::Json => report::json::program(
                &loaded.file,
                loaded.language().name(),
                &loaded.program,
                &loaded.sources,
            ),
        };
        if !first && show.format == Format::Text {
            output.result("\n");
        }
        first = false;
        output.result(&text);
        Status::Fine
    })
}
