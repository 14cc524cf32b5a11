//! Layouts that only debug information knows: how big a type parameter is, where an enumeration keeps
//! what its variants hold, where the fields of the standard library's structures are.

use llvm::{Metadata, MetadataId, MetadataNode, MetadataValue};
use program::Value;

/// How a variant of an enumeration is put down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// What says that it is this one: offset, bytes, value. Nothing if its payload says so.
    pub(crate) tag: Option<(u64, u64, Value)>,
    /// Where its first field is, and how many bytes that has.
    pub(crate) payload: (u64, u64),
}

fn list(metadata: &Metadata, id: Option<MetadataId>) -> Vec<MetadataId> {
    match id.and_then(|id| metadata.node(id)) {
        Some(MetadataNode::Tuple(values)) => values
            .iter()
            .filter_map(|value| match value {
                MetadataValue::Node(id) => Some(*id),
                MetadataValue::Null
                | MetadataValue::String(_)
                | MetadataValue::Integer(_)
                | MetadataValue::Word(_) => None,
            })
            .collect(),
        Some(MetadataNode::Location(_) | MetadataNode::Special { .. } | MetadataNode::Other(_))
        | None => Vec::new(),
    }
}

fn offset(member: &MetadataNode) -> u64 {
    member.number("offset").unwrap_or(0) / 8
}

/// How many bytes a type parameter of a function has.
pub(crate) fn parameter_size(
    metadata: &Metadata,
    subprogram: Option<MetadataId>,
    parameter: &str,
) -> Option<u64> {
    let parameters = metadata.node(subprogram?)?.reference("templateParams");
    let found = list(metadata, parameters)
        .into_iter()
        .filter_map(|id| metadata.node(id))
        .find(|node| node.text("name") == Some(parameter))?;
    // What has no size in the debug information has none: `()`.
    Some(metadata.type_size(found.reference("type")?).unwrap_or(0))
}

/// What a function returns.
pub(crate) fn returned(metadata: &Metadata, subprogram: Option<MetadataId>) -> Option<MetadataId> {
    let ty = metadata.node(metadata.node(subprogram?)?.reference("type")?)?;
    list(metadata, ty.reference("types")).first().copied()
}

/// How a variant of an enumeration is put down.
pub(crate) fn variant(metadata: &Metadata, ty: MetadataId, name: &str) -> Option<Variant> {
    let ty = metadata.node(ty)?;
    let part = list(metadata, ty.reference("elements"))
        .into_iter()
        .filter_map(|id| metadata.node(id))
        .find(|node| node.word("tag") == Some("DW_TAG_variant_part"))?;
    let member = list(metadata, part.reference("elements"))
        .into_iter()
        .filter_map(|id| metadata.node(id))
        .find(|node| node.text("name") == Some(name))?;
    let tag = match member.field("extraData") {
        Some(MetadataValue::Word(text)) => text.rsplit(' ').next()?.parse().ok(),
        Some(MetadataValue::Integer(value)) => Some(*value),
        Some(MetadataValue::Null | MetadataValue::Node(_) | MetadataValue::String(_)) | None => {
            None
        }
    };
    let discriminator = part.reference("discriminator").and_then(|id| metadata.node(id));
    let tag = tag
        .zip(discriminator)
        .map(|(value, place)| (offset(place), place.number("size").unwrap_or(0) / 8, value));
    let holder = metadata.node(member.reference("baseType")?)?;
    let field = list(metadata, holder.reference("elements"))
        .into_iter()
        .find_map(|id| metadata.node(id).filter(|node| node.text("name") == Some("__0")));
    let payload = match field {
        Some(field) => (
            offset(member) + offset(field),
            metadata.type_size(field.reference("baseType")?).unwrap_or(0),
        ),
        None => (0, 0),
    };
    Some(Variant { tag, payload })
}

/// Where a field of a structure of the standard library is, by the last part of the structure's name.
pub(crate) fn field(metadata: &Metadata, structure: &str, field: &str) -> Option<u64> {
    metadata.nodes.iter().flatten().find_map(|node| {
        if node.word("tag") != Some("DW_TAG_structure_type") || node.text("name") != Some(structure)
        {
            return None;
        }
        list(metadata, node.reference("elements"))
            .into_iter()
            .filter_map(|id| metadata.node(id))
            .find(|member| member.text("name") == Some(field))
            .map(offset)
    })
}
