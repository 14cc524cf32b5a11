//! Addresses of both Arm instruction sets: `[R1]`, `[R1,#4]`, `[R1,R2,LSL #2]`, `[R1,#4]!` and
//! `[R1],#4`; A64 also has `[X1,W2,SXTW #2]`.

use program::{BinaryOp, Diagnostic, Value};

use super::super::lex::Kind;
use super::super::load_store::Cell;
use super::super::load_store::syntax::{Register, Step, Term};
use super::super::machine::{signed, unsigned};
use super::shift;
use crate::token::Parsed;

/// An address, and what becomes of the register it is based on.
pub(in crate::litmus) struct Addressing {
    pub(in crate::litmus) address: Term,
    pub(in crate::litmus) write_back: Option<(Register, Term)>,
}

impl Addressing {
    /// The step that writes the base register back, after `loaded` was loaded.
    pub(in crate::litmus) fn write_back(
        self,
        cell: &mut Cell<'_>,
        loaded: Option<&Register>,
    ) -> Parsed<Option<Step>> {
        let Some((base, value)) = self.write_back else { return Ok(None) };
        if loaded.is_some_and(|loaded| value.mentions(loaded)) {
            let message = "a register of an address that is written back is loaded";
            let error = Diagnostic::new(cell.span(), message);
            return cell.fail(error.help("load another register"));
        }
        Ok(Some(Step::Assign { to: base, value }))
    }
}

/// Reads an address of a machine whose addresses have this many bits.
pub(in crate::litmus) fn address(cell: &mut Cell<'_>, bits: u8) -> Parsed<Addressing> {
    cell.expect(Kind::OpenBracket, "an address, as in `[X1]`")?;
    let base = base(cell, bits)?;
    let start = Term::Register(base.clone());
    let offset = if cell.eat(Kind::Comma) { Some(offset(cell, bits)?) } else { None };
    cell.expect(Kind::CloseBracket, "`,` or `]`")?;
    let with = |offset: Option<Term>| match offset {
        None | Some(Term::Number(0)) => start.clone(),
        Some(offset) => Term::binary(BinaryOp::Add, start.clone(), offset),
    };
    if cell.eat(Kind::Bang) {
        let address = with(offset);
        return Ok(Addressing { write_back: Some((base, address.clone())), address });
    }
    if offset.is_none() && cell.eat(Kind::Comma) {
        let after = with(Some(self::offset(cell, bits)?));
        return Ok(Addressing { address: start, write_back: Some((base, after)) });
    }
    Ok(Addressing { address: with(offset), write_back: None })
}

/// `[X1]`: the only address that exclusive and ordered accesses have.
pub(in crate::litmus) fn simple_address(cell: &mut Cell<'_>, bits: u8) -> Parsed<Term> {
    cell.expect(Kind::OpenBracket, "an address, as in `[X1]`")?;
    let base = base(cell, bits)?;
    if cell.eat(Kind::Comma) {
        cell.number_up_to(0)?;
    }
    cell.expect(Kind::CloseBracket, "`]`")?;
    Ok(Term::Register(base))
}

fn base(cell: &mut Cell<'_>, bits: u8) -> Parsed<Register> {
    let span = cell.peek().span;
    let base = cell.register()?;
    let register = base.with_bits(bits);
    if base.bits().is_some_and(|own| own != bits) || matches!(base, Register::Zero { .. }) {
        let message = format!("an address is in a register of {bits} bits");
        return cell.fail(Diagnostic::new(span, message));
    }
    Ok(register)
}

fn offset(cell: &mut Cell<'_>, bits: u8) -> Parsed<Term> {
    let minus = cell.peek().kind == Kind::Minus && !matches!(cell.peek_at(1).kind, Kind::Number);
    if minus {
        cell.advance();
    }
    if !cell.at_register() {
        return Ok(Term::Number(cell.number()?));
    }
    let register = cell.register()?;
    let narrow = register.bits().is_some_and(|own| own < bits);
    let value = super::super::load_store::term(register);
    let value = match extended(cell, &value, narrow)? {
        Some(extended) => extended,
        None if narrow => {
            return cell.unexpected("`,SXTW` or `,UXTW` after a register of 32 bits");
        }
        None => shift::shifted(cell, value, bits)?,
    };
    let zero = Term::Number(0);
    Ok(if minus { Term::binary(BinaryOp::Sub, zero, value) } else { value })
}

/// `, SXTW #2` after a register, if it is there.
pub(in crate::litmus) fn extended(
    cell: &mut Cell<'_>,
    value: &Term,
    narrow: bool,
) -> Parsed<Option<Term>> {
    if cell.peek().kind != Kind::Comma {
        return Ok(None);
    }
    let cast = |int| Term::Cast(int, Box::new(value.clone()));
    let extended = match cell.peek_at(1).text.to_ascii_lowercase().as_str() {
        // A register that only half is meant of is read as a signed number already.
        "sxtw" if narrow => value.clone(),
        "sxtw" => cast(signed(32)),
        "uxtw" => cast(unsigned(32)),
        "sxth" => cast(signed(16)),
        "uxth" => cast(unsigned(16)),
        "sxtb" => cast(signed(8)),
        "uxtb" => cast(unsigned(8)),
        "sxtx" | "uxtx" => value.clone(),
        _ => return Ok(None),
    };
    cell.advance();
    cell.advance();
    if matches!(cell.peek().kind, Kind::Hash | Kind::Number) {
        let by: Value = cell.number_up_to(4)?;
        return Ok(Some(Term::binary(BinaryOp::Shl, extended, Term::Number(by))));
    }
    Ok(Some(extended))
}
