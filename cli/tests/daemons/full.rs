//! A server whose store cannot be written, because the medium is full: a limit on the size of its files stands for it.

use std::process::Command;

use crate::network::{FLOW, Network, opened, runtime, store};
use crate::process::{Daemon, metric, request, wait_until};
use crate::spool::slow;
use crate::support::skipped;

/// Limits the size of the files that a process writes.
fn limit_files(daemon: &Daemon, bytes: &str) -> bool {
    let limit = format!("--fsize={bytes}:unlimited");
    let status = Command::new("prlimit").args(["--pid", &daemon.pid().to_string(), &limit]).status();
    status.is_ok_and(|status| status.success())
}

#[test]
fn a_full_medium_loses_nothing_that_is_acknowledged_and_the_server_goes_on() {
    let network = Network::new("full");
    let (mut server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &["--health-listen", "127.0.0.1:0"]);
    let health = agent.health.clone();
    agent.write(&opened(FLOW));
    wait_until("the agent is connected", || metric(&rest, "harrier_daemons") == 1);
    // Each round trip is much slower than the one before, so that each is polled for at once.
    let mut polled = vec![slow(&mut agent, 100_000)];
    wait_until("it is acknowledged", || metric(&health, "harrier_spool_records") == 0);

    if !limit_files(&server, "1") {
        return skipped("there is no prlimit (Debian package util-linux)");
    }
    polled.push(slow(&mut agent, 1_000_000));
    polled.push(slow(&mut agent, 10_000_000));
    // One request for status and reason: a write that needs no more room succeeds meanwhile, and the server is ready until
    // the next one fails.
    let mut reason = String::new();
    wait_until("the server reports it", || {
        let (status, body) = request(&rest, "GET", "/readyz", "");
        reason = body;
        status == 503
    });
    assert!(reason.contains("the store cannot be written"), "{reason}");
    assert_eq!(request(&rest, "GET", "/api/v1/incidents", "").0, 200, "what is stored is shown");
    assert_eq!(request(&rest, "GET", "/healthz", "").0, 200);
    wait_until("both wait with their sender", || metric(&health, "harrier_spool_records") >= 2);

    assert!(limit_files(&server, "unlimited"));
    wait_until("everything is acknowledged", || metric(&health, "harrier_spool_records") == 0);
    wait_until("the server is ready", || request(&rest, "GET", "/readyz", "").0 == 200);
    assert_eq!((agent.terminate(), server.terminate()), (Some(0), Some(0)));
    let reports = runtime().block_on(store(&network.folder).reports(None, "trigger", 500)).expect("reports");
    let stored: Vec<u64> =
        reports.iter().map(|report| report.body["event"].as_u64().expect("an event")).collect();
    assert_eq!(stored, polled, "each once and in order");
}
