//! Functions of libraries that must not be taken for nothing.
//!
//! What a function without a body does is not known, and what follows its call is undecided
//! ([`Walk::unknown`](crate::thread::Walk)). Where it takes part in synchronisation, in memory or in control,
//! or is given variables or functions of the program, nothing of worth could follow; so it is refused.

use llvm::Type;

use program::Expr;

use crate::call::Called;
use crate::library::readable;
use crate::object::{Naming, ObjectId};
use crate::thread::{Cursor, Walk};
use crate::value::Val;

impl Walk<'_, '_, '_> {
    /// Refuses to go on after a call of a function; whether it did.
    pub(crate) fn refuses(&mut self, cursor: &Cursor, called: &Called<'_>) -> bool {
        let (shown, help) = match llvm::demangled(called.name) {
            Some(path) if is_of_rust(&path) && self.is_given_a_pointer(cursor, called) => {
                let help = "do without it, or write a function of your own that does the same";
                (path, help.to_owned())
            }
            None if shares_with_processes(called.name) => {
                let message = format!(
                    "`{}`: memory or control is shared with other processes, of which nothing is known",
                    called.name
                );
                let help =
                    "make a thread of what the other process does, and a variable of the memory";
                self.error(cursor, message, help);
                return true;
            }
            None if is_of_c(called.name) => {
                let help = format!("do without it, or add a file that defines `{}`", called.name);
                (called.name.to_owned(), help)
            }
            Some(_) | None => return self.refuses_to_give_away(cursor, called),
        };
        self.error(cursor, format!("what `{shown}` does is not known"), &help);
        true
    }

    /// Refuses to give variables or functions of the program to a function without a body.
    fn refuses_to_give_away(&mut self, cursor: &Cursor, called: &Called<'_>) -> bool {
        let name = readable(called.name);
        for (at, number) in (0..called.arguments.len()).zip(1..) {
            let given = self.argument(cursor, called, at).as_constant();
            let Some((object, _)) = given.and_then(|address| self.world.objects.at(address)) else {
                continue;
            };
            let (what, says) = if self.world.objects.function_of(object).is_some() {
                let says = format!("creates {number} with {}", number + 1);
                ("a function of the program", says)
            } else if self.is_constant(object) {
                continue;
            } else {
                ("a variable of the program", format!("writes {number}"))
            };
            let message = format!("`{name}` has no body here, and is given {what}");
            let help = format!(
                "add the file that defines it, or say what it does: \
                 `--assume '{name} {says}'` or `--assume '{name} does nothing'`"
            );
            self.error(cursor, message, &help);
            return true;
        }
        false
    }

    /// Whether an object is a constant of the program, without pointers to others.
    fn is_constant(&self, object: ObjectId) -> bool {
        let known = self.world.objects.get(object);
        let Naming::Global(item) = known.naming else { return false };
        let is_constant = self.world.linked.global(item).is_some_and(|global| global.constant);
        is_constant && known.initial.pointers().next().is_none()
    }

    /// Whether a function is given the address of something that may belong to the program.
    pub(crate) fn is_given_an_address(&mut self, cursor: &Cursor, called: &Called<'_>) -> bool {
        (0..called.arguments.len()).any(|at| match self.argument(cursor, called, at) {
            Val::Private(..) => true,
            Val::Expr(Expr::Const(_)) | Val::Undefined | Val::Inexpressible(_) => false,
            // A number that may be one.
            Val::Expr(_) | Val::Aggregate(_) => {
                let module = cursor.known.frame.function.module;
                self.world.size(module, called.arguments[at].ty).is_none_or(|size| size >= 8)
            }
        })
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

/// What begins another process, or shares memory with one.
const PROCESSES: [&str; 21] = [
    "fork",
    "vfork",
    "clone",
    "clone3",
    "forkpty",
    "daemon",
    "mmap",
    "mmap64",
    "mremap",
    "shm_open",
    "shm_unlink",
    "shmget",
    "shmat",
    "shmdt",
    "shmctl",
    "memfd_create",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "vmsplice",
    "userfaultfd",
];

/// What transfers control, or calls back.
const CONTROL: [&str; 34] = [
    "setjmp",
    "sigsetjmp",
    "longjmp",
    "siglongjmp",
    "getcontext",
    "setcontext",
    "makecontext",
    "swapcontext",
    "signal",
    "sigaction",
    "atexit",
    "at_quick_exit",
    "on_exit",
    "qsort",
    "qsort_r",
    "bsearch",
    "lfind",
    "lsearch",
    "tsearch",
    "twalk",
    "ftw",
    "nftw",
    "scandir",
    "raise",
    "kill",
    "execve",
    "execv",
    "execvp",
    "execl",
    "execlp",
    "dlopen",
    "dlsym",
    "cxa_atexit",
    "posix_spawn",
];

/// What synchronises threads.
const SYNCHRONISATION: [&str; 5] = ["syscall", "futex", "membarrier", "flockfile", "funlockfile"];

/// What manages memory, or copies it.
const MEMORY: [&str; 25] = [
    "reallocarray",
    "pvalloc",
    "munmap",
    "brk",
    "sbrk",
    "madvise",
    "mprotect",
    "remap_file_pages",
    "bcopy",
    "swab",
    "memccpy",
    "memchr",
    "memrchr",
    "rawmemchr",
    "memmem",
    "memfrob",
    "memcpy_chk",
    "memmove_chk",
    "memset_chk",
    "wmemcpy",
    "wmemmove",
    "wmemset",
    "wmemcmp",
    "index",
    "rindex",
];

/// What is about strings, behind `str` or `stp`.
const STRINGS: [&str; 36] = [
    "len", "nlen", "cpy", "ncpy", "lcpy", "cat", "ncat", "lcat", "cmp", "ncmp", "casecmp",
    "ncasecmp", "coll", "xfrm", "chr", "rchr", "chrnul", "str", "casestr", "spn", "cspn", "pbrk",
    "tok", "sep", "dup", "ndup", "tol", "toll", "toul", "toull", "tod", "tof", "told", "toimax",
    "toumax", "fry",
];

/// Beginnings of names of whole libraries.
const FAMILIES: [&str; 14] = [
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
    "__CPROVER_",
    "__kmpc_",
    "GOMP_",
];

/// Functions of the C library that are refused wherever they are neither defined nor understood, without the
/// underscores that may stand before them. Besides these there are whole families, and what is about strings.
pub const REFUSED: [&[&str]; 4] = [&PROCESSES, &CONTROL, &SYNCHRONISATION, &MEMORY];

/// Whether a function begins another process, or shares memory with one.
fn shares_with_processes(name: &str) -> bool {
    PROCESSES.contains(&name.trim_start_matches('_'))
}

/// Whether a function of the C library takes part in synchronisation, memory or control.
fn is_of_c(name: &str) -> bool {
    let bare = name.trim_start_matches('_');
    FAMILIES.iter().any(|family| name.starts_with(family))
        || REFUSED.iter().any(|names| names.contains(&bare))
        || is_of_strings(bare)
}

fn is_of_strings(name: &str) -> bool {
    let behind = name.strip_prefix("str").or_else(|| name.strip_prefix("stp"));
    behind.is_some_and(|rest| {
        let plain = rest.trim_end_matches("_chk").trim_end_matches("_r").trim_end_matches("_l");
        STRINGS.contains(&plain)
    })
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
