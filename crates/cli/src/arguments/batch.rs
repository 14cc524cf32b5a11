//! The options of `fencewright batch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Format;
use super::cycles::Machine;
use super::search::{seconds, size};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright batch packages.list                      all packages of the list, on x86
  fencewright batch packages.list --arch x86,power     on two machines
  fencewright batch packages.list --results packages.jsonl --timeout 600

Each line of the list is a name, a colon, and files and options as `fencewright fence --method static`
takes them, quoted as in a shell; paths are relative to the list. Lines that begin with # are comments:

  # our packages
  queue: queue/src/queue.c --thread 'push*any' --thread 'pop*any'
  server: server/fencewright-recording --program server

Each package is a process of its own, so limits are for each of them, and one that cannot be analysed does
not end the others. With --results, what is done is kept in a file, and not done again when the command is
repeated after it was interrupted or the list has grown. The exit code is that of the worst: 2 refused,
3 undecided, 0 if all hold or are repaired. See docs/cycles.md.";

#[derive(Args, Debug)]
pub(crate) struct Batch {
    /// The list of packages
    #[arg(value_name = "LIST")]
    pub(crate) list: PathBuf,

    /// The machines
    #[arg(long, value_enum, value_delimiter = ',', default_value = "x86")]
    pub(crate) arch: Vec<Machine>,

    /// How many packages are analysed at once [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) jobs: Option<u64>,

    /// Keep results in this file, one JSON document a line, and do not ask again for what it has
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,

    /// Take so many seconds at most for each package on each machine
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Use so many bytes at most for each package (K, M, G for KiB, MiB, GiB)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<usize>,

    /// The form of the output: a line for each package and a table, or the results alone
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}
