//! `harrier topology`: the network's topology from the configurations of its switches, or from what is discovered.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use buffer_config::topology::{Described, PS_PER_METRE, Supplement, merge, read};
use controller::discovery::{HostPort, Sighting, learn};
use model::{PortRef, Rate, Time};

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
    /// Write the topology that LLDP and agents have discovered, as JSON for serve and controller
    FromLldp(FromLldp),
}

/// Arguments of `harrier topology from-lldp`.
#[derive(clap::Args)]
pub(crate) struct FromLldp {
    /// The answer of GET /api/v1/daemons
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Rate of links whose interface no agent reports, in Gb/s
    #[arg(long, value_name = "GBPS", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    rate_gbps: Option<u64>,
    /// Length of the cables, in metres
    #[arg(long, value_name = "METRES", default_value_t = 5, value_parser = clap::value_parser!(u64).range(..=100_000))]
    cable_m: u64,
}

/// The part of the server's answer that is about cables and interfaces.
#[derive(serde::Deserialize)]
struct Daemons {
    daemons: Vec<Daemon>,
}

#[derive(serde::Deserialize)]
struct Daemon {
    name: String,
    #[serde(default)]
    neighbours: Vec<Neighbour>,
    #[serde(default)]
    interfaces: Vec<Interface>,
}

#[derive(serde::Deserialize)]
struct Neighbour {
    port: PortRef,
    announced: String,
}

#[derive(serde::Deserialize)]
struct Interface {
    mac: String,
    addresses: Vec<IpAddr>,
    speed_mbps: Option<u64>,
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
    match args.command {
        Command::FromSonic(args) => from_sonic(args),
        Command::FromLldp(args) => from_lldp(&args),
    }
}

fn from_lldp(args: &FromLldp) -> anyhow::Result<Outcome> {
    let name = args.file.display();
    let answer: Daemons = serde_json::from_str(&read_text(&args.file)?)
        .with_context(|| format!("{name}: not the answer of GET /api/v1/daemons"))?;
    let (mut seen, mut interfaces) = (Vec::new(), Vec::new());
    for daemon in answer.daemons {
        let sighting =
            |found: Neighbour| Sighting { port: found.port, announced: found.announced, rate: None };
        seen.extend(daemon.neighbours.into_iter().map(sighting));
        interfaces.extend(daemon.interfaces.into_iter().map(|interface| HostPort {
            host: daemon.name.clone(),
            mac: interface.mac,
            // Packets with link-local addresses are not routed.
            addresses: interface.addresses.into_iter().filter(|address| !is_link_local(address)).collect(),
            rate: interface.speed_mbps.map(|mbps| Rate(mbps.saturating_mul(1_000_000))),
        }));
    }
    let delay = Time(args.cable_m.saturating_mul(PS_PER_METRE));
    let (topology, problems) = learn(&seen, &interfaces, args.rate_gbps.map(Rate::from_gbps), delay);
    fail_with("what is discovered does not give a topology", &problems)?;
    print_json(&topology)?;
    Ok(Outcome::Fine)
}

fn is_link_local(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    }
}

fn from_sonic(args: FromSonic) -> anyhow::Result<Outcome> {
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
            stderr_line!("{port} = {name}");
        }
    }
    print_json(&imported.topology)?;
    Ok(Outcome::Fine)
}
