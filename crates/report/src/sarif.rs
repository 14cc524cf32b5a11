//! Findings as SARIF 2.1.0 (OASIS), which code hosts and editors show: results with rules, places, the run as a
//! code flow, and fixes.

use std::fmt::Write;

use program::{Diagnostic, Program, SourceId, Sources, Span};
use serde_json::{Value, json};
use workspace::{CheckAnswer, CyclesAnswer, FenceAnswer, ReachAnswer};

use crate::cycles_findings::of_cycles;
use crate::findings::{self, Finding, Level, meaning, of_check, of_errors, of_fence, of_reach};

/// What `check` found.
pub fn check(program: &Program, sources: &Sources, answer: &CheckAnswer) -> String {
    document(sources, &of_check(program, sources, answer))
}

/// What `reach` found.
pub fn reach(program: &Program, sources: &Sources, answer: &ReachAnswer) -> String {
    document(sources, &of_reach(program, sources, answer))
}

/// What `fence` found.
pub fn fence(sources: &Sources, answer: &FenceAnswer) -> String {
    document(sources, &of_fence(sources, answer))
}

/// What the static method found.
pub fn cycles(sources: &Sources, answer: &CyclesAnswer) -> String {
    document(sources, &of_cycles(sources, answer))
}

/// What is wrong with an input.
pub fn errors(errors: &[Diagnostic], sources: &Sources) -> String {
    document(sources, &of_errors(errors))
}

/// That a question could not be answered.
pub fn undecided(why: &str) -> String {
    document(&Sources::new(), &[findings::undecided(why.to_owned(), Span::NONE)])
}

fn document(sources: &Sources, findings: &[Finding]) -> String {
    let mut rules = Vec::new();
    for finding in findings {
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule);
        }
    }
    let described = rules
        .iter()
        .map(|rule| json!({ "id": rule.id(), "shortDescription": { "text": meaning(*rule) } }));
    let driver = json!({
        "name": "Fencewright",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": described.collect::<Vec<_>>(),
    });
    let mut results: Vec<Value> = Vec::new();
    for finding in findings {
        let index = rules.iter().position(|rule| *rule == finding.rule).unwrap_or_default();
        add(&mut results, result(sources, finding, index));
    }
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            // Columns are counted in characters, as everywhere here.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{document}\n")
}

/// Results are a set: two accesses that stand for one text are one finding.
fn add(results: &mut Vec<Value>, result: Value) {
    if !results.contains(&result) {
        results.push(result);
    }
}

/// The findings of several programs in one document.
pub fn merged(documents: &[String]) -> String {
    let parsed: Vec<Value> =
        documents.iter().filter_map(|document| serde_json::from_str(document).ok()).collect();
    let Some(mut all) = parsed.first().cloned() else { return String::new() };
    let mut rules: Vec<Value> = Vec::new();
    let mut results: Vec<Value> = Vec::new();
    for document in &parsed {
        let run = &document["runs"][0];
        for rule in run["tool"]["driver"]["rules"].as_array().into_iter().flatten() {
            if !rules.contains(rule) {
                rules.push(rule.clone());
            }
        }
        for result in run["results"].as_array().into_iter().flatten() {
            let mut result = result.clone();
            let index = rules.iter().position(|rule| rule["id"] == result["ruleId"]);
            result["ruleIndex"] = json!(index);
            add(&mut results, result);
        }
    }
    all["runs"][0]["tool"]["driver"]["rules"] = json!(rules);
    all["runs"][0]["results"] = json!(results);
    format!("{all}\n")
}

/// Findings beside those that were known before.
pub struct Compared {
    /// The same document, each result marked as new or not.
    pub document: String,
    /// How many were known.
    pub known: usize,
    /// How many violations are new.
    pub new_errors: usize,
    /// How many answers are newly undecided.
    pub new_warnings: usize,
}

/// Compares findings with those of a document that was written earlier. A finding is the same one if it is of the
/// same kind and the texts of its lines are the same, wherever in the file they have moved to.
pub fn compared(document: &str, baseline: &str) -> Result<Compared, String> {
    let baseline: Value = serde_json::from_str(baseline)
        .map_err(|error| format!("that is not a SARIF document: {error}"))?;
    let runs = baseline["runs"].as_array().ok_or("that is not a SARIF document: it has no runs")?;
    let mut known: Vec<&str> = runs
        .iter()
        .flat_map(|run| run["results"].as_array().into_iter().flatten())
        .filter_map(|result| result["partialFingerprints"][FINGERPRINT].as_str())
        .collect();
    let mut document: Value =
        serde_json::from_str(document).map_err(|error| format!("an unreadable answer: {error}"))?;
    let mut compared =
        Compared { document: String::new(), known: 0, new_errors: 0, new_warnings: 0 };
    for result in document["runs"][0]["results"].as_array_mut().into_iter().flatten() {
        let is_accepted = result["suppressions"].as_array().is_some_and(|all| !all.is_empty());
        let own = result["partialFingerprints"][FINGERPRINT].as_str().unwrap_or_default();
        let at = known.iter().position(|one| *one == own);
        let level = result["level"].as_str().unwrap_or_default();
        match at {
            Some(at) => {
                // Two that are alike must both have been there.
                known.swap_remove(at);
                compared.known += 1;
            }
            None if is_accepted => {}
            None if level == "error" => compared.new_errors += 1,
            None if level == "warning" => compared.new_warnings += 1,
            // There is nothing wrong.
            None => {}
        }
        let state = if at.is_some() { "unchanged" } else { "new" };
        result["baselineState"] = json!(state);
    }
    compared.document = format!("{document}\n");
    Ok(compared)
}

/// What identifies a finding, in this version of how that is computed.
const FINGERPRINT: &str = "fencewright/v1";

/// What stays the same of a finding while the text around it changes: its kind, its file, and the texts of the lines
/// that it is about.
fn fingerprint(sources: &Sources, finding: &Finding) -> String {
    let mut parts = vec![finding.rule.id().to_owned()];
    let places = finding.related.iter().map(|(span, _)| *span);
    for span in std::iter::once(finding.at).chain(places) {
        let Some(source) = span.source else { continue };
        let (line, _) = sources.line_column(source, span.start);
        let text = sources.text(source).lines().nth(line.saturating_sub(1)).unwrap_or_default();
        parts.extend([sources.name(source).to_owned(), text.trim().to_owned()]);
    }
    // FNV-1a: the same everywhere and for ever.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.join("\0").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

fn result(sources: &Sources, finding: &Finding, index: usize) -> Value {
    let level = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    };
    let mut result = json!({
        "ruleId": finding.rule.id(),
        "ruleIndex": index,
        "level": level,
        "message": { "text": finding.message },
        "locations": location(sources, finding.at, None).into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { FINGERPRINT: fingerprint(sources, finding) },
    });
    let related =
        finding.related.iter().filter_map(|(span, said)| location(sources, *span, Some(said)));
    let related: Vec<Value> = related.collect();
    if !related.is_empty() {
        result["relatedLocations"] = json!(related);
    }
    let steps = finding.flow.iter().enumerate().filter_map(|(order, (span, said))| {
        let location = location(sources, *span, Some(said))?;
        Some(json!({ "location": location, "executionOrder": order + 1 }))
    });
    let steps: Vec<Value> = steps.collect();
    if !steps.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    if !finding.accepted_by.is_empty() {
        let comments = finding.accepted_by.iter().map(|comment| {
            let mut suppression = json!({ "kind": "inSource", "status": "accepted" });
            if !comment.reason.is_empty() {
                suppression["justification"] = json!(comment.reason);
            }
            if let Some(at) = location(sources, comment.span, None) {
                suppression["location"] = at;
            }
            suppression
        });
        result["suppressions"] = json!(comments.collect::<Vec<_>>());
    }
    if let Some(fix) = &finding.fix {
        let changes = fix.edits.iter().map(|(source, edits)| {
            let replacements = edits.iter().map(|edit| {
                let at = |offset: usize| {
                    sources.line_column(*source, u32::try_from(offset).unwrap_or(u32::MAX))
                };
                let (start, end) = (at(edit.offset), at(edit.offset + edit.length));
                json!({
                    "deletedRegion": {
                        "startLine": start.0,
                        "startColumn": start.1,
                        "endLine": end.0,
                        "endColumn": end.1,
                    },
                    "insertedContent": { "text": edit.text },
                })
            });
            json!({
                "artifactLocation": artifact(sources, *source),
                "replacements": replacements.collect::<Vec<_>>(),
            })
        });
        result["fixes"] = json!([{
            "description": { "text": fix.description },
            "artifactChanges": changes.collect::<Vec<_>>(),
        }]);
    }
    result
}

fn location(sources: &Sources, span: Span, said: Option<&String>) -> Option<Value> {
    let source = span.source?;
    let (line, column) = sources.line_column(source, span.start);
    let (end_line, end_column) = sources.line_column(source, span.end.max(span.start));
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": artifact(sources, source),
        "region": {
            "startLine": line,
            "startColumn": column,
            "endLine": end_line,
            "endColumn": end_column,
        },
    } });
    if let Some(said) = said {
        location["message"] = json!({ "text": said });
    }
    Some(location)
}

/// Where a text is: a relative or absolute reference with everything escaped that has a meaning there.
fn artifact(sources: &Sources, source: SourceId) -> Value {
    let name = sources.name(source);
    let mut uri = String::new();
    if name.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/+=,@".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    json!({ "uri": uri })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document with findings that are identified by these.
    fn found(rule: &str, level: &str, identities: &[&str]) -> String {
        let results = identities.iter().map(|one| {
            json!({ "ruleId": rule, "ruleIndex": 0, "level": level, "partialFingerprints": { FINGERPRINT: one } })
        });
        let driver = json!({ "name": "Fencewright", "rules": [{ "id": rule }] });
        let run = json!({ "tool": { "driver": driver }, "results": results.collect::<Vec<_>>() });
        json!({ "version": "2.1.0", "runs": [run] }).to_string()
    }

    #[test]
    fn findings_of_several_programs_share_their_rules() {
        let all = merged(&[
            found("not-robust", "error", &["a"]),
            found("undecided", "warning", &["b"]),
            found("not-robust", "error", &["c"]),
        ]);
        let all: Value = serde_json::from_str(&all).unwrap();
        assert_eq!(all["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        let results = all["runs"][0]["results"].as_array().unwrap();
        let indices: Vec<&Value> = results.iter().map(|result| &result["ruleIndex"]).collect();
        assert_eq!(indices, [&json!(0), &json!(1), &json!(0)]);
    }

    #[test]
    fn only_what_was_not_there_is_new() {
        let before = found("not-robust", "error", &["a", "b"]);
        let check = |now: &str, expected| {
            let Compared { known, new_errors, new_warnings, .. } = compared(now, &before).unwrap();
            assert_eq!((known, new_errors, new_warnings), expected);
        };
        check(&found("not-robust", "error", &["a"]), (1, 0, 0));
        check(&found("not-robust", "error", &["b", "c", "a"]), (2, 1, 0));
        // Two of a kind where there was one.
        check(&found("not-robust", "error", &["a", "a"]), (1, 1, 0));
        check(&found("undecided", "warning", &["d"]), (0, 0, 1));
        check(&found("more-than-needed", "note", &["e"]), (0, 0, 0));
        assert!(compared(&before, "{}").is_err());
        assert!(compared(&before, "no").is_err());
    }
}
