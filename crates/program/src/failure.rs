//! Why a program fails, in the words of its language.
//!
//! Where a compiler has put a check, the model has an assertion that is always false on the way on which the
//! check fails. Its condition says which check that was: a number less itself. It is as false as any, so
//! nobody who does not ask sees a difference. Where a condition is checked that the text does not mention, it
//! is the condition and such a number, which is as true as the condition.

use std::fmt;

use crate::expr::{BinaryOp, Expr};
use crate::instruction::Instruction;
use crate::template::Template;
use crate::{EdgeId, Fault, Value};

/// The number of the first failure: no address of anything.
const FIRST: Value = 0x5041_4e49_4300;

/// A check of a compiler or a library that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// The result of an operation is no number of its type.
    Overflow,
    /// Division by zero, or the remainder.
    DivisionByZero,
    /// An index is not below the length.
    OutOfBounds,
    /// Nothing, or an error, is there instead of a value.
    NoValue,
    /// The program says so, or a library.
    Panic,
    /// Memory is accessed that was given back.
    UseAfterFree,
    /// Memory is given back twice.
    DoubleFree,
    /// Something is given back that was never allocated.
    InvalidFree,
    /// A local variable is accessed whose function has returned.
    UseAfterReturn,
    /// A constant is written.
    WriteToConstant,
    /// A thread is joined that nobody may join any more.
    JoinedAgain,
    /// A lock is given back by a thread that does not have it.
    NotHeld,
    /// A lock is taken by the thread that has it already.
    TakenAgain,
    /// A lock is destroyed that a thread has.
    DestroyedWhileHeld,
    /// A lock is used that was destroyed.
    UseAfterDestruction,
    /// A number is shifted by its width or more.
    ShiftTooFar,
    /// A quotient is too large for its type, where machines trap.
    QuotientTooLarge,
}

impl Failure {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Overflow,
        Self::DivisionByZero,
        Self::OutOfBounds,
        Self::NoValue,
        Self::Panic,
        Self::UseAfterFree,
        Self::DoubleFree,
        Self::InvalidFree,
        Self::UseAfterReturn,
        Self::WriteToConstant,
        Self::JoinedAgain,
        Self::NotHeld,
        Self::TakenAgain,
        Self::DestroyedWhileHeld,
        Self::UseAfterDestruction,
        Self::ShiftTooFar,
        Self::QuotientTooLarge,
    ];

    fn number(self) -> Value {
        let at = Self::ALL.iter().position(|one| *one == self).expect("all are there");
        FIRST + Value::try_from(at).expect("a small number")
    }

    /// The instruction that fails so.
    pub fn instruction(self) -> Instruction {
        let number = Expr::Const(self.number());
        Instruction::Assert(Expr::binary(BinaryOp::Sub, number.clone(), number))
    }

    /// The instruction that fails so unless a condition is true.
    pub fn unless(self, condition: Expr) -> Instruction {
        Instruction::Assert(Expr::binary(BinaryOp::And, condition, Expr::Const(self.number())))
    }

    fn of(instruction: &Instruction) -> Option<Self> {
        let Instruction::Assert(condition) = instruction else { return None };
        let is_it = |one: &Self| {
            let number = Expr::Const(one.number());
            one.instruction() == *instruction
                || matches!(condition, Expr::Binary(BinaryOp::And, _, right) if **right == number)
        };
        Self::ALL.into_iter().find(is_it)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "panic: arithmetic overflow",
            Self::DivisionByZero => "panic: division by zero",
            Self::OutOfBounds => "panic: index out of bounds",
            Self::NoValue => "panic: `unwrap` or `expect` of something that is not there",
            Self::Panic => "panic",
            Self::UseAfterFree => "use of memory that has been freed",
            Self::DoubleFree => "memory is freed that has been freed already",
            Self::InvalidFree => "what is freed here was not allocated",
            Self::UseAfterReturn => "use of a local variable whose function has returned",
            Self::WriteToConstant => "write to a constant",
            Self::JoinedAgain => {
                "a thread is joined or detached that was joined or detached before"
            }
            Self::NotHeld => "a lock is released by a thread that does not hold it",
            Self::TakenAgain => "a lock is taken by the thread that holds it already",
            Self::DestroyedWhileHeld => "a lock is destroyed while a thread holds it",
            Self::UseAfterDestruction => "use of a lock that has been destroyed",
            Self::ShiftTooFar => "shift by as many bits as the number has, or more",
            Self::QuotientTooLarge => "the quotient does not fit into its type",
        })
    }
}

impl Template {
    /// What is wrong if an edge ends in a fault, in words.
    pub fn why(&self, edge: EdgeId, fault: Fault) -> String {
        let failure = (fault == Fault::AssertionFailed)
            .then(|| Failure::of(&self.edge(edge).instruction))
            .flatten();
        failure.map_or_else(|| fault.to_string(), |failure| failure.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IndexVec, Memory};

    #[test]
    fn every_failure_is_an_assertion_that_is_false_and_told_apart() {
        for failure in Failure::ALL {
            let instruction = failure.instruction();
            let Instruction::Assert(condition) = &instruction else { panic!("{instruction:?}") };
            assert_eq!(condition.evaluate(&Memory::flat(), &IndexVec::new()), Ok(0));
            assert_eq!(Failure::of(&instruction), Some(failure));
            for (number, expected) in [(0, 0), (1, 1), (7, 1)] {
                let checked = failure.unless(Expr::Const(number));
                let Instruction::Assert(condition) = &checked else { panic!("{checked:?}") };
                assert_eq!(condition.evaluate(&Memory::flat(), &IndexVec::new()), Ok(expected));
                assert_eq!(Failure::of(&checked), Some(failure));
            }
        }
        assert_eq!(Failure::of(&Instruction::Assert(Expr::Const(0))), None);
    }
}
