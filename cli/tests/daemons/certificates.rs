//! Mutual TLS: who a daemon is follows from its certificate.

use crate::network::Network;
use crate::process::{Daemon, wait_until};
use crate::support::harrier;

/// Issues a certificate and returns the flags that use it.
fn issue(network: &Network, role: &str, name: &str) -> [String; 6] {
    let pki = network.path("pki");
    let issued = harrier(&[
        "pki",
        "issue",
        &pki,
        "--role",
        role,
        "--name",
        name,
        "--address",
        "127.0.0.1",
        "--dns",
        "localhost",
    ]);
    assert_eq!(issued.status, 0, "{}", issued.stderr);
    let file = |suffix: &str| format!("{pki}/{role}-{name}.{suffix}");
    [
        "--tls-ca".into(),
        format!("{pki}/ca.pem"),
        "--tls-certificate".into(),
        file("pem"),
        "--tls-key".into(),
        file("key"),
    ]
}

/// The server does not start with these files of certificates; the error names the flag and the file.
fn check_files(network: &Network, tls: &[&str], expected: &str) {
    let store = network.path("harrier.db");
    let fixed = ["serve", "--listen", "127.0.0.1:0", "--upload-listen", "127.0.0.1:0", "--store", &store];
    let ran = harrier(&[&fixed[..], tls].concat());
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains(expected), "no `{expected}` in {}", ran.stderr);
    assert!(!network.folder.join("harrier.db").exists(), "it is found before anything is changed");
}

#[test]
fn files_that_are_no_certificates_are_named() {
    let network = Network::new("certificate-files");
    assert_eq!(harrier(&["pki", "init", &network.path("pki")]).status, 0);
    let [own, other] = ["server", "other"].map(|name| issue(&network, "server", name));
    let [ca, certificate, key] = [&own[1], &own[3], &own[5]].map(String::as_str);
    let (text, other_key) = (network.path("topology.json"), other[5].as_str());
    let flags = |ca, certificate, key| ["--tls-ca", ca, "--tls-certificate", certificate, "--tls-key", key];
    check_files(
        &network,
        &flags(ca, certificate, other_key),
        &format!(
            "--tls-key: tls_key: {other_key} is not the private key of the certificate in {certificate}"
        ),
    );
    check_files(
        &network,
        &flags(&text, certificate, key),
        &format!("--tls-ca: tls_ca: {text}: there is no certificate (PEM) in it"),
    );
    check_files(
        &network,
        &flags(ca, key, certificate),
        &format!("--tls-certificate: tls_certificate: {key}: there is no certificate (PEM) in it"),
    );
    check_files(
        &network,
        &flags(ca, certificate, "/nope.key"),
        "--tls-key: tls_key: cannot read /nope.key: No such file or directory",
    );
}

#[test]
fn a_certificate_decides_for_whom_an_agent_speaks() {
    let network = Network::new("certificates");
    assert_eq!(harrier(&["pki", "init", &network.path("pki")]).status, 0);
    assert_eq!(harrier(&["pki", "init", &network.path("pki")]).status, 2, "an authority is never replaced");
    let [server_tls, h1, h2] = [("server", "server"), ("agent", "h1"), ("agent", "h2")]
        .map(|(role, name)| issue(&network, role, name));
    let tls: Vec<&str> = server_tls.iter().map(String::as_str).collect();
    let (_server, _, uploads) = network.serve("127.0.0.1:0", &tls);
    let start = |tls: &[String], name: &str| -> (Daemon, String) {
        let flags: Vec<&str> = tls.iter().map(String::as_str).collect();
        let log = network.path(&format!("log-{name}"));
        let spool = network.path(&format!("spool-{name}-{}", tls[3].len()));
        let mut arguments = vec!["agent", "--name", "h1", "--addresses", "10.0.0.1", "--sources", "stdin"];
        arguments.extend(["--server", &uploads, "--spool", &spool]);
        arguments.extend(flags);
        let agent = Daemon::start_with_log(&arguments, std::fs::File::create(&log).unwrap());
        agent.line("ready");
        (agent, log)
    };
    let logged = |log: &str, text: &str| std::fs::read_to_string(log).unwrap().contains(text);
    // The certificate of h2 does not permit to speak as h1.
    let (liar, log) = start(&h2, "liar");
    wait_until("the agent with another's certificate is rejected", || logged(&log, "h1.agent.harrier"));
    assert!(!logged(&log, "connected to the server"));
    assert!(!logged(&log, "caller does not have permission"), "the reason in the server's words alone");
    drop(liar);
    let (mut honest, log) = start(&h1, "honest");
    wait_until("the agent with its own certificate is connected", || logged(&log, "connected to the server"));
    assert_eq!(honest.terminate(), Some(0));
    assert!(!logged(&log, "h1.agent.harrier"), "{}", std::fs::read_to_string(&log).unwrap());
}

#[test]
fn a_watcher_uploads_verdicts_with_its_own_certificate_only() {
    let network = Network::new("watcher-certificates");
    assert_eq!(harrier(&["pki", "init", &network.path("pki")]).status, 0);
    let [server_tls, w1, c1] = [("server", "server"), ("watcher", "w1"), ("controller", "w1")]
        .map(|(role, name)| issue(&network, role, name));
    let (_server, _, uploads) = network.serve("127.0.0.1:0", &server_tls.each_ref().map(String::as_str));
    let start = |tls: &[String; 6], log: &str| {
        let (spool, log) = (network.path(&format!("spool-{log}")), network.path(log));
        let mut arguments = vec!["watch", "--name", "w1", "--server", &uploads, "--spool", &spool];
        arguments.extend(tls.iter().map(String::as_str));
        // No switch listens there: the link is what counts.
        arguments.push("sonic://127.0.0.1:1");
        (Daemon::start_with_log(&arguments, std::fs::File::create(&log).unwrap()), log)
    };
    let logged = |log: &str, text: &str| std::fs::read_to_string(log).unwrap().contains(text);
    let (liar, log) = start(&c1, "liar");
    wait_until("the certificate of a controller is rejected", || logged(&log, "w1.watcher.harrier"));
    assert!(!logged(&log, "connected to the server"));
    drop(liar);
    let (mut honest, log) = start(&w1, "honest");
    wait_until("the watcher is connected", || logged(&log, "connected to the server"));
    assert_eq!(honest.terminate(), Some(0));
}

/// Starts a controller of a switch with these certificates; returns it with its log.
fn controller(network: &Network, name: &str, switch: &str, tls: &[String; 6]) -> (Daemon, String) {
    let (topology, spool) = (network.path("topology.json"), network.path(&format!("spool-{name}")));
    let switches = format!("s1={switch}/1");
    let mut arguments = vec!["controller", "--name", name, "--topology", &topology, "--switches", &switches];
    arguments.extend(["--spool", &spool]);
    arguments.extend(tls.iter().map(String::as_str));
    let log = network.log(name);
    let controller = Daemon::start_with_log(&arguments, std::fs::File::create(&log).unwrap());
    controller.line("ready");
    (controller, log)
}

#[test]
fn only_the_certificate_of_a_controller_controls_a_switch() {
    let network = Network::new("roles");
    assert_eq!(harrier(&["pki", "init", &network.path("pki")]).status, 0);
    let [own, c1, h1] = [("switch", "s1"), ("controller", "c1"), ("agent", "h1")]
        .map(|(role, name)| issue(&network, role, name));
    let arguments = ["switch", "--no-program", "--listen", "127.0.0.1:0", "--ports", "2"];
    let tls = ["--client-ca", &own[1], "--tls-cert", &own[3], "--tls-key", &own[5]];
    let switch = Daemon::start(&[&arguments[..], &tls[..]].concat());
    let address = switch.line("listening on ");
    let logged = |log: &str, text: &str| std::fs::read_to_string(log).unwrap().contains(text);

    let (impostor, log) = controller(&network, "impostor", &address, &h1);
    wait_until("the agent's certificate is rejected", || {
        logged(&log, "certificate does not have the name *.controller.harrier")
    });
    assert!(!logged(&log, "the switch is programmed"));
    drop(impostor);
    let (_c1, log) = controller(&network, "c1", &address, &c1);
    wait_until("the controller's certificate is accepted", || logged(&log, "the switch is programmed"));
    drop(switch);

    // Other names, for authorities that issue them.
    let named = ["--client-name", "h1.agent.harrier"];
    let switch = Daemon::start(&[&arguments[..], &tls[..], &named[..]].concat());
    let (_h1, log) = controller(&network, "operator", &switch.line("listening on "), &h1);
    wait_until("the permitted name is accepted", || logged(&log, "the switch is programmed"));
    drop(switch);

    // The key of a configuration file has the same effect.
    let file = network.path("switch.toml");
    std::fs::write(&file, "client_name = [\"h1.agent.harrier\"]\n").unwrap();
    let switch = Daemon::start(&[&arguments[..], &tls[..], &["--config", &file]].concat());
    let address = switch.line("listening on ");
    let (_h1, log) = controller(&network, "from-file", &address, &h1);
    wait_until("the name of the file is accepted", || logged(&log, "the switch is programmed"));
    let (_c1, log) = controller(&network, "c2", &address, &c1);
    wait_until("another name is rejected", || logged(&log, "does not have the name h1.agent.harrier"));
}

#[test]
fn a_server_needs_the_certificate_of_a_server() {
    let network = Network::new("false-server");
    assert_eq!(harrier(&["pki", "init", &network.path("pki")]).status, 0);
    let [h1, h2] = [("agent", "h1"), ("agent", "h2")].map(|(role, name)| issue(&network, role, name));
    // The address is in its certificate as well.
    let (_server, _, uploads) = network.serve("127.0.0.1:0", &h2.each_ref().map(String::as_str));
    let (spool, log) = (network.path("spool"), network.path("log"));
    let mut arguments = vec!["agent", "--name", "h1", "--addresses", "10.0.0.1", "--sources", "stdin"];
    arguments.extend(["--server", &uploads, "--spool", &spool]);
    arguments.extend(h1.iter().map(String::as_str));
    let _agent = Daemon::start_with_log(&arguments, std::fs::File::create(&log).unwrap());
    let logged = |text: &str| std::fs::read_to_string(&log).unwrap().contains(text);
    wait_until("the agent does not connect", || logged("no connection to the server"));
    assert!(logged("server.server.harrier"), "{}", std::fs::read_to_string(&log).unwrap());
    assert!(!logged("connected to the server"));
}
