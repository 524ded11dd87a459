//! The limit on connections; further ones are closed at once.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// Counts open connections.
#[derive(Clone, Debug)]
pub(super) struct ConnectionLimit(Arc<Semaphore>);

impl ConnectionLimit {
    pub(super) fn new(limit: usize) -> ConnectionLimit {
        ConnectionLimit(Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))))
    }

    /// Admits a connection; returns `None` at the limit, and the connection is closed.
    pub(super) fn admit(&self, socket: TcpStream) -> Option<Admitted> {
        let permit = self.0.clone().try_acquire_owned().ok()?;
        // Small messages are sent without waiting for TCP acknowledgements.
        let _ = socket.set_nodelay(true);
        Some(Admitted { socket, _permit: permit })
    }
}

/// An admitted connection.
#[derive(Debug)]
pub(super) struct Admitted {
    socket: TcpStream,
    _permit: OwnedSemaphorePermit,
}

impl Connected for Admitted {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.socket.connect_info()
    }
}

impl AsyncRead for Admitted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, into)
    }
}

impl AsyncWrite for Admitted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}
