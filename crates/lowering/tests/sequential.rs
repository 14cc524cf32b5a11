//! Programs of one thread end with the same values as when they are compiled and run.
//!
//! Generated C functions compute a checksum of all their variables, written ones a result. Two compilers say
//! what it is, and the semantics of the translated program must agree. Nothing is undefined in C.

mod generate;
mod tools;
mod written;

use std::fmt::Write;

use lowering::Environment;
use program::index::Idx;
use program::{Program, ThreadId, Value};
use semantics::{Control, Machine, Model};

use crate::generate::Generator;
use crate::tools::{Workshop, entry, lower, lower_with_memory, shown};
use crate::written::library;

/// A thread that goes on for longer does not end.
const MOST_STEPS: usize = 100_000;

/// Runs a program of one thread to its end, and reads a variable.
fn run(program: &Program, variable: &str) -> Result<Value, String> {
    let machine = Machine::new(program, Model::Sc).map_err(|_| "any number of threads")?;
    let mut state = machine.initial();
    let thread = ThreadId::new(0);
    for _ in 0..MOST_STEPS {
        if machine.has_ended(&state, thread) {
            let location = program.memory().locations().iter().find(|one| one.name == variable);
            let location = location.ok_or("the result is not a variable")?;
            return machine.in_memory(&state, location.base).ok_or("no cell".to_owned());
        }
        if let Control::Stopped { edge, fault } = state.thread(thread).control() {
            let edge = machine.template(thread).edge(edge);
            return Err(format!("{fault} at {:?} of {:?}", edge.span, edge.instruction));
        }
        let mut moves = machine.moves(&state);
        let taken = moves.next().ok_or("the thread is stuck")?;
        if moves.next().is_some() {
            return Err("the thread has a choice".to_owned());
        }
        state = machine.apply(&state, taken).map_err(|why| format!("{why:?}"))?.0;
    }
    Err("the thread does not end".to_owned())
}

/// Compares the functions of a text, `f0`, `f1`, …, with two compilers: what they put into `r0`, `r1`, ….
fn compare(name: &str, text: &str) {
    let workshop = Workshop::new(&format!("sequential-{name}"));
    let expected = workshop.prints("clang", "native.c", text);
    assert_eq!(expected, workshop.prints("gcc", "native.c", text), "{name}: compilers differ");
    let modules = [workshop.module("program.c", text)];
    let mut wrong = String::new();
    for (number, line) in expected.lines().enumerate() {
        let expected: Value = line.parse().expect("numbers are printed");
        let entries = [entry(&format!("f{number}"))];
        let environment = Environment::default();
        let (lowered, sources) = lower_with_memory(&modules, &[], &entries, &environment);
        let found = match &lowered {
            Ok(lowered) => run(&lowered.program, &format!("r{number}")),
            Err(errors) => Err(shown(errors, &sources)),
        };
        if found != Ok(expected) {
            writeln!(wrong, "f{number}: {found:?} and not {expected}").expect("a string takes it");
        }
    }
    if !wrong.is_empty() {
        let kept = std::env::temp_dir().join(format!("lowering-wrong-{name}.c"));
        std::fs::write(&kept, text).expect("a temporary file");
        panic!("{name}, text in {}:\n{wrong}", kept.display());
    }
}

#[test]
fn generated_functions_compute_what_they_do_natively() {
    for seed in 0..3 {
        compare(&seed.to_string(), &Generator::batch(seed, 60));
    }
}

/// Compares functions, each with declarations, statements and the expression that is its result.
fn compare_written<'t>(name: &str, functions: impl IntoIterator<Item = [&'t str; 3]>) {
    let mut text =
        "#include <stdio.h>\n#define _GNU_SOURCE\n#include <stdlib.h>\n#include <string.h>\n"
            .to_owned();
    text.push_str("#include <strings.h>\ntypedef unsigned u32; typedef unsigned long long u64;\n");
    text.push_str("volatile int one = 1;\n");
    let mut main = String::new();
    for (number, [declarations, statements, result]) in functions.into_iter().enumerate() {
        writeln!(text, "{declarations}\nlong long r{number};").expect("a string takes it");
        writeln!(
            text,
            "void f{number}(void) {{ {statements} r{number} = (long long)({result}); }}"
        )
        .expect("a string takes it");
        write!(main, "f{number}(); printf(\"%lld\\n\", r{number}); ").expect("a string takes it");
    }
    writeln!(text, "int main(void) {{ {main} return 0; }}").expect("a string takes it");
    compare(name, &text);
}

#[test]
fn written_functions_compute_what_they_do_natively() {
    let functions = written::FUNCTIONS.iter();
    compare_written("written", functions.map(|(declared, done, result)| [*declared, done, result]));
}

#[test]
fn strings_are_what_they_are_natively() {
    let functions = library::STRINGS.iter();
    compare_written("strings", functions.map(|(declared, done, result)| [*declared, done, result]));
}

#[test]
fn floating_point_numbers_are_what_they_are_natively() {
    let functions = library::floats();
    let functions = functions.iter();
    compare_written(
        "floats",
        functions.map(|(declared, done, result)| [&**declared, done, result]),
    );
}

/// Functions `f` in LLVM's words that leave a number in `r`. Compilers of C seldom write structures in one
/// piece, or swap them, or use vectors.
const INSTRUCTIONS: &[(&str, Value)] = &[
    (
        "  %s = alloca { i64, i64 }
  %second = getelementptr { i64, i64 }, ptr %s, i64 0, i32 1
  %x = load volatile i64, ptr @one
  store i64 %x, ptr %s
  %y = add i64 %x, 1
  store i64 %y, ptr %second
  %whole = load { i64, i64 }, ptr %s
  %a = extractvalue { i64, i64 } %whole, 0
  %b = extractvalue { i64, i64 } %whole, 1
  %half = insertvalue { i64, i64 } poison, i64 %b, 0
  %swapped = insertvalue { i64, i64 } %half, i64 %a, 1
  store { i64, i64 } %swapped, ptr %s
  %c = load i64, ptr %s
  %d = load i64, ptr %second
  %ten = mul i64 %c, 10
  %all = add i64 %ten, %d
  store i64 %all, ptr @r
  ret void",
        21,
    ),
    (
        "entry:
  %x = load volatile i64, ptr @one
  %y = add i64 %x, 1
  %part = insertvalue { i64, i64 } poison, i64 %x, 0
  %first = insertvalue { i64, i64 } %part, i64 %y, 1
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pair = phi { i64, i64 } [ %first, %entry ], [ %swapped, %loop ]
  %a = extractvalue { i64, i64 } %pair, 0
  %b = extractvalue { i64, i64 } %pair, 1
  %half = insertvalue { i64, i64 } poison, i64 %b, 0
  %swapped = insertvalue { i64, i64 } %half, i64 %a, 1
  %next = add i64 %n, %x
  %done = icmp eq i64 %next, 3
  br i1 %done, label %end, label %loop
end:
  %c = extractvalue { i64, i64 } %swapped, 0
  %d = extractvalue { i64, i64 } %swapped, 1
  %ten = mul i64 %c, 10
  %all = add i64 %ten, %d
  store i64 %all, ptr @r
  ret void",
        21,
    ),
    // Sixteen bytes, which of them are 7, as hash tables look for theirs.
    (
        "  %x = load volatile i64, ptr @one
  %seven = add i64 %x, 6
  %byte = trunc i64 %seven to i8
  %a = insertelement <16 x i8> zeroinitializer, i8 %byte, i64 3
  %b = insertelement <16 x i8> %a, i8 %byte, i64 9
  %words = bitcast <16 x i8> %b to <2 x i64>
  %bytes = bitcast <2 x i64> %words to <16 x i8>
  %start = insertelement <16 x i8> poison, i8 7, i64 0
  %splat = shufflevector <16 x i8> %start, <16 x i8> poison, <16 x i32> zeroinitializer
  %moved = lshr <16 x i8> %splat, splat (i8 1)
  %back = add <16 x i8> %moved, splat (i8 4)
  %same = icmp eq <16 x i8> %bytes, %back
  %wide = sext <16 x i1> %same to <16 x i8>
  %mask = call i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8> %wide)
  %mask64 = zext i32 %mask to i64
  %bits = bitcast <16 x i1> %same to i16
  %bits64 = zext i16 %bits to i64
  %high = extractelement <2 x i64> %words, i64 1
  %chosen = select <16 x i1> %same, <16 x i8> %splat, <16 x i8> zeroinitializer
  %sum = call i8 @llvm.vector.reduce.add.v16i8(<16 x i8> %chosen)
  %sum64 = zext i8 %sum to i64
  %m = mul i64 %mask64, 100000
  %n = add i64 %m, %bits64
  %o = add i64 %n, %high
  %all = add i64 %o, %sum64
  store i64 %all, ptr @r
  ret void",
        520 * 100_000 + 520 + 7 * 256 + 14,
    ),
];

#[test]
fn structures_are_written_at_once() {
    for (body, expected) in INSTRUCTIONS {
        let text = format!(
            "target datalayout = \"e-m:e-i64:64-f80:128-n8:16:32:64-S128\"\n@one = global i64 1\n@r = global i64 0\ndefine void @f() {{\n{body}\n}}\ndeclare i32 @llvm.x86.sse2.pmovmskb.128(<16 x i8>)\ndeclare i8 @llvm.vector.reduce.add.v16i8(<16 x i8>)\n"
        );
        let module = llvm::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (lowered, sources) = lower(&[module], &[], &[entry("f")]);
        let lowered = lowered.unwrap_or_else(|errors| panic!("{}", shown(&errors, &sources)));
        assert_eq!(run(&lowered.program, "r"), Ok(*expected), "{text}");
    }
}

/// Many more; run with `--ignored` after a change of the translation.
#[test]
#[ignore = "minutes"]
fn many_generated_functions() {
    let from = std::env::var("FROM").ok().and_then(|from| from.parse().ok()).unwrap_or(100);
    for seed in from..from + 40 {
        compare(&seed.to_string(), &Generator::batch(seed, 60));
    }
}
