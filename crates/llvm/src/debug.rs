//! What debug information says: where an instruction comes from, what functions, variables and their
//! parts are called. Nothing here trusts the graph of nodes to be free of cycles.

use crate::index::{LocalId, MetadataId};
use crate::metadata::{Metadata, MetadataNode};
use crate::module::{Function, Global};

/// How many scopes or inlined calls are followed: more than any program nests.
const FARTHEST: usize = 1000;

/// A place in a source text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// The file, its directory included unless its name is absolute.
    pub file: String,
    /// The line from 1, or 0 if there is none.
    pub line: u32,
    /// The column from 1, or 0 if there is none.
    pub column: u32,
}

impl Metadata {
    /// Where a `DILocation` is, in the file that it was written in.
    pub fn position(&self, location: MetadataId) -> Option<Position> {
        let location = self.location(location)?;
        let file = self.file(location.scope?)?;
        Some(Position { file, line: location.line, column: location.column })
    }

    /// A `DILocation` and those of the calls that it was inlined by, the innermost first.
    pub fn inlined(&self, location: MetadataId) -> Vec<MetadataId> {
        let next = |id: &MetadataId| self.location(*id)?.inlined_at;
        let first = self.location(location).map(|_| location);
        std::iter::successors(first, next).take(FARTHEST).collect()
    }

    /// The file of a scope, a variable or a type: its own, or that of the nearest scope with one.
    pub fn file(&self, scope: MetadataId) -> Option<String> {
        self.scopes(scope).find_map(|node| {
            if node.kind() == Some("DIFile") {
                return file_name(node);
            }
            file_name(self.node(node.reference("file")?)?)
        })
    }

    /// The `DISubprogram` that a scope or a location is in.
    pub fn subprogram(&self, scope: MetadataId) -> Option<MetadataId> {
        let start = self.location(scope).map_or(Some(scope), |location| location.scope)?;
        self.scope_ids(start)
            .find(|id| self.node(*id).and_then(MetadataNode::kind) == Some("DISubprogram"))
    }

    /// The name in the source of a function, a variable, a type or a namespace.
    pub fn name(&self, node: MetadataId) -> Option<&str> {
        self.node(node)?.text("name")
    }

    /// The name in the source with the namespaces and types it is in, joined by `::`. Functions are not
    /// part of it.
    pub fn qualified_name(&self, node: MetadataId) -> Option<String> {
        let mut parts = vec![self.name(node)?];
        let outer = self.node(node)?.reference("scope");
        for scope in outer.into_iter().flat_map(|scope| self.scopes(scope)) {
            match scope.kind() {
                Some("DINamespace" | "DICompositeType") => parts.extend(scope.text("name")),
                _ => break,
            }
        }
        parts.reverse();
        Some(parts.join("::"))
    }

    /// The mangled name of a function or a variable, if it has one.
    pub fn linkage_name(&self, node: MetadataId) -> Option<&str> {
        self.node(node)?.text("linkageName")
    }

    /// The `DIGlobalVariable` of a global variable.
    pub fn global_variable(&self, global: &Global) -> Option<MetadataId> {
        global.debug.iter().find_map(|id| {
            let node = self.node(*id)?;
            match node.kind()? {
                "DIGlobalVariableExpression" => node.reference("var"),
                "DIGlobalVariable" => Some(*id),
                _ => None,
            }
        })
    }

    /// The `DILocalVariable` that an `alloca` stands for.
    pub fn local_variable(&self, function: &Function, local: LocalId) -> Option<MetadataId> {
        function.declared.iter().find(|(known, _)| *known == local).map(|(_, variable)| *variable)
    }

    /// The type of a variable, of a member, or behind a typedef or qualifier.
    pub fn type_of(&self, variable: MetadataId) -> Option<MetadataId> {
        let node = self.node(variable)?;
        node.reference("type").or_else(|| node.reference("baseType"))
    }

    /// A scope and those around it.
    fn scopes(&self, scope: MetadataId) -> impl Iterator<Item = &MetadataNode> {
        self.scope_ids(scope).filter_map(|id| self.node(id))
    }

    fn scope_ids(&self, scope: MetadataId) -> impl Iterator<Item = MetadataId> {
        let next = |id: &MetadataId| self.node(*id)?.reference("scope");
        std::iter::successors(Some(scope), next).take(FARTHEST)
    }
}

/// The name of a `DIFile`, with its directory.
fn file_name(file: &MetadataNode) -> Option<String> {
    let name = file.text("filename")?;
    match file.text("directory") {
        Some(directory) if !is_absolute(name) => {
            Some(format!("{}/{name}", directory.trim_end_matches('/')))
        }
        _ => Some(name.to_owned()),
    }
}

/// Whether a path says by itself where it leads, on Unix or on Windows.
fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\', '<']) || matches!(path.as_bytes(), [_, b':', b'/' | b'\\', ..])
}
