//! An instrumented thread, written edge by edge.
//!
//! The control flow of the given thread is copied once for each part the thread can play ([`Mode`],
//! as the papers write l, l̃ and q′); only the copies of labels that can be reached are written. A
//! locked section is a copy of its own, since an instruction is instrumented in one way inside and
//! in another outside, and a label may be reached both ways. Taking the lock twice, or giving back
//! what was not taken, stops a thread; here that edge is left out.

use std::collections::{BTreeMap, BTreeSet};

use program::source::NoInsertion;
use program::{
    Access, Domain, Edge, EdgeId, Expr, IndexVec, Instruction, Label, LabelId, LocationId,
    Register, RegisterId, Span, Template, TemplateBuilder, Value,
};

use crate::goal::Goal;
use crate::layout::{Layout, Twin};
use crate::rewrite::{rebuilt, with_constant};

/// What a thread does, and so which copy of the given control flow it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// The given code.
    Given,
    /// The given code inside a locked section.
    GivenSection,
    /// The code of a thread that delays stores.
    Delaying,
    /// A locked section that is yet to be linked to the chain of happens-before.
    Pending,
    /// Everything here is in the chain of happens-before.
    Chain,
    /// The same inside a locked section.
    ChainSection,
}

impl Mode {
    /// The copy after a lock is taken, if it can be taken.
    pub(crate) const fn locked(self) -> Option<Self> {
        match self {
            Self::Given => Some(Self::GivenSection),
            Self::Chain => Some(Self::ChainSection),
            Self::GivenSection | Self::ChainSection | Self::Pending | Self::Delaying => None,
        }
    }

    /// The copy after a lock is given back, if it can be.
    pub(crate) const fn unlocked(self) -> Option<Self> {
        match self {
            Self::GivenSection => Some(Self::Given),
            Self::ChainSection => Some(Self::Chain),
            Self::Given | Self::Chain | Self::Pending | Self::Delaying => None,
        }
    }

    const fn suffix(self) -> &'static str {
        match self {
            Self::Given => "",
            Self::GivenSection => ".locked",
            Self::Delaying => ".delaying",
            Self::Pending => ".pending",
            Self::Chain => ".chain",
            Self::ChainSection => ".chain.locked",
        }
    }
}

/// What all threads of an instrumented program know.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) layout: Layout,
    pub(crate) goal: Goal,
    /// Whether some thread has locked sections.
    pub(crate) sections: bool,
    /// Set when the chain of happens-before begins (`mem[hb]` of the paper).
    pub(crate) chain_begun: Option<LocationId>,
    /// The address that the first delayed store is to (`a_stA` of the paper).
    pub(crate) attacked: Option<LocationId>,
    /// Set by the thread that begins to delay stores, where any thread can.
    pub(crate) chosen: Option<LocationId>,
}

/// The address of a cell of ours that was declared because it is needed.
pub(crate) fn address_of(own: Option<LocationId>) -> Expr {
    Expr::address(own.expect("every cell that is used is declared"))
}

/// A thread being written.
pub(crate) struct Writer<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) given: &'a Template,
    /// The instructions of the given edges, for this copy of the template.
    instructions: IndexVec<EdgeId, Instruction>,
    builder: TemplateBuilder,
    copies: BTreeMap<(LabelId, Mode), LabelId>,
    unwritten: Vec<(LabelId, Mode)>,
    label_names: BTreeSet<String>,
    register_names: BTreeSet<String>,
    scratch: Option<RegisterId>,
    value: Option<RegisterId>,
    touched: Option<RegisterId>,
    stopped: Option<LabelId>,
    succeeded: Option<LabelId>,
    /// Which of the concrete threads it is.
    pub(crate) number: Value,
    /// The text behind what is being written.
    span: Span,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        shared: &'a Shared,
        given: &'a Template,
        copy: u32,
        (number, name): (Value, String),
    ) -> Self {
        let identity = given.identity().map(|identity| (identity.register, identity.of(copy)));
        let instructions =
            given.edges().iter().map(|edge| with_constant(&edge.instruction, identity)).collect();
        let mut builder = TemplateBuilder::new(name, given.span());
        let initial = given.initial_registers(copy);
        for (id, register) in given.registers().enumerate() {
            builder.register(Register { initial: initial[id], ..register.clone() });
        }
        Self {
            shared,
            given,
            instructions,
            builder,
            copies: BTreeMap::new(),
            unwritten: Vec::new(),
            label_names: BTreeSet::new(),
            register_names: given
                .registers()
                .iter()
                .map(|register| register.name.clone())
                .collect(),
            scratch: None,
            value: None,
            touched: None,
            stopped: None,
            succeeded: None,
            number,
            span: Span::NONE,
        }
    }

    /// Writes everything that can be reached, each edge with `write`.
    pub(crate) fn write_all(
        mut self,
        mut write: impl FnMut(&mut Self, EdgeId, &Instruction, Mode),
    ) -> Template {
        let initial = self.at(self.given.initial(), Mode::Given);
        while let Some((label, copy)) = self.unwritten.pop() {
            for edge in self.given.outgoing(label) {
                self.span = self.given.edge(edge).span;
                let instruction = self.instructions[edge].clone();
                write(&mut self, edge, &instruction, copy);
            }
        }
        self.builder.build(initial)
    }

    /// A label of the given thread in one of the copies.
    pub(crate) fn at(&mut self, label: LabelId, copy: Mode) -> LabelId {
        if let Some(known) = self.copies.get(&(label, copy)) {
            return *known;
        }
        let given = &self.given.labels()[label];
        let name = self.unused_label(format!("{}{}", given.name, copy.suffix()));
        let waiting = given.waiting && copy == Mode::Given;
        let before = Err(NoInsertion::NoSource);
        let new = self.builder.label(Label { name, waiting, before, ..given.clone() });
        self.copies.insert((label, copy), new);
        self.unwritten.push((label, copy));
        new
    }

    fn unused_label(&mut self, mut name: String) -> String {
        while !self.label_names.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    fn new_label(&mut self, name: String, generated: bool) -> LabelId {
        let name = self.unused_label(name);
        let before = Err(NoInsertion::NoSource);
        self.builder.label(Label { name, generated, waiting: false, span: self.span, before })
    }

    /// Adds an edge.
    pub(crate) fn edge(&mut self, from: LabelId, to: LabelId, instruction: Instruction) {
        let after = Err(NoInsertion::NoSource);
        self.builder.edge(Edge { from, to, instruction, span: self.span, after });
    }

    /// Adds an edge to a new label, which it returns.
    pub(crate) fn step(&mut self, from: LabelId, instruction: Instruction) -> LabelId {
        let to = self.new_label(format!("step{}", self.builder.labels().len()), true);
        self.edge(from, to, instruction);
        to
    }

    /// Adds an edge that waits for a condition, to a new label.
    pub(crate) fn assume(&mut self, from: LabelId, condition: Expr) -> LabelId {
        self.step(from, Instruction::Assume(condition))
    }

    /// Loads a cell of ours, to a new label.
    pub(crate) fn load(&mut self, from: LabelId, register: RegisterId, address: Expr) -> LabelId {
        self.step(from, Instruction::Load { register, address, access: Access::PLAIN })
    }

    /// Stores to a cell of ours, to a new label.
    pub(crate) fn store(&mut self, from: LabelId, address: Expr, value: Expr) -> LabelId {
        self.step(from, Instruction::Store { address, value, access: Access::PLAIN })
    }

    /// The label where the thread has nothing more to do.
    pub(crate) fn stopped(&mut self) -> LabelId {
        if let Some(label) = self.stopped {
            return label;
        }
        let label = self.new_label("stopped".to_owned(), false);
        self.stopped = Some(label);
        label
    }

    /// Adds an edge that reaches the goal.
    pub(crate) fn reach_goal(&mut self, from: LabelId) {
        let label = match self.succeeded {
            Some(label) => label,
            None => self.new_label("succeeded".to_owned(), false),
        };
        self.succeeded = Some(label);
        self.edge(from, label, self.shared.goal.reach());
    }

    fn new_register(&mut self, name: &str) -> RegisterId {
        let mut name = name.to_owned();
        while !self.register_names.insert(name.clone()) {
            name.push('_');
        }
        let domain = self.shared.layout.every_value;
        self.builder.register(Register { name, initial: 0, domain, generated: false })
    }

    /// The register for marks and other cells of ours.
    pub(crate) fn scratch(&mut self) -> RegisterId {
        let register = self.scratch.unwrap_or_else(|| self.new_register("scratch"));
        *self.scratch.insert(register)
    }

    /// The register for a value just read.
    pub(crate) fn value(&mut self) -> RegisterId {
        let register = self.value.unwrap_or_else(|| self.new_register("value"));
        *self.value.insert(register)
    }

    /// The register that remembers, until a locked section ends, that the attacked address was
    /// accessed.
    pub(crate) fn touched(&mut self) -> RegisterId {
        let register = self.touched.unwrap_or_else(|| self.new_register("touched"));
        *self.touched.insert(register)
    }

    /// What a register of the given thread can hold.
    pub(crate) fn domain(&self, register: RegisterId) -> Domain {
        self.given.registers()[register].domain
    }

    /// The address of a cell that belongs to what was the address `address`.
    pub(crate) fn cell(&self, twin: Twin, address: &Expr) -> Expr {
        self.shared.layout.cell(twin, address)
    }

    /// The given instruction on the cells where they are now; assertions become assumptions.
    pub(crate) fn moved(&self, instruction: &Instruction) -> Instruction {
        let layout = &self.shared.layout;
        let moved = rebuilt(instruction, &|address| layout.cell(Twin::Plain, address), &|value| {
            layout.value(value)
        });
        match moved {
            Instruction::Assert(condition) => Instruction::Assume(condition),
            Instruction::Skip
            | Instruction::Assign { .. }
            | Instruction::Choose { .. }
            | Instruction::Assume(_)
            | Instruction::Load { .. }
            | Instruction::Store { .. }
            | Instruction::StoreExclusive { .. }
            | Instruction::Update { .. }
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => moved,
        }
    }
}
