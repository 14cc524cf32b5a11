//! The text of inline assembly: instructions with their operands, destination first in both dialects.

use program::Value;

use crate::asm::register;

/// An operand as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// An operand of the statement, or so many of its low bits.
    Operand(usize, Option<u32>),
    /// A number.
    Immediate(Value),
    /// A register by name, and how many of its bits.
    Register(&'static str, u32),
    /// Memory at an address.
    Memory {
        base: Box<Written>,
        index: Option<(Box<Written>, Value)>,
        displacement: Value,
        bits: Option<u32>,
    },
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) is_locked: bool,
    pub(crate) mnemonic: String,
    /// The destination first.
    pub(crate) operands: Vec<Written>,
    /// The text, to be shown.
    pub(crate) text: String,
}

/// The instructions of a text, or the first that is not understood.
pub(crate) fn lines(text: &str, is_intel: bool) -> Result<Vec<Line>, String> {
    let text = without_comments(&one_dialect(text, is_intel));
    let mut found = Vec::new();
    let mut is_locked = false;
    // Tables that patch locks out on machines with one processor, as the Linux kernel has them.
    let mut is_elsewhere = false;
    for statement in text.split(['\n', ';']) {
        let mut rest = without_labels(statement.trim());
        if rest.is_empty() {
            continue;
        }
        if rest.starts_with('.') {
            is_elsewhere = match rest.split_whitespace().next() {
                Some(".section" | ".pushsection") => true,
                Some(".previous" | ".popsection") => false,
                Some(".balign" | ".align" | ".p2align") => is_elsewhere,
                Some(".long" | ".byte" | ".word") if is_elsewhere => true,
                Some(_) | None => return Err(rest.to_owned()),
            };
            continue;
        }
        if is_elsewhere {
            return Err(rest.to_owned());
        }
        let written = rest;
        loop {
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            match word {
                "lock" => is_locked = true,
                "rep" | "repz" | "repe" | "xacquire" | "xrelease" | "data16" | "notrack" => {}
                _ => break,
            }
            rest = behind.trim_start();
        }
        if rest.is_empty() {
            continue;
        }
        let (mnemonic, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let mut operands = operands(behind.trim(), is_intel).ok_or_else(|| written.to_owned())?;
        if !is_intel {
            operands.reverse();
        }
        found.push(Line {
            is_locked: std::mem::take(&mut is_locked),
            mnemonic: mnemonic.to_ascii_lowercase(),
            operands,
            text: written.to_owned(),
        });
    }
    if is_locked { Err("lock".to_owned()) } else { Ok(found) }
}

/// Of `$(movl a, b$|mov b, a$)` the side of this dialect.
fn one_dialect(text: &str, is_intel: bool) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("$(") {
        kept.push_str(before);
        let (choice, behind) = behind.split_once("$)").unwrap_or((behind, ""));
        let mut sides = choice.split("$|");
        let first = sides.next().unwrap_or("");
        kept.push_str(if is_intel { sides.next().unwrap_or(first) } else { first });
        rest = behind;
    }
    kept.push_str(rest);
    kept
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = behind.split_once("*/").map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    let lines = kept.lines().map(|line| line.split(['#']).next().unwrap_or(""));
    lines.map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// A statement without the labels in front. Jumps are not understood, so nobody goes there.
fn without_labels(mut statement: &str) -> &str {
    while let Some((label, behind)) = statement.split_once(':') {
        let is_label = !label.is_empty()
            && label.chars().all(|one| one.is_ascii_alphanumeric() || "._".contains(one));
        if !is_label {
            break;
        }
        statement = behind.trim_start();
    }
    statement
}

fn operands(text: &str, is_intel: bool) -> Option<Vec<Written>> {
    let mut found = Vec::new();
    let mut depth = 0;
    let mut from = 0;
    for (at, one) in text.char_indices() {
        match one {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(operand(&text[from..at], is_intel)?);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !text.is_empty() {
        found.push(operand(&text[from..], is_intel)?);
    }
    Some(found)
}

fn operand(text: &str, is_intel: bool) -> Option<Written> {
    let text = text.trim();
    if is_intel { intel(text) } else { at_and_t(text) }
}

/// An operand of the statement: `$1`, `${1:b}`.
fn reference(text: &str) -> Option<Written> {
    let name = text.strip_prefix('$')?;
    let name = match name.strip_prefix('{') {
        Some(inside) => inside.strip_suffix('}')?,
        None => name,
    };
    let (number, modifier) = match name.split_once(':') {
        Some((number, modifier)) => (number, Some(modifier)),
        None => (name, None),
    };
    let bits = match modifier {
        None | Some("c" | "P" | "a") => None,
        Some("b" | "l") => Some(8),
        Some("w" | "x") => Some(16),
        Some("k" | "e") => Some(32),
        Some("q" | "r") => Some(64),
        Some(_) => return None,
    };
    Some(Written::Operand(number.parse().ok()?, bits))
}

fn number(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let magnitude = match digits.strip_prefix("0x") {
        Some(hexadecimal) => Value::from_str_radix(hexadecimal, 16).ok()?,
        None if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(sign * magnitude)
}

fn at_and_t(text: &str) -> Option<Written> {
    if let Some(immediate) = text.strip_prefix("$$") {
        return number(immediate).map(Written::Immediate);
    }
    if let Some(inside) = text.strip_suffix(')') {
        let (displacement, inside) = inside.split_once('(')?;
        let displacement = match displacement.trim() {
            "" => 0,
            digits => number(digits)?,
        };
        let mut parts = inside.split(',').map(str::trim);
        let base = Box::new(at_and_t(parts.next()?)?);
        let index = match parts.next() {
            None => None,
            Some(index) => {
                let scale = parts.next().map_or(Some(1), number)?;
                Some((Box::new(at_and_t(index)?), scale))
            }
        };
        return Some(Written::Memory { base, index, displacement, bits: None });
    }
    if let Some(name) = text.strip_prefix('%') {
        return register::named(name).map(|(name, bits)| Written::Register(name, bits));
    }
    reference(text)
}

fn intel(text: &str) -> Option<Written> {
    let lower = text.to_ascii_lowercase();
    let mut text = text;
    let mut bits = None;
    for (name, width) in [("byte", 8), ("word", 16), ("dword", 32), ("qword", 64)] {
        if let Some(behind) = lower.strip_prefix(name).and_then(|rest| rest.strip_prefix(' ')) {
            let behind = behind.trim_start();
            text = &text[text.len() - behind.strip_prefix("ptr").unwrap_or(behind).len()..];
            text = text.trim_start();
            bits = Some(width);
        }
    }
    if let Some(inside) = text.strip_prefix('[') {
        let inside = inside.strip_suffix(']')?.replace('-', "+-");
        let (mut base, mut index, mut displacement) = (None, None, 0);
        for part in inside.split('+').map(str::trim).filter(|part| !part.is_empty()) {
            if let Some(constant) = number(&part.replace(' ', "")) {
                displacement += constant;
            } else if let Some((register, scale)) = part.split_once('*') {
                index = Some((Box::new(intel(register.trim())?), number(scale.trim())?));
            } else if base.is_none() {
                base = Some(Box::new(intel(part)?));
            } else {
                index = Some((Box::new(intel(part)?), 1));
            }
        }
        return Some(Written::Memory { base: base?, index, displacement, bits });
    }
    if text.starts_with('$') {
        return match reference(text)? {
            Written::Operand(number, None) => Some(Written::Operand(number, bits)),
            other @ (Written::Operand(..)
            | Written::Immediate(_)
            | Written::Register(..)
            | Written::Memory { .. }) => Some(other),
        };
    }
    match register::named(&text.to_ascii_lowercase()) {
        Some((name, bits)) => Some(Written::Register(name, bits)),
        None => number(text).map(Written::Immediate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, is_intel: bool) -> String {
        match lines(text, is_intel) {
            Ok(lines) => lines
                .into_iter()
                .map(|line| {
                    let lock = if line.is_locked { "lock " } else { "" };
                    format!("{lock}{} {:?}", line.mnemonic, line.operands)
                })
                .collect::<Vec<_>>()
                .join("; "),
            Err(line) => format!("? {line}"),
        }
    }

    #[test]
    fn texts_are_read() {
        let cases = [
            ("", false, ""),
            ("mfence", false, "mfence []"),
            ("rep; nop", false, "nop []"),
            (
                "lock; addl $$0,0(%rsp)",
                false,
                "lock addl [Memory { base: Register(\"sp\", 64), index: None, displacement: 0, bits: None }, Immediate(0)]",
            ),
            (
                "lock\n\tcmpxchgl $3, $0; sete ${1:b}",
                false,
                "lock cmpxchgl [Operand(0, None), Operand(3, None)]; sete [Operand(1, Some(8))]",
            ),
            ("mov$(l $1, $0$| $0, $1$)", false, "movl [Operand(0, None), Operand(1, None)]"),
            ("mov$(l $1, $0$| $0, $1$)", true, "mov [Operand(0, None), Operand(1, None)]"),
            ("movl %eax, $0 # why\n", false, "movl [Operand(0, None), Register(\"ax\", 32)]"),
            (
                "xadd dword ptr [${1:q} + 4], ${0:k}",
                true,
                "xadd [Memory { base: Operand(1, Some(64)), index: None, displacement: 4, bits: Some(32) }, Operand(0, Some(32))]",
            ),
            (
                ".section .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.previous\n671:\n\tlock; incl $0",
                false,
                "lock incl [Operand(0, None)]",
            ),
            ("jmp 1f", false, "? jmp 1f"),
            ("movl %fs:0, $0", false, "? movl %fs:0, $0"),
            ("movl x(%rip), $0", false, "? movl x(%rip), $0"),
            ("lock", false, "? lock"),
        ];
        for (text, is_intel, expected) in cases {
            assert_eq!(shown(text, is_intel), expected, "{text}");
        }
    }
}
