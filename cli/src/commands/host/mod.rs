//! `harrier host`: what is wrong inside a host.

mod check;
mod inspect;
mod live;
mod loopback;
mod probes;
mod topology;

use crate::Outcome;

/// Arguments of `harrier host`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Find the part of a host that causes pauses or delays, from reports or on this host
    Check(Box<check::Args>),
    /// Measure the paths between the RNICs of this host and its memory and GPUs, with perftest
    Loopback(Box<loopback::Args>),
    /// Write the topology of a host for its report, from the XML of hwloc
    Topology(topology::Args),
    /// Check settings of NICs, PCIe, memory and processes, from a recorded tree or on this host
    Inspect(Box<inspect::Args>),
    /// Summarise probes between hosts: dead pairs, dead hosts, percentiles by scope
    Probes(probes::Args),
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::Check(args) => check::execute(&args),
        Action::Loopback(args) => loopback::execute(&args),
        Action::Topology(args) => topology::execute(&args),
        Action::Inspect(args) => inspect::execute(*args),
        Action::Probes(args) => probes::execute(&args),
    }
}
