//! How values lie in memory: sizes, alignments and offsets by a module's data layout string, with
//! LLVM's defaults for what the string leaves out.
//!
//! Two sizes must be kept apart. An access of a type touches its [`Layout::size`]; elements of an array
//! are [`Layout::stride`] apart, which is the size rounded up to the alignment. They differ for
//! `x86_fp80` (10 and 16 bytes on x86-64), `i24`, `<3 x float>` and their like.

use rustc_hash::FxHashMap;

use crate::index::TypeId;
use crate::types::{FloatKind, Type, Types};

/// Types nested deeper than this have no size.
const DEEPEST: u32 = 200;

/// Where things lie in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Whether the byte of highest value comes first.
    pub big_endian: bool,
    /// Address spaces with their sizes and alignments in bytes; the first is space 0.
    pointers: Vec<Pointer>,
    /// Widths in bits and alignments in bytes, ascending.
    integers: Vec<(u64, u64)>,
    floats: Vec<(u64, u64)>,
    vectors: Vec<(u64, u64)>,
    /// The least alignment of a structure.
    aggregate: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pointer {
    space: u32,
    size: u64,
    align: u64,
}

/// The size and the alignment of a type in memory.
#[derive(Clone, Copy)]
struct Extent {
    /// In bits: `<4 x i1>` is packed.
    bits: u64,
    /// In bytes.
    align: u64,
}

impl Extent {
    fn size(self) -> u64 {
        self.bits.div_ceil(8)
    }

    fn stride(self) -> Option<u64> {
        self.size().checked_next_multiple_of(self.align)
    }
}

type Memo = FxHashMap<TypeId, Extent>;

impl Default for Layout {
    /// What holds where a module says nothing.
    fn default() -> Self {
        Self {
            big_endian: false,
            pointers: vec![Pointer { space: 0, size: 8, align: 8 }],
            integers: vec![(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)],
            floats: vec![(16, 2), (32, 4), (64, 8), (128, 16)],
            vectors: vec![(64, 8), (128, 16)],
            aggregate: 1,
        }
    }
}

impl Layout {
    /// The layout that a data layout string describes. What is not understood in it says nothing about
    /// sizes (mangling, native widths, stack alignment) or is of the future, and is passed over.
    pub fn new(text: &str) -> Self {
        let mut layout = Self::default();
        for part in text.split('-') {
            layout.specify(part);
        }
        layout
    }

    fn specify(&mut self, part: &str) -> Option<()> {
        let mut fields = part.split(':');
        let key = fields.next()?;
        let numbers: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
        let letter = key.chars().next()?;
        let rest = &key[letter.len_utf8()..];
        // Alignments are given in bits; none at all stands for one byte.
        let bytes = |bits: &u64| (bits / 8).max(1).next_power_of_two();
        match letter {
            'e' if rest.is_empty() => self.big_endian = false,
            'E' if rest.is_empty() => self.big_endian = true,
            'p' => {
                // Flags such as `e` may stand before the number of the space.
                let digits = rest.trim_start_matches(|flag: char| flag.is_ascii_alphabetic());
                let space = if digits.is_empty() { 0 } else { digits.parse().ok()? };
                let size = numbers.first()? / 8;
                let align = numbers.get(1).map_or(size.max(1), bytes);
                let pointer = Pointer { space, size, align };
                match self.pointers.iter_mut().find(|known| known.space == space) {
                    Some(known) => *known = pointer,
                    None => self.pointers.push(pointer),
                }
            }
            'i' => set(&mut self.integers, rest.parse().ok()?, bytes(numbers.first()?)),
            'f' => set(&mut self.floats, rest.parse().ok()?, bytes(numbers.first()?)),
            'v' => set(&mut self.vectors, rest.parse().ok()?, bytes(numbers.first()?)),
            'a' => self.aggregate = bytes(numbers.first()?),
            _ => {}
        }
        Some(())
    }

    /// How many bytes an access of a type touches. Nothing for types that no value in memory has.
    pub fn size(&self, types: &Types, ty: TypeId) -> Option<u64> {
        Some(self.extent(types, ty, &mut Memo::default(), 0)?.size())
    }

    /// How many bytes an element of an array, or a variable, of a type takes.
    pub fn stride(&self, types: &Types, ty: TypeId) -> Option<u64> {
        self.extent(types, ty, &mut Memo::default(), 0)?.stride()
    }

    /// The alignment in bytes that the platform gives to a type.
    pub fn align(&self, types: &Types, ty: TypeId) -> Option<u64> {
        Some(self.extent(types, ty, &mut Memo::default(), 0)?.align)
    }

    /// The size in bytes of pointers into an address space.
    pub fn pointer_size(&self, space: u32) -> u64 {
        self.pointer(space).size
    }

    /// The offset in bytes of a field of a structure.
    pub fn field_offset(&self, types: &Types, structure: TypeId, index: usize) -> Option<u64> {
        let Type::Struct { fields, packed } = types.resolved(structure) else { return None };
        fields.get(index)?;
        let mut memo = Memo::default();
        let mut end = 0_u64;
        for (position, field) in fields.iter().enumerate() {
            let extent = self.extent(types, *field, &mut memo, 0)?;
            let offset = if *packed { end } else { end.checked_next_multiple_of(extent.align)? };
            if position == index {
                return Some(offset);
            }
            end = offset.checked_add(extent.stride()?)?;
        }
        None
    }

    /// The type of the elements of an array or a vector, and how many bytes they are apart.
    pub fn element(&self, types: &Types, ty: TypeId) -> Option<(TypeId, u64)> {
        match types.resolved(ty) {
            Type::Array { element, .. } => Some((*element, self.stride(types, *element)?)),
            Type::Vector { element, .. } => Some((*element, self.size(types, *element)?)),
            Type::Void
            | Type::Label
            | Type::Metadata
            | Type::Token
            | Type::Other(_)
            | Type::Integer(_)
            | Type::Float(_)
            | Type::Pointer { .. }
            | Type::Struct { .. }
            | Type::Named(_)
            | Type::Function { .. } => None,
        }
    }

    /// How many bytes a `getelementptr` with constant indices adds to its pointer.
    pub fn gep_offset(&self, types: &Types, element: TypeId, indices: &[i128]) -> Option<i128> {
        let (first, inner) = indices.split_first()?;
        let mut offset = first.checked_mul(i128::from(self.stride(types, element)?))?;
        let mut ty = element;
        for index in inner {
            let step = if let Type::Struct { fields, .. } = types.resolved(ty) {
                let field = usize::try_from(*index).ok()?;
                let step = self.field_offset(types, ty, field)?;
                ty = *fields.get(field)?;
                i128::from(step)
            } else {
                let (element, stride) = self.element(types, ty)?;
                ty = element;
                index.checked_mul(i128::from(stride))?
            };
            offset = offset.checked_add(step)?;
        }
        Some(offset)
    }

    fn pointer(&self, space: u32) -> Pointer {
        let found = self.pointers.iter().find(|pointer| pointer.space == space);
        *found.unwrap_or(&self.pointers[0])
    }

    fn extent(&self, types: &Types, ty: TypeId, memo: &mut Memo, depth: u32) -> Option<Extent> {
        if depth > DEEPEST {
            return None;
        }
        match types.resolved(ty) {
            Type::Integer(width) => {
                let bits = u64::from(*width);
                // The next larger width, or else the largest there is.
                let known = self.integers.iter().find(|(known, _)| *known >= bits);
                let (_, align) = known.or(self.integers.last())?;
                Some(Extent { bits, align: *align })
            }
            Type::Float(kind) => {
                let bits = float_bits(*kind);
                let align = exact(&self.floats, bits);
                Some(Extent { bits, align: align.unwrap_or(bits.div_ceil(8).next_power_of_two()) })
            }
            Type::Pointer { space, .. } => {
                let Pointer { size, align, .. } = self.pointer(*space);
                Some(Extent { bits: size.checked_mul(8)?, align })
            }
            Type::Label => {
                let Pointer { size, align, .. } = self.pointer(0);
                Some(Extent { bits: size.checked_mul(8)?, align })
            }
            Type::Array { length, element } => {
                let element = self.extent(types, *element, memo, depth + 1)?;
                let bits = element.stride()?.checked_mul(*length)?.checked_mul(8)?;
                Some(Extent { bits, align: element.align })
            }
            Type::Vector { length, element, scalable: false } => {
                let element = self.extent(types, *element, memo, depth + 1)?;
                let bits = element.bits.checked_mul(*length)?;
                let natural = bits.div_ceil(8).max(1).checked_next_power_of_two()?;
                Some(Extent { bits, align: exact(&self.vectors, bits).unwrap_or(natural) })
            }
            Type::Struct { fields, packed } => {
                // Structures may share parts over and over, so each is computed once.
                if let Some(extent) = memo.get(&ty) {
                    return Some(*extent);
                }
                let extent = self.structure(types, fields, *packed, memo, depth)?;
                memo.insert(ty, extent);
                Some(extent)
            }
            Type::Other(name) => match name.as_str() {
                "x86_mmx" => Some(Extent { bits: 64, align: 8 }),
                "x86_amx" => Some(Extent { bits: 8192, align: 64 }),
                _ => None,
            },
            Type::Vector { scalable: true, .. }
            | Type::Void
            | Type::Metadata
            | Type::Token
            | Type::Named(_)
            | Type::Function { .. } => None,
        }
    }

    fn structure(
        &self,
        types: &Types,
        fields: &[TypeId],
        packed: bool,
        memo: &mut Memo,
        depth: u32,
    ) -> Option<Extent> {
        let mut end = 0_u64;
        let mut align = if packed { 1 } else { self.aggregate };
        for field in fields {
            let extent = self.extent(types, *field, memo, depth + 1)?;
            if !packed {
                end = end.checked_next_multiple_of(extent.align)?;
                align = align.max(extent.align);
            }
            end = end.checked_add(extent.stride()?)?;
        }
        let size = end.checked_next_multiple_of(align)?;
        Some(Extent { bits: size.checked_mul(8)?, align })
    }
}

fn set(table: &mut Vec<(u64, u64)>, width: u64, align: u64) {
    match table.binary_search_by_key(&width, |(known, _)| *known) {
        Ok(position) => table[position].1 = align,
        Err(position) => table.insert(position, (width, align)),
    }
}

fn exact(table: &[(u64, u64)], width: u64) -> Option<u64> {
    table.iter().find(|(known, _)| *known == width).map(|(_, align)| *align)
}

const fn float_bits(kind: FloatKind) -> u64 {
    match kind {
        FloatKind::Half | FloatKind::BFloat => 16,
        FloatKind::Float => 32,
        FloatKind::Double => 64,
        FloatKind::X86Fp80 => 80,
        FloatKind::Fp128 | FloatKind::PpcFp128 => 128,
    }
}
