//! All that happens in every instance of a function, and who calls whom.

use std::rc::Rc;

use linkage::Item;
use rustc_hash::FxHashMap;

use crate::access::{Alternatives, Happening};
use crate::flow::Flow;
use crate::pointers::Pointers;

/// What happens in an instance.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) flow: Rc<Flow>,
    /// For each block, the instructions at which something happens.
    pub(crate) blocks: Vec<Vec<(u32, Alternatives)>>,
}

impl Code {
    /// All that happens, in the order of the text, with the block and the place in it.
    pub(crate) fn all(&self) -> impl Iterator<Item = ((u32, u32), &Happening)> {
        (0_u32..).zip(&self.blocks).flat_map(|(block, code)| {
            code.iter().flat_map(move |(index, alternatives)| {
                alternatives.iter().flatten().map(move |one| ((block, *index), one))
            })
        })
    }
}

/// What happens in all instances.
pub(crate) fn codes(pointers: &mut Pointers<'_, '_>) -> Vec<Code> {
    let mut flows: FxHashMap<Item, Rc<Flow>> = FxHashMap::default();
    let mut codes = Vec::with_capacity(pointers.instances.len());
    for instance in (0_u32..).take(pointers.instances.len()) {
        let item = pointers.instances[instance as usize].item;
        let function = pointers.function(item);
        let flow = flows.entry(item).or_insert_with(|| Rc::new(Flow::new(function))).clone();
        let mut blocks = vec![Vec::new(); function.blocks.len()];
        for block in &flow.order {
            let instructions = &function.blocks[*block as usize].instructions;
            for (index, instruction) in (0_u32..).zip(instructions) {
                let found = pointers.happenings((instance, *block, index), instruction);
                if !found.is_empty() {
                    blocks[*block as usize].push((index, found));
                }
            }
        }
        codes.push(Code { flow, blocks });
    }
    codes
}

/// The instances that something calls where it happens.
pub(crate) fn called(pointers: &Pointers<'_, '_>, happening: &Happening) -> Vec<u32> {
    match happening {
        Happening::Calls(sites) => {
            sites.iter().flat_map(|site| pointers.sites[*site as usize].callees.clone()).collect()
        }
        Happening::CallsOutside => pointers.sites[pointers.outside as usize].callees.clone(),
        Happening::Access(_)
        | Happening::Fence(_)
        | Happening::Creates(_)
        | Happening::Joins(_)
        | Happening::Locks(_)
        | Happening::Unlocks(_)
        | Happening::Stops => Vec::new(),
    }
}
