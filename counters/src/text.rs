//! The sentences of verdicts and of their evidence.

use model::units::{counted, readable_ns};
use model::{Cause, FlowKey};

use crate::case::Case;
use crate::causality::{Basis, Cluster};
use crate::pressure::{Level, PausedPart, Pressure};
use crate::reading::WatchdogState;
use crate::thresholds as t;
use crate::wiring::{Neighbour, PortId};

/// Items of a sentence, as many as it can hold.
pub(crate) fn list(items: &[String]) -> String {
    let shown = items.iter().take(t::MOST_LISTED).cloned().collect::<Vec<_>>().join(", ");
    match items.len().checked_sub(t::MOST_LISTED) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

fn readable_bytes(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 => format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64),
        bytes if bytes >= 1 << 10 => format!("{:.1} KiB", bytes as f64 / (1 << 10) as f64),
        bytes => format!("{bytes} bytes"),
    }
}

/// ` in 1.000 s`, or nothing if the time is unknown.
pub(crate) fn in_time(row: &Pressure) -> String {
    match row.duration_ns {
        Some(ns) if ns >= 1_000_000_000 => format!(" in {:.1} s", ns as f64 / 1e9),
        Some(ns) => format!(" in {}", readable_ns(ns)),
        None => String::new(),
    }
}

/// For how long a port was paused, with its step on the ladder.
fn paused_for(row: &Pressure) -> Option<String> {
    let level = |level: Level| match level {
        Level::Ordinary => "ordinary, below 0.1 %",
        Level::Notable => "notable, 0.1 % and more",
        Level::Serious => "serious, 3 % and more",
        Level::Storm => "a storm, 80 % and more",
    };
    let step = row.paused_part.level().map(level)?;
    match row.paused_part {
        PausedPart::Measured(part) if part > 0.0 && part < 1e-5 => {
            Some(format!("paused for less than 0.001 % of the time ({step})"))
        }
        PausedPart::Measured(part) => Some(format!("paused for {:.3} % of the time ({step})", part * 100.0)),
        // The frames allow any time then.
        PausedPart::AtMost(part) if part >= 1.0 => None,
        PausedPart::AtMost(part) => Some(format!("paused for at most {:.3} % of the time", part * 100.0)),
        PausedPart::Unknown => None,
    }
    .map(|text| match row.change.pause_rx_ns {
        Some(ns) => format!("{text}, {} in all", readable_ns(ns)),
        None => text,
    })
}

/// `leaf1:3 (Ethernet8) received 1200 pause frames of priority 3 from host h7 in 1.0 s: paused for ...`.
pub(crate) fn paused_claim(case: &Case<'_>, row: &Pressure) -> String {
    let frames = match row.change.pause_rx_frames {
        Some(frames) => counted(frames, "pause frame"),
        None => "pauses".to_string(),
    };
    let by_time = paused_for(row).map(|text| format!(": {text}")).unwrap_or_default();
    format!(
        "{} received {frames} of priority {} from {}{}{by_time}",
        case.shown(row.port),
        row.priority,
        case.neighbour(row.port),
        in_time(row)
    )
}

/// `leaf1:1 (Ethernet0) sent 420 pause frames of priority 3 to spine1:2 (Ethernet4)`.
pub(crate) fn sent_claim(case: &Case<'_>, row: &Pressure) -> String {
    format!(
        "{} sent {} of priority {} to {}{}",
        case.shown(row.port),
        counted(row.sent(), "pause frame"),
        row.priority,
        case.neighbour(row.port),
        in_time(row)
    )
}

/// What the queue of a congested port shows.
pub(crate) fn queue_claim(case: &Case<'_>, row: &Pressure, basis: Basis) -> String {
    let port = case.shown(row.port);
    let mut signs = Vec::new();
    if let Some(bytes) = row.queue_peak() {
        signs.push(format!("its peak is {}", readable_bytes(bytes)));
    }
    if let Some(marked) = row.change.ecn_marked.filter(|marked| *marked > 0) {
        signs.push(format!("{} were ECN-marked", counted(marked, "packet")));
    }
    if let Some(dropped) = row.change.queue_drops.filter(|dropped| *dropped > 0) {
        signs.push(format!("{} were dropped", counted(dropped, "packet")));
    }
    if let Some(bytes) = row.change.occupancy_bytes.filter(|bytes| *bytes > 0) {
        signs.push(format!("it holds {} at the end", readable_bytes(bytes)));
    }
    let is_unpaused = row.knows_pauses() && !row.is_paused();
    let paused = if is_unpaused { ", and no neighbour pauses the port" } else { "" };
    if basis == Basis::Busiest {
        let sent = row
            .change
            .queue_bytes
            .map(|bytes| format!(": it sent {} of priority {}", readable_bytes(bytes), row.priority));
        return format!(
            "{port} is the busiest egress port of its switch{}{paused}",
            sent.unwrap_or_default()
        );
    }
    if signs.is_empty() {
        return format!("packets of priority {} may be queued at {port}{paused}", row.priority);
    }
    format!("packets of priority {} were queued at {port}: {}{paused}", row.priority, signs.join(", "))
}

/// What the watchdog did.
pub(crate) fn watchdog_claim(case: &Case<'_>, row: &Pressure) -> String {
    let detected = row.change.watchdog.map_or(0, |watchdog| watchdog.detected);
    let dropped = row.watchdog_drops();
    let dropped =
        if dropped > 0 { format!(" and dropped {}", counted(dropped, "packet")) } else { String::new() };
    let is_in_storm = row.change.watchdog.is_some_and(|watchdog| watchdog.state == WatchdogState::Stormed);
    let events = match detected {
        0 if is_in_storm => "is in a storm".to_string(),
        0 => "was in a storm".to_string(),
        detected => format!("detected {}", counted(detected, "storm")),
    };
    format!(
        "the PFC watchdog of {}, priority {}, {events}{dropped}, because {} paused it",
        case.shown(row.port),
        row.priority,
        case.neighbour(row.port)
    )
}

/// Why packets are taken to stay in a port.
pub(crate) fn stuck_claim(case: &Case<'_>, row: &Pressure) -> String {
    let port = case.shown(row.port);
    match row.change.occupancy_bytes.filter(|bytes| *bytes > 0) {
        Some(bytes) => format!(
            "{port} is paused by {} and still holds {}",
            case.neighbour(row.port),
            readable_bytes(bytes)
        ),
        None if row.has_storm() => watchdog_claim(case, row),
        None => {
            format!("{port} is paused by {} and sent no packet{}", case.neighbour(row.port), in_time(row))
        }
    }
}

/// How much of the headroom a port of a loop used.
pub(crate) fn headroom_claim(case: &Case<'_>, row: &Pressure) -> String {
    let peak = row.change.headroom_peak.map_or(0, |peak| peak.bytes);
    format!(
        "{} used at most {} of its headroom for what was in flight from {}: the less, the more its switch still sent",
        case.shown(row.port),
        readable_bytes(peak),
        case.neighbour(row.port)
    )
}

/// What a port of a ring of pauses shows.
pub(crate) fn ring_claim(case: &Case<'_>, row: &Pressure) -> String {
    if !row.counts_pauses() {
        return watchdog_claim(case, row);
    }
    let sent = match row.change.queue_packets {
        Some(0) => "; its queue sent no packet".to_string(),
        Some(packets) => format!("; its queue sent {}", counted(packets, "packet")),
        None => String::new(),
    };
    format!("{}{sent}", paused_claim(case, row))
}

/// What a lossless priority lost.
pub(crate) fn loss_claim(case: &Case<'_>, row: &Pressure) -> String {
    let mut parts = Vec::new();
    if let Some(dropped) = row.change.group_drops.filter(|dropped| *dropped > 0) {
        parts.push(format!("{} at ingress", counted(dropped, "packet")));
    }
    if let Some(dropped) = row.change.queue_drops.filter(|dropped| *dropped > 0) {
        parts.push(format!("{} at egress", counted(dropped, "packet")));
    }
    format!(
        "{} dropped {} in priority {}{}",
        case.shown(row.port),
        parts.join(" and "),
        row.priority,
        in_time(row)
    )
}

/// How far pauses spread: ` The pauses spread to 3 ports of 2 switches and to hosts h1, h2`.
fn spread(case: &Case<'_>, cluster: &Cluster, root: PortId) -> String {
    let upstream: Vec<PortId> = cluster.paused.iter().copied().filter(|port| *port != root).collect();
    let mut switches: Vec<&str> =
        upstream.iter().map(|port| case.wiring.ports[*port].switch.as_str()).collect();
    switches.sort_unstable();
    switches.dedup();
    let mut hosts: Vec<String> = Vec::new();
    for port in &cluster.pausing {
        if case.wiring.peer(*port).is_none()
            && let Some(host) = case.host(*port)
        {
            hosts.push(host.to_string());
        }
    }
    let ports = match upstream.len() {
        0 => String::new(),
        count => format!(
            "{} of {}",
            counted(count as u64, "port"),
            if switches.len() == 1 {
                switches[0].to_string()
            } else {
                format!("{} switches", switches.len())
            }
        ),
    };
    let named = if hosts.is_empty() { String::new() } else { format!("hosts {}", list(&hosts)) };
    match (ports.is_empty(), named.is_empty()) {
        (true, true) => String::new(),
        (false, false) => format!("; the pauses spread to {ports} and to {named}"),
        _ => format!("; the pauses spread to {ports}{named}"),
    }
}

/// Which ports of a switch send pauses.
pub(crate) fn sent_by(case: &Case<'_>, ports: &[PortId], priority: usize) -> String {
    let rows = ports.iter().filter_map(|port| case.row(*port, priority));
    let sent = rows.fold(0_u64, |sum, row| sum.saturating_add(row.sent()));
    let names: Vec<String> = ports.iter().map(|port| case.wiring.ports[*port].name.clone()).collect();
    format!("{} of priority {priority} by {}", counted(sent, "frame"), list(&names))
}

/// The summary of a verdict about a host.
pub(crate) fn host(
    case: &Case<'_>,
    cluster: &Cluster,
    port: PortId,
    row: &Pressure,
    because: &str,
) -> String {
    let device = case.neighbour(port);
    format!(
        "{device} pauses {} in priority {}: {because}{}",
        case.shown(port),
        row.priority,
        spread(case, cluster, port)
    )
}

/// The summary of a verdict about a congested port.
pub(crate) fn congestion(
    case: &Case<'_>,
    cluster: &Cluster,
    port: PortId,
    row: &Pressure,
    flows: &[FlowKey],
) -> String {
    let towards = match case.wiring.ports[port].neighbour {
        Neighbour::Unknown { .. } => String::new(),
        _ => format!(" towards {}", case.neighbour(port)),
    };
    let flows = match flows.len() {
        0 => String::new(),
        count => format!(", most likely of {}", counted(count as u64, "flow")),
    };
    format!(
        "the pauses of priority {} come from {}: packets are queued there{towards}{flows}{}",
        row.priority,
        case.shown(port),
        spread(case, cluster, port)
    )
}

/// The summary of a verdict about a port whose counter of received pauses was not read.
pub(crate) fn unread(case: &Case<'_>, cluster: &Cluster, port: PortId, row: &Pressure) -> String {
    let neighbour = case.neighbour(port);
    format!(
        "packets of priority {} are queued at {} towards {neighbour}, and no counter shows whether {neighbour} pauses the \
         port: the cause is one of them{}",
        row.priority,
        case.shown(port),
        spread(case, cluster, port)
    )
}

/// The summary of a verdict whose pauses come from a place without readings.
pub(crate) fn beyond(case: &Case<'_>, cluster: &Cluster, port: PortId, row: &Pressure) -> String {
    let info = &case.wiring.ports[port];
    let pausing: Vec<PortId> = {
        let own = case.wiring.ports_of(&info.switch);
        cluster.pausing.iter().copied().filter(|pausing| own.contains(pausing)).collect()
    };
    let passes_on = match pausing.is_empty() {
        true => String::new(),
        false => {
            format!("; {} therefore sends pauses ({})", info.switch, sent_by(case, &pausing, row.priority))
        }
    };
    format!(
        "{} is paused in priority {} by {}: the cause is there, or behind it{passes_on}",
        case.shown(port),
        row.priority,
        case.neighbour(port)
    )
}

/// What to do about a host that pauses its port.
pub(crate) fn host_advice(case: &Case<'_>, row: &Pressure, cause: Cause) -> Vec<String> {
    let host = case.neighbour(row.port);
    let first = match cause {
        Cause::NicStorm => format!(
            "{host}: check its NIC and driver, and drain or reboot it; a storm does not end by itself"
        ),
        _ => format!(
            "{host}: look for what slows its receive path (PCIe, memory, caches of the NIC; `harrier host`)"
        ),
    };
    let info = &case.wiring.ports[row.port];
    let mut advice = vec![first];
    // Where it acted, it is enabled.
    if row.change.watchdog.is_none() {
        advice.push(format!(
            "{}: a PFC watchdog on {} limits the pauses to this port (`show pfcwd config`)",
            info.switch, info.name
        ));
    }
    advice
}

/// What to do about a congested port.
pub(crate) fn congestion_advice(case: &Case<'_>, port: PortId, lacks_flows: bool) -> Vec<String> {
    let info = &case.wiring.ports[port];
    let mut advice = vec![format!(
        "{}: check that packets of the priority are ECN-marked before {} fills the buffer (`harrier check`)",
        info.switch, info.name
    )];
    if lacks_flows {
        advice.push(format!("sample flows at {} to see which senders share the port", info.switch));
    }
    advice
}
