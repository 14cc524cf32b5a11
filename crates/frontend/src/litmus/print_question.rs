//! Printing what a program asks about its final states.

use std::fmt::Write;

use program::{
    Diagnostic, Diagnostics, Observable, Proposition, Quantifier, RegisterId, Span, Value,
};

use super::print::Printer;

impl Printer<'_> {
    pub(super) fn question(&self, text: &mut String, errors: &mut Diagnostics) {
        let question = self.program.question();
        let mut observed = question.observed.clone();
        if self.lists_everything() {
            observed = self.everything();
        }
        if !observed.is_empty() {
            let places: Vec<String> =
                observed.iter().map(|seen| self.observable(*seen, errors) + ";").collect();
            let _ = writeln!(text, "locations [{}]", places.join(" "));
        }
        if let Some(filter) = &question.filter {
            let _ = writeln!(text, "filter ({})", self.proposition(filter, 0, errors));
        }
        if let Some((quantifier, proposition)) = &question.condition {
            let quantifier = match quantifier {
                Quantifier::Exists => "exists",
                Quantifier::Never => "~exists",
                Quantifier::Always => "forall",
            };
            let _ = writeln!(text, "{quantifier} ({})", self.proposition(proposition, 0, errors));
        } else if observed.is_empty() && question.filter.is_none() {
            // There is nothing to see, but a test has to end with something.
            text.push_str("exists (true)\n");
        }
    }

    /// Whether the program does not say what is to be seen.
    pub(super) fn lists_everything(&self) -> bool {
        let question = self.program.question();
        question.observed.is_empty() && question.condition.is_none()
    }

    /// Every register and every cell: what a program that asks nothing shows.
    fn everything(&self) -> Vec<Observable> {
        let mut all = Vec::new();
        for (template, data) in self.program.templates().enumerate() {
            for copy in self.copies(template) {
                let shown =
                    |register: &RegisterId| self.listing.registers[template][*register].is_some();
                let registers = data.registers().indices().filter(shown);
                all.extend(registers.map(|register| Observable::Register {
                    template,
                    copy,
                    register,
                }));
            }
        }
        for location in self.program.memory().locations() {
            let cells = 0..Value::from(location.cells());
            let address = |index| location.base + index * Value::from(location.stride);
            all.extend(cells.map(address).map(Observable::Cell));
        }
        all
    }

    fn observable(&self, observable: Observable, errors: &mut Diagnostics) -> String {
        match observable {
            Observable::Across(address, _) => {
                let message = format!("the cells at {address} have no name together");
                errors.push(Diagnostic::new(Span::NONE, message));
                String::new()
            }
            Observable::Cell(address) => {
                let Some((id, index)) = self.program.memory().place(address) else {
                    let message = format!("the undeclared cell at {address} has no name");
                    errors.push(Diagnostic::new(Span::NONE, message));
                    return String::new();
                };
                match self.program.memory().location(id).length {
                    Some(_) => format!("{}[{index}]", self.locations[id]),
                    None => self.locations[id].clone(),
                }
            }
            Observable::Register { template, copy, register } => {
                let Some(name) = &self.listing.registers[template][register] else {
                    let name = &self.program.template(template).registers()[register].name;
                    let message = format!("register `{name}` is not one of the machine");
                    let span = self.program.template(template).span();
                    errors.push(Diagnostic::new(span, message));
                    return String::new();
                };
                format!("{}:{name}", self.numbers[template] + copy)
            }
        }
    }

    /// A proposition where nothing binds looser than `loosest`; see [`super::parse_condition`].
    fn proposition(
        &self,
        proposition: &Proposition,
        loosest: u8,
        errors: &mut Diagnostics,
    ) -> String {
        let (tightness, text) = match proposition {
            Proposition::Constant(truth) => (4, truth.to_string()),
            Proposition::Equals(observable, value) => {
                let bits = self.observable_bits(*observable);
                let value = self.value(*value, bits);
                (4, format!("{}={value}", self.observable(*observable, errors)))
            }
            Proposition::Not(inner) => (3, format!("~({})", self.proposition(inner, 0, errors))),
            Proposition::Implies(left, right) => (
                2,
                format!(
                    "{} => {}",
                    self.proposition(left, 3, errors),
                    self.proposition(right, 2, errors)
                ),
            ),
            Proposition::And(left, right) => (
                1,
                format!(
                    "{} /\\ {}",
                    self.proposition(left, 1, errors),
                    self.proposition(right, 2, errors)
                ),
            ),
            Proposition::Or(left, right) => (
                0,
                format!(
                    "{} \\/ {}",
                    self.proposition(left, 0, errors),
                    self.proposition(right, 1, errors)
                ),
            ),
        };
        if tightness < loosest { format!("({text})") } else { text }
    }

    fn observable_bits(&self, observable: Observable) -> u8 {
        let domain = match observable {
            Observable::Cell(address) => {
                self.program.memory().cell(address).ok().map(|cell| cell.domain)
            }
            Observable::Across(_, int) => Some(program::Domain::Wrapping(int)),
            Observable::Register { template, register, .. } => {
                Some(self.program.template(template).registers()[register].domain)
            }
        };
        domain.map_or(64, |domain| self.form.width(domain))
    }
}
