//! Types, operands and constants.

use super::Printer;
use crate::constant::{Constant, ConstantExpression, Operand, Value};
use crate::index::{BlockId, SymbolId, TypeId};
use crate::instruction::Asm;
use crate::module::Function;
use crate::names;
use crate::types::Type;

impl Printer<'_> {
    pub(super) fn ty(&mut self, id: TypeId) {
        match self.module.types.get(id) {
            Type::Void => self.put("void"),
            Type::Label => self.put("label"),
            Type::Metadata => self.put("metadata"),
            Type::Token => self.put("token"),
            Type::Other(text) => self.put(text),
            Type::Integer(width) => {
                self.put("i");
                self.number(*width);
            }
            Type::Float(kind) => self.put(kind.word()),
            Type::Pointer { pointee, space } => {
                match pointee {
                    Some(pointee) => self.ty(*pointee),
                    None => self.put("ptr"),
                }
                if *space != 0 {
                    self.put(" addrspace(");
                    self.number(*space);
                    self.put(")");
                }
                if pointee.is_some() {
                    self.put("*");
                }
            }
            Type::Array { length, element } => {
                self.put("[");
                self.number(*length);
                self.put(" x ");
                self.ty(*element);
                self.put("]");
            }
            Type::Vector { length, element, scalable } => {
                self.put(if *scalable { "<vscale x " } else { "<" });
                self.number(*length);
                self.put(" x ");
                self.ty(*element);
                self.put(">");
            }
            Type::Struct { fields, packed } => {
                self.put(if *packed { "<{" } else { "{" });
                self.types(fields);
                self.put(if *packed { "}>" } else { "}" });
            }
            Type::Named(name) => {
                self.put("%");
                names::write_identifier(name, &mut self.out);
            }
            Type::Function { result, parameters, variadic } => {
                self.ty(*result);
                self.put(" (");
                self.types(parameters);
                if *variadic {
                    self.put(if parameters.is_empty() { "..." } else { ", ..." });
                }
                self.put(")");
            }
        }
    }

    fn types(&mut self, types: &[TypeId]) {
        for (index, ty) in types.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.ty(*ty);
        }
    }

    pub(super) fn symbol(&mut self, id: SymbolId) {
        self.put("@");
        names::write_identifier(&self.module.symbol(id).name, &mut self.out);
    }

    /// A type and a value; locals and blocks are those of a function.
    pub(super) fn operand(&mut self, function: Option<&Function>, operand: &Operand) {
        self.ty(operand.ty);
        self.put(" ");
        self.value(function, operand.ty, &operand.value);
    }

    pub(super) fn operands(&mut self, function: Option<&Function>, operands: &[&Operand]) {
        for (index, operand) in operands.iter().enumerate() {
            if index > 0 {
                self.put(", ");
            }
            self.operand(function, operand);
        }
    }

    pub(super) fn value(&mut self, function: Option<&Function>, ty: TypeId, value: &Value) {
        match value {
            Value::Local(local) => {
                self.put("%");
                if let Some(local) =
                    function.and_then(|function| function.locals.get(local.index()))
                {
                    names::write_identifier(&local.name, &mut self.out);
                }
            }
            Value::Constant(constant) => self.constant(ty, constant),
            Value::Block(block) => self.block_name(function, *block),
            Value::Asm(asm) => self.assembly(asm),
            Value::Metadata(node) => {
                self.put("!");
                self.number(node.0);
            }
            Value::MetadataText(text) => self.put(text),
        }
    }

    pub(super) fn block_name(&mut self, function: Option<&Function>, block: BlockId) {
        self.put("%");
        if let Some(block) = function.and_then(|function| function.blocks.get(block.index())) {
            names::write_identifier(&block.name, &mut self.out);
        }
    }

    fn assembly(&mut self, asm: &Asm) {
        self.put("asm ");
        if asm.side_effect {
            self.put("sideeffect ");
        }
        if asm.intel {
            self.put("inteldialect ");
        }
        self.quoted(asm.text.as_bytes());
        self.put(", ");
        self.quoted(asm.constraints.as_bytes());
    }

    pub(super) fn constant(&mut self, ty: TypeId, constant: &Constant) {
        match constant {
            Constant::Integer(value) => {
                let bit = *self.module.types.get(ty) == Type::Integer(1);
                match value {
                    1 if bit => self.put("true"),
                    0 if bit => self.put("false"),
                    _ => self.number(*value),
                }
            }
            Constant::Number(text) | Constant::Other(text) => self.put(text),
            Constant::Null => self.put("null"),
            Constant::Undef => self.put("undef"),
            Constant::Poison => self.put("poison"),
            Constant::Zero => self.put("zeroinitializer"),
            Constant::NoToken => self.put("none"),
            Constant::Symbol(symbol) => self.symbol(*symbol),
            Constant::Bytes(bytes) => {
                self.put("c");
                self.quoted(bytes);
            }
            Constant::Array(elements) => self.elements("[", elements, "]"),
            Constant::Vector(elements) => {
                let long = matches!(
                    self.module.types.resolved(ty),
                    Type::Vector { length, scalable, .. } if *length != 1 || *scalable
                );
                if long && elements.len() == 1 {
                    self.elements("splat (", elements, ")");
                } else {
                    self.elements("<", elements, ">");
                }
            }
            Constant::Struct(elements) => {
                let ty = self.module.types.resolved(ty);
                if matches!(ty, Type::Struct { packed: true, .. }) {
                    self.elements("<{ ", elements, " }>");
                } else {
                    self.elements("{ ", elements, " }");
                }
            }
            Constant::Expression(expression) => self.expression(ty, expression),
            Constant::BlockAddress(function, block) => {
                self.put("blockaddress(");
                self.symbol(*function);
                self.put(", %");
                names::write_identifier(block, &mut self.out);
                self.put(")");
            }
        }
    }

    fn elements(&mut self, open: &str, elements: &[Operand], close: &str) {
        self.put(open);
        let elements: Vec<&Operand> = elements.iter().collect();
        self.operands(None, &elements);
        self.put(close);
    }

    fn expression(&mut self, ty: TypeId, expression: &ConstantExpression) {
        match expression {
            ConstantExpression::GetElementPtr { element, base, indices } => {
                self.put("getelementptr (");
                self.ty(*element);
                for operand in std::iter::once(base).chain(indices) {
                    self.put(", ");
                    self.operand(None, operand);
                }
                self.put(")");
            }
            ConstantExpression::Cast { op, value } => {
                self.put(op.word());
                self.put(" (");
                self.operand(None, value);
                self.put(" to ");
                self.ty(ty);
                self.put(")");
            }
            ConstantExpression::Binary { op, left, right } => {
                self.put(op.word());
                self.put(" (");
                self.operands(None, &[left, right]);
                self.put(")");
            }
            ConstantExpression::Compare { predicate, left, right } => {
                self.put("icmp ");
                self.put(predicate.word());
                self.put(" (");
                self.operands(None, &[left, right]);
                self.put(")");
            }
            ConstantExpression::Select { condition, then, otherwise } => {
                self.put("select (");
                self.operands(None, &[condition, then, otherwise]);
                self.put(")");
            }
        }
    }
}
