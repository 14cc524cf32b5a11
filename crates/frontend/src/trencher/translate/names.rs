//! Names that the language can read: kept where possible, made up where not.

use std::collections::{BTreeMap, BTreeSet};

/// The names in use, and how far the made-up ones have been counted.
#[derive(Debug, Default)]
pub(super) struct Names {
    used: BTreeSet<String>,
    counts: BTreeMap<String, u32>,
}

impl Names {
    /// A legal name for each of `wishes`: the wish itself if it is legal and no earlier one has
    /// it, otherwise one like it.
    pub(super) fn assign<'a>(
        wishes: impl Iterator<Item = &'a str> + Clone,
        is_legal: impl Fn(&str) -> bool,
    ) -> (Self, Vec<String>) {
        let mut names = Self::default();
        // Made-up names must not take what a later thing is rightly called.
        let kept: Vec<bool> = wishes
            .clone()
            .map(|wish| is_legal(wish) && names.used.insert(wish.to_owned()))
            .collect();
        let assigned = wishes
            .zip(kept)
            .map(|(wish, kept)| if kept { wish.to_owned() } else { names.fresh(wish) })
            .collect();
        (names, assigned)
    }

    /// A legal name like `wish` that nothing has yet.
    pub(super) fn fresh(&mut self, wish: &str) -> String {
        let stem: String = wish
            .chars()
            .map(|c| if c.is_alphanumeric() || "_[].$@".contains(c) { c } else { '_' })
            .collect();
        let starts_well = stem.starts_with(|c: char| c.is_alphabetic() || c == '_');
        let stem = if starts_well { stem } else { format!("_{stem}") };
        if self.used.insert(stem.clone()) {
            return stem;
        }
        let count = self.counts.entry(stem.clone()).or_default();
        loop {
            *count += 1;
            let name = format!("{stem}_{count}");
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trencher::words::is_register_name;

    #[test]
    fn legal_names_are_kept_and_others_made_like_them() {
        let wishes = ["a b", "a_b", "x", "x", "1", "", "a#b"];
        let (mut names, assigned) = Names::assign(wishes.iter().copied(), is_register_name);
        assert_eq!(assigned, ["a_b_1", "a_b", "x", "x_1", "_1", "_", "a#b"]);
        assert_eq!(names.fresh("x"), "x_2");
    }
}
