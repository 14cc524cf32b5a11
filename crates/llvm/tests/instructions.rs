//! Every instruction in its forms, and the data that it is read as.

#[path = "support/fixture.rs"]
mod fixture;

use fixture::{Fixture, opaque, operand, typed};
use llvm::{
    Asm, BinaryOp, Call, CastOp, Constant, FloatPredicate, IntegerPredicate, Operation, Ordering,
    RmwOp, Type, Value,
};

fn check(mut read: Fixture, expected: impl FnOnce(&mut Fixture) -> Operation) {
    let expected = expected(&mut read);
    assert_eq!(*read.operation(), expected);
    // What is printed of it is read as the same.
    let again = llvm::parse(&llvm::print(&read.module)).expect("our own printing");
    assert_eq!(llvm::print(&read.module), llvm::print(&again));
}

fn load(
    f: &mut Fixture,
    volatile: bool,
    ordering: Option<Ordering>,
    single_thread: bool,
    align: Option<u64>,
) -> Operation {
    let (ty, address) = (f.int(32), f.local("p"));
    Operation::Load { ty, address, volatile, ordering, single_thread, align }
}

#[test]
fn loads() {
    check(opaque("%r = load i32, ptr %p"), |f| load(f, false, None, false, None));
    check(opaque("%r = load i32, ptr %p, align 4, !tbaa !3, !range !{i32 0, i32 2}"), |f| {
        load(f, false, None, false, Some(4))
    });
    check(opaque("%r = load volatile i32, ptr %p, align 1"), |f| {
        load(f, true, None, false, Some(1))
    });
    for (word, ordering) in [
        ("unordered", Ordering::Unordered),
        ("monotonic", Ordering::Monotonic),
        ("acquire", Ordering::Acquire),
        ("seq_cst", Ordering::SequentiallyConsistent),
    ] {
        check(opaque(&format!("%r = load atomic i32, ptr %p {word}, align 4")), |f| {
            load(f, false, Some(ordering), false, Some(4))
        });
    }
    check(
        opaque(
            "%r = load atomic volatile i32, ptr %p syncscope(\"singlethread\") acquire, align 4",
        ),
        |f| load(f, true, Some(Ordering::Acquire), true, Some(4)),
    );
    check(opaque("%r = load atomic i32, ptr %p syncscope(\"agent\") acquire, align 4"), |f| {
        load(f, false, Some(Ordering::Acquire), false, Some(4))
    });
    check(typed("%r = load i32, i32* %p, align 4"), |f| load(f, false, None, false, Some(4)));
}

#[test]
fn stores() {
    let store = |f: &mut Fixture, volatile, ordering, single_thread, align| {
        let (value, address) = (f.local("a"), f.local("p"));
        Operation::Store { value, address, volatile, ordering, single_thread, align }
    };
    check(opaque("store i32 %a, ptr %p"), |f| store(f, false, None, false, None));
    check(typed("store volatile i32 %a, i32* %p, align 4"), |f| {
        store(f, true, None, false, Some(4))
    });
    for (word, ordering) in [
        ("unordered", Ordering::Unordered),
        ("monotonic", Ordering::Monotonic),
        ("release", Ordering::Release),
        ("seq_cst", Ordering::SequentiallyConsistent),
    ] {
        check(opaque(&format!("store atomic i32 %a, ptr %p {word}, align 4, !dbg !7")), |f| {
            store(f, false, Some(ordering), false, Some(4))
        });
    }
    check(
        opaque("store atomic volatile i32 %a, ptr %p syncscope(\"singlethread\") release, align 4"),
        |f| store(f, true, Some(Ordering::Release), true, Some(4)),
    );
}

#[test]
fn exchanges_and_fences() {
    let exchange = |f: &mut Fixture, weak, volatile, success, failure, single_thread| {
        let (address, expected, new) = (f.local("p"), f.local("a"), f.local("b"));
        Operation::CompareExchange {
            address,
            expected,
            new,
            weak,
            volatile,
            success,
            failure,
            single_thread,
        }
    };
    check(opaque("%r = cmpxchg ptr %p, i32 %a, i32 %b acq_rel monotonic, align 4"), |f| {
        exchange(f, false, false, Ordering::AcquireRelease, Ordering::Monotonic, false)
    });
    check(
        opaque(
            "%r = cmpxchg weak volatile ptr %p, i32 %a, i32 %b syncscope(\"singlethread\") seq_cst acquire",
        ),
        |f| exchange(f, true, true, Ordering::SequentiallyConsistent, Ordering::Acquire, true),
    );
    for (word, op) in [
        ("xchg", RmwOp::Xchg),
        ("add", RmwOp::Add),
        ("sub", RmwOp::Sub),
        ("and", RmwOp::And),
        ("nand", RmwOp::Nand),
        ("or", RmwOp::Or),
        ("xor", RmwOp::Xor),
        ("max", RmwOp::Max),
        ("min", RmwOp::Min),
        ("umax", RmwOp::UMax),
        ("umin", RmwOp::UMin),
        ("fadd", RmwOp::FAdd),
        ("fsub", RmwOp::FSub),
        ("fmax", RmwOp::FMax),
        ("fmin", RmwOp::FMin),
        ("fmaximum", RmwOp::FMaximum),
        ("fminimum", RmwOp::FMinimum),
        ("uinc_wrap", RmwOp::UIncWrap),
        ("udec_wrap", RmwOp::UDecWrap),
        ("usub_cond", RmwOp::USubCond),
        ("usub_sat", RmwOp::USubSat),
    ] {
        let expected = |f: &mut Fixture, volatile, single_thread| Operation::AtomicRmw {
            op,
            address: f.local("p"),
            value: f.local("a"),
            volatile,
            ordering: Ordering::AcquireRelease,
            single_thread,
        };
        check(opaque(&format!("%r = atomicrmw {word} ptr %p, i32 %a acq_rel, align 4")), |f| {
            expected(f, false, false)
        });
        check(
            opaque(&format!(
                "%r = atomicrmw volatile {word} ptr %p, i32 %a syncscope(\"singlethread\") acq_rel"
            )),
            |f| expected(f, true, true),
        );
    }
    for (word, ordering) in [
        ("acquire", Ordering::Acquire),
        ("release", Ordering::Release),
        ("acq_rel", Ordering::AcquireRelease),
        ("seq_cst", Ordering::SequentiallyConsistent),
    ] {
        check(opaque(&format!("fence {word}")), |_| Operation::Fence {
            ordering,
            single_thread: false,
        });
        check(opaque(&format!("fence syncscope(\"singlethread\") {word}, !dbg !1")), |_| {
            Operation::Fence { ordering, single_thread: true }
        });
    }
    // An operation of the future is kept as text.
    let future = opaque("%r = atomicrmw fswirl ptr %p, i32 %a acq_rel, align 4, !dbg !3");
    let text = "atomicrmw fswirl ptr %p, i32 %a acq_rel, align 4, !dbg !3";
    assert_eq!(*future.operation(), Operation::Other(text.to_owned()));
    assert!(future.instruction().location.is_some());
    assert_eq!(future.result(), Some(&Type::Other("unknown".to_owned())));
}

#[test]
fn allocas_and_addresses() {
    check(opaque("%r = alloca i32, align 4"), |f| Operation::Alloca {
        ty: f.int(32),
        count: None,
        align: Some(4),
    });
    check(opaque("%r = alloca inalloca [2 x i8], i32 %a, align 16, addrspace(5)"), |f| {
        let element = f.int(8);
        let ty = f.ty(Type::Array { length: 2, element });
        Operation::Alloca { ty, count: Some(f.local("a")), align: Some(16) }
    });
    for flags in ["", "inbounds ", "inbounds nuw ", "nusw nuw ", "inrange(-8, 8) "] {
        let text = format!("%r = getelementptr {flags}%pair, ptr %p, i64 2, i32 1, !dbg !4");
        check(opaque(&text), |f| Operation::GetElementPtr {
            element: f.pair(),
            base: f.local("p"),
            indices: vec![f.constant(64, 2), f.constant(32, 1)],
        });
    }
    let mut read = typed("%r = getelementptr inbounds %pair, %pair* %q, i32 0, i32 1");
    let long = read.int(64);
    let pointer = read.to(long);
    assert_eq!(read.result(), Some(read.types.get(pointer)));
    let mut read = typed("%r = alloca %pair");
    let pair = read.pair();
    assert_eq!(read.result(), Some(&Type::Pointer { pointee: Some(pair), space: 0 }));
    let mut read = opaque("%r = getelementptr i8, ptr %p, <4 x i32> %v");
    let element = read.ptr();
    assert_eq!(read.result(), Some(&Type::Vector { length: 4, element, scalable: false }));
}

#[test]
fn arithmetic() {
    let words = [
        ("add nuw nsw", BinaryOp::Add),
        ("sub nsw", BinaryOp::Sub),
        ("mul", BinaryOp::Mul),
        ("udiv exact", BinaryOp::UDiv),
        ("sdiv exact", BinaryOp::SDiv),
        ("urem", BinaryOp::URem),
        ("srem", BinaryOp::SRem),
        ("shl nuw", BinaryOp::Shl),
        ("lshr exact", BinaryOp::LShr),
        ("ashr", BinaryOp::AShr),
        ("and", BinaryOp::And),
        ("or disjoint", BinaryOp::Or),
        ("xor", BinaryOp::Xor),
    ];
    for (word, op) in words {
        check(opaque(&format!("%r = {word} i32 %a, %b, !dbg !1")), |f| Operation::Binary {
            op,
            left: f.local("a"),
            right: f.local("b"),
        });
    }
    let words = [
        ("fadd fast", BinaryOp::FAdd),
        ("fsub nnan ninf nsz arcp contract afn reassoc", BinaryOp::FSub),
        ("fmul", BinaryOp::FMul),
        ("fdiv", BinaryOp::FDiv),
        ("frem", BinaryOp::FRem),
    ];
    for (word, op) in words {
        check(opaque(&format!("%r = {word} float %x, %y")), |f| Operation::Binary {
            op,
            left: f.local("x"),
            right: f.local("y"),
        });
    }
    check(opaque("%r = fneg fast float %x"), |f| Operation::FNeg(f.local("x")));
    check(opaque("%r = freeze i32 %a"), |f| Operation::Freeze(f.local("a")));
    check(opaque("%r = add i32 %a, -7"), |f| Operation::Binary {
        op: BinaryOp::Add,
        left: f.local("a"),
        right: f.constant(32, -7),
    });
}

#[test]
fn comparisons() {
    for (word, predicate) in [
        ("eq", IntegerPredicate::Eq),
        ("ne", IntegerPredicate::Ne),
        ("ugt", IntegerPredicate::Ugt),
        ("uge", IntegerPredicate::Uge),
        ("ult", IntegerPredicate::Ult),
        ("ule", IntegerPredicate::Ule),
        ("sgt", IntegerPredicate::Sgt),
        ("samesign sge", IntegerPredicate::Sge),
        ("slt", IntegerPredicate::Slt),
        ("sle", IntegerPredicate::Sle),
    ] {
        let read = opaque(&format!("%r = icmp {word} i32 %a, %b"));
        assert_eq!(read.result(), Some(&Type::Integer(1)));
        check(read, |f| Operation::Compare { predicate, left: f.local("a"), right: f.local("b") });
    }
    for (word, predicate) in [
        ("false", FloatPredicate::False),
        ("oeq", FloatPredicate::Oeq),
        ("ogt", FloatPredicate::Ogt),
        ("oge", FloatPredicate::Oge),
        ("olt", FloatPredicate::Olt),
        ("ole", FloatPredicate::Ole),
        ("one", FloatPredicate::One),
        ("ord", FloatPredicate::Ord),
        ("ueq", FloatPredicate::Ueq),
        ("ugt", FloatPredicate::Ugt),
        ("uge", FloatPredicate::Uge),
        ("ult", FloatPredicate::Ult),
        ("ule", FloatPredicate::Ule),
        ("une", FloatPredicate::Une),
        ("uno", FloatPredicate::Uno),
        ("fast true", FloatPredicate::True),
    ] {
        check(opaque(&format!("%r = fcmp {word} float %x, %y")), |f| Operation::FloatCompare {
            predicate,
            left: f.local("x"),
            right: f.local("y"),
        });
    }
    let mut read = opaque("%r = icmp eq <4 x i32> %v, splat (i32 3)");
    let element = read.int(1);
    assert_eq!(read.result(), Some(&Type::Vector { length: 4, element, scalable: false }));
}

#[test]
fn casts() {
    for (word, op, from, to) in [
        ("trunc nuw nsw", CastOp::Trunc, "i32 %a", "i8"),
        ("zext nneg", CastOp::ZExt, "i32 %a", "i64"),
        ("sext", CastOp::SExt, "i32 %a", "i64"),
        ("fptrunc fast", CastOp::FpTrunc, "float %x", "half"),
        ("fpext", CastOp::FpExt, "float %x", "double"),
        ("fptoui", CastOp::FpToUi, "float %x", "i32"),
        ("fptosi", CastOp::FpToSi, "float %x", "i32"),
        ("uitofp nneg", CastOp::UiToFp, "i32 %a", "float"),
        ("sitofp", CastOp::SiToFp, "i32 %a", "float"),
        ("ptrtoint", CastOp::PtrToInt, "ptr %p", "i64"),
        ("ptrtoaddr", CastOp::PtrToAddr, "ptr %p", "i64"),
        ("inttoptr", CastOp::IntToPtr, "i32 %a", "ptr"),
        ("bitcast", CastOp::BitCast, "i32 %a", "float"),
        ("addrspacecast", CastOp::AddrSpaceCast, "ptr %p", "ptr addrspace(3)"),
    ] {
        let read = opaque(&format!("%r = {word} {from} to {to}, !dbg !1"));
        let expected = match to {
            "i8" => Type::Integer(8),
            "i32" => Type::Integer(32),
            "i64" => Type::Integer(64),
            "half" => Type::Float(llvm::FloatKind::Half),
            "float" => Type::Float(llvm::FloatKind::Float),
            "double" => Type::Float(llvm::FloatKind::Double),
            "ptr" => Type::Pointer { pointee: None, space: 0 },
            _ => Type::Pointer { pointee: None, space: 3 },
        };
        assert_eq!(read.result(), Some(&expected), "{word}");
        check(read, |f| Operation::Cast {
            op,
            value: f.local(&from[from.len() - 1..]),
            to: f.ty(expected),
        });
    }
}

#[test]
fn choices_and_aggregates() {
    check(opaque("%r = select fast i1 %c, i32 %a, i32 %b"), |f| Operation::Select {
        condition: f.local("c"),
        then: f.local("a"),
        otherwise: f.local("b"),
    });
    let read = opaque("%r = extractvalue %pair %s, 1, !dbg !2");
    assert_eq!(read.result(), Some(&Type::Integer(64)));
    check(read, |f| Operation::ExtractValue { aggregate: f.local("s"), indices: vec![1] });
    check(opaque("%r = insertvalue %pair %s, i32 %a, 0"), |f| Operation::InsertValue {
        aggregate: f.local("s"),
        value: f.local("a"),
        indices: vec![0],
    });
    let read = opaque("%r = extractelement <4 x i32> %v, i32 %a");
    assert_eq!(read.result(), Some(&Type::Integer(32)));
    check(read, |f| Operation::ExtractElement { vector: f.local("v"), index: f.local("a") });
    check(opaque("%r = insertelement <4 x i32> %v, i32 %a, i64 1"), |f| Operation::InsertElement {
        vector: f.local("v"),
        value: f.local("a"),
        index: f.constant(64, 1),
    });
    let mut read =
        opaque("%r = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 undef>");
    let element = read.int(32);
    assert_eq!(read.result(), Some(&Type::Vector { length: 2, element, scalable: false }));
    check(read, |f| {
        let element = f.int(32);
        let mask = f.vector(2, element);
        let lanes = vec![f.constant(32, 0), operand(element, Constant::Undef)];
        Operation::ShuffleVector {
            left: f.local("v"),
            right: operand(f.local("v").ty, Constant::Poison),
            mask: operand(mask, Constant::Vector(lanes)),
        }
    });
    check(opaque("%r = va_arg ptr %p, i32"), |f| Operation::VaArg {
        list: f.local("p"),
        ty: f.int(32),
    });
}

fn direct(f: &mut Fixture, arguments: Vec<llvm::Operand>) -> Call {
    Call {
        result_type: f.int(32),
        function_type: None,
        callee: Value::Constant(Constant::Symbol(f.symbol("callee"))),
        arguments,
        argument_types: Vec::new(),
    }
}

#[test]
fn calls() {
    for text in [
        "%r = call i32 @callee(i32 %a)",
        "%r = tail call fastcc noundef zeroext i32 @callee(i32 noundef signext %a) #3, !dbg !4",
        "%r = notail call cc 10 range(i32 0, 5) i32 @callee(i32 range(i32 1, 3) %a) nounwind memory(none)",
        "%r = call align 8 dereferenceable(4) i32 @callee(i32 inreg \"key\"=\"value\" %a) [ \"deopt\"(i32 1, ptr %p), \"b\"() ], !srcloc !9",
        "%r = call addrspace(0) i32 @callee(i32 align 4 %a) \"a\"=\"b\" #1",
    ] {
        check(opaque(text), |f| {
            let argument = f.local("a");
            Operation::Call(direct(f, vec![argument]))
        });
    }
    check(opaque("%r = call i32 (i32, ...) @callee(i32 %a, float %x)"), |f| {
        let (result, parameters) = (f.int(32), vec![f.int(32)]);
        let function = f.ty(Type::Function { result, parameters, variadic: true });
        let arguments = vec![f.local("a"), f.local("x")];
        Operation::Call(Call { function_type: Some(function), ..direct(f, arguments) })
    });
    check(
        opaque("call void %p(ptr byval(%pair) align 8 %q, ptr sret(i32) captures(none) %p)"),
        |f| {
            Operation::Call(Call {
                result_type: f.ty(Type::Void),
                function_type: None,
                callee: f.local("p").value,
                arguments: vec![f.local("q"), f.local("p")],
                argument_types: vec![(0, f.pair()), (1, f.int(32))],
            })
        },
    );
    check(
        opaque(
            "call void asm sideeffect \"lock; xaddl $0, $1\\0A\", \"=r,*m,~{memory}\"(ptr elementtype(i32) %p)",
        ),
        |f| {
            let asm = Asm {
                text: "lock; xaddl $0, $1\n".to_owned(),
                constraints: "=r,*m,~{memory}".to_owned(),
                side_effect: true,
                intel: false,
            };
            Operation::Call(Call {
                result_type: f.ty(Type::Void),
                function_type: None,
                callee: Value::Asm(Box::new(asm)),
                arguments: vec![f.local("p")],
                argument_types: vec![(0, f.int(32))],
            })
        },
    );
    check(opaque("%r = call i32 asm inteldialect alignstack unwind \"\", \"=r\"()"), |f| {
        let asm = Asm {
            text: String::new(),
            constraints: "=r".to_owned(),
            side_effect: false,
            intel: true,
        };
        Operation::Call(Call { callee: Value::Asm(Box::new(asm)), ..direct(f, Vec::new()) })
    });
}

#[test]
fn invokes() {
    for text in [
        "%r = invoke i32 @callee(i32 %a)\n          to label %next unwind label %other",
        "%r = invoke fastcc i32 @callee(i32 noundef %a) #4 [ \"x\"(i32 1) ]\n to label %next unwind label %other, !dbg !8",
    ] {
        check(opaque(text), |f| {
            let argument = f.local("a");
            Operation::Invoke {
                call: direct(f, vec![argument]),
                normal: f.block("next"),
                unwind: f.block("other"),
            }
        });
    }
    check(
        opaque(
            "callbr void asm \"jmp ${0:l}\", \"!i\"()\n to label %next [label %other, label %next]",
        ),
        |f| {
            let asm = Asm {
                text: "jmp ${0:l}".to_owned(),
                constraints: "!i".to_owned(),
                side_effect: false,
                intel: false,
            };
            Operation::CallBranch {
                call: Call {
                    result_type: f.ty(Type::Void),
                    function_type: None,
                    callee: Value::Asm(Box::new(asm)),
                    arguments: Vec::new(),
                    argument_types: Vec::new(),
                },
                normal: f.block("next"),
                indirect: vec![f.block("other"), f.block("next")],
            }
        },
    );
    for clauses in
        ["cleanup", "\n     catch ptr null\n     filter [1 x ptr] [ptr @g]", "cleanup catch ptr @g"]
    {
        check(opaque(&format!("%r = landingpad %pair {clauses}")), |f| Operation::LandingPad {
            ty: f.pair(),
        });
    }
    check(opaque("resume %pair %s"), |f| Operation::Resume(f.local("s")));
}

#[test]
fn jumps() {
    check(opaque("br label %next, !llvm.loop !3"), |f| Operation::Branch(f.block("next")));
    check(opaque("br i1 %c, label %other, label %next, !prof !1"), |f| {
        Operation::ConditionalBranch {
            condition: f.local("c"),
            then: f.block("other"),
            otherwise: f.block("next"),
        }
    });
    check(
        opaque(
            "switch i32 %a, label %next [\n    i32 -1, label %other\n    i32 u0xFF, label %next\n  ], !dbg !3",
        ),
        |f| Operation::Switch {
            value: f.local("a"),
            default: f.block("next"),
            cases: vec![
                (f.constant(32, -1), f.block("other")),
                (f.constant(32, 255), f.block("next")),
            ],
        },
    );
    check(opaque("switch i32 %a, label %next []"), |f| Operation::Switch {
        value: f.local("a"),
        default: f.block("next"),
        cases: Vec::new(),
    });
    check(opaque("indirectbr ptr %p, [label %next, label %other]"), |f| {
        Operation::IndirectBranch {
            address: f.local("p"),
            targets: vec![f.block("next"), f.block("other")],
        }
    });
    check(opaque("ret void"), |_| Operation::Return(None));
    check(typed("ret void ()* null"), |f| {
        let result = f.ty(Type::Void);
        let function = Type::Function { result, parameters: Vec::new(), variadic: false };
        let function = f.ty(function);
        Operation::Return(Some(operand(f.to(function), Constant::Null)))
    });
    check(opaque("ret i32 %a, !dbg !2"), |f| Operation::Return(Some(f.local("a"))));
    check(opaque("unreachable"), |_| Operation::Unreachable);
    let text = "%r = phi i32 [ %a, %next ], [ 7, %other ], !dbg !1";
    let read = opaque(&format!("br label %other\nback:\n  {text}\n  unreachable"));
    let expected = Operation::Phi {
        ty: read.local("a").ty,
        incoming: vec![
            (read.local("a").value, read.block("next")),
            (Value::Constant(Constant::Integer(7)), read.block("other")),
        ],
    };
    // Two predecessors that this block does not have: it is the form that matters here.
    let back = read.block("back").index();
    assert_eq!(read.function().blocks[back].instructions[0].operation, expected);
}

#[test]
fn what_is_not_known_is_kept_as_text() {
    for text in [
        "catchswitch within none [label %next] unwind to caller",
        "cleanuppad within none [i32 1, ptr %p]",
        "quantumload i32, ptr %p { a [ b ] }, flavour 7",
    ] {
        let read = opaque(&format!("%r = {text}"));
        assert_eq!(*read.operation(), Operation::Other(text.to_owned()));
        assert_eq!(read.function().blocks[0].instructions.len(), 2);
    }
    // It may even be a jump, if a block ends behind it.
    let text = "define void @f() {\n  leap to label %x\nx:\n  ret void\n}";
    let module = llvm::parse(text).expect("a module");
    assert!(llvm::print(&module).contains("leap to label %x\nx:"));
}
