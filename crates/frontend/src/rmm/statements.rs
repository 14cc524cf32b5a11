//! Lowering the statements of a process.

use std::collections::BTreeMap;

use program::{BinaryOp, Diagnostic, Diagnostics, FenceKind, Order, Span, UnaryOp};

use super::ast::{Block, Condition, Expr, Kind, Name, Place, Process, Statement};
use super::lower::{Domain, Held, Names, range};
use super::tree;
use crate::fw::ast as fw;
use crate::suggest::did_you_mean;

pub(super) struct Statements<'a, 'e> {
    names: &'a Names<'a>,
    number: usize,
    registers: BTreeMap<&'a str, Domain>,
    errors: &'e mut Diagnostics,
    /// The register through which a value comes that may not fit.
    temporary: String,
    has_temporary: bool,
}

/// A part of a statement that is one step or more.
enum Part {
    /// Nothing happens until this is true.
    Wait(fw::Expr),
    Do(fw::StmtKind),
    /// A store.
    Write(fw::StmtKind),
}

impl<'a, 'e> Statements<'a, 'e> {
    pub(super) fn new(
        names: &'a Names<'a>,
        process: &'a Process,
        number: usize,
        errors: &'e mut Diagnostics,
    ) -> Self {
        let registers = process.registers.iter();
        let registers: BTreeMap<&str, Domain> =
            registers.map(|data| (data.name.text.as_str(), data.domain)).collect();
        let mut temporary = "$value".to_owned();
        while registers.contains_key(temporary.as_str()) {
            temporary.push('_');
        }
        let temporary = names.register(&temporary);
        Self { names, number, registers, errors, temporary, has_temporary: false }
    }

    /// The declaration of the register that was needed, if one was.
    pub(super) fn temporary(&self) -> Option<fw::Stmt> {
        let name = fw::Name { text: self.temporary.clone(), span: Span::NONE };
        let local = fw::Local { name, domain: None, initial: None };
        self.has_temporary.then(|| tree::statement(fw::StmtKind::Local(vec![local]), Span::NONE))
    }

    pub(super) fn block(&mut self, block: &Block) -> fw::Block {
        let mut statements = Vec::new();
        for statement in &block.statements {
            self.statement(statement, &mut statements);
        }
        fw::Block { statements, span: block.span }
    }

    fn statement(&mut self, statement: &Statement, into: &mut Vec<fw::Stmt>) {
        let first = into.len();
        if let Kind::Group(block) = &statement.kind {
            for inner in &block.statements {
                self.statement(inner, into);
            }
        } else {
            let kind = self.kind(statement);
            into.push(tree::statement(kind, statement.span));
        }
        if let (Some(label), Some(stmt)) = (&statement.label, into.get_mut(first)) {
            let label = fw::StmtLabel { name: tree::name(label), waiting: false };
            stmt.labels.insert(0, label);
        }
    }

    fn kind(&mut self, statement: &Statement) -> fw::StmtKind {
        match &statement.kind {
            Kind::Nop | Kind::Group(_) => fw::StmtKind::Skip,
            Kind::Fence => fw::StmtKind::Fence(FenceKind::Full),
            Kind::StoreFence => fw::StmtKind::Fence(FenceKind::StoreStore),
            Kind::LoadFence => fw::StmtKind::Fence(FenceKind::LoadLoad),
            Kind::Goto(label) => fw::StmtKind::Goto(tree::name(label)),
            Kind::If { condition, then, otherwise } => fw::StmtKind::If {
                condition: self.condition(condition),
                then: self.block(then),
                otherwise: otherwise.as_ref().map(|block| self.block(block)),
            },
            Kind::While { condition, body } => {
                fw::StmtKind::While { condition: self.condition(condition), body: self.block(body) }
            }
            Kind::Either(blocks) => {
                fw::StmtKind::Either(blocks.iter().map(|block| self.block(block)).collect())
            }
            // Nobody gets past it.
            Kind::Assume(Condition::Constant(false, _)) => fw::StmtKind::Stop,
            Kind::Locked(blocks) => self.locked(blocks, statement.span),
            Kind::Assign { .. }
            | Kind::Assume(_)
            | Kind::ReadEqual { .. }
            | Kind::Read { .. }
            | Kind::Write { .. }
            | Kind::Cas { .. } => {
                let parts = self.parts(&statement.kind, false);
                one_statement(parts, statement.span)
            }
        }
    }

    /// What a simple statement does, step by step. Stores in a locked section are plain.
    fn parts(&mut self, kind: &Kind, in_section: bool) -> Vec<Part> {
        let mut parts = Vec::new();
        match kind {
            Kind::Assume(condition) => parts.push(Part::Wait(self.condition(condition))),
            Kind::Assign { register, value } => {
                let domain = self.domain(register);
                let (value, can_be) = self.value(value);
                parts.extend(fits(&value, can_be, domain));
                parts.push(self.assign(register, value));
            }
            Kind::ReadEqual { place, value } => {
                let Some(read) = self.place(place, &mut parts) else { return parts };
                let (value, _) = self.value(value);
                let equal = tree::binary(BinaryOp::Eq, tree::place(read.0), value);
                parts.push(Part::Wait(equal));
            }
            Kind::Read { register, place } => {
                let domain = self.domain(register);
                let Some((from, holds)) = self.place(place, &mut parts) else { return parts };
                let holds = holds.together;
                if contains(domain, holds) {
                    parts.push(self.assign(register, tree::place(from)));
                } else {
                    self.has_temporary = true;
                    let text = self.temporary.clone();
                    let temporary = || tree::variable(&text, place.span());
                    let name = fw::Name { text: text.clone(), span: place.span() };
                    let to = fw::Place::Named { name, index: None };
                    let value = tree::place(from);
                    parts.push(Part::Do(fw::StmtKind::Assign { to, value }));
                    parts.extend(fits(&temporary(), holds, domain));
                    parts.push(self.assign(register, temporary()));
                }
            }
            Kind::Write { place, value, locked } => {
                let Some((to, holds)) = self.place(place, &mut parts) else { return parts };
                let (value, can_be) = self.value(value);
                parts.extend(self.fits_each(&value, can_be, holds));
                let order = (*locked && !in_section).then_some(Order::SeqCst);
                let attributes = fw::Attributes { order, ..fw::Attributes::default() };
                parts.push(Part::Write(match order {
                    Some(_) => fw::StmtKind::Store { to, value, attributes },
                    None => fw::StmtKind::Assign { to, value },
                }));
            }
            Kind::Cas { place, expected, new } => {
                let Some((place, holds)) = self.place(place, &mut parts) else { return parts };
                let (expected, _) = self.value(expected);
                let (new, can_be) = self.value(new);
                parts.extend(self.fits_each(&new, can_be, holds));
                if in_section {
                    let read = tree::place(place);
                    let fw::ExprKind::Place(to) = tree::copy(&read).kind else { return parts };
                    parts.push(Part::Wait(tree::binary(BinaryOp::Eq, read, expected)));
                    parts.push(Part::Write(fw::StmtKind::Assign { to, value: new }));
                } else {
                    let attributes = fw::Attributes::default();
                    let kind = fw::StmtKind::BlockingReadWrite { place, expected, new, attributes };
                    parts.push(Part::Write(kind));
                }
            }
            Kind::Nop
            | Kind::Fence
            | Kind::StoreFence
            | Kind::LoadFence
            | Kind::If { .. }
            | Kind::While { .. }
            | Kind::Goto(_)
            | Kind::Either(_)
            | Kind::Locked(_)
            | Kind::Group(_) => {}
        }
        parts
    }

    /// `locked { … }`. It waits for the store buffer only if it writes, as Memorax has it; so one that only
    /// reads is taken only where it is a single step.
    fn locked(&mut self, blocks: &[Block], span: Span) -> fw::StmtKind {
        if let [block] = blocks {
            return self.section(block, span);
        }
        let either = blocks.iter().map(|block| {
            let section = self.section(block, block.span);
            fw::Block { statements: vec![tree::statement(section, span)], span: block.span }
        });
        let statements = vec![tree::statement(fw::StmtKind::Either(either.collect()), span)];
        fw::StmtKind::Sequence(fw::Block { statements, span })
    }

    fn section(&mut self, block: &Block, span: Span) -> fw::StmtKind {
        let mut steps = Vec::new();
        flatten(block, &mut steps);
        let writes = |it: &&Statement| matches!(it.kind, Kind::Write { .. } | Kind::Cas { .. });
        if let [only] = steps.as_slice()
            && only.label.is_none()
            && !matches!(only.kind, Kind::Write { .. })
        {
            return self.kind(only);
        }
        if !steps.iter().any(writes) {
            let message = "a locked section that only reads";
            let help = "write something in it, or use `cas`";
            self.errors.push(Diagnostic::new(span, message).help(help));
        }
        let mut parts = Vec::new();
        for step in &steps {
            let labelled = step.label.is_some().then_some("a label");
            let what = labelled.or(match &step.kind {
                Kind::If { .. } | Kind::While { .. } | Kind::Goto(_) => Some("control flow"),
                Kind::Either(_) | Kind::Locked(_) | Kind::Group(_) => Some("a nested choice"),
                Kind::Nop
                | Kind::Fence
                | Kind::StoreFence
                | Kind::LoadFence
                | Kind::Assign { .. }
                | Kind::Assume(_)
                | Kind::ReadEqual { .. }
                | Kind::Read { .. }
                | Kind::Write { .. }
                | Kind::Cas { .. } => None,
            });
            if let Some(what) = what {
                let message = format!("{what} inside `locked` is not supported");
                let help = "write `locked { … or … }` with simple statements";
                self.errors.push(Diagnostic::new(step.span, message).help(help));
            }
            parts.extend(self.parts(&step.kind, true).into_iter().map(|part| (part, step.span)));
        }
        let first_write = parts.iter().position(|(part, _)| matches!(part, Part::Write(_)));
        let last_wait = parts.iter().rposition(|(part, _)| matches!(part, Part::Wait(_)));
        match (first_write, last_wait) {
            (_, None) => {
                let done = parts.into_iter().filter_map(|(part, at)| match part {
                    Part::Do(kind) | Part::Write(kind) => Some(tree::statement(kind, at)),
                    Part::Wait(_) => None,
                });
                let statements = vec![tree::statement(
                    fw::StmtKind::Atomic(fw::Block {
                        statements: done.collect(),
                        span: block.span,
                    }),
                    span,
                )];
                fw::StmtKind::Sequence(fw::Block { statements, span })
            }
            (Some(write), Some(wait)) if write < wait => {
                let message = "a locked section that waits after it has written";
                let help = "put what is waited for before the first write";
                self.errors.push(Diagnostic::new(parts[wait].1, message).help(help));
                fw::StmtKind::Skip
            }
            // It is tried again until it succeeds: nobody waits with the lock held.
            (_, Some(_)) => {
                let mut statements = vec![tree::statement(fw::StmtKind::LockMemory, span)];
                statements.extend(attempt(parts.into_iter(), span));
                statements.push(tree::statement(fw::StmtKind::UnlockMemory, span));
                let body = fw::Block { statements, span };
                let statements = vec![tree::statement(fw::StmtKind::Loop(body), span)];
                fw::StmtKind::Sequence(fw::Block { statements, span })
            }
        }
    }

    fn assign(&self, register: &Name, value: fw::Expr) -> Part {
        let text = self.names.register(&register.text);
        let name = fw::Name { text, span: register.span };
        Part::Do(fw::StmtKind::Assign { to: fw::Place::Named { name, index: None }, value })
    }

    fn domain(&mut self, register: &Name) -> Domain {
        if let Some(domain) = self.registers.get(register.text.as_str()) {
            return *domain;
        }
        let like = did_you_mean(&register.text, self.registers.keys().copied());
        let mut error = Diagnostic::new(
            register.span,
            format!("this process has no register `{}`", register.text),
        );
        error.help = Some(like.map_or_else(
            || format!("declare it after `registers`: `{} = 0 : [0:1]`", register.text),
            |like| format!("did you mean `{like}`?"),
        ));
        self.errors.push(error);
        None
    }

    /// A place and what it can hold; what its address must be is waited for.
    fn place(&mut self, place: &Place, parts: &mut Vec<Part>) -> Option<(fw::Place, Held)> {
        if let Place::Pointer { address, span } = place {
            let (address, can_be) = self.value(address);
            let addresses = self.names.addresses();
            parts.extend(fits(&address, can_be, Some(addresses)));
            let held = self.names.pointed_at(can_be);
            return Some((fw::Place::Mem { address: Box::new(address), span: *span }, held));
        }
        self.names.place(place, self.number, self.errors)
    }

    /// What must be true of a value that is written where one of several locations may be.
    fn fits_each(&mut self, value: &fw::Expr, can_be: Domain, held: Held) -> Option<Part> {
        let part = fits(value, can_be, held.each);
        if part.is_some() && held.each != held.together {
            let message =
                "a pointer to locations with different domains, which not all hold this value";
            let help = "declare the same values for the locations that it can point at";
            self.errors.push(Diagnostic::new(value.span, message).help(help));
        }
        part
    }

    /// A value, and what it can be.
    fn value(&mut self, value: &Expr) -> (fw::Expr, Domain) {
        match value {
            Expr::Number(number, span) => (tree::number(*number, *span), Some((*number, *number))),
            Expr::Register(name) => {
                let domain = self.domain(name);
                (tree::variable(&self.names.register(&name.text), name.span), domain)
            }
            Expr::Negated(operand, span) => {
                let (operand, can_be) = self.value(operand);
                let depth = operand.depth + 1;
                let kind = fw::ExprKind::Unary(UnaryOp::Neg, Box::new(operand));
                let can_be = can_be.map(|(low, high)| (-high, -low));
                (fw::Expr { kind, span: *span, depth }, can_be)
            }
            Expr::Binary(op, left, right) => {
                let ((left, a), (right, b)) = (self.value(left), self.value(right));
                (tree::binary(*op, left, right), range(*op, a, b))
            }
        }
    }

    fn condition(&mut self, condition: &Condition) -> fw::Expr {
        match condition {
            Condition::Constant(truth, span) => tree::number((*truth).into(), *span),
            Condition::Compared(op, left, right) => {
                let ((left, _), (right, _)) = (self.value(left), self.value(right));
                tree::binary(*op, left, right)
            }
            Condition::Not(inner, span) => {
                let inner = self.condition(inner);
                let depth = inner.depth + 1;
                let kind = fw::ExprKind::Unary(UnaryOp::Not, Box::new(inner));
                fw::Expr { kind, span: *span, depth }
            }
            Condition::And(left, right) => {
                tree::binary(BinaryOp::And, self.condition(left), self.condition(right))
            }
            Condition::Or(left, right) => {
                tree::binary(BinaryOp::Or, self.condition(left), self.condition(right))
            }
        }
    }
}

/// One attempt at a locked section: as far as what it waits for is true.
fn attempt(mut parts: std::vec::IntoIter<(Part, Span)>, span: Span) -> Vec<fw::Stmt> {
    let mut statements = Vec::new();
    while let Some((part, at)) = parts.next() {
        match part {
            Part::Do(kind) | Part::Write(kind) => statements.push(tree::statement(kind, at)),
            Part::Wait(condition) => {
                let then = fw::Block { statements: attempt(parts, span), span };
                let kind = fw::StmtKind::If { condition, then, otherwise: None };
                statements.push(tree::statement(kind, at));
                return statements;
            }
        }
    }
    statements.push(tree::statement(fw::StmtKind::UnlockMemory, span));
    statements.push(tree::statement(fw::StmtKind::Break, span));
    statements
}

/// The parts as one statement.
fn one_statement(mut parts: Vec<Part>, span: Span) -> fw::StmtKind {
    let kind = |part| match part {
        Part::Wait(condition) => fw::StmtKind::Assume(condition),
        Part::Do(kind) | Part::Write(kind) => kind,
    };
    match parts.len() {
        0 => fw::StmtKind::Skip,
        1 => kind(parts.remove(0)),
        _ => {
            let statements = parts.into_iter().map(|part| tree::statement(kind(part), span));
            fw::StmtKind::Sequence(fw::Block { statements: statements.collect(), span })
        }
    }
}

/// What must be true of a value that may be outside a domain.
fn fits(value: &fw::Expr, can_be: Domain, domain: Domain) -> Option<Part> {
    if contains(domain, can_be) {
        return None;
    }
    domain.map(|bounds| Part::Wait(tree::within(value, bounds)))
}

fn contains(domain: Domain, values: Domain) -> bool {
    match (domain, values) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some((low, high)), Some((least, most))) => low <= least && most <= high,
    }
}

/// The statements of a block, those in braces of their own included.
fn flatten<'b>(block: &'b Block, into: &mut Vec<&'b Statement>) {
    for statement in &block.statements {
        if let Kind::Group(inner) = &statement.kind
            && statement.label.is_none()
        {
            flatten(inner, into);
        } else {
            into.push(statement);
        }
    }
}

/// Whether something computes addresses.
pub(super) fn has_pointers(block: &Block) -> bool {
    any_place(block, &|place| matches!(place, Place::Pointer { .. }))
}

/// Whether something mentions what processes declare.
pub(super) fn has_locals(block: &Block) -> bool {
    any_place(block, &|place| matches!(place, Place::Local { .. }))
}

fn any_place(block: &Block, is_it: &impl Fn(&Place) -> bool) -> bool {
    let any = |blocks: &[Block]| blocks.iter().any(|block| any_place(block, is_it));
    block.statements.iter().any(|statement| match &statement.kind {
        Kind::ReadEqual { place, .. }
        | Kind::Read { place, .. }
        | Kind::Write { place, .. }
        | Kind::Cas { place, .. } => is_it(place),
        Kind::If { then, otherwise, .. } => {
            any_place(then, is_it) || otherwise.as_ref().is_some_and(|it| any_place(it, is_it))
        }
        Kind::While { body, .. } | Kind::Group(body) => any_place(body, is_it),
        Kind::Either(blocks) | Kind::Locked(blocks) => any(blocks),
        Kind::Nop
        | Kind::Fence
        | Kind::StoreFence
        | Kind::LoadFence
        | Kind::Assign { .. }
        | Kind::Assume(_)
        | Kind::Goto(_) => false,
    })
}
