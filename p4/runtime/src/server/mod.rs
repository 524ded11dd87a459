//! A P4Runtime server over a `p4_switch`.
//!
//! [`arbitration`], digest lists, entities and batches are pure. This module, `service` and `events` are the edge: they
//! run on tokio, hold the locks and read the clock.
//!
//! Lock order: the device's state, then the switch. The lock of the hub is held briefly and without other locks.

mod access;
pub mod arbitration;
mod as_written;
mod client_names;
mod connections;
mod device;
mod digests;
mod element;
mod entity;
mod events;
mod hub;
mod limits;
mod packet_io;
mod pipeline;
mod read;
mod reconcile;
mod role;
mod service;
mod tls;
mod translation;
mod value;
mod write;

pub use access::{EventSink, EventSource, ImmediateSwitch, SwitchAccess, event_channel};
pub use limits::Limits;
pub use role::{PacketFilter, ROLE_CONFIG, RoleConfig};
pub use tls::ServerTls;

use crate::device_config::SourceBundle;
use crate::proto::p4::v1::p4_runtime_server::P4RuntimeServer;
use crate::proto::p4::v1::{ForwardingPipelineConfig, set_forwarding_pipeline_config_request};
use device::Device;
use hub::Hub;
use p4_lang::Cancel;
use p4_lang::ir::Program;
use p4_switch::SwitchConfig;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tonic::service::interceptor::InterceptedService;

/// The version of P4Runtime that the server implements.
pub const API_VERSION: &str = "1.5.0";

/// Compiles sources to a program, or returns an error message. It should end soon when it is cancelled: the client has
/// gone.
pub type Compile = Arc<dyn Fn(&SourceBundle, &Cancel) -> Result<Program, String> + Send + Sync>;

/// Settings of a server.
#[derive(Clone)]
pub struct ServerConfig {
    /// The device id. Controllers that set none send 0.
    pub device_id: u64,
    /// Settings of the switch: its ports, and the configuration of the shadow switches that validate programs.
    pub switch: SwitchConfig,
    /// Compiles the sources of a device configuration.
    pub compile: Compile,
    /// Limits.
    pub limits: Limits,
    /// Certificates; without them the server does not use TLS.
    pub tls: Option<ServerTls>,
    /// Nanoseconds since 1970 at the driver's time zero; the base of message timestamps.
    pub epoch_ns: u64,
}

impl ServerConfig {
    /// Settings with the P4 front end, default limits, and timestamps relative to the driver's time zero.
    pub fn new(device_id: u64, switch: SwitchConfig) -> ServerConfig {
        let compile: Compile = Arc::new(crate::device_config::compile_until);
        ServerConfig { device_id, switch, compile, limits: Limits::default(), tls: None, epoch_ns: 0 }
    }
}

impl std::fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerConfig").field("device_id", &self.device_id).finish_non_exhaustive()
    }
}

/// Counters of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Events of the switch that were dropped because the queue was full ([`Limits::event_queue`]).
    pub events_lost: u64,
    /// Stream messages dropped because a controller did not read ([`Limits::stream_queue`]).
    pub messages_dropped: u64,
}

/// A server for one device. Clones are handles to the same server.
pub struct Server<A> {
    inner: Arc<Inner<A>>,
}

impl<A> Clone for Server<A> {
    fn clone(&self) -> Server<A> {
        Server { inner: self.inner.clone() }
    }
}

impl<A> std::fmt::Debug for Server<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").finish_non_exhaustive()
    }
}

struct Inner<A> {
    epoch_ns: u64,
    tls: Option<ServerTls>,
    limits: Limits,
    device: Device<A>,
    hub: Mutex<Hub>,
    /// Free places for compilations.
    compilations: Arc<Semaphore>,
    /// Wakes the event task after a change of its timers.
    digests_changed: tokio::sync::Notify,
    events_lost: Arc<std::sync::atomic::AtomicU64>,
}

impl<A> Inner<A> {
    fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Errors that stop a server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The transport failed.
    #[error("the P4Runtime server failed: {0}")]
    Transport(#[from] tonic::transport::Error),
    /// The address could not be bound.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: std::io::Error,
    },
}

/// Handle of a server that runs in the background. Dropping it stops the server.
#[derive(Debug)]
pub struct ServerHandle {
    address: SocketAddr,
    secured: bool,
    task: JoinHandle<()>,
}

impl ServerHandle {
    /// The listening address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL for clients.
    pub fn endpoint(&self) -> String {
        format!("{}://{}", if self.secured { "https" } else { "http" }, self.address)
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<A: SwitchAccess> Server<A> {
    /// Creates a server over a switch. Must be called within a tokio runtime, because it starts the event task.
    pub fn new(access: A, config: ServerConfig, events: EventSource) -> Server<A> {
        let inner = Arc::new(Inner {
            epoch_ns: config.epoch_ns,
            tls: config.tls.clone(),
            device: Device::new(access, &config),
            hub: Mutex::new(Hub::new(config.device_id, &config.limits)),
            compilations: Arc::new(Semaphore::new(config.limits.compilations)),
            limits: config.limits,
            digests_changed: tokio::sync::Notify::new(),
            events_lost: events.lost.clone(),
        });
        tokio::spawn(events::run(Arc::downgrade(&inner), events));
        Server { inner }
    }

    /// Returns the gRPC service, for a router with several services.
    pub fn service(&self) -> P4RuntimeServer<Server<A>> {
        P4RuntimeServer::new(self.clone())
            .max_decoding_message_size(self.inner.limits.request_bytes)
            .max_encoding_message_size(self.inner.limits.response_bytes)
    }

    /// Serves until `shutdown` completes.
    ///
    /// # Errors
    /// If the transport fails.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
        let limits = &self.inner.limits;
        let limit = connections::ConnectionLimit::new(limits.connections);
        let incoming = tokio_stream::StreamExt::filter_map(incoming, move |connection| match connection {
            Ok(socket) => limit.admit(socket).map(Ok),
            Err(error) => Some(Err(error)),
        });
        let mut builder = tonic::transport::Server::builder()
            .http2_keepalive_interval(Some(limits.keepalive))
            .http2_keepalive_timeout(Some(limits.keepalive_timeout))
            .max_concurrent_streams(Some(limits.calls_per_connection))
            .http2_max_header_list_size(Some(limits.header_bytes))
            .http2_max_pending_accept_reset_streams(Some(limits.resets_per_connection));
        if let Some(tls) = &self.inner.tls {
            builder = builder.tls_config(tls.config())?;
        }
        let names = self.inner.tls.as_ref().map(|tls| (tls.client_names.clone(), tls.reader_names.clone()));
        let (clients, readers) = names.unwrap_or_default();
        let service =
            InterceptedService::new(self.service(), client_names::ClientNames::new(clients, readers));
        builder.add_service(service).serve_with_incoming_shutdown(incoming, shutdown).await?;
        Ok(())
    }

    /// Serves in the background on an address; port 0 selects a free port.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub async fn spawn(self, address: SocketAddr) -> Result<ServerHandle, ServeError> {
        let bind = |source| ServeError::Bind { address, source };
        let listener = TcpListener::bind(address).await.map_err(bind)?;
        let local = listener.local_addr().map_err(bind)?;
        let secured = self.inner.tls.is_some();
        let task = tokio::spawn(async move {
            if let Err(error) = self.serve(listener, std::future::pending()).await {
                tracing::error!(%error, "the P4Runtime server has stopped");
            }
        });
        Ok(ServerHandle { address: local, secured, task })
    }

    /// Sets a pipeline like a controller with `VERIFY_AND_COMMIT`, for a daemon that is started with a program. Blocks
    /// while the program is compiled.
    ///
    /// # Errors
    /// The message, if the configuration is rejected; the running pipeline stays.
    pub fn set_pipeline(&self, config: ForwardingPipelineConfig) -> Result<(), String> {
        let action = set_forwarding_pipeline_config_request::Action::VerifyAndCommit as i32;
        let device = &self.inner.device;
        let prepared = device.prepare(action, Some(config), &Cancel::default());
        prepared.and_then(|change| device.set_pipeline(change)).map_err(|refusal| refusal.message)?;
        self.inner.refresh_digests(true);
        Ok(())
    }

    /// Ends every stream with `UNAVAILABLE`, so that a graceful shutdown does not wait for the controllers.
    pub fn close_streams(&self) {
        self.inner.hub().close();
    }

    /// Returns the server's counters.
    pub fn stats(&self) -> Stats {
        Stats {
            events_lost: self.inner.events_lost.load(Ordering::Relaxed),
            messages_dropped: self.inner.hub().dropped,
        }
    }
}
