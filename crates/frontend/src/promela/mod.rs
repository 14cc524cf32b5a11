//! Promela, the input language of the model checker Spin: programs are printed with their SC
//! semantics, one step for each instruction.
//!
//! - A template is a proctype, its identity a parameter, and each copy is run from `init`. Process
//!   numbers (`_pid`) therefore begin with 1.
//! - Each edge is one atomic step, see `step`. A false assertion and every other fault is a
//!   violated `assert`, so Spin finds one exactly if a fault can be reached under SC. It stops at
//!   the first unless told otherwise (`pan -e -c0`); then only the thread stops, as in the model.
//! - A label where the thread has ended, and every label that is not marked as waiting, is a valid
//!   end state: a false assumption that blocks for ever is no error in the model either. What
//!   `pan` then reports as an invalid end state is a deadlock at a waiting label. `pan -E` hides
//!   it.
//! - Values of Promela have 32 bits, ours are exact. Wherever a result could leave 32 bits, an
//!   `assert` mentions `beyond_32_bits`; a violation there says nothing about the program but that
//!   Spin cannot decide it. Wider constants are refused. (`held` saves most of these.)
//! - Memory is one variable for each location, see `place`. Flat memory must be bounded:
//!   addresses have to be constants or registers with few values.
//!
//! A condition on final states is left out, and a comment says so: Spin would not check it.

mod atomic;
mod held;
mod names;
mod operation;
mod place;
mod refuse;
mod step;
mod term;
mod values;

use std::collections::BTreeSet;
use std::fmt::Write;

use program::index::Idx;
use program::{
    Count, Diagnostics, IndexVec, Initial, Instruction, LabelId, Program, RegisterId, Template,
    TemplateId,
};

use names::legal;
use place::Cells;
use refuse::{check_declarations, refuse, undeclared_cells};
use step::{OLD, Thread, initial, option};
use term::{Leaves, NoTerm, literal};

/// The program in Promela, or all of it that Promela cannot express.
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    let mut errors = Vec::new();
    check_declarations(program, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let held = held::held(program);
    let mut taken: BTreeSet<String> = [
        OLD,
        "lock_holder",
        "has_reservation",
        "reserved",
        "end_reservations",
        "beyond_32_bits",
        "must",
        "condition",
        "written_address",
        "thread_number",
    ]
    .map(str::to_owned)
    .into();
    let undeclared = undeclared_cells(program, &held, &mut errors);
    let mut name = |name: &str| legal(name, &mut taken);
    let cells = place::cells(program.memory(), &undeclared, &mut name);
    let proctypes: IndexVec<TemplateId, String> =
        program.templates().iter().map(|template| name(template.name())).collect();

    let features = Features::of(program);
    let mut threads = String::new();
    for (id, template) in program.templates().enumerate() {
        let registers: IndexVec<RegisterId, String> = {
            let mut taken = taken.clone();
            template.registers().iter().map(|register| legal(&register.name, &mut taken)).collect()
        };
        let thread = Thread {
            leaves: Leaves {
                memory: program.memory(),
                registers: &registers,
                values: &held.registers[id],
            },
            cells: &cells,
            held: &held.memory,
            registers: template.registers(),
            locks: features.locks,
            reserves: features.reserves,
        };
        proctype(&mut threads, template, &proctypes[id], &thread, &mut errors);
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.span);
        errors.dedup();
        return Err(errors);
    }
    let mut text = header(program);
    memory(&mut text, program, &cells, features);
    if threads.contains("beyond_32_bits") {
        text.push_str("bool beyond_32_bits = false;\n");
    }
    if threads.contains("must(") {
        // No `inline`: Spin takes a conditional expression in an argument for two statements.
        text.push_str("#define must(condition) assert(condition); (condition)\n");
    }
    text.push_str(&threads);
    init(&mut text, program, &cells, &proctypes);
    Ok(text)
}

/// What some thread of a program does.
#[derive(Clone, Copy)]
struct Features {
    locks: bool,
    reserves: bool,
}

impl Features {
    fn of(program: &Program) -> Self {
        let uses = |what: fn(&Instruction) -> bool| {
            let edges = program.templates().iter().flat_map(Template::edges);
            edges.into_iter().any(|edge| what(&edge.instruction))
        };
        Self {
            locks: uses(|instruction| {
                matches!(instruction, Instruction::Lock | Instruction::Unlock)
            }),
            reserves: uses(|instruction| {
                instruction.memory_access().is_some_and(|(_, access)| access.exclusive)
            }),
        }
    }
}

fn header(program: &Program) -> String {
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

fn memory(text: &mut String, program: &Program, cells: &Cells, features: Features) {
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
        let threads: u32 = program.templates().iter().map(copies).sum();
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

fn copies(template: &Template) -> u32 {
    match template.count() {
        Count::Exactly(count) => count,
        Count::Any => 0,
    }
}

fn proctype(
    text: &mut String,
    template: &Template,
    name: &str,
    thread: &Thread<'_>,
    errors: &mut Diagnostics,
) {
    let names = thread.leaves.registers;
    let identity = template.identity().map(|identity| identity.register);
    let parameter = identity.map_or_else(String::new, |id| format!("int {}", names[id]));
    let _ = writeln!(text, "\nproctype {name}({parameter}) {{");
    for (id, register) in template.registers().enumerate() {
        if identity != Some(id) {
            let _ = writeln!(text, "  int {}{};", names[id], initial(register.initial));
        }
    }
    let instructions = || template.edges().iter().map(|edge| &edge.instruction);
    if instructions().any(|instruction| matches!(instruction, Instruction::Update { .. })) {
        let _ = writeln!(text, "  int {OLD};");
    }
    if thread.reserves {
        text.push_str("  byte thread_number;\n  int written_address;\n");
    }
    let labels = labels(template, names);
    // The first statement is where a process begins.
    let others = template.labels().indices().filter(|label| *label != template.initial());
    for label in std::iter::once(template.initial()).chain(others) {
        let mut options = Vec::new();
        for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
            match thread.steps(edge) {
                Ok(steps) => {
                    options.extend(steps.iter().map(|step| option(step, &labels[edge.to])));
                }
                Err(NoTerm::TooLarge(value)) => {
                    let what = format!("the number {value}");
                    errors.push(refuse(edge.span, &what).label("more than 32 bits"));
                }
                Err(NoTerm::TooLong) => errors.push(refuse(edge.span, "an expression this long")),
            }
        }
        let _ = match options.as_slice() {
            [] => writeln!(text, "  {}: false;", labels[label]),
            [only] => writeln!(text, "  {}: {only};", labels[label]),
            options => {
                let options = options.join("\n  :: ");
                writeln!(text, "  {}: if\n  :: {options}\n  fi;", labels[label])
            }
        };
    }
    text.push_str("}\n");
}

/// The labels of a template. Spin takes what begins with `end` for a valid end state.
fn labels(
    template: &Template,
    registers: &IndexVec<RegisterId, String>,
) -> IndexVec<LabelId, String> {
    let mut taken: BTreeSet<String> = registers.iter().cloned().collect();
    let name = |(id, label): (LabelId, &program::Label)| {
        let ends = template.outgoing(id).len() == 0 || !label.waiting;
        legal(&format!("{}_{}", if ends { "end" } else { "waiting" }, label.name), &mut taken)
    };
    template.labels().enumerate().map(name).collect()
}

fn init(
    text: &mut String,
    program: &Program,
    cells: &Cells,
    proctypes: &IndexVec<TemplateId, String>,
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
        let name = &proctypes[TemplateId::new(number)];
        for copy in 0..copies(template) {
            let identity = template.identity().map(|identity| literal(identity.of(copy)));
            let _ = write!(text, ";\n    run {name}({})", identity.unwrap_or_default());
        }
    }
    text.push_str("\n  }\n}\n");
}
