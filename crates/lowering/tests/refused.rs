//! What is refused of the C library: every name by itself, where it is called, under all its spellings.

mod tools;

use std::fmt::Write;

use tools::{Workshop, entry, lower, shown};

/// Members of the families that are refused as a whole, and functions on strings that are not understood.
const OTHERS: [&str; 16] = [
    "pthread_cancel",
    "pthread_key_create",
    "pthread_tryjoin_np",
    "sem_open",
    "mtx_unheard_of",
    "cnd_unheard_of",
    "thrd_unheard_of",
    "tss_create",
    "__atomic_unheard_of",
    "__sync_unheard_of",
    "__kmpc_fork_call",
    "GOMP_parallel",
    "strtok",
    "strtok_r",
    "strfry",
    "strcoll_l",
];

/// Names in the list that are understood when called like this, and refused in other spellings.
const UNDERSTOOD: [&str; 7] =
    ["bsearch", "memccpy", "memchr", "memrchr", "rawmemchr", "index", "rindex"];

#[test]
fn every_name_is_refused_where_it_is_called() {
    let listed = lowering::REFUSED.into_iter().flatten().copied();
    let spelled = listed.flat_map(|name| [name.to_owned(), format!("__{name}")]);
    let names: Vec<String> = spelled.chain(OTHERS.map(str::to_owned)).collect();
    let mut text = String::from("static volatile int before;\n");
    for (number, name) in names.iter().enumerate() {
        writeln!(
            text,
            "long {name}(); void calls_{number}(void) {{ before = 1; {name}(&before, 0, 0, 0, 0, 0); }}"
        )
        .expect("a string takes it");
    }
    let modules = [Workshop::new("refused").module("names.c", &text)];
    let mut wrong = String::new();
    for (number, name) in names.iter().enumerate() {
        let threads = [entry(&format!("calls_{number}"))];
        let (lowered, sources) = lower(&modules, &[("names.c", &text)], &threads);
        let said = match &lowered {
            Ok(_) => "nothing".to_owned(),
            Err(errors) => shown(errors, &sources),
        };
        let place = format!("names.c:{}: ", number + 2);
        let is_about_it = said
            .lines()
            .any(|line| line.starts_with(&place) && line.contains(&format!("`{name}`")));
        if is_about_it == UNDERSTOOD.contains(&name.as_str()) {
            writeln!(wrong, "{name}: {said}").expect("a string takes it");
        }
    }
    assert!(wrong.is_empty(), "refused elsewhere, or not at all, or no longer:\n{wrong}");
}
