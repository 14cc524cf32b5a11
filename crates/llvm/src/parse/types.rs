//! Types.

#![expect(clippy::wildcard_enum_match_arm, reason = "a parser names the tokens it accepts")]

use super::{DEEPEST, Parsed, Parser};
use crate::index::TypeId;
use crate::lexer::Token;
use crate::names;
use crate::types::{FloatKind, Type, Types};

/// Types that nearly every line mentions, so that they are not hashed each time.
pub(super) struct CommonTypes {
    pub(super) void: TypeId,
    pub(super) label: TypeId,
    pub(super) metadata: TypeId,
    pub(super) pointer: TypeId,
    pub(super) bit: TypeId,
    byte: TypeId,
    word: TypeId,
    long: TypeId,
    /// The type of a result that is not known.
    pub(super) unknown: TypeId,
}

impl CommonTypes {
    pub(super) fn new(types: &mut Types) -> Self {
        Self {
            void: types.intern(Type::Void),
            label: types.intern(Type::Label),
            metadata: types.intern(Type::Metadata),
            pointer: types.intern(Type::Pointer { pointee: None, space: 0 }),
            bit: types.intern(Type::Integer(1)),
            byte: types.intern(Type::Integer(8)),
            word: types.intern(Type::Integer(32)),
            long: types.intern(Type::Integer(64)),
            unknown: types.intern(Type::Other("unknown".to_owned())),
        }
    }
}

/// The width of `iN`.
fn integer_width(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('i')?;
    if names::is_number(digits) { digits.parse().ok() } else { None }
}

/// Whether a word begins a type.
pub(super) fn is_type_word(word: &str) -> bool {
    match word {
        "ptr" | "void" | "label" | "metadata" | "token" | "opaque" | "target" | "x86_mmx"
        | "x86_amx" => true,
        _ => integer_width(word).is_some() || FloatKind::from_word(word).is_some(),
    }
}

impl<'a> Parser<'a> {
    /// A type, with all `*` and parameter lists behind it.
    pub(super) fn ty(&mut self) -> Parsed<TypeId> {
        Ok(self.measured_type()?.0)
    }

    /// A type and how deep it is: whoever walks through it needs that many frames of the stack.
    fn measured_type(&mut self) -> Parsed<(TypeId, u32)> {
        let (mut ty, mut depth) = match self.token() {
            Token::Word(word) => (self.simple_type(word)?, 1),
            Token::Local(raw) => {
                self.bump();
                (self.named_type(raw), 1)
            }
            Token::Sign(b'[') => self.nested(Self::array_type)?,
            Token::Sign(b'{') => self.nested(|parser| parser.struct_type(false))?,
            Token::Sign(b'<') => self.nested(Self::angle_type)?,
            _ => return self.fail("expected a type"),
        };
        loop {
            match self.token() {
                Token::Sign(b'*') => {
                    self.bump();
                    ty = self.pointer_to(ty, 0);
                }
                Token::Sign(b'(') => {
                    let parameters;
                    (ty, parameters) = self.nested(|parser| parser.function_type(ty))?;
                    depth = depth.max(parameters);
                }
                Token::Word("addrspace") => {
                    let before = self.lexer;
                    let space = self.address_space()?;
                    if !self.eat(b'*') {
                        self.lexer = before;
                        return Ok((ty, depth));
                    }
                    ty = self.pointer_to(ty, space);
                }
                _ => return Ok((ty, depth)),
            }
            depth += 1;
            if depth > DEEPEST {
                return self.fail("this type is nested too deeply to be read");
            }
        }
    }

    pub(super) fn pointer_to(&mut self, pointee: TypeId, space: u32) -> TypeId {
        let types = &mut self.module.types;
        *self
            .pointers
            .entry((pointee, space))
            .or_insert_with(|| types.intern(Type::Pointer { pointee: Some(pointee), space }))
    }

    pub(super) fn named_type(&mut self, raw: &'a str) -> TypeId {
        if let Some(id) = self.named_types.get(raw) {
            return *id;
        }
        let id = self.module.types.intern(Type::Named(names::identifier(raw).into_owned()));
        self.named_types.insert(raw, id);
        id
    }

    fn simple_type(&mut self, word: &'a str) -> Parsed<TypeId> {
        let start = self.lexer.start;
        let common = match word {
            "ptr" => {
                self.bump();
                let space = self.address_space()?;
                if space == 0 {
                    return Ok(self.common.pointer);
                }
                return Ok(self.module.types.intern(Type::Pointer { pointee: None, space }));
            }
            "i32" => self.common.word,
            "i64" => self.common.long,
            "i8" => self.common.byte,
            "i1" => self.common.bit,
            "void" => self.common.void,
            "label" => self.common.label,
            "metadata" => self.common.metadata,
            "target" => {
                self.bump();
                if !self.at(b'(') {
                    return self.fail("expected `(`");
                }
                self.skip_group()?;
                let text = self.text_from(start).to_owned();
                return Ok(self.module.types.intern(Type::Other(text)));
            }
            _ => {
                let ty = if let Some(width) = integer_width(word) {
                    Type::Integer(width)
                } else if let Some(kind) = FloatKind::from_word(word) {
                    Type::Float(kind)
                } else if word == "token" {
                    Type::Token
                } else if is_type_word(word) {
                    Type::Other(word.to_owned())
                } else {
                    return self.fail(format!("expected a type, not `{word}`"));
                };
                self.bump();
                return Ok(self.module.types.intern(ty));
            }
        };
        self.bump();
        Ok(common)
    }

    fn array_type(&mut self) -> Parsed<(TypeId, u32)> {
        self.expect(b'[')?;
        let length = self.natural()?;
        self.expect_word("x")?;
        let (element, depth) = self.measured_type()?;
        self.expect(b']')?;
        Ok((self.module.types.intern(Type::Array { length, element }), depth + 1))
    }

    /// `<{ … }>` or a vector.
    fn angle_type(&mut self) -> Parsed<(TypeId, u32)> {
        self.expect(b'<')?;
        if self.at(b'{') {
            let measured = self.struct_type(true)?;
            self.expect(b'>')?;
            return Ok(measured);
        }
        let scalable = self.eat_word("vscale");
        if scalable {
            self.expect_word("x")?;
        }
        let length = self.natural()?;
        self.expect_word("x")?;
        let (element, depth) = self.measured_type()?;
        self.expect(b'>')?;
        Ok((self.module.types.intern(Type::Vector { length, element, scalable }), depth + 1))
    }

    fn struct_type(&mut self, packed: bool) -> Parsed<(TypeId, u32)> {
        self.expect(b'{')?;
        let mut fields = Vec::new();
        let mut deepest = 0;
        if !self.eat(b'}') {
            loop {
                let (field, depth) = self.measured_type()?;
                fields.push(field);
                deepest = deepest.max(depth);
                if self.eat(b'}') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        Ok((self.module.types.intern(Type::Struct { fields, packed }), deepest + 1))
    }

    /// A function by the parameters that follow its result, and how deep they are.
    fn function_type(&mut self, result: TypeId) -> Parsed<(TypeId, u32)> {
        self.expect(b'(')?;
        let mut parameters = Vec::new();
        let mut deepest = 0;
        let mut variadic = false;
        if !self.eat(b')') {
            loop {
                if self.eat_word("...") {
                    variadic = true;
                    self.expect(b')')?;
                    break;
                }
                let (parameter, depth) = self.measured_type()?;
                parameters.push(parameter);
                deepest = deepest.max(depth);
                if self.eat(b')') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        Ok((self.module.types.intern(Type::Function { result, parameters, variadic }), deepest))
    }
}
