//! Stores that become locked ones, and locked ones that become ordinary ones.
#![expect(clippy::wildcard_enum_match_arm, reason = "an editor names what it changes")]

use std::ops::Range;

use program::{Diagnostic, Order, Span};

use super::super::ast::{Attributes, ExprKind, Place, StmtKind, Thread, UpdateCall};
use super::super::lex::Kind;
use super::Editor;
use super::outline::Site;
use crate::edit::patch::Rank;
use crate::edit::{no_locked_store, no_store};

impl Editor<'_> {
    pub(super) fn site(&self, span: Span) -> Option<Site<'_>> {
        self.outline.sites.iter().find(|site| site.statement.span == span).copied()
    }

    pub(super) fn lock(&mut self, span: Span) {
        let tokens = self.tokens_in(span);
        match self.site(span).map(|site| &site.statement.kind) {
            Some(StmtKind::Assign { to, .. }) if self.is_memory(to) => {
                self.explicit_store(tokens, Order::SeqCst);
            }
            Some(StmtKind::Store { attributes, .. }) if attributes.order != Some(Order::SeqCst) => {
                if let Some(order) = attributes.order {
                    let order = order.to_string();
                    if let Some(at) = tokens.rev().find(|at| self.tokens[*at].text == order) {
                        self.patches.replace(self.range(at), Order::SeqCst.to_string());
                    }
                } else {
                    let close = self.range(tokens.end - 1).start;
                    self.patches.insert(close, Rank::Inner, format!(", {}", Order::SeqCst));
                }
            }
            Some(_) | None => self.errors.push(no_store(span)),
        }
    }

    pub(super) fn explicit_store(&mut self, mut tokens: Range<usize>, order: Order) {
        let (first, last) = (tokens.start, tokens.end - 1);
        let Some(equals) = tokens.find(|at| self.tokens[*at].kind == Kind::Assign) else { return };
        self.patches.insert(self.range(first).start, Rank::Inner, "store(");
        self.delete(equals..equals + 1, true);
        self.patches.insert(self.range(equals).end, Rank::Inner, ",");
        self.patches.insert(self.range(last).end, Rank::Inner, format!(", {order})"));
    }

    pub(super) fn unlock(&mut self, span: Span) {
        let tokens = self.tokens_in(span);
        let Some(site) = self.site(span) else {
            self.errors.push(not_locked(span));
            return;
        };
        let exchange = |kind: &ExprKind| match kind {
            ExprKind::Update { update: UpdateCall::Exchange, attributes, .. } => Some(*attributes),
            _ => None,
        };
        let found = match &site.statement.kind {
            StmtKind::Store { attributes, .. } if attributes.order == Some(Order::SeqCst) => {
                Some((tokens.start, *attributes))
            }
            StmtKind::Call(call) => exchange(&call.kind).map(|found| (tokens.start, found)),
            StmtKind::Assign { to: Place::Named { name, index: None }, value }
                if !self.is_shared(&name.text) =>
            {
                if self.is_used(site.thread, &name.text) && exchange(&value.kind).is_some() {
                    let message = format!("the result of this exchange is used: `{}`", name.text);
                    self.errors.push(
                        Diagnostic::new(span, message)
                            .help("an ordinary store reads nothing; keep the exchange"),
                    );
                    return;
                }
                exchange(&value.kind).map(|found| (tokens.start + 2, found))
            }
            _ => None,
        };
        match found {
            Some((call, attributes)) => self.plain(tokens, call, attributes),
            None => self.errors.push(not_locked(span)),
        }
    }

    /// Makes the call that begins at token `call` an ordinary store: an assignment, unless the
    /// access has a width to keep.
    fn plain(&mut self, tokens: Range<usize>, call: usize, attributes: Attributes) {
        let commas = self.commas(call + 1..tokens.end);
        let Some(first) = commas.first().copied() else { return };
        if attributes.bytes.is_some() {
            self.delete(tokens.start..call, false);
            self.patches.replace(self.range(call), "store");
            let order = attributes.order.map(|order| order.to_string());
            for comma in commas {
                if order.as_deref() == Some(self.tokens[comma + 1].text) {
                    self.delete(comma..comma + 2, true);
                }
            }
            return;
        }
        self.delete(tokens.start..call + 2, false);
        self.patches.replace(self.range(first), " =");
        let rest = commas.get(1).copied().unwrap_or(tokens.end - 1);
        self.delete(rest..tokens.end, true);
    }

    /// The commas between the arguments of a call whose parenthesis opens at the first token.
    pub(super) fn commas(&self, tokens: Range<usize>) -> Vec<usize> {
        let mut depth = 0_usize;
        let mut commas = Vec::new();
        for at in tokens {
            match self.tokens[at].kind {
                Kind::OpenParen | Kind::OpenBracket => depth += 1,
                Kind::CloseParen | Kind::CloseBracket => depth = depth.saturating_sub(1),
                Kind::Comma if depth == 1 => commas.push(at),
                _ => {}
            }
        }
        commas
    }

    /// Deletes tokens, and blanks around them on one side, but no comment.
    fn delete(&mut self, tokens: Range<usize>, blanks_before: bool) {
        for at in tokens {
            let Range { mut start, mut end } = self.range(at);
            let before = at.checked_sub(1).map_or(0, |before| self.range(before).end);
            let after = self.tokens.get(at + 1).map_or(end, |next| next.span.start as usize);
            if blanks_before && self.patches.text[before..start].trim().is_empty() {
                start = before;
            } else if !blanks_before && self.patches.text[end..after].trim().is_empty() {
                end = after;
            }
            self.patches.remove(start..end);
        }
    }

    /// The numbers of the tokens in a span.
    pub(super) fn tokens_in(&self, span: Span) -> Range<usize> {
        let start = self.tokens.partition_point(|token| token.span.start < span.start);
        let end = self.tokens.partition_point(|token| token.span.start < span.end);
        start..end
    }

    pub(super) fn range(&self, token: usize) -> Range<usize> {
        let span = self.tokens[token].span;
        span.start as usize..span.end as usize
    }

    pub(super) fn is_shared(&self, name: &str) -> bool {
        self.file.shared.iter().any(|shared| shared.name.text == name)
    }

    pub(super) fn is_memory(&self, place: &Place) -> bool {
        match place {
            Place::Mem { .. } => true,
            Place::Named { name, .. } => self.is_shared(&name.text),
        }
    }

    /// Whether a local variable is more than declared and assigned, in its thread or in a question.
    fn is_used(&self, thread: &Thread, name: &str) -> bool {
        let body = self.tokens_in(thread.body.span);
        let mentions = (0..self.tokens.len()).filter(|at| self.tokens[*at].text == name);
        mentions.into_iter().any(|at| {
            if body.contains(&at) {
                !self.is_declared_or_assigned(self.tokens[at].span)
            } else {
                self.is_register_of(at, &thread.name.text)
            }
        })
    }

    fn is_declared_or_assigned(&self, span: Span) -> bool {
        self.outline.sites.iter().any(|site| match &site.statement.kind {
            StmtKind::Local(locals) => locals.iter().any(|local| local.name.span == span),
            StmtKind::Assign { to: Place::Named { name, index: None }, .. } => name.span == span,
            _ => false,
        })
    }

    /// Whether the token is the `r` of `thread.r` or `thread[index].r`.
    fn is_register_of(&self, at: usize, thread: &str) -> bool {
        let Some(dot) = at.checked_sub(1).filter(|dot| self.tokens[*dot].kind == Kind::Dot) else {
            return false;
        };
        let mut depth = 0_usize;
        for before in self.tokens[..dot].iter().rev() {
            match before.kind {
                Kind::CloseBracket => depth += 1,
                Kind::OpenBracket => depth = depth.saturating_sub(1),
                _ if depth == 0 => return before.text == thread,
                _ => {}
            }
        }
        false
    }
}

fn not_locked(span: Span) -> Diagnostic {
    no_locked_store(span)
        .help("one is `store(x, e, seq_cst)`, or an `xchg(x, e)` whose result is not used")
}
