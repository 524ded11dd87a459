//! When a loop of ports stands still: every port is paused and no packet leaves along the loop.
//!
//! "Each port was paused at some time" is not a deadlock: pauses of an incast or a storm travel around a ring while its
//! ports keep sending in between. A deadlock is a *joint* interval in which all ports are paused, none of them sends, and
//! which lasts longer than the pauses of a loop that can still drain.
//!
//! How long that is follows from PFC. A pause lasts at most 65535 quanta of 512 bit times (IEEE 802.3, annex 31D); its
//! sender refreshes it after half of that, if its buffer is still above XON. So a joint interval of half the longest
//! pause has outlived a pause whose reason is gone, and its pauses have been refreshed: the loop waits for itself. A loop
//! that was read earlier than that stands only "so far".

use model::Rate;
use model::wire::pfc::quanta_time;

use crate::facts::span::{Span, clusters};
use crate::settings::Tuning;
use crate::thresholds as t;

/// The times of a loop that decide whether it stands still, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Length of a joint interval that is a deadlock: half of the longest pause on the slowest link of the loop.
    pub(crate) settled_ns: u64,
    /// Minimum length of a joint interval that had not ended when the loop was read. The backlog of a loop that can
    /// drain leaves it within a few round trips, as it moves at link rate.
    pub(crate) so_far_ns: u64,
    /// A port that pauses at its threshold resumes for the time of a packet or two; gaps up to this length do not end a
    /// pause. Whether packets used them to leave shows in the records.
    pub(crate) gap_ns: u64,
}

impl Limits {
    /// Returns the limits of a loop whose slowest link has this rate; without a base RTT, a loop that was read early
    /// counts only after the full time.
    pub(crate) fn of(settings: &Tuning, slowest: Rate, base_rtt_ns: Option<u64>) -> Limits {
        let round_trips = settings.value(&t::DRAIN_ROUND_TRIPS);
        let settled_ns = quanta_time(u16::MAX, slowest).as_ns() / 2;
        let so_far_ns = base_rtt_ns.map_or(settled_ns, |rtt| (rtt as f64 * round_trips) as u64);
        Limits { settled_ns, so_far_ns: so_far_ns.min(settled_ns), gap_ns: settings.ns(&t::STANDSTILL_GAP) }
    }
}

/// A joint interval in which all ports of a loop are paused and no packet moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standstill {
    pub(crate) span: Span,
    /// It had not ended when the loop was read.
    pub(crate) stands: bool,
    /// It lasted for [`Limits::settled_ns`].
    pub(crate) settled: bool,
}

/// Returns the joint intervals of all ports that are long enough, ascending, and the length of the longest joint interval
/// in nanoseconds. `pauses` are the pauses of each port, ascending; `moves` the times at which a packet of the loop was
/// seen to arrive from one of its ports at the next; `read_ns` is when the first of the loop's switches was read.
pub(crate) fn standstills(
    pauses: &[Vec<Span>],
    moves: &[u64],
    read_ns: u64,
    limits: Limits,
) -> (Vec<Standstill>, u64) {
    let joint = intersect_all(pauses.iter().map(|spans| clusters(spans.clone(), limits.gap_ns)));
    let mut found = Vec::new();
    let mut longest_ns = 0;
    for span in joint.into_iter().flat_map(|span| split(span, moves)) {
        let length_ns = span.to - span.from;
        longest_ns = longest_ns.max(length_ns);
        let stands = span.to.saturating_add(limits.gap_ns) >= read_ns;
        let settled = length_ns >= limits.settled_ns;
        if settled || stands && length_ns >= limits.so_far_ns {
            found.push(Standstill { span, stands, settled });
        }
    }
    (found, longest_ns)
}

/// Splits a joint interval at the times at which a packet moved.
fn split(span: Span, moves: &[u64]) -> Vec<Span> {
    let mut cuts: Vec<u64> = moves.iter().copied().filter(|at| span.from < *at && *at < span.to).collect();
    cuts.sort_unstable();
    let starts = std::iter::once(span.from).chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain(std::iter::once(span.to));
    starts.zip(ends).map(|(from, to)| Span { from, to }).collect()
}

/// Returns the intersection of all lists; lists are ascending and disjoint, and so is the result.
fn intersect_all(mut lists: impl Iterator<Item = Vec<Span>>) -> Vec<Span> {
    let first = lists.next().unwrap_or_default();
    lists.fold(first, |common, list| {
        let common_with = |span: &Span| {
            let from = list.partition_point(|other| other.to < span.from);
            list[from..].iter().map_while(|other| span.intersection(*other)).collect::<Vec<Span>>()
        };
        common.iter().flat_map(common_with).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(u64, u64)]) -> Vec<Span> {
        list.iter().map(|(from, to)| Span::new(*from * 1_000, *to * 1_000)).collect()
    }

    /// The standstills of a loop of 100 Gb/s links with a base RTT of 10 us, read at 1000 us: each with its times in
    /// microseconds, whether it stands and whether it settled.
    fn check(pauses: &[&[(u64, u64)]], moves_us: &[u64], expected: &[(u64, u64, bool, bool)]) {
        let pauses: Vec<Vec<Span>> = pauses.iter().map(|list| spans(list)).collect();
        let moves: Vec<u64> = moves_us.iter().map(|at| at * 1_000).collect();
        let limits = Limits::of(&Tuning::default(), Rate::from_gbps(100), Some(10_000));
        let (found, _) = standstills(&pauses, &moves, 1_000_000, limits);
        let found: Vec<_> =
            found.iter().map(|s| (s.span.from / 1_000, s.span.to / 1_000, s.stands, s.settled)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn limits_follow_from_quanta_rate_and_round_trip() {
        let fast = Limits::of(&Tuning::default(), Rate::from_gbps(200), Some(10_000));
        assert_eq!(fast, Limits { settled_ns: 83_884, so_far_ns: 40_000, gap_ns: 1_000 });
        let slow = Limits::of(&Tuning::default(), Rate::from_gbps(40), None);
        assert_eq!(slow, Limits { settled_ns: 419_424, so_far_ns: 419_424, gap_ns: 1_000 });
    }

    #[test]
    fn ports_that_are_paused_in_turn_do_not_stand_still() {
        check(&[&[(0, 400), (600, 1_000)], &[(400, 600)], &[(0, 1_000)]], &[], &[]);
        check(&[&[(0, 500)], &[(450, 1_000)], &[(0, 1_000)]], &[], &[]);
    }

    #[test]
    fn a_joint_pause_longer_than_half_a_pause_lasts_is_a_standstill() {
        check(&[&[(100, 900)], &[(200, 390)], &[(0, 900)]], &[], &[(200, 390, false, true)]);
        check(&[&[(100, 900)], &[(200, 360)], &[(0, 900)]], &[], &[]);
    }

    #[test]
    fn a_loop_that_was_read_early_stands_so_far() {
        check(&[&[(950, 1_000)], &[(800, 1_000)]], &[], &[(950, 1_000, true, false)]);
        check(&[&[(970, 1_000)], &[(800, 1_000)]], &[], &[]);
    }

    #[test]
    fn a_packet_that_moves_along_the_loop_ends_a_standstill() {
        check(&[&[(0, 1_000)], &[(0, 1_000)]], &[100, 250, 400, 550, 700, 850, 980], &[]);
        check(
            &[&[(0, 1_000)], &[(0, 1_000)]],
            &[100, 700],
            &[(100, 700, false, true), (700, 1_000, true, true)],
        );
    }

    #[test]
    fn the_intersection_contains_only_times_of_all_lists() {
        let lists = [&[(0, 10), (20, 40)][..], &[(5, 30), (35, 50)], &[(0, 100)]];
        assert_eq!(intersect_all(lists.iter().map(|l| spans(l))), spans(&[(5, 10), (20, 30), (35, 40)]));
        assert_eq!(intersect_all([spans(&[(0, 4)]), spans(&[(6, 9)])].into_iter()), Vec::new());
        assert_eq!(intersect_all(std::iter::empty()), Vec::new());
    }
}
