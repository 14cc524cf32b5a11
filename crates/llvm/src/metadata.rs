//! Metadata: debug information and whatever else hangs on a module.
//!
//! Nodes are kept generically (a kind, fields by name); what most instructions have, a location, has
//! a form of its own.

use crate::index::MetadataId;

/// The metadata of a module.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// The numbered nodes; `None` where a number is not used.
    pub nodes: Vec<Option<MetadataNode>>,
    /// The nodes that are `distinct`, in ascending order.
    pub distinct: Vec<MetadataId>,
    /// The named lists, such as `llvm.dbg.cu`.
    pub named: Vec<(String, Vec<MetadataId>)>,
}

impl Metadata {
    /// A node, if there is one with this number.
    pub fn node(&self, id: MetadataId) -> Option<&MetadataNode> {
        self.nodes.get(id.index())?.as_ref()
    }

    /// A location, if the node is one.
    pub fn location(&self, id: MetadataId) -> Option<&Location> {
        match self.node(id)? {
            MetadataNode::Location(location) => Some(location),
            MetadataNode::Tuple(_) | MetadataNode::Special { .. } | MetadataNode::Other(_) => None,
        }
    }
}

/// A numbered node.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataNode {
    /// `!DILocation(…)`
    Location(Location),
    /// `!{…}`
    Tuple(Vec<MetadataValue>),
    /// `!DISubprogram(name: "f", …)`, `!DIFile(…)`, and so on.
    Special {
        /// The word after `!`, such as `DISubprogram`.
        kind: String,
        /// Its fields.
        fields: Vec<MetadataField>,
    },
    /// Anything else, as its text.
    Other(String),
}

impl MetadataNode {
    /// The word after `!`, such as `DISubprogram`.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Special { kind, .. } => Some(kind),
            Self::Location(_) => Some("DILocation"),
            Self::Tuple(_) | Self::Other(_) => None,
        }
    }

    /// A field of a special node.
    pub fn field(&self, name: &str) -> Option<&MetadataValue> {
        match self {
            Self::Special { fields, .. } => {
                fields.iter().find(|field| field.name == name).map(|field| &field.value)
            }
            Self::Location(_) | Self::Tuple(_) | Self::Other(_) => None,
        }
    }

    /// A field that is a string; an empty one is taken for none.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            MetadataValue::String(text) if !text.is_empty() => Some(text),
            MetadataValue::String(_)
            | MetadataValue::Null
            | MetadataValue::Node(_)
            | MetadataValue::Integer(_)
            | MetadataValue::Word(_) => None,
        }
    }

    /// A field that is a word, such as a tag or flags.
    pub fn word(&self, name: &str) -> Option<&str> {
        match self.field(name)? {
            MetadataValue::Word(word) => Some(word),
            MetadataValue::Null
            | MetadataValue::Node(_)
            | MetadataValue::String(_)
            | MetadataValue::Integer(_) => None,
        }
    }

    /// A field that refers to another node.
    pub fn reference(&self, name: &str) -> Option<MetadataId> {
        match self.field(name)? {
            MetadataValue::Node(node) => Some(*node),
            MetadataValue::Null
            | MetadataValue::String(_)
            | MetadataValue::Integer(_)
            | MetadataValue::Word(_) => None,
        }
    }

    /// A field that is a number and not negative.
    pub fn number(&self, name: &str) -> Option<u64> {
        match self.field(name)? {
            MetadataValue::Integer(number) => u64::try_from(*number).ok(),
            MetadataValue::Null
            | MetadataValue::Node(_)
            | MetadataValue::String(_)
            | MetadataValue::Word(_) => None,
        }
    }
}

/// A position in a source text, perhaps inlined elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The line from 1, or 0 if there is none.
    pub line: u32,
    /// The column from 1, or 0 if there is none.
    pub column: u32,
    /// The scope it is in.
    pub scope: Option<MetadataId>,
    /// The location of the call that was inlined.
    pub inlined_at: Option<MetadataId>,
}

/// A field of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataField {
    /// Its name; empty for what has none (the operands of a `DIExpression`).
    pub name: String,
    /// Its value.
    pub value: MetadataValue,
}

/// A value in metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataValue {
    /// `null`
    Null,
    /// `!7`
    Node(MetadataId),
    /// `"…"` or `!"…"`, decoded.
    String(String),
    /// An integer.
    Integer(i128),
    /// A word or several joined by `|`, such as `DW_TAG_member` or `DIFlagPrototyped`, and anything
    /// else (a typed value, an inline node), as its text.
    Word(String),
}
