//! Flow samples from captures of sFlow, IPFIX and NetFlow datagrams.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::Context;
use counters::sampling::{Collector, udp_datagram};
use counters::{FlowSample, Reading};

use crate::capture::Reader;

/// Reads captures. Also returns what is wrong with the datagrams, for people.
///
/// # Errors
/// A file cannot be read, or is no capture.
pub(crate) fn read_samples(
    files: &[PathBuf],
    agents: BTreeMap<IpAddr, String>,
    readings: &[Reading],
) -> anyhow::Result<(Vec<FlowSample>, Vec<String>)> {
    let mut collector = Collector::default();
    collector.set_switches(agents);
    let mut problems = Vec::new();
    for path in files {
        let shown = path.display();
        let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
        let failed = |error: String| anyhow::anyhow!("{shown}: {error}");
        let mut capture = Reader::new(BufReader::new(file)).map_err(failed)?;
        let (before, mut packets) = (collector.taken(), 0_u64);
        while let Some(packet) = capture.next().map_err(failed)? {
            packets += 1;
            if let Some((source, datagram)) = udp_datagram(packet.bytes) {
                collector.take(source, datagram, packet.time_ns);
            }
        }
        if collector.taken() == before {
            problems.push(format!("{shown}: no sample of a switch in {packets} packets"));
        }
    }
    let samples = collector.samples(readings);
    problems.extend(collector.news());
    problems.extend(outside(&samples, readings));
    Ok((samples, problems))
}

/// Says if no sample is of the time between the readings.
fn outside(samples: &[FlowSample], readings: &[Reading]) -> Option<String> {
    let times = || readings.iter().map(|reading| reading.time_ns);
    let (from_ns, to_ns) = (times().min()?, times().max()?);
    let is_inside = |sample: &FlowSample| {
        sample.time_ns >= from_ns && sample.time_ns.saturating_sub(sample.duration_ns) <= to_ns
    };
    if samples.is_empty() || samples.iter().any(is_inside) {
        return None;
    }
    Some(
        "no flow sample is of the time between the readings of the counters, so that no flow is named; give the times of the \
         readings with --time"
            .to_string(),
    )
}
