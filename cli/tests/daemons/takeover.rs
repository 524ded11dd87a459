//! Two controllers of one switch: one stands by and takes over.

use std::time::Instant;

use crate::chain::query;
use crate::network::{Network, Switch};
use crate::process::{get, wait_until};

#[test]
fn a_second_controller_takes_over() {
    let network = Network::new("takeover");
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let switch = Switch::start();
    let (mut first, health) = network.controller("c1", &switch.address, &uploads);
    wait_until("the first controller manages the switch", || get(&health, "/readyz") == "ready\n");
    let (_second, standby) = network.controller("c2", &switch.address, &uploads);
    wait_until("the second controller stands by", || {
        get(&standby, "/readyz").contains("another controller is primary")
    });
    assert_eq!(get(&health, "/readyz"), "ready\n", "the first controller keeps the switch");

    first.kill();
    let killed = Instant::now();
    wait_until("the second controller has taken over", || get(&standby, "/readyz") == "ready\n");
    eprintln!("taken over after {} ms", killed.elapsed().as_millis());

    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the agent is connected", || get(&rest, "/api/v1/daemons").contains(r#""kind":"agent""#));
    let (status, body) = query(&rest, &agent, &switch);
    assert!(status == 404 && body.contains("no-anomaly"), "{status} {body}");
}
