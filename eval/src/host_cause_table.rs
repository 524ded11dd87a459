//! Precision and recall of causes inside hosts.

use std::collections::BTreeMap;

use model::Cause;
use serde::{Deserialize, Serialize};

use crate::judge::HostCauseCount;
use crate::table::Row;

/// A cause inside hosts over all runs of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostCauseRow {
    /// The counts.
    #[serde(flatten)]
    pub count: HostCauseCount,
    /// Right verdicts among those that give the cause; absent if none does.
    pub precision: Option<f64>,
    /// Hosts of which a verdict gives the cause, among those that delay a flow by it; absent if none does.
    pub recall: Option<f64>,
}

/// Adds up the counts of several runs, in the order of the causes.
pub fn sum<'c>(counts: impl Iterator<Item = &'c HostCauseCount>) -> Vec<HostCauseRow> {
    let mut sums: BTreeMap<Cause, HostCauseCount> = BTreeMap::new();
    for count in counts {
        let sum = sums.entry(count.cause).or_insert(HostCauseCount {
            given: 0,
            right: 0,
            events: 0,
            named: 0,
            ..*count
        });
        sum.given += count.given;
        sum.right += count.right;
        sum.events += count.events;
        sum.named += count.named;
    }
    let share = |part: u64, whole: u64| (whole > 0).then(|| (part as f64 / whole as f64 * 1e4).round() / 1e4);
    let row = |count: HostCauseCount| HostCauseRow {
        precision: share(count.right, count.given),
        recall: share(count.named, count.events),
        count,
    };
    sums.into_values().map(row).collect()
}

/// Formats the causes inside hosts of these rows as text; empty if there are none.
pub fn text<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut text = String::new();
    for row in rows {
        for of in &row.host_causes {
            let name = serde_json::to_value(of.count.cause).ok();
            let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_string();
            let share = |value: Option<f64>| value.map_or("-".to_string(), |value| format!("{value:.3}"));
            let HostCauseCount { given, right, events, named, .. } = of.count;
            let (method, precision, recall) = (&row.method, share(of.precision), share(of.recall));
            text.push_str(&format!(
                "{name:<32} {method:>12} {given:>6} {right:>6} {precision:>9} {events:>6} {named:>6} {recall:>6}\n"
            ));
        }
    }
    if text.is_empty() {
        return text;
    }
    let (name, method) = ("cause in a host", "method");
    let columns = ["given", "right", "precision", "events", "named", "recall"];
    let [given, right, precision, events, named, recall] = columns;
    format!(
        "{name:<32} {method:>12} {given:>6} {right:>6} {precision:>9} {events:>6} {named:>6} {recall:>6}\n{text}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Observation, totals};

    fn count(cause: Cause, given: u64, right: u64, events: u64, named: u64) -> HostCauseCount {
        HostCauseCount { cause, given, right, events, named }
    }

    #[test]
    fn counts_of_a_cause_add_up_over_runs() {
        let of =
            |host_causes| Observation { method: "harrier".into(), host_causes, ..Observation::default() };
        let seen = [
            of(vec![count(Cause::SlowReceiver, 2, 1, 1, 1), count(Cause::IntraHostLink, 0, 0, 1, 0)]),
            of(vec![count(Cause::SlowReceiver, 2, 2, 1, 0)]),
        ];
        let rows = &totals(&seen)[0].host_causes;
        assert_eq!(
            rows.iter().map(|row| row.count.cause).collect::<Vec<_>>(),
            [Cause::SlowReceiver, Cause::IntraHostLink]
        );
        assert_eq!((rows[0].precision, rows[0].recall), (Some(0.75), Some(0.5)));
        assert_eq!((rows[1].precision, rows[1].recall), (None, Some(0.0)));
        let lines = text(totals(&seen).iter());
        assert_eq!(lines.lines().count(), 3, "{lines}");
        assert!(lines.contains("slow_receiver"), "{lines}");
        assert_eq!(text(totals(&[of(Vec::new())]).iter()), "");
    }
}
