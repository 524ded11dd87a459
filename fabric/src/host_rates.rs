//! The section `workload.rates` of the report of a simulated host: what each of its flows sent, and how fast congestion control,
//! window and application would have let it.

use std::cmp::Reverse;

use model::host::transport::{FlowRate, FlowRates, LinkRate};
use model::{FlowKey, Time};

use crate::host_loopback::NIC;
use crate::host_report::NicReading;

/// Flows in a report: those that sent most. The others are small parts of the link.
const REPORTED_FLOWS: usize = 64;
/// A flow always had data if it lacked data for at most this share of its time: a choice.
const MOST_TIME_WITHOUT_DATA: f64 = 0.1;
/// A flow that was active for less than this share of the interval shared the link with the others for too short a time. By
/// majority.
const LEAST_TIME_ACTIVE: f64 = 0.5;

/// What a NIC has sent of a flow up to a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SendingReading {
    /// The flow.
    pub flow: FlowKey,
    /// Bytes, headers included.
    pub bytes: u64,
    /// How long they take at the rates that congestion control and window allowed.
    pub at_rate: Time,
    /// For how long its application had posted nothing.
    pub without_data: Time,
    /// When it started.
    pub started: Time,
    /// When it was complete.
    pub finished: Option<Time>,
}

/// The flows that sent in the interval between two readings; `None` if there are none.
pub(crate) fn rates(first: &NicReading, last: &NicReading) -> Option<FlowRates> {
    let interval = last.at.saturating_sub(first.at).as_secs_f64();
    let mut flows: Vec<FlowRate> = last
        .sending
        .iter()
        .filter_map(|after| {
            let before = first.sending.iter().find(|before| before.flow == after.flow);
            flow_rate(&last.host, before, after, (first.at, last.at))
        })
        .collect();
    if flows.is_empty() || interval <= 0.0 {
        return None;
    }
    flows.sort_by_key(|flow| Reverse(flow.bits_per_s as u64));
    flows.truncate(REPORTED_FLOWS);
    Some(FlowRates {
        links: vec![LinkRate { name: NIC.to_string(), bits_per_s: last.line_rate.0 as f64 }],
        flows,
    })
}

fn flow_rate(
    host: &str,
    before: Option<&SendingReading>,
    after: &SendingReading,
    (from, to): (Time, Time),
) -> Option<FlowRate> {
    let bits = after.bytes.saturating_sub(before.map_or(0, |before| before.bytes)) as f64 * 8.0;
    let grown = |of: fn(&SendingReading) -> Time| {
        of(after).saturating_sub(before.map_or(Time::ZERO, of)).as_secs_f64()
    };
    let interval = to.saturating_sub(from).as_secs_f64();
    let active = after.finished.unwrap_or(to).min(to).saturating_sub(after.started.max(from)).as_secs_f64();
    if bits <= 0.0 || active <= 0.0 {
        return None;
    }
    let (at_rate, without_data) = (grown(|reading| reading.at_rate), grown(|reading| reading.without_data));
    let is_short = active < LEAST_TIME_ACTIVE * interval;
    let bits_per_s = bits / if is_short { interval } else { active };
    let lacks_data = without_data > MOST_TIME_WITHOUT_DATA * active;
    // The time of the last packet may end after the reading.
    let at_rate = at_rate.min(active);
    let allowed = if is_short || lacks_data || at_rate <= 0.0 { bits_per_s } else { bits / at_rate };
    Some(FlowRate {
        flow: after.flow,
        sender: format!("{host}/{NIC}"),
        links: vec![NIC.to_string()],
        bits_per_s,
        demand_bits_per_s: Some(allowed),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rate and demand, in Gb/s, of a flow that sends 1.25 MB in 1 ms; times in us.
    #[track_caller]
    fn check(at_rate: u64, without_data: u64, started: u64, expected: (f64, f64)) {
        let us = Time::from_us;
        let reading = |bytes, at_rate, without_data| SendingReading {
            flow: "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap(),
            bytes,
            at_rate,
            without_data,
            started: us(started),
            finished: None,
        };
        let before = reading(1_000_000, us(500), us(300));
        let after = reading(2_250_000, us(500 + at_rate), us(300 + without_data));
        let found = flow_rate("h1", Some(&before), &after, (us(1_000), us(2_000))).unwrap();
        let demand = found.demand_bits_per_s.unwrap();
        assert!((found.bits_per_s / 1e9 - expected.0).abs() < 0.01, "{}", found.bits_per_s);
        assert!((demand / 1e9 - expected.1).abs() < 0.01, "{demand}");
    }

    #[test]
    fn the_demand_of_a_flow_is_what_its_rate_and_its_application_allow() {
        check(1_000, 0, 0, (10.0, 10.0));
        check(1_200, 0, 0, (10.0, 10.0));
        check(100, 0, 0, (10.0, 100.0));
        check(100, 50, 0, (10.0, 100.0));
        check(100, 500, 0, (10.0, 10.0));
        check(100, 0, 1_400, (16.67, 100.0));
        check(100, 0, 1_600, (10.0, 10.0));
    }
}
