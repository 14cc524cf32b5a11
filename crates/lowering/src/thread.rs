//! One thread: its control flow with all calls in it.
//!
//! A thread is walked from its entry. What is known at translation time (constants, addresses of
//! private variables) is carried along and kept apart, so that loops with known bounds are unrolled and
//! calls through known pointers are direct; everything else becomes a register. Two ways that meet with
//! the same knowledge go on together. A thread that has too much to keep apart is walked again
//! without ([`ATTEMPTS`]): then only what is the same on all ways counts as known.

mod amount;
mod caller;
mod choices;
mod constants;
mod emit;
mod guard;
mod life;
mod lifetime;
mod operation;
mod refusal;
mod returned;
mod unwritten;
mod values;
mod waiting;

pub(crate) use self::amount::NOT_AN_ARGUMENT;
pub(crate) use self::caller::Caller;
pub(crate) use self::guard::Spot;
pub(crate) use self::returned::calls;
pub(crate) use self::unwritten::{FRESH, fresh, may_be_read_unwritten};
pub(crate) use self::waiting::{Awaited, Change, HAPPENED};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use llvm::{BlockId, Function, LocalId, Operation};
use program::index::Idx;
use program::{
    Access, Boundary, Count, Diagnostic, Domain, Edge, Expr, Identity, Instruction, IntType,
    LabelId, Order, RegisterId, Span, Template, TemplateBuilder, Value,
};

use crate::function::FunctionInfo;
use crate::library;
use crate::outside::Source;
use crate::path::{PathId, Point};
use crate::value::{PrivateId, Val};
use crate::world::{Argument, ThreadSpec, World};
use linkage::Item;
use linkage::Place;

/// What a register stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RegisterKey {
    /// A value of one call, or a part of it.
    Local(PathId, LocalId, u32),
    /// A part of a private variable.
    Part(PrivateId, i64),
    /// How often something was allocated.
    Counter(Point),
    /// A value that only the translation needs.
    Scratch(Point, Scratch),
    /// The number of the copy.
    Identity,
    /// Where it is written down that a bound was reached.
    Limit(Limit),
}

/// What a value is for that only the translation of one instruction needs. Each has a register of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scratch {
    /// What is read although no local receives it: the first such value, the second, …
    Read(u32),
    /// What an update finds although no local receives it.
    Found,
    /// What an update of a private variable finds: its parts are then written one by one.
    Old,
    /// Whether a compare-and-swap of a private variable found what it expected.
    Success,
    /// A value that must not change with the variables that the instruction writes.
    Held,
    /// An argument of a call, which must not change while the callee runs.
    Argument(u32),
    /// What a history tells of a call or a return.
    Told(u32),
    /// An argument that the creator of the thread put down.
    Passed(u32),
    /// The address of what is allocated.
    Allocated,
    /// The value of a `phi` while several are taken at once.
    Swapped(usize),
    /// A piece of memory that is copied.
    Piece(u32),
    /// A register that assembly is given, and a value that it computes.
    AssemblyOperand(u32),
    AssemblyValue(u32),
    /// What a busy wait looks at.
    Seen,
    /// How two stretches of memory compare.
    Compared,
    /// A number whose ones are spread, step by step.
    Smeared(u32),
    /// A word of a number of 128 bits that must not change while both are accessed.
    Wide(u32),
    /// Whether memory was given back, and where that is written down.
    Alive,
    GivenBack,
    /// Which of several objects is given out again.
    GivenAgain,
    /// What comes from outside: what is written into variables that are given away, one by one.
    Outside(u32),
    /// What somebody outside is shown, as by printing it: an argument, or what is returned.
    Shown(u32),
}

impl Scratch {
    /// What its register is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Read(_) => "read",
            Self::Found | Self::Old => "old",
            Self::Success => "success",
            Self::Held => "held",
            Self::Argument(_) | Self::Passed(_) => "argument",
            Self::Allocated => "allocated",
            Self::Swapped(_) => "swapped",
            Self::Piece(_) => "piece",
            Self::AssemblyOperand(_) => "operand",
            Self::AssemblyValue(_) => "value",
            Self::Seen => "seen",
            Self::Compared => "compared",
            Self::Smeared(_) => "spread",
            Self::Wide(_) => "word",
            Self::Alive => "freed",
            Self::GivenBack => "given_back",
            Self::GivenAgain => "given_again",
            Self::Outside(_) => "outside",
            Self::Shown(_) => "%shown",
            Self::Told(_) => "told",
        }
    }
}

/// A bound of the translation. What lies beyond it is undecided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Limit {
    /// Of recursion.
    Recursion,
    /// Of allocations at one place.
    Allocations,
    /// Of amounts of memory at one place that are not known beforehand.
    Amount,
    /// Of threads created at one place, and of all threads.
    Threads,
    /// A thread that is known at translation time is created again.
    SameThread,
    /// An access that may hit a part of a cell does.
    PartOfCell,
    /// What a function does that has no body here.
    NoBody(Item),
    /// A value from outside is used, in words.
    Outside(Rc<str>),
    /// A function, in words, writes where nobody knows.
    WritesSomewhere(Rc<str>),
    /// A value is used that nobody wrote.
    Unwritten,
    /// A panic is caught, or somebody goes on who joins its thread.
    Caught,
    /// A thread cannot be created.
    NoThread,
}

impl Limit {
    fn name(&self, world: &World<'_, '_>) -> String {
        let bounds = world.environment.bounds;
        match self {
            Self::Recursion => format!("recursion deeper than {}", bounds.recursion),
            Self::Allocations => {
                format!("a place that allocates more than {} times", bounds.allocations)
            }
            Self::Amount => format!(
                "an amount of memory beyond the {} that are tried at one place",
                bounds.amounts
            ),
            Self::Threads => {
                let (here, all) = (bounds.threads, bounds.all_threads());
                format!("a place that creates more than {here} threads, or more than {all} in all")
            }
            Self::SameThread => "a thread that is created again at the same place".to_owned(),
            Self::PartOfCell => "an access to a part of a cell".to_owned(),
            Self::NoBody(item) => {
                let name = library::readable(world.linked.name(*item));
                format!("a call of `{name}`, whose body is not known")
            }
            Self::Outside(what) => format!("a step that depends on {what}"),
            Self::WritesSomewhere(name) => {
                format!("a call of `{name}`, which writes through a pointer that is not known")
            }
            Self::Unwritten => "a use of memory that nobody has written".to_owned(),
            Self::Caught => "a panic after which the program goes on".to_owned(),
            Self::NoThread => "a thread that cannot be created".to_owned(),
        }
    }
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
    /// Whether this thread has joined or detached the one with this number.
    Joined(Value),
    /// Whether a function may have left anything in `errno`.
    Errno,
    /// What is called when the thread ends: functions and what they are given, the last one first.
    Destructors,
}

/// What happens when a call returns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum OnReturn {
    /// A step.
    Step(Instruction),
    /// All threads of a scope are joined.
    JoinScope(Value),
    /// What was called by who had a result of its own: what it returns is nobody's.
    Forget,
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
    pub(crate) caller: Option<Caller>,
    /// What happens when the call returns, before its caller goes on.
    pub(crate) finally: Option<OnReturn>,
    pub(crate) depth: u32,
}

/// All that is known at a place of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Known {
    pub(crate) frame: Frame,
    pub(crate) slots: BTreeMap<Slot, Val>,
    /// Which of the functions is under way that the thread runs one after another.
    pub(crate) stage: usize,
    /// Whether the thread was refused memory or a thread, and has not synchronised since.
    pub(crate) is_refused: bool,
}

/// Where the translation stands.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    pub(crate) known: Known,
    pub(crate) at: LabelId,
    /// The edge that led here, if it alone does and it may still lead elsewhere.
    pub(crate) arrived_by: Option<usize>,
    /// Whether the way ends here, whatever else is said of it.
    is_over: bool,
}

/// How a thread ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// It is done, and says so to who joins it.
    ByItself,
    /// It ends the process: by `exit`, or because it is `main` and returns.
    OfTheProcess,
    /// It waited when somebody else ended the process.
    WithTheProcess,
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

/// Why memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The program wants these bytes, which so form a cell.
    Access,
    /// Cells are copied, as others say.
    Copy,
    /// Cells are filled that others know.
    Fill,
}

/// Where an edge comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) point: Point,
    pub(crate) purpose: Purpose,
    /// The function of somebody else that accesses memory there, if its text is not the author's.
    pub(crate) owner: Option<Item>,
}

/// A thread while it is translated.
pub(crate) struct Walk<'w, 'm, 't> {
    pub(crate) world: &'w mut World<'m, 't>,
    pub(crate) spec: ThreadSpec,
    pub(crate) splits_constants: bool,
    /// How many steps are too many.
    most: usize,
    builder: TemplateBuilder,
    /// The labels where operations are called and return.
    boundaries: BTreeMap<LabelId, Boundary>,
    edges: Vec<Edge>,
    origins: Vec<Origin>,
    registers: HashMap<RegisterKey, RegisterId>,
    /// The names of registers, and how many were to be called like each.
    names: HashMap<String, u32>,
    /// The edges that let created threads begin, by the numbers of these.
    started: Vec<(u32, usize)>,
    /// The edges that choose values from outside, and where these come from.
    outside: Vec<(usize, Source)>,
    /// Registers that hold parts of variables: they change under values that mention them.
    changing: Vec<bool>,
    /// In boxes, so that the table that grows is small: limits on memory are looked at between two steps.
    joined: HashMap<Box<Known>, LabelId>,
    waiting: Vec<Cursor>,
    ends: Vec<(Cursor, Ending)>,
    /// Registers that may hold what nobody has written, and are looked at where they are used.
    suspects: BTreeSet<RegisterId>,
    /// The edges on which the system refuses something, and which function fails then.
    refusals: Vec<(usize, String)>,
    /// Where the thread has run out of memory.
    run_outs: Vec<Cursor>,
    purpose: Purpose,
    /// Accesses through pointers, by the point of the instruction: for what they point to.
    pub(crate) pointers: Vec<((Point, u32), Expr)>,
    /// Amounts of memory that must be known and are not.
    counted: Vec<((Point, u32), Expr)>,
    /// Offsets within arrays, and how many elements these have, if that is known of all of them.
    indexed: HashMap<Expr, Option<u64>>,
}

/// A translated thread.
pub(crate) struct Walked {
    pub(crate) template: Template,
    /// Pointers whose targets the next translation wants to know.
    pub(crate) pointers: Vec<((Point, u32), Expr)>,
    /// Amounts of memory that the next translation wants to know.
    pub(crate) counted: Vec<((Point, u32), Expr)>,
    /// Where each edge of the template comes from.
    pub(crate) origins: Vec<Origin>,
    /// Offsets within arrays, and how many elements these have, if that is known of all of them.
    pub(crate) indexed: HashMap<Expr, Option<u64>>,
}

/// How a thread is translated.
#[derive(Clone, Copy, Debug)]
struct Attempt {
    /// Whether ways with different constants are kept apart.
    splits_constants: bool,
    /// More steps than these are too many.
    most: usize,
}

/// The ways to translate a thread, by how often it has been tried, each where those before it made too much of it. Without constants loops are not
/// unrolled, but nothing that constants exclude is left out either: either way can be the shorter one.
const ATTEMPTS: [Attempt; 4] = [
    Attempt { splits_constants: true, most: 20_000 },
    Attempt { splits_constants: false, most: 60_000 },
    Attempt { splits_constants: true, most: 200_000 },
    Attempt { splits_constants: false, most: 400_000 },
];
/// Deeper expressions get a register.
const DEEP: usize = 12;

/// Translates a thread; nothing if it must be tried again with what was learnt.
pub(crate) fn walk(world: &mut World<'_, '_>, spec: ThreadSpec) -> Option<Walked> {
    let info = world.info(spec.entry);
    let entry = info.position(BlockId(0), 0).span;
    let tried = world.facts.attempts.get(&spec.number).copied().unwrap_or(0);
    let Attempt { splits_constants, most } = ATTEMPTS[tried];
    let mut walk = Walk {
        builder: TemplateBuilder::new(&spec.name, entry),
        world,
        splits_constants,
        most,
        boundaries: BTreeMap::new(),
        edges: Vec::new(),
        origins: Vec::new(),
        registers: HashMap::new(),
        names: HashMap::new(),
        started: Vec::new(),
        outside: Vec::new(),
        changing: Vec::new(),
        joined: HashMap::new(),
        waiting: Vec::new(),
        ends: Vec::new(),
        suspects: BTreeSet::new(),
        refusals: Vec::new(),
        run_outs: Vec::new(),
        purpose: Purpose::Access,
        pointers: Vec::new(),
        counted: Vec::new(),
        indexed: HashMap::new(),
        spec,
    };
    walk.begin();
    while let Some(cursor) = walk.waiting.pop() {
        walk.follow(cursor);
        if (walk.world.is_over)() {
            return None;
        }
        if walk.is_too_large() {
            if tried + 1 < ATTEMPTS.len() {
                walk.world.facts.try_otherwise(walk.spec.number, tried + 1);
            } else {
                let message = format!("thread `{}` is too large", walk.spec.name);
                walk.world.error(
                    Diagnostic::new(entry, message)
                        .help("it has more than 400,000 steps after all calls are inlined"),
                );
            }
            return None;
        }
    }
    Some(walk.finish())
}

impl<'m> Walk<'_, 'm, '_> {
    fn begin(&mut self) {
        if self.spec.copies > 1 {
            self.builder.count(Count::Exactly(self.spec.copies));
            let register =
                self.register(RegisterKey::Identity, || "copy".to_owned(), Domain::Integer);
            let first = self.first_identity();
            self.builder.identity(Identity { register, first });
        }
        let path = self.world.paths.thread(self.spec.number);
        let at = self.label(Span::NONE);
        let frame = Self::new_frame(path, self.spec.entry, None);
        let known = Known { frame, slots: BTreeMap::new(), stage: 0, is_refused: false };
        let mut cursor = Cursor { known, at, arrived_by: None, is_over: false };
        if self.spec.is_created {
            self.wait_to_be_created(&mut cursor);
        }
        self.begin_stage(&mut cursor, 0);
        self.waiting.push(cursor);
    }

    /// Gives the entry of the thread its arguments.
    pub(crate) fn take_arguments(&mut self, cursor: &mut Cursor) {
        let function = self.function(self.spec.entry);
        for position in 0..function.parameters.len() {
            let argument = self.spec.arguments.get(position).cloned();
            let given = match argument {
                Some(Argument::Constant(value)) => Val::constant(value),
                Some(Argument::Known(value)) => value,
                Some(Argument::Identity) => Val::Expr(self.own_identity()),
                Some(Argument::Passed(address)) => self.passed_argument(cursor, position, address),
                Some(Argument::Outside(given)) => self.given_from_outside(cursor, position, given),
                None => Val::constant(0),
            };
            cursor.known.frame.locals.insert(LocalId::new(position), given);
        }
        let given: Vec<Val> = cursor.known.frame.locals.values().cloned().collect();
        self.operation_called(cursor, self.spec.entry, &given);
    }

    fn finish(mut self) -> Walked {
        let last = self.label(Span::NONE);
        for (mut cursor, ending) in std::mem::take(&mut self.ends) {
            self.end_as(&mut cursor, ending);
            self.lead(&cursor, last);
        }
        self.settle_refusals();
        self.learn_what_is_created();
        self.settle_choices();
        let initial = self.drop_unreached();
        let mut edges: Vec<(Edge, Origin)> = self.edges.into_iter().zip(self.origins).collect();
        // The order that edges of a template have.
        edges.sort_by_key(|(edge, _)| edge.from);
        let mut origins = Vec::with_capacity(edges.len());
        for (edge, origin) in edges {
            self.builder.edge(edge);
            origins.push(origin);
        }
        if self.world.environment.spinning_is_waiting && self.builder.wait_in_loops_without_effect()
        {
            let waiting = &mut self.world.facts.waiting;
            self.world.facts.is_new |= waiting.insert(self.spec.number);
        }
        let template = self.builder.build(initial);
        let (pointers, counted, indexed) = (self.pointers, self.counted, self.indexed);
        Walked { template, pointers, counted, origins, indexed }
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
        for (label, boundary) in std::mem::take(&mut self.boundaries) {
            self.builder.boundary(renamed(label), boundary);
        }
        renamed(LabelId::new(0))
    }

    pub(crate) fn function(&self, item: Item) -> &'m Function {
        self.world.linked.function(item).expect("a function is translated")
    }

    pub(crate) fn new_frame(path: PathId, function: Item, caller: Option<Caller>) -> Frame {
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

    /// Notes offsets within arrays. The same offset may be used in several: the longest counts, and one whose
    /// length is not known is longer than all others.
    pub(crate) fn note_indexed(&mut self, indexed: Vec<(Expr, Option<u64>)>) {
        for (offset, length) in indexed {
            let known = self.indexed.entry(offset).or_insert(length);
            *known = known.zip(length).map(|(known, length)| known.max(length));
        }
    }

    /// A loop that only counts has no labels, but comes to the same place again and again.
    fn is_too_large(&self) -> bool {
        self.builder.labels().len().max(self.joined.len()) > self.most
    }

    fn follow(&mut self, mut cursor: Cursor) {
        if cursor.is_over {
            return;
        }
        let Some(mut info) = self.arrive(&mut cursor) else { return };
        // One way alone may go on for ever: a loop whose counter is known and whose end is not.
        while !self.is_too_large() && !(self.world.is_over)() {
            let frame = &cursor.known.frame;
            let function = self.function(frame.function);
            let block = &function.blocks[frame.block.index()];
            let Some(instruction) = block.instructions.get(frame.index as usize) else { return };
            self.come_to(&mut cursor, &info);
            if self.uses_unwritten(&mut cursor, &instruction.operation).is_some() {
                return;
            }
            let flow = self.step(&mut cursor, &info, instruction);
            if cursor.is_over {
                return;
            }
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
        self.joined.insert(Box::new(cursor.known.clone()), cursor.at);
        cursor.arrived_by = None;
        Some(info)
    }

    /// Notes which statement is under way; where one is left, a fence could stand.
    fn come_to(&mut self, cursor: &mut Cursor, info: &FunctionInfo) {
        let frame = &cursor.known.frame;
        let (block, index) = (frame.block, frame.index);
        self.arrive_at(cursor, info, (block, index));
    }

    /// Notes which statement is under way at an instruction.
    fn arrive_at(
        &mut self,
        cursor: &mut Cursor,
        info: &FunctionInfo,
        (block, index): (BlockId, u32),
    ) {
        let left = cursor.known.frame.place;
        let place = info.place(left, block, index as usize);
        if left.is_some_and(|left| !info.is_passed(left, block, index)) {
            cursor.known.frame.place = place;
        }
        self.enter_place(cursor, place);
    }

    fn enter_place(&mut self, cursor: &mut Cursor, place: Option<Place>) {
        let left = cursor.known.frame.place;
        if left == place {
            return;
        }
        if let Some(Place { point, span, .. }) = left {
            self.emit_with(cursor, Instruction::Skip, span, Ok(point));
        }
        cursor.known.frame.place = place;
    }

    /// Goes to the beginning of a block.
    pub(crate) fn jump(&mut self, cursor: &mut Cursor, info: &FunctionInfo, target: BlockId) {
        let from = cursor.known.frame.block;
        let function = self.function(cursor.known.frame.function);
        self.arrive_at(cursor, info, (target, 0));
        self.take_phis(cursor, function, from, target);
        let frame = &mut cursor.known.frame;
        frame.locals.retain(|local, _| {
            info.live_in[target.index()].contains(local) || is_phi(function, target, *local)
        });
        frame.block = target;
        frame.index = 0;
    }

    #[expect(clippy::unused_self, reason = "as with every other question about a cursor")]
    pub(crate) fn point(&self, cursor: &Cursor) -> Point {
        let frame = &cursor.known.frame;
        Point { path: frame.path, block: frame.block, index: frame.index }
    }
}

/// Any 64-bit integer, wrapped.
pub(crate) const WORD: Domain = match IntType::new(64, true) {
    Some(int) => Domain::Wrapping(int),
    None => Domain::Integer,
};

/// An access of so many bytes.
pub(crate) fn access(order: Order, bytes: u8) -> Access {
    Access { width: program::AccessWidth::Bytes(bytes), ..Access::with_order(order) }
}

fn is_phi(function: &Function, block: BlockId, local: LocalId) -> bool {
    function.blocks[block.index()].instructions.iter().any(|instruction| {
        instruction.result == Some(local) && matches!(instruction.operation, Operation::Phi { .. })
    })
}
