//! `harrier check --prove`: headroom put to the test on a simulated switch.

use std::fmt::Write;

use fabric::prove::{Outcome, Proof};

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
