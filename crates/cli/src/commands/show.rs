//! `fencewright show`.

use workspace::Loaded;

use crate::arguments::{Show, ShowFormat, one_file};
use crate::input::{self, Given};
use crate::output::Output;
use crate::status::Status;

pub(crate) fn run(show: &Show, output: &mut Output) -> Status {
    if let Some(problem) = problem(show) {
        return output.refuse(&problem);
    }
    input::for_each(&show.inputs, show.format.form(), output, |given, output| {
        let is_first = given.is_first;
        match show.format {
            ShowFormat::Text => {
                if !is_first {
                    output.text("\n");
                }
                let Loaded { program, sources, .. } = given.loaded();
                output.text(&report::program_text::render(program, sources));
            }
            ShowFormat::Json => {
                let loaded = given.loaded();
                let Loaded { file, program, sources, .. } = loaded;
                let language = loaded.language().name();
                output.data(&report::json::program(file, language, program, sources));
            }
            ShowFormat::Svg | ShowFormat::Dot => output.data(&drawn(show, given)),
        }
        Ok(Status::Fine)
    })
}

/// Why this cannot be shown.
fn problem(show: &Show) -> Option<String> {
    match show.format {
        ShowFormat::Text | ShowFormat::Json if show.events => {
            Some("`--events` draws a picture; add `--format svg` or `--format dot`".to_owned())
        }
        ShowFormat::Svg => one_file("svg", &show.inputs),
        ShowFormat::Text | ShowFormat::Json | ShowFormat::Dot => None,
    }
}

/// The control flow or the event graph.
fn drawn(show: &Show, given: &mut Given<'_>) -> String {
    let id = given.id;
    let graph = show.events.then(|| given.ask(|workspace| workspace.event_graph(id)));
    let Loaded { program, sources, .. } = given.loaded();
    match (graph, show.format) {
        (Some(graph), ShowFormat::Dot) => {
            report::pictures::event_graph_dot(program, sources, &graph)
        }
        (Some(graph), ShowFormat::Svg | ShowFormat::Text | ShowFormat::Json) => {
            report::pictures::event_graph(program, sources, &graph)
        }
        (None, ShowFormat::Dot) => report::dot::render(program),
        (None, ShowFormat::Svg | ShowFormat::Text | ShowFormat::Json) => {
            report::pictures::control_flow(program, sources)
        }
    }
}
