//! The reports in `docs/examples/hosts` lead to the causes that docs/hosts.md names.

use crate::support::{causes, diagnosed};
use host_diagnosis::Fabric;
use model::{Cause, HostReport};

#[track_caller]
fn check(text: &str, fabric: &Fabric, cause: Cause, part: &str) {
    let report: HostReport = serde_json::from_str(text).expect("an example is a report");
    assert_eq!(causes(&report, fabric), [cause]);
    let diagnosis = diagnosed(&report, fabric);
    let finding = diagnosis.findings.iter().find(|finding| finding.cause == cause).unwrap();
    assert_eq!(finding.part.to_string(), part);
}

#[test]
fn examples_have_the_causes_of_the_documentation() {
    let paused = Fabric::paused_by("h3");
    let storm = include_str!("../../docs/examples/hosts/nic-storm.json");
    check(storm, &paused, Cause::NicStorm, "RNIC mlx5_0");
    let slow = include_str!("../../docs/examples/hosts/slow-receiver.json");
    check(slow, &paused, Cause::SlowReceiver, "RNIC mlx5_0");
    let loopback = include_str!("../../docs/examples/hosts/loopback-traffic.json");
    check(loopback, &paused, Cause::LoopbackCongestion, "application RDMA traffic within h3");
    let link = include_str!("../../docs/examples/hosts/root-port.json");
    check(link, &paused, Cause::IntraHostLink, "link rp1");
    let tenant = include_str!("../../docs/examples/hosts/noisy-tenant.json");
    check(tenant, &Fabric::clean(), Cause::NoisyTenant, "tenant batch");
}
