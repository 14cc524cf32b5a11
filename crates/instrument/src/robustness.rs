//! Trace robustness as SC reachability (ESOP'13, §5).
//!
//! By Theorem 1 of the paper a program is not robust exactly if some attack has a witness τ₁ · isu
//! · τ₂ · ld · τ₃ · st · τ₄ with the properties W1 to W5 of Fig. 4:
//!
//! - only the attacker delays stores (W1), beginning with st and up to ld (W2): `delay`;
//! - ld does not read early (W5): the attack ends only with a load of memory;
//! - what helpers do in τ₃ happens after ld, and leads to st (W3): `chain`;
//! - the delayed stores reach memory at last (W4): they need no step, as nothing depends on them.
//!
//! The oracle compares sets of traces, by which robustness is defined; where the paper says nothing
//! (locked instructions, sections, exclusive accesses, faults) `chain` and `delay` say what was
//! done so that the two agree.
//!
//! In the single program each thread is attacker and helper, and each store and each load may be
//! that of the attack. Who is the attacker is decided by an atomic read-write, as the paper does
//! for parameterised programs; everything else is as before, so it reaches its goal exactly if
//! `P_A` does for some attack A.

use program::index::Idx;
use program::{EdgeId, Instruction, Program, ProgramBuilder, Template};

use crate::attack::{Attack, is_delayable, is_load};
use crate::chain::{self, link_of};
use crate::delay::{Delay, End};
use crate::goal::{Goal, Impossible, Instrumented};
use crate::layout::Layout;
use crate::thread::{Mode, Shared, Writer};

/// The program `P_A`: its goal is reachable under SC exactly if the attack is feasible.
pub fn robustness_attack(program: &Program, attack: &Attack) -> Result<Instrumented, Impossible> {
    let threads = program.threads()?;
    let attacker = threads.get(attack.thread).ok_or(Impossible::NotAnAttack)?;
    let edges = program.template(attacker.template).edges();
    let is = |edge: EdgeId, what: fn(&Instruction) -> bool| {
        edges.get(edge).is_some_and(|edge| what(&edge.instruction))
    };
    if !is(attack.store, is_delayable) || !is(attack.load, is_load) {
        return Err(Impossible::NotAnAttack);
    }
    let delay = Delay { only: Some((attack.store, attack.load)), end: End::Chain };
    instrumented(program, "attack", |thread| {
        if thread == attack.thread.index() {
            Role { delay: Some(delay), helps: false }
        } else {
            Role { delay: None, helps: true }
        }
    })
}

/// One program for all attacks: its goal is reachable under SC exactly if the program is not
/// robust.
pub fn robustness_single(program: &Program) -> Result<Instrumented, Impossible> {
    let delay = Delay { only: None, end: End::Chain };
    instrumented(program, "attacks", |_| Role { delay: Some(delay), helps: true })
}

/// What a thread may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Role {
    pub(crate) delay: Option<Delay>,
    pub(crate) helps: bool,
}

/// The program with threads in these roles.
pub(crate) fn instrumented(
    program: &Program,
    suffix: &str,
    role: impl Fn(usize) -> Role,
) -> Result<Instrumented, Impossible> {
    let threads = program.threads()?;
    if let Some(at) = program.access_across() {
        return Err(Impossible::AccessAcross { at });
    }
    let edges = || program.templates().iter().flat_map(Template::edges);
    let sections = edges().any(|edge| edge.instruction == Instruction::Lock);
    let name = format!("{}-{suffix}", program.name());
    let mut builder = ProgramBuilder::new(name, program.memory().outside());
    let mut layout = Layout::new(program, &mut builder);
    let location = layout.own("suc", &mut builder);
    let roles: Vec<Role> = (0..threads.len()).map(role).collect();
    let mut own = |name: &str, needed: bool| needed.then(|| layout.own(name, &mut builder));
    let chains = |role: &Role| role.delay.is_some_and(|delay| delay.end == End::Chain);
    let chain_begun = own("hb", roles.iter().any(chains));
    let attacked = own("attacked", roles.iter().any(chains));
    let free = |role: &Role| role.delay.is_some_and(|delay| delay.only.is_none());
    let chosen = own("chosen", roles.iter().any(free));
    let address = builder.memory().location(location).base;
    let goal = Goal { location, address };
    let shared = Shared { layout, goal, sections, chain_begun, attacked, chosen };
    for (id, thread) in threads.enumerate() {
        let given = program.template(thread.template);
        let number = id.index();
        let role = roles[number];
        let named = (number.try_into().expect("few threads"), thread.name.clone());
        let writer = Writer::new(&shared, given, thread.copy, named);
        builder.template(writer.write_all(|writer, edge, instruction, copy| {
            write(writer, role, (edge, instruction), copy);
        }));
    }
    builder.build().map(|program| Instrumented { program, goal }).map_err(Impossible::DoesNotFit)
}

/// Writes an edge of a copy of the given code.
fn write(
    writer: &mut Writer<'_>,
    role: Role,
    (edge, instruction): (EdgeId, &Instruction),
    copy: Mode,
) {
    match copy {
        Mode::Given => {
            if role.helps {
                chain::help(writer, edge, instruction);
            } else {
                as_given(writer, edge, instruction, copy);
            }
            if let Some(delay) = role.delay {
                delay.begin(writer, edge, instruction);
            }
        }
        Mode::GivenSection => as_given(writer, edge, instruction, copy),
        Mode::Delaying => {
            let delay = role.delay.expect("only who may delay stores does");
            delay.go_on(writer, edge, instruction);
        }
        Mode::Pending | Mode::Chain | Mode::ChainSection => {
            let link = link_of(copy).expect("a copy for the chain");
            chain::go_on(writer, edge, instruction, (copy, link));
        }
    }
}

/// Writes an edge that does what it did.
fn as_given(writer: &mut Writer<'_>, edge: EdgeId, instruction: &Instruction, copy: Mode) {
    let target = match instruction {
        Instruction::Lock => copy.locked(),
        Instruction::Unlock => copy.unlocked(),
        Instruction::Skip
        | Instruction::Assign { .. }
        | Instruction::Choose { .. }
        | Instruction::Assume(_)
        | Instruction::Assert(_)
        | Instruction::Load { .. }
        | Instruction::Store { .. }
        | Instruction::StoreExclusive { .. }
        | Instruction::Update { .. }
        | Instruction::Fence(_) => Some(copy),
    };
    let Some(target) = target else { return };
    let from = writer.at(writer.given.edge(edge).from, copy);
    let to = writer.at(writer.given.edge(edge).to, target);
    writer.edge(from, to, writer.moved(instruction));
}
