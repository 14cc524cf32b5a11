//! The evaluation, a little of everything: it ends, and writes pages with every section, whose cells say where they are
//! from, pictures that are pictures, and costs that can be read as options.

use std::process::Command;

#[test]
fn a_quick_evaluation_has_every_section() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_evaluate"))
        .args([
            "--quick",
            "--only",
            "esop13,esop15,scaling,static,packages,overhead,costs",
            "--output",
        ])
        .arg(folder.path())
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|_| panic!("no {name}"))
    };
    let markdown = read("README.md");
    let page = read("tables.html");
    for title in [
        "ESOP'13, Table 2",
        "ESOP'15, Table 1",
        "ESOP'15, Fig. 16",
        "CAV'14, Fig. 10",
        "CAV'14, Fig. 11",
        "CAV'14, Fig. 1:",
        "What a fence costs here",
    ] {
        assert!(markdown.contains(&format!("## {title}")), "{title}");
        assert!(page.contains(title), "{title}");
    }
    // Peterson: the published row, and what is known of ours.
    let row = markdown.lines().find(|line| line.starts_with("| Peterson (non-robust)"));
    let cells: Vec<&str> = row.expect("a row").split(" | ").collect();
    assert_eq!((cells[2], cells[3]), ("2", "2"), "threads, published and measured");
    assert_eq!((cells[16], cells[17]), ("2", "2"), "fences, published and measured");
    let dekker = markdown.lines().find(|line| line.starts_with("| SimDekker | 4 |"));
    let cells: Vec<&str> = dekker.expect("a row").split(" | ").collect();
    assert_eq!((cells[3], cells[13], cells[15]), ("4", "4", "4"), "{cells:?}");
    for placement in ["exact", "static", "pensieve", "visual-studio", "every-access", "heap"] {
        for program in ["stack", "queue"] {
            let begins = format!("| {program} | {placement} | ");
            assert!(markdown.lines().any(|line| line.starts_with(&begins)), "{begins}");
        }
    }
    for picture in ["esop13.svg", "esop15.svg", "scaling.svg", "overhead.svg"] {
        assert!(read(picture).starts_with("<svg "), "{picture}");
        assert!(markdown.contains(&format!("]({picture})")), "{picture}");
    }
    let costs: toml::Table = read("costs.toml").parse().expect("TOML");
    let full = costs["fences"]["full"].as_integer().expect("a number");
    assert!((1..=1000).contains(&full), "{full}");
    assert!(costs["orders"].get("seq_cst").is_some());
}
