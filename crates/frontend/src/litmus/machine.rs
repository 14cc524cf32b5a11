//! What the file format asks of an instruction set.

use std::collections::BTreeMap;

use program::{
    AccessWidth, Architecture, Diagnostics, IndexVec, IntType, Location, LocationId, Template,
    Value,
};

use super::ast::{Column, Name};

/// An architecture or language whose tests can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// x86 in the syntax of Intel.
    X86,
    /// x86 in the syntax of AT&T.
    X86_64,
    /// Arm, 64 bits.
    AArch64,
    /// Arm, 32 bits.
    Arm,
    /// Power.
    Ppc,
    /// RISC-V.
    RiscV,
    /// The language C.
    C,
}

impl Arch {
    pub(super) const ALL: [Self; 7] =
        [Self::X86, Self::X86_64, Self::AArch64, Self::Arm, Self::Ppc, Self::RiscV, Self::C];

    /// Whose instructions its tests consist of, unless it is a language.
    pub(super) const fn instruction_set(self) -> Option<Architecture> {
        match self {
            Self::X86 | Self::X86_64 => Some(Architecture::X86),
            Self::AArch64 => Some(Architecture::AArch64),
            Self::Arm => Some(Architecture::Arm),
            Self::Ppc => Some(Architecture::Power),
            Self::RiscV => Some(Architecture::RiscV),
            Self::C => None,
        }
    }

    /// What it is called in the first line of a test.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X86 => "X86",
            Self::X86_64 => "X86_64",
            Self::AArch64 => "AArch64",
            Self::Arm => "ARM",
            Self::Ppc => "PPC",
            Self::RiscV => "RISCV",
            Self::C => "C",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|arch| arch.name() == name)
    }

    /// All names, for messages.
    pub(super) fn names() -> String {
        Self::ALL.map(|arch| format!("`{}`", arch.name())).join(", ")
    }
}

/// An instruction set.
pub(super) trait Machine {
    /// A thread whose instructions have been read.
    type Code;

    /// How wide an address is.
    fn pointer_bits(&self) -> u8;

    /// The register of this name, if there is one: the whole register it is part of and how many
    /// of its bits it is. A `%` before a name is part of it.
    fn register(&self, name: &str) -> Option<(String, u8)>;

    /// Whether a location cannot have this name, since it would be taken for a register.
    fn reserves(&self, name: &str) -> bool {
        self.register(name).is_some()
    }

    /// A register, for messages.
    fn example_register(&self) -> &'static str;

    /// Reads the instructions of a thread.
    fn decode(&self, column: &Column<'_>, errors: &mut Diagnostics) -> Self::Code;

    /// The accesses of a thread to memory, and the locations whose addresses it takes.
    fn mentions(&self, code: &Self::Code) -> Vec<Mention>;

    /// Lowers a thread. Errors leave some valid template, which nobody will see.
    fn thread(
        &self,
        code: &Self::Code,
        context: &Context<'_>,
        errors: &mut Diagnostics,
    ) -> Template;
}

/// An access to memory, or a location whose address is taken.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    /// The location, if it is named.
    pub(super) name: Option<Name>,
    /// The width of the access, if the instruction says.
    pub(super) bits: Option<u8>,
}

/// What the rest of a test says about a thread.
#[derive(Debug)]
pub(super) struct Context<'a> {
    /// `P0`.
    pub(super) name: &'a Name,
    pub(super) globals: &'a Globals,
    pub(super) registers: &'a [RegisterUse],
    /// The types of the registers that the test asks about, by their whole names.
    pub(super) told: &'a BTreeMap<String, IntType>,
}

/// A register as the initial state or the condition mentions it.
#[derive(Clone, Debug)]
pub(super) struct RegisterUse {
    pub(super) name: Name,
    /// Its initial value, if one is given.
    pub(super) initial: Option<Value>,
    /// What it is declared to be.
    pub(super) declared: Option<IntType>,
}

/// The shared memory of a test.
#[derive(Debug, Default)]
pub(super) struct Globals {
    pub(super) locations: IndexVec<LocationId, Location>,
    pub(super) names: BTreeMap<String, LocationId>,
    /// The declared types of locations.
    pub(super) declared: BTreeMap<LocationId, IntType>,
    /// How wide every cell is, if all are alike.
    pub(super) common_bits: Option<u8>,
}

impl Globals {
    /// In which type the cells of the location are held.
    pub(super) fn held(&self, location: LocationId) -> IntType {
        held(self.locations[location].domain)
    }

    /// The width to record for an access: none where no access could have another.
    pub(super) fn access_width(&self, bits: u8) -> AccessWidth {
        if self.common_bits == Some(bits) {
            AccessWidth::Cell
        } else {
            AccessWidth::Bytes(bits / 8)
        }
    }
}

/// The type in which a domain of a litmus test holds values.
pub(super) fn held(domain: program::Domain) -> IntType {
    match domain {
        program::Domain::Wrapping(int) => int,
        program::Domain::Integer | program::Domain::Range { .. } => signed(64),
    }
}

/// How many bits a domain of a litmus test has.
pub(super) const fn domain_bits(domain: program::Domain) -> u8 {
    match domain {
        program::Domain::Wrapping(int) => int.bits(),
        program::Domain::Integer | program::Domain::Range { .. } => 64,
    }
}

/// The signed type of this width. Widths are those of C types, so there is one.
pub(super) fn signed(bits: u8) -> IntType {
    IntType::new(bits, true).expect("a width of a C type")
}

/// The unsigned type of this width.
pub(super) fn unsigned(bits: u8) -> IntType {
    IntType::new(bits, false).expect("a width of a C type")
}
