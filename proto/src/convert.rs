//! Between messages and the types of `model`. Everything that a peer sends is checked here.

use model::{FlowKey, FollowUp, PortRef, Trigger, TriggerReason};

use crate::limits::{BOOT_ID_BYTES, COUNTER_VERDICT_BYTES, HOST_REPORT_BYTES, ITEMS, LISTED, NAME_BYTES};
use crate::v1;

/// A message is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct BadMessage {
    /// The field.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

pub(crate) fn bad<T>(field: &'static str, problem: impl Into<String>) -> Result<T, BadMessage> {
    Err(BadMessage { field, problem: problem.into() })
}

/// Checks a name: letters, digits and `-_.:@`, at most [`NAME_BYTES`].
///
/// # Errors
/// It is none.
pub fn name(field: &'static str, name: &str) -> Result<(), BadMessage> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.:@".contains(c);
    if name.is_empty() || name.len() > NAME_BYTES || !name.chars().all(is_allowed) {
        return bad(field, format!("expected 1 to {NAME_BYTES} letters, digits or -_.:@"));
    }
    Ok(())
}

/// Checks a boot id.
///
/// # Errors
/// It is none.
pub fn boot_id(id: &str) -> Result<(), BadMessage> {
    if id.is_empty()
        || id.len() > BOOT_ID_BYTES
        || !id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    {
        return bad("boot_id", format!("expected 1 to {BOOT_ID_BYTES} hexadecimal digits or -"));
    }
    Ok(())
}

/// Checks a hello.
///
/// # Errors
/// The first mistake.
pub fn hello(hello: &v1::Hello) -> Result<(), BadMessage> {
    name("name", &hello.name)?;
    boot_id(&hello.boot_id)?;
    if matches!(hello.kind(), v1::SenderKind::Unspecified) {
        return bad("kind", "unknown");
    }
    if hello.addresses.len() > LISTED || hello.switches.len() > LISTED {
        return bad("addresses", format!("more than {LISTED}"));
    }
    hello.switches.iter().try_for_each(|switch| name("switches", switch))
}

/// Checks the lengths of a record's lists.
///
/// # Errors
/// A list is too long, or there is no body.
pub fn record(record: &v1::Record) -> Result<(), BadMessage> {
    use v1::record::Body;
    boot_id(&record.boot_id)?;
    let items = match &record.body {
        None => return bad("body", "missing, or of a kind that this version does not know"),
        Some(Body::Rounds(rounds)) => rounds.flows.len(),
        Some(Body::Counters(counters)) => counters.counters.len(),
        Some(Body::Snapshot(snapshot)) => snapshot.clocks.len(),
        Some(Body::Ports(ports)) => ports.samples.len(),
        Some(Body::HostReport(report)) if report.json.len() > HOST_REPORT_BYTES => {
            return bad("json", format!("{} bytes; expected at most {HOST_REPORT_BYTES}", report.json.len()));
        }
        Some(Body::CounterVerdict(verdict)) if verdict.json.len() > COUNTER_VERDICT_BYTES => {
            let bytes = verdict.json.len();
            return bad("json", format!("{bytes} bytes; expected at most {COUNTER_VERDICT_BYTES}"));
        }
        Some(Body::Trigger(_) | Body::Notice(_) | Body::HostReport(_) | Body::CounterVerdict(_)) => 1,
    };
    if items > ITEMS {
        return bad("body", format!("a list of {items}; expected at most {ITEMS}"));
    }
    Ok(())
}

/// Returns a flow as a message.
pub fn flow_message(flow: &FlowKey) -> v1::Flow {
    v1::Flow {
        src: flow.src.to_string(),
        dst: flow.dst.to_string(),
        sport: flow.sport.into(),
        dport: flow.dport.into(),
        proto: flow.proto.into(),
    }
}

/// Reads a flow.
///
/// # Errors
/// It is missing, or a field is out of range.
pub fn flow(message: Option<&v1::Flow>) -> Result<FlowKey, BadMessage> {
    let Some(message) = message else { return bad("flow", "missing") };
    let address = |field, text: &str| {
        text.parse().map_err(|_| BadMessage { field, problem: format!("`{text:.64}` is not an IP address") })
    };
    let (src, dst): (std::net::IpAddr, std::net::IpAddr) =
        (address("src", &message.src)?, address("dst", &message.dst)?);
    if src.is_ipv4() != dst.is_ipv4() {
        return bad("flow", "one end is an IPv4 address and the other an IPv6 address");
    }
    let (Ok(sport), Ok(dport), Ok(proto)) =
        (message.sport.try_into(), message.dport.try_into(), message.proto.try_into())
    else {
        return bad("flow", "a port or protocol number is out of range");
    };
    Ok(FlowKey { src, dst, sport, dport, proto })
}

/// Returns a trigger as a message. `offset_ns` is added to its times.
pub fn trigger_message(event: u32, priority: u8, trigger: &Trigger, offset_ns: i64) -> v1::Trigger {
    let reason = match trigger.reason {
        TriggerReason::SlowRtt => v1::TriggerReason::SlowRtt,
        TriggerReason::Silence => v1::TriggerReason::Silence,
        TriggerReason::SlowOperation => v1::TriggerReason::SlowOperation,
        TriggerReason::SlowJob => v1::TriggerReason::SlowJob,
    };
    v1::Trigger {
        event,
        priority: priority.into(),
        flow: Some(flow_message(&trigger.flow)),
        time_ns: trigger.time_ns.saturating_add_signed(offset_ns),
        reason: reason.into(),
        base_rtt_ns: trigger.base_rtt_ns,
        rtt_ns: trigger.rtt_ns,
        expected_ns: trigger.expected_ns,
        follows_event: trigger.follows.map(|first| first.event),
        follows_since_ns: trigger.follows.map_or(0, |first| first.since_ns.saturating_add_signed(offset_ns)),
    }
}

/// Reads the trigger of a host. Its times have the clock of the message. Returns it with its event and priority.
///
/// # Errors
/// A field is missing or out of range.
pub fn trigger(host: &str, message: &v1::Trigger) -> Result<(u32, u8, Trigger), BadMessage> {
    let reason = match message.reason() {
        v1::TriggerReason::SlowRtt => TriggerReason::SlowRtt,
        v1::TriggerReason::Silence => TriggerReason::Silence,
        v1::TriggerReason::SlowOperation => TriggerReason::SlowOperation,
        v1::TriggerReason::SlowJob => TriggerReason::SlowJob,
        v1::TriggerReason::Unspecified => return bad("reason", "unknown"),
    };
    let Some(priority) = u8::try_from(message.priority).ok().filter(|priority| *priority < 8) else {
        return bad("priority", format!("{}; expected 0 to 7", message.priority));
    };
    let follows = message.follows_event.map(|event| FollowUp { event, since_ns: message.follows_since_ns });
    let trigger = Trigger {
        host: host.to_string(),
        flow: flow(message.flow.as_ref())?,
        time_ns: message.time_ns,
        reason,
        base_rtt_ns: message.base_rtt_ns,
        rtt_ns: message.rtt_ns,
        expected_ns: message.expected_ns,
        follows,
    };
    Ok((message.event, priority, trigger))
}

/// Reads a port such as `sw4:1`.
///
/// # Errors
/// It is none.
pub fn port(text: &str) -> Result<PortRef, BadMessage> {
    if text.len() > NAME_BYTES {
        return bad("port", format!("longer than {NAME_BYTES} bytes"));
    }
    text.parse().map_err(|error: model::port::ParsePortError| BadMessage {
        field: "port",
        problem: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triggers_round_trip() {
        let original = Trigger {
            host: "h1".into(),
            flow: "10.0.0.1:10000>10.0.3.1:4791/udp".parse().unwrap(),
            time_ns: 1_000,
            reason: TriggerReason::Silence,
            base_rtt_ns: 9,
            rtt_ns: 90,
            expected_ns: Some(30),
            follows: Some(FollowUp { event: 3, since_ns: 400 }),
        };
        let message = trigger_message(4, 3, &original, 0);
        assert_eq!(trigger("h1", &message), Ok((4, 3, original.clone())));
        let shifted = trigger_message(4, 3, &original, 50);
        assert_eq!((shifted.time_ns, shifted.follows_since_ns), (1_050, 450));
    }

    #[test]
    fn bad_messages_are_rejected() {
        let check = |change: fn(&mut v1::Trigger), field: &str| {
            let flow = "10.0.0.1:10000>10.0.3.1:4791/udp".parse().unwrap();
            let reason = v1::TriggerReason::SlowRtt.into();
            let mut message =
                v1::Trigger { flow: Some(flow_message(&flow)), reason, ..v1::Trigger::default() };
            assert!(trigger("h1", &message).is_ok());
            change(&mut message);
            assert_eq!(trigger("h1", &message).unwrap_err().field, field);
        };
        check(|m| m.flow = None, "flow");
        check(|m| m.flow.as_mut().unwrap().src = "here".into(), "src");
        check(|m| m.flow.as_mut().unwrap().dst = "::1".into(), "flow");
        check(|m| m.flow.as_mut().unwrap().sport = 70_000, "flow");
        check(|m| m.reason = 9, "reason");
        check(|m| m.priority = 8, "priority");
        assert!(name("name", "h1.rack-2").is_ok());
        for wrong in ["", "a b", "a/b", &"x".repeat(200)] {
            assert!(name("name", wrong).is_err(), "{wrong}");
        }
    }
}
