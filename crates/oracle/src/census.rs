//! What is in the programs that a test compares: so that a generator that no longer makes something
//! fails the test that relies on it.

use std::collections::BTreeMap;

use program::{
    Count, Domain, FenceKind, FetchOp, Instruction, LabelId, Program, Quantifier, Template, Update,
    index::Idx,
};

/// Something that a program has, or that is true of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Control can come back to where it was.
    Loop,
    /// A thread never ends, wherever it goes.
    NoEnd,
    /// Copies of a thread that know who they are.
    CopiesWithIdentities,
    /// Copies of a thread that do not.
    EqualCopies,
    /// An `await`.
    Await,
    /// A locked section.
    Section,
    /// An exclusive access.
    Exclusive,
    /// A register with a declared range.
    RangedRegister,
    /// A register with a declared width.
    WrappingRegister,
    /// A location with a declared range.
    RangedCell,
    /// A location with a declared width.
    WrappingCell,
    /// A fence of this kind.
    Fence(FenceKind),
    /// A fetch-and-op with this operation.
    Fetch(FetchOp),
    /// An exchange.
    Exchange,
    /// A compare-and-swap.
    CompareAndSwap,
    /// A blocking atomic read-write.
    BlockingReadWrite,
    /// A question with this quantifier.
    Asks(Quantifier),
    /// A question about some of the final states only.
    Filter,
    /// The answer to a question that makes a claim (`never`, `always`) is yes.
    ClaimHolds,
    /// It is no.
    ClaimBroken,
    /// It is yes under SC and no under TSO.
    ClaimBrokenByTsoOnly,
    /// A value leaves its declared range.
    OutOfRange,
    /// Another fault is reachable.
    OtherFault,
    /// A fault is reachable under TSO and none under SC.
    FaultOfTsoOnly,
    /// A deadlock is reachable under SC.
    Deadlock,
    /// One is reachable under TSO and none under SC.
    DeadlockOfTsoOnly,
    /// There are more states under TSO than were enumerated, and not under SC.
    GrowingBuffers,
}

/// How many programs have what.
#[derive(Clone, Debug, Default)]
pub struct Census {
    counts: BTreeMap<Feature, usize>,
    programs: usize,
}

impl Census {
    /// Counts a program, with what its text shows.
    pub fn count(&mut self, program: &Program) {
        self.programs += 1;
        for (feature, is_there) in shown(program) {
            self.note(feature, is_there);
        }
    }

    /// Counts something that was found out about a program.
    pub fn note(&mut self, feature: Feature, is_there: bool) {
        *self.counts.entry(feature).or_default() += usize::from(is_there);
    }

    /// Fails unless as many programs were counted, and as many of them had each of these features.
    #[track_caller]
    pub fn assert_at_least(&self, programs: usize, floors: &[(Feature, usize)]) {
        let count = |feature| self.counts.get(feature).copied().unwrap_or(0);
        let few = floors.iter().any(|(feature, least)| count(feature) < *least);
        assert!(self.programs >= programs && !few, "there are too few of some: {self:#?}");
    }
}

/// What the text of a program shows.
fn shown(program: &Program) -> Vec<(Feature, bool)> {
    let templates = program.templates();
    let any = |test: &dyn Fn(&Template) -> bool| templates.iter().any(test);
    let does = |test: &dyn Fn(&Instruction) -> bool| {
        any(&|template| template.edges().iter().any(|edge| test(&edge.instruction)))
    };
    let updates = |test: &dyn Fn(&Update) -> bool| {
        does(&|one| matches!(one, Instruction::Update { update, .. } if test(update)))
    };
    let copies = |template: &Template| template.count() != Count::Exactly(1);
    let register = |test: fn(&Domain) -> bool| {
        any(&|template| template.registers().iter().any(|register| test(&register.domain)))
    };
    let cell = |test: fn(&Domain) -> bool| {
        program.memory().locations().iter().any(|location| test(&location.domain))
    };
    let ranged = |domain: &Domain| matches!(domain, Domain::Range { .. });
    let wrapping = |domain: &Domain| matches!(domain, Domain::Wrapping(_));
    let asked = program.question().condition.as_ref().map(|(quantifier, _)| *quantifier);
    let mut all = vec![
        (Feature::Loop, any(&has_loop)),
        (Feature::NoEnd, any(&|template| !can_end(template))),
        (Feature::CopiesWithIdentities, any(&|one| copies(one) && one.identity().is_some())),
        (Feature::EqualCopies, any(&|one| copies(one) && one.identity().is_none())),
        (Feature::Await, any(&|template| template.labels().iter().any(|label| label.waiting))),
        (Feature::Section, does(&|one| *one == Instruction::Lock)),
        (
            Feature::Exclusive,
            does(&|one| one.memory_access().is_some_and(|(_, access)| access.exclusive)),
        ),
        (Feature::RangedRegister, register(ranged)),
        (Feature::WrappingRegister, register(wrapping)),
        (Feature::RangedCell, cell(ranged)),
        (Feature::WrappingCell, cell(wrapping)),
        (Feature::Exchange, updates(&|one| matches!(one, Update::Exchange(_)))),
        (Feature::CompareAndSwap, updates(&|one| matches!(one, Update::CompareAndSwap { .. }))),
        (
            Feature::BlockingReadWrite,
            updates(&|one| matches!(one, Update::BlockingReadWrite { .. })),
        ),
        (Feature::Filter, program.question().filter.is_some()),
    ];
    all.extend(asked.map(|quantifier| (Feature::Asks(quantifier), true)));
    all.extend(
        FenceKind::ALL
            .map(|kind| (Feature::Fence(kind), does(&|one| *one == Instruction::Fence(kind)))),
    );
    all.extend(FetchOp::ALL.map(|op| {
        let is_it = |one: &Update| matches!(one, Update::Fetch { op: used, .. } if *used == op);
        (Feature::Fetch(op), updates(&is_it))
    }));
    all
}

/// The labels that control can come to from a label in at least one step.
fn reachable(template: &Template, from: LabelId) -> Vec<bool> {
    let mut reached = vec![false; template.labels().len()];
    let mut open = vec![from];
    while let Some(label) = open.pop() {
        for edge in template.outgoing(label) {
            let to = template.edge(edge).to;
            if !std::mem::replace(&mut reached[to.index()], true) {
                open.push(to);
            }
        }
    }
    reached
}

fn has_loop(template: &Template) -> bool {
    let from_the_beginning = reachable(template, template.initial());
    let comes_back = |label: LabelId| reachable(template, label)[label.index()];
    template.labels().indices().any(|label| {
        (from_the_beginning[label.index()] || label == template.initial()) && comes_back(label)
    })
}

fn can_end(template: &Template) -> bool {
    let reached = reachable(template, template.initial());
    let ends = |label| template.outgoing(label).len() == 0;
    ends(template.initial())
        || template.labels().indices().any(|label| reached[label.index()] && ends(label))
}
