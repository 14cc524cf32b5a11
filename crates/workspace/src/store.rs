//! The workspace: programs that were read, and what is known about them.

use std::ops::ControlFlow;

use analysis::{Checked, Progress, Watch};
use program::Diagnostics;

use crate::host::{Host, System};
use crate::inputs::{self, Inputs, Loaded, Part, Refused};
use crate::source::Modules;

/// A program of a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramId(usize);

/// A program, and what was decided about it.
struct Kept {
    loaded: Loaded,
    /// By the exact methods: verdicts about a program do not depend on how it was searched.
    checked: Vec<Checked>,
}

/// Programs that were read, and what is known about them; who is asked about them; and who is told how a
/// search goes on.
pub struct Workspace<'h> {
    host: Box<dyn Host + 'h>,
    watch: Box<Watch<'h>>,
    programs: Vec<Option<Kept>>,
}

impl Default for Workspace<'_> {
    /// A workspace on the machine that we run on.
    fn default() -> Self {
        Self::new(System)
    }
}

/// One program of a workspace, with all that an answer needs.
pub(crate) struct Subject<'a, 'w> {
    pub(crate) host: &'a dyn Host,
    pub(crate) loaded: &'a Loaded,
    pub(crate) checked: &'a mut Vec<Checked>,
    pub(crate) watch: &'a mut Watch<'w>,
}

impl<'h> Workspace<'h> {
    /// An empty workspace in this world.
    pub fn new(host: impl Host + 'h) -> Self {
        let watch = Box::new(|_: &Progress| ControlFlow::Continue(()));
        Self { host: Box::new(host), watch, programs: Vec::new() }
    }

    /// With somebody who is told how searches go on, and may end them.
    #[must_use]
    pub fn watched_by(mut self, watch: impl FnMut(&Progress) -> ControlFlow<()> + 'h) -> Self {
        self.watch = Box::new(watch);
        self
    }

    /// The world outside.
    pub fn host(&self) -> &dyn Host {
        &*self.host
    }

    /// Who is told how searches go on.
    pub(crate) fn watch(&mut self) -> &mut Watch<'h> {
        &mut *self.watch
    }

    /// Reads a text; its name and content tell its language. The same text again is the same program, of
    /// which everything is still known.
    pub fn text(&mut self, name: &str, content: &str) -> Result<ProgramId, Refused> {
        self.text_as(name, content, &Inputs::default())
    }

    /// Reads a text with other constants, counts or another language.
    pub fn text_as(
        &mut self,
        name: &str,
        content: &str,
        inputs: &Inputs,
    ) -> Result<ProgramId, Refused> {
        let loaded = inputs::load_text(name, content, inputs)?;
        Ok(self.keep(loaded))
    }

    /// Reads all programs of some inputs, each with its name if it cannot be read.
    pub fn open(&mut self, inputs: &Inputs) -> Vec<Result<ProgramId, (String, Refused)>> {
        let mut all = Vec::new();
        for files in self.programs(inputs) {
            let name =
                files.iter().map(|file| inputs.shown_name(file)).collect::<Vec<_>>().join(" ");
            match self.parts(&files, inputs) {
                Ok(parts) => {
                    for part in parts {
                        let name = format!("{name}{}", part.which);
                        all.push(self.load(&name, part, inputs).map_err(|refused| (name, refused)));
                    }
                }
                Err(errors) => {
                    let sources = program::Sources::new();
                    all.push(Err((name, Refused { errors, sources })));
                }
            }
        }
        all
    }

    /// The files of each program: one each, but for those that a compiler puts together.
    pub fn programs(&self, inputs: &Inputs) -> Vec<Vec<String>> {
        inputs::programs(&*self.host, inputs)
    }

    /// Whether a compiler is needed to read a file.
    pub fn is_compiled(&self, file: &str, inputs: &Inputs) -> bool {
        inputs::is_compiled(&*self.host, file, inputs)
    }

    /// The programs in files that belong together: one, or each test of a package.
    pub fn parts(&self, files: &[String], inputs: &Inputs) -> Result<Vec<Part>, Diagnostics> {
        inputs::parts(&*self.host, files, inputs)
    }

    /// Reads one program, and calls it so.
    pub fn load(&mut self, name: &str, part: Part, inputs: &Inputs) -> Result<ProgramId, Refused> {
        let loaded = inputs::load(&*self.host, name, part, inputs)?;
        Ok(self.keep(loaded))
    }

    fn keep(&mut self, loaded: Loaded) -> ProgramId {
        let is_same = |kept: &Option<Kept>| {
            kept.as_ref().is_some_and(|Kept { loaded: old, .. }| {
                old.file == loaded.file && old.program == loaded.program
            })
        };
        if let Some(at) = self.programs.iter().position(is_same) {
            if let Some(kept) = &mut self.programs[at] {
                kept.loaded = loaded;
            }
            return ProgramId(at);
        }
        let kept = Some(Kept { loaded, checked: Vec::new() });
        if let Some(free) = self.programs.iter().position(Option::is_none) {
            self.programs[free] = kept;
            return ProgramId(free);
        }
        self.programs.push(kept);
        ProgramId(self.programs.len() - 1)
    }

    /// A program.
    ///
    /// # Panics
    ///
    /// If it was forgotten.
    pub fn program(&self, id: ProgramId) -> &Loaded {
        let kept = self.programs[id.0].as_ref();
        &kept.expect("a program that was not forgotten").loaded
    }

    /// Compiles files that belong together, without making a program of them: for analyses of whole
    /// programs, which need not be closed nor small.
    pub fn compile(&self, files: &[String], inputs: &Inputs) -> Result<Modules<'_>, Diagnostics> {
        Modules::of(&*self.host, files, inputs)
    }

    /// Forgets a program and all that is known about it.
    pub fn forget(&mut self, id: ProgramId) {
        self.programs[id.0] = None;
    }

    pub(crate) fn subject(&mut self, id: ProgramId) -> Subject<'_, 'h> {
        let Kept { loaded, checked } =
            self.programs[id.0].as_mut().expect("a program that was not forgotten");
        Subject { host: &*self.host, loaded, checked, watch: &mut *self.watch }
    }
}
