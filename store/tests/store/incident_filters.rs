//! Filters, totals and pages of incidents.

use harrier_store::{IncidentFilter, IncidentTotals, OpenIncidents};
use model::{Anomaly, Cause, Severity};

use crate::incidents::{advance, deadlock, ids, store};
use crate::support::{VICTIM, diagnosis, flow, put};

#[tokio::test]
async fn incidents_are_filtered_counted_and_paged() {
    let store = store().await;
    put(&store, &deadlock("a", 10_000)).await;
    advance(&store, 20_000).await;
    put(&store, &deadlock("b", 30_000)).await;
    let mut storm = diagnosis("c", 40_000, "10.0.0.7:1>10.0.0.8:1/udp", "sw7:1");
    (storm.anomaly, storm.cause) = (Anomaly::PfcStormHostInjection, Cause::NicStorm);
    (storm.severity, storm.root_cause.host) = (Severity::Major, Some("h3".into()));
    put(&store, &storm).await;

    let all = IncidentFilter::default;
    let check = async |filter: IncidentFilter, expected: &[&str], open| {
        assert_eq!(ids(&store, filter.clone()).await, expected, "{filter:?}");
        let totals = IncidentTotals { matching: expected.len() as u64, open };
        let first = IncidentFilter { limit: Some(1), ..filter };
        assert_eq!(store.incidents_with_totals(&first).await.unwrap().1, totals, "{first:?}");
    };
    // The deadlock is a recurrence of the first incident: both have the same root.
    check(all(), &["i-c", "i-a"], 2).await;
    check(IncidentFilter { anomaly: Some(Anomaly::DeadlockInLoopContention), ..all() }, &["i-a"], 1).await;
    check(IncidentFilter { cause: Some(Cause::NicStorm), ..all() }, &["i-c"], 1).await;
    check(IncidentFilter { severity: Some(Severity::Critical), ..all() }, &["i-a"], 1).await;
    check(IncidentFilter { host: Some("h3".into()), ..all() }, &["i-c"], 1).await;
    let host = |address: &str| IncidentFilter {
        host: Some("h9".into()),
        host_addresses: vec![address.parse().unwrap()],
        ..all()
    };
    check(host("10.0.0.8"), &["i-c"], 1).await;
    check(host("10.0.0.2"), &["i-a"], 1).await;
    check(host("10.0.0.99"), &[], 0).await;
    check(IncidentFilter { port: Some("sw2:2".parse().unwrap()), ..all() }, &["i-a"], 1).await;
    check(IncidentFilter { flow: Some(flow(VICTIM)), ..all() }, &["i-a"], 1).await;
    check(IncidentFilter { since_ns: Some(30_001), ..all() }, &["i-c"], 1).await;
    check(IncidentFilter { until_ns: Some(30_001), ..all() }, &["i-a"], 1).await;
    let time = |since_wall_ns, until_wall_ns| IncidentFilter { since_wall_ns, until_wall_ns, ..all() };
    check(time(Some(30_001), None), &["i-c", "i-a"], 2).await;
    check(time(None, Some(10_000)), &[], 0).await;
    check(time(None, Some(10_001)), &["i-a"], 1).await;
    // Between its occurrences it did not last.
    check(time(Some(10_001), Some(30_000)), &[], 0).await;
    check(time(Some(10_000), Some(30_000)), &["i-a"], 1).await;
    advance(&store, 41_000).await;
    check(time(Some(30_001), None), &["i-c"], 1).await;
    check(IncidentFilter { open: true, ..all() }, &["i-c"], 1).await;
    check(all(), &["i-c", "i-a"], 1).await;

    let page = store.incidents(&IncidentFilter { limit: Some(1), ..all() }).await.unwrap();
    assert_eq!(page.next.as_ref().unwrap().to_string(), "40000~40000~i-c");
    assert_eq!(ids(&store, IncidentFilter { after: page.next, ..all() }).await, ["i-a"]);
    let counted = ("pfc_storm_host_injection".into(), "nic_storm".into(), "major".into(), 1);
    let open = OpenIncidents { counts: vec![counted], last_wall_ns: Some(40_000) };
    assert_eq!(store.open_incidents().await.unwrap(), open);
}
