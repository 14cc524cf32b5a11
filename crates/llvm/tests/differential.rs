//! What LLVM reads in a text and what it reads in our printing of what we read are the same, up to what
//! our data leaves out. Everything that LLVM prints of both sides is compared: operands, types,
//! constants, orders, places in the source. Skipped for versions without `llvm-as` and `llvm-dis`.

mod normal;
mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use support::{C_FLAGS, clangs, compile_c, files, installed};

/// LLVM's assembler and disassembler of one version.
struct Tools {
    version: u32,
    assembler: String,
    disassembler: String,
}

fn tools() -> Vec<Tools> {
    let disassemblers = installed("llvm-dis");
    installed("llvm-as")
        .into_iter()
        .filter_map(|(version, assembler)| {
            let (_, disassembler) = disassemblers.iter().find(|(found, _)| *found == version)?;
            Some(Tools { version, assembler, disassembler: disassembler.clone() })
        })
        .collect()
}

impl Tools {
    /// LLVM's own printing of a text.
    fn reprinted(&self, place: &str, text: &str) -> String {
        let bitcode = piped(&self.assembler, place, text.as_bytes().to_vec());
        let printed = piped(&self.disassembler, place, bitcode);
        String::from_utf8(printed).expect("UTF-8")
    }
}

/// What a tool makes of its input.
fn piped(tool: &str, place: &str, input: Vec<u8>) -> Vec<u8> {
    let mut child = Command::new(tool)
        .args(["-o", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the tool runs");
    let mut pipe = child.stdin.take().expect("its input is a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let result = child.wait_with_output().expect("the tool ends");
    // It may have stopped reading because of an error, which is shown below.
    let _ = writer.join();
    let errors = String::from_utf8_lossy(&result.stderr);
    assert!(result.status.success(), "{place}: {tool}: {errors}");
    result.stdout
}

#[test]
fn llvm_reads_the_same_in_what_we_print() {
    let clangs = clangs();
    for tools in tools() {
        let Some((_, clang)) = clangs.iter().find(|(version, _)| *version == tools.version) else {
            continue;
        };
        for file in files("c", "c") {
            for flags in C_FLAGS {
                let text = compile_c(clang, &file, flags);
                let place = format!("{} with {clang} {flags:?}", file.display());
                // Optimised code has records of values, which the data leaves out with all that only
                // they mention.
                assert!(compare(&tools, &place, &text, flags[0] == "-O0") > 20, "{place}");
            }
        }
    }
}

#[test]
#[ignore = "needs modules of real packages in the folder LLVM_IR"]
fn llvm_reads_the_same_in_a_folder() {
    let tools = tools();
    let mut lines = 0;
    for (place, text) in support::real_modules() {
        let version =
            text.split_once("clang version ").and_then(|(_, rest)| rest.split('.').next());
        let version = version.and_then(|version| version.parse().ok());
        let of_version = |tools: &&Tools| Some(tools.version) == version;
        let tools = tools.iter().find(of_version);
        let tools = tools.unwrap_or_else(|| panic!("{place}: no tools of LLVM {version:?}"));
        // Some modules are empty, but not all.
        lines += compare(tools, &place, &text, false);
    }
    assert!(lines > 50);
}

/// Compares what LLVM reads in a text and in our printing of it; how many lines there are.
fn compare(tools: &Tools, place: &str, text: &str, with_nodes: bool) -> usize {
    let module = llvm::parse(text).unwrap_or_else(|error| panic!("{place}: {error}"));
    let theirs = tools.reprinted(place, text);
    let ours = tools.reprinted(place, &llvm::print(&module));
    if with_nodes {
        assert_same(place, &normal::debug_nodes(&theirs), &normal::debug_nodes(&ours));
    }
    assert_same(place, &normal::code(&theirs), &normal::code(&ours))
}

/// Compares lines; how many there are.
fn assert_same(place: &str, theirs: &[String], ours: &[String]) -> usize {
    for (theirs, ours) in theirs.iter().zip(ours) {
        assert_eq!(theirs, ours, "{place}");
    }
    assert_eq!(theirs.len(), ours.len(), "{place}");
    theirs.len()
}
