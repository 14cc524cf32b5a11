//! The options of `fencewright port`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use cycles::Arch;
use workspace::Executions;

use super::search::Search;
use super::{Format, Inputs};

pub(crate) const EXAMPLES: &str = "\
Examples:
  fencewright port --to aarch64 queue.c              what to change, and why
  fencewright port --to aarch64 queue.c --diff | patch -p0
  fencewright port --to riscv src/lib.rs --write ported.rs
  fencewright port --to aarch64 client.c --confirm   only what executions of this client need
  fencewright port --to power --fences-only queue.c  leave orders as they are

The program must be correct on x86. The port keeps what x86 guarantees at the lowest cost, and is read and \
analysed again before it is shown. The command is short for `fence --method static --reference tso --with-orders`. \
Exit code 0: nothing to do, or ported; 3: some accesses could not be ordered. See `fencewright explain docs/port.md`.";

#[derive(Args, Debug)]
#[command(next_help_heading = "Question")]
pub(crate) struct Port {
    /// The machine to port to
    #[arg(long, value_enum, value_name = "MACHINE")]
    pub(crate) to: Destination,

    /// Insert fences only; leave the orders of accesses as they are
    #[arg(long)]
    pub(crate) fences_only: bool,

    /// Enumerate all executions of the closed program, with loops up to a bound; change only what they need, and prove
    /// the port by enumerating the executions of the ported program
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_value = "auto",
          default_missing_value = "always")]
    pub(crate) confirm: When,

    /// Write the ported program to a file; given an existing folder, write all changed files into it under
    /// their names. The program itself is never overwritten
    #[arg(long, value_name = "OUT", help_heading = "Output")]
    pub(crate) write: Option<PathBuf>,

    /// Print the port as a unified diff
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub(crate) diff: bool,

    #[command(flatten)]
    pub(crate) search: Search,

    /// Output format
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) inputs: Inputs,
}

/// When executions are enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// What `--confirm` alone means
    Always,
    /// Where critical cycles alone give no complete port, for 20 seconds at most
    Auto,
    /// Not at all
    Never,
}

impl When {
    pub(crate) const fn meant(self) -> Executions {
        match self {
            Self::Always => Executions::Asked,
            Self::Auto => Executions::WhereNotRepaired,
            Self::Never => Executions::Ignored,
        }
    }
}

/// Machines to port to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Destination {
    /// Arm, 64 bits: Graviton, Apple silicon
    #[value(name = "aarch64")]
    AArch64,
    /// Arm, 64 bits, with atomic instructions
    #[value(name = "aarch64-lse")]
    AArch64Lse,
    /// Power
    Power,
    /// Arm, 32 bits
    #[value(name = "armv7")]
    ArmV7,
    /// RISC-V
    #[value(name = "riscv")]
    RiscV,
}

impl Destination {
    pub(crate) const fn meant(self) -> Arch {
        match self {
            Self::AArch64 => Arch::AArch64,
            Self::AArch64Lse => Arch::AArch64Lse,
            Self::Power => Arch::Power,
            Self::ArmV7 => Arch::ArmV7,
            Self::RiscV => Arch::RiscV,
        }
    }
}
