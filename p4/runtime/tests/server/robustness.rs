//! Arbitrary requests get a response and do not stop the server.

use crate::common::program::id;
use crate::common::{Bench, DEVICE};
use crate::entities::*;
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use prost::Message;
use tonic::Code;

/// Number of requests of a run.
const REQUESTS: usize = 400;

/// Identifiers: those of the program, and others.
fn ids() -> impl Strategy<Value = u32> {
    let known = [
        id::L2,
        id::ROUTES,
        id::ACL,
        id::GROUPS,
        id::FIXED,
        id::KEYLESS,
        id::FORWARD,
        id::TPIDS,
        id::SELECTOR,
        id::COUNTER,
        id::METER,
        id::PLAIN,
        id::PAIR,
        id::DIGEST,
        0,
        1,
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()), 1 => any::<u32>()]
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..8)
}

fn field() -> impl Strategy<Value = v1::FieldMatch> {
    prop_oneof![
        (0u32..4, value()).prop_map(|(id, v)| exact(id, &v)),
        (0u32..4, value(), -2i32..60).prop_map(|(id, v, length)| lpm(id, &v, length)),
        (0u32..4, value(), value()).prop_map(|(id, v, mask)| ternary(id, &v, &mask)),
        (0u32..4, value(), value()).prop_map(|(id, low, high)| range(id, &low, &high)),
        (0u32..4, value()).prop_map(|(id, v)| optional(id, &v)),
    ]
}

fn entity() -> impl Strategy<Value = Kind> {
    let index = || prop::option::of(-2i64..20).prop_map(|index| index.map(|index| v1::Index { index }));
    let entry =
        (ids(), prop::collection::vec(field(), 0..4), ids(), value(), -1i32..3, any::<(bool, bool)>());
    let entry =
        entry.prop_map(|(table_id, fields, action, param, priority, (is_default_action, counted))| {
            table(v1::TableEntry {
                table_id,
                r#match: fields,
                action: runs(call(action, &[&param])),
                priority,
                is_default_action,
                counter_data: counted.then(v1::CounterData::default),
                ..Default::default()
            })
        });
    prop_oneof![
        entry,
        (ids(), index(), value()).prop_map(|(id, index, v)| register(id, index, bits(&v))),
        (ids(), 0u32..4, any::<u8>()).prop_map(|(profile, id, port)| member(profile, id, port)),
        (0u32..4, -1i32..6, 0u32..4, -1i32..4).prop_map(|(id, size, m, weight)| group(
            id,
            size,
            &[(m, weight)]
        )),
        (ids(), index(), any::<i64>()).prop_map(|(counter_id, index, count)| {
            let data = Some(v1::CounterData { byte_count: count, packet_count: count });
            Kind::CounterEntry(v1::CounterEntry { counter_id, index, data })
        }),
        (ids(), index(), any::<i64>(), any::<i64>()).prop_map(|(meter_id, index, cir, pir)| {
            let config = Some(v1::MeterConfig { cir, pir, ..Default::default() });
            Kind::MeterEntry(Box::new(v1::MeterEntry { meter_id, index, config, counter_data: None }))
        }),
        (ids(), any::<i64>(), any::<i32>()).prop_map(|(digest_id, time, size)| {
            let config =
                v1::digest_entry::Config { max_timeout_ns: time, max_list_size: size, ack_timeout_ns: time };
            Kind::DigestEntry(v1::DigestEntry { digest_id, config: Some(config) })
        }),
        // Arbitrary bytes that happen to be an entity.
        prop::collection::vec(any::<u8>(), 0..60).prop_map(|bytes| {
            let decoded = v1::Entity::decode(bytes.as_slice()).ok().and_then(|entity| entity.entity);
            decoded.unwrap_or_else(|| Kind::PacketReplicationEngineEntry(Default::default()))
        }),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn random_requests_get_a_response() {
    let bench = Bench::start().await;
    let (mut client, session) = bench.primary().await;
    let mut runner = TestRunner::new(Config::default());
    let updates = prop::collection::vec((0i32..5, entity()), 1..6);
    for _ in 0..REQUESTS {
        let batch = updates.new_tree(&mut runner).expect("a strategy without filters").current();
        let entities: Vec<Kind> = batch.iter().map(|(_, entity)| entity.clone()).collect();
        let atomicity = batch.len() as i32 % 4;
        let updates = batch
            .into_iter()
            .map(|(r#type, entity)| v1::Update { r#type, entity: Some(v1::Entity { entity: Some(entity) }) })
            .collect();
        let request = v1::WriteRequest {
            device_id: DEVICE,
            election_id: Some(v1::Uint128 { high: 0, low: 1 }),
            updates,
            atomicity,
            ..Default::default()
        };
        let written = client.grpc().write(request.clone()).await.map_or_else(|s| s.code(), |_| Code::Ok);
        let fine = [Code::Ok, Code::Unknown, Code::InvalidArgument].contains(&written);
        assert!(fine, "{written:?} {request:?}");
        if let Err(error) = client.read(entities.clone()).await {
            assert!(error.code() != Some(Code::Internal), "{error} {entities:?}");
        }
    }
    let packet = v1::PacketOut { payload: vec![1; 64], metadata: vec![v1::PacketMetadata::default(); 3] };
    session.sender().packet_out(packet).await.expect("the stream has stayed");
    client.insert([table(l2(&[0x77; 6], 1))]).await.expect("and so has the server");
}

/// Sends frames with content that is not a valid message.
#[tokio::test]
async fn malformed_bytes_are_rejected() {
    use tonic::codec::{Codec, EncodeBuf, Encoder};
    struct Raw;
    impl Encoder for Raw {
        type Item = Vec<u8>;
        type Error = tonic::Status;
        fn encode(&mut self, item: Vec<u8>, into: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
            bytes::BufMut::put_slice(into, &item);
            Ok(())
        }
    }
    impl Codec for Raw {
        type Encode = Vec<u8>;
        type Decode = v1::WriteResponse;
        type Encoder = Raw;
        type Decoder = <tonic_prost::ProstCodec<v1::WriteRequest, v1::WriteResponse> as Codec>::Decoder;
        fn encoder(&mut self) -> Raw {
            Raw
        }
        fn decoder(&mut self) -> Self::Decoder {
            tonic_prost::ProstCodec::<v1::WriteRequest, v1::WriteResponse>::default().decoder()
        }
    }
    let bench = Bench::start().await;
    let (mut client, _session) = bench.primary().await;
    let endpoint = tonic::transport::Endpoint::from_shared(bench.handle.endpoint()).expect("an endpoint");
    let mut grpc = tonic::client::Grpc::new(endpoint.connect().await.expect("the server listens"));
    for method in ["Write", "SetForwardingPipelineConfig", "GetForwardingPipelineConfig", "Capabilities"] {
        grpc.ready().await.expect("connected");
        let path = format!("/p4.v1.P4Runtime/{method}").parse().expect("a path");
        let request = tonic::Request::new(vec![0xff; 7]);
        let status = grpc.unary::<_, v1::WriteResponse, _>(request, path, Raw).await.expect_err("no message");
        assert_eq!(status.code(), Code::Internal, "{method}: {status}");
    }
    client.insert([table(l2(&[1], 1))]).await.expect("the server has stayed");
}
