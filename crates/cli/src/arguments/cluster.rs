//! The options of a cluster: of the command that searches, and of `fencewright worker`.

use std::path::PathBuf;

use clap::Args;

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright worker --cluster hosts --process 1       on the second host
  fencewright reach large.fw --cluster hosts           on the first

The file has a line `host:port` for each host, the same file everywhere; the command that asks is process 0, \
of the first line. A worker serves one command and ends with it. See `fencewright explain docs/cluster.md`.";

/// Where else a command searches.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits and search")]
pub(crate) struct Clustered {
    /// Search together on the hosts listed in this file, one `host:port` per line, this host first; the
    /// others run `fencewright worker`
    #[arg(long, hide_short_help = true, value_name = "HOSTFILE", conflicts_with = "processes")]
    pub(crate) cluster: Option<PathBuf>,

    /// Search with this many processes on this machine, which share its memory limit
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=256))]
    pub(crate) processes: Option<u64>,
}

impl Clustered {
    /// Whether others search too.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.cluster.is_some() || self.processes.is_some()
    }
}

#[derive(Args, Debug)]
pub(crate) struct Worker {
    /// The hosts, one `host:port` per line
    #[arg(long, value_name = "HOSTFILE", required_unless_present = "leader")]
    pub(crate) cluster: Option<PathBuf>,

    /// Number of this host's line in the file, counting from 0
    #[arg(long, value_name = "I")]
    pub(crate) process: usize,

    /// Where process 0 listens, if there is no file
    #[arg(long, value_name = "ADDRESS", conflicts_with = "cluster", hide = true)]
    pub(crate) leader: Option<String>,
}
