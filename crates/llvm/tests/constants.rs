//! Every form of a constant, and the data that it is read as.

#[path = "support/fixture.rs"]
mod fixture;

use fixture::{Fixture, opaque, operand, typed};
use llvm::{
    BinaryOp, CastOp, Constant, ConstantExpression, IntegerPredicate, Operation, Type, Value,
};

/// The value that `ret T VALUE` returns.
fn returned(read: &Fixture) -> &Constant {
    let Operation::Return(Some(value)) = read.operation() else {
        panic!("{:?}", read.operation());
    };
    let Value::Constant(constant) = &value.value else { panic!("{value:?}") };
    constant
}

fn check(mut read: Fixture, expected: impl FnOnce(&mut Fixture) -> Constant) {
    let expected = expected(&mut read);
    assert_eq!(*returned(&read), expected);
    let again = llvm::parse(&llvm::print(&read.module)).expect("our own printing");
    assert_eq!(llvm::print(&read.module), llvm::print(&again));
}

#[test]
fn numbers() {
    let top = i128::MIN;
    for (text, value) in [
        ("i32 0", 0),
        ("i32 -2147483648", -2_147_483_648),
        ("i1 true", 1),
        ("i1 false", 0),
        ("i8 u0xff", 255),
        ("i8 u0x7F", 127),
        ("i8 s0xFF", -1),
        // LLVM takes the highest bit that is set for the sign.
        ("i16 s0x7F", -1),
        ("i16 s0x80", -128),
        ("i16 s0x0", 0),
        ("i128 170141183460469231731687303715884105727", i128::MAX),
        ("i128 -170141183460469231731687303715884105728", top),
        ("i128 340282366920938463463374607431768211455", -1),
        ("i128 u0x80000000000000000000000000000000", top),
    ] {
        check(opaque(&format!("ret {text}")), |_| Constant::Integer(value));
    }
    for text in [
        "float 1.000000e+00",
        "double 0x7FF0000000000000",
        "double -1.5",
        "double 1.0e-10",
        "x86_fp80 0xK3FFFA000000000000000",
        "fp128 0xL00000000000000004000400000000000",
        "half 0xH3C00",
        "bfloat 0xR3F80",
        "float f0x3F800000",
        "i256 57896044618658097711785492504343953926634992332820282019728792003956564819967",
    ] {
        let (_, number) = text.split_once(' ').expect("a type and a number");
        check(opaque(&format!("ret {text}")), |_| Constant::Number(number.to_owned()));
    }
}

#[test]
fn simple_ones() {
    check(opaque("ret ptr null"), |_| Constant::Null);
    check(opaque("ret i32 undef"), |_| Constant::Undef);
    check(opaque("ret i32 poison"), |_| Constant::Poison);
    check(opaque("ret %pair zeroinitializer"), |_| Constant::Zero);
    check(opaque("ret token none"), |_| Constant::NoToken);
    check(opaque("ret ptr @g"), |f| Constant::Symbol(f.symbol("g")));
    check(opaque("ret ptr @\"odd name\\22\""), |f| Constant::Symbol(f.symbol("odd name\"")));
    check(opaque("ret [4 x i8] c\"a\\00\\5C\\22\""), |_| Constant::Bytes(b"a\0\\\"".to_vec()));
    check(opaque("ret ptr blockaddress(@f, %next)"), |f| {
        Constant::BlockAddress(f.symbol("f"), "next".to_owned())
    });
    for text in [
        "dso_local_equivalent @callee",
        "no_cfi @callee",
        "ptrauth (ptr @g, i32 2, i64 5)",
        "extractelement (<4 x i32> zeroinitializer, i32 1)",
        "fcmp oeq (float 1.0, float 2.0)",
    ] {
        check(opaque(&format!("ret ptr {text}")), |_| Constant::Other(text.to_owned()));
    }
}

#[test]
fn aggregates() {
    check(opaque("ret [2 x i32] [i32 1, i32 2]"), |f| {
        Constant::Array(vec![f.constant(32, 1), f.constant(32, 2)])
    });
    check(opaque("ret [0 x i32] []"), |_| Constant::Array(Vec::new()));
    check(opaque("ret <2 x i32> <i32 1, i32 2>"), |f| {
        Constant::Vector(vec![f.constant(32, 1), f.constant(32, 2)])
    });
    check(opaque("ret <4 x i32> splat (i32 7)"), |f| Constant::Vector(vec![f.constant(32, 7)]));
    check(opaque("ret %pair { i32 1, i64 2 }"), |f| {
        Constant::Struct(vec![f.constant(32, 1), f.constant(64, 2)])
    });
    check(opaque("ret <{ i8, ptr }> <{ i8 1, ptr @g }>"), |f| {
        Constant::Struct(vec![f.constant(8, 1), f.address("g")])
    });
    check(opaque("ret {} {}"), |_| Constant::Struct(Vec::new()));
    check(opaque("ret [1 x { [1 x i8] }] [{ [1 x i8] } { [1 x i8] c\"x\" }]"), |f| {
        let element = f.int(8);
        let array = f.ty(Type::Array { length: 1, element });
        let structure = f.ty(Type::Struct { fields: vec![array], packed: false });
        let inner = operand(array, Constant::Bytes(b"x".to_vec()));
        Constant::Array(vec![operand(structure, Constant::Struct(vec![inner]))])
    });
}

fn expression(expression: ConstantExpression) -> Constant {
    Constant::Expression(Box::new(expression))
}

#[test]
fn expressions() {
    for flags in ["", " inbounds", " inbounds nuw", " inbounds inrange(-16, 8)"] {
        check(
            opaque(&format!("ret ptr getelementptr{flags} (%pair, ptr @g, i64 0, i32 1)")),
            |f| {
                expression(ConstantExpression::GetElementPtr {
                    element: f.pair(),
                    base: f.address("g"),
                    indices: vec![f.constant(64, 0), f.constant(32, 1)],
                })
            },
        );
    }
    check(typed("ret i32* getelementptr (i32, i32* @g, inrange i32 3)"), |f| {
        let element = f.int(32);
        let pointer = f.to(element);
        let base = operand(pointer, Constant::Symbol(f.symbol("g")));
        expression(ConstantExpression::GetElementPtr {
            element,
            base,
            indices: vec![f.constant(32, 3)],
        })
    });
    for (word, op, from, to) in [
        ("ptrtoint", CastOp::PtrToInt, "ptr @g", "i64"),
        ("ptrtoaddr", CastOp::PtrToAddr, "ptr @g", "i64"),
        ("addrspacecast", CastOp::AddrSpaceCast, "ptr @g", "ptr addrspace(1)"),
        ("bitcast", CastOp::BitCast, "ptr @g", "ptr"),
    ] {
        check(opaque(&format!("ret {to} {word} ({from} to {to})")), |f| {
            expression(ConstantExpression::Cast { op, value: f.address("g") })
        });
    }
    for flags in ["", " nuw", " nuw nsw"] {
        check(opaque(&format!("ret i64 sub{flags} (i64 ptrtoint (ptr @g to i64), i64 1)")), |f| {
            let value = f.address("g");
            let cast = expression(ConstantExpression::Cast { op: CastOp::PtrToInt, value });
            let left = operand(f.int(64), cast);
            let right = f.constant(64, 1);
            expression(ConstantExpression::Binary { op: BinaryOp::Sub, left, right })
        });
    }
    check(opaque("ret i1 icmp ne (ptr @g, ptr null)"), |f| {
        let (left, pointer) = (f.address("g"), f.ptr());
        let right = operand(pointer, Constant::Null);
        expression(ConstantExpression::Compare { predicate: IntegerPredicate::Ne, left, right })
    });
    check(opaque("ret i32 select (i1 true, i32 1, i32 2)"), |f| {
        expression(ConstantExpression::Select {
            condition: f.constant(1, 1),
            then: f.constant(32, 1),
            otherwise: f.constant(32, 2),
        })
    });
}

#[test]
fn a_callee_can_be_an_expression() {
    let read = typed("%r = call i64 bitcast (i32 (i32, ...)* @callee to i64 (float)*)(float %x)");
    let Operation::Call(call) = read.operation() else { panic!("{:?}", read.operation()) };
    let Value::Constant(Constant::Expression(cast)) = &call.callee else { panic!("{call:?}") };
    assert!(matches!(**cast, ConstantExpression::Cast { op: CastOp::BitCast, .. }));
    let printed = llvm::print(&read.module);
    assert!(printed.contains("bitcast (i32 (i32, ...)* @callee to i64 (float)*)(float %x)"));
}
