//! Values from outside: what a library function returns, what a program is started with.
//!
//! While a thread is translated, such a value is a choice among all values of its range, far too many to
//! try. When the thread is complete, it is seen what becomes of each, by a data-flow analysis over the
//! control-flow automaton: a register may hold the value *itself* (it was copied), or something *computed*
//! from it. Three ways lead on, each without loss:
//!
//! - **Where only comparisons with constants and remainders count, representatives stand for all values.**
//!   Let `c₁ < … < cₖ` be the constants and `m` the least common multiple of the divisors. Two values in the
//!   same open interval between neighbouring constants that leave the same remainder modulo `m` compare
//!   alike and leave the same remainders; so whatever the program does with one it does with the other.
//!   The constants, and the `m` values that follow each, contain one value of every such class.
//! - **A few values are tried one by one**, whatever becomes of them.
//! - **Otherwise the answer is undecided where the value is used**: the step becomes a bound. What is
//!   computed and never used is no use.
//!
//! Text from outside (`argv`, `getenv`) has an address that is compared or handed on; what is read from it
//! counts as computed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::index::Idx;
use program::{
    BinaryOp, Domain, Edge, Expr, Instruction, IntType, RegisterId, UnaryOp, Update, Value,
};

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Source {
    /// In words: ``what `rand` returns``.
    pub(crate) what: Rc<str>,
    pub(crate) kind: Kind,
}

/// What is known of a value from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Each number of its range is possible, whatever happened before.
    Number,
    /// It is the address of memory that the program cannot know, or any address.
    Address,
    /// It is the address of text that was there before the program, or null.
    Text,
    /// It is some number of its range; which ones are possible is not clear.
    Unclear,
}

/// More values than these of one choice are not tried one by one.
const MOST_VALUES: Value = 300;

/// What a register holds, as far as a value from outside is concerned; the last of these that it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Held {
    /// The value.
    Itself,
    /// An address, some way off the one that the value is.
    Moved,
    /// Something else that depends on it.
    Computed,
}

/// How a register or an expression depends on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Holding {
    held: Held,
    /// Whether it does so however one has come here.
    is_certain: bool,
}

impl Holding {
    const ITSELF: Self = Self { held: Held::Itself, is_certain: true };
    const COMPUTED: Self = Self { held: Held::Computed, is_certain: true };

    /// What is known if one of two ways was taken.
    fn or(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(Self {
                held: one.held.max(other.held),
                is_certain: one.is_certain && other.is_certain,
            }),
            (Some(one), None) | (None, Some(one)) => Some(Self { is_certain: false, ..one }),
            (None, None) => None,
        }
    }
}

/// The registers that depend on a value.
type Holders = BTreeMap<RegisterId, Holding>;

/// What becomes of a choice.
pub(crate) enum Fate {
    /// It is left as it is.
    Tried,
    /// One of these values is taken; none if it does not matter which.
    Representatives(Vec<Value>),
    /// There are too many different ones.
    Bound,
}

/// What becomes of the steps of a thread.
pub(crate) struct Settled {
    /// For each choice, by its edge.
    pub(crate) choices: Vec<(usize, Fate)>,
    /// Steps that cannot be made without knowing the value, and where it comes from.
    pub(crate) bounds: Vec<(usize, Source)>,
    /// Steps that read text from outside.
    pub(crate) dropped: Vec<usize>,
}

/// Sees what becomes of the values that these edges choose.
pub(crate) fn settle(
    edges: &[Edge],
    labels: usize,
    domains: &[Domain],
    sources: &[(usize, Source)],
) -> Settled {
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); labels];
    for (number, edge) in edges.iter().enumerate() {
        outgoing[edge.from.index()].push(number);
    }
    let mut groups: BTreeMap<(RegisterId, Source), Vec<usize>> = BTreeMap::new();
    for (edge, source) in sources {
        if let Instruction::Choose { register, .. } = edges[*edge].instruction {
            groups.entry((register, source.clone())).or_default().push(*edge);
        }
    }
    let mut settled = Settled { choices: Vec::new(), bounds: Vec::new(), dropped: Vec::new() };
    for ((_, source), choices) in groups {
        let mut low = Value::MAX;
        let mut high = Value::MIN;
        for edge in &choices {
            if let Instruction::Choose { low: first, high: last, .. } = edges[*edge].instruction {
                (low, high) = (low.min(first), high.max(last));
            }
        }
        let flow =
            Flow { edges, outgoing: &outgoing, domains, choices: &choices, kind: source.kind };
        let holders = flow.holders((low, high));
        let mut seen = Seen::new((low, high));
        let mut uses = Vec::new();
        for (number, edge) in edges.iter().enumerate() {
            let Some(holders) = &holders[edge.from.index()] else { continue };
            match flow.taken(number, holders, &mut seen) {
                Taken::Fine(_) => {}
                Taken::Read(_) => settled.dropped.push(number),
                Taken::Used(_) => uses.push(number),
            }
        }
        let representatives = seen.representatives();
        let fate = if !uses.is_empty() && source.kind == Kind::Number && high - low < MOST_VALUES {
            uses.clear();
            Fate::Tried
        } else if source.kind == Kind::Unclear && seen.counts {
            uses.clear();
            Fate::Bound
        } else if let Some(values) = representatives {
            Fate::Representatives(values)
        } else {
            uses.clear();
            Fate::Bound
        };
        let of = |edge: usize| match &fate {
            Fate::Tried => (edge, Fate::Tried),
            Fate::Representatives(values) => (edge, Fate::Representatives(values.clone())),
            Fate::Bound => (edge, Fate::Bound),
        };
        settled.choices.extend(choices.into_iter().map(of));
        settled.bounds.extend(uses.into_iter().map(|edge| (edge, source.clone())));
    }
    settled
}

/// What of a value counts.
struct Seen {
    range: (Value, Value),
    /// The constants that it is compared with.
    constants: BTreeSet<Value>,
    /// The least common multiple of what it is divided by.
    modulus: Value,
    /// Whether it is looked at at all.
    counts: bool,
    /// Whether a step could fail for one value and not for another.
    may_fail: bool,
}

impl Seen {
    fn new(range: (Value, Value)) -> Self {
        Self { range, constants: BTreeSet::new(), modulus: 1, counts: false, may_fail: false }
    }

    fn compared(&mut self, constant: Value) {
        self.counts = true;
        self.constants.insert(constant);
    }

    fn divided(&mut self, divisor: Value) {
        self.counts = true;
        let (mut left, mut right) = (self.modulus, divisor.abs());
        while right != 0 {
            (left, right) = (right, left % right);
        }
        self.modulus = (self.modulus / left).saturating_mul(divisor.abs());
    }

    /// That it is wrapped to a type which cannot hold all of its range: it is known by how often it was
    /// wrapped, and by itself.
    fn wrapped(&mut self, int: IntType, constants: impl IntoIterator<Item = Value>) -> bool {
        let (low, high) = self.range;
        let step: Value = 1 << int.bits();
        let (first, last) = ((low - int.min()).div_euclid(step), (high - int.min()).div_euclid(step));
        if last - first > 4 {
            return false;
        }
        let constants: Vec<Value> = constants.into_iter().chain([int.min()]).collect();
        for times in first..=last {
            for constant in &constants {
                self.compared(constant + times * step);
            }
        }
        true
    }

    /// One value at least of every class; nothing if these are too many.
    fn representatives(&self) -> Option<Vec<Value>> {
        if !self.counts {
            return Some(Vec::new());
        }
        let (low, high) = self.range;
        let mut values = BTreeSet::new();
        if self.modulus > MOST_VALUES {
            return None;
        }
        for constant in self.constants.iter().chain([&low]) {
            for value in *constant..=constant.saturating_add(self.modulus) {
                if (low..=high).contains(&value) {
                    values.insert(value);
                }
            }
            if Value::try_from(values.len()).is_ok_and(|count| count > MOST_VALUES) {
                return None;
            }
        }
        Some(values.into_iter().collect())
    }
}

/// What a step does with a value, and who holds it afterwards.
enum Taken {
    /// Nothing that representatives would not do.
    Fine(Holders),
    /// It reads text from outside.
    Read(Holders),
    /// Something else.
    Used(Holders),
}

impl Taken {
    fn holders(self) -> Holders {
        match self {
            Self::Fine(holders) | Self::Read(holders) | Self::Used(holders) => holders,
        }
    }
}

struct Flow<'e> {
    edges: &'e [Edge],
    outgoing: &'e [Vec<usize>],
    /// What each register can hold.
    domains: &'e [Domain],
    choices: &'e [usize],
    kind: Kind,
}

impl Flow<'_> {
    /// Who may hold the value, at each label that can be come to from the first.
    fn holders(&self, range: (Value, Value)) -> Vec<Option<Holders>> {
        let mut at: Vec<Option<Holders>> = vec![None; self.outgoing.len()];
        at[0] = Some(Holders::new());
        let mut waiting = vec![0];
        while let Some(label) = waiting.pop() {
            let Some(before) = at[label].clone() else { continue };
            for number in &self.outgoing[label] {
                let to = self.edges[*number].to.index();
                let after = self.taken(*number, &before, &mut Seen::new(range)).holders();
                let both = match &at[to] {
                    None => after,
                    Some(known) => joined(known, &after),
                };
                if at[to].as_ref() != Some(&both) {
                    at[to] = Some(both);
                    waiting.push(to);
                }
            }
        }
        at
    }

    fn taken(&self, number: usize, holders: &Holders, seen: &mut Seen) -> Taken {
        let mut after = holders.clone();
        let mut set = |register: RegisterId, holding: Option<Holding>| {
            match holding {
                Some(holding) => after.insert(register, holding),
                None => after.remove(&register),
            };
        };
        seen.may_fail = false;
        let mut is_used = false;
        match &self.edges[number].instruction {
            Instruction::Assign { register, value } => {
                let holding = held(value, holders, seen);
                // Whatever comes to rest is wrapped.
                let holding = match (holding, self.domains[register.index()]) {
                    (Some(holding), Domain::Wrapping(int)) => cast(int, holding, seen),
                    (holding, Domain::Integer | Domain::Range { .. } | Domain::Wrapping(_)) => {
                        holding
                    }
                };
                set(*register, holding);
            }
            Instruction::Choose { register, .. } => {
                let is_own = self.choices.contains(&number);
                set(*register, is_own.then_some(Holding::ITSELF));
            }
            Instruction::Load { register, address, .. } => {
                let from = held(address, holders, seen);
                let read = from.map(|from| Holding { held: Held::Computed, ..from });
                set(*register, read);
                let is_read = |from: Holding| {
                    self.kind == Kind::Text && from.is_certain && from.held < Held::Computed
                };
                if from.is_some_and(is_read) {
                    return Taken::Read(after);
                }
                is_used = from.is_some();
            }
            Instruction::Store { address, value, .. } => {
                is_used = held(address, holders, seen).is_some()
                    || held(value, holders, seen).is_some();
            }
            Instruction::StoreExclusive { status, address, value, .. } => {
                is_used = held(address, holders, seen).is_some()
                    || held(value, holders, seen).is_some();
                set(*status, None);
            }
            Instruction::Update { result, address, update, .. } => {
                let mut operands = vec![address];
                match update {
                    Update::Exchange(value) | Update::Fetch { operand: value, .. } => {
                        operands.push(value);
                    }
                    Update::CompareAndSwap { expected, new }
                    | Update::BlockingReadWrite { expected, new } => {
                        operands.extend([expected, new]);
                    }
                }
                is_used = operands.into_iter().any(|one| held(one, holders, seen).is_some());
                if let Some(result) = result {
                    set(*result, None);
                }
            }
            Instruction::Assume(condition) | Instruction::Assert(condition) => {
                is_used = is_truth_computed(condition, holders, seen);
            }
            Instruction::Skip
            | Instruction::Fence(_)
            | Instruction::Lock
            | Instruction::Unlock => {}
        }
        if is_used || seen.may_fail { Taken::Used(after) } else { Taken::Fine(after) }
    }
}

/// What is known where two ways meet.
fn joined(one: &Holders, other: &Holders) -> Holders {
    let registers: BTreeSet<&RegisterId> = one.keys().chain(other.keys()).collect();
    let both = registers.into_iter().filter_map(|register| {
        let both = Holding::or(one.get(register).copied(), other.get(register).copied());
        both.map(|both| (*register, both))
    });
    both.collect()
}

/// Whether it depends on more than the class of a value whether an expression is 0.
fn is_truth_computed(expr: &Expr, holders: &Holders, seen: &mut Seen) -> bool {
    match held(expr, holders, seen).map(|holding| holding.held) {
        None => false,
        Some(Held::Itself) => {
            seen.compared(0);
            false
        }
        Some(Held::Moved | Held::Computed) => true,
    }
}

/// What a cast makes of a value.
fn cast(int: IntType, operand: Holding, seen: &mut Seen) -> Option<Holding> {
    match operand.held {
        Held::Itself if fits(int, seen.range) => Some(operand),
        Held::Itself if int.bits() <= 8 => {
            seen.divided(1 << int.bits());
            None
        }
        // Addresses are where they are.
        Held::Moved if int.bits() == 64 => Some(operand),
        Held::Itself | Held::Moved | Held::Computed => {
            Some(Holding { held: Held::Computed, ..operand })
        }
    }
}

/// How an expression depends on a value: not at all (or only by its class), or what it is then.
fn held(expr: &Expr, holders: &Holders, seen: &mut Seen) -> Option<Holding> {
    let computed = |holding: Holding| Holding { held: Held::Computed, ..holding };
    match expr {
        Expr::Const(_) => None,
        Expr::Register(register) => holders.get(register).copied(),
        Expr::Element(_, index) => {
            let index = held(index, holders, seen);
            seen.may_fail |= index.is_some();
            index.map(computed)
        }
        Expr::Unary(UnaryOp::Not, operand) => {
            is_truth_computed(operand, holders, seen).then_some(Holding::COMPUTED)
        }
        Expr::Unary(UnaryOp::Neg | UnaryOp::BitNot, operand) => {
            held(operand, holders, seen).map(computed)
        }
        Expr::Cast(int, operand) => cast(*int, held(operand, holders, seen)?, seen),
        Expr::Select(operands) => {
            let [condition, then, otherwise] = &**operands;
            if is_truth_computed(condition, holders, seen) {
                return Some(Holding::COMPUTED);
            }
            Holding::or(held(then, holders, seen), held(otherwise, holders, seen))
        }
        Expr::Binary(op, left, right) => of_operation(*op, left, right, holders, seen),
    }
}

fn of_operation(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    holders: &Holders,
    seen: &mut Seen,
) -> Option<Holding> {
    match (op, left, right) {
        (
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge,
            value,
            Expr::Const(constant),
        )
        | (
            BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge,
            Expr::Const(constant),
            value,
        ) => match itself(value, holders, seen) {
            Some(Wrap::None) => {
                seen.compared(*constant);
                return None;
            }
            Some(Wrap::To(int)) if seen.wrapped(int, [*constant]) => return None,
            Some(Wrap::To(_)) | None => {}
        },
        (BinaryOp::Rem, value, Expr::Const(divisor)) if *divisor != 0 => {
            match itself(value, holders, seen) {
                Some(Wrap::None) => {
                    // The sign of a remainder is that of the value.
                    seen.compared(0);
                    seen.divided(*divisor);
                    return None;
                }
                Some(Wrap::To(int)) if seen.wrapped(int, [0]) => {
                    seen.divided(*divisor);
                    return None;
                }
                Some(Wrap::To(_)) | None => {}
            }
        }
        (BinaryOp::BitAnd, value, Expr::Const(mask)) if (0..256).contains(mask) => {
            // The low bits are the remainder modulo a power of two, below zero too and however wrapped.
            let is_itself = match itself(value, holders, seen) {
                Some(Wrap::None) => true,
                Some(Wrap::To(int)) => int.bits() >= 8,
                None => false,
            };
            if is_itself {
                let mut power = 1;
                while power <= *mask {
                    power *= 2;
                }
                seen.divided(power);
                return None;
            }
        }
        (BinaryOp::And | BinaryOp::Or, left, right) => {
            let left = is_truth_computed(left, holders, seen);
            let right = is_truth_computed(right, holders, seen);
            return (left || right).then_some(Holding::COMPUTED);
        }
        _ => {}
    }
    let (left, right) = (held(left, holders, seen), held(right, holders, seen));
    // For some operands these have no result.
    seen.may_fail |= right.is_some() && may_fail_by_right(op);
    match (op, left, right) {
        (BinaryOp::Add | BinaryOp::Sub, Some(base), None)
        | (BinaryOp::Add, None, Some(base)) => {
            Some(Holding { held: base.held.max(Held::Moved), ..base })
        }
        (_, Some(_), _) | (_, _, Some(_)) => Some(Holding::COMPUTED),
        (_, None, None) => None,
    }
}

/// Whether an operation can fail, depending on its second operand.
const fn may_fail_by_right(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => true,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Min
        | BinaryOp::Max => false,
    }
}

/// How a value was changed by casts.
enum Wrap {
    /// Not at all.
    None,
    /// It was wrapped to this type.
    To(IntType),
}

/// Whether an expression is the value, or the value wrapped to a type once.
fn itself(expr: &Expr, holders: &Holders, seen: &Seen) -> Option<Wrap> {
    // What is looked at here may be thrown away: only the outermost look counts.
    let range = seen.range;
    let is_itself = |expr: &Expr| {
        let mut other = Seen::new(range);
        let holding = held(expr, holders, &mut other);
        let is_itself = holding.is_some_and(|holding| holding.held == Held::Itself);
        is_itself && !other.counts && !other.may_fail
    };
    if is_itself(expr) {
        return Some(Wrap::None);
    }
    let Expr::Cast(int, operand) = expr else { return None };
    (is_itself(operand) && !fits(*int, range)).then_some(Wrap::To(*int))
}

fn fits(int: IntType, (low, high): (Value, Value)) -> bool {
    int.min() <= low && high <= int.max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Memory;
    use program::index::IndexVec;

    fn itself() -> RegisterId {
        RegisterId::new(0)
    }

    /// An expression over the value, with constants near its range.
    fn random(random: &mut fastrand::Rng, depth: u32) -> Expr {
        let near = |random: &mut fastrand::Rng| Expr::Const(Value::from(random.i32(-70..=70)));
        if depth == 0 || random.u32(0..4) == 0 {
            return if random.u32(0..3) == 0 { near(random) } else { Expr::Register(itself()) };
        }
        let mut inner = || self::tests::random(random, depth - 1);
        let (left, right, third) = (inner(), inner(), inner());
        let ops = [
            BinaryOp::Eq,
            BinaryOp::Ne,
            BinaryOp::Lt,
            BinaryOp::Ge,
            BinaryOp::Rem,
            BinaryOp::BitAnd,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Div,
            BinaryOp::Min,
            BinaryOp::Shl,
        ];
        let int = |bits, signed| IntType::new(bits, signed).expect("a width");
        match random.u32(0..20) {
            0 => Expr::unary(UnaryOp::Not, left),
            1 => Expr::unary(UnaryOp::Neg, left),
            2 => Expr::Cast(int(5, false), Box::new(left)),
            3 => Expr::Cast(int(6, true), Box::new(left)),
            4 => Expr::Cast(int(9, random.bool()), Box::new(left)),
            5 => Expr::Select(Box::new([left, right, third])),
            _ => {
                let constant = near(random);
                let right = if random.u32(0..3) == 0 { right } else { constant };
                Expr::binary(ops[random.usize(0..ops.len())], left, right)
            }
        }
    }

    /// What depends only on the class of a value is the same for the value and for one of those that stand
    /// for it.
    #[test]
    fn representatives_stand_for_all_values() {
        let mut rng = fastrand::Rng::with_seed(18);
        let holders = Holders::from([(itself(), Holding::ITSELF)]);
        let mut fine = 0;
        for _ in 0..20_000 {
            let low = Value::from(rng.i32(-300..=0));
            let range = (low, low + Value::from(rng.i32(0..=600)));
            let exprs: Vec<Expr> = (0..2).map(|_| random(&mut rng, 3)).collect();
            let mut seen = Seen::new(range);
            let is_fine = exprs.iter().all(|expr| held(expr, &holders, &mut seen).is_none());
            if !is_fine || seen.may_fail || !seen.counts {
                continue;
            }
            let Some(values) = seen.representatives() else { continue };
            let results = |value: Value| {
                let registers = IndexVec::from_iter([value]);
                let result = |expr: &Expr| expr.evaluate(&Memory::flat(), &registers);
                exprs.iter().map(result).collect::<Vec<_>>()
            };
            assert!(values.iter().all(|value| (range.0..=range.1).contains(value)));
            let known: Vec<_> = values.iter().map(|value| results(*value)).collect();
            for value in range.0..=range.1 {
                assert!(known.contains(&results(value)), "{value} in {range:?}: {exprs:?}");
            }
            fine += 1;
        }
        assert!(fine > 1_500, "{fine} were tried");
    }
}
