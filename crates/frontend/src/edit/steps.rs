//! Changing texts that are lists of labelled steps, each with the label it leaves and the label it
//! leads to: Trencher's transitions and the papers' instructions.
//!
//! A step that is put between two others gets a label that nobody used and a line of its own. What
//! becomes of each step is collected first and written down at the end, because several changes can
//! concern one label.

use std::collections::BTreeSet;
use std::ops::Range;

use program::{Diagnostics, FenceKind, SourceId, Span};

use super::patch::{Comments, Patches, Rank};
use super::{Edited, Plan, no_fence, no_insertion};

/// What new labels beside fences are called.
const FENCE: &str = "fence";

/// A step of a thread.
#[derive(Debug)]
pub(crate) struct Step {
    /// The number of its thread.
    pub(crate) thread: usize,
    /// The label it leaves, after what has been changed so far.
    pub(crate) from: String,
    /// The label it leads to, likewise.
    pub(crate) to: String,
    pub(crate) kind: Kind,
    pub(crate) span: Span,
    /// Where the labels stand, and the first word of what it does.
    pub(crate) places: Places,
    /// Whole steps written before and after it.
    before: Vec<String>,
    after: Vec<String>,
    removed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) from: Range<usize>,
    pub(crate) to: Range<usize>,
    pub(crate) action: Range<usize>,
}

/// What a step does, as far as changes ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Fence,
    Store,
    Lock,
    Unlock,
    Other,
}

/// How a language writes steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// What it is called in messages.
    pub(crate) language: &'static str,
    pub(crate) comments: Comments,
    pub(crate) fence: &'static str,
    pub(crate) nothing: &'static str,
    /// A step that leaves the first label and leads to the second, like one with this text.
    pub(crate) write: fn(from: &str, to: &str, action: &str, like: &str) -> String,
}

impl Step {
    pub(crate) fn new(text: &str, thread: usize, kind: Kind, span: Span, places: Places) -> Self {
        Self {
            thread,
            from: text[places.from.clone()].to_owned(),
            to: text[places.to.clone()].to_owned(),
            kind,
            span,
            places,
            before: Vec::new(),
            after: Vec::new(),
            removed: false,
        }
    }
}

/// The steps of a text and what is to be changed about them.
#[derive(Debug)]
pub(crate) struct Steps<'t> {
    source: SourceId,
    pub(crate) text: &'t str,
    style: Style,
    pub(crate) list: Vec<Step>,
    /// The labels of each thread.
    taken: Vec<BTreeSet<String>>,
    pub(crate) errors: Diagnostics,
    replaced: Vec<(Range<usize>, &'static str)>,
}

impl<'t> Steps<'t> {
    pub(crate) fn new(
        source: SourceId,
        text: &'t str,
        style: Style,
        steps: Vec<Step>,
        initial: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut taken: Vec<BTreeSet<String>> =
            initial.into_iter().map(|label| BTreeSet::from([label])).collect();
        for step in &steps {
            taken[step.thread].extend([step.from.clone(), step.to.clone()]);
        }
        Self { source, text, style, list: steps, taken, errors: Vec::new(), replaced: Vec::new() }
    }

    /// Makes the changes that all such languages know. Their only fences are full ones.
    pub(crate) fn fences(&mut self, plan: &mut Plan) {
        let is_full = |kind| kind == FenceKind::Full;
        self.errors.extend(plan.refuse_kinds(self.source, self.style.language, is_full));
        for span in std::mem::take(&mut plan.remove) {
            self.remove_fence(span, plan);
        }
        // In the order of the text, so that new labels are numbered in it.
        let wanted =
            |(offset, kinds): (&u32, &BTreeSet<FenceKind>)| (!kinds.is_empty()).then_some(*offset);
        let before = plan.before.iter().filter_map(wanted).map(|offset| (offset, true));
        let after = plan.after.iter().filter_map(wanted).map(|offset| (offset, false));
        let all: BTreeSet<(u32, bool)> = before.chain(after).collect();
        for (offset, before) in all {
            if before {
                self.fence_before(offset);
            } else {
                self.fence_after(offset);
            }
        }
    }

    fn remove_fence(&mut self, span: Span, plan: &mut Plan) {
        let found = self.list.iter().find(|step| step.span == span && step.kind == Kind::Fence);
        let Some(step) = found else {
            self.errors.push(no_fence(span));
            return;
        };
        let mut leaving = self.list.iter().filter(|other| other.leaves_with(step));
        // A fence before a label is that of one step only where no other leaves the label.
        let alone = leaving.nth(1).is_none();
        if alone && plan.puts_back(span).is_some() || plan.puts_full_after(span) {
            return;
        }
        self.replaced.push((step.places.action.clone(), self.style.nothing));
    }

    fn fence_before(&mut self, offset: u32) {
        let Some(first) = self.list.iter().position(|step| step.span.start == offset) else {
            self.errors.push(no_insertion(self.source, offset));
            return;
        };
        let label = self.list[first].from.clone();
        let fresh = self.fresh(first, FENCE);
        let fence = self.written(first, &label, &fresh, self.style.fence);
        self.list[first].before.push(fence);
        let thread = self.list[first].thread;
        for step in &mut self.list {
            if step.thread == thread && step.from == label {
                step.from.clone_from(&fresh);
            }
        }
    }

    fn fence_after(&mut self, offset: u32) {
        let Some(step) = self.list.iter().position(|step| step.span.end == offset) else {
            self.errors.push(no_insertion(self.source, offset));
            return;
        };
        self.then(step, self.style.fence, FENCE);
    }

    /// Puts another step before a step, which begins at a new label with this name.
    pub(crate) fn first(&mut self, step: usize, action: &str, name: &str) {
        let fresh = self.fresh(step, name);
        let written = self.written(step, &self.list[step].from, &fresh, action);
        self.list[step].before.push(written);
        self.list[step].from = fresh;
    }

    /// Puts another step right after a step, which leads to a new label with this name.
    pub(crate) fn then(&mut self, step: usize, action: &str, name: &str) {
        let fresh = self.fresh(step, name);
        let written = self.written(step, &fresh, &self.list[step].to, action);
        self.list[step].after.insert(0, written);
        self.list[step].to = fresh;
    }

    /// Takes a step out; what was put beside it stays.
    pub(crate) fn take_out(&mut self, step: usize) {
        self.list[step].removed = true;
    }

    /// A label that nobody uses yet: a name with the first number that makes it new.
    fn fresh(&mut self, step: usize, name: &str) -> String {
        let taken = &mut self.taken[self.list[step].thread];
        let mut number = 1;
        while !taken.insert(format!("{name}{number}")) {
            number += 1;
        }
        format!("{name}{number}")
    }

    fn written(&self, step: usize, from: &str, to: &str, action: &str) -> String {
        let span = self.list[step].span;
        (self.style.write)(from, to, action, &self.text[span.start as usize..span.end as usize])
    }

    /// The text with all changes, or why they cannot be made.
    pub(crate) fn finish(self) -> Result<Edited, Diagnostics> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let mut patches = Patches::new(self.text, self.style.comments);
        for (range, text) in self.replaced {
            patches.replace(range, text);
        }
        for step in self.list {
            step.write(&mut patches);
        }
        Ok(patches.apply())
    }
}

impl Step {
    /// Whether another step leaves the same label.
    fn leaves_with(&self, other: &Self) -> bool {
        self.thread == other.thread && self.from == other.from
    }

    fn write(self, patches: &mut Patches<'_>) {
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        let own_line = patches.begins_line(start);
        let indent = patches.indentation(start);
        let between =
            if own_line { format!("{}{indent}", patches.newline()) } else { " ".to_owned() };
        for line in self.before {
            patches.insert(start, Rank::Leading, format!("{line}{between}"));
        }
        if self.removed {
            let rest = patches.next_line(end, &[]);
            match rest.filter(|next| own_line && patches.text[end..*next].trim().is_empty()) {
                Some(next) => patches.remove(patches.line_start(start)..next),
                None => patches.remove(start..patches.without_blanks_after(end)),
            }
        } else {
            for (range, label) in [(self.places.from, self.from), (self.places.to, self.to)] {
                if patches.text[range.clone()] != label {
                    patches.replace(range, label);
                }
            }
        }
        if self.after.is_empty() {
            return;
        }
        let lines = self.after.join(&between);
        if !own_line || !patches.line_after(end, &[], &format!("{indent}{lines}")) {
            patches.insert(end, Rank::Trailing, format!(" {lines}"));
        }
    }
}
