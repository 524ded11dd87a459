//! Port states, per-colour counters of meters, and clones: end to end, with packets.

use crate::common::{Bench, Sent};
use p4_switch::Switch;
use p4runtime::client::{Client, Session};
use p4runtime::device_config::{SourceBundle, compile, compile_until};
use p4runtime::p4info;
use p4runtime::proto::p4::v1::{
    self, entity::Entity as Kind, packet_replication_engine_entry::Type as Engine, replica::PortKind,
    table_action::Type as Action, update::Type, write_request::Atomicity,
};
use p4runtime::server::SwitchAccess;
use std::collections::BTreeSet;
use std::sync::Arc;

const PROGRAM: &str = include_str!("../p4info/failover.p4");

/// Identifiers from the P4Info.
struct Ids {
    select_way: u32,
    flows: u32,
    forward: u32,
    marked: u32,
    ways: u32,
    port_meter: u32,
}

async fn start() -> (Bench, Client, Session, Ids) {
    let bench = Bench::with(|config| config.compile = Arc::new(compile_until)).await;
    let bundle = SourceBundle::single("main.p4", PROGRAM);
    let info = p4info::from_program(&compile(&bundle).expect("the program is good"));
    let mut client = bench.client(1).await;
    let session = client.become_primary().await.expect("no other controller is connected");
    client.set_pipeline(info.clone(), bundle.encode(), 1).await.expect("the pipeline is good");
    let preambles = (info.tables.iter().map(|t| &t.preamble))
        .chain(info.actions.iter().map(|a| &a.preamble))
        .chain(info.action_profiles.iter().map(|p| &p.preamble))
        .chain(info.meters.iter().map(|m| &m.preamble));
    let all: Vec<_> = preambles.flatten().map(|p| (p.alias.clone(), p.id)).collect();
    let id = |name: &str| all.iter().find(|(alias, _)| alias == name).expect("it is declared").1;
    let ids = Ids {
        select_way: id("select_way"),
        flows: id("flows"),
        forward: id("forward"),
        marked: id("marked"),
        ways: id("ways"),
        port_meter: id("port_meter"),
    };
    (bench, client, session, ids)
}

impl Bench {
    fn set_ports(&self, down: &[u16]) {
        let set =
            |switch: &mut Switch| (1..=8).for_each(|port| switch.set_port_up(port, !down.contains(&port)));
        self.switch.with(|switch, _| set(switch));
    }

    /// Sends a packet with this first byte and returns the frames that the switch sends.
    fn send(&self, tag: u8, length: usize) -> Sent {
        let mut bytes = vec![0xee; length];
        bytes[0] = tag;
        self.receive(1, &bytes);
        std::mem::take(&mut *self.sent.lock().expect("no thread panicked"))
    }

    /// Egress ports of the packets of all flows of a group.
    fn ports(&self, group: u8) -> BTreeSet<u16> {
        (0..16).flat_map(|flow| self.send(group << 4 | flow, 20)).map(|(port, _)| port).collect()
    }
}

fn exact(field_id: u32, value: u8) -> v1::FieldMatch {
    crate::entities::exact(field_id, &[value])
}

fn forward(ids: &Ids, port: u8) -> Option<v1::Action> {
    Some(crate::entities::call(ids.forward, &[&[port]]))
}

/// An entry with the egress ports 2, 3 and 4, each watched.
fn one_shot(ids: &Ids, mode: i32) -> Kind {
    use v1::action_profile_action::WatchKind;
    let way = |port: u8| v1::ActionProfileAction {
        action: forward(ids, port),
        weight: i32::from(port),
        watch_kind: Some(WatchKind::WatchPort(vec![port])),
    };
    let set = v1::ActionProfileActionSet {
        action_profile_actions: [2, 3, 4].map(way).to_vec(),
        action_selection_mode: mode,
        ..Default::default()
    };
    select(ids, Action::ActionProfileActionSet(set))
}

fn select(ids: &Ids, action: Action) -> Kind {
    crate::entities::table(v1::TableEntry {
        table_id: ids.select_way,
        r#match: vec![exact(1, 0)],
        action: Some(v1::TableAction { r#type: Some(action) }),
        ..Default::default()
    })
}

/// Checks the egress ports of all flows while some ports are down.
fn check(bench: &Bench, down: &[u16], expected: &[u16]) {
    bench.set_ports(down);
    assert_eq!(bench.ports(0), expected.iter().copied().collect(), "{down:?} are down");
}

#[tokio::test]
async fn members_with_a_down_port_are_skipped() {
    use v1::action_profile_group::{Member, member::WatchKind};
    let (bench, mut client, _session, ids) = start().await;
    let members = [2, 3, 4].map(|port| {
        Kind::ActionProfileMember(Box::new(v1::ActionProfileMember {
            action_profile_id: ids.ways,
            member_id: u32::from(port),
            action: forward(&ids, port),
        }))
    });
    let in_group = |port: u8| Member {
        member_id: u32::from(port),
        weight: 1,
        // The last member has no watch port.
        watch_kind: (port < 4).then(|| WatchKind::WatchPort(vec![port])),
    };
    let group = Kind::ActionProfileGroup(Box::new(v1::ActionProfileGroup {
        action_profile_id: ids.ways,
        group_id: 1,
        members: [2, 3, 4].map(in_group).to_vec(),
        max_size: 0,
    }));
    client.insert(members).await.expect("members");
    client.insert([group]).await.expect("a group");
    client.insert([select(&ids, Action::ActionProfileGroupId(1))]).await.expect("an entry");
    check(&bench, &[], &[2, 3, 4]);
    check(&bench, &[3], &[2, 4]);
    check(&bench, &[2, 3, 4], &[4]);
    check(&bench, &[], &[2, 3, 4]);
}

#[tokio::test]
async fn one_shot_sets_skip_ports_that_are_down() {
    let (bench, mut client, _session, ids) = start().await;
    client.insert([one_shot(&ids, 0)]).await.expect("a set");
    check(&bench, &[], &[2, 3, 4]);
    check(&bench, &[2, 4], &[3]);
    // A set whose watched ports are all down runs no action: egress_spec stays 0, which is not a port.
    check(&bench, &[2, 3, 4], &[]);
    check(&bench, &[8], &[2, 3, 4]);
}

#[tokio::test]
async fn random_sets_spread_the_packets_of_one_flow() {
    use v1::action_profile_action_set::ActionSelectionMode::{Hash, Random};
    let (bench, mut client, _session, ids) = start().await;
    let leaves = |bench: &Bench| -> BTreeSet<u16> {
        (0..200).flat_map(|_| bench.send(7, 20)).map(|(port, _)| port).collect()
    };
    client.insert([one_shot(&ids, Hash as i32)]).await.expect("a set");
    assert_eq!(leaves(&bench).len(), 1, "one flow has one egress port");
    client.modify([one_shot(&ids, Random as i32)]).await.expect("another set");
    assert_eq!(leaves(&bench), BTreeSet::from([2, 3, 4]));
    bench.set_ports(&[3]);
    assert_eq!(leaves(&bench), BTreeSet::from([2, 4]));
    let read = client.read([crate::entities::table(v1::TableEntry::default())]).await.expect("read");
    assert_eq!(read, [one_shot(&ids, Random as i32)]);
}

fn replica(port: u8, backups: &[u8]) -> v1::Replica {
    let backup = |port: &u8| v1::BackupReplica { port: vec![*port], instance: u32::from(*port) };
    v1::Replica {
        port_kind: Some(PortKind::Port(vec![port])),
        instance: u32::from(port),
        backup_replicas: backups.iter().map(backup).collect(),
    }
}

fn engine(engine: Engine) -> Kind {
    Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type: Some(engine) })
}

fn multicast(group: u32, replicas: Vec<v1::Replica>) -> Kind {
    engine(Engine::MulticastGroupEntry(v1::MulticastGroupEntry {
        multicast_group_id: group,
        replicas,
        metadata: Vec::new(),
    }))
}

fn session(replicas: Vec<v1::Replica>, class_of_service: u32, packet_length_bytes: i32) -> Kind {
    engine(Engine::CloneSessionEntry(v1::CloneSessionEntry {
        session_id: 5,
        replicas,
        class_of_service,
        packet_length_bytes,
    }))
}

#[tokio::test]
async fn backup_replicas_are_used_in_order() {
    let (bench, mut client, _session, _) = start().await;
    let check = |down: &[u16], expected: &[u16]| {
        bench.set_ports(down);
        let mut ports: Vec<u16> = bench.send(0x10, 20).into_iter().map(|(port, _)| port).collect();
        ports.sort_unstable();
        assert_eq!(ports, expected, "{down:?} are down");
    };
    client.insert([multicast(1, vec![replica(2, &[3, 4]), replica(5, &[])])]).await.expect("a group");
    check(&[], &[2, 5]);
    check(&[2], &[3, 5]);
    check(&[2, 3], &[4, 5]);
    check(&[2, 3, 4], &[5]);
    check(&[3, 5], &[2]);
    check(&[], &[2, 5]);
    client.modify([multicast(1, vec![replica(2, &[])])]).await.expect("modified");
    check(&[2], &[]);
    let failing = [
        crate::entities::update(Type::Modify, multicast(1, vec![replica(6, &[7])])),
        crate::entities::update(Type::Delete, multicast(9, vec![])),
    ];
    client.modify([multicast(1, vec![replica(2, &[8])])]).await.expect("modified");
    client.write_atomic(failing.to_vec(), Atomicity::RollbackOnError).await.expect_err("no group 9");
    check(&[2], &[8]);
}

#[tokio::test]
async fn clones_have_length_and_class_of_their_session_and_use_backups() {
    let (bench, mut client, _session, ids) = start().await;
    client.insert([one_shot(&ids, 0)]).await.expect("a set");
    let clones = |bench: &Bench| -> Vec<(u16, u8, usize)> {
        let sent = bench.send(0x80, 60).into_iter().filter(|(port, _)| *port >= 6);
        sent.map(|(port, bytes)| (port, bytes[0] >> 4 & 7, bytes.len())).collect()
    };
    assert_eq!(clones(&bench), [], "there is no session");
    client.insert([session(vec![replica(6, &[7])], 3, 25)]).await.expect("a session");
    assert_eq!(clones(&bench), [(6, 3, 25)], "port, class, length");
    client.modify([session(vec![replica(6, &[7])], 0, 0)]).await.expect("a session");
    assert_eq!(clones(&bench), [(6, 0, 60)], "class 0 is set as well");
    bench.set_ports(&[6]);
    assert_eq!(clones(&bench), [(7, 0, 60)]);
    bench.set_ports(&[6, 7]);
    assert_eq!(clones(&bench), []);
}

fn count(packets: i64, bytes: i64) -> Option<v1::CounterData> {
    Some(v1::CounterData { packet_count: packets, byte_count: bytes })
}

fn colours(
    green: Option<v1::CounterData>,
    yellow: Option<v1::CounterData>,
    red: Option<v1::CounterData>,
) -> Option<v1::MeterCounterData> {
    Some(v1::MeterCounterData { green, yellow, red })
}

#[tokio::test]
async fn direct_meters_count_packets_by_colour() {
    let (bench, mut client, _session, ids) = start().await;
    let flow = v1::TableEntry {
        table_id: ids.flows,
        r#match: vec![crate::entities::ternary(1, &[3], &[15])],
        priority: 1,
        action: crate::entities::runs(crate::entities::call(ids.marked, &[])),
        meter_config: Some(v1::MeterConfig { cir: 1, cburst: 1, pir: 1, pburst: 2, eburst: 0 }),
        ..Default::default()
    };
    let set = v1::TableEntry { meter_counter_data: colours(None, None, count(1, 1)), ..flow.clone() };
    let rejected = client.insert([crate::entities::table(set)]).await.expect_err("only zero");
    assert_eq!(rejected.code(), Some(tonic::Code::InvalidArgument));
    client.insert([crate::entities::table(flow.clone())]).await.expect("an entry");
    (0..4).for_each(|_| drop(bench.send(3, 20)));
    let requested = v1::TableEntry {
        table_id: ids.flows,
        meter_counter_data: colours(None, None, None),
        ..Default::default()
    };
    let expected = colours(count(1, 20), count(1, 20), count(2, 40));
    let shown = |entities: Vec<Kind>| match entities.as_slice() {
        [Kind::TableEntry(entry)] => entry.meter_counter_data,
        [Kind::DirectMeterEntry(entry)] => entry.counter_data,
        other => panic!("one entry was expected, not {other:?}"),
    };
    let requested = crate::entities::table(requested);
    assert_eq!(shown(client.read([requested.clone()]).await.expect("read")), expected);
    let key = v1::TableEntry { action: None, meter_config: None, ..flow.clone() };
    let direct = |counter_data| {
        let (table_entry, config) = (Some(key.clone()), flow.meter_config);
        Kind::DirectMeterEntry(Box::new(v1::DirectMeterEntry { table_entry, config, counter_data }))
    };
    let read = client.read([direct(colours(None, None, None))]).await.expect("read");
    assert_eq!(shown(read), expected);
    assert_eq!(shown(client.read([direct(None)]).await.expect("read")), None, "not requested");
    client.modify([crate::entities::table(flow.clone())]).await.expect("modified");
    assert_eq!(shown(client.read([requested.clone()]).await.expect("read")), expected, "unset leaves them");
    let batch = vec![
        crate::entities::update(Type::Delete, crate::entities::table(flow.clone())),
        crate::entities::update(Type::Delete, crate::entities::table(flow.clone())),
    ];
    client.write_atomic(batch, Atomicity::RollbackOnError).await.expect_err("it is gone already");
    assert_eq!(shown(client.read([requested.clone()]).await.expect("read")), expected, "restored");
    client.modify([direct(colours(count(0, 0), None, None))]).await.expect("reset");
    let zero = count(0, 0);
    assert_eq!(shown(client.read([requested]).await.expect("read")), colours(zero, zero, zero));
}

#[tokio::test]
async fn indirect_meters_count_packets_by_colour() {
    let (bench, mut client, _session, ids) = start().await;
    let meter = |index, counter_data| {
        let index = Some(v1::Index { index });
        Kind::MeterEntry(Box::new(v1::MeterEntry {
            meter_id: ids.port_meter,
            index,
            config: None,
            counter_data,
        }))
    };
    (0..3).for_each(|_| drop(bench.send(0x70, 30)));
    let zero = count(0, 0);
    let requested = colours(None, None, None);
    let read = client.read([meter(1, requested), meter(2, requested), meter(1, None)]).await.expect("read");
    let expected =
        [meter(1, colours(count(3, 90), zero, zero)), meter(2, colours(zero, zero, zero)), meter(1, None)];
    assert_eq!(read, expected);
    client.modify([meter(1, requested)]).await.expect("reset");
    let read = client.read([meter(1, requested)]).await.expect("read");
    assert_eq!(read, [meter(1, colours(zero, zero, zero))]);
}
