//! Lowering instructions into steps of the model.
//!
//! Flags are computed before a destination that they depend on is overwritten.

use program::{BinaryOp, Diagnostic, Expr, FetchOp, Instruction, UnaryOp, Update};

use super::super::machine::unsigned;
use super::Dialect;
use super::flags::{self, Code, Codes, Effect, Source};
use super::syntax::{Arithmetic, Line, Memory, Operand, Operation, Shift, Unary};
use super::thread::Lowering;

pub(super) type Steps = Vec<Instruction>;

impl Lowering<'_> {
    /// What an instruction does, when `needed` of the flags are used later.
    pub(super) fn steps(&mut self, line: &Line, needed: Codes) -> Steps {
        self.check_flags(line, needed);
        let bits = self.bits(line);
        let mut steps = Vec::new();
        match (line.operation, line.operands.as_slice()) {
            (Operation::Move, [to, from]) => {
                if let (Operand::Register(part, _), Operand::Memory(memory)) = (to, from) {
                    self.load_into(*part, memory, bits, &mut steps);
                } else {
                    let value = self.stored(from, bits);
                    self.write(to, value, bits, line.span, &mut steps);
                }
            }
            (Operation::Arithmetic(op), [to, from]) => {
                self.arithmetic(line, op, (to, from), bits, needed, &mut steps);
            }
            (Operation::Unary(op), [to]) => self.unary(line, op, to, bits, needed, &mut steps),
            (Operation::Shift(shift), [to, from]) => {
                self.shift(line, shift, (to, from), bits, &mut steps);
            }
            (Operation::Compare, [left, right]) => {
                let left = self.read(left, bits, &mut steps);
                let right = self.read(right, bits, &mut steps);
                self.set_flags(&Source::Difference { left, right, bits }, needed, &mut steps);
            }
            (Operation::Test, [left, right]) => {
                let left = self.read(left, bits, &mut steps);
                let right = self.read(right, bits, &mut steps);
                let left = Expr::binary(BinaryOp::BitAnd, left, right);
                let source = Source::Difference { left, right: Expr::Const(0), bits };
                self.set_flags(&source, needed, &mut steps);
            }
            (Operation::Exchange | Operation::UnlockedExchange, [left, right]) => {
                let locked = line.operation == Operation::Exchange;
                self.exchange(line, (left, right), locked, bits, &mut steps);
            }
            (Operation::CompareExchange, [Operand::Memory(memory), Operand::Register(new, _)]) => {
                self.locked_compare_exchange(memory, *new, bits, needed, &mut steps);
            }
            (Operation::ExchangeAdd, [to, Operand::Register(part, _)]) => {
                self.exchange_add(line, to, *part, bits, needed, &mut steps);
            }
            (Operation::MoveIf(condition), [Operand::Register(part, _), from]) => {
                let value = self.read(from, bits, &mut steps);
                let condition = self.condition(condition);
                let old = self.read_part(*part, bits);
                let value = Expr::Select(Box::new([condition, value, old]));
                steps.push(self.assign_part(*part, value));
            }
            (Operation::SetIf(condition), [to]) => {
                let value = self.condition(condition);
                self.write(to, value, bits, line.span, &mut steps);
            }
            (Operation::Fence(kind), []) => steps.push(Instruction::Fence(kind)),
            (Operation::Nothing, _) => {}
            (
                Operation::CompareExchange
                | Operation::ExchangeAdd
                | Operation::MoveIf(_)
                | Operation::Move
                | Operation::Arithmetic(_)
                | Operation::Unary(_)
                | Operation::Shift(_)
                | Operation::Compare
                | Operation::Test
                | Operation::Exchange
                | Operation::UnlockedExchange
                | Operation::SetIf(_)
                | Operation::Fence(_)
                | Operation::Jump
                | Operation::JumpIf(_)
                | Operation::Return,
                _,
            ) => self.errors.push(Diagnostic::new(line.span, "these operands do not fit")),
        }
        steps
    }

    fn check_flags(&mut self, line: &Line, needed: Codes) {
        let unknown = match flags::effect(line.operation) {
            Effect::Keeps | Effect::Sets => false,
            Effect::SetsAllButCarry => needed.contains(Code::BelowOrEqual),
            Effect::Spoils => !needed.is_empty(),
        };
        if unknown {
            self.errors.push(
                Diagnostic::new(line.span, "the flags after this instruction are not modelled")
                    .label("a later instruction depends on them")
                    .help("compare explicitly with `cmp`"),
            );
        }
    }

    /// The width of an instruction's operands.
    pub(super) fn bits(&mut self, line: &Line) -> u8 {
        let cell = line.operands.iter().find_map(|operand| match operand {
            Operand::Memory(Memory { name: Some(name), .. }) => {
                let location = self.context.globals.names.get(&name.text)?;
                Some(self.context.globals.held(*location).bits())
            }
            Operand::Memory(_)
            | Operand::Register(..)
            | Operand::Immediate(_)
            | Operand::Address(_) => None,
        });
        let bits = line.bits.or(cell).unwrap_or(32);
        if bits > 32 && self.dialect == Dialect::Intel {
            let error = Diagnostic::new(line.span, "X86 has no 64-bit instructions");
            self.errors.push(error.help("write an `X86_64` test"));
        }
        bits
    }

    fn arithmetic(
        &mut self,
        line: &Line,
        op: Arithmetic,
        (to, from): (&Operand, &Operand),
        bits: u8,
        needed: Codes,
        steps: &mut Steps,
    ) {
        let operand = self.read(from, bits, steps);
        let source = |left: Expr, right: Expr| match op {
            Arithmetic::Add => Source::Sum { left, right, bits },
            Arithmetic::Sub => Source::Difference { left, right, bits },
            Arithmetic::And | Arithmetic::Or | Arithmetic::Xor => {
                let left = Expr::binary(binary(op), left, right);
                Source::Difference { left, right: Expr::Const(0), bits }
            }
        };
        if let (true, Operand::Memory(memory)) = (line.locked, to) {
            let update = Update::Fetch { op: fetch(op), operand: operand.clone() };
            if let Some(old) = self.locked(memory, update, bits, needed, steps) {
                self.set_flags(&source(old, operand), needed, steps);
            }
            return;
        }
        let old = self.read(to, bits, steps);
        self.set_flags(&source(old.clone(), operand.clone()), needed, steps);
        self.write(to, Expr::binary(binary(op), old, operand), bits, line.span, steps);
    }

    fn unary(
        &mut self,
        line: &Line,
        op: Unary,
        to: &Operand,
        bits: u8,
        needed: Codes,
        steps: &mut Steps,
    ) {
        let one = || Expr::Const(1);
        let source = |old: Expr| match op {
            Unary::Increment => Some(Source::Sum { left: old, right: one(), bits }),
            Unary::Decrement => Some(Source::Difference { left: old, right: one(), bits }),
            Unary::Negate => Some(Source::Difference { left: Expr::Const(0), right: old, bits }),
            Unary::Complement => None,
        };
        // The carry flag keeps its value.
        let needed = match op {
            Unary::Increment | Unary::Decrement => needed.without_carry(),
            Unary::Negate => needed,
            Unary::Complement => Codes::default(),
        };
        if let (true, Operand::Memory(memory)) = (line.locked, to) {
            let (op, operand) = match op {
                Unary::Increment => (FetchOp::Add, one()),
                Unary::Decrement => (FetchOp::Sub, one()),
                Unary::Complement => (FetchOp::Xor, Expr::Const(-1)),
                Unary::Negate => {
                    let error = Diagnostic::new(line.span, "a locked `neg` is not modelled");
                    self.errors.push(error.help("use a loop with `cmpxchg`"));
                    return;
                }
            };
            let update = Update::Fetch { op, operand };
            let old = self.locked(memory, update, bits, needed, steps);
            if let Some(source) = old.and_then(source) {
                self.set_flags(&source, needed, steps);
            }
            return;
        }
        let old = self.read(to, bits, steps);
        if let Some(source) = source(old.clone()) {
            self.set_flags(&source, needed, steps);
        }
        let new = match op {
            Unary::Increment => Expr::binary(BinaryOp::Add, old, one()),
            Unary::Decrement => Expr::binary(BinaryOp::Sub, old, one()),
            Unary::Negate => Expr::unary(UnaryOp::Neg, old),
            Unary::Complement => Expr::unary(UnaryOp::BitNot, old),
        };
        self.write(to, new, bits, line.span, steps);
    }

    fn shift(
        &mut self,
        line: &Line,
        shift: Shift,
        (to, from): (&Operand, &Operand),
        bits: u8,
        steps: &mut Steps,
    ) {
        let Operand::Immediate(count) = from else {
            let error = Diagnostic::new(line.span, "only shifts by a constant are modelled");
            self.errors.push(error);
            return;
        };
        let by = Expr::Const(count & if bits == 64 { 63 } else { 31 });
        let old = self.read(to, bits, steps);
        let new = match shift {
            Shift::Left => Expr::binary(BinaryOp::Shl, old, by),
            Shift::ArithmeticRight => Expr::binary(BinaryOp::Shr, old, by),
            Shift::Right => {
                let old = Expr::Cast(unsigned(bits), Box::new(old));
                Expr::binary(BinaryOp::Shr, old, by)
            }
        };
        self.write(to, new, bits, line.span, steps);
    }

    /// A locked operation; its old value if flags are needed.
    fn locked(
        &mut self,
        memory: &Memory,
        update: Update,
        bits: u8,
        needed: Codes,
        steps: &mut Steps,
    ) -> Option<Expr> {
        let (address, access) = self.access(memory, bits);
        let result = if needed.is_empty() { None } else { Some(self.temporary(bits)) };
        steps.push(Instruction::Update { result, address, update, access });
        result.map(Expr::Register)
    }
}

const fn binary(op: Arithmetic) -> BinaryOp {
    match op {
        Arithmetic::Add => BinaryOp::Add,
        Arithmetic::Sub => BinaryOp::Sub,
        Arithmetic::And => BinaryOp::BitAnd,
        Arithmetic::Or => BinaryOp::BitOr,
        Arithmetic::Xor => BinaryOp::BitXor,
    }
}

const fn fetch(op: Arithmetic) -> FetchOp {
    match op {
        Arithmetic::Add => FetchOp::Add,
        Arithmetic::Sub => FetchOp::Sub,
        Arithmetic::And => FetchOp::And,
        Arithmetic::Or => FetchOp::Or,
        Arithmetic::Xor => FetchOp::Xor,
    }
}
