//! `harrier check --prove` and `--explain-watchdog`: simulates headroom and PFC watchdogs.

use std::fmt::Write;

use anyhow::Context;
use buffer_config::finding::Finding;
use buffer_config::resolved::ResolvedSwitch;
use fabric::prove::{Outcome, Proof, Report, Unproved, Verdict};
use fabric::storm;
use model::Time;
use model::plain::plain_line;
use model::units::counted;

/// Describes how the fabric's watchdog handles a storm on the first priority that the port's watchdog monitors.
pub(crate) fn describe_storm(switch: &ResolvedSwitch, name: &str, storm_ms: u32) -> anyhow::Result<String> {
    let port = switch.ports.iter().find(|p| p.name == name).with_context(|| format!("no port {name}"))?;
    let watched = port.watchdog.map_or(0, |w| w.priorities);
    let priority = watched.trailing_zeros().min(7) as u8;
    let found = match storm::replay(switch, port, priority, Time::from_ms(u64::from(storm_ms))) {
        Ok(found) => found,
        Err(error) => return Ok(format!("not replayed, the switch cannot be simulated: {error}\n")),
    };
    let ms = |time: Time| format!("{:.3} ms", time.as_secs_f64() * 1e3);
    let detected = match found.detected {
        Some(at) => format!("detected at {}", ms(at)),
        None => return Ok(format!("replayed, priority {priority}, exact timers: not detected\n")),
    };
    let restored = match found.restored {
        Some(at) => format!(
            "restored at {}, {} after the last pause",
            ms(at),
            ms(at.saturating_sub(found.last_pause))
        ),
        None => "never restored".to_string(),
    };
    Ok(format!("replayed, priority {priority}, exact timers: {detected}, {restored}\n"))
}

/// A port and the number of equal ports.
fn ports(port: &str, alike: &[String]) -> String {
    match alike.len() {
        0 => port.to_string(),
        n => format!("{port} and {n} alike"),
    }
}

/// The findings of a check that a reader must know next to the proofs: errors, because of which the file is not proven, and
/// the warnings that explain a dropped packet in a file without errors.
pub(crate) fn describe_findings(file: &str, errors: &[Finding], warnings: &[Finding]) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    if !errors.is_empty() {
        let count = counted(errors.len() as u64, "error");
        let _ = writeln!(text, "{file}: NOT PROVEN: harrier check reports {count}:");
    }
    if !warnings.is_empty() {
        let count = counted(warnings.len() as u64, "warning");
        let _ = writeln!(
            text,
            "{file}: harrier check reports {count} and no error, because packets are dropped in the worst case only:"
        );
    }
    for Finding { code, position, message, severity, .. } in errors.iter().chain(warnings) {
        let _ = writeln!(text, "{file}:{position}: {}[{code}] {}", severity.name(), plain_line(message));
    }
    text
}

/// The proofs of one file as text.
pub(crate) fn describe(file: &str, report: &Report) -> String {
    let mut text = String::new();
    for proof in &report.proofs {
        let Proof { priority, profile, speed_mbps, cable_m, configured_bytes, used_bytes, .. } = proof;
        let ports = ports(&proof.port, &proof.alike);
        let _ = write!(
            text,
            "{file}: {ports}, priority {priority}, {speed_mbps} Mb/s over {cable_m} m, {profile}: "
        );
        let _ = match &proof.outcome {
            Outcome::Fits => writeln!(text, "fits, {used_bytes} B of {configured_bytes} B headroom used"),
            Outcome::Drops { frame, after_pause_ns, reason, dropped } => writeln!(
                text,
                "DROPS: frame {frame} is rejected ({reason}) {after_pause_ns} ns after the pause was due, {dropped} frames in all; {configured_bytes} B headroom"
            ),
            Outcome::NeverPauses { reason: Some(reason) } => {
                writeln!(text, "DROPS before XOFF ({reason}): the headroom is never used")
            }
            Outcome::NeverPauses { reason: None } => {
                writeln!(text, "never pauses: XOFF was not reached")
            }
        };
    }
    for Unproved { port, priority, why, alike } in &report.unproved {
        let ports = ports(port, alike);
        let _ = writeln!(text, "{file}: {ports}, priority {priority}: NOT PROVABLE: {why}");
    }
    if report.asic.is_none() && !report.proofs.is_empty() {
        let _ = writeln!(
            text,
            "{file}: NOT PROVABLE: the ASIC is unknown, and so are its cell size and memory; specify it with --asic"
        );
    }
    if report.verdict == Verdict::NothingToProve {
        let _ = writeln!(text, "{file}: nothing to prove: no port that is up enables PFC");
    }
    text
}
