//! Nothing is called repaired that is not checked from scratch: the changed text is read again if there
//! is one, and what is enforced is decided as by [`mod@crate::check`].

use analysis::parameterised::{self, is_parameterised};
use analysis::portfolio::{Portfolio, Task};
use analysis::{Reason, Statistics, Verdict, Watch};
use program::{Diagnostic, Diagnostics, Parameterised, Program, SourceId, Span};
use repair::checkers::{Abstract, Explained, Safety};
use repair::optimal::Checker;

use super::choices::{Choices, FOR_EVIDENCE};
use super::{Enforced, Fence, FenceAnswer, FenceOutcome, FenceVerdict};
use crate::store::Subject;

/// Checks the repaired program. If a limit keeps it from being decided, it is not called repaired.
pub(super) fn check_again(
    subject: &mut Subject<'_, '_>,
    question: &Fence,
    choices: &Choices,
    answer: &mut FenceAnswer,
) -> Result<(), Diagnostics> {
    match answer.verdict() {
        FenceVerdict::Repaired => {}
        FenceVerdict::Holds | FenceVerdict::Unrepairable | FenceVerdict::Undecided => return Ok(()),
    }
    let program = match &answer.texts {
        Some(texts) => read_again(subject, texts)?,
        None => choices.problem().with(answer.made().iter().copied()).program,
    };
    let found = decide(question, &program, choices, subject.watch);
    match found.expect("a definite number of threads") {
        Verdict::Holds(now) => {
            if let FenceOutcome::Repaired { proof, .. } = &mut answer.outcome {
                *proof = now;
            }
            Ok(())
        }
        Verdict::Undecided(why) => {
            let at_least = answer.cost(answer.made());
            let reason = Reason::NotCheckedAgain { why: Box::new(why) };
            answer.outcome = FenceOutcome::Undecided { reason, at_least };
            Ok(())
        }
        Verdict::Violated(()) => Err(vec![
            Diagnostic::new(Span::NONE, "the repaired program is not what it should be")
                .help("this is a bug in Fencewright, please report it with the program"),
        ]),
    }
}

fn decide(
    question: &Fence,
    program: &Program,
    choices: &Choices,
    watch: &mut Watch<'_>,
) -> Result<Verdict<()>, Parameterised> {
    let options = &question.options;
    match (question.abstraction, question.enforced) {
        (Some(depth), _) => {
            let (depths, states) = (depth.all(), FOR_EVIDENCE);
            let mut checker = Abstract { depths, states, options, watch };
            checker.violations(program).map(verdict)
        }
        (None, Enforced::Safety) => Safety { options, watch }.violations(program).map(verdict),
        (None, Enforced::Histories(asked)) => {
            let specification = choices.specification.as_ref().unwrap_or(program);
            let mut checker = Explained { asked, specification, options, watch };
            checker.violations(program).map(verdict)
        }
        (None, Enforced::Criterion(criterion)) => {
            if is_parameterised(program) {
                let checked = parameterised::check(program, &[criterion], options, watch);
                let first = checked.into_iter().next().map(|one| (one.verdict, one.statistics));
                return Ok(first.map_or(Verdict::Undecided(Reason::NoMethod), verdict));
            }
            let mut task = Task { program, criteria: &[criterion], options, watch };
            let mut portfolio = if options.critical_cycles {
                Portfolio::<Parameterised>::automatic()
            } else {
                Portfolio::exact()
            };
            let checked = portfolio.answer(&mut task)?;
            let first = checked.into_iter().next().map(|one| (one.verdict, one.statistics));
            Ok(first.map_or(Verdict::Undecided(Reason::NoMethod), verdict))
        }
    }
}

/// A verdict without its evidence.
fn verdict<E>((verdict, _): (Verdict<E>, Statistics)) -> Verdict<()> {
    verdict.map(|_| ())
}

/// The program that the changed texts are.
fn read_again(
    subject: &Subject<'_, '_>,
    texts: &[(SourceId, String)],
) -> Result<Program, Diagnostics> {
    let again = subject.loaded.again(subject.host, texts);
    again.map(|(program, _)| program).map_err(|why| {
        let first = Diagnostics::from(why)
            .into_iter()
            .next()
            .map(|error| error.message)
            .unwrap_or_default();
        let message = format!("the repaired program cannot be read: {first}");
        let help = "this is a bug in Fencewright, please report it with the program";
        vec![Diagnostic::new(Span::NONE, message).help(help)]
    })
}
