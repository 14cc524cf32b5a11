//! Expressions of every form.

use program::index::Idx;
use program::{BinaryOp, Expr, LocationId, Memory, RegisterId, UnaryOp};
use proptest::prelude::*;
use proptest::sample::select;

use crate::Subset;
use crate::values::{int_types, integers, values_at_rest};

/// What expressions can refer to: locations and so many registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope {
    pub(crate) subset: Subset,
    pub(crate) locations: Locations,
    pub(crate) registers: usize,
}

/// So many locations, some of which are arrays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Locations {
    count: usize,
    /// Bit `n` says whether location `n` is an array.
    arrays: u64,
}

impl Locations {
    /// The locations of a memory.
    pub(crate) fn of(memory: &Memory) -> Self {
        let arrays = memory.locations().enumerate().filter(|(_, it)| it.length.is_some());
        Self {
            count: memory.locations().len(),
            arrays: arrays.map(|(id, _)| 1_u64 << id.index()).sum(),
        }
    }

    /// The address of an element, as far as the location has elements.
    fn element(self, number: usize, index: Expr) -> Expr {
        let location = LocationId::new(number);
        if self.arrays >> number & 1 == 1 {
            Expr::Element(location, Box::new(index))
        } else {
            Expr::address(location)
        }
    }
}

/// The operators that Trencher's language has.
const TRENCHER_OPERATORS: [BinaryOp; 12] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::BitAnd,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::And,
    BinaryOp::Or,
];

/// The others.
const OTHER_OPERATORS: [BinaryOp; 8] = [
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::Min,
    BinaryOp::Max,
];

/// Expressions over a scope.
pub(crate) fn expressions(scope: Scope) -> BoxedStrategy<Expr> {
    let leaves = leaves(scope);
    match scope.subset {
        Subset::Everything => {
            leaves.prop_recursive(4, 12, 3, move |inner| everything(inner, scope.locations)).boxed()
        }
        Subset::Trencher => leaves.prop_recursive(4, 12, 2, trencher).boxed(),
    }
}

fn leaves(scope: Scope) -> BoxedStrategy<Expr> {
    let constants = match scope.subset {
        Subset::Everything => values_at_rest(),
        Subset::Trencher => integers(),
    };
    let constants = constants.prop_map(Expr::Const);
    if scope.registers == 0 {
        return constants.boxed();
    }
    let registers = (0..scope.registers).prop_map(|number| Expr::Register(RegisterId::new(number)));
    prop_oneof![constants, registers].boxed()
}

fn trencher(inner: BoxedStrategy<Expr>) -> BoxedStrategy<Expr> {
    let binary = (select(&TRENCHER_OPERATORS[..]), inner.clone(), inner.clone());
    prop_oneof![
        1 => inner.prop_map(|operand| Expr::unary(UnaryOp::Not, operand)),
        4 => binary.prop_map(|(op, left, right)| Expr::binary(op, left, right)),
    ]
    .boxed()
}

fn everything(inner: BoxedStrategy<Expr>, locations: Locations) -> BoxedStrategy<Expr> {
    let binary = (select(&OTHER_OPERATORS[..]), inner.clone(), inner.clone());
    let unary = (select(&[UnaryOp::Neg, UnaryOp::BitNot][..]), inner.clone());
    let select = [inner.clone(), inner.clone(), inner.clone()];
    let cast = (int_types(), inner.clone());
    let forms = prop_oneof![
        4 => trencher(inner.clone()),
        2 => binary.prop_map(|(op, left, right)| Expr::binary(op, left, right)),
        1 => unary.prop_map(|(op, operand)| Expr::unary(op, operand)),
        1 => select.prop_map(|operands| Expr::Select(Box::new(operands))),
        1 => cast.prop_map(|(int, operand)| Expr::Cast(int, Box::new(operand))),
    ];
    if locations.count == 0 {
        return forms.boxed();
    }
    prop_oneof![4 => forms, 1 => elements(inner, locations)].boxed()
}

/// Addresses of elements.
fn elements(indices: BoxedStrategy<Expr>, locations: Locations) -> BoxedStrategy<Expr> {
    (0..locations.count, indices)
        .prop_map(move |(number, index)| locations.element(number, index))
        .boxed()
}

/// Expressions that are likely to be addresses.
pub(crate) fn addresses(scope: Scope) -> BoxedStrategy<Expr> {
    match scope.subset {
        Subset::Everything if scope.locations.count > 0 => prop_oneof![
            1 => expressions(scope),
            2 => elements(expressions(scope), scope.locations),
            2 => elements(Just(Expr::Const(0)).boxed(), scope.locations),
        ]
        .boxed(),
        Subset::Everything | Subset::Trencher => expressions(scope),
    }
}
