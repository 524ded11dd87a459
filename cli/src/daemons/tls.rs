//! Certificates of a daemon: read from files, and the names that they contain.
//!
//! Who a peer is follows from the DNS names of its certificate: `NAME.agent.harrier` for the agent of the host NAME,
//! `NAME.controller.harrier` for a controller, `NAME.watcher.harrier` for a watcher of counters. `harrier pki issue` writes them.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use p4runtime::client::ClientTls;
use rustls_pki_types::{CertificateDer, IpAddr, ServerName};
use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use super::config::settings::Settings;

/// Maximum time of a handshake; then the connection is closed.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// The certificates of a daemon, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Certificates {
    pub(crate) ca: Vec<u8>,
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

impl std::fmt::Debug for Certificates {
    /// Omits the private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certificates").finish_non_exhaustive()
    }
}

impl Certificates {
    /// Reads the files of the keys `tls_ca`, `tls_certificate` and `tls_key`; `None` without them.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn read(settings: &Settings) -> anyhow::Result<Option<Certificates>> {
        let file = |name: &str| -> anyhow::Result<Option<Vec<u8>>> {
            settings.path(name).map(|path| read_pem(path, &settings.origin(name).to_string())).transpose()
        };
        let (Some(ca), Some(certificate), Some(key)) =
            (file("tls_ca")?, file("tls_certificate")?, file("tls_key")?)
        else {
            return Ok(None);
        };
        Ok(Some(Certificates { ca, certificate, key }))
    }

    /// For a server that accepts only clients with a certificate.
    pub(crate) fn server(&self) -> ServerTlsConfig {
        ServerTlsConfig::new()
            .timeout(HANDSHAKE)
            .identity(Identity::from_pem(&self.certificate, &self.key))
            .client_ca_root(Certificate::from_pem(&self.ca))
    }

    /// For a client of the server; `name` replaces the host of its address.
    pub(crate) fn client(&self, name: Option<&str>) -> ClientTlsConfig {
        let config = ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(&self.ca))
            .identity(Identity::from_pem(&self.certificate, &self.key));
        match name {
            Some(name) => config.domain_name(name),
            None => config,
        }
    }

    /// For a client of a switch.
    pub(crate) fn switch_client(&self) -> ClientTls {
        let identity = Some((self.certificate.clone(), self.key.clone()));
        ClientTls { ca: self.ca.clone(), identity, domain: None }
    }
}

fn read_pem(path: &Path, origin: &str) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{origin}: cannot read {}", path.display()))
}

/// The certificate that a peer has presented; it is already verified against the authorities.
pub(crate) struct PeerCertificate(CertificateDer<'static>);

impl PeerCertificate {
    /// Takes the certificate of a peer.
    pub(crate) fn new(certificate: CertificateDer<'static>) -> PeerCertificate {
        PeerCertificate(certificate)
    }

    /// Whether it names the daemon `name`; `kind` is `agent`, `controller` or `watcher`.
    pub(crate) fn is_of(&self, kind: &str, name: &str) -> bool {
        self.has(ServerName::try_from(identity_name(kind, name)).ok())
    }

    /// Whether it has this address.
    pub(crate) fn has_address(&self, address: std::net::IpAddr) -> bool {
        self.has(Some(ServerName::IpAddress(IpAddr::from(address))))
    }

    fn has(&self, name: Option<ServerName<'_>>) -> bool {
        let certificate = webpki::EndEntityCert::try_from(&self.0).ok();
        match (certificate, name) {
            (Some(certificate), Some(name)) => certificate.verify_is_valid_for_subject_name(&name).is_ok(),
            _ => false,
        }
    }
}

/// Returns the DNS name that identifies a daemon.
pub(crate) fn identity_name(kind: &str, name: &str) -> String {
    format!("{name}.{kind}.harrier")
}
