//! Calls and returns of the functions that a user calls operations: what histories are made of.
//!
//! An operation that is called inside another one is part of how that one is implemented. Its arguments are those that
//! are no pointers, since these say which object is meant and not what is done with it; its results are what it
//! returns, part by part.

use linkage::Item;
use llvm::Type;
use program::{Boundary, Expr, Instruction};

use super::{Cursor, Scratch, Walk};
use crate::value::Val;

impl Walk<'_, '_, '_> {
    /// An operation is called, if the function is one.
    pub(crate) fn operation_called(&mut self, cursor: &mut Cursor, item: Item, given: &[Val]) {
        let Some(operation) = self.world.operations.get(&item).cloned() else { return };
        let frame = &cursor.known.frame;
        // A thread that begins with the operation is in its frame already.
        let begins = frame.caller.is_none() && frame.function == item && frame.index == 0;
        let inside = !begins && self.world.operations.contains_key(&frame.function);
        if inside || self.is_called_by_operation(cursor) {
            return;
        }
        let parameters = &self.function(item).parameters;
        if parameters.iter().any(|it| it.indirect.is_some() && !it.by_value) {
            let message = format!("the operation `{operation}` returns its result through memory");
            self.error(cursor, message, "have it return a number, or a pair of numbers");
        }
        let is_value = |position: usize| {
            let ty = parameters.get(position).map(|parameter| parameter.ty);
            ty.is_some_and(|ty| {
                let types = &self.world.linked.module(item.module).types;
                !matches!(types.resolved(ty), Type::Pointer { .. })
            })
        };
        let values: Vec<Val> = given
            .iter()
            .enumerate()
            .filter(|(position, _)| is_value(*position))
            .map(|(_, value)| value.clone())
            .collect();
        let mut arguments = Vec::new();
        for value in values {
            self.add_values(cursor, &value, &mut arguments);
        }
        self.boundary(cursor, Boundary::Call { operation, arguments });
    }

    /// The operation returns, if the function that does is one.
    pub(crate) fn operation_returns(&mut self, cursor: &mut Cursor, value: Option<&Val>) {
        let function = cursor.known.frame.function;
        if !self.world.operations.contains_key(&function) || self.is_called_by_operation(cursor) {
            return;
        }
        let mut results = Vec::new();
        if let Some(value) = value {
            self.add_values(cursor, value, &mut results);
        }
        self.boundary(cursor, Boundary::Return { results });
    }

    /// Whether a caller of the function under way is an operation.
    fn is_called_by_operation(&self, cursor: &Cursor) -> bool {
        let mut caller = cursor.known.frame.caller.as_deref();
        while let Some(frame) = caller {
            if self.world.operations.contains_key(&frame.function) {
                return true;
            }
            caller = frame.caller.as_deref();
        }
        false
    }

    /// The numbers of a value, in registers.
    fn add_values(&mut self, cursor: &mut Cursor, value: &Val, into: &mut Vec<Expr>) {
        match value {
            Val::Expr(_) => {
                let number = u32::try_from(into.len()).unwrap_or(u32::MAX);
                let expr = self.expr(cursor, value.clone());
                let held = self.held_apart(cursor, expr, Scratch::Told(number));
                into.push(held);
            }
            Val::Aggregate(parts) => {
                for part in parts {
                    self.add_values(cursor, part, into);
                }
            }
            // What is there is not told, as in the part of an `Option` that is nothing.
            Val::Undefined => into.push(Expr::Const(0)),
            Val::Private(..) | Val::Inexpressible(_) => {
                let message =
                    "what an operation is given or returns here cannot be part of a history";
                self.error(cursor, message, "have operations take and return numbers");
            }
        }
    }

    /// A label of its own, and a step that does nothing.
    fn boundary(&mut self, cursor: &mut Cursor, boundary: Boundary) {
        self.emit(cursor, Instruction::Skip);
        self.boundaries.insert(cursor.at, boundary);
        self.emit(cursor, Instruction::Skip);
        cursor.arrived_by = None;
    }
}
