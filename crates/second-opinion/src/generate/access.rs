//! Statements that access shared memory.

use super::{Generator, I32, Place};
use crate::source::Piece;

const ORDERS: [&str; 5] = [
    "memory_order_relaxed",
    "memory_order_acquire",
    "memory_order_release",
    "memory_order_acq_rel",
    "memory_order_seq_cst",
];
const ORDERS_OF_STORES: [&str; 3] =
    ["memory_order_relaxed", "memory_order_release", "memory_order_seq_cst"];

impl Generator {
    /// An access of shared memory, in one statement or a few.
    pub(super) fn access(&mut self) -> Piece {
        let place = self.shared_place();
        match self.random.usize(..12) {
            0..=2 if self.can_afford(1) => self.load_statement(&place),
            3..=5 if self.can_afford(1) => self.store_statement(&place),
            6 | 7 if self.can_afford(2) && place.is_atomic => self.compare_exchange(&place),
            6..=8 if self.can_afford(2) => self.update(&place),
            9 if self.globals.has_pointer && self.can_afford(2) => self.through_pointer(),
            9 if self.globals.has_atomic_pointer && self.can_afford(2) => {
                self.through_atomic_pointer()
            }
            10 if self.globals.has_stack && self.can_afford(3) && self.rounds <= 4 => self.stack(),
            10 if self.can_afford(2) => self.call_with_effect(),
            _ => self.fence(),
        }
    }

    /// Somewhere in shared memory.
    pub(super) fn shared_place(&mut self) -> Place {
        if self.one_in(4) {
            return self.pick(&self.shared.clone());
        }
        self.pick(&self.globals.hot.clone())
    }

    pub(super) fn load_statement(&mut self, place: &Place) -> Piece {
        self.pay(1);
        let (local, ty) = self.own();
        let value = self.load(place);
        let op = self.pick(&["", "", "+", "^", "-"]);
        Piece::line(format!("{local} {op}= ({})({value});", ty.name))
    }

    fn store_statement(&mut self, place: &Place) -> Piece {
        self.pay(1);
        let value = self.beside_access(1);
        let text = self.indexed(place);
        let ty = place.ty.name;
        if !place.is_atomic {
            return Piece::line(format!("{text} = ({ty})({value});"));
        }
        let order = self.pick(&ORDERS_OF_STORES);
        Piece::line(match self.random.usize(..5) {
            0 => format!("{text} = ({ty})({value});"),
            1 => format!("atomic_store(&{text}, ({ty})({value}));"),
            _ => format!("atomic_store_explicit(&{text}, ({ty})({value}), {order});"),
        })
    }

    /// A store that may wait in a buffer.
    pub(super) fn weak_store(&mut self, place: &Place) -> Piece {
        self.pay(1);
        let value = self.expression(1);
        let (text, ty) = (self.indexed(place), place.ty.name);
        if !place.is_atomic {
            return Piece::line(format!("{text} = ({ty})({value});"));
        }
        let order = self.pick(&ORDERS_OF_STORES[..2]);
        Piece::line(format!("atomic_store_explicit(&{text}, ({ty})({value}), {order});"))
    }

    /// Reads and writes: at once if the place is atomic.
    pub(super) fn update(&mut self, place: &Place) -> Piece {
        self.pay(2);
        let value = self.beside_access(1);
        let text = self.indexed(place);
        let ty = place.ty.name;
        let op = self.pick(&["+", "-", "&", "|", "^"]);
        if !place.is_atomic {
            let is_addressable = !text.starts_with("b0.");
            let name = self.pick(&["add", "sub", "and", "or", "xor"]);
            let (local, into) = self.own();
            return Piece::line(match self.random.usize(..7) {
                0 => format!("{text}++;"),
                1 => format!("--{text};"),
                2 if is_addressable => format!(
                    "{local} = ({})__atomic_{name}_fetch(&{text}, ({ty})({value}), __ATOMIC_ACQ_REL);",
                    into.name
                ),
                3 if is_addressable => format!(
                    "{local} = ({})__sync_fetch_and_{name}(&{text}, ({ty})({value}));",
                    into.name
                ),
                _ => format!("{text} {op}= ({ty})({value});"),
            });
        }
        let local = self.local();
        let (into, order) = (self.indexed(&local), self.pick(&ORDERS));
        let name = self.pick(&["add", "sub", "and", "or", "xor"]);
        let result = match self.random.usize(..7) {
            0 => return Piece::line(format!("{text} {op}= ({ty})({value});")),
            1 => format!("{text}++"),
            2 => format!("atomic_exchange_explicit(&{text}, ({ty})({value}), {order})"),
            3 => format!("atomic_exchange(&{text}, ({ty})({value}))"),
            4 => format!("atomic_fetch_{name}(&{text}, ({ty})({value}))"),
            _ => format!("atomic_fetch_{name}_explicit(&{text}, ({ty})({value}), {order})"),
        };
        // Compilers may do more for a result that is used.
        if self.one_in(3) {
            return Piece::line(format!("{result};"));
        }
        Piece::line(format!("{into} = ({})({result});", local.ty.name))
    }

    pub(super) fn compare_exchange(&mut self, place: &Place) -> Piece {
        self.pay(2);
        let (expected, new) = (self.expression(1), self.expression(1));
        let text = self.indexed(place);
        let ty = place.ty.name;
        let name = self.fresh("e");
        let strength = self.pick(&["strong", "weak"]);
        let (first, second) = (self.own(), self.own());
        let call = if self.one_in(2) {
            format!("atomic_compare_exchange_{strength}(&{text}, &{name}, ({ty})({new}))")
        } else {
            let failure = self.pick(&["memory_order_relaxed", "memory_order_acquire"]);
            let success = self.pick(&ORDERS);
            format!(
                "atomic_compare_exchange_{strength}_explicit(&{text}, &{name}, ({ty})({new}), {success}, {failure})"
            )
        };
        Piece::around(
            format!("{{ {ty} {name} = ({ty})({expected});"),
            vec![
                Piece::line(format!("{} = ({}){call};", first.0, first.1.name)),
                Piece::line(format!("{} = ({}){name};", second.0, second.1.name)),
            ],
            "}",
        )
    }

    /// A pointer that threads change and follow.
    fn through_pointer(&mut self) -> Piece {
        self.pay(2);
        let target = self.pick(&self.globals.numbers.clone());
        let (local, ty) = self.own();
        let value = self.expression(1);
        Piece::line(match self.random.usize(..6) {
            0 => format!("p0 = &{target};"),
            1 => format!("*p0 = (i32)({value});"),
            2 => format!("{local} = ({})*p0;", ty.name),
            3 => format!("{local} = ({})(p0 == &{target});", ty.name),
            4 => {
                let name = self.fresh("p");
                format!("{{ {}i32 *{name} = p0; {local} = ({})*{name}; }}", self.plain(), ty.name)
            }
            _ => {
                let other = self.pick(&self.globals.numbers.clone());
                format!("*choose({local}, &{target}, &{other}) = (i32)({value});")
            }
        })
    }

    fn through_atomic_pointer(&mut self) -> Piece {
        self.pay(2);
        let target = self.pick(&self.globals.numbers.clone());
        let (local, ty) = self.own();
        let value = self.expression(1);
        let order = self.pick(&ORDERS_OF_STORES);
        Piece::line(match self.random.usize(..4) {
            0 => format!("atomic_store_explicit(&q0, &{target}, {order});"),
            1 => format!("*atomic_load_explicit(&q0, memory_order_acquire) = (i32)({value});"),
            2 => format!("{local} = ({})*atomic_exchange(&q0, &{target});", ty.name),
            _ => format!("{local} = ({})*q0;", ty.name),
        })
    }

    /// A stack of allocated nodes: something is put on it, or looked at.
    fn stack(&mut self) -> Piece {
        self.pay(3);
        let name = self.fresh("n");
        if self.one_in(2) {
            let (local, ty) = self.own();
            return Piece::around(
                format!(
                    "{{ struct node *{name} = atomic_load_explicit(&top, memory_order_acquire);"
                ),
                vec![
                    Piece::line(format!("if ({name}) {local} = ({}){name}->value;", ty.name)),
                    Piece::line(format!(
                        "if ({name} && {name}->next) {local} -= ({}){name}->next->value;",
                        ty.name
                    )),
                ],
                "}",
            );
        }
        let value = self.expression(1);
        let allocate =
            self.pick(&["malloc(sizeof(struct node))", "calloc(1, sizeof(struct node))"]);
        let order = self.pick(&["memory_order_release", "memory_order_relaxed"]);
        Piece::around(
            format!("{{ struct node *{name} = {allocate};"),
            vec![
                Piece::line(format!("{name}->value = (i32)({value});")),
                Piece::line(format!(
                    "{name}->next = atomic_load_explicit(&top, memory_order_relaxed);"
                ))
                .fixed(),
                Piece::line(format!(
                    "while (!atomic_compare_exchange_weak_explicit(&top, &{name}->next, {name}, {order}, memory_order_relaxed)) {{}}"
                )),
            ],
            "}",
        )
    }

    /// A function that is given a pointer to shared memory, or has some of its own.
    fn call_with_effect(&mut self) -> Piece {
        self.pay(2);
        let target = self.pick(&self.globals.numbers.clone());
        let (local, ty) = self.own();
        let value = self.expression(1);
        let atomic = self.shared.iter().find(|place| place.is_atomic && place.ty == I32).cloned();
        let call = match (self.random.usize(..5), atomic) {
            (0, _) => "tick()".to_owned(),
            (1, _) => format!("sink(1, &{target})"),
            (2 | 3, Some(place)) if !place.text.contains('@') => {
                format!("lift(&{}, (i32)({value}))", place.text)
            }
            _ => format!("bump(&{target}, (i32)({value}))"),
        };
        Piece::line(format!("{local} = ({}){call};", ty.name))
    }

    /// One of the things that wait for the buffer, some of them without touching shared memory.
    pub(super) fn full_fence(&mut self) -> Piece {
        let (name, ty) = (self.fresh("f"), self.ty().name);
        let other = self.fresh("f");
        let declared = format!("{{ _Atomic {ty} {name} = 3;");
        Piece::line(match self.random.usize(..7) {
            0 => "atomic_thread_fence(memory_order_seq_cst);".to_owned(),
            1 => format!("{declared} {name} = 5; }}"),
            2 => format!("{declared} {name} += 5; }}"),
            3 => format!("{declared} atomic_exchange_explicit(&{name}, 1, memory_order_relaxed); }}"),
            4 => format!(
                "{declared} {ty} {other} = 3; atomic_compare_exchange_weak(&{name}, &{other}, 4); }}"
            ),
            5 => format!("{declared} atomic_store(&{name}, 9); }}"),
            _ => {
                "{ pthread_mutex_t f; f.lock = 0; pthread_mutex_lock(&f); pthread_mutex_unlock(&f); }"
                    .to_owned()
            }
        })
    }

    fn fence(&mut self) -> Piece {
        let order = self.pick(&ORDERS);
        Piece::line(match self.random.usize(..5) {
            0 => "__sync_synchronize();".to_owned(),
            1 => format!("atomic_signal_fence({order});"),
            2 => "atomic_thread_fence(memory_order_seq_cst);".to_owned(),
            _ => format!("atomic_thread_fence({order});"),
        })
    }
}
