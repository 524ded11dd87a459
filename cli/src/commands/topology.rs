//! `harrier topology`: the network's topology from the configurations of its switches.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use buffer_config::topology::{Described, Supplement, merge, read};

use crate::Outcome;
use crate::input::{fail_with, read_text};
use crate::output::print_json;

/// Arguments of `harrier topology`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Write the topology that SONiC configurations describe, as JSON for serve and controller
    FromSonic(FromSonic),
}

/// Arguments of `harrier topology from-sonic`.
#[derive(clap::Args)]
pub(crate) struct FromSonic {
    /// The configuration of each switch: CONFIG_DB (JSON) or minigraph (XML)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// A host and its addresses, for hosts whose type or address the configurations lack; can be repeated
    #[arg(long = "host", value_name = "NAME=ADDRESS[,ADDRESS]", value_parser = parse_host)]
    hosts: Vec<(String, Vec<IpAddr>)>,
    /// Length of cables without one in CABLE_LENGTH, in metres
    #[arg(long, value_name = "METRES", default_value_t = 5, value_parser = clap::value_parser!(u64).range(..=100_000))]
    cable_m: u64,
    /// Print the name of each port in the configurations to stderr
    #[arg(long)]
    ports: bool,
}

fn parse_host(text: &str) -> Result<(String, Vec<IpAddr>), String> {
    let (name, addresses) = text.split_once('=').ok_or("expected NAME=ADDRESS, e.g. h1=10.0.0.1")?;
    let address = |text: &str| text.parse().map_err(|_| format!("`{text}` is not an IP address"));
    Ok((name.to_string(), addresses.split(',').map(address).collect::<Result<_, _>>()?))
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let Command::FromSonic(args) = args.command;
    let mut problems = Vec::new();
    let mut described: Vec<Described> = Vec::new();
    for path in &args.files {
        match read_text(path) {
            Ok(text) => described.push(read(&path.display().to_string(), &text, &mut problems)),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    let mut addresses: BTreeMap<String, Vec<IpAddr>> = BTreeMap::new();
    for (name, more) in args.hosts {
        addresses.entry(name).or_default().extend(more);
    }
    let imported = merge(&described, &Supplement { addresses, cable_m: args.cable_m });
    problems.extend(imported.problems);
    fail_with("the configurations do not give a topology", &problems)?;
    if args.ports {
        for (port, name) in &imported.port_names {
            eprintln!("{port} = {name}");
        }
    }
    print_json(&imported.topology)?;
    Ok(Outcome::Fine)
}
