//! Smaller programs that may still show what a given program shows.

use program::{
    Access, Count, Expr, Instruction, LabelId, Program, ProgramBuilder, Template, TemplateBuilder,
    Update, canonical::label_order, index::Idx,
};

/// The smallest program that greedy shrinking finds: while some smaller variant still has the
/// property, it goes on with that.
pub fn smallest(program: &Program, has_property: &mut impl FnMut(&Program) -> bool) -> Program {
    let mut current = program.clone();
    while let Some(next) = smaller(&current).into_iter().find(|next| has_property(next)) {
        current = next;
    }
    current
}

/// Fails with the smallest program that breaks a law, if one of `programs` does: `told` says more about
/// it. A law may have nothing to say of a program; returns of how many it was true.
pub fn hold_for_all(
    programs: impl Iterator<Item = Program>,
    mut law: impl FnMut(&Program) -> Option<bool>,
    told: impl FnOnce(&Program) -> String,
) -> usize {
    let mut checked = 0;
    for program in programs {
        match law(&program) {
            None => {}
            Some(true) => checked += 1,
            Some(false) => {
                let small = smallest(&program, &mut |other| law(other) == Some(false));
                panic!("the law does not hold of {small:#?}\n{}", told(&small));
            }
        }
    }
    checked
}

/// Programs that are a little smaller or simpler, the boldest cuts first. Repeating this ends.
pub fn smaller(program: &Program) -> Vec<Program> {
    let templates: Vec<Template> = program.templates().iter().cloned().collect();
    let mut all = Vec::new();
    for at in 0..templates.len() {
        let mut fewer = templates.clone();
        fewer.remove(at);
        all.extend(rebuild(program, fewer));
    }
    for (at, template) in templates.iter().enumerate() {
        for variant in simpler_templates(template) {
            let mut changed = templates.clone();
            changed[at] = variant;
            all.extend(rebuild(program, changed));
        }
    }
    all
}

/// The program with other templates, if it is valid. Its question goes if templates went.
fn rebuild(program: &Program, templates: Vec<Template>) -> Option<Program> {
    let mut builder = ProgramBuilder::new(program.name(), program.memory().outside());
    for location in program.memory().locations() {
        builder.location(location.clone());
    }
    if templates.len() == program.templates().len() {
        builder.question(program.question().clone());
    }
    for template in templates {
        builder.template(template);
    }
    builder.build().ok()
}

/// A thread as a list of edges, easy to change.
type Edges = Vec<(LabelId, LabelId, Instruction)>;

fn simpler_templates(template: &Template) -> Vec<Template> {
    let edges: Edges = template
        .edges()
        .iter()
        .map(|edge| (edge.from, edge.to, edge.instruction.clone()))
        .collect();
    let mut all = Vec::new();
    if let Count::Exactly(count) = template.count()
        && count > 1
    {
        all.push(template.with_count(Count::Exactly(count - 1)));
    }
    for at in 0..edges.len() {
        let mut fewer = edges.clone();
        let (from, to, _) = fewer.remove(at);
        // The only way on: leave the instruction out. One way of several: leave the way out.
        if from != to && fewer.iter().all(|edge| edge.0 != from) {
            let moved = |label| if label == from { to } else { label };
            let contracted = fewer
                .iter()
                .map(|(source, target, instruction)| (*source, moved(*target), instruction.clone()))
                .collect();
            all.push(with_edges(template, moved(template.initial()), &contracted));
        }
        all.push(with_edges(template, template.initial(), &fewer));
    }
    for (at, (_, _, instruction)) in edges.iter().enumerate() {
        for simpler in simpler_instructions(instruction) {
            let mut changed = edges.clone();
            changed[at].2 = simpler;
            all.push(with_edges(template, template.initial(), &changed));
        }
    }
    all
}

/// The template with these edges and only the labels that are reachable.
fn with_edges(template: &Template, initial: LabelId, edges: &Edges) -> Template {
    let whole = copy(template, initial, edges, |_| true);
    let reachable = reachable_labels(&whole);
    copy(template, initial, edges, |label| reachable[label.index()])
}

fn copy(
    template: &Template,
    initial: LabelId,
    edges: &Edges,
    keep: impl Fn(LabelId) -> bool,
) -> Template {
    let mut builder = TemplateBuilder::new(template.name(), template.span());
    builder.count(template.count());
    for register in template.registers() {
        builder.register(register.clone());
    }
    if let Some(identity) = template.identity() {
        builder.identity(identity);
    }
    let labels: Vec<Option<LabelId>> = template
        .labels()
        .enumerate()
        .map(|(id, label)| keep(id).then(|| builder.label(label.clone())))
        .collect();
    let new = |label: LabelId| labels[label.index()];
    for (from, to, instruction) in edges {
        if let (Some(from), Some(to)) = (new(*from), new(*to)) {
            builder.bare_edge(from, to, instruction.clone());
        }
    }
    builder.build(new(initial).expect("the initial label is reachable"))
}

fn reachable_labels(template: &Template) -> Vec<bool> {
    let mut reachable = vec![false; template.labels().len()];
    reachable[template.initial().index()] = true;
    // Labels come after one that leads to them, or are not reachable.
    for label in label_order(template) {
        if reachable[label.index()] {
            for edge in template.outgoing(label) {
                reachable[template.edge(edge).to.index()] = true;
            }
        }
    }
    reachable
}

fn simpler_instructions(instruction: &Instruction) -> Vec<Instruction> {
    let plain = Access::PLAIN;
    let mut all = Vec::new();
    match instruction {
        Instruction::Update { result, address, update, access } => {
            if let Some(register) = result {
                let (register, address) = (*register, address.clone());
                all.push(Instruction::Load { register, address, access: plain });
            }
            let simpler_updates = match update {
                Update::Exchange(value) => {
                    let (address, value) = (address.clone(), value.clone());
                    all.push(Instruction::Store { address, value, access: plain });
                    Vec::new()
                }
                Update::Fetch { operand, .. } => vec![Update::Exchange(operand.clone())],
                Update::CompareAndSwap { new, .. } | Update::BlockingReadWrite { new, .. } => {
                    vec![Update::Exchange(new.clone())]
                }
            };
            let (result, access) = (*result, *access);
            all.extend(simpler_updates.into_iter().map(|update| Instruction::Update {
                result,
                address: address.clone(),
                update,
                access,
            }));
        }
        Instruction::StoreExclusive { address, value, .. } => {
            let (address, value) = (address.clone(), value.clone());
            all.push(Instruction::Store { address, value, access: plain });
        }
        Instruction::Load { register, address, access } if *access != plain => {
            let (register, address) = (*register, address.clone());
            all.push(Instruction::Load { register, address, access: plain });
        }
        Instruction::Store { address, value, access } => {
            let address = address.clone();
            if *access != plain {
                let (address, value) = (address.clone(), value.clone());
                all.push(Instruction::Store { address, value, access: plain });
            }
            if !matches!(value, Expr::Const(_)) {
                let (value, access) = (Expr::Const(1), *access);
                all.push(Instruction::Store { address, value, access });
            }
        }
        Instruction::Assign { register, value } if !matches!(value, Expr::Const(_)) => {
            all.push(Instruction::Assign { register: *register, value: Expr::Const(1) });
        }
        Instruction::Choose { register, high, .. } => {
            all.push(Instruction::Assign { register: *register, value: Expr::Const(*high) });
        }
        Instruction::Assert(condition) => all.push(Instruction::Assume(condition.clone())),
        Instruction::Assume(_)
        | Instruction::Fence(_)
        | Instruction::Lock
        | Instruction::Unlock => {
            all.push(Instruction::Skip);
        }
        Instruction::Skip | Instruction::Assign { .. } | Instruction::Load { .. } => {}
    }
    all
}
