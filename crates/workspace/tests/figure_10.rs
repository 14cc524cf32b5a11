//! Static fences for C programs pass the exact check, and older policies put in no fewer. The example of the same
//! name prints the whole table.

#[path = "shared/figure_10.rs"]
mod figure_10;

use std::time::Duration;

use figure_10::{PROGRAMS, row};
use workspace::Conclusion;

#[test]
fn static_fences_are_enough_and_fewer_than_those_of_older_policies() {
    let quick = ["dekker", "peterson", "parker", "chase-lev", "cilk-the"];
    let mut asked = 0;
    for (_, name, _, _) in PROGRAMS.iter().filter(|(_, name, ..)| quick.contains(name)) {
        let found = row(&format!("c/{name}.c"), Duration::from_mins(1)).expect("an answer");
        let ours = found.fences;
        assert!(
            ours <= found.pensieve && found.pensieve <= found.every_access,
            "{name}: {found:?}"
        );
        assert_eq!(found.left, 0, "{name}: {found:?}");
        assert_eq!(found.with_fences, Some(Conclusion::Fine), "{name}: {found:?}");
        assert!(found.seconds < 60.0, "{name}: {found:?}");
        asked += 1;
    }
    assert_eq!(asked, quick.len());
}
