//! Proofs for all instances at once, by coverability.

use std::ops::ControlFlow;

use automata::Threads;
use coverability::{Answer, Direction, cover};
use explore::{Limits, Lookout, Progress};
use program::identities::names;
use program::{
    Count, Instruction, Names, Observable, Program, Quantifier, StateProposition, Template,
    TemplateId, Value,
};
use web_time::Instant;

use semantics::Model;

use super::asked::{Asked, Asking, Condition, Deadlock, End, ErrorsAlone, Goal};
use super::ends;
use super::instances::Instances;
use super::named::{Holding, Naming};
use super::net::{Beginning, NoNet, Threaded};
use super::race::Proved;
use super::running::{Running, Seen, under_tso};
use super::targets;
use super::walk::walk;
use super::watched::{self, Looked, Watched};
use super::{Unknown, is_parameterised};
use crate::criterion::Criterion;
use crate::overtaking::Clash;
use crate::portfolio::Remark;
use crate::proof::{Basis, Proof};
use crate::reach::{self, Query, not_searched};
use crate::robustness::Attacks;
use crate::sc::{self, LiveUntil, Look, Sc};
use crate::under_tso::reach_under;
use crate::verdict::{Options, Reason, Verdict, Watch};
use crate::whole::Whole;

/// All instances of a program.
pub(super) struct Family<'a> {
    program: &'a Program,
    pub(super) options: &'a Options,
    /// Stands for all of them.
    representative: Program,
    /// What holds identities of copies of any number.
    names: Names,
}

impl<'a> Family<'a> {
    pub(super) fn of(program: &'a Program, options: &'a Options) -> Self {
        let representative = Instances::of(program).representative();
        let names = names(program).expect("programs are valid");
        Self { program, options, representative, names }
    }

    pub(super) const fn program(&self) -> &Program {
        self.program
    }

    pub(super) const fn representative(&self) -> &Program {
        &self.representative
    }

    pub(super) fn prove_criterion(
        &self,
        criterion: Criterion,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        match criterion {
            Criterion::Robustness => self.prove_robustness(watch, remark),
            Criterion::Drf => self.prove_pattern(Looked::Race, watch, remark),
            Criterion::Trf => {
                self.prove_pattern(Looked::Overtaking(Clash::SameCell), watch, remark)
            }
            Criterion::Persistence => {
                self.prove_pattern(Looked::Overtaking(Clash::OtherValue), watch, remark)
            }
            Criterion::States => Proved::Unknown(Reason::AnyNumber(Unknown::States)),
        }
    }

    /// Why nothing can be proved.
    pub(super) fn refused(&self) -> Option<Reason> {
        let mut edges = self.program.templates().iter().flat_map(Template::edges);
        let exclusive = edges.find(|edge| {
            let access = edge.instruction.memory_access();
            access.is_some_and(|(_, access)| access.exclusive)
        });
        let refused = exclusive.map(|edge| Unknown::Exclusives { at: edge.span });
        let refused = not_searched(self.program).or(refused.map(Reason::AnyNumber));
        refused.or_else(|| {
            let sc = Sc::new(&self.representative, self.look(false)).expect("it is definite");
            let walked = walk(&sc, &mut Lookout::new(&self.options.limits));
            let cell = |cell| self.cell_name(address_of(cell));
            walked.err().map(|no_net| self.no_net(no_net, cell, |class| sc.template_of(class)))
        })
    }

    fn prove_robustness(&self, watch: &mut Watch<'_>, remark: &mut Option<Remark>) -> Proved {
        if let Some(reason) = self.refused() {
            return Proved::Unknown(reason);
        }
        let sc = Sc::new(&self.representative, self.look(false)).expect("it is definite");
        self.prove_attacks(&Attacks::of(sc), &self.any_templates(), watch, remark)
    }

    /// Whether no instance has one of some attacks; `classes` says of each class which template its
    /// threads are of, and whether there is any number of them.
    pub(super) fn prove_attacks(
        &self,
        attacks: &Attacks<'_>,
        classes: &[(TemplateId, bool)],
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let cell = |cell| self.cell_name(Attacks::name_of(cell));
        let base = |class, local: &_| attacks.stopped_by(class, local);
        let goals =
            |threaded: &Threaded<'_, Attacks<'_>>| Ok(Asked::exactly(threaded.net.targets.clone()));
        self.prove((attacks, classes), cell, base, goals, watch, remark)
    }

    fn prove_pattern(
        &self,
        looked: Looked,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        if let Some(reason) = self.refused() {
            return Proved::Unknown(reason);
        }
        let sc = Sc::new(&self.representative, self.look(false)).expect("it is definite");
        let watched = Watched { sc, looked };
        let cell = |cell| match cell {
            watched::Cell::Sc(cell) => self.cell_name(address_of(cell)),
            watched::Cell::Stage => self.cell_name(None),
        };
        let base = |class, local: &watched::Local| watched.sc.stopped_by(class, &local.base);
        let goals =
            |threaded: &Threaded<'_, Watched<'_>>| Ok(Asked::exactly(threaded.net.targets.clone()));
        self.prove((&watched, &self.any_templates()), cell, base, goals, watch, remark)
    }

    /// Whether no instance reaches what a query looks for under a model, part by part.
    pub(super) fn prove_reach(
        &self,
        query: &Query,
        model: Model,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        if let Some(reason) = self.refused() {
            return Proved::Unknown(reason);
        }
        let mut proved = self.prove_no_goal(query, model, watch, remark);
        if query.question && self.rules_out() && matches!(proved, Proved::Holds(_)) {
            proved = self.prove_no_end(model, watch, remark);
        }
        if query.deadlocks && self.can_wait() && matches!(proved, Proved::Holds(_)) {
            proved = self.prove_no_deadlock(model, watch, remark);
        }
        proved
    }

    /// Whether no instance gets to a fault or to a goal.
    fn prove_no_goal(
        &self,
        query: &Query,
        model: Model,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let program = &self.representative;
        let query = Query { question: false, deadlocks: false, ..query.clone() };
        let Some(goal) = &query.goal else {
            let looks = (self.look(query.faults), Seen::Errors);
            return self.prove_of_run(program, model, looks, watch, remark, &ErrorsAlone);
        };
        if self.asks_who(goal) {
            return Proved::Unknown(Reason::AnyNumber(Unknown::Who));
        }
        let (named, observables) = targets::looked_at(goal);
        let look = self.look_at(program, &query, &named);
        let condition = Goal { family: self, named, observables, condition: goal };
        self.prove_of_run(program, model, (look, Seen::States), watch, remark, &condition)
    }

    /// Whether no instance has a final state that the program rules out.
    fn prove_no_end(
        &self,
        model: Model,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let ending = ends::of_those_that_end(self.program);
        let query = Query { question: true, ..Query::default() };
        if !is_parameterised(&ending) {
            let report = reach_under(&ending, &query, model, self.options, watch);
            return match report.expect("it is definite").verdict {
                Verdict::Holds(proof) => Proved::Holds(proof),
                Verdict::Violated(_) => Proved::Coverable(0),
                Verdict::Undecided(reason) => Proved::Unknown(reason),
            };
        }
        let family = Family::of(&ending, self.options);
        let condition = targets::ruled_out(self.program.question());
        if family.asks_who(&condition) {
            return Proved::Unknown(Reason::AnyNumber(Unknown::Who));
        }
        let program = &family.representative;
        let (named, observables) = targets::looked_at(&condition);
        let look = self.look_at(program, &query, &named);
        let end = End { family: &family, observables, condition: &condition };
        family.prove_of_run(program, model, (look, Seen::Ends), watch, remark, &end)
    }

    /// Whether no instance has a deadlock.
    fn prove_no_deadlock(
        &self,
        model: Model,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let looks = (self.look(false), Seen::Ends);
        let waiting = Deadlock { family: self };
        self.prove_of_run(&self.representative, model, looks, watch, remark, &waiting)
    }

    /// What a query looks at, and which copy somebody is.
    fn look_at<'p>(
        &self,
        program: &'p Program,
        query: &Query,
        named: &[targets::Named],
    ) -> Look<'p> {
        let mut look = reach::watched(program, query, self.options.reductions.dead_registers);
        for (template, _) in named {
            if let Some(identity) = program.template(*template).identity() {
                look.registers.push((*template, identity.register, LiveUntil::Always));
            }
        }
        look
    }

    /// Whether no instance gets to what is asked about when it runs under a model.
    fn prove_of_run<'p>(
        &self,
        program: &'p Program,
        model: Model,
        (look, seen): (Look<'p>, Seen),
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
        condition: &impl Condition,
    ) -> Proved {
        match model {
            Model::Sc => {
                let sc = Sc::new(program, look).expect("it is definite");
                self.prove_of(&sc, watch, remark, condition)
            }
            Model::Tso => {
                let buffered = under_tso(program, look, seen, self.options);
                self.prove_of(&buffered, watch, remark, condition)
            }
        }
    }

    fn prove_of<T: Running>(
        &self,
        threads: &T,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
        condition: &impl Condition,
    ) -> Proved {
        let cell = |cell| self.cell_name(address_of(cell));
        let stopped = |class, local: &T::Local| threads.stopped_by(class, local);
        let asked = |threaded: &Threaded<'_, T>| condition.asked(threads, threaded);
        self.prove((threads, &self.any_templates()), cell, stopped, asked, watch, remark)
    }

    /// Whether the program rules out final states.
    fn rules_out(&self) -> bool {
        matches!(
            self.program.question().condition,
            Some((Quantifier::Never | Quantifier::Always, _))
        )
    }

    /// The threads of definite number.
    pub(super) fn definite(&self) -> Vec<targets::Named> {
        let templates = self.program.templates().enumerate();
        let copies = |(id, template): (TemplateId, &Template)| match template.count() {
            Count::Exactly(count) => (0..count).map(|copy| (id, copy)).collect(),
            Count::Any => Vec::new(),
        };
        templates.flat_map(copies).collect()
    }

    /// Whether a thread can wait for ever.
    fn can_wait(&self) -> bool {
        self.program.templates().iter().any(|template| {
            template.labels().iter().any(|label| label.waiting)
                || template.edges().iter().any(|edge| edge.instruction == Instruction::Lock)
        })
    }

    pub(super) fn look<'p>(&self, faults: bool) -> Look<'p> {
        let forget_dead_registers = self.options.reductions.dead_registers;
        Look { faults, forget_dead_registers, ..Look::at_nothing() }
    }

    fn cell_name(&self, address: Option<Value>) -> String {
        address.map_or_else(
            || "the memory lock".to_owned(),
            |address| self.program.memory().cell_name(address),
        )
    }

    /// For each template whether there is any number of copies.
    fn any_templates(&self) -> Vec<(TemplateId, bool)> {
        let templates = self.program.templates().enumerate();
        templates.map(|(id, one)| (id, one.count() == Count::Any)).collect()
    }

    /// What may be spent on a proof from now on.
    fn limits_of_proof(&self, now: Instant) -> Limits {
        let limits = self.options.limits;
        let deadline = limits.deadline.map(|end| {
            let left = end.saturating_duration_since(now);
            now + left / 4 * 3
        });
        Limits { deadline, ..limits }
    }

    fn no_net<Cell>(
        &self,
        why: NoNet<Cell>,
        cell_name: impl Fn(Cell) -> String,
        template: impl Fn(usize) -> TemplateId,
    ) -> Reason {
        match why {
            NoNet::Limit(limit) => Reason::Limit(limit),
            NoNet::Contents(cell) => Reason::AnyNumber(Unknown::Values { cell: cell_name(cell) }),
            NoNet::Locals(class) => {
                let thread = self.program.template(template(class)).name().to_owned();
                Reason::AnyNumber(Unknown::Locals { thread })
            }
        }
    }

    /// For each thread the one that begins as it does: of any number of copies the first.
    fn like<T: Threads>(&self, threads: &T, classes: &[(TemplateId, bool)]) -> Vec<usize> {
        let class_of = threads.classes();
        let template = |thread: usize| classes[class_of[thread]].0;
        let first = |thread: usize| {
            let is_any = self.program.template(template(thread)).count() == Count::Any;
            let same = (0..thread).find(|other| template(*other) == template(thread));
            same.filter(|_| is_any).unwrap_or(thread)
        };
        (0..class_of.len()).map(first).collect()
    }

    /// Whether a condition asks which copy of any number it is: only constants can be asked about.
    fn asks_who(&self, condition: &StateProposition) -> bool {
        let first = |seen: Observable| match seen {
            Observable::Register { template, register, .. } => {
                self.names.first_in(template, register)
            }
            Observable::Cell(address) => self.names.first_at(self.program.memory(), address),
            Observable::Across(..) => None,
        };
        match condition {
            StateProposition::At { .. } => false,
            StateProposition::Equals(seen, value) => {
                first(*seen).is_some_and(|first| *value >= first)
            }
            StateProposition::Less(seen, value) => first(*seen).is_some_and(|first| *value > first),
            StateProposition::Not(part) => self.asks_who(part),
            StateProposition::All(parts) | StateProposition::Any(parts) => {
                parts.iter().any(|part| self.asks_who(part))
            }
        }
    }

    /// Whether no instance of some threads, of which there is any number of those of some classes, gets to
    /// what is asked about, and none to a bound.
    fn prove<T: Holding>(
        &self,
        (threads, classes): (&T, &[(TemplateId, bool)]),
        cell_name: impl Fn(T::Cell) -> String,
        stopped_by: impl Fn(usize, &T::Local) -> Reason,
        asked: impl FnOnce(&Threaded<'_, T>) -> Asking,
        watch: &mut Watch<'_>,
        remark: &mut Option<Remark>,
    ) -> Proved {
        let started = Instant::now();
        let limits = &self.limits_of_proof(started);
        let like = self.like(threads, classes);
        let beginning = Beginning { like: &like, any: &|class| classes[class].1 };
        let is_named = !self.names.is_in_no_location();
        let naming = is_named.then(|| Naming { names: &self.names, memory: self.program.memory() });
        let net = Threaded::of(threads, naming, &beginning, &mut Lookout::new(limits));
        let mut threaded = match net {
            Ok(threaded) => threaded,
            Err(no_net) => {
                return Proved::Unknown(self.no_net(no_net, cell_name, |class| classes[class].0));
            }
        };
        let Asked { targets, is_exact } = match asked(&threaded) {
            Ok(asked) => asked,
            Err(reason) => return Proved::Unknown(reason),
        };
        threaded.net.targets = targets;
        let mut tell = |did: &coverability::Statistics| -> ControlFlow<()> {
            watch(&Progress {
                tracing: false,
                states: did.tested,
                depth: 0,
                frontier: u64::try_from(did.minimal).unwrap_or(u64::MAX),
                bytes: 0,
                elapsed: started.elapsed(),
            })
        };
        let (answer, did) = cover(&threaded.net, Direction::Backward, limits, &mut tell);
        *remark = Some(Remark::AnyNumber {
            places: threaded.net.places.len(),
            transitions: threaded.net.transitions.len(),
            markings: did.minimal,
        });
        match answer {
            Answer::Coverable(run) => {
                let size = run.size(&threaded.net);
                return match is_exact {
                    Ok(()) => Proved::Coverable(u32::try_from(size).unwrap_or(u32::MAX)),
                    Err(unknown) => Proved::Unknown(Reason::AnyNumber(unknown)),
                };
            }
            Answer::Stopped(limit) => return Proved::Unknown(Reason::Limit(limit)),
            Answer::NotCoverable => {}
        }
        let (noted, about_bounds) = threaded.noted();
        let stopped = match cover(&about_bounds, Direction::Backward, limits, &mut tell).0 {
            Answer::NotCoverable => None,
            Answer::Coverable(run) => {
                noted.get(run.target).map(|(class, local)| stopped_by(*class, local))
            }
            Answer::Stopped(limit) => Some(Reason::Limit(limit)),
        };
        match Whole::by_exploration(stopped) {
            Ok(whole) => Proved::Holds(Proof::new(Basis::AnyNumber, whole)),
            Err(reason) => Proved::Unknown(reason),
        }
    }
}

const fn address_of(cell: sc::Cell) -> Option<Value> {
    match cell {
        sc::Cell::Memory(address) => Some(address),
        sc::Cell::Lock | sc::Cell::Published(_) => None,
    }
}
