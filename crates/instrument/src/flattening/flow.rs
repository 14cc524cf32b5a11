//! Which values registers and memory cells can have under SC: for each thread and label the values
//! of its registers, and for each cell what anybody may ever write there.
//!
//! It is the least solution of the obvious equations over sets ([`Possible`]), with registers apart
//! from each other and cells apart from time. An assumption keeps of each register the values with
//! which it can be true. What a fault stops goes no further, except that an overflow, which is a
//! limit of ours and no behaviour, goes on with any value: what is said here is also true of a
//! machine with unbounded integers.

use std::collections::BTreeMap;

use program::{
    Access, EdgeId, Expr, IndexVec, Instruction, LabelId, Parameterised, Program, RegisterId,
    Template, Thread, ThreadId, Update, Value,
};

use super::possible::Possible;

/// The values of the registers of a thread somewhere.
pub(crate) type Registers = IndexVec<RegisterId, Possible>;

/// What every thread may do.
#[derive(Debug)]
pub(crate) struct Flow<'p> {
    program: &'p Program,
    pub(crate) threads: IndexVec<ThreadId, Thread>,
    /// Nothing for a label that is not reached.
    registers: IndexVec<ThreadId, IndexVec<LabelId, Option<Registers>>>,
    cells: Cells<'p>,
}

/// What cells may hold.
#[derive(Debug)]
struct Cells<'p> {
    program: &'p Program,
    /// What is written to cells whose address is known.
    known: BTreeMap<Value, Possible>,
    /// What is written to cells that may be any.
    anywhere: Possible,
    /// Whether anything was added since this was last asked.
    changed: bool,
}

impl Cells<'_> {
    fn read(&self, addresses: &Possible, access: Access) -> Possible {
        let Possible::Few(addresses) = addresses else { return Possible::Any };
        let mut all = Possible::none();
        for address in addresses {
            let cell = match self.program.memory().accessed_cell(*address, access.width) {
                Ok(cell) => cell,
                Err(fault) if fault.is_limit() => return Possible::Any,
                Err(_) => continue,
            };
            all.add(&Possible::only(cell.initial));
            all.add(&self.anywhere.admitted(cell.domain));
            if let Some(written) = self.known.get(address) {
                all.add(written);
            }
        }
        all
    }

    fn write(&mut self, addresses: &Possible, access: Access, values: &Possible) {
        let Possible::Few(addresses) = addresses else {
            self.changed |= self.anywhere.add(values);
            return;
        };
        for address in addresses {
            match self.program.memory().accessed_cell(*address, access.width) {
                Ok(cell) => {
                    let known = self.known.entry(*address).or_insert_with(Possible::none);
                    self.changed |= known.add(&values.admitted(cell.domain));
                }
                Err(fault) => self.changed |= fault.is_limit() && self.anywhere.add(values),
            }
        }
    }
}

impl<'p> Flow<'p> {
    pub(crate) fn new(program: &'p Program) -> Result<Self, Parameterised> {
        let threads = program.threads()?;
        let registers = threads.iter().map(|thread| {
            let template = program.template(thread.template);
            let mut at: IndexVec<LabelId, Option<Registers>> =
                template.labels().iter().map(|_| None).collect();
            let initial = template.initial_registers(thread.copy);
            at[template.initial()] = Some(initial.iter().map(|v| Possible::only(*v)).collect());
            at
        });
        let registers = registers.collect();
        let cells =
            Cells { program, known: BTreeMap::new(), anywhere: Possible::none(), changed: true };
        let mut flow = Self { program, threads, registers, cells };
        while std::mem::take(&mut flow.cells.changed) {
            for thread in flow.threads.indices() {
                flow.follow(thread);
            }
        }
        Ok(flow)
    }

    pub(crate) const fn program(&self) -> &'p Program {
        self.program
    }

    pub(crate) fn template(&self, thread: ThreadId) -> &'p Template {
        self.program.template(self.threads[thread].template)
    }

    /// The values of a thread's registers at a label, if it is ever there.
    pub(crate) fn registers(&self, thread: ThreadId, label: LabelId) -> Option<&Registers> {
        self.registers[thread][label].as_ref()
    }

    /// The values of an expression at a label of a thread; none if it is never there.
    pub(crate) fn values(&self, thread: ThreadId, label: LabelId, expr: &Expr) -> Possible {
        self.registers(thread, label).map_or_else(Possible::none, |registers| {
            Possible::of(expr, self.program.memory(), registers)
        })
    }

    /// The values of a thread's registers after an edge if they were these before; nothing if it
    /// cannot be taken.
    pub(crate) fn after(
        &self,
        thread: ThreadId,
        edge: EdgeId,
        registers: &Registers,
    ) -> Option<Registers> {
        let template = self.template(thread);
        let instruction = &template.edge(edge).instruction;
        after(instruction, template, registers, &self.cells, &mut None)
    }

    /// What a cell may hold for an access.
    pub(crate) fn held(&self, address: Value, access: Access) -> Possible {
        self.cells.read(&Possible::only(address), access)
    }

    /// Follows one thread through its labels until nothing changes there.
    fn follow(&mut self, thread: ThreadId) {
        let template = self.template(thread);
        let mut open: Vec<LabelId> = template.labels().indices().collect();
        while let Some(label) = open.pop() {
            let Some(registers) = self.registers[thread][label].clone() else { continue };
            for edge in template.outgoing(label).map(|edge| template.edge(edge)) {
                let mut written = None;
                let after =
                    after(&edge.instruction, template, &registers, &self.cells, &mut written);
                if let Some((addresses, access, values)) = written {
                    self.cells.write(&addresses, access, &values);
                }
                let Some(after) = after else { continue };
                let there = &mut self.registers[thread][edge.to];
                let changed = if let Some(known) = there {
                    let mut changed = false;
                    for (known, new) in known.iter_mut().zip(&after) {
                        changed |= known.add(new);
                    }
                    changed
                } else {
                    *there = Some(after);
                    true
                };
                if changed && !open.contains(&edge.to) {
                    open.push(edge.to);
                }
            }
        }
    }
}

/// The registers after an instruction, if it can be passed, and what it may have written.
fn after(
    instruction: &Instruction,
    template: &Template,
    registers: &Registers,
    cells: &Cells<'_>,
    written: &mut Option<(Possible, Access, Possible)>,
) -> Option<Registers> {
    let memory = cells.program.memory();
    let of = |expr: &Expr| Possible::of(expr, memory, registers);
    let with = |register: RegisterId, values: &Possible| {
        let values = values.admitted(template.registers()[register].domain);
        let mut registers = registers.clone();
        registers[register] = values;
        registers
    };
    let after = match instruction {
        Instruction::Skip | Instruction::Fence(_) | Instruction::Lock | Instruction::Unlock => {
            registers.clone()
        }
        Instruction::Assign { register, value } => with(*register, &of(value)),
        Instruction::Choose { register, low, high } => {
            with(*register, &Possible::between(*low, *high))
        }
        Instruction::Assume(condition) | Instruction::Assert(condition) => {
            if !of(condition).may_hold() {
                return None;
            }
            where_true(condition, registers, cells)
        }
        Instruction::Load { register, address, access } => {
            with(*register, &cells.read(&of(address), *access))
        }
        Instruction::Store { address, value, access } => {
            *written = Some((of(address), *access, of(value)));
            registers.clone()
        }
        Instruction::StoreExclusive { status, address, value, access } => {
            *written = Some((of(address), *access, of(value)));
            with(*status, &Possible::between(0, 1))
        }
        Instruction::Update { result, address, update, access } => {
            let addresses = of(address);
            let held = cells.read(&addresses, *access);
            let new = match update {
                Update::Exchange(value) => of(value),
                Update::Fetch { op, operand } => {
                    held.combined(&of(operand), |held, operand| op.apply(held, operand))
                }
                Update::CompareAndSwap { expected, new } => {
                    if held.meets(&of(expected)) {
                        of(new)
                    } else {
                        Possible::none()
                    }
                }
                Update::BlockingReadWrite { expected, new } => {
                    if !held.meets(&of(expected)) {
                        return None;
                    }
                    of(new)
                }
            };
            *written = Some((addresses, *access, new));
            match result {
                Some(register) => with(*register, &held),
                None => registers.clone(),
            }
        }
    };
    // Without a value for a register the instruction has stopped the thread.
    let goes_on = after.iter().all(|values| !values.is_none());
    goes_on.then_some(after)
}

/// The registers with which a condition can be true.
fn where_true(condition: &Expr, registers: &Registers, cells: &Cells<'_>) -> Registers {
    let mut kept = registers.clone();
    for register in condition.registers() {
        let Possible::Few(values) = &registers[register] else { continue };
        let can_be = |value: &&Value| {
            let mut with = registers.clone();
            with[register] = Possible::only(**value);
            Possible::of(condition, cells.program.memory(), &with).may_hold()
        };
        kept[register] = Possible::Few(values.iter().filter(can_be).copied().collect());
    }
    kept
}
