//! Summaries: what a function without a body does, in one line of words.
//!
//! ```text
//! NAME CLAUSE, CLAUSE …
//!
//! does nothing            it changes nothing; if it returns something, that may be any value
//! returns 0..=3           it returns a number of this range; `returns 7` for one number
//! returns anything        it returns any value of its type
//! returns text            it returns null or the address of text that was there before
//! writes 2                it writes anything into all of the variable that argument 2 points to
//! writes 2..              the same for argument 2 and all that follow
//! writes 2 with 0..=1     it writes a number of this range
//! formats 1               it prints what follows argument 1 as this says, and writes where `%n` says so
//! calls 2 with 3 4        it calls argument 2 once, with the arguments 3 and 4
//! creates 2 with 3        it creates a thread that runs argument 2 with argument 3, and returns its handle
//! joins 1                 it waits until the thread whose handle is argument 1 has ended
//! succeeds                it does what it is known to do, and does not fail: for `malloc`, `pthread_create` and their like
//! ```
//!
//! Arguments are counted from 1. All that is not said does not happen. The functions of the C library that
//! are known by such lines stand in `known.txt`; a user adds others.

use program::Value;

/// What a function without a body does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The function.
    pub function: String,
    /// What it returns, if it returns something.
    pub returned: Returned,
    /// What else it does, in this order.
    pub effects: Vec<Effect>,
    /// Whether it is a function that is known and may fail, and does not: nothing else is said of it then.
    pub succeeds: bool,
    /// The line.
    pub text: String,
}

/// The functions that are known, and that a system may refuse what they ask for.
pub const FALLIBLE: [&str; 9] = [
    "malloc",
    "calloc",
    "realloc",
    "valloc",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "pthread_create",
    "thrd_create",
];

/// What a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// Any value of its type.
    Anything,
    /// A number of a range, the first and the last of which are these.
    Between(Value, Value),
    /// Null, or the address of text that was there before.
    Text,
    /// Some value of its type; which ones are possible is not clear.
    Unclear,
}

/// Something that a function does. Arguments are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It writes into the variable that an argument points to.
    Writes {
        /// The argument.
        argument: usize,
        /// Whether the same is true of all that follow.
        and_all_that_follow: bool,
        /// The first and the last of the numbers that it may write; otherwise anything.
        values: Option<(Value, Value)>,
    },
    /// It prints the arguments behind one that says how, as `printf` does: `%n` in it writes into one of them.
    Formats {
        /// The argument that says how.
        format: usize,
    },
    /// It calls an argument once.
    Calls {
        /// The argument that is called.
        function: usize,
        /// Those that it is given.
        arguments: Vec<usize>,
    },
    /// It creates a thread.
    Creates {
        /// The argument that the thread runs.
        function: usize,
        /// What the thread is given.
        argument: usize,
    },
    /// It waits for a thread.
    Joins {
        /// The argument that is the thread's handle.
        handle: usize,
    },
}

impl Effect {
    /// The last argument that there must be.
    pub fn last_argument(&self) -> Option<usize> {
        match self {
            Self::Writes { argument, and_all_that_follow, .. } => {
                (!and_all_that_follow).then_some(*argument)
            }
            Self::Formats { format } => Some(*format),
            Self::Calls { function, arguments } => {
                arguments.iter().copied().max().max(Some(*function))
            }
            Self::Creates { function, argument } => Some(*function.max(argument)),
            Self::Joins { handle } => Some(*handle),
        }
    }
}

impl Summary {
    /// What a line says; an error in words otherwise.
    pub fn parse(line: &str) -> Result<Self, String> {
        let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some((function, clauses)) = text.split_once(' ') else {
            return Err(format!(
                "`{text}` says nothing of a function: write for example `{} returns 0..=1`",
                if text.is_empty() { "f" } else { &text }
            ));
        };
        let mut summary = Self {
            function: function.to_owned(),
            returned: Returned::Anything,
            effects: Vec::new(),
            succeeds: clauses == "succeeds",
            text: text.clone(),
        };
        if summary.succeeds {
            return if FALLIBLE.contains(&function) {
                Ok(summary)
            } else {
                let all = FALLIBLE.join("`, `");
                Err(format!("`succeeds` can be said of `{all}`, and not of `{function}`"))
            };
        }
        for clause in clauses.split(',') {
            summary.add(clause.trim())?;
        }
        let takes_over = |effect: &Effect| match effect {
            Effect::Calls { .. } | Effect::Creates { .. } => true,
            Effect::Writes { .. } | Effect::Formats { .. } | Effect::Joins { .. } => false,
        };
        let others = summary.effects.len() - usize::from(!summary.effects.is_empty());
        if summary.effects[..others].iter().any(takes_over) {
            return Err("`calls` and `creates` come last, and only one of them".to_owned());
        }
        Ok(summary)
    }

    /// What the lines of a text say; what follows `#` is a comment. An error names its line.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let lines = text
            .lines()
            .zip(1..)
            .map(|(line, number)| (line.split('#').next().unwrap_or_default().trim(), number));
        lines
            .filter(|(line, _)| !line.is_empty())
            .map(|(line, number): (&str, u32)| {
                Self::parse(line).map_err(|error| format!("line {number}: {error}"))
            })
            .collect()
    }

    /// The functions of the C library that are known by such lines.
    pub fn known() -> Vec<Self> {
        Self::parse_all(include_str!("known.txt")).expect("a test parses it")
    }

    /// Whether this is said of a symbol: by a name of C, or by the end of a path of Rust.
    pub fn is_of(&self, symbol: &str) -> bool {
        let shown = crate::readable(symbol);
        let front = shown.strip_suffix(self.function.as_str());
        front.is_some_and(|front| front.is_empty() || front.ends_with("::"))
    }

    fn add(&mut self, clause: &str) -> Result<(), String> {
        let words: Vec<&str> = clause.split(' ').collect();
        match words[..] {
            ["does", "nothing"] => {}
            ["returns", "anything"] => self.returned = Returned::Anything,
            ["returns", "text"] => self.returned = Returned::Text,
            ["returns", values] => {
                let (first, last) = range(values)?;
                self.returned = Returned::Between(first, last);
            }
            ["writes", which] => self.effects.push(writes(which, None)?),
            ["writes", which, "with", values] => {
                self.effects.push(writes(which, Some(range(values)?))?);
            }
            ["formats", which] => self.effects.push(Effect::Formats { format: argument(which)? }),
            ["calls", which] => {
                let function = argument(which)?;
                self.effects.push(Effect::Calls { function, arguments: Vec::new() });
            }
            ["calls", which, "with", ref given @ ..] => {
                let arguments = given.iter().map(|one| argument(one)).collect::<Result<_, _>>()?;
                self.effects.push(Effect::Calls { function: argument(which)?, arguments });
            }
            ["creates", which, "with", given] => {
                let (function, argument) = (argument(which)?, argument(given)?);
                self.effects.push(Effect::Creates { function, argument });
            }
            ["joins", which] => self.effects.push(Effect::Joins { handle: argument(which)? }),
            _ => {
                return Err(format!(
                    "`{clause}` is not understood; expected `does nothing`, `returns 0..=1`, \
                     `returns anything`, `returns text`, `writes 2`, `writes 2 with 0..=1`, \
                     `formats 1`, `calls 2 with 3`, `creates 2 with 3`, `joins 1` or `succeeds` alone"
                ));
            }
        }
        Ok(())
    }
}

/// Whether a format of `printf` has a directive that writes (`%n`, `%hhn`, `%2$n`).
pub fn format_writes(format: &[u8]) -> bool {
    let mut rest = format.iter().copied();
    while let Some(letter) = rest.next() {
        if letter != b'%' {
            continue;
        }
        // Flags, widths and sizes; the first other letter ends the directive.
        let is_before = |one: &u8| b"-+ #0123456789.*$'Ihljztq".contains(one) || *one == b'L';
        if rest.by_ref().find(|one| !is_before(one)) == Some(b'n') {
            return true;
        }
    }
    false
}

fn writes(which: &str, values: Option<(Value, Value)>) -> Result<Effect, String> {
    let (which, and_all_that_follow) = match which.strip_suffix("..") {
        Some(which) => (which, true),
        None => (which, false),
    };
    Ok(Effect::Writes { argument: argument(which)?, and_all_that_follow, values })
}

/// The number of an argument, counted from 0.
fn argument(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    number.ok_or_else(|| format!("`{text}` is not the number of an argument: these begin with 1"))
}

/// `7`, `0..=7`.
fn range(text: &str) -> Result<(Value, Value), String> {
    let number = |text: &str| {
        text.parse::<Value>()
            .ok()
            .filter(|value| (-(1 << 63)..1 << 64).contains(value))
            .ok_or_else(|| format!("`{text}` is not a number of at most 64 bits"))
    };
    let (first, last) = match text.split_once("..=") {
        Some((first, last)) => (number(first)?, number(last)?),
        None if text.contains("..") => {
            return Err(format!("`{text}` is not a range: write `0..=7`"));
        }
        None => (number(text)?, number(text)?),
    };
    if first > last {
        return Err(format!("the range `{text}` is empty"));
    }
    Ok((first, last))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood_and_stands_there_once() {
        let known = Summary::parse_all(include_str!("known.txt"));
        let known = known.unwrap_or_else(|error| panic!("known.txt: {error}"));
        let names: BTreeSet<&str> = known.iter().map(|one| one.function.as_str()).collect();
        assert_eq!(names.len(), known.len(), "a function is there twice");
    }

    #[test]
    fn lines_say_what_functions_do() {
        let summary = Summary::parse("open  returns -1..=3,writes 2 with 0, creates 3 with 4");
        let summary = summary.expect("a line");
        assert_eq!(summary.function, "open");
        assert_eq!(summary.returned, Returned::Between(-1, 3));
        let written =
            Effect::Writes { argument: 1, and_all_that_follow: false, values: Some((0, 0)) };
        assert_eq!(summary.effects, [written, Effect::Creates { function: 2, argument: 3 }]);
        let all = Summary::parse_all("# none\n\nf does nothing # at all\ng calls 1\n");
        assert_eq!(all.map(|all| all.len()), Ok(2));
    }

    #[test]
    fn formats_that_write_are_known() {
        let table = [
            ("", false),
            ("n", false),
            ("%d\n", false),
            ("%%n", false),
            ("100 %", false),
            ("%-5ldn", false),
            ("%n", true),
            ("%d of %hhn", true),
            ("%2$lln", true),
            ("%*.3d%%%zn", true),
        ];
        for (format, writes) in table {
            assert_eq!(format_writes(format.as_bytes()), writes, "{format}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said() {
        let table = [
            ("", "says nothing"),
            ("f", "`f returns 0..=1`"),
            ("f returns", "not understood"),
            ("f returns 1..3", "write `0..=7`"),
            ("f returns 3..=1", "is empty"),
            ("f returns one", "not a number"),
            ("f returns 99999999999999999999", "at most 64 bits"),
            ("f writes 0", "begin with 1"),
            ("f writes x", "not the number of an argument"),
            ("f creates 1", "not understood"),
            ("f creates 1 with 2, joins 1", "come last"),
            ("f does nothing, at all", "`at all` is not understood"),
            ("f succeeds", "and not of `f`"),
            ("malloc succeeds, does nothing", "`succeeds` is not understood"),
        ];
        for (line, expected) in table {
            let error = Summary::parse(line).expect_err(line);
            assert!(error.contains(expected), "{line}: {error}");
        }
        let error = Summary::parse_all("f does nothing\n\ng\n").expect_err("a line is wrong");
        assert!(error.starts_with("line 3: "), "{error}");
    }
}
