//! The table of CAV'14, Fig. 10, for our renditions in C and Rust.
//!
//! `cargo run --release -p fencewright-workspace --example figure_10 -- [SECONDS]`: so long may each exact check of
//! a fenced program take.

#[path = "../tests/shared/figure_10.rs"]
mod figure_10;

use std::time::Duration;

use figure_10::{PROGRAMS, row};
use workspace::Conclusion;

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    println!(
        "| | program | ours | left | pensieve | every access | exact check | seconds | paper: musketeer | pensieve |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for language in ["c", "rust"] {
        for (short, name, musketeer, pensieve) in PROGRAMS {
            let file = match language {
                "c" => format!("c/{name}.c"),
                _ => format!("rust/{name}.rs"),
            };
            match row(&file, Duration::from_secs(seconds)) {
                Ok(row) => {
                    let exact = match row.with_fences {
                        Some(Conclusion::Fine | Conclusion::Suppressed) => "holds",
                        Some(Conclusion::Undecided) => "undecided",
                        Some(Conclusion::Violated) => "VIOLATED",
                        None => "not asked",
                    };
                    println!(
                        "| {short} | {file} | {} | {} | {} | {} | {exact} | {:.1} | {musketeer} | {pensieve} |",
                        row.fences, row.left, row.pensieve, row.every_access, row.seconds
                    );
                }
                Err(why) => println!("| {short} | {file} | {why} |"),
            }
        }
    }
}
