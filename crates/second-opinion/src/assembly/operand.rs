//! Operands in AT&T syntax.

use std::collections::BTreeMap;

use super::{Address, Operand, Register, Width};

const OLD: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
const LOW_BYTES: [&str; 8] = ["al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"];
const HIGH_BYTES: [&str; 4] = ["ah", "ch", "dh", "bh"];

/// A register by its name, without `%`.
pub(super) fn register(name: &str) -> Result<Register, String> {
    let plain = |number, width| Register { number, width, is_high: false };
    let old = |name: &str| OLD.iter().position(|one| *one == name);
    let found = if let Some(number) = LOW_BYTES.iter().position(|one| *one == name) {
        Some(plain(number, Width::Byte))
    } else if let Some(number) = HIGH_BYTES.iter().position(|one| *one == name) {
        Some(Register { number, width: Width::Byte, is_high: true })
    } else if let Some(number) = old(name) {
        Some(plain(number, Width::Word))
    } else if let Some(number) = name.strip_prefix('e').and_then(old) {
        Some(plain(number, Width::Long))
    } else if let Some(number) = name.strip_prefix('r').and_then(old) {
        Some(plain(number, Width::Quad))
    } else {
        new_register(name)
    };
    found.ok_or_else(|| format!("unknown register %{name}"))
}

/// `%r8` to `%r15`.
fn new_register(name: &str) -> Option<Register> {
    let name = name.strip_prefix('r')?;
    let (digits, width) = match name.char_indices().last()? {
        (at, 'b') => (&name[..at], Width::Byte),
        (at, 'w') => (&name[..at], Width::Word),
        (at, 'd') => (&name[..at], Width::Long),
        _ => (name, Width::Quad),
    };
    let number: usize = digits.parse().ok()?;
    (8..16).contains(&number).then_some(Register { number, width, is_high: false })
}

/// The names of a program, as far as they are known.
pub(super) struct Symbols<'s>(pub(super) &'s BTreeMap<String, u64>);

impl Symbols<'_> {
    /// A sum of numbers and names.
    pub(super) fn value(&self, text: &str) -> Result<u64, String> {
        let mut sum = 0u64;
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err("a value is missing".to_owned());
        }
        while !rest.is_empty() {
            let (is_negative, term) = match rest.as_bytes()[0] {
                b'-' => (true, &rest[1..]),
                b'+' => (false, &rest[1..]),
                _ => (false, rest),
            };
            let end = term.find(['+', '-']).unwrap_or(term.len());
            let value = self.term(&term[..end])?;
            sum = if is_negative { sum.wrapping_sub(value) } else { sum.wrapping_add(value) };
            rest = &term[end..];
        }
        Ok(sum)
    }

    fn term(&self, text: &str) -> Result<u64, String> {
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        // Which way a name is linked makes no difference in a program of one file.
        let name = text.split('@').next().unwrap_or(text);
        number
            .or_else(|| self.0.get(name).copied())
            .ok_or_else(|| format!("unknown symbol `{text}`"))
    }

    pub(super) fn operand(&self, text: &str) -> Result<Operand, String> {
        if let Some(value) = text.strip_prefix('$') {
            return Ok(Operand::Immediate(self.value(value)?));
        }
        match text.strip_prefix('%') {
            Some(name) if !name.contains(':') => Ok(Operand::Register(register(name)?)),
            _ => Ok(Operand::Memory(self.address(text)?)),
        }
    }

    pub(super) fn address(&self, text: &str) -> Result<Address, String> {
        let (is_thread_local, text) = match text.strip_prefix("%fs:") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (displacement, inside) = match text.split_once('(') {
            Some((before, inside)) => (before, inside.trim_end_matches(')')),
            None => (text, ""),
        };
        let displacement = if displacement.is_empty() { 0 } else { self.value(displacement)? };
        let mut address = Address { displacement, base: None, index: None, is_thread_local };
        let mut parts = inside.split(',').map(str::trim);
        let numbered = |name: &str| {
            let name = name.strip_prefix('%').ok_or_else(|| format!("no address: {text}"))?;
            register(name).map(|register| register.number)
        };
        match parts.next().unwrap_or("") {
            "" | "%rip" => {}
            base => address.base = Some(numbered(base)?),
        }
        if let Some(index) = parts.next() {
            let factor = parts.next().map_or(Ok(1), str::parse);
            let factor = factor.map_err(|_| format!("no address: {text}"))?;
            address.index = Some((numbered(index)?, factor));
        }
        Ok(address)
    }
}

/// Operands are separated by commas, but not those in parentheses.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let last = text[from..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}
