//! Places in memory. Each declared location is a Promela variable or array of its own, and so is
//! each undeclared cell of flat memory that an address can reach. An access by name is an access
//! to that variable; one to a computed address goes through a case distinction over all cells that
//! the address can be that of.

use std::collections::{BTreeMap, BTreeSet};

use program::index::Idx;
use program::{AccessWidth, Domain, Expr, IndexVec, LocationId, Memory, Outside, Value};

use super::term::{Check, Leaves, NoTerm, Term, literal};
use super::values::{MAX, Values};

/// How many undeclared cells flat memory may need.
pub(super) const MAX_UNDECLARED: usize = 256;

/// The variables that stand for memory.
pub(super) struct Cells {
    pub(super) declared: IndexVec<LocationId, String>,
    pub(super) undeclared: BTreeMap<Value, String>,
}

/// One variable that an access may be to.
pub(super) struct Candidate {
    /// When it is, unless it always is.
    pub(super) when: Option<String>,
    pub(super) variable: String,
    pub(super) domain: Domain,
}

/// Where an access goes.
pub(super) struct Place {
    /// The address as a value; only exclusive accesses need it.
    pub(super) address: Result<Term, NoTerm>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) checks: Vec<Check>,
}

impl Place {
    /// What is read there.
    pub(super) fn read(&self, held: &Values) -> Term {
        let mut text = "0".to_owned();
        for candidate in self.candidates.iter().rev() {
            text = match &candidate.when {
                None => candidate.variable.clone(),
                Some(when) => format!("({when} -> {} : {text})", candidate.variable),
            };
        }
        Term::variable(text, held.clone())
    }
}

/// The place that an instruction accesses.
pub(super) fn place(
    address: &Expr,
    width: AccessWidth,
    leaves: &Leaves<'_>,
    cells: &Cells,
) -> Result<Place, NoTerm> {
    let term = leaves.term(address);
    if let Expr::Element(location, index) = address {
        let index = leaves.index(*location, index)?;
        let declared = leaves.memory.location(*location);
        let name = &cells.declared[*location];
        let variable = match declared.length {
            None => name.clone(),
            Some(_) => format!("{name}[{}]", index.text),
        };
        let candidate = Candidate { when: None, variable, domain: declared.domain };
        let mut checks = index.checks;
        checks.extend(width_check(&candidate, width));
        return Ok(Place { address: term, candidates: vec![candidate], checks });
    }
    let address = term?;
    let candidates = candidates(&address, leaves.memory, cells);
    let mut checks = address.checks.clone();
    if !candidates.iter().any(|candidate| candidate.when.is_none()) {
        let hit: Vec<&str> =
            candidates.iter().filter_map(|candidate| candidate.when.as_deref()).collect();
        let hit = if hit.is_empty() { "false".to_owned() } else { hit.join(" || ") };
        if leaves.memory.outside() == Outside::Fault {
            checks.push(Check { condition: hit, limit: false });
        }
    }
    for candidate in &candidates {
        checks.extend(width_check(candidate, width));
    }
    Ok(Place { address: Ok(address), candidates, checks })
}

fn width_check(candidate: &Candidate, width: AccessWidth) -> Option<Check> {
    let (AccessWidth::Bytes(bytes), Domain::Wrapping(int)) = (width, candidate.domain) else {
        return None;
    };
    (u32::from(bytes) * 8 != u32::from(int.bits())).then(|| Check {
        condition: candidate.when.as_ref().map_or("false".to_owned(), |when| format!("!({when})")),
        limit: false,
    })
}

fn candidates(address: &Term, memory: &Memory, cells: &Cells) -> Vec<Candidate> {
    let at = &address.text;
    if let Some([only]) = address.values.list(1).as_deref() {
        let Some((variable, domain)) = cells.at(memory, *only) else { return Vec::new() };
        return vec![Candidate { when: None, variable, domain }];
    }
    let (low, high) = address.values.bounds().unwrap_or((0, 0));
    let mut found = Vec::new();
    for (id, location) in memory.locations().enumerate() {
        let last =
            location.base + (Value::from(location.cells()) - 1) * Value::from(location.stride);
        if last < low || high < location.base {
            continue;
        }
        let (name, base, stride) = (&cells.declared[id], literal(location.base), location.stride);
        let inside = format!("{at} >= {base} && {at} <= {}", literal(last.min(MAX)));
        let offset = format!("({at} - {base})");
        let (when, variable) = match (location.length, stride) {
            (None, _) => (format!("{at} == {base}"), name.clone()),
            (Some(_), 1) => (inside, format!("{name}[{offset}]")),
            (Some(_), _) => (
                format!("{inside} && {offset} % {stride} == 0"),
                format!("{name}[{offset} / {stride}]"),
            ),
        };
        found.push(Candidate {
            when: Some(format!("({when})")),
            variable,
            domain: location.domain,
        });
    }
    for (cell, variable) in cells.undeclared.range(low..=high.max(low)) {
        if address.values.may_be(*cell) {
            found.push(Candidate {
                when: Some(format!("({at} == {})", literal(*cell))),
                variable: variable.clone(),
                domain: Domain::Integer,
            });
        }
    }
    found
}

/// The addresses of undeclared cells that an access in flat memory can reach, if they are few.
pub(super) fn undeclared(address: &Expr, leaves: &Leaves<'_>) -> Option<BTreeSet<Value>> {
    if leaves.memory.outside() == Outside::Fault || matches!(address, Expr::Element(..)) {
        return Some(BTreeSet::new());
    }
    // An address without text is reported where it is printed.
    let Ok(term) = leaves.term(address) else { return Some(BTreeSet::new()) };
    let is_undeclared = |address: &Value| leaves.memory.place(*address).is_none();
    Some(term.values.list(MAX_UNDECLARED)?.into_iter().filter(is_undeclared).collect())
}

/// The name of an undeclared cell.
pub(super) fn cell_name(address: Value) -> String {
    let sign = if address < 0 { "minus_" } else { "" };
    format!("mem_{sign}{}", address.unsigned_abs())
}

/// The variables of a program's memory with these names and undeclared cells.
pub(super) fn cells(
    memory: &Memory,
    undeclared: &BTreeSet<Value>,
    name: &mut impl FnMut(&str) -> String,
) -> Cells {
    let declared = (0..memory.locations().len())
        .map(|number| name(&memory.location(LocationId::new(number)).name))
        .collect();
    let undeclared =
        undeclared.iter().map(|address| (*address, name(&cell_name(*address)))).collect();
    Cells { declared, undeclared }
}
