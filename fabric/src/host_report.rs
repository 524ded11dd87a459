//! The report of a simulated host: what its NIC counted between two readings, in the form in which an agent reports it.
//!
//! A counter of something that the model does not limit (translations of a NIC without a limited cache) is absent, as a
//! counter that hardware does not have. Sections that the model knows nothing about are absent.

use model::host::counters::{
    CacheCounters, Misses, NicCounters, PcieCounters, PriorityDrops, PriorityPauses, RegisteredMemory,
    WireCounters,
};
use model::host::descriptor::Workload;
use model::host::transport::{LossRecovery, Retransmission};
use model::host::{HostJobs, HostLatency, HostLoopback, HostReport, HostTenants, HostWorkload, RnicCounters};
use model::{FlowKey, PortRef, Rate, Time};
use scenario::nic::WriteOrdering;

use crate::host_descriptor;
use crate::host_inspection;
use crate::host_jobs::{self, JobReading};
use crate::host_loopback::{self, NIC};
use crate::host_operations::{self, ConnectionReading};
use crate::host_rates::{self, SendingReading};
use crate::host_tenants::{self, SharedReading};
use crate::nic::polls::PollGaps;
use crate::nic::receive::LoopbackCapacity;
use crate::nic::totals::{BusTotal, NicTotals, PauseTotal, PipelineTotals};

/// Flows in a report: those with the most retransmissions.
const REPORTED_FLOWS: usize = 64;

/// What a NIC has counted up to a time.
#[derive(Clone, Debug, PartialEq)]
pub struct NicReading {
    /// When.
    pub at: Time,
    /// The host.
    pub host: String,
    /// Rate of the link.
    pub line_rate: Rate,
    /// The switch port that the NIC is connected to.
    pub switch_port: PortRef,
    /// Bytes received, PFC frames included.
    pub received_bytes: u64,
    /// Frames received.
    pub received_packets: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Frames sent.
    pub sent_packets: u64,
    /// Pauses and drops.
    pub totals: NicTotals,
    /// Translations and the PCIe bus.
    pub pipeline: PipelineTotals,
    /// What limits loopback tests at this time.
    pub capacity: LoopbackCapacity,
    /// The flows that it receives, without those of RDMA READs.
    pub flows: Vec<FlowReading>,
    /// The flows of messages that it sends, without those of RDMA READs.
    pub connections: Vec<ConnectionReading>,
    /// What it has sent of each flow, without those of RDMA READs.
    pub sending: Vec<SendingReading>,
    /// The jobs of the host.
    pub jobs: Vec<JobReading>,
    /// When the application has not polled completions.
    pub poll_gaps: Vec<PollGaps>,
    /// What tenants share; absent without tenants.
    pub shared: Option<SharedReading>,
}

/// What a NIC has counted of a flow that it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowReading {
    /// The flow.
    pub flow: FlowKey,
    /// Its priority.
    pub priority: u8,
    /// Whether losses are recovered with go-back-N; otherwise with selective repeat.
    pub is_go_back_n: bool,
    /// Payload bytes of a full packet.
    pub packet_bytes: u32,
    /// Packets accepted.
    pub accepted_packets: u64,
    /// Packets discarded: out of order, or repeated although they had arrived.
    pub discarded_packets: u64,
    /// NAKs sent: gaps in the sequence of packets.
    pub naks: u64,
}

/// Reports what a NIC counted from the first reading to the last one. `lossless` has a bit for each priority with PFC.
pub fn host_report(first: &NicReading, last: &NicReading, lossless: u8) -> HostReport {
    report_with_recent_rates((first, first, last), lossless)
}

/// As [`host_report`], with the rates of flows from the second reading on: rates change, so that those of a longer time are a
/// mixture.
pub(crate) fn report_with_recent_rates(
    (first, recent, last): (&NicReading, &NicReading, &NicReading),
    lossless: u8,
) -> HostReport {
    let interval_ns = last.at.saturating_sub(first.at).as_ns();
    let interval = Interval { first, recent, last, lossless, interval_ns };
    HostReport {
        counters: Some(RnicCounters { nics: vec![interval.counters()] }),
        loopback: Some(interval.loopback()),
        tenants: interval.tenants(),
        inspection: interval.ordering().map(|_| host_inspection::inspection()),
        workload: interval.workload(),
        latency: interval.latency(),
        jobs: interval.jobs(),
        polls: host_operations::polls(last, first.at),
        ..HostReport::new(last.host.clone(), interval_ns)
    }
}

struct Interval<'r> {
    first: &'r NicReading,
    recent: &'r NicReading,
    last: &'r NicReading,
    lossless: u8,
    interval_ns: u64,
}

impl Interval<'_> {
    fn counters(&self) -> NicCounters {
        let (first, last) = (self.first, self.last);
        NicCounters {
            nic: NIC.to_string(),
            line_rate_bps: last.line_rate.0,
            switch_port: Some(last.switch_port.clone()),
            sent_pauses: self.pauses(|totals| &totals.sent_pauses),
            received_pauses: self.pauses(|totals| &totals.received_pauses),
            wire: Some(WireCounters {
                received_bytes: last.received_bytes.saturating_sub(first.received_bytes),
                received_packets: last.received_packets.saturating_sub(first.received_packets),
                sent_bytes: last.sent_bytes.saturating_sub(first.sent_bytes),
                sent_packets: last.sent_packets.saturating_sub(first.sent_packets),
            }),
            receive_stopped_ns: Some(self.receive_stopped().as_ns()),
            receive_full_ns: Some(self.time(|reading| reading.pipeline.buffer.full(reading.at))),
            stalled_writes_ns: Some(
                self.time(|reading| reading.pipeline.bus.map_or(Time::ZERO, |bus| bus.stalled)),
            ),
            waited_reads_ns: Some(self.time(|reading| reading.pipeline.fetching)),
            pcie: Some(self.pcie()),
            loopback_bytes: Some(self.loopback_bytes()),
            caches: self.caches(),
            memory: last.pipeline.translations.map(|total| RegisteredMemory {
                bytes: total.model.region_bytes,
                page_bytes: total.model.page_bytes,
                mtt_entries: Some(total.model.entries),
            }),
            drops: self.drops(),
            ..NicCounters::default()
        }
    }

    /// The pauses of each priority that had any.
    fn pauses(&self, of: fn(&NicTotals) -> &[PauseTotal; 8]) -> Vec<PriorityPauses> {
        let rows = of(&self.first.totals).iter().zip(of(&self.last.totals)).zip(0u8..);
        let rows = rows.map(|((before, after), priority)| {
            let paused = after.paused(self.last.at).saturating_sub(before.paused(self.first.at));
            PriorityPauses {
                priority,
                frames: after.frames.saturating_sub(before.frames),
                paused_ns: Some(paused.as_ns().min(self.interval_ns)),
                longest_ns: None,
            }
        });
        rows.filter(|row| row.frames > 0 || row.paused_ns > Some(0)).collect()
    }

    fn drops(&self) -> Vec<PriorityDrops> {
        let rows = self.first.totals.drops.iter().zip(&self.last.totals.drops).zip(0u8..);
        let rows = rows.map(|((before, after), priority)| PriorityDrops {
            priority,
            is_lossless: self.is_lossless(priority),
            packets: after.saturating_sub(*before),
        });
        rows.filter(|row| row.packets > 0).collect()
    }

    fn is_lossless(&self, priority: u8) -> bool {
        self.lossless >> (priority & 7) & 1 == 1
    }

    fn caches(&self) -> Option<CacheCounters> {
        let mtt = self
            .misses(|totals| totals.translations.map(|total| (total.found.misses, total.found.lookups)))
            .or_else(|| self.shared().and_then(|(first, last)| host_tenants::misses(first, last)));
        let icm = self.misses(|totals| totals.contexts.map(|total| (total.misses, total.lookups)));
        let receive_wqe = self.misses(|totals| totals.requests.map(|total| (total.misses, total.lookups)));
        let has_any = mtt.is_some() || icm.is_some() || receive_wqe.is_some();
        has_any.then_some(CacheCounters { mtt, icm, receive_wqe })
    }

    fn shared(&self) -> Option<(&SharedReading, &SharedReading)> {
        self.first.shared.as_ref().zip(self.last.shared.as_ref())
    }

    fn tenants(&self) -> Option<HostTenants> {
        let (first, last) = self.shared()?;
        host_tenants::tenants(NIC, self.last.line_rate, (self.first.at, first), (self.last.at, last))
    }

    /// The growth of misses and lookups in a cache; `None` if it is not limited.
    fn misses(&self, of: fn(&PipelineTotals) -> Option<(u64, u64)>) -> Option<Misses> {
        let (misses, lookups) = of(&self.last.pipeline)?;
        let (before, lookups_before) = of(&self.first.pipeline).unwrap_or_default();
        Some(Misses {
            misses: misses.saturating_sub(before),
            lookups: Some(lookups.saturating_sub(lookups_before)),
            usual_misses: None,
        })
    }

    fn loopback_bytes(&self) -> u64 {
        let of = |reading: &NicReading| reading.pipeline.bus.map_or(0, |bus| bus.loopback_bytes(reading.at));
        of(self.last).saturating_sub(of(self.first))
    }

    /// What crosses the bus; one without a limit at the end of the interval keeps up with the link. Loopback traffic crosses it in
    /// both directions. The model does not limit what the host sends.
    fn pcie(&self) -> PcieCounters {
        let (first, last) = (self.first, self.last);
        let loopback_bytes = self.loopback_bytes();
        let limited = last.pipeline.bus.filter(BusTotal::is_limiting);
        let from_network = match limited {
            Some(bus) => {
                bus.network_bytes.saturating_sub(first.pipeline.bus.map_or(0, |bus| bus.network_bytes))
            }
            None => last.received_bytes.saturating_sub(first.received_bytes),
        };
        PcieCounters {
            capacity_bps: limited.map_or(last.capacity.bus.rate, |total| total.link()).0,
            to_nic_bytes: loopback_bytes,
            to_host_bytes: loopback_bytes.saturating_add(from_network),
        }
    }

    /// The order of writes that limits the bus at the end of the interval.
    fn ordering(&self) -> Option<WriteOrdering> {
        self.last.pipeline.bus.filter(BusTotal::is_limiting)?.ordering
    }

    /// How much a time has grown, in nanoseconds; at most the interval.
    fn time(&self, of: fn(&NicReading) -> Time) -> u64 {
        of(self.last).saturating_sub(of(self.first)).as_ns().min(self.interval_ns)
    }

    /// Since when no frame has left the receive buffer, if one is in it.
    fn receive_stopped(&self) -> Time {
        let since = self.last.pipeline.buffer.waiting_since;
        since.map_or(Time::ZERO, |since| self.last.at.saturating_sub(since.max(self.first.at)))
    }

    /// A loopback test at the end of the interval, beside its average service traffic.
    fn loopback(&self) -> HostLoopback {
        let bytes = self.pcie().to_host_bytes;
        let bits_per_s = u128::from(bytes) * 8_000_000_000 / u128::from(self.interval_ns.max(1));
        let service = Rate(u64::try_from(bits_per_s).unwrap_or(u64::MAX));
        host_loopback::test(self.last.at, self.last.line_rate, self.last.capacity, service)
    }

    /// The flows that were received in the interval, and the workload that they belong to.
    fn workload(&self) -> Option<HostWorkload> {
        let mut rows: Vec<(u64, Retransmission)> =
            self.last.flows.iter().filter_map(|flow| self.retransmission(flow)).collect();
        rows.sort_by_key(|(discarded, _)| std::cmp::Reverse(*discarded));
        rows.truncate(REPORTED_FLOWS);
        let retransmissions: Vec<Retransmission> = rows.into_iter().map(|(_, row)| row).collect();
        let descriptors: Vec<Workload> =
            host_descriptor::descriptor(self.first, self.last).into_iter().collect();
        let rates = host_rates::rates(self.recent, self.last);
        let has_any = !retransmissions.is_empty() || !descriptors.is_empty() || rates.is_some();
        has_any.then(|| HostWorkload { retransmissions, descriptors, rates, ..HostWorkload::default() })
    }

    /// The operations that completed in the interval, and the transfers of jobs.
    fn latency(&self) -> Option<HostLatency> {
        let (first, last) = (self.first.at, self.last.at);
        let operations = host_operations::latency(&self.last.connections, first, last);
        let transfers = host_jobs::transfers(self.last, first);
        if transfers.is_empty() {
            return operations;
        }
        Some(HostLatency { transfers, ..operations.unwrap_or_default() })
    }

    fn jobs(&self) -> Option<HostJobs> {
        host_jobs::jobs(self.first, self.last)
    }

    /// A flow, with the number of packets that were discarded; `None` if nothing arrived.
    fn retransmission(&self, after: &FlowReading) -> Option<(u64, Retransmission)> {
        let before = self.first.flows.iter().find(|flow| flow.flow == after.flow);
        let of = |field: fn(&FlowReading) -> u64| field(after).saturating_sub(before.map_or(0, field));
        let (accepted, discarded) = (of(|flow| flow.accepted_packets), of(|flow| flow.discarded_packets));
        let arrived = accepted.saturating_add(discarded);
        if arrived == 0 || self.interval_ns == 0 {
            return None;
        }
        let rate = |packets: u64| {
            packets as f64 * f64::from(after.packet_bytes) * 8.0 * 1e9 / self.interval_ns as f64
        };
        let row = Retransmission {
            flow: after.flow,
            raw_bits_per_s: rate(arrived),
            goodput_bits_per_s: rate(accepted),
            loss_ratio: Some((of(|flow| flow.naks) as f64 / arrived as f64).min(1.0)),
            recovery: if after.is_go_back_n { LossRecovery::GoBackN } else { LossRecovery::SelectiveRepeat },
            is_lossless: Some(self.is_lossless(after.priority)),
            records: Vec::new(),
        };
        Some((discarded, row))
    }
}

#[cfg(test)]
mod tests {
    use scenario::nic::{HostBus, MttModel, Translations};

    use crate::nic::totals::BufferTotal;

    use super::*;

    fn reading(at_us: u64) -> NicReading {
        NicReading {
            at: Time::from_us(at_us),
            host: "h1".to_string(),
            line_rate: Rate::from_gbps(100),
            switch_port: PortRef::new("s1", 4),
            received_bytes: at_us * 1000,
            received_packets: at_us,
            sent_bytes: at_us * 100,
            sent_packets: at_us,
            totals: NicTotals::default(),
            pipeline: PipelineTotals::default(),
            capacity: LoopbackCapacity {
                nic: Rate::from_gbps(100),
                bus: HostBus::for_link(Rate::from_gbps(100)),
            },
            flows: Vec::new(),
            connections: Vec::new(),
            sending: Vec::new(),
            jobs: Vec::new(),
            poll_gaps: Vec::new(),
            shared: None,
        }
    }

    fn flow(accepted_packets: u64, discarded_packets: u64, naks: u64) -> FlowReading {
        FlowReading {
            flow: "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap(),
            priority: 3,
            is_go_back_n: true,
            packet_bytes: 1000,
            accepted_packets,
            discarded_packets,
            naks,
        }
    }

    #[test]
    fn a_report_has_the_increase_of_each_counter() {
        let (mut first, mut last) = (reading(1000), reading(2000));
        let model =
            MttModel { entries: 2048, page_bytes: 4096, region_bytes: 1 << 25, miss: Time::from_us(1) };
        first.pipeline.translated(model, Translations { lookups: 10, misses: 1 });
        first.totals.sent_pauses[3].pause(Time::from_us(900), Time::from_us(1100));
        (last.pipeline, last.totals) = (first.pipeline, first.totals);
        last.pipeline.translated(model, Translations { lookups: 30, misses: 20 });
        last.totals.sent_pauses[3].pause(Time::from_us(1500), Time::from_us(1900));
        last.totals.drops[3] = 7;
        let report = host_report(&first, &last, 1 << 3);
        assert_eq!((report.host.as_str(), report.interval_ns), ("h1", 1_000_000));
        let nic = &report.counters.as_ref().unwrap().nics[0];
        let pauses = PriorityPauses { priority: 3, frames: 1, paused_ns: Some(500_000), longest_ns: None };
        assert_eq!(
            (nic.sent_pauses.as_slice(), nic.received_pauses.as_slice()),
            ([pauses].as_slice(), [].as_slice())
        );
        assert_eq!(nic.drops, [PriorityDrops { priority: 3, is_lossless: true, packets: 7 }]);
        assert_eq!(nic.wire.map(|wire| (wire.received_bytes, wire.sent_packets)), Some((1_000_000, 1000)));
        let mtt = Misses { misses: 20, lookups: Some(30), usual_misses: None };
        assert_eq!(nic.caches.and_then(|caches| caches.mtt), Some(mtt));
        assert_eq!(nic.memory.and_then(|memory| memory.mtt_entries), Some(2048));
        // A bus without a limit carries what arrives.
        assert_eq!(nic.pcie.map(|pcie| pcie.to_host_bytes), Some(1_000_000));
        assert_eq!((nic.stalled_writes_ns, nic.loopback_bytes), (Some(0), Some(0)));
    }

    #[test]
    fn a_full_buffer_and_the_last_frame_that_left_it_are_times_of_the_interval() {
        let (mut first, mut last) = (reading(1000), reading(2000));
        first.pipeline.buffer.filled(Time::from_us(400));
        (last.pipeline, last.totals) = (first.pipeline, first.totals);
        let report_of = |buffer: BufferTotal| {
            let mut last = last.clone();
            last.pipeline.buffer = buffer;
            let nic = host_report(&first, &last, 0).counters.unwrap().nics[0].clone();
            (nic.receive_full_ns, nic.receive_stopped_ns)
        };
        let mut buffer = last.pipeline.buffer;
        buffer.waiting_since = Some(Time::from_us(400));
        assert_eq!(report_of(buffer), (Some(1_000_000), Some(1_000_000)));
        buffer.waiting_since = Some(Time::from_us(1990));
        assert_eq!(report_of(buffer), (Some(1_000_000), Some(10_000)));
        buffer.drained(Time::from_us(1300));
        buffer.waiting_since = None;
        assert_eq!(report_of(buffer), (Some(300_000), Some(0)));
    }

    #[test]
    fn bytes_on_the_bus_are_those_of_the_network_and_of_loopback_traffic() {
        let (mut first, mut last) = (reading(0), reading(1000));
        let bus = HostBus { rate: Rate::from_gbps(80), loopback: Rate::from_gbps(80) };
        first.pipeline.bus_starts(Time::ZERO, bus, None);
        last.pipeline = first.pipeline;
        last.pipeline.crossed_bus(4_000_000, Time::from_us(800));
        last.pipeline.stalled(Time::from_us(700));
        let report = host_report(&first, &last, 0);
        let nic = &report.counters.as_ref().unwrap().nics[0];
        assert_eq!(nic.loopback_bytes, Some(6_000_000));
        let pcie =
            PcieCounters { capacity_bps: 80_000_000_000, to_nic_bytes: 6_000_000, to_host_bytes: 10_000_000 };
        assert_eq!((nic.pcie, nic.stalled_writes_ns), (Some(pcie), Some(700_000)));
        // The limit is lifted: what arrives crosses the bus.
        last.pipeline.bus_ends(Time::from_us(1000));
        let later = NicReading { at: Time::from_us(2000), received_bytes: 1_700_000, ..last.clone() };
        let pcie = host_report(&last, &later, 0).counters.unwrap().nics[0].pcie.unwrap();
        assert_eq!((pcie.to_host_bytes, pcie.capacity_bps / 1_000_000_000), (700_000, 126));
    }

    #[test]
    fn goodput_is_what_was_accepted() {
        let (mut first, mut last) = (reading(0), reading(1000));
        first.flows = vec![flow(100, 0, 0)];
        last.flows = vec![flow(700, 400, 10)];
        let report = host_report(&first, &last, 1 << 3);
        let rows = report.workload.unwrap().retransmissions;
        assert_eq!((rows[0].raw_bits_per_s, rows[0].goodput_bits_per_s), (8e9, 4.8e9));
        assert_eq!((rows[0].loss_ratio, rows[0].is_lossless), (Some(0.01), Some(true)));
        assert_eq!(rows[0].recovery, LossRecovery::GoBackN);
        let idle = host_report(&last, &NicReading { at: Time::from_us(3000), ..last.clone() }, 0);
        assert_eq!(idle.workload, None);
    }
}
