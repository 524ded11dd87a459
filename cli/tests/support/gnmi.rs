//! gNMI servers for tests: simulated SONiC switches that serve dumps of their databases.

use std::path::Path;
use std::sync::{Arc, Mutex};

use counters::sonic::{DatabaseName, Databases, gnmi as sonic, parse_dump};
use gnmi::proto;
use gnmi::server::{GNmiServer, Server, Tables};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// User and password of all servers.
pub(crate) const USER: (&str, &str) = ("admin", "s3cret");

/// The databases of a switch.
pub(crate) struct Switch {
    databases: Mutex<Databases>,
    version: watch::Sender<u64>,
}

impl Switch {
    /// A switch with the databases in a folder.
    pub(crate) fn of(folder: &Path) -> Arc<Switch> {
        Arc::new(Switch { databases: Mutex::new(read(folder)), version: watch::Sender::new(0) })
    }

    /// Replaces the databases.
    pub(crate) fn load(&self, folder: &Path) {
        *self.databases.lock().expect("no panic before") = read(folder);
        self.version.send_modify(|version| *version += 1);
    }
}

fn read(folder: &Path) -> Databases {
    let mut all = Databases::default();
    for name in DatabaseName::ALL {
        if let Ok(text) = std::fs::read_to_string(folder.join(format!("{}.json", name.name()))) {
            all.merge(parse_dump(&text, Some(name)).0);
        }
    }
    all
}

impl Tables for Switch {
    fn values(&self, target: &str, path: &proto::Path) -> Result<Vec<(proto::Path, Value)>, String> {
        let names: Vec<String> = path.elem.iter().map(|element| element.name.clone()).collect();
        let value = sonic::answer(&self.databases.lock().expect("no panic before"), target, &names)?;
        Ok(vec![(path.clone(), value)])
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

/// A gNMI server for one test; it ends with its connections on drop.
pub(crate) struct GnmiServer {
    _runtime: Runtime,
    pub(crate) port: u16,
}

impl GnmiServer {
    /// Serves tables on a free port, or on this one.
    pub(crate) fn start(tables: Arc<impl Tables>, port: u16) -> GnmiServer {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port))).expect("the port is free");
        let port = listener.local_addr().expect("its address").port();
        let credentials = Some((USER.0.to_string(), USER.1.to_string()));
        let service = GNmiServer::new(Server::new(tables, credentials));
        let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
        let server = tonic::transport::Server::builder().add_service(service);
        runtime.spawn(server.serve_with_incoming(incoming));
        GnmiServer { _runtime: runtime, port }
    }

    /// Its address for `harrier watch`.
    pub(crate) fn address(&self) -> String {
        format!("gnmi://{}:{}@127.0.0.1:{}", USER.0, USER.1, self.port)
    }
}
