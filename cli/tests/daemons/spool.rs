//! What is acknowledged is stored, what is not waits in the spool, and every record arrives once and in order.

use crate::network::{FLOW, Network, Switch, acknowledged, opened, runtime, store};
use crate::process::{Daemon, get, metric, wait_until};

/// Makes the agent poll for a round trip of `rtt_ns`, and returns the event id of the polling packet.
pub(crate) fn slow(agent: &mut Daemon, rtt_ns: u64) -> u64 {
    agent.write(&acknowledged(FLOW, rtt_ns));
    let line = agent.line(r#"{"event":"#);
    line.split(',').next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{line}"))
}

/// Returns the event ids of the polls in the spool of a host's agent, in the order of their records.
fn spooled_polls(network: &Network, host: &str) -> Vec<u64> {
    let folder = std::fs::read_dir(network.folder.join(format!("spool-{host}"))).expect("a spool");
    let mut segments: Vec<_> = folder.map(|entry| entry.expect("an entry").path()).collect();
    segments.retain(|path| path.extension().is_some_and(|extension| extension == "spool"));
    segments.sort();
    // An acknowledgement may remove a segment meanwhile.
    let segments = segments.iter().map(|path| std::fs::read(path).unwrap_or_default()).collect::<Vec<_>>();
    let events_of = |segment: &Vec<u8>| {
        let event = |(from, length): (u64, u32)| {
            let record = &segment[from as usize..from as usize + length as usize];
            match <proto::v1::Record as prost::Message>::decode(record).expect("a record").body {
                Some(proto::v1::record::Body::Trigger(trigger)) => Some(u64::from(trigger.event)),
                _ => None,
            }
        };
        proto::spool::read_frames(segment).0.into_iter().filter_map(event).collect::<Vec<u64>>()
    };
    segments.iter().flat_map(events_of).collect()
}

#[test]
fn records_survive_a_kill_of_the_server_and_of_the_agent() {
    let network = Network::new("spool");
    let (mut server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    agent.write(&opened(FLOW));
    // Connected, so that the server has assigned the host's number.
    wait_until("the agent is connected", || metric(&rest, "harrier_daemons") == 1);
    wait_until("the agent's clock is known", || {
        crate::process::json(&rest, "/api/v1/daemons")["daemons"][0]["clock_offset_ns"].is_i64()
    });
    let heard = get(&rest, "/metrics");
    let heard = heard.lines().find(|line| line.starts_with("harrier_daemon_heard_timestamp_seconds{"));
    let heard = heard.expect("the agent's heartbeat");
    assert!(heard.contains("kind=\"agent\"") && heard.contains("name=\"h1\""), "{heard}");
    assert!(
        heard
            .rsplit(' ')
            .next()
            .and_then(|time| time.parse().ok())
            .is_some_and(|time: u64| time > 1_700_000_000),
        "{heard}"
    );
    let mut polled = vec![slow(&mut agent, 100_000)];

    server.kill();
    // Each round trip is twice as slow as the one before, so that each is polled for at once.
    polled.push(slow(&mut agent, 1_000_000));
    polled.push(slow(&mut agent, 10_000_000));
    // The record before the kill may wait, too. What the agent prints before it is in the spool can be lost by a kill.
    wait_until("the records are in the spool", || spooled_polls(&network, "h1").ends_with(&polled[1..]));
    agent.kill();
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &["--health-listen", "127.0.0.1:0"]);
    let health = agent.health.clone();
    agent.write(&opened(FLOW));
    polled.push(slow(&mut agent, 100_000));
    let (mut server, rest, _) = network.serve(&uploads, &[]);
    wait_until("the agent is connected again", || metric(&rest, "harrier_daemons") == 1);

    wait_until("everything is acknowledged", || metric(&health, "harrier_spool_records") == 0);
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
    wait_until("the record is rejected", || metric(&rest, "harrier_uploads_rejected_total") >= 1);
    assert_eq!((agent.terminate(), server.terminate()), (Some(0), Some(0)));
    let reports = runtime().block_on(store(&network.folder).reports(None, "trigger", 500)).expect("reports");
    assert_eq!(reports, []);
}

/// Returns the event ids of the snapshots in the inbox of a stopped server, in the order of their arrival.
fn inbox(network: &Network) -> Vec<u64> {
    let rows = runtime().block_on(store(&network.folder).inbox("controller", 0, 100)).expect("an inbox");
    let event = |row: &store::InboxRow| {
        let upload =
            <proto::v1::Snapshot as prost::Message>::decode(row.body.as_slice()).expect("a snapshot");
        let snapshot: serde_json::Value = serde_json::from_slice(&upload.json).expect("JSON");
        snapshot["event"].as_u64().expect("an event")
    };
    rows.iter().map(event).collect()
}

/// The server is killed with a snapshot that it has acknowledged and not analysed; the controller with one that it
/// could not upload. Both are there afterwards, once and in order.
#[test]
fn snapshots_survive_a_kill_of_the_server_and_of_the_controller() {
    let network = Network::new("inbox");
    let (mut server, rest, uploads) = network.serve_blind("127.0.0.1:0", &[]);
    let switch = Switch::start();
    let (mut controller, health) = network.controller("c1", &switch.address, &uploads);
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &[]);
    wait_until("the controller manages the switch", || get(&health, "/readyz") == "ready\n");
    wait_until("two daemons are connected", || metric(&rest, "harrier_daemons") == 2);
    agent.write(&opened(FLOW));
    let poll = |agent: &mut Daemon, rtt_ns| {
        agent.write(&acknowledged(FLOW, rtt_ns));
        let line = format!(r#"{{"event":{}"#, agent.line(r#"{"event":"#));
        switch.inject(&line);
        let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        line["event"].as_u64().expect("an event")
    };
    let mut polled = vec![poll(&mut agent, 100_000)];
    wait_until("the snapshot is in the inbox", || metric(&rest, "harrier_inbox_bytes") > 0);
    wait_until("it is acknowledged", || metric(&health, "harrier_spool_records") == 0);
    server.kill();
    polled.push(poll(&mut agent, 1_000_000));
    wait_until("the snapshot is in the spool", || metric(&health, "harrier_spool_records") == 1);
    controller.kill();
    agent.kill();

    let (mut server, rest, _) = network.serve_blind(&uploads, &[]);
    let earlier = metric(&rest, "harrier_inbox_bytes");
    assert!(earlier > 0, "the inbox has survived");
    let (mut controller, health) = network.controller("c1", &switch.address, &uploads);
    wait_until("the second snapshot arrives", || metric(&rest, "harrier_inbox_bytes") > earlier);
    wait_until("it is acknowledged", || metric(&health, "harrier_spool_records") == 0);
    assert_eq!((controller.terminate(), server.terminate()), (Some(0), Some(0)));
    assert_eq!(inbox(&network), polled);

    let (mut server, rest, _) = network.serve(&uploads, &[]);
    wait_until("both are analysed", || metric(&rest, "harrier_inbox_bytes") == 0);
    assert_eq!(server.terminate(), Some(0));
    assert_eq!(inbox(&network), [0; 0]);
}
