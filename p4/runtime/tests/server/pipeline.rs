//! Setting, saving, committing, checking and reading the pipeline.

use crate::common::program::id;
use crate::common::{Bench, DEVICE, OTHER_SOURCE, SOURCE, config, device_config, info, other_program};
use crate::entities::{at, bits, l2, register, route, table};
use p4runtime::p4info;
use p4runtime::proto::p4::v1::{
    self, entity::Entity as Kind, get_forwarding_pipeline_config_request::ResponseType,
    set_forwarding_pipeline_config_request::Action,
};
use tonic::Code;

/// All routes.
fn routes() -> Kind {
    table(v1::TableEntry { table_id: id::ROUTES, ..Default::default() })
}

#[tokio::test]
async fn a_server_without_a_pipeline_rejects_reads() {
    let bench = Bench::start().await;
    let mut client = bench.client(1).await;
    assert_eq!(client.pipeline(ResponseType::All).await.expect("the call succeeds"), None);
    let rejected = client.read([routes()]).await.expect_err("nothing to read");
    assert_eq!(rejected.code(), Some(Code::FailedPrecondition));
    let version = client.api_version().await.expect("the call succeeds");
    assert_eq!(version.split('.').count(), 3, "{version}");
}

#[tokio::test]
async fn reads_return_the_pipeline_as_set() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let all = client.pipeline(ResponseType::All).await.expect("the call succeeds").expect("it is set");
    assert_eq!(all, config(SOURCE, info()));
    let cookie =
        client.pipeline(ResponseType::CookieOnly).await.expect("the call succeeds").expect("it is set");
    assert_eq!((cookie.p4info, cookie.p4_device_config.len(), cookie.cookie), (None, 0, all.cookie));
    let parts =
        client.pipeline(ResponseType::P4infoAndCookie).await.expect("the call succeeds").expect("it is set");
    assert_eq!((parts.p4info, parts.p4_device_config.len()), (all.p4info, 0));
    let parts = client
        .pipeline(ResponseType::DeviceConfigAndCookie)
        .await
        .expect("the call succeeds")
        .expect("it is set");
    assert_eq!((parts.p4info, parts.p4_device_config), (None, all.p4_device_config));
}

#[tokio::test]
async fn invalid_configurations_do_not_change_the_running_pipeline() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    client.insert([table(l2(&[1], 1))]).await.expect("inserted");
    let mut check = async |config: Option<v1::ForwardingPipelineConfig>, words: &str| {
        for action in
            [Action::Verify, Action::VerifyAndSave, Action::VerifyAndCommit, Action::ReconcileAndCommit]
        {
            let error = client.pipeline_action(action, config.clone()).await.expect_err("must be rejected");
            assert_eq!(error.code(), Some(Code::InvalidArgument), "{action:?}");
            assert!(error.to_string().contains(words), "{error}");
        }
    };
    check(None, "not set").await;
    check(Some(config("nonsense", info())), "does not compile").await;
    check(Some(v1::ForwardingPipelineConfig { p4info: None, ..config(SOURCE, info()) }), "P4Info is not set")
        .await;
    check(Some(config(SOURCE, p4info::from_program(&other_program()))), "ingress.pair").await;
    let mut renamed = info();
    renamed.tables[0].match_fields[0].bitwidth = 47;
    check(Some(config(SOURCE, renamed)), "ingress.l2").await;
    let json = v1::ForwardingPipelineConfig { p4_device_config: b"{}".to_vec(), ..config(SOURCE, info()) };
    check(Some(json), "not a program of the reference switch").await;
    let entries = client.read([table(v1::TableEntry { table_id: id::L2, ..Default::default() })]).await;
    assert_eq!(entries.expect("read").len(), 1);
    let unset = client.pipeline_action(Action::Unspecified, Some(config(SOURCE, info()))).await;
    assert_eq!(unset.expect_err("no action").code(), Some(Code::InvalidArgument));
}

#[tokio::test]
async fn verify_keeps_entries_and_commit_clears_them() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    client.insert([table(route(&[10, 0, 0, 0], 8))]).await.expect("inserted");
    client.pipeline_action(Action::Verify, Some(config(SOURCE, info()))).await.expect("it is good");
    assert_eq!(client.read([routes()]).await.expect("read").len(), 1);
    client.pipeline_action(Action::VerifyAndCommit, Some(config(SOURCE, info()))).await.expect("it is good");
    assert_eq!(client.read([routes()]).await.expect("read").len(), 0);
}

#[tokio::test]
async fn a_saved_pipeline_takes_writes_until_it_is_committed() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let nothing = client.pipeline_action(Action::Commit, None).await.expect_err("nothing is saved");
    assert_eq!(nothing.code(), Some(Code::NotFound));
    client.insert([table(route(&[10, 0, 0, 0], 8))]).await.expect("inserted");
    let other = config(OTHER_SOURCE, p4info::from_program(&other_program()));
    client.pipeline_action(Action::VerifyAndSave, Some(other.clone())).await.expect("it is good");
    let gone = client.read([register(id::PAIR, at(0), None)]).await.expect_err("not in the saved program");
    assert_eq!(gone.code(), Some(Code::NotFound));
    assert_eq!(client.read([routes()]).await.expect("read").len(), 0);
    client.insert([table(route(&[11, 0, 0, 0], 8))]).await.expect("into the saved one");
    client.insert([table(route(&[11, 0, 0, 0], 8))]).await.expect_err("it is there already");
    let given = client.pipeline_action(Action::Commit, Some(other)).await.expect_err("COMMIT takes none");
    assert_eq!(given.code(), Some(Code::InvalidArgument));
    client.pipeline_action(Action::Commit, None).await.expect("committed");
    let found = client.read([routes()]).await.expect("read");
    assert_eq!(found, [table(route(&[11, 0, 0, 0], 8))]);
}

#[tokio::test]
async fn reconciling_keeps_the_forwarding_state_or_fails() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let plain = register(id::PLAIN, at(3), bits(&[9]));
    client.modify([plain.clone()]).await.expect("written");
    client.insert([table(route(&[10, 0, 0, 0], 8)), table(l2(&[2], 2))]).await.expect("inserted");
    let other = config(OTHER_SOURCE, p4info::from_program(&other_program()));
    client.pipeline_action(Action::ReconcileAndCommit, Some(other)).await.expect("all has a place");
    assert_eq!(client.read([routes()]).await.expect("read"), [table(route(&[10, 0, 0, 0], 8))]);
    assert_eq!(client.read([register(id::PLAIN, at(3), None)]).await.expect("read"), [plain]);
    for first in 11..16 {
        client.insert([table(route(&[first, 0, 0, 0], 8))]).await.expect("there is room now");
    }
    let rejected = client.pipeline_action(Action::ReconcileAndCommit, Some(config(SOURCE, info()))).await;
    assert_eq!(rejected.expect_err("six routes, room for four").code(), Some(Code::InvalidArgument));
    assert_eq!(client.read([routes()]).await.expect("read").len(), 6);
}

#[tokio::test]
async fn only_the_primary_can_set_the_pipeline() {
    let bench = Bench::start().await;
    let (_client, _session) = bench.primary().await;
    let mut other = bench.client(0).await;
    let rejected = other.set_pipeline(info(), device_config(SOURCE), 1).await.expect_err("a backup");
    assert_eq!(rejected.code(), Some(Code::PermissionDenied));
    let mut grpc = other.grpc();
    let get = v1::GetForwardingPipelineConfigRequest { device_id: DEVICE + 1, response_type: 0 };
    assert_eq!(grpc.get_forwarding_pipeline_config(get).await.expect_err("unknown").code(), Code::NotFound);
    let capabilities = v1::CapabilitiesRequest { device_id: DEVICE + 1 };
    assert_eq!(grpc.capabilities(capabilities).await.expect_err("unknown").code(), Code::NotFound);
}

#[tokio::test]
async fn configurations_above_the_default_message_limit_are_accepted() {
    let bench = Bench::start().await;
    let mut client = bench.client(1).await;
    let _session = client.become_primary().await.expect("no other controller is connected");
    let mut sources = p4runtime::device_config::SourceBundle::single("main.p4", SOURCE);
    sources.files.insert("comment.p4".into(), "/".repeat(6 << 20));
    client.set_pipeline(info(), sources.encode(), 1).await.expect("above gRPC's default limit");
}
