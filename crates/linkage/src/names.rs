//! Paths of Rust as demanglers write them: taken apart without knowing what they mean.

/// Where the bracket that opens at `open` closes. The arrow of a function type closes nothing.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0u32;
    let mut before = ' ';
    for (at, letter) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match letter {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        before = letter;
    }
    None
}

/// Where a text stands outside all brackets.
fn find_outside(text: &str, wanted: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(wanted) {
            return Some(at);
        }
        let letter = rest.chars().next()?;
        at = match letter {
            '<' | '(' | '[' | '{' => closing(text, at)? + 1,
            _ => at + letter.len_utf8(),
        };
    }
    None
}

/// A path without generic arguments: `std::thread::JoinHandle::join` for
/// `<std::thread::JoinHandle<u32>>::join`. What implements a trait keeps its brackets:
/// `<u32 as core::fmt::Display>::fmt`.
pub fn plain(name: &str) -> String {
    let (mut path, rest) = match (name.starts_with('<'), closing(name, 0)) {
        (true, Some(end)) => {
            let inner = &name[1..end];
            let front = match find_outside(inner, " as ") {
                Some(at) => {
                    format!("<{} as {}>", plain(&inner[..at]), plain(&inner[at + 4..]))
                }
                None => plain(inner),
            };
            (front, &name[end + 1..])
        }
        (true | false, _) => (String::new(), name),
    };
    let mut at = 0;
    while let Some(letter) = rest[at..].chars().next() {
        match closing(rest, at) {
            Some(end) if letter == '<' => {
                if path.ends_with("::") {
                    path.truncate(path.len() - 2);
                }
                at = end + 1;
            }
            Some(_) | None => {
                path.push(letter);
                at += letter.len_utf8();
            }
        }
    }
    path
}

/// The generic arguments at the end of a path: `[F, T]` for `spawn::<F, T>`.
pub fn arguments(name: &str) -> Vec<&str> {
    let mut at = 0;
    let mut last = None;
    while let Some(open) = find_outside(&name[at..], "::<") {
        let open = at + open + 2;
        let Some(end) = closing(name, open) else { break };
        last = Some((open, end));
        at = end + 1;
    }
    let Some((open, end)) = last.filter(|(_, end)| end + 1 == name.len()) else {
        return Vec::new();
    };
    let mut list = &name[open + 1..end];
    let mut found = Vec::new();
    while let Some(comma) = find_outside(list, ", ") {
        found.push(&list[..comma]);
        list = &list[comma + 2..];
    }
    found.push(list);
    found
}

/// The generic arguments of the type that a method belongs to: `u8` for `<a::B<u8>>::f`.
pub fn arguments_of_type(name: &str) -> Option<&str> {
    let end = closing(name, 0).filter(|_| name.starts_with('<'))?;
    let ty = &name[1..end];
    let open = ty.find('<')?;
    closing(ty, open).map(|close| &ty[open + 1..close])
}

/// The type of what a shim calls: `F` for `<F as core::ops::function::FnOnce<()>>::call_once`.
pub fn called_once(name: &str) -> Option<&str> {
    let end = closing(name, 0).filter(|_| name.starts_with('<'))?;
    let inner = &name[1..end];
    let at = find_outside(inner, " as core::ops::function::FnOnce<")?;
    (&name[end + 1..] == "::call_once").then_some(&inner[..at])
}

/// One way of writing for a path as a type and as a function: `f<T>::{closure#0}`.
pub fn normal(name: &str) -> String {
    name.replace("::<", "<")
}

/// What a thread that runs this is called: the function it is in, without its crate.
pub fn of_thread(callable: &str) -> String {
    let path = plain(callable);
    let without_crate = path.split_once("::").map_or(path.as_str(), |(_, rest)| rest);
    let named: Vec<&str> =
        without_crate.split("::").filter(|part| !part.starts_with('{')).collect();
    if named.is_empty() { path } else { named.join("::") }
}

/// How a symbol is shown: without its crate if it is Rust's.
pub fn shown(symbol: &str) -> String {
    match llvm::demangled(symbol) {
        Some(path) => match path.split_once("::") {
            Some((_, rest)) if !path.starts_with('<') => rest.to_owned(),
            Some(_) | None => path,
        },
        None => symbol.to_owned(),
    }
}

/// Whether a path is of Rust's own libraries, or what they make of types that they do not know.
pub fn is_of_rust(path: &str) -> bool {
    let path = path.trim_start_matches('<');
    ["core::", "alloc::", "std::"].iter().any(|own| path.starts_with(own))
}

/// The last two parts of a path.
pub fn last_two(path: &str) -> (&str, &str) {
    match path.rsplit_once("::") {
        Some((front, last)) => (front.rsplit("::").next().unwrap_or(front), last),
        None => ("", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_arguments_are_taken_from_paths() {
        let table = [
            (
                "std::thread::functions::spawn::<a::main::{closure#0}, u32>",
                "std::thread::functions::spawn",
            ),
            (
                "<std::thread::join_handle::JoinHandle<u32>>::join",
                "std::thread::join_handle::JoinHandle::join",
            ),
            ("<a::B<u8> as core::clone::Clone>::clone", "<a::B as core::clone::Clone>::clone"),
            ("a::f::<fn(u8) -> u8>::{closure#0}", "a::f::{closure#0}"),
            ("core::ptr::drop_in_place::<[a::B<u8>]>", "core::ptr::drop_in_place"),
        ];
        for (name, expected) in table {
            assert_eq!(plain(name), expected);
        }
    }

    #[test]
    fn the_last_generic_arguments_are_found() {
        let spawn =
            "<std::thread::scoped::Scope>::spawn::<a::f<u8, fn() -> u8>::{closure#0}, (u8, u8)>";
        assert_eq!(arguments(spawn), ["a::f<u8, fn() -> u8>::{closure#0}", "(u8, u8)"]);
        assert!(arguments("a::f::<u8>::{closure#0}").is_empty());
        assert!(arguments("a::f").is_empty());
        assert_eq!(arguments_of_type("<a::B<c::D<u8>>>::f::<u16>"), Some("c::D<u8>"));
        assert_eq!(arguments_of_type("<a::B>::f"), None);
    }

    #[test]
    fn shims_name_what_they_call() {
        let shim = "<a::f<u8>::{closure#0} as core::ops::function::FnOnce<()>>::call_once";
        assert_eq!(called_once(shim), Some("a::f<u8>::{closure#0}"));
        assert_eq!(called_once(&format!("{shim}::{{shim:vtable#0}}")), None);
        assert_eq!(called_once("<a::B as core::clone::Clone>::clone"), None);
        assert_eq!(normal("a::f::<u8>::{closure#0}"), "a::f<u8>::{closure#0}");
        assert_eq!(of_thread("a::m::f<u8>::{closure#0}::{closure#1}"), "m::f");
    }
}
