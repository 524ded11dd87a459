//! Table entries, default entries, direct resources.

use crate::common::Bench;
use crate::common::program::id;
use crate::entities::*;
use p4runtime::client::Client;
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind, update::Type};
use tonic::Code;

/// Checks the status code of a write.
#[track_caller]
fn check(result: Result<(), p4runtime::client::ClientError>, expected: Code) {
    let code = match &result {
        Ok(()) => Code::Ok,
        Err(error) => error.code().unwrap_or(Code::Unknown),
    };
    assert_eq!(code, expected, "{result:?}");
}

async fn insert(client: &mut Client, entry: v1::TableEntry, expected: Code) {
    check(client.insert([table(entry)]).await, expected);
}

async fn modify(client: &mut Client, entry: v1::TableEntry, expected: Code) {
    check(client.modify([table(entry)]).await, expected);
}

async fn read(client: &mut Client, filter: v1::TableEntry) -> Vec<v1::TableEntry> {
    let found = client.read([table(filter)]).await.expect("read");
    let entry = |kind| match kind {
        Kind::TableEntry(entry) => *entry,
        other => panic!("a table entry was expected, not {other:?}"),
    };
    found.into_iter().map(entry).collect()
}

fn of(table_id: u32) -> v1::TableEntry {
    v1::TableEntry { table_id, ..Default::default() }
}

fn acl(fields: Vec<v1::FieldMatch>, priority: i32) -> v1::TableEntry {
    v1::TableEntry { r#match: fields, priority, action: forward(1), ..of(id::ACL) }
}

#[tokio::test]
async fn reads_return_entries_as_written() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let fields = vec![ternary(1, &[0x12, 0], &[0xff, 0]), range(2, &[1], &[2]), optional(3, &[3])];
    #[allow(deprecated, reason = "older clients use the cookie")]
    let entry = v1::TableEntry { metadata: vec![1, 2, 3], controller_metadata: 77, ..acl(fields, 10) };
    insert(&mut client, entry.clone(), Code::Ok).await;
    assert_eq!(read(&mut client, of(id::ACL)).await, std::slice::from_ref(&entry));
    insert(&mut client, entry.clone(), Code::AlreadyExists).await;
    let idle = v1::TableEntry { idle_timeout_ns: i64::MAX, ..l2(&[9], 1) };
    insert(&mut client, idle.clone(), Code::Ok).await;
    assert_eq!(read(&mut client, of(id::L2)).await, [idle]);
    check(client.delete([table(v1::TableEntry { action: None, ..entry.clone() })]).await, Code::Ok);
    check(client.delete([table(entry)]).await, Code::NotFound);
}

#[tokio::test]
async fn byte_strings_become_canonical() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    insert(
        &mut client,
        v1::TableEntry { action: runs(call(id::FORWARD, &[&[0, 0, 3]])), ..l2(&[0, 0, 7], 0) },
        Code::Ok,
    )
    .await;
    assert_eq!(read(&mut client, of(id::L2)).await, [l2(&[7], 3)]);
    insert(&mut client, l2(&[0, 0, 0, 0, 7], 3), Code::AlreadyExists).await;
    insert(&mut client, l2(&[], 3), Code::OutOfRange).await;
    insert(&mut client, l2(&[1; 7], 3), Code::OutOfRange).await;
    let wide = v1::TableEntry { action: runs(call(id::FORWARD, &[&[2, 0]])), ..l2(&[8], 0) };
    insert(&mut client, wide, Code::OutOfRange).await;
}

#[tokio::test]
async fn malformed_keys_are_rejected() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    let rejected = Code::InvalidArgument;
    insert(c, of(0), rejected).await;
    insert(c, of(id::COUNTER), rejected).await;
    insert(c, of(0x02ff_ffff), Code::NotFound).await;
    insert(c, v1::TableEntry { r#match: vec![], ..l2(&[1], 1) }, rejected).await;
    insert(c, v1::TableEntry { r#match: vec![exact(1, &[1]), exact(1, &[1])], ..l2(&[1], 1) }, rejected)
        .await;
    insert(c, v1::TableEntry { r#match: vec![exact(2, &[1])], ..l2(&[1], 1) }, rejected).await;
    insert(c, v1::TableEntry { r#match: vec![lpm(1, &[1], 48)], ..l2(&[1], 1) }, rejected).await;
    insert(c, v1::TableEntry { priority: 1, ..l2(&[1], 1) }, rejected).await;
    insert(c, route(&[10, 0, 0, 0], 0), rejected).await;
    insert(c, route(&[10, 0, 0, 0], -1), rejected).await;
    insert(c, route(&[10, 0, 0, 0], 33), rejected).await;
    insert(c, route(&[10, 0, 0, 1], 24), rejected).await;
    insert(c, acl(vec![ternary(1, &[1], &[1])], 0), rejected).await;
    insert(c, acl(vec![ternary(1, &[0], &[0])], 1), rejected).await;
    insert(c, acl(vec![ternary(1, &[3], &[1])], 1), rejected).await;
    insert(c, acl(vec![range(2, &[2], &[1])], 1), rejected).await;
    insert(c, acl(vec![range(2, &[0], &[0xff, 0xff])], 1), rejected).await;
    insert(c, v1::TableEntry { action: forward(1), ..of(id::KEYLESS) }, rejected).await;
    insert(c, v1::TableEntry { is_const: true, ..l2(&[1], 1) }, rejected).await;
    assert_eq!(read(c, v1::TableEntry { table_id: id::L2, ..Default::default() }).await, []);
}

#[tokio::test]
async fn malformed_actions_are_rejected() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let mut check = async |action: Option<v1::TableAction>, expected| {
        insert(&mut client, v1::TableEntry { action, ..l2(&[1], 1) }, expected).await;
    };
    let rejected = Code::InvalidArgument;
    check(None, rejected).await;
    check(Some(v1::TableAction::default()), rejected).await;
    check(runs(call(0, &[])), rejected).await;
    check(runs(call(id::L2, &[])), rejected).await;
    check(runs(call(id::FORWARD, &[])), rejected).await;
    check(runs(call(id::FORWARD, &[&[1], &[1]])), rejected).await;
    let twice = v1::action::Param { param_id: 1, value: vec![1] };
    check(runs(v1::Action { action_id: id::FORWARD, params: vec![twice.clone(), twice] }), rejected).await;
    check(runs(call(id::NO_ACTION, &[])), Code::PermissionDenied).await;
    use v1::table_action::Type::{ActionProfileGroupId, ActionProfileMemberId};
    check(Some(v1::TableAction { r#type: Some(ActionProfileMemberId(1)) }), rejected).await;
    check(Some(v1::TableAction { r#type: Some(ActionProfileGroupId(1)) }), rejected).await;
    check(runs(call(id::ENTRY_ONLY, &[&[1]])), Code::Ok).await;
}

#[tokio::test]
async fn inserting_into_a_full_table_fails() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    for first in 1..=4 {
        insert(&mut client, route(&[first, 0, 0, 0], 8), Code::Ok).await;
    }
    insert(&mut client, route(&[5, 0, 0, 0], 8), Code::ResourceExhausted).await;
}

#[tokio::test]
async fn modify_replaces_all_fields_but_keeps_an_action_that_is_not_given() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    modify(&mut client, l2(&[1], 1), Code::NotFound).await;
    insert(&mut client, v1::TableEntry { metadata: vec![5], ..l2(&[1], 1) }, Code::Ok).await;
    modify(&mut client, l2(&[1], 2), Code::Ok).await;
    assert_eq!(read(&mut client, of(id::L2)).await, [l2(&[1], 2)]);
    modify(&mut client, v1::TableEntry { action: None, metadata: vec![6], ..l2(&[1], 0) }, Code::Ok).await;
    assert_eq!(read(&mut client, of(id::L2)).await, [v1::TableEntry { metadata: vec![6], ..l2(&[1], 2) }]);
}

#[tokio::test]
async fn default_entries_can_only_be_modified() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    let default = |action| v1::TableEntry { is_default_action: true, action, ..of(id::L2) };
    insert(c, default(forward(1)), Code::InvalidArgument).await;
    check(c.delete([table(default(None))]).await, Code::InvalidArgument);
    modify(c, v1::TableEntry { r#match: vec![exact(1, &[1])], ..default(forward(1)) }, Code::InvalidArgument)
        .await;
    modify(c, v1::TableEntry { priority: 1, ..default(forward(1)) }, Code::InvalidArgument).await;
    modify(c, v1::TableEntry { idle_timeout_ns: 1, ..default(forward(1)) }, Code::InvalidArgument).await;
    modify(c, default(runs(call(id::ENTRY_ONLY, &[&[1]]))), Code::PermissionDenied).await;
    modify(c, v1::TableEntry { metadata: vec![1], ..default(forward(4)) }, Code::Ok).await;
    let written = v1::TableEntry { metadata: vec![1], ..default(forward(4)) };
    assert_eq!(read(c, default(None)).await, [written]);
    modify(c, default(None), Code::Ok).await;
    assert_eq!(read(c, default(None)).await, [default(runs(call(id::LEARN, &[])))]);
    let constant = v1::TableEntry { is_default_action: true, action: forward(1), ..of(id::FIXED) };
    modify(c, constant, Code::PermissionDenied).await;
}

#[tokio::test]
async fn constant_entries_can_be_read_but_not_changed() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let fixed =
        |value: &[u8], action| v1::TableEntry { r#match: vec![exact(1, value)], action, ..of(id::FIXED) };
    let shown = |value: &[u8]| v1::TableEntry { is_const: true, ..fixed(value, forward(3)) };
    assert_eq!(read(&mut client, of(id::FIXED)).await, [shown(&[8, 0]), shown(&[0x86, 0xdd])]);
    insert(&mut client, fixed(&[1], forward(1)), Code::PermissionDenied).await;
    modify(&mut client, fixed(&[8, 0], forward(3)), Code::PermissionDenied).await;
    modify(&mut client, fixed(&[8, 0], None), Code::Ok).await;
    check(client.delete([table(fixed(&[8, 0], None))]).await, Code::PermissionDenied);
}

#[tokio::test]
async fn reads_return_the_entries_that_pass_the_filter() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let low = acl(vec![ternary(1, &[1], &[1])], 1);
    let high = v1::TableEntry { metadata: vec![7], ..acl(vec![ternary(1, &[1], &[1])], 2) };
    let any = v1::TableEntry { action: runs(call(id::NO_ACTION, &[])), ..acl(vec![], 3) };
    client.insert([low.clone(), high.clone(), any.clone()].map(table)).await.expect("inserted");
    insert(&mut client, l2(&[1], 1), Code::Ok).await;
    let c = &mut client;
    let count = async |c: &mut Client, filter| read(c, filter).await.len();
    assert_eq!(count(c, of(0)).await, 6, "those of all tables, constant ones included");
    assert_eq!(count(c, of(id::ACL)).await, 3);
    assert_eq!(read(c, v1::TableEntry { priority: 2, ..of(id::ACL) }).await, std::slice::from_ref(&high));
    assert_eq!(
        read(c, v1::TableEntry { r#match: low.r#match.clone(), priority: 1, ..of(id::ACL) }).await,
        std::slice::from_ref(&low)
    );
    assert_eq!(count(c, v1::TableEntry { r#match: low.r#match.clone(), ..of(id::ACL) }).await, 2);
    assert_eq!(read(c, v1::TableEntry { metadata: vec![7], ..of(id::ACL) }).await, [high]);
    let by_action = v1::TableEntry { action: runs(call(id::NO_ACTION, &[])), ..of(id::ACL) };
    assert_eq!(read(c, by_action).await, [any]);
    assert_eq!(count(c, v1::TableEntry { r#match: vec![exact(1, &[9])], ..of(id::L2) }).await, 0);
    let rejected =
        c.read([table(v1::TableEntry { priority: 1, ..of(0) })]).await.expect_err("no filter there");
    assert_eq!(rejected.code(), Some(Code::InvalidArgument));
}

#[tokio::test]
async fn reads_return_direct_counters_and_meters_with_entries() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    let data = |packets, bytes| Some(v1::CounterData { packet_count: packets, byte_count: bytes });
    let meter = Some(v1::MeterConfig { cir: 1, cburst: 2, pir: 3, pburst: 4, eburst: 0 });
    insert(c, v1::TableEntry { counter_data: data(5, 6), ..l2(&[1], 1) }, Code::Ok).await;
    insert(c, v1::TableEntry { meter_config: meter, ..route(&[1, 0, 0, 0], 8) }, Code::Ok).await;
    insert(c, v1::TableEntry { meter_config: meter, ..l2(&[2], 1) }, Code::InvalidArgument).await;
    insert(c, v1::TableEntry { counter_data: data(1, 1), ..route(&[2, 0, 0, 0], 8) }, Code::InvalidArgument)
        .await;
    let requested = v1::TableEntry { counter_data: data(0, 0), ..of(id::L2) };
    assert_eq!(read(c, requested.clone()).await[0].counter_data, data(5, 6));
    assert_eq!(read(c, of(id::L2)).await[0].counter_data, None);
    modify(c, l2(&[1], 2), Code::Ok).await;
    assert_eq!(read(c, requested).await[0].counter_data, data(5, 6), "unset leaves it");
    let requested = v1::TableEntry { meter_config: Some(v1::MeterConfig::default()), ..of(id::ROUTES) };
    assert_eq!(read(c, requested.clone()).await[0].meter_config, meter);
    modify(c, route(&[1, 0, 0, 0], 8), Code::Ok).await;
    assert_eq!(read(c, requested).await[0].meter_config, None, "unset resets it");
}

#[tokio::test]
async fn direct_counters_and_meters_are_modified_and_read_by_entry() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    let key = |value: &[u8]| Some(v1::TableEntry { r#match: vec![exact(1, value)], ..of(id::L2) });
    let counter =
        |table_entry, data| Kind::DirectCounterEntry(Box::new(v1::DirectCounterEntry { table_entry, data }));
    let data = Some(v1::CounterData { packet_count: 8, byte_count: 9 });
    insert(c, l2(&[1], 1), Code::Ok).await;
    insert(c, l2(&[2], 1), Code::Ok).await;
    check(c.modify([counter(key(&[3]), data)]).await, Code::NotFound);
    check(c.insert([counter(key(&[1]), data)]).await, Code::InvalidArgument);
    check(c.delete([counter(key(&[1]), data)]).await, Code::InvalidArgument);
    check(c.modify([counter(None, data)]).await, Code::InvalidArgument);
    check(c.modify([counter(Some(of(id::ACL)), data)]).await, Code::InvalidArgument);
    check(c.modify([counter(key(&[1]), data)]).await, Code::Ok);
    check(c.modify([counter(key(&[1]), None)]).await, Code::Ok);
    assert_eq!(c.read([counter(key(&[1]), None)]).await.expect("read"), [counter(key(&[1]), data)]);
    assert_eq!(c.read([counter(Some(of(id::L2)), None)]).await.expect("read").len(), 2);
    assert_eq!(c.read([counter(None, None)]).await.expect("read").len(), 2);
    let missing = c.read([counter(key(&[3]), None)]).await.expect_err("no such entry");
    assert_eq!(missing.code(), Some(Code::NotFound));
    let meter = |table_entry, config| {
        Kind::DirectMeterEntry(Box::new(v1::DirectMeterEntry { table_entry, config, counter_data: None }))
    };
    insert(c, route(&[1, 0, 0, 0], 8), Code::Ok).await;
    let key = Some(v1::TableEntry { r#match: vec![lpm(1, &[1, 0, 0, 0], 8)], ..of(id::ROUTES) });
    let config = Some(v1::MeterConfig { cir: 1, cburst: 1, pir: 1, pburst: 1, eburst: 0 });
    check(c.modify([meter(key.clone(), config)]).await, Code::Ok);
    assert_eq!(c.read([meter(key.clone(), None)]).await.expect("read"), [meter(key.clone(), config)]);
    let bad = Some(v1::MeterConfig { cir: 1, eburst: 1, ..Default::default() });
    check(c.modify([meter(key, bad)]).await, Code::InvalidArgument);
}

#[tokio::test]
async fn a_batch_reports_each_update_in_order() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let updates = vec![
        update(Type::Insert, table(l2(&[1], 1))),
        update(Type::Insert, table(l2(&[1], 1))),
        update(Type::Insert, table(l2(&[2], 1))),
        update(Type::Unspecified, table(l2(&[3], 1))),
        v1::Update { r#type: Type::Insert as i32, entity: None },
        update(Type::Delete, table(l2(&[9], 1))),
    ];
    let error = client.write(updates).await.expect_err("some fail");
    let p4runtime::client::ClientError::Batch { total, failed } = error else {
        panic!("details were expected")
    };
    let codes: Vec<_> = failed.iter().map(|error| (error.index, error.code)).collect();
    let rejected = Code::InvalidArgument;
    assert_eq!(
        (total, codes),
        (6, vec![(1, Code::AlreadyExists), (3, rejected), (4, rejected), (5, Code::NotFound)])
    );
    assert_eq!(read(&mut client, of(id::L2)).await.len(), 2);
}

#[tokio::test]
async fn a_large_failed_batch_keeps_its_details() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let updates = (0..2000).map(|_| update(Type::Delete, table(l2(&[1], 1)))).collect();
    let error = client.write(updates).await.expect_err("all fail");
    let p4runtime::client::ClientError::Batch { failed, .. } = error else {
        panic!("details were expected, not {error}")
    };
    assert_eq!(failed.len(), 2000);
}

#[tokio::test]
async fn a_large_failed_batch_fits_into_the_headers_of_any_client() {
    let bench = Bench::start().await;
    let (client, _session) = bench.primary().await;
    let request = v1::WriteRequest {
        device_id: crate::common::DEVICE,
        election_id: Some(v1::Uint128 { high: 0, low: 1 }),
        updates: (0..20_000).map(|_| update(Type::Delete, table(l2(&[1], 1)))).collect(),
        ..Default::default()
    };
    let mut grpc = client.grpc();
    let status = grpc.write(request).await.expect_err("all fail");
    assert_eq!(status.code(), Code::Unknown);
    let text = status.message();
    assert!(text.starts_with("20000 of 20000 updates failed; number 0: NotFound: "), "{text}");
    assert!(text.len() < 2_000, "{text}");
}
