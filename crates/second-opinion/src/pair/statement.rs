//! Statements: control flow, structures, references, what is allocated.

use super::{Both, Generator, I16, I32, I64, Local, U32, both, same};

/// Lines around others.
fn around(head: Both, body: Vec<Both>, tail: Both) -> Vec<Both> {
    [vec![head], body, vec![tail]].concat()
}

impl Generator {
    pub(super) fn block(&mut self, statements: usize) -> Vec<Both> {
        self.depth += 1;
        let known = self.locals.len();
        let mut lines = Vec::new();
        for _ in 0..statements {
            lines.extend(self.statement());
        }
        self.locals.truncate(known);
        self.depth -= 1;
        lines
    }

    fn statement(&mut self) -> Vec<Both> {
        let is_deep = self.depth > 2;
        match self.random.usize(..22) {
            0..=7 if self.can_afford(1) => vec![self.atomic_access()],
            8..=10 if self.mutexes > 0 && self.can_afford(2) => self.section(),
            11 if !is_deep => self.conditional(),
            12 if !is_deep => self.repeated(),
            13 if !is_deep => self.matched(),
            14 => self.point(),
            15 => self.boxed(),
            16 if self.can_fail && self.one_in(2) => vec![self.assertion()],
            17 if self.has_once && self.held.is_empty() && self.can_afford(2) => {
                self.pay(2);
                vec![both("pthread_once(&once, begin);", "ONCE.call_once(begin);")]
            }
            18 => vec![self.bumped()],
            19 => vec![self.element()],
            _ => vec![self.assignment()],
        }
    }

    fn assignment(&mut self) -> Both {
        let local = self.pick(&self.locals.clone());
        let value = self.expression(local.ty, 2);
        both(
            format!("{} = {};", local.text.c, value.c),
            format!("{} = {};", local.text.rust, value.rust),
        )
    }

    pub(super) fn assertion(&mut self) -> Both {
        let condition = self.condition();
        let other = self.condition();
        let name = self.pick(&["assert", "debug_assert"]);
        both(
            format!("if (!({} || {})) abort();", condition.c, other.c),
            format!("{name}!({} || {});", condition.rust, other.rust),
        )
    }

    /// A function changes a variable by a reference to it.
    fn bumped(&mut self) -> Both {
        let local = self.locals[0].clone();
        let value = self.expression(I32, 1);
        both(
            format!("bump(&{}, {});", local.text.c, value.c),
            // The value is computed before the variable is borrowed.
            format!("{{ let by = {}; bump(&mut {}, by); }}", value.rust, local.text.rust),
        )
    }

    /// An array of the thread's own; an index out of bounds panics.
    fn element(&mut self) -> Both {
        let (index, value) = (self.expression(U32, 1), self.expression(I16, 1));
        let most = if self.can_fail { "& 3" } else { "% 3" };
        let name = self.fresh("w");
        let read = self.assigned(&same(format!("{name}[1]")), I16);
        both(
            format!(
                "{{ i16 {name}[3] = {{ 4, -5, 6 }}; {name}[at((u64)({} {most}), 3)] = {}; {} }}",
                index.c, value.c, read.c
            ),
            format!(
                "{{ let mut {name} = [4i16, -5, 6]; {name}[({} {most}) as usize] = {}; {} }}",
                index.rust, value.rust, read.rust
            ),
        )
    }

    fn conditional(&mut self) -> Vec<Both> {
        let condition = self.condition();
        let (yes, no) = (self.block(1), self.block(1));
        let head = both(format!("if ({}) {{", condition.c), format!("if {} {{", condition.rust));
        let mut lines = around(head, yes, same("} else {"));
        lines.extend(no);
        lines.push(same("}"));
        lines
    }

    /// A loop of two or three rounds.
    fn repeated(&mut self) -> Vec<Both> {
        let rounds = self.random.usize(2..4);
        let name = self.fresh("k");
        self.rounds *= rounds;
        let known = self.locals.len();
        let mut body = self.block(1);
        if self.one_in(3) {
            let (condition, word) = (self.condition(), self.pick(&["break", "continue"]));
            let leave = format!("{{ {word}; }}");
            body.push(both(
                format!("if ({}) {leave}", condition.c),
                format!("if {} {leave}", condition.rust),
            ));
            body.extend(self.block(1));
        }
        self.locals.truncate(known);
        self.rounds /= rounds;
        let (head, tail) = match self.random.usize(..3) {
            0 => (
                both(
                    format!("for (i32 {name} = 0; {name} < {rounds}; {name}++) {{"),
                    format!("for {name} in 0..{rounds} {{"),
                ),
                same("}"),
            ),
            1 => (
                both(
                    format!("{{ u8 {name} = 0; while ({name} < {rounds}) {{ {name}++;"),
                    format!("{{ let mut {name} = 0u8; while {name} < {rounds} {{ {name} += 1;"),
                ),
                same("} }"),
            ),
            _ => (
                both(
                    format!(
                        "{{ i64 {name} = {rounds}; for (;;) {{ if ({name} == 0) break; {name}--;"
                    ),
                    format!(
                        "{{ let mut {name} = {rounds}i64; loop {{ if {name} == 0 {{ break; }} {name} -= 1;"
                    ),
                ),
                same("} }"),
            ),
        };
        around(head, body, tail)
    }

    fn matched(&mut self) -> Vec<Both> {
        let value = self.expression(I32, 1);
        // `break` would leave the `switch` in C.
        let mut lines = vec![both(
            format!("switch ({} & 3) {{", value.c),
            format!("match {} & 3 {{", value.rust),
        )];
        for (c, rust) in
            [("case 0: {", "0 => {"), ("case 1: case 2: {", "1 | 2 => {"), ("default: {", "_ => {")]
        {
            let body = self.block(1);
            lines.extend(around(both(c, rust), body, both("} break;", "}")));
        }
        lines.push(same("}"));
        lines
    }

    /// A structure of the thread's own.
    fn point(&mut self) -> Vec<Both> {
        let name = self.fresh("p");
        let (x, y) = (self.expression(I32, 1), self.expression(I64, 1));
        let turned = self.one_in(2);
        let head = both(
            format!(
                "{{ struct point {name} = {{ {}, {} }};{}",
                x.c,
                y.c,
                if turned { format!(" {name} = turned({name});") } else { String::new() }
            ),
            format!(
                "{{ let mut {name} = Point {{ x: {}, y: {} }}{};",
                x.rust,
                y.rust,
                if turned { ".turned()" } else { "" }
            ),
        );
        let known = self.locals.len();
        for (field, ty) in [("x", I32), ("y", I64)] {
            self.locals.push(Local { text: same(format!("{name}.{field}")), ty });
        }
        let body = self.block(1);
        self.locals.truncate(known);
        around(head, body, same("}"))
    }

    /// A number in a box; a place may allocate four times, unless one says otherwise.
    fn boxed(&mut self) -> Vec<Both> {
        if self.rounds > 4 {
            return vec![self.assignment()];
        }
        let (name, value) = (self.fresh("b"), self.expression(I64, 1));
        let head = both(
            format!("{{ i64 *{name} = malloc(8); *{name} = {};", value.c),
            format!("{{ let mut {name} = Box::new({});", value.rust),
        );
        let known = self.locals.len();
        self.locals.push(Local { text: same(format!("(*{name})")), ty: I64 });
        let body = self.block(1);
        self.locals.truncate(known);
        around(head, body, both(format!("free({name}); }}"), "}"))
    }
}
