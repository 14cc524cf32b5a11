//! `fencewright explain`.

use report::terminal::line;

use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(asked: &[String], output: &mut Output) -> Status {
    let asked = asked.join(" ");
    if asked.is_empty() {
        let (terms, codes) = report::explain::names();
        output.text(&format!(
            "Terms: {}.\n\nCodes of reasons and findings: {}.\n",
            terms.join(", "),
            codes.join(", ")
        ));
        return Status::Fine;
    }
    match report::explain::explain(&asked, Output::columns().unwrap_or(80)) {
        Ok(text) => {
            output.text(&text);
            Status::Fine
        }
        Err(near) => {
            let help = if near.is_empty() {
                "`fencewright explain` lists what is explained".to_owned()
            } else {
                format!("did you mean {}?", near.join(", "))
            };
            output.message(&format!("error: `{}` is not explained here\n  {help}\n", line(&asked)));
            Status::BadInput
        }
    }
}
