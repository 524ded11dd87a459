//! Programs that a controller sets on a switch: none keeps the switch busy for ever, and SIGTERM always ends it.

use p4runtime::client::{Client, ClientConfig, ClientError, Session};
use p4runtime::p4info;
use p4runtime::proto::p4::config::v1::P4Info;

use crate::network::runtime;
use crate::process::Daemon;

/// 38 bytes: a file that includes itself twice, to any depth.
const INCLUSIONS: &str = "#include \"main.p4\"\n#include \"main.p4\"\n";

/// Returns a program that takes the compiler several seconds: `depth` functions that call the previous one twice.
fn slow_program(depth: usize) -> String {
    let doubling = |i: usize| format!("bit<8> f{i}(in bit<8> x) {{ return f{0}(x) + f{0}(x); }}\n", i - 1);
    let functions: String = (1..depth).map(doubling).collect();
    format!(
        "#include <v1model.p4>
        struct headers_t {{ }}
        struct meta_t {{ bit<8> x; }}
        bit<8> f0(in bit<8> x) {{ return x + 1; }}
        {functions}
        parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{
            state start {{ transition accept; }}
        }}
        control C(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
        control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{
            apply {{ m.x = f{0}(m.x); }}
        }}
        control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
        control D(packet_out p, in headers_t h) {{ apply {{ }} }}
        V1Switch(P(), C(), I(), E(), C(), D()) main;",
        depth - 1
    )
}

async fn primary(address: &str, election_id: u128) -> (Client, Session) {
    let config = ClientConfig { election_id, ..ClientConfig::new(1) };
    let mut client = Client::connect(&format!("http://{address}"), config).await.expect("it listens");
    let session = client.become_primary().await.expect("it has the highest election id");
    (client, session)
}

async fn set(client: &mut Client, text: &str, info: P4Info) -> Result<(), ClientError> {
    client.set_pipeline(info, text.as_bytes().to_vec(), 1).await
}

#[test]
fn a_program_of_endless_inclusions_stops_neither_controllers_nor_the_end_of_the_switch() {
    let arguments = ["switch", "--no-program", "--listen", "127.0.0.1:0", "--ports", "2"];
    let mut switch = Daemon::start(&arguments);
    let address = switch.line("listening on ");
    runtime().block_on(async {
        let (mut first, _session) = primary(&address, 1).await;
        let refused = set(&mut first, INCLUSIONS, P4Info::default()).await.expect_err("it is refused");
        assert!(refused.to_string().contains("E0004"), "{refused}");
        let (mut second, _session) = primary(&address, 2).await;
        let text = "#include <v1model.p4>\n".to_owned() + &slow_program(2);
        let program = p4runtime::device_config::SourceBundle::single("main.p4", text.clone());
        let program = p4runtime::device_config::compile(&program).expect("it compiles");
        set(&mut second, &text, p4info::from_program(&program)).await.expect("the pipeline is good");
    });
    assert_eq!(switch.terminate(), Some(0));
}

#[test]
fn a_compilation_neither_delays_the_next_controller_nor_the_end_of_the_switch() {
    let arguments = ["switch", "--no-program", "--listen", "127.0.0.1:0", "--ports", "2"];
    let mut switch = Daemon::start(&arguments);
    let address = switch.line("listening on ");
    let runtime = runtime();
    runtime.block_on(async {
        let (mut first, _session) = primary(&address, 1).await;
        tokio::spawn(async move { set(&mut first, &slow_program(17), P4Info::default()).await });
        let (_second, _session) = primary(&address, 2).await;
    });
    assert_eq!(switch.terminate(), Some(0));
}
