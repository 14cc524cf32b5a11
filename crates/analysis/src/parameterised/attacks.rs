//! Attacks one by one, for any number of threads: as ESOP'13, §6 has it, one copy of a thread is the attacker, a
//! thread by itself, and of its other copies there is any number, to help it.

use program::index::Idx;
use program::{Count, Program, TemplateId, ThreadId};

use super::instances::Instances;
use super::prove::Family;
use super::race::decide;
use crate::portfolio::Remark;
use crate::robustness::{AttackFilter, AttackTable, Attacks, is_feasible};
use crate::sc::{Look, Sc};
use crate::verdict::{Options, Statistics, Verdict, Watch};
use instrument::{Attack, attacks, refuted_by_control_flow};

/// An attacker: a template, and which copy of it. Of one with any number of copies it is the first.
type Attacker = (TemplateId, u32);

/// Asks about all attacks one by one: whether there is an instance in which it is feasible. Copies of a thread
/// of any number make the same attacks, which are asked about once. Thread numbers are those of
/// [`AttackTable::instance`].
pub fn per_attack(program: &Program, options: &Options, watch: &mut Watch<'_>) -> AttackTable {
    let family = Family::of(program, options);
    let shown = family.representative();
    let all = attacks(shown).expect("it is definite").into_iter();
    let all: Vec<(Attacker, Attack)> = all
        .map(|attack| (attacker(shown, attack.thread), attack))
        .filter(|((template, copy), _)| {
            *copy == 0 || program.template(*template).count() != Count::Any
        })
        .collect();
    let mut table = AttackTable { attacks: all.len(), ..AttackTable::default() };
    let is_refuted = |(_, attack): &(Attacker, Attack)| refuted_by_control_flow(shown, attack);
    let (refuted, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_refuted);
    table.refuted_by_control_flow = refuted.len();
    let refused = family.refused();
    for (attacker, attack) in rest {
        let verdict = match &refused {
            Some(reason) => Verdict::Undecided(reason.clone()),
            None => one(&family, program, attacker, attack, watch),
        };
        match verdict {
            Verdict::Holds(_) => table.refuted_by_search += 1,
            Verdict::Violated(()) => table.feasible.push(attack),
            Verdict::Undecided(reason) => {
                table.undecided += 1;
                table.reason.get_or_insert(reason);
            }
        }
    }
    table.instance = Some(Box::new(shown.clone()));
    table
}

fn attacker(program: &Program, thread: ThreadId) -> Attacker {
    let thread = &program.threads().expect("it is definite")[thread];
    (thread.template, thread.copy)
}

/// The same attack by a thread of another instance.
fn by(program: &Program, (template, copy): Attacker, attack: Attack) -> Attack {
    let threads = program.threads().expect("it is definite");
    let mut numbered = threads.enumerate();
    let found = numbered.find(|(_, one)| (one.template, one.copy) == (template, copy));
    Attack { thread: found.map_or(attack.thread, |(id, _)| id), ..attack }
}

/// Whether one attack is feasible in no instance.
fn one(
    family: &Family<'_>,
    program: &Program,
    attacker: Attacker,
    attack: Attack,
    watch: &mut Watch<'_>,
) -> Verdict<()> {
    let instances = Instances::of(program).with_copy(attacker.0, attacker.1);
    let ask = |instance: &Program, options: &Options, _: &mut Watch<'_>| {
        let found = is_feasible(instance, by(instance, attacker, attack), options);
        (found.expect("it is definite").map(drop), Statistics::default())
    };
    let prove = |options: &Options, watch: &mut Watch<'_>, remark: &mut Option<Remark>| {
        let family = Family::of(program, options);
        let any = program.templates().enumerate().filter(|(_, one)| one.count() == Count::Any);
        let counts: Vec<(TemplateId, u32)> =
            any.map(|(id, _)| (id, if id == attacker.0 { 2 } else { 1 })).collect();
        let instance = Instances::of(program).program(&counts);
        let attack = by(&instance, attacker, attack);
        let sc = Sc::new(&instance, Look { tell_copies_apart: true, ..family.look(false) });
        let sc = sc.expect("it is definite");
        let threads = sc.threads().enumerate();
        let classes: Vec<(TemplateId, bool)> = threads
            .map(|(id, thread)| {
                let is_any = program.template(thread.template).count() == Count::Any;
                (thread.template, is_any && id.index() != attack.thread.index())
            })
            .collect();
        let attack_filter = AttackFilter::of(&sc, Some(attack));
        let attacks = Attacks { sc, attack_filter, most_delays: None };
        family.prove_attacks(&attacks, &classes, watch, remark)
    };
    decide(&instances, family.options, watch, ask, prove).verdict
}
