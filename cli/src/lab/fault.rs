//! `harrier lab fault`: what goes wrong in a real network, on request.

use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, bail};
use model::PortRef;
use nix::sys::signal::Signal;

use super::names::LabNumber;
use super::plan::LabPlan;
use super::state::LabState;
use super::traffic::sockets;
use super::{links, process, up};
use crate::nic::{self, Request};

/// Time for a killed process to end.
const END_TIMEOUT: Duration = Duration::from_secs(60);

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Those of the scenario's NICs and hosts.
    Scenario,
    /// The interface of a port goes down.
    LinkDown(PortRef),
    /// It comes up again.
    LinkUp(PortRef),
    /// A process is killed without notice.
    Kill(String),
    /// A process that has ended starts again.
    Restart(String),
    /// A process stops: it exists and does nothing.
    Freeze(String),
    /// It continues.
    Thaw(String),
    /// A node is cut off from the management network.
    Isolate(String),
    /// It is connected again.
    Rejoin(String),
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Fault, String> {
        let port = |text: &str| text.parse::<PortRef>().map_err(|error| error.to_string());
        match text.split_once('=') {
            None if text == "scenario" => Ok(Fault::Scenario),
            Some(("link-down", at)) => port(at).map(Fault::LinkDown),
            Some(("link-up", at)) => port(at).map(Fault::LinkUp),
            Some(("kill", name)) => Ok(Fault::Kill(name.to_string())),
            Some(("restart", name)) => Ok(Fault::Restart(name.to_string())),
            Some(("freeze", name)) => Ok(Fault::Freeze(name.to_string())),
            Some(("thaw", name)) => Ok(Fault::Thaw(name.to_string())),
            Some(("isolate", node)) => Ok(Fault::Isolate(node.to_string())),
            Some(("rejoin", node)) => Ok(Fault::Rejoin(node.to_string())),
            _ => Err(
                "expected `scenario`, `link-down=PORT`, `link-up=PORT`, `kill=PROCESS`, `restart=PROCESS`, \
                      `freeze=PROCESS`, `thaw=PROCESS`, `isolate=NODE` or `rejoin=NODE`"
                    .to_string(),
            ),
        }
    }
}

/// Applies a fault.
pub(crate) fn fault(number: LabNumber, fault: &Fault) -> anyhow::Result<()> {
    let lab = LabState::of_running(number)?;
    match fault {
        Fault::Scenario => {
            for socket in sockets(&lab, number) {
                nic::request(&socket, &Request::Faults)?;
            }
            Ok(())
        }
        Fault::LinkDown(port) => set_port(number, &lab, port, false),
        Fault::LinkUp(port) => set_port(number, &lab, port, true),
        Fault::Kill(name) => {
            let pid = signal(number, &lab, name, Signal::SIGKILL)?;
            process::wait_for_end_of(pid, END_TIMEOUT)
        }
        Fault::Freeze(name) => signal(number, &lab, name, Signal::SIGSTOP).map(drop),
        Fault::Thaw(name) => signal(number, &lab, name, Signal::SIGCONT).map(drop),
        Fault::Restart(name) => up::restart(number, name),
        Fault::Isolate(node) => set_management(number, &lab, node, false),
        Fault::Rejoin(node) => set_management(number, &lab, node, true),
    }
}

/// Sends a signal to a process, and returns its id.
fn signal(number: LabNumber, lab: &LabState, name: &str, signal: Signal) -> anyhow::Result<i32> {
    let process = lab.process(name).with_context(|| unknown_process(lab, name))?;
    if !process::is_running(number, process.pid) {
        bail!("{name} does not run");
    }
    process::signal(process.pid, signal)?;
    Ok(process.pid)
}

fn unknown_process(lab: &LabState, name: &str) -> String {
    let names: Vec<&str> = lab.processes.iter().map(|process| process.name.as_str()).collect();
    format!("the lab has no process `{name}`; expected one of {}", names.join(", "))
}

fn plan(number: LabNumber, lab: &LabState) -> anyhow::Result<LabPlan> {
    let scenario = scenario::builtin(&lab.scenario)
        .with_context(|| format!("no built-in scenario is called `{}`", lab.scenario))?;
    LabPlan::new(number, &scenario.instance(lab.seed)?.topology)
}

fn set_port(number: LabNumber, lab: &LabState, port: &PortRef, is_up: bool) -> anyhow::Result<()> {
    let plan = plan(number, lab)?;
    let node = plan.node(&port.switch).with_context(|| format!("no node is called `{}`", port.switch))?;
    let found = node.ports.iter().find(|(number, _)| *number == port.port);
    let (_, interface) = found.with_context(|| format!("`{port}` has no link"))?;
    links::set_state(&node.namespace, interface, is_up)
}

fn set_management(number: LabNumber, lab: &LabState, node: &str, is_up: bool) -> anyhow::Result<()> {
    let plan = plan(number, lab)?;
    let position = plan.nodes.iter().position(|known| known.name == node);
    let position = position.with_context(|| format!("no node is called `{node}`"))?;
    // The bridge's end: the node keeps its addresses and routes.
    links::set_state(&number.management_namespace(), &format!("m{position}"), is_up)
}
