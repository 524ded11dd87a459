//! Notifications of incidents for other systems: what is sent, to whom, and when.
//!
//! This is the pure part: an [`Outbox`] takes alerts and the time, and returns requests; its driver sends them and
//! reports the results. Bodies follow Alertmanager's API v2 (`POST /api/v2/alerts`, prometheus.io/docs/alerting/latest/
//! alerts_api) and Slack's incoming webhooks (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks).

mod body;
mod outbox;

pub use outbox::{Counts, Outbox, Outcome, Receiver, Request};

use model::Severity;
use ring::digest;
use serde::{Deserialize, Serialize};
use store::{Handling, Incident, severity_name};

use crate::headline::Headline;

/// The form of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A list of alerts, which the receiver expects again while they last.
    Alertmanager,
    /// A message for people.
    Slack,
}

impl Format {
    /// Returns its name in configurations and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Format::Alertmanager => "alertmanager",
            Format::Slack => "slack",
        }
    }
}

/// The state of an incident, as a receiver gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// The id of the incident.
    pub incident: String,
    /// The name of its anomaly.
    pub anomaly: String,
    /// The name of its cause.
    pub cause: String,
    /// Its severity.
    pub severity: Severity,
    /// The verdict in a few words and its place, e.g. `NIC storm at h11 stops 3 flows, sw4:1`.
    pub headline: String,
    /// The verdict in one sentence.
    pub summary: String,
    /// When its latest occurrence began (RFC 3339), if a wall clock is known.
    pub started: Option<String>,
    /// When it ended (RFC 3339); absent while it lasts or has no wall clock.
    pub ended: Option<String>,
    /// Whether it lasts, and is neither silenced nor resolved by a person.
    pub is_firing: bool,
}

/// Returns the name under which the store keeps the alerts of a receiver: a hash, because the URL may be a secret.
pub fn receiver_id(format: Format, url: &str) -> String {
    let hash = digest::digest(&digest::SHA256, format!("{}={url}", format.name()).as_bytes());
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Alert {
    /// The alert of an incident with this headline, whose times are `started` and `ended`.
    pub(crate) fn new(
        incident: &Incident,
        headline: Headline,
        started: Option<String>,
        ended: Option<String>,
    ) -> Alert {
        let is_handled = matches!(incident.handling, Handling::Silenced | Handling::Resolved);
        Alert {
            incident: incident.id.clone(),
            anomaly: store::anomaly_name(incident.anomaly),
            cause: store::cause_name(incident.cause),
            severity: incident.severity,
            headline: headline.with_place(),
            summary: incident.summary.clone(),
            started,
            ended,
            is_firing: incident.end_ns.is_none() && !is_handled,
        }
    }

    /// Whether a receiver takes both for one alert: their labels are equal.
    fn is_same(&self, other: &Alert) -> bool {
        (&self.incident, &self.anomaly, &self.cause, self.severity)
            == (&other.incident, &other.anomaly, &other.cause, other.severity)
    }

    /// What tells it from other alerts, see [`Alert::is_same`].
    fn labels(&self) -> [(&'static str, String); 5] {
        [
            ("alertname", "HarrierIncident".to_string()),
            ("anomaly", self.anomaly.clone()),
            ("cause", self.cause.clone()),
            ("incident", self.incident.clone()),
            ("severity", severity_name(self.severity)),
        ]
    }
}
