//! `fencewright simulate`.

use report::terminal::line;
use semantics::{Machine, Model};
use workspace::simulate::Shows;
use workspace::{Loaded, Simulate as Question, Simulation};

use crate::arguments::{RunFormat, Simulate};
use crate::input;
use crate::output::{Output, Said};
use crate::status::Status;

pub(crate) fn run(options: &Simulate, output: &mut Output) -> Status {
    let Simulate { model, seed, tries, max_steps, .. } = *options;
    let question = Question { model: model.into(), seed, tries, max_steps };
    if let Some(problem) = options.format.contradiction(&options.inputs) {
        return output.refuse(&problem);
    }
    input::for_each(&options.inputs, options.format.form(), output, |given, output| {
        let id = given.id;
        let found = given.ask(|workspace| workspace.simulate(id, &question))?;
        let loaded = given.loaded();
        Ok(match found {
            Ok(simulation) => {
                tell(options, loaded, &simulation, output);
                simulation.conclusion().into()
            }
            Err(reason) => {
                let file = &loaded.file;
                let text = report::reason_text::render(file, &reason);
                let schema = "fencewright.simulate/1";
                let json = || report::json::undecided(file, schema, &reason.to_string());
                output.say(options.format.form().undecided(file, text, json));
                Status::Undecided
            }
        })
    })
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
        RunFormat::Svg => {
            let picture = report::pictures::run(program, sources, run);
            output.data(&picture.unwrap_or_else(|| report::pictures::told(NO_PICTURE)));
        }
        RunFormat::Dot => {
            let picture = report::pictures::run_dot(program, sources, run);
            output.data(&picture.unwrap_or_else(|| report::pictures::told_dot(file, NO_PICTURE)));
        }
    }
}

/// Why a run has no picture.
const NO_PICTURE: &str = "There is no picture of what happens before what:\n\
    stores are left in buffers that cannot reach memory while another thread has locked it.\n";
