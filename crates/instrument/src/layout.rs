//! Where the auxiliary cells are.
//!
//! ESOP'13 writes (a, d) and (a, hb) for two more cells of each address a. Here every declared
//! location has two twins of its shape:
//!
//! - `NAME.buffered` holds the newest delayed value. It has the domain of NAME, so a value is
//!   refused or wrapped when it is delayed, as it is when a store is issued.
//! - `NAME.hb` holds a **mark**: whether a value is delayed ([`DELAYED`]; the paper marks the value
//!   itself), or how the chain of happens-before has accessed the cell (`chain`). One cell is
//!   enough for both: only the attacker asks what is delayed, and it ends when the chain begins;
//!   helpers take [`DELAYED`] for an untouched cell.
//!
//! An address that names its location (`Element`) names the twin instead. A number may be the
//! address of anything, and where it is computed nothing bounds it; so if the program computes
//! addresses, cell a moves to 4a and its twins are 4a + 1 and 4a + 2. An address that was no cell's
//! is none now (and one too large to be multiplied overflows, which is the limit it would meet a
//! little later). Otherwise all addresses are known, and the twins follow at a distance that keeps
//! them apart, so that plain accesses stay as they are. Cells of our own have the addresses 4n + 3,
//! or follow last.
//!
//! Where addresses move, one that is used as a value keeps its value: it is divided by 4.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{
    BinaryOp, Domain, Expr, IndexVec, Initial, Location, LocationId, Memory, Program,
    ProgramBuilder, Template, Value,
};

/// The mark of a cell to which a store is delayed.
pub(crate) const DELAYED: Value = -1;

/// Which of the cells of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twin {
    Plain,
    Buffered,
    Mark,
}

impl Twin {
    const fn number(self) -> Value {
        match self {
            Self::Plain => 0,
            Self::Buffered => 1,
            Self::Mark => 2,
        }
    }
}

/// The cells of an instrumented program.
#[derive(Debug)]
pub(crate) struct Layout {
    /// What a plain address is multiplied by.
    scale: Value,
    /// How far twins are apart.
    step: Value,
    /// The locations of the given program; they keep their numbers.
    given: IndexVec<LocationId, Location>,
    /// The address of the next cell of our own, and how far the one after it is.
    own: (Value, Value),
    names: BTreeSet<String>,
    /// A domain for every value that a cell can hold.
    pub(crate) every_value: Domain,
}

impl Layout {
    /// Declares the locations of `program` and their twins.
    pub(crate) fn new(program: &Program, builder: &mut ProgramBuilder) -> Self {
        let memory = program.memory();
        let computed = addresses(program).any(|address| match address {
            Expr::Element(..) | Expr::Const(_) => false,
            Expr::Register(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => true,
        });
        let (low, high) = extent(program);
        let (scale, step) = if computed { (4, 1) } else { (1, high - low + 1) };
        let own = if computed { (3, 4) } else { (low + 3 * step, 1) };
        let given = memory.locations().clone();
        let names = given.iter().map(|location| location.name.clone()).collect();
        let every_value = every_value(memory);
        let mut layout = Self { scale, step, given, own, names, every_value };
        for (twin, suffix) in
            [(Twin::Plain, ""), (Twin::Buffered, ".buffered"), (Twin::Mark, ".hb")]
        {
            for id in memory.locations().indices() {
                let location = layout.twin(id, twin, suffix);
                builder.location(location);
            }
        }
        layout
    }

    fn twin(&mut self, id: LocationId, twin: Twin, suffix: &str) -> Location {
        let plain = &self.given[id];
        let name = format!("{}{suffix}", plain.name);
        let mut location = Location {
            base: plain.base * self.scale + twin.number() * self.step,
            stride: match plain.length {
                None => plain.stride,
                Some(_) if self.scale == 1 => plain.stride,
                Some(_) => plain.stride.saturating_mul(4),
            },
            ..plain.clone()
        };
        match twin {
            Twin::Plain => return location,
            Twin::Buffered => {}
            Twin::Mark => {
                location.initial = Initial::Uniform(0);
                location.domain = Domain::Integer;
            }
        }
        location.name = self.unused_name(name);
        location
    }

    /// Declares a cell of our own that starts with zero.
    pub(crate) fn own(&mut self, name: &str, builder: &mut ProgramBuilder) -> LocationId {
        let (address, step) = self.own;
        self.own.0 += step;
        // Where cells move everything that is 4n is taken, but undeclared cells may be anywhere.
        builder.location(Location::scalar(self.unused_name(name.to_owned()), address))
    }

    fn unused_name(&mut self, mut name: String) -> String {
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// The address of a cell that belongs to what was the address `address`.
    pub(crate) fn cell(&self, twin: Twin, address: &Expr) -> Expr {
        match address {
            Expr::Element(location, index) => {
                let which = usize::try_from(twin.number()).expect("a small number");
                let id = LocationId::new(location.index() + which * self.given.len());
                Expr::Element(id, Box::new(self.value(index)))
            }
            Expr::Const(address) => Expr::Const(address * self.scale + twin.number() * self.step),
            Expr::Register(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => {
                let scale = Expr::Const(self.scale);
                let plain = Expr::binary(BinaryOp::Mul, scale, self.value(address));
                match twin {
                    Twin::Plain => plain,
                    Twin::Buffered | Twin::Mark => {
                        Expr::binary(BinaryOp::Add, plain, Expr::Const(twin.number() * self.step))
                    }
                }
            }
        }
    }

    /// What has the value that the address `address` had. Where it is known it is a number, since
    /// not every language can say more.
    pub(crate) fn number(&self, address: &Expr) -> Expr {
        if let Expr::Element(location, index) = address
            && let Expr::Const(index) = **index
            && let Ok(number) = self.given[*location].address(index)
        {
            return Expr::Const(number);
        }
        self.value(address)
    }

    /// What has the value that `expr` had.
    pub(crate) fn value(&self, expr: &Expr) -> Expr {
        let inner = |operand: &Expr| Box::new(self.value(operand));
        match expr {
            Expr::Const(_) | Expr::Register(_) => expr.clone(),
            Expr::Element(location, index) => {
                let address = Expr::Element(*location, inner(index));
                if self.scale == 1 {
                    address
                } else {
                    Expr::binary(BinaryOp::Div, address, Expr::Const(self.scale))
                }
            }
            Expr::Unary(op, operand) => Expr::Unary(*op, inner(operand)),
            Expr::Binary(op, left, right) => Expr::Binary(*op, inner(left), inner(right)),
            Expr::Select(operands) => {
                Expr::Select(Box::new(operands.each_ref().map(|operand| self.value(operand))))
            }
            Expr::Cast(int, operand) => Expr::Cast(*int, inner(operand)),
        }
    }

    /// When the cell at `address` refuses `value`, both as in the given program; nothing if it
    /// never does. Only a declared range refuses.
    pub(crate) fn refuses(&self, address: &Expr, value: &Expr) -> Option<Expr> {
        let outside = |location: &Location| outside(location.domain, &self.value(value));
        if let Expr::Element(location, _) = address {
            return outside(&self.given[*location]);
        }
        let here = self.value(address);
        let refusals = self
            .given
            .iter()
            .filter_map(|location| Some(both(is_cell_of(&here, location), outside(location)?)));
        refusals.reduce(|left, right| Expr::binary(BinaryOp::Or, left, right))
    }
}

/// When a domain refuses a value; nothing if it never does, or only by overflow.
pub(crate) fn outside(domain: Domain, value: &Expr) -> Option<Expr> {
    let Domain::Range { low, high } = domain else { return None };
    let below = Expr::binary(BinaryOp::Lt, value.clone(), Expr::Const(low));
    let above = Expr::binary(BinaryOp::Gt, value.clone(), Expr::Const(high));
    Some(Expr::binary(BinaryOp::Or, below, above))
}

/// Whether an address is that of a cell of the location.
fn is_cell_of(address: &Expr, location: &Location) -> Expr {
    let compare = |op, left: &Expr, right| Expr::binary(op, left.clone(), Expr::Const(right));
    let from = compare(BinaryOp::Ge, address, location.base);
    let to = compare(BinaryOp::Le, address, location.last_address());
    let within = both(from, to);
    if location.stride == 1 {
        return within;
    }
    let offset = compare(BinaryOp::Sub, address, location.base);
    let rest = compare(BinaryOp::Rem, &offset, Value::from(location.stride));
    both(within, compare(BinaryOp::Eq, &rest, 0))
}

/// Both are true.
pub(crate) fn both(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinaryOp::And, left, right)
}

fn addresses(program: &Program) -> impl Iterator<Item = &Expr> {
    let edges = program.templates().iter().flat_map(Template::edges);
    edges.filter_map(|edge| edge.instruction.memory_access().map(|(address, _)| address))
}

/// The least and the greatest address that is declared or written as a number.
fn extent(program: &Program) -> (Value, Value) {
    let locations = program.memory().locations().iter();
    let declared = locations.flat_map(|location| [location.base, location.last_address()]);
    let written = addresses(program).filter_map(|address| match address {
        Expr::Const(address) => Some(*address),
        Expr::Register(_)
        | Expr::Element(..)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..) => None,
    });
    let all: Vec<Value> = declared.chain(written).collect();
    (all.iter().copied().min().unwrap_or(0), all.iter().copied().max().unwrap_or(0))
}

/// A domain that holds whatever a cell can hold.
fn every_value(memory: &Memory) -> Domain {
    let bounds = memory.locations().iter().map(|location| location.domain.bounds());
    let high = bounds.map(|(_, high)| high).max().unwrap_or(0);
    let integers = Domain::Integer.bounds();
    if high <= integers.1 {
        Domain::Integer
    } else {
        Domain::Range { low: integers.0, high: u64::MAX.into() }
    }
}
