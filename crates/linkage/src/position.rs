//! Where in the source an instruction stands, and to which statement it belongs.

use std::collections::HashMap;
use std::ops::Range;

use llvm::{MetadataId, Module};
use patch::{PlaceKind, Syntax};
use program::{InsertionPoint, SourceId, Sources, Span};

/// A statement (or condition, or returned expression) after which a fence can be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Where the fence goes.
    pub point: InsertionPoint,
    /// The statement.
    pub span: Span,
    /// Whether it decides where control goes on: a condition.
    pub decides: bool,
}

/// Where an instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// What to show of it.
    pub span: Span,
    /// The statement that it belongs to, if a fence can be put after that.
    pub place: Option<Place>,
}

impl Position {
    /// In no text that can be read.
    pub const NOWHERE: Self = Self { span: Span::NONE, place: None };
}

/// Gives the text of a source file that debug information names, if it can be read and the program's
/// author would want to see it.
pub trait Texts {
    /// The name to show and the text of a file, by its path in the debug information.
    fn text(&mut self, file: &str) -> Option<(String, String, patch::Language)>;
}

struct File {
    source: SourceId,
    syntax: Syntax,
}

/// Positions in all source files, which are read when they are first needed.
pub struct Positions<'t> {
    texts: &'t mut dyn Texts,
    sources: &'t mut Sources,
    files: HashMap<String, Option<usize>>,
    read: Vec<File>,
    by_name: HashMap<String, usize>,
}

impl<'t> Positions<'t> {
    /// Positions in these texts.
    pub fn new(texts: &'t mut dyn Texts, sources: &'t mut Sources) -> Self {
        let (files, read, by_name) = (HashMap::new(), Vec::new(), HashMap::new());
        Self { texts, sources, files, read, by_name }
    }

    /// The texts that were read.
    pub fn sources(&self) -> &Sources {
        self.sources
    }

    /// The position that a location of a module means; nothing if it has none.
    pub fn of(&mut self, module: &Module, location: Option<MetadataId>) -> Option<Position> {
        self.located(module, location, Syntax::expression_at)
    }

    /// The same of a load, whose address has so many subscripts where it is located, if that is known.
    pub fn of_load(
        &mut self,
        module: &Module,
        location: Option<MetadataId>,
        subscripts: Option<usize>,
    ) -> Option<Position> {
        self.located(module, location, |syntax, at| syntax.loaded_at(at, subscripts))
    }

    fn located(
        &mut self,
        module: &Module,
        location: Option<MetadataId>,
        expression_at: impl Fn(&Syntax, usize) -> Range<usize>,
    ) -> Option<Position> {
        let located = module.metadata.position(location?)?;
        if located.line == 0 {
            return None;
        }
        let file = self.file(&located.file);
        let Some(file) = file.map(|at| &self.read[at]) else { return Some(Position::NOWHERE) };
        let Some(offset) = file.syntax.offset(located.line, located.column.max(1)) else {
            return Some(Position::NOWHERE);
        };
        let span = Span::new(file.source, expression_at(&file.syntax, offset));
        // A statement that can be left in another way than past its end is not offered.
        let place = file.syntax.place_at(offset).ok().filter(|place| place.exits.is_empty());
        let place = place.map(|place| Place {
            point: InsertionPoint {
                source: file.source,
                offset: u32::try_from(place.point).expect("sources are smaller than 4 GiB"),
            },
            span: Span::new(file.source, place.range),
            decides: match place.kind {
                PlaceKind::Condition | PlaceKind::SwitchValue | PlaceKind::Scrutinee => true,
                PlaceKind::Statement
                | PlaceKind::SoleBody
                | PlaceKind::ForDeclaration
                | PlaceKind::ForStep
                | PlaceKind::ReturnValue
                | PlaceKind::VoidReturn
                | PlaceKind::TailExpression
                | PlaceKind::BodyExpression => false,
            },
        });
        Some(Position { span, place })
    }

    fn file(&mut self, name: &str) -> Option<usize> {
        if let Some(known) = self.files.get(name) {
            return *known;
        }
        let found = self.texts.text(name).map(|(shown, text, language)| {
            *self.by_name.entry(shown.clone()).or_insert_with(|| {
                let syntax = Syntax::parse(&text, language);
                let source = self.sources.add_code(shown, text);
                self.read.push(File { source, syntax });
                self.read.len() - 1
            })
        });
        self.files.insert(name.to_owned(), found);
        found
    }
}
