//! The headline of an incident or a diagnosis: the culprit first, then its effect. REST returns it, so that pages,
//! terminals and notifications show the same words; the verdict in one sentence (`summary`) has the details.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::IpAddr;

use model::diagnosis::NetworkFault;
use model::topology::NodeKind;
use model::{Anomaly, Cause, Diagnosis, DiagnosisOutline, FlowKey, PortRef, RootCause, Topology};
use serde::Serialize;
use store::Incident;
use utoipa::ToSchema;

/// Senders that are named one by one.
const NAMED_SENDERS: usize = 3;

/// The verdict in a few words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Headline {
    /// What causes the incident, e.g. `NIC storm at h11`: the beginning of `text`.
    pub(crate) culprit: String,
    /// The culprit and what it does to which flows, e.g. `NIC storm at h11 stops 3 flows`.
    pub(crate) text: String,
    /// The root port, or the first port of the loop; null if neither is known.
    pub(crate) place: Option<PortRef>,
}

impl Headline {
    /// The headline of an incident.
    pub(crate) fn of_incident(incident: &Incident, names: &HostNames) -> Headline {
        Subject {
            anomaly: incident.anomaly,
            cause: incident.cause,
            root: &incident.root_cause,
            fault: incident.fault,
            lost_packets: incident.cost.lost_packets,
            pause_loop: &incident.pause_loop,
            victims: &incident.victims,
            victim_count: usize::try_from(incident.victim_count).unwrap_or(usize::MAX),
            names,
        }
        .headline()
    }

    /// The headline of one diagnosis; it counts only the victims that this diagnosis names.
    pub(crate) fn of_diagnosis(diagnosis: &Diagnosis, names: &HostNames) -> Headline {
        Subject {
            anomaly: diagnosis.anomaly,
            cause: diagnosis.cause,
            root: &diagnosis.root_cause,
            fault: diagnosis.fault,
            lost_packets: diagnosis.cost.lost_packets,
            pause_loop: &diagnosis.pause_loop,
            victims: &diagnosis.victims,
            victim_count: 0,
            names,
        }
        .headline()
    }

    /// As [`Headline::of_diagnosis`], of a diagnosis in a list.
    pub(crate) fn of_outline(outline: &DiagnosisOutline, names: &HostNames) -> Headline {
        Subject {
            anomaly: outline.anomaly,
            cause: outline.cause,
            root: &outline.root_cause,
            fault: outline.fault,
            lost_packets: outline.cost.lost_packets,
            pause_loop: &outline.pause_loop,
            victims: &outline.victims,
            victim_count: 0,
            names,
        }
        .headline()
    }

    /// Returns the text with the place at its end, unless it is in the text.
    pub(crate) fn with_place(&self) -> String {
        match self.place.as_ref().map(ToString::to_string) {
            Some(place) if !self.text.contains(&place) => format!("{}, {place}", self.text),
            _ => self.text.clone(),
        }
    }

    /// Returns a number that differs from that of other headlines, for entity tags.
    pub(crate) fn version(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        hasher.finish()
    }

    fn new(culprit: String, joint: &str, effect: &str, place: Option<&PortRef>) -> Headline {
        Headline { text: format!("{culprit}{joint}{effect}"), culprit, place: place.cloned() }
    }
}

/// The names of the hosts of a topology by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HostNames(BTreeMap<IpAddr, String>);

impl HostNames {
    /// The names in a topology.
    pub(crate) fn new(topology: &Topology) -> HostNames {
        let hosts = topology.nodes.iter().filter(|node| node.kind == NodeKind::Host);
        HostNames(
            hosts
                .flat_map(|host| host.addresses.iter().map(|address| (*address, host.name.clone())))
                .collect(),
        )
    }

    /// Returns the host's name, or the address of a host that the topology does not have.
    fn name(&self, address: IpAddr) -> Cow<'_, str> {
        self.0
            .get(&address)
            .map_or_else(|| Cow::Owned(address.to_string()), |name| Cow::Borrowed(name.as_str()))
    }

    fn flow(&self, flow: &FlowKey) -> String {
        format!("{} → {}", self.name(flow.src), self.name(flow.dst))
    }
}

/// What a headline is made from.
struct Subject<'a> {
    anomaly: Anomaly,
    cause: Cause,
    root: &'a RootCause,
    fault: Option<NetworkFault>,
    lost_packets: u64,
    pause_loop: &'a [PortRef],
    /// Some of the victims.
    victims: &'a [FlowKey],
    /// The number of all victims; the list may have more.
    victim_count: usize,
    names: &'a HostNames,
}

impl Subject<'_> {
    fn headline(&self) -> Headline {
        let place = self.root.port.as_ref().or(self.pause_loop.first());
        let (affected, is_one) = self.affected();
        let slow = format!("{affected} {} slow", if is_one { "is" } else { "are" });
        match self.anomaly {
            Anomaly::Undetermined => {
                return Headline::new("Cause not found".into(), ": ", &slow, place);
            }
            // A cause inside a host is named below.
            Anomaly::HostOnly if self.cause == Cause::Undetermined => {
                let effect = match &self.root.host {
                    Some(host) => format!("operations of {affected} wait in {}", host),
                    None => format!("{slow}: sender, receiver or application"),
                };
                return Headline::new("No anomaly in the network".into(), "; ", &effect, place);
            }
            Anomaly::SelfInflicted => {
                let own = self.root.flows.first().or(self.victims.first());
                let own = own.map_or_else(|| "A flow".to_string(), |flow| self.names.flow(flow));
                return Headline::new(own, " ", "queues behind its own packets", place);
            }
            _ => {}
        }
        match self.event(place) {
            Some((event, effect)) => Headline::new(event, " ", &format!("{effect} {affected}"), place),
            None => Headline::new(self.culprit(), " ", &self.effect(&affected), place),
        }
    }

    /// Faults of links and switches have a place, but no flow, host or setting that causes them. Returns what happened, and
    /// its verb. Without a known fault the anomaly itself is the subject; its own verb would repeat it.
    fn event(&self, place: Option<&PortRef>) -> Option<(String, &'static str)> {
        let is_named =
            !self.root.config.is_empty() || self.root.host.is_some() || !self.root.flows.is_empty();
        let (event, effect) = match (self.anomaly, self.fault) {
            (Anomaly::RoutingLoop, _) => ("Forwarding loop", "slows"),
            (Anomaly::PacketLoss | Anomaly::PathChange, Some(fault)) => match fault {
                NetworkFault::LinkDown => ("Link outage", "interrupts"),
                NetworkFault::NoRoute => ("Missing route", "drops packets of"),
                NetworkFault::LongerPath => ("Detour around", "slows"),
                NetworkFault::DamagedFrames => ("Faulty link", "damages packets of"),
            },
            (Anomaly::PacketLoss, None) => ("Packet loss", "slows"),
            (Anomaly::PathChange, None) => ("Path change", "slows"),
            _ => return None,
        };
        let place = match (place, self.fault) {
            (Some(port), Some(NetworkFault::LongerPath)) => format!(" {port}"),
            (None, Some(NetworkFault::LongerPath)) => " the usual path".to_string(),
            (place, _) => at(place),
        };
        (!is_named).then(|| (format!("{event}{place}"), effect))
    }

    fn effect(&self, flows: &str) -> String {
        match self.anomaly {
            // Of a setting that loses packets, neither the queue nor the pauses are the effect.
            _ if !self.root.config.is_empty() && self.lost_packets > 0 => format!("drops packets of {flows}"),
            Anomaly::PfcBackpressureFlowContention if !self.root.config.is_empty() => {
                format!("slows {flows}")
            }
            Anomaly::PfcBackpressureFlowContention => format!("pauses {flows}"),
            // A receiver that is slow pauses for moments; only a storm lasts.
            Anomaly::PfcStormHostInjection if self.cause == Cause::NicStorm => format!("stops {flows}"),
            Anomaly::PfcStormHostInjection => format!("pauses {flows}"),
            Anomaly::DeadlockInLoopContention
            | Anomaly::DeadlockOutOfLoopContention
            | Anomaly::DeadlockOutOfLoopInjection => format!("closes a deadlock and stops {flows}"),
            Anomaly::RoutingLoop => format!("sends packets of {flows} in a loop"),
            Anomaly::ClassContention => format!("in another class delays {flows}"),
            Anomaly::PacketLoss => format!("drops packets of {flows}"),
            Anomaly::PathChange => format!("delays {flows}"),
            Anomaly::FlowContention | Anomaly::SelfInflicted | Anomaly::HostOnly | Anomaly::Undetermined => {
                format!("slows {flows}")
            }
        }
    }

    fn culprit(&self) -> String {
        let root = self.root;
        if let Some(configured) = configured(&root.config) {
            return configured;
        }
        let host_or_port = match &root.host {
            Some(host) => format!(" at {host}"),
            None => at(root.port.as_ref()),
        };
        let of = |what: &str| match root.flows.len() {
            0 => host_or_port.clone(),
            flows => format!(" of {}", count(flows, what)),
        };
        match (self.cause, root.flows.as_slice()) {
            (Cause::Misconfiguration, _) => format!("Misconfiguration{host_or_port}"),
            (Cause::NicStorm, _) => format!("NIC storm{host_or_port}"),
            (Cause::SlowReceiver, _) => match &root.host {
                Some(host) => format!("Slow receiver {host}"),
                None => format!("Slow receiver{host_or_port}"),
            },
            (Cause::LoopbackCongestion, _) => format!("Loopback traffic{host_or_port}"),
            (Cause::IntraHostLink, _) => format!("Bad link inside{}", self.inside_host()),
            (Cause::NoisyTenant, _) => format!("Noisy tenant{host_or_port}"),
            (Cause::RnicWorkload, _) => format!("RNIC workload{host_or_port}"),
            (Cause::HiddenFence, _) => format!("Hidden fence{host_or_port}"),
            (Cause::CongestionLeaking, _) => format!("Congestion leaking{host_or_port}"),
            (Cause::GoBackNWaste, _) => format!("Go-back-N waste{host_or_port}"),
            (Cause::QpCacheThrash, _) => format!("QP cache thrash{host_or_port}"),
            (Cause::PollGap, _) => format!("Poll gap{host_or_port}"),
            (Cause::HostControlOverhead, _) => format!("Host control overhead{host_or_port}"),
            (Cause::GpuCoLocation, _) => format!("GPU co-location{host_or_port}"),
            (Cause::LegitimatelyNetworkBound, _) => format!("Network-bound job{host_or_port}"),
            (Cause::Incast, _) => format!("Incast{}{}", of("flow"), self.receiver()),
            (Cause::ElephantCollision, [only]) => format!("Large flow {}", self.names.flow(only)),
            (Cause::ElephantCollision, _) => format!("Collision{}", of("large flow")),
            (Cause::EcmpImbalance, _) => format!("ECMP imbalance{}", of("flow")),
            (Cause::LowRateAttack, []) => format!("Low-rate attack{host_or_port}"),
            (Cause::LowRateAttack, _) => format!("Low-rate attack{}", self.senders()),
            (Cause::CollectiveStep, _) => format!("Collective step{}", of("flow")),
            (Cause::Undetermined, _) => self.without_cause(),
        }
    }

    fn inside_host(&self) -> String {
        match &self.root.host {
            Some(host) => format!(" {host}"),
            None => format!(" a host{}", at(self.root.port.as_ref())),
        }
    }

    /// The subject of a verdict that names the anomaly but no cause.
    fn without_cause(&self) -> String {
        if let Some(host) = &self.root.host {
            return format!("Pausing host {host}");
        }
        match (self.root.flows.as_slice(), &self.root.port) {
            ([only], _) => format!("Flow {}", self.names.flow(only)),
            ([], Some(port)) => format!("Congestion at {port}"),
            ([], None) if self.is_deadlock() => "Unknown congestion".to_string(),
            ([], None) => "A port that is not recorded".to_string(),
            (flows, _) => format!("Contention of {}{}", count(flows.len(), "flow"), self.receiver()),
        }
    }

    fn is_deadlock(&self) -> bool {
        matches!(
            self.anomaly,
            Anomaly::DeadlockInLoopContention
                | Anomaly::DeadlockOutOfLoopContention
                | Anomaly::DeadlockOutOfLoopInjection
        )
    }

    /// Returns ` to h3` if all culprits have one receiver.
    fn receiver(&self) -> String {
        let receivers: BTreeSet<IpAddr> = self.root.flows.iter().map(|flow| flow.dst).collect();
        match receivers.first() {
            Some(only) if receivers.len() == 1 => format!(" to {}", self.names.name(*only)),
            _ => String::new(),
        }
    }

    /// Returns ` from h1, h2`, or the number of senders.
    fn senders(&self) -> String {
        let mut senders: Vec<Cow<'_, str>> = Vec::new();
        for flow in &self.root.flows {
            let sender = self.names.name(flow.src);
            if !senders.contains(&sender) {
                senders.push(sender);
            }
        }
        match senders.len() {
            0..=NAMED_SENDERS => format!(" from {}", senders.join(", ")),
            many => format!(" from {many} hosts"),
        }
    }

    /// Returns the affected flows in words, and whether it is one flow. Culprits are not victims, unless no other flow is,
    /// as in a deadlock of their own.
    fn affected(&self) -> (String, bool) {
        // The flows at the port of a misconfiguration are no culprits.
        let culprits = if self.root.config.is_empty() { self.root.flows.as_slice() } else { &[] };
        let others: Vec<&FlowKey> = self.victims.iter().filter(|flow| !culprits.contains(flow)).collect();
        let listed = match (others.is_empty(), self.victims.is_empty()) {
            (false, _) => others,
            (true, false) => self.victims.iter().collect(),
            (true, true) => culprits.iter().collect(),
        };
        match (listed.len().max(self.victim_count), listed.first()) {
            (0, _) => ("traffic".to_string(), true),
            (1, Some(only)) => (self.names.flow(only), true),
            (flows, _) => (count(flows, "flow"), flows == 1),
        }
    }
}

/// Returns the settings of findings in words: `Misconfigured headroom of far:1`, and how many others there are; `None`
/// without a finding.
fn configured(findings: &[String]) -> Option<String> {
    let mut settings: Vec<String> = Vec::new();
    for setting in findings.iter().map(|finding| setting(finding)) {
        if !settings.contains(&setting) {
            settings.push(setting);
        }
    }
    let more = match settings.len() {
        0 | 1 => String::new(),
        all => format!(" (and {})", count(all - 1, "more setting")),
    };
    Some(format!("{}{more}", settings.first()?))
}

/// Returns what a finding is about from its id: `switch/setting`, or `switch:port/CODE` of a rule of `harrier check`, whose
/// letters are its group.
fn setting(finding: &str) -> String {
    let (place, name) = finding.split_once('/').unwrap_or((finding, ""));
    let letters = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let setting = match if letters.len() < name.len() { letters } else { name } {
        "alpha" => "alpha",
        "headroom" | "PG" => "headroom",
        "lossless" | "PFC" => "PFC",
        "dscp" | "MAP" => "priority map",
        "xon_offset" => "XON offset",
        "ecn" | "ECN" => "ECN marking",
        "route" => "route",
        "BUF" => "buffer",
        "WD" => "PFC watchdog",
        "cable" => return format!("Unplanned cable at {place}"),
        _ => return format!("Configuration {finding}"),
    };
    format!("Misconfigured {setting} of {place}")
}

fn at(port: Option<&PortRef>) -> String {
    port.map_or_else(String::new, |port| format!(" at {port}"))
}

fn count(number: usize, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}
