//! The pages: sections with tables and pictures, as Markdown and as HTML.
//!
//! Every column says where its cells are from, in both forms, and in HTML so does every cell. What was measured is kept
//! as data, a file for each part of the evaluation, and the pages are made of all files that are there: so parts can be
//! measured one after the other, and each says when and where that was.

use std::fmt::Write as _;
use std::io::{Error, Result};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Where the cells of a column are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Serialize, Deserialize)]
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
#[derive(Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<String>>,
}

/// A section of the page.
#[derive(Serialize, Deserialize)]
pub(crate) struct Section {
    anchor: String,
    title: String,
    text: String,
    #[serde(default)]
    pictures: Vec<Picture>,
    #[serde(default)]
    tables: Vec<Table>,
}

/// A picture, in a file of its own.
#[derive(Serialize, Deserialize)]
struct Picture {
    file: String,
    #[serde(skip)]
    svg: String,
}

impl Section {
    pub(crate) fn new(anchor: &str, title: &str, text: &str) -> Self {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (anchor, title) = (anchor.to_owned(), title.to_owned());
        Self { anchor, title, text, tables: Vec::new(), pictures: Vec::new() }
    }

    pub(crate) fn table(mut self, table: Table) -> Self {
        for row in &table.rows {
            assert_eq!(row.len(), table.columns.len(), "{}: {row:?}", self.title);
        }
        self.tables.push(table);
        self
    }

    /// Whether a cell of it was measured here.
    fn is_measured(&self) -> bool {
        let is_measured = |table: &Table| {
            let cells = |row: &Vec<String>| {
                let mut cells = row.iter().zip(&table.columns);
                cells.any(|(cell, column)| column.origin == Origin::Measured && cell != "–")
            };
            table.rows.iter().any(cells)
        };
        self.tables.iter().any(is_measured)
    }

    pub(crate) fn picture(mut self, file: &str, svg: String) -> Self {
        self.pictures.push(Picture { file: file.to_owned(), svg });
        self
    }
}

/// What was measured in one go.
#[derive(Serialize, Deserialize)]
pub(crate) struct Measurement {
    pub(crate) date: String,
    pub(crate) machine: String,
    pub(crate) sections: Vec<Section>,
}

impl Measurement {
    /// Keeps it under a name, and writes its pictures.
    pub(crate) fn keep(&self, folder: &Path, name: &str) -> Result<()> {
        let data = folder.join(DATA);
        std::fs::create_dir_all(&data)?;
        let text = toml::to_string(self).map_err(Error::other)?;
        std::fs::write(data.join(format!("{name}.toml")), text)?;
        for Picture { file, svg } in self.sections.iter().flat_map(|section| &section.pictures) {
            std::fs::write(folder.join(file), svg)?;
        }
        Ok(())
    }

    /// What was kept under a name, if anything was.
    fn kept(folder: &Path, name: &str) -> Result<Option<Self>> {
        let path = folder.join(DATA).join(format!("{name}.toml"));
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path)?;
        let mut kept: Self = toml::from_str(&text).map_err(Error::other)?;
        for picture in kept.sections.iter_mut().flat_map(|section| &mut section.pictures) {
            picture.svg = std::fs::read_to_string(folder.join(&picture.file))?;
        }
        Ok(Some(kept))
    }

    fn when_and_where(&self) -> String {
        format!("*Measured on {} on {}.*", self.date, self.machine)
    }
}

/// The folder of what was measured, beside the pages.
const DATA: &str = "data";

/// All measurements.
pub(crate) struct Page {
    measurements: Vec<Measurement>,
}

const TITLE: &str = "The papers' tables, and ours";
/// The page in HTML. A website of the book makes an `index.html` of the one in Markdown.
const PAGE: &str = "tables.html";
const INTRODUCTION: &str = "Printed by `cargo run --release -p fencewright-bench --bin evaluate`. Each column says whether its cells are *measured*, by us, or *published*, \
    in the paper; each part says when and where it was measured. Machines differ by more than a decade: compare ratios within a column, and not seconds across columns. \
    The programs are renditions of our own.";

impl Page {
    /// What was kept under these names, in their order.
    pub(crate) fn of_kept<'a>(
        folder: &Path,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        let kept = names.into_iter().map(|name| Measurement::kept(folder, name));
        let kept: Vec<Option<Measurement>> = kept.collect::<Result<_>>()?;
        Ok(Self { measurements: kept.into_iter().flatten().collect() })
    }

    /// Writes it in both forms.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        std::fs::write(folder.join("README.md"), self.markdown())?;
        std::fs::write(folder.join(PAGE), self.html())
    }

    /// Each section, with when and where it was measured, if anything in it was.
    fn sections(&self) -> impl Iterator<Item = (&Section, Option<String>)> {
        self.measurements.iter().flat_map(|one| {
            let measured = |section: &Section| section.is_measured().then(|| one.when_and_where());
            one.sections.iter().map(move |section| (section, measured(section)))
        })
    }

    fn markdown(&self) -> String {
        let mut text = format!(
            "# {TITLE}\n\n{INTRODUCTION} [The same page]({PAGE}) marks each cell by a colour.\n"
        );
        for (section, measured) in self.sections() {
            let _ = write!(text, "\n## {}\n\n{}\n", section.title, section.text);
            if let Some(measured) = measured {
                let _ = write!(text, "\n{measured}\n");
            }
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
            for Picture { file, .. } in &section.pictures {
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
            inline(INTRODUCTION),
        );
        for (section, measured) in self.sections() {
            let _ = writeln!(
                text,
                "<h2 id=\"{}\">{}</h2>\n<p>{}</p>",
                section.anchor,
                escaped(&section.title),
                inline(&section.text)
            );
            if let Some(measured) = measured {
                let _ = writeln!(text, "<p>{}</p>", inline(&measured));
            }
            for table in &section.tables {
                html_table(table, &mut text);
            }
            for Picture { svg, .. } in &section.pictures {
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
            .table(Table { columns, rows })
            .picture("x.svg", "<svg/>".to_owned());
        let machine = "a \"machine\"".to_owned();
        let measured =
            Measurement { date: "2026-11-20".to_owned(), machine, sections: vec![section] };
        // What is kept is what is shown.
        let folder = tempfile::tempdir().expect("a folder");
        measured.keep(folder.path(), "x").expect("it can be written");
        let page = Page::of_kept(folder.path(), ["w", "x"]).expect("it can be read");
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
            "<p><em>Measured on 2026-11-20 on a &quot;machine&quot;.</em></p>",
            "<figure><svg/></figure>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }
}
