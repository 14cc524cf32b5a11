//! Lifetimes: memory that is given back must neither be accessed any more nor given back once more.
//!
//! Every allocated object that a call of `free` may be given has a word for each of its elements, which is 0
//! until the element is given back. Whoever accesses the object looks at the word before that, and whoever
//! gives it back does too, and then writes it.
//!
//! *Mere loads and stores are enough*, under SC and under TSO, although another thread may give the memory
//! back between the look and the access. Take a run in which memory is accessed, or given back, after another
//! thread has given it back. Up to that access nobody depends on the look, so it can be made just before, and
//! just before it the buffer of who gave the memory back can be emptied, for a buffer always can be. Then the
//! look finds it. A store counts as accessing memory when it enters the buffer: had it entered before, and
//! reached memory after the memory was given back, it could as well have entered later, since up to then
//! nobody else has seen it or anything that its thread did after it. Conversely a word is not 0 only
//! after memory was given back. So no error is missed and none is made up, and nothing waits for a buffer
//! that would not on the machine.
//!
//! *Reuse* ([`Lifetimes::Reused`]). An allocator may give out memory again that was given back, of about the
//! same size. As those of Linux and its like do, it keeps what a thread gives back for this thread, whose
//! stores reach memory in their order anyway, or puts it where all get at it, by a locked access. The word then
//! says which: 1 stands for all, other numbers for one thread.

use program::{
    AccessWidth, BinaryOp, Expr, Failure, Instruction, NoInsertion, Order, Span, Update, Value,
};

use super::{Cursor, Scratch, Spot, WORD, Walk, access};
use crate::Lifetimes;
use crate::flow::Touch;
use crate::object::{Object, ObjectId, ObjectKey};
use crate::value::{self, Val};
use crate::world::{Facts, untyped_object};

/// Which pointer of its instruction the one is that is given back; copying knows others.
const GIVEN_BACK: u32 = 4;

/// What the word of memory holds that everybody may be given again.
const FOR_ALL: Value = 1;

/// Sizes up to the same multiple of this are given the same memory.
const CLASS: u64 = 16;

fn is(left: Expr, right: Value) -> Expr {
    value::fold(Expr::binary(BinaryOp::Eq, left, Expr::Const(right)))
}

impl Facts {
    /// Notes which accesses may be of memory that is given back some time.
    pub(crate) fn learn_lifetimes(&mut self, touches: &[Touch]) {
        for touch in touches {
            for object in touch.places.objects().filter(|object| self.freed.contains(object)) {
                self.is_new |= self.mortal.entry(touch.spot).or_default().insert(object);
            }
        }
    }
}

impl Walk<'_, '_, '_> {
    /// Before an access: an error if the memory has been given back.
    pub(crate) fn look_whether_alive(&mut self, cursor: &mut Cursor, address: &Expr, bytes: u32) {
        let spot = Spot::new(self.point(cursor), address, bytes);
        self.look_whether_returned(cursor, address, spot);
        let Some(objects) = self.world.facts.mortal.get(&spot) else { return };
        let objects: Vec<ObjectId> = objects.iter().copied().collect();
        let word = self.word_of(address, &objects);
        self.must_be_alive(cursor, word, Failure::UseAfterFree, Span::NONE);
    }

    pub(crate) fn must_be_alive(
        &mut self,
        cursor: &mut Cursor,
        word: Expr,
        failure: Failure,
        span: Span,
    ) {
        let register = self.scratch(cursor, Scratch::Alive, WORD);
        let look = Instruction::Load { register, address: word, access: relaxed() };
        // A look is no synchronisation of the program's.
        let is_refused = cursor.known.is_refused;
        self.emit_with(cursor, look, span, Err(NoInsertion::InsideExpression));
        cursor.known.is_refused = is_refused;
        self.emit(cursor, failure.unless(is(Expr::Register(register), 0)));
    }

    /// Gives memory back.
    pub(crate) fn free_memory(&mut self, cursor: &mut Cursor, pointer: &Val) {
        if self.world.environment.lifetimes == Lifetimes::Ignored {
            return;
        }
        let pointer = match pointer {
            Val::Expr(Expr::Const(0))
            | Val::Aggregate(_)
            | Val::Undefined
            | Val::Inexpressible(_) => return,
            Val::Expr(pointer) => self.held_apart(cursor, pointer.clone(), Scratch::GivenBack),
            Val::Private(..) => {
                self.emit(cursor, Failure::InvalidFree.unless(Expr::Const(0)));
                return;
            }
        };
        let behind = self.objects_behind(cursor, &Val::Expr(pointer.clone()), GIVEN_BACK);
        let mut allocated = Vec::new();
        let mut others = Vec::new();
        for object in behind {
            match self.world.objects.key(object) {
                ObjectKey::Allocated(..) => allocated.push(object),
                ObjectKey::Global(_) | ObjectKey::ThreadLocal(..) | ObjectKey::Local(..) => {
                    others.push(object);
                }
                ObjectKey::Function(_)
                | ObjectKey::Threads
                | ObjectKey::Process
                | ObjectKey::Tokens
                | ObjectKey::Sleepers
                | ObjectKey::Errno(_)
                | ObjectKey::Environment(_)
                | ObjectKey::Argument(_)
                | ObjectKey::Result(_)
                | ObjectKey::Support(_)
                | ObjectKey::Life(_)
                | ObjectKey::Immortal => {}
            }
        }
        for object in &allocated {
            self.world.facts.is_new |= self.world.facts.freed.insert(*object);
        }
        if let Some(wrong) = self.is_wrong(&pointer, &allocated, &others) {
            self.emit(cursor, Failure::InvalidFree.unless(value::fold(wrong.negated())));
        }
        if allocated.is_empty() {
            return;
        }
        // Nothing happens to what is null, or nobody knows.
        let is_inside = value::fold(self.is_inside(&pointer, &allocated));
        let outside = match is_inside {
            Expr::Const(0) => return,
            Expr::Const(_) => None,
            Expr::Register(_)
            | Expr::Element(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => {
                let outside = self.branch(cursor, is_inside.negated());
                self.emit(cursor, Instruction::Assume(is_inside));
                Some(outside)
            }
        };
        let word = self.word_of(&pointer, &allocated);
        let span = self.span(&cursor.known.frame);
        self.must_be_alive(cursor, word.clone(), Failure::DoubleFree, span);
        self.write_given_back(cursor, word);
        if let Some(outside) = outside {
            self.meet(cursor, &outside);
        }
    }

    fn write_given_back(&mut self, cursor: &mut Cursor, word: Expr) {
        let own = match self.world.environment.lifetimes {
            Lifetimes::Ignored | Lifetimes::Checked => Expr::Const(FOR_ALL),
            Lifetimes::Reused => self.own_mark(),
        };
        cursor.arrived_by = None;
        let mut for_all = cursor.clone();
        let keep = Instruction::Store { address: word.clone(), value: own, access: relaxed() };
        self.emit(cursor, keep);
        match self.world.environment.lifetimes {
            Lifetimes::Ignored | Lifetimes::Checked => {}
            Lifetimes::Reused => {
                let update = Update::Exchange(Expr::Const(FOR_ALL));
                let access = access(Order::SeqCst, 8);
                let share = Instruction::Update { result: None, address: word, update, access };
                self.emit(&mut for_all, share);
                self.meet(cursor, &for_all);
            }
        }
    }

    /// Ways to be given memory of this size again that was given back: each ends with its address.
    pub(crate) fn given_again(&mut self, cursor: &mut Cursor, bytes: u64) -> Vec<(Cursor, Val)> {
        match self.world.environment.lifetimes {
            Lifetimes::Ignored | Lifetimes::Checked => return Vec::new(),
            Lifetimes::Reused => {}
        }
        let class = |size: u64| size.max(1).div_ceil(CLASS);
        let freed = self.world.facts.freed.iter().copied();
        let alike = freed.filter(|id| class(self.world.objects.get(*id).size) == class(bytes));
        let alike: Vec<ObjectId> = alike.collect();
        let mut ways = Vec::new();
        for id in alike {
            let life = self.life_of(id);
            let word = self.world.objects.get(life).base;
            let Object { base, stride, elements, .. } = *self.world.objects.get(id);
            cursor.arrived_by = None;
            let mut way = cursor.clone();
            let mut number = Expr::Const(0);
            if elements > 1 {
                let register = self.scratch(&way, Scratch::GivenAgain, WORD);
                let high = Value::from(elements) - 1;
                self.emit(&mut way, Instruction::Choose { register, low: 0, high });
                number = Expr::Register(register);
            }
            let word = value::sum(value::times(number.clone(), 8), Expr::Const(word));
            let other = self.take_back(&mut way, &word);
            let address = value::sum(value::times(number, stride.into()), Expr::Const(base));
            let address = self.held_apart(&mut way, address, Scratch::Allocated);
            ways.push((way, Val::Expr(address)));
            // Nobody waits for memory: who finds none looks elsewhere.
            self.meet(cursor, &other);
        }
        ways
    }

    /// Takes memory that the thread itself gave back, or that is there for all; returns where the thread goes on
    /// that finds neither.
    fn take_back(&mut self, cursor: &mut Cursor, word: &Expr) -> Cursor {
        let own = self.own_mark();
        cursor.arrived_by = None;
        let mut for_all = cursor.clone();
        let register = self.scratch(cursor, Scratch::Alive, WORD);
        let look = Instruction::Load { register, address: word.clone(), access: relaxed() };
        self.emit(cursor, look);
        let is_own = Expr::binary(BinaryOp::Eq, Expr::Register(register), own);
        let other = self.branch(cursor, is_own.clone().negated());
        self.emit(cursor, Instruction::Assume(is_own));
        let (address, value) = (word.clone(), Expr::Const(0));
        self.emit(cursor, Instruction::Store { address, value, access: relaxed() });
        let (expected, new) = (Expr::Const(FOR_ALL), Expr::Const(0));
        let update = Update::BlockingReadWrite { expected, new };
        let access = access(Order::SeqCst, 8);
        let take = Instruction::Update { result: None, address: word.clone(), update, access };
        self.emit(&mut for_all, take);
        self.meet(cursor, &for_all);
        other
    }

    /// What the word of memory holds that only this thread may be given again.
    fn own_mark(&self) -> Expr {
        let number = Expr::Const(FOR_ALL + Value::from(self.spec.number));
        match self.own_copy_number() {
            Some(copy) => value::sum(value::times(copy, 1 << 16), number),
            None => number,
        }
    }

    /// Whether a pointer is one that nobody may give back: into an allocated object and not at its beginning,
    /// or to a variable.
    fn is_wrong(
        &self,
        pointer: &Expr,
        allocated: &[ObjectId],
        others: &[ObjectId],
    ) -> Option<Expr> {
        let inner = allocated.iter().map(|id| {
            let Object { base, stride, .. } = *self.world.objects.get(*id);
            let offset = Expr::binary(BinaryOp::Sub, pointer.clone(), Expr::Const(base));
            let rest = Expr::binary(BinaryOp::Rem, offset, Expr::Const(stride.into()));
            let is_inner = Expr::binary(BinaryOp::Ne, rest, Expr::Const(0));
            Expr::binary(BinaryOp::And, self.is_inside(pointer, &[*id]), is_inner)
        });
        let variables = (!others.is_empty()).then(|| self.is_inside(pointer, others));
        let any = |left, right| Expr::binary(BinaryOp::Or, left, right);
        inner.chain(variables).reduce(any).map(value::fold)
    }

    /// The address of the word for an address in one of some objects; of one that is always 0 for others.
    pub(crate) fn word_of(&mut self, address: &Expr, objects: &[ObjectId]) -> Expr {
        let immortal = || untyped_object("never freed", 8);
        let immortal = self.world.objects.intern(ObjectKey::Immortal, immortal);
        let mut word = Expr::Const(self.world.objects.get(immortal).base);
        for id in objects.iter().rev() {
            let life = self.life_of(*id);
            let own = self.world.objects.get(life).base;
            let Object { base, stride, elements, .. } = *self.world.objects.get(*id);
            let mut there = Expr::Const(own);
            if elements > 1 {
                let offset = Expr::binary(BinaryOp::Sub, address.clone(), Expr::Const(base));
                let number = Expr::binary(BinaryOp::Div, offset, Expr::Const(stride.into()));
                there = value::sum(value::times(value::fold(number), 8), there);
            }
            word = match value::fold(self.is_inside(address, &[*id])) {
                Expr::Const(0) => word,
                Expr::Const(_) => there,
                is_inside @ (Expr::Register(_)
                | Expr::Element(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(_)
                | Expr::Cast(..)) => Expr::Select(Box::new([is_inside, there, word])),
            };
        }
        word
    }

    /// The words of an object.
    pub(super) fn life_of(&mut self, id: ObjectId) -> ObjectId {
        let (name, elements) = {
            let object = self.world.objects.get(id);
            let what = match self.world.objects.key(id) {
                ObjectKey::Local(..) | ObjectKey::ThreadLocal(..) => "returned",
                ObjectKey::Allocated(..)
                | ObjectKey::Global(_)
                | ObjectKey::Function(_)
                | ObjectKey::Threads
                | ObjectKey::Process
                | ObjectKey::Tokens
                | ObjectKey::Sleepers
                | ObjectKey::Errno(_)
                | ObjectKey::Environment(_)
                | ObjectKey::Argument(_)
                | ObjectKey::Result(_)
                | ObjectKey::Support(_)
                | ObjectKey::Life(_)
                | ObjectKey::Immortal => "freed",
            };
            (format!("{what}({})", object.name), object.elements)
        };
        let new = || Object { stride: 8, elements, ..untyped_object(&name, 8) };
        self.world.objects.intern(ObjectKey::Life(id), new)
    }
}

fn relaxed() -> program::Access {
    program::Access { width: AccessWidth::Bytes(8), ..program::Access::with_order(Order::Relaxed) }
}
