//! Hitting sets made smaller before they are solved.
//!
//! Until nothing changes: a row that contains another is dropped; a column is dropped if another that
//! costs no more is in all of its rows. What is left falls into components that share no column. Rows of
//! fences are nearly intervals of program order, and of thousands of them few are left.

use std::time::Duration;

use web_time::Instant;

/// A set of least cost that hits all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    /// The columns, in ascending order.
    pub columns: Vec<usize>,
    /// Whether no cheaper set does.
    pub is_optimal: bool,
}

/// A set of columns of least cost that has one in each row; the best that was found if it is not known
/// to be the cheapest by the deadline. Nothing if a row is empty.
pub fn cheapest_cover(
    costs: &[u64],
    rows: &[Vec<usize>],
    deadline: Option<Instant>,
) -> Option<Cover> {
    let rows = reduced(costs, rows)?;
    let mut cover = Cover { columns: Vec::new(), is_optimal: true };
    for component in components(&rows, costs.len()) {
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let (columns, is_optimal) = solved(costs, &component, left);
        cover.columns.extend(columns);
        cover.is_optimal &= is_optimal;
    }
    cover.columns.sort_unstable();
    Some(cover)
}

/// The rows that are left, each with ascending columns; nothing if one is empty.
fn reduced(costs: &[u64], rows: &[Vec<usize>]) -> Option<Vec<Vec<usize>>> {
    let mut rows: Vec<Vec<usize>> = rows.to_vec();
    for row in &mut rows {
        row.sort_unstable();
        row.dedup();
        if row.is_empty() {
            return None;
        }
    }
    loop {
        let before: usize = rows.iter().map(Vec::len).sum();
        rows = minimal(rows, costs.len());
        drop_columns(&mut rows, costs);
        if rows.iter().map(Vec::len).sum::<usize>() == before {
            return Some(rows);
        }
    }
}

/// The rows that contain no other row, each once.
fn minimal(mut rows: Vec<Vec<usize>>, columns: usize) -> Vec<Vec<usize>> {
    rows.sort_unstable_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    rows.dedup();
    let mut kept: Vec<Vec<usize>> = Vec::new();
    let mut with_column: Vec<Vec<usize>> = vec![Vec::new(); columns];
    let mut common: Vec<(usize, usize)> = Vec::new();
    for (number, row) in rows.into_iter().enumerate() {
        common.resize(kept.len(), (usize::MAX, 0));
        let contains_another = row.iter().any(|column| {
            with_column[*column].iter().any(|other| {
                let entry = &mut common[*other];
                *entry = if entry.0 == number { (number, entry.1 + 1) } else { (number, 1) };
                entry.1 == kept[*other].len()
            })
        });
        if !contains_another {
            for column in &row {
                with_column[*column].push(kept.len());
            }
            kept.push(row);
        }
    }
    kept
}

/// Drops columns that others make superfluous.
fn drop_columns(rows: &mut [Vec<usize>], costs: &[u64]) {
    let mut of_column: Vec<Vec<usize>> = vec![Vec::new(); costs.len()];
    for (number, row) in rows.iter().enumerate() {
        for column in row {
            of_column[*column].push(number);
        }
    }
    let mut is_dropped = vec![false; costs.len()];
    for column in 0..costs.len() {
        let Some(first) = of_column[column].first() else { continue };
        is_dropped[column] = rows[*first].iter().any(|other| {
            let is_better = *other != column
                && !is_dropped[*other]
                && costs[*other] <= costs[column]
                && is_subset(&of_column[column], &of_column[*other]);
            // Of equal ones the first stays.
            let is_equal = costs[*other] == costs[column]
                && of_column[column].len() == of_column[*other].len();
            is_better && (!is_equal || *other < column)
        });
    }
    for row in rows {
        row.retain(|column| !is_dropped[*column]);
    }
}

/// Whether all of the first are among the second, both ascending.
fn is_subset(some: &[usize], all: &[usize]) -> bool {
    let mut all = all.iter();
    some.iter().all(|one| all.by_ref().find(|other| *other >= one) == Some(one))
}

/// Rows by the columns they share, directly or by way of others.
fn components(rows: &[Vec<usize>], columns: usize) -> Vec<Vec<Vec<usize>>> {
    fn root(parents: &mut [usize], column: usize) -> usize {
        let mut at = column;
        while parents[at] != at {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    }
    let mut parents: Vec<usize> = (0..columns).collect();
    for row in rows {
        for pair in row.windows(2) {
            let (one, other) = (root(&mut parents, pair[0]), root(&mut parents, pair[1]));
            parents[one] = other;
        }
    }
    let mut numbers: std::collections::BTreeMap<usize, usize> = std::collections::BTreeMap::new();
    let mut all: Vec<Vec<Vec<usize>>> = Vec::new();
    for row in rows {
        let root = root(&mut parents, row[0]);
        let next = all.len();
        let number = *numbers.entry(root).or_insert(next);
        if number == next {
            all.push(Vec::new());
        }
        all[number].push(row.clone());
    }
    all
}

/// The cheapest columns of one component, and whether they are known to be.
fn solved(costs: &[u64], rows: &[Vec<usize>], time: Option<Duration>) -> (Vec<usize>, bool) {
    if let [row] = rows {
        let cheapest = row.iter().min_by_key(|column| (costs[**column], **column));
        return (cheapest.copied().into_iter().collect(), true);
    }
    if time.is_some_and(|left| left.is_zero()) {
        return (greedy(costs, rows), false);
    }
    match crate::program::hitting_set(costs, rows, time) {
        Some(columns) => (columns, true),
        None => (greedy(costs, rows), false),
    }
}

/// A set that is cheap, without those that turn out superfluous.
fn greedy(costs: &[u64], rows: &[Vec<usize>]) -> Vec<usize> {
    let mut left: Vec<&Vec<usize>> = rows.iter().collect();
    let mut chosen: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let mut hits: std::collections::BTreeMap<usize, u64> = std::collections::BTreeMap::new();
        for column in left.iter().copied().flatten() {
            *hits.entry(*column).or_default() += 1;
        }
        // The least cost per row that is hit, compared without division.
        let best = hits.iter().min_by(|(one, ones), (other, others)| {
            (costs[**one] * **others).cmp(&(costs[**other] * **ones))
        });
        let Some((best, _)) = best else { break };
        chosen.push(*best);
        left.retain(|row| !row.contains(best));
    }
    let mut at = chosen.len();
    while at > 0 {
        at -= 1;
        let is_superfluous = rows
            .iter()
            .all(|row| row.iter().any(|column| *column != chosen[at] && chosen.contains(column)));
        if is_superfluous {
            chosen.remove(at);
        }
    }
    chosen
}
