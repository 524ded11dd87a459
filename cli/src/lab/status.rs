//! `harrier lab status`: every process of a lab, with its log and whether it is ready.

use serde::Serialize;

use super::names::LabNumber;
use super::process;
use super::state::{LabState, ProcessState};
use crate::Outcome;
use crate::output::print_json;

/// A lab as `status --json` shows it.
#[derive(Serialize)]
struct LabStatus {
    lab: u8,
    scenario: String,
    seed: u64,
    scale: u64,
    dashboard: String,
    is_complete: bool,
    processes: Vec<ProcessStatus>,
}

/// A process as `status --json` shows it.
#[derive(Serialize)]
struct ProcessStatus {
    name: String,
    namespace: Option<String>,
    pid: i32,
    state: &'static str,
    log: String,
}

/// Prints the lab. The outcome is [`Outcome::Findings`] if a process does not run or is not ready.
pub(crate) fn status(number: LabNumber, is_json: bool) -> anyhow::Result<Outcome> {
    let lab = LabState::of_running(number)?;
    let processes: Vec<ProcessStatus> =
        lab.processes.iter().map(|process| process_status(number, process)).collect();
    let is_fine = lab.is_complete && processes.iter().all(|process| process.state == "ready");
    let status = LabStatus {
        lab: number.0,
        scenario: lab.scenario,
        seed: lab.seed,
        scale: lab.scale,
        dashboard: format!("http://{}/", lab.listen),
        is_complete: lab.is_complete,
        processes,
    };
    if is_json {
        print_json(&status)?;
    } else {
        print_lab(&status)?;
    }
    Ok(if is_fine { Outcome::Fine } else { Outcome::Findings })
}

fn process_status(number: LabNumber, process: &ProcessState) -> ProcessStatus {
    let state = match (process::is_running(number, process.pid), process::has_been_ready(process)) {
        (false, _) => "ended",
        (true, false) => "starting",
        (true, true) => "ready",
    };
    ProcessStatus {
        name: process.name.clone(),
        namespace: process.namespace.clone(),
        pid: process.pid,
        state,
        log: process.log.display().to_string(),
    }
}

fn print_lab(status: &LabStatus) -> anyhow::Result<()> {
    stdout_line!("lab {}: {} (seed {}), 1:{}", status.lab, status.scenario, status.seed, status.scale)?;
    stdout_line!("dashboard {}", status.dashboard)?;
    if !status.is_complete {
        stdout_line!("`harrier lab up` has not completed")?;
    }
    for process in &status.processes {
        let namespace = process.namespace.as_deref().unwrap_or("-");
        stdout_line!(
            "{:<24} {:<14} {:>8}  {:<8}  {}",
            process.name,
            namespace,
            process.pid,
            process.state,
            process.log
        )?;
    }
    Ok(())
}
