//! Tokens of REST: created, used, withdrawn; and where they are required.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

use crate::network::{Network, runtime};
use crate::process::{Daemon, request, request_as, wait_until};
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
    assert!(
        again.stderr.contains("tokens.toml: no token is created: `grafana` has a token already"),
        "{}",
        again.stderr
    );
    assert_eq!(token(&file, &["create", "--name", "ops", "--role", "operator"]).status, 0);
    let list = token(&file, &["list"]).stdout;
    let rows: Vec<_> = list.lines().map(|row| row.rsplit_once('\t').unwrap().0).collect();
    assert_eq!(rows, ["grafana\tviewer", "ops\toperator"]);

    assert_eq!(token(&file, &["revoke", "--name", "grafana"]).status, 0);
    let unknown = token(&file, &["revoke", "--name", "grafana"]);
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("tokens.toml: no token is revoked: `grafana` has no token"),
        "{}",
        unknown.stderr
    );
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

/// Changes of several processes at once: `harrier token` and a server, each with a file that it replaces as a whole.
#[test]
fn changes_from_the_command_line_and_over_rest_at_once_are_all_kept() {
    const EACH: usize = 8;
    let network = Network::new("token-race");
    let file = network.path("tokens.toml");
    let admin = token(&file, &["create", "--name", "root", "--role", "admin"]).stdout.trim().to_string();
    let (_server, rest, _) = network.serve("127.0.0.1:0", &["--tokens", &file]);
    let names = || -> Vec<String> {
        let list = token(&file, &["list"]).stdout;
        let mut names: Vec<_> = list.lines().map(|row| row.split('\t').next().unwrap().to_string()).collect();
        names.sort_unstable();
        names
    };
    let expected = |first: usize| {
        let of = |kind: &str| (first..EACH).map(|n| format!("{kind}-{n}")).collect::<Vec<_>>();
        [of("cli"), of("rest"), vec!["root".to_string()]].concat()
    };
    std::thread::scope(|scope| {
        for n in 0..EACH {
            let (file, rest, admin) = (&file, &rest, &admin);
            scope.spawn(move || {
                let created = token(file, &["create", "--name", &format!("cli-{n}"), "--role", "viewer"]);
                assert_eq!((created.status, created.stderr.as_str()), (0, ""));
            });
            scope.spawn(move || {
                let body = format!(r#"{{"name": "rest-{n}", "role": "viewer"}}"#);
                assert_eq!(request_as(admin, rest, "POST", "/api/v1/tokens", &body).0, 201);
            });
        }
    });
    assert_eq!(names(), expected(0));
    // Half of each kind is revoked, by the other way.
    std::thread::scope(|scope| {
        for n in 0..EACH / 2 {
            let (file, rest, admin) = (&file, &rest, &admin);
            scope.spawn(move || {
                assert_eq!(token(file, &["revoke", "--name", &format!("rest-{n}")]).status, 0);
            });
            scope.spawn(move || {
                let path = format!("/api/v1/tokens/cli-{n}");
                // The server has read the file under the lock, so that it knows the other process' tokens.
                assert_eq!(request_as(admin, rest, "DELETE", &path, "").0, 204);
            });
        }
    });
    assert_eq!(names(), expected(EACH / 2));
    assert!(!std::path::Path::new(&format!("{file}.new")).exists());
}

#[test]
fn a_change_waits_for_another_process_and_fails_with_a_reason() {
    let network = Network::new("token-lock");
    let file = network.path("tokens.toml");
    let lock = std::fs::File::create(format!("{file}.lock")).unwrap();
    lock.lock().unwrap();
    let ran = token(&file, &["create", "--name", "eve", "--role", "viewer"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.stderr.contains("another process has") && ran.stderr.contains("tokens.toml.lock"),
        "{}",
        ran.stderr
    );
    drop(lock);
    assert_eq!(token(&file, &["create", "--name", "eve", "--role", "viewer"]).status, 0);
}

/// Sends a request from one of the machine's loopback addresses; returns the answer.
fn send_from(source: &str, rest: &str, request: &str, headers: &str) -> String {
    let head = format!("{request} HTTP/1.1\r\nHost: {rest}\r\nConnection: close\r\n{headers}\r\n");
    runtime().block_on(async {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{source}:0").parse().unwrap()).unwrap();
        let mut stream = socket.connect(rest.parse().unwrap()).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    })
}

#[test]
fn only_a_configured_proxy_names_the_user() {
    let network = Network::new("token-proxy");
    let roles = [("HARRIER_SERVE_PROXY_ROLES", "noc=viewer,net-ops=operator,platform=admin")];
    let log = std::fs::File::create(network.path("log")).unwrap();
    let topology = network.path("topology.json");
    let store = network.path("harrier.db");
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--upload-listen",
        "127.0.0.1:0",
        "--store",
        &store,
        "--topology",
        &topology,
        "--proxies",
        "127.0.0.2",
    ];
    let server = Daemon::start_with_log_and_variables(&arguments, log, &roles);
    let rest = server.line("listening on ");
    let check = |source: &str, request: &str, headers: &str, expected: &[&str]| {
        let answer = send_from(source, &rest, request, headers);
        for part in expected {
            assert!(answer.contains(part), "{source} {request} {headers}: no `{part}` in {answer}");
        }
    };
    let of =
        |user: &str, groups: &str| format!("X-Forwarded-User: {user}\r\nX-Forwarded-Groups: {groups}\r\n");
    let (read, ask, tokens) = ("GET /api/v1/topology", "POST /api/v1/queries", "GET /api/v1/tokens");
    check("127.0.0.2", read, &of("alice", "staff,noc"), &["HTTP/1.1 200 "]);
    check(
        "127.0.0.2",
        ask,
        &of("alice", "noc"),
        &["HTTP/1.1 403 ", "needs the role operator; `alice` is viewer"],
    );
    // The body is missing, so that an operator gets past the check of the role and no further.
    check("127.0.0.2", ask, &of("bob", "net-ops"), &["HTTP/1.1 415 "]);
    check("127.0.0.2", tokens, &of("bob", "net-ops"), &["HTTP/1.1 403 ", "needs the role admin"]);
    check("127.0.0.2", tokens, &of("carol", "platform"), &["HTTP/1.1 404 ", "this server has no tokens"]);
    check("127.0.0.2", read, &of("dave", "staff"), &["HTTP/1.1 403 ", "no group of `dave` has a role"]);
    check("127.0.0.2", read, "", &["HTTP/1.1 401 "]);

    // The same headers from another address are not believed, whatever the client claims about its address.
    let spoofed =
        format!("{}X-Forwarded-For: 127.0.0.2\r\nX-Real-IP: 127.0.0.2\r\n", of("mallory", "platform"));
    let reason = "`x-forwarded-user` from 127.0.0.1 is ignored, because that address is not in `proxies`";
    for request in [read, ask, tokens] {
        check("127.0.0.1", request, &spoofed, &["HTTP/1.1 401 ", reason]);
    }
    let log = || std::fs::read_to_string(network.path("log")).unwrap();
    wait_until("changes and rejections are logged", || log().matches("is ignored").count() == 3);
    let audit = log();
    let line = |parts: &[&str]| audit.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    let bob =
        ["audit", "name=\"bob\"", "role=\"operator\"", "via=\"proxy\"", "peer=\"127.0.0.2\"", "status=415"];
    assert!(line(&bob), "{audit}");
    assert!(line(&["audit", "peer=127.0.0.1", "is ignored"]), "{audit}");
    assert!(!audit.contains("mallory"), "{audit}");
}

#[test]
fn roles_without_proxies_and_proxies_without_roles_are_mistakes() {
    let network = Network::new("token-proxy-config");
    let path = network.path("serve.toml");
    for (text, expected) in [
        ("proxies = [\"10.1.0.7\"]\n", ":1:1: proxies: needs `proxy_roles`"),
        ("proxy_roles = [\"noc=viewer\"]\n", ":1:1: proxy_roles: needs `proxies`"),
        (
            "proxies = [\"10.1.0.0/33\"]\nproxy_roles = [\"noc=viewer\"]\n",
            "`10.1.0.0/33` is not an IP address",
        ),
        ("proxies = [\"10.1.0.7\"]\nproxy_roles = [\"noc=king\"]\n", "`noc=king` is not `GROUP=ROLE`"),
    ] {
        std::fs::write(&path, text).unwrap();
        let ran = harrier(&["config", "check", &path]);
        assert!(ran.status == 1 && ran.stdout.contains(expected), "{text}: {}", ran.stdout);
    }
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
    // The file of tokens does not exist yet.
    assert_eq!(harrier(&["config", "check", "--no-files", &path]).status, 0);

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
