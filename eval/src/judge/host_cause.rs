//! Causes inside hosts: what the model of a host does, and whether verdicts name it.
//!
//! The judge by intervention knows that a host is guilty, and removes all of its faults at once. Which part of the host it
//! is, is a fact of the model: the fault that was active, and the packets of the run. The counts are apart from the grades.

use std::collections::{BTreeMap, BTreeSet};

use fabric::{FlowRecord, RunError};
use model::{Cause, Diagnosis, PortRef, Time};
use scenario::nic::{
    ContextModel, HostBus, HostJobSpec, Messages, MttModel, ReceiveWqeModel, Reliability, TenantSpec,
};
use scenario::{FaultKind, Scenario};
use serde::{Deserialize, Serialize};

use super::actor::Actor;
use super::bench::Bench;
use super::grade::window;
use super::harm::Disturbance;

/// A flow is wasted by go-back-N if at least one of this many packets that it sent was sent before.
const WASTED: u64 = 10;

/// Verdicts and events of one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCauseCount {
    /// The cause.
    pub cause: Cause,
    /// Verdicts that give it.
    pub given: u64,
    /// Those of them whose host does it.
    pub right: u64,
    /// Hosts whose model does it and that delay a flow.
    pub events: u64,
    /// Those of them of which a verdict gives it.
    pub named: u64,
}

/// What the model of a host does while its fault is active; `special` is the cause that names the part, `general` those that
/// are true as well.
struct Truth {
    special: Cause,
    general: Option<Cause>,
    when: (Time, Time),
}

impl Truth {
    /// A cause without a less specific one.
    fn only(special: Cause, when: (Time, Time)) -> Truth {
        Truth { special, general: None, when }
    }
}

/// The causes that are inside a host.
const IN_HOSTS: [Cause; 14] = [
    Cause::NicStorm,
    Cause::SlowReceiver,
    Cause::LoopbackCongestion,
    Cause::IntraHostLink,
    Cause::QpCacheThrash,
    Cause::RnicWorkload,
    Cause::GoBackNWaste,
    Cause::PollGap,
    Cause::HiddenFence,
    Cause::NoisyTenant,
    Cause::CongestionLeaking,
    Cause::HostControlOverhead,
    Cause::GpuCoLocation,
    Cause::LegitimatelyNetworkBound,
];

/// Counts the causes inside hosts, by cause. `events` are the disturbances that delay a flow.
///
/// # Errors
/// A run that cannot be repeated.
pub fn host_causes<'d>(
    bench: &mut Bench<'_>,
    scenario: &Scenario,
    verdicts: &[Diagnosis],
    events: impl Iterator<Item = &'d Disturbance>,
) -> Result<Vec<HostCauseCount>, RunError> {
    let seed = bench.seed();
    let wasted = wasted(scenario, &bench.base()?.flows);
    let mut counts: BTreeMap<Cause, HostCauseCount> = BTreeMap::new();
    for verdict in verdicts.iter().filter(|verdict| IN_HOSTS.contains(&verdict.cause)) {
        let Some(host) = &verdict.root_cause.host else { continue };
        let found = count(&mut counts, verdict.cause);
        found.given += 1;
        found.right += u64::from(does(scenario, seed, verdict, host, &wasted));
    }
    let hosts = events.flat_map(|event| &event.actors).filter_map(|actor| match actor {
        Actor::Host(host) => Some(host),
        _ => None,
    });
    let hosts: BTreeSet<&String> = hosts.collect();
    for host in network_bound(scenario, &bench.base()?.flows) {
        let names = |verdict: &&Diagnosis| verdict.cause == Cause::LegitimatelyNetworkBound;
        let found = count(&mut counts, Cause::LegitimatelyNetworkBound);
        found.events += 1;
        let mut named = verdicts.iter().filter(names);
        found.named += u64::from(named.any(|verdict| verdict.root_cause.host.as_ref() == Some(host)));
    }
    for host in hosts {
        let mut causes: BTreeSet<Cause> =
            truths(scenario, seed, host).into_iter().map(|truth| truth.special).collect();
        // Nothing that can be removed delays such a job.
        causes.remove(&Cause::LegitimatelyNetworkBound);
        causes.extend(wasted.contains(host).then_some(Cause::GoBackNWaste));
        for cause in causes {
            let names = |verdict: &Diagnosis| {
                verdict.cause == cause && verdict.root_cause.host.as_ref() == Some(host)
            };
            let found = count(&mut counts, cause);
            found.events += 1;
            found.named += u64::from(verdicts.iter().any(names));
        }
    }
    Ok(counts.into_values().collect())
}

fn count(counts: &mut BTreeMap<Cause, HostCauseCount>, cause: Cause) -> &mut HostCauseCount {
    counts.entry(cause).or_insert(HostCauseCount { cause, given: 0, right: 0, events: 0, named: 0 })
}

/// Whether a host does what a verdict says, in the time that the verdict is about.
fn does(scenario: &Scenario, seed: u64, verdict: &Diagnosis, host: &str, wasted: &BTreeSet<String>) -> bool {
    if verdict.cause == Cause::GoBackNWaste {
        return wasted.contains(host);
    }
    let (from, to) = window(verdict);
    truths(scenario, seed, host).iter().any(|truth| {
        let is_named = verdict.cause == truth.special || Some(verdict.cause) == truth.general;
        is_named && truth.when.0 <= to && from <= truth.when.1
    })
}

/// What the model of a host does, one entry for each fault, setting or tenant that slows it down or makes it pause.
fn truths(scenario: &Scenario, seed: u64, host: &str) -> Vec<Truth> {
    let line_bps = scenario.topology.link_of(&PortRef::new(host, 1)).map_or(u64::MAX, |link| link.rate.0);
    let packet_bytes = scenario.host_settings(host).payload_bytes;
    let faults = scenario.faults.iter().enumerate().filter(|(_, fault)| fault.host == host);
    let truth = |(index, fault): (usize, &scenario::FaultSpec)| {
        let start = fault.drawn_start(seed, index);
        let (special, general) = cause(&fault.kind, line_bps, packet_bytes)?;
        Some(Truth { special, general, when: (start, Time(start.0.saturating_add(fault.duration.0))) })
    };
    let mut truths: Vec<Truth> = faults.filter_map(truth).collect();
    let all = (Time::ZERO, Time::MAX);
    truths.extend(is_fenced(scenario, host).then_some(Truth::only(Cause::HiddenFence, all)));
    let noisy = scenario.tenants.iter().filter(|tenant| tenant.host == host && is_noisy(tenant));
    let noisy = noisy.map(|tenant| (tenant.start, tenant.end));
    truths.extend(noisy.map(|when| Truth::only(Cause::NoisyTenant, when)));
    truths.extend(leaks(scenario, host).then_some(Truth::only(Cause::CongestionLeaking, all)));
    truths.extend(of_jobs(scenario, host, line_bps));
    truths
}

/// What delays the jobs of a host, or bounds them.
fn of_jobs(scenario: &Scenario, host: &str, line_bps: u64) -> Vec<Truth> {
    let jobs = || scenario.host_jobs.iter().filter(|job| job.host == host);
    let all = (Time::ZERO, Time::MAX);
    let mut truths = Vec::new();
    for job in jobs().filter(|job| !job.flows.is_empty()) {
        truths.extend(
            (job.control_overhead > Time::ZERO).then_some(Truth::only(Cause::HostControlOverhead, all)),
        );
        truths.extend(
            is_bound(scenario, job, line_bps).then_some(Truth::only(Cause::LegitimatelyNetworkBound, all)),
        );
        let others = jobs().filter(|other| other.shares_gpu(job)).filter_map(HostJobSpec::gpu_use);
        truths.extend(others.map(|used| Truth::only(Cause::GpuCoLocation, (used.start, used.end))));
    }
    truths
}

/// Whether the NIC of a host serves its flows strictly in turn, and has several.
fn leaks(scenario: &Scenario, host: &str) -> bool {
    let flows = scenario.flows.iter().filter(|flow| flow.src == host).count();
    scenario.host_settings(host).leaks_congestion && flows > 1
}

/// Whether the messages of a job need the whole link of its host for longer than the job would compute.
fn is_bound(scenario: &Scenario, job: &HostJobSpec, line_bps: u64) -> bool {
    let Some(wanted) = job.wanted else { return false };
    let owned = scenario.flows.iter().filter(|flow| flow.src == job.host && job.owns(&flow.label));
    let bits: u64 = owned.filter_map(|flow| flow.messages.bytes).sum::<u64>().saturating_mul(8);
    bits as f64 / line_bps as f64 > wanted.as_secs_f64()
}

/// The hosts with a job that is bound by its link, and that has completed messages.
fn network_bound<'s>(scenario: &'s Scenario, flows: &[FlowRecord]) -> BTreeSet<&'s String> {
    let has_sent = |job: &&HostJobSpec| {
        let of_host = |flow: &&FlowRecord| {
            scenario.topology.host_of(flow.flow.src).is_some_and(|node| node.name == job.host)
        };
        flows.iter().filter(of_host).any(|flow| job.owns(&flow.label) && flow.messages.count > 0)
    };
    let line_bps =
        |host: &str| scenario.topology.link_of(&PortRef::new(host, 1)).map_or(u64::MAX, |link| link.rate.0);
    let bound = scenario.host_jobs.iter().filter(|job| is_bound(scenario, job, line_bps(&job.host)));
    bound.filter(has_sent).map(|job| &job.host).collect()
}

/// Whether registrations of a host wait for the requests before them, of which several are posted.
fn is_fenced(scenario: &Scenario, host: &str) -> bool {
    let waits = |messages: &Messages| messages.registration.is_some() && messages.outstanding != Some(1);
    scenario.host_settings(host).fences_registrations
        && scenario.flows.iter().any(|flow| flow.src == host && waits(&flow.messages))
}

/// Whether a tenant uses parts of the NIC without sending: its requests occupy the processing units, or empty the cache.
fn is_noisy(tenant: &TenantSpec) -> bool {
    tenant.requests > 0 || tenant.deregistrations > 0
}

/// The cause that names what a fault does to a host with this line rate and packets of this payload, and the one that says
/// less; `None` if the host keeps up with its link.
fn cause(kind: &FaultKind, line_bps: u64, packet_bytes: u32) -> Option<(Cause, Option<Cause>)> {
    match kind {
        FaultKind::Storm { .. } | FaultKind::StoppedPipeline => Some((Cause::NicStorm, None)),
        FaultKind::SlowReceiver { rate, .. } => (rate.0 < line_bps).then_some((Cause::SlowReceiver, None)),
        FaultKind::MttMisses(model) => {
            (translation_bps(model) < line_bps).then_some((Cause::SlowReceiver, None))
        }
        FaultKind::ContextMisses(model) => (context_bps(model, packet_bytes) < line_bps)
            .then_some((Cause::QpCacheThrash, Some(Cause::SlowReceiver))),
        FaultKind::ReceiveWqeMisses(model) => {
            (request_bps(model) < line_bps).then_some((Cause::RnicWorkload, Some(Cause::SlowReceiver)))
        }
        FaultKind::HostBus(bus) => bus_cause(bus, line_bps),
        FaultKind::PollGaps(_) => Some((Cause::PollGap, None)),
    }
}

/// What is too slow on a bus: the bus itself, or what loopback traffic leaves of it. It is a slow receiver as well.
fn bus_cause(bus: &HostBus, line_bps: u64) -> Option<(Cause, Option<Cause>)> {
    let is_shared = bus.loopback.0 > 0 && bus.available().0 < bus.rate.0;
    let cause = if is_shared { Cause::LoopbackCongestion } else { Cause::IntraHostLink };
    (bus.available().0 < line_bps).then_some((cause, Some(Cause::SlowReceiver)))
}

/// Bits a second that a receive pipeline processes if nothing but translations takes time.
fn translation_bps(model: &MttModel) -> u64 {
    let missed =
        model.region_bytes.saturating_sub(model.reach_bytes()) as f64 / model.region_bytes.max(1) as f64;
    let seconds = missed * model.miss.0 as f64 / 1e12;
    if seconds > 0.0 { (model.page_bytes as f64 * 8.0 / seconds) as u64 } else { u64::MAX }
}

/// Bits a second that a receive pipeline processes if nothing but contexts of connections takes time, one for each packet.
fn context_bps(model: &ContextModel, packet_bytes: u32) -> u64 {
    let seconds = model.miss_share() * model.miss.0 as f64 / 1e12;
    if seconds > 0.0 { (f64::from(packet_bytes) * 8.0 / seconds) as u64 } else { u64::MAX }
}

/// Bits a second that a receive pipeline processes behind the prefetched receive WQEs of a batch if nothing but those that are
/// not cached takes time.
fn request_bps(model: &ReceiveWqeModel) -> u64 {
    let missed = if model.outruns_prefetch() { model.uncached_share() } else { 0.0 };
    let seconds = missed * model.miss.0 as f64 / 1e12;
    if seconds > 0.0 { (model.message_bytes as f64 * 8.0 / seconds) as u64 } else { u64::MAX }
}

/// The hosts that receive a flow with go-back-N of which a large part was sent more than once.
fn wasted(scenario: &Scenario, flows: &[FlowRecord]) -> BTreeSet<String> {
    let host = |at| Some(&scenario.topology.host_of(at)?.name);
    let is_wasted = |flow: &&FlowRecord| {
        let is_repeated = flow.retransmitted_packets.saturating_mul(WASTED) >= flow.sent_packets;
        let sender = host(flow.flow.src).map(|name| scenario.host_settings(name).reliability);
        flow.retransmitted_packets > 0 && is_repeated && sender == Some(Reliability::GoBackN)
    };
    flows.iter().filter(is_wasted).filter_map(|flow| host(flow.flow.dst).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use model::Rate;
    use model::host::descriptor::{Opcode, Transport};

    use super::super::test_scenarios::{LOSSLESS, flow, one_switch};
    use super::*;

    /// Checks what is wrong with a host at a link of 100 Gb/s.
    #[track_caller]
    fn check(kind: FaultKind, special: Option<Cause>) {
        assert_eq!(cause(&kind, 100_000_000_000, 4096).map(|(special, _)| special), special, "{kind:?}");
    }

    fn bus(rate: u64, loopback: u64) -> FaultKind {
        FaultKind::HostBus(HostBus { rate: Rate::from_gbps(rate), loopback: Rate::from_gbps(loopback) })
    }

    fn misses(region_bytes: u64, miss_ns: u64) -> FaultKind {
        let miss = Time::from_ns(miss_ns);
        FaultKind::MttMisses(MttModel { entries: 2048, page_bytes: 4096, region_bytes, miss })
    }

    /// What h1 does, beside its faults, while it sends with these keys of flows and hosts.
    #[track_caller]
    fn check_operations(keys: &str, expected: &[Cause]) {
        let scenario = one_switch(2, LOSSLESS, &format!("{}{keys}", flow("h1", "h2", "1MB")));
        let found: Vec<Cause> = truths(&scenario, 1, "h1").into_iter().map(|truth| truth.special).collect();
        assert_eq!(found, expected, "{keys}");
        assert_eq!(truths(&scenario, 1, "h2").len(), 0);
    }

    #[test]
    fn a_fence_needs_registrations_and_requests_that_wait_for_each_other() {
        let keys = |fence: bool, outstanding: u32, registration: &str| {
            let of_flow = format!("message = \"4kB\"\noutstanding = {outstanding}\n{registration}");
            format!("{of_flow}\n[hosts.h1]\nregistration_fence = {fence}\n")
        };
        let registers = "registration = \"1us\"";
        check_operations(&keys(true, 8, registers), &[Cause::HiddenFence]);
        check_operations(&keys(true, 1, registers), &[]);
        check_operations(&keys(true, 8, ""), &[]);
        check_operations(&keys(false, 8, registers), &[]);
    }

    #[test]
    fn a_tenant_is_noisy_if_it_uses_the_nic_without_sending() {
        let tenant = |keys: &str| format!("[[tenant]]\nname = \"other\"\nhost = \"h1\"\n{keys}");
        check_operations(&tenant("verb = \"read\"\nrequests = 1000"), &[Cause::NoisyTenant]);
        check_operations(&tenant("deregistrations = 100"), &[Cause::NoisyTenant]);
        check_operations(&tenant("pages = 100"), &[]);
    }

    #[test]
    fn a_job_is_delayed_by_its_processor_another_job_or_bound_by_its_link() {
        let job = |keys: &str, others: &str| {
            let own =
                "message = \"200kB\"\noutstanding = 1\n[[job]]\nname = \"a\"\nhost = \"h1\"\ngpus = [\"g\"]";
            format!("{own}\nflows = [\"h1 to h2\"]\n{keys}\n{others}")
        };
        let other = |gpu: &str, percent: u8| {
            let keys = format!("gpus = [\"{gpu}\"]\ngpu_percent = {percent}");
            format!("[[job]]\nname = \"b\"\nhost = \"h1\"\n{keys}")
        };
        check_operations(&job("compute = \"10us\"", ""), &[]);
        check_operations(&job("control_overhead = \"10us\"", ""), &[Cause::HostControlOverhead]);
        check_operations(&job("", &other("g", 50)), &[Cause::GpuCoLocation]);
        check_operations(&job("", &other("g", 0)), &[]);
        check_operations(&job("", &other("f", 50)), &[]);
        // 200 kB take 16 us at 100 Gb/s.
        check_operations(&job("wanted = \"15us\"", ""), &[Cause::LegitimatelyNetworkBound]);
        check_operations(&job("wanted = \"17us\"", ""), &[]);
    }

    #[test]
    fn a_nic_leaks_congestion_between_several_flows() {
        let leaks = "\n[hosts.h1]\ncongestion_leaking = true\n";
        check_operations(leaks, &[]);
        check_operations(
            &format!("{}{leaks}", flow("h1", "h2", "2MB").replace("h1 to h2", "second")),
            &[Cause::CongestionLeaking],
        );
    }

    #[test]
    fn a_bus_is_slow_by_itself_or_by_loopback_traffic() {
        check(bus(80, 0), Some(Cause::IntraHostLink));
        check(bus(128, 0), None);
        check(bus(128, 20), None);
        check(bus(128, 40), Some(Cause::LoopbackCongestion));
        check(bus(80, 40), Some(Cause::LoopbackCongestion));
    }

    #[test]
    fn contexts_slow_a_host_down_if_its_link_is_faster() {
        let contexts = |queue_pairs, miss_ns| {
            FaultKind::ContextMisses(ContextModel { entries: 256, queue_pairs, miss: Time::from_ns(miss_ns) })
        };
        // 4 KiB take 328 ns on the link; three of four contexts miss.
        check(contexts(1024, 500), Some(Cause::QpCacheThrash));
        check(contexts(1024, 430), None);
        check(contexts(256, 5000), None);
    }

    #[test]
    fn a_workload_slows_a_host_down_if_its_link_is_faster() {
        let workload = |operation, batch, depth, miss_ns| {
            FaultKind::ReceiveWqeMisses(ReceiveWqeModel {
                entries: 128,
                prefetch: 32,
                miss: Time::from_ns(miss_ns),
                transport: Transport::Ud,
                operation,
                batch,
                depth,
                queue_pairs: 1,
                message_bytes: 4096,
                packet_bytes: 4096,
            })
        };
        // 4 KiB take 328 ns on the link; three of four WQEs are not cached.
        check(workload(Opcode::Send, 64, 512, 500), Some(Cause::RnicWorkload));
        check(workload(Opcode::Send, 64, 512, 430), None);
        check(workload(Opcode::Send, 32, 512, 5000), None);
        check(workload(Opcode::Send, 64, 128, 5000), None);
        check(workload(Opcode::Write, 64, 512, 5000), None);
    }

    #[test]
    fn misses_slow_a_host_down_if_its_link_is_faster() {
        // 4 KiB take 328 ns on the link; seven of eight pages miss.
        check(misses(64 << 20, 400), Some(Cause::SlowReceiver));
        check(misses(64 << 20, 370), None);
        check(misses(8 << 20, 4000), None);
    }
}
