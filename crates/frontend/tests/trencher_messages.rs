//! What is said about typical errors in Trencher's language.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use frontend::trencher;
use program::Sources;

fn check(text: &str, expected: &Expect) {
    let mut sources = Sources::new();
    let source = sources.add("test.txt", text);
    let mut messages = String::new();
    for error in trencher::load(&sources, source).expect_err("a text with errors") {
        let (line, column) = sources.line_column(source, error.span.start);
        let at = sources.excerpt(error.span).expect("a span in the text");
        writeln!(messages, "{line}:{column} `{at}`: {}", error.message).unwrap();
        if !error.label.is_empty() {
            writeln!(messages, "    caret: {}", error.label).unwrap();
        }
        if let Some((span, words)) = error.related {
            let (line, column) = sources.line_column(source, span.start);
            writeln!(messages, "    {line}:{column}: {words}").unwrap();
        }
        if let Some(help) = error.help {
            writeln!(messages, "    help: {help}").unwrap();
        }
    }
    expected.assert_eq(&messages);
}

#[test]
fn misspelt_words_are_all_found() {
    check(
        "thread t\ninital q\ntransition q r wirte 1 0\ntransitoin q r noop\nend\nthred u\ninitial q\nend\n",
        &expect![[r#"
            2:1 `inital`: expected `transition`, `initial` or `end`, found `inital`
                caret: unknown word
                help: did you mean `initial`?
            3:16 `wirte`: expected an instruction, found `wirte`
                caret: unknown word
                help: did you mean `write`?
            4:1 `transitoin`: expected `transition`, `initial` or `end`, found `transitoin`
                caret: unknown word
                help: did you mean `transition`?
            6:1 `thred`: expected a thread, found `thred`
                caret: unknown word
                help: did you mean `thread`?
        "#]],
    );
}

#[test]
fn missing_operands() {
    check(
        "thread t\ninitial q\ntransition q r check == a\ntransition q r read\ntransition q\ntransition q r\nend\n",
        &expect![[r#"
            3:26 ``: an operand is missing
                caret: expected an operand
                help: an operand is an integer, a register, `! E`, or an operator before its two operands
            4:20 ``: a register is missing
                caret: expected a register
                help: the instruction is `read REGISTER ADDRESS`
            5:13 ``: the label that the transition leads to is missing
                caret: expected the label that the transition leads to
                help: a transition is `transition FROM TO INSTRUCTION`
            6:15 ``: an instruction is missing
                caret: expected an instruction
                help: a transition is `transition FROM TO INSTRUCTION`
        "#]],
    );
}

#[test]
fn operands_that_are_none() {
    check(
        "thread t\ninitial q\ntransition q r check !x\ntransition q r check = x 1\n\
         transition q r write 0x10 1\ntransition q r local 1 2\ntransition q r check / 4 2\n\
         transition q r local r 9223372036854775808\ntransition q r read r 1 2\nend\n",
        &expect![[r#"
            3:22 `!x`: expected an operand, found `!x`
                caret: unknown word
                help: separate an operator from its operands by white space
            4:22 `=`: expected an operand, found `=`
                caret: unknown word
                help: did you mean `==`?
            5:22 `0x10`: expected an operand, found `0x10`
                caret: expected an operand
                help: an operand is an integer, a register, `! E`, or an operator before its two operands; the operators are ! == != < <= > >= && || + - * &
            6:22 `1`: `1` cannot name a register
                caret: expected a register
                help: the instruction is `local REGISTER VALUE`
            7:22 `/`: expected an operand, found `/`
                caret: expected an operand
                help: an operand is an integer, a register, `! E`, or an operator before its two operands; the operators are ! == != < <= > >= && || + - * &
            8:24 `9223372036854775808`: the integer `9223372036854775808` is too large
                help: integers are -9223372036854775808 to 9223372036854775807
            9:25 `2`: expected `transition`, `initial` or `end`, found `2`
                caret: expected `transition`, `initial` or `end`
                help: each part of a thread is `initial LABEL` or `transition FROM TO INSTRUCTION`
        "#]],
    );
}

#[test]
fn threads_without_start_or_end() {
    check(
        "thread a\ntransition q r noop\nend\nthread b\ninitial q\nthread a\ninitial q\ninitial q\nend#x\n",
        &expect![[r#"
            1:1 `thread a`: thread `a` has no initial label
                help: say where the thread starts: `initial LABEL`
            6:1 `thread`: `end` is missing
                caret: a thread begins inside another
                4:1: the thread that has not ended
            6:8 `a`: there are two threads named `a`
                1:8: the first one
                help: give each thread a name of its own
            8:1 `initial q`: the thread has two initial labels
                7:1: the first one
            9:1 `end#x`: expected `transition`, `initial` or `end`, found `end#x`
                caret: expected `transition`, `initial` or `end`
                help: put white space before the `#` of a comment
        "#]],
    );
}

#[test]
fn things_out_of_place() {
    check(
        "memory_size 0\nmemory_size 3\nmemory_size 4\ntransition q r noop\nthread t\ninitial q\nmemory_size 3\nend\nend\n",
        &expect![[r#"
            1:13 `0`: `0` is not a size of memory
                caret: expected a number of cells
                help: memory has 1 to 4294967296 cells; without `memory_size` it has one at every address
            3:1 `memory_size 4`: the size of memory is declared twice
                2:1: first declared here
            4:1 `transition`: `transition` outside of a thread
                caret: no thread begins before this
                help: a file consists of `memory_size N` and `thread NAME … end`
            7:1 `memory_size`: `memory_size` inside a thread
                help: put it before the first thread
            9:1 `end`: `end` outside of a thread
                caret: no thread begins before this
                help: a file consists of `memory_size N` and `thread NAME … end`
        "#]],
    );
}

#[test]
fn a_file_of_another_language() {
    check(
        "int main(void) {\n  return 0;\n}\n",
        &expect![[r#"
            1:1 `int`: expected a thread, found `int`
                caret: expected a thread
                help: a file consists of `memory_size N` and `thread NAME … end`
        "#]],
    );
}
