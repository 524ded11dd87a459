//! The daemons of a lab: their arguments, in the order in which they start. Their files are in [`super::files`].

use model::topology::NodeKind;

use super::files::{self, Role};
use super::names::{P4RUNTIME_PORT, UPLOAD_PORT};
use super::plan::{HOST_INTERFACE, LabPlan, NodePlan};
use super::process::{Daemon, Ready};
use super::traffic::control_socket;
use super::up::UpOptions;

/// A second of a lab's network is hours: its switches and agents poll as often in it as those of a simulation, as incidents
/// last milliseconds.
const LAB_POLL_INTERVAL: &str = "POLL_INTERVAL_SHIFT=19";
const LAB_POLLS_PER_SECOND: &str = "1000";
const LAB_POLL_BURST: &str = "8";

/// Daemons that start together, after those of the stage before are ready.
pub(super) struct Stage {
    /// The daemons.
    pub(super) daemons: Vec<Daemon>,
}

/// Writes the files of all daemons and returns the stages in which they start.
pub(super) fn stages(options: &UpOptions, plan: &LabPlan) -> anyhow::Result<Vec<Stage>> {
    files::write(options, plan)?;
    let switches = plan.of_kind(NodeKind::Switch).enumerate();
    let mut first: Vec<Daemon> = switches.map(|(position, node)| switch(options, position, node)).collect();
    first.push(server(options));
    let nics = plan.of_kind(NodeKind::Host).map(|node| nic(options, node));
    let agents = plan.of_kind(NodeKind::Host).filter(|node| has_agent(options, &node.name));
    let agents = agents.map(|node| agent(options, node));
    Ok(vec![
        Stage { daemons: first },
        Stage { daemons: std::iter::once(controller(options, plan)).chain(nics).collect() },
        Stage { daemons: agents.collect() },
    ])
}

/// Whether a host has an agent: those of the scenario, or all that send. Without a topology all have one: the addresses of
/// hosts are known from their agents.
fn has_agent(options: &UpOptions, host: &str) -> bool {
    let scenario = &options.scenario;
    if !options.has_topology {
        return true;
    }
    match &scenario.agents.hosts {
        Some(hosts) => hosts.contains(host),
        None => scenario.flows.iter().any(|flow| flow.src == host),
    }
}

fn switch(options: &UpOptions, position: usize, node: &NodePlan) -> Daemon {
    let listen = format!("{}:{P4RUNTIME_PORT}", node.management);
    let device_id = (position + 1).to_string();
    let mut arguments = list(&["switch", "--no-program", "--listen", &listen, "--device-id", &device_id]);
    arguments.extend(scenario_arguments(options));
    arguments.extend(list(&["--node", &node.name, "--mac", &mac(node.mac)]));
    arguments.extend(list(&["--clock-start", &options.clock_start_unix_ns.to_string()]));
    for link in options.scenario.switch_ports(&node.name) {
        let interface = node.ports.iter().find(|(port, _)| *port == link.number);
        if let Some((port, interface)) = interface {
            arguments.extend(list(&["--port", &format!("{port}={interface}@{}bps", link.rate.0)]));
        }
    }
    let [ca, certificate, key] = files::certificates(options.number, Role::Switch, &node.name);
    arguments.extend(list(&["--client-ca", &ca, "--tls-cert", &certificate, "--tls-key", &key]));
    Daemon {
        name: format!("switch-{}", node.name),
        namespace: Some(node.namespace.clone()),
        arguments,
        ready: Ready::Prefix("listening on ".to_string()),
    }
}

fn server(options: &UpOptions) -> Daemon {
    let directory = options.number.directory();
    let file = |name: &str| directory.join(name).display().to_string();
    let uploads = format!("{}:{UPLOAD_PORT}", options.number.server_address());
    let mut arguments = list(&["serve", "--listen", &options.listen.to_string(), "--rest-tls", "off"]);
    arguments.extend(list(&["--upload-listen", &uploads, "--store", &file("harrier.db")]));
    arguments.extend(topology(options));
    arguments.extend(list(&["--findings", &file("config/findings.json")]));
    arguments.extend(time_scale(options));
    arguments.extend(tls(options, Role::Server, "server"));
    Daemon {
        name: "serve".to_string(),
        namespace: None,
        arguments,
        ready: Ready::Prefix("uploads on ".to_string()),
    }
}

fn controller(options: &UpOptions, plan: &LabPlan) -> Daemon {
    let directory = options.number.directory();
    let file = |name: &str| directory.join(name).display().to_string();
    let address = |(position, node): (usize, &NodePlan)| {
        format!("{}={}:{P4RUNTIME_PORT}/{}", node.name, node.management, position + 1)
    };
    let switches: Vec<String> = plan.of_kind(NodeKind::Switch).enumerate().map(address).collect();
    let mut arguments = list(&["controller", "--name", "lab", "--switches", &switches.join(",")]);
    arguments.extend(list(&["--switch-clocks", "synchronised", "--defines", LAB_POLL_INTERVAL]));
    arguments.extend(topology(options));
    if !options.has_topology {
        arguments.extend(list(&["--lldp-interval-s", "1"]));
    }
    arguments.extend(list(&["--plan", &file("config/plan.json"), "--spool", &file("spool-controller")]));
    arguments.extend(upload(options));
    arguments.extend(time_scale(options));
    arguments.extend(tls(options, Role::Controller, "lab"));
    Daemon {
        name: "controller".to_string(),
        namespace: Some(options.number.management_namespace()),
        arguments,
        ready: Ready::Contains("all switches are programmed".to_string()),
    }
}

fn nic(options: &UpOptions, node: &NodePlan) -> Daemon {
    let control = control_socket(options.number, &node.name).display().to_string();
    let mut arguments =
        list(&["nic", "--interface", HOST_INTERFACE, "--host", &node.name, "--control", &control]);
    arguments.extend(scenario_arguments(options));
    Daemon {
        name: format!("nic-{}", node.name),
        namespace: Some(node.namespace.clone()),
        arguments,
        ready: Ready::Prefix("ready: ".to_string()),
    }
}

fn agent(options: &UpOptions, node: &NodePlan) -> Daemon {
    let directory = options.number.directory();
    let spool = directory.join(format!("spool-{}", node.name)).display().to_string();
    let threshold = options.scenario.agents.threshold_percent.to_string();
    let mut arguments = list(&["agent", "--name", &node.name, "--interface", HOST_INTERFACE]);
    arguments.extend(list(&["--threshold-percent", &threshold, "--spool", &spool]));
    arguments.extend(list(&["--polls-per-second", LAB_POLLS_PER_SECOND, "--burst", LAB_POLL_BURST]));
    arguments.extend(topology(options));
    if !options.has_topology {
        let addresses: Vec<String> = node.addresses.iter().map(ToString::to_string).collect();
        arguments.extend(list(&["--addresses", &addresses.join(","), "--lldp-interval-s", "1"]));
    }
    arguments.extend(upload(options));
    arguments.extend(time_scale(options));
    arguments.extend(tls(options, Role::Agent, &node.name));
    Daemon {
        name: format!("agent-{}", node.name),
        namespace: Some(node.namespace.clone()),
        arguments,
        ready: Ready::Line("ready".to_string()),
    }
}

/// The scenario, its instance and its time, as all daemons of the data path take them.
fn scenario_arguments(options: &UpOptions) -> Vec<String> {
    let mut arguments = list(&["--scenario", &options.scenario.name, "--seed", &options.seed.to_string()]);
    arguments.extend(time_scale(options));
    arguments
}

/// The topology, for daemons that know it.
fn topology(options: &UpOptions) -> Vec<String> {
    let path = options.number.directory().join("config/topology.json").display().to_string();
    if options.has_topology { list(&["--topology", &path]) } else { Vec::new() }
}

fn time_scale(options: &UpOptions) -> Vec<String> {
    list(&["--time-scale", &options.scale.factor().to_string()])
}

/// The way to the server.
fn upload(options: &UpOptions) -> Vec<String> {
    list(&["--server", &format!("{}:{UPLOAD_PORT}", options.number.server_address())])
}

/// The certificates of a daemon.
fn tls(options: &UpOptions, role: Role, name: &str) -> Vec<String> {
    let [ca, certificate, key] = files::certificates(options.number, role, name);
    list(&["--tls-ca", &ca, "--tls-certificate", &certificate, "--tls-key", &key])
}

fn list(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| argument.to_string()).collect()
}

fn mac(bytes: [u8; 6]) -> String {
    bytes.map(|byte| format!("{byte:02x}")).join(":")
}
