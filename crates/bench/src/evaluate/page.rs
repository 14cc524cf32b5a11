//! The pages: sections with tables and pictures, as Markdown and as HTML.
//!
//! Every column says where its cells are from, in both forms, and in HTML so does every cell.

use std::fmt::Write as _;
use std::io::Result;
use std::path::Path;

/// Where the cells of a column are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Names: of programs, machines, options.
    Name,
    Measured,
    Published,
}

impl Origin {
    const fn word(self) -> &'static str {
        match self {
            Self::Name => "",
            Self::Measured => "measured",
            Self::Published => "published",
        }
    }
}

/// A column of a table.
pub(crate) struct Column {
    title: String,
    origin: Origin,
}

impl Column {
    pub(crate) fn name(title: &str) -> Self {
        Self { title: title.to_owned(), origin: Origin::Name }
    }

    pub(crate) fn measured(title: &str) -> Self {
        Self { title: title.to_owned(), origin: Origin::Measured }
    }

    pub(crate) fn published(title: &str) -> Self {
        Self { title: title.to_owned(), origin: Origin::Published }
    }
}

/// A table.
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// A part of the page.
pub(crate) struct Section {
    anchor: &'static str,
    title: &'static str,
    text: String,
    tables: Vec<Table>,
    /// File names and SVG.
    pictures: Vec<(&'static str, String)>,
}

impl Section {
    pub(crate) fn new(anchor: &'static str, title: &'static str, text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { anchor, title, text, tables: Vec::new(), pictures: Vec::new() }
    }

    pub(crate) fn table(mut self, table: Table) -> Self {
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len(), "{}: {row:?}", self.title);
        }
        self.tables.push(table);
        self
    }

    pub(crate) fn picture(mut self, file: &'static str, svg: String) -> Self {
        self.pictures.push((file, svg));
        self
    }
}

/// Everything.
pub(crate) struct Page {
    pub(crate) date: String,
    pub(crate) machine: String,
    pub(crate) sections: Vec<Section>,
}

const TITLE: &str = "The papers' tables, and ours";
/// The page in HTML. A website of the book makes an `index.html` of the one in Markdown.
const PAGE: &str = "tables.html";

impl Page {
    fn introduction(&self) -> String {
        format!(
            "Printed on {} by `cargo run --release -p fencewright-bench --bin evaluate` on {}. Each column says whether its cells are *measured*, by this run on this \
             machine, or *published*, in the paper. Machines differ by more than a decade, and this one was shared with other work: compare ratios within a column, and not \
             seconds across columns. The programs are renditions of our own.",
            self.date, self.machine
        )
    }

    /// Writes the pages and the pictures.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        for (file, svg) in self.sections.iter().flat_map(|section| &section.pictures) {
            std::fs::write(folder.join(file), svg)?;
        }
        std::fs::write(folder.join("README.md"), self.markdown())?;
        std::fs::write(folder.join(PAGE), self.html())
    }

    fn markdown(&self) -> String {
        let mut text = format!(
            "# {TITLE}\n\n{} [The same page]({PAGE}) marks each cell by a colour.\n",
            self.introduction()
        );
        for section in &self.sections {
            let _ = write!(text, "\n## {}\n\n{}\n", section.title, section.text);
            for table in &section.tables {
                let titles = table.columns.iter().map(|column| match column.origin {
                    Origin::Name => column.title.clone(),
                    Origin::Measured | Origin::Published => {
                        format!("{} ({})", column.title, column.origin.word())
                    }
                });
                let titles: Vec<String> = titles.collect();
                let _ = write!(
                    text,
                    "\n| {} |\n|{}\n",
                    titles.join(" | "),
                    "---|".repeat(titles.len())
                );
                for row in &table.rows {
                    let _ = writeln!(text, "| {} |", row.join(" | "));
                }
            }
            for (file, _) in &section.pictures {
                let _ = write!(text, "\n![{}]({file})\n", section.title);
            }
        }
        text
    }

    fn html(&self) -> String {
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
             <h1>{}</h1>\n<p>{}</p>\n<p class=\"key\"><span class=\"measured\">measured</span> <span class=\"published\">published</span></p>\n",
            escaped(TITLE),
            escaped(TITLE),
            inline(&self.introduction()),
        );
        for section in &self.sections {
            let _ = writeln!(
                text,
                "<h2 id=\"{}\">{}</h2>\n<p>{}</p>",
                section.anchor,
                escaped(section.title),
                inline(&section.text)
            );
            for table in &section.tables {
                html_table(table, &mut text);
            }
            for (_, svg) in &section.pictures {
                let _ = writeln!(text, "<figure>{svg}</figure>");
            }
        }
        text.push_str("</html>\n");
        text
    }
}

fn html_table(table: &Table, text: &mut String) {
    text.push_str("<div class=\"wide\"><table>\n<tr>");
    for column in &table.columns {
        let word = column.origin.word();
        let _ = write!(
            text,
            "<th class=\"{word}\">{}<small>{word}</small></th>",
            inline(&column.title)
        );
    }
    text.push_str("</tr>\n");
    for row in &table.rows {
        text.push_str("<tr>");
        for (cell, column) in row.iter().zip(&table.columns) {
            let word = column.origin.word();
            let _ = write!(text, "<td class=\"{word}\" title=\"{word}\">{}</td>", inline(cell));
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</table></div>\n");
}

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b2a41;background:#fff}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;margin:1rem 0}th,td{border:1px solid #c9d1dc;padding:2px 6px;text-align:right}\
th:first-child,td:first-child{text-align:left}th small{display:block;font-weight:normal;color:#5a6472}.measured{background:#e8f4ea}.published{background:#f3eefc}\
figure{margin:1rem 0}svg{max-width:100%;height:auto}@media(prefers-color-scheme:dark){body{color:#e8edf5;background:#16191f}.measured{background:#1d3524}.published{background:#2c2340}th small{color:#a9b3c1}}";

/// Text in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The little Markdown that texts use, in HTML: code, emphasis, links. Links to pages in Markdown are words: in a website
/// these have other names.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (number, part) in escaped(text).split('`').enumerate() {
        if number % 2 == 1 {
            let _ = write!(html, "<code>{part}</code>");
            continue;
        }
        for (number, part) in part.split('*').enumerate() {
            let part = links(part);
            if number % 2 == 1 {
                let _ = write!(html, "<em>{part}</em>");
            } else {
                html.push_str(&part);
            }
        }
    }
    html
}

fn links(text: &str) -> String {
    let Some((before, rest)) = text.split_once('[') else { return text.to_owned() };
    match rest.split_once("](").and_then(|(title, rest)| {
        let (target, after) = rest.split_once(')')?;
        Some((title, target, after))
    }) {
        Some((title, target, after)) if target.contains(".md") => {
            format!("{before}{title}{}", links(after))
        }
        Some((title, target, after)) => {
            format!("{before}<a href=\"{target}\">{title}</a>{}", links(after))
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_says_where_it_is_from() {
        let columns = vec![Column::name("p"), Column::measured("F"), Column::published("F")];
        let rows = vec![vec!["`a<b`".to_owned(), "1".to_owned(), "•".to_owned()]];
        let section = Section::new("x", "X", "see [it](y.md), [that](z.svg)  *now*")
            .table(Table { columns, rows });
        let page = Page { date: String::new(), machine: String::new(), sections: vec![section] };
        let markdown = page.markdown();
        assert!(
            markdown.contains(
                "| p | F (measured) | F (published) |\n|---|---|---|\n| `a<b` | 1 | • |\n"
            ),
            "{markdown}"
        );
        let html = page.html();
        for part in [
            "<td class=\"\" title=\"\"><code>a&lt;b</code></td>",
            "<td class=\"measured\" title=\"measured\">1</td>",
            "<td class=\"published\" title=\"published\">•</td>",
            "see it, <a href=\"z.svg\">that</a> <em>now</em>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }
}
