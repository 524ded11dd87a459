//! P4Runtime targets that a controller cannot use: it reports what they lack, leaves them alone, and goes on with the
//! others.

use std::time::Duration;

use p4runtime::client::{Client, ClientConfig};
use p4runtime::proto::p4::v1::get_forwarding_pipeline_config_request::ResponseType;
use proto::backoff::FIRST_MS;

use crate::chain::query;
use crate::foreign_target::{Answers, Target};
use crate::network::{Network, Switch, runtime};
use crate::process::{get, wait_until};
use crate::support::{fixture, harrier, repository};

/// What the second of two switches answers, and what the controller reports and does.
fn check(test: &str, answers: Answers, reason: &str, arbitrates: bool) {
    let network = Network::new(&format!("foreign-{test}")).with_second_switch();
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let (switch, target) = (Switch::start(), Target::start(answers));
    let switches = format!("s1={}/1,s2={}/1", switch.address, target.address);
    let (mut controller, health) = network.controller_of("c1", &switches, &uploads);

    let not_ready = format!("s2: {reason}");
    wait_until("the controller reports the target, and nothing else", || {
        let reasons = get(&health, "/readyz");
        reasons.contains(&not_ready) && !reasons.contains("s1")
    });
    let metrics = get(&health, "/metrics");
    assert!(metrics.contains(r#"harrier_switch_up{switch="s1"} 1"#), "{metrics}");
    assert!(metrics.contains(r#"harrier_switch_up{switch="s2"} 0"#), "{metrics}");
    let log = std::fs::read_to_string(network.log("c1")).expect("a log");
    let logged = log.lines().any(|line| line.contains("no session with the switch") && line.contains(reason));
    assert!(logged, "{log}");
    wait_until("the server reports the target", || get(&rest, "/readyz").contains(&not_ready));

    // The other switch is collected from.
    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the agent is connected", || get(&rest, "/api/v1/daemons").contains(r#""kind":"agent""#));
    let (status, body) = query(&rest, &agent, &switch);
    assert!(status == 200 && body.contains(r#""anomaly":null"#), "{status} {body}");

    // The delay after the nth attempt is at least half of its limit, which doubles: a slow machine only adds to it.
    wait_until("the target is tried again", || target.attempts().len() >= 5);
    let attempts = target.attempts();
    for (failed, pair) in attempts.windows(2).enumerate().take(4) {
        let least = Duration::from_millis((FIRST_MS << failed) / 2);
        assert!(pair[1] - pair[0] >= least, "attempt {failed}: {:?}", pair[1] - pair[0]);
    }
    let (arbitrations, writes) = target.touched();
    assert_eq!((arbitrations > 0, writes), (arbitrates, 0), "its tables are left alone");
    assert_eq!(controller.terminate(), Some(0));
}

#[test]
fn a_target_that_cannot_read_registers_is_refused() {
    let answers = Answers { version: Some("1.4.1"), has_fixed_program: false };
    let reason = "the target cannot read registers (Unimplemented: Register reads are not supported yet)";
    check("registers", answers, reason, true);
}

#[test]
fn a_target_with_an_older_version_is_refused_and_keeps_its_controller() {
    let answers = Answers { version: Some("1.3.0"), has_fixed_program: false };
    check("version", answers, "the target has P4Runtime `1.3.0`; the controller needs 1.4", false);
}

#[test]
fn a_target_without_a_version_is_refused_and_keeps_its_controller() {
    let answers = Answers { version: None, has_fixed_program: false };
    check("capabilities", answers, "the target does not report its P4Runtime version (Unimplemented", false);
}

#[test]
fn a_target_with_a_program_that_cannot_be_replaced_is_refused() {
    let answers = Answers { version: Some("1.5.0"), has_fixed_program: true };
    let reason =
        "the target runs another program and rejects that of the controller (InvalidArgument: the P4Info";
    check("program", answers, reason, true);
}

/// A target with a compiler of its own: the controller sends what that wrote, and decodes telemetry by its P4Info.
#[test]
fn a_compiled_program_is_sent_as_it_is() {
    let network = Network::new("compiled-program");
    let (config, info) = (network.path("hawkeye.bin"), network.path("hawkeye.txtpb"));
    let source = repository("p4/hawkeye/hawkeye.p4").display().to_string();
    // Not the sources that the controller would send.
    let flags = ["-o", &config, "--p4info", &info, "-D", "FLOW_SLOT_BITS=6"];
    let compiled = harrier(&[&["p4", "compile", &source], flags.as_slice()].concat());
    assert_eq!(compiled.status, 0, "{}", compiled.stderr);
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let switch = Switch::start();
    let more = ["--device-config", config.as_str(), "--p4info", info.as_str()];
    let (_controller, health) =
        network.controller_with("c1", &format!("s1={}/1", switch.address), &uploads, &more);
    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the controller manages the switch", || get(&health, "/readyz") == "ready\n");
    wait_until("the agent is connected", || get(&rest, "/api/v1/daemons").contains(r#""kind":"agent""#));

    let stored = runtime().block_on(async {
        let endpoint = format!("http://{}", switch.address);
        let mut client = Client::connect(&endpoint, ClientConfig::new(1)).await.expect("it listens");
        client.pipeline(ResponseType::All).await.expect("it replies").expect("a program")
    });
    assert_eq!(stored.p4_device_config, std::fs::read(&config).expect("it was written"));
    let (status, body) = query(&rest, &agent, &switch);
    assert!(status == 200 && body.contains(r#""anomaly":null"#), "{status} {body}");
}

#[test]
fn a_program_without_telemetry_is_refused_before_a_switch_is_touched() {
    let network = Network::new("other-program");
    let (config, info) = (network.path("wire.bin"), network.path("wire.txtpb"));
    let source = fixture("switch/wire.p4").display().to_string();
    let compiled = harrier(&["p4", "compile", &source, "-o", &config, "--p4info", &info]);
    assert_eq!(compiled.status, 0, "{}", compiled.stderr);
    let file = network.path("controller.toml");
    let text = "topology = \"topology.json\"\nswitches = [\"s1=127.0.0.1:9/1\"]\nspool = \"spool\"\n\
        device_config = \"wire.bin\"\np4info = \"wire.txtpb\"\n";
    std::fs::write(&file, text).expect("the folder exists");
    let ran = harrier(&["controller", "--config", &file]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("{file}:5:1: p4info: ")), "{}", ran.stderr);
}
