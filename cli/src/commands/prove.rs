//! `harrier check --prove` and `--explain-watchdog`: headroom and watchdogs put to the test on a simulated switch.

use std::fmt::Write;

use anyhow::Context;
use buffer_config::resolved::ResolvedSwitch;
use fabric::prove::{Outcome, Proof};
use fabric::storm;
use model::Time;

/// What the fabric's watchdog does with a storm on the first priority that the port's watchdog watches, for people.
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

/// The proofs of one file for people. The second value says whether all of them hold.
pub(crate) fn describe(file: &str, proofs: &[Proof]) -> (String, bool) {
    let mut text = String::new();
    let mut holds = true;
    if proofs.is_empty() {
        let _ = writeln!(
            text,
            "{file}: nothing to prove: no port that is up has PFC, a cable length and a lossless profile"
        );
    }
    for proof in proofs {
        let Proof {
            port,
            priority,
            profile,
            speed_mbps,
            cable_m,
            configured_bytes,
            used_bytes,
            alike,
            outcome,
        } = proof;
        let ports = match alike.len() {
            0 => port.clone(),
            n => format!("{port} and {n} alike"),
        };
        let _ = write!(
            text,
            "{file}: {ports}, priority {priority}, {speed_mbps} Mb/s over {cable_m} m, {profile}: "
        );
        let _ = match outcome {
            Outcome::Fits => writeln!(text, "fits, {used_bytes} B of {configured_bytes} B headroom used"),
            Outcome::Drops { frame, after_pause_ns, reason, dropped } => {
                holds = false;
                writeln!(
                    text,
                    "DROPS: frame {frame} is refused ({reason}) {after_pause_ns} ns after the pause was due, {dropped} frames in all; {configured_bytes} B headroom"
                )
            }
            Outcome::NeverPauses { reason: Some(reason) } => {
                holds = false;
                writeln!(text, "DROPS before it pauses ({reason}): the headroom is never used")
            }
            Outcome::NeverPauses { reason: None } => {
                holds = false;
                writeln!(text, "never pauses: its threshold was not reached")
            }
        };
    }
    (text, holds)
}
