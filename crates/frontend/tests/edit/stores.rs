//! Stores locked and unlocked, one at a time.

use frontend::Language;
use frontend::edit::Change;
use program::{
    Access, Diagnostics, Domain, Edge, Expr, Instruction, Order, Program, Span, Template, Update,
    canonical,
};

use super::model::{self, each, without_skips};
use super::texts::texts;
use super::{changed, edited, parse};

fn is_ordinary(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Store { access, .. } => access.order != Order::SeqCst,
        _ => false,
    }
}

fn is_locked(instruction: &Instruction) -> bool {
    matches!(instruction, Instruction::Store { .. }) && !is_ordinary(instruction)
}

/// The program with another order for the store with this span.
fn ordered(program: &Program, span: Span, order: Order) -> Program {
    each(program, |template| {
        model::replace(template, |edge| match &edge.instruction {
            Instruction::Store { address, value, access } if edge.span == span => {
                let access = Access { order, ..*access };
                let (address, value) = (address.clone(), value.clone());
                Some(vec![Instruction::Store { address, value, access }])
            }
            _ => None,
        })
    })
}

#[test]
fn stores_of_fw() {
    let mut checked = 0;
    for text in texts(Language::Fw) {
        let program = parse(Language::Fw, &text);
        for span in model::spans(&program, is_ordinary) {
            let locked = edited(Language::Fw, &text, &[Change::LockStore(span)]);
            let found = parse(Language::Fw, &locked);
            let expected = ordered(&program, span, Order::SeqCst);
            assert_eq!(canonical::difference(&expected, &found), None, "{text}\n{locked}");
            for again in model::spans(&found, is_locked) {
                let unlocked = edited(Language::Fw, &locked, &[Change::UnlockStore(again)]);
                let expected = ordered(&found, again, Order::Plain);
                let difference = canonical::difference(&expected, &parse(Language::Fw, &unlocked));
                assert_eq!(difference, None, "{locked}\n{unlocked}");
                checked += 1;
            }
        }
    }
    assert!(checked > 400, "{checked}");
}

/// The program with a store for an exchange.
fn exchanged(program: &Program, span: Span) -> Program {
    each(program, |template| {
        model::replace(template, |edge| match &edge.instruction {
            Instruction::Update { address, update: Update::Exchange(value), access, .. }
                if edge.span == span =>
            {
                let access = Access { order: Order::Plain, ..*access };
                let (address, value) = (address.clone(), value.clone());
                Some(vec![Instruction::Store { address, value, access }])
            }
            _ => None,
        })
    })
}

fn exchanges(language: Language, texts: &[String]) -> (usize, usize) {
    let is_exchange =
        |it: &Instruction| matches!(it, Instruction::Update { update: Update::Exchange(_), .. });
    let (mut done, mut refused) = (0, 0);
    for text in texts {
        let program = parse(language, text);
        for span in model::spans(&program, is_exchange) {
            let changes = [Change::UnlockStore(span)];
            if changed(language, text, &changes).is_err() {
                refused += 1;
                continue;
            }
            let edited = edited(language, text, &changes);
            let found = parse(language, &edited);
            // Part of a register is exchanged in two steps, through a register that goes.
            let edges = program.templates().iter().flat_map(Template::edges);
            let partial = edges.filter(|edge| edge.span == span).any(|edge| {
                language == Language::Litmus
                    && matches!(edge.instruction, Instruction::Assign { .. })
            });
            let difference = canonical::difference(&exchanged(&program, span), &found);
            assert!(partial || difference.is_none(), "{text}\n{edited}\n{difference:?}");
            done += 1;
        }
    }
    (done, refused)
}

#[test]
fn exchanges_become_stores() {
    const EXCHANGES: &str = "shared x, y, a[3]\nthread p { local r, s, t\n  xchg(x, 2)
  r = xchg(a[y], x + 1) // unused\n  s = xchg(x, 3); t = s; r = 1
  l: xchg /* c */ (mem[y], /* d */ max(1, y), seq_cst, // e\n bytes(4))\n}\nexists p.t == 0\n";
    let (done, refused) = exchanges(Language::Fw, &[EXCHANGES.to_owned()]);
    assert_eq!((done, refused), (3, 1));
    let (done, _) = exchanges(Language::Litmus, &texts(Language::Litmus));
    assert!(done >= 6, "{done}");
}

/// The spans of stores that are all an instruction does.
fn moves(program: &Program) -> Vec<Span> {
    let mut spans = model::spans(program, is_ordinary);
    let others = model::spans(program, |it| !is_ordinary(it));
    spans.retain(|span| !others.contains(span));
    spans
}

/// The template in which a store goes through a register that only the other one has.
fn through_register(template: &Template, changed: &Template, span: Span) -> Option<Template> {
    let known = |name: &str| template.registers().iter().any(|own| own.name == name);
    let mut new = changed.registers().iter().filter(|register| !known(&register.name));
    let Some(scratch) = new.next() else { return Some(template.clone()) };
    let Domain::Wrapping(int) = scratch.domain else { return None };
    if new.next().is_some() || scratch.generated || int.bits() < 32 {
        return None;
    }
    let mut builder = model::start(template);
    let register = builder.register(scratch.clone());
    for edge in template.edges() {
        let Instruction::Store { address, value, access } = &edge.instruction else {
            builder.edge(edge.clone());
            continue;
        };
        if edge.span != span {
            builder.edge(edge.clone());
            continue;
        }
        let middle = model::fresh(&mut builder);
        let assign = Instruction::Assign { register, value: value.clone() };
        let update = Instruction::Update {
            result: Some(register),
            address: address.clone(),
            update: Update::Exchange(Expr::Register(register)),
            access: *access,
        };
        builder.bare_edge(edge.from, middle, assign);
        builder.bare_edge(middle, edge.to, update);
    }
    Some(builder.build(template.initial()))
}

#[test]
fn stores_of_litmus_tests() {
    let (mut checked, mut others) = (0, 0);
    // Elsewhere stores do not become exchanges.
    for text in texts(Language::Litmus).into_iter().filter(|text| text.starts_with("X86")) {
        let program = parse(Language::Litmus, &text);
        for span in moves(&program) {
            let Ok(locked) = changed(Language::Litmus, &text, &[Change::LockStore(span)]) else {
                others += 1;
                continue;
            };
            let found = parse(Language::Litmus, &locked);
            let pairs = program.templates().iter().zip(found.templates());
            let expected: Option<_> = pairs.map(|(a, b)| through_register(a, b, span)).collect();
            let Some(expected) = expected else {
                others += 1;
                continue;
            };
            let difference = canonical::difference(&program.with_templates(expected), &found);
            assert_eq!(difference, None, "{text}\n{locked}");
            checked += 1;
        }
    }
    assert!(checked > 80 && others * 20 < checked, "{checked}, {others}");
}

/// The template without a locked section around a store.
fn bare(template: &Template, span: Span) -> Template {
    let store = template.edges().iter().find(|edge| edge.span == span);
    model::replace(template, |edge| {
        let begins = store.is_some_and(|store| edge.to == store.from)
            && edge.instruction == Instruction::Lock;
        let ends = store.is_some_and(|store| edge.from == store.to)
            && edge.instruction == Instruction::Unlock;
        (begins || ends).then(|| vec![Instruction::Skip])
    })
}

fn is_held(errors: &Diagnostics) -> bool {
    errors.iter().all(|error| error.message.contains("locked section"))
}

#[test]
fn stores_of_trencher() {
    let (mut checked, mut held, mut unlocked) = (0, 0, 0);
    for text in texts(Language::Trencher) {
        let program = parse(Language::Trencher, &text);
        for span in model::spans(&program, is_ordinary) {
            let is_it = |edge: &Edge| edge.span == span;
            match changed(Language::Trencher, &text, &[Change::LockStore(span)]) {
                Ok(_) => {
                    let locked = edited(Language::Trencher, &text, &[Change::LockStore(span)]);
                    let found = parse(Language::Trencher, &locked);
                    let expected = each(&program, |template| {
                        model::replace(template, |edge| {
                            let store = edge.instruction.clone();
                            let steps = vec![Instruction::Lock, store, Instruction::Unlock];
                            is_it(edge).then_some(steps)
                        })
                    });
                    assert_eq!(canonical::difference(&expected, &found), None, "{text}\n{locked}");
                    let stores = |program| model::spans(program, is_ordinary);
                    let number = stores(&program).binary_search(&span).expect("it is one");
                    let again = [Change::UnlockStore(stores(&found)[number])];
                    assert_eq!(edited(Language::Trencher, &locked, &again), text);
                    checked += 1;
                }
                Err(errors) => {
                    assert!(is_held(&errors), "{errors:#?}");
                    held += 1;
                }
            }
            if changed(Language::Trencher, &text, &[Change::UnlockStore(span)]).is_ok() {
                let edited = edited(Language::Trencher, &text, &[Change::UnlockStore(span)]);
                let found = without_skips(&parse(Language::Trencher, &edited));
                let expected = without_skips(&each(&program, |template| bare(template, span)));
                assert_eq!(canonical::difference(&expected, &found), None, "{text}\n{edited}");
                unlocked += 1;
            }
        }
    }
    assert!(checked > 300 && held > 50 && unlocked > 1, "{checked}, {held}, {unlocked}");
}
