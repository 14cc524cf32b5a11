//! `fencewright cache`: what is kept of compiled programs, and forgetting it.

use compiler::{Cache, Usage};

use crate::output::Output;
use crate::status::Status;

/// Says where the cache is and what it holds, or clears it.
pub(crate) fn run(clear: bool, output: &mut Output) -> Status {
    let cache = Cache::usual();
    if clear && let Err(failure) = cache.clear() {
        output.message(&format!("error: {failure}\n"));
        return Status::BadInput;
    }
    output.text(&match cache.usage() {
        Some(usage) => shown(&usage),
        None => {
            "there is no cache: none of FENCEWRIGHT_CACHE, XDG_CACHE_HOME and HOME is set\n".into()
        }
    });
    Status::Fine
}

fn shown(usage: &Usage) -> String {
    let amount = |bytes| report::search_text::amount(usize::try_from(bytes).unwrap_or(usize::MAX));
    format!(
        "{}\n  compiled files: {} of at most {}\n  target folders of packages: {} of at most {}\n",
        usage.folder.display(),
        amount(usage.files),
        amount(usage.limit),
        amount(usage.packages),
        amount(usage.limit),
    )
}
