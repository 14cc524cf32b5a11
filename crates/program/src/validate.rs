//! What makes a program valid. Checked whenever a program is built, and again after each
//! transformation in debug builds.

use std::collections::BTreeSet;

use crate::condition::Proposition;
use crate::expr::Expr;
use crate::instruction::{Access, AccessWidth, Instruction, Order, Update};
use crate::memory::{Initial, Location};
use crate::source::Span;
use crate::template::{Count, Edge, Template};
use crate::value::{Domain, Value, is_at_rest};
use crate::whole::Program;

/// Something that makes a program invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// What is wrong, in the words of the program.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// The greatest number of cells of one location.
pub const MAX_CELLS: u64 = 1 << 32;
/// The greatest distance between neighbouring cells of one location.
pub const MAX_STRIDE: u64 = 1 << 24;

impl Program {
    /// Everything that is wrong with this program; nothing for a valid one.
    pub fn validate(&self) -> Vec<Defect> {
        let mut defects = Defects(Vec::new());
        self.validate_memory(&mut defects);
        let mut names = BTreeSet::new();
        let mut threads = 0_u64;
        for template in self.templates() {
            defects.unless(names.insert(template.name()), template.span(), || {
                format!("there are two threads named `{}`", template.name())
            });
            if let Count::Exactly(count) = template.count() {
                threads += u64::from(count);
                defects.unless(threads <= u64::from(Self::MAX_THREADS), template.span(), || {
                    format!("there are {threads} threads; at most {} fit", Self::MAX_THREADS)
                });
            }
            self.validate_template(template, &mut defects);
        }
        // What a question mentions can be looked up only where memory and threads make sense.
        if defects.0.is_empty() {
            self.validate_question(&mut defects);
            defects.0.extend(crate::identities::names(self).err().unwrap_or_default());
        }
        defects.0
    }

    fn validate_question(&self, defects: &mut Defects) {
        for observable in self.question().observables() {
            let exists = observable.exists_in(self);
            defects.unless(exists, Span::NONE, || {
                format!("the final condition mentions {observable:?}, which does not exist")
            });
        }
        if let Some(forbidden) = &self.question().forbidden {
            let missing = forbidden.missing_in(self);
            defects.unless(missing.is_none(), Span::NONE, || {
                format!("what is forbidden mentions {missing:?}, which does not exist")
            });
        }
        for proposition in self.question().propositions() {
            defects.unless(proposition.depth() <= Proposition::MAX_DEPTH, Span::NONE, || {
                format!("the condition is nested more than {} deep", Proposition::MAX_DEPTH)
            });
        }
    }

    fn validate_memory(&self, defects: &mut Defects) {
        let mut names = BTreeSet::new();
        for location in self.memory().locations() {
            defects.unless(names.insert(&location.name), location.span, || {
                format!("there are two locations named `{}`", location.name)
            });
            validate_location(location, defects);
        }
        if !defects.0.is_empty() {
            return;
        }
        // By increasing base, only neighbours that reach into each other can share a cell.
        let mut sorted: Vec<&Location> = self.memory().locations().iter().collect();
        sorted.sort_by_key(|location| location.base);
        for (number, left) in sorted.iter().enumerate() {
            for right in &sorted[number + 1..] {
                if right.base > left.last_address() {
                    break;
                }
                defects.unless(!share_a_cell(left, right), right.span, || {
                    format!("`{}` and `{}` share a memory cell", left.name, right.name)
                });
            }
        }
    }

    fn validate_template(&self, template: &Template, defects: &mut Defects) {
        let span = template.span();
        let name = template.name();
        defects.unless(!name.is_empty(), span, || "a thread has no name".to_owned());
        let mut names = BTreeSet::new();
        for register in template.registers() {
            defects.unless(names.insert(&register.name), span, || {
                format!("thread `{name}` has two registers named `{}`", register.name)
            });
            validate_domain(register.domain, &register.name, span, defects);
            defects.unless(register.domain.contains(register.initial), span, || {
                format!("register `{}` cannot hold {}", register.name, register.initial)
            });
        }
        let mut names = BTreeSet::new();
        for label in template.labels() {
            defects.unless(names.insert(&label.name), label.span, || {
                format!("thread `{name}` has two labels named `{}`", label.name)
            });
        }
        if let Some(identity) = template.identity() {
            // Of any number as many as there can be.
            let count = match template.count() {
                Count::Exactly(count) => count,
                Count::Any => Self::MAX_THREADS,
            };
            let known = template.registers().get(identity.register);
            defects.unless(known.is_some(), span, || "an identity without register".to_owned());
            let plain = known
                .is_none_or(|register| register.domain == Domain::Integer && register.initial == 0);
            defects.unless(plain, span, || "an identity is an undeclared integer".to_owned());
            let fits = Domain::Integer.contains(identity.first)
                && Domain::Integer.contains(identity.of(count));
            defects.unless(fits, span, || format!("an identity of `{name}` does not fit"));
        }
        defects.unless(template.labels().get(template.initial()).is_some(), span, || {
            format!("thread `{name}` starts nowhere")
        });
        for edge in template.edges() {
            self.validate_edge(template, edge, defects);
        }
        for (message, span) in crate::operation::problems(template) {
            defects.add(span, message);
        }
    }

    fn validate_edge(&self, template: &Template, edge: &Edge, defects: &mut Defects) {
        for expr in edge.instruction.expressions() {
            defects.unless(expr.depth() <= Expr::MAX_DEPTH, edge.span, || {
                format!("an expression is nested more than {} deep", Expr::MAX_DEPTH)
            });
            expr.visit(&mut |part| {
                let known = match part {
                    Expr::Const(value) => is_at_rest(*value),
                    Expr::Register(register) => template.registers().get(*register).is_some(),
                    // A scalar has no index other than 0.
                    Expr::Element(location, index) => {
                        self.memory().locations().get(*location).is_some_and(|location| {
                            location.length.is_some() || **index == Expr::Const(0)
                        })
                    }
                    Expr::Unary(..) | Expr::Binary(..) | Expr::Select(_) | Expr::Cast(..) => true,
                };
                defects.unless(known, edge.span, || format!("{part:?} is not of this program"));
            });
        }
        if let Some(register) = edge.instruction.written_register() {
            defects.unless(template.registers().get(register).is_some(), edge.span, || {
                format!("{register:?} is not a register of `{}`", template.name())
            });
            let identity = template.identity().map(|identity| identity.register);
            defects.unless(identity != Some(register), edge.span, || {
                "the identity of a thread cannot be assigned".to_owned()
            });
        }
        if let Instruction::Update {
            result: Some(_),
            update: Update::BlockingReadWrite { .. },
            ..
        } = edge.instruction
        {
            defects.add(edge.span, "a blocking read-write has no result".to_owned());
        }
        if let Instruction::Choose { low, high, .. } = edge.instruction {
            defects.unless(low <= high && is_at_rest(low) && is_at_rest(high), edge.span, || {
                format!("there is no value to choose from {low}..={high}")
            });
        }
        for problem in access_problems(&edge.instruction) {
            defects.add(edge.span, problem);
        }
    }
}

struct Defects(Vec<Defect>);

impl Defects {
    fn add(&mut self, span: Span, message: String) {
        self.0.push(Defect { message, span });
    }

    fn unless(&mut self, fine: bool, span: Span, message: impl FnOnce() -> String) {
        if !fine {
            self.add(span, message());
        }
    }
}

fn validate_location(location: &Location, defects: &mut Defects) {
    let name = &location.name;
    let span = location.span;
    let cells = location.cells();
    defects.unless((1..=MAX_CELLS).contains(&cells), span, || {
        format!("`{name}` has {cells} elements; 1 to {MAX_CELLS} are possible")
    });
    defects.unless((1..=MAX_STRIDE).contains(&location.stride), span, || {
        format!("the elements of `{name}` are {} apart", location.stride)
    });
    let divides = location.parts > 0 && cells.is_multiple_of(location.parts.into());
    defects.unless(divides, span, || {
        format!("`{name}` has {cells} cells, which are no elements of {}", location.parts)
    });
    validate_domain(location.domain, name, span, defects);
    let values = match &location.initial {
        Initial::Uniform(value) => std::slice::from_ref(value),
        Initial::Each(values) => {
            defects.unless(u64::try_from(values.len()) == Ok(cells), span, || {
                format!("`{name}` has {cells} elements but {} initial values", values.len())
            });
            values
        }
    };
    for value in values {
        defects.unless(location.domain.contains(*value), span, || {
            format!("`{name}` cannot hold its initial value {value}")
        });
    }
    let first = Domain::Integer.contains(location.base);
    let last = cells <= MAX_CELLS
        && location.stride <= MAX_STRIDE
        && Domain::Integer.contains(location.last_address());
    defects.unless(first && last, span, || format!("`{name}` does not fit into the address space"));
}

fn validate_domain(domain: Domain, name: &str, span: Span, defects: &mut Defects) {
    if let Domain::Range { low, high } = domain {
        defects.unless(low <= high && is_at_rest(low) && is_at_rest(high), span, || {
            format!("`{name}` cannot have the range {low}..={high}")
        });
    }
}

/// Whether two locations have a cell in common: whether two arithmetic progressions meet. They
/// meet, if at all, within one period of the right stride counted in steps of the left one.
fn share_a_cell(left: &Location, right: &Location) -> bool {
    let stride = Value::from(left.stride);
    let end = left.last_address().min(right.last_address());
    let from = left.base.max(right.base);
    let first = left.base + (from - left.base + stride - 1) / stride * stride;
    (0..Value::from(right.stride))
        .map(|step| first + step * stride)
        .take_while(|address| *address <= end)
        .any(|address| right.index_of(address).is_some())
}

/// What is wrong with how an instruction accesses memory; nothing for a valid one.
pub fn access_problems(instruction: &Instruction) -> Vec<String> {
    use Order::{Acquire, AcquireRelease, Release};
    let Some((_, access)) = instruction.memory_access() else { return Vec::new() };
    let Access { order, width, exclusive, failure } = *access;
    let (kind, order_fits, exclusive_fits) = match instruction {
        // RISC-V has every order on its exclusive accesses.
        Instruction::Load { .. } if exclusive => ("exclusive load", true, true),
        Instruction::Load { .. } => ("load", !matches!(order, Release | AcquireRelease), true),
        Instruction::Store { .. } => {
            ("store", !matches!(order, Acquire | AcquireRelease), !exclusive)
        }
        Instruction::StoreExclusive { .. } => ("exclusive store", true, exclusive),
        Instruction::Update { .. } => ("atomic update", true, !exclusive),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => return Vec::new(),
    };
    let width_fits = match width {
        AccessWidth::Cell => true,
        AccessWidth::Bytes(bytes) => matches!(bytes, 1 | 2 | 4 | 8 | 16),
        AccessWidth::Across(int) => matches!(int.bits(), 8 | 16 | 32 | 64 | 128),
    };
    let problems = [
        (order_fits, format!("a {kind} cannot be {order}")),
        (exclusive_fits, format!("a {kind} cannot be exclusive")),
        (width_fits, format!("a {kind} covers 1, 2, 4, 8 or 16 bytes")),
    ];
    let problems = problems.into_iter().filter(|(fine, _)| !fine).map(|(_, problem)| problem);
    problems.chain(failure_problem(instruction, failure)).collect()
}

/// What is wrong with the order that an instruction has if it fails.
fn failure_problem(instruction: &Instruction, failure: Option<Order>) -> Option<String> {
    let failure = failure?;
    if !matches!(instruction, Instruction::Update { update: Update::CompareAndSwap { .. }, .. }) {
        return Some("only a compare-and-swap has an order for when it fails".to_owned());
    }
    match failure {
        Order::Relaxed | Order::Acquire | Order::SeqCst => None,
        Order::Plain | Order::Volatile | Order::Release | Order::AcquireRelease => {
            Some(format!("a compare-and-swap that fails cannot be {failure}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::ProgramBuilder;
    use crate::memory::Outside;

    fn check_locations(locations: Vec<Location>, expected: &[&str]) {
        let mut builder = ProgramBuilder::new("p", Outside::Fault);
        for location in locations {
            builder.location(location);
        }
        let defects = builder.build().err().unwrap_or_default();
        let messages: Vec<&str> = defects.iter().map(|defect| defect.message.as_str()).collect();
        assert_eq!(messages, expected);
    }

    fn array(name: &str, base: Value, length: u64, stride: u64) -> Location {
        Location { length: Some(length), stride, ..Location::scalar(name, base) }
    }

    #[test]
    fn locations_must_not_share_cells() {
        check_locations(vec![array("a", 0, 3, 8), array("b", 4, 3, 8)], &[]);
        check_locations(
            vec![array("a", 0, 3, 8), array("b", 16, 1, 1)],
            &["`a` and `b` share a memory cell"],
        );
        check_locations(
            vec![array("a", 0, 4, 6), array("b", 2, 3, 5)],
            &["`a` and `b` share a memory cell"],
        );
        check_locations(vec![array("a", 0, 2, 6), array("b", 2, 2, 5)], &[]);
    }

    #[test]
    fn locations_must_fit() {
        check_locations(
            vec![array("a", 0, 0, 1)],
            &["`a` has 0 elements; 1 to 4294967296 are possible"],
        );
        check_locations(
            vec![array("a", Value::from(i64::MAX), 2, 1)],
            &["`a` does not fit into the address space"],
        );
        check_locations(
            vec![Location { initial: Initial::Each(vec![1]), ..array("a", 0, 2, 1) }],
            &["`a` has 2 elements but 1 initial values"],
        );
        check_locations(
            vec![Location::scalar("x", 0), Location::scalar("x", 1)],
            &["there are two locations named `x`"],
        );
    }
}
