//! Whether all ports of a loop stood still jointly: the claim of a deadlock. Removing the flows of a loop that drains
//! helps a victim as well, so its recovery alone does not support that claim.

use std::collections::BTreeSet;

use model::wire::pfc::quanta_time;
use model::{PortRef, Time, Topology};

use crate::record::PauseRecord;

/// A pause that resumes for less than this does not let a queue drain: a packet of 4 kB takes longer at 25 Gb/s.
const MOMENT: Time = Time::from_us(1);

/// A pause, from its start to its end.
type Interval = (Time, Time);

/// The least length of a joint standstill: half of the longest pause that one frame can cause at the slowest link of
/// the loop. A loop whose pauses end by resume frames moves again much earlier.
pub(super) fn least(topology: &Topology, ports: &[PortRef]) -> Time {
    let rates = ports.iter().filter_map(|port| Some(topology.link_of(port)?.rate));
    rates.min().map_or(Time::MAX, |slowest| Time(quanta_time(u16::MAX, slowest).0 / 2))
}

/// The longest time in which all of these ports were paused in one priority. Only standstills that overlap the window
/// count, at their full length.
pub(super) fn longest(pauses: &[PauseRecord], ports: &[PortRef], window: Interval, end: Time) -> Time {
    let priorities: BTreeSet<u8> = pauses.iter().map(|pause| pause.priority).collect();
    let joint = priorities.into_iter().flat_map(|priority| {
        let of_ports = ports.iter().map(|port| intervals(pauses, port, priority, end));
        of_ports.reduce(|a, b| intersect(&a, &b)).unwrap_or_default()
    });
    let overlaps = |&(from, to): &Interval| from <= window.1 && window.0 <= to;
    joint.filter(overlaps).map(|(from, to)| to - from).max().unwrap_or_default()
}

/// The pauses of a port, ascending; gaps of a moment are closed.
fn intervals(pauses: &[PauseRecord], port: &PortRef, priority: u8, end: Time) -> Vec<Interval> {
    let mut found: Vec<Interval> = Vec::new();
    let mut since: Option<Time> = None;
    let mut add = |from: Time, to: Time| match found.last_mut() {
        Some(last) if from.saturating_sub(last.1) < MOMENT => last.1 = to,
        _ => found.push((from, to)),
    };
    for pause in pauses.iter().filter(|pause| pause.port == *port && pause.priority == priority) {
        if pause.on {
            since = since.or(Some(pause.at));
        } else if let Some(from) = since.take() {
            add(from, pause.at);
        }
    }
    if let Some(from) = since {
        add(from, end);
    }
    found
}

fn intersect(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    let mut found = Vec::new();
    for (from, to) in a {
        for (other_from, other_to) in b {
            let (start, stop) = (*from.max(other_from), *to.min(other_to));
            if start < stop {
                found.push((start, stop));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_time_in_which_all_ports_are_paused_counts() {
        let (one, two) = (PortRef::new("sw1", 1), PortRef::new("sw2", 1));
        let us = Time::from_us;
        let record = |at, port: &PortRef, on| PauseRecord { at: us(at), port: port.clone(), priority: 3, on };
        let pauses = [
            record(0, &one, true),
            record(10, &two, true),
            record(15, &one, true),
            record(30, &one, false),
            record(40, &one, true),
        ];
        let ports = [one, two];
        let found = |from, to| longest(&pauses, &ports, (us(from), us(to)), us(100));
        assert_eq!(found(0, 20), us(20));
        assert_eq!(found(0, 50), us(60), "a pause without an end lasts until the end of the run");
        assert_eq!(found(0, 5), Time::ZERO);
    }
}
