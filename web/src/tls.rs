//! Listening with and without TLS (rustls). Browsers and scrapers need no certificate of their own.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::server::TlsStream;

/// Maximum time of a TLS handshake; then the connection is closed.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Maximum connections whose handshake is complete and that wait for the server.
const ACCEPTED: usize = 64;

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
        let Bound { listener, tls } = self;
        match tls {
            None => axum::serve(listener, router).with_graceful_shutdown(shutdown).await,
            Some(acceptor) => {
                let listener = TlsListener::start(listener, acceptor)?;
                axum::serve(listener, router).with_graceful_shutdown(shutdown).await
            }
        }
    }
}

/// Handshakes run in tasks of their own, so that a slow client does not keep the others waiting.
struct TlsListener {
    address: SocketAddr,
    accepted: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
    task: tokio::task::JoinHandle<()>,
}

impl TlsListener {
    fn start(mut listener: TcpListener, acceptor: TlsAcceptor) -> io::Result<TlsListener> {
        let address = listener.local_addr()?;
        let (sender, accepted) = mpsc::channel(ACCEPTED);
        let task = tokio::spawn(async move {
            loop {
                // The trait's method, which logs and retries.
                let (socket, peer) = Listener::accept(&mut listener).await;
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    if let Ok(Ok(stream)) = tokio::time::timeout(HANDSHAKE, acceptor.accept(socket)).await {
                        // Fails only when the server has stopped.
                        let _ = sender.send((stream, peer)).await;
                    }
                });
            }
        });
        Ok(TlsListener { address, accepted, task })
    }
}

impl Drop for TlsListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Listener for TlsListener {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.accepted.recv().await {
            Some(accepted) => accepted,
            // The task runs as long as this listener.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
