//! Paths as editors write them.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;

/// The file that a document is, if it is one.
pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
    let encoded = uri.as_str().strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// What a file is called.
pub(crate) fn of_path(path: &Path) -> Option<Uri> {
    let mut text = "file://".to_owned();
    for byte in path.to_str()?.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&encoded(byte));
        }
    }
    Uri::from_str(&text).ok()
}

fn encoded(byte: u8) -> String {
    format!("%{byte:02X}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::str::FromStr;

    use super::{of_path, path};

    #[test]
    fn paths_come_back() {
        for name in ["/a/b.fw", "/with blank/ä+%25[1].c", "/a#b?c.rs"] {
            let uri = of_path(Path::new(name)).expect("a reference");
            assert_eq!(path(&uri).as_deref(), Some(Path::new(name)), "{}", uri.as_str());
        }
        for other in ["untitled:one", "file:///broken%2"] {
            let uri = lsp_types::Uri::from_str(other);
            assert!(uri.is_err() || uri.is_ok_and(|uri| path(&uri).is_none()), "{other}");
        }
    }
}
