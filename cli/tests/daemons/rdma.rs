//! Probes over RDMA between two agents, with a substitute of libibverbs in user space (`rdma/tests/fixtures/verbs.c`): no test
//! machine has an RDMA device.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::network::Network;
use crate::process::{Daemon, get, metric, wait_until};
use crate::support::{harrier, repository};

/// Compiles the substitute. Reports and returns `None` if the machine has no compiler or no header.
fn substitute(network: &Network, test: &str) -> Option<String> {
    let path = network.path("libibverbs.so");
    let source = repository("rdma/tests/fixtures/verbs.c");
    let mut command = Command::new("cc");
    command.args(["-O1", "-shared", "-fPIC", "-pthread", "-o", &path]).arg(source);
    let why = match command.output() {
        Ok(compiled) if compiled.status.success() => return Some(path),
        Ok(compiled) => {
            let errors = String::from_utf8_lossy(&compiled.stderr).into_owned();
            assert!(errors.contains("infiniband/verbs.h: No such file"), "{errors}");
            "the header infiniband/verbs.h is missing (Debian: libibverbs-dev)".to_string()
        }
        Err(error) => format!("cc: {error}"),
    };
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}");
    None
}

/// Writes a tree of sysfs with one device, whose driver follows flow labels, and an address.
fn sysfs(network: &Network, name: &str, address: [u8; 4]) -> String {
    let root = PathBuf::from(network.path(&format!("sysfs-{name}")));
    let device = root.join("class/infiniband/rdma0");
    let port = device.join("ports/1");
    let [a, b, c, d] = address;
    let gid = format!("0000:0000:0000:0000:0000:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}\n");
    let files = [
        ("state", "4: ACTIVE\n"),
        ("link_layer", "Ethernet\n"),
        ("gids/0", gid.as_str()),
        ("gid_attrs/types/0", "RoCE v2\n"),
    ];
    for (file, text) in files {
        let path = port.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let driver = root.join("drivers/mlx5_core");
    std::fs::create_dir_all(&driver).unwrap();
    std::fs::create_dir_all(device.join("device")).unwrap();
    std::os::unix::fs::symlink(Path::new(&driver), device.join("device/driver")).unwrap();
    root.display().to_string()
}

/// A host of a test: two of them probe each other.
struct Host<'n> {
    network: &'n Network,
    name: &'static str,
    address: [u8; 4],
    peer: [u8; 4],
    port: String,
    library: String,
}

fn dotted([a, b, c, d]: [u8; 4]) -> String {
    format!("{a}.{b}.{c}.{d}")
}

impl Host<'_> {
    fn arguments(&self, transports: &str) -> Vec<String> {
        let sysfs = PathBuf::from(self.network.path(&format!("sysfs-{}", self.name)));
        let fixed = [
            "agent",
            "--name",
            self.name,
            "--addresses",
            &dotted(self.address),
            "--server",
            "127.0.0.1:1",
            "--spool",
            &self.network.path(&format!("spool-{}", self.name)),
            "--sources",
            "probe",
            "--probe-peers",
            &format!("{},{}", dotted(self.address), dotted(self.peer)),
            "--probe-port",
            &self.port,
            "--probe-interval-ms",
            "20",
            "--probe-paths",
            "2",
            "--probe-transports",
            transports,
            "--rdma-library",
            &self.library,
            "--counters-interval-ms",
            "0",
            "--sysfs",
            &sysfs.display().to_string(),
            "--health-listen",
            "127.0.0.1:0",
        ];
        fixed.map(String::from).to_vec()
    }

    fn start(&self, transports: &str, variables: &[(&str, &str)]) -> Daemon {
        let devices = format!("rdma0={}", dotted(self.address));
        let mut all = vec![("STUB_DEVICES", devices.as_str())];
        all.extend(variables);
        let mut agent = Daemon::start_with_variables(&self.arguments(transports), &all);
        agent.health = agent.line("health on ");
        agent.line("ready");
        agent
    }
}

fn hosts<'n>(network: &'n Network, subnet: u8, library: &str) -> [Host<'n>; 2] {
    let (first, second) = ([127, 12, subnet, 1], [127, 12, subnet, 2]);
    // A port that was free a moment ago.
    let free = std::net::UdpSocket::bind((dotted(first), 0)).unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    [("h1", first, second), ("h2", second, first)].map(|(name, address, peer)| {
        sysfs(network, name, address);
        Host { network, name, address, peer, port: port.clone(), library: library.to_string() }
    })
}

/// Returns the value of a metric of a transport.
fn of(agent: &Daemon, name: &str, transport: &str) -> i64 {
    let label = format!("transport=\"{transport}\"");
    let metrics = get(&agent.health, "/metrics");
    let lines =
        metrics.lines().filter(|line| line.starts_with(&format!("{name}{{")) && line.contains(&label));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<i64>().ok()).sum()
}

#[test]
fn agents_probe_each_other_over_ud_and_rc() {
    let network = Network::new("rdma");
    let Some(library) = substitute(&network, "rdma::agents_probe_each_other_over_ud_and_rc") else { return };
    let [first, second] = hosts(&network, 1, &library);
    let mut a = first.start("udp,ud,rc", &[]);
    let mut b = second.start("udp,ud,rc", &[("STUB_ACK_DELAY_US", "3000")]);
    for agent in [&a, &b] {
        for transport in ["udp", "ud", "rc"] {
            wait_until("probes are answered", || {
                of(agent, "harrier_agent_probes_answered_total", transport) > 10
            });
        }
        wait_until("requests are answered", || {
            of(agent, "harrier_agent_probe_requests_answered_total", "ud") > 10
        });
        assert_eq!(of(agent, "harrier_agent_probe_queue_pairs_met", "ud"), 1);
        assert_eq!(of(agent, "harrier_agent_probe_queue_pairs_met", "rc"), 2, "one for each path");
        assert_eq!(of(agent, "harrier_agent_probe_device_errors_total", "rc"), 0);
    }
    // The delay of the peer's device is part of the round trip of RC, and no other.
    let mean_ns = |transport| {
        of(&a, "harrier_agent_probe_round_trip_nanoseconds_total", transport)
            / of(&a, "harrier_agent_probes_answered_total", transport)
    };
    assert!(mean_ns("rc") > 3_000_000, "{}", mean_ns("rc"));

    // A peer that restarts has other queue pairs; the probes go on.
    b.kill();
    wait_until("probes are lost", || {
        ["ud", "rc"].iter().all(|transport| of(&a, "harrier_agent_probes_lost_total", transport) > 2)
    });
    let before = ["ud", "rc"].map(|transport| of(&a, "harrier_agent_probes_answered_total", transport));
    let mut b = second.start("udp,ud,rc", &[("STUB_UD_LOSS", "3"), ("STUB_ACK_LOSS", "5")]);
    for (transport, before) in ["ud", "rc"].into_iter().zip(before) {
        wait_until("probes are answered again", || {
            of(&a, "harrier_agent_probes_answered_total", transport) > before + 10
        });
    }
    // Datagrams that are lost are losses. A write whose acknowledgement is lost is late: the acknowledgement of the next write of
    // the path, 40 ms later, is for both.
    let lost = of(&a, "harrier_agent_probes_lost_total", "ud");
    wait_until("datagrams are lost", || of(&a, "harrier_agent_probes_lost_total", "ud") > lost + 3);
    wait_until("an acknowledgement is late", || {
        of(&a, "harrier_agent_probe_round_trip_max_nanoseconds", "rc") > 30_000_000
    });
    assert_eq!((a.terminate(), b.terminate()), (Some(0), Some(0)));
}

#[test]
fn a_peer_without_rdma_gets_udp_probes_only() {
    let network = Network::new("rdma-without");
    let Some(library) = substitute(&network, "rdma::a_peer_without_rdma_gets_udp_probes_only") else {
        return;
    };
    let [first, second] = hosts(&network, 2, &library);
    let mut a = first.start("udp,ud,rc", &[]);
    let mut b = second.start("udp", &[]);
    wait_until("probes over UDP are answered", || of(&a, "harrier_agent_probes_answered_total", "udp") > 100);
    for transport in ["ud", "rc"] {
        let values = ["queue_pairs_met", "device_errors_total"];
        let values = values.map(|name| of(&a, &format!("harrier_agent_probe_{name}"), transport));
        assert_eq!(values, [0, 0], "{transport}");
        assert_eq!(of(&a, "harrier_agent_probes_sent_total", transport), 0);
        assert_eq!(of(&a, "harrier_agent_probes_lost_total", transport), 0);
    }
    assert_eq!(metric(&b.health, "harrier_agent_probe_requests_malformed_total"), 0);

    // Offers of strangers and malformed ones change nothing.
    let port: u16 = first.port.parse().unwrap();
    let stranger = std::net::UdpSocket::bind((dotted([127, 12, 2, 3]), 0)).unwrap();
    let mut offer = [0; 64];
    offer[..7].copy_from_slice(b"HRQP\x01\x01\x01");
    offer[34..40].copy_from_slice(&[0xff, 0xff, 127, 12, 2, 3]);
    (offer[43], offer[55]) = (9, 1);
    stranger.send_to(&offer, (dotted(first.address), port)).unwrap();
    stranger.send_to(b"HRQP", (dotted(first.address), port)).unwrap();
    wait_until("the offer is ignored", || of(&a, "harrier_agent_probe_offers_unknown_total", "ud") == 1);
    assert_eq!(of(&a, "harrier_agent_probe_offers_kept", "ud"), 0);
    assert_eq!((a.terminate(), b.terminate()), (Some(0), Some(0)));
}

#[test]
fn requested_probes_over_rdma_without_a_device_are_one_clear_error() {
    let network = Network::new("rdma-missing");
    let [host, _] = hosts(&network, 3, "/nonexistent/libibverbs.so.1");
    let arguments = host.arguments("udp,rc");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ran = harrier(&arguments);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("--probe-transports"), "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot load /nonexistent/libibverbs.so.1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("libibverbs1"), "{}", ran.stderr);

    // A fleet with and without devices has one configuration.
    let mut with_auto = host.arguments("udp,rc");
    with_auto.extend(["--rdma-device".to_string(), "auto".to_string()]);
    let mut agent = Daemon::start(&with_auto);
    agent.health = agent.line("health on ");
    agent.line("ready");
    wait_until("there are metrics", || of(&agent, "harrier_agent_probes_sent_total", "udp") > 0);
    assert_eq!(agent.terminate(), Some(0));
}

#[test]
fn the_real_library_without_a_device_is_one_clear_error() {
    let network = Network::new("rdma-real");
    if Path::new("/sys/class/infiniband").exists() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: rdma: this machine has RDMA devices");
        return;
    }
    let spool = network.path("spool");
    let ran = harrier(&[
        "agent",
        "--addresses",
        "127.12.4.1",
        "--probe-peers",
        "127.12.4.2",
        "--spool",
        &spool,
        "--sources",
        "probe",
        "--probe-transports",
        "ud",
        "--rdma-device",
        "mlx5_0",
    ]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    let expected = ["--rdma-device", "this host has no RDMA device", "cannot load libibverbs.so.1"];
    let has = |text: &str| ran.stderr.contains(text);
    assert!(has(expected[0]) && (has(expected[1]) || has(expected[2])), "{}", ran.stderr);
}
