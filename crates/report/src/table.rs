//! Columns of text.

use unicode_width::UnicodeWidthStr;

use crate::terminal;

/// The rows with their cells padded so that columns line up, two spaces between them, each row
/// indented and without trailing spaces.
pub(crate) fn align(rows: &[Vec<String>], indent: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max())
        .map(Option::unwrap_or_default)
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = " ".repeat(indent);
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            let padding = width - self::width(cell) + if *width > 0 { 2 } else { 0 };
            line.extend(std::iter::repeat_n(' ', padding));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// How many columns of a terminal a cell takes. Colours take none.
pub(crate) fn width(cell: &str) -> usize {
    UnicodeWidthStr::width(terminal::text(cell, false).as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_empty_ones_take_no_room() {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = [row(["a", "", "→ x", "1"]), row(["long", "", "y", ""])];
        assert_eq!(align(&rows, 2), "  a     → x  1\n  long  y\n");
        let rows = [row(["变量", "", "x", ""]), row([&terminal::verdict("holds"), "", "y", ""])];
        let shown = terminal::text(&align(&rows, 0), false);
        assert_eq!(shown, "变量   x\nholds  y\n");
    }
}
