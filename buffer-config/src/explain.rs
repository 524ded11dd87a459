//! Explains the headroom and the PFC watchdog of one port.

use std::fmt::Write;

use crate::asic;
use crate::db::ConfigDb;
use crate::headroom::{self, Floor, Headroom, Inputs, Link, floor_bytes};
use crate::resolved::{ResolvedPort, ResolvedSwitch, ResolvedWatchdog, WatchdogAction};
use crate::rules::Options;

fn port_of<'s>(switch: &'s ResolvedSwitch, name: &str) -> Result<&'s ResolvedPort, String> {
    switch.ports.iter().find(|p| p.name == name).ok_or_else(|| format!("there is no port {name}"))
}

/// The headroom of one port: its link, and what is computed for it.
struct PortHeadroom<'s> {
    switch: &'s ResolvedSwitch,
    port: &'s ResolvedPort,
    cable_m: u32,
    lossless_mtu: u32,
    /// SONiC's arithmetic; `None` if it does not cover the ASIC.
    computed: Option<Headroom>,
    worst_case_bytes: u64,
}

/// Explains a port's headroom: every term of SONiC's arithmetic, the declared floors, and the configured values.
///
/// # Errors
/// If there is no such port, or its speed or cable length is unknown.
pub fn headroom_of(
    db: &ConfigDb<'_>,
    switch: &ResolvedSwitch,
    name: &str,
    options: &Options,
) -> Result<String, String> {
    let headroom = PortHeadroom::new(db, switch, name, options)?;
    let ResolvedPort { speed_mbps, mtu_bytes, lanes, .. } = headroom.port;
    let mut out =
        format!("{name}: {speed_mbps} Mb/s, {} m, MTU {mtu_bytes}, {lanes} lanes\n", headroom.cable_m);
    headroom.write_terms(&mut out);
    headroom.write_floors(&mut out);
    headroom.write_configured(&mut out, options.floor);
    Ok(out)
}

// Writing to a String cannot fail, so the results of `writeln!` are ignored.
impl<'s> PortHeadroom<'s> {
    fn new(
        db: &ConfigDb<'_>,
        switch: &'s ResolvedSwitch,
        name: &str,
        options: &Options,
    ) -> Result<Self, String> {
        let port = port_of(switch, name)?;
        let cable_m = port.cable_m.ok_or_else(|| format!("{name} has no cable length"))?;
        if port.speed_mbps == 0 {
            return Err(format!("{name} has no speed"));
        }
        let pattern = crate::resolve::traffic_pattern(db);
        let traffic = |field: &str| pattern.and_then(|e| crate::resolve::number(db.field(e, field)?.value));
        let lossless_mtu = traffic("mtu").map_or(options.lossless_mtu, |m| m as u32);
        let pool = switch.pools.iter().find(|p| p.name == crate::LOSSLESS_POOL);
        let inputs = Inputs {
            speed_mbps: port.speed_mbps,
            cable_m: f64::from(cable_m),
            port_mtu: port.mtu_bytes,
            lanes: port.lanes,
            small_packet_percentage: traffic("small_packet_percentage").unwrap_or(50) as u32,
            lossless_mtu,
            gearbox_delay: 0.0,
            over_subscribe_ratio: 0,
            pool_xoff: pool.map_or(0, |p| p.shared_headroom_bytes),
        };
        let link = Link {
            speed_mbps: port.speed_mbps,
            cable_m,
            port_mtu: port.mtu_bytes,
            lossless_mtu,
            cell_bytes: switch.cell_bytes.unwrap_or(1),
        };
        Ok(Self {
            switch,
            port,
            cable_m,
            lossless_mtu,
            computed: switch.asic.and_then(asic::by_name).and_then(|a| headroom::headroom(a, &inputs)),
            worst_case_bytes: headroom::worst_case_bytes(&link),
        })
    }

    fn floor_bytes(&self, floor: Floor) -> u64 {
        let ResolvedPort { speed_mbps, mtu_bytes, .. } = *self.port;
        floor_bytes(floor, speed_mbps, f64::from(self.cable_m), mtu_bytes, self.lossless_mtu)
    }

    fn write_terms(&self, out: &mut String) {
        let Some(computed) = &self.computed else {
            let why = match self.switch.asic {
                Some(asic) => format!("SONiC has no arithmetic for {asic}"),
                None => "the ASIC is unknown (specify it with --asic)".to_string(),
            };
            let _ = writeln!(out, "{why}: not provable beyond the floors");
            return;
        };
        let _ = writeln!(out, "SONiC's arithmetic for {}:", self.switch.asic.unwrap_or_default());
        for term in &computed.terms {
            let _ = writeln!(out, "  {:<18} {:>14.3} {:<16} {}", term.name, term.value, term.unit, term.how);
        }
    }

    fn write_floors(&self, out: &mut String) {
        let _ = writeln!(out, "floors:");
        let floors = [
            (Floor::Wire, "wire", "bytes in flight on the cable, in both directions"),
            (Floor::Standard, "standard", "+ response of the peer (IEEE 802.3 31B) + one lossless frame"),
            (Floor::WithPortMtu, "with_port_mtu", "+ one frame of the port's MTU"),
            (Floor::WithTwoMtu, "with_two_mtu", "+ two frames of the port's MTU"),
        ];
        for (floor, label, how) in floors {
            let need = self.floor_bytes(floor);
            let _ = writeln!(out, "  {label:<18} {need:>14} bytes            {how}");
        }
        let mtu = self.lossless_mtu;
        let cells = self.switch.cell_bytes.map_or(String::new(), |cell| format!(" in cells of {cell}"));
        let how = format!("whole frames of {mtu} bytes{cells}, from the one that crosses XOFF on");
        let _ = writeln!(out, "  {:<18} {:>14} bytes            {how}", "worst_case", self.worst_case_bytes);
    }

    fn write_configured(&self, out: &mut String, floor: Option<Floor>) {
        let _ = writeln!(out, "configured:");
        let profile = |index: &Option<usize>| index.and_then(|i| self.switch.profiles.get(i));
        let groups = self.port.priority_groups.iter().map(profile).enumerate();
        let mut any = false;
        for (group, profile) in groups.filter_map(|(n, p)| Some((n, p.filter(|p| p.is_lossless())?))) {
            any = true;
            let configured = profile.headroom_bytes.unwrap_or(0);
            let _ = writeln!(out, "  group {group}: {configured} bytes, profile {}", profile.name);
            self.write_verdict(out, configured, floor.map(|floor| self.floor_bytes(floor)));
        }
        if !any {
            out.push_str("  no priority group of this port has headroom\n");
        }
    }

    fn write_verdict(&self, out: &mut String, configured: u64, floor: Option<u64>) {
        let computed = self.computed.as_ref().map_or(0, |c| c.xoff);
        let verdict = match self.computed {
            _ if configured < floor.unwrap_or(self.worst_case_bytes).max(computed) => "too little",
            _ if configured < self.worst_case_bytes => "sufficient except in the worst case",
            Some(_) => "sufficient",
            None => "above the floors; NOT PROVABLE to be sufficient without the chip's arithmetic",
        };
        let _ = writeln!(out, "    verdict: {verdict}");
        let needs = [
            ("the arithmetic", computed),
            ("the floor", floor.unwrap_or(0)),
            ("the worst case", self.worst_case_bytes),
        ];
        for (what, need) in needs.into_iter().filter(|(_, need)| *need > configured) {
            let missing = headroom::deficit(need - configured, self.port.speed_mbps);
            let _ = writeln!(
                out,
                "    below {what} by {} bytes = {:.0} m of cable = {:.0} ns",
                need - configured,
                missing.metres,
                missing.nanoseconds
            );
        }
    }
}

/// How the watchdog of a port reacts to a storm, in milliseconds from the first pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// The poll interval.
    pub poll_ms: u32,
    /// The settings of the watchdog.
    pub watchdog: ResolvedWatchdog,
    /// The time of the last pause.
    pub storm_ms: u32,
    /// The earliest and latest time of detection; `None` if the storm ends before.
    pub detected_ms: Option<(u32, u32)>,
    /// Whether the storm is detected independently of its phase to the polls.
    pub is_certain: bool,
    /// The earliest and latest time at which the queue is restored; `None`: never.
    pub restored_ms: Option<(u32, u32)>,
}

/// Computes when a storm of `storm_ms` on a port is detected and its queue restored.
///
/// The watchdog detects a storm if the queue is paused at every poll during the detection time. It restores the queue
/// if no pause arrived during the restoration time (sonic-swss pfcwdorch.cpp, pfc_restore.lua).
///
/// # Errors
/// If there is no such port, or it has no watchdog, or the watchdog monitors no priority.
pub fn timeline(switch: &ResolvedSwitch, name: &str, storm_ms: u32) -> Result<Timeline, String> {
    let port = port_of(switch, name)?;
    let watchdog = port.watchdog.ok_or_else(|| format!("{name} has no watchdog (PFC_WD)"))?;
    if watchdog.priorities == 0 {
        return Err(format!("the watchdog of {name} monitors no priority (pfcwd_sw_enable)"));
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

/// The timeline as text.
///
/// # Errors
/// As [`timeline`].
pub fn watchdog_of(switch: &ResolvedSwitch, name: &str, storm_ms: u32) -> Result<String, String> {
    let t = timeline(switch, name, storm_ms)?;
    let mut out = format!(
        "{name}: poll interval {} ms, detection time {} ms, storm of {storm_ms} ms\n",
        t.poll_ms, t.watchdog.detection_ms
    );
    // Writing to a String cannot fail.
    let _ = writeln!(out, "  {:>8} ms  the peer starts to send pauses continuously", 0);
    let Some((earliest, latest)) = t.detected_ms else {
        let _ = writeln!(out, "  {storm_ms:>8} ms  the storm ends before it is detected");
        return Ok(out);
    };
    let action = match t.watchdog.action {
        WatchdogAction::Drop => "drops queued and arriving packets",
        WatchdogAction::Forward => "ignores the pauses and forwards packets",
        WatchdogAction::Alert => "only reports it",
    };
    let certainty = if t.is_certain { "at the earliest" } else { "at the earliest, if at all" };
    let _ = writeln!(out, "  {earliest:>8} ms  {certainty}: the watchdog detects the storm and {action}");
    if t.is_certain {
        let _ = writeln!(out, "  {latest:>8} ms  at the latest");
    }
    let _ = writeln!(out, "  {storm_ms:>8} ms  the last pause");
    match t.restored_ms {
        Some((first, last)) => {
            let wait = first.saturating_sub(storm_ms);
            let _ = writeln!(out, "  {first:>8} ms  no pause for {wait} ms: the queue is restored");
            let _ = writeln!(out, "  {last:>8} ms  at the latest, one poll later");
        }
        None => out.push_str("     never     no restoration time: the queue is not restored\n"),
    }
    Ok(out)
}
