//! From a program to a test in C: a function for each thread, labels for its labels.

use std::fmt::Write;

use program::index::Idx;
use program::{
    AccessWidth, Diagnostics, Edge, EdgeId, Expr, FenceKind, IndexVec, Instruction, LabelId, Order,
    Program, RegisterId, Template, Thread, ThreadId, Update, Value,
};

use crate::cells::Cells;
use crate::expression::{LIMIT, Writer, literal};
use crate::refusal::problem;

/// A program as a test of the machine.
pub struct Test {
    /// The text of the C program.
    pub text: String,
    /// The threads, in the order in which the test speaks of them.
    pub threads: IndexVec<ThreadId, Thread>,
    /// How many registers each thread has.
    pub(crate) registers: Vec<usize>,
    /// The addresses of the cells, and whether their contents are signed.
    pub(crate) cells: Vec<(Value, bool)>,
}

/// The test that a program makes, or why it makes none.
pub fn generate(program: &Program) -> Result<Test, Diagnostics> {
    if let Some(problem) = problem(program) {
        return Err(vec![problem]);
    }
    let threads = program.threads().unwrap_or_default();
    let cells = Cells::new(program)?;
    let memory = program.memory();
    let registers: Vec<usize> =
        threads.iter().map(|thread| program.template(thread.template).registers().len()).collect();
    let mut text = format!(
        "/* Made by Fencewright, from the program {}. */\n\n",
        program.name().escape_default().to_string().replace("*/", "* /")
    );
    text.push_str(include_str!("machine.c"));
    let _ = write!(
        text,
        "\n/* The program. */\n\n\
         #define THREADS {}\n#define CELLS ((size_t){})\n#define REGISTERS ((size_t){})\n\n",
        threads.len(),
        cells.len(),
        registers.iter().sum::<usize>()
    );
    text.push_str(&cells.code(memory));
    let mut first = 0;
    let started =
        threads.iter().filter(|thread| is_started(program.template(thread.template))).count();
    for (id, thread) in threads.enumerate() {
        let template = program.template(thread.template);
        let write = Writer::new(memory);
        let mut function = Function { template, cells: &cells, started, write };
        function.write(id.index(), thread.copy, first);
        text.push_str(&function.write.text);
        first += template.registers().len();
    }
    let names: Vec<String> = threads.indices().map(|id| format!("thread_{}", id.index())).collect();
    let _ = write!(
        text,
        "static void (*const threads[])(size_t, Worker *) = {{{}}};\n\n",
        names.join(", ")
    );
    text.push_str(include_str!("rounds.c"));
    let is_signed =
        |address: Value| memory.cell(address).is_ok_and(|cell| cell.domain.bounds().0 < 0);
    let cells = cells.addresses().into_iter().map(|at| (at, is_signed(at))).collect();
    Ok(Test { text, threads, registers, cells })
}

/// The function of a thread.
struct Function<'p> {
    template: &'p Template,
    cells: &'p Cells,
    /// How many threads other threads start.
    started: usize,
    write: Writer<'p>,
}

/// A cell that an access hits: an expression for it, and its domain.
struct Hit {
    cell: String,
    domain: String,
}

const STUCK: &str = "{ end = STUCK; goto over; }";

impl Function<'_> {
    fn write(&mut self, number: usize, copy: u32, first: usize) {
        let template = self.template;
        let _ = writeln!(
            self.write.text,
            "static void thread_{number}(size_t run, Worker *worker) {{\n    int end = ENDED;"
        );
        for (register, value) in template.initial_registers(copy).enumerate() {
            let (register, value) = (register.index(), literal(*value));
            self.write.line(&format!("Value r{register} = {value};"));
        }
        self.write.line("uint64_t choice __attribute__((unused)), tried __attribute__((unused));");
        self.write.line(&format!("goto L{};", template.initial().index()));
        for label in template.labels().indices() {
            self.label(label);
        }
        self.write.text.push_str("over:\n");
        for register in template.registers().indices() {
            let at = first + register.index();
            let register = register.index();
            self.write.line(&format!("registers[run * REGISTERS + {at}] = r{register};"));
        }
        self.write.line(&format!("ends[run * THREADS + {number}] = end;"));
        self.write.line("(void)worker;");
        self.write.text.push_str("}\n\n");
    }

    /// All that can be done at a label. Of several things chance takes one that is enabled.
    fn label(&mut self, label: LabelId) {
        let edges: Vec<EdgeId> = self.template.outgoing(label).collect();
        let here = label.index();
        let _ = writeln!(self.write.text, "L{here}:;");
        let waits = edges.iter().any(|edge| is_waiting(&self.template.edge(*edge).instruction));
        let is_choice = edges.len() > 1 && !self.exclude_each_other(&edges);
        if edges.is_empty() {
            self.write.line("goto over;");
            return;
        }
        if is_choice {
            self.write.line(&format!("choice = random_below(worker, {});", edges.len()));
            self.write.line("tried = 0;");
            let _ = writeln!(self.write.text, "L{here}_next:;");
            let count = edges.len();
            self.write.line(&format!("if (tried++ == {count}) goto L{here}_blocked;"));
            self.write.line(&format!("choice = (choice + 1) % {count};"));
            for number in 0..count {
                self.write.line(&format!("if (choice == {number}) goto L{here}_{number};"));
            }
        }
        for (number, edge) in edges.iter().enumerate() {
            let otherwise = if is_choice {
                format!("L{here}_next")
            } else if number + 1 < edges.len() {
                format!("L{here}_{}", number + 1)
            } else {
                format!("L{here}_blocked")
            };
            let _ = writeln!(self.write.text, "L{here}_{number}: {{");
            self.edge(*edge, &otherwise);
            self.write.text.push_str("}\n");
        }
        let _ = writeln!(self.write.text, "L{here}_blocked:;");
        if waits {
            self.write.line(&format!("if (goes_on(worker)) goto L{here};"));
        }
        self.write.line(STUCK);
    }

    /// Whether one of two guards is true: no choice is left.
    fn exclude_each_other(&self, edges: &[EdgeId]) -> bool {
        let [one, other] = edges else { return false };
        match (&self.template.edge(*one).instruction, &self.template.edge(*other).instruction) {
            (Instruction::Assume(one), Instruction::Assume(other)) => {
                *one == other.negated() || *other == one.negated()
            }
            _ => false,
        }
    }

    /// One edge; if it is not enabled, what comes next is `otherwise`.
    fn edge(&mut self, id: EdgeId, otherwise: &str) {
        let edge = self.template.edge(id);
        self.write.at_edge(id.index());
        self.instruction(edge, otherwise);
        if edge.from == self.template.initial() && is_started(self.template) {
            self.write.line(&format!("gather(run, worker, {});", self.started));
        } else if is_waiting(&edge.instruction) {
            // Whoever waited meets the others sooner or later.
            self.write.line("dither(worker);");
        }
        let (from, to) = (edge.from.index(), edge.to.index());
        // Every loop goes back somewhere.
        if to <= from {
            self.write.line(&format!("if (!goes_on(worker)) {STUCK}"));
        }
        self.write.line(&format!("goto L{to};"));
    }

    fn instruction(&mut self, edge: &Edge, otherwise: &str) {
        match &edge.instruction {
            Instruction::Skip => {}
            Instruction::Assign { register, value } => {
                let value = self.write.expression(value);
                self.put(*register, &value);
            }
            Instruction::Choose { register, low, high } => {
                // As many as all 64 bits can say is 0 here, which means the same.
                let many = high.saturating_sub(*low).saturating_add(1).cast_unsigned();
                let bound = u64::try_from(many).unwrap_or(0);
                let low = literal(*low);
                let value = format!("({low} + (Value)random_below(worker, {bound}u))");
                self.put(*register, &value);
            }
            Instruction::Assume(condition) => {
                let condition = self.write.expression(condition);
                self.write.line(&format!("if ({condition} == 0) goto {otherwise};"));
            }
            Instruction::Assert(condition) => {
                let condition = self.write.expression(condition);
                let fault = self.write.fault();
                self.write.line(&format!("if ({condition} == 0) {fault}"));
            }
            Instruction::Load { register, address, access } => {
                let Some(hit) = self.cell(address, access.width) else { return };
                let name = self.write.name();
                let Hit { cell, domain } = hit;
                self.write.line(&format!("const Value {name} = value_of({domain}, load({cell}));"));
                self.put(*register, &name);
            }
            Instruction::Store { address, value, access } => {
                let Some(hit) = self.cell(address, access.width) else { return };
                let value = self.write.expression(value);
                let held = self.held(&hit.domain, &value);
                let Hit { cell, .. } = hit;
                let store = if access.order == Order::SeqCst { "exchange" } else { "store" };
                self.write.line(&format!("{store}({cell}, (uint64_t){held});"));
            }
            Instruction::Update { result, address, update, access } => {
                let Some(hit) = self.cell(address, access.width) else { return };
                self.update(*result, &hit, update, otherwise);
            }
            Instruction::Fence(kind) => self.fence(*kind),
            // Refused before.
            Instruction::StoreExclusive { .. } | Instruction::Lock | Instruction::Unlock => {
                self.write.line(LIMIT);
            }
        }
    }

    fn fence(&mut self, kind: FenceKind) {
        match kind {
            FenceKind::Full | FenceKind::StoreLoad => self.write.line("full_fence();"),
            FenceKind::StoreStore => self.write.line("store_fence();"),
            FenceKind::LoadLoad => self.write.line("load_fence();"),
            FenceKind::Lightweight
            | FenceKind::LoadStore
            | FenceKind::Acquire
            | FenceKind::Release
            | FenceKind::Control => {}
        }
    }

    /// Puts a value into a register.
    fn put(&mut self, register: RegisterId, value: &str) {
        let domain = self.cells.domains().number(self.template.registers()[register].domain);
        let held = self.held(&domain.to_string(), value);
        self.write.line(&format!("r{} = {held};", register.index()));
    }

    /// What is held of a value.
    fn held(&mut self, domain: &str, value: &str) -> String {
        let (held, outcome) = (self.write.name(), self.write.name());
        let fault = self.write.fault();
        self.write.line(&format!("Value {held} = 0;"));
        self.write.line(&format!("const int {outcome} = admit({domain}, {value}, &{held});"));
        self.write.line(&format!("if ({outcome} == LIMIT) {LIMIT}"));
        self.write.line(&format!("if ({outcome} == FAULT) {fault}"));
        held
    }

    /// The cell at an address; nothing if there never is one, and then the thread has ended.
    fn cell(&mut self, address: &Expr, width: AccessWidth) -> Option<Hit> {
        let memory = self.write.memory;
        let mut is_constant = true;
        address.visit(&mut |part| is_constant &= !matches!(part, Expr::Register(_)));
        if is_constant {
            let known = address
                .evaluate(memory, &IndexVec::new())
                .and_then(|address| Ok((address, memory.accessed_cell(address, width)?)));
            return match known {
                Ok((address, cell)) => {
                    let number = self.cells.number(address)?;
                    let domain = self.cells.domains().number(cell.domain);
                    let cell = format!("cell_of_run({number}, run)");
                    Some(Hit { cell, domain: domain.to_string() })
                }
                Err(fault) => {
                    let end = if fault.is_limit() { LIMIT.to_owned() } else { self.write.fault() };
                    self.write.line(&end);
                    None
                }
            };
        }
        let address = self.write.expression(address);
        let (number, fault) = (self.write.name(), self.write.fault());
        self.write.line(&format!("const int {number} = cell_at({address});"));
        self.write.line(&format!("if ({number} == -LIMIT) {LIMIT}"));
        self.write.line(&format!("if ({number} < 0) {fault}"));
        if let AccessWidth::Bytes(bytes) = width {
            let bits = u32::from(bytes) * 8;
            self.write.line(&format!(
                "if (width_of[{number}] != 0 && width_of[{number}] != {bits}) {fault}"
            ));
        }
        let cell = format!("cell_of_run((size_t){number}, run)");
        Some(Hit { cell, domain: format!("domain_of[{number}]") })
    }

    /// An atomic update. It reads, decides what to write, and starts again if somebody wrote in between.
    fn update(&mut self, result: Option<RegisterId>, hit: &Hit, update: &Update, otherwise: &str) {
        let Hit { cell, domain } = hit;
        let (place, content, old) = (self.write.name(), self.write.name(), self.write.name());
        self.write.line(&format!("Cell *const {place} = {cell};"));
        let operands: Vec<String> = match update {
            Update::Exchange(value) | Update::Fetch { operand: value, .. } => vec![value],
            Update::CompareAndSwap { expected, new }
            | Update::BlockingReadWrite { expected, new } => vec![expected, new],
        }
        .into_iter()
        .map(|operand| self.write.expression(operand))
        .collect();
        self.write.line(&format!("uint64_t {content} = locked_read({place});"));
        self.write.line("for (;;) {");
        self.write.line(&format!("const Value {old} = value_of({domain}, {content});"));
        let new = match update {
            Update::Exchange(_) => operands[0].clone(),
            Update::Fetch { op, .. } => self.write.fetched(*op, &old, &operands[0]),
            Update::BlockingReadWrite { .. } => {
                self.write.line(&format!("if ({old} != {}) goto {otherwise};", operands[0]));
                operands[1].clone()
            }
            Update::CompareAndSwap { .. } => {
                self.write.line(&format!("if ({old} != {}) {{", operands[0]));
                if let Some(register) = result {
                    self.put(register, &old);
                }
                self.write.line("break;");
                self.write.line("}");
                operands[1].clone()
            }
        };
        let held = self.held(domain, &new);
        let kept = result.map(|register| {
            let domain = self.cells.domains().number(self.template.registers()[register].domain);
            (register, self.held(&domain.to_string(), &old))
        });
        let found = self.write.name();
        self.write.line(&format!(
            "const uint64_t {found} = compare_and_swap({place}, {content}, (uint64_t){held});"
        ));
        self.write.line(&format!("if ({found} != {content}) {{ {content} = {found}; continue; }}"));
        if let Some((register, kept)) = kept {
            self.write.line(&format!("r{} = {kept};", register.index()));
        }
        self.write.line("break;");
        self.write.line("}");
    }
}

/// Whether an instruction waits for other threads.
const fn is_waiting(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Update { update: Update::BlockingReadWrite { .. }, .. })
}

/// Whether a thread begins with waiting: another one starts it.
fn is_started(template: &Template) -> bool {
    let mut first = template.outgoing(template.initial());
    first.len() == 1 && first.all(|edge| is_waiting(&template.edge(edge).instruction))
}
