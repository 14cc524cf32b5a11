//! What a question about states needs beside the program: a process that watches for the goal.
//!
//! `watcher` waits until the goal is true and then violates an assertion that mentions
//! `goal_is_reached`. It can look at global variables only, and rightly so: Spin's partial-order
//! reduction then treats every step that matters to the goal as visible, which references to the
//! inside of another process would not ensure. So a register that the goal mentions is made global,
//! one element for each copy of its thread; and for each label that it mentions there is a flag for
//! each copy, lowered when a step that leaves the label begins (before anything can fail, since a
//! thread stopped by a fault is at no label) and raised at the end of a step that leads there. All
//! of that happens inside atomic steps, and the flags follow from where the threads are; so there
//! are as many states as before.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use program::{
    Count, Domain, Edge, LabelId, Observable, Program, RegisterId, StateProposition, TemplateId,
    Value, Watched,
};

use super::place::Cells;
use super::step::{Step, initial};
use super::term::literal;
use super::values::{MAX, MIN};

/// The variables that stand for what a goal mentions of the threads.
#[derive(Default)]
pub(super) struct Watch {
    labels: BTreeMap<(TemplateId, LabelId), String>,
    registers: BTreeMap<(TemplateId, RegisterId), String>,
}

impl Watch {
    pub(super) fn new(
        program: &Program,
        goal: Option<&StateProposition>,
        name: &mut impl FnMut(&str) -> String,
    ) -> Self {
        let mut all = BTreeSet::new();
        if let Some(goal) = goal {
            goal.visit(&mut |watched| _ = all.insert(watched));
        }
        let mut watch = Self::default();
        for watched in all {
            match watched {
                Watched::Label { template, label, .. } => {
                    let of = program.template(template);
                    let wanted = format!("at_{}_{}", of.name(), of.labels()[label].name);
                    watch.labels.entry((template, label)).or_insert_with(|| name(&wanted));
                }
                Watched::Value(Observable::Register { template, register, .. }) => {
                    let of = program.template(template);
                    // An identity is known without looking.
                    if of.identity().is_none_or(|identity| identity.register != register) {
                        let wanted = format!("{}_{}", of.name(), of.registers()[register].name);
                        watch
                            .registers
                            .entry((template, register))
                            .or_insert_with(|| name(&wanted));
                    }
                }
                Watched::Value(Observable::Cell(_) | Observable::Across(..)) => {}
            }
        }
        watch
    }

    /// What a register is called inside its process, if it is global.
    pub(super) fn register(
        &self,
        program: &Program,
        template: TemplateId,
        register: RegisterId,
    ) -> Option<String> {
        let name = self.registers.get(&(template, register))?;
        Some(format!("{name}[_pid - {}]", first_process(program, template)))
    }

    /// Lowers and raises flags around a step of an edge.
    pub(super) fn surround(
        &self,
        program: &Program,
        template: TemplateId,
        edge: &Edge,
        step: &mut Step,
    ) {
        let flag = |label: LabelId, truth: bool| {
            let name = self.labels.get(&(template, label))?;
            Some(format!("{name}[_pid - {}] = {truth}", first_process(program, template)))
        };
        if let Some(lower) = flag(edge.from, false) {
            step.body.insert(0, lower);
        }
        step.body.extend(flag(edge.to, true));
    }

    pub(super) fn declare(&self, text: &mut String, program: &Program) {
        for ((template, label), name) in &self.labels {
            let (of, copies) = (program.template(*template), copies(program, *template));
            let starts = if of.initial() == *label { " = true" } else { "" };
            let _ = writeln!(text, "bool {name}[{copies}]{starts};");
        }
        for ((template, register), name) in &self.registers {
            let of = &program.template(*template).registers()[*register];
            let copies = copies(program, *template);
            let _ = writeln!(text, "int {name}[{copies}]{};", initial(of.initial));
        }
    }

    /// A goal as an expression of Promela.
    pub(super) fn condition(
        &self,
        program: &Program,
        cells: &Cells,
        goal: &StateProposition,
    ) -> String {
        let joined = |parts: &[StateProposition], operator: &str, none: bool| {
            let parts: Vec<String> =
                parts.iter().map(|part| self.condition(program, cells, part)).collect();
            if parts.is_empty() { none.to_string() } else { format!("({})", parts.join(operator)) }
        };
        match goal {
            StateProposition::At { template, copy, label } => {
                format!("{}[{copy}]", self.labels[&(*template, *label)])
            }
            StateProposition::Equals(observable, value) => {
                // What has more than 32 bits is nowhere; that a step would produce it is found before.
                let known = (!(MIN..=MAX).contains(value)).then_some(false);
                self.compare(
                    program,
                    cells,
                    *observable,
                    ("==", |seen, value| seen == value),
                    *value,
                    known,
                )
            }
            StateProposition::Less(observable, value) => {
                let known = (!(MIN..=MAX).contains(value)).then_some(*value > MAX);
                self.compare(
                    program,
                    cells,
                    *observable,
                    ("<", |seen, value| seen < value),
                    *value,
                    known,
                )
            }
            StateProposition::Not(inner) => {
                format!("!({})", self.condition(program, cells, inner))
            }
            StateProposition::All(parts) => joined(parts, " && ", true),
            StateProposition::Any(parts) => joined(parts, " || ", false),
        }
    }

    /// A comparison of something seen with a value; `known` is its truth for all values of 32 bits
    /// where it has one.
    fn compare(
        &self,
        program: &Program,
        cells: &Cells,
        observable: Observable,
        (operator, holds): (&str, fn(Value, Value) -> bool),
        value: Value,
        known: Option<bool>,
    ) -> String {
        let variable = match observable {
            // What lies across cells has been refused.
            Observable::Cell(address) | Observable::Across(address, _) => {
                match cells.at(program.memory(), address) {
                    Some((variable, _)) => variable,
                    // No step reaches this cell.
                    None => return holds(0, value).to_string(),
                }
            }
            Observable::Register { template, copy, register } => {
                let Some(name) = self.registers.get(&(template, register)) else {
                    let values = program.template(template).initial_registers(copy);
                    return holds(values[register], value).to_string();
                };
                format!("{name}[{copy}]")
            }
        };
        match known {
            Some(truth) => truth.to_string(),
            None => format!("({variable} {operator} {})", literal(value)),
        }
    }
}

impl Cells {
    /// The variable of a cell and what it can hold, if any step reaches it.
    pub(super) fn at(&self, memory: &program::Memory, address: Value) -> Option<(String, Domain)> {
        match memory.place(address) {
            Some((id, index)) => {
                let location = memory.location(id);
                let name = &self.declared[id];
                let element = location.length.map(|_| format!("{name}[{index}]"));
                Some((element.unwrap_or_else(|| name.clone()), location.domain))
            }
            None => Some((self.undeclared.get(&address)?.clone(), Domain::Integer)),
        }
    }
}

/// The watching process, always at a valid end.
pub(super) fn watcher(text: &mut String, condition: &str) {
    let _ = write!(
        text,
        "\nproctype watcher() {{\n\
         \x20 end_watching: atomic {{ ({condition}) -> goal_is_reached = true; \
         assert(!goal_is_reached) }}\n\
         }}\n"
    );
}

pub(super) fn copies(program: &Program, template: TemplateId) -> u32 {
    match program.template(template).count() {
        Count::Exactly(count) => count,
        Count::Any => 0,
    }
}

/// The process number of the first copy of a template; `init` is process 0.
fn first_process(program: &Program, template: TemplateId) -> u32 {
    let before = program.templates().indices().take_while(|other| *other != template);
    1 + before.map(|template| copies(program, template)).sum::<u32>()
}
