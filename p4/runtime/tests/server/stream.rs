//! Digests, packets and idle notifications, end to end through the switch.

use crate::common::program::id;
use crate::common::{Bench, frame};
use crate::entities::*;
use p4runtime::client::{Schema, Session, SessionEvent};
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind};
use tonic::Code;

async fn next(session: &mut Session) -> SessionEvent {
    session.next().await.expect("the stream goes on")
}

fn digest(max_timeout_ns: i64, max_list_size: i32, ack_timeout_ns: i64) -> Kind {
    let config = Some(v1::digest_entry::Config { max_timeout_ns, max_list_size, ack_timeout_ns });
    Kind::DigestEntry(v1::DigestEntry { digest_id: id::DIGEST, config })
}

async fn digest_list(session: &mut Session) -> v1::DigestList {
    match next(session).await {
        SessionEvent::Digest(list) => list,
        other => panic!("a digest was expected, not {other:?}"),
    }
}

fn sources(list: &v1::DigestList) -> Vec<Vec<u8>> {
    let schema = Schema::new(crate::common::info()).digest_by_id(list.digest_id).expect("known");
    list.data.iter().map(|data| schema.fields_of(data)["src"].clone()).collect()
}

#[tokio::test]
async fn digests_are_listed_acknowledged_and_not_repeated() {
    let bench = Bench::start().await;
    let (mut client, mut session) = bench.primary().await;
    bench.receive(1, &frame(1, 99));
    client.insert([digest(i64::MAX, 2, i64::MAX)]).await.expect("enabled");
    bench.advance_ns(5_000);
    bench.receive(1, &frame(1, 10));
    bench.receive(1, &frame(1, 10));
    bench.receive(1, &frame(1, 11));
    let list = digest_list(&mut session).await;
    assert_eq!((list.list_id, list.timestamp), (1, 5_000));
    assert_eq!(sources(&list), [[10], [11]], "distinct, in order, no message from before it was enabled");
    bench.receive(1, &frame(1, 10));
    bench.receive(1, &frame(1, 12));
    bench.receive(1, &frame(1, 13));
    assert_eq!(sources(&digest_list(&mut session).await), [[12], [13]]);
    session.sender().acknowledge(&list).await.expect("sent");
    // The error for an invalid acknowledgement shows that the valid one before it has been processed.
    let unknown = v1::DigestList { digest_id: 0x17ff_ffff, ..Default::default() };
    session.sender().acknowledge(&unknown).await.expect("sent");
    let SessionEvent::Error(error) = next(&mut session).await else { panic!("an error was expected") };
    assert_eq!(Code::from(error.canonical_code), Code::InvalidArgument);
    bench.receive(1, &frame(1, 10));
    bench.receive(1, &frame(1, 14));
    assert_eq!(sources(&digest_list(&mut session).await), [[10], [14]]);
}

#[tokio::test]
async fn a_digest_list_is_sent_at_its_timeout() {
    let bench = Bench::start().await;
    let (mut client, mut session) = bench.primary().await;
    client.insert([digest(1_000_000, 100, 0)]).await.expect("enabled");
    bench.receive(3, &frame(1, 10));
    let list = digest_list(&mut session).await;
    assert_eq!(sources(&list), [[10]]);
    let schema = Schema::new(crate::common::info()).digest("learn_t").expect("known");
    assert_eq!(schema.values_of(&list.data[0]), [[10], [3]]);
}

#[tokio::test]
async fn only_the_primary_receives_digests() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    client.insert([digest(0, 1, 0)]).await.expect("enabled");
    let mut other = bench.client(5).await;
    let mut new_session = other.become_primary().await.expect("its election id is higher");
    bench.receive(1, &frame(1, 10));
    assert_eq!(sources(&digest_list(&mut new_session).await), [[10]]);
    other.delete([digest(0, 0, 0)]).await.expect("disabled");
    bench.receive(1, &frame(1, 11));
    other.insert([digest(0, 1, 0)]).await.expect("enabled");
    bench.receive(1, &frame(1, 12));
    assert_eq!(
        sources(&digest_list(&mut new_session).await),
        [[12]],
        "no message from the time when it was disabled"
    );
}

#[tokio::test]
async fn a_packet_in_has_the_fields_of_its_header_as_metadata() {
    let bench = Bench::start().await;
    let (mut client, mut session) = bench.primary().await;
    let punt = v1::TableEntry { action: runs(call(id::PUNT, &[])), ..l2(&[2], 0) };
    client.insert([table(punt)]).await.expect("inserted");
    bench.receive(5, &frame(2, 1));
    let SessionEvent::Packet(packet) = next(&mut session).await else { panic!("a packet was expected") };
    assert_eq!(packet.payload, frame(2, 1));
    let metadata = |metadata_id, value: &[u8]| v1::PacketMetadata { metadata_id, value: value.to_vec() };
    assert_eq!(packet.metadata, [metadata(1, &[5]), metadata(2, &[0])]);
}

#[tokio::test]
async fn a_packet_out_is_sent_and_malformed_ones_are_reported() {
    let bench = Bench::start().await;
    let (_client, mut session) = bench.primary().await;
    let metadata = |metadata_id, value: &[u8]| v1::PacketMetadata { metadata_id, value: value.to_vec() };
    let packet = |metadata: Vec<v1::PacketMetadata>| v1::PacketOut { payload: frame(8, 9), metadata };
    let bad = [
        packet(vec![]),
        packet(vec![metadata(1, &[6])]),
        packet(vec![metadata(1, &[6]), metadata(2, &[0]), metadata(7, &[0])]),
        packet(vec![metadata(1, &[6]), metadata(1, &[6]), metadata(2, &[0])]),
        packet(vec![metadata(1, &[2, 0]), metadata(2, &[0])]),
        packet(vec![metadata(1, &[]), metadata(2, &[0])]),
        v1::PacketOut { payload: vec![0; 1 << 20], metadata: vec![metadata(1, &[6]), metadata(2, &[0])] },
    ];
    for packet in bad {
        session.sender().packet_out(packet.clone()).await.expect("sent");
        let SessionEvent::Error(error) = next(&mut session).await else { panic!("an error was expected") };
        assert_eq!(Code::from(error.canonical_code), Code::InvalidArgument, "{}", error.message);
        let Some(v1::stream_error::Details::PacketOut(details)) = error.details else { panic!("the packet") };
        assert_eq!(details.packet_out, Some(packet));
    }
    session.sender().packet_out(packet(vec![metadata(2, &[0]), metadata(1, &[6])])).await.expect("sent");
    session.sender().packet_out(packet(vec![])).await.expect("sent");
    let SessionEvent::Error(_) = next(&mut session).await else { panic!("the packet before has been sent") };
    assert_eq!(*bench.sent.lock().expect("not poisoned"), [(6, frame(8, 9))]);
}

#[tokio::test]
async fn idle_entries_are_reported() {
    let bench = Bench::start().await;
    let (mut client, mut session) = bench.primary().await;
    let entry = v1::TableEntry { idle_timeout_ns: 1_000_000, metadata: vec![7], ..l2(&[4], 2) };
    client.insert([table(entry.clone())]).await.expect("inserted");
    bench.advance_ns(999_999);
    let requested = v1::TableEntry {
        time_since_last_hit: Some(v1::table_entry::IdleTimeout::default()),
        ..v1::TableEntry { table_id: id::L2, ..Default::default() }
    };
    let read = client.read([table(requested)]).await.expect("read");
    let Kind::TableEntry(shown) = &read[0] else { panic!("an entry") };
    assert_eq!(shown.time_since_last_hit.map(|time| time.elapsed_ns), Some(999_999));
    bench.advance_ns(2_000_000);
    bench.switch.wake();
    let SessionEvent::Idle(idle) = next(&mut session).await else { panic!("a notification was expected") };
    assert_eq!(idle.table_entry, [v1::TableEntry { action: None, ..entry }]);
    let rejected =
        client.insert([table(v1::TableEntry { idle_timeout_ns: 5, ..route(&[1, 0, 0, 0], 8) })]).await;
    assert_eq!(rejected.expect_err("not supported there").code(), Some(Code::InvalidArgument));
}

#[tokio::test]
async fn a_controller_that_does_not_read_loses_packets_but_not_its_stream() {
    use p4runtime::server::Limits;
    let limits = Limits { stream_queue: 4, stream_reserve: 2, ..Limits::default() };
    let bench = Bench::with(|config| config.limits = limits).await;
    let (mut client, mut session) = bench.primary().await;
    let punt = v1::TableEntry { action: runs(call(id::PUNT, &[])), ..l2(&[2], 0) };
    client.insert([table(punt)]).await.expect("inserted");
    // More than fits into the stream's queue and the connection's buffers together.
    let mut payload = frame(2, 1);
    payload.resize(9_000, 0);
    while bench.server.stats().messages_dropped == 0 {
        bench.receive(5, &payload);
        tokio::task::yield_now().await;
    }
    let SessionEvent::Packet(packet) = next(&mut session).await else { panic!("a packet was expected") };
    assert_eq!(packet.payload.len(), 9_000);
}
