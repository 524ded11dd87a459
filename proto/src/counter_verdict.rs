//! Checks verdicts from the counters of ordinary switches. A certificate says who sends them; what is in them is stored and
//! shown to people, so that every length is limited and no text controls a terminal.

use model::Diagnosis;
use model::plain::is_unprintable;
use serde_json::Value;

use crate::convert::{BadMessage, bad};
use crate::limits::{COUNTER_VERDICT_BYTES, COUNTER_VERDICT_ITEMS, COUNTER_VERDICT_TEXT_BYTES, NAME_BYTES};
use crate::v1;

/// Reads a verdict.
///
/// # Errors
/// It is malformed, too large, or not one from counters.
pub fn read(message: &v1::CounterVerdict) -> Result<Diagnosis, BadMessage> {
    let bytes = message.json.len();
    if bytes > COUNTER_VERDICT_BYTES {
        return bad("json", format!("{bytes} bytes; expected at most {COUNTER_VERDICT_BYTES}"));
    }
    let malformed = |error: serde_json::Error| BadMessage {
        field: "json",
        problem: format!("not a verdict: {error:.200}"),
    };
    let value: Value = serde_json::from_slice(&message.json).map_err(malformed)?;
    within_limits(&value)?;
    let verdict: Diagnosis = serde_json::from_value(value).map_err(malformed)?;
    check(&verdict)?;
    Ok(verdict)
}

/// Whether a verdict can be uploaded: the check of [`read`] for the sender, which knows its size.
///
/// # Errors
/// What the server would reject.
pub fn check(verdict: &Diagnosis) -> Result<(), BadMessage> {
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if verdict.id.is_empty() || verdict.id.len() > NAME_BYTES || !verdict.id.chars().all(is_id) {
        return bad("id", format!("expected 1 to {NAME_BYTES} letters, digits or -"));
    }
    match &verdict.counters {
        None => return bad("counters", "missing: a verdict from counters has an interval"),
        Some(interval) if interval.from_ns > interval.to_ns => {
            return bad("counters", "the interval ends before it begins");
        }
        Some(_) => {}
    }
    if verdict.victim.is_some() {
        return bad("victim", "counters are about ports: expected none");
    }
    if verdict.verified.is_some() || verdict.verification.is_some() {
        return bad("verified", "counters verify nothing: expected none");
    }
    if !(0.0..=1.0).contains(&verdict.confidence) {
        return bad("confidence", "expected 0 to 1");
    }
    let root = &verdict.root_cause;
    let ports = verdict.pause_path.iter().chain(&verdict.pause_loop).chain(&root.port);
    let mut names = ports.map(|port| port.switch.as_str()).chain(root.host.as_deref());
    if names.any(|name| name.is_empty() || name.len() > NAME_BYTES) {
        return bad("root_cause", format!("expected names of 1 to {NAME_BYTES} bytes"));
    }
    Ok(())
}

/// Checks the length of every list and text of a verdict, known to this version or not.
fn within_limits(value: &Value) -> Result<(), BadMessage> {
    match value {
        Value::String(text) if text.len() > COUNTER_VERDICT_TEXT_BYTES => bad(
            "json",
            format!("a text of {} bytes; expected at most {COUNTER_VERDICT_TEXT_BYTES}", text.len()),
        ),
        Value::String(text) if text.contains(is_unprintable) => bad("json", "a text with control characters"),
        Value::Array(items) if items.len() > COUNTER_VERDICT_ITEMS => {
            bad("json", format!("a list of {}; expected at most {COUNTER_VERDICT_ITEMS}", items.len()))
        }
        Value::Array(items) => items.iter().try_for_each(within_limits),
        // Names of fields that this version knows; others are dropped.
        Value::Object(fields) => fields.values().try_for_each(within_limits),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use model::diagnosis::{CounterInterval, Evidence};
    use model::{FlowKey, PortRef};
    use proptest::prelude::*;

    use super::*;

    fn verdict() -> Diagnosis {
        Diagnosis {
            id: "counters-1-leaf1-3-pfcstorm".into(),
            summary: "h3 pauses leaf1:3".into(),
            confidence: 0.9,
            counters: Some(CounterInterval { from_ns: 1, to_ns: 2, watcher: None }),
            ..Diagnosis::undetermined(None)
        }
    }

    fn message(verdict: &Diagnosis) -> v1::CounterVerdict {
        v1::CounterVerdict { json: serde_json::to_vec(verdict).unwrap() }
    }

    #[test]
    fn a_verdict_round_trips() {
        assert_eq!(read(&message(&verdict())), Ok(verdict()));
    }

    #[test]
    fn a_verdict_is_within_limits() {
        let check = |change: fn(&mut Diagnosis), field: &str| {
            let mut changed = verdict();
            change(&mut changed);
            assert_eq!(read(&message(&changed)).unwrap_err().field, field);
        };
        let claim = || Evidence {
            claim: "x".into(),
            template: None,
            switch: None,
            port: None,
            epoch: None,
            records: Vec::new(),
        };
        check(|v| v.id = "a/b".into(), "id");
        check(|v| v.id = String::new(), "id");
        check(|v| v.counters = None, "counters");
        check(|v| v.counters = Some(CounterInterval { from_ns: 3, to_ns: 2, watcher: None }), "counters");
        check(|v| v.victim = Some("10.0.0.1:1>10.0.0.2:4791/udp".parse::<FlowKey>().unwrap()), "victim");
        check(|v| v.verified = Some(true), "verified");
        check(|v| v.confidence = 1.5, "confidence");
        check(|v| v.root_cause.port = Some(PortRef::new("x".repeat(200), 1)), "root_cause");
        check(|v| v.root_cause.host = Some(String::new()), "root_cause");
        check(|v| v.summary = "x".repeat(COUNTER_VERDICT_TEXT_BYTES + 1), "json");
        check(|v| v.summary = "\u{1b}[2J".into(), "json");
        check(|v| v.missing = vec!["x".into(); COUNTER_VERDICT_ITEMS + 1], "json");
        let mut large = verdict();
        large.evidence = vec![Evidence { claim: "x".repeat(4000), ..claim() }; 100];
        assert!(read(&message(&large)).unwrap_err().problem.contains("bytes; expected at most"));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(json: Vec<u8>) {
            let _ = read(&v1::CounterVerdict { json });
        }

        #[test]
        fn deep_values_are_rejected(depth in 1_usize..300) {
            let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
            let read = read(&v1::CounterVerdict { json });
            prop_assert!(read.is_err());
        }
    }
}
