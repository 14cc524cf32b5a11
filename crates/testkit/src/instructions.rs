//! Instructions with every order, width and exclusivity that is valid for them.

use program::{Access, AccessWidth, FenceKind, FetchOp, Instruction, Order, RegisterId, Update};
use proptest::prelude::*;
use proptest::sample::select;

use crate::Subset;
use crate::expressions::{Scope, addresses, expressions};
use crate::values::values_at_rest;

/// Instructions over a scope that write only the registers `writable`.
pub(crate) fn instructions(scope: Scope, writable: &[RegisterId]) -> BoxedStrategy<Instruction> {
    let silent = silent(scope);
    if writable.is_empty() {
        return silent;
    }
    prop_oneof![1 => silent, 1 => writing(scope, select(writable.to_vec()).boxed())].boxed()
}

/// Instructions that write no register.
fn silent(scope: Scope) -> BoxedStrategy<Instruction> {
    let operands = (addresses(scope), expressions(scope));
    let common = prop_oneof![
        Just(Instruction::Skip),
        Just(Instruction::Lock),
        Just(Instruction::Unlock),
        expressions(scope).prop_map(Instruction::Assume),
        (operands, stores(scope.subset)).prop_map(|((address, value), access)| {
            Instruction::Store { address, value, access }
        }),
    ];
    match scope.subset {
        Subset::Everything => prop_oneof![
            4 => common,
            1 => expressions(scope).prop_map(Instruction::Assert),
            1 => select(&FenceKind::ALL[..]).prop_map(Instruction::Fence),
            2 => all_updates(scope, Just(None).boxed()),
        ]
        .boxed(),
        Subset::Trencher => {
            prop_oneof![5 => common, 1 => Just(Instruction::Fence(FenceKind::Full))].boxed()
        }
    }
}

/// Instructions that write a register.
fn writing(scope: Scope, registers: BoxedStrategy<RegisterId>) -> BoxedStrategy<Instruction> {
    let common = prop_oneof![
        (registers.clone(), expressions(scope))
            .prop_map(|(register, value)| Instruction::Assign { register, value }),
        (registers.clone(), addresses(scope), loads(scope.subset)).prop_map(
            |(register, address, access)| Instruction::Load { register, address, access }
        ),
    ];
    match scope.subset {
        Subset::Everything => prop_oneof![
            4 => common,
            1 => choices(registers.clone()),
            1 => (registers.clone(), addresses(scope), expressions(scope), exclusive_stores())
                .prop_map(|(status, address, value, access)| {
                    Instruction::StoreExclusive { status, address, value, access }
                }),
            2 => all_updates(scope, registers.prop_map(Some).boxed()),
        ]
        .boxed(),
        Subset::Trencher => common.boxed(),
    }
}

fn choices(registers: BoxedStrategy<RegisterId>) -> impl Strategy<Value = Instruction> {
    (registers, values_at_rest(), values_at_rest()).prop_map(|(register, a, b)| {
        Instruction::Choose { register, low: a.min(b), high: a.max(b) }
    })
}

fn all_updates(
    scope: Scope,
    results: BoxedStrategy<Option<RegisterId>>,
) -> impl Strategy<Value = Instruction> {
    let pairs = (expressions(scope), expressions(scope));
    let updates = prop_oneof![
        expressions(scope).prop_map(Update::Exchange),
        (select(&FetchOp::ALL[..]), expressions(scope))
            .prop_map(|(op, operand)| Update::Fetch { op, operand }),
        pairs.clone().prop_map(|(expected, new)| Update::CompareAndSwap { expected, new }),
        pairs.prop_map(|(expected, new)| Update::BlockingReadWrite { expected, new }),
    ];
    let orders = select(vec![
        Order::Plain,
        Order::Volatile,
        Order::Relaxed,
        Order::Acquire,
        Order::Release,
        Order::AcquireRelease,
        Order::SeqCst,
    ]);
    let failures =
        select(vec![None, Some(Order::Relaxed), Some(Order::Acquire), Some(Order::SeqCst)]);
    (results, addresses(scope), updates, accesses(orders, Just(false)), failures).prop_map(
        |(result, address, update, access, failure)| {
            let access = match update {
                Update::CompareAndSwap { .. } => Access { failure, ..access },
                Update::Exchange(_) | Update::Fetch { .. } | Update::BlockingReadWrite { .. } => {
                    access
                }
            };
            // A blocking read-write reads what it expects, so it has no result.
            let result = match update {
                Update::BlockingReadWrite { .. } => None,
                Update::Exchange(_) | Update::Fetch { .. } | Update::CompareAndSwap { .. } => {
                    result
                }
            };
            Instruction::Update { result, address, update, access }
        },
    )
}

fn loads(subset: Subset) -> BoxedStrategy<Access> {
    let orders = [Order::Plain, Order::Volatile, Order::Relaxed, Order::Acquire, Order::SeqCst];
    match subset {
        Subset::Everything => accesses(select(orders.to_vec()), any::<bool>()).boxed(),
        Subset::Trencher => Just(Access::PLAIN).boxed(),
    }
}

fn store_orders() -> impl Strategy<Value = Order> {
    select(vec![Order::Plain, Order::Volatile, Order::Relaxed, Order::Release, Order::SeqCst])
}

fn stores(subset: Subset) -> BoxedStrategy<Access> {
    match subset {
        Subset::Everything => accesses(store_orders(), Just(false)).boxed(),
        Subset::Trencher => Just(Access::PLAIN).boxed(),
    }
}

fn exclusive_stores() -> impl Strategy<Value = Access> {
    accesses(store_orders(), Just(true))
}

fn accesses(
    orders: impl Strategy<Value = Order>,
    exclusive: impl Strategy<Value = bool>,
) -> impl Strategy<Value = Access> {
    let widths = prop_oneof![
        3 => Just(AccessWidth::Cell),
        1 => select(vec![1, 2, 4, 8]).prop_map(AccessWidth::Bytes),
    ];
    (orders, widths, exclusive).prop_map(|(order, width, exclusive)| Access {
        order,
        width,
        exclusive,
        failure: None,
    })
}
