//! # ECN013 kmin-small
//!
//! Severity: info (an error where Kmin is below one frame of the port's MTU).
//!
//! Kmin is below a few frames, or below 5 KB per 10 Gb/s of port speed.
//!
//! ## Why it matters
//!
//! The switch marks packets of normal bursts, which reduces throughput. Below one frame, it marks nearly every packet:
//! the thresholds are probably in KB, but SONiC reads bytes.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "20000",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase Kmin.
//!
//! ## Source
//!
//! DCQCN, SIGCOMM 2015, section 4.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN013",
    name: "kmin-small",
    severity: Severity::Info,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (i, wred) in cx.sw.wred.iter().enumerate() {
        let Some(curve) = wred.green.filter(|c| wred.marks_green && c.min_bytes > 0) else { continue };
        let users = cx.sw.ports.iter().filter(|p| p.queue_wred.contains(&Some(i)));
        let Some(speed) = users.map(|p| p.speed_mbps).max() else { continue };
        let least = u64::from(speed) / 10_000 * 5_000;
        let mtu = cx.sw.ports.iter().filter(|p| p.queue_wred.contains(&Some(i))).map(|p| p.mtu_bytes).max();
        let severity = match mtu {
            Some(mtu) if curve.min_bytes < u64::from(mtu) => Severity::Error,
            _ => Severity::Info,
        };
        if curve.min_bytes < least || severity == Severity::Error {
            let micros = curve.min_bytes as f64 * 8.0 / f64::from(speed);
            let message = format!(
                "{}: Kmin {} is {micros:.2} us at {speed} Mb/s, less than 5 KB per 10 Gb/s",
                wred.name,
                bytes(curve.min_bytes)
            );
            cx.report(out, &META, field("WRED_PROFILE", &wred.name, "green_min_threshold"), message)
                .severity(severity);
        }
    }
}
