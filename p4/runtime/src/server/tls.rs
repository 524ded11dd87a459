//! TLS settings of the server (rustls).

use tonic::transport::{Certificate, Identity, ServerTlsConfig};

/// Certificates of a server, as PEM.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerTls {
    /// The server's certificate, followed by its intermediate certificates.
    pub certificate: Vec<u8>,
    /// The certificate's private key.
    pub key: Vec<u8>,
    /// Root certificates for client certificates. Without them, clients need no certificate.
    pub client_ca: Option<Vec<u8>>,
    /// DNS names of which a client's certificate must have one; `*.NAME` stands for every name one label longer than
    /// NAME. Calls of other clients get `PERMISSION_DENIED`. Empty: every certificate of `client_ca` will do.
    pub client_names: Vec<String>,
    /// DNS names as [`ServerTls::client_names`], of clients that may read and change nothing: their calls that write, set a
    /// pipeline or open a stream get `PERMISSION_DENIED`. Without effect if `client_names` is empty.
    pub reader_names: Vec<String>,
}

impl ServerTls {
    pub(super) fn config(&self) -> ServerTlsConfig {
        let config = ServerTlsConfig::new().identity(Identity::from_pem(&self.certificate, &self.key));
        match &self.client_ca {
            Some(roots) => config.client_ca_root(Certificate::from_pem(roots)),
            None => config,
        }
    }
}

impl std::fmt::Debug for ServerTls {
    /// Omits the private key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerTls")
            .field("clients_are_checked", &self.client_ca.is_some())
            .finish_non_exhaustive()
    }
}
