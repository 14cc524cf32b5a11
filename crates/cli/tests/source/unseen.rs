//! Ways in which something can happen in a program that is easy to overlook: what runs without being called,
//! what is written by functions that seem to read, what depends on the machine. Each leads to store buffering,
//! so *holds* would be wrong.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Store buffering of two threads in `both`; `left` and `right` are its halves.
const HALVES: &str = "
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
static int x, y, r, s;
static void *left(void *p) { __atomic_store_n(&x, 1, 0); r = __atomic_load_n(&y, 0); return 0; }
static void *right(void *p) { __atomic_store_n(&y, 1, 0); s = __atomic_load_n(&x, 0); return 0; }
static void both(void) {
  pthread_t a, b; pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0);
  pthread_join(a, 0); pthread_join(b, 0);
}
";

/// A program behind [`HALVES`], the code that `check` ends with, and what it says.
type Case = (&'static str, i32, &'static str);

const EXACT: &[Case] = &[
    // Before and after `main`.
    ("__attribute__((constructor)) static void f(void) { both(); } int main(void) {}", 1, "violated"),
    ("__attribute__((destructor)) static void f(void) { both(); } int main(void) {}", 1, "violated"),
    (
        "__attribute__((section(\".init_array\"), used)) static void (*p)(void) = both; int main(void) {}",
        2,
        "stands in the section `.init_array`",
    ),
    (
        "__attribute__((section(\".fini_array.9\"), used)) static void (*p)(void) = both; int main(void) {}",
        2,
        "the section `.fini_array.9`",
    ),
    (
        "__asm__(\".section .init_array\\n.quad hook\\n.text\");
         __attribute__((used)) static void hook(void) { both(); } int main(void) {}",
        2,
        "names `hook`",
    ),
    ("static void f(void) { both(); } int main(void) { atexit(f); }", 2, "`atexit`"),
    // Jumps and callbacks.
    ("static jmp_buf j; int main(void) { if (setjmp(j)) both(); else longjmp(j, 1); }", 2, "setjmp"),
    ("static void f(int n) { both(); } int main(void) { signal(SIGUSR1, f); raise(SIGUSR1); }", 2, "`signal`"),
    (
        "static int hit, v[2]; static int f(const void *a, const void *b) { return hit = 1; }
         int main(void) { qsort(v, 2, 4, f); if (hit) both(); }",
        2,
        "`qsort`",
    ),
    (
        "int main(int n, char **v) { static void *t[] = { &&a, &&b }; goto *t[n & 1]; a: return 0; b: both(); }",
        2,
        "a computed `goto`",
    ),
    (
        "static int f(int n, ...) { va_list l; va_start(l, n); n = va_arg(l, int); va_end(l); return n; }
         int main(void) { if (f(0, 1)) both(); }",
        2,
        "unnamed arguments",
    ),
    ("int main(void) { if (fork() == 0) both(); }", 2, "`fork`"),
    // What functions write.
    ("int main(void) { int n = 0; printf(\"ab%n\", &n); if (n) both(); }", 1, "violated"),
    ("int main(int c, char **v) { int n = 0; printf(v[0], &n); if (n) both(); }", 1, "violated"),
    ("int main(void) { int n = 0; printf(\"%%n %d %s\", 1, (char *)&n); if (n) both(); }", 0, "holds"),
    (
        "static int n; int main(void) { fprintf(stderr, \"%d%hhn\", 1, &n); if (n) both(); }",
        3,
        "depends on what `fprintf` writes",
    ),
    ("int main(void) { char b[16] = { 0 }; prctl(PR_GET_NAME, b); if (b[2]) both(); }", 1, "violated"),
    (
        "int main(void) { fd_set f; FD_ZERO(&f); select(1, &f, 0, 0, 0); if (FD_ISSET(0, &f)) both(); }",
        3,
        "`select`, whose body is not known",
    ),
    (
        "static void f(union sigval v) { both(); }
         int main(void) { struct sigevent e = { 0 }; timer_t t; e.sigev_notify_function = f;
         timer_create(0, &e, &t); }",
        3,
        "`timer_create`, whose body is not known",
    ),
    // What a compiler or a machine decides.
    ("static int a, b; int main(void) { if (&a > &b) both(); if (&b > &a) return 1; }", 2, "the order of"),
    (
        "int main(void) { char *a = malloc(8), *b = malloc(8); if (a > b) both(); }",
        2,
        "the order of different variables in memory",
    ),
    ("static int a[4]; int main(void) { int *p = a + 4; if (p > a) both(); }", 1, "violated"),
    (
        "int main(void) { pthread_t t; pthread_create(&t, 0, left, 0);
         __builtin_nontemporal_store(1, &y); s = x; }",
        2,
        "non-temporal",
    ),
];

/// The same without executing anything: `--method static`, and more options.
const STATIC: &[(&str, &[&str], i32, &str)] = &[
    (
        "int clone(int (*)(void *), void *, int, void *, ...); static char stack[64];
         static int f(void *p) { left(p); return 0; }
         int main(void) { clone(f, stack + 64, 0x100, 0); right(0); }",
        &[],
        3,
        "2 delays",
    ),
    (
        "static void f(union sigval v) { left(0); }
         int main(void) { struct sigevent e = { 0 }; timer_t t; e.sigev_notify_function = f;
         timer_create(0, &e, &t); right(0); }",
        &[],
        3,
        "delays",
    ),
    (
        "void start(void *(*)(void *)); int main(void) { start(left); right(0); }",
        &[],
        3,
        "delays",
    ),
    (
        "void start(void *(*)(void *)); int main(void) { start(left); right(0); }",
        &["--assume", "start calls 1 with 1"],
        0,
        "holds",
    ),
    // What is in no file may use what it can name.
    (
        "int z; void elsewhere(void); static void *f(void *p) { __atomic_store_n(&x, 1, 0); elsewhere(); return 0; }
         static void *g(void *p) { __atomic_store_n(&z, 1, 0); s = __atomic_load_n(&x, 0); return 0; }
         int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); }",
        &[],
        3,
        "delay",
    ),
    (
        "static int z; void elsewhere(void); static void *f(void *p) { __atomic_store_n(&x, 1, 0); elsewhere(); return 0; }
         static void *g(void *p) { __atomic_store_n(&z, 1, 0); s = __atomic_load_n(&x, 0); return 0; }
         int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); }",
        &[],
        0,
        "holds",
    ),
    (
        "int main(void) { int *p = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
         if (fork()) { __atomic_store_n(p, 1, 0); r = __atomic_load_n(p + 1, 0); }
         else { __atomic_store_n(p + 1, 1, 0); s = __atomic_load_n(p, 0); } }",
        &[],
        2,
        "share memory",
    ),
    (
        "static struct { int x, y; } q; void f(int *p) { __atomic_store_n(p, 1, 0); r = __atomic_load_n(&p[1], 0); }
         void g(void) { __atomic_store_n(&q.y, 1, 0); s = __atomic_load_n(&q.x, 0); }",
        &["--thread", "f(&q)", "--thread", "g"],
        3,
        "2 delays",
    ),
    ("void f(int a) { both(); }", &["--thread", "f(1, 2)"], 2, "takes 1 argument, but is given 2"),
    ("int main(void) {}", &["--assume", "nobody does nothing"], 2, "`nobody` is not called"),
    ("int main(void) { both(); }", &["--assume", "both does nothing"], 2, "`both` has a body"),
    (
        "int main(void) { pthread_t t; pthread_create(&t, 0, left, 0);
         __builtin_nontemporal_store(1, &y); s = x; }",
        &[],
        2,
        "nontemporal",
    ),
];

pub(crate) fn wrong(
    folder: &Path,
    command: &str,
    name: &str,
    text: &str,
    options: &[&str],
    code: i32,
    says: &str,
) -> Option<String> {
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, HALVES.to_owned() + text).expect("a file that can be written");
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .arg(command)
        .arg(&file)
        .args(options)
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let is_right = output.status.code() == Some(code) && said.contains(says);
    (!is_right).then(|| format!("{} and not {code} with `{says}`: {text}\n{said}", output.status))
}

pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn nothing_that_happens_unseen_is_overlooked() {
    let folder = folder("unseen");
    let wrong: Vec<String> = EXACT
        .iter()
        .enumerate()
        .filter_map(|(number, (text, code, says))| {
            let name = format!("program{number}");
            wrong(&folder, "check", &name, text, &["--criterion", "robustness"], *code, says)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_that_happens_unseen_is_overlooked_without_executing_it() {
    let folder = folder("unseen-static");
    let wrong: Vec<String> = STATIC
        .iter()
        .enumerate()
        .filter_map(|(number, (text, options, code, says))| {
            let options = [&["--method", "static"], *options].concat();
            wrong(&folder, "check", &format!("program{number}"), text, &options, *code, says)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
