//! What front ends have to say about an input: data, rendered elsewhere.

use crate::source::Span;
use crate::validate::Defect;

/// An error in an input. `message` is the one line shown where only one can be shown: it says what
/// is wrong in terms of the source; `label` says at the caret what is there or what was expected;
/// `help` says what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands at the caret; may be empty.
    pub label: String,
    /// Another place that explains it, with what to say there.
    pub related: Option<(Span, String)>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, label: String::new(), related: None, help: None }
    }

    /// With these words at the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// With another place that explains it.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related = Some((span, label.into()));
        self
    }

    /// With what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// All errors of an input, at least one.
pub type Diagnostics = Vec<Diagnostic>;

impl From<Defect> for Diagnostic {
    fn from(defect: Defect) -> Self {
        Self::new(defect.span, defect.message)
    }
}
