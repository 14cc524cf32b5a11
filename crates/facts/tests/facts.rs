//! Small programs and what is found out about them: targets of pointers, callees, threads, sharing.

mod tools;

use events::{AccessKind, Action, DependencyKind, Graph, Instances, LocationSet};
use facts::{Options, Thread, ThreadArgument, ThreadEntry};
use program::Sources;

use crate::tools::{Named, Workshop, with_facts};

/// A program in C, and what variables may hold: the variable, the offset, the names of objects.
type Held = (&'static str, &'static str, &'static [(&'static str, u32, &'static [&'static str])]);

const HELD: &[Held] = &[
    (
        "fields",
        "struct s { int *a; int *b; } s; int x, y; int main(void) { s.a = &x; s.b = &y; }",
        &[("s", 0, &["x"]), ("s", 8, &["y"])],
    ),
    (
        "through a function",
        "int *p, *q; int x, y; static int *same(int *a) { return a; }
             int main(void) { p = same(&x); q = same(&y); }",
        &[("p", 0, &["x"]), ("q", 0, &["y"])],
    ),
    (
        "arrays",
        "int *a[4]; int *p; int x, y; int main(int n, char **v) { a[1] = &x; a[2] = &y; p = a[n]; }",
        &[("a", 8, &["x"]), ("a", 16, &["y"]), ("a", 0, &[]), ("p", 0, &["x", "y"])],
    ),
    (
        "an index beside other fields",
        "struct s { int *first; int *many[4]; } s; int *p; int x, y;
             int main(int n, char **v) { s.first = &x; s.many[n] = &y; p = s.many[n]; }",
        &[("s", 0, &["x"]), ("p", 0, &["y"])],
    ),
    (
        "copies of memory",
        "struct s { long n; int *p; } a, b; int x; int main(void) { a.p = &x; b = a; }",
        &[("b", 8, &["x"]), ("b", 0, &[])],
    ),
    (
        "copies byte by byte",
        "int *p, *q; int x; int main(void) { p = &x; char *a = (char *)&p, *b = (char *)&q;
             for (int i = 0; i < 8; i++) b[i] = a[i]; }",
        &[("q", 0, &["x"])],
    ),
    (
        "numbers that are addresses",
        "int *p; long n; int x[4]; int main(void) { n = (long)&x | 1; p = (int *)(n & ~1L); }",
        &[("p", 0, &["x"])],
    ),
    (
        "the structure around a member",
        "struct s { int a; int b; } s; int *p; struct s *q;
             int main(void) { p = &s.b; q = (struct s *)((char *)p - 4); }",
        &[("p", 0, &["s+4"]), ("q", 0, &["s"])],
    ),
    (
        "allocators in disguise",
        "#include <stdlib.h>
             int *p, *q; static void *get(int n) { return malloc(n); }
             int main(void) { p = get(4); q = get(8); }",
        &[("p", 0, &["heap get:2"]), ("q", 0, &["heap get:2"])],
    ),
    (
        "initial values",
        "int x; struct s { long n; int *p; } s = { 1, &x }; struct s *all[] = { &s };
             int *p; int main(void) { p = all[0]->p; }",
        &[("p", 0, &["x"]), ("all", 0, &["s"])],
    ),
    (
        "unnamed arguments",
        "#include <stdarg.h>
             int x; int *p; static void put(int n, ...) { va_list l; va_start(l, n);
             p = va_arg(l, int *); va_end(l); } int main(void) { put(1, &x); }",
        &[("p", 0, &["put.arguments[*]", "x"])],
    ),
    (
        "what unknown code was given",
        "void keep(int **); int *back(void); static int x; static int *p; static int *kept;
             int main(void) { kept = &x; keep(&kept); p = back(); }",
        // Which stands for all that got out: `kept` and `x`.
        &[("p", 0, &["outside[*]"])],
    ),
    (
        "what unknown code can name",
        "void elsewhere(void); int x; int *p; static int *own;
             int main(void) { p = own = &x; elsewhere(); }",
        &[("p", 0, &["outside"]), ("own", 0, &["x"])],
    ),
    (
        "what known code could name",
        "#include <unistd.h>
             int x; int *p; int main(void) { p = &x; getpid(); }",
        &[("p", 0, &["x"])],
    ),
    (
        "steps through an array",
        "int a[100]; int *p; int main(void) { int *q = a; while (*q) q++; p = q; }",
        &[("p", 0, &["a[*]"])],
    ),
];

#[test]
fn variables_hold_what_is_stored_in_them() {
    let workshop = Workshop::new("held");
    for (name, text, expected) in HELD {
        let module = workshop.c(&format!("{}.c", name.replace(' ', "_")), text);
        with_facts(&[module], &Options::default(), |facts| {
            for (variable, at, held) in *expected {
                let mut found = facts.held_by(variable, *at);
                if *name == "steps through an array" {
                    found.retain(|one| one != "a");
                }
                assert_eq!(found, *held, "{name}: {variable}+{at}");
            }
        });
    }
}

#[test]
fn function_pointers_are_resolved() {
    let text = "#include <stdlib.h>
        typedef int (*op)(int);
        static int twice(int a) { return 2 * a; }
        static int once(int a) { return a; }
        static int never(int a) { return 0; }
        static int less(const void *a, const void *b) { return 0; }
        static op table[] = { twice, once };
        op unused = never;
        int data[4];
        int run(int i) { return table[i](i); }
        int main(int n, char **v) { qsort(data, 4, 4, less); return run(n) + mystery(); }";
    let workshop = Workshop::new("callees");
    let module = workshop.c("callees.c", text);
    with_facts(&[module], &Options::default(), |facts| {
        assert_eq!(facts.callees("run"), ["once", "twice"]);
        assert_eq!(facts.callees("main"), ["less", "mystery (unknown)", "qsort", "run"]);
        assert_eq!(facts.unknown(), ["mystery"]);
    });
}

fn thread(function: &str, instances: Instances, beside: &[&str]) -> Thread {
    let beside = beside.iter().map(|one| (*one).to_owned()).collect();
    Thread { function: function.to_owned(), instances, beside }
}

fn entry(function: &str, given: &[&str], instances: Instances) -> ThreadEntry {
    let arguments = given.iter().map(|one| match one.strip_prefix('&') {
        Some(name) => ThreadArgument::AddressOf(name.to_owned()),
        None => ThreadArgument::Number,
    });
    ThreadEntry { function: function.to_owned(), arguments: arguments.collect(), instances }
}

#[test]
fn threads_are_counted_and_may_overlap() {
    let (one, many) = (Instances::Exactly(1), Instances::Many);
    let start = "#include <pthread.h>
        int x; static void *f(void *a) { x++; return 0; } static void *g(void *a) { x++; return 0; }
        pthread_t s, t; ";
    let table: &[(&str, &str, Vec<Thread>)] = &[
        (
            "side by side",
            "int main(void) { pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0);
             pthread_join(s, 0); pthread_join(t, 0); }",
            vec![
                thread("main", one, &["f", "g"]),
                thread("f", one, &["main", "g"]),
                thread("g", one, &["main", "f"]),
            ],
        ),
        (
            "one after the other",
            "int main(void) { pthread_create(&s, 0, f, 0); pthread_join(s, 0);
             pthread_create(&t, 0, g, 0); pthread_join(t, 0); }",
            vec![
                thread("main", one, &["f", "g"]),
                thread("f", one, &["main"]),
                thread("g", one, &["main"]),
            ],
        ),
        (
            "in a loop",
            "int main(void) { for (int i = 0; i < 3; i++) pthread_create(&s, 0, f, 0); }",
            vec![thread("main", one, &["f"]), thread("f", many, &["main", "f"])],
        ),
        (
            "by a function that is called twice",
            "void start(void) { pthread_create(&s, 0, f, 0); }
             int main(int n, char **v) { if (n) start(); start(); }",
            // Each call has an instance of its own, and so each creates one thread.
            vec![
                thread("main", one, &["f", "f"]),
                thread("f", one, &["main", "f"]),
                thread("f", one, &["main", "f"]),
            ],
        ),
        (
            "by recursion",
            "void start(int n) { pthread_create(&s, 0, f, 0); if (n) start(n - 1); }
             int main(int n, char **v) { start(n); }",
            vec![thread("main", one, &["f"]), thread("f", many, &["main", "f"])],
        ),
        (
            "by a constructor",
            "__attribute__((constructor)) static void early(void) { pthread_create(&s, 0, f, 0); }
             int main(void) { x++; }",
            vec![
                thread("main", one, &["early", "f"]),
                thread("early", one, &["main", "f"]),
                thread("f", one, &["main", "early"]),
            ],
        ),
        (
            "by a thread",
            "static void *h(void *a) { pthread_create(&t, 0, g, 0); return 0; }
             int main(void) { pthread_create(&s, 0, h, 0); pthread_join(s, 0);
             pthread_create(&s, 0, f, 0); }",
            vec![
                thread("main", one, &["h", "g", "f"]),
                thread("h", one, &["main", "g", "f"]),
                thread("g", one, &["main", "h", "f"]),
                thread("f", one, &["main", "h", "g"]),
            ],
        ),
    ];
    let workshop = Workshop::new("threads");
    for (name, text, expected) in table {
        let file = format!("{}.c", name.replace(' ', "_"));
        let module = workshop.c(&file, &format!("{start}{text}"));
        with_facts(&[module], &Options::default(), |facts| {
            let sorted = |threads: Vec<Thread>| {
                let mut threads = threads;
                for one in &mut threads {
                    one.beside.sort_unstable();
                }
                threads.sort_unstable_by(|one, other| one.function.cmp(&other.function));
                threads
            };
            assert_eq!(sorted(facts.threads()), sorted(expected.clone()), "{name}");
        });
    }
}

#[test]
fn what_is_shared_is_what_two_threads_reach_and_one_writes() {
    let text = "#include <pthread.h>
        #include <stdlib.h>
        int shared, only_read = 3, before, after, own;
        static __thread int local_to_threads;
        struct node { struct node *next; int value; } *head;
        static void *f(void *a) {
            int *given = a; int mine = 0; int *pointer = &mine;
            *pointer = only_read; *given = 1; shared++; local_to_threads++; own++;
            struct node *n = malloc(sizeof *n), *secret = malloc(sizeof *secret);
            n->value = 1; secret->value = 2; n->next = 0; head = n;
            after = *given + mine + secret->value; return 0;
        }
        int main(void) {
            pthread_t t; int lent = 0, kept = 0; before = 1;
            pthread_create(&t, 0, f, &lent);
            lent = 2; kept = 3; shared++; local_to_threads++;
            int seen = only_read + (head ? head->value : 0);
            pthread_join(t, 0);
            return after + lent + kept + before + seen;
        }";
    let workshop = Workshop::new("shared");
    let module = workshop.c("shared.c", text);
    with_facts(&[module], &Options::default(), |facts| {
        assert_eq!(facts.shared(), ["head", "heap f:9+8", "main.lent", "shared"]);
        let reachable = facts.reachable();
        assert!(!reachable.contains(&"heap f:9+8".to_owned()) || reachable.len() < 20);
        assert!(!reachable.contains(&"f.mine".to_owned()), "{reachable:?}");
    });
}

#[test]
fn libraries_are_called_by_anybody() {
    let text = "static int hidden; int x; static void inner(void) { hidden++; }
        void put(int *p) { *p = 1; x = 2; inner(); } int get(void) { return x; }";
    let workshop = Workshop::new("library");
    let module = workshop.c("library.c", text);
    with_facts(std::slice::from_ref(&module), &Options::default(), |facts| {
        let all = ["put", "get"];
        let expected = all.map(|name| thread(name, Instances::Many, &all));
        assert_eq!(facts.threads(), expected);
        let shared = facts.shared();
        assert!(shared.contains(&"hidden".to_owned()), "{shared:?}");
        assert!(shared.contains(&"outside[*]".to_owned()), "{shared:?}");
    });
    let threads =
        vec![entry("put", &[], Instances::Exactly(1)), entry("get", &[], Instances::Many)];
    let options = Options { threads, ..Options::default() };
    with_facts(&[module], &options, |facts| {
        let threads = facts.threads();
        assert_eq!(threads[0], thread("put", Instances::Exactly(1), &["get"]));
        // Only one thread increments it.
        assert!(!facts.shared().contains(&"hidden".to_owned()));
    });
}

#[test]
fn threads_are_given_what_is_said_and_otherwise_anything() {
    let text = "struct q { int x, y; }; static struct q own; struct q known;
        void put(struct q *p) { p->x = 1; } int get(void) { return own.x + known.x; }";
    let workshop = Workshop::new("given");
    let module = workshop.c("given.c", text);
    let one = Instances::Exactly(1);
    let shared = |given: &[&str]| {
        let threads = vec![entry("put", given, one), entry("get", &[], one)];
        let mut found = Vec::new();
        let options = Options { threads, ..Options::default() };
        with_facts(std::slice::from_ref(&module), &options, |facts| found = facts.shared());
        found
    };
    assert_eq!(shared(&["&own"]), ["own"]);
    assert_eq!(shared(&["&known"]), ["known"]);
    assert!(shared(&["0"]).is_empty());
    // From outside comes what others can name.
    let anything = shared(&[]);
    assert!(anything.iter().any(|name| name.starts_with("known")), "{anything:?}");
    assert!(!anything.iter().any(|name| name.starts_with("own")), "{anything:?}");
}

fn line(sources: &Sources, node: &events::Node) -> usize {
    let source = node.span.source;
    source.map_or(0, |source| sources.line_column(source, node.span.start).0)
}

/// The events at each line, in words.
fn events_by_line((graph, sources): &(Graph, Sources)) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for node in graph.functions.iter().flat_map(|function| &function.nodes) {
        let line = line(sources, node);
        let mut text = match &node.action {
            Action::Skip | Action::Call(_) => continue,
            Action::Fence(fence) => format!("fence {fence:?}"),
            Action::Access(access) => {
                let names = match &access.locations {
                    LocationSet::Any => "anything".to_owned(),
                    LocationSet::Before(_) => "anything outside".to_owned(),
                    LocationSet::Some(all) => {
                        let name = |one: &events::MemoryId| graph.locations[*one].name.clone();
                        all.iter().map(name).collect::<Vec<_>>().join("|")
                    }
                };
                let must = if access.must { "" } else { "?" };
                let kind = match access.kind {
                    AccessKind::Read | AccessKind::ReadExclusive => "Read",
                    AccessKind::Write | AccessKind::WriteExclusive => "Write",
                    AccessKind::Update { .. } => "Update",
                };
                format!("{kind} {:?} {names}{must}", access.order)
            }
        };
        for lock in &node.held {
            text.push_str(" holding ");
            text.push_str(&graph.locations[*lock].name);
        }
        if node.alone {
            text.push_str(" alone");
        }
        found.push((line, text));
    }
    found.sort();
    found
}

fn graph_of(name: &str, text: &str) -> (Graph, Sources) {
    let workshop = Workshop::new(name);
    let file = format!("{name}.c");
    let module = workshop.c(&file, text);
    let mut sources = Sources::new();
    let texts = &mut Named(&file, text);
    let graph = facts::events_of(&[module], &Options::default(), texts, &mut sources)
        .unwrap_or_else(|errors| panic!("{}", errors[0].message));
    (graph, sources)
}

#[test]
fn events_have_kinds_orders_locks_and_fences() {
    let text = "#include <pthread.h>
#include <stdatomic.h>
atomic_int flag; int data; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int count;
static void *f(void *a) {
data = 1;
atomic_store_explicit(&flag, 1, memory_order_release);
atomic_thread_fence(memory_order_seq_cst);
__asm__ volatile(\"mfence\" ::: \"memory\");
pthread_mutex_lock(&m);
count++;
pthread_mutex_unlock(&m);
atomic_fetch_add(&flag, 1);
return 0; }
int main(void) { pthread_t t;
data = 5;
pthread_create(&t, 0, f, 0);
if (atomic_load_explicit(&flag, memory_order_acquire))
count = data;
pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
return 0; }
";
    let found = events_by_line(&graph_of("orders", text));
    let expected = [
        (5, "Write Plain data"),
        (6, "Write Release flag"),
        (7, "fence Full"),
        (8, "fence Full"),
        (9, "Update Acquire m"),
        (10, "Read Plain count holding m"),
        (10, "Write Plain count holding m"),
        (11, "Update Release m"),
        (12, "Update SeqCst flag"),
        (15, "Write Plain data alone"),
        (17, "Read Acquire flag"),
        (18, "Read Plain data"),
        (18, "Write Plain count"),
    ];
    for (line, event) in expected {
        assert!(found.contains(&(line, event.to_owned())), "{line} {event}: {found:?}");
    }
}

#[test]
fn dependencies_are_those_that_machine_code_has() {
    let text = "#include <pthread.h>
int x, y, z, w, v; int *p = &x; int a[8];
static void *f(void *g) { x = 1; y = 1; z = 1; w = 1; v = 1; p = &y; a[1] = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);
int r = *p;
int s = x; y = s + 1;
int u = y; z = u ^ u;
int i = z; int e = a[i & 7];
if (w) v = 1;
if (x) { a[2] = 1; } else { a[3] = 1; }
return 0; }
";
    let (graph, sources) = graph_of("dependencies", text);
    let mut found = Vec::new();
    for function in &graph.functions {
        for node in &function.nodes {
            for dependency in &node.depends_on {
                let from = &function.nodes[dependency.on];
                found.push((line(&sources, from), line(&sources, node), dependency.kind));
            }
        }
    }
    found.sort_unstable();
    let expected = [
        (5, 5, DependencyKind::Address),
        (6, 6, DependencyKind::Data),
        (8, 8, DependencyKind::Address),
        (9, 9, DependencyKind::Control),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_place_follows_the_last_event_of_its_statement() {
    let text = "#include <pthread.h>
int x, y;
static void *f(void *g) { x = 1; y = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);
x = y;
while (x) ;
return y; }
";
    let (graph, sources) = graph_of("places", text);
    let main = graph.functions.iter().find(|one| one.name == "main").expect("it is there");
    let places: Vec<(usize, bool)> = main
        .nodes
        .iter()
        .filter(|node| matches!(node.action, Action::Access(_)))
        .map(|node| (line(&sources, node), node.place.is_some()))
        .collect();
    assert_eq!(places, [(5, false), (5, true), (6, true), (7, true)]);
}

/// Small functions are told apart by their calls; how small does not depend on fences, or a program with fences
/// would be another.
#[test]
fn a_fence_does_not_change_what_is_accessed() {
    let accesses = |more: usize, fence: &str| {
        let filler = "k += 1; ".repeat(more);
        let text = format!(
            "#include <pthread.h>
#include <stdatomic.h>
int x, y;
static void put(int *p) {{ int k = 0; {filler}{fence} *p = k; }}
static void *f(void *g) {{ put(&x); return 0; }}
int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); put(&y); return x + y; }}
"
        );
        let (graph, _) = graph_of("small", &text);
        let nodes = graph.functions.iter().flat_map(|function| &function.nodes);
        let mut found: Vec<String> = nodes
            .filter_map(|node| match &node.action {
                Action::Access(access) => Some(format!("{:?} {:?}", access.kind, access.locations)),
                Action::Skip | Action::Call(_) | Action::Fence(_) => None,
            })
            .collect();
        found.sort();
        found
    };
    let mut sizes = std::collections::BTreeSet::new();
    for more in 8..13 {
        let plain = accesses(more, "");
        assert_eq!(plain, accesses(more, "atomic_thread_fence(memory_order_seq_cst);"), "{more}");
        sizes.insert(plain);
    }
    assert!(sizes.len() > 1, "none of these is too large to be told apart by its calls");
}

#[test]
fn what_is_not_understood_is_an_error() {
    let workshop = Workshop::new("errors");
    let module = workshop.c("empty.c", "static int x;");
    let mut sources = Sources::new();
    let texts = &mut Named("", "");
    let found = facts::events_of(&[module], &Options::default(), texts, &mut sources);
    let errors = found.expect_err("nobody can call anything");
    assert!(errors[0].message.contains("no `main`"), "{}", errors[0].message);
}

#[test]
fn rust_threads_and_atomics_are_seen_where_they_are_written() {
    let text = "use std::sync::atomic::{fence, AtomicUsize, Ordering};
use std::sync::Arc;
static X: AtomicUsize = AtomicUsize::new(0);
fn main() {
let shared = Arc::new(AtomicUsize::new(0)); let other = shared.clone();
let thread = std::thread::spawn(move || {
X.store(1, Ordering::Release);
fence(Ordering::SeqCst);
other.fetch_add(1, Ordering::AcqRel);
});
let seen = X.load(Ordering::Acquire);
shared.store(seen, Ordering::Relaxed);
thread.join().unwrap();
}
";
    let workshop = Workshop::new("rust");
    let module = workshop.rust("threads.rs", text, "bin");
    with_facts(&[module], &Options::default(), |facts| {
        let threads = facts.threads();
        assert_eq!(threads.len(), 2, "{threads:?}");
        assert_eq!(threads[1].instances, Instances::Exactly(1));
        assert!(threads[1].function.contains("main::{closure#0}"), "{threads:?}");
        let mut sources = Sources::new();
        let graph = facts.events(&mut Named("threads.rs", text), &mut sources);
        let found = events_by_line(&(graph, sources));
        let is_there = |line: usize, start: &str| {
            found.iter().any(|(at, event)| *at == line && event.starts_with(start))
        };
        assert!(is_there(7, "Write Release X"), "{found:?}");
        assert!(is_there(8, "fence Full"), "{found:?}");
        assert!(is_there(9, "Update AcquireRelease heap"), "{found:?}");
        assert!(is_there(11, "Read Acquire X"), "{found:?}");
        assert!(is_there(12, "Write Relaxed heap"), "{found:?}");
    });
}

#[test]
fn assembly_touches_what_it_names_and_what_it_is_given() {
    // A variable that is named, one behind an operand, and one that only the program itself knows.
    let text = "#include <pthread.h>
int named, own, target; int *held = &target;
static void *f(void *a) {
__asm__ volatile(\"incl named(%%rip)\" ::: \"memory\");
__asm__ volatile(\"# %0\\n nop; movl $1, (%%rax)\" :: \"r\"(&held) : \"memory\");
return 0; }
int main(void) { pthread_t t;
pthread_create(&t, 0, f, 0);
named = 1;
target = 1;
own = 1;
return 0; }
";
    let found = events_by_line(&graph_of("assembly", text));
    let lines = |at: usize| found.iter().filter(|(line, _)| *line == at).count();
    assert!(lines(4) >= 2 && lines(5) >= 2, "{found:?}");
    assert!(lines(9) == 1 && lines(10) == 1 && lines(11) == 0, "{found:?}");
}
