//! Functions that are known by a line of words ([`linkage::summary`]): those of its table, and those that a
//! user says something of.

use std::collections::{BTreeSet, HashMap};

use program::{Expr, Instruction, Value};

use crate::call::Called;
use crate::library::readable;
use crate::library::rust::counts_processors;
use crate::object::ObjectId;
use crate::outside::Kind;
use crate::thread::{Cursor, Flow, Limit, OnReturn, Purpose, Scratch, Slot, WORD, Walk};
use crate::value::Val;
use linkage::named::is_meant;
use linkage::{Effect, Returned, Summary};

/// The first of the numbers by which an instruction's pointers are told apart that are given to a function
/// without a body.
const GIVEN: u32 = 1000;
/// More parts than these has no variable.
const MOST_PARTS: u32 = 1 << 20;

/// What functions without a body do, by their names.
pub(crate) struct Summaries<'e> {
    known: HashMap<String, Summary>,
    stated: &'e [Summary],
    /// Those that a user stated and that were needed, by their places.
    pub(crate) used: BTreeSet<usize>,
}

impl<'e> Summaries<'e> {
    pub(crate) fn new(stated: &'e [Summary]) -> Self {
        let known = Summary::known();
        let known = known.into_iter().map(|one| (one.function.clone(), one)).collect();
        Self { known, stated, used: BTreeSet::new() }
    }

    /// Whether a user says that a function never fails.
    pub(crate) fn succeeds(&mut self, name: &str) -> bool {
        self.stated(name).is_some_and(|summary| summary.succeeds)
    }

    /// The numbers that a function returns, as a user says.
    pub(crate) fn numbers(&mut self, name: &str) -> Option<(Value, Value)> {
        match self.stated(name)?.returned {
            Returned::Between(low, high) => Some((low, high)),
            Returned::Anything | Returned::Text | Returned::Unclear => None,
        }
    }

    /// What a user says of a function.
    fn stated(&mut self, name: &str) -> Option<&'e Summary> {
        let is_meant = |one: &Summary| is_meant(&one.function, name);
        let place = self.stated.iter().position(is_meant)?;
        self.used.insert(place);
        Some(&self.stated[place])
    }
}

impl Walk<'_, '_, '_> {
    /// Does what a user says of a function.
    pub(crate) fn stated(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        // That it succeeds says nothing of what it does then.
        let summary = self.world.summaries.stated(called.name).filter(|one| !one.succeeds)?;
        // A number may be a part of what is returned.
        if counts_processors(&readable(called.name)) {
            return None;
        }
        let given = called.arguments.len();
        if let Some(last) = summary.effects.iter().filter_map(Effect::last_argument).max()
            && last >= given
        {
            let name = readable(called.name);
            let arguments = if given == 1 { "argument" } else { "arguments" };
            let message = format!("`{name}` is given {given} {arguments} here");
            let help = format!("`--assume '{}'` speaks of argument {}", summary.text, last + 1);
            self.error(cursor, message, &help);
            return Some(Flow::Over);
        }
        Some(self.summarised(cursor, called, summary))
    }

    /// Does what is known of a function of the C library.
    pub(crate) fn known(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        let summary = self.world.summaries.known.get(called.name)?.clone();
        Some(self.summarised(cursor, called, &summary))
    }

    fn summarised(&mut self, cursor: &mut Cursor, called: &Called<'_>, summary: &Summary) -> Flow {
        let name = readable(called.name);
        self.shows_arguments(cursor, called);
        if let Some(local) = called.result {
            let ty = called.call.result_type;
            let returned = (summary.returned, &*name);
            let value = self.returned(cursor, local, 0, ty, returned);
            self.define(cursor, called.result, value);
        }
        cursor.known.slots.insert(Slot::Errno, Val::constant(1));
        for effect in &summary.effects {
            let flow = match effect {
                Effect::Writes { argument, and_all_that_follow, values } => {
                    let last = if *and_all_that_follow {
                        called.arguments.len().max(argument + 1)
                    } else {
                        argument + 1
                    };
                    let given: Vec<usize> = (*argument..last).collect();
                    self.write_into(cursor, called, &given, Kind::Number, *values)
                }
                Effect::Formats { format } => {
                    let text = self.argument(cursor, called, *format).as_constant();
                    let text = text.and_then(|address| self.text_at(address));
                    let given: Vec<usize> = (format + 1..called.arguments.len()).collect();
                    let writes = text.is_none_or(|text| linkage::format_writes(&text));
                    if writes && !given.is_empty() {
                        self.write_into(cursor, called, &given, Kind::Number, None)
                    } else {
                        Flow::Next
                    }
                }
                Effect::Calls { function, arguments } => {
                    let function = self.argument(cursor, called, *function);
                    let what = format!("`{name}` calls");
                    let Some(item) = self.routine(cursor, &function, &what) else {
                        return Flow::Over;
                    };
                    let given: Vec<Val> =
                        arguments.iter().map(|at| self.argument(cursor, called, *at)).collect();
                    self.enter_then(cursor, item, given, OnReturn::Forget)
                }
                Effect::Creates { function, argument } => {
                    let routine = self.argument(cursor, called, *function);
                    let argument = self.argument(cursor, called, *argument);
                    self.create_running(cursor, &routine, argument, |walk, cursor, number| {
                        walk.define(cursor, called.result, Val::constant(number));
                    })
                }
                Effect::Joins { handle } => {
                    let handle = self.argument(cursor, called, *handle);
                    let handle = self.expr(cursor, handle);
                    self.join_thread(cursor, handle);
                    Flow::Next
                }
            };
            if !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }

    /// Notes that somebody outside is shown what a function is given.
    pub(crate) fn shows_arguments(&mut self, cursor: &mut Cursor, called: &Called<'_>) {
        for (at, number) in (0..called.arguments.len()).zip(0..) {
            let value = self.argument(cursor, called, at);
            self.shows(cursor, number, &value);
        }
    }

    /// Notes that somebody outside is shown a value, and keeps it for who compares results; constants tell
    /// nothing.
    pub(crate) fn shows(&mut self, cursor: &mut Cursor, number: u32, value: &Val) {
        match value {
            Val::Expr(Expr::Const(_)) | Val::Undefined => {}
            Val::Expr(shown) => {
                self.world.shows_locals = true;
                let (register, value) =
                    (self.scratch(cursor, Scratch::Shown(number), WORD), shown.clone());
                self.emit(cursor, Instruction::Assign { register, value });
            }
            Val::Private(..) | Val::Aggregate(_) | Val::Inexpressible(_) => {
                self.world.shows_locals = true;
                self.world.learn_shown(value);
            }
        }
    }

    /// Writes anything, or numbers of a range, into the variables that some arguments point to.
    pub(crate) fn write_into(
        &mut self,
        cursor: &mut Cursor,
        called: &Called<'_>,
        arguments: &[usize],
        kind: Kind,
        values: Option<(Value, Value)>,
    ) -> Flow {
        let name = readable(called.name);
        // Effects on different arguments have registers of their own.
        let mut number = u32::try_from(arguments[0]).unwrap_or(0) * MOST_PARTS;
        for at in arguments {
            let target = self.argument(cursor, called, *at);
            match &target {
                Val::Private(private, _) => {
                    for (at, bytes) in self.parts_between(*private, i64::MIN / 2, i64::MAX / 2) {
                        let value = self.written(cursor, &mut number, bytes, (kind, values), &name);
                        self.write_private(cursor, *private, at, bytes, value);
                    }
                }
                Val::Expr(Expr::Const(address)) => {
                    let Some((object, offset)) = self.world.objects.at(*address) else { continue };
                    for (cell, bytes) in self.cells_beside(object, offset) {
                        let value = self.written(cursor, &mut number, bytes, (kind, values), &name);
                        let place = Val::constant(cell);
                        self.for_purpose(Purpose::Fill, |walk| {
                            let order = program::Order::Plain;
                            walk.store_bytes(cursor, &place, u64::from(bytes), value, order);
                        });
                    }
                }
                Val::Expr(pointer) => {
                    let key = (self.point(cursor), GIVEN + u32::try_from(*at).unwrap_or(0));
                    self.pointers.push((key, pointer.clone()));
                    let targets = self.world.facts.targets.get(&key);
                    // What points to no variable of the program comes from outside.
                    if targets.is_some_and(|targets| !targets.is_empty()) {
                        return self.give_up(cursor, Limit::WritesSomewhere(name.into()));
                    }
                }
                Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {}
            }
        }
        Flow::Next
    }

    /// The cells of the element of an object that has a byte at an offset: addresses and widths.
    fn cells_beside(&self, object: ObjectId, offset: i64) -> Vec<(Value, u32)> {
        let known = self.world.objects.get(object);
        let stride = i64::try_from(known.stride).unwrap_or(i64::MAX).max(1);
        let element = Value::from(offset - offset.rem_euclid(stride));
        let cells = self.world.facts.cells.get(&object);
        let all = cells.into_iter().flatten();
        all.map(|(at, bytes)| (known.base + element + Value::from(*at), *bytes)).collect()
    }
}
