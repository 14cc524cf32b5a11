//! What stands outside of functions, how things are named, and what each version writes in its own way.

use llvm::{
    Constant, Linkage, MetadataId, MetadataNode, MetadataValue, Module, Operation, SymbolKind,
    Type, Value,
};

fn parse(text: &str) -> Module {
    let module = llvm::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let printed = llvm::print(&module);
    let again = llvm::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(printed, llvm::print(&again));
    module
}

fn kind<'m>(module: &'m Module, name: &str) -> (Linkage, &'m SymbolKind) {
    let symbol = module.symbols.iter().find(|symbol| symbol.name == name).expect(name);
    (symbol.linkage, &symbol.kind)
}

fn function<'m>(module: &'m Module, name: &str) -> &'m llvm::Function {
    let symbol = module.symbols.iter().find(|symbol| symbol.name == name).expect(name);
    symbol.function().expect("a function")
}

#[test]
fn the_head_of_a_module() {
    let module = parse(
        "; ModuleID = 'a.c'\nsource_filename = \"dir\\5Ca.c\"\n\
         target datalayout = \"e-m:e\"\ntarget triple = \"x86_64-pc-linux-gnu\"\n\n\
         module asm \".globl x\"\nmodule asm \"x: .long \\22\"\n\
         $x = comdat any\n$\"y z\" = comdat nodeduplicate\n\
         attributes #0 = { nounwind \"frame-pointer\"=\"all\" memory(argmem: read) }\n",
    );
    assert_eq!(module.source_filename, "dir\\a.c");
    assert_eq!(module.data_layout, "e-m:e");
    assert_eq!(module.target_triple, "x86_64-pc-linux-gnu");
    assert_eq!(module.assembly, [".globl x", "x: .long \""]);
    assert!(module.other.is_empty() && module.symbols.is_empty());
}

#[test]
fn variables() {
    for (text, linkage, thread_local, constant, align, space) in [
        ("global i32 5", Linkage::External, false, false, None, 0),
        ("dso_local global i32 5, align 4", Linkage::External, false, false, Some(4), 0),
        ("internal constant i32 5", Linkage::Internal, false, true, None, 0),
        ("private unnamed_addr constant i32 5, align 1", Linkage::Private, false, true, Some(1), 0),
        (
            "common dso_local local_unnamed_addr global i32 5",
            Linkage::Common,
            false,
            false,
            None,
            0,
        ),
        (
            "weak hidden global i32 5, section \".x, y\", comdat, align 8",
            Linkage::Weak,
            false,
            false,
            Some(8),
            0,
        ),
        ("weak_odr global i32 5, comdat($c)", Linkage::WeakOdr, false, false, None, 0),
        ("linkonce global i32 5", Linkage::LinkOnce, false, false, None, 0),
        ("linkonce_odr global i32 5 #7", Linkage::LinkOnceOdr, false, false, None, 0),
        ("appending global i32 5", Linkage::Appending, false, false, None, 0),
        ("available_externally global i32 5", Linkage::AvailableExternally, false, false, None, 0),
        ("thread_local global i32 5", Linkage::External, true, false, None, 0),
        (
            "internal thread_local(localexec) global i32 5, align 4",
            Linkage::Internal,
            true,
            false,
            Some(4),
            0,
        ),
        (
            "addrspace(3) externally_initialized global i32 5",
            Linkage::External,
            false,
            false,
            None,
            3,
        ),
        (
            "global i32 5, code_model \"large\", no_sanitize_address, align 2",
            Linkage::External,
            false,
            false,
            Some(2),
            0,
        ),
        (
            "dllexport global i32 5, partition \"p\", !associated !{}",
            Linkage::External,
            false,
            false,
            None,
            0,
        ),
    ] {
        let module = parse(&format!("@v = {text}\n@after = global i8 1\n"));
        let (found, SymbolKind::Global(global)) = kind(&module, "v") else { panic!("{text}") };
        assert_eq!(found, linkage, "{text}");
        assert_eq!(global.thread_local, thread_local, "{text}");
        assert_eq!(global.constant, constant, "{text}");
        assert_eq!(global.align, align, "{text}");
        assert_eq!(global.space, space, "{text}");
        assert_eq!(*module.types.get(global.ty), Type::Integer(32), "{text}");
        assert_eq!(global.initialiser, Some(Constant::Integer(5)), "{text}");
        assert!(matches!(kind(&module, "after").1, SymbolKind::Global(_)), "{text}");
    }
    for text in ["external global i32", "extern_weak dso_local global i32, align 4"] {
        let module = parse(&format!("@v = {text}\n"));
        let (_, SymbolKind::Global(global)) = kind(&module, "v") else { panic!("{text}") };
        assert_eq!(global.initialiser, None, "{text}");
    }
    let module = parse("@v = global i32 0, !dbg !1, !type !{i64 0}, !dbg !0\n!0 = !{}\n!1 = !{}\n");
    let (_, SymbolKind::Global(global)) = kind(&module, "v") else { panic!() };
    assert_eq!(global.debug, [MetadataId(1), MetadataId(0)]);
}

#[test]
fn other_names() {
    let module = parse(
        "@a = dso_local alias i32 (), ptr @f\n@b = weak hidden alias i8, ptr getelementptr (i8, ptr @v, i64 1)\n\
         @c = ifunc i32 (), ptr @r, partition \"p\"\n@v = global i16 0\n\
         declare i32 @f()\ndeclare ptr @r()\n",
    );
    let (Linkage::External, SymbolKind::Alias(alias)) = kind(&module, "a") else { panic!() };
    let Value::Constant(Constant::Symbol(target)) = alias.target.value else { panic!() };
    assert_eq!(module.symbol(target).name, "f");
    assert!(matches!(module.types.get(alias.ty), Type::Function { .. }));
    assert!(matches!(kind(&module, "b"), (Linkage::Weak, SymbolKind::Alias(_))));
    assert!(matches!(kind(&module, "c"), (Linkage::External, SymbolKind::IFunc(_))));
}

#[test]
fn functions_with_all_they_can_say() {
    for text in [
        "define i32 @f(ptr %x)",
        "define dso_local noundef i32 @f(ptr noundef %x) local_unnamed_addr #0",
        "define internal fastcc zeroext i32 @f(ptr nocapture noundef readonly align 8 dereferenceable(8) %x) unnamed_addr",
        "define weak_odr hidden cc 10 align 8 i32 @f(ptr captures(address, read_provenance) initializes((0, 4), (8, 12)) %x) addrspace(0)",
        "define linkonce_odr protected dllexport range(i32 0, 5) i32 @f(ptr nofpclass(nan inf) dead_on_return dead_on_unwind writable %x) comdat($f)",
        "define i32 @f(ptr \"key\"=\"v\" \"flag\" %x) nounwind memory(argmem: readwrite, inaccessiblemem: none) allockind(\"alloc,zeroed\") \"a\"=\"b\" section \".t\" partition \"p\" align 16 gc \"shadow\"",
        "define i32 @f(ptr %x) prefix i32 7 prologue i8 1 personality ptr @p",
        "define i32 @f(ptr %x) personality i32 (...)* @p !dbg !4 !prof !{!\"count\", i64 3}",
        "define preserve_mostcc i32 @f(ptr allocalign noext %x) vscale_range(1,16) allocsize(0) uwtable(sync)",
    ] {
        let module = parse(&format!("{text} {{\n  ret i32 1\n}}\n"));
        let found = function(&module, "f");
        assert_eq!(*module.types.get(found.result), Type::Integer(32), "{text}");
        assert_eq!(found.parameters.len(), 1, "{text}");
        assert_eq!(found.locals[0].name, "x", "{text}");
        assert_eq!(found.blocks.len(), 1, "{text}");
        assert_eq!(found.debug.is_some(), text.contains("!dbg"), "{text}");
    }
    let module = parse(
        "declare !dbg !3 i32 @f(i32, ptr noundef byval(i64) align 8, ...) #1\n\
         declare extern_weak void @g(ptr noalias sret({ i32, i8 }) align 4 %r)\ndeclare void @h(...)\n!3 = !{}\n",
    );
    let f = function(&module, "f");
    assert!(f.variadic && f.blocks.is_empty());
    assert!(module.metadata.node(f.debug.expect("a node")).is_some());
    assert!(f.parameters[1].by_value && f.parameters[1].indirect.is_some());
    let g = function(&module, "g");
    assert!(!g.parameters[0].by_value && g.parameters[0].indirect.is_some());
    assert!(function(&module, "h").variadic);
}

#[test]
fn numbers_of_values_and_blocks() {
    // Parameters, blocks and results without names share one sequence of numbers.
    let module = parse(
        "define i32 @0(i32, i32 %named, ptr %1) {\n  %3 = add i32 %0, %named\n  call i32 @0(i32 1, i32 2, ptr null)\n\
         call void @g()\n  br label %5\n\n5:                ; preds = %2\n  %6 = add i32 %3, %4\n  br label %7\n  ; unnamed\n  ret i32 %6\n}\n\
         declare void @g()\n",
    );
    let found = function(&module, "0");
    let names: Vec<&str> = found.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(names, ["2", "5", "7"]);
    let results: Vec<&str> = found
        .blocks
        .iter()
        .flat_map(|block| &block.instructions)
        .filter_map(|instruction| instruction.result)
        .map(|local| found.locals[local.index()].name.as_str())
        .collect();
    assert_eq!(results, ["3", "4", "6"]);
    assert_eq!(found.blocks[0].instructions[3].operation, Operation::Branch(llvm::BlockId(1)));
}

#[test]
fn names_of_all_kinds() {
    let module = parse(
        "%\"odd type\" = type { i32, %later }\n%later = type <{ i8, ptr }>\n%hidden = type opaque\n\
         define void @\"f g\"(ptr %\"a b\", i32 %x.addr-1$) {\n\"start here\":\n\
         %\"1\" = load i32, ptr %\"a b\"\n  %\"\\C3\\A4\" = add i32 %\"1\", %forward\n  br label %\"go on\"\n\
         1:\n  %forward = add i32 1, 2\n br label %\"start here\"\n\"go on\": br label %1\n}\n",
    );
    let found = function(&module, "f g");
    let blocks: Vec<&str> = found.blocks.iter().map(|block| block.name.as_str()).collect();
    assert_eq!(blocks, ["start here", "1", "go on"]);
    let mut locals: Vec<&str> = found.locals.iter().map(|local| local.name.as_str()).collect();
    locals.sort_unstable();
    // A quoted number is a name, and so not the number.
    assert_eq!(locals, ["\"1\"", "a b", "forward", "x.addr-1$", "ä"]);
    let odd = module.types.definition("odd type").expect("the type");
    assert!(
        matches!(module.types.get(odd), Type::Struct { fields, packed: false } if fields.len() == 2)
    );
    assert_eq!(module.types.definition("hidden"), None);
}

#[test]
fn types_are_resolved_wherever_they_are_defined() {
    let module = parse(
        "define i64* @f(%pair* %p) {\n  %r = getelementptr %pair, %pair* %p, i64 0, i32 1\n  ret i64* %r\n}\n\
         %pair = type { i32, i64 }\n",
    );
    let found = function(&module, "f");
    let local = found.locals.iter().find(|local| local.name == "r").expect("the result");
    let Type::Pointer { pointee: Some(pointee), .. } = *module.types.get(local.ty) else {
        panic!()
    };
    assert_eq!(*module.types.get(pointee), Type::Integer(64));
}

#[test]
fn types_of_all_kinds() {
    let text = "declare void @f(half, bfloat, float, double, x86_fp80, fp128, ppc_fp128, x86_mmx, x86_amx, \
                i1, i8388607, ptr, ptr addrspace(1), i8*, i8 addrspace(2)**, i32 (i8, ...)*, [3 x [2 x i8]], \
                <4 x float>, <vscale x 2 x i64>, {}, { i8, <{ i16 }> }, %n, target(\"spirv.Image\", void, 1, 0), \
                metadata, token, label)\n";
    let module = parse(text);
    let found = function(&module, "f");
    let types: Vec<&Type> =
        found.parameters.iter().map(|parameter| module.types.get(parameter.ty)).collect();
    assert_eq!(types.len(), 26);
    assert_eq!(*types[10], Type::Integer(8_388_607));
    assert_eq!(*types[12], Type::Pointer { pointee: None, space: 1 });
    assert!(matches!(types[14], Type::Pointer { pointee: Some(_), space: 0 }));
    assert!(matches!(types[18], Type::Vector { length: 2, scalable: true, .. }));
    assert_eq!(*types[22], Type::Other("target(\"spirv.Image\", void, 1, 0)".to_owned()));
}

#[test]
fn metadata_of_all_kinds() {
    let module = parse(
        "!llvm.dbg.cu = !{!1}\n!odd\\20name = !{}\n\
         !0 = !{!\"text \\22\", null, !2, i32 7, ptr @f, !DIExpression(), !{!1}, <2 x i8> <i8 1, i8 2>}\n\
         !1 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, isOptimized: false, emissionKind: FullDebug, globals: !{}, flags: \"\")\n\
         !2 = !DIFile(filename: \"a.c\", directory: \"/d\", checksumkind: CSK_MD5, checksum: \"00\")\n\
         !3 = !DIExpression(DW_OP_plus_uconst, 8, DW_OP_LLVM_fragment, 0, 32)\n\
         !4 = !DISubprogram(name: \"f\", spFlags: DISPFlagDefinition | DISPFlagOptimized, line: 3, type: null)\n\
         !5 = distinct !{!5, !6}\n!6 = !DILocation(line: 7, column: 3, scope: !4, inlinedAt: !7)\n\
         !7 = distinct !DILocation(line: 9, scope: !4)\n!8 = !DIEnumerator(name: \"E\", value: -5, isUnsigned: true)\n\
         declare void @f()\n",
    );
    let node = |number: u32| module.metadata.node(MetadataId(number)).expect("the node");
    let MetadataNode::Tuple(values) = node(0) else { panic!() };
    let word = |text: &str| MetadataValue::Word(text.to_owned());
    assert_eq!(
        *values,
        [
            MetadataValue::String("text \"".to_owned()),
            MetadataValue::Null,
            MetadataValue::Node(MetadataId(2)),
            word("i32 7"),
            word("ptr @f"),
            word("!DIExpression()"),
            word("!{!1}"),
            word("<2 x i8> <i8 1, i8 2>"),
        ]
    );
    assert_eq!(node(1).kind(), Some("DICompileUnit"));
    assert_eq!(node(1).word("language"), Some("DW_LANG_C11"));
    assert_eq!(node(1).reference("file"), Some(MetadataId(2)));
    assert_eq!(node(1).word("globals"), Some("!{}"));
    assert_eq!(node(1).text("flags"), None);
    let MetadataNode::Special { fields, .. } = node(3) else { panic!() };
    assert_eq!(fields.len(), 5);
    assert_eq!(fields[1].value, MetadataValue::Integer(8));
    assert_eq!(node(4).word("spFlags"), Some("DISPFlagDefinition | DISPFlagOptimized"));
    assert_eq!(node(4).number("line"), Some(3));
    assert_eq!(node(4).field("type"), Some(&MetadataValue::Null));
    assert_eq!(node(8).field("value"), Some(&MetadataValue::Integer(-5)));
    let location = module.metadata.location(MetadataId(6)).expect("a location");
    assert_eq!((location.line, location.column), (7, 3));
    assert_eq!((location.scope, location.inlined_at), (Some(MetadataId(4)), Some(MetadataId(7))));
    assert_eq!(module.metadata.distinct, [MetadataId(1), MetadataId(5), MetadataId(7)]);
    assert_eq!(module.metadata.named[0], ("llvm.dbg.cu".to_owned(), vec![MetadataId(1)]));
    assert_eq!(module.metadata.named[1].0, "odd name");
}

#[test]
fn locations_in_place_and_numbers_with_gaps() {
    let module = parse(
        "define void @f() !dbg !4000000000 {\n  fence seq_cst, !dbg !DILocation(line: 5, column: 2, scope: !1)\n\
         ret void, !dbg !0\n}\n!0 = !DILocation(line: 6, scope: !1)\n!1 = !{}\n!4000000000 = !{!1}\n",
    );
    let found = function(&module, "f");
    let instructions = &found.blocks[0].instructions;
    let line = |index: usize| {
        let location = instructions[index].location.expect("a location");
        module.metadata.location(location).expect("a location").line
    };
    assert_eq!((line(0), line(1)), (5, 6));
    assert!(module.metadata.node(found.debug.expect("a node")).is_some());
}

#[test]
fn variables_declared_by_records_or_by_calls() {
    let calls = "declare void @llvm.dbg.declare(metadata, metadata, metadata)\n\
         define void @f(i32* %\"a b\") {\n  %x = alloca i32\n\
         call void @llvm.dbg.declare(metadata i32* %x, metadata !1, metadata !DIExpression()), !dbg !0\n\
         call void @llvm.dbg.value(metadata i32 0, metadata !1, metadata !DIExpression()), !dbg !0\n\
         call void @llvm.dbg.declare(metadata i32* %\"a b\", metadata !2, metadata !DIExpression()), !dbg !0\n\
         ret void\n}\n!0 = !{}\n!1 = !{}\n!2 = !{}\n";
    let records = "define void @f(ptr %\"a b\") {\n  %x = alloca i32\n\
         #dbg_declare(ptr %x, !1, !DIExpression(), !0)\n    #dbg_value(i32 0, !1, !DIExpression(), !0)\n\
         #dbg_label(!1, !0)\n    #dbg_declare(ptr undef, !1, !DIExpression(), !0)\n\
         #dbg_assign(i32 1, !1, !DIExpression(), !2, ptr %x, !DIExpression(), !0)\n\
         #dbg_declare(ptr %\"a b\", !2, !DIExpression(DW_OP_deref), !0)\n  ret void\n}\n!0 = !{}\n!1 = !{}\n!2 = !{}\n";
    for text in [calls, records] {
        let module = parse(text);
        let found = function(&module, "f");
        assert_eq!(found.blocks[0].instructions.len(), 2, "{text}");
        let declared: Vec<(&str, u32)> = found
            .declared
            .iter()
            .map(|(local, variable)| (found.locals[local.index()].name.as_str(), variable.0))
            .collect();
        assert_eq!(declared, [("x", 1), ("a b", 2)], "{text}");
    }
}

#[test]
fn peculiarities_of_versions() {
    // 22 has lifetime markers without sizes, 14 had them with casts.
    let module = parse(
        "declare void @llvm.lifetime.start.p0(ptr captures(none)) #1\n\
         define void @f() {\n  %x = alloca i32, align 4\n  call void @llvm.lifetime.start.p0(ptr nonnull %x)\n\
         %y = trunc nuw nsw i64 7 to i32\n  %z = getelementptr nusw nuw i8, ptr %x, i64 -1\n\
         %w = icmp samesign ult i32 %y, 4\n  %v = uitofp nneg i32 %y to float\n\
         %u = load i32, ptr %x, align 4, !noundef !0, !nonnull !{}\n  ret void\n}\n!0 = !{}\n",
    );
    let found = function(&module, "f");
    assert_eq!(found.blocks[0].instructions.len(), 8);
    let understood =
        |instruction: &llvm::Instruction| !matches!(instruction.operation, Operation::Other(_));
    assert!(found.blocks[0].instructions.iter().all(understood));
    // Lists of uses and summaries are of no use to us, but they do not stand in the way.
    let module = parse(
        "@a = global i32 0\ndefine void @f(i32 %x) {\n  %y = add i32 %x, %x\n  ret void\n  uselistorder i32 %x, { 1, 0 }\n}\n\
         uselistorder ptr @a, { 1, 0 }\n^0 = module: (path: \"a.o\", hash: (1, 2))\nfuture thing { 7 }\n@b = global i8 0\n",
    );
    assert_eq!(function(&module, "f").blocks[0].instructions.len(), 2);
    assert_eq!(module.other.len(), 3);
    assert_eq!(module.other[2], "future thing { 7 }");
    assert!(matches!(kind(&module, "b").1, SymbolKind::Global(_)));
}
