//! Drops in a lossless priority: any is an alarm (RDMA at scale, SIGCOMM 2016, section 5.2).

use std::collections::BTreeMap;

use model::units::counted;
use model::{Anomaly, Cause, Diagnosis, Severity};

use super::confidence;
use super::configuration::{self, About, Relation};
use crate::case::{Case, Counter};
use crate::pressure::Pressure;
use crate::text;
use crate::thresholds as t;

/// Part of the confidence that remains if the priority is taken as lossless because it uses PFC.
const CONCLUDED: f64 = 0.85;

/// Returns one verdict for each switch that dropped packets of lossless priorities. Drops of the watchdog are left out:
/// they are in the verdict about the storm that it detected.
pub(super) fn verdicts(case: &Case<'_>) -> Vec<Diagnosis> {
    let mut by_switch: BTreeMap<&str, Vec<&Pressure>> = BTreeMap::new();
    let is_alarm = |row: &&Pressure| row.is_lossless && row.drops() > 0;
    for row in case.rows.iter().filter(is_alarm) {
        let by_watchdog = case.rows_of(&case.wiring.ports[row.port].switch).any(|other| {
            other.has_storm()
                && other.priority == row.priority
                && (other.port == row.port || other.watchdog_drops() >= row.drops())
        });
        if !by_watchdog {
            by_switch.entry(&case.wiring.ports[row.port].switch).or_default().push(row);
        }
    }
    by_switch.into_values().map(|rows| verdict(case, rows)).collect()
}

fn verdict(case: &Case<'_>, mut rows: Vec<&Pressure>) -> Diagnosis {
    rows.sort_by_key(|row| (std::cmp::Reverse(row.drops()), row.port, row.priority));
    let worst = rows[0];
    let mut verdict = Diagnosis::undetermined(None);
    verdict.anomaly = Anomaly::PacketLoss;
    verdict.severity = Severity::Critical;
    verdict.root_cause.port = Some(case.wiring.ports[worst.port].at.clone());
    let switch = &case.wiring.ports[worst.port].switch;
    let span = case.window.switches.get(switch).map_or(case.window.span, |change| change.span);
    let known = if worst.is_lossless_configured { 1.0 } else { CONCLUDED };
    verdict.confidence = confidence::BEST * confidence::of_span(span) * known;
    let ports: Vec<_> = rows.iter().map(|row| row.port).collect();
    for (relation, evidence, finding) in configuration::related(case, &ports, About::Loss) {
        verdict.evidence.push(evidence);
        verdict.advise_fix(&finding);
        if relation == Relation::Explains {
            verdict.root_cause.config.push(finding.id);
            verdict.cause = Cause::Misconfiguration;
        }
    }
    let total = rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.drops()));
    verdict.summary = format!(
        "{switch} dropped {} of lossless priorities, most of them at {}: {}",
        counted(total, "packet"),
        case.shown(worst.port),
        why(worst)
    );
    for row in rows.iter().take(t::MOST_LISTED) {
        let counters = [Counter::GroupDrops, Counter::QueueDrops, Counter::HeadroomPeak, Counter::QueuePeak];
        verdict.evidence.push(case.evidence(row, &counters, text::loss_claim(case, row)));
    }
    if !worst.is_lossless_configured {
        verdict.missing.push(format!(
            "whether priority {} is lossless at {}: it is taken as such because it uses PFC; add a dump of CONFIG_DB",
            worst.priority,
            case.shown(worst.port)
        ));
    }
    if verdict.cause == Cause::Undetermined {
        verdict.missing.push(
            "why the buffer was too small: check the configuration of the switch (`harrier check`, --config)"
                .to_string(),
        );
    }
    verdict.advice.push(format!(
        "a lossless priority must not drop: compare the headroom of {} with the length of its cable and the MTU \
         (`harrier headroom`)",
        case.shown(worst.port)
    ));
    verdict
}

/// Where the buffer ended.
fn why(row: &Pressure) -> &'static str {
    let (group, queue) = (row.change.group_drops.unwrap_or(0), row.change.queue_drops.unwrap_or(0));
    if group >= queue {
        "the packets found no room in the headroom of their priority group"
    } else {
        "the egress queue reached its limit before the pauses took effect"
    }
}
