//! How certain a verdict is, from what its source supports.
//!
//! The confidence is a product: a verdict rests on all of its steps. The factors are choices, to be replaced by rates
//! once verdicts from counters of real networks have been judged; `docs/counters.md` lists them.

use super::first_of_loop::FirstBasis;
use crate::causality::Basis;
use crate::interval::Span;
use crate::wiring::Neighbour;

/// The best that counters support: they have no flows, and peaks of queues need not be simultaneous.
pub(super) const BEST: f64 = 0.95;
/// The highest confidence of a verdict that does not say what the end of the pauses is.
pub(super) const MOST_UNDETERMINED: f64 = 0.49;

/// The confidence that a ring of pauses is what its verdict says: it names ports, and no cause.
pub(super) const RING: f64 = 0.3;
/// A port stood still for the whole interval, and only an old watermark shows that its queue holds packets.
pub(super) const STANDING: f64 = 0.85;
/// Another egress port of the switch may be paused, and has no counter that tells.
pub(super) const UNREAD: f64 = 0.5;

/// How the first congested port of a loop was found: rates of simulated deadlocks (`docs/counters.md`). A few microseconds
/// decide which port pauses first.
pub(super) fn of_first(basis: FirstBasis) -> f64 {
    match basis {
        FirstBasis::Headroom => 0.8,
        FirstBasis::LargestQueue => 0.6,
    }
}

/// How the ends of pauses were found.
pub(super) fn of_basis(basis: Basis) -> f64 {
    match basis {
        Basis::Peaks => 1.0,
        // Other traffic may have caused them before the watermarks were read.
        Basis::LatePeaks => 0.95,
        // The queues at the end of the window may differ from those that caused the pauses.
        Basis::Occupancy => 0.95,
        // Which ports are congested is known, but not by how much.
        Basis::Signs => 0.85,
        // The busiest port is congested often, not always.
        Basis::Busiest => 0.5,
    }
}

/// What is known about the time of the counters.
pub(super) fn of_span(span: Span) -> f64 {
    match (span.is_total, span.is_timed) {
        // Totals add up all incidents since the switch booted.
        (true, _) => 0.6,
        (false, false) => 0.95,
        (false, true) => 1.0,
    }
}

/// What is known about the device at the end of the pauses.
pub(super) fn of_neighbour(neighbour: &Neighbour) -> f64 {
    match neighbour {
        Neighbour::Host(_) => 1.0,
        // Named by LLDP; not described as a bridge or router.
        Neighbour::System(_) => 0.8,
        // Hosts often run no LLDP, switches with SONiC do.
        Neighbour::Unknown { others_are_known: true } => 0.7,
        _ => MOST_UNDETERMINED,
    }
}

/// The part of the pauses that ends at the place: the rest contradicts the verdict in part.
pub(super) fn of_share(share: f64) -> f64 {
    0.5 + 0.5 * share.clamp(0.0, 1.0)
}
