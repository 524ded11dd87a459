//! A database that cannot be written for a time: nothing is half stored, readers go on, and the reason is reported.

use harrier_store::{Arrival, Content, Store, StoreError};
use sqlx::{Connection as _, Executor as _, SqliteConnection};

use crate::support::{StoreFile, VICTIM, diagnosis, graph, put};

fn arrival() -> Arrival {
    Arrival {
        sender: "agent/h1".into(),
        boot_id: "b".into(),
        sequence: 1,
        lost_before: 0,
        time_ns: 1,
        offset_ns: None,
        error_ns: 0,
        received_ns: 1,
        content: Content::Inbox(vec![1]),
    }
}

/// The lock of another process, e.g. of the `sqlite3` shell; it lasts longer than the store waits for it.
#[tokio::test]
async fn a_locked_database_stores_nothing_and_is_read_meanwhile() {
    let file = StoreFile::new("other-writer");
    let store = Store::open(&file.url()).await.unwrap();
    put(&store, &diagnosis("a", 10, VICTIM, "sw4:1")).await;
    let mut other = SqliteConnection::connect(&file.url()).await.unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();

    let (b, graph) = (diagnosis("b", 20, VICTIM, "sw4:1"), graph());
    let records = [arrival()];
    let (refused, not_accepted) = tokio::join!(store.record(&b, &graph, None, 20), store.accept(&records));
    for error in [refused.unwrap_err(), not_accepted.unwrap_err()] {
        assert!(matches!(error, StoreError::Query { .. }) && error.to_string().contains("locked"), "{error}");
    }
    assert!(store.write_failure().unwrap().contains("database is locked"));
    assert_eq!(store.diagnosis_count().await.unwrap(), 1, "readers do not wait");
    assert_eq!((store.inbox("agent", 0, 10).await.unwrap().len(), store.inbox_bytes()), (0, 0));

    other.execute("ROLLBACK").await.unwrap();
    assert_eq!(store.accept(&records).await.unwrap(), [true], "the sender repeats what was not acknowledged");
    assert_eq!(store.write_failure(), None);
    assert!(put(&store, &b).await.new);
    store.close().await;
    other.close().await.unwrap();
}
