//! One thread: its control flow with all calls in it.
//!
//! A thread is walked from its entry. What is known at translation time (constants, addresses of
//! private variables) is carried along and kept apart, so that loops with known bounds are unrolled and
//! calls through known pointers are direct; everything else becomes a register. Two ways that meet with
//! the same knowledge go on together. A thread that has too much to keep apart is walked again
//! without ([`Facts::generalised`](crate::world::Facts)): then only what is the same on all ways counts
//! as known.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use llvm::{BlockId, Constant, Function, LocalId, Operand, Operation, Value as Given};
use program::index::Idx;
use program::{
    Access, BinaryOp, Count, Diagnostic, Domain, Edge, Expr, FetchOp, Identity, Insertion,
    Instruction, IntType, Label, LabelId, NoInsertion, Order, Register, RegisterId, Span, Template,
    TemplateBuilder, Update, Value,
};

use crate::function::FunctionInfo;
use crate::link::Item;
use crate::object::ObjectId;
use crate::path::{PathId, Point};
use crate::position::Place;
use crate::value::{self, PrivateId, Val};
use crate::world::{Argument, ThreadSpec, World};

/// What a register stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RegisterKey {
    /// A value of one call, or a part of it.
    Local(PathId, LocalId, u32),
    /// A part of a private variable.
    Part(PrivateId, i64),
    /// How often something was allocated.
    Counter(Point),
    /// A value that only the translation needs.
    Scratch(Point, u32),
    /// The number of the copy.
    Identity,
    /// Where giving up is written down.
    Limit,
}

/// What holds a value that may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Slot {
    Part(PrivateId, i64),
    Counter(Point),
    /// How many threads were created at a place.
    Created(Point),
    /// The threads created so far that are joined at the end of this scope.
    Scope(Value),
}

/// What happens when a call returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Finally {
    /// A step.
    Step(Instruction),
    /// All threads of a scope are joined.
    JoinScope(Value),
}

/// One call that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    pub(crate) path: PathId,
    pub(crate) function: Item,
    pub(crate) block: BlockId,
    pub(crate) index: u32,
    pub(crate) locals: BTreeMap<LocalId, Val>,
    /// What variables that are only names stand for.
    pub(crate) named: BTreeMap<LocalId, Val>,
    /// The statement that is under way.
    pub(crate) place: Option<Place>,
    pub(crate) caller: Option<Rc<Frame>>,
    /// What happens when the call returns, before its caller goes on.
    pub(crate) finally: Option<Finally>,
    pub(crate) depth: u32,
}

/// All that is known at a place of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Known {
    pub(crate) frame: Frame,
    pub(crate) slots: BTreeMap<Slot, Val>,
}

/// Where the translation stands.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    pub(crate) known: Known,
    pub(crate) at: LabelId,
    /// The edge that led here, if it alone does and it may still lead elsewhere.
    arrived_by: Option<usize>,
}

/// How to go on after an instruction.
pub(crate) enum Flow {
    /// With the next one.
    Next,
    /// At the beginning of a block.
    Jump(BlockId),
    /// With whatever the cursor says now: a call began or ended.
    Moved,
    /// Not at all: the thread has ended here, or the ways on were put aside.
    Over,
}

/// Where an edge comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) point: Point,
    /// Whether it is part of a copy: what it accesses need not be a cell.
    pub(crate) is_copy: bool,
}

/// A thread while it is translated.
pub(crate) struct Walk<'w, 'm, 't> {
    pub(crate) world: &'w mut World<'m, 't>,
    pub(crate) spec: ThreadSpec,
    pub(crate) keeps_apart: bool,
    builder: TemplateBuilder,
    edges: Vec<Edge>,
    origins: Vec<Origin>,
    registers: HashMap<RegisterKey, RegisterId>,
    /// Registers that hold parts of variables: they change under values that mention them.
    changing: Vec<bool>,
    joined: HashMap<Known, LabelId>,
    waiting: Vec<Cursor>,
    ends: Vec<Cursor>,
    is_copying: bool,
    /// Accesses through pointers, by the point of the instruction: for what they point to.
    pub(crate) pointers: Vec<((Point, u32), Expr)>,
    /// Offsets within arrays, and how many elements these have.
    indexed: HashMap<Expr, u64>,
}

/// A translated thread.
pub(crate) struct Walked {
    pub(crate) template: Template,
    /// Pointers whose targets the next translation wants to know.
    pub(crate) pointers: Vec<((Point, u32), Expr)>,
    /// Where each edge of the template comes from.
    pub(crate) origins: Vec<Origin>,
    /// Offsets within arrays, and how many elements these have.
    pub(crate) indexed: HashMap<Expr, u64>,
}

/// Beyond this many labels a thread does not keep constants apart.
const MOST_LABELS: usize = 20_000;
/// Deeper expressions get a register.
const DEEP: usize = 12;

/// Translates a thread; nothing if it must be tried again with what was learnt.
pub(crate) fn walk(world: &mut World<'_, '_>, spec: ThreadSpec) -> Option<Walked> {
    let info = world.info(spec.entry);
    let entry = info.position(BlockId(0), 0).span;
    let keeps_apart = !world.facts.generalised.contains(&spec.number);
    let mut walk = Walk {
        builder: TemplateBuilder::new(&spec.name, entry),
        world,
        keeps_apart,
        edges: Vec::new(),
        origins: Vec::new(),
        registers: HashMap::new(),
        changing: Vec::new(),
        joined: HashMap::new(),
        waiting: Vec::new(),
        ends: Vec::new(),
        is_copying: false,
        pointers: Vec::new(),
        indexed: HashMap::new(),
        spec,
    };
    walk.begin();
    while let Some(cursor) = walk.waiting.pop() {
        walk.follow(cursor);
        if walk.is_too_large() {
            if walk.keeps_apart {
                walk.world.facts.generalised.insert(walk.spec.number);
                walk.world.facts.is_new = true;
            } else {
                let message = format!("thread `{}` is too large", walk.spec.name);
                walk.world.error(
                    Diagnostic::new(entry, message)
                        .help("it has more than 20,000 steps after all calls are inlined"),
                );
            }
            return None;
        }
    }
    Some(walk.finish())
}

impl<'m> Walk<'_, 'm, '_> {
    fn begin(&mut self) {
        let number = self.spec.number;
        if self.spec.copies > 1 {
            self.builder.count(Count::Exactly(self.spec.copies));
            let register =
                self.register(RegisterKey::Identity, || "copy".to_owned(), Domain::Integer);
            self.builder.identity(Identity { register, first: 0 });
        }
        let entry = self.spec.entry;
        let path = self.world.paths.thread(number);
        let at = self.label(Span::NONE);
        let frame = Self::new_frame(path, entry, None);
        let mut cursor =
            Cursor { known: Known { frame, slots: BTreeMap::new() }, at, arrived_by: None };
        if self.spec.is_created {
            self.wait_to_be_created(&mut cursor);
        }
        let function = self.function(entry);
        for position in 0..function.parameters.len() {
            let argument = self.spec.arguments.get(position).cloned();
            let given = match argument {
                Some(Argument::Constant(value)) => Val::constant(value),
                Some(Argument::Known(value)) => value,
                Some(Argument::Passed(address)) => {
                    self.passed_argument(&mut cursor, position, address)
                }
                None => Val::constant(0),
            };
            cursor.known.frame.locals.insert(LocalId::new(position), given);
        }
        self.waiting.push(cursor);
    }

    fn finish(mut self) -> Walked {
        let last = self.label(Span::NONE);
        for mut cursor in std::mem::take(&mut self.ends) {
            if self.spec.is_created {
                self.say_ended(&mut cursor);
            }
            self.lead(&cursor, last);
        }
        let initial = self.drop_unreached();
        let mut edges: Vec<(Edge, Origin)> = self.edges.into_iter().zip(self.origins).collect();
        // The order that edges of a template have.
        edges.sort_by_key(|(edge, _)| edge.from);
        let mut origins = Vec::with_capacity(edges.len());
        for (edge, origin) in edges {
            self.builder.edge(edge);
            origins.push(origin);
        }
        let template = self.builder.build(initial);
        Walked { template, pointers: self.pointers, origins, indexed: self.indexed }
    }

    /// Drops labels that nothing leads to; the label where the thread starts.
    fn drop_unreached(&mut self) -> LabelId {
        let mut new = vec![None; self.builder.labels().len()];
        let ends = self.edges.iter().flat_map(|edge| [edge.from, edge.to]);
        for label in std::iter::once(LabelId::new(0)).chain(ends) {
            new[label.index()] = Some(());
        }
        let labels = std::mem::take(self.builder.labels_mut());
        let new: Vec<Option<LabelId>> = new
            .into_iter()
            .zip(labels.iter())
            .map(|(reached, label)| reached.map(|()| self.builder.label(label.clone())))
            .collect();
        let renamed = |label: LabelId| new[label.index()].expect("an end of an edge");
        for edge in &mut self.edges {
            edge.from = renamed(edge.from);
            edge.to = renamed(edge.to);
        }
        renamed(LabelId::new(0))
    }

    pub(crate) fn function(&self, item: Item) -> &'m Function {
        self.world.linked.function(item).expect("a function is translated")
    }

    pub(crate) fn new_frame(path: PathId, function: Item, caller: Option<Rc<Frame>>) -> Frame {
        let depth = caller.as_ref().map_or(0, |caller| caller.depth + 1);
        Frame {
            path,
            function,
            block: BlockId(0),
            index: 0,
            locals: BTreeMap::new(),
            named: BTreeMap::new(),
            place: None,
            caller,
            finally: None,
            depth,
        }
    }

    /// Notes offsets within arrays; of several arrays, the longest counts.
    pub(crate) fn note_indexed(&mut self, indexed: Vec<(Expr, u64)>) {
        for (offset, length) in indexed {
            let known = self.indexed.entry(offset).or_default();
            *known = length.max(*known);
        }
    }

    // Labels, edges, registers.

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
            RegisterKey::Part(..) => (true, false),
            RegisterKey::Counter(_) => (true, true),
            RegisterKey::Local(..)
            | RegisterKey::Scratch(..)
            | RegisterKey::Identity
            | RegisterKey::Limit => (false, true),
        };
        let taken = |name: &str, registers: &TemplateBuilder| {
            registers.registers().iter().any(|register| register.name == name)
        };
        let wanted = name();
        let mut name = wanted.clone();
        let mut number = 1;
        while taken(&name, &self.builder) {
            number += 1;
            name = format!("{wanted}#{number}");
        }
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

    /// Adds an edge and moves on over it.
    pub(crate) fn emit(&mut self, cursor: &mut Cursor, instruction: Instruction) {
        let span = self.span(&cursor.known.frame);
        self.emit_with(cursor, instruction, span, Err(NoInsertion::InsideExpression));
    }

    fn emit_with(
        &mut self,
        cursor: &mut Cursor,
        instruction: Instruction,
        span: Span,
        after: Insertion,
    ) {
        let to = self.label(span);
        self.edges.push(Edge { from: cursor.at, to, instruction, span, after });
        self.origins.push(Origin { point: self.point(cursor), is_copy: self.is_copying });
        cursor.at = to;
        cursor.arrived_by = Some(self.edges.len() - 1);
    }

    /// Says that all edges added by `steps` only copy.
    pub(crate) fn copying(&mut self, steps: impl FnOnce(&mut Self)) {
        self.is_copying = true;
        steps(self);
        self.is_copying = false;
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

    /// Goes from the cursor to a label that exists.
    fn lead(&mut self, cursor: &Cursor, to: LabelId) {
        if cursor.at == to {
            return;
        }
        if let Some(edge) = cursor.arrived_by {
            self.edges[edge].to = to;
            return;
        }
        self.origins.push(Origin { point: self.point(cursor), is_copy: self.is_copying });
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
    pub(crate) fn give_up(&mut self, cursor: &mut Cursor, why: &str) -> Flow {
        let register = self.register(RegisterKey::Limit, || why.to_owned(), Domain::Integer);
        // No integer: a limit of the tool, not an error of the program.
        let greatest = Expr::Const(Value::from(i64::MAX));
        let value = Expr::binary(BinaryOp::Add, greatest, Expr::Const(1));
        self.emit(cursor, Instruction::Assign { register, value });
        Flow::Over
    }

    /// Before an access that could hit a cell of another width if its index were out of bounds: gives up
    /// if it does.
    pub(crate) fn guard(&mut self, cursor: &mut Cursor, address: &Expr) {
        if matches!(address, Expr::Const(_)) {
            return;
        }
        let point = self.point(cursor);
        let Some(ranges) = self.world.facts.guards.get(&point) else { return };
        let in_range = |(first, last): &(Value, Value)| {
            let from = Expr::binary(BinaryOp::Ge, address.clone(), Expr::Const(*first));
            let to = Expr::binary(BinaryOp::Le, address.clone(), Expr::Const(*last));
            Expr::binary(BinaryOp::And, from, to)
        };
        let any = |left, right| Expr::binary(BinaryOp::Or, left, right);
        let Some(inside) = ranges.iter().map(in_range).reduce(any) else { return };
        let mut beyond = self.branch(cursor, inside.clone().negated());
        self.give_up(&mut beyond, "an access to a part of a cell");
        self.emit(cursor, Instruction::Assume(inside));
    }

    /// The way ends in an error of the program.
    pub(crate) fn fail(&mut self, cursor: &mut Cursor) -> Flow {
        self.emit(cursor, Instruction::Assert(Expr::Const(0)));
        Flow::Over
    }

    // Walking.

    fn is_too_large(&self) -> bool {
        self.builder.labels().len() > MOST_LABELS
    }

    fn follow(&mut self, mut cursor: Cursor) {
        let Some(mut info) = self.arrive(&mut cursor) else { return };
        // One way alone may go on for ever: a loop whose counter is known and whose end is not.
        while !self.is_too_large() {
            let frame = &cursor.known.frame;
            let function = self.function(frame.function);
            let block = &function.blocks[frame.block.index()];
            let Some(instruction) = block.instructions.get(frame.index as usize) else { return };
            self.come_to(&mut cursor, &info);
            let flow = self.step(&mut cursor, &info, instruction);
            match flow {
                Flow::Next => cursor.known.frame.index += 1,
                Flow::Over => return,
                Flow::Jump(target) => {
                    self.jump(&mut cursor, &info, target);
                    match self.arrive(&mut cursor) {
                        Some(next) => info = next,
                        None => return,
                    }
                }
                Flow::Moved => match self.arrive(&mut cursor) {
                    Some(next) => info = next,
                    None => return,
                },
            }
        }
    }

    /// Goes on together with a way that has come here before with the same knowledge; nothing is left
    /// to do then.
    fn arrive(&mut self, cursor: &mut Cursor) -> Option<Rc<FunctionInfo>> {
        let frame = &mut cursor.known.frame;
        let info = self.world.info(frame.function);
        let (block, index) = (frame.block, frame.index as usize);
        frame.locals.retain(|local, _| info.is_needed_from(*local, block, index));
        if let Some(label) = self.joined.get(&cursor.known) {
            let label = *label;
            self.lead(cursor, label);
            return None;
        }
        self.joined.insert(cursor.known.clone(), cursor.at);
        cursor.arrived_by = None;
        Some(info)
    }

    /// Notes which statement is under way; where one is left, a fence could stand.
    fn come_to(&mut self, cursor: &mut Cursor, info: &FunctionInfo) {
        let frame = &cursor.known.frame;
        let place = info.place(frame.place, frame.block, frame.index as usize);
        self.enter_place(cursor, place);
    }

    fn enter_place(&mut self, cursor: &mut Cursor, place: Option<Place>) {
        let left = cursor.known.frame.place;
        if left == place {
            return;
        }
        if let Some(Place { point, span }) = left {
            self.emit_with(cursor, Instruction::Skip, span, Ok(point));
        }
        cursor.known.frame.place = place;
    }

    /// Goes to the beginning of a block.
    pub(crate) fn jump(&mut self, cursor: &mut Cursor, info: &FunctionInfo, target: BlockId) {
        let from = cursor.known.frame.block;
        let function = self.function(cursor.known.frame.function);
        self.enter_place(cursor, info.place(cursor.known.frame.place, target, 0));
        self.take_phis(cursor, function, from, target);
        let frame = &mut cursor.known.frame;
        frame.locals.retain(|local, _| {
            info.live_in[target.index()].contains(local) || is_phi(function, target, *local)
        });
        frame.block = target;
        frame.index = 0;
    }

    fn take_phis(
        &mut self,
        cursor: &mut Cursor,
        function: &'m Function,
        from: BlockId,
        target: BlockId,
    ) {
        let path = cursor.known.frame.path;
        let mut taken = Vec::new();
        for instruction in &function.blocks[target.index()].instructions {
            let Operation::Phi { ty, incoming } = &instruction.operation else { continue };
            let Some(result) = instruction.result else { continue };
            let value = incoming.iter().find(|(_, origin)| *origin == from);
            let operand = value.map(|(value, _)| Operand { ty: *ty, value: value.clone() });
            let value = operand.map_or(Val::Undefined, |operand| self.operand(cursor, &operand));
            taken.push((result, value));
        }
        if self.keeps_apart {
            // What is known stays known; the rest gets registers, all at once.
            let (known, rest): (Vec<_>, Vec<_>) =
                taken.into_iter().partition(|(_, value)| value.is_static());
            for (result, value) in self.assign_all(cursor, path, rest) {
                cursor.known.frame.locals.insert(result, value);
            }
            for (result, value) in known {
                cursor.known.frame.locals.insert(result, value);
            }
        } else {
            for (result, value) in self.assign_all(cursor, path, taken) {
                cursor.known.frame.locals.insert(result, value);
            }
        }
    }

    /// Assigns values to registers of their own as if all at once.
    fn assign_all(
        &mut self,
        cursor: &mut Cursor,
        path: PathId,
        values: Vec<(LocalId, Val)>,
    ) -> Vec<(LocalId, Val)> {
        let own: Vec<RegisterId> = values
            .iter()
            .filter_map(|(local, _)| {
                self.registers.get(&RegisterKey::Local(path, *local, 0)).copied()
            })
            .collect();
        let clash = values.len() > 1
            && values.iter().any(|(_, value)| value.mentions(&|register| own.contains(&register)));
        let mut values = values;
        if clash {
            let point = self.point(cursor);
            for (number, (_, value)) in values.iter_mut().enumerate() {
                if let Val::Expr(expr) = value {
                    let key =
                        RegisterKey::Scratch(point, u32::try_from(number).unwrap_or(u32::MAX));
                    let register = self.register(key, || format!("swap{number}"), WORD);
                    let expr = std::mem::replace(expr, Expr::Register(register));
                    self.emit(cursor, Instruction::Assign { register, value: expr });
                }
            }
        }
        values
            .into_iter()
            .map(|(local, value)| (local, self.in_register(cursor, path, local, 0, value)))
            .collect()
    }

    /// A value in the register of a local.
    fn in_register(
        &mut self,
        cursor: &mut Cursor,
        path: PathId,
        local: LocalId,
        component: u32,
        value: Val,
    ) -> Val {
        match value {
            Val::Expr(value) => {
                let name = self.local_name(cursor, local);
                let key = RegisterKey::Local(path, local, component);
                let register = self.register(key, || name, WORD);
                if value != Expr::Register(register) {
                    self.emit(cursor, Instruction::Assign { register, value });
                }
                Val::register(register)
            }
            Val::Aggregate(parts) => {
                let parts = parts.into_iter().zip(0..).map(|(part, at)| {
                    self.in_register(cursor, path, local, component * 16 + at + 1, part)
                });
                Val::Aggregate(parts.collect())
            }
            Val::Private(private, _) if !self.keeps_apart => {
                self.world.escape(private);
                Val::constant(0)
            }
            Val::Private(..) | Val::Undefined | Val::Inexpressible(_) => value,
        }
    }

    pub(crate) fn local_name(&mut self, cursor: &Cursor, local: LocalId) -> String {
        let frame = &cursor.known.frame;
        let info = self.world.info(frame.function);
        if let Some(name) = info.variables.get(&local) {
            return name.clone();
        }
        let name = &self.function(frame.function).locals[local.index()].name;
        format!("%{name}")
    }

    /// Puts values that mention parts of variables into registers of their own, before the parts
    /// change: those that `is_due` is true of and that are still needed.
    pub(crate) fn settle(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        is_due: &dyn Fn(RegisterId) -> bool,
    ) {
        let frame = &cursor.known.frame;
        let (path, block, index) = (frame.path, frame.block, frame.index as usize);
        let due: Vec<(LocalId, Val)> = frame
            .locals
            .iter()
            .filter(|(local, value)| {
                value.mentions(&|register| is_due(register))
                    && info.is_needed_after(**local, block, index)
            })
            .map(|(local, value)| (*local, value.clone()))
            .collect();
        for (local, value) in due {
            let settled = self.in_register(cursor, path, local, 0, value);
            cursor.known.frame.locals.insert(local, settled);
        }
    }

    /// Settles everything that mentions a part of any variable.
    pub(crate) fn settle_all(&mut self, cursor: &mut Cursor, info: &FunctionInfo) {
        let changing = self.changing.clone();
        let is_changing = move |register: RegisterId| changing[register.index()];
        self.settle(cursor, info, &is_changing);
    }

    /// Whether a value mentions a part of a variable, which may change.
    pub(crate) fn may_change(&self, value: &Val) -> bool {
        value.mentions(&|register| self.changing[register.index()])
    }

    #[expect(clippy::unused_self, reason = "as with every other question about a cursor")]
    pub(crate) fn point(&self, cursor: &Cursor) -> Point {
        let frame = &cursor.known.frame;
        Point { path: frame.path, block: frame.block, index: frame.index }
    }

    // Values.

    /// The value of an operand.
    pub(crate) fn operand(&mut self, cursor: &Cursor, operand: &Operand) -> Val {
        let module = cursor.known.frame.function.module;
        match &operand.value {
            Given::Local(local) => {
                cursor.known.frame.locals.get(local).cloned().unwrap_or(Val::Undefined)
            }
            Given::Constant(constant) => {
                let value = self.world.constant(module, operand.ty, constant);
                match constant {
                    // Compilers before LLVM 15 name thread-local variables directly.
                    Constant::Symbol(_) | Constant::Expression(_) => {
                        self.own_copy(&value).unwrap_or(value)
                    }
                    Constant::Integer(_)
                    | Constant::Number(_)
                    | Constant::Null
                    | Constant::NoToken
                    | Constant::Undef
                    | Constant::Poison
                    | Constant::Zero
                    | Constant::Bytes(_)
                    | Constant::Array(_)
                    | Constant::Vector(_)
                    | Constant::Struct(_)
                    | Constant::BlockAddress(..)
                    | Constant::Other(_) => value,
                }
            }
            Given::Block(_) | Given::Asm(_) | Given::Metadata(_) | Given::MetadataText(_) => {
                Val::Undefined
            }
        }
    }

    /// A value as an expression: a private variable whose address is needed gets one.
    pub(crate) fn expr(&mut self, cursor: &Cursor, value: Val) -> Expr {
        match value {
            Val::Expr(expr) => expr,
            Val::Private(private, _) => {
                self.world.escape(private);
                Expr::Const(0)
            }
            Val::Undefined => Expr::Const(0),
            Val::Aggregate(_) => {
                self.error(
                    cursor,
                    "a structure is used as a number",
                    "access its fields one by one",
                );
                Expr::Const(0)
            }
            Val::Inexpressible(what) => {
                self.error(
                    cursor,
                    format!("{what} cannot be expressed"),
                    "values are integers and pointers of at most 64 bits",
                );
                Expr::Const(0)
            }
        }
    }

    /// The operand as an expression.
    pub(crate) fn expr_of(&mut self, cursor: &Cursor, operand: &Operand) -> Expr {
        let value = self.operand(cursor, operand);
        self.expr(cursor, value)
    }

    /// Gives an instruction's result a value; deep expressions get a register.
    pub(crate) fn define(&mut self, cursor: &mut Cursor, result: Option<LocalId>, value: Val) {
        let Some(local) = result else { return };
        let value = match &value {
            Val::Expr(expr) if expr.depth() > DEEP => {
                let path = cursor.known.frame.path;
                self.in_register(cursor, path, local, 0, value)
            }
            Val::Expr(_)
            | Val::Private(..)
            | Val::Aggregate(_)
            | Val::Undefined
            | Val::Inexpressible(_) => value,
        };
        cursor.known.frame.locals.insert(local, value);
    }

    /// The register that receives what an instruction reads from memory.
    pub(crate) fn result_register(
        &mut self,
        cursor: &Cursor,
        local: LocalId,
        component: u32,
        int: IntType,
    ) -> RegisterId {
        let name = self.local_name(cursor, local);
        let key = RegisterKey::Local(cursor.known.frame.path, local, component);
        self.register(key, || name, Domain::Wrapping(int))
    }

    /// The address of an element of an object: each copy of a thread has its own.
    pub(crate) fn own_address(&mut self, object: ObjectId, per_copy: u64) -> Expr {
        let (base, stride) = {
            let object = self.world.objects.get(object);
            (object.base, object.stride)
        };
        match self.registers.get(&RegisterKey::Identity) {
            Some(register) => {
                let step = Value::from(stride * per_copy);
                value::sum(value::times(Expr::Register(*register), step), Expr::Const(base))
            }
            None => Expr::Const(base),
        }
    }

    // Being created and ending.

    /// The address of one of the words of a thread with this number.
    pub(crate) fn thread_word(&mut self, number: Expr, word: u64) -> Expr {
        let object = self.world.threads_object();
        let base = self.world.objects.get(object).base + Value::from(word * 8);
        let stride = self.world.objects.get(object).stride;
        value::sum(value::times(number, Value::from(stride)), Expr::Const(base))
    }

    /// Waits until a word of a thread is 1.
    pub(crate) fn wait_for(&mut self, cursor: &mut Cursor, address: Expr) {
        let update = Update::BlockingReadWrite { expected: Expr::Const(1), new: Expr::Const(1) };
        let access = access(Order::SeqCst, 8);
        self.emit(cursor, Instruction::Update { result: None, address, update, access });
    }

    fn wait_to_be_created(&mut self, cursor: &mut Cursor) {
        let address = self.thread_word(Expr::Const(Value::from(self.spec.number)), 0);
        self.wait_for(cursor, address);
    }

    fn passed_argument(&mut self, cursor: &mut Cursor, position: usize, address: Value) -> Val {
        let address = Expr::Const(address);
        let point = self.point(cursor);
        let position = u32::try_from(position).unwrap_or(0);
        let key = RegisterKey::Scratch(point, 9000 + position);
        let register = self.register(key, || "argument".to_owned(), WORD);
        let access = access(Order::Plain, 8);
        self.emit(cursor, Instruction::Load { register, address, access });
        Val::register(register)
    }

    fn say_ended(&mut self, cursor: &mut Cursor) {
        let address = self.thread_word(Expr::Const(Value::from(self.spec.number)), 1);
        self.locked(cursor, address, FetchOp::Or, 1, 8);
    }

    /// A locked access of the library: nobody can make it weaker.
    pub(crate) fn locked(
        &mut self,
        cursor: &mut Cursor,
        address: Expr,
        op: FetchOp,
        operand: Value,
        bytes: u8,
    ) {
        let update = Update::Fetch { op, operand: Expr::Const(operand) };
        let access = access(Order::SeqCst, bytes);
        self.emit(cursor, Instruction::Update { result: None, address, update, access });
    }

    /// Ends the thread here; what it returns is put down for who joins it.
    pub(crate) fn end(&mut self, mut cursor: Cursor, result: Option<Expr>) {
        // Whoever ends inside of a statement never leaves it.
        cursor.known.frame.place = None;
        if let (Some(value), true) = (result, self.spec.is_created)
            && value != Expr::Const(0)
        {
            let address = self.thread_word(Expr::Const(Value::from(self.spec.number)), 3);
            let access = access(Order::Plain, 8);
            self.emit(&mut cursor, Instruction::Store { address, value, access });
        }
        self.ends.push(cursor);
    }

    /// Waits at a place until what `look` reads satisfies the condition it gives.
    pub(crate) fn wait_until(
        &mut self,
        cursor: &mut Cursor,
        look: impl FnOnce(&mut Self, &mut Cursor) -> Expr,
    ) {
        let span = self.span(&cursor.known.frame);
        let head = self.label(span);
        self.lead(cursor, head);
        cursor.at = head;
        cursor.arrived_by = None;
        let condition = look(self, cursor);
        let back = self.branch(cursor, condition.negated());
        self.lead(&back, head);
        for label in [head, cursor.at] {
            self.builder.labels_mut()[label].waiting = true;
        }
        self.emit(cursor, Instruction::Assume(condition));
    }

    /// Returns from a call, or ends the thread.
    pub(crate) fn return_from(&mut self, cursor: &mut Cursor, value: Option<Val>) -> Flow {
        self.enter_place(cursor, None);
        let frame = &cursor.known.frame;
        let Some(caller) = frame.caller.clone() else {
            if let (Some(result), Some(value)) = (self.spec.result, value.clone()) {
                let (module, ty) = (frame.function.module, self.function(frame.function).result);
                let place = Val::constant(result);
                self.store_value(cursor, module, ty, value, &place, Order::Plain);
                self.end(cursor.clone(), None);
                return Flow::Over;
            }
            let value = value.map(|value| match value {
                Val::Expr(expr) => expr,
                Val::Private(..) | Val::Aggregate(_) | Val::Undefined | Val::Inexpressible(_) => {
                    Expr::Const(0)
                }
            });
            self.end(cursor.clone(), value);
            return Flow::Over;
        };
        match frame.finally.clone() {
            Some(Finally::Step(step)) => self.emit(cursor, step),
            Some(Finally::JoinScope(scope)) => self.join_scope(cursor, scope),
            None => {}
        }
        // The variables of the call are gone.
        let path = cursor.known.frame.path;
        let world = &*self.world;
        cursor.known.slots.retain(|slot, _| match slot {
            Slot::Part(private, _) => world.owner(*private) != path,
            Slot::Counter(_) | Slot::Created(_) | Slot::Scope(_) => true,
        });
        let function = self.function(caller.function);
        let call = &function.blocks[caller.block.index()].instructions[caller.index as usize];
        cursor.known.frame = Frame::clone(&caller);
        if let (Some(result), Some(value)) = (call.result, value) {
            self.define(cursor, Some(result), value);
        }
        if let Operation::Invoke { normal, .. } = &call.operation {
            let info = self.world.info(caller.function);
            self.settle_all(cursor, &info);
            self.jump(cursor, &info, *normal);
        } else {
            cursor.known.frame.index += 1;
        }
        Flow::Moved
    }
}

/// Any 64-bit integer, wrapped.
pub(crate) const WORD: Domain = match IntType::new(64, true) {
    Some(int) => Domain::Wrapping(int),
    None => Domain::Integer,
};

/// An access of so many bytes.
pub(crate) fn access(order: Order, bytes: u8) -> Access {
    Access { order, width: program::AccessWidth::Bytes(bytes), exclusive: false }
}

fn is_phi(function: &Function, block: BlockId, local: LocalId) -> bool {
    function.blocks[block.index()].instructions.iter().any(|instruction| {
        instruction.result == Some(local) && matches!(instruction.operation, Operation::Phi { .. })
    })
}
