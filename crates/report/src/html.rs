//! Answers as pages: one file, no network, every text of a program escaped. A page has the verdicts, the source
//! with what matters marked in place, the picture of what happens before what, and the run as a stepper that
//! goes forward and back by mouse and keyboard. Without JavaScript the steps are still there to read.

mod answers;
mod run;
mod source;

use std::fmt::Write;

pub use answers::{check, cycles, fence, outcomes, reach, simulation};

use crate::svg::{self, escaped};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// A page as it grows.
struct Page {
    title: String,
    body: String,
    pictures: usize,
}

impl Page {
    fn new(title: &str) -> Self {
        Self { title: title.to_owned(), body: String::new(), pictures: 0 }
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

    /// The whole file.
    fn finish(self) -> String {
        let title = escaped(&self.title);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n\
             <header><h1>{title}</h1></header>\n<main>\n{}</main>\n\
             <footer>Written by Fencewright {}. Arrow keys, Home and End move through a run.</footer>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            svg::STYLE,
            self.body,
            env!("CARGO_PKG_VERSION")
        )
    }
}

/// A list of verdicts: what was asked, the verdict in a word, why, and more.
fn verdicts(rows: &[(String, &str, String, Option<String>)]) -> String {
    let mut html = "<ul class=\"verdicts\">\n".to_owned();
    for (asked, word, why, more) in rows {
        let more = more
            .as_ref()
            .map_or_else(String::new, |more| format!("<small>{}</small>", escaped(more)));
        let _ = writeln!(
            html,
            "<li class=\"{word}\">{} <span class=\"word\">{word}</span>: {}{more}</li>",
            escaped(asked),
            escaped(why)
        );
    }
    html.push_str("</ul>\n");
    html
}
