//! Tables: a text with `$` before a location, and the text with a fence after its place, or the
//! reason why there is none.

use patch::{Change, Edition, FenceOrder, FenceText, Language, Refusal, Syntax, edit};

const RUST: Language = Language::Rust(Edition::UpTo2021);
const RUST_2024: Language = Language::Rust(Edition::From2024);

/// Takes the mark out of a text.
fn marked(text: &str) -> (String, usize) {
    let at = text.find('$').expect("a mark");
    (text.replacen('$', "", 1), at)
}

/// Puts a fence after the place at the mark. In the result, `F` stands for the fence.
fn fenced(marked_text: &str, language: Language) -> Result<String, Refusal> {
    let (text, offset) = marked(marked_text);
    let place = Syntax::parse(&text, language).place_at(offset)?;
    assert!(place.range.contains(&offset), "{text:?}: {place:?} at {offset}");
    let change = [Change::FenceAfter(place.point, FenceText::MFENCE)];
    let patched = edit(&text, language, &change).expect("a place");
    Ok(patched
        .replace("__asm__ __volatile__(\"mfence\" ::: \"memory\");", "F;")
        .replace("unsafe { core::arch::asm!(\"mfence\", options(nostack, preserves_flags)) }", "F"))
}

/// Checks a table whose texts are statements of a function, given its two ends.
fn check(language: Language, around: [&str; 2], table: &[(&str, Result<&str, Refusal>)]) {
    let whole = |text: &str| format!("{}{text}{}", around[0], around[1]);
    for (before, expected) in table {
        let after = fenced(&whole(before), language);
        assert_eq!(after, expected.map(whole), "{before}");
    }
}

const C: [&str; 2] = ["int f(void)\n{\n", "\n}\n"];

#[test]
fn statements_of_c() {
    check(
        Language::C,
        C,
        &[
            ("    x $= 1;", Ok("    x = 1;\n    F;")),
            ("\tx $= 1;\n\ty = 2;", Ok("\tx = 1;\n\tF;\n\ty = 2;")),
            ("  x $= 1;  \n  y = 2;", Ok("  x = 1;\n  F;  \n  y = 2;")),
            ("  x $= 1;\r\n  y = 2;", Ok("  x = 1;\r\n  F;\r\n  y = 2;")),
            ("  x $= 1; // store", Ok("  x = 1; F; // store")),
            ("  x = 1; y $= 2;", Ok("  x = 1; y = 2; F;")),
            ("  x $= 1; y = 2;", Ok("  x = 1; F; y = 2;")),
            ("  x =\n      $y;", Ok("  x =\n      y;\n  F;")),
            ("  int r = $atomic_load(&x), s = 2;", Ok("  int r = atomic_load(&x), s = 2;\n  F;")),
            ("  _Atomic(int) $r = x;", Ok("  _Atomic(int) r = x;\n  F;")),
            ("  int a[$n];", Ok("  int a[n];\n  F;")),
            ("again: $x = 1;", Ok("again: x = 1; F;")),
            (
                "  switch (x) { case 1: $y = 1; break; }",
                Ok("  switch (x) { case 1: y = 1; F; break; }"),
            ),
            (
                "  switch (x) {\n  case 1:\n    $y = 1;\n  }",
                Ok("  switch (x) {\n  case 1:\n    y = 1;\n    F;\n  }"),
            ),
            ("  a && ($b = c) ? d : e, g;", Ok("  a && (b = c) ? d : e, g;\n  F;")),
            (
                "  asm volatile(\"$xchg %0, %1\" : \"+r\"(a), \"+m\"(x));",
                Ok("  asm volatile(\"xchg %0, %1\" : \"+r\"(a), \"+m\"(x));\n  F;"),
            ),
            ("  USE($x);", Ok("  USE(x);\n  F;")),
            ("  USE(x, { $y = 1; });", Ok("  USE(x, { y = 1; });\n  F;")),
            ("  x = va_arg($list, struct s *);", Ok("  x = va_arg(list, struct s *);\n  F;")),
            (
                "#if A\n  $x = 1;\n#else\n  x = 2;\n#endif",
                Ok("#if A\n  x = 1;\n  F;\n#else\n  x = 2;\n#endif"),
            ),
            (
                "#if A\n  x = 1;\n#else\n  x $= 2;\n#endif",
                Ok("#if A\n  x = 1;\n#else\n  x = 2;\n  F;\n#endif"),
            ),
            ("  x = ({ $y = 1; z; });", Ok("  x = ({ y = 1; F; z; });")),
            ("  x = ({ y = 1; $z; });", Ok("  x = ({ y = 1; z; });\n  F;")),
        ],
    );
}

#[test]
fn branches_and_loops_of_c() {
    let condition = |at: &str| format!("({{ _Bool fenced = !!({at}); F; fenced; }})");
    let (a, ab) = (condition("a"), condition("a && b"));
    check(
        Language::C,
        C,
        &[
            ("  if ($a) b;", Ok(&format!("  if ({a}) b;"))),
            ("  if (a && $b) b;", Ok(&format!("  if ({ab}) b;"))),
            ("  while ($a) b;", Ok(&format!("  while ({a}) b;"))),
            ("  do b; while ($a);", Ok(&format!("  do b; while ({a});"))),
            ("  for (;$a;) b;", Ok(&format!("  for (;{a};) b;"))),
            ("  if (x) $a = 1;", Ok("  if (x) { a = 1; F; }")),
            (
                "  if (x)\n    $a = 1;\n  else\n    b;",
                Ok("  if (x)\n    { a = 1; F; }\n  else\n    b;"),
            ),
            ("  if (x) a; else $b = 1;", Ok("  if (x) a; else { b = 1; F; }")),
            ("  if (x) a; else if (y) $b = 1;", Ok("  if (x) a; else if (y) { b = 1; F; }")),
            ("  if (x) if (y) $a; else b;", Ok("  if (x) if (y) { a; F; } else b;")),
            ("  if (x) here: $a = 1;", Ok("  if (x) here: { a = 1; F; }")),
            ("  while (x) $a = 1;", Ok("  while (x) { a = 1; F; }")),
            ("  do $a = 1; while (x);", Ok("  do { a = 1; F; } while (x);")),
            ("  for (;;) $a = 1;", Ok("  for (;;) { a = 1; F; }")),
            (
                "  switch ($x) { case 1: a; }",
                Ok("  switch (({ __auto_type fenced = +(x); F; fenced; })) { case 1: a; }"),
            ),
            ("  for ($i = x; i; i++) a;", Ok("  for (i = x, ({ F; }); i; i++) a;")),
            ("  for (i = 0; i; $i++, j++) a;", Ok("  for (i = 0; i; i++, j++, ({ F; })) a;")),
            ("  for (int i = $x; i; i++) a;", Ok("  { int i = x; F; for (; i; i++) a; }")),
            (
                "  for (int i = $x, *p = q;;) { a; }",
                Ok("  { int i = x, *p = q; F; for (;;) { a; } }"),
            ),
            ("  if (fenced) $fenced_ = 1;", Ok("  if (fenced) { fenced_ = 1; F; }")),
            ("  if ($fenced) a;", Ok("  if (({ _Bool fenced_ = !!(fenced); F; fenced_; })) a;")),
        ],
    );
}

#[test]
fn returns_of_c() {
    check(
        Language::C,
        ["", ""],
        &[
            (
                "int f(void) { return $x; }",
                Ok("int f(void) { return ({ int fenced = (x); F; fenced; }); }"),
            ),
            (
                "int f(void) { $return x; }",
                Ok("int f(void) { return ({ int fenced = (x); F; fenced; }); }"),
            ),
            (
                "static inline const struct s *f(int a) { if (a) return a ? $x : y; }",
                Ok(
                    "static inline const struct s *f(int a) { if (a) return ({ const struct s *fenced = (a ? x : y); F; fenced; }); }",
                ),
            ),
            (
                "unsigned long f(void) { return $x; }",
                Ok(
                    "unsigned long f(void) { return ({ unsigned long fenced = (x); F; fenced; }); }",
                ),
            ),
            (
                "void (*f(void))(int) { return $x; }",
                Ok("void (*f(void))(int) { return ({ __auto_type fenced = (x); F; fenced; }); }"),
            ),
            (
                "void f(void) { if (a) return $g(); else h(); }",
                Ok("void f(void) { if (a) { g(); F; return; } else h(); }"),
            ),
            (
                "void *f(void) { return $g(); }",
                Ok("void *f(void) { return ({ void *fenced = (g()); F; fenced; }); }"),
            ),
            (
                "static INLINE uint32_t f(void) { return $x; }",
                Ok(
                    "static INLINE uint32_t f(void) { return ({ uint32_t fenced = (x); F; fenced; }); }",
                ),
            ),
            (
                "INLINE void f(void) { return $g(); }",
                Ok("INLINE void f(void) { { g(); F; return; } }"),
            ),
            (
                "INLINE static struct s *f(void) { return $x; }",
                Ok(
                    "INLINE static struct s *f(void) { return ({ __auto_type fenced = (x); F; fenced; }); }",
                ),
            ),
            (
                "API type f(void) { return $x; }",
                Ok("API type f(void) { return ({ __auto_type fenced = (x); F; fenced; }); }"),
            ),
            ("void f(void) { $return; }", Err(Refusal::NoStatement)),
        ],
    );
}

#[test]
fn no_places_of_c() {
    check(
        Language::C,
        ["", ""],
        &[
            ("int x = $y;", Err(Refusal::NoStatement)),
            ("_Atomic(int *) x = $y;", Err(Refusal::NoStatement)),
            ("void f(void) { static _Thread_local int x = $y; }", Err(Refusal::Constant)),
            ("int f(int $x) { }", Err(Refusal::NoStatement)),
            ("int f(void) { x; $}", Err(Refusal::NoStatement)),
            ("int f(void) { static int x = $y; }", Err(Refusal::Constant)),
            ("#define M(x) $x = 1\n", Err(Refusal::MacroDefinition)),
            ("#define M $x\n", Err(Refusal::MacroDefinition)),
            ("#include $<x.h>\n", Err(Refusal::Preprocessor)),
            ("int f(void) {\n#if $X\n  x;\n#endif\n}", Err(Refusal::Preprocessor)),
            ("int f(void) { EACH(i) $x = 1; }", Err(Refusal::MacroType)),
            ("int f(void) { EACH(i, j) $x = 1; }", Err(Refusal::SyntaxError)),
            (
                "int f(void) {\n#if A\n  if (x)\n#else\n  if (y)\n#endif\n    $z = 1;\n}",
                Err(Refusal::SyntaxError),
            ),
            ("int f(void) {\n  if (x)\n#if A\n    $z = 1;\n#endif\n}", Err(Refusal::SyntaxError)),
            ("int f(void) { switch (x) { if (y) case 1: $z = 1; } }", Err(Refusal::StrayCase)),
            ("int f(void) { switch (x) case 1: $y = 1; }", Err(Refusal::SyntaxError)),
            ("int f(void) { x = 1 }$", Err(Refusal::NoStatement)),
            (
                "int f(void) { EACH(i, j) { $x = 1; } }",
                Ok("int f(void) { EACH(i, j) { x = 1; F; } }"),
            ),
        ],
    );
}

#[test]
fn statements_of_rust() {
    check(
        RUST,
        ["fn f() -> i32 {\n", "\n}\n"],
        &[
            ("    x.$store(1, SeqCst);", Ok("    x.store(1, SeqCst);\n    F;")),
            (
                "    let y = x.$load(SeqCst);\n    y",
                Ok("    let y = x.load(SeqCst);\n    F;\n    y"),
            ),
            (
                "    let Some(y) = x.$get() else { return 1 };\n    y",
                Ok("    let Some(y) = x.get() else { return 1 };\n    F;\n    y"),
            ),
            (
                "    let Some(y) = x.get() else { z.$load(); return 1 };\n    y",
                Ok("    let Some(y) = x.get() else { z.load(); F; return 1 };\n    y"),
            ),
            (
                "    assert!(x.$load(SeqCst) == 1);\n    y",
                Ok("    assert!(x.load(SeqCst) == 1);\n    F;\n    y"),
            ),
            ("    unsafe { Y $= 3; }", Ok("    unsafe { Y = 3; F; }")),
            ("    let y = unsafe { *x.$get() };", Ok("    let y = unsafe { (*x.get(), F).0 };")),
            ("    let y = { x.lock() $};", Ok("    let y = { x.lock() };\n    F;")),
            ("    x.$store(1, SeqCst); y", Ok("    x.store(1, SeqCst); F; y")),
            (
                "    let v = match x.y() { Foo($a) => a, _ => 2 };",
                Ok("    let v = match x.y() { Foo(a) => a, _ => 2 };\n    F;"),
            ),
        ],
    );
}

#[test]
fn expressions_of_rust() {
    check(
        RUST,
        ["fn f() -> i32 { ", " }\n"],
        &[
            ("x.$load(SeqCst)", Ok("(x.load(SeqCst), F).0")),
            (
                "if x.$load(SeqCst) == 1 { 2 } else { 3 }",
                Ok("if { let fenced = x.load(SeqCst) == 1; F; fenced } { 2 } else { 3 }"),
            ),
            ("if x { y.$load() } else { 3 }", Ok("if x { (y.load(), F).0 } else { 3 }")),
            (
                "while x.$load(SeqCst) == 1 {} 2",
                Ok("while { let fenced = x.load(SeqCst) == 1; F; fenced } {} 2"),
            ),
            ("while let Some(y) = x.$pop() {} 2", Ok("while let Some(y) = (x.pop(), F).0 {} 2")),
            (
                "if let Some(y) = x.pop() && y.$cond() { 2 } else { 3 }",
                Ok(
                    "if let Some(y) = x.pop() && { let fenced = y.cond(); F; fenced } { 2 } else { 3 }",
                ),
            ),
            (
                "match x.$pop() { Some(y) => y, None => 2 }",
                Ok("match (x.pop(), F).0 { Some(y) => y, None => 2 }"),
            ),
            (
                "match x { 1 => y.$load(), _ => 2 }",
                Ok("match x { 1 => { let fenced = y.load(); F; fenced }, _ => 2 }"),
            ),
            (
                "match x { 1 if y.$load() => 2, _ => 2 }",
                Ok("match x { 1 if { let fenced = y.load(); F; fenced } => 2, _ => 2 }"),
            ),
            (
                "match x { 1 => return y.$load(), _ => 2 }",
                Ok("match x { 1 => return (y.load(), F).0, _ => 2 }"),
            ),
            ("Some(Ok(x.$load()))", Ok("Some(Ok((x.load(), F).0))")),
            (
                "match x { 1 => Some(y.$load()), _ => 2 }",
                Ok("match x { 1 => Some({ let fenced = y.load(); F; fenced }), _ => 2 }"),
            ),
            ("loop { break x.$load() }", Ok("loop { break (x.load(), F).0 }")),
            ("g(|y| y.$load())", Ok("g(|y| { let fenced = y.load(); F; fenced })")),
            ("g(move || { y.$load() })", Ok("g(move || { (y.load(), F).0 })")),
            ("for i in x.$iter() { g(i) } 2", Err(Refusal::ForHeader)),
            ("match self.$x { _ => 1 }", Err(Refusal::MatchedInPlace)),
            ("match *x.$get() { _ => 1 }", Err(Refusal::MatchedInPlace)),
            ("match x.pop() { Some($y) => y, None => 2 }", Err(Refusal::Pattern)),
            ("if let Some($y) = x.pop() { y } else { 2 }", Err(Refusal::Pattern)),
            ("panic!(\"{}\", x.$load())", Err(Refusal::NeverLeft)),
            ("x + const { $y() }", Err(Refusal::Constant)),
            ("const Z: i32 = $z(); 1", Err(Refusal::Constant)),
        ],
    );
    check(
        RUST,
        ["", ""],
        &[
            ("static X: A = $a();", Err(Refusal::Constant)),
            ("const fn f() -> i32 { $x }", Err(Refusal::Constant)),
            ("macro_rules! m { () => { $x.load() } }", Err(Refusal::MacroDefinition)),
            ("fn f() { if x { y } $}", Err(Refusal::NoStatement)),
            ("fn f() { if x { y }$; }", Err(Refusal::NoStatement)),
            ("fn f() { struct $X; }", Err(Refusal::NoStatement)),
            ("fn f() { if x { $y }; }", Ok("fn f() { if x { (y, F).0 }; }")),
        ],
    );
    check(
        RUST_2024,
        ["fn f() -> i32 { ", " }\n"],
        &[
            ("x.$load(SeqCst)", Ok("{ let fenced = x.load(SeqCst); F; fenced }")),
            ("return x.$load(SeqCst);", Ok("return (x.load(SeqCst), F).0;")),
        ],
    );
}

#[test]
fn ways_out_of_a_place() {
    let exits = |text: &str, language| {
        let (text, offset) = marked(text);
        let place = Syntax::parse(&text, language).place_at(offset).expect("a place");
        place.exits.iter().map(|exit| text[exit.clone()].to_owned()).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(exits("fn f() { let y = $x.get()?; }", RUST), ["x.get()?"]);
    assert_eq!(exits("fn f() { let Some(y) = $x else { return 1 }; }", RUST), ["return 1"]);
    assert_eq!(exits("fn f() { let y = $g(|| { return 1 }); }", RUST), none);
    assert_eq!(exits("fn f() { let $y = loop { break 1 }; }", RUST), none);
    assert_eq!(
        exits("fn f() { let $y = match x { 1 => break, _ => continue }; }", RUST),
        ["break", "continue"]
    );
    assert_eq!(
        exits("fn f() { let $y = 'a: { if x { break 'a 1 } break 'b 2 }; }", RUST),
        ["break 'b 2"]
    );
    assert_eq!(exits("fn f() { $assert!(x?); }", RUST), ["(x?)"]);
    assert_eq!(
        exits(
            "int f() { int $y = ({ if (x) goto out; while (x) break; 1; }); out: ; }",
            Language::C
        ),
        ["goto out;"]
    );
}

#[test]
fn deep_and_broken_texts() {
    let deep = format!("int f(void) {{ x = {}y; }}", "(".repeat(20_000));
    assert_eq!(Syntax::parse(&deep, Language::C).place_at(14), Err(Refusal::SyntaxError));
    let long = format!("int f(void) {{ x = y{}; }}", " + y".repeat(5_000));
    let place = Syntax::parse(&long, Language::C).place_at(14).expect("a statement");
    assert_eq!(place.range, 14..long.len() - 2);
    for text in
        ["", "é", "_Atomic)", "_Atomic(", "int f(", "{{{", "}}}", "#if", "fn f() {", "\u{feff}x"]
    {
        for language in [Language::C, RUST] {
            let syntax = Syntax::parse(text, language);
            for offset in 0..=text.len() {
                assert!(syntax.place_at(offset).is_err(), "{text:?} {offset}");
                assert!(text.get(syntax.expression_at(offset)).is_some(), "{text:?} {offset}");
            }
        }
    }
}

#[test]
fn several_fences_at_once() {
    let all = |text: &str, language| {
        let points: Vec<Change> = Syntax::parse(text, language)
            .places()
            .iter()
            .map(|it| Change::FenceAfter(it.point, FenceText::SEQ_CST))
            .collect();
        edit(text, language, &points)
            .expect("places")
            .replace("atomic_thread_fence(memory_order_seq_cst)", "F")
            .replace("core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst)", "F")
    };
    assert_eq!(
        all("int f() { if (a) for (int i = b; c; d) if (e) return g; else h; }", Language::C),
        "#include <stdatomic.h>\nint f() { if (({ _Bool fenced = !!(a); F; fenced; })) { int i = b; F; for (; \
         ({ _Bool fenced = !!(c); F; fenced; }); d, ({ F; })) if (({ _Bool fenced = !!(e); F; fenced; })) \
         return ({ int fenced = (g); F; fenced; }); else { h; F; } } }"
    );
    assert_eq!(
        all("fn f() -> i32 { if a { g({ b }, |x| c) } else { d } }", RUST),
        "fn f() -> i32 { if { let fenced = a; F; fenced } { (g({ (b, F).0 }, |x| { let fenced = c; F; fenced }), F).0 } \
         else { (d, F).0 } }"
    );
}

/// Each text of a fence in each language, by itself and among others.
#[test]
fn kinds_of_fences() {
    use FenceOrder::{AcqRel, Acquire, Release, SeqCst};
    use FenceText::{Instruction, Language as Standard};
    let fenced = |text: &str, language, fences: &[FenceText]| {
        let (text, offset) = marked(text);
        let point = Syntax::parse(&text, language).place_at(offset).expect("a place").point;
        let changes: Vec<Change> =
            fences.iter().map(|fence| Change::FenceAfter(point, *fence)).collect();
        edit(&text, language, &changes).expect("a place")
    };
    let asm = |code: &str| format!("__asm__ __volatile__(\"{code}\" ::: \"memory\");");
    let c = |order: &str| format!("atomic_thread_fence(memory_order_{order});");
    let rust =
        |order: &str| format!("core::sync::atomic::fence(core::sync::atomic::Ordering::{order})");
    let unsafe_asm = |code: &str| {
        format!("unsafe {{ core::arch::asm!(\"{code}\", options(nostack, preserves_flags)) }}")
    };
    for (fence, in_c, in_rust) in [
        (Standard(SeqCst), c("seq_cst"), rust("SeqCst")),
        (Standard(AcqRel), c("acq_rel"), rust("AcqRel")),
        (Standard(Acquire), c("acquire"), rust("Acquire")),
        (Standard(Release), c("release"), rust("Release")),
        (Instruction("mfence"), asm("mfence"), unsafe_asm("mfence")),
        (Instruction("dmb ishst"), asm("dmb ishst"), unsafe_asm("dmb ishst")),
        (Instruction("fence w,w"), asm("fence w,w"), unsafe_asm("fence w,w")),
    ] {
        let header = match fence {
            Standard(_) => "#include <stdatomic.h>\n",
            Instruction(_) => "",
        };
        assert_eq!(
            fenced("void f() { $x; }", Language::C, &[fence]),
            format!("{header}void f() {{ x; {in_c} }}")
        );
        assert_eq!(fenced("fn f() { $x; }", RUST, &[fence]), format!("fn f() {{ x; {in_rust}; }}"));
    }
    // Twice is once; the order of changes does not matter.
    let several = [Instruction("lwsync"), Standard(Release), Standard(Acquire), Standard(Release)];
    let (acquire, release, lwsync) = (c("acquire"), c("release"), asm("lwsync"));
    for (text, expected) in [
        (
            "void f() {\n  $x;\n}\n",
            format!("void f() {{\n  x;\n  {acquire}\n  {release}\n  {lwsync}\n}}\n"),
        ),
        ("void f() { $x; y; }", format!("void f() {{ x; {acquire} {release} {lwsync} y; }}")),
        ("void f() { if (a) $x; }", {
            format!("void f() {{ if (a) {{ x; {acquire} {release} {lwsync} }} }}")
        }),
        ("void f() { if ($a) x; }", {
            let fences = format!("{acquire} {release} {lwsync}");
            format!("void f() {{ if (({{ _Bool fenced = !!(a); {fences} fenced; }})) x; }}")
        }),
    ] {
        let expected = format!("#include <stdatomic.h>\n{expected}");
        assert_eq!(fenced(text, Language::C, &several), expected);
    }
    let (acquire, release, lwsync) = (rust("Acquire"), rust("Release"), unsafe_asm("lwsync"));
    for (text, expected) in [
        (
            "fn f() {\n    $x;\n}\n",
            format!("fn f() {{\n    x;\n    {acquire};\n    {release};\n    {lwsync};\n}}\n"),
        ),
        ("fn f() -> i32 { $x }", {
            format!("fn f() -> i32 {{ (x, {acquire}, {release}, {lwsync}).0 }}")
        }),
        ("fn f() { if $a { } }", {
            let fences = format!("{acquire}; {release}; {lwsync};");
            format!("fn f() {{ if {{ let fenced = a; {fences} fenced }} {{ }} }}")
        }),
    ] {
        assert_eq!(fenced(text, RUST, &several), expected);
    }
}

#[test]
fn the_header_of_atomics() {
    let include = |text: &str| {
        let (text, offset) = marked(text);
        let point = Syntax::parse(&text, Language::C).place_at(offset).expect("a place").point;
        edit(&text, Language::C, &[Change::FenceAfter(point, FenceText::SEQ_CST)])
            .expect("a place")
            .replace("atomic_thread_fence(memory_order_seq_cst);", "F;")
    };
    let function = "void f() { $x; }\n";
    let fenced = "void f() { x; F; }\n";
    let table = [
        ("", "#include <stdatomic.h>\n"),
        ("#include <stdatomic.h>\n", "#include <stdatomic.h>\n"),
        ("#if A\n# include <stdatomic.h>\n#endif\n", "#if A\n# include <stdatomic.h>\n#endif\n"),
        (
            "#include <a.h>\n#include \"b.h\"\n\nint x;\n",
            "#include <a.h>\n#include \"b.h\"\n#include <stdatomic.h>\n\nint x;\n",
        ),
        (
            "/* top */\n#define _GNU_SOURCE\nint x;\n",
            "/* top */\n#define _GNU_SOURCE\n#include <stdatomic.h>\nint x;\n",
        ),
        ("#include <a.h>\r\nint x;\r\n", "#include <a.h>\r\n#include <stdatomic.h>\r\nint x;\r\n"),
    ];
    for (before, after) in table {
        assert_eq!(include(&format!("{before}{function}")), format!("{after}{fenced}"));
    }
}

#[test]
fn the_library_of_a_rust_text() {
    let table = [
        ("use std::sync::atomic::AtomicI32;\n", "std"),
        ("", "core"),
        ("/// As `std::sync::Arc`.\n", "core"),
        ("#![no_std]\nextern crate std;\nuse std::vec::Vec;\n", "core"),
        ("use core::sync::atomic::AtomicI32;\nuse std::vec::Vec;\n", "core"),
    ];
    for (before, library) in table {
        let text = format!("{before}fn f() {{ x; }}");
        let change = [Change::FenceAfter(text.len() - 2, FenceText::SEQ_CST)];
        let patched = edit(&text, RUST, &change);
        let fence =
            format!("{library}::sync::atomic::fence({library}::sync::atomic::Ordering::SeqCst);");
        assert_eq!(patched, Ok(format!("{before}fn f() {{ x; {fence} }}")));
    }
}

#[test]
fn lines_and_columns_are_in_bytes_from_one() {
    let syntax = Syntax::parse("\té = x;\n\nlast", Language::C);
    let table = [
        ((1, 1), Some(0)),
        ((1, 2), Some(1)),
        ((1, 7), Some(6)),
        ((1, 0), Some(1)),
        ((2, 1), Some(9)),
        ((2, 2), None),
        ((3, 4), Some(13)),
        ((3, 5), None),
        ((4, 1), None),
        ((0, 0), None),
    ];
    for ((line, column), offset) in table {
        assert_eq!(syntax.offset(line, column), offset, "{line}:{column}");
    }
}

#[test]
fn what_is_shown_for_a_location() {
    let table: [(Language, &str, &str); 28] = [
        (Language::C, "int f() { p->x $= y + 1; }", "p->x = y + 1"),
        (Language::C, "int f() { p->x = $y + 1; }", "y"),
        (Language::C, "int f() { p->$x = 1; }", "p->x"),
        (Language::C, "int f() { $p->x = 1; }", "p"),
        (Language::C, "int f() { y = $a[i] + 1; }", "a[i]"),
        (Language::C, "int f() { y = a[$i]; }", "i"),
        (Language::C, "int f() { y = $*p; }", "*p"),
        (Language::C, "int f() { y = *$p; }", "p"),
        (Language::C, "int f() { $g(x, 1); }", "g(x, 1)"),
        (Language::C, "int f() { g$(x, 1); }", "g(x, 1)"),
        (Language::C, "int f() { x$++; }", "x++"),
        (Language::C, "int f() { x $+= 1; }", "x += 1"),
        (Language::C, "int f() { int $r = g(&x); }", "r = g(&x)"),
        (Language::C, "int f() { int *$r = g(&x), s; }", "*r = g(&x)"),
        (Language::C, "int f() { $return x; }", "return x;"),
        (Language::C, "int f() { $__asm__(\"mfence\"); }", "__asm__(\"mfence\")"),
        (Language::C, "int f() { if (a $&& b) { c; } }", "a && b"),
        (Language::C, "int f() { if ($HEAD) { c; } }", "HEAD"),
        (RUST, "fn f() { a.b.$store(1, S); }", "a.b.store(1, S)"),
        (RUST, "fn f() { $Y = 3; }", "Y = 3"),
        (RUST, "fn f() { $Y += 3; }", "Y += 3"),
        (RUST, "fn f() { z = $Y + 3; }", "Y"),
        (RUST, "fn f() { z = $s.x.y + 3; }", "s.x.y"),
        (RUST, "fn f() { z = $*p; }", "*p"),
        (RUST, "fn f() { z = $a[1]; }", "a[1]"),
        (RUST, "fn f() { $core::g(1); }", "core::g(1)"),
        (RUST, "fn f() { $assert!(x.load(S)); }", "assert!(x.load(S))"),
        (RUST, "fn f() { assert!(x.$load(S)); }", "assert!(x.load(S))"),
    ];
    for (language, text, shown) in table {
        let (text, offset) = marked(text);
        assert_eq!(&text[Syntax::parse(&text, language).expression_at(offset)], shown, "{text}");
    }
}

#[test]
fn functions_have_names() {
    let table = [
        (Language::C, "static int *f(void) { $x; }", Some("f")),
        (Language::C, "int (*(f)(void))(int) { $x; }", Some("f")),
        (Language::C, "int $x;", None),
        (RUST, "impl A { fn f(&self) { g(|| $x) } }", Some("f")),
        (RUST, "fn f() { fn g() { $x } }", Some("g")),
        (RUST, "static X: A = $a();", None),
    ];
    for (language, text, name) in table {
        let (text, offset) = marked(text);
        let syntax = Syntax::parse(&text, language);
        assert_eq!(syntax.function_at(offset).map(|(name, _)| name), name, "{text}");
    }
}
