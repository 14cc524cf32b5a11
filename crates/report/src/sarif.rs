//! Findings as SARIF 2.1.0 (OASIS), which code hosts and editors show: results with rules, places, the run as a
//! code flow, and fixes.

use std::fmt::Write;

use program::{Program, SourceId, Sources, Span};
use serde_json::{Value, json};
use workspace::{CheckAnswer, CyclesAnswer, FenceAnswer, ReachAnswer};

use crate::findings::{Finding, Level, of_check, of_cycles, of_fence, of_reach};

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

fn document(sources: &Sources, findings: &[Finding]) -> String {
    let mut rules = Vec::new();
    for finding in findings {
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule);
        }
    }
    let described = rules
        .iter()
        .map(|rule| json!({ "id": rule.id(), "shortDescription": { "text": rule.meaning() } }));
    let driver = json!({
        "name": "Fencewright",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": described.collect::<Vec<_>>(),
    });
    let results = findings.iter().map(|finding| {
        let index = rules.iter().position(|rule| *rule == finding.rule).unwrap_or_default();
        result(sources, finding, index)
    });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            // Columns are counted in characters, as everywhere here.
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    });
    format!("{document}\n")
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
