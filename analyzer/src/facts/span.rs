//! Spans of time, and how nearby records are merged into events.

use model::telemetry::PauseInterval;

/// A closed span of time, in nanoseconds of switch time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) from: u64,
    pub(crate) to: u64,
}

impl Span {
    /// Returns the span between two times, in either order.
    pub(crate) fn new(a: u64, b: u64) -> Span {
        Span { from: a.min(b), to: a.max(b) }
    }

    /// Length in nanoseconds; an instant counts as one, so that it can be a divisor.
    pub(crate) fn length_ns(self) -> f64 {
        (self.to - self.from).max(1) as f64
    }

    pub(crate) fn overlaps(self, other: Span) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    pub(crate) fn intersection(self, other: Span) -> Option<Span> {
        self.overlaps(other).then(|| Span { from: self.from.max(other.from), to: self.to.min(other.to) })
    }

    /// Returns the nanoseconds that both spans share.
    pub(crate) fn shared_ns(self, other: Span) -> f64 {
        self.intersection(other).map_or(0.0, |s| (s.to - s.from) as f64)
    }

    pub(crate) fn hull(self, other: Span) -> Span {
        Span { from: self.from.min(other.from), to: self.to.max(other.to) }
    }

    /// Returns the span extended by `ns` on both sides.
    pub(crate) fn widened(self, ns: u64) -> Span {
        Span { from: self.from.saturating_sub(ns), to: self.to.saturating_add(ns) }
    }
}

/// Returns the span of a pause; one that had not ended at the freeze ends there.
pub(crate) fn pause_span(pause: &PauseInterval, frozen_ns: u64) -> Span {
    Span::new(pause.start_ns, pause.end_ns.unwrap_or(frozen_ns.max(pause.start_ns)))
}

/// Joins spans whose gap is at most `gap_ns`: congestion pauses a port many times in short turns, while two events in
/// one epoch are further apart. The result is ascending and disjoint.
pub(crate) fn clusters(mut spans: Vec<Span>, gap_ns: u64) -> Vec<Span> {
    spans.sort_unstable();
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.from <= last.to.saturating_add(gap_ns) => *last = last.hull(span),
            _ => joined.push(span),
        }
    }
    joined
}

/// Selects the cluster for the time under analysis: of those that overlap it, the heaviest (of equal ones the last);
/// else the last one before it; else the first one after it, if within `reach_ns`. The flag is true if the cluster
/// overlaps it.
pub(crate) fn aligned(
    clusters: &[Span],
    analysed: Option<Span>,
    reach_ns: u64,
    weight: impl Fn(&Span) -> f64,
) -> Option<(Span, bool)> {
    let Some(analysed) = analysed else { return clusters.last().map(|c| (*c, true)) };
    let touching = clusters.iter().filter(|c| c.overlaps(analysed));
    let touching = touching.max_by(|a, b| weight(a).total_cmp(&weight(b))).map(|c| (*c, true));
    let near = analysed.widened(reach_ns);
    let before = || clusters.iter().rev().find(|c| c.to < analysed.from);
    let nearest = || before().or_else(|| clusters.first()).filter(|c| c.overlaps(near));
    touching.or_else(|| nearest().map(|c| (*c, false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_gaps_join_and_long_gaps_separate() {
        let spans = vec![Span::new(500, 600), Span::new(0, 10), Span::new(15, 30)];
        assert_eq!(clusters(spans.clone(), 5), vec![Span::new(0, 30), Span::new(500, 600)]);
        let joined = clusters(spans, 5);
        assert_eq!(
            aligned(&joined, Some(Span::new(200, 300)), 170, |s| s.length_ns()),
            Some((Span::new(0, 30), false))
        );
        assert_eq!(aligned(&joined, Some(Span::new(200, 300)), 169, |s| s.length_ns()), None);
        assert_eq!(
            aligned(&joined, Some(Span::new(550, 700)), 0, |s| s.length_ns()),
            Some((Span::new(500, 600), true))
        );
        assert_eq!(aligned(&joined, None, 0, |s| s.length_ns()), Some((Span::new(500, 600), true)));
    }
}
