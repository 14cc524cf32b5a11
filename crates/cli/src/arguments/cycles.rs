//! The options of static critical cycles, for `check` and `fence`.

use clap::{Args, ValueEnum};
use cycles::Arch;
use program::FenceKind;

use super::costs::{Costs, costs};

#[derive(Args, Debug)]
#[command(next_help_heading = "Static critical cycles, and machines other than x86")]
pub(crate) struct Cycles {
    /// Method: `static` looks for critical cycles of accesses that the machine may reorder. It ignores values, takes
    /// programs of any size and knows every machine; it answers *holds* or *undecided*. `auto` tries it first and, on
    /// x86, then searches exactly
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) method: Method,

    /// Target machine; any machine but x86 implies `--method static`
    #[arg(long, value_enum, default_value = "x86")]
    pub(crate) arch: Machine,

    /// What the machine is compared with: `sc`, or `tso`, which is what x86 gives; `tso` implies `--method
    /// static`
    #[arg(long, hide_short_help = true, value_enum, default_value = "sc")]
    pub(crate) reference: Reference,

    /// Also consider stronger orders of accesses, not only fences (C, Rust and `.fw`; `fence`)
    #[arg(long, hide_short_help = true)]
    pub(crate) with_orders: bool,

    /// Extra cost of an access of each order over a relaxed one, as in `acquire=1,release=2`
    #[arg(long, hide_short_help = true, value_name = "ORDER=COST", value_delimiter = ',', value_parser = order_cost)]
    pub(crate) order_cost: Vec<(program::Order, u64)>,

    /// Kinds of fences that `--method static` may insert [default: all that the machine and the language
    /// have]
    #[arg(long, hide_short_help = true, value_enum, value_name = "KIND", value_delimiter = ',')]
    pub(crate) kinds: Vec<Kind>,

    /// Cost of each kind of fence, as in `full=10,lightweight=4`
    #[arg(long, hide_short_help = true, value_name = "KIND=COST", value_delimiter = ',', value_parser = kind_cost)]
    pub(crate) kind_cost: Vec<(Kind, u64)>,

    /// Read what fences and orders cost on a machine from this file, as the evaluation measures them
    /// (docs/evaluation in the sources); `--kind-cost` and `--order-cost` take precedence
    #[arg(long, hide_short_help = true, value_name = "FILE", value_parser = costs)]
    pub(crate) costs: Option<Costs>,

    /// Also show what older policies would insert: fences at every access, at heap accesses, as Pensieve or Visual Studio do
    #[arg(long, hide_short_help = true)]
    pub(crate) compare_policies: bool,

    /// List all critical cycles with a delay, at most N: for small programs
    #[arg(
        hide_short_help = true,
        long = "enumerate-cycles",
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1000"
    )]
    pub(crate) every: Option<usize>,
}

impl Cycles {
    /// Whether critical cycles are all that is looked for.
    pub(crate) fn is_static(&self) -> bool {
        match self.method {
            Method::Static => true,
            Method::Auto => self.arch != Machine::X86 || self.uses_cycles(),
            Method::Exact => false,
        }
    }

    fn uses_cycles(&self) -> bool {
        self.reference != Reference::Sc
            || self.with_orders
            || !self.order_cost.is_empty()
            || !self.kinds.is_empty()
            || !self.kind_cost.is_empty()
            || self.costs.is_some()
            || self.compare_policies
            || self.every.is_some()
    }

    /// Why these options do not go together.
    pub(crate) fn contradiction(&self) -> Option<&'static str> {
        if self.method != Method::Exact {
            return None;
        }
        if self.arch != Machine::X86 {
            return Some("the exact method knows x86 alone; use `--method static`");
        }
        self.uses_cycles().then_some(
            "`--reference tso`, `--with-orders`, `--order-cost`, `--kinds`, `--kind-cost`, \
             `--costs`, `--compare-policies` and `--enumerate-cycles` are for `--method static`",
        )
    }

    /// The question that is asked, whether about delays or about fences.
    pub(crate) fn question(&self) -> workspace::Cycles {
        // The last one counts.
        let kinds = self.costs.iter().flat_map(|costs| &costs.kinds).chain(&self.kind_cost);
        let orders = self.costs.iter().flat_map(|costs| &costs.orders).chain(&self.order_cost);
        workspace::Cycles {
            kinds: (!self.kinds.is_empty())
                .then(|| self.kinds.iter().map(|kind| kind.meant()).collect()),
            kind_costs: kinds.map(|(kind, cost)| (kind.meant(), *cost)).collect(),
            every_cycle: self.every,
            policies: self.compare_policies,
            reference: self.reference.meant(),
            orders: self.with_orders,
            order_costs: orders.copied().collect(),
            ..workspace::Cycles::on(self.arch.meant()[0])
        }
    }
}

/// How something is found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Static where that suffices, otherwise exact
    Auto,
    /// Explore all states
    Exact,
    /// Critical cycles only
    Static,
}

/// Machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Machine {
    /// x86, 32 or 64 bits: total store order
    X86,
    /// SPARC, partial store order
    Pso,
    /// SPARC, relaxed memory order
    Rmo,
    /// Power
    Power,
    /// Arm, 32 bits
    #[value(name = "armv7")]
    ArmV7,
    /// Arm, 64 bits
    #[value(name = "aarch64")]
    AArch64,
    /// Arm, 64 bits, with atomic instructions
    #[value(name = "aarch64-lse")]
    AArch64Lse,
    /// RISC-V
    #[value(name = "riscv")]
    RiscV,
    /// All of them, for `fence --minimise-existing`
    All,
}

/// What a machine is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reference {
    /// Sequential consistency
    Sc,
    /// Total store order: what x86 gives
    Tso,
}

impl Reference {
    pub(crate) const fn meant(self) -> cycles::Reference {
        match self {
            Self::Sc => cycles::Reference::Sc,
            Self::Tso => cycles::Reference::Tso,
        }
    }
}

impl Machine {
    /// The machines that are meant.
    pub(crate) const fn meant(self) -> &'static [Arch] {
        match self {
            Self::X86 => &[Arch::X86],
            Self::Pso => &[Arch::Pso],
            Self::Rmo => &[Arch::Rmo],
            Self::Power => &[Arch::Power],
            Self::ArmV7 => &[Arch::ArmV7],
            Self::AArch64 => &[Arch::AArch64],
            Self::AArch64Lse => &[Arch::AArch64Lse],
            Self::RiscV => &[Arch::RiscV],
            Self::All => &Arch::ALL,
        }
    }
}

/// Kinds of fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// `mfence`, `sync`, `dmb`, `fence rw,rw`
    Full,
    /// `lwsync`, `fence.tso`
    Lightweight,
    /// `eieio`, `dmb st`, `fence w,w`
    StoreStore,
    /// `fence r,r`
    LoadLoad,
    /// `fence r,w`
    LoadStore,
    /// `fence w,r`
    StoreLoad,
    /// `dmb ld`, `fence r,rw`
    Acquire,
    /// `fence rw,w`
    Release,
}

impl Kind {
    const fn meant(self) -> FenceKind {
        match self {
            Self::Full => FenceKind::Full,
            Self::Lightweight => FenceKind::Lightweight,
            Self::StoreStore => FenceKind::StoreStore,
            Self::LoadLoad => FenceKind::LoadLoad,
            Self::LoadStore => FenceKind::LoadStore,
            Self::StoreLoad => FenceKind::StoreLoad,
            Self::Acquire => FenceKind::Acquire,
            Self::Release => FenceKind::Release,
        }
    }
}

pub(super) fn order_cost(text: &str) -> Result<(program::Order, u64), String> {
    use program::Order;
    let (order, cost) = text.split_once('=').ok_or("an order and its cost, as in `acquire=1`")?;
    let orders = [Order::Acquire, Order::Release, Order::AcquireRelease, Order::SeqCst];
    let known = orders.into_iter().find(|known| known.to_string() == order);
    let order = known.ok_or("there are `acquire`, `release`, `acq_rel` and `seq_cst`")?;
    match cost.parse() {
        Ok(cost @ 1..=1000) => Ok((order, cost)),
        Ok(_) | Err(_) => Err("a cost is a number from 1 to 1000".to_owned()),
    }
}

pub(super) fn kind_cost(text: &str) -> Result<(Kind, u64), String> {
    let (kind, cost) = text.split_once('=').ok_or("a kind and its cost, as in `full=10`")?;
    let kind = Kind::from_str(kind, false)?;
    match cost.parse() {
        Ok(cost @ 1..=1000) => Ok((kind, cost)),
        Ok(_) | Err(_) => Err("a cost is a number from 1 to 1000".to_owned()),
    }
}
