//! Registers and their parts.

use super::Dialect;

/// A register, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The whole register, as the program model names it: `EAX`, `rax`.
    pub(super) whole: &'static str,
    /// How many bits the part has.
    pub(super) bits: u8,
    /// How many bits of the register are below it: 8 for `ah`, otherwise none.
    pub(super) shift: u8,
}

/// The names of a register by width; an empty name is none.
struct Family {
    /// In `X86`, all 32 bits.
    intel: &'static str,
    /// In `X86_64`: 64, 32, 16 bits, the lowest 8, and those above them.
    att: [&'static str; 5],
}

const FAMILIES: [Family; 17] = [
    Family { intel: "EAX", att: ["rax", "eax", "ax", "al", "ah"] },
    Family { intel: "EBX", att: ["rbx", "ebx", "bx", "bl", "bh"] },
    Family { intel: "ECX", att: ["rcx", "ecx", "cx", "cl", "ch"] },
    Family { intel: "EDX", att: ["rdx", "edx", "dx", "dl", "dh"] },
    Family { intel: "ESI", att: ["rsi", "esi", "si", "sil", ""] },
    Family { intel: "EDI", att: ["rdi", "edi", "di", "dil", ""] },
    Family { intel: "EBP", att: ["rbp", "ebp", "bp", "bpl", ""] },
    Family { intel: "ESP", att: ["rsp", "esp", "sp", "spl", ""] },
    Family { intel: "", att: ["r8", "r8d", "r8w", "r8b", ""] },
    Family { intel: "", att: ["r9", "r9d", "r9w", "r9b", ""] },
    Family { intel: "", att: ["r10", "r10d", "r10w", "r10b", ""] },
    Family { intel: "", att: ["r11", "r11d", "r11w", "r11b", ""] },
    Family { intel: "", att: ["r12", "r12d", "r12w", "r12b", ""] },
    Family { intel: "", att: ["r13", "r13d", "r13w", "r13b", ""] },
    Family { intel: "", att: ["r14", "r14d", "r14w", "r14b", ""] },
    Family { intel: "", att: ["r15", "r15d", "r15w", "r15b", ""] },
    Family { intel: "EIP", att: ["rip", "eip", "", "", ""] },
];

/// Registers that no instruction here uses but a state may mention.
const SEGMENTS: [&str; 6] = ["cs", "ds", "es", "fs", "gs", "ss"];

/// The width and the shift of each entry of [`Family::att`].
const PARTS: [(u8, u8); 5] = [(64, 0), (32, 0), (16, 0), (8, 0), (8, 8)];

/// The register of this name, in either case.
pub(super) fn find(dialect: Dialect, name: &str) -> Option<Part> {
    let name = name.to_ascii_lowercase();
    if name.is_empty() {
        return None;
    }
    if let Some(segment) = SEGMENTS.iter().find(|segment| **segment == name) {
        return (dialect == Dialect::Att).then_some(Part { whole: segment, bits: 64, shift: 0 });
    }
    let (family, place) = FAMILIES.iter().find_map(|family| {
        let place = family.att.iter().position(|part| *part == name)?;
        Some((family, place))
    })?;
    let (bits, shift) = PARTS[place];
    match dialect {
        Dialect::Att => Some(Part { whole: family.att[0], bits, shift }),
        Dialect::Intel if family.intel.is_empty() || bits == 64 => None,
        Dialect::Intel => Some(Part { whole: family.intel, bits, shift }),
    }
}

/// Whether this names the segment of an address that is part of the one flat memory.
pub(super) fn is_flat_segment(name: &str) -> bool {
    ["cs", "ds", "es", "ss"].contains(&name.to_ascii_lowercase().as_str())
}

/// The names worth suggesting.
pub(super) fn names(dialect: Dialect) -> Vec<&'static str> {
    let families = FAMILIES.iter();
    match dialect {
        Dialect::Intel => {
            families.map(|family| family.intel).filter(|name| !name.is_empty()).collect()
        }
        Dialect::Att => {
            families.flat_map(|family| family.att).filter(|name| !name.is_empty()).collect()
        }
    }
}

/// The whole register with this canonical name.
pub(super) fn whole(dialect: Dialect, name: &str) -> Option<Part> {
    find(dialect, name).filter(|part| part.whole == name)
}

/// The registers to hand out when a program has names of its own.
pub(super) fn general(dialect: Dialect) -> Vec<&'static str> {
    let (count, pick): (usize, fn(&Family) -> &'static str) = match dialect {
        Dialect::Intel => (6, |family| family.intel),
        Dialect::Att => (16, |family| family.att[0]),
    };
    let stack = ["ESP", "EBP", "rsp", "rbp"];
    FAMILIES.iter().take(count).map(pick).filter(|name| !stack.contains(name)).collect()
}

/// How the lowest `bits` of a whole register are called in instructions.
pub(super) fn part_name(whole: &str, bits: u8) -> Option<&'static str> {
    let family = FAMILIES.iter().find(|family| family.intel == whole || family.att[0] == whole)?;
    let place = PARTS.iter().position(|part| *part == (bits, 0))?;
    let intel = family.intel == whole;
    match family.att[place] {
        "" => None,
        _ if intel && bits == 64 => None,
        _ if intel && bits == 32 => Some(family.intel),
        name => Some(name),
    }
}
