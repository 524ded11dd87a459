//! The report about this host: what its NICs counted, its settings and its TCP retransmissions. `harrier agent` makes it on
//! an interval and on request, `harrier host check --live` once.

use std::path::Path;
use std::time::Duration;

use anyhow::bail;
use host_agent::counters::RdmaPort;
use host_agent::counters::report::{self, TimedReading};
use host_agent::linux::{CounterReader, Reading};
use host_diagnosis::hostping::measurement::RnicPort;
use host_diagnosis::inspection;
use model::HostReport;
use model::host::{HostInspection, HostWorkload, RnicCounters};

use crate::daemons::operations::clock;
use crate::host_files;

/// For how long counters are watched for a report on request.
pub(crate) const REQUESTED: Duration = Duration::from_millis(500);
/// Time between two readings: five samples of a tenth of a second show a pause of 200 ms without a break, which is a storm.
const SAMPLE: Duration = Duration::from_millis(100);
/// Samples of a short time. Fewer show no pause without a break.
const MIN_SAMPLES: u32 = 5;
/// Samples of a long time. More would make the report larger than its sections about the whole time are worth.
const MAX_SAMPLES: u32 = 63;

/// Reads the counters, and when that was. Returns the rest of the reading too, without the counters.
pub(crate) fn timed(reader: &CounterReader) -> (TimedReading, Reading) {
    let began_ns = clock::monotonic_ns();
    let mut reading = reader.read();
    let counters = std::mem::take(&mut reading.counters);
    (TimedReading { began_ns, ended_ns: clock::monotonic_ns(), counters }, reading)
}

/// Reads the counters several times, the last time when `time` has passed. Blocks for that long.
pub(crate) fn watch(sysfs: &Path, time: Duration) -> Vec<TimedReading> {
    let reader = CounterReader::new(sysfs);
    let samples = samples(time);
    let mut readings = vec![timed(&reader).0];
    for _ in 0..samples {
        std::thread::sleep(time / samples);
        readings.push(timed(&reader).0);
    }
    readings
}

/// The number of samples that a time is divided into: of a tenth of a second, as far as their number permits.
fn samples(time: Duration) -> u32 {
    let of_usual_length = u32::try_from(time.as_nanos() / SAMPLE.as_nanos()).unwrap_or(u32::MAX);
    of_usual_length.clamp(MIN_SAMPLES, MAX_SAMPLES)
}

/// Inspects the host as `harrier host inspect` does. What only grows since the start of the driver is left out: the section
/// of counters has what it grew by. So are kernel parameters, which no rule reads.
///
/// # Errors
/// The root of a recorded tree is no folder.
pub(crate) fn inspect(root: &Path) -> anyhow::Result<inspection::Reading> {
    let files = if root == Path::new("/sys") { host_files::live(false) } else { host_files::recorded(root)? };
    let mut found = inspection::read(&files);
    found.inspection.interfaces.values_mut().for_each(|interface| interface.statistics.clear());
    found.inspection.sysctl.clear();
    Ok(found)
}

/// Returns the ports of the RDMA devices of the host.
///
/// # Errors
/// It has none.
pub(crate) fn rnic_ports(sysfs: &Path) -> anyhow::Result<Vec<RnicPort>> {
    let ports = CounterReader::new(sysfs).read().counters.rdma_ports;
    if ports.is_empty() {
        bail!(
            "this host has no RDMA device: {} is empty or missing; tests need an RNIC whose driver is loaded",
            sysfs.join("class/infiniband").display()
        );
    }
    let port = |port: RdmaPort| RnicPort {
        device: port.device,
        port: port.port,
        is_active: port.is_active,
        rate_bps: port.rate_bps,
    };
    Ok(ports.into_iter().map(port).collect())
}

/// Joins the sections of a report. `since_ns` is the time that the report is about if there are fewer than two readings.
pub(crate) fn join(
    host: &str,
    since_ns: u64,
    readings: &[TimedReading],
    inspection: Option<HostInspection>,
    workload: Option<HostWorkload>,
) -> HostReport {
    let facts = inspection.as_ref().map(report::facts).unwrap_or_default();
    let (interval_ns, counters) =
        report::section(readings, &facts).unwrap_or((since_ns.max(1), RnicCounters::default()));
    HostReport {
        counters: (!counters.nics.is_empty()).then_some(counters),
        workload,
        inspection: inspection.filter(|found| *found != HostInspection::default()),
        ..HostReport::new(host, interval_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inspected_tree_has_the_facts_of_its_interfaces() {
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host-diagnosis/tests/fixtures/h1");
        let found = inspect(&tree).expect("a recorded tree").inspection;
        let facts = report::facts(&found);
        let facts = &facts["eth1"];
        assert_eq!(facts.line_rate_bps, Some(100_000_000_000));
        assert_eq!(facts.lossless, Some([3].into()));
        assert!(found.interfaces["eth1"].statistics.is_empty() && found.sysctl.is_empty());
    }

    #[test]
    fn half_a_second_has_six_readings_and_an_hour_64() {
        let check = |ms, expected| assert_eq!(samples(Duration::from_millis(ms)), expected, "{ms} ms");
        check(50, 5);
        check(500, 5);
        check(2_000, 20);
        check(3_600_000, 63);
    }
}
