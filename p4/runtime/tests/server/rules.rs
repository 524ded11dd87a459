//! Rules of the specification that concern several entities: permissions, relevant fields, consistency of responses.

use crate::common::program::id;
use crate::common::{Bench, DEVICE, SOURCE, config, frame, info};
use crate::entities::*;
use p4runtime::client::{Client, ClientError, Session, SessionEvent};
use p4runtime::proto::p4::v1::{
    self, entity::Entity as Kind, table_action, update::Type, write_request::Atomicity,
};
use tonic::Code;

#[track_caller]
fn check(result: Result<(), ClientError>, expected: Code) {
    let code = result.as_ref().map_or_else(|error| error.code().unwrap_or(Code::Unknown), |()| Code::Ok);
    assert_eq!(code, expected, "{result:?}");
}

/// A live controller that is not primary.
async fn backup(bench: &Bench) -> (Client, Session) {
    let mut client = bench.client(0).await;
    let (session, answer) = client.open().await.expect("accepted");
    assert!(!answer.is_primary);
    (client, session)
}

#[tokio::test]
async fn a_backup_can_only_read() {
    let bench = Bench::start().await;
    let (mut client, mut session) = bench.primary().await;
    let (mut other, mut others_session) = backup(&bench).await;
    let denied = Code::PermissionDenied;
    check(other.insert([table(l2(&[1], 1))]).await, denied);
    let metadata = |metadata_id, value: &[u8]| v1::PacketMetadata { metadata_id, value: value.to_vec() };
    let good = v1::PacketOut { payload: frame(8, 9), metadata: vec![metadata(1, &[6]), metadata(2, &[0])] };
    others_session.sender().packet_out(good.clone()).await.expect("sent");
    let list = v1::DigestList { digest_id: id::DIGEST, ..Default::default() };
    others_session.sender().acknowledge(&list).await.expect("sent");
    for _ in 0..2 {
        let Ok(SessionEvent::Error(error)) = others_session.next().await else {
            panic!("an error was expected")
        };
        assert_eq!(Code::from(error.canonical_code), denied);
        assert!(error.details.is_some(), "which message it was");
    }
    assert_eq!(*bench.sent.lock().expect("no thread panicked"), [], "the packet has been dropped");
    let shown = other.read([register(id::PLAIN, at(0), None)]).await.expect("reading needs no primary");
    assert_eq!(shown, [register(id::PLAIN, at(0), bits(&[0]))]);
    // Packets of the switch are sent to the primary only; a backup would receive one before the next error.
    let punt = v1::TableEntry { action: runs(call(id::PUNT, &[])), ..l2(&[2], 0) };
    client.insert([table(punt)]).await.expect("inserted");
    bench.receive(5, &frame(2, 1));
    assert!(matches!(session.next().await, Ok(SessionEvent::Packet(_))));
    others_session.sender().packet_out(good).await.expect("sent");
    assert!(matches!(others_session.next().await, Ok(SessionEvent::Error(_))));
}

#[tokio::test]
async fn a_client_without_a_stream_can_only_read() {
    let bench = Bench::start().await;
    let (_client, _session) = bench.primary().await;
    let mut stranger = bench.client(77).await;
    let shown = stranger.read([register(id::PLAIN, at(0), None)]).await.expect("no session is needed");
    assert_eq!(shown.len(), 1);
    check(stranger.insert([table(l2(&[1], 1))]).await, Code::PermissionDenied);
}

#[tokio::test]
async fn errors_of_a_whole_call_have_no_details() {
    let bench = Bench::start().await;
    let (client, _session) = bench.primary().await;
    let request = |device_id, role: &str, low| v1::WriteRequest {
        device_id,
        role: role.into(),
        election_id: Some(v1::Uint128 { high: 0, low }),
        updates: vec![update(Type::Insert, table(l2(&[1], 1)))],
        ..Default::default()
    };
    for (request, expected) in [
        (request(DEVICE + 1, "", 1), Code::NotFound),
        (request(0, "", 1), Code::NotFound),
        (request(DEVICE, "unknown", 1), Code::NotFound),
        (request(DEVICE, "", 2), Code::PermissionDenied),
    ] {
        let status = client.grpc().write(request).await.expect_err("rejected");
        assert_eq!((status.code(), status.details()), (expected, &[][..]), "{status}");
        assert!(!status.message().is_empty());
    }
    let set = |device_id, role: &str, low| v1::SetForwardingPipelineConfigRequest {
        device_id,
        role: role.into(),
        election_id: Some(v1::Uint128 { high: 0, low }),
        action: v1::set_forwarding_pipeline_config_request::Action::VerifyAndCommit as i32,
        config: Some(config(SOURCE, info())),
        ..Default::default()
    };
    for (request, expected) in [
        (set(DEVICE + 1, "", 1), Code::NotFound),
        (set(DEVICE, "unknown", 1), Code::NotFound),
        (set(DEVICE, "", 2), Code::PermissionDenied),
    ] {
        let status = client.grpc().set_forwarding_pipeline_config(request).await.expect_err("rejected");
        assert_eq!((status.code(), status.details()), (expected, &[][..]), "{status}");
    }
    let unknown = v1::ReadRequest { device_id: DEVICE + 1, ..Default::default() };
    let status = client.grpc().read(unknown).await.expect_err("rejected");
    assert_eq!((status.code(), status.details()), (Code::NotFound, &[][..]));
}

#[tokio::test]
async fn a_delete_ignores_all_but_the_key() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.insert([table(l2(&[1], 1)), table(route(&[10, 0, 0, 0], 8))]).await, Code::Ok);
    let nonsense = v1::TableEntry {
        action: runs(call(0x01ff_ffff, &[&[]])),
        idle_timeout_ns: -5,
        meter_config: Some(v1::MeterConfig { cir: -1, ..Default::default() }),
        ..l2(&[1], 1)
    };
    check(c.delete([table(nonsense)]).await, Code::Ok);
    check(c.insert([member(id::SELECTOR, 1, 1), group(1, 4, &[])]).await, Code::Ok);
    check(c.delete([group(1, -7, &[(99, -1), (99, -1)])]).await, Code::Ok);
    let bare = v1::ActionProfileMember { action_profile_id: id::SELECTOR, member_id: 1, action: None };
    check(c.delete([Kind::ActionProfileMember(Box::new(bare))]).await, Code::Ok);
}

#[tokio::test]
async fn the_default_entry_of_a_table_with_a_profile_cannot_be_modified() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let default = |action| v1::TableEntry {
        table_id: id::GROUPS,
        is_default_action: true,
        action,
        ..Default::default()
    };
    check(client.modify([table(default(forward(1)))]).await, Code::PermissionDenied);
    let by_member = table_action::Type::ActionProfileMemberId(1);
    let by_member = Some(v1::TableAction { r#type: Some(by_member) });
    check(client.modify([table(default(by_member))]).await, Code::InvalidArgument);
}

#[tokio::test]
async fn entities_requested_twice_are_returned_twice() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    client
        .insert([table(l2(&[1], 1)), member(id::SELECTOR, 3, 1), group(5, 4, &[(3, 1)])])
        .await
        .expect("good");
    let wanted = [
        table(v1::TableEntry { table_id: id::L2, ..Default::default() }),
        Kind::ActionProfileGroup(Box::new(v1::ActionProfileGroup {
            action_profile_id: id::SELECTOR,
            ..Default::default()
        })),
        register(id::PLAIN, at(1), None),
        table(v1::TableEntry { table_id: id::L2, ..Default::default() }),
    ];
    let found = client.read(wanted).await.expect("read");
    let expected = [
        table(l2(&[1], 1)),
        group(5, 4, &[(3, 1)]),
        register(id::PLAIN, at(1), bits(&[0])),
        table(l2(&[1], 1)),
    ];
    assert_eq!(found, expected);
}

/// Writes batches with the same value for all elements while another client reads.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reads_see_whole_batches() {
    const ROUNDS: u8 = 100;
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let mut reader = bench.client(0).await;
    let writer = tokio::spawn(async move {
        for value in 1..=ROUNDS {
            let all =
                (0..16).map(|i| update(Type::Modify, register(id::PLAIN, at(i), bits(&[value])))).collect();
            let mode = [Atomicity::ContinueOnError, Atomicity::DataplaneAtomic][usize::from(value % 2)];
            client.write_atomic(all, mode).await.expect("written");
        }
    });
    let mut last = 0;
    while last < ROUNDS {
        let one_by_one = (0..16).map(|i| register(id::PLAIN, at(i), None));
        let found = reader.read(one_by_one).await.expect("read");
        let values: Vec<u8> = found.iter().map(value_of).collect();
        assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
        assert!(values[0] >= last, "a later read does not see an older batch");
        last = values[0];
    }
    writer.await.expect("the writer has not failed");
}

fn value_of(entity: &Kind) -> u8 {
    use p4runtime::proto::p4::v1::p4_data::Data;
    match entity {
        Kind::RegisterEntry(v1::RegisterEntry {
            data: Some(v1::P4Data { data: Some(Data::Bitstring(bytes)) }),
            ..
        }) => bytes[0],
        other => panic!("a register's element was expected, not {other:?}"),
    }
}
