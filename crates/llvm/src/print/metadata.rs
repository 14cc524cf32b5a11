//! Metadata nodes.

use super::Printer;
use crate::index::MetadataId;
use crate::metadata::{Location, MetadataField, MetadataNode, MetadataValue};

impl Printer<'_> {
    pub(super) fn metadata(&mut self) {
        let metadata = &self.module.metadata;
        for (name, nodes) in &metadata.named {
            self.put("!");
            // Unlike other names these are escaped without quotes.
            for byte in name.bytes() {
                if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_') {
                    self.out.push(char::from(byte));
                } else {
                    self.put(&format!("\\{byte:02X}"));
                }
            }
            self.put(" = !{");
            for (index, node) in nodes.iter().enumerate() {
                self.put(if index > 0 { ", !" } else { "!" });
                self.number(node.0);
            }
            self.put("}\n");
        }
        let mut distinct = metadata.distinct.iter().peekable();
        for (index, node) in metadata.nodes.iter().enumerate() {
            let is_distinct = distinct.next_if_eq(&&MetadataId::new(index)).is_some();
            let Some(node) = node else { continue };
            self.put("!");
            self.put(&index.to_string());
            self.put(if is_distinct { " = distinct " } else { " = " });
            self.node(node);
            self.put("\n");
        }
    }

    fn node(&mut self, node: &MetadataNode) {
        match node {
            MetadataNode::Location(location) => self.location(location),
            MetadataNode::Tuple(values) => {
                self.put("!{");
                for (index, value) in values.iter().enumerate() {
                    self.put(if index > 0 { ", " } else { "" });
                    if let MetadataValue::String(_) = value {
                        self.put("!");
                    }
                    self.metadata_value(value);
                }
                self.put("}");
            }
            MetadataNode::Special { kind, fields } => {
                self.put("!");
                self.put(kind);
                self.put("(");
                for (index, MetadataField { name, value }) in fields.iter().enumerate() {
                    self.put(if index > 0 { ", " } else { "" });
                    if !name.is_empty() {
                        self.put(name);
                        self.put(": ");
                    }
                    self.metadata_value(value);
                }
                self.put(")");
            }
            MetadataNode::Other(text) => self.put(text),
        }
    }

    fn location(&mut self, location: &Location) {
        self.put("!DILocation(line: ");
        self.number(location.line);
        if location.column != 0 {
            self.put(", column: ");
            self.number(location.column);
        }
        for (name, node) in [("scope", location.scope), ("inlinedAt", location.inlined_at)] {
            if let Some(node) = node {
                self.put(", ");
                self.put(name);
                self.put(": !");
                self.number(node.0);
            }
        }
        self.put(")");
    }

    fn metadata_value(&mut self, value: &MetadataValue) {
        match value {
            MetadataValue::Null => self.put("null"),
            MetadataValue::Node(node) => {
                self.put("!");
                self.number(node.0);
            }
            MetadataValue::String(text) => self.quoted(text.as_bytes()),
            MetadataValue::Integer(number) => self.number(*number),
            MetadataValue::Word(text) => self.put(text),
        }
    }
}
