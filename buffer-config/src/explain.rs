//! Headroom and watchdog of one port, in words and numbers.

use std::fmt::Write;

use crate::asic;
use crate::db::ConfigDb;
use crate::headroom::{self, Floor, Inputs, floor_bytes};
use crate::resolved::{ResolvedPort, ResolvedSwitch, ResolvedWatchdog, WatchdogAction};
use crate::rules::Options;

fn port_of<'s>(switch: &'s ResolvedSwitch, name: &str) -> Result<&'s ResolvedPort, String> {
    switch.ports.iter().find(|p| p.name == name).ok_or_else(|| format!("there is no port {name}"))
}

/// Every term of a port's headroom, the declared floors, and what is configured.
///
/// # Errors
/// When there is no such port, or its speed or cable length is not known.
pub fn headroom_of(
    db: &ConfigDb<'_>,
    switch: &ResolvedSwitch,
    name: &str,
    options: &Options,
) -> Result<String, String> {
    let port = port_of(switch, name)?;
    let cable = port.cable_m.ok_or_else(|| format!("{name} has no cable length"))?;
    if port.speed_mbps == 0 {
        return Err(format!("{name} has no speed"));
    }
    let pattern = db.rows("LOSSLESS_TRAFFIC_PATTERN").first();
    let traffic = |field: &str| pattern.and_then(|e| crate::resolve::number(db.field(e, field)?.value));
    let lossless_mtu = traffic("mtu").map_or(options.lossless_mtu, |m| m as u32);
    let mut out = format!(
        "{name}: {} Mb/s, {cable} m, MTU {}, {} lanes\n",
        port.speed_mbps, port.mtu_bytes, port.lanes
    );
    let pool = switch.pools.iter().find(|p| p.name == crate::LOSSLESS_POOL);
    let inputs = Inputs {
        speed_mbps: port.speed_mbps,
        cable_m: f64::from(cable),
        port_mtu: port.mtu_bytes,
        lanes: port.lanes,
        small_packet_percentage: traffic("small_packet_percentage").unwrap_or(50) as u32,
        lossless_mtu,
        gearbox_delay: 0.0,
        over_subscribe_ratio: 0,
        pool_xoff: pool.map_or(0, |p| p.shared_headroom_bytes),
    };
    // Writing to a String cannot fail.
    let computed = switch.asic.and_then(asic::by_name).and_then(|a| headroom::headroom(a, &inputs));
    match &computed {
        Some(result) => {
            let _ = writeln!(out, "SONiC's arithmetic for {}:", switch.asic.unwrap_or_default());
            for term in &result.terms {
                let _ =
                    writeln!(out, "  {:<18} {:>14.3} {:<16} {}", term.name, term.value, term.unit, term.how);
            }
        }
        None => {
            let why = match switch.asic {
                Some(asic) => format!("SONiC has no arithmetic for {asic}"),
                None => "the ASIC is not known (--asic names it)".to_string(),
            };
            let _ = writeln!(out, "{why}: not provable beyond the floors");
        }
    }
    let _ = writeln!(out, "floors:");
    let floors = [
        (Floor::Wire, "wire", "what is on the cable, there and back"),
        (Floor::Standard, "standard", "+ response of the peer (IEEE 802.3 31B) + one lossless frame"),
        (Floor::WithPortMtu, "with_port_mtu", "+ one frame of the port"),
        (Floor::WithTwoMtu, "with_two_mtu", "+ two frames of the port"),
    ];
    for (floor, label, how) in floors {
        let need = floor_bytes(floor, port.speed_mbps, f64::from(cable), port.mtu_bytes, lossless_mtu);
        let _ = writeln!(out, "  {label:<18} {need:>14} bytes            {how}");
    }
    let worst_case = headroom::worst_case_bytes(&headroom::Link {
        speed_mbps: port.speed_mbps,
        cable_m: cable,
        port_mtu: port.mtu_bytes,
        lossless_mtu,
        cell_bytes: switch.cell_bytes.unwrap_or(1),
    });
    let how = format!(
        "whole frames of {lossless_mtu} bytes in cells of {}, and the frame that made the pause due",
        switch.cell_bytes.unwrap_or(1)
    );
    let _ = writeln!(out, "  {:<18} {worst_case:>14} bytes            {how}", "worst_case");
    let _ = writeln!(out, "configured:");
    let mut any = false;
    for (group, profile) in port.priority_groups.iter().enumerate() {
        let Some(profile) = profile.and_then(|p| switch.profiles.get(p)).filter(|p| p.is_lossless()) else {
            continue;
        };
        any = true;
        let has = profile.headroom_bytes.unwrap_or(0);
        let _ = writeln!(out, "  group {group}: {has} bytes, profile {}", profile.name);
        let standard =
            floor_bytes(options.floor, port.speed_mbps, f64::from(cable), port.mtu_bytes, lossless_mtu);
        let arithmetic = computed.as_ref().map(|c| c.xoff);
        let computed = arithmetic.unwrap_or(0);
        let verdict = match arithmetic {
            _ if has < standard.max(computed) => "too little",
            _ if has < worst_case => "enough but for the worst case",
            Some(_) => "enough",
            None => "above the floors; that it is enough is NOT PROVABLE without the chip's arithmetic",
        };
        let _ = writeln!(out, "    verdict: {verdict}");
        for (what, need) in
            [("the arithmetic", computed), ("the floor", standard), ("the worst case", worst_case)]
        {
            if need > has {
                let missing = headroom::deficit(need - has, port.speed_mbps);
                let _ = writeln!(
                    out,
                    "    below {what} by {} bytes = {:.0} m of cable = {:.0} ns",
                    need - has,
                    missing.metres,
                    missing.nanoseconds
                );
            }
        }
    }
    if !any {
        out.push_str("  no group of this port has headroom\n");
    }
    Ok(out)
}

/// What the watchdog of a port makes of a storm, in milliseconds from its first pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// It looks this often.
    pub poll_ms: u32,
    /// What it is set to.
    pub watchdog: ResolvedWatchdog,
    /// The last pause.
    pub storm_ms: u32,
    /// First and last moment at which it sees the storm; `None` when the storm is over before.
    pub detected_ms: Option<(u32, u32)>,
    /// The storm is long enough to be seen whenever it begins.
    pub is_certain: bool,
    /// First and last moment at which the queue works again; `None`: never by itself.
    pub restored_ms: Option<(u32, u32)>,
}

/// When a storm of `storm_ms` on a port would be detected and its queue restored.
///
/// The watchdog looks every poll interval and wants the queue paused at every look for the detection time; it gives the
/// queue back when no pause came for the restoration time (sonic-swss pfcwdorch.cpp, pfc_restore.lua).
///
/// # Errors
/// When there is no such port, or it has no watchdog that watches anything.
pub fn timeline(switch: &ResolvedSwitch, name: &str, storm_ms: u32) -> Result<Timeline, String> {
    let port = port_of(switch, name)?;
    let watchdog = port.watchdog.ok_or_else(|| format!("{name} has no watchdog (PFC_WD)"))?;
    if watchdog.priorities == 0 {
        return Err(format!("the watchdog of {name} watches no priority (pfcwd_sw_enable)"));
    }
    let (poll_ms, detection) = (switch.watchdog_poll_ms.max(1), watchdog.detection_ms);
    let (earliest, latest) = (detection.saturating_sub(poll_ms), detection.saturating_add(poll_ms));
    let is_seen = storm_ms > earliest;
    let restored = watchdog.restoration_ms.filter(|_| is_seen).map(|wait| {
        let first = storm_ms.saturating_add(wait);
        (first, first.saturating_add(poll_ms))
    });
    Ok(Timeline {
        poll_ms,
        watchdog,
        storm_ms,
        detected_ms: is_seen.then_some((earliest, latest)),
        is_certain: storm_ms >= latest,
        restored_ms: restored,
    })
}

/// The same for people.
///
/// # Errors
/// As [`timeline`].
pub fn watchdog_of(switch: &ResolvedSwitch, name: &str, storm_ms: u32) -> Result<String, String> {
    let t = timeline(switch, name, storm_ms)?;
    let mut out = format!(
        "{name}: polls every {} ms, detection {} ms, a storm of {storm_ms} ms\n",
        t.poll_ms, t.watchdog.detection_ms
    );
    // Writing to a String cannot fail.
    let _ = writeln!(out, "  {:>8} ms  the peer begins to pause without end", 0);
    let Some((earliest, latest)) = t.detected_ms else {
        let _ = writeln!(out, "  {storm_ms:>8} ms  the storm ends; it was too short to be seen");
        return Ok(out);
    };
    let action = match t.watchdog.action {
        WatchdogAction::Drop => "drops what is queued and what comes",
        WatchdogAction::Forward => "ignores the pauses and sends",
        WatchdogAction::Alert => "only reports it",
    };
    let certainty = if t.is_certain { "at the earliest" } else { "at the earliest, if at all" };
    let _ = writeln!(out, "  {earliest:>8} ms  {certainty}: the watchdog sees it and {action}");
    if t.is_certain {
        let _ = writeln!(out, "  {latest:>8} ms  at the latest");
    }
    let _ = writeln!(out, "  {storm_ms:>8} ms  the last pause");
    match t.restored_ms {
        Some((first, last)) => {
            let wait = first.saturating_sub(storm_ms);
            let _ = writeln!(out, "  {first:>8} ms  no pause for {wait} ms: the queue works again");
            let _ = writeln!(out, "  {last:>8} ms  at the latest, one poll after");
        }
        None => out.push_str("     never     no restoration time: the queue stays as it is\n"),
    }
    Ok(out)
}
