//! The instances of a program with any number of threads, in the order of how many copies they have.

use program::{Count, Program, TemplateId};

use super::Instance;

/// The numbers of copies of an instance.
pub(super) type Counts = Vec<(TemplateId, u32)>;

/// The instances of a program.
#[derive(Clone, Debug)]
pub(super) struct Instances<'a> {
    program: &'a Program,
    /// The templates with any number of copies, and how many there are of each at least.
    least: Counts,
}

impl<'a> Instances<'a> {
    /// All of them.
    pub(super) fn of(program: &'a Program) -> Self {
        let all = program.templates().enumerate();
        let any = all.filter(|(_, one)| one.count() == Count::Any);
        Self { program, least: any.map(|(id, _)| (id, 0)).collect() }
    }

    /// Those that have this copy.
    pub(super) fn with_copy(mut self, template: TemplateId, copy: u32) -> Self {
        for (id, least) in &mut self.least {
            if *id == template {
                *least = (*least).max(copy + 1);
            }
        }
        self
    }

    /// How many copies the smallest have.
    pub(super) fn smallest(&self) -> u32 {
        self.least.iter().map(|(_, least)| least).sum()
    }

    /// All ways to have so many copies.
    pub(super) fn of_size(&self, size: u32) -> Vec<Counts> {
        let mut all: Vec<(Counts, u32)> = vec![(Vec::new(), size)];
        for (template, least) in &self.least {
            let longer = |(counts, left): &(Counts, u32)| {
                let with = |count| ([&counts[..], &[(*template, count)]].concat(), left - count);
                (*least..=*left).map(with).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all.into_iter().filter(|(_, left)| *left == 0).map(|(counts, _)| counts).collect()
    }

    /// The program with these numbers of copies.
    pub(super) fn program(&self, counts: &[(TemplateId, u32)]) -> Program {
        let with = |program: Program, (template, count): &(TemplateId, u32)| {
            program.with_count(*template, *count)
        };
        counts.iter().fold(self.program.clone(), with)
    }

    /// An instance in which every thread has another of its kind beside it: what a copy can do, and what
    /// others can do to it, is the same as in all greater ones.
    pub(super) fn representative(&self) -> Program {
        let counts: Counts = self.least.iter().map(|(id, _)| (*id, 2)).collect();
        self.program(&counts)
    }

    /// An instance that was found.
    pub(super) fn found(&self, counts: &[(TemplateId, u32)], is_smallest: bool) -> Instance {
        let named = |(id, count): &(TemplateId, u32)| {
            (self.program.template(*id).name().to_owned(), *count)
        };
        let program = self.program(counts);
        Instance { program, counts: counts.iter().map(named).collect(), is_smallest }
    }
}
