//! `harrier lab`: a scenario on a real Linux network of namespaces.

use std::net::SocketAddr;

use crate::Outcome;
use crate::commands::scenario::required_builtin;
use crate::lab::{self, Fault, LABS, LabNumber, MAX_LABS, Scale, TrafficOptions, UpOptions};

const EXAMPLES: &str = "\
Examples:
  Build the network of the poster's incast and start all daemons
    harrier lab up

  Build another scenario at the same time
    harrier lab up host-storm --lab 1 --listen 127.0.0.1:8081

  Start its traffic, and take a link down
    harrier lab traffic
    harrier lab fault link-down=sw2:3

  Watch frames of a link
    ip netns exec hl0-h1 tshark -i eth0

  Remove everything
    harrier lab down";

/// Arguments of `harrier lab`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: LabCommand,
}

#[derive(clap::Subcommand)]
enum LabCommand {
    /// Build the network of a scenario and start all daemons
    Up(UpArgs),
    /// Show the processes of a lab
    Status(StatusArgs),
    /// Start the flows of the scenario, and its faults at their times
    Traffic(TrafficArgs),
    /// Break something: a link, a process, a host
    Fault(FaultArgs),
    /// Stop and remove a lab, also one whose start was interrupted
    Down(NumberArgs),
}

/// Which lab.
#[derive(clap::Args)]
struct NumberArgs {
    /// Number of the lab; several can run at the same time
    #[arg(long = "lab", value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..i64::from(MAX_LABS)))]
    number: u8,
}

#[derive(clap::Args)]
struct UpArgs {
    /// Scenario to build; `harrier scenario list` lists them
    #[arg(default_value = LABS[0])]
    scenario: String,
    #[command(flatten)]
    number: NumberArgs,
    /// Seed of the scenario's instance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Factor by which time is stretched; derived from the scenario if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    scale: Option<u64>,
    /// Give no daemon the topology: it is discovered with LLDP, and every host has an agent
    #[arg(long)]
    without_topology: bool,
    /// Address of the dashboard
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
}

#[derive(clap::Args)]
struct StatusArgs {
    #[command(flatten)]
    number: NumberArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct TrafficArgs {
    #[command(flatten)]
    number: NumberArgs,
    /// Leave out the scenario's faults
    #[arg(long)]
    without_faults: bool,
    /// Wait until all flows are complete
    #[arg(long)]
    wait: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct FaultArgs {
    #[command(flatten)]
    number: NumberArgs,
    /// scenario (the faults of its NICs), link-down=PORT, link-up=PORT, kill=PROCESS, restart=PROCESS, freeze=PROCESS,
    /// thaw=PROCESS, isolate=NODE, rejoin=NODE
    #[arg(required = true, value_name = "FAULT")]
    faults: Vec<Fault>,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        LabCommand::Up(args) => start(args),
        LabCommand::Status(args) => lab::status(LabNumber(args.number.number), args.json),
        LabCommand::Traffic(args) => {
            let options =
                TrafficOptions { with_faults: !args.without_faults, wait: args.wait, json: args.json };
            lab::traffic(LabNumber(args.number.number), options).map(|()| Outcome::Fine)
        }
        LabCommand::Fault(args) => {
            args.faults.iter().try_for_each(|fault| lab::fault(LabNumber(args.number.number), fault))?;
            Ok(Outcome::Fine)
        }
        LabCommand::Down(args) => lab::down(LabNumber(args.number)).map(|()| Outcome::Fine),
    }
}

fn start(args: UpArgs) -> anyhow::Result<Outcome> {
    let scenario = required_builtin(&args.scenario)?;
    let scenario = scenario.instance(args.seed)?.into_owned();
    let scale = args.scale.map_or_else(|| Scale::of(&scenario), Scale::new);
    let number = LabNumber(args.number.number);
    let clock_start_unix_ns = crate::nic::unix_ns();
    let seed = args.seed;
    let (has_topology, listen) = (!args.without_topology, args.listen);
    lab::up(&UpOptions { number, scenario, seed, scale, has_topology, listen, clock_start_unix_ns })?;
    Ok(Outcome::Fine)
}
