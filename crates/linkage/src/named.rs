//! Functions and variables as people name them: by their names in C, or by the end of a path in Rust.

use program::{Diagnostic, Diagnostics, Span};

use crate::link::{Item, Linked};
use crate::names::is_of_rust;
use crate::symbols::readable;

/// How many names an error lists.
const MOST_NAMES: usize = 8;

/// Whether somebody who writes a name means a symbol: a name of C, or the end of a path of Rust.
pub fn is_meant(written: &str, symbol: &str) -> bool {
    let shown = readable(symbol);
    shown == written || shown.strip_suffix(written).is_some_and(|front| front.ends_with("::"))
}

impl Linked<'_> {
    /// The function with a body that a user names.
    pub fn named_function(&self, name: &str) -> Result<Item, Diagnostics> {
        if let Some(item) = self.defined_function(name) {
            return Ok(item);
        }
        let defined = || self.all_items().filter(|item| self.has_body(*item));
        let mut found: Vec<Item> =
            defined().filter(|item| is_meant(name, self.name(*item))).collect();
        // A whole path is no end of another.
        let is_whole = |item: &Item| llvm::demangled(self.name(*item)).as_deref() == Some(name);
        if found.iter().any(is_whole) {
            found.retain(is_whole);
        }
        let path = |item: Item| readable(self.name(item));
        match found[..] {
            [one] => Ok(one),
            [] => {
                let own = defined().map(path).filter(|path| !is_of_rust(path));
                Err(missing("function", name, own))
            }
            [_, _, ..] => {
                let mut paths: Vec<String> = found.into_iter().map(path).collect();
                paths.dedup();
                let message = format!("`{name}` is the name of several functions");
                let help = format!("say which: `{}`", paths.join("`, `"));
                Err(vec![Diagnostic::new(Span::NONE, message).help(help)])
            }
        }
    }

    /// The variable that a user names.
    pub fn named_variable(&self, name: &str) -> Result<Item, Diagnostics> {
        let variables = || self.all_items().filter(|item| self.global(*item).is_some());
        if let Some(item) = variables().find(|item| self.name(*item) == name) {
            return Ok(self.resolve(item.module, item.symbol));
        }
        let names = variables().map(|item| self.name(item).to_owned());
        Err(missing("variable", name, names.filter(|name| !name.starts_with('.'))))
    }
}

/// That a name is not there, with one that is meant perhaps, or some that are.
fn missing(what: &str, name: &str, names: impl Iterator<Item = String>) -> Diagnostics {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_owned();
    let likeness = |other: &String| {
        strsim::jaro_winkler(name, other).max(strsim::jaro_winkler(&last(name), &last(other)))
    };
    let like = names
        .iter()
        .map(|other| (likeness(other), other))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|one, other| one.0.total_cmp(&other.0));
    let error = Diagnostic::new(Span::NONE, format!("there is no {what} `{name}`"));
    vec![match like {
        Some((_, like)) => error.help(format!("did you mean `{like}`?")),
        None if names.is_empty() => error,
        None => {
            let some = names[..names.len().min(MOST_NAMES)].join("`, `");
            let more = if names.len() > MOST_NAMES { " and others" } else { "" };
            // Paths of Rust.
            let generic = if names.iter().any(|name| name.contains("::")) {
                "; a generic function is there only for the types that the program uses it with"
            } else {
                ""
            };
            error.help(format!("there are `{some}`{more}{generic}"))
        }
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_rust_may_be_cut_at_the_front() {
        assert!(is_meant("log_it", "log_it"));
        assert!(!is_meant("it", "log_it"));
        let mangled = "_RNvNtCs1234_7mycrate4util3log";
        assert!(is_meant("util::log", mangled) && is_meant("log", mangled));
        assert!(!is_meant("til::log", mangled));
    }
}
