//! The translation of a program comes to an end soon after somebody says that it is over.

mod tools;

use std::cell::Cell;

use lowering::Environment;
use program::Sources;
use tools::{Named, Workshop};

const TEXT: &str = "
static volatile int x;
#define TWICE(f, g) static void f(void) { g(); g(); }
static void a(void) { x = x + 1; }
TWICE(b, a) TWICE(c, b) TWICE(d, c) TWICE(e, d) TWICE(f, e) TWICE(g, f)
int main(void) { g(); }
";

#[test]
fn the_translation_stops_where_it_is_told_to() {
    let modules = [Workshop::new("stopped").module("calls.c", TEXT)];
    let lower = |most: u64| {
        let asked = Cell::new(0_u64);
        let is_over = || {
            asked.set(asked.get() + 1);
            asked.get() > most
        };
        let given = (&mut Named(&[]) as &mut dyn lowering::Texts, &mut Sources::new());
        let environment = Environment::default();
        let lowered =
            lowering::lower_until("program", &modules, &[], &environment, given, &is_over);
        (lowered.is_ok(), asked.get())
    };
    let (is_done, all) = lower(u64::MAX);
    assert!(is_done && all > 1000, "asked {all} times");
    // Wherever it is: in the walk, in the flow of pointers, in a later round.
    for most in [0, 1, 10, all / 4, all / 2, all * 3 / 4, all - 1] {
        let (is_done, asked) = lower(most);
        assert!(!is_done, "{most} of {all}");
        assert!(asked <= most + 10, "asked {asked} times although it was over after {most}");
    }
}
