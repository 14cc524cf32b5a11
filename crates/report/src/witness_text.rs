//! Evidence for people: the accesses in the source, the run with one column for each thread, and why
//! no execution under SC does that.

use std::fmt::Write;

use analysis::evidence::{Overtaking, Race};
use analysis::robustness::Witness;
use analysis::tso_only::TsoOnlyRun;
use analysis::{Ending, Evidence};
use program::{Diagnostic, Program, Sources};
use semantics::{Edge, Model, Relation};

use crate::check::{Delay, Part, WriteBetween, drawn_together, final_values, machine};
use crate::diagnostics;
use crate::history_text;
use crate::narrator::Narrator;
use crate::table::align;

/// What shows a violation.
pub(crate) fn witness(
    program: &Program,
    sources: &Sources,
    evidence: &Evidence,
    colour: bool,
) -> String {
    let machine = machine(program, evidence.execution());
    let narrator = Narrator::new(program, sources, &machine);
    match evidence {
        Evidence::Race(race) => narrator.race(race, colour),
        Evidence::Overtaking(overtaking) => narrator.overtaking(overtaking, colour),
        Evidence::Cycle(witness) => narrator.cycle(witness, colour),
        Evidence::TsoOnly(elsewhere) => narrator.elsewhere(elsewhere, colour),
    }
}

/// What stands between two nodes of a cycle.
const fn reason(relation: Relation) -> &'static str {
    match relation {
        Relation::ProgramOrder => "po: program order",
        Relation::StoreOrder => "co: store order, both write there in this order",
        Relation::Source => "rf: reads from, the next one reads what this one wrote",
        Relation::Conflict => "fr: from-read, the next one overwrites what this one read",
        Relation::SameSection => "section: one locked section, no other thread gets between them",
    }
}

impl Narrator<'_> {
    /// Two places in the source.
    fn places(
        &self,
        title: &str,
        first: (&Part, &str),
        last: (&Part, &str),
        colour: bool,
    ) -> String {
        let (Part { span: before, .. }, said_before) = first;
        let (Part { span: here, .. }, said_here) = last;
        let what = if before == here {
            Diagnostic::new(*here, title).label(format!("{said_before}; {said_here}"))
        } else {
            Diagnostic::new(*here, title).label(said_here).related(*before, said_before)
        };
        let note = diagnostics::note(&what, self.sources, colour);
        format!("{}\n\n", note.trim_end())
    }

    fn cycle(&self, witness: &Witness, colour: bool) -> String {
        let Delay { store, load, .. } = Delay::of_cycle(self.machine, witness);
        let thread = &store.thread;
        let mut text = self.places(
            &format!("{thread} keeps running while its store is still in the store buffer"),
            (&store, &format!("① the store {} = {} waits", store.cell, store.value)),
            (&load, &format!("② meanwhile this load reads {} = {}", load.cell, load.value)),
            colour,
        );
        let marks =
            [(witness.issue_step, "①"), (witness.load_step, "②"), (witness.store_step, "③")];
        text.push_str("A run under TSO:\n\n");
        text.push_str(&self.steps(&witness.execution.computation.steps, &marks));
        text.push_str(
            "\n  ① the store is delayed  ② the load overtakes it  ③ the store reaches memory\n",
        );
        text.push_str("\nWhy SC forbids this: each access must happen before the next one\n\n");
        text.push_str(&self.round(witness));
        text.push_str(
            "\nUnder SC all these orderings would have to hold at once.\nThey form a cycle, so no SC execution \
             can read and write these values.\n",
        );
        text
    }

    /// The cycle, a line for each node and for each edge.
    fn round(&self, witness: &Witness) -> String {
        let nodes = witness.trace.nodes();
        let mut rows = Vec::new();
        for Edge { from, relation, .. } in drawn_together(&witness.cycle) {
            let node = &nodes[from];
            rows.push(vec![
                self.machine.threads()[node.thread].name.clone(),
                self.line_of(node.thread, node.edge),
                self.node(node),
            ]);
            rows.push(vec![String::new(), String::new(), format!("  ↓ {}", reason(relation))]);
        }
        let mut text = align(&rows, 2);
        text.push_str("  ↺ back to the first\n");
        text
    }

    fn overtaking(&self, overtaking: &Overtaking, colour: bool) -> String {
        let Delay { store, load, write } = Delay::of_overtaking(self.machine, overtaking);
        let WriteBetween { part: write, arrives, .. } = write.expect("somebody writes between");
        let (pivot, fringe) = (&store.thread, &write.thread);
        let loaded = &load.cell;
        let mut text = self.places(
            &format!("{pivot} keeps running while its store is still in the store buffer"),
            (&store, &format!("① the store {} = {} waits", store.cell, store.value)),
            (&load, &format!("② meanwhile this load reads {loaded} = {}", load.value)),
            colour,
        );
        let value = write.value;
        let what = Diagnostic::new(write.span, format!("then {fringe} writes what was loaded"))
            .label(format!("③ {loaded} = {value} reaches memory before the store"));
        let note = diagnostics::note(&what, self.sources, colour);
        let _ = write!(text, "{}\n\n", note.trim_end());
        let marks = [
            (overtaking.issue_step, "①"),
            (overtaking.load_step, "②"),
            (arrives, "③"),
            (overtaking.store_step, "④"),
        ];
        text.push_str("A run under TSO:\n\n");
        text.push_str(&self.steps(&overtaking.execution.computation.steps, &marks));
        let _ = write!(
            text,
            "\n  ① the store is delayed  ② the load overtakes it  ③ {fringe} writes  \
             ④ the store reaches memory\n\n\
             No SC execution has both of these orders and reads the same:\n\n  \
             program order of {pivot}: first the store to {}, then the load of {loaded}\n  \
             store order: first {loaded} = {value} by {fringe}, then {} = {} by {pivot}\n\n\
             Under SC the store is done when it reaches memory, so the load would come after both \
             and read\nwhat {fringe} wrote. Here it read {loaded} = {} from before.\n",
            store.cell, store.cell, store.value, load.value
        );
        text
    }

    fn elsewhere(&self, elsewhere: &TsoOnlyRun, colour: bool) -> String {
        let execution = &elsewhere.execution;
        let (model, is_new) = match execution.computation.model {
            Model::Sc => ("SC", false),
            Model::Tso => ("TSO", true),
        };
        let mut text = format!("A run under {model}:\n\n");
        text.push_str(&self.reordered(execution));
        match &execution.ending {
            Ending::Fault { .. } | Ending::Limit { .. } if is_new => {
                text.push_str("\nNo SC execution has this error.\n");
            }
            Ending::Fault { .. } | Ending::Limit { .. } => {}
            Ending::Deadlock(_) => {
                let steps = execution.computation.steps.len();
                let _ = write!(text, "\n{}", self.ending(&execution.ending, steps, colour));
            }
            Ending::History(history) => {
                let _ = write!(text, "\n{}", history_text::lines(history, self.machine));
            }
            Ending::Terminated | Ending::Goal | Ending::StepLimit => {
                let values = final_values(self.machine, execution);
                let new = if is_new { " No SC execution ends like this." } else { "" };
                let _ = writeln!(text, "\nIn the end {values}.{new}");
            }
        }
        text
    }

    fn race(&self, race: &Race, colour: bool) -> String {
        let parts = race.accesses.map(|access| {
            let cell = self.program.memory().cell_name(access.address);
            let thread = self.machine.threads()[access.thread].name.clone();
            let verb = if access.writes { "writes" } else { "reads" };
            let locked = if access.is_locked { ", with a locked access" } else { "" };
            let said = format!("{thread} {verb} {cell}{locked}");
            let span = self.span(access.thread, access.edge);
            (Part { thread, span, cell, value: 0 }, said)
        });
        let [(one, first), (other, second)] = &parts;
        let mut text =
            self.places("nothing keeps these apart", (one, first), (other, second), colour);
        let steps = &race.execution.computation.steps;
        let (one, other) = (&one.thread, &other.thread);
        if steps.is_empty() {
            let _ = writeln!(text, "In the beginning {one} and {other} are there already.");
        } else {
            let _ = writeln!(text, "A run under SC after which {one} and {other} are there:\n");
            text.push_str(&self.steps(steps, &[]));
        }
        text
    }
}
