//! What herd's tests say about page tables, memory tags, faults and code as data, which cannot be
//! modelled: it is refused by name.

use program::Diagnostic;

use super::lex::Kind;
use super::parse::Parser;
use crate::token::{Failed, Parsed, Reader};

/// Types of what cannot be modelled.
const TYPES: [(&str, &str); 5] = [
    ("ins_t", "code as data"),
    ("pteval_t", "page tables"),
    ("parel1_t", "system registers"),
    ("tag_t", "memory tags"),
    ("uint128_t", "unsigned integers of 128 bits"),
];

/// Functions of places, as in `[PTE(x)]`.
const FUNCTIONS: [(&str, &str); 9] = [
    ("PTE", "page tables"),
    ("pte", "page tables"),
    ("TTD", "page tables"),
    ("ttd", "page tables"),
    ("PA", "page tables"),
    ("tag", "memory tags"),
    ("TAG", "memory tags"),
    ("fault", "faults"),
    ("Fault", "faults"),
];

/// Fields of a page table entry, as in `(oa:PA(x), valid:1)`.
const FIELDS: [&str; 8] = ["oa", "valid", "af", "db", "dbm", "el0", "attrs", "Normal"];

/// What a type is of that cannot be modelled.
pub(super) fn of_type(name: &str) -> Option<&'static str> {
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

impl Parser<'_> {
    /// Refuses what comes next, a place or a constant, if it is known to be beyond the model.
    pub(super) fn refuse_beyond(&mut self) -> Parsed<()> {
        let [first, second, third] = [self.peek_at(0), self.peek_at(1), self.peek_at(2)];
        let function = FUNCTIONS.iter().find(|(name, _)| *name == first.text);
        let what = match (first.kind, second.kind, third.kind) {
            (Kind::Word, Kind::OpenParen, _) => function.map(|(_, what)| *what),
            (Kind::OpenBracket, Kind::Word, Kind::OpenParen) => {
                let function = FUNCTIONS.iter().find(|(name, _)| *name == second.text);
                function.map(|(_, what)| *what)
            }
            (Kind::OpenParen, Kind::Word, Kind::Colon | Kind::Comma | Kind::CloseParen)
                if FIELDS.contains(&second.text) =>
            {
                Some("page tables")
            }
            (Kind::Word, Kind::Colon, _) if ["instr", "label"].contains(&first.text) => {
                Some("code as data")
            }
            (Kind::Word, Kind::Word, _) => of_type(first.text),
            _ => None,
        };
        self.refused(what)
    }

    /// Refuses a constant such as `x:green` or `P1:L0`.
    pub(super) fn refuse_qualified(&mut self) -> Parsed<()> {
        self.refuse_beyond()?;
        let thread = super::parse::thread_number(self.peek().text).is_some();
        let qualified = self.peek().kind == Kind::Word && self.peek_at(1).kind == Kind::Colon;
        self.refused(match (qualified, thread) {
            (true, true) => Some("addresses of code in the initial state or the condition"),
            (true, false) => Some("memory tags"),
            (false, _) => None,
        })
    }

    fn refused(&mut self, what: Option<&'static str>) -> Parsed<()> {
        let Some(what) = what else { return Ok(()) };
        let error = Diagnostic::new(self.peek().span, format!("{what} cannot be modelled"));
        self.errors.push(error);
        Err(Failed)
    }
}
