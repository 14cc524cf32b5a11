//! `fencewright step`.

use std::io::IsTerminal;
use std::path::Path;

use analysis::Ending;
use program::{Program, Sources};
use semantics::{Machine, Model};
use step::{Command, Finder, Found, Interpreter, Reply, Session};
use workspace::{Check, Criterion, Evidence, Reach, Verdict};

use crate::arguments::step::Step;
use crate::form::Form;
use crate::input::{self, Given};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(options: &Step, output: &mut Output) -> Status {
    if let Some(problem) = contradiction(options) {
        return output.refuse(problem);
    }
    input::for_each(&options.inputs, Form::Text, output, |given, output| {
        // What is looked at stays as it is while the workspace is asked for runs.
        let loaded = given.loaded();
        loaded.can_run_under(options.model.into())?;
        let (program, sources) = (loaded.program.clone(), loaded.sources.clone());
        let title = loaded.file.clone();
        let machine = match Machine::new(&program, options.model.into()) {
            Ok(machine) => machine,
            Err(parameterised) => {
                let reason = workspace::Reason::Parameterised(parameterised);
                output.text(&report::reason_text::render(&title, &reason));
                return Ok(Status::Undecided);
            }
        };
        let session = Session::new(&program, &sources, &machine, options.seed);
        let finder = Asking { given, program: &program, sources: &sources, machine: &machine };
        Ok(begin(options, Interpreter::new(session, finder), &title, output))
    })
}

/// Why these options do not go together.
fn contradiction(options: &Step) -> Option<&'static str> {
    if options.inputs.may_be_several() {
        return Some("`step` runs one program; give one file");
    }
    if options.inputs.files.iter().any(|file| file == "-") {
        return Some("commands come from standard input, so the program cannot; give it as a file");
    }
    None
}

fn begin(
    options: &Step,
    mut interpreter: Interpreter<'_, Asking<'_, '_>>,
    title: &str,
    output: &mut Output,
) -> Status {
    let first = match (&options.load, options.witness) {
        (Some(file), _) => Some(Command::Load(file.clone())),
        (None, true) => Some(Command::Witness),
        (None, false) => None,
    };
    let mut said = String::new();
    let replies = first
        .map(|command| interpreter.obey(&command))
        .into_iter()
        .chain(options.commands.iter().map(|line| interpreter.line(line)).collect::<Vec<_>>());
    for reply in replies {
        match reply {
            Reply::Done(text) => said.push_str(&text),
            Reply::Refused(problem) => {
                return output.refuse(&problem);
            }
            Reply::Quit => return Status::Fine,
        }
    }
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return match step::screen(interpreter, title) {
            Ok(()) => Status::Fine,
            Err(error) => {
                output.message(&format!("error: cannot use the terminal: {error}\n"));
                Status::BadInput
            }
        };
    }
    output.text(&said);
    match step::pipe(&mut interpreter, std::io::stdin().lock(), Answers(output)) {
        Ok(true) => Status::Fine,
        Ok(false) => Status::BadInput,
        Err(error) => {
            output.message(&format!("error: cannot read the commands: {error}\n"));
            Status::BadInput
        }
    }
}

/// Standard output, for answers.
struct Answers<'a>(&'a mut Output);

impl std::io::Write for Answers<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.text(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A workspace that is asked for runs.
struct Asking<'a, 'g> {
    given: &'a mut Given<'g>,
    program: &'a Program,
    sources: &'a Sources,
    machine: &'a Machine<'a>,
}

impl Finder for Asking<'_, '_> {
    fn witness(&mut self) -> Result<Found, String> {
        match self.machine.model() {
            Model::Sc => return Err("under SC there is nothing that SC does not have".to_owned()),
            Model::Tso => {}
        }
        let id = self.given.id;
        let question = Check { criteria: vec![Criterion::Robustness], ..Check::default() };
        let answer = self.given.ask(|workspace| workspace.check(id, &question));
        let answer = answer.map_err(|refused| told(&refused))?;
        let Some(one) = answer.results.into_iter().next() else {
            return Err("nothing was found out".to_owned());
        };
        match one.verdict {
            Verdict::Violated(_) if one.instance.is_some() => {
                Err("the run is one of an instance; set the number of copies with `--count`"
                    .to_owned())
            }
            Verdict::Violated(evidence) => {
                let steps = evidence.execution().computation.steps.clone();
                let shows = match &evidence {
                    Evidence::Cycle(_) => "a run of TSO whose reads and writes no run under SC has",
                    Evidence::Race(_) | Evidence::Overtaking(_) | Evidence::TsoOnly(_) => {
                        "a run of TSO that SC does not have"
                    }
                };
                Ok(Found { steps, shows: shows.to_owned() })
            }
            Verdict::Holds(_) => {
                Err("there is none: the program is robust, TSO shows what SC shows".to_owned())
            }
            Verdict::Undecided(reason) => Err(format!("that could not be decided: {reason}")),
        }
    }

    fn error(&mut self) -> Result<Found, String> {
        let id = self.given.id;
        let question = Reach {
            deadlocks: false,
            final_states: false,
            model: self.machine.model(),
            ..Reach::default()
        };
        let answer = self.given.ask(|workspace| workspace.reach(id, &question));
        match answer.map_err(|refused| told(&refused))?.verdict {
            Verdict::Violated(run) => {
                let shows = match &run.ending {
                    Ending::Fault { thread, edge, fault } => format!(
                        "{}: {}",
                        self.machine.threads()[*thread].name,
                        self.machine.template(*thread).why(*edge, *fault)
                    ),
                    Ending::Terminated
                    | Ending::Deadlock(_)
                    | Ending::StepLimit
                    | Ending::Goal
                    | Ending::History(_)
                    | Ending::Limit { .. } => "a run into an error".to_owned(),
                };
                Ok(Found { steps: run.computation.steps, shows })
            }
            Verdict::Holds(_) => Err("there is none: no error can be reached".to_owned()),
            Verdict::Undecided(reason) => Err(format!("that could not be decided: {reason}")),
        }
    }

    fn load(&mut self, file: &str) -> Result<Found, String> {
        let document = std::fs::read_to_string(Path::new(file))
            .map_err(|error| format!("cannot read {file}: {error}"))?;
        let steps = report::json::reread_run(&document, self.program, self.sources, self.machine)?;
        Ok(Found { steps, shows: format!("the run in {file}") })
    }
}

/// Errors in one line.
fn told(refused: &workspace::Refused) -> String {
    let messages: Vec<&str> = refused.errors.iter().map(|error| error.message.as_str()).collect();
    messages.join("; ")
}
