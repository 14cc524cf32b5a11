//! `fencewright explain`: terms and codes, and the pages of the documentation, which help and messages name.

use crate::output::Output;
use crate::status::Status;

/// The pages of `docs`, each with its name without an extension.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// The page that somebody asks for as `docs/NAME.md`, or at least as `NAME.md`.
fn page(asked: &str) -> Option<&'static str> {
    let name = asked.strip_suffix(".md")?;
    let name = name.strip_prefix("docs/").unwrap_or(name);
    PAGES.iter().find(|(page, _)| *page == name).map(|(_, text)| *text)
}

pub(crate) fn run(asked: &[String], output: &mut Output) -> Status {
    let asked = asked.join(" ");
    if asked.is_empty() {
        let (terms, codes) = report::explain::names();
        let pages: Vec<String> = PAGES.iter().map(|(name, _)| format!("docs/{name}.md")).collect();
        output.text(&format!(
            "Terms: {}.\n\nCodes of reasons and findings: {}.\n\nPages: {}.\n",
            terms.join(", "),
            codes.join(", "),
            pages.join(", ")
        ));
        return Status::Fine;
    }
    if let Some(text) = page(&asked) {
        output.text(text);
        return Status::Fine;
    }
    match report::explain::explain(&asked, Output::columns().unwrap_or(80)) {
        Ok(text) => {
            output.text(&text);
            Status::Fine
        }
        Err(near) => {
            let help = if near.is_empty() {
                "`fencewright explain` lists what is explained".to_owned()
            } else {
                format!("did you mean {}?", near.join(", "))
            };
            output.refuse(&format!("`{asked}` is not explained here\n  {help}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::page;
    use crate::arguments::Arguments;

    #[test]
    fn every_page_that_help_names_is_there() {
        let mut named = 0;
        let mut all = Arguments::command();
        for command in all.get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            for (at, _) in help.match_indices("docs/") {
                let name: String = help[at..]
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || "/-.".contains(*c))
                    .collect();
                let name = name.trim_end_matches('.');
                if name.strip_suffix(".md").is_none() {
                    continue;
                }
                assert!(page(name).is_some(), "`{name}`, in the help of {}", command.get_name());
                let before = help[..at].trim_end();
                assert!(before.ends_with("fencewright explain"), "`{name}`: {before}");
                named += 1;
            }
        }
        assert!(named >= 10, "{named}");
        assert!(page("check.md").is_some_and(|text| text.starts_with("# ")));
        assert_eq!(page("check"), None);
    }
}
