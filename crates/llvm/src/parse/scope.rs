//! The names of one function: locals and blocks, which may be used before they are defined.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::index::{BlockId, LocalId, MetadataId, TypeId};
use crate::module::{Block, Local};
use crate::names;

/// What is known of the function being read. Blocks are numbered as they are mentioned.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// Whether a function is being read.
    pub(super) open: bool,
    pub(super) locals: Vec<Local>,
    local_names: FxHashMap<Cow<'a, str>, LocalId>,
    defined: Vec<bool>,
    pub(super) blocks: Vec<Block>,
    block_names: FxHashMap<Cow<'a, str>, BlockId>,
    /// The blocks in the order of their definitions.
    pub(super) order: Vec<BlockId>,
    block_defined: Vec<bool>,
    /// The number of the next value or block without a name.
    next_number: u64,
    pub(super) declared: Vec<(LocalId, MetadataId)>,
}

/// How much was known before an instruction.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    locals: usize,
    blocks: usize,
}

impl<'a> Scope<'a> {
    /// Forgets everything and begins a function.
    pub(super) fn begin(&mut self) {
        self.open = true;
        self.locals.clear();
        self.local_names.clear();
        self.defined.clear();
        self.blocks.clear();
        self.block_names.clear();
        self.order.clear();
        self.block_defined.clear();
        self.next_number = 0;
        self.declared.clear();
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { locals: self.locals.len(), blocks: self.blocks.len() }
    }

    /// Forgets what an instruction mentioned that could not be read after all.
    pub(super) fn forget_since(&mut self, mark: Mark) {
        for local in self.locals.drain(mark.locals..) {
            self.local_names.remove(local.name.as_str());
        }
        self.defined.truncate(mark.locals);
        for block in self.blocks.drain(mark.blocks..) {
            self.block_names.remove(block.name.as_str());
        }
        self.block_defined.truncate(mark.blocks);
    }

    /// A local by its name; the type is kept if it was not known.
    pub(super) fn local(&mut self, raw: &'a str, ty: TypeId) -> LocalId {
        let name = names::identifier(raw);
        if let Some(id) = self.local_names.get(&name) {
            return *id;
        }
        self.new_local(name, ty)
    }

    /// A local that has been mentioned.
    pub(super) fn known_local(&self, raw: &str) -> Option<LocalId> {
        self.local_names.get(names::identifier(raw).as_ref()).copied()
    }

    fn new_local(&mut self, name: Cow<'a, str>, ty: TypeId) -> LocalId {
        let id = LocalId::new(self.locals.len());
        self.locals.push(Local { name: name.clone().into_owned(), ty });
        self.defined.push(false);
        self.local_names.insert(name, id);
        id
    }

    /// Defines a local: with a name, or with the next number. `Err` says what is wrong.
    pub(super) fn define(
        &mut self,
        raw: Option<&'a str>,
        ty: TypeId,
    ) -> Result<LocalId, &'static str> {
        let name = self.defined_name(raw)?;
        let id = match self.local_names.get(&name) {
            Some(id) => *id,
            None => self.new_local(name, ty),
        };
        if std::mem::replace(&mut self.defined[id.index()], true) {
            return Err("this value is defined twice");
        }
        self.locals[id.index()].ty = ty;
        Ok(id)
    }

    /// A name as given, or the next number.
    fn defined_name(&mut self, raw: Option<&'a str>) -> Result<Cow<'a, str>, &'static str> {
        let Some(raw) = raw else {
            let name = Cow::Owned(self.next_number.to_string());
            self.next_number += 1;
            return Ok(name);
        };
        if names::is_number(raw) {
            let number: u32 = raw.parse().map_err(|_| "this number is too large")?;
            // Newer versions allow gaps; older ones do not write any.
            if u64::from(number) < self.next_number {
                return Err("numbers of values and blocks must grow");
            }
            self.next_number = u64::from(number) + 1;
        }
        Ok(names::identifier(raw))
    }

    /// A block by its name.
    pub(super) fn block(&mut self, raw: &'a str) -> BlockId {
        let name = names::identifier(raw);
        if let Some(id) = self.block_names.get(&name) {
            return *id;
        }
        self.new_block(name)
    }

    fn new_block(&mut self, name: Cow<'a, str>) -> BlockId {
        let id = BlockId::new(self.blocks.len());
        self.blocks.push(Block { name: name.clone().into_owned(), instructions: Vec::new() });
        self.block_defined.push(false);
        self.block_names.insert(name, id);
        id
    }

    /// Begins a block: with a label, or with the next number. `Err` says what is wrong.
    pub(super) fn define_block(&mut self, raw: Option<&'a str>) -> Result<BlockId, &'static str> {
        let name = self.defined_name(raw)?;
        let id = match self.block_names.get(&name) {
            Some(id) => *id,
            None => self.new_block(name),
        };
        if std::mem::replace(&mut self.block_defined[id.index()], true) {
            return Err("this block is defined twice");
        }
        self.order.push(id);
        Ok(id)
    }

    /// The name of something that is used but not defined.
    pub(super) fn undefined(&self) -> Option<String> {
        let local = self.defined.iter().position(|defined| !defined);
        let block = self.block_defined.iter().position(|defined| !defined);
        match (local, block) {
            (Some(index), _) => Some(format!("the value %{}", self.locals[index].name)),
            (None, Some(index)) => Some(format!("the block %{}", self.blocks[index].name)),
            (None, None) => None,
        }
    }
}
