//! What is to be sent to one receiver: each change of an incident once, the latest state of it, and again after a failure.
//!
//! The alerts that wait and those that last are kept in the store, so that an outbox continues after a restart: an alert is
//! sent at least once, and again only if the server ended between the receiver's answer and the next write.

use std::collections::{BTreeMap, BTreeSet};

use model::Severity;
use store::{WebhookAlerts, WebhookChanges};

use super::body::{body, signature};
use super::{Alert, Format};

/// Maximum alerts that wait; then the oldest is dropped and counted.
const WAITING: usize = 1_000;
/// Maximum alerts that last. Further incidents are not sent, and counted as dropped.
const FIRING: usize = 10_000;
/// Maximum alerts of one request to Alertmanager.
const BATCH: usize = 64;
/// Interval at which Alertmanager gets alerts again that last: its clients resend every 30 s to 3 min, and it resolves an
/// alert that it has not got for 5 min.
const REFRESH_NS: u64 = 60_000_000_000;
/// The first delay after a failure; it doubles with each further one.
const FIRST_RETRY_NS: u64 = 1_000_000_000;
/// Maximum delay after a failure.
const MAX_RETRY_NS: u64 = 300_000_000_000;
/// Attempts after which an alert is dropped: after more than two hours.
const ATTEMPTS: u32 = 32;

/// A request that is to be sent now. Its result goes to [`Outbox::done`] before the next one is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The JSON to post.
    pub body: String,
    /// The value of the header `X-Hub-Signature-256`, if there is a secret.
    pub signature: Option<String>,
    /// The numbers of the alerts that wait and that it contains; others are repeated.
    waiting: Vec<u64>,
}

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver has accepted it.
    Accepted,
    /// The receiver will never accept it, e.g. because the address does not exist.
    Rejected,
    /// It may be accepted later; at the earliest after this time, if the receiver has named one.
    Failed {
        /// The receiver's header `Retry-After`, in nanoseconds.
        retry_after_ns: Option<u64>,
    },
}

/// How a receiver is served.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The form of its notifications.
    pub format: Format,
    /// Incidents below this severity are not sent.
    pub min_severity: Severity,
    /// The address of the dashboard, for links.
    pub link: Option<String>,
    /// The key of signatures.
    pub secret: Option<Vec<u8>>,
}

/// Counts of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests that were accepted.
    pub accepted: u64,
    /// Requests that failed and are repeated.
    pub failed: u64,
    /// Alerts that were dropped: rejected, too old, or too many.
    pub dropped: u64,
    /// Alerts that wait.
    pub waiting: u64,
}

/// The notifications of one receiver.
#[derive(Debug)]
pub struct Outbox {
    receiver: Receiver,
    /// The alerts that last, by incident, as they were sent or wait.
    firing: BTreeMap<String, Alert>,
    /// The alerts that wait, by a number that grows.
    waiting: BTreeMap<u64, Alert>,
    unsaved: Unsaved,
    counts: Counts,
    /// Failures since the last success.
    failures: u32,
    /// Nothing is sent before.
    earliest_ns: u64,
    /// When Alertmanager gets the alerts that last again.
    refresh_ns: u64,
}

/// What the store does not have yet.
#[derive(Debug)]
enum Unsaved {
    /// Everything may differ: nothing is stored yet, or a write has failed.
    All,
    /// Alerts that wait, by number, and those that last, by incident, which were added, changed or removed.
    Some(BTreeSet<u64>, BTreeSet<String>),
}

impl Outbox {
    fn empty(receiver: Receiver, refresh_ns: u64) -> Outbox {
        Outbox {
            receiver,
            firing: BTreeMap::new(),
            waiting: BTreeMap::new(),
            unsaved: Unsaved::All,
            counts: Counts::default(),
            failures: 0,
            earliest_ns: 0,
            refresh_ns,
        }
    }

    /// The notifications of a receiver that is used for the first time, from `now_ns` on. `open` are the incidents that
    /// last: people get no message about them, Alertmanager gets them.
    pub fn new(receiver: Receiver, open: impl IntoIterator<Item = Alert>, now_ns: u64) -> Outbox {
        let is_repeated = receiver.format == Format::Alertmanager;
        let mut outbox = Outbox::empty(receiver, now_ns.saturating_add(REFRESH_NS));
        for alert in open {
            if is_repeated {
                outbox.observe(alert);
            } else if outbox.is_sent(&alert) {
                outbox.firing.insert(alert.incident.clone(), alert);
            }
        }
        outbox
    }

    /// Continues with what was stored of a receiver. The caller then takes the incidents that last with
    /// [`Outbox::resync`], because some may have changed after the last write. Alertmanager gets all alerts that last at
    /// once: it may have resolved them meanwhile.
    ///
    /// Alerts that cannot be read, e.g. of a newer version, are left out and counted as dropped.
    pub fn restore(receiver: Receiver, saved: &WebhookAlerts) -> Outbox {
        let mut outbox = Outbox::empty(receiver, 0);
        for (number, body) in &saved.waiting {
            match serde_json::from_str(body) {
                Ok(alert) => drop(outbox.waiting.insert(*number, alert)),
                Err(_) => outbox.counts.dropped += 1,
            }
        }
        for (incident, body) in &saved.firing {
            match serde_json::from_str(body) {
                Ok(alert) => drop(outbox.firing.insert(incident.clone(), alert)),
                Err(_) => outbox.counts.dropped += 1,
            }
        }
        outbox
    }

    /// Returns what the store does not have yet; `None` if it has everything. The outbox takes it for stored until
    /// [`Outbox::not_saved`] is called.
    pub fn unsaved(&mut self) -> Option<WebhookChanges> {
        let unsaved = std::mem::replace(&mut self.unsaved, Unsaved::Some(BTreeSet::new(), BTreeSet::new()));
        let replaces_all = matches!(unsaved, Unsaved::All);
        let (waiting, firing) = match unsaved {
            Unsaved::All => (self.waiting.keys().copied().collect(), self.firing.keys().cloned().collect()),
            Unsaved::Some(waiting, firing) if waiting.is_empty() && firing.is_empty() => return None,
            Unsaved::Some(waiting, firing) => (waiting, firing),
        };
        let body = |alert: Option<&Alert>| alert.and_then(|alert| serde_json::to_string(alert).ok());
        let waiting = waiting.into_iter().map(|number| (number, body(self.waiting.get(&number)))).collect();
        let firing = firing.into_iter().map(|incident| {
            let body = body(self.firing.get(&incident));
            (incident, body)
        });
        Some(WebhookChanges { replaces_all, waiting, firing: firing.collect() })
    }

    /// Notes that what [`Outbox::unsaved`] has returned was not stored: the next write replaces everything.
    pub fn not_saved(&mut self) {
        self.unsaved = Unsaved::All;
    }

    /// Returns the incidents whose alerts last.
    pub fn firing(&self) -> impl Iterator<Item = &str> {
        self.firing.keys().map(String::as_str)
    }

    fn touch_waiting(&mut self, number: u64) {
        if let Unsaved::Some(waiting, _) = &mut self.unsaved {
            waiting.insert(number);
        }
    }

    fn touch_firing(&mut self, incident: &str) {
        if let Unsaved::Some(_, firing) = &mut self.unsaved {
            firing.insert(incident.to_string());
        }
    }

    fn is_sent(&self, alert: &Alert) -> bool {
        alert.is_firing && alert.severity >= self.receiver.min_severity
    }

    /// Takes the state of an incident. What a receiver would take for the same alert is not sent again.
    pub fn observe(&mut self, alert: Alert) {
        let is_sent = self.is_sent(&alert);
        let known = self.firing.get(&alert.incident).cloned();
        match known {
            None if !is_sent => {}
            None => self.fire(alert),
            Some(known) if is_sent && known.is_same(&alert) => {
                // The latest verdict goes out with the next repetition. It is not stored: after a restart it is read
                // from the incident.
                self.firing.insert(alert.incident.clone(), alert);
            }
            Some(known) => {
                let is_message = self.receiver.format == Format::Slack;
                // For Alertmanager an alert with other labels is another one, so that this one ends.
                if !(is_sent && is_message) {
                    let ended = alert.ended.clone().or_else(|| alert.started.clone());
                    self.enqueue(Alert { is_firing: false, ended, ..known });
                    self.firing.remove(&alert.incident);
                    self.touch_firing(&alert.incident);
                }
                if is_sent {
                    self.fire(alert);
                }
            }
        }
    }

    /// Takes all incidents that last, after changes may have been missed.
    pub fn resync(&mut self, open: impl IntoIterator<Item = Alert>) {
        let mut ended = self.firing.clone();
        for alert in open {
            ended.remove(&alert.incident);
            self.observe(alert);
        }
        for alert in ended.into_values() {
            self.observe(Alert { is_firing: false, ..alert });
        }
    }

    fn fire(&mut self, alert: Alert) {
        if self.firing.len() >= FIRING && !self.firing.contains_key(&alert.incident) {
            self.counts.dropped += 1;
            return;
        }
        self.firing.insert(alert.incident.clone(), alert.clone());
        self.touch_firing(&alert.incident);
        self.enqueue(alert);
    }

    /// Adds an alert; it replaces one that waits and that the receiver would take for the same.
    fn enqueue(&mut self, alert: Alert) {
        let is_same = |(number, waiting): (&u64, &Alert)| waiting.is_same(&alert).then_some(*number);
        let mut removed: Vec<u64> = self.waiting.iter().filter_map(is_same).collect();
        let number = self.waiting.last_key_value().map_or(0, |(last, _)| last.saturating_add(1));
        if self.waiting.len() - removed.len() >= WAITING
            && let Some((oldest, _)) = self.waiting.first_key_value()
        {
            removed.push(*oldest);
            self.counts.dropped += 1;
        }
        removed.into_iter().for_each(|number| drop(self.remove_waiting(number)));
        self.waiting.insert(number, alert);
        self.touch_waiting(number);
    }

    fn remove_waiting(&mut self, number: u64) -> Option<Alert> {
        self.touch_waiting(number);
        self.waiting.remove(&number)
    }

    /// Returns when [`Outbox::request`] has something to send; `None`: nothing waits.
    pub fn due_ns(&self) -> Option<u64> {
        let is_repeated = self.receiver.format == Format::Alertmanager && !self.firing.is_empty();
        let due_ns = match (self.waiting.is_empty(), is_repeated) {
            (false, _) => 0,
            (true, true) => self.refresh_ns,
            (true, false) => return None,
        };
        Some(due_ns.max(self.earliest_ns))
    }

    /// Returns the request that is due at `now_ns`.
    pub fn request(&mut self, now_ns: u64) -> Option<Request> {
        if self.due_ns()? > now_ns {
            return None;
        }
        let batch = if self.receiver.format == Format::Alertmanager { BATCH } else { 1 };
        let (waiting, mut alerts): (Vec<u64>, Vec<Alert>) =
            self.waiting.iter().take(batch).map(|(number, alert)| (*number, alert.clone())).unzip();
        if alerts.is_empty() {
            // All of them: what is left out would be resolved by the receiver.
            alerts = self.firing.values().cloned().collect();
            self.refresh_ns = now_ns.saturating_add(REFRESH_NS);
        }
        let body = body(self.receiver.format, &alerts, self.receiver.link.as_deref());
        let signature = self.receiver.secret.as_deref().map(|secret| signature(secret, &body));
        Some(Request { body, signature, waiting })
    }

    /// Takes the result of a request. `random` is uniformly distributed; it spreads the retries of many servers.
    pub fn done(&mut self, request: &Request, outcome: Outcome, now_ns: u64, random: u64) {
        let retry_after_ns = match outcome {
            Outcome::Failed { retry_after_ns } if self.failures + 1 < ATTEMPTS => retry_after_ns,
            _ => {
                // One that a later state has replaced meanwhile does not wait any more.
                let sent =
                    request.waiting.iter().filter(|number| self.remove_waiting(**number).is_some()).count();
                match outcome {
                    Outcome::Accepted => self.counts.accepted += 1,
                    _ => self.counts.dropped += sent as u64,
                }
                self.failures = 0;
                self.earliest_ns = 0;
                return;
            }
        };
        self.counts.failed += 1;
        let delay_ns = FIRST_RETRY_NS.saturating_mul(1 << self.failures.min(20)).min(MAX_RETRY_NS);
        // From half of the delay to all of it.
        let delay_ns = delay_ns / 2 + random % (delay_ns / 2);
        self.failures += 1;
        self.earliest_ns = now_ns.saturating_add(delay_ns.max(retry_after_ns.unwrap_or(0)));
    }

    /// Returns the counts since the start.
    pub fn counts(&self) -> Counts {
        Counts { waiting: self.waiting.len() as u64, ..self.counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    fn outbox(format: Format) -> Outbox {
        let receiver =
            Receiver { format, min_severity: Severity::Major, link: None, secret: Some(b"key".to_vec()) };
        Outbox::new(receiver, [], 0)
    }

    fn alert(incident: &str, severity: Severity, is_firing: bool) -> Alert {
        Alert {
            incident: incident.into(),
            anomaly: "flow_contention".into(),
            cause: "incast".into(),
            severity,
            headline: format!("headline {incident}"),
            summary: format!("verdict {incident}"),
            started: Some("2026-01-02T03:04:05Z".into()),
            ended: (!is_firing).then(|| "2026-01-02T03:05:05Z".into()),
            is_firing,
        }
    }

    /// Sends all that is due, and returns the verdicts with whether they last.
    fn sent(outbox: &mut Outbox, now_ns: u64) -> Vec<(String, String, bool)> {
        let mut sent = Vec::new();
        while let Some(request) = outbox.request(now_ns) {
            let body: serde_json::Value = serde_json::from_str(&request.body).unwrap();
            for alert in body.as_array().unwrap() {
                let text = |name: &str| alert["labels"][name].as_str().unwrap().to_string();
                sent.push((text("incident"), text("severity"), alert["endsAt"].is_null()));
            }
            outbox.done(&request, Outcome::Accepted, now_ns, 0);
        }
        sent
    }

    #[test]
    fn each_change_is_sent_once_and_an_end_resolves() {
        let mut outbox = outbox(Format::Alertmanager);
        outbox.observe(alert("a", Severity::Minor, true));
        assert_eq!(outbox.due_ns(), None, "below the severity of the receiver");
        outbox.observe(alert("a", Severity::Major, true));
        outbox.observe(alert("a", Severity::Major, true));
        assert_eq!(sent(&mut outbox, 1), [("a".into(), "major".into(), true)]);
        outbox.observe(alert("a", Severity::Major, true));
        assert!(outbox.request(1).is_none(), "the same alert");
        outbox.observe(alert("a", Severity::Critical, true));
        let graver = [("a".into(), "major".into(), false), ("a".into(), "critical".into(), true)];
        assert_eq!(sent(&mut outbox, 2), graver, "another label is another alert");
        assert_eq!(outbox.due_ns(), Some(60 * SECOND_NS));
        assert_eq!(sent(&mut outbox, 60 * SECOND_NS), [("a".into(), "critical".into(), true)], "repeated");
        outbox.observe(alert("a", Severity::Critical, false));
        assert_eq!(sent(&mut outbox, 61 * SECOND_NS), [("a".into(), "critical".into(), false)]);
        outbox.observe(alert("a", Severity::Critical, false));
        assert_eq!(outbox.due_ns(), None);
    }

    #[test]
    fn failures_are_repeated_later_and_later_with_the_latest_state() {
        let mut outbox = outbox(Format::Alertmanager);
        outbox.observe(alert("a", Severity::Major, true));
        let mut now_ns = 0;
        let failed = Outcome::Failed { retry_after_ns: None };
        for expected_s in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            let request = outbox.request(now_ns).expect("it is due");
            outbox.done(&request, failed, now_ns, u64::MAX);
            let delay_ns = outbox.due_ns().unwrap() - now_ns;
            let (least, most) = (expected_s * SECOND_NS / 2, expected_s * SECOND_NS);
            assert!((least..=most).contains(&delay_ns), "{delay_ns} ns instead of {expected_s} s");
            assert!(outbox.request(now_ns + delay_ns - 1).is_none());
            now_ns += delay_ns;
        }
        let request = outbox.request(now_ns).unwrap();
        outbox.done(&request, Outcome::Failed { retry_after_ns: Some(900 * SECOND_NS) }, now_ns, 0);
        assert_eq!(outbox.due_ns(), Some(now_ns + 900 * SECOND_NS), "the receiver's wish");
        outbox.observe(alert("a", Severity::Major, false));
        let end = [("a".into(), "major".into(), false)];
        assert_eq!(sent(&mut outbox, now_ns + 900 * SECOND_NS), end, "only the end");
        assert_eq!(outbox.counts(), Counts { accepted: 1, failed: 12, dropped: 0, waiting: 0 });
    }

    #[test]
    fn what_is_rejected_or_too_much_is_dropped_and_counted() {
        let mut outbox = outbox(Format::Slack);
        for n in 0..=WAITING {
            outbox.observe(alert(&format!("i{n}"), Severity::Major, true));
        }
        assert_eq!(outbox.counts(), Counts { dropped: 1, waiting: 1_000, ..Counts::default() });
        let request = outbox.request(0).unwrap();
        assert!(
            request.body.contains("verdict i1"),
            "one message a request, the oldest first: {}",
            request.body
        );
        assert!(request.signature.as_ref().is_some_and(|signature| signature.starts_with("sha256=")));
        outbox.done(&request, Outcome::Rejected, 0, 0);
        assert_eq!(outbox.counts(), Counts { dropped: 2, waiting: 999, ..Counts::default() });
    }

    #[test]
    fn missed_changes_are_made_up_for() {
        let mut outbox = outbox(Format::Alertmanager);
        outbox.observe(alert("a", Severity::Major, true));
        assert_eq!(sent(&mut outbox, 0).len(), 1);
        outbox.resync([alert("b", Severity::Major, true)]);
        let changes = [("b".into(), "major".into(), true), ("a".into(), "major".into(), false)];
        assert_eq!(sent(&mut outbox, 0), changes);
    }

    #[test]
    fn people_get_no_message_about_what_lasted_before_the_receiver_was_configured() {
        for (format, expected) in [(Format::Slack, None), (Format::Alertmanager, Some(0))] {
            let receiver = Receiver { format, min_severity: Severity::Major, link: None, secret: None };
            let mut outbox = Outbox::new(receiver, [alert("a", Severity::Major, true)], 0);
            assert_eq!(outbox.due_ns(), expected, "{format:?}");
            outbox.observe(alert("a", Severity::Major, false));
            assert!(outbox.request(0).is_some(), "{format:?}: the end is sent");
        }
    }

    /// A store in memory.
    #[derive(Default)]
    struct Saved(WebhookAlerts);

    impl Saved {
        fn save(&mut self, outbox: &mut Outbox) {
            let Some(changes) = outbox.unsaved() else { return };
            if changes.replaces_all {
                self.0 = WebhookAlerts::default();
            }
            for (number, body) in changes.waiting {
                self.0.waiting.remove(&number);
                self.0.waiting.extend(body.map(|body| (number, body)));
            }
            for (incident, body) in changes.firing {
                self.0.firing.remove(&incident);
                self.0.firing.extend(body.map(|body| (incident, body)));
            }
        }

        /// The outbox of a server that starts while these incidents last.
        fn restarted(&self, format: Format, open: impl IntoIterator<Item = Alert>) -> Outbox {
            let receiver = Receiver { format, min_severity: Severity::Major, link: None, secret: None };
            let mut outbox = Outbox::restore(receiver, &self.0);
            outbox.resync(open);
            outbox
        }
    }

    /// The incidents that wait, and whether they last.
    fn waiting(outbox: &Outbox) -> Vec<(&str, bool)> {
        outbox.waiting.values().map(|alert| (alert.incident.as_str(), alert.is_firing)).collect()
    }

    #[test]
    fn a_restart_continues_with_alerts_that_wait_and_changes_after_the_last_write() {
        let mut saved = Saved::default();
        let mut outbox = outbox(Format::Slack);
        for incident in ["sent", "sent-ends", "waits", "waits-ends"] {
            outbox.observe(alert(incident, Severity::Major, true));
        }
        for _ in 0..2 {
            let request = outbox.request(0).unwrap();
            outbox.done(&request, Outcome::Accepted, 0, 0);
        }
        saved.save(&mut outbox);
        assert_eq!(outbox.unsaved(), None);
        // After the last write: one ends, another begins.
        let open = ["sent", "waits", "begins"].map(|incident| alert(incident, Severity::Major, true));
        let mut restarted = saved.restarted(Format::Slack, open.clone());
        let expected = [("waits", true), ("begins", true), ("sent-ends", false), ("waits-ends", false)];
        assert_eq!(waiting(&restarted), expected);
        saved.save(&mut restarted);
        assert_eq!(waiting(&saved.restarted(Format::Slack, open.clone())), expected, "nothing is added");
        while let Some(request) = restarted.request(0) {
            restarted.done(&request, Outcome::Accepted, 0, 0);
        }
        saved.save(&mut restarted);
        assert_eq!(saved.restarted(Format::Slack, open.clone()).due_ns(), None, "no message twice");
        let mut again = saved.restarted(Format::Alertmanager, open);
        assert_eq!(sent(&mut again, 0).len(), 3, "Alertmanager gets at once what lasts");
    }

    #[test]
    fn a_failed_write_is_made_up_for() {
        let mut saved = Saved::default();
        let mut outbox = outbox(Format::Slack);
        outbox.observe(alert("a", Severity::Major, true));
        saved.save(&mut outbox);
        outbox.observe(alert("b", Severity::Major, true));
        assert!(outbox.unsaved().is_some_and(|changes| !changes.replaces_all));
        outbox.not_saved();
        let request = outbox.request(0).unwrap();
        outbox.done(&request, Outcome::Accepted, 0, 0);
        saved.save(&mut outbox);
        let lasting = ["a", "b"].map(|incident| alert(incident, Severity::Major, true));
        assert_eq!(waiting(&saved.restarted(Format::Slack, lasting)), [("b", true)]);
    }

    #[test]
    fn a_state_that_replaces_one_under_way_is_sent_as_well() {
        let mut outbox = outbox(Format::Alertmanager);
        outbox.observe(alert("a", Severity::Major, true));
        let request = outbox.request(0).unwrap();
        outbox.observe(alert("a", Severity::Major, false));
        outbox.done(&request, Outcome::Accepted, 0, 0);
        assert_eq!(sent(&mut outbox, 0), [("a".into(), "major".into(), false)]);
    }

    #[test]
    fn the_alerts_that_last_are_limited() {
        let mut outbox = outbox(Format::Alertmanager);
        for n in 0..=FIRING {
            outbox.observe(alert(&format!("i{n}"), Severity::Major, true));
        }
        assert_eq!((outbox.firing.len(), outbox.waiting.len()), (FIRING, WAITING));
        outbox.observe(alert("i0", Severity::Major, false));
        outbox.observe(alert("other", Severity::Major, true));
        assert_eq!(outbox.firing.len(), FIRING);
    }
}
