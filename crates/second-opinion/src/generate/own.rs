//! Memory that only one thread knows: structures, arrays, unions, bit-fields, atomic variables, allocated
//! objects. A translation may keep all of it in registers, if it does so rightly.

use super::global::fields;
use super::{Generator, I32, I64, Place, TYPES, Type, U32};
use crate::source::Piece;

/// How something is declared, and the numbers in it.
type Declared = (String, Vec<Place>);

/// Parts of a variable, by their names and types.
fn parts(of: &str, named: &[(&str, Type)]) -> Vec<Place> {
    let part = |(name, ty): &(&str, Type)| Place::new(format!("{of}{name}"), *ty, false);
    named.iter().map(part).collect()
}

/// The numbers in a structure `cell` that are not atomic.
fn plain_fields(cell: &str) -> Vec<Place> {
    fields(cell).into_iter().filter(|field| !field.is_atomic).collect()
}

impl Generator {
    /// Declares something that this thread has for itself, and uses it.
    pub(super) fn own_memory(&mut self) -> Piece {
        let name = self.fresh("y");
        let (first, second) = (self.expression(1), self.expression(1));
        let (head, places) = match self.random.usize(..13) {
            // A place may allocate four times, unless one says otherwise.
            0 if self.rounds > 4 => return self.assignment(),
            0 => return self.own_allocated(&name, &first, &second),
            1 => return self.own_atomic(&name, &first),
            2..=6 => self.own_array_or_pointer(&name, &first, &second),
            _ => self.own_structure(&name, &first, &second),
        };
        Piece::around(head, self.used(places), "}")
    }

    /// Statements that can use some more places.
    fn used(&mut self, places: Vec<Place>) -> Vec<Piece> {
        let known = self.locals.len();
        self.locals.extend(places);
        let body = self.some_statements();
        self.locals.truncate(known);
        body
    }

    fn own_structure(&mut self, name: &str, first: &str, second: &str) -> Declared {
        let dot = format!("{name}.");
        match self.random.usize(..6) {
            0 => (
                format!("{{ struct cell {name} = {{ .n = (i32)({first}), .w = (i64)({second}) }};"),
                plain_fields(&dot),
            ),
            1 => (
                format!("{{ struct flags {name} = {{ 1, 2, -3 }}; {name}.y = (u32)({first});"),
                parts(&dot, &[("x", U32), ("y", U32), ("z", I32)]),
            ),
            2 => (
                format!("{{ struct small {name} = make((i32)({first}), (i32)({second}));"),
                parts(&dot, &[("b", TYPES[2]), ("c", TYPES[1])]),
            ),
            3 => {
                let raw = self.fresh("y");
                let mut places =
                    parts(&dot, &[("h", TYPES[3]), ("b", TYPES[1]), ("c", TYPES[0]), ("n", I32)]);
                places.push(Place::new(raw.clone(), TYPES[7], false));
                let head = format!(
                    "{{ u64 {raw} = (u64)({first}); struct dense {name}; memcpy(&{name}, &{raw}, 8); {name}.b = (u8)({second}); memcpy(&{raw}, &{name}, sizeof {raw});"
                );
                (head, places)
            }
            4 => (
                format!(
                    "{{ struct wide {name} = {{ (i64)({first}), 3, {{ 1, 2, 255 }}, -1 }}; {name} = turned({name}, (i32)({second}));"
                ),
                parts(
                    &dot,
                    &[
                        ("a", I64),
                        ("b", I32),
                        ("c[2]", TYPES[1]),
                        ("c[1]", TYPES[1]),
                        ("d", TYPES[2]),
                    ],
                ),
            ),
            _ => {
                let byte = self.pick(&["5", "255", "-128"]);
                let head = format!(
                    "{{ struct cell {name}; memset(&{name}, {byte}, sizeof {name}); fill({name}.v, 3, (u8)({first}));"
                );
                (head, plain_fields(&dot))
            }
        }
    }

    fn own_array_or_pointer(&mut self, name: &str, first: &str, second: &str) -> Declared {
        let dot = format!("{name}.");
        match self.random.usize(..5) {
            0 => {
                let ty = self.ty();
                let head = format!(
                    "{{ {ty} {name}[4] = {{ 1, ({ty})({first}), ({ty})({second}) }};",
                    ty = ty.name
                );
                let head = match self.random.usize(..4) {
                    0 => format!("{head} memmove({name} + 1, {name}, 3 * sizeof({}));", ty.name),
                    1 => format!("{head} memmove({name}, &{name}[2], 2 * sizeof({}));", ty.name),
                    _ => head,
                };
                (head, parts(name, &[("[@ & 3]", ty)]))
            }
            1 => (
                format!("{{ union word {name}; {name}.u = (u32)({first});"),
                parts(&dot, &[("u", U32), ("i", I32)]),
            ),
            2 => (
                format!(
                    "{{ union mixed {name}; {name}.w = (u64)({first}); {name}.h[2] = (u16)({second});"
                ),
                parts(
                    &dot,
                    &[
                        ("w", TYPES[7]),
                        ("u", U32),
                        ("h[1]", TYPES[3]),
                        ("b[6]", TYPES[1]),
                        ("b[1]", TYPES[1]),
                    ],
                ),
            ),
            3 => {
                let both = self.fresh("y");
                let head = format!(
                    "{{ i32 {both}[2] = {{ (i32)({first}), 4 }}; swap(&{both}[0], &{both}[1]); i32 *{name} = choose((i32)({second}), &{both}[0], {both} + 1);"
                );
                (head, vec![Place::new(format!("(*{name})"), I32, false)])
            }
            _ => {
                let whole = self.fresh("y");
                let head = format!(
                    "{{ struct cell {whole}[2]; memset({whole}, 0, sizeof {whole}); {whole}[1].n = (i32)({first}); {whole}[0] = {whole}[1]; struct cell *{name} = &{whole}[({second}) & 1];"
                );
                (head, plain_fields(&format!("{name}->")))
            }
        }
    }

    fn own_allocated(&mut self, name: &str, first: &str, second: &str) -> Piece {
        let ty = self.ty();
        let head = format!(
            "{{ {ty} *{name} = malloc(2 * sizeof({ty})); {name}[0] = ({ty})({first}); {name}[1] = ({ty})({second});",
            ty = ty.name
        );
        let body = self.used(parts(name, &[("[@ & 1]", ty)]));
        Piece::around(head, body, format!("free({name}); }}"))
    }

    /// An atomic variable that nobody else knows: its accesses are fences all the same.
    fn own_atomic(&mut self, name: &str, first: &str) -> Piece {
        let ty = self.ty();
        let place = Place::new(name, ty, true);
        let known = self.locals.len();
        let budget = self.budget;
        let mut body = vec![self.update(&place), self.compare_exchange(&place)];
        self.budget = budget;
        self.locals.push(place);
        body.extend(self.some_statements());
        self.locals.truncate(known);
        Piece::around(format!("{{ _Atomic {ty} {name} = ({ty})({first});", ty = ty.name), body, "}")
    }
}
