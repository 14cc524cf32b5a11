//! Macros: `macro name(p, q) … endmacro` defines one, `name(…, …)` stands for its body afterwards.
//!
//! Tokens are replaced, as Memorax does it. Those of a body keep the place where they are written, so that
//! what is told of a process that came out of a macro points into the macro.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use std::collections::BTreeMap;

use program::{Diagnostic, Diagnostics};

use super::lex::{Kind, Token};
use crate::token;

/// How many tokens macros may amount to.
const MOST_TOKENS: usize = 1 << 20;
/// How deep calls may be nested in bodies and arguments.
const DEEPEST: usize = 50;

struct Macro<'t> {
    parameters: Vec<&'t str>,
    body: Vec<Token<'t>>,
}

/// The tokens of a text without macros.
pub(super) fn expand<'t>(tokens: &[Token<'t>], errors: &mut Diagnostics) -> Vec<Token<'t>> {
    let mut expander = Expander { macros: BTreeMap::new(), result: Vec::new(), errors };
    let end = tokens.last().copied();
    expander.all(&tokens[..tokens.len().saturating_sub(1)], 0);
    let mut result = expander.result;
    result.extend(end);
    result
}

struct Expander<'t, 'e> {
    macros: BTreeMap<&'t str, Macro<'t>>,
    result: Vec<Token<'t>>,
    errors: &'e mut Diagnostics,
}

impl<'t> Expander<'t, '_> {
    fn all(&mut self, tokens: &[Token<'t>], depth: usize) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if token.text == "macro" {
                at = self.define(tokens, at);
            } else if token.kind == Kind::Word && self.macros.contains_key(token.text) {
                at = self.call(tokens, at, depth);
            } else if self.result.len() >= MOST_TOKENS {
                let message = "the macros of this text amount to too much";
                self.errors.push(Diagnostic::new(token.span, message));
                return;
            } else {
                self.result.push(*token);
                at += 1;
            }
        }
    }

    /// Reads a definition that begins at `at`; where it ends.
    fn define(&mut self, tokens: &[Token<'t>], at: usize) -> usize {
        let Some(name) = tokens.get(at + 1).copied().filter(|token| token.kind == Kind::Word)
        else {
            let message = "the name of a macro is missing";
            self.errors.push(Diagnostic::new(tokens[at].span, message));
            return at + 1;
        };
        let mut next = at + 2;
        let mut parameters = Vec::new();
        if tokens.get(next).is_some_and(|token| token.kind == Kind::OpenParen) {
            next += 1;
            while let Some(token) = tokens.get(next) {
                next += 1;
                match token.kind {
                    Kind::CloseParen => break,
                    Kind::Comma => {}
                    Kind::Word => parameters.push(token.text),
                    _ => {
                        self.errors.push(token::unexpected(*token, "the name of a parameter"));
                        break;
                    }
                }
            }
        }
        let rest = tokens.get(next..).unwrap_or_default();
        let Some(length) = rest.iter().position(|token| token.text == "endmacro") else {
            let message = format!("the macro `{}` does not end", name.text);
            self.errors.push(Diagnostic::new(name.span, message).help("end it with `endmacro`"));
            return tokens.len();
        };
        let body = rest[..length].to_vec();
        self.macros.insert(name.text, Macro { parameters, body });
        next + length + 1
    }

    /// Replaces a call that begins at `at`; where it ends.
    fn call(&mut self, tokens: &[Token<'t>], at: usize, depth: usize) -> usize {
        let name = tokens[at];
        let (arguments, end) = arguments(tokens, at + 1);
        let found = &self.macros[name.text];
        if arguments.len() != found.parameters.len() {
            let (wants, has) = (found.parameters.len(), arguments.len());
            let message = format!("the macro `{}` has {wants} parameters, not {has}", name.text);
            self.errors.push(Diagnostic::new(name.span, message));
            return end;
        }
        if depth >= DEEPEST {
            let message = format!("calls of `{}` are nested too deep", name.text);
            let error = Diagnostic::new(name.span, message);
            self.errors.push(error.help("a macro cannot call itself"));
            return end;
        }
        let mut replaced = Vec::new();
        for token in &found.body {
            match found.parameters.iter().position(|parameter| *parameter == token.text) {
                // What is given stands where the parameter does.
                Some(number) => {
                    let given = arguments[number].iter();
                    replaced.extend(given.map(|one| Token { span: token.span, ..*one }));
                }
                None => replaced.push(*token),
            }
            if replaced.len() >= MOST_TOKENS {
                let message = "the macros of this text amount to too much";
                self.errors.push(Diagnostic::new(name.span, message));
                return end;
            }
        }
        self.all(&replaced, depth + 1);
        end
    }
}

/// The arguments from a parenthesis on, and where they end.
fn arguments<'t>(tokens: &[Token<'t>], at: usize) -> (Vec<Vec<Token<'t>>>, usize) {
    if tokens.get(at).is_none_or(|token| token.kind != Kind::OpenParen) {
        return (Vec::new(), at);
    }
    let mut all = Vec::new();
    let mut current = Vec::new();
    let mut open = 1_usize;
    for (number, token) in tokens.iter().enumerate().skip(at + 1) {
        match token.kind {
            Kind::OpenParen => open += 1,
            Kind::CloseParen => open -= 1,
            _ => {}
        }
        if open == 0 {
            if !current.is_empty() || !all.is_empty() {
                all.push(current);
            }
            return (all, number + 1);
        }
        if open == 1 && token.kind == Kind::Comma {
            all.push(std::mem::take(&mut current));
        } else {
            current.push(*token);
        }
    }
    (all, tokens.len())
}
