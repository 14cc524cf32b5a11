//! Random programs of C's atomic accesses, and what machines and the models of the language make of them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use axiomatic::{Axioms, CatModel, FinalState, Limits, Model, outcomes};
use fastrand::Rng;
use frontend::{Language, Settings, load};
use program::{Program, Sources};

pub(crate) fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    load(&sources, source, Language::Litmus, &Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

fn states(program: &Program, axioms: impl Axioms) -> BTreeSet<FinalState> {
    let found = outcomes(program, axioms, &Limits::default());
    found.expect("small programs have few executions").states.into_keys().collect()
}

/// RC11 without NO-THIN-AIR.
pub(crate) fn weak_rc11() -> CatModel {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cat/rc11-weak.cat");
    let text = std::fs::read_to_string(path).expect("a model");
    CatModel::read("rc11-weak.cat", &text, &mut |_| None).expect("a model")
}

/// The machines that the orders of C are compiled for.
pub(crate) const MACHINES: [Model; 7] = [
    Model::Tso,
    Model::Pso,
    Model::Power,
    Model::ArmV7,
    Model::AArch64,
    Model::AArch64Lse,
    Model::RiscV,
];

/// Random programs of atomic accesses.
struct Generator {
    rng: Rng,
    /// Whether there are updates.
    updates: bool,
}

impl Generator {
    fn order(&mut self, of: &[&str]) -> String {
        format!("memory_order_{}", of[self.rng.usize(..of.len())])
    }

    fn statement(&mut self, number: usize, last: Option<usize>) -> (String, bool) {
        const READ: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
        const WRITE: [&str; 3] = ["relaxed", "release", "seq_cst"];
        const BOTH: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
        let locations = if self.rng.u8(..4) == 0 { 3 } else { 2 };
        let location = ["x", "y", "z"][self.rng.usize(..locations)];
        let value = self.rng.u8(1..3);
        match self.rng.u8(..if self.updates { 12 } else { 9 }) {
            0..=3 => {
                let order = self.order(&READ);
                (format!("int r{number} = atomic_load_explicit({location}, {order});"), true)
            }
            4..=7 => {
                let order = self.order(&WRITE);
                let store = |value| format!("atomic_store_explicit({location}, {value}, {order});");
                let text = match (last, self.rng.u8(..4)) {
                    (Some(last), 0) => store(format!("{value} + (r{last} ^ r{last})")),
                    (Some(last), 1) => {
                        format!("if (r{last} == 1) {{ {} }}", store(value.to_string()))
                    }
                    (_, _) => store(value.to_string()),
                };
                (text, false)
            }
            8 => (format!("atomic_thread_fence({});", self.order(&BOTH[1..])), false),
            9 => {
                let order = self.order(&BOTH);
                let text = format!("atomic_exchange_explicit({location}, {value}, {order})");
                (format!("int r{number} = {text};"), true)
            }
            10 => {
                let order = self.order(&BOTH);
                let text = format!("atomic_fetch_add_explicit({location}, 1, {order})");
                (format!("int r{number} = {text};"), true)
            }
            _ => {
                let (success, failure) = (self.order(&BOTH), self.order(&READ));
                let swap = format!(
                    "atomic_compare_exchange_strong_explicit({location}, &e{number}, {value}, \
                     {success}, {failure})"
                );
                (format!("int e{number} = 0; int r{number} = {swap};"), true)
            }
        }
    }

    fn text(&mut self) -> String {
        let threads = self.rng.usize(2..4);
        let mut text = "C random\n{ }\n".to_owned();
        for thread in 0..threads {
            let length = if threads == 2 { self.rng.usize(2..5) } else { self.rng.usize(1..4) };
            let mut last = None;
            let parameters = "atomic_int* x, atomic_int* y, atomic_int* z";
            let _ = writeln!(text, "P{thread} ({parameters}) {{");
            for number in 0..length {
                let (statement, reads) = self.statement(number, last);
                let _ = writeln!(text, "  {statement}");
                last = if reads { Some(number) } else { last };
            }
            text += "}\n";
        }
        text
    }
}

/// Compares the models; says of which machines RC11 itself does not allow everything.
pub(crate) fn check(text: &str, updates: bool, weak: &CatModel) -> Vec<Model> {
    let program = program(text);
    let imm = states(&program, Model::Imm);
    let weak = states(&program, weak);
    let rc11 = states(&program, Model::Rc11);
    assert!(rc11.is_subset(&weak), "an axiom more allows more: {text}");
    assert!(imm.is_subset(&weak), "IMM allows more than C: {text}");
    let mut buffering = Vec::new();
    for machine in MACHINES {
        let shown = states(&program, machine);
        assert!(shown.is_subset(&weak), "{machine} shows more than C allows: {text}");
        let is_proved = !updates;
        assert!(
            !is_proved || shown.is_subset(&imm),
            "{machine} shows more than IMM allows: {text}"
        );
        if !shown.is_subset(&rc11) {
            buffering.push(machine);
        }
    }
    assert!(!buffering.contains(&Model::Tso), "x86 buffers no loads: {text}");
    assert!(!buffering.contains(&Model::Pso), "SPARC buffers no loads under PSO: {text}");
    buffering
}

/// Compares the models on random programs; says in how many RC11 itself does not allow everything.
pub(crate) fn check_random(seed: u64, count: usize, updates: bool) -> usize {
    let mut generator = Generator { rng: Rng::with_seed(seed), updates };
    let weak = weak_rc11();
    let programs = std::iter::repeat_with(|| generator.text()).take(count);
    programs.filter(|text| !check(text, updates, &weak).is_empty()).count()
}
