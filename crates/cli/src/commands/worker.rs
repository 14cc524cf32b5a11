//! `fencewright worker`, and the commands that have workers.

use std::path::Path;
use std::process::{Command, Stdio};

use cluster::{Gathering, Hosts, Patience, Unable, serve};

use workspace::{Engine, Searcher};

use crate::arguments::cluster::{Clustered, Worker};
use crate::output::Output;
use crate::status::Status;

/// What workers must know, if it is set.
const KEY: &str = "FENCEWRIGHT_CLUSTER_KEY";

pub(crate) fn run(options: &Worker, output: &mut Output) -> Status {
    match served(options) {
        Ok(()) => Status::Fine,
        Err(Unable(why)) => output.refuse(&why),
    }
}

fn served(options: &Worker) -> Result<(), Unable> {
    let gathering = gathering(std::env::var(KEY).unwrap_or_default())?;
    let process = options.process;
    let hosts = options.cluster.as_deref().map(hosts).transpose()?;
    match (&hosts, &options.leader) {
        (Some(hosts), _) => {
            let (Some(leader), Some(here)) = (hosts.address(0), hosts.address(process)) else {
                let count = hosts.count();
                return Err(Unable(format!("there is no process {process} among {count} hosts")));
            };
            if process == 0 {
                return Err(Unable("process 0 is the command that asks".to_owned()));
            }
            serve(&gathering, leader, process, here)
        }
        (None, Some(leader)) => serve(&gathering, leader, process, "127.0.0.1:0"),
        (None, None) => Err(Unable("there are no hosts".to_owned())),
    }
}

/// The processes that a command asks for, if it does; they are there until the command ends. By default
/// those on one machine have a thread each, and others as many as this one has processors.
pub(crate) fn started(
    options: &Clustered,
    threads: Option<usize>,
) -> Result<Option<Searcher>, Unable> {
    let cluster = match (&options.cluster, options.processes) {
        (None, None) => return Ok(None),
        (Some(file), _) => {
            let gathering = gathering(std::env::var(KEY).unwrap_or_default())?;
            let processors = || std::thread::available_parallelism().map_or(1, usize::from);
            gathering.lead_hosts(&hosts(file)?, threads.unwrap_or_else(processors))?
        }
        (None, Some(processes)) => {
            let processes = usize::try_from(processes).unwrap_or(usize::MAX);
            let program = std::env::current_exe().map_err(|error| unable(&error))?;
            let gathering = gathering(random())?;
            gathering.start(processes, threads.unwrap_or(1), |process, address| {
                let mut command = Command::new(&program);
                command.args(["worker", "--no-config", "--leader", address, "--process"]);
                command.arg(process.to_string()).env(KEY, &gathering.key);
                // What they would say the command says.
                command.stdout(Stdio::null()).stderr(Stdio::null());
                // An interrupt is for the command; the others end with it.
                #[cfg(unix)]
                std::os::unix::process::CommandExt::process_group(&mut command, 0);
                command
            })?
        }
    };
    // Nobody waits for it: when this process ends, the others see it.
    Ok(Some(Searcher { engine: Engine::Cluster, tables: Box::leak(Box::new(cluster)) }))
}

fn unable(error: &std::io::Error) -> Unable {
    Unable(error.to_string())
}

fn hosts(file: &Path) -> Result<Hosts, Unable> {
    let shown = file.display();
    let text =
        std::fs::read_to_string(file).map_err(|error| Unable(format!("{shown}: {error}")))?;
    Hosts::parse(&text).map_err(|Unable(why)| Unable(format!("{shown}: {why}")))
}

/// What tells this binary from others: tables mean the same to the same binary only.
fn gathering(key: String) -> Result<Gathering, Unable> {
    let program =
        std::env::current_exe().and_then(std::fs::read).map_err(|error| unable(&error))?;
    let hash = xxhash_rust::xxh3::xxh3_128(&program);
    let identity = format!("{} {hash:032x}", env!("CARGO_PKG_VERSION"));
    Ok(Gathering { identity, key, patience: Patience::default() })
}

/// Something that nobody else on this machine knows.
fn random() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let number = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", number(), number())
}
