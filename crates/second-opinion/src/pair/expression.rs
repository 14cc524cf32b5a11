//! Expressions without effects, but for panics.

use super::{Both, Generator, I32, I64, Type, both, same};

impl Type {
    pub(super) fn is_signed(self) -> bool {
        self.name.starts_with('i')
    }
}

fn cast(value: &Both, ty: Type) -> Both {
    both(format!("(({})({}))", ty.name, value.c), format!("(({}) as {})", value.rust, ty.name))
}

impl Generator {
    /// A constant of a type, often at its edge.
    pub(super) fn number(&mut self, ty: Type) -> Both {
        let highest = (1i128 << (ty.bits - u32::from(ty.is_signed()))) - 1;
        let value = match self.random.usize(..6) {
            0 => highest,
            1 if ty.is_signed() => -highest,
            2 => 1i128 << self.random.u32(..ty.bits - 1),
            _ => i128::from(self.random.u8(..6)),
        };
        let suffix = if ty.is_signed() { "l" } else { "ul" };
        both(format!("(({})({value}{suffix}))", ty.name), format!("({value} as {})", ty.name))
    }

    fn leaf(&mut self, ty: Type) -> Both {
        if self.one_in(3) {
            return self.number(ty);
        }
        let local = self.pick(&self.locals.clone());
        if local.ty == ty { local.text } else { cast(&local.text, ty) }
    }

    /// A number of a type.
    pub(super) fn expression(&mut self, ty: Type, depth: usize) -> Both {
        if depth == 0 {
            return self.leaf(ty);
        }
        let left = self.expression(ty, depth - 1);
        match self.random.usize(..12) {
            0..=2 => left,
            3..=5 => self.arithmetic(ty, &left, depth),
            6 => {
                let other = self.pick(&super::TYPES);
                let inner = self.expression(other, depth - 1);
                cast(&inner, ty)
            }
            7 => {
                let condition = self.condition();
                let right = self.leaf(ty);
                both(
                    format!("({} ? {} : {})", condition.c, left.c, right.c),
                    format!(
                        "(if {} {{ {} }} else {{ {} }})",
                        condition.rust, left.rust, right.rust
                    ),
                )
            }
            8 => {
                let call = self.call();
                if ty == I32 { call } else { cast(&call, ty) }
            }
            9 => {
                let bits = self.random.u32(..ty.bits);
                let name = ty.name;
                if self.one_in(2) {
                    both(
                        format!("(({name})({} >> {bits}))", left.c),
                        format!("({} >> {bits})", left.rust),
                    )
                } else {
                    both(
                        format!("(({name})((u64){} << {bits}))", left.c),
                        format!("({} << {bits})", left.rust),
                    )
                }
            }
            10 => {
                let (right, op) = (self.leaf(ty), self.pick(&["/", "%"]));
                let name = ty.name;
                both(
                    format!("(({name})({} {op} ({name})(({} & 7) | 1)))", left.c, right.c),
                    format!("({} {op} (({} & 7) | 1))", left.rust, right.rust),
                )
            }
            _ => {
                let condition = self.condition();
                both(
                    format!("(({}){})", ty.name, condition.c),
                    format!("(({}) as {})", condition.rust, ty.name),
                )
            }
        }
    }

    fn arithmetic(&mut self, ty: Type, left: &Both, depth: usize) -> Both {
        let right = self.expression(ty, depth - 1);
        let name = ty.name;
        if self.one_in(3) {
            let op = self.pick(&["&", "|", "^"]);
            return both(
                format!("(({name})({} {op} {}))", left.c, right.c),
                format!("({} {op} {})", left.rust, right.rust),
            );
        }
        let (op, word) = self.pick(&[("+", "add"), ("-", "sub"), ("*", "mul")]);
        if self.can_fail && self.one_in(3) {
            // What overflows panics.
            let result = self.fresh("r");
            return both(
                format!(
                    "({{ {name} {result}; if (__builtin_{word}_overflow({}, {}, &{result})) abort(); {result}; }})",
                    left.c, right.c
                ),
                format!("({} {op} {})", left.rust, right.rust),
            );
        }
        both(
            format!("(({name})((u64){} {op} (u64){}))", left.c, right.c),
            format!("({}).wrapping_{word}({})", left.rust, right.rust),
        )
    }

    /// A call with an `i32` as its result.
    fn call(&mut self) -> Both {
        let (first, second) = (self.leaf(I32), self.leaf(I32));
        let name = self.pick(&["mix", "half_or", "down", "larger"]);
        match name {
            "down" => {
                let depth = self.random.u8(..3);
                both(
                    format!("down({depth}, {})", first.c),
                    format!("down({depth}, {})", first.rust),
                )
            }
            "larger" => {
                let (first, second) = (cast(&first, I64), cast(&second, I64));
                both(
                    format!("((i32)larger({}, {}))", first.c, second.c),
                    format!("(larger({}, {}) as i32)", first.rust, second.rust),
                )
            }
            _ => both(
                format!("{name}({}, {})", first.c, second.c),
                format!("{name}({}, {})", first.rust, second.rust),
            ),
        }
    }

    pub(super) fn condition(&mut self) -> Both {
        let ty = self.pick(&super::TYPES);
        let (left, right) = (self.leaf(ty), self.leaf(ty));
        let op = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let compared = |left: &str, right: &str| format!("({left} {op} {right})");
        let simple = both(compared(&left.c, &right.c), compared(&left.rust, &right.rust));
        match self.random.usize(..6) {
            0 => both(format!("(!{})", simple.c), format!("(!{})", simple.rust)),
            1 => {
                let other = same(self.pick(&["&&", "||"]));
                let more = self.condition();
                both(
                    format!("({} {} {})", simple.c, other.c, more.c),
                    format!("({} {} {})", simple.rust, other.rust, more.rust),
                )
            }
            _ => simple,
        }
    }
}
