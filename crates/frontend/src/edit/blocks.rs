//! Changing texts of structured languages in which statements are separated by semicolons.
//!
//! A fence stands before or after a statement; a statement that a condition governs without braces gets braces
//! then.

use std::collections::BTreeMap;

use program::{Diagnostics, FenceKind, SourceId, Span};

use super::patch::{Comments, Patches, Rank};
use super::{Edited, Fences, Plan, no_fence, no_insertion};
use crate::fw::ast::{Block, File, Stmt, StmtKind};
use crate::fw::lower::nested_blocks;

/// How a language writes what is changed.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// What it is called in messages.
    pub(crate) language: &'static str,
    pub(crate) comments: Comments,
    /// The statement that is a fence of a kind, if there is one.
    pub(crate) fence: fn(FenceKind) -> Option<&'static str>,
    /// The statement that does nothing.
    pub(crate) nothing: &'static str,
    /// What separates a guard from what it guards, if that is no semicolon.
    pub(crate) arrow: Option<&'static str>,
    /// Braces around several statements, where a single one may stand without.
    pub(crate) braces: Option<(&'static str, &'static str)>,
}

/// A statement, and whether it stands without the braces that a second one beside it needs.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each says another thing of a statement")]
struct Site {
    /// With its labels.
    begin: u32,
    start: u32,
    end: u32,
    is_fence: bool,
    is_labelled: bool,
    bare: bool,
    /// Whether it guards an alternative, so that nothing can stand before it.
    is_guard: bool,
}

/// On which side of a statement a fence goes.
#[derive(Clone, Copy)]
enum Side {
    /// Before its labels: who jumps there does not pass it.
    Outside,
    /// Between its labels and the statement.
    Before,
    After,
}

/// What is put beside a statement.
#[derive(Default)]
struct Beside {
    /// Before its labels.
    outside: Vec<&'static str>,
    /// Between its labels and the statement.
    before: Vec<&'static str>,
    after: Vec<&'static str>,
}

/// The changes of a text as they are collected.
pub(crate) struct Editor<'t> {
    source: SourceId,
    style: Style,
    sites: Vec<Site>,
    /// Where blocks begin and end.
    blocks: Vec<(u32, u32)>,
    pub(crate) patches: Patches<'t>,
    pub(crate) errors: Diagnostics,
}

impl<'t> Editor<'t> {
    pub(crate) fn new(source: SourceId, text: &'t str, file: &File, style: Style) -> Self {
        let patches = Patches::new(text, style.comments);
        let errors = Vec::new();
        let mut editor =
            Self { source, style, sites: Vec::new(), blocks: Vec::new(), patches, errors };
        for thread in &file.threads {
            editor.add(&thread.body, false);
        }
        editor
    }

    fn add(&mut self, block: &Block, is_alternative: bool) {
        if block.span.source != Some(self.source) {
            return;
        }
        let inside = (block.span.start + 1, block.span.end - 1);
        let is_guarded = is_alternative && self.style.arrow.is_some();
        if !is_guarded {
            self.blocks.push(inside);
        }
        for (number, statement) in block.statements.iter().enumerate() {
            if statement.span.source == Some(self.source) {
                let begin = begin(statement);
                let Span { start, end, .. } = statement.span;
                let is_fence = matches!(statement.kind, StmtKind::Fence(_));
                let is_labelled = !statement.labels.is_empty();
                let bare = self.style.braces.is_some() && inside == (begin, end);
                let is_guard = is_guarded && number == 0;
                let site = Site { begin, start, end, is_fence, is_labelled, bare, is_guard };
                self.sites.push(site);
            }
            if !matches!(statement.kind, StmtKind::Sequence(_)) {
                let alternatives = matches!(statement.kind, StmtKind::Either(_));
                for inner in nested_blocks(&statement.kind) {
                    self.add(inner, alternatives);
                }
            }
        }
    }

    /// Puts fences in and takes fences out.
    pub(crate) fn fences(&mut self, plan: &mut Plan) {
        let has = |kind| (self.style.fence)(kind).is_some();
        self.errors.extend(plan.refuse_kinds(self.source, self.style.language, has));
        for span in std::mem::take(&mut plan.remove) {
            let put_back = plan.puts_back(span);
            self.remove(span, put_back);
        }
        // What stands before and after each statement, by where it begins and ends.
        let mut beside: BTreeMap<(u32, u32), Beside> = BTreeMap::new();
        for (fences, is_after) in [(&plan.after, true), (&plan.before, false)] {
            self.place(fences, is_after, &mut beside);
        }
        for ((begin, end), beside) in beside {
            let site = self.sites.iter().find(|site| (site.begin, site.end) == (begin, end));
            if let Some(site) = site.copied() {
                self.write(site, &beside);
            }
        }
    }

    fn place(
        &mut self,
        fences: &Fences,
        is_after: bool,
        beside: &mut BTreeMap<(u32, u32), Beside>,
    ) {
        for (offset, kinds) in fences.iter().filter(|(_, kinds)| !kinds.is_empty()) {
            let Some((site, side)) = self.site(*offset, is_after) else {
                self.errors.push(no_insertion(self.source, *offset));
                continue;
            };
            let words = kinds.iter().filter_map(|kind| (self.style.fence)(*kind));
            let beside = beside.entry((site.begin, site.end)).or_default();
            match side {
                Side::Outside => beside.outside.extend(words),
                Side::Before => beside.before.extend(words),
                Side::After => beside.after.extend(words),
            }
        }
    }

    /// The statement beside an insertion point, and on which side of it the point is.
    fn site(&self, offset: u32, is_after: bool) -> Option<(Site, Side)> {
        let find =
            |is_it: &dyn Fn(&Site) -> bool| self.sites.iter().find(|site| is_it(site)).copied();
        let begins = || {
            let is_start = self.blocks.iter().any(|(start, _)| *start == offset);
            is_start
                .then(|| {
                    let inside = self.sites.iter().filter(|site| site.begin >= offset);
                    inside.min_by_key(|site| (site.begin, site.end)).copied()
                })
                .flatten()
                .map(|site| (site, Side::Outside))
        };
        let ends = || {
            let is_end = self.blocks.iter().any(|(_, end)| *end == offset);
            is_end
                .then(|| {
                    let inside = self.sites.iter().filter(|site| site.end <= offset);
                    inside.max_by_key(|site| (site.end, u32::MAX - site.begin)).copied()
                })
                .flatten()
                .map(|site| (site, Side::After))
        };
        let from = || {
            find(&|site| site.start == offset && !site.is_guard).map(|site| (site, Side::Before))
        };
        // A statement without braces ends where the one does that it is part of.
        let to = || {
            let ending = self.sites.iter().filter(|site| site.end == offset);
            ending.max_by_key(|site| site.begin).map(|site| (*site, Side::After))
        };
        if is_after {
            begins().or_else(to).or_else(from)
        } else {
            from().or_else(ends).or_else(begins)
        }
    }

    fn write(&mut self, site: Site, beside: &Beside) {
        let (start, end) = (site.start as usize, site.end as usize);
        let braces = self.style.braces.filter(|_| site.bare);
        if let Some((open, _)) = braces {
            self.patches.insert(site.begin as usize, Rank::Line, format!("{open} "));
        }
        self.leading(site.begin as usize, &beside.outside);
        self.leading(start, &beside.before);
        if !beside.after.is_empty() {
            let fences = beside.after.join("; ");
            let behind = self.patches.without_blanks_after(end);
            let rest = &self.patches.text[behind..];
            if let Some(arrow) = self.style.arrow.filter(|arrow| rest.starts_with(arrow)) {
                self.patches.insert(behind + arrow.len(), Rank::Inner, format!(" {fences};"));
            } else {
                // Where semicolons end statements, the last may have none.
                let separates = self.style.braces.is_some() || rest.starts_with(';');
                let end_of_fence = if separates { "" } else { ";" };
                self.patches.insert(end, Rank::Inner, format!("; {fences}{end_of_fence}"));
            }
        }
        if let Some((_, close)) = braces {
            self.patches.insert(end, Rank::Trailing, format!(" {close}"));
        }
    }

    fn leading(&mut self, at: usize, fences: &[&str]) {
        if fences.is_empty() {
            return;
        }
        let end = if self.patches.begins_line(at) {
            format!(";{}{}", self.patches.newline(), self.patches.indentation(at))
        } else {
            "; ".to_owned()
        };
        self.patches.insert(at, Rank::Leading, format!("{}{end}", fences.join(&end)));
    }

    fn remove(&mut self, span: Span, put_back: Option<FenceKind>) {
        let site = self.sites.iter().find(|site| (site.start, site.end) == (span.start, span.end));
        let Some(site) = site.filter(|site| site.is_fence).copied() else {
            self.errors.push(no_fence(span));
            return;
        };
        let range = site.start as usize..site.end as usize;
        if let Some(kind) = put_back {
            let word = (self.style.fence)(kind).unwrap_or(self.style.nothing);
            self.patches.replace(range, word);
            return;
        }
        let behind = self.patches.without_blanks_after(range.end);
        let followed = self.patches.text[behind..].starts_with(';');
        let next = self.sites.iter().map(|other| other.begin).filter(|begin| *begin > site.start);
        // What follows in the same block takes its place.
        let replaced = next.min().is_some_and(|next| {
            followed && !self.patches.text[behind + 1..next as usize].contains(['}', ':'])
        });
        if site.is_labelled || site.bare || !replaced {
            self.patches.replace(range, self.style.nothing);
            return;
        }
        let end = self.patches.without_blanks_after(behind + 1);
        let line = self.patches.line_start(range.start);
        match self.patches.next_line(behind + 1, &[]) {
            Some(next)
                if self.patches.begins_line(range.start)
                    && self.patches.text[behind + 1..next].trim().is_empty() =>
            {
                self.patches.remove(line..next);
            }
            Some(_) | None => self.patches.remove(range.start..end),
        }
    }

    /// The text with all changes, or why they cannot be made.
    pub(crate) fn finish(self) -> Result<Edited, Diagnostics> {
        if self.errors.is_empty() { Ok(self.patches.apply()) } else { Err(self.errors) }
    }
}

/// Where a statement begins, with its labels.
fn begin(statement: &Stmt) -> u32 {
    let labels = statement.labels.iter().map(|label| label.name.span.start);
    labels.min().map_or(statement.span.start, |label| label.min(statement.span.start))
}
