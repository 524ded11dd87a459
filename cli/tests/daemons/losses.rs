//! Losses, outages and port samples of live switches: they reach the verdict and the dashboard over the daemons.

use model::FlowKey;
use model::wire::ethernet::Ethernet;
use model::wire::ipv4::Ipv4;
use model::wire::udp::Udp;
use model::wire::{ETHERTYPE_IPV4, Frame, bth};
use serde_json::Value;

use crate::network::{FLOW, Network, Switch, acknowledged, opened};
use crate::process::{Daemon, get, json, metric, wait_until};

/// The slow flow was slow for this long: longer than this test takes from the lost packet to the trigger.
const SLOW_NS: u64 = 60_000_000_000;

/// Returns a data packet of a flow.
fn packet(flow: &str) -> Frame {
    let flow: FlowKey = flow.parse().expect("a flow");
    let (std::net::IpAddr::V4(src), std::net::IpAddr::V4(dst)) = (flow.src, flow.dst) else {
        panic!("an IPv4 flow")
    };
    let payload = bth::Bth { opcode: bth::RC_SEND_ONLY, psn: 1, ..bth::Bth::default() }.to_bytes();
    let len = 8 + payload.len() as u16;
    let udp = Udp { sport: flow.sport, dport: flow.dport, len, checksum: 0 };
    let (dscp, ecn, id, fragment, ttl, proto) = (26, 0, 0, 0, 64, flow.proto);
    let ip = Ipv4 { dscp, ecn, total_len: 20 + len, id, fragment, ttl, proto, src, dst };
    let ethernet = Ethernet { dst: [2, 0, 0, 0, 0, 2], src: [2, 0, 0, 0, 0, 1], ethertype: ETHERTYPE_IPV4 };
    let mut frame = Frame::new(&ethernet.to_bytes(), 0);
    for part in [ip.to_bytes().to_vec(), udp.to_bytes().to_vec(), payload.to_vec()] {
        frame.head.extend_from_slice(&part);
    }
    frame
}

/// Makes the agent send a polling packet, which the test carries to the switch.
fn poll(agent: &mut Daemon, switch: &Switch) {
    agent.write(&opened(FLOW));
    agent.write(&acknowledged(FLOW, SLOW_NS));
    let poll = agent.line(r#"{"event":"#);
    switch.inject(&format!(r#"{{"event":{poll}"#));
}

/// Number of samples that the dashboard's page of a port has.
fn samples(rest: &str) -> usize {
    json(rest, "/api/v1/ports/s1:1/series")["samples"].as_array().map_or(0, Vec::len)
}

/// A switch without a route to the receiver: its program counts the packet, and the verdict names the switch.
#[test]
fn a_black_hole_of_a_live_switch_is_named() {
    let network = Network::new("black-hole");
    let plan = serde_json::json!({"static_routes": [{"switch": "s1", "host": "h2", "ports": []}]});
    std::fs::write(network.folder.join("plan.json"), plan.to_string()).expect("the folder exists");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &["--follow-up-wait-ms", "1"]);
    let switch = Switch::start();
    let (plan, switches) = (network.path("plan.json"), format!("s1={}/1", switch.address));
    let more = ["--plan", plan.as_str(), "--records-interval-ms", "50"];
    let (_controller, health) = network.controller_with("c1", &switches, &uploads, &more);
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the controller manages the switch", || get(&health, "/readyz") == "ready\n");
    wait_until("two daemons are connected", || metric(&rest, "harrier_daemons") == 2);
    // The controller knows the switch's clock to within the time of its fastest read: more reads than one, and some time
    // between the loss and the trigger, on a busy machine too.
    wait_until("the clock of the switch is known", || samples(&rest) >= 4);
    switch.send(&packet(FLOW));
    let before = samples(&rest);
    wait_until("time passes", || samples(&rest) >= before + 4);
    poll(&mut agent, &switch);
    let mut found = Value::Null;
    wait_until("the verdict names the switch", || {
        let all = json(&rest, "/api/v1/diagnoses");
        found = all["diagnoses"][0].clone();
        found["anomaly"] == "path_change"
    });
    assert_eq!(found["root_cause"]["port"], "s1:2", "{found:#}");
    assert!(found["summary"].as_str().is_some_and(|text| text.contains("no route")), "{found:#}");
    assert!(!found["missing"].to_string().contains("outages of its links"), "{found:#}");

    // The clock of the switch is known to within half of the time of a read, and the server says so.
    let error_ns = metric(&health, "harrier_switch_clock_error_nanoseconds");
    assert!((1..1_000_000_000).contains(&error_ns), "{error_ns} ns");
    let daemons = json(&rest, "/api/v1/daemons");
    let daemons = daemons["daemons"].as_array().expect("a list");
    let controller = daemons.iter().find(|daemon| daemon["kind"] == "controller").expect("it is connected");
    let clock = &controller["switch_clocks"][0];
    assert_eq!(clock["switch"], "s1", "{controller:#}");
    assert!(clock["error_ns"].as_u64().is_some_and(|error_ns| error_ns > 0), "{controller:#}");
    let id = found["id"].as_str().expect("an id");
    let snapshot = json(&rest, &format!("/api/v1/diagnoses/{id}/snapshot"));
    assert_eq!(snapshot["switches"][0]["clock_error_ns"], clock["error_ns"], "{snapshot:#}");
}

/// Without the records, the verdict says that they are missing.
#[test]
fn a_verdict_says_that_losses_are_not_known() {
    let network = Network::new("no-records");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let switch = Switch::start();
    let switches = format!("s1={}/1", switch.address);
    let more = ["--records-interval-ms", "0"];
    let (_controller, health) = network.controller_with("c1", &switches, &uploads, &more);
    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the controller manages the switch", || get(&health, "/readyz") == "ready\n");
    wait_until("two daemons are connected", || metric(&rest, "harrier_daemons") == 2);
    let (status, body) = crate::chain::query(&rest, &agent, &switch);
    assert!(status == 200 && body.contains("outages of its links are not known"), "{status} {body}");
}
