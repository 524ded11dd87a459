//! What several detectors need: outcomes from findings and missing evidence, numbers as text.

use crate::{Fabric, FabricState, HostFinding, Outcome};

/// Findings if there are any; otherwise what is missing; otherwise clean.
pub(super) fn conclude(findings: Vec<HostFinding>, missing: Vec<String>) -> Outcome {
    if findings.is_empty() && !missing.is_empty() { Outcome::Missing(missing) } else { Outcome::of(findings) }
}

/// A share as percent, e.g. `0.11 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent.abs() < 1.0 { format!("{percent:.2} %") } else { format!("{percent:.0} %") }
}

/// A rate for people, e.g. `34.4 Gb/s`.
pub(super) fn rate(bits_per_s: f64) -> String {
    match bits_per_s {
        r if r >= 1e9 => format!("{:.1} Gb/s", r / 1e9),
        r if r >= 1e6 => format!("{:.1} Mb/s", r / 1e6),
        r => format!("{:.1} kb/s", r / 1e3),
    }
}

/// A time for people, e.g. `151.6 us`.
pub(super) fn time(ns: f64) -> String {
    match ns {
        t if t >= 1e9 => format!("{:.1} s", t / 1e9),
        t if t >= 1e6 => format!("{:.1} ms", t / 1e6),
        t => format!("{:.1} us", t / 1e3),
    }
}

/// Whether the verdict is about pauses that a host sends. What makes single connections or jobs slow does not explain them.
pub(super) fn is_about_pauses(fabric: &Fabric) -> bool {
    matches!(fabric.state, FabricState::PausedBy(_))
}
