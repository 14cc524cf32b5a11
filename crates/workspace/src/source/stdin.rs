//! Standard input as a file for compilers: it lies somewhere, and is called `<stdin>`.

use std::path::{Path, PathBuf};

/// What standard input is called.
pub(crate) const NAME: &str = "<stdin>";

/// Where standard input lies, if a compiler is to read it.
#[derive(Clone, Debug, Default)]
pub(super) struct StandardInput(pub(super) Option<PathBuf>);

impl StandardInput {
    /// The name of a file, if it is this one.
    pub(super) fn name(&self, path: &Path) -> Option<String> {
        (self.0.as_deref() == Some(path)).then(|| NAME.to_owned())
    }

    /// The file of a name.
    pub(super) fn file(&self, name: &Path) -> PathBuf {
        self.0.clone().filter(|_| name == Path::new(NAME)).unwrap_or_else(|| name.to_owned())
    }

    /// A message with its name in the place of where it lies.
    pub(super) fn renamed(&self, message: &str) -> String {
        match &self.0 {
            Some(path) => message.replace(&*path.to_string_lossy(), NAME),
            None => message.to_owned(),
        }
    }
}
