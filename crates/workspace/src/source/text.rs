//! The texts of a program's author: which files they are, their language, and their bytes.
//!
//! A C text need not be UTF-8; comments in Latin-1 are common. Every byte that is not becomes one
//! character of one byte ([`SUBSTITUTE`]), so that lines and columns stay as the compiler counts them,
//! and is put back in its place before the text is compiled again.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use lowering::Texts;
use patch::{Edition, Language};

use super::stdin::StandardInput;
use crate::host::Host;

/// Stands for a byte that is not UTF-8: the control character that was made for this.
pub(super) const SUBSTITUTE: char = '\u{1a}';

/// A text, and the bytes that substitutes in it stand for, in their order.
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) substituted: Vec<u8>,
}

/// Makes a text of bytes; nothing if substitutes could not be told from what is there.
pub(super) fn decode(bytes: Vec<u8>) -> Option<Decoded> {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Some(Decoded { text, substituted: Vec::new() }),
        Err(error) => error.into_bytes(),
    };
    let (mut text, mut substituted) = (String::new(), Vec::new());
    for chunk in bytes.utf8_chunks() {
        if chunk.valid().contains(SUBSTITUTE) {
            return None;
        }
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| SUBSTITUTE));
        substituted.extend(chunk.invalid());
    }
    Some(Decoded { text, substituted })
}

/// The bytes of a text, with what its substitutes stand for; nothing if it has not as many of them.
pub(super) fn encode(text: &str, substituted: &[u8]) -> Option<Vec<u8>> {
    if substituted.is_empty() {
        return Some(text.as_bytes().to_vec());
    }
    let mut left = substituted.iter();
    let mut bytes = Vec::with_capacity(text.len());
    for byte in text.bytes() {
        let own = if char::from(byte) == SUBSTITUTE { *left.next()? } else { byte };
        bytes.push(own);
    }
    left.next().is_none().then_some(bytes)
}

/// What is known of the source files of a program.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// From where relative paths are meant.
    here: Option<PathBuf>,
    /// Folders of Rust crates with their editions.
    pub(super) editions: Vec<(PathBuf, Edition)>,
    /// The bytes that substitutes stand for, by the names of the files.
    pub(super) substituted: BTreeMap<String, Vec<u8>>,
    /// Where standard input lies.
    pub(super) stdin: StandardInput,
}

impl Known {
    /// With the editions of what was compiled.
    pub(super) fn of(
        host: &dyn Host,
        compiled: &compiler::Compiled,
        stdin: &StandardInput,
    ) -> Self {
        let edition = |module: &compiler::Module| match module.language {
            compiler::Language::Rust { edition } => {
                let folder = module.directory.join(module.source.as_deref()?).parent()?.to_owned();
                let is_new = edition.is_some_and(|edition| edition >= 2024);
                Some((folder, if is_new { Edition::From2024 } else { Edition::UpTo2021 }))
            }
            compiler::Language::C | compiler::Language::Llvm => None,
        };
        let editions = compiled.modules.iter().filter_map(edition).collect();
        let stdin = stdin.clone();
        Self { here: host.current_folder(), editions, substituted: BTreeMap::new(), stdin }
    }

    /// The language of a file, if it is one that we change.
    pub(super) fn language(&self, name: &str) -> Option<Language> {
        let path = self.stdin.file(Path::new(name));
        match path.extension()?.to_str()? {
            "c" | "h" | "i" | "inc" => Some(Language::C),
            "rs" => Some(Language::Rust(self.edition(name))),
            _ => None,
        }
    }

    /// A path from the root, without steps that lead nowhere.
    fn absolute(&self, path: &Path) -> PathBuf {
        let whole = self.here.as_ref().map_or_else(|| path.to_owned(), |here| here.join(path));
        whole.components().filter(|component| !matches!(component, Component::CurDir)).collect()
    }

    /// The edition of the crate whose root is in the innermost folder around a file, or else of the
    /// first.
    fn edition(&self, name: &str) -> Edition {
        let path = self.absolute(Path::new(name));
        let around = self.editions.iter().filter(|(folder, _)| path.starts_with(folder));
        let innermost = around.max_by_key(|(folder, _)| folder.as_os_str().len());
        innermost.or(self.editions.first()).map_or(Edition::UpTo2021, |(_, edition)| *edition)
    }
}

/// The source files of a program's author; not those of libraries.
pub(super) struct SourceFiles<'o> {
    pub(super) host: &'o dyn Host,
    /// Other texts for some of them.
    pub(super) others: &'o [(PathBuf, String)],
    pub(super) known: Known,
}

impl Texts for SourceFiles<'_> {
    fn text(&mut self, file: &str) -> Option<(String, String, Language)> {
        let foreign = ["/usr/", "/rustc/", "/.rustup/", "/.cargo/registry/", "/lib/clang/"];
        if foreign.iter().any(|part| file.contains(part)) {
            return None;
        }
        let known = &mut self.known;
        let language = known.language(file)?;
        let path = Path::new(file);
        let name = known.stdin.name(path);
        let shown = name.unwrap_or_else(|| shown(known.here.as_deref(), path));
        let whole = known.absolute(path);
        let other = self.others.iter().find(|(other, _)| known.absolute(other) == whole);
        if let Some((_, text)) = other {
            return Some((shown, text.clone(), language));
        }
        let Decoded { text, substituted } = decode(self.host.read(path).ok()?)?;
        if !substituted.is_empty() {
            known.substituted.insert(shown.clone(), substituted);
        }
        Some((shown, text, language))
    }
}

/// A path as seen from here, if it is below.
pub(super) fn shown(here: Option<&Path>, path: &Path) -> String {
    let clean: PathBuf =
        path.components().filter(|component| !matches!(component, Component::CurDir)).collect();
    let below = here.and_then(|here| clean.strip_prefix(here).ok().map(Path::to_path_buf));
    below.unwrap_or(clean).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf_8_come_back() {
        for bytes in [
            &b"plain"[..],
            "caf\u{e9} in UTF-8".as_bytes(),
            b"caf\xe9 \xff\xfe and \xc3\xa9",
            b"\xe9",
            b"cut off \xe2\x82",
        ] {
            let Decoded { text, substituted } = decode(bytes.to_vec()).expect("a text");
            assert_eq!(text.len(), bytes.len(), "columns stay as they are");
            assert_eq!(encode(&text, &substituted).as_deref(), Some(bytes));
            let longer = text.replace(' ', "  /* more */ ");
            let back = encode(&longer, &substituted).expect("the same substitutes");
            let kept = |bytes: &[u8]| bytes.iter().filter(|byte| !byte.is_ascii()).count();
            assert_eq!(kept(&back), kept(bytes));
        }
        assert_eq!(encode("one \u{1a}", &[1, 2]), None, "a substitute is gone");
        assert_eq!(encode("\u{1a}\u{1a}", &[1]), None, "there is one more");
        assert!(decode(b"\x1a and \xe9".to_vec()).is_none(), "which is which?");
        assert!(decode(b"\x1a".to_vec()).is_some());
    }
}
