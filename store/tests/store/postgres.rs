//! What a store on a PostgreSQL server does beyond the common suite; `scripts/postgres.sh` runs both.

use std::path::Path;

use harrier_store::{IncidentFilter, Limits, NewNote, Store, StoreError, backup, stats};
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::support::{self, OTHER, StoreFile, VICTIM, diagnosis, graph, put, snapshot};

/// The URL of a new store; none, with a message, without a server.
async fn postgres() -> Option<String> {
    let Some(server) = support::server() else {
        eprintln!(
            "skipped: HARRIER_TEST_POSTGRES names no PostgreSQL server; scripts/postgres.sh starts one"
        );
        return None;
    };
    Some(support::new_schema(&server).await)
}

async fn fill(store: &Store) {
    store.record(&diagnosis("b", 20, VICTIM, "sw4:1"), &graph(), Some(&snapshot()), 2_000_000).await.unwrap();
    put(store, &diagnosis("a", 10, OTHER, "sw4:1")).await;
    put(store, &diagnosis("c", 30, VICTIM, "sw9:2")).await;
}

async fn exported(store: &Store) -> String {
    let mut out = Vec::new();
    store.export(&mut out, true).await.unwrap();
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn both_databases_export_the_same() {
    let Some(url) = postgres().await else { return };
    let file = StoreFile::new("same-export");
    let (server, sqlite) = (Store::open(&url).await.unwrap(), Store::open(&file.url()).await.unwrap());
    for store in [&server, &sqlite] {
        fill(store).await;
    }
    assert_eq!(exported(&server).await, exported(&sqlite).await);
    let listed = server.incidents(&IncidentFilter::default()).await.unwrap();
    assert_eq!(listed, sqlite.incidents(&IncidentFilter::default()).await.unwrap());
    sqlite.close().await;
    server.close().await;
}

/// The lock is that of the connection that writes: after the server has ended it, a new one takes it again.
#[tokio::test]
async fn a_lost_connection_is_replaced_and_locks_again() {
    let Some(url) = postgres().await else { return };
    let store = Store::open(&url).await.unwrap();
    put(&store, &diagnosis("a", 10, VICTIM, "sw4:1")).await;
    let mut other = PgConnection::connect(&url).await.unwrap();
    let end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' \
               AND objid = (hashtext(current_schema())::bigint & 4294967295)::oid";
    other.execute(end).await.unwrap();

    // The first write may still use the connection that has ended: then it is not acknowledged, and is repeated.
    let verdict = diagnosis("b", 20, VICTIM, "sw4:1");
    if store.record(&verdict, &graph(), None, 20).await.is_err() {
        assert!(store.record(&verdict, &graph(), None, 20).await.unwrap().new);
    }
    assert_eq!(store.diagnosis_count().await.unwrap(), 2);
    let refused = Store::open(&url).await.unwrap_err();
    assert!(matches!(refused, StoreError::InUse { .. }), "{refused}");
    store.close().await;
    other.close().await.unwrap();
}

#[tokio::test]
async fn what_is_no_store_is_refused() {
    let Some(url) = postgres().await else { return };
    let path = Path::new(&url);
    for refused in [
        Store::open_existing(path, Limits::default()).await.unwrap_err(),
        Store::open_to_read(path).await.unwrap_err(),
        stats(path).await.unwrap_err(),
    ] {
        assert!(matches!(refused, StoreError::NotAStore { found: "it has no tables", .. }), "{refused}");
    }
    let mut other = PgConnection::connect(&url).await.unwrap();
    other.execute("CREATE TABLE invoices (id BIGINT)").await.unwrap();
    let refused = Store::open(&url).await.unwrap_err();
    assert!(refused.to_string().contains("other tables"), "{refused}");
    other.execute("DROP TABLE invoices").await.unwrap();

    let store = Store::open(&url).await.unwrap();
    assert_eq!(store.migrated().from, 0);
    store.close().await;
    other.execute("UPDATE _sqlx_migrations SET version = 999 WHERE version = 1").await.unwrap();
    let refused = Store::open(&url).await.unwrap_err();
    assert!(matches!(refused, StoreError::Newer { found: 999, .. }), "{refused}");
    other.close().await.unwrap();
}

/// Builds have no encryption for the connection: a URL that requires it must not connect without.
#[tokio::test]
async fn a_url_that_requires_encryption_is_refused() {
    let Some(url) = postgres().await else { return };
    let refused = Store::open(&format!("{url}&sslmode=require")).await.unwrap_err();
    assert!(matches!(refused, StoreError::Open { .. }) && refused.to_string().contains("TLS"), "{refused}");
}

#[tokio::test]
async fn a_note_with_nul_is_stored() {
    let Some(url) = postgres().await else { return };
    let store = Store::open(&url).await.unwrap();
    put(&store, &diagnosis("a", 10, VICTIM, "sw4:1")).await;
    let note = NewNote { author: "eve".into(), text: "a\0b".into(), ..NewNote::default() };
    store.add_note("i-a", &note, 1).await.unwrap().unwrap();
    assert_eq!(store.notes("i-a").await.unwrap()[0].note.text, "a\u{fffd}b");
    store.close().await;
}

/// Needs no server.
#[tokio::test]
async fn a_server_that_does_not_respond_is_an_error_without_the_password() {
    let url = "postgres://eve:secret@127.0.0.1:1/harrier";
    let refused = Store::open(url).await.unwrap_err().to_string();
    assert!(refused.starts_with("cannot open the store `postgres://eve@127.0.0.1:1/harrier`"), "{refused}");
    let refused = backup(Path::new(url), Path::new("/no/such/copy")).await.unwrap_err().to_string();
    assert!(refused.contains("pg_dump") && !refused.contains("secret"), "{refused}");
}
