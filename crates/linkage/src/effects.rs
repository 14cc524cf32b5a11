//! What library functions do, as data: one table that an analysis reads without walking any call.
//!
//! `effects.txt` holds what takes part in synchronisation, memory or control; where a function is not in it,
//! the lines of [`crate::summary`] count, those of a user first. What stands in neither is unknown: it may do
//! anything with what it can reach. The lowering carries most of these functions out by code of its own, since
//! it needs the exact values that they compute; it shares the lines of [`crate::summary`].

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::names;
use crate::summary::{Effect, Returned, Summary};
use crate::symbols::of_c;

/// An order of memory accesses, as languages number or name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Relaxed.
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release.
    AcqRel,
    /// Sequentially consistent.
    SeqCst,
}

impl Order {
    /// The order that a number means in C (`memory_order`).
    pub const fn of_c(number: i128) -> Self {
        match number {
            0 => Self::Relaxed,
            1 | 2 => Self::Acquire,
            3 => Self::Release,
            4 => Self::AcqRel,
            _ => Self::SeqCst,
        }
    }

    /// The order that a number means in Rust (the discriminant of `Ordering`).
    pub const fn of_rust(number: i128) -> Self {
        match number {
            0 => Self::Relaxed,
            1 => Self::Release,
            2 => Self::Acquire,
            3 => Self::AcqRel,
            _ => Self::SeqCst,
        }
    }
}

/// An order that is fixed, or that an argument (counted from 0) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderOf {
    /// This one.
    Fixed(Order),
    /// What the argument says, by the numbers of the function's language.
    Argument(usize),
}

/// How a lock is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// Alone, for certain.
    Alone,
    /// Together with other readers.
    Shared,
    /// Perhaps: the call may fail.
    Perhaps,
}

/// Where a value is put or comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// It is returned.
    Returned,
    /// It is stored where an argument points to.
    Into(usize),
}

/// One thing that a function does. Arguments are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// It takes the lock that an argument points to.
    Locks(usize, Taking),
    /// It gives that lock back.
    Unlocks {
        /// The argument.
        lock: usize,
        /// Whether a mere store does, and no read-modify-write.
        by_store: bool,
    },
    /// It creates a thread that runs one argument with others.
    Creates {
        /// The function.
        function: usize,
        /// What it is given.
        arguments: Vec<usize>,
    },
    /// It creates a thread that runs a boxed closure which an argument leads to: the function at this offset
    /// of a table of methods.
    CreatesBoxed {
        /// What leads to the box.
        argument: usize,
        /// The offset of the method.
        slot: u64,
    },
    /// The handle of the thread that it creates goes there.
    Handle(Where),
    /// It waits for the thread whose handle is an argument.
    Joins(usize),
    /// It stores the result of a thread where an argument points to.
    Result(usize),
    /// It ends the thread, whose result is an argument.
    Ends(usize),
    /// It allocates memory, whose address goes there.
    Allocates(Where),
    /// It allocates memory, to which it copies what an argument points to, and returns its address.
    Reallocates(usize),
    /// It allocates memory anew for what an argument points to, which holds the address of the old.
    ReallocatesIn(usize),
    /// It gives memory back.
    Frees(usize),
    /// It may do anything with what can be reached from its arguments, and with nothing else.
    Mixes,
    /// It copies bytes from where one argument points to where another does.
    Copies {
        /// Where to.
        to: usize,
        /// Where from.
        from: usize,
    },
    /// It writes numbers where an argument points to, and where those that follow do if there are more.
    Writes {
        /// The argument.
        argument: usize,
        /// Whether the same is true of all that follow.
        and_all_that_follow: bool,
    },
    /// It prints the arguments behind this one as this says; with `%n` it writes numbers where they point to.
    Formats(usize),
    /// It stores an argument where another points to.
    KeepsIn {
        /// What is stored, or an address in the same object.
        value: usize,
        /// Where.
        place: usize,
    },
    /// It keeps an argument for the thread, to be returned by another function.
    Keeps(usize),
    /// It returns what a thread kept.
    ReturnsKept,
    /// It returns an address in what an argument points to.
    ReturnsInside(usize),
    /// It returns what is stored where an argument points to.
    ReturnsHeld(usize),
    /// It returns an address of memory that is not the program's.
    ReturnsOutside,
    /// It returns the address of a variable of the library that every thread has for itself.
    ReturnsOwn,
    /// It calls an argument with others.
    Calls {
        /// The function.
        function: usize,
        /// What it is given.
        arguments: Vec<usize>,
    },
    /// It lets an argument run later with what threads kept.
    CreatesWithKept(usize),
    /// It lets functions run later that can be reached from an argument, with what can be reached from it.
    CreatesHeld(usize),
    /// It calls the function at an offset of a table of methods.
    CallsTable {
        /// The table.
        table: usize,
        /// The offset.
        slot: u64,
        /// What it is given.
        arguments: Vec<usize>,
    },
    /// It calls functions that can be reached from an argument, with what can be reached from it.
    CallsHeld(usize),
    /// It is a fence.
    Fences(OrderOf),
    /// It loads atomically from where an argument points to.
    Loads {
        /// The address.
        address: usize,
        /// The order.
        order: OrderOf,
    },
    /// It stores atomically.
    Stores {
        /// What is stored.
        value: usize,
        /// The address.
        address: usize,
        /// The order.
        order: OrderOf,
    },
    /// It reads and writes at once, and returns what was there.
    Exchanges {
        /// What may be stored.
        value: usize,
        /// The address.
        address: usize,
        /// The order.
        order: OrderOf,
    },
    /// It reads and writes numbers at once where an argument points to.
    Updates {
        /// The address.
        address: usize,
        /// The order.
        order: Order,
    },
    /// It does not return.
    Stops,
}

/// What functions without a body do, by their names.
#[derive(Debug)]
pub struct Library {
    exact: FxHashMap<String, Vec<Clause>>,
    patterns: Vec<(String, Vec<Clause>)>,
    stated: Vec<(String, Vec<Clause>)>,
    found: RefCell<FxHashMap<String, Option<Vec<Clause>>>>,
}

impl Library {
    /// The functions that are known, and those that a user states.
    pub fn new(stated: &[Summary]) -> Self {
        let mut exact = FxHashMap::default();
        for summary in Summary::known() {
            exact.insert(summary.function.clone(), clauses_of(&summary));
        }
        let mut patterns = Vec::new();
        for (name, clauses) in parse(include_str!("effects.txt")).expect("a test parses it") {
            if name.contains('*') {
                patterns.push((name, clauses));
            } else {
                exact.insert(name, clauses);
            }
        }
        // That a function succeeds says nothing of what it does then.
        let stated = stated.iter().filter(|one| !one.succeeds);
        let stated = stated.map(|one| (one.function.clone(), clauses_of(one))).collect();
        Self { exact, patterns, stated, found: RefCell::default() }
    }

    /// What the function of this symbol does; nothing if it is unknown. A body in a module goes before what
    /// the table says of C, and behind what it says of Rust and what a user says.
    pub fn clauses(&self, symbol: &str, has_body: bool) -> Option<Vec<Clause>> {
        if let Some(known) = self.found.borrow().get(symbol) {
            return known.clone();
        }
        let found = self.look_up(symbol, has_body);
        self.found.borrow_mut().insert(symbol.to_owned(), found.clone());
        found
    }

    fn look_up(&self, symbol: &str, has_body: bool) -> Option<Vec<Clause>> {
        let shown = crate::readable(symbol);
        let is_meant = |written: &str| {
            shown == written || shown.strip_suffix(written).is_some_and(|one| one.ends_with("::"))
        };
        if let Some((_, clauses)) = self.stated.iter().find(|(name, _)| is_meant(name)) {
            return Some(clauses.clone());
        }
        let path = llvm::demangled(symbol).map(|name| names::plain(&name));
        if path.is_none() && has_body {
            return None;
        }
        let name = path.as_deref().unwrap_or_else(|| of_c(symbol));
        if path.is_some() && has_body && !name.starts_with("core::sync::atomic::") {
            return None;
        }
        if let Some(clauses) = self.exact.get(name) {
            return Some(clauses.clone());
        }
        let (_, clauses) = self.patterns.iter().find(|(pattern, _)| is_like(pattern, name))?;
        // A body says more than that a function may do something.
        let is_vague = has_body && matches!(clauses[..], [Clause::Mixes]);
        (!is_vague).then(|| clauses.clone())
    }
}

/// Whether a name is like a pattern, in which `*` stands for any text.
fn is_like(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// What a line of words says, as clauses.
fn clauses_of(summary: &Summary) -> Vec<Clause> {
    let mut clauses = Vec::new();
    match summary.returned {
        Returned::Text => clauses.push(Clause::ReturnsOutside),
        Returned::Anything | Returned::Between(..) | Returned::Unclear => {}
    }
    for effect in &summary.effects {
        match effect {
            Effect::Writes { argument, and_all_that_follow, .. } => {
                let (argument, and_all_that_follow) = (*argument, *and_all_that_follow);
                clauses.push(Clause::Writes { argument, and_all_that_follow });
            }
            Effect::Formats { format } => clauses.push(Clause::Formats(*format)),
            Effect::Calls { function, arguments } => {
                clauses.push(Clause::Calls { function: *function, arguments: arguments.clone() });
            }
            Effect::Creates { function, argument } => {
                clauses.push(Clause::Creates { function: *function, arguments: vec![*argument] });
                clauses.push(Clause::Handle(Where::Returned));
            }
            Effect::Joins { handle } => clauses.push(Clause::Joins(*handle)),
        }
    }
    clauses
}

fn parse(text: &str) -> Result<Vec<(String, Vec<Clause>)>, String> {
    let mut all = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let number: u32 = number;
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let Some((names, said)) = line.rsplit_once(": ") else {
            return Err(format!("line {number}: no colon"));
        };
        let mut clauses = Vec::new();
        for clause in said.split(", ") {
            let words: Vec<&str> = clause.split(' ').collect();
            if words == ["does", "nothing"] {
                continue;
            }
            let parsed = self::clause(&words);
            clauses.push(parsed.ok_or_else(|| format!("line {number}: `{clause}`"))?);
        }
        for name in split_names(names) {
            all.push((name, clauses.clone()));
        }
    }
    Ok(all)
}

/// Names are apart by spaces, but for those inside the brackets of Rust's paths.
fn split_names(names: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0_u32;
    for letter in names.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == ' ' && depth == 0 {
            found.push(String::new());
        } else if let Some(last) = found.last_mut() {
            last.push(letter);
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

fn argument(text: &str) -> Option<usize> {
    text.parse::<usize>().ok()?.checked_sub(1)
}

fn order(text: &str) -> Option<Order> {
    Some(match text {
        "relaxed" => Order::Relaxed,
        "acquire" => Order::Acquire,
        "release" => Order::Release,
        "acq_rel" => Order::AcqRel,
        "seq_cst" => Order::SeqCst,
        _ => return None,
    })
}

fn clause(words: &[&str]) -> Option<Clause> {
    Some(match words {
        ["locks", lock] => Clause::Locks(argument(lock)?, Taking::Alone),
        ["shares", lock] => Clause::Locks(argument(lock)?, Taking::Shared),
        ["tries", lock] => Clause::Locks(argument(lock)?, Taking::Perhaps),
        ["unlocks", lock] => Clause::Unlocks { lock: argument(lock)?, by_store: false },
        ["unlocks", lock, "by", "a", "store"] => {
            Clause::Unlocks { lock: argument(lock)?, by_store: true }
        }
        ["creates", function, "with", "kept"] => Clause::CreatesWithKept(argument(function)?),
        ["creates", "everything", "in", what] => Clause::CreatesHeld(argument(what)?),
        ["creates", "boxed", what, "at", slot] => {
            Clause::CreatesBoxed { argument: argument(what)?, slot: slot.parse().ok()? }
        }
        ["creates", function, "with", given @ ..] => Clause::Creates {
            function: argument(function)?,
            arguments: given.iter().map(|one| argument(one)).collect::<Option<_>>()?,
        },
        ["handle", "in", place] => Clause::Handle(Where::Into(argument(place)?)),
        ["joins", handle] => Clause::Joins(argument(handle)?),
        ["result", "in", place] => Clause::Result(argument(place)?),
        ["ends", "with", value] => Clause::Ends(argument(value)?),
        ["allocates"] => Clause::Allocates(Where::Returned),
        ["allocates", "into", place] => Clause::Allocates(Where::Into(argument(place)?)),
        ["reallocates", "in", place] => Clause::ReallocatesIn(argument(place)?),
        ["mixes"] => Clause::Mixes,
        ["reallocates", old] => Clause::Reallocates(argument(old)?),
        ["frees", what] => Clause::Frees(argument(what)?),
        ["copies", to, "from", from] => Clause::Copies { to: argument(to)?, from: argument(from)? },
        ["writes", what] => {
            Clause::Writes { argument: argument(what)?, and_all_that_follow: false }
        }
        ["keeps", value, "in", place] => {
            Clause::KeepsIn { value: argument(value)?, place: argument(place)? }
        }
        ["keeps", value] => Clause::Keeps(argument(value)?),
        ["returns", "kept"] => Clause::ReturnsKept,
        ["returns", "inside", what] => Clause::ReturnsInside(argument(what)?),
        ["returns", "held", "in", what] => Clause::ReturnsHeld(argument(what)?),
        ["returns", "outside"] => Clause::ReturnsOutside,
        ["returns", "own"] => Clause::ReturnsOwn,
        ["calls", "everything", "in", what] => Clause::CallsHeld(argument(what)?),
        ["calls", "table", table, "at", slot, "with", given @ ..] => Clause::CallsTable {
            table: argument(table)?,
            slot: slot.parse().ok()?,
            arguments: given.iter().map(|one| argument(one)).collect::<Option<_>>()?,
        },
        ["calls", function] => {
            Clause::Calls { function: argument(function)?, arguments: Vec::new() }
        }
        ["calls", function, "with", given @ ..] => Clause::Calls {
            function: argument(function)?,
            arguments: given.iter().map(|one| argument(one)).collect::<Option<_>>()?,
        },
        ["fences", how] => Clause::Fences(match order(how) {
            Some(order) => OrderOf::Fixed(order),
            None => OrderOf::Argument(argument(how)?),
        }),
        ["loads", address, "order", how] => {
            Clause::Loads { address: argument(address)?, order: OrderOf::Argument(argument(how)?) }
        }
        ["stores", value, "to", address, "order", how] => Clause::Stores {
            value: argument(value)?,
            address: argument(address)?,
            order: OrderOf::Argument(argument(how)?),
        },
        ["exchanges", value, "to", address, "order", how] => Clause::Exchanges {
            value: argument(value)?,
            address: argument(address)?,
            order: OrderOf::Argument(argument(how)?),
        },
        ["updates", address, "as", how] => {
            Clause::Updates { address: argument(address)?, order: order(how)? }
        }
        ["stops"] => Clause::Stops,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood_and_names_each_function_once() {
        let all = parse(include_str!("effects.txt")).unwrap_or_else(|error| panic!("{error}"));
        let mut names = BTreeSet::new();
        for (name, _) in &all {
            assert_eq!(name.matches('<').count(), name.matches('>').count(), "{name}");
            assert!(names.insert(name.as_str()), "{name} is there twice");
        }
        assert_eq!(parse("f g: stops, joins 0\n"), Err("line 1: `joins 0`".to_owned()));
        assert_eq!(parse("f\n"), Err("line 1: no colon".to_owned()));
    }

    #[test]
    fn names_are_found_by_what_they_are_like() {
        let table = [
            ("a::B*::c", "a::Bx::c", true),
            ("a::B*::c", "a::B::c", true),
            ("a::B*::c", "a::B::cd", false),
            ("a*", "ab", true),
            ("a*b*c", "a1b2b3c", true),
            ("abc", "abc", true),
            ("abc", "abcd", false),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(is_like(pattern, name), expected, "{pattern} {name}");
        }
        assert_eq!(split_names("a <b as c>::d e"), ["a", "<b as c>::d", "e"]);
    }

    #[test]
    fn users_go_before_bodies_and_bodies_before_the_table() {
        let stated = Summary::parse("malloc does nothing").expect("a line");
        let library = Library::new(&[stated]);
        assert_eq!(library.clauses("malloc", true), Some(Vec::new()));
        assert_eq!(library.clauses("free", true), None);
        let library = Library::new(&[]);
        assert_eq!(library.clauses("free", false), Some(vec![Clause::Frees(0)]));
        assert_eq!(library.clauses("strangely_unknown", false), None);
        // Rust's own library, by paths.
        let dropped = "_RNvXs1_NtCslNYArtu3iFV_5alloc7raw_vecINtB5_6RawVechENtNtNtCsgEmfK2I1SDS_4core3ops4drop4Drop4dropCsduwmD7cSIQq_5gimli";
        assert_eq!(library.clauses(dropped, false), Some(vec![Clause::Frees(0)]));
        let parsed = "_RNvNtNtCsgEmfK2I1SDS_4core3str8converts9from_utf8";
        assert_eq!(library.clauses(parsed, false), Some(vec![Clause::Mixes]));
        // The table of the lowering is part of it.
        let written = Clause::Writes { argument: 1, and_all_that_follow: false };
        assert_eq!(library.clauses("fstat", false), Some(vec![written]));
    }
}
