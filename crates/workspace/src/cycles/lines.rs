//! Lines of code, as figures of programs have them.

/// How many lines of a text are neither empty nor only a comment, as C, Rust and models have comments. A text
/// that quotes a comment in a string may be counted a line wrong; nothing depends on it.
pub(super) fn of_code(text: &str) -> usize {
    let mut is_comment = false;
    let mut count = 0;
    for line in text.lines() {
        let mut rest = line.trim();
        let mut has_code = false;
        while !rest.is_empty() {
            if is_comment {
                match rest.split_once("*/") {
                    Some((_, after)) => {
                        is_comment = false;
                        rest = after.trim_start();
                    }
                    None => rest = "",
                }
            } else if rest.starts_with("//") {
                rest = "";
            } else if let Some(after) = rest.strip_prefix("/*") {
                is_comment = true;
                rest = after;
            } else {
                has_code = true;
                let next = [rest.find("//"), rest.find("/*")].into_iter().flatten().min();
                rest = next.map_or("", |at| &rest[at..]);
            }
        }
        count += usize::from(has_code);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::of_code;

    #[test]
    fn comments_and_empty_lines_are_no_code() {
        let text = "/* a\n b */\n\nint x; // c\n  // d\nint /* e\n f */ y;\n /* g */ int z; /* h */\n/* i */\n";
        assert_eq!(of_code(text), 4);
    }
}
