//! Registers, counters, meters, value sets, digest configurations.

use crate::common::program::{WIDE_SIZE, id};
use crate::common::{Bench, info};
use crate::entities::*;
use p4runtime::client::{ClientError, Elements, Schema};
use p4runtime::device_state;
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind, p4_data::Data};
use p4runtime::server::SwitchAccess as _;
use tonic::Code;

#[track_caller]
fn check(result: Result<(), ClientError>, expected: Code) {
    let code = result.as_ref().map_or_else(|error| error.code().unwrap_or(Code::Unknown), |()| Code::Ok);
    assert_eq!(code, expected, "{result:?}");
}

/// Checks that inserts and deletes are rejected.
async fn modify_only(entity: Kind) {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    check(client.insert([entity.clone()]).await, Code::InvalidArgument);
    check(client.delete([entity.clone()]).await, Code::InvalidArgument);
    check(client.modify([entity]).await, Code::Ok);
}

fn counter(index: Option<v1::Index>, packets: i64) -> Kind {
    let data = Some(v1::CounterData { packet_count: packets, byte_count: packets * 64 });
    Kind::CounterEntry(v1::CounterEntry { counter_id: id::COUNTER, index, data })
}

fn meter(index: Option<v1::Index>, rate: i64) -> Kind {
    let config =
        (rate > 0).then_some(v1::MeterConfig { cir: rate, cburst: 1, pir: rate, pburst: 1, eburst: 0 });
    Kind::MeterEntry(Box::new(v1::MeterEntry { meter_id: id::METER, index, config, counter_data: None }))
}

fn value_set(values: &[&[u8]]) -> Kind {
    let member = |value: &&[u8]| v1::ValueSetMember { r#match: vec![exact(1, value)] };
    let members = values.iter().map(member).collect();
    Kind::ValueSetEntry(v1::ValueSetEntry { value_set_id: id::TPIDS, members })
}

#[tokio::test]
async fn array_elements_and_value_sets_can_only_be_modified() {
    modify_only(counter(at(0), 1)).await;
    modify_only(meter(at(0), 1)).await;
    modify_only(register(id::PLAIN, at(0), bits(&[1]))).await;
    modify_only(value_set(&[&[1]])).await;
}

#[tokio::test]
async fn registers_are_written_and_read_by_element_and_as_a_whole() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.modify([register(id::PLAIN, at(3), bits(&[0, 0, 1, 2]))]).await, Code::Ok);
    let one = c.read([register(id::PLAIN, at(3), None)]).await.expect("read");
    assert_eq!(one, [register(id::PLAIN, at(3), bits(&[1, 2]))]);
    let all = c.read([register(id::PLAIN, None, None)]).await.expect("read");
    assert_eq!(all.len(), 16);
    assert_eq!(all[0], register(id::PLAIN, at(0), bits(&[0])));
    check(c.modify([register(id::PLAIN, None, bits(&[7]))]).await, Code::Ok);
    let all = c.read([register(id::PLAIN, None, None)]).await.expect("read");
    assert!(all.iter().zip(0..).all(|(entry, i)| *entry == register(id::PLAIN, at(i), bits(&[7]))));
    let everything = c.read([register(0, None, None)]).await.expect("read");
    assert_eq!(everything.len() as u64, 16 + 8 + WIDE_SIZE);
}

#[tokio::test]
async fn invalid_register_requests_are_rejected() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    for (entity, expected) in [
        (register(id::PLAIN, at(-1), bits(&[1])), Code::InvalidArgument),
        (register(id::PLAIN, at(16), bits(&[1])), Code::OutOfRange),
        (register(id::PLAIN, at(i64::MAX), bits(&[1])), Code::OutOfRange),
        (register(id::PLAIN, at(0), None), Code::InvalidArgument),
        (register(id::PLAIN, at(0), bits(&[])), Code::OutOfRange),
        (register(id::PLAIN, at(0), bits(&[1, 0, 0, 0, 0])), Code::OutOfRange),
        (
            register(id::PLAIN, at(0), Some(v1::P4Data { data: Some(Data::Bool(true)) })),
            Code::InvalidArgument,
        ),
        (register(id::PAIR, at(0), bits(&[1])), Code::InvalidArgument),
        (register(0x16ff_ffff, at(0), bits(&[1])), Code::NotFound),
        (register(id::L2, at(0), bits(&[1])), Code::InvalidArgument),
    ] {
        check(c.modify([entity]).await, expected);
    }
    for (entity, expected) in [
        (register(id::PLAIN, at(-1), None), Code::InvalidArgument),
        (register(id::PLAIN, at(16), None), Code::OutOfRange),
        (register(0, at(0), None), Code::InvalidArgument),
    ] {
        let error = c.read([entity]).await.expect_err("must be rejected");
        assert_eq!(error.code(), Some(expected));
    }
}

#[tokio::test]
async fn struct_registers_are_written_and_read_by_component() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let member = |bytes: &[u8]| v1::P4Data { data: Some(Data::Bitstring(bytes.to_vec())) };
    let members = vec![member(&[1, 2]), member(&[9; 12])];
    let data = Some(v1::P4Data { data: Some(Data::Struct(v1::P4StructLike { members })) });
    let entity = register(id::PAIR, at(2), data);
    check(client.modify([entity.clone()]).await, Code::Ok);
    assert_eq!(client.read([register(id::PAIR, at(2), None)]).await.expect("read"), [entity]);
    let schema = Schema::new(info()).register("pair").expect("known");
    let bytes = client.read_register(&schema).await.expect("read");
    assert_eq!((bytes.width, bytes.len()), (15, 8));
    assert_eq!(bytes.get(2), Some(&[1, 2, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9][..]));
}

#[tokio::test]
async fn the_client_reads_arrays_by_name_into_bytes() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let schema = Schema::new(info());
    let wide = schema.register("wide").expect("known");
    assert_eq!(wide.annotations, ["@fields(\"key:256,count:256\")"]);
    let element = |index: u64| {
        let mut bytes = vec![0; 64];
        bytes[64 - 8..].copy_from_slice(&(index * 3).to_be_bytes());
        bytes[0] = index as u8;
        bytes
    };
    let writes = (0..wide.size).map(|index| Kind::RegisterEntry(wide.entry(index, &element(index))));
    client.modify(writes).await.expect("written");
    let read = client.read_register(&wide).await.expect("read");
    assert_eq!((read.width, read.len(), read.data.len()), (64, WIDE_SIZE, 64 * WIDE_SIZE as usize));
    assert!(read.iter().all(|(index, bytes)| bytes == element(index)));
    let plain = schema.register("ingress.plain").expect("known");
    client.modify([register(id::PLAIN, at(5), bits(&[8]))]).await.expect("written");
    let parts = client
        .read_registers(&[
            (&wide, (10..12).into()),
            (&plain, Elements::Each(vec![5])),
            (&wide, Elements::Each(vec![0, 12])),
        ])
        .await
        .expect("read");
    assert_eq!(parts[0].get(11), Some(element(11).as_slice()));
    assert_eq!(parts[1].data, [0, 0, 0, 8]);
    let single: Vec<(u64, &[u8])> = parts[2].iter().collect();
    assert_eq!(single, [(0, element(0).as_slice()), (12, element(12).as_slice())]);
    assert!(schema.register("nothing").is_err());
}

#[tokio::test]
async fn long_responses_are_split_for_default_message_limits() {
    let bench = Bench::start().await;
    let (client, _session) = bench.primary().await;
    let entities = (0..16).map(|_| v1::Entity { entity: Some(register(id::WIDE, None, None)) }).collect();
    let request = v1::ReadRequest { device_id: crate::common::DEVICE, entities, ..Default::default() };
    let mut messages = client.grpc().read(request).await.expect("accepted").into_inner();
    let (mut pieces, mut elements) = (0, 0);
    while let Some(message) = messages.message().await.expect("whole") {
        assert!(prost::Message::encoded_len(&message) <= 512 << 10);
        pieces += 1;
        elements += message.entities.len() as u64;
    }
    assert_eq!(elements, 16 * WIDE_SIZE);
    assert!(pieces > 1);
}

#[tokio::test]
async fn counters_are_written_and_read_by_element_and_as_a_whole() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.modify([counter(at(2), 5)]).await, Code::Ok);
    assert_eq!(c.read([counter(at(2), 0)]).await.expect("read"), [counter(at(2), 5)]);
    check(c.modify([counter(None, 6)]).await, Code::Ok);
    let unset = Kind::CounterEntry(v1::CounterEntry { counter_id: id::COUNTER, index: at(2), data: None });
    check(c.modify([unset]).await, Code::Ok);
    let all = c.read([counter(None, 0)]).await.expect("read");
    assert_eq!(all, (0..8).map(|i| counter(at(i), 6)).collect::<Vec<_>>());
    let wildcard = Kind::CounterEntry(v1::CounterEntry::default());
    assert_eq!(c.read([wildcard]).await.expect("read"), all);
    check(c.modify([counter(at(-1), 1)]).await, Code::InvalidArgument);
    check(c.modify([counter(at(8), 1)]).await, Code::OutOfRange);
    check(c.modify([counter(at(0), -1)]).await, Code::InvalidArgument);
}

#[tokio::test]
async fn meters_are_written_and_read_by_element_and_as_a_whole() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.modify([meter(at(1), 9)]).await, Code::Ok);
    assert_eq!(c.read([meter(at(1), 0)]).await.expect("read"), [meter(at(1), 9)]);
    assert_eq!(c.read([meter(None, 0)]).await.expect("read").len(), 4);
    check(c.modify([meter(None, 0)]).await, Code::Ok);
    let all = c.read([Kind::MeterEntry(Box::default())]).await.expect("read");
    assert_eq!(all, (0..4).map(|i| meter(at(i), 0)).collect::<Vec<_>>());
    check(c.modify([meter(at(4), 1)]).await, Code::OutOfRange);
    let colours = v1::MeterEntry {
        meter_id: id::METER,
        index: at(0),
        counter_data: Some(v1::MeterCounterData::default()),
        config: None,
    };
    check(c.modify([Kind::MeterEntry(Box::new(colours))]).await, Code::Ok);
    let zero = Some(v1::CounterData::default());
    let marked = Some(v1::MeterCounterData { green: zero, yellow: zero, red: zero });
    let shown = Kind::MeterEntry(Box::new(v1::MeterEntry { counter_data: marked, ..colours }));
    assert_eq!(c.read([Kind::MeterEntry(Box::new(colours))]).await.expect("read"), [shown]);
    let one = Some(v1::CounterData { packet_count: 1, byte_count: 0 });
    let set = Some(v1::MeterCounterData { red: one, ..Default::default() });
    let set = Kind::MeterEntry(Box::new(v1::MeterEntry { counter_data: set, ..colours }));
    check(c.modify([set]).await, Code::InvalidArgument);
}

#[tokio::test]
async fn value_sets_are_replaced_as_a_whole() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    check(c.modify([value_set(&[&[0x81, 0], &[0x88, 0xa8]])]).await, Code::Ok);
    assert_eq!(c.read([value_set(&[])]).await.expect("read"), [value_set(&[&[0x81, 0], &[0x88, 0xa8]])]);
    check(c.modify([value_set(&[&[1], &[2], &[3]])]).await, Code::ResourceExhausted);
    check(c.modify([value_set(&[&[1], &[0, 1]])]).await, Code::AlreadyExists);
    check(c.modify([value_set(&[])]).await, Code::Ok);
    let all = Kind::ValueSetEntry(v1::ValueSetEntry::default());
    assert_eq!(c.read([all]).await.expect("read"), [value_set(&[])]);
}

#[tokio::test]
async fn digest_configurations_are_inserted_modified_and_deleted() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let c = &mut client;
    let digest = |max_list_size| {
        let config = Some(v1::digest_entry::Config { max_timeout_ns: 1, max_list_size, ack_timeout_ns: 2 });
        Kind::DigestEntry(v1::DigestEntry { digest_id: id::DIGEST, config })
    };
    check(c.modify([digest(1)]).await, Code::NotFound);
    check(c.delete([digest(1)]).await, Code::NotFound);
    check(c.insert([digest(-1)]).await, Code::InvalidArgument);
    check(c.insert([digest(1)]).await, Code::Ok);
    check(c.insert([digest(1)]).await, Code::AlreadyExists);
    check(c.modify([digest(5)]).await, Code::Ok);
    assert_eq!(c.read([Kind::DigestEntry(v1::DigestEntry::default())]).await.expect("read"), [digest(5)]);
    check(c.delete([digest(0)]).await, Code::Ok);
    assert_eq!(c.read([digest(0)]).await.expect("read"), []);
}

#[tokio::test]
async fn a_read_returns_all_entities_and_then_one_result_per_request() {
    let bench = Bench::start().await;
    let (client, _session) = bench.primary().await;
    let requests = [
        v1::Entity { entity: Some(register(id::PLAIN, at(0), None)) },
        v1::Entity { entity: None },
        v1::Entity { entity: Some(register(id::PLAIN, at(99), None)) },
        v1::Entity { entity: Some(counter(at(0), 0)) },
    ];
    let request = v1::ReadRequest {
        device_id: crate::common::DEVICE,
        entities: requests.to_vec(),
        ..Default::default()
    };
    let mut messages = client.grpc().read(request).await.expect("accepted").into_inner();
    let mut found = 0;
    let status = loop {
        match messages.message().await {
            Ok(Some(message)) => found += message.entities.len(),
            Ok(None) => panic!("a status was expected"),
            Err(status) => break status,
        }
    };
    assert_eq!((found, status.code()), (2, Code::Unknown));
    let codes: Vec<i32> = p4runtime::error::details_of(&status).iter().map(|e| e.canonical_code).collect();
    assert_eq!(codes, [0, Code::InvalidArgument as i32, Code::OutOfRange as i32, 0]);
}

#[tokio::test]
async fn externs_are_unimplemented() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let entry = Kind::ExternEntry(Box::new(v1::ExternEntry { extern_type_id: 0x81, ..Default::default() }));
    check(client.insert([entry.clone()]).await, Code::Unimplemented);
    assert_eq!(client.read([entry]).await.expect_err("none").code(), Some(Code::Unimplemented));
    assert_eq!(client.read([Kind::ExternEntry(Box::default())]).await.expect("none"), []);
}

/// The one extern beyond the specification: what the switch knows beside its program.
#[tokio::test]
async fn the_state_of_the_device_is_an_entity() {
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    bench.switch.with(|switch, now| switch.set_link(now, 2, false));
    let state = client.device_state().await.expect("it is offered").expect("it is offered");
    let ports: Vec<(u32, bool)> = state.ports.iter().map(|port| (port.port, port.is_up)).collect();
    assert_eq!(ports.iter().filter(|(_, is_up)| !is_up).collect::<Vec<_>>(), [&(2, false)]);
    assert_eq!(state.link_changes.len(), 1);
    assert!(state.ports.iter().all(|port| port.classes.len() == 8));
    // Together with other entities, and it cannot be written.
    let both = client.read([device_state::request(), Kind::ExternEntry(Box::default())]).await.expect("one");
    assert_eq!(both.iter().filter_map(device_state::of_entity).count(), 1);
    check(client.insert([device_state::request()]).await, Code::Unimplemented);
}
