//! Which addresses an access may have: a value analysis by sets of constants.
//!
//! Registers and cells have one set each for the whole run (no flow through control), which grows until
//! nothing changes; beyond [`MOST`] elements a set becomes *any value*. A branch whose condition cannot
//! be true with these sets is not taken. What faults has no result, since the thread ends there.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    BinaryOp, Domain, EdgeId, Expr, IndexVec, Instruction, Location, LocationId, Memory, Program,
    RegisterId, Template, Update, Value,
};

/// The greatest number of values in a set.
const MOST: usize = 64;

/// The greatest number of combinations that are computed one by one.
const MOST_COMBINATIONS: usize = 4096;

/// The values something may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// One of these.
    Some(BTreeSet<Value>),
    /// Any.
    Any,
}

impl Values {
    fn none() -> Self {
        Self::Some(BTreeSet::new())
    }

    fn only(value: Value) -> Self {
        Self::Some(BTreeSet::from([value]))
    }

    /// Adds values, and says whether there were new ones.
    fn add(&mut self, other: &Self) -> bool {
        match (&mut *self, other) {
            (Self::Any, _) => false,
            (Self::Some(_), Self::Any) => {
                *self = Self::Any;
                true
            }
            (Self::Some(these), Self::Some(others)) => {
                let before = these.len();
                these.extend(others);
                let is_new = these.len() > before;
                if these.len() > MOST {
                    *self = Self::Any;
                }
                is_new
            }
        }
    }

    fn filter_map(&self, apply: impl Fn(Value) -> Option<Value>) -> Self {
        match self {
            Self::Some(values) => Self::Some(values.iter().copied().filter_map(apply).collect()),
            Self::Any => Self::Any,
        }
    }

    /// The values that come to rest where this domain is; what does not fit is a limit of the tool and
    /// no behaviour.
    fn admitted(&self, domain: Domain) -> Self {
        self.filter_map(|value| domain.admit(value).ok())
    }
}

/// A thread as far as its values differ from those of other threads.
pub(crate) struct Variant<'p> {
    pub(crate) template: &'p Template,
    /// The identity of the copy; nothing if there are no identities, or any number of copies.
    pub(crate) identity: Option<Value>,
}

/// The sets of one variant.
pub(crate) struct OfVariant {
    registers: IndexVec<RegisterId, Values>,
}

/// What an access may hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Cells at these addresses.
    Cells(BTreeSet<Value>),
    /// Any cell of these locations.
    Within(LocationId),
    /// Anything.
    Any,
}

/// The fixpoint.
pub(crate) struct Analysis<'p> {
    memory: &'p Memory,
    cells: BTreeMap<Value, Values>,
    /// What was stored at an address that may be any.
    everywhere: Values,
    /// What was stored somewhere in a location.
    within: BTreeMap<LocationId, Values>,
    pub(crate) of: Vec<OfVariant>,
}

impl<'p> Analysis<'p> {
    pub(crate) fn new(program: &'p Program, variants: &[Variant<'p>]) -> Self {
        let initial = |variant: &Variant<'p>| {
            let of_register = |(id, register): (RegisterId, &program::Register)| match (
                variant.template.identity(),
                variant.identity,
            ) {
                (Some(identity), Some(value)) if identity.register == id => Values::only(value),
                (Some(identity), None) if identity.register == id => Values::Any,
                (_, _) => Values::only(register.initial),
            };
            OfVariant {
                registers: variant.template.registers().enumerate().map(of_register).collect(),
            }
        };
        let mut analysis = Self {
            memory: program.memory(),
            cells: BTreeMap::new(),
            everywhere: Values::none(),
            within: BTreeMap::new(),
            of: variants.iter().map(initial).collect(),
        };
        let mut changed = true;
        while changed {
            changed = false;
            for (number, variant) in variants.iter().enumerate() {
                for edge in variant.template.edges().indices() {
                    changed |= analysis.step(number, variant.template, edge);
                }
            }
        }
        analysis
    }

    /// What an edge adds; says whether that is new.
    fn step(&mut self, number: usize, template: &Template, edge: EdgeId) -> bool {
        let instruction = &template.edge(edge).instruction;
        let assign = |this: &mut Self, register: RegisterId, values: &Values| {
            let values = values.admitted(template.registers()[register].domain);
            this.of[number].registers[register].add(&values)
        };
        match instruction {
            Instruction::Skip
            | Instruction::Assume(_)
            | Instruction::Assert(_)
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => false,
            Instruction::Assign { register, value } => {
                let values = self.evaluate(number, value);
                assign(self, *register, &values)
            }
            Instruction::Choose { register, low, high } => {
                let values = match usize::try_from(high - low) {
                    Ok(size) if size < MOST => Values::Some((*low..=*high).collect()),
                    Ok(_) | Err(_) => Values::Any,
                };
                assign(self, *register, &values)
            }
            Instruction::Load { register, address, .. } => {
                let values = self.read(&self.addresses(number, address));
                assign(self, *register, &values)
            }
            Instruction::Store { address, value, .. } => {
                let (address, value) =
                    (self.addresses(number, address), self.evaluate(number, value));
                self.write(&address, &value)
            }
            Instruction::StoreExclusive { status, address, value, .. } => {
                let (address, value) =
                    (self.addresses(number, address), self.evaluate(number, value));
                let written = self.write(&address, &value);
                written | assign(self, *status, &Values::Some(BTreeSet::from([0, 1])))
            }
            Instruction::Update { result, address, update, .. } => {
                let address = self.addresses(number, address);
                let old = self.read(&address);
                let new = self.updated(number, &old, update);
                let written = self.write(&address, &new);
                written | result.is_some_and(|register| assign(self, register, &old))
            }
        }
    }

    fn updated(&self, number: usize, old: &Values, update: &Update) -> Values {
        match update {
            Update::Exchange(value)
            | Update::CompareAndSwap { new: value, .. }
            | Update::BlockingReadWrite { new: value, .. } => self.evaluate(number, value),
            Update::Fetch { op, operand } => {
                combined(old, &self.evaluate(number, operand), |old, operand| {
                    op.apply(old, operand).ok()
                })
            }
        }
    }

    fn read(&self, addresses: &Addresses) -> Values {
        let mut all = self.everywhere.clone();
        let content = |address: Value| {
            let mut values = self.cells.get(&address).cloned().unwrap_or_else(Values::none);
            if let Ok(cell) = self.memory.cell(address) {
                values.add(&Values::only(cell.initial));
                if let Some((location, _)) = cell.place
                    && let Some(within) = self.within.get(&location)
                {
                    values.add(within);
                }
            }
            values
        };
        match addresses {
            Addresses::Any => return Values::Any,
            Addresses::Cells(cells) => {
                for address in cells {
                    all.add(&content(*address));
                }
            }
            Addresses::Within(location) => {
                let location = self.memory.location(*location);
                let Some(cells) = cells_of(location) else { return Values::Any };
                for address in cells {
                    all.add(&content(address));
                }
            }
        }
        all
    }

    fn write(&mut self, addresses: &Addresses, values: &Values) -> bool {
        match addresses {
            // Each cell keeps it as its domain says.
            Addresses::Any => self.everywhere.add(&Values::Any),
            Addresses::Within(location) => {
                let values = values.admitted(self.memory.location(*location).domain);
                self.within.entry(*location).or_insert_with(Values::none).add(&values)
            }
            Addresses::Cells(cells) => {
                let mut changed = false;
                for address in cells {
                    let Ok(cell) = self.memory.cell(*address) else { continue };
                    let values = values.admitted(cell.domain);
                    changed |= self.cells.entry(*address).or_insert_with(Values::none).add(&values);
                }
                changed
            }
        }
    }

    /// What an access at an address may hit.
    pub(crate) fn addresses(&self, number: usize, address: &Expr) -> Addresses {
        match self.evaluate(number, address) {
            Values::Some(values) => Addresses::Cells(values),
            Values::Any => match address {
                Expr::Element(location, _) => Addresses::Within(*location),
                Expr::Const(_)
                | Expr::Register(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..) => Addresses::Any,
            },
        }
    }

    /// Whether a branch may be taken.
    pub(crate) fn may_pass(&self, number: usize, condition: &Expr) -> bool {
        match self.evaluate(number, condition) {
            Values::Some(values) => values.iter().any(|value| *value != 0),
            Values::Any => true,
        }
    }

    fn evaluate(&self, number: usize, expr: &Expr) -> Values {
        match expr {
            Expr::Const(value) => Values::only(*value),
            Expr::Register(register) => self.of[number].registers[*register].clone(),
            Expr::Element(location, index) => {
                let location = self.memory.location(*location);
                match self.evaluate(number, index) {
                    Values::Some(values) => Values::Some(
                        values.iter().filter_map(|index| location.address(*index).ok()).collect(),
                    ),
                    Values::Any => match cells_of(location) {
                        Some(cells) => Values::Some(cells.collect()),
                        None => Values::Any,
                    },
                }
            }
            Expr::Unary(op, operand) => {
                self.evaluate(number, operand).filter_map(|value| op.apply(value).ok())
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.evaluate(number, left), self.evaluate(number, right));
                let mut all = combined(&left, &right, |left, right| op.apply(left, right).ok());
                // The right operand is not always evaluated, and may fault where it is.
                match op {
                    BinaryOp::And | BinaryOp::Or => {
                        all.add(&Values::Some(BTreeSet::from([0, 1])));
                    }
                    BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::Mul
                    | BinaryOp::Div
                    | BinaryOp::Rem
                    | BinaryOp::BitAnd
                    | BinaryOp::BitOr
                    | BinaryOp::BitXor
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::Eq
                    | BinaryOp::Ne
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge
                    | BinaryOp::Min
                    | BinaryOp::Max => {}
                }
                all
            }
            Expr::Select(operands) => {
                let [condition, then, otherwise] = &**operands;
                let mut all = Values::none();
                let (mut may_be_true, mut may_be_false) = (true, true);
                if let Values::Some(values) = self.evaluate(number, condition) {
                    may_be_true = values.iter().any(|value| *value != 0);
                    may_be_false = values.contains(&0);
                }
                if may_be_true {
                    all.add(&self.evaluate(number, then));
                }
                if may_be_false {
                    all.add(&self.evaluate(number, otherwise));
                }
                all
            }
            Expr::Cast(int, operand) => {
                self.evaluate(number, operand).filter_map(|value| Some(int.wrap(value)))
            }
        }
    }
}

/// The addresses of a location, unless there are too many.
fn cells_of(location: &Location) -> Option<impl Iterator<Item = Value> + '_> {
    let count = usize::try_from(location.cells()).ok().filter(|count| *count <= MOST)?;
    Some(
        (0..count)
            .filter_map(|index| location.address(Value::try_from(index).expect("few cells")).ok()),
    )
}

fn combined(
    left: &Values,
    right: &Values,
    apply: impl Fn(Value, Value) -> Option<Value>,
) -> Values {
    let (Values::Some(lefts), Values::Some(rights)) = (left, right) else { return Values::Any };
    if lefts.len().saturating_mul(rights.len()) > MOST_COMBINATIONS {
        return Values::Any;
    }
    let pairs = lefts.iter().flat_map(|left| rights.iter().map(move |right| (*left, *right)));
    let all: BTreeSet<Value> = pairs.filter_map(|(left, right)| apply(left, right)).collect();
    if all.len() > MOST { Values::Any } else { Values::Some(all) }
}
