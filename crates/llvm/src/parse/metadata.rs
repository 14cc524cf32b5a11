//! Metadata nodes, by number and in place.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use rustc_hash::FxHashMap;

use super::{Parsed, Parser};
use crate::constant::Value;
use crate::index::MetadataId;
use crate::lexer::Token;
use crate::metadata::{Location, MetadataField, MetadataNode, MetadataValue};
use crate::names;

/// The nodes read so far. A number is its own index as long as numbers are dense, as LLVM writes
/// them; others, and nodes written in place, come behind.
pub(super) struct Nodes {
    all: Vec<Option<MetadataNode>>,
    dense: usize,
    sparse: FxHashMap<u64, MetadataId>,
    distinct: Vec<MetadataId>,
}

impl Nodes {
    pub(super) fn new(text: &str) -> Self {
        let number = |line: &str| {
            let digits = line.strip_prefix('!')?;
            let length = digits.bytes().position(|byte| !byte.is_ascii_digit())?;
            digits[..length].parse::<usize>().ok()
        };
        let mut count = 0;
        let mut largest = 0;
        for number in text.lines().filter_map(number) {
            count += 1;
            largest = largest.max(number);
        }
        // As many gaps as nodes are allowed, so that no number makes the table large.
        let dense = if largest < 2 * count { largest + 1 } else { count };
        let all = vec![None; dense];
        Self { all, dense, sparse: FxHashMap::default(), distinct: Vec::new() }
    }

    fn id(&mut self, number: u64) -> MetadataId {
        match usize::try_from(number) {
            Ok(index) if index < self.dense => MetadataId::new(index),
            _ => *self.sparse.entry(number).or_insert_with(|| {
                self.all.push(None);
                MetadataId::new(self.all.len() - 1)
            }),
        }
    }

    fn add(&mut self, node: MetadataNode) -> MetadataId {
        self.all.push(Some(node));
        MetadataId::new(self.all.len() - 1)
    }

    pub(super) fn finish(mut self) -> (Vec<Option<MetadataNode>>, Vec<MetadataId>) {
        self.distinct.sort_unstable();
        (self.all, self.distinct)
    }
}

impl<'a> Parser<'a> {
    /// `!12`, if it stands here.
    pub(super) fn node_number(&mut self) -> Option<MetadataId> {
        let Token::Metadata(name) = self.token() else { return None };
        if !names::is_number(name) {
            return None;
        }
        let id = self.nodes.id(name.parse().ok()?);
        self.bump();
        Some(id)
    }

    /// `!12` or a node in place, which gets a number of its own.
    pub(super) fn node_or_inline(&mut self) -> Parsed<Option<MetadataId>> {
        if let Some(id) = self.node_number() {
            return Ok(Some(id));
        }
        self.eat_word("distinct");
        let node = self.node()?;
        Ok(Some(self.nodes.add(node)))
    }

    /// Goes behind a node, by number or in place.
    pub(super) fn skip_metadata(&mut self) -> Parsed<()> {
        self.eat_word("distinct");
        match self.token() {
            Token::Metadata(_) => {
                self.bump();
                self.skip_group_at(b'(')
            }
            Token::Sign(b'!') => {
                self.bump();
                match self.token() {
                    Token::Sign(b'{') => self.skip_group(),
                    Token::String(_) => {
                        self.bump();
                        Ok(())
                    }
                    _ => self.fail("expected metadata"),
                }
            }
            _ => self.fail("expected metadata"),
        }
    }

    /// An argument of type `metadata`.
    pub(super) fn metadata_argument(&mut self) -> Parsed<Value> {
        if let Some(id) = self.node_number() {
            return Ok(Value::Metadata(id));
        }
        let start = self.lexer.start;
        match self.token() {
            Token::Metadata(_) | Token::Sign(b'!') => self.skip_metadata()?,
            _ => {
                self.operand()?;
            }
        }
        Ok(Value::MetadataText(self.text_from(start).to_owned()))
    }

    /// `!12 = …` or `!name = !{…}` at the top level.
    pub(super) fn metadata_definition(&mut self, name: &'a str) -> Parsed<()> {
        let id = match name.parse() {
            Ok(number) if names::is_number(name) => Some(self.nodes.id(number)),
            _ => None,
        };
        self.bump();
        self.expect(b'=')?;
        let Some(id) = id else {
            let nodes = self.named_nodes()?;
            let name = names::string(name).into_owned();
            self.module.metadata.named.push((name, nodes));
            return Ok(());
        };
        if self.eat_word("distinct") {
            self.nodes.distinct.push(id);
        }
        let node = self.node()?;
        self.nodes.all[id.index()] = Some(node);
        Ok(())
    }

    fn named_nodes(&mut self) -> Parsed<Vec<MetadataId>> {
        self.expect(b'!')?;
        self.expect(b'{')?;
        let mut nodes = Vec::new();
        if self.eat(b'}') {
            return Ok(nodes);
        }
        loop {
            nodes.extend(self.node_or_inline()?);
            if self.eat(b'}') {
                return Ok(nodes);
            }
            self.expect(b',')?;
        }
    }

    /// A node: what stands behind `!12 =`.
    fn node(&mut self) -> Parsed<MetadataNode> {
        let start = self.lexer.start;
        match self.token() {
            Token::Metadata("DILocation") => {
                self.bump();
                Ok(MetadataNode::Location(self.location()?))
            }
            Token::Metadata(kind) if !names::is_number(kind) => {
                self.bump();
                let fields = self.fields()?;
                Ok(MetadataNode::Special { kind: kind.to_owned(), fields })
            }
            Token::Sign(b'!') => {
                self.bump();
                if self.eat(b'{') {
                    return Ok(MetadataNode::Tuple(self.values(b'}')?));
                }
                self.string()?;
                Ok(MetadataNode::Other(self.text_from(start).to_owned()))
            }
            Token::Metadata(_) => {
                self.bump();
                Ok(MetadataNode::Other(self.text_from(start).to_owned()))
            }
            _ => {
                // A node has a number, and what has a number belongs to no function.
                let is_open = std::mem::replace(&mut self.scope.open, false);
                let constant = self.operand();
                self.scope.open = is_open;
                constant?;
                Ok(MetadataNode::Other(self.text_from(start).to_owned()))
            }
        }
    }

    fn location(&mut self) -> Parsed<Location> {
        let mut location = Location { line: 0, column: 0, scope: None, inlined_at: None };
        for field in self.fields()? {
            let number = match &field.value {
                MetadataValue::Integer(number) => u32::try_from(*number).unwrap_or(0),
                _ => 0,
            };
            let node = match &field.value {
                MetadataValue::Node(node) => Some(*node),
                _ => None,
            };
            match field.name.as_str() {
                "line" => location.line = number,
                "column" => location.column = number,
                "scope" => location.scope = node,
                "inlinedAt" => location.inlined_at = node,
                _ => {}
            }
        }
        Ok(location)
    }

    /// `(name: value, …)`
    fn fields(&mut self) -> Parsed<Vec<MetadataField>> {
        self.expect(b'(')?;
        let mut fields = Vec::new();
        if self.eat(b')') {
            return Ok(fields);
        }
        loop {
            let name = match self.token() {
                Token::Label(name) => {
                    self.bump();
                    name
                }
                _ => "",
            };
            let value = self.metadata_value(b')')?;
            fields.push(MetadataField { name: name.to_owned(), value });
            if self.eat(b')') {
                return Ok(fields);
            }
            self.expect(b',')?;
        }
    }

    fn values(&mut self, close: u8) -> Parsed<Vec<MetadataValue>> {
        let mut values = Vec::new();
        if self.eat(close) {
            return Ok(values);
        }
        loop {
            values.push(self.metadata_value(close)?);
            if self.eat(close) {
                return Ok(values);
            }
            self.expect(b',')?;
        }
    }

    /// A value up to a comma or a closing bracket.
    fn metadata_value(&mut self, close: u8) -> Parsed<MetadataValue> {
        let before = self.lexer;
        let value = match self.token() {
            Token::Metadata(_) => self.node_number().map(MetadataValue::Node),
            Token::Number(text) => {
                self.bump();
                names::integer(text).map(MetadataValue::Integer)
            }
            Token::String(raw) => {
                self.bump();
                Some(MetadataValue::String(names::string(raw).into_owned()))
            }
            Token::Word("null") => {
                self.bump();
                Some(MetadataValue::Null)
            }
            Token::Sign(b'!') => {
                self.bump();
                match self.token() {
                    Token::String(raw) => {
                        self.bump();
                        Some(MetadataValue::String(names::string(raw).into_owned()))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if let Some(value) = value
            && (self.at(b',') || self.at(close))
        {
            return Ok(value);
        }
        self.lexer = before;
        let start = self.lexer.start;
        loop {
            match self.token() {
                Token::Sign(b',') => break,
                Token::Sign(b'(' | b'[' | b'{') => self.skip_group()?,
                Token::Sign(sign) if sign == close => break,
                Token::Sign(b')' | b']' | b'}') | Token::End | Token::Unterminated => {
                    return self.fail("this metadata is not complete");
                }
                // `<4 x i32> <…>`: commas between angle brackets do not end a value.
                Token::Sign(b'<') => self.skip_angle()?,
                _ => self.bump(),
            }
        }
        if self.lexer.start == start {
            return self.fail("expected a value");
        }
        Ok(MetadataValue::Word(self.text_from(start).to_owned()))
    }

    fn skip_angle(&mut self) -> Parsed<()> {
        let mut open = 0_usize;
        loop {
            match self.token() {
                Token::Sign(b'<') => open += 1,
                Token::Sign(b'>') => open -= 1,
                Token::End | Token::Unterminated => return self.fail("a bracket is not closed"),
                _ => {}
            }
            self.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }
}
