//! Configuration: every mistake with its position, and nothing left behind.

use crate::network::Network;
use crate::process::Daemon;
use crate::support::{harrier, repository};

#[test]
fn the_examples_are_complete_and_valid() {
    for daemon in ["serve", "controller", "agent", "switch", "nic", "watch"] {
        let file = repository(&format!("deploy/config/{daemon}.toml"));
        let written = std::fs::read_to_string(&file).unwrap();
        let expected = harrier(&["config", "example", daemon]);
        assert_eq!(
            written, expected.stdout,
            "run: harrier config example {daemon} > deploy/config/{daemon}.toml"
        );
        let checked = harrier(&["config", "check", &file.display().to_string()]);
        assert_eq!((checked.status, checked.stdout.as_str()), (0, ""), "{daemon}");
    }
}

/// Checks a file of a daemon: the lines of the output after the file's name.
fn check(daemon: &str, text: &str, expected: &[&str]) {
    let network = Network::new(&format!("check-{daemon}-{}", expected.len()));
    let path = network.path(&format!("{daemon}.toml"));
    std::fs::write(&path, text).unwrap();
    let ran = harrier(&["config", "check", &path]);
    let lines: Vec<&str> = ran.stdout.lines().map(|line| line.strip_prefix(&path).unwrap_or(line)).collect();
    assert_eq!(lines, expected);
    assert_eq!(ran.status, i32::from(!expected.is_empty()));
}

#[test]
fn every_mistake_has_its_position() {
    check(
        "serve",
        "listen = \"127.0.0.1:8080\"\nlisen = 3\nmax_diagnoses = \"x\"\nincident_quiet_s = 999999\n",
        &[
            ":2:1: `lisen` is not a key of serve; did you mean `listen`?",
            ":3:17: max_diagnoses: this is a text in quotes; expected a whole number from 1 to 100000000",
            ":4:20: incident_quiet_s: 999999 is out of range: expected a whole number from 1 to 86400",
        ],
    );
    check(
        "agent",
        "interface = \"eth1\"\nspool = \"s\"\nserver = \"10.9.0.1:9560\"\nsources = [\"socket\"]\n",
        &[
            ":3:1: server: 10.9.0.1:9560 is not a loopback address, which needs certificates (tls_ca, tls_certificate, \
             tls_key)",
            ":4:1: sources: `socket` also needs the key socket",
        ],
    );
}

#[test]
fn a_daemon_with_a_mistake_exits_with_2_and_leaves_nothing_behind() {
    let network = Network::new("refused");
    let path = network.path("serve.toml");
    std::fs::write(&path, "listen = \"0.0.0.0:8080\"\nstore = \"new.db\"\n").unwrap();
    let ran = harrier(&["serve", "--config", &path]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.contains(&format!("{path}:1:1: listen: other machines can reach 0.0.0.0:8080")),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(!network.folder.join("new.db").exists());

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let store = network.path("new.db");
    let ran = harrier(&["serve", "--listen", &address, "--upload-listen", "127.0.0.1:0", "--store", &store]);
    assert_eq!(ran.status, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains(&format!("--listen: listen: cannot listen on {address}")), "{}", ran.stderr);
    assert!(!network.folder.join("new.db").exists());
}

#[test]
fn a_daemon_whose_address_of_health_is_in_use_creates_no_spool() {
    let network = Network::new("busy-health");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (spool, topology) = (network.path("new-spool"), network.path("topology.json"));
    let common = ["--server", "127.0.0.1:9", "--spool", &spool, "--health-listen", &address];
    let agent = ["agent", "--name", "h1", "--addresses", "10.0.0.1", "--sources", "stdin"];
    let controller = ["controller", "--topology", &topology, "--switches", "s1=127.0.0.1:9/1"];
    for daemon in [&agent[..], &controller] {
        let ran = harrier(&[daemon, &common].concat());
        assert_eq!(ran.status, 2, "{}", ran.stderr);
        let expected = format!("--health-listen: health_listen: cannot listen on {address}");
        assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
        assert!(!network.folder.join("new-spool").exists(), "{}", daemon[0]);
    }
}

#[test]
fn an_agent_removes_its_socket_when_it_stops() {
    let network = Network::new("socket");
    let (spool, socket) = (network.path("spool"), network.path("records.sock"));
    let arguments = [
        "agent",
        "--name",
        "h1",
        "--addresses",
        "10.0.0.1",
        "--sources",
        "socket",
        "--socket",
        &socket,
        "--spool",
        &spool,
    ];
    let mut agent = Daemon::start(&arguments);
    agent.line("ready");
    std::os::unix::net::UnixStream::connect(&socket).expect("the agent listens");
    assert_eq!(agent.terminate(), Some(0));
    assert!(!network.folder.join("records.sock").exists());
}

#[test]
fn a_reload_applies_what_it_can_and_names_the_rest() {
    let network = Network::new("reload");
    let path = network.path("serve.toml");
    let log = network.path("log");
    let write = |level: &str, quiet: u32| {
        let text = format!(
            "listen = \"127.0.0.1:0\"\nupload_listen = \"127.0.0.1:0\"\nstore = \"harrier.db\"\nlog_level = \
             \"{level}\"\nincident_quiet_s = {quiet}\n"
        );
        std::fs::write(&path, text).unwrap();
    };
    write("info", 60);
    let file = std::fs::File::create(&log).unwrap();
    let mut server = Daemon::start_with_log(&["serve", "--config", &path], file);
    server.line("uploads on ");
    write("debug", 90);
    server.signal(nix::sys::signal::Signal::SIGHUP);
    let logged = |text: &str| std::fs::read_to_string(&log).unwrap().contains(text);
    crate::process::wait_until("the restart is named", || logged("incident_quiet_s"));
    assert!(logged("changed=\"log_level\""), "{}", std::fs::read_to_string(&log).unwrap());
    assert_eq!(server.terminate(), Some(0));
}
