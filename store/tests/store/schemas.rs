//! Stores of every released schema: `tests/schemas/N.sql` is one as the version with schema N has written it.

#![allow(clippy::disallowed_methods, reason = "the tests read fixtures")]

use harrier_store::{Limits, Migrated, Resolution, Store, stats};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, SqliteConnection};

use crate::support::{StoreFile, VICTIM, diagnosis, flow, put, snapshot};

/// The newest schema whose store is a fixture; the next one is added when a later schema is released.
const RELEASED: i64 = 9;

async fn written_by(schema: i64) -> StoreFile {
    let file = StoreFile::new(&format!("schema-{schema}"));
    let path = format!("{}/tests/schemas/{schema}.sql", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let mut connection = SqliteConnection::connect(&format!("{}?mode=rwc", file.url())).await.unwrap();
    connection.execute(AssertSqlSafe(text)).await.unwrap();
    connection.close().await.unwrap();
    file
}

/// Opens the store of a schema, checks every row that the fixture has, and stores a further diagnosis.
async fn check(schema: i64) {
    let file = written_by(schema).await;
    let before = stats(file.path()).await.unwrap();
    assert_eq!((before.schema, before.tables[0].rows), (schema, 2));
    let refused = Store::open_to_read(file.path()).await.unwrap_err().to_string();
    assert!(
        refused.contains(&format!("has schema {schema}")) && refused.contains("store migrate"),
        "{refused}"
    );

    let store = Store::open_existing(file.path(), Limits::default()).await.unwrap();
    let filled = if schema < 3 { 2 } else { 0 };
    let expected = Migrated { from: schema, to: before.newest_schema, diagnoses: filled, snapshots: 1 };
    assert_eq!(store.migrated(), expected);
    let found = store.diagnosis("a").await.unwrap().unwrap().diagnosis;
    assert_eq!((found.victim, found.confidence), (Some(flow(VICTIM)), 0.75));
    assert!(store.graph("b").await.unwrap().is_some());
    let read = store.snapshot("a").await.unwrap().unwrap();
    assert_eq!((read.event, read.victim, read.polls), (1, snapshot().victim, 6));
    let incident = store.incident("i-a").await.unwrap().unwrap();
    assert_eq!((incident.count, incident.recurrences, incident.victims), (2, 1, vec![flow(VICTIM)]));
    if schema >= 2 {
        assert_eq!(store.inbox("controller", 0, 10).await.unwrap()[0].body, [1, 2]);
        assert_eq!(store.reports(None, "counters", 10).await.unwrap()[0].sequence, 7);
    }
    if schema >= 7 {
        let port = "sw4:1".parse().unwrap();
        let seconds = store.rollups(&port, Resolution::Second, 0, u64::MAX, 10).await.unwrap();
        assert_eq!(seconds.into_values().map(|second| second.tx_bytes).collect::<Vec<_>>(), [1_000]);
    }
    if schema >= 8 {
        let alerts = store.webhook("w").await.unwrap().unwrap();
        assert_eq!((alerts.waiting.keys().collect::<Vec<_>>(), alerts.firing.len()), (vec![&3], 1));
    }
    if schema >= 9 {
        let seconds = store.flow_rollups(&flow(VICTIM), Resolution::Second, 0, u64::MAX, 10).await.unwrap();
        assert_eq!(seconds.into_values().map(|second| second.packets).collect::<Vec<_>>(), [40]);
    }
    if schema >= 4 {
        assert_eq!(store.notes("i-a").await.unwrap()[0].note.text, "seen");
    }
    let joined = put(&store, &diagnosis("c", 30, VICTIM, "sw4:1")).await;
    assert_eq!(joined.incident.id, "i-a");
    store.close().await;

    let again = Store::open_existing(file.path(), Limits::default()).await.unwrap();
    let newest = before.newest_schema;
    let nothing = Migrated { from: newest, to: newest, ..Migrated::default() };
    assert_eq!(again.migrated(), nothing, "a second start has nothing to do");
    assert_eq!(again.diagnosis_count().await.unwrap(), 3);
    again.close().await;
}

#[tokio::test]
async fn a_store_of_every_released_schema_is_migrated() {
    for schema in 1..=RELEASED {
        check(schema).await;
    }
}
