//! Static critical cycles: which accesses may be reordered to the effect that an execution is not SC, on any
//! architecture and for programs of any size, and the cheapest fences that keep them in order.
//!
//! What a program is compared with is SC, or TSO: what x86 gives. Beside fences, accesses may get stronger orders.
//!
//! Models go through the graph of their program; programs in C and Rust through that of their modules, which
//! need not be closed: nothing is explored, and nothing is bounded.

mod audit;
mod confirmed;
mod lines;
mod orders;
mod refined;
mod reread;
mod stage;

use std::path::PathBuf;
use std::time::Duration;

use axiomatic::Respected;
use cycles::answer::{Asked, Found, PolicyFences, Question, Repair, ShownFence, ShownVisit};
use cycles::{
    Arch, Changed, Costs, NONE_GOES, NodeRef, Orders, OutOfTime, Policy, Reference, loop_depths,
};
use events::{Action, At, Graph, PlaceId, Positions, ProgramGraph, Rounds, Side, of_program};
use frontend::Language;
use frontend::edit::{Change as TextChange, edit};
use lowering::Lifetimes;
use program::change::{Change, apply};
use program::{
    Diagnostic, Diagnostics, FenceKind, IndexVec, Order, Program, SourceId, Sources, Span,
};
use web_time::Instant;

use crate::Conclusion;
use crate::fence::text::in_source;
use crate::host::Host;
use crate::inputs::{Inputs, Loaded, Origin, Premises, Refused, SourceOptions};
use crate::notes::{Note, NoteCode};
use crate::source::Compilation;
use crate::store::{ProgramId, Subject, Workspace};
pub use audit::{Audit, AuditedFence, AuditedOrder, NoAudit};
pub use confirmed::{Confirmed, ConfirmedPair, Judgement};
pub use refined::Proof;
use refined::{Refined, refined};

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
    /// Whether plain and volatile accesses of C may be made atomic, too.
    pub plain: bool,
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
    /// Whether delays are looked for in all executions of the closed program. A repair then orders only what they show
    /// (`refined`).
    pub confirm: bool,
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
            plain: true,
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
            confirm: false,
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
        Self { reference: Reference::Tso, orders: true, ..Self::repaired(arch) }
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
            premises: Premises::default(),
            notes: Vec::new(),
        }
    }

    /// With a repair that the enumerator has proven.
    fn proven_by(self, refined: Refined) -> Self {
        let Refined { repair, texts, proof } = refined;
        Self { repair: Some(Ok(repair)), texts: Some(texts), proof: Some(proof), ..self }
    }

    /// What it comes to.
    pub fn conclusion(&self) -> Conclusion {
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
        answer(&subject, question).map_err(|errors| loaded.refuse(errors))
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
            fits(&inputs.source).map_err(refused)?;
            let mut compilation = Compilation::new(self.host(), files, inputs).map_err(refused)?;
            let mut sources = Sources::new();
            let closed = question.confirm.then(|| self.closed(name, files, inputs)).transpose()?;
            let closed = closed.as_ref();
            let mut answer = whole(&mut compilation, self.host(), closed, question, &mut sources);
            if answer.is_err() && question.orders && question.plain {
                // Not every plain access can be atomic: a compiler refuses structures and functions.
                let others = Cycles { plain: false, ..question.clone() };
                sources = Sources::new();
                answer = whole(&mut compilation, self.host(), closed, &others, &mut sources);
            }
            let answer = answer.map_err(|errors| Refused { errors, sources: sources.clone() })?;
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
    /// What compilers made of some files, as a closed program.
    fn closed(&self, name: &str, files: &[String], inputs: &Inputs) -> Result<Loaded, Refused> {
        let refused = |errors| Refused { errors, sources: Sources::new() };
        let mut parts = self.parts(files, inputs).map_err(refused)?.into_iter();
        let (Some(part), None) = (parts.next(), parts.next()) else {
            let message = "delays are confirmed in one closed program";
            return Err(refused(vec![Diagnostic::new(Span::NONE, message)]));
        };
        crate::inputs::load(self.host(), name, part, inputs)
    }
}

/// An error if an option was given that says nothing about whole programs.
fn fits(source: &SourceOptions) -> Result<(), Diagnostics> {
    let given = [
        ("--test", source.test.is_some()),
        ("--unit-tests", source.unit_tests.is_some()),
        ("--args", source.args.is_some()),
        ("--operation", !source.operations.is_empty()),
        ("--max-recursion", source.max_recursion.is_some()),
        ("--max-allocations", source.max_allocations.is_some()),
        ("--max-amounts", source.max_amounts.is_some()),
        ("--reuse-memory", source.lifetimes == Lifetimes::Reused),
        ("--max-threads", source.max_threads.is_some()),
    ];
    let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let message =
        format!("`{name}` is for exact answers: critical cycles are those of the whole program");
    Err(vec![Diagnostic::new(Span::NONE, message).help("leave it out, or use `--method exact`")])
}

/// An answer about all that compilers made of some files.
fn whole(
    compilation: &mut Compilation,
    host: &dyn Host,
    closed: Option<&Loaded>,
    question: &Cycles,
    sources: &mut Sources,
) -> Result<CyclesAnswer, Diagnostics> {
    let start = Instant::now();
    question.stages.enter(Stage::Facts);
    let (graph, notes) = compilation.events(host, &[], sources)?;
    let of_build = notes.into_iter().map(|text| Note::general(NoteCode::Build, text));
    let as_written = Note::general(NoteCode::AsWritten, as_written(question.arch));
    let notes: Vec<Note> = of_build.chain([as_written]).collect();
    // A compiler may take away a dependency of a source text.
    let dependencies = !question.orders && question.audit.is_none();
    question.stages.enter(Stage::Cycles);
    let asked = asked(&graph, Orders::OfLanguage, question, dependencies);
    let kinds = question.priced(is_in_source);
    let weights = question.weights(&graph);
    let mut answer = CyclesAnswer::new(question, &asked, Figures::new(sources, start));
    answer.notes = notes;
    let closed = closed.filter(|_| !answer.found.is_robust());
    if let Some(closed) = closed {
        let (program, sources) = (&closed.program, &closed.sources);
        let confirmed = confirmed::confirmed(program, sources, question, Respected::IntoWrites);
        answer.confirmed = Some(confirmed);
    }
    question.stages.enter(Stage::Fences);
    let mut changes: Option<Vec<TextChange>> = None;
    {
        let can_write = orders::in_sources(sources, compilation);
        if let Some(archs) = &question.audit {
            let how = (Orders::OfLanguage, dependencies);
            let audit = audit::audit(&graph, archs, question, how, &*can_write);
            changes = audit.as_ref().ok().map(Audit::changes);
            answer.audit = Some(audit);
        } else {
            let order = |node: NodeRef, order: Order| {
                orders::price(question, &graph, &*can_write, node, order)
            };
            let weight = |place: PlaceId| weights[place];
            let costs =
                Costs { kinds: &kinds, weight: &weight, order: &order, existing: NONE_GOES };
            if question.policies {
                answer.policies = asked.policies(&costs);
            }
            if let Some(policy) = question.placed_by {
                let changes = self::changes(&asked.by_policy(policy, &costs));
                answer.texts = match changes.as_deref() {
                    None => None,
                    Some([]) => Some(Vec::new()),
                    Some(some) => {
                        in_source(sources, compilation, None, (some, &[]), true).map(Some)?
                    }
                };
                return Ok(answer);
            }
            if let (Some(closed), Some(confirmed), true) =
                (closed, &answer.confirmed, question.repair)
            {
                let rereading = |repair: &Repair| {
                    let Some(changes) = all_changes(&graph, repair) else { return Ok(None) };
                    reread::program(&changes, sources, compilation, (host, closed), question)
                };
                let how = (question, Respected::IntoWrites);
                if let Some(exact) =
                    refined(confirmed, how, (&graph, sources), (&asked, &costs), &rereading)?
                {
                    answer.notes.push(Note::general(NoteCode::AsWritten, reread::assumption()));
                    answer.figures = Figures::new(sources, start);
                    return Ok(answer.proven_by(exact));
                }
            }
            answer.repair = question.repair.then(|| asked.repair(&costs));
            if let Some(Ok(repair)) = &answer.repair {
                changes = all_changes(&graph, repair);
            }
        }
    }
    answer.figures = Figures::new(sources, start);
    question.stages.enter(Stage::Again);
    if changes.as_ref().is_some_and(Vec::is_empty) {
        answer.texts = Some(Vec::new());
    }
    if let Some(changes) = changes.filter(|changes| !changes.is_empty()) {
        let wanted = question.needs_text;
        let texts = match in_source(sources, compilation, None, (&changes, &[]), wanted) {
            Ok(texts) => texts,
            Err(errors) if wanted => return Err(errors),
            Err(_) => return Ok(answer),
        };
        let repair = answer.repair.as_ref().and_then(|repair| repair.as_ref().ok());
        let before = Before { graph: &graph, sources, kinds: &kinds, dependencies };
        answer.proof = before.again(&texts, repair, compilation, (host, closed), question)?;
        answer.texts = Some(texts);
    }
    Ok(answer)
}

/// What a repaired text is compared with.
struct Before<'b> {
    graph: &'b Graph,
    sources: &'b Sources,
    kinds: &'b [(FenceKind, u64)],
    dependencies: bool,
}

impl Before<'_> {
    /// Looks at changed texts again, as they would be read: at critical cycles, and at executions if there is a
    /// closed program.
    fn again(
        &self,
        texts: &[(SourceId, String)],
        repair: Option<&Repair>,
        compilation: &mut Compilation,
        (host, closed): (&dyn Host, Option<&Loaded>),
        question: &Cycles,
    ) -> Result<Option<Proof>, Diagnostics> {
        let name = |source: &SourceId| PathBuf::from(self.sources.name(*source));
        let others: Vec<(PathBuf, String)> =
            texts.iter().map(|(source, text)| (name(source), text.clone())).collect();
        let mut again = Sources::new();
        let (graph, _) = compilation.events(host, &others, &mut again)?;
        let how = (Orders::OfLanguage, self.dependencies);
        if let Some(archs) = &question.audit {
            audit::must_be_robust(&graph, archs, question, how)?;
            return Ok(None);
        }
        let Some(repair) = repair else { return Ok(None) };
        let ask = self::question(&graph, how.0, question, how.1);
        // What the program is compared with has the fences that it had.
        let asked =
            if has_fences(self.graph) { Asked::new(ask) } else { Asked::with_new_fences(ask) };
        let can_write = orders::in_sources(&again, compilation);
        let price =
            |node: NodeRef, order: Order| orders::price(question, &graph, &*can_write, node, order);
        must_be_repaired(&asked, repair, self.kinds, &price)?;
        let Some(closed) = closed.filter(|_| repair.is_whole()) else { return Ok(None) };
        let program = closed.again(host, &reread::renamed(texts, self.sources, closed))?;
        let proof = refined::proven(&program, question, Respected::IntoWrites);
        proof.map(Some).map_err(|_| disagreement())
    }
}

/// Whether a program has fences of its own.
fn has_fences(graph: &Graph) -> bool {
    let mut nodes = graph.functions.iter().flat_map(|function| &function.nodes);
    nodes.any(|node| matches!(node.action, Action::Fence(_)))
}

fn answer(subject: &Subject<'_, '_>, question: &Cycles) -> Result<CyclesAnswer, Diagnostics> {
    let start = Instant::now();
    let loaded = subject.loaded;
    if loaded.is_compiled() {
        let message = "critical cycles are those of whole programs, not of a translation";
        return Err(vec![Diagnostic::new(Span::NONE, message)]);
    }
    if let Some(at) = loaded.program.access_across() {
        let message = "critical cycles do not know accesses of different sizes to the same memory";
        let help = "`fencewright outcomes` follows them by bytes";
        return Err(vec![Diagnostic::new(at, message).help(help)]);
    }
    let graph = graph(&loaded.program, question);
    let orders = orders(&loaded.program, question);
    let asked = asked(&graph.graph, orders, question, true);
    let kinds = question.priced(|kind| is_expressible(loaded, kind));
    let weights = question.weights(&graph.graph);
    let can_write = self::orders::in_model(loaded);
    let mut answer = CyclesAnswer::new(question, &asked, Figures::new(&loaded.sources, start));
    answer.premises = loaded.premises.clone();
    if question.confirm {
        let (program, sources) = (&loaded.program, &loaded.sources);
        let confirmed = confirmed::confirmed(program, sources, question, Respected::All);
        if answer.found.is_robust() && confirmed.weak.is_some() {
            return Err(disagreement());
        }
        answer.confirmed = Some(confirmed);
    }
    if let Some(archs) = &question.audit {
        let audit = audit::audit(&graph.graph, archs, question, (orders, true), &*can_write);
        if let Ok(audit) = &audit {
            let changes = audit.changes();
            answer.texts =
                if changes.is_empty() { None } else { edited(loaded, question, Some(changes))? };
            if let Some(texts) = &answer.texts {
                let changed = loaded.again(subject.host, texts)?;
                let graph = self::graph(&changed, question).graph;
                audit::must_be_robust(&graph, archs, question, (orders, true))?;
            }
        }
        answer.audit = Some(audit);
        return Ok(answer);
    }
    let order = |node: NodeRef, order: Order| {
        self::orders::price(question, &graph.graph, &*can_write, node, order)
    };
    let weight = |place: PlaceId| weights[place];
    let costs = Costs { kinds: &kinds, weight: &weight, order: &order, existing: NONE_GOES };
    if question.policies {
        answer.policies = asked.policies(&costs);
    }
    let reading = |repair: &Repair| {
        let texts = edited(loaded, question, all_changes(&graph.graph, repair))?;
        let program = match &texts {
            Some(texts) => loaded.again(subject.host, texts)?,
            // What is left out of it is not left out there.
            None => return Ok(None),
        };
        Ok(Some((texts.unwrap_or_default(), program)))
    };
    if let (Some(confirmed), true) =
        (&answer.confirmed, question.repair && !answer.found.is_robust())
        && let Some(exact) = refined(
            confirmed,
            (question, Respected::All),
            (&graph.graph, &loaded.sources),
            (&asked, &costs),
            &reading,
        )?
    {
        return Ok(answer.proven_by(exact));
    }
    answer.repair = question.repair.then(|| asked.repair(&costs));
    if let Some(Ok(repair)) = &answer.repair {
        answer.texts = edited(loaded, question, all_changes(&graph.graph, repair))?;
        let changed = match &answer.texts {
            Some(texts) => loaded.again(subject.host, texts)?,
            None => changed(&loaded.program, &graph, &repair.fences, &repair.changed),
        };
        let graph = self::graph(&changed, question).graph;
        let asked = self::asked(&graph, self::orders(&changed, question), question, true);
        must_be_repaired(&asked, repair, &kinds, &|_, _| None)?;
        if question.confirm && repair.is_whole() {
            let proof = refined::proven(&changed, question, Respected::All);
            answer.proof = Some(proof.map_err(|_| disagreement())?);
        }
    }
    Ok(answer)
}

/// What every answer about C and Rust says.
fn as_written(arch: Arch) -> String {
    let arch = arch.name();
    format!(
        "this assumes that the compiler keeps every access as written, on {arch}; optimisations may reorder plain and relaxed accesses (`fencewright explain docs/source.md`)"
    )
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

/// The program with fences and orders.
fn changed(
    program: &Program,
    graph: &ProgramGraph,
    fences: &[ShownFence],
    orders: &Changed,
) -> Program {
    let orders = self::orders::in_program(program, graph, orders);
    let changes: Vec<_> = fences
        .iter()
        .flat_map(|fence| {
            graph.places[fence.place].iter().map(|(template, at)| {
                let change = match at {
                    At::Before(label) => Change::FenceBefore(*label, fence.kind),
                    At::After(edge) => Change::FenceAfter(*edge, fence.kind),
                };
                (*template, change)
            })
        })
        .chain(orders)
        .collect();
    apply(program, &changes).program
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

/// The texts with changes, if they can be written; an error if somebody wants them and they cannot.
fn edited(
    loaded: &Loaded,
    question: &Cycles,
    changes: Option<Vec<TextChange>>,
) -> Result<Option<Vec<(SourceId, String)>>, Diagnostics> {
    let Some(changes) = changes else { return Ok(None) };
    let made = match &loaded.origin {
        Origin::Text(language, _) => {
            let source = program::index::Idx::new(0);
            edit(&loaded.sources, source, *language, &changes).map(|text| vec![(source, text)])
        }
        Origin::Compiled(compilation) => {
            let changes = (&changes[..], &[][..]);
            in_source(&loaded.sources, compilation, None, changes, question.needs_text)
        }
    };
    match made {
        Ok(texts) => Ok(Some(texts)),
        Err(errors) if question.needs_text => Err(errors),
        Err(_) => Ok(None),
    }
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
