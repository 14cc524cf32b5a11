//! Can something be reached?

use std::ops::ControlFlow;
use std::path::PathBuf;

use analysis::parameterised::{self, Instance, is_parameterised};
use analysis::{
    Basis, Engine, Execution, Histories, Options, Query, Reason, Statistics, Verdict, accept,
    known_under_tso, reach_under,
};
use program::{Diagnostics, Program, Quantifier, Sources};
use semantics::Model;
use spin::Failure;

use crate::Conclusion;
use crate::histories;
use crate::inputs::{Loaded, Premises, Refused};
use crate::misplaced;
use crate::notes::{Note, X86, notes};
use crate::spin::{self as by_spin, NoAnswer};
use crate::store::{ProgramId, Subject, Workspace};
use crate::suppression::{self, Accepted};

/// The question: can any of this be reached?
#[derive(Clone, Debug)]
pub struct Reach {
    /// A state in which this is true, in the words of `.fw`: `p[0]@critical && x == 1`.
    pub goal: Option<String>,
    /// Failed assertions and other errors.
    pub faults: bool,
    /// Deadlocks: nobody can get any further, and some thread waits.
    pub deadlocks: bool,
    /// Final states that the program's `never` or `always` rules out, and, unless a goal is given, the states
    /// that it forbids.
    pub final_states: bool,
    /// Histories of operations that no sequential order explains in this sense. Then nothing else is looked
    /// for.
    pub histories: Option<Histories>,
    /// The program whose operations run alone, if it is not this one: a model in `.fw`.
    pub sequential: Option<PathBuf>,
    /// The memory model.
    pub model: Model,
    /// Who searches.
    pub engine: Engine,
    /// How to search, and how much may be spent on it.
    pub options: Options,
}

impl Default for Reach {
    /// Everything that is wrong in any program, under SC.
    fn default() -> Self {
        Self {
            goal: None,
            faults: true,
            deadlocks: true,
            final_states: true,
            histories: None,
            sequential: None,
            model: Model::Sc,
            engine: Engine::Fencewright,
            options: Options::default(),
        }
    }
}

/// Something that was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookedFor {
    /// The goal.
    Goal,
    /// A state that the program forbids.
    Forbidden,
    /// An error.
    Fault,
    /// A deadlock.
    Deadlock,
    /// A final state that the program rules out with this word.
    RuledOut(Quantifier),
    /// A history that no sequential order explains in this sense.
    History(Histories),
}

/// The answer.
#[derive(Debug)]
pub struct ReachAnswer {
    /// The memory model that was asked about.
    pub model: Model,
    /// Who searched.
    pub engine: Engine,
    /// What was looked for.
    pub looked_for: Vec<LookedFor>,
    /// Nothing of that can be reached (holds), or something can, by this run.
    pub verdict: Verdict<Execution>,
    /// The instance that the run is of, if there can be any number of threads.
    pub instance: Option<Box<Instance>>,
    /// What the search did that decided.
    pub statistics: Statistics,
    /// What comments in the source accept of it.
    pub accepted: Option<Accepted>,
    /// What it rests on.
    pub premises: Premises,
    /// What else a reader should know.
    pub notes: Vec<Note>,
}

impl ReachAnswer {
    /// That nothing is known, for this reason.
    pub fn undecided(model: Model, engine: Engine, reason: Reason) -> Self {
        Self {
            model,
            engine,
            looked_for: Vec::new(),
            verdict: Verdict::Undecided(reason),
            instance: None,
            statistics: Statistics::default(),
            accepted: None,
            premises: Premises::default(),
            notes: Vec::new(),
        }
    }

    /// What it comes to.
    pub fn conclusion(&self) -> Conclusion {
        match (&self.verdict, &self.accepted) {
            (Verdict::Violated(_), Some(accepted)) => accepted.conclusion(),
            (verdict, _) => Conclusion::of(verdict),
        }
    }

    /// With what comments accept of it.
    fn with_suppressions(mut self, loaded: &Loaded) -> Self {
        let program = self.instance.as_ref().map_or(&loaded.program, |instance| &instance.program);
        let (accepted, notes) = suppression::of_run(&loaded.sources, program, &self.verdict);
        self.accepted = accepted;
        self.notes.extend(notes);
        self
    }
}

impl Workspace<'_> {
    /// Whether something can be reached.
    pub fn reach(&mut self, id: ProgramId, question: &Reach) -> Result<ReachAnswer, Refused> {
        let mut subject = self.subject(id);
        if let Some(asked) = question.histories {
            return of_histories(&mut subject, question, asked);
        }
        let loaded = subject.loaded;
        let mut sources = loaded.sources.clone();
        let found = query(question, loaded, &mut sources)
            .and_then(|query| Ok((search(&mut subject, question, &query)?, query)));
        let ((verdict, statistics, instance), query) =
            found.map_err(|errors| Refused { errors, sources })?;
        Ok(ReachAnswer {
            model: question.model,
            // Small searches are not worth an engine elsewhere, and then it is not one that answers.
            engine: match question.engine {
                Engine::Spin => Engine::Spin,
                Engine::Fencewright | Engine::Cuda | Engine::Cluster => statistics.engine,
            },
            looked_for: looked_for(question, &query, loaded),
            verdict,
            instance,
            statistics,
            accepted: None,
            premises: loaded.premises.clone(),
            notes: notes(&mut subject, X86, &question.options),
        }
        .with_suppressions(loaded))
    }
}

/// Whether a sequential order explains every history.
fn of_histories(
    subject: &mut Subject<'_, '_>,
    question: &Reach,
    asked: Histories,
) -> Result<ReachAnswer, Refused> {
    let loaded = subject.loaded;
    let (model, options) = (question.model, &question.options);
    if model == Model::Tso {
        misplaced::for_x86(loaded, "`--model tso`").map_err(|errors| loaded.refuse(errors))?;
    }
    let file = question.sequential.as_deref();
    let specification = histories::specification(subject.host, loaded, file)?;
    let watch = &mut *subject.watch;
    let found =
        analysis::histories(&loaded.program, &specification, (asked, model), options, watch);
    let (verdict, statistics) = match found {
        Ok(report) => (report.verdict, report.statistics),
        Err(parameterised) => {
            let reason = Reason::Parameterised(parameterised);
            (Verdict::Undecided(reason), Statistics::default())
        }
    };
    Ok(ReachAnswer {
        model,
        engine: statistics.engine,
        looked_for: vec![LookedFor::History(asked)],
        verdict,
        instance: None,
        statistics,
        accepted: None,
        premises: loaded.premises.clone(),
        notes: notes(subject, X86, options),
    }
    .with_suppressions(loaded))
}

fn query(question: &Reach, loaded: &Loaded, sources: &mut Sources) -> Result<Query, Diagnostics> {
    match question.model {
        Model::Sc => {}
        Model::Tso => misplaced::for_x86(loaded, "`--model tso`")?,
    }
    let goal = match &question.goal {
        Some(text) => {
            let source = sources.add("--goal", text.as_str());
            Some(frontend::fw::goal(sources, source, &loaded.program)?)
        }
        None if question.final_states => loaded.program.question().forbidden.clone(),
        None => None,
    };
    Ok(Query {
        faults: question.faults,
        deadlocks: question.deadlocks,
        question: question.final_states && ruled_out(loaded).is_some(),
        goal,
    })
}

/// How the program says of final states that they must not be, if it does.
fn ruled_out(loaded: &Loaded) -> Option<LookedFor> {
    let quantifier = loaded.program.question().condition.as_ref()?.0;
    match quantifier {
        Quantifier::Never | Quantifier::Always => Some(LookedFor::RuledOut(quantifier)),
        Quantifier::Exists => None,
    }
}

fn looked_for(question: &Reach, query: &Query, loaded: &Loaded) -> Vec<LookedFor> {
    let all = [
        query.goal.is_some().then_some(if question.goal.is_some() {
            LookedFor::Goal
        } else {
            LookedFor::Forbidden
        }),
        query.faults.then_some(LookedFor::Fault),
        query.deadlocks.then_some(LookedFor::Deadlock),
        ruled_out(loaded).filter(|_| query.question),
    ];
    all.into_iter().flatten().collect()
}

/// A verdict, what was done for it, and the instance that it is about.
type Searched = (Verdict<Execution>, Statistics, Option<Box<Instance>>);

fn search(
    subject: &mut Subject<'_, '_>,
    question: &Reach,
    query: &Query,
) -> Result<Searched, Diagnostics> {
    let (program, options) = (&subject.loaded.program, &question.options);
    let found = match question.engine {
        Engine::Fencewright | Engine::Cuda | Engine::Cluster if is_parameterised(program) => {
            let watch = &mut *subject.watch;
            let (report, instance) =
                parameterised::reach(program, query, question.model, options, watch);
            return Ok((report.verdict, report.statistics, instance));
        }
        Engine::Fencewright | Engine::Cuda | Engine::Cluster => {
            let found = reach_under(program, query, question.model, options, &mut *subject.watch);
            found.map(|report| (report.verdict, report.statistics)).map_err(NoAnswer::from)
        }
        Engine::Spin => with_spin(subject, question, query),
    };
    match found {
        Ok((verdict, statistics)) => Ok((verdict, statistics, None)),
        Err(NoAnswer::Refused(errors)) => Err(errors),
        Err(NoAnswer::Parameterised(parameterised)) => {
            let reason = Reason::Parameterised(parameterised);
            Ok((Verdict::Undecided(reason), Statistics::default(), None))
        }
    }
}

/// The search by Spin, which knows SC.
fn with_spin(
    subject: &Subject<'_, '_>,
    question: &Reach,
    query: &Query,
) -> Result<(Verdict<Execution>, Statistics), NoAnswer> {
    let program = &subject.loaded.program;
    program.threads()?;
    let (faults, deadlocks) = (query.faults, query.deadlocks);
    let asked = spin::Query { faults, deadlocks, goal: query.goal.clone() };
    let answer = subject
        .host
        .spin(program, &asked, &by_spin::options(&question.options))
        .map_err(by_spin::diagnostics)?;
    let engine = Engine::Spin;
    let verdict = match answer.verdict {
        spin::Verdict::Holds if query.question => {
            Verdict::Undecided(Reason::FinalStatesNotAsked { engine })
        }
        spin::Verdict::Holds => {
            // Where a translation ends Spin does not say.
            let nobody = |_: &analysis::Progress| ControlFlow::Continue(());
            let (whole, _) = analysis::whole(program, &question.options, nobody)?;
            under(program, question.model, Verdict::of_whole(Basis::Exhausted { engine }, whole))
        }
        spin::Verdict::Violated(violation) => {
            let accepted = accept(program, query, &violation.computation)?;
            let elsewhere = || by_spin::diagnostics(Failure::EndsElsewhere(violation.what));
            under(program, question.model, Verdict::Violated(accepted.ok_or_else(elsewhere)?))
        }
        spin::Verdict::Undecided(reason) => Verdict::Undecided(by_spin::reason(reason)),
    };
    Ok((verdict, by_spin::statistics(&answer.statistics)))
}

/// An answer under SC as one under the model that was asked about.
fn under(program: &Program, model: Model, verdict: Verdict<Execution>) -> Verdict<Execution> {
    match model {
        Model::Sc => verdict,
        Model::Tso => known_under_tso(program, verdict),
    }
}
