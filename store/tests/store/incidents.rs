//! Incidents: which diagnoses belong to one, how often it occurs, how long it lasts, which diagnosis represents it.

use std::collections::BTreeSet;

use harrier_store::{INCIDENT_OCCURRENCES, INCIDENT_VICTIMS, Incident, IncidentFilter, Limits, Store};
use model::diagnosis::{FlowPath, FlowRole, Hop, Known, NetworkFault};
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, RootCause, Severity};

use crate::support::{self, OTHER, VICTIM, diagnosis, flow, graph, put};

const QUIET_NS: u64 = 1_600;

pub(crate) async fn store() -> Store {
    let limits = Limits { incident_quiet_ns: QUIET_NS, incident_memory_ns: 1_000_000, ..Limits::default() };
    Store::open_with(&support::fresh().await, limits).await.unwrap()
}

fn ports(names: &[&str]) -> BTreeSet<PortRef> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// A deadlock of three ports, whose root port is `sw4:1`.
pub(crate) fn deadlock(id: &str, time_ns: u64) -> Diagnosis {
    Diagnosis {
        anomaly: Anomaly::DeadlockInLoopContention,
        cause: Cause::Undetermined,
        severity: Severity::Critical,
        pause_loop: vec!["sw1:1".parse().unwrap(), "sw2:2".parse().unwrap(), "sw4:1".parse().unwrap()],
        ..diagnosis(id, time_ns, VICTIM, "sw4:1")
    }
}

/// A verdict without a culprit, because the telemetry of the start is gone.
fn undetermined(id: &str, time_ns: u64, pause_path: &[&str]) -> Diagnosis {
    Diagnosis {
        cause: Cause::Undetermined,
        confidence: 1.0,
        severity: Severity::Critical,
        root_cause: RootCause::default(),
        pause_path: pause_path.iter().map(|port| port.parse().unwrap()).collect(),
        ..diagnosis(id, time_ns, OTHER, "sw9:9")
    }
}

async fn incident(store: &Store, id: &str) -> Incident {
    store.incident(id).await.unwrap().unwrap_or_else(|| panic!("no incident {id}"))
}

pub(crate) async fn ids(store: &Store, filter: IncidentFilter) -> Vec<String> {
    store.incidents(&filter).await.unwrap().rows.into_iter().map(|incident| incident.id).collect()
}

/// Advances to a time without pauses, and returns the ids of the incidents that end.
pub(crate) async fn advance(store: &Store, now_ns: u64) -> Vec<String> {
    let ended = store.advance(now_ns, now_ns, &BTreeSet::new()).await.unwrap();
    ended.into_iter().map(|incident| incident.id).collect()
}

fn times(incident: &Incident) -> Vec<(u64, Option<u64>)> {
    incident.occurrences.iter().map(|occurrence| (occurrence.start_ns, occurrence.end_ns)).collect()
}

#[tokio::test]
async fn diagnoses_of_one_root_are_one_incident() {
    let store = store().await;
    let first = put(&store, &diagnosis("a", 10_000, VICTIM, "sw4:1")).await;
    assert!(first.new && first.first);
    let mut surer = diagnosis("b", 10_050, OTHER, "sw4:1");
    surer.confidence = 0.9;
    let second = put(&store, &surer).await;
    assert!(!second.first);
    assert_eq!(second.incident.diagnosis, "b");
    put(&store, &diagnosis("c", 10_060, VICTIM, "sw4:1")).await;
    assert!(put(&store, &diagnosis("d", 10_060, VICTIM, "sw2:7")).await.first);

    let found = incident(&store, "i-a").await;
    assert_eq!((found.start_ns, found.update_ns, found.end_ns), (10_000, 10_060, None));
    assert_eq!((found.count, found.recurrences, found.diagnosis.as_str()), (3, 1, "b"));
    assert_eq!(found.victims, [flow(VICTIM), flow(OTHER)]);
    assert_eq!(found.pause_path, ["sw4:1".parse().unwrap()]);

    assert!(advance(&store, 10_060 + QUIET_NS).await.is_empty());
    assert_eq!(advance(&store, 10_061 + QUIET_NS).await, ["i-a", "i-d"]);
    assert_eq!(incident(&store, "i-a").await.end_ns, Some(10_060));
}

fn sender(n: u32) -> FlowKey {
    flow(&format!("10.0.0.{n}:1>10.0.9.1:4791/udp"))
}

/// A verdict that names these flows at a port.
fn congestion(id: &str, time_ns: u64, port: &str, culprits: &[u32]) -> Diagnosis {
    let mut diagnosis = diagnosis(id, time_ns, VICTIM, port);
    diagnosis.root_cause.flows = culprits.iter().map(|n| sender(*n)).collect();
    diagnosis
}

/// An incast congests the port to its receiver, and some of its flows links before it.
#[tokio::test]
async fn one_set_of_culprits_at_several_ports_is_one_incident() {
    let store = store().await;
    let of = async |diagnosis: Diagnosis| put(&store, &diagnosis).await.incident.id;
    assert_eq!(of(congestion("link", 10_000, "sw1:5", &[1, 2])).await, "i-link");
    assert_eq!(of(congestion("port", 10_100, "sw4:1", &[1, 2, 3, 4])).await, "i-link");
    assert_eq!(of(congestion("uplink", 10_200, "sw2:7", &[3, 4, 9])).await, "i-link");
    // Half of two flows are as likely another problem as the same one.
    assert_eq!(of(congestion("half", 10_300, "sw3:2", &[1, 9])).await, "i-half");
    assert_eq!(of(congestion("other", 10_400, "sw3:3", &[5, 6])).await, "i-other");
    // Another thing to repair.
    let mut setting = congestion("setting", 10_500, "sw5:1", &[5, 6]);
    setting.root_cause.config = vec!["sw5/alpha".into()];
    assert_eq!(of(setting).await, "i-setting");
    let anomaly = Anomaly::ClassContention;
    assert_eq!(of(Diagnosis { anomaly, ..congestion("class", 10_600, "sw6:1", &[5, 6]) }).await, "i-class");

    assert_eq!(advance(&store, 20_000).await, ["i-link", "i-half", "i-other", "i-setting", "i-class"]);
    assert_eq!(of(congestion("again", 20_100, "sw2:7", &[3, 4])).await, "i-link", "at a port of before");
    assert_eq!(incident(&store, "i-link").await.recurrences, 2);
    advance(&store, 40_000).await;
    assert_eq!(of(congestion("new", 40_100, "sw8:1", &[3, 4])).await, "i-new", "it has ended");
}

/// Adds the ports that the culprits of a diagnosis leave switches by, as far as their common path is the same.
fn along(mut diagnosis: Diagnosis, hops: &[&str]) -> Diagnosis {
    let hop = |name: &&str| Hop { port: name.parse().unwrap(), known: Known::Derived };
    let path = |flow: &FlowKey| FlowPath {
        flow: *flow,
        role: FlowRole::Culprit,
        hops: hops.iter().map(hop).collect(),
    };
    diagnosis.paths = diagnosis.root_cause.flows.iter().map(path).collect();
    diagnosis
}

/// The bursts of an incast meet at links before the receiver's port, each time others: no two verdicts share a flow.
#[tokio::test]
async fn an_incast_is_one_incident_wherever_its_flows_meet() {
    let store = store().await;
    let of = async |diagnosis: Diagnosis| put(&store, &diagnosis).await.incident.id;
    let link = |id, time_ns, port, culprits: &[u32]| {
        along(congestion(id, time_ns, port, culprits), &["sw1:5", "sw2:7", "sw4:1"])
    };
    assert_eq!(of(link("a", 10_000, "sw1:5", &[1, 2])).await, "i-a");
    assert_eq!(of(link("b", 10_100, "sw2:7", &[3, 4])).await, "i-a");
    assert_eq!(of(link("c", 10_200, "sw4:1", &[5, 6])).await, "i-a");
    let surer = Diagnosis { confidence: 0.9, ..link("c2", 10_250, "sw2:7", &[3, 4]) };
    assert_eq!(of(surer).await, "i-a");
    assert_eq!(incident(&store, "i-a").await.diagnosis, "c", "the receiver's port sees all of its flows");
    // Large flows that share a link have that link in common.
    let cause = Cause::ElephantCollision;
    assert_eq!(of(Diagnosis { cause, ..link("d", 10_300, "sw1:5", &[7, 8]) }).await, "i-d");
    // One flow is no incast, and a setting is another thing to repair.
    assert_eq!(of(link("e", 10_400, "sw2:7", &[9])).await, "i-e");
    let mut setting = link("f", 10_500, "sw3:1", &[10, 11]);
    setting.root_cause.config = vec!["sw3/alpha".into()];
    assert_eq!(of(setting).await, "i-f");
}

/// A dirty fibre damages packets in both directions, and each direction is diagnosed at its own end.
#[tokio::test]
async fn a_link_at_fault_is_one_incident() {
    let store = store().await;
    let of = async |diagnosis: Diagnosis| put(&store, &diagnosis).await.incident.id;
    let damaged = |id, time_ns, port, far: &str| Diagnosis {
        anomaly: Anomaly::PacketLoss,
        cause: Cause::Undetermined,
        fault: Some(NetworkFault::DamagedFrames),
        far_port: Some(far.parse().unwrap()),
        ..diagnosis(id, time_ns, VICTIM, port)
    };
    assert_eq!(of(damaged("a", 10_000, "sw1:1", "sw2:1")).await, "i-a");
    let at = async |port: &str| {
        let filter = IncidentFilter { port: Some(port.parse().unwrap()), ..IncidentFilter::default() };
        ids(&store, filter).await
    };
    assert_eq!(at("sw1:1").await, ["i-a"]);
    assert_eq!(at("sw2:1").await, ["i-a"], "the other end of its link");
    assert_eq!(of(damaged("b", 10_100, "sw2:1", "sw1:1")).await, "i-a");
    assert_eq!(of(damaged("c", 10_200, "sw1:2", "sw2:2")).await, "i-c", "a parallel link");
    let congested = along(congestion("d", 10_300, "sw1:1", &[5, 6]), &["sw1:1", "sw2:4"]);
    assert_eq!(of(congested).await, "i-d", "congestion is another problem of that port");
}

/// A loop that deadlocks twice starts at another port, with other flows.
#[tokio::test]
async fn a_loop_that_deadlocks_by_itself_is_one_incident() {
    let store = store().await;
    let of = async |diagnosis: Diagnosis| put(&store, &diagnosis).await.incident.id;
    let from = |id, time_ns, port: &str, culprits: &[u32]| {
        let mut diagnosis = deadlock(id, time_ns);
        diagnosis.pause_loop.rotate_left(1);
        diagnosis.root_cause.port = Some(port.parse().unwrap());
        diagnosis.root_cause.flows = culprits.iter().map(|n| sender(*n)).collect();
        diagnosis
    };
    assert_eq!(of(deadlock("a", 10_000)).await, "i-a");
    assert_eq!(of(from("b", 10_100, "sw1:1", &[1, 2])).await, "i-a");
    let anomaly = Anomaly::DeadlockOutOfLoopContention;
    let outside = |id, time_ns| Diagnosis { anomaly, ..from(id, time_ns, "sw7:1", &[5, 6]) };
    assert_eq!(of(outside("c", 10_200)).await, "i-c", "it began outside the loop");
    // A snapshot with other ports of the same deadlock.
    let mut part = from("d", 10_300, "sw2:2", &[7, 8]);
    part.pause_loop = vec!["sw2:2".parse().unwrap(), "sw4:1".parse().unwrap(), "sw9:1".parse().unwrap()];
    assert_eq!(of(part).await, "i-a");
    assert_eq!(
        of(congestion("e", 10_400, "sw4:1", &[9])).await,
        "i-e",
        "another culprit at a port of the loop"
    );
    advance(&store, 20_000).await;
    assert_eq!(of(outside("f", 20_100)).await, "i-c");
    assert_eq!(of(deadlock("g", 20_200)).await, "i-a", "in either order");
}

/// An outage and the collision of the flows that it moved to another link have a victim in common.
#[tokio::test]
async fn incidents_of_one_time_with_a_common_flow_are_related() {
    let store = store().await;
    let related = async |id: &str| {
        let found = store.related_incidents(id).await.unwrap().unwrap();
        found.into_iter().map(|incident| incident.id).collect::<Vec<_>>()
    };
    put(&store, &diagnosis("before", 5_000, VICTIM, "sw7:1")).await;
    put(&store, &diagnosis("outage", 10_000, VICTIM, "sw1:1")).await;
    put(&store, &congestion("collision", 10_500, "sw2:7", &[1, 2])).await;
    put(&store, &diagnosis("other", 10_600, OTHER, "sw5:1")).await;
    // A culprit there is a victim here.
    put(&store, &diagnosis("moved", 11_000, &sender(2).to_string(), "sw6:1")).await;
    assert_eq!(related("i-outage").await, ["i-collision"]);
    assert_eq!(related("i-collision").await, ["i-moved", "i-outage"]);
    assert_eq!(related("i-before").await, [""; 0]);
    assert_eq!(store.related_incidents("i-none").await.unwrap(), None);
}

/// The first poll may be before the loop closes.
#[tokio::test]
async fn congestion_that_becomes_a_deadlock_is_one_incident() {
    let store = store().await;
    let of = async |diagnosis: Diagnosis| put(&store, &diagnosis).await.incident.id;
    assert_eq!(of(congestion("a", 10_000, "sw4:1", &[1])).await, "i-a");
    assert_eq!(of(deadlock("b", 10_100)).await, "i-a");
    let mut later = deadlock("c", 10_200);
    later.root_cause.port = Some("sw2:2".parse().unwrap());
    assert_eq!(of(later).await, "i-a");
    assert_eq!(incident(&store, "i-a").await.diagnosis, "b", "an equal one does not replace it");
}

/// When a deadlock comes back, the congestion before it is an incident of its own, which ends although its port stays paused.
#[tokio::test]
async fn congestion_before_a_deadlock_that_returns_ends_when_the_loop_closes() {
    let store = store().await;
    let of = async |diagnosis: Diagnosis| put(&store, &diagnosis).await.incident.id;
    let culprits = [1, 2];
    let queue = |id: &str, time_ns| congestion(id, time_ns, "sw2:2", &culprits);
    let deadlocked = |id: &str, time_ns| {
        let mut found = deadlock(id, time_ns);
        found.root_cause.port = Some("sw2:2".parse().unwrap());
        found.root_cause.flows = culprits.map(sender).to_vec();
        found
    };
    assert_eq!(of(deadlocked("first", 10_000)).await, "i-first");
    assert_eq!(advance(&store, 50_000).await, ["i-first"]);

    // The verdict on the queue names other culprits than before, so that it is not the deadlock's.
    assert_eq!(of(congestion("before", 50_000, "sw2:2", &[7, 8])).await, "i-before");
    assert_eq!(of(deadlocked("again", 50_100)).await, "i-first");
    assert_eq!(of(queue("within", 50_200)).await, "i-first");
    let mut ended = vec![];
    for now_ns in (50_000..60_000).step_by(100) {
        let now = store.advance(now_ns, now_ns, &ports(&["sw2:2", "sw3:3"])).await.unwrap();
        ended.extend(now.into_iter().map(|incident| incident.id));
    }
    assert_eq!(ended, ["i-before"]);
    assert_eq!(incident(&store, "i-first").await.end_ns, None);
}

/// A storm that comes and goes is one incident that occurs several times.
#[tokio::test]
async fn a_culprit_that_returns_reopens_its_incident() {
    let store = store().await;
    for n in 0..3 {
        put(&store, &diagnosis(&format!("a{n}"), 10_000 * (n + 1), VICTIM, "sw4:1")).await;
        put(&store, &diagnosis(&format!("b{n}"), 10_000 * (n + 1) + 100, VICTIM, "sw4:1")).await;
        assert!(incident(&store, "i-a0").await.end_ns.is_none());
        assert_eq!(advance(&store, 10_000 * (n + 1) + 5_000).await, ["i-a0"]);
    }
    put(&store, &diagnosis("last", 40_000, VICTIM, "sw4:1")).await;
    let found = incident(&store, "i-a0").await;
    assert_eq!((found.count, found.recurrences), (7, 4));
    assert_eq!((found.start_ns, found.update_ns, found.end_ns), (10_000, 40_000, None));
    let expected = [(10_000, Some(10_100)), (20_000, Some(20_100)), (30_000, Some(30_100)), (40_000, None)];
    assert_eq!(times(&found), expected);
    assert_eq!((found.occurrences[1].start_wall_ns, found.occurrences[1].update_wall_ns), (20_000, 20_100));
    assert_eq!(ids(&store, IncidentFilter::default()).await, ["i-a0"]);
}

#[tokio::test]
async fn a_culprit_that_returns_after_a_day_opens_a_new_incident() {
    let store = store().await;
    put(&store, &diagnosis("a", 10_000, VICTIM, "sw4:1")).await;
    assert!(!put(&store, &diagnosis("b", 1_010_000, VICTIM, "sw4:1")).await.first);
    assert!(put(&store, &diagnosis("c", 2_010_001, VICTIM, "sw4:1")).await.first);
    assert_eq!(ids(&store, IncidentFilter::default()).await, ["i-c", "i-a"]);
}

#[tokio::test]
async fn the_last_occurrences_are_kept_and_all_are_counted() {
    let store = store().await;
    let all = u64::from(INCIDENT_OCCURRENCES) + 3;
    for n in 1..=all {
        put(&store, &diagnosis(&format!("d{n}"), n * 10_000, VICTIM, "sw4:1")).await;
    }
    let found = incident(&store, "i-d1").await;
    assert_eq!((found.recurrences, found.count, found.start_ns), (all, all, 10_000));
    assert_eq!(found.occurrences.len(), INCIDENT_OCCURRENCES as usize);
    assert_eq!(found.occurrences[0].start_ns, 40_000);
    assert_eq!(found.occurrences.last().unwrap().end_ns, None);
}

/// Uploads may be late: an earlier occurrence is extended or added, and the latest one stays as it is.
#[tokio::test]
async fn a_late_diagnosis_belongs_to_its_own_time() {
    let store = store().await;
    for (id, time_ns) in [("a", 10_000), ("b", 20_000)] {
        put(&store, &diagnosis(id, time_ns, VICTIM, "sw4:1")).await;
    }
    advance(&store, 30_000).await;
    let late = async |id: &str, time_ns| {
        let diagnosis = diagnosis(id, time_ns, VICTIM, "sw4:1");
        store.record(&diagnosis, &graph(), None, 30_000).await.unwrap().incident
    };
    let extended = late("c", 9_000).await;
    assert_eq!((extended.start_ns, extended.end_ns, extended.recurrences), (9_000, Some(20_000), 2));
    assert_eq!(times(&extended), [(9_000, Some(10_000)), (20_000, Some(20_000))]);
    let added = late("d", 15_000).await;
    assert_eq!((added.end_ns, added.recurrences), (Some(20_000), 3));
    assert_eq!(times(&added), [(9_000, Some(10_000)), (15_000, Some(15_000)), (20_000, Some(20_000))]);
    let latest = late("e", 20_500).await;
    assert_eq!((latest.end_ns, latest.recurrences), (None, 3));
    assert_eq!(times(&latest).last(), Some(&(20_000, None)));
}

/// Agents poll again and again during a deadlock, and later telemetry no longer shows its start.
#[tokio::test]
async fn a_verdict_without_a_culprit_joins_the_open_incident_of_its_ports() {
    let store = store().await;
    put(&store, &deadlock("full", 10_000)).await;
    let joined = put(&store, &undetermined("late", 10_500, &["sw2:2"])).await;
    assert_eq!((joined.incident.id.as_str(), joined.first), ("i-full", false));
    assert_eq!(joined.incident.diagnosis, "full", "the first full verdict stays");
    assert_eq!(joined.incident.anomaly, Anomaly::DeadlockInLoopContention);
    // Ports that only the claims name are those of the victim's path.
    let mut by_claim = undetermined("claim", 10_600, &[]);
    by_claim.evidence = vec![model::diagnosis::Evidence {
        claim: "packets are queued".into(),
        template: None,
        switch: None,
        port: Some("sw1:1".parse().unwrap()),
        epoch: None,
        records: vec![],
    }];
    assert_eq!(put(&store, &by_claim).await.incident.id, "i-full");
    // A paused port of the loop is the root, as far as the telemetry shows.
    let mut port_alone = undetermined("port", 10_650, &["sw2:2"]);
    port_alone.root_cause.port = Some("sw2:2".parse().unwrap());
    assert_eq!(put(&store, &port_alone).await.incident.id, "i-full");
    // Its own root counts, not the rest of the victim's path.
    let mut other_port = Diagnosis { id: "other-port".into(), ..by_claim.clone() };
    other_port.root_cause.port = Some("sw8:1".parse().unwrap());
    assert!(put(&store, &other_port).await.first);
    let mut with_culprit = Diagnosis { id: "culprit".into(), ..port_alone.clone() };
    with_culprit.root_cause.flows = vec![flow(OTHER)];
    assert!(put(&store, &with_culprit).await.first, "another culprit is another incident");

    assert!(put(&store, &undetermined("elsewhere", 10_700, &["sw7:1"])).await.first);
    let clean = Diagnosis { anomaly: Anomaly::HostOnly, ..undetermined("clean", 10_800, &["sw1:1"]) };
    assert!(put(&store, &clean).await.first, "a verdict that clears the network is no part of a deadlock");

    advance(&store, 100_000).await;
    let after = put(&store, &undetermined("after", 100_000, &["sw2:2"])).await;
    assert_eq!(
        after.incident.id, "i-elsewhere",
        "the deadlock has ended; this victim had such a verdict before"
    );
}

/// At the first poll a loop may not have closed yet.
#[tokio::test]
async fn the_first_verdict_with_a_culprit_takes_over_the_open_incident_of_its_ports() {
    let store = store().await;
    let mut early = undetermined("early", 10_000, &["sw2:2"]);
    early.root_cause.port = Some("sw2:2".parse().unwrap());
    put(&store, &early).await;
    put(&store, &undetermined("elsewhere", 10_000, &["sw7:1"])).await;
    let full = put(&store, &deadlock("full", 10_400)).await;
    assert_eq!((full.incident.id.as_str(), full.incident.diagnosis.as_str()), ("i-early", "full"));
    assert_eq!(
        put(&store, &deadlock("more", 10_500)).await.incident.id,
        "i-early",
        "it has this culprit now"
    );
    let other = diagnosis("other", 10_600, VICTIM, "sw2:2");
    assert!(put(&store, &other).await.first, "an incident with a culprit keeps it");
}

#[tokio::test]
async fn a_determined_verdict_with_the_highest_severity_represents() {
    let store = store().await;
    let with = |id: &str, anomaly, severity, confidence| Diagnosis {
        anomaly,
        severity,
        confidence,
        ..diagnosis(id, 10_000, VICTIM, "sw4:1")
    };
    let pauses = Anomaly::PfcBackpressureFlowContention;
    let setting = |id: &str, confidence| {
        let named = with(id, pauses, Severity::Critical, confidence);
        let root_cause = RootCause { config: vec!["sw4/alpha".into()], ..named.root_cause.clone() };
        Diagnosis { root_cause, ..named }
    };
    let steps = [
        (with("a", Anomaly::Undetermined, Severity::Critical, 1.0), "a"),
        (with("b", Anomaly::FlowContention, Severity::Info, 0.1), "b"),
        (with("c", Anomaly::FlowContention, Severity::Info, 0.9), "c"),
        (with("d", pauses, Severity::Info, 0.2), "d"),
        (with("e", Anomaly::FlowContention, Severity::Info, 1.0), "d"),
        (with("f", Anomaly::FlowContention, Severity::Minor, 0.1), "f"),
        (with("g", pauses, Severity::Critical, 0.3), "g"),
        (with("h", pauses, Severity::Major, 1.0), "g"),
        (with("i", Anomaly::Undetermined, Severity::Critical, 1.0), "g"),
        (setting("j", 0.2), "j"),
        (with("k", pauses, Severity::Critical, 1.0), "j"),
        (setting("l", 0.3), "l"),
    ];
    for (diagnosis, representative) in steps {
        let found = put(&store, &diagnosis).await.incident;
        assert_eq!(found.diagnosis, representative, "after {}", diagnosis.id);
    }
    assert_eq!(incident(&store, "i-a").await.severity, Severity::Critical);
}

/// The smaller part of a delay is often the clearer one, and culprits delay each other.
#[tokio::test]
async fn a_verdict_about_most_of_the_delay_of_a_bystander_represents() {
    let store = store().await;
    let with = |id: &str, share, victim: u32, confidence| {
        let named = congestion(id, 10_000, "sw4:1", &[1, 2]);
        Diagnosis { delay_share: share, victim: Some(sender(victim)), confidence, ..named }
    };
    let steps = [
        (with("a", Some(0.25), 7, 0.9), "a"),
        (with("b", Some(0.75), 1, 0.4), "b"),
        (with("c", None, 7, 0.3), "c"),
        (with("d", None, 2, 1.0), "c"),
        (with("e", Some(0.49), 7, 1.0), "c"),
        (with("f", Some(0.5), 8, 0.4), "f"),
    ];
    for (diagnosis, representative) in steps {
        let found = put(&store, &diagnosis).await.incident;
        assert_eq!(found.diagnosis, representative, "after {}", diagnosis.id);
    }
}

/// A deadlock of a minute is one open incident for a minute.
#[tokio::test]
async fn an_incident_lasts_while_one_of_its_ports_is_paused() {
    let store = store().await;
    put(&store, &deadlock("a", 10_000)).await;
    put(&store, &diagnosis("b", 10_000, VICTIM, "sw7:1")).await;
    let mut ended = vec![];
    for now_ns in (10_000..1_000_000).step_by(100) {
        let now = store.advance(now_ns, now_ns, &ports(&["sw2:2", "sw3:3"])).await.unwrap();
        ended.extend(now.into_iter().map(|incident| (incident.id, now_ns)));
    }
    assert_eq!(ended, [("i-b".to_string(), 10_100 + QUIET_NS)], "only the one without a paused port");
    let found = incident(&store, "i-a").await;
    assert_eq!((found.end_ns, found.recurrences), (None, 1));
    assert!(found.update_ns > 999_900 - QUIET_NS / 8, "{} moves along", found.update_ns);

    // Agents poll again long after the quiet time has passed.
    assert_eq!(put(&store, &deadlock("again", 1_000_000)).await.incident.recurrences, 1);
    assert_eq!(advance(&store, 1_000_001 + QUIET_NS).await, ["i-a"]);
    let found = incident(&store, "i-a").await;
    assert_eq!(times(&found), [(10_000, Some(1_000_000))]);
}

#[tokio::test]
async fn a_pause_of_a_port_of_an_earlier_occurrence_does_not_keep_an_incident_open() {
    let store = store().await;
    put(&store, &deadlock("a", 10_000)).await;
    advance(&store, 20_000).await;
    put(&store, &diagnosis("b", 30_000, VICTIM, "sw4:1")).await;
    let now_ns = 30_001 + QUIET_NS;
    assert_eq!(store.advance(now_ns, now_ns, &ports(&["sw2:2"])).await.unwrap().len(), 1);
}

#[tokio::test]
async fn culprits_of_the_representative_diagnosis_are_no_victims() {
    let store = store().await;
    let named = async |id: &str, confidence, victim, culprits: &[u32]| {
        let mut diagnosis = diagnosis(id, 10_000, victim, "sw4:1");
        diagnosis.confidence = confidence;
        diagnosis.root_cause.flows = culprits.iter().map(|n| sender(*n)).collect();
        let found = put(&store, &diagnosis).await.incident;
        (found.victims.iter().map(ToString::to_string).collect::<Vec<_>>(), found.victim_count)
    };
    let [first, second, third] = [1, 2, 3].map(|n| sender(n).to_string());
    // Of a culprit that is slow itself, the other flows are the culprits.
    assert_eq!(named("a", 0.5, &first, &[2, 3]).await, (vec![first.clone()], 1));
    assert_eq!(named("b", 0.9, VICTIM, &[1, 2]).await, (vec![VICTIM.to_string()], 1));
    let both = vec![VICTIM.to_string(), third.clone()];
    assert_eq!(named("c", 0.1, &third, &[1, 2]).await, (both, 2));
    assert_eq!(named("d", 0.1, &second, &[3]).await.1, 1, "the third one is more often a culprit");
    // The second one is affected once, and a culprit four times.
    let two = vec![first.clone(), VICTIM.to_string()];
    assert_eq!(named("e", 1.0, VICTIM, &[3, 2]).await.1, 1);
    assert_eq!(named("f", 1.0, &first, &[3, 8, 9]).await, (two, 2));
    // The representative's own victim is one, whatever others say.
    assert_eq!(named("g", 1.0, &second, &[3, 7, 8, 9]).await.1, 3);
}

/// Less certain verdicts name the victim of the representative as a culprit, and the representative stays.
#[tokio::test]
async fn the_victim_of_the_representative_stays_one() {
    let store = store().await;
    put(&store, &Diagnosis { confidence: 0.9, ..diagnosis("a", 10_000, VICTIM, "sw4:1") }).await;
    for n in 0..3 {
        let mut other = Diagnosis { confidence: 0.1, ..diagnosis(&format!("b{n}"), 10_001, OTHER, "sw4:1") };
        other.root_cause.flows = vec![flow(VICTIM)];
        put(&store, &other).await;
    }
    let found = incident(&store, "i-a").await;
    assert_eq!((found.diagnosis.as_str(), found.victims), ("a", vec![flow(VICTIM), flow(OTHER)]));
}

/// The diagnosis that named the culprits is removed as one of the oldest.
#[tokio::test]
async fn victims_follow_the_representative_diagnosis() {
    let limits = Limits { diagnoses: 1, ..Limits::default() };
    let store = Store::open_with(&support::fresh().await, limits).await.unwrap();
    let mut sure = diagnosis("a", 10_000, VICTIM, "sw4:1");
    (sure.confidence, sure.root_cause.flows) = (1.0, vec![flow(OTHER)]);
    put(&store, &sure).await;
    let joined = put(&store, &diagnosis("b", 10_001, OTHER, "sw4:1")).await.incident;
    assert_eq!((joined.diagnosis.as_str(), joined.victims), ("a", vec![flow(VICTIM)]));
    store.prune(0).await.unwrap();
    let found = incident(&store, "i-a").await;
    assert_eq!((found.diagnosis.as_str(), found.victims), ("b", vec![flow(VICTIM), flow(OTHER)]));
}

#[tokio::test]
async fn the_first_victims_are_listed_and_all_are_counted() {
    let store = store().await;
    let mut expected = vec![];
    for incident in 0..3_u32 {
        let mut victims: Vec<String> = (0..INCIDENT_VICTIMS * incident + 2)
            .map(|n| format!("10.0.0.{}:{}>10.0.9.1:4791/udp", n % 7, 10_000 + n))
            .collect();
        for (n, victim) in victims.iter().enumerate() {
            // Every victim twice, to see that it counts once.
            for copy in ["a", "b"] {
                let id = format!("d{incident}-{n:02}{copy}");
                put(&store, &diagnosis(&id, 10, victim, &format!("sw4:{}", incident + 1))).await;
            }
        }
        let count = victims.len() as u64;
        victims.sort();
        victims.truncate(INCIDENT_VICTIMS as usize);
        expected.push((victims, count));
    }
    let page = store.incidents(&IncidentFilter::default()).await.unwrap();
    assert_eq!(page.rows.len(), 3);
    for (found, expected) in page.rows.iter().rev().zip(expected) {
        let listed: Vec<String> = found.victims.iter().map(ToString::to_string).collect();
        assert_eq!((listed, found.victim_count), expected, "{}", found.id);
        assert_eq!(&incident(&store, &found.id).await, found);
    }
}
