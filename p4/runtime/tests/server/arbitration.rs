//! Arbitration over gRPC. The unit tests of the state machine cover the rules.

use crate::common::{Bench, DEVICE};
use crate::entities::{l2, table, update};
use p4runtime::client::{Arbitrated, ClientConfig, ClientError};
use p4runtime::proto::p4::v1::{self, update::Type};
use p4runtime::server::Limits;
use tonic::Code;

fn config(election_id: u128) -> ClientConfig {
    ClientConfig { election_id, ..ClientConfig::new(DEVICE) }
}

/// The status code and message of a failed attempt to open a stream.
async fn rejected(bench: &Bench, config: ClientConfig) -> (Code, String) {
    match bench.client_as(config).await.open().await {
        Err(ClientError::Status { code, message }) => (code, message),
        other => panic!("an error was expected, not {other:?}"),
    }
}

#[tokio::test]
async fn a_higher_election_id_takes_over_and_all_controllers_are_notified() {
    let bench = Bench::start().await;
    let (mut old, mut old_session) = bench.primary().await;
    let mut new = bench.client(9).await;
    let (_session, response) = new.open().await.expect("accepted");
    assert_eq!(response, Arbitrated { is_primary: true, has_primary: true, highest: Some(9) });
    let notice = old_session.wait_for_arbitration().await.expect("the stream goes on");
    assert_eq!(notice, Arbitrated { is_primary: false, has_primary: true, highest: Some(9) });
    let denied = old.insert([table(l2(&[1], 2))]).await.expect_err("no longer primary");
    assert_eq!(denied.code(), Some(Code::PermissionDenied));
    new.insert([table(l2(&[1], 2))]).await.expect("the primary writes");
}

#[tokio::test]
async fn a_backup_is_notified_when_the_primary_disconnects() {
    let bench = Bench::start().await;
    let (primary, session) = bench.primary().await;
    let mut backup = bench.client(1).await;
    let (code, words) = rejected(&bench, config(1)).await;
    assert_eq!(code, Code::InvalidArgument);
    assert!(words.contains("election id") && words.contains("already used"), "{words}");
    let mut other = bench.client(0).await;
    let (mut backup_session, response) = other.open().await.expect("accepted");
    assert_eq!(response, Arbitrated { is_primary: false, has_primary: true, highest: Some(1) });
    drop((primary, session));
    let notice = backup_session.wait_for_arbitration().await.expect("the stream goes on");
    assert_eq!(notice, Arbitrated { is_primary: false, has_primary: false, highest: Some(1) });
    let _session = backup.become_primary().await.expect("the old primary is gone");
    assert_eq!(backup.election_id(), 1);
}

#[tokio::test]
async fn become_primary_raises_the_election_id_above_that_of_a_connected_primary() {
    let bench = Bench::start().await;
    let (_primary, _session) = bench.primary().await;
    let mut rival = bench.client(0).await;
    let _session = rival.become_primary().await.expect("its election id is higher");
    assert_eq!(rival.election_id(), 2);
}

#[tokio::test]
async fn unknown_devices_and_too_many_streams_are_rejected() {
    let bench =
        Bench::with(|config| config.limits = Limits { streams_per_role: 1, ..Limits::default() }).await;
    let unknown = ClientConfig { device_id: 99, ..config(1) };
    assert_eq!(rejected(&bench, unknown).await.0, Code::NotFound);
    let (_client, _session) = bench.primary().await;
    assert_eq!(rejected(&bench, config(5)).await.0, Code::ResourceExhausted);
}

#[tokio::test]
async fn a_stream_cannot_change_its_role() {
    use v1::stream_message_request::Update;
    let bench = Bench::start().await;
    let mut grpc = bench.client(1).await.grpc();
    let arbitration = |role: &str| v1::StreamMessageRequest {
        update: Some(Update::Arbitration(v1::MasterArbitrationUpdate {
            device_id: DEVICE,
            role: Some(v1::Role { name: role.into(), ..Default::default() }),
            election_id: Some(v1::Uint128 { high: 0, low: 1 }),
            status: None,
        })),
    };
    let messages = tokio_stream::iter([arbitration("a"), arbitration("b")]);
    let mut responses = grpc.stream_channel(messages).await.expect("accepted").into_inner();
    assert!(responses.message().await.expect("the first is fine").is_some());
    let end = responses.message().await.expect_err("the second is not");
    assert_eq!(end.code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn writes_are_checked_in_the_specified_order() {
    let bench = Bench::start().await;
    let mut grpc = bench.client(1).await.grpc();
    let mut check = async |device_id, role: &str, low, expected| {
        let election_id = Some(v1::Uint128 { high: 0, low });
        let updates = vec![update(Type::Insert, table(l2(&[1], 1)))];
        let role = role.to_string();
        let request = v1::WriteRequest { device_id, role, election_id, updates, ..Default::default() };
        let code = grpc.write(request).await.expect_err("must be rejected").code();
        assert_eq!(code, expected);
    };
    check(99, "", 1, Code::NotFound).await;
    check(DEVICE, "unknown", 1, Code::NotFound).await;
    check(DEVICE, "", 1, Code::PermissionDenied).await;
    let mut client = bench.client(1).await;
    let _session = client.become_primary().await.expect("no other controller is connected");
    check(DEVICE, "", 2, Code::PermissionDenied).await;
    check(DEVICE, "", 1, Code::FailedPrecondition).await;
}

#[tokio::test]
async fn each_role_has_its_primary() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let mut other = bench.client_as(ClientConfig { role: "monitor".into(), ..config(1) }).await;
    let _other_session = other.become_primary().await.expect("a separate role");
    other.insert([table(l2(&[1], 1))]).await.expect("full access without a role config");
    client.delete([table(l2(&[1], 1))]).await.expect("still primary");
}

#[tokio::test]
async fn stream_messages_before_arbitration_are_rejected_and_the_stream_stays_open() {
    use v1::stream_message_request::Update;
    use v1::stream_message_response::Update as Answer;
    let bench = Bench::start().await;
    let mut grpc = bench.client(1).await.grpc();
    let messages = [
        Update::Packet(v1::PacketOut::default()),
        Update::DigestAck(v1::DigestListAck::default()),
        Update::Other(prost_types::Any::default()),
    ];
    let messages = messages.map(|update| v1::StreamMessageRequest { update: Some(update) });
    let mut responses =
        grpc.stream_channel(tokio_stream::iter(messages)).await.expect("accepted").into_inner();
    let mut codes = Vec::new();
    while let Ok(Some(response)) = responses.message().await {
        let Some(Answer::Error(error)) = response.update else { panic!("an error was expected") };
        codes.push(Code::from(error.canonical_code));
    }
    assert_eq!(codes, [Code::PermissionDenied, Code::PermissionDenied, Code::Unimplemented]);
}

#[tokio::test]
async fn a_primary_that_disconnected_can_reuse_its_election_id() {
    let bench = Bench::start().await;
    let (client, session) = bench.primary().await;
    drop((client, session));
    let mut again = bench.client(1).await;
    // The id counts as used until the server has processed the end of the stream.
    let mut tries = 0;
    let session = loop {
        match again.open().await {
            Ok((session, response)) => {
                assert!(response.is_primary);
                break session;
            }
            Err(error) => assert_eq!(error.code(), Some(Code::InvalidArgument)),
        }
        tries += 1;
        assert!(tries < 10_000, "the election id stays in use");
        tokio::task::yield_now().await;
    };
    again.insert([table(l2(&[5], 1))]).await.expect("the pipeline has stayed");
    drop(session);
}
