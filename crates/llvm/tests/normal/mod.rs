//! What LLVM prints, brought to a form in which two printings can be compared: without attributes and
//! flags, with places in the source instead of numbers of metadata. Shares no code with the parser.

use std::collections::HashMap;

/// Attributes, with their arguments if they have any.
const ATTRIBUTES: &[&str] = &[
    // of parameters, results and calls
    "noundef",
    "zeroext",
    "signext",
    "nonnull",
    "noalias",
    "nocapture",
    "readonly",
    "readnone",
    "writeonly",
    "immarg",
    "returned",
    "inreg",
    "nofree",
    "nosync",
    "willreturn",
    "nounwind",
    "dereferenceable",
    "dereferenceable_or_null",
    "captures",
    "range",
    "nofpclass",
    "initializes",
    "writable",
    "dead_on_unwind",
    "allocptr",
    "allocalign",
    "byval",
    "sret",
    "elementtype",
    "nonlazybind",
    "noreturn",
    "returns_twice",
    "argmemonly",
    "memory",
    "noext",
    "nest",
    "inrange",
    // of symbols
    "dso_local",
    "local_unnamed_addr",
    "unnamed_addr",
    "hidden",
    "protected",
    "comdat",
];

/// Flags of arithmetic, of addresses and of calls, which never have arguments.
const FLAGS: &[&str] = &[
    "nuw",
    "nsw",
    "exact",
    "inbounds",
    "nusw",
    "disjoint",
    "samesign",
    "nneg",
    "fast",
    "nnan",
    "ninf",
    "nsz",
    "arcp",
    "contract",
    "afn",
    "reassoc",
    "tail",
    "musttail",
    "notail",
    "fastcc",
    "coldcc",
    "alignstack",
    "unwind",
];

/// The lines of a module but for metadata.
pub(crate) fn code(text: &str) -> Vec<String> {
    let nodes = nodes(text);
    let mut types = Vec::new();
    let mut lines = Vec::new();
    for line in text.lines() {
        let tokens = tokens(line);
        let Some(first) = tokens.first() else { continue };
        if ["source_filename", "target", "attributes", "uselistorder"].contains(first)
            || first.starts_with(['!', '$', '#'])
            || tokens.iter().any(|token| token.starts_with("@llvm.dbg."))
        {
            continue;
        }
        let line = normal_line(&tokens, &nodes);
        // Which type is printed first depends on what mentions it first, metadata included.
        if tokens.get(2) == Some(&"type") { types.push(line) } else { lines.push(line) }
    }
    types.sort();
    types.extend(lines);
    types
}

/// The nodes of debug information without the numbers of others; locations are compared elsewhere.
pub(crate) fn debug_nodes(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with('!') && line.contains("!DI"))
        .filter(|line| !line.contains("!DILocation(") && !line.contains("!DILabel("))
        .filter_map(|line| line.split_once(" = "))
        .map(|(_, node)| without_numbers(node))
        .collect();
    found.sort();
    found
}

fn without_numbers(node: &str) -> String {
    let words = tokens(node);
    words.iter().map(|word| if is_node(word) { "!" } else { word }).collect::<Vec<_>>().join(" ")
}

fn is_node(token: &str) -> bool {
    token.strip_prefix('!').is_some_and(|number| {
        !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit())
    })
}

fn nodes(text: &str) -> HashMap<&str, &str> {
    text.lines()
        .filter_map(|line| line.split_once(" = "))
        .filter(|(name, _)| is_node(name))
        .collect()
}

/// Words, strings and signs; comments are dropped.
fn tokens(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if first == ';' {
            break;
        }
        let length = if let Some(quote) = opening_quote(rest) {
            rest[quote + 1..].find('"').map_or(rest.len(), |close| quote + close + 2)
        } else if "()[]{}<>,=*|".contains(first) {
            1
        } else {
            rest.find(|next: char| next.is_whitespace() || "()[]{}<>,=*|\"".contains(next))
                .unwrap_or(rest.len())
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// Where a string begins, if a token does with one: `"…"`, `c"…"`, `@"…"`.
fn opening_quote(rest: &str) -> Option<usize> {
    let quote = rest.find('"')?;
    (quote == 0 || quote == 1 && rest.starts_with(['c', '@', '%', '!'])).then_some(quote)
}

fn normal_line(tokens: &[&str], nodes: &HashMap<&str, &str>) -> String {
    let atomic = tokens.iter().any(|token| ["cmpxchg", "atomicrmw"].contains(token));
    let mut line: Vec<String> = Vec::new();
    let mut position = 0;
    while let Some(&token) = tokens.get(position) {
        position += 1;
        let next = tokens.get(position).copied();
        let behind_comma = position >= 2 && tokens[position - 2] == ",";
        match token {
            _ if FLAGS.contains(&token) => {}
            _ if ATTRIBUTES.contains(&token) => {
                if next == Some("(") {
                    position = behind_group(tokens, position);
                }
                // Attributes of a global stand behind commas.
                if behind_comma && line.last().is_some_and(|last| last == ",") {
                    line.pop();
                }
            }
            "thread_local" => {
                line.push(token.to_owned());
                if next == Some("(") {
                    position = behind_group(tokens, position);
                }
            }
            "section" => {
                line.pop();
                position += 1;
            }
            "align" if !behind_comma || atomic => {
                if atomic && behind_comma {
                    line.pop();
                }
                position += 1;
            }
            "!dbg" => {
                line.push(place(next.unwrap_or(""), nodes, 0));
                position += 1;
            }
            _ if token.starts_with('#') => {}
            _ if token.starts_with('!') && is_node(next.unwrap_or("")) => {
                line.pop();
                position += 1;
            }
            _ if is_node(token) => line.push(without_numbers(nodes.get(token).unwrap_or(&""))),
            _ => line.push(token.to_owned()),
        }
    }
    line.join(" ")
}

fn behind_group(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// What a node of debug information is about: line, column, function, file, and where it was inlined.
fn place(id: &str, nodes: &HashMap<&str, &str>, depth: u32) -> String {
    let Some(node) = nodes.get(id) else { return "nowhere".to_owned() };
    let field = |name: &str| {
        let words = tokens(node);
        let position = words.iter().position(|word| *word == format!("{name}:"))?;
        words.get(position + 1).map(|value| (*value).to_owned())
    };
    let part = |name: &str| field(name).unwrap_or_default();
    let outer = |name: &str| match field(name) {
        Some(id) if is_node(&id) && depth < 50 => format!(" {}", place(&id, nodes, depth + 1)),
        _ => String::new(),
    };
    format!(
        "{}:{}{}{}{}{}{}{}",
        part("line"),
        part("column"),
        part("name"),
        part("filename"),
        part("scopeLine"),
        outer("scope"),
        outer("file"),
        outer("inlinedAt"),
    )
}
