//! Certificates of a daemon: read from files, and the names that they contain.
//!
//! Who a peer is follows from the DNS names of its certificate: `NAME.agent.harrier` for the agent of the host NAME,
//! `NAME.controller.harrier` for a controller, `NAME.watcher.harrier` for a watcher of counters. `harrier pki issue` writes them.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use p4runtime::client::ClientTls;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, IpAddr, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::sign::CertifiedKey;
use tonic::transport::{Certificate, ClientTlsConfig, Identity, ServerTlsConfig};

use super::config::settings::{Problem, Settings};
use crate::input::fail_with;

/// The keys of the authorities, the own certificate and its private key, of daemons that talk to other daemons.
pub(crate) const KEYS: [&str; 3] = ["tls_ca", "tls_certificate", "tls_key"];

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
    /// A file cannot be read, is not what the key expects, or the private key is that of another certificate.
    pub(crate) fn read(settings: &Settings) -> anyhow::Result<Option<Certificates>> {
        check(settings, KEYS)?;
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

/// Checks the files of the authorities, the own certificate and its private key.
///
/// # Errors
/// All that is wrong with them, each with the position of its key.
pub(crate) fn check(settings: &Settings, keys: [&str; 3]) -> anyhow::Result<()> {
    let problems: Vec<String> = problems(settings, keys, |_| true).iter().map(Problem::to_string).collect();
    fail_with("the certificates cannot be used", &problems)
}

/// Returns what is wrong with the files of the authorities, the own certificate and its private key, except for those that
/// `is_read` leaves out.
pub(crate) fn problems(
    settings: &Settings,
    keys: [&str; 3],
    is_read: impl Fn(&Path) -> bool,
) -> Vec<Problem> {
    let path = |key| settings.path(key).filter(|path| is_read(path));
    let checks: [fn(&Path) -> anyhow::Result<()>; 3] = [check_authorities, check_chain, check_key];
    let mut problems = Vec::new();
    for (key, check) in keys.into_iter().zip(checks) {
        let Some(path) = path(key) else { continue };
        problems.extend(check(path).err().map(|error| settings.problem(key, format!("{error:#}"))));
    }
    let [_, certificate, key] = keys;
    if problems.is_empty()
        && let (Some(certificate_path), Some(key_path)) = (path(certificate), path(key))
        && let Err(error) = check_pair(certificate_path, key_path)
    {
        problems.push(settings.problem(key, format!("{error:#}")));
    }
    problems
}

fn check_authorities(path: &Path) -> anyhow::Result<()> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).with_context(|| format!("{}: not an authority", path.display()))?;
    }
    Ok(())
}

fn check_chain(path: &Path) -> anyhow::Result<()> {
    certificates(path).map(drop)
}

fn check_key(path: &Path) -> anyhow::Result<()> {
    private_key(path).map(drop)
}

/// Checks that a private key belongs to a certificate.
fn check_pair(certificate: &Path, key: &Path) -> anyhow::Result<()> {
    let pair = CertifiedKey::from_der(certificates(certificate)?, private_key(key)?, &default_provider());
    pair.map(drop).with_context(|| {
        let (key, certificate) = (key.display(), certificate.display());
        format!("{key} is not the private key of the certificate in {certificate}")
    })
}

/// Reads the certificates of a file, of which there is at least one.
fn certificates(path: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let text = read_file(path)?;
    let found: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.with_context(|| format!("{}: not a certificate (PEM)", path.display()))?;
    if found.is_empty() {
        bail!("{}: there is no certificate (PEM) in it", path.display());
    }
    Ok(found)
}

fn private_key(path: &Path) -> anyhow::Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(&read_file(path)?)
        .map_err(|_| anyhow::anyhow!("{}: there is no private key (PEM) in it", path.display()))
}

fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
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
