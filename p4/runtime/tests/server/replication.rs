//! Multicast groups and clone sessions.

use crate::common::Bench;
use p4runtime::client::ClientError;
use p4runtime::proto::p4::v1::{
    self, entity::Entity as Kind, packet_replication_engine_entry::Type, replica::PortKind,
};
use tonic::Code;

#[track_caller]
fn check(result: Result<(), ClientError>, expected: Code) {
    let code = result.as_ref().map_or_else(|error| error.code().unwrap_or(Code::Unknown), |()| Code::Ok);
    assert_eq!(code, expected, "{result:?}");
}

fn wrap(engine: Type) -> Kind {
    Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type: Some(engine) })
}

fn port(bytes: &[u8], instance: u32) -> v1::Replica {
    v1::Replica { port_kind: Some(PortKind::Port(bytes.to_vec())), instance, backup_replicas: Vec::new() }
}

#[allow(deprecated, reason = "older clients number ports")]
fn numbered(port: u32, instance: u32) -> v1::Replica {
    v1::Replica { port_kind: Some(PortKind::EgressPort(port)), instance, backup_replicas: Vec::new() }
}

fn group(id: u32, replicas: Vec<v1::Replica>) -> Kind {
    wrap(Type::MulticastGroupEntry(v1::MulticastGroupEntry {
        multicast_group_id: id,
        replicas,
        metadata: vec![5],
    }))
}

fn session(id: u32, replicas: Vec<v1::Replica>, class_of_service: u32, packet_length_bytes: i32) -> Kind {
    wrap(Type::CloneSessionEntry(v1::CloneSessionEntry {
        session_id: id,
        replicas,
        class_of_service,
        packet_length_bytes,
    }))
}

#[tokio::test]
async fn multicast_groups_are_checked_and_read_back() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    let written = group(1, vec![port(&[1], 1), numbered(2, 1), port(&[2], 2)]);
    check(c.insert([written.clone()]).await, Code::Ok);
    check(c.insert([written.clone()]).await, Code::AlreadyExists);
    let wildcard = group(0, vec![]);
    assert_eq!(c.read([wildcard.clone()]).await.expect("read"), [written]);
    check(c.modify([group(1, vec![port(&[0, 3], 0)])]).await, Code::Ok);
    assert_eq!(c.read([wildcard]).await.expect("read"), [group(1, vec![port(&[3], 0)])]);
    check(c.modify([group(2, vec![])]).await, Code::NotFound);
    check(c.insert([group(0, vec![])]).await, Code::InvalidArgument);
    check(c.insert([group(2, vec![port(&[99], 0)])]).await, Code::InvalidArgument);
    check(c.insert([group(2, vec![port(&[1], 1), numbered(1, 1)])]).await, Code::InvalidArgument);
    check(c.insert([group(2, vec![port(&[1], 1 << 16)])]).await, Code::InvalidArgument);
    check(c.insert([group(2, vec![v1::Replica::default()])]).await, Code::InvalidArgument);
    let backed = |backups: &[(&[u8], u32)]| {
        let backup =
            |(port, instance): &(&[u8], u32)| v1::BackupReplica { port: port.to_vec(), instance: *instance };
        v1::Replica { backup_replicas: backups.iter().map(backup).collect(), ..port(&[1], 1) }
    };
    for bad in [backed(&[(&[1], 2)]), backed(&[(&[99], 1)]), backed(&[(&[2], 1), (&[2], 1)])] {
        check(c.insert([group(2, vec![bad])]).await, Code::InvalidArgument);
    }
    let taken = vec![backed(&[(&[2], 1)]), port(&[2], 1)];
    check(c.insert([group(2, taken)]).await, Code::InvalidArgument);
    check(c.insert([group(2, vec![backed(&[(&[0, 3], 1), (&[2], 1)])])]).await, Code::Ok);
    let shown = group(2, vec![backed(&[(&[3], 1), (&[2], 1)])]);
    assert_eq!(c.read([group(2, vec![])]).await.expect("read"), [shown], "in order, as it was written");
    check(c.delete([group(1, vec![])]).await, Code::Ok);
    check(c.delete([group(1, vec![])]).await, Code::NotFound);
}

#[tokio::test]
async fn clone_sessions_are_checked_and_read_back() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    let cpu = port(&[0xff, 0xff, 0xff, 0xfd], 1);
    let written = session(100, vec![cpu, numbered(510, 2)], 2, 128);
    check(c.insert([written.clone()]).await, Code::Ok);
    assert_eq!(c.read([session(0, vec![], 0, 0)]).await.expect("read"), std::slice::from_ref(&written));
    assert_eq!(c.read([session(100, vec![], 0, 0)]).await.expect("read"), std::slice::from_ref(&written));
    check(c.insert([written]).await, Code::AlreadyExists);
    check(c.modify([session(101, vec![], 0, 0)]).await, Code::NotFound);
    check(c.insert([session(0, vec![], 0, 0)]).await, Code::InvalidArgument);
    check(c.insert([session(101, vec![], 8, 0)]).await, Code::InvalidArgument);
    check(c.insert([session(101, vec![], 0, -1)]).await, Code::InvalidArgument);
    check(c.delete([session(100, vec![], 0, 0)]).await, Code::Ok);
    check(c.delete([session(100, vec![], 0, 0)]).await, Code::NotFound);
    check(c.insert([Kind::PacketReplicationEngineEntry(Default::default())]).await, Code::InvalidArgument);
}
