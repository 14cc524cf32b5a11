//! Statements: control flow, what a thread does with its own variables, and sections under a mutex.

use super::{Generator, I32, Place};
use crate::source::Piece;

impl Generator {
    /// So many statements.
    pub(super) fn block(&mut self, statements: usize) -> Vec<Piece> {
        self.depth += 1;
        let known = self.locals.len();
        let all = (0..statements).map(|_| self.statement()).collect();
        self.locals.truncate(known);
        self.depth -= 1;
        all
    }

    pub(super) fn some_statements(&mut self) -> Vec<Piece> {
        let statements = self.random.usize(1..3);
        self.block(statements)
    }

    fn statement(&mut self) -> Piece {
        let is_deep = self.depth > 2;
        match self.random.usize(..27) {
            0..=11 if self.can_afford(1) => self.access(),
            12 | 13 if !is_deep => self.conditional(),
            14 | 15 if !is_deep => self.repeated(),
            16 if !is_deep => self.switch(),
            17 | 18 if !is_deep => self.under_mutex(),
            22 if self.may_nest && self.can_afford(2) && self.rounds == 1 => self.nested_thread(),
            19 | 23 => self.own_memory(),
            20 if self.loops > 0 => {
                let condition = self.condition();
                let leave = self.pick(&["break", "continue"]);
                Piece::line(format!("if ({condition}) {leave};"))
            }
            24 | 25 if self.globals.has_assertions => self.assertion(),
            26 if self.globals.has_once && self.can_afford(2) => self.once(),
            21 if self.globals.has_thread_local => self.thread_local(),
            _ => self.assignment(),
        }
    }

    pub(super) fn assignment(&mut self) -> Piece {
        let (local, ty) = self.own();
        let both = self.locals.iter().filter(|local| ["l0", "l1"].contains(&local.text.as_str()));
        let has_both = both.count() == 2;
        match self.random.usize(..7) {
            0 => Piece::line(format!("{local}{};", self.pick(&["++", "--"]))),
            // A variable is changed while the value it had is still needed.
            6 if has_both => {
                let (into, from) = self.pick(&[("l0", "l1"), ("l1", "l0")]);
                let change = self.pick(&["++", "--"]);
                Piece::line(format!("{into} = {from}{change} * 3;"))
            }
            1 => {
                let op = self.pick(&["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"]);
                let value = self.with_loads(1);
                let value = match op {
                    "<<" | ">>" => format!("({value} & 3)"),
                    "/" | "%" => format!("(({value} & 3) + 1)"),
                    _ => format!("({})({value})", ty.name),
                };
                Piece::line(format!("{local} {op}= {value};"))
            }
            _ => {
                let value = self.with_loads(2);
                Piece::line(format!("{local} = ({})({value});", ty.name))
            }
        }
    }

    fn conditional(&mut self) -> Piece {
        let condition = self.condition_with_loads();
        // A section inside must not be left half way.
        let (yes, mut no) = (self.some_statements(), Vec::new());
        if self.one_in(2) {
            no = self.some_statements();
        }
        let otherwise = Piece::around("else {", no, "}");
        let head = format!("if ({condition}) {{");
        let body = Piece::around("", yes, "}").fixed();
        if otherwise == Piece::around("else {", Vec::new(), "}") {
            return Piece::around(head, vec![body], "");
        }
        Piece::around(head, vec![body, otherwise], "")
    }

    /// A loop of two or three rounds.
    fn repeated(&mut self) -> Piece {
        let rounds = self.random.usize(2..4);
        let counter = self.fresh("turn");
        self.rounds *= rounds;
        self.loops += 1;
        let held = std::mem::take(&mut self.held);
        let body = self.some_statements();
        self.held = held;
        self.loops -= 1;
        self.rounds /= rounds;
        match self.random.usize(..3) {
            0 => Piece::around(
                format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{"),
                body,
                "}",
            ),
            1 => Piece::around(
                format!("{{ u8 {counter} = 0; while ({counter}++ < {rounds}) {{"),
                body,
                "} }",
            ),
            _ => Piece::around(
                format!("{{ i16 {counter} = {rounds}; do {{"),
                body,
                format!("}} while (--{counter} > 0); }}"),
            ),
        }
    }

    fn switch(&mut self) -> Piece {
        let value = self.with_loads(1);
        let ty = self.ty().name;
        let value = self.pick(&[format!("({value}) & 3"), format!("({ty})({value})")]);
        // `break` leaves the switch, and there may be no loop for `continue`.
        let loops = std::mem::take(&mut self.loops);
        let mut cases = Vec::new();
        for label in ["case 0: {", "case 3: {", "case -1: {", "default: {"] {
            let end = self.pick(&["} break;", "} break;", "}"]);
            let body = self.block(1);
            cases.push(Piece::around(label, body, end));
        }
        self.loops = loops;
        Piece::around(format!("switch ({value}) {{"), cases, "}").fixed()
    }

    fn under_mutex(&mut self) -> Piece {
        if self.globals.has_array_of_mutexes && self.held.is_empty() && self.one_in(2) {
            return self.under_one_of_two();
        }
        if self.globals.mutexes == 0 {
            return self.assignment();
        }
        let mutex = self.random.usize(..self.globals.mutexes);
        if self.held.contains(&mutex) {
            return self.assignment();
        }
        self.held.push(mutex);
        // A loop around a section is not left from inside of it.
        let loops = std::mem::take(&mut self.loops);
        let mut body = self.some_statements();
        if self.one_in(3) && self.globals.cells.len() > 1 {
            let (one, other) = (self.globals.cells[0].clone(), self.globals.cells[1].clone());
            body.push(Piece::line(format!("{one}.in.h = {other}.in.h;")));
        }
        self.loops = loops;
        self.held.pop();
        if self.one_in(5) {
            return Piece::around(
                format!("if (pthread_mutex_trylock(&m{mutex}) == 0) {{"),
                body,
                format!("pthread_mutex_unlock(&m{mutex}); }}"),
            );
        }
        // Now and then it is not given back.
        let kept =
            if self.one_in(6) { format!("if (!{}) ", self.condition()) } else { String::new() };
        Piece::around(
            format!("pthread_mutex_lock(&m{mutex});"),
            body,
            format!("{kept}pthread_mutex_unlock(&m{mutex});"),
        )
    }

    /// Which mutex it is, is found out when it is locked.
    fn under_one_of_two(&mut self) -> Piece {
        let (name, index) = (self.fresh("m"), self.expression(1));
        self.held.extend([0, 1, 2]);
        let loops = std::mem::take(&mut self.loops);
        let body = self.some_statements();
        self.loops = loops;
        self.held.clear();
        Piece::around(
            format!("{{ pthread_mutex_t *{name} = &ms[({index}) & 1]; pthread_mutex_lock({name});"),
            body,
            format!("pthread_mutex_unlock({name}); }}"),
        )
    }

    /// A thread within a thread: it changes a variable of this one.
    fn nested_thread(&mut self) -> Piece {
        self.budget -= 2;
        self.may_nest = false;
        let plain = self.plain();
        let (name, handle, value) = (self.fresh("y"), self.fresh("c"), self.expression(1));
        let loops = std::mem::take(&mut self.loops);
        // It is shared as long as the other thread is alive.
        self.shared.push(Place::new(name.clone(), I32, false));
        let hot =
            std::mem::replace(&mut self.globals.hot, self.shared[self.shared.len() - 1..].to_vec());
        let body = self.block(1);
        self.globals.hot = hot;
        self.shared.pop();
        self.loops = loops;
        let (local, ty) = self.own();
        Piece::around(
            format!(
                "{{ {plain}i32 {name} = (i32)({value}); pthread_t {handle}; pthread_create(&{handle}, 0, helper, &{name});"
            ),
            body,
            format!("pthread_join({handle}, 0); {local} = ({}){name}; }}", ty.name),
        )
    }

    fn thread_local(&mut self) -> Piece {
        let (local, ty) = self.own();
        let value = self.expression(1);
        Piece::line(match self.random.usize(..4) {
            0 => format!("tl = (i32)({value});"),
            1 => format!("{local} = ({})(tl + 1);", ty.name),
            2 => format!("bump(&tl, (i32)({value}));"),
            _ => format!("tl += (i32)({value});"),
        })
    }
}
