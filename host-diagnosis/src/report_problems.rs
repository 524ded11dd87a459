//! What is wrong with a report, all at once: values that contradict each other or name what does not exist.

use std::collections::BTreeSet;
use std::fmt;

use model::HostReport;
use model::host::HOST_REPORT_VERSION;
use model::host::counters::NicCounters;
use model::host::loopback::HostLoopback;
use model::host::tenants::{SharedNic, Tenant};

use crate::workload_problems;

/// A problem of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportProblem {
    /// Where: a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// What is wrong and what is expected.
    pub message: String,
}

impl fmt::Display for ReportProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

/// Returns every problem of a report, in the order of the report.
pub fn problems(report: &HostReport) -> Vec<ReportProblem> {
    let mut found = Problems::default();
    if report.version != HOST_REPORT_VERSION {
        found.add(
            "/version",
            format!(
                "version {} is not supported; this version of Harrier reads {HOST_REPORT_VERSION}",
                report.version
            ),
        );
    }
    if report.host.is_empty() {
        found.add("/host", "the name of the host is empty");
    }
    if report.interval_ns == 0 {
        found.add("/interval_ns", "must be at least 1: counters describe an interval");
    }
    if let Some(counters) = &report.counters {
        let names = counters.nics.iter().map(|nic| nic.nic.as_str());
        found.duplicates("/counters/nics", "nic", names);
        for (at, nic) in counters.nics.iter().enumerate() {
            found.nic(&format!("/counters/nics/{at}"), nic, report.interval_ns);
        }
    }
    if let Some(loopback) = &report.loopback {
        found.loopback(loopback);
    }
    if let Some(tenants) = &report.tenants {
        found.duplicates("/tenants/nics", "nic", tenants.nics.iter().map(|nic| nic.nic.as_str()));
        for (at, nic) in tenants.nics.iter().enumerate() {
            found.shared_nic(&format!("/tenants/nics/{at}"), nic);
        }
    }
    found.list.extend(workload_problems::of(report));
    found.list
}

#[derive(Default)]
struct Problems {
    list: Vec<ReportProblem>,
}

impl Problems {
    fn add(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.list.push(ReportProblem { pointer: pointer.into(), message: message.into() });
    }

    fn duplicates<'n>(&mut self, at: &str, field: &str, names: impl Iterator<Item = &'n str>) {
        let mut seen = BTreeSet::new();
        for (row, name) in names.enumerate() {
            if name.is_empty() {
                self.add(format!("{at}/{row}/{field}"), "the name is empty");
            } else if !seen.insert(name) {
                self.add(format!("{at}/{row}/{field}"), format!("`{name}` is there twice"));
            }
        }
    }

    fn nic(&mut self, at: &str, nic: &NicCounters, interval_ns: u64) {
        for (name, rows) in [("sent_pauses", &nic.sent_pauses), ("received_pauses", &nic.received_pauses)] {
            let mut seen = BTreeSet::new();
            for (row, pauses) in rows.iter().enumerate() {
                let at = format!("{at}/{name}/{row}");
                self.priority(&at, pauses.priority);
                if !seen.insert(pauses.priority) {
                    self.add(
                        format!("{at}/priority"),
                        format!("priority {} is there twice", pauses.priority),
                    );
                }
                self.at_most(&format!("{at}/paused_ns"), pauses.paused_ns, interval_ns, "the interval");
                let paused = pauses.paused_ns.unwrap_or(u64::MAX);
                self.at_most(&format!("{at}/longest_ns"), pauses.longest_ns, paused, "the paused time");
            }
        }
        for (row, sample) in nic.pause_samples.iter().enumerate() {
            let at = format!("{at}/pause_samples/{row}");
            self.priority(&at, sample.priority);
            let paused = Some(sample.paused_ns);
            self.at_most(&format!("{at}/paused_ns"), paused, sample.interval_ns, "the interval");
        }
        for (name, time) in [
            ("receive_full_ns", nic.receive_full_ns),
            ("stalled_writes_ns", nic.stalled_writes_ns),
            ("waited_reads_ns", nic.waited_reads_ns),
        ] {
            self.at_most(&format!("{at}/{name}"), time, interval_ns, "the interval");
        }
        for (row, drops) in nic.drops.iter().enumerate() {
            self.priority(&format!("{at}/drops/{row}"), drops.priority);
        }
        for (name, misses) in [
            ("icm", nic.caches.and_then(|caches| caches.icm)),
            ("mtt", nic.caches.and_then(|caches| caches.mtt)),
            ("receive_wqe", nic.caches.and_then(|caches| caches.receive_wqe)),
        ] {
            let lookups = misses.and_then(|misses| misses.lookups).unwrap_or(u64::MAX);
            let misses = misses.map(|misses| misses.misses);
            self.at_most(&format!("{at}/caches/{name}/misses"), misses, lookups, "the lookups");
        }
    }

    fn priority(&mut self, at: &str, priority: u8) {
        if priority > 7 {
            self.add(format!("{at}/priority"), format!("{priority} is no priority; expected 0 to 7"));
        }
    }

    fn at_most(&mut self, at: &str, value: Option<u64>, most: u64, what: &str) {
        if let Some(value) = value.filter(|value| *value > most) {
            self.add(at, format!("{value} is more than {what}, {most}"));
        }
    }

    fn loopback(&mut self, loopback: &HostLoopback) {
        let at = "/loopback/topology";
        let topology = &loopback.topology;
        self.duplicates(&format!("{at}/nodes"), "name", topology.nodes.iter().map(|n| n.name.as_str()));
        self.duplicates(&format!("{at}/links"), "name", topology.links.iter().map(|l| l.name.as_str()));
        let nodes: BTreeSet<&str> = topology.nodes.iter().map(|node| node.name.as_str()).collect();
        let links: BTreeSet<&str> = topology.links.iter().map(|link| link.name.as_str()).collect();
        let mut known = |at: String, name: &str, names: &BTreeSet<&str>, what: &str| {
            if !names.contains(name) {
                self.add(at, format!("`{name}` is no {what} of the topology"));
            }
        };
        for (row, link) in topology.links.iter().enumerate() {
            for (end, node) in link.between.iter().enumerate() {
                known(format!("{at}/links/{row}/between/{end}"), node, &nodes, "node");
            }
        }
        for (test, round) in loopback.tests.iter().enumerate() {
            let at = format!("/loopback/tests/{test}");
            for (row, path) in round.paths.iter().enumerate() {
                known(format!("{at}/paths/{row}/nic"), &path.nic, &nodes, "node");
                known(format!("{at}/paths/{row}/endpoint"), &path.endpoint, &nodes, "node");
            }
            for (row, nic) in round.busy.iter().enumerate() {
                known(format!("{at}/busy/{row}"), nic, &nodes, "node");
            }
            for (row, service) in round.service.iter().enumerate() {
                known(format!("{at}/service/{row}/nic"), &service.nic, &nodes, "node");
            }
            for (row, used) in round.utilisation.iter().enumerate() {
                known(format!("{at}/utilisation/{row}/link"), &used.link, &links, "link");
            }
        }
        for (test, round) in loopback.tests.iter().enumerate() {
            let at = format!("/loopback/tests/{test}");
            for (row, used) in round.utilisation.iter().enumerate() {
                self.share(format!("{at}/utilisation/{row}/share"), used.share);
            }
            for (row, path) in round.paths.iter().enumerate() {
                path.stalled_share
                    .iter()
                    .for_each(|share| self.share(format!("{at}/paths/{row}/stalled_share"), *share));
            }
        }
    }

    fn share(&mut self, at: String, share: f64) {
        if !(0.0..=1.0).contains(&share) {
            self.add(at, format!("{share} is no share; expected 0 to 1"));
        }
    }

    fn shared_nic(&mut self, at: &str, nic: &SharedNic) {
        self.duplicates(&format!("{at}/tenants"), "name", nic.tenants.iter().map(|t| t.name.as_str()));
        self.rate(format!("{at}/request_limit"), nic.request_limit);
        for (row, tenant) in nic.tenants.iter().enumerate() {
            self.tenant(&format!("{at}/tenants/{row}"), tenant);
        }
    }

    fn tenant(&mut self, at: &str, tenant: &Tenant) {
        for (name, rate) in [
            ("requests", tenant.requests),
            ("registrations", tenant.registrations),
            ("deregistrations", tenant.deregistrations),
            ("rnr_errors", tenant.rnr_errors),
        ] {
            self.rate(format!("{at}/{name}"), rate);
        }
        for (row, verb) in tenant.verbs.iter().enumerate() {
            self.rate(format!("{at}/verbs/{row}/requests"), verb.requests);
        }
    }

    fn rate(&mut self, at: String, rate: f64) {
        if !(rate >= 0.0 && rate.is_finite()) {
            self.add(at, format!("{rate} is no rate; expected a number of at least 0"));
        }
    }
}
