//! Static critical cycles: which accesses may be reordered to the effect that an execution is not SC, on any
//! architecture and for programs of any size, and the cheapest fences that keep them in order.
//!
//! Models go through the graph of their program; programs in C and Rust through that of their modules, which
//! need not be closed: nothing is explored, and nothing is bounded.

use std::path::PathBuf;
use std::time::Instant;

use cycles::answer::{
    Asked, Found, NoRepair, PolicyFences, Question, Repair, ShownFence, ShownVisit,
};
use cycles::{Arch, Costs, Orders, loop_depths};
use events::{At, Graph, PlaceId, Positions, ProgramGraph, Rounds, Side, of_program};
use frontend::Language;
use frontend::edit::{Change as TextChange, edit};
use program::change::{Change, apply};
use program::{Diagnostic, Diagnostics, FenceKind, IndexVec, Program, SourceId, Sources, Span};

use crate::Conclusion;
use crate::fence::text::in_source;
use crate::host::Host;
use crate::inputs::{Inputs, Loaded, Origin, Premises, Refused, SourceOptions};
use crate::notes::Note;
use crate::source::Compilation;
use crate::store::{ProgramId, Subject, Workspace};

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
pub struct Cycles {
    /// The machine.
    pub arch: Arch,
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
    /// Whether it is an error if the repaired text cannot be written.
    pub needs_text: bool,
    /// When to stop.
    pub deadline: Option<Instant>,
}

impl Cycles {
    /// Delays on an architecture.
    pub fn on(arch: Arch) -> Self {
        Self {
            arch,
            positions: Positions::AfterInstructions,
            repair: false,
            kinds: None,
            kind_costs: Vec::new(),
            weights: Weights::Equal,
            shown: 10,
            every_cycle: None,
            policies: false,
            needs_text: false,
            deadline: None,
        }
    }

    /// Fences for an architecture.
    pub fn repaired(arch: Arch) -> Self {
        Self { repair: true, ..Self::on(arch) }
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
    /// What was found.
    pub found: Found,
    /// The fences, if they were asked for.
    pub repair: Option<Result<Repair, NoRepair>>,
    /// What older policies put in, if that was asked.
    pub policies: Vec<PolicyFences>,
    /// All critical cycles with a delay, if they were asked for, and whether they are all.
    pub cycles: Option<(Vec<Vec<ShownVisit>>, bool)>,
    /// The texts that change, if there is a repair and it can be written.
    pub texts: Option<Vec<(SourceId, String)>>,
    /// What it rests on.
    pub premises: Premises,
    /// What else a reader should know.
    pub notes: Vec<Note>,
}

impl CyclesAnswer {
    /// What it comes to.
    pub fn conclusion(&self) -> Conclusion {
        match &self.repair {
            _ if self.found.is_robust() => Conclusion::Fine,
            Some(Ok(_)) => Conclusion::Fine,
            Some(Err(_)) | None => Conclusion::Undecided,
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
            let answer = whole(&mut compilation, self.host(), question, &mut sources);
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

/// An error if an option was given that says nothing about whole programs.
fn fits(source: &SourceOptions) -> Result<(), Diagnostics> {
    let given = [
        ("--test", source.test.is_some()),
        ("--unit-tests", source.unit_tests.is_some()),
        ("--args", source.args.is_some()),
        ("--max-recursion", source.max_recursion.is_some()),
        ("--max-allocations", source.max_allocations.is_some()),
        ("--max-amounts", source.max_amounts.is_some()),
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
    question: &Cycles,
    sources: &mut Sources,
) -> Result<CyclesAnswer, Diagnostics> {
    let (graph, notes) = compilation.events(host, &[], sources)?;
    let asked = asked(&graph, Orders::OfLanguage, question);
    let kinds = question.priced(is_in_source);
    let weights = question.weights(&graph);
    let costs = Costs { kinds: &kinds, weight: &|place| weights[place] };
    let repair = question.repair.then(|| asked.repair(&costs));
    let mut texts = None;
    if let Some(Ok(repair)) = &repair {
        let changes = changes(&repair.fences);
        let wanted = question.needs_text;
        texts = match changes
            .map(|changes| in_source(sources, compilation, None, (&changes, &[]), wanted))
        {
            Some(Ok(texts)) => Some(texts),
            Some(Err(errors)) if wanted => return Err(errors),
            Some(Err(_)) | None => None,
        };
        if let Some(texts) = &texts {
            let name = |source: &SourceId| PathBuf::from(sources.name(*source));
            let others: Vec<(PathBuf, String)> =
                texts.iter().map(|(source, text)| (name(source), text.clone())).collect();
            let (graph, _) = compilation.events(host, &others, &mut Sources::new())?;
            must_be_robust(&graph, Orders::OfLanguage, question)?;
        }
    }
    Ok(CyclesAnswer {
        arch: question.arch,
        found: asked.find(),
        repair,
        policies: if question.policies { asked.policies(&costs) } else { Vec::new() },
        cycles: question.every_cycle.map(|most| asked.cycles(most)),
        texts,
        premises: Premises::default(),
        notes: notes.into_iter().chain([as_written(question.arch)]).map(Note::general).collect(),
    })
}

fn answer(subject: &Subject<'_, '_>, question: &Cycles) -> Result<CyclesAnswer, Diagnostics> {
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
    let asked = asked(&graph.graph, orders(&loaded.program, question), question);
    let kinds = question.priced(|kind| is_expressible(loaded, kind));
    let weights = question.weights(&graph.graph);
    let costs = Costs { kinds: &kinds, weight: &|place| weights[place] };
    let found = asked.find();
    let repair = question.repair.then(|| asked.repair(&costs));
    let mut texts = None;
    if let Some(Ok(repair)) = &repair {
        texts = edited(loaded, question, &repair.fences)?;
        let changed = match &texts {
            Some(texts) => loaded.again(subject.host, texts)?,
            None => fenced(&loaded.program, &graph, &repair.fences),
        };
        check_again(&changed, question)?;
    }
    Ok(CyclesAnswer {
        arch: question.arch,
        found,
        repair,
        policies: if question.policies { asked.policies(&costs) } else { Vec::new() },
        cycles: question.every_cycle.map(|most| asked.cycles(most)),
        texts,
        premises: loaded.premises.clone(),
        notes: Vec::new(),
    })
}

/// What every answer about C and Rust says.
fn as_written(arch: Arch) -> String {
    let arch = arch.name();
    format!(
        "this assumes that the compiler keeps every access as written, on {arch}; optimisations may reorder plain and relaxed accesses (docs/source.md)"
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

fn asked<'g>(graph: &'g Graph, orders: Orders, question: &Cycles) -> Asked<'g> {
    Asked::new(Question {
        graph,
        arch: question.arch,
        orders,
        shown: question.shown,
        deadline: question.deadline,
    })
}

/// Whether the language of a program has fences of a kind.
fn is_expressible(loaded: &Loaded, kind: FenceKind) -> bool {
    match &loaded.origin {
        Origin::Text(Language::Fw, _) => true,
        Origin::Text(Language::Litmus, _) => loaded.has_fence(kind),
        Origin::Text(Language::Trencher | Language::Esop13 | Language::Esop15, _) => {
            kind == FenceKind::Full
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

/// The program with fences.
fn fenced(program: &Program, graph: &ProgramGraph, fences: &[ShownFence]) -> Program {
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

/// The texts with the fences, if they can be written; an error if somebody wants them and they cannot.
fn edited(
    loaded: &Loaded,
    question: &Cycles,
    fences: &[ShownFence],
) -> Result<Option<Vec<(SourceId, String)>>, Diagnostics> {
    let Some(changes) = changes(fences) else { return Ok(None) };
    let made = match &loaded.origin {
        Origin::Text(language, _) => {
            let source = program::index::Idx::new(0);
            edit(&loaded.sources, source, *language, &changes).map(|text| vec![(source, text)])
        }
        Origin::Compiled(compilation) => {
            let changes = (changes.as_slice(), &[][..]);
            in_source(&loaded.sources, compilation, None, changes, question.needs_text)
        }
    };
    match made {
        Ok(texts) => Ok(Some(texts)),
        Err(errors) if question.needs_text => Err(errors),
        Err(_) => Ok(None),
    }
}

/// Nothing is called repaired that is not looked at again, as it would be read.
fn check_again(program: &Program, question: &Cycles) -> Result<(), Diagnostics> {
    must_be_robust(&graph(program, question).graph, orders(program, question), question)
}

fn must_be_robust(graph: &Graph, orders: Orders, question: &Cycles) -> Result<(), Diagnostics> {
    if asked(graph, orders, question).find().is_robust() {
        return Ok(());
    }
    Err(vec![
        Diagnostic::new(Span::NONE, "the repaired program is not what it should be")
            .help("this is a bug in Fencewright, please report it with the program"),
    ])
}
