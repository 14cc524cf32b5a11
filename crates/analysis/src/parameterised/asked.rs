//! What a net is asked about: errors, goals, final states, deadlocks.

use coverability::Marking;
use explore::Lookout;
use program::{Observable, StateProposition};

use super::Unknown;
use super::ends::{self, Deadlocks};
use super::net::Threaded;
use super::prove::Family;
use super::running::Running;
use super::targets::{self, Named, TooMany};
use crate::verdict::Reason;

/// What a net is asked about.
pub(super) struct Asked {
    /// The markings that are looked for.
    pub(super) targets: Vec<Marking>,
    /// Whether what covers one shows an instance; otherwise what is not known then.
    pub(super) is_exact: Result<(), Unknown>,
}

impl Asked {
    pub(super) const fn exactly(targets: Vec<Marking>) -> Self {
        Self { targets, is_exact: Ok(()) }
    }
}

/// What is asked of a net, or why it cannot be.
pub(super) type Asking = Result<Asked, Reason>;

impl From<TooMany> for Reason {
    fn from(_: TooMany) -> Self {
        Self::AnyNumber(Unknown::TooManyStates)
    }
}

/// A question about the states of a program, whatever the model it runs under.
pub(super) trait Condition {
    /// The question about the net.
    fn asked<T: Running>(&self, threads: &T, threaded: &Threaded<'_, T>) -> Asking;
}

/// Whether somebody runs into an error that is looked for.
pub(super) struct ErrorsAlone;

impl Condition for ErrorsAlone {
    fn asked<T: Running>(&self, _: &T, threaded: &Threaded<'_, T>) -> Asking {
        Ok(Asked::exactly(threaded.net.targets.clone()))
    }
}

/// Whether a state satisfies a condition, or somebody runs into an error that is looked for.
pub(super) struct Goal<'a> {
    pub(super) family: &'a Family<'a>,
    pub(super) named: Vec<Named>,
    pub(super) observables: Vec<Observable>,
    pub(super) condition: &'a StateProposition,
}

impl Condition for Goal<'_> {
    fn asked<T: Running>(&self, threads: &T, threaded: &Threaded<'_, T>) -> Asking {
        let program = self.family.program();
        let named = self.named.iter();
        let slots = named.map(|one| targets::thread_slot(threaded, program, *one, |_| true));
        let cells = targets::cell_slots(threaded, threads, &self.observables);
        let slots: Vec<_> = slots.chain(cells).collect();
        let mut all = threaded.net.targets.clone();
        all.extend(targets::markings(threaded, threads, &slots, 0, self.condition)?);
        Ok(Asked::exactly(all))
    }
}

/// Whether a final state satisfies a condition.
pub(super) struct End<'a> {
    pub(super) family: &'a Family<'a>,
    pub(super) observables: Vec<Observable>,
    pub(super) condition: &'a StateProposition,
}

impl Condition for End<'_> {
    fn asked<T: Running>(&self, threads: &T, threaded: &Threaded<'_, T>) -> Asking {
        let program = self.family.program();
        let definite = self.family.definite();
        let ended = definite
            .iter()
            .map(|one| targets::thread_slot(threaded, program, *one, |mark| mark.ended));
        let cells = targets::cell_slots(threaded, threads, &self.observables);
        let slots: Vec<_> = ended.chain(cells).collect();
        let found = targets::markings(threaded, threads, &slots, definite.len(), self.condition)?;
        let targets = ends::without_traps(threaded, found, |marking| {
            ends::allowed_in_the_end(threaded, program, marking)
        });
        Ok(Asked { targets, is_exact: Err(Unknown::FinalStates) })
    }
}

/// Whether nobody gets any further, and somebody waits.
pub(super) struct Deadlock<'a> {
    pub(super) family: &'a Family<'a>,
}

impl Condition for Deadlock<'_> {
    fn asked<T: Running>(&self, _: &T, threaded: &Threaded<'_, T>) -> Asking {
        let mut lookout = Lookout::new(&self.family.options.limits);
        let markings = Deadlocks::of(threaded, self.family.program()).markings(&mut lookout);
        let targets = markings.map_err(Reason::Limit)??;
        Ok(Asked { targets, is_exact: Err(Unknown::Deadlocks) })
    }
}
