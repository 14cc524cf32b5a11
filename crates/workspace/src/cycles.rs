//! Static critical cycles: which accesses may be reordered to the effect that an execution is not SC, on any
//! architecture and for programs of any size, and the cheapest fences that keep them in order.
//!
//! What a program is compared with is SC, or TSO: what x86 gives. Beside fences, accesses may get stronger orders.
//!
//! Models go through the graph of their program; programs in C and Rust through that of their modules, which
//! need not be closed: nothing is explored, and nothing is bounded.

mod audit;
mod audited;
mod confirmed;
mod lines;
mod model;
mod orders;
mod plain;
mod refined;
mod reread;
mod stage;
mod texts;
mod whole;

use std::time::Duration;

use cycles::answer::{Asked, Found, PolicyFences, Question, Repair, ShownFence, ShownVisit};
use cycles::{Arch, Costs, NONE_GOES, NodeRef, Orders, OutOfTime, Policy, Reference, loop_depths};
use events::{Graph, PlaceId, Positions, ProgramGraph, Rounds, Side, of_program};
use frontend::Language;
use frontend::edit::Change as TextChange;
use program::{
    Diagnostic, Diagnostics, FenceKind, IndexVec, Order, Program, SourceId, Sources, Span,
};
use web_time::Instant;

use crate::host::{Host, Within};
use crate::inputs::{Inputs, Loaded, Origin, Premises, Refused};
use crate::notes::{Note, NoteCode};
use crate::source::Compilation;
use crate::store::{ProgramId, Workspace};
use crate::suppression::{self, Accepted};
use crate::{Conclusion, Limits};
pub use audit::{Audit, AuditedFence, AuditedOrder, NoAudit};
pub use confirmed::{Confirmed, ConfirmedPair, Judgement};
pub use refined::Proof;
use refined::Refined;

pub use stage::{Stage, Stages};

/// How much more often a loop is executed than what is around it, as far as one can guess.
const PER_LOOP: u64 = 10;

/// What places add to the cost of fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Nothing.
    Equal,
    /// Ten times as much for each loop around a place.
    Loops,
}

/// Whether the executions of the closed program are enumerated. A repair then orders only what they show (`refined`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executions {
    /// No.
    Ignored,
    /// Only where the static analysis finds no complete repair ([`Workspace::cycles_of`]).
    WhereNotRepaired,
    /// Yes.
    Asked,
}

impl Executions {
    /// What somebody wants who asks for all of them or for none.
    pub const fn if_asked(is_asked: bool) -> Self {
        if is_asked { Self::Asked } else { Self::Ignored }
    }
}

/// How long executions are enumerated for a program that has no static repair: nobody has asked for them.
const PATIENCE: Duration = Duration::from_secs(20);

/// The question.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub struct Cycles {
    /// The machine.
    pub arch: Arch,
    /// What it is compared with.
    pub reference: Reference,
    /// Whether accesses may get stronger orders, and not only fences may be put in. Then dependencies in C and
    /// Rust do not count, since a compiler may take them away.
    pub orders: bool,
    /// What orders cost, if not as usual.
    pub order_costs: Vec<(Order, u64)>,
    /// For which machines orders and fences that are there are to be as weak as possible, if that is asked.
    pub audit: Option<Vec<Arch>>,
    /// Where fences can stand.
    pub positions: Positions,
    /// Whether fences are looked for, and not only delays.
    pub repair: bool,
    /// The kinds of fences that may be put in, if not all that the machine has.
    pub kinds: Option<Vec<FenceKind>>,
    /// What kinds cost, if not as usual.
    pub kind_costs: Vec<(FenceKind, u64)>,
    /// What a place adds to the cost of a fence.
    pub weights: Weights,
    /// How many delays are shown with a cycle each.
    pub shown: usize,
    /// Whether all critical cycles are listed, and how many at most.
    pub every_cycle: Option<usize>,
    /// Whether older ways to place fences are compared.
    pub policies: bool,
    /// Whether delays are looked for in all executions of the closed program.
    pub executions: Executions,
    /// For programs in C and Rust: the texts are those with the fences of this policy, to be measured, and not
    /// repaired ones. Nothing is claimed about them.
    pub placed_by: Option<Policy>,
    /// Whether it is an error if the repaired text cannot be written.
    pub needs_text: bool,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// How far it has come.
    pub stages: Stages,
}

impl Cycles {
    /// Delays on an architecture.
    pub fn on(arch: Arch) -> Self {
        Self {
            arch,
            reference: Reference::Sc,
            orders: false,
            order_costs: Vec::new(),
            audit: None,
            positions: Positions::AfterInstructions,
            repair: false,
            kinds: None,
            kind_costs: Vec::new(),
            weights: Weights::Equal,
            shown: 10,
            every_cycle: None,
            policies: false,
            executions: Executions::Ignored,
            placed_by: None,
            needs_text: false,
            deadline: None,
            stages: Stages::default(),
        }
    }

    /// Fences for an architecture.
    pub fn repaired(arch: Arch) -> Self {
        Self { repair: true, ..Self::on(arch) }
    }

    /// What a port from x86 changes.
    pub fn ported(arch: Arch) -> Self {
        let executions = Executions::WhereNotRepaired;
        Self { reference: Reference::Tso, orders: true, executions, ..Self::repaired(arch) }
    }

    /// This question with all executions, within the patience of somebody who has not asked for them.
    fn confirmed(&self) -> Self {
        let patience = Instant::now() + PATIENCE;
        let deadline = self.deadline.map_or(patience, |deadline| deadline.min(patience));
        Self { executions: Executions::Asked, deadline: Some(deadline), ..self.clone() }
    }

    /// What to multiply the cost of a fence with at each place.
    fn weights(&self, graph: &Graph) -> IndexVec<PlaceId, u64> {
        match self.weights {
            Weights::Equal => graph.places.iter().map(|_| 1).collect(),
            Weights::Loops => {
                let weight = |depth: &u32| PER_LOOP.saturating_pow(*depth);
                loop_depths(graph).iter().map(weight).collect()
            }
        }
    }

    /// The kinds that may be put into texts that have these, and what each costs.
    fn priced(&self, expressible: impl Fn(FenceKind) -> bool) -> Vec<(FenceKind, u64)> {
        let own_price = |kind: FenceKind| {
            self.kind_costs.iter().rev().find(|(other, _)| *other == kind).map(|(_, cost)| *cost)
        };
        let is_asked =
            |kind: FenceKind| self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
        let usual = self.arch.fences().iter();
        usual
            .filter(|(kind, _)| is_asked(*kind) && expressible(*kind))
            .map(|(kind, cost)| (*kind, own_price(*kind).unwrap_or(*cost)))
            .collect()
    }
}

/// The answer.
#[derive(Debug)]
pub struct CyclesAnswer {
    /// The machine.
    pub arch: Arch,
    /// What it is compared with.
    pub reference: Reference,
    /// Which orders and fences that are there can be weaker, if that was asked.
    pub audit: Option<Result<Audit, NoAudit>>,
    /// What was found.
    pub found: Found,
    /// The fences, if they were asked for.
    pub repair: Option<Result<Repair, OutOfTime>>,
    /// What older policies put in, if that was asked.
    pub policies: Vec<PolicyFences>,
    /// All critical cycles with a delay, if they were asked for, and whether they are all.
    pub cycles: Option<(Vec<Vec<ShownVisit>>, bool)>,
    /// What the enumerator says of the delays, if it was asked.
    pub confirmed: Option<Confirmed>,
    /// What it says of the repaired program, if it was asked and there is one.
    pub proof: Option<Proof>,
    /// The texts that change, if there is a repair, whole or not, and it can be written.
    pub texts: Option<Vec<(SourceId, String)>>,
    /// How large the program is, and how long it took.
    pub figures: Figures,
    /// What comments in the source accept of the delays.
    pub accepted: Option<Accepted>,
    /// What it rests on.
    pub premises: Premises,
    /// What else a reader should know.
    pub notes: Vec<Note>,
}

/// Figures of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Figures {
    /// Lines of the texts in which something happens that are neither empty nor only a comment.
    pub lines: usize,
    /// How long everything took, compilers included.
    pub elapsed: Duration,
}

impl Figures {
    fn new(sources: &Sources, start: Instant) -> Self {
        let texts = sources
            .names()
            .enumerate()
            .map(|(number, _)| sources.text(program::index::Idx::new(number)));
        Self { lines: texts.map(lines::of_code).sum(), elapsed: start.elapsed() }
    }
}

impl CyclesAnswer {
    /// What critical cycles say, and nothing else yet.
    fn new(question: &Cycles, asked: &Asked<'_>, figures: Figures) -> Self {
        Self {
            arch: question.arch,
            reference: question.reference,
            audit: None,
            found: asked.find(),
            repair: None,
            policies: Vec::new(),
            cycles: question.every_cycle.map(|most| asked.cycles(most)),
            confirmed: None,
            proof: None,
            texts: None,
            figures,
            accepted: None,
            premises: Premises::default(),
            notes: Vec::new(),
        }
    }

    /// With what comments in these texts accept of it.
    fn with_suppressions(mut self, sources: &Sources) -> Self {
        let (accepted, notes) = suppression::of_cycles(sources, &self);
        self.accepted = accepted;
        self.notes.extend(notes);
        self
    }

    /// Whether the static analysis repairs it only in part, so that executions may say more.
    fn is_repaired_in_part(&self) -> bool {
        matches!(&self.repair, Some(Ok(repair)) if !repair.is_whole())
    }

    /// Whether all executions prove its repair.
    const fn is_enumerated(&self) -> bool {
        matches!(&self.proof, Some(Proof::Enumerated { .. }))
    }

    /// Takes a repair that the enumerator has proven.
    fn prove(&mut self, refined: Refined) {
        let Refined { repair, texts, proof } = refined;
        (self.repair, self.texts, self.proof) = (Some(Ok(repair)), Some(texts), Some(proof));
    }

    /// What it comes to.
    pub fn conclusion(&self) -> Conclusion {
        match (self.verdict(), &self.accepted) {
            // What is to be repaired is repaired, whatever is accepted.
            (Conclusion::Undecided | Conclusion::Violated, Some(accepted))
                if self.repair.is_none()
                    && self.audit.is_none()
                    && accepted.conclusion() == Conclusion::Suppressed =>
            {
                Conclusion::Suppressed
            }
            (verdict, _) => verdict,
        }
    }

    /// What it comes to, whatever comments accept.
    pub fn verdict(&self) -> Conclusion {
        match &self.audit {
            Some(Ok(_)) => return Conclusion::Fine,
            Some(Err(_)) => return Conclusion::Undecided,
            None => {}
        }
        if let (Some(confirmed), None, false) =
            (&self.confirmed, &self.repair, self.found.is_robust())
        {
            return match (&confirmed.weak, &confirmed.doubt) {
                (Some(_), _) => Conclusion::Violated,
                (None, None) => Conclusion::Fine,
                (None, Some(_)) => Conclusion::Undecided,
            };
        }
        match &self.repair {
            _ if self.found.is_robust() => Conclusion::Fine,
            Some(Ok(repair)) if repair.is_whole() => Conclusion::Fine,
            Some(Ok(_) | Err(OutOfTime)) | None => Conclusion::Undecided,
        }
    }
}

impl Workspace<'_> {
    /// Delays on critical cycles of a model, and fences that keep them in order. What was compiled is asked
    /// about before it is translated, by [`Workspace::cycles_of`]: a translation may end at bounds.
    pub fn cycles(&mut self, id: ProgramId, question: &Cycles) -> Result<CyclesAnswer, Refused> {
        let subject = self.subject(id);
        let loaded = subject.loaded;
        let ask = |question: &Cycles| {
            model::answer(&subject, question).map_err(|errors| loaded.refuse(errors))
        };
        let mut answer = ask(question)?;
        if question.executions == Executions::WhereNotRepaired && answer.is_repaired_in_part() {
            let confirmed = ask(&question.confirmed())?;
            if confirmed.is_enumerated() {
                answer = confirmed;
            }
        }
        Ok(answer.with_suppressions(&loaded.sources))
    }

    /// The same for each program in files that belong together, before they are read: with its name and its
    /// texts. What compilers make is analysed as a whole; it need not be a closed program.
    pub fn cycles_of(
        &mut self,
        name: &str,
        files: &[String],
        inputs: &Inputs,
        question: &Cycles,
    ) -> Result<Vec<(String, Sources, CyclesAnswer)>, Refused> {
        let refused = |errors| Refused { errors, sources: Sources::new() };
        if files.iter().any(|file| self.is_compiled(file, inputs)) {
            whole::fits(&inputs.source).map_err(refused)?;
            let (sources, answer) = self.compiled(name, files, inputs, question)?;
            let answer = answer.with_suppressions(&sources);
            return Ok(vec![(name.to_owned(), sources, answer)]);
        }
        let parts = self.parts(files, inputs).map_err(refused)?;
        let mut answers = Vec::new();
        for part in parts {
            let name = format!("{name}{}", part.which);
            let id = self.load(&name, part, inputs)?;
            let answer = self.cycles(id, question);
            let sources = self.program(id).sources.clone();
            self.forget(id);
            answers.push((name, sources, answer?));
        }
        Ok(answers)
    }
}

impl Workspace<'_> {
    /// An answer about what compilers make of some files.
    fn compiled(
        &self,
        name: &str,
        files: &[String],
        inputs: &Inputs,
        question: &Cycles,
    ) -> Result<(Sources, CyclesAnswer), Refused> {
        let ask = |question: &Cycles, closed: Option<&Loaded>| {
            let refused = |errors| Refused { errors, sources: Sources::new() };
            let host = self.host();
            let mut compilation = Compilation::new(host, files, inputs).map_err(refused)?;
            let mut sources = Sources::new();
            match whole::answer(&mut compilation, host, closed, question, &mut sources) {
                Ok(answer) => Ok((sources, answer)),
                Err(why) => Err(Refused { errors: why.into(), sources }),
            }
        };
        match question.executions {
            Executions::Ignored => ask(question, None),
            Executions::Asked => {
                let closed = self.closed(self.host(), name, files, inputs)?;
                ask(question, Some(&closed))
            }
            Executions::WhereNotRepaired => {
                let (sources, mut answer) = ask(question, None)?;
                if !answer.is_repaired_in_part() {
                    return Ok((sources, answer));
                }
                let confirmed = question.confirmed();
                let limits = Limits { deadline: confirmed.deadline, ..Limits::default() };
                match self.closed(&Within::new(self.host(), &limits), name, files, inputs) {
                    Ok(closed) => {
                        let (other, asked) = ask(&confirmed, Some(&closed))?;
                        if asked.is_enumerated() {
                            return Ok((other, asked));
                        }
                        answer.confirmed = asked.confirmed;
                    }
                    Err(why) => answer.notes.extend(not_closed(&why)),
                }
                Ok((sources, answer))
            }
        }
    }

    /// What compilers made of some files, as a closed program.
    fn closed(
        &self,
        host: &dyn Host,
        name: &str,
        files: &[String],
        inputs: &Inputs,
    ) -> Result<Loaded, Refused> {
        let refused = |errors| Refused { errors, sources: Sources::new() };
        let mut parts = self.parts(files, inputs).map_err(refused)?.into_iter();
        let (Some(part), None) = (parts.next(), parts.next()) else {
            let message = "delays are confirmed in one closed program";
            return Err(refused(vec![Diagnostic::new(Span::NONE, message)]));
        };
        crate::inputs::load(host, name, part, inputs)
    }
}

/// Why no executions were enumerated.
fn not_closed(why: &Refused) -> Option<Note> {
    let error = why.errors.first()?;
    let text = format!("no executions were enumerated, which might need less: {}", error.message);
    Some(Note::general(NoteCode::Build, text))
}

/// The graph of a program. On x86 answers are about traces, as those of the exact analysis; elsewhere rounds
/// of busy waiting do not count, as where executions are enumerated.
fn graph(program: &Program, question: &Cycles) -> ProgramGraph {
    let rounds = match question.arch {
        Arch::X86 => Rounds::All,
        Arch::Pso
        | Arch::Rmo
        | Arch::Power
        | Arch::ArmV7
        | Arch::AArch64
        | Arch::AArch64Lse
        | Arch::RiscV => Rounds::Effective,
    };
    of_program(program, question.positions, rounds)
}

/// How the orders of a program are meant.
fn orders(program: &Program, question: &Cycles) -> Orders {
    match program.architecture() {
        Some(set) if question.arch.has_instructions_of(set) => Orders::OfInstructions,
        Some(_) | None => Orders::OfLanguage,
    }
}

fn asked<'g>(graph: &'g Graph, orders: Orders, question: &Cycles, dependencies: bool) -> Asked<'g> {
    Asked::new(self::question(graph, orders, question, dependencies))
}

const fn question<'g>(
    graph: &'g Graph,
    orders: Orders,
    question: &Cycles,
    dependencies: bool,
) -> Question<'g> {
    Question {
        graph,
        arch: question.arch,
        orders,
        reference: question.reference,
        dependencies,
        shown: question.shown,
        deadline: question.deadline,
    }
}

/// Whether the language of a program has fences of a kind.
fn is_expressible(loaded: &Loaded, kind: FenceKind) -> bool {
    match &loaded.origin {
        Origin::Text(Language::Fw, _) => true,
        Origin::Text(Language::Litmus, _) => loaded.has_fence(kind),
        Origin::Text(
            Language::Trencher | Language::Esop13 | Language::Esop15 | Language::Remmex,
            _,
        ) => kind == FenceKind::Full,
        Origin::Text(Language::Rmm, _) => {
            matches!(kind, FenceKind::Full | FenceKind::StoreStore | FenceKind::LoadLoad)
        }
        Origin::Compiled(_) => is_in_source(kind),
    }
}

/// Whether C and Rust have fences of a kind.
const fn is_in_source(kind: FenceKind) -> bool {
    match kind {
        FenceKind::Full | FenceKind::Lightweight | FenceKind::Acquire | FenceKind::Release => true,
        FenceKind::StoreStore
        | FenceKind::LoadLoad
        | FenceKind::LoadStore
        | FenceKind::StoreLoad
        | FenceKind::Control => false,
    }
}

/// The fences as changes of texts, if all of them stand in one.
fn changes(fences: &[ShownFence]) -> Option<Vec<TextChange>> {
    let change = |fence: &ShownFence| {
        let point = fence.point?;
        Some(match fence.side {
            Side::Before => TextChange::FenceBefore(point, fence.kind),
            Side::After => TextChange::FenceAfter(point, fence.kind),
        })
    };
    fences.iter().map(change).collect()
}

/// Fences and orders as changes of texts, if all of them stand in one.
fn all_changes(graph: &Graph, repair: &Repair) -> Option<Vec<TextChange>> {
    let mut all = changes(&repair.fences)?;
    all.extend(orders::changes(graph, &repair.orders));
    Some(all)
}

/// Nothing is called repaired that is not looked at again, as it would be read: nothing is left, or nothing that
/// a fence could stop.
fn must_be_repaired(
    asked: &Asked<'_>,
    repair: &Repair,
    kinds: &[(FenceKind, u64)],
    order: &dyn Fn(NodeRef, Order) -> Option<u64>,
) -> Result<(), Diagnostics> {
    let is_as_told = if repair.is_whole() {
        asked.is_robust()
    } else {
        let costs = Costs { kinds, weight: &|_| 1, order, existing: NONE_GOES };
        let again = asked.repair(&costs);
        again.is_ok_and(|again| again.fences.is_empty() && again.orders.is_empty())
    };
    if is_as_told { Ok(()) } else { Err(not_repaired()) }
}

fn disagreement() -> Diagnostics {
    let message = "there is no critical cycle, and an execution that has one";
    let help = "this is a bug in Fencewright, please report it with the program";
    vec![Diagnostic::new(Span::NONE, message).help(help)]
}

fn not_repaired() -> Diagnostics {
    vec![
        Diagnostic::new(Span::NONE, "the repaired program is not what it should be")
            .help("this is a bug in Fencewright, please report it with the program"),
    ]
}
