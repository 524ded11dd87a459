//! Diagnoses that are stored together have the same effect as one after the other.

use harrier_store::{IncidentFilter, Limits, NewDiagnosis, Store};
use model::{Diagnosis, RootCause, Severity};

use crate::support::{StoreFile, diagnosis, flow, fresh, graph, put, snapshot};

/// Numbers of a linear congruential generator (Knuth's MMIX), of which the upper bits are random enough to draw cases.
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A diagnosis of one of a few roots at one of a few times: some join incidents, some open them, some are there already, and
/// some name no culprit.
fn drawn(draws: &mut Draws, number: u64) -> Diagnosis {
    let id = format!("d{}", if draws.below(8) == 0 { draws.below(number + 1) } else { number });
    let time_ns = 1_000 + draws.below(12) * 30_000_000_000;
    let victim = format!("10.0.0.{}:10000>10.0.1.1:4791/udp", 1 + draws.below(6));
    let culprit = format!("10.0.0.{}:10001>10.0.1.1:4791/udp", 1 + draws.below(4));
    let mut drawn = diagnosis(&id, time_ns, &victim, &format!("sw{}:1", 1 + draws.below(3)));
    drawn.confidence = draws.below(100) as f64 / 100.0;
    drawn.severity = [Severity::Minor, Severity::Major, Severity::Critical][draws.below(3) as usize];
    match draws.below(4) {
        0 => {
            let undetermined = Diagnosis::undetermined(flow(&victim));
            (drawn.anomaly, drawn.cause) = (undetermined.anomaly, undetermined.cause);
            drawn.root_cause = RootCause::default();
        }
        _ => drawn.root_cause.flows = vec![flow(&culprit)],
    }
    drawn.pause_path.push(format!("sw{}:2", 1 + draws.below(3)).parse().unwrap());
    drawn
}

/// What a store has, for comparisons.
async fn contents(store: &Store) -> (String, String) {
    let all = IncidentFilter { limit: Some(500), ..IncidentFilter::default() };
    let incidents = store.incidents(&all).await.unwrap().rows;
    let occurrences: Vec<_> = incidents.iter().map(|incident| incident.occurrences.clone()).collect();
    let diagnoses = store.diagnoses(&Default::default()).await.unwrap().rows;
    (format!("{incidents:#?}{occurrences:?}"), format!("{diagnoses:#?}"))
}

async fn check(seed: u64, sizes: &[usize]) {
    let limits = Limits { incident_memory_ns: 90_000_000_000, ..Limits::default() };
    let alone = Store::open_with(&fresh().await, limits).await.unwrap();
    let together = Store::open_with(&fresh().await, limits).await.unwrap();
    let mut draws = Draws(seed);
    let (mut number, mut wall_ns) = (0, 0);
    for size in sizes {
        wall_ns += 40_000_000_000;
        let batch: Vec<Diagnosis> =
            (0..*size as u64).map(|place| drawn(&mut draws, number + place)).collect();
        number += *size as u64;
        let graph = graph();
        let new: Vec<NewDiagnosis<'_>> =
            batch.iter().map(|diagnosis| NewDiagnosis { diagnosis, graph: &graph, snapshot: None }).collect();
        let stored = together.record_all(&new, wall_ns).await.unwrap();
        for (diagnosis, stored) in batch.iter().zip(stored) {
            let (expected, stored) =
                (alone.record(diagnosis, &graph, None, wall_ns).await.unwrap(), stored.unwrap());
            assert_eq!(
                (stored.new, stored.first, &stored.id, stored.wall_ns, &stored.incident.id),
                (expected.new, expected.first, &expected.id, expected.wall_ns, &expected.incident.id),
                "seed {seed}"
            );
        }
    }
    assert_eq!(contents(&together).await, contents(&alone).await, "seed {seed}");
}

#[tokio::test]
async fn diagnoses_of_one_batch_are_stored_as_one_after_the_other() {
    for seed in 1..=12 {
        check(seed, &[1, 7, 30, 2, 64, 80, 3]).await;
    }
    // More rows than one statement has.
    check(13, &[5, 1_200]).await;
}

#[tokio::test]
async fn a_diagnosis_that_cannot_be_stored_does_not_keep_others_out() {
    let file = StoreFile::any("batch").await;
    let store = Store::open(&file.url()).await.unwrap();
    let victim = "10.0.0.2:10000>10.0.0.4:4791/udp";
    let bad = Diagnosis { confidence: f64::NAN, ..diagnosis("bad", 1, victim, "sw1:1") };
    let nameless = diagnosis("", 1, victim, "sw1:1");
    let good = diagnosis("good", 1, victim, "sw1:1");
    let (graph, snapshot) = (graph(), snapshot());
    let new = [&bad, &nameless, &good].map(|diagnosis| NewDiagnosis {
        diagnosis,
        graph: &graph,
        snapshot: Some(&snapshot),
    });
    let stored = store.record_all(&new, 5).await.unwrap();
    let found: Vec<_> = stored.into_iter().map(|stored| stored.map(|stored| stored.id).ok()).collect();
    assert_eq!(found, [None, None, Some("good".to_string())]);
    assert_eq!(store.diagnosis_count().await.unwrap(), 1);
    assert!(store.snapshot("good").await.unwrap().is_some());
    assert!(store.snapshot("bad").await.unwrap().is_none());
}

#[tokio::test]
async fn a_diagnosis_whose_incident_outlived_it_joins_that_incident() {
    let limits = Limits { incident_memory_ns: 10, diagnoses: 1, ..Limits::default() };
    let store = Store::open_with(&fresh().await, limits).await.unwrap();
    let victim = "10.0.0.2:10000>10.0.0.4:4791/udp";
    put(&store, &diagnosis("d1", 1, victim, "sw1:1")).await;
    put(&store, &diagnosis("d2", 2, victim, "sw1:1")).await;
    store.prune(2).await.unwrap();
    assert!(store.diagnosis("d1").await.unwrap().is_none(), "removed as the older one");
    // Too late for the memory of the culprit, so that only the id of the incident is known.
    let again = store.record(&diagnosis("d1", 3, victim, "sw1:1"), &graph(), None, 1_000).await.unwrap();
    assert_eq!(
        (again.new, again.first, again.incident.id.as_str(), again.incident.count),
        (true, false, "i-d1", 3)
    );
}
