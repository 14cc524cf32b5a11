//! What an analysis answers, and how it may search.

use std::fmt;
use std::ops::ControlFlow;
use std::time::Duration;

use explore::tables::TableEngine;
use explore::{Limit, Limits, Progress};
use instrument::NoFiniteRange;
use program::{EdgeId, Parameterised, Span, Template};

use crate::parameterised::Unknown;
use crate::proof::{Basis, Engine, Proof};
use crate::whole::{Whole, explored};

/// The answer to a question about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<Evidence> {
    /// It holds, and this is how that is known.
    Holds(Proof),
    /// It does not hold, and this shows it.
    Violated(Evidence),
    /// Nothing is known, for this reason.
    Undecided(Reason),
}

impl<Evidence> Verdict<Evidence> {
    /// Whether it holds.
    pub const fn holds(&self) -> bool {
        matches!(self, Self::Holds(_))
    }

    /// The same verdict with other evidence.
    pub fn map<Other>(self, evidence: impl FnOnce(Evidence) -> Other) -> Verdict<Other> {
        match self {
            Self::Holds(proof) => Verdict::Holds(proof),
            Self::Violated(shown) => Verdict::Violated(evidence(shown)),
            Self::Undecided(reason) => Verdict::Undecided(reason),
        }
    }

    /// That nothing was found in all states, if no limit kept some from being explored: this is the
    /// first that did.
    pub(crate) fn of_exploration(stopped: Option<Reason>, engine: Engine) -> Self {
        explored(stopped, engine).map_or_else(Self::Undecided, Self::Holds)
    }

    /// That something holds of a program on this basis, if the program is all of what was written.
    pub fn of_whole(basis: Basis, whole: Result<Whole, Reason>) -> Self {
        whole.map_or_else(Self::Undecided, |whole| Self::Holds(Proof::new(basis, whole)))
    }
}

/// A progress callback; `Break` ends the search.
pub type Watch<'w> = dyn FnMut(&Progress) -> ControlFlow<()> + 'w;

/// Why an answer is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit ended the search.
    Limit(Limit),
    /// A value of undeclared range can leave the 64-bit integers.
    Overflow {
        /// Where.
        at: Span,
    },
    /// A front end translates a program only up to a bound, and the bound is reached.
    Bound {
        /// Where.
        at: Span,
        /// Which.
        what: String,
    },
    /// A nondeterministic assignment has too many values to try them all.
    TooManyChoices {
        /// Where.
        at: Span,
        /// How many there are.
        values: u128,
    },
    /// A state has more bits than the engine has room for.
    TooWide {
        /// How many.
        bits: u32,
    },
    /// A store buffer can grow for ever, so there are infinitely many states.
    BufferGrows {
        /// Whose.
        thread: String,
    },
    /// The program behaves under SC; whether it does under TSO nothing known implies.
    OnlyUnderSc,
    /// An abstraction of the program has the pattern; whether the program has is not known.
    OnlyAbstract {
        /// The thread that it is exact for.
        thread: String,
        /// For how many accesses the others are.
        depth: usize,
    },
    /// There are more sets of fences than can be tried one by one.
    TooManySets {
        /// How many were tried.
        tried: usize,
    },
    /// Something is accessed across several cells, of which this analysis knows nothing.
    AccessAcross {
        /// Where.
        at: Span,
    },
    /// There is no abstraction, since not enough is known of what is written.
    NoFiniteRange(NoFiniteRange),
    /// A thread can have any number of copies.
    Parameterised(Parameterised),
    /// Something is not known of any number of threads.
    AnyNumber(Unknown),
    /// None of the methods that were asked says anything about it.
    NoMethod,
    /// The engine that was asked cannot tell.
    NotByEngine {
        /// The engine.
        engine: Engine,
        /// What it cannot do, in a sentence.
        what: String,
    },
    /// The engine that was asked finds nothing else, but is not asked about final states.
    FinalStatesNotAsked {
        /// The engine.
        engine: Engine,
    },
    /// The engine finds a violation in an instrumented program; the run of the program itself was not
    /// found.
    NoRunFound {
        /// The engine.
        engine: Engine,
        /// Why not.
        why: Box<Reason>,
    },
    /// The sequential runs that histories are compared with have more states than are looked at.
    SequentialRuns {
        /// How many are.
        states: usize,
    },
    /// A program was repaired, and the repaired one was not checked to the end.
    NotCheckedAgain {
        /// Why not.
        why: Box<Reason>,
    },
}

impl Reason {
    /// Why nothing is known beyond an edge that a thread cannot complete.
    pub(crate) fn stopped(template: &Template, edge: EdgeId) -> Self {
        let at = template.edge(edge).span;
        match template.bound(edge) {
            Some(what) => Self::Bound { at, what: what.to_owned() },
            None => Self::Overflow { at },
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(limit) => write!(f, "{limit}"),
            Self::Overflow { .. } => {
                write!(f, "a value of undeclared range can overflow a 64-bit integer")
            }
            Self::Bound { what, .. } => write!(f, "there is {what}"),
            Self::TooManyChoices { values, .. } => {
                write!(f, "an assignment has {values} possible values, too many to try them all")
            }
            Self::TooWide { bits } => {
                write!(f, "a state of this program takes {bits} bits, too many for the engine")
            }
            Self::BufferGrows { thread } => {
                write!(f, "the store buffer of `{thread}` can grow for ever")
            }
            Self::OnlyAbstract { thread, depth } => write!(
                f,
                "only the abstraction's side is known: at depth {depth} a store of `{thread}` can be \
                 overtaken there, which may be impossible in the program"
            ),
            Self::TooManySets { tried } => write!(
                f,
                "there are too many sets of fences to try them one by one ({tried} were tried)"
            ),
            Self::AccessAcross { .. } => write!(
                f,
                "the same bytes are accessed with different widths, and only final states and what can be \
                 reached are known of such programs"
            ),
            Self::NoFiniteRange(unknown) => write!(f, "it cannot be abstracted: {unknown}"),
            Self::Parameterised(parameterised) => write!(f, "{parameterised}"),
            Self::AnyNumber(unknown) => write!(f, "{unknown}"),
            Self::NoMethod => {
                write!(f, "none of the methods that were asked says anything about it")
            }
            Self::NotByEngine { what, .. } => f.write_str(what),
            Self::FinalStatesNotAsked { engine } => {
                write!(
                    f,
                    "{} finds nothing else, but is not asked about final states",
                    engine.shown()
                )
            }
            Self::NoRunFound { engine, why } => write!(
                f,
                "{} finds a violation in the instrumented program, but the run of the program itself \
                 was not found: {why}",
                engine.shown()
            ),
            Self::SequentialRuns { states } => write!(
                f,
                "the sequential runs that histories are compared with have more than {states} states"
            ),
            Self::NotCheckedAgain { why } => {
                write!(f, "the repaired program was not checked to the end: {why}")
            }
            Self::OnlyUnderSc => write!(
                f,
                "it holds under sequential consistency; nothing known implies that it does under TSO"
            ),
        }
    }
}

/// Which reductions a search makes. They change how much is explored, never the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Reductions {
    /// Registers that nobody reads any more are forgotten.
    pub dead_registers: bool,
    /// Steps that touch no memory are taken at once.
    pub local_steps: bool,
    /// A thread that holds the memory lock runs until it gives it back.
    pub locked_sections: bool,
    /// Only as many threads move as others can interfere with.
    pub partial_order: bool,
    /// Of states that differ by an exchange of equal threads one is explored.
    pub symmetry: bool,
}

impl Reductions {
    /// All of them.
    pub const ALL: Self = Self {
        dead_registers: true,
        local_steps: true,
        locked_sections: true,
        partial_order: true,
        symmetry: true,
    };
    /// None of them.
    pub const NONE: Self = Self {
        dead_registers: false,
        local_steps: false,
        locked_sections: false,
        partial_order: false,
        symmetry: false,
    };

    pub(crate) const fn of_automata(self) -> automata::Reductions {
        automata::Reductions {
            local: self.local_steps,
            exclusive: self.locked_sections,
            persistent: self.partial_order,
            symmetry: self.symmetry,
        }
    }
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Which reductions are made.
    pub reductions: Reductions,
    /// How many threads search.
    pub threads: usize,
    /// How far the search may go.
    pub limits: Limits,
    /// How much may be found out about the threads before the search begins: so many cases of what
    /// one step does. What needs more is found out during the search, with weaker reductions.
    pub precompile_budget: usize,
    /// How many states are searched before that.
    pub probe_states: u64,
    /// How often a loop is followed where executions are enumerated, if that is said.
    pub unroll: Option<usize>,
    /// Whether violations of robustness are searched for only if static critical cycles leave room for them.
    pub critical_cycles: bool,
    /// Who searches state spaces that are not small, if not this machine's processors.
    pub searcher: Option<Searcher>,
}

/// An engine that gets complete automata as tables.
#[derive(Clone, Copy, Debug)]
pub struct Searcher {
    /// Which one it is.
    pub engine: Engine,
    /// The engine; it stays as long as the process does.
    pub tables: &'static dyn TableEngine,
}

impl Options {
    /// The same for a search over automata, with these reductions.
    pub(crate) const fn of_automata(
        &self,
        reductions: Reductions,
        stuck: bool,
    ) -> automata::Options {
        automata::Options {
            reductions: reductions.of_automata(),
            stuck,
            ends: false,
            threads: self.threads,
            limits: self.limits,
            runs: 1,
            precompile_budget: self.precompile_budget,
            probe_states: self.probe_states,
            engine: match self.searcher {
                Some(searcher) => Some(searcher.tables),
                None => None,
            },
        }
    }

    /// The reason if the engine that was asked for cannot search something.
    pub(crate) fn unsuitable(&self, why: String) -> Reason {
        Reason::NotByEngine { engine: self.engine(), what: why }
    }

    /// Who searched: small systems are searched here, whoever was asked for.
    pub(crate) fn searched_by(&self, did: &automata::Statistics) -> Engine {
        if did.is_elsewhere { self.engine() } else { Engine::Fencewright }
    }

    fn engine(&self) -> Engine {
        self.searcher.map(|searcher| searcher.engine).unwrap_or_default()
    }
}

impl Default for Options {
    fn default() -> Self {
        let automata::Options { precompile_budget, probe_states, .. } =
            automata::Options::default();
        let limits = Limits::default();
        Self {
            reductions: Reductions::ALL,
            threads: 1,
            limits,
            precompile_budget,
            probe_states,
            unroll: None,
            critical_cycles: true,
            searcher: None,
        }
    }
}

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Different states stored.
    pub states: u64,
    /// Steps between stored states that were computed.
    pub transitions: u64,
    /// Steps between stored states to the farthest one.
    pub depth: u64,
    /// The most bytes in use for states.
    pub peak_bytes: usize,
    /// Bits of a state.
    pub bits: u32,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Who explored; if there were several searches, whoever was not Fencewright on this machine.
    pub engine: Engine,
}

impl Statistics {
    /// Adds what other searches did.
    pub fn include(&mut self, other: &Self) {
        self.states += other.states;
        self.transitions += other.transitions;
        self.depth = self.depth.max(other.depth);
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.bits = self.bits.max(other.bits);
        self.elapsed += other.elapsed;
        self.engine = self.engine.max(other.engine);
    }

    /// Adds what a further search did.
    pub(crate) fn add(&mut self, did: &automata::Statistics, elapsed: Duration, by: Engine) {
        self.states += did.states;
        self.transitions += did.transitions;
        self.depth = self.depth.max(did.depth);
        self.peak_bytes = self.peak_bytes.max(did.peak_bytes);
        self.bits = self.bits.max(did.bits);
        self.elapsed += elapsed;
        self.engine = self.engine.max(by);
    }
}
