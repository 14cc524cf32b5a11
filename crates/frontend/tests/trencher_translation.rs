//! Programs of the whole model in Trencher's language.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use expect_test::{Expect, expect};
use frontend::trencher;
use program::{
    Access, BinaryOp, Count, Domain, Expr, FenceKind, FetchOp, Identity, Instruction, Location,
    LocationId, Order, Outside, ProgramBuilder, Register, RegisterId, Span, TemplateBuilder,
    Update,
};

/// The text of a thread that executes `instructions` one after the other, with the locations `x`
/// and `a[3]` and the registers `r` and `s`, of which `s` starts with 1 and stays below 8.
#[expect(clippy::many_single_char_names, reason = "they are the names in the program")]
fn check(instructions: impl FnOnce(Names) -> Vec<Instruction>, expected: &Expect) {
    let mut builder = ProgramBuilder::new("test", Outside::Fault);
    let x = builder.location(Location::scalar("x", 0));
    let a = builder.location(Location {
        length: Some(3),
        stride: 2,
        domain: Domain::Range { low: 0, high: 9 },
        ..Location::scalar("a", 1)
    });
    let mut thread = TemplateBuilder::new("p", Span::NONE);
    let i = thread.integer_register("i");
    let r = thread.integer_register("r");
    let s = thread.register(Register {
        name: "s".to_owned(),
        initial: 1,
        domain: Domain::Range { low: 0, high: 7 },
        generated: false,
    });
    thread.count(Count::Exactly(1));
    thread.identity(Identity { register: i, first: 1 });
    let initial = thread.named_label("start here");
    let mut at = initial;
    for (number, instruction) in instructions(Names { x, a, i, r, s }).into_iter().enumerate() {
        let next = thread.named_label(format!("q{number}"));
        thread.bare_edge(at, next, instruction);
        at = next;
    }
    builder.template(thread.build(initial));
    let text = match trencher::print(&builder.build().expect("a valid program")) {
        Ok(text) => text,
        Err(errors) => errors.into_iter().map(|error| error.message + "\n").collect(),
    };
    expected.assert_eq(&text);
}

#[derive(Clone, Copy)]
struct Names {
    x: LocationId,
    a: LocationId,
    i: RegisterId,
    r: RegisterId,
    s: RegisterId,
}

fn element(location: LocationId, index: Expr) -> Expr {
    Expr::Element(location, Box::new(index))
}

#[test]
fn elements_become_addresses_and_ranges_become_checks() {
    check(
        |Names { x, a, i, r, s }| {
            let store =
                |address, value| Instruction::Store { address, value, access: Access::PLAIN };
            let (i, access) = (Expr::Register(i), Access::PLAIN);
            vec![
                store(Expr::address(x), Expr::Register(r)),
                store(element(a, i), Expr::Const(9)),
                store(element(a, Expr::Register(s)), Expr::Register(r)),
                store(element(a, Expr::Const(3)), Expr::Const(0)),
                Instruction::Load { register: s, address: Expr::address(x), access },
                Instruction::Choose { register: s, low: 6, high: 8 },
                Instruction::Assert(Expr::Register(r)),
                Instruction::Fence(FenceKind::Lightweight),
                Instruction::Fence(FenceKind::StoreLoad),
            ]
        },
        &expect![[r#"
            # x is at 0
            # a has 3 cells from 1, every 2
            # left out: that assertions fail; a check that is false blocks instead

            thread p[1]
            initial start
            transition start start_here local s 1
            transition start_here q0 write r 0
            transition q0 q1 write 9 3
            transition q1 q1_1 check && && <= 0 s <= s 2 && <= 0 r <= r 9
            transition q1_1 q2 write r + 1 * s 2
            transition q2 q2_1 check 0
            transition q2_1 q3 write 0 0
            transition q3 q3_1 read s 0
            transition q3_1 q4 check && <= 0 s <= s 7
            transition q4 q5 local s 6
            transition q4 q5 local s 7
            transition q4 q4_1 noop
            transition q5 q6 check r
            transition q6 q7 noop
            transition q7 q8 mfence
            end
        "#]],
    );
}

#[test]
fn updates_become_locked_sections() {
    check(
        |Names { x, r, s, .. }| {
            let access = Access::with_order(Order::SeqCst);
            let update = |result, update| Instruction::Update {
                result,
                address: Expr::address(x),
                update,
                access,
            };
            let add = |operand| Update::Fetch { op: FetchOp::Add, operand };
            let (r_value, one) = (Expr::Register(r), Expr::Const(1));
            let pair = || (Expr::Register(r), Expr::Const(1));
            let (expected, new) = pair();
            let cas = Update::CompareAndSwap { expected, new };
            let (expected, new) = pair();
            let wait = Update::BlockingReadWrite { expected, new };
            vec![
                Instruction::Store { address: Expr::address(x), value: one.clone(), access },
                update(Some(r), add(one.clone())),
                update(Some(s), Update::Exchange(r_value)),
                update(Some(r), cas),
                update(None, wait),
                Instruction::Lock,
                update(None, add(one)),
                Instruction::Unlock,
            ]
        },
        &expect![[r#"
            # x is at 0
            # a has 3 cells from 1, every 2

            thread p[1]
            initial start
            transition start start_here local s 1
            transition start_here start_here_1 lock
            transition start_here_1 start_here_2 write 1 0
            transition start_here_2 q0 unlock
            transition q0 q0_1 lock
            transition q0_1 q0_2 read r 0
            transition q0_2 q0_3 write + r 1 0
            transition q0_3 q1 unlock
            transition q1 q1_1 lock
            transition q1_1 q1_2 read scratch 0
            transition q1_2 q1_3 check && <= 0 scratch <= scratch 7
            transition q1_2 q1_5 check ! && <= 0 scratch <= scratch 7
            transition q1_3 q1_6 write r 0
            transition q1_6 q1_7 unlock
            transition q1_7 q2 local s scratch
            transition q1_5 q1_4 unlock
            transition q2 q2_1 lock
            transition q2_1 q2_2 read scratch 0
            transition q2_2 q2_3 check == scratch r
            transition q2_2 q2_6 check != scratch r
            transition q2_3 q2_4 write 1 0
            transition q2_4 q2_5 unlock
            transition q2_5 q3 local r scratch
            transition q2_6 q2_7 unlock
            transition q2_7 q3 local r scratch
            transition q3 q3_1 lock
            transition q3_1 q3_2 read scratch 0
            transition q3_2 q3_3 check == scratch r
            transition q3_2 q3_5 check != scratch r
            transition q3_3 q3_4 write 1 0
            transition q3_4 q4 unlock
            transition q3_5 q3 unlock
            transition q4 q5 lock
            transition q5 q5_1 mfence
            transition q5_1 q5_2 read scratch 0
            transition q5_2 q5_3 write + scratch 1 0
            transition q5_3 q6 mfence
            transition q6 q7 unlock
            end
        "#]],
    );
}

#[test]
fn what_cannot_be_expressed_is_named() {
    check(
        |Names { x, r, .. }| {
            let value = Expr::binary(BinaryOp::Div, Expr::Register(r), Expr::Const(2));
            let exclusive = Access { exclusive: true, ..Access::PLAIN };
            vec![
                Instruction::Assign { register: r, value },
                Instruction::Load { register: r, address: Expr::address(x), access: exclusive },
                Instruction::Load {
                    register: r,
                    address: Expr::Register(r),
                    access: Access::PLAIN,
                },
                Instruction::Choose { register: r, low: 0, high: 64 },
            ]
        },
        &expect![[r#"
            thread `p`, label `start here`: a division cannot be expressed in Trencher's language
            thread `p`, label `q0`: an exclusive access cannot be expressed in Trencher's language
            thread `p`, label `q1`: a computed address in memory with gaps cannot be expressed in Trencher's language
            thread `p`, label `q2`: a choice of more than 64 values cannot be expressed in Trencher's language
        "#]],
    );
}
