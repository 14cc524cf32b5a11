//! Runs are told in words that the author knows: pointers by what they point to, wild ones by what they are near.

use std::fs;

use super::fencewright;

/// What `reach` says of a program in C.
fn said(name: &str, program: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("told");
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(name);
    fs::write(&file, program).expect("a file");
    let arguments = ["reach", "--model", "sc", "--no-config", &file.display().to_string()];
    let output = fencewright(&arguments.map(str::to_owned));
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn pointers_are_told_by_what_they_point_to() {
    let told = said(
        "pointer.c",
        "#include <assert.h>\nstatic long first, second, *_Atomic current = &first;\n\
         int main(void) { current = &second; assert(current == &first); first = second = 1; }\n",
    );
    assert!(told.contains("current = &second"), "{told}");
}

#[test]
fn a_wild_address_is_told_by_what_it_is_near() {
    let check = |name: &str, statement: &str, expected: &str| {
        let told = said(
            name,
            &format!("static int values[4];\nint main(void) {{ int *p = values; {statement} }}\n"),
        );
        assert!(told.contains(expected), "{told}");
    };
    check("beyond.c", "p[5] = values[3];", "it is 8 bytes after the beginning of `values[3]`");
    check("before.c", "p[-2] = values[3];", "it is 20 bytes before `values[3]`");
    check("null.c", "p = 0; *p = 1;", "it is a null pointer, or near one");
}

/// A counter that nobody reads is in no state: the loop has one round.
#[test]
fn a_counter_that_nobody_reads_does_not_count() {
    let told = said(
        "counter.c",
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\n\
         static void *set(void *unused) { x = 3; return unused; }\n\
         int main(void) {\n  pthread_t other;\n  int seen, count = 0;\n\
         pthread_create(&other, 0, set, 0);\n  while ((seen = x) < 3) count++;\n  return seen;\n}\n",
    );
    assert!(told.contains("holds under SC"), "{told}");
}
