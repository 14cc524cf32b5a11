//! Changing the text of a test in C: fences after statements, and accesses that get another order.
//!
//! An operation of `<stdatomic.h>` that says its order says another one then, and one that does not becomes the one that
//! does. An ordinary access becomes such an operation; the type of its location stays, as herd has it. A
//! statement that a condition governs without braces gets braces if another one joins it.

use program::{Diagnostic, Diagnostics, FenceKind, Order, SourceId, Sources, Span};

use super::lexer::{Kind, Token, tokens};
use super::syntax::{Call, Expr, ExprKind, Statement, StatementKind};
use super::{outline, parser};
use crate::edit::patch::{Comments, Patches, Rank};
use crate::edit::{AccessKind, Edited, Fences, NewOrder, Plan, no_fence, no_insertion};
use crate::litmus::header::Header;

/// The order of a fence of a kind.
const fn fence_order(kind: FenceKind) -> Option<&'static str> {
    match kind {
        FenceKind::Full => Some("memory_order_seq_cst"),
        FenceKind::Lightweight => Some("memory_order_acq_rel"),
        FenceKind::Acquire => Some("memory_order_acquire"),
        FenceKind::Release => Some("memory_order_release"),
        FenceKind::StoreStore
        | FenceKind::LoadLoad
        | FenceKind::LoadStore
        | FenceKind::StoreLoad
        | FenceKind::Control => None,
    }
}

/// Whether tests in C have fences of a kind.
pub const fn has_fence(kind: FenceKind) -> bool {
    fence_order(kind).is_some()
}

const fn order_word(order: Order) -> &'static str {
    match order {
        Order::Plain | Order::Volatile | Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcquireRelease => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

/// The order of an exchange that fails, if none is said: that of its read.
const fn of_read(order: Order) -> Order {
    match order {
        Order::Plain | Order::Volatile | Order::Relaxed | Order::Release => Order::Relaxed,
        Order::Acquire | Order::AcquireRelease => Order::Acquire,
        Order::SeqCst => Order::SeqCst,
    }
}

/// The text with changes, or why they cannot be made.
pub(crate) fn edit(
    header: &Header,
    sources: &Sources,
    source: SourceId,
    mut plan: Plan,
) -> Result<Edited, Diagnostics> {
    let text = sources.text(source);
    let outline = outline::read(text, header.end, source)?;
    let mut errors = plan.refuse_kinds(source, "C", has_fence);
    let mut threads = Vec::new();
    for thread in &outline.threads {
        threads.push(parser::thread(text, thread, source).map_err(|error| vec![*error])?);
    }
    let refused = plan.lock.iter().chain(&plan.unlock).map(|span| {
        let message = "stores become exchanges, and exchanges stores, on x86 only";
        Diagnostic::new(*span, message).help("put a fence after the store instead")
    });
    errors.extend(refused);
    let mut found = Found::default();
    for thread in &threads {
        for statement in &thread.body {
            found.add(statement, false);
        }
    }
    let comments = Comments { line: "//", block: Some(("/*", "*/")) };
    let patches = Patches::new(text, comments);
    let mut editor = Editor { source, text, found, patches, errors };
    for span in std::mem::take(&mut plan.remove) {
        let put_back = plan.puts_back(span);
        editor.remove_fence(span, put_back);
    }
    for change in &plan.orders {
        if editor.order(*change).is_none() {
            let message = "no access stands here whose order can be written";
            editor.errors.push(Diagnostic::new(change.span, message));
        }
    }
    editor.fences(&plan.before);
    editor.fences(&plan.after);
    if editor.errors.is_empty() { Ok(editor.patches.apply()) } else { Err(editor.errors) }
}

/// A statement after which another one can stand.
#[derive(Clone, Copy)]
struct Place {
    span: Span,
    /// Whether braces are needed then.
    is_bare: bool,
    /// Whether it is a fence and nothing else.
    is_fence: bool,
}

/// An access, by the text that its instruction stands for.
enum Access<'s> {
    /// `*p`, whole and the pointer.
    Load(Span, &'s Expr),
    /// `*p = e`
    Store(&'s Expr, &'s Expr),
    /// An operation.
    Call(Span, &'s Call),
}

/// What of threads can be changed.
#[derive(Default)]
struct Found<'s> {
    places: Vec<Place>,
    accesses: Vec<(Span, Access<'s>)>,
}

impl<'s> Found<'s> {
    fn add(&mut self, statement: &'s Statement, is_bare: bool) {
        let span = statement.span;
        let mut is_fence = false;
        match &statement.kind {
            StatementKind::Nothing => return,
            StatementKind::Block(body) => {
                // Without braces it is as long as the statement in it.
                let is_bare = matches!(&body[..], [one] if one.span == span);
                for inner in body {
                    self.add(inner, is_bare);
                }
                return;
            }
            StatementKind::If { condition, then, otherwise } => {
                self.of_value(condition);
                self.add(then, false);
                if let Some(otherwise) = otherwise {
                    self.add(otherwise, false);
                }
                return;
            }
            StatementKind::While { condition, body }
            | StatementKind::DoWhile { body, condition } => {
                self.of_value(condition);
                self.add(body, false);
                return;
            }
            StatementKind::Declare { value: None, .. } => {}
            StatementKind::Declare { value: Some(value), .. }
            | StatementKind::Assign { value, .. } => self.of_assigned(value, span),
            StatementKind::Store { pointer, value } => {
                self.of_value(pointer);
                // `*x += 1` reads and writes by one text.
                if let ExprKind::Binary(_, operands) = &value.kind
                    && value.span.start < pointer.span.end
                {
                    self.of_value(&operands[1]);
                } else {
                    self.of_value(value);
                }
                self.accesses.push((span, Access::Store(pointer, value)));
            }
            StatementKind::Evaluate(value) => {
                is_fence =
                    matches!(&value.kind, ExprKind::Call(call) if matches!(**call, Call::Fence(_)));
                self.of_value(value);
            }
        }
        if statement.is_free {
            self.places.push(Place { span, is_bare, is_fence });
        }
    }

    /// What is assigned as a whole has the text of its statement.
    fn of_assigned(&mut self, value: &'s Expr, span: Span) {
        match &value.kind {
            ExprKind::Load(pointer) => {
                self.of_value(pointer);
                self.accesses.push((span, Access::Load(value.span, pointer)));
            }
            ExprKind::Call(call) => {
                self.of_operands(call);
                self.accesses.push((span, Access::Call(value.span, call)));
            }
            ExprKind::Number(_)
            | ExprKind::Name(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Select(_) => self.of_value(value),
        }
    }

    fn of_value(&mut self, value: &'s Expr) {
        match &value.kind {
            ExprKind::Number(_) | ExprKind::Name(_) => {}
            ExprKind::Load(_) | ExprKind::Call(_) => self.of_assigned(value, value.span),
            ExprKind::Unary(_, operand) => self.of_value(operand),
            ExprKind::Binary(_, operands) => {
                for operand in operands.iter() {
                    self.of_value(operand);
                }
            }
            ExprKind::Select(operands) => {
                for operand in operands.iter() {
                    self.of_value(operand);
                }
            }
        }
    }

    fn of_operands(&mut self, call: &'s Call) {
        match call {
            Call::Load { pointer, .. } | Call::Lock { pointer } => self.of_value(pointer),
            Call::Store { pointer, value, .. }
            | Call::Exchange { pointer, value, .. }
            | Call::Fetch { pointer, operand: value, .. } => {
                self.of_value(pointer);
                self.of_value(value);
            }
            Call::CompareExchange { pointer, new, .. } => {
                self.of_value(pointer);
                self.of_value(new);
            }
            Call::Fence(_) => {}
        }
    }
}

struct Editor<'s, 't> {
    source: SourceId,
    text: &'t str,
    found: Found<'s>,
    patches: Patches<'t>,
    errors: Diagnostics,
}

/// The bytes that two spans have between them.
const fn between(first: u32, second: u32) -> std::ops::Range<usize> {
    first as usize..second as usize
}

impl Editor<'_, '_> {
    /// Gives an access its order; nothing if it cannot be written.
    fn order(&mut self, change: NewOrder) -> Option<()> {
        let Self { found, patches, text, source, .. } = self;
        let is_meant = |access: &Access<'_>| match access {
            Access::Load(..) => change.kind == AccessKind::Load,
            Access::Store(..) => change.kind == AccessKind::Store,
            Access::Call(_, call) => match call {
                Call::Load { .. } => change.kind == AccessKind::Load,
                Call::Store { .. } => change.kind == AccessKind::Store,
                Call::Exchange { .. } | Call::Fetch { .. } | Call::CompareExchange { .. } => {
                    change.kind == AccessKind::Update
                }
                Call::Lock { .. } | Call::Fence(_) => false,
            },
        };
        let mut all =
            found.accesses.iter().filter(|(span, it)| *span == change.span && is_meant(it));
        let (Some((_, access)), None) = (all.next(), all.next()) else { return None };
        let order = order_word(change.order);
        match access {
            Access::Load(whole, pointer) => {
                let begin = between(whole.start, pointer.span.start);
                patches.replace(begin, "atomic_load_explicit(");
                let end = between(pointer.span.end, whole.end);
                patches.replace(end, format!(", {order})"));
            }
            Access::Store(pointer, value) => {
                // `*x += 1` names the place once.
                if value.span.start < pointer.span.end {
                    return None;
                }
                let begin = between(change.span.start, pointer.span.start);
                patches.replace(begin, "atomic_store_explicit(");
                patches.replace(between(pointer.span.end, value.span.start), ", ");
                let end = value.span.end as usize;
                patches.insert(end, Rank::Trailing, format!(", {order})"));
            }
            Access::Call(span, call) => {
                let all = tokens(text, between(span.start, span.end), *source).ok()?;
                let is_name =
                    |pair: &[Token<'_>]| pair[0].kind == Kind::Word && pair[1].text == "(";
                let name = all.windows(2).position(is_name)?;
                let close = closing(&all, name + 1)?;
                let range = |token: &Token<'_>| between(token.span.start, token.span.end);
                let failing = match call {
                    Call::CompareExchange { .. } => {
                        Some(order_word(change.failing.unwrap_or_else(|| of_read(change.order))))
                    }
                    Call::Load { .. }
                    | Call::Store { .. }
                    | Call::Exchange { .. }
                    | Call::Fetch { .. }
                    | Call::Lock { .. }
                    | Call::Fence(_) => None,
                };
                let words: Vec<&str> = [order].into_iter().chain(failing).collect();
                let called = all[name].text;
                if called.ends_with("_explicit") {
                    // Orders are words, with a comma before each.
                    let first = close.checked_sub(2 * words.len() - 1)?;
                    for (word, at) in words.into_iter().zip((first..close).step_by(2)) {
                        if all[at].text != word {
                            patches.replace(range(&all[at]), word);
                        }
                    }
                } else if called.starts_with("atomic_") {
                    let explicit = match called {
                        "atomic_init" => "atomic_store_explicit".to_owned(),
                        _ => format!("{called}_explicit"),
                    };
                    patches.replace(range(&all[name]), explicit);
                    let end = all[close].span.start as usize;
                    patches.insert(end, Rank::Leading, format!(", {}", words.join(", ")));
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    /// Puts fences after statements.
    fn fences(&mut self, fences: &Fences) {
        for (offset, kinds) in fences.iter().filter(|(_, kinds)| !kinds.is_empty()) {
            let place = self.found.places.iter().find(|place| place.span.end == *offset).copied();
            let Some((place, end)) = place.and_then(|place| Some((place, self.end_of(place)?)))
            else {
                self.errors.push(no_insertion(self.source, *offset));
                continue;
            };
            let start = place.span.start as usize;
            let orders = kinds.iter().filter_map(|kind| fence_order(*kind));
            let fences: Vec<String> =
                orders.map(|order| format!("atomic_thread_fence({order});")).collect();
            if place.is_bare {
                self.patches.insert(start, Rank::Line, "{ ");
                let text = format!(" {} }}", fences.join(" "));
                self.patches.insert(end, Rank::Trailing, text);
                continue;
            }
            // A declaration begins before its name.
            let line = self.patches.line_start(start);
            let is_line = self.text[end..].chars().find(|c| !c.is_whitespace() || *c == '\n');
            let gap = if is_line == Some('\n') && !self.text[line..start].contains(['{', ';']) {
                format!("{}{}", self.patches.newline(), self.patches.indentation(start))
            } else {
                " ".to_owned()
            };
            for fence in fences {
                self.patches.insert(end, Rank::Trailing, format!("{gap}{fence}"));
            }
        }
    }

    /// Where a statement ends with its semicolon.
    fn end_of(&self, place: Place) -> Option<usize> {
        let end = place.span.end as usize;
        if self.text[..end].ends_with(';') {
            return Some(end);
        }
        let behind = outline::blank(self.text, end);
        self.text[behind..].starts_with(';').then_some(behind + 1)
    }

    fn remove_fence(&mut self, span: Span, put_back: Option<FenceKind>) {
        let contains = |place: &&Place| {
            place.is_fence && place.span.start <= span.start && span.end <= place.span.end
        };
        let Some(place) = self.found.places.iter().find(contains).copied() else {
            self.errors.push(no_fence(span));
            return;
        };
        let whole = place.span.start as usize..place.span.end as usize;
        match put_back.and_then(fence_order) {
            Some(order) => {
                self.patches.replace(whole, format!("atomic_thread_fence({order});"));
            }
            None if place.is_bare => self.patches.replace(whole, ";"),
            None => {
                let line = self.patches.line_start(whole.start);
                match self.patches.next_line(whole.end, &[]) {
                    Some(next)
                        if self.patches.begins_line(whole.start)
                            && self.text[whole.end..next].trim().is_empty() =>
                    {
                        self.patches.remove(line..next);
                    }
                    Some(_) | None => {
                        let end = self.patches.without_blanks_after(whole.end);
                        self.patches.remove(whole.start..end);
                    }
                }
            }
        }
    }
}

/// The parenthesis that closes the one here.
fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" => depth += 1,
            ")" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
