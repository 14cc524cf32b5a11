//! What decisions cost: integers from 1 to [`MAX_COST`].
//!
//! A cost function of ESOP'13 (§7) is strictly positive. With cost 1 everywhere the number of changes
//! of the text is minimal; with the frequency of execution the time spent in fences is. The frequency
//! is measured in random runs under SC, or guessed from how deeply loops are nested.

use analysis::simulate;
use program::index::Idx;
use program::{
    Diagnostic, IndexVec, LabelId, Parameterised, Program, Sources, Span, Template, TemplateId,
};
use semantics::{Model, Move};

use crate::decision::Decision;
use program::Change;
use solver::MAX_COST;

/// How much more often a loop is executed than what is around it, as far as one can guess.
const PER_LOOP: u64 = 10;

/// Every decision costs 1.
pub fn uniform(decisions: &[Decision]) -> Vec<u64> {
    vec![1; decisions.len()]
}

/// Ten times as much for every loop around a place; the dearest place of a decision counts.
pub fn by_loops(program: &Program, decisions: &[Decision]) -> Vec<u64> {
    let depths = depths(program);
    let cost = |depth: u32| PER_LOOP.saturating_pow(depth).min(MAX_COST);
    decisions.iter().map(|decision| cost(loop_depth(program, &depths, decision))).collect()
}

/// How many loops the labels of each template are in.
pub(crate) type Depths = IndexVec<TemplateId, IndexVec<LabelId, u32>>;

/// How many loops each label is in.
pub(crate) fn depths(program: &Program) -> Depths {
    program.templates().iter().map(loop_depths).collect()
}

/// How many loops the deepest change of a decision is in.
pub(crate) fn loop_depth(program: &Program, depths: &Depths, decision: &Decision) -> u32 {
    let of_change = |(template, change): &(TemplateId, Change)| match change {
        Change::FenceBefore(label, _) => depths[*template][*label],
        Change::FenceAfter(edge, _) | Change::Become(edge, _) => {
            let edge = program.template(*template).edge(*edge);
            // It is in every loop that both ends are in.
            depths[*template][edge.from].min(depths[*template][edge.to])
        }
    };
    decision.changes.iter().map(of_change).max().unwrap_or_default()
}

/// How many loops a label is in: it is in one if it lies on a cycle, and in a further one if it still
/// does without the labels where the cycles of the first are entered.
fn loop_depths(template: &Template) -> IndexVec<LabelId, u32> {
    let mut depths: IndexVec<LabelId, u32> = template.labels().iter().map(|_| 0).collect();
    let mut removed: IndexVec<LabelId, bool> = template.labels().iter().map(|_| false).collect();
    loop {
        let components = components(template, &removed);
        let mut entered = Vec::new();
        for component in &components {
            let mut inside: IndexVec<LabelId, bool> =
                template.labels().iter().map(|_| false).collect();
            for label in component {
                depths[*label] += 1;
                inside[*label] = true;
            }
            let mut into = template
                .edges()
                .iter()
                .filter(|edge| inside[edge.to] && (!inside[edge.from] || removed[edge.from]));
            let first = into.next().map_or(component[0], |edge| edge.to);
            let first =
                if component.contains(&template.initial()) { template.initial() } else { first };
            entered.push(first);
        }
        if entered.is_empty() {
            return depths;
        }
        for label in entered {
            removed[label] = true;
        }
    }
}

/// The strongly connected components with a cycle, without the removed labels.
fn components(template: &Template, removed: &IndexVec<LabelId, bool>) -> Vec<Vec<LabelId>> {
    let successors = |label: usize| {
        let label = LabelId::new(label);
        if removed[label] {
            return Vec::new();
        }
        let to = template.outgoing(label).map(|edge| template.edge(edge).to);
        to.filter(|to| !removed[*to]).map(Idx::index).collect()
    };
    let found = program::loops::loops(template.labels().len(), successors).into_iter();
    let mut all: Vec<Vec<LabelId>> =
        found.map(|component| component.into_iter().map(LabelId::new).collect()).collect();
    for component in &mut all {
        component.sort_unstable();
    }
    all
}

/// How many random runs are made for a profile, and how long they are.
const RUNS: u64 = 20;
const STEPS: usize = 2000;

/// How often random runs under SC come to the places of a decision; 1 if they never do. The same seed
/// gives the same costs.
pub fn by_profile(
    program: &Program,
    decisions: &[Decision],
    seed: u64,
) -> Result<Vec<u64>, Parameterised> {
    let threads = program.threads()?;
    let mut executed: IndexVec<TemplateId, Vec<u64>> =
        program.templates().iter().map(|template| vec![0; template.edges().len()]).collect();
    for run in 0..RUNS {
        let execution = simulate(program, Model::Sc, seed.wrapping_add(run), STEPS)?;
        for step in execution.computation.steps {
            if let Move::Execute { thread, edge, .. } = step.taken {
                executed[threads[thread].template][edge.index()] += 1;
            }
        }
    }
    let of_change = |(template, change): &(TemplateId, Change)| match change {
        Change::FenceBefore(label, _) => {
            let leaving = program.template(*template).outgoing(*label);
            leaving.map(|edge| executed[*template][edge.index()]).sum::<u64>()
        }
        Change::FenceAfter(edge, _) | Change::Become(edge, _) => executed[*template][edge.index()],
    };
    let cost = |decision: &Decision| {
        decision.changes.iter().map(of_change).sum::<u64>().clamp(1, MAX_COST)
    };
    Ok(decisions.iter().map(cost).collect())
}

/// Costs by lines of the program's text, as a file gives them: on each line `LINE COST` or
/// `LINE:COLUMN COST` for what is on that line (in that column), or `* COST` for the rest, which costs
/// 1 otherwise; `#` begins a comment.
pub fn by_lines(
    sources: &Sources,
    prices: program::SourceId,
    decisions: &[Decision],
) -> Result<Vec<u64>, Vec<Diagnostic>> {
    let mut costs = vec![None; decisions.len()];
    let mut rest = 1;
    let mut errors = Vec::new();
    let mut begin = 0;
    for line in sources.text(prices).split_inclusive('\n') {
        let text = line.split('#').next().unwrap_or_default().trim_end();
        let span =
            Span::new(prices, begin + (text.len() - text.trim_start().len())..begin + text.len());
        begin += line.len();
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            [] => {}
            [place, cost] => match (Place::parse(place), parse_cost(cost)) {
                (Some(Place::Rest), Some(cost)) => rest = cost,
                (Some(Place::At(line, column)), Some(cost)) => {
                    let mut any = false;
                    for (decision, given) in decisions.iter().zip(&mut costs) {
                        if is_at(sources, decision, line, column) {
                            *given = Some(cost);
                            any = true;
                        }
                    }
                    if !any {
                        errors.push(
                            Diagnostic::new(span, format!("nothing can be changed at `{place}`"))
                                .help("`fencewright fence --list` shows where"),
                        );
                    }
                }
                (None, _) => errors.push(
                    Diagnostic::new(span, format!("`{place}` is not a place"))
                        .help("write `LINE`, `LINE:COLUMN`, or `*` for the rest"),
                ),
                (_, None) => errors.push(
                    Diagnostic::new(span, format!("`{cost}` is not a cost"))
                        .help(format!("costs are integers from 1 to {MAX_COST}")),
                ),
            },
            _ => errors.push(
                Diagnostic::new(span, "expected a place and a cost")
                    .help("for instance `12 5`: what is on line 12 costs 5"),
            ),
        }
    }
    if errors.is_empty() {
        Ok(costs.into_iter().map(|cost| cost.unwrap_or(rest)).collect())
    } else {
        Err(errors)
    }
}

enum Place {
    Rest,
    At(usize, Option<usize>),
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::Rest);
        }
        match text.split_once(':') {
            None => Some(Self::At(text.parse().ok()?, None)),
            Some((line, column)) => Some(Self::At(line.parse().ok()?, Some(column.parse().ok()?))),
        }
    }
}

fn parse_cost(text: &str) -> Option<u64> {
    text.parse().ok().filter(|cost| (1..=MAX_COST).contains(cost))
}

fn is_at(sources: &Sources, decision: &Decision, line: usize, column: Option<usize>) -> bool {
    let (source, offset) = match decision.point {
        Some(point) => (Some(point.source), point.offset),
        None => (decision.span.source, decision.span.start),
    };
    source.is_some_and(|source| {
        let at = sources.line_column(source, offset);
        at.0 == line && column.is_none_or(|column| at.1 == column)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::decision::{Positions, fences};

    fn costs(text: &str, cost: impl Fn(&Program, &[Decision]) -> Vec<u64>) -> Vec<(usize, u64)> {
        let mut sources = Sources::new();
        let source = sources.add("text.fw", text);
        let settings = frontend::Settings::default();
        let program = frontend::load(&sources, source, frontend::Language::Fw, &settings)
            .unwrap_or_else(|errors| panic!("{errors:#?}"));
        let decisions = fences(&program, Positions::AfterInstructions, true);
        let line = |decision: &Decision| {
            let point = decision.point.expect("a place in the text");
            sources.line_column(source, point.offset).0
        };
        let mut all: Vec<(usize, u64)> =
            decisions.iter().map(line).zip(cost(&program, &decisions)).collect();
        all.dedup();
        all
    }

    #[test]
    fn a_place_in_a_loop_in_a_loop_is_the_dearest() {
        let text = "shared x, y\nthread p {\nlocal r\nx = 1\nwhile r < 3 {\nx = 2\nloop {\ny = 3\nif y == 2 { break }\n}\nr = r + 1\n}\ny = 4\n}\n";
        let by_line: BTreeMap<usize, u64> = costs(text, by_loops).into_iter().collect();
        let at = |line: usize| by_line[&line];
        assert_eq!([at(4), at(6), at(8), at(11), at(13)], [1, 10, 100, 10, 1], "{by_line:?}");
    }

    #[test]
    fn a_profile_counts_executions_and_is_never_zero() {
        let text = "shared x\nthread p {\nlocal r\nwhile r < 7 {\nr = r + 1\nx = r\n}\nif r == 3 {\nx = 5\n}\nx = 9\n}\n";
        let profile = |program: &Program, decisions: &[Decision]| {
            by_profile(program, decisions, 1).expect("a definite program")
        };
        let by_line: BTreeMap<usize, u64> = costs(text, profile).into_iter().collect();
        assert_eq!((by_line[&6], by_line[&9], by_line[&11]), (7 * RUNS, 1, RUNS), "{by_line:?}");
    }
}
