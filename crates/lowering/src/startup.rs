//! What runs before and after a program: functions that linkers collect in `llvm.global_ctors` and
//! `llvm.global_dtors`, C's constructors and destructors.
//!
//! Constructors run one after another before `main`, or before the threads that a user asks for;
//! destructors when `main` has returned, in the opposite order. The thread that runs them goes through
//! *stages*: each is a call that nobody made, and the next begins where it returns.

use llvm::LocalId;
use program::{Diagnostic, Diagnostics, Expr, Span};

use crate::path::{NOWHERE, Point};
use crate::thread::{Cursor, Flow, Known, Slot, Walk};
use crate::value::Val;
use crate::world::ThreadSpec;
use linkage::{Item, Linked};

/// Functions that run around those that the program's text calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Startup {
    /// Before everything else, in this order.
    pub(crate) constructors: Vec<Item>,
    /// After `main`, in this order.
    destructors: Vec<Item>,
    /// The number of the thread that runs them.
    thread: u32,
}

impl Startup {
    /// What modules say; an error if the program may end without what it says.
    pub(crate) fn new(linked: &Linked<'_>) -> Result<Self, Diagnostics> {
        let constructors = linked.collected("llvm.global_ctors");
        let mut destructors = linked.collected("llvm.global_dtors");
        destructors.reverse();
        let is_ended_elsewhere = linked.all_items().any(|item| {
            linked.name(item) == "exit"
                && linked.function(item).is_some_and(|function| function.blocks.is_empty())
        });
        if is_ended_elsewhere && let Some(first) = destructors.first() {
            let message = format!("`exit` would run the destructor `{}`", linked.name(*first));
            return Err(vec![
                Diagnostic::new(Span::NONE, message)
                    .help("destructors run where `main` returns: return instead"),
            ]);
        }
        Ok(Self { constructors, destructors, thread: 0 })
    }

    /// Lets the threads of a program begin after the constructors: one that runs by itself first runs these
    /// too, and otherwise one more thread does.
    pub(crate) fn attach(&mut self, roots: &mut Vec<ThreadSpec>, is_main: bool) {
        if !is_main {
            // What a library does when it is unloaded is nobody's behaviour.
            self.destructors.clear();
        }
        let mut alone = roots.iter().filter(|root| !root.is_created);
        if let (Some(ThreadSpec { number, copies: 1, .. }), None) = (alone.next(), alone.next()) {
            self.thread = *number;
            return;
        }
        let Some(entry) = self.constructors.pop() else { return };
        for root in &mut *roots {
            root.is_created = true;
        }
        self.thread = roots.iter().map(|root| root.number + 1).max().unwrap_or(0);
        roots.push(ThreadSpec {
            number: self.thread,
            name: "constructors".to_owned(),
            entry,
            arguments: Vec::new(),
            copies: 1,
            is_created: false,
            result: None,
        });
    }
}

impl Walk<'_, '_, '_> {
    /// The functions that this thread runs one after another.
    fn stages(&self) -> Vec<Item> {
        let startup = &self.world.startup;
        if startup.thread != self.spec.number {
            return vec![self.spec.entry];
        }
        let (before, after) = (&startup.constructors, &startup.destructors);
        before.iter().chain([&self.spec.entry]).chain(after).copied().collect()
    }

    /// Which of these functions is the one that the thread was made for.
    fn entry_stage(&self) -> usize {
        let startup = &self.world.startup;
        if startup.thread == self.spec.number { startup.constructors.len() } else { 0 }
    }

    /// Whether nothing comes after a stage.
    pub(crate) fn is_last_stage(&self, stage: usize) -> bool {
        stage + 1 >= self.stages().len()
    }

    /// Begins a stage; nothing if there is none.
    pub(crate) fn begin_stage(&mut self, cursor: &mut Cursor, stage: usize) -> Option<Flow> {
        let function = *self.stages().get(stage)?;
        let number = self.spec.number;
        let is_entry = stage == self.entry_stage();
        let path = if is_entry {
            self.world.paths.thread(number)
        } else {
            self.world.paths.stage(number, stage)
        };
        let frame = Self::new_frame(path, function, None);
        let slots = std::mem::take(&mut cursor.known.slots);
        cursor.known = Known { frame, slots, stage, is_refused: cursor.known.is_refused };
        if is_entry {
            self.take_arguments(cursor);
        }
        Some(Flow::Moved)
    }

    /// Has a function be called with an address when the thread ends.
    pub(crate) fn at_end(&mut self, cursor: &mut Cursor, function: Val, given: Val) {
        // Whatever it is given outlives the call that says so.
        let given = Val::Expr(self.expr(cursor, given));
        let registered = cursor.known.slots.entry(Slot::Destructors);
        let registered = registered.or_insert_with(|| Val::Aggregate(Vec::new()));
        if let Val::Aggregate(all) = registered {
            all.push(Val::Aggregate(vec![function, given]));
        }
    }

    /// Begins with the function that is called next when the thread ends: the last one that is left.
    pub(crate) fn begin_destructor(&mut self, cursor: &mut Cursor) -> Option<Flow> {
        let Some(Val::Aggregate(all)) = cursor.known.slots.get_mut(&Slot::Destructors) else {
            return None;
        };
        let Some(Val::Aggregate(parts)) = all.pop() else { return None };
        let mut parts = parts.into_iter();
        let (function, given) = (parts.next()?, parts.next()?);
        let function = self.expr(cursor, function);
        let Expr::Const(address) = function else {
            self.error(
                cursor,
                "which function is called when the thread ends is not known",
                "register a function by its name",
            );
            return Some(Flow::Over);
        };
        let Some(item) = self.function_at(address) else { return Some(self.fail(cursor)) };
        if !self.world.linked.has_body(item) {
            let name = crate::library::readable(self.world.linked.name(item));
            let message = format!("`{name}` is called when the thread ends, and has no body here");
            self.error(cursor, message, "add the file that defines it");
            return Some(Flow::Over);
        }
        // It comes after all stages; nobody calls it, and which one it is tells it apart.
        let stage = self.stages().len().max(cursor.known.stage + 1);
        let object = self.world.symbol_object(item);
        let nowhere = Point {
            path: self.world.paths.thread(self.spec.number),
            block: NOWHERE,
            index: u32::try_from(stage).unwrap_or(u32::MAX),
        };
        let path = self.world.paths.call(nowhere, object.0);
        let mut frame = Self::new_frame(path, item, None);
        frame.locals.insert(LocalId(0), given);
        let slots = std::mem::take(&mut cursor.known.slots);
        cursor.known = Known { frame, slots, stage, is_refused: cursor.known.is_refused };
        Some(Flow::Moved)
    }
}
