//! The workload of a simulated NIC, as an application that knows its own verbs describes it, and how the NIC performs under it.

use model::Time;
use model::host::descriptor::{MemoryPlace, NicFamily, NicPerformance, ServerTraits, Workload};

use crate::host_loopback::NIC;
use crate::host_report::NicReading;

/// Bytes of the smallest RoCEv2 packet over IPv4 on the wire: an ACK with preamble and interframe gap.
const SMALLEST_PACKET_BYTES: f64 = (scenario::nic::ROCE_V4_BYTES + 4 + 4 + 20) as f64;

/// Describes the workload between two readings; absent if the model of the NIC does not depend on one. Whether requests were
/// outstanding all the time is unknown: flows have no application behind them.
pub(crate) fn descriptor(first: &NicReading, last: &NicReading) -> Option<Workload> {
    let model = last.pipeline.requests?.model;
    Some(Workload {
        device: Some(NIC.to_string()),
        // The model of the cache follows measurements of this family.
        nic: NicFamily::Cx6,
        bidirectional: false,
        transport: model.transport,
        opcode: model.operation,
        mtu_bytes: model.packet_bytes,
        wqe_batch: model.batch,
        sge_per_wqe: 1,
        wq_depth: model.depth,
        message_bytes: vec![model.message_bytes],
        memory_regions: model.queue_pairs,
        queue_pairs: model.queue_pairs,
        memory: MemoryPlace::Local,
        loopback_with_receive: false,
        server: ServerTraits::default(),
        fixed: Vec::new(),
        performance: performance(first, last),
    })
}

/// What the NIC received, beside what its link carries; absent without an interval.
fn performance(first: &NicReading, last: &NicReading) -> Option<NicPerformance> {
    let interval = last.at.saturating_sub(first.at);
    if interval == Time::ZERO {
        return None;
    }
    let seconds = interval.0 as f64 / 1e12;
    let pauses = first.totals.sent_pauses.iter().zip(&last.totals.sent_pauses);
    let paused = pauses.map(|(before, after)| after.paused(last.at).saturating_sub(before.paused(first.at)));
    let line_bps = last.line_rate.0 as f64;
    Some(NicPerformance {
        pause_ratio: (paused.max()?.0 as f64 / interval.0 as f64).min(1.0),
        bits_per_s: last.received_bytes.saturating_sub(first.received_bytes) as f64 * 8.0 / seconds,
        packets_per_s: last.received_packets.saturating_sub(first.received_packets) as f64 / seconds,
        specified_bits_per_s: line_bps,
        specified_packets_per_s: line_bps / (SMALLEST_PACKET_BYTES * 8.0),
        always_backlogged: None,
    })
}
