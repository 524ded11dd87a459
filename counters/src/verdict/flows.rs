//! The likely flows at a port, from sampled packets.

use std::collections::BTreeMap;

use model::FlowKey;
use model::topology::NodeKind;

use crate::case::Case;
use crate::flow_sample::FlowSample;
use crate::thresholds as t;
use crate::wiring::{Neighbour, PortId};

/// A flow's part of what left a port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sampled {
    pub(super) flow: FlowKey,
    pub(super) share: f64,
    pub(super) samples: u64,
    pub(super) bytes: u64,
    /// Whether all packets were counted: there is no sampling error.
    pub(super) is_exact: bool,
}

impl Sampled {
    /// The error of the share in per cent of itself, with 95 % confidence.
    pub(super) fn error_percent(&self) -> f64 {
        t::SAMPLING_ERROR_PERCENT / (self.samples as f64).sqrt()
    }
}

/// The flows that left `port` in the time of a row, the largest first: those with at least half of a fair share.
pub(super) fn likely(case: &Case<'_>, port: PortId, from_ns: u64, to_ns: u64) -> Vec<Sampled> {
    let info = &case.wiring.ports[port];
    let own = case.samples.iter().filter_map(|sample| {
        let is_own = sample.switch == info.switch && leaves_by(case, sample, port);
        let part = if is_own { sample.part_in(from_ns, to_ns) } else { 0.0 };
        (part > 0.0).then_some((sample, part))
    });
    let mut flows: BTreeMap<FlowKey, (u64, u64)> = BTreeMap::new();
    let mut is_exact = true;
    for (sample, part) in own {
        is_exact &= sample.sampling_rate <= 1;
        let (bytes, samples) = flows.entry(sample.flow).or_default();
        let part_of = |count: u64| (count as f64 * part).round() as u64;
        *bytes = bytes.saturating_add(part_of(sample.bytes));
        *samples = samples.saturating_add(part_of(sample.sampled_packets()));
    }
    let total: u64 = flows.values().fold(0, |sum, (bytes, _)| sum.saturating_add(*bytes));
    if total == 0 {
        return Vec::new();
    }
    let fair = 1.0 / flows.len() as f64;
    let sampled = flows.into_iter().map(|(flow, (bytes, samples))| Sampled {
        flow,
        share: bytes as f64 / total as f64,
        samples,
        bytes,
        is_exact,
    });
    let is_named = |flow: &Sampled| {
        flow.share >= t::FAIR_PART * fair && (flow.is_exact || flow.samples >= t::FLOW_SAMPLES)
    };
    let mut named: Vec<Sampled> = sampled.filter(is_named).collect();
    named.sort_by(|a, b| b.bytes.cmp(&a.bytes).then(a.flow.cmp(&b.flow)));
    named.truncate(t::MOST_FLOWS);
    named
}

/// Whether a sampled packet left by the port: as the sample says, else by the address of the host at the port.
fn leaves_by(case: &Case<'_>, sample: &FlowSample, port: PortId) -> bool {
    let info = &case.wiring.ports[port];
    if let Some(egress) = &sample.egress {
        return *egress == info.name;
    }
    let (Neighbour::Host(host) | Neighbour::System(host)) = &info.neighbour else { return false };
    let node = case.network.topology.node(host);
    node.is_some_and(|node| node.kind == NodeKind::Host && node.addresses.contains(&sample.flow.dst))
}
