//! Webhooks of a server: a real receiver in this process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use model::{Anomaly, Cause, Diagnosis, FlowKey, ProvenanceGraph, RootCause, Severity};
use serde_json::Value;

use crate::network::{Network, runtime, store};
use crate::process::{metric, request, wait_until};

/// A request that was received: its head in lower case, and its body.
struct Received {
    head: String,
    body: Value,
}

/// Starts a receiver that answers with these statuses in turn, then with 200. Returns its address and what it receives.
fn receiver(statuses: &'static [&'static str]) -> (String, Receiver<Received>) {
    receiver_with(statuses.iter().copied().chain(std::iter::repeat("200 OK")))
}

/// Starts a receiver that answers with these statuses in turn.
fn receiver_with(
    statuses: impl Iterator<Item = &'static str> + Send + 'static,
) -> (String, Receiver<Received>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, received) = channel();
    std::thread::spawn(move || {
        for (stream, status) in listener.incoming().map_while(Result::ok).zip(statuses) {
            let mut reader = BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|bytes| bytes > 0) {}
            let head = head.to_lowercase();
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            let mut body = vec![0; length.and_then(|length| length.parse().ok()).unwrap_or(0)];
            // A server that is killed may have sent a part of it.
            if reader.read_exact(&mut body).is_err() {
                continue;
            }
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            let _ = reader.get_mut().write_all(answer.as_bytes());
            let body = serde_json::from_slice(&body).unwrap();
            if sender.send(Received { head, body }).is_err() {
                return;
            }
        }
    });
    (address, received)
}

fn next(received: &Receiver<Received>) -> Received {
    received.recv_timeout(Duration::from_secs(60)).expect("a notification")
}

/// Stores a diagnosis, whose incident is open when the server starts.
fn with_an_incident(network: &Network) {
    let victim: FlowKey = "10.0.0.1:10000>10.0.0.2:4791/udp".parse().unwrap();
    let diagnosis = Diagnosis {
        id: "d".into(),
        time_ns: 1,
        anomaly: Anomaly::PfcStormHostInjection,
        cause: Cause::NicStorm,
        summary: "the NIC of h2 pauses s1:2".into(),
        confidence: 0.9,
        severity: Severity::Critical,
        root_cause: RootCause { port: Some("s1:2".parse().unwrap()), ..RootCause::default() },
        victims: vec![],
        ..Diagnosis::undetermined(victim)
    };
    let graph = ProvenanceGraph { nodes: vec![], edges: vec![] };
    let store = store(&network.folder);
    runtime().block_on(async {
        store.record(&diagnosis, &graph, None, 1_700_000_000_000_000_000).await.unwrap();
        store.close().await;
    });
}

#[test]
fn alertmanager_is_notified_again_after_a_failure_and_when_the_incident_is_silenced() {
    let network = Network::new("webhooks");
    with_an_incident(&network);
    let (alertmanager, alerts) = receiver(&["503 Service Unavailable"]);
    let (slack, messages) = receiver(&[]);
    std::fs::write(network.folder.join("secret"), "key\n").unwrap();
    let webhooks = format!("alertmanager=http://{alertmanager},slack=http://{slack}/services/T/B/X");
    let (mut server, rest, _) = network.serve(
        "127.0.0.1:0",
        &[
            "--webhooks",
            &webhooks,
            "--webhook-secret",
            &network.path("secret"),
            "--webhook-link",
            "https://harrier.example/",
            "--incident-quiet-s",
            "86400",
        ],
    );
    let (refused, first) = (next(&alerts), next(&alerts));
    assert_eq!(refused.body, first.body, "the same alert again");
    assert!(first.head.starts_with("post /api/v2/alerts http/1.1\r\n"), "{}", first.head);
    assert!(first.head.contains("\r\nx-hub-signature-256: sha256="), "{}", first.head);
    let alert = &first.body[0];
    assert_eq!(
        (&alert["labels"]["incident"], &alert["labels"]["severity"]),
        (&"i-d".into(), &"critical".into())
    );
    assert_eq!(alert["annotations"]["summary"], "NIC storm at s1:2 stops h1 → h2");
    assert_eq!(alert["annotations"]["description"], "the NIC of h2 pauses s1:2");
    assert_eq!(
        (&alert["generatorURL"], &alert["endsAt"]),
        (&"https://harrier.example/incidents/i-d".into(), &Value::Null)
    );
    wait_until("the failure is counted", || metric(&rest, "harrier_webhook_requests_failed_total") == 1);

    // Not a message about an incident that was open before the server started; its end is one.
    let silenced = request(&rest, "POST", "/api/v1/incidents/i-d/notes", r#"{"handling": "silenced"}"#);
    assert!(matches!(silenced.0, 200 | 201), "{silenced:?}");
    let ended = next(&alerts);
    assert_eq!(ended.body[0]["labels"], alert["labels"]);
    assert!(ended.body[0]["endsAt"].is_string(), "{}", ended.body);
    let message = next(&messages);
    assert!(message.head.starts_with("post /services/t/b/x http/1.1\r\n"), "{}", message.head);
    let text = message.body["text"].as_str().unwrap();
    assert!(text.starts_with(":white_check_mark: *ended*: NIC storm at s1:2 stops h1 → h2 since "), "{text}");
    assert_eq!(server.terminate(), Some(0));
}

/// Kills servers with an alert that waits: a message that was not delivered is delivered by the next server, once.
#[test]
fn alerts_that_wait_survive_a_killed_server() {
    let network = Network::new("webhooks-killed");
    let is_up = Arc::new(AtomicBool::new(false));
    let statuses = {
        let is_up = is_up.clone();
        std::iter::repeat_with(move || match is_up.load(Ordering::SeqCst) {
            true => "200 OK",
            false => "503 Service Unavailable",
        })
    };
    let (slack, messages) = receiver_with(statuses);
    let webhooks = format!("slack=http://{slack}/services/T/B/X");
    let start = || {
        let more = ["--webhooks", &webhooks, "--incident-quiet-s", "86400"];
        network.serve("127.0.0.1:0", &more)
    };
    let accepted = |rest: &str| metric(rest, "harrier_webhook_requests_accepted_total");
    // The next message, without those that a killed server may have sent once more.
    let next_but = |sent: &str| loop {
        let message = next(&messages).body["text"].as_str().unwrap().to_string();
        if message != sent {
            return message;
        }
    };
    let set_state = |rest: &str, handling: &str| {
        let note = format!(r#"{{"handling": "{handling}"}}"#);
        let answer = request(rest, "POST", "/api/v1/incidents/i-d/notes", &note);
        assert!(matches!(answer.0, 200 | 201), "{answer:?}");
    };

    // The receiver is known; then an incident is stored, and the server is killed before it has taken note of it.
    let (mut server, _, _) = start();
    server.kill();
    with_an_incident(&network);
    let (mut server, _, _) = start();
    let began = next_but("");
    assert!(began.starts_with(":red_circle: *critical*: NIC storm at s1:2 stops h1 → h2 since "), "{began}");
    server.kill();

    is_up.store(true, Ordering::SeqCst);
    let (mut server, rest, _) = start();
    assert_eq!(next_but(""), began);
    wait_until("the message is delivered", || accepted(&rest) == 1);
    server.kill();

    // Delivered: the next server has nothing to send, until the incident ends while the receiver is away again.
    is_up.store(false, Ordering::SeqCst);
    let (mut server, rest, _) = start();
    assert_eq!(metric(&rest, "harrier_webhook_alerts_waiting"), 0);
    set_state(&rest, "silenced");
    let ended = next_but(&began);
    assert!(ended.starts_with(":white_check_mark: *ended*: NIC storm at s1:2"), "{ended}");
    server.kill();

    is_up.store(true, Ordering::SeqCst);
    let (mut server, rest, _) = start();
    assert_eq!(next_but(""), ended, "the end is sent after the restart");
    wait_until("the message is delivered", || accepted(&rest) == 1);
    server.kill();
    let (mut server, rest, _) = start();
    set_state(&rest, "open");
    assert_eq!(next_but(&ended), began, "the next message is that of the next change");
    let sent = || (accepted(&rest), metric(&rest, "harrier_webhook_alerts_waiting"));
    wait_until("one message is delivered", || sent() == (1, 0));
    assert_eq!(server.terminate(), Some(0));
}
