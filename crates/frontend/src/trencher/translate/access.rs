//! Accesses to memory: where they go, and what comes to rest there.

use program::{Access, AccessWidth, Domain, Expr, Fault, Outside, Value};

use super::super::declared_size;
use super::expression::{Inexpressible, Scope, Translated, constant, in_range, wrap};

/// Memory with more gaps than this would need unreadable checks of computed addresses.
const MAX_RANGES: usize = 8;

/// What an access hits, where its guards hold.
pub(super) struct Target {
    /// The address.
    pub(super) address: Expr,
    /// When the access does not fault.
    pub(super) guards: Vec<Expr>,
    /// What the cell can hold, unless that depends on the address.
    pub(super) domain: Option<Domain>,
}

impl Scope<'_> {
    /// What an access to `address` hits.
    pub(super) fn target(&self, address: &Expr, access: Access) -> Result<Target, Inexpressible> {
        if access.exclusive {
            return Err("an exclusive access".to_owned());
        }
        let mut target = match address {
            // With a declared size the access itself faults, so that nothing need be checked.
            Expr::Element(_, index) if self.has_declared_size() => {
                let Translated { expr, guards } = self.translate(index)?;
                Target { address: expr, guards, domain: Some(Domain::Integer) }
            }
            Expr::Element(location, _) => {
                let Translated { expr, guards } = self.translate(address)?;
                let domain = Some(self.memory.location(*location).domain);
                Target { address: expr, guards, domain }
            }
            Expr::Const(_)
            | Expr::Register(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(_)
            | Expr::Cast(..) => self.computed_target(self.translate(address)?)?,
        };
        if let AccessWidth::Bytes(bytes) = access.width {
            match target.domain {
                Some(Domain::Wrapping(int)) if u32::from(bytes) * 8 != u32::from(int.bits()) => {
                    target.guards.push(Expr::Const(0));
                }
                Some(Domain::Wrapping(_) | Domain::Integer | Domain::Range { .. }) => {}
                None => {
                    return Err("an access of this width to memory of several".to_owned());
                }
            }
        }
        Ok(target)
    }

    fn has_declared_size(&self) -> bool {
        declared_size(self.memory).is_some()
    }

    fn computed_target(&self, address: Translated) -> Result<Target, Inexpressible> {
        let Translated { expr: address, mut guards } = address;
        if self.has_declared_size() || self.memory.locations().is_empty() && self.is_open() {
            return Ok(Target { address, guards, domain: Some(Domain::Integer) });
        }
        if let Some(value) = self.constant_value(&address) {
            let domain = match self.memory.cell(value) {
                Ok(cell) => cell.domain,
                Err(Fault::Overflow) => return Err("an address of more than 64 bits".to_owned()),
                Err(_) => {
                    guards.push(Expr::Const(0));
                    Domain::Integer
                }
            };
            return Ok(Target { address, guards, domain: Some(domain) });
        }
        if !self.is_open() {
            guards.push(self.is_declared(&address)?);
        }
        let undeclared = self.is_open().then_some(Domain::Integer);
        let mut domains =
            self.memory.locations().iter().map(|location| location.domain).chain(undeclared);
        let first = domains.next();
        let domain = first.filter(|first| domains.all(|domain| domain == *first));
        Ok(Target { address, guards, domain })
    }

    fn is_open(&self) -> bool {
        self.memory.outside() == Outside::ZeroCell
    }

    /// The condition that an address belongs to a declared location.
    fn is_declared(&self, address: &Expr) -> Result<Expr, Inexpressible> {
        let mut spans: Vec<(Value, Value)> = Vec::new();
        for location in self.memory.locations() {
            if location.stride != 1 && location.cells() > 1 {
                return Err("a computed address in memory with gaps".to_owned());
            }
            spans.push((location.base, location.base + Value::from(location.cells()) - 1));
        }
        spans.sort_unstable();
        let mut ranges: Vec<(Value, Value)> = Vec::new();
        for (low, high) in spans {
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 == low => *end = high,
                Some(_) | None => ranges.push((low, high)),
            }
        }
        if ranges.len() > MAX_RANGES {
            return Err("a computed address in memory with gaps".to_owned());
        }
        let conditions: Vec<Expr> = ranges
            .into_iter()
            .map(|(low, high)| in_range(address, low, high))
            .collect::<Result<_, _>>()?;
        let any = conditions
            .into_iter()
            .rev()
            .reduce(|rest, condition| Expr::binary(program::BinaryOp::Or, condition, rest));
        // In closed memory without locations no address is right.
        Ok(any.unwrap_or(Expr::Const(0)))
    }

    /// What is held after a translated value is put into a place of this domain, and when that is
    /// no fault.
    pub(super) fn admit(
        &self,
        value: Expr,
        domain: Domain,
    ) -> Result<(Expr, Option<Expr>), Inexpressible> {
        let (low, high) = domain.bounds();
        if domain == Domain::Integer || self.lies_within(&value, low, high) {
            return Ok((value, None));
        }
        if let Some(known) = self.constant_value(&value) {
            return Ok(match domain.admit(known) {
                Ok(held) => (constant(held)?, None),
                Err(_) => (Expr::Const(0), Some(Expr::Const(0))),
            });
        }
        match domain {
            Domain::Integer => Ok((value, None)),
            Domain::Range { low, high } => {
                let guard = in_range(&value, low, high)?;
                Ok((value, Some(guard)))
            }
            Domain::Wrapping(int) => Ok((wrap(int, value)?, None)),
        }
    }
}
