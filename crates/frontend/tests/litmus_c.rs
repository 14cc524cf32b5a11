//! Litmus tests in C: what is read, what it means, and what is said about everything else.

use frontend::litmus::{Arch, architecture, with_exists};
use frontend::{Language, Settings, load};
use program::{FetchOp, Instruction, Observable, Program, Sources, TemplateId, Update, index::Idx};

fn read(text: &str) -> Result<Program, (String, Option<(usize, usize)>)> {
    let mut sources = Sources::new();
    let source = sources.add("test.litmus", text);
    load(&sources, source, Language::Litmus, &Settings::default()).map_err(|errors| {
        let first = &errors[0];
        let place = first.span.source.map(|source| sources.line_column(source, first.span.start));
        (first.message.clone(), place)
    })
}

/// A test with one thread, whose body is on the third line.
fn one_thread(body: &str) -> String {
    format!("C test\n{{ }}\nP0 (atomic_int* x, int* y, int** p) {{ {body} }}\n")
}

/// The accesses and fences of the first thread.
fn accesses(body: &str) -> Vec<String> {
    let program = read(&one_thread(body)).unwrap_or_else(|error| panic!("{body}: {error:?}"));
    let described = |instruction: &Instruction| -> Option<String> {
        match instruction {
            Instruction::Load { access, .. } => Some(format!("load {}", access.order)),
            Instruction::Store { access, .. } => Some(format!("store {}", access.order)),
            Instruction::Update { access, update, .. } => {
                let what = match update {
                    Update::Exchange(_) => "exchange".to_owned(),
                    Update::Fetch { op: FetchOp::Add, .. } => "add".to_owned(),
                    Update::Fetch { op, .. } => format!("{op:?}"),
                    Update::CompareAndSwap { .. } => "swap".to_owned(),
                    Update::BlockingReadWrite { .. } => "wait".to_owned(),
                };
                let failure = access.failure.map(|order| format!(", failing {order}"));
                Some(format!("{what} {}{}", access.order, failure.unwrap_or_default()))
            }
            Instruction::Fence(kind) => Some(format!("fence {kind:?}")),
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::StoreExclusive { .. }
            | Instruction::Lock
            | Instruction::Unlock => None,
        }
    };
    let template = program.template(TemplateId::new(0));
    template.edges().iter().filter_map(|edge| described(&edge.instruction)).collect()
}

#[test]
fn operations_are_accesses_of_their_orders() {
    let all: [(&str, &[&str]); 18] = [
        ("*y = 1;", &["store plain"]),
        ("int r = *y;", &["load plain"]),
        ("int r = *x; *x = r;", &["load seq_cst", "store seq_cst"]),
        ("*y += 2;", &["load plain", "store plain"]),
        ("int r = **p;", &["load plain", "load plain"]),
        ("int* q = *p; *q = 1;", &["load plain", "store plain"]),
        (
            "int r = atomic_load(x) + atomic_load_explicit(y, memory_order_relaxed);",
            &["load seq_cst", "load relaxed"],
        ),
        ("atomic_store_explicit(x, 1, memory_order_release);", &["store release"]),
        ("atomic_init(x, 1);", &["store plain"]),
        ("int r = atomic_exchange_explicit(x, 1, memory_order_acq_rel);", &["exchange acq_rel"]),
        ("atomic_fetch_add(x, 1);", &["add seq_cst"]),
        ("atomic_fetch_xor_explicit(x, 1, memory_order_relaxed);", &["Xor relaxed"]),
        ("atomic_thread_fence(memory_order_seq_cst);", &["fence Full"]),
        ("atomic_thread_fence(memory_order_relaxed);", &[]),
        ("int e = 0; int r = atomic_compare_exchange_strong(x, &e, 1);", &["swap seq_cst"]),
        (
            "int r = atomic_compare_exchange_weak_explicit(x, y, 1, memory_order_acquire, \
             memory_order_relaxed);",
            &["load plain", "swap acquire, failing relaxed", "store plain"],
        ),
        (
            "int e = 0; int r = atomic_compare_exchange_strong_explicit(x, &e, 1, \
             memory_order_release, memory_order_acquire);",
            &["swap release, failing acquire"],
        ),
        (
            "int e = 0; int r = atomic_compare_exchange_strong_explicit(x, &e, 1, \
             memory_order_acq_rel, memory_order_acquire);",
            &["swap acq_rel"],
        ),
    ];
    for (body, expected) in all {
        assert_eq!(accesses(body), expected, "{body}");
    }
}

#[test]
fn statements_of_c_are_read() {
    let bodies = [
        "",
        ";",
        "int r; r = 1 + 2 * 3; r++; r -= 1;",
        "int r = 1, s = r << 2; int* q = y; *q = s;",
        "if (*y == 1) *y = 2; else { *y = 3; ; }",
        "int r = *y; if (r && atomic_load(x) || !r) { *y = r ? 1 : 2; }",
        "while (atomic_load(x) == 0) { } do { *y = 1; } while (*y != 1);",
        "for (int i = 0; i < 3; i++) *y = i; for (;;) { }",
        "int i; for (i = 4; i; i -= 2) { atomic_store(x, i); } for (; *y;) ;",
        "lock(x); *y = 1; unlock(x); spin_lock(x); spin_unlock(x);",
        "/* a comment */ int r = (int) *y; // and another\n",
        "int r = *y; *(y + (r ^ r)) = 1;",
        "unsigned int r = 0x10u; long s = -r; const int t = ~r % 3;",
    ];
    for body in bodies {
        if let Err(error) = read(&one_thread(body)) {
            panic!("{body}: {error:?}");
        }
    }
}

#[test]
fn what_is_not_understood_is_refused_where_it_stands() {
    // The body begins at column 39 of the third line.
    let at = |column: usize| Some((3, 38 + column));
    let all = [
        ("int r = z;", "the thread has no variable `z`", at(9)),
        ("r = 1;", "the thread has no variable `r`", at(1)),
        ("int r = 1; int r = 2;", "this name is taken", at(16)),
        ("*r = 1;", "this is no pointer", at(2)),
        ("y + 1 = 2;", "nothing can be assigned to this", at(1)),
        ("int r = *(y + 1);", "arithmetic on pointers", at(10)),
        ("for (;;) { break; }", "`break` is not understood", at(12)),
        ("spin_trylock(x);", "the function `spin_trylock` is not understood", at(1)),
        ("for (int i = 0; i < 2) { }", "expected `;`", at(22)),
        ("lock(1);", "this is no pointer", at(6)),
        ("atomic_thread_fence(relaxed);", "expected an order", at(21)),
        ("atomic_load_explicit(x, memory_order_release);", "cannot have this order", at(25)),
        ("atomic_store_explicit(x, 1, memory_order_acquire);", "cannot have this order", at(29)),
        ("int r = atomic_load(x)", "expected", at(24)),
        ("int r = 99999999999999999999;", "this is no number", at(9)),
        ("int r = 1 @ 2;", "no C that tests are written in", at(11)),
        ("float f;", "expected", at(7)),
        ("int r = *y ? *y : 1;", "only one of these is evaluated", at(9)),
    ];
    for (body, message, place) in all {
        let (said, there) = read(&one_thread(body)).expect_err(body);
        assert!(said.contains(message), "{body}: {said}");
        assert_eq!(there, place, "{body}: {said}");
    }
    let whole = [
        ("C t\n{ }\n", "expected a thread", Some((3, 1))),
        ("C t\n{ }\nP0 (int* x) { *x = 1;\n", "never closed", Some((3, 13))),
        ("C t\n{ }\nP0 (int x) { }\n", "a parameter is a pointer", Some((3, 5))),
        ("C t\n{ }\nP0 (int* x) { }\nP0 (int* x) { }\n", "two threads 0", Some((4, 1))),
        ("C t\n{ }\nP0 (int* x) { }\nexists (0:r=1)", "no variable `r`", Some((4, 11))),
        ("C t\n{ }\nP0 (int* x) { }\nexists (y=1)", "no location `y`", Some((4, 9))),
        (
            "C t\n{ int x; }\nP0 (long* x) { *x = 1; }\n",
            "8 bytes of `x`, which has 4",
            Some((3, 16)),
        ),
    ];
    for (text, message, place) in whole {
        let (said, there) = read(text).expect_err(text);
        assert!(said.contains(message), "{text}: {said}");
        assert_eq!(there, place, "{text}: {said}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*") {
        let _ = read(&one_thread(&text));
        let _ = read(&format!("C t\n{{ {text}"));
        let _ = read(&format!("C t\n{{ }}\nP0 ({text}"));
    }

    #[test]
    fn no_soup_of_words_makes_the_reader_panic(
        words in proptest::collection::vec(
            proptest::sample::select(vec![
                "int", "r", "s", "x", "y", "p", "*", "&", "=", ";", "(", ")", "{", "}", "if", "else",
                "while", "do", "1", "==", "+", "&&", "?", ":", ",", "atomic_load", "atomic_store_explicit",
                "atomic_compare_exchange_strong", "memory_order_relaxed", "atomic_thread_fence", "++",
            ]),
            0..25,
        ),
    ) {
        let _ = read(&one_thread(&words.join(" ")));
    }
}

#[test]
fn a_test_can_ask_for_another_state() {
    let text = "C t\n{ x=1; }\nP0 (int* x) { int r = *x; }\nexists (0:r=0)\n";
    assert_eq!(architecture(text), Some(Arch::C));
    let mut sources = Sources::new();
    let source = sources.add("t.litmus", text);
    let program =
        load(&sources, source, Language::Litmus, &Settings::default()).expect("a program");
    let template = TemplateId::new(0);
    let (register, _) = program
        .template(template)
        .registers()
        .enumerate()
        .find(|(_, register)| register.name == "r")
        .expect("a variable");
    let seen = (Observable::Register { template, copy: 0, register }, 1);
    let other = with_exists(&sources, source, &program, &[seen]).expect("a test");
    assert_eq!(other, text.replace("0:r=0", "0:r=1"));
}
