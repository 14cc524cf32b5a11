//! Questions about a program of the corpus, by the library: it is compiled and translated once for all of them. The
//! answers are the documents that the command line prints.

use patch::FenceText;
use semantics::Model;
use serde_json::Value;
use workspace::words::thread;
use workspace::{
    Check, Conclusion, Criterion, Cycles, Fence, Inputs, Lifetimes, Options, ProgramId, Reach,
    Refused, SourceOptions, Workspace,
};

use crate::manifest::Case;

/// A program of the corpus that was read.
pub(crate) struct Opened {
    workspace: Workspace<'static>,
    id: ProgramId,
}

impl Opened {
    /// The program of a case, as the command that asks reads it.
    pub(crate) fn of(case: &Case, lifetimes: Lifetimes) -> Result<Self, String> {
        let mut workspace = Workspace::default();
        let mut all = workspace.open(&inputs(case, lifetimes)?);
        match (all.pop(), all.len()) {
            (Some(Ok(id)), 0) => Ok(Self { workspace, id }),
            (Some(Err((name, refused))), _) => Err(told(&name, &refused)),
            (_, others) => Err(format!("{}: {} programs", case.name, others + 1)),
        }
    }

    /// `check --criterion all`.
    pub(crate) fn check(&mut self) -> Result<Value, String> {
        let criteria = Criterion::ALL.to_vec();
        let question = Check { criteria, options: one_thread(), ..Check::default() };
        let answer = self.workspace.check(self.id, &question);
        let answer = answer.map_err(|refused| told("check", &refused))?;
        let loaded = self.workspace.program(self.id);
        parsed(&report::json::check(&loaded.file, &loaded.program, &loaded.sources, &answer))
    }

    /// `reach --no-deadlocks`.
    pub(crate) fn reach(&mut self, model: Model) -> Result<Value, String> {
        let question = Reach { model, deadlocks: false, options: one_thread(), ..Reach::default() };
        let answer = self.workspace.reach(self.id, &question);
        let answer = answer.map_err(|refused| told("reach", &refused))?;
        let loaded = self.workspace.program(self.id);
        parsed(&report::json::reach(&loaded.file, &loaded.program, &loaded.sources, &answer))
    }

    /// `fence`.
    pub(crate) fn fence(&mut self, question: Fence) -> Result<Value, String> {
        let question = Fence { options: one_thread(), ..question };
        let answer = self.workspace.fence(self.id, &question);
        let answer = answer.map_err(|refused| told("fence", &refused))?;
        let loaded = self.workspace.program(self.id);
        parsed(&report::json::fence(&loaded.file, &loaded.sources, &answer, None))
    }

    /// What `fence --write` writes, with fences of this kind.
    pub(crate) fn repaired(&mut self, fence_text: FenceText) -> Result<String, String> {
        let question = Fence {
            fence_text: Some(fence_text),
            needs_text: true,
            options: one_thread(),
            ..Fence::default()
        };
        let answer = self.workspace.fence(self.id, &question);
        let texts = answer.map_err(|refused| told("fence", &refused))?.texts;
        match texts.unwrap_or_default().as_slice() {
            [(_, text)] => Ok(text.clone()),
            others => Err(format!("{} texts are changed", others.len())),
        }
    }
}

/// Whether `check --method static` says that the program is robust.
pub(crate) fn holds_by_cycles(case: &Case) -> Result<bool, String> {
    let inputs = inputs(case, Lifetimes::Ignored)?;
    let question = Cycles::on(cycles::Arch::X86);
    let mut workspace = Workspace::default();
    let answers = workspace.cycles_of(&case.name, &inputs.files, &inputs, &question);
    let answers = answers.map_err(|refused| told(&case.name, &refused))?;
    Ok(answers.iter().all(|(_, _, answer)| answer.conclusion() == Conclusion::Fine))
}

fn inputs(case: &Case, lifetimes: Lifetimes) -> Result<Inputs, String> {
    let asked = case.instance.threads.iter().map(|text| thread(text));
    let asked = asked.collect::<Result<Vec<_>, _>>()?;
    assert!(asked.iter().all(|one| !one.is_any), "{}: the manifest has numbers", case.name);
    let entries = asked.into_iter().map(|one| one.entry).collect();
    let source = SourceOptions { entries, lifetimes, ..SourceOptions::default() };
    let files = case.files.iter().map(|file| file.display().to_string());
    Ok(Inputs { source, ..Inputs::files(files) })
}

fn one_thread() -> Options {
    Options { threads: 1, ..Options::default() }
}

fn told(what: &str, refused: &Refused) -> String {
    let errors = refused.errors.iter().map(|error| error.message.clone());
    format!("{what}: {}", errors.collect::<Vec<_>>().join("; "))
}

fn parsed(document: &str) -> Result<Value, String> {
    serde_json::from_str(document).map_err(|error| format!("{error}: {document}"))
}
