//! Accesses of shared memory: atomic variables, and structures under a mutex.

use super::{Both, Generator, I16, I32, Local, Type, U8, both};

/// The orders that an access may have, in both languages.
const ORDERS: [(&str, &str); 5] = [
    ("memory_order_relaxed", "Relaxed"),
    ("memory_order_acquire", "Acquire"),
    ("memory_order_release", "Release"),
    ("memory_order_acq_rel", "AcqRel"),
    ("memory_order_seq_cst", "SeqCst"),
];

/// Rust's type of atomic variables that hold a type.
pub(super) fn atomic_of(ty: Type) -> &'static str {
    match ty.name {
        "u8" => "AtomicU8",
        "i16" => "AtomicI16",
        "i32" => "AtomicI32",
        "u32" => "AtomicU32",
        "i64" => "AtomicI64",
        _ => "AtomicU64",
    }
}

impl Generator {
    fn order(&mut self, allowed: &[usize]) -> (&'static str, &'static str) {
        ORDERS[self.pick(allowed)]
    }

    /// A local variable is given a value.
    pub(super) fn assigned(&mut self, value: &Both, ty: Type) -> Both {
        let local = self.pick(&self.locals.clone());
        let (name, text) = (local.ty.name, local.text);
        if local.ty == ty {
            return both(
                format!("{} = {};", text.c, value.c),
                format!("{} = {};", text.rust, value.rust),
            );
        }
        both(
            format!("{} = ({name})({});", text.c, value.c),
            format!("{} = ({}) as {name};", text.rust, value.rust),
        )
    }

    pub(super) fn load_from(&mut self, at: usize) -> Both {
        self.pay(1);
        let (c, rust) = self.order(&[0, 1, 4]);
        let value =
            both(format!("atomic_load_explicit(&A{at}, {c})"), format!("A{at}.load({rust})"));
        self.assigned(&value, self.atomics[at])
    }

    pub(super) fn store_to(&mut self, at: usize) -> Both {
        self.pay(1);
        let ty = self.atomics[at];
        let value = self.expression(ty, 1);
        let (c, rust) = self.order(&[0, 0, 2, 4]);
        both(
            format!("atomic_store_explicit(&A{at}, {}, {c});", value.c),
            format!("A{at}.store({}, {rust});", value.rust),
        )
    }

    /// An access of an atomic variable, or a fence.
    pub(super) fn atomic_access(&mut self) -> Both {
        let at = self.random.usize(..self.atomics.len());
        let ty = self.atomics[at];
        match self.random.usize(..9) {
            0 | 1 => self.load_from(at),
            2 | 3 => self.store_to(at),
            4 | 5 if self.can_afford(2) => {
                self.pay(2);
                let value = self.expression(ty, 1);
                let (c, rust) = self.order(&[0, 1, 2, 3, 4]);
                let (op, name) = self.pick(&[
                    ("atomic_fetch_add", "fetch_add"),
                    ("atomic_fetch_sub", "fetch_sub"),
                    ("atomic_fetch_and", "fetch_and"),
                    ("atomic_fetch_or", "fetch_or"),
                    ("atomic_fetch_xor", "fetch_xor"),
                    ("atomic_exchange", "swap"),
                ]);
                let result = both(
                    format!("{op}_explicit(&A{at}, {}, {c})", value.c),
                    format!("A{at}.{name}({}, {rust})", value.rust),
                );
                self.assigned(&result, ty)
            }
            6 | 7 if self.can_afford(2) => self.compare_exchange(at),
            _ => self.fence(),
        }
    }

    fn compare_exchange(&mut self, at: usize) -> Both {
        self.pay(2);
        let ty = self.atomics[at];
        let (expected, new) = (self.expression(ty, 1), self.expression(ty, 1));
        let (success, failure) = (self.order(&[0, 1, 2, 3, 4]), self.order(&[0, 1, 4]));
        let name = self.fresh("e");
        let seen = both(name.clone(), name.clone());
        let (yes, no) = (self.assigned(&seen, ty), self.assigned(&seen, ty));
        let strength = self.pick(&[("strong", ""), ("weak", "_weak")]);
        both(
            format!(
                "{{ {} {name} = {}; if (atomic_compare_exchange_{}_explicit(&A{at}, &{name}, {}, {}, {})) {{ {} }} else {{ {} }} }}",
                ty.name, expected.c, strength.0, new.c, success.0, failure.0, yes.c, no.c
            ),
            format!(
                "match A{at}.compare_exchange{}({}, {}, {}, {}) {{ Ok({name}) => {{ {} }} Err({name}) => {{ {} }} }}",
                strength.1, expected.rust, new.rust, success.1, failure.1, yes.rust, no.rust
            ),
        )
    }

    fn fence(&mut self) -> Both {
        let (c, rust) = self.order(&[1, 2, 3, 4, 4, 4]);
        if self.one_in(4) {
            return both(
                format!("atomic_signal_fence({c});"),
                format!("atomic::compiler_fence({rust});"),
            );
        }
        both(format!("atomic_thread_fence({c});"), format!("atomic::fence({rust});"))
    }

    /// Statements under a mutex.
    pub(super) fn section(&mut self) -> Vec<Both> {
        let at = self.random.usize(..self.mutexes);
        if self.held.contains(&at) {
            return vec![self.atomic_access()];
        }
        self.pay(1);
        self.held.push(at);
        let guard = self.fresh("g");
        let known = self.locals.len();
        let places =
            [("a", "a", I32), ("b", "b", U8), ("v[1]", "v[1]", I16), ("v[2]", "v[2]", I16)];
        for (c, rust, ty) in places {
            let text = both(format!("d{at}.{c}"), format!("{guard}.{rust}"));
            self.locals.push(Local { text, ty });
        }
        let statements = self.random.usize(1..3);
        let mut body = self.block(statements);
        if self.one_in(3) {
            let (copy, value) = (self.fresh("d"), self.expression(I32, 0));
            body.push(both(
                format!(
                    "{{ struct data {copy} = d{at}; {copy}.v[0] = (i16){}; d{at} = {copy}; }}",
                    value.c
                ),
                format!(
                    "{{ let mut {copy} = *{guard}; {copy}.v[0] = {} as i16; *{guard} = {copy}; }}",
                    value.rust
                ),
            ));
        }
        self.locals.truncate(known);
        self.held.pop();
        let (head, tail) = match self.random.usize(..5) {
            0 => (
                both(
                    format!("if (pthread_mutex_trylock(&m{at}) == 0) {{"),
                    format!("if let Ok(mut {guard}) = M{at}.try_lock() {{"),
                ),
                both(format!("pthread_mutex_unlock(&m{at}); }}"), "}"),
            ),
            1 => (
                both(
                    format!("{{ pthread_mutex_lock(&m{at});"),
                    format!("{{ let mut {guard} = M{at}.lock().unwrap();"),
                ),
                both(format!("pthread_mutex_unlock(&m{at}); }}"), format!("drop({guard}); }}")),
            ),
            _ => (
                both(
                    format!("{{ pthread_mutex_lock(&m{at});"),
                    format!("{{ let mut {guard} = M{at}.lock().unwrap();"),
                ),
                both(format!("pthread_mutex_unlock(&m{at}); }}"), "}"),
            ),
        };
        [vec![head], body, vec![tail]].concat()
    }
}
