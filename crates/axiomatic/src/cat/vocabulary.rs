//! What the names of an architecture mean.
//!
//! Some names mean one thing to one architecture and another to the next: `A` is an atomic access to
//! C, an acquiring load to Arm and, in herd's x86 models, a locked access. A model says by the first
//! words before its first statement which it is about, as herd has it: `X86 TSO`, `"RISCV"`, `C
//! RC11`. A program in a language is compiled for that architecture before the model is asked
//! (`program::mapping`).

use program::Target;

/// An architecture, by whose names a model speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    X86,
    Arm,
    AArch64,
    Power,
    RiscV,
    C,
    /// None that is known: the names of all, where they do not contradict each other.
    Any,
}

impl Vocabulary {
    /// By the words before the first statement.
    pub(super) fn of(title: &[String]) -> Self {
        let words = title.iter().flat_map(|text| text.split_whitespace());
        words.map(Self::of_word).find(|found| *found != Self::Any).unwrap_or(Self::Any)
    }

    /// What programs in a language are compiled for. On x86 that is done by the sets themselves.
    pub(super) const fn target(self) -> Option<Target> {
        match self {
            Self::Power => Some(Target::Power),
            Self::Arm => Some(Target::ArmV7),
            Self::AArch64 => Some(Target::AArch64),
            Self::RiscV => Some(Target::RiscV),
            Self::X86 | Self::C | Self::Any => None,
        }
    }

    fn of_word(word: &str) -> Self {
        match word.to_ascii_uppercase().as_str() {
            "X86" | "X86_64" | "X86TSO" | "TSO" => Self::X86,
            "ARM" | "ARMV7" => Self::Arm,
            "AARCH64" | "ARMV8" | "ARM64" => Self::AArch64,
            "PPC" | "POWER" => Self::Power,
            "RISCV" | "RISC-V" | "RVWMO" => Self::RiscV,
            "C" | "C11" | "C++11" | "RC11" | "CPP11" => Self::C,
            _ => Self::Any,
        }
    }
}
