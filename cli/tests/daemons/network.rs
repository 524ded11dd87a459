//! A network of two hosts and one switch, and the daemons for it.

use std::net::UdpSocket;
use std::path::{Path, PathBuf};

use model::topology::{Link, Node, NodeKind};
use model::{Rate, Time, Topology};

use crate::process::Daemon;
use crate::support::scratch;

/// The flow that the tests watch, from h1 to h2.
pub(crate) const FLOW: &str = "10.0.0.1:10000>10.0.0.2:4791/udp";

/// The files of a test.
pub(crate) struct Network {
    pub(crate) folder: PathBuf,
}

impl Network {
    /// Creates an empty folder with the topology.
    pub(crate) fn new(test: &str) -> Network {
        let folder = scratch(&format!("daemons-{test}"));
        std::fs::write(folder.join("topology.json"), serde_json::to_string(&topology()).unwrap()).unwrap();
        Network { folder }
    }

    /// Adds a second switch `s2`, on no path between h1 and h2.
    pub(crate) fn with_second_switch(self) -> Network {
        let mut topology = topology();
        topology.nodes.extend([node("h3", Some("10.0.0.3")), node("s2", None)]);
        topology.links.push(link("h3:1", "s2:1"));
        let text = serde_json::to_string(&topology).unwrap();
        std::fs::write(self.folder.join("topology.json"), text).unwrap();
        self
    }

    /// Adds a second switch `s2` on the path from h1 to h2, behind s1.
    pub(crate) fn with_second_hop(self) -> Network {
        let mut topology = topology();
        topology.nodes.push(node("s2", None));
        topology.links = vec![link("h1:1", "s1:1"), link("s1:2", "s2:1"), link("h2:1", "s2:2")];
        let text = serde_json::to_string(&topology).unwrap();
        std::fs::write(self.folder.join("topology.json"), text).unwrap();
        self
    }

    /// Returns the path of a file as text.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Returns the path of a controller's log.
    pub(crate) fn log(&self, name: &str) -> String {
        self.path(&format!("log-{name}"))
    }

    /// Starts a server; returns it with its addresses of REST and of uploads.
    pub(crate) fn serve(&self, uploads: &str, more: &[&str]) -> (Daemon, String, String) {
        let topology = self.path("topology.json");
        self.serve_blind(uploads, &[&["--topology", topology.as_str()], more].concat())
    }

    /// Starts a server without a topology, which stores snapshots and analyses none.
    pub(crate) fn serve_blind(&self, uploads: &str, more: &[&str]) -> (Daemon, String, String) {
        let store = self.path("harrier.db");
        let fixed = ["serve", "--listen", "127.0.0.1:0", "--upload-listen", uploads, "--store", &store];
        let server = Daemon::start(&[&fixed, more].concat());
        let rest = server.line("listening on ");
        let uploads = server.line("uploads on ");
        (server, rest, uploads)
    }

    /// Starts the agent of a host, which reads measurements from its standard input.
    pub(crate) fn agent(&self, host: &str, addresses: &str, server: &str, more: &[&str]) -> Daemon {
        self.agent_with_variables(host, addresses, server, more, &[])
    }

    /// Starts an agent with more variables in its environment.
    pub(crate) fn agent_with_variables(
        &self,
        host: &str,
        addresses: &str,
        server: &str,
        more: &[&str],
        variables: &[(&str, &str)],
    ) -> Daemon {
        let spool = self.path(&format!("spool-{host}"));
        let fixed = [
            "agent",
            "--name",
            host,
            "--addresses",
            addresses,
            "--server",
            server,
            "--spool",
            &spool,
            "--sources",
            "stdin",
            "--min-samples",
            "1",
            "--flow-interval-ns",
            "0",
            "--recovered-interval-ns",
            "0",
            "--follow-up-ns",
            "0",
            "--polls-per-second",
            "100000",
            "--burst",
            "1000",
        ];
        let mut agent = Daemon::start_with_variables(&[&fixed, more].concat(), variables);
        if more.contains(&"--health-listen") {
            agent.health = agent.line("health on ");
        }
        agent.line("ready");
        agent
    }

    /// Starts a controller of the switch at this P4Runtime address; returns it with its address of health.
    pub(crate) fn controller(&self, name: &str, switch: &str, server: &str) -> (Daemon, String) {
        self.controller_of(name, &format!("s1={switch}/1"), server)
    }

    /// Starts a controller of several switches; its log is in `log-NAME`, after that of its predecessor.
    pub(crate) fn controller_of(&self, name: &str, switches: &str, server: &str) -> (Daemon, String) {
        self.controller_with(name, switches, server, &[])
    }

    /// The same, with more options.
    pub(crate) fn controller_with(
        &self,
        name: &str,
        switches: &str,
        server: &str,
        more: &[&str],
    ) -> (Daemon, String) {
        let (topology, spool) = (self.path("topology.json"), self.path(&format!("spool-{name}")));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log(name)).unwrap();
        let arguments = [
            "controller",
            "--name",
            name,
            "--topology",
            &topology,
            "--switches",
            switches,
            "--server",
            server,
            "--spool",
            &spool,
            "--health-listen",
            "127.0.0.1:0",
            // Long enough for a busy machine.
            "--read-timeout-ms",
            "30000",
            "--event-timeout-ms",
            "60000",
        ];
        let controller = Daemon::start_with_log(&[&arguments, more].concat(), log);
        let health = controller.line("health on ");
        controller.line("ready");
        (controller, health)
    }
}

/// A switch whose ports 1 and 2 are tunnels to this test.
pub(crate) struct Switch {
    pub(crate) daemon: Daemon,
    pub(crate) address: String,
    port_1: UdpSocket,
    towards: std::net::SocketAddr,
}

impl Switch {
    /// Starts it without a program.
    pub(crate) fn start() -> Switch {
        let port_1 = UdpSocket::bind("127.0.0.1:0").unwrap();
        // The switch binds a port that was free a moment ago.
        let towards = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let tunnel = format!("1=udp:{towards},{}", port_1.local_addr().unwrap());
        let arguments =
            ["switch", "--no-program", "--listen", "127.0.0.1:0", "--ports", "2", "--port", &tunnel];
        let daemon = Daemon::start(&arguments);
        let address = daemon.line("listening on ");
        Switch { daemon, address, port_1, towards }
    }

    /// Sends the frame of a line that an agent has printed for a polling packet.
    pub(crate) fn inject(&self, line: &str) {
        let line: serde_json::Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let hex = line["poll"].as_str().expect("a polling packet");
        let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal");
        let frame: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
        self.port_1.send_to(&frame, self.towards).expect("a local socket");
    }

    /// Sends a frame into port 1.
    pub(crate) fn send(&self, frame: &model::wire::Frame) {
        let mut bytes = frame.head.to_vec();
        bytes.resize(frame.len() as usize, 0);
        self.port_1.send_to(&bytes, self.towards).expect("a local socket");
    }
}

fn node(name: &str, address: Option<&str>) -> Node {
    Node {
        name: name.into(),
        kind: if address.is_some() { NodeKind::Host } else { NodeKind::Switch },
        addresses: address.map(|address| address.parse().unwrap()).into_iter().collect(),
    }
}

fn link(a: &str, b: &str) -> Link {
    let (a, b) = (a.parse().unwrap(), b.parse().unwrap());
    Link { a, b, rate: Rate::from_gbps(100), delay: Time::from_us(1) }
}

fn topology() -> Topology {
    Topology {
        nodes: vec![node("h1", Some("10.0.0.1")), node("h2", Some("10.0.0.2")), node("s1", None)],
        links: vec![link("h1:1", "s1:1"), link("h2:1", "s1:2")],
    }
}

/// Returns measurements that open a flow with a base of 9 us.
pub(crate) fn opened(flow: &str) -> String {
    format!(r#"{{"event": "opened", "flow": "{flow}", "priority": 3, "base_ns": 9000}}"#)
}

/// Returns a measurement of a round trip.
pub(crate) fn acknowledged(flow: &str, rtt_ns: u64) -> String {
    format!(r#"{{"event": "acknowledged", "flow": "{flow}", "rtt_ns": {rtt_ns}}}"#)
}

/// Opens the store of a stopped server.
pub(crate) fn store(folder: &Path) -> store::Store {
    let url = format!("sqlite:{}", folder.join("harrier.db").display());
    runtime().block_on(store::Store::open(&url)).expect("a store")
}

/// Returns a runtime for calls of the store.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}
