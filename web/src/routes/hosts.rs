//! Hosts: who they are, whether their agent reports, and what is inside them.

use std::collections::BTreeMap;
use std::net::IpAddr;

use axum::Json;
use axum::extract::{Path, State};
use model::topology::NodeKind;
use model::{PortRef, Topology};
use serde::Serialize;
use utoipa::ToSchema;

use crate::host_report::{HostReportSummary, HostReportView};
use crate::problem::Problem;
use crate::state::AppState;

/// The hosts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Hosts {
    /// The hosts of the topology and those that have reported, by name.
    hosts: Vec<Host>,
}

/// A host.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Host {
    /// Its name.
    name: String,
    /// Its addresses in the topology.
    #[schema(value_type = Vec<String>)]
    addresses: Vec<IpAddr>,
    /// The switch ports that it is connected to.
    switch_ports: Vec<PortRef>,
    /// State of its agent: `connected`, `silent` or `disconnected`; null without one.
    agent: Option<String>,
    /// What its latest report shows; null if it has not reported.
    report: Option<HostReportSummary>,
}

/// List the hosts, each with what its latest report shows
#[utoipa::path(get, path = "/hosts", operation_id = "list_hosts", tag = "network", responses(
    (status = 200, description = "Hosts of the topology, and hosts that have reported, by name", body = Hosts),
))]
pub(crate) async fn list(State(state): State<AppState>) -> Json<Hosts> {
    let topology = state.live.topology();
    let mut hosts: BTreeMap<String, Host> = topology
        .iter()
        .flat_map(|topology| of_topology(topology))
        .map(|host| (host.name.clone(), host))
        .collect();
    let reports = state.host_reports.iter().flat_map(|backend| backend.summaries());
    for (name, report) in reports {
        hosts.entry(name.clone()).or_insert_with(|| Host::unknown(name)).report = Some(report);
    }
    for (name, agent) in agents(&state) {
        hosts.entry(name.clone()).or_insert_with(|| Host::unknown(name)).agent = Some(agent);
    }
    Json(Hosts { hosts: hosts.into_values().collect() })
}

/// Get a host, with what its latest report shows
#[utoipa::path(get, path = "/hosts/{host}", operation_id = "get_host", tag = "network", params(("host" = String, Path, description = "Name of the host")), responses(
    (status = 200, description = "The host", body = Host),
    (status = 404, description = "There is no such host", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn one(
    State(state): State<AppState>,
    Path(name): Path<String>,
) -> Result<Json<Host>, Problem> {
    let topology = state.live.topology();
    let known = topology.iter().flat_map(|topology| of_topology(topology)).find(|host| host.name == name);
    let report = state.host_reports.as_ref().and_then(|backend| backend.summary(&name));
    let agent = agents(&state).find(|(host, _)| *host == name).map(|(_, agent)| agent);
    if known.is_none() && report.is_none() && agent.is_none() {
        return Err(Problem::not_found(format!("there is no host `{name}`")));
    }
    Ok(Json(Host { agent, report, ..known.unwrap_or_else(|| Host::unknown(name)) }))
}

/// Get the latest report of a host, with the findings of all detectors
#[utoipa::path(get, path = "/hosts/{host}/report", operation_id = "get_host_report", tag = "network", params(("host" = String, Path, description = "Name of the host")), responses(
    (status = 200, description = "The report of the host's agent, and what it shows without a verdict about the network", body = HostReportView),
    (status = 404, description = "This host has not reported", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn report(
    State(state): State<AppState>,
    Path(host): Path<String>,
) -> Result<Json<HostReportView>, Problem> {
    let found = state.host_reports.as_ref().and_then(|backend| backend.report(&host));
    found.map(Json).ok_or_else(|| Problem::not_found(format!("host `{host}` has not reported")))
}

impl Host {
    /// A host that the topology does not have.
    fn unknown(name: String) -> Host {
        Host { name, addresses: Vec::new(), switch_ports: Vec::new(), agent: None, report: None }
    }
}

/// The hosts of a topology.
fn of_topology(topology: &Topology) -> impl Iterator<Item = Host> {
    let hosts = topology.nodes.iter().filter(|node| node.kind == NodeKind::Host);
    hosts.map(|node| {
        let ends = topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
        let switch_ports = ends.filter(|(own, _)| own.switch == node.name).map(|(_, other)| other.clone());
        Host {
            addresses: node.addresses.clone(),
            switch_ports: switch_ports.collect(),
            ..Host::unknown(node.name.clone())
        }
    })
}

/// The states of agents, by host.
fn agents(state: &AppState) -> impl Iterator<Item = (String, String)> {
    let daemons = state.probe.iter().flat_map(|probe| probe.daemons());
    daemons.filter(|daemon| daemon.kind == "agent").map(|daemon| (daemon.name, daemon.state))
}
