//! The documents that are open, as both threads see them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lsp_types::{Range, Uri};

/// Everything that is known about open documents.
#[derive(Default)]
pub(crate) struct Documents {
    all: Mutex<BTreeMap<String, Document>>,
}

/// An open document.
#[derive(Clone, Default)]
pub(crate) struct Document {
    /// Increased by every edit.
    pub(crate) generation: u64,
    /// What is in the editor.
    pub(crate) text: String,
    /// What is said about places when somebody points there.
    pub(crate) hovers: Vec<(Range, String)>,
    /// Whether `fence` can repair what was found.
    pub(crate) is_repairable: bool,
    /// The other documents that show findings of this one.
    pub(crate) shown_elsewhere: Vec<Uri>,
}

impl Documents {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Document>> {
        // Nothing is left half done while it is held.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A document as it is now.
    pub(crate) fn get(&self, uri: &Uri) -> Option<Document> {
        self.all().get(uri.as_str()).cloned()
    }

    /// There is a new text, and all that was found out about the old one is gone.
    pub(crate) fn edit(&self, uri: &Uri, text: String) {
        let mut all = self.all();
        let document = all.entry(uri.as_str().to_owned()).or_default();
        document.generation += 1;
        document.text = text;
        document.hovers.clear();
        document.is_repairable = false;
    }

    pub(crate) fn close(&self, uri: &Uri) {
        self.all().remove(uri.as_str());
    }

    /// Whether a text is still the one in the editor.
    pub(crate) fn is_current(&self, uri: &Uri, generation: u64) -> bool {
        self.all().get(uri.as_str()).is_some_and(|document| document.generation == generation)
    }

    /// Changes what is known about a text, unless there is a new one; whether it is still there.
    pub(crate) fn update(
        &self,
        uri: &Uri,
        generation: u64,
        change: impl FnOnce(&mut Document),
    ) -> bool {
        let mut all = self.all();
        match all.get_mut(uri.as_str()) {
            Some(document) if document.generation == generation => {
                change(document);
                true
            }
            Some(_) | None => false,
        }
    }
}
