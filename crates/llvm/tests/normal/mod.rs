//! What LLVM prints, brought to a form in which two printings can be compared: without attributes and
//! flags, with places in the source instead of numbers of metadata. Shares no code with the parser.

#![allow(dead_code, reason = "each test uses a part of this")]

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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
    "dead_on_return",
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
    let mut places = Places { nodes: nodes(text), known: HashMap::new() };
    let mut types = Vec::new();
    let mut lines = Vec::new();
    let mut behind_define = false;
    for tokens in statements(text) {
        let Some(first) = tokens.first() else { continue };
        // A first block without a name has a label in some printings.
        let number = first.strip_suffix(':').unwrap_or("");
        let is_number = !number.is_empty() && number.chars().all(|digit| digit.is_ascii_digit());
        if behind_define && is_number {
            continue;
        }
        behind_define = *first == "define";
        if ["source_filename", "target", "attributes", "uselistorder"].contains(first)
            || first.starts_with(['!', '$', '#'])
            || tokens.iter().any(|token| token.starts_with("@llvm.dbg."))
        {
            continue;
        }
        let line = normal_line(&tokens, &mut places);
        // Which type is printed first depends on what mentions it first, metadata included.
        if tokens.get(2) == Some(&"type") { types.push(line) } else { lines.push(line) }
    }
    types.sort();
    types.extend(lines);
    types
}

/// The tokens of each line, with the lines that belong to it: cases of a `switch`, the targets of an
/// `invoke`, the clauses of a `landingpad`.
fn statements(text: &str) -> Vec<Vec<&str>> {
    let mut found: Vec<Vec<&str>> = Vec::new();
    for line in text.lines() {
        let tokens = tokens(line);
        let continues = match tokens.first() {
            Some(&first) => ["to", "cleanup", "catch", "filter"].contains(&first),
            None => false,
        };
        match found.last_mut() {
            Some(last) if continues || is_open(last) => last.extend(tokens),
            _ => found.push(tokens),
        }
    }
    found
}

/// Whether a statement ends with a bracket that it opens.
fn is_open(tokens: &[&str]) -> bool {
    let count = |sign: &str| tokens.iter().filter(|token| **token == sign).count();
    count("[") > count("]")
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

fn normal_line<'a>(tokens: &[&'a str], places: &mut Places<'a>) -> String {
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
            // Operand bundles.
            "[" if position >= 2
                && tokens[position - 2] == ")"
                && next.is_some_and(|next| next.starts_with('"')) =>
            {
                let rest = &tokens[position..];
                let close = rest.iter().position(|token| *token == "]");
                position += close.map_or(rest.len(), |close| close + 1);
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
            // The clauses of a `landingpad` are left out.
            "cleanup" | "catch" | "filter" => {
                let rest = &tokens[position..];
                let location = rest.iter().position(|token| *token == "!dbg");
                // The comma before the location stays.
                position += location.map_or(rest.len(), |location| location - 1);
            }
            "personality" => {
                let rest = &tokens[position..];
                let end = rest.iter().position(|token| ["!dbg", "{"].contains(token));
                position += end.unwrap_or(rest.len());
            }
            "!dbg" => {
                line.push(places.place(next.unwrap_or(""), 0));
                position += 1;
            }
            _ if token.starts_with('#') => {}
            _ if token.starts_with('!') && is_node(next.unwrap_or("")) => {
                line.pop();
                position += 1;
            }
            _ if is_node(token) => {
                line.push(without_numbers(places.nodes.get(token).unwrap_or(&"")));
            }
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

/// The places that nodes of debug information are about.
struct Places<'a> {
    nodes: HashMap<&'a str, &'a str>,
    known: HashMap<&'a str, String>,
}

impl<'a> Places<'a> {
    /// Line, column, function, file, and where it was inlined.
    fn place(&mut self, id: &'a str, depth: u32) -> String {
        if let Some(known) = self.known.get(id) {
            return known.clone();
        }
        let Some(node) = self.nodes.get(id) else { return "nowhere".to_owned() };
        let words = tokens(node);
        let mut place = String::new();
        for (name, value) in words.iter().zip(words.iter().skip(1)) {
            match name.strip_suffix(':') {
                Some("line" | "column" | "name" | "filename" | "scopeLine") => {
                    place.extend([name, value, " "]);
                }
                Some("scope" | "file" | "inlinedAt") if is_node(value) && depth < 50 => {
                    // Whole texts would grow with each level.
                    let mut outer = DefaultHasher::new();
                    self.place(value, depth + 1).hash(&mut outer);
                    place.extend([name, outer.finish().to_string().as_str(), " "]);
                }
                _ => {}
            }
        }
        self.known.insert(id, place.clone());
        place
    }
}
