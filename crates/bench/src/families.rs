//! The families: mutual exclusion for n threads, from the corpus, each checking itself.
//!
//! `CHECK = 1` makes each thread assert that nobody else is inside. Without a property a reduction
//! could leave out everything. The property holds in all of them, so everything is explored.

use frontend::{Language, Settings, load};
use program::{Program, Sources};

/// Programs that differ in the number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    text: &'static str,
}

macro_rules! family {
    ($name:literal, $file:literal) => {
        Family { name: $name, text: include_str!(concat!("../../../corpus/", $file)) }
    };
}

/// All of them.
pub(crate) const FAMILIES: [Family; 7] = [
    family!("filter", "mutex/filter.fw"),
    family!("bakery", "mutex/bakery.fw"),
    family!("szymanski", "mutex/szymanski.fw"),
    family!("dijkstra", "mutex/dijkstra.fw"),
    family!("burns", "mutex/burns.fw"),
    family!("simple-dekker", "mutex/simple-dekker.fw"),
    family!("ticket", "locks/ticket.fw"),
];

impl Family {
    /// The member with `n` threads.
    pub(crate) fn program(self, n: u32) -> Program {
        let mut sources = Sources::new();
        let source = sources.add(self.name, self.text);
        let constants = vec![("N".to_owned(), n.into()), ("CHECK".to_owned(), 1)];
        let settings = Settings { constants, ..Settings::default() };
        load(&sources, source, Language::Fw, &settings)
            .unwrap_or_else(|errors| panic!("{} for {n} threads: {errors:#?}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_members_for_two_to_six_threads() {
        for family in FAMILIES {
            for n in 2..=6 {
                let threads = family.program(n).threads().expect("definite threads");
                assert_eq!(threads.len(), n as usize, "{}", family.name);
            }
        }
    }
}
