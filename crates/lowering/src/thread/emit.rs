//! Labels, edges and registers of a thread while it is translated.

use linkage::Item;

use super::{Cursor, Flow, Frame, Limit, Origin, Purpose, RegisterKey, Scratch, Walk};
use program::{
    BinaryOp, Diagnostic, Domain, Edge, Expr, Failure, Insertion, Instruction, Label, LabelId,
    NoInsertion, Register, RegisterId, Span, Value,
};

/// What no register holds that must hold an integer: a limit of the tool, not an error of the program.
pub(super) fn no_integer() -> Expr {
    let greatest = Expr::Const(Value::from(i64::MAX));
    Expr::binary(BinaryOp::Add, greatest, Expr::Const(1))
}

impl Walk<'_, '_, '_> {
    pub(crate) fn label(&mut self, span: Span) -> LabelId {
        let number = self.builder.labels().len();
        self.builder.label(Label {
            name: format!("L{number}"),
            generated: true,
            waiting: false,
            span,
            before: Err(NoInsertion::NoTextOfItsOwn),
        })
    }

    /// The register for something, if there is one.
    pub(crate) fn known_register(&self, key: &RegisterKey) -> Option<RegisterId> {
        self.registers.get(key).copied()
    }

    /// The register for something.
    pub(crate) fn register(
        &mut self,
        key: RegisterKey,
        name: impl FnOnce() -> String,
        domain: Domain,
    ) -> RegisterId {
        if let Some(register) = self.registers.get(&key) {
            return *register;
        }
        let (is_part, generated) = match key {
            RegisterKey::Part(private, _) => (true, self.world.is_of_language(private)),
            RegisterKey::Counter(_) => (true, true),
            // Somebody sees it.
            RegisterKey::Scratch(_, Scratch::Shown(_)) => (false, false),
            RegisterKey::Local(..)
            | RegisterKey::Scratch(..)
            | RegisterKey::Identity
            | RegisterKey::Limit(_) => (false, true),
        };
        let wanted = name();
        let mut name = wanted.clone();
        // How many have been called like this already.
        let mut number = self.names.get(&wanted).copied().unwrap_or(0);
        while self.names.contains_key(&name) {
            number += 1;
            name = format!("{wanted}#{}", number + 1);
        }
        self.names.insert(name.clone(), 0);
        self.names.insert(wanted, number);
        let register = self.builder.register(Register { name, initial: 0, domain, generated });
        self.registers.insert(key, register);
        self.changing.push(is_part);
        register
    }

    /// What the text of an instruction of a frame is: of its own, or that of the call it is in.
    pub(crate) fn span(&mut self, frame: &Frame) -> Span {
        let mut frame = Some(frame);
        while let Some(one) = frame {
            let info = self.world.info(one.function);
            let span = info.position(one.block, one.index as usize).span;
            if span.source.is_some() {
                return span;
            }
            frame = one.caller.as_deref();
        }
        Span::NONE
    }

    /// The function that an access belongs to, if its text is not the author's. What Rust's own library does for
    /// a function is done by that function.
    fn owner(&mut self, frame: &Frame) -> Option<Item> {
        let mut frame = Some(frame);
        while let Some(one) = frame {
            let info = self.world.info(one.function);
            if info.has_text() {
                return None;
            }
            if !info.is_of_language() {
                return Some(one.function);
            }
            frame = one.caller.as_deref();
        }
        None
    }

    /// Adds an edge and moves on over it.
    pub(crate) fn emit(&mut self, cursor: &mut Cursor, instruction: Instruction) {
        let span = self.span(&cursor.known.frame);
        self.emit_with(cursor, instruction, span, Err(NoInsertion::InsideExpression));
    }

    pub(super) fn emit_with(
        &mut self,
        cursor: &mut Cursor,
        instruction: Instruction,
        span: Span,
        after: Insertion,
    ) {
        if cursor.known.is_refused {
            self.runs_out_by(cursor, &instruction);
            Self::recover(cursor, &instruction);
        }
        let to = self.label(span);
        let accesses = instruction.memory_access().is_some();
        let owner = if accesses { self.owner(&cursor.known.frame) } else { None };
        self.edges.push(Edge { from: cursor.at, to, instruction, span, after });
        self.origins.push(Origin { point: self.point(cursor), purpose: self.purpose, owner });
        cursor.at = to;
        cursor.arrived_by = Some(self.edges.len() - 1);
    }

    /// Notes that the last edge lets a thread begin.
    pub(crate) fn note_started(&mut self, number: Value) {
        let last = self.edges.len() - 1;
        self.started.extend(u32::try_from(number).ok().map(|number| (number, last)));
    }

    /// Says why all edges added by `steps` access memory.
    pub(crate) fn for_purpose(&mut self, purpose: Purpose, steps: impl FnOnce(&mut Self)) {
        self.purpose = purpose;
        steps(self);
        self.purpose = Purpose::Access;
    }

    /// A copy of the cursor on a way that is taken if a condition is true.
    pub(crate) fn branch(&mut self, cursor: &mut Cursor, condition: Expr) -> Cursor {
        // From here on something leaves the label, so it must stay where it is.
        cursor.arrived_by = None;
        let mut other = cursor.clone();
        self.emit(&mut other, Instruction::Assume(condition));
        other
    }

    /// Puts a way on aside.
    pub(crate) fn set_aside(&mut self, cursor: Cursor) {
        self.waiting.push(cursor);
    }

    /// Another way comes to where the cursor is.
    pub(crate) fn meet(&mut self, cursor: &mut Cursor, other: &Cursor) {
        cursor.arrived_by = None;
        self.lead(other, cursor.at);
    }

    /// Goes from the cursor to a label that exists.
    pub(crate) fn lead(&mut self, cursor: &Cursor, to: LabelId) {
        // An empty loop is no end: it leads from its label to itself.
        if let Some(edge) = cursor.arrived_by {
            self.edges[edge].to = to;
            return;
        }
        let (point, purpose) = (self.point(cursor), self.purpose);
        self.origins.push(Origin { point, purpose, owner: None });
        self.edges.push(Edge {
            from: cursor.at,
            to,
            instruction: Instruction::Skip,
            span: Span::NONE,
            after: Err(NoInsertion::InsideExpression),
        });
    }

    pub(crate) fn error(&mut self, cursor: &Cursor, message: impl Into<String>, help: &str) {
        let span = self.span(&cursor.known.frame);
        self.world.error(Diagnostic::new(span, message).help(help));
    }

    /// The way ends where the tool gives up; the answer is undecided if it is reached.
    pub(crate) fn give_up(&mut self, cursor: &mut Cursor, limit: Limit) -> Flow {
        let bound = self.bound(limit);
        self.emit(cursor, bound);
        Flow::Over
    }

    /// A step that cannot be made.
    pub(crate) fn bound(&mut self, limit: Limit) -> Instruction {
        let name = limit.name(self.world);
        let register = self.register(RegisterKey::Limit(limit), || name, Domain::Integer);
        Instruction::Assign { register, value: no_integer() }
    }

    /// The way ends in an error of the program.
    pub(crate) fn fail(&mut self, cursor: &mut Cursor) -> Flow {
        if cursor.known.is_refused {
            return self.run_out(cursor);
        }
        self.emit(cursor, Instruction::Assert(Expr::Const(0)));
        Flow::Over
    }

    /// The same, where it is known which error it is.
    pub(crate) fn fail_by(&mut self, cursor: &mut Cursor, failure: Failure) -> Flow {
        self.emit(cursor, failure.instruction());
        Flow::Over
    }
}
