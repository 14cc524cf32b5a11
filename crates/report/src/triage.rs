//! What matters to an author, in the words of every format.

use analysis::tso_only::Seen;
use analysis::{Criterion, Ending, Evidence, Verdict};
use program::Program;
use semantics::Model;
use workspace::{Concern, Matter, Triage, Weight};

use crate::check::headline;
use crate::check_text::word;
use crate::undecided::advice;

/// What is asked, in two words.
pub(crate) const fn asked(matter: Matter) -> &'static str {
    match matter {
        Matter::Races => "data races",
        Matter::Errors => "errors",
        Matter::Results => "final states",
        Matter::Visibility => "robustness",
    }
}

/// The criterion that it is a violation of.
pub(crate) const fn criterion(matter: Matter) -> Criterion {
    match matter {
        Matter::Races => Criterion::Drf,
        Matter::Errors | Matter::Results => Criterion::States,
        Matter::Visibility => Criterion::Robustness,
    }
}

/// The verdict in a word.
pub(crate) const fn verdict_word(concern: &Concern) -> &'static str {
    word(&concern.verdict)
}

/// The memory model that an answer is about.
pub(crate) fn model(concern: &Concern) -> Model {
    match (&concern.verdict, concern.matter) {
        (Verdict::Violated(evidence), _) => evidence.execution().computation.model,
        (Verdict::Holds(_) | Verdict::Undecided(_), Matter::Races) => Model::Sc,
        (
            Verdict::Holds(_) | Verdict::Undecided(_),
            Matter::Errors | Matter::Results | Matter::Visibility,
        ) => Model::Tso,
    }
}

/// Why the verdict is as it is.
pub(crate) fn why(program: &Program, concern: &Concern, seen: Seen) -> String {
    match (&concern.verdict, concern.matter) {
        (Verdict::Violated(evidence), _) => headline(program, evidence),
        (Verdict::Undecided(reason), _) => reason.to_string(),
        (Verdict::Holds(_), Matter::Races) => "no plain access races with another one".to_owned(),
        (Verdict::Holds(_), Matter::Errors) => {
            "no assertion fails, no memory is misused, no deadlock is reached".to_owned()
        }
        (Verdict::Holds(_), Matter::Results) => match seen {
            Seen::Everything => "every final state is also possible under SC".to_owned(),
            Seen::Observed => "every result is also possible under SC".to_owned(),
        },
        (Verdict::Holds(_), Matter::Visibility) => {
            "every TSO execution has the trace of an SC execution".to_owned()
        }
    }
}

/// What it means for the author, if that does not go without saying.
pub(crate) fn means(concern: &Concern) -> Option<String> {
    let said = match (&concern.verdict, concern.matter) {
        (Verdict::Holds(_), _) => return None,
        (Verdict::Undecided(reason), matter) => {
            let alone = asked_alone(matter);
            return Some(
                advice(reason)
                    .map_or_else(|| alone.to_owned(), |advice| format!("{advice}; {alone}")),
            );
        }
        (Verdict::Violated(_), Matter::Races) => {
            "undefined behaviour in C and Rust: make both atomic, or keep them apart by a lock; the rest takes \
             them as written"
        }
        (Verdict::Violated(evidence), Matter::Errors) => return Some(error_means(evidence)),
        (Verdict::Violated(_), Matter::Results) => {
            "x86 can end like this and SC cannot: if that is wrong, `fencewright fence` repairs it"
        }
        (Verdict::Violated(_), Matter::Visibility) => match concern.weight {
            Weight::Harmless => {
                "no result shows it: no fence is needed; `--criterion robustness` shows the run"
            }
            Weight::Unknown => {
                "x86 differs from SC here; whether a result can show it is not known"
            }
            Weight::Harm | Weight::Fine => "this is why x86 can differ from SC",
        },
    };
    Some(said.to_owned())
}

/// How to ask this and nothing else.
const fn asked_alone(matter: Matter) -> &'static str {
    match matter {
        Matter::Races => "`--criterion drf` looks for races of all accesses",
        Matter::Errors => "`fencewright reach --model tso` asks this alone",
        Matter::Results => "`--criterion states` asks this alone",
        Matter::Visibility => "`--criterion robustness` asks this alone",
    }
}

/// What each answer means, told one after the other: the same advice is given once.
pub(crate) fn meanings(concerns: &[Concern]) -> Vec<Option<String>> {
    let mut given: Vec<String> = Vec::new();
    let told = concerns.iter().map(|concern| match &concern.verdict {
        Verdict::Undecided(reason) if advice(reason).is_some_and(|it| given.contains(&it)) => {
            Some(asked_alone(concern.matter).to_owned())
        }
        Verdict::Undecided(reason) => {
            given.extend(advice(reason));
            means(concern)
        }
        Verdict::Holds(_) | Verdict::Violated(_) => means(concern),
    });
    told.collect()
}

fn error_means(evidence: &Evidence) -> String {
    let execution = evidence.execution();
    let said = match (execution.computation.model, &execution.ending) {
        (Model::Sc, Ending::Deadlock(_)) => {
            "no store has to wait for that: the threads wait for each other even so"
        }
        (Model::Sc, _) => {
            "no store has to wait for that: it is wrong on any machine, and no fence repairs it"
        }
        (Model::Tso, _) => {
            "it happens only if a store waits in its buffer, as on x86: `fencewright fence --criterion safety` \
             repairs it"
        }
    };
    said.to_owned()
}

/// What a picture is made of: the worst of what is violated.
pub(crate) fn drawn(triage: &Triage) -> Option<(&Concern, &Evidence)> {
    triage.concerns.iter().find_map(|concern| match &concern.verdict {
        Verdict::Violated(evidence) => Some((concern, evidence)),
        Verdict::Holds(_) | Verdict::Undecided(_) => None,
    })
}

/// All of it in a line: the verdict in a word, and why.
pub(crate) fn in_a_line(program: &Program, triage: &Triage) -> (&'static str, String) {
    let Some(worst) = triage.worst() else { return ("holds", String::new()) };
    let model = match model(worst) {
        Model::Sc => "SC",
        Model::Tso => "TSO",
    };
    let why = why(program, worst, triage.seen);
    match worst.weight {
        Weight::Harm if worst.matter == Matter::Races => {
            ("violated", format!("under {model}: data race: {why}"))
        }
        Weight::Harm => ("violated", format!("under {model}: {why}")),
        Weight::Unknown => ("undecided", format!("under {model}: {}: {why}", asked(worst.matter))),
        Weight::Harmless => (
            "holds",
            "under TSO: no data race, no error and no result that SC does not have".to_owned(),
        ),
        Weight::Fine => (
            "holds",
            "under TSO: no data race, no error, and nothing that SC does not do".to_owned(),
        ),
    }
}
