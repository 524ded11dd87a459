//! `harrier nic`: a RoCEv2 endpoint in user space on a real interface, for networks without RDMA hardware.
//!
//! With `--address` it does what requests say; with `--scenario` it is one host of a scenario, with its flows and faults.

use std::net::IpAddr;
use std::path::PathBuf;

use ::nic::Fault;
use anyhow::Context;
use model::Rate;

use crate::Outcome;
use crate::commands::scenario::required_builtin;
use crate::daemons::config::keys::nic::{NIC, Nic, of_scenario};
use crate::daemons::config::{Arguments, variables_help};
use crate::daemons::operations::log;
use crate::endpoint::{self, EndpointOptions, Neighbour, Neighbours};
use crate::nic::{self, NicOptions};

const EXAMPLES: &str = "\
Examples:
  Send 10 MB to another endpoint and report when they have arrived
    echo '{\"flow\": {\"to\": \"10.0.0.2\", \"bytes\": 10000000}}' |
      harrier nic --interface eth1 --address 10.0.0.1 --exit-when-done

  Receive at 10 Mb/s only, and pause the switch when the buffer fills
    harrier nic --interface eth1 --address 10.0.0.2 --fault slow-receiver=10M

Requests, one JSON object a line, on standard input and on the control socket:
  {\"flow\": {\"to\": ADDRESS, \"bytes\": N}}     further keys: label, rate (\"50M\"), window-bytes, message-bytes, priority,
                                           operation (\"write\", \"send\"), source-port, congestion-control
  {\"stop\": ID}                             ends a flow
  {\"fault\": {\"storm\": {\"priority\": 3}}}   or {\"slow-receiver\": {\"rate\": \"10M\"}}, {\"stopped-receiver\": {}}
  {\"end-faults\": {}}
  {\"status\": {}}                           counters and flows";

/// Arguments of `harrier nic`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{}\n\n{EXAMPLES}", variables_help(&NIC)),
    group = clap::ArgGroup::new("role").args(["address", "scenario"]))]
pub(crate) struct Args {
    /// Configuration file (TOML); options take precedence
    #[arg(long, value_name = "FILE", env = "HARRIER_NIC_CONFIG")]
    config: Option<PathBuf>,
    /// Interface of the lossless network
    #[arg(long, value_name = "NAME")]
    interface: Option<String>,
    /// Unix socket that takes requests, one JSON object a line
    #[arg(long, value_name = "FILE")]
    control: Option<PathBuf>,
    /// Address of the endpoint
    #[arg(long, value_name = "ADDRESS")]
    address: Option<IpAddr>,
    /// Rate at which the endpoint sends (default: the interface's speed)
    #[arg(long, value_name = "RATE", conflicts_with = "scenario", value_parser = rate)]
    rate: Option<Rate>,
    /// Payload bytes of a full packet
    #[arg(long, value_name = "BYTES", conflicts_with = "scenario", default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(256..=8192))]
    payload: u32,
    /// MAC address of another endpoint; only hosts with a kernel on the same link need it; can be repeated
    #[arg(long = "neighbour", value_name = "ADDRESS=MAC", conflicts_with = "scenario")]
    neighbours: Vec<Neighbour>,
    /// A fault from the start: storm[=PRIORITY], slow-receiver=RATE or stopped-receiver; can be repeated
    #[arg(long = "fault", value_name = "FAULT", conflicts_with = "scenario", value_parser = endpoint::fault_argument)]
    faults: Vec<Fault>,
    /// End when standard input has ended and all flows are complete
    #[arg(long, conflicts_with = "scenario")]
    exit_when_done: bool,
    /// Built-in scenario whose flows and faults it runs
    #[arg(long, value_name = "NAME", requires = "host", conflicts_with = "address")]
    scenario: Option<String>,
    /// Seed of the scenario's instance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Host of the scenario
    #[arg(long, value_name = "NAME", requires = "scenario")]
    host: Option<String>,
    /// How many times slower than in the scenario time passes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    time_scale: u64,
    /// Least severe messages in the log: error, warn, info, debug or trace; without this option, --log-format and a
    /// configuration there is no log
    #[arg(long, value_name = "WORD")]
    log_level: Option<String>,
    /// Format of the log on stderr: text or json [default: text]
    #[arg(long, value_name = "WORD")]
    log_format: Option<String>,
}

fn rate(text: &str) -> Result<Rate, String> {
    let parsed = scenario::parse_rate(text).filter(|rate| rate.0 > 0);
    parsed.ok_or_else(|| "expected a rate, e.g. 10M, 1G or 25G".into())
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let arguments = Arguments::<Nic>::of_file(args.config.clone())
        .with_flag("interface", args.interface.clone())
        .with_flag("address", args.address.map(|address| address.to_string()))
        .with_flag("log_level", args.log_level.clone())
        .with_flag("log_format", args.log_format.clone());
    let settings = match args.scenario {
        Some(_) => arguments.settings_with(of_scenario)?,
        None => arguments.settings()?,
    };
    let interface = settings.text("interface").unwrap_or_default().to_string();
    if args.config.is_some() || settings.is_given("log_level") || settings.is_given("log_format") {
        log::start(&settings);
    }
    if args.scenario.is_none() {
        let address = settings.ip("address").context("the address is checked")?;
        endpoint::run(&EndpointOptions {
            interface,
            address,
            rate: args.rate,
            payload_bytes: args.payload,
            neighbours: Neighbours::new(&args.neighbours),
            faults: args.faults,
            control: args.control,
            exit_when_done: args.exit_when_done,
        })?;
        return Ok(Outcome::Fine);
    }
    let name = args.scenario.unwrap_or_default();
    let scenario = required_builtin(&name)?;
    let options = NicOptions {
        scenario: scenario.instance(args.seed)?.into_owned(),
        seed: args.seed,
        host: args.host.unwrap_or_default(),
        interface,
        time_scale: args.time_scale,
        control: args.control.context("--scenario also needs --control")?,
    };
    nic::run(&options)?;
    Ok(Outcome::Fine)
}
