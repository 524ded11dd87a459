//! What is wrong with the sections `workload`, `latency`, `jobs` and `polls` of a report, all at once.

use std::collections::BTreeSet;

use model::HostReport;
use model::host::descriptor::{Opcode, Transport, Workload};
use model::host::jobs::PlacedJob;
use model::host::latency::{HostLatency, RdmaOperation};
use model::host::{HostJobs, HostPolls, HostWorkload};

use crate::ReportProblem;

/// Returns every problem of these sections, in the order of the report.
pub(crate) fn of(report: &HostReport) -> Vec<ReportProblem> {
    let mut found = Problems::default();
    if let Some(workload) = &report.workload {
        found.workload(workload);
    }
    if let Some(latency) = &report.latency {
        found.latency(latency);
    }
    if let Some(jobs) = &report.jobs {
        found.jobs(jobs);
    }
    if let Some(polls) = &report.polls {
        found.polls(polls);
    }
    found.list
}

/// Returns every problem of one workload descriptor. `at` is its JSON Pointer; empty for a file of its own.
pub fn descriptor_problems(at: &str, workload: &Workload) -> Vec<ReportProblem> {
    let mut found = Problems::default();
    found.descriptor(at, workload);
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

    fn rate(&mut self, pointer: String, rate: f64) {
        if !(rate.is_finite() && rate >= 0.0) {
            self.add(pointer, format!("{rate} is no rate; expected a number of at least 0"));
        }
    }

    fn optional_rate(&mut self, pointer: String, rate: Option<f64>) {
        if let Some(rate) = rate {
            self.rate(pointer, rate);
        }
    }

    fn share(&mut self, pointer: String, share: Option<f64>) {
        if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
            self.add(pointer, format!("{share} is no share; expected 0 to 1"));
        }
    }

    fn descriptor(&mut self, at: &str, workload: &Workload) {
        if workload.message_bytes.is_empty() {
            self.add(
                format!("{at}/message_bytes"),
                "the pattern is empty; expected at least one size in bytes",
            );
        }
        for (name, value) in [
            ("mtu_bytes", workload.mtu_bytes),
            ("wqe_batch", workload.wqe_batch),
            ("sge_per_wqe", workload.sge_per_wqe),
            ("wq_depth", workload.wq_depth),
            ("queue_pairs", workload.queue_pairs),
        ] {
            if value == 0 {
                self.add(format!("{at}/{name}"), "0 is not possible; expected at least 1");
            }
        }
        let is_supported = match workload.transport {
            Transport::Rc => true,
            Transport::Uc => workload.opcode != Opcode::Read,
            Transport::Ud => workload.opcode == Opcode::Send,
        };
        if !is_supported {
            self.add(
                format!("{at}/opcode"),
                "the transport service does not support this operation: UC has send and write, UD has send only",
            );
        }
        if let Some(performance) = &workload.performance {
            let at = format!("{at}/performance");
            self.share(format!("{at}/pause_ratio"), Some(performance.pause_ratio));
            for (name, rate) in [
                ("bits_per_s", performance.bits_per_s),
                ("packets_per_s", performance.packets_per_s),
                ("specified_bits_per_s", performance.specified_bits_per_s),
                ("specified_packets_per_s", performance.specified_packets_per_s),
            ] {
                self.rate(format!("{at}/{name}"), rate);
            }
        }
    }

    fn workload(&mut self, workload: &HostWorkload) {
        for (row, descriptor) in workload.descriptors.iter().enumerate() {
            self.descriptor(&format!("/workload/descriptors/{row}"), descriptor);
        }
        for (row, scaling) in workload.scaling.iter().enumerate() {
            let at = format!("/workload/scaling/{row}");
            self.rate(format!("{at}/bits_per_s"), scaling.bits_per_s);
            self.rate(format!("{at}/usual_bits_per_s"), scaling.usual_bits_per_s);
        }
        for (row, connection) in workload.retransmissions.iter().enumerate() {
            let at = format!("/workload/retransmissions/{row}");
            self.rate(format!("{at}/raw_bits_per_s"), connection.raw_bits_per_s);
            self.rate(format!("{at}/goodput_bits_per_s"), connection.goodput_bits_per_s);
            self.share(format!("{at}/loss_ratio"), connection.loss_ratio);
        }
        if let Some(rates) = &workload.rates {
            for (row, link) in rates.links.iter().enumerate() {
                self.rate(format!("/workload/rates/links/{row}/bits_per_s"), link.bits_per_s);
            }
            for (row, flow) in rates.flows.iter().enumerate() {
                let at = format!("/workload/rates/flows/{row}");
                self.rate(format!("{at}/bits_per_s"), flow.bits_per_s);
                self.optional_rate(format!("{at}/demand_bits_per_s"), flow.demand_bits_per_s);
            }
        }
        for (row, peer) in workload.cnp_peers.iter().enumerate() {
            for (side, settings) in [("sender", &peer.sender), ("receiver", &peer.receiver)] {
                if !(1..=3).contains(&settings.generation) {
                    self.add(
                        format!("/workload/cnp_peers/{row}/{side}/generation"),
                        format!("{} is no generation; expected 1 to 3", settings.generation),
                    );
                }
            }
        }
    }

    fn latency(&mut self, latency: &HostLatency) {
        let mut names = BTreeSet::new();
        for (row, connection) in latency.connections.iter().enumerate() {
            if !names.insert(connection.name.as_str()) {
                let message = format!("`{}` is there twice", connection.name);
                self.add(format!("/latency/connections/{row}/name"), message);
            }
            self.optional_rate(format!("/latency/connections/{row}/bits_per_s"), connection.bits_per_s);
        }
        for (row, operation) in latency.operations.iter().enumerate() {
            if !is_ordered(operation) {
                self.add(
                    format!("/latency/operations/{row}"),
                    "a time is before an earlier point; expected t1_ns to t6_ns in this order",
                );
            }
        }
        for (row, transfer) in latency.transfers.iter().enumerate() {
            let at = format!("/latency/transfers/{row}");
            self.rate(format!("{at}/bits_per_s"), transfer.bits_per_s);
            self.optional_rate(format!("{at}/alone_bits_per_s"), transfer.alone_bits_per_s);
            if transfer.posted_after_ns.is_some_and(|posted_after_ns| posted_after_ns > transfer.duration_ns)
            {
                self.add(
                    format!("{at}/posted_after_ns"),
                    "is longer than the whole transfer (`duration_ns`)",
                );
            }
        }
    }

    fn jobs(&mut self, jobs: &HostJobs) {
        let mut names = BTreeSet::new();
        for (row, job) in jobs.jobs.iter().enumerate() {
            let at = format!("/jobs/jobs/{row}");
            if !names.insert(job.name.as_str()) {
                self.add(format!("{at}/name"), format!("`{}` is there twice", job.name));
            }
            self.job(&at, job);
        }
    }

    fn job(&mut self, at: &str, job: &PlacedJob) {
        self.optional_rate(format!("{at}/usual_rate"), job.usual_rate);
        if let Some(demand) = &job.demand {
            self.rate(format!("{at}/demand/batches_per_s"), demand.batches_per_s);
            self.rate(format!("{at}/demand/nic_bits_per_s"), demand.nic_bits_per_s);
            self.rate(format!("{at}/demand/measured_bits_per_s"), demand.measured_bits_per_s);
        }
        for (row, progress) in job.progress.iter().enumerate() {
            let at = format!("{at}/progress/{row}");
            if progress.end_ns <= progress.start_ns {
                self.add(format!("{at}/end_ns"), "the interval ends before it begins");
            }
            self.rate(format!("{at}/rate"), progress.rate);
            self.share(format!("{at}/gpu_utilisation"), progress.gpu_utilisation);
        }
    }
}

impl Problems {
    fn polls(&mut self, polls: &HostPolls) {
        for (row, gap) in polls.gaps.iter().enumerate() {
            let at = format!("/polls/gaps/{row}");
            if gap.thread.is_empty() {
                self.add(format!("{at}/thread"), "the name of the thread is empty");
            }
            if gap.start_ns.checked_add(gap.duration_ns).is_none() {
                self.add(format!("{at}/duration_ns"), "the gap ends after the largest time, 2^64 - 1 ns");
            }
        }
        for (row, silent) in polls.silent_connections.iter().enumerate() {
            let is_early = silent.silent_ns < silent.keepalive_ns.unwrap_or(1);
            if silent.is_acknowledged == Some(false) && is_early {
                self.add(
                    format!("/polls/silent_connections/{row}/silent_ns"),
                    "a probe has failed before the connection was silent for `keepalive_ns`",
                );
            }
        }
    }
}

fn is_ordered(operation: &RdmaOperation) -> bool {
    let between = [operation.t2_ns, operation.t3_ns, operation.t4_ns];
    let points = [Some(operation.t1_ns)]
        .into_iter()
        .chain(between)
        .chain([Some(operation.t5_ns), Some(operation.t6_ns)]);
    points.flatten().is_sorted()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(report: &str, expected: &[&str]) {
        let report: HostReport = serde_json::from_str(report).unwrap();
        let found: Vec<String> = of(&report).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn all_problems_are_reported_with_their_places() {
        check(
            r#"{"version": 1, "host": "h1", "interval_ns": 1000,
                "workload": {"descriptors": [{"nic": "cx6", "transport": "ud", "opcode": "read", "mtu_bytes": 1024,
                    "wqe_batch": 0, "sge_per_wqe": 1, "wq_depth": 16, "message_bytes": [], "memory_regions": 1,
                    "queue_pairs": 1, "performance": {"pause_ratio": 20, "bits_per_s": -1, "packets_per_s": 1,
                    "specified_bits_per_s": 1, "specified_packets_per_s": 1}}]},
                "latency": {"operations": [{"connection": "c", "kind": "send", "t1_ns": 5, "t5_ns": 4, "t6_ns": 6}]},
                "jobs": {"jobs": [{"name": "j", "class": "production",
                    "progress": [{"start_ns": 2, "end_ns": 1, "rate": 1}]}]}}"#,
            &[
                "/workload/descriptors/0/message_bytes: the pattern is empty; expected at least one size in bytes",
                "/workload/descriptors/0/wqe_batch: 0 is not possible; expected at least 1",
                "/workload/descriptors/0/opcode: the transport service does not support this operation: UC has send \
                 and write, UD has send only",
                "/workload/descriptors/0/performance/pause_ratio: 20 is no share; expected 0 to 1",
                "/workload/descriptors/0/performance/bits_per_s: -1 is no rate; expected a number of at least 0",
                "/latency/operations/0: a time is before an earlier point; expected t1_ns to t6_ns in this order",
                "/jobs/jobs/0/progress/0/end_ns: the interval ends before it begins",
            ],
        );
    }

    #[test]
    fn impossible_rates_times_and_polls_are_reported() {
        check(
            r#"{"version": 1, "host": "h1", "interval_ns": 1000,
                "workload": {"rates": {"links": [{"name": "nic0", "bits_per_s": -1}], "flows": []}},
                "latency": {"connections": [{"name": "c", "bits_per_s": -1}],
                    "transfers": [{"name": "t", "control": "cpu", "bytes": 1, "duration_ns": 5, "posted_after_ns": 6,
                        "bits_per_s": 1}]},
                "jobs": {"jobs": [{"name": "j", "class": "production", "usual_rate": -1, "demand": {"batch_bytes": 1,
                    "batches_per_s": 1, "nic_bits_per_s": -1, "measured_bits_per_s": 1}}]},
                "polls": {"gaps": [{"thread": "", "start_ns": 1, "duration_ns": 18446744073709551615}],
                    "silent_connections": [{"connection": "c", "silent_ns": 1, "keepalive_ns": 2,
                        "is_acknowledged": false}]}}"#,
            &[
                "/workload/rates/links/0/bits_per_s: -1 is no rate; expected a number of at least 0",
                "/latency/connections/0/bits_per_s: -1 is no rate; expected a number of at least 0",
                "/latency/transfers/0/posted_after_ns: is longer than the whole transfer (`duration_ns`)",
                "/jobs/jobs/0/usual_rate: -1 is no rate; expected a number of at least 0",
                "/jobs/jobs/0/demand/nic_bits_per_s: -1 is no rate; expected a number of at least 0",
                "/polls/gaps/0/thread: the name of the thread is empty",
                "/polls/gaps/0/duration_ns: the gap ends after the largest time, 2^64 - 1 ns",
                "/polls/silent_connections/0/silent_ns: a probe has failed before the connection was silent for \
                 `keepalive_ns`",
            ],
        );
    }

    #[test]
    fn a_consistent_report_has_no_problems() {
        check(
            r#"{"version": 1, "host": "h1", "interval_ns": 1000,
                "latency": {"operations": [{"connection": "c", "kind": "send", "t1_ns": 1, "t4_ns": 3, "t5_ns": 4,
                    "t6_ns": 6}]}}"#,
            &[],
        );
    }
}
