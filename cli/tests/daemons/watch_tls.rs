//! `harrier watch` reads P4 switches over TLS: `p4runtimes://`, with certificates of `harrier pki`.

use std::fs;

use crate::network::Network;
use crate::process::{Daemon, wait_until};
use crate::support::{harrier, repository};

/// An authority in a folder of the test.
struct Authority {
    folder: String,
}

impl Authority {
    fn new(network: &Network, name: &str) -> Authority {
        let folder = network.path(name);
        assert_eq!(harrier(&["pki", "init", &folder]).status, 0);
        Authority { folder }
    }

    /// Issues a certificate and returns the path of its files without their ends.
    fn issue(&self, role: &str, name: &str, more: &[&str]) -> String {
        let fixed = ["pki", "issue", &self.folder, "--role", role, "--name", name];
        let issued = harrier(&[fixed.as_slice(), more].concat());
        assert_eq!(issued.status, 0, "{}", issued.stderr);
        format!("{}/{role}-{name}", self.folder)
    }

    fn certificates(&self) -> String {
        format!("{}/ca.pem", self.folder)
    }

    /// The options of a daemon with a new certificate of this authority.
    fn options(&self, role: &str, name: &str, more: &[&str]) -> [String; 6] {
        let own = self.issue(role, name, more);
        [
            "--tls-ca".into(),
            self.certificates(),
            "--tls-certificate".into(),
            format!("{own}.pem"),
            "--tls-key".into(),
            format!("{own}.key"),
        ]
    }

    /// A switch with two ports and a certificate of this authority for its name and `more`, which accepts clients of
    /// the authority `clients`. Returns it with its address.
    fn switch(&self, name: &str, more: &[&str], clients: &Authority) -> (Daemon, String) {
        let own = self.issue("switch", name, more);
        let (certificate, key) = (format!("{own}.pem"), format!("{own}.key"));
        let tls = ["--tls-cert", &certificate, "--tls-key", &key, "--client-ca", &clients.certificates()];
        let program = repository("p4/switch/tests/programs/router.p4").display().to_string();
        let fixed = ["switch", &program, "--listen", "127.0.0.1:0", "--ports", "2"];
        let daemon = Daemon::start(&[fixed.as_slice(), tls.as_slice()].concat());
        let address = daemon.line("listening on ");
        (daemon, address)
    }

    /// A watcher with a certificate of this authority for a role. Returns it with the path of its log.
    fn watch(&self, network: &Network, role: &str, switches: &[String]) -> (Daemon, String) {
        let tls = self.options(role, "w1", &[]);
        let tls = tls.each_ref().map(String::as_str);
        let mut arguments = [["watch", "--interval", "300ms"].as_slice(), tls.as_slice()].concat();
        arguments.extend(switches.iter().map(String::as_str));
        let log = network.path(&format!("log-{role}"));
        (Daemon::start_with_log(&arguments, fs::File::create(&log).unwrap()), log)
    }
}

/// What a certificate needs for the address of the tests.
const AT_LOOPBACK: [&str; 2] = ["--address", "127.0.0.1"];

#[test]
fn p4_switches_are_read_over_tls_and_one_of_another_authority_is_not() {
    let network = Network::new("watch-tls");
    let [own, other] = ["own", "other"].map(|name| Authority::new(&network, name));
    let (_s1, of_s1) = own.switch("s1", &AT_LOOPBACK, &own);
    let (_s2, of_s2) = other.switch("s2", &AT_LOOPBACK, &own);
    // Its certificate has its name alone.
    let (_s3, of_s3) = own.switch("s3", &[], &own);
    // It trusts the certificates of clients of the other authority alone.
    let (_s4, of_s4) = own.switch("s4", &AT_LOOPBACK, &other);
    let address = |name: &str, of: &str| format!("{name}=p4runtimes://{of}");
    let switches =
        [address("s1", &of_s1), address("s2", &of_s2), address("s3", &of_s3), address("s4", &of_s4)];
    let (_watcher, log) = own.watch(&network, "watcher", &switches);
    let read = || fs::read_to_string(&log).unwrap();
    let failed = |of: &str| {
        let start = format!("p4runtimes://{of}/1: cannot be read: ");
        read().lines().find_map(|line| Some(line.strip_prefix(&start)?.to_string()))
    };
    wait_until("the switch of the own authority is read", || read().contains("s1: 2 ports are read"));
    wait_until("the others are not", || [&of_s2, &of_s3, &of_s4].iter().all(|of| failed(of).is_some()));
    for of in [&of_s2, &of_s3] {
        let reason = failed(of).unwrap();
        assert!(reason.contains("--tls-ca, for the host of the address"), "{reason}");
        assert_eq!(reason.matches("invalid peer certificate").count(), 1, "{reason}");
    }
    assert!(failed(&of_s1).is_none(), "{}", read());
    assert_eq!(read().matches("ports are read").count(), 1, "{}", read());
}

#[test]
fn a_switch_is_read_by_watchers_and_not_by_agents() {
    let network = Network::new("watch-tls-roles");
    let own = Authority::new(&network, "own");
    let (_s1, of_s1) = own.switch("s1", &AT_LOOPBACK, &own);
    let switches = [format!("s1=p4runtimes://{of_s1}")];
    let (_agent, log) = own.watch(&network, "agent", &switches);
    wait_until("the certificate of an agent is refused", || {
        fs::read_to_string(&log).unwrap().contains("does not have the name *.controller.harrier")
    });
    let (_watcher, log) = own.watch(&network, "watcher", &switches);
    wait_until("that of a watcher is accepted", || {
        fs::read_to_string(&log).unwrap().contains("s1: 2 ports are read")
    });
}

#[test]
fn a_controller_uploads_what_counters_show_with_the_name_of_a_watcher() {
    let network = Network::new("controller-tls");
    let own = Authority::new(&network, "own");
    let tls = own.options("server", "server", &AT_LOOPBACK);
    let (_server, _, uploads) = network.serve("127.0.0.1:0", &tls.each_ref().map(String::as_str));
    // Controllers know a switch by the name in its certificate, and so does what reads its ports.
    let (_s1, of_s1) = own.switch("s1", &[], &own);
    let topology = network.path("topology.json");
    let start = |name: &str, more: &[&str]| {
        let (tls, spool, log) =
            (own.options("controller", name, more), network.path(name), network.log(name));
        let switches = format!("s1={of_s1}/1");
        let fixed = ["controller", "--name", name, "--topology", &topology, "--switches", &switches];
        let upload = ["--server", &uploads, "--spool", &spool];
        // No switch listens there: the links are what counts.
        let counters = ["--counter-interval", "300ms", "--counter-switches", "sonic://127.0.0.1:1"];
        let tls = tls.each_ref().map(String::as_str);
        let arguments = [fixed.as_slice(), &upload, &counters, &tls].concat();
        (Daemon::start_with_log(&arguments, fs::File::create(&log).unwrap()), log)
    };
    let read = |log: &str| fs::read_to_string(log).unwrap();
    let connections = |log: &str| read(log).matches("connected to the server").count();
    let (mut honest, log) = start("c1", &["--dns", "c1.watcher.harrier"]);
    wait_until("both links are connected", || connections(&log) == 2);
    wait_until("the ports of the switch are read", || read(&log).contains("s1: 2 ports are read"));
    assert_eq!(honest.terminate(), Some(0));
    let (_other, log) = start("c2", &[]);
    wait_until("the certificate without the second name is rejected", || {
        read(&log).contains("the certificate does not have the DNS name c2.watcher.harrier")
    });
    wait_until("the link of the controller is connected", || connections(&log) == 1);
}
