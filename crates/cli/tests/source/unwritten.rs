//! What a system may refuse, and memory that nobody has written: nothing is taken for granted of either.

use super::unseen::{folder, wrong};

/// Programs that ask for memory or threads, options, the exit code, and what is said.
const REFUSALS: &[(&str, &[&str], i32, &str)] = &[
    // What happens only where memory is short.
    ("int main(void) { int *p = malloc(4); if (!p) both(); free(p); }", &[], 1, "violated"),
    ("int main(void) { int *p = calloc(1, 4); if (!p) both(); free(p); }", &[], 1, "violated"),
    (
        "int main(void) { int *p = malloc(4), *q = realloc(p, 8); if (!q) both(); }",
        &[],
        1,
        "violated",
    ),
    ("int main(void) { void *p; if (posix_memalign(&p, 16, 16)) both(); }", &[], 1, "violated"),
    ("int main(void) { char *p = strdup(\"ab\"); if (!p) both(); }", &[], 1, "violated"),
    (
        "int main(void) { pthread_t t; if (pthread_create(&t, 0, left, 0)) both(); }",
        &[],
        1,
        "violated",
    ),
    (
        "int main(void) { pthread_t t; if (pthread_create(&t, 0, left, 0) == 11) both(); }",
        &[],
        1,
        "violated",
    ),
    // The user says that it does not.
    (
        "int main(void) { int *p = malloc(4); if (!p) both(); free(p); }",
        &["--assume", "malloc succeeds"],
        0,
        "assumed, as stated: malloc succeeds",
    ),
    (
        "int main(void) { pthread_t t; if (pthread_create(&t, 0, left, 0)) both(); }",
        &["--assume", "pthread_create succeeds"],
        0,
        "holds",
    ),
    ("int main(void) { both(); }", &["--assume", "malloc succeeds"], 2, "`malloc` is not called"),
    ("int main(void) { both(); }", &["--assume", "both succeeds"], 2, "`succeeds` can be said of"),
    // Who does not look, and who ends, adds nothing.
    ("int main(void) { int *p = malloc(4); *p = 1; return *p; }", &[], 0, "holds"),
    ("int main(void) { int *p = malloc(4); if (!p) abort(); *p = 1; return *p; }", &[], 0, "holds"),
    ("static int *g; int main(void) { g = malloc(4); *g = 1; return *g; }", &[], 0, "holds"),
    (
        "int main(void) { pthread_t t; pthread_create(&t, 0, left, 0); pthread_join(t, 0); }",
        &[],
        0,
        "holds",
    ),
];

/// The same for `reach`: errors.
const ERRORS: &[(&str, &[&str], i32, &str)] = &[
    // A thread that goes on without memory, and one that relies on it.
    (
        "static void *f(void *p) { int *n = malloc(4); if (!n) return 0; *n = 1; x = *n; free(n); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (!x) abort(); }",
        &[],
        1,
        "violated",
    ),
    (
        "static void *f(void *p) { int *n = malloc(4); if (!n) return 0; *n = 1; x = *n; free(n); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (!x) abort(); }",
        &["--assume", "malloc succeeds"],
        0,
        "holds",
    ),
    // Another thread uses what was not checked.
    (
        "static int *p, go; static void *f(void *u) { while (!__atomic_load_n(&go, 2)) ; *p = 1; return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); p = malloc(4);
         __atomic_store_n(&go, 1, 3); pthread_join(t, 0); }",
        &[],
        1,
        "violated",
    ),
    // What cleans up is looked at.
    (
        "int main(void) { int *p = malloc(4), *q = realloc(p, 8); if (!q) { free(p); free(p); } }",
        &[],
        1,
        "freed that has been freed already",
    ),
    // Who has recovered makes mistakes of its own.
    (
        "static int f[2]; int main(void) { int *p = malloc(8); if (!p) p = f; p[0] = 0;
         pthread_t t; pthread_create(&t, 0, left, 0); pthread_join(t, 0); if (p == f) abort(); }",
        &[],
        1,
        "violated",
    ),
    (
        "static int z; int main(void) { int *p = malloc(4); __atomic_store_n(&z, 1, 3); *p = 1; }",
        &[],
        1,
        "null pointer",
    ),
    ("int main(void) { int *p = malloc(4); if (!p) abort(); *p = 1; return *p; }", &[], 0, "holds"),
    ("static int *g; int main(void) { g = malloc(4); *g = 1; return *g; }", &[], 0, "holds"),
    // A field of what is not there is near null.
    (
        "struct p { int a, b; }; int main(void) { struct p *v = malloc(8); v->b = 1; return v->b; }",
        &[],
        0,
        "holds",
    ),
    // Nobody looks at what is only put away.
    (
        "static void *f(void *u) { x = 1; return 0; } int main(void) { pthread_t t;
         int e = pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (!x) abort(); }",
        &[],
        0,
        "holds",
    ),
    (
        "static pthread_mutex_t m; static int *v; static void *f(void *u) { pthread_mutex_lock(&m); v = realloc(v, 8);
         if (!v) abort(); v[0] = 1; pthread_mutex_unlock(&m); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); }",
        &[],
        0,
        "holds",
    ),
];

/// Memory and variables that were not written.
const UNWRITTEN: &[(&str, &[&str], i32, &str)] = &[
    ("int main(void) { int *p = malloc(4); if (*p) both(); }", &[], 3, "memory that nobody has written"),
    ("int main(void) { int v; if (v) both(); }", &[], 3, "memory that nobody has written"),
    ("int main(int c, char **a) { int v; if (c == 2) v = 0; if (v) both(); }", &[], 3, "nobody has written"),
    ("int main(void) { int v[2]; v[0] = 1; if (v[1]) both(); }", &[], 3, "nobody has written"),
    (
        "struct p { int a, b; }; int main(void) { struct p v, w; v.a = 1; w = v; if (w.b) both(); }",
        &[],
        3,
        "nobody has written",
    ),
    (
        "struct p { int a, b; }; int main(void) { struct p *v = malloc(8), w; v->a = 1; w = *v; if (w.b) both(); }",
        &[],
        3,
        "nobody has written",
    ),
    (
        "struct p { int a, b; }; int main(void) { struct p *v = malloc(8), w; w.a = 1; *v = w; if (v->b) both(); }",
        &[],
        3,
        "nobody has written",
    ),
    (
        "struct p { int a, b; }; int main(void) { struct p *v = malloc(8), w, u; v->a = 1; w = *v; u = w;
         if (u.b) both(); }",
        &[],
        3,
        "nobody has written",
    ),
    (
        "static int f(int v) { return v + 1; } int main(void) { int v; if (f(v)) both(); }",
        &[],
        3,
        "nobody has written",
    ),
    (
        "static int *p; static void *f(void *u) { if (*p) both(); return 0; }
         int main(void) { pthread_t t; p = malloc(4); pthread_create(&t, 0, f, 0); *p = 0; pthread_join(t, 0); }",
        &[],
        3,
        "nobody has written",
    ),
    (
        "int main(void) { int *p = malloc(4); if (p) { *p = 1; p = realloc(p, 8); if (p && p[1]) both(); } }",
        &[],
        3,
        "nobody has written",
    ),
    ("int main(void) { int *p = malloc(4); if (__atomic_fetch_add(p, 1, 0)) both(); }", &[], 3, "nobody has"),
    // What is written first, or not used.
    ("int main(void) { int *p = calloc(1, 4); if (p && *p) both(); }", &[], 0, "holds"),
    ("int main(void) { int *p = malloc(4); memset(p, 0, 4); if (*p) both(); }", &[], 0, "holds"),
    ("static int v; int main(void) { if (v) both(); }", &[], 0, "holds"),
    ("int main(void) { int v; for (v = 0; v < 3; v++) ; if (v != 3) both(); }", &[], 0, "holds"),
    (
        "int main(int c, char **a) { int v; if (c == 2) v = 1; if (c == 2 && v != 1) both(); }",
        &[],
        0,
        "holds",
    ),
    (
        "struct p { char a; int b; }; static int f(struct p v) { return v.b; }
         int main(void) { struct p v, *w = malloc(8); v.a = 1; v.b = 0; *w = v; if (f(v) || f(*w)) both(); }",
        &[],
        0,
        "holds",
    ),
    (
        "struct p { unsigned a : 3, b : 5; }; int main(void) { struct p v, *w = malloc(4); v.a = 1; v.b = 2;
         w->a = 1; w->b = 2; if (v.a != 1 || v.b != 2 || w->a != 1 || w->b != 2) both(); }",
        &[],
        0,
        "holds",
    ),
    (
        "int main(void) { for (int i = 0; i < 3; i++) { int v[2]; v[0] = i; v[1] = v[0]; if (v[1] != i) both(); } }",
        &[],
        0,
        "holds",
    ),
    (
        "int main(void) { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); pthread_mutex_lock(m);
         pthread_mutex_unlock(m); free(m); }",
        &[],
        0,
        "holds",
    ),
];

fn all_right(name: &str, command: &str, more: &[&str], table: &[(&str, &[&str], i32, &str)]) {
    let folder = folder(name);
    let wrong: Vec<String> = table
        .iter()
        .enumerate()
        .filter_map(|(number, (text, options, code, says))| {
            let options = [more, *options].concat();
            wrong(&folder, command, &format!("program{number}"), text, &options, *code, says)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_asked_for_may_be_refused() {
    all_right("refusals", "check", &["--criterion", "robustness"], REFUSALS);
}

#[test]
fn who_is_refused_memory_makes_mistakes_only_if_it_goes_on() {
    all_right("refusals-errors", "reach", &["--model", "sc"], ERRORS);
}

#[test]
fn nobody_relies_on_what_was_not_written() {
    all_right("unwritten", "check", &["--criterion", "robustness"], UNWRITTEN);
}
