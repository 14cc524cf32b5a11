//! Whether a model can be asked about executions before these are complete.
//!
//! That is so if what it forbids stays forbidden with more `rf` and `co`, and with events added at the ends
//! of threads ([`Axioms::is_monotone`](crate::Axioms::is_monotone)). Here it is read off the text: all
//! checks forbid, none is negated, and what they speak of can only grow. Subtracting or complementing is
//! fine if what is subtracted says the same of two events for ever, as `W * R` does and `rf` does not.
//! Where that is not seen, the answer is no, which costs time and no more.

use std::collections::HashMap;
use std::sync::Arc;

use super::parser::Names;
use super::predefined;
use super::probe;
use super::syntax::{
    Binary, Binding, Check, Condition, Consequence, Expr, Function, Kind, Name, Pattern, Statement,
    Unary,
};
use super::value::Value;
use super::vocabulary::Vocabulary;
use crate::execution::Execution;

/// What becomes of a set or relation as an execution grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// It says the same of old events for ever, and leads from earlier events of a thread to later ones or
    /// to themselves, so that no path between old events goes through a new one.
    Forward,
    /// It says the same of old events for ever.
    Stable,
    /// It only grows.
    Growing,
    /// Nothing is known.
    Unknown,
}

use Class::{Forward, Growing, Stable, Unknown};

/// What an expression stands for.
#[derive(Clone)]
enum Meaning {
    Class(Class),
    Tuple(Vec<Meaning>),
    Function(Arc<Function>, Scope),
    /// `domain` and `range`.
    Ends,
}

/// What names mean.
#[derive(Clone, Default)]
struct Scope(Arc<HashMap<Name, Meaning>>);

impl Scope {
    fn with(&self, name: Option<Name>, meaning: Meaning) -> Self {
        let mut all = (*self.0).clone();
        if let Some(name) = name {
            all.insert(name, meaning);
        }
        Self(Arc::new(all))
    }
}

/// Whether a model is monotone, as far as can be seen.
pub(super) fn is_monotone(statements: &[Statement], names: &Names, vocabulary: Vocabulary) -> bool {
    let Some(example) = probe::probes().next() else { return false };
    let reader = Reader { names, vocabulary, example: example.execution };
    let mut scope = Scope::default();
    statements.iter().all(|statement| match reader.statement(statement, &scope) {
        Some(next) => {
            scope = next;
            true
        }
        None => false,
    })
}

struct Reader<'a> {
    names: &'a Names,
    vocabulary: Vocabulary,
    /// To see which names there are.
    example: Execution,
}

/// How deep functions are followed.
const DEEPEST: usize = 20;

impl Reader<'_> {
    /// What names mean after a statement, unless it may forbid what it does not forbid later.
    fn statement(&self, statement: &Statement, scope: &Scope) -> Option<Scope> {
        match statement {
            Statement::Let { recursive, bindings, while_it_holds, .. } => {
                let inner = self.bindings(*recursive, bindings, scope, 0);
                match while_it_holds {
                    None => Some(inner),
                    Some(check) => self.statement(&Statement::Check(check.clone()), &inner),
                }
            }
            Statement::Check(Check { consequence, negated, value, .. }) => {
                let is_fine = match consequence {
                    Consequence::Forbids => !negated && self.class(value, scope, 0) != Unknown,
                    Consequence::Flags | Consequence::Undefines => true,
                    Consequence::Asserts => false,
                };
                is_fine.then(|| scope.clone())
            }
            Statement::Procedure { .. } => Some(scope.clone()),
            Statement::Choose { name, set } => {
                // The order of an execution, which is what it is.
                let Kind::Apply(both) = &set.kind else { return None };
                let Kind::Name(function) = both[0].kind else { return None };
                let is_order =
                    self.names.text(function) == "generate_cos" && self.names.text(*name) == "co";
                is_order.then(|| scope.with(Some(*name), Meaning::Class(Growing)))
            }
            Statement::Call { .. }
            | Statement::ForAll { .. }
            | Statement::Match { .. }
            | Statement::Enumeration { .. } => None,
        }
    }

    fn bindings(
        &self,
        recursive: bool,
        bindings: &[Binding],
        scope: &Scope,
        depth: usize,
    ) -> Scope {
        let mut after = scope.clone();
        if !recursive {
            for Binding { pattern, value } in bindings {
                after = bind(pattern, self.meaning(value, scope, depth), &after);
            }
            return after;
        }
        // Least solutions of equations that only grow only grow.
        let assumed = bindings.iter().fold(scope.clone(), |scope, binding| {
            bind(&binding.pattern, Meaning::Class(Growing), &scope)
        });
        let grows = |binding: &Binding| self.class(&binding.value, &assumed, depth) != Unknown;
        let class = if bindings.iter().all(grows) { Growing } else { Unknown };
        for Binding { pattern, .. } in bindings {
            after = bind(pattern, Meaning::Class(class), &after);
        }
        after
    }

    fn class(&self, expr: &Expr, scope: &Scope, depth: usize) -> Class {
        match self.meaning(expr, scope, depth) {
            Meaning::Class(class) => class,
            Meaning::Tuple(_) | Meaning::Function(..) | Meaning::Ends => Unknown,
        }
    }

    fn meaning(&self, expr: &Expr, scope: &Scope, depth: usize) -> Meaning {
        if depth > DEEPEST {
            return Meaning::Class(Unknown);
        }
        let class = match &expr.kind {
            Kind::Name(name) => return self.name(*name, scope),
            Kind::EmptyRelation => Forward,
            // More events are more.
            Kind::Everything => Stable,
            Kind::Elements(elements) if elements.is_empty() => Forward,
            Kind::Elements(_) | Kind::Tag(_) | Kind::MatchTag { .. } | Kind::MatchSet(_) => Unknown,
            Kind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.meaning(part, scope, depth));
                return Meaning::Tuple(parts.collect());
            }
            Kind::Unary(operator, operand) => unary(*operator, self.class(operand, scope, depth)),
            Kind::Binary(operator, operands) => {
                let [left, right] = &**operands;
                let (left, right) =
                    (self.class(left, scope, depth), self.class(right, scope, depth));
                binary(*operator, left, right)
            }
            Kind::Apply(both) => {
                let [function, argument] = &**both;
                return match self.meaning(function, scope, depth) {
                    Meaning::Function(function, inner) => {
                        let argument = self.meaning(argument, scope, depth);
                        let inner = bind(&function.parameter, argument, &inner);
                        self.meaning(&function.body, &inner, depth + 1)
                    }
                    Meaning::Ends => {
                        let of = self.class(argument, scope, depth);
                        Meaning::Class(if of == Unknown { Unknown } else { Growing })
                    }
                    Meaning::Class(_) | Meaning::Tuple(_) => Meaning::Class(Unknown),
                };
            }
            Kind::Function(function) => {
                return Meaning::Function(Arc::clone(function), scope.clone());
            }
            Kind::Let { recursive, bindings, body } => {
                let inner = self.bindings(*recursive, bindings, scope, depth);
                return self.meaning(body, &inner, depth);
            }
            Kind::If(parts) => {
                let (condition, then, otherwise) = &**parts;
                return match condition {
                    Condition::Known(true) => self.meaning(then, scope, depth),
                    Condition::Known(false) => self.meaning(otherwise, scope, depth),
                    Condition::Equal(..) | Condition::Subset(..) | Condition::Member(..) => {
                        Meaning::Class(Unknown)
                    }
                };
            }
            Kind::Try(both) => {
                let [tried, otherwise] = &**both;
                let tried = if self.is_known(tried, scope) { tried } else { otherwise };
                return self.meaning(tried, scope, depth);
            }
        };
        Meaning::Class(class)
    }

    fn name(&self, name: Name, scope: &Scope) -> Meaning {
        if let Some(meaning) = scope.0.get(&name) {
            return meaning.clone();
        }
        let text = self.names.text(name);
        Meaning::Class(match text {
            "domain" | "range" => return Meaning::Ends,
            "rf" | "co" | "fr" | "com" | "rfi" | "rfe" | "coi" | "coe" | "fri" | "fre" => Growing,
            "FW" | "classes-loc" | "linearisations" => Unknown,
            "po" | "po-loc" | "id" | "addr" | "data" | "ctrl" | "rmw" | "amo" | "lxsx"
            | "iico_data" | "iico_ctrl" | "iico_order" | "pick-addr-dep" | "pick-data-dep"
            | "pick-ctrl-dep" => Forward,
            // Sets by what an event is, and relations by what two events are.
            _ => Stable,
        })
    }

    /// Whether all names of an expression mean something.
    fn is_known(&self, expr: &Expr, scope: &Scope) -> bool {
        match &expr.kind {
            Kind::Name(name) => {
                let text = self.names.text(*name);
                let defined: Option<Value> =
                    predefined::value(&self.example, self.vocabulary, text);
                scope.0.contains_key(name) || defined.is_some()
            }
            Kind::EmptyRelation | Kind::Everything | Kind::Tag(_) | Kind::Function(_) => true,
            Kind::Elements(parts) | Kind::Tuple(parts) => {
                parts.iter().all(|part| self.is_known(part, scope))
            }
            Kind::Unary(_, operand) => self.is_known(operand, scope),
            Kind::Binary(_, operands) | Kind::Apply(operands) => {
                operands.iter().all(|operand| self.is_known(operand, scope))
            }
            Kind::Let { .. }
            | Kind::If(_)
            | Kind::Try(_)
            | Kind::MatchTag { .. }
            | Kind::MatchSet(_) => false,
        }
    }
}

fn bind(pattern: &Pattern, meaning: Meaning, scope: &Scope) -> Scope {
    match (pattern, meaning) {
        (Pattern::One(name), meaning) => scope.with(*name, meaning),
        (Pattern::Many(names), Meaning::Tuple(parts)) if names.len() == parts.len() => names
            .iter()
            .zip(parts)
            .fold(scope.clone(), |scope, (name, part)| scope.with(*name, part)),
        (Pattern::Many(names), _) => names
            .iter()
            .fold(scope.clone(), |scope, name| scope.with(*name, Meaning::Class(Unknown))),
    }
}

const fn unary(operator: Unary, operand: Class) -> Class {
    match (operator, operand) {
        (_, Unknown) | (Unary::Complement, Growing) => Unknown,
        (Unary::Identity, Forward | Stable) => Forward,
        (Unary::Complement, Forward | Stable) | (Unary::Inverse, Forward) => Stable,
        (Unary::Star | Unary::Plus, Stable) => Growing,
        (Unary::Star | Unary::Plus | Unary::Optional, Forward)
        | (Unary::Optional | Unary::Inverse, Stable)
        | (
            Unary::Identity | Unary::Star | Unary::Plus | Unary::Optional | Unary::Inverse,
            Growing,
        ) => operand,
    }
}

fn binary(operator: Binary, left: Class, right: Class) -> Class {
    let weaker = left.max(right);
    match operator {
        _ if weaker == Unknown => Unknown,
        Binary::Intersection if weaker <= Stable => left.min(right),
        Binary::Union | Binary::Intersection => weaker,
        // What is subtracted must not grow.
        Binary::Difference if right <= Stable => left,
        Binary::Difference | Binary::Add => Unknown,
        Binary::Sequence if weaker == Forward => Forward,
        // Sets are stable or growing.
        Binary::Product if weaker <= Stable => Stable,
        Binary::Sequence | Binary::Product => Growing,
    }
}

#[cfg(test)]
mod tests {
    use crate::axioms::Axioms;
    use crate::cat::CatModel;

    #[track_caller]
    fn check(text: &str, is_monotone: bool) {
        let text = format!("acyclic po-loc | rf | co | fr\n{text}");
        let model = CatModel::read("test.cat", &text, &mut |_| None)
            .unwrap_or_else(|bad| panic!("{text}: {:?}", bad.error));
        assert_eq!(model.is_monotone(), is_monotone, "{text}");
    }

    #[test]
    fn what_only_grows_is_known() {
        check("empty rmw & (fre ; coe)", true);
        check("include \"cos.cat\"\nacyclic (po \\ (W * R)) | rfe | co | fr", true);
        check("acyclic fencerel(MFENCE) | fr", true);
        check("let rec hb = po | rfe | hb ; hb\nirreflexive hb", true);
        check("acyclic [~(R | F)] ; po ; fr", true);
        check("acyclic po \\ (po ; po) | fr", true);
        check("acyclic (try no-such-set with 0) | fr", true);
        check("acyclic [range(rf)] ; po", true);
        check("flag ~acyclic po | fr as weak", true);
        check("let f(x, y) = x | y\nlet (a, b) = (po, fr)\nacyclic f(a, b)", true);
        check("acyclic if \"some-variant\" then ~rf else fr", true);
    }

    #[test]
    fn what_may_shrink_is_known() {
        check("acyclic po \\ rf", false);
        check("acyclic ~co & po-loc", false);
        check("~empty po", false);
        check("acyclic [M \\ range(rf)] ; po ; fr", false);
        check("acyclic po \\ (po ; po^-1)", false);
        check("acyclic [FW] ; po", false);
        check("let f(x) = ~x\nacyclic f(rf) & po", false);
        check("let rec r = po | (r \\ rf)\nacyclic r", false);
        check("procedure p(x) = acyclic x end\ncall p(po)", false);
        check("with order from linearisations(M, po | rf | co | fr)\nacyclic order", false);
        check("assert empty W & R", false);
    }
}
