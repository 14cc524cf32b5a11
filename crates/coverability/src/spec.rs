//! Petri nets as mist writes them (`.spec`).
//!
//! Sections `vars`, `rules`, `init`, `target` and `invariants`, in this order, the last may be missing. A
//! rule is `x >= 1, y >= 2 -> x' = x - 1, z' = z + 1;`: what must be there, and how the numbers of tokens
//! change. A place begins with none if `init` does not mention it, with exactly `n` if it says `x = n`, and
//! with any number from `n` on if it says `x >= n`. Each line of `target` is a marking to cover; conditions
//! of one marking are separated by commas. Each line of `invariants` gives weights of places whose sum the
//! net claims to stay as it is: that is checked before it is used.
//!
//! A rule that takes more than it asks for can go below zero in mist's language, which no Petri net does;
//! it is refused. So are transfers and resets.

use rustc_hash::FxHashMap;

use crate::net::{Initial, Marking, Net, Place, Transition};
use crate::text::{ReadError, Tokens};

const SIGNS: &[&str] = &["->", ">=", "=", "+", "-", ",", ";"];
const SECTIONS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

/// Reads a net.
pub fn read(text: &str) -> Result<Net, ReadError> {
    let mut tokens = Tokens::of(text, SIGNS)?;
    let mut net = Net::new();
    let mut places = FxHashMap::default();
    tokens.expect("vars")?;
    while !tokens.is_next("rules") {
        let token = tokens.any("a place or `rules`")?;
        let place = net.add_place(token.text, Initial::default());
        if places.insert(token.text, place).is_some() {
            let message = format!("`{}` is declared twice", token.text);
            return Err(ReadError { at: token.at, message });
        }
    }
    let mut reader = Reader { tokens, places };
    reader.tokens.expect("rules")?;
    while !reader.tokens.is_next("init") {
        let transition = reader.rule()?;
        net.transitions.push(transition);
    }
    reader.tokens.expect("init")?;
    reader.initial(&mut net)?;
    reader.tokens.expect("target")?;
    while reader.tokens.peek().is_some() && !reader.tokens.is_next("invariants") {
        net.targets.push(reader.target()?);
    }
    if reader.tokens.take("invariants")? {
        while reader.tokens.peek().is_some() {
            net.claims.push(reader.conditions("=")?);
        }
    }
    Ok(net)
}

struct Reader<'t> {
    tokens: Tokens<'t>,
    places: FxHashMap<&'t str, Place>,
}

impl<'t> Reader<'t> {
    /// The place with this name.
    fn named(&self, name: &'t str, at: std::ops::Range<usize>) -> Result<Place, ReadError> {
        let place = self.places.get(name).copied();
        place.ok_or_else(|| ReadError { at, message: format!("there is no place `{name}`") })
    }

    fn place(&mut self) -> Result<Place, ReadError> {
        let token = self.tokens.any("a place")?;
        self.named(token.text, token.at)
    }

    /// `x >= 1, … -> x' = x - 1, …;`
    fn rule(&mut self) -> Result<Transition, ReadError> {
        let mut needs: Vec<(Place, u32)> = Vec::new();
        while !self.tokens.take("->")? {
            let place = self.place()?;
            self.tokens.expect(">=")?;
            let least = self.tokens.number()?;
            match needs.iter_mut().find(|(one, _)| *one == place) {
                Some((_, count)) => *count = least.max(*count),
                None => needs.push((place, least)),
            }
            if !self.tokens.take(",")? && !self.tokens.is_next("->") {
                return Err(self.tokens.unexpected("`,` or `->`"));
            }
        }
        let take = Marking::of(needs.iter().copied());
        let mut put: FxHashMap<Place, u32> = needs.into_iter().collect();
        let mut is_changed = Vec::new();
        while !self.tokens.take(";")? {
            let changed = self.tokens.any("a place with `'`, or `;`")?;
            let at = changed.at.clone();
            let Some(name) = changed.text.strip_suffix('\'') else {
                let message = format!("expected `{}'`", changed.text);
                return Err(ReadError { at, message });
            };
            let place = self.named(name, at.clone())?;
            self.tokens.expect("=")?;
            let of = self.tokens.any("a place")?;
            if of.text != name {
                let message = "only `x' = x + n` and `x' = x - n` are changes of a Petri net";
                return Err(ReadError { at: of.at, message: message.to_owned() });
            }
            if is_changed.contains(&place) {
                let message = format!("`{name}` is changed twice");
                return Err(ReadError { at, message });
            }
            is_changed.push(place);
            let held = put.entry(place).or_default();
            let beyond = |message: &str| ReadError { at: at.clone(), message: message.to_owned() };
            if self.tokens.take("+")? {
                let more = self.tokens.number()?;
                *held = held.checked_add(more).ok_or_else(|| beyond("too many tokens"))?;
            } else if self.tokens.take("-")? {
                let less = self.tokens.number()?;
                let message =
                    "more is taken than the rule asks for: say `>=` with as many before `->`";
                *held = held.checked_sub(less).ok_or_else(|| beyond(message))?;
            } else {
                return Err(self.tokens.unexpected("`+` or `-`"));
            }
            if !self.tokens.take(",")? && !self.tokens.is_next(";") {
                return Err(self.tokens.unexpected("`,` or `;`"));
            }
        }
        Ok(Transition { take, put: Marking::of(put) })
    }

    /// `x = 1, y >= 0`
    fn initial(&mut self, net: &mut Net) -> Result<(), ReadError> {
        while !self.tokens.is_next("target") {
            let place = self.place()?;
            let or_more = self.tokens.take(">=")?;
            if !or_more {
                self.tokens.expect("=")?;
            }
            net.initial[place as usize] = Initial { least: self.tokens.number()?, or_more };
            if !self.tokens.take(",")? && !self.tokens.is_next("target") {
                return Err(self.tokens.unexpected("`,` or `target`"));
            }
        }
        Ok(())
    }

    /// `x >= 1, y >= 2`
    fn target(&mut self) -> Result<Marking, ReadError> {
        self.conditions(">=")
    }

    /// Places with numbers, this sign between them, separated by commas.
    fn conditions(&mut self, sign: &str) -> Result<Marking, ReadError> {
        let mut least: Vec<(Place, u32)> = Vec::new();
        loop {
            let place = self.place()?;
            self.tokens.expect(sign)?;
            let count = self.tokens.number()?;
            match least.iter_mut().find(|(one, _)| *one == place) {
                Some((_, held)) => *held = count.max(*held),
                None => least.push((place, count)),
            }
            if !self.tokens.take(",")? {
                break;
            }
        }
        let after = self.tokens.peek().is_none_or(|next| {
            self.places.contains_key(next.text) || SECTIONS.contains(&next.text)
        });
        if after { Ok(Marking::of(least)) } else { Err(self.tokens.unexpected("`,` or a place")) }
    }
}
