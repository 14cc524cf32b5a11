//! Private variables: locals whose address is known wherever it is used. They live in registers, one
//! for each part that is accessed, or are known at translation time.

use program::{Domain, Expr, Instruction, RegisterId};

use crate::thread::{Cursor, RegisterKey, Scratch, Slot, Walk};
use crate::value::{self, PrivateId, Val};

/// How an access falls on the parts of a variable.
enum Fit {
    /// It is one part.
    Exact,
    /// It is inside a part: that part's offset and width.
    Inside(i64, u32),
    /// It consists of these parts, without gaps between them that matter.
    Over(Vec<(i64, u32)>),
    /// It cuts a part.
    Cuts,
}

impl Walk<'_, '_, '_> {
    fn fit(&mut self, private: PrivateId, offset: i64, width: u32) -> Fit {
        let parts = self.world.facts.parts.get(&private);
        let end = offset + i64::from(width);
        let mut over = Vec::new();
        if let Some(parts) = parts {
            for (&at, &bytes) in parts.range(offset - 16..end) {
                let part_end = at + i64::from(bytes);
                if at == offset && bytes == width {
                    return Fit::Exact;
                }
                if part_end <= offset {
                    continue;
                }
                if at <= offset && end <= part_end {
                    return Fit::Inside(at, bytes);
                }
                if at < offset || part_end > end {
                    return Fit::Cuts;
                }
                over.push((at, bytes));
            }
        }
        if over.is_empty() {
            self.world.learn_part(private, offset, width);
            return Fit::Exact;
        }
        // Gaps become parts of their own, a byte each: rare, and right.
        let mut complete = Vec::new();
        let mut next = offset;
        for (at, bytes) in over {
            while next < at {
                self.world.learn_part(private, next, 1);
                complete.push((next, 1));
                next += 1;
            }
            complete.push((at, bytes));
            next = at + i64::from(bytes);
        }
        while next < end {
            self.world.learn_part(private, next, 1);
            complete.push((next, 1));
            next += 1;
        }
        Fit::Over(complete)
    }

    fn part_register(&mut self, private: PrivateId, at: i64, width: u32) -> RegisterId {
        let key = RegisterKey::Part(private, at);
        if let Some(known) = self.known_register(&key) {
            return known;
        }
        let name = self.world.private_name(private, at, width);
        let domain = value::int(width * 8).map_or(crate::thread::WORD, Domain::Wrapping);
        self.register(key, || name, domain)
    }

    /// One part of a private variable.
    fn part(&mut self, cursor: &Cursor, private: PrivateId, at: i64, width: u32) -> Val {
        match cursor.known.slots.get(&Slot::Part(private, at)) {
            Some(known) => known.clone(),
            None => Val::register(self.part_register(private, at, width)),
        }
    }

    /// What `width` bytes of a private variable hold.
    pub(crate) fn read_private(
        &mut self,
        cursor: &Cursor,
        private: PrivateId,
        offset: i64,
        width: u32,
    ) -> Val {
        match self.fit(private, offset, width) {
            Fit::Exact => self.part(cursor, private, offset, width),
            Fit::Inside(at, bytes) => {
                let shift = u32::try_from(offset - at).unwrap_or(0);
                match self.part(cursor, private, at, bytes) {
                    Val::Expr(whole) => value::part_of(whole, shift, width)
                        .map_or_else(|| inexpressible(width), Val::Expr),
                    other @ (Val::Undefined | Val::Inexpressible(_)) => other,
                    Val::Private(..) | Val::Aggregate(_) => {
                        self.world.escape(private);
                        Val::Undefined
                    }
                }
            }
            Fit::Over(parts) => {
                let mut whole = Expr::Const(0);
                for (at, bytes) in parts {
                    let shift = u32::try_from(at - offset).unwrap_or(0);
                    let part = self.part(cursor, private, at, bytes);
                    let joined = match part {
                        Val::Expr(part) => value::joined_part(part, shift, bytes),
                        Val::Undefined => Some(Expr::Const(0)),
                        Val::Private(inner, _) => {
                            self.world.escape(inner);
                            None
                        }
                        Val::Aggregate(_) | Val::Inexpressible(_) => None,
                    };
                    match joined {
                        Some(joined) => {
                            whole =
                                value::fold(Expr::binary(program::BinaryOp::BitOr, whole, joined));
                        }
                        None => return inexpressible(width),
                    }
                }
                value::truncate_bytes(width, whole).map_or_else(|| inexpressible(width), Val::Expr)
            }
            Fit::Cuts => {
                self.world.escape(private);
                Val::Undefined
            }
        }
    }

    /// Writes `width` bytes of a private variable.
    pub(crate) fn write_private(
        &mut self,
        cursor: &mut Cursor,
        private: PrivateId,
        offset: i64,
        width: u32,
        value: Val,
    ) {
        match self.fit(private, offset, width) {
            Fit::Exact => self.write_part(cursor, private, offset, width, value),
            Fit::Inside(at, bytes) => {
                let whole = self.part(cursor, private, at, bytes);
                let whole = self.expr(cursor, whole);
                let value = self.expr(cursor, value);
                let shift = u32::try_from(offset - at).unwrap_or(0);
                let new = value::with_part(whole, bytes, shift, width, value)
                    .map_or_else(|| inexpressible(bytes), Val::Expr);
                self.write_part(cursor, private, at, bytes, new);
            }
            Fit::Over(parts) => {
                let value = self.expr(cursor, value);
                // Parts are written one after another, and the value may mention them.
                let value = self.held(cursor, value);
                for (at, bytes) in parts {
                    let shift = u32::try_from(at - offset).unwrap_or(0);
                    let part = value::part_of(value.clone(), shift, bytes)
                        .map_or_else(|| inexpressible(bytes), Val::Expr);
                    self.write_part(cursor, private, at, bytes, part);
                }
            }
            Fit::Cuts => self.world.escape(private),
        }
    }

    /// An expression that stays the same while parts of variables change.
    pub(crate) fn held(&mut self, cursor: &mut Cursor, value: Expr) -> Expr {
        if !self.may_change(&Val::Expr(value.clone())) {
            return value;
        }
        self.held_apart(cursor, value, Scratch::Held)
    }

    /// The same, in the register of one purpose, whether variables are mentioned or not.
    pub(crate) fn held_apart(
        &mut self,
        cursor: &mut Cursor,
        value: Expr,
        purpose: Scratch,
    ) -> Expr {
        if matches!(value, Expr::Const(_)) {
            return value;
        }
        let register = self.scratch(cursor, purpose, crate::thread::WORD);
        self.emit(cursor, Instruction::Assign { register, value });
        Expr::Register(register)
    }

    /// The register of one purpose of the instruction that is under way.
    pub(crate) fn scratch(
        &mut self,
        cursor: &Cursor,
        purpose: Scratch,
        domain: Domain,
    ) -> RegisterId {
        let key = RegisterKey::Scratch(self.point(cursor), purpose);
        self.register(key, || purpose.name().to_owned(), domain)
    }

    fn write_part(
        &mut self,
        cursor: &mut Cursor,
        private: PrivateId,
        at: i64,
        width: u32,
        value: Val,
    ) {
        let slot = Slot::Part(private, at);
        // What cannot be expressed is an error only where it matters.
        let is_inexpressible = matches!(value, Val::Inexpressible(_));
        let is_unwritten = matches!(value, Val::Undefined);
        if is_inexpressible || is_unwritten || value.is_static() && self.splits_constants {
            cursor.known.slots.insert(slot, value);
            return;
        }
        cursor.known.slots.remove(&slot);
        let value = match value {
            Val::Expr(expr) => expr,
            Val::Undefined => return,
            Val::Private(..) | Val::Aggregate(_) | Val::Inexpressible(_) => {
                self.expr(cursor, value)
            }
        };
        let register = self.part_register(private, at, width);
        if value == Expr::Register(register) {
            return;
        }
        self.note_moved(&value, (private, at));
        // Values computed from what the part held until now, in this call and in those around it.
        let info = self.world.info(cursor.known.frame.function);
        self.settle(cursor, &info, &|mentioned| mentioned == register);
        self.emit(cursor, Instruction::Assign { register, value });
    }

    /// The parts of a private variable that have bytes between two offsets.
    pub(crate) fn parts_between(&self, private: PrivateId, from: i64, to: i64) -> Vec<(i64, u32)> {
        let parts = self.world.facts.parts.get(&private);
        let Some(parts) = parts else { return Vec::new() };
        parts
            .range(..to)
            .filter(|(at, width)| *at + i64::from(**width) > from)
            .map(|(at, width)| (*at, *width))
            .collect()
    }
}

pub(crate) fn inexpressible(bytes: u32) -> Val {
    Val::Inexpressible(format!("a value of {} bits", bytes * 8).into())
}
