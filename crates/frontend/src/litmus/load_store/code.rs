//! Addresses of code: what a call leaves in its link register, what `ADR` computes, and jumps to
//! such addresses within a thread.
//!
//! A line has an address that is no address of memory. A computed jump is a choice between the lines
//! whose addresses the thread takes, by conditions that mention the register jumped through, so that
//! what follows depends on it as on a conditional branch. A link register that was never written is
//! zero: a return through it ends the thread. Any other address is an error of the program.

use std::collections::{BTreeMap, BTreeSet};

use program::{BinaryOp, Diagnostic, Diagnostics, Expr, Instruction, LabelId, NoInsertion, Value};

use super::super::ast::Name;
use super::syntax::{Code, Flow, Line, Register, Step, Term};
use super::thread::{Lowering, Way};

/// Far above the locations of a test, and 32 bits with the sign clear.
const FIRST: Value = 0x4000_0000;

/// The address of a line.
pub(super) fn address_of(line: usize) -> Value {
    FIRST + 4 * Value::try_from(line).unwrap_or(0)
}

/// The lines whose addresses a thread takes.
#[derive(Debug)]
pub(super) struct CodeAddresses {
    labels: BTreeMap<String, usize>,
    taken: BTreeSet<usize>,
    /// Those that a register can hold, by its whole; any of them if nothing is said.
    held: BTreeMap<Register, BTreeSet<usize>>,
}

impl CodeAddresses {
    pub(super) fn of(code: &Code) -> Self {
        let labels: BTreeMap<String, usize> =
            code.labels.iter().map(|(name, line)| (name.text.clone(), *line)).collect();
        let mut taken = BTreeSet::new();
        for (number, line) in code.lines.iter().enumerate() {
            if links(&line.flow) {
                taken.insert(number + 1);
            }
            for term in line.steps.iter().flat_map(Step::terms) {
                term.visit(&mut |part| {
                    if let Term::Code(label) = part {
                        taken.extend(labels.get(&label.text));
                    }
                });
            }
        }
        let mut held: BTreeMap<Register, Option<BTreeSet<usize>>> = BTreeMap::new();
        let mut hold = |register: &Register, line: Option<usize>| {
            let lines = held.entry(register.with_bits(64)).or_insert_with(|| Some(BTreeSet::new()));
            match (lines.as_mut(), line) {
                (Some(lines), Some(line)) => {
                    lines.insert(line);
                }
                (Some(_) | None, _) => *lines = None,
            }
        };
        for (number, line) in code.lines.iter().enumerate() {
            match &line.flow {
                Flow::Call { link, .. } | Flow::Computed { link: Some(link), .. } => {
                    hold(link, Some(number + 1));
                }
                Flow::Computed { link: None, .. }
                | Flow::Next
                | Flow::Jump(_)
                | Flow::Branch(..)
                | Flow::Return => {}
            }
            for step in &line.steps {
                let Some(register) = step.written() else { continue };
                let line = match step {
                    Step::Assign { value: Term::Code(label), .. } => labels.get(&label.text),
                    Step::Assign { .. }
                    | Step::Load { .. }
                    | Step::Store { .. }
                    | Step::StoreExclusive { .. }
                    | Step::Update { .. }
                    | Step::Compare { .. }
                    | Step::Fence(_) => None,
                };
                hold(register, line.copied());
            }
        }
        let held = held.into_iter().filter_map(|(register, lines)| Some((register, lines?)));
        Self { labels, taken, held: held.collect() }
    }

    /// The lines that a jump through this term can lead to.
    fn targets(&self, address: &Term) -> BTreeSet<usize> {
        let lines = match address {
            Term::Register(register) => self.held.get(&register.with_bits(64)),
            Term::Number(_)
            | Term::Condition(_)
            | Term::Unary(..)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Select(_)
            | Term::Code(_) => None,
        };
        lines.unwrap_or(&self.taken).clone()
    }
}

/// Refuses accesses to code, and code addresses that go through memory: what a register may hold
/// that an address of code goes into is followed through assignments, whatever the way.
pub(super) fn check(code: &Code, errors: &mut Diagnostics) {
    let mut holders: BTreeSet<Register> = BTreeSet::new();
    let comes_from_code = |term: &Term, holders: &BTreeSet<Register>| {
        let mut found = false;
        term.visit(&mut |part| {
            found |= match part {
                Term::Code(_) => true,
                Term::Register(register) => holders.contains(&register.with_bits(64)),
                Term::Number(_)
                | Term::Condition(_)
                | Term::Unary(..)
                | Term::Binary(..)
                | Term::Cast(..)
                | Term::Select(_) => false,
            };
        });
        found
    };
    for line in &code.lines {
        if let Flow::Call { link, .. } | Flow::Computed { link: Some(link), .. } = &line.flow {
            holders.insert(link.with_bits(64));
        }
    }
    loop {
        let before = holders.len();
        for step in code.lines.iter().flat_map(|line| &line.steps) {
            if let Step::Assign { to, value } = step
                && comes_from_code(value, &holders)
            {
                holders.insert(to.with_bits(64));
            }
        }
        if holders.len() == before {
            break;
        }
    }
    for line in &code.lines {
        for step in &line.steps {
            let accesses = match step {
                Step::Load { .. }
                | Step::Store { .. }
                | Step::StoreExclusive { .. }
                | Step::Update { .. } => true,
                Step::Assign { .. } | Step::Compare { .. } | Step::Fence(_) => false,
            };
            if accesses && step.terms().into_iter().any(|term| comes_from_code(term, &holders)) {
                let error = Diagnostic::new(line.span, "code as data cannot be modelled");
                errors.push(error.help("an address of code can be jumped to"));
            }
        }
    }
}

/// Makes returns to nowhere else than the end of the thread out of jumps through a register that the
/// thread does not write, where it takes no address of code.
pub(super) fn simplify(code: &mut Code) {
    if !CodeAddresses::of(code).taken.is_empty() {
        return;
    }
    let steps = code.lines.iter().flat_map(|line| &line.steps);
    let written: Vec<Register> =
        steps.filter_map(|step| step.written().map(|to| to.with_bits(64))).collect();
    for line in &mut code.lines {
        let returns = match &line.flow {
            Flow::Computed { address: Term::Register(register), link: None } => {
                !written.contains(&register.with_bits(64))
            }
            Flow::Computed { .. }
            | Flow::Next
            | Flow::Jump(_)
            | Flow::Branch(..)
            | Flow::Return
            | Flow::Call { .. } => false,
        };
        if returns {
            line.flow = Flow::Return;
        }
    }
}

fn links(flow: &Flow) -> bool {
    match flow {
        Flow::Call { .. } | Flow::Computed { link: Some(_), .. } => true,
        Flow::Next
        | Flow::Jump(_)
        | Flow::Branch(..)
        | Flow::Return
        | Flow::Computed { link: None, .. } => false,
    }
}

impl Lowering<'_> {
    /// The address of the line at a label.
    pub(super) fn code_of(&mut self, label: &Name) -> Value {
        if let Some(line) = self.code.labels.get(&label.text) {
            return address_of(*line);
        }
        let message = format!("this thread has no label `{}`", label.text);
        self.errors.push(Diagnostic::new(label.span, message));
        0
    }

    /// A call of what is at a label.
    pub(super) fn call(&mut self, line: &Line, link: &Register, next: Value, way: Way) {
        let step = Step::Assign { to: link.clone(), value: Term::Number(next) };
        let mut steps = Vec::new();
        self.step(&step, line.span, &mut steps);
        let after = Err(NoInsertion::NoTextOfItsOwn);
        self.outline.chain((way.from, way.target), steps, line.span, after);
    }

    /// A jump to wherever a term says.
    pub(super) fn computed(
        &mut self,
        line: &Line,
        address: &Term,
        link: Option<(&Register, Value)>,
        from: LabelId,
        positions: &[LabelId],
    ) {
        let targets = self.code.targets(address);
        let address = self.expr(address);
        let is = |value| Expr::binary(BinaryOp::Eq, address.clone(), Expr::Const(value));
        let mut ways: Vec<(Expr, LabelId)> = Vec::new();
        for target in targets {
            ways.extend(positions.get(target).map(|to| (is(address_of(target)), *to)));
        }
        if link.is_none() {
            ways.extend(positions.last().map(|end| (is(0), *end)));
        }
        let jump = Err(NoInsertion::NoTextOfItsOwn);
        let nowhere = ways.iter().map(|(taken, _)| taken.negated());
        let nowhere = nowhere.reduce(|all, one| Expr::binary(BinaryOp::And, all, one));
        for (taken, to) in ways {
            let mut steps = vec![Instruction::Assume(taken)];
            if let Some((link, next)) = link {
                let step = Step::Assign { to: link.clone(), value: Term::Number(next) };
                self.step(&step, line.span, &mut steps);
            }
            self.outline.chain((from, to), steps, line.span, jump);
        }
        let Some(end) = positions.last().copied() else { return };
        let steps = nowhere.map(Instruction::Assume).into_iter();
        let steps = steps.chain([Instruction::Assert(Expr::Const(0))]).collect();
        self.outline.chain((from, end), steps, line.span, jump);
    }
}
