//! Whether a text of LLVM IR is there to its end.
//!
//! No IR is parsed here, and a parser would not tell: a text that is cut off between two functions, or
//! in the middle of its debug information, has a meaning, which is that of another program. But IR with
//! debug information ends with its metadata, which is numbered in the order of the text, and every
//! number is there because something refers to it. So the text is whole if nothing refers to a number
//! that has no node.

/// Whether all metadata that a text refers to is defined in it, and its last line is complete.
pub(crate) fn is_whole(text: &str) -> bool {
    let (mut defined, mut mentioned) = (None, None);
    for line in text.lines() {
        let mut numbers = numbers(line);
        let is_definition = line.starts_with('!')
            && line[1..]
                .trim_start_matches(|letter: char| letter.is_ascii_digit())
                .starts_with(" =");
        if is_definition {
            defined = defined.max(numbers.next());
        }
        mentioned = mentioned.max(numbers.max());
    }
    text.ends_with('\n') && mentioned <= defined
}

/// The numbers behind `!` in a line, but for those in strings and in comments. In strings quotation
/// marks are written as numbers, so that one always ends a string.
fn numbers(line: &str) -> impl Iterator<Item = u64> {
    let mut in_string = false;
    let bytes = line.as_bytes();
    let code = bytes.iter().enumerate().take_while(move |(_, byte)| {
        in_string ^= **byte == b'"';
        in_string || **byte != b';'
    });
    let mut in_string = false;
    code.filter_map(move |(at, byte)| {
        in_string ^= *byte == b'"';
        let digits = line.get(at + 1..).filter(|_| *byte == b'!' && !in_string)?;
        let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    const TEXT: &str = "@s = constant [5 x i8] c\"!9\\22!8\"\n\
                        ; call a!77 \"\n\
                        define void @f() !dbg !0 {\n  ret void, !dbg !2\n}\n\
                        !llvm.dbg.cu = !{!1}\n\
                        !0 = distinct !DISubprogram(name: \"x!99\", unit: !1)\n\
                        !1 = distinct !DICompileUnit()\n\
                        !2 = !DILocation(line: 1, scope: !0)\n";

    #[test]
    fn a_text_that_is_cut_off_is_not_whole() {
        assert!(is_whole(TEXT));
        assert!(is_whole("define void @f() {\n  ret void\n}\n"));
        let start = TEXT.find("!dbg").expect("a reference") + "!dbg !0".len();
        for end in start..TEXT.len() {
            assert!(!is_whole(&TEXT[..end]), "{}", &TEXT[..end]);
        }
    }
}
