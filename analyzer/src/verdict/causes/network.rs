//! Losses, path changes, and delays that nothing recorded explains: the anomaly itself is the cause, so no cause refines
//! it, and the text and the next step follow from the evidence.

use model::diagnosis::NetworkFault;
use model::units::counted;
use model::{Anomaly, Cause, LossReason, PortRef};

use super::{Case, Judged};
use crate::facts::wording::{duration, why_lost};
use crate::findings::signatures::host_only::doubts;
use crate::findings::signatures::packet_loss::{self, Loss};
use crate::findings::signatures::path_change::{self, Kind, PathChange};

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let (because, advice) = match case.finding.anomaly {
        Anomaly::PathChange => of_path_change(case, &path_change::of(case.context)?),
        Anomaly::PacketLoss => of_loss(&packet_loss::of(case.context)?),
        Anomaly::HostOnly => (
            match case.context.is_about_operation() {
                true => "no queue or pause of its path lasted for most of the delay, and its packets had normal round trips",
                false => "every hop of its path and its reverse path was clean at that time",
            }
            .to_string(),
            vec![format!(
                "check the sender {}, the receiver {} and the application: no recorded queue or pause explains the delay",
                target(case, true),
                target(case, false)
            )],
        ),
        // A pause path can be undetermined as well; it has a root.
        Anomaly::Undetermined if case.finding.root.is_none() && case.finding.path.is_empty() => {
            let doubts = doubts(case.context);
            let first = doubts.first()?;
            let mut advice: Vec<String> = Vec::new();
            for doubt in &doubts {
                if !advice.contains(&doubt.advice) {
                    advice.push(doubt.advice.clone());
                }
            }
            (first.gap.to_string(), advice)
        }
        _ => return None,
    };
    Some(Judged { cause: Cause::Undetermined, factor: 1.0, because, advice, config: Vec::new() })
}

/// What happened at the root port, if the verdict is about losses or a changed path and their cause is known.
pub(crate) fn fault(case: &Case<'_, '_, '_>) -> Option<NetworkFault> {
    let of_reason = |reason| match reason {
        LossReason::Corrupted => Some(NetworkFault::DamagedFrames),
        LossReason::LinkDown => Some(NetworkFault::LinkDown),
        LossReason::NoRoute => Some(NetworkFault::NoRoute),
        // The cause, the setting or the anomaly says more.
        LossReason::Headroom
        | LossReason::Lossy
        | LossReason::Watchdog
        | LossReason::Ttl
        | LossReason::Other => None,
    };
    match case.finding.anomaly {
        Anomaly::PathChange => Some(match path_change::of(case.context)?.kind {
            Kind::Outage => NetworkFault::LinkDown,
            Kind::BlackHole => NetworkFault::NoRoute,
            Kind::Detour { .. } => NetworkFault::LongerPath,
        }),
        Anomaly::PacketLoss => of_reason(packet_loss::of(case.context)?.reason),
        _ => None,
    }
}

/// The port at the other end of the root port's link, if the verdict is about a fault of this link.
pub(crate) fn far_port(case: &Case<'_, '_, '_>) -> Option<PortRef> {
    let root = case.finding.root.as_ref()?;
    let is_of_link = match fault(case)? {
        NetworkFault::LinkDown | NetworkFault::DamagedFrames => true,
        // A route may have changed although its link is up.
        NetworkFault::LongerPath => path_change::was_down(case.context, root),
        NetworkFault::NoRoute => false,
    };
    case.context.view.index.topology().peer(root).filter(|_| is_of_link).cloned()
}

/// The host that the packets go to: the receiver, or the sender for ACKs.
fn target(case: &Case<'_, '_, '_>, is_reverse: bool) -> String {
    let Some(victim) = case.context.victim else { return "the receiver".to_string() };
    let address = if is_reverse { victim.src } else { victim.dst };
    let index = case.context.view.index;
    index.host_of(address).map_or_else(|| address.to_string(), |host| index.name(host).to_string())
}

fn of_path_change(case: &Case<'_, '_, '_>, change: &PathChange<'_>) -> (String, Vec<String>) {
    let to = target(case, change.is_reverse);
    let root = &change.root;
    let link = change.peer.as_ref().map_or_else(|| root.to_string(), |peer| format!("{root} - {peer}"));
    let lost: u64 = change.losses.iter().fold(0, |sum, loss| sum.saturating_add(loss.packets));
    let lost = if lost > 0 { format!("; {} lost", counted(lost, "packet")) } else { String::new() };
    match change.kind {
        Kind::Outage => (
            match change.up_ns {
                Some(up_ns) => format!(
                    "the link {link} was down for {}, from {} on{lost}",
                    duration(up_ns.saturating_sub(change.when.from)),
                    duration(change.when.from)
                ),
                None => format!("the link {link} was down from {} on{lost}", duration(change.when.from)),
            },
            vec![
                format!("check the link {link}: optics, cable and the logs of both ports"),
                format!("check why routing did not avoid {root} in time"),
            ],
        ),
        Kind::BlackHole => (
            format!("switch {} had no route to {to}{lost}", root.switch),
            vec![format!("restore the route to {to} at switch {} (usual egress port {root})", root.switch)],
        ),
        Kind::Detour { longer_ns } => (
            format!(
                "the packets to {to} no longer use {root} and take a path whose round trip is {} longer",
                duration(longer_ns)
            ),
            vec![format!("restore the link {link}, or the route to {to} over {root}")],
        ),
    }
}

fn of_loss(loss: &Loss<'_>) -> (String, Vec<String>) {
    let Loss { root, reason, .. } = loss;
    let switch = &root.switch;
    let (packets, was) = (counted(loss.packets, "packet"), if loss.packets == 1 { "was" } else { "were" });
    let way = if loss.is_reverse { ", on the path of the ACKs," } else { "" };
    let because = format!("{packets} {was} lost there{way}{}", why_lost(*reason));
    let peer = |port: &Option<PortRef>| {
        port.as_ref().map(|port| format!(" and of its peer {port}")).unwrap_or_default()
    };
    let advice = match reason {
        LossReason::Corrupted => {
            format!("check the optics, the cable and the FCS counters of {root}{}", peer(&loss.peer))
        }
        LossReason::Headroom => {
            format!("raise the headroom of switch {switch} for the ports that feed {root}")
        }
        LossReason::Lossy => {
            format!("check at switch {switch} why the priority of RDMA is lossy for packets to {root}")
        }
        LossReason::Watchdog => {
            format!("find out what paused {root} for so long that the PFC watchdog flushed it")
        }
        LossReason::Ttl => format!("look for a forwarding loop at switch {switch}"),
        LossReason::LinkDown => format!("check the link of {root}: optics, cable and logs"),
        LossReason::NoRoute | LossReason::Other => format!("read the drop counters of switch {switch}"),
    };
    (because, vec![advice])
}
