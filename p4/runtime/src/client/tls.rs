//! TLS settings of the client.

use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// Certificates of a client, as PEM.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ClientTls {
    /// Root certificates for the server's certificate.
    pub ca: Vec<u8>,
    /// The client's certificate and private key, if the server requires them.
    pub identity: Option<(Vec<u8>, Vec<u8>)>,
    /// Name in the server's certificate, if it differs from that of the endpoint.
    pub domain: Option<String>,
}

impl ClientTls {
    pub(super) fn config(&self) -> ClientTlsConfig {
        let mut config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&self.ca));
        if let Some((certificate, key)) = &self.identity {
            config = config.identity(Identity::from_pem(certificate, key));
        }
        match &self.domain {
            Some(domain) => config.domain_name(domain),
            None => config,
        }
    }
}

impl std::fmt::Debug for ClientTls {
    /// Omits the private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientTls").field("has_identity", &self.identity.is_some()).finish_non_exhaustive()
    }
}
