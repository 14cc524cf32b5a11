//! Answers as pages: one file, no network, every text of a program escaped. A page has the verdicts, the source
//! with what matters marked in place, the picture of what happens before what, and the run as a stepper that
//! goes forward and back by mouse and keyboard. Without JavaScript the steps are still there to read.

mod answers;
mod outcomes;
mod run;
mod source;

use std::fmt::Write;

pub use answers::{check, cycles, fence, reach, simulation};
pub use outcomes::{EXECUTIONS, outcomes};

use crate::svg::{self, escaped};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// What there is to show about one program; one or several of them are a [`file()`].
pub struct Page {
    title: String,
    body: String,
    pictures: usize,
    /// The verdicts in a word, as they stand in the page.
    words: Vec<&'static str>,
}

impl Page {
    fn new(title: &str) -> Self {
        Self { title: title.to_owned(), body: String::new(), pictures: 0, words: Vec::new() }
    }

    /// Writes HTML.
    fn push(&mut self, html: &str) {
        self.body.push_str(html);
    }

    /// A heading for what follows.
    fn heading(&mut self, text: &str) {
        self.push(&format!("<h2>{}</h2>\n", escaped(text)));
    }

    fn paragraph(&mut self, text: &str) {
        self.push(&format!("<p>{}</p>\n", escaped(text)));
    }

    /// Text as it is, in a box.
    fn preformatted(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.push(&format!("<pre>{}</pre>\n", escaped(text.trim_end())));
        }
    }

    fn picture(&mut self, picture: &crate::picture::Picture) {
        let drawn = svg::element(picture, self.pictures);
        self.pictures += 1;
        self.push(&format!("<figure class=\"picture\" tabindex=\"0\">\n{drawn}</figure>\n"));
        self.push(
            "<p class=\"legend\"><b>po</b> program order · <b>rf</b> reads from · <b>co</b> order of stores · \
             <b>fr</b> the value read is overwritten later</p>\n",
        );
    }

    /// A list of verdicts: what was asked, the verdict in a word, why, and more.
    fn verdicts(&mut self, rows: &[(String, &'static str, String, Option<String>)]) {
        self.words.extend(rows.iter().map(|(_, word, ..)| *word));
        self.push("<ul class=\"verdicts\">\n");
        for (asked, word, why, more) in rows {
            let more = more
                .as_ref()
                .map_or_else(String::new, |more| format!("<small>{}</small>", escaped(more)));
            let (asked, why) = (escaped(asked), escaped(why));
            self.push(&format!(
                "<li class=\"{word}\">{asked} <span class=\"word\">{word}</span>: {why}{more}</li>\n"
            ));
        }
        self.push("</ul>\n");
    }
}

/// A page about a program that could not be read, with what is said of that.
pub fn error(file: &str, text: &str) -> Page {
    told(file, "error", text)
}

/// A page about a question that could not be answered, with what is said of that.
pub fn undecided(file: &str, text: &str) -> Page {
    told(file, "undecided", text)
}

fn told(file: &str, word: &'static str, text: &str) -> Page {
    let text = crate::terminal::text(text, false);
    let mut page = Page::new(file);
    let first = text.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    page.verdicts(&[(String::new(), word, first.to_owned(), None)]);
    page.preformatted(&text);
    page
}

/// A file about these programs.
pub fn file(pages: &[Page]) -> String {
    let (title, body) = match pages {
        [page] => (page.title.clone(), page.body.clone()),
        several => (format!("{} programs", several.len()), together(several)),
    };
    let title = escaped(&title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n\
         <header><h1>{title}</h1></header>\n<main>\n{body}</main>\n\
         <footer>Written by Fencewright {}. Arrow keys, Home and End move through a run.</footer>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        svg::STYLE,
        env!("CARGO_PKG_VERSION")
    )
}

/// Several programs one below the other, after a list of them with their verdicts.
fn together(pages: &[Page]) -> String {
    let mut html = "<nav><ul class=\"verdicts programs\">\n".to_owned();
    for (number, page) in pages.iter().enumerate() {
        // The worst stands for the program.
        let worst = ["error", "violated", "unrepairable", "undecided", "repaired", "holds"];
        let word = worst.into_iter().find(|word| page.words.contains(word)).unwrap_or_default();
        let title = escaped(&page.title);
        let _ = writeln!(
            html,
            "<li class=\"{word}\"><a href=\"#program-{number}\">{title}</a> <span class=\"word\">{word}</span></li>"
        );
    }
    html.push_str("</ul></nav>\n");
    for (number, page) in pages.iter().enumerate() {
        let (title, body) = (escaped(&page.title), &page.body);
        let _ = write!(
            html,
            "<article id=\"program-{number}\">\n<h2 class=\"program mono\">{title}</h2>\n{body}</article>\n"
        );
    }
    html
}
