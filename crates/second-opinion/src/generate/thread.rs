//! Threads, and `main`, which starts them, waits for them and looks at what is left.

use super::global::fields;
use super::{Generator, I32, I64, Place, Type};
use crate::source::Piece;

/// What a thread is given.
enum Argument {
    Number,
    /// A plain `i32` of this name, or of `main`'s own.
    Address(String),
    /// A structure `cell`.
    Cell,
    /// Something that `main` has allocated.
    Allocated,
}

/// What `main` does with a thread.
struct Started {
    function: String,
    argument: String,
    /// What comes before its creation, and what is looked at when it has ended.
    before: Vec<Piece>,
    after: Vec<String>,
}

impl Generator {
    /// The functions of all threads, and `main`.
    pub(super) fn threads(&mut self) -> Vec<Piece> {
        let threads = if self.one_in(3) { 3 } else { 2 };
        self.may_nest = threads == 2;
        // Sometimes `main` is one of them.
        let main_takes_part = self.one_in(4);
        let created = if main_takes_part { threads - 1 } else { threads };
        let budget = if threads == 3 { 2..4 } else { 3..7 };
        let mut pieces = Vec::new();
        let mut started: Vec<Started> = Vec::new();
        for number in 0..created {
            // Two threads may run the same function.
            let waits = self.globals.has_signal || self.globals.has_condition;
            if number > 0 && !waits && self.one_in(6) {
                let again = &started[0];
                started.push(Started {
                    function: again.function.clone(),
                    argument: again.argument.clone(),
                    before: Vec::new(),
                    after: Vec::new(),
                });
                continue;
            }
            self.budget = self.random.usize(budget.clone());
            let (piece, one) = self.thread(number);
            pieces.push(piece);
            started.push(one);
        }
        self.budget = if main_takes_part { self.random.usize(budget) } else { 0 };
        pieces.push(self.main(&started));
        pieces
    }

    fn argument(&mut self, number: usize) -> (Argument, String, Vec<Piece>) {
        let plain = self.plain();
        match self.random.usize(..6) {
            0 => {
                let target = self.pick(&self.globals.numbers.clone());
                (Argument::Address(target.clone()), format!("&{target}"), Vec::new())
            }
            1 => {
                let name = format!("z{number}");
                let declared = Piece::line(format!("{plain}i32 {name} = {};", number + 4)).fixed();
                (Argument::Address(name.clone()), format!("&{name}"), vec![declared])
            }
            2 if !self.globals.cells.is_empty() => {
                let target = self.pick(&self.globals.cells.clone());
                (Argument::Cell, format!("&{target}"), Vec::new())
            }
            3 => {
                let name = format!("h{number}");
                let declared = Piece::line(format!(
                    "{plain}i32 *{name} = malloc(2 * sizeof(i32)); {name}[0] = 5; {name}[1] = -1;"
                ));
                (Argument::Allocated, name, vec![declared.fixed()])
            }
            _ => {
                let value = self.random.i8(-2..9);
                (Argument::Number, format!("(void *)(i64)({value})"), Vec::new())
            }
        }
    }

    fn thread(&mut self, number: usize) -> (Piece, Started) {
        let (argument, passed, before) = self.argument(number);
        self.shared = self.globals.all.clone();
        let mut after = Vec::new();
        let plain = self.plain();
        let first = match &argument {
            Argument::Number => "i64 q = (i64)argument;".to_owned(),
            Argument::Address(name) => {
                self.shared.push(Place::new("(*q)", I32, false));
                if name.starts_with('z') {
                    after.push(name.clone());
                }
                format!("{plain}i32 *q = argument;")
            }
            Argument::Cell => {
                self.shared.extend(fields("q->"));
                format!("{plain}struct cell *q = argument;")
            }
            Argument::Allocated => {
                self.shared.push(Place::new("q[@ & 1]", I32, false));
                after.extend([format!("{passed}[0]"), format!("{passed}[1]")]);
                format!("{plain}i32 *q = argument;")
            }
        };
        let mut body = vec![Piece::line(first).fixed()];
        body.extend(self.declare_locals(2));
        if matches!(argument, Argument::Number) {
            self.locals.push(Place::new("q", I64, false));
        }
        let statements = self.random.usize(2..6);
        let has_shape = !self.one_in(3);
        let hot = self.globals.hot.clone();
        if has_shape {
            // The shape of store buffering: this thread writes what another reads, and the other way round.
            body.push(self.weak_store(&hot[number % hot.len()]));
        }
        if number == 1 && self.globals.has_signal {
            body.push(Piece::line(
                "while (!atomic_load_explicit(&ready, memory_order_acquire)) {}",
            ));
        }
        if number == 1 && self.globals.has_condition {
            body.push(self.wait_until_said());
        }
        body.extend(self.block(statements));
        if self.globals.has_barrier {
            body.push(self.meet());
        }
        if has_shape && self.globals.has_fences {
            body.push(self.full_fence());
        }
        if has_shape {
            body.push(self.load_statement(&hot[(number + 1) % hot.len()]));
        }
        if number == 0 && self.globals.has_signal {
            let order = self.pick(&["memory_order_release", "memory_order_seq_cst"]);
            body.push(Piece::line(format!("atomic_store_explicit(&ready, 1, {order});")));
        }
        if number == 1 && self.globals.has_assertions {
            self.budget += 1;
            body.push(self.assertion());
        }
        if number == 0 && self.globals.has_condition {
            body.push(self.say());
        }
        body.extend(self.observe_locals());
        body.push(self.result(matches!(argument, Argument::Number)));
        let function = format!("t{number}");
        let head = format!("static void *{function}(void *argument) {{");
        let piece = Piece::around(head, body, "}");
        (piece, Started { function, argument: passed, before, after })
    }

    fn result(&mut self, is_number: bool) -> Piece {
        let local = self.local().text;
        let local = if local.contains('@') { "1".to_owned() } else { local };
        // A result that is compared with an address must be none by chance: addresses differ by route.
        let local = if is_number { local } else { format!("({local} & 7)") };
        Piece::line(match self.random.usize(..5) {
            0 if !is_number => "return argument;".to_owned(),
            1 => format!("pthread_exit((void *)(i64){local});"),
            2 => "return 0;".to_owned(),
            _ => format!("return (void *)(i64){local};"),
        })
        .fixed()
    }

    fn declare_locals(&mut self, count: usize) -> Vec<Piece> {
        self.locals.clear();
        let mut pieces = Vec::new();
        for at in 0..count {
            let ty: Type = if at == 0 { I32 } else { self.ty() };
            let value = self.number(ty);
            let name = format!("l{at}");
            pieces.push(Piece::line(format!("{} {name} = {value};", ty.name)).fixed());
            self.locals.push(Place::new(name, ty, false));
        }
        pieces
    }

    /// One store of all variables of a thread, since every store of a thread makes more runs.
    fn observe_locals(&mut self) -> Vec<Piece> {
        let into = self.observable();
        let mut value = "0l".to_owned();
        for local in self.locals.iter().filter(|local| local.text.starts_with('l')) {
            value = format!("({value}) * 1000003 + {}", local.text);
        }
        vec![Piece::line(format!("{into} = {value};"))]
    }

    fn main(&mut self, started: &[Started]) -> Piece {
        self.shared = self.globals.all.clone();
        let mut body = self.declare_locals(1);
        if self.budget == 0 && self.one_in(3) {
            // Something is set up by `main` while it is alone.
            self.budget = 2;
            let set_up = self.block(1);
            body.extend(set_up);
            self.budget = 0;
        }
        let mut after = Vec::new();
        for one in started {
            body.extend(one.before.clone());
            after.extend(one.after.clone());
        }
        let mut inside = if self.budget > 0 {
            let n = self.random.usize(2..5);
            self.block(n)
        } else {
            Vec::new()
        };
        // Each thread stands around the next, so that they are joined the other way round; or all are started
        // and joined in one line each.
        let is_nested = self.one_in(2);
        let mut creations = Vec::new();
        let mut joins = Vec::new();
        for (number, one) in started.iter().enumerate() {
            let handle = format!("c{number}");
            let create = format!(
                "pthread_t {handle}; pthread_create(&{handle}, 0, {}, {});",
                one.function, one.argument
            );
            let join = if self.one_in(2) {
                let (result, into) = (format!("r{number}"), self.observable());
                // Addresses are not the same on both routes.
                let value = if one.argument.starts_with('(') {
                    format!("(i64)(i64){result}")
                } else {
                    format!("{result} == (void *)({})", one.argument)
                };
                format!("void *{result}; pthread_join({handle}, &{result}); {into} = {value};")
            } else {
                format!("pthread_join({handle}, 0);")
            };
            if is_nested {
                inside = vec![Piece::around(create, inside, join)];
            } else {
                creations.push(Piece::line(create).fixed());
                joins.push(Piece::line(join).fixed());
            }
        }
        if self.globals.has_barrier {
            let count = started.len();
            let init = format!("pthread_barrier_init(&barrier, 0, {count});");
            body.push(Piece::line(init).fixed());
        }
        body.extend(creations);
        body.extend(inside);
        body.extend(joins);
        body.extend(self.observe_locals());
        let places: Vec<Place> = self.globals.all.clone();
        for place in places {
            let indices = if place.text.contains("& 3") { 0..4 } else { 0..2 };
            if place.text.contains('@') {
                for index in indices {
                    after.push(place.text.replace('@', &index.to_string()));
                }
            } else {
                after.push(place.text);
            }
        }
        for place in after {
            let into = self.observable();
            body.push(Piece::line(format!("{into} = (i64){place};")));
        }
        if self.globals.has_pointer {
            let (into, target) = (self.observable(), self.globals.numbers[0].clone());
            body.push(Piece::line(format!("{into} = p0 == &{target};")));
        }
        // How a structure is copied is up to the compiler, and seen by who races with the copy.
        if let [one, other, ..] = self.globals.cells.clone().as_slice() {
            let into = self.observable();
            body.push(Piece::line(format!(
                "{{ {one}.in = {other}.in; {into} = {one}.in.h * 1000 + {one}.in.b; }}"
            )));
        }
        if self.globals.has_dense {
            let into = self.observable();
            body.push(Piece::line(format!(
                "{{ u64 raw; memcpy(&raw, &d0, 8); {into} = (i64)raw; }}"
            )));
        }
        if self.globals.has_stack {
            let into = self.observable();
            body.push(Piece::line(format!(
                "for (struct node *n = top; n; n = n->next) {into} = {into} * 7 + n->value;"
            )));
        }
        body.push(Piece::line("return 0;").fixed());
        Piece::around("int main(void) {", body, "}").fixed()
    }
}
