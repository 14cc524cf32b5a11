//! What lowered litmus tests mean: all their final states are explored, and must be those that
//! their conditions (for our own tests) or independent tools (for the shared corpus) say.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use frontend::litmus::{Target, print_for};
use frontend::{Language, Settings, fw, load};
use oracle::generate::random::{Shape, random_programs};
use program::{Observable, Program, Quantifier, Sources, Value};
use semantics::{Control, Machine, Model, State};

/// The values of all registers of the source and of all cells.
type Final = (Vec<Vec<Value>>, BTreeMap<Value, Value>);

fn read(path: &Path) -> Program {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let mut sources = Sources::new();
    let source = sources.add(path.to_string_lossy(), text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()))
}

/// All final states, and for each whether the filter and the proposition hold.
fn finals(program: &Program, model: Model) -> BTreeMap<Final, (bool, bool)> {
    let machine = Machine::new(program, model).expect("a finite program");
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut open = vec![machine.initial()];
    let mut finals = BTreeMap::new();
    while let Some(state) = open.pop() {
        for taken in machine.moves(&state) {
            let (next, _) = machine.apply(&state, taken).expect("an enabled move");
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        let ended = machine.threads().indices().all(|thread| machine.has_ended(&state, thread));
        if ended && state.buffers_are_empty() {
            let question = program.question();
            let seen = |observable| observed(&machine, &state, observable);
            let filter = question.filter.as_ref().is_none_or(|filter| filter.holds(&seen));
            let holds = question.condition.as_ref().is_none_or(|(_, prop)| prop.holds(&seen));
            finals.insert(visible(&machine, &state), (filter, holds));
        }
    }
    finals
}

fn observed(machine: &Machine<'_>, state: &State, observable: Observable) -> Value {
    match observable {
        Observable::Cell(_) | Observable::Across(..) => {
            let held = |address| machine.in_memory(state, address).expect("a cell");
            observable.in_memory(machine.program().memory(), held).expect("in memory")
        }
        Observable::Register { template, copy, register } => {
            let found = machine
                .threads()
                .enumerate()
                .find(|(_, thread)| thread.template == template && thread.copy == copy);
            state.thread(found.expect("a thread").0).registers()[register]
        }
    }
}

fn visible(machine: &Machine<'_>, state: &State) -> Final {
    let registers = machine.threads().indices().map(|thread| {
        assert!(matches!(state.thread(thread).control(), Control::At(_)), "a fault");
        let names = machine.template(thread).registers();
        let values = names.iter().zip(state.thread(thread).registers());
        values.filter(|(name, _)| !name.generated).map(|(_, value)| *value).collect()
    });
    (registers.collect(), state.changed_memory().clone())
}

#[test]
fn the_conditions_of_our_own_tests_hold_under_tso() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus");
    for entry in std::fs::read_dir(folder).expect("our own tests") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_none_or(|extension| extension != "litmus") {
            continue;
        }
        let program = read(&path);
        let finals = finals(&program, Model::Tso);
        assert!(!finals.is_empty(), "{}: no final state", path.display());
        let mut considered = finals.values().filter(|(filter, _)| *filter).map(|(_, holds)| *holds);
        let (quantifier, _) = program.question().condition.as_ref().expect("a condition");
        let holds = match quantifier {
            Quantifier::Exists => considered.any(|holds| holds),
            Quantifier::Never => !considered.any(|holds| holds),
            Quantifier::Always => considered.all(|holds| holds),
        };
        assert!(holds, "{}: {finals:?}", path.display());
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped check must be seen")]
fn the_shared_tests_of_weak_machines_have_the_sc_outcomes_that_herd_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/litmus-weak");
    let Ok(verdicts) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        eprintln!("SKIPPED: there is no ../shared/corpus/litmus-weak");
        return;
    };
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in verdicts.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, arch, _, _, _, expected, _] = fields.as_slice() else { continue };
        let file = folder.join(arch.to_lowercase()).join(format!("{name}.litmus"));
        let found = sc_verdict(&read(&file));
        if found != *expected {
            wrong.push(format!("{arch} {name}: {found}, not {expected}"));
        }
        count += 1;
    }
    assert_eq!(wrong, [""; 0]);
    assert!(count >= 503, "only {count} tests");
}

#[test]
fn our_own_tests_of_weak_machines_have_the_sc_outcomes_that_we_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus-weak");
    let verdicts = std::fs::read_to_string(folder.join("verdicts.csv")).expect("our verdicts");
    let mut count = 0;
    for line in verdicts.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [file, verdict, expected] = fields.as_slice() else { panic!("{line}") };
        assert_eq!(sc_verdict(&read(&folder.join(file))), *expected, "{file}");
        // Whatever happens under SC happens on every machine.
        assert!(*expected == "Forbidden" || *verdict == "Allowed", "{file}");
        count += 1;
    }
    assert!(count >= 100, "only {count} tests");
}

/// Whether the condition holds in some final state under SC, or, if it has to, in all.
fn sc_verdict(program: &Program) -> &'static str {
    let sc = finals(program, Model::Sc);
    assert!(!sc.is_empty(), "{}: no final state", program.name());
    let mut considered = sc.values().filter(|(filter, _)| *filter).map(|(_, holds)| *holds);
    let found = match program.question().condition {
        Some((Quantifier::Exists | Quantifier::Never, _)) => considered.any(|holds| holds),
        // Without a condition nothing is asked, and nothing denied.
        Some((Quantifier::Always, _)) | None => considered.all(|holds| holds),
    };
    if found { "Allowed" } else { "Forbidden" }
}

#[test]
#[expect(clippy::print_stderr, reason = "a skipped check must be seen")]
fn the_shared_corpus_is_state_robust_where_other_tools_say_so() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/litmus-x86");
    let Ok(verdicts) = std::fs::read_to_string(folder.join("verdicts.csv")) else {
        eprintln!("SKIPPED: there is no ../shared/corpus/litmus-x86");
        return;
    };
    let mut wrong = Vec::new();
    for line in verdicts.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, _, _, expected, ..] = fields.as_slice() else { continue };
        if expected.is_empty() {
            continue;
        }
        let program = read(&folder.join("tests").join(format!("{name}.litmus")));
        let (sc, tso) = (finals(&program, Model::Sc), finals(&program, Model::Tso));
        let robust = if sc.keys().eq(tso.keys()) { "yes" } else { "no" };
        if robust != *expected {
            wrong.push(format!("{name}: {robust}, not {expected}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// The test of an architecture that a program is printed as, read again.
fn reread(program: &Program, target: Target) -> Option<(String, Program)> {
    let text = print_for(program, target).ok()?;
    let mut sources = Sources::new();
    let source = sources.add(format!("{}.litmus", target.name()), text.clone());
    let again = load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}\n{text}\n{errors:#?}", fw::print(program)));
    Some((text, again))
}

#[test]
fn our_own_tests_keep_their_sc_outcomes_on_every_architecture() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let folders = ["litmus", "litmus-weak/aarch64", "litmus-weak/ppc", "litmus-weak/riscv"];
    for target in Target::ALL {
        let (mut printed, mut all) = (0, 0);
        for folder in folders {
            for entry in std::fs::read_dir(corpus.join(folder)).expect("our own tests") {
                let path = entry.expect("a readable folder").path();
                if path.extension().is_none_or(|extension| extension != "litmus") {
                    continue;
                }
                all += 1;
                let program = read(&path);
                let Some((text, again)) = reread(&program, target) else { continue };
                printed += 1;
                assert_eq!(sc_verdict(&program), sc_verdict(&again), "{}\n{text}", path.display());
            }
        }
        // x86 has no exclusives and no computed addresses in 32 bits.
        let least = if target == Target::X86 { 30 } else { all * 9 / 10 };
        assert!(printed >= least, "{target:?}: only {printed} of {all}");
    }
}

/// What can be in the cells of a program in the end under SC, by the names of its locations; nothing
/// if there are too many states, or a fault. Of each value the bits of the mask are taken.
fn final_memories(program: &Program, mask: Value) -> Option<BTreeSet<Vec<(String, u64, Value)>>> {
    let machine = Machine::new(program, Model::Sc).ok()?;
    let mut seen = BTreeSet::from([machine.initial()]);
    let mut open = vec![machine.initial()];
    let mut memories = BTreeSet::new();
    while let Some(state) = open.pop() {
        for taken in machine.moves(&state) {
            let (next, _) = machine.apply(&state, taken).expect("an enabled move");
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if seen.len() > 20_000 {
            return None;
        }
        let mut threads = machine.threads().indices();
        if threads.any(|thread| !matches!(state.thread(thread).control(), Control::At(_))) {
            return None;
        }
        if machine.threads().indices().all(|thread| machine.has_ended(&state, thread)) {
            let mut cells = Vec::new();
            for location in program.memory().locations() {
                for index in 0..location.cells() {
                    let address = location.address(index.into()).expect("an index");
                    let value = machine.in_memory(&state, address).expect("a cell");
                    cells.push((location.name.clone(), index, value & mask));
                }
            }
            memories.insert(cells);
        }
    }
    Some(memories)
}

#[test]
fn random_programs_keep_their_sc_outcomes_on_every_architecture() {
    let shape = Shape { max_threads: 3, max_accesses: 5, ..Shape::default() };
    for target in [Target::AArch64, Target::Ppc, Target::RiscV] {
        let mut compared = 0;
        for program in random_programs(23, shape).take(600) {
            let Some((text, again)) = reread(&program, target) else { continue };
            // Cells of tests are signed.
            let memories = |program| final_memories(program, 0xffff_ffff);
            let (before, after) = (memories(&program), memories(&again));
            if let (Some(before), Some(after)) = (before, after) {
                assert_eq!(before, after, "{}\n{text}", fw::print(&program));
                compared += 1;
            }
        }
        assert!(compared > 100, "{target:?}: only {compared}");
    }
}

/// A random expression of the modelling language over the registers `a` to `d`.
fn random_expression(rng: &mut fastrand::Rng, depth: usize) -> String {
    if depth == 0 || rng.u8(..6) == 0 {
        return match rng.u8(..6) {
            0 => rng.i32(-5..200).to_string(),
            1 => "a".to_owned(),
            2 => "b".to_owned(),
            3 => "c".to_owned(),
            _ => "d".to_owned(),
        };
    }
    let mut part = || random_expression(rng, depth - 1);
    let (left, right, third) = (part(), part(), part());
    let binary = ["+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"];
    match rng.usize(..binary.len() + 8) {
        0 => format!("!({left})"),
        1 => format!("~({left})"),
        2 => format!("-({left})"),
        3 => format!("({left} ? {right} : {third})"),
        4 => format!("({left} >> {})", rng.u8(..9)),
        5 => format!("({left} << {})", rng.u8(..9)),
        6 => format!("{}({left}, {right})", if rng.bool() { "min" } else { "max" }),
        7 => format!("{}({left})", ["u8", "i8", "u16", "i16", "u32", "i32"][rng.usize(..6)]),
        op => format!("({left} {} {right})", binary[op - 8]),
    }
}

#[test]
fn expressions_have_the_same_value_on_every_architecture() {
    let mut rng = fastrand::Rng::with_seed(7);
    let types = [
        ["i32", "i32", "i32", "i32", "i32"],
        ["i32", "i16", "u8", "i8", "i32"],
        ["i64", "i32", "u32", "u16", "i64"],
        ["i64", "i32", "u8", "i64", "i32"],
    ];
    let mut compared = [0; 3];
    for number in 0..1500 {
        let [a, b, c, d, cell] = types[number % types.len()];
        let values: Vec<i32> = (0..4).map(|_| rng.i32(0..120)).collect();
        let (first, second) = (random_expression(&mut rng, 3), random_expression(&mut rng, 2));
        let condition = random_expression(&mut rng, 2);
        let text = format!(
            "shared x: {cell}\nshared y: {cell}\nshared z: {cell}\nthread t {{\n  \
             local a: {a} = {}\n  local b: {b} = {}\n  local c: {c} = {}\n  \
             local d: {d} = {}\n  a = {first}\n  x = a\n  y = {second}\n  \
             if {condition} {{ z = 1 }} else {{ z = 2 }}\n}}\n",
            values[0], values[1], values[2], values[3],
        );
        let mut sources = Sources::new();
        let source = sources.add("t.fw", text.clone());
        let Ok(program) = load(&sources, source, Language::Fw, &Settings::default()) else {
            panic!("{text}");
        };
        for (which, target) in [Target::AArch64, Target::Ppc, Target::RiscV].into_iter().enumerate()
        {
            let Some((printed, again)) = reread(&program, target) else { continue };
            let (before, after) = (final_memories(&program, -1), final_memories(&again, -1));
            if before.is_some() {
                assert_eq!(before, after, "{text}\n{printed}");
                compared[which] += 1;
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 500), "only {compared:?}");
}

#[test]
fn atomics_have_the_same_effect_on_every_architecture() {
    let mut rng = fastrand::Rng::with_seed(5);
    let types =
        [("i8", 8), ("u8", 8), ("i16", 16), ("u16", 16), ("i32", 32), ("u32", 32), ("i64", 64)];
    let operations = [
        "fetch_add",
        "fetch_sub",
        "fetch_and",
        "fetch_or",
        "fetch_xor",
        "fetch_nand",
        "fetch_min",
        "fetch_max",
        "xchg",
    ];
    let orders = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
    let mut compared = [0; 3];
    for _ in 0..1500 {
        let (cell, bits) = types[rng.usize(..types.len())];
        let mut body = String::new();
        for _ in 0..3 {
            let order = orders[rng.usize(..orders.len())];
            let (first, second) = (rng.u8(..3), rng.u8(..100));
            let line = match rng.u8(..5) {
                0 => format!("r = cmpxchg(x, {first}, {second}, {order})"),
                1 => format!("x = r + {second}"),
                2 => format!("if r > {first} {{ r = x }}"),
                _ => {
                    let operation = operations[rng.usize(..operations.len())];
                    format!("r = {operation}(x, {second}, {order})")
                }
            };
            let _ = write!(body, "  {line}\n  y = r\n");
        }
        let start = rng.u8(..3);
        let text = format!(
            "shared x: {cell} = {start}\nshared y: {cell}\nthread t {{\n  local r: {cell}\n{body}}}\n\
             thread u {{\n  fetch_add(x, 1, relaxed)\n}}\n"
        );
        let mut sources = Sources::new();
        let source = sources.add("t.fw", text.clone());
        let program = load(&sources, source, Language::Fw, &Settings::default())
            .unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
        for (which, target) in [Target::AArch64, Target::Ppc, Target::RiscV].into_iter().enumerate()
        {
            let Some((printed, again)) = reread(&program, target) else { continue };
            // Cells of tests are signed.
            let mask = (1 << bits) - 1;
            let (before, after) = (final_memories(&program, mask), final_memories(&again, mask));
            assert!(before.is_some());
            assert_eq!(before, after, "{text}\n{printed}");
            compared[which] += 1;
        }
    }
    assert!(compared.iter().all(|count| *count > 300), "only {compared:?}");
}
