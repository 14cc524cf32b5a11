//! Printing: expressions and places.

use program::{Expr, LocationId, RegisterId};

use super::notation::Names;
use crate::print_expr::{Leaves, expr};

impl Leaves for Names {
    fn register(&self, register: RegisterId) -> String {
        self.registers[register].clone()
    }

    fn element(&self, location: LocationId, index: &Expr) -> String {
        format!("&{}", element(location, index, self))
    }
}

/// The place in memory at an address.
pub(super) fn place(address: &Expr, names: &Names) -> String {
    match address {
        Expr::Element(location, index) => element(*location, index, names),
        Expr::Const(_)
        | Expr::Register(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(_)
        | Expr::Cast(..) => format!("mem[{}]", expr(address, names, 0)),
    }
}

fn element(location: LocationId, index: &Expr, names: &Names) -> String {
    let location = &names.locations[location];
    if location.is_array {
        format!("{}[{}]", location.name, expr(index, names, 0))
    } else {
        location.name.clone()
    }
}
