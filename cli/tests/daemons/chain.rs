//! The whole chain: an operator's query goes to the agent, its polling packet to the switch, the telemetry through the
//! controller to the server, and the answer back to the operator.

use std::thread::JoinHandle;

use crate::network::{FLOW, Network, Switch};
use crate::process::{Daemon, get, json, metric, request, wait_until};

/// Asks the server about the flow; the test carries the polling packet from the agent to the switch.
pub(crate) fn query(rest: &str, agent: &Daemon, switch: &Switch) -> (u16, String) {
    query_through(rest, agent, &[switch])
}

/// The same, with several switches: the test carries the polling packet to all of them.
pub(crate) fn query_through(rest: &str, agent: &Daemon, switches: &[&Switch]) -> (u16, String) {
    begin(rest, agent, switches).join().expect("an answer")
}

/// The same, without waiting for the answer.
fn begin(rest: &str, agent: &Daemon, switches: &[&Switch]) -> JoinHandle<(u16, String)> {
    let address = rest.to_string();
    let body = serde_json::json!({ "victim": FLOW }).to_string();
    let answer = std::thread::spawn(move || request(&address, "POST", "/api/v1/queries", &body));
    let poll = agent.line(r#"{"event":"#);
    switches.iter().for_each(|switch| switch.inject(&format!(r#"{{"event":{poll}"#)));
    answer
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

/// Each of two controllers reads one of the two switches on the path.
#[test]
fn parts_of_an_event_from_two_controllers_are_one_answer() {
    let network = Network::new("two-controllers").with_second_hop();
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let (s1, s2) = (Switch::start(), Switch::start());
    let (_first, first) = network.controller_of("c1", &format!("s1={}/1", s1.address), &uploads);
    let (_second, second) = network.controller_of("c2", &format!("s2={}/1", s2.address), &uploads);
    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    for health in [&first, &second] {
        wait_until("the controller manages its switch", || get(health, "/readyz") == "ready\n");
    }
    wait_until("all daemons are connected", || metric(&rest, "harrier_daemons") == 3);

    let (status, body) = query_through(&rest, &agent, &[&s1, &s2]);
    assert!(status == 200 && body.contains(r#""anomaly":null"#), "{status} {body}");
    assert!(!body.contains("s1") && !body.contains("s2"), "nothing is missing: {body}");
    wait_until("the parts are counted", || metric(&rest, "harrier_snapshots_united_total") == 1);

    // The polling packet never reaches the second switch: its controller has no part of the event.
    let (status, body) = query_through(&rest, &agent, &[&s1]);
    assert!(status == 200 && body.contains("s2: sent no report, although it lies"), "{status} {body}");
}

/// A controller that is stopped while it collects an event completes it, and leaves no switch frozen.
#[test]
fn an_event_that_is_open_at_the_end_of_a_controller_is_not_lost() {
    let network = Network::new("drain");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let switch = Switch::start();
    let switches = format!("s1={}/1", switch.address);
    // It waits long for further reports of an event.
    let slow = ["--quiet-us", "4000000"];
    let (mut controller, health) = network.controller_with("c1", &switches, &uploads, &slow);
    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the controller manages the switch", || get(&health, "/readyz") == "ready\n");
    wait_until("two daemons are connected", || metric(&rest, "harrier_daemons") == 2);
    let answer = begin(&rest, &agent, &[&switch]);
    wait_until("an event is open", || metric(&health, "harrier_events_open") == 1);
    assert_eq!(controller.terminate(), Some(0));
    let (status, body) = answer.join().expect("an answer");
    assert!(status == 200 && body.contains(r#""anomaly":null"#) && !body.contains(';'), "{status} {body}");
    let log = std::fs::read_to_string(network.log("c1")).expect("a log");
    assert!(!log.contains("events are still being collected"), "{log}");

    // The switch was released: nothing of the next event is missing.
    let (_next, health) = network.controller_of("c1", &switches, &uploads);
    wait_until("the next controller manages the switch", || get(&health, "/readyz") == "ready\n");
    let (status, body) = query(&rest, &agent, &switch);
    assert!(status == 200 && body.contains(r#""anomaly":null"#) && !body.contains(';'), "{status} {body}");
}
