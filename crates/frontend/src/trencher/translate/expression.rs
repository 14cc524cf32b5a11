//! Expressions in the operators that the language has.
//!
//! An expression that can fault becomes one that cannot, and *guards*: conditions under which the
//! original does not fault, to be checked before. Nothing else is changed, and what the language
//! can express as it is stays as it is.
//!
//! Operators that need an operand twice ([`BinaryOp::BitOr`] and others) rest on identities of
//! exact integers, such as `a | b = a + b − (a & b)`.

use program::{
    BinaryOp, Domain, Expr, IndexVec, IntType, Location, Memory, RegisterId, UnaryOp, Value,
};

use super::super::is_writable;

/// No expression is made longer than this by writing operands twice.
const MAX_SIZE: usize = 4096;

/// What cannot be expressed, as the subject of a sentence.
pub(super) type Inexpressible = String;

/// What expressions of a thread refer to.
pub(super) struct Scope<'p> {
    /// The memory.
    pub(super) memory: &'p Memory,
    /// The value of each register that is a constant, and what each can hold.
    pub(super) registers: IndexVec<RegisterId, (Option<Value>, Domain)>,
}

/// An expression that cannot fault where all its guards hold. A guard cannot fault where those
/// before it hold.
pub(super) struct Translated {
    /// The value.
    pub(super) expr: Expr,
    /// When it is that value.
    pub(super) guards: Vec<Expr>,
}

impl Scope<'_> {
    /// An expression in the language.
    pub(super) fn translate(&self, expr: &Expr) -> Result<Translated, Inexpressible> {
        match expr {
            Expr::Const(value) => constant(*value).map(plain),
            Expr::Register(register) => match self.registers[*register].0 {
                Some(value) => constant(value).map(plain),
                None => Ok(plain(expr.clone())),
            },
            Expr::Element(location, index) => {
                self.element(self.memory.location(*location), self.translate(index)?)
            }
            Expr::Unary(op, operand) => {
                let Translated { expr, guards } = self.translate(operand)?;
                let expr = match op {
                    UnaryOp::Not => Expr::unary(UnaryOp::Not, expr),
                    UnaryOp::Neg => Expr::binary(BinaryOp::Sub, Expr::Const(0), expr),
                    UnaryOp::BitNot => Expr::binary(BinaryOp::Sub, Expr::Const(-1), expr),
                };
                Ok(Translated { expr, guards })
            }
            Expr::Binary(op, left, right) => {
                binary(*op, self.translate(left)?, self.translate(right)?)
            }
            Expr::Select(_) => Err("a choice between two values".to_owned()),
            Expr::Cast(int, operand) => {
                let Translated { expr, guards } = self.translate(operand)?;
                let (low, high) = Domain::Wrapping(*int).bounds();
                let expr =
                    if self.lies_within(&expr, low, high) { expr } else { wrap(*int, expr)? };
                Ok(Translated { expr, guards })
            }
        }
    }

    /// The address of an element.
    fn element(&self, location: &Location, index: Translated) -> Result<Translated, Inexpressible> {
        let Translated { expr: index, mut guards } = index;
        if let Some(value) = self.constant_value(&index) {
            let address = location.address(value);
            // An index that is always outside stops the thread whatever the address.
            guards.extend(address.is_err().then_some(Expr::Const(0)));
            return Ok(Translated { expr: constant(address.unwrap_or(0))?, guards });
        }
        let last = Value::from(location.cells()) - 1;
        if !self.lies_within(&index, 0, last) {
            guards.push(in_range(&index, 0, last)?);
        }
        let offset = match location.stride {
            1 => index,
            stride => Expr::binary(BinaryOp::Mul, index, Expr::Const(Value::from(stride))),
        };
        let expr = match location.base {
            0 => offset,
            base => Expr::binary(BinaryOp::Add, constant(base)?, offset),
        };
        Ok(Translated { expr, guards })
    }

    /// The value of a translated expression that depends on no register.
    pub(super) fn constant_value(&self, expr: &Expr) -> Option<Value> {
        if expr.registers().is_empty() {
            expr.evaluate(self.memory, &IndexVec::new()).ok()
        } else {
            None
        }
    }

    /// Whether a translated expression is plainly never outside `low` to `high`.
    pub(super) fn lies_within(&self, expr: &Expr, low: Value, high: Value) -> bool {
        self.bounds(expr).is_some_and(|(least, greatest)| low <= least && greatest <= high)
    }

    fn bounds(&self, expr: &Expr) -> Option<(Value, Value)> {
        match expr {
            Expr::Const(value) => Some((*value, *value)),
            Expr::Register(register) => {
                // What translation itself adds holds any integer.
                let declared = self.registers.get(*register).map(|(_, domain)| *domain);
                Some(declared.unwrap_or(Domain::Integer).bounds())
            }
            Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => {
                Some((0, 1))
            }
            Expr::Binary(op, ..) if op.negated().is_some() => Some((0, 1)),
            Expr::Binary(BinaryOp::BitAnd, _, mask) => match &**mask {
                Expr::Const(mask) if *mask >= 0 => Some((0, *mask)),
                Expr::Const(_)
                | Expr::Register(_)
                | Expr::Element(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..) => None,
            },
            Expr::Binary(..)
            | Expr::Unary(UnaryOp::Neg | UnaryOp::BitNot, _)
            | Expr::Element(..)
            | Expr::Select(_)
            | Expr::Cast(..) => None,
        }
    }
}

fn plain(expr: Expr) -> Translated {
    Translated { expr, guards: Vec::new() }
}

/// A constant that can be written.
pub(super) fn constant(value: Value) -> Result<Expr, Inexpressible> {
    if is_writable(value) {
        Ok(Expr::Const(value))
    } else {
        Err(format!("the constant {value}, which exceeds 64 bits with a sign,"))
    }
}

/// An operator applied to translated operands.
pub(super) fn binary(
    op: BinaryOp,
    left: Translated,
    right: Translated,
) -> Result<Translated, Inexpressible> {
    let mut guards = left.guards;
    let (left, right_guards, right) = (left.expr, right.guards, right.expr);
    // A logical operator does not always evaluate its right operand.
    let skipped = match op {
        _ if right_guards.is_empty() => None,
        BinaryOp::And => Some(Expr::unary(UnaryOp::Not, copy(&left)?)),
        BinaryOp::Or => Some(copy(&left)?),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::Rem
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::Min
        | BinaryOp::Max => None,
    };
    match (skipped, all(right_guards)) {
        (Some(skipped), Some(guard)) => guards.push(Expr::binary(BinaryOp::Or, skipped, guard)),
        (None, guard) => guards.extend(guard),
        (Some(_), None) => {}
    }
    let expr = match op {
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::BitAnd
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or => Expr::binary(op, left, right),
        BinaryOp::BitOr | BinaryOp::BitXor => {
            let common = Expr::binary(BinaryOp::BitAnd, copy(&left)?, copy(&right)?);
            let counted_twice = if op == BinaryOp::BitOr {
                common
            } else {
                Expr::binary(BinaryOp::Mul, Expr::Const(2), common)
            };
            Expr::binary(BinaryOp::Sub, Expr::binary(BinaryOp::Add, left, right), counted_twice)
        }
        BinaryOp::Min | BinaryOp::Max => {
            let (keep_left, keep_right) = if op == BinaryOp::Min {
                (BinaryOp::Le, BinaryOp::Gt)
            } else {
                (BinaryOp::Ge, BinaryOp::Lt)
            };
            let keep_left = Expr::binary(keep_left, copy(&left)?, copy(&right)?);
            let keep_right = Expr::binary(keep_right, copy(&left)?, copy(&right)?);
            Expr::binary(
                BinaryOp::Add,
                Expr::binary(BinaryOp::Mul, left, keep_left),
                Expr::binary(BinaryOp::Mul, right, keep_right),
            )
        }
        BinaryOp::Shl => match right {
            Expr::Const(by @ 0..=62) => Expr::binary(BinaryOp::Mul, left, Expr::Const(1 << by)),
            Expr::Const(_)
            | Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => return Err("a shift by other than 0 to 62".to_owned()),
        },
        BinaryOp::Div => return Err("a division".to_owned()),
        BinaryOp::Rem => return Err("a remainder".to_owned()),
        BinaryOp::Shr => return Err("a shift to the right".to_owned()),
    };
    Ok(Translated { expr, guards })
}

/// The expression once more, unless expressions would grow beyond all bounds.
fn copy(expr: &Expr) -> Result<Expr, Inexpressible> {
    let mut size = 0;
    expr.visit(&mut |_| size += 1);
    if size <= MAX_SIZE { Ok(expr.clone()) } else { Err("an expression of this size".to_owned()) }
}

/// The condition that a value lies in a range.
pub(super) fn in_range(expr: &Expr, low: Value, high: Value) -> Result<Expr, Inexpressible> {
    let above = Expr::binary(BinaryOp::Le, constant(low)?, copy(expr)?);
    let below = Expr::binary(BinaryOp::Le, copy(expr)?, constant(high)?);
    Ok(Expr::binary(BinaryOp::And, above, below))
}

/// A value wrapped to a width.
pub(super) fn wrap(int: IntType, expr: Expr) -> Result<Expr, Inexpressible> {
    if int.signed() || int.bits() > 32 {
        return Err(format!("a value that wraps to {int}"));
    }
    Ok(Expr::binary(BinaryOp::BitAnd, expr, Expr::Const(int.max())))
}

/// The condition that all of `guards` hold, if there are any: a balanced tree, since there can be
/// more of them than expressions may be deep.
pub(super) fn all(mut guards: Vec<Expr>) -> Option<Expr> {
    while guards.len() > 1 {
        let mut rest = guards.into_iter();
        guards = Vec::new();
        while let Some(left) = rest.next() {
            guards.push(match rest.next() {
                Some(right) => Expr::binary(BinaryOp::And, left, right),
                None => left,
            });
        }
    }
    guards.pop()
}

#[cfg(test)]
mod tests {
    use program::index::Idx;
    use program::{LocationId, Outside};

    use super::*;

    /// Translated expressions have the same values, and guards hold exactly where there are any.
    fn check(make: impl Fn(Expr, Expr) -> Expr) {
        let array = Location { length: Some(3), stride: 2, ..Location::scalar("a", 5) };
        let memory = Memory::new([array].into_iter().collect(), Outside::Fault);
        let registers = [(None, Domain::Integer), (None, Domain::Integer)];
        let scope = Scope { memory: &memory, registers: registers.into_iter().collect() };
        let register = |number| Expr::Register(RegisterId::new(number));
        let expr = make(register(0), register(1));
        let translated = scope.translate(&expr).unwrap();
        for (left, right) in (-5..6).flat_map(|left| (-5..6).map(move |right| (left, right))) {
            let registers = [left, right].into_iter().collect();
            let guard = all(translated.guards.clone()).unwrap_or(Expr::Const(1));
            let holds = guard.evaluate(&memory, &registers).unwrap() != 0;
            let value = holds.then(|| translated.expr.evaluate(&memory, &registers).unwrap());
            assert_eq!(value, expr.evaluate(&memory, &registers).ok(), "{expr:?} {left} {right}");
        }
    }

    #[test]
    fn operators_without_a_counterpart_keep_their_values() {
        for op in [BinaryOp::BitOr, BinaryOp::BitXor, BinaryOp::Min, BinaryOp::Max] {
            check(|left, right| Expr::binary(op, left, right));
        }
        check(|left, _| Expr::binary(BinaryOp::Shl, left, Expr::Const(3)));
        check(|left, _| Expr::unary(UnaryOp::Neg, left));
        check(|left, _| Expr::unary(UnaryOp::BitNot, left));
        check(|left, _| Expr::Cast(IntType::new(2, false).unwrap(), Box::new(left)));
    }

    #[test]
    fn guards_hold_where_nothing_faults() {
        let element = |index| Expr::Element(LocationId::new(0), Box::new(index));
        check(|left, _| element(left));
        check(|left, right| Expr::binary(BinaryOp::And, left, element(right)));
        check(|left, right| Expr::binary(BinaryOp::Or, element(left), element(right)));
        check(|left, right| Expr::binary(BinaryOp::Or, left, element(right)));
        check(|left, _| element(Expr::binary(BinaryOp::Sub, element(left), Expr::Const(5))));
        check(|_, _| element(Expr::Const(3)));
        check(|_, _| element(Expr::Const(2)));
    }

    #[test]
    fn expressions_do_not_explode() {
        let memory = Memory::flat();
        let registers = [(None, Domain::Integer)].into_iter().collect();
        let scope = Scope { memory: &memory, registers };
        let register = || Expr::Register(RegisterId::new(0));
        let nested = (0..Expr::MAX_DEPTH)
            .fold(register(), |inner, _| Expr::binary(BinaryOp::BitXor, inner, register()));
        assert_eq!(scope.translate(&nested).err().unwrap(), "an expression of this size");
    }
}
