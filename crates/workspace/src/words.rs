//! Parts of a question as people write them, on the command line and in scripts.

use lowering::{Entry, EntryArgument};
use program::Value;

/// A thread that is asked for, and whether there is any number of its copies.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The function, its arguments and the number of copies.
    pub entry: Entry,
    /// Whether there is any number of copies.
    pub is_any: bool,
}

/// A thread: `function`, `function*2`, `function*any`, `function(1, &queue)*2`.
pub fn thread(text: &str) -> Result<Asked, String> {
    let (what, is_any) = match text.rsplit_once('*') {
        Some((what, copies)) if copies.trim() == "any" => (what, true),
        Some(_) | None => (text, false),
    };
    let entry = entry(what)?;
    if is_any && entry.copies != 1 {
        return Err("there is either a number of copies or any number".to_owned());
    }
    Ok(Asked { entry, is_any })
}

/// A function with its arguments: `function`, `function*2`, `function(1, &queue)*2`.
pub fn entry(text: &str) -> Result<Entry, String> {
    let form = || "expected FUNCTION, FUNCTION*N, FUNCTION*any or FUNCTION(ARGUMENTS)*N".to_owned();
    let (what, copies) = match text.rsplit_once('*') {
        Some((what, copies)) if !copies.trim().is_empty() && !copies.contains(')') => {
            let copies = copies.trim().parse().ok().filter(|copies| (1..=64).contains(copies));
            (what.trim(), copies.ok_or_else(|| "the number of copies must be 1 to 64".to_owned())?)
        }
        Some(_) | None => (text.trim(), 1),
    };
    let (function, arguments) = match what.split_once('(') {
        Some((function, rest)) => {
            let inside = rest.strip_suffix(')').ok_or_else(form)?;
            let given = inside.split(',').map(str::trim).filter(|one| !one.is_empty());
            (function.trim(), given.map(argument).collect::<Result<Vec<_>, _>>()?)
        }
        None => (what, Vec::new()),
    };
    if function.is_empty() {
        return Err(form());
    }
    Ok(Entry { function: function.to_owned(), arguments, copies, is_first: false })
}

fn argument(text: &str) -> Result<EntryArgument, String> {
    if let Some(variable) = text.strip_prefix('&') {
        return Ok(EntryArgument::AddressOf(variable.trim().to_owned()));
    }
    if text == "self" {
        return Ok(EntryArgument::Identity);
    }
    integer(text)
        .filter(|value: &Value| program::value::is_at_rest(*value))
        .map(EntryArgument::Number)
        .ok_or_else(|| format!("`{text}` is neither an integer nor `&` and a variable nor `self`"))
}

/// An integer, decimal or hexadecimal: `42`, `-1`, `0x2a`.
pub fn integer(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => Value::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    value.ok().filter(|value| *value >= 0).map(|value| sign * value)
}
