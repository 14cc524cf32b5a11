//! `fencewright simulate`.

use report::terminal::line;
use semantics::{Machine, Model};
use workspace::simulate::Shows;
use workspace::{Loaded, Reason, Simulate as Question, Simulation};

use crate::arguments::{Format, RunFormat, Simulate};
use crate::input;
use crate::output::{Output, Said};
use crate::status::Status;

pub(crate) fn run(options: &Simulate, output: &mut Output) -> Status {
    let Simulate { model, seed, tries, max_steps, .. } = *options;
    let question = Question { model: model.into(), seed, tries, max_steps };
    if let Some(problem) = options.format.contradiction(&options.inputs) {
        return output.refuse(&problem);
    }
    input::for_each(&options.inputs, options.format.of_errors(), output, |given, output| {
        let id = given.id;
        let found = given.ask(|workspace| workspace.simulate(id, &question))?;
        let loaded = given.loaded();
        Ok(match found {
            Ok(simulation) => {
                tell(options, loaded, &simulation, output);
                simulation.conclusion().into()
            }
            Err(reason) => {
                no_run(options.format.of_errors(), &loaded.file, &reason, output);
                Status::Undecided
            }
        })
    })
}

/// Tells why there is no run.
fn no_run(format: Format, file: &str, reason: &Reason, output: &mut Output) {
    match format {
        Format::Text => output.text(&report::reason_text::render(file, reason)),
        Format::Json => {
            let schema = "fencewright.simulate/1";
            output.data(&report::json::undecided(file, schema, &reason.to_string()));
        }
    }
}

fn tell(options: &Simulate, loaded: &Loaded, simulation: &Simulation, output: &mut Output) {
    let Loaded { file, program, sources, .. } = loaded;
    let Simulation { seed, run, shows, ended, deadlocked, cut_off } = simulation;
    let machine = Machine::new(program, options.model.into())
        .expect("a run of a program with a definite number of threads");
    match options.format {
        RunFormat::Json => {
            output.data(&report::json::simulation(file, *seed, program, sources, run, &machine));
        }
        RunFormat::Text if options.tries > 1 && *shows == Shows::Nothing => output.text(&format!(
            "{}: none of {} runs went wrong ({ended} ended, {deadlocked} deadlocked, {cut_off} were \
             cut off after {} steps), which proves nothing\n",
            line(file),
            options.tries,
            options.max_steps
        )),
        RunFormat::Text => {
            let model = match machine.model() {
                Model::Sc => "SC",
                Model::Tso => "TSO",
            };
            let steps = report::run_text::render(program, sources, run, &machine, true);
            let name = line(program.name());
            output.text(&format!("{name} under {model}, seed {seed}\n\n{steps}"));
        }
        RunFormat::Html => {
            let page = report::html::simulation(file, *seed, program, sources, run);
            output.say(Said::Page(page));
        }
        RunFormat::Svg => drawn(report::pictures::run(program, sources, run), output),
        RunFormat::Dot => drawn(report::pictures::run_dot(program, sources, run), output),
    }
}

/// Writes a picture, or why there is none.
fn drawn(picture: Option<String>, output: &mut Output) {
    match picture {
        Some(picture) => output.data(&picture),
        None => output.message(
            "note: stores are left in buffers that cannot reach memory while another thread has locked it, so there \
             is no picture of what happens before what\n",
        ),
    }
}
