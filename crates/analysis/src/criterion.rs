//! The criteria, and which implies which.
//!
//! Each criterion says that TSO is no different from SC, the first ones more strictly than the last
//! (ESOP'15, Fig. 1): a program free of data races is free of triangular races; one free of
//! triangular races is robust and persistent; and a robust or persistent program reaches the same
//! plain states under TSO as under SC, so the same final ones.

use std::fmt;

use semantics::Model;

/// In what sense TSO is to be no different from SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Data-race freedom under SC.
    Drf,
    /// Triangular-race freedom.
    Trf,
    /// The same traces.
    Robustness,
    /// The same program orders with the same order of stores.
    Persistence,
    /// The same final states.
    States,
}

impl Criterion {
    /// All of them, what implies before what is implied.
    pub const ALL: [Self; 5] =
        [Self::Drf, Self::Trf, Self::Robustness, Self::Persistence, Self::States];

    /// Its name on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Drf => "drf",
            Self::Trf => "trf",
            Self::Robustness => "robustness",
            Self::Persistence => "persistence",
            Self::States => "states",
        }
    }

    /// The model that it says something about: races are a matter of SC, all else compares TSO with it.
    pub const fn model(self) -> Model {
        match self {
            Self::Drf => Model::Sc,
            Self::Trf | Self::Robustness | Self::Persistence | Self::States => Model::Tso,
        }
    }

    /// The criteria that it implies directly.
    pub const fn implies(self) -> &'static [Self] {
        match self {
            Self::Drf => &[Self::Trf],
            Self::Trf => &[Self::Robustness, Self::Persistence],
            Self::Robustness | Self::Persistence => &[Self::States],
            Self::States => &[],
        }
    }

    /// Whether it implies another one, directly or over others.
    pub fn implies_in_the_end(self, weaker: Self) -> bool {
        self.implies().iter().any(|next| *next == weaker || next.implies_in_the_end(weaker))
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
