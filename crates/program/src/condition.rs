//! What a program asks about its states, above all the final ones: the last lines of a litmus test.
//!
//! A final state is one in which every thread has ended and every store has reached memory. A
//! program may name what is worth showing of it, restrict which are considered, and ask whether
//! some, none or all of them satisfy a proposition.

use std::fmt;

use crate::goal::{StateProposition, Watched};
use crate::index::{RegisterId, TemplateId};
use crate::instruction::AccessWidth;
use crate::memory::Memory;
use crate::value::{Domain, IntType, Value};
use crate::whole::Program;

/// Something that can be seen in a final state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Observable {
    /// A register of one thread.
    Register {
        /// The thread's template.
        template: TemplateId,
        /// Which copy of it, from 0.
        copy: u32,
        /// The register.
        register: RegisterId,
    },
    /// The memory cell at an address.
    Cell(Value),
    /// The neighbouring cells from an address on, as one value of a type ([`crate::footprint`]).
    Across(Value, IntType),
}

impl Observable {
    /// What is seen in memory, where `held` says what each cell holds; 0 where there is no such cell.
    /// Nothing for a register.
    pub fn in_memory(self, memory: &Memory, held: impl Fn(Value) -> Value) -> Option<Value> {
        match self {
            Self::Register { .. } => None,
            Self::Cell(address) => Some(held(address)),
            Self::Across(address, int) => {
                let footprint = memory.footprint(address, AccessWidth::Across(int));
                Some(footprint.map_or(0, |footprint| footprint.read(held)))
            }
        }
    }

    /// How a person names it, if it is in memory.
    pub fn name_in(self, memory: &Memory) -> Option<String> {
        match self {
            Self::Register { .. } => None,
            Self::Cell(address) => Some(memory.cell_name(address)),
            Self::Across(address, int) => Some(memory.name_across(address, int)),
        }
    }

    /// The cells in memory that it is made of.
    pub fn cells(self, memory: &Memory) -> Vec<Value> {
        match self {
            Self::Register { .. } => Vec::new(),
            Self::Cell(address) => vec![address],
            Self::Across(address, int) => {
                let footprint = memory.footprint(address, AccessWidth::Across(int));
                footprint.map_or_else(|_| Vec::new(), |found| found.addresses().collect())
            }
        }
    }

    /// Whether the program has such a register or cell.
    pub fn exists_in(self, program: &Program) -> bool {
        match self {
            Self::Cell(address) => program.memory().cell(address).is_ok(),
            Self::Across(address, int) => {
                program.memory().footprint(address, AccessWidth::Across(int)).is_ok()
            }
            Self::Register { template, copy, register } => {
                program.has_copy(template, copy)
                    && program.template(template).registers().get(register).is_some()
            }
        }
    }
}

impl Memory {
    /// What a person looks at who looks at a cell: the element that it belongs to.
    pub fn element_of(&self, address: Value) -> Observable {
        let Some((id, index)) = self.place(address) else { return Observable::Cell(address) };
        let location = self.location(id);
        let Domain::Wrapping(part) = location.domain else { return Observable::Cell(address) };
        let whole =
            part.bits().checked_mul(location.parts).and_then(|bits| IntType::new(bits, true));
        match whole {
            Some(whole) if location.parts > 1 => {
                let first = index - index % u64::from(location.parts);
                let address = location.base + Value::from(first) * Value::from(location.stride);
                Observable::Across(address, whole)
            }
            Some(_) | None => Observable::Cell(address),
        }
    }
}

/// A statement about one final state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proposition {
    /// Always true or always false.
    Constant(bool),
    /// The value seen is this one.
    Equals(Observable, Value),
    /// The proposition is false.
    Not(Box<Proposition>),
    /// Both are true.
    And(Box<Proposition>, Box<Proposition>),
    /// At least one is true.
    Or(Box<Proposition>, Box<Proposition>),
    /// The second is true if the first is.
    Implies(Box<Proposition>, Box<Proposition>),
}

impl Proposition {
    /// The greatest number of connectives on a path from the root to a leaf.
    pub const MAX_DEPTH: usize = 200;

    /// Whether it is true of a state in which `seen` gives the values.
    pub fn holds(&self, seen: &impl Fn(Observable) -> Value) -> bool {
        match self {
            Self::Constant(truth) => *truth,
            Self::Equals(observable, value) => seen(*observable) == *value,
            Self::Not(inner) => !inner.holds(seen),
            Self::And(left, right) => left.holds(seen) && right.holds(seen),
            Self::Or(left, right) => left.holds(seen) || right.holds(seen),
            Self::Implies(left, right) => !left.holds(seen) || right.holds(seen),
        }
    }

    /// Calls `visit` on everything it looks at, left to right, as often as it does.
    pub fn visit(&self, visit: &mut impl FnMut(Observable)) {
        match self {
            Self::Constant(_) => {}
            Self::Equals(observable, _) => visit(*observable),
            Self::Not(inner) => inner.visit(visit),
            Self::And(left, right) | Self::Or(left, right) | Self::Implies(left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
        }
    }

    /// The same proposition about other observables.
    #[must_use]
    pub fn map(&self, with: &impl Fn(Observable) -> Observable) -> Self {
        let inner = |part: &Self| Box::new(part.map(with));
        match self {
            Self::Constant(truth) => Self::Constant(*truth),
            Self::Equals(observable, value) => Self::Equals(with(*observable), *value),
            Self::Not(part) => Self::Not(inner(part)),
            Self::And(left, right) => Self::And(inner(left), inner(right)),
            Self::Or(left, right) => Self::Or(inner(left), inner(right)),
            Self::Implies(left, right) => Self::Implies(inner(left), inner(right)),
        }
    }

    /// The number of connectives on the longest path from the root to a leaf.
    pub fn depth(&self) -> usize {
        match self {
            Self::Constant(_) | Self::Equals(..) => 0,
            Self::Not(inner) => 1 + inner.depth(),
            Self::And(left, right) | Self::Or(left, right) | Self::Implies(left, right) => {
                1 + left.depth().max(right.depth())
            }
        }
    }
}

/// How many final states must satisfy a proposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantifier {
    /// At least one (`exists`).
    Exists,
    /// None (`~exists`).
    Never,
    /// Each (`forall`).
    Always,
}

impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exists => "exists",
            Self::Never => "never",
            Self::Always => "always",
        })
    }
}

/// What a program asks about its states; nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What is worth showing beside what the propositions mention.
    pub observed: Vec<Observable>,
    /// Only final states that satisfy this are considered.
    pub filter: Option<Proposition>,
    /// The question itself.
    pub condition: Option<(Quantifier, Proposition)>,
    /// What must not be true of any state, also on the way.
    pub forbidden: Option<StateProposition>,
    /// The types in which values are told where they are not those in which they are held. A cell
    /// stands for all of its location.
    pub told_as: Vec<(Observable, IntType)>,
}

impl Question {
    /// Everything it mentions, in order, as often as it does.
    pub fn observables(&self) -> Vec<Observable> {
        let mut all = self.observed.clone();
        for proposition in self.propositions() {
            proposition.visit(&mut |observable| all.push(observable));
        }
        all
    }

    /// The filter and the condition.
    pub fn propositions(&self) -> impl Iterator<Item = &Proposition> {
        self.filter.iter().chain(self.condition.as_ref().map(|(_, proposition)| proposition))
    }

    /// The same question about other observables.
    #[must_use]
    pub fn map(&self, with: &impl Fn(Observable) -> Observable) -> Self {
        Self {
            observed: self.observed.iter().map(|observable| with(*observable)).collect(),
            filter: self.filter.as_ref().map(|filter| filter.map(with)),
            condition: self
                .condition
                .as_ref()
                .map(|(quantifier, proposition)| (*quantifier, proposition.map(with))),
            forbidden: self.forbidden.as_ref().map(|forbidden| {
                forbidden.map(&|watched| match watched {
                    Watched::Label { .. } => watched,
                    Watched::Value(observable) => Watched::Value(with(observable)),
                })
            }),
            told_as: self.told_as.iter().map(|(seen, int)| (with(*seen), *int)).collect(),
        }
    }
}

impl Program {
    /// The type in which what is seen in a final state is told, if it is held in another.
    pub fn told_as(&self, seen: Observable) -> Option<IntType> {
        let seen = match seen {
            Observable::Cell(address) | Observable::Across(address, _) => {
                let (location, _) = self.memory().place(address)?;
                Observable::Cell(self.memory().location(location).base)
            }
            Observable::Register { template, copy, register } => {
                Observable::Register { template, copy, register }
            }
        };
        let mut types = self.question().told_as.iter();
        types.find(|(told, _)| *told == seen).map(|(_, int)| *int)
    }
}
