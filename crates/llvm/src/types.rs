//! Types, interned: equal types of one module have equal ids.

use rustc_hash::FxHashMap;

use crate::index::TypeId;

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatKind {
    /// `half`
    Half,
    /// `bfloat`
    BFloat,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `x86_fp80`
    X86Fp80,
    /// `fp128`
    Fp128,
    /// `ppc_fp128`
    PpcFp128,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// `label`
    Label,
    /// `metadata`
    Metadata,
    /// `token`
    Token,
    /// `x86_mmx`, `x86_amx`, `target("…")` and whatever else has no parts that we know.
    Other(String),
    /// `iN`
    Integer(u32),
    /// A floating-point number.
    Float(FloatKind),
    /// `ptr` or `T*`, perhaps in an address space.
    Pointer {
        /// What a typed pointer points to.
        pointee: Option<TypeId>,
        /// The address space.
        space: u32,
    },
    /// `[N x T]`
    Array {
        /// How many.
        length: u64,
        /// Of what.
        element: TypeId,
    },
    /// `<N x T>` or `<vscale x N x T>`
    Vector {
        /// How many.
        length: u64,
        /// Of what.
        element: TypeId,
        /// Whether the length is multiplied by `vscale`.
        scalable: bool,
    },
    /// `{ … }` or `<{ … }>`
    Struct {
        /// The fields.
        fields: Vec<TypeId>,
        /// Whether fields follow each other without padding.
        packed: bool,
    },
    /// `%name`; what it stands for is in [`Types::definition`].
    Named(String),
    /// `R (P, …)`
    Function {
        /// What is returned.
        result: TypeId,
        /// The parameters.
        parameters: Vec<TypeId>,
        /// Whether more may follow.
        variadic: bool,
    },
}

/// The types of a module.
#[derive(Clone, Debug, Default)]
pub struct Types {
    all: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
    definitions: FxHashMap<String, TypeId>,
}

impl Types {
    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = TypeId::new(self.all.len());
        self.all.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// All types, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.all.iter().enumerate().map(|(index, ty)| (TypeId::new(index), ty))
    }

    /// A type as written: perhaps a name.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.all[id.index()]
    }

    /// Says what a name stands for.
    pub fn define(&mut self, name: impl Into<String>, body: TypeId) {
        self.definitions.insert(name.into(), body);
    }

    /// What a name stands for; nothing if it is opaque.
    pub fn definition(&self, name: &str) -> Option<TypeId> {
        self.definitions.get(name).copied()
    }

    /// A type with its name, if it is one, replaced by what that stands for; an opaque name stays.
    pub fn resolved(&self, id: TypeId) -> &Type {
        let mut ty = self.get(id);
        // A chain of names cannot be longer than the number of names.
        for _ in 0..self.definitions.len() {
            match ty {
                Type::Named(name) => match self.definition(name) {
                    Some(body) => ty = self.get(body),
                    None => return ty,
                },
                Type::Void
                | Type::Label
                | Type::Metadata
                | Type::Token
                | Type::Other(_)
                | Type::Integer(_)
                | Type::Float(_)
                | Type::Pointer { .. }
                | Type::Array { .. }
                | Type::Vector { .. }
                | Type::Struct { .. }
                | Type::Function { .. } => return ty,
            }
        }
        ty
    }
}
