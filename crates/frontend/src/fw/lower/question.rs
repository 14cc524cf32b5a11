//! Lowering what a program asks about its states.

use program::{
    AccessWidth, Count, Diagnostic, Diagnostics, IndexVec, LocationId, Memory, Observable, Outside,
    Program, Proposition, Question, Template, TemplateId, Value,
};

use super::super::ast::{self, Observed, Place};
use super::names::{Globals, Meaning};
use crate::suggest::did_you_mean;

/// Everything that can be mentioned.
pub(super) struct Scope<'a> {
    pub(super) globals: &'a Globals,
    pub(super) memory: &'a Memory,
    pub(super) templates: &'a IndexVec<TemplateId, Template>,
    /// Whether copies of which there is any number can be named: any so many different ones are meant.
    pub(super) names_any: bool,
}

impl Scope<'_> {
    /// The question of a file.
    pub(super) fn question(&self, question: &ast::Question, errors: &mut Diagnostics) -> Question {
        let mut observed = Vec::new();
        for one in &question.observed {
            observed.extend(self.observable(one, errors));
        }
        let filter = question.filter.as_ref().map(|filter| self.proposition(filter, errors));
        let condition = question
            .condition
            .as_ref()
            .map(|(quantifier, proposition)| (*quantifier, self.proposition(proposition, errors)));
        let forbidden = question.forbidden.as_ref().map(|forbidden| self.goal(forbidden, errors));
        Question { observed, filter, condition, forbidden, told_as: Vec::new() }
    }

    /// A statement about final states.
    pub(super) fn proposition(
        &self,
        proposition: &ast::Proposition<ast::Equals>,
        errors: &mut Diagnostics,
    ) -> Proposition {
        let mut inner =
            |part: &ast::Proposition<ast::Equals>| Box::new(self.proposition(part, errors));
        match proposition {
            ast::Proposition::Constant(truth) => Proposition::Constant(*truth),
            ast::Proposition::Not(part) => Proposition::Not(inner(part)),
            ast::Proposition::And(left, right) => Proposition::And(inner(left), inner(right)),
            ast::Proposition::Or(left, right) => Proposition::Or(inner(left), inner(right)),
            ast::Proposition::Implies(left, right) => {
                Proposition::Implies(inner(left), inner(right))
            }
            ast::Proposition::Simple(ast::Equals(observed, value)) => {
                let observable = self.observable(observed, errors);
                let value = self.globals.constant(value, errors).unwrap_or(0);
                observable.map_or(Proposition::Constant(false), |observable| {
                    Proposition::Equals(observable, value)
                })
            }
        }
    }

    /// Something that has a value.
    pub(super) fn observable(
        &self,
        observed: &Observed,
        errors: &mut Diagnostics,
    ) -> Option<Observable> {
        match observed {
            Observed::Cell(place) => self.cell(place, errors).map(Observable::Cell),
            Observed::Across(place, int) => {
                let address = self.cell(place, errors)?;
                match self.memory.footprint(address, AccessWidth::Across(*int)) {
                    Ok(_) => Some(Observable::Across(address, *int)),
                    Err(fault) => {
                        errors.push(Diagnostic::new(place.span(), fault.to_string()));
                        None
                    }
                }
            }
            Observed::Register { thread, index, register } => {
                self.register(thread, index.as_deref(), register, errors)
            }
        }
    }

    fn cell(&self, place: &Place, errors: &mut Diagnostics) -> Option<Value> {
        let (name, index) = match place {
            Place::Mem { address, span } => {
                let address = self.globals.constant(address, errors)?;
                if self.memory.cell(address).is_err() && self.memory.outside() == Outside::Fault {
                    let message = format!("address {address} belongs to no shared variable");
                    errors.push(Diagnostic::new(*span, message));
                    return None;
                }
                return Some(address);
            }
            Place::Named { name, index } => (name, index),
        };
        let index = match index {
            Some(index) => Some(self.globals.constant(index, errors)?),
            None => None,
        };
        let address = |location: LocationId, index| {
            self.memory.location(location).address(index).map_err(|fault| fault.to_string())
        };
        let result = match (self.globals.resolve(name, errors)?, index) {
            (Meaning::Scalar(location), None) => address(location, 0),
            (Meaning::Array(location), Some(index)) => address(location, index),
            (Meaning::Array(_), None) => Err(format!("`{}` is an array", name.text)),
            (Meaning::Scalar(_), Some(_)) => Err(format!("`{}` is not an array", name.text)),
            (Meaning::Constant(_) | Meaning::Register(_) | Meaning::Index(_), _) => {
                Err(format!("`{}` is not a shared variable", name.text))
            }
        };
        result.map_err(|message| errors.push(Diagnostic::new(place.span(), message))).ok()
    }

    fn register(
        &self,
        thread: &ast::Name,
        index: Option<&ast::Expr>,
        register: &ast::Name,
        errors: &mut Diagnostics,
    ) -> Option<Observable> {
        let (id, copy) = self.thread(thread, index, errors)?;
        let mut registers = self.templates[id].registers().enumerate();
        let Some((found, _)) = registers.find(|(_, data)| data.name == register.text) else {
            let message = format!("thread `{}` has no local `{}`", thread.text, register.text);
            let registers = self.templates[id].registers().iter();
            let like = did_you_mean(&register.text, registers.map(|data| data.name.as_str()));
            let mut error = Diagnostic::new(register.span, message);
            error.help = like.map(|like| format!("did you mean `{like}`?"));
            errors.push(error);
            return None;
        };
        Some(Observable::Register { template: id, copy, register: found })
    }

    /// One thread: its template and which copy of it.
    pub(super) fn thread(
        &self,
        thread: &ast::Name,
        index: Option<&ast::Expr>,
        errors: &mut Diagnostics,
    ) -> Option<(TemplateId, u32)> {
        let Some((id, template)) =
            self.templates.enumerate().find(|(_, template)| template.name() == thread.text)
        else {
            let mut error =
                Diagnostic::new(thread.span, format!("there is no thread `{}`", thread.text));
            error.help = did_you_mean(&thread.text, self.templates.iter().map(Template::name))
                .map(|like| format!("did you mean `{like}`?"));
            errors.push(error);
            return None;
        };
        let index = match index {
            Some(index) => Some(self.globals.constant(index, errors)?),
            None => None,
        };
        let Some(copy) = copy_of(template, index, self.names_any) else {
            let message = format!("there is no such copy of thread `{}`", thread.text);
            let help = how_to_name(template, self.names_any);
            errors.push(Diagnostic::new(thread.span, message).help(help));
            return None;
        };
        Some((id, copy))
    }
}

/// The copy of a template that an index, or none, names.
fn copy_of(template: &Template, index: Option<Value>, names_any: bool) -> Option<u32> {
    let count = match template.count() {
        Count::Exactly(count) => count,
        Count::Any if names_any && index.is_some() => Program::MAX_THREADS,
        Count::Any => return None,
    };
    let copy = match (template.identity(), index) {
        (Some(identity), Some(index)) => u32::try_from(index - identity.first).ok()?,
        (None, Some(index)) => u32::try_from(index).ok()?,
        (None, None) if count == 1 => 0,
        (Some(_) | None, None) => return None,
    };
    (copy < count).then_some(copy)
}

fn how_to_name(template: &Template, names_any: bool) -> String {
    let name = template.name();
    match (template.count(), template.identity()) {
        (Count::Any, identity) if names_any => {
            let first = identity.map_or(0, |identity| identity.first);
            let second = first + 1;
            format!("`{name}[{first}]`, `{name}[{second}]` and so on are any different copies")
        }
        (Count::Any, _) => "it can have any number of copies: give a count".to_owned(),
        (Count::Exactly(count), Some(identity)) => {
            format!(
                "`{name}[{}]` up to, not including, `{name}[{}]`",
                identity.first,
                identity.of(count)
            )
        }
        (Count::Exactly(1), None) => format!("there is one: `{name}`"),
        (Count::Exactly(count), None) => {
            format!("`{name}[0]` up to, not including, `{name}[{count}]`")
        }
    }
}
