//! `fencewright show`.

use workspace::Loaded;

use crate::arguments::{Format, Show};
use crate::input;
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(show: &Show, output: &mut Output) -> Status {
    input::for_each(&show.inputs, show.format, output, |given, output| {
        let loaded = given.loaded();
        let Loaded { file, program, sources, .. } = loaded;
        match show.format {
            Format::Text => {
                if !given.is_first {
                    output.text("\n");
                }
                output.text(&report::program_text::render(program, sources));
            }
            Format::Json => {
                let language = loaded.language().name();
                output.data(&report::json::program(file, language, program, sources));
            }
        }
        Ok(Status::Fine)
    })
}
