//! The reports in `docs/examples/hosts` lead to the causes that docs/hosts-workloads.md names.

use host_diagnosis::{Fabric, diagnose, problems};
use model::{Cause, HostReport};

#[track_caller]
fn check(text: &str, fabric: &Fabric, cause: Cause, part: &str) {
    let report: HostReport = serde_json::from_str(text).expect("an example is a report");
    assert_eq!(problems(&report), []);
    let findings = diagnose(&report, fabric).findings;
    let found: Vec<(Cause, String)> = findings.iter().map(|f| (f.cause, f.part.to_string())).collect();
    assert_eq!(found, [(cause, part.to_string())]);
}

#[test]
fn examples_have_the_causes_of_the_documentation() {
    let workload = include_str!("../../docs/examples/hosts/rnic-workload.json");
    check(workload, &Fabric::paused_by("h3"), Cause::RnicWorkload, "RNIC mlx5_0");
    let thrash = include_str!("../../docs/examples/hosts/cache-thrash.json");
    check(thrash, &Fabric::clean(), Cause::QpCacheThrash, "RNIC mlx5_0");
    let shared = include_str!("../../docs/examples/hosts/co-location.json");
    check(shared, &Fabric::clean(), Cause::GpuCoLocation, "application resnet-50");
    let fetch = include_str!("../../docs/examples/hosts/gnn-fetch.json");
    check(fetch, &Fabric::clean(), Cause::LegitimatelyNetworkBound, "application graphsage");
}
