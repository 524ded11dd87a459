//! The whole chain: an operator's query goes to the agent, its polling packet to the switch, the telemetry through the
//! controller to the server, and the answer back to the operator.

use crate::network::{FLOW, Network, Switch};
use crate::process::{Daemon, get, json, request, wait_until};

/// Asks the server about the flow; the test carries the polling packet from the agent to the switch.
pub(crate) fn query(rest: &str, agent: &Daemon, switch: &Switch) -> (u16, String) {
    let address = rest.to_string();
    let body = serde_json::json!({ "victim": FLOW }).to_string();
    let answer = std::thread::spawn(move || request(&address, "POST", "/api/v1/queries", &body));
    let poll = agent.line(r#"{"event":"#);
    switch.inject(&format!(r#"{{"event":{poll}"#));
    answer.join().expect("an answer")
}

#[test]
fn a_query_collects_telemetry_from_the_switch() {
    let network = Network::new("chain");
    let (mut server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut switch = Switch::start();
    let (mut controller, health) = network.controller("c1", &switch.address, &uploads);
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the controller manages the switch", || get(&health, "/readyz") == "ready\n");
    wait_until("two daemons are connected", || {
        let daemons = json(&rest, "/api/v1/daemons");
        daemons["daemons"]
            .as_array()
            .is_some_and(|all| all.iter().filter(|d| d["state"] == "connected").count() == 2)
    });

    // No traffic, so the answer is that the network does not slow the flow down.
    let (status, body) = query(&rest, &agent, &switch);
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""anomaly":null"#), "{body}");

    // An unreachable switch is visible at the controller and at the server.
    switch.daemon.kill();
    wait_until("the controller is not ready", || get(&health, "/readyz").contains("s1"));
    wait_until("the server shows the switch", || get(&rest, "/readyz").contains("controller c1: s1"));
    for daemon in [&mut agent, &mut controller, &mut server] {
        assert_eq!(daemon.terminate(), Some(0));
    }
}
