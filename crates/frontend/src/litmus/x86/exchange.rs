//! Lowering exchanges, locked and not.

use program::{BinaryOp, Diagnostic, Expr, FetchOp, Instruction, NoInsertion, Update};

use super::flags::{Codes, Source};
use super::instruction::Steps;
use super::register::Part;
use super::syntax::{Line, Memory, Operand};
use super::thread::{Lowering, Way, accumulator};

impl Lowering<'_> {
    pub(super) fn exchange(
        &mut self,
        line: &Line,
        operands: (&Operand, &Operand),
        locked: bool,
        bits: u8,
        steps: &mut Steps,
    ) {
        match operands {
            (Operand::Memory(memory), Operand::Register(part, _)) if locked => {
                let (address, access) = self.access(memory, bits);
                let value = self.stored_part(*part);
                let update = Update::Exchange(value);
                let (whole, whole_bits) = self.whole(*part);
                if whole_bits == bits {
                    let result = Some(whole);
                    steps.push(Instruction::Update { result, address, update, access });
                } else {
                    let old = self.temporary(bits);
                    steps.push(Instruction::Update { result: Some(old), address, update, access });
                    steps.push(self.assign_part(*part, Expr::Register(old)));
                }
            }
            (to, Operand::Register(part, _)) => {
                let old = self.saved(to, bits, steps);
                let value = self.stored_part(*part);
                self.write(to, value, bits, line.span, steps);
                steps.push(self.assign_part(*part, old));
            }
            (_, Operand::Immediate(_) | Operand::Address(_) | Operand::Memory(_)) => {
                self.errors.push(Diagnostic::new(line.span, "these operands do not fit"));
            }
        }
    }

    pub(super) fn exchange_add(
        &mut self,
        line: &Line,
        to: &Operand,
        part: Part,
        bits: u8,
        needed: Codes,
        steps: &mut Steps,
    ) {
        let operand = self.read_part(part, bits);
        let (whole, whole_bits) = self.whole(part);
        if let (true, Operand::Memory(memory)) = (line.locked, to) {
            let (address, access) = self.access(memory, bits);
            let update = Update::Fetch { op: FetchOp::Add, operand: operand.clone() };
            if needed.is_empty() && whole_bits == bits {
                let result = Some(whole);
                steps.push(Instruction::Update { result, address, update, access });
                return;
            }
            let old = self.temporary(bits);
            steps.push(Instruction::Update { result: Some(old), address, update, access });
            let source = Source::Sum { left: Expr::Register(old), right: operand, bits };
            self.set_flags(&source, needed, steps);
            steps.push(self.assign_part(part, Expr::Register(old)));
            return;
        }
        let old = self.saved(to, bits, steps);
        let source = Source::Sum { left: old.clone(), right: operand.clone(), bits };
        self.set_flags(&source, needed, steps);
        let sum = Expr::binary(BinaryOp::Add, old.clone(), operand);
        self.write(to, sum, bits, line.span, steps);
        steps.push(self.assign_part(part, old));
    }

    pub(super) fn locked_compare_exchange(
        &mut self,
        memory: &Memory,
        new: Part,
        bits: u8,
        needed: Codes,
        steps: &mut Steps,
    ) {
        let accumulator = Part { bits, ..accumulator(self.dialect) };
        let (whole, whole_bits) = self.whole(accumulator);
        let expected = self.read_part(accumulator, bits);
        let (address, access) = self.access(memory, bits);
        let new = self.stored_part(new);
        let update = Update::CompareAndSwap { expected: expected.clone(), new };
        if needed.is_empty() && whole_bits == bits {
            steps.push(Instruction::Update { result: Some(whole), address, update, access });
            return;
        }
        let old = self.temporary(bits);
        steps.push(Instruction::Update { result: Some(old), address, update, access });
        let source = Source::Difference { left: expected, right: Expr::Register(old), bits };
        self.set_flags(&source, needed, steps);
        steps.push(self.assign_part(accumulator, Expr::Register(old)));
    }

    /// A load, then a store if the value was the expected one.
    pub(super) fn unlocked_compare_exchange(&mut self, line: &Line, way: Way, needed: Codes) {
        let bits = self.bits(line);
        let [to, Operand::Register(new, _)] = line.operands.as_slice() else {
            self.errors.push(Diagnostic::new(line.span, "these operands do not fit"));
            return;
        };
        let accumulator = Part { bits, ..accumulator(self.dialect) };
        let expected = self.read_part(accumulator, bits);
        let mut steps = Vec::new();
        let old = self.saved(to, bits, &mut steps);
        let source = Source::Difference { left: expected.clone(), right: old.clone(), bits };
        self.set_flags(&source, needed, &mut steps);
        let compare = |op| Instruction::Assume(Expr::binary(op, old.clone(), expected.clone()));
        let (equal, different) = (compare(BinaryOp::Eq), compare(BinaryOp::Ne));
        let mut success = Vec::new();
        let value = self.stored_part(*new);
        self.write(to, value, bits, line.span, &mut success);
        let failure = vec![self.assign_part(accumulator, old)];

        let inside = Err(NoInsertion::InsideExpression);
        let decide = self.outline.inner_label(line.span);
        let (succeeded, failed) =
            (self.outline.inner_label(line.span), self.outline.inner_label(line.span));
        self.outline.chain((way.from, decide), steps, line.span, inside);
        self.outline.edge(decide, succeeded, equal, line.span, inside);
        self.outline.edge(decide, failed, different, line.span, inside);
        self.outline.emit((succeeded, way.next), success, line.span);
        self.outline.emit((failed, way.next), failure, line.span);
    }
}
