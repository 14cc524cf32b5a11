//! Inputs that are no programs: the compiler's message or ours, exit code 2, no panic.

use std::path::PathBuf;
use std::process::Command;

struct Bad {
    name: &'static str,
    text: &'static str,
    arguments: &'static [&'static str],
    says: &'static str,
}

const CASES: &[Bad] = &[
    Bad {
        name: "syntax.c",
        text: "int main(void) { return 0\n}\n",
        arguments: &[],
        says: "expected ';'",
    },
    Bad {
        name: "flag.c",
        text: "int main(void) { return 0; }\n",
        arguments: &["--", "--no-such-flag"],
        says: "no-such-flag",
    },
    Bad { name: "plus.cpp", text: "int main() {}\n", arguments: &[], says: "C++ is not supported" },
    Bad {
        name: "library.c",
        text: "int x;\n",
        arguments: &[],
        says: "there is no function `main`",
    },
    Bad {
        name: "thread.c",
        text: "int x;\n",
        arguments: &["--thread", "nobody"],
        says: "there is no function `nobody`",
    },
    Bad {
        name: "goto.c",
        text: "int main(int n, char **v) { static void *t[] = {&&a, &&b}; (void)v; goto *t[n]; a: return 1; b: return 2; }\n",
        arguments: &[],
        says: "computed `goto`",
    },
    Bad {
        name: "asm.c",
        text: "int main(void) { __asm__ volatile(\"vzeroall\"); return 0; }\n",
        arguments: &[],
        says: "vzeroall",
    },
    Bad {
        name: "huge.c",
        text: "#include <stdlib.h>\nint main(void) { char *p = malloc(1ull << 62); p[0] = 1; return 0; }\n",
        arguments: &[],
        says: "`main.p` is too large for any memory",
    },
    Bad {
        name: "huge-stack.ll",
        text: "declare void @keep(ptr)\ndefine i32 @main() {\n  %a = alloca i64, i64 4611686018427387904\n  store ptr %a, ptr @p\n  ret i32 0\n}\n@p = global ptr null\n",
        arguments: &[],
        says: "too large for any memory",
    },
    Bad {
        name: "pool.c",
        text: "static char pool[64 << 20];\n_Atomic int next;\nint main(void) { pool[next++] = 1; return 0; }\n",
        arguments: &[],
        says: "`pool` has more than 65536 elements",
    },
    Bad {
        name: "types.rs",
        text: "fn main() { let x: i32 = \"a\"; }\n",
        arguments: &[],
        says: "mismatched types",
    },
    Bad {
        name: "without-body.rs",
        text: "fn main() { let mut list = vec![1u64]; list.reserve_exact(3); }\n",
        arguments: &[],
        says: "finish_grow` does is not known",
    },
    Bad {
        name: "cut.ll",
        text: "define i32 @main() {\nentry:\n  %a = alloca i32\n",
        arguments: &[],
        says: "not LLVM IR",
    },
    Bad { name: "words.ll", text: "what is this\n", arguments: &[], says: "not LLVM IR" },
    Bad { name: "binary.bc", text: "BC", arguments: &[], says: "llvm-dis" },
    Bad { name: "alone.h", text: "int x;\n", arguments: &[], says: "a header is not a program" },
    Bad {
        name: "compile_commands.json",
        text: "[{]",
        arguments: &[],
        says: "compile_commands.json",
    },
];

#[test]
fn what_is_no_program_is_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bad-input");
    std::fs::create_dir_all(&folder).expect("a folder for bad input");
    for Bad { name, text, arguments, says } in CASES {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a file that can be written");
        let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .arg("check")
            .arg(&file)
            .args(*arguments)
            .output()
            .expect("fencewright can be started");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(says), "{name} does not say `{says}`: {said}");
        assert!(!said.contains("panicked"), "{name}: {said}");
    }
}

#[test]
fn a_missing_compiler_is_named() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("no-compiler");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("program.c");
    std::fs::write(&file, "int main(void) { return 0; }\n").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .args(["check", "--no-cache"])
        .arg(&file)
        .env("PATH", &folder)
        .env_remove("FENCEWRIGHT_CLANG")
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("apt-get install clang"), "{said}");
}
