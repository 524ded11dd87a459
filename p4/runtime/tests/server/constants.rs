//! Initial entries and defaults of the program, constant or not, their direct resources, and selectors with groups
//! sized by members: end to end through the front end.

use crate::common::{Bench, frame};
use crate::entities::*;
use p4runtime::client::{Client, Session};
use p4runtime::device_config::{SourceBundle, compile, compile_until};
use p4runtime::p4info;
use p4runtime::proto::p4::v1::{
    self, entity::Entity as Kind, set_forwarding_pipeline_config_request::Action, table_action, update::Type,
    write_request::Atomicity,
};
use std::sync::Arc;
use tonic::Code;

/// `fixed` is a constant table, `mixed` has initial entries of which one is constant, `grouped` is implemented by a
/// selector with groups sized by members.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t eth; }
struct meta_t { }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.eth); transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets_and_bytes) fixed_hits;
    direct_counter(CounterType.packets_and_bytes) mixed_hits;
    @max_group_size(2) @selector_size_semantics("sum_of_members") @max_member_weight(100)
    action_selector(HashAlgorithm.crc16, 16, 14) ways;
    action forward(bit<9> port) { s.egress_spec = port; }
    table fixed {
        key = { hdr.eth.type: exact; }
        actions = { forward; NoAction; }
        const entries = { 0x800: forward(3); 0x86dd: forward(4); }
        const default_action = NoAction();
        counters = fixed_hits;
    }
    table mixed {
        key = { hdr.eth.type: ternary; }
        actions = { forward; NoAction; }
        entries = {
            const 0x800: forward(5);
            0x86dd: forward(6);
        }
        default_action = NoAction();
        counters = mixed_hits;
        size = 8;
    }
    table grouped {
        key = { hdr.eth.type: exact; hdr.eth.src: selector; }
        actions = { forward; NoAction; }
        implementation = ways;
    }
    apply { fixed.apply(); mixed.apply(); grouped.apply(); }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.eth); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

struct Ids {
    fixed: u32,
    mixed: u32,
    grouped: u32,
    forward: u32,
    ways: u32,
}

fn configuration() -> (v1::ForwardingPipelineConfig, Ids) {
    let bundle = SourceBundle::single("main.p4", PROGRAM);
    let info = p4info::from_program(&compile(&bundle).expect("the program is good"));
    let preambles = (info.tables.iter().map(|t| &t.preamble))
        .chain(info.actions.iter().map(|a| &a.preamble))
        .chain(info.action_profiles.iter().map(|p| &p.preamble));
    let all: Vec<_> = preambles.flatten().map(|p| (p.alias.clone(), p.id)).collect();
    let id = |name: &str| all.iter().find(|(alias, _)| alias == name).expect("it is declared").1;
    let ids = Ids {
        fixed: id("fixed"),
        mixed: id("mixed"),
        grouped: id("grouped"),
        forward: id("forward"),
        ways: id("ways"),
    };
    let config =
        v1::ForwardingPipelineConfig { p4info: Some(info), p4_device_config: bundle.encode(), cookie: None };
    (config, ids)
}

async fn start() -> (Bench, Client, Session, Ids) {
    let bench = Bench::with(|config| config.compile = Arc::new(compile_until)).await;
    let mut client = bench.client(1).await;
    let session = client.become_primary().await.expect("no other controller is connected");
    let (config, ids) = configuration();
    client.pipeline_action(Action::VerifyAndCommit, Some(config)).await.expect("the pipeline is good");
    (bench, client, session, ids)
}

impl Ids {
    fn forward(&self, port: u8) -> Option<v1::TableAction> {
        runs(call(self.forward, &[&[port]]))
    }

    /// The entry of `fixed` for IPv4, without an action.
    fn fixed(&self) -> v1::TableEntry {
        v1::TableEntry { table_id: self.fixed, r#match: vec![exact(1, &[8, 0])], ..Default::default() }
    }

    /// An entry of `mixed`, without an action; the first of two entries has priority 2.
    fn mixed(&self, value: &[u8], priority: i32) -> v1::TableEntry {
        let fields = vec![ternary(1, value, &[0xff, 0xff])];
        v1::TableEntry { table_id: self.mixed, r#match: fields, priority, ..Default::default() }
    }

    fn default_of(&self, table_id: u32) -> v1::TableEntry {
        v1::TableEntry { table_id, is_default_action: true, ..Default::default() }
    }
}

fn counted(packets: i64) -> Option<v1::CounterData> {
    Some(v1::CounterData { packet_count: packets, byte_count: packets * 10 })
}

#[track_caller]
fn check(result: Result<(), p4runtime::client::ClientError>, expected: Code) {
    let code = result.as_ref().map_or_else(|error| error.code().unwrap_or(Code::Unknown), |()| Code::Ok);
    assert_eq!(code, expected, "{result:?}");
}

/// All entries with their counters, defaults included.
async fn state(client: &mut Client) -> Vec<v1::TableEntry> {
    let all = v1::TableEntry { counter_data: counted(0), ..Default::default() };
    let defaults = v1::TableEntry { is_default_action: true, ..all.clone() };
    let found = client.read([table(all), table(defaults)]).await.expect("read");
    let entry = |kind| match kind {
        Kind::TableEntry(entry) => *entry,
        other => panic!("a table entry was expected, not {other:?}"),
    };
    found.into_iter().map(entry).collect()
}

#[tokio::test]
async fn only_counters_of_constant_entries_can_be_modified() {
    let (_bench, mut client, _session, ids) = start().await;
    let c = &mut client;
    let denied = Code::PermissionDenied;
    check(c.modify([table(v1::TableEntry { counter_data: counted(7), ..ids.fixed() })]).await, Code::Ok);
    check(c.modify([table(v1::TableEntry { action: ids.forward(3), ..ids.fixed() })]).await, denied);
    check(c.modify([table(v1::TableEntry { metadata: vec![1], ..ids.fixed() })]).await, denied);
    #[allow(deprecated, reason = "older clients use the cookie")]
    let cookie = v1::TableEntry { controller_metadata: 1, ..ids.fixed() };
    check(c.modify([table(cookie)]).await, denied);
    check(c.delete([table(ids.fixed())]).await, denied);
    let marked = v1::TableEntry { is_const: true, ..ids.fixed() };
    check(c.delete([table(marked.clone())]).await, Code::InvalidArgument);
    check(c.modify([table(marked)]).await, Code::InvalidArgument);
    // The default action is constant too: only the counter of the default entry can be modified.
    check(
        c.modify([table(v1::TableEntry { counter_data: counted(2), ..ids.default_of(ids.fixed) })]).await,
        Code::Ok,
    );
    let noted = v1::TableEntry { metadata: vec![1], ..ids.default_of(ids.fixed) };
    check(c.modify([table(noted)]).await, denied);
    let other = v1::TableEntry { action: ids.forward(1), ..ids.default_of(ids.fixed) };
    check(c.modify([table(other)]).await, denied);
    let found = state(c).await;
    let shown =
        v1::TableEntry { action: ids.forward(3), counter_data: counted(7), is_const: true, ..ids.fixed() };
    assert!(found.contains(&shown), "{found:?}");
    let default = found.iter().find(|e| e.is_default_action && e.table_id == ids.fixed).expect("it has one");
    assert_eq!((default.counter_data, default.is_const), (counted(2), true));
}

#[tokio::test]
async fn initial_entries_can_be_changed_unless_they_are_constant() {
    let (bench, mut client, _session, ids) = start().await;
    let c = &mut client;
    let constant = v1::TableEntry { action: ids.forward(5), is_const: true, ..ids.mixed(&[8, 0], 2) };
    let free = v1::TableEntry { action: ids.forward(6), ..ids.mixed(&[0x86, 0xdd], 1) };
    let of_mixed = v1::TableEntry { table_id: ids.mixed, ..Default::default() };
    let found = c.read([table(of_mixed.clone())]).await.expect("read");
    assert_eq!(found, [table(constant), table(free.clone())]);
    check(c.delete([table(ids.mixed(&[8, 0], 2))]).await, Code::PermissionDenied);
    let other = v1::TableEntry { action: ids.forward(1), ..ids.mixed(&[8, 0], 2) };
    check(c.modify([table(other)]).await, Code::PermissionDenied);
    check(
        c.modify([table(v1::TableEntry { counter_data: counted(1), ..ids.mixed(&[8, 0], 2) })]).await,
        Code::Ok,
    );
    check(c.modify([table(v1::TableEntry { action: ids.forward(7), ..free.clone() })]).await, Code::Ok);
    check(
        c.insert([table(v1::TableEntry { action: ids.forward(8), ..ids.mixed(&[9, 9], 3) })]).await,
        Code::Ok,
    );
    let mut packet = frame(1, 2);
    packet[12..14].copy_from_slice(&[9, 9]);
    bench.receive(1, &packet);
    assert_eq!(bench.sent.lock().expect("no thread panicked")[0].0, 8);
    check(c.delete([table(free)]).await, Code::Ok);
    assert_eq!(c.read([table(of_mixed)]).await.expect("read").len(), 2);
}

#[tokio::test]
async fn a_failed_batch_restores_counters_of_constant_entries() {
    for mode in [Atomicity::RollbackOnError, Atomicity::DataplaneAtomic] {
        let (_bench, mut client, _session, ids) = start().await;
        let with = |packets, entry| table(v1::TableEntry { counter_data: counted(packets), ..entry });
        let entries =
            || [ids.fixed(), ids.mixed(&[8, 0], 2), ids.default_of(ids.fixed), ids.default_of(ids.mixed)];
        client.modify(entries().map(|entry| with(3, entry))).await.expect("written");
        let before = state(&mut client).await;
        let mut batch = entries().map(|entry| update(Type::Modify, with(9, entry))).to_vec();
        batch.push(update(Type::Delete, table(ids.fixed())));
        client.write_atomic(batch, mode).await.expect_err("the last update fails");
        assert_eq!(state(&mut client).await, before);
    }
}

#[tokio::test]
async fn reconciling_keeps_changes_of_initial_entries() {
    let (_bench, mut client, _session, ids) = start().await;
    let c = &mut client;
    let with = |packets, entry| table(v1::TableEntry { counter_data: counted(packets), ..entry });
    let counters = [with(3, ids.fixed()), with(4, ids.mixed(&[8, 0], 2)), with(5, ids.default_of(ids.mixed))];
    check(c.modify(counters).await, Code::Ok);
    check(c.delete([table(ids.mixed(&[0x86, 0xdd], 1))]).await, Code::Ok);
    check(
        c.insert([table(v1::TableEntry { action: ids.forward(8), ..ids.mixed(&[9, 9], 3) })]).await,
        Code::Ok,
    );
    let before = state(c).await;
    let (config, _) = configuration();
    check(c.pipeline_action(Action::ReconcileAndCommit, Some(config)).await, Code::Ok);
    assert_eq!(state(c).await, before);
}

#[tokio::test]
async fn the_size_of_a_group_can_be_its_number_of_members() {
    let (_bench, mut client, _session, ids) = start().await;
    let c = &mut client;
    let member = |member_id| {
        Kind::ActionProfileMember(Box::new(v1::ActionProfileMember {
            action_profile_id: ids.ways,
            member_id,
            action: Some(call(ids.forward, &[&[1]])),
        }))
    };
    let group = |members: &[(u32, i32)]| {
        let Kind::ActionProfileGroup(group) = group(1, 2, members) else { unreachable!("a group was made") };
        Kind::ActionProfileGroup(Box::new(v1::ActionProfileGroup { action_profile_id: ids.ways, ..*group }))
    };
    check(c.insert([member(1), member(2), member(3)]).await, Code::Ok);
    check(c.insert([group(&[(1, 1), (2, 1), (3, 1)])]).await, Code::ResourceExhausted);
    check(c.insert([group(&[(1, 1), (2, 101)])]).await, Code::InvalidArgument);
    check(c.insert([group(&[(1, 100), (2, 100)])]).await, Code::Ok);
    let entry = |weights: &[i32]| {
        let action = |weight: &i32| v1::ActionProfileAction {
            action: Some(call(ids.forward, &[&[1]])),
            weight: *weight,
            watch_kind: None,
        };
        let set = v1::ActionProfileActionSet {
            action_profile_actions: weights.iter().map(action).collect(),
            ..Default::default()
        };
        table(v1::TableEntry {
            table_id: ids.grouped,
            r#match: vec![exact(1, &[8, 0])],
            action: Some(v1::TableAction { r#type: Some(table_action::Type::ActionProfileActionSet(set)) }),
            ..Default::default()
        })
    };
    check(c.insert([entry(&[1, 1, 1])]).await, Code::InvalidArgument);
    check(c.insert([entry(&[1, 101])]).await, Code::InvalidArgument);
    // An action that is listed twice counts twice and is returned twice.
    check(c.insert([entry(&[100, 100])]).await, Code::Ok);
    let of_grouped = v1::TableEntry { table_id: ids.grouped, ..Default::default() };
    assert_eq!(c.read([table(of_grouped)]).await.expect("read"), [entry(&[100, 100])]);
    // A set without actions is valid: packets run no action.
    check(c.modify([entry(&[])]).await, Code::Ok);
}

#[tokio::test]
async fn modifying_a_member_changes_all_its_groups() {
    let (bench, mut client, _session, ids) = start().await;
    let c = &mut client;
    let member = |port: u8| {
        Kind::ActionProfileMember(Box::new(v1::ActionProfileMember {
            action_profile_id: ids.ways,
            member_id: 6,
            action: Some(call(ids.forward, &[&[port]])),
        }))
    };
    let group = |group_id| {
        let Kind::ActionProfileGroup(group) = group(group_id, 2, &[(6, 1)]) else { unreachable!("a group") };
        Kind::ActionProfileGroup(Box::new(v1::ActionProfileGroup { action_profile_id: ids.ways, ..*group }))
    };
    let entry = |kind: u8, group_id| {
        let action = table_action::Type::ActionProfileGroupId(group_id);
        table(v1::TableEntry {
            table_id: ids.grouped,
            r#match: vec![exact(1, &[kind])],
            action: Some(v1::TableAction { r#type: Some(action) }),
            ..Default::default()
        })
    };
    // A group may have the same id as a member.
    check(c.insert([member(1)]).await, Code::Ok);
    check(c.insert([group(6), group(10)]).await, Code::Ok);
    check(c.insert([entry(6, 6), entry(10, 10)]).await, Code::Ok);
    for port in [1, 4] {
        check(c.modify([member(port)]).await, Code::Ok);
        for kind in [6, 10] {
            let mut packet = frame(1, 2);
            packet[12..14].copy_from_slice(&[0, kind]);
            bench.receive(1, &packet);
        }
        let sent = std::mem::take(&mut *bench.sent.lock().expect("no thread panicked"));
        assert_eq!(sent.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [u16::from(port); 2]);
    }
}
