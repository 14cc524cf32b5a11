//! Litmus tests in C: fences after every statement, and orders of every access. A changed text means what the changed
//! model means.

use frontend::Language::Litmus;
use frontend::edit::{AccessKind, Change, NewOrder};
use program::{Access, Edge, Expr, FenceKind, Instruction, Order, Program, canonical};

use super::model::{self, each, fence_after};
use super::{changed, parse};

const KINDS: [FenceKind; 4] =
    [FenceKind::Full, FenceKind::Lightweight, FenceKind::Acquire, FenceKind::Release];

/// Threads with parameters `x`, `y` (plain), `a`, `b` (atomic), `p` (to a pointer).
const BODIES: [&str; 14] = [
    "*x = 1; int r = *y;",
    "int r = *x, s = *y; *y = r + s;",
    "if (*x) *y = 1; else { *y = 2; }",
    "if (*x == 1) { *y = 1; } // why\n  *x = 3;",
    "int r = atomic_load(a); atomic_store_explicit(b, r, memory_order_relaxed);",
    "int r = atomic_exchange_explicit(a, 1, memory_order_relaxed) + atomic_fetch_add(b, 1);",
    "int e = 0; int r = atomic_compare_exchange_strong_explicit(a, &e, 1, memory_order_acquire, memory_order_relaxed);",
    "int e = 0; if (!atomic_compare_exchange_weak(a, &e, (*x))) *y = e;",
    "while (atomic_load_explicit(a, memory_order_relaxed) == 0) { *x = 1; }",
    "for (int i = 0; i < 2; i += 1) *x = i;",
    "do *x = 1; while (*y == 0); atomic_init(b, 1);",
    "*a = 1; int r = *b; *x = *y;",
    "int *q = *p; *q = 1; int r = **p;",
    "atomic_thread_fence(memory_order_acq_rel); *x += 1; spin_lock(a); *(y) = 2; spin_unlock(a);",
];

fn text(body: &str) -> String {
    format!(
        "C test\n{{ p = x }}\n\nP0 (int* x, int* y, atomic_int* a, atomic_int* b, int** p) {{\n  {body}\n}}\n\nexists (x=1)\n"
    )
}

fn edges(program: &Program) -> impl Iterator<Item = &Edge> {
    program.templates().iter().flat_map(program::Template::edges)
}

fn access(edge: &Edge) -> Option<(AccessKind, Access)> {
    match &edge.instruction {
        Instruction::Load { access, .. } => Some((AccessKind::Load, *access)),
        Instruction::Store { access, .. } => Some((AccessKind::Store, *access)),
        Instruction::Update { access, .. } => Some((AccessKind::Update, *access)),
        _ => None,
    }
}

#[test]
fn fences_stand_after_every_statement() {
    let mut count = 0;
    for body in BODIES {
        let text = text(body);
        let program = parse(Litmus, &text);
        for point in model::points(&program) {
            for kinds in [&KINDS[..1], &KINDS[1..3]] {
                let expected = each(&program, |template| fence_after(template, point, kinds));
                let changes: Vec<Change> =
                    kinds.iter().map(|kind| Change::FenceAfter(point, *kind)).collect();
                let after = changed(Litmus, &text, &changes)
                    .unwrap_or_else(|errors| panic!("{point:?}\n{text}\n{errors:#?}"));
                let found = parse(Litmus, &after);
                assert_eq!(canonical::difference(&expected, &found), None, "{after}");
                assert_eq!(text.contains("// why"), after.contains("// why"), "{after}");
                count += 1;
            }
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn accesses_get_other_orders() {
    let (mut made, mut refused) = (0, 0);
    for body in BODIES {
        let text = text(body);
        let program = parse(Litmus, &text);
        for edge in edges(&program) {
            let Some((kind, now)) = access(edge) else { continue };
            for order in [Order::Relaxed, Order::Acquire, Order::Release, Order::SeqCst] {
                let fits = match kind {
                    AccessKind::Load => order != Order::Release,
                    AccessKind::Store => order != Order::Acquire,
                    AccessKind::Update => true,
                };
                let failing = now.failure.map(|_| Order::Relaxed);
                let (span, from) = (edge.span, now.order);
                let change = Change::Order(NewOrder { span, kind, from, order, failing });
                if !fits {
                    continue;
                }
                let Ok(after) = changed(Litmus, &text, &[change]) else {
                    refused += 1;
                    continue;
                };
                let is_it = |other: &Edge| {
                    other.span == span && access(other).is_some_and(|(of, _)| of == kind)
                };
                let how = |_: &Expr, how: Access| {
                    let how = Access { order, failure: None, ..how };
                    failing.map_or(how, |order| how.failing(order))
                };
                let expected: Vec<Instruction> = edges(&program)
                    .map(|edge| {
                        let instruction = &edge.instruction;
                        if is_it(edge) {
                            instruction.rewritten(&Clone::clone, &how)
                        } else {
                            instruction.clone()
                        }
                    })
                    .collect();
                let found = parse(Litmus, &after);
                let found: Vec<Instruction> =
                    edges(&found).map(|edge| edge.instruction.clone()).collect();
                assert_eq!(found, expected, "{after}");
                made += 1;
            }
        }
    }
    // `*x += 1` names the place once, locks have no orders, and what a failed exchange puts back has none.
    assert!(made > 70 && refused > 0 && refused < 20, "{made} {refused}");
}

#[test]
fn fences_go() {
    let text = text("*x = 1;\n  atomic_thread_fence(memory_order_seq_cst);\n  *y = 1;");
    let program = parse(Litmus, &text);
    let fence = edges(&program)
        .find(|edge| matches!(edge.instruction, Instruction::Fence(_)))
        .expect("a fence");
    let after = changed(Litmus, &text, &[Change::RemoveFence(fence.span)]).expect("it goes");
    assert!(after.contains("  *x = 1;\n  *y = 1;\n"), "{after}");
}
