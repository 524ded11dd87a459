//! The port of a loop that was most likely congested first.
//!
//! The ports of a loop pause within microseconds, and no counter has the time of a pause. Two counters keep the order:
//!
//! - **Headroom.** A switch that pauses its neighbour still receives what is in flight, as much as a round trip of the link
//!   holds, and keeps it in the headroom of its priority group. As long as its own egress port sends, packets leave the
//!   group as well, and the peak of the headroom stays lower. So a low peak behind a port of the loop shows that this port
//!   was still sending when its switch paused the port before it; a full one, that it was paused already.
//! - **Repeated pauses.** A port that is paused before the loop closes is resumed when the queue behind the pause drains,
//!   and paused again. Some ASICs count the pauses that begin; else, a pause that lasts is refreshed at regular intervals, and the
//!   frames beyond are repetitions. The port that was repeatedly paused was paused first, by the switch of the port after it.
//!
//! The largest queue counts in addition, and it decides alone where peaks of the headroom are unknown: the more ingress ports feed
//! a port, the faster its queue grows.

use std::cmp::Reverse;

use crate::case::Case;
use crate::causality::Loop;
use crate::pressure::Pressure;
use crate::thresholds as t;
use crate::wiring::PortId;

/// The port that was most likely congested first, and what it was found by.
pub(super) struct First {
    pub(super) port: PortId,
    pub(super) basis: FirstBasis,
}

/// What a port was found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstBasis {
    /// Headroom, repeated pauses where the time of pauses or their number is counted, and queues.
    Headroom,
    /// The largest queue alone.
    LargestQueue,
}

/// Finds the port of a loop that was congested first.
pub(super) fn find(case: &Case<'_>, found: &Loop) -> First {
    let rows: Vec<&Pressure> =
        found.ports.iter().filter_map(|port| case.row(*port, found.priority)).collect();
    let order = (rows.len() == found.ports.len()).then(|| headroom_use(case, found)).flatten();
    let basis = if order.is_some() { FirstBasis::Headroom } else { FirstBasis::LargestQueue };
    let order = order.map_or_else(|| vec![0.0; rows.len()], |used| order_of(&used, &rows));
    let sizes: Vec<_> = rows.iter().map(|row| by_size(case, row)).collect();
    let largest = sizes.iter().map(|size| size.0).max().unwrap_or(0).max(1) as f64;
    let score = |number: usize| order[number] + t::LARGE_QUEUE * sizes[number].0 as f64 / largest;
    let first = (0..rows.len())
        .max_by(|one, other| score(*one).total_cmp(&score(*other)).then(sizes[*one].cmp(&sizes[*other])));
    First { port: first.map_or(found.ports[0], |number| rows[number].port), basis }
}

/// How much the headroom and repeated pauses speak for each port.
fn order_of(used: &[f64], rows: &[&Pressure]) -> Vec<f64> {
    let (repeated, weight) = repeated_pauses(rows).unwrap_or_else(|| (vec![0.0; rows.len()], 0.0));
    let score = |number: usize| {
        let before = (number + rows.len() - 1) % rows.len();
        used[before] - used[number] + weight * repeated[before].min(t::MOST_REPEATED)
    };
    (0..rows.len()).map(score).collect()
}

/// The size of a queue at the end, then how many ingress ports feed it. A port that n ingress ports feed at line rate grows
/// n - 1 times as fast as one that two feed, and each of the n may hold packets up to its own threshold before it pauses
/// its neighbour.
fn by_size(case: &Case<'_>, row: &Pressure) -> (u64, usize, Reverse<PortId>) {
    let switch = &case.wiring.ports[row.port].switch;
    let senders = case.rows_of(switch).filter(|one| one.priority == row.priority && one.sent() > 0).count();
    // What a queue holds at the end, unless the watchdog has emptied it.
    let held = row.change.occupancy_bytes.filter(|bytes| *bytes > 0);
    let peak = || row.queue_peak().or(row.change.occupancy_bytes).unwrap_or(0);
    (held.unwrap_or_else(peak), senders, Reverse(row.port))
}

/// How much of the headroom the group behind each port used, as a part of the largest use in the loop: that of the ingress
/// port by which packets of the port before it arrive. `None` if a watermark did not show a peak of the interval, or if
/// links of different speed have different amounts in flight.
fn headroom_use(case: &Case<'_>, found: &Loop) -> Option<Vec<f64>> {
    let count = found.ports.len();
    let mut peaks = Vec::with_capacity(count);
    let mut speeds = Vec::with_capacity(count);
    for number in 0..count {
        let ingress = case.wiring.peer(found.ports[(number + count - 1) % count])?;
        let row = case.row(ingress, found.priority)?;
        peaks.push(row.change.headroom_peak.filter(|peak| peak.is_new)?.bytes as f64);
        speeds.push(row.speed?);
    }
    let largest = peaks.iter().copied().fold(0.0, f64::max);
    let is_comparable = largest > 0.0 && speeds.windows(2).all(|pair| pair[0] == pair[1]);
    is_comparable.then(|| peaks.iter().map(|peak| (peak / largest).min(t::FULL_HEADROOM)).collect())
}

/// How often each port was paused again, and what one repetition counts for. Where the ASIC counts the pauses that began, these
/// are all but the first.
fn repeated_pauses(rows: &[&Pressure]) -> Option<(Vec<f64>, f64)> {
    let counted: Option<Vec<u64>> = rows.iter().map(|row| row.change.pauses_begun).collect();
    match counted {
        Some(begun) => {
            let repeated = begun.into_iter().map(|begun| begun.saturating_sub(1) as f64);
            Some((repeated.collect(), t::COUNTED_REPETITION))
        }
        None => Some((estimated_repetitions(rows)?, t::REPEATED_PAUSE)),
    }
}

/// How often each port was paused again, to within one: frames received beyond the first one and the refreshes of a pause that
/// lasts. The interval of refreshes is the longest that the counters of a port allow; ports of one loop share it. `None` if
/// a port does not count the time of its pauses.
fn estimated_repetitions(rows: &[&Pressure]) -> Option<Vec<f64>> {
    let refreshes = |row: &&Pressure| {
        let frames = row.change.pause_rx_frames?.checked_sub(1).filter(|frames| *frames > 0)?;
        Some((frames as f64, row.change.pause_rx_ns? as f64))
    };
    let counted: Vec<(f64, f64)> = rows.iter().map(refreshes).collect::<Option<_>>()?;
    let interval_ns = counted.iter().map(|(frames, ns)| ns / frames).fold(0.0, f64::max);
    (interval_ns > 0.0).then(|| counted.iter().map(|(frames, ns)| frames - ns / interval_ns).collect())
}
