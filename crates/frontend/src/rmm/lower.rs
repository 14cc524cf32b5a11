//! Lowering: each process becomes a thread in the tree of `.fw`, whose lowering does the rest.
//!
//! - A value outside a domain, or an address that is no location, *blocks* here, where `.fw` has an error: such
//!   a statement waits first. Where the domains show that it cannot happen, nothing is added.
//! - What a process declares with `data` is an element of an array, with the number of the process as index,
//!   if all processes declare it alike, and otherwise a variable of its own.
//! - A memory location that may start with any value is written by a thread `start`, for which all others wait.
//!   A register that may is chosen at the start, unless it is written before it is read anyway.

use std::collections::{BTreeMap, BTreeSet};

use program::{
    BinaryOp, Diagnostic, Diagnostics, EdgeId, Expr as Model, Instruction, LabelId, Program, Span,
    Template, Value,
};

use super::ast::{Data, File, Name, Place, Process};
use super::statements::Statements;
use super::tree;
use crate::Settings;
use crate::fw::ast as fw;
use crate::fw::lower;
use crate::suggest::did_you_mean;

/// What a process is called: `p` and its number.
pub(super) fn process_name(number: usize) -> String {
    format!("p{number}")
}

/// The thread that gives memory its initial values, and how it tells that it has done so.
const START: &str = "start";
const STARTED: &str = "started";

/// The program of a parsed file, or all that is wrong with it.
pub(super) fn program(mut file: File, default_name: &str) -> Result<Program, Diagnostics> {
    let mut errors = std::mem::take(&mut file.errors);
    let names = Names::new(&file, &mut errors);
    if !errors.is_empty() {
        errors.sort_by_key(|error| error.span);
        return Err(errors);
    }
    let built = |chosen: &Chosen| {
        lower::program(names.tree(&file, chosen), default_name, &Settings::default())
    };
    let program = built(&Chosen::new())?;
    let chosen = names.read_first(&program, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    if chosen.is_empty() { Ok(program) } else { built(&chosen) }
}

/// The tree of a file without errors, in the terms of `.fw`.
pub(super) fn tree(file: &File) -> fw::File {
    Names::new(file, &mut Vec::new()).tree(file, &Chosen::new())
}

/// The registers whose initial value matters and is any, by thread.
type Chosen = BTreeSet<(String, String)>;

/// The values that something can hold; nothing for all integers.
pub(super) type Domain = Option<(Value, Value)>;

/// What the locations can hold that a place may be.
#[derive(Clone, Copy)]
pub(super) struct Held {
    /// One of them.
    pub(super) together: Domain,
    /// Each of them.
    pub(super) each: Domain,
}

impl Held {
    const fn one(domain: Domain) -> Self {
        Self { together: domain, each: domain }
    }
}

/// A thread: the process, the number of its first copy, and how many copies it stands for.
#[derive(Clone, Copy)]
struct Thread<'a> {
    process: &'a Process,
    number: usize,
    copies: u32,
}

/// What names mean.
pub(super) struct Names<'a> {
    globals: BTreeMap<&'a str, (usize, Domain)>,
    /// For what processes declare, by name and number.
    locals: BTreeMap<&'a str, BTreeMap<usize, &'a Data>>,
    /// How many processes there are.
    count: usize,
    threads: Vec<Thread<'a>>,
    /// Whether addresses are computed, so that they matter.
    has_pointers: bool,
}

impl<'a> Names<'a> {
    fn new(file: &'a File, errors: &mut Diagnostics) -> Self {
        let mut names = Self {
            globals: BTreeMap::new(),
            locals: BTreeMap::new(),
            count: 0,
            threads: Vec::new(),
            has_pointers: file.processes.iter().any(|it| super::statements::has_pointers(&it.body)),
        };
        for (number, data) in file.globals.iter().enumerate() {
            names.globals.insert(&data.name.text, (number, data.domain));
        }
        for process in &file.processes {
            for _ in 0..process.count {
                for data in &process.data {
                    let owners = names.locals.entry(&data.name.text).or_default();
                    owners.insert(names.count, data);
                }
                names.count += 1;
            }
            names.threads.extend(threads(process, names.count - process.count as usize));
        }
        for data in file.globals.iter().chain(file.processes.iter().flat_map(|it| &it.data)) {
            if data.initial.is_none() && data.domain.is_none() {
                let message = format!("`{}` can start with any integer", data.name.text);
                let help = "give it an initial value, or a domain such as `[0:1]`";
                errors.push(Diagnostic::new(data.name.span, message).help(help));
            }
        }
        for forbidden in &file.forbidden {
            if forbidden.labels.len() != names.count {
                let (has, wants) = (forbidden.labels.len(), names.count);
                let message = format!("a label is needed for each of {wants} processes, not {has}");
                let help = "`*` stands for any label";
                errors.push(Diagnostic::new(forbidden.span, message).help(help));
            }
        }
        names
    }

    /// Whether all processes declare a name alike.
    fn is_array(&self, name: &str) -> bool {
        let Some(owners) = self.locals.get(name) else { return false };
        let mut domains = owners.values().map(|data| data.domain);
        let first = domains.next();
        owners.len() == self.count && domains.all(|domain| Some(domain) == first)
    }

    fn owned(&self, name: &Name, owner: usize) -> fw::Place {
        if self.is_array(&name.text) {
            let index = tree::number(Value::from(owner as u64), name.span);
            return fw::Place::Named { name: tree::name(name), index: Some(Box::new(index)) };
        }
        let text = format!("{}_{owner}", name.text);
        fw::Place::Named { name: fw::Name { text, span: name.span }, index: None }
    }

    /// What a register is called: its name without `$`, unless memory is called so.
    pub(super) fn register(&self, name: &str) -> String {
        let bare = name.trim_start_matches('$');
        let taken = |name: &str| self.globals.contains_key(name) || self.locals.contains_key(name);
        if taken(bare) || bare == STARTED { format!("reg_{bare}") } else { bare.to_owned() }
    }

    /// The addresses that a pointer can have.
    pub(super) fn addresses(&self) -> (Value, Value) {
        (0, Value::from(self.globals.len() as u64) - 1)
    }

    /// What locations can hold at which a pointer with such a value points: all of them together, and each
    /// of them.
    pub(super) fn pointed_at(&self, addresses: Domain) -> Held {
        let (first, last) = addresses.unwrap_or(self.addresses());
        let meant = |number: &usize| (first..=last).contains(&Value::from(*number as u64));
        let domains = self.globals.values().filter(|(number, _)| meant(number));
        let domains = domains.map(|(_, domain)| *domain);
        let together = domains.clone().reduce(|one, other| {
            let ((a, b), (c, d)) = (one?, other?);
            Some((a.min(c), b.max(d)))
        });
        let each = domains.reduce(|one, other| match (one, other) {
            (Some((a, b)), Some((c, d))) => Some((a.max(c), b.min(d))),
            (one, None) | (None, one) => one,
        });
        Held { together: together.flatten(), each: each.flatten() }
    }

    /// Where a named place is, for the process with a number, and what it can hold.
    pub(super) fn place(
        &self,
        place: &Place,
        number: usize,
        errors: &mut Diagnostics,
    ) -> Option<(fw::Place, Held)> {
        match place {
            Place::Global(name) => {
                let Some((_, domain)) = self.globals.get(name.text.as_str()) else {
                    errors.push(self.unknown(name));
                    return None;
                };
                Some((fw::Place::Named { name: tree::name(name), index: None }, Held::one(*domain)))
            }
            Place::Local { name, owner, span } => {
                // Other processes are counted without this one.
                let owner = match owner {
                    None => number,
                    Some(other) if (*other as usize) < number => *other as usize,
                    Some(other) => *other as usize + 1,
                };
                let owners = self.locals.get(name.text.as_str());
                let Some(data) = owners.and_then(|owners| owners.get(&owner)) else {
                    let process = process_name(owner);
                    let message = format!("{process} has no location `{}`", name.text);
                    let help = "other processes are counted without the one that counts";
                    errors.push(Diagnostic::new(*span, message).help(help));
                    return None;
                };
                Some((self.owned(name, owner), Held::one(data.domain)))
            }
            Place::Pointer { .. } => None,
        }
    }

    fn unknown(&self, name: &Name) -> Diagnostic {
        let mut error = Diagnostic::new(name.span, format!("there is no location `{}`", name.text));
        error.help = if self.locals.contains_key(name.text.as_str()) {
            Some(format!("each process has one: write `{}[my]`", name.text))
        } else {
            let like = did_you_mean(&name.text, self.globals.keys().copied());
            like.map(|like| format!("did you mean `{like}`?"))
        };
        error
    }

    fn tree(&self, file: &'a File, chosen: &Chosen) -> fw::File {
        let mut result = tree::empty_file();
        // Addresses are the numbers of the locations.
        let base = Value::from(!self.has_pointers);
        let all = self.globals_in_order(file);
        for (number, data) in all.iter().enumerate() {
            let address = tree::number(base + Value::from(number as u64), data.name.span);
            result.shared.push(fw::Shared { base: Some(address), ..tree::shared(data) });
        }
        let mut next = base + Value::from(all.len() as u64);
        for (name, owners) in &self.locals {
            let first = owners.values().next().expect("somebody declares it");
            if self.is_array(name) {
                let values = owners.values().map(|data| tree::initial(data)).collect();
                result.shared.push(fw::Shared {
                    length: Some(tree::number(Value::from(self.count as u64), first.name.span)),
                    initial: Some(fw::Initial::Each(values)),
                    base: Some(tree::number(next, first.name.span)),
                    ..tree::shared(first)
                });
                next += Value::from(self.count as u64);
                continue;
            }
            for (owner, data) in owners {
                let fw::Place::Named { name, .. } = self.owned(&data.name, *owner) else {
                    continue;
                };
                let base = Some(tree::number(next, data.name.span));
                result.shared.push(fw::Shared { name, base, ..tree::shared(data) });
                next += 1;
            }
        }
        let starts = self.start(file);
        if let Some(start) = starts {
            result.shared.push(tree::flag(STARTED, next));
            result.threads.push(start);
        }
        let waits = result.threads.len() == 1;
        for thread in &self.threads {
            let body = self.body(thread, waits, chosen, &mut result.errors);
            result.threads.push(body);
        }
        result.question.forbidden = self.forbidden(file);
        result
    }

    fn globals_in_order(&self, file: &'a File) -> Vec<&'a Data> {
        let mut all: Vec<&Data> = file.globals.iter().collect();
        // One that is declared twice is reported when the tree is lowered.
        all.sort_by_key(|data| {
            self.globals.get(data.name.text.as_str()).map(|(number, _)| *number)
        });
        all
    }

    /// The thread that gives memory any of its initial values, if there are several.
    fn start(&self, file: &'a File) -> Option<fw::Thread> {
        let mut places: Vec<(fw::Place, &Data)> = Vec::new();
        for data in file.globals.iter().filter(|data| data.initial.is_none()) {
            places.push((fw::Place::Named { name: tree::name(&data.name), index: None }, data));
        }
        for owners in self.locals.values() {
            for (owner, data) in owners.iter().filter(|(_, data)| data.initial.is_none()) {
                places.push((self.owned(&data.name, *owner), data));
            }
        }
        if places.is_empty() {
            return None;
        }
        let (mut locals, mut statements) = (Vec::new(), Vec::new());
        for (number, (place, data)) in places.into_iter().enumerate() {
            let name = fw::Name { text: format!("any_{number}"), span: data.name.span };
            let domain = data.domain.map(|range| tree::domain(range, data.name.span));
            let initial = Some(tree::initial(data));
            let value = tree::variable(&name.text, name.span);
            let local = fw::Place::Named { name: name.clone(), index: None };
            locals.push(fw::Local { name, domain, initial });
            statements.push(tree::choose(local, data));
            let kind = fw::StmtKind::Assign { to: place, value };
            statements.push(tree::statement(kind, Span { source: None, ..data.name.span }));
        }
        statements.insert(0, tree::statement(fw::StmtKind::Local(locals), Span::NONE));
        statements.push(tree::set(STARTED));
        let body = fw::Block { statements, span: Span::NONE };
        let name = fw::Name { text: START.to_owned(), span: Span::NONE };
        Some(fw::Thread { name, replication: fw::Replication::One, body })
    }

    fn body(
        &self,
        thread: &Thread<'a>,
        waits: bool,
        chosen: &Chosen,
        errors: &mut Diagnostics,
    ) -> fw::Thread {
        let Thread { process, number, copies } = *thread;
        let name = process_name(number);
        let mut head = Vec::new();
        for data in &process.registers {
            let register = self.register(&data.name.text);
            let local = fw::Local {
                name: fw::Name { text: register, span: data.name.span },
                domain: data.domain.map(|range| tree::domain(range, data.name.span)),
                initial: Some(tree::initial(data)),
            };
            head.push(tree::statement(fw::StmtKind::Local(vec![local]), Span::NONE));
        }
        let mut statements = Statements::new(self, process, number, errors);
        let mut body = statements.block(&process.body);
        head.extend(statements.temporary());
        if waits {
            head.push(tree::wait_for(STARTED));
        }
        for data in &process.registers {
            let register = self.register(&data.name.text);
            if chosen.contains(&(name.clone(), register.clone())) {
                let name = fw::Name { text: register, span: data.name.span };
                head.push(tree::choose(fw::Place::Named { name, index: None }, data));
            }
        }
        body.statements.splice(0..0, head);
        let replication = if copies == 1 {
            fw::Replication::One
        } else {
            fw::Replication::Copies(tree::number(Value::from(copies), process.span))
        };
        fw::Thread { name: fw::Name { text: name, span: process.span }, replication, body }
    }

    fn forbidden(&self, file: &File) -> Option<fw::Proposition<fw::InState>> {
        let both = |left, right| fw::Proposition::And(Box::new(left), Box::new(right));
        let one = |left, right| fw::Proposition::Or(Box::new(left), Box::new(right));
        let states = file.forbidden.iter().map(|forbidden| {
            let labels = forbidden.labels.iter().enumerate();
            let at = labels.filter_map(|(number, label)| {
                let label = label.as_ref()?;
                let thread = self.threads.iter().find(|thread| {
                    (thread.number..thread.number + thread.copies as usize).contains(&number)
                })?;
                let copy = Value::from((number - thread.number) as u64);
                let index = (thread.copies > 1).then(|| Box::new(tree::number(copy, label.span)));
                let thread = fw::Name { text: process_name(thread.number), span: label.span };
                let label = tree::name(label);
                Some(fw::Proposition::Simple(fw::InState::At { thread, index, label }))
            });
            at.reduce(both).unwrap_or(fw::Proposition::Constant(true))
        });
        states.reduce(one)
    }

    /// The registers that may start with any value and may be read before they are written.
    fn read_first(&self, program: &Program, errors: &mut Diagnostics) -> Chosen {
        let mut chosen = Chosen::new();
        for template in program.templates() {
            let Some(thread) =
                self.threads.iter().find(|thread| process_name(thread.number) == template.name())
            else {
                continue;
            };
            for data in thread.process.registers.iter().filter(|data| data.initial.is_none()) {
                let register = self.register(&data.name.text);
                if !may_be_read_first(template, &register) {
                    continue;
                }
                if data.domain.is_none() {
                    let message =
                        format!("`{}` can start with any integer and be read", data.name.text);
                    let help = "give it an initial value, or a domain such as `[0:1]`";
                    errors.push(Diagnostic::new(data.name.span, message).help(help));
                }
                chosen.insert((template.name().to_owned(), register));
            }
        }
        chosen
    }
}

/// Processes of one kind are copies of one thread unless something tells them apart.
fn threads(process: &Process, first: usize) -> Vec<Thread<'_>> {
    let alike = process.data.is_empty() && !super::statements::has_locals(&process.body);
    if alike && process.count > 0 {
        return vec![Thread { process, number: first, copies: process.count }];
    }
    let numbers = first..first + process.count as usize;
    numbers.map(|number| Thread { process, number, copies: 1 }).collect()
}

/// Whether a register may be read before it is written.
fn may_be_read_first(template: &Template, name: &str) -> bool {
    let Some((register, _)) = template.registers().enumerate().find(|(_, it)| it.name == name)
    else {
        return false;
    };
    let reads = |edge: EdgeId| {
        let mut read = false;
        for operand in template.edge(edge).instruction.operands() {
            operand.visit(&mut |part| read |= *part == Model::Register(register));
        }
        read
    };
    let writes = |edge: EdgeId| match &template.edge(edge).instruction {
        Instruction::Assign { register: to, .. }
        | Instruction::Choose { register: to, .. }
        | Instruction::Load { register: to, .. }
        | Instruction::StoreExclusive { status: to, .. } => *to == register,
        Instruction::Update { result, .. } => *result == Some(register),
        Instruction::Skip
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Store { .. }
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => false,
    };
    let mut seen: BTreeSet<LabelId> = BTreeSet::from([template.initial()]);
    let mut next = vec![template.initial()];
    while let Some(label) = next.pop() {
        for edge in template.outgoing(label) {
            if reads(edge) {
                return true;
            }
            if !writes(edge) && seen.insert(template.edge(edge).to) {
                next.push(template.edge(edge).to);
            }
        }
    }
    false
}

/// The values of a sum or a difference.
pub(super) fn range(op: BinaryOp, left: Domain, right: Domain) -> Domain {
    let ((a, b), (c, d)) = (left?, right?);
    Some(if op == BinaryOp::Sub { (a - d, b - c) } else { (a + c, b + d) })
}
