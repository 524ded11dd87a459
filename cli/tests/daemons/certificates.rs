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
        let mut flags: Vec<&str> = tls.iter().map(String::as_str).collect();
        // Plain health for the test: the address is a loopback address.
        flags.extend(["--health-listen", "127.0.0.1:0", "--log-level", "warn"]);
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
    drop(liar);
    let (mut honest, log) = start(&h1, "honest");
    assert_eq!(honest.terminate(), Some(0));
    assert!(!logged(&log, "h1.agent.harrier"), "{}", std::fs::read_to_string(&log).unwrap());
}
