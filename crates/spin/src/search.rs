//! Asking: from a program to a verifier, from its report to an answer.

use std::collections::BTreeSet;
use std::time::Duration;

use frontend::promela::{Ask, print_asking};
use program::{Instruction, LabelId, Program, Template, Update};
use web_time::Instant;

use crate::answer::{Answer, Failure, Options, Query, Reason, Statistics, Verdict, What};
use crate::command::{Finished, Time, run};
use crate::folder::Folder;
use crate::report::{Ending, ending, statistics};
use crate::run::{computation, moves};

/// How many steps of a path the verifier first makes room for; the room grows by [`DEEPER`].
const DEPTH: u64 = 100_000;
const DEEPER: u64 = 10;
/// What the verifier needs for each of them.
const BYTES_PER_STEP: u64 = 64;
/// How many bytes of a state the verifier first makes room for (its default), and at most.
const VECTOR: u64 = 1024;
const LARGEST_VECTOR: u64 = 1 << 22;

/// Asks Spin.
///
/// Where it finds something it is asked a second time, with steps that announce themselves, to
/// learn how; the search itself need not pay for that.
pub fn reach(program: &Program, query: &Query, options: &Options) -> Result<Answer, Failure> {
    let (ending, statistics, _) = search(program, query, options, false)?;
    let verdict = match ending {
        Ended::By(Ending::Complete) => {
            match unseen_deadlocks(program).filter(|_| query.deadlocks) {
                Some(reason) => Verdict::Undecided(reason),
                None => Verdict::Holds,
            }
        }
        Ended::By(Ending::Found(_)) => trail(program, query, options)?,
        Ended::By(other) => undecided(other),
        Ended::OutOfTime => Verdict::Undecided(Reason::Time),
    };
    Ok(Answer { verdict, statistics })
}

fn trail(program: &Program, query: &Query, options: &Options) -> Result<Verdict, Failure> {
    let (ending, _, verifier) = search(program, query, options, true)?;
    match ending {
        Ended::By(Ending::Found(what)) => {
            let replay =
                run(verifier.folder.path(), "./pan", &["-r", "-n", "-S"], elapsed(options))?;
            if replay.status.is_none() {
                return Ok(Verdict::Undecided(Reason::Time));
            }
            let Some(moves) = moves(&replay.said) else {
                return Err(Failure::NotUnderstood { said: replay.said });
            };
            computation(program, &moves, what, query.goal.as_ref()).map(Verdict::Violated)
        }
        Ended::By(Ending::Complete) => {
            let said = "something was found at first, but not again".to_owned();
            Err(Failure::NotUnderstood { said })
        }
        Ended::By(other) => Ok(undecided(other)),
        Ended::OutOfTime => Ok(Verdict::Undecided(Reason::Time)),
    }
}

fn undecided(ending: Ending) -> Verdict {
    Verdict::Undecided(match ending {
        Ending::Beyond32Bits => Reason::Beyond32Bits,
        Ending::TooDeep | Ending::OutOfMemory => Reason::Memory,
        Ending::Complete
        | Ending::Found(What::Fault | What::Deadlock | What::Goal)
        | Ending::VectorTooSmall => unreachable!("decided, or compiled again"),
    })
}

enum Ended {
    By(Ending),
    OutOfTime,
}

/// A compiled verifier in its folder.
struct Verifier {
    folder: Folder,
    preparation: Option<Duration>,
}

/// Searches with enough room for a state.
fn search(
    program: &Program,
    query: &Query,
    options: &Options,
    announce: bool,
) -> Result<(Ended, Statistics, Verifier), Failure> {
    let ask = Ask { faults: query.faults, goal: query.goal.as_ref(), announce };
    let promela = print_asking(program, &ask).map_err(Failure::NoPromela)?;
    let mut vector = VECTOR;
    loop {
        let Some(verifier) = Verifier::new(&promela, vector, options)? else {
            let folder = Folder::new()?;
            let verifier = Verifier { folder, preparation: None };
            return Ok((Ended::OutOfTime, Statistics::default(), verifier));
        };
        let (ended, mut statistics) = verifier.search(query, options)?;
        if matches!(ended, Ended::By(Ending::VectorTooSmall)) {
            vector *= 8;
            if vector > LARGEST_VECTOR {
                let said = format!("a state needs more than {LARGEST_VECTOR} bytes");
                return Err(Failure::Failed { command: "./pan", said });
            }
            continue;
        }
        statistics.preparation = verifier.preparation;
        return Ok((ended, statistics, verifier));
    }
}

impl Verifier {
    /// Translates and compiles; nothing if that takes too long.
    fn new(promela: &str, vector: u64, options: &Options) -> Result<Option<Self>, Failure> {
        let folder = Folder::new()?;
        std::fs::write(folder.path().join("program.pml"), promela).map_err(Failure::Files)?;
        let mut translate = vec!["-a"];
        let mut compile = vec!["-w", "-DSAFETY"];
        if !options.reduce {
            translate.extend(["-o1", "-o2"]);
            compile.push("-DNOREDUCE");
        }
        translate.push("program.pml");
        compile.push(if options.optimise { "-O2" } else { "-O0" });
        let megabytes = (options.memory >> 20).max(1);
        let limits = [format!("-DMEMLIM={megabytes}"), format!("-DVECTORSZ={vector}")];
        compile.extend(limits.iter().map(String::as_str));
        compile.extend(["-o", "pan", "pan.c"]);
        let spin = run(folder.path(), "spin", &translate, elapsed(options))?;
        let spin_seconds = spin.cpu;
        if !succeeded("spin", spin)? {
            return Ok(None);
        }
        let gcc = run(folder.path(), "gcc", &compile, elapsed(options))?;
        let preparation = spin_seconds.zip(gcc.cpu).map(|(spin, gcc)| spin + gcc);
        Ok(succeeded("gcc", gcc)?.then_some(Self { folder, preparation }))
    }

    /// Searches, deeper and deeper as long as that is needed and memory allows.
    fn search(&self, query: &Query, options: &Options) -> Result<(Ended, Statistics), Failure> {
        let start = Instant::now();
        let mut depth = DEPTH;
        loop {
            let depth_limit = format!("-m{depth}");
            let table = format!("-w{}", options.table_bits);
            // Without `-b` a search that is too deep would go on for nothing.
            let mut arguments = vec!["-n", "-b", &depth_limit, &table];
            if !query.deadlocks {
                arguments.push("-E");
            }
            let left = options.timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
            let limit = Time { elapsed: left, cpu: options.cpu_limit };
            let pan = run(self.folder.path(), "./pan", &arguments, limit)?;
            let Finished { status, said, cpu, elapsed } = pan;
            let mut statistics = statistics(&said).unwrap_or_default();
            (statistics.search, statistics.elapsed) = (cpu, elapsed);
            let Some(status) = status else { return Ok((Ended::OutOfTime, statistics)) };
            let ended = match ending(&said) {
                Some(ending) if status.success() || ending != Ending::Complete => ending,
                Some(_) | None => return Err(Failure::NotUnderstood { said }),
            };
            let deeper = depth * DEEPER;
            let fits = deeper * BYTES_PER_STEP < options.memory && deeper < u64::from(u32::MAX) / 2;
            if ended == Ending::TooDeep && fits {
                depth = deeper;
            } else {
                return Ok((Ended::By(ended), statistics));
            }
        }
    }
}

const fn elapsed(options: &Options) -> Time {
    Time { elapsed: options.timeout, cpu: None }
}

/// Whether a command came to a good end; not if it was stopped.
fn succeeded(command: &'static str, finished: Finished) -> Result<bool, Failure> {
    let Some(status) = finished.status else { return Ok(false) };
    // Spin ends with exit code 0 after some errors.
    if status.success() && !finished.said.contains("rror") {
        Ok(true)
    } else {
        Err(Failure::Failed { command, said: finished.said })
    }
}

/// Why Spin may have missed a deadlock, if it may have.
fn unseen_deadlocks(program: &Program) -> Option<Reason> {
    let templates = || program.templates().iter();
    if templates().any(has_busy_wait) {
        return Some(Reason::BusyWaits);
    }
    let instructions = || templates().flat_map(Template::edges).map(|edge| &edge.instruction);
    let locks = instructions().any(|instruction| matches!(instruction, Instruction::Lock));
    let blocks = |instruction: &Instruction| {
        matches!(instruction, Instruction::Update { update: Update::BlockingReadWrite { .. }, .. })
    };
    (locks && instructions().any(blocks)).then_some(Reason::BlockingUpdates)
}

/// Whether a thread can run in a circle through waiting labels.
fn has_busy_wait(template: &Template) -> bool {
    let waiting = |label: LabelId| template.labels()[label].waiting;
    let mut left: BTreeSet<LabelId> =
        template.labels().indices().filter(|at| waiting(*at)).collect();
    // What leads nowhere among those left is on no circle; what remains in the end leads to one.
    loop {
        let leads_on = |label: &LabelId| {
            template.outgoing(*label).any(|edge| left.contains(&template.edge(edge).to))
        };
        let next: BTreeSet<LabelId> = left.iter().copied().filter(leads_on).collect();
        if next.len() == left.len() {
            return !left.is_empty();
        }
        left = next;
    }
}
