//! A link inside the host: PCIe of an RNIC or GPU, a root port, a memory channel, a link between sockets.
//!
//! Needs loopback tests with baselines ([`crate::hostping`]). When every path is normal, the inside of the host is
//! fine and the network is the place to look. Where the RNIC counts how long its PCIe link takes no write, this counter
//! tells the link from the RNIC in front of it. Source: Hostping, NSDI 2023.

use model::host::counters::NicCounters;
use model::host::loopback::LoopbackTest;
use model::{Cause, HostReport};

use crate::hostping::{self, LinkFinding, LinkKind, LinkProblem, Verdict};
use crate::pause_ratio::Step;
use crate::pauses::{self, SentPauses};
use crate::{Claim, Detector, Explains, Fabric, HostFinding, HostPart, Outcome, Section};

/// Confidence in a single accused link on an idle host. Choice: the paper's deployment reports no wrong link.
const IDLE: f64 = 0.95;
/// Confidence in a single accused link on a busy host. Choice: paths of busy RNICs are compared among themselves only.
const BUSY: f64 = 0.85;
/// Confidence in the PCIe link of a busy RNIC that pauses although no path is abnormal: it is what is left.
const LEFT_OVER: f64 = 0.6;

pub(super) const DETECTOR: Detector = Detector {
    name: "intra_host_link",
    source: "Hostping: Diagnosing Intra-host Network Bottlenecks in RDMA Servers, NSDI 2023, section 4.3",
    needs: &[Section::Loopback],
    explains: Explains::Delay,
    check,
};

fn check(report: &HostReport, _fabric: &Fabric) -> Outcome {
    let Some(loopback) = &report.loopback else { return Outcome::Clean };
    let paused: Vec<&str> =
        pauses::sent(report).filter(needs_a_link).map(|row| row.nic.nic.as_str()).collect();
    match hostping::judge(loopback, &paused) {
        Verdict::NoTest => {
            Outcome::Missing(vec!["a loopback test between RNICs and endpoints, with baselines".to_string()])
        }
        Verdict::Doubtful(links) => Outcome::Missing(vec![format!(
            "{} consecutive loopback tests: {} may be flapping",
            hostping::FLAPPING_TESTS,
            links.join(", ")
        )]),
        Verdict::Network => Outcome::Clean,
        Verdict::Links(links) => {
            let last = loopback.tests.len() - 1;
            let test = &loopback.tests[last];
            Outcome::of(links.iter().map(|link| Case { report, test, at: last, link }.finding()).collect())
        }
    }
}

/// Whether the pauses of an RNIC make its PCIe link a suspect although no path is abnormal: it pauses for more than 3 % of
/// the time and no counter says that the link took its writes, or a counter says that it did not.
fn needs_a_link(row: &SentPauses<'_>) -> bool {
    match (row.step(), row.has_stalled_writes()) {
        (Some(Step::HostTest | Step::Storm), stalled) => stalled != Some(false),
        (Some(Step::Anomaly), stalled) => stalled == Some(true),
        (Some(Step::Normal) | None, _) => false,
    }
}

/// Whether the PCIe link of an RNIC carried less, while it held writes back, than an overloaded one would; `false` if the RNIC does
/// not count that. A link that is idle for the rest of the interval is full all the same.
fn has_room(nic: &NicCounters, interval_ns: u64) -> bool {
    let stalled_ns = nic.stalled_writes_ns.unwrap_or(interval_ns).min(interval_ns);
    nic.pcie.is_some_and(|pcie| {
        let carried_bits = pcie.to_host_bytes as f64 * 8.0;
        let full_bits = pcie.capacity_bps as f64 * stalled_ns as f64 / 1e9;
        carried_bits < hostping::OVERLOADED_SHARE * full_bits
    })
}

/// A link that a test accuses.
struct Case<'r> {
    report: &'r HostReport,
    test: &'r LoopbackTest,
    /// Index of the test.
    at: usize,
    link: &'r LinkFinding,
}

impl Case<'_> {
    fn finding(&self) -> HostFinding {
        let Case { report, test, link, .. } = self;
        let is_left_over = link.paths.is_empty() && self.stalled().is_none();
        let usual = match (test.busy.is_empty(), is_left_over) {
            (_, true) => LEFT_OVER,
            (true, false) => IDLE,
            (false, false) => BUSY,
        };
        let is_nic = link.problem == LinkProblem::NicItself;
        let nic = self.nic();
        let mut missing = Vec::new();
        if link.problem == LinkProblem::FailedOrMisconfigured {
            missing
                .push("the settings of RNIC and PCIe bridges: failure and setting look the same".to_string());
        }
        if !test.busy.is_empty() && link.utilisation.is_none() && !self.has_no_loopback() {
            missing.push(format!("the utilisation of {}: a full link is overloaded, not broken", link.link));
        }
        HostFinding {
            detector: DETECTOR.name.to_string(),
            host: report.host.clone(),
            part: match nic.filter(|_| is_nic) {
                Some(nic) => HostPart::Nic(nic.to_string()),
                None => HostPart::Link(link.link.clone()),
            },
            cause: if is_nic { Cause::Undetermined } else { Cause::IntraHostLink },
            summary: match is_nic {
                true => format!(
                    "the RNIC at {} limits {}, and not the link: {}",
                    link.link,
                    report.host,
                    self.what()
                ),
                false => format!("the link {} limits {}: {}", link.link, report.host, self.what()),
            },
            confidence: usual / (link.ties + 1) as f64,
            evidence: self.claims(),
            missing,
            advice: self.advice(),
        }
    }

    fn what(&self) -> String {
        let what: Vec<&str> = self.link.bottlenecks.iter().map(|bottleneck| bottleneck.text()).collect();
        match (what.is_empty(), self.link.problem) {
            (true, _) => "it is overloaded, probably with loopback traffic".to_string(),
            (false, LinkProblem::Flapping) => format!("it comes and goes: {}", what.join(", or ")),
            (false, LinkProblem::NicItself) => {
                format!("its receive path is slow, or {}", what.join(", or "))
            }
            (false, _) => what.join(", or "),
        }
    }

    /// The RNIC whose PCIe link it is.
    fn nic(&self) -> Option<&str> {
        let topology = &self.report.loopback.as_ref()?.topology;
        let ends = topology.links.iter().find(|link| link.name == self.link.link)?;
        let is_nic = self.link.kind == LinkKind::NicPcie;
        let mut nics = self.test.paths.iter().map(|path| path.nic.as_str());
        nics.find(|nic| is_nic && ends.between.iter().any(|end| end == nic))
    }

    /// The pauses of its RNIC during which the link held writes back.
    fn stalled(&self) -> Option<SentPauses<'_>> {
        let nic = self.nic()?;
        pauses::sent(self.report).find(|row| row.nic.nic == nic && row.has_stalled_writes() == Some(true))
    }

    /// What to do about each bottleneck. A PCIe link that takes no write and is not full is not narrow: what lies behind it holds
    /// writes back, and comes first.
    fn advice(&self) -> Vec<String> {
        let mut advice: Vec<String> =
            self.link.bottlenecks.iter().map(|bottleneck| bottleneck.advice().to_string()).collect();
        if self.stalled().is_some_and(|row| has_room(row.nic, self.report.interval_ns)) {
            let ordering = "the link has room and takes no write: permit relaxed ordering (NIC004), and check the IOMMU and the \
                            memory bandwidth before replacing hardware";
            advice.insert(0, ordering.to_string());
        }
        advice
    }

    /// Whether no loopback traffic of applications, which overloads a link, crosses it.
    fn has_no_loopback(&self) -> bool {
        let counters = self.report.counters.iter().flat_map(|counters| &counters.nics);
        let nic = self.nic();
        counters.into_iter().any(|row| Some(row.nic.as_str()) == nic && row.loopback_bytes == Some(0))
    }

    fn claims(&self) -> Vec<Claim> {
        let Case { test, at, link, .. } = self;
        let mut claims: Vec<Claim> = link.paths.iter().map(|row| self.path(*row)).collect();
        if link.accusers > 1 {
            claims.push(Claim::new(
                format!("{} RNICs are slow over {}", link.accusers, link.link),
                [format!("/loopback/tests/{at}/paths")],
            ));
        }
        let row = test.utilisation.iter().position(|row| row.link == link.link);
        if let (Some(row), Some(share)) = (row, link.utilisation) {
            let claim = format!("{} is used to {:.0} %", link.link, share * 100.0);
            claims.push(Claim::new(claim, [format!("/loopback/tests/{at}/utilisation/{row}")]));
        }
        if claims.is_empty() {
            let claim = "no path is abnormal although the RNIC pauses its switch".to_string();
            claims.push(Claim::new(claim, [format!("/loopback/tests/{at}/paths")]));
        }
        let interval_ns = self.report.interval_ns;
        let stalled = self.stalled();
        claims
            .extend(stalled.and_then(|row| pauses::stalled_writes(row.nic, &row.nic_pointer(), interval_ns)));
        claims
    }

    fn path(&self, row: usize) -> Claim {
        let path = &self.test.paths[row];
        let gbps = |bits: u64| bits as f64 / 1e9;
        let service = self.test.service.iter().position(|service| service.nic == path.nic);
        let mut records = vec![format!("/loopback/tests/{}/paths/{row}", self.at)];
        let beside = match service {
            Some(service) => {
                records.push(format!("/loopback/tests/{}/service/{service}", self.at));
                format!(" beside {:.1} Gb/s of service traffic", gbps(self.test.service[service].bits_per_s))
            }
            None => String::new(),
        };
        let (nic, endpoint) = (&path.nic, &path.endpoint);
        let (now, usual) = (gbps(path.bandwidth_bps), gbps(path.baseline_bandwidth_bps));
        Claim::new(
            format!("{nic} reaches {endpoint} with {now:.1} Gb/s{beside}, usually {usual:.1} Gb/s"),
            records,
        )
    }
}
