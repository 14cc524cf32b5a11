//! Classic litmus tests with the verdicts that the papers give.

mod mutants;
mod shapes;

use axiomatic::Model;
use program::{FenceKind, Order};
use shapes::Between::{self, Addr, Ctrl, CtrlFence, Data, Orders, Po};
use shapes::families::*;
use shapes::preserved::*;
use shapes::{Dep, Op, Test, r, w};

const FULL: Between = Between::Fence(FenceKind::Full);
const LIGHTWEIGHT: Between = Between::Fence(FenceKind::Lightweight);
const STORES: Between = Between::Fence(FenceKind::StoreStore);
const LOADS: Between = Between::Fence(FenceKind::Acquire);
const LOAD_LOAD: Between = Between::Fence(FenceKind::LoadLoad);
const LOAD_STORE: Between = Between::Fence(FenceKind::LoadStore);
const STORE_LOAD: Between = Between::Fence(FenceKind::StoreLoad);
const TO_STORES: Between = Between::Fence(FenceKind::Release);

#[track_caller]
fn check(model: Model, allowed: Vec<Test>, forbidden: Vec<Test>) {
    let cases = allowed.into_iter().map(|test| (test, true));
    for (test, expected) in cases.chain(forbidden.into_iter().map(|test| (test, false))) {
        assert_eq!(test.allowed(model), expected, "{model}: {test:?}");
    }
}

/// Every family with the same between all accesses.
fn all_with(between: Between) -> Vec<Test> {
    let pairs = [sb, mp, lb, s, r_, two_plus_two_w, wrc, rwc, iriw];
    let triples = [isa2, w_rwc].map(|family| family(between, between, between));
    pairs.map(|family| family(between, between)).into_iter().chain(triples).collect()
}

#[test]
fn models_are_found_by_their_names() {
    for model in Model::ALL {
        assert_eq!(Model::from_name(model.name()), Some(model));
    }
    assert_eq!(Model::from_name("none"), None);
}

#[test]
fn what_distinguishes_the_preserved_program_orders() {
    check(Model::ArmV7, vec![overwriting_the_message()], vec![]);
    check(Model::Power, vec![], vec![overwriting_the_message(), after_an_overwritten_write()]);
    for model in [Model::AArch64, Model::RiscV] {
        check(model, vec![reading_around_a_write()], vec![after_an_overwritten_write()]);
    }
    for model in [Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV] {
        // A fence for stores does nothing for loads.
        check(model, vec![mp(FULL, STORES)], vec![detour(), after_a_dependent_address()]);
    }
}

#[test]
fn no_model_allows_incoherence_or_passes_full_fences() {
    for model in Model::ALL {
        check(model, vec![], incoherent());
        let (allowed, forbidden) = if model == Model::Rmo {
            (incoherent_reads(), vec![])
        } else {
            (vec![], incoherent_reads())
        };
        check(model, allowed, forbidden);
        check(model, vec![], all_with(FULL));
    }
}

#[test]
fn sequential_consistency_allows_none() {
    check(Model::Sc, vec![], all_with(Po));
}

#[test]
fn weak_models_allow_all_without_fences() {
    for model in [Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV] {
        check(model, all_with(Po), vec![]);
    }
}

#[test]
fn total_store_order() {
    let allowed = vec![
        sb(Po, Po),
        sb(FULL, Po),
        sb(LIGHTWEIGHT, LIGHTWEIGHT),
        sb(Orders(Order::Release, Order::Acquire), Po),
        r_(Po, Po),
        rwc(Po, Po),
        w_rwc(Po, Po, Po),
    ];
    let forbidden = vec![
        mp(Po, Po),
        lb(Po, Po),
        s(Po, Po),
        two_plus_two_w(Po, Po),
        wrc(Po, Po),
        isa2(Po, Po, Po),
        iriw(Po, Po),
        r_(Po, FULL),
        rwc(Po, FULL),
        sb(STORE_LOAD, STORE_LOAD),
        sb(Orders(Order::SeqCst, Order::SeqCst), FULL),
    ];
    check(Model::Tso, allowed, forbidden);
}

#[test]
fn partial_store_order() {
    let allowed = vec![
        sb(Po, Po),
        mp(Po, Po),
        s(Po, Po),
        two_plus_two_w(Po, STORES),
        isa2(Po, Po, Po),
        r_(STORES, Po),
        sb(STORES, STORES),
    ];
    let forbidden = vec![
        mp(STORES, Po),
        mp(Orders(Order::Plain, Order::Release), Po),
        s(STORES, Po),
        two_plus_two_w(STORES, STORES),
        isa2(STORES, Po, Po),
        lb(Po, Po),
        wrc(Po, Po),
        iriw(Po, Po),
        sb(STORE_LOAD, FULL),
    ];
    check(Model::Pso, allowed, forbidden);
}

/// Two reads of one address, between which there is this, see a write and then an older one.
fn reads_of_one_address(between: Between) -> Test {
    let reader = shapes::pair(r(0), between, r(0));
    Test { threads: vec![vec![w(0, 1)], reader], read: vec![1, 0], memory: vec![] }
}

/// Load buffering in which each thread reads from a dependent address before it writes.
fn lb_around_addresses() -> Test {
    let thread = |first: usize, second: usize| {
        vec![r(first), Op::R(2, Dep::Addr, Order::Plain), w(second, 1)]
    };
    let threads = vec![thread(0, 1), thread(1, 0)];
    Test { threads, read: vec![1, 0, 1, 0], memory: vec![] }
}

#[test]
fn relaxed_memory_order() {
    let allowed = vec![
        sb(Po, Po),
        mp(Po, Po),
        mp(STORES, Po),
        mp(STORES, Ctrl),
        mp(STORES, CtrlFence),
        mp(Po, Addr),
        lb(Po, Data),
        lb_around_addresses(),
        s(STORES, Po),
        r_(STORES, STORES),
        two_plus_two_w(STORES, Po),
        wrc(Po, Addr),
        wrc(Data, Po),
        wrc(Data, Ctrl),
        iriw(Po, Po),
        iriw(Addr, Po),
        isa2(STORES, Data, Ctrl),
        reads_of_one_address(Po),
        reads_of_one_address(Ctrl),
        reads_of_one_address(STORES),
        through_a_local_write(Po),
        sb(LIGHTWEIGHT, LIGHTWEIGHT),
    ];
    let forbidden = vec![
        sb(FULL, FULL),
        sb(STORE_LOAD, STORE_LOAD),
        mp(STORES, Addr),
        mp(STORES, LOAD_LOAD),
        mp(TO_STORES, LOADS),
        mp(Orders(Order::Plain, Order::Release), Orders(Order::Acquire, Order::Plain)),
        lb(Data, Data),
        lb(Data, Ctrl),
        lb(Addr, Addr),
        lb(LOAD_STORE, LOAD_STORE),
        s(STORES, Data),
        s(STORES, Ctrl),
        two_plus_two_w(STORES, STORES),
        wrc(Data, Addr),
        wrc(Ctrl, LOAD_LOAD),
        iriw(Addr, Addr),
        iriw(LOAD_LOAD, LOADS),
        isa2(STORES, Data, Addr),
        r_(STORES, FULL),
        reads_of_one_address(LOAD_LOAD),
        reads_of_one_address(Addr),
        reads_of_one_address(Orders(Order::Acquire, Order::Plain)),
        through_a_local_write(Data),
        through_a_local_write(Addr),
    ];
    check(Model::Rmo, allowed, forbidden);
    for machine in [Model::Power, Model::ArmV7, Model::AArch64, Model::RiscV] {
        check(machine, vec![], vec![lb_around_addresses(), reads_of_one_address(Po)]);
    }
}

/// Message passing whose stores have a releasing one between them. The fence that compilers put before it on
/// SPARC is there for later stores too; where releasing is part of the instruction, it is not.
#[test]
fn a_releasing_store_between_stores() {
    let between = |order| Test {
        threads: vec![vec![w(0, 1), Op::W(1, 1, Dep::No, order), w(2, 1)], vec![r(2), r(0)]],
        read: vec![1, 0],
        memory: vec![],
    };
    check(Model::Pso, vec![between(Order::Relaxed)], vec![between(Order::Release)]);
    check(Model::Rmo, vec![between(Order::Relaxed)], vec![]);
    check(Model::AArch64, vec![between(Order::Release)], vec![]);
    // Between the releasing store and later ones nothing is in order.
    let after = Test {
        threads: vec![vec![Op::W(1, 1, Dep::No, Order::Release), w(2, 1)], vec![r(2), r(1)]],
        read: vec![1, 0],
        memory: vec![],
    };
    check(Model::Pso, vec![after], vec![]);
}

#[test]
fn power() {
    let allowed = vec![
        mp(LIGHTWEIGHT, Po),
        mp(LIGHTWEIGHT, Ctrl),
        mp(Po, Addr),
        sb(LIGHTWEIGHT, LIGHTWEIGHT),
        sb(FULL, LIGHTWEIGHT),
        lb(Data, Po),
        wrc(Addr, Addr),
        wrc(Data, Addr),
        iriw(Addr, Addr),
        iriw(LIGHTWEIGHT, LIGHTWEIGHT),
        r_(LIGHTWEIGHT, FULL),
        s(LIGHTWEIGHT, Po),
        rwc(Addr, FULL),
        w_rwc(LIGHTWEIGHT, LIGHTWEIGHT, FULL),
        z6_0(LIGHTWEIGHT, Data, FULL),
        z6_0(FULL, Po, FULL),
        wrr_2w(LIGHTWEIGHT, FULL),
        wrr_2w(FULL, LIGHTWEIGHT),
        after_what_was_overwritten(Po),
        through_a_local_write(Ctrl),
        reading_twice(false),
    ];
    let forbidden = vec![
        mp(LIGHTWEIGHT, Addr),
        mp(LIGHTWEIGHT, LIGHTWEIGHT),
        mp(LIGHTWEIGHT, CtrlFence),
        mp(STORES, Addr),
        mp(Orders(Order::Plain, Order::Release), Orders(Order::Acquire, Order::Plain)),
        sb(Orders(Order::SeqCst, Order::SeqCst), Orders(Order::SeqCst, Order::SeqCst)),
        lb(Data, Data),
        lb(Addr, Ctrl),
        s(LIGHTWEIGHT, Data),
        two_plus_two_w(LIGHTWEIGHT, LIGHTWEIGHT),
        wrc(LIGHTWEIGHT, Addr),
        isa2(LIGHTWEIGHT, Addr, Addr),
        isa2(LIGHTWEIGHT, Data, CtrlFence),
        w_rwc(LIGHTWEIGHT, FULL, FULL),
        z6_0(FULL, Data, FULL),
        z6_0(FULL, Ctrl, FULL),
        wrr_2w(FULL, FULL),
        after_what_was_overwritten(Addr),
        after_what_was_overwritten(Data),
        after_what_was_overwritten(Ctrl),
        through_a_local_write(Addr),
        through_a_local_write(Data),
        reading_twice(true),
    ];
    check(Model::Power, allowed, forbidden);
}

#[test]
fn armv7() {
    let allowed = vec![
        mp(FULL, Po),
        mp(FULL, Ctrl),
        sb(FULL, STORES),
        lb(Data, Po),
        wrc(Addr, Addr),
        iriw(Addr, Addr),
        after_what_was_overwritten(Addr),
        after_what_was_overwritten(Data),
        after_what_was_overwritten(Ctrl),
        through_a_local_write(Ctrl),
        reading_twice(false),
    ];
    let forbidden = vec![
        mp(FULL, Addr),
        mp(FULL, CtrlFence),
        mp(STORES, Addr),
        mp(Orders(Order::Plain, Order::Release), Orders(Order::Acquire, Order::Plain)),
        lb(Data, Data),
        lb(Ctrl, Addr),
        wrc(FULL, Addr),
        isa2(FULL, Addr, Addr),
        s(FULL, Data),
        two_plus_two_w(STORES, STORES),
        w_rwc(STORES, FULL, FULL),
        z6_0(FULL, Data, FULL),
        z6_0(STORES, Data, FULL),
        wrr_2w(FULL, STORES),
        through_a_local_write(Addr),
        reading_twice(true),
    ];
    check(Model::ArmV7, allowed, forbidden);
}

#[test]
fn imm() {
    let release = Orders(Order::Relaxed, Order::Release);
    let allowed = vec![lb(Po, release), lb(Addr, Po), mp(Po, Addr), mp(release, Addr)];
    let forbidden = vec![
        lb(Addr, release),
        lb(Data, release),
        lb(Ctrl, release),
        lb(FULL, LIGHTWEIGHT),
        after_a_dependent_address(),
    ];
    check(Model::Imm, allowed, forbidden);
}

#[test]
fn aarch64() {
    let release = Orders(Order::Plain, Order::Release);
    let acquire = Orders(Order::SeqCst, Order::Plain);
    let acquire_pc = Orders(Order::Acquire, Order::Plain);
    let allowed = vec![
        mp(STORES, Po),
        mp(STORES, Ctrl),
        mp(Po, LOADS),
        mp(release, Po),
        sb(LOADS, LOADS),
        sb(STORES, FULL),
        sb(Orders(Order::Release, Order::Acquire), Orders(Order::Release, Order::Acquire)),
        lb(Data, Po),
        wrc(Addr, Po),
        iriw(Addr, Po),
        through_a_local_write(Ctrl),
        reading_twice(false),
    ];
    let forbidden = vec![
        mp(STORES, Addr),
        mp(STORES, LOADS),
        mp(STORES, CtrlFence),
        mp(release, acquire),
        mp(release, acquire_pc),
        sb(Orders(Order::Release, Order::SeqCst), Orders(Order::SeqCst, Order::SeqCst)),
        lb(Data, Data),
        lb(Ctrl, Addr),
        lb(LOADS, LOADS),
        s(STORES, Data),
        two_plus_two_w(STORES, STORES),
        // Multi-copy atomicity.
        wrc(Addr, Addr),
        wrc(Data, Addr),
        iriw(Addr, Addr),
        iriw(LOADS, LOADS),
        isa2(STORES, Data, Addr),
        r_(STORES, FULL),
        rwc(Addr, FULL),
        reading_twice(true),
        through_a_local_write(Addr),
        through_a_local_write(Data),
    ];
    check(Model::AArch64, allowed, forbidden);
}

#[test]
fn riscv() {
    let release = Orders(Order::Plain, Order::Release);
    let acquire = Orders(Order::Acquire, Order::Plain);
    let allowed = vec![
        mp(STORES, Po),
        mp(STORES, Ctrl),
        mp(release, Po),
        sb(LIGHTWEIGHT, LIGHTWEIGHT),
        sb(STORE_LOAD, TO_STORES),
        // The fences beside accesses that release and acquire let a store pass a later load.
        sb(Orders(Order::Release, Order::Plain), Orders(Order::Release, Order::Plain)),
        sb(Orders(Order::Release, Order::Acquire), Orders(Order::Release, Order::Acquire)),
        lb(Data, Po),
        wrc(Addr, Po),
        through_a_local_write(Ctrl),
        reading_twice(false),
    ];
    let forbidden = vec![
        mp(STORES, LOAD_LOAD),
        mp(LIGHTWEIGHT, LIGHTWEIGHT),
        mp(TO_STORES, LOADS),
        mp(STORES, Addr),
        mp(release, acquire),
        sb(STORE_LOAD, STORE_LOAD),
        sb(Orders(Order::SeqCst, Order::SeqCst), Orders(Order::SeqCst, Order::SeqCst)),
        lb(Data, Data),
        lb(Ctrl, Addr),
        lb(TO_STORES, TO_STORES),
        s(STORES, Data),
        two_plus_two_w(STORES, STORES),
        wrc(Addr, Addr),
        iriw(Addr, Addr),
        iriw(LOAD_LOAD, LOAD_LOAD),
        isa2(STORES, Data, Addr),
        r_(STORES, FULL),
        through_a_local_write(Addr),
        through_a_local_write(Data),
        reading_twice(true),
    ];
    check(Model::RiscV, allowed, forbidden);
}
