//! Sizes, alignments and offsets: by hand for the targets that matter, and for random types against
//! LLVM's own constant folding where `opt` is installed.

mod support;

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use llvm::{Layout, Module, SymbolKind, TypeId};
use support::installed;

const X86_64_OLD: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128";
const X86_64: &str =
    "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
const I386: &str = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-f64:32:64-f80:32-n8:16:32-S128";
const AARCH64: &str = "e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32";
const POWER: &str = "E-m:a-Fi64-i64:64-n32:64-S128-v256:256:256-v512:512:512";
const WITH_LEAST: &str = "e-p:32:32-pu3:64:64-a:32-v96:128-i24:32";

/// A module with a layout and a variable of each type, so that the types are known.
fn module(layout: &str, types: &[String]) -> (Module, Vec<TypeId>) {
    let mut text = format!("target datalayout = \"{layout}\"\n%named = type {{ i8, i64 }}\n");
    for (index, ty) in types.iter().enumerate() {
        writeln!(text, "@v{index} = external global {ty}").expect("a string");
    }
    let module = llvm::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let ids = (0..types.len())
        .map(|index| {
            let name = format!("v{index}");
            let symbol = module.symbols.iter().find(|symbol| symbol.name == name);
            symbol.and_then(llvm::Symbol::global).expect("the variable").ty
        })
        .collect();
    (module, ids)
}

#[test]
fn sizes_strides_and_alignments() {
    for (text, ty, size, stride, align) in [
        (X86_64, "i1", 1, 1, 1),
        (X86_64, "i8", 1, 1, 1),
        (X86_64, "i24", 3, 4, 4),
        (X86_64, "i64", 8, 8, 8),
        (X86_64, "i128", 16, 16, 16),
        (X86_64_OLD, "i128", 16, 16, 8),
        (X86_64, "i65", 9, 16, 16),
        (X86_64, "ptr", 8, 8, 8),
        (X86_64, "ptr addrspace(270)", 4, 4, 4),
        (X86_64, "ptr addrspace(5)", 8, 8, 8),
        (X86_64, "float", 4, 4, 4),
        (X86_64, "x86_fp80", 10, 16, 16),
        (X86_64, "fp128", 16, 16, 16),
        (X86_64, "<4 x float>", 16, 16, 16),
        (X86_64, "<3 x float>", 12, 16, 16),
        (X86_64, "<8 x i1>", 1, 1, 1),
        (X86_64, "<8 x float>", 32, 32, 32),
        (X86_64, "{ i8, i64, i8 }", 24, 24, 8),
        (X86_64, "<{ i8, i64, i8 }>", 10, 10, 1),
        (X86_64, "{ i8, x86_fp80 }", 32, 32, 16),
        (X86_64, "{}", 0, 0, 1),
        (X86_64, "[0 x i64]", 0, 0, 8),
        (X86_64, "[3 x { i32, i8 }]", 24, 24, 4),
        (X86_64, "%named", 16, 16, 8),
        (I386, "i64", 8, 8, 4),
        (I386, "double", 8, 8, 4),
        (I386, "x86_fp80", 10, 12, 4),
        (I386, "ptr", 4, 4, 4),
        (I386, "%named", 12, 12, 4),
        (AARCH64, "i128", 16, 16, 16),
        (POWER, "ppc_fp128", 16, 16, 16),
        (POWER, "<8 x i32>", 32, 32, 32),
        ("", "i64", 8, 8, 4),
        ("", "ptr", 8, 8, 8),
        (WITH_LEAST, "{ i8 }", 4, 4, 4),
        (WITH_LEAST, "<{ i8 }>", 1, 1, 1),
        (WITH_LEAST, "<3 x i32>", 12, 16, 16),
        (WITH_LEAST, "ptr addrspace(3)", 8, 8, 8),
        (WITH_LEAST, "i17", 3, 4, 4),
    ] {
        let (module, ids) = module(text, &[ty.to_owned()]);
        let layout = Layout::new(&module.data_layout);
        let (types, id) = (&module.types, ids[0]);
        assert_eq!(layout.size(types, id), Some(size), "size of {ty} in {text}");
        assert_eq!(layout.stride(types, id), Some(stride), "stride of {ty} in {text}");
        assert_eq!(layout.align(types, id), Some(align), "alignment of {ty} in {text}");
    }
    assert!(!Layout::new(X86_64).big_endian);
    assert!(Layout::new(POWER).big_endian);
    assert_eq!(Layout::new(I386).pointer_size(0), 4);
}

#[test]
fn offsets() {
    let ty = "{ i8, [2 x { i16, i64 }], <{ i8, i32 }>, <4 x i16> }".to_owned();
    let (module, ids) = module(X86_64, &[ty]);
    let layout = Layout::new(&module.data_layout);
    let types = &module.types;
    let offsets: Vec<_> = (0..5).map(|field| layout.field_offset(types, ids[0], field)).collect();
    assert_eq!(offsets, [Some(0), Some(8), Some(40), Some(48), None]);
    for (indices, offset) in [
        (&[0][..], Some(0)),
        (&[2], Some(112)),
        (&[-1, 1], Some(-48)),
        (&[0, 1, 1, 1], Some(32)),
        // Beyond the end is for whoever uses it to judge.
        (&[0, 1, 5], Some(88)),
        (&[1, 2, 1], Some(97)),
        (&[0, 3, 2], Some(52)),
        (&[0, 4], None),
        (&[0, 0, 0], None),
        (&[], None),
        (&[i128::MAX], None),
    ] {
        assert_eq!(layout.gep_offset(types, ids[0], indices), offset, "{indices:?}");
    }
}

#[test]
fn what_has_no_size() {
    let types =
        ["%unknown", "<vscale x 4 x i32>", "[18446744073709551615 x i64]", "target(\"x\")", "%a"];
    let (mut module, ids) = module(X86_64, &types.map(str::to_owned));
    // A structure that contains itself.
    let itself = llvm::Type::Struct { fields: vec![ids[4]], packed: false };
    let body = module.types.intern(itself);
    module.types.define("a", body);
    let layout = Layout::new(&module.data_layout);
    for (ty, id) in types.iter().zip(&ids) {
        assert_eq!(layout.size(&module.types, *id), None, "{ty}");
    }
}

#[test]
fn shared_parts_are_computed_once() {
    // Each type has the one before it twice: 2^60 bytes, in 60 steps.
    let mut text = "%t0 = type { i8 }\n".to_owned();
    for index in 1..=60 {
        let before = index - 1;
        writeln!(text, "%t{index} = type {{ %t{before}, %t{before} }}").expect("a string");
    }
    text.push_str("@v = external global %t60\n");
    let module = llvm::parse(&text).expect("a module");
    let SymbolKind::Global(global) = &module.symbols[0].kind else { panic!() };
    assert_eq!(Layout::new("").size(&module.types, global.ty), Some(1 << 60));
}

fn random_type(random: &mut fastrand::Rng, depth: u32) -> String {
    let leaves = [
        "i1",
        "i8",
        "i16",
        "i24",
        "i32",
        "i48",
        "i64",
        "i65",
        "i128",
        "half",
        "float",
        "double",
        "x86_fp80",
        "fp128",
        "ptr",
        "ptr addrspace(270)",
        "<3 x i8>",
        "<4 x float>",
        "<5 x i1>",
        "<8 x i64>",
        "<2 x ptr>",
        "%named",
    ];
    if depth == 0 {
        return leaves[random.usize(..leaves.len())].to_owned();
    }
    let inner = |random: &mut fastrand::Rng| {
        let depth = random.u32(..depth);
        random_type(random, depth)
    };
    match random.u8(..4) {
        0 => format!("[{} x {}]", random.u8(..4), inner(random)),
        kind => {
            let fields: Vec<String> = (0..random.usize(1..5)).map(|_| inner(random)).collect();
            let fields = fields.join(", ");
            if kind == 1 { format!("<{{ {fields} }}>") } else { format!("{{ {fields} }}") }
        }
    }
}

/// The numbers that `opt` folds constant expressions into.
fn folded(tool: &str, version: u32, layout: &str, expressions: &[String]) -> Vec<u64> {
    let mut text = format!("target datalayout = \"{layout}\"\n%named = type {{ i8, i64 }}\n");
    for (index, expression) in expressions.iter().enumerate() {
        writeln!(text, "define i64 @f{index}() {{\n  ret i64 {expression}\n}}").expect("a string");
    }
    let mut command = Command::new(tool);
    command.args(["-S", "-passes=instcombine", "-o", "-"]);
    if version == 14 {
        command.arg("-opaque-pointers");
    }
    let path = std::env::temp_dir().join(format!("layout-{}-{version}.ll", std::process::id()));
    std::fs::write(&path, text).expect("a file");
    let printed = support::output(command.arg(&path).stdout(Stdio::piped()));
    std::fs::remove_file(&path).expect("the file");
    let numbers: Vec<u64> = printed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("ret i64 "))
        .map(|number| number.parse().unwrap_or_else(|_| panic!("not folded: {number}")))
        .collect();
    assert_eq!(numbers.len(), expressions.len());
    numbers
}

#[test]
fn as_llvm_lays_out() {
    let mut random = fastrand::Rng::with_seed(64);
    let types: Vec<String> = (0..200).map(|index| random_type(&mut random, index % 4)).collect();
    for (version, tool) in installed("opt") {
        for text in [X86_64_OLD, X86_64, I386, AARCH64, WITH_LEAST] {
            // The letters of spaces are new.
            let text = if version < 21 { text.replace("-pu3", "-p3") } else { text.to_owned() };
            // Older versions do not take widths that are no powers of two.
            let text = text.replace("-i24:32", "");
            let (module, ids) = module(&text, &types);
            let layout = Layout::new(&text);
            let mut expressions = Vec::new();
            let mut expected = Vec::new();
            for (ty, id) in types.iter().zip(&ids) {
                let at = |path: &str| format!("ptrtoint (ptr getelementptr ({path}) to i64)");
                expressions.push(at(&format!("{ty}, ptr null, i64 1")));
                expected.push(layout.stride(&module.types, *id));
                expressions.push(at(&format!("{{ i8, {ty} }}, ptr null, i64 0, i32 1")));
                expected.push(layout.align(&module.types, *id));
                for field in 0..5 {
                    if let Some(offset) = layout.field_offset(&module.types, *id, field) {
                        expressions.push(at(&format!("{ty}, ptr null, i64 0, i32 {field}")));
                        expected.push(Some(offset));
                    }
                }
            }
            // The pointers are 32 bits wide in some layouts; no offset is that large.
            let found = folded(&tool, version, &text, &expressions);
            for ((expression, expected), found) in expressions.iter().zip(expected).zip(found) {
                assert_eq!(expected, Some(found), "{expression} in {text}, LLVM {version}");
            }
        }
    }
}
