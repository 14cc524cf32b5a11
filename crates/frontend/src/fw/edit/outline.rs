//! Where statements and blocks of a file begin and end.

use super::super::ast::{Block, File, Stmt, Thread};
use super::super::lower::nested_blocks;

/// A statement and what is around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'a> {
    pub(super) thread: &'a Thread,
    pub(super) block: &'a Block,
    pub(super) statement: &'a Stmt,
    /// Its number in the block.
    pub(super) index: usize,
}

/// Where a fence goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spot<'a> {
    /// Between the labels of a statement and the statement.
    Before(Site<'a>),
    After(Site<'a>),
    /// Behind the brace that opens a block.
    Start(&'a Block),
    /// Before the brace that closes a block with something in it.
    End(&'a Block),
}

impl Spot<'_> {
    /// Where in the text it is; different for different spots.
    pub(super) fn key(&self) -> (u32, u8) {
        match self {
            Self::Before(site) => (site.statement.span.start, 2),
            Self::After(site) => (site.statement.span.end, 0),
            Self::Start(block) => (block.span.start + 1, 1),
            Self::End(block) => (block.span.end - 1, 3),
        }
    }
}

/// All statements and blocks of a file.
#[derive(Debug, Default)]
pub(super) struct Outline<'a> {
    pub(super) sites: Vec<Site<'a>>,
    /// Those in braces: an `else if` is a block without them.
    blocks: Vec<&'a Block>,
}

impl<'a> Outline<'a> {
    pub(super) fn of(file: &'a File) -> Self {
        let mut outline = Self::default();
        for thread in &file.threads {
            outline.add(thread, &thread.body);
        }
        outline
    }

    fn add(&mut self, thread: &'a Thread, block: &'a Block) {
        if has_braces(block) {
            self.blocks.push(block);
        }
        for (index, statement) in block.statements.iter().enumerate() {
            self.sites.push(Site { thread, block, statement, index });
            for inner in nested_blocks(&statement.kind) {
                self.add(thread, inner);
            }
        }
    }

    /// The place that is the insertion point of a label.
    pub(super) fn before(&self, offset: u32) -> Option<Spot<'a>> {
        self.statement_from(offset).or_else(|| self.end(offset)).or_else(|| self.start(offset))
    }

    /// The place that is the insertion point of an edge.
    pub(super) fn after(&self, offset: u32) -> Option<Spot<'a>> {
        self.start(offset)
            .or_else(|| self.statement_to(offset))
            .or_else(|| self.statement_from(offset))
    }

    fn statement_from(&self, offset: u32) -> Option<Spot<'a>> {
        self.statement(|site| site.statement.span.start == offset).map(Spot::Before)
    }

    fn statement_to(&self, offset: u32) -> Option<Spot<'a>> {
        self.statement(|site| site.statement.span.end == offset).map(Spot::After)
    }

    fn statement(&self, is_it: impl Fn(&Site<'a>) -> bool) -> Option<Site<'a>> {
        self.sites.iter().find(|site| has_braces(site.block) && is_it(site)).copied()
    }

    fn start(&self, offset: u32) -> Option<Spot<'a>> {
        let found = self.blocks.iter().find(|block| block.span.start + 1 == offset);
        found.map(|block| Spot::Start(block))
    }

    fn end(&self, offset: u32) -> Option<Spot<'a>> {
        let found = self.blocks.iter().find(|block| block.span.end == offset + 1);
        found.map(
            |block| {
                if block.statements.is_empty() { Spot::Start(block) } else { Spot::End(block) }
            },
        )
    }
}

fn has_braces(block: &Block) -> bool {
    block.statements.first().is_none_or(|first| first.span != block.span)
}
