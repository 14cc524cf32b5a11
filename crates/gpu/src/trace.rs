//! Paths to goals: backward, each time to the least state of the level before that has the state as a
//! successor. It is found in the set, by the level that stands beside each state.

use std::time::Instant;

use explore::Lookout;

use crate::device::{Arguments, Device};
use crate::levels::{End, Run};

impl<D: Device> Run<'_, D> {
    /// A path to a goal of this level; nothing if levels are not told apart any more so far away.
    pub(crate) fn path(
        &mut self,
        goal: Vec<u64>,
        depth: u64,
        lookout: &mut Lookout,
    ) -> Result<Option<Vec<Vec<u64>>>, End> {
        if !self.is_told_apart(depth) {
            return Ok((depth == 0).then(|| vec![goal]));
        }
        let mut path = vec![goal];
        for depth in (0..depth).rev() {
            lookout.look(Instant::now()).map_err(End::Limit)?;
            let state = path.last().expect("it has a state");
            let mut target = [0; 2];
            target[..state.len()].copy_from_slice(state);
            let mut before: Vec<u64> = Vec::new();
            for word in 0..self.tables.words {
                let least = before.last().copied().unwrap_or(0);
                let arguments = Arguments { target, word: word as u64, least, ..self.arguments };
                let Some(found) = self.preceding(depth, arguments)? else { return Ok(None) };
                before.push(found);
            }
            path.push(before);
        }
        path.reverse();
        Ok(Some(path))
    }
}
