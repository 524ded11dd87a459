//! `harrier host loopback`: measures the paths inside this host with perftest.

mod arguments;
mod measure;

use std::path::PathBuf;

use host_diagnosis::hostping::measurement::Baselines;
use model::HostReport;
use model::host::HostLoopback;
use model::host::loopback::{LoopbackPath, LoopbackTest};

pub(super) use arguments::TestArgs;
pub(super) use measure::{Measured, measure};

use super::live;
use crate::Outcome;
use crate::input::{fail_with, write_all};
use crate::live_report;
use crate::output::print_json;

const EXAMPLES: &str = "\
Examples:
  Record what the idle, healthy host reaches
    harrier host loopback --save-baseline h3-baseline.json

  Measure it later, and judge it with the counters of its NICs
    harrier host check --live --loopback --baseline h3-baseline.json

  Measure one RNIC with all GPUs, three times
    harrier host loopback --nic mlx5_0 --gpu --rounds 3 --save h3.json";

/// Arguments of `harrier host loopback`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    tests: TestArgs,
    /// Write a report with the results, for `harrier host check`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write the results as baselines; no RNIC may have service traffic
    #[arg(long, value_name = "FILE")]
    save_baseline: Option<PathBuf>,
    /// Name of this host, as in the topology of the network [default: its hostname]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Root of sysfs, or a recorded tree
    #[arg(long, value_name = "DIR", default_value = "/sys")]
    sysfs: PathBuf,
    /// Print the report as JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let inspected = live_report::inspect(&args.sysfs)?;
    let host = live::name(args.host.as_deref(), &inspected.host)?;
    let Measured { section, watched_ns, failed } = measure(&args.tests, &args.sysfs, &inspected.inspection)?;
    let baselines = args.save_baseline.as_ref().map(|path| (path, Baselines::of(&host, &section)));
    let report = HostReport { loopback: Some(section), ..HostReport::new(host, watched_ns) };
    let mut files = Vec::new();
    if let Some(path) = &args.save {
        files.push((path.as_path(), live::lines(&report)?));
    }
    let mut problems = failed;
    match baselines {
        Some((path, Ok(baselines))) if problems.is_empty() => {
            files.push((path.as_path(), live::lines(&baselines)?))
        }
        Some((path, Ok(_))) => problems.push(format!("{} is not written: paths are missing", path.display())),
        Some((path, Err(why))) => problems.push(format!("{} is not written: {why}", path.display())),
        None => {}
    }
    write_all(&files)?;
    if args.json {
        print_json(&report)?;
    } else {
        stdout_text!("{}", report.loopback.as_ref().map(describe).unwrap_or_default())?;
    }
    fail_with("some paths were not measured", &problems)?;
    Ok(Outcome::Fine)
}

/// The measured paths of all rounds, as a table.
fn describe(section: &HostLoopback) -> String {
    let mut text = format!(
        "{:<12} {:<18} {:>10} {:>10} {:>6} {:>10} {:>10}\n",
        "RNIC", "endpoint", "bandwidth", "baseline", "share", "latency", "baseline"
    );
    for test in &section.tests {
        for path in &test.paths {
            text.push_str(&row(test, path));
        }
    }
    text
}

fn row(test: &LoopbackTest, path: &LoopbackPath) -> String {
    let or_unknown = |known: Option<String>| known.unwrap_or_else(|| "-".to_string());
    let baseline = Some(path.baseline_bandwidth_bps).filter(|bps| *bps > 0);
    let share = baseline.map(|bps| format!("{:.0} %", 100.0 * path.bandwidth_bps as f64 / bps as f64));
    let us = |ns: Option<u64>| or_unknown(ns.map(|ns| format!("{:.2} us", ns as f64 / 1e3)));
    let service = test.service.iter().find(|row| row.nic == path.nic);
    let busy = match (test.busy.contains(&path.nic), service) {
        (true, Some(service)) => format!("  busy: {} of services", gbps(service.bits_per_s)),
        (true, None) => "  busy".to_string(),
        (false, _) => String::new(),
    };
    format!(
        "{:<12} {:<18} {:>10} {:>10} {:>6} {:>10} {:>10}{busy}\n",
        path.nic,
        path.endpoint,
        gbps(path.bandwidth_bps),
        or_unknown(baseline.map(gbps)),
        or_unknown(share),
        us(path.latency_ns),
        us(path.baseline_latency_ns),
    )
}

fn gbps(bits_per_s: u64) -> String {
    format!("{:.1} Gb/s", bits_per_s as f64 / 1e9)
}
