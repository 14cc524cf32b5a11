//! Text for people where only ASCII can be shown.
//!
//! Only the signs that Fencewright itself draws are replaced; what a program contains stays as it is. Where a sign
//! becomes wider and blanks stand beside it, as in tables, it takes their place, so that columns stay columns.

/// The same text with signs of ASCII.
pub fn ascii(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        rest = &rest[sign.len_utf8()..];
        let is_last = rest.is_empty() || rest.starts_with('\n');
        let replaced = match sign {
            '①' => "(1)",
            '②' => "(2)",
            '③' => "(3)",
            '④' => "(4)",
            '→' => "->",
            '↺' => "<-",
            '↓' => "v",
            '…' if is_last => "~",
            '…' => "...",
            '—' | '–' => "-",
            '✓' => "+",
            '✗' => "x",
            sign => {
                shown.push(sign);
                continue;
            }
        };
        let mut extra = replaced.len() - 1;
        if extra > 0 && rest.starts_with("  ") {
            rest = &rest[1..];
            extra -= 1;
        }
        if extra > 0 && shown.ends_with("  ") {
            shown.pop();
        }
        shown.push_str(replaced);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::ascii;

    #[test]
    fn columns_stay_columns() {
        let table = "     1     14\n  ①  3     15\n  rf →  a\n        b\n";
        let shown = "     1     14\n (1) 3     15\n  rf -> a\n        b\n";
        assert_eq!(ascii(table), shown);
        assert_eq!(ascii("   | --- ① the store waits\n"), "   | --- (1) the store waits\n");
        assert_eq!(ascii("  ↺ back to the first\n"), " <- back to the first\n");
    }

    #[test]
    fn what_was_cut_stays_as_short() {
        assert_eq!(ascii("12 | while (tur…\na … b"), "12 | while (tur~\na ... b");
        assert_eq!(ascii("// ä and 文"), "// ä and 文");
    }
}
