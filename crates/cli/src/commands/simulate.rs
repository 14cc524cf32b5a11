//! `fencewright simulate`.

use analysis::{Ending, Simulation, simulate};
use program::Parameterised;
use semantics::Machine;

use crate::arguments::{Format, Simulate};
use crate::input::{self, Loaded};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(options: &Simulate, output: &mut Output) -> Status {
    input::for_each(&options.inputs, options.format, output, |loaded, output| {
        one(options, loaded, output).unwrap_or_else(|parameterised| {
            let reason = parameterised.to_string();
            output.result(&match options.format {
                Format::Text => format!(
                    "{}: undecided: {reason}, for example `--count {}=2`\n",
                    loaded.file, parameterised.name
                ),
                Format::Json => {
                    report::json::undecided(&loaded.file, "fencewright.simulate/1", &reason)
                }
            });
            Status::Undecided
        })
    })
}

fn one(options: &Simulate, loaded: &Loaded, output: &mut Output) -> Result<Status, Parameterised> {
    let Loaded { file, program, sources, .. } = loaded;
    let machine = Machine::new(program, options.model.into())?;
    let (seed, run) = first_wrong(options, loaded)?;
    let failed = goes_wrong(&run);
    output.result(&match options.format {
        Format::Json => report::json::simulation(file, seed, program, sources, &run, &machine),
        Format::Text if options.tries > 1 && !failed => {
            format!("{file}: none of {} runs went wrong, which proves nothing\n", options.tries)
        }
        Format::Text => {
            let model = match machine.model() {
                semantics::Model::Sc => "SC",
                semantics::Model::Tso => "TSO",
            };
            let steps = report::run_text::render(program, sources, &run, &machine, true);
            format!("{} under {model}, seed {seed}\n\n{steps}", program.name())
        }
    });
    Ok(match run.ending {
        Ending::Fault { .. } => Status::Violated,
        Ending::Limit { .. } => Status::Undecided,
        Ending::Terminated | Ending::Deadlock(_) | Ending::StepLimit => Status::Fine,
    })
}

/// The first run that goes wrong, or else the last, with its seed.
fn first_wrong(options: &Simulate, loaded: &Loaded) -> Result<(u64, Simulation), Parameterised> {
    let run = |seed| simulate(&loaded.program, options.model.into(), seed, options.max_steps);
    let last = options.seed.saturating_add(options.tries - 1);
    for seed in options.seed..last {
        let simulation = run(seed)?;
        if goes_wrong(&simulation) {
            return Ok((seed, simulation));
        }
    }
    Ok((last, run(last)?))
}

fn goes_wrong(simulation: &Simulation) -> bool {
    match simulation.ending {
        Ending::Fault { .. } | Ending::Limit { .. } => true,
        Ending::Terminated | Ending::Deadlock(_) | Ending::StepLimit => false,
    }
}
