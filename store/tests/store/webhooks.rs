//! Alerts of webhooks: those that wait and those that last are found again after a restart.

use std::collections::BTreeMap;

use harrier_store::{Store, WebhookAlerts, WebhookChanges};

use crate::support;

fn waiting<const N: usize>(rows: [(u64, Option<&str>); N]) -> BTreeMap<u64, Option<String>> {
    rows.into_iter().map(|(number, body)| (number, body.map(str::to_string))).collect()
}

fn firing<const N: usize>(rows: [(&str, Option<&str>); N]) -> BTreeMap<String, Option<String>> {
    rows.into_iter().map(|(incident, body)| (incident.to_string(), body.map(str::to_string))).collect()
}

/// Alerts that wait, by number, and those that last, by incident.
type Expected<'a> = (&'a [(u64, &'a str)], &'a [(&'a str, &'a str)]);

/// Applies changes, and checks what is stored of the receiver `a` after a restart.
async fn check(file: &support::StoreFile, changes: WebhookChanges, expected: Expected<'_>) {
    let store = Store::open(&file.url()).await.unwrap();
    store.change_webhook("a", &changes, 5).await.unwrap();
    store.close().await;
    let store = Store::open(&file.url()).await.unwrap();
    let expected = WebhookAlerts {
        waiting: expected.0.iter().map(|(number, body)| (*number, body.to_string())).collect(),
        firing: expected.1.iter().map(|(incident, body)| (incident.to_string(), body.to_string())).collect(),
    };
    assert_eq!(store.webhook("a").await.unwrap(), Some(expected));
    store.close().await;
}

#[tokio::test]
async fn changes_of_a_receiver_survive_a_restart() {
    let file = support::StoreFile::any("webhooks").await;
    check(&file, WebhookChanges::default(), (&[], &[])).await;
    let added = WebhookChanges {
        waiting: waiting([(1, Some("one")), (2, Some("two")), (10, Some("ten"))]),
        firing: firing([("i-a", Some("one")), ("i-b", Some("two"))]),
        ..WebhookChanges::default()
    };
    check(&file, added, (&[(1, "one"), (2, "two"), (10, "ten")], &[("i-a", "one"), ("i-b", "two")])).await;
    let changed = WebhookChanges {
        waiting: waiting([(1, None), (2, Some("zwei")), (7, None)]),
        firing: firing([("i-a", None), ("i-b", Some("zwei"))]),
        ..WebhookChanges::default()
    };
    check(&file, changed, (&[(2, "zwei"), (10, "ten")], &[("i-b", "zwei")])).await;
    let replaced =
        WebhookChanges { replaces_all: true, waiting: waiting([(3, Some("drei"))]), ..Default::default() };
    check(&file, replaced, (&[(3, "drei")], &[])).await;
}

#[tokio::test]
async fn receivers_are_apart_and_those_without_use_are_removed() {
    let store = Store::open(&support::fresh().await).await.unwrap();
    // More rows than one statement takes.
    let many = WebhookChanges {
        waiting: (0..2_500).map(|number| (number, Some("text".to_string()))).collect(),
        ..WebhookChanges::default()
    };
    for id in ["a", "b"] {
        store.change_webhook(id, &many, 5).await.unwrap();
    }
    let removed = WebhookChanges {
        waiting: (0..2_499).map(|number| (number, None)).collect(),
        ..WebhookChanges::default()
    };
    store.change_webhook("a", &removed, 6).await.unwrap();
    let left = async |id| store.webhook(id).await.unwrap().map(|alerts| alerts.waiting.len());
    assert_eq!((left("a").await, left("b").await, left("c").await), (Some(1), Some(2_500), None));
    assert_eq!(store.keep_webhooks(&["b".into()]).await.unwrap(), 1);
    assert_eq!((left("a").await, left("b").await), (None, Some(2_500)));
    assert_eq!(store.keep_webhooks(&[]).await.unwrap(), 1);
    // The alerts are removed with their receiver.
    store.change_webhook("b", &WebhookChanges::default(), 7).await.unwrap();
    assert_eq!(left("b").await, Some(0));
}
