//! Functions of the C library that calculate with what they are given, or whose results depend on it.

use program::{BinaryOp, Expr, Order, Value};

use llvm::LocalId;

use crate::call::Called;
use linkage::symbols::is_variable_of_c;

use crate::library::{of_c, readable};
use crate::object::ObjectKey;
use crate::outside::{Kind, Source};
use crate::thread::{Cursor, Flow, RegisterKey, Scratch, Slot, WORD, Walk};
use crate::value::{self, Val};
use linkage::Item;

/// The number of the signal that ends a program as `abort` does.
const SIGABRT: Value = 6;
/// The greatest error of Linux.
const LAST_ERROR: Value = 133;
/// More options than these are not told apart: expressions have a greatest depth.
const MOST_OPTIONS: usize = 64;

impl Walk<'_, '_, '_> {
    pub(crate) fn word(&mut self, cursor: &mut Cursor, called: &Called<'_>) -> Option<Flow> {
        Some(match called.name {
            "ffs" | "ffsl" | "ffsll" => {
                let module = cursor.known.frame.function.module;
                let bits = self.world.bits(module, called.arguments.first()?.ty)?;
                let value = self.argument(cursor, called, 0);
                let value = self.expr(cursor, value);
                let value = self.held(cursor, value);
                self.define(cursor, called.result, Val::Expr(first_bit(bits, &value)));
                Flow::Next
            }
            "abs" | "labs" | "llabs" => {
                let module = cursor.known.frame.function.module;
                let bits = self.world.bits(module, called.arguments.first()?.ty)?;
                let value = self.argument(cursor, called, 0);
                let value = self.expr(cursor, value);
                let zero = Expr::Const(0);
                let less =
                    value::arithmetic(llvm::BinaryOp::Sub, bits, zero.clone(), value.clone())?;
                let is_negative = Expr::binary(BinaryOp::Lt, value.clone(), zero);
                let value = Expr::Select(Box::new([is_negative, less, value]));
                self.define(cursor, called.result, Val::Expr(value::fold(value)));
                Flow::Next
            }
            "raise" if self.argument(cursor, called, 0).as_constant() == Some(SIGABRT) => {
                self.fail(cursor)
            }
            "getopt" => {
                let options = self.argument(cursor, called, 2);
                let options = options.as_constant().and_then(|address| self.text_at(address))?;
                let letters = options.iter().filter(|letter| !b"+-:".contains(letter));
                let mut values: Vec<Value> = letters.map(|letter| Value::from(*letter)).collect();
                values.extend([-1, Value::from(b'?'), Value::from(b':')]);
                values.sort_unstable();
                values.dedup();
                if values.len() > MOST_OPTIONS {
                    return None;
                }
                self.one_of_these(cursor, called, &values);
                Flow::Next
            }
            "atoi" | "atol" | "atoll" => {
                let text = self.argument(cursor, called, 0).as_constant();
                let text = text.and_then(|address| self.text_at(address))?;
                let text = String::from_utf8_lossy(&text).into_owned();
                let number = text.trim_start();
                let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
                let end = digits.find(|letter: char| !letter.is_ascii_digit());
                let end = number.len() - digits.len() + end.unwrap_or(digits.len());
                let value = number[..end].parse::<i64>().unwrap_or(0);
                let module = cursor.known.frame.function.module;
                let bits = self.world.bits(module, called.call.result_type)?;
                let value = value::int(bits)?.wrap(value.into());
                self.define(cursor, called.result, Val::constant(value));
                Flow::Next
            }
            _ => return None,
        })
    }

    /// One of a few numbers.
    fn one_of_these(&mut self, cursor: &mut Cursor, called: &Called<'_>, values: &[Value]) {
        let Some(local) = called.result else { return };
        let key = RegisterKey::Local(cursor.known.frame.path, local, 0);
        let name = self.local_name(cursor, local);
        let register = self.register(key, || name, WORD);
        let what = format!("what `{}` returns", called.name).into();
        let last = Value::try_from(values.len()).unwrap_or(1) - 1;
        let source = Source { what, kind: Kind::Number };
        let which = self.chosen(cursor, register, source, (0, last));
        let Val::Expr(which) = which else { return };
        let mut value = Expr::Const(values[0]);
        for (at, other) in (1..).zip(&values[1..]) {
            let is = Expr::binary(BinaryOp::Eq, which.clone(), Expr::Const(at));
            value = Expr::Select(Box::new([is, Expr::Const(*other), value]));
        }
        self.define(cursor, called.result, Val::Expr(value));
    }

    /// What a variable of the C library holds.
    pub(crate) fn library_variable(
        &mut self,
        cursor: &mut Cursor,
        result: Option<LocalId>,
        address: &Expr,
        bytes: u32,
    ) -> Option<Val> {
        let Expr::Const(address) = address else { return None };
        let (object, _) = self.world.objects.at(*address)?;
        let item = self.world.declared_variable(object)?;
        let name = of_c(self.world.linked.name(item));
        if !is_variable_of_c(name) {
            return None;
        }
        let kind = match (bytes, name) {
            // It is null unless the last option has an argument.
            (8, "optarg") => Kind::Argument,
            (8, _) => Kind::Text,
            _ => Kind::Unclear,
        };
        let register = match result {
            Some(local) => self.result_register(cursor, local, 0, value::int(64)?),
            None => self.scratch(cursor, Scratch::Outside(0), WORD),
        };
        let what = format!("what `{name}` holds").into();
        let range = if bytes == 8 { (0, 1 << 47) } else { (0, Value::from(i32::MAX)) };
        Some(self.chosen(cursor, register, Source { what, kind }, range))
    }

    /// Whether an address is that of `errno`.
    pub(crate) fn is_errno(&self, address: &Expr) -> bool {
        let Expr::Const(address) = address else { return false };
        let place = self.world.objects.at(*address);
        place.is_some_and(|(object, _)| {
            matches!(self.world.objects.key(object), ObjectKey::Errno(_))
        })
    }

    /// Before `errno` is read: what a function that failed has left there may be any error.
    pub(crate) fn come_to_errno(&mut self, cursor: &mut Cursor, address: &Expr) {
        if !self.is_errno(address) || cursor.known.slots.remove(&Slot::Errno).is_none() {
            return;
        }
        let register = self.scratch(cursor, Scratch::Outside(0), WORD);
        let source = Source { what: "what `errno` holds".into(), kind: Kind::Number };
        let value = self.chosen(cursor, register, source, (0, LAST_ERROR));
        let place = Val::Expr(address.clone());
        self.store_bytes(cursor, &place, 4, value, Order::Plain);
    }

    /// A function that may be missing is an error where that matters.
    pub(crate) fn require_presence(&mut self, cursor: &Cursor, item: Item) {
        if self.world.linked.may_be_missing(item) {
            let name = readable(self.world.linked.name(item));
            let message = format!("whether `{name}` is there is not known: it is weak");
            self.error(cursor, message, "add the file that defines it");
        }
    }

    /// A variable that is declared and defined nowhere is an error, as it is for a linker; and so is one, or
    /// a function, that may be missing.
    pub(crate) fn require_definition(&mut self, cursor: &Cursor, address: &Val) {
        let place = address.as_constant().and_then(|address| self.world.objects.at(address));
        let Some((object, _)) = place else { return };
        if let Some(item) = self.world.objects.function_of(object) {
            self.require_presence(cursor, item);
        }
        let Some(item) = self.world.declared_variable(object) else { return };
        let symbol = self.world.linked.name(item);
        // Those of Rust's own library start with zeros.
        if llvm::demangled(symbol).is_some() || is_variable_of_c(of_c(symbol)) {
            return;
        }
        let message = format!("the variable `{symbol}` is declared and nowhere defined");
        self.error(cursor, message, "add the file that defines it");
    }

    /// A text that never changes.
    pub(super) fn text_at(&self, address: Value) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        loop {
            let at = address + Value::try_from(text.len()).ok()?;
            match self.constant_memory(&Expr::Const(at), 1)?.as_constant()? {
                0 => return Some(text),
                letter => text.push(u8::try_from(letter & 0xff).ok()?),
            }
        }
    }
}

/// The place of the lowest bit that is set, counted from 1; 0 if none is.
fn first_bit(bits: u32, value: &Expr) -> Expr {
    let mut first = Expr::Const(0);
    for at in (0..bits).rev() {
        let mask = Expr::Const(1 << at);
        let bit = Expr::binary(BinaryOp::BitAnd, value.clone(), mask);
        first = value::fold(Expr::Select(Box::new([bit, Expr::Const(Value::from(at) + 1), first])));
    }
    first
}
