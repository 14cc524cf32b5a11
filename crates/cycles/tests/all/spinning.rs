//! Random programs that wait in loops, exchange and branch, and what the static analysis says of them against all
//! executions, whether they end or not: a program without delays has none that the reference does not have, and neither
//! has one with the fences and orders that were placed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;

use axiomatic::{Compared, Limits, Looking, NOTHING_ADDED, Reordered, Respected, reordered};
use cycles::{
    Analysis, Arch, Changed, Costs, NONE_GOES, NodeRef, Reference, Settings, place_fences,
};
use events::{AccessKind, Action, Graph, Positions, of_program};
use fastrand::Rng;
use frontend::{Language, load};
use program::{EdgeId, Order, Program, Sources, TemplateId};

use crate::common::{model, orders, rounds, with_fences};
use crate::ports::{Decided, order_cost, ordered};

/// The machines that are weaker than x86.
pub(crate) const MACHINES: [Arch; 7] =
    [Arch::Pso, Arch::Rmo, Arch::Power, Arch::ArmV7, Arch::AArch64, Arch::AArch64Lse, Arch::RiscV];

/// What was seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Programs with an execution that the reference does not have.
    pub(crate) weak: usize,
    /// Programs without delays.
    pub(crate) robust: usize,
    /// Programs that were changed.
    pub(crate) changed: usize,
    /// Those of them to which a full fence was added.
    pub(crate) fenced: usize,
    /// Programs of which executions say nothing, since there are too many or loops go on.
    pub(crate) open: usize,
    /// Programs in which a thread waits.
    pub(crate) waiting: usize,
}

const FENCES: [&str; 3] = ["full", "lightweight", "acquire"];

/// A program of threads that wait for each other, as text.
pub(crate) fn random_text(rng: &mut Rng) -> String {
    let threads = rng.usize(2..4);
    let variables = &["x", "y", "z"][..rng.usize(2..4)];
    let most = if threads == 2 { 6 } else { 5 };
    let mut text = "shared x, y, z, l\n".to_owned();
    for thread in 0..threads {
        let mut body = String::new();
        let mut registers = 0;
        let mut holds = false;
        for _ in 0..rng.usize(1..most) {
            let (one, other) =
                (*rng.choice(variables).unwrap_or(&"x"), *rng.choice(variables).unwrap_or(&"y"));
            let load = ["relaxed", "relaxed", "relaxed", "acquire", "seq_cst"][rng.usize(..5)];
            let store = ["relaxed", "relaxed", "relaxed", "release", "seq_cst"][rng.usize(..5)];
            let update = ["relaxed", "relaxed", "acquire", "release", "acq_rel"][rng.usize(..5)];
            let value = rng.u8(1..3);
            let mut register = || {
                registers += 1;
                format!("r{registers}")
            };
            let statement = match rng.u8(..14) {
                0..=2 | 12 => format!("store({one}, {value}, {store})"),
                3..=4 | 13 => format!("{} = load({one}, {load})", register()),
                5 => format!("if load({one}, {load}) == 1 {{ store({one}, 1, {store}) }}"),
                6 => format!("if load({one}, {load}) == 1 {{ store({other}, 1, {store}) }}"),
                7 if holds => {
                    holds = false;
                    format!("store(l, 0, {store})")
                }
                7 => {
                    holds = true;
                    format!("while xchg(l, 1, {update}) == 1 {{ }}")
                }
                8 => format!("while load({one}, {load}) == 0 {{ }}"),
                9 => format!("{} = xchg({one}, {value}, {update})", register()),
                10 if rng.bool() => format!("fence({})", FENCES[rng.usize(..FENCES.len())]),
                10 => format!("xchg(l, {value}, {update})"),
                _ => format!("{} = cas({one}, {}, {value}, {update})", register(), rng.u8(..2)),
            };
            let _ = writeln!(body, "  {statement}");
        }
        if holds {
            body.push_str("  store(l, 0, relaxed)\n");
        }
        let locals: Vec<String> = (1..=registers).map(|number| format!("r{number}")).collect();
        let locals = if locals.is_empty() {
            String::new()
        } else {
            format!("  local {}\n", locals.join(", "))
        };
        let _ = writeln!(text, "thread t{thread} {{\n{locals}{body}}}");
    }
    text
}

pub(crate) fn program(text: &str) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("random", text);
    load(&sources, source, Language::Fw, &frontend::Settings::default())
        .unwrap_or_else(|errors| panic!("{errors:?} in {text}"))
}

/// The executions of a program that the reference does not have; nothing if there are too many.
fn compared(
    program: &Program,
    arch: Arch,
    reference: Reference,
    respected: Respected,
    added: &BTreeSet<(TemplateId, EdgeId)>,
) -> Option<Reordered> {
    let compared = match reference {
        Reference::Sc => Compared::WithSc,
        Reference::Tso => Compared::WithTso,
    };
    let looking = Looking { machine: model(arch), compared, respected, added };
    let limits = Limits { max_executions: 4_000, unroll: Some(3) };
    reordered(program, looking, &[], &limits, &mut || ControlFlow::Continue(())).ok()
}

/// Checks one program on one machine.
pub(crate) fn check(
    text: &str,
    (arch, reference): (Arch, Reference),
    respected: Respected,
    decided: Decided,
    seen: &mut Seen,
) {
    let program = program(text);
    let about = || format!("{} {reference:?} {respected:?} {decided:?}:\n{text}", arch.name());
    let graph = of_program(&program, Positions::AfterInstructions, rounds(arch));
    let settings = Settings {
        arch,
        orders: orders(&program, arch),
        reference,
        dependencies: respected == Respected::All,
    };
    let analysis = Analysis::compiled(&graph.graph, settings, Changed::default());
    let is_robust = analysis.is_robust(&analysis.nothing_put());
    seen.waiting += usize::from(text.contains("while"));
    seen.robust += usize::from(is_robust);
    match compared(&program, arch, reference, respected, NOTHING_ADDED) {
        None => seen.open += 1,
        Some(found) => {
            assert!(found.weak.is_none() || !is_robust, "no delay, and not robust: {}", about());
            seen.weak += usize::from(found.weak.is_some());
            seen.open += usize::from(found.bound.is_some());
        }
    }
    if is_robust {
        return;
    }
    let order = |node: NodeRef, order: Order| match decided {
        Decided::Fences => None,
        // Under TSO the store would wait, which it did not do before.
        Decided::Orders if order == Order::SeqCst && writes(&graph.graph, node) => None,
        Decided::Orders => order_cost(&graph.graph, arch, node, order),
    };
    let costs = Costs { kinds: arch.fences(), weight: &|_| 1, order: &order, existing: NONE_GOES };
    let placement = place_fences(&analysis, &costs, None).expect("there is time");
    // No fence stands in a condition.
    if !placement.left.is_empty() {
        return;
    }
    seen.changed += 1;
    seen.fenced += usize::from(!placement.fences.is_empty());
    let repaired = ordered(&program, &graph, &placement.changed);
    let repaired = with_fences(&repaired, &graph, &placement.fences);
    let mut added = BTreeSet::new();
    for (template, data) in repaired.program.templates().enumerate() {
        let edges = data.edges().enumerate().map(|(edge, _)| edge);
        let new = edges.filter(|edge| repaired.origin(template, *edge).is_none());
        added.extend(new.map(|edge| (template, edge)));
    }
    if let Some(found) = compared(&repaired.program, arch, reference, respected, &added) {
        assert!(
            found.weak.is_none(),
            "not repaired by {:?} and {:?}: {}",
            placement.fences,
            placement.changed.orders,
            about()
        );
    }
}

/// Whether a node is a store.
fn writes(graph: &Graph, node: NodeRef) -> bool {
    match &graph.functions[node.0].nodes[node.1].action {
        Action::Access(access) => access.kind == AccessKind::Write,
        Action::Skip | Action::Fence(_) | Action::Call(_) => false,
    }
}

/// Checks random programs.
pub(crate) fn check_random(seed: u64, count: usize, arch: Arch, seen: &mut Seen) {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..count {
        let text = random_text(&mut rng);
        let reference = if rng.u8(..3) == 0 { Reference::Sc } else { Reference::Tso };
        let respected = if rng.bool() { Respected::All } else { Respected::IntoWrites };
        let decided = if rng.bool() { Decided::Orders } else { Decided::Fences };
        check(&text, (arch, reference), respected, decided, seen);
    }
}
