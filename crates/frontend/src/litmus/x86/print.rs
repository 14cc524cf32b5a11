//! Printing threads: their control flow.
//!
//! A label without a name gets one where it is jumped to. Labels are printed in their own order if
//! that needs no jumps beyond those the thread has, which is so for every thread that was read
//! from a test; otherwise in an order in which all jumps lead forward.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    BinaryOp, Diagnostic, Diagnostics, Edge, Expr, IndexVec, Instruction, LabelId, LocationId,
    NoInsertion, Program, Template,
};

use super::super::order::topological;
use super::super::print::Listing;
use super::flags::{self, Condition, Source};
use super::print_line::Names;
use super::select::{self, flag_code, is_temporary};
use super::{Dialect, allocate, compile, mnemonic};

/// Prints the threads; complains about everything that cannot be expressed.
pub(in crate::litmus) fn threads(
    program: &Program,
    dialect: Dialect,
    locations: &IndexVec<LocationId, String>,
    errors: &mut Diagnostics,
) -> Listing {
    let mut listing = Listing::default();
    for template in program.templates() {
        let (registers, scratch) = allocate::registers(template, dialect, errors);
        let names =
            Names { program, template, dialect, locations, registers: registers.clone(), scratch };
        listing.cells.push(thread(&names, errors));
        listing.registers.push(registers.iter().map(|name| name.map(str::to_owned)).collect());
        listing.pointers.push(Vec::new());
    }
    listing
}

fn thread(names: &Names<'_>, errors: &mut Diagnostics) -> Vec<String> {
    let (order, loops) = topological(names.template);
    if !loops.is_empty() {
        errors.extend(loops.iter().map(|edge| {
            Diagnostic::new(edge.span, "a litmus test cannot have loops").label("this leads back")
        }));
        return Vec::new();
    }
    let mut own_errors = Vec::new();
    let own = Printer::new(names).print(names.template.labels().indices(), &mut own_errors);
    if own.extra_jumps == 0 {
        errors.extend(own_errors);
        return own.cells;
    }
    Printer::new(names).print(order, errors).cells
}

struct Printed {
    cells: Vec<String>,
    extra_jumps: usize,
}

/// A row of a column.
enum Row {
    Label(LabelId),
    Text(String),
    Jump(String, LabelId),
    /// To behind the last row.
    JumpToEnd,
}

struct Printer<'a> {
    names: &'a Names<'a>,
    template: &'a Template,
    incoming: BTreeMap<LabelId, usize>,
    rows: Vec<Row>,
    extra_jumps: usize,
}

impl<'a> Printer<'a> {
    fn new(names: &'a Names<'a>) -> Self {
        let mut incoming = BTreeMap::new();
        for edge in names.template.edges() {
            *incoming.entry(edge.to).or_default() += 1;
        }
        Self { names, template: names.template, incoming, rows: Vec::new(), extra_jumps: 0 }
    }

    fn print(
        mut self,
        order: impl IntoIterator<Item = LabelId>,
        errors: &mut Diagnostics,
    ) -> Printed {
        let order: Vec<LabelId> = order.into_iter().collect();
        let groups = self.groups(&order, errors);
        for (number, group) in groups.iter().enumerate() {
            let next = groups.get(number + 1).map(|group| group.label);
            self.rows.push(Row::Label(group.label));
            self.group(group, next);
        }
        // A thread starts with its first row.
        if groups.first().is_some_and(|first| first.label != self.template.initial()) {
            let jump = Row::Jump(self.names.bare("jmp"), self.template.initial());
            self.rows.insert(0, jump);
            self.extra_jumps += 1;
        }
        Printed { cells: self.cells(), extra_jumps: self.extra_jumps }
    }

    /// What leaves each label, with inner labels absorbed by the instruction they are inside of.
    fn groups(&self, order: &[LabelId], errors: &mut Diagnostics) -> Vec<Group> {
        let mut absorbed = BTreeSet::new();
        let mut groups = BTreeMap::new();
        // Inner labels may come before what they belong to, so decide in two passes.
        for label in order {
            if absorbed.contains(label) || self.is_inner(*label) {
                continue;
            }
            let group = self.leave(*label, &mut absorbed, errors);
            groups.insert(*label, group);
        }
        for label in order {
            if self.is_inner(*label) && !absorbed.contains(label) {
                let group = self.leave(*label, &mut absorbed, errors);
                groups.insert(*label, group);
            }
        }
        order.iter().filter_map(|label| groups.remove(label)).collect()
    }

    /// Whether a label may be in the middle of an instruction.
    fn is_inner(&self, label: LabelId) -> bool {
        let data = &self.template.labels()[label];
        data.generated
            && data.before == Err(NoInsertion::InsideExpression)
            && label != self.template.initial()
            && self.incoming.get(&label) == Some(&1)
    }

    fn outgoing(&self, label: LabelId) -> Vec<&'a Edge> {
        self.template.outgoing(label).map(|edge| self.template.edge(edge)).collect()
    }

    /// Prints what leaves a label.
    fn leave(
        &self,
        label: LabelId,
        absorbed: &mut BTreeSet<LabelId>,
        errors: &mut Diagnostics,
    ) -> Group {
        let edges = self.outgoing(label);
        let group = |lines, exit| Group { label, lines, exit };
        match edges.as_slice() {
            [] => group(Vec::new(), Exit::End),
            [only] if only.instruction == Instruction::Skip => {
                group(Vec::new(), Exit::Skip(only.to))
            }
            [only] => {
                if let Some((inner, to, text)) = self.unlocked_compare_exchange(only) {
                    absorbed.extend(inner);
                    return group(vec![text], Exit::Next(to));
                }
                let chain = self.chain(only);
                let steps: Vec<&Instruction> = chain.iter().map(|edge| &edge.instruction).collect();
                if let Some((count, text)) = select::instruction(self.names, &steps) {
                    let (last, inside) = match chain.get(..count.max(1)) {
                        Some([inside @ .., last]) => (*last, inside),
                        Some([]) | None => (*only, &[][..]),
                    };
                    absorbed.extend(inside.iter().map(|edge| edge.to));
                    return group(vec![text], Exit::Next(last.to));
                }
                group(compile::step(self.names, only, errors), Exit::Next(only.to))
            }
            [first, second] if let Some(branch) = compile::branch(self.names, first, second) => {
                let (lines, condition) = branch;
                group(lines, Exit::Branch(condition, first.to, second.to))
            }
            [first, second, ..] => {
                errors.push(nondeterministic(second));
                group(Vec::new(), Exit::Next(first.to))
            }
        }
    }

    /// The edges that follow one another from `first`, through labels that nothing else enters.
    fn chain(&self, first: &'a Edge) -> Vec<&'a Edge> {
        // A load, seven flags, a store and an assignment: no instruction has more steps.
        const LONGEST: usize = 12;
        let mut chain = vec![first];
        let mut label = first.to;
        while chain.len() < LONGEST && self.is_inner(label) {
            let edges = self.outgoing(label);
            let [only] = edges.as_slice() else { break };
            chain.push(only);
            label = only.to;
        }
        chain
    }

    /// `cmpxchg` without lock: a load, a decision, and a store or an assignment.
    fn unlocked_compare_exchange(
        &self,
        first: &'a Edge,
    ) -> Option<(Vec<LabelId>, LabelId, String)> {
        let chain = self.chain(first);
        let last = chain.last()?;
        let Instruction::Load { register: old, address, access } = &first.instruction else {
            return None;
        };
        let edges = self.outgoing(last.to);
        let [success, failure] = edges.as_slice() else { return None };
        let Instruction::Assume(Expr::Binary(BinaryOp::Eq, left, expected)) = &success.instruction
        else {
            return None;
        };
        let bits = self.names.access_bits(address, access.width)?;
        let slot = self.names.read_slot(expected, bits)?;
        let accumulator = matches!(self.names.registers[slot.register], Some("EAX" | "rax"));
        let temporary = is_temporary(&self.template.registers()[*old]);
        if !temporary || !accumulator || **left != Expr::Register(*old) {
            return None;
        }
        let (stored, kept) = (self.outgoing(success.to), self.outgoing(failure.to));
        let ([stored], [kept]) = (stored.as_slice(), kept.as_slice()) else { return None };
        let Instruction::Store { address: to, value, .. } = &stored.instruction else {
            return None;
        };
        let new = self.names.stored_slot(value, bits)?;
        let source =
            Source::Difference { left: (**expected).clone(), right: Expr::Register(*old), bits };
        let flags = chain[1..].iter().all(|edge| {
            let Instruction::Assign { register, value } = &edge.instruction else { return false };
            flag_code(&self.template.registers()[*register])
                .is_some_and(|code| flags::holds(code, &source) == *value)
        });
        let inner = [last.to, success.to, failure.to];
        let fits = flags
            && to == address
            && stored.to == kept.to
            && inner.iter().all(|label| self.is_inner(*label))
            && matches!(&kept.instruction,
                Instruction::Assign { register, .. } if *register == slot.register);
        let operands = [self.names.memory(address)?, self.names.slot(new)?];
        let text = self.names.line("cmpxchg", bits, &[&operands[0], &operands[1]]);
        let absorbed = chain.iter().map(|edge| edge.to).chain([success.to, failure.to]).collect();
        fits.then_some((absorbed, stored.to, text))
    }

    fn group(&mut self, group: &Group, next: Option<LabelId>) {
        self.rows.extend(group.lines.iter().cloned().map(Row::Text));
        let jump = self.names.bare("jmp");
        match &group.exit {
            Exit::End if next.is_none() => {}
            Exit::End => {
                self.extra_jumps += 1;
                self.rows.push(Row::JumpToEnd);
            }
            Exit::Skip(to) if next == Some(*to) => {
                self.rows.push(Row::Text(self.names.bare("nop")));
            }
            Exit::Skip(to) => self.rows.push(Row::Jump(jump, *to)),
            Exit::Next(to) => self.fall_through(*to, next),
            Exit::Branch(condition, taken, otherwise) => {
                // Jump where control does not go on.
                let turned = next == Some(*taken) && taken != otherwise;
                let negated = condition.negated != turned;
                let (to, on) = if turned { (otherwise, taken) } else { (taken, otherwise) };
                let suffix = mnemonic::condition_suffix(Condition { negated, ..*condition });
                self.rows.push(Row::Jump(self.names.bare(&format!("j{suffix}")), *to));
                self.fall_through(*on, next);
            }
        }
    }

    fn fall_through(&mut self, to: LabelId, next: Option<LabelId>) {
        if next != Some(to) {
            self.extra_jumps += 1;
            self.rows.push(Row::Jump(self.names.bare("jmp"), to));
        }
    }

    /// The rows as text, with labels where something jumps or where the program names them.
    fn cells(&self) -> Vec<String> {
        let targets: BTreeSet<LabelId> = self
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Jump(_, to) => Some(*to),
                Row::Label(_) | Row::Text(_) | Row::JumpToEnd => None,
            })
            .collect();
        let mut taken = BTreeSet::new();
        let mut texts: BTreeMap<LabelId, String> = BTreeMap::new();
        for (id, label) in self.template.labels().enumerate() {
            if !label.generated {
                texts.insert(id, super::super::print::legal(&label.name, "L", &mut taken));
            }
        }
        let mut number = 0;
        let mut fresh = || loop {
            let name = format!("L{number}");
            number += 1;
            if taken.insert(name.clone()) {
                return name;
            }
        };
        for label in &targets {
            texts.entry(*label).or_insert_with(&mut fresh);
        }
        let to_end = self.rows.iter().any(|row| matches!(row, Row::JumpToEnd));
        let end = if to_end { fresh() } else { String::new() };
        let mut cells: Vec<String> = self
            .rows
            .iter()
            .filter_map(|row| match row {
                Row::Label(label) => texts.get(label).map(|name| format!("{name}:")),
                Row::Text(text) => Some(text.clone()),
                Row::Jump(jump, to) => Some(format!("{jump} {}", texts[to])),
                Row::JumpToEnd => Some(format!("{} {end}", self.names.bare("jmp"))),
            })
            .collect();
        if to_end {
            cells.push(format!("{end}:"));
        }
        cells
    }
}

/// What leaves a label, printed.
struct Group {
    label: LabelId,
    lines: Vec<String>,
    exit: Exit,
}

/// Where a group leads.
enum Exit {
    End,
    /// An edge that does nothing.
    Skip(LabelId),
    Next(LabelId),
    /// A conditional jump, where it leads and where control goes on.
    Branch(Condition, LabelId, LabelId),
}

fn nondeterministic(edge: &Edge) -> Diagnostic {
    Diagnostic::new(edge.span, "a nondeterministic choice cannot be written as a litmus test")
        .label("this is not the `else` of what stands before it")
}
