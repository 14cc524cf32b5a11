//! Models written in cat: ours in their own words answer as the built-in ones do, and what is wrong with
//! a model is said where it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axiomatic::{Axioms, CatModel, FinalState, Limits, Model, NoAnswer, Raised, outcomes};
use frontend::{Language, Settings, load};
use oracle::generate::across::random_programs_across;
use oracle::generate::random::{Shape, random_programs};
use oracle::generate::tiny::{Alphabet, tiny_programs};
use program::{Program, Sources};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cat")
}

fn model(name: &str) -> CatModel {
    let read = |file: &str| std::fs::read_to_string(folder().join(file)).ok();
    let file = format!("{name}.cat");
    let text = read(&file).expect("a model");
    let mut find = |included: &str| Some((included.to_owned(), read(included)?));
    CatModel::read(&file, &text, &mut find).unwrap_or_else(|bad| panic!("{file}: {:?}", bad.error))
}

/// All models that are written down twice.
fn all() -> Vec<(Model, CatModel)> {
    let same = |model: Model| if model == Model::AArch64Lse { Model::AArch64 } else { model };
    let models = Model::ALL.into_iter().filter(|model| same(*model) == *model);
    models.map(|built_in| (built_in, model(built_in.name()))).collect()
}

type Answer = (Vec<FinalState>, Vec<bool>);

fn answer(program: &Program, axioms: impl Axioms) -> Result<Answer, NoAnswer> {
    let found = outcomes(program, axioms, &Limits::default())?;
    let undefined = |raised: &Raised| raised.undefined;
    Ok((found.states.into_keys().collect(), found.flags.values().map(undefined).collect()))
}

#[track_caller]
fn check(program: &Program, models: &[(Model, CatModel)]) {
    for (built_in, cat) in models {
        let (ours, theirs) = (answer(program, built_in), answer(program, cat));
        // C has no word for some fences, which a text in cat takes for none of its own.
        let is_foreign = matches!(&ours, Err(NoAnswer::Model { .. }));
        // What is not settled a file may settle as it likes.
        let is_unsettled = matches!(&ours, Err(NoAnswer::AccessAcross { .. }));
        let is_foreign = is_foreign || is_unsettled;
        assert!(is_foreign || ours == theirs, "{built_in}: {ours:?}, {theirs:?}: {program:#?}");
    }
}

fn litmus_tests(folder: &str) -> BTreeMap<PathBuf, Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let tests = files.filter(|path| path.extension().is_some_and(|it| it == "litmus"));
    let program = |path: PathBuf| {
        let mut sources = Sources::new();
        let text = std::fs::read_to_string(&path).expect("a test");
        let source = sources.add(path.display().to_string(), text);
        let program = load(&sources, source, Language::Litmus, &Settings::default());
        (path, program.expect("a program"))
    };
    tests.map(program).collect()
}

#[test]
fn our_models_in_cat_answer_as_the_built_in_ones_on_litmus_tests() {
    let models = all();
    let folders =
        ["litmus-weak/aarch64", "litmus-weak/arm", "litmus-weak/ppc", "litmus-weak/riscv"];
    let mut asked = 0;
    for folder in folders {
        for program in litmus_tests(folder).values() {
            check(program, &models);
            asked += 1;
        }
    }
    assert!(asked > 100, "only {asked} tests");
}

#[test]
fn our_models_in_cat_answer_as_the_built_in_ones_on_programs() {
    let models = all();
    let shape = Shape { max_threads: 3, max_accesses: 6, sections: false, ..Shape::LOOP_FREE };
    let typed = Shape { typed: true, ..shape };
    let random = random_programs(11, shape).take(150).chain(random_programs(12, typed).take(350));
    for program in tiny_programs(Alphabet::SIMPLE, 3).chain(random) {
        check(&program, &models);
    }
}

/// The built-in models know that the cells of an access are read at once; those in a file are asked.
#[test]
fn our_models_in_cat_answer_as_the_built_in_ones_on_accesses_across_cells() {
    let models = all();
    for program in random_programs_across(14).take(200) {
        check(&program, &models);
    }
}

#[test]
#[ignore = "takes minutes"]
fn our_models_in_cat_answer_as_the_built_in_ones_on_many_programs() {
    let models = all();
    let shape =
        Shape { max_threads: 3, max_accesses: 7, sections: false, typed: true, ..Shape::LOOP_FREE };
    for program in random_programs(13, shape).take(20_000) {
        check(&program, &models);
    }
}

/// What is wrong with a text, and where: line and column.
fn wrong(text: &str) -> (String, Option<(usize, usize)>) {
    let bad = CatModel::read("wrong.cat", text, &mut |_| None).expect_err("something is wrong");
    let span = bad.error.span;
    let place = span.source.map(|source| bad.sources.line_column(source, span.start));
    (bad.error.message, place)
}

const COHERENT: &str = "acyclic po-loc | rf | co | fr\nempty rmw & (fre; coe)\n";

#[track_caller]
fn check_wrong(text: &str, message: &str, place: Option<(usize, usize)>) {
    let (said, at) = wrong(text);
    assert!(said.contains(message), "{said}, not {message}");
    assert_eq!(at, place, "{said}");
}

#[test]
fn what_is_wrong_with_a_model_is_said_where_it_is() {
    let wrong = [
        ("acyclic po |", "expected an expression, found the end of the file", Some((1, 13))),
        ("let = po", "expected a name, found `=`", Some((1, 5))),
        ("acyclic po\nlet x = (po", "expected `)`", Some((2, 12))),
        ("acyclic po $ rf", "no part of a model", Some((1, 12))),
        ("acyclic po (* for ever", "a comment without an end", Some((1, 12))),
        ("acyclic pq", "`pq` is not defined", Some((1, 9))),
        ("acyclic po & W", "cannot be intersected", Some((1, 9))),
        ("acyclic [po]", "a set of events is wanted, this is a relation", Some((1, 9))),
        ("let f(x, y) = x | y\nacyclic f(po)", "a tuple of 2 values is wanted", Some((2, 9))),
        ("include \"nowhere.cat\"", "no file `nowhere.cat`", Some((1, 9))),
        ("include \"wrong.cat\"", "`wrong.cat` includes itself", Some((1, 9))),
        ("let rec r = po | r when po", "expected `acyclic`", Some((1, 25))),
        ("let r = po when acyclic r", "expected a statement", Some((1, 12))),
        ("instructions R[{'a}]", "is not understood", Some((1, 1))),
        ("call po", "expected an argument", Some((1, 8))),
        ("call po(rf)", "`po` is no procedure", Some((1, 1))),
        ("match 'a with || 'b -> acyclic po end", "no case for 'a", Some((1, 7))),
        ("let rec f x = f x\nlet y = f 0", "too deep", Some((1, 15))),
        ("assert empty W", "not true", Some((1, 14))),
        ("procedure p(x) = with co from x end", "a choice inside", Some((1, 18))),
    ];
    for (text, message, place) in wrong {
        check_wrong(text, message, place);
    }
    // Also behind checks that fail on all that is not coherent.
    check_wrong(&format!("{COHERENT}acyclic pq"), "`pq` is not defined", Some((3, 9)));
}

/// Words of the language in any order, and characters in any order.
#[test]
fn no_text_makes_the_reader_panic() {
    const WORDS: [&str; 46] = [
        "let",
        "rec",
        "and",
        "in",
        "fun",
        "match",
        "with",
        "end",
        "try",
        "if",
        "then",
        "else",
        "po",
        "rf",
        "co",
        "W",
        "R",
        "x",
        "f",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "|",
        "&",
        ";",
        "\\",
        "*",
        "+",
        "?",
        "^-1",
        "~",
        "++",
        "->",
        "||",
        "_",
        "0",
        ",",
        "=",
        "acyclic",
        "empty",
        "'a",
        "\"v\"",
        "procedure",
    ];
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..20_000 {
        let length = rng.usize(..30);
        let text: Vec<&str> = (0..length).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
        let _ = CatModel::read("soup.cat", &text.join(" "), &mut |_| None);
        let text: String = (0..length).map(|_| rng.char(' '..'\u{2fff}')).collect();
        let _ = CatModel::read("soup.cat", &format!("acyclic po {text}"), &mut |_| None);
    }
    let deep = format!("acyclic {}po{}", "(".repeat(5000), ")".repeat(5000));
    assert!(wrong(&deep).0.contains("too deep"));
    let nested = format!("let rec f x = {}f x{}\nacyclic f po", "(0 | ".repeat(50), ")".repeat(50));
    assert!(wrong(&nested).0.contains("too deep"));
}

#[test]
fn a_model_that_allows_what_is_never_proposed_is_refused() {
    check_wrong("acyclic po | rfe | co | fre", "allows coRW1", None);
    check_wrong("acyclic rf | co | fr", "allows coWW", None);
    check_wrong("acyclic (po-loc \\ (_ * R)) | rf | co | fr", "allows coWR", None);
    let not_atomic = "acyclic po-loc | rf | co | fr";
    let model = CatModel::read("weak.cat", not_atomic, &mut |_| None).expect("a model");
    let mut programs = tiny_programs(Alphabet::RICH, 3);
    let updating = |program: &Program| {
        let no_answer = outcomes(program, &model, &Limits::default()).err();
        no_answer.is_some_and(|why| why.to_string().contains("atomic updates"))
    };
    assert!(programs.any(|program| updating(&program)));
}

/// Whether store buffering can read zero twice under a model that has this and is coherent.
#[track_caller]
fn check_sb(text: &str, allowed: bool) {
    let text = format!("{COHERENT}{text}");
    let model = CatModel::read("test.cat", &text, &mut |_| None)
        .unwrap_or_else(|bad| panic!("{text}: {:?}", bad.error));
    let litmus = "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n\
                  exists (0:EAX=0 /\\ 1:EAX=0)\n";
    let mut sources = Sources::new();
    let source = sources.add("SB", litmus);
    let program =
        load(&sources, source, Language::Litmus, &Settings::default()).expect("a program");
    let found = outcomes(&program, &model, &Limits::default()).expect("an answer");
    assert_eq!(found.answer(&program).expect("a question").holds, allowed, "{text}");
}

#[test]
fn the_language_means_what_it_says() {
    // A recursion whose condition fails on its way forbids, as a check of what it ends with does.
    check_sb("let rec r = po | fr | r; r when irreflexive r", false);
    check_sb("let rec r = po | r; r when irreflexive r", true);
    check_sb("let rec r = (po | fr) \\ r when empty r", false);
    // The cycle of the relaxed outcome: po from each write to its thread's read, fr from that to the
    // other thread's write.
    let forbidding = [
        "acyclic po | fr",
        "acyclic fr | po",
        "empty (po ; fr ; po ; fr) & id",
        "irreflexive (po ; fr)+",
        "irreflexive po ; fr ; po ; fr",
        "let twice(r) = r ; r in irreflexive twice(po ; fr)",
        "let twice = fun r -> r ; r\nirreflexive twice(po ; fr)",
        "let pair = (po, fr)\nlet both (x, y) = x | y\nacyclic both pair",
        "let (x, y) = (po, fr)\nacyclic x | y",
        "let rec path = po | fr | path ; path\nirreflexive path",
        "let rec one = po | two ; one and two = fr | one ; two\nirreflexive one ; two",
        "procedure ordered(r) = acyclic r | fr end\ncall ordered(po)",
        "let sum = let rec all S = match S with || {} -> 0 || r ++ rest -> r | all rest end in all\n\
         acyclic sum {po, fr}",
        "forall r in {po | fr} do acyclic r end",
        "acyclic if \"some-variant\" then 0 else po | fr",
        "if \"some-variant\"\n acyclic 0\nelse\n acyclic po | fr\nend",
        "if not \"some-variant\" acyclic po | fr end",
        "acyclic (try no-such-name with po) | fr",
        "enum order = 'strong || 'weak\nlet of t = match t with || 'strong -> po || _ -> 0 end\n\
         acyclic of 'strong | fr",
        "acyclic [W] ; po ; [R] | (fr^-1)^-1",
        "acyclic (W * R) & po | ~(~fr)",
        "acyclic po \\ (R * W) | (fr \\ id)",
        "with order from linearisations(M, po | rf | co | fr)\nacyclic order",
        "empty (if po = 0 then po else [domain(po)] ; po ; fr ; po ; fr) & id",
        "~empty po \\ (fr ; po ; fr)^-1",
    ];
    for text in forbidding {
        check_sb(text, false);
    }
    let allowing = [
        "acyclic po",
        "show po, fr as from-reads\nunshow fr",
        "acyclic (po \\ (W * R)) | fr",
        "~acyclic po | fr",
        "flag ~acyclic po | fr as cycle",
        "empty (po & fr) | {} | 0",
        "acyclic if \"some-variant\" then po | fr else 0",
        "with order from linearisations(M, co)\nacyclic order",
    ];
    for text in allowing {
        check_sb(text, true);
    }
}

/// A model that only forbids more and more is asked before executions are complete, and leaves out rounds
/// of loops that change nothing, as the built-in ones do.
#[test]
fn loops_that_wait_end_under_models_in_files_too() {
    let text = "C spin\n{ }\n\
                P0 (int* d, atomic_int* f) { *d = 1; atomic_store_explicit(f, 1, memory_order_release); }\n\
                P1 (int* d, atomic_int* f) {\n\
                while (atomic_load_explicit(f, memory_order_acquire) == 0) { }\n\
                int r = *d; }\nforall (1:r=1)\n";
    let mut sources = Sources::new();
    let source = sources.add("spin", text);
    let program =
        load(&sources, source, Language::Litmus, &Settings::default()).expect("a program");
    for name in ["rc11", "tso", "power", "armv7", "aarch64", "imm"] {
        let model = model(name);
        assert!(model.is_monotone(), "{name}");
        let found = outcomes(&program, &model, &Limits::default()).expect("an answer");
        assert!(found.bound.is_none(), "{name}: {:?}", found.bound);
        assert!(found.answer(&program).expect("a question").holds, "{name}");
        assert!(found.flags.is_empty(), "{name}");
    }
}
