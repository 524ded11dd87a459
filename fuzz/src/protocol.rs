//! The P4Runtime server: arbitrary messages of a primary client over a real connection.
//!
//! An input is a list of records: a kind, a length, and the bytes of a message. Messages are decoded, redirected to
//! the device and to existing objects (a fuzzer is unlikely to guess the id of a table), and sent. Afterwards the
//! server must still respond.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::Cancel;
use p4_switch::tm::TmConfig;
use p4_switch::{Switch, SwitchConfig};
use p4runtime::client::{Client, ClientConfig, Session};
use p4runtime::device_config::SourceBundle;
use p4runtime::p4info;
use p4runtime::proto::p4::v1::{self, entity::Entity as Kind, update::Type};
use p4runtime::server::{ImmediateSwitch, Server, ServerConfig, ServerHandle, event_channel};
use prost::Message;
use tokio::runtime::Runtime;

use crate::programs;

const DEVICE: u64 = 1;
/// Maximum number of records of one input.
const RECORDS: usize = 16;

struct TestServer {
    runtime: Runtime,
    switch: Arc<ImmediateSwitch>,
    client: Client,
    _session: Session,
    _server: ServerHandle,
    bundle: Vec<u8>,
    info: p4runtime::proto::p4::config::v1::P4Info,
    /// Ids of all objects of the program.
    ids: Vec<u32>,
}

/// Returns the program with the most objects, for a large control plane.
fn bundle() -> (SourceBundle, Arc<p4_lang::ir::Program>) {
    #![allow(
        clippy::disallowed_methods,
        reason = "a fuzz driver reads the repository's programs from its files"
    )]
    let largest = programs::all().iter().max_by_key(|loaded| {
        let p = &loaded.program;
        let kinds = [p.tables.len(), p.registers.len(), p.counters.len(), p.meters.len(), p.digests.len()];
        (kinds.iter().filter(|n| **n > 0).count(), kinds.iter().sum::<usize>())
    });
    let loaded = largest.expect("there is a program");
    let folder = loaded.path.parent().expect("a file is in a folder");
    let name = |path: &std::path::Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let files = programs::files().into_iter().filter(|path| path.parent() == Some(folder));
    let files: BTreeMap<String, String> =
        files.filter_map(|path| Some((name(&path), std::fs::read_to_string(&path).ok()?))).collect();
    (SourceBundle { main: name(&loaded.path), files }, loaded.program.clone())
}

impl TestServer {
    fn start() -> TestServer {
        let runtime = Runtime::new().expect("the runtime starts");
        let (bundle, program) = bundle();
        let info = p4info::from_program(&program);
        let ids = ids(&info);
        let encoded = bundle.encode();
        let (switch, server, client, session) = runtime.block_on(async {
            let tm = TmConfig::lossy((1..=8).map(|port| (port, Rate::from_gbps(100))), 1 << 20);
            let mut config = ServerConfig::new(DEVICE, SwitchConfig::new(tm));
            config.switch.limits.array_bytes = 1 << 26;
            // Every input starts with the same program, which is compiled only once.
            let good = bundle.clone();
            config.compile = Arc::new(move |sources: &SourceBundle, _: &Cancel| match *sources == good {
                true => Ok((*program).clone()),
                false => p4runtime::device_config::compile(sources),
            });
            let (sink, events) = event_channel(config.limits.event_queue);
            let switch =
                ImmediateSwitch::new(Switch::new(config.switch.clone()), || Time::ZERO, sink, |_, _| {});
            let switch = Arc::new(switch);
            let address = "127.0.0.1:0".parse().expect("an address");
            let server =
                Server::new(switch.clone(), config, events).spawn(address).await.expect("a free port");
            // The highest election id, so that no generated message takes over.
            let settings = ClientConfig { election_id: u128::MAX, ..ClientConfig::new(DEVICE) };
            let mut client = Client::connect(&server.endpoint(), settings).await.expect("the server listens");
            let session = client.become_primary().await.expect("no other client is connected");
            (switch, server, client, session)
        });
        TestServer { runtime, switch, client, _session: session, _server: server, bundle: encoded, info, ids }
    }

    async fn reset(&self) {
        let mut client = self.client.clone();
        let set = client.set_pipeline(self.info.clone(), self.bundle.clone(), 1).await;
        set.expect("the server accepts a valid pipeline after any input");
    }

    /// Decodes and sends one record. Errors are valid responses; only a missing response is a failure.
    async fn send(&self, kind: u8, pick: u8, bytes: &[u8]) {
        let mut grpc = self.client.grpc();
        let election_id = Some(v1::Uint128 { high: u64::MAX, low: u64::MAX });
        match kind % 6 {
            0 | 1 => {
                let Ok(mut request) = v1::WriteRequest::decode(bytes) else { return };
                request.device_id = DEVICE;
                request.election_id = election_id;
                request.updates.truncate(64);
                let entities = request.updates.iter_mut().filter_map(|u| u.entity.as_mut());
                entities.zip(0..).for_each(|(entity, n)| self.redirect(entity, pick.wrapping_add(n)));
                let _ = grpc.write(request).await;
            }
            2 => {
                let Ok(mut request) = v1::ReadRequest::decode(bytes) else { return };
                request.device_id = DEVICE;
                request.entities.truncate(64);
                request
                    .entities
                    .iter_mut()
                    .zip(0..)
                    .for_each(|(e, n)| self.redirect(e, pick.wrapping_add(n)));
                if let Ok(stream) = grpc.read(request).await {
                    let mut stream = stream.into_inner();
                    while let Ok(Some(_)) = stream.message().await {}
                }
            }
            3 => {
                let Ok(mut request) = v1::SetForwardingPipelineConfigRequest::decode(bytes) else { return };
                request.device_id = DEVICE;
                request.election_id = election_id;
                let _ = grpc.set_forwarding_pipeline_config(request).await;
            }
            4 => {
                let messages = v1::StreamMessageRequest::decode(bytes).into_iter();
                if let Ok(stream) = grpc.stream_channel(tokio_stream::iter(messages)).await {
                    let mut stream = stream.into_inner();
                    while let Ok(Some(_)) = stream.message().await {}
                }
            }
            _ => self.switch.receive(u16::from(pick % 10), Frame::new(bytes, 0)),
        }
    }

    /// Redirects three of four entities to an existing object.
    fn redirect(&self, entity: &mut v1::Entity, pick: u8) {
        let Some(&id) = self.ids.get(usize::from(pick) % self.ids.len().max(1)) else { return };
        if pick % 4 == 3 {
            return;
        }
        match &mut entity.entity {
            Some(Kind::TableEntry(e)) => e.table_id = id,
            Some(Kind::RegisterEntry(e)) => e.register_id = id,
            Some(Kind::CounterEntry(e)) => e.counter_id = id,
            Some(Kind::MeterEntry(e)) => e.meter_id = id,
            Some(Kind::DigestEntry(e)) => e.digest_id = id,
            Some(Kind::ValueSetEntry(e)) => e.value_set_id = id,
            Some(Kind::ActionProfileMember(e)) => e.action_profile_id = id,
            Some(Kind::ActionProfileGroup(e)) => e.action_profile_id = id,
            Some(Kind::DirectCounterEntry(e)) => e.table_entry.get_or_insert_default().table_id = id,
            Some(Kind::DirectMeterEntry(e)) => e.table_entry.get_or_insert_default().table_id = id,
            Some(Kind::PacketReplicationEngineEntry(_) | Kind::ExternEntry(_)) | None => {}
        }
    }
}

fn ids(info: &p4runtime::proto::p4::config::v1::P4Info) -> Vec<u32> {
    let tables = info.tables.iter().map(|o| o.preamble.as_ref());
    let all = tables
        .chain(info.registers.iter().map(|o| o.preamble.as_ref()))
        .chain(info.counters.iter().map(|o| o.preamble.as_ref()))
        .chain(info.meters.iter().map(|o| o.preamble.as_ref()))
        .chain(info.digests.iter().map(|o| o.preamble.as_ref()))
        .chain(info.value_sets.iter().map(|o| o.preamble.as_ref()))
        .chain(info.action_profiles.iter().map(|o| o.preamble.as_ref()))
        .chain(info.actions.iter().map(|o| o.preamble.as_ref()));
    all.flatten().map(|preamble| preamble.id).collect()
}

fn test_server() -> &'static Mutex<TestServer> {
    static SERVER: OnceLock<Mutex<TestServer>> = OnceLock::new();
    SERVER.get_or_init(|| Mutex::new(TestServer::start()))
}

pub(crate) fn run(bytes: &[u8]) {
    let test_server = test_server().lock().unwrap_or_else(PoisonError::into_inner);
    test_server.runtime.block_on(async {
        test_server.reset().await;
        let mut rest = bytes;
        for _ in 0..RECORDS {
            let [kind, pick, high, low, tail @ ..] = rest else { break };
            let len = usize::from(u16::from_be_bytes([*high, *low])).min(tail.len());
            let (message, next) = tail.split_at(len);
            test_server.send(*kind, *pick, message).await;
            rest = next;
        }
        let mut client = test_server.client.grpc();
        let alive = client.capabilities(v1::CapabilitiesRequest { device_id: DEVICE }).await;
        alive.expect("the server responds after any input");
    });
}

/// Seeds: one record of each kind with valid messages, such as an entry of every table or every register.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let (_, program) = bundle();
    let info = p4info::from_program(&program);
    let mut seeds = Vec::new();
    for kind in entities(&info) {
        let entity = v1::Entity { entity: Some(kind) };
        for update in [Type::Insert, Type::Modify, Type::Delete] {
            let update = v1::Update { r#type: update as i32, entity: Some(entity.clone()) };
            let write = v1::WriteRequest { updates: vec![update], ..Default::default() };
            seeds.push(record(0, 3, &write.encode_to_vec()));
        }
        let read = v1::ReadRequest { entities: vec![entity], ..Default::default() };
        seeds.push(record(2, 3, &read.encode_to_vec()));
    }
    let text = "#include <v1model.p4>\nheader h { bit<8> x; }";
    let config = v1::ForwardingPipelineConfig {
        p4_device_config: SourceBundle::single("main.p4", text).encode(),
        p4info: Some(info),
        cookie: None,
    };
    for action in 1..=5 {
        let set = v1::SetForwardingPipelineConfigRequest {
            action,
            config: Some(config.clone()),
            ..Default::default()
        };
        seeds.push(record(3, 0, &set.encode_to_vec()));
    }
    let arbitration = v1::MasterArbitrationUpdate {
        device_id: DEVICE,
        election_id: Some(v1::Uint128 { high: 0, low: 9 }),
        ..Default::default()
    };
    let update = Some(v1::stream_message_request::Update::Arbitration(arbitration));
    seeds.push(record(4, 0, &v1::StreamMessageRequest { update }.encode_to_vec()));
    seeds.push(record(5, 1, &[0; 64]));
    seeds
}

fn record(kind: u8, pick: u8, message: &[u8]) -> Vec<u8> {
    let mut out = vec![kind, pick];
    out.extend((message.len() as u16).to_be_bytes());
    out.extend(message);
    out
}

fn entities(info: &p4runtime::proto::p4::config::v1::P4Info) -> Vec<Kind> {
    use v1::field_match::{Exact, FieldMatchType, Lpm};
    let id = |preamble: &Option<p4runtime::proto::p4::config::v1::Preamble>| {
        preamble.as_ref().map_or(0, |preamble| preamble.id)
    };
    let mut all = Vec::new();
    for table in &info.tables {
        let action_id = table.action_refs.first().map_or(0, |action| action.id);
        let fields = table.match_fields.iter().map(|field| {
            let value = vec![1];
            let kind = match field.bitwidth {
                32 => FieldMatchType::Lpm(Lpm { value, prefix_len: 32 }),
                _ => FieldMatchType::Exact(Exact { value }),
            };
            v1::FieldMatch { field_id: field.id, field_match_type: Some(kind) }
        });
        let action =
            v1::Action { action_id, params: vec![v1::action::Param { param_id: 1, value: vec![1] }] };
        let action = Some(v1::TableAction { r#type: Some(v1::table_action::Type::Action(action)) });
        let table_id = id(&table.preamble);
        let entry = v1::TableEntry { table_id, r#match: fields.collect(), action, ..Default::default() };
        all.push(Kind::TableEntry(Box::new(entry)));
    }
    for register in &info.registers {
        let data = Some(v1::P4Data { data: Some(v1::p4_data::Data::Bitstring(vec![1])) });
        let index = Some(v1::Index { index: 0 });
        all.push(Kind::RegisterEntry(v1::RegisterEntry { register_id: id(&register.preamble), index, data }));
    }
    for digest in &info.digests {
        let config =
            Some(v1::digest_entry::Config { max_timeout_ns: 1, max_list_size: 1, ack_timeout_ns: 1 });
        all.push(Kind::DigestEntry(v1::DigestEntry { digest_id: id(&digest.preamble), config }));
    }
    all.extend([
        Kind::CounterEntry(v1::CounterEntry::default()),
        Kind::MeterEntry(Box::default()),
        Kind::ValueSetEntry(v1::ValueSetEntry::default()),
        Kind::ActionProfileMember(Box::default()),
        Kind::ActionProfileGroup(Box::default()),
        Kind::DirectCounterEntry(Box::default()),
        Kind::DirectMeterEntry(Box::default()),
        Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry::default()),
    ]);
    all
}
