//! The client with the server, which serves the databases of a SONiC switch.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use counters::sonic::{DatabaseName, Databases, gnmi as sonic};
use gnmi::client::{Client, ClientError, Event, Settings, Wanted};
use gnmi::path;
use gnmi::proto::{Notification, Path};
use gnmi::server::{GNmiServer, Server, Tables};
use gnmi::value::as_json;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tonic::transport::{Identity, ServerTlsConfig};

/// A switch with one port.
struct Switch {
    databases: Mutex<Databases>,
    version: watch::Sender<u64>,
}

impl Switch {
    fn new() -> Arc<Switch> {
        let switch = Switch { databases: Mutex::default(), version: watch::Sender::new(0) };
        switch.set(DatabaseName::Counters, "COUNTERS_PORT_NAME_MAP", "Ethernet0", "oid:0x1");
        switch.set(DatabaseName::Counters, "COUNTERS:oid:0x1", "SAI_PORT_STAT_PFC_3_RX_PKTS", "7");
        switch.set(DatabaseName::Appl, "PORT_TABLE:Ethernet0", "oper_status", "up");
        Arc::new(switch)
    }

    fn set(&self, database: DatabaseName, key: &str, field: &str, value: &str) {
        let fields = [(field.to_string(), value.to_string())].into();
        self.databases.lock().expect("no panic before").add(database, key, fields);
        self.version.send_modify(|version| *version += 1);
    }
}

impl Tables for Switch {
    fn values(&self, target: &str, path: &Path) -> Result<Vec<(Path, serde_json::Value)>, String> {
        let names: Vec<String> = path.elem.iter().map(|element| element.name.clone()).collect();
        let value = sonic::answer(&self.databases.lock().expect("no panic before"), target, &names)?;
        Ok(vec![(path.clone(), value)])
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

const USER: (&str, &str) = ("admin", "s3cret");

fn credentials(user: &str, password: &str) -> Option<(String, String)> {
    Some((user.to_string(), password.to_string()))
}

/// Serves a switch and returns how to reach it.
async fn serve(switch: Arc<Switch>, tls: Option<ServerTlsConfig>) -> Settings {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("its address").port();
    let mut server = tonic::transport::Server::builder();
    if let Some(tls) = tls {
        server = server.tls_config(tls).expect("certificates");
    }
    let service = GNmiServer::new(Server::new(switch, credentials(USER.0, USER.1)));
    let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
    tokio::spawn(server.add_service(service).serve_with_incoming(incoming));
    Settings { authority: format!("localhost:{port}"), ca: None, credentials: credentials(USER.0, USER.1) }
}

fn json(notification: &Notification) -> serde_json::Value {
    as_json(&notification.update[0]).expect("JSON")
}

const COUNTERS: &str = "COUNTERS/Ethernet*";

fn wanted(text: &str, sample: Option<Duration>) -> Wanted {
    Wanted { path: path::parse(text).expect("a path"), sample }
}

#[tokio::test]
async fn a_path_is_read_once() {
    let settings = serve(Switch::new(), None).await;
    let mut client = Client::connect(&settings).await.expect("it listens");
    let path = path::parse(COUNTERS).expect("a path");
    let read = client.once("COUNTERS_DB", &path).await.expect("an answer");
    assert_eq!(json(&read[0])["Ethernet0"]["SAI_PORT_STAT_PFC_3_RX_PKTS"], "7");
}

#[tokio::test]
async fn a_path_is_read_by_get() {
    let switch = Switch::new();
    switch.set(DatabaseName::Config, "PORT|Ethernet0", "speed", "100000");
    let settings = serve(switch, None).await;
    let mut client = Client::connect(&settings).await.expect("it listens");
    let path = |text: &str| path::parse(text).expect("a path");
    let read = client.get("CONFIG_DB", &path("PORT")).await.expect("an answer");
    assert_eq!(json(&read[0])["Ethernet0"]["speed"], "100000");
    let none = client.get("CONFIG_DB", &path("BUFFER_POOL")).await.expect("an answer");
    assert_eq!(none, [], "it has no such table");
    let wrong = Settings { credentials: credentials("admin", "other"), ..settings };
    let mut client = Client::connect(&wrong).await.expect("it listens");
    let error = client.get("CONFIG_DB", &path("PORT")).await.expect_err("no access");
    assert!(matches!(error, ClientError::Credentials(_)), "{error}");
}

#[tokio::test]
async fn wrong_credentials_and_paths_are_typed_errors() {
    let settings = serve(Switch::new(), None).await;
    let path = path::parse(COUNTERS).expect("a path");
    for wrong in [None, credentials("admin", "other")] {
        let mut client =
            Client::connect(&Settings { credentials: wrong, ..settings.clone() }).await.expect("it listens");
        let error = client.once("COUNTERS_DB", &path).await.expect_err("no access");
        assert!(matches!(error, ClientError::Credentials(_)), "{error}");
    }
    let mut client = Client::connect(&settings).await.expect("it listens");
    for (target, text) in [("COUNTERS_DB", "NO_TABLE"), ("NO_DB", COUNTERS), ("", COUNTERS)] {
        let path = path::parse(text).expect("a path");
        let error = client.once(target, &path).await.expect_err("no such path");
        assert!(matches!(&error, ClientError::Path { path, .. } if path.contains(text)), "{error}");
    }
    let too_fast = [wanted(COUNTERS, Some(Duration::from_millis(10)))];
    let mut stream = client.stream("COUNTERS_DB", &too_fast).await.expect("a stream");
    assert!(matches!(stream.next(Duration::from_secs(9)).await, Err(ClientError::Path { .. })));
}

#[tokio::test]
async fn samples_repeat_and_changes_are_sent_when_they_happen() {
    let switch = Switch::new();
    let settings = serve(switch.clone(), None).await;
    let mut client = Client::connect(&settings).await.expect("it listens");
    let mut sampled = client
        .stream("COUNTERS_DB", &[wanted(COUNTERS, Some(Duration::from_secs(1)))])
        .await
        .expect("a stream");
    let mut changed = client.stream("APPL_DB", &[wanted("PORT_TABLE", None)]).await.expect("a stream");
    let patience = Duration::from_secs(9);
    for stream in [&mut sampled, &mut changed] {
        assert!(matches!(stream.next(patience).await, Ok(Some(Event::Update(_)))));
        assert!(matches!(stream.next(patience).await, Ok(Some(Event::Synced))));
    }
    switch.set(DatabaseName::Counters, "COUNTERS:oid:0x1", "SAI_PORT_STAT_PFC_3_RX_PKTS", "8");
    switch.set(DatabaseName::Appl, "PORT_TABLE:Ethernet0", "oper_status", "down");
    let Ok(Some(Event::Update(port))) = changed.next(patience).await else { panic!("no change") };
    assert_eq!(json(&port)["Ethernet0"]["oper_status"], "down");
    for _ in 0..2 {
        let Ok(Some(Event::Update(counters))) = sampled.next(patience).await else { panic!("no sample") };
        assert_eq!(json(&counters)["Ethernet0"]["SAI_PORT_STAT_PFC_3_RX_PKTS"], "8");
    }
    assert!(matches!(changed.next(Duration::from_millis(1)).await, Ok(None)), "it is silent");
}

#[tokio::test]
async fn the_certificate_is_checked() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_string()]).expect("a certificate");
    let (pem, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let tls = ServerTlsConfig::new().identity(Identity::from_pem(&pem, &key));
    let settings = serve(Switch::new(), Some(tls)).await;
    let trusting = Settings { ca: Some(pem.into_bytes()), ..settings.clone() };
    let path = path::parse(COUNTERS).expect("a path");
    let mut client = Client::connect(&trusting).await.expect("it is trusted");
    assert!(client.once("COUNTERS_DB", &path).await.is_ok());
    let other = rcgen::generate_simple_self_signed(["localhost".to_string()]).expect("a certificate");
    let doubting = Settings { ca: Some(other.cert.pem().into_bytes()), ..settings };
    let error = Client::connect(&doubting).await.err().expect("it is not trusted");
    assert!(matches!(&error, ClientError::Connect(text) if text.contains("certificate")), "{error}");
}
