//! The whole system as plain data, for engines that run elsewhere ([`explore::tables`]).

use explore::tables::{Tables, mark};

use super::{Future, Packed};

impl<const W: usize> Packed<'_, W> {
    /// The tables of automata that are complete and searched without reductions, those of local steps
    /// apart, which are in the automata. States of the tables are those of this system.
    pub(crate) fn tables(&self) -> Option<Tables> {
        if !self.is_plain() || !self.meaning.numbers().is_complete {
            return None;
        }
        let beginnings = (0..).map_while(|number| self.beginning(number));
        let looks_at_all = self.has_condition && self.ends.is_none();
        let mut tables = Tables {
            words: W,
            widths: self.layout.widths::<W>().to_vec(),
            initial: beginnings.flatten().collect(),
            looks_at_all,
            ..Tables::default()
        };
        for (thread, table) in self.tables.iter().enumerate() {
            table.export(self.marks_of(self.class_of[thread]), &mut tables);
        }
        Some(tables)
    }

    /// What the local states of a class have to do with what is looked for.
    fn marks_of(&self, class: usize) -> Vec<u8> {
        let bit = |is_so: bool, bit: u8| if is_so { bit } else { 0 };
        let ends = self.ends.as_ref().map(|ends| &ends[class]);
        let marks = (0..self.goals[class].len()).map(|local| {
            let has = |bit: u8| ends.is_some_and(|ends| ends[local].has(bit));
            let looks_for_ends = self.has_condition || self.looks_for_ends;
            bit(self.goals[class][local] || self.to_be_noted[class][local], mark::LOOK_IF_ANY)
                // Who is stuck makes no step but from waiting to waiting, and changes no cell.
                | bit(self.looks_for_stuck && self.can_be_stuck[class][local], mark::LOOK_IF_CALM)
                | bit(looks_for_ends && has(Future::ENDED), mark::LOOK_IF_ALL)
                | bit(!self.looks_for_ends || has(Future::MAY_END), mark::EXPAND_IF_ALL)
                | bit(self.looks_for_ends && has(Future::MAY_REACH_GOAL), mark::EXPAND_IF_ANY)
        });
        marks.collect()
    }
}
