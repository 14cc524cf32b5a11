//! Memory that is used or given back after it was given back: found, and not made up. More programs in C are
//! in `crates/lowering/tests/freed.rs`.

use std::path::PathBuf;
use std::process::Command;

const NONE: [&str; 2] = ["no error or deadlock can be reached"; 2];
const USED: [&str; 2] = ["use of memory that has been freed"; 2];
const TWICE: [&str; 2] = ["memory is freed that has been freed already"; 2];
const FAILS: [&str; 2] = ["assertion failed"; 2];

/// A file, its text, options, and what is said of it under SC and under TSO.
type Row = (&'static str, &'static str, &'static [&'static str], [&'static str; 2]);

/// Treiber's stack whose nodes are freed by who pops them: another thread may have read the head before.
const POP_AND_FREE: &str = "#include <pthread.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    struct node { struct node *next; };
    _Atomic(struct node *) head;
    void pop(void) {
        struct node *n = head;
        while (n && !atomic_compare_exchange_strong(&head, &n, n->next));
        free(n);
    }
    void *popper(void *p) { pop(); return p; }
    int main(void) {
        pthread_t h;
        head = calloc(1, sizeof(struct node));
        pthread_create(&h, 0, popper, 0); pop(); pthread_join(h, 0);
    }";

/// A stack of two nodes from which one thread pops while another pops both, allocates one and pushes it: if
/// that is the first one again, the compare-and-swap of the first thread is wrong to succeed.
const ABA: &str = "#include <assert.h>
    #include <pthread.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    struct node { int value; } *first, *second;
    _Atomic(struct node *) head; int is_empty;
    void *other(void *p) {
        struct node *top = first;
        if (!atomic_compare_exchange_strong(&head, &top, second)) return p;
        top = second;
        if (!atomic_compare_exchange_strong(&head, &top, 0)) return p;
        is_empty = 1;
        free(first);
        head = malloc(sizeof(struct node));
        return p;
    }
    int main(void) {
        pthread_t h;
        head = first = malloc(sizeof *first); second = malloc(sizeof *second);
        pthread_create(&h, 0, other, 0);
        struct node *top = first;
        int is_popped = atomic_compare_exchange_strong(&head, &top, second);
        pthread_join(h, 0);
        assert(!(is_popped && is_empty));
    }";

/// Two threads that take what a pointer points to, one after the other or at once.
const BOTH_FREE: &str = "#include <pthread.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    int *_Atomic shared;
    void *take(void *p) { int *mine = shared; if (mine) { free(mine); shared = 0; } return p; }
    int main(void) {
        pthread_t h;
        shared = malloc(sizeof(int));
        pthread_create(&h, 0, take, 0); take(0); pthread_join(h, 0);
    }";

/// A pointer that is read through, by an access that is not plain, while another thread frees it.
const READ_WHILE_FREED: &str = "#include <pthread.h>
    #include <stdlib.h>
    volatile int *shared;
    void *release(void *p) { free((void *)shared); return p; }
    int main(void) {
        pthread_t h;
        if (!(shared = calloc(1, sizeof(int)))) return 0;
        if (pthread_create(&h, 0, release, 0)) return 0;
        int seen = *shared;
        pthread_join(h, 0); return seen;
    }";

/// A hazard pointer that is set by a store which the second look at the shared pointer can overtake. No final
/// state shows it.
const HAZARD_POINTER: &str = "#include <pthread.h>
    #include <stdatomic.h>
    #include <stdlib.h>
    int *_Atomic shared; int *_Atomic hazard;
    void *reader(void *p) {
        int *mine = shared;
        atomic_store_explicit(&hazard, mine, memory_order_release);
        if (shared == mine && mine) (void)*(volatile int *)mine;
        hazard = 0;
        return p;
    }
    int main(void) {
        pthread_t h;
        int *mine = calloc(1, sizeof(int));
        if (!mine) return 0;
        shared = mine;
        if (pthread_create(&h, 0, reader, 0)) return 0;
        shared = 0;
        if (hazard != mine) free(mine);
        pthread_join(h, 0);
    }";

const PROGRAMS: &[Row] = &[
    (
        "twice.c",
        "#include <stdlib.h>
        int main(void) { int *p = malloc(4), *q = p; free(p); free(q); }",
        &[],
        TWICE,
    ),
    ("hazard-pointer.c", HAZARD_POINTER, &[], [NONE[0], USED[1]]),
    ("both-free.c", BOTH_FREE, &[], TWICE),
    ("read-while-freed.c", READ_WHILE_FREED, &[], USED),
    ("pop-and-free.c", POP_AND_FREE, &[], USED),
    // Without memory both nodes are null, which is another way to take one for the other.
    ("aba.c", ABA, &["--reuse-memory", "--assume", "malloc succeeds"], FAILS),
    ("aba-without.c", ABA, &["--assume", "malloc succeeds"], NONE),
    ("aba-refused.c", ABA, &[], FAILS),
    (
        "used.rs",
        "fn main() { let p = Box::into_raw(Box::new(1)); unsafe { drop(Box::from_raw(p)); *p = 2; } }",
        &[],
        USED,
    ),
    (
        "arc.rs",
        "use std::sync::{Arc, atomic::{AtomicU32, Ordering::*}};
        fn main() { let a = Arc::new(AtomicU32::new(0)); let b = a.clone();
            let t = std::thread::spawn(move || { b.fetch_add(1, Relaxed); });
            a.fetch_add(1, Relaxed); drop(a); t.join().unwrap(); }",
        &[],
        NONE,
    ),
    (
        "list.rs",
        "fn main() { let mut v = Vec::new(); for i in 0..5u32 { v.push(i); } assert!(v[4] == 4); }",
        &[],
        NONE,
    ),
];

#[test]
fn memory_that_is_used_after_it_was_given_back_is_found() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("freed");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut wrong = Vec::new();
    for (name, text, options, expected) in PROGRAMS {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("a file");
        // Without a criterion `check` answers for x86, errors included.
        let checked = if expected[1] == NONE[1] { "no memory is misused" } else { expected[1] };
        let questions: [(&[&str], &str); 3] = [
            (&["reach", "--model", "sc"], expected[0]),
            (&["reach", "--model", "tso"], expected[1]),
            (&["check"], checked),
        ];
        for (question, expected) in questions {
            let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
                .args(question)
                .arg(&file)
                .args(*options)
                .output()
                .expect("fencewright can be started");
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            if !said.contains(expected) {
                wrong.push(format!("{} {name}: {said}", question.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn states_among_other_criteria_are_those_of_states_alone() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("freed-criteria");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("hazard-pointer.c");
    std::fs::write(&file, HAZARD_POINTER).expect("a file");
    for criteria in ["states", "states,robustness", "all"] {
        let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .args(["check", "--criterion", criteria])
            .arg(&file)
            .output()
            .expect("fencewright can be started");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(USED[1]), "{criteria}: {said}");
    }
}

#[test]
fn any_number_of_threads_can_free_twice() {
    let text = "#include <stdatomic.h>
        #include <stdlib.h>
        int *_Atomic shared;
        void set(void) { shared = malloc(sizeof(int)); }
        void look_and_take(void) { int *mine = shared; if (mine) { free(mine); shared = 0; } }
        void take(void) { free(atomic_exchange(&shared, 0)); }";
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("freed-by-any");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("taken.c");
    std::fs::write(&file, text).expect("a file");
    for (thread, expected) in
        [("look_and_take*any", TWICE), ("look_and_take*2", TWICE), ("take*any", NONE)]
    {
        for (model, expected) in ["sc", "tso"].into_iter().zip(expected) {
            let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
                .args(["reach", "--model", model, "--init", "set", "--thread", thread])
                .arg(&file)
                .output()
                .expect("fencewright can be started");
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert!(said.contains(expected), "{thread} under {model}: {said}");
        }
    }
}
