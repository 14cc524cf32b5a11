//! What stands around the processes: the comment at the top, the variables, and `init`.

use std::fmt::Write;

use program::index::Idx;
use program::{IndexVec, Initial, Program, TemplateId};

use super::Features;
use super::place::Cells;
use super::step::initial;
use super::term::literal;
use super::watch::copies;

pub(super) fn header(program: &Program) -> String {
    let name: String = program.name().chars().filter(|c| !"*/\n\r".contains(*c)).collect();
    let mut text = format!(
        "/* {name}: sequentially consistent behaviour, one atomic step per instruction.\n\
         \x20  A violated assertion is a failed assertion or another fault of the program, unless it\n\
         \x20  mentions beyond_32_bits: that is a value which Promela cannot hold.\n\
         \x20  spin -a; gcc -o pan pan.c; ./pan (with -DVECTORSZ=... if pan asks for it) */\n"
    );
    for line in crate::unasked_question(program) {
        let _ = writeln!(text, "/* {line} */");
    }
    text
}

pub(super) fn memory(text: &mut String, program: &Program, cells: &Cells, features: Features) {
    for (id, location) in program.memory().locations().enumerate() {
        let length = location.length.map_or_else(String::new, |length| format!("[{length}]"));
        let value = match &location.initial {
            Initial::Uniform(value) => initial(*value),
            Initial::Each(_) => String::new(),
        };
        let _ = writeln!(text, "int {}{length}{value};", cells.declared[id]);
    }
    for (address, variable) in &cells.undeclared {
        let _ = writeln!(text, "int {variable}; /* mem[{address}] */");
    }
    if features.locks {
        text.push_str("byte lock_holder = 0;\n");
    }
    if features.reserves {
        let threads: u32 =
            program.templates().indices().map(|template| copies(program, template)).sum();
        let _ = write!(
            text,
            "bool has_reservation[{0}];\n\
             int reserved[{0}];\n\
             /* A write to an address ends the reservations that others have of it. */\n\
             inline end_reservations() {{\n\
             \x20 thread_number = 1;\n\
             \x20 do\n\
             \x20 :: (thread_number < {0}) ->\n\
             \x20   if\n\
             \x20   :: (thread_number != _pid && has_reservation[thread_number]\n\
             \x20       && reserved[thread_number] == written_address) ->\n\
             \x20     has_reservation[thread_number] = false; reserved[thread_number] = 0\n\
             \x20   :: else -> skip\n\
             \x20   fi;\n\
             \x20   thread_number = thread_number + 1\n\
             \x20 :: else -> break\n\
             \x20 od;\n\
             \x20 thread_number = 0;\n\
             \x20 written_address = 0\n\
             }}\n",
            threads + 1
        );
    }
}

pub(super) fn init(
    text: &mut String,
    program: &Program,
    cells: &Cells,
    proctypes: &IndexVec<TemplateId, String>,
    watches: bool,
) {
    text.push_str("\ninit {\n  atomic {\n    skip");
    for (id, location) in program.memory().locations().enumerate() {
        let Initial::Each(values) = &location.initial else { continue };
        let name = &cells.declared[id];
        for (index, value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
            let element = location.length.map_or_else(String::new, |_| format!("[{index}]"));
            let _ = write!(text, ";\n    {name}{element} = {}", literal(*value));
        }
    }
    for (number, template) in program.templates().iter().enumerate() {
        let id = TemplateId::new(number);
        let name = &proctypes[id];
        for copy in 0..copies(program, id) {
            let identity = template.identity().map(|identity| literal(identity.of(copy)));
            let _ = write!(text, ";\n    run {name}({})", identity.unwrap_or_default());
        }
    }
    // The last one, so that the numbers of the others stay as they are.
    if watches {
        text.push_str(";\n    run watcher()");
    }
    text.push_str("\n  }\n}\n");
}
