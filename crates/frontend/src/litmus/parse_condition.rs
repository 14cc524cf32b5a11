//! Parsing the end of a test: `locations [x; 0:EAX;]`, `filter …` and the final condition.
//!
//! Operators bind as in herd: `~` tightest, then `=>`, then `/\`, then `\/`.

use program::{Diagnostic, Proposition, Quantifier};

use super::ast::{File, Name, Place, Prop};
use super::lex::Kind;
use super::parse::Parser;
use crate::token::{Failed, Parsed, Reader};

/// A proposition and how deep it is nested.
type Deep = (Prop, usize);

impl Parser<'_> {
    /// Whether the table is over.
    pub(super) fn at_final_part(&self) -> bool {
        let (first, second) = (self.peek(), self.peek_at(1));
        if first.kind == Kind::Word {
            match first.text {
                "exists" | "forall" | "filter" | "final" => true,
                "locations" => second.kind == Kind::OpenBracket,
                "not" => second.text == "exists",
                _ => false,
            }
        } else {
            matches!(first.kind, Kind::End | Kind::Tilde | Kind::OpenParen)
        }
    }

    pub(super) fn final_part(&mut self, file: &mut File) {
        if self.peek().text == "locations" && self.locations(&mut file.observed).is_err() {
            self.skip_to(&[Kind::CloseBracket]);
            self.advance();
        }
        if self.peek().text == "filter" {
            self.advance();
            match self.proposition() {
                Ok(filter) => file.filter = Some(filter),
                Err(Failed) => self.skip_to(&[]),
            }
        }
        let asks = !file.observed.is_empty() || file.filter.is_some() || !self.errors.is_empty();
        if self.peek().kind == Kind::End && asks {
            return;
        }
        if let Ok(condition) = self.condition() {
            file.condition = Some(condition);
            self.eat(Kind::Semicolon);
            if self.peek().text == "with" && self.verdicts().is_err() {
                return;
            }
            if self.peek().kind != Kind::End {
                let _: Parsed<()> = self.unexpected("the end of the text");
            }
        }
    }

    /// `with tso: exists; sc: ~exists;`: what the author expects of single models, which changes
    /// nothing in what is asked.
    fn verdicts(&mut self) -> Parsed<()> {
        self.advance();
        while self.peek().kind != Kind::End {
            self.name("the name of a memory model")?;
            self.expect(Kind::Colon, "`:`")?;
            let negated = self.eat(Kind::Tilde) || self.peek().text == "not";
            if self.peek().text == "not" {
                self.advance();
            }
            match self.peek().text {
                "exists" => {}
                "forall" if !negated => {}
                _ => return self.unexpected("`exists`, `~exists` or `forall`"),
            }
            self.advance();
            if !self.eat(Kind::Semicolon) && self.peek().kind != Kind::End {
                return self.unexpected("`;`");
            }
        }
        Ok(())
    }

    fn locations(&mut self, observed: &mut Vec<Place>) -> Parsed<()> {
        self.advance();
        self.expect(Kind::OpenBracket, "`[`")?;
        while !self.eat(Kind::CloseBracket) {
            self.refuse_beyond()?;
            observed.push(self.place()?);
            // A type in which herd would show the value.
            if self.peek().kind == Kind::Word {
                self.advance();
            }
            self.eat(Kind::Star);
            if !self.eat(Kind::Semicolon) {
                self.expect(Kind::CloseBracket, "`;` or `]`")?;
                return Ok(());
            }
        }
        Ok(())
    }

    fn condition(&mut self) -> Parsed<(Quantifier, Prop)> {
        let token = self.peek();
        let quantifier = match token.text {
            "exists" | "final" => {
                self.advance();
                Quantifier::Exists
            }
            "forall" => {
                self.advance();
                Quantifier::Always
            }
            "~" | "not" => {
                self.advance();
                if self.peek().text != "exists" {
                    return self.unexpected("`exists`");
                }
                self.advance();
                Quantifier::Never
            }
            "(" => Quantifier::Exists,
            _ => return self.unexpected("`exists`, `~exists` or `forall`"),
        };
        Ok((quantifier, self.proposition()?))
    }

    pub(super) fn proposition(&mut self) -> Parsed<Prop> {
        self.disjunction(0).map(|(prop, _)| prop)
    }

    fn disjunction(&mut self, inside: usize) -> Parsed<Deep> {
        let mut left = self.conjunction(inside)?;
        while self.eat(Kind::Or) {
            let right = self.conjunction(inside)?;
            left = self.joined(left, right, Prop::Or)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self, inside: usize) -> Parsed<Deep> {
        let mut left = self.implication(inside)?;
        while self.eat(Kind::And) {
            let right = self.implication(inside)?;
            left = self.joined(left, right, Prop::And)?;
        }
        Ok(left)
    }

    fn implication(&mut self, inside: usize) -> Parsed<Deep> {
        let mut parts = vec![self.negation(inside)?];
        while self.eat(Kind::Implies) {
            parts.push(self.negation(inside)?);
        }
        let mut parts = parts.into_iter().rev();
        let Some(mut right) = parts.next() else { return Err(Failed) };
        for left in parts {
            right = self.joined(left, right, Prop::Implies)?;
        }
        Ok(right)
    }

    fn negation(&mut self, inside: usize) -> Parsed<Deep> {
        self.check_depth(inside)?;
        let token = self.peek();
        if token.kind == Kind::Tilde || token.text == "not" {
            self.advance();
            let (prop, depth) = self.negation(inside + 1)?;
            self.check_depth(depth + 1)?;
            return Ok((Prop::Not(Box::new(prop)), depth + 1));
        }
        if self.eat(Kind::OpenParen) {
            let inner = self.disjunction(inside + 1)?;
            self.expect(Kind::CloseParen, "`)`")?;
            return Ok(inner);
        }
        match token.text {
            "true" => {
                self.advance();
                Ok((Prop::Constant(true), 0))
            }
            "false" => {
                self.advance();
                Ok((Prop::Constant(false), 0))
            }
            _ => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Parsed<Deep> {
        self.refuse_beyond()?;
        let start = self.peek().span;
        let place = if self.eat(Kind::OpenBracket) {
            let name = self.name("the name of a location")?;
            self.expect(Kind::CloseBracket, "`]`")?;
            Place::Memory { name, index: None }
        } else {
            self.place()?
        };
        let equal = self.eat(Kind::Equal);
        if !equal {
            self.expect(Kind::NotEqual, "`=` and a value")?;
        }
        let prop = if self.peek().kind == Kind::OpenBrace {
            let values = self.values()?;
            let Some(name) = array_name(&place) else {
                let error = Diagnostic::new(place.span(), "only an array has several values");
                self.errors.push(error);
                return Err(Failed);
            };
            Prop::EqualsEach(name, values, start.to(self.last_span()))
        } else {
            Prop::Equals(place, self.constant()?)
        };
        Ok(if equal { (prop, 0) } else { (Prop::Not(Box::new(prop)), 1) })
    }

    fn joined(
        &mut self,
        (left, left_depth): Deep,
        (right, right_depth): Deep,
        connective: fn(Box<Prop>, Box<Prop>) -> Prop,
    ) -> Parsed<Deep> {
        let depth = left_depth.max(right_depth) + 1;
        self.check_depth(depth)?;
        Ok((connective(Box::new(left), Box::new(right)), depth))
    }

    fn check_depth(&mut self, depth: usize) -> Parsed<()> {
        if depth <= Proposition::MAX_DEPTH {
            return Ok(());
        }
        let message = format!("condition nested more than {} deep", Proposition::MAX_DEPTH);
        let error = Diagnostic::new(self.peek().span, message);
        self.errors.push(error.help("group its parts with parentheses"));
        Err(Failed)
    }
}

fn array_name(place: &Place) -> Option<Name> {
    match place {
        Place::Memory { name, index: None } => Some(name.clone()),
        Place::Memory { index: Some(_), .. } | Place::Register { .. } | Place::Symbolic(_) => None,
    }
}
