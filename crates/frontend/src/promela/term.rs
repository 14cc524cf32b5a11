//! Expressions in Promela.
//!
//! A [`Term`] is the text of an expression with everything that has to hold for the text to mean
//! what the model means: that nothing faults, and that every intermediate result fits Promela's
//! 32-bit `int`. Each check may rely on those before it.

use program::{Domain, Expr, IndexVec, IntType, LocationId, Memory, RegisterId, Value};

use super::operation::{binary, unary};
use super::values::{MAX, MIN, Values};

/// An expression longer than this is refused: some operators repeat their operands.
const MAX_TEXT: usize = 20_000;

/// Something that must hold.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) condition: String,
    /// Whether it guards against leaving 32 bits, a limit of Promela, and not against a fault.
    pub(super) limit: bool,
}

/// An expression in Promela.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) text: String,
    /// The values it can have if all checks hold.
    pub(super) values: Values,
    pub(super) checks: Vec<Check>,
}

/// Why an expression has no text in Promela.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoTerm {
    /// A number of more than 32 bits.
    TooLarge(Value),
    TooLong,
}

/// What the leaves of expressions of one thread are.
pub(super) struct Leaves<'a> {
    pub(super) memory: &'a Memory,
    pub(super) registers: &'a IndexVec<RegisterId, String>,
    pub(super) values: &'a IndexVec<RegisterId, Values>,
}

impl Term {
    pub(super) fn variable(text: impl Into<String>, values: Values) -> Self {
        Self { text: text.into(), values, checks: Vec::new() }
    }

    pub(super) fn constant(value: Value) -> Result<Self, NoTerm> {
        if !(MIN..=MAX).contains(&value) {
            return Err(NoTerm::TooLarge(value));
        }
        Ok(Self::variable(literal(value), Values::one(value)))
    }

    pub(super) fn check(
        mut self,
        needed: bool,
        limit: bool,
        condition: impl FnOnce(&str) -> String,
    ) -> Self {
        if needed {
            let condition = condition(&self.text);
            self.checks.push(Check { condition, limit });
            if limit {
                self.values = self.values.clip(MIN, MAX);
            }
        }
        self
    }

    /// This value as something with this domain holds it.
    pub(super) fn admit(self, domain: Domain) -> Self {
        match domain {
            Domain::Integer => self,
            Domain::Wrapping(int) => self.wrap(int),
            Domain::Range { low, high } => {
                let values = self.values.clip(low, high);
                let needed = !self.values.within(low, high);
                let (low, high) = (literal(low.clamp(MIN, MAX)), literal(high.clamp(MIN, MAX)));
                let checked = self
                    .check(needed, false, |text| format!("{text} >= {low} && {text} <= {high}"));
                Self { values, ..checked }
            }
        }
    }

    pub(super) fn wrap(self, int: IntType) -> Self {
        if self.values.within(int.min(), int.max()) {
            return self;
        }
        let values = self.values.admit(Domain::Wrapping(int));
        if int.bits() >= 32 {
            // Only a negative value changes, to one of more than 31 bits.
            return Self { values, ..self.check(true, true, |text| format!("{text} >= 0")) };
        }
        let mask = (1_u64 << int.bits()) - 1;
        let text = if int.signed() {
            let sign = 1_u64 << (int.bits() - 1);
            format!("((({} & {mask}) ^ {sign}) - {sign})", self.text)
        } else {
            format!("({} & {mask})", self.text)
        };
        Self { text, values, checks: self.checks }
    }

    fn within_reason(self) -> Result<Self, NoTerm> {
        let checks: usize = self.checks.iter().map(|check| check.condition.len()).sum();
        if self.text.len() + checks > MAX_TEXT { Err(NoTerm::TooLong) } else { Ok(self) }
    }
}

/// A number in Promela, where the least `int` has no literal.
pub(super) fn literal(value: Value) -> String {
    match value {
        MIN => format!("(-{MAX} - 1)"),
        negative if negative < 0 => format!("({negative})"),
        other => other.to_string(),
    }
}

impl Leaves<'_> {
    pub(super) fn term(&self, expr: &Expr) -> Result<Term, NoTerm> {
        let term = match expr {
            Expr::Const(value) => Term::constant(*value)?,
            Expr::Register(register) => {
                Term::variable(&self.registers[*register], self.values[*register].clone())
            }
            Expr::Element(location, index) => self.element(*location, index)?,
            Expr::Unary(op, operand) => unary(*op, self.term(operand)?),
            Expr::Binary(op, left, right) => binary(*op, self.term(left)?, self.term(right)?),
            Expr::Cast(int, operand) => self.term(operand)?.wrap(*int),
            Expr::Select(operands) => {
                let [condition, then, otherwise] = &**operands;
                let condition = self.term(condition)?;
                let (then, otherwise) = (self.term(then)?, self.term(otherwise)?);
                let text = format!("({} -> {} : {})", condition.text, then.text, otherwise.text);
                let mut checks = condition.checks;
                checks.extend(unless(&format!("!{}", condition.text), then.checks));
                checks.extend(unless(&condition.text, otherwise.checks));
                Term { text, values: then.values.join(&otherwise.values), checks }
            }
        };
        term.within_reason()
    }

    /// An index, checked against the length of its location.
    pub(super) fn index(&self, location: LocationId, index: &Expr) -> Result<Term, NoTerm> {
        let last = Value::from(self.memory.location(location).cells()) - 1;
        Ok(self.term(index)?.admit(Domain::Range { low: 0, high: last }))
    }

    fn element(&self, location: LocationId, index: &Expr) -> Result<Term, NoTerm> {
        let index = self.index(location, index)?;
        let location = self.memory.location(location);
        let values = index.values.elements(location);
        if let Some([address]) = values.list(1).as_deref() {
            return Ok(Term { checks: index.checks, ..Term::constant(*address)? });
        }
        for bound in values.bounds().into_iter().flat_map(|(low, high)| [low, high]) {
            Term::constant(bound)?;
        }
        let base = literal(location.base);
        let text = format!("({base} + {} * {})", index.text, location.stride);
        Ok(Term { text, values, checks: index.checks })
    }
}

/// Checks that matter only where `condition` is false.
pub(super) fn unless(condition: &str, checks: Vec<Check>) -> impl Iterator<Item = Check> {
    checks.into_iter().map(move |check| Check {
        condition: format!("({condition} || ({}))", check.condition),
        ..check
    })
}
