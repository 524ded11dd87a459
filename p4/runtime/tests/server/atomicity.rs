//! All-or-none batches.

use crate::common::Bench;
use crate::common::program::id;
use crate::entities::*;
use p4runtime::client::{Client, ClientError};
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind, update::Type, write_request::Atomicity};
use tonic::Code;

/// All state that can be read.
async fn state(client: &mut Client) -> Vec<Kind> {
    let all = [
        table(v1::TableEntry {
            counter_data: Some(v1::CounterData::default()),
            meter_config: Some(v1::MeterConfig::default()),
            ..Default::default()
        }),
        table(v1::TableEntry { is_default_action: true, ..Default::default() }),
        Kind::ActionProfileMember(Box::default()),
        Kind::ActionProfileGroup(Box::default()),
        Kind::CounterEntry(v1::CounterEntry::default()),
        Kind::MeterEntry(Box::default()),
        register(id::PLAIN, None, None),
        Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry::default()),
        Kind::ValueSetEntry(v1::ValueSetEntry::default()),
        Kind::DigestEntry(v1::DigestEntry::default()),
    ];
    client.read(all).await.expect("read")
}

fn multicast(group: u32, port: u8) -> Kind {
    use v1::{packet_replication_engine_entry::Type, replica::PortKind};
    let replica = v1::Replica { port_kind: Some(PortKind::Port(vec![port])), ..Default::default() };
    let group =
        v1::MulticastGroupEntry { multicast_group_id: group, replicas: vec![replica], metadata: Vec::new() };
    Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry {
        r#type: Some(Type::MulticastGroupEntry(group)),
    })
}

/// A batch that changes entities of most kinds and succeeds.
fn changes() -> Vec<v1::Update> {
    use Type::{Delete, Insert, Modify};
    let counter = v1::CounterEntry {
        counter_id: id::COUNTER,
        index: None,
        data: Some(v1::CounterData { packet_count: 9, byte_count: 9 }),
    };
    let members = vec![v1::ValueSetMember { r#match: vec![exact(1, &[9])] }];
    let default = v1::TableEntry {
        table_id: id::L2,
        is_default_action: true,
        action: forward(4),
        ..Default::default()
    };
    let data = Some(v1::CounterData { packet_count: 1, byte_count: 1 });
    vec![
        update(Insert, table(l2(&[9], 1))),
        update(Modify, table(v1::TableEntry { counter_data: data, ..l2(&[1], 5) })),
        update(Delete, table(route(&[10, 0, 0, 0], 8))),
        update(Modify, table(default)),
        update(Insert, member(id::SELECTOR, 3, 1)),
        update(Insert, group(2, 4, &[(3, 1)])),
        update(Modify, group(1, 4, &[(3, 1)])),
        update(Modify, member(id::SELECTOR, 1, 7)),
        update(Modify, Kind::CounterEntry(counter)),
        update(Modify, register(id::PLAIN, None, bits(&[5]))),
        update(Insert, multicast(2, 2)),
        update(Delete, multicast(1, 1)),
        update(Modify, Kind::ValueSetEntry(v1::ValueSetEntry { value_set_id: id::TPIDS, members })),
    ]
}

async fn prepared(client: &mut Client) {
    client
        .insert([table(l2(&[1], 1)), table(route(&[10, 0, 0, 0], 8)), multicast(1, 1)])
        .await
        .expect("inserted");
    client.insert([member(id::SELECTOR, 1, 1), group(1, 4, &[(1, 2)])]).await.expect("inserted");
    client.modify([register(id::PLAIN, at(3), bits(&[3]))]).await.expect("written");
}

#[tokio::test]
async fn a_failed_batch_changes_nothing() {
    for mode in [Atomicity::RollbackOnError, Atomicity::DataplaneAtomic] {
        let bench = Bench::start().await;
        let (mut client, _session) = bench.primary().await;
        prepared(&mut client).await;
        let before = state(&mut client).await;
        let mut batch = changes();
        batch.push(update(Type::Insert, table(l2(&[1], 1))));
        batch.push(update(Type::Insert, table(l2(&[8], 1))));
        let failed_at = batch.len() - 2;
        let error = client.write_atomic(batch, mode).await.expect_err("one update fails");
        let ClientError::Batch { failed, total } = error else { panic!("details were expected") };
        assert_eq!((failed.len(), total), (total, failed_at + 2));
        assert_eq!(failed[failed_at].code, Code::AlreadyExists);
        assert!(failed.iter().enumerate().all(|(i, e)| i == failed_at || e.code == Code::Aborted));
        assert_eq!(state(&mut client).await, before);
        client.write_atomic(changes(), mode).await.expect("without the bad update it succeeds");
        assert_ne!(state(&mut client).await, before);
    }
}

#[tokio::test]
async fn unknown_modes_are_rejected() {
    let bench = Bench::start().await;
    let (client, _session) = bench.primary().await;
    let request = v1::WriteRequest {
        device_id: crate::common::DEVICE,
        election_id: Some(v1::Uint128 { high: 0, low: 1 }),
        atomicity: 17,
        ..Default::default()
    };
    let rejected = client.grpc().write(request).await.expect_err("no such mode");
    assert_eq!(rejected.code(), Code::InvalidArgument);
}
