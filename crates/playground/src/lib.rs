//! Fencewright in a browser: a program and a question in, an answer out, all of them texts.
//!
//! A page hands over what stands in its fields; names become the things they name here ([`Question::of`]). The
//! program is read from memory, the search runs on the one thread that WebAssembly has, and the answer is what the
//! command line would print, as text, as JSON and as a page with its stepper. Models and litmus tests need nothing
//! from outside; programs in C and Rust need a compiler and are refused.
//!
//! *It computes nothing and knows no document: the page (`page/`) asks from a worker that can be ended.*

mod question;

#[cfg(target_family = "wasm")]
pub mod exported;

use std::time::Duration;

use report::html;
use semantics::{Machine, Model};
use web_time::Instant;
use workspace::{
    Budget, Conclusion, InMemory, Loaded, Options, ProgramId, Reason, Refused, Simulation,
    Workspace,
};

pub use question::{Question, Wanted};

/// Bytes that a search may use. WebAssembly addresses 4 GiB; a table that grows is there twice for a moment.
const MEMORY: usize = 1 << 30;

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// It in a word: `fine`, `violated`, `undecided`, or `refused` for what is no program or no question.
    pub word: &'static str,
    /// What the command line prints.
    pub text: String,
    /// The document for programs (`docs/json.md`).
    pub json: String,
    /// A page with the run, the cycle and the source. What is refused has none.
    pub page: Option<String>,
    /// The repaired program.
    pub repaired: Option<String>,
}

/// One answer in all its forms.
struct Told {
    conclusion: Conclusion,
    text: String,
    json: String,
    page: Option<html::Page>,
    repaired: Option<String>,
}

/// Answers a question about a program: a name, which tells the language if the text does not, and a text.
/// It takes about so much time at most.
pub fn answer(name: &str, text: &str, question: &Question, time: Duration) -> Answer {
    let mut workspace = Workspace::new(InMemory::new());
    let budget = Budget { memory: Some(MEMORY), time: Some(time), states: None };
    let limits = budget.from_now(Instant::now());
    let options = Options { threads: 1, limits, ..Options::default() };
    let told = workspace
        .text(name, text)
        .and_then(|program| asked(&mut workspace, program, question, &options));
    match told {
        Ok(Told { conclusion, text, json, page, repaired }) => Answer {
            word: match conclusion {
                Conclusion::Fine | Conclusion::Suppressed => "fine",
                Conclusion::Undecided => "undecided",
                Conclusion::Violated => "violated",
            },
            text: plain(&text),
            json,
            page: page.map(|page| html::file(&[page])),
            repaired,
        },
        Err(Refused { errors, sources }) => Answer {
            word: "refused",
            text: plain(&report::diagnostics::render(&errors, &sources, false)),
            json: report::json::errors(name, &[], &errors, &sources),
            page: None,
            repaired: None,
        },
    }
}

/// A text without colours.
fn plain(text: &str) -> String {
    report::terminal::text(text, false)
}

fn asked(
    workspace: &mut Workspace<'_>,
    id: ProgramId,
    question: &Question,
    options: &Options,
) -> Result<Told, Refused> {
    match question.wanted(options) {
        Wanted::Check(check) => {
            let answer = workspace.check(id, &check)?;
            let Loaded { file, program, sources, .. } = workspace.program(id);
            let text = report::check_text::render(file, program, sources, &answer, true);
            Ok(Told {
                conclusion: answer.conclusion(),
                text: text + &report::notes::render(&answer.notes, sources),
                json: report::json::check(file, program, sources, &answer),
                page: Some(html::check(file, program, sources, &answer)),
                repaired: None,
            })
        }
        Wanted::Fence(fence) => {
            let answer = workspace.fence(id, &fence)?;
            let Loaded { file, sources, .. } = workspace.program(id);
            let text = report::fence_text::render(file, sources, &answer, None, true);
            let texts = answer.texts.as_ref().and_then(|texts| texts.first());
            Ok(Told {
                conclusion: answer.conclusion(),
                text: text + &report::notes::render(&answer.notes, sources),
                json: report::json::fence(file, sources, &answer, None),
                page: Some(html::fence(file, sources, &answer)),
                repaired: texts.map(|(_, text)| text.clone()),
            })
        }
        Wanted::Reach(reach) => {
            let answer = workspace.reach(id, &reach)?;
            let Loaded { file, program, sources, .. } = workspace.program(id);
            let text = report::reach_text::render(file, program, sources, &answer, true);
            Ok(Told {
                conclusion: answer.conclusion(),
                text: text + &report::notes::render(&answer.notes, sources),
                json: report::json::reach(file, program, sources, &answer),
                page: Some(html::reach(file, program, sources, &answer)),
                repaired: None,
            })
        }
        Wanted::Outcomes(outcomes) => {
            let answer = workspace.outcomes(id, &outcomes)?;
            let loaded = workspace.program(id);
            let Loaded { file, program, sources, .. } = loaded;
            let about = (&answer, loaded.language());
            let text = report::outcomes_text::render(file, program, sources, about, true);
            Ok(Told {
                conclusion: answer.conclusion(),
                text: text + &report::notes::render(&answer.notes, sources),
                json: report::json::outcomes(file, program, sources, about),
                page: Some(html::outcomes(file, program, sources, about)),
                repaired: None,
            })
        }
        Wanted::Simulate(simulate) => {
            let found = workspace.simulate(id, &simulate)?;
            let loaded = workspace.program(id);
            Ok(match found {
                Ok(simulation) => simulated(loaded, &simulation, simulate.model),
                Err(reason) => no_run(&loaded.file, &reason),
            })
        }
    }
}

fn simulated(loaded: &Loaded, simulation: &Simulation, model: Model) -> Told {
    let Loaded { file, program, sources, .. } = loaded;
    let Simulation { seed, run, .. } = simulation;
    let machine =
        Machine::new(program, model).expect("a run of a program with a definite number of threads");
    Told {
        conclusion: simulation.conclusion(),
        text: report::run_text::render(program, sources, run, &machine, true),
        json: report::json::simulation(file, *seed, program, sources, run, &machine),
        page: Some(html::simulation(file, *seed, program, sources, run)),
        repaired: None,
    }
}

fn no_run(file: &str, reason: &Reason) -> Told {
    let json = report::json::undecided(file, "fencewright.simulate/1", &reason.to_string());
    let text = report::reason_text::render(file, reason);
    Told { conclusion: Conclusion::Undecided, text, json, page: None, repaired: None }
}
