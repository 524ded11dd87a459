//! The agents, controllers and watchers that are or were connected.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use controller::discovery::{CableFinding, HostPort, Sighting};
use host_agent::TokenBucket;
use model::PortRef;
use proto::convert;
use proto::limits::{HEALTH_PROBLEMS, LASTING_PORTS, NAME_BYTES, REPORTED, TEXT_BYTES};
use proto::v1::{self, SenderKind, from_server};
use proto::version::HOST_REPORTS;
use tokio::sync::{mpsc, oneshot};
use web::{CableDifference, DaemonState, HealthProblem, HostInterface, Metric, SwitchClockError};

use super::cables::Cables;
use super::counter_verdicts::WATCHER;
use crate::daemons::analysis::parts::{ControllerSwitches, Controllers};
use crate::daemons::operations::wall_ns;

/// Maximum daemons that are remembered after they disconnected; the one that was heard first is forgotten.
const REMEMBERED: usize = 10_000;
/// Triggers of an agent that are relayed to controllers, in the long run and at once: as many as the agent's own default
/// limits permit. Further ones are stored, counted and not relayed.
const RELAYS_PER_SECOND: u32 = 1_000;
const RELAY_BURST: u32 = 64;

/// Who a daemon is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SenderId {
    /// `agent`, `controller` or `watcher`.
    pub(crate) kind: &'static str,
    /// Its name.
    pub(crate) name: String,
}

impl SenderId {
    /// Returns the identity of a checked hello.
    pub(crate) fn of(hello: &v1::Hello) -> SenderId {
        let kind = match hello.kind() {
            SenderKind::Controller => "controller",
            SenderKind::Watcher => "watcher",
            SenderKind::Agent | SenderKind::Unspecified => "agent",
        };
        SenderId { kind, name: hello.name.clone() }
    }

    /// Returns the key of the sender in the store.
    pub(crate) fn key(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }
}

/// The message of a stream to a daemon.
pub(crate) type Outgoing = Result<v1::FromServer, tonic::Status>;

/// Records that a daemon dropped because its spool was full.
#[derive(Clone, Default)]
struct Lost {
    records: u64,
    /// The start and the number of the last record whose losses are counted.
    counted: (String, u64),
}

struct Sender {
    /// Number of the connection, so that the end of an old one does not end its successor.
    connection: u64,
    outgoing: Option<mpsc::Sender<Outgoing>>,
    /// Dropped to end the connection.
    _open: Option<oneshot::Sender<()>>,
    /// Limits the triggers that are relayed.
    relays: TokenBucket,
    /// The start and the number of the last record whose trigger was relayed.
    relayed: (String, u64),
    software: String,
    /// The version of the protocol that both sides use.
    version: u32,
    boot_id: String,
    lost: Lost,
    heard_ns: u64,
    clock_offset_ns: Option<i64>,
    clock_error_ns: u64,
    /// Of a controller.
    switch_clocks: Vec<SwitchClockError>,
    rejected: u64,
    problems: Vec<HealthProblem>,
    /// Of a controller.
    switches: BTreeSet<String>,
    /// Of a controller.
    cables: Cables,
    /// Of an agent's host.
    interfaces: Vec<HostInterface>,
    /// Those of them, with the addresses for which the agent may speak.
    own_ports: Vec<HostPort>,
    /// Of a controller: it takes the network from the server.
    learns_network: bool,
    /// Of a watcher: the ports of its verdicts that last.
    lasting: BTreeSet<PortRef>,
}

/// All daemons by identity.
#[derive(Default)]
pub(crate) struct Senders {
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    senders: BTreeMap<SenderId, Sender>,
    connections: u64,
    dropped_messages: u64,
    triggers: u64,
    limited_triggers: u64,
}

impl Senders {
    /// Adds a connection; an earlier one of the same daemon ends. Returns its number, and a receiver
    /// that resolves when it is to end.
    pub(crate) fn connected(
        &self,
        id: &SenderId,
        hello: &v1::Hello,
        version: u32,
        outgoing: mpsc::Sender<Outgoing>,
    ) -> (u64, oneshot::Receiver<()>) {
        let mut known = self.lock();
        known.connections += 1;
        let connection = known.connections;
        let earlier = known.senders.remove(id);
        let lost = earlier.as_ref().map(|sender| sender.lost.clone()).unwrap_or_default();
        let rejected = earlier.as_ref().map_or(0, |sender| sender.rejected);
        // What the daemon has reported stays until it reports again.
        let (relays, relayed, cables, interfaces, own_ports) = match earlier {
            Some(sender) => {
                (sender.relays, sender.relayed, sender.cables, sender.interfaces, sender.own_ports)
            }
            None => {
                let relays = TokenBucket::new(RELAYS_PER_SECOND, RELAY_BURST);
                (relays, (String::new(), 0), Cables::default(), Vec::new(), Vec::new())
            }
        };
        let (open, closed) = oneshot::channel();
        let sender = Sender {
            connection,
            outgoing: Some(outgoing),
            _open: Some(open),
            relays,
            relayed,
            software: cut(&hello.software, NAME_BYTES),
            version,
            boot_id: hello.boot_id.clone(),
            lost,
            heard_ns: wall_ns(),
            clock_offset_ns: None,
            clock_error_ns: 0,
            switch_clocks: Vec::new(),
            rejected,
            problems: Vec::new(),
            switches: hello.switches.iter().take(REPORTED).map(|name| cut(name, NAME_BYTES)).collect(),
            cables,
            interfaces,
            own_ports,
            learns_network: hello.learns_network,
            lasting: BTreeSet::new(),
        };
        known.senders.insert(id.clone(), sender);
        known.forget_oldest();
        (connection, closed)
    }

    /// Whether the trigger of a record may be relayed: each record once, within the sender's limit.
    pub(crate) fn may_relay(&self, id: &SenderId, boot_id: &str, sequence: u64, now_ns: u64) -> bool {
        let mut known = self.lock();
        let Some(sender) = known.senders.get_mut(id) else { return false };
        if sender.relayed.0 == boot_id && sender.relayed.1 >= sequence {
            return false;
        }
        sender.relayed = (boot_id.to_string(), sequence);
        let may = sender.relays.take(now_ns);
        known.triggers += 1;
        known.limited_triggers += u64::from(!may);
        may
    }

    /// Ends a connection, unless the daemon has a newer one.
    pub(crate) fn disconnected(&self, id: &SenderId, connection: u64) {
        self.change(id, connection, |sender| sender.outgoing = None);
    }

    /// Notes that a message has arrived.
    pub(crate) fn heard(&self, id: &SenderId, connection: u64) {
        self.change(id, connection, |sender| sender.heard_ns = wall_ns());
    }

    /// Counts the records that were dropped before this one; a record that arrives again has no effect.
    pub(crate) fn lost(&self, id: &SenderId, connection: u64, arrival: &store::Arrival) {
        self.change(id, connection, |sender| {
            let (boot_id, last) = &sender.lost.counted;
            if *boot_id != arrival.boot_id || *last < arrival.sequence {
                sender.lost.records = sender.lost.records.saturating_add(arrival.lost_before);
                sender.lost.counted = (arrival.boot_id.clone(), arrival.sequence);
            }
        });
    }

    /// Notes the daemon's estimate of its clock.
    pub(crate) fn clock(&self, id: &SenderId, connection: u64, ping: &v1::Ping) {
        self.change(id, connection, |sender| {
            sender.clock_offset_ns = ping.clock_offset_ns;
            sender.clock_error_ns = ping.clock_error_ns;
        });
    }

    /// Notes the clocks of the switches of a controller, by its name in the store ([`SenderId::key`]).
    pub(crate) fn switch_clocks(&self, controller: &str, clocks: Vec<SwitchClockError>) {
        let mut known = self.lock();
        if let Some((_, sender)) = known.senders.iter_mut().find(|(id, _)| id.key() == controller) {
            sender.switch_clocks = clocks;
        }
    }

    /// Notes what keeps the daemon from its work.
    pub(crate) fn problems(&self, id: &SenderId, connection: u64, health: v1::Health) {
        let problems = health.problems.into_iter().take(HEALTH_PROBLEMS).map(|problem| HealthProblem {
            subject: cut(&problem.subject, NAME_BYTES),
            reason: cut(&problem.reason, TEXT_BYTES),
        });
        let problems: Vec<HealthProblem> = problems.collect();
        self.change(id, connection, |sender| sender.problems = problems);
    }

    /// Notes what a controller has discovered.
    pub(crate) fn cables(&self, id: &SenderId, connection: u64, cables: Cables) {
        self.change(id, connection, |sender| sender.cables = cables);
    }

    /// Notes the interfaces of an agent's host.
    pub(crate) fn interfaces(
        &self,
        id: &SenderId,
        connection: u64,
        interfaces: Vec<HostInterface>,
        own_ports: Vec<HostPort>,
    ) {
        self.change(id, connection, |sender| (sender.interfaces, sender.own_ports) = (interfaces, own_ports));
    }

    /// Notes the ports of a watcher's verdicts that last.
    pub(crate) fn lasting(&self, id: &SenderId, connection: u64, message: &v1::Lasting) {
        let ports = message.ports.iter().take(LASTING_PORTS);
        let ports: BTreeSet<PortRef> = ports.filter_map(|port| convert::port(port).ok()).collect();
        self.change(id, connection, |sender| sender.lasting = ports);
    }

    /// Returns the ports of verdicts from counters that last, of the watchers that are connected.
    pub(crate) fn lasting_ports(&self) -> BTreeSet<PortRef> {
        let known = self.lock();
        let connected = known.senders.values().filter(|sender| sender.outgoing.is_some());
        connected.flat_map(|sender| sender.lasting.iter().cloned()).collect()
    }

    /// Whether a watcher of counters is connected.
    pub(crate) fn has_watcher(&self) -> bool {
        let known = self.lock();
        known.senders.iter().any(|(id, sender)| id.kind == WATCHER && sender.outgoing.is_some())
    }

    /// Returns what announces itself at the ports of switches, and the interfaces of hosts.
    pub(crate) fn network(&self) -> (Vec<Sighting>, Vec<HostPort>) {
        let known = self.lock();
        let sightings = known.senders.values().flat_map(|sender| sender.cables.sightings());
        let ports = known.senders.values().flat_map(|sender| sender.own_ports.iter().cloned());
        (sightings.collect(), ports.collect())
    }

    /// Sends the network to the controllers that take it from the server.
    pub(crate) fn send_network(&self, message: &from_server::Message) {
        for sender in self.lock().senders.values().filter(|sender| sender.learns_network) {
            sender.offer(message.clone());
        }
    }

    /// Returns the cables that differ from the topology, each once.
    pub(crate) fn cable_findings(&self) -> Vec<CableFinding> {
        let known = self.lock();
        let found: BTreeSet<&CableFinding> =
            known.senders.values().flat_map(|sender| &sender.cables.findings).collect();
        found.into_iter().cloned().collect()
    }

    /// Counts a rejected record.
    pub(crate) fn rejected(&self, id: &SenderId, connection: u64) {
        self.change(id, connection, |sender| sender.rejected += 1);
    }

    /// Returns the controllers with their switches, by the key of the sender in the store.
    pub(crate) fn controllers(&self) -> Controllers {
        let known = self.lock();
        let controllers = known.senders.iter().filter(|(id, _)| id.kind == "controller");
        let is_managed = |sender: &Sender, switch: &String| {
            sender.problems.iter().all(|problem| problem.subject != *switch)
        };
        let switches = |sender: &Sender| ControllerSwitches {
            switches: sender.switches.clone(),
            managed: sender.switches.iter().filter(|name| is_managed(sender, name)).cloned().collect(),
            is_connected: sender.outgoing.is_some(),
        };
        controllers.map(|(id, sender)| (id.key(), switches(sender))).collect()
    }

    /// Sends a message to the agent of a host. Returns `false` if it is not connected or does not keep up.
    pub(crate) fn send_to_agent(&self, host: &str, message: from_server::Message) -> bool {
        let id = SenderId { kind: "agent", name: host.to_string() };
        let mut known = self.lock();
        let sent = known.senders.get(&id).is_some_and(|sender| sender.offer(message));
        known.dropped_messages += u64::from(!sent);
        sent
    }

    /// Requests a report from the agent of a host. Returns `false` if it is not connected, does not keep up, or is too old
    /// for reports.
    pub(crate) fn request_report(&self, host: &str) -> bool {
        let id = SenderId { kind: "agent", name: host.to_string() };
        let known = self.lock();
        let agent = known.senders.get(&id).filter(|sender| sender.version >= HOST_REPORTS);
        agent.is_some_and(|sender| sender.offer(from_server::Message::Report(v1::ReportRequest {})))
    }

    /// Sends a message to all controllers. Returns the number of those that take it.
    pub(crate) fn send_to_controllers(&self, message: &from_server::Message) -> usize {
        let known = self.lock();
        let controllers = known.senders.iter().filter(|(id, _)| id.kind == "controller");
        controllers.filter(|(_, sender)| sender.offer(message.clone())).count()
    }

    /// Ends the streams of all agents, which connect again.
    pub(crate) fn reconnect_agents(&self) {
        let mut known = self.lock();
        for (_, sender) in known.senders.iter_mut().filter(|(id, _)| id.kind == "agent") {
            sender._open = None;
            sender.outgoing = None;
        }
    }

    /// Ends all streams, so that a graceful shutdown does not wait for them.
    pub(crate) fn close_all(&self) {
        for sender in self.lock().senders.values_mut() {
            sender._open = None;
            if let Some(outgoing) = sender.outgoing.take() {
                let _ = outgoing.try_send(Err(tonic::Status::unavailable("the server stops")));
            }
        }
    }

    /// Returns the state of all daemons. One that has sent nothing for `silent_ns` is silent.
    pub(crate) fn states(&self, silent_ns: u64) -> Vec<DaemonState> {
        let now_ns = wall_ns();
        let state = |(id, sender): (&SenderId, &Sender)| DaemonState {
            kind: id.kind.to_string(),
            name: id.name.clone(),
            software: sender.software.clone(),
            boot_id: sender.boot_id.clone(),
            state: sender.state(now_ns, silent_ns).to_string(),
            heard: web::rfc3339(sender.heard_ns),
            lost: sender.lost.records,
            clock_offset_ns: sender.clock_offset_ns,
            clock_error_ns: sender.clock_error_ns,
            switch_clocks: sender.switch_clocks.clone(),
            rejected: sender.rejected,
            problems: sender.problems.clone(),
            interfaces: sender.interfaces.clone(),
            neighbours: sender.cables.neighbours.clone(),
            cables: sender.cables.findings.iter().map(difference).collect(),
            failed_links: sender.cables.failed.clone(),
        };
        self.lock().senders.iter().map(state).collect()
    }

    /// Returns the silent and disconnected daemons, and the problems that daemons report.
    pub(crate) fn all_problems(&self, silent_ns: u64) -> Vec<HealthProblem> {
        let mut problems = Vec::new();
        for state in self.states(silent_ns) {
            let subject = format!("{} {}", state.kind, state.name);
            if state.state != "connected" {
                let reason = format!("{} since {}", state.state, state.heard);
                problems.push(HealthProblem { subject: subject.clone(), reason });
            }
            let cables = state.cables.iter().map(|cable| HealthProblem {
                subject: format!("{subject}: {}", cable.port),
                reason: cable.text.clone(),
            });
            problems.extend(cables);
            let own = state.problems.into_iter();
            problems.extend(own.map(|t| HealthProblem { subject: format!("{subject}: {}", t.subject), ..t }));
        }
        problems
    }

    /// Returns the metrics of the connections.
    pub(crate) fn metrics(&self, silent_ns: u64) -> Vec<Metric> {
        let states = self.states(silent_ns);
        let mut metrics = Vec::new();
        for kind in ["agent", "controller", "watcher"] {
            for state in ["connected", "silent", "disconnected"] {
                let count = states.iter().filter(|s| s.kind == kind && s.state == state).count();
                metrics.push(Metric {
                    name: "daemons",
                    help: "Agents, controllers and watchers by state",
                    is_counter: false,
                    labels: vec![("kind", kind.into()), ("state", state.into())],
                    value: count as i64,
                });
            }
        }
        metrics.extend(self.lock().senders.iter().map(|(id, sender)| Metric {
            name: "daemon_heard_timestamp_seconds",
            help: "When the last message of an agent, a controller or a watcher arrived, in seconds since 1970",
            is_counter: false,
            labels: vec![("kind", id.kind.to_string()), ("name", id.name.clone())],
            value: (sender.heard_ns / 1_000_000_000) as i64,
        }));
        let counter = |name, help, value: u64| Metric {
            name,
            help,
            is_counter: true,
            labels: Vec::new(),
            value: i64::try_from(value).unwrap_or(i64::MAX),
        };
        let rejected = states.iter().map(|state| state.rejected).sum();
        metrics.push(counter(
            "uploads_rejected",
            "Records that daemons may not send or that are malformed",
            rejected,
        ));
        let (dropped, triggers, limited) = {
            let known = self.lock();
            (known.dropped_messages, known.triggers, known.limited_triggers)
        };
        metrics.push(counter("triggers_fresh", "Triggers of polling packets sent a moment ago", triggers));
        metrics.push(counter(
            "triggers_limited",
            "Triggers beyond the limit of their agent, not relayed",
            limited,
        ));
        metrics.push(counter(
            "polls_undeliverable",
            "Polls for agents that are not connected or do not keep up",
            dropped,
        ));
        metrics
    }

    fn change(&self, id: &SenderId, connection: u64, change: impl FnOnce(&mut Sender)) {
        if let Some(sender) = self.lock().senders.get_mut(id).filter(|sender| sender.connection == connection)
        {
            change(sender);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sender {
    fn offer(&self, message: from_server::Message) -> bool {
        let message = v1::FromServer { message: Some(message) };
        self.outgoing.as_ref().is_some_and(|outgoing| outgoing.try_send(Ok(message)).is_ok())
    }

    fn state(&self, now_ns: u64, silent_ns: u64) -> &'static str {
        match &self.outgoing {
            None => "disconnected",
            Some(_) if now_ns.saturating_sub(self.heard_ns) > silent_ns => "silent",
            Some(_) => "connected",
        }
    }
}

impl Known {
    fn forget_oldest(&mut self) {
        while self.senders.len() > REMEMBERED {
            let gone = self.senders.iter().filter(|(_, sender)| sender.outgoing.is_none());
            let Some(oldest) = gone.min_by_key(|(_, sender)| sender.heard_ns).map(|(id, _)| id.clone())
            else {
                return;
            };
            self.senders.remove(&oldest);
        }
    }
}

fn difference(finding: &CableFinding) -> CableDifference {
    CableDifference {
        port: finding.port().clone(),
        planned: finding.planned().cloned(),
        found: finding.found().map(str::to_string),
        text: finding.to_string(),
    }
}

/// Returns at most `bytes` bytes of a text.
pub(crate) fn cut(text: &str, bytes: usize) -> String {
    let end = (0..=bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text[..end].to_string()
}
