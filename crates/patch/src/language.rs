//! The languages.

/// In which language a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// C with the extensions that GCC and clang share.
    C,
    /// Rust. The edition decides when temporaries are dropped.
    Rust(Edition),
}

/// What this crate must know of a Rust edition: in 2024 the temporaries of a block's last
/// expression are dropped before the block's variables, as part of that expression; earlier they
/// lived on to the end of the enclosing statement. It cannot be seen in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edition {
    /// 2015, 2018 and 2021.
    UpTo2021,
    /// 2024 and later.
    From2024,
}
