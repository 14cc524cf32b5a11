//! Programs in what Trencher's language knows.
//!
//! The principle: every behaviour is preserved, and a reachable error becomes a thread that stops.
//!
//! - Copies of a template become threads of their own, with their identity as a constant.
//! - Elements of locations become integer addresses; what could be out of bounds is checked before
//!   ([`expression`], [`access`]). So is what could leave a declared range; unsigned values of up
//!   to 32 bits wrap by a mask. A thread that has several ways to go on decides for one before it
//!   checks whether that one is an error, since an error is not a reason to take another.
//! - An assertion becomes a check, a choice of values as many transitions, and a fence that TSO
//!   does not need becomes nothing.
//! - Atomic updates and `seq_cst` stores become locked sections ([`update`]). One that waits for a
//!   value leaves the section and starts over, at the label where all its alternatives are open
//!   too: waiting becomes busy waiting, so that a deadlock becomes a livelock.
//!
//! What is left cannot be expressed: initial values of memory, any number of threads, exclusive
//! accesses, divisions and a few other operators, values that wrap to other widths.

mod access;
mod edge;
mod expression;
mod names;
mod update;

use std::collections::BTreeSet;

use program::{
    Count, Diagnostic, Diagnostics, Domain, Expr, IndexVec, Initial, Instruction, Label, LabelId,
    Memory, NoInsertion, Program, ProgramBuilder, Register, RegisterId, Span, Template,
    TemplateBuilder, Value,
};

use self::edge::{Draft, LockState};
use self::expression::{Inexpressible, Scope, constant};
use self::names::Names;
use super::{declared_size, words};

/// The program in what Trencher's language knows, or everything that cannot be expressed in it.
pub fn translate(program: &Program) -> Result<Program, Diagnostics> {
    let mut problems = Problems::default();
    if let Some(span) = program.access_across() {
        problems.add(span, "an access across several cells");
    }
    check_initial_values(program.memory(), &mut problems);
    let copies: Vec<(&Template, u32)> = program
        .templates()
        .iter()
        .flat_map(|template| {
            let count = match template.count() {
                Count::Exactly(count) => count,
                Count::Any => {
                    let what = format!("any number of copies of thread `{}`", template.name());
                    problems.add(template.span(), &what);
                    0
                }
            };
            (0..count).map(move |copy| (template, copy))
        })
        .collect();
    let wishes: Vec<String> =
        copies.iter().map(|(template, copy)| template.copy_name(*copy)).collect();
    let (_, names) = Names::assign(wishes.iter().map(String::as_str), words::is_token);

    let memory = program.memory();
    let kept = if declared_size(memory).is_some() { memory.clone() } else { Memory::flat() };
    let mut builder = ProgramBuilder::new(program.name(), kept.outside());
    for location in kept.locations() {
        builder.location(location.clone());
    }
    for ((template, copy), name) in copies.into_iter().zip(names) {
        if let Some(thread) = translate_thread(program, template, copy, name, &mut problems) {
            builder.template(thread);
        }
    }
    if !problems.diagnostics.is_empty() {
        return Err(problems.diagnostics);
    }
    builder.build().map_err(|defects| defects.into_iter().map(Diagnostic::from).collect())
}

/// What cannot be expressed, each thing once although threads have copies.
#[derive(Default)]
struct Problems {
    diagnostics: Diagnostics,
    seen: BTreeSet<(Span, String)>,
}

impl Problems {
    fn add(&mut self, span: Span, what: &str) {
        let message = format!("{what} cannot be expressed in Trencher's language");
        if self.seen.insert((span, message.clone())) {
            self.diagnostics.push(Diagnostic::new(span, message));
        }
    }
}

fn check_initial_values(memory: &Memory, problems: &mut Problems) {
    for location in memory.locations() {
        let zero = match &location.initial {
            Initial::Uniform(value) => *value == 0,
            Initial::Each(values) => values.iter().all(|value| *value == 0),
        };
        if !zero {
            problems.add(location.span, &format!("an initial value of `{}`", location.name));
        }
    }
}

/// One copy of a template, unless there are problems with it.
fn translate_thread(
    program: &Program,
    template: &Template,
    copy: u32,
    name: String,
    problems: &mut Problems,
) -> Option<Template> {
    let mut builder = TemplateBuilder::new(name, template.span());
    let registers = template.registers();
    let (register_names, names) =
        Names::assign(registers.iter().map(|r| r.name.as_str()), words::is_register_name);
    for (register, name) in registers.iter().zip(names) {
        // What a register can hold is checked or wrapped by the instructions that write it.
        let generated = register.generated || name != register.name;
        builder.register(Register { name, initial: 0, domain: Domain::Integer, generated });
    }
    let (label_names, names) =
        Names::assign(template.labels().iter().map(|l| l.name.as_str()), words::is_token);
    for (label, name) in template.labels().iter().zip(names) {
        let generated = label.generated || name != label.name;
        builder.label(Label { name, generated, waiting: false, ..label.clone() });
    }
    let scope = Scope { memory: program.memory(), registers: known_registers(template, copy) };
    let mut draft = Draft {
        template,
        scope,
        builder,
        register_names,
        label_names,
        scratch: None,
        stem: String::new(),
    };

    let locks = lock_states(template);
    let mut is_complete = true;
    for edge in template.edges() {
        if let Err(what) = draft.edge(edge, locks[edge.from]) {
            let place =
                format!("thread `{}`, label `{}`", template.name(), name_of(template, edge.from));
            problems.add(edge.span, &format!("{place}: {what}"));
            is_complete = false;
        }
    }
    match initial_chain(&mut draft) {
        Ok(initial) => is_complete.then(|| draft.builder.build(initial)),
        Err(what) => {
            problems.add(template.span(), &format!("thread `{}`: {what}", template.name()));
            None
        }
    }
}

fn name_of(template: &Template, label: LabelId) -> &str {
    &template.labels()[label].name
}

/// What is known of each register: its value, if it is the identity, and what it can hold.
fn known_registers(
    template: &Template,
    copy: u32,
) -> IndexVec<RegisterId, (Option<Value>, Domain)> {
    let known = |(id, register): (RegisterId, &Register)| {
        let identity = template.identity().filter(|identity| identity.register == id);
        (identity.map(|identity| identity.of(copy)), register.domain)
    };
    template.registers().enumerate().map(known).collect()
}

/// Gives registers their initial values; returns the label to start at.
fn initial_chain(draft: &mut Draft<'_>) -> Result<LabelId, Inexpressible> {
    let template = draft.template;
    let mut mentioned = BTreeSet::new();
    for edge in template.edges() {
        let instruction = &edge.instruction;
        mentioned.extend(instruction.written_register());
        mentioned.extend(instruction.expressions().into_iter().flat_map(Expr::registers));
    }
    let identity = template.identity().map(|identity| identity.register);
    let mut assignments = Vec::new();
    for (register, declared) in template.registers().enumerate() {
        let is_set = declared.initial != 0 && mentioned.contains(&register);
        if is_set && identity != Some(register) {
            let value = constant(declared.initial)?;
            assignments.push(Instruction::Assign { register, value });
        }
    }
    if assignments.is_empty() {
        return Ok(template.initial());
    }
    "start".clone_into(&mut draft.stem);
    let start = draft.fresh_label();
    draft.chain(start, assignments, template.initial(), template.span())?;
    Ok(start)
}

/// At each label, whether the thread holds the memory lock.
fn lock_states(template: &Template) -> IndexVec<LabelId, LockState> {
    let mut states: IndexVec<LabelId, Option<LockState>> =
        template.labels().iter().map(|_| None).collect();
    let mut work = vec![(template.initial(), LockState::Free)];
    while let Some((label, state)) = work.pop() {
        let joined = match states[label] {
            None => state,
            Some(known) if known == state => continue,
            Some(LockState::Unknown) => continue,
            Some(LockState::Free | LockState::Held) => LockState::Unknown,
        };
        states[label] = Some(joined);
        for edge in template.outgoing(label) {
            let edge = template.edge(edge);
            let after = match edge.instruction {
                Instruction::Lock => LockState::Held,
                Instruction::Unlock => LockState::Free,
                Instruction::Skip
                | Instruction::Assign { .. }
                | Instruction::Choose { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_)
                | Instruction::Load { .. }
                | Instruction::Store { .. }
                | Instruction::StoreExclusive { .. }
                | Instruction::Update { .. }
                | Instruction::Fence(_) => joined,
            };
            work.push((edge.to, after));
        }
    }
    // Where a thread never gets, any answer is right.
    states.into_iter().map(|state| state.unwrap_or(LockState::Free)).collect()
}

/// A label that translation adds.
fn added_label(name: String) -> Label {
    Label {
        name,
        generated: true,
        waiting: false,
        span: Span::NONE,
        before: Err(NoInsertion::NoSource),
    }
}
