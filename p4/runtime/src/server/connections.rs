//! Limit on connections: connections beyond it are closed at once.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// Counter of open connections.
#[derive(Clone, Debug)]
pub(super) struct Places(Arc<Semaphore>);

impl Places {
    pub(super) fn new(limit: usize) -> Places {
        Places(Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))))
    }

    /// Admits a connection; `None` at the limit, which closes it.
    pub(super) fn seat(&self, socket: TcpStream) -> Option<Seated> {
        let place = self.0.clone().try_acquire_owned().ok()?;
        // Small messages are sent without waiting for TCP acknowledgements.
        let _ = socket.set_nodelay(true);
        Some(Seated { socket, _place: place })
    }
}

/// An admitted connection.
#[derive(Debug)]
pub(super) struct Seated {
    socket: TcpStream,
    _place: OwnedSemaphorePermit,
}

impl Connected for Seated {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.socket.connect_info()
    }
}

impl AsyncRead for Seated {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(cx, into)
    }
}

impl AsyncWrite for Seated {
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
