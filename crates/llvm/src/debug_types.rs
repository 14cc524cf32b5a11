//! Types as debug information describes them: which member of a variable lies at a byte.

use crate::index::MetadataId;
use crate::metadata::{Metadata, MetadataNode, MetadataValue};

/// How many nodes one question may look at: members of unions and variants are tried in turn, and
/// nodes may form cycles.
const MOST_NODES: u32 = 20_000;

/// How deep members are followed.
const DEEPEST: u32 = 100;

/// Bytes of an object.
#[derive(Clone, Copy)]
struct Bytes {
    offset: u64,
    size: u64,
}

impl Metadata {
    /// The type behind typedefs and qualifiers.
    pub fn plain_type(&self, ty: MetadataId) -> MetadataId {
        let next = |id: &MetadataId| {
            let node = self.node(*id)?;
            match node.word("tag")? {
                "DW_TAG_typedef"
                | "DW_TAG_const_type"
                | "DW_TAG_volatile_type"
                | "DW_TAG_atomic_type"
                | "DW_TAG_restrict_type"
                | "DW_TAG_immutable_type"
                | "DW_TAG_packed_type"
                | "DW_TAG_LLVM_ptrauth_type" => node.reference("baseType"),
                _ => None,
            }
        };
        std::iter::successors(Some(ty), next).take(100).last().unwrap_or(ty)
    }

    /// What a pointer or a reference of a type points to.
    pub fn pointee(&self, ty: MetadataId) -> Option<MetadataId> {
        let node = self.node(self.plain_type(ty))?;
        match node.word("tag")? {
            "DW_TAG_pointer_type" | "DW_TAG_reference_type" | "DW_TAG_rvalue_reference_type" => {
                node.reference("baseType")
            }
            _ => None,
        }
    }

    /// What lies in memory behind a variable of a type: behind a pointer, or what one of Rust's own types owns
    /// (`Box`, `Arc` with its counts, the elements of a `Vec`).
    pub fn owned(&self, ty: MetadataId) -> Option<MetadataId> {
        const DEEPEST_OWNER: u32 = 8;
        self.owned_within(ty, DEEPEST_OWNER)
    }

    fn owned_within(&self, ty: MetadataId, depth: u32) -> Option<MetadataId> {
        if let Some(pointee) = self.pointee(ty) {
            return Some(pointee);
        }
        let node = self.node(self.plain_type(ty))?;
        if depth == 0 || !self.is_rust() || !self.is_of_rust_library(node) {
            return None;
        }
        let name = node.text("name").unwrap_or_default();
        let is_list = ["Vec<", "VecDeque<", "RawVec<"].iter().any(|list| name.starts_with(list));
        if is_list {
            return self.type_parameter(node, "T");
        }
        let member = |id: MetadataId| {
            let member = self.node(id)?;
            let is_member = member.word("tag") == Some("DW_TAG_member");
            self.owned_within(member.reference("baseType").filter(|_| is_member)?, depth - 1)
        };
        self.elements(node).find_map(member)
    }

    /// The type that a type parameter of a type stands for.
    fn type_parameter(&self, ty: &MetadataNode, name: &str) -> Option<MetadataId> {
        let list = self.node(ty.reference("templateParams")?)?;
        let MetadataNode::Tuple(values) = list else { return None };
        values.iter().find_map(|value| {
            let MetadataValue::Node(id) = value else { return None };
            let parameter = self.node(*id).filter(|node| node.text("name") == Some(name))?;
            parameter.reference("type")
        })
    }

    /// The size of a type in bytes.
    pub fn type_size(&self, ty: MetadataId) -> Option<u64> {
        let node = self.node(self.plain_type(ty))?;
        match node.number("size") {
            Some(bits) => Some(bits.div_ceil(8)),
            None if node.kind() == Some("DICompositeType") => Some(0),
            None => None,
        }
    }

    /// The type of the elements of an array type.
    pub fn element_type(&self, ty: MetadataId) -> Option<MetadataId> {
        let node = self.node(self.plain_type(ty))?;
        match node.word("tag")? {
            "DW_TAG_array_type" => node.reference("baseType"),
            _ => None,
        }
    }

    /// What an access of some bytes of an object of a type touches, as one would write it behind the
    /// name of the object: `.next`, `[2].key`, nothing for the object itself. `None` if there is only
    /// padding, or nothing at all. Of what an access touches the first is named.
    pub fn describe_offset(&self, ty: MetadataId, offset: u64, size: u64) -> Option<String> {
        let rust = self.is_rust();
        let mut walk = Walk { metadata: self, rust, left: MOST_NODES, depth: 0, is_named: false };
        let mut path = String::new();
        walk.descend(ty, Bytes { offset, size }, &mut path).then_some(path)
    }

    /// Whether a compiler of Rust made the module.
    pub fn is_rust(&self) -> bool {
        let units = self.named.iter().find(|(name, _)| name == "llvm.dbg.cu");
        units.is_some_and(|(_, units)| {
            units.iter().any(|unit| {
                let language = self.node(*unit).and_then(|unit| {
                    unit.word("language").or_else(|| unit.word("sourceLanguageName"))
                });
                matches!(language, Some("DW_LANG_Rust" | "DW_LNAME_Rust"))
            })
        })
    }

    /// Whether a compiler made this of source without optimising it, as far as that is known.
    pub fn is_as_written(&self) -> bool {
        let units = self.named.iter().find(|(name, _)| name == "llvm.dbg.cu");
        units.is_some_and(|(_, units)| {
            units.iter().all(|unit| {
                self.node(*unit).and_then(|unit| unit.word("isOptimized")) == Some("false")
            })
        })
    }

    /// Whether a type belongs to Rust's own libraries, whose fields are nobody's business.
    fn is_of_rust_library(&self, ty: &MetadataNode) -> bool {
        let first = ty.reference("scope");
        let next = |id: &MetadataId| self.node(*id)?.reference("scope");
        let outermost = std::iter::successors(first, next).take(100).last();
        let name = outermost.and_then(|scope| self.name(scope));
        matches!(name, Some("core" | "std" | "alloc"))
    }

    fn elements(&self, ty: &MetadataNode) -> impl Iterator<Item = MetadataId> {
        let elements = ty.reference("elements").and_then(|list| self.node(list));
        let values = match elements {
            Some(MetadataNode::Tuple(values)) => values.as_slice(),
            Some(
                MetadataNode::Location(_) | MetadataNode::Special { .. } | MetadataNode::Other(_),
            )
            | None => &[],
        };
        values.iter().filter_map(|value| match value {
            MetadataValue::Node(id) => Some(*id),
            MetadataValue::Null
            | MetadataValue::String(_)
            | MetadataValue::Integer(_)
            | MetadataValue::Word(_) => None,
        })
    }
}

/// A search for what lies at some bytes.
struct Walk<'a> {
    metadata: &'a Metadata,
    rust: bool,
    left: u32,
    depth: u32,
    /// Whether a member of the library type that the walk is in has a name already.
    is_named: bool,
}

impl Walk<'_> {
    /// Appends the way to some bytes of a type; whether there is anything at them.
    fn descend(&mut self, ty: MetadataId, bytes: Bytes, path: &mut String) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        if self.depth >= DEEPEST {
            return false;
        }
        self.left = left;
        self.depth += 1;
        let found = self.descend_one(ty, bytes, path);
        self.depth -= 1;
        found
    }

    fn descend_one(&mut self, ty: MetadataId, bytes: Bytes, path: &mut String) -> bool {
        let metadata = self.metadata;
        let ty = metadata.plain_type(ty);
        let Some(node) = metadata.node(ty) else { return false };
        match node.word("tag") {
            Some(
                "DW_TAG_structure_type"
                | "DW_TAG_class_type"
                | "DW_TAG_union_type"
                | "DW_TAG_variant_part",
            ) => self.descend_members(node, bytes, path),
            Some("DW_TAG_array_type") => self.descend_array(node, bytes, path),
            _ => match node.number("size") {
                // A type that says nothing of its size, such as a function.
                None => bytes.offset == 0,
                Some(bits) => bytes.offset < bits.div_ceil(8),
            },
        }
    }

    fn descend_members(&mut self, node: &MetadataNode, bytes: Bytes, path: &mut String) -> bool {
        let size = node.number("size").unwrap_or(0).div_ceil(8);
        // A part of an object may end in an array of any length.
        let within = bytes.offset < size;
        if within && self.rust && self.metadata.is_of_rust_library(node) {
            self.descend_library(node, bytes, path);
            return true;
        }
        let metadata = self.metadata;
        self.is_named = false;
        let whole = bytes.offset == 0 && bytes.size >= size && within;
        let is_struct = node.word("tag") == Some("DW_TAG_structure_type");
        if whole && is_struct && metadata.elements(node).nth(1).is_some() {
            return true;
        }
        let variants = node.word("tag") == Some("DW_TAG_variant_part");
        let discriminator = node.reference("discriminator").filter(|_| variants);
        let mut members: Vec<MetadataId> = metadata.elements(node).collect();
        // Other variants may have something else where one has the discriminator.
        members.splice(0..0, discriminator);
        members.into_iter().any(|member| {
            let length = path.len();
            let found = self.descend_member(member, bytes, path);
            if !found {
                path.truncate(length);
            }
            found
        })
    }

    /// Of Rust's own types people know what they hold, and the first of their parts that is something else:
    /// the count of an `Arc`, the length of a `Vec`.
    fn descend_library(&mut self, node: &MetadataNode, bytes: Bytes, path: &mut String) {
        let metadata = self.metadata;
        let length = path.len();
        let is_named = self.is_named;
        for member in metadata.elements(node) {
            let Some(data) = metadata.node(member) else { continue };
            let (start, ty) = match data.word("tag") {
                Some("DW_TAG_variant_part") => (0, Some(member)),
                Some("DW_TAG_member") => {
                    (data.number("offset").unwrap_or(0) / 8, data.reference("baseType"))
                }
                _ => continue,
            };
            let (Some(ty), Some(offset)) = (ty, bytes.offset.checked_sub(start)) else { continue };
            let is_variant_part = data.word("tag") == Some("DW_TAG_variant_part");
            if !is_variant_part && metadata.type_size(ty).is_some_and(|size| offset >= size) {
                continue;
            }
            if let Some(name) = data.text("name").filter(|name| says_something(name))
                && !self.is_named
            {
                path.push('.');
                path.push_str(name);
                self.is_named = true;
            }
            let found = self.descend(ty, Bytes { offset, ..bytes }, path);
            self.is_named = is_named;
            if found {
                return;
            }
            path.truncate(length);
        }
    }

    fn descend_member(&mut self, member: MetadataId, bytes: Bytes, path: &mut String) -> bool {
        let metadata = self.metadata;
        let Some(node) = metadata.node(member) else { return false };
        if node.word("tag") == Some("DW_TAG_variant_part") {
            return self.descend(member, bytes, path);
        }
        if !matches!(node.word("tag"), Some("DW_TAG_member" | "DW_TAG_inheritance"))
            || node.word("flags").is_some_and(|flags| flags.contains("DIFlagStaticMember"))
        {
            return false;
        }
        let Some(ty) = node.reference("baseType") else { return false };
        let first_bit = node.number("offset").unwrap_or(0);
        let start = first_bit / 8;
        if let Some(name) = node.text("name") {
            path.push('.');
            path.push_str(self.member_name(name));
        }
        if node.word("flags").is_some_and(|flags| flags.contains("DIFlagBitField")) {
            // An access is of the whole unit, in which several may lie.
            let end = (first_bit.saturating_add(node.number("size").unwrap_or(0))).div_ceil(8);
            return start < bytes.offset.saturating_add(bytes.size.max(1)) && bytes.offset < end;
        }
        match bytes.offset.checked_sub(start) {
            Some(offset) => self.descend(ty, Bytes { offset, ..bytes }, path),
            None => false,
        }
    }

    /// The name of a member; Rust's tuples have numbers.
    fn member_name<'n>(&self, name: &'n str) -> &'n str {
        match name.strip_prefix("__") {
            Some(number)
                if self.rust && number.starts_with(|first: char| first.is_ascii_digit()) =>
            {
                number
            }
            _ => name,
        }
    }

    fn descend_array(&mut self, node: &MetadataNode, bytes: Bytes, path: &mut String) -> bool {
        let metadata = self.metadata;
        let Some(element) = node.reference("baseType") else { return false };
        let Some(element_size) = metadata.type_size(element).filter(|size| *size > 0) else {
            return false;
        };
        let total = node.number("size").unwrap_or(0) / 8;
        if bytes.offset == 0 && total > 0 && bytes.size >= total && total > element_size {
            return true;
        }
        let counts: Vec<Option<u64>> =
            metadata.elements(node).filter_map(|id| metadata.node(id)).map(range_length).collect();
        let mut index = bytes.offset / element_size;
        let mut indices = Vec::new();
        // The last dimension varies fastest.
        for count in counts.iter().rev() {
            match count {
                Some(0) => return false,
                Some(count) => {
                    indices.push(index % count);
                    index /= count;
                }
                None => {
                    indices.push(index);
                    index = 0;
                }
            }
        }
        if index > 0 {
            return false;
        }
        for index in indices.iter().rev() {
            path.push('[');
            path.push_str(&index.to_string());
            path.push(']');
        }
        let inner = Bytes { offset: bytes.offset % element_size, ..bytes };
        self.descend(element, inner, path)
    }
}

/// Whether the name of a part of one of Rust's own types says anything to people who do not know how it is made:
/// what holds the value, and variants, do not.
fn says_something(name: &str) -> bool {
    let holds =
        ["value", "v", "data", "inner", "ptr", "pointer", "buf", "uninit", "base", "_marker"];
    !name.starts_with("__")
        && !name.starts_with(|first: char| first.is_ascii_uppercase())
        && !holds.contains(&name)
}

/// How many elements a dimension has; nothing if that is not known, as in `int data[]`.
fn range_length(range: &MetadataNode) -> Option<u64> {
    if let Some(count) = range.number("count") {
        return Some(count);
    }
    let lower = range.number("lowerBound").unwrap_or(0);
    range.number("upperBound")?.checked_add(1)?.checked_sub(lower)
}
