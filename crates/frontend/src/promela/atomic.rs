//! The steps of atomic updates and exclusive stores.

use program::{Access, Expr, RegisterId, Update};

use super::operation::fetch;
use super::step::{OLD, Step, Thread};
use super::term::{Check, NoTerm, Term};

impl Thread<'_> {
    pub(super) fn store_exclusive(
        &self,
        fail: Step,
        status: RegisterId,
        (address, access): (&Expr, Access),
        value: &Expr,
    ) -> Result<Vec<Step>, NoTerm> {
        let place = self.place(address, access)?;
        let value = self.leaves.term(value)?;
        let mut checks = place.checks.clone();
        checks.extend(value.checks.iter().cloned());
        let at = place.address.clone()?.text;

        let mut succeed = Step { guard: fail.guard.clone(), body: Vec::new() };
        succeed.guard.extend(checks.iter().map(|check| format!("({})", check.condition)));
        succeed.guard.push(format!("(has_reservation[_pid] && reserved[_pid] == {at})"));
        let succeeded = self.admitted(&mut succeed, status, Term::constant(0)?);
        self.write(&mut succeed, &place, &value)?;

        // A value that the cell refuses is a fault also of a store that fails.
        let mut fail = fail;
        fail.assert_all(&checks);
        for candidate in &place.candidates {
            let refused = Term { checks: Vec::new(), ..value.clone() }.admit(candidate.domain);
            let elsewhere = candidate.when.as_ref().map(|when| format!("!{when} || "));
            for check in refused.checks {
                let condition =
                    format!("{}({})", elsewhere.as_deref().unwrap_or(""), check.condition);
                fail.assert_all(&[Check { condition, ..check }]);
            }
        }
        let failed = self.admitted(&mut fail, status, Term::constant(1)?);
        for (step, status) in [(&mut succeed, succeeded), (&mut fail, failed)] {
            step.run("has_reservation[_pid] = false");
            step.run("reserved[_pid] = 0");
            step.run(status);
        }
        Ok(vec![succeed, fail])
    }

    pub(super) fn update(
        &self,
        step: &mut Step,
        result: Option<RegisterId>,
        (address, access): (&Expr, Access),
        update: &Update,
    ) -> Result<(), NoTerm> {
        let place = self.place(address, access)?;
        let now = place.read(self.held).text;
        let old = Term::variable(OLD, self.held.clone());
        let read = |step: &mut Step, operands: &[Check]| {
            step.assert_all(&place.checks);
            step.assert_all(operands);
            step.run(format!("{OLD} = {now}"));
        };
        let received;
        match update {
            Update::BlockingReadWrite { expected, new } => {
                let (expected, new) = (self.leaves.term(expected)?, self.leaves.term(new)?);
                let checks = [&place.checks[..], &expected.checks, &new.checks].concat();
                step.wait_for(&format!("({now} == {})", expected.text), &checks);
                step.assert_all(&checks);
                return self.write(step, &place, &new);
            }
            Update::Exchange(new) => {
                let new = self.leaves.term(new)?;
                read(step, &new.checks);
                received = self.result(step, result, &old);
                self.write(step, &place, &new)?;
            }
            Update::Fetch { op, operand } => {
                let new = fetch(*op, old.clone(), self.leaves.term(operand)?);
                read(step, &[]);
                step.assert_all(&new.checks);
                received = self.result(step, result, &old);
                self.write(step, &place, &new)?;
            }
            Update::CompareAndSwap { expected, new } => {
                let (expected, new) = (self.leaves.term(expected)?, self.leaves.term(new)?);
                read(step, &[&expected.checks[..], &new.checks].concat());
                received = self.result(step, result, &old);
                let mut success = Step::default();
                self.write(&mut success, &place, &new)?;
                let success = success.body.join("; ");
                let equal = format!("{OLD} == {}", expected.text);
                step.run(format!("if :: ({equal}) -> {success} :: else -> skip fi"));
            }
        }
        step.body.extend(received);
        step.run(format!("{OLD} = 0"));
        Ok(())
    }

    /// Checks that the result of an update can be received, and gives the assignment.
    fn result(&self, step: &mut Step, result: Option<RegisterId>, old: &Term) -> Option<String> {
        result.map(|register| self.admitted(step, register, old.clone()))
    }
}
