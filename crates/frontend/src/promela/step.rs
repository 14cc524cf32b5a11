//! One edge as one atomic step of Promela.
//!
//! A step is `atomic { guard -> checks; effects; goto label }`. All that can block is in the guard,
//! so that a step once begun runs to its end. An instruction that faults does so when it is taken:
//! its guard is also true where a check fails, and the check is the `must` after it, which asserts
//! it and blocks for ever if it is false. Checks come before effects, so a fault has none.

use program::index::Idx;
use program::{Access, Edge, EdgeId, Expr, IndexVec, Instruction, Register, RegisterId, Value};

use super::place::{Cells, Place, place};
use super::term::{Check, Leaves, NoTerm, Term, literal};
use super::values::Values;

/// The variable of a process that holds what an update has read; zero between steps.
pub(super) const OLD: &str = "old_value";

/// What the steps of one thread are made from.
pub(super) struct Thread<'a> {
    pub(super) leaves: Leaves<'a>,
    pub(super) cells: &'a Cells,
    /// What memory can hold.
    pub(super) held: &'a Values,
    pub(super) registers: &'a IndexVec<RegisterId, Register>,
    /// Whether any thread takes the memory lock.
    pub(super) locks: bool,
    /// Whether any thread makes exclusive accesses.
    pub(super) reserves: bool,
    /// Whether a fault stops its thread without being a violation.
    pub(super) stops: bool,
}

/// A step without its `goto`.
#[derive(Default)]
pub(super) struct Step {
    pub(super) guard: Vec<String>,
    pub(super) body: Vec<String>,
}

const LOCK_IS_FREE: &str = "(lock_holder == 0 || lock_holder == _pid)";

impl Step {
    /// A step that is a limit.
    pub(super) fn beyond_all_limits() -> Self {
        Self { guard: Vec::new(), body: vec!["must_fit(false)".to_owned()] }
    }

    pub(super) fn assert_all(&mut self, checks: &[Check]) {
        for check in checks {
            let must = if check.limit { "must_fit" } else { "must" };
            self.body.push(format!("{must}({})", check.condition));
        }
    }

    pub(super) fn run(&mut self, statement: impl Into<String>) {
        self.body.push(statement.into());
    }

    /// Prints which step this is, when a run is replayed; after the choice of a value and before
    /// all that can fail.
    pub(super) fn announce(
        &mut self,
        edge: &Edge,
        id: EdgeId,
        number: usize,
        registers: &IndexVec<RegisterId, String>,
    ) {
        let (at, choice, value) = match &edge.instruction {
            Instruction::Choose { register, .. } => (1, "%d", Some(&registers[*register])),
            Instruction::StoreExclusive { .. } if number == 0 => (0, "succeed", None),
            Instruction::StoreExclusive { .. } => (0, "fail", None),
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => (0, "determined", None),
        };
        let value = value.map_or_else(String::new, |value| format!(", {value}"));
        let line = format!("printf(\"step %d {} {choice}\\n\", _pid{value})", id.index());
        self.body.insert(at, line);
    }

    /// Blocks unless the condition is true or a check fails.
    pub(super) fn wait_for(&mut self, condition: &str, checks: &[Check]) {
        let failing = checks.iter().map(|check| format!("!({})", check.condition));
        let alternatives: Vec<String> = failing.chain([condition.to_owned()]).collect();
        self.guard.push(match alternatives.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(" || ")),
        });
    }
}

impl Thread<'_> {
    /// The steps of an edge: several if the instruction leaves a choice that is not a value.
    pub(super) fn steps(&self, edge: &Edge) -> Result<Vec<Step>, NoTerm> {
        let mut step = Step::default();
        if self.locks && reaches_memory(&edge.instruction) {
            step.guard.push(LOCK_IS_FREE.to_owned());
        }
        match &edge.instruction {
            // Under SC every fence does nothing.
            Instruction::Skip | Instruction::Fence(_) => {}
            Instruction::Assign { register, value } => {
                let value = self.leaves.term(value)?;
                self.receive(&mut step, *register, value);
            }
            Instruction::Choose { register, low, high } => {
                self.choose(&mut step, *register, *low, *high)?;
            }
            Instruction::Assume(condition) => {
                let condition = self.leaves.term(condition)?;
                step.wait_for(&condition.text, &condition.checks);
                step.assert_all(&condition.checks);
            }
            Instruction::Assert(condition) => {
                let condition = self.leaves.term(condition)?;
                step.assert_all(&condition.checks);
                step.run(format!("must({})", condition.text));
            }
            Instruction::Load { register, address, access } => {
                let place = self.place(address, *access)?;
                step.assert_all(&place.checks);
                let value = self.admitted(&mut step, *register, place.read(self.held));
                if access.exclusive {
                    let address = place.address.clone()?;
                    step.run("has_reservation[_pid] = true");
                    step.run(format!("reserved[_pid] = {}", address.text));
                }
                step.run(value);
            }
            Instruction::Store { address, value, access } => {
                let place = self.place(address, *access)?;
                let value = self.leaves.term(value)?;
                step.assert_all(&place.checks);
                step.assert_all(&value.checks);
                self.write(&mut step, &place, &value)?;
            }
            Instruction::StoreExclusive { status, address, value, access } => {
                return self.store_exclusive(step, *status, (address, *access), value);
            }
            Instruction::Update { result, address, update, access } => {
                self.update(&mut step, *result, (address, *access), update)?;
            }
            Instruction::Lock => {
                step.run("must(lock_holder != _pid)");
                step.run("lock_holder = _pid");
            }
            Instruction::Unlock => {
                step.run("must(lock_holder == _pid)");
                step.run("lock_holder = 0");
            }
        }
        Ok(vec![step])
    }

    pub(super) fn place(&self, address: &Expr, access: Access) -> Result<Place, NoTerm> {
        place(address, access.width, &self.leaves, self.cells)
    }

    /// Checks that a register can hold a value, and gives the assignment.
    pub(super) fn admitted(&self, step: &mut Step, register: RegisterId, value: Term) -> String {
        let admitted = value.admit(self.registers[register].domain);
        step.assert_all(&admitted.checks);
        format!("{} = {}", self.leaves.registers[register], admitted.text)
    }

    pub(super) fn receive(&self, step: &mut Step, register: RegisterId, value: Term) {
        let assignment = self.admitted(step, register, value);
        step.run(assignment);
    }

    fn choose(
        &self,
        step: &mut Step,
        register: RegisterId,
        low: Value,
        high: Value,
    ) -> Result<(), NoTerm> {
        let name = &self.leaves.registers[register];
        let (from, to) = (Term::constant(low)?.text, Term::constant(high)?.text);
        // Spin's `select` is the same loop, but takes no elements of arrays.
        step.run(if name.contains('[') {
            format!("{name} = {from}; do :: ({name} < {to}) -> {name} = {name} + 1 :: break od")
        } else {
            format!("select ({name} : {from} .. {to})")
        });
        let (least, greatest) = self.registers[register].domain.bounds();
        let chosen = Term::variable(name, Values::Between(low, high));
        if !chosen.values.within(least, greatest) {
            self.receive(step, register, chosen);
        }
        Ok(())
    }

    /// Writes a value whose own checks hold.
    pub(super) fn write(&self, step: &mut Step, place: &Place, value: &Term) -> Result<(), NoTerm> {
        let value = Term { checks: Vec::new(), ..value.clone() };
        let mut branches = Vec::new();
        for candidate in &place.candidates {
            let admitted = value.clone().admit(candidate.domain);
            let mut inner = Step::default();
            inner.assert_all(&admitted.checks);
            inner.run(format!("{} = {}", candidate.variable, admitted.text));
            match &candidate.when {
                None => step.body.extend(inner.body),
                Some(when) => branches.push(format!("{when} -> {}", inner.body.join("; "))),
            }
        }
        if !branches.is_empty() {
            step.run(format!("if :: {} fi", branches.join(" :: ")));
        }
        if self.reserves {
            let address = place.address.clone()?;
            step.run(format!("written_address = {}", address.text));
            step.run("end_reservations()");
        }
        Ok(())
    }
}

/// Whether the instruction waits while another thread holds the memory lock.
pub(super) const fn reaches_memory(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Lock => true,
        Instruction::Unlock
        | Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_) => false,
    }
}

/// A step as one option of a choice.
pub(super) fn option(step: &Step, target: &str) -> String {
    let guard = match step.guard.as_slice() {
        [] => String::new(),
        [only] if only.starts_with('(') => format!("{only} -> "),
        guards => format!("({}) -> ", guards.join(" && ")),
    };
    let body = if guard.is_empty() && step.body.is_empty() {
        "skip; ".to_owned()
    } else {
        step.body.iter().flat_map(|statement| [statement, "; "]).collect()
    };
    format!("atomic {{ {guard}{body}goto {target} }}")
}

/// A constant that a declaration starts with.
pub(super) fn initial(value: Value) -> String {
    if value == 0 { String::new() } else { format!(" = {}", literal(value)) }
}
