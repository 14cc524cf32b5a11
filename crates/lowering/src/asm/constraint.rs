//! The constraints of inline assembly, as LLVM prints them: `=r,=*m,0,*m,~{memory}`.
//!
//! Outputs come first, then inputs, and `$0`, `$1`, … count both; clobbers follow. An indirect operand
//! (`*`) is given the address of what it stands for.

use crate::asm::condition::Condition;
use crate::asm::register;

/// What an operand may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A register, any or this one, or a number that is put into the text.
    Register(Option<&'static str>),
    /// Memory.
    Memory,
    /// The same as another operand.
    Tied(usize),
    /// A condition of the flags after the last instruction.
    Flag(Condition),
}

/// One operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    pub(crate) is_output: bool,
    /// Whether an address is given, not a value.
    pub(crate) is_indirect: bool,
    pub(crate) kind: Kind,
}

/// The operands of a list of constraints, without clobbers; nothing if one is not understood.
pub(crate) fn constraints(text: &str) -> Option<Vec<Constraint>> {
    text.split(',').filter(|one| !one.is_empty() && !one.starts_with('~')).map(constraint).collect()
}

fn constraint(text: &str) -> Option<Constraint> {
    let (is_output, text) = match text.strip_prefix('=') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    // Early clobbers and commutative operands: what a register allocator needs to know.
    let text = text.trim_start_matches(['&', '%']);
    let (is_indirect, text) = match text.strip_prefix('*') {
        Some(rest) => (true, rest.trim_start_matches('&')),
        None => (false, text),
    };
    let kind = if let Some(name) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        match name.strip_prefix("@cc") {
            Some(condition) => Kind::Flag(Condition::named(condition)?),
            None => Kind::Register(Some(register::named(name)?.0)),
        }
    } else if text.starts_with(|first: char| first.is_ascii_digit()) {
        Kind::Tied(text.parse().ok()?)
    } else if is_indirect {
        Kind::Memory
    } else if text.chars().all(|letter| LETTERS.contains(letter)) && !text.is_empty() {
        Kind::Register(None)
    } else {
        return None;
    };
    Some(Constraint { is_output, is_indirect, kind })
}

/// Registers for integers, and numbers. A value that may be in memory as well is not shared memory.
const LETTERS: &str = "rqQRliInNeZJKLMOsgmoVXp";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constraints_as_compilers_print_them() {
        let output = |is_indirect, kind| Constraint { is_output: true, is_indirect, kind };
        let input = |is_indirect, kind| Constraint { is_output: false, is_indirect, kind };
        let any = Kind::Register(None);
        let ax = Kind::Register(Some("ax"));
        let cases = [
            ("~{memory},~{dirflag}", vec![]),
            ("=r,*m,~{flags}", vec![output(false, any.clone()), input(true, Kind::Memory)]),
            (
                "=*m,=&{ax},q,*m,1",
                vec![
                    output(true, Kind::Memory),
                    output(false, ax),
                    input(false, any.clone()),
                    input(true, Kind::Memory),
                    input(false, Kind::Tied(1)),
                ],
            ),
            ("=*qm,Ir", vec![output(true, Kind::Memory), input(false, any)]),
            ("={@ccz}", vec![output(false, Kind::Flag(Condition::Equal))]),
        ];
        for (text, expected) in cases {
            assert_eq!(constraints(text), Some(expected), "{text}");
        }
        for text in ["=x", "={xmm0}", "!i", "={@ccp}", "=r,,t"] {
            assert_eq!(constraints(text), None, "{text}");
        }
    }
}
