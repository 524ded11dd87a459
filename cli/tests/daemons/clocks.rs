//! Clocks that disagree: the offset of each daemon is estimated, and the times of the server are right.

use crate::network::{FLOW, Network, acknowledged, opened, runtime, store};
use crate::process::{json, metric, wait_until};

/// By how much the agent's clock is ahead.
const AHEAD_NS: i64 = 50_000_000;

fn system_ns() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    since.as_nanos() as i64
}

#[test]
fn a_clock_that_is_50_ms_ahead_is_noticed_and_corrected() {
    let network = Network::new("clocks");
    let (mut server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let mut agent = network.agent_with_variables(
        "h1",
        "10.0.0.1",
        &uploads,
        &["--health-listen", "127.0.0.1:0"],
        &[("HARRIER_TEST_CLOCK_OFFSET_MS", "50")],
    );
    let health = agent.health.clone();
    let daemon = || json(&rest, "/api/v1/daemons")["daemons"][0].clone();
    wait_until("the offset is known", || daemon()["clock_offset_ns"].is_i64());
    let (offset_ns, error_ns) = (&daemon()["clock_offset_ns"], &daemon()["clock_error_ns"]);
    let (offset_ns, error_ns) = (offset_ns.as_i64().expect("known"), error_ns.as_i64().expect("known"));
    assert!((offset_ns + AHEAD_NS).abs() <= error_ns, "{offset_ns} ns, error {error_ns} ns");

    agent.write(&opened(FLOW));
    let before_ns = system_ns();
    agent.write(&acknowledged(FLOW, 100_000));
    agent.line(r#"{"event":"#);
    let after_ns = system_ns();
    wait_until("everything is acknowledged", || metric(&health, "harrier_spool_records") == 0);
    assert_eq!((agent.terminate(), server.terminate()), (Some(0), Some(0)));
    let reports = runtime().block_on(store(&network.folder).reports(None, "trigger", 10)).expect("reports");
    let report = reports.first().expect("a trigger");
    let error_ns = report.error_ns as i64;
    let measured_ns = report.body["trigger"]["time_ns"].as_i64().expect("a time");
    let corrected_ns = measured_ns + report.offset_ns.expect("an offset");
    assert!(measured_ns > after_ns, "the agent's clock is ahead");
    assert!((before_ns - error_ns..=after_ns + error_ns).contains(&corrected_ns), "{report:#?}");
}
