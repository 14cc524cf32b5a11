//! Printing one process: its automaton with labels and `goto`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use program::canonical::label_order;
use program::{
    BinaryOp, Domain, Edge, EdgeId, Expr, FetchOp, IndexVec, Instruction, LabelId, Order, Program,
    RegisterId, Template, UnaryOp, Update, Value,
};

use super::print::{Errors, Names, declared, label_names, legal};

/// How many values a choice may have to be printed as alternatives.
const MAX_ALTERNATIVES: Value = 64;

pub(super) struct Printer<'a> {
    program: &'a Program,
    names: &'a Names,
    template: &'a Template,
    /// The number of the process.
    number: usize,
    /// The identity register and what it holds.
    identity: Option<(RegisterId, Value)>,
    registers: IndexVec<RegisterId, String>,
    labels: IndexVec<LabelId, String>,
    /// Where failed assertions lead.
    failed: String,
    /// The register for values that nobody keeps.
    spare: String,
}

/// The values that something can have; nothing for all integers.
type Range = Option<(Value, Value)>;

impl<'a> Printer<'a> {
    pub(super) fn new(
        program: &'a Program,
        names: &'a Names,
        template: &'a Template,
        (copy, number): (u32, usize),
    ) -> Self {
        let mut taken = BTreeSet::new();
        let registers = template.registers().iter();
        let registers =
            registers.map(|register| format!("${}", legal(&register.name, &mut taken))).collect();
        let spare = format!("${}", legal("spare", &mut taken));
        let labels = label_names(template);
        let mut taken: BTreeSet<String> = labels.iter().cloned().collect();
        Self {
            program,
            names,
            template,
            number,
            identity: template.identity().map(|it| (it.register, it.of(copy))),
            registers,
            failed: legal("FAILED", &mut taken),
            labels,
            spare,
        }
    }

    /// The process, and the label of failed assertions if there can be any.
    pub(super) fn process(&self, errors: &mut Errors) -> (String, Option<String>) {
        let inner = self.inner(errors);
        let order: Vec<LabelId> = label_order(self.template)
            .into_iter()
            .filter(|label| !inner.values().any(|skipped| skipped.contains(label)))
            .collect();
        let mut lines: Vec<(LabelId, String, Option<LabelId>)> = Vec::new();
        for label in &order {
            let next = order.iter().skip_while(|one| *one != label).nth(1).copied();
            let (text, jump) = self.label(*label, next, &inner, errors);
            lines.push((*label, text, jump));
        }
        // The initial label comes first; a label is written where somebody jumps to it.
        let mut text = String::new();
        let written: BTreeSet<&str> = lines.iter().flat_map(|(_, text, _)| targets(text)).collect();
        let uses_spare = lines.iter().any(|(_, text, _)| text.contains(&self.spare));
        let mut registers: Vec<String> = Vec::new();
        for (id, register) in self.template.registers().enumerate() {
            if self.identity.is_none_or(|(identity, _)| identity != id) {
                let declared = declared(register.initial, register.domain);
                registers.push(format!("  {} = {declared}\n", self.registers[id]));
            }
        }
        if uses_spare {
            registers.push(format!("  {} = 0\n", self.spare));
        }
        if !registers.is_empty() {
            let _ = write!(text, "registers\n{}", registers.concat());
        }
        text.push_str("text\n");
        let mut statements = Vec::new();
        for (label, line, _) in &lines {
            let name = &self.labels[*label];
            let is_named = !self.template.labels()[*label].generated;
            let prefix = if is_named || written.contains(name.as_str()) {
                format!("{name}: ")
            } else {
                String::new()
            };
            statements.push(format!("  {prefix}{line}"));
        }
        let fails = self.template.edges().iter();
        let fails = fails.map(|edge| &edge.instruction);
        let fails = fails.into_iter().any(|it| matches!(it, Instruction::Assert(_)));
        if fails {
            statements.push(format!("  {}: assume: false", self.failed));
        }
        text.push_str(&statements.join(";\n"));
        text.push('\n');
        (text, fails.then(|| self.failed.clone()))
    }

    /// What is printed at a label, and where it goes on in the end.
    fn label(
        &self,
        label: LabelId,
        next: Option<LabelId>,
        inner: &BTreeMap<EdgeId, Vec<LabelId>>,
        errors: &mut Errors,
    ) -> (String, Option<LabelId>) {
        let edges: Vec<EdgeId> = self.template.outgoing(label).collect();
        let goto = |to: LabelId| {
            if Some(to) == next { String::new() } else { format!("; goto {}", self.labels[to]) }
        };
        match edges.as_slice() {
            [] => ("assume: false".to_owned(), None),
            [first, second] if let Some(condition) = self.opposite(*first, *second) => {
                let (then, otherwise) = (self.template.edge(*first), self.template.edge(*second));
                let condition = self.condition(condition, then, errors);
                let jump = goto(otherwise.to);
                (format!("if {condition} then goto {}{jump}", self.labels[then.to]), None)
            }
            [only] => {
                let (text, to) = self.step(*only, inner, errors);
                (format!("{text}{}", goto(to)), Some(to))
            }
            several => {
                let alternatives: Vec<String> = several
                    .iter()
                    .map(|edge| {
                        let (text, to) = self.step(*edge, inner, errors);
                        format!("{text}; goto {}", self.labels[to])
                    })
                    .collect();
                (format!("either {{ {} }}", alternatives.join(" or ")), None)
            }
        }
    }

    /// The condition of two edges of which one is taken if it is true and the other if not.
    fn opposite(&self, first: EdgeId, second: EdgeId) -> Option<&Expr> {
        let instruction = |edge| &self.template.edge(edge).instruction;
        match (instruction(first), instruction(second)) {
            (Instruction::Assume(one), Instruction::Assume(other)) if one.negated() == *other => {
                Some(one)
            }
            _ => None,
        }
    }

    /// The statement of an edge, and of those that belong to it, and where it leads.
    fn step(
        &self,
        edge: EdgeId,
        inner: &BTreeMap<EdgeId, Vec<LabelId>>,
        errors: &mut Errors,
    ) -> (String, LabelId) {
        if let Some((steps, to)) = self.section(edge) {
            let steps = steps.iter().map(|step| self.statement(self.template.edge(*step), errors));
            return (format!("locked {{ {} }}", steps.collect::<Vec<_>>().join("; ")), to);
        }
        let last = inner.get(&edge).and_then(|labels| labels.last());
        let edge = match last {
            Some(label) => self.template.outgoing(*label).next().unwrap_or(edge),
            None => edge,
        };
        let edge = self.template.edge(edge);
        (self.statement(edge, errors), edge.to)
    }

    /// What is done with the memory lock held that an edge takes, if that is a few simple steps, and where it
    /// leads.
    fn section(&self, edge: EdgeId) -> Option<(Vec<EdgeId>, LabelId)> {
        let mut edge = edge;
        if self.template.edge(edge).instruction != Instruction::Lock {
            return None;
        }
        let mut steps = Vec::new();
        loop {
            let label = self.template.edge(edge).to;
            let entered = self.template.edges().iter().filter(|edge| edge.to == label).count();
            let mut next = self.template.outgoing(label);
            if !self.template.labels()[label].generated || entered != 1 || next.len() != 1 {
                return None;
            }
            edge = next.next()?;
            match &self.template.edge(edge).instruction {
                Instruction::Unlock => {
                    let writes = |step: &EdgeId| {
                        matches!(self.template.edge(*step).instruction, Instruction::Store { .. })
                    };
                    let to = self.template.edge(edge).to;
                    return steps.iter().any(writes).then_some((steps, to));
                }
                Instruction::Load { .. }
                | Instruction::Store { .. }
                | Instruction::Assign { .. } => {
                    steps.push(edge);
                }
                Instruction::Skip
                | Instruction::Choose { .. }
                | Instruction::Assume(_)
                | Instruction::Assert(_)
                | Instruction::StoreExclusive { .. }
                | Instruction::Update { .. }
                | Instruction::Fence(_)
                | Instruction::Lock => return None,
            }
        }
    }

    /// For each edge that begins a statement of several steps, the labels inside it: it waits until an address
    /// is one, and until a value fits.
    fn inner(&self, errors: &mut Errors) -> BTreeMap<EdgeId, Vec<LabelId>> {
        let mut found = BTreeMap::new();
        let mut guarded = BTreeSet::new();
        let enters =
            |label: LabelId| self.template.edges().iter().filter(|edge| edge.to == label).count();
        for (id, edge) in self.template.edges().enumerate() {
            if let Some((steps, _)) = self.section(id) {
                let mut labels: Vec<LabelId> =
                    steps.iter().map(|step| self.template.edge(*step).from).collect();
                labels.extend(steps.last().map(|last| self.template.edge(*last).to));
                found.insert(id, labels);
                continue;
            }
            let mut labels = Vec::new();
            let mut waits = Vec::new();
            let mut at = edge;
            while let Instruction::Assume(condition) = &at.instruction {
                let label = at.to;
                let mut next = self.template.outgoing(label);
                let is_inside = self.template.labels()[label].generated && enters(label) == 1;
                // A circle of nothing but waiting leads nowhere.
                if !is_inside || next.len() != 1 || labels.contains(&label) {
                    break;
                }
                waits.push(self.known(condition));
                labels.push(label);
                at = self.template.edge(next.next().expect("one"));
                let needed = self.guards(&at.instruction);
                if !needed.is_empty() && needed == waits {
                    guarded.insert(at.from);
                    found.insert(id, labels.clone());
                    break;
                }
            }
        }
        for edge in self.template.edges() {
            if !guarded.contains(&edge.from) && !self.guards(&edge.instruction).is_empty() {
                errors.add(edge.span, "an error where a value or an index does not fit");
            }
        }
        found
    }

    /// What a statement waits for before it does what an instruction does.
    fn guards(&self, instruction: &Instruction) -> Vec<Expr> {
        let mut guards = Vec::new();
        let bounds = |domain: Domain| match domain {
            Domain::Range { low, high } => Some((low, high)),
            Domain::Integer | Domain::Wrapping(_) => None,
        };
        if let Some((address, _)) = instruction.memory_access()
            && let Expr::Element(id, index) = &self.known(address)
            && !matches!(**index, Expr::Const(_))
        {
            let length = self.program.memory().location(*id).length.unwrap_or(1);
            let fits = contains(Some((0, Value::from(length) - 1)), self.range(index));
            if !fits {
                guards.push(Expr::Const(0));
            }
        }
        if let Some((address, _)) = instruction.memory_access()
            && !matches!(address, Expr::Element(..))
        {
            let address = self.known(address);
            let last = self.names.count() as Value - 1;
            guards.extend(self.within(&address, Some((0, last))));
        }
        let memory = |address: &Expr| {
            let address = self.known(address);
            if let Expr::Element(id, _) = &address {
                return bounds(self.program.memory().location(*id).domain);
            }
            self.pointed_at(&address)
        };
        let mut fits = |value: &Expr, holds: Range| {
            guards.extend(self.within(&self.known(value), holds));
        };
        match instruction {
            Instruction::Assign { register, value } => {
                fits(value, bounds(self.template.registers()[*register].domain));
            }
            Instruction::Store { address, value, .. } => fits(value, memory(address)),
            Instruction::Update { address, update, .. } => match update {
                Update::BlockingReadWrite { new, .. }
                | Update::Exchange(new)
                | Update::CompareAndSwap { new, .. } => fits(new, memory(address)),
                Update::Fetch { .. } => {
                    if memory(address).is_some() {
                        guards.push(Expr::Const(0));
                    }
                }
            },
            Instruction::Load { register, address, .. } => {
                let holds = bounds(self.template.registers()[*register].domain);
                if !contains(holds, memory(address)) {
                    guards.push(Expr::Const(0));
                }
            }
            Instruction::Skip
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::StoreExclusive { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => {}
        }
        guards
    }

    /// That a value is in a range, if it may not be.
    fn within(&self, value: &Expr, holds: Range) -> Option<Expr> {
        let (low, high) = holds.filter(|_| !contains(holds, self.range(value)))?;
        let least = Expr::binary(BinaryOp::Le, Expr::Const(low), value.clone());
        let most = Expr::binary(BinaryOp::Le, value.clone(), Expr::Const(high));
        Some(Expr::binary(BinaryOp::And, least, most))
    }

    /// What each location can hold at which a pointer may point.
    fn pointed_at(&self, pointer: &Expr) -> Range {
        let addresses = self.range(pointer);
        let locations = self.program.memory().locations().iter();
        let meant =
            locations.filter(|location| contains(addresses, Some((location.base, location.base))));
        let held = meant.map(|location| match location.domain {
            Domain::Range { low, high } => Some((low, high)),
            Domain::Integer | Domain::Wrapping(_) => None,
        });
        let each = held.reduce(|one, other| match (one, other) {
            (Some((a, b)), Some((c, d))) => Some((a.max(c), b.min(d))),
            (one, None) | (None, one) => one,
        });
        each.flatten()
    }

    fn statement(&self, edge: &Edge, errors: &mut Errors) -> String {
        let mut refuse = |what: &str| {
            errors.add(edge.span, what);
            "nop".to_owned()
        };
        match &edge.instruction {
            Instruction::Fence(kind) if kind.orders_store_before_load() => "fence".to_owned(),
            Instruction::Fence(program::FenceKind::StoreStore) => "ssfence".to_owned(),
            Instruction::Fence(program::FenceKind::LoadLoad) => "llfence".to_owned(),
            // Nothing that TSO could reorder is ordered.
            Instruction::Skip | Instruction::Fence(_) => "nop".to_owned(),
            Instruction::Assume(condition) => {
                format!("assume: {}", self.condition(condition, edge, errors))
            }
            Instruction::Assert(condition) => {
                let holds = self.condition(condition, edge, errors);
                format!("if not [{holds}] then goto {}", self.failed)
            }
            Instruction::Assign { register, value } => {
                format!("{} := {}", self.registers[*register], self.value(value, edge, errors))
            }
            Instruction::Choose { low, high, .. } if high - low >= MAX_ALTERNATIVES => {
                refuse("a choice between so many values")
            }
            Instruction::Choose { register, low, high } => {
                let register = &self.registers[*register];
                let values = (*low..=*high).map(|value| format!("{register} := {value}"));
                format!("either {{ {} }}", values.collect::<Vec<_>>().join(" or "))
            }
            Instruction::Load { access, .. } if access.exclusive => refuse("an exclusive load"),
            Instruction::Load { register, address, .. } => {
                format!(
                    "read: {} := {}",
                    self.registers[*register],
                    self.place(address, edge, errors)
                )
            }
            Instruction::Store { address, value, access } => {
                let (place, value) =
                    (self.place(address, edge, errors), self.value(value, edge, errors));
                let locked = if access.order == Order::SeqCst { "locked " } else { "" };
                format!("{locked}write: {place} := {value}")
            }
            Instruction::StoreExclusive { .. } => refuse("an exclusive store"),
            Instruction::Update { result, address, update, .. } => {
                let place = self.place(address, edge, errors);
                let register = result.map_or(&self.spare, |result| &self.registers[result]);
                self.update(&place, register, result.is_some(), update, edge, errors)
            }
            Instruction::Lock | Instruction::Unlock => refuse("the memory lock"),
        }
    }

    fn update(
        &self,
        place: &str,
        register: &str,
        is_kept: bool,
        update: &Update,
        edge: &Edge,
        errors: &mut Errors,
    ) -> String {
        match update {
            Update::BlockingReadWrite { expected, new } => {
                let (expected, new) =
                    (self.value(expected, edge, errors), self.value(new, edge, errors));
                format!("cas({place}, {expected}, {new})")
            }
            Update::Exchange(new) => {
                let new = self.value(new, edge, errors);
                format!("locked {{ read: {register} := {place}; write: {place} := {new} }}")
            }
            Update::Fetch { op: op @ (FetchOp::Add | FetchOp::Sub), operand } => {
                let operand = self.value(operand, edge, errors);
                let is_simple = !operand.contains([' ', '-']);
                let operand = if is_simple { operand } else { format!("({operand})") };
                let sign = if *op == FetchOp::Add { '+' } else { '-' };
                let sum = format!("{register} {sign} {operand}");
                format!("locked {{ read: {register} := {place}; write: {place} := {sum} }}")
            }
            Update::Fetch { .. } => {
                errors.add(edge.span, "this update");
                "nop".to_owned()
            }
            // One that fails waits for the buffer, too.
            Update::CompareAndSwap { expected, new } => {
                let (expected, new) =
                    (self.value(expected, edge, errors), self.value(new, edge, errors));
                let kept =
                    if is_kept { format!("; {register} := {expected}") } else { String::new() };
                let failing = format!(
                    "fence; read: {} := {place}; assume: {} != {expected}",
                    self.spare, self.spare
                );
                let failed =
                    if is_kept { format!("; {register} := {}", self.spare) } else { String::new() };
                format!("either {{ cas({place}, {expected}, {new}){kept} or {failing}{failed} }}")
            }
        }
    }

    fn place(&self, address: &Expr, edge: &Edge, errors: &mut Errors) -> String {
        let known = self.known(address);
        if let Expr::Element(id, index) = &known {
            if let Expr::Const(index) = **index {
                let index = u64::try_from(index).ok();
                if let Some(name) = index.and_then(|index| self.names.cell(*id, index, self.number))
                {
                    return name;
                }
            } else if let Some(first) = self.names.first(*id) {
                let index = self.value(index, edge, errors);
                return if first == 0 {
                    format!("[{index}]")
                } else {
                    format!("[{first} + {index}]")
                };
            }
        } else if self.is_flat() {
            // The addresses are the numbers of the locations.
            return format!("[{}]", self.value(&known, edge, errors));
        }
        errors.add(edge.span, "this address");
        "nowhere".to_owned()
    }

    /// Whether addresses are the numbers of locations, and pointers wait where they are not.
    fn is_flat(&self) -> bool {
        let locations = self.program.memory().locations();
        let scalars = locations.iter().filter(|location| location.length.is_none());
        let bases: Vec<Value> = scalars.map(|location| location.base).collect();
        bases.iter().copied().eq((0..self.names.count()).map(|it| it as Value))
    }

    fn value(&self, value: &Expr, edge: &Edge, errors: &mut Errors) -> String {
        let known = self.known(value);
        match &known {
            Expr::Const(value) => value.to_string(),
            Expr::Register(register) => self.registers[*register].clone(),
            Expr::Unary(UnaryOp::Neg, operand) => {
                format!("-({})", self.value(operand, edge, errors))
            }
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
                let sign = if *op == BinaryOp::Add { '+' } else { '-' };
                let left = self.value(left, edge, errors);
                let grouped = matches!(**right, Expr::Binary(..) | Expr::Unary(..));
                let right = self.value(right, edge, errors);
                let right =
                    if grouped || right.starts_with('-') { format!("({right})") } else { right };
                format!("{left} {sign} {right}")
            }
            Expr::Binary(..)
            | Expr::Unary(..)
            | Expr::Element(..)
            | Expr::Select(_)
            | Expr::Cast(..) => {
                errors.add(edge.span, "this computation");
                "0".to_owned()
            }
        }
    }

    fn condition(&self, condition: &Expr, edge: &Edge, errors: &mut Errors) -> String {
        let known = self.known(condition);
        let symbols = [
            (BinaryOp::Eq, "="),
            (BinaryOp::Ne, "!="),
            (BinaryOp::Lt, "<"),
            (BinaryOp::Le, "<="),
            (BinaryOp::Gt, ">"),
            (BinaryOp::Ge, ">="),
        ];
        let symbol = |op: BinaryOp| symbols.iter().find(|(one, _)| *one == op).map(|(_, it)| *it);
        match &known {
            Expr::Const(0) => "false".to_owned(),
            Expr::Const(_) => "true".to_owned(),
            Expr::Unary(UnaryOp::Not, inner) => {
                format!("not [{}]", self.condition(inner, edge, errors))
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let word = if *op == BinaryOp::And { "&&" } else { "||" };
                let (left, right) =
                    (self.condition(left, edge, errors), self.condition(right, edge, errors));
                format!("[{left}] {word} [{right}]")
            }
            Expr::Binary(op, left, right) if let Some(symbol) = symbol(*op) => {
                let (left, right) =
                    (self.value(left, edge, errors), self.value(right, edge, errors));
                format!("{left} {symbol} {right}")
            }
            Expr::Binary(..)
            | Expr::Unary(..)
            | Expr::Register(_)
            | Expr::Element(..)
            | Expr::Select(_)
            | Expr::Cast(..) => format!("{} != 0", self.value(&known, edge, errors)),
        }
    }

    /// An expression with the identity of this copy.
    fn known(&self, expr: &Expr) -> Expr {
        expr.substitute(&mut |register| match self.identity {
            Some((identity, value)) if identity == register => Expr::Const(value),
            Some(_) | None => Expr::Register(register),
        })
    }

    fn range(&self, expr: &Expr) -> Range {
        match self.known(expr) {
            Expr::Const(value) => Some((value, value)),
            Expr::Register(register) => match self.template.registers()[register].domain {
                Domain::Range { low, high } => Some((low, high)),
                Domain::Integer | Domain::Wrapping(_) => None,
            },
            Expr::Unary(UnaryOp::Neg, operand) => {
                self.range(&operand).map(|(low, high)| (-high, -low))
            }
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), left, right) => {
                super::lower::range(op, self.range(&left), self.range(&right))
            }
            Expr::Binary(..)
            | Expr::Unary(..)
            | Expr::Element(..)
            | Expr::Select(_)
            | Expr::Cast(..) => None,
        }
    }
}

fn contains(holds: Range, values: Range) -> bool {
    match (holds, values) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some((low, high)), Some((least, most))) => low <= least && most <= high,
    }
}

/// The labels that a line jumps to.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("goto ").skip(1).filter_map(|rest| rest.split([';', ' ', '}']).next())
}
