//! Printing the control flow of a thread: labels in an order in which all jumps lead forward.

use std::collections::BTreeSet;

use program::{Diagnostic, Diagnostics, Edge, Instruction, LabelId, Program, Template};

use super::super::super::order::topological;
use super::super::super::print::Form;
use super::super::super::x86;
use super::allocate::Allocation;
use super::assembler::Assembler;
use super::fuse;
use super::value::Compiler;

/// The cells of a thread.
pub(super) fn thread<A: Assembler>(
    program: &Program,
    template: &Template,
    assembler: &A,
    form: Form,
    allocation: &Allocation,
    errors: &mut Diagnostics,
) -> Vec<String> {
    let (order, loops) = topological(template);
    if !loops.is_empty() {
        errors.extend(loops.iter().map(|edge| {
            Diagnostic::new(edge.span, "a litmus test cannot have loops").label("this leads back")
        }));
        return Vec::new();
    }
    let small = x86::fits_32_bits(program);
    let (used, labels, lines) = (0, 0, Vec::new());
    let compiler =
        Compiler { program, template, assembler, form, allocation, small, used, labels, lines };
    let mut printer = Printer { compiler, targets: BTreeSet::new(), rows: Vec::new(), errors };
    let reached = reached(template);
    let order: Vec<LabelId> = order.into_iter().filter(|label| reached.contains(label)).collect();
    for (number, label) in order.iter().enumerate() {
        printer.rows.push(Row::Label(*label));
        printer.leave(*label, order.get(number + 1).copied());
    }
    printer.cells()
}

/// The labels that a thread can get to.
fn reached(template: &Template) -> BTreeSet<LabelId> {
    let mut reached = BTreeSet::from([template.initial()]);
    let mut open = vec![template.initial()];
    while let Some(label) = open.pop() {
        for edge in template.outgoing(label) {
            let to = template.edge(edge).to;
            if reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

enum Row {
    Label(LabelId),
    Text(String),
    Jump(LabelId),
    JumpToEnd,
}

struct Printer<'a, 'e, A> {
    compiler: Compiler<'a, A>,
    /// The labels that something jumps to.
    targets: BTreeSet<LabelId>,
    rows: Vec<Row>,
    errors: &'e mut Diagnostics,
}

fn name(label: LabelId) -> String {
    use program::index::Idx;
    format!("L{}", label.index())
}

impl<A: Assembler> Printer<'_, '_, A> {
    /// Prints what leaves a label, when `next` is printed after it.
    fn leave(&mut self, label: LabelId, next: Option<LabelId>) {
        let template = self.compiler.template;
        let edges: Vec<&Edge> = template.outgoing(label).map(|it| template.edge(it)).collect();
        match edges.as_slice() {
            [] if next.is_none() => {}
            [] => self.rows.push(Row::JumpToEnd),
            [only] => {
                let written = only.instruction.written_register();
                let fused = &self.compiler.allocation.fused;
                let decides = written.is_some_and(|register| fused.contains(&register));
                if only.instruction != Instruction::Skip && !decides {
                    let done = self.compiler.statement(&only.instruction);
                    self.report(only, done);
                }
                self.flush();
                self.go_on(only.to, next);
            }
            [first, second] if complementary(first, second) => self.branch(first, second, next),
            [first, second, ..] => {
                let message = "a nondeterministic choice cannot be written as a litmus test";
                let error = Diagnostic::new(second.span, message);
                self.errors.push(error.label("this is not the `else` of what stands before it"));
                self.go_on(first.to, next);
            }
        }
    }

    fn branch(&mut self, first: &Edge, second: &Edge, next: Option<LabelId>) {
        // Jump where control does not go on.
        let (taken, other) = if next == Some(first.to) { (second, first) } else { (first, second) };
        let Instruction::Assume(condition) = &taken.instruction else { return };
        self.targets.insert(taken.to);
        self.compiler.used = 0;
        let fused = &self.compiler.allocation.fused;
        let condition = fuse::condition(self.compiler.template, fused, taken.from, condition);
        let done = self.compiler.branch(&condition, &name(taken.to));
        self.report(taken, done);
        self.flush();
        self.go_on(other.to, next);
    }

    fn report(&mut self, edge: &Edge, done: Result<(), &'static str>) {
        if let Err(what) = done {
            let message = format!("{what} cannot be written as a litmus test");
            self.errors.push(Diagnostic::new(edge.span, message));
        }
    }

    fn flush(&mut self) {
        self.rows.extend(std::mem::take(&mut self.compiler.lines).into_iter().map(Row::Text));
    }

    fn go_on(&mut self, to: LabelId, next: Option<LabelId>) {
        if next != Some(to) {
            self.targets.insert(to);
            self.rows.push(Row::Jump(to));
        }
    }

    fn cells(self) -> Vec<String> {
        const END: &str = "Lend";
        let assembler = self.compiler.assembler;
        let to_end = self.rows.iter().any(|row| matches!(row, Row::JumpToEnd));
        let cell = |row: Row| match row {
            Row::Label(label) => self.targets.contains(&label).then(|| name(label) + ":"),
            Row::Text(text) => Some(text),
            Row::Jump(label) => Some(assembler.jump(&name(label))),
            Row::JumpToEnd => Some(assembler.jump(END)),
        };
        let cells = self.rows.into_iter().filter_map(cell);
        cells.chain(to_end.then(|| format!("{END}:"))).collect()
    }
}

/// Whether two edges are the two ways of one branch.
fn complementary(first: &Edge, second: &Edge) -> bool {
    match (&first.instruction, &second.instruction) {
        (Instruction::Assume(taken), Instruction::Assume(otherwise)) => {
            taken.negated() == *otherwise || otherwise.negated() == *taken
        }
        _ => false,
    }
}
