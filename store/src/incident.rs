//! Incidents: the diagnoses of one culprit.
//!
//! A diagnosis with the root key ([`root_key`]) of an incident that was updated less than
//! [`crate::Limits::incident_memory_ns`] ago joins it. If there is none, in this order ([`crate::assignment`]):
//! - A deadlock that began in its loop joins the open incident of one whose loop shares a port.
//! - One about a deadlock takes over the open incident of its root port, which began before the loop closed.
//! - One that names culprits at another port joins the incident of these flows, because flows that congest several ports are one
//!   problem.
//! - The first one that names a culprit takes over an open incident of its ports that none has been named for.
//! - Any other one opens an incident.
//!
//! Two kinds of diagnosis look elsewhere before that: one that names no culprit ([`has_no_culprit`]), for an open incident that has
//! one of its ports; and one about the queue of a port in the loop of an open deadlock, for that deadlock if it has the same
//! culprits.
//!
//! An incident **occurs** once or several times. A diagnosis that is at most [`crate::Limits::incident_quiet_ns`]
//! earlier than the start of an occurrence or later than its last update belongs to it; any other one is a new
//! occurrence. While one of the incident's ports is paused, its latest occurrence lasts; but congestion that has become a deadlock
//! ends after the quiet time, because the pauses are those of the deadlock.
//!
//! Incidents are never merged. The rule needs only what is in the database, one diagnosis at a time. The analyzer groups
//! the verdicts of one run by a different rule.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use model::diagnosis::{Cost, FlowPath, FlowRole, Known, NetworkFault};
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, RootCause, Severity};
use serde::Serialize;

use crate::handling::{Feedback, Handling};
use crate::names::anomaly_name;

/// All diagnoses of one culprit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Incident {
    /// Stable id: `i-` and the id of the first diagnosis.
    pub id: String,
    /// The anomaly of the representative diagnosis.
    pub anomaly: Anomaly,
    /// The cause of the representative diagnosis.
    pub cause: Cause,
    /// The severity of the representative diagnosis, the highest of the incident's determined verdicts.
    pub severity: Severity,
    /// The verdict of the representative diagnosis in one sentence.
    pub summary: String,
    /// The confidence of the representative diagnosis, from 0 to 1.
    pub confidence: f64,
    /// The root cause that the representative diagnosis names.
    pub root_cause: RootCause,
    /// What happened at the root port, if the representative diagnosis names a fault of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<NetworkFault>,
    /// What it cost the victim of the representative diagnosis; of other victims it may be more.
    pub cost: Cost,
    /// The pause path of the representative diagnosis: egress ports, the root port last.
    pub pause_path: Vec<PortRef>,
    /// The loop of the representative diagnosis: egress ports.
    #[serde(rename = "loop")]
    pub pause_loop: Vec<PortRef>,
    /// The start of the first occurrence, in nanoseconds of switch time.
    pub start_ns: u64,
    /// The time of the latest diagnosis, or the latest time at which a port of the incident was paused, in nanoseconds
    /// of switch time.
    pub update_ns: u64,
    /// The end of the latest occurrence: equals `update_ns` once the quiet time has passed without a diagnosis and
    /// without a pause; absent while the incident lasts.
    pub end_ns: Option<u64>,
    /// The run whose clock these times are on; see [`crate::Store::begin_run`].
    #[serde(skip)]
    pub run: u64,
    /// Wall clock at `start_ns`, in nanoseconds since 1970; 0 if an older version has stored none.
    #[serde(skip)]
    pub start_wall_ns: u64,
    /// Wall clock at `update_ns`, in nanoseconds since 1970; 0 if an older version has stored none.
    #[serde(skip)]
    pub update_wall_ns: u64,
    /// Number of diagnoses so far. Diagnoses that were removed as too old still count.
    pub count: u64,
    /// Number of occurrences so far; those that are no longer listed count too.
    pub recurrences: u64,
    /// The last [`crate::INCIDENT_OCCURRENCES`] occurrences, oldest first.
    #[serde(skip)]
    pub occurrences: Vec<Occurrence>,
    /// What is done about it.
    pub handling: Handling,
    /// Whether the verdict was right, if someone has found out.
    pub feedback: Option<Feedback>,
    /// Id of the representative diagnosis: a determined one before others, then the one with the highest severity, then
    /// one with PFC pauses before plain contention, then one that names a setting, then one about most of its victim's delay,
    /// then one whose victim is no culprit, then one at the port to the receiver of an incast, then one that is clearly more
    /// certain, then the one that names most culprits, then one of a later occurrence, then the one that was stored first.
    pub diagnosis: String,
    /// Affected flows, sorted by their text; at most [`crate::INCIDENT_VICTIMS`]. A flow that the representative diagnosis
    /// names as a culprit is left out. So is one that it does not name as affected and that the latest diagnoses name more
    /// often as a culprit than as affected.
    pub victims: Vec<FlowKey>,
    /// Number of such flows.
    pub victim_count: u64,
}

/// A time during which an incident lasted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// The time of its earliest diagnosis, in nanoseconds of switch time.
    pub start_ns: u64,
    /// Its end, in nanoseconds of switch time; absent while it lasts.
    pub end_ns: Option<u64>,
    /// Wall clock at its start, in nanoseconds since 1970; 0 if an older version has stored none.
    pub start_wall_ns: u64,
    /// Wall clock at its latest update, in nanoseconds since 1970; 0 if an older version has stored none.
    pub update_wall_ns: u64,
}

/// Returns the key that the diagnoses of one incident share: a link at fault, named by both ends; the loop that deadlocks by
/// itself; the root host with its port; the port to the receiver of an incast; any other root port. Without any of these, it is
/// the culprit flows, or the anomaly and the victim (without a victim, the paused ports).
///
/// The culprit flows are not part of the key of a known port or host, because each diagnosis covers other epochs and
/// can name other culprits. Neither is the anomaly: the same queue is contention for the flows in it and backpressure
/// for the flows that its pauses reach.
pub(crate) fn root_key(diagnosis: &Diagnosis) -> String {
    let root = &diagnosis.root_cause;
    if let (Some(port), Some(far)) = (&root.port, &diagnosis.far_port) {
        // Each direction is diagnosed at its own end.
        return format!("link {}", sorted(&[port, far]));
    }
    if deadlocks_by_itself(diagnosis) {
        return loop_key(&diagnosis.pause_loop);
    }
    match (receiver_port(diagnosis).or(root.port.as_ref()), &root.host) {
        (Some(port), Some(host)) => format!("port {port} host {host}"),
        (Some(port), None) => key_of_port(port),
        (None, Some(host)) => format!("host {host}"),
        (None, None) if !diagnosis.pause_loop.is_empty() => loop_key(&diagnosis.pause_loop),
        (None, None) if !root.flows.is_empty() => format!("flows {}", sorted(&root.flows)),
        (None, None) => {
            let victim =
                diagnosis.victim.map_or_else(|| sorted(&diagnosis.pause_path), |flow| flow.to_string());
            format!("{} of {victim}", anomaly_name(diagnosis.anomaly))
        }
    }
}

/// Returns the key of what a deadlock was before its loop closed: the congestion of its root port.
pub(crate) fn key_before(diagnosis: &Diagnosis) -> Option<String> {
    diagnosis.root_cause.port.as_ref().filter(|_| deadlocks_by_itself(diagnosis)).map(key_of_port)
}

/// Whether the culprits are in the loop. Which of its ports came first can differ from one occurrence to the next.
pub(crate) fn deadlocks_by_itself(diagnosis: &Diagnosis) -> bool {
    diagnosis.anomaly == Anomaly::DeadlockInLoopContention && !diagnosis.pause_loop.is_empty()
}

/// Returns the key of congestion at a port.
pub(crate) fn key_of_port(port: impl Display) -> String {
    format!("port {port}")
}

fn loop_key(ports: &[PortRef]) -> String {
    format!("loop {}", sorted(ports))
}

/// Returns the ports of a key that names a loop; none of another key.
pub(crate) fn loop_of_key(key: &str) -> impl Iterator<Item = &str> {
    key.strip_prefix("loop ").unwrap_or_default().split(',')
}

/// Returns the last port on the way to the receiver, if the root cause is that several flows send to the same one. They
/// congest this port, and some of them links before it: one problem, wherever a victim meets it.
fn receiver_port(diagnosis: &Diagnosis) -> Option<&PortRef> {
    let root = &diagnosis.root_cause;
    let is_incast = matches!(diagnosis.cause, Cause::Incast | Cause::LowRateAttack);
    let receiver = root.flows.first()?.dst;
    let has_one_receiver = root.flows.len() > 1 && root.flows.iter().all(|flow| flow.dst == receiver);
    if !is_incast || !has_one_receiver || root.host.is_some() || !root.config.is_empty() {
        return None;
    }
    let is_culprit = |path: &&FlowPath| path.role != FlowRole::Acks && root.flows.contains(&path.flow);
    let paths = diagnosis.paths.iter().filter(is_culprit);
    let mut last_ports =
        paths.map(|path| path.hops.last().filter(|hop| hop.known != Known::Assumed).map(|hop| &hop.port));
    let first = last_ports.next()??;
    last_ports.all(|port| port == Some(first)).then_some(first)
}

/// Returns the root port of a verdict that blames flows for its queue. A setting that lets flows delay others, the victim's own
/// queue and another class are other things to repair, also if the flows are the same.
pub(crate) fn queue_of(diagnosis: &Diagnosis) -> Option<&PortRef> {
    let is_queue =
        matches!(diagnosis.anomaly, Anomaly::FlowContention | Anomaly::PfcBackpressureFlowContention);
    diagnosis.root_cause.port.as_ref().filter(|_| is_queue && diagnosis.root_cause.config.is_empty())
}

/// Whether the verdict leaves open who causes what it sees at its ports. The telemetry of a long incident's start is gone
/// when the agent polls again, so that later verdicts name a paused port at most.
pub(crate) fn has_no_culprit(diagnosis: &Diagnosis) -> bool {
    // Losses, changed paths and loops are complete without a culprit, and so is a network that is clean.
    let needs_culprit = matches!(
        diagnosis.anomaly,
        Anomaly::FlowContention
            | Anomaly::PfcBackpressureFlowContention
            | Anomaly::PfcStormHostInjection
            | Anomaly::ClassContention
            | Anomaly::Undetermined
    );
    let root = RootCause { port: None, ..diagnosis.root_cause.clone() };
    let names_none = root == RootCause::default() && diagnosis.pause_loop.is_empty();
    needs_culprit && names_none && diagnosis.cause == Cause::Undetermined
}

/// Of verdicts whose confidence differs by less, one is hardly more certain: the calibration error is a third of it.
const CONFIDENCE_STEP: f64 = 0.1;

/// The least [`precedence`] of a determined verdict.
pub(crate) const DETERMINED: i64 = 16_000_000;

/// Orders the diagnoses of one incident: the greatest represents it. Any determined verdict is greater than an
/// undetermined one; then decide severity, pauses, a setting as root cause, whether the verdict is about most of its victim's
/// delay, whether the victim is no culprit itself, whether it shows an incast at its receiver's port, confidence in steps, and the
/// number of culprits. Flows that congest a port are there with any setting; that a setting lets them delay others is what an
/// operator can change. The smaller part of a delay is often the clearer one, and what the culprits of an incident do to each other
/// is not why others suffer. A link before the receiver carries only some flows of an incast, and so do some of its epochs.
pub(crate) fn precedence(diagnosis: &Diagnosis) -> i64 {
    let is_determined = diagnosis.anomaly != Anomaly::Undetermined && !has_no_culprit(diagnosis);
    let severity = match diagnosis.severity {
        Severity::Info => 0,
        Severity::Minor => 1,
        Severity::Major => 2,
        Severity::Critical => 3,
    };
    let has_pauses = diagnosis.anomaly != Anomaly::FlowContention;
    let has_setting = !diagnosis.root_cause.config.is_empty();
    let is_most = diagnosis.delay_share.is_none_or(|share| share >= 0.5);
    let is_bystander = diagnosis.victim.is_none_or(|victim| !culprits_of(diagnosis).contains(&victim));
    let is_whole =
        receiver_port(diagnosis).is_none_or(|port| diagnosis.root_cause.port.as_ref() == Some(port));
    let confidence = (diagnosis.confidence.clamp(0.0, 1.0) / CONFIDENCE_STEP).round() as i64;
    let culprits = culprits_of(diagnosis).len().min(9_999) as i64;
    let kind = severity * 2 + i64::from(has_pauses);
    [
        (DETERMINED, i64::from(is_determined)),
        (2_000_000, kind),
        (1_000_000, i64::from(has_setting)),
        (500_000, i64::from(is_most)),
        (250_000, i64::from(is_bystander)),
        (125_000, i64::from(is_whole)),
        (10_000, confidence),
        (1, culprits),
    ]
    .into_iter()
    .map(|(weight, rank)| weight * rank)
    .sum()
}

/// Returns the ports of an incident that a diagnosis names: root port, the other end of a link at fault, pause path and loop.
pub(crate) fn incident_ports(diagnosis: &Diagnosis) -> BTreeSet<&PortRef> {
    let listed = diagnosis.pause_path.iter().chain(&diagnosis.pause_loop);
    listed.chain(&diagnosis.root_cause.port).chain(&diagnosis.far_port).collect()
}

/// Returns the ports that a diagnosis without a culprit is about. If it names none itself, they are those of its claims and
/// of the victim's path, as far as it is known.
pub(crate) fn ports_of(diagnosis: &Diagnosis) -> BTreeSet<&PortRef> {
    let named = incident_ports(diagnosis);
    if !named.is_empty() {
        return named;
    }
    let claims = diagnosis.evidence.iter().filter_map(|claim| claim.port.as_ref());
    let hops =
        diagnosis.paths.iter().filter(|path| Some(path.flow) == diagnosis.victim).flat_map(|path| &path.hops);
    claims.chain(hops.filter(|hop| hop.known != Known::Assumed).map(|hop| &hop.port)).collect()
}

/// What a diagnosis names a flow as. It may be both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) is_victim: bool,
    pub(crate) is_culprit: bool,
}

/// Returns the affected flows and the culprits of a diagnosis.
pub(crate) fn flows_of(diagnosis: &Diagnosis) -> BTreeMap<FlowKey, Named> {
    let mut flows: BTreeMap<FlowKey, Named> = BTreeMap::new();
    for flow in diagnosis.victims.iter().chain(&diagnosis.victim) {
        flows.entry(*flow).or_default().is_victim = true;
    }
    for flow in culprits_of(diagnosis) {
        flows.entry(*flow).or_default().is_culprit = true;
    }
    flows
}

/// Returns the culprit flows of a diagnosis. If a setting is the cause, the flows at the root port are none.
pub(crate) fn culprits_of(diagnosis: &Diagnosis) -> &[FlowKey] {
    match diagnosis.root_cause.config.is_empty() {
        true => &diagnosis.root_cause.flows,
        false => &[],
    }
}

fn sorted<T: Ord + ToString>(items: &[T]) -> String {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_unstable();
    items.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
