//! The fences of the architectures, as instructions. Readers understand more spellings; these are
//! the ones that are written, by printers and into tables.

use program::{Architecture, FenceKind};

/// The instruction that orders what this kind of fence does and nothing else, in lower case;
/// nothing where the architecture has none.
pub(super) const fn instruction(
    architecture: Architecture,
    kind: FenceKind,
) -> Option<&'static str> {
    match architecture {
        Architecture::X86 => match kind {
            FenceKind::Full => Some("mfence"),
            FenceKind::StoreStore => Some("sfence"),
            FenceKind::LoadLoad => Some("lfence"),
            FenceKind::Lightweight
            | FenceKind::LoadStore
            | FenceKind::StoreLoad
            | FenceKind::Acquire
            | FenceKind::Release
            | FenceKind::Control => None,
        },
        Architecture::AArch64 => match kind {
            FenceKind::Full => Some("dmb sy"),
            FenceKind::Acquire => Some("dmb ld"),
            FenceKind::StoreStore => Some("dmb st"),
            FenceKind::Control => Some("isb"),
            FenceKind::Lightweight
            | FenceKind::LoadLoad
            | FenceKind::LoadStore
            | FenceKind::StoreLoad
            | FenceKind::Release => None,
        },
        // `DMB LD` came with ARMv8; neither ARMv7 nor herd has it.
        Architecture::Arm => match kind {
            FenceKind::Full => Some("dmb"),
            FenceKind::StoreStore => Some("dmb st"),
            FenceKind::Control => Some("isb"),
            FenceKind::Lightweight
            | FenceKind::LoadLoad
            | FenceKind::LoadStore
            | FenceKind::StoreLoad
            | FenceKind::Acquire
            | FenceKind::Release => None,
        },
        Architecture::Power => match kind {
            FenceKind::Full => Some("sync"),
            FenceKind::Lightweight => Some("lwsync"),
            FenceKind::StoreStore => Some("eieio"),
            FenceKind::Control => Some("isync"),
            FenceKind::LoadLoad
            | FenceKind::LoadStore
            | FenceKind::StoreLoad
            | FenceKind::Acquire
            | FenceKind::Release => None,
        },
        Architecture::RiscV => Some(match kind {
            FenceKind::Full => "fence rw,rw",
            FenceKind::Lightweight => "fence.tso",
            FenceKind::StoreStore => "fence w,w",
            FenceKind::LoadLoad => "fence r,r",
            FenceKind::LoadStore => "fence r,w",
            FenceKind::StoreLoad => "fence w,r",
            FenceKind::Acquire => "fence r,rw",
            FenceKind::Release => "fence rw,w",
            FenceKind::Control => "fence.i",
        }),
    }
}

/// Whether an instruction that has been read without errors is a fence.
pub(super) fn is_fence(architecture: Architecture, instruction: &str) -> bool {
    let word = instruction.split_whitespace().next().unwrap_or_default();
    // `DMB.ST` is `DMB ST`.
    let mnemonic = word.split('.').next().unwrap_or_default();
    let names: &[&str] = match architecture {
        Architecture::X86 => &["mfence", "sfence", "lfence"],
        Architecture::AArch64 | Architecture::Arm => &["dmb", "dsb", "isb"],
        Architecture::Power => &["sync", "hwsync", "lwsync", "eieio", "isync"],
        Architecture::RiscV => &["fence"],
    };
    names.iter().any(|name| mnemonic.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use program::Target;

    use super::*;

    /// Printers write what a target makes of a kind.
    #[test]
    fn every_target_has_the_fences_it_compiles_to() {
        for (target, architecture) in [
            (Target::Power, Architecture::Power),
            (Target::ArmV7, Architecture::Arm),
            (Target::AArch64, Architecture::AArch64),
            (Target::AArch64Lse, Architecture::AArch64),
            (Target::RiscV, Architecture::RiscV),
        ] {
            for kind in FenceKind::ALL {
                let written = instruction(architecture, target.fence(kind));
                let written = written.unwrap_or_else(|| panic!("{target:?}: {kind:?}"));
                assert!(is_fence(architecture, written), "{target:?}: {written}");
            }
        }
    }
}
