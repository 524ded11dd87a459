//! `harrier lab traffic`: starts the flows of the scenario, and its faults, on all NICs at the same moment.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::names::LabNumber;
use super::scale::Scale;
use super::state::{LabState, lock};
use crate::nic::{self, FlowState, Request};
use crate::output::print_json;

/// How far ahead the start is, for each host: every NIC has built its part of the scenario by then.
const LEAD_PER_HOST: Duration = Duration::from_millis(40);
/// Distance of the first packet sequence numbers of two starts: a quarter of all numbers. Connections of one start are
/// new to agents that observe them, and no retransmissions of those of an earlier one.
const PSN_STEP: u32 = 1 << 22;
/// Interval at which the flows are examined.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// What to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TrafficOptions {
    /// Whether the scenario's faults start at their times, too.
    pub(crate) with_faults: bool,
    /// Whether to wait until all flows are complete.
    pub(crate) wait: bool,
    /// Whether to print JSON.
    pub(crate) json: bool,
}

/// Starts the traffic. What still runs from an earlier start is abandoned.
pub(crate) fn traffic(number: LabNumber, options: TrafficOptions) -> anyhow::Result<()> {
    let lab = count_start(number)?;
    let sockets = sockets(&lab, number);
    let lead = LEAD_PER_HOST * sockets.len() as u32;
    let at_unix_ns = nic::unix_ns() + lead.as_nanos() as u64;
    let first_psn = lab.starts.wrapping_mul(PSN_STEP);
    let start = Request::Start { at_unix_ns, flows: true, faults: options.with_faults, first_psn };
    for socket in &sockets {
        nic::request(socket, &start)?;
    }
    let until = Instant::now() + lead + patience(&lab)?;
    let flows = loop {
        let flows = flows(&sockets)?;
        if !options.wait || flows.iter().all(|flow| flow.finish_ns.is_some()) {
            break flows;
        }
        if Instant::now() >= until {
            bail!(
                "flows are not complete in twice the duration of the scenario; a deadlock or an outage may stop them"
            );
        }
        std::thread::sleep(POLL_INTERVAL);
    };
    if options.json {
        print_json(&flows)?;
    } else {
        print_flows(&flows, lab.scale)?;
    }
    Ok(())
}

/// Counts a start of the traffic, and returns the state of the lab with it.
fn count_start(number: LabNumber) -> anyhow::Result<LabState> {
    let _lock = lock(number)?;
    let mut lab = LabState::of_running(number)?;
    lab.starts = lab.starts.wrapping_add(1);
    lab.save(number)?;
    Ok(lab)
}

/// How long flows may take: twice the duration of the scenario.
fn patience(lab: &LabState) -> anyhow::Result<Duration> {
    let scenario = scenario::builtin(&lab.scenario);
    let scenario = scenario.with_context(|| format!("no built-in scenario is called `{}`", lab.scenario))?;
    Ok(2 * Scale::new(lab.scale).wall(scenario.stop))
}

/// The flows of all hosts.
fn flows(sockets: &[PathBuf]) -> anyhow::Result<Vec<FlowState>> {
    let mut flows = Vec::new();
    for socket in sockets {
        flows.extend(nic::request(socket, &Request::Status)?.flows);
    }
    Ok(flows)
}

fn print_flows(flows: &[FlowState], scale: u64) -> anyhow::Result<()> {
    for flow in flows {
        let state = match flow.finish_ns {
            Some(finish_ns) => {
                format!("complete after {:.1} s", finish_ns as f64 * scale as f64 / 1e9)
            }
            None => format!("{} acknowledged", flow.acknowledged_bytes),
        };
        stdout_line!("{:<12} {:<44} {:>10} bytes  {state}", flow.label, flow.flow, flow.bytes)?;
    }
    Ok(())
}

/// The control sockets of all NICs.
pub(super) fn sockets(lab: &LabState, number: LabNumber) -> Vec<PathBuf> {
    let names = lab.processes.iter().filter_map(|process| process.name.strip_prefix("nic-"));
    names.map(|host| control_socket(number, host)).collect()
}

/// The control socket of a host's NIC.
pub(super) fn control_socket(number: LabNumber, host: &str) -> PathBuf {
    number.directory().join(format!("nic-{host}.sock"))
}
