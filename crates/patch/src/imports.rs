//! Which names of Rust's atomics a place can use: those that `use` declarations bring into the module and
//! the blocks around it. Others are written with their whole path.

use crate::fence::library;
use crate::syntax::{Syntax, ancestors, children};
use crate::tree::Node;

/// A name that a `use` declaration makes known, or all names of a module.
struct Import {
    /// The name; nothing for `*`.
    name: Option<String>,
    /// What it means, by segments.
    path: Vec<String>,
}

/// How something in `sync::atomic` is written at an offset of a Rust text: `["fence"]` as `fence`, `atomic::fence`
/// or `std::sync::atomic::fence`.
pub(crate) fn spelled(syntax: &Syntax, at: usize, item: &[&str]) -> String {
    let target: Vec<&str> = ["sync", "atomic"].iter().chain(item).copied().collect();
    let imports = imports_at(syntax, at);
    let hidden = |name: &str| is_variable(syntax, at, name);
    // The shortest way to write it is by what stands for most of its path.
    for known in (1..=target.len()).rev() {
        for import in &imports {
            let (named, means) = match &import.name {
                Some(name) => (name.as_str(), &target[..known]),
                None => (target[known - 1], &target[..known - 1]),
            };
            if is_root_of(&import.path, means) && !hidden(named) {
                let rest = target[known..].iter().copied();
                return std::iter::once(named).chain(rest).collect::<Vec<_>>().join("::");
            }
        }
    }
    format!("{}::{}", library(syntax.text()), target.join("::"))
}

/// Whether a path ends in these segments of the standard library, or of a module that stands for it.
fn is_root_of(path: &[String], segments: &[&str]) -> bool {
    let Some(root) = path.len().checked_sub(segments.len()).filter(|root| *root > 0) else {
        return false;
    };
    let ends = path[root..].iter().map(String::as_str).eq(segments.iter().copied());
    // `sync` alone may be any module.
    let is_library = matches!(path[0].as_str(), "std" | "core");
    ends && (is_library || segments.contains(&"atomic"))
}

/// Whether the function around a place has a variable with a name.
fn is_variable(syntax: &Syntax, at: usize, name: &str) -> bool {
    let Some((_, function)) = syntax.function_at(at) else { return false };
    let text = &syntax.text()[function];
    text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .zip(text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).skip(1))
        .any(|(before, word)| matches!(before, "let" | "mut" | "ref") && word == name)
        || text.contains(&format!("{name}: "))
}

/// What is known at a place, the innermost first.
fn imports_at(syntax: &Syntax, at: usize) -> Vec<Import> {
    let mut found = Vec::new();
    let Some(leaf) = syntax.leaf(at.min(syntax.text().len().saturating_sub(1))) else {
        return found;
    };
    for scope in ancestors(leaf) {
        let is_module = scope.kind() == "source_file"
            || scope.parent().is_some_and(|parent| parent.kind() == "mod_item");
        if is_module || scope.kind() == "block" {
            for declaration in children(scope).filter(|node| node.kind() == "use_declaration") {
                if let Some(argument) = declaration.child_by_field_name("argument") {
                    collect(syntax, argument, &[], &mut found);
                }
            }
        }
        if is_module {
            break;
        }
    }
    found
}

fn collect(syntax: &Syntax, node: Node<'_>, prefix: &[String], found: &mut Vec<Import>) {
    let segments = |node: Node<'_>| -> Vec<String> {
        let text = syntax.of(node);
        let own = text.split("::").map(str::trim).filter(|one| !one.is_empty() && *one != "*");
        prefix.iter().cloned().chain(own.map(str::to_owned)).collect()
    };
    match node.kind() {
        "scoped_use_list" => {
            let inner = node.child_by_field_name("path").map_or_else(|| prefix.to_vec(), segments);
            if let Some(list) = node.child_by_field_name("list") {
                collect(syntax, list, &inner, found);
            }
        }
        "use_list" => {
            for one in children(node).filter(Node::is_named) {
                collect(syntax, one, prefix, found);
            }
        }
        "use_as_clause" => {
            let (path, alias) =
                (node.child_by_field_name("path"), node.child_by_field_name("alias"));
            if let (Some(path), Some(alias)) = (path, alias) {
                let name = Some(syntax.of(alias).to_owned());
                found.push(Import { name, path: segments(path) });
            }
        }
        "use_wildcard" => found.push(Import { name: None, path: segments(node) }),
        // The module itself: `atomic::{self, …}`.
        "self" => {
            found.push(Import { name: prefix.last().cloned(), path: prefix.to_vec() });
        }
        _ => {
            let path = segments(node);
            found.push(Import { name: path.last().cloned(), path });
        }
    }
}
