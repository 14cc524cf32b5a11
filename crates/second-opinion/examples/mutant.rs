//! m
#![allow(warnings)]
#[path = "recorded/mod.rs"]
mod comparison;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (from, to): (u64, u64) = (a[3].parse().unwrap(), a[4].parse().unwrap());
    std::panic::set_hook(Box::new(|_| {}));
    let mut kinds = std::collections::BTreeMap::new();
    let begun = std::time::Instant::now();
    for seed in from..to {
        if a[1] == "record" {
            if !std::path::Path::new(&format!("{}/{seed}.ends", a[2])).exists() {
                comparison::record(&a[2], seed)
            }
            continue;
        }
        if let Some(how) = comparison::check(&a[2], seed) {
            let e = kinds.entry(how).or_insert((0, seed));
            e.0 += 1;
            if a.len() > 5 && kinds.values().map(|e| e.0).sum::<i32>() >= a[5].parse().unwrap() {
                break;
            }
        }
    }
    println!("{kinds:?} {:?}", begun.elapsed());
}
