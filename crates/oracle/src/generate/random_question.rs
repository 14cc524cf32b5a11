//! What a random program asks about its final states.

use fastrand::Rng;
use program::{
    Count, IndexVec, Memory, Observable, Proposition, Quantifier, Question, RegisterId, Template,
    TemplateId, Value, index::Idx,
};

/// A question about what these threads leave behind. Every other one asks, as a litmus test does,
/// whether each thread read nothing new, in the register that it read to last.
pub(crate) fn random_question(
    rng: &mut Rng,
    memory: &Memory,
    templates: &IndexVec<TemplateId, Template>,
    read_last: &[(TemplateId, RegisterId)],
) -> Question {
    let asker = Asker { memory, templates };
    let proposition =
        if rng.bool() { asker.litmus(rng, read_last) } else { asker.proposition(rng, 2) };
    let quantifier = match rng.u8(..5) {
        0 | 1 => Quantifier::Never,
        2 | 3 => Quantifier::Always,
        _ => Quantifier::Exists,
    };
    // Of a never that is true of nearly everything little is learnt.
    let proposition = match quantifier {
        Quantifier::Always => Proposition::Not(Box::new(proposition)),
        Quantifier::Never | Quantifier::Exists => proposition,
    };
    let filter = (rng.u8(..4) == 0).then(|| asker.proposition(rng, 1));
    let observed = (0..rng.usize(..2)).map(|_| asker.observable(rng)).collect();
    let condition = Some((quantifier, proposition));
    Question { observed, filter, condition, forbidden: None, told_as: Vec::new() }
}

struct Asker<'a> {
    memory: &'a Memory,
    templates: &'a IndexVec<TemplateId, Template>,
}

impl Asker<'_> {
    fn litmus(&self, rng: &mut Rng, read_last: &[(TemplateId, RegisterId)]) -> Proposition {
        let last = |template| read_last.iter().find(|(of, _)| *of == template);
        let mut threads = Vec::new();
        for (id, template) in self.templates.enumerate() {
            let copies = match template.count() {
                Count::Exactly(copies) => copies,
                Count::Any => 1,
            };
            threads.extend((0..copies).map(|copy| match last(id) {
                Some((template, register)) => {
                    let (template, register) = (*template, *register);
                    Proposition::Equals(Observable::Register { template, copy, register }, 0)
                }
                None => Proposition::Equals(self.register(rng, id), 0),
            }));
        }
        let both = |left, right| Proposition::And(Box::new(left), Box::new(right));
        threads.into_iter().reduce(both).unwrap_or(Proposition::Constant(true))
    }

    fn proposition(&self, rng: &mut Rng, depth: usize) -> Proposition {
        if depth == 0 || rng.u8(..3) == 0 {
            let value: Value = rng.u8(..3).into();
            return Proposition::Equals(self.observable(rng), value);
        }
        let mut part = || Box::new(self.proposition(rng, depth - 1));
        let (left, right) = (part(), part());
        match rng.u8(..4) {
            0 => Proposition::Not(left),
            1 => Proposition::And(left, right),
            2 => Proposition::Or(left, right),
            _ => Proposition::Implies(left, right),
        }
    }

    fn observable(&self, rng: &mut Rng) -> Observable {
        if rng.bool() {
            let locations: Vec<_> = self.memory.locations().iter().collect();
            let location = locations[rng.usize(..locations.len())];
            let index = rng.u64(..location.cells());
            let address = location.address(index.into());
            return Observable::Cell(address.expect("an index of this location"));
        }
        let template = TemplateId::new(rng.usize(..self.templates.len()));
        self.register(rng, template)
    }

    fn register(&self, rng: &mut Rng, id: TemplateId) -> Observable {
        let template = &self.templates[id];
        let copy = match template.count() {
            Count::Exactly(copies) => rng.u32(..copies),
            Count::Any => 0,
        };
        // The first two are those that the thread works with.
        let register = RegisterId::new(rng.usize(..template.registers().len().min(3)));
        Observable::Register { template: id, copy, register }
    }
}
