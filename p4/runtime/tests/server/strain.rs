//! Clients that request too much or do not read: each gets an error, and the running pipeline and other clients are not
//! affected.

use crate::common::{Bench, DEVICE, SOURCE, config, device_config, info};
use crate::entities::*;
use p4runtime::client::{Client, ClientConfig, ClientError};
use p4runtime::proto::p4::v1::{
    self, get_forwarding_pipeline_config_request::ResponseType,
    set_forwarding_pipeline_config_request::Action,
};
use p4runtime::server::{Limits, RoleConfig};
use tonic::Code;

/// Checks that forwarding state and pipeline are unchanged: one entry, cookie 42.
async fn untouched(client: &mut Client) {
    let all = table(v1::TableEntry { table_id: crate::common::program::id::L2, ..Default::default() });
    assert_eq!(client.read([all]).await.expect("read"), [table(l2(&[1], 1))]);
    let config = client.pipeline(ResponseType::CookieOnly).await.expect("answered").expect("it is set");
    assert_eq!(config.cookie.map(|cookie| cookie.cookie), Some(42));
}

/// Checks that a configuration is rejected with this code and changes nothing, for every pipeline action.
async fn check(client: &mut Client, config: &v1::ForwardingPipelineConfig, expected: Code) {
    for action in [Action::VerifyAndSave, Action::VerifyAndCommit, Action::ReconcileAndCommit] {
        let rejected = client.pipeline_action(action, Some(config.clone())).await;
        let code = rejected.as_ref().err().and_then(ClientError::code);
        assert_eq!(code, Some(expected), "{action:?}: {rejected:?}");
    }
    untouched(client).await;
}

/// Another configuration, with a cookie that must not be stored.
fn with(p4_device_config: Vec<u8>) -> v1::ForwardingPipelineConfig {
    let cookie = Some(v1::forwarding_pipeline_config::Cookie { cookie: 43 });
    v1::ForwardingPipelineConfig { p4info: Some(info()), p4_device_config, cookie }
}

async fn primary(bench: &Bench) -> (Client, p4runtime::client::Session) {
    let (mut client, session) = bench.primary().await;
    client.insert([table(l2(&[1], 1))]).await.expect("inserted");
    (client, session)
}

#[tokio::test]
async fn truncated_device_configurations_are_rejected() {
    let bench = Bench::start().await;
    let (mut client, _session) = primary(&bench).await;
    let whole = device_config(SOURCE);
    for length in 0..whole.len() {
        check(&mut client, &with(whole[..length].to_vec()), Code::InvalidArgument).await;
    }
    let mut longer = whole.clone();
    longer.push(0);
    check(&mut client, &with(longer), Code::InvalidArgument).await;
    client.pipeline_action(Action::VerifyAndCommit, Some(with(whole))).await.expect("the whole is good");
}

#[tokio::test]
async fn a_p4info_that_lacks_an_object_is_rejected() {
    let bench = Bench::start().await;
    let (mut client, _session) = primary(&bench).await;
    let removals: [fn(&mut p4runtime::proto::p4::config::v1::P4Info); 8] = [
        |info| drop(info.tables.pop()),
        |info| drop(info.actions.pop()),
        |info| drop(info.action_profiles.pop()),
        |info| drop(info.counters.pop()),
        |info| drop(info.direct_meters.pop()),
        |info| drop(info.registers.pop()),
        |info| drop(info.digests.pop()),
        |info| drop(info.controller_packet_metadata.pop()),
    ];
    for remove in removals {
        let mut other = with(device_config(SOURCE));
        remove(other.p4info.as_mut().expect("it has one"));
        check(&mut client, &other, Code::InvalidArgument).await;
    }
}

#[tokio::test]
async fn a_device_configuration_of_100_mib_is_rejected() {
    let bench = Bench::start().await;
    let (mut client, _session) = primary(&bench).await;
    check(&mut client, &with(vec![b'/'; 100 << 20]), Code::InvalidArgument).await;
    // A message above the limit for all messages is rejected before it is decoded.
    let limits = Limits { request_bytes: 1 << 20, ..Limits::default() };
    let bench = Bench::with(|config| config.limits = limits).await;
    let (mut client, _session) = primary(&bench).await;
    check(&mut client, &with(vec![b'/'; 2 << 20]), Code::OutOfRange).await;
}

#[tokio::test]
async fn a_pipeline_set_without_a_cookie_is_read_without_one() {
    let bench = Bench::start().await;
    let (mut client, _session) = primary(&bench).await;
    let none = v1::ForwardingPipelineConfig { cookie: None, ..config(SOURCE, info()) };
    client.pipeline_action(Action::VerifyAndCommit, Some(none)).await.expect("it is good");
    let shown = client.pipeline(ResponseType::All).await.expect("answered").expect("it is set");
    assert_eq!(shown.cookie, None);
}

/// A stream that sends nothing until it is dropped.
struct Silent {
    _ends_it: tokio::sync::mpsc::Sender<v1::StreamMessageRequest>,
    _answers: tonic::Streaming<v1::StreamMessageResponse>,
}

async fn silent(client: &Client) -> Result<Silent, tonic::Status> {
    let (sender, messages) = tokio::sync::mpsc::channel(1);
    let messages = tokio_stream::wrappers::ReceiverStream::new(messages);
    let answers = client.grpc().stream_channel(messages).await?.into_inner();
    Ok(Silent { _ends_it: sender, _answers: answers })
}

#[tokio::test]
async fn a_thousand_streams_do_not_affect_the_primary() {
    let limits = Limits { streams: 1001, calls_per_connection: 2000, ..Limits::default() };
    let bench = Bench::with(|config| config.limits = limits).await;
    let (mut client, _session) = primary(&bench).await;
    let other = bench.client(0).await;
    let mut streams = Vec::new();
    for _ in 0..1000 {
        streams.push(silent(&other).await.expect("there is room"));
    }
    let rejected = silent(&other).await.map(drop).expect_err("no room");
    assert_eq!(rejected.code(), Code::ResourceExhausted);
    untouched(&mut client).await;
    client.modify([register(crate::common::program::id::PLAIN, at(0), bits(&[1]))]).await.expect("it writes");
    streams.clear();
    // The server processes the end of the streams asynchronously.
    let mut tries = 0;
    while silent(&other).await.is_err() {
        tries += 1;
        assert!(tries < 100_000, "places of streams that have ended stay taken");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn controllers_beyond_the_limit_of_a_role_are_rejected() {
    let bench = Bench::start().await;
    let (mut client, _session) = primary(&bench).await;
    let mut backups = Vec::new();
    for _ in 1..Limits::default().streams_per_role {
        let mut backup = bench.client(0).await;
        let stream = arbitrate(&mut backup, None).await.expect("there is room");
        backups.push((backup, stream));
    }
    let mut further = bench.client(9).await;
    let code = arbitrate(&mut further, Some(v1::Uint128 { high: 0, low: 9 })).await.expect_err("no room");
    assert_eq!(code, Code::ResourceExhausted);
    untouched(&mut client).await;
    client.delete([table(l2(&[1], 1))]).await.expect("the primary has stayed");
}

/// Opens a stream with one arbitration message and waits for the first response.
async fn arbitrate(
    client: &mut Client,
    election_id: Option<v1::Uint128>,
) -> Result<tonic::Streaming<v1::StreamMessageResponse>, Code> {
    use tokio_stream::StreamExt;
    let update = v1::MasterArbitrationUpdate { device_id: DEVICE, election_id, ..Default::default() };
    let update = Some(v1::stream_message_request::Update::Arbitration(update));
    let messages = tokio_stream::once(v1::StreamMessageRequest { update }).chain(tokio_stream::pending());
    let mut stream = client.grpc().stream_channel(messages).await.map_err(|s| s.code())?.into_inner();
    stream.message().await.map_err(|status| status.code())?;
    Ok(stream)
}

#[tokio::test]
async fn a_backup_that_never_reads_is_disconnected_but_the_primary_is_not() {
    let limits = Limits { stream_queue: 2, stream_reserve: 2, ..Limits::default() };
    let bench = Bench::with(|config| config.limits = limits).await;
    // Notifications repeat the role's configuration, so few of them fill the buffers of the connection.
    let large = RoleConfig {
        shared_ids: (0..12_000).map(|n| 0x0200_0000 + n).collect(),
        can_push_pipeline: true,
        ..RoleConfig::default()
    };
    let as_role = |election_id| ClientConfig {
        election_id,
        role: "many".into(),
        role_config: Some(large.to_any()),
        ..ClientConfig::new(DEVICE)
    };
    let mut primary = bench.client_as(as_role(1)).await;
    let (mut session, _) = primary.open().await.expect("no other controller is connected");
    let mut backup = bench.client_as(as_role(0)).await;
    let (mut unread, _) = backup.open().await.expect("accepted");
    for election_id in 2..200 {
        session.arbitrate(election_id).await.expect("the primary's stream goes on");
        assert!(session.wait_for_arbitration().await.expect("and answers").is_primary);
    }
    let end = loop {
        if let Err(error) = unread.wait_for_arbitration().await {
            break error;
        }
    };
    assert_eq!(end.code(), Some(Code::ResourceExhausted), "{end}");
}

#[tokio::test]
async fn a_role_configuration_above_its_limit_ends_the_stream() {
    let bench = Bench::start().await;
    let (mut client, _session) = primary(&bench).await;
    let huge = RoleConfig { shared_ids: (0..1 << 20).collect(), ..RoleConfig::default() };
    let as_role =
        ClientConfig { role: "huge".into(), role_config: Some(huge.to_any()), ..ClientConfig::new(DEVICE) };
    let rejected = bench.client_as(as_role).await.open().await.expect_err("too large");
    assert_eq!(rejected.code(), Some(Code::InvalidArgument));
    untouched(&mut client).await;
}
