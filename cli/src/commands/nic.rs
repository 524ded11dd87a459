//! `harrier nic`: one host of a scenario as a RoCEv2 endpoint on a real interface.

use std::path::PathBuf;

use anyhow::Context;

use crate::Outcome;
use crate::nic::{self, NicOptions};

/// Arguments of `harrier nic`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Interface of the lossless network
    #[arg(long, value_name = "NAME")]
    interface: String,
    /// Built-in scenario whose flows and faults it runs
    #[arg(long, value_name = "NAME")]
    scenario: String,
    /// Seed of the scenario's instance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Host of the scenario
    #[arg(long, value_name = "NAME")]
    host: String,
    /// How many times slower than in the scenario time passes
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    time_scale: u64,
    /// Unix socket that takes requests, one JSON object a line
    #[arg(long, value_name = "FILE")]
    control: PathBuf,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let scenario = scenario::builtin(&args.scenario)
        .with_context(|| format!("no built-in scenario is called `{}`", args.scenario))?;
    let options = NicOptions {
        scenario: scenario.instance(args.seed)?.into_owned(),
        seed: args.seed,
        host: args.host,
        interface: args.interface,
        time_scale: args.time_scale,
        control: args.control,
    };
    nic::run(&options)?;
    Ok(Outcome::Fine)
}
