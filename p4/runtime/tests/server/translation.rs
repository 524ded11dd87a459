//! Types translated to strings, end to end through the front end.

use crate::common::Bench;
use p4runtime::device_config::{SourceBundle, compile, compile_until};
use p4runtime::p4info;
use p4runtime::proto::p4::v1::{
    self, entity::Entity as Kind, field_match as m, field_match::FieldMatchType as F,
};
use std::sync::Arc;

const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
@p4runtime_translation("test/port", string)
type bit<9> port_t;
header h_t { bit<8> x; }
struct headers_t { h_t h; }
struct meta_t { port_t port; }
parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); m.port = (port_t) s.ingress_port; transition accept; }
}
control V(inout headers_t hdr, inout meta_t m) { apply { } }
control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
    action forward(port_t port) { s.egress_spec = (bit<9>) port; }
    table ports {
        key = { m.port: exact; }
        actions = { forward; NoAction; }
        default_action = NoAction();
    }
    apply { ports.apply(); }
}
control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
control C(inout headers_t hdr, inout meta_t m) { apply { } }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

#[tokio::test]
async fn strings_are_read_back_and_decimal_names_are_port_numbers() {
    let bench = Bench::with(|config| config.compile = Arc::new(compile_until)).await;
    let bundle = SourceBundle::single("main.p4", PROGRAM);
    let info = p4info::from_program(&compile(&bundle).expect("the program is good"));
    let mut client = bench.client(1).await;
    let _session = client.become_primary().await.expect("no other controller is connected");
    client.set_pipeline(info.clone(), bundle.encode(), 1).await.expect("the pipeline is good");
    let (table_id, action_id) = (
        info.tables[0].preamble.as_ref().expect("it has one").id,
        info.actions
            .iter()
            .find_map(|a| a.preamble.as_ref().filter(|p| p.alias == "forward"))
            .expect("it is")
            .id,
    );
    let entry = |from: &str, to: &str| {
        let exact = F::Exact(m::Exact { value: from.as_bytes().to_vec() });
        let params = vec![v1::action::Param { param_id: 1, value: to.as_bytes().to_vec() }];
        let action = v1::Action { action_id, params };
        Kind::TableEntry(Box::new(v1::TableEntry {
            table_id,
            r#match: vec![v1::FieldMatch { field_id: 1, field_match_type: Some(exact) }],
            action: Some(v1::TableAction { r#type: Some(v1::table_action::Type::Action(action)) }),
            ..Default::default()
        }))
    };
    client.insert([entry("1", "2"), entry("Ethernet4", "uplink")]).await.expect("both are names");
    let found = client.read([Kind::TableEntry(Box::default())]).await.expect("read");
    for written in [entry("1", "2"), entry("Ethernet4", "uplink")] {
        assert!(found.contains(&written), "{written:?} is not in {found:?}");
    }
    bench.receive(1, &[7; 20]);
    assert_eq!(bench.sent.lock().expect("no thread panicked")[0].0, 2, "port 1 goes to port 2");
    client.delete([entry("Ethernet4", "uplink")]).await.expect("the name is the same as before");
}
