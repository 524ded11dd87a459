//! What an agent measures on its own host: counters of a recorded tree, TCP connections, probes.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use model::Topology;
use model::topology::NodeKind;

use crate::network::Network;
use crate::process::{Daemon, get, metric, wait_until};
use crate::support::repository;

/// Starts an agent with a source and more arguments; nothing listens at its server's address.
fn agent(network: &Network, host: &str, address: &str, source: &str, more: &[&str]) -> Daemon {
    let spool = network.path(&format!("spool-{host}"));
    let fixed = [
        "agent",
        "--name",
        host,
        "--addresses",
        address,
        "--server",
        "127.0.0.1:1",
        "--spool",
        &spool,
        "--sources",
        source,
        "--health-listen",
        "127.0.0.1:0",
    ];
    let mut agent = Daemon::start(&[&fixed, more].concat());
    agent.health = agent.line("health on ");
    agent.line("ready");
    agent
}

#[test]
fn counters_are_metrics_and_are_stored() {
    let network = Network::new("counters");
    let (mut server, rest, uploads) = network.serve("127.0.0.1:0", &[]);
    let tree = repository("host-agent/tests/mlx5").display().to_string();
    let more = ["--health-listen", "127.0.0.1:0", "--sysfs", &tree, "--counters-interval-ms", "100"];
    let mut agent = network.agent("h1", "10.0.0.1", &uploads, &more);
    wait_until("the counters are metrics", || metric(&agent.health, "harrier_agent_pcie_degraded") == 1);
    let metrics = get(&agent.health, "/metrics");
    let expected = r#"harrier_agent_rdma_counter_total{device="mlx5_0",port="1",counter="np_cnp_sent"} 5210"#;
    assert!(metrics.contains(expected), "{metrics}");
    // The agent has no flows, so its only reports are counters.
    let stored = r#"harrier_store_rows{table="reports"} "#;
    wait_until("the server has stored a report", || {
        let metrics = get(&rest, "/metrics");
        metrics.lines().filter_map(|line| line.strip_prefix(stored)).any(|rows| rows != "0")
    });
    assert_eq!(metric(&agent.health, "harrier_uploads_rejected_total"), 0);
    assert_eq!((agent.terminate(), server.terminate()), (Some(0), Some(0)));
}

#[test]
fn a_host_without_devices_has_no_series_of_counters() {
    let network = Network::new("no-counters");
    let mut agent = agent(&network, "h1", "10.0.0.1", "stdin", &["--sysfs", &network.path("")]);
    wait_until("there are metrics", || get(&agent.health, "/metrics").contains("harrier_polls_total"));
    let metrics = get(&agent.health, "/metrics");
    assert!(!metrics.contains("harrier_agent_"), "{metrics}");
    assert_eq!(agent.terminate(), Some(0));
}

#[test]
fn round_trips_of_the_kernels_tcp_are_measured_without_a_capture() {
    let network = Network::new("tcp-info");
    let mut agent = agent(&network, "h1", "127.0.0.1", "tcp-info", &["--tcp-interval-ms", "100"]);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    wait_until("acknowledged data is a sample", || {
        client.write_all(&[0; 1000]).unwrap();
        server.read_exact(&mut [0; 1000]).unwrap();
        metric(&agent.health, "harrier_agent_tcp_samples_total") > 1
    });
    assert!(metric(&agent.health, "harrier_agent_tcp_sockets") >= 2, "both ends are sockets of this host");
    assert_eq!(agent.terminate(), Some(0));
}

/// Writes the topology with loopback addresses: 127.0.0.1 for h1, 127.0.0.2 for h2.
fn loopback_topology(network: &Network) -> String {
    let path = network.path("topology.json");
    let mut topology: Topology = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let hosts = topology.nodes.iter_mut().filter(|node| node.kind == NodeKind::Host);
    for (host, address) in hosts.zip(["127.0.0.1", "127.0.0.2"]) {
        host.addresses = vec![address.parse().unwrap()];
    }
    std::fs::write(&path, serde_json::to_string(&topology).unwrap()).unwrap();
    path
}

#[test]
fn agents_below_one_tor_switch_probe_each_other() {
    let network = Network::new("probes");
    let topology = loopback_topology(&network);
    // A port that was free a moment ago at both addresses.
    let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let more = ["--topology", &topology, "--probe-port", &port, "--probe-interval-ms", "20"];
    let mut first = agent(&network, "h1", "127.0.0.1", "probe", &more);
    let mut second = agent(&network, "h2", "127.0.0.2", "probe", &more);
    for agent in [&first, &second] {
        wait_until("probes are answered", || {
            metric(&agent.health, "harrier_agent_probes_answered_total") > 10
                && metric(&agent.health, "harrier_agent_probe_requests_answered_total") > 10
        });
        let metrics = get(&agent.health, "/metrics");
        assert!(metrics.contains(r#"harrier_agent_probe_peers{scope="tor",transport="udp"} 1"#), "{metrics}");
        assert!(metric(&agent.health, "harrier_agent_probe_round_trip_nanoseconds_total") > 0, "{metrics}");
    }

    // A stranger gets no reply.
    let stranger = std::net::UdpSocket::bind("127.0.0.3:0").unwrap();
    let mut request = [0; 64];
    request[..6].copy_from_slice(b"HRPB\x01\x01");
    stranger.send_to(&request, format!("127.0.0.1:{port}")).unwrap();
    wait_until("the request is ignored", || {
        metric(&first.health, "harrier_agent_probe_requests_unknown_total") == 1
    });
    stranger.set_nonblocking(true).unwrap();
    assert!(stranger.recv(&mut request).is_err(), "there is a reply");

    // A host that fails loses probes.
    second.kill();
    wait_until("probes are lost", || metric(&first.health, "harrier_agent_probes_lost_total") > 0);
    assert_eq!(first.terminate(), Some(0));
}

#[test]
fn probes_without_peers_are_a_mistake() {
    let network = Network::new("no-peers");
    let ran = crate::support::harrier(&[
        "agent",
        "--name",
        "h1",
        "--addresses",
        "127.0.0.1",
        "--spool",
        &network.path("spool"),
        "--sources",
        "probe",
    ]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("`probe` also needs the key topology or probe_peers"), "{}", ran.stderr);
}
