//! `fencewright batch`: static fences for many packages, several at once.
//!
//! Each package is a process of this same program: limits hold for each, and neither one that uses up all memory
//! nor a bug ends the others. Results are written one by one, so that nothing is lost if this is interrupted.

use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use report::batch::{Asked, Row, read, summary};

use crate::arguments::Format;
use crate::arguments::batch::{Batch, Merge};
use crate::output::Output;
use crate::progress::Line;
use crate::status::Status;

/// Time between two looks of a person.
const BETWEEN: Duration = Duration::from_millis(500);

/// A package of the list.
struct Package {
    name: String,
    text: String,
    arguments: Vec<String>,
}

/// What a worker tells.
enum Told {
    Begins(usize),
    Done(usize, Box<Row>),
}

pub(crate) fn run(options: &Batch, output: &mut Output) -> Status {
    match packages(&options.list) {
        Ok(packages) => all(options, &packages, output),
        Err(problem) => output.refuse(&problem),
    }
}

/// The packages of a list.
fn packages(list: &Path) -> Result<Vec<Package>, String> {
    let shown = list.display();
    let text = std::fs::read_to_string(list).map_err(|error| format!("{shown}: {error}"))?;
    let mut packages: Vec<Package> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("{shown}:{number}: {what}");
        let (name, text) = line
            .split_once(':')
            .ok_or_else(|| wrong("expected a name, a colon, and files, as in `queue: queue.c`"))?;
        let (name, text) = (name.trim().to_owned(), text.trim().to_owned());
        let arguments = shlex::split(&text).ok_or_else(|| wrong("a quote is not closed"))?;
        if arguments.is_empty() {
            return Err(wrong("there is no file"));
        }
        if packages.iter().any(|package| package.name == name) {
            return Err(wrong(&format!("`{name}` is in the list twice")));
        }
        packages.push(Package { name, text, arguments });
    }
    if packages.is_empty() {
        return Err(format!("{shown}: there is no package in the list"));
    }
    Ok(packages)
}

/// Asks about all packages on all machines.
fn all(options: &Batch, packages: &[Package], output: &mut Output) -> Status {
    let mut machines: Vec<String> = Vec::new();
    for arch in options.arch.iter().flat_map(|arch| arch.meant()) {
        // `all,x86` asks once.
        if !machines.iter().any(|known| known == arch.name()) {
            machines.push(arch.name().to_owned());
        }
    }
    let limits = limits(options);
    let how = format!("{} {}", env!("CARGO_PKG_VERSION"), limits.join(" ")).trim().to_owned();
    let known = match &options.results {
        Some(path) => read(&std::fs::read_to_string(path).unwrap_or_default()),
        None => Vec::new(),
    };
    let mut rows = Vec::new();
    let mut questions = Vec::new();
    let mut number = 0;
    for package in packages {
        for arch in &machines {
            let is_here = options.shard.is_none_or(|shard| shard.has(number));
            number += 1;
            if !is_here {
                continue;
            }
            let (name, arguments) = (package.name.clone(), package.text.clone());
            let (arch, how) = (arch.clone(), how.clone());
            let asked = Asked { package: name, arguments, arch, how };
            match known.iter().rev().find(|row| row.asked == asked) {
                Some(row) => rows.push(row.clone()),
                None => questions.push((package, asked)),
            }
        }
    }
    for row in &rows {
        tell(row, options.format, output);
    }
    let mut results = match options.results.as_deref().map(open).transpose() {
        Ok(results) => results,
        Err(problem) => {
            return output.refuse(&problem);
        }
    };
    let mut has_failed = false;
    answer_all(options, &questions, &limits, output, |row, output| {
        if let Some(file) = &mut results
            && let Err(error) = file.write_all(row.json().as_bytes()).and_then(|()| file.flush())
            && !std::mem::replace(&mut has_failed, true)
        {
            output.message(&format!("error: cannot write the results: {error}\n"));
        }
        tell(&row, options.format, output);
        rows.push(row);
    });
    if options.format == Format::Text {
        let names = packages.iter().map(|package| package.name.clone());
        let has_rows = |name: &String| rows.iter().any(|row| row.asked.package == *name);
        let names: Vec<String> =
            names.filter(|name| options.shard.is_none() || has_rows(name)).collect();
        output.text(&summary(&rows, &names, &machines));
    }
    let failed = if has_failed { Status::BadInput } else { Status::Fine };
    rows.iter().map(status).fold(failed, Status::max)
}

/// One table of results that several commands have written.
pub(crate) fn merge(options: &Merge, output: &mut Output) -> Status {
    match merged(options) {
        Ok((rows, missing)) => {
            for row in &rows {
                tell(row, options.format, output);
            }
            if options.format == Format::Text {
                output.text(&summary(&rows, &in_order(&rows, name), &machines(&rows)));
            }
            for package in &missing {
                let package = report::terminal::line(package);
                output.message(&format!("note: there is no result for {package}\n"));
            }
            let all = if missing.is_empty() { Status::Fine } else { Status::Undecided };
            rows.iter().map(status).fold(all, Status::max)
        }
        Err(problem) => output.refuse(&problem),
    }
}

fn name(row: &Row) -> &String {
    &row.asked.package
}

fn arch(row: &Row) -> &String {
    &row.asked.arch
}

/// What rows have, each once, as they come.
fn in_order(rows: &[Row], what: fn(&Row) -> &String) -> Vec<String> {
    let mut seen = Vec::new();
    for row in rows {
        if !seen.contains(what(row)) {
            seen.push(what(row).clone());
        }
    }
    seen
}

/// The machines of rows, by name: which result was written first is a matter of luck.
fn machines(rows: &[Row]) -> Vec<String> {
    let mut machines = in_order(rows, arch);
    machines.sort_unstable();
    machines
}

/// The results of some files, in the order of the list, and what has none on some machine.
fn merged(options: &Merge) -> Result<(Vec<Row>, Vec<String>), String> {
    let mut rows: Vec<Row> = Vec::new();
    for file in &options.files {
        let text = std::fs::read_to_string(file);
        let text = text.map_err(|error| format!("{}: {error}", file.display()))?;
        for row in read(&text) {
            // The last answer to a question counts, whatever the limits it was asked with.
            let is_same = |known: &Row| name(known) == name(&row) && arch(known) == arch(&row);
            match rows.iter_mut().find(|known| is_same(known)) {
                Some(known) => *known = row,
                None => rows.push(row),
            }
        }
    }
    let Some(list) = &options.list else {
        return Ok((rows, Vec::new()));
    };
    let packages = packages(list)?;
    let machines = machines(&rows);
    let mut ordered = Vec::new();
    let mut missing = Vec::new();
    for package in &packages {
        for machine in &machines {
            let is_it = |row: &&Row| *name(row) == package.name && arch(row) == machine;
            match rows.iter().find(is_it) {
                Some(row) => ordered.push(row.clone()),
                None => missing.push(format!("{} on {machine}", package.name)),
            }
        }
        if machines.is_empty() {
            missing.push(package.name.clone());
        }
    }
    Ok((ordered, missing))
}

/// The options for every package.
fn limits(options: &Batch) -> Vec<String> {
    let mut limits = Vec::new();
    if let Some(timeout) = options.timeout {
        limits.push(format!("--timeout={}", timeout.as_secs_f64()));
    }
    if let Some(memory) = options.max_memory {
        limits.push(format!("--max-memory={memory}"));
    }
    limits
}

/// A file that results are added to. One that ends within a line was being written when the work was ended.
fn open(path: &Path) -> Result<std::fs::File, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    let is_whole =
        std::fs::read(path).map_or(true, |text| text.is_empty() || text.ends_with(b"\n"));
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(path).map_err(wrong)?;
    if !is_whole {
        file.write_all(b"\n").map_err(wrong)?;
    }
    Ok(file)
}

fn tell(row: &Row, format: Format, output: &mut Output) {
    match format {
        Format::Text => output.text(&row.line()),
        Format::Json => output.data(&row.json()),
    }
}

fn status(row: &Row) -> Status {
    match row.verdict.as_str() {
        "holds" | "repaired" => Status::Fine,
        "undecided" => Status::Undecided,
        _ => Status::BadInput,
    }
}

/// Has workers ask, and hands on what they find.
fn answer_all(
    options: &Batch,
    questions: &[(&Package, Asked)],
    limits: &[String],
    output: &mut Output,
    mut act: impl FnMut(Row, &mut Output),
) {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = options.jobs.and_then(|jobs| usize::try_from(jobs).ok()).unwrap_or_else(processors);
    let folder = options.list.parent().filter(|folder| !folder.as_os_str().is_empty());
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..questions.len()).collect());
    let line = Line::new(output);
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..jobs.min(questions.len()) {
            let (sender, queue) = (sender.clone(), &queue);
            scope.spawn(move || work(questions, queue, folder, limits, &sender));
        }
        drop(sender);
        let start = Instant::now();
        let (mut done, mut at_work) = (0, Vec::new());
        loop {
            match receiver.recv_timeout(BETWEEN) {
                Ok(Told::Begins(number)) => at_work.push(number),
                Ok(Told::Done(number, row)) => {
                    done += 1;
                    at_work.retain(|other| *other != number);
                    line.clear();
                    act(*row, output);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let names: Vec<&str> =
                at_work.iter().map(|number| questions[*number].1.package.as_str()).collect();
            let (all, seconds) = (questions.len(), start.elapsed().as_secs());
            line.say(&format!("{done} of {all} done, {seconds} s; at work: {}", names.join(", ")));
        }
        line.clear();
    });
}

/// Asks one question after the other until there are none.
fn work(
    questions: &[(&Package, Asked)],
    queue: &Mutex<VecDeque<usize>>,
    folder: Option<&Path>,
    limits: &[String],
    sender: &Sender<Told>,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(number) = next else { return };
        let (package, asked) = &questions[number];
        let _ = sender.send(Told::Begins(number));
        let row = answer(package, asked, folder, limits);
        let _ = sender.send(Told::Done(number, Box::new(row)));
    }
}

/// Asks about a package in a process of its own.
fn answer(package: &Package, asked: &Asked, folder: Option<&Path>, limits: &[String]) -> Row {
    let start = Instant::now();
    let run = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["fence", "--method", "static", "--format", "json", "--color", "never"]);
        command.args(["--arch", &asked.arch]).args(limits).args(&package.arguments);
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::null()).output()
    };
    let (printed, complaint) = match run() {
        Ok(output) => (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ),
        Err(error) => (String::new(), format!("it cannot be started: {error}")),
    };
    Row::of_output(asked.clone(), &printed, &complaint, start.elapsed().as_secs_f64())
}
