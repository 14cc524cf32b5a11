//! Functions of libraries that must not be taken for nothing.
//!
//! Of a function without a body that is not known it is assumed that it changes no variable and returns 0.
//! Where it takes part in synchronisation, in memory or in control, that would give wrong answers both
//! ways; so it is refused.

use llvm::Type;

use crate::call::Called;
use crate::thread::{Cursor, Walk};

impl Walk<'_, '_, '_> {
    /// Refuses to assume anything of a function; whether it did.
    pub(crate) fn refuses(&mut self, cursor: &Cursor, called: &Called<'_>) -> bool {
        let (shown, help) = match llvm::demangled(called.name) {
            Some(path) if is_of_rust(&path) && self.is_given_a_pointer(cursor, called) => {
                let help = "do without it, or write a function of your own that does the same";
                (path, help.to_owned())
            }
            None if is_of_c(called.name) => {
                let help = format!("do without it, or add a file that defines `{}`", called.name);
                (called.name.to_owned(), help)
            }
            Some(_) | None => return false,
        };
        self.error(cursor, format!("what `{shown}` does is not known"), &help);
        true
    }

    fn is_given_a_pointer(&self, cursor: &Cursor, called: &Called<'_>) -> bool {
        let types = &self.world.linked.module(cursor.known.frame.function.module).types;
        let is_pointer =
            |operand: &llvm::Operand| matches!(types.resolved(operand.ty), Type::Pointer { .. });
        called.arguments.iter().any(is_pointer)
    }
}

/// Whether a function belongs to Rust's own libraries, or implements one of their traits for what is built
/// in.
fn is_of_rust(path: &str) -> bool {
    let is_rusts = |path: &str| {
        ["core::", "alloc::", "std::", "__rustc::"].iter().any(|root| path.starts_with(root))
    };
    let implemented = path.split_once(" as ").filter(|_| path.starts_with('<'));
    is_rusts(path.trim_start_matches('<')) || implemented.is_some_and(|(_, path)| is_rusts(path))
}

/// Whether a function of the C library takes part in synchronisation, memory or control.
fn is_of_c(name: &str) -> bool {
    let families = [
        "pthread_",
        "__pthread_",
        "sem_",
        "mtx_",
        "cnd_",
        "thrd_",
        "tss_",
        "__atomic_",
        "__sync_",
        "fencewright_",
        "__VERIFIER_",
    ];
    if families.iter().any(|family| name.starts_with(family)) {
        return true;
    }
    let name = name.trim_start_matches('_');
    match name {
        // Control.
        "setjmp" | "sigsetjmp" | "longjmp" | "siglongjmp" | "getcontext" | "setcontext"
        | "makecontext" | "swapcontext" | "fork" | "vfork" | "clone" | "signal" | "sigaction"
        | "atexit" | "at_quick_exit" | "on_exit" | "qsort" | "qsort_r" | "bsearch"
        // Synchronisation.
        | "syscall" | "futex" | "membarrier" | "flockfile" | "funlockfile"
        // Memory.
        | "reallocarray" | "pvalloc" | "mmap" | "mmap64" | "munmap" | "mremap" | "brk" | "sbrk"
        | "bcopy" | "swab" | "memccpy" | "memchr" | "memrchr" | "rawmemchr" | "memmem"
        | "memfrob" | "memcpy_chk" | "memmove_chk" | "memset_chk" | "wmemcpy" | "wmemmove"
        | "wmemset" | "wmemcmp" | "index" | "rindex" => true,
        _ => is_of_strings(name),
    }
}

fn is_of_strings(name: &str) -> bool {
    match name.strip_prefix("str").or_else(|| name.strip_prefix("stp")) {
        Some(rest) => matches!(
            rest.trim_end_matches("_chk").trim_end_matches("_r").trim_end_matches("_l"),
            "len"
                | "nlen"
                | "cpy"
                | "ncpy"
                | "lcpy"
                | "cat"
                | "ncat"
                | "lcat"
                | "cmp"
                | "ncmp"
                | "casecmp"
                | "ncasecmp"
                | "coll"
                | "xfrm"
                | "chr"
                | "rchr"
                | "chrnul"
                | "str"
                | "casestr"
                | "spn"
                | "cspn"
                | "pbrk"
                | "tok"
                | "sep"
                | "dup"
                | "ndup"
                | "tol"
                | "toll"
                | "toul"
                | "toull"
                | "tod"
                | "tof"
                | "told"
                | "toimax"
                | "toumax"
                | "fry"
        ),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_refused_and_nothing_else() {
        let refused = [
            "pthread_key_create",
            "sem_open",
            "tss_get",
            "__sigsetjmp",
            "_setjmp",
            "longjmp",
            "strlen",
            "strtok_r",
            "__strcpy_chk",
            "stpcpy",
            "memchr",
            "mmap",
            "syscall",
            "__atomic_load",
        ];
        for name in refused {
            assert!(is_of_c(name), "{name}");
        }
        for name in ["rand", "getpid", "strerror", "stream_open", "memory_report", "time", "log"] {
            assert!(!is_of_c(name), "{name}");
        }
        assert!(is_of_rust("<alloc::raw_vec::RawVec<u8>>::grow_one"));
        assert!(is_of_rust("<u32 as core::str::traits::FromStr>::from_str"));
        assert!(!is_of_rust("mine::std::f"));
    }
}
