//! The sections `latency` and `polls` of the report of a simulated host: when its RDMA operations were posted, transmitted and
//! completed, and when its application did not poll completions.

use model::host::latency::{OperationKind, RdmaConnection, RdmaOperation};
use model::host::polls::PollGap;
use model::host::{HostLatency, HostPolls};
use model::{FlowKey, Rate, Time};
use scenario::nic::Operation;

use crate::host_report::NicReading;
use crate::nic::operations::OperationTimes;

/// Connections in a report: those whose operations take longest in sum. With 64 operations each, a report stays below the
/// limit of 1 MiB that those of agents have.
const REPORTED_CONNECTIONS: usize = 32;
/// Gaps between polls in a report: the latest ones, enough for a pattern (a choice).
const REPORTED_GAPS: usize = 64;
/// The name of the thread that polls.
const THREAD: &str = "application";

/// The latest operations of a queue pair that a NIC sends with.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionReading {
    /// The flow.
    pub flow: FlowKey,
    /// The operation of its messages.
    pub operation: Operation,
    /// Round-trip time of its path without queueing.
    pub base_rtt: Option<Time>,
    /// Rate of the slowest link of its path.
    pub slowest_link: Option<Rate>,
    /// The operations, in the order of completion.
    pub operations: Vec<OperationTimes>,
}

/// The operations that completed after `first` and up to `last`; `None` if there are none.
pub(crate) fn latency(connections: &[ConnectionReading], first: Time, last: Time) -> Option<HostLatency> {
    let in_interval =
        |operation: &&OperationTimes| first < operation.completed && operation.completed <= last;
    let mut rows: Vec<(Time, &ConnectionReading, Vec<RdmaOperation>)> = Vec::new();
    for connection in connections {
        let completed: Vec<&OperationTimes> = connection.operations.iter().filter(in_interval).collect();
        if !completed.is_empty() {
            let took = completed.iter().map(|o| o.completed.saturating_sub(o.posted));
            let took = took.fold(Time::ZERO, |sum, time| Time(sum.0.saturating_add(time.0)));
            let operations = completed.into_iter().map(|times| operation(connection, times)).collect();
            rows.push((took, connection, operations));
        }
    }
    rows.sort_by_key(|(took, ..)| std::cmp::Reverse(*took));
    rows.truncate(REPORTED_CONNECTIONS);
    let connections = rows.iter().map(|(_, connection, _)| RdmaConnection {
        name: connection.flow.to_string(),
        base_rtt_ns: connection.base_rtt.map(Time::as_ns),
        bits_per_s: connection.slowest_link.map(|rate| rate.0 as f64),
    });
    let connections: Vec<RdmaConnection> = connections.collect();
    let mut operations: Vec<RdmaOperation> =
        rows.into_iter().flat_map(|(_, _, operations)| operations).collect();
    operations.sort_by_key(|operation| operation.t5_ns);
    let has_any = !operations.is_empty();
    has_any.then(|| HostLatency { connections, operations, transfers: Vec::new() })
}

/// The gaps between polls that overlap the time from `first` to the reading and are over, of a host that posts operations; one thread polls.
pub(crate) fn polls(reading: &NicReading, first: Time) -> Option<HostPolls> {
    let all = reading.poll_gaps.iter().flat_map(|gaps| {
        let of_gap = |start: Time| PollGap {
            thread: THREAD.to_string(),
            start_ns: start.as_ns(),
            duration_ns: gaps.model.gap.as_ns(),
        };
        let is_over = |start: &Time| start.0.saturating_add(gaps.model.gap.0) <= reading.at.0;
        gaps.begins((first, reading.at)).filter(is_over).rev().take(REPORTED_GAPS).map(of_gap)
    });
    let mut gaps: Vec<PollGap> = all.collect();
    gaps.sort_by_key(|gap| gap.start_ns);
    gaps.drain(..gaps.len().saturating_sub(REPORTED_GAPS));
    let has_operations = !reading.connections.is_empty();
    has_operations.then(|| HostPolls { polling_threads: Some(1), gaps, ..HostPolls::default() })
}

fn operation(connection: &ConnectionReading, times: &OperationTimes) -> RdmaOperation {
    let completed = times.completed.as_ns();
    RdmaOperation {
        connection: connection.flow.to_string(),
        kind: match connection.operation {
            Operation::Write => OperationKind::Write,
            Operation::Send => OperationKind::Send,
            Operation::Read => OperationKind::Read,
        },
        success: true,
        bytes: Some(times.bytes),
        t1_ns: times.posted.as_ns(),
        t2_ns: None,
        t3_ns: None,
        t4_ns: Some(times.started.as_ns()),
        t5_ns: completed,
        t6_ns: times.polled.as_ns(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_the_operations_of_its_interval_in_the_order_of_completion() {
        let us = Time::from_us;
        let times = |posted, completed| OperationTimes {
            begun: us(posted),
            ready: us(posted),
            posted: us(posted),
            started: us(completed - 1),
            completed: us(completed),
            polled: us(completed),
            bytes: 4096,
        };
        let connection = |sport: u16, operations: Vec<OperationTimes>| ConnectionReading {
            flow: format!("10.0.0.1:{sport}>10.0.0.2:4791/udp").parse().unwrap(),
            operation: Operation::Send,
            base_rtt: Some(us(8)),
            slowest_link: Some(Rate::from_gbps(100)),
            operations,
        };
        let both = [
            connection(1, vec![times(5, 10), times(6, 20)]),
            connection(2, vec![times(7, 19), times(8, 31)]),
        ];
        let found = latency(&both, us(10), us(30)).unwrap();
        let ends: Vec<(u64, u64)> = found.operations.iter().map(|o| (o.t1_ns, o.t5_ns)).collect();
        assert_eq!(ends, [(7_000, 19_000), (6_000, 20_000)]);
        assert_eq!(found.connections.len(), 2);
        assert_eq!(latency(&both, us(40), us(50)), None);
    }
}
