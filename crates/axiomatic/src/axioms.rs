//! What decides which candidate executions are allowed: a built-in [`Model`](crate::Model), or
//! anything else that has axioms.

use program::Target;

use crate::axiom::Violation;
use crate::execution::Execution;
use crate::limits::NoAnswer;

/// The axioms of a memory model.
///
/// They are asked only about executions that are coherent and atomic
/// ([`Execution::is_coherent`], [`Execution::is_atomic`]): no others are ever proposed. One that lets reads of
/// one address pass each other is asked about executions that are coherent but for that.
pub trait Axioms {
    /// What the model is called.
    fn name(&self) -> &str;

    /// What the axioms say of an execution, unless they cannot be evaluated there.
    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer>;

    /// Why an execution is forbidden, if it is and if the model can tell.
    fn why_not(&self, execution: &Execution) -> Option<Violation>;

    /// What programs in a language are compiled for before their executions are judged; nothing if the
    /// model speaks of the language's own accesses.
    fn target(&self) -> Option<Target>;

    /// What the model makes of accesses across cells.
    fn accesses_across(&self) -> AccessesAcross;

    /// Whether a thread's reads of one address see its writes in their order. If not, executions in which
    /// they do not are proposed too.
    fn keeps_reads_of_one_address(&self) -> bool;

    /// Whether an access that depends on a read comes before the writes after it: whether an address is
    /// known before the writes that follow happen. If not, threads are followed beyond accesses whose
    /// addresses are not known yet.
    fn waits_for_addresses(&self) -> bool;

    /// Whether what the axioms forbid stays forbidden with more `rf` and `co`, and with more events.
    /// Then they are asked about executions also before these are complete.
    fn is_monotone(&self) -> bool;

    /// Whether a thread that can take a step in an allowed execution can take it so that the longer
    /// execution is allowed too. If that is not known, a thread may be anywhere when another one fails.
    fn lets_threads_go_on(&self) -> bool;

    /// Whether an execution is allowed exactly if each of several parts of it is that share no address.
    fn judges_parts_alone(&self) -> bool;

    /// Whether executions without an update that writes what it read stand for those with it.
    fn silent_updates(&self) -> SilentUpdates;

    /// Whether there are executions of which they say more than that they are allowed. If so, they have
    /// to be asked about all executions, also about those whose final state is known.
    fn raises_flags(&self) -> bool;

    /// Whether the order of writes matters to what they say more, and not just who reads from whom.
    fn flags_depend_on_coherence(&self) -> bool;
}

/// What a model makes of accesses that cover several cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessesAcross {
    /// It says nothing of them that is settled.
    Unsettled,
    /// All cells are accessed at once.
    AtOnce,
    /// Whatever its axioms say.
    AsWritten,
}

/// Whether an update that writes what it read, in a round of a loop that changes nothing else, can be left out
/// (the argument is in `crate::loops`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SilentUpdates {
    /// That is not known.
    Stay,
    /// If its read acquires.
    GoIfAcquiring,
    /// It can.
    Go,
}

/// What axioms say of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It does not happen.
    Forbidden,
    /// It happens, and these things are worth telling about it.
    Allowed(Vec<Flag>),
}

/// Something about an allowed execution that is worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// What it is called.
    pub name: String,
    /// Whether the program has no defined behaviour for that reason: then everything is possible.
    pub undefined: bool,
    /// The events that it is about, in pairs; one event is paired with itself.
    pub pairs: Vec<(usize, usize)>,
}

impl Judgement {
    /// Allowed, without flags, or not at all.
    pub const fn allowed(is_allowed: bool) -> Self {
        if is_allowed { Self::Allowed(Vec::new()) } else { Self::Forbidden }
    }

    /// Whether it happens.
    pub const fn is_allowed(&self) -> bool {
        match self {
            Self::Forbidden => false,
            Self::Allowed(_) => true,
        }
    }
}

impl<A: Axioms + ?Sized> Axioms for &A {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        (**self).judge(execution)
    }

    fn why_not(&self, execution: &Execution) -> Option<Violation> {
        (**self).why_not(execution)
    }

    fn target(&self) -> Option<Target> {
        (**self).target()
    }

    fn accesses_across(&self) -> AccessesAcross {
        (**self).accesses_across()
    }

    fn keeps_reads_of_one_address(&self) -> bool {
        (**self).keeps_reads_of_one_address()
    }

    fn waits_for_addresses(&self) -> bool {
        (**self).waits_for_addresses()
    }

    fn is_monotone(&self) -> bool {
        (**self).is_monotone()
    }

    fn lets_threads_go_on(&self) -> bool {
        (**self).lets_threads_go_on()
    }

    fn judges_parts_alone(&self) -> bool {
        (**self).judges_parts_alone()
    }

    fn silent_updates(&self) -> SilentUpdates {
        (**self).silent_updates()
    }

    fn raises_flags(&self) -> bool {
        (**self).raises_flags()
    }

    fn flags_depend_on_coherence(&self) -> bool {
        (**self).flags_depend_on_coherence()
    }
}
