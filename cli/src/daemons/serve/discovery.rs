//! The network of a server without a plan: it follows from the cables that controllers report and the interfaces that
//! agents report, while the server runs. What changes goes to the store, the dashboard, the analysis, and the controllers
//! that have no plan either.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use buffer_config::topology::PS_PER_METRE;
use controller::discovery::{HostPort, Learned, Sighting};
use model::{Rate, Time, Topology};
use proto::v1::{self, from_server};
use tokio::sync::Notify;
use tracing::{error, info, warn};
use web::HealthProblem;

use super::Shared;

/// Time for which reports are collected before the network is put together: after a start, many arrive at once.
const SETTLE: Duration = Duration::from_millis(300);
/// Length of cables, which nothing reports: that of `harrier topology from-lldp`.
const CABLE_M: u64 = 5;

/// The network that is learned.
pub(crate) struct Discovery {
    learned: Mutex<Learned>,
    /// Rate of links whose ports do not report it.
    rate: Option<Rate>,
    changed: Notify,
}

impl Discovery {
    /// Continues with the topology of the store.
    pub(crate) fn new(known: Option<&Topology>, rate: Option<Rate>) -> Discovery {
        let learned = Mutex::new(known.cloned().map(Learned::continued).unwrap_or_default());
        Discovery { learned, rate, changed: Notify::new() }
    }

    /// A daemon has reported something.
    pub(crate) fn changed(&self) {
        self.changed.notify_one();
    }

    /// What the network lacks.
    pub(crate) fn problems(&self) -> Vec<HealthProblem> {
        let problem = |reason: &String| HealthProblem { subject: "discovery".into(), reason: reason.clone() };
        let learned = self.learned();
        let mut problems: Vec<HealthProblem> = learned.problems().iter().map(problem).collect();
        if learned.topology().links.is_empty() && problems.is_empty() {
            let reason = "no network has been learned yet: no controller has reported a cable";
            problems.push(problem(&reason.into()));
        }
        problems
    }

    fn learned(&self) -> MutexGuard<'_, Learned> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the network if it differs from the one in use; an earlier change may not have been stored.
    fn observe(
        &self,
        seen: &[Sighting],
        interfaces: &[HostPort],
        in_use: Option<&Topology>,
    ) -> Option<Topology> {
        let mut learned = self.learned();
        let delay = Time(CABLE_M * PS_PER_METRE);
        learned.observe(seen, interfaces, self.rate, delay);
        let known = learned.topology();
        let is_in_use = in_use.map_or(known.nodes.is_empty(), |in_use| in_use == known);
        (!is_in_use).then(|| known.clone())
    }
}

/// Puts the network together whenever a report changes, until the server stops.
pub(crate) async fn run(shared: Arc<Shared>, stop: impl Future<Output = ()>) {
    let Some(discovery) = &shared.discovery else { return stop.await };
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = discovery.changed.notified() => {}
            () = &mut stop => return,
        }
        tokio::select! {
            () = tokio::time::sleep(SETTLE) => {}
            () = &mut stop => return,
        }
        let (seen, interfaces) = shared.senders.network();
        let in_use = shared.live.topology();
        if let Some(topology) = discovery.observe(&seen, &interfaces, in_use.as_deref()) {
            adopt(&shared, topology).await;
        }
    }
}

async fn adopt(shared: &Shared, topology: Topology) {
    let (nodes, links) = (topology.nodes.len(), topology.links.len());
    let known = shared.live.topology();
    if let Err(error) = shared.live.set_topology(topology.clone()).await {
        error!(%error, "the network that was learned is not stored");
        // It is tried again: what was learned does not change by itself.
        if let Some(discovery) = &shared.discovery {
            discovery.changed();
        }
        return;
    }
    info!(nodes, links, "the network has been learned");
    // The numbers of hosts in event ids follow from their places, which only new hosts change.
    let hosts = |topology: &Topology| topology.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>();
    if known.is_none_or(|known| hosts(&known) != hosts(&topology)) {
        shared.senders.reconnect_agents();
    }
    shared.arrived.notify_one();
    if let Some(message) = message(&topology) {
        shared.senders.send_network(&message);
    }
}

/// Returns the network as a message to controllers.
pub(crate) fn message(topology: &Topology) -> Option<from_server::Message> {
    match serde_json::to_vec(topology) {
        Ok(json) => Some(from_server::Message::Network(v1::Network { json })),
        Err(error) => {
            warn!(%error, "the network cannot be written as JSON");
            None
        }
    }
}

/// Whether packets with this address are routed.
pub(crate) fn is_routed(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !v4.is_link_local() && !v4.is_loopback(),
        IpAddr::V6(v6) => !v6.is_unicast_link_local() && !v6.is_loopback(),
    }
}
