//! Two controllers of one switch: one stands by and takes over.

use std::time::Instant;

use crate::cable::Cable;
use crate::chain::query;
use crate::network::{FLOW, Network, Switch, acknowledged, opened};
use crate::process::{get, logged_at, now_s, wait_until};

/// Time within which the other controller has taken over.
const TAKEOVER_S: f64 = 2.0;
/// What a busy machine with two cores may add to it.
const MARGIN_S: f64 = 1.5;
/// What `/readyz` of a controller says that stands by.
const STANDS_BY: &str = "another controller is primary";

#[test]
fn a_second_controller_takes_over() {
    let network = Network::new("takeover");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let switch = Switch::start();
    let (mut first, health) = network.controller("c1", &switch.address, &uploads);
    wait_until("the first controller manages the switch", || get(&health, "/readyz") == "ready\n");
    let (_second, standby) = network.controller("c2", &switch.address, &uploads);
    // A busy machine may interrupt the first one's session for a moment, after which it has the switch again.
    wait_until("the second controller stands by, and the first one keeps the switch", || {
        get(&standby, "/readyz").contains(STANDS_BY) && get(&health, "/readyz") == "ready\n"
    });

    first.kill();
    let killed = Instant::now();
    wait_until("the second controller has taken over", || get(&standby, "/readyz") == "ready\n");
    eprintln!("taken over after {} ms", killed.elapsed().as_millis());

    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the agent is connected", || get(&rest, "/api/v1/daemons").contains(r#""kind":"agent""#));
    let (status, body) = query(&rest, &agent, &switch);
    assert!(status == 200 && body.contains(r#""anomaly":null"#), "{status} {body}");
}

/// The first controller is cut off from one of two switches, silently. The other one takes over that switch within 2 s,
/// and then the rest, so that events are collected by one controller.
#[test]
fn a_controller_that_is_cut_off_from_one_switch_is_replaced_at_all() {
    let network = Network::new("cut").with_second_switch();
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let (s1, s2) = (Switch::start(), Switch::start());
    let cable = Cable::to(&s1.address);
    let (_first, health) =
        network.controller_of("c1", &format!("s1={}/1,s2={}/1", cable.address, s2.address), &uploads);
    wait_until("the first controller manages both switches", || get(&health, "/readyz") == "ready\n");
    let (_second, standby) =
        network.controller_of("c2", &format!("s1={}/1,s2={}/1", s1.address, s2.address), &uploads);
    wait_until("the second controller stands by at both", || {
        get(&standby, "/readyz").matches(STANDS_BY).count() == 2
    });
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    agent.write(&opened(FLOW));
    wait_until("the agent is connected", || get(&rest, "/api/v1/daemons").contains(r#""kind":"agent""#));

    cable.cut();
    let cut_s = now_s();
    // This freezes a bank of s1, and no controller that manages s1 learns of it.
    agent.write(&acknowledged(FLOW, 100_000));
    s1.inject(&format!(r#"{{"event":{}"#, agent.line(r#"{"event":"#)));
    wait_until("the second controller manages both switches", || get(&standby, "/readyz") == "ready\n");
    let log = network.log("c2");
    let taken_s = logged_at(&log, r#"the switch is programmed switch="s1""#).expect("it is logged");
    let took_s = (taken_s - cut_s).rem_euclid(86_400.0);
    eprintln!("taken over {took_s:.3} s after the cut");
    assert!(took_s <= TAKEOVER_S + MARGIN_S, "{took_s} s");
    wait_until("the first controller stands by at s2", || {
        get(&health, "/readyz").contains(&format!("s2: standing by: {STANDS_BY}"))
    });

    // The bank is not frozen any more: a query is answered without anything missing.
    let (status, body) = query(&rest, &agent, &s1);
    assert!(status == 200 && body.contains(r#""anomaly":null"#) && !body.contains(';'), "{status} {body}");

    cable.mend();
    wait_until("the first controller stands by at both", || {
        get(&health, "/readyz").matches(STANDS_BY).count() == 2
    });
    assert_eq!(get(&standby, "/readyz"), "ready\n", "the second controller keeps both");
}
