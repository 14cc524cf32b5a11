//! Values from outside: what a library function returns, what a program is started with.
//!
//! While a thread is translated, such a value is a choice among all values of its range, far too many to
//! try. When the thread is complete, it is seen what becomes of each, by a data-flow analysis over the
//! control-flow automaton: a register may hold the value *itself* (it was copied, perhaps with a constant
//! added), or something *computed* from it. Three ways lead on, each without loss:
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
//! counts as computed, and to read it is an error where there is none.

mod held;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use program::index::Idx;
use program::{Domain, Edge, Instruction, RegisterId, Update, Value};

use self::held::{Held, Holders, Holding, Seen, cast, held, is_truth_computed, joined};

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
    /// The same, but whether it can be null where it is used is not known.
    Argument,
    /// It is some number of its range; which ones are possible is not clear.
    Unclear,
}

/// More values than these of one choice are not tried one by one.
const MOST_VALUES: Value = 300;

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
    /// Steps that read text from outside; and if it may not be there, the address that is read then, and where it
    /// comes from.
    pub(crate) dropped: Vec<(usize, Option<(Value, Source)>)>,
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
    let mut groups: BTreeMap<(RegisterId, Source), BTreeSet<usize>> = BTreeMap::new();
    for (edge, source) in sources {
        if let Instruction::Choose { register, .. } = edges[*edge].instruction {
            groups.entry((register, source.clone())).or_default().insert(*edge);
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
                Taken::Read(_, null) => {
                    let null = null.map(|null| (null, source.clone()));
                    settled.dropped.push((number, null));
                }
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

/// What a step does with a value, and who holds it afterwards.
enum Taken {
    /// Nothing that representatives would not do.
    Fine(Holders),
    /// It reads text from outside; if that may not be there, this address is read.
    Read(Holders, Option<Value>),
    /// Something else.
    Used(Holders),
}

impl Taken {
    fn holders(self) -> Holders {
        match self {
            Self::Fine(holders) | Self::Read(holders, _) | Self::Used(holders) => holders,
        }
    }
}

struct Flow<'e> {
    edges: &'e [Edge],
    outgoing: &'e [Vec<usize>],
    /// What each register can hold.
    domains: &'e [Domain],
    choices: &'e BTreeSet<usize>,
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

    /// Whether what is read from an address is text from outside, or nothing.
    fn reads_text(&self, address: Holding, seen: &Seen) -> bool {
        let is_text = match self.kind {
            Kind::Text | Kind::Argument => address.is_certain,
            Kind::Number | Kind::Address | Kind::Unclear => false,
        };
        match address.held {
            Held::Itself => is_text,
            Held::Moved => is_text && !seen.may_be_null(),
            Held::Computed => false,
        }
    }

    fn taken(&self, number: usize, holders: &Holders, seen: &mut Seen) -> Taken {
        seen.may_fail = false;
        // Nothing depends on the value here, which is so at most steps.
        if holders.is_empty() && !self.choices.contains(&number) {
            return Taken::Fine(Holders::new());
        }
        let mut after = holders.clone();
        let mut set = |register: RegisterId, holding: Option<Holding>| {
            match holding {
                Some(holding) => after.insert(register, holding),
                None => after.remove(&register),
            };
        };
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
                let read = from.map(|from| from.weakened(Held::Computed));
                set(*register, read);
                if let Some(from) = from.filter(|from| self.reads_text(*from, seen)) {
                    // Where there is no text, nothing can be read.
                    if !seen.may_be_null() {
                        return Taken::Read(after, None);
                    }
                    seen.compared(0);
                    return Taken::Read(after, Some(from.offset));
                }
                is_used = from.is_some();
            }
            Instruction::Store { address, value, .. } => {
                is_used =
                    held(address, holders, seen).is_some() || held(value, holders, seen).is_some();
            }
            Instruction::StoreExclusive { status, address, value, .. } => {
                is_used =
                    held(address, holders, seen).is_some() || held(value, holders, seen).is_some();
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
            Instruction::Skip | Instruction::Fence(_) | Instruction::Lock | Instruction::Unlock => {
            }
        }
        if is_used || seen.may_fail { Taken::Used(after) } else { Taken::Fine(after) }
    }
}
