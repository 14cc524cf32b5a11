//! Expressions without effects, but for shared loads where the order of evaluation may be the compiler's.

use super::{Generator, Place, Type};

const ORDERS_OF_LOADS: [&str; 3] =
    ["memory_order_relaxed", "memory_order_acquire", "memory_order_seq_cst"];

impl Generator {
    /// A constant, often at the edge of a type.
    pub(super) fn number(&mut self, ty: Type) -> String {
        let highest = (1i128 << (ty.bits - 1)) - 1;
        let value = match self.random.usize(..6) {
            0 => highest,
            1 => -1,
            2 => i128::from(self.random.i16(..)),
            3 => 1i128 << self.random.u32(..ty.bits - 1),
            _ => i128::from(self.random.i8(-3..6)),
        };
        format!("({})({value}ll)", ty.name)
    }

    /// Puts an index where one belongs.
    pub(super) fn indexed(&mut self, place: &Place) -> String {
        if !place.text.contains('@') {
            return place.text.clone();
        }
        let index = match self.random.usize(..3) {
            0 => self.random.usize(..4).to_string(),
            1 if !self.locals.is_empty() => {
                let local = self.local().text.replace('@', "1");
                let add = self.random.usize(..4);
                format!("({local} + {add})")
            }
            _ => {
                let loads = std::mem::take(&mut self.loads);
                let index = self.expression(1);
                self.loads = loads;
                format!("({index})")
            }
        };
        place.text.replace('@', &index)
    }

    pub(super) fn local(&mut self) -> Place {
        self.pick(&self.locals.clone())
    }

    /// A variable of the thread itself, with its index.
    pub(super) fn own(&mut self) -> (String, Type) {
        let place = self.local();
        (self.indexed(&place), place.ty)
    }

    /// What a shared place holds, in one of the ways to ask.
    pub(super) fn load(&mut self, place: &Place) -> String {
        let text = self.indexed(place);
        if !place.is_atomic {
            return text;
        }
        match self.random.usize(..4) {
            0 => text,
            1 => format!("atomic_load(&{text})"),
            _ => format!("atomic_load_explicit(&{text}, {})", self.pick(&ORDERS_OF_LOADS)),
        }
    }

    fn leaf(&mut self) -> String {
        if self.loads > 0 && self.can_afford(1) && self.one_in(2) {
            self.loads -= 1;
            self.pay(1);
            let place = self.shared_place();
            return self.load(&place);
        }
        if self.locals.is_empty() || self.one_in(3) {
            let ty = self.ty();
            return self.number(ty);
        }
        self.own().0
    }

    /// A number.
    pub(super) fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let first = self.expression(depth - 1);
        match self.random.usize(..16) {
            0..=3 => first,
            4..=7 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({first} {op} {})", self.expression(depth - 1))
            }
            8 => {
                let op = self.pick(&["<<", ">>"]);
                format!("({first} {op} ({} & 7))", self.expression(depth - 1))
            }
            9 => {
                let op = self.pick(&["/", "%"]);
                format!("({first} {op} (({} & 7) + 1))", self.expression(depth - 1))
            }
            10 => format!("({}){first}", self.ty().name),
            11 => format!("{}({first})", self.pick(&["-", "~", "!"])),
            12 | 13 => {
                let condition = self.condition();
                format!("({condition} ? {first} : {})", self.expression(depth - 1))
            }
            14 => self.call(&first),
            _ => self.condition(),
        }
    }

    /// A call of a function that touches nothing shared.
    fn call(&mut self, first: &str) -> String {
        let second = self.leaf();
        match self.random.usize(..8) {
            0 => format!("mix({first}, {second})"),
            1 => format!("operations[({first}) & 1]({second}, 3)"),
            2 => format!("twice({}, {first}, {second})", self.pick(&["add", "take", "mix"])),
            // A place may allocate four times, unless one says otherwise.
            6 if self.rounds == 1 => format!("chain(2, {first})"),
            3 => format!("down({}, {first})", self.random.usize(..3)),
            5 => format!("table[({first}) & 3]"),
            4 => format!("total(make({first}, {second}))"),
            _ => format!("width((enum kind)(({first}) & 3))"),
        }
    }

    /// Something that is true or false.
    pub(super) fn condition(&mut self) -> String {
        let left = self.leaf();
        match self.random.usize(..8) {
            0 => format!("({left} && {})", self.leaf()),
            1 => format!("({left} || {})", self.leaf()),
            2 => format!("!({left})"),
            3 => format!("({left} & 1)"),
            _ => {
                let op = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({left} {op} {})", self.leaf())
            }
        }
    }

    /// An expression that may have shared loads, if C says in which order they are made.
    pub(super) fn with_loads(&mut self, depth: usize) -> String {
        self.loads = if self.is_ordered { 1 } else { 3 };
        let text = self.expression(depth);
        self.loads = 0;
        text
    }

    /// A condition that may have shared loads.
    pub(super) fn condition_with_loads(&mut self) -> String {
        self.loads = if self.is_ordered { 1 } else { 2 };
        let text = self.condition();
        self.loads = 0;
        text
    }

    /// An expression beside another access of shared memory.
    pub(super) fn beside_access(&mut self, depth: usize) -> String {
        self.loads = usize::from(!self.is_ordered);
        let text = self.expression(depth);
        self.loads = 0;
        text
    }
}
