//! Certificates for labs and small networks. Larger ones have an authority of their own, which issues certificates with
//! the same names (docs/daemons.md).

use std::io::Write as _;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use time::{Duration, OffsetDateTime};

use super::tls::identity_name;
use crate::input::read_text;

/// Files of the authority.
const CA_CERTIFICATE: &str = "ca.pem";
const CA_KEY: &str = "ca.key";
/// Clocks of other machines may be this much behind.
const CLOCK_SKEW: Duration = Duration::hours(1);

/// What a certificate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Role {
    /// The server
    Server,
    /// A controller
    Controller,
    /// A `harrier watch` that uploads verdicts
    Watcher,
    /// The agent of a host
    Agent,
    /// The P4Runtime server of a switch
    Switch,
}

impl Role {
    /// The word in names of files and in DNS names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Server => "server",
            Role::Controller => "controller",
            Role::Watcher => "watcher",
            Role::Agent => "agent",
            Role::Switch => "switch",
        }
    }
}

/// A certificate to issue.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) role: Role,
    pub(crate) name: String,
    pub(crate) dns: Vec<String>,
    pub(crate) addresses: Vec<IpAddr>,
    pub(crate) days: u32,
}

/// Creates an authority. Returns the files.
///
/// # Errors
/// There is one already, or a file cannot be written.
pub(crate) fn init(folder: &Path, days: u32) -> anyhow::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "Harrier authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    set_validity(&mut params, days);
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    write_pair(folder, (CA_CERTIFICATE, &certificate.pem()), (CA_KEY, &key.serialize_pem()))
}

/// Issues a certificate. Returns the files.
///
/// # Errors
/// There is no authority in the folder, a name is malformed, the certificate exists already, or a file cannot be
/// written.
pub(crate) fn issue(folder: &Path, request: &Request) -> anyhow::Result<Vec<PathBuf>> {
    let key = read_text(&folder.join(CA_KEY))
        .context("there is no authority; create one with `harrier pki init`")?;
    let issuer =
        Issuer::from_ca_cert_pem(&read_text(&folder.join(CA_CERTIFICATE))?, KeyPair::from_pem(&key)?)
            .with_context(|| {
                format!("{} is not the certificate of an authority", folder.join(CA_CERTIFICATE).display())
            })?;
    proto::convert::name("--name", &request.name)?;
    let role = request.role.name();
    let mut names = vec![identity_name(role, &request.name)];
    names.extend(request.dns.iter().cloned());
    let mut params = CertificateParams::new(names).context("a name cannot be in a certificate")?;
    params.subject_alt_names.extend(request.addresses.iter().copied().map(SanType::IpAddress));
    params.distinguished_name.push(DnType::CommonName, format!("{role} {}", request.name));
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    params.use_authority_key_identifier_extension = true;
    set_validity(&mut params, request.days);
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, &issuer)?;
    let file = format!("{role}-{}", request.name);
    let (pem, key_file) = (format!("{file}.pem"), format!("{file}.key"));
    write_pair(folder, (&pem, &certificate.pem()), (&key_file, &key.serialize_pem()))
}

fn set_validity(params: &mut CertificateParams, days: u32) {
    let now = OffsetDateTime::now_utc();
    params.not_before = now - CLOCK_SKEW;
    params.not_after = now + Duration::days(days.into());
}

/// Writes a certificate and its key, and returns their paths. Only the owner can read the key. Existing files are never replaced.
fn write_pair(folder: &Path, certificate: (&str, &str), key: (&str, &str)) -> anyhow::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for (name, _) in [certificate, key] {
        if folder.join(name).exists() {
            bail!("{} exists; remove it first to replace it", folder.join(name).display());
        }
    }
    for ((name, text), mode) in [(key, 0o600), (certificate, 0o644)] {
        let path = folder.join(name);
        let mut options = std::fs::OpenOptions::new();
        let file = options.write(true).create_new(true).mode(mode).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(path);
    }
    Ok(written)
}
