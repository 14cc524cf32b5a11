//! Placing fences and orders in small programs, and judging them by all executions.

use axiomatic::{Limits, Model, outcomes};
use cycles::{
    Analysis, Arch, Changed, Costs, NONE_GOES, NodeRef, Orders, Placement, Reference, place_fences,
};
use events::{AccessKind, Action, Graph, Positions, ProgramGraph, of_program};
use fastrand::Rng;
use oracle::generate::straight::{Op, straight_line};
use program::change::{Change, apply};
use program::index::Idx;
use program::{Access, FenceKind, Instruction, Order, Program};

use crate::common::{fenced, model, orders, rounds};

/// What may be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    Fences,
    Orders,
}

/// What was seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Programs that end as the reference does not.
    pub(crate) weak: usize,
    /// Programs without delays.
    pub(crate) robust: usize,
    /// Programs that are changed without need.
    pub(crate) superfluous: usize,
    /// Orders that were given.
    pub(crate) orders: usize,
    /// Fences that were put in.
    pub(crate) fences: usize,
}

/// Whether a program on a machine ends as another one under the reference does not.
pub(crate) fn is_weaker(
    program: &Program,
    on: Model,
    than: &Program,
    reference: Reference,
) -> bool {
    let reference = match reference {
        Reference::Sc => Model::Sc,
        Reference::Tso => Model::Tso,
    };
    let limits = Limits::default();
    let allowed = outcomes(than, reference, &limits).expect("few executions");
    let found = outcomes(program, on, &limits).expect("few executions");
    found.states.keys().any(|state| !allowed.states.contains_key(state))
}

/// What an order costs more than a relaxed one.
pub(crate) fn order_cost(graph: &Graph, arch: Arch, node: NodeRef, order: Order) -> Option<u64> {
    match &graph.functions[node.0].nodes[node.1].action {
        Action::Access(access) => match access.kind {
            AccessKind::Read | AccessKind::Write | AccessKind::Update { .. } => {
                Some(arch.order_cost(access.kind, order).max(1))
            }
            AccessKind::ReadExclusive | AccessKind::WriteExclusive => None,
        },
        Action::Skip | Action::Fence(_) | Action::Call(_) => None,
    }
}

/// The cheapest decisions.
pub(crate) fn placed(
    graph: &Graph,
    arch: Arch,
    orders: Orders,
    reference: Reference,
    decided: Decided,
) -> Placement {
    let analysis = Analysis::against(graph, arch, orders, reference);
    let order = |node: NodeRef, order: Order| match decided {
        Decided::Fences => None,
        Decided::Orders => order_cost(graph, arch, node, order),
    };
    let costs = Costs { kinds: arch.fences(), weight: &|_| 1, order: &order, existing: NONE_GOES };
    place_fences(&analysis, &costs, None).expect("there is time")
}

/// The program with other orders.
pub(crate) fn ordered(program: &Program, graph: &ProgramGraph, changed: &Changed) -> Program {
    let mut changes = Vec::new();
    for ((function, node), order) in &changed.orders {
        let class = Idx::new(function.index());
        let Some(edge) = graph.edges[class][*node] else { continue };
        let template = graph.templates[class];
        let Action::Access(access) = &graph.graph.functions[*function].nodes[*node].action else {
            continue;
        };
        let failure = cycles::orders::failing(access, *order);
        let change = |_: &program::Expr, how: Access| Access { order: *order, failure, ..how };
        let instruction = &program.template(template).edge(edge).instruction;
        let instruction: Instruction = instruction.rewritten(&Clone::clone, &change);
        changes.push((template, Change::Become(edge, instruction)));
    }
    apply(program, &changes).program
}

/// Checks one program on one machine.
pub(crate) fn check(
    program: &Program,
    arch: Arch,
    reference: Reference,
    decided: Decided,
    seen: &mut Seen,
    describe: &dyn Fn() -> String,
) {
    let model = model(arch);
    let graph = of_program(program, Positions::AfterInstructions, rounds(arch));
    let orders = orders(program, arch);
    let analysis = Analysis::against(&graph.graph, arch, orders, reference);
    let is_robust = analysis.is_robust(&analysis.nothing_put());
    let is_weak = is_weaker(program, model, program, reference);
    let about = || format!("{} {reference:?} {decided:?} {}", arch.name(), describe());
    assert!(!(is_weak && is_robust), "{} is not robust", about());
    seen.weak += usize::from(is_weak);
    seen.robust += usize::from(is_robust);
    seen.superfluous += usize::from(!is_weak && !is_robust);
    if is_robust {
        return;
    }
    let placement = placed(&graph.graph, arch, orders, reference, decided);
    assert!(placement.left.is_empty() && !placement.made.is_empty(), "{}", about());
    seen.fences += placement.fences.len();
    seen.orders += placement.changed.orders.len();
    // Orders first: fences change the numbers of edges.
    let repaired = ordered(program, &graph, &placement.changed);
    let repaired = fenced(&repaired, &graph, &placement.fences);
    assert!(
        !is_weaker(&repaired, model, program, reference),
        "{} is not repaired by {:?} and {:?}",
        about(),
        placement.fences,
        placement.changed.orders
    );
}

const FENCES: [FenceKind; 4] =
    [FenceKind::Full, FenceKind::Lightweight, FenceKind::Acquire, FenceKind::Release];

/// Threads of accesses to few variables, with updates and fences here and there.
pub(crate) fn random_threads(rng: &mut Rng) -> Vec<Vec<Op>> {
    let threads = rng.usize(2..4);
    let variables = rng.usize(2..4);
    (0..threads)
        .map(|_| {
            let length = if threads == 2 { rng.usize(2..5) } else { rng.usize(1..4) };
            let mut ops = Vec::new();
            for number in 0..length {
                if number > 0 && rng.u8(..5) == 0 {
                    ops.push(Op::Fence(FENCES[rng.usize(..FENCES.len())]));
                }
                let variable = rng.usize(..variables);
                let has_read = ops.iter().any(|op| matches!(op, Op::Load(_)));
                ops.push(match rng.u8(..10) {
                    0..=3 => Op::Load(variable),
                    4 if has_read => Op::StoreLast(variable),
                    5 => Op::StoreSeqCst(variable, 1),
                    6 => Op::Exchange(variable, 2),
                    7 if rng.bool() => Op::CompareAndSwap(variable, 0, 3),
                    _ => Op::Store(variable, 1),
                });
            }
            ops
        })
        .collect()
}

/// Checks random programs.
pub(crate) fn check_random(
    seed: u64,
    count: usize,
    arch: Arch,
    reference: Reference,
    decided: Decided,
    seen: &mut Seen,
) {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..count {
        let threads = random_threads(&mut rng);
        let slices: Vec<&[Op]> = threads.iter().map(Vec::as_slice).collect();
        let program = straight_line("random", &slices);
        check(&program, arch, reference, decided, seen, &|| format!("{threads:?}"));
    }
}
