//! `harrier lab`: a scenario on a real Linux network of namespaces.

use std::net::SocketAddr;

use anyhow::Context;

use crate::Outcome;
use crate::lab::{self, LABS, LabNumber, MAX_LABS, Scale, UpOptions};

const EXAMPLES: &str = "\
Examples:
  Build the network of the poster's incast and start all daemons
    harrier lab up

  Build another scenario beside it
    harrier lab up host-storm --lab 1 --listen 127.0.0.1:8081

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
    /// Stop and remove a lab, also one whose start was interrupted
    Down(NumberArgs),
}

/// Which lab.
#[derive(clap::Args)]
struct NumberArgs {
    /// Number of the lab; several can run beside each other
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

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        LabCommand::Up(args) => start(args),
        LabCommand::Status(args) => lab::status(LabNumber(args.number.number), args.json),
        LabCommand::Down(args) => lab::down(LabNumber(args.number)).map(|()| Outcome::Fine),
    }
}

fn start(args: UpArgs) -> anyhow::Result<Outcome> {
    let scenario = scenario::builtin(&args.scenario).with_context(|| {
        format!("no built-in scenario is called `{}`; `harrier scenario list` lists them", args.scenario)
    })?;
    let scenario = scenario.instance(args.seed)?.into_owned();
    let scale = args.scale.map_or_else(|| Scale::of(&scenario), Scale::new);
    let number = LabNumber(args.number.number);
    lab::up(&UpOptions { number, scenario, seed: args.seed, scale, listen: args.listen })?;
    Ok(Outcome::Fine)
}
