//! What hosts report about themselves: the latest report of each, and what it adds to a verdict that ends at a host.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use host_diagnosis::{AgedReport, Fabric, HostDiagnosis, continue_in_hosts, diagnose};
use model::{Diagnosis, HostReport, Topology};
use store::Report;
use tracing::warn;
use web::{HostReportBackend, HostReportSummary, HostReportView};

use super::awaiting_reports::Awaited;
use crate::daemons::operations::wall_ns;

/// Minimum time between two requests to an agent, which makes no reports in a faster sequence.
const REQUEST_INTERVAL_NS: u64 = 1_000_000_000;
/// Maximum hosts whose reports are kept; further ones are ignored. Senders are named by the topology or by certificates.
const MAX_HOSTS: usize = 16_384;
/// Maximum bytes of all reports; beyond it, further ones are ignored until others are smaller.
const MAX_BYTES: usize = 512 << 20;

/// The latest report of each host.
#[derive(Debug, Default)]
pub(crate) struct HostReports {
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_host: BTreeMap<String, Received>,
    bytes: usize,
    /// When a report was last requested from each agent.
    requested_ns: BTreeMap<String, u64>,
}

impl Known {
    fn has_since(&self, host: &str, requested_ns: u64) -> bool {
        self.by_host.get(host).is_some_and(|one| one.made_ns >= requested_ns)
    }
}

#[derive(Clone, Debug)]
struct Received {
    /// When the agent made it, on the server's wall clock.
    made_ns: u64,
    bytes: usize,
    report: HostReport,
    /// What it shows by itself. Without a verdict nothing is known about the fabric, as for `harrier host check`.
    diagnosis: HostDiagnosis,
}

impl HostReports {
    /// Takes over the stored reports, for a server that was restarted.
    pub(crate) fn restore(&self, stored: Vec<Report>) {
        for row in stored {
            let made_ns = row.time_ns.saturating_add_signed(row.offset_ns.unwrap_or(0)).min(wall_ns());
            let bytes = row.body.to_string().len();
            match serde_json::from_value(row.body) {
                Ok(report) => self.put(made_ns, report, bytes),
                Err(error) => warn!(sender = row.sender, %error, "a stored report of a host cannot be read"),
            }
        }
    }

    /// Takes the report of a host, made at `made_ns`, unless a later one is known.
    pub(crate) fn put(&self, made_ns: u64, report: HostReport, bytes: usize) {
        let diagnosis = diagnose(&report, &Fabric::default());
        let mut known = self.write();
        let earlier = known.by_host.get(&report.host);
        if earlier.is_some_and(|earlier| earlier.made_ns > made_ns) {
            return;
        }
        let total =
            known.bytes.saturating_sub(earlier.map_or(0, |earlier| earlier.bytes)).saturating_add(bytes);
        if (earlier.is_none() && known.by_host.len() >= MAX_HOSTS) || total > MAX_BYTES {
            warn!(host = report.host, "the reports of hosts are too many or too large; this one is ignored");
            return;
        }
        known.bytes = total;
        known.by_host.insert(report.host.clone(), Received { made_ns, bytes, report, diagnosis });
    }

    /// Whether a report of a host may be requested now; if so, it counts as requested.
    pub(crate) fn may_request(&self, host: &str, now_ns: u64) -> bool {
        let mut known = self.write();
        let last_ns = known.requested_ns.get(host);
        if last_ns.is_some_and(|last_ns| now_ns.saturating_sub(*last_ns) < REQUEST_INTERVAL_NS) {
            return false;
        }
        known.requested_ns.insert(host.to_string(), now_ns);
        true
    }

    /// Takes back a request that could not be sent.
    pub(crate) fn request_failed(&self, host: &str) {
        self.write().requested_ns.remove(host);
    }

    /// The hosts of these whose requested reports have not arrived.
    pub(crate) fn awaited(&self, hosts: &BTreeSet<String>) -> Awaited {
        let known = self.read();
        let requested = hosts.iter().filter_map(|host| Some((host.clone(), *known.requested_ns.get(host)?)));
        requested.filter(|(host, requested_ns)| !known.has_since(host, *requested_ns)).collect()
    }

    /// Whether all reports have arrived.
    pub(crate) fn have_arrived(&self, awaited: &Awaited) -> bool {
        let known = self.read();
        awaited.iter().all(|(host, requested_ns)| known.has_since(host, *requested_ns))
    }

    /// Continues a verdict that ends at a host inside it. Every other verdict stays as it is.
    pub(crate) fn unite(&self, verdict: Diagnosis, topology: Option<&Topology>, now_ns: u64) -> Diagnosis {
        let known = self.read();
        let reports = known
            .by_host
            .values()
            .map(|one| AgedReport { report: &one.report, age_ns: now_ns.saturating_sub(one.made_ns) });
        continue_in_hosts(verdict, topology, reports)
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Known> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Received {
    fn summary(&self) -> HostReportSummary {
        HostReportSummary {
            time: web::rfc3339(self.made_ns),
            age_ns: wall_ns().saturating_sub(self.made_ns),
            interval_ns: self.report.interval_ns,
            findings: self.diagnosis.findings.clone(),
        }
    }
}

impl HostReportBackend for HostReports {
    fn summaries(&self) -> BTreeMap<String, HostReportSummary> {
        self.read().by_host.iter().map(|(host, one)| (host.clone(), one.summary())).collect()
    }

    fn summary(&self, host: &str) -> Option<HostReportSummary> {
        self.read().by_host.get(host).map(Received::summary)
    }

    fn report(&self, host: &str) -> Option<HostReportView> {
        let known = self.read();
        let one = known.by_host.get(host)?;
        let HostReportSummary { time, age_ns, .. } = one.summary();
        Some(HostReportView { time, age_ns, report: one.report.clone(), diagnosis: one.diagnosis.clone() })
    }
}

#[cfg(test)]
mod tests {
    use host_diagnosis::hosts_in_question;
    use model::diagnosis::RootCause;
    use model::host::RnicCounters;
    use model::host::counters::{CacheCounters, Misses, NicCounters, PriorityPauses};
    use model::{Anomaly, Cause, FlowKey};

    use super::*;

    const NOW_NS: u64 = 1_000_000_000_000;

    /// A report of `h3`, whose RNIC pauses a tenth of the time and misses its translation table.
    fn report() -> HostReport {
        let nic = NicCounters {
            nic: "mlx5_0".into(),
            line_rate_bps: 100_000_000_000,
            sent_pauses: vec![PriorityPauses {
                priority: 3,
                frames: 9000,
                paused_ns: Some(100_000_000),
                longest_ns: None,
            }],
            caches: Some(CacheCounters {
                mtt: Some(Misses { misses: 900_000, lookups: Some(1_000_000), usual_misses: Some(1000) }),
                ..CacheCounters::default()
            }),
            ..NicCounters::default()
        };
        let counters = Some(RnicCounters { nics: vec![nic] });
        HostReport { counters, ..HostReport::new("h3", 1_000_000_000) }
    }

    fn verdict(anomaly: Anomaly, host: Option<&str>) -> Diagnosis {
        let flow: FlowKey = "10.0.0.1:10000>10.0.0.3:4791/udp".parse().unwrap();
        Diagnosis {
            anomaly,
            cause: Cause::SlowReceiver,
            confidence: 0.9,
            summary: "h3 pauses s1:3".into(),
            root_cause: RootCause {
                port: Some("s1:3".parse().unwrap()),
                host: host.map(str::to_string),
                ..RootCause::default()
            },
            ..Diagnosis::undetermined(flow)
        }
    }

    /// Checks whether the verdict names the part of the host after a report `age_ns` ago.
    fn check(verdict: &Diagnosis, age_ns: u64, names_part: bool) {
        let reports = HostReports::default();
        reports.put(NOW_NS - age_ns, report(), 1);
        let found = reports.unite(verdict.clone(), None, NOW_NS);
        assert_eq!(found.summary.contains("mlx5_0"), names_part, "{} after {age_ns} ns", found.summary);
        assert_eq!(found == *verdict, !names_part && hosts_in_question(verdict, None).is_empty());
    }

    #[test]
    fn a_verdict_that_ends_at_a_host_names_its_part() {
        let paused = verdict(Anomaly::PfcStormHostInjection, Some("h3"));
        check(&paused, 0, true);
        check(&paused, 90_000_000_000, false);
        check(&verdict(Anomaly::PfcStormHostInjection, Some("h4")), 0, false);
        check(&verdict(Anomaly::FlowContention, None), 0, false);
    }

    #[test]
    fn a_verdict_says_which_report_is_missing() {
        let paused = verdict(Anomaly::PfcStormHostInjection, Some("h3"));
        assert_eq!(hosts_in_question(&paused, None), ["h3"]);
        let found = HostReports::default().unite(paused, None, NOW_NS);
        assert_eq!(found.missing, ["a report of h3: which of its parts causes the pauses"]);
    }

    #[test]
    fn an_older_report_does_not_replace_a_newer_one() {
        let reports = HostReports::default();
        reports.put(NOW_NS, report(), 1);
        reports.put(NOW_NS - 1, HostReport::new("h3", 5), 1);
        assert_eq!(reports.report("h3").map(|found| found.report), Some(report()));
    }

    #[test]
    fn an_old_report_is_used_and_its_age_is_missing_evidence() {
        let reports = HostReports::default();
        reports.put(NOW_NS - 30_000_000_000, report(), 1);
        let found = reports.unite(verdict(Anomaly::PfcStormHostInjection, Some("h3")), None, NOW_NS);
        assert!(found.summary.contains("mlx5_0"), "{}", found.summary);
        let expected = "a report of h3 about the time of this verdict: its latest one is 30 s older";
        assert!(found.missing.contains(&expected.to_string()), "{:?}", found.missing);
    }

    #[test]
    fn a_verdict_waits_for_a_requested_report() {
        let reports = HostReports::default();
        let hosts = BTreeSet::from(["h3".to_string()]);
        assert!(reports.awaited(&hosts).is_empty(), "none was requested");
        assert!(reports.may_request("h3", 10) && !reports.may_request("h3", 11), "once a second");
        reports.put(9, report(), 1);
        let awaited = reports.awaited(&hosts);
        assert_eq!(awaited, [("h3".to_string(), 10)].into());
        assert!(!reports.have_arrived(&awaited));
        reports.put(10, report(), 1);
        assert!(reports.have_arrived(&awaited) && reports.awaited(&hosts).is_empty());
        // A later request does not prolong the wait of an earlier verdict.
        assert!(reports.may_request("h3", 10 + REQUEST_INTERVAL_NS));
        assert!(reports.have_arrived(&awaited) && !reports.awaited(&hosts).is_empty());
        reports.request_failed("h3");
        assert!(reports.awaited(&hosts).is_empty(), "the agent is not connected");
    }

    #[test]
    fn reports_beyond_the_limit_of_bytes_are_ignored() {
        let reports = HostReports::default();
        reports.put(1, report(), MAX_BYTES);
        reports.put(1, HostReport::new("h4", 5), 1);
        assert_eq!(reports.summaries().into_keys().collect::<Vec<_>>(), ["h3"]);
        reports.put(2, report(), MAX_BYTES - 1);
        reports.put(1, HostReport::new("h4", 5), 1);
        assert_eq!(reports.summaries().into_keys().collect::<Vec<_>>(), ["h3", "h4"]);
    }
}
