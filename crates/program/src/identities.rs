//! Identities of threads of any number, where they are used as identities only (data symmetry).
//!
//! Copies of `thread p[i in 1..*]` hold 1, 2 and so on in `i`, however many there are. Nothing can be said of
//! any number of copies if a copy can be told by its number. It cannot if identities are *names*: they are stored,
//! loaded, and compared for equality, and nothing else (Ip and Dill's scalarsets). Then permuting the
//! copies, and with them the identities in registers and memory, maps runs to runs.
//!
//! *Sorts.* What a register holds at a label, or a location, is of the sort of identities of a template if an
//! identity can get there, by assignments, loads, stores and comparisons in either direction. Such a thing holds
//! identities and constants *below all identities*, so that no constant is one. Nothing is computed
//! with it, no address is.
//!
//! *Widths.* What wraps could make one identity of two, or of a constant. So a type or a cast of the sort holds all its
//! constants as they are, and identities up to 2³¹ − 1: more threads than that are nowhere, and fewer than
//! fit into a narrower type could be. A range is an error waiting for the next copy, and refused.
//!
//! *Own and others'.* What a thread has loaded may be the identity of another copy. It can be compared with constants
//! and with the thread's own identity. It is neither stored nor compared with another one that was loaded: to know
//! whether these are equal one would have to know which copy has loaded which copy's identity, and relations between any
//! number of threads are nothing that can be counted. So of an identity in a register it is enough to know whether
//! it is the thread's own.
//!
//! Whatever is outside of this is a defect, with its place.

use std::collections::BTreeSet;

use crate::expr::{BinaryOp, Expr, UnaryOp};
use crate::index::{Idx, IndexVec, LabelId, LocationId, RegisterId, TemplateId};
use crate::instruction::{Instruction, Update};
use crate::memory::{Initial, Memory};
use crate::source::Span;
use crate::template::{Count, Edge, Template};
use crate::validate::Defect;
use crate::value::{Domain, IntType, Value};
use crate::whole::Program;

/// What holds identities of threads of any number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// For each location the first of the identities it can hold,
    locations: IndexVec<LocationId, Option<Value>>,
    /// and for each register, wherever its thread is.
    registers: IndexVec<TemplateId, IndexVec<RegisterId, Option<Value>>>,
}

impl Names {
    /// Of the identities that the cell at an address can hold, the first.
    pub fn first_at(&self, memory: &Memory, address: Value) -> Option<Value> {
        let (location, _) = memory.place(address)?;
        *self.locations.get(location)?
    }

    /// Of the identities that a register can hold, the first.
    pub fn first_in(&self, template: TemplateId, register: RegisterId) -> Option<Value> {
        *self.registers.get(template)?.get(register)?
    }

    /// Whether no location holds any.
    pub fn is_in_no_location(&self) -> bool {
        self.locations.iter().all(Option::is_none)
    }
}

/// What holds identities of threads of any number, or all that keeps copies from being alike.
pub fn names(program: &Program) -> Result<Names, Vec<Defect>> {
    let is_named =
        |template: &Template| template.count() == Count::Any && template.identity().is_some();
    if !program.templates().iter().any(is_named) {
        return Ok(Names::default());
    }
    let mut sorts = Sorts::of(program);
    for (id, template) in program.templates().enumerate() {
        sorts.template(id, template);
    }
    sorts.judge()
}

/// A register at a label, the identity of a template, or a location.
type Node = usize;

/// How something is used that identities cannot be used for.
#[derive(Clone, Copy, Debug)]
enum Use {
    /// Something is computed with it, or it is computed.
    Computed,
    /// It is compared with a constant, or holds one.
    Constant(Value),
    /// It is cast to a width.
    Cast(IntType),
}

/// The greatest identity that everything of a sort can hold.
const LAST: Value = i32::MAX as Value;

/// The identities of a template of any number.
#[derive(Clone, Copy, Debug)]
struct Sort {
    /// Who stands for it.
    root: Node,
    template: TemplateId,
    /// The first identity,
    first: Value,
    /// and the least constant beside them.
    least: Value,
}

impl Sort {
    /// Whether all that is of this sort stays as it is between these bounds.
    fn fits(&self, (low, high): (Value, Value)) -> bool {
        low <= self.least && LAST <= high
    }
}

#[derive(Clone, Copy, Debug)]
enum Atom {
    Node(Node),
    Constant(Value),
}

/// Where nodes of one template begin.
struct Numbered {
    first: Node,
    registers: usize,
    identity: Option<RegisterId>,
}

struct Sorts<'p> {
    program: &'p Program,
    numbered: Vec<Numbered>,
    locations: Node,
    parents: Vec<Node>,
    uses: Vec<(Node, Use, Span)>,
    /// What a node is copied to.
    copies: Vec<(Node, Node)>,
    /// What is loaded.
    loaded: Vec<Node>,
    /// What is stored to a location,
    stored: Vec<(Node, Span)>,
    /// and what is compared.
    compared: Vec<(Vec<Node>, Vec<Node>, Span)>,
    /// Accesses of whatever memory.
    unnamed: Vec<Span>,
    all: Vec<Sort>,
    defects: BTreeSet<(Span, String)>,
}

impl<'p> Sorts<'p> {
    fn of(program: &'p Program) -> Self {
        let mut next = 0;
        let mut numbered = Vec::new();
        for template in program.templates() {
            let registers = template.registers().len();
            let identity = template.identity().map(|identity| identity.register);
            numbered.push(Numbered { first: next, registers, identity });
            // The last is the identity.
            next += registers * template.labels().len() + 1;
        }
        let locations = next;
        next += program.memory().locations().len();
        Self {
            program,
            numbered,
            locations,
            parents: (0..next).collect(),
            uses: Vec::new(),
            copies: Vec::new(),
            loaded: Vec::new(),
            stored: Vec::new(),
            compared: Vec::new(),
            unnamed: Vec::new(),
            all: Vec::new(),
            defects: BTreeSet::new(),
        }
    }

    fn identity(&self, id: TemplateId) -> Node {
        let Numbered { first, registers, .. } = self.numbered[id.index()];
        first + registers * self.program.template(id).labels().len()
    }

    fn node(&self, id: TemplateId, label: LabelId, register: RegisterId) -> Node {
        let Numbered { first, registers, identity } = self.numbered[id.index()];
        if identity == Some(register) {
            self.identity(id)
        } else {
            first + label.index() * registers + register.index()
        }
    }

    fn location(&self, location: LocationId) -> Node {
        self.locations + location.index()
    }

    fn root(&mut self, node: Node) -> Node {
        let mut root = node;
        while self.parents[root] != root {
            root = self.parents[root];
        }
        let mut at = node;
        while self.parents[at] != root {
            at = std::mem::replace(&mut self.parents[at], root);
        }
        root
    }

    fn join(&mut self, one: Node, other: Node) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one] = other;
    }

    fn template(&mut self, id: TemplateId, template: &Template) {
        let live = live(template);
        for register in &live[template.initial()] {
            let node = self.node(id, template.initial(), *register);
            let initial = template.registers()[*register].initial;
            if self.numbered[id.index()].identity != Some(*register) {
                self.uses.push((node, Use::Constant(initial), template.span()));
            }
        }
        for edge in template.edges() {
            let written = edge.instruction.written_register();
            for register in live[edge.to].iter().filter(|register| Some(**register) != written) {
                let from = self.node(id, edge.from, *register);
                let to = self.node(id, edge.to, *register);
                self.join(from, to);
                self.copies.push((from, to));
            }
            Reading { sorts: self, id, edge }.read();
        }
    }

    /// What the sorts come to.
    fn judge(mut self) -> Result<Names, Vec<Defect>> {
        self.find_sorts();
        self.find_least();
        self.check_accesses();
        self.check_uses();
        self.check_others();
        let names = self.names();
        if self.defects.is_empty() {
            return Ok(names);
        }
        let defects = self.defects.into_iter();
        Err(defects.map(|(span, message)| Defect { message, span }).collect())
    }

    fn defect(&mut self, span: Span, message: impl Into<String>) {
        self.defects.insert((span, message.into()));
    }

    /// The identities that a node can hold.
    fn sort(&mut self, node: Node) -> Option<Sort> {
        let root = self.root(node);
        self.all.iter().find(|one| one.root == root).copied()
    }

    /// Finds the sort of each template's identities. Those of a definite number are constants.
    fn find_sorts(&mut self) {
        let program = self.program;
        for (id, template) in program.templates().enumerate() {
            let Some(identity) = template.identity() else { continue };
            let node = self.identity(id);
            match template.count() {
                Count::Any => {
                    if let Some(other) = self.sort(node) {
                        let other = program.template(other.template).name();
                        let name = template.name();
                        let message = format!(
                            "identities of `{other}` and of `{name}`, each of any number, meet, and may be equal"
                        );
                        self.defect(template.span(), message);
                    }
                    let (root, first) = (self.root(node), identity.first);
                    self.all.push(Sort { root, template: id, first, least: first });
                }
                Count::Exactly(0) => {}
                Count::Exactly(count) => {
                    for value in [identity.first, identity.of(count - 1)] {
                        self.uses.push((node, Use::Constant(value), template.span()));
                    }
                }
            }
        }
    }

    /// Finds the least constant of each sort, in instructions and in memory.
    fn find_least(&mut self) {
        let constant = |(node, used, _): &(Node, Use, Span)| match used {
            Use::Constant(value) => Some((*node, *value)),
            Use::Computed | Use::Cast(_) => None,
        };
        let mut constants: Vec<(Node, Value)> = self.uses.iter().filter_map(constant).collect();
        for (id, location) in self.program.memory().locations().enumerate() {
            let node = self.location(id);
            constants.extend(initials(&location.initial).iter().map(|value| (node, *value)));
        }
        for (node, value) in constants {
            let root = self.root(node);
            for sort in self.all.iter_mut().filter(|sort| sort.root == root) {
                sort.least = sort.least.min(value);
            }
        }
    }

    fn check_accesses(&mut self) {
        for span in std::mem::take(&mut self.unnamed) {
            let message =
                "where there are identities of any number, memory is accessed by names only";
            self.defect(span, message);
        }
        if let Some(span) = self.program.access_across() {
            let message =
                "where there are identities of any number, no access covers several cells";
            self.defect(span, message);
        }
    }

    fn check_uses(&mut self) {
        for (node, used, span) in std::mem::take(&mut self.uses) {
            let Some(sort) = self.sort(node) else { continue };
            let name = self.program.template(sort.template).name();
            let first = sort.first;
            let message = match used {
                Use::Constant(value) if value < first => continue,
                Use::Constant(value) => format!(
                    "{value} may be the identity of a copy of `{name}`, and copies of any number are not named; \
                     identities begin with {first}"
                ),
                Use::Cast(int) if sort.fits((int.min(), int.max())) => continue,
                Use::Cast(int) => format!(
                    "identities of `{name}`, of which there is any number, do not fit into {int}; at least 32 bits \
                     are wanted"
                ),
                Use::Computed => format!(
                    "identities of `{name}`, of which there is any number, are stored and compared by `==` and `!=` \
                     only"
                ),
            };
            self.defect(span, message);
        }
    }

    /// Looks at what may be the identity of another copy.
    fn check_others(&mut self) {
        let mut is_other = self.others();
        for (node, is_other) in is_other.iter_mut().enumerate() {
            *is_other &= self.sort(node).is_some();
        }
        for (node, span) in std::mem::take(&mut self.stored) {
            if is_other[node] {
                let message = "this may be the identity of another copy, which only that copy can store; of any \
                               number of copies it is not known which has loaded whose";
                self.defect(span, message);
            }
        }
        for (left, right, span) in std::mem::take(&mut self.compared) {
            let any = |nodes: &[Node]| nodes.iter().any(|node| is_other[*node]);
            if any(&left) && any(&right) {
                let message = "both may be identities of other copies; of any number of copies it is not known \
                               which has loaded whose";
                self.defect(span, message);
            }
        }
    }

    fn check_domain(&mut self, sort: Sort, domain: Domain, name: &str, span: Span) {
        let message = match domain {
            Domain::Integer | Domain::Wrapping(_) if sort.fits(domain.bounds()) => return,
            Domain::Range { .. } => {
                "holds identities of any number of copies and cannot have a range".to_owned()
            }
            Domain::Integer | Domain::Wrapping(_) => format!(
                "holds identities of any number of copies and {}, which do not all fit into its type; at least \
                 32 bits are wanted",
                sort.least
            ),
        };
        self.defect(span, format!("`{name}` {message}"));
    }

    fn names(&mut self) -> Names {
        let program = self.program;
        let mut names = Names::default();
        for (id, location) in program.memory().locations().enumerate() {
            let found = self.sort(self.location(id));
            names.locations.push(found.map(|sort| sort.first));
            let Some(sort) = found else { continue };
            let first = sort.first;
            self.check_domain(sort, location.domain, &location.name, location.span);
            if let Some(value) = initials(&location.initial).iter().find(|value| **value >= first) {
                let message = format!(
                    "{value} may be the identity of a copy, and copies of any number are not named; identities \
                     begin with {first}"
                );
                self.defect(location.span, message);
            }
        }
        for (id, template) in program.templates().enumerate() {
            let mut of_template = IndexVec::new();
            for (register, data) in template.registers().enumerate() {
                let mut first = None;
                for label in template.labels().indices() {
                    let Some(sort) = self.sort(self.node(id, label, register)) else { continue };
                    self.check_domain(sort, data.domain, &data.name, template.span());
                    first = first.or(Some(sort.first));
                }
                of_template.push(first);
            }
            names.registers.push(of_template);
        }
        names
    }

    /// For each node whether it may hold what was loaded.
    fn others(&self) -> Vec<bool> {
        let mut next: Vec<Vec<Node>> = vec![Vec::new(); self.parents.len()];
        for (from, to) in &self.copies {
            next[*from].push(*to);
        }
        let mut others = vec![false; self.parents.len()];
        let mut open = self.loaded.clone();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut others[node], true) {
                open.extend(&next[node]);
            }
        }
        others
    }
}

/// What a location holds in the beginning.
fn initials(initial: &Initial) -> &[Value] {
    match initial {
        Initial::Uniform(value) => std::slice::from_ref(value),
        Initial::Each(values) => values,
    }
}

/// What one edge says about sorts.
struct Reading<'a, 'p> {
    sorts: &'a mut Sorts<'p>,
    id: TemplateId,
    edge: &'a Edge,
}

impl Reading<'_, '_> {
    fn read(&mut self) {
        let edge = self.edge;
        match &edge.instruction {
            Instruction::Skip | Instruction::Fence(_) | Instruction::Lock | Instruction::Unlock => {
            }
            Instruction::Assign { register, value } => {
                let to = self.written(*register);
                self.put(value, to);
            }
            Instruction::Choose { register, low, high } => {
                let to = self.written(*register);
                for value in [*low, *high] {
                    self.uses(to, Use::Constant(value));
                }
            }
            Instruction::Assume(condition) | Instruction::Assert(condition) => {
                self.condition(condition);
            }
            Instruction::Load { register, address, .. } => {
                let to = self.written(*register);
                if let Some(location) = self.location(address) {
                    self.load(location, to);
                }
            }
            Instruction::Store { address, value, .. } => self.store(address, value),
            Instruction::StoreExclusive { status, address, value, .. } => {
                let to = self.written(*status);
                self.uses(to, Use::Computed);
                self.store(address, value);
            }
            Instruction::Update { result, address, update, .. } => {
                let Some(location) = self.location(address) else { return };
                if let Some(result) = result {
                    let to = self.written(*result);
                    self.load(location, to);
                }
                match update {
                    Update::Exchange(value) => self.store(address, value),
                    Update::Fetch { operand, .. } => {
                        self.uses(location, Use::Computed);
                        self.computed(operand);
                    }
                    Update::CompareAndSwap { expected, new }
                    | Update::BlockingReadWrite { expected, new } => {
                        if let Some(atoms) = self.atoms(expected) {
                            self.compared(&[Atom::Node(location)], &atoms);
                        } else {
                            self.uses(location, Use::Computed);
                            self.computed(expected);
                        }
                        // What a location holds may be another's.
                        self.sorts.loaded.push(location);
                        self.store(address, new);
                    }
                }
            }
        }
    }

    fn written(&self, register: RegisterId) -> Node {
        self.sorts.node(self.id, self.edge.to, register)
    }

    fn uses(&mut self, node: Node, used: Use) {
        self.sorts.uses.push((node, used, self.edge.span));
    }

    fn load(&mut self, location: Node, to: Node) {
        self.sorts.join(location, to);
        self.sorts.loaded.push(to);
    }

    /// The location that is accessed, if that is known.
    fn location(&mut self, address: &Expr) -> Option<Node> {
        match address {
            Expr::Element(location, index) => {
                self.computed(index);
                Some(self.sorts.location(*location))
            }
            Expr::Const(address)
                if let Some((location, _)) = self.sorts.program.memory().place(*address) =>
            {
                Some(self.sorts.location(location))
            }
            Expr::Const(_)
            | Expr::Register(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => {
                self.computed(address);
                self.sorts.unnamed.push(self.edge.span);
                None
            }
        }
    }

    fn store(&mut self, address: &Expr, value: &Expr) {
        let Some(location) = self.location(address) else { return self.computed(value) };
        let Some(atoms) = self.atoms(value) else {
            self.uses(location, Use::Computed);
            return self.computed(value);
        };
        for atom in atoms {
            match atom {
                Atom::Node(node) => {
                    self.sorts.join(node, location);
                    self.sorts.stored.push((node, self.edge.span));
                }
                Atom::Constant(value) => self.uses(location, Use::Constant(value)),
            }
        }
    }

    /// A register receives a value.
    fn put(&mut self, value: &Expr, to: Node) {
        let Some(atoms) = self.atoms(value) else {
            self.uses(to, Use::Computed);
            return self.computed(value);
        };
        for atom in atoms {
            match atom {
                Atom::Node(node) => {
                    self.sorts.join(node, to);
                    self.sorts.copies.push((node, to));
                }
                Atom::Constant(value) => self.uses(to, Use::Constant(value)),
            }
        }
    }

    /// What an expression can be, if it is one of some registers and constants.
    fn atoms(&mut self, expr: &Expr) -> Option<Vec<Atom>> {
        match expr {
            Expr::Const(value) => Some(vec![Atom::Constant(*value)]),
            Expr::Register(register) => {
                Some(vec![Atom::Node(self.sorts.node(self.id, self.edge.from, *register))])
            }
            Expr::Select(operands) => {
                let [condition, left, right] = &**operands;
                let (mut left, right) = (self.atoms(left)?, self.atoms(right)?);
                self.condition(condition);
                left.extend(right);
                Some(left)
            }
            Expr::Cast(int, operand) => {
                let atoms = self.atoms(operand)?.into_iter();
                let cast = |atom| match atom {
                    Atom::Node(node) => {
                        self.uses(node, Use::Cast(*int));
                        atom
                    }
                    Atom::Constant(value) => Atom::Constant(int.wrap(value)),
                };
                Some(atoms.map(cast).collect())
            }
            Expr::Element(..) | Expr::Unary(..) | Expr::Binary(..) => None,
        }
    }

    fn compared(&mut self, left: &[Atom], right: &[Atom]) {
        let nodes = |atoms: &[Atom]| -> Vec<Node> {
            let node = |atom: &Atom| match atom {
                Atom::Node(node) => Some(*node),
                Atom::Constant(_) => None,
            };
            atoms.iter().filter_map(node).collect()
        };
        let (left_nodes, right_nodes) = (nodes(left), nodes(right));
        let all: Vec<Node> = left_nodes.iter().chain(&right_nodes).copied().collect();
        let Some(first) = all.first().copied() else { return };
        for node in all {
            self.sorts.join(first, node);
        }
        for atom in left.iter().chain(right) {
            match atom {
                Atom::Constant(value) => self.uses(first, Use::Constant(*value)),
                Atom::Node(_) => {}
            }
        }
        self.sorts.compared.push((left_nodes, right_nodes, self.edge.span));
    }

    /// An expression that is true or false.
    fn condition(&mut self, expr: &Expr) {
        let Some(atoms) = self.atoms(expr) else { return self.computed(expr) };
        for atom in atoms {
            match atom {
                Atom::Node(node) => self.uses(node, Use::Constant(0)),
                Atom::Constant(_) => {}
            }
        }
    }

    /// An expression with which something is computed.
    fn computed(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(_) => {}
            Expr::Register(register) => {
                let node = self.sorts.node(self.id, self.edge.from, *register);
                self.uses(node, Use::Computed);
            }
            Expr::Unary(UnaryOp::Not, operand) => self.condition(operand),
            Expr::Element(_, operand)
            | Expr::Unary(UnaryOp::Neg | UnaryOp::BitNot, operand)
            | Expr::Cast(_, operand) => self.computed(operand),
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) => {
                if let (Some(left), Some(right)) = (self.atoms(left), self.atoms(right)) {
                    self.compared(&left, &right);
                } else {
                    self.computed(left);
                    self.computed(right);
                }
            }
            Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.condition(left);
                self.condition(right);
            }
            Expr::Binary(_, left, right) => {
                self.computed(left);
                self.computed(right);
            }
            Expr::Select(operands) => {
                let [condition, left, right] = &**operands;
                self.condition(condition);
                self.computed(left);
                self.computed(right);
            }
        }
    }
}

/// For each label the registers that may still be read.
fn live(template: &Template) -> IndexVec<LabelId, BTreeSet<RegisterId>> {
    let mut live: IndexVec<LabelId, BTreeSet<RegisterId>> =
        template.labels().iter().map(|_| BTreeSet::new()).collect();
    loop {
        let mut is_new = false;
        for edge in template.edges().iter().rev() {
            let mut before = live[edge.to].clone();
            if let Some(written) = edge.instruction.written_register() {
                before.remove(&written);
            }
            before.extend(edge.instruction.operands().flat_map(Expr::registers));
            for register in before {
                is_new |= live[edge.from].insert(register);
            }
        }
        if !is_new {
            return live;
        }
    }
}
