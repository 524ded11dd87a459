//! What is acknowledged is stored, what is not waits in the spool, and every record arrives once and in order.

use crate::network::{FLOW, Network, acknowledged, opened, runtime, store};
use crate::process::{Daemon, metric, wait_until};

/// Makes the agent poll for a round trip of `rtt_ns`, and returns the event id of the polling packet.
fn slow(agent: &mut Daemon, rtt_ns: u64) -> u64 {
    agent.write(&acknowledged(FLOW, rtt_ns));
    let line = agent.line(r#"{"event":"#);
    line.split(',').next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn records_survive_a_kill_of_the_server_and_of_the_agent() {
    let network = Network::new("spool");
    let (mut server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &["--health-listen", "127.0.0.1:0"]);
    let health = agent.health.clone();
    agent.write(&opened(FLOW));
    // Connected, so that the server has assigned the host's number.
    wait_until("the agent is connected", || metric(&rest, "harrier_daemons") == 1);
    wait_until("the agent's clock is known", || {
        crate::process::json(&rest, "/api/v1/daemons")["daemons"][0]["clock_offset_ns"].is_i64()
    });
    let mut polled = vec![slow(&mut agent, 100_000)];

    server.kill();
    // Each round trip is twice as slow as the one before, so that each is polled for at once.
    polled.push(slow(&mut agent, 1_000_000));
    polled.push(slow(&mut agent, 10_000_000));
    // Acknowledged or not, the records after the kill of the server are in the spool.
    wait_until("the records are in the spool", || metric(&health, "harrier_spool_records") >= 2);
    agent.kill();
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    agent.write(&opened(FLOW));
    polled.push(slow(&mut agent, 100_000));
    let (mut server, rest, _) = network.serve(&uploads, &[]);
    wait_until("the agent is connected again", || metric(&rest, "harrier_daemons") == 1);

    // The agent's end waits until everything is acknowledged.
    assert_eq!(agent.terminate(), Some(0));
    assert_eq!(server.terminate(), Some(0));
    let reports = runtime().block_on(store(&network.folder).reports(None, "trigger", 500)).expect("reports");
    let stored: Vec<u64> =
        reports.iter().map(|report| report.body["event"].as_u64().expect("an event")).collect();
    assert_eq!(stored, polled, "{reports:#?}");
    let boots: std::collections::BTreeSet<&str> =
        reports.iter().map(|report| report.boot_id.as_str()).collect();
    assert_eq!(boots.len(), 2, "the records of two starts of the agent");
}

#[test]
fn an_agent_that_speaks_for_another_host_is_rejected_and_counted() {
    let network = Network::new("lying");
    let (mut server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    // It claims the address of h2.
    let mut agent = network.agent("h1", "10.0.0.2", &uploads, &[]);
    let foreign = "10.0.0.2:10000>10.0.0.1:4791/udp";
    agent.write(&opened(foreign));
    agent.write(&acknowledged(foreign, 100_000));
    wait_until("the record is rejected", || metric(&rest, "harrier_uploads_rejected_total") == 1);
    assert_eq!((agent.terminate(), server.terminate()), (Some(0), Some(0)));
    let reports = runtime().block_on(store(&network.folder).reports(None, "trigger", 500)).expect("reports");
    assert_eq!(reports, []);
}
