//! `check` and `fence` by static critical cycles.

use std::path::PathBuf;
use std::sync::Arc;

use program::{Diagnostic, Sources, Span};
use workspace::{Cycles as Question, CyclesAnswer, Executions, Limit, Limits, Refused, Weights};

use super::fence::{in_place, writing};
use crate::arguments::check::Check;
use crate::arguments::fence::{Cost, Fence};
use crate::arguments::port::Port;
use crate::arguments::{Format, Inputs, ReportFormat};
use crate::input::{self, Named};
use crate::output::{Output, Said};
use crate::progress::Ticker;
use crate::status::Status;
use crate::supervision::Unanswered;

/// What is asked, and what is done with the answer.
struct Task<'a> {
    inputs: &'a Inputs,
    question: Question,
    format: ReportFormat,
    write: Option<&'a PathBuf>,
    /// Whether files are changed in place, and whether whatever state they are in.
    in_place: Option<bool>,
    diff: bool,
    limits: &'a Limits,
    /// Whether it is told to somebody who ports.
    ports: bool,
}

pub(crate) fn check(options: &Check, output: &mut Output) -> Status {
    let deadline = options.search.limits.deadline;
    let task = Task {
        inputs: &options.inputs,
        question: Question {
            deadline,
            executions: Executions::if_asked(options.delays),
            ..options.cycles.question()
        },
        format: options.format,
        write: None,
        in_place: None,
        diff: false,
        limits: &options.search.limits,
        ports: false,
    };
    task.run(output)
}

pub(crate) fn fence(options: &Fence, output: &mut Output) -> Status {
    let deadline = options.search.limits.deadline;
    let task = Task {
        inputs: &options.inputs,
        question: Question {
            deadline,
            repair: !options.minimise_existing,
            audit: options.minimise_existing.then(|| options.cycles.arch.meant().to_vec()),
            executions: Executions::if_asked(options.confirm),
            needs_text: options.write.is_some() || options.in_place || options.diff,
            positions: options.event_positions(),
            weights: if options.cost == Cost::Loops { Weights::Loops } else { Weights::Equal },
            ..options.cycles.question()
        },
        format: options.format,
        write: options.write.as_ref(),
        in_place: options.in_place.then_some(options.force),
        diff: options.diff,
        limits: &options.search.limits,
        ports: false,
    };
    task.run(output)
}

pub(crate) fn port(options: &Port, output: &mut Output) -> Status {
    if let Some(name) = options.search.about_states() {
        let problem = format!("`{name}` is for the exact method: critical cycles have no states");
        return output.refuse(&problem);
    }
    if options.write.is_some() && options.inputs.may_be_several() {
        return output.refuse("`--write` takes one program; port them one by one");
    }
    let deadline = options.search.limits.deadline;
    let task = Task {
        inputs: &options.inputs,
        question: Question {
            deadline,
            orders: !options.fences_only,
            needs_text: options.write.is_some() || options.diff,
            shown: 30,
            executions: options.confirm.meant(),
            ..Question::ported(options.to.meant())
        },
        format: match options.format {
            Format::Text => ReportFormat::Text,
            Format::Json => ReportFormat::Json,
        },
        write: options.write.as_ref(),
        in_place: None,
        diff: options.diff,
        limits: &options.search.limits,
        ports: true,
    };
    task.run(output)
}

impl Task<'_> {
    fn run(&self, output: &mut Output) -> Status {
        let form = self.format.form();
        let arch = self.question.arch.name();
        let unanswered: Arc<Unanswered> = Arc::new(move |file: &str, limit: Limit| {
            let reason = match limit {
                Limit::Memory => "memory is used up",
                Limit::Time | Limit::States => "time is up",
                Limit::Cancelled => "it was interrupted",
            };
            let shown = report::terminal::line(file);
            let text = format!("{shown}: robustness undecided on {arch} (static): {reason}\n");
            form.undecided(file, text, || report::json::no_cycles(file, arch, reason))
        });
        input::for_each_program(
            self.inputs,
            self.limits,
            form,
            output,
            &unanswered,
            |named, output| {
                if !named.is_first && self.format == ReportFormat::Text && !self.diff {
                    output.separate();
                }
                self.one(named, output)
            },
        )
    }

    fn one(&self, named: &mut Named<'_>, output: &mut Output) -> Result<Status, Refused> {
        let (files, inputs) = (named.files, named.inputs);
        let (file, question) = (named.file, &self.question);
        let stages = question.stages.clone();
        let ticker = Ticker::new(output, move || stages.now().name().to_owned());
        let answers = named.ask(|workspace| workspace.cycles_of(file, files, inputs, question));
        drop(ticker);
        let answers = answers?;
        let mut status = Status::Fine;
        for (file, sources, answer) in answers {
            status = status.max(self.deliver(&file, &sources, &answer, output)?);
        }
        Ok(status)
    }

    fn text(
        &self,
        file: &str,
        sources: &Sources,
        answer: &CyclesAnswer,
        written: Option<&str>,
    ) -> String {
        if self.ports {
            report::port_text::render(file, sources, answer, written)
        } else {
            report::cycles_text::render(file, sources, answer, written)
        }
    }

    fn deliver(
        &self,
        file: &str,
        sources: &Sources,
        answer: &CyclesAnswer,
        output: &mut Output,
    ) -> Result<Status, Refused> {
        let refused = |problem: String| Refused {
            errors: vec![Diagnostic::new(Span::NONE, problem)],
            sources: sources.clone(),
        };
        let mut written = Vec::new();
        if let (Some(path), Some(texts)) = (self.write, &answer.texts) {
            writing::may_be_written(sources, path).map_err(refused)?;
            let desk = output.desk();
            let held = desk.hold();
            let files = writing::write(sources, path, texts);
            drop(held);
            written = files.map_err(refused)?;
        }
        if let (Some(force), Some(texts)) = (self.in_place, &answer.texts) {
            let desk = output.desk();
            let held = desk.hold();
            let files = in_place::write(sources, texts, force);
            drop(held);
            written = files.map_err(refused)?;
        }
        let said = (!written.is_empty()).then(|| format!("written to {}", written.join(", ")));
        let said = said.as_deref().map(report::terminal::line);
        if self.diff {
            output.message(&self.text(file, sources, answer, None));
            if let Some(texts) = &answer.texts {
                output.data(&writing::difference(sources, texts));
            }
            return Ok(answer.conclusion().into());
        }
        output.say(match self.format {
            ReportFormat::Text => {
                let text = self.text(file, sources, answer, said.as_deref());
                Said::Text(text + &report::notes::render(&answer.notes, sources))
            }
            ReportFormat::Json => {
                let written = written.first().map(String::as_str);
                Said::Data(report::json::cycles(file, sources, answer, written))
            }
            // Where there is no cycle, what there is to say is the picture.
            ReportFormat::Dot => {
                let picture = report::pictures::cycles_dot(file, sources, answer);
                Said::Data(picture.unwrap_or_else(|| {
                    let text = report::cycles_text::render(file, sources, answer, None);
                    report::pictures::told_dot(file, &text)
                }))
            }
            ReportFormat::Html => Said::Page(report::html::cycles(file, sources, answer)),
            ReportFormat::Sarif => Said::Findings(report::sarif::cycles(sources, answer)),
            ReportFormat::Github => Said::Data(report::github::cycles(file, sources, answer)),
            ReportFormat::Svg => {
                let picture = report::pictures::cycles(sources, answer);
                Said::Data(picture.unwrap_or_else(|| {
                    let text = report::cycles_text::render(file, sources, answer, None);
                    report::pictures::told(&text)
                }))
            }
        });
        Ok(answer.conclusion().into())
    }
}
