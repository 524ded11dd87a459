//! Misconfiguration: a configuration finding whose effect is observed at that switch.
//!
//! Most networks have findings at all times. A finding is a root cause only where its effect shows:
//!
//! | finding | its effect |
//! |---|---|
//! | a wrong route | it closes the forwarding loop |
//! | too little headroom | the switch dropped packets of a lossless priority because the headroom was exhausted |
//! | PFC on one side of a link only | the same, at the peer of a switch that ignores pauses, or at a switch that sends none |
//! | a different DSCP map, or a priority that is not lossless | the switch dropped packets of the victim or the culprits in a lossy priority |
//! | a lower threshold than elsewhere | that switch sends the pauses, for a queue that the usual threshold would have absorbed, and they delay a flow that does not use the congested port |
//!
//! Losses are a root cause only if they delayed the victim: if the slow packet may be one of them, or if the culprits of a
//! pause lose packets at the root port, which they send again. A packet that was queued and not lost arrived late because of
//! the queue: losses of other packets do not lengthen it. If the queue at the root port explains the delay, a finding
//! behind losses is a risk, which the advice mentions.
//!
//! Sources: RDMA over Commodity Ethernet at Scale (SIGCOMM 2016, section 6.2: alpha of a new switch model), and the
//! buffer rules of SONiC, see docs/rules.

use std::collections::BTreeSet;

use model::config_finding::Deviation;
use model::units::counted;
use model::{Anomaly, Cause, ConfigFinding, LossRecord, PortRef, Setting};

use super::{Case, Judged};
use crate::facts::wording::why_lost;
use crate::findings::setting_losses::explains;
use crate::findings::signatures::{explained_share, packet_loss};
use crate::thresholds as t;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    // Nothing recorded explains the delay, so a finding has no effect that shows.
    if matches!(case.finding.anomaly, Anomaly::HostOnly | Anomaly::Undetermined) {
        return None;
    }
    let attributed = attributed(case);
    let first = attributed.first()?;
    Some(Judged {
        cause: Cause::Misconfiguration,
        factor: 1.0,
        because: because(case, first),
        advice: fixes(&attributed),
        config: attributed.iter().map(|finding| finding.id.clone()).collect(),
    })
}

/// The finding, after the losses by which it delays packets. A verdict about losses names them already.
fn because(case: &Case<'_, '_, '_>, finding: &ConfigFinding) -> String {
    let loses = matches!(finding.setting, Setting::Headroom | Setting::Lossless | Setting::Dscp);
    if !loses || case.finding.anomaly == Anomaly::PacketLoss {
        return finding.message.clone();
    }
    let explained = losses(case).filter(|loss| explains(case.context, finding, loss));
    let Some(most) = explained.max_by_key(|loss| loss.packets) else { return finding.message.clone() };
    // As in the evidence: all losses of that switch for that reason.
    let same = losses(case).filter(|loss| (&loss.switch, loss.reason) == (&most.switch, most.reason));
    let packets = same.fold(0, |sum: u64, loss| sum.saturating_add(loss.packets));
    format!(
        "{} lost {}{}, and lost packets are sent again: {}",
        most.switch,
        counted(packets, "packet"),
        why_lost(most.reason),
        finding.message
    )
}

/// Returns one fix for each setting of a switch, that of its first finding: several rules may find the same defect, and
/// their fixes are alternatives.
fn fixes(attributed: &[&ConfigFinding]) -> Vec<String> {
    let mut settings: BTreeSet<String> = BTreeSet::new();
    let first = attributed.iter().filter(|finding| settings.insert(finding.place()));
    first.map(|finding| finding.fix.clone()).collect()
}

/// Returns the findings whose effect shows, without duplicates.
pub(crate) fn attributed<'c>(case: &Case<'c, '_, '_>) -> Vec<&'c ConfigFinding> {
    let findings = case.context.view.configuration();
    let mut attributed: Vec<&ConfigFinding> =
        findings.iter().filter(|finding| shows(case, finding)).collect();
    attributed.sort_by(|a, b| a.id.cmp(&b.id));
    attributed.dedup_by(|a, b| a.id == b.id);
    attributed
}

/// Returns the losses at the switches of the event, of the priorities under analysis where counters distinguish them: a
/// loss in another priority did not slow this one down.
pub(crate) fn losses<'c>(case: &Case<'c, '_, '_>) -> impl Iterator<Item = &'c LossRecord> {
    let losses = case.context.view.losses();
    let switches = if losses.is_empty() { BTreeSet::new() } else { switches(case) };
    losses.iter().filter(move |loss| {
        switches.contains(loss.switch.as_str()) && case.context.view.is_of_class(loss.priority)
    })
}

fn shows(case: &Case<'_, '_, '_>, finding: &ConfigFinding) -> bool {
    match finding.setting {
        Setting::Route => {
            let in_loop = case.finding.pause_loop.iter().map(|port| case.context.view.port_ref(*port));
            // Without a recorded loop, the port by which its packets left.
            let root = case.finding.root.iter().filter(|_| case.finding.pause_loop.is_empty()).cloned();
            let is_of = |port: PortRef| {
                port.switch == finding.switch && finding.port.is_none_or(|number| number == port.port)
            };
            case.finding.anomaly == Anomaly::RoutingLoop && in_loop.chain(root).any(is_of)
        }
        // What a forwarding loop multiplies exhausts any buffer.
        Setting::Headroom | Setting::Lossless | Setting::Dscp
            if case.finding.anomaly == Anomaly::RoutingLoop =>
        {
            false
        }
        Setting::Headroom | Setting::Lossless | Setting::Dscp => {
            let is_cause = |loss: &LossRecord| {
                explains(case.context, finding, loss)
                    && (case.context.settings.applies("misconfiguration.sent_again")
                        && is_sent_again_by_culprits(case, loss)
                        || packet_loss::may_be_the_slow_packet(case.context, loss)
                        || !case.context.settings.applies("misconfiguration.lost"))
            };
            !is_queue_enough(case) && losses(case).any(is_cause)
        }
        Setting::Alpha => {
            case.finding.anomaly == Anomaly::PfcBackpressureFlowContention
                && finding.deviation == Deviation::Less
                && case.finding.root.as_ref().is_some_and(|root| root.switch == finding.switch)
                && !(uses_root_port(case) && case.context.settings.applies("misconfiguration.blocked"))
        }
        // The XON offset and the ECN thresholds only change how long packets are queued; they cause no anomaly alone.
        Setting::XonOffset | Setting::Ecn => false,
    }
}

/// Whether the victim's packets leave by the root port. Wherever they wait for it, upstream because of pauses or in its queue, they
/// wait for as long: a lower threshold moves the queue and does not lengthen it.
fn uses_root_port(case: &Case<'_, '_, '_>) -> bool {
    let root = case.finding.root.as_ref();
    case.context.path.ports.iter().any(|port| Some(&case.context.view.port_ref(*port)) == root)
}

/// Whether packets of the culprits may be among the lost ones: those that were to leave by the root port, up to the time of the
/// verdict. The culprits send them again, which lengthens the congestion.
fn is_sent_again_by_culprits(case: &Case<'_, '_, '_>, loss: &LossRecord) -> bool {
    let Some(root) = case.finding.root.as_ref().filter(|_| case.finding.contention.is_some()) else {
        return false;
    };
    loss.switch == root.switch
        && loss.egress_port.is_none_or(|port| port == root.port)
        && loss.lost_ns.0 <= case.time_ns()
}

/// Whether the queue at the root port accounts for the delay, so that no loss does.
fn is_queue_enough(case: &Case<'_, '_, '_>) -> bool {
    let is_queue = matches!(case.finding.anomaly, Anomaly::FlowContention | Anomaly::SelfInflicted);
    is_queue
        && case.context.trigger.is_some()
        && explained_share(case.context, case.finding)
            >= case.context.settings.value(&t::SELF_EXPLAINED_SHARE)
}

/// Returns advice about the findings that explain losses, but not the victim's delay.
pub(crate) fn risk_advice(case: &Case<'_, '_, '_>) -> Vec<String> {
    let text = |fix: String| format!("stop the losses first, although they did not cause this delay: {fix}");
    fixes(&risks(case)).into_iter().map(text).collect()
}

/// Returns the findings that explain losses at the switches of the event, but not the victim's delay.
pub(crate) fn risks<'c>(case: &Case<'c, '_, '_>) -> Vec<&'c ConfigFinding> {
    let is_pauses = case.finding.anomaly == Anomaly::PfcBackpressureFlowContention;
    if !is_queue_enough(case) && !is_pauses {
        return Vec::new();
    }
    let findings = case.context.view.configuration().iter();
    let is_risk = |finding: &&ConfigFinding| {
        !shows(case, finding) && losses(case).any(|loss| explains(case.context, finding, loss))
    };
    let mut risks: Vec<&ConfigFinding> = findings.filter(is_risk).collect();
    risks.sort_by(|a, b| a.id.cmp(&b.id));
    risks
}

/// Returns the switches of the pause path, the loop, the root port and the victim's path.
fn switches<'c>(case: &Case<'c, '_, '_>) -> BTreeSet<&'c str> {
    let ports = case.finding.path.iter().chain(&case.finding.pause_loop).chain(&case.context.path.ports);
    let mut switches: BTreeSet<&str> = ports.map(|port| case.context.view.switch_of(*port).name).collect();
    switches.extend(case.finding.root.as_ref().map(|root| root.switch.as_str()));
    switches
}
