//! The orders that a compare-and-swap has when it succeeds and when it fails are those of the text.

mod tools;

use std::fmt::Write;

use program::{Instruction, Order, Template, Update};

use crate::tools::{Workshop, lower, shown};

/// What compilers emit as an instruction, and what they leave to a library.
const SWAPS: [&str; 2] = [
    "__atomic_compare_exchange_n(&x, &e, 1, 0, SUCCESS, FAILURE)",
    "__atomic_compare_exchange_4(&x, &e, 1, SUCCESS, FAILURE)",
];

/// The orders in the text, as the access has them.
const ORDERS: &[(&str, &str, Order, Option<Order>)] = &[
    ("RELAXED", "RELAXED", Order::Relaxed, None),
    ("RELAXED", "ACQUIRE", Order::Relaxed, Some(Order::Acquire)),
    ("ACQUIRE", "RELAXED", Order::Acquire, Some(Order::Relaxed)),
    ("ACQUIRE", "ACQUIRE", Order::Acquire, None),
    ("RELEASE", "RELAXED", Order::Release, None),
    ("RELEASE", "ACQUIRE", Order::Release, Some(Order::Acquire)),
    ("ACQ_REL", "RELAXED", Order::AcquireRelease, Some(Order::Relaxed)),
    ("ACQ_REL", "ACQUIRE", Order::AcquireRelease, None),
    ("ACQ_REL", "SEQ_CST", Order::AcquireRelease, Some(Order::SeqCst)),
    ("SEQ_CST", "RELAXED", Order::SeqCst, Some(Order::Relaxed)),
    ("SEQ_CST", "ACQUIRE", Order::SeqCst, Some(Order::Acquire)),
    ("SEQ_CST", "SEQ_CST", Order::SeqCst, None),
];

const HEAD: &str = "int x;\n\
    _Bool __atomic_compare_exchange_4(volatile void *, void *, unsigned, int, int);\n";

fn function(name: &str, swap: &str, success: &str, failure: &str) -> String {
    let swap = swap
        .replace("SUCCESS", &format!("__ATOMIC_{success}"))
        .replace("FAILURE", &format!("__ATOMIC_{failure}"));
    format!("void {name}(void) {{ int e = 0; {swap}; }}\n")
}

#[test]
fn a_compare_and_swap_has_two_orders() {
    let workshop = Workshop::new("orders");
    let mut text = HEAD.to_owned();
    for (kind, swap) in SWAPS.iter().enumerate() {
        for (at, (success, failure, ..)) in ORDERS.iter().enumerate() {
            let one = function(&format!("f{kind}_{at}"), swap, success, failure);
            write!(text, "{one}").expect("a string takes it");
        }
    }
    let modules = [workshop.module("orders.c", &text)];
    for (kind, swap) in SWAPS.iter().enumerate() {
        for (at, (success, failure, order, on_failure)) in ORDERS.iter().enumerate() {
            let entries = [tools::entry(&format!("f{kind}_{at}"))];
            let (found, sources) = lower(&modules, &[("orders.c", &text)], &entries);
            let lowered = found.unwrap_or_else(|errors| panic!("{}", shown(&errors, &sources)));
            let mut found = Vec::new();
            for edge in lowered.program.templates().iter().flat_map(Template::edges) {
                if let Instruction::Update { update, access, .. } = &edge.instruction
                    && matches!(update, Update::CompareAndSwap { .. })
                {
                    found.push((access.order, access.failure));
                }
            }
            assert_eq!(found, [(*order, *on_failure)], "{swap}: {success}, {failure}");
        }
    }
}

#[test]
fn a_failure_does_not_release() {
    let workshop = Workshop::new("orders-refused");
    let text = format!("{HEAD}{}", function("f", SWAPS[1], "ACQ_REL", "RELEASE"));
    let modules = [workshop.module("refused.c", &text)];
    let (found, sources) = lower(&modules, &[("refused.c", &text)], &[tools::entry("f")]);
    let errors = shown(&found.expect_err("no such order"), &sources);
    let expected = "refused.c:3: a compare-and-swap that fails cannot be release\n";
    assert_eq!(errors, expected);
}
