//! Answers about programs in C and Rust: the graph is that of all modules, which need not be a closed program.

use std::path::PathBuf;

use axiomatic::Respected;
use cycles::answer::{Asked, Repair};
use cycles::{Arch, Costs, NONE_GOES, NodeRef, Orders};
use events::{Graph, PlaceId};
use frontend::edit::Change as TextChange;
use lowering::Lifetimes;
use program::{Diagnostic, Diagnostics, FenceKind, IndexVec, Order, SourceId, Sources, Span};
use web_time::Instant;

use super::plain::LeftAlone;
use super::refined::{Proof, proven, refined};
use super::stage::Stage;
use super::texts::NewTexts;
use super::{
    Audit, Cycles, CyclesAnswer, Figures, all_changes, asked, audit, audited, confirmed,
    disagreement, is_in_source, must_be_repaired, orders, plain, reread,
};
use crate::host::Host;
use crate::inputs::{Loaded, SourceOptions};
use crate::notes::{Note, NoteCode};
use crate::source::{Compilation, Unmade};

/// Where there are more plain accesses than this, some will not do: compilers are asked before a repair is looked for,
/// and a second one is not looked for twice.
const MANY_PLAIN: usize = 200;

/// An error if an option was given that says nothing about whole programs.
pub(super) fn fits(source: &SourceOptions) -> Result<(), Diagnostics> {
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
pub(super) fn answer(
    compilation: &mut Compilation,
    host: &dyn Host,
    closed: Option<&Loaded>,
    question: &Cycles,
    sources: &mut Sources,
) -> Result<CyclesAnswer, NotTold> {
    let start = Instant::now();
    audited::fits(question)?;
    question.stages.enter(Stage::Facts);
    let (graph, notes) = compilation.events(host, &[], sources).map_err(Diagnostics::from)?;
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
    let closed = closed.filter(|_| question.audit.is_some() || !answer.found.is_robust());
    if let Some(closed) = closed.filter(|_| question.audit.is_none()) {
        let (program, sources) = (&closed.program, &closed.sources);
        let confirmed = confirmed::confirmed(program, sources, question, Respected::IntoWrites);
        answer.confirmed = Some(confirmed);
    }
    let known =
        Known { graph: &graph, asked: &asked, kinds: &kinds, weights: &weights, dependencies };
    let mut left_alone = LeftAlone::new();
    let has_many = question.orders && plain::all(&graph).len() > MANY_PLAIN;
    if has_many {
        let can_write = orders::in_sources(sources, compilation);
        left_alone = plain::refused(&graph, (sources, compilation), host, &*can_write);
        left_alone.extend(plain::in_another_order(&graph));
    }
    loop {
        question.stages.enter(Stage::Fences);
        let made = known.answer(
            &mut answer,
            (compilation, sources),
            (host, closed),
            question,
            &left_alone,
        );
        let more = match made {
            Ok(()) => break,
            Err(NotTold::Error(errors)) => return Err(NotTold::Error(errors)),
            Err(NotTold::NotAtomic(_, all)) => {
                let can_write = orders::in_sources(sources, compilation);
                let refused = plain::refused(&graph, (sources, compilation), host, &*can_write);
                if refused.is_subset(&left_alone) { all } else { refused }
            }
            Err(NotTold::OtherOrder(..)) if has_many => plain::all(&graph),
            Err(NotTold::OtherOrder(_, more)) => more,
        };
        left_alone.extend(more);
    }
    answer.figures = Figures::new(sources, start);
    Ok(answer)
}

/// What is known of a program before anything is changed.
struct Known<'k, 'g> {
    graph: &'g Graph,
    asked: &'k Asked<'g>,
    kinds: &'k [(FenceKind, u64)],
    weights: &'k IndexVec<PlaceId, u64>,
    dependencies: bool,
}

impl Known<'_, '_> {
    /// Adds to an answer what is to be changed, where some plain accesses are left alone.
    fn answer(
        &self,
        answer: &mut CyclesAnswer,
        (compilation, sources): (&mut Compilation, &Sources),
        (host, closed): (&dyn Host, Option<&Loaded>),
        question: &Cycles,
        left_alone: &LeftAlone,
    ) -> Result<(), NotTold> {
        let Self { graph, asked, kinds, weights, dependencies } = *self;
        let mut changes: Option<Vec<TextChange>> = None;
        {
            let can_write = orders::in_sources(sources, compilation);
            if let Some(archs) = &question.audit {
                let audit = if let Some(closed) = closed {
                    let texts = ((sources, &*compilation), (host, closed));
                    let rereading = |changes: &[TextChange]| reread::changed(changes, texts);
                    let how = (question, Respected::IntoWrites);
                    let text = reread::assumption();
                    answer.notes.push(Note::general(NoteCode::AsWritten, text));
                    audited::by_executions(graph, archs, how, &*can_write, &rereading)?
                } else {
                    let how = (Orders::OfLanguage, dependencies);
                    audit::audit(graph, archs, question, how, &*can_write)
                };
                changes = audit.as_ref().ok().map(Audit::changes);
                answer.audit = Some(audit);
            } else {
                let is_left_alone = |span: Span| left_alone.contains(&span);
                let order = |node: NodeRef, order: Order| {
                    orders::price(question, graph, (&*can_write, &is_left_alone), node, order)
                };
                let weight = |place: PlaceId| weights[place];
                let costs = Costs { kinds, weight: &weight, order: &order, existing: NONE_GOES };
                if question.policies {
                    answer.policies = asked.policies(&costs);
                }
                if let Some(policy) = question.placed_by {
                    let changes = super::changes(&asked.by_policy(policy, &costs));
                    answer.texts = match changes.as_deref() {
                        None => None,
                        Some([]) => Some(Vec::new()),
                        Some(some) => NewTexts::of_sources((sources, compilation), some, true)?
                            .map(|new| new.texts),
                    };
                    return Ok(());
                }
                if let (Some(closed), Some(confirmed), true) =
                    (closed, &answer.confirmed, question.repair)
                {
                    let rereading = |repair: &Repair| {
                        let Some(changes) = all_changes(graph, repair) else { return Ok(None) };
                        let (texts, closed) = ((sources, &*compilation), (host, closed));
                        reread::program((repair, &changes), texts, closed, question)
                    };
                    let how = (question, Respected::IntoWrites);
                    let exact =
                        refined(confirmed, how, (graph, sources), (asked, &costs), &rereading)?;
                    if let Some(exact) = exact {
                        let text = reread::assumption();
                        answer.notes.push(Note::general(NoteCode::AsWritten, text));
                        answer.prove(exact);
                        return Ok(());
                    }
                }
                answer.repair = question.repair.then(|| asked.repair(&costs));
                if let Some(Ok(repair)) = &answer.repair {
                    changes = all_changes(graph, repair);
                }
            }
        }
        question.stages.enter(Stage::Again);
        if changes.as_ref().is_some_and(Vec::is_empty) {
            answer.texts = Some(Vec::new());
        }
        if let Some(changes) = changes.filter(|changes| !changes.is_empty()) {
            let made = NewTexts::of_sources((sources, compilation), &changes, question.needs_text)?;
            let Some(new) = made else { return Ok(()) };
            if let Some(Ok(Audit { executions: Some(_), .. })) = &answer.audit {
                answer.texts = Some(new.texts);
                return Ok(());
            }
            let repair = answer.repair.as_ref().and_then(|repair| repair.as_ref().ok());
            let before = Before { graph, sources, kinds, dependencies, left_alone };
            answer.proof = before.again(&new, repair, compilation, (host, closed), question)?;
            answer.texts = Some(new.texts);
        }
        Ok(())
    }
}

/// What a repaired text is compared with.
struct Before<'b> {
    graph: &'b Graph,
    sources: &'b Sources,
    kinds: &'b [(FenceKind, u64)],
    dependencies: bool,
    left_alone: &'b LeftAlone,
}

impl Before<'_> {
    /// Looks at changed texts again, as they would be read: at critical cycles, and at executions if there is a
    /// closed program.
    fn again(
        &self,
        new: &NewTexts,
        repair: Option<&Repair>,
        compilation: &mut Compilation,
        (host, closed): (&dyn Host, Option<&Loaded>),
        question: &Cycles,
    ) -> Result<Option<Proof>, NotTold> {
        let name = |source: &SourceId| PathBuf::from(self.sources.name(*source));
        let others: Vec<(PathBuf, String)> =
            new.texts.iter().map(|(source, text)| (name(source), text.clone())).collect();
        let mut again = Sources::new();
        let refused = |why: Unmade| NotTold::of(why, repair);
        let (graph, _) = compilation.events(host, &others, &mut again).map_err(refused)?;
        let how = (Orders::OfLanguage, self.dependencies);
        if let Some(archs) = &question.audit {
            audit::must_be_robust(&graph, archs, question, how)?;
            return Ok(None);
        }
        let Some(repair) = repair else { return Ok(None) };
        let ask = super::question(&graph, how.0, question, how.1);
        let asked = Asked::with_new_fences(ask, new.nodes(self.graph, &graph, &again));
        let can_write = orders::in_sources(&again, compilation);
        let is_left_alone = |span: Span| {
            new.before(self.sources, &again, span).is_some_and(|at| self.left_alone.contains(&at))
        };
        let price = |node: NodeRef, order: Order| {
            orders::price(question, &graph, (&*can_write, &is_left_alone), node, order)
        };
        must_be_repaired(&asked, repair, self.kinds, &price).map_err(|errors| {
            let assignments = plain::evaluated_otherwise(self.graph, repair);
            if assignments.is_empty() {
                NotTold::Error(errors)
            } else {
                NotTold::OtherOrder(errors, assignments)
            }
        })?;
        let Some(closed) = closed.filter(|_| repair.is_whole()) else { return Ok(None) };
        let again = closed.again(host, &reread::renamed(&new.texts, self.sources, closed));
        let (program, sources) = again.map_err(|why| NotTold::of(why, Some(repair)))?;
        let added = new.edges(&closed.program, &program, &sources);
        let proof = proven((&program, &added), question, Respected::IntoWrites);
        Ok(Some(proof.map_err(|_| disagreement())?))
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NotTold {
    /// Texts are not repaired in which a plain assignment became a call. Compilers evaluate what is assigned before where it
    /// goes, and the arguments of a call from left to right; so loads that were ordered may have changed places. Where
    /// these assignments stand.
    OtherOrder(Diagnostics, LeftAlone),
    /// A compiler refuses texts in which plain accesses became atomic, these: not all can be.
    NotAtomic(Diagnostics, LeftAlone),
    /// Anything else.
    Error(Diagnostics),
}

impl NotTold {
    /// Why the texts of a repair cannot be read again.
    pub(super) fn of(why: Unmade, repair: Option<&Repair>) -> Self {
        let orders = repair.iter().flat_map(|repair| &repair.orders);
        let plain: LeftAlone =
            orders.filter(|order| order.from < Order::Relaxed).map(|order| order.span).collect();
        match why {
            Unmade::Refused(errors) if !plain.is_empty() => Self::NotAtomic(errors, plain),
            Unmade::Refused(errors) | Unmade::Otherwise(errors) => Self::Error(errors),
        }
    }
}

impl From<Diagnostics> for NotTold {
    fn from(errors: Diagnostics) -> Self {
        Self::Error(errors)
    }
}

impl From<NotTold> for Diagnostics {
    fn from(why: NotTold) -> Self {
        match why {
            NotTold::OtherOrder(errors, _)
            | NotTold::NotAtomic(errors, _)
            | NotTold::Error(errors) => errors,
        }
    }
}

/// What every answer about C and Rust says.
fn as_written(arch: Arch) -> String {
    let arch = arch.name();
    format!(
        "this assumes that the compiler keeps every access as written, on {arch}; optimisations may reorder plain and relaxed accesses (`fencewright explain docs/source.md`)"
    )
}
