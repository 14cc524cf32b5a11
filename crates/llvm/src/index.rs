//! Typed indices: a block of a function can never be used as one of its values by mistake.

macro_rules! index_types {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index with this number.
            pub fn new(number: usize) -> Self {
                Self(u32::try_from(number).expect("a text below 4 GiB"))
            }

            /// The number of this index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index_types! {
    /// A type of a module.
    TypeId;
    /// A global variable, function, alias or ifunc of a module.
    SymbolId;
    /// A parameter or a result of an instruction of one function.
    LocalId;
    /// A basic block of one function.
    BlockId;
    /// A numbered metadata node of a module.
    MetadataId;
}
