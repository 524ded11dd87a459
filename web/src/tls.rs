//! Listening with and without TLS (rustls). Browsers and scrapers need no certificate of their own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;

/// A bound address, and the certificates for it if there are any.
pub struct Bound {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
}

impl Bound {
    /// A listener without encryption.
    pub fn plain(listener: TcpListener) -> Bound {
        Bound { listener, tls: None }
    }

    /// A listener with a certificate chain and its private key, both PEM.
    ///
    /// # Errors
    /// They cannot be read, or do not belong together.
    pub fn tls(listener: TcpListener, certificate: &[u8], key: &[u8]) -> Result<Bound, String> {
        let chain = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("the certificate cannot be read: {error}"))?;
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|error| format!("the private key cannot be read: {error}"))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| format!("the certificate cannot be used: {error}"))?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Bound { listener, tls: Some(TlsAcceptor::from(Arc::new(config))) })
    }

    /// Returns the bound address.
    ///
    /// # Errors
    /// The system does not know it.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Returns `http` or `https`.
    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    pub(crate) async fn serve(
        self,
        router: Router,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        crate::connections::serve(self.listener, self.tls, router, shutdown).await
    }
}
