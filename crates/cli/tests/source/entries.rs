//! Threads that a user asks for by name.

use std::path::PathBuf;
use std::process::Command;

/// A queue that has to be set up before its users begin.
const TEXT: &str = "\
#include <assert.h>
#include <stdatomic.h>
static int capacity;
static atomic_int used;
void set_up(int slots) { capacity = slots; }
void user(void) { assert(capacity == 3); atomic_fetch_add(&used, 1); assert(used <= capacity); }
";

fn reach(arguments: &[&str]) -> (Option<i32>, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("entries");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("queue.c");
    std::fs::write(&file, TEXT).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_fencewright"))
        .arg("reach")
        .arg(&file)
        .args(arguments)
        .output()
        .expect("fencewright can be started");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), said + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn threads_begin_when_everything_is_set_up() {
    let cases: [(&[&str], i32); 5] = [
        (&["--thread", "user*3", "--init", "set_up(3)"], 0),
        (&["--thread", "user*2", "--thread", "user", "--init", "set_up(3)"], 0),
        (&["--thread", "user*4", "--init", "set_up(3)"], 1),
        // Nobody has set it up.
        (&["--thread", "user*3"], 1),
        (&["--thread", "user*3", "--thread", "set_up(3)"], 1),
    ];
    for (arguments, code) in cases {
        let (actual, said) = reach(arguments);
        assert_eq!(actual, Some(code), "{arguments:?}: {said}");
    }
    let (code, said) = reach(&["--init", "set_up(3)"]);
    assert_eq!(code, Some(2), "{said}");
}
