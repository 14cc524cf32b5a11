//! Lowering the end of a test into the question that the program asks.

use program::{
    Diagnostic, Diagnostics, IndexVec, IntType, Observable, Proposition, Question, Span, Template,
    TemplateId, Value,
};

use super::ast::{Constant, File, Name, Place, Prop};
use super::machine::{Globals, Machine, RegisterUse, held};
use super::state::{address, constant_value};

/// The registers of a thread that the condition mentions.
pub(super) fn mentioned_registers(file: &File<'_>, thread: u32) -> Vec<RegisterUse> {
    let mut places: Vec<&Place> = file.observed.iter().collect();
    let props = file.filter.iter().chain(file.condition.as_ref().map(|(_, prop)| prop));
    for prop in props {
        collect_places(prop, &mut places);
    }
    let mine = |place: &&Place| match place {
        Place::Register { thread: number, name, .. } if *number == thread => {
            Some(RegisterUse { name: name.clone(), initial: None, declared: None })
        }
        Place::Register { .. } | Place::Symbolic(_) | Place::Memory { .. } => None,
    };
    places.iter().filter_map(mine).collect()
}

fn collect_places<'a>(prop: &'a Prop, places: &mut Vec<&'a Place>) {
    match prop {
        Prop::Constant(_) | Prop::EqualsEach(..) => {}
        Prop::Equals(place, _) => places.push(place),
        Prop::Not(inner) => collect_places(inner, places),
        Prop::And(left, right) | Prop::Or(left, right) | Prop::Implies(left, right) => {
            collect_places(left, places);
            collect_places(right, places);
        }
    }
}

/// What a test asks.
pub(super) fn question<M: Machine>(
    machine: &M,
    file: &File<'_>,
    globals: &Globals,
    templates: &IndexVec<TemplateId, Template>,
    told_as: Vec<(Observable, IntType)>,
    errors: &mut Diagnostics,
) -> Question {
    let mut lowering = Lowering { machine, file, globals, templates, told_as: &told_as, errors };
    let observed = file.observed.iter().flat_map(|place| lowering.observed(place)).collect();
    let filter = file.filter.as_ref().map(|prop| lowering.prop(prop));
    let condition =
        file.condition.as_ref().map(|(quantifier, prop)| (*quantifier, lowering.prop(prop)));
    Question { observed, filter, condition, forbidden: None, told_as }
}

struct Lowering<'a, M> {
    machine: &'a M,
    file: &'a File<'a>,
    globals: &'a Globals,
    templates: &'a IndexVec<TemplateId, Template>,
    told_as: &'a [(Observable, IntType)],
    errors: &'a mut Diagnostics,
}

impl<M: Machine> Lowering<'_, M> {
    fn prop(&mut self, prop: &Prop) -> Proposition {
        let join = |left, right| (Box::new(left), Box::new(right));
        match prop {
            Prop::Constant(truth) => Proposition::Constant(*truth),
            Prop::Equals(place, constant) => match self.place(place) {
                Some(place) => self.equals(place, constant),
                None => Proposition::Constant(true),
            },
            Prop::EqualsEach(name, constants, span) => self.equals_each(name, constants, *span),
            Prop::Not(inner) => Proposition::Not(Box::new(self.prop(inner))),
            Prop::And(left, right) => {
                let (left, right) = join(self.prop(left), self.prop(right));
                Proposition::And(left, right)
            }
            Prop::Or(left, right) => {
                let (left, right) = join(self.prop(left), self.prop(right));
                Proposition::Or(left, right)
            }
            Prop::Implies(left, right) => {
                let (left, right) = join(self.prop(left), self.prop(right));
                Proposition::Implies(left, right)
            }
        }
    }

    fn equals(&mut self, (seen, held): (Observable, IntType), constant: &Constant) -> Proposition {
        let value = constant_value(constant, self.globals, self.file.incomplete, self.errors);
        // What is declared narrower than it is held is compared as declared.
        let told = self.told_as.iter().find(|(told, _)| *told == seen).map(|(_, int)| *int);
        let value =
            told.filter(|told| told.bits() < held.bits()).map_or(value, |int| int.wrap(value));
        Proposition::Equals(seen, held.wrap(value))
    }

    fn equals_each(&mut self, name: &Name, constants: &[Constant], span: Span) -> Proposition {
        let Some(id) = self.globals.names.get(&name.text).copied() else {
            address(name, None, self.globals, self.file.incomplete, self.errors);
            return Proposition::Constant(true);
        };
        let location = &self.globals.locations[id];
        if u64::try_from(constants.len()) != Ok(location.cells()) {
            let message = format!("`{}` has {} elements", name.text, location.cells());
            self.errors.push(Diagnostic::new(span, message));
            return Proposition::Constant(true);
        }
        let held = self.globals.held(id);
        let parts = (0..).zip(constants).map(|(index, constant): (Value, &Constant)| {
            let address = location.base + index * Value::from(location.stride);
            self.equals((Observable::Cell(address), held), constant)
        });
        conjunction(&parts.collect::<Vec<_>>())
    }

    /// What there is to see at a place: of an array, all elements.
    fn observed(&mut self, place: &Place) -> Vec<Observable> {
        let array = match place {
            Place::Memory { name, index: None } => self.globals.names.get(&name.text),
            Place::Memory { index: Some(_), .. } | Place::Register { .. } | Place::Symbolic(_) => {
                None
            }
        };
        if let Some(location) = array.map(|id| &self.globals.locations[*id]) {
            let cells =
                (0..location.cells()).filter_map(|index| location.address(index.into()).ok());
            return cells.map(Observable::Cell).collect();
        }
        self.place(place).map(|(seen, _)| seen).into_iter().collect()
    }

    /// What a place is and in which type it is held.
    fn place(&mut self, place: &Place) -> Option<(Observable, IntType)> {
        match place {
            Place::Memory { name, index } => {
                let incomplete = self.file.incomplete;
                let address = address(name, *index, self.globals, incomplete, self.errors)?;
                let held = self.globals.held(*self.globals.names.get(&name.text)?);
                Some((Observable::Cell(address), held))
            }
            Place::Symbolic(name) => {
                let error = Diagnostic::new(name.span, "a register needs its thread here");
                self.errors.push(error.help(format!("write `0:{}`", name.text)));
                None
            }
            Place::Register { thread, thread_span, name } => {
                let found = self
                    .file
                    .threads
                    .iter()
                    .zip(self.templates.indices())
                    .find(|(column, _)| column.number == *thread);
                let Some((_, template)) = found else {
                    let error =
                        Diagnostic::new(*thread_span, format!("there is no thread {thread}"));
                    self.errors.push(error);
                    return None;
                };
                // A name that is no register has been reported with the thread.
                let (whole, part_bits) = self.machine.register(&name.text)?;
                let mut registers = self.templates[template].registers().enumerate();
                let (register, data) = registers.find(|(_, data)| data.name == whole)?;
                let held = held(data.domain);
                if part_bits < held.bits() {
                    let message = format!("`{}` is only a part of `{whole}`", name.text);
                    self.errors.push(
                        Diagnostic::new(name.span, message)
                            .help("the thread uses the whole register: name that"),
                    );
                    return None;
                }
                Some((Observable::Register { template, copy: 0, register }, held))
            }
        }
    }
}

/// All of these, nested no deeper than need be.
pub(super) fn conjunction(parts: &[Proposition]) -> Proposition {
    match parts {
        [] => Proposition::Constant(true),
        [one] => one.clone(),
        several => {
            let (left, right) = several.split_at(several.len() / 2);
            Proposition::And(Box::new(conjunction(left)), Box::new(conjunction(right)))
        }
    }
}
