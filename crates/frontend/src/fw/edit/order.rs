//! Accesses that get other orders: `x = e` becomes `store(x, e, release)`, a mention of `x` becomes
//! `load(x, acquire)`, and what says its order already says another.
#![expect(clippy::wildcard_enum_match_arm, reason = "an editor names what it changes")]

use std::ops::Range;

use program::{Diagnostic, Order, Span};

use super::super::ast::StmtKind;
use super::super::lex::Kind;
use super::Editor;
use crate::edit::patch::Rank;
use crate::edit::{AccessKind, NewOrder};

const ORDERS: [Order; 6] = [
    Order::Volatile,
    Order::Relaxed,
    Order::Acquire,
    Order::Release,
    Order::AcquireRelease,
    Order::SeqCst,
];

impl Editor<'_> {
    /// Gives the accesses of a kind in a statement or condition another order.
    pub(super) fn order(&mut self, change: NewOrder) {
        let tokens = self.tokens_in(change.span);
        let done = match change.kind {
            AccessKind::Load => self.order_loads(tokens, change.order),
            AccessKind::Store => self.order_store(tokens, change),
            AccessKind::Update => self.order_updates(tokens, change),
        };
        if !done {
            self.errors.push(no_access(change.span));
        }
    }

    fn order_store(&mut self, tokens: Range<usize>, change: NewOrder) -> bool {
        match self.site(change.span).map(|site| &site.statement.kind) {
            Some(StmtKind::Assign { to, .. }) if self.is_memory(to) => {
                self.explicit_store(tokens, change.order);
                true
            }
            Some(StmtKind::Store { .. }) => self.order_call(tokens.start, change.order, None),
            Some(_) | None => false,
        }
    }

    /// Every mention of a variable that is read, and every `load`.
    fn order_loads(&mut self, tokens: Range<usize>, order: Order) -> bool {
        let assigned = self.assigned_until(tokens.clone());
        let mut done = false;
        let mut at = assigned;
        while at < tokens.end {
            let word = self.tokens[at].text;
            let is_call = self.is_open(at + 1, Kind::OpenParen);
            if word == "load" && is_call {
                done |= self.order_call(at, order, None);
                at = self.closing(at + 1) + 1;
            } else if is_call && is_operation(word) {
                // What an update or a store is of is no load of its own; the other arguments may be.
                at = self.commas(at + 1..tokens.end).first().map_or(at + 2, |comma| comma + 1);
            } else if self.is_shared(word) {
                let mut last = at;
                while self.is_open(last + 1, Kind::OpenBracket) {
                    last = self.closing(last + 1);
                }
                self.patches.insert(self.range(at).start, Rank::Inner, "load(");
                self.patches.insert(self.range(last).end, Rank::Inner, format!(", {order})"));
                done = true;
                at = last + 1;
            } else {
                at += 1;
            }
        }
        done
    }

    /// The first token behind the left side of an assignment.
    fn assigned_until(&self, tokens: Range<usize>) -> usize {
        let start = tokens.start;
        tokens
            .into_iter()
            .find(|at| self.tokens[*at].kind == Kind::Assign)
            .map_or(start, |equals| equals + 1)
    }

    fn order_updates(&mut self, tokens: Range<usize>, change: NewOrder) -> bool {
        let mut done = false;
        for at in tokens {
            if is_update(self.tokens[at].text) && self.is_open(at + 1, Kind::OpenParen) {
                done |= self.order_call(at, change.order, change.failing);
            }
        }
        done
    }

    /// Gives the call that begins at a token its order.
    fn order_call(&mut self, call: usize, order: Order, failing: Option<Order>) -> bool {
        if !self.is_open(call + 1, Kind::OpenParen) {
            return false;
        }
        let close = self.closing(call + 1);
        let commas = self.commas(call + 1..close + 1);
        let ends = commas.iter().skip(1).copied().chain([close]);
        let arguments: Vec<(usize, usize)> = commas.iter().copied().zip(ends).collect();
        let (mut has_order, mut has_failing) = (false, false);
        for (comma, end) in arguments {
            let word = self.tokens[comma + 1].text;
            if comma + 2 == end && ORDERS.iter().any(|known| known.to_string() == word) {
                self.patches.replace(self.range(comma + 1), order.to_string());
                has_order = true;
            }
            if let (true, Some(failing)) = (word == "failing", failing) {
                self.patches.replace(self.range(comma + 3), failing.to_string());
                has_failing = true;
            }
        }
        let close = self.range(close).start;
        if !has_order {
            self.patches.insert(close, Rank::Inner, format!(", {order}"));
        }
        if let (false, Some(failing)) = (has_failing, failing) {
            self.patches.insert(close, Rank::Inner, format!(", failing({failing})"));
        }
        true
    }

    fn is_open(&self, at: usize, kind: Kind) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == kind)
    }

    /// The token that closes what opens at one.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for at in open..self.tokens.len() {
            match self.tokens[at].kind {
                Kind::OpenParen | Kind::OpenBracket => depth += 1,
                Kind::CloseParen | Kind::CloseBracket => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        open
    }
}

fn is_update(word: &str) -> bool {
    matches!(word, "cas" | "cmpxchg" | "xchg" | "arw") || word.starts_with("fetch_")
}

fn is_operation(word: &str) -> bool {
    is_update(word) || matches!(word, "store" | "store_exclusive")
}

fn no_access(span: Span) -> Diagnostic {
    Diagnostic::new(span, "no access that could get an order stands here")
        .help("write it as `load(x, order)` or `store(x, e, order)`")
}
