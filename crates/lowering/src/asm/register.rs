//! Names of the integer registers of x86.

/// The register that a name means, by its 16-bit name, and how many of its low bits.
pub(crate) fn named(name: &str) -> Option<(&'static str, u32)> {
    const OLD: [&str; 4] = ["ax", "bx", "cx", "dx"];
    const POINTERS: [&str; 4] = ["si", "di", "bp", "sp"];
    const NEW: [&str; 8] = ["r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"];
    for known in OLD.into_iter().chain(POINTERS) {
        if name == known {
            return Some((known, 16));
        }
        match name.strip_suffix(known) {
            Some("e") => return Some((known, 32)),
            Some("r") => return Some((known, 64)),
            Some(_) | None => {}
        }
    }
    for known in OLD {
        if name.strip_suffix('l') == known.strip_suffix('x') && name.len() == 2 {
            return Some((known, 8));
        }
    }
    for known in POINTERS {
        if name.strip_suffix('l') == Some(known) {
            return Some((known, 8));
        }
    }
    for known in NEW {
        let bits = match name.strip_prefix(known) {
            Some("") => 64,
            Some("d") => 32,
            Some("w") => 16,
            Some("b") => 8,
            Some(_) | None => continue,
        };
        return Some((known, bits));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn names_and_widths() {
        let cases = [
            ("rax", Some(("ax", 64))),
            ("eax", Some(("ax", 32))),
            ("ax", Some(("ax", 16))),
            ("al", Some(("ax", 8))),
            ("esp", Some(("sp", 32))),
            ("dil", Some(("di", 8))),
            ("r8", Some(("r8", 64))),
            ("r10d", Some(("r10", 32))),
            ("r15b", Some(("r15", 8))),
            ("ah", None),
            ("xmm0", None),
            ("fs", None),
            ("l", None),
        ];
        for (name, expected) in cases {
            assert_eq!(named(name), expected, "{name}");
        }
    }
}
