//! Tokens of REST: created, used, withdrawn; and where they are required.

use crate::network::Network;
use crate::process::{request, request_as, wait_until};
use crate::support::{Ran, harrier};

/// Runs `harrier token` on a file.
fn token(file: &str, args: &[&str]) -> Ran {
    harrier(&[&["token"], args, &["--file", file]].concat())
}

#[test]
fn a_token_is_stored_as_a_hash_and_can_be_listed_and_revoked() {
    let network = Network::new("token-file");
    let file = network.path("tokens.toml");
    let created = token(&file, &["create", "--name", "grafana", "--role", "viewer"]);
    assert_eq!((created.status, created.stderr.as_str()), (0, ""));
    let secret = created.stdout.trim();
    assert!(secret.starts_with("hrr_") && secret.len() == 68, "{secret}");
    assert!(!std::fs::read_to_string(&file).unwrap().contains(secret));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&file).unwrap());
    assert_eq!(mode & 0o777, 0o600);

    let again = token(&file, &["create", "--name", "grafana", "--role", "admin"]);
    assert_eq!(again.status, 2);
    assert!(again.stderr.contains("has a token of `grafana` already"), "{}", again.stderr);
    assert_eq!(token(&file, &["create", "--name", "ops", "--role", "operator"]).status, 0);
    let list = token(&file, &["list"]).stdout;
    let rows: Vec<_> = list.lines().map(|row| row.rsplit_once('\t').unwrap().0).collect();
    assert_eq!(rows, ["grafana\tviewer", "ops\toperator"]);

    assert_eq!(token(&file, &["revoke", "--name", "grafana"]).status, 0);
    let unknown = token(&file, &["revoke", "--name", "grafana"]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stderr.contains("has no token of `grafana`"), "{}", unknown.stderr);
    assert!(token(&file, &["list"]).stdout.starts_with("ops\toperator\t"));
}

#[test]
fn a_malformed_file_says_what_is_wrong_and_where() {
    let network = Network::new("token-malformed");
    let file = network.path("tokens.toml");
    let check = |text: &str, expected: &[&str]| {
        std::fs::write(&file, text).unwrap();
        let ran = token(&file, &["list"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
        for part in expected {
            assert!(ran.stderr.contains(part), "no `{part}` in {}", ran.stderr);
        }
    };
    check("[[token]]\nname = 3\n", &["tokens.toml", "line 2"]);
    check("[[token]]\nname = \"a\"\nrole = \"king\"\nsha256 = \"\"\ncreated = \"\"\n", &["line 3", "viewer"]);
    check(
        "[[token]]\nname = \"a\"\nrole = \"viewer\"\nsha256 = \"12\"\ncreated = \"\"\n",
        &["sha256 of `a` is not 64"],
    );
}

#[test]
fn a_server_with_tokens_serves_their_owners_until_they_are_revoked() {
    let network = Network::new("token-server");
    let file = network.path("tokens.toml");
    let secret = token(&file, &["create", "--name", "eve", "--role", "viewer"]).stdout.trim().to_string();
    let (mut server, rest, _) = network.serve("127.0.0.1:0", &["--tokens", &file]);
    let status = |token: &str, path: &str| request_as(token, &rest, "GET", path, "").0;
    assert_eq!(status("", "/healthz"), 200);
    assert_eq!(status("", "/api/v1/topology"), 401);
    assert_eq!(status("hrr_wrong", "/api/v1/topology"), 401);
    assert_eq!(status(&secret, "/api/v1/topology"), 200);
    let question = r#"{"victim":"10.0.0.1:1>10.0.0.2:4791/udp"}"#;
    assert_eq!(request_as(&secret, &rest, "POST", "/api/v1/queries", question).0, 403);

    assert_eq!(token(&file, &["revoke", "--name", "eve"]).status, 0);
    server.signal(nix::sys::signal::Signal::SIGHUP);
    wait_until("the token is refused", || status(&secret, "/api/v1/topology") == 401);
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn a_terminal_asks_a_server_over_tls() {
    let network = Network::new("token-tls");
    let pki = network.path("pki");
    assert_eq!(harrier(&["pki", "init", &pki]).status, 0);
    let issue = ["pki", "issue", &pki, "--role", "server", "--name", "server", "--address", "127.0.0.1"];
    assert_eq!(harrier(&issue).status, 0);
    let (tokens, secret) = (network.path("tokens.toml"), network.path("token"));
    let created = token(&tokens, &["create", "--name", "eve", "--role", "viewer"]);
    std::fs::write(&secret, created.stdout).unwrap();
    let (ca, certificate, key) = (
        network.path("pki/ca.pem"),
        network.path("pki/server-server.pem"),
        network.path("pki/server-server.key"),
    );
    let tls = ["--tls-ca", &ca, "--tls-certificate", &certificate, "--tls-key", &key, "--tokens", &tokens];
    let (_server, rest, _) = network.serve("127.0.0.1:0", &tls);
    let url = format!("https://{rest}");
    let incidents = |more: &[&str]| harrier(&[&["incidents", "--server", &url], more].concat());
    let ran = incidents(&["--ca", &ca, "--token-file", &secret]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let ran = incidents(&["--ca", &ca]);
    assert!(ran.status == 2 && ran.stderr.contains("No valid token"), "{}", ran.stderr);
    let ran = incidents(&["--token-file", &secret]);
    assert!(ran.status == 2 && ran.stderr.contains("also needs --ca"), "{}", ran.stderr);
    // A certificate of another authority.
    let other = network.path("other");
    assert_eq!(harrier(&["pki", "init", &other]).status, 0);
    let ran = incidents(&["--ca", &network.path("other/ca.pem"), "--token-file", &secret]);
    assert!(ran.status == 2 && ran.stderr.contains("certificate"), "{}", ran.stderr);
}

#[test]
fn a_token_crosses_no_network_in_the_clear() {
    let network = Network::new("token-clear");
    let file = network.path("token");
    std::fs::write(&file, "hrr_secret").unwrap();
    // 192.0.2.1 is for documentation (RFC 5737): nothing answers there, and nothing is to be sent.
    let ran = harrier(&["incidents", "--server", "http://192.0.2.1:8080", "--token-file", &file]);
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("over https only") && !ran.stderr.contains("hrr_secret"), "{}", ran.stderr);
}

#[test]
fn a_server_that_others_reach_needs_tokens() {
    let network = Network::new("token-required");
    assert_eq!(harrier(&["pki", "init", &network.path("pki")]).status, 0);
    let issue = ["pki", "issue", &network.path("pki"), "--role", "server", "--name", "server"];
    assert_eq!(harrier(&issue).status, 0);
    let path = network.path("serve.toml");
    let text = "listen = \"0.0.0.0:0\"\ntls_ca = \"pki/ca.pem\"\ntls_certificate = \"pki/server-server.pem\"\n\
                tls_key = \"pki/server-server.key\"\n";
    std::fs::write(&path, text).unwrap();
    let ran = harrier(&["config", "check", &path]);
    assert_eq!(ran.status, 1);
    assert!(ran.stdout.contains(":1:1: listen: needs `tokens`"), "{}", ran.stdout);
    std::fs::write(&path, format!("{text}tokens = \"tokens.toml\"\n")).unwrap();
    assert_eq!(harrier(&["config", "check", &path]).status, 0);

    let demo = harrier(&["demo", "--listen", "0.0.0.0:0"]);
    assert_eq!(demo.status, 2);
    assert!(demo.stderr.contains("--insecure"), "{}", demo.stderr);
}

#[test]
fn a_server_has_the_names_of_its_configuration() {
    let network = Network::new("token-hosts");
    let (_server, rest, _) = network.serve("127.0.0.1:0", &["--hosts", "harrier.example"]);
    let status = |host: &str| {
        let head = format!("GET /api/v1/topology HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        crate::process::raw(&rest, &head)
    };
    assert!(status("harrier.example").starts_with("HTTP/1.1 200"));
    assert!(status("evil.test").starts_with("HTTP/1.1 421"));
    assert_eq!(request(&rest, "GET", "/api/v1/topology", "").0, 200);
}
