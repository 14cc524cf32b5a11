//! Thread-transition systems as BFC writes them (`.tts`), with their property (`.prop`).
//!
//! The first line gives the number of shared and of local states. A line `s l -> t m` is a step of a
//! thread in local state `l`, and `s l +> t m` starts another thread in `m` while the first stays. Any
//! number of threads begin in local state 0, with shared state 0. The property is a shared state and the
//! local states of some threads, `s|l,m`: can these be reached at once?

use crate::net::{Initial, Marking, Net, Transition};
use crate::text::{ReadError, Tokens};

const SIGNS: &[&str] = &["+>", "->", "|", ","];

/// Reads a system; its net has no target yet.
pub fn read(text: &str) -> Result<Net, ReadError> {
    let mut tokens = Tokens::of(text, SIGNS)?;
    let (shared, local) = (tokens.number()?, tokens.number()?);
    let mut net = Net::new();
    for state in 0..shared {
        net.add_place(
            format!("s{state}"),
            Initial { least: u32::from(state == 0), or_more: false },
        );
    }
    for state in 0..local {
        net.add_place(format!("l{state}"), Initial { least: 0, or_more: state == 0 });
    }
    while tokens.peek().is_some() {
        let from = states(&mut tokens, shared, local)?;
        let starts_another = tokens.take("+>")?;
        if !starts_another {
            tokens.expect("->")?;
        }
        let to = states(&mut tokens, shared, local)?;
        let stays = starts_another.then_some(from.1);
        net.transitions.push(Transition {
            take: Marking::of([(from.0, 1), (from.1, 1)]),
            put: Marking::of([(to.0, 1), (to.1, 1)].into_iter().chain(stays.map(|one| (one, 1)))),
        });
    }
    Ok(net)
}

/// Reads a property of a system with so many shared states as the first of its places.
pub fn read_property(text: &str, net: &Net) -> Result<Marking, ReadError> {
    let mut tokens = Tokens::of(text, SIGNS)?;
    let count = |letter| net.places.iter().filter(|name| name.starts_with(letter)).count();
    let (shared, local) = (crate::net::number(count('s')), crate::net::number(count('l')));
    let mut target = vec![(state(&mut tokens, shared)?, 1)];
    tokens.expect("|")?;
    loop {
        target.push((shared + state(&mut tokens, local)?, 1));
        if !tokens.take(",")? {
            break;
        }
    }
    match tokens.peek() {
        None => Ok(Marking::of(target)),
        Some(_) => Err(tokens.unexpected("`,` or the end")),
    }
}

/// A shared and a local state, as places.
fn states(tokens: &mut Tokens<'_>, shared: u32, local: u32) -> Result<(u32, u32), ReadError> {
    Ok((state(tokens, shared)?, shared + state(tokens, local)?))
}

/// A state, of so many.
fn state(tokens: &mut Tokens<'_>, count: u32) -> Result<u32, ReadError> {
    let at = tokens.peek().map_or(0..0, |token| token.at.clone());
    let state = tokens.number()?;
    if state < count {
        return Ok(state);
    }
    Err(ReadError {
        at,
        message: format!("there is no state {state}: there are {count}, from 0 on"),
    })
}
