//! Which shared accesses does a program have, in which order, and which memory may each hit?

use events::{Graph, Positions, Rounds, of_program};

use crate::store::{ProgramId, Workspace};

impl Workspace<'_> {
    /// The abstract event graph of a program, in which static analysis looks for critical cycles.
    pub fn event_graph(&self, id: ProgramId) -> Graph {
        of_program(&self.program(id).program, Positions::AfterInstructions, Rounds::All).graph
    }
}
