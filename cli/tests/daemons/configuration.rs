//! Configuration: every mistake with its position, and nothing left behind.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::network::Network;
use crate::process::{Daemon, get, wait_until};
use crate::support::{harrier, harrier_with, repository, scratch};

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
        let checked = harrier(&["config", "check", "--no-files", &file.display().to_string()]);
        assert_eq!((checked.status, checked.stdout.as_str()), (0, ""), "{daemon}");
    }
}

/// Checks a file of a daemon: the lines of the output after the file's name. `FOLDER` is the folder of the file.
fn check(daemon: &str, text: &str, expected: &[&str]) {
    static CHECKS: AtomicU32 = AtomicU32::new(0);
    let number = CHECKS.fetch_add(1, Ordering::Relaxed);
    let network = Network::new(&format!("check-{daemon}-{number}"));
    let path = network.path(&format!("{daemon}.toml"));
    let folder = network.folder.display().to_string();
    std::fs::write(&path, text).unwrap();
    let ran = harrier(&["config", "check", &path]);
    let lines = ran.stdout.lines().map(|line| line.strip_prefix(&path).unwrap_or(line));
    let lines: Vec<String> = lines.map(|line| line.replace(&folder, "FOLDER")).collect();
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
fn every_element_and_every_contradiction_is_reported_at_once() {
    check(
        "agent",
        "interface = \"eth1\"\naddresses = [\"x\", \"10.0.0.300\"]\nsources = [\"socket\"]\nfollow_up_ns = \"z\"\n",
        &[
            ":2:14: addresses: `x` is not an IP address",
            ":2:19: addresses: `10.0.0.300` is not an IP address",
            ":3:1: sources: `socket` also needs the key socket",
            ":4:16: follow_up_ns: this is a text in quotes; expected a whole number from 0 to 60000000000",
            ": spool: missing: the folder for records that are not acknowledged yet",
        ],
    );
    // A key that is a mistake contradicts nothing, whatever the others say.
    check(
        "controller",
        "spool = 1\nswitches = [\"sw1\", \"sw2=h:0/1\"]\nevent_timeout_ms = 0\ntls_key = 3\ntls_ca = \"ca.pem\"\n",
        &[
            ":1:9: spool: this is a number; expected a path",
            ":2:13: switches: `sw1`: there is no `=`; expected NAME=HOST:PORT/DEVICE_ID",
            ":2:20: switches: `sw2=h:0/1`: `h:0` is not a host and port, e.g. server.example:9560; expected \
             NAME=HOST:PORT/DEVICE_ID",
            ":3:20: event_timeout_ms: 0 is out of range: expected a whole number from 1 to 600000",
            ":4:11: tls_key: this is a number; expected a path",
            ":5:1: tls_ca: also needs tls_certificate",
            ":5:1: tls_ca: cannot read FOLDER/ca.pem: No such file or directory (os error 2)",
        ],
    );
}

#[test]
fn ordinary_switches_of_a_controller_are_checked() {
    let fixed = "spool = \"s\"\nswitches = [\"sw1=127.0.0.1:9559/1\"]\n";
    check(
        "controller",
        &format!(
            "{fixed}counter_switches = [\"sonic://leaf1\", \"spine1=http://x\", \"sw1=p4runtime://h\"]\n"
        ),
        &[
            ":3:1: counter_switches: address 2: expected [NAME=]sonic://HOST[:PORT] or gnmi://USER@HOST[:PORT], sonics:// \
             or gnmis:// for TLS, sonic+unix:///PATH, or NAME=p4runtime://HOST[:PORT][/DEVICE_ID]",
            ":3:1: counter_switches: `sw1` is one of `switches`, whose ports are read anyway",
        ],
    );
    check(
        "controller",
        &format!(
            "{fixed}counter_switches = [\"sonic://leaf1\"]\ncounter_interval = \"1h\"\nredis_ca = \"ca.pem\"\n"
        ),
        &[
            ":4:20: counter_interval: `1h`: expected a time from 100ms to 10min",
            ":5:1: redis_ca: FOLDER/ca.pem: cannot be used as certificates: I/O error: No such file or directory (os error 2)",
        ],
    );
    check(
        "controller",
        &format!("{fixed}collect = [\"127.0.0.1:6343\"]\n"),
        &[":3:1: collect: without effect: there are no counter_switches"],
    );
}

#[test]
fn what_a_daemon_refuses_is_a_mistake() {
    check(
        "switch",
        "mac = \"x\"\nport = [\"1=eth0@fast\", \"600=eth0\"]\ncable = [\"1\"]\ntm = \"tm.toml\"\n",
        &[
            ":1:7: mac: `x`: expected six bytes in hexadecimal, e.g. 02:00:00:00:00:01",
            ":2:9: port: `1=eth0@fast`: `fast` is not a rate; expected e.g. 10M, 1G or 25G",
            ":2:24: port: `600=eth0`: port 600 on an interface; expected a number from 1 to 509",
            ":3:10: cable: `1`: expected two port numbers, e.g. 1:2",
            ":4:1: tm: cannot read FOLDER/tm.toml: No such file or directory (os error 2)",
        ],
    );
    check(
        "switch",
        "port = [\"2=lo\", \"2=lo\", \"3=lo\"]\ncable = [\"4:5\"]\n",
        &[
            ":1:1: port: port 2 is attached to both lo and lo",
            ":1:1: port: interface lo is attached to both port 2 and port 3",
            ":1:1: port: a switch has either ports on interfaces or cables and tunnels, not both",
        ],
    );
    check(
        "switch",
        "ports = 4\ncable = [\"1:2\", \"2:5\"]\nport = [\"1=udp:127.0.0.1:7001,127.0.0.1:7002\"]\n",
        &[
            ":2:1: cable: port 2 is connected twice",
            ":2:1: cable: no port 5; the switch has ports 1 to 4",
            ":3:1: port: port 1 is connected twice",
        ],
    );
    check(
        "nic",
        "interface = \"eth1\"\n",
        &[": address: missing: the own address (--address), or a scenario (--scenario)"],
    );
    check(
        "serve",
        "store = \"postgres://bad host\"\nwebhook_link = \"zz\"\n",
        &[
            ":1:1: store: cannot open the store `postgres://bad host/`: error with configuration: invalid domain character",
            ":2:16: webhook_link: `zz`: this is no http or https URL; expected URL",
        ],
    );
}

#[test]
fn files_that_a_configuration_names_are_read() {
    check(
        "serve",
        "topology = \"other.json\"\ntokens = \"tokens.toml\"\nconfigs = [\"sw1=config_db.json\"]\n",
        &[
            ":1:1: topology: cannot read FOLDER/other.json: No such file or directory (os error 2)",
            ":2:1: tokens: cannot read FOLDER/tokens.toml: No such file or directory (os error 2)",
            ":3:1: configs: cannot read FOLDER/config_db.json: No such file or directory (os error 2)",
        ],
    );
    // The daemon's start puts certificates there.
    let certificates = "tls_ca = \"/run/credentials/harrier-serve.service/tls_ca.pem\"\n\
        tls_certificate = \"/run/credentials/harrier-serve.service/tls_server.pem\"\n\
        tls_key = \"/run/credentials/harrier-serve.service/tls_server.key\"\n";
    check("serve", certificates, &[]);
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

/// A daemon exits with status 2 and one error with this text.
fn check_refused(arguments: &[&str], variables: &[(&str, &str)], expected: &str) {
    let ran = harrier_with(arguments, variables);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}: {}", ran.stderr);
    assert!(ran.stderr.contains(expected), "{arguments:?}: {}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{arguments:?}: {}", ran.stderr);
}

#[test]
fn an_error_names_the_flag_the_variable_or_the_line() {
    let network = Network::new("named");
    let path = network.path("switch.toml");
    std::fs::write(&path, "program = \"nope.p4\"\n").unwrap();
    check_refused(&["switch", "--config", &path], &[], &format!("{path}:1:1: program: cannot read "));
    check_refused(&["switch", "/nope.p4"], &[], "PROGRAM: program: cannot read /nope.p4");
    check_refused(&["switch"], &[], "PROGRAM is missing; --no-program waits for a controller to set one");
    let variables = [("HARRIER_SWITCH_PROGRAM", "/nope.p4")];
    check_refused(&["switch"], &variables, "HARRIER_SWITCH_PROGRAM: program: cannot read /nope.p4");
    let expected = "--client-ca: client_ca: also needs tls_cert and tls_key";
    check_refused(&["switch", "--no-program", "--client-ca", "/nope.pem"], &[], expected);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let expected = format!("--listen: listen: cannot listen on {address}");
    check_refused(&["switch", "--no-program", "--listen", &address], &[], &expected);
    check_refused(
        &["switch", "--no-program", "--listen", "0.0.0.0:0"],
        &[],
        "--listen: listen: other machines can reach 0.0.0.0:0, which needs certificates",
    );
    let variables = [("HARRIER_NIC_INTERFACE", "eth77"), ("HARRIER_NIC_ADDRESS", "10.0.0.1")];
    check_refused(&["nic"], &variables, "eth77");
    check_refused(&["nic", "--interface", "eth77"], &[], "--address: address: missing: the own address");
    check_refused(&["agent", "--interface", "lo"], &[], "--spool: spool: missing");
}

#[test]
fn variables_alone_start_a_switch() {
    let variables = [
        ("HARRIER_SWITCH_LISTEN", "127.0.0.1:0"),
        ("HARRIER_SWITCH_PORT", "1=udp:127.0.0.1:0,127.0.0.1:9"),
        ("HARRIER_SWITCH_LOG_FORMAT", "json"),
    ];
    let arguments = ["switch", "--health-listen", "127.0.0.1:0", "--log-level", "warn"];
    let mut switch = Daemon::start_with_variables(&arguments, &variables);
    let health = switch.line("health on ");
    switch.line("listening on ");
    assert_eq!(get(&health, "/readyz"), "ready\n");
    assert_eq!(switch.terminate(), Some(0));
}

#[test]
fn help_and_manual_list_the_variables_of_every_daemon() {
    let folder = scratch("variables");
    assert_eq!(harrier(&["manual", &folder.display().to_string()]).status, 0);
    for (daemon, key) in
        [("switch", "HEALTH_LISTEN"), ("nic", "ADDRESS"), ("agent", "SPOOL"), ("serve", "STORE")]
    {
        let variable = format!("HARRIER_{}_{key}", daemon.to_uppercase());
        let help = harrier(&[daemon, "--help"]).stdout;
        assert!(help.contains(&variable), "{daemon}: no {variable} in its help");
        let page = std::fs::read_to_string(folder.join(format!("harrier-{daemon}.1"))).unwrap();
        assert!(page.contains(&variable), "{daemon}: no {variable} in its page");
    }
}

#[test]
fn a_log_says_once_what_is_wrong() {
    let network = Network::new("said-once");
    let log = network.path("log");
    let file = std::fs::File::create(&log).unwrap();
    let spool = network.path("spool");
    let arguments = ["agent", "--name", "h1", "--addresses", "10.0.0.1", "--sources", "stdin", "--server"];
    let agent = Daemon::start_with_log(&[&arguments[..], &["127.0.0.1:1", "--spool", &spool]].concat(), file);
    agent.line("ready");
    let logged = || std::fs::read_to_string(&log).unwrap();
    wait_until("there is no server", || logged().contains("no connection to the server"));
    assert_eq!(logged().matches("tcp connect error").count(), 1, "{}", logged());
    assert_eq!(logged().matches("Connection refused").count(), 1, "{}", logged());
}

#[test]
fn a_server_that_has_learned_no_network_says_so() {
    let network = Network::new("nothing-learned");
    let (_server, rest, _) = network.serve_blind("127.0.0.1:0", &[]);
    let expected = "no network has been learned yet: no controller has reported a cable";
    assert!(get(&rest, "/readyz").contains(expected), "{}", get(&rest, "/readyz"));
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
    let logged = |text: &str| std::fs::read_to_string(&log).unwrap().contains(text);
    server.signal(nix::sys::signal::Signal::SIGHUP);
    wait_until("it is read again", || logged("no key has changed"));
    assert!(!logged("is reloaded"), "{}", std::fs::read_to_string(&log).unwrap());
    write("debug", 90);
    server.signal(nix::sys::signal::Signal::SIGHUP);
    wait_until("the restart is named", || logged("incident_quiet_s"));
    assert!(logged("changed=\"log_level\""), "{}", std::fs::read_to_string(&log).unwrap());
    assert_eq!(server.terminate(), Some(0));
}
