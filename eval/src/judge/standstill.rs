//! Whether a loop of ports stood still: from the packets alone.
//!
//! A deadlock is a cycle of queues from which no byte left for longer than a pause can last. A PFC frame pauses for at
//! most 65535 quanta of 512 bit times (IEEE 802.1Qbb), so a port that still has not sent a packet after that has been
//! paused again without draining: 335 us at 100 Gb/s. A standstill that a PFC watchdog ends earlier, by flushing one of
//! the queues, counts as well.

use std::collections::BTreeMap;

use fabric::packet_log::{PacketLog, What};
use model::{PortRef, Time, Topology};

use super::bench::Base;

/// The longest pause of one PFC frame, in bit times.
const LONGEST_PAUSE_BITS: u128 = 65_535 * 512;

/// Returns whether all ports of `ports` stood still at one time that overlaps `window`: paused at that time, and without
/// a departure for longer than a pause can last, or until the end of the run.
pub(super) fn stood_still(
    topology: &Topology,
    run: &Base,
    log: &PacketLog,
    ports: &[PortRef],
    window: (Time, Time),
) -> bool {
    let end = run.end;
    let flushed: Vec<Time> =
        run.watchdogs.iter().filter(|record| ports.contains(&record.port)).map(|record| record.at).collect();
    let mut common: Vec<(Time, Time)> = vec![(Time::ZERO, end)];
    for port in ports {
        let Some(longest) = longest_pause(topology, port) else { return false };
        let quiet_times = quiet_times(departures(&run.switches, log, port), longest, &flushed, end);
        common = overlaps(&common, &overlaps(&quiet_times, &paused(&run.pauses, port, end)));
    }
    !ports.is_empty() && common.iter().any(|(from, to)| *from <= window.1 && window.0 <= *to)
}

fn longest_pause(topology: &Topology, port: &PortRef) -> Option<Time> {
    let link = topology.links.iter().find(|link| link.a == *port || link.b == *port)?;
    let ps = LONGEST_PAUSE_BITS * 1_000_000_000_000 / u128::from(link.rate.0.max(1));
    Some(Time(u64::try_from(ps).unwrap_or(u64::MAX)))
}

fn departures<'l>(
    switches: &[String],
    log: &'l PacketLog,
    port: &PortRef,
) -> Box<dyn Iterator<Item = Time> + 'l> {
    let Some(switch) = switches.iter().position(|name| *name == port.switch) else {
        return Box::new(std::iter::empty());
    };
    let (switch, port) = (switch as u32, port.port);
    let is_departure = move |step: &&fabric::packet_log::Step| {
        step.what == What::Out && (step.switch, step.port) == (switch, port)
    };
    Box::new(log.steps.iter().filter(is_departure).map(|step| step.at))
}

/// The times without a departure that last longer than `longest`, until a watchdog flushes a queue of the loop, or until
/// the end of the run.
fn quiet_times(
    departures: impl Iterator<Item = Time>,
    longest: Time,
    flushed: &[Time],
    end: Time,
) -> Vec<(Time, Time)> {
    let mut quiet_times = Vec::new();
    let mut last = Time::ZERO;
    for at in departures {
        if at.saturating_sub(last) > longest || flushed.iter().any(|flush| last < *flush && *flush <= at) {
            quiet_times.push((last, at));
        }
        last = at;
    }
    quiet_times.push((last, end));
    quiet_times
}

/// The times in which a port was paused in any priority.
fn paused(pauses: &[fabric::PauseRecord], port: &PortRef, end: Time) -> Vec<(Time, Time)> {
    let mut open: BTreeMap<u8, Time> = BTreeMap::new();
    let mut intervals = Vec::new();
    for pause in pauses.iter().filter(|pause| pause.port == *port) {
        if pause.on {
            open.entry(pause.priority).or_insert(pause.at);
        } else if let Some(since) = open.remove(&pause.priority) {
            intervals.push((since, pause.at));
        }
    }
    intervals.extend(open.into_values().map(|since| (since, end)));
    intervals
}

fn overlaps(some: &[(Time, Time)], others: &[(Time, Time)]) -> Vec<(Time, Time)> {
    let pairs = some.iter().flat_map(|a| others.iter().map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(from, to)| from < to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_silence_counts_or_one_until_the_end() {
        let us = Time::from_us;
        let found = |times: &[u64], flushed: &[Time]| {
            quiet_times(times.iter().map(|at| us(*at)), us(100), flushed, us(1000))
        };
        assert_eq!(
            found(&[50, 90, 400, 450, 990], &[]),
            [(us(90), us(400)), (us(450), us(990)), (us(990), us(1000))]
        );
        assert_eq!(found(&[], &[]), [(us(0), us(1000))]);
        assert_eq!(found(&[50, 90, 990], &[us(70)])[0], (us(50), us(90)), "a watchdog ended it");
    }

    #[test]
    fn overlaps_are_the_times_that_both_have() {
        let us = Time::from_us;
        let found = overlaps(&[(us(0), us(10)), (us(20), us(30))], &[(us(5), us(25))]);
        assert_eq!(found, [(us(5), us(10)), (us(20), us(25))]);
    }
}
