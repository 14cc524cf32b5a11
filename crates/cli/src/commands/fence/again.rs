//! Nothing is called repaired that is not checked from scratch: the changed text is read again if there
//! is one, and the criterion decided as `check` does.

use analysis::{Progress as Now, Reason, Statistics, Verdict};
use program::{Diagnostic, Diagnostics, Parameterised, Program, SourceId, Span};
use repair::checkers::{Abstract, Safety};
use repair::optimal::Checker;
use report::fence::{Answer, Outcome};
use report::outcome::Outcome as Doubt;

use super::asked::{Asked, FOR_EVIDENCE, depths};
use super::text;
use crate::arguments::fence::Fence;
use crate::commands::doubt::undecided;
use crate::commands::progress::Progress;
use crate::input::Loaded;
use crate::output::Output;

/// Checks the repaired program. If a limit keeps it from being decided, it is not called repaired.
pub(super) fn check_again(
    options: &Fence,
    loaded: &Loaded,
    asked: &Asked,
    answer: &mut Answer,
    texts: Option<&[(SourceId, String)]>,
    output: &mut Output,
) -> Result<(), Diagnostics> {
    match &answer.outcome {
        Outcome::Repaired { .. } => {}
        Outcome::Unrepairable { .. } | Outcome::Undecided { .. } => return Ok(()),
    }
    if answer.verdict() == "holds" {
        return Ok(());
    }
    let program = match texts {
        Some(texts) => text::read_again(options, loaded, texts)?,
        None => asked.problem().with(answer.made().iter().copied()).program,
    };
    let mut progress = Progress::new(output);
    let found = decide(options, &program, &mut progress);
    progress.clear();
    match found.expect("a definite number of threads") {
        Verdict::Holds(_) => Ok(()),
        Verdict::Undecided(reason) => {
            if let Doubt::Undecided { reason, at, advice } = undecided::<()>(&reason) {
                let at_least = answer.cost(answer.made());
                let reason = format!("the repaired program was not checked to the end: {reason}");
                answer.outcome = Outcome::Undecided { reason, at, advice, at_least };
            }
            Ok(())
        }
        Verdict::Violated(()) => Err(vec![
            Diagnostic::new(Span::NONE, "the repaired program is not what it should be")
                .help("this is a bug in Fencewright, please report it with the program"),
        ]),
    }
}

fn decide(
    options: &Fence,
    program: &Program,
    progress: &mut Progress<'_>,
) -> Result<Verdict<()>, Parameterised> {
    let how = options.search.options();
    let watch = |now: &Now| progress.show(now);
    if let Some(depth) = options.abstraction {
        let (depths, states) = (depths(depth), FOR_EVIDENCE);
        let mut checker = Abstract { depths, states, options: &how, watch };
        return checker.violations(program).map(verdict);
    }
    let Some(criterion) = options.criterion.criterion() else {
        return Safety { options: &how, watch }.violations(program).map(verdict);
    };
    let checked = analysis::check(program, &[criterion], &how, watch)?;
    let first = checked.into_iter().next().map(|one| (one.verdict, one.statistics));
    Ok(first.map_or(Verdict::Undecided(Reason::OnlyUnderSc), verdict))
}

/// A verdict without its evidence.
fn verdict<E>((verdict, _): (Verdict<E>, Statistics)) -> Verdict<()> {
    verdict.map(|_| ())
}
