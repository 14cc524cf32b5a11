//! The words of Trencher's language: what splits a text into tokens, and which token can be what.
//!
//! Shared by the parser and the printer, so that what one writes the other reads.

use program::BinaryOp;

/// The words that begin a part of a file.
pub(super) const SECTIONS: [&str; 5] = ["memory_size", "thread", "initial", "transition", "end"];

/// The words that begin an instruction.
pub(super) const INSTRUCTIONS: [&str; 8] =
    ["write", "read", "mfence", "local", "check", "noop", "lock", "unlock"];

/// The operators with two operands.
pub(super) const BINARY_OPERATORS: [(&str, BinaryOp); 12] = [
    ("==", BinaryOp::Eq),
    ("!=", BinaryOp::Ne),
    ("<", BinaryOp::Lt),
    ("<=", BinaryOp::Le),
    (">", BinaryOp::Gt),
    (">=", BinaryOp::Ge),
    ("&&", BinaryOp::And),
    ("||", BinaryOp::Or),
    ("+", BinaryOp::Add),
    ("-", BinaryOp::Sub),
    ("*", BinaryOp::Mul),
    ("&", BinaryOp::BitAnd),
];

/// The operator with one operand.
pub(super) const NOT: &str = "!";

/// A maximal piece of text without white space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    /// The piece.
    pub(super) text: &'t str,
    /// Its first byte in the source.
    pub(super) start: usize,
    /// Whether it is the first of its line.
    pub(super) begins_line: bool,
}

/// The tokens of a text, without its comments.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut begins_line = true;
    // Editors may leave a byte order mark; nobody sees it.
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while let Some(first) = text.as_bytes().get(at) {
        let rest = &text[at..];
        if *first == b'#' {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if is_white_space(char::from(*first)) {
            begins_line |= *first == b'\n';
            at += 1;
        } else {
            let length = rest.find(is_white_space).unwrap_or(rest.len());
            tokens.push(Token { text: &rest[..length], start: at, begins_line });
            begins_line = false;
            at += length;
        }
    }
    tokens
}

/// White space of C: what separates tokens. Other spaces of Unicode are parts of names.
fn is_white_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

/// Whether a text is one token, as the names of threads and labels must be.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(['#', '\u{feff}']) && !text.contains(is_white_space)
}

/// Whether a token can name a register. A token that looks like a number or begins like an
/// operator (`!x`, `-r`, `0x10`, `/`) cannot: as a register it would read as zero, which is never
/// what its author meant.
pub(super) fn is_register_name(token: &str) -> bool {
    is_token(token)
        && !token.starts_with(|c: char| c.is_ascii_digit() || "!=<>&|+-*".contains(c))
        && token.contains(|c: char| c.is_alphanumeric() || c == '_')
}

/// Whether a token is an integer, of any size.
pub(super) fn is_integer(token: &str) -> bool {
    let digits = token.strip_prefix('-').unwrap_or(token);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The binary operator that a token is, if it is one.
pub(super) fn binary_operator(token: &str) -> Option<BinaryOp> {
    BINARY_OPERATORS.iter().find(|(text, _)| *text == token).map(|(_, op)| *op)
}

/// How a binary operator is written, if the language has it.
pub(super) fn binary_operator_text(op: BinaryOp) -> Option<&'static str> {
    BINARY_OPERATORS.iter().find(|(_, known)| *known == op).map(|(text, _)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_begin_tokens_and_end_lines() {
        let texts: Vec<(&str, bool)> = tokens("\u{feff}a b#c # d e\n  f\r\n#g\nh\u{a0}i")
            .into_iter()
            .map(|token| (token.text, token.begins_line))
            .collect();
        assert_eq!(texts, [("a", true), ("b#c", false), ("f", true), ("h\u{a0}i", true)]);
    }

    #[test]
    fn tokens_that_can_name_registers() {
        for name in ["r1", "%eax", "end", "ä", "_", "a+b"] {
            assert!(is_register_name(name), "{name}");
        }
        for name in ["1", "-1", "0x10", "!x", "==", "/", "", "a b", "#r", "+1"] {
            assert!(!is_register_name(name), "{name}");
        }
    }
}
