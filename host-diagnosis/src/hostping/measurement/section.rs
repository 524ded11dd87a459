//! The section `loopback` of a report, from the results of tests.

use model::host::HostLoopback;
use model::host::loopback::{
    HostNodeKind, HostTopology, LinkUtilisation, LoopbackPath, LoopbackTest, ServiceTraffic,
};

use super::traffic::{Sample, service_bits_per_s, stalled_share};
use super::{Baselines, Rnic};
use crate::hostping::Routes;

/// The result of a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredPath {
    /// The RNIC.
    pub nic: String,
    /// The GPU or memory.
    pub endpoint: String,
    /// Bandwidth in bits per second.
    pub bandwidth_bps: u64,
    /// Latency in nanoseconds; absent for GPUs.
    pub latency_ns: Option<u64>,
    /// Counters of the RNIC during the bandwidth test.
    pub samples: Vec<Sample>,
}

/// One round of tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// When it began, in ns.
    pub time_ns: u64,
    /// The RNICs that were busy before it.
    pub busy: Vec<String>,
    /// The results.
    pub paths: Vec<MeasuredPath>,
}

/// Returns the section of these rounds, in order of time.
///
/// The baseline of a path is that of an earlier run. Without `baselines`, or for a path that they do not have, it is what
/// the RNIC is rated for, except for GPUs that are not below its root port: these are slower by design, and without a
/// baseline (0) they prove nothing.
pub fn section(
    topology: HostTopology,
    rounds: &[Round],
    rnics: &[Rnic],
    baselines: Option<&Baselines>,
) -> HostLoopback {
    let routes = Routes::new(&topology);
    let context = Context { routes: &routes, rnics, baselines };
    let tests = rounds.iter().map(|round| context.test(round)).collect();
    HostLoopback { tests, topology }
}

struct Context<'c> {
    routes: &'c Routes<'c>,
    rnics: &'c [Rnic],
    baselines: Option<&'c Baselines>,
}

impl Context<'_> {
    fn test(&self, round: &Round) -> LoopbackTest {
        let is_known = |nic: &&String| self.routes.kind_of(nic) == Some(HostNodeKind::Nic);
        let busy: Vec<String> = round.busy.iter().filter(is_known).cloned().collect();
        let service = |nic: &String| {
            let tests =
                round.paths.iter().filter(|path| path.nic == *nic).map(|path| path.samples.as_slice());
            Some(ServiceTraffic { nic: nic.clone(), bits_per_s: service_bits_per_s(tests)? })
        };
        let service: Vec<ServiceTraffic> = busy.iter().filter_map(service).collect();
        LoopbackTest {
            time_ns: round.time_ns,
            utilisation: service.iter().filter_map(|row| self.utilisation(round, row)).collect(),
            paths: round.paths.iter().map(|path| self.path(path)).collect(),
            busy,
            service,
        }
    }

    fn path(&self, path: &MeasuredPath) -> LoopbackPath {
        let usual = self.baselines.and_then(|baselines| baselines.path(&path.nic, &path.endpoint));
        LoopbackPath {
            nic: path.nic.clone(),
            endpoint: path.endpoint.clone(),
            bandwidth_bps: path.bandwidth_bps,
            baseline_bandwidth_bps: usual.map_or_else(|| self.rated_bps(path), |usual| usual.bandwidth_bps),
            latency_ns: path.latency_ns,
            baseline_latency_ns: usual.and_then(|usual| usual.latency_ns),
            stalled_share: stalled_share(&path.samples),
        }
    }

    /// What the path is rated for; 0 if that is unknown, or the path is slower by design.
    fn rated_bps(&self, path: &MeasuredPath) -> u64 {
        let is_gpu = self.routes.kind_of(&path.endpoint) == Some(HostNodeKind::Gpu);
        let leaves_root_port = || {
            let found = self.routes.path(&path.nic, &path.endpoint);
            found.is_none_or(|(_, crosses_socket)| crosses_socket)
        };
        if is_gpu && leaves_root_port() {
            return 0;
        }
        self.rnic(&path.nic).and_then(Rnic::rated_bps).unwrap_or(0)
    }

    fn rnic(&self, name: &str) -> Option<&Rnic> {
        self.rnics.iter().find(|rnic| rnic.name == name)
    }

    /// The utilisation of the PCIe link of a busy RNIC during the tests, of what the link is rated for: a link that came up
    /// slower has failed and is not overloaded.
    fn utilisation(&self, round: &Round, service: &ServiceTraffic) -> Option<LinkUtilisation> {
        let of_nic = || round.paths.iter().filter(|path| path.nic == service.nic);
        let most_bps = of_nic().map(|path| path.bandwidth_bps).max()?;
        let first = of_nic().next()?;
        let (links, _) = self.routes.path(&first.nic, &first.endpoint)?;
        let capacity_bps = self.rnic(&service.nic)?.pcie_bps.filter(|bps| *bps > 0)?;
        let share = most_bps.saturating_add(service.bits_per_s) as f64 / capacity_bps as f64;
        Some(LinkUtilisation { link: (*links.first()?).to_string(), share: share.min(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use model::host::loopback::{HostLink, HostNode};

    use super::*;
    use crate::hostping::measurement::BaselinePath;
    use crate::hostping::{LinkKind, LinkProblem, Verdict, judge};

    const GBPS: u64 = 1_000_000_000;

    /// An RNIC and a GPU below a root port of the first of two sockets, another GPU at the second one.
    fn topology() -> HostTopology {
        let nodes = [
            ("socket0", HostNodeKind::Socket),
            ("socket1", HostNodeKind::Socket),
            ("root", HostNodeKind::PcieSwitch),
            ("mlx5_0", HostNodeKind::Nic),
            ("nvml0", HostNodeKind::Gpu),
            ("nvml1", HostNodeKind::Gpu),
            ("memory0", HostNodeKind::Memory),
            ("memory1", HostNodeKind::Memory),
        ];
        let links = [
            ("upi", "socket0", "socket1"),
            ("root", "socket0", "root"),
            ("mlx5_0", "root", "mlx5_0"),
            ("nvml0", "root", "nvml0"),
            ("nvml1", "socket1", "nvml1"),
            ("memory0", "socket0", "memory0"),
            ("memory1", "socket1", "memory1"),
        ];
        let node = |(name, kind): (&str, HostNodeKind)| HostNode { name: name.to_string(), kind };
        let link = |(name, a, b): (&str, &str, &str)| HostLink {
            name: name.to_string(),
            between: [a.to_string(), b.to_string()],
        };
        HostTopology { nodes: nodes.map(node).into(), links: links.map(link).into() }
    }

    fn rnics() -> Vec<Rnic> {
        vec![Rnic {
            name: "mlx5_0".into(),
            port: 1,
            line_rate_bps: Some(100 * GBPS),
            pcie_bps: Some(108 * GBPS),
        }]
    }

    /// A path with its bandwidth, and what services receive in four samples during the test.
    fn measured(endpoint: &str, gbps: u64, service_gbps: Option<u64>) -> MeasuredPath {
        let sample = |at: u64| Sample {
            at_ns: at * 100_000_000,
            received_bytes: service_gbps.map(|gbps| at * gbps * GBPS / 80),
            stalled_percent: None,
        };
        MeasuredPath {
            nic: "mlx5_0".into(),
            endpoint: endpoint.into(),
            bandwidth_bps: gbps * GBPS,
            latency_ns: Some(900),
            samples: (0..4).map(sample).collect(),
        }
    }

    fn round(busy: &[&str], paths: Vec<MeasuredPath>) -> Round {
        Round { time_ns: 1, busy: busy.iter().map(|nic| (*nic).to_string()).collect(), paths }
    }

    #[test]
    fn an_idle_rnic_that_reaches_no_endpoint_at_its_rate_is_judged_without_a_baseline() {
        let paths = ["memory0", "memory1"].map(|endpoint| measured(endpoint, 40, None));
        let found = section(topology(), &[round(&[], paths.into())], &rnics(), None);
        assert_eq!(found.tests[0].paths[0].baseline_bandwidth_bps, 100 * GBPS);
        let Verdict::Links(links) = judge(&found, &[]) else { panic!("{found:?}") };
        assert_eq!((links[0].link.as_str(), links[0].kind), ("mlx5_0", LinkKind::NicPcie));
    }

    #[test]
    fn a_gpu_of_another_socket_proves_nothing_without_a_baseline() {
        let paths = [("memory0", 99), ("nvml0", 97), ("nvml1", 45)];
        let paths: Vec<MeasuredPath> =
            paths.into_iter().map(|(endpoint, gbps)| measured(endpoint, gbps, None)).collect();
        let rounds = [round(&[], paths)];
        let found = section(topology(), &rounds, &rnics(), None);
        let baselines: Vec<u64> =
            found.tests[0].paths.iter().map(|path| path.baseline_bandwidth_bps / GBPS).collect();
        assert_eq!(baselines, [100, 100, 0]);
        assert_eq!(judge(&found, &[]), Verdict::Network);
        // An earlier run has shown that it is faster.
        let text = r#"{"version": 1, "host": "h3", "paths":
            [{"nic": "mlx5_0", "endpoint": "nvml1", "bandwidth_bps": 90000000000}]}"#;
        let baselines = Baselines::read(text).expect("a file of baselines");
        assert!(matches!(&baselines.paths[..], [BaselinePath { latency_ns: None, .. }]));
        let found = section(topology(), &rounds, &rnics(), Some(&baselines));
        let Verdict::Links(links) = judge(&found, &[]) else { panic!("{found:?}") };
        assert!(links.iter().any(|link| link.link == "nvml1"), "{links:?}");
    }

    #[test]
    fn a_busy_rnic_has_its_service_traffic_and_the_utilisation_of_its_link() {
        let paths = ["memory0", "memory1"].map(|endpoint| measured(endpoint, 60, Some(40)));
        let found = section(topology(), &[round(&["mlx5_0", "mlx5_9"], paths.into())], &rnics(), None);
        let test = &found.tests[0];
        assert_eq!(test.busy, ["mlx5_0"], "an RNIC that the topology does not have is left out");
        assert_eq!(test.service, [ServiceTraffic { nic: "mlx5_0".into(), bits_per_s: 40 * GBPS }]);
        assert!((test.utilisation[0].share - 100.0 / 108.0).abs() < 1e-3, "{test:?}");
        assert_eq!(judge(&found, &[]), Verdict::Network, "test and service together are the line rate");
        let paths = ["memory0", "memory1"].map(|endpoint| measured(endpoint, 20, Some(20)));
        let found = section(topology(), &[round(&["mlx5_0"], paths.into())], &rnics(), None);
        let Verdict::Links(links) = judge(&found, &[]) else { panic!("{found:?}") };
        assert_ne!(links[0].problem, LinkProblem::Overloaded, "{links:?}");
    }

    #[test]
    fn a_busy_rnic_whose_driver_does_not_count_the_port_has_no_service() {
        let paths = ["memory0", "memory1"].map(|endpoint| measured(endpoint, 60, None));
        let found = section(topology(), &[round(&["mlx5_0"], paths.into())], &rnics(), None);
        assert!(found.tests[0].service.is_empty() && found.tests[0].utilisation.is_empty());
    }
}
