//! From text to program, or to everything that is wrong with the text.
//!
//! After an error the parser goes on at the next word that begins a part of a file
//! ([`words::SECTIONS`]). Those words can also be names, since any token can: where a name is due,
//! such a word is a name unless it begins a line, in which case something was left out before it.

use std::collections::BTreeMap;

use program::validate::MAX_CELLS;
use program::{
    Access, Diagnostic, Diagnostics, Edge, FenceKind, InsertionPoint, Instruction, Label, LabelId,
    Location, NoInsertion, Outside, Program, ProgramBuilder, RegisterId, SourceId, Sources, Span,
    TemplateBuilder,
};

use super::reader::{Parser, Reported, quoted};
use super::sized_memory;
use super::words::{self, Token};

/// More errors than this help nobody.
const MAX_ERRORS: usize = 100;
/// The program that a text describes, named like its file.
pub fn load(sources: &Sources, source: SourceId) -> Result<Program, Diagnostics> {
    let mut parser = Parser::new(sources, source);
    let file = parser.file();
    if !parser.errors.is_empty() {
        return Err(parser.errors);
    }
    let outside = if file.memory.is_some() { Outside::Fault } else { Outside::ZeroCell };
    let mut builder = ProgramBuilder::new(stem(sources.name(source)), outside);
    if let Some(location) = file.memory {
        builder.location(location);
    }
    for thread in file.threads {
        builder.template(thread);
    }
    builder
        .build()
        .map_err(|defects| defects.into_iter().take(MAX_ERRORS).map(Diagnostic::from).collect())
}

/// The name of a file without its folder and its ending.
fn stem(name: &str) -> &str {
    let path = std::path::Path::new(name);
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or(name)
}

#[derive(Default)]
struct File {
    memory: Option<Location>,
    threads: Vec<program::Template>,
}

/// A thread of which more is still to come.
pub(super) struct Thread<'t> {
    pub(super) template: TemplateBuilder,
    labels: BTreeMap<&'t str, LabelId>,
    pub(super) registers: BTreeMap<&'t str, RegisterId>,
    initial: Option<(LabelId, Span)>,
}

impl<'t> Parser<'t> {
    fn file(&mut self) -> File {
        let mut file = File::default();
        let mut names = BTreeMap::new();
        while let Some(token) = self.peek() {
            if self.errors.len() >= MAX_ERRORS {
                let message = format!("too many errors; only the first {MAX_ERRORS} are shown");
                self.errors.push(Diagnostic::new(self.span(token), message));
                break;
            }
            self.next += 1;
            let help = "a file consists of `memory_size N` and `thread NAME … end`";
            let is_stray = ["initial", "transition", "end"].contains(&token.text);
            let expected = if is_stray {
                let message = format!("`{}` outside of a thread", token.text);
                let error = self.error(token, message).label("no thread begins before this");
                self.report(error.help(help));
                None
            } else {
                self.word(token, "a thread", &["memory_size", "thread"], help)
            };
            match expected {
                Some("memory_size") => {
                    if let Ok(location) = self.memory_size(token, file.memory.as_ref()) {
                        file.memory = Some(location);
                    }
                }
                Some(_) => file.threads.extend(self.thread(token, &mut names)),
                None => self.skip_to(&["memory_size", "thread"]),
            }
        }
        file
    }

    fn memory_size(
        &mut self,
        keyword: Token<'t>,
        before: Option<&Location>,
    ) -> Result<Location, Reported> {
        let token = self.name("the number of memory cells", "`memory_size` is followed by it")?;
        let span = self.span(keyword).to(self.span(token));
        if let Some(first) = before {
            let error = Diagnostic::new(span, "the size of memory is declared twice");
            return Err(self.report(error.related(first.span, "first declared here")));
        }
        if let Ok(size @ 1..=MAX_CELLS) = token.text.parse::<u64>() {
            return Ok(Location { span, ..sized_memory(size) });
        }
        let message = format!("{} is not a size of memory", quoted(token.text));
        let error = self.error(token, message).label("expected a number of cells").help(format!(
            "memory has 1 to {MAX_CELLS} cells; without `memory_size` it has one at every address"
        ));
        let reported = self.report(error);
        self.skip_to(&["memory_size", "thread"]);
        Err(reported)
    }

    fn thread(
        &mut self,
        keyword: Token<'t>,
        names: &mut BTreeMap<&'t str, Span>,
    ) -> Option<program::Template> {
        let name = self.name("the name of the thread", "a thread is `thread NAME … end`").ok();
        let span = name.map_or(self.span(keyword), |name| self.span(keyword).to(self.span(name)));
        if let Some(name) = name {
            if let Some(first) = names.get(name.text) {
                let message = format!("there are two threads named {}", quoted(name.text));
                let error = self.error(name, message).related(*first, "the first one");
                self.report(error.help("give each thread a name of its own"));
            } else {
                names.insert(name.text, self.span(name));
            }
        }
        let mut thread = Thread {
            template: TemplateBuilder::new(name.map_or("", |name| name.text), span),
            labels: BTreeMap::new(),
            registers: BTreeMap::new(),
            initial: None,
        };
        self.body(&mut thread, span);
        if self.errors.len() >= MAX_ERRORS {
            return None;
        }
        let Some((initial, _)) = thread.initial else {
            let message = match name {
                Some(name) => format!("thread {} has no initial label", quoted(name.text)),
                None => "a thread has no initial label".to_owned(),
            };
            let error = Diagnostic::new(span, message);
            self.report(error.help("say where the thread starts: `initial LABEL`"));
            return None;
        };
        Some(thread.template.build(initial))
    }

    /// Reads up to and including `end`.
    fn body(&mut self, thread: &mut Thread<'t>, thread_span: Span) {
        const EXPECTED: &str = "`transition`, `initial` or `end`";
        const SHAPES: &str =
            "each part of a thread is `initial LABEL` or `transition FROM TO INSTRUCTION`";
        while self.errors.len() < MAX_ERRORS {
            let Some(token) = self.peek() else {
                let error = Diagnostic::new(self.span_here(), "`end` is missing");
                let error = error.label("the file ends inside a thread");
                self.report(error.related(thread_span, "the thread"));
                return;
            };
            self.next += 1;
            let result = match token.text {
                "thread" => {
                    let error = self.error(token, "`end` is missing");
                    let error = error.label("a thread begins inside another");
                    self.report(error.related(thread_span, "the thread that has not ended"));
                    self.next -= 1;
                    return;
                }
                "memory_size" => {
                    let error = self.error(token, "`memory_size` inside a thread");
                    Err(self.report(error.help("put it before the first thread")))
                }
                _ => match self.word(token, EXPECTED, &["transition", "initial", "end"], SHAPES) {
                    Some("transition") => self.transition(thread, token),
                    Some("initial") => self.initial(thread, token),
                    Some(_) => return,
                    None => Err(Reported),
                },
            };
            if result.is_err() {
                self.skip_to(&["thread", "initial", "transition", "end"]);
            }
        }
    }

    fn initial(&mut self, thread: &mut Thread<'t>, keyword: Token<'t>) -> Result<(), Reported> {
        let token = self.name("the initial label", "the start of a thread is `initial LABEL`")?;
        let span = self.span(keyword).to(self.span(token));
        if let Some((_, first)) = thread.initial {
            let error = Diagnostic::new(span, "the thread has two initial labels");
            self.report(error.related(first, "the first one"));
            return Ok(());
        }
        thread.initial = Some((self.label(thread, token), span));
        Ok(())
    }

    fn transition(&mut self, thread: &mut Thread<'t>, keyword: Token<'t>) -> Result<(), Reported> {
        const SHAPE: &str = "a transition is `transition FROM TO INSTRUCTION`";
        let from = self.name("the label that the transition leaves", SHAPE)?;
        let to = self.name("the label that the transition leads to", SHAPE)?;
        let instruction_at = self.name("an instruction", SHAPE)?;
        let (from, to) = (self.label(thread, from), self.label(thread, to));
        let instruction = self.instruction(thread, instruction_at)?;
        let last = self.tokens[self.next - 1];
        let span = self.span(keyword).to(self.span(last));
        let point = |offset| InsertionPoint { source: self.source, offset };
        let label = &mut thread.template.labels_mut()[from];
        if label.before.is_err() {
            label.before = Ok(point(span.start));
        }
        thread.template.edge(Edge { from, to, instruction, span, after: Ok(point(span.end)) });
        Ok(())
    }

    fn instruction(
        &mut self,
        thread: &mut Thread<'t>,
        token: Token<'t>,
    ) -> Result<Instruction, Reported> {
        let list = words::INSTRUCTIONS.map(|word| format!("`{word}`")).join(", ");
        let help = format!("the instructions are {list}");
        let word = self.word(token, "an instruction", &words::INSTRUCTIONS, &help);
        Ok(match word.ok_or(Reported)? {
            "write" => {
                let value = self.expression(thread, "the value written")?;
                let address = self.expression(thread, "the address written")?;
                Instruction::Store { address, value, access: Access::PLAIN }
            }
            "read" => {
                let register = self.register(thread, "`read REGISTER ADDRESS`")?;
                let address = self.expression(thread, "the address read")?;
                Instruction::Load { register, address, access: Access::PLAIN }
            }
            "local" => {
                let register = self.register(thread, "`local REGISTER VALUE`")?;
                let value = self.expression(thread, "the value assigned")?;
                Instruction::Assign { register, value }
            }
            "check" => Instruction::Assume(self.expression(thread, "the condition checked")?),
            "mfence" => Instruction::Fence(FenceKind::Full),
            "noop" => Instruction::Skip,
            "lock" => Instruction::Lock,
            // The last one of the list.
            _ => Instruction::Unlock,
        })
    }

    fn label(&self, thread: &mut Thread<'t>, token: Token<'t>) -> LabelId {
        let Thread { labels, template, .. } = thread;
        *labels.entry(token.text).or_insert_with(|| {
            template.label(Label {
                name: token.text.to_owned(),
                generated: false,
                waiting: false,
                span: self.span(token),
                before: Err(NoInsertion::NoTextOfItsOwn),
            })
        })
    }
}
