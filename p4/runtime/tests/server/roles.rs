//! Access rights of roles.

use crate::common::program::id;
use crate::common::{Bench, DEVICE, SOURCE, device_config, frame, info};
use crate::entities::*;
use p4runtime::client::{Client, ClientConfig, Session, SessionEvent};
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind, update::Type, write_request::Atomicity};
use p4runtime::server::{PacketFilter, RoleConfig};
use tonic::Code;

/// The primary of a role with this configuration.
async fn role(bench: &Bench, name: &str, config: &RoleConfig) -> (Client, Session) {
    let config =
        ClientConfig { role: name.into(), role_config: Some(config.to_any()), ..ClientConfig::new(DEVICE) };
    let mut client = bench.client_as(config).await;
    let session = client.become_primary().await.expect("no other controller has the role");
    (client, session)
}

fn owning(ids: &[u32]) -> RoleConfig {
    RoleConfig { shared_ids: ids.to_vec(), ..RoleConfig::default() }
}

#[tokio::test]
async fn a_role_accesses_only_its_objects() {
    let bench = Bench::start().await;
    let (mut everything, _session) = bench.primary().await;
    everything
        .insert([table(route(&[10, 0, 0, 0], 8)), table(l2(&[1], 1))])
        .await
        .expect("the default role may");
    let (mut client, _session) = role(&bench, "l2", &owning(&[id::L2])).await;
    client.insert([table(l2(&[2], 2))]).await.expect("its own table");
    let denied = client.insert([table(route(&[20, 0, 0, 0], 8))]).await.expect_err("another's table");
    assert_eq!(denied.code(), Some(Code::PermissionDenied));
    let any_table = || table(v1::TableEntry::default());
    let found = client.read([any_table()]).await.expect("all tables");
    let foreign = |entity: &Kind| matches!(entity, Kind::TableEntry(entry) if entry.table_id != id::L2);
    assert_eq!(found.len(), 2);
    assert!(!found.iter().any(foreign), "others are not shown");
    let of_another = table(v1::TableEntry { table_id: id::ROUTES, ..Default::default() });
    client.read([of_another]).await.expect_err("one that is another's");
    assert!(everything.read([any_table()]).await.expect("all").len() > 2);
}

#[tokio::test]
async fn a_batch_with_an_object_of_another_role_is_undone() {
    let bench = Bench::start().await;
    let (_everything, _session) = bench.primary().await;
    let (mut client, _session) = role(&bench, "l2", &owning(&[id::L2])).await;
    let batch =
        vec![update(Type::Insert, table(l2(&[2], 2))), update(Type::Insert, table(route(&[20, 0, 0, 0], 8)))];
    client.write_atomic(batch, Atomicity::RollbackOnError).await.expect_err("the second is another's");
    let found = client.read([table(v1::TableEntry { table_id: id::L2, ..Default::default() })]).await;
    assert!(found.expect("its own table").is_empty());
}

#[tokio::test]
async fn pipelines_and_groups_need_permission() {
    let bench = Bench::start().await;
    let (_everything, _session) = bench.primary().await;
    let (mut client, _session) = role(&bench, "l2", &owning(&[id::L2])).await;
    let denied = client.set_pipeline(info(), device_config(SOURCE), 1).await.expect_err("it may not");
    assert_eq!(denied.code(), Some(Code::PermissionDenied));
    let group = v1::MulticastGroupEntry { multicast_group_id: 1, ..Default::default() };
    let entry = v1::PacketReplicationEngineEntry {
        r#type: Some(v1::packet_replication_engine_entry::Type::MulticastGroupEntry(group)),
    };
    client.insert([Kind::PacketReplicationEngineEntry(entry.clone())]).await.expect_err("not its own");
    let may_load = RoleConfig { can_push_pipeline: true, ..RoleConfig::default() };
    let (mut other, _session) = role(&bench, "loader", &may_load).await;
    other.insert([Kind::PacketReplicationEngineEntry(entry)]).await.expect("it may");
    other.set_pipeline(info(), device_config(SOURCE), 1).await.expect("it may");
}

#[tokio::test]
async fn packets_are_sent_to_the_roles_whose_filter_they_pass() {
    let bench = Bench::start().await;
    let (mut everything, mut all) = bench.primary().await;
    let punt = v1::TableEntry { action: runs(call(id::PUNT, &[])), ..l2(&[0x77], 1) };
    everything.insert([table(punt)]).await.expect("punt");
    let filter = Some(PacketFilter { metadata_id: 1, value: vec![2] });
    let wanted = RoleConfig { receives_packet_ins: true, packet_in_filter: filter, ..RoleConfig::default() };
    let (_client, mut some) = role(&bench, "port 2", &wanted).await;
    bench.receive(1, &frame(0x77, 1));
    bench.receive(2, &frame(0x77, 2));
    let ports = |events: [SessionEvent; 1]| match events {
        [SessionEvent::Packet(packet)] => packet.metadata[0].value.clone(),
        [other] => panic!("a packet was expected, not {other:?}"),
    };
    assert_eq!(ports([some.next().await.expect("a packet")]), [2], "the first one was filtered");
    assert_eq!(ports([all.next().await.expect("a packet")]), [1]);
    assert_eq!(ports([all.next().await.expect("a packet")]), [2]);
}

#[tokio::test]
async fn exclusive_objects_belong_to_one_role() {
    let bench = Bench::start().await;
    let alone = RoleConfig { exclusive_ids: vec![id::L2], ..RoleConfig::default() };
    let (_client, _session) = role(&bench, "first", &alone).await;
    let config = ClientConfig {
        role: "second".into(),
        role_config: Some(owning(&[id::L2]).to_any()),
        ..ClientConfig::new(DEVICE)
    };
    let rejected = bench.client_as(config).await.open().await.expect_err("it is taken");
    assert_eq!(rejected.code(), Some(Code::InvalidArgument));
}
