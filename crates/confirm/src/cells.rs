//! The cells that a test has, numbered, and what they can hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use program::{Diagnostics, Domain, Expr, Memory, Outside, Program, Value};

use crate::expression::literal;
use crate::refusal::refused;

/// The greatest number of cells: each has a cache line in each run of a batch.
const MOST: u64 = 1 << 16;

/// The cells of a program in the order of their addresses.
pub(crate) struct Cells {
    numbers: BTreeMap<Value, usize>,
    domains: Domains,
}

/// What cells and registers can hold, numbered.
#[derive(Default)]
pub(crate) struct Domains(Vec<Domain>);

impl Domains {
    fn add(&mut self, domain: Domain) {
        if !self.0.contains(&domain) {
            self.0.push(domain);
        }
    }

    /// The number of a domain of the program.
    pub(crate) fn number(&self, domain: Domain) -> usize {
        self.0.iter().position(|one| *one == domain).expect("all domains of a program are numbered")
    }
}

impl Cells {
    /// All declared cells, and where every value is an address also those that the program names.
    pub(crate) fn new(program: &Program) -> Result<Self, Diagnostics> {
        if let Some(span) = program.access_across() {
            return Err(vec![refused(span, "this may access several cells at once")]);
        }
        let memory = program.memory();
        let mut domains = Domains::default();
        domains.add(Domain::Integer);
        let declared: u64 =
            memory.locations().iter().fold(0, |sum, one| sum.saturating_add(one.cells()));
        if declared > MOST {
            let largest = memory.locations().iter().max_by_key(|location| location.cells());
            let span = largest.map_or(program::Span::NONE, |location| location.span);
            let problem = refused(span, format!("memory has {declared} cells"));
            return Err(vec![problem.help(format!("a test has {MOST} at most; declare less"))]);
        }
        let mut addresses = BTreeSet::new();
        for location in memory.locations() {
            domains.add(location.domain);
            if !is_kept_in_a_cell(location.domain) {
                let why = "a cell of 64 bits cannot hold this range";
                return Err(vec![refused(location.span, why)]);
            }
            let at = |index| location.address(Value::from(index)).ok();
            addresses.extend((0..location.cells()).filter_map(at));
        }
        if memory.outside() == Outside::ZeroCell {
            addresses.extend(named_values(program));
        }
        for template in program.templates() {
            template.registers().iter().for_each(|register| domains.add(register.domain));
        }
        let numbers = addresses.into_iter().enumerate().map(|(number, at)| (at, number)).collect();
        Ok(Self { numbers, domains })
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) const fn domains(&self) -> &Domains {
        &self.domains
    }

    /// The number of the cell at an address.
    pub(crate) fn number(&self, address: Value) -> Option<usize> {
        self.numbers.get(&address).copied()
    }

    /// The addresses in the order of the numbers.
    pub(crate) fn addresses(&self) -> Vec<Value> {
        self.numbers.keys().copied().collect()
    }

    /// Tables of the cells, and functions that look into them.
    pub(crate) fn code(&self, memory: &Memory) -> String {
        let domain_of =
            |address: &Value| memory.cell(*address).map_or(Domain::Integer, |it| it.domain);
        let initial_of = |address: &Value| memory.cell(*address).map_or(0, |cell| cell.initial);
        let list = |of: &dyn Fn(&Value) -> String| {
            // C has no empty arrays.
            let all: Vec<String> = self.numbers.keys().map(of).chain(["0".to_owned()]).collect();
            all.join(", ")
        };
        let initial = list(&|address| format!("(uint64_t){}", literal(initial_of(address))));
        let domains = list(&|address| self.domains.number(domain_of(address)).to_string());
        let widths = list(&|address| match domain_of(address) {
            Domain::Wrapping(int) => int.bits().to_string(),
            Domain::Integer | Domain::Range { .. } => "0".to_owned(),
        });
        let mut text = format!(
            "static const uint64_t initial[] = {{{initial}}};\n\
             static const uint8_t domain_of[] __attribute__((unused)) = {{{domains}}};\n\
             static const uint8_t width_of[] __attribute__((unused)) = {{{widths}}};\n\n"
        );
        text.push_str(&self.admission());
        text.push_str(&self.search(memory));
        text
    }

    /// What comes to rest where.
    fn admission(&self) -> String {
        let (mut admit, mut value) = (String::new(), String::new());
        for (number, domain) in self.domains.0.iter().enumerate() {
            let (low, high) = domain.bounds();
            let check = |end: &str| {
                let (low, high) = (literal(low), literal(high));
                format!("if (value < {low} || value > {high}) return {end}; *held = value; break;")
            };
            let arm = match domain {
                Domain::Integer => check("LIMIT"),
                Domain::Range { .. } => check("FAULT"),
                Domain::Wrapping(int) => {
                    let (bits, signed) = (int.bits(), u8::from(int.signed()));
                    format!("*held = wrapped(value, {bits}, {signed}); break;")
                }
            };
            let _ = writeln!(admit, "    case {number}: {arm}");
            let read = if low < 0 { "(Value)(int64_t)content" } else { "(Value)content" };
            let _ = writeln!(value, "    case {number}: return {read};");
        }
        format!(
            "/* What a register or a cell holds after `value` is put in. */\n\
             INLINE int admit(int domain, Value value, Value *held) {{\n    switch (domain) {{\n\
             {admit}    }}\n    return ENDED;\n}}\n\n\
             INLINE Value value_of(int domain, uint64_t content) {{\n    switch (domain) {{\n\
             {value}    }}\n    return 0;\n}}\n\n"
        )
    }

    /// The cell at an address that is known only in a run.
    fn search(&self, memory: &Memory) -> String {
        let mut text = String::from(
            "/* The cell at an address: FAULT or LIMIT, negative, where there is none. */\n\
             static __attribute__((unused)) int cell_at(Value address) {\n",
        );
        for location in memory.locations() {
            let (base, last) = (literal(location.base), literal(location.last_address()));
            let stride = location.stride;
            let first = self.number(location.base).unwrap_or(0);
            let is_dense = (0..location.cells()).all(|index| {
                let address = location.address(Value::from(index)).ok();
                address.and_then(|address| self.number(address)).map(u64::try_from)
                    == Some(Ok(u64::try_from(first).unwrap_or(u64::MAX) + index))
            });
            let _ = writeln!(text, "    if (address >= {base} && address <= {last}) {{");
            if is_dense {
                let _ = writeln!(
                    text,
                    "        if ((address - {base}) % {stride} == 0)\n            \
                     return {first} + (int)((address - {base}) / {stride});"
                );
            } else {
                for index in 0..location.cells() {
                    let address = location.address(Value::from(index)).unwrap_or(0);
                    let number = self.number(address).unwrap_or(0);
                    let address = literal(address);
                    let _ = writeln!(text, "        if (address == {address}) return {number};");
                }
            }
            text.push_str("    }\n");
        }
        match memory.outside() {
            Outside::Fault => text.push_str("    return -FAULT;\n}\n\n"),
            Outside::ZeroCell => {
                for (address, number) in &self.numbers {
                    let address = literal(*address);
                    let _ = writeln!(text, "    if (address == {address}) return {number};");
                }
                text.push_str("    return -LIMIT;\n}\n\n");
            }
        }
        text
    }
}

/// Whether one kind of reading 64 bits gives back all values.
fn is_kept_in_a_cell(domain: Domain) -> bool {
    let (low, high) = domain.bounds();
    low >= 0 || high <= Value::from(i64::MAX)
}

/// The values that a program mentions, which it may use as addresses, and those its question asks of.
fn named_values(program: &Program) -> BTreeSet<Value> {
    let mut all = BTreeSet::new();
    let mut add = |value: Value| {
        if Domain::Integer.contains(value) {
            all.insert(value);
        }
    };
    for template in program.templates() {
        template.registers().iter().for_each(|register| add(register.initial));
        for edge in template.edges() {
            for operand in edge.instruction.operands() {
                operand.visit(&mut |part| {
                    if let Expr::Const(value) = part {
                        add(*value);
                    }
                });
            }
        }
    }
    for observable in program.question().observables() {
        match observable {
            program::Observable::Cell(address) | program::Observable::Across(address, _) => {
                add(address);
            }
            program::Observable::Register { .. } => {}
        }
    }
    all
}
