//! Models written in cat, the language of herd's models.
//!
//! Jade Alglave, Patrick Cousot, Luc Maranget: "Syntax and semantics of the weak consistency model
//! specification language cat" (arXiv 1608.07531, 2016). A model defines sets and relations over the
//! events of an execution and asks that some be acyclic, irreflexive or empty.
//!
//! What is read: definitions, recursive ones as least solutions; functions, procedures, tuples, sets of
//! anything, `match`, `try`, `if`, `forall`, tags; `include`; checks with `flag`, `undefined_unless` and
//! `assert`; choices (`with co from …`, see [`run`]). `show` is about pictures and ignored. Variants
//! are options of herd; none is in force. What herd's `bell` files declare (`instructions`, scopes)
//! and models that compute dependencies from accesses to registers (herd's own `aarch64.cat`) are
//! refused: executions here have no such events.
//!
//! Events are those of [`crate::event`]: an atomic update is a read and a write that `rmw` relates, also
//! in C, where herd has one event that is both. So the set `RMW` is empty, and a model that finds
//! updates as `R & W` does not find them.

mod evaluate;
mod lexer;
mod library;
mod monotone;
mod operators;
mod parse_expr;
mod parser;
mod predefined;
mod probe;
mod run;
mod syntax;
mod value;
mod vocabulary;

use std::sync::Arc;

use program::{Diagnostic, Sources, Target};

use crate::axiom::Violation;
use crate::axioms::{AccessesAcross, Axioms, Judgement, SilentUpdates};
use crate::execution::Execution;
use crate::limits::NoAnswer;
use evaluate::{Evaluator, Failure};
use parser::{Loader, Names};
use probe::Violated;
use syntax::{Consequence, Statement};
use vocabulary::Vocabulary;

/// A model that was read from a file.
#[derive(Clone, Debug)]
pub struct CatModel {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    name: String,
    statements: Vec<Statement>,
    names: Names,
    sources: Sources,
    vocabulary: Vocabulary,
    raises_flags: bool,
    forbids: Forbids,
    /// Whether it can be asked about parts of executions.
    is_monotone: bool,
}

/// What a model was found to forbid.
#[derive(Debug)]
struct Forbids {
    /// Whether it forbids what is not atomic.
    is_atomic: bool,
    /// Whether it forbids that a thread sees the writes to an address in the wrong order.
    keeps_reads: bool,
    /// Whether it orders writes after an access whose address depends on a read.
    waits_for_addresses: bool,
}

/// What is wrong with a model, and the texts it is in.
#[derive(Debug)]
pub struct BadModel {
    /// What is wrong.
    pub error: Diagnostic,
    /// The texts.
    pub sources: Sources,
}

impl CatModel {
    /// Reads a model. `find` looks for an included file and returns its name, for messages, and its
    /// text; of some that models commonly include there is a version here.
    pub fn read(
        file: &str,
        text: &str,
        find: &mut dyn FnMut(&str) -> Option<(String, String)>,
    ) -> Result<Self, Box<BadModel>> {
        let mut loader = Loader {
            names: Names::default(),
            sources: Sources::new(),
            find,
            open: vec![file.to_owned()],
        };
        let read = loader.file("the prelude", library::PRELUDE).and_then(|prelude| {
            let model = loader.file(file, text)?;
            Ok((prelude, model))
        });
        let Loader { names, sources, .. } = loader;
        let (prelude, model) = match read {
            Ok(both) => both,
            Err(error) => return Err(Box::new(BadModel { error: *error, sources })),
        };
        let statements = [prelude.statements, model.statements].concat();
        let raises_flags = statements.iter().any(can_flag);
        let vocabulary = Vocabulary::of(&model.title);
        let name = file.to_owned();
        let is_monotone = monotone::is_monotone(&statements, &names, vocabulary);
        let mut inner = Inner {
            name,
            statements,
            names,
            sources,
            vocabulary,
            raises_flags,
            forbids: Forbids { is_atomic: true, keeps_reads: true, waits_for_addresses: true },
            is_monotone,
        };
        match inner.probe() {
            Ok(()) => Ok(Self { inner: Arc::new(inner) }),
            Err(error) => Err(Box::new(BadModel { error: *error, sources: inner.sources })),
        }
    }
}

impl Inner {
    fn judge(&self, execution: &Execution) -> Result<Judgement, Failure> {
        Evaluator::new(execution, &self.names, self.vocabulary).judge(&self.statements)
    }

    /// Refuses a model that cannot be evaluated, or that allows what is not coherent; finds out what else it
    /// forbids.
    fn probe(&mut self) -> Result<(), Box<Diagnostic>> {
        for probe in probe::probes() {
            let allowed = match self.judge(&probe.execution) {
                // It is larger than the others, perhaps too large; then nothing is relied on.
                Err(_) if probe.violates == Violated::Addresses => true,
                Err(Failure { span, why }) => return Err(Box::new(Diagnostic::new(span, why))),
                Ok(judgement) => judgement.is_allowed(),
            };
            match probe.violates {
                Violated::Coherence if allowed => {
                    let (name, told) = (probe.name, probe.told);
                    let message = format!("`{}` allows {name}: {told}", self.name);
                    let help = "only executions are looked at that are coherent, as after \
                                `acyclic po-loc | rf | co | fr`; a model that allows others would \
                                get wrong answers";
                    return Err(Box::new(Diagnostic::new(program::Span::NONE, message).help(help)));
                }
                Violated::Atomicity => self.forbids.is_atomic &= !allowed,
                Violated::CoherenceOfReads => self.forbids.keeps_reads &= !allowed,
                Violated::Addresses => self.forbids.waits_for_addresses &= !allowed,
                Violated::Coherence | Violated::Nothing => {}
            }
        }
        Ok(())
    }
}

/// Whether a statement may have more to say than whether an execution is allowed.
fn can_flag(statement: &Statement) -> bool {
    match statement {
        Statement::Check(check) => match check.consequence {
            Consequence::Flags | Consequence::Undefines => true,
            Consequence::Forbids | Consequence::Asserts => false,
        },
        Statement::Procedure { procedure, .. } => procedure.body.iter().any(can_flag),
        Statement::ForAll { body, .. } => body.iter().any(can_flag),
        Statement::Match { clauses, otherwise, .. } => {
            clauses.iter().any(|(_, body)| body.iter().any(can_flag))
                || otherwise.iter().flatten().any(can_flag)
        }
        Statement::Let { .. }
        | Statement::Call { .. }
        | Statement::Choose { .. }
        | Statement::Enumeration { .. } => false,
    }
}

impl Axioms for CatModel {
    fn name(&self) -> &str {
        &self.inner.name
    }

    fn judge(&self, execution: &Execution) -> Result<Judgement, NoAnswer> {
        if !self.inner.forbids.is_atomic && !execution.rmw.is_empty() {
            let why = "the program has atomic updates, and the model does not forbid that another \
                       thread writes in between, as `empty rmw & (fre; coe)` does";
            return Err(NoAnswer::Model { why: why.to_owned() });
        }
        self.inner.judge(execution).map_err(|Failure { span, why }| {
            let sources = &self.inner.sources;
            let place = span.source.map_or_else(String::new, |source| {
                let (line, column) = sources.line_column(source, span.start);
                format!("{}, line {line}, column {column}: ", sources.name(source))
            });
            NoAnswer::Model { why: format!("{place}{why}") }
        })
    }

    fn why_not(&self, execution: &Execution) -> Option<Violation> {
        let Inner { names, vocabulary, statements, .. } = &*self.inner;
        let evaluator = Evaluator::new(execution, names, *vocabulary).explaining();
        let judgement = evaluator.judge(statements).ok()?;
        if judgement.is_allowed() { None } else { evaluator.why_not() }
    }

    fn target(&self) -> Option<Target> {
        self.inner.vocabulary.target()
    }

    /// A model that never speaks of what belongs to one access was not made for several cells.
    fn accesses_across(&self) -> AccessesAcross {
        let words = ["sm", "si", "same-instance", "same-instr"];
        let speaks = words.iter().any(|word| self.inner.names.knows(word));
        if speaks { AccessesAcross::AsWritten } else { AccessesAcross::Unsettled }
    }

    fn keeps_reads_of_one_address(&self) -> bool {
        self.inner.forbids.keeps_reads
    }

    fn waits_for_addresses(&self) -> bool {
        self.inner.forbids.waits_for_addresses
    }

    fn is_monotone(&self) -> bool {
        self.inner.is_monotone
    }

    /// A file may forbid anything, also that a thread goes on at all.
    fn lets_threads_go_on(&self) -> bool {
        false
    }

    fn judges_parts_alone(&self) -> bool {
        false
    }

    fn silent_updates(&self) -> SilentUpdates {
        SilentUpdates::Stay
    }

    fn raises_flags(&self) -> bool {
        self.inner.raises_flags
    }

    fn flags_depend_on_coherence(&self) -> bool {
        self.inner.raises_flags
    }
}
