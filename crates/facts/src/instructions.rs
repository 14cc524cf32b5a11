//! The constraints of each instruction.

use linkage::Item;
use llvm::{BinaryOp, Call, Constant, Instruction, Operand, Operation, RmwOp, Type, TypeId, Value};

use crate::asm::{self, Statement};
use crate::constants::is_address;
use crate::object::{OUTSIDE, ObjectKind, Offset};
use crate::pointers::{Pointers, Purpose};
use crate::solver::{Constraint, ESCAPED, NOTHING, Var};

impl Pointers<'_, '_> {
    /// Adds the constraints of an instance.
    pub(crate) fn walk(&mut self, instance: u32) {
        let item = self.instances[instance as usize].item;
        let function = self.function(item);
        for (block, code) in (0_u32..).zip(&function.blocks) {
            for (index, instruction) in (0_u32..).zip(&code.instructions) {
                self.step((instance, block, index), instruction);
            }
        }
    }

    fn load(&mut self, at: u32, address: &Operand, ty: TypeId, result: &[Var]) {
        if let Some(parts) = self.variable_parts(at, &address.value) {
            self.copy_parts(&parts, result);
            return;
        }
        let module = self.instances[at as usize].item.module;
        let address = self.whole(at, address);
        let parts = self.parts.of(module, ty);
        for (part, to) in parts.iter().zip(result) {
            let (at, bytes, to) = (part.at.cast_signed(), part.bytes, *to);
            self.solver.constrain(address, Constraint::Load { at, bytes, to });
        }
    }

    /// A piece of memory that is loaded and stored again may be one of an address.
    fn copy_piece(&mut self, at: u32, address: &Operand, value: &Operand) {
        let known = &self.instances[at as usize];
        let Value::Local(local) = value.value else { return };
        let function = self.function(known.item);
        let loaded = known.shape.pieces.get(&local).map(|(block, index)| {
            &function.blocks[*block as usize].instructions[*index as usize].operation
        });
        let Some(Operation::Load { address: source, .. }) = loaded else { return };
        if self.variable_parts(at, &source.value).is_some()
            || self.variable_parts(at, &address.value).is_some()
        {
            return;
        }
        let (from, to) = (self.whole(at, source), self.whole(at, address));
        let held = self.solver.variable();
        self.solver.constrain(from, Constraint::Load { at: 0, bytes: 1, to: held });
        self.solver.constrain(to, Constraint::Store { at: 0, bytes: 1, from: held });
    }

    fn store(&mut self, at: u32, address: &Operand, value: &Operand) {
        let values = self.operand(at, value);
        if values.is_empty() {
            self.copy_piece(at, address, value);
            return;
        }
        if let Some(parts) = self.variable_parts(at, &address.value) {
            self.copy_parts(&values, &parts);
            return;
        }
        let module = self.instances[at as usize].item.module;
        let address = self.whole(at, address);
        let parts = self.parts.of(module, value.ty);
        for (part, from) in parts.iter().zip(values) {
            if from != NOTHING {
                let (at, bytes) = (part.at.cast_signed(), part.bytes);
                self.solver.constrain(address, Constraint::Store { at, bytes, from });
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each instruction")]
    fn step(&mut self, place: (u32, u32, u32), instruction: &Instruction) {
        let (at, block, index) = place;
        let item = self.instances[at as usize].item;
        let module = item.module;
        let result = match instruction.result {
            Some(local) => self.local_parts(at, local),
            None => Vec::new(),
        };
        match &instruction.operation {
            Operation::Alloca { ty, count, .. } => {
                let Some(local) = instruction.result else { return };
                if self.instances[at as usize].shape.values.contains_key(&local) {
                    return;
                }
                let size = if count.is_some() { None } else { self.parts.size(module, *ty) };
                let object = self.solver.object(ObjectKind::Stack(at, local), size);
                self.solver.include(result[0], (object, Offset::ZERO));
            }
            Operation::Load { ty, address, .. } => self.load(at, address, *ty, &result),
            Operation::Store { value, address, .. } => self.store(at, address, value),
            Operation::CompareExchange { address, expected, new, .. } => {
                // The result is what was there and a bit.
                self.load(at, address, expected.ty, &result);
                self.store(at, address, new);
            }
            Operation::AtomicRmw { op, address, value, .. } => {
                self.load(at, address, value.ty, &result);
                self.store(at, address, value);
                if *op != RmwOp::Xchg
                    && let [result] = result[..]
                {
                    let computed = self.solver.variable();
                    self.anywhere(result, computed);
                    let address = self.whole(at, address);
                    let bytes = self.parts.bytes(module, value.ty);
                    let store = Constraint::Store { at: 0, bytes, from: computed };
                    self.solver.constrain(address, store);
                }
            }
            Operation::GetElementPtr { element, base, indices } => {
                let mut path = self.path(module, *element, indices);
                let is_repeated = instruction
                    .result
                    .is_some_and(|local| self.instances[at as usize].shape.repeated.contains(&local));
                if is_repeated && path.by != 0 && (indices.len() == 1 || path.strides.is_empty()) {
                    let step = u32::try_from(path.by.unsigned_abs()).unwrap_or(1);
                    path.strides.insert(0, (step, 0));
                }
                let base = self.whole(at, base);
                for to in result {
                    self.move_along(base, &path, to);
                }
            }
            Operation::Binary { op, left, right } => self.binary(at, instruction, *op, left, right),
            Operation::Cast { op, value, .. } => {
                if *op == llvm::CastOp::IntToPtr
                    && let Value::Constant(Constant::Integer(number)) = &value.value
                    && is_address(*number)
                {
                    for to in &result {
                        self.solver.include(*to, (OUTSIDE, Offset::ANY));
                    }
                }
                let value = self.operand(at, value);
                self.copy_parts(&value, &result);
            }
            Operation::Freeze(value) => {
                let value = self.operand(at, value);
                self.copy_parts(&value, &result);
            }
            Operation::Select { then, otherwise, .. } => {
                for one in [then, otherwise] {
                    let value = self.operand(at, one);
                    self.copy_parts(&value, &result);
                }
            }
            Operation::Phi { ty, incoming } => {
                for (value, _) in incoming {
                    let value = self.value(at, *ty, value);
                    self.copy_parts(&value, &result);
                }
            }
            Operation::ExtractValue { aggregate, indices } => {
                let values = self.operand(at, aggregate);
                match self.parts.chosen(module, aggregate.ty, indices) {
                    Some((first, _)) if first + result.len() <= values.len() => {
                        self.copy_parts(&values[first..first + result.len()], &result);
                    }
                    Some(_) | None => self.copy_all(&values, &result),
                }
            }
            Operation::InsertValue { aggregate, value, indices } => {
                let whole = self.operand(at, aggregate);
                let part = self.operand(at, value);
                match self.parts.chosen(module, aggregate.ty, indices) {
                    Some((first, _)) if first + part.len() <= result.len() => {
                        for (number, (from, to)) in whole.iter().zip(&result).enumerate() {
                            if number < first || number >= first + part.len() {
                                self.solver.copy(*from, *to);
                            }
                        }
                        self.copy_parts(&part, &result[first..first + part.len()]);
                    }
                    Some(_) | None => {
                        self.copy_parts(&whole, &result);
                        self.copy_all(&part, &result);
                    }
                }
            }
            Operation::ExtractElement { vector, .. } => {
                let values = self.operand(at, vector);
                self.copy_all(&values, &result);
            }
            Operation::InsertElement { vector: left, value: right, .. }
            | Operation::ShuffleVector { left, right, .. } => {
                for one in [left, right] {
                    let values = self.operand(at, one);
                    self.copy_all(&values, &result);
                }
            }
            Operation::VaArg { list, .. } => {
                let list = self.whole(at, list);
                let (lists, held) = (self.solver.variable(), self.solver.variable());
                self.solver.constrain(list, Constraint::LoadAll { to: lists });
                self.solver.constrain(lists, Constraint::LoadAll { to: held });
                for to in result {
                    self.solver.copy(held, to);
                }
            }
            Operation::Call(call)
            | Operation::Invoke { call, .. }
            | Operation::CallBranch { call, .. } => {
                self.call((at, block, index), call, result);
            }
            Operation::Return(Some(value)) => {
                let value = self.operand(at, value);
                let returned = self.returned(at);
                self.copy_parts(&value, &returned);
            }
            Operation::LandingPad { .. } => {
                for to in result {
                    self.solver.copy(ESCAPED, to);
                }
            }
            Operation::Resume(value) => {
                let value = self.whole(at, value);
                self.solver.copy(value, ESCAPED);
            }
            Operation::Fence { .. }
            | Operation::FNeg(_)
            | Operation::Compare { .. }
            | Operation::FloatCompare { .. }
            | Operation::Branch(_)
            | Operation::ConditionalBranch { .. }
            | Operation::Switch { .. }
            | Operation::IndirectBranch { .. }
            | Operation::Return(None)
            | Operation::Unreachable
            // Refused before anything is walked.
            | Operation::Other(_) => {}
        }
    }

    pub(crate) fn copy_all(&mut self, from: &[Var], to: &[Var]) {
        for from in from {
            for to in to {
                self.solver.copy(*from, *to);
            }
        }
    }

    fn binary(
        &mut self,
        at: u32,
        instruction: &Instruction,
        op: BinaryOp,
        left: &Operand,
        right: &Operand,
    ) {
        let Some(local) = instruction.result else { return };
        let [result] = self.local_parts(at, local)[..] else { return };
        let number = |operand: &Operand| match operand.value {
            Value::Constant(Constant::Integer(number)) => i32::try_from(number).ok(),
            Value::Constant(_)
            | Value::Local(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => None,
        };
        let is_repeated = self.instances[at as usize].shape.repeated.contains(&local);
        let (one, two) = (self.whole(at, left), self.whole(at, right));
        match (op, number(right)) {
            (BinaryOp::Add, Some(by)) if !is_repeated => {
                self.solver
                    .constrain(one, Constraint::Move { by, stride: 0, count: 1, to: result });
            }
            (BinaryOp::Sub, Some(by)) if !is_repeated => {
                let by = by.wrapping_neg();
                self.solver
                    .constrain(one, Constraint::Move { by, stride: 0, count: 1, to: result });
            }
            // A tag in the low bits.
            (BinaryOp::Or, Some(by @ 0..16)) => {
                self.solver
                    .constrain(one, Constraint::Move { by, stride: 0, count: 1, to: result });
                self.solver.copy(one, result);
            }
            (BinaryOp::And, Some(mask)) if mask < 0 && (!mask & (!mask).wrapping_add(1)) == 0 => {
                let bits = (!mask).count_ones();
                self.solver.constrain(one, Constraint::Mask { bits, to: result });
            }
            (BinaryOp::And, Some(0..4096)) => {}
            (BinaryOp::Add | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, _) => {
                self.anywhere(one, result);
                self.anywhere(two, result);
            }
            (BinaryOp::Sub, _) if !self.is_difference(at, left, right) => {
                self.anywhere(one, result);
            }
            (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, _) => self.anywhere(one, result),
            (
                BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::UDiv
                | BinaryOp::SDiv
                | BinaryOp::URem
                | BinaryOp::SRem
                | BinaryOp::FAdd
                | BinaryOp::FSub
                | BinaryOp::FMul
                | BinaryOp::FDiv
                | BinaryOp::FRem,
                _,
            ) => {}
        }
    }

    /// Whether both operands are addresses taken for just this: pointers are subtracted.
    fn is_difference(&self, at: u32, left: &Operand, right: &Operand) -> bool {
        let function = self.function(self.instances[at as usize].item);
        let is_taken = |operand: &Operand| match &operand.value {
            Value::Local(local) => function
                .blocks
                .iter()
                .flat_map(|block| &block.instructions)
                .find(|one| one.result == Some(*local))
                .is_some_and(|one| {
                    matches!(
                        one.operation,
                        Operation::Cast {
                            op: llvm::CastOp::PtrToInt | llvm::CastOp::PtrToAddr,
                            ..
                        }
                    )
                }),
            Value::Constant(Constant::Expression(_)) => true,
            Value::Constant(_)
            | Value::Block(_)
            | Value::Asm(_)
            | Value::Metadata(_)
            | Value::MetadataText(_) => false,
        };
        is_taken(left) && is_taken(right)
    }

    fn call(&mut self, place: (u32, u32, u32), call: &Call, result: Vec<Var>) {
        let (at, ..) = place;
        let module = self.instances[at as usize].item.module;
        if let Value::Asm(asm) = &call.callee {
            self.assembly(at, asm, call, &result);
            return;
        }
        let symbol = linkage::symbol_of(&call.callee);
        if let Some(symbol) = symbol {
            let name = &self.linked.module(module).symbol(symbol).name;
            if let Some(name) = name.strip_prefix("llvm.") {
                self.intrinsic(at, name, call, &result);
                return;
            }
        }
        let arguments = call.arguments.iter().map(|one| self.operand(at, one)).collect();
        let types = &self.linked.module(module).types;
        let returns_pointer = matches!(types.resolved(call.result_type), Type::Pointer { .. });
        let site = self.site(place, Purpose::Call, arguments, result);
        self.sites[site as usize].returns_pointer = returns_pointer;
        match symbol.map(|symbol| self.linked.resolve(module, symbol)) {
            Some(item) if self.linked.function(item).is_some() => {
                self.sites[site as usize].is_direct = true;
                self.bind(site, item);
            }
            // What is chosen at load time, or nowhere declared.
            Some(_) => self.call_outside(site),
            None => {
                let callee = match &call.callee {
                    Value::Local(local) => self.local_parts(at, *local),
                    Value::Constant(constant) => self.constant_values(module, constant),
                    Value::Block(_)
                    | Value::Asm(_)
                    | Value::Metadata(_)
                    | Value::MetadataText(_) => Vec::new(),
                };
                let callee = self.union(&callee);
                self.solver.constrain(callee, Constraint::Call(site));
            }
        }
    }

    /// What assembly loads and stores through the addresses it is given, it may store and return.
    fn assembly(&mut self, at: u32, asm: &llvm::Asm, call: &Call, result: &[Var]) {
        if asm.text.trim().is_empty() && call.arguments.is_empty() {
            return;
        }
        let held = self.solver.variable();
        for argument in &call.arguments {
            let given = self.whole(at, argument);
            self.solver.copy(given, held);
            self.solver.constrain(given, Constraint::Load { at: 0, bytes: 16, to: held });
            self.solver.constrain(given, Constraint::Store { at: 0, bytes: 16, from: held });
        }
        let named = self.named_variables(asm);
        for item in &named {
            if let Some(object) = self.symbol_object(*item) {
                self.solver.include(ESCAPED, (object, Offset::ZERO));
            }
        }
        let is_open = match asm::statement(asm) {
            Statement::Empty | Statement::Fence(_) => false,
            Statement::Locked | Statement::Anything => asm::touches_memory(asm),
        };
        if is_open || !named.is_empty() {
            // What can be reached from its operands, and what others like it know.
            self.solver.copy(held, ESCAPED);
            self.solver.copy(ESCAPED, held);
        }
        for to in result {
            self.solver.copy(held, *to);
        }
    }

    /// Whether a statement of assembly names a variable.
    pub(crate) fn is_variable_named(&self, asm: &llvm::Asm) -> bool {
        !self.named_variables(asm).is_empty()
    }

    fn named_variables(&self, asm: &llvm::Asm) -> Vec<Item> {
        match asm::statement(asm) {
            Statement::Empty | Statement::Fence(_) => return Vec::new(),
            Statement::Locked | Statement::Anything => {}
        }
        let words: Vec<&str> = asm::words(asm).collect();
        let is_named = |item: &Item| {
            self.linked.global(*item).is_some() && words.contains(&self.linked.name(*item))
        };
        self.linked.all_items().filter(is_named).collect()
    }

    fn intrinsic(&mut self, at: u32, name: &str, call: &Call, result: &[Var]) {
        let argument = |analysis: &mut Self, number: usize| match call.arguments.get(number) {
            Some(operand) => analysis.whole(at, operand),
            None => NOTHING,
        };
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("memcpy") || starts("memmove") {
            let (to, from) = (argument(self, 0), argument(self, 1));
            let bytes = call.arguments.get(2).and_then(|size| match size.value {
                Value::Constant(Constant::Integer(bytes)) => u32::try_from(bytes).ok(),
                Value::Constant(_)
                | Value::Local(_)
                | Value::Block(_)
                | Value::Asm(_)
                | Value::Metadata(_)
                | Value::MetadataText(_) => None,
            });
            self.solver.copy_memory(to, from, bytes.filter(|bytes| *bytes < 1 << 20));
        } else if starts("va_start") {
            let unnamed = self.unnamed(at);
            let object = self.solver.object(ObjectKind::Unnamed(at), None);
            let list = argument(self, 0);
            let address = self.solver.constant((object, Offset::ANY));
            self.solver.constrain(list, Constraint::StoreAll { from: address });
            self.solver.copy(address, unnamed);
        } else if starts("va_copy") {
            let (to, from) = (argument(self, 0), argument(self, 1));
            self.solver.copy_memory(to, from, None);
        } else if starts("ptrmask") {
            let from = argument(self, 0);
            for to in result {
                self.anywhere(from, *to);
            }
        } else {
            // What they compute is a number, or what they are given.
            for number in 0..call.arguments.len() {
                let from = argument(self, number);
                for to in result {
                    self.solver.copy(from, *to);
                }
            }
        }
    }
}
