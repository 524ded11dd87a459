//! What the server makes of a record: whether its sender may send it, and how it is stored.

use std::net::IpAddr;

use model::{HostReport, Topology};
use proto::v1::{self, record::Body};
use proto::{convert, counter_verdict, event_ids};
use serde_json::{Value, json};
use store::{Arrival, Content};

use super::senders::{SenderId, cut};
use crate::daemons::tls::PeerCertificate;

/// A sender, with what it may speak for.
pub(crate) struct Admitted {
    pub(crate) id: SenderId,
    /// The number of an agent's host in event ids.
    pub(crate) number: Option<u16>,
    /// Its certificate, if the connection is encrypted.
    pub(crate) certificate: Option<PeerCertificate>,
}

impl Admitted {
    /// Whether an agent may speak for flows from an address: the topology gives it to the agent's host, or, for a host
    /// that the topology lacks, the certificate does.
    fn owns(&self, topology: Option<&Topology>, address: IpAddr) -> bool {
        match topology.and_then(|topology| topology.node(&self.id.name)) {
            Some(host) => host.addresses.contains(&address),
            None => self.certificate.as_ref().is_some_and(|certificate| certificate.has_address(address)),
        }
    }
}

/// What is in a record.
pub(crate) struct Accepted {
    /// What to store.
    pub(crate) content: Content,
    /// The trigger in it, with times of the server's clock.
    pub(crate) trigger: Option<v1::Trigger>,
    /// What else it changes.
    pub(crate) effects: Effects,
}

/// What a record changes once it is stored, if it is new.
#[derive(Clone, Debug, Default)]
pub(crate) struct Effects {
    /// Samples of ports.
    pub(crate) ports: Option<v1::PortSamples>,
    /// The report of a host.
    pub(crate) host_report: Option<HostReport>,
}

/// Returns what is stored of a record whatever is in it.
pub(crate) fn arrival(sender: &SenderId, received_ns: u64, record: &v1::Record) -> Arrival {
    Arrival {
        sender: sender.key(),
        boot_id: record.boot_id.clone(),
        sequence: record.sequence,
        lost_before: record.lost_before,
        time_ns: record.time_ns,
        offset_ns: record.clock_offset_ns,
        error_ns: record.clock_error_ns,
        received_ns,
        content: Content::Nothing,
    }
}

/// Checks a record.
///
/// # Errors
/// Why it is rejected.
pub(crate) fn accept(
    sender: &Admitted,
    topology: Option<&Topology>,
    record: v1::Record,
) -> Result<Accepted, String> {
    convert::record(&record).map_err(|error| error.to_string())?;
    let body = record.body.ok_or("the record has no body")?;
    let offset_ns = record.clock_offset_ns;
    let mut accepted = Accepted { content: Content::Nothing, trigger: None, effects: Effects::default() };
    match (body, sender.id.kind) {
        (Body::Trigger(trigger), "agent") => {
            let (_, priority, checked) =
                convert::trigger(&sender.id.name, &trigger).map_err(|error| error.to_string())?;
            may_speak_for(sender, topology, checked.flow.src)?;
            let event = trigger.event;
            for event in [Some(event), trigger.follows_event].into_iter().flatten() {
                if !event_ids::may_use(event, &sender.id.name, sender.number) {
                    return Err(format!(
                        "event id {event:#010x} does not belong to host `{}`",
                        sender.id.name
                    ));
                }
            }
            let on_server = convert::trigger_message(event, priority, &checked, offset_ns.unwrap_or(0));
            let text = json!({ "event": event, "priority": priority, "trigger": checked }).to_string();
            accepted.content = Content::Report("trigger", text);
            accepted.trigger = Some(on_server);
        }
        (Body::Rounds(rounds), "agent") => {
            let flows: Result<Vec<Value>, String> =
                rounds.flows.iter().map(|flow| flow_rounds(sender, topology, flow)).collect();
            let text = json!({ "interval_ns": rounds.interval_ns, "flows": flows? }).to_string();
            accepted.content = Content::Report("rounds", text);
        }
        (Body::Counters(counters), "agent") => {
            let counters =
                counters.counters.iter().map(|c| (cut(&c.name, proto::limits::NAME_BYTES), json!(c.value)));
            let text = Value::Object(counters.collect()).to_string();
            accepted.content = Content::Report("counters", text);
        }
        (Body::HostReport(upload), "agent") => {
            let report = host_report(sender, &upload.json)?;
            let text = serde_json::to_string(&report).map_err(|error| error.to_string())?;
            accepted.content = Content::Latest(HOST_REPORT, text);
            accepted.effects.host_report = Some(report);
        }
        (Body::Notice(notice), _) => {
            let text = |text: &str| cut(text, proto::limits::TEXT_BYTES);
            let value = json!({ "kind": text(&notice.kind), "subject": text(&notice.subject), "text": text(&notice.text) });
            accepted.content = Content::Report("notice", value.to_string());
        }
        (Body::Snapshot(snapshot), "controller") => {
            accepted.content = Content::Inbox(prost::Message::encode_to_vec(&snapshot));
        }
        (Body::Ports(ports), "controller" | "watcher") => accepted.effects.ports = Some(ports),
        (Body::CounterVerdict(verdict), "watcher") => {
            counter_verdict::read(&verdict).map_err(|error| error.to_string())?;
            accepted.content = Content::Inbox(verdict.json);
        }
        (Body::Snapshot(_) | Body::Ports(_), kind) => {
            return Err(format!("{} may not send telemetry of switches", with_article(kind)));
        }
        (Body::CounterVerdict(_), kind) => {
            return Err(format!("{} may not send verdicts", with_article(kind)));
        }
        (_, kind) => return Err(format!("{} may not send measurements of hosts", with_article(kind))),
    }
    Ok(accepted)
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with('a') { "an" } else { "a" };
    format!("{article} {kind}")
}

/// The kind of stored reports of hosts.
pub(crate) const HOST_REPORT: &str = "host-report";
/// Maximum problems that the rejection of a report names.
const NAMED_PROBLEMS: usize = 5;

/// Reads a report, which may only be about the agent's own host.
fn host_report(sender: &Admitted, json: &[u8]) -> Result<HostReport, String> {
    let report: HostReport =
        serde_json::from_slice(json).map_err(|error| format!("not a host report: {error}"))?;
    if report.host != sender.id.name {
        return Err(format!("the report is about host `{}`", report.host));
    }
    let problems = host_diagnosis::problems(&report);
    if problems.is_empty() {
        return Ok(report);
    }
    let named: Vec<String> = problems.iter().take(NAMED_PROBLEMS).map(ToString::to_string).collect();
    Err(format!("a host report with {} problems: {}", problems.len(), named.join("; ")))
}

fn may_speak_for(sender: &Admitted, topology: Option<&Topology>, address: IpAddr) -> Result<(), String> {
    match sender.owns(topology, address) {
        true => Ok(()),
        false => Err(format!("{address} is not an address of host `{}`", sender.id.name)),
    }
}

fn flow_rounds(
    sender: &Admitted,
    topology: Option<&Topology>,
    rounds: &v1::FlowRounds,
) -> Result<Value, String> {
    let flow = convert::flow(rounds.flow.as_ref()).map_err(|error| error.to_string())?;
    may_speak_for(sender, topology, flow.src)?;
    Ok(json!({
        "flow": flow, "samples": rounds.samples, "base_ns": rounds.base_ns, "min_ns": rounds.min_ns,
        "mean_ns": rounds.mean_ns, "max_ns": rounds.max_ns,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::topology::{Node, NodeKind};

    fn topology() -> Topology {
        let host = |name: &str, address: &str| Node {
            name: name.into(),
            kind: NodeKind::Host,
            addresses: vec![address.parse().unwrap()],
        };
        Topology { nodes: vec![host("h1", "10.0.0.1"), host("h2", "10.0.0.2")], links: Vec::new() }
    }

    fn check(kind: &'static str, name: &str, body: Body, expected: Result<(), &str>) {
        let sender =
            Admitted { id: SenderId { kind, name: name.into() }, certificate: None, number: Some(1) };
        let record =
            v1::Record { boot_id: "ab".into(), sequence: 1, body: Some(body), ..v1::Record::default() };
        let found = accept(&sender, Some(&topology()), record).map(|_| ());
        assert_eq!(found, expected.map_err(str::to_string), "{kind} {name}");
    }

    fn counter_verdict() -> String {
        let interval = model::diagnosis::CounterInterval { from_ns: 1, to_ns: 2, watcher: None };
        let verdict = model::Diagnosis {
            id: "counters-1".into(),
            counters: Some(interval),
            ..model::Diagnosis::undetermined(None)
        };
        serde_json::to_string(&verdict).unwrap()
    }

    #[test]
    fn a_sender_speaks_only_for_itself() {
        let flow = "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap();
        let trigger = |event: u32| {
            let reason = v1::TriggerReason::SlowRtt.into();
            let flow = Some(convert::flow_message(&flow));
            Body::Trigger(v1::Trigger { event: event | 7, flow, reason, ..v1::Trigger::default() })
        };
        check("agent", "h1", trigger(1 << 16), Ok(()));
        check("agent", "h1", trigger(2 << 16), Err("event id 0x00020007 does not belong to host `h1`"));
        check("agent", "h1", trigger(0xffff << 16), Err("event id 0xffff0007 does not belong to host `h1`"));
        check("agent", "h2", trigger(1 << 16), Err("10.0.0.1 is not an address of host `h2`"));
        check("agent", "h3", trigger(1 << 16), Err("10.0.0.1 is not an address of host `h3`"));
        check("controller", "h1", trigger(1 << 16), Err("a controller may not send measurements of hosts"));
        let snapshot = || Body::Snapshot(v1::Snapshot::default());
        check("controller", "c1", snapshot(), Ok(()));
        check("agent", "h1", snapshot(), Err("an agent may not send telemetry of switches"));
        check("watcher", "w1", snapshot(), Err("a watcher may not send telemetry of switches"));
        check("watcher", "h1", trigger(1 << 16), Err("a watcher may not send measurements of hosts"));
        let verdict = |json: &str| Body::CounterVerdict(v1::CounterVerdict { json: json.into() });
        let verdict_json = counter_verdict();
        check("watcher", "w1", verdict(&verdict_json), Ok(()));
        check("watcher", "w1", verdict("x"), Err("json: not a verdict: expected value at line 1 column 1"));
        check("agent", "h1", verdict(&verdict_json), Err("an agent may not send verdicts"));
        check("controller", "c1", verdict(&verdict_json), Err("a controller may not send verdicts"));
    }
}
