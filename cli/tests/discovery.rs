//! Cables of a real network: switches on interfaces announce themselves with LLDP, the server shows what differs from the
//! topology, routes avoid a failed link, and Debian's lldpd on a host sees the switch and is seen.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test of servers opens sockets and files"
)]

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::network::{enter_namespace, ip, veth};
use crate::process::{Daemon, get, json, wait_until};
use crate::support::{scratch, skipped};
use serde_json::{Value, json};

/// h1 - s1 = s2: two cables between the switches.
fn topology(folder: &Path) -> String {
    let link = |a: &str, b: &str| json!({"a": a, "b": b, "rate": 1_000_000_000_u64, "delay": 0});
    let topology = json!({
        "nodes": [
            {"name": "h1", "kind": "host", "addresses": ["10.0.0.1"]},
            {"name": "s1", "kind": "switch"},
            {"name": "s2", "kind": "switch"},
        ],
        "links": [link("h1:1", "s1:1"), link("s1:2", "s2:2"), link("s1:3", "s2:3")],
    });
    let path = folder.join("topology.json");
    std::fs::write(&path, topology.to_string()).expect("the folder exists");
    path.display().to_string()
}

struct Network {
    rest: String,
    uploads: String,

    _daemons: Vec<Daemon>,
}

impl Network {
    /// Starts two switches with these interfaces at their ports, a controller and a server, and waits until the controller
    /// manages the switches.
    fn start(test: &str, ports: [&[&str]; 2]) -> Network {
        let folder = scratch(&format!("discovery-{test}"));
        let topology = topology(&folder);
        Network::start_with(&folder, &topology, "check", ports)
    }

    /// The same with a file of the topology and a value of the key `discovery`.
    fn start_with(folder: &Path, topology: &str, discovery: &str, ports: [&[&str]; 2]) -> Network {
        let path = |name: &str| folder.join(name).display().to_string();
        let (store, spool) = (path("harrier.db"), path("spool"));
        let server = Daemon::start(&[
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--upload-listen",
            "127.0.0.1:0",
            "--store",
            &store,
            "--topology",
            topology,
        ]);
        let (rest, uploads) = (server.line("listening on "), server.line("uploads on "));
        let mut daemons = vec![server];
        let mut addresses = Vec::new();
        for (number, ports) in ports.iter().enumerate() {
            let mut args = vec!["switch", "--no-program", "--listen", "127.0.0.1:0"];
            ports.iter().for_each(|port| args.extend(["--port", port]));
            let switch = Daemon::start(&args);
            addresses.push(format!("s{}={}/1", number + 1, switch.line("listening on ")));
            daemons.push(switch);
        }
        let controller = Daemon::start(&[
            "controller",
            "--name",
            "c1",
            "--topology",
            topology,
            "--switches",
            &addresses.join(","),
            "--server",
            &uploads,
            "--spool",
            &spool,
            "--lldp-interval-s",
            "1",
            "--discovery",
            discovery,
            "--health-listen",
            "127.0.0.1:0",
        ]);
        let health = controller.line("health on ");
        daemons.push(controller);
        wait_until("the controller manages the switches", || get(&health, "/readyz") == "ready\n");
        Network { rest, uploads, _daemons: daemons }
    }

    /// Returns the state of a daemon.
    fn daemon(&self, name: &str) -> Value {
        let all = json(&self.rest, "/api/v1/daemons");
        let all = all["daemons"].as_array().cloned().unwrap_or_default();
        all.into_iter().find(|daemon| daemon["name"] == name).unwrap_or_default()
    }

    /// Returns the differences that the server shows.
    fn cables(&self) -> Vec<String> {
        let daemon = self.daemon("c1");
        let cables = daemon["cables"].as_array().into_iter().flatten();
        cables.filter_map(|cable| cable["text"].as_str().map(str::to_string)).collect()
    }
}

#[test]
fn swapped_cables_are_findings_at_all_ends() {
    if !enter_namespace() {
        return;
    }
    for (a, b) in [("h1", "a1"), ("a2", "b3"), ("a3", "b2")] {
        veth(a, b, 1500);
    }
    let network = Network::start("swapped", [&["1=a1@1G", "2=a2@1G", "3=a3@1G"], &["2=b2@1G", "3=b3@1G"]]);
    let expected = [
        "s1:2 is cabled to s2:3; the plan says s2:2",
        "s1:3 is cabled to s2:2; the plan says s2:3",
        "s2:2 is cabled to s1:3; the plan says s1:2",
        "s2:3 is cabled to s1:2; the plan says s1:3",
    ];
    wait_until("the server shows all four ends", || network.cables() == expected);
    let problems = json(&network.rest, "/api/v1/daemons")["problems"].to_string();
    assert!(problems.contains(expected[0]), "{problems}");
}

#[test]
fn a_failed_link_is_avoided_until_it_is_back() {
    if !enter_namespace() {
        return;
    }
    for (a, b) in [("h1", "a1"), ("a2", "b2"), ("a3", "b3")] {
        veth(a, b, 1500);
    }
    let network = Network::start("failed", [&["1=a1@1G", "2=a2@1G", "3=a3@1G"], &["2=b2@1G", "3=b3@1G"]]);
    let neighbours = |daemon: &Value| daemon["neighbours"].as_array().map_or(0, Vec::len);
    wait_until("both cables are seen at both ends", || neighbours(&network.daemon("c1")) == 4);
    assert_eq!(network.cables(), Vec::<String>::new());
    ip("link set b3 down");
    wait_until("the link has failed", || network.daemon("c1")["failed_links"] == json!(["s1:3"]));
    let silent = "s1:3 has no LLDP neighbour; the plan says s2:3";
    wait_until("the end at s1 misses its neighbour", || network.cables().iter().any(|cable| cable == silent));
    ip("link set b3 up");
    wait_until("the link is back", || network.daemon("c1")["failed_links"].is_null());
    wait_until("no cable differs", || network.cables().is_empty());
}

/// Debian's lldpd on an interface; it is killed on drop.
struct Lldpd {
    process: Child,
    socket: String,
}

impl Lldpd {
    /// Starts it; `None` if it is not installed. It reads its configuration from a file: what `lldpcli` configures while
    /// lldpd starts can be lost (1.0.16 keeps the interval of 30 s, or the host's own name).
    fn start(interface: &str, folder: &Path) -> Option<Lldpd> {
        let path = |name: &str| folder.join(name).display().to_string();
        let (socket, configuration) = (path("lldpd"), path("lldpd.conf"));
        std::fs::write(&configuration, "configure system hostname h1\nconfigure lldp tx-interval 1\n")
            .expect("the folder exists");
        let process = Command::new("lldpd")
            .args(["-d", "-I", interface, "-u", &socket, "-O", &configuration])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match process {
            Ok(process) => Some(Lldpd { process, socket }),
            Err(error) => {
                skipped(format_args!("lldpd (Debian package lldpd) cannot be started: {error}"));
                None
            }
        }
    }

    /// Runs `lldpcli` and returns its output.
    fn client(&self, args: &[&str]) -> Option<String> {
        let output = Command::new("lldpcli").args(["-u", &self.socket, "-f", "json"]).args(args).output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    }
}

impl Drop for Lldpd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn lldpd_on_a_host_sees_the_switch_and_is_seen() {
    if !enter_namespace() {
        return;
    }
    for (a, b) in [("h1", "a1"), ("a2", "b2"), ("a3", "b3")] {
        veth(a, b, 1500);
    }
    let folder = scratch("discovery-lldpd-socket");
    let Some(lldpd) = Lldpd::start("h1", &folder) else { return };
    let network = Network::start("lldpd", [&["1=a1@1G", "2=a2@1G", "3=a3@1G"], &["2=b2@1G", "3=b3@1G"]]);
    wait_until("lldpd sees the switch", || {
        let seen = lldpd.client(&["show", "neighbors"]).unwrap_or_default();
        seen.contains("\"s1\"") && seen.contains("\"port 1\"")
    });
    wait_until("the controller sees the host", || {
        let daemon = network.daemon("c1");
        let mut neighbours = daemon["neighbours"].as_array().into_iter().flatten();
        neighbours
            .any(|n| n["port"] == "s1:1" && n["announced"].as_str().is_some_and(|s| s.starts_with("h1:")))
    });
    assert_eq!(network.cables(), Vec::<String>::new());
}

#[test]
fn a_topology_is_learned_from_lldp_and_agents() {
    if !enter_namespace() {
        return;
    }
    for (a, b) in [("h1", "a1"), ("a2", "b2"), ("a3", "b3")] {
        veth(a, b, 1500);
    }
    ip("address add 10.0.0.9/24 dev h1");
    let folder = scratch("discovery-learn");
    let Some(_lldpd) = Lldpd::start("h1", &folder) else { return };
    let path = |name: &str| folder.join(name).display().to_string();
    let switches = json!({
        "nodes": [{"name": "s1", "kind": "switch"}, {"name": "s2", "kind": "switch"}], "links": [],
    });
    std::fs::write(folder.join("switches.json"), switches.to_string()).expect("the folder exists");
    let ports = [&["1=a1@1G", "2=a2@1G", "3=a3@1G"][..], &["2=b2@1G", "3=b3@1G"]];
    let network = Network::start_with(&folder, &path("switches.json"), "learn", ports);
    let agent =
        ["--name", "h1", "--addresses", "10.0.0.9", "--sources", "stdin", "--server", &network.uploads];
    let spool = path("spool-h1");
    let _agent = Daemon::start(&[&["agent", "--spool", &spool], &agent[..]].concat());
    let file = path("daemons.json");
    let learned = || {
        std::fs::write(&file, json(&network.rest, "/api/v1/daemons").to_string()).expect("the folder exists");
        let ran =
            crate::support::harrier(&["topology", "from-lldp", &file, "--rate-gbps", "1", "--cable-m", "0"]);
        let topology: Option<Value> = serde_json::from_str(&ran.stdout).ok();
        topology.filter(|_| ran.status == 0)
    };
    let link =
        |a: &str, b: &str, gbps: u64| json!({"a": a, "b": b, "rate": gbps * 1_000_000_000, "delay": 0});
    // This thread's namespace has no sysfs of its own, so that no interface has a known speed.
    let links = json!([link("s1:1", "h1:1", 1), link("s1:2", "s2:2", 1), link("s1:3", "s2:3", 1)]);
    wait_until("all cables are learned", || learned().is_some_and(|topology| topology["links"] == links));
    let host = json!({"name": "h1", "kind": "host", "addresses": ["10.0.0.9"]});
    assert!(
        learned().is_some_and(|topology| topology["nodes"].as_array().is_some_and(|n| n.contains(&host)))
    );
    assert_eq!(network.cables(), Vec::<String>::new());
}

#[test]
fn an_agent_announces_the_interfaces_of_its_host() {
    if !enter_namespace() {
        return;
    }
    veth("h1", "a1", 9000);
    ip("address add 10.0.0.9/24 dev h1");
    let folder = scratch("discovery-agent");
    let topology = topology(&folder);
    let path = |name: &str| folder.join(name).display().to_string();
    let server = Daemon::start(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--upload-listen",
        "127.0.0.1:0",
        "--store",
        &path("harrier.db"),
        "--topology",
        &topology,
    ]);
    let (rest, uploads) = (server.line("listening on "), server.line("uploads on "));
    let _agent = Daemon::start(&[
        "agent",
        "--name",
        "h1",
        "--addresses",
        "10.0.0.1",
        "--server",
        &uploads,
        "--spool",
        &path("spool"),
        "--sources",
        "stdin",
    ]);
    wait_until("the server shows the interface", || {
        let daemons = json(&rest, "/api/v1/daemons");
        let interfaces = daemons["daemons"][0]["interfaces"].as_array().cloned().unwrap_or_default();
        interfaces.iter().any(|interface| {
            interface["name"] == "h1"
                && interface["mtu_bytes"] == 9000
                && interface["is_up"] == true
                && interface["addresses"] == json!(["10.0.0.9"])
                && interface["mac"].as_str().is_some_and(|mac| mac.len() == 17)
        })
    });
    // The topology says something else.
    let problems = json(&rest, "/api/v1/daemons")["problems"].to_string();
    assert!(problems.contains("the topology gives 10.0.0.1 to this host"), "{problems}");
}
