//! Putting fences in and taking them out.

use std::collections::BTreeMap;

use program::{FenceKind, Span};

use super::super::ast::{Block, Stmt, StmtKind};
use super::super::lex::Kind;
use super::super::words;
use super::Editor;
use super::outline::{Site, Spot};
use crate::edit::patch::Rank;
use crate::edit::{Fences, no_fence, no_insertion};

/// How much deeper than its braces a block is indented that shows nothing itself.
const INDENT: &str = "  ";
const SEPARATORS: &[char] = &[';'];

impl Editor<'_> {
    /// Puts fences in. Those that come to the same place stand one after the other: first what
    /// belongs to the step before, then what belongs to the label.
    pub(super) fn fences(&mut self, before: &Fences, after: &Fences) {
        let mut places: BTreeMap<_, (Spot<'_>, Vec<String>)> = BTreeMap::new();
        for (fences, is_after) in [(after, true), (before, false)] {
            for (offset, kinds) in fences.iter().filter(|(_, kinds)| !kinds.is_empty()) {
                let outline = &self.outline;
                let spot = if is_after { outline.after(*offset) } else { outline.before(*offset) };
                let Some(spot) = spot else {
                    self.errors.push(no_insertion(self.source, *offset));
                    continue;
                };
                let (_, texts) = places.entry(spot.key()).or_insert_with(|| (spot, Vec::new()));
                texts.extend(kinds.iter().map(|kind| words::fence(*kind)));
            }
        }
        for (spot, fences) in places.into_values() {
            match spot {
                Spot::Before(site) => self.put_before(site, &fences),
                Spot::After(site) => self.put_after(site, &fences),
                Spot::Start(block) => self.put_first(block, &fences),
                Spot::End(block) => self.put_last(block, &fences),
            }
        }
    }

    fn put_before(&mut self, site: Site<'_>, fences: &[String]) {
        let at = site.statement.span.start as usize;
        let begin = self.begin(site.statement);
        let same_line = self.patches.line_start(begin) == self.patches.line_start(at);
        let first = self.patches.begins_line(at) || same_line && self.patches.begins_line(begin);
        let end = if first {
            format!("{}{}", self.patches.newline(), self.patches.indentation(at))
        } else {
            "; ".to_owned()
        };
        self.patches.insert(at, Rank::Leading, format!("{}{end}", fences.join(&end)));
    }

    fn put_after(&mut self, site: Site<'_>, fences: &[String]) {
        let at = site.statement.span.end as usize;
        let line = self.patches.line_start(self.begin(site.statement));
        let own_line = site.block.statements.iter().any(|sibling| {
            let begin = self.begin(sibling);
            self.patches.line_start(begin) == line && self.patches.begins_line(begin)
        });
        let rest = self.patches.text[at..].trim_start_matches([' ', '\t']);
        let end = if rest.starts_with(';') { ";" } else { "" };
        let lines = self.lines(self.patches.indentation(line), fences, end);
        if !own_line || !self.patches.line_after(at, SEPARATORS, &lines) {
            self.patches.insert(at, Rank::Trailing, format!("; {}", fences.join("; ")));
        }
    }

    fn put_first(&mut self, block: &Block, fences: &[String]) {
        let at = block.span.start as usize + 1;
        let indent = self.inner_indentation(block, block.statements.first());
        let lines = self.lines(&indent, fences, "");
        if self.patches.line_after(at, &[], &lines) {
            return;
        }
        let end = if block.statements.is_empty() { "" } else { ";" };
        let gap = if self.patches.text[at..].starts_with([' ', '\t']) { "" } else { " " };
        self.patches.insert(at, Rank::Leading, format!(" {}{end}{gap}", fences.join("; ")));
    }

    fn put_last(&mut self, block: &Block, fences: &[String]) {
        let at = block.span.end as usize - 1;
        if self.patches.begins_line(at) {
            let indent = self.inner_indentation(block, block.statements.last());
            let lines = format!("{}{}", self.lines(&indent, fences, ""), self.patches.newline());
            self.patches.insert(self.patches.line_start(at), Rank::Line, lines);
            return;
        }
        let end = self.patches.without_blanks_before(at);
        let position = self.tokens.partition_point(|token| (token.span.end as usize) <= at);
        let last = position.checked_sub(1).map(|last| self.tokens[last].kind);
        let separated = matches!(last, Some(Kind::OpenBrace | Kind::Semicolon));
        let separator = if separated { "" } else { ";" };
        let gap = if end == at { " " } else { "" };
        let fences = fences.join("; ");
        self.patches.insert(end, Rank::Trailing, format!("{separator} {fences}{gap}"));
    }

    /// Fences on lines of their own, the last of which is not ended.
    fn lines(&self, indent: &str, fences: &[String], end: &str) -> String {
        let lines: Vec<String> =
            fences.iter().map(|fence| format!("{indent}{fence}{end}")).collect();
        lines.join(self.patches.newline())
    }

    /// How a line of a block is indented; `neighbour` is the statement beside it.
    fn inner_indentation(&self, block: &Block, neighbour: Option<&Stmt>) -> String {
        let begin = neighbour.map(|statement| self.begin(statement));
        match begin.filter(|begin| self.patches.begins_line(*begin)) {
            Some(begin) => self.patches.indentation(begin).to_owned(),
            None => format!("{}{INDENT}", self.patches.indentation(block.span.start as usize)),
        }
    }

    /// Where a statement begins, with its labels.
    fn begin(&self, statement: &Stmt) -> usize {
        let Some(label) = statement.labels.first() else { return statement.span.start as usize };
        let start = label.name.span.start;
        let position = self.tokens.partition_point(|token| token.span.start < start);
        match position.checked_sub(1).map(|before| self.tokens[before]) {
            Some(before) if label.waiting => before.span.start as usize,
            Some(_) | None => start as usize,
        }
    }

    /// Takes a fence out, or replaces it by another.
    pub(super) fn remove_fence(&mut self, span: Span, put_back: Option<FenceKind>) {
        let site = self.outline.sites.iter().find(|site| site.statement.span == span).copied();
        let Some((site, StmtKind::Fence(kind))) = site.map(|site| (site, &site.statement.kind))
        else {
            self.errors.push(no_fence(span));
            return;
        };
        let range = span.start as usize..span.end as usize;
        if let Some(instead) = put_back {
            if *kind != instead {
                self.patches.replace(range, words::fence(instead));
            }
        } else if is_needed(site) {
            self.patches.replace(range, "skip");
        } else {
            self.cut(range.start, range.end);
        }
    }

    /// Cuts a statement out, with what separates it from its neighbours.
    fn cut(&mut self, start: usize, end: usize) {
        let patches = &mut self.patches;
        let behind = patches.without_blanks_after(end);
        let semicolon = patches.text[behind..].starts_with(';');
        let end = if semicolon { behind + 1 } else { end };
        let next_line = patches.next_line(end, SEPARATORS);
        let alone = next_line.filter(|next| patches.text[end..*next].trim().is_empty());
        let previous = patches.without_blanks_before(start);
        if patches.begins_line(start) {
            match alone {
                Some(next) => patches.remove(patches.line_start(start)..next),
                None => patches.remove(start..patches.without_blanks_after(end)),
            }
        } else if semicolon && next_line.is_none() {
            patches.remove(start..patches.without_blanks_after(end));
        } else if !semicolon && patches.text[..previous].ends_with(';') {
            patches.remove(patches.without_blanks_before(previous - 1)..end);
        } else {
            patches.remove(previous..end);
        }
    }
}

/// Whether a statement must not vanish: a label stands on it, or it makes the declaration behind it
/// an assignment rather than an initial value, as one at the head of a thread is.
fn is_needed(site: Site<'_>) -> bool {
    let (before, rest) = site.block.statements.split_at(site.index);
    let at_head = site.block.span == site.thread.body.span
        && before.iter().all(|it| matches!(it.kind, StmtKind::Local(_) | StmtKind::If { .. }));
    !site.statement.labels.is_empty()
        || at_head
            && rest.get(1).is_some_and(|next| {
                let StmtKind::Local(locals) = &next.kind else { return false };
                locals.iter().any(|local| local.initial.is_some())
            })
}
