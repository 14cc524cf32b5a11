//! Tokens of textual IR. They borrow from the text: nothing is allocated or decoded here.
//!
//! The rules are those of LLVM's own lexer; the one thing worth knowing is that a word directly
//! followed by a colon is one token, be it a label of a block or the name of a field in metadata.

/// A token; names are as written, without their sigil but with quotes if they have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A keyword, a type, an attribute: whatever has no sigil.
    Word(&'a str),
    /// `name:`, `12:` or `"name":`, without the colon.
    Label(&'a str),
    /// `%name`
    Local(&'a str),
    /// `@name`
    Symbol(&'a str),
    /// `!name` or `!12`
    Metadata(&'a str),
    /// `#12` or `#dbg_declare`
    Hash(&'a str),
    /// `$name`
    Comdat(&'a str),
    /// A number, in whatever form.
    Number(&'a str),
    /// What stands between `"` and `"`.
    String(&'a str),
    /// What stands between `c"` and `"`.
    Bytes(&'a str),
    /// A bracket or another sign, `!` before a bracket or a string among them.
    Sign(u8),
    /// A string without an end.
    Unterminated,
    /// Nothing that IR contains.
    Unknown,
    /// The end of the text.
    End,
}

/// Where the lexer stands in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
    /// The token read last.
    pub(crate) token: Token<'a>,
    /// Where it starts.
    pub(crate) start: usize,
    /// Whether it is the first on its line.
    pub(crate) first_on_line: bool,
    /// Where the token before it ended.
    pub(crate) previous_end: usize,
}

/// Which bytes names consist of.
const NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_');
        byte += 1;
    }
    table
};

impl<'a> Lexer<'a> {
    /// A lexer that has read the first token from this offset on.
    pub(crate) fn new(text: &'a str, offset: usize) -> Self {
        let mut lexer = Self {
            text,
            position: offset,
            token: Token::End,
            start: offset,
            first_on_line: true,
            previous_end: offset,
        };
        lexer.skip_space();
        lexer.first_on_line = true;
        lexer.start = lexer.position;
        lexer.token = lexer.read();
        lexer
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Reads the next token.
    pub(crate) fn bump(&mut self) {
        self.previous_end = self.position;
        self.first_on_line = false;
        self.skip_space();
        self.start = self.position;
        self.token = self.read();
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.position + ahead).copied()
    }

    fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.position) {
            match byte {
                b'\n' => {
                    self.first_on_line = true;
                    self.position += 1;
                }
                b' ' | b'\t' | b'\r' | 0 => self.position += 1,
                b';' => {
                    let rest = &bytes[self.position..];
                    let length = rest.iter().position(|byte| *byte == b'\n');
                    self.position += length.unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn read(&mut self) -> Token<'a> {
        let Some(byte) = self.peek(0) else { return Token::End };
        match byte {
            b'%' => self.sigil(Token::Local),
            b'@' => self.sigil(Token::Symbol),
            b'#' => self.sigil(Token::Hash),
            b'!' => self.metadata(),
            b'"' => match self.quoted() {
                Some(text) if self.peek(0) == Some(b':') => {
                    self.position += 1;
                    Token::Label(text)
                }
                Some(text) => Token::String(&text[1..text.len() - 1]),
                None => Token::Unterminated,
            },
            b'c' if self.peek(1) == Some(b'"') => {
                self.position += 1;
                match self.quoted() {
                    Some(text) => Token::Bytes(&text[1..text.len() - 1]),
                    None => Token::Unterminated,
                }
            }
            b'$' if self.peek(1) == Some(b'"') => self.sigil(Token::Comdat),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b',' | b'=' | b'*' | b'|'
            | b':' | b'^' | b'/' => {
                self.position += 1;
                Token::Sign(byte)
            }
            b'+' => {
                self.position += 1;
                self.word()
            }
            _ if NAME[byte as usize] => self.word(),
            _ => {
                let rest = &self.text.as_bytes()[self.position..];
                // All bytes of a character that is not ASCII, so as to stop between characters.
                let length = rest.iter().take_while(|byte| !byte.is_ascii()).count();
                self.position += length.max(1);
                Token::Unknown
            }
        }
    }

    /// A sigil and a name, plain or quoted.
    fn sigil(&mut self, token: fn(&'a str) -> Token<'a>) -> Token<'a> {
        self.position += 1;
        if self.peek(0) == Some(b'"') {
            return self.quoted().map_or(Token::Unterminated, token);
        }
        let name = self.name();
        if name.is_empty() { Token::Unknown } else { token(name) }
    }

    fn metadata(&mut self) -> Token<'a> {
        self.position += 1;
        let start = self.position;
        // Names of metadata are not quoted; other characters are escaped.
        while self.peek(0).is_some_and(|byte| NAME[byte as usize] || byte == b'\\') {
            self.position += 1;
        }
        if start == self.position {
            return Token::Sign(b'!');
        }
        Token::Metadata(&self.text[start..self.position])
    }

    fn name(&mut self) -> &'a str {
        let start = self.position;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| !NAME[*byte as usize]).unwrap_or(rest.len());
        self.position += length;
        &self.text[start..self.position]
    }

    /// A string with its quotes.
    fn quoted(&mut self) -> Option<&'a str> {
        let start = self.position;
        let rest = &self.text.as_bytes()[start + 1..];
        let Some(length) = rest.iter().position(|byte| *byte == b'"') else {
            self.position = self.text.len();
            return None;
        };
        self.position += length + 2;
        Some(&self.text[start..self.position])
    }

    /// A word, a label or a number.
    fn word(&mut self) -> Token<'a> {
        let start = self.position;
        let word = self.name();
        if self.peek(0) == Some(b':') {
            self.position += 1;
            return Token::Label(word);
        }
        let bytes = word.as_bytes();
        let digit = match bytes {
            [b'-', second, ..] => second.is_ascii_digit(),
            [first, ..] => first.is_ascii_digit(),
            [] => return Token::Unknown,
        };
        if digit {
            // The exponent of `1.0e+10`; a minus sign is part of names anyway.
            if bytes.ends_with(b"e") && self.peek(0) == Some(b'+') {
                self.position += 1;
                self.name();
            }
            return Token::Number(&self.text[start..self.position]);
        }
        match bytes {
            [b'$', _, ..] => Token::Comdat(&word[1..]),
            _ => Token::Word(word),
        }
    }
}
