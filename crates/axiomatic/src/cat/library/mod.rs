//! Files that models include and need not bring along.

/// What every model can use without asking.
pub(super) const PRELUDE: &str = include_str!("prelude.cat");

/// The text of a file that models commonly include.
pub(super) fn file(name: &str) -> Option<&'static str> {
    Some(match name {
        "stdlib.cat" | "fences.cat" => "",
        "cos.cat" | "cos-opt.cat" | "cos-ok-opt.cat" | "cos-no-opt.cat" => {
            include_str!("cos.cat")
        }
        "cross.cat" => include_str!("cross.cat"),
        "filters.cat" => include_str!("filters.cat"),
        "x86fences.cat" | "ppcfences.cat" | "armfences.cat" => include_str!("fences.cat"),
        "aarch64fences.cat" => include_str!("aarch64fences.cat"),
        _ => return None,
    })
}
