//! No text makes the parser panic or run out of stack, and what is cut off is an error.

use llvm::{Layout, Module, Operation, SymbolKind};

const MODULES: [&str; 3] =
    [include_str!("ir/typed.ll"), include_str!("ir/opaque.ll"), include_str!("ir/unwinding.ll")];

/// Asks everything that can be asked of a module, so that a panic anywhere is found.
fn use_all_of(module: &Module) {
    let printed = llvm::print(module);
    let again = llvm::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    // Nodes that are mentioned but not there may get other numbers, and so others' order change.
    let without_numbers = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('!')).map(|line| line.split('!'));
        let stripped =
            |part: &str| part.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        lines.map(|parts| parts.map(stripped).collect::<Vec<_>>().join("!")).collect()
    };
    for (again, printed) in
        without_numbers(&llvm::print(&again)).iter().zip(without_numbers(&printed))
    {
        assert_eq!(*again, printed);
    }
    let layout = Layout::new(&module.data_layout);
    for (id, _) in module.types.iter() {
        let _ = layout.stride(&module.types, id);
        let _ = layout.field_offset(&module.types, id, 1);
        let _ = layout.gep_offset(&module.types, id, &[1, 2, -3]);
    }
    for index in 0..module.metadata.nodes.len() {
        let id = llvm::MetadataId::new(index);
        let _ = module.metadata.position(id);
        let _ = module.metadata.inlined(id);
        let _ = module.metadata.qualified_name(id);
        let _ = module.metadata.describe_offset(id, 4, 4);
    }
}

#[test]
fn the_modules_themselves_are_understood() {
    for text in MODULES {
        let module = llvm::parse(text).expect("a module");
        use_all_of(&module);
        assert!(module.other.is_empty());
        let mut instructions = 0;
        for symbol in &module.symbols {
            let SymbolKind::Function(function) = &symbol.kind else { continue };
            for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
                instructions += 1;
                assert!(!matches!(instruction.operation, Operation::Other(_)), "{instruction:?}");
            }
        }
        assert!(instructions > 10);
    }
}

/// What a cut leaves open, told without the parser.
#[derive(PartialEq, Debug)]
enum Cut {
    /// Inside a function, a string or brackets, or behind something that cannot be the last.
    Inside,
    /// At the end of a top-level line.
    Between,
    /// Inside a top-level line that may or may not be complete.
    InLine,
}

fn classify(text: &str, cut: usize) -> Cut {
    let before = &text[..cut];
    let mut depth = 0_i32;
    let mut in_string = false;
    let mut in_comment = false;
    for character in before.chars() {
        match character {
            '\n' => in_comment = false,
            _ if in_comment => {}
            '"' => in_string = !in_string,
            _ if in_string => {}
            ';' => in_comment = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 || in_string || before.trim_end().ends_with([',', '=']) && !in_comment {
        return Cut::Inside;
    }
    let line = before.rsplit('\n').next().unwrap_or("");
    if line.trim().is_empty() || text[cut..].starts_with('\n') || in_comment {
        return Cut::Between;
    }
    // `define …` up to its brace.
    if line.starts_with("define") && !line.ends_with('}') { Cut::Inside } else { Cut::InLine }
}

#[test]
fn what_is_cut_off_is_an_error() {
    for text in MODULES {
        let mut between = 0;
        let mut inside = 0;
        for cut in (0..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let result = llvm::parse(&text[..cut]);
            match classify(text, cut) {
                Cut::Inside => {
                    inside += 1;
                    assert!(result.is_err(), "accepted: …{:?}", &text[cut.saturating_sub(60)..cut]);
                }
                Cut::Between => {
                    between += 1;
                    if let Err(error) = result {
                        panic!("{error}: …{:?}", &text[cut.saturating_sub(60)..cut]);
                    }
                }
                Cut::InLine => {}
            }
        }
        assert!(between > 10 && inside > 500, "{between} {inside}");
    }
}

#[test]
fn an_error_says_where() {
    for (text, line, column, message) in [
        (
            "int main(void) { return 0; }\n",
            1,
            1,
            "expected a definition or a declaration of LLVM IR",
        ),
        ("#include <stdio.h>\n", 1, 1, "expected a definition or a declaration of LLVM IR"),
        ("\n\n  }", 3, 3, "expected a definition or a declaration of LLVM IR"),
        ("@x = global i32 0\n@x = global i32 1\n", 2, 1, "@x is defined twice"),
        ("define void @f() {\n  ret void\n", 3, 1, "the text ends too early"),
        ("define void @f() {\n}\n", 1, 18, "this function has no blocks"),
        (
            "define void @f() {\n  fence seq_cst\n}\n",
            3,
            1,
            "the last block does not end with a jump or a return",
        ),
        (
            "define void @f() {\n  fence seq_cst\nb:\n ret void\n}\n",
            3,
            1,
            "the block before this does not end with a jump",
        ),
        (
            "define void @f() {\n  br label %b\n}\n",
            1,
            18,
            "the block %b is used in this function but not defined",
        ),
        (
            "define i32 @f() {\n  ret i32 %x\n}\n",
            1,
            17,
            "the value %x is used in this function but not defined",
        ),
        (
            "define void @f() {\n  %x = add i32 1, 2\n  %x = add i32 1, 2\n  ret void\n}\n",
            3,
            8,
            "this value is defined twice",
        ),
        (
            "define void @f() {\na:\n  br label %a\na:\n  ret void\n}\n",
            4,
            1,
            "this block is defined twice",
        ),
        (
            "define void @f() {\n  %1 = add i32 1, 2\n  %1 = add i32 1, 2\n  ret void\n}\n",
            3,
            8,
            "numbers of values and blocks must grow",
        ),
        ("source_filename = \"a.c", 1, 19, "this string has no end"),
        ("@ä = global i32 0\n", 1, 1, "expected a definition or a declaration of LLVM IR"),
        ("target triple = \"ä\" }", 1, 21, "expected a definition or a declaration of LLVM IR"),
    ] {
        let error = llvm::parse(text).expect_err(text);
        assert_eq!(
            (error.line, error.column, error.message.as_str()),
            (line, column, message),
            "{text}"
        );
        assert_eq!(error.to_string(), format!("line {line}, column {column}: {message}"));
    }
}

#[test]
fn nothing_is_nested_too_deeply() {
    let deep = 100_000;
    for (before, open, inside, close, behind) in [
        ("@x = global ", "[1 x ", "i8", "]", " zeroinitializer\n"),
        ("@x = global ", "{", "i8", "}", " zeroinitializer\n"),
        ("@x = global ", "<{", "i8", "}>", " zeroinitializer\n"),
        ("@x = global i8", "*", "", "", " null\n"),
        ("@x = global ptr ", "getelementptr (i8, ptr ", "null", ", i64 1)", "\n"),
        ("@x = global i8 ", "[", "i8 1", "]", "\n"),
        ("@x = global i8 ", "{i8 ", "1", "}", "\n"),
        ("declare void @f(", "i8 (", "i8", ")", ")\n"),
        ("declare void @f(", "i8 ()* (", "i8", ")", ")\n"),
        ("declare void @f(i8 a", "(", "", ")", ")\n"),
        ("!0 = !{", "!{", "", "}", "}\n"),
        ("!0 = !DIFile(a: ", "!DIFile(a: ", "1", ")", ")\n"),
        ("define void @f() {\n  ret i8 ", "{i8 ", "1", "}", "\n}\n"),
        ("define void @f() {\n  call void @f(metadata ", "!{", "", "}", ")\n ret void\n}\n"),
        ("define void @f() ", "{", "", "}", "\n"),
    ] {
        let text = [before, &open.repeat(deep), inside, &close.repeat(deep), behind].concat();
        if let Ok(module) = llvm::parse(&text) {
            let _ = llvm::print(&module);
        }
        // Not deep at all, it is read.
        let shallow = [before, &open.repeat(3), inside, &close.repeat(3), behind].concat();
        if !shallow.contains("() {{{")
            && !shallow.contains("i8 (i8 (i8 (")
            && !shallow.contains("i8 ()* (")
        {
            llvm::parse(&shallow).unwrap_or_else(|error| panic!("{shallow}: {error}"));
        }
    }
}

#[test]
fn whatever_is_changed_nothing_panics() {
    let mut random = fastrand::Rng::with_seed(14);
    let pieces = [
        "%",
        "@",
        "!",
        "!0",
        "!7 = ",
        "\"",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ",",
        "=",
        "*",
        "...",
        "ptr",
        "i32",
        "metadata ",
        "label ",
        "define ",
        "declare ",
        "global ",
        "asm ",
        "\n",
        ";",
        "-1",
        "0x",
        "c\"",
        "#",
        "#dbg_declare(",
        "$",
        "^",
        "align ",
        "splat (",
        "getelementptr (",
        "x ",
        "ä",
        "\\",
    ];
    let mut read = 0;
    for round in 0..3000 {
        let mut text = MODULES[round % MODULES.len()].to_owned();
        for _ in 0..random.usize(1..4) {
            let boundaries: Vec<usize> =
                (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            let mut at = || boundaries[random.usize(..boundaries.len())];
            let (first, second) = (at(), at());
            let (start, end) = (first.min(second), first.max(second));
            match random.u8(..5) {
                0 => text.insert_str(start, pieces[random.usize(..pieces.len())]),
                1 => {
                    let near = text[start..].char_indices().nth(random.usize(1..8));
                    let end = near.map_or(text.len(), |(length, _)| start + length);
                    text.replace_range(start..end, pieces[random.usize(..pieces.len())]);
                }
                2 => text.replace_range(start..end, ""),
                3 => {
                    let mut lines: Vec<&str> = text.lines().collect();
                    let (a, b) = (random.usize(..lines.len()), random.usize(..lines.len()));
                    lines.swap(a, b);
                    text = lines.join("\n");
                }
                _ => {
                    let mut lines: Vec<&str> = text.lines().collect();
                    lines.remove(random.usize(..lines.len()));
                    text = lines.join("\n");
                }
            }
            if text.lines().count() < 2 {
                break;
            }
        }
        if let Ok(module) = llvm::parse(&text) {
            read += 1;
            use_all_of(&module);
        }
    }
    // Neither is everything refused nor everything accepted.
    assert!((300..2700).contains(&read), "{read}");
}

/// What stands in place of a node gets a number when it is printed, and then belongs to no function.
#[test]
fn local_values_are_no_metadata() {
    for node in ["ptr %x", "[1 x ptr] [ptr %x]", "i32 7", "label %start", "!{ptr %x}", "!0"] {
        let text = format!(
            "define void @f(ptr %x) {{\nstart:\n  store i32 1, ptr %x, !dbg {node}\n  ret void\n}}\n!0 = !{{}}\n"
        );
        let module = llvm::parse(&text).unwrap_or_else(|error| panic!("{node}: {error}"));
        use_all_of(&module);
    }
}
