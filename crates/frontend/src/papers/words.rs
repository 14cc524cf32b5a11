//! The words of the two syntaxes; the parser and the printer agree through these tables.

/// One of the two syntaxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Figure 1 of the ESOP'13 paper.
    Esop13,
    /// Figure 8 of the ESOP'15 paper.
    Esop15,
}

impl Syntax {
    /// What begins a thread.
    pub(super) const fn thread(self) -> &'static str {
        match self {
            Self::Esop13 => "thread",
            Self::Esop15 => "process",
        }
    }

    /// What stands before the name of a register.
    pub(super) const fn sigil(self) -> &'static str {
        match self {
            Self::Esop13 => "",
            Self::Esop15 => "$",
        }
    }

    pub(super) const fn fence(self) -> &'static str {
        match self {
            Self::Esop13 => "mfence",
            Self::Esop15 => "fence",
        }
    }

    pub(super) const fn assume(self) -> &'static str {
        match self {
            Self::Esop13 => "assert",
            Self::Esop15 => "assume",
        }
    }

    /// Words that cannot be names of programs, threads, labels and variables.
    pub(super) const fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::Esop13 => &[
                "assert", "begin", "end", "goto", "init", "mem", "mfence", "program", "regs",
                "thread",
            ],
            Self::Esop15 => &[
                "arw", "assume", "begin", "end", "fence", "fn", "goto", "init", "process", "procs",
                "program", "regs", "skip", "vars",
            ],
        }
    }

    /// Words that begin what stands outside threads.
    pub(super) const fn items(self) -> &'static [&'static str] {
        match self {
            Self::Esop13 => &["program", "thread"],
            Self::Esop15 => &["process", "procs", "program", "vars"],
        }
    }

    /// Words that begin a statement.
    pub(super) const fn statements(self) -> &'static [&'static str] {
        match self {
            Self::Esop13 => &["assert", "mem", "mfence"],
            Self::Esop15 => &["arw", "assume", "fence", "fn", "skip"],
        }
    }

    /// Whether `word` can be a name.
    pub(super) fn is_name(self, word: &str) -> bool {
        !self.reserved().contains(&word)
    }
}
