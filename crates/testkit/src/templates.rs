//! Thread templates.

use std::collections::BTreeSet;

use program::index::Idx;
use program::{
    Count, Domain, Expr, Identity, Instruction, Label, LabelId, NoInsertion, Register, RegisterId,
    Span, Template, TemplateBuilder, Value,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::Subset;
use crate::expressions::{Locations, Scope};
use crate::instructions::instructions;
use crate::names::{name, stems};
use crate::values::{domains, values_of};

/// The greatest number of copies of a template.
const MAX_COPIES: u32 = 3;

/// The templates of one program.
pub(crate) fn templates(subset: Subset, locations: Locations) -> BoxedStrategy<Vec<Template>> {
    vec(drafts(subset, locations), 0..4)
        .prop_map(move |drafts| {
            let numbered = drafts.into_iter().enumerate();
            numbered.map(|(number, draft)| assemble(subset, number, draft)).collect()
        })
        .boxed()
}

/// Everything about a template but its number.
#[derive(Clone, Debug)]
struct Draft {
    stem: String,
    copies: Copies,
    registers: Vec<Register>,
    labels: Vec<Label>,
    initial: usize,
    edges: Vec<(usize, usize, Instruction)>,
}

#[derive(Clone, Copy, Debug)]
struct Copies {
    count: Count,
    /// The first identity; the register that holds it is the first one.
    identity: Option<Value>,
}

fn drafts(subset: Subset, locations: Locations) -> impl Strategy<Value = Draft> {
    (copies(subset), 0..4_usize, 1..6_usize).prop_flat_map(move |(copies, registers, labels)| {
        let identities = usize::from(copies.identity.is_some());
        let registers = registers.max(identities);
        let scope = Scope { subset, locations, registers };
        let writable: Vec<RegisterId> = (identities..registers).map(RegisterId::new).collect();
        let edge = (0..labels, 0..labels, instructions(scope, &writable));
        (
            stems(),
            Just(copies),
            vec(one_register(subset), registers),
            vec(one_label(subset), labels),
            0..labels,
            vec(edge, 0..10),
        )
            .prop_map(|(stem, copies, registers, labels, initial, edges)| Draft {
                stem,
                copies,
                registers,
                labels,
                initial,
                edges,
            })
    })
}

fn copies(subset: Subset) -> BoxedStrategy<Copies> {
    match subset {
        Subset::Everything => prop_oneof![
            1 => Just(Copies { count: Count::Any, identity: None }),
            3 => (0..=MAX_COPIES, proptest::option::of(-2..100_i32)).prop_map(|(count, first)| Copies {
                count: Count::Exactly(count),
                identity: first.map(Value::from),
            }),
        ]
        .boxed(),
        Subset::Trencher => Just(Copies { count: Count::Exactly(1), identity: None }).boxed(),
    }
}

fn one_register(subset: Subset) -> BoxedStrategy<Register> {
    let register = |name, initial, domain, generated| Register { name, initial, domain, generated };
    match subset {
        Subset::Everything => (stems(), domains(), any::<bool>())
            .prop_flat_map(move |(stem, domain, generated)| {
                values_of(domain)
                    .prop_map(move |initial| register(stem.clone(), initial, domain, generated))
            })
            .boxed(),
        Subset::Trencher => {
            stems().prop_map(move |stem| register(stem, 0, Domain::Integer, false)).boxed()
        }
    }
}

fn one_label(subset: Subset) -> BoxedStrategy<Label> {
    let flags = match subset {
        Subset::Everything => (any::<bool>(), any::<bool>()).boxed(),
        Subset::Trencher => Just((false, false)).boxed(),
    };
    (stems(), flags)
        .prop_map(|(name, (generated, waiting))| Label {
            name,
            generated,
            waiting,
            span: Span::NONE,
            before: Err(NoInsertion::NoSource),
        })
        .boxed()
}

fn assemble(subset: Subset, number: usize, draft: Draft) -> Template {
    let mut draft = draft;
    if subset == Subset::Trencher {
        mention_registers(&mut draft);
    }
    let order: Vec<usize> = match subset {
        Subset::Everything => (0..draft.labels.len()).collect(),
        Subset::Trencher => order_of_mention(&draft),
    };
    let mut builder = TemplateBuilder::new(name(&draft.stem, 't', number), Span::NONE);
    builder.count(draft.copies.count);
    for (number, register) in draft.registers.into_iter().enumerate() {
        let name = name(&register.name, 'r', number);
        let register = match draft.copies.identity {
            Some(first) if number == 0 => {
                builder.identity(Identity { register: RegisterId::new(0), first });
                Register { initial: 0, domain: Domain::Integer, ..register }
            }
            Some(_) | None => register,
        };
        builder.register(Register { name, ..register });
    }
    let mut labels: Vec<Option<LabelId>> = vec![None; draft.labels.len()];
    for (number, old) in order.into_iter().enumerate() {
        let label = &draft.labels[old];
        let name = name(&label.name, 'q', number);
        labels[old] = Some(builder.label(Label { name, ..label.clone() }));
    }
    let label = |old: usize| labels[old].expect("every mentioned label is in the order");
    for (from, to, instruction) in draft.edges {
        builder.bare_edge(label(from), label(to), instruction);
    }
    builder.build(label(draft.initial))
}

/// Registers exist in Trencher's language because they are mentioned.
fn mention_registers(draft: &mut Draft) {
    let mut mentioned = BTreeSet::new();
    for (_, _, instruction) in &draft.edges {
        mentioned.extend(instruction.written_register());
        mentioned.extend(instruction.expressions().into_iter().flat_map(Expr::registers));
    }
    for register in (0..draft.registers.len()).map(RegisterId::new) {
        if !mentioned.contains(&register) {
            let assign = Instruction::Assign { register, value: Expr::Const(0) };
            draft.edges.push((draft.initial, draft.initial, assign));
        }
    }
}

/// Labels exist in Trencher's language because they are mentioned, and are numbered in that order:
/// the initial one, then label by label those that its edges lead to.
fn order_of_mention(draft: &Draft) -> Vec<usize> {
    let mut order = vec![draft.initial];
    let mut next = 0;
    loop {
        while let Some(label) = order.get(next).copied() {
            next += 1;
            for (_, to, _) in draft.edges.iter().filter(|(from, _, _)| *from == label) {
                if !order.contains(to) {
                    order.push(*to);
                }
            }
        }
        match draft.edges.iter().find(|(from, _, _)| !order.contains(from)) {
            Some((from, _, _)) => order.push(*from),
            None => return order,
        }
    }
}
