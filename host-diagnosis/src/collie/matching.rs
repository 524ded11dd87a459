//! Compares a workload with the published anomalies: which ones it triggers, and the cheapest way not to.

use model::host::descriptor::{Factor, Workload};
use serde::Serialize;

use super::condition::Condition;
use super::monitor::Symptom;
use super::table::{ANOMALIES, Bottleneck, KnownAnomaly};

/// An anomaly whose conditions a workload meets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Match {
    /// Its number in Collie's table 2.
    pub anomaly: u8,
    /// What it looks like.
    pub symptom: Symptom,
    /// The component.
    pub bottleneck: Bottleneck,
    /// The largest published pause ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_pause_ratio: Option<f64>,
    /// The conditions that the workload meets.
    pub conditions: Vec<String>,
    /// Conditions for which the descriptor lacks a property: the match is certain without them only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
    /// Changes of the workload that break one condition each, cheapest first. Empty if all of its factors are fixed.
    pub changes: Vec<Change>,
    /// The published fix; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<&'static str>,
}

/// A change that breaks one condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The factor.
    pub factor: Factor,
    /// What to do, in the imperative.
    pub text: String,
}

impl Match {
    /// Whether all conditions are known to hold.
    pub fn is_certain(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Returns the advice in one sentence: the published fix, or the cheapest change.
    pub fn advice(&self) -> String {
        let changes: Vec<&str> = self.changes.iter().take(2).map(|change| change.text.as_str()).collect();
        match (self.fix, changes.as_slice()) {
            (Some(fix), []) => format!("anomaly #{}: {fix}", self.anomaly),
            (Some(fix), changes) => {
                format!("anomaly #{}: {}; to remove it: {fix}", self.anomaly, changes.join(", or "))
            }
            (None, []) => format!(
                "anomaly #{} has no published fix, and every factor of the workload is fixed: ask the NIC's vendor",
                self.anomaly
            ),
            (None, changes) => {
                format!("anomaly #{}: {} (there is no published fix)", self.anomaly, changes.join(", or "))
            }
        }
    }
}

/// The anomalies that a workload triggers, by number. NICs outside the table have none: their anomalies are unknown.
pub fn matches(workload: &Workload) -> Vec<Match> {
    ANOMALIES.iter().filter_map(|anomaly| of(anomaly, workload)).collect()
}

fn of(anomaly: &KnownAnomaly, workload: &Workload) -> Option<Match> {
    if anomaly.nic != workload.nic || workload.message_bytes.is_empty() {
        return None;
    }
    let (mut conditions, mut unknown) = (Vec::new(), Vec::new());
    for condition in anomaly.conditions {
        match condition.holds(workload) {
            Some(true) => conditions.push(condition.text()),
            Some(false) => return None,
            None => unknown.push(condition.text()),
        }
    }
    Some(Match {
        anomaly: anomaly.number,
        symptom: anomaly.symptom,
        bottleneck: anomaly.bottleneck,
        worst_pause_ratio: anomaly.worst_pause_ratio,
        conditions,
        unknown,
        changes: changes(anomaly.conditions, &workload.fixed),
        fix: anomaly.fix,
    })
}

fn changes(conditions: &[Condition], fixed: &[Factor]) -> Vec<Change> {
    let free = |condition: &&Condition| !fixed.contains(&condition.factor());
    let mut changes: Vec<Change> = conditions
        .iter()
        .filter(free)
        .filter_map(|condition| Some(Change { factor: condition.factor(), text: condition.change()? }))
        .collect();
    changes.sort_by_key(|change| cost(change.factor));
    changes
}

/// The order in which changes are offered. A choice: arguments of the verbs first, then what the application sends, then
/// settings of hosts and switches, then the application's structure.
fn cost(factor: Factor) -> u8 {
    match factor {
        Factor::WqDepth => 0,
        Factor::WqeBatch => 1,
        Factor::SgePerWqe => 2,
        Factor::SmallestMessage | Factor::LargestMessage => 3,
        Factor::Mtu => 4,
        Factor::QueuePairs => 5,
        Factor::MemoryRegions => 6,
        Factor::Server => 7,
        Factor::Memory => 8,
        Factor::Loopback => 9,
        Factor::Transport => 10,
        Factor::Direction => 11,
    }
}
