//! Names of symbols as their authors wrote them.

/// The path that a mangled Rust name stands for, in the old scheme or in v0, without hashes. Nothing
/// for a name that is not mangled, as those of C are not.
pub fn demangled(name: &str) -> Option<String> {
    // LLVM appends suffixes to the names of clones, which the demangler keeps.
    rustc_demangle::try_demangle(name).ok().map(|path| format!("{path:#}"))
}
