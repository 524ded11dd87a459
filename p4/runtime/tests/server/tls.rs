//! TLS: the server's certificate, and those of clients.

use crate::common::{Bench, DEVICE};
use p4runtime::client::{Client, ClientConfig, ClientTls};
use p4runtime::proto::p4::v1::get_forwarding_pipeline_config_request::ResponseType;
use p4runtime::server::ServerTls;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// A certificate authority made for one test.
struct Authority {
    pem: Vec<u8>,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names are fine");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = params.self_signed(&key).expect("a certificate").pem().into_bytes();
        Authority { pem, issuer: Issuer::new(params, key) }
    }

    /// Certificate and key for a name.
    fn issue(&self, name: &str) -> (Vec<u8>, Vec<u8>) {
        let params = CertificateParams::new(vec![name.to_string()]).expect("a good name");
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem().into_bytes(), key.serialize_pem().into_bytes())
    }
}

/// A server with a certificate of `authority` that requires client certificates of `clients`.
async fn bench(authority: &Authority, clients: Option<&Authority>) -> Bench {
    bench_for(authority, clients, &[]).await
}

/// A server that also requires one of these names in the certificates of clients. Readers have `*.watcher.example`.
async fn bench_for(authority: &Authority, clients: Option<&Authority>, names: &[&str]) -> Bench {
    let (certificate, key) = authority.issue("localhost");
    let client_ca = clients.map(|clients| clients.pem.clone());
    let client_names = names.iter().map(|name| name.to_string()).collect();
    let reader_names = vec!["*.watcher.example".to_string()];
    let tls = ServerTls { certificate, key, client_ca, client_names, reader_names };
    Bench::with(|config| config.tls = Some(tls)).await
}

/// Whether a client with these certificates gets a response.
async fn check(bench: &Bench, tls: Option<ClientTls>) -> bool {
    let config = ClientConfig { tls, ..ClientConfig::new(DEVICE) };
    match Client::connect(&bench.handle.endpoint(), config).await {
        // With TLS 1.3, a server rejects a client's certificate only after the client considers itself connected.
        Ok(mut client) => client.become_primary().await.is_ok(),
        Err(_) => false,
    }
}

fn trusting(authority: &Authority, identity: Option<(Vec<u8>, Vec<u8>)>) -> Option<ClientTls> {
    Some(ClientTls { ca: authority.pem.clone(), identity, domain: Some("localhost".into()) })
}

#[tokio::test]
async fn a_client_with_the_root_certificate_connects() {
    let authority = Authority::new();
    let bench = bench(&authority, None).await;
    assert!(bench.handle.endpoint().starts_with("https://"));
    assert!(check(&bench, trusting(&authority, None)).await);
    assert!(!check(&bench, trusting(&Authority::new(), None)).await, "another authority");
    assert!(!check(&bench, None).await, "no authority at all");
}

#[tokio::test]
async fn plain_text_connections_are_rejected() {
    let bench = bench(&Authority::new(), None).await;
    let endpoint = bench.handle.endpoint().replace("https", "http");
    let connected = Client::connect(&endpoint, ClientConfig::new(DEVICE)).await;
    let answered = match connected {
        Ok(mut client) => client.become_primary().await.is_ok(),
        Err(_) => false,
    };
    assert!(!answered);
}

#[tokio::test]
async fn clients_need_a_certificate_of_the_authority_that_the_server_trusts() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let bench = bench(&authority, Some(&clients)).await;
    assert!(check(&bench, trusting(&authority, Some(clients.issue("controller")))).await);
    assert!(!check(&bench, trusting(&authority, None)).await, "no certificate");
    assert!(!check(&bench, trusting(&authority, Some(authority.issue("controller")))).await, "of another");
}

#[tokio::test]
async fn a_client_needs_one_of_the_permitted_names() {
    let authority = Authority::new();
    let bench = bench_for(&authority, Some(&authority), &["*.controller.example", "operator.example"]).await;
    for (name, expected) in [
        ("c1.controller.example", true),
        ("operator.example", true),
        ("h1.agent.example", false),
        ("controller.example", false),
        ("c1.controller.example.org", false),
    ] {
        let identity = Some(authority.issue(name));
        assert_eq!(check(&bench, trusting(&authority, identity)).await, expected, "{name}");
    }
}

#[tokio::test]
async fn a_reader_reads_and_changes_nothing() {
    let authority = Authority::new();
    let bench = bench_for(&authority, Some(&authority), &["*.controller.example"]).await;
    let reader = || trusting(&authority, Some(authority.issue("w1.watcher.example")));
    let config = ClientConfig { tls: reader(), ..ClientConfig::new(DEVICE) };
    let mut client = Client::connect(&bench.handle.endpoint(), config).await.expect("it connects");
    client.pipeline(ResponseType::CookieOnly).await.expect("it reads");
    let refused = client.become_primary().await.expect_err("it opens no stream");
    assert!(refused.to_string().contains("the client may only read"), "{refused}");
    // Where every certificate will do, there is no difference.
    let open = bench_for(&authority, Some(&authority), &[]).await;
    assert!(check(&open, reader()).await);
}
