//! `fencewright completions`.

use clap::CommandFactory;

use crate::arguments::Arguments;
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(shell: clap_complete::Shell, output: &mut Output) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "fencewright", &mut script);
    output.data(&String::from_utf8_lossy(&script));
    Status::Fine
}
