//! Calls.

use super::Printer;
use crate::constant::{Constant, ConstantExpression, Value};
use crate::instruction::Call;
use crate::module::{Function, SymbolKind};

impl Printer<'_> {
    pub(super) fn call(&mut self, f: Option<&Function>, word: &str, call: &Call) {
        self.put(word);
        self.put(" ");
        self.ty(call.function_type.unwrap_or(call.result_type));
        self.put(" ");
        if let Value::Constant(Constant::Expression(expression)) = &call.callee
            && let ConstantExpression::Cast { op, value } = expression.as_ref()
        {
            self.put(op.word());
            self.put(" (");
            self.operand(None, value);
            self.put(" to ");
            self.callee_type(call);
            self.put(")");
        } else {
            self.value(f, call.result_type, &call.callee);
        }
        self.put("(");
        for (index, argument) in call.arguments.iter().enumerate() {
            self.put(if index > 0 { ", " } else { "" });
            self.ty(argument.ty);
            for (_, ty) in call.argument_types.iter().filter(|(position, _)| *position == index) {
                self.type_attribute(self.argument_attribute(call, index), *ty);
            }
            self.put(" ");
            self.value(f, argument.ty, &argument.value);
        }
        self.put(")");
    }

    /// The attribute that gives a type to an argument, as far as what is called tells.
    fn argument_attribute(&self, call: &Call, index: usize) -> &'static str {
        if let Value::Asm(_) = call.callee {
            return "elementtype";
        }
        if let Value::Constant(Constant::Symbol(symbol)) = call.callee {
            let symbol = self.module.symbol(symbol);
            if symbol.name.starts_with("llvm.") {
                return "elementtype";
            }
            if let SymbolKind::Function(function) = &symbol.kind
                && let Some(parameter) = function.parameters.get(index)
            {
                return if parameter.by_value { "byval" } else { "sret" };
            }
        }
        if index == 0 { "sret" } else { "byval" }
    }

    /// The type of a pointer to what is called, which follows from the call.
    fn callee_type(&mut self, call: &Call) {
        if !self.typed_pointers {
            self.put("ptr");
            return;
        }
        self.ty(call.function_type.unwrap_or(call.result_type));
        if call.function_type.is_none() {
            self.put(" (");
            for (index, argument) in call.arguments.iter().enumerate() {
                self.put(if index > 0 { ", " } else { "" });
                self.ty(argument.ty);
            }
            self.put(")");
        }
        self.put("*");
    }
}
