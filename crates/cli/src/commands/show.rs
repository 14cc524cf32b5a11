//! `fencewright show`.

use crate::arguments::{Format, Show};
use crate::input::{self, Loaded};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(show: &Show, output: &mut Output) -> Status {
    let mut first = true;
    input::for_each(&show.inputs, show.format, output, |loaded, output| {
        let Loaded { file, program, sources, .. } = loaded;
        match show.format {
            Format::Text => {
                if !first {
                    output.text("\n");
                }
                output.text(&report::program_text::render(program, sources));
            }
            Format::Json => {
                let language = loaded.language().name();
                output.data(&report::json::program(file, language, program, sources));
            }
        }
        first = false;
        Status::Fine
    })
}
