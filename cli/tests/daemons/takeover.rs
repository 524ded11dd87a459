//! Two controllers of one switch: one stands by and takes over.

use std::time::Instant;

use crate::cable::Cable;
use crate::chain::query;
use crate::network::{FLOW, Network, Switch, acknowledged, opened};
use crate::process::{Daemon, get, last_logged_at, now_s, wait_until};

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
    let mut pair = Pair::start(|name| network.controller(name, &switch.address, &uploads));
    let (primary, standby) = pair.settled(1);

    pair.controllers[primary].0.kill();
    let killed = Instant::now();
    wait_until("the other controller has taken over", || pair.readiness(standby) == "ready\n");
    eprintln!("taken over after {} ms", killed.elapsed().as_millis());

    let agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the agent is connected", || get(&rest, "/api/v1/daemons").contains(r#""kind":"agent""#));
    let (status, body) = query(&rest, &agent, &switch);
    assert!(status == 200 && body.contains(r#""anomaly":null"#), "{status} {body}");
}

/// The primary controller is cut off from one of two switches, silently. The other one takes over that switch within 2 s,
/// and then the rest, so that events are collected by one controller.
#[test]
fn a_controller_that_is_cut_off_from_one_switch_is_replaced_at_all() {
    let network = Network::new("cut").with_second_switch();
    let (_server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let (s1, s2) = (Switch::start(), Switch::start());
    let cables = [Cable::to(&s1.address), Cable::to(&s1.address)];
    let mut of = cables.iter();
    let pair = Pair::start(|name| {
        let cable = of.next().expect("one a controller");
        network.controller_of(name, &format!("s1={}/1,s2={}/1", cable.address, s2.address), &uploads)
    });
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    agent.write(&opened(FLOW));
    wait_until("the agent is connected", || get(&rest, "/api/v1/daemons").contains(r#""kind":"agent""#));
    let (primary, standby) = pair.settled(2);

    cables[primary].cut();
    let cut_s = now_s();
    // This freezes a bank of s1, and no controller that manages s1 learns of it.
    agent.write(&acknowledged(FLOW, 100_000));
    s1.inject(&format!(r#"{{"event":{}"#, agent.line(r#"{"event":"#)));
    wait_until("the other controller manages both switches", || pair.readiness(standby) == "ready\n");
    let log = network.log(NAMES[standby]);
    let taken_s = last_logged_at(&log, r#"the switch is programmed switch="s1""#).expect("it is logged");
    let took_s = (taken_s - cut_s).rem_euclid(86_400.0);
    eprintln!("taken over {took_s:.3} s after the cut");
    assert!(took_s <= TAKEOVER_S + MARGIN_S, "{took_s} s");
    wait_until("the former primary stands by at s2", || {
        pair.readiness(primary).contains(&format!("s2: standing by: {STANDS_BY}"))
    });

    // The bank is not frozen any more: a query is answered without anything missing.
    let (status, body) = query(&rest, &agent, &s1);
    assert!(status == 200 && body.contains(r#""anomaly":null"#) && !body.contains(';'), "{status} {body}");

    cables[primary].mend();
    wait_until("the former primary stands by at both", || {
        pair.readiness(primary).matches(STANDS_BY).count() == 2
    });
    assert_eq!(pair.readiness(standby), "ready\n", "the new primary keeps both");
}

/// The names of the two controllers.
const NAMES: [&str; 2] = ["c1", "c2"];

/// Two controllers of the same switches, with the addresses of their health pages.
struct Pair {
    controllers: [(Daemon, String); 2],
}

impl Pair {
    /// Starts the first one, waits until it manages the switches, and starts the second one.
    fn start(mut start: impl FnMut(&str) -> (Daemon, String)) -> Pair {
        let first = start(NAMES[0]);
        wait_until("the first controller manages its switches", || get(&first.1, "/readyz") == "ready\n");
        Pair { controllers: [first, start(NAMES[1])] }
    }

    fn readiness(&self, index: usize) -> String {
        get(&self.controllers[index].1, "/readyz")
    }

    /// Waits until one controller manages all `switches` and the other one stands by at all; returns their indices. It is
    /// the first one that is primary, unless a busy machine has interrupted a session of it: then the second one may
    /// have taken over already.
    fn settled(&self, switches: usize) -> (usize, usize) {
        let mut primary = None;
        wait_until("one controller manages the switches, and the other one stands by", || {
            primary = (0..2).find(|index| {
                self.readiness(*index) == "ready\n"
                    && self.readiness(1 - index).matches(STANDS_BY).count() == switches
            });
            primary.is_some()
        });
        let primary = primary.expect("it was found");
        (primary, 1 - primary)
    }
}
