//! What LLVM reads in a text and what it reads in our printing of what we read are the same, up to what
//! our data leaves out. Everything that LLVM prints of both sides is compared: operands, types,
//! constants, orders, places in the source. Skipped for versions without `llvm-as` and `llvm-dis`.

mod normal;
mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use support::{C_FLAGS, clangs, compile_c, files, installed};

/// LLVM's own printing of a text.
fn reprinted_by_llvm(version: u32, assembler: &str, disassembler: &str, text: &str) -> String {
    let mut assemble = Command::new(assembler)
        .args(["-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-as runs");
    let mut input = assemble.stdin.take().expect("its input is a pipe");
    let owned = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(owned.as_bytes()));
    let bitcode = assemble.wait_with_output().expect("llvm-as ends");
    // It may have stopped reading because of an error, which is shown below.
    let _ = writer.join();
    let errors = String::from_utf8_lossy(&bitcode.stderr);
    assert!(bitcode.status.success(), "llvm-as {version}: {errors}");
    let mut disassemble = Command::new(disassembler)
        .args(["-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("llvm-dis runs");
    let mut input = disassemble.stdin.take().expect("its input is a pipe");
    let writer = std::thread::spawn(move || input.write_all(&bitcode.stdout));
    let printed = disassemble.wait_with_output().expect("llvm-dis ends");
    let _ = writer.join();
    assert!(printed.status.success());
    String::from_utf8(printed.stdout).expect("UTF-8")
}

#[test]
fn llvm_reads_the_same_in_what_we_print() {
    let assemblers = installed("llvm-as");
    let disassemblers = installed("llvm-dis");
    for (version, clang) in clangs() {
        let tool = |tools: &[(u32, String)]| {
            tools.iter().find(|(found, _)| *found == version).map(|(_, name)| name.clone())
        };
        let (Some(assembler), Some(disassembler)) = (tool(&assemblers), tool(&disassemblers))
        else {
            continue;
        };
        for file in files("c", "c") {
            for flags in C_FLAGS {
                let text = compile_c(&clang, &file, flags);
                let module = llvm::parse(&text).expect("what clang writes is read");
                let theirs = reprinted_by_llvm(version, &assembler, &disassembler, &text);
                let ours =
                    reprinted_by_llvm(version, &assembler, &disassembler, &llvm::print(&module));
                let place = format!("{} with {clang} {flags:?}", file.display());
                assert_same(&place, &normal::code(&theirs), &normal::code(&ours));
                // Optimised code has records of values, which the data leaves out with all that only
                // they mention.
                if flags[0] == "-O0" {
                    let nodes = normal::debug_nodes(&theirs);
                    assert_same(&place, &nodes, &normal::debug_nodes(&ours));
                }
            }
        }
    }
}

fn assert_same(place: &str, theirs: &[String], ours: &[String]) {
    for (theirs, ours) in theirs.iter().zip(ours) {
        assert_eq!(theirs, ours, "{place}");
    }
    assert_eq!(theirs.len(), ours.len(), "{place}");
    assert!(theirs.len() > 20, "{place}: hardly anything was compared");
}
