//! `fencewright simulate`.

use analysis::{Ending, Execution, final_state, simulate};
use program::Parameterised;
use report::terminal::line;
use semantics::Machine;

use crate::arguments::{Format, Simulate};
use crate::input::{self, Loaded};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(options: &Simulate, output: &mut Output) -> Status {
    input::for_each(&options.inputs, options.format, output, |loaded, output| {
        one(options, loaded, output).unwrap_or_else(|parameterised| {
            let reason = parameterised.to_string();
            match options.format {
                Format::Text => output.text(&format!(
                    "{}: undecided: {reason}, for example `--count {}=2`\n",
                    line(&loaded.file),
                    parameterised.name
                )),
                Format::Json => {
                    let schema = "fencewright.simulate/1";
                    output.data(&report::json::undecided(&loaded.file, schema, &reason));
                }
            }
            Status::Undecided
        })
    })
}

/// What a run shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finding {
    /// The program went wrong, or a `never` or an `always` is refuted.
    Wrong,
    /// What an `exists` asks for.
    Witness,
    /// A limit of the tool was hit.
    Limit,
    /// Nothing to speak of.
    Nothing,
}

fn finding(loaded: &Loaded, run: &Execution) -> Finding {
    match run.ending {
        Ending::Fault { .. } => Finding::Wrong,
        Ending::Limit { .. } => Finding::Limit,
        Ending::Deadlock(_) | Ending::StepLimit | Ending::Goal => Finding::Nothing,
        Ending::Terminated => match final_state(&loaded.program, run) {
            Some(state) if state.refutes() => Finding::Wrong,
            Some(state) if state.witnesses() => Finding::Witness,
            Some(_) | None => Finding::Nothing,
        },
    }
}

/// How many runs ended in which way.
#[derive(Default)]
struct Tally {
    ended: u64,
    deadlocked: u64,
    cut_off: u64,
}

fn one(options: &Simulate, loaded: &Loaded, output: &mut Output) -> Result<Status, Parameterised> {
    let Loaded { file, program, sources, .. } = loaded;
    let machine = Machine::new(program, options.model.into())?;
    let (seed, run, tally) = most_telling(options, loaded)?;
    let finding = finding(loaded, &run);
    match options.format {
        Format::Json => {
            output.data(&report::json::simulation(file, seed, program, sources, &run, &machine));
        }
        Format::Text if options.tries > 1 && finding == Finding::Nothing => output.text(&format!(
            "{}: none of {} runs went wrong ({} ended, {} deadlocked, {} were cut off after {} \
             steps), which proves nothing\n",
            line(file),
            options.tries,
            tally.ended,
            tally.deadlocked,
            tally.cut_off,
            options.max_steps
        )),
        Format::Text => {
            let model = match machine.model() {
                semantics::Model::Sc => "SC",
                semantics::Model::Tso => "TSO",
            };
            let steps = report::run_text::render(program, sources, &run, &machine, true);
            let name = line(program.name());
            output.text(&format!("{name} under {model}, seed {seed}\n\n{steps}"));
        }
    }
    Ok(match finding {
        Finding::Wrong => Status::Violated,
        Finding::Limit => Status::Undecided,
        Finding::Witness | Finding::Nothing => Status::Fine,
    })
}

/// The first run that goes wrong, or else the first that shows what an `exists` asks for, or else
/// the first that hit a limit, or else the last; with its seed.
fn most_telling(
    options: &Simulate,
    loaded: &Loaded,
) -> Result<(u64, Execution, Tally), Parameterised> {
    let (mut witness, mut limited, mut last) = (None, None, None);
    let mut tally = Tally::default();
    for seed in options.seed..=options.seed.saturating_add(options.tries - 1) {
        let run = simulate(&loaded.program, options.model.into(), seed, options.max_steps)?;
        match run.ending {
            Ending::Deadlock(_) => tally.deadlocked += 1,
            Ending::StepLimit | Ending::Goal => tally.cut_off += 1,
            Ending::Terminated | Ending::Fault { .. } | Ending::Limit { .. } => tally.ended += 1,
        }
        match finding(loaded, &run) {
            Finding::Wrong => return Ok((seed, run, tally)),
            Finding::Witness => drop(witness.get_or_insert((seed, run))),
            Finding::Limit => drop(limited.get_or_insert((seed, run))),
            Finding::Nothing => last = Some((seed, run)),
        }
    }
    let (seed, run) = witness.or(limited).or(last).expect("at least one run was made");
    Ok((seed, run, tally))
}
