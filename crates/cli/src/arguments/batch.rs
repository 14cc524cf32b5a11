//! The options of `fencewright batch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Format;
use super::cycles::Machine;
use super::search::{seconds, size};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright batch packages.list                      all packages, on x86
  fencewright batch packages.list --arch x86,power     on two machines
  fencewright batch packages.list --results packages.jsonl --timeout 600
  fencewright batch packages.list --shard 2/8 --results packages-2.jsonl

Each line of the list is a name, a colon, and files and options as `fencewright fence --method static` \
takes them, quoted as in a shell; paths are relative to the list. Lines that begin with # are comments:

  # our packages
  queue: queue/src/queue.c --thread 'push*any' --thread 'pop*any'
  server: server/fencewright-recording --program server

Each package is analysed in a process of its own, so limits apply to each of them, and a package that cannot be \
analysed does not stop the others. With --results, results are kept in a file: repeat the command after an \
interruption, or with a longer list, and only what is missing is analysed. The exit code is the most severe one: \
2 refused, 3 undecided, 0 if all hold or are repaired. See `fencewright explain docs/cycles.md`.";

pub(crate) const MERGE_EXAMPLES: &str = "\
Examples:
  fencewright merge packages-*.jsonl  the table of all shards
  fencewright merge packages-*.jsonl --list packages.list
  fencewright merge packages-*.jsonl --format json > packages.jsonl
  fencewright merge check-*.jsonl     written by `check --shard`

If several files answer the same question, the last one counts. With --list, packages without a result are named \
and the exit code is at least 3, so that no shard is forgotten. For `check`, `fence`, `reach` and `outcomes`, missing \
and interrupted shards are reported without a list. See `fencewright explain docs/cluster.md`.";

/// One part of many: the questions whose numbers, from zero on, leave this rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From zero on.
    pub(crate) part: usize,
    pub(crate) of: usize,
}

impl Shard {
    /// Whether the question with this number, from zero on, belongs to it.
    pub(crate) fn has(self, number: usize) -> bool {
        number % self.of == self.part
    }
}

pub(crate) fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(part, of)| {
        let (part, of): (usize, usize) = (part.parse().ok()?, of.parse().ok()?);
        (1 <= part && part <= of).then(|| Shard { part: part - 1, of })
    });
    numbers.ok_or_else(|| "expected a part and their number, such as 1/8 or 8/8".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct Batch {
    /// The list of packages
    #[arg(value_name = "LIST")]
    pub(crate) list: PathBuf,

    /// The machines
    #[arg(long, value_enum, value_delimiter = ',', default_value = "x86")]
    pub(crate) arch: Vec<Machine>,

    /// Number of packages analysed at once [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) jobs: Option<u64>,

    /// Analyse only every Nth pair of a package and a machine, starting with the Ith
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,

    /// Keep results in this file, one JSON document per line, and skip packages that it already has
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,

    /// Stop after this many seconds for each package on each machine
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// Use at most this many bytes for each package (K, M, G for KiB, MiB, GiB)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_memory: Option<usize>,

    /// Output format: a line for each package and a table, or the results alone
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// Results written by `batch`, or by other commands with `--shard` and `--format json`
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Check that every package in this list of `batch` has a result
    #[arg(long, value_name = "LIST")]
    pub(crate) list: Option<PathBuf>,

    /// Output format: a line for each package and a table, or the results alone
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_a_partition() {
        for of in 1..6 {
            let shards: Vec<Shard> =
                (1..=of).filter_map(|part| shard(&format!("{part}/{of}")).ok()).collect();
            assert_eq!(shards.len(), of);
            for number in 0..20 {
                assert_eq!(shards.iter().filter(|shard| shard.has(number)).count(), 1);
            }
        }
        for wrong in ["", "1", "0/3", "4/3", "a/b", "1/0", "-1/2"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
