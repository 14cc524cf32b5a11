//! Statements after which a thread may not go on: assertions, and waiting for others by what the library has
//! for it.

use super::Generator;
use crate::source::Piece;

impl Generator {
    /// What ends the program unless a condition is true.
    pub(super) fn assertion(&mut self) -> Piece {
        let condition = self.condition_with_loads();
        // Some are true in most runs.
        let condition = if self.one_in(2) {
            format!("({condition} || {})", self.condition())
        } else {
            condition
        };
        let fail = self.pick(&["abort();", "__assert_fail(\"c\", \"program.c\", 1, \"t\");"]);
        Piece::line(format!("if (!{condition}) {fail}"))
    }

    /// Calls something unless somebody has.
    pub(super) fn once(&mut self) -> Piece {
        self.pay(2);
        let calls = ["pthread_once(&once, first);", "call_once(&again, second);"];
        Piece::line(self.pick(&calls))
    }

    /// Waits until all threads are there; one of them is told that it was the last.
    pub(super) fn meet(&mut self) -> Piece {
        let (local, ty) = self.own();
        let meet = format!("{local} += ({})(pthread_barrier_wait(&barrier) == -1);", ty.name);
        // Who does not come is waited for.
        if self.one_in(4) {
            return Piece::line(format!("if ({}) {meet}", self.condition()));
        }
        Piece::line(meet)
    }

    /// Waits on a condition variable until something was said.
    pub(super) fn wait_until_said(&mut self) -> Piece {
        let keyword = self.pick(&["while", "while", "if"]);
        let body = self.block(1);
        Piece::around(
            format!(
                "pthread_mutex_lock(&cm); {keyword} (!said) {{ pthread_cond_wait(&cv, &cm); }}"
            ),
            body,
            "pthread_mutex_unlock(&cm);",
        )
    }

    /// Says something, and wakes up who waits for that.
    pub(super) fn say(&mut self) -> Piece {
        let wake = self.pick(&["signal", "broadcast"]);
        let wake = format!("pthread_cond_{wake}(&cv);");
        let unlock = "pthread_mutex_unlock(&cm);";
        let ends = [format!("{wake} {unlock}"), format!("{unlock} {wake}")];
        Piece::line(format!("pthread_mutex_lock(&cm); said = 1; {}", self.pick(&ends)))
    }
}
