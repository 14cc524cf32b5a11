//! Members of an archive of objects (`ar`), in the formats of GNU and BSD, and thin archives.

/// A member: its name, and its contents, if they are in the archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member<'a> {
    pub(super) name: String,
    pub(super) contents: Option<&'a [u8]>,
}

const HEADER: usize = 60;

/// The members of an archive; of a damaged one, those before the damage. `None` if the bytes are
/// not an archive.
pub(super) fn members(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    let (thin, mut rest) =
        match (bytes.strip_prefix(b"!<arch>\n"), bytes.strip_prefix(b"!<thin>\n")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) => (true, rest),
            (None, None) => return None,
        };
    let mut members = Vec::new();
    let mut long_names: &[u8] = &[];
    while let Some((header, after)) = rest.split_at_checked(HEADER) {
        let Some(size) = number(&header[48..58]) else { break };
        let field = String::from_utf8_lossy(&header[..16]).trim_end().to_owned();
        let is_table = field == "/" || field == "//" || field == "/SYM64/";
        let stored = if thin && !is_table { 0 } else { size };
        let Some((contents, next)) = after.split_at_checked(stored) else { break };
        // Members begin at even places.
        rest = next.get(stored % 2..).unwrap_or_default();
        if field == "//" {
            long_names = contents;
        } else if !is_table {
            let (name, skipped) = name_of(&field, long_names, contents);
            let contents = (!thin).then(|| contents.get(skipped..).unwrap_or_default());
            if !name.starts_with("__.SYMDEF") {
                members.push(Member { name, contents });
            }
        }
    }
    Some(members)
}

/// The name of a member, and how many bytes of its contents are its name (BSD).
fn name_of(field: &str, long_names: &[u8], contents: &[u8]) -> (String, usize) {
    if let Some(length) = field.strip_prefix("#1/").and_then(|digits| digits.parse().ok()) {
        let name = contents.get(..length).unwrap_or_default();
        let name = String::from_utf8_lossy(name).trim_end_matches('\0').to_owned();
        return (name, length);
    }
    if let Some(start) = field.strip_prefix('/').and_then(|digits| digits.parse::<usize>().ok()) {
        let name = long_names.get(start..).unwrap_or_default();
        let end = name.iter().position(|byte| *byte == b'\n').unwrap_or(name.len());
        let name = String::from_utf8_lossy(&name[..end]);
        return (name.trim_end_matches('/').to_owned(), 0);
    }
    (field.trim_end_matches('/').to_owned(), 0)
}

fn number(field: &[u8]) -> Option<usize> {
    std::str::from_utf8(field).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(magic: &str, members: &[(&str, &str, bool)]) -> Vec<u8> {
        let mut bytes = magic.as_bytes().to_vec();
        for (name, contents, stored) in members {
            let size = contents.len();
            bytes.extend(format!("{name:<16}{:<32}{size:<10}`\n", "0").bytes());
            if *stored {
                bytes.extend(contents.bytes());
                bytes.extend("\n".repeat(size % 2).bytes());
            }
        }
        bytes
    }

    fn names(bytes: &[u8]) -> Vec<(String, Option<&str>)> {
        let text = |contents| std::str::from_utf8(contents).expect("written as text");
        let members = members(bytes).expect("an archive").into_iter();
        members.map(|member| (member.name, member.contents.map(text))).collect()
    }

    #[test]
    fn formats() {
        let long = "a_name_of_more_than_16_letters.o/\n";
        let gnu =
            [("/", "xyz", true), ("//", long, true), ("a.o/", "abc", true), ("/0", "de", true)];
        let expected = [
            ("a.o".to_owned(), Some("abc")),
            ("a_name_of_more_than_16_letters.o".to_owned(), Some("de")),
        ];
        assert_eq!(names(&archive("!<arch>\n", &gnu)), expected);
        let bsd = [("#1/8", "long.o\0\0abc", true), ("b.o", "d", true)];
        let expected = [("long.o".to_owned(), Some("abc")), ("b.o".to_owned(), Some("d"))];
        assert_eq!(names(&archive("!<arch>\n", &bsd)), expected);
        let thin = [("//", "sub/a.o/\nb.o/\n", true), ("/0", "abc", false), ("/9", "d", false)];
        let expected = [("sub/a.o".to_owned(), None), ("b.o".to_owned(), None)];
        assert_eq!(names(&archive("!<thin>\n", &thin)), expected);
        assert_eq!(members(b"\x7fELF"), None);
    }

    #[test]
    fn every_beginning_is_read_without_a_panic() {
        let whole = archive("!<arch>\n", &[("a.o/", "abc", true), ("#1/4", "b.o\0de", true)]);
        for length in 8..whole.len() {
            assert!(members(&whole[..length]).is_some_and(|found| found.len() < 2), "{length}");
        }
    }
}
