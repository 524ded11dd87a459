//! Programs in the JSON format of the reference switch: a controller that p4c's files for it were made for sets them
//! with the P4Info of the source.

use crate::common::Bench;
use p4runtime::client::Client;
use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::p4info;
use p4runtime::proto::p4::config::v1::P4Info;
use p4runtime::proto::p4::v1::{self, entity::Entity, set_forwarding_pipeline_config_request::Action};
use tonic::Code;

const JSON: &str = include_str!("../../../switch/tests/bmv2/arms.json");
const SOURCE: &str = include_str!("../../../switch/tests/bmv2/arms.p4");

/// The P4Info of the source, which the JSON was translated from.
fn info() -> P4Info {
    p4info::from_program(&compile(&SourceBundle::single("arms.p4", SOURCE)).expect("the program is good"))
}

/// Returns the id of an object.
fn id(info: &P4Info, name: &str) -> u32 {
    let preambles = info.tables.iter().map(|t| &t.preamble).chain(info.actions.iter().map(|a| &a.preamble));
    preambles.flatten().find(|p| p.name == name).expect("it is declared").id
}

/// A route of `10.0.0.0/8`.
fn route(info: &P4Info, port: u8) -> Entity {
    use v1::field_match::{FieldMatchType, Lpm};
    let lpm = FieldMatchType::Lpm(Lpm { value: vec![10, 0, 0, 0], prefix_len: 8 });
    let param = |param_id, value| v1::action::Param { param_id, value: vec![value] };
    let action = v1::Action { action_id: id(info, "I.route"), params: vec![param(1, port), param(2, 1)] };
    let entry = v1::TableEntry {
        table_id: id(info, "I.routes"),
        r#match: vec![v1::FieldMatch { field_id: 1, field_match_type: Some(lpm) }],
        action: Some(v1::TableAction { r#type: Some(v1::table_action::Type::Action(action)) }),
        ..Default::default()
    };
    Entity::TableEntry(Box::new(entry))
}

/// Sets the JSON in the given form and checks that entries work.
async fn check(device_config: Vec<u8>) {
    let bench = Bench::start().await;
    let mut client: Client = bench.client(1).await;
    let _session = client.become_primary().await.expect("no other controller is connected");
    let info = info();
    client.set_pipeline(info.clone(), device_config, 1).await.expect("the pipeline is good");
    client.insert([route(&info, 3)]).await.expect("a route");
    let all = v1::TableEntry { table_id: id(&info, "I.routes"), ..Default::default() };
    let all = Entity::TableEntry(Box::new(all));
    assert_eq!(client.read([all]).await.expect("read"), [route(&info, 3)]);
    // Kind 2 and a flag: an IP header follows.
    bench.receive(1, &[2, 0x80, 0, 5, 0x45, 9, 0, 0, 10, 1, 2, 3, 0, 0xee]);
    let sent = bench.sent.lock().expect("no test panics while it holds this").clone();
    assert_eq!(sent.iter().map(|(port, _)| *port).collect::<Vec<_>>(), [3]);
}

#[tokio::test]
async fn json_is_set_with_the_p4info_of_its_source() {
    check(JSON.as_bytes().to_vec()).await;
}

#[tokio::test]
async fn json_in_the_message_of_the_reference_switch_is_set() {
    // Fields 1 (`reassign`) and 3 (`device_data`, with its length in 3 groups of 7 bits).
    let length = JSON.len();
    let groups = [(length & 0x7f | 0x80) as u8, (length >> 7 & 0x7f | 0x80) as u8, (length >> 14) as u8];
    let mut message = vec![0x08, 0x01, 0x1a];
    message.extend(groups);
    message.extend(JSON.as_bytes());
    check(message).await;
}

#[tokio::test]
async fn json_and_p4info_must_agree() {
    let bench = Bench::start().await;
    let mut client = bench.client(1).await;
    let _session = client.become_primary().await.expect("no other controller is connected");
    let mut rejected = async |info: P4Info, json: &str, words: &str| {
        let error = client.set_pipeline(info, json.as_bytes().to_vec(), 1).await.expect_err(words);
        assert_eq!(error.code(), Some(Code::InvalidArgument));
        assert!(error.to_string().contains(words), "{error}");
    };
    let mut wider = info();
    let routes = wider.tables.iter_mut().find(|t| t.preamble.as_ref().is_some_and(|p| p.name == "I.routes"));
    routes.expect("the table").match_fields[0].bitwidth = 33;
    rejected(wider, JSON, "match field 1 is (32").await;
    let mut more = info();
    let mut other = more.registers[0].clone();
    other.preamble.as_mut().expect("a preamble").id += 1;
    other.preamble.as_mut().expect("a preamble").name = "I.unseen".into();
    more.registers.push(other);
    rejected(more, JSON, "I.unseen").await;
    // Without a P4Info, the controller sees no objects, and none is missing.
    let bare = v1::ForwardingPipelineConfig { p4_device_config: JSON.into(), ..Default::default() };
    client.pipeline_action(Action::Verify, Some(bare)).await.expect("no object");
    let mut rejected = async |info: P4Info, json: &str, words: &str| {
        let error = client.set_pipeline(info, json.as_bytes().to_vec(), 1).await.expect_err(words);
        assert!(error.to_string().contains(words), "{error}");
    };
    let broken = JSON.replace("\"mark_to_drop\"", "\"mark_to_keep\"");
    rejected(info(), &broken, "unknown primitive `mark_to_keep`").await;
}

/// Compares programs of p4lang/behavioral-model with the P4Infos next to them, and prints what differs.
#[test]
#[allow(clippy::disallowed_methods, reason = "a test reads programs, and where to find them")]
fn programs_of_the_reference_switch_agree_with_their_p4info() {
    let Ok(folder) = std::env::var("BMV2_JSON") else {
        eprintln!("skipped: BMV2_JSON is not set to a folder with JSON programs of the reference switch");
        return;
    };
    let mut folders = vec![std::path::PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let described = path.with_extension("proto.txt");
            if path.extension().is_none_or(|e| e != "json") || !described.exists() {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a readable file");
            let info = std::fs::read_to_string(&described).expect("a readable file");
            let info = p4info::from_text(&info).expect("a P4Info");
            let read = p4runtime::device_config::read_json(&path.display().to_string(), &text, Some(&info));
            match read {
                Ok(program) => {
                    let differences = p4info::differences(&p4info::from_program(&program), &info);
                    eprintln!("{}: {differences:?}", path.display());
                }
                Err(message) => eprintln!("{}: {message}", path.display()),
            }
        }
    }
}
