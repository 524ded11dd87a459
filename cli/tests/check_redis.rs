//! `harrier check redis://...` with a real server: the result for CONFIG_DB equals that for the file.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the test starts a server, fills it over a socket and reads files"
)]

use std::net::TcpListener;
use std::process::Command;

use crate::support::redis::Server;
use crate::support::{harrier, scratch};
use serde_json::Value;

const CONFIG: &str = r#"{
 "DEVICE_METADATA": {"localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "hostname": "s1", "type": "ToRRouter"}},
 "PORT": {"Ethernet0": {"lanes": "1,2", "speed": "100000", "admin_status": "up"}, "Ethernet10": {"lanes": "3,4", "speed": "100000"}},
 "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
 "LOOPBACK_INTERFACE": {"Loopback0": {}},
 "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000", "xoff": "9000000"}},
 "BUFFER_PROFILE": {"p": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "9", "xoff": "1000"}},
 "BUFFER_PG": {"Ethernet0|3-4": {"profile": "p"}, "Ethernet10|3-4": {"profile": "absent"}}
}"#;

/// The findings without positions, which differ between the database and the file.
fn found(report: &Value) -> Vec<(String, String)> {
    let text = |f: &Value, name: &str| f[name].as_str().expect("text").to_string();
    let all = report["findings"].as_array().expect("findings");
    let mut found: Vec<_> = all.iter().map(|f| (text(f, "code"), text(f, "message"))).collect();
    found.sort();
    found
}

fn check(name: &str, password: Option<&str>) {
    let Some(server) = Server::start(name, password) else { return };
    let config: Value = serde_json::from_str(CONFIG).expect("JSON");
    server.load(&config, password);
    let file = scratch(&format!("{name}-file")).join("config_db.json");
    std::fs::write(&file, CONFIG).expect("a file");
    let user = password.map(|p| format!(":{p}@")).unwrap_or_default();
    let url = format!("redis://{user}127.0.0.1:{}/4", server.port);
    let live = harrier(&["check", &url, "--format", "json"]);
    let of_file = harrier(&["check", file.to_str().expect("text"), "--format", "json"]);
    assert_eq!((live.status, of_file.status), (1, 1), "{}", live.stderr);
    let expected = found(&of_file.json());
    assert!(expected.iter().any(|(code, _)| code == "BUF008"), "{expected:?}");
    assert_eq!(found(&live.json()), expected);
    // Without tables, nothing was checked.
    let empty = harrier(&["check", &format!("redis://{user}127.0.0.1:{}/5", server.port)]);
    assert_eq!(empty.status, 2, "{}", empty.stdout);
    assert!(empty.stderr.contains("database 5 has no table"), "{}", empty.stderr);
}

#[test]
fn a_live_configuration_has_the_findings_of_its_file() {
    check("redis-open", None);
}

#[test]
fn a_password_is_sent_and_a_wrong_one_is_rejected() {
    check("redis-password", Some("s3cret"));
    let Some(server) = Server::start("redis-wrong", Some("s3cret")) else { return };
    let ran = harrier(&["check", &format!("redis://:other@127.0.0.1:{}/4", server.port)]);
    assert_eq!(ran.status, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("authentication failed: \"WRONGPASS\""), "{}", ran.stderr);
}

#[test]
fn tls_and_unix_sockets_are_used_and_certificates_checked() {
    let folder = scratch("redis-tls");
    let (pki, socket) = (folder.join("pki"), folder.join("s"));
    let text = |path: &std::path::Path| path.to_str().expect("text").to_string();
    for arguments in [
        vec!["pki", "init", &text(&pki)],
        vec!["pki", "issue", &text(&pki), "--role", "server", "--name", "server", "--dns", "localhost"],
    ] {
        assert_eq!(harrier(&arguments).status, 0, "{arguments:?}");
    }
    let (ca, certificate, key) =
        (pki.join("ca.pem"), pki.join("server-server.pem"), pki.join("server-server.key"));
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
    let tls = port.to_string();
    let options = [
        "--tls-port",
        &tls,
        "--tls-cert-file",
        &text(&certificate),
        "--tls-key-file",
        &text(&key),
        "--tls-ca-cert-file",
        &text(&ca),
        "--tls-auth-clients",
        "no",
        "--unixsocket",
        &text(&socket),
    ];
    let Some(server) = Server::start_with("redis-tls-data", Some("s3cret"), &options) else { return };
    server.load(&serde_json::from_str(CONFIG).expect("JSON"), Some("s3cret"));
    let encrypted = format!("rediss://:s3cret@localhost:{tls}/4");
    let local = format!("unix://{}?db=4&pass=s3cret", text(&socket));
    let found_at = |arguments: &[&str]| {
        let ran = harrier(&[&["check", "--format", "json"], arguments].concat());
        assert_eq!(ran.status, 1, "{}", ran.stderr);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("s3cret"), "{}", ran.stderr);
        found(&ran.json())
    };
    let expected = found_at(&[&format!("redis://:s3cret@127.0.0.1:{}/4", server.port)]);
    assert_eq!(found_at(&[&encrypted, "--redis-ca", &text(&ca)]), expected);
    assert_eq!(found_at(&[&local]), expected);
    // CONFIG_DB is the default, and the password can be in a variable.
    let ran = Command::new(env!("CARGO_BIN_EXE_harrier"))
        .args(["check", "--format", "json", &format!("unix://{}", text(&socket))])
        .env("REDISCLI_AUTH", "s3cret")
        .output()
        .expect("harrier runs");
    assert_eq!(found(&serde_json::from_slice(&ran.stdout).expect("JSON")), expected);
    // Another authority, and another name than that of the certificate.
    assert_eq!(harrier(&["pki", "init", &text(&folder.join("other"))]).status, 0);
    for (address, ca) in
        [(encrypted.clone(), folder.join("other/ca.pem")), (encrypted.replace("localhost", "127.0.0.1"), ca)]
    {
        let ran = harrier(&["check", &address, "--redis-ca", &text(&ca)]);
        assert_eq!(ran.status, 2, "{}", ran.stdout);
        assert!(ran.stderr.contains("certificate"), "{}", ran.stderr);
    }
}
