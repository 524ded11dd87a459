//! Which verdicts of a watcher are uploaded, and in which form. Pure: time is an argument.

use std::collections::BTreeMap;

use analyzer::incident::is_ordinary;
use model::units::counted;
use model::{Diagnosis, PortRef, Severity};
use proto::limits::COUNTER_VERDICT_BYTES;
use proto::{counter_verdict, v1};

use crate::counter_sources::{Change, Subject};

/// A verdict that ends and begins again within this time is not uploaded again unless it is graver: its incident is still
/// open. Congestion comes and goes with every interval, and every upload is a row of the store.
const REPEAT_NS: u64 = 10_000_000_000;

/// What was uploaded a short time ago.
#[derive(Default)]
pub(super) struct Selection {
    /// By subject and root port, when and with which severity: a verdict about a loop may come to name another port.
    sent: BTreeMap<(Subject, Option<PortRef>), (u64, Severity)>,
}

impl Selection {
    /// Returns the verdict of a change if it is to be uploaded at `now_ns`.
    pub(super) fn select<'c>(&mut self, change: &'c Change, now_ns: u64) -> Option<&'c Diagnosis> {
        self.sent.retain(|_, (sent_ns, _)| now_ns.saturating_sub(*sent_ns) < REPEAT_NS);
        let diagnosis = match change {
            Change::Ends(_) => return None,
            Change::Begins(diagnosis)
            | Change::NamesFlows(diagnosis)
            | Change::Worsens(diagnosis)
            | Change::Spreads(diagnosis) => diagnosis,
        };
        if is_ordinary(diagnosis) {
            return None;
        }
        let subject = (Subject::of(diagnosis), diagnosis.root_cause.port.clone());
        let is_repeated = matches!(change, Change::Begins(_))
            && self.sent.get(&subject).is_some_and(|(_, severity)| *severity >= diagnosis.severity);
        if is_repeated {
            return None;
        }
        self.sent.insert(subject, (now_ns, diagnosis.severity));
        Some(diagnosis)
    }
}

/// Returns the message of a verdict. One that is too large for a record has fewer claims, and says so.
///
/// # Errors
/// The server would reject it.
pub(super) fn message(diagnosis: &Diagnosis) -> anyhow::Result<v1::CounterVerdict> {
    let all = diagnosis.evidence.len();
    let mut json = serde_json::to_vec(diagnosis)?;
    let mut claims = all;
    while json.len() > COUNTER_VERDICT_BYTES && claims > 0 {
        claims /= 2;
        let mut shorter = diagnosis.clone();
        shorter.evidence.truncate(claims);
        let left_out = counted((all - claims) as u64, "claim");
        shorter.missing.push(format!("{left_out} of the evidence: the verdict is too large with them"));
        json = serde_json::to_vec(&shorter)?;
    }
    let message = v1::CounterVerdict { json };
    counter_verdict::read(&message)?;
    Ok(message)
}

#[cfg(test)]
mod tests {
    use model::diagnosis::{CounterInterval, Evidence};
    use model::{Anomaly, RootCause};

    use super::*;

    fn verdict(port: u16, severity: Severity) -> Diagnosis {
        Diagnosis {
            id: format!("counters-1-{port}"),
            anomaly: Anomaly::PfcStormHostInjection,
            severity,
            root_cause: RootCause { port: Some(PortRef::new("leaf1", port)), ..RootCause::default() },
            counters: Some(CounterInterval { from_ns: 1, to_ns: 2, watcher: None }),
            ..Diagnosis::undetermined(None)
        }
    }

    #[test]
    fn a_verdict_that_comes_and_goes_is_uploaded_once_unless_it_gets_worse() {
        let mut selection = Selection::default();
        let mut check = |second: u64, change: Change, expected: bool| {
            let selected = selection.select(&change, second * 1_000_000_000).is_some();
            assert_eq!(selected, expected, "second {second}: {change:?}");
        };
        check(1, Change::Begins(verdict(3, Severity::Info)), false);
        check(2, Change::Worsens(verdict(3, Severity::Minor)), true);
        check(3, Change::Ends(verdict(3, Severity::Minor)), false);
        check(4, Change::Begins(verdict(3, Severity::Minor)), false);
        check(5, Change::Begins(verdict(4, Severity::Minor)), true);
        check(6, Change::Begins(verdict(3, Severity::Critical)), true);
        check(7, Change::NamesFlows(verdict(3, Severity::Critical)), true);
        check(8, Change::Spreads(verdict(3, Severity::Minor)), true);
        check(18, Change::Begins(verdict(3, Severity::Minor)), true);
    }

    #[test]
    fn a_verdict_about_a_loop_that_names_another_port_is_uploaded() {
        let mut selection = Selection::default();
        let mut check = |second: u64, port: u16, expected: bool| {
            let diagnosis = Diagnosis {
                anomaly: Anomaly::DeadlockInLoopContention,
                pause_loop: vec![PortRef::new("leaf1", 3), PortRef::new("leaf1", 4)],
                ..verdict(port, Severity::Critical)
            };
            let selected = selection.select(&Change::Begins(diagnosis), second * 1_000_000_000).is_some();
            assert_eq!(selected, expected, "second {second}");
        };
        check(1, 3, true);
        check(2, 3, false);
        check(3, 4, true);
    }

    #[test]
    fn a_verdict_that_is_too_large_has_fewer_claims_and_says_so() {
        let claim = Evidence {
            claim: "x".repeat(4_000),
            template: None,
            switch: None,
            port: None,
            epoch: None,
            records: Vec::new(),
        };
        let large = Diagnosis { evidence: vec![claim; 200], ..verdict(3, Severity::Major) };
        let sent = counter_verdict::read(&message(&large).unwrap()).unwrap();
        assert_eq!(sent.evidence.len(), 50);
        assert_eq!(sent.missing, ["150 claims of the evidence: the verdict is too large with them"]);
        let small = verdict(3, Severity::Major);
        assert_eq!(counter_verdict::read(&message(&small).unwrap()).unwrap(), small);
        let endless = Diagnosis { summary: "x".repeat(COUNTER_VERDICT_BYTES), ..small };
        assert!(message(&endless).is_err());
    }
}
