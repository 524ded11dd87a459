//! Bodies of notifications, and their signature.

use model::Severity;
use ring::hmac;
use serde_json::{Map, Value, json};
use store::severity_name;

use super::{Alert, Format};

/// Maximum characters of a headline and of a verdict in a message: Slack rejects a section with more than 3,000.
const TEXT_CHARS: usize = 1_200;

/// Returns the JSON of a notification. `link` is the address of the dashboard, without a slash at the end.
pub(super) fn body(format: Format, alerts: &[Alert], link: Option<&str>) -> String {
    match format {
        Format::Alertmanager => alerts.iter().map(|alert| alertmanager(alert, link)).collect::<Value>(),
        Format::Slack => slack(alerts, link),
    }
    .to_string()
}

fn link_of(alert: &Alert, link: &str) -> String {
    format!("{link}/incidents/{}", alert.incident)
}

fn alertmanager(alert: &Alert, link: Option<&str>) -> Value {
    let labels: Map<String, Value> =
        alert.labels().into_iter().map(|(name, value)| (name.to_string(), value.into())).collect();
    let mut body = json!({ "labels": labels, "annotations": { "summary": alert.headline, "description": alert.summary } });
    if let Some(started) = &alert.started {
        body["startsAt"] = started.as_str().into();
    }
    // Alertmanager resolves an alert whose end is not in the future; one without an end lasts until it times out.
    if let Some(ended) = alert.ended.as_ref().filter(|_| !alert.is_firing) {
        body["endsAt"] = ended.as_str().into();
    }
    if let Some(link) = link {
        body["generatorURL"] = link_of(alert, link).into();
    }
    body
}

fn slack(alerts: &[Alert], link: Option<&str>) -> Value {
    let lines: Vec<String> = alerts.iter().map(|alert| slack_text(alert, link)).collect();
    let text = lines.join("\n");
    json!({ "text": text, "blocks": [{ "type": "section", "text": { "type": "mrkdwn", "text": text } }] })
}

fn slack_text(alert: &Alert, link: Option<&str>) -> String {
    let mark = match (alert.is_firing, alert.severity) {
        (false, _) => ":white_check_mark:",
        (true, Severity::Critical) => ":red_circle:",
        (true, Severity::Major) => ":large_orange_circle:",
        (true, _) => ":large_yellow_circle:",
    };
    let state = if alert.is_firing { severity_name(alert.severity) } else { "ended".to_string() };
    let mut text = format!("{mark} *{state}*: {}", escape(&limited(&alert.headline)));
    for (label, time) in [("since", &alert.started), ("until", &alert.ended)] {
        if let Some(time) = time {
            text.push_str(&format!(" {label} {time}"));
        }
    }
    if let Some(link) = link {
        text.push_str(&format!(" <{}|{}>", link_of(alert, link), escape(&alert.incident)));
    }
    text.push('\n');
    text.push_str(&escape(&limited(&alert.summary)));
    text
}

fn limited(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}

/// Replaces the three characters with a meaning in Slack's text.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the value of the header `X-Hub-Signature-256`: HMAC-SHA256 (RFC 2104) of the body, as GitHub signs its
/// webhooks and common receivers check them.
pub(super) fn signature(secret: &[u8], body: &str) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), body.as_bytes());
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={hex}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(is_firing: bool) -> Alert {
        Alert {
            incident: "i-1".into(),
            anomaly: "pfc_storm_host_injection".into(),
            cause: "nic_storm".into(),
            severity: Severity::Critical,
            headline: "NIC storm at h11 stops 3 flows, p3-edge2:1".into(),
            summary: "the NIC of h11 pauses p3-edge2:1 & <others>".into(),
            started: Some("2026-01-02T03:04:05Z".into()),
            ended: (!is_firing).then(|| "2026-01-02T03:05:05Z".into()),
            is_firing,
        }
    }

    #[test]
    fn alertmanager_gets_labels_annotations_and_times() {
        let sent: Value = serde_json::from_str(&body(
            Format::Alertmanager,
            &[alert(true), alert(false)],
            Some("https://harrier.example"),
        ))
        .unwrap();
        let expected = json!({
            "labels": {
                "alertname": "HarrierIncident", "anomaly": "pfc_storm_host_injection", "cause": "nic_storm",
                "incident": "i-1", "severity": "critical",
            },
            "annotations": {
                "summary": "NIC storm at h11 stops 3 flows, p3-edge2:1",
                "description": "the NIC of h11 pauses p3-edge2:1 & <others>",
            },
            "startsAt": "2026-01-02T03:04:05Z",
            "generatorURL": "https://harrier.example/incidents/i-1",
        });
        assert_eq!(sent[0], expected);
        assert_eq!(
            (&sent[1]["labels"], &sent[1]["endsAt"]),
            (&expected["labels"], &"2026-01-02T03:05:05Z".into())
        );
    }

    #[test]
    fn slack_gets_a_message_whose_special_characters_are_escaped() {
        let sent: Value =
            serde_json::from_str(&body(Format::Slack, &[alert(true)], Some("https://harrier.example")))
                .unwrap();
        let expected = ":red_circle: *critical*: NIC storm at h11 stops 3 flows, p3-edge2:1 since \
                        2026-01-02T03:04:05Z <https://harrier.example/incidents/i-1|i-1>\n\
                        the NIC of h11 pauses p3-edge2:1 &amp; &lt;others&gt;";
        assert_eq!(sent["text"], expected);
        assert_eq!(sent["blocks"][0]["text"], json!({ "type": "mrkdwn", "text": expected }));
        let sent: Value = serde_json::from_str(&body(Format::Slack, &[alert(false)], None)).unwrap();
        let text = sent["text"].as_str().unwrap();
        assert!(
            text.starts_with(":white_check_mark: *ended*: ") && text.contains("until 2026-01-02T03:05:05Z\n")
        );
    }

    /// Test case 2 of RFC 4231.
    #[test]
    fn the_signature_is_that_of_the_standard() {
        let expected = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(signature(b"Jefe", "what do ya want for nothing?"), expected);
    }
}
