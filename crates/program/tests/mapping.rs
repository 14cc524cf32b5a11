//! The table of mappings in `docs/outcomes.md` is the one that is used.

use program::mapping::{After, Compiled, Updating};
use program::{Access, Expr, FenceKind, Order, Target, Update};

/// A fence in the words of a target.
fn fence(target: Target, kind: FenceKind) -> &'static str {
    let power = match kind {
        FenceKind::Full | FenceKind::StoreLoad => "sync",
        FenceKind::StoreStore => "eieio",
        FenceKind::Control => "isync",
        FenceKind::Lightweight
        | FenceKind::LoadLoad
        | FenceKind::LoadStore
        | FenceKind::Acquire
        | FenceKind::Release => "lwsync",
    };
    let arm = |full, loads, stores, control| match kind {
        FenceKind::Acquire => loads,
        FenceKind::StoreStore => stores,
        FenceKind::Control => control,
        FenceKind::Full => full,
        FenceKind::StoreLoad
        | FenceKind::LoadLoad
        | FenceKind::LoadStore
        | FenceKind::Lightweight
        | FenceKind::Release => panic!("{target:?} has no {kind:?}"),
    };
    let riscv = match kind {
        FenceKind::Full => "fence rw,rw",
        FenceKind::Lightweight => "fence.tso",
        FenceKind::StoreStore => "fence w,w",
        FenceKind::LoadLoad => "fence r,r",
        FenceKind::LoadStore => "fence r,w",
        FenceKind::StoreLoad => "fence w,r",
        FenceKind::Acquire => "fence r,rw",
        FenceKind::Release => "fence rw,w",
        FenceKind::Control => "fence.i",
    };
    match target {
        Target::Power => power,
        Target::ArmV7 => arm("dmb", "dmb", "dmb st", "isb"),
        Target::AArch64 | Target::AArch64Lse => arm("dmb ish", "dmb ishld", "dmb ishst", "isb"),
        Target::RiscV => riscv,
    }
}

fn sequence(target: Target, before: Option<FenceKind>, middle: String, after: After) -> String {
    let after = match after {
        After::Nothing => None,
        After::Fence(kind) => Some(fence(target, kind).to_owned()),
        After::Branch => Some("cmpw; bne; isync".to_owned()),
    };
    let before = before.map(|kind| fence(target, kind).to_owned());
    let parts: Vec<String> = before.into_iter().chain([middle]).chain(after).collect();
    format!("`{}`", parts.join("; "))
}

fn load(target: Target, order: Order) -> String {
    let Compiled { before, order, after } = target.load(order);
    let middle = match (target, order) {
        (Target::Power, Order::Plain) => "lwz",
        (Target::ArmV7 | Target::AArch64 | Target::AArch64Lse, Order::Plain) => "ldr",
        (Target::AArch64 | Target::AArch64Lse, Order::Acquire) => "ldapr",
        (Target::AArch64 | Target::AArch64Lse, Order::SeqCst) => "ldar",
        (Target::RiscV, Order::Plain) => "lw",
        (_, _) => panic!("{target:?} has no such load"),
    };
    sequence(target, before, middle.to_owned(), after)
}

fn store(target: Target, order: Order) -> String {
    let Compiled { before, order, after } = target.store(order);
    let middle = match (target, order) {
        (Target::Power, Order::Plain) => "stw",
        (Target::ArmV7 | Target::AArch64 | Target::AArch64Lse, Order::Plain) => "str",
        (Target::AArch64 | Target::AArch64Lse, Order::Release) => "stlr",
        (Target::RiscV, Order::Plain) => "sw",
        (_, _) => panic!("{target:?} has no such store"),
    };
    sequence(target, before, middle.to_owned(), after)
}

fn update(target: Target, access: Access, update: &Update, instruction: &str) -> String {
    let compiled = target.update(access, update);
    let annotation = |order| match order {
        Order::Plain => "",
        Order::Acquire => ".aq",
        Order::Release => ".rl",
        Order::AcquireRelease => ".aqrl",
        Order::Volatile | Order::Relaxed | Order::SeqCst => panic!("no annotation"),
    };
    let suffix = |order| match order {
        Order::Plain => "",
        Order::Acquire => "a",
        Order::Release => "l",
        Order::AcquireRelease => "al",
        Order::Volatile | Order::Relaxed | Order::SeqCst => panic!("no suffix"),
    };
    let middle = match (target, compiled.updating) {
        (Target::Power, Updating::Loop { .. }) => "lwarx…stwcx.".to_owned(),
        (Target::ArmV7, Updating::Loop { .. }) => "ldrex…strex".to_owned(),
        (Target::AArch64, Updating::Loop { load, store }) => {
            format!("ld{}xr…st{}xr", suffix(load), suffix(store))
        }
        (Target::AArch64Lse, Updating::Instruction(order)) => {
            format!("{instruction}{}", suffix(order))
        }
        (Target::RiscV, Updating::Loop { load, store }) => {
            format!("lr{}…sc{}", annotation(load), annotation(store))
        }
        (Target::RiscV, Updating::Instruction(order)) => {
            format!("amo{instruction}{}", annotation(order))
        }
        (_, _) => panic!("{target:?} has no such update"),
    };
    sequence(target, compiled.before, middle, compiled.after)
}

fn row(what: &str, cell: impl Fn(Target) -> String) -> String {
    let cells: Vec<String> = Target::ALL.into_iter().map(cell).collect();
    format!("| {what} | {} |\n", cells.join(" | "))
}

fn table() -> String {
    let mut table = "| | `power` | `armv7` | `aarch64` | `aarch64-lse` | `riscv` |\n\
                     |---|---|---|---|---|---|\n"
        .to_owned();
    for (name, order) in
        [("relaxed", Order::Relaxed), ("acquire", Order::Acquire), ("seq_cst", Order::SeqCst)]
    {
        table += &row(&format!("load, `{name}`"), |target| load(target, order));
    }
    for (name, order) in
        [("relaxed", Order::Relaxed), ("release", Order::Release), ("seq_cst", Order::SeqCst)]
    {
        table += &row(&format!("store, `{name}`"), |target| store(target, order));
    }
    let orders = [
        ("relaxed", Order::Relaxed),
        ("acquire", Order::Acquire),
        ("release", Order::Release),
        ("acq_rel", Order::AcquireRelease),
        ("seq_cst", Order::SeqCst),
    ];
    let exchange = Update::Exchange(Expr::Const(1));
    for (name, order) in orders {
        let cell = |target| {
            let name = if target == Target::RiscV { "swap" } else { "swp" };
            update(target, Access::with_order(order), &exchange, name)
        };
        table += &row(&format!("exchange, `{name}`"), cell);
    }
    let cas = Update::CompareAndSwap { expected: Expr::Const(0), new: Expr::Const(1) };
    for (name, order) in orders {
        let cell = |target| update(target, Access::with_order(order), &cas, "cas");
        table += &row(&format!("compare-and-swap, `{name}`"), cell);
    }
    for (name, kind) in [
        ("acquire", FenceKind::Acquire),
        ("release", FenceKind::Release),
        ("acq_rel", FenceKind::Lightweight),
        ("seq_cst", FenceKind::Full),
    ] {
        let cell = |target: Target| format!("`{}`", fence(target, target.fence(kind)));
        table += &row(&format!("fence, `{name}`"), cell);
    }
    table
}

#[test]
fn the_documentation_has_the_table() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/outcomes.md");
    let text = std::fs::read_to_string(page).expect("a page");
    let table = table();
    assert!(text.contains(&table), "docs/outcomes.md should contain\n\n{table}");
}

/// A compare-and-swap with two orders: what it becomes if it succeeds, and what follows if it fails.
#[test]
fn a_compare_and_swap_has_an_order_for_both_ends() {
    let cas = Update::CompareAndSwap { expected: Expr::Const(0), new: Expr::Const(1) };
    let compiled = |success, failure| {
        let access = Access::with_order(success).failing(failure);
        Target::ALL.map(|target| update(target, access, &cas, "cas"))
    };
    let alike = |success, failure, as_if| {
        let other =
            Target::ALL.map(|target| update(target, Access::with_order(as_if), &cas, "cas"));
        assert_eq!(compiled(success, failure), other, "{success}, {failure}");
    };
    alike(Order::SeqCst, Order::Relaxed, Order::SeqCst);
    alike(Order::AcquireRelease, Order::Relaxed, Order::AcquireRelease);
    alike(Order::AcquireRelease, Order::Acquire, Order::AcquireRelease);
    alike(Order::Acquire, Order::Relaxed, Order::Acquire);
    assert_eq!(
        compiled(Order::Release, Order::Acquire),
        [
            "`lwsync; lwarx…stwcx.; cmpw; bne; isync`",
            "`dmb; ldrex…strex`",
            "`ldaxr…stlxr`",
            "`casal`",
            "`lr.aq…sc.rl`"
        ]
    );
    assert_eq!(
        compiled(Order::Relaxed, Order::SeqCst),
        [
            "`sync; lwarx…stwcx.; cmpw; bne; isync`",
            "`ldrex…strex`",
            "`ldaxr…stlxr`",
            "`casal`",
            "`lr.aqrl…sc.rl`"
        ]
    );
    for success in [Order::Relaxed, Order::Release, Order::AcquireRelease, Order::SeqCst] {
        for (failure, power, arm) in [
            (Order::Relaxed, After::Nothing, After::Nothing),
            (Order::Acquire, After::Branch, After::Fence(FenceKind::Full)),
            (Order::SeqCst, After::Branch, After::Fence(FenceKind::Full)),
        ] {
            let access = Access::with_order(success).failing(failure);
            let found = Target::ALL.map(|target| target.update(access, &cas).after_failure);
            let nothing = After::Nothing;
            assert_eq!(found, [power, arm, nothing, nothing, nothing], "{success}, {failure}");
        }
    }
}
