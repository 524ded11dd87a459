//! What the parts of the server share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use host_diagnosis::hosts_in_question;
use model::{ConfigFinding, Diagnosis, FlowKey, Snapshot};
use proto::convert;
use proto::v1::{self, from_server};
use tokio::sync::{Notify, Semaphore};
use tracing::debug;
use web::webhooks::Counts;
use web::{DaemonState, HealthProblem, LiveState, Metric, Probe};

use super::cables;
use super::counted_events::CountedEvents;
use super::discovery::Discovery;
use super::host_reports::HostReports;
use super::port_samples;
use super::queries::Queries;
use super::senders::{SenderId, Senders};
use super::triggers::Triggers;
use super::webhooks;
use crate::daemons::operations::wall_ns;
use crate::daemons::time_base::TimeBase;

/// Hop limit of the polling packet on the reverse path.
const HOP_LIMIT: u32 = 16;

/// The state of the server.
pub(crate) struct Shared {
    pub(crate) live: Arc<LiveState>,
    pub(crate) senders: Senders,
    pub(crate) queries: Arc<Queries>,
    pub(crate) hosts: Arc<HostReports>,
    pub(crate) boot_id: String,
    /// Of a server without a plan of the network.
    pub(crate) discovery: Option<Discovery>,
    /// A permit for each connection.
    pub(crate) connections: Arc<Semaphore>,
    /// Whether uploads are encrypted, so that every daemon has a certificate.
    pub(crate) requires_certificates: bool,
    pub(crate) silent_ns: u64,
    pub(crate) time: TimeBase,
    /// A snapshot is in the inbox.
    pub(crate) arrived: Notify,
    /// A verdict from counters is in the inbox.
    pub(crate) verdict_arrived: Notify,
    pub(crate) findings: RwLock<Vec<ConfigFinding>>,
    pub(crate) triggers: Mutex<Triggers>,
    pub(crate) bad_snapshots: AtomicU64,
    /// Snapshots that were united with that of another controller.
    pub(crate) united_snapshots: AtomicU64,
    /// Verdicts from counters that were stored.
    pub(crate) counter_verdicts: AtomicU64,
    /// The latest of them.
    pub(crate) counted_events: CountedEvents,
    pub(crate) has_no_analysis: AtomicBool,
    /// What each webhook has sent, by receiver and format.
    pub(crate) webhooks: Mutex<BTreeMap<(String, &'static str), Counts>>,
}

impl Shared {
    /// Returns the number of an agent's host in event ids: its position in the topology.
    pub(crate) fn host_number(&self, id: &SenderId) -> Option<u32> {
        let topology = self.live.topology().filter(|_| id.kind == "agent")?;
        let position = topology.nodes.iter().position(|node| node.name == id.name)?;
        proto::event_ids::assigned(position).map(u32::from)
    }

    /// Requests reports from the agents of the hosts at which verdicts end. An agent that is not connected, or is of an
    /// older version, sends none; then the verdict says what is missing.
    pub(crate) fn request_reports<'d>(&self, verdicts: impl Iterator<Item = &'d Diagnosis>) {
        let now_ns = wall_ns();
        for host in self.hosts_of(verdicts) {
            if self.hosts.may_request(&host, now_ns) && !self.senders.request_report(&host) {
                self.hosts.request_failed(&host);
                debug!(host, "no agent takes a request for a report");
            }
        }
    }

    /// The hosts at which verdicts end.
    pub(crate) fn hosts_of<'d>(&self, verdicts: impl Iterator<Item = &'d Diagnosis>) -> BTreeSet<String> {
        let topology = self.live.topology();
        verdicts.flat_map(|verdict| hosts_in_question(verdict, topology.as_deref())).collect()
    }

    /// Continues verdicts of telemetry whose pauses lead into switches that a watcher reads. Returns whether any has changed.
    pub(crate) fn continue_by_counters(&self, verdicts: &mut [Diagnosis]) -> bool {
        let Some(topology) = self.live.topology() else { return false };
        let open = verdicts.iter().filter(|verdict| counters::is_open(verdict)).count();
        let lasting = self.senders.lasting_ports();
        self.counted_events.continue_all(verdicts, &lasting, &topology, self.time, wall_ns());
        verdicts.iter().filter(|verdict| counters::is_open(verdict)).count() < open
    }

    /// Notes a trigger. A fresh one goes to the controllers and, for the reverse path, to the agent of the receiver.
    pub(crate) fn triggered(&self, host: &str, message: &v1::Trigger, is_fresh: bool) {
        let Ok((event, _, trigger)) = convert::trigger(host, message) else { return };
        let flow = trigger.flow;
        self.triggers.lock().unwrap_or_else(PoisonError::into_inner).add(event, trigger);
        if !is_fresh {
            return;
        }
        let notice = v1::TriggerNotice { host: host.to_string(), trigger: Some(message.clone()) };
        self.senders.send_to_controllers(&from_server::Message::Trigger(notice));
        let topology = self.live.topology();
        let Some(receiver) = topology.as_ref().and_then(|topology| topology.host_of(flow.dst)) else {
            return;
        };
        // ACKs are sent to the same RoCE port.
        let back = FlowKey { src: flow.dst, dst: flow.src, ..flow };
        let poll = v1::Poll {
            event,
            flow: Some(convert::flow_message(&back)),
            priority: Some(message.priority),
            hop_limit: HOP_LIMIT,
            follow: model::wire::polling::Follow::VictimPath as u32,
        };
        self.senders.send_to_agent(&receiver.name, from_server::Message::Poll(poll));
    }

    /// Adds what the server knows about the event of a snapshot: the trigger if the controller did not have it, and
    /// findings of the switches' configurations.
    pub(crate) fn complete(&self, snapshot: &mut Snapshot) {
        if snapshot.trigger.is_none() {
            let triggers = self.triggers.lock().unwrap_or_else(PoisonError::into_inner);
            let known =
                triggers.of(snapshot.event).filter(|t| snapshot.victim.is_none_or(|victim| victim == t.flow));
            snapshot.trigger = known.cloned().map(|mut trigger| {
                trigger.time_ns = self.time.network_ns(trigger.time_ns);
                if let Some(first) = &mut trigger.follows {
                    first.since_ns = self.time.network_ns(first.since_ns);
                }
                trigger
            });
            snapshot.victim =
                snapshot.victim.or_else(|| snapshot.trigger.as_ref().map(|trigger| trigger.flow));
        }
        snapshot.configuration.clone_from(&self.findings.read().unwrap_or_else(PoisonError::into_inner));
        let Some(topology) = self.live.topology() else { return };
        // A cable that the plan does not have is at a port that the analysis does not know.
        let cables = self.senders.cable_findings().into_iter();
        let planned = cables.filter(|cable| topology.link_of(cable.port()).is_some());
        snapshot.configuration.extend(planned.map(|cable| cables::config_finding(&cable)));
    }

    /// Publishes port samples that a controller took at `taken_ns` of the server's wall clock.
    pub(crate) fn push_ports(&self, taken_ns: u64, samples: &v1::PortSamples) {
        self.live.push_ports(&port_samples::ports(samples, self.time.network_ns(taken_ns)));
        self.live.push_priorities(&port_samples::priorities(samples));
    }

    /// Counts a snapshot that cannot be analysed.
    pub(crate) fn count_bad_snapshot(&self) {
        self.bad_snapshots.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the analysis has stopped.
    pub(crate) fn analysis_failed(&self) {
        self.has_no_analysis.store(true, Ordering::Relaxed);
    }
}

/// Connects the server's state to its HTTP routes.
pub(crate) struct ServerProbe(pub(crate) Arc<Shared>);

impl Probe for ServerProbe {
    /// Silent daemons and unreachable switches are visible here, but do not make the server itself unready.
    fn problems(&self) -> Vec<HealthProblem> {
        let store = self.0.live.store();
        let has_stopped = self.0.has_no_analysis.load(Ordering::Relaxed);
        let stopped = has_stopped.then(|| "the analysis has stopped; restart the server".to_string());
        let full = store.inbox_is_full().then(|| {
            let bytes = store.inbox_bytes();
            format!("{bytes} bytes of snapshots wait for the analysis; further ones wait at the controllers")
        });
        let unwritable = store.write_failure().map(|why| {
            format!("the store cannot be written: {why}; uploads wait with their senders until it can")
        });
        let problem = |reason| HealthProblem { subject: "server".into(), reason };
        stopped.into_iter().chain(full).chain(unwritable).map(problem).collect()
    }

    fn no_network(&self) -> Option<String> {
        let problems = self.0.discovery.as_ref()?.problems();
        let reasons: Vec<String> = problems.into_iter().map(|problem| problem.reason).collect();
        Some(reasons.join("; "))
    }

    fn metrics(&self) -> Vec<Metric> {
        let shared = &self.0;
        let mut metrics = shared.senders.metrics(shared.silent_ns);
        metrics.extend(webhooks::metrics(shared));
        metrics.push(Metric {
            name: "snapshots_unreadable",
            help: "Snapshots that could not be analysed",
            is_counter: true,
            labels: Vec::new(),
            value: i64::try_from(shared.bad_snapshots.load(Ordering::Relaxed)).unwrap_or(i64::MAX),
        });
        metrics.push(Metric {
            name: "snapshots_united",
            help: "Snapshots that were united with that of another controller about the same event",
            is_counter: true,
            labels: Vec::new(),
            value: i64::try_from(shared.united_snapshots.load(Ordering::Relaxed)).unwrap_or(i64::MAX),
        });
        metrics.push(Metric {
            name: "counter_verdicts",
            help: "Verdicts from the counters of ordinary switches that were stored",
            is_counter: true,
            labels: Vec::new(),
            value: i64::try_from(shared.counter_verdicts.load(Ordering::Relaxed)).unwrap_or(i64::MAX),
        });
        metrics.push(Metric {
            name: "inbox_bytes",
            help: "Bytes of snapshots and verdicts that wait to be processed",
            is_counter: false,
            labels: Vec::new(),
            value: i64::try_from(shared.live.store().inbox_bytes()).unwrap_or(i64::MAX),
        });
        metrics.push(Metric {
            name: "wall_clock_seconds",
            help: "The server's wall clock",
            is_counter: false,
            labels: Vec::new(),
            value: (wall_ns() / 1_000_000_000) as i64,
        });
        metrics
    }

    fn daemons(&self) -> Vec<DaemonState> {
        self.0.senders.states(self.0.silent_ns)
    }

    fn daemon_problems(&self) -> Vec<HealthProblem> {
        let mut problems = self.0.senders.all_problems(self.0.silent_ns);
        if let Some(topology) = self.0.live.topology() {
            problems.extend(cables::address_problems(&topology, &self.daemons()));
        }
        problems.extend(self.0.discovery.iter().flat_map(Discovery::problems));
        problems
    }
}
