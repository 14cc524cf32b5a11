//! What debug information says, as clang and rustc write it.

mod support;

use llvm::{Function, MetadataId, MetadataNode, Module, Operation};
use support::{C_FLAGS, RUST_FLAGS, clangs, compile_c, compile_rust, tests};

/// The module of a C file for each clang.
fn c_modules(name: &str, flags: &[&str]) -> Vec<(String, Module)> {
    let file = tests().join("c").join(name);
    clangs()
        .into_iter()
        .map(|(_, clang)| {
            let text = compile_c(&clang, &file, flags);
            (clang, llvm::parse(&text).expect("what clang writes"))
        })
        .collect()
}

fn variable_type(module: &Module, name: &str) -> MetadataId {
    let symbol = module.symbols.iter().find(|symbol| symbol.name == name).expect(name);
    let global = symbol.global().expect("a variable");
    let variable = module.metadata.global_variable(global).expect("a description");
    assert_eq!(module.metadata.name(variable), Some(name));
    module.metadata.type_of(variable).expect("a type")
}

fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    let symbol = module.symbols.iter().find(|symbol| symbol.name == name).expect(name);
    symbol.function().expect("a function")
}

/// A type by its name and what it is.
fn type_named(module: &Module, tag: &str, name: &str) -> MetadataId {
    let is_it = |node: &MetadataNode| {
        node.kind() == Some("DICompositeType")
            && node.word("tag") == Some(tag)
            && node.text("name") == Some(name)
    };
    let position = module.metadata.nodes.iter().position(|node| node.as_ref().is_some_and(is_it));
    MetadataId::new(position.unwrap_or_else(|| panic!("no type {name}")))
}

#[test]
fn parts_of_c_variables() {
    for (clang, module) in c_modules("places.c", C_FLAGS[0]) {
        let metadata = &module.metadata;
        for (name, offset, size, expected) in [
            ("everything", 0, 8, Some(".lists[0][0].next")),
            ("everything", 8, 4, Some(".lists[0][0].key")),
            // A wider access is named by the first that it touches.
            ("everything", 8, 8, Some(".lists[0][0].key")),
            ("everything", 12, 4, None),
            ("everything", 16 * 5, 8, Some(".lists[1][2].next")),
            ("everything", 16 * 5, 16, Some(".lists[1][2]")),
            ("everything", 0, 96, Some(".lists")),
            ("everything", 96, 1, Some(".deep.tag")),
            ("everything", 97, 1, None),
            ("everything", 104, 8, Some(".deep.number")),
            ("everything", 106, 2, Some(".deep.number")),
            ("everything", 112, 4, Some(".first")),
            ("everything", 116, 4, Some(".third")),
            ("everything", 120, 8, Some(".shared")),
            ("everything", 128, 4, Some(".anonymous")),
            ("everything", 136, 8, Some(".self")),
            ("everything", 144, 4, Some(".rest[0]")),
            ("everything", 144 + 4 * 9, 4, Some(".rest[9]")),
            ("everything", 0, 144, Some("")),
            ("only", 8, 4, Some(".key")),
            ("only", 16, 4, None),
            ("current", 0, 8, Some("")),
            ("current", 8, 1, None),
            ("matrix", 4 * 13, 4, Some("[2][3]")),
            ("matrix", 4 * 20, 4, None),
            ("matrix", 0, 80, Some("")),
            ("single", 0, 4, Some(".only")),
        ] {
            let ty = variable_type(&module, name);
            let found = metadata.describe_offset(ty, offset, size);
            assert_eq!(found.as_deref(), expected, "{name} at {offset}, {size} bytes, {clang}");
        }
        let reader = variable_type(&module, "current");
        assert_eq!(metadata.name(reader), Some("reader"));
        let list = metadata.pointee(reader).expect("a list");
        assert_eq!(metadata.type_size(list), Some(16));
        assert_eq!(metadata.name(metadata.plain_type(list)), Some("list"));
        let next = metadata.describe_offset(list, 0, 8);
        assert_eq!(next.as_deref(), Some(".next"), "{clang}");
        let matrix = variable_type(&module, "matrix");
        assert_eq!(metadata.pointee(matrix), None);
        let element = metadata.element_type(matrix).expect("an element");
        assert_eq!(metadata.name(element), Some("int"));
    }
}

#[test]
fn places_in_c() {
    for (clang, module) in c_modules("places.c", C_FLAGS[0]) {
        let metadata = &module.metadata;
        let places = function(&module, "places");
        let subprogram = places.debug.expect("a description");
        assert_eq!(metadata.name(subprogram), Some("places"));
        let positions: Vec<(String, u32, u32)> = places
            .blocks
            .iter()
            .flat_map(|block| &block.instructions)
            .filter_map(|instruction| {
                let location = instruction.location?;
                assert_eq!(metadata.subprogram(location), Some(subprogram));
                let position = metadata.position(location)?;
                let name = position.file.rsplit('/').next().unwrap_or("").to_owned();
                Some((name, position.line, position.column))
            })
            .collect();
        // The initialiser of `local`, the call in the inner block, the changed file, the return.
        for expected in [
            ("places.c", 25, 9),
            ("places.c", 28, 17),
            ("elsewhere.h", 100, 22),
            ("places.c", 30, 5),
        ] {
            let (file, line, column) = expected;
            assert!(
                positions.contains(&(file.to_owned(), line, column)),
                "{clang}: {expected:?} is not among {positions:?}"
            );
        }
        let names: Vec<&str> = places
            .declared
            .iter()
            .filter_map(|(local, variable)| {
                assert_eq!(metadata.local_variable(places, *local), Some(*variable));
                metadata.name(*variable)
            })
            .collect();
        assert_eq!(names, ["argument", "local", "nested"], "{clang}");
        let file = metadata.file(subprogram).expect("a file");
        assert!(file.ends_with("tests/c/places.c"), "{file}");
        assert!(file.starts_with('/'), "{file}");
    }
}

#[test]
fn inlined_calls() {
    for (clang, module) in c_modules("places.c", &["-O2"]) {
        let metadata = &module.metadata;
        let inlined = function(&module, "places")
            .blocks
            .iter()
            .flat_map(|block| &block.instructions)
            .filter_map(|instruction| instruction.location)
            .map(|location| metadata.inlined(location))
            .find(|chain| chain.len() == 2)
            .unwrap_or_else(|| panic!("nothing was inlined by {clang}"));
        let lines: Vec<u32> =
            inlined.iter().filter_map(|id| Some(metadata.position(*id)?.line)).collect();
        assert_eq!(lines, [22, 28], "{clang}");
        let functions: Vec<&str> =
            inlined.iter().filter_map(|id| metadata.name(metadata.subprogram(*id)?)).collect();
        assert_eq!(functions, ["twice", "places"], "{clang}");
    }
}

#[test]
fn parts_of_rust_variables() {
    let file = tests().join("rust/atomics.rs");
    let module = llvm::parse(&compile_rust(&file, RUST_FLAGS[0])).expect("what rustc writes");
    let metadata = &module.metadata;
    let ring = type_named(&module, "DW_TAG_structure_type", "Ring");
    for (offset, size, expected) in [
        (0, 8, Some(".head")),
        (8, 1, Some(".slots[0]")),
        (23, 1, Some(".slots[15]")),
        (24, 1, None),
        (0, 24, Some("")),
    ] {
        let found = metadata.describe_offset(ring, offset, size);
        assert_eq!(found.as_deref(), expected, "Ring at {offset}");
    }
    assert_eq!(metadata.qualified_name(ring).as_deref(), Some("atomics::Ring"));
    // An atomic is shown as one thing, not by the private fields it is made of.
    let atomic = type_named(&module, "DW_TAG_structure_type", "AtomicI32");
    assert_eq!(metadata.describe_offset(atomic, 0, 4).as_deref(), Some(""));

    let file = tests().join("rust/language.rs");
    let module = llvm::parse(&compile_rust(&file, RUST_FLAGS[0])).expect("what rustc writes");
    let metadata = &module.metadata;
    let square = type_named(&module, "DW_TAG_structure_type", "Square");
    assert_eq!(metadata.describe_offset(square, 0, 8).as_deref(), Some(".0"));
    let tree = type_named(&module, "DW_TAG_structure_type", "Tree<i32>");
    let size = metadata.type_size(tree).expect("a size");
    let parts: Vec<String> =
        (0..size).step_by(4).filter_map(|at| metadata.describe_offset(tree, at, 4)).collect();
    assert!(parts.iter().any(|part| part == ".Node.1"), "{parts:?}");
    let pair = type_named(&module, "DW_TAG_structure_type", "&str");
    assert_eq!(metadata.describe_offset(pair, 8, 8).as_deref(), Some(".length"));
}

#[test]
fn names_of_rust_functions() {
    let file = tests().join("rust/atomics.rs");
    // Optimised, the function would not be there any more.
    for flags in &RUST_FLAGS[..2] {
        let module = llvm::parse(&compile_rust(&file, flags)).expect("what rustc writes");
        let names: Vec<String> =
            module.symbols.iter().filter_map(|symbol| llvm::demangled(&symbol.name)).collect();
        assert!(names.iter().any(|name| name == "atomics::peterson"), "{names:?}");
        if flags.contains(&"-Csymbol-mangling-version=v0") {
            let spawn = "std::thread::functions::spawn::<atomics::main::{closure#0}, ()>";
            assert!(names.iter().any(|name| name == spawn), "{names:?}");
            let store = "<core::sync::atomic::AtomicBool>::store";
            let store = names
                .iter()
                .find(|name| name.contains("Atomic") && name.ends_with("::store"))
                .unwrap_or_else(|| panic!("no {store} in {names:?}"));
            assert!(!store.contains("[17h"), "{store}");
        }
        let peterson = module
            .symbols
            .iter()
            .find(|symbol| llvm::demangled(&symbol.name).as_deref() == Some("atomics::peterson"))
            .expect("the function");
        let function = peterson.function().expect("a function");
        let node = function.debug.expect("a description");
        assert_eq!(module.metadata.name(node), Some("peterson"));
        assert_eq!(module.metadata.linkage_name(node), Some(peterson.name.as_str()));
        assert_eq!(module.metadata.qualified_name(node).as_deref(), Some("atomics::peterson"));
        let called = function.blocks.iter().flat_map(|block| &block.instructions).any(|found| {
            matches!(found.operation, Operation::Call(_) | Operation::Fence { .. })
                && found.location.is_some_and(|location| {
                    let lines = module.metadata.inlined(location);
                    let outermost = lines.last().and_then(|id| module.metadata.position(*id));
                    outermost.is_some_and(|position| position.line == 21)
                })
        });
        assert!(called, "the fence in line 21 with {flags:?}");
    }
    for name in ["main", "pthread_create", "_start", "llvm.memcpy.p0.p0.i64", "_Z3foov"] {
        assert_eq!(llvm::demangled(name), None, "{name}");
    }
}
