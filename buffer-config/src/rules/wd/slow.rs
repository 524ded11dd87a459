//! # WD025 slow-watchdog
//!
//! Severity: warning.
//!
//! The detection time is longer than 2 s and than the default for the number of ports, or the restoration time is
//! more than ten times the detection time.
//!
//! ## Why it matters
//!
//! Until detection, a storm spreads through the fabric. Until restoration, the queue drops all packets, although
//! the storm may be over. `pfcwd start_default` uses 200 ms for each 32 ports for both times, and the command line
//! proposes twice the detection time for restoration.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "60000"}}}
//! ```
//!
//! ## Fix
//!
//! Use the defaults of `pfcwd start_default`, or a restoration time of twice the detection time.
//!
//! ## Source
//!
//! [pfcwd/main.py](https://github.com/sonic-net/sonic-utilities/blob/master/pfcwd/main.py). The limits of 2 s and
//! ten times are choices: the first is above the default of 320 ports, the second above five times the proposal.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD025", name: "slow-watchdog", severity: Severity::Warning, effect: effect::WATCHDOG };

/// The longest detection time that is not reported, milliseconds, unless the default is longer.
const LONG_DETECTION_MS: u32 = 2000;
/// The largest quotient of restoration and detection time that is not reported.
const LONG_RESTORATION: u32 = 10;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let default = 200 * (cx.sw.ports.len().saturating_sub(1) / 32 + 1) as u32;
    let longest = LONG_DETECTION_MS.max(default);
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog?;
        let detection = watchdog.detection_ms;
        if detection > longest {
            let message = format!("a storm lasts {detection} ms until it is detected");
            return hit("PFC_WD", &port.name, "detection_time", message);
        }
        let restoration =
            watchdog.restoration_ms.filter(|ms| *ms > detection.saturating_mul(LONG_RESTORATION))?;
        let message = format!(
            "a queue drops packets for {restoration} ms after a storm that is detected in {detection} ms"
        );
        hit("PFC_WD", &port.name, "restoration_time", message)
    });
}
