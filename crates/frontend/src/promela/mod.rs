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
//!   `pan` then reports as an invalid end state is a deadlock at a waiting label, or one of threads
//!   that wait for the memory lock. `pan -E` hides it.
//! - Values of Promela have 32 bits, ours are exact. Wherever a result could leave 32 bits, an
//!   `assert` mentions `beyond_32_bits`; a violation there says nothing about the program but that
//!   Spin cannot decide it. Wider constants are refused. (`held` saves most of these.)
//! - Memory is one variable for each location, see `place`. Flat memory must be bounded:
//!   addresses have to be constants or registers with few values.
//!
//! A goal, something to be reached, is watched for by a process of its own, see `watch`.
//!
//! A condition on final states is left out, and a comment says so: Spin would not check it.

mod atomic;
mod frame;
mod held;
mod names;
mod operation;
mod place;
mod refuse;
mod step;
mod term;
mod values;
mod watch;

use std::collections::BTreeSet;
use std::fmt::Write;

use program::{
    Diagnostic, Diagnostics, EdgeId, IndexVec, Instruction, LabelId, Program, RegisterId, Span,
    StateProposition, Template, TemplateId, Update,
};

use frame::{header, init, memory};
use names::legal;
use refuse::{check_declarations, check_goal, refuse, undeclared_cells};
use step::{OLD, Step, Thread, initial, option, reaches_memory};
use term::{Leaves, NoTerm};
use watch::{Watch, watcher};

/// What Spin is to look for, and what it is to say on the way.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// Whether a fault is a violated assertion; otherwise its thread stops and nothing is said.
    pub faults: bool,
    /// Whether there is a process that violates an assertion, one which mentions
    /// `goal_is_reached`, in states of which this is true.
    pub goal: Option<&'a StateProposition>,
    /// Whether each step announces itself when a run is replayed: a line with the words
    /// `step`, the process, the number of the edge, and what the instruction chose, which is
    /// `determined`, `succeed`, `fail` or a value.
    pub announce: bool,
}

/// The program in Promela, or all of it that Promela cannot express.
pub fn print(program: &Program) -> Result<String, Diagnostics> {
    print_asking(program, &Ask { faults: true, goal: None, announce: false })
}

/// The program in Promela with something to look for, or all of it that Promela cannot express.
pub fn print_asking(program: &Program, ask: &Ask<'_>) -> Result<String, Diagnostics> {
    let mut errors = Vec::new();
    if let Some(missing) = ask.goal.and_then(|goal| goal.missing_in(program)) {
        let message = format!("the goal mentions {missing:?}, which does not exist");
        errors.push(Diagnostic::new(Span::NONE, message));
    }
    check_goal(ask.goal, &mut errors);
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
        "goal_is_reached",
        "watcher",
        "must",
        "must_fit",
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

    let watch = Watch::new(program, ask.goal, &mut name);
    let features = Features::of(program);
    let mut threads = String::new();
    for (id, template) in program.templates().enumerate() {
        let registers: IndexVec<RegisterId, String> = {
            let mut taken = taken.clone();
            let local = |(register, of): (RegisterId, &program::Register)| {
                let global = watch.register(program, id, register);
                global.unwrap_or_else(|| legal(&of.name, &mut taken))
            };
            template.registers().enumerate().map(local).collect()
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
            stops: !ask.faults,
        };
        let finish = |edge: EdgeId, number: usize, step: &mut Step| {
            if ask.announce {
                step.announce(template.edge(edge), edge, number, &registers);
            }
            watch.surround(program, id, template.edge(edge), step);
        };
        proctype(&mut threads, template, &proctypes[id], &thread, &finish, &mut errors);
    }
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.span);
        errors.dedup();
        return Err(errors);
    }
    let mut text = header(program);
    memory(&mut text, program, &cells, features);
    // No `inline`: Spin takes a conditional expression in an argument for two statements.
    if threads.contains("must_fit(") {
        text.push_str("bool beyond_32_bits = false;\n");
        text.push_str("#define must_fit(condition) ");
        text.push_str("assert(condition || beyond_32_bits); (condition)\n");
    }
    if threads.contains("must(") {
        text.push_str(if ask.faults {
            "#define must(condition) assert(condition); (condition)\n"
        } else {
            "#define must(condition) if :: (condition) :: else -> goto end_stopped fi\n"
        });
    }
    if ask.goal.is_some() {
        text.push_str("bool goal_is_reached = false;\n");
        watch.declare(&mut text, program);
    }
    text.push_str(&threads);
    if let Some(goal) = ask.goal {
        watcher(&mut text, &watch.condition(program, &cells, goal));
    }
    init(&mut text, program, &cells, &proctypes, ask.goal.is_some());
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

fn proctype(
    text: &mut String,
    template: &Template,
    name: &str,
    thread: &Thread<'_>,
    finish: &impl Fn(EdgeId, usize, &mut Step),
    errors: &mut Diagnostics,
) {
    let names = thread.leaves.registers;
    let identity = template.identity().map(|identity| identity.register);
    let parameter = identity.map_or_else(String::new, |id| format!("int {}", names[id]));
    let _ = writeln!(text, "\nproctype {name}({parameter}) {{");
    for (id, register) in template.registers().enumerate() {
        let is_global = names[id].contains('[');
        if identity != Some(id) && !is_global {
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
    let labels = labels(template, names, thread.locks);
    // The first statement is where a process begins.
    let others = template.labels().indices().filter(|label| *label != template.initial());
    for label in std::iter::once(template.initial()).chain(others) {
        let mut options = Vec::new();
        for id in template.outgoing(label) {
            let edge = template.edge(id);
            // What a bound of the front end keeps from happening is beyond all limits.
            let steps = match template.bound(id) {
                Some(_) => Ok(vec![Step::beyond_all_limits()]),
                None => thread.steps(edge),
            };
            match steps {
                Ok(steps) => {
                    for (number, mut step) in steps.into_iter().enumerate() {
                        finish(id, number, &mut step);
                        options.push(option(&step, &labels[edge.to]));
                    }
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
    if thread.stops {
        let _ = writeln!(text, "  {STOPPED}: false;");
    }
    text.push_str("}\n");
}

/// Where a thread is that a fault has stopped, if that is no violation.
const STOPPED: &str = "end_stopped";

const fn is_blocking_update(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Update { update: Update::BlockingReadWrite { .. }, .. })
}

/// The labels of a template. Spin takes what begins with `end` for a valid end state, which a
/// label is unless being stuck there is a deadlock: it is marked as waiting, or another thread's
/// lock is in the way. (A blocking update can also be stuck because of a value, which is none.)
fn labels(
    template: &Template,
    registers: &IndexVec<RegisterId, String>,
    locks: bool,
) -> IndexVec<LabelId, String> {
    let mut taken: BTreeSet<String> = registers.iter().cloned().collect();
    taken.insert(STOPPED.to_owned());
    let waits_for_lock = |edge: EdgeId| {
        let instruction = &template.edge(edge).instruction;
        locks && reaches_memory(instruction) && !is_blocking_update(instruction)
    };
    let name = |(id, label): (LabelId, &program::Label)| {
        let waits = label.waiting || template.outgoing(id).any(waits_for_lock);
        let ends = template.outgoing(id).len() == 0 || !waits;
        legal(&format!("{}_{}", if ends { "end" } else { "waiting" }, label.name), &mut taken)
    };
    template.labels().enumerate().map(name).collect()
}
