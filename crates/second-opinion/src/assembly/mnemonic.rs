//! Instructions by their names.

use super::operand::{Symbols, split};
use super::{
    Binary, CODE, Condition, Instruction, Library, Operand, Register, Shift, Target, Test, Unary,
    Width, register,
};

/// Reads one instruction.
pub(super) fn instruction(text: &str, symbols: &Symbols<'_>) -> Result<Instruction, String> {
    let (mut name, mut rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let is_locked = name == "lock";
    while matches!(name, "lock" | "notrack") {
        rest = rest.trim();
        (name, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    }
    let operands = split(rest.trim_matches([';', ' ', '\t']));
    let reader = Reader { operands, symbols, is_locked };
    let found = reader.without_width(name).or_else(|| reader.with_width(name));
    found.unwrap_or_else(|| Err("unknown instruction".to_owned()))
}

struct Reader<'r> {
    operands: Vec<&'r str>,
    symbols: &'r Symbols<'r>,
    is_locked: bool,
}

type Read = Result<Instruction, String>;

fn width_of(suffix: char) -> Option<Width> {
    match suffix {
        'b' => Some(Width::Byte),
        'w' => Some(Width::Word),
        'l' => Some(Width::Long),
        'q' => Some(Width::Quad),
        _ => None,
    }
}

fn plain(number: usize, width: Width) -> Register {
    Register { number, width, is_high: false }
}

/// A condition as it stands at the end of a name.
fn test(name: &str) -> Option<Test> {
    let (condition, is_negated) = match name {
        "e" | "z" => (Condition::Equal, false),
        "ne" | "nz" => (Condition::Equal, true),
        "b" | "c" | "nae" => (Condition::Below, false),
        "ae" | "nc" | "nb" => (Condition::Below, true),
        "be" | "na" => (Condition::BelowOrEqual, false),
        "a" | "nbe" => (Condition::BelowOrEqual, true),
        "l" | "nge" => (Condition::Less, false),
        "ge" | "nl" => (Condition::Less, true),
        "le" | "ng" => (Condition::LessOrEqual, false),
        "g" | "nle" => (Condition::LessOrEqual, true),
        "s" => (Condition::Negative, false),
        "ns" => (Condition::Negative, true),
        "o" => (Condition::Overflow, false),
        "no" => (Condition::Overflow, true),
        "p" | "pe" => (Condition::Parity, false),
        "np" | "po" => (Condition::Parity, true),
        _ => return None,
    };
    Some(Test { condition, is_negated })
}

fn library(name: &str) -> Option<Library> {
    Some(match name {
        "pthread_create" => Library::Create,
        "pthread_join" => Library::Join,
        "pthread_exit" => Library::Exit,
        "pthread_mutex_lock" => Library::Lock,
        "pthread_mutex_unlock" => Library::Unlock,
        "pthread_mutex_trylock" => Library::TryLock,
        "malloc" => Library::Allocate,
        "calloc" => Library::AllocateArray,
        "free" => Library::Free,
        "abort" | "__assert_fail" => Library::Fail,
        "await_at_least" => Library::AwaitAtLeast,
        "pthread_mutex_destroy"
        | "sched_yield"
        | "pthread_cond_signal"
        | "pthread_cond_broadcast" => Library::Nothing,
        _ => return None,
    })
}

impl Reader<'_> {
    fn operand(&self, at: usize) -> Result<Operand, String> {
        self.symbols.operand(self.operands.get(at).ok_or("an operand is missing")?)
    }

    fn register(&self, at: usize) -> Result<Register, String> {
        match self.operand(at)? {
            Operand::Register(register) => Ok(register),
            Operand::Immediate(_) | Operand::Memory(_) => Err("no register".to_owned()),
        }
    }

    /// Where control goes: a label, a function of the library, or what an operand holds.
    fn target(&self) -> Result<Target, String> {
        let text = self.operands.first().ok_or("a target is missing")?;
        if let Some(computed) = text.strip_prefix('*') {
            return Ok(Target::Computed(self.symbols.operand(computed)?));
        }
        let name = text.split('@').next().unwrap_or(text);
        match self.symbols.value(name) {
            Ok(address) => self.label(address).map(Target::At),
            Err(error) => library(name).map(Target::Library).ok_or(error),
        }
    }

    fn label(&self, address: u64) -> Result<usize, String> {
        let number = address.checked_sub(CODE).and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| format!("no instruction: {:?}", self.operands))
    }

    fn without_width(&self, name: &str) -> Option<Read> {
        let extend_rax = |from: Width, to: Width| {
            Ok(Instruction::Extend {
                from_width: from,
                from: Operand::Register(plain(register::RAX, from)),
                to: plain(register::RAX, to),
                is_signed: true,
            })
        };
        Some(match name {
            "cbtw" => extend_rax(Width::Byte, Width::Word),
            "cwtl" => extend_rax(Width::Word, Width::Long),
            "cltq" => extend_rax(Width::Long, Width::Quad),
            "cwtd" => Ok(Instruction::SpreadSign { width: Width::Word }),
            "cltd" => Ok(Instruction::SpreadSign { width: Width::Long }),
            "cqto" => Ok(Instruction::SpreadSign { width: Width::Quad }),
            "leave" | "leaveq" => Ok(Instruction::Leave),
            "ret" | "retq" => Ok(Instruction::Return),
            "mfence" => Ok(Instruction::Fence),
            "nop" | "nopw" | "nopl" | "pause" | "endbr64" => Ok(Instruction::Nothing),
            "ud2" => Ok(Instruction::Trap),
            "jmp" | "jmpq" => self.target().map(Instruction::Jump),
            "call" | "callq" => self.target().map(Instruction::Call),
            _ => return self.conditional(name).or_else(|| self.extension(name)),
        })
    }

    fn conditional(&self, name: &str) -> Option<Read> {
        if let Some(test) = name.strip_prefix('j').and_then(test) {
            let to = self.target().and_then(|target| match target {
                Target::At(number) => Ok(number),
                Target::Computed(_) | Target::Library(_) => Err("no label".to_owned()),
            });
            return Some(to.map(|to| Instruction::JumpIf { test, to }));
        }
        if let Some(test) = name.strip_prefix("set").and_then(test) {
            return Some(self.operand(0).map(|to| Instruction::Set { test, to }));
        }
        let rest = name.strip_prefix("cmov")?;
        let shorter = || rest.get(..rest.len().checked_sub(1)?).and_then(test);
        let test = test(rest).or_else(shorter)?;
        let read = || {
            let to = self.register(1)?;
            Ok(Instruction::MoveIf { test, width: to.width, from: self.operand(0)?, to })
        };
        Some(read())
    }

    /// `movzbl`, `movslq` and their like.
    fn extension(&self, name: &str) -> Option<Read> {
        let (rest, is_signed) = match (name.strip_prefix("movz"), name.strip_prefix("movs")) {
            (Some(rest), _) => (rest, false),
            (None, Some(rest)) => (rest, true),
            (None, None) => return None,
        };
        let mut letters = rest.chars();
        let from_width = width_of(letters.next()?)?;
        width_of(letters.next()?)?;
        let read = || {
            let (from, to) = (self.operand(0)?, self.register(1)?);
            Ok(Instruction::Extend { from_width, from, to, is_signed })
        };
        letters.next().is_none().then(read)
    }

    fn with_width(&self, name: &str) -> Option<Read> {
        let suffixed = name.char_indices().last().and_then(|(at, last)| {
            let width = width_of(last)?;
            self.sized(&name[..at], width)
        });
        // Without a suffix, a register says how wide it is.
        suffixed.or_else(|| {
            let of = |at: usize| self.register(at).ok().map(|register| register.width);
            let last = self.operands.len().checked_sub(1)?;
            self.sized(name, of(last).or_else(|| of(0))?)
        })
    }

    fn sized(&self, name: &str, width: Width) -> Option<Read> {
        let binary = |op| {
            let (from, to) = (self.operand(0)?, self.operand(1)?);
            Ok(Instruction::Binary { op, width, from, to, is_locked: self.is_locked })
        };
        let unary = |op| {
            let to = self.operand(0)?;
            Ok(Instruction::Unary { op, width, to, is_locked: self.is_locked })
        };
        let shift = |op| {
            let (count, to) = match self.operands.len() {
                1 => (Operand::Immediate(1), self.operand(0)?),
                _ => (self.operand(0)?, self.operand(1)?),
            };
            Ok(Instruction::Shift { op, width, count, to })
        };
        let both = || Ok::<_, String>((self.operand(0)?, self.operand(1)?));
        let with_register = || Ok::<_, String>((self.register(0)?, self.operand(1)?));
        let is_locked = self.is_locked;
        Some(match name {
            "mov" | "movabs" => both().map(|(from, to)| Instruction::Move { width, from, to }),
            "add" => binary(Binary::Add),
            "adc" => binary(Binary::AddWithCarry),
            "sub" => binary(Binary::Subtract),
            "sbb" => binary(Binary::SubtractWithBorrow),
            "and" => binary(Binary::And),
            "or" => binary(Binary::Or),
            "xor" => binary(Binary::Xor),
            "cmp" => both().map(|(from, to)| Instruction::Compare { width, from, to }),
            "test" => both().map(|(from, to)| Instruction::TestBits { width, from, to }),
            "not" => unary(Unary::Not),
            "neg" => unary(Unary::Negate),
            "inc" => unary(Unary::Increment),
            "dec" => unary(Unary::Decrement),
            "sal" | "shl" => shift(Shift::Left),
            "shr" => shift(Shift::Right),
            "sar" => shift(Shift::Arithmetic),
            "imul" if self.operands.len() > 1 => self.multiply(),
            "imul" | "mul" => {
                let is_signed = name == "imul";
                self.operand(0).map(|from| Instruction::MultiplyWide { width, from, is_signed })
            }
            "idiv" | "div" => {
                let is_signed = name == "idiv";
                self.operand(0).map(|from| Instruction::Divide { width, from, is_signed })
            }
            "lea" => self.load_address(),
            "push" => self.operand(0).map(Instruction::Push),
            "pop" => self.register(0).map(Instruction::Pop),
            "xchg" => self.exchange(),
            "xadd" => with_register().map(|(register, to)| Instruction::ExchangeAdd {
                register,
                to,
                is_locked,
            }),
            "cmpxchg" => with_register().map(|(register, to)| Instruction::CompareExchange {
                register,
                to,
                is_locked,
            }),
            _ => return None,
        })
    }

    fn multiply(&self) -> Read {
        let last = self.operands.len() - 1;
        let to = self.register(last)?;
        let factor = if last == 2 { self.operand(1)? } else { Operand::Register(to) };
        Ok(Instruction::Multiply { from: self.operand(0)?, factor, to })
    }

    fn load_address(&self) -> Read {
        match self.operand(0)? {
            Operand::Memory(from) => Ok(Instruction::LoadAddress { from, to: self.register(1)? }),
            Operand::Immediate(_) | Operand::Register(_) => Err("no address".to_owned()),
        }
    }

    /// Both orders of the operands mean the same.
    fn exchange(&self) -> Read {
        let (register, with) = match self.register(0) {
            Ok(register) => (register, self.operand(1)?),
            Err(_) => (self.register(1)?, self.operand(0)?),
        };
        Ok(Instruction::Exchange { register, with })
    }
}
