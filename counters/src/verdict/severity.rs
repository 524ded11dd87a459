//! How urgent a verdict is: by the ladder of pause durations, and by storms and losses.

use model::Severity;

use crate::pressure::{Level, PausedPart, Pressure};

/// The severity of pauses at these rows. Without a known time they are more than ordinary queueing, and no more is
/// certain. Pauses on several links slow down flows that do not cross the root port, however short they are in the
/// average of an interval: a congestion of a millisecond is 0.1 % of a second.
pub(super) fn of_pauses<'r>(rows: impl Iterator<Item = &'r Pressure>, paused_links: usize) -> Severity {
    let least = if paused_links > 1 { Severity::Minor } else { Severity::Info };
    rows.map(of_row).max().unwrap_or(Severity::Info).max(least)
}

fn of_row(row: &Pressure) -> Severity {
    if row.has_storm() {
        return Severity::Critical;
    }
    match (row.paused_part, row.paused_part.level()) {
        (PausedPart::Measured(_), Some(Level::Storm)) => Severity::Critical,
        (PausedPart::Measured(_), Some(Level::Serious)) => Severity::Major,
        (_, Some(Level::Ordinary)) => Severity::Info,
        _ => Severity::Minor,
    }
}
