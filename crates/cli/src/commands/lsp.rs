//! `fencewright lsp`.

use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(output: &mut Output) -> Status {
    match lsp::serve() {
        Ok(()) => Status::Fine,
        Err(error) => {
            output.message(&format!(
                "error: the editor and the server did not understand each other: {error}\n"
            ));
            Status::BadInput
        }
    }
}
