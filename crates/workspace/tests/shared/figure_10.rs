//! CAV'14, Fig. 10, for our renditions in C and Rust: static fences on x86 beside those of older policies, and
//! whether the program with them passes the exact check.

use std::path::Path;
use std::time::{Duration, Instant};

use cycles::{Arch, Policy};
use workspace::{
    Budget, Check, CheckMethod, Conclusion, Cycles, CyclesAnswer, Inputs, Options, Workspace,
};

/// The programs: the name in the paper, ours, and the published counts of musketeer and pensieve.
pub(crate) const PROGRAMS: [(&str, &str, u32, u32); 11] = [
    ("Dek", "dekker", 5, 16),
    ("Pet", "peterson", 3, 6),
    ("Lam", "lamport-fast-1", 8, 24),
    ("Szy", "szymanski", 8, 22),
    ("Par", "parker", 3, 7),
    ("Cil", "cilk-the", 3, 14),
    ("CL", "chase-lev", 1, 8),
    ("Fif", "iwsq-fifo", 1, 33),
    ("Lif", "iwsq-lifo", 1, 29),
    ("Anc", "iwsq-anchor", 1, 44),
    ("Har", "harris-set", 4, 72),
];

/// What was found of one program.
#[derive(Debug)]
pub(crate) struct Row {
    /// Fences by critical cycles, and pairs that no fence can order.
    pub(crate) fences: usize,
    pub(crate) left: usize,
    pub(crate) pensieve: usize,
    pub(crate) every_access: usize,
    /// What the exact check says of the program with the fences; nothing if it cannot be asked.
    pub(crate) with_fences: Option<Conclusion>,
    pub(crate) seconds: f64,
}

/// Asks about a program of the corpus, such as `c/dekker.c`; nothing if it cannot be compiled here.
pub(crate) fn row(file: &str, limit: Duration) -> Result<Row, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(file);
    let files = vec![path.to_string_lossy().into_owned()];
    let mut workspace = Workspace::default();
    let question = Cycles { policies: true, ..Cycles::repaired(Arch::X86) };
    let answers = workspace.cycles_of(file, &files, &Inputs::files(files.clone()), &question);
    let answers = answers.map_err(|refused| refused.errors[0].message.clone())?;
    let [(_, sources, answer)] = &answers[..] else { return Err("several programs".to_owned()) };
    let Some(Ok(repair)) = &answer.repair else { return Err("no repair".to_owned()) };
    let by = |policy: Policy| {
        answer.policies.iter().find(|one| one.policy == policy).map_or(0, |one| one.fences)
    };
    let name = path.file_name().ok_or("no name")?;
    let original = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let text = fenced(answer, sources).unwrap_or(original);
    Ok(Row {
        fences: repair.fences.len(),
        left: repair.left.len(),
        pensieve: by(Policy::Pensieve),
        every_access: by(Policy::EveryAccess),
        with_fences: exactly(Path::new(name), &text, limit),
        seconds: answer.figures.elapsed.as_secs_f64(),
    })
}

/// The text of a program of one file with its fences.
fn fenced(answer: &CyclesAnswer, sources: &program::Sources) -> Option<String> {
    let texts = answer.texts.as_ref()?;
    assert!(texts.len() <= 1, "{:?}", texts.iter().map(|(id, _)| sources.name(*id)));
    texts.first().map(|(_, text)| text.clone())
}

/// What the exact check says of a text.
fn exactly(name: &Path, text: &str, limit: Duration) -> Option<Conclusion> {
    let folder = tempfile::tempdir().ok()?;
    let file = folder.path().join(name);
    std::fs::write(&file, text).ok()?;
    let mut workspace = Workspace::default();
    let opened = workspace.open(&Inputs::files([file.to_string_lossy().into_owned()]));
    let id = opened.into_iter().next()?.ok()?;
    let limits = Budget { time: Some(limit), ..Budget::default() }.from_now(Instant::now());
    let options = Options { limits, ..Options::default() };
    let check = Check { method: CheckMethod::Exact, options, ..Check::default() };
    Some(workspace.check(id, &check).ok()?.conclusion())
}
